/* Tables and schemas mean the same whatever the locale of the process is. */
#include <inttypes.h>

#include "unit/schema/data.h"

#include "unit/locale_data.h"

enum {
    NUMBERS = 5000
};

/* A decimal number of up to 20 digits, its point anywhere, with an exponent or without. */
static int random_decimal(uint64_t *random, char text[64]) {
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t bits = *random >> 16;
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, bits * bits);
    int point = (int)(bits % (unsigned)(length + 1));
    int written =
        snprintf(text, 64, "%s%.*s.%s", bits & 1024 ? "-" : "", point, digits, digits + point);
    return bits & 2048 ? written + snprintf(text + written, 64 - (size_t)written, "e%d",
                                            (int)((bits >> 12) % 560) - 280)
                       : written;
}

/* A table of such numbers, and their values in the C locale. */
static void write_numbers(double *expected) {
    FREED char *text = malloc(NUMBERS * 64 + 8);
    assert_non_null(text);
    size_t length = (size_t)snprintf(text, 8, "x\n");
    uint64_t random = 1;
    for (size_t i = 0; i < NUMBERS; i++) {
        size_t written = (size_t)random_decimal(&random, text + length);
        expected[i] = strtod(text + length, NULL);
        text[length + written] = '\n';
        length += written + 1;
    }
    write_table(text, length);
}

TEST(numbers_are_those_of_strtod_in_the_c_locale) {
    static double expected[NUMBERS];
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    wanted *w = WANT("#x");
    write_numbers(expected);
    for (size_t i = 0; i < DECIMAL_POINTS; i++) {
        enter_locale(decimal_points[i]);
        assert_ok(dp2dp_table_open(table_path, &w->options, &stream, NULL));
        assert_int_equal(stream.get_next(&stream, &batch), 0);
        assert_int_equal(batch.length, NUMBERS);
        assert_memory_equal(batch.children[0]->buffers[1], expected, sizeof expected);
        batch.release(&batch);
        stream.release(&stream);
        leave_locale();
    }
}

TEST(a_number_with_the_locales_decimal_point_is_none) {
    static const char *const texts[] = {"a;b\nx;0,5\n", "a;b\nx;0\xD9\xAB"
                                                        "5\n"};
    wanted *w = WANT("#b");
    w->options.separator = ';';
    for (size_t i = 0; i < DECIMAL_POINTS; i++) {
        enter_locale(decimal_points[i]);
        write_table(texts[i], strlen(texts[i]));
        expect_refusal(w, 0, "line 2, column \"b\": not a number");
        leave_locale();
    }
}

/* Loads a schema; writes its text, and the numbers and scale of the encoded row at table_path. */
static void encode(const char *source, char *text, size_t size, float *numbers, float *scale) {
    HANDLE(dp2dp_schema) *schema = schema_of(source);
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    struct ArrowArrayStream encoded;
    struct ArrowArray batch;
    (void)snprintf(text, size, "%s", info->text);
    open_encoded(schema, DP2DP_PART_FEATURES, 1, &encoded);
    assert_int_equal(encoded.get_next(&encoded, &batch), 0);
    memcpy(numbers, values_of(&batch, 1), 2 * sizeof *numbers);
    *scale = *(const float *)values_of(&batch, 3);
    batch.release(&batch);
    encoded.release(&encoded);
}

TEST(a_schema_and_what_it_encodes_are_the_same) {
    static const char table[] = "age,pay,hours,job,town\n37.25,1234.5,40.25,clerk,A\n";
    static char plain[8192], other[8192];
    float numbers[2][2], scales[2];
    write_table(table, sizeof table - 1);
    encode(sample_schema, plain, sizeof plain, numbers[0], &scales[0]);
    assert_says(plain, "27.576");
    for (size_t i = 0; i < DECIMAL_POINTS; i++) {
        enter_locale(decimal_points[i]);
        encode(sample_schema, other, sizeof other, numbers[1], &scales[1]);
        leave_locale();
        assert_string_equal(plain, other);
        assert_memory_equal(numbers[0], numbers[1], sizeof numbers[0]);
        assert_true(scales[0] == scales[1]);
    }
}
