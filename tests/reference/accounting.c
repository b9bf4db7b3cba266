/* The accountant against independent values, row by row. README.md says where each table comes
 * from. */
#include "support.h"

#include <dp2dp/accountant.h>

enum {
    MAX_ROWS = 2048,
    MAX_COLUMNS = 12,
    COMPOSED_ROWS = 486,
    FINE_ROWS = 480,
    EXTREME_ROWS = 224
};

/* What a pessimistic bound has to meet: at most 0.1 % above, at most 0.5 % below a reference. */
static const double ABOVE = 1.001;
static const double BELOW = 0.995;
static const double CLOSED_FORM = 1e-9;

typedef struct table {
    const char *file;
    char *text;
    size_t columns, rows;
    char *name[MAX_COLUMNS];
    char *cell[MAX_ROWS][MAX_COLUMNS];
} table;

static char *slurp(const char *file) {
    char path[1024];
    snprintf(path, sizeof path, "%s/reference/%s", DP2DP_TEST_DIR, file);
    FILE *in = fopen(path, "rb");
    if (in == NULL) {
        fail_msg("cannot open %s", path);
    }
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    long size = ftell(in);
    assert_true(size > 0);
    rewind(in);
    char *text = calloc((size_t)size + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, in), (size_t)size);
    fclose(in);
    return text;
}

static size_t split(char *line, char **cell) {
    size_t n = 0;
    for (char *at = line; at != NULL && n < MAX_COLUMNS; n++) {
        char *comma = strchr(at, ',');
        cell[n] = at;
        if (comma != NULL) {
            *comma++ = '\0';
        }
        at = comma;
    }
    return n;
}

/* Fails unless the table has exactly the number of rows it was generated with: a lost row is a
 * lost test. */
static table *table_read(const char *file, size_t expected_rows) {
    table *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->file = file;
    t->text = slurp(file);
    char *rest = NULL;
    for (char *line = strtok_r(t->text, "\r\n", &rest); line != NULL;
         line = strtok_r(NULL, "\r\n", &rest)) {
        if (line[0] == '#') {
            continue;
        }
        if (t->columns == 0) {
            t->columns = split(line, t->name);
            continue;
        }
        assert_true(t->rows < MAX_ROWS);
        size_t n = split(line, t->cell[t->rows]);
        if (n != t->columns) {
            fail_msg("%s row %zu has %zu cells, not %zu", file, t->rows + 1, n, t->columns);
        }
        t->rows++;
    }
    if (t->rows != expected_rows) {
        fail_msg("%s has %zu rows, not %zu", file, t->rows, expected_rows);
    }
    return t;
}

static void table_free(table *t) {
    free(t->text);
    free(t);
}

DEFINE_HANDLE(table)

static const char *text_at(const table *t, size_t row, const char *column) {
    for (size_t j = 0; j < t->columns; j++) {
        if (strcmp(t->name[j], column) == 0) {
            return t->cell[row][j];
        }
    }
    fail_msg("%s has no column %s", t->file, column);
    return NULL;
}

static double number_at(const table *t, size_t row, const char *column) {
    const char *text = text_at(t, row, column);
    char *end = NULL;
    double value = strtod(text, &end);
    if (end == text || *end != '\0') {
        fail_msg("%s row %zu: %s is not a number: %s", t->file, row + 1, column, text);
    }
    return value;
}

static int is(const table *t, size_t row, const char *column, const char *word) {
    return strcmp(text_at(t, row, column), word) == 0;
}

/* Prints the row and what was wrong with it; the caller counts and fails at the end, so that one
 * run names every bad row. */
static size_t bad_row(const table *t, size_t row, const char *what, double ours, double bound) {
    print_error("%s row %zu:", t->file, row + 1);
    for (size_t j = 0; j < t->columns; j++) {
        print_error(" %s=%s", t->name[j], t->cell[row][j]);
    }
    print_error(": %s: ours %.17g, bound %.17g\n", what, ours, bound);
    return 1;
}

