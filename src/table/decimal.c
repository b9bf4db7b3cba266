/* Reads decimal numbers in three ways. A short number, as most are, needs only one division of two
 * exact doubles. A number of up to 19 digits is m 10^q with an integer m of 64 bits. The product of
 * m and 128 bits of 5^q nearly always determines the nearest double (Lemire, "Number parsing at a
 * gigabyte per second", 2021; the bounds are derived below). The C library reads all other numbers.
 */
#include "table/decimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/c_locale.h"
#include "base/missing.h"
#include "base/utf8.h"
#include "table/decimal_short.h"

enum {
    DIGITS_MAX = 19,     /* an integer of 19 digits fits 64 bits */
    EXPONENT_EXACT = 22, /* 10^22 is the largest power of 10 that a double holds exactly */
    BIASED_MOST = 2046   /* exponent field of the largest double */
};

/* A number with an exponent this large is 0 or infinite, because no record has room for enough
 * digits to make up for the exponent. */
static const int64_t exponent_enough = INT64_C(1) << 40;

static const double power_of_10[EXPONENT_EXACT + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static int is_digit(char c) {
    return (unsigned char)(c - '0') < 10;
}

/* Reads the digits after the point, eight at a time, and appends them to the integer *m. */
static const char *read_decimals(const char *p, uint64_t *m) {
    size_t n;
    do {
        uint64_t digits = dp2dpi_decimal_eight(p, &n);
        *m = *m * dp2dpi_decimal_powers[n] + digits;
        p += n;
    } while (n == 8);
    return p;
}

/* Finds the double nearest to m 10^q, for m > 0. Returns 0 if a single multiplication does not
 * determine this double.
 *
 * Let M = m 2^z, where the shift by z moves the first bit of m to the top, so M is in [2^63, 2^64).
 * Let t = dp2dpi_power_of_5(q) and l = floor(log2 5^q). The true product M 5^q 2^(127 − l) lies in
 * [M t, M t + 3 M). M t has 192 bits; `high` and `middle` hold its upper 128 bits, P. In units of
 * the last bit of P, the true product lies in [P, P + 4). The first 53 bits of P are the mantissa,
 * and the other bits of P decide the rounding. Call half of the mantissa's last bit a half. If t is
 * not exact, and the other bits are exactly a half or at most 3 units less, then rounding down and
 * rounding up may both be right, and the function returns 0. If t is exact, only the low word of
 * M t was cut off: the true product is halfway between two doubles if the other bits are exactly a
 * half and the low word is 0. */
static int scale_wide(uint64_t m, int64_t q, double *out) {
    if (q < DP2DPI_POWER_LEAST || q > DP2DPI_POWER_MOST) {
        return 0;
    }
    dp2dpi_uint128 t = dp2dpi_power_of_5(q);
    int z = __builtin_clzll(m);
    dp2dpi_uint128 low = (dp2dpi_uint128)(m << z) * (uint64_t)t;
    dp2dpi_uint128 product = (dp2dpi_uint128)(m << z) * (uint64_t)(t >> 64) + (uint64_t)(low >> 64);
    uint64_t high = (uint64_t)(product >> 64), middle = (uint64_t)product;
    int drop = 10 + (int)(high >> 63); /* how many bits of `high` follow the mantissa */
    uint64_t mantissa = high >> drop, half = UINT64_C(1) << (drop - 1);
    uint64_t rest = high & (2 * half - 1);
    int is_half = rest == half && middle == 0;
    int is_below = rest == half - 1 && middle >= UINT64_MAX - 2;
    int is_exact = q >= 0 && q <= DP2DPI_POWER_EXACT;
    if ((is_half || is_below) && !is_exact) {
        return 0;
    }
    is_half = is_half && (uint64_t)low == 0;
    /* Uses no branch: half of all numbers are rounded up, so a branch would often be
     * mispredicted. */
    mantissa += (uint64_t)(rest >= half) & ~((uint64_t)is_half & ~mantissa);
    /* m 10^q = mantissa 2^(1 + drop − z + l + q), with z and l as in the comment on scale_wide. The
     * exponent field of a double holds this exponent plus 52 + 1023. A mantissa that was rounded up
     * to 2^53 carries into this field. */
    int64_t biased = 1 + drop - z + ((q * 217706) >> 16) + 52 + 1023;
    if (biased < 1 || biased >= BIASED_MOST) {
        return 0;
    }
    uint64_t bits = ((uint64_t)biased << 52) + (mantissa - (UINT64_C(1) << 52));
    memcpy(out, &bits, sizeof bits);
    return 1;
}

__attribute__((noinline)) static dp2dpi_decimal by_library(const char *text, const char *end,
                                                           double *value) {
    dp2dpi_c_locale scope;
    char *stop = NULL;
    if (dp2dpi_c_locale_enter(&scope, NULL) != DP2DP_STATUS_OK) {
        return DP2DPI_DECIMAL_MEMORY;
    }
    *value = strtod(text, &stop);
    dp2dpi_c_locale_leave(&scope);
    if (stop != end) {
        return DP2DPI_DECIMAL_NONE;
    }
    return isinf(*value) ? DP2DPI_DECIMAL_RANGE : DP2DPI_DECIMAL_READ;
}

/* Reads a number of more than 19 digits, whose last digit stands for a multiple of 10^q. Takes the
 * first 19 digits as the integer m, and adds 1 to q for each digit that it leaves out. The value of
 * the number then lies between m 10^q and (m + 1) 10^q. If both limits round to the same double,
 * this double is the result; otherwise the C library reads the number. */
__attribute__((noinline)) static dp2dpi_decimal read_long(const char *text, const char *end,
                                                          int64_t q, double *value) {
    const char *p = text + (*text == '-' || *text == '+');
    uint64_t m = 0;
    int digits = 0;
    double above;
    for (; is_digit(*p) || *p == '.'; p++) {
        if (*p != '.' && digits < DIGITS_MAX) {
            m = 10 * m + (uint64_t)(*p - '0');
            digits += m > 0;
        } else {
            q += *p != '.';
        }
    }
    if (m > 0 && scale_wide(m, q, value) && scale_wide(m + 1, q, &above) && *value == above) {
        *value = *text == '-' ? -*value : *value;
        return DP2DPI_DECIMAL_READ;
    }
    return by_library(text, end, value);
}

/* Reads the exponent whose letter is at p and adds it to *exponent. Returns the end of the
 * exponent. If no digits follow the letter, the letter is not part of the number, and the result is
 * p. */
static const char *read_exponent(const char *p, int64_t *exponent) {
    const char *q = p + 1;
    int negative = *q == '-';
    int64_t written = 0;
    q += *q == '-' || *q == '+';
    if (!is_digit(*q)) {
        return p;
    }
    for (; is_digit(*q); q++) {
        written = written < exponent_enough ? 10 * written + (*q - '0') : written;
    }
    *exponent += negative ? -written : written;
    return q;
}

dp2dpi_decimal dp2dpi_decimal_read(const char *text, const char **end, double *value) {
    const char *p = text + (*text == '-' || *text == '+'), *first = p;
    uint64_t m = 0; /* all digits as one integer; not used if there are more than 19 digits, because
                       it may overflow */
    int64_t exponent = 0;
    for (; is_digit(*p); p++) {
        m = 10 * m + (uint64_t)(*p - '0');
    }
    ptrdiff_t digits = p - first;
    if (*p == '.') {
        const char *point = p + 1;
        p = read_decimals(point, &m);
        exponent = point - p;
        digits -= exponent;
    }
    *end = text;
    if (digits == 0) {
        return DP2DPI_DECIMAL_NONE;
    }
    if ((*p | 0x20) == 'e') {
        p = read_exponent(p, &exponent);
    }
    *end = p;
    for (const char *q = first; digits > DIGITS_MAX && (*q == '0' || *q == '.'); q++) {
        digits -= *q == '0';
    }
    if (digits > DIGITS_MAX) {
        return read_long(text, p, exponent, value);
    }
    double magnitude = 0;
    if (m >> 53 == 0 && exponent >= -EXPONENT_EXACT && exponent <= EXPONENT_EXACT) {
        /* The operands are exact, so the result is rounded only once. */
        magnitude =
            exponent < 0 ? (double)m / power_of_10[-exponent] : (double)m * power_of_10[exponent];
    } else if (m > 0 && !scale_wide(m, exponent, &magnitude)) {
        return by_library(text, p, value);
    }
    *value = *text == '-' ? -magnitude : magnitude;
    return DP2DPI_DECIMAL_READ;
}

static int is_boolean(const char *text, size_t length) {
    return (length == 4 && strncasecmp(text, "true", length) == 0) ||
           (length == 5 && strncasecmp(text, "false", length) == 0);
}

const char *dp2dpi_decimal_read_all(const char *text, size_t length, double *value,
                                    dp2dp_reason *reason) {
    const char *stop;
    dp2dpi_trim(&text, &length);
    if (length == 0) {
        *reason = DP2DP_REASON_LOOKS_MISSING;
        return "empty where a number is expected";
    }
    dp2dpi_decimal outcome = dp2dpi_decimal_read(text, &stop, value);
    if (outcome == DP2DPI_DECIMAL_NONE || stop != text + length) {
        int missing = dp2dpi_looks_missing(text, length);
        *reason = missing ? DP2DP_REASON_LOOKS_MISSING : DP2DP_REASON_NOT_A_NUMBER;
        return missing ? "not a number but a text that looks like a missing value (NA, ?)"
               : is_boolean(text, length)
                   ? "not a number but a boolean: write 1 and 0 for true and false"
                   : "not a number";
    }
    if (outcome == DP2DPI_DECIMAL_RANGE) {
        *reason = DP2DP_REASON_NUMBER_RANGE;
        return "a number beyond the range of float64";
    }
    *reason = DP2DP_REASON_NONE;
    return outcome == DP2DPI_DECIMAL_MEMORY ? "not enough memory to create a locale" : NULL;
}
