/* Arrow streams of other producers: types, nulls, slices, dictionaries, and malformed streams. */
#include "unit/table/data.h"

#include "arrow/stream_read.h"

/* A producer whose batches point into static memory, so that nothing needs to be freed. */
typedef struct producer {
    struct ArrowSchema fields[4], *children[4], dictionary, schema;
    struct ArrowArray arrays[4], *array_children[4], dictionary_array, batch;
    int batches;  /* number of batches left */
    int code;     /* result of get_next when no batch is left */
    int released; /* number of batches released */
} producer;

static void release_schema(struct ArrowSchema *schema) {
    schema->release = NULL;
}

static void release_array(struct ArrowArray *array) {
    ((producer *)array->private_data)->released++;
    array->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    producer *p = stream->private_data;
    *out = p->schema;
    out->release = release_schema;
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    producer *p = stream->private_data;
    memset(out, 0, sizeof *out);
    if (p->batches == 0) {
        return p->code;
    }
    p->batches--;
    *out = p->batch;
    out->release = release_array;
    out->private_data = p;
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    return ((producer *)stream->private_data)->code == ENOMEM ? NULL : "the producer says so";
}

static void release_stream(struct ArrowArrayStream *stream) {
    stream->release = NULL;
}

static struct ArrowArrayStream stream_of(producer *p) {
    return (struct ArrowArrayStream) {get_schema, get_next, get_last_error, release_stream, p};
}

/* Prepares batches of `columns` columns and `rows` rows; set_column sets each column. */
static void init(producer *p, int64_t columns, int64_t rows) {
    static const void *no_validity[1];
    memset(p, 0, sizeof *p);
    for (int i = 0; i < 4; i++) {
        p->children[i] = &p->fields[i];
        p->array_children[i] = &p->arrays[i];
    }
    p->schema =
        (struct ArrowSchema) {.format = "+s", .n_children = columns, .children = p->children};
    p->batch = (struct ArrowArray) {.length = rows,
                                    .n_buffers = 1,
                                    .buffers = no_validity,
                                    .n_children = columns,
                                    .children = p->array_children};
    p->batches = 1;
}

static void set_column(producer *p, int i, const char *name, const char *format,
                       const void *const *buffers, int64_t n_buffers, int64_t length) {
    p->fields[i] = (struct ArrowSchema) {.name = name, .format = format};
    p->arrays[i] = (struct ArrowArray) {.length = length,
                                        .n_buffers = n_buffers,
                                        .buffers = (const void **)buffers,
                                        .null_count = buffers[0] ? -1 : 0};
}

/* Writes every cell of the stream to `out`, each followed by '|', each batch by '/'. Returns NULL
 * if the stream or a cell is refused. */
static char *read_stream(producer *p, const wanted *w, char *out, size_t size, char *message) {
    struct ArrowArrayStream source = stream_of(p);
    dp2dpi_stream stream;
    dp2dp_error error = {0};
    size_t used = 0;
    dp2dp_status status = dp2dpi_stream_open(&stream, &source, w->columns, w->options.column_count,
                                             "the producer", &error);
    int is_open = status == OK;
    out[0] = '\0';
    while (status == OK && (status = dp2dpi_stream_next(&stream, &error)) == OK && stream.rows) {
        for (uint64_t row = 0; row < stream.rows; row++) {
            for (size_t i = 0; i < w->options.column_count && status == OK; i++) {
                char buffer[DP2DPI_STREAM_TEXT_SIZE];
                const char *text = NULL;
                size_t length = 0;
                double number = 0;
                int has = dp2dpi_stream_has(&stream, i, row);
                if (w->columns[i].type == DP2DP_TABLE_NUMBER) {
                    status = dp2dpi_stream_number(&stream, i, row, &number, &error);
                    assert_true(has || isnan(number));
                    used += (size_t)snprintf(out + used, size - used, has ? "%.9g|" : "~|", number);
                } else {
                    status = dp2dpi_stream_text(&stream, i, row, buffer, &text, &length, &error);
                    int is_nan = has && strchr("fg", stream.columns[i].format) && !text;
                    assert_true(status != OK || is_nan || has == (text != NULL));
                    used += (size_t)snprintf(out + used, size - used, text ? "%.*s|" : "~|",
                                             (int)length, text ? text : "");
                }
            }
        }
        used += (size_t)snprintf(out + used, size - used, "/");
    }
    (void)snprintf(message, DP2DP_ERROR_MESSAGE_SIZE, "%s", error.message);
    if (is_open) {
        dp2dpi_stream_close(&stream);
    }
    return status == OK ? out : NULL;
}