typedef struct query {
    dp2dp_event event;
    dp2dp_adjacency adjacency;
} query;

static query query_of(const char *relation, double sigma) {
    query q = {.event = DP2DP_EVENT_INIT};
    q.adjacency = strcmp(relation, "REPLACE_ONE") == 0 ? DP2DP_REPLACE_ONE : DP2DP_ADD_REMOVE;
    q.event.mechanism = DP2DP_GAUSSIAN;
    q.event.sigma = sigma;
    q.event.sensitivity = q.adjacency == DP2DP_REPLACE_ONE ? 2.0 : 1.0;
    return q;
}

static void sample_poisson(query *q, double rate) {
    q->event.mechanism = DP2DP_POISSON;
    q->event.rate = rate;
}

static void sample_without(query *q, double rate) {
    q->event.mechanism = DP2DP_WITHOUT_REPLACEMENT;
    q->event.rate = rate;
}

static void sample_with(query *q, double population, double draws) {
    q->event.mechanism = DP2DP_WITH_REPLACEMENT;
    q->event.population = population;
    q->event.draws = (uint64_t)llround(draws);
}

/* A row of accounting_reference.csv. Its with-replacement rows are for n = 100,000. */
static query query_of_reference(const table *t, size_t row) {
    query q = query_of(text_at(t, row, "neighbouring_relation"), number_at(t, row, "sigma"));
    const char *mechanism = text_at(t, row, "mechanism");
    double rate = number_at(t, row, "q");
    if (strcmp(mechanism, "poisson_gaussian") == 0) {
        sample_poisson(&q, rate);
    } else if (strncmp(mechanism, "wor_", 4) == 0) {
        sample_without(&q, rate);
    } else if (strncmp(mechanism, "wr_", 3) == 0) {
        sample_with(&q, 1e5, rate * 1e5);
    } else if (strcmp(mechanism, "gaussian") != 0) {
        fail_msg("%s row %zu: unknown mechanism %s", t->file, row + 1, mechanism);
    }
    q.event.count = (uint64_t)number_at(t, row, "T");
    return q;
}

static dp2dp_accountant *accountant_of(const query *q) {
    dp2dp_accountant *accountant = NULL;
    assert_ok(dp2dp_accountant_new(q->adjacency, &accountant, &test_error));
    assert_ok(dp2dp_accountant_add(accountant, &q->event, &test_error));
    return accountant;
}

/* NaN, which fails every comparison below, where the accountant refuses. */
static double epsilon_at(const query *q, double delta, dp2dp_backend backend) {
    dp2dp_error error = {0};
    double epsilon = NAN;
    HANDLE(dp2dp_accountant) *accountant = accountant_of(q);
    if (dp2dp_accountant_epsilon(accountant, delta, backend, &epsilon, NULL, &error) !=
        DP2DP_STATUS_OK) {
        print_error("%s\n", error.message);
        epsilon = NAN;
    }
    return epsilon;
}

static double delta_at(const query *q, double epsilon, dp2dp_backend backend) {
    dp2dp_error error = {0};
    double delta = NAN;
    HANDLE(dp2dp_accountant) *accountant = accountant_of(q);
    if (dp2dp_accountant_delta(accountant, epsilon, backend, &delta, NULL, &error) !=
        DP2DP_STATUS_OK) {
        print_error("%s\n", error.message);
        delta = NAN;
    }
    return delta;
}

static size_t outside(const table *t, size_t row, const char *what, double ours, double lower,
                      double upper) {
    if (!(ours >= lower)) {
        return bad_row(t, row, what, ours, lower);
    }
    return ours <= upper ? 0 : bad_row(t, row, what, ours, upper);
}

static table *reference_read(void) {
    return table_read("accounting_reference.csv", 883);
}

/* The rows of composed_exact.csv follow the sampled `pld` rows of the reference, in order. */
static table *composed_read(void) {
    return table_read("composed_exact.csv", COMPOSED_ROWS);
}

