/* A pool that is read from an Arrow stream is, byte for byte, the pool of the same rows in memory.
 */
#include "pool/pool.h"

#include "unit/phase2/criteria.h"
#include "unit/phase2/table_stream.h"

enum {
    N = 200,
    K = 3,
    J = 3
};

static const char *const groups_named[J] = {"east", "north", "a longer name"};
static const char *const classes_named[K] = {"0", "1", "2"};

/* One table with its values in every type that a stream may have. */
static struct data {
    labelled people;
    float singles[N * K], columns32[K][N];
    double columns64[K][N], weights64[J][N];
    int8_t i8[N];
    uint8_t u8[N];
    int16_t i16[N];
    uint16_t u16[N];
    uint32_t u32[N];
    int64_t i64[N];
    uint64_t u64[N];
    double f64[N];
    int32_t list32[N + 1], text32[N + 1], ids32[N + 1], dictionary32[J + 1];
    int64_t list64[N + 1], text64[N + 1];
    int32_t views[N][4];
    int64_t view_sizes[1];
    char bytes[N * 16], id_bytes[N * 16], dictionary_bytes[64];
    uint64_t ids[N];
} d;

static void fill_texts(void) {
    char *out = d.bytes, *id = d.id_bytes;
    memcpy(d.dictionary_bytes, "eastnortha longer name", 22);
    d.dictionary32[1] = 4;
    d.dictionary32[2] = 9;
    d.dictionary32[3] = 22;
    for (size_t i = 0; i < N; i++) {
        const char *name = groups_named[d.people.group[i]];
        size_t length = strlen(name);
        d.views[i][0] = (int32_t)length;
        if (length <= 12) {
            memcpy(&d.views[i][1], name, length);
        } else {
            memcpy(&d.views[i][1], name, 4);
            d.views[i][3] = (int32_t)(out - d.bytes);
        }
        memcpy(out, name, length);
        out += length;
        d.text32[i + 1] = (int32_t)(out - d.bytes);
        d.text64[i + 1] = out - d.bytes;
        id += snprintf(id, 16, "%zu", 1000 + i * 7);
        d.ids32[i + 1] = (int32_t)(id - d.id_bytes);
        d.i64[i] = (int64_t)(1000 + i * 7);
        d.ids[i] = dp2dp_dither_id(d.id_bytes + d.ids32[i], (size_t)(d.ids32[i + 1] - d.ids32[i]));
    }
    d.view_sizes[0] = out - d.bytes;
}

FIXTURE(begin) {
    labelled_new(&d.people, N, K, J, 7);
    for (size_t i = 0; i < N; i++) {
        int32_t group = d.people.group[i];
        d.i8[i] = (int8_t)group;
        d.u8[i] = (uint8_t)group;
        d.i16[i] = (int16_t)group;
        d.u16[i] = (uint16_t)group;
        d.u32[i] = (uint32_t)group;
        d.u64[i] = (uint64_t)group;
        d.f64[i] = group;
        d.list32[i + 1] = (int32_t)((i + 1) * K);
        d.list64[i + 1] = (int64_t)((i + 1) * K);
        for (size_t k = 0; k < K; k++) {
            d.columns64[k][i] = d.people.scores[i * K + k];
            d.columns32[k][i] = d.singles[i * K + k] = (float)d.people.scores[i * K + k];
            d.weights64[k][i] = d.people.group_weights[i * J + k];
        }
    }
    fill_texts();
    return 0;
}

GROUP(begin, NULL)

static const char *const score_names[K] = {"p0", "p1", "p2"};
static const char *const weight_names[J] = {"w0", "w1", "w2"};

static dp2dp_pool_columns columns_new(void) {
    dp2dp_pool_columns columns = DP2DP_POOL_COLUMNS_INIT;
    columns.classes = K;
    columns.scores = score_names;
    columns.group = "group";
    return columns;
}

static dp2dp_pool_options options_new(void) {
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    options.strata = J;
    options.threads = 1;
    return options;
}

