/* The epsilon that the scores left for a fit on the same people. */
#ifndef DP2DPI_PHASE2_REMAINING_H
#define DP2DPI_PHASE2_REMAINING_H

#include <dp2dp/fit.h>

/* Returns why the models behind the scores and weights are not private: dp2dp_not_private bits. A
 * base that is only planned is not private if its plan has no noise. */
unsigned dp2dpi_reasons_behind(const dp2dp_fit_options *options);

/* Checks that base_plan is the only statement about the scores. If options->total_epsilon is given,
 * checks it and the options that go with it, and sets epsilon to it until dp2dpi_remaining_find
 * finds the real one. */
dp2dp_status dp2dpi_remaining_begin(dp2dp_fit_options *options, dp2dp_error *error);

/* Replaces total_epsilon, if it is given, by the largest epsilon with which the charges of the
 * scores and of the fit together stay within total_epsilon. All other options are checked already.
 * Fails with BUDGET if the scores left nothing. */
dp2dp_status dp2dpi_remaining_find(const dp2dp_source *source, dp2dp_fit_options *options,
                                   dp2dp_error *error);

/* Refuses base_plan: only dp2dp_fit_plan may use planned charges in place of those of a base. */
dp2dp_status dp2dpi_remaining_refuse_plan(const dp2dp_fit_options *options, dp2dp_error *error);

#endif
