/* Looks at the scores of a pool, and compares them with the labels of the records. */
#ifndef DP2DPI_POOL_SCORE_SIGNAL_H
#define DP2DPI_POOL_SCORE_SIGNAL_H

#include "pool/pool.h"

/* Returns dp2dp_warning bits, or 0. LABELS_ARE_DECISIONS: every label is the class with the largest
 * score, or a threshold on the score separates each label from the others. WORSE_THAN_GUESSING: the
 * scores for a class are lower for the people with that label, or the people with one label and
 * those with another seem to have each other's scores. NO_BETTER_THAN_GUESSING: the scores differ
 * much between records but predict the labels no better than chance. Returns 0 without judging if
 * records are not counted under labels, if there are fewer than 100 records, if rows stand for
 * several records, or if the pool has the scores only with a dither. */
unsigned dp2dpi_pool_warn_of_labels(const dp2dp_pool *pool);

/* Returns a dp2dp_oddity bit about the scores: SCORES_ARE_DECISIONS or SCORES_ARE_EQUAL. Returns 0
 * if neither is found, if there are fewer than DP2DPI_ODD_ROWS rows, or if the pool has the scores
 * only with a dither. */
unsigned dp2dpi_pool_odd_scores(const dp2dp_pool *pool);

#endif
