#ifndef DP2DPI_ACCOUNTANT_BACKEND_H
#define DP2DPI_ACCOUNTANT_BACKEND_H

#include <dp2dp/accountant.h>

#include "accountant/compose.h"

typedef struct dp2dpi_answer {
    double value; /* ε or δ; INFINITY if the back-end can certify no bound */
    dp2dp_backend used;
} dp2dpi_answer;

/* Compute the smallest ε that the back-end certifies at delta, or the smallest δ at epsilon. */
dp2dp_status dp2dpi_backend_epsilon(const dp2dpi_composition *c, dp2dp_backend backend,
                                    double delta, dp2dpi_answer *out, dp2dp_error *error);
dp2dp_status dp2dpi_backend_delta(const dp2dpi_composition *c, dp2dp_backend backend,
                                  double epsilon, dp2dpi_answer *out, dp2dp_error *error);

#endif