static void expect(producer *p, const char *columns, const char *expected) {
    char out[512], message[DP2DP_ERROR_MESSAGE_SIZE];
    int batches = p->batches;
    char *found = read_stream(p, WANT(columns), out, sizeof out, message);
    if (found == NULL || strcmp(found, expected) != 0) {
        fail_msg("\"%s\" and not \"%s\": %s", out, expected, message);
    }
    assert_int_equal(p->released, batches);
    p->batches = batches;
    p->released = 0;
}

static void refuse(producer *p, const char *columns, const char *words) {
    char out[512], message[DP2DP_ERROR_MESSAGE_SIZE];
    int batches = p->batches;
    if (read_stream(p, WANT(columns), out, sizeof out, message) != NULL ||
        !strstr(message, words)) {
        fail_msg("\"%s\", \"%s\" without \"%s\"", out, message, words);
    }
    assert_int_equal(p->released, batches - p->batches);
    p->batches = batches;
    p->released = 0;
}

TEST(every_type_reads_as_a_number_or_text) {
    static const int8_t i8[] = {-128, 127};
    static const uint8_t u8[] = {0, 255}, bits[] = {2};
    static const int16_t i16[] = {-32768, 32767};
    static const uint16_t u16[] = {0, 65535};
    static const int32_t i32[] = {INT32_MIN, INT32_MAX};
    static const uint32_t u32[] = {0, UINT32_MAX};
    static const int64_t i64[] = {-5, INT64_C(1) << 53};
    static const uint64_t u64[] = {0, 7};
    static const float f32[] = {0.5F, -2};
    static const double f64[] = {0.1, 1e300};
    static const struct {
        const char *format;
        const void *values;
        const char *numbers, *texts;
    } types[] = {{"c", i8, "-128|127|/", "-128|127|/"},
                 {"C", u8, "0|255|/", "0|255|/"},
                 {"s", i16, "-32768|32767|/", "-32768|32767|/"},
                 {"S", u16, "0|65535|/", "0|65535|/"},
                 {"i", i32, "-2.14748365e+09|2.14748365e+09|/", "-2147483648|2147483647|/"},
                 {"I", u32, "0|4.2949673e+09|/", "0|4294967295|/"},
                 {"l", i64, "-5|9.00719925e+15|/", "-5|9007199254740992|/"},
                 {"L", u64, "0|7|/", "0|7|/"},
                 {"b", bits, "0|1|/", "False|True|/"},
                 {"f", f32, "0.5|-2|/", NULL},
                 {"g", f64, "0.1|1e+300|/", NULL}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        producer p;
        const void *buffers[] = {NULL, types[i].values};
        init(&p, 1, 2);
        set_column(&p, 0, "x", types[i].format, buffers, 2, 2);
        expect(&p, "#x", types[i].numbers);
        if (types[i].texts) {
            expect(&p, "x", types[i].texts);
        } else {
            refuse(&p, "x", "row 1, column \"x\": a number that is not whole cannot");
        }
    }
}

TEST(whole_floats_become_the_text_of_an_integer) {
    static const float singles[] = {1, -0.0F, NAN};
    static const double doubles[] = {-7, 9007199254740992.0, NAN, 9007199254740994.0, INFINITY};
    producer p;
    const void *buffers[] = {NULL, singles};
    init(&p, 1, 3);
    set_column(&p, 0, "x", "f", buffers, 2, 3);
    expect(&p, "x", "1|0|~|/");
    buffers[1] = doubles;
    p.fields[0].format = "g";
    expect(&p, "x", "-7|9007199254740992|~|/");
    for (size_t i = 3; i < 5; i++) {
        buffers[1] = doubles + i;
        refuse(&p, "x", "row 1, column \"x\": a number that is not whole cannot be read as text");
    }
}

TEST(booleans_have_one_bit_each_in_slices_and_beside_nulls) {
    static const uint8_t bits[] = {0xB2, 0x01}, valid[] = {0xBF, 0x01}; /* row 6 is null */
    producer p;
    const void *buffers[] = {valid, bits};
    init(&p, 1, 6);
    set_column(&p, 0, "x", "b", buffers, 2, 9);
    p.arrays[0].offset = 3;
    p.arrays[0].length = 6;
    expect(&p, "x", "False|True|True|~|True|True|/");
    expect(&p, "#x", "0|1|1|~|1|1|/");
}

