/* Tests that a plan charges exactly what the real call charges: the ledgers are equal byte for
 * byte, except for the release_id, which a plan does not have, the time, and the hashes, which
 * cover both. A plan needs no records and no randomness; this executable has its own
 * dp2dpi_entropy, which can be turned off. */
#include "unit/training/data.h"

#include <dp2dp/metrics.h>

static int has_entropy = 1;
static unsigned char next_byte;

dp2dp_status dp2dpi_entropy(void *buffer, size_t length, dp2dp_error *error) {
    if (!has_entropy) {
        return dp2dpi_fail(error, DP2DP_STATUS_ENTROPY, "no randomness here");
    }
    memset(buffer, ++next_byte, length);
    return OK;
}

enum {
    PEOPLE = 400,
    RNGS = 2
};
static const dp2dp_rng_kind rngs[RNGS] = {DP2DP_RNG_SECURE, DP2DP_RNG_INSECURE};

/* Overwrites the value of every member `name` with x. */
static void mask(char *text, const char *name) {
    size_t length = strlen(name);
    for (char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
        at += length;
        memset(at, 'x', strcspn(at, "\""));
    }
}

/* Removes every release_id. */
static void drop_ids(char *text) {
    static const char name[] = "\"release_id\":\"";
    size_t length = strlen(name) + 32 + 2; /* up to the comma */
    for (char *at = strstr(text, name); at; at = strstr(at, name)) {
        memmove(at, at + length, strlen(at + length) + 1);
    }
}

/* The text of a ledger without what a plan cannot have. Not inlined: otherwise gcc 12 believes
 * that the text points to itself. */
__attribute__((noinline)) static char *ledger_text(const dp2dp_ledger *ledger) {
    size_t length;
    char *text = NULL;
    assert_ok(dp2dp_ledger_to_json(ledger, &text, &length, &test_error));
    drop_ids(text);
    mask(text, "\"time\":\"");
    mask(text, "\"previous\":\"");
    mask(text, "\"hash\":\"");
    return text;
}

/* The call to plan: a fit, a training run or a certificate. */
typedef struct job {
    dp2dp_source source; /* has only sizes */
    const dp2dp_fit_options *fit;
    const dp2dp_schema *schema;
    const dp2dp_train_options *train;
    const dp2dp_model *model;
    const dp2dp_certify_options *certify;
} job;

static dp2dp_status plan(const job *j, dp2dp_ledger *ledger, dp2dp_error *error) {
    has_entropy = 0;
    dp2dp_status status = j->fit ? dp2dp_fit_plan(&j->source, j->fit, ledger, error)
                          : j->train
                              ? dp2dp_train_plan(j->schema, PEOPLE, j->train, ledger, error)
                              : dp2dp_certify_plan(&j->source, j->model, j->certify, ledger, error);
    has_entropy = 1;
    return status;
}

/* Checks that the plan charges what is in *charged, and charges nothing at all if any entry exceeds
 * a smaller budget. Ownership: frees *charged. */
static void assert_planned(const job *j, dp2dp_ledger *charged, size_t entries) {
    static const double budgets[] = {1e-6, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 0.99};
    dp2dp_ledger *planned = new_ledger();
    assert_ok(plan(j, planned, &test_error));
    TEXT_FREED char *real = ledger_text(charged), *text = ledger_text(planned);
    assert_string_equal(text, real);
    assert_int_equal(dp2dp_ledger_size(planned), entries);
    dp2dp_ledger_free(planned);
    for (size_t i = 0; entries > 0 && i < sizeof budgets / sizeof *budgets; i++) {
        HANDLE(dp2dp_ledger) *small = new_ledger();
        assert_ok(dp2dp_ledger_set_budget(small, budgets[i], 1e-9, &test_error));
        assert_status(plan(j, small, NULL), BUDGET);
        assert_int_equal(charges_in(small), 0);
    }
    assert_true(entries == 0 || plan(j, NULL, NULL) == DP2DP_STATUS_ARGUMENT);
    dp2dp_ledger_free(charged);
}