static query query_of_composed(const table *t, size_t row) {
    query q = query_of(text_at(t, row, "relation"), number_at(t, row, "sigma"));
    double rate = number_at(t, row, "q");
    if (is(t, row, "sampler", "poisson")) {
        sample_poisson(&q, rate);
    } else if (is(t, row, "sampler", "without")) {
        sample_without(&q, rate);
    } else {
        sample_with(&q, 1e5, rate * 1e5);
    }
    q.event.count = (uint64_t)number_at(t, row, "T");
    return q;
}

/* Rows of that accountant in the reference whose epsilon is more than `factor` times theirs. */
static size_t above_reference(const char *accountant, dp2dp_backend backend, double factor,
                              size_t expected) {
    HANDLE(table) *t = reference_read();
    size_t seen = 0, bad = 0;
    for (size_t i = 0; i < t->rows; i++) {
        if (!is(t, i, "accountant", accountant)) {
            continue;
        }
        query q = query_of_reference(t, i);
        double ours = epsilon_at(&q, number_at(t, i, "delta"), backend);
        bad += outside(t, i, accountant, ours, 0.0, number_at(t, i, "epsilon") * factor);
        seen++;
    }
    assert_int_equal(seen, expected);
    return bad;
}

TEST(pld_is_at_most_a_thousandth_above_the_reference) {
    assert_int_equal(above_reference("pld", DP2DP_BACKEND_PLD, ABOVE, 550), 0);
}

static size_t too_far_below(const table *t, size_t row, const query *q, double reference) {
    double ours = epsilon_at(q, number_at(t, row, "delta"), DP2DP_BACKEND_PLD);
    return outside(t, row, "far below the reference", ours, reference * BELOW, INFINITY);
}

TEST(pld_is_at_most_half_a_percent_below_a_reference_on_a_fine_enough_grid) {
    table *t = composed_read();
    size_t seen = 0, bad = 0;
    for (size_t i = 0; i < t->rows; i++) {
        if (number_at(t, i, "coarse") == 0.0) {
            query q = query_of_composed(t, i);
            bad += too_far_below(t, i, &q, number_at(t, i, "reference"));
            seen++;
        }
    }
    table_free(t);
    t = table_read("gaussian_reference.csv", 64);
    for (size_t i = 0; i < t->rows; i++) {
        query q = query_of(text_at(t, i, "relation"), number_at(t, i, "sigma"));
        q.event.count = (uint64_t)number_at(t, i, "T");
        bad += too_far_below(t, i, &q, number_at(t, i, "reference"));
        seen++;
    }
    table_free(t);
    assert_int_equal(seen, FINE_ROWS);
    assert_int_equal(bad, 0);
}

/* Rows of composed_exact.csv whose epsilon is not between the exact value and `factor` times it. */
static size_t outside_exact(const char *what, dp2dp_backend backend, double factor) {
    HANDLE(table) *t = composed_read();
    size_t bad = 0;
    for (size_t i = 0; i < t->rows; i++) {
        query q = query_of_composed(t, i);
        double ours = epsilon_at(&q, number_at(t, i, "delta"), backend);
        double upper = number_at(t, i, "upper") * factor;
        bad += outside(t, i, what, ours, number_at(t, i, "lower"), upper);
    }
    return bad;
}

TEST(pld_lies_between_the_exact_value_and_a_thousandth_above) {
    assert_int_equal(outside_exact("pld", DP2DP_BACKEND_PLD, ABOVE), 0);
}

TEST(auto_lies_between_the_exact_value_and_a_thousandth_above) {
    assert_int_equal(outside_exact("auto", DP2DP_BACKEND_AUTO, ABOVE), 0);
}

/* Every row of both Gaussian tables; ours relative to the closed form has to be in [lower, upper].
 */
