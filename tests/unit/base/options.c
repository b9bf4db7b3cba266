/* Structs that get new fields: their defaults, their option tables, and callers older or newer than
 * the library. */
#include "support.h"

#include <dp2dp/dp2dp.h>

#include "base/options.h"

enum {
    WORD = sizeof(size_t),
    MOST = 1024, /* bytes; more than any struct and its future fields */
    FILL = 0xA5
};

static dp2dp_pool *pool;
static dp2dp_source source;
static dp2dp_model *model;
static dp2dp_schema *schema;
static const double scores[4] = {0.75, 0.25, 0.25, 0.75};
static const int32_t codes[2] = {0, 1};
static const dp2dp_matrix matrix = {scores, DP2DP_FLOAT64, 2, 2, 2 * sizeof(double), 8};
static const dp2dp_column column = {codes, DP2DP_INT32, 2, 4};

static dp2dp_fit_options noiseless(void) {
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    options.epsilon = INFINITY;
    return options;
}

static dp2dp_certify_options certifying(void) {
    dp2dp_certify_options options = DP2DP_CERTIFY_OPTIONS_INIT;
    options.epsilon = 1;
    options.delta = 1e-5;
    options.rng = DP2DP_RNG_INSECURE;
    assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &options.ledger, &test_error));
    return options;
}

FIXTURE(set_up) {
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_fit_options fit = noiseless();
    options.strata = 2;
    assert_ok(dp2dp_pool_new(&matrix, &column, &options, &pool, &test_error));
    source = dp2dp_pool_source(pool);
    assert_ok(dp2dp_fit(&source, &fit, &model, &test_error));
    assert_ok(dp2dp_schema_load("adult", &schema, &test_error));
    return 0;
}

FIXTURE(tear_down) {
    dp2dp_model_free(model);
    dp2dp_pool_free(pool);
    dp2dp_schema_free(schema);
    return 0;
}

/* Each function calls a public function with the given struct and otherwise valid arguments. */
static dp2dp_status use_event(void *given, dp2dp_error *error) {
    return dp2dp_event_check(given, DP2DP_REPLACE_ONE, error);
}
static dp2dp_status use_last_iterate(void *given, dp2dp_error *error) {
    double epsilon;
    return dp2dp_last_iterate_epsilon(given, 1e-5, &epsilon, error);
}
static dp2dp_status use_pool_options(void *given, dp2dp_error *error) {
    dp2dp_pool *out = NULL;
    return dp2dp_pool_new(&matrix, &column, given, &out, error);
}
static dp2dp_status use_source(void *given, dp2dp_error *error) {
    dp2dp_fit_options options = noiseless();
    dp2dp_model *out = NULL;
    return dp2dp_fit(given, &options, &out, error);
}
static dp2dp_status use_fit_options(void *given, dp2dp_error *error) {
    dp2dp_model *out = NULL;
    return dp2dp_fit(&source, given, &out, error);
}
static dp2dp_status use_train_options(void *given, dp2dp_error *error) {
    dp2dp_model *out = NULL;
    return dp2dp_train(schema, NULL, given, &out, error);
}
static dp2dp_status use_predict_options(void *given, dp2dp_error *error) {
    int32_t out[2];
    return dp2dp_model_predict(model, &matrix, &column, given, out, error);
}
static dp2dp_status use_evaluate_options(void *given, dp2dp_error *error) {
    dp2dp_evaluation *out = NULL;
    return dp2dp_evaluate(&column, &column, NULL, given, &out, error);
}
static dp2dp_status use_certify_options(void *given, dp2dp_error *error) {
    dp2dp_certificate out = DP2DP_CERTIFICATE_INIT;
    return dp2dp_certify(&source, model, given, &out, error);
}
static dp2dp_status use_certificate(void *given, dp2dp_error *error) {
    dp2dp_certify_options options = certifying();
    dp2dp_status status = dp2dp_certify(&source, model, &options, given, error);
    dp2dp_ledger_free(options.ledger);
    return status;
}
static dp2dp_status use_table_options(void *given, dp2dp_error *error) {
    struct ArrowArrayStream out;
    return dp2dp_table_open("missing.csv", given, &out, error);
}
static dp2dp_status use_gradient_source(void *given, dp2dp_error *error) {
    dp2dp_train_options options = DP2DP_TRAIN_OPTIONS_INIT;
    dp2dp_model *out = NULL;
    options.epsilon = INFINITY;
    return dp2dp_train_source(schema, given, &options, &out, error);
}

