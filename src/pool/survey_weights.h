/* Notices multiplicities that are probably weights of a survey, or ids, and not counts. */
#ifndef DP2DPI_POOL_SURVEY_WEIGHTS_H
#define DP2DPI_POOL_SURVEY_WEIGHTS_H

#include "pool/pool.h"

/* Returns 1 if each row seems to be one person, but nearly all multiplicities are above 1. Returns
 * 0 if rows have no multiplicity, or if there are fewer than 1000 rows. */
int dp2dpi_pool_has_survey_weights(const dp2dp_pool *pool);

#endif