TEST(integers_that_do_not_fit_are_refused_by_row) {
    static const int64_t signed_ones[] = {1, (INT64_C(1) << 53) + 1};
    static const uint64_t unsigned_ones[] = {1, UINT64_MAX};
    producer p;
    const void *buffers[] = {NULL, signed_ones};
    init(&p, 1, 2);
    set_column(&p, 0, "x", "l", buffers, 2, 2);
    refuse(&p, "#x", "row 2, column \"x\": an integer beyond 2^53: the producer");
    expect(&p, "x", "1|9007199254740993|/");
    buffers[1] = unsigned_ones;
    p.fields[0].format = "L";
    refuse(&p, "#x", "row 2, column \"x\": an integer beyond 2^53");
    refuse(&p, "x", "row 2, column \"x\": an integer beyond 2^63");
}

static const char letters[] = "onetwothree";
static const int32_t narrow[] = {0, 3, 6, 6, 11};
static const int64_t wide[] = {0, 3, 6, 6, 11};
static const double four[] = {1, 2, 3, 4};
static const unsigned char odd_valid[] = {0x5}, even_valid[] = {0xA};

TEST(text_numbers_and_nulls_are_found_by_name_in_any_order) {
    producer p;
    const void *text[] = {NULL, narrow, letters}, *large[] = {odd_valid, wide, letters},
               *numbers[] = {even_valid, four}, *other[] = {NULL, four};
    init(&p, 4, 4);
    set_column(&p, 0, "other", "tdD", other, 2, 4);
    set_column(&p, 1, "u", "u", text, 3, 4);
    set_column(&p, 2, "U", "U", large, 3, 4);
    set_column(&p, 3, "g", "g", numbers, 2, 4);
    expect(&p, "#g,U,u", "~|one|one|2|~|two|~|||4|~|three|/");
    refuse(&p, "other", "column \"other\": Arrow type \"tdD\" cannot be read as text");
    refuse(&p, "#u", "cannot be read as a number");
    refuse(&p, "missing", "no column is named \"missing\"");
    p.fields[0].name = "u";
    refuse(&p, "u", "several columns are named \"u\"");
}

/* The offsets of a column and of the struct add up. */
TEST(slices_read_what_they_cover) {
    producer p;
    const void *text[] = {odd_valid, narrow, letters}, *numbers[] = {even_valid, four};
    init(&p, 2, 2);
    set_column(&p, 0, "u", "u", text, 3, 2);
    set_column(&p, 1, "g", "g", numbers, 2, 2);
    p.arrays[0].offset = p.arrays[1].offset = 1;
    expect(&p, "u,#g", "~|2||~|/");
    p.arrays[0].offset = p.arrays[1].offset = 0;
    p.arrays[0].length = p.arrays[1].length = 4;
    p.batch.offset = 2;
    expect(&p, "u,#g", "|~|~|4|/");
    p.arrays[0].offset = p.arrays[1].offset = 1;
    p.arrays[0].length = p.arrays[1].length = 3;
    p.batch.offset = 1;
    expect(&p, "u,#g", "|~|~|4|/");
    p.batch.offset = 2;
    refuse(&p, "u,#g", "the Arrow stream is malformed: the producer");
}

TEST(a_row_that_is_null_as_a_whole_has_no_values) {
    producer p;
    const void *numbers[] = {NULL, four}, *validity[] = {odd_valid};
    init(&p, 1, 3);
    set_column(&p, 0, "g", "g", numbers, 2, 4);
    p.batch.buffers = validity;
    p.batch.null_count = -1;
    expect(&p, "#g", "1|~|3|/");
    p.batch.offset = 1;
    expect(&p, "#g", "~|3|~|/");
}

TEST(dictionaries_are_looked_up_and_their_codes_checked) {
    static const int8_t codes[] = {2, 0, 0, 1};
    static const uint16_t large_codes[] = {2, 0, 0, 1};
    static const int32_t words[] = {0, 0, 3, 6, 11};
    producer p;
    const void *text[] = {NULL, words, letters}, *numbers[] = {odd_valid, codes};
    init(&p, 1, 4);
    set_column(&p, 0, "d", "c", numbers, 2, 4);
    p.dictionary = (struct ArrowSchema) {.format = "u"};
    p.dictionary_array =
        (struct ArrowArray) {.length = 3, .offset = 1, .n_buffers = 3, .buffers = text};
    p.fields[0].dictionary = &p.dictionary;
    p.arrays[0].dictionary = &p.dictionary_array;
    expect(&p, "d", "three|~|one|~|/");
    numbers[1] = large_codes;
    p.fields[0].format = "S";
    expect(&p, "d", "three|~|one|~|/");
    static const unsigned char first_missing[] = {0x9};
    text[0] = first_missing;
    p.dictionary_array.null_count = 2;
    expect(&p, "d", "three|~|~|~|/");
    p.dictionary_array.length = 2;
    refuse(&p, "d", "row 1, column \"d\": the dictionary has no entry for the code");
    refuse(&p, "#d", "cannot be read as a number");
    p.arrays[0].dictionary = NULL;
    refuse(&p, "d", "the Arrow stream is malformed");
    p.dictionary.format = "+l";
    refuse(&p, "d", "cannot be read as text");
}

