/* Looks at the class with the largest score of each row, and compares scores with labels. Labels
 * that follow from the scores are probably old decisions, not the true classes. */
#ifndef CLI_LABELS_H
#define CLI_LABELS_H

#include "input/scores.h"

/* Looks at the scores of `count` rows, from position rows->count on. If there are labels, compares
 * the scores with the labels. Notes the result in rows->columns->watch. Skips rows that the schema
 * leaves out. With --bad-rows ignore, does nothing, because no message may depend on the rows. */
void cli_labels_note(const cli_rows *rows, size_t count);
/* Returns the warnings of dp2dp_warn_of_labels and dp2dp_warn_of_classes about all rows that were
 * noted, and LABELS_ARE_DECISIONS if the scores separate the labels perfectly. */
unsigned cli_labels_warnings(const cli_columns *columns);

/* Returns the warnings of dp2dp_pool_warnings about a pool that was read from these columns, or 0
 * if bad rows are ignored. If a person may have several rows, leaves out the warnings about
 * repeated rows. If `oddities` is not NULL, sets *oddities to the dp2dp_oddity bits that
 * cli_odd_scores_tell does not report. */
unsigned cli_pool_warnings(const cli_columns *columns, const dp2dp_pool *pool,
                           uint64_t rows_per_person, unsigned *oddities);

/* Returns LABELS_ARE_DECISIONS if the scores of rows in memory separate their labels perfectly,
 * else 0. rows->columns may be NULL. */
unsigned cli_rows_are_cut(const cli_rows *rows);

#endif
