/* Asks for the sums that dpgd and dpsgd need, from rows in memory or from a caller's source. */
#ifndef DP2DPI_PHASE1_SUMS_H
#define DP2DPI_PHASE1_SUMS_H

#include "phase1/gradient.h"

/* Returns a source that sums the rows of g. The source's callback fails with ARGUMENT if the sizes
 * in the question differ from those of the rows, or if the sum might not fit 64 bits. Ownership:
 * borrows g. */
dp2dp_gradient_source dp2dpi_sums_of(dp2dpi_gradient *g);

/* Asks the source for a sum, and writes the sum to `sum`. If the source fails, this function fails
 * with IO and does not pass on the source's message, because the message may depend on a record.
 * Fails with DATA if a cell, or the norm of all cells, is too large for a sum of source->records
 * terms. `charged` ends the error message: it says whether the ledger was charged. */
dp2dp_status dp2dpi_sums_ask(const dp2dp_gradient_source *source,
                             const dp2dp_gradient_question *question, int64_t *sum,
                             const char *charged, dp2dp_error *error);

/* Fails with DATA if `rows` cannot be the sum of source->records rows. If source->leaves_out is
 * set, the sum of fewer rows is allowed too. `rows` is the answer to a question for the term ROW
 * with all level factors 1. That question must clip no row: question->clip must be at least the
 * norm of every row, including the entry 1 for the bias. */
dp2dp_status dp2dpi_sums_check_records(const dp2dp_gradient_source *source,
                                       const dp2dp_gradient_question *question, const int64_t *rows,
                                       const char *charged, dp2dp_error *error);

#endif
