/* Computes privacy amplification by iteration for full-batch noisy gradient descent
 * (docs/proofs/last-iterate.md). */
#include <dp2dp/accountant.h>

#include <math.h>

#include "accountant/event.h"
#include "accountant/gaussian.h"
#include "base/options.h"
#include "num/elementary.h"

static dp2dp_status check_premises(const dp2dp_last_iterate *r, dp2dp_error *error) {
    if (!(r->sensitivity > 0.0 && r->sigma > 0.0 && r->population >= 1.0 && r->diameter > 0.0 &&
          r->step_size > 0.0 && r->smoothing > 0.0 && r->steps >= 1) ||
        !isfinite(r->sensitivity + r->sigma + r->population + r->diameter + r->step_size +
                  r->smoothing)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "last-iterate: sensitivity, sigma, population, diameter, step-size, "
                           "smoothing and steps must be finite and above 0");
    }
    double ratio = r->sigma / r->sensitivity;
    DP2DPI_TRY(dp2dpi_require(ratio >= 1e-6 && ratio <= 1e15, "sigma / sensitivity", ratio,
                              "between 1e-6 and 1e15", error));
    DP2DPI_TRY(dp2dpi_require(r->share_min > 0.0 && r->share_min <= 0.5, "share_min", r->share_min,
                              "above 0 and at most 0.5", error));
    if ((double)r->batch != r->population) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "batch = %llu: the last-iterate bound holds for full batches only (batch = population)",
            (unsigned long long)r->batch);
    }
    if (r->clipped) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "clipped must be 0: the last-iterate bound needs unclipped gradients of a convex loss");
    }
    if (r->intermediate_released) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "intermediate_released must be 0: the last-iterate bound needs all "
                           "earlier iterates to stay secret");
    }
    /* A gradient step is a contraction if the step size is at most 2/M, where M is the smoothness
     * of the loss. Here M ≤ 1/(smoothing × share_min). */
    double step_max = 2.0 * r->smoothing * r->share_min;
    if (r->step_size > step_max) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "step_size = %g: it must be at most 2 x smoothing x share_min, which is "
                           "%g; otherwise a step is not a contraction",
                           r->step_size, step_max);
    }
    return DP2DP_STATUS_OK;
}

/* Returns the smallest cost over all m ≤ steps, in units of s², where s = sensitivity/σ. The cost
 * for m is the sum of the squared shifts that the noise of the last m steps must hide. Before the
 * last m steps, two runs on neighbouring data are at most D apart, where D is the diameter divided
 * by the standard deviation of one step's noise. Each of the m steps moves the runs apart by at
 * most s more. If the whole shift D + m s is spread evenly over the m steps, the cost is m (s +
 * D/m)² = s² (m + 2x + x²/m), with x = D/s. The result is at most `steps`: if all steps are
 * counted, both runs start at the same point, so D is 0. */
static double shift_cost(double x, double steps) {
    double best = steps;
    for (int i = 0; i < 2; i++) {
        double m = i == 0 ? floor(x) : ceil(x);
        m = m < 1.0 ? 1.0 : m > steps ? steps : m;
        double cost = m + 2.0 * x + x * x / m;
        best = cost < best ? cost : best;
    }
    return best;
}

dp2dp_status dp2dp_last_iterate_epsilon(const dp2dp_last_iterate *run, double delta,
                                        double *epsilon, dp2dp_error *error) {
    dp2dp_last_iterate r;
    DP2DPI_TRY(dp2dpi_delta_check(delta, error));
    DP2DPI_TRY(dp2dpi_struct_read(DP2DP_STRUCT_LAST_ITERATE, run, &r, error));
    DP2DPI_TRY(check_premises(&r, error));
    double ratio = r.sensitivity / r.sigma;
    double x = r.diameter * r.population / (r.step_size * r.sensitivity);
    double rho = 0.5 * ratio * ratio * shift_cost(x, (double)r.steps) * (1.0 + 16.0 * DP2DPI_ULP);
    double found = dp2dpi_zcdp_epsilon(rho, delta);
    if (!isfinite(found)) {
        return dp2dpi_fail(error, DP2DP_STATUS_NO_BOUND,
                           "no finite epsilon can be certified at delta = %g for this run", delta);
    }
    *epsilon = found;
    return DP2DP_STATUS_OK;
}
