#include "num/beta.h"

#include <math.h>
#include <stdint.h>

#include "num/elementary.h"

static const double half_log_two_pi = 0.91893853320467274178;

/* Returns u − log(1 + u) without cancellation. If |u| is small, sets r = u/(2+u); then log(1+u) =
 * 2 atanh r and u − 2r = u r, so the result is u r − 2 (atanh r − r). */
static double excess_over_log(double u, double one_plus_u) {
    if (fabs(u) > 0.2) {
        return u - dp2dpi_log(one_plus_u);
    }
    double r = u / (2.0 + u), square = r * r, sum = 0.0;
    for (int k = 19; k >= 3; k -= 2) {
        sum = sum * square + 1.0 / k;
    }
    return u * r - 2.0 * r * square * sum;
}

/* Returns the error of Stirling's approximation: log Γ(a) − ((a − 1/2) log a − a + log √2π). */
static double stirling_rest(double a) {
    if (a < 12.0) {
        return dp2dpi_log_gamma(a) - ((a - 0.5) * dp2dpi_log(a) - a + half_log_two_pi);
    }
    double y = 1.0 / (a * a);
    return (1.0 / 12 +
            y * (-1.0 / 360 +
                 y * (1.0 / 1260 +
                      y * (-1.0 / 1680 + y * (1.0 / 1188 + y * (-691.0 / 360360 + y / 156)))))) /
           a;
}

/* Returns log(x^a y^b / B(a, b)), with y = 1 − x. Computing log B(a, b) from three values of log Γ
 * would lose all digits at a = 1e15. Instead, with n = a + b, this function uses the relative
 * deviations from the mean, u = (n x − a)/a and v = (n y − b)/b. The large terms of the formula, a
 * u and b v, sum to 0 and are left out. */
static double log_weight(double a, double b, double x, double y) {
    double n = a + b, deviation = b * x - a * y; /* n x − a */
    return 0.5 * dp2dpi_log(a / n * b) - half_log_two_pi + stirling_rest(n) - stirling_rest(a) -
           stirling_rest(b) - a * excess_over_log(deviation / a, n / a * x) -
           b * excess_over_log(-deviation / b, n / b * y);
}

/* Evaluates the continued fraction of a · I_x(a, b) · B(a, b) / (x^a (1−x)^b) (DLMF 8.17.22) by
 * Lentz's method, for x below (a + 1)/(a + b + 2), where O(√max(a, b)) terms are enough. */
static double fraction(double a, double b, double x) {
    const double tiny = 1e-300;
    double c = 1.0, d = 1.0 - (a + b) / (a + 1.0) * x;
    d = 1.0 / (fabs(d) < tiny ? tiny : d);
    double value = d;
    uint64_t terms = 1000 + (uint64_t)(50.0 * sqrt(a > b ? a : b));
    for (uint64_t i = 1; i <= terms; i++) {
        double m = (double)i;
        double even = m * (b - m) / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)) * x;
        double odd = -(a + m) / (a + 2.0 * m) * ((a + b + m) / (a + 2.0 * m + 1.0)) * x;
        d = 1.0 + even * d;
        c = 1.0 + even / c;
        d = 1.0 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        value *= d * c;
        d = 1.0 + odd * d;
        c = 1.0 + odd / c;
        d = 1.0 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        value *= d * c;
        if (fabs(d * c - 1.0) < 4e-16) {
            break;
        }
    }
    return value;
}

double dp2dpi_beta_lower(double a, double b, double x) {
    if (x <= 0.0 || x >= 1.0) {
        return x >= 1.0;
    }
    double y = 1.0 - x, weight = dp2dpi_exp(log_weight(a, b, x, y));
    if (x < (a + 1.0) / (a + b + 2.0)) {
        return weight / a * fraction(a, b, x);
    }
    return 1.0 - weight / b * fraction(b, a, y);
}

/* Runs Newton's method on log I_x(a, b) as a function of log x, which is nearly a straight line in
 * the lower tail. The solution stays between `low` and `high`, and every evaluation moves one of
 * these two bounds. If a Newton step would leave the interval, the function goes to the middle of
 * the interval instead. */
double dp2dpi_beta_quantile(double a, double b, double p) {
    double low = 0.0, high = 1.0, x = a / (a + b), target = dp2dpi_log(p);
    for (int i = 0; i < 200; i++) {
        double value = dp2dpi_beta_lower(a, b, x), next = -1.0;
        *(value < p ? &low : &high) = x;
        if (value > 0.0) {
            double slope = dp2dpi_exp(log_weight(a, b, x, 1.0 - x)) / (1.0 - x) / value;
            next = x * dp2dpi_exp((target - dp2dpi_log(value)) / slope);
        }
        if (fabs(next - x) <= 1e-14 * x) {
            return next < 1.0 ? next : 1.0;
        }
        if (!(next > low && next < high)) {
            next = 0.5 * (low + high);
        }
        if (next <= low || next >= high) {
            break;
        }
        x = next;
    }
    return x;
}