TEST(dictionaries_of_numbers_and_booleans_are_read_like_plain_columns) {
    static const int8_t codes[] = {1, 0, 2, 1};
    static const uint8_t bits[] = {0x4};
    static const int64_t whole[] = {9, 10, -7, 2};
    static const double floats[] = {9, 10, 2.5, NAN};
    producer p;
    const void *numbers[] = {NULL, codes}, *values[] = {NULL, whole};
    init(&p, 1, 4);
    set_column(&p, 0, "d", "c", numbers, 2, 4);
    p.dictionary = (struct ArrowSchema) {.format = "l"};
    p.dictionary_array =
        (struct ArrowArray) {.length = 3, .offset = 1, .n_buffers = 2, .buffers = values};
    p.fields[0].dictionary = &p.dictionary;
    p.arrays[0].dictionary = &p.dictionary_array;
    expect(&p, "d", "-7|10|2|-7|/");
    refuse(&p, "#d", "cannot be read as a number");
    p.dictionary.format = "b";
    values[1] = bits;
    expect(&p, "d", "True|False|False|True|/");
    p.dictionary.format = "g";
    values[1] = floats;
    refuse(&p, "d", "row 1, column \"d\": a number that is not whole cannot be read as text");
    p.dictionary_array.offset = 0;
    static const int8_t others[] = {1, 0, 0, 1};
    numbers[1] = others;
    expect(&p, "d", "10|9|9|10|/");
}

/* A view holds a text of up to 12 bytes itself; a longer text is in one of the other buffers. */
TEST(views_of_text_are_followed_and_do_not_lead_outside) {
    static const char long_text[] = "#a text of 20 bytes.";
    static const int64_t sizes[] = {0, 21};
    static const unsigned char second_missing[] = {0x5};
    static const int8_t codes[] = {2, 0};
    int32_t views[3][4] = {{3}, {2}, {20, 0, 1, 1}};
    producer p;
    const void *text[] = {second_missing, views, letters, long_text, sizes},
               *numbers[] = {NULL, codes}, *inside[] = {NULL, views, NULL};
    memcpy(&views[0][1], "one", 3);
    memcpy(&views[1][1], "no", 2);
    init(&p, 1, 3);
    set_column(&p, 0, "v", "vu", text, 5, 3);
    expect(&p, "v", "one|~|a text of 20 bytes.|/");
    refuse(&p, "#v", "cannot be read as a number");
    static const int32_t outside[][4] = {{-1},          {20, 0, -1, 0}, {20, 0, 2, 0},
                                         {20, 0, 1, 2}, {20, 0, 1, -1}, {13, 0, 0, 0}};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        memcpy(views[2], outside[i], sizeof views[2]);
        refuse(&p, "v", "row 3, column \"v\": the text has malformed offsets");
    }
    set_column(&p, 0, "v", "vu", inside, 3, 2);
    p.batch.length = 2;
    expect(&p, "v", "one|no|/");
    memcpy(views[2], (const int32_t[]) {20, 0, 0, 0}, sizeof views[2]);
    p.batch.length = p.arrays[0].length = 3;
    refuse(&p, "v", "malformed offsets");
    set_column(&p, 0, "v", "vu", inside, 2, 3);
    refuse(&p, "v", "the Arrow stream is malformed");
    set_column(&p, 0, "v", "v", inside, 3, 3);
    refuse(&p, "v", "Arrow type \"v\" cannot be read as text");
    memcpy(views[2], (const int32_t[]) {20, 0, 1, 1}, sizeof views[2]);
    init(&p, 1, 2);
    set_column(&p, 0, "d", "c", numbers, 2, 2);
    p.dictionary = (struct ArrowSchema) {.format = "vu"};
    p.dictionary_array = (struct ArrowArray) {.length = 3, .n_buffers = 5, .buffers = text};
    p.fields[0].dictionary = &p.dictionary;
    p.arrays[0].dictionary = &p.dictionary_array;
    expect(&p, "d", "a text of 20 bytes.|one|/");
}

