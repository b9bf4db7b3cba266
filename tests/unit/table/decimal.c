/* Numbers must equal those of strtod in the C locale, bit for bit. */
#include <inttypes.h>
#include <stdarg.h>

#include "table/decimal.h"
#include "table/decimal_short.h"

#include "draw.h"
#include "unit/locale_data.h"

static uint64_t state_of_draw = 1;

static size_t below(size_t bound) {
    return (size_t)(draw(&state_of_draw) % bound);
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A copy that ends with the spare bytes, so that a sanitizer reports reading too far. */
static char *exact_copy(const char *text) {
    size_t size = strlen(text);
    char *copy = malloc(size + DP2DPI_DECIMAL_SPARE);
    assert_non_null(copy);
    memcpy(copy, text, size + 1);
    memset(copy + size + 1, '9', DP2DPI_DECIMAL_SPARE - 1);
    return copy;
}

static dp2dpi_decimal read_exact(const char *text, size_t *length, double *value) {
    FREED char *copy = exact_copy(text);
    const char *end = NULL;
    dp2dpi_decimal outcome = dp2dpi_decimal_read(copy, &end, value);
    *length = (size_t)(end - copy);
    return outcome;
}

/* dp2dpi_decimal_read_short may refuse a number, but must not read it wrong. */
static int reads_short(const char *text, size_t *length, double *value) {
    FREED char *copy = exact_copy(text);
    const char *end = NULL;
    int is_read = dp2dpi_decimal_read_short(copy, &end, value);
    *length = (size_t)(end - copy);
    return is_read;
}

static void expect_as_strtod(const char *text) {
    char *stop;
    size_t length;
    double value = 0, expected = strtod(text, &stop);
    dp2dpi_decimal outcome = read_exact(text, &length, &value);
    if (isinf(expected) ? outcome != DP2DPI_DECIMAL_RANGE
                        : outcome != DP2DPI_DECIMAL_READ || bits_of(value) != bits_of(expected)) {
        fail_msg("%s: outcome %d, %a and not %a", text, (int)outcome, value, expected);
    }
    assert_int_equal(length, stop - text);
    if (reads_short(text, &length, &value)) {
        if (bits_of(value) != bits_of(expected)) {
            fail_msg("%s, the short way: %a and not %a", text, value, expected);
        }
        assert_int_equal(length, stop - text);
    }
}

static void __attribute__((format(printf, 1, 2)))
expect_printed_as_strtod(const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    expect_as_strtod(text);
}

static char *put_digits(char *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        *out++ = (char)('0' + below(10));
    }
    return out;
}

/* Writes a random number: sign, digits before and after the point, zeros, small and large
 * exponents.
 */
static void random_text(char *out) {
    static const int reach[] = {3, 25, 40, 330, 5000};
    size_t before = below(4) ? below(4) : below(30), after = below(3) ? below(20) : below(60);
    if (below(3) == 0) {
        *out++ = "+-"[below(2)];
    }
    out = put_digits(out, before);
    if (before == 0 || below(4)) {
        *out++ = '.';
        size_t zeros = below(4) == 0 ? below(30) : 0;
        memset(out, '0', zeros);
        out = put_digits(out + zeros, before + after + zeros ? after : 1);
    }
    if (below(2)) {
        int most = reach[below(sizeof reach / sizeof reach[0])];
        out += sprintf(
            out, "%c%s%d", "eE" [below(2)], (const char *[]) { "", "+", "-" }[below(3)],
            (int)below((size_t)most));
    }
    *out = '\0';
}

TEST(random_decimals_are_those_of_strtod) {
    char text[256];
    for (int i = 0; i < 300000; i++) {
        random_text(text);
        const char *digits = text + strspn(text, "+-");
        if (digits[0] == '.' && (digits[1] < '0' || digits[1] > '9')) {
            continue;
        }
        expect_as_strtod(text);
    }
}

/* Probabilities as programs write them: 17 digits, or a fixed number of decimals. */
TEST(doubles_come_back_from_17_digits) {
    char text[64];
    for (int i = 0; i < 100000; i++) {
        double value = uniform(&state_of_draw);
        double small = ldexp(value, -(int)below(40));
        (void)snprintf(text, sizeof text, "%.17g", small);
        expect_as_strtod(text);
        size_t length;
        double back = 0;
        assert_int_equal(read_exact(text, &length, &back), DP2DPI_DECIMAL_READ);
        assert_int_equal(bits_of(back), bits_of(small));
        expect_printed_as_strtod("%.*f", 1 + (int)below(19), value);
    }
}

