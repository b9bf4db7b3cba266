/* Tests training from a source: sums over shards give the model of all rows, byte by byte, and a
 * source that fails or is wrong is refused, before the charge where that is possible. */
#include "unit/training/data.h"

enum {
    SHARDS = 5,
    STEPS = 60, /* enough for all three terms */
    CELLS_MAX = 64
};

/* The rows of each shard. */
static const size_t sizes[SHARDS] = {700, 1, 0, 1298, 1};

/* What a source does wrong at one of its questions. */
typedef enum wrong {
    NOTHING,
    FAILS,
    FAILS_WITH_WORDS,
    LACKS_A_SHARD,
    COUNTS_A_ROW_TWICE,
    LARGE_CELL,
    LARGE_NORM,
    SKIPS_A_CELL
} wrong;

/* Shards that answer as one source. */
typedef struct sites {
    dp2dp_gradient_source shards[SHARDS];
    size_t questions;
    wrong wrong;
    size_t when; /* the question at which the source goes wrong, counted from 1 */
    unsigned terms;
} sites;

static void sites_free(sites *s) {
    for (size_t i = 0; i < SHARDS; i++) {
        if (s->shards[i].release) {
            s->shards[i].release(s->shards[i].context);
        }
    }
}

static void spoil(const sites *s, const dp2dp_gradient_question *q, int64_t *sum) {
    size_t n = dp2dp_gradient_cells(q);
    int64_t unit = INT64_C(1) << q->grid_bits;
    if (s->wrong == LARGE_CELL) {
        sum[n - 1] = -API_ROWS * unit - 1;
    } else if (s->wrong == LARGE_NORM) {
        sum[0] = sum[1] = API_ROWS * unit / 10 * 8;
    } else if (s->wrong == SKIPS_A_CELL) {
        sum[n - 1] = INT64_MIN;
    }
}

static dp2dp_status ask_sites(void *context, const dp2dp_gradient_question *q, int64_t *sum,
                              dp2dp_error *error) {
    sites *s = context;
    size_t n = dp2dp_gradient_cells(q);
    int64_t part[CELLS_MAX];
    wrong fault = ++s->questions == s->when ? s->wrong : NOTHING;
    s->terms |= 1U << q->term;
    if (fault == FAILS || fault == FAILS_WITH_WORDS) {
        return fault == FAILS ? (dp2dp_status)77
                              : dp2dpi_fail(error, DP2DP_STATUS_DATA, "row 17 is a secret");
    }
    assert_true(n <= CELLS_MAX);
    memset(sum, 0, n * sizeof *sum);
    for (size_t i = 0; i < SHARDS; i++) {
        int times = fault == COUNTS_A_ROW_TWICE && i == 1 ? 2
                    : fault == LACKS_A_SHARD && i == 4    ? 0
                                                          : 1;
        for (int t = 0; t < times; t++) {
            DP2DPI_TRY(s->shards[i].sum(s->shards[i].context, q, part, error));
            for (size_t c = 0; c < n; c++) {
                sum[c] += part[c];
            }
        }
    }
    if (fault != NOTHING) {
        spoil(s, q, sum);
    }
    return OK;
}

/* Opens the rows of the table that are in each shard. */
static sites open_sites(const dp2dp_schema *schema, unsigned parts, dp2dp_target target) {
    sites s = {.questions = 0};
    FILE *file = fopen(table_path, "rb");
    FREED char *text = calloc(1, 1 << 20), *shard = calloc(1, 1 << 20);
    assert_true(file && text && shard && fread(text, 1, (1 << 20) - 1, file) > 0);
    assert_int_equal(fclose(file), 0);
    size_t head = (size_t)(strchr(text, '\n') + 1 - text);
    const char *line = text + head, *end = line;
    for (size_t i = 0; i < SHARDS; i++, line = end) {
        struct ArrowArrayStream rows;
        for (size_t row = 0; row < sizes[i]; row++) {
            end = strchr(end, '\n') + 1;
        }
        memcpy(shard, text, head);
        memcpy(shard + head, line, (size_t)(end - line));
        write_table(shard, head + (size_t)(end - line));
        open_encoded(schema, parts | dp2dp_target_parts(target), 100, &rows);
        s.shards[i] = DP2DP_GRADIENT_SOURCE_INIT;
        assert_ok(dp2dp_gradient_source_open(schema, &rows, target, (unsigned)(1 + i % 2),
                                             &s.shards[i], &test_error));
        assert_null(rows.release);
        assert_int_equal(s.shards[i].records, sizes[i]);
    }
    assert_int_equal(*end, 0);
    write_text(text);
    return s;
}

