/* exp, log and related functions. They use only IEEE-754 +, −, ×, ÷ and sqrt, no fused multiply-add
 * and no system libm, so results are bit-identical on every machine. If the result is a normal
 * number, its error is below 2 units in the last place (ulp). The functions assume that the
 * processor rounds to nearest. */
#ifndef DP2DPI_NUM_ELEMENTARY_H
#define DP2DPI_NUM_ELEMENTARY_H

#include <stdint.h>
#include <string.h>

#define DP2DPI_LN2_HI \
    0x1.62e42fee00000p-1 /* has 33 significant bits, so k * LN2_HI is exact for |k| < 2^20 */
#define DP2DPI_LN2_LO 0x1.a39ef35793c76p-33
#define DP2DPI_ULP 0x1p-52

/* Returns e^x, after clamping x to [−700, 700]. Has no branches, so the compiler can vectorise a
 * loop that calls it. Writes x = k ln 2 + r with |r| ≤ ln 2 / 2 and computes e^r by its Taylor
 * series to degree 13, whose relative error is 4e-18. */
static inline double dp2dpi_exp_fast(double x) {
    const double shift = 0x1.8p52;
    x = x < -700.0 ? -700.0 : x;
    x = x > 700.0 ? 700.0 : x;
    double k_shifted = x * 0x1.71547652b82fep+0 + shift;
    double k = k_shifted - shift;
    double r = (x - k * DP2DPI_LN2_HI) - k * DP2DPI_LN2_LO;
    double r2 = r * r;
    double r4 = r2 * r2;
    double a = 1.0 / 2 + r * (1.0 / 6);
    double b = 1.0 / 24 + r * (1.0 / 120);
    double c = 1.0 / 720 + r * (1.0 / 5040);
    double d = 1.0 / 40320 + r * (1.0 / 362880);
    double e = 1.0 / 3628800 + r * (1.0 / 39916800);
    double f = 1.0 / 479001600 + r * (1.0 / 6227020800.0);
    double tail = (a + r2 * b) + r4 * ((c + r2 * d) + r4 * (e + r2 * f));
    double y = 1.0 + (r + r2 * tail);
    uint64_t bits;
    memcpy(&bits, &k_shifted, sizeof bits);
    uint64_t scale_bits = (bits << 52) + ((uint64_t)1023 << 52);
    double scale;
    memcpy(&scale, &scale_bits, sizeof scale);
    return y * scale;
}

double dp2dpi_exp(double x);
double dp2dpi_expm1(double x);
double dp2dpi_log(double x);
double dp2dpi_log1p(double x);
double dp2dpi_sinh(double x);
/* Returns asinh(exp(log_y)), also if exp(log_y) is too large for a double. */
double dp2dpi_asinh_of_exp(double log_y);
/* Returns log(1 − q + q e^a), accurate for q near 0 or 1 and for any a. */
double dp2dpi_log_mix(double q, double a);
double dp2dpi_log_gamma(double x);
/* Computes cos and sin of 2π k/n, 0 ≤ k < n. */
void dp2dpi_unit_root(uint64_t k, uint64_t n, double *cosine, double *sine);
/* Returns x raised by `steps` units in the last place. Used to round privacy costs up. */
double dp2dpi_round_up(double x, int steps);

#endif