/* Numbers exactly halfway between two doubles, and just above and below: m + 1/2 for m of 53 bits,
 * with up to 19 digits or in full, scaled by powers of 2 that keep it exact. */
TEST(halfway_cases_go_to_even_and_their_neighbours_do_not) {
    for (int i = 0; i < 20000; i++) {
        uint64_t m = (draw(&state_of_draw) >> 11) | UINT64_C(1) << 52;
        int shift = (int)below(10);
        expect_printed_as_strtod("%" PRIu64, (2 * m + 1) << shift);
        expect_printed_as_strtod("%" PRIu64 ".5", m);
        expect_printed_as_strtod("%" PRIu64 ".5000000000000000000000001", m);
        expect_printed_as_strtod("%" PRIu64 ".4999999999999999999999999", m);
        /* As a long double, the middle has at most 80 decimals. */
        long double middle = ldexpl((long double)(2 * m + 1), -60 - (int)below(20));
        expect_printed_as_strtod("%.80Lf", middle);
    }
}

TEST(the_ends_of_the_range_are_those_of_strtod) {
    static const char *const texts[] = {
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e308",
        "1e309",
        "-1e309",
        "1e400",
        "1e99999999999999999999",
        "0e99999999999999999999",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "4.9406564584124654e-324",
        "2.4703282292062328e-324",
        "2.4703282292062327e-324",
        "1e-323",
        "1e-400",
        "-1e-400",
        "1e-99999999999999999999",
        "0",
        "-0",
        "+0",
        "0.0",
        "00000000000000000000000000001",
        "0.00000000000000000000000000000000000000000000000000000000000000000001",
        "9007199254740993",
        "9007199254740992.9999999999999999",
        "18446744073709551615",
        "18446744073709551616",
        "9999999999999999999",
        "9999999999999999999e27",
        "1e22",
        "1e23",
        "1e27",
        "1e28",
        "1e-22",
        "1e-23",
        "1e-27",
        "1e-28",
        "123456789012345678e-27",
        "5.",
        ".5",
        "1.e5",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        expect_as_strtod(texts[i]);
    }
}

/* To 65 bits, one in 2^13 of the quotients m / 5^27 cannot be told from the middle between two
 * doubles: only the remainder decides the rounding. */
TEST(long_mantissas_with_small_exponents_are_those_of_strtod) {
    for (int i = 0; i < 200000; i++) {
        uint64_t m =
            UINT64_C(1000000000000000000) + draw(&state_of_draw) % UINT64_C(9000000000000000000);
        expect_printed_as_strtod("%" PRIu64 "e-%zu", m, 24 + below(4));
    }
}

/* 15 to 19 digits with any exponent, and up to 10 digits beyond the 19 that 64 bits hold. */
TEST(long_mantissas_with_any_exponent_are_those_of_strtod) {
    char text[64];
    for (int i = 0; i < 300000; i++) {
        uint64_t m = draw(&state_of_draw) >> below(14);
        char *end = text + snprintf(text, sizeof text, "%" PRIu64, m);
        if (below(3) == 0) {
            end = put_digits(end, below(10));
        }
        (void)sprintf(end, "e%d", (int)below(680) - 350);
        expect_as_strtod(text);
    }
}

typedef struct big {
    uint32_t words[40]; /* lowest word first */
} big;

