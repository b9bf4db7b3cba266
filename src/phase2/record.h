/* One record as a rule sees it: its scores, dithered, and its weights over the strata. The pool and
 * predict both read records here, so a person who is counted is decided for in the same way.
 * J is the number of strata, K of classes, Y of labels. */
#ifndef DP2DPI_PHASE2_RECORD_H
#define DP2DPI_PHASE2_RECORD_H

#include <stdint.h>

#include <dp2dp/data.h>
#include <dp2dp/model.h>

#include "base/error.h"

typedef struct dp2dpi_records {
    dp2dp_rule rule;
    size_t strata, labels, classes;
    dp2dp_row_sums row_sums;
    dp2dp_dither dither;
    dp2dp_dither_key dither_key;
    const dp2dp_matrix *scores;
    const dp2dp_matrix *weights; /* for the rule `weighted` */
    const uint64_t *ids;         /* for the dither key `id` */
    uint64_t first_row;          /* position of row 0 in the whole table */
    int mend_weights; /* 1: in a row of weights that are not probabilities, those below 0 or not
                         numbers count as 0, and all are divided by their sum; only a row whose sum
                         is not above 0 is at fault */
} dp2dpi_records;

/* Returns how many weights the rule multiplies: Y for the rule `linear`, J for `weighted`, 0 for
 * `offset`. */
size_t dp2dpi_records_parts(const dp2dpi_records *r);

/* ARGUMENT if weights or ids are missing, have the wrong size, or are there but not used. */
dp2dp_status dp2dpi_records_check(const dp2dpi_records *r, dp2dp_error *error);

typedef enum dp2dpi_record_fault {
    DP2DPI_RECORD_SOUND,
    DP2DPI_RECORD_SCORES, /* a row of scores that are not probabilities */
    DP2DPI_RECORD_WEIGHTS /* the same of the weights */
} dp2dpi_record_fault;

/* Checks a row without keeping anything. */
dp2dpi_record_fault dp2dpi_record_check(const dp2dpi_records *r, size_t row);
/* Refuses a row for such a fault: DATA with the reason and the row number. */
dp2dp_status dp2dpi_record_refuse(const dp2dpi_records *r, size_t row, dp2dpi_record_fault fault,
                                  dp2dp_error *error);

/* Writes the K scores of a row, `apart` floats from one to the next, and its weights, likewise.
 * The dither is in the scores and never in the weights. weights may be NULL. The row must be sound;
 * if another thread changed it, the numbers are meaningless. */
void dp2dpi_record_read(const dp2dpi_records *r, size_t row, size_t apart, float *scores,
                        float *weights);

#endif