/* A table of float64 scores and int32 groups, in four batches, one of them empty. */
static table_stream table_of_people(void) {
    table_stream t = table_new(N);
    t.batches = 4;
    memcpy(t.ends, (int64_t[]) {70, 70, 133, N}, 4 * sizeof *t.ends);
    for (size_t k = 0; k < K; k++) {
        table_add(&t, score_names[k], "g", d.columns64[k]);
    }
    table_add(&t, "group", "i", d.people.group);
    return t;
}

static dp2dp_pool *read_pool(table_stream *t, const dp2dp_pool_columns *columns,
                             const dp2dp_pool_options *options) {
    struct ArrowArrayStream stream = table_open(t);
    dp2dp_pool *pool = NULL;
    assert_ok(dp2dp_pool_read(&stream, columns, options, &pool, &test_error));
    assert_null(stream.release);
    assert_released(t);
    return pool;
}

#define assert_refused(t, columns, options, name, words)                                      \
    do {                                                                                      \
        struct ArrowArrayStream refused_ = table_open(t);                                     \
        dp2dp_pool *pool_ = (dp2dp_pool *)&refused_;                                          \
        assert_fails(dp2dp_pool_read(&refused_, columns, options, &pool_, &test_error), name, \
                     words);                                                                  \
        assert_null(pool_);                                                                   \
        assert_released(t);                                                                   \
    } while (0)

static void assert_same(const dp2dp_pool *a, const dp2dp_pool *b) {
    size_t kept = a->begin[a->bins];
    assert_int_equal(a->records, b->records);
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->kept, b->kept);
    assert_int_equal(a->grid_bits, b->grid_bits);
    assert_int_equal(a->strata, b->strata);
    assert_int_equal(a->classes, b->classes);
    assert_int_equal(a->labels, b->labels);
    assert_int_equal(a->leaves_out, b->leaves_out);
    assert_int_equal(a->rule, b->rule);
    assert_int_equal(a->weight_columns, b->weight_columns);
    assert_int_equal(a->parts, b->parts);
    assert_int_equal(a->bins, b->bins);
    assert_memory_equal(a->begin, b->begin, (a->bins + 1) * sizeof *a->begin);
    assert_memory_equal(a->values, b->values, kept * a->classes * sizeof *a->values);
    assert_int_equal(a->weights == NULL, b->weights == NULL);
    assert_int_equal(a->shares == NULL, b->shares == NULL);
    assert_int_equal(a->multiplicity == NULL, b->multiplicity == NULL);
    if (a->multiplicity) {
        assert_memory_equal(a->multiplicity, b->multiplicity, kept * sizeof *a->multiplicity);
    }
    if (a->weights) {
        assert_memory_equal(a->weights, b->weights, kept * a->parts * sizeof *a->weights);
    }
    if (a->shares) {
        assert_memory_equal(a->shares, b->shares, kept * a->parts * sizeof *a->shares);
    }
}

/* The pool of these people in memory, with scores of this type. */
static dp2dp_pool *memory_pool(dp2dp_type type, const dp2dp_pool_options *options) {
    dp2dp_matrix scores = matrix_of(d.people.scores, N, K);
    dp2dp_column groups = codes_of(d.people.group, N);
    dp2dp_pool *pool = NULL;
    if (type == DP2DP_FLOAT32) {
        scores = (dp2dp_matrix) {d.singles, type, N, K, K * sizeof(float), sizeof(float)};
    }
    assert_ok(dp2dp_pool_new(&scores, &groups, options, &pool, &test_error));
    return pool;
}

static void expect_people(table_stream *t, dp2dp_pool_columns columns, dp2dp_type type) {
    dp2dp_pool_options options = options_new();
    HANDLE(dp2dp_pool) *expected = memory_pool(type, &options);
    HANDLE(dp2dp_pool) *found = read_pool(t, &columns, &options);
    assert_same(expected, found);
}