TEST(a_fit_charges_what_its_plan_does) {
    static const size_t entries[] = {0, 2, 1, 2, 2}; /* entries for each solver */
    OWNED(people) p = people_favoured(PEOPLE, 2, 2, 5);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    dp2dp_source source = dp2dp_pool_source(pool);
    size_t count;
    const dp2dp_word *solvers = dp2dp_words(DP2DP_WORDS_SOLVER, &count);
    for (size_t s = 0; s < count; s++) {
        for (int r = 0; r <= RNGS; r++) { /* the last round has no noise */
            dp2dp_fit_options options = seeded(r < RNGS ? 1 : INFINITY, 3);
            options.solver = (dp2dp_solver)solvers[s].value;
            options.rng = rngs[r % RNGS];
            options.steps = 7;
            options.rows_per_person = options.solver == DP2DP_SOLVER_SGD_AS_PUBLISHED ? 1 : 2;
            options.ledger = new_ledger();
            job j = {.source = source, .fit = &options};
            j.source.count = NULL;
            j.source.context = NULL;
            dp2dp_model_free(fit_source(&source, &options));
            assert_planned(&j, options.ledger, r < RNGS ? entries[options.solver] : 1);
        }
    }
}

TEST(a_training_charges_what_its_plan_does) {
    static const double weights[3 * (API_FEATURES + 1)];
    HANDLE(dp2dp_schema) *schema = schema_of(api_schema);
    size_t count;
    const dp2dp_word *methods = dp2dp_words(DP2DP_WORDS_METHOD, &count);
    write_people(PEOPLE, 1);
    for (size_t m = 0; m < count; m++) {
        int external = methods[m].value == DP2DP_TRAIN_EXTERNAL;
        for (int r = 0; r <= RNGS; r++) {
            dp2dp_train_options options = api_options((dp2dp_train_method)methods[m].value);
            struct ArrowArrayStream rows = {0};
            HANDLE(dp2dp_model) *model = NULL;
            options.weights = external ? weights : NULL;
            options.rng = rngs[r % RNGS];
            if (r == RNGS) {
                options.epsilon = external ? NAN : INFINITY;
                options.delta = NAN;
            }
            options.ledger = new_ledger();
            job j = {.schema = schema, .train = &options};
            if (!external) {
                open_encoded(schema, DP2DP_PART_FEATURES | DP2DP_PART_LABEL, API_CHUNK, &rows);
            }
            assert_ok(dp2dp_train(schema, external ? NULL : &rows, &options, &model, &test_error));
            assert_planned(&j, options.ledger, external && r == RNGS ? 0 : 1);
        }
    }
}

TEST(a_certificate_charges_what_its_plan_does) {
    OWNED(people) p = people_favoured(PEOPLE, 3, 2, 6);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    dp2dp_fit_options fit = noiseless(0);
    dp2dp_source source = dp2dp_pool_source(pool);
    HANDLE(dp2dp_model) *model = fit_source(&source, &fit);
    for (int r = 0; r < RNGS; r++) {
        dp2dp_certify_options options = DP2DP_CERTIFY_OPTIONS_INIT;
        dp2dp_certificate certificate = DP2DP_CERTIFICATE_INIT;
        options.epsilon = 1;
        options.delta = 1e-5;
        options.rows_per_person = 3;
        options.rng = rngs[r];
        options.ledger = new_ledger();
        job j = {.source = source, .model = model, .certify = &options};
        j.source.count = NULL;
        assert_ok(dp2dp_certify(&source, model, &options, &certificate, &test_error));
        assert_planned(&j, options.ledger, 1);
    }
}

/* A plan refuses what the call refuses, with the same message. It also refuses an add-remove
 * ledger. */
TEST(a_plan_refuses_what_the_call_refuses) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger(), *other = NULL;
    dp2dp_fit_options options = seeded(1, 1);
    job j = {.source = source_of(PEOPLE, 2, 2, NULL, NULL), .fit = &options};
    assert_ok(dp2dp_ledger_new(DP2DP_ADD_REMOVE, &other, &test_error));
    assert_fails(plan(&j, other, &test_error), ARGUMENT, "replace-one");
    options.offset_max = 1e9;
    assert_fails(plan(&j, ledger, &test_error), ARGUMENT, "offset_max");
    options = seeded(1, 1);
    j.source.records = 1;
    assert_fails(plan(&j, ledger, &test_error), ARGUMENT, "records = 1");
    assert_int_equal(dp2dp_ledger_size(ledger) + dp2dp_ledger_size(other), 0);
}
