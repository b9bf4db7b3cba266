/* Every operation adds to `error` the largest rounding error that the operation can make in `sum`.
 * Rounding errors in `error` itself are not counted: they are far below the 0.1 % by which
 * dp2dpi_bounded_log_upper raises `error`. */
#include "accountant/bounded_sum.h"

#include <math.h>

#include "num/elementary.h"

static const double underflow =
    1e-290; /* upper bound on the sum of all terms too small for a double */

dp2dpi_bounded_sum dp2dpi_bounded_zero(void) {
    return (dp2dpi_bounded_sum) {-INFINITY, 0.0, 0.0};
}

/* Changes the unit of `sum` and `error` from e^{s->scale} to e^scale. The added error covers 2
 * units in the last place for the exponential, and one rounding each for the argument of the
 * exponential and for the products. */
static void rescale(dp2dpi_bounded_sum *s, double scale) {
    double fall = scale - s->scale;
    double factor = dp2dpi_exp(-fall);
    if (factor > 0.0) {
        s->error = (s->error + fabs(s->sum) * DP2DPI_ULP * (4.0 + fall)) * factor;
        s->sum *= factor;
    } else {
        s->sum = s->error = 0.0; /* in the new unit, the old sum is below `underflow` */
    }
    s->scale = scale;
}

void dp2dpi_bounded_add(dp2dpi_bounded_sum *s, double log_magnitude, double log_error,
                        double sign) {
    if (log_magnitude == -INFINITY) {
        return;
    }
    if (log_magnitude > s->scale) {
        rescale(s, log_magnitude);
    }
    double fall = s->scale - log_magnitude, term = dp2dpi_exp(-fall);
    s->sum += sign * term;
    s->error += term * (dp2dpi_expm1(log_error) + DP2DPI_ULP * (4.0 + fall)) +
                fmin(term, DP2DPI_ULP * fabs(s->sum));
}

void dp2dpi_bounded_widen(dp2dpi_bounded_sum *s, double log_magnitude) {
    s->error += 1.001 * dp2dpi_exp(log_magnitude - s->scale);
}

double dp2dpi_bounded_log_upper(const dp2dpi_bounded_sum *s) {
    if (s->scale == -INFINITY) {
        return -INFINITY;
    }
    double log_total = dp2dpi_log(s->sum + 1.001 * s->error + underflow);
    double value = s->scale + log_total;
    return value + DP2DPI_ULP * (4.0 + 2.0 * (fabs(s->scale) + fabs(log_total)));
}
