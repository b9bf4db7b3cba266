/* Sources: when a fit asks them, which tables it refuses, and dp2dp_count, which counts one part of
 * the records. */
#include <ctype.h>

#include "unit/mechanism/ledger_file_data.h"
#include "unit/phase2/criteria.h"

enum {
    N = 300,
    CLASSES = 3,
    GROUPS = 2,
    CELLS = GROUPS * CLASSES,
    STEPS = 5
};

static const char secret[] = "record 17 has income 12345";

/* What a source does wrong. */
typedef enum fault {
    HONEST,
    FAILS,
    COUNTS_TWICE,
    COUNTS_TOO_FEW,
    NEGATIVE,       /* the sum is right */
    HUGE_COUNTS,    /* the sum overflows 64 bits and is N then */
    LEAVES_A_CELL,  /* writes all cells but one */
    MOVES_A_ROW,    /* the sum is right, but one record changes its group */
    MOVES_THE_LAST, /* the sum is right, but one record is no longer left out */
    LOSES_THE_LAST  /* one record that is left out is no longer counted */
} fault;

/* A source over a pool that makes a fault at one question and records when it was asked. */
typedef struct asked {
    dp2dp_source real;
    fault wrong;
    unsigned at;          /* number of the question with the fault, from 1; 0: every question */
    unsigned calls;       /* questions so far */
    unsigned before;      /* questions before the charge */
    dp2dp_ledger *ledger; /* may be NULL */
    int first_is_zero;    /* 1: all offsets of question 1 were 0 */
} asked;

static void make_fault(const asked *a, int64_t *table) {
    size_t last = a->real.strata * a->real.classes;
    switch (a->wrong) {
    case COUNTS_TWICE:
        for (size_t i = 0; i < last; i++) {
            table[i] *= 2;
        }
        break;
    case COUNTS_TOO_FEW:
        table[table[0] > 0 ? 0 : 1]--;
        break;
    case NEGATIVE:
        table[1] += table[0] + 1;
        table[0] = -1;
        break;
    case HUGE_COUNTS:
        table[0] += INT64_MAX - table[0];
        table[1] = table[2] = INT64_MAX;
        break;
    case MOVES_A_ROW:
        table[CLASSES]++;
        table[table[0] > 0 ? 0 : 1]--;
        break;
    case MOVES_THE_LAST:
        table[0]++;
        table[last]--;
        break;
    case LOSES_THE_LAST:
        table[last]--;
        break;
    case HONEST:
    case FAILS:
    case LEAVES_A_CELL:
        break;
    }
}

static dp2dp_status count_asked(void *context, const float *offsets, int64_t *table,
                                dp2dp_error *error) {
    asked *a = context;
    int now = ++a->calls == a->at || a->at == 0;
    int64_t cell = table[2];
    if (a->calls == 1) {
        a->first_is_zero = 1;
        for (size_t i = 0; i < a->real.strata * a->real.classes; i++) {
            a->first_is_zero &= offsets[i] == 0;
        }
    }
    a->before += a->ledger == NULL || charges_in(a->ledger) == 0;
    if (now && a->wrong == FAILS) {
        error->status = DP2DP_STATUS_DATA;
        (void)snprintf(error->message, sizeof error->message, "%s", secret);
        return DP2DP_STATUS_DATA;
    }
    assert_ok(a->real.count(a->real.context, offsets, table, error));
    if (now && a->wrong == LEAVES_A_CELL) {
        table[2] = cell;
    }
    if (now) {
        make_fault(a, table);
    }
    return OK;
}

static dp2dp_source source_with(asked *a) {
    dp2dp_source source = a->real;
    source.context = a;
    source.count = count_asked;
    return source;
}

static people crowd;
static dp2dp_pool *pool;

/* Some records are left out, so that the table has the last cell. */
FIXTURE(begin) {
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    crowd = people_favoured(N, CLASSES, GROUPS, 66);
    for (size_t i = 0; i < N; i += 10) {
        crowd.group[i] = -1;
    }
    options.leaves_out = 1;
    pool = pool_with(&crowd, options);
    return make_folder(state);
}

FIXTURE(end) {
    dp2dp_pool_free(pool);
    people_free(&crowd);
    return remove_folder(state);
}

#define TEST_OF_SOURCES(name) TEST_WITH(name, begin, end)

