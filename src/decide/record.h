/* Reads a record as a rule sees it: the dithered scores, and the weights by which the rule
 * multiplies the offsets. The counts of the pool and the decisions of predict agree, because both
 * use this file. */
#ifndef DP2DPI_DECIDE_RECORD_H
#define DP2DPI_DECIDE_RECORD_H

#include <stdint.h>

#include <dp2dp/data.h>
#include <dp2dp/model.h>

#include "base/error.h"

typedef struct dp2dpi_records {
    dp2dp_rule rule;
    size_t strata, labels, classes;
    dp2dp_row_sums row_sums;
    unsigned grid_bits; /* scores are rounded to multiples of 2^-grid_bits; 0 if they are not
                           rounded */
    dp2dp_dither dither;
    dp2dp_dither_key dither_key;
    const dp2dp_matrix *scores;
    const dp2dp_matrix *weights; /* set only for the rule `weighted`, otherwise NULL */
    const uint64_t *ids;         /* set only for the dither key `id`, otherwise NULL */
    uint64_t first_row;          /* position of row 0 in the whole table */
    int mend_weights; /* if 1, a row of weights that are not probabilities is mended: negative
                         weights and NaN count as 0, and every weight is divided by the sum of the
                         row. The row is invalid only if this sum is 0 or infinite */
} dp2dpi_records;

/* Returns how many weights each record has: the number of labels for the rule `linear`, the number
 * of strata for `weighted`, and 0 for `offset`. */
size_t dp2dpi_records_parts(const dp2dpi_records *r);

/* Fails with ARGUMENT if weights or ids are missing or have the wrong size, or if they are given
 * but not used. */
dp2dp_status dp2dpi_records_check(const dp2dpi_records *r, dp2dp_error *error);

typedef enum dp2dpi_record_fault {
    DP2DPI_RECORD_SOUND,
    DP2DPI_RECORD_SCORES, /* the scores of a row are not probabilities */
    DP2DPI_RECORD_WEIGHTS /* the weights of a row are not probabilities */
} dp2dpi_record_fault;

dp2dpi_record_fault dp2dpi_record_check(const dp2dpi_records *r, size_t row);
/* Always fails with DATA. The error has the reason of the fault and the row number. */
dp2dp_status dp2dpi_record_refuse(const dp2dpi_records *r, size_t row, dp2dpi_record_fault fault,
                                  dp2dp_error *error);

/* Writes the scores and the weights of a row. Neighbouring scores, and neighbouring weights, are
 * `apart` floats apart. The dither is added to the scores, never to the weights. weights may be
 * NULL. The row must be valid; if another thread changes the row meanwhile, the numbers are
 * meaningless. */
void dp2dpi_record_read(const dp2dpi_records *r, size_t row, size_t apart, float *scores,
                        float *weights);

#endif