static void multiply_by_5(big *b) {
    uint64_t carry = 0;
    for (size_t i = 0; i < 40; i++) {
        carry += 5 * (uint64_t)b->words[i];
        b->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static unsigned bit_of(const big *b, int i) {
    return i < 0 ? 0 : b->words[i / 32] >> (i % 32) & 1;
}

/* One step of long division in binary: doubles the rest and returns the next bit of the quotient.
 */
static unsigned next_bit(big *rest, const big *divisor) {
    uint32_t carry = 0;
    uint64_t borrow = 0;
    big less;
    for (size_t i = 0; i < 40; i++) {
        uint32_t word = rest->words[i];
        rest->words[i] = word << 1 | carry;
        carry = word >> 31;
    }
    for (size_t i = 0; i < 40; i++) {
        uint64_t difference = (uint64_t)rest->words[i] - divisor->words[i] - borrow;
        less.words[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
    if (borrow) {
        return 0;
    }
    *rest = less;
    return 1;
}

/* t is rounded down by less than 3, and not at all if it is exact. */
static void expect_power(int q, const uint64_t words[2]) {
    dp2dpi_uint128 expected = (dp2dpi_uint128)words[0] << 64 | words[1];
    dp2dpi_uint128 found = dp2dpi_power_of_5(q), below = expected - found;
    if (below > 2 || (below > 0 && q > -DP2DPI_POWER_STEP && q <= DP2DPI_POWER_EXACT)) {
        fail_msg("5^%d: %016" PRIx64 "%016" PRIx64 " and not %016" PRIx64 "%016" PRIx64, q,
                 (uint64_t)(found >> 64), (uint64_t)found, words[0], words[1]);
    }
}

/* Computes the first 128 bits of 5^q and of 2^k / 5^q with big integers. */
TEST(every_power_of_5_has_its_first_128_bits) {
    big power = {{1}};
    for (int q = 0; q <= -DP2DPI_POWER_LEAST; q++, multiply_by_5(&power)) {
        int top = 40 * 32 - 1;
        uint64_t t[2] = {0, 0}, r[2] = {0, 0};
        while (!bit_of(&power, top)) {
            top--;
        }
        big rest = {{0}};
        rest.words[top / 32] = UINT32_C(1) << (top % 32); /* 2^top ≤ 5^q */
        for (int i = 0; i < 128; i++) {
            t[i / 64] = t[i / 64] << 1 | bit_of(&power, top - i);
            r[i / 64] = r[i / 64] << 1 | next_bit(&rest, &power);
        }
        if (q <= DP2DPI_POWER_MOST) {
            expect_power(q, t);
        }
        if (q > 0) {
            expect_power(-q, r);
        }
    }
}

/* Only the sum of the exponent and the place of the first digit matters. */
TEST(far_zeros_and_large_exponents_cancel) {
    static const size_t zeros[] = {30, 997, 9990, 9999, 10000, 20000, 99989};
    FREED char *text = malloc(100100);
    assert_non_null(text);
    for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++) {
        memcpy(text, "0.", 2);
        memset(text + 2, '0', zeros[i]);
        (void)sprintf(text + 2 + zeros[i], "15e99999999");
        expect_as_strtod(text);
        for (int off = -2; off <= 30; off += 4) {
            memcpy(text, "0.", 2);
            memset(text + 2, '0', zeros[i]);
            (void)sprintf(text + 2 + zeros[i], "15e%d", (int)zeros[i] + off);
            expect_as_strtod(text);
            memset(text, '0', zeros[i]);
            text[0] = '7';
            (void)sprintf(text + zeros[i], "e-%d", (int)zeros[i] + off);
            expect_as_strtod(text);
        }
    }
}

TEST(what_is_no_number_is_not_read) {
    static const char *const texts[] = {"",    "-",    "+", ".",        "-.",  "e5", ".e5",
                                        "nan", "-inf", "x", "Infinity", "--1", " 1", "\t1"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        size_t length;
        double value;
        assert_int_equal(read_exact(texts[i], &length, &value), DP2DPI_DECIMAL_NONE);
        assert_int_equal(length, 0);
    }
}

TEST(reading_stops_where_the_number_does) {
    static const char *const texts[] = {"0x10", "1e", "1e+", "1e-x", "1.5.5", "1,5", "12abc", "1 "};
    static const size_t lengths[] = {1, 1, 1, 1, 3, 1, 2, 1};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        size_t length;
        double value;
        assert_int_equal(read_exact(texts[i], &length, &value), DP2DPI_DECIMAL_READ);
        assert_int_equal(length, lengths[i]);
    }
}

TEST(the_locale_of_the_process_changes_nothing) {
    static const char text[] = "1.2345678901234567890123e-5,";
    for (size_t i = 0; i < DECIMAL_POINTS; i++) {
        size_t length = 0;
        double value = 0;
        enter_locale(decimal_points[i]);
        assert_int_equal(read_exact(text, &length, &value), DP2DPI_DECIMAL_READ);
        assert_int_equal(bits_of(value), bits_of(1.2345678901234567890123e-5));
        assert_int_equal(text[length], ',');
        leave_locale();
    }
}
