/* Expands pools whose rows stand for several records each, for solvers that need one row for each
 * record. */
#ifndef DP2DPI_POOL_EXPAND_H
#define DP2DPI_POOL_EXPAND_H

#include <dp2dp/fit.h>

#include "base/error.h"
#include "pool/pool.h"

/* Sets *records to the sum of the multiplicities of all rows, or to the number of rows if
 * multiplicity is NULL. Fails with DATA if a row stands for no record. Also fails with DATA if the
 * sum plus before->records (the number of records before these rows) exceeds `most`. If bad rows
 * are refused, the message has the row number. */
dp2dp_status dp2dpi_count_records(const uint64_t *multiplicity, size_t rows, uint64_t most,
                                  dp2dp_bad_rows bad_rows, const dp2dpi_pool_before *before,
                                  size_t *records, dp2dp_error *error);

/* Fails with ARGUMENT if rows stand for several records although the solver does not allow that.
 * Fails with MEMORY if the solver would need too much memory. pool may be NULL. */
dp2dp_status dp2dpi_pool_check_solver(const dp2dp_pool *pool, dp2dp_solver solver,
                                      dp2dp_error *error);

/* Makes a pool in which each row is repeated once for each record that it stands for. This pool
 * equals the pool that dp2dp_pool_new makes of the repeated rows. Sets *out to NULL if each row of
 * the given pool is one record already. Ownership: the caller frees *out. */
dp2dp_status dp2dpi_pool_expand(const dp2dp_pool *pool, dp2dp_pool **out, dp2dp_error *error);

#endif
