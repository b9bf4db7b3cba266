/* Compares labels with scores: labels that follow from the scores of the rows are probably
 * decisions, not the truth. */
#ifndef CLI_LABELS_H
#define CLI_LABELS_H

#include "input/scores.h"

/* Compares the labels of the `count` rows after rows->count, if they have any, with their scores,
 * and notes the result in the watch of the columns. Does nothing if bad rows are left out: then no
 * message may depend on the rows. */
void cli_labels_note(const cli_rows *rows, size_t count);
/* Returns the warnings of dp2dp_warn_of_labels about all rows that were noted, and
 * LABELS_ARE_DECISIONS if the labels are a cut through the scores. */
unsigned cli_labels_warnings(const cli_columns *columns);

/* Returns LABELS_ARE_DECISIONS if the labels of rows in memory are a cut through their scores, else
 * 0. The rows may have no columns. */
unsigned cli_rows_are_cut(const cli_rows *rows);

#endif