TEST(scores_of_every_type_give_the_pool_of_the_rows) {
    dp2dp_pool_columns columns = columns_new();
    table_stream t = table_of_people();
    expect_people(&t, columns, DP2DP_FLOAT64);
    for (size_t k = 0; k < K; k++) {
        t.fields[k].format = "f";
        t.fields[k].buffers[1] = d.columns32[k];
    }
    expect_people(&t, columns, DP2DP_FLOAT32);
    columns.scores = NULL;
    columns.score_list = "p0";
    static const struct list {
        const char *format, *child;
        const void *offsets, *values;
        dp2dp_type type;
    } lists[] = {{"+w:3", "f", NULL, d.singles, DP2DP_FLOAT32},
                 {"+w:3", "g", NULL, d.people.scores, DP2DP_FLOAT64},
                 {"+l", "f", d.list32, d.singles, DP2DP_FLOAT32},
                 {"+L", "g", d.list64, d.people.scores, DP2DP_FLOAT64}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const struct list *l = &lists[i];
        t = table_of_people();
        t.count = 0;
        table_add_lists(&t, "p0", l->format, l->offsets, l->child, l->values, K);
        table_add(&t, "group", "i", d.people.group);
        expect_people(&t, columns, l->type);
    }
}

TEST(groups_of_every_type_give_the_pool_of_the_rows) {
    const struct kind {
        const char *format;
        const void *values;
    } kinds[] = {{"c", d.i8},           {"C", d.u8},  {"s", d.i16}, {"S", d.u16},
                 {"i", d.people.group}, {"I", d.u32}, {"L", d.u64}, {"g", d.f64}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        dp2dp_pool_columns columns = columns_new();
        table_stream t = table_of_people();
        t.fields[K].format = kinds[i].format;
        t.fields[K].buffers[1] = kinds[i].values;
        expect_people(&t, columns, DP2DP_FLOAT64);
        columns.group_names = classes_named; /* "0", "1", "2" */
        expect_people(&t, columns, DP2DP_FLOAT64);
    }
}

TEST(names_of_groups_may_be_text_views_or_dictionaries) {
    dp2dp_pool_columns columns = columns_new();
    columns.group_names = groups_named;
    table_stream t = table_of_people();
    t.count = K;
    table_add_text(&t, "group", "u", d.text32, d.bytes);
    expect_people(&t, columns, DP2DP_FLOAT64);
    t.count = K;
    table_add_text(&t, "group", "U", d.text64, d.bytes);
    expect_people(&t, columns, DP2DP_FLOAT64);
    t.count = K;
    field *view = table_add_text(&t, "group", "vu", d.views, d.bytes);
    view->buffers[3] = d.view_sizes;
    view->n_buffers = 4;
    expect_people(&t, columns, DP2DP_FLOAT64);
    t.count = K;
    field *coded = table_add(&t, "group", "c", d.i8);
    coded->child_format = "u";
    coded->dictionary_length = J;
    coded->child_buffers[1] = d.dictionary32;
    coded->child_buffers[2] = d.dictionary_bytes;
    expect_people(&t, columns, DP2DP_FLOAT64);
}

/* The weights of a stream are columns, or lists of one weight for each stratum. */
static void expect_way(const way *w) {
    HANDLE(dp2dp_pool) *expected = labelled_pool(&d.people, w);
    dp2dp_pool_columns columns = columns_new();
    dp2dp_pool_options options = options_new();
    table_stream t = table_of_people();
    int soft = w->counted == DP2DP_COUNTED_SCORES;
    options.labels = labels_of(&d.people, w);
    options.strata = J * options.labels;
    options.counted = w->counted;
    options.dither = (dp2dp_dither) {w->width, 5};
    options.dither_key = w->key;
    table_add(&t, "label", "i", d.people.label);
    columns.label = w->labels && !soft ? "label" : NULL;
    columns.label_names = classes_named;
    columns.group = soft && w->weighted ? NULL : "group";
    if (w->weighted && (w->by_group || !w->labels)) {
        for (size_t g = 0; g < J; g++) {
            table_add(&t, weight_names[g], "g", d.weights64[g]);
        }
        columns.weights = weight_names;
        columns.weight_count = J;
    } else if (w->weighted) {
        table_add_lists(&t, "all", "+w:9", NULL, "g", d.people.weights, J * K);
        columns.weight_list = "all";
        columns.weight_count = J * K;
    }
    HANDLE(dp2dp_pool) *found = read_pool(&t, &columns, &options);
    assert_same(expected, found);
}