static dp2dp_status fit_asked(asked *a, double epsilon, dp2dp_ledger *ledger) {
    dp2dp_source source = source_with(a);
    dp2dp_fit_options options = isinf(epsilon) ? noiseless(0.1) : seeded(epsilon, 1);
    HANDLE(dp2dp_model) *model = NULL;
    options.steps = STEPS;
    options.ledger = a->ledger = ledger;
    dp2dp_status status = dp2dp_fit(&source, &options, &model, &test_error);
    assert_int_equal(model == NULL, status != OK);
    return status;
}

TEST_OF_SOURCES(a_fit_asks_once_per_step_and_the_first_question_is_before_the_charge) {
    static const double epsilons[2] = {1, INFINITY};
    for (int i = 0; i < 2; i++) {
        asked a = {.real = dp2dp_pool_source(pool)};
        HANDLE(dp2dp_ledger) *ledger = new_ledger();
        assert_ok(fit_asked(&a, epsilons[i], ledger));
        assert_int_equal(a.calls, STEPS);
        assert_int_equal(a.before, 1);
        assert_true(a.first_is_zero);
        assert_int_equal(charges_in(ledger), isinf(epsilons[i]) ? 1 : 2);
    }
}

/* Neither what the source said nor any count is in the message. */
static void assert_nothing_is_told(void) {
    assert_null(strstr(test_error.message, secret));
    for (const char *c = test_error.message; *c; c++) {
        assert_false(isdigit((unsigned char)*c));
    }
    assert_int_equal(test_error.row, 0);
}

static const struct {
    fault wrong;
    dp2dp_status status;
    const char *words;
} faults[] = {
    {FAILS, DP2DP_STATUS_IO, "the source failed"},
    {COUNTS_TWICE, DP2DP_STATUS_DATA, "sum to more than the number of records"},
    {COUNTS_TOO_FEW, DP2DP_STATUS_DATA, "sum to less than the number of records"},
    {NEGATIVE, DP2DP_STATUS_DATA, "the table has a negative count"},
    {HUGE_COUNTS, DP2DP_STATUS_DATA, "sum to more than the number of records"},
    {LEAVES_A_CELL, DP2DP_STATUS_DATA, "the table has a negative count"},
    {MOVES_A_ROW, DP2DP_STATUS_DATA, "each row of the table must have the same sum"},
    {MOVES_THE_LAST, DP2DP_STATUS_DATA, "each row of the table must have the same sum"},
};
enum {
    FAULTS = sizeof faults / sizeof *faults,
    SEEN_AT_ONCE = 6 /* the faults before this one show in the first table */
};

TEST_OF_SOURCES(a_fault_in_the_first_table_costs_nothing_and_makes_no_ledger) {
    for (size_t i = 0; i < SEEN_AT_ONCE; i++) {
        HANDLE(dp2dp_ledger) *ledger = open_ledger();
        asked a = {.real = dp2dp_pool_source(pool), .wrong = faults[i].wrong};
        assert_int_equal(fit_asked(&a, 1, ledger), faults[i].status);
        assert_non_null(strstr(test_error.message, faults[i].words));
        assert_non_null(strstr(test_error.message, "nothing was charged"));
        assert_nothing_is_told();
        assert_int_equal(a.calls, 1);
        assert_int_equal(dp2dp_ledger_size(ledger), 0);
        assert_false(exists("") || exists(".lock"));
    }
}

TEST_OF_SOURCES(a_fault_in_a_later_table_ends_the_fit_and_the_charge_stays) {
    for (size_t i = 0; i < FAULTS; i++) {
        HANDLE(dp2dp_ledger) *ledger = new_ledger();
        asked a = {.real = dp2dp_pool_source(pool), .wrong = faults[i].wrong, .at = 3};
        assert_int_equal(fit_asked(&a, 1, ledger), faults[i].status);
        assert_non_null(strstr(test_error.message, faults[i].words));
        assert_non_null(strstr(test_error.message, "the charge stays"));
        assert_nothing_is_told();
        assert_int_equal(a.calls, 3);
        assert_int_equal(charges_in(ledger), 2);
    }
}