static dp2dp_gradient_source sites_source(sites *s) {
    dp2dp_gradient_source source = DP2DP_GRADIENT_SOURCE_INIT;
    source.records = API_ROWS;
    source.leaves_out = s->shards[0].leaves_out;
    source.context = s;
    source.sum = ask_sites;
    return source;
}

static dp2dp_train_options source_options(void) {
    dp2dp_train_options options = api_options(DP2DP_TRAIN_DPGD);
    options.steps = STEPS;
    options.rng = DP2DP_RNG_INSECURE;
    options.insecure_seed = 3;
    return options;
}

static char *json_of(const dp2dp_model *model) {
    char *text = NULL;
    size_t length;
    assert_ok(dp2dp_model_to_json(model, &text, &length, &test_error));
    return text;
}

/* Trains on the table at table_path, as a whole and over shards. */
static void expect_same_model(const char *schema_text, unsigned parts, dp2dp_target target,
                              size_t questions, unsigned terms) {
    HANDLE(dp2dp_schema) *schema = schema_of(schema_text);
    dp2dp_train_options options = source_options();
    HANDLE(dp2dp_model) *whole = NULL, *summed = NULL;
    struct ArrowArrayStream rows;
    options.target = target;
    open_encoded(schema, parts | dp2dp_target_parts(target), API_CHUNK, &rows);
    assert_ok(dp2dp_train(schema, &rows, &options, &whole, &test_error));
    OWNED(sites) s = open_sites(schema, parts, target);
    dp2dp_gradient_source source = sites_source(&s);
    assert_ok(dp2dp_train_source(schema, &source, &options, &summed, &test_error));
    TEXT_FREED char *expected = json_of(whole), *found = json_of(summed);
    assert_string_equal(found, expected);
    assert_int_equal(s.questions, questions);
    assert_int_equal(s.terms, terms);
    assert_true(dp2dp_model_view(summed)->classifier->weights[0] != 0 ||
                dp2dp_model_view(summed)->classifier->outputs == 2);
}

#define BIT(term) (1U << DP2DP_TERM_##term)
#define NUMBERS "{\"name\": \"c\", \"role\": \"ignore\"}"
#define CATEGORY                                                           \
    "{\"name\": \"c\", \"role\": \"feature\", \"kind\": \"categorical\", " \
    "\"levels\": [\"u\", \"v\"], \"unknown\": \"level\"}"

/* Shards of one row and of none are among them. A schema without levels releases no sum of rows, so
 * the first question is asked in addition. */
TEST(shards_give_the_model_of_all_rows_byte_by_byte) {
    const unsigned all = BIT(GRADIENT) | BIT(ROW) | BIT(SLOPE);
    FREED char *numbers = edited(api_schema, CATEGORY, NUMBERS);
    assert_int_equal(setenv("SOURCE_DATE_EPOCH", "1000000000", 1), 0);
    write_people(API_ROWS, 1);
    for (int i = 0; i < 2; i++) {
        const char *schema = i ? numbers : api_schema;
        expect_same_model(schema, 0, DP2DP_TARGET_LABEL, STEPS + (size_t)i, all);
        expect_same_model(schema, 0, DP2DP_TARGET_GROUP, STEPS + (size_t)i, all);
        expect_same_model(schema, 0, DP2DP_TARGET_GROUP_LABEL, STEPS + (size_t)i, all);
    }
}

/* A record that is left out counts, and adds nothing. All records of a shard may be left out. */
TEST(records_that_a_shard_leaves_out_stay_records) {
    FREED char *marked = edited(api_schema, "\"norm\": 3,", "\"norm\": 3, \"missing\": [\"v\"],");
    FREED char *schema = edited(marked, "[\"u\", \"v\"], \"unknown\": \"level\"",
                                "[\"u\"], \"unknown\": \"level\", \"missing\": \"drop\"");
    assert_int_equal(setenv("SOURCE_DATE_EPOCH", "1000000000", 1), 0);
    write_people(API_ROWS, 1);
    expect_same_model(schema, DP2DP_PART_LEFT_OUT, DP2DP_TARGET_LABEL, STEPS,
                      BIT(GRADIENT) | BIT(ROW) | BIT(SLOPE));
}