TEST(batches_follow_each_other_and_empty_ones_are_passed_over) {
    producer p;
    const void *numbers[] = {NULL, four};
    init(&p, 1, 2);
    set_column(&p, 0, "g", "g", numbers, 2, 2);
    p.batches = 3;
    expect(&p, "#g", "1|2|/1|2|/1|2|/");
    p.batch.length = 0;
    expect(&p, "#g", "");
}

TEST(a_failure_of_the_producer_keeps_its_message) {
    producer p;
    const void *numbers[] = {NULL, four};
    init(&p, 1, 2);
    set_column(&p, 0, "g", "g", numbers, 2, 2);
    p.code = EIO;
    refuse(&p, "#g", "the producer says so");
    p.code = ENOMEM;
    refuse(&p, "#g", "the stream failed with error");
}

/* A correct batch of a text, a number and a dictionary-encoded column. */
static producer whole;
static const void *whole_text[3], *whole_numbers[2], *whole_codes[2], *whole_words[3];

static producer *restored(void) {
    static const int8_t codes[] = {2, 0, 0, 1};
    memcpy(whole_text, (const void *[]) {NULL, narrow, letters}, sizeof whole_text);
    memcpy(whole_words, (const void *[]) {NULL, narrow, letters}, sizeof whole_words);
    memcpy(whole_numbers, (const void *[]) {NULL, four}, sizeof whole_numbers);
    memcpy(whole_codes, (const void *[]) {NULL, codes}, sizeof whole_codes);
    init(&whole, 3, 4);
    set_column(&whole, 0, "u", "u", whole_text, 3, 4);
    set_column(&whole, 1, "g", "g", whole_numbers, 2, 4);
    set_column(&whole, 2, "d", "c", whole_codes, 2, 4);
    whole.dictionary = (struct ArrowSchema) {.format = "u"};
    whole.dictionary_array =
        (struct ArrowArray) {.length = 4, .n_buffers = 3, .buffers = whole_words};
    whole.fields[2].dictionary = &whole.dictionary;
    whole.arrays[2].dictionary = &whole.dictionary_array;
    return &whole;
}

static void refuse_whole(void) {
    refuse(&whole, "u,#g,d", "the Arrow stream is malformed: the producer");
}

TEST(malformed_arrays_are_refused) {
    static const int32_t backwards[] = {0, 3, 2, 6, 11};
    restored()->schema.format = "g";
    refuse(&whole, "u,#g,d", "not a table");
    restored()->arrays[0].n_buffers = 2;
    refuse_whole();
    restored()->arrays[0].length = 3;
    refuse_whole();
    restored()->batch.n_children = 4;
    refuse_whole();
    restored();
    whole_text[1] = backwards;
    refuse(&whole, "u,#g,d", "row 2, column \"u\": the text has malformed offsets");
    whole_text[1] = NULL;
    refuse_whole();
}

TEST(pointers_that_are_not_there_are_refused) {
    expect(restored(), "u,#g,d", "one|1||two|2|one||3|one|three|4|two|/");
    restored()->schema.children = NULL;
    refuse_whole();
    for (int i = 0; i < 3; i++) {
        restored()->children[i] = NULL;
        refuse_whole();
        restored()->array_children[i] = NULL;
        refuse_whole();
        restored()->arrays[i].buffers = NULL;
        refuse_whole();
    }
    restored()->batch.children = NULL;
    refuse_whole();
    restored()->batch.buffers = NULL;
    refuse_whole();
    restored()->dictionary_array.buffers = NULL;
    refuse_whole();
    restored();
    whole_words[1] = NULL;
    refuse_whole();
}

TEST(positions_beyond_counting_are_refused) {
    for (int i = 0; i < 3; i++) {
        restored()->arrays[i].offset = INT64_MAX;
        refuse_whole();
        whole.batch.offset = 1;
        whole.batch.length = 3;
        refuse_whole();
        restored()->arrays[i].offset = -1;
        refuse_whole();
    }
    restored()->batch.offset = INT64_MAX;
    refuse_whole();
    restored()->dictionary_array.offset = INT64_MAX;
    refuse_whole();
}

TEST(nulls_without_a_bitmap_are_refused) {
    for (int i = 0; i < 3; i++) {
        restored()->arrays[i].null_count = 1;
        refuse_whole();
        restored()->arrays[i].null_count = -1; /* unknown: there may be no nulls */
        expect(&whole, "u,#g,d", "one|1||two|2|one||3|one|three|4|two|/");
    }
    restored()->batch.null_count = 1;
    refuse_whole();
    restored()->dictionary_array.null_count = 1;
    refuse_whole();
}