TEST_OF_SOURCES(a_ledger_that_would_refuse_is_found_before_the_source_is_asked) {
    HANDLE(dp2dp_ledger) *ledger = open_ledger(), *other = NULL;
    asked a = {.real = dp2dp_pool_source(pool)};
    assert_ok(dp2dp_ledger_set_budget_with_charge(ledger, 0.5, 1e-5, NULL));
    assert_status(fit_asked(&a, 1, ledger), BUDGET);
    assert_status(fit_asked(&a, INFINITY, ledger), BUDGET);
    assert_false(exists("") || exists(".lock"));
    assert_ok(dp2dp_ledger_set_budget(ledger, 0.5, 1e-5, NULL));
    other = open_ledger(); /* as another process would */
    assert_ok(try_charge(other, 20));
    assert_status(fit_asked(&a, 0.49, ledger), BUDGET); /* the file has the other charge */
    assert_status(fit_asked(&a, INFINITY, ledger), BUDGET);
    assert_int_equal(a.calls, 0);
    assert_ok(fit_asked(&a, 0.2, ledger));
    assert_int_equal(a.calls, STEPS);
}

/* If scores are counted, the counts of a table sum to at most N. */
TEST(counted_scores_may_sum_to_less_than_n_but_not_to_more) {
    static labelled p;
    way w = {.labels = 1, .weighted = 1, .ignores = 1, .counted = DP2DP_COUNTED_SCORES};
    labelled_new(&p, 50, 2, 2, 7);
    p.scores[0] = NAN;
    HANDLE(dp2dp_pool) *soft = labelled_pool(&p, &w);
    static const struct {
        fault wrong;
        unsigned at;
        dp2dp_status status;
    } cases[] = {{HONEST, 0, OK},
                 {COUNTS_TWICE, 1, DP2DP_STATUS_DATA},
                 {NEGATIVE, 1, DP2DP_STATUS_DATA},
                 {COUNTS_TOO_FEW, 0, OK},
                 {LOSES_THE_LAST, 0, OK},
                 {LOSES_THE_LAST, 2, DP2DP_STATUS_DATA},
                 {COUNTS_TOO_FEW, 2, DP2DP_STATUS_DATA}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        asked a = {.real = dp2dp_pool_source(soft), .wrong = cases[i].wrong, .at = cases[i].at};
        dp2dp_source source = source_with(&a);
        dp2dp_fit_options options = seeded(1, 1);
        HANDLE(dp2dp_model) *model = NULL;
        options.criterion = DP2DP_EQUALIZED_ODDS;
        options.steps = STEPS;
        assert_int_equal(dp2dp_fit(&source, &options, &model, &test_error), cases[i].status);
    }
}

static const size_t parts[] = {120, 0, 1, 99, 1, 0, 79};

/* A source over the parts of the people, each counted by dp2dp_count. */
typedef struct sharded {
    const people *all;
    dp2dp_pool_options options;
} sharded;

static dp2dp_status count_parts(void *context, const float *offsets, int64_t *table,
                                dp2dp_error *error) {
    const sharded *s = context;
    size_t first = 0, cells = CELLS + (size_t)s->options.leaves_out;
    memset(table, 0, cells * sizeof *table);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; first += parts[i++]) {
        int64_t part[CELLS + 1];
        people p = *s->all;
        p.n = parts[i];
        p.scores += first * CLASSES;
        p.group += first;
        dp2dp_matrix scores = scores_of(&p);
        dp2dp_column groups = groups_of(&p);
        if (p.n == 0) {
            scores.data = groups.data = NULL;
        }
        dp2dp_status status = dp2dp_count(&scores, &groups, &s->options, offsets, part, error);
        for (size_t c = 0; c < cells && status == OK; c++) {
            table[c] += part[c];
        }
        assert_ok(status);
    }
    return OK;
}

TEST_OF_SOURCES(seven_parts_with_no_record_or_one_give_the_model_of_the_whole) {
    dp2dp_source whole = dp2dp_pool_source(pool), source = whole;
    sharded s = {&crowd, DP2DP_POOL_OPTIONS_INIT};
    s.options.strata = GROUPS;
    s.options.leaves_out = 1;
    source.context = &s;
    source.count = count_parts;
    dp2dp_fit_options options = seeded(1, 3);
    HANDLE(dp2dp_model) *one = fit_source(&whole, &options), *other = fit_source(&source, &options);
    assert_memory_equal(dp2dp_model_view(one)->offsets, dp2dp_model_view(other)->offsets,
                        CELLS * sizeof(double));
    assert_memory_equal(dp2dp_model_view(one)->shares, dp2dp_model_view(other)->shares,
                        GROUPS * sizeof(double));
}