/* Trains on a source that goes wrong. Checks status, words, questions and charges. */
static void expect_stop(sites *s, const dp2dp_schema *schema, wrong fault, size_t when,
                        dp2dp_status status, const char *words) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    dp2dp_train_options options = source_options();
    dp2dp_gradient_source source = sites_source(s);
    dp2dp_model *model = NULL;
    options.ledger = ledger;
    s->wrong = fault;
    s->when = when;
    s->questions = 0;
    test_error = (dp2dp_error) {0};
    assert_int_equal(dp2dp_train_source(schema, &source, &options, &model, &test_error), status);
    assert_null(model);
    assert_says(test_error.message, words);
    assert_says(test_error.message, when > 1 ? "the charge stays" : "nothing was charged");
    assert_null(strstr(test_error.message, "secret"));
    assert_int_equal(test_error.row, 0);
    assert_int_equal(s->questions, when);
    assert_int_equal(charges_in(ledger), when > 1);
}

TEST(a_source_that_fails_costs_nothing_at_first_and_its_words_are_not_repeated) {
    HANDLE(dp2dp_schema) *schema = schema_of(api_schema);
    write_people(API_ROWS, 1);
    OWNED(sites) s = open_sites(schema, 0, DP2DP_TARGET_LABEL);
    for (size_t when = 1; when <= STEPS; when += STEPS / 2) {
        expect_stop(&s, schema, FAILS, when, DP2DP_STATUS_IO, "the source failed");
        expect_stop(&s, schema, FAILS_WITH_WORDS, when, DP2DP_STATUS_IO, "the source failed");
    }
}

/* The first answer tells how many records there are, to the row. */
TEST(a_source_of_other_records_is_refused_before_the_charge) {
    HANDLE(dp2dp_schema) *schema = schema_of(api_schema);
    write_people(API_ROWS, 1);
    OWNED(sites) s = open_sites(schema, 0, DP2DP_TARGET_LABEL);
    expect_stop(&s, schema, COUNTS_A_ROW_TWICE, 1, DP2DP_STATUS_DATA, "more records");
    expect_stop(&s, schema, LACKS_A_SHARD, 1, DP2DP_STATUS_DATA, "fewer records");
}

TEST(a_sum_that_no_records_have_is_refused) {
    static const wrong faults[] = {LARGE_CELL, LARGE_NORM, SKIPS_A_CELL};
    HANDLE(dp2dp_schema) *schema = schema_of(api_schema);
    write_people(API_ROWS, 1);
    OWNED(sites) s = open_sites(schema, 0, DP2DP_TARGET_LABEL);
    for (size_t i = 0; i < 3; i++) {
        expect_stop(&s, schema, faults[i], 1, DP2DP_STATUS_DATA, "its sum is larger");
        expect_stop(&s, schema, faults[i], STEPS, DP2DP_STATUS_DATA, "its sum is larger");
    }
}

/* What dp2dp/train.h says cannot be found: a record that is counted twice later on. */
TEST(a_row_counted_twice_after_the_first_question_goes_unnoticed) {
    HANDLE(dp2dp_schema) *schema = schema_of(api_schema);
    HANDLE(dp2dp_model) *model = NULL;
    dp2dp_train_options options = source_options();
    write_people(API_ROWS, 1);
    OWNED(sites) s = open_sites(schema, 0, DP2DP_TARGET_LABEL);
    dp2dp_gradient_source source = sites_source(&s);
    s.wrong = COUNTS_A_ROW_TWICE;
    s.when = 2;
    assert_ok(dp2dp_train_source(schema, &source, &options, &model, &test_error));
}

