#include "num/elementary.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

double dp2dpi_exp(double x) {
    if (x != x) {
        return x;
    }
    if (x > 709.782712893384) {
        return INFINITY;
    }
    if (x < -745.2) {
        return 0.0;
    }
    if (x > 700.0) {
        return dp2dpi_exp_fast(x - 64.0) * dp2dpi_exp_fast(64.0);
    }
    if (x < -700.0) {
        return dp2dpi_exp_fast(x + 128.0) * dp2dpi_exp_fast(-128.0);
    }
    return dp2dpi_exp_fast(x);
}

/* Returns e^x − 1 for small |x| by the Taylor series x (1 + x/2 + x²/6 + …), with Horner's rule and
 * without cancellation. */
static double expm1_small(double x) {
    double sum = 0.0;
    for (int k = 15; k >= 2; k--) {
        sum = (1.0 + sum) * x / k;
    }
    return x + x * sum;
}

double dp2dpi_expm1(double x) {
    if (x > -0.5 && x < 0.5) {
        return expm1_small(x);
    }
    return dp2dpi_exp(x) - 1.0;
}

/* Returns log(1+f) for 1+f in [√½, √2], by the identity log(1+f) = f − (f²/2 − s (f²/2 + R)) with s
 * = f/(2+f) and R = Σ_{i≥1} 2 s^{2i}/(2i+1). */
static double log1p_core(double f) {
    double s = f / (2.0 + f);
    double s2 = s * s;
    double sum = 0.0;
    for (int i = 12; i >= 1; i--) {
        sum = s2 * (2.0 / (2 * i + 1) + sum);
    }
    double half_square = 0.5 * f * f;
    return f - (half_square - s * (half_square + sum));
}

double dp2dpi_log(double x) {
    if (!(x > 0.0)) {
        return x == 0.0 ? -INFINITY : NAN;
    }
    if (x > 1.7976931348623157e308) {
        return x;
    }
    int exponent;
    double mantissa = frexp(x, &exponent);
    if (mantissa < 0.70710678118654752) {
        mantissa *= 2.0;
        exponent -= 1;
    }
    double k = exponent;
    return k * DP2DPI_LN2_HI + (k * DP2DPI_LN2_LO + log1p_core(mantissa - 1.0));
}

double dp2dpi_log1p(double x) {
    if (x > -0.29 && x < 0.41) {
        return log1p_core(x);
    }
    double u = 1.0 + x;
    if (!(u > 0.0) || u > 1e300) {
        return dp2dpi_log(u);
    }
    return dp2dpi_log(u) + (x - (u - 1.0)) / u;
}

double dp2dpi_sinh(double x) {
    double magnitude = fabs(x);
    if (magnitude > 700.0) {
        double half = dp2dpi_exp(magnitude - 64.0) * 0.5 * dp2dpi_exp(64.0);
        return x < 0.0 ? -half : half;
    }
    double e = dp2dpi_expm1(magnitude);
    double value = 0.5 * (e + e / (1.0 + e));
    return x < 0.0 ? -value : value;
}

double dp2dpi_asinh_of_exp(double log_y) {
    if (log_y > 40.0) {
        return log_y + 0.69314718055994530942;
    }
    double y = dp2dpi_exp(log_y);
    return dp2dpi_log1p(y + y * y / (1.0 + sqrt(1.0 + y * y)));
}

double dp2dpi_log_mix(double q, double a) {
    if (a > 30.0) {
        double log_part = a + dp2dpi_log(q);
        return log_part > 0.0 ? log_part + dp2dpi_log1p((1.0 - q) * dp2dpi_exp(-log_part))
                              : dp2dpi_log1p(dp2dpi_exp(log_part) - q);
    }
    if (q > 0.5 && a < -0.5) { /* in this range the formula with log1p would lose digits by
                                  cancellation; 1 − q is exact for q > 0.5 */
        return dp2dpi_log((1.0 - q) + q * dp2dpi_exp(a));
    }
    return dp2dpi_log1p(q * dp2dpi_expm1(a));
}

/* Steps from x up to 12 or more by Γ(x + 1) = x Γ(x), then uses Stirling's series. */
double dp2dpi_log_gamma(double x) {
    double product = 1.0;
    double shift = 0.0;
    while (x < 12.0) {
        product *= x;
        x += 1.0;
    }
    shift = dp2dpi_log(product);
    double y = 1.0 / (x * x);
    double series =
        1.0 / 12 +
        y * (-1.0 / 360 +
             y * (1.0 / 1260 +
                  y * (-1.0 / 1680 + y * (1.0 / 1188 + y * (-691.0 / 360360 + y * (1.0 / 156))))));
    return (x - 0.5) * dp2dpi_log(x) - x + 0.91893853320467274178 + series / x - shift;
}

/* sin_core and cos_core return sin and cos on [0, π/4] by their Taylor series. */
static double sin_core(double x) {
    double x2 = x * x;
    double sum = 0.0;
    for (int k = 17; k >= 3; k -= 2) {
        sum = -x2 / ((k - 1) * k) * (1.0 + sum);
    }
    return x + x * sum;
}

static double cos_core(double x) {
    double x2 = x * x;
    double sum = 0.0;
    for (int k = 18; k >= 2; k -= 2) {
        sum = -x2 / ((k - 1) * k) * (1.0 + sum);
    }
    return 1.0 + sum;
}

void dp2dpi_unit_root(uint64_t k, uint64_t n, double *cosine, double *sine) {
    uint64_t octant = (8 * k) / n; /* exact: computed in integers */
    uint64_t folded = octant & 1 ? (octant + 1) * n - 8 * k : 8 * k - octant * n;
    double angle = (double)folded / (double)n * (pi / 4.0);
    double c = cos_core(angle);
    double s = sin_core(angle);
    int swap = octant == 1 || octant == 2 || octant == 5 || octant == 6;
    double x = swap ? s : c;
    double y = swap ? c : s;
    *cosine = octant >= 2 && octant <= 5 ? -x : x;
    *sine = octant >= 4 ? -y : y;
}

double dp2dpi_round_up(double x, int steps) {
    for (int i = 0; i < steps; i++) {
        x = nextafter(x, INFINITY);
    }
    return x;
}