TEST_OF_SOURCES(a_count_needs_finite_offsets_a_table_and_no_dither_by_row) {
    dp2dp_matrix scores = scores_of(&crowd);
    dp2dp_column groups = groups_of(&crowd);
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    float offsets[CELLS] = {0};
    int64_t table[CELLS + 1];
    options.strata = GROUPS;
    assert_fails(dp2dp_count(&scores, &groups, &options, offsets, table, &test_error), DATA,
                 "row 1");
    options.leaves_out = 1;
    assert_ok(dp2dp_count(&scores, &groups, &options, offsets, table, &test_error));
    assert_int_equal(table[CELLS], N / 10);
    assert_fails(dp2dp_count(&scores, &groups, &options, NULL, table, &test_error), ARGUMENT,
                 "offsets");
    assert_fails(dp2dp_count(&scores, &groups, &options, offsets, NULL, &test_error), ARGUMENT,
                 "table");
    offsets[4] = NAN;
    assert_fails(dp2dp_count(&scores, &groups, &options, offsets, table, &test_error), ARGUMENT,
                 "finite");
    offsets[4] = 0;
    options.dither = (dp2dp_dither) {0.1, 3};
    assert_fails(dp2dp_count(&scores, &groups, &options, offsets, table, &test_error), ARGUMENT,
                 "position among all records");
    options.dither_key = DP2DP_DITHER_KEY_SCORES;
    assert_ok(dp2dp_count(&scores, &groups, &options, offsets, table, &test_error));
}

TEST(a_pool_may_have_no_record_or_one_but_a_fit_needs_two) {
    static const dp2dp_solver solvers[] = {DP2DP_SOLVER_COUNTS, DP2DP_SOLVER_EXACT,
                                           DP2DP_SOLVER_SGD, DP2DP_SOLVER_SGD_AS_PUBLISHED};
    for (size_t n = 0; n < 2; n++) {
        OWNED(people) p = people_random(n, 2, 2, 8, 1);
        HANDLE(dp2dp_pool) *few = pool_of(&p);
        dp2dp_source source = dp2dp_pool_source(few);
        for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
            dp2dp_fit_options options = seeded(1, 1);
            dp2dp_model *model = NULL;
            options.solver = solvers[i];
            assert_fails(dp2dp_fit(&source, &options, &model, &test_error), ARGUMENT, "records");
        }
    }
}

/* A callback that fits on the same people with the same ledger, at the first question. */
static dp2dp_status count_and_fit(void *context, const float *offsets, int64_t *table,
                                  dp2dp_error *error) {
    asked *a = context;
    if (++a->calls == 1) {
        dp2dp_fit_options inner = DP2DP_FIT_OPTIONS_INIT;
        HANDLE(dp2dp_model) *model = NULL;
        inner.epsilon = 0.1;
        inner.delta = 1e-5;
        inner.steps = 2;
        inner.ledger = a->ledger;
        assert_ok(dp2dp_fit(&a->real, &inner, &model, error));
    }
    return a->real.count(a->real.context, offsets, table, error);
}

TEST_OF_SOURCES(a_source_that_uses_the_ledger_does_not_drop_the_cost_of_the_scores) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    HANDLE(dp2dp_model) *model = NULL;
    asked a = {.real = dp2dp_pool_source(pool), .ledger = ledger};
    dp2dp_source source = source_with(&a);
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    source.count = count_and_fit;
    options.epsilon = 1;
    options.delta = 1e-5;
    options.steps = STEPS;
    options.people = DP2DP_PEOPLE_SAME;
    options.scores_epsilon = 5;
    options.scores_delta = 1e-6;
    options.ledger = ledger;
    assert_ok(dp2dp_fit(&source, &options, &model, &test_error));
    assert_int_equal(charges_in(ledger), 5); /* two fits of two entries, and the scores */
    int declared = 0;
    for (size_t i = 0; i < dp2dp_ledger_size(ledger); i++) {
        dp2dp_event event = DP2DP_EVENT_INIT;
        dp2dp_rng_kind rng;
        assert_ok(dp2dp_ledger_entry(ledger, i, &event, &rng, NULL));
        declared += event.mechanism == DP2DP_DECLARED && event.epsilon == 5;
    }
    assert_int_equal(declared, 1);
}