TEST(options_and_budget_are_checked_before_the_source_is_asked) {
    HANDLE(dp2dp_schema) *schema = schema_of(api_schema);
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    dp2dp_model *model = NULL;
    dp2dp_train_options options = source_options();
    write_people(API_ROWS, 1);
    OWNED(sites) s = open_sites(schema, 0, DP2DP_TARGET_LABEL);
    dp2dp_gradient_source source = sites_source(&s);
#define EXPECT(name, words)                                                                        \
    assert_fails(dp2dp_train_source(schema, &source, &options, &model, &test_error), name, words); \
    assert_int_equal(s.questions, 0)
    for (int method = DP2DP_TRAIN_DPSGD; method <= DP2DP_TRAIN_NONE; method++) {
        options.method = (dp2dp_train_method)method;
        EXPECT(ARGUMENT, "cannot learn from a source");
    }
    options = source_options();
    options.epsilon = NAN;
    EXPECT(ARGUMENT, "epsilon");
    options = source_options();
    options.ledger = ledger;
    assert_ok(dp2dp_ledger_set_budget(ledger, 0.5, 1e-6, &test_error));
    EXPECT(BUDGET, "budget");
    assert_int_equal(charges_in(ledger), 0);
    options = source_options();
    source.records = 0;
    EXPECT(ARGUMENT, "there are 0 rows");
    source = sites_source(&s);
    source.leaves_out = 2;
    EXPECT(ARGUMENT, "leaves_out");
    source = sites_source(&s);
    source.sum = NULL;
    EXPECT(ARGUMENT, "sum must be set");
    assert_fails(dp2dp_train_source(schema, NULL, &options, &model, &test_error), ARGUMENT,
                 "DP2DP_GRADIENT_SOURCE_INIT");
    assert_status(dp2dp_train_source(schema, &source, &options, NULL, NULL), ARGUMENT);
}

/* A question may come from another machine. */
TEST(a_shard_refuses_a_question_that_does_not_fit) {
    HANDLE(dp2dp_schema) *schema = schema_of(api_schema);
    double weights[CELLS_MAX] = {0}, levels[CELLS_MAX] = {0};
    int64_t sum[CELLS_MAX];
    dp2dp_gradient_question good = DP2DP_GRADIENT_QUESTION_INIT, q;
    write_people(API_ROWS, 1);
    OWNED(sites) s = open_sites(schema, 0, DP2DP_TARGET_LABEL);
    const dp2dp_gradient_source *shard = &s.shards[0];
    good.term = DP2DP_TERM_GRADIENT;
    good.grid_bits = 40;
    good.features = API_FEATURES;
    good.outputs = 3;
    good.weights = weights;
    good.levels = levels;
    good.clip = 1;
    assert_ok(shard->sum(shard->context, &good, sum, &test_error));
#define EXPECT_UNFIT(change, words) \
    q = good;                       \
    q.change;                       \
    assert_fails(shard->sum(shard->context, &q, sum, &test_error), ARGUMENT, words)
    EXPECT_UNFIT(features = API_FEATURES + 1, "does not fit the schema");
    EXPECT_UNFIT(outputs = 1, "does not fit the schema");
    EXPECT_UNFIT(term = (dp2dp_term)4, "does not fit the schema");
    EXPECT_UNFIT(weights = NULL, "does not fit the schema");
    EXPECT_UNFIT(levels = NULL, "does not fit the schema");
    EXPECT_UNFIT(grid_bits = 62, "fit into 64 bits");
    EXPECT_UNFIT(grid_bits = 200, "fit into 64 bits");
    EXPECT_UNFIT(struct_size = 8, "DP2DP_GRADIENT_QUESTION_INIT");
    q = good;
    q.clip = NAN; /* a record whose term is not a number adds nothing */
    assert_ok(shard->sum(shard->context, &q, sum, &test_error));
    assert_true(sum[0] == 0 && sum[17] == 0);
    q.term = DP2DP_TERM_ROW;
    q.weights = NULL;
    q.clip = 3;
    assert_ok(shard->sum(shard->context, &q, sum, &test_error));
    assert_true(sum[15] > 0 && sum[16] == 0);
}

TEST(a_shard_refuses_what_training_refuses) {
    HANDLE(dp2dp_schema) *schema = schema_of(api_schema);
    struct ArrowArrayStream rows;
    dp2dp_gradient_source out = DP2DP_GRADIENT_SOURCE_INIT;
    write_people(API_ROWS, 1);
#define OPEN(target) dp2dp_gradient_source_open(schema, &rows, target, 1, &out, &test_error)
    open_encoded(schema, DP2DP_PART_FEATURES, 100, &rows);
    assert_fails(OPEN(DP2DP_TARGET_LABEL), DATA, "\"label\" is missing");
    assert_null(rows.release);
    assert_fails(OPEN(DP2DP_TARGET_LABEL), ARGUMENT, "stream");
    open_encoded(schema, ALL_PARTS, 100, &rows);
    assert_fails(OPEN((dp2dp_target)9), ARGUMENT, "target");
    assert_null(rows.release);
    open_encoded(schema, ALL_PARTS, 100, &rows);
    out.struct_size = 0;
    assert_fails(OPEN(DP2DP_TARGET_LABEL), ARGUMENT, "DP2DP_GRADIENT_SOURCE_INIT");
    assert_null(out.sum);
}