TEST(labels_weights_and_dithers_are_those_of_the_rows) {
    for (int bits = 0; bits < 64; bits++) {
        way w = {.weighted = bits & 1,
                 .by_group = bits >> 1 & 1,
                 .labels = bits >> 2 & 1,
                 .counted = bits >> 3 & 1 ? DP2DP_COUNTED_SCORES : DP2DP_COUNTED_LABELS,
                 .width = bits >> 4 & 1 ? 0.125 : 0,
                 .key = bits >> 5 ? DP2DP_DITHER_KEY_SCORES : DP2DP_DITHER_KEY_ROW};
        if (w.counted == DP2DP_COUNTED_LABELS || w.labels || w.weighted) {
            expect_way(&w);
        }
    }
}

TEST(ids_may_be_texts_or_integers) {
    dp2dp_pool_options options = options_new();
    options.dither = (dp2dp_dither) {0.25, 9};
    options.dither_key = DP2DP_DITHER_KEY_ID;
    dp2dp_pool_options in_memory = options;
    in_memory.ids = d.ids;
    HANDLE(dp2dp_pool) *expected = memory_pool(DP2DP_FLOAT64, &in_memory);
    dp2dp_pool_columns columns = columns_new();
    columns.id = "id";
    table_stream t = table_of_people();
    table_add_text(&t, "id", "u", d.ids32, d.id_bytes);
    HANDLE(dp2dp_pool) *of_texts = read_pool(&t, &columns, &options);
    assert_same(expected, of_texts);
    t.fields[K + 1] = (field) {"id", "l", {NULL, d.i64}, 2, 0, NULL, {NULL}, 0};
    HANDLE(dp2dp_pool) *of_integers = read_pool(&t, &columns, &options);
    assert_same(expected, of_integers);
}

TEST(a_row_may_stand_for_several_records) {
    static uint64_t records[N];
    dp2dp_pool_options options = options_new();
    dp2dp_pool_columns columns = columns_new();
    table_stream t = table_of_people();
    table_add(&t, "n", "L", records);
    columns.multiplicity = "n";
    for (size_t i = 0; i < N; i++) {
        records[i] = 1 + i % 5;
    }
    options.grid_bits = 8;
    dp2dp_pool_options in_memory = options;
    in_memory.multiplicity = records;
    HANDLE(dp2dp_pool) *expected = memory_pool(DP2DP_FLOAT64, &in_memory);
    HANDLE(dp2dp_pool) *found = read_pool(&t, &columns, &options);
    assert_same(expected, found);
    records[80] = 0;
    assert_refused(&t, &columns, &options, DATA, "row 81: the multiplicity must be a whole number");
    records[80] = UINT64_C(1) << 48;
    assert_refused(&t, &columns, &options, DATA, "row 81: up to here the multiplicities sum");
    options.bad_rows = DP2DP_BAD_ROWS_IGNORE;
    assert_refused(&t, &columns, &options, DATA, "the multiplicities sum to more than");
    assert_true(test_error.row == 0 && strstr(test_error.message, "row 8") == NULL);
    records[80] = 0;
    assert_refused(&t, &columns, &options, DATA, "the multiplicity must be a whole number");
    assert_true(test_error.row == 0 && strstr(test_error.message, "row 8") == NULL);
}

/* Every bit is set but those of the given rows. */
static const unsigned char *all_but(size_t row, size_t other) {
    static unsigned char bits[(N + 7) / 8];
    memset(bits, 0xFF, sizeof bits);
    bits[row / 8] &= (unsigned char)~(1U << row % 8);
    bits[other / 8] &= (unsigned char)~(1U << other % 8);
    return bits;
}

