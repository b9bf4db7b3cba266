/* Computes the ε of a release that spends a given share of a privacy budget. */
#ifndef DP2DPI_ACCOUNTANT_SHARE_H
#define DP2DPI_ACCOUNTANT_SHARE_H

#include <dp2dp/accountant.h>

/* Sets *part to the ε at delta of a Gaussian release that spends the fraction `share`, in (0,1), of
 * the budget (epsilon, delta). Shares are measured in μ², because μ² adds up when Gaussian releases
 * about the same people are composed. epsilon must be finite. */
dp2dp_status dp2dpi_share_of_epsilon(double epsilon, double delta, double share, double *part,
                                     dp2dp_error *error);

#endif