static size_t analytic_mismatches(double lower, double upper) {
    size_t bad = 0;
    table *t = table_read("gaussian_reference.csv", 64);
    for (size_t i = 0; i < t->rows; i++) {
        query q = query_of(text_at(t, i, "relation"), number_at(t, i, "sigma"));
        q.event.count = (uint64_t)number_at(t, i, "T");
        double exact = number_at(t, i, "epsilon");
        double ours = epsilon_at(&q, number_at(t, i, "delta"), DP2DP_BACKEND_ANALYTIC);
        bad += outside(t, i, "analytic", ours, exact * lower, isinf(upper) ? upper : exact * upper);
    }
    table_free(t);
    t = table_read("gaussian_exact.csv", 357);
    for (size_t i = 0; i < t->rows; i++) {
        query q = query_of("REPLACE_ONE", 1.0);
        q.event.sensitivity = number_at(t, i, "mu");
        double epsilon = number_at(t, i, "epsilon"), delta = number_at(t, i, "delta");
        int forward = is(t, i, "kind", "epsilon");
        double exact = forward ? epsilon : delta;
        double ours = forward ? epsilon_at(&q, delta, DP2DP_BACKEND_ANALYTIC)
                              : delta_at(&q, epsilon, DP2DP_BACKEND_ANALYTIC);
        bad += outside(t, i, "analytic", ours, exact * lower, isinf(upper) ? upper : exact * upper);
    }
    table_free(t);
    return bad;
}

TEST(analytic_matches_the_closed_form) {
    assert_int_equal(analytic_mismatches(1.0 - CLOSED_FORM, 1.0 + CLOSED_FORM), 0);
}

/* Rounded up: the only tolerance is the rounding of the table's digits to a double. */
TEST(analytic_is_never_below_the_closed_form) {
    assert_int_equal(analytic_mismatches(1.0 - 3e-16, INFINITY), 0);
}

TEST(rdp_is_never_above_the_reference) {
    assert_int_equal(above_reference("rdp", DP2DP_BACKEND_RDP, 1.0 + 1e-12, 333), 0);
}

/* An upper bound has to be one: against the exact value where there is one. */
TEST(rdp_is_never_below_the_exact_value) {
    assert_int_equal(outside_exact("rdp", DP2DP_BACKEND_RDP, INFINITY), 0);
}

TEST(auto_is_never_above_rdp) {
    HANDLE(table) *t = reference_read();
    size_t bad = 0;
    for (size_t i = 0; i < t->rows; i++) {
        query q = query_of_reference(t, i);
        double delta = number_at(t, i, "delta");
        double rdp = epsilon_at(&q, delta, DP2DP_BACKEND_RDP);
        bad +=
            outside(t, i, "auto against rdp", epsilon_at(&q, delta, DP2DP_BACKEND_AUTO), 0.0, rdp);
    }
    assert_int_equal(bad, 0);
}

static size_t renyi_mismatches(const char *relation, const char *method, size_t expected) {
    HANDLE(table) *t = table_read("renyi_poisson_integer.csv", 1456);
    size_t seen = 0, bad = 0;
    for (size_t i = 0; i < t->rows; i++) {
        if (!is(t, i, "relation", relation) || !is(t, i, "method", method)) {
            continue;
        }
        query q = query_of(relation, number_at(t, i, "sigma"));
        sample_poisson(&q, number_at(t, i, "q"));
        HANDLE(dp2dp_accountant) *accountant = accountant_of(&q);
        dp2dp_error error = {0};
        double ours = NAN, exact = number_at(t, i, "divergence");
        if (dp2dp_accountant_renyi(accountant, number_at(t, i, "order"), &ours, &error) !=
            DP2DP_STATUS_OK) {
            print_error("%s\n", error.message);
            ours = NAN;
        }
        bad +=
            outside(t, i, "renyi", ours, exact * (1.0 - CLOSED_FORM), exact * (1.0 + CLOSED_FORM));
        seen++;
    }
    assert_int_equal(seen, expected);
    return bad;
}