static void expect_left_out(table_stream *t, dp2dp_pool_columns columns, size_t row, size_t other) {
    dp2dp_pool_options options = options_new();
    options.bad_rows = DP2DP_BAD_ROWS_IGNORE;
    int32_t kept[2] = {d.people.group[row], d.people.group[other]};
    d.people.group[row] = d.people.group[other] = -1;
    HANDLE(dp2dp_pool) *expected = memory_pool(DP2DP_FLOAT64, &options);
    d.people.group[row] = kept[0];
    d.people.group[other] = kept[1];
    test_error = (dp2dp_error) {0};
    HANDLE(dp2dp_pool) *found = read_pool(t, &columns, &options);
    assert_same(expected, found);
    assert_string_equal(test_error.message, "");
}

TEST(nulls_are_refused_by_row_or_left_out) {
    dp2dp_pool_options options = options_new();
    dp2dp_pool_columns columns = columns_new();
    table_stream t = table_of_people();
    t.fields[1].buffers[0] = all_but(140, 180);
    assert_refused(&t, &columns, &options, DATA, "row 141, score column 2: a probability");
    assert_int_equal(test_error.row, 141);
    expect_left_out(&t, columns, 140, 180);
    t = table_of_people();
    t.fields[K].buffers[0] = all_but(71, 3);
    assert_refused(&t, &columns, &options, DATA, "row 4: the group is not one of the declared");
    assert_int_equal(test_error.reason, DP2DP_REASON_UNKNOWN_GROUP);
    expect_left_out(&t, columns, 71, 3);
    t = table_of_people();
    t.sound = all_but(199, 133);
    assert_refused(&t, &columns, &options, DATA, "row 134: the group");
    expect_left_out(&t, columns, 199, 133);
}

TEST(unknown_names_are_refused_by_row_or_left_out) {
    static const char *const others[J] = {"east", "north", "south"};
    dp2dp_pool_options options = options_new();
    dp2dp_pool_columns columns = columns_new();
    size_t first = 0;
    while (d.people.group[first] != 2) {
        first++;
    }
    char words[64];
    (void)snprintf(words, sizeof words, "row %zu: the group is not one of", first + 1);
    columns.group_names = others;
    table_stream t = table_of_people();
    t.count = K;
    table_add_text(&t, "group", "u", d.text32, d.bytes);
    assert_refused(&t, &columns, &options, DATA, words);
    options.leaves_out = 1; /* a name is never the code −1 */
    assert_refused(&t, &columns, &options, DATA, words);
    options.bad_rows = DP2DP_BAD_ROWS_IGNORE;
    HANDLE(dp2dp_pool) *pool = read_pool(&t, &columns, &options);
    assert_int_equal(pool->records, N);
    assert_int_equal(pool->begin[3] - pool->begin[2], 0);
}

TEST(unknown_labels_and_empty_ids_are_refused_by_row) {
    static const char *const two[K] = {"0", "1", "9"};
    dp2dp_pool_options options = options_new();
    dp2dp_pool_columns columns = columns_new();
    options.labels = K;
    options.strata = J * K;
    columns.label = "label";
    columns.label_names = two;
    table_stream t = table_of_people();
    table_add(&t, "label", "i", d.people.label);
    assert_refused(&t, &columns, &options, DATA, ": the label is not one of the classes");
    assert_int_equal(test_error.reason, DP2DP_REASON_UNKNOWN_LABEL);
    columns = columns_new();
    options = options_new();
    options.dither = (dp2dp_dither) {0.25, 9};
    options.dither_key = DP2DP_DITHER_KEY_ID;
    columns.id = "id";
    t = table_of_people();
    table_add_text(&t, "id", "u", d.ids32, d.id_bytes);
    t.fields[K + 1].buffers[0] = all_but(150, 151);
    assert_refused(&t, &columns, &options, DATA, "row 151: the id is missing or empty");
}

