/* Computes ε and δ from a list of checked events, over all sets, directions and back-ends. */
#ifndef DP2DPI_ACCOUNTANT_ACCOUNT_H
#define DP2DPI_ACCOUNTANT_ACCOUNT_H

#include <dp2dp/accountant.h>

typedef struct dp2dpi_account {
    const dp2dp_event *events;
    size_t n;
    dp2dp_adjacency adjacency;
    dp2dp_backend backend;
} dp2dpi_account;

/* ε at delta, δ at epsilon, or the Rényi divergence of the given order: the largest over all sets
 * of people and directions (event.h). used, which may be NULL, gets the back-end that gave the
 * bound. */
dp2dp_status dp2dpi_account_epsilon(const dp2dpi_account *account, double delta, double *epsilon,
                                    dp2dp_backend *used, dp2dp_error *error);
dp2dp_status dp2dpi_account_delta(const dp2dpi_account *account, double epsilon, double *delta,
                                  dp2dp_backend *used, dp2dp_error *error);
dp2dp_status dp2dpi_account_renyi(const dp2dpi_account *account, double order, double *divergence,
                                  dp2dp_error *error);

#endif
