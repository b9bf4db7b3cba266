/* Finds the epsilon of a fit if the caller gives total_epsilon instead. total_epsilon covers both
 * the fit and the training of the scores' model on the same people. */
#ifndef DP2DPI_PHASE2_REMAINING_H
#define DP2DPI_PHASE2_REMAINING_H

#include <dp2dp/fit.h>

/* Returns why the models that computed scores and weights are not private, as dp2dp_not_private
 * bits. A base that is only planned (base_plan) counts as not private if its plan has an entry
 * without noise. */
unsigned dp2dpi_reasons_behind(const dp2dp_fit_options *options);

/* Fails with ARGUMENT if base_plan is given together with base or scores_epsilon. If
 * options->total_epsilon is given, checks it and the options that it requires, and sets epsilon to
 * total_epsilon, as a placeholder until dp2dpi_remaining_find finds the epsilon of the fit. */
dp2dp_status dp2dpi_remaining_begin(dp2dp_fit_options *options, dp2dp_error *error);

/* If total_epsilon is given, sets epsilon to nearly the largest value with which the charges of
 * scores and fit together stay within total_epsilon, and sets total_epsilon to 0. But if
 * total_epsilon is infinite or the solver is exact, leaves both unchanged. The caller must have
 * checked all other options.
 *
 * Fails with BUDGET if the scores have used up total_epsilon. Fails with ARGUMENT if the model that
 * computed the scores was trained on these people without noise. */
dp2dp_status dp2dpi_remaining_find(const dp2dp_source *source, dp2dp_fit_options *options,
                                   dp2dp_error *error);

/* Fails with ARGUMENT if base_plan is given: only dp2dp_fit_plan may use the planned charges of a
 * base. */
dp2dp_status dp2dpi_remaining_refuse_plan(const dp2dp_fit_options *options, dp2dp_error *error);

#endif