TEST(the_code_minus_one_is_left_out_only_if_records_may_be) {
    dp2dp_pool_options options = options_new();
    dp2dp_pool_columns columns = columns_new();
    table_stream t = table_of_people();
    int32_t kept = d.people.group[120];
    d.people.group[120] = -1;
    assert_refused(&t, &columns, &options, DATA, "row 121: the group");
    options.leaves_out = 1;
    HANDLE(dp2dp_pool) *expected = memory_pool(DP2DP_FLOAT64, &options);
    HANDLE(dp2dp_pool) *found = read_pool(&t, &columns, &options);
    assert_same(expected, found);
    d.people.group[120] = -2;
    assert_refused(&t, &columns, &options, DATA, "row 121: the group");
    d.people.group[120] = kept;
}

/* A sum that is wrong by 1e-5 is within the tolerance of float32, but not of float64. */
TEST(sums_are_checked_in_the_type_of_the_columns) {
    dp2dp_pool_options options = options_new();
    dp2dp_pool_columns columns = columns_new();
    table_stream t = table_of_people();
    double kept = d.columns64[0][90];
    float kept32 = d.columns32[0][90];
    d.columns64[0][90] += 1e-5;
    d.columns32[0][90] += 1e-5F;
    assert_refused(&t, &columns, &options, DATA, "row 91: the probabilities do not sum to 1");
    for (size_t k = 0; k < K; k++) {
        t.fields[k].format = "f";
        t.fields[k].buffers[1] = d.columns32[k];
    }
    HANDLE(dp2dp_pool) *pool = read_pool(&t, &columns, &options);
    assert_int_equal(pool->records, N);
    d.columns64[0][90] = kept;
    d.columns32[0][90] = kept32;
}

TEST(a_stream_that_fails_is_released) {
    dp2dp_pool_options options = options_new();
    dp2dp_pool_columns columns = columns_new();
    table_stream t = table_of_people();
    t.fails_at = 2;
    assert_refused(&t, &columns, &options, IO, "the producer lost its connection");
}

TEST(a_stream_may_have_one_row_or_none) {
    dp2dp_pool_options options = options_new();
    dp2dp_pool_columns columns = columns_new();
    table_stream t = table_of_people();
    t.batches = 0;
    HANDLE(dp2dp_pool) *none = read_pool(&t, &columns, &options);
    assert_int_equal(none->records, 0);
    t.batches = 1;
    t.ends[0] = 1;
    HANDLE(dp2dp_pool) *one = read_pool(&t, &columns, &options);
    assert_int_equal(one->records, 1);
    assert_int_equal(dp2dpi_pool_kept(one), 1);
}

TEST(wrong_arguments_are_refused_before_a_row_is_read) {
    dp2dp_pool_options options = options_new(), wrong = options;
    dp2dp_pool_columns columns = columns_new(), other = columns;
    dp2dp_matrix weights = {0};
    table_stream t = table_of_people();
    t.fails_at = 0;
    wrong.weights = &weights;
    assert_refused(&t, &columns, &wrong, ARGUMENT, "weights, ids and multiplicity must be NULL");
    wrong = options;
    wrong.row_sums = (dp2dp_row_sums)9;
    assert_refused(&t, &columns, &wrong, ARGUMENT, "row_sums = 9");
    wrong = options;
    wrong.labels = K;
    wrong.strata = K * J;
    assert_refused(&t, &columns, &wrong, ARGUMENT, "label must name");
    other.score_list = "p0";
    assert_refused(&t, &other, &options, ARGUMENT, "the name of one column of lists");
    other = columns;
    other.group = NULL;
    assert_refused(&t, &other, &options, ARGUMENT, "group must name");
    other.group = "p1x";
    assert_refused(&t, &other, &options, DATA, "p1x");
    other = columns;
    other.scores = NULL;
    other.score_list = "p0";
    assert_refused(&t, &other, &options, DATA, "cannot be read as lists");
    other = columns;
    other.struct_size = 4;
    assert_refused(&t, &other, &options, ARGUMENT, "DP2DP_POOL_COLUMNS_INIT");
    struct ArrowArrayStream stream = table_open(&t);
    assert_fails(dp2dp_pool_read(&stream, &columns, &options, NULL, &test_error), ARGUMENT, "out");
    assert_null(stream.release);
    dp2dp_pool *pool = NULL;
    assert_fails(dp2dp_pool_read(&stream, &columns, &options, &pool, &test_error), ARGUMENT,
                 "rows");
}