static const struct {
    dp2dp_struct which;
    size_t size, first; /* bytes now, and bytes of the first version */
    const char *init;
    dp2dp_status (*use)(void *given, dp2dp_error *error);
} structs[] = {
#define STRUCT(NAME, name, last)                                                            \
    {                                                                                       \
        DP2DP_STRUCT_##NAME, sizeof(dp2dp_##name),                                          \
            (offsetof(dp2dp_##name, last) + sizeof(((dp2dp_##name *)0)->last) + WORD - 1) / \
                WORD *WORD,                                                                 \
            "DP2DP_" #NAME "_INIT", use_##name                                              \
    }
    STRUCT(EVENT, event, delta),
    STRUCT(LAST_ITERATE, last_iterate, intermediate_released),
    STRUCT(POOL_OPTIONS, pool_options, dither),
    STRUCT(SOURCE, source, count),
    STRUCT(FIT_OPTIONS, fit_options, ledger),
    STRUCT(TRAIN_OPTIONS, train_options, ledger),
    STRUCT(PREDICT_OPTIONS, predict_options, first_row),
    STRUCT(EVALUATE_OPTIONS, evaluate_options, bootstrap_draws),
    STRUCT(CERTIFY_OPTIONS, certify_options, ledger),
    STRUCT(CERTIFICATE, certificate, sigma),
    STRUCT(TABLE_OPTIONS, table_options, cancel_context),
    STRUCT(GRADIENT_SOURCE, gradient_source, leaves_out),
};
enum {
    STRUCTS = sizeof structs / sizeof structs[0]
};

static void set_size(void *object, size_t size) {
    memcpy(object, &size, sizeof size);
}

/* Makes a struct as a caller has it whose header gives it this size. The memory ends there. */
static unsigned char *caller_with(dp2dp_struct which, size_t size) {
    unsigned char *object = malloc(size);
    assert_non_null(object);
    memset(object, FILL, size);
    dp2dp_struct_init(which, object, size);
    return object;
}

static void assert_filled(const unsigned char *from, const unsigned char *to, int byte) {
    for (; from < to; from++) {
        assert_int_equal(*from, byte);
    }
}

/* The result does not depend on the bytes that were there before. */
TEST(init_sets_every_byte_and_the_options_of_the_table) {
    for (size_t s = 0; s < STRUCTS; s++) {
        _Alignas(max_align_t) unsigned char a[MOST], b[MOST];
        size_t size, count;
        const dp2dp_option *options = dp2dp_options(structs[s].which, &count);
        memset(a, FILL, sizeof a);
        memset(b, ~FILL, sizeof b);
        dp2dp_struct_init(structs[s].which, a, structs[s].size);
        dp2dp_struct_init(structs[s].which, b, structs[s].size);
        assert_memory_equal(a, b, structs[s].size);
        assert_filled(a + structs[s].size, a + MOST, FILL);
        memcpy(&size, a, sizeof size);
        assert_int_equal(size, structs[s].size);
        for (size_t i = 0; i < count; i++) {
            double value = dp2dpi_option_value(&options[i], a), wanted = options[i].default_value;
            assert_true(value == wanted || (isnan(value) && isnan(wanted)));
        }
    }
}

/* Written by hand: the defaults that no option table has, and some that a table has. */
TEST(defaults_are_pinned) {
    dp2dp_fit_options fit = DP2DP_FIT_OPTIONS_INIT;
    dp2dp_train_options train = DP2DP_TRAIN_OPTIONS_INIT;
    dp2dp_evaluate_options evaluate = DP2DP_EVALUATE_OPTIONS_INIT;
    dp2dp_certify_options certify = DP2DP_CERTIFY_OPTIONS_INIT;
    dp2dp_table_options table = DP2DP_TABLE_OPTIONS_INIT;
    assert_int_equal(fit.solver, DP2DP_SOLVER_COUNTS);
    assert_int_equal(fit.rng, DP2DP_RNG_SECURE);
    assert_int_equal(fit.people, DP2DP_PEOPLE_OTHER);
    assert_int_equal(fit.rows_per_person, 1);
    assert_true(fit.rho == 0 && isnan(fit.epsilon) && isnan(fit.scores_epsilon));
    assert_int_equal(train.method, DP2DP_TRAIN_DPGD);
    assert_int_equal(train.rng, DP2DP_RNG_SECURE);
    assert_int_equal(train.rows_per_person, 1);
    assert_true(train.clip == 1 && isnan(train.epsilon) && train.momentum == 0.9);
    assert_true(evaluate.confidence == 0.95 && evaluate.bootstrap_draws == 2000);
    assert_int_equal(evaluate.positive, DP2DP_POSITIVE_DEFAULT);
    assert_true(certify.confidence == 0.95 && certify.rows_per_person == 0); /* the model's */
    assert_int_equal(certify.rng, DP2DP_RNG_SECURE);
    assert_true(table.separator == ',' && table.chunk_rows == 65536);
}

/* The options are adjacent: the table has every number of the struct, in order. */
static void assert_complete(dp2dp_struct which, size_t first, size_t end) {
    size_t count;
    const dp2dp_option *options = dp2dp_options(which, &count);
    assert_int_equal(count, (end - first) / 8);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(options[i].offset, first + 8 * i);
    }
}

TEST(tables_name_every_number_of_their_struct) {
    assert_complete(DP2DP_STRUCT_FIT_OPTIONS, offsetof(dp2dp_fit_options, rho),
                    offsetof(dp2dp_fit_options, names));
    assert_complete(DP2DP_STRUCT_TRAIN_OPTIONS, offsetof(dp2dp_train_options, epsilon),
                    offsetof(dp2dp_train_options, weights));
    size_t count = 1;
    assert_null(dp2dp_options((dp2dp_struct)0, &count));
    assert_int_equal(count, 0);
    assert_null(dp2dp_options((dp2dp_struct)99, &count));
}

static void assert_users(const char *users, dp2dp_word_table words) {
    char copy[128];
    snprintf(copy, sizeof copy, "%s", users);
    for (char *word = strtok(copy, "|"); word; word = strtok(NULL, "|")) {
        int value;
        assert_ok(dp2dp_word_parse(words, word, &value, &test_error));
    }
}

TEST(rows_of_tables_make_sense) {
    for (size_t s = 0; s < STRUCTS; s++) {
        size_t count;
        const dp2dp_option *options = dp2dp_options(structs[s].which, &count);
        for (const dp2dp_option *o = options; o < options + count; o++) {
            double unset = o->default_value;
            assert_true(o->offset >= WORD && o->offset + 8 <= structs[s].size);
            assert_int_equal(o->offset % 8, 0);
            assert_true(o->type == DP2DP_OPTION_REAL || o->type == DP2DP_OPTION_COUNT);
            assert_true(o->min < o->max && (o->type == DP2DP_OPTION_REAL || !isnan(unset)));
            assert_true(isnan(unset) || (unset >= o->min && unset <= o->max));
            assert_true((!o->min_open || unset != o->min) && (!o->max_open || unset != o->max));
            assert_true(strlen(o->name) > 0 && strlen(o->help) > 10);
            if (o->used_by) {
                assert_users(o->used_by, structs[s].which == DP2DP_STRUCT_FIT_OPTIONS
                                             ? DP2DP_WORDS_SOLVER
                                             : DP2DP_WORDS_METHOD);
            }
            for (const dp2dp_option *other = options; other < o; other++) {
                assert_string_not_equal(other->name, o->name);
                assert_int_not_equal(other->offset, o->offset);
            }
        }
    }
}

TEST(fields_that_an_older_caller_lacks_take_their_defaults) {
    for (size_t s = 0; s < STRUCTS; s++) {
        for (size_t size = structs[s].first; size <= structs[s].size; size += WORD) {
            _Alignas(max_align_t) unsigned char whole[MOST], ours[MOST];
            unsigned char *old = caller_with(structs[s].which, size);
            dp2dp_struct_init(structs[s].which, whole, structs[s].size);
            memset(old + WORD, 0x11, size - WORD); /* what the caller chose */
            memset(whole + WORD, 0x11, size - WORD);
            assert_ok(dp2dpi_struct_read(structs[s].which, old, ours, &test_error));
            assert_memory_equal(ours, whole, structs[s].size);
            free(old);
        }
    }
}

TEST(fields_of_a_newer_caller_are_refused_unless_they_are_zero) {
    for (size_t s = 0; s < STRUCTS; s++) {
        size_t size = structs[s].size + 2 * WORD;
        _Alignas(max_align_t) unsigned char whole[MOST], ours[MOST];
        unsigned char *newer = caller_with(structs[s].which, size);
        dp2dp_struct_init(structs[s].which, whole, structs[s].size);
        assert_filled(newer + structs[s].size, newer + size, 0);
        assert_ok(dp2dpi_struct_read(structs[s].which, newer, ours, &test_error));
        assert_memory_equal(ours, whole, structs[s].size);
        for (size_t at = structs[s].size; at < size; at++) {
            newer[at] = 1;
            assert_fails(structs[s].use(newer, &test_error), ARGUMENT,
                         "sets a field that this library does not know");
            assert_says(test_error.message, structs[s].init);
            newer[at] = 0;
        }
        free(newer);
    }
}

TEST(sizes_that_cannot_be_are_refused_with_the_macro_to_start_from) {
    static const size_t wrong[] = {0, 7, WORD, WORD + 1, 4097, 5000, SIZE_MAX - WORD + 1};
    for (size_t s = 0; s < STRUCTS; s++) {
        unsigned char *given = caller_with(structs[s].which, 8192); /* followed by zeros */
        for (size_t i = 0; i <= sizeof wrong / sizeof *wrong; i++) {
            set_size(given, i < sizeof wrong / sizeof *wrong ? wrong[i] : structs[s].first - WORD);
            assert_fails(structs[s].use(given, &test_error), ARGUMENT, structs[s].init);
        }
        if (structs[s].which != DP2DP_STRUCT_PREDICT_OPTIONS) { /* NULL: the defaults */
            assert_fails(structs[s].use(NULL, &test_error), ARGUMENT, structs[s].init);
        }
        free(given);
    }
}

/* Puts the caller's struct at the start of a buffer filled with FILL. */
static void begin_guarded(dp2dp_struct which, size_t size, unsigned char *buffer) {
    memset(buffer, FILL, MOST);
    dp2dp_struct_init(which, buffer, size);
}

static void end_guarded(const unsigned char *buffer, size_t size, size_t known) {
    size_t said;
    memcpy(&said, buffer, sizeof said);
    assert_int_equal(said, size); /* it stays the caller's */
    assert_filled(buffer + size, buffer + MOST, FILL);
    if (size > known) {
        assert_filled(buffer + known, buffer + size, 0);
    }
}

TEST(what_is_filled_for_a_caller_ends_where_its_struct_does) {
    _Alignas(max_align_t) unsigned char buffer[MOST];
    dp2dp_certify_options options = certifying();
    dp2dp_certificate certificate = DP2DP_CERTIFICATE_INIT;
    dp2dp_event event = DP2DP_EVENT_INIT;
    dp2dp_rng_kind rng;
    assert_ok(dp2dp_certify(&source, model, &options, &certificate, &test_error));
    assert_ok(dp2dp_ledger_entry(options.ledger, 0, &event, &rng, &test_error));
    for (size_t size = structs[0].first; size <= sizeof event + 2 * WORD; size += WORD) {
        begin_guarded(DP2DP_STRUCT_EVENT, size, buffer);
        assert_ok(dp2dp_ledger_entry(options.ledger, 0, (void *)buffer, &rng, &test_error));
        end_guarded(buffer, size, sizeof event);
        assert_memory_equal(buffer + WORD, (unsigned char *)&event + WORD,
                            (size < sizeof event ? size : sizeof event) - WORD);
    }
    for (size_t size = structs[9].first; size <= sizeof certificate + 2 * WORD; size += WORD) {
        begin_guarded(DP2DP_STRUCT_CERTIFICATE, size, buffer);
        assert_ok(dp2dp_certify(&source, model, &options, (void *)buffer, &test_error));
        end_guarded(buffer, size, sizeof certificate);
        assert_memory_equal(buffer + WORD, (unsigned char *)&certificate + WORD,
                            (size < sizeof certificate ? size : sizeof certificate) - WORD);
    }
    for (size_t size = WORD; size <= sizeof source + 2 * WORD; size += WORD) {
        begin_guarded(DP2DP_STRUCT_SOURCE, size, buffer);
        dp2dp_pool_fill_source(pool, (void *)buffer);
        end_guarded(buffer, size, sizeof source);
    }
    dp2dp_ledger_free(options.ledger);
}

/* If a shorter struct were accepted, the ledger would be lost, whose budget refuses this fit. */
TEST(options_shorter_than_their_first_version_are_refused) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    assert_ok(dp2dp_ledger_set_budget(ledger, 0.5, 1e-5, &test_error));
    for (size_t size = 0; size < offsetof(dp2dp_fit_options, progress); size++) {
        dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
        dp2dp_model *fitted = NULL;
        options.epsilon = 1;
        options.delta = 1e-5;
        options.steps = 1;
        options.ledger = ledger;
        options.struct_size = size;
        assert_int_equal(dp2dp_fit(&source, &options, &fitted, &test_error), DP2DP_STATUS_ARGUMENT);
        assert_says(test_error.message, "DP2DP_FIT_OPTIONS_INIT");
        assert_null(fitted);
    }
}

/* If a shorter event were accepted, defaults would replace count and rows_per_person. */
TEST(an_event_is_charged_whole_or_not_at_all) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    for (size_t size = 0; size <= sizeof(dp2dp_event); size++) {
        dp2dp_event event = DP2DP_EVENT_INIT, charged = DP2DP_EVENT_INIT;
        dp2dp_rng_kind kind;
        event.mechanism = DP2DP_GAUSSIAN;
        event.sensitivity = 1;
        event.sigma = 10;
        event.count = 100;
        event.rows_per_person = event.coordinates = 5;
        event.scale = 1024;
        event.struct_size = size;
        size_t before = dp2dp_ledger_size(ledger);
        if (dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, &test_error) == OK) {
            assert_ok(dp2dp_ledger_entry(ledger, before, &charged, &kind, &test_error));
            assert_int_equal(charged.count, 100);
            assert_int_equal(charged.rows_per_person, 5);
            assert_true(charged.scale == 1024);
        }
    }
    assert_int_equal(dp2dp_ledger_size(ledger),
                     5); /* up to delta, label, set, role and release_id */
}

GROUP(set_up, tear_down)
