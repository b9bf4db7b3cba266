/* Warns of suspicious labels and decisions in an evaluation. */
#ifndef DP2DPI_METRICS_WARN_H
#define DP2DPI_METRICS_WARN_H

#include <dp2dp/metrics.h>

/* Returns the warnings about an evaluation. All other members of the evaluation must be set. */
unsigned dp2dpi_warn_of_evaluation(const dp2dp_evaluation *e);

#endif