TEST(lists_of_another_length_are_bad_rows) {
    dp2dp_pool_options options = options_new();
    dp2dp_pool_columns columns = columns_new();
    columns.scores = NULL;
    columns.score_list = "p";
    table_stream t = table_new(N);
    table_add_lists(&t, "p", "+l", d.list32, "g", d.people.scores, K);
    table_add(&t, "group", "i", d.people.group);
    d.list32[11]--;
    assert_refused(&t, &columns, &options, DATA, "row 11, score column 1");
    d.list32[11] = -5;
    assert_refused(&t, &columns, &options, DATA, "row 11, score column 1");
    expect_left_out(&t, columns, 10, 11);
    d.list32[11] = 11 * K;
    t.fields[0].child_length = 9;
    assert_refused(&t, &columns, &options, DATA, "row 4, score column 1");
    t.fields[0].format = "+w:3";
    t.fields[0].n_buffers = 1;
    assert_refused(&t, &columns, &options, DATA, "malformed");
}

/* More rows than one segment holds. */
TEST(a_long_stream_gives_the_pool_of_its_rows) {
    const int64_t rows = (1 << 20) + 12345;
    OWNED(people) p = people_random((size_t)rows, 2, 3, 1U << 20, 3);
    FREED float *columns = calloc((size_t)rows * 2, sizeof *columns);
    FREED uint64_t *records = calloc((size_t)rows, sizeof *records);
    dp2dp_pool_columns wanted = columns_new();
    dp2dp_pool_options options = options_new();
    dp2dp_matrix scores = scores_of(&p);
    dp2dp_column groups = groups_of(&p);
    options.threads = 2;
    options.leaves_out = 1;
    options.dither = (dp2dp_dither) {0.01, 4};
    wanted.classes = 2;
    for (int64_t i = 0; i < rows; i++) {
        columns[i] = p.scores[2 * i];
        columns[rows + i] = p.scores[2 * i + 1];
        p.group[i] = i % 1000 == 7 ? -1 : p.group[i];
        records[i] = (uint64_t)(1 + i % 7);
    }
    table_stream t = table_new(rows);
    t.batches = 5;
    memcpy(t.ends, (int64_t[]) {1, 300000, 1 << 19, 1 << 20, rows}, 5 * sizeof *t.ends);
    table_add(&t, "p0", "f", columns);
    table_add(&t, "p1", "f", columns + rows);
    table_add(&t, "group", "i", p.group);
    HANDLE(dp2dp_pool) *expected = NULL;
    assert_ok(dp2dp_pool_new(&scores, &groups, &options, &expected, &test_error));
    HANDLE(dp2dp_pool) *found = read_pool(&t, &wanted, &options);
    assert_same(expected, found);
    options.dither.width = 0;
    wanted.multiplicity = "n";
    table_add(&t, "n", "L", records);
    dp2dp_pool_options in_memory = options;
    in_memory.multiplicity = records;
    HANDLE(dp2dp_pool) *cells = NULL;
    assert_ok(dp2dp_pool_new(&scores, &groups, &in_memory, &cells, &test_error));
    HANDLE(dp2dp_pool) *read = read_pool(&t, &wanted, &options);
    assert_same(cells, read);
    records[rows - 1] = (UINT64_C(1) << 48) - 4;
    assert_refused(&t, &wanted, &options, DATA, "row 1060921: up to here the multiplicities");
    records[rows - 1] = 1;
    columns[rows - 3] = 2;
    assert_refused(&t, &wanted, &options, DATA, "row 1060919: the probabilities do not sum to 1");
}
