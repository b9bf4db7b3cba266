#include "num/normal.h"

#include <math.h>

#include "num/elementary.h"

/* The coefficients of a polynomial in t = (x − 4)/(x + 4) that approximates (1 + x) M(x), where
 * M(x) is exp(x²/2) times the upper normal tail. They come from interpolation at 80 Chebyshev
 * points in 60-digit arithmetic. The resulting Chebyshev series was cut off where its terms fall
 * below 1e-18, and converted to powers of t. */
static const double mills_polynomial[] = {
    0.47205320650984467,     -0.096703477326525775,   0.013999634724424455,
    0.028600364053546979,    -0.032197837428028876,   0.017936097479808313,
    -0.0050023785923607065,  -0.00028562310023401351, 0.00069489712018403198,
    -9.4430232044567279e-05, -8.785329222964207e-05,  2.1249915729449347e-05,
    1.3627344150798229e-05,  -3.4316562688625695e-06, -2.61426070042354e-06,
    4.029912427574402e-07,   5.5453510574862934e-07,  4.2423444184552438e-09,
    -1.1405819667561067e-07, -2.3315488161994288e-08, 1.9877590086615577e-08,
    8.8585388434127236e-09,  -2.3909758560954607e-09, -1.9068104342795306e-09,
    9.9758402816758274e-11,  1.968773941157256e-10,   1.2150315292579737e-11,
};

/* Returns exp(x²/2) times the upper normal tail, for x ≥ 0. Evaluating the even and odd parts of
 * the polynomial separately gives two short dependency chains instead of one long one. */
static double mills_nonnegative(double x) {
    double t = (x - 4.0) / (x + 4.0);
    double t2 = t * t;
    double even = mills_polynomial[26];
    double odd = mills_polynomial[25];
    for (int k = 24; k >= 2; k -= 2) {
        even = even * t2 + mills_polynomial[k];
        odd = odd * t2 + mills_polynomial[k - 1];
    }
    even = even * t2 + mills_polynomial[0];
    return (even + odd * t) / (1.0 + x);
}

/* Returns exp(sign x²/2) without the rounding error of x²: splits x² into high + low exactly
 * (Dekker). */
static double exp_half_square(double x, double sign) {
    double split = 134217729.0 * x;
    double head = split - (split - x);
    double tail = x - head;
    double high = x * x;
    double low = ((head * head - high) + 2.0 * head * tail) + tail * tail;
    return dp2dpi_exp(sign * 0.5 * high) * (1.0 + sign * 0.5 * low);
}

double dp2dpi_normal_mills(double x) {
    if (x >= 0.0) {
        return mills_nonnegative(x);
    }
    return exp_half_square(x, 1.0) - mills_nonnegative(-x);
}

double dp2dpi_normal_upper(double x) {
    if (x < 0.0) {
        return 1.0 - dp2dpi_normal_upper(-x);
    }
    if (x > 39.0) {
        return 0.0;
    }
    return exp_half_square(x, -1.0) * mills_nonnegative(x);
}

double dp2dpi_normal_log_upper(double x) {
    if (x < 1.0) {
        return x < -39.0 ? 0.0 : dp2dpi_log1p(-dp2dpi_normal_upper(-x));
    }
    return dp2dpi_log(mills_nonnegative(x)) - 0.5 * x * x;
}

double dp2dpi_normal_upper_quantile(double p) {
    double low = 0.0;
    double high = sqrt(-2.0 * dp2dpi_log(p)); /* the upper end of the search: the normal tail beyond
                                                 x is at most exp(−x²/2)/2 */
    double target = dp2dpi_log(p);
    for (int i = 0; i < 60 && high - low > 1e-13 * high; i++) {
        double middle = 0.5 * (low + high);
        if (dp2dpi_normal_log_upper(middle) <= target) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}