TEST(renyi_at_integer_orders_matches_the_binomial_series) {
    assert_int_equal(renyi_mismatches("ADD_OR_REMOVE_ONE", "series", 1296), 0);
}

TEST(renyi_at_fractional_orders_matches_quadrature) {
    assert_int_equal(renyi_mismatches("ADD_OR_REMOVE_ONE", "quadrature", 64), 0);
}

TEST(renyi_of_the_replace_one_pair_matches_quadrature) {
    assert_int_equal(renyi_mismatches("REPLACE_ONE", "quadrature", 96), 0);
}

TEST(one_poisson_release_matches_the_closed_form) {
    HANDLE(table) *t = table_read("poisson_single.csv", 551);
    size_t bad = 0;
    for (size_t i = 0; i < t->rows; i++) {
        query q = query_of(text_at(t, i, "relation"), number_at(t, i, "sigma"));
        sample_poisson(&q, number_at(t, i, "q"));
        double epsilon = number_at(t, i, "epsilon"), delta = number_at(t, i, "delta");
        if (is(t, i, "kind", "epsilon")) {
            bad += outside(t, i, "epsilon", epsilon_at(&q, delta, DP2DP_BACKEND_PLD),
                           epsilon * (1.0 - 1e-12), epsilon * ABOVE);
        } else {
            bad += outside(t, i, "delta", delta_at(&q, epsilon, DP2DP_BACKEND_PLD),
                           delta * (1.0 - 1e-12), number_at(t, i, "delta_loose"));
        }
    }
    assert_int_equal(bad, 0);
}

TEST(one_fixed_size_release_matches_its_bound) {
    HANDLE(table) *t = table_read("fixed_size_single.csv", 285);
    size_t bad = 0;
    for (size_t i = 0; i < t->rows; i++) {
        query q = query_of("REPLACE_ONE", number_at(t, i, "sigma"));
        if (is(t, i, "sampler", "without")) {
            sample_without(&q, number_at(t, i, "q"));
        } else {
            sample_with(&q, number_at(t, i, "population"), number_at(t, i, "draws"));
        }
        double ours = epsilon_at(&q, number_at(t, i, "delta"), DP2DP_BACKEND_PLD);
        bad += outside(t, i, "pld", ours, number_at(t, i, "lower") * (1.0 - 1e-9),
                       number_at(t, i, "epsilon") * ABOVE);
    }
    assert_int_equal(bad, 0);
}

/* One release in a million with noise below the norm: losses range from 1e-6 to 10 and one uniform
 * grid cannot serve both ends, so that round-off is charged up to a few per cent of δ
 * (docs/limitations.md). */
static double extreme_factor(double sigma, double rate) {
    return rate <= 1e-6 && sigma < 1.0 ? 1.05 : ABOVE;
}

static size_t extremes_outside(int upper_side) {
    HANDLE(table) *t = table_read("extremes.csv", EXTREME_ROWS);
    size_t bad = 0;
    for (size_t i = 0; i < t->rows; i++) {
        query q = query_of(text_at(t, i, "relation"), number_at(t, i, "sigma"));
        sample_poisson(&q, number_at(t, i, "q"));
        q.event.count = (uint64_t)number_at(t, i, "T");
        double ours = epsilon_at(&q, number_at(t, i, "delta"), DP2DP_BACKEND_AUTO);
        double lower = upper_side ? 0.0 : number_at(t, i, "lower");
        double factor = extreme_factor(number_at(t, i, "sigma"), number_at(t, i, "q"));
        double upper = upper_side ? number_at(t, i, "upper") * factor : INFINITY;
        bad += outside(t, i, "auto", ours, lower, upper);
    }
    return bad;
}

TEST(extreme_parameters_are_never_below_the_exact_value) {
    assert_int_equal(extremes_outside(0), 0);
}

TEST(extreme_parameters_are_close_above_the_exact_value) {
    assert_int_equal(extremes_outside(1), 0);
}
