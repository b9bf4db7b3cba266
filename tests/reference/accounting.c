/* The accountant against independent values, row by row. README.md says where each table comes
 * from. */
#include "support.h"

#include <dp2dp/accountant.h>

enum {
    BYTES_MAX = 1 << 17,
    ROWS_MAX = 2048,
    COLUMNS_MAX = 12
};

/* An upper bound on ε may be at most 0.1 % above and 0.5 % below a reference. */
static const double ABOVE = 1.001;
static const double BELOW = 0.995;
/* Relative error of a value with a closed form. */
static const double CLOSED_FORM = 1e-9;

/* The table that the current test reads; row 0 has the names of the columns. */
static struct {
    const char *file;
    char text[BYTES_MAX];
    size_t columns, rows;
    char *cell[ROWS_MAX + 1][COLUMNS_MAX];
} table;

static size_t split(char *line, char **cell) {
    size_t n = 0;
    for (char *at = line; at != NULL && n < COLUMNS_MAX; n++) {
        cell[n] = at;
        at = strchr(at, ',');
        if (at != NULL) {
            *at++ = '\0';
        }
    }
    return n;
}

/* Fails unless the table has exactly the number of rows it was generated with: a lost row is a
 * lost test. */
static void read_table(const char *file, size_t expected_rows) {
    char path[1024], *rest = NULL;
    snprintf(path, sizeof path, "%s/reference/%s", DP2DP_TEST_DIR, file);
    memset(&table, 0, sizeof table);
    table.file = file;
    FILE *in = fopen(path, "rb");
    if (in == NULL || fread(table.text, 1, BYTES_MAX - 1, in) == 0 || getc(in) != EOF) {
        fail_msg("cannot read %s in %d bytes", path, BYTES_MAX - 1);
    }
    fclose(in);
    size_t lines = 0;
    for (char *line = strtok_r(table.text, "\r\n", &rest); line != NULL;
         line = strtok_r(NULL, "\r\n", &rest)) {
        if (line[0] == '#') {
            continue;
        }
        assert_true(lines <= ROWS_MAX);
        size_t n = split(line, table.cell[lines]);
        table.columns = lines == 0 ? n : table.columns;
        if (n != table.columns) {
            fail_msg("%s row %zu has %zu cells, not %zu", file, lines, n, table.columns);
        }
        lines++;
    }
    table.rows = lines - 1;
    if (table.rows != expected_rows) {
        fail_msg("%s has %zu rows, not %zu", file, table.rows, expected_rows);
    }
}

/* NULL if there is no such column. */
static const char *text_at(size_t row, const char *column) {
    for (size_t j = 0; j < table.columns; j++) {
        if (strcmp(table.cell[0][j], column) == 0) {
            return table.cell[row][j];
        }
    }
    return NULL;
}

static int is(size_t row, const char *column, const char *word) {
    const char *text = text_at(row, column);
    return text != NULL && strcmp(text, word) == 0;
}

static double number_or(size_t row, const char *column, double missing) {
    const char *text = text_at(row, column);
    if (text == NULL) {
        return missing;
    }
    char *end = NULL;
    double value = strtod(text, &end);
    if (end == text || *end != '\0') {
        fail_msg("%s row %zu: %s is not a number: %s", table.file, row, column, text);
    }
    return value;
}

static double number_at(size_t row, const char *column) {
    if (text_at(row, column) == NULL) {
        fail_msg("%s has no column %s", table.file, column);
    }
    return number_or(row, column, NAN);
}

static dp2dp_mechanism mechanism_of(size_t row) {
    static const struct {
        const char *name;
        dp2dp_mechanism mechanism;
    } names[] = {{"gaussian", DP2DP_GAUSSIAN},
                 {"poisson", DP2DP_POISSON},
                 {"poisson_gaussian", DP2DP_POISSON},
                 {"without", DP2DP_WITHOUT_REPLACEMENT},
                 {"wor_gaussian", DP2DP_WITHOUT_REPLACEMENT},
                 {"wor_gaussian_bound", DP2DP_WITHOUT_REPLACEMENT},
                 {"with", DP2DP_WITH_REPLACEMENT},
                 {"wr_gaussian_bound", DP2DP_WITH_REPLACEMENT}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (is(row, "sampler", names[i].name) || is(row, "mechanism", names[i].name)) {
            return names[i].mechanism;
        }
    }
    if (text_at(row, "sampler") || text_at(row, "mechanism")) {
        fail_msg("%s row %zu: unknown mechanism", table.file, row);
    }
    return text_at(row, "q") ? DP2DP_POISSON : DP2DP_GAUSSIAN;
}

/* An accountant with the row's releases. With-replacement rows that name no population are for
 * 100,000 records. */
static dp2dp_accountant *accountant_of(size_t row) {
    dp2dp_accountant *accountant = NULL;
    dp2dp_event event = DP2DP_EVENT_INIT;
    int add_remove = is(row, "relation", "ADD_OR_REMOVE_ONE") ||
                     is(row, "neighbouring_relation", "ADD_OR_REMOVE_ONE");
    event.mechanism = mechanism_of(row);
    event.sigma = number_or(row, "sigma", 1);
    event.sensitivity = number_or(row, "mu", add_remove ? 1 : 2);
    event.count = (uint64_t)number_or(row, "T", 1);
    if (event.mechanism == DP2DP_WITH_REPLACEMENT) {
        event.population = number_or(row, "population", 1e5);
        event.draws = (uint64_t)llround(number_or(row, "draws", number_at(row, "q") * 1e5));
    } else if (event.mechanism != DP2DP_GAUSSIAN) {
        event.rate = number_at(row, "q");
    }
    assert_ok(dp2dp_accountant_new(add_remove ? DP2DP_ADD_REMOVE : DP2DP_REPLACE_ONE, &accountant,
                                   &test_error));
    assert_ok(dp2dp_accountant_add(accountant, &event, &test_error));
    return accountant;
}

typedef enum quantity {
    EPSILON, /* at the row's δ */
    DELTA,   /* at the row's ε */
    RENYI    /* at the row's order */
} quantity;

/* Returns NaN, which fails every comparison below, if the accountant returns an error. */
static double compute(quantity what, dp2dp_backend backend, size_t row) {
    HANDLE(dp2dp_accountant) *accountant = accountant_of(row);
    dp2dp_error error = {0};
    double value = NAN;
    dp2dp_status status =
        what == EPSILON ? dp2dp_accountant_epsilon(accountant, number_at(row, "delta"), backend,
                                                   &value, NULL, &error)
        : what == DELTA
            ? dp2dp_accountant_delta(accountant, number_at(row, "epsilon"), backend, &value, NULL,
                                     &error)
            : dp2dp_accountant_renyi(accountant, number_at(row, "order"), &value, &error);
    if (status != OK) {
        print_error("%s\n", error.message);
        return NAN;
    }
    return value;
}

/* Returns 1 and prints the row if our value is outside [lower, upper]. The caller counts and fails
 * at the end, so that one run names every bad row. */
static size_t outside(size_t row, double ours, double lower, double upper) {
    if (ours >= lower && ours <= upper) {
        return 0;
    }
    print_error("%s row %zu:", table.file, row);
    for (size_t j = 0; j < table.columns; j++) {
        print_error(" %s=%s", table.cell[0][j], table.cell[row][j]);
    }
    print_error(": ours %.17g, bounds %.17g and %.17g\n", ours, lower, upper);
    return 1;
}

/* A bound on our value: a column of the table times a factor. */
typedef struct bound {
    const char *column;
    double factor;
} bound;

typedef struct comparison {
    const char *file;
    size_t rows; /* in the file */
    struct {
        const char *column, *word;
    } where[2];     /* compares only rows with these words in these columns; NULL: no condition */
    size_t matches; /* how many rows are compared */
    quantity what;
    dp2dp_backend backend;
    bound lower, upper; /* if the column is NULL: 0 and infinity */
} comparison;

static int is_compared(const comparison *c, size_t row) {
    for (int i = 0; i < 2; i++) {
        if (c->where[i].column && !is(row, c->where[i].column, c->where[i].word)) {
            return 0;
        }
    }
    return 1;
}

static void compare(comparison c) {
    size_t seen = 0, bad = 0;
    read_table(c.file, c.rows);
    for (size_t row = 1; row <= table.rows; row++) {
        if (is_compared(&c, row)) {
            double lower = c.lower.column ? number_at(row, c.lower.column) * c.lower.factor : 0;
            double upper =
                c.upper.column ? number_at(row, c.upper.column) * c.upper.factor : INFINITY;
            bad += outside(row, compute(c.what, c.backend, row), lower, upper);
            seen++;
        }
    }
    assert_int_equal(seen, c.matches);
    assert_int_equal(bad, 0);
}

#define REFERENCE .file = "accounting_reference.csv", .rows = 883
#define COMPOSED .file = "composed_exact.csv", .rows = 486
#define GAUSSIAN_REFERENCE .file = "gaussian_reference.csv", .rows = 64, .matches = 64
#define GAUSSIAN_EXACT .file = "gaussian_exact.csv", .rows = 357
#define POISSON_SINGLE .file = "poisson_single.csv", .rows = 551, .backend = DP2DP_BACKEND_PLD
#define RENYI_POISSON .file = "renyi_poisson_integer.csv", .rows = 1456, .what = RENYI
#define COMPOSED_FEW .file = "composed_few.csv", .rows = 241, .matches = 241
#define EXTREMES .file = "extremes.csv", .rows = 224, .matches = 224

TEST(pld_is_at_most_a_thousandth_above_the_reference) {
    compare((comparison) {REFERENCE, .where = {{"accountant", "pld"}}, .matches = 550,
                          .backend = DP2DP_BACKEND_PLD, .upper = {"epsilon", ABOVE}});
}

TEST(pld_is_at_most_half_a_percent_below_a_reference_on_a_fine_enough_grid) {
    compare((comparison) {COMPOSED, .where = {{"coarse", "0"}}, .matches = 416,
                          .backend = DP2DP_BACKEND_PLD, .lower = {"reference", BELOW}});
    compare((comparison) {GAUSSIAN_REFERENCE, .backend = DP2DP_BACKEND_PLD,
                          .lower = {"reference", BELOW}});
}

TEST(pld_lies_between_the_exact_value_and_a_thousandth_above) {
    compare((comparison) {COMPOSED, .matches = 486, .backend = DP2DP_BACKEND_PLD,
                          .lower = {"lower", 1}, .upper = {"upper", ABOVE}});
}

TEST(auto_lies_between_the_exact_value_and_a_thousandth_above) {
    compare((comparison) {COMPOSED, .matches = 486, .backend = DP2DP_BACKEND_AUTO,
                          .lower = {"lower", 1}, .upper = {"upper", ABOVE}});
}

/* Every row of both Gaussian tables: our ε or δ must be between these multiples of the exact value.
 */
static void compare_analytic(double lower, double upper) {
    const bound epsilon[2] = {{"epsilon", lower}, {isinf(upper) ? NULL : "epsilon", upper}};
    const bound delta[2] = {{"delta", lower}, {isinf(upper) ? NULL : "delta", upper}};
    compare((comparison) {GAUSSIAN_REFERENCE, .backend = DP2DP_BACKEND_ANALYTIC,
                          .lower = epsilon[0], .upper = epsilon[1]});
    compare((comparison) {GAUSSIAN_EXACT, .where = {{"kind", "epsilon"}}, .matches = 231,
                          .backend = DP2DP_BACKEND_ANALYTIC, .lower = epsilon[0],
                          .upper = epsilon[1]});
    compare((comparison) {GAUSSIAN_EXACT, .where = {{"kind", "delta"}}, .matches = 126,
                          .what = DELTA, .backend = DP2DP_BACKEND_ANALYTIC, .lower = delta[0],
                          .upper = delta[1]});
}

TEST(analytic_matches_the_closed_form) {
    compare_analytic(1.0 - CLOSED_FORM, 1.0 + CLOSED_FORM);
}

/* The accountant rounds up. The tolerance is only for rounding the table's digits to a double. */
TEST(analytic_is_never_below_the_closed_form) {
    compare_analytic(1.0 - 3e-16, INFINITY);
}

TEST(rdp_is_never_above_the_reference) {
    compare((comparison) {REFERENCE, .where = {{"accountant", "rdp"}}, .matches = 333,
                          .backend = DP2DP_BACKEND_RDP, .upper = {"epsilon", 1.0 + 1e-12}});
}

TEST(rdp_is_never_below_the_exact_value) {
    compare((comparison) {COMPOSED, .matches = 486, .backend = DP2DP_BACKEND_RDP,
                          .lower = {"lower", 1}});
}

TEST(auto_is_never_above_rdp) {
    size_t bad = 0;
    read_table("accounting_reference.csv", 883);
    for (size_t row = 1; row <= table.rows; row++) {
        double rdp = compute(EPSILON, DP2DP_BACKEND_RDP, row);
        bad += outside(row, compute(EPSILON, DP2DP_BACKEND_AUTO, row), 0, rdp);
    }
    assert_int_equal(bad, 0);
}

static void compare_renyi(const char *relation, const char *method, size_t matches) {
    compare((comparison) {RENYI_POISSON, .where = {{"relation", relation}, {"method", method}},
                          .matches = matches, .lower = {"divergence", 1.0 - CLOSED_FORM},
                          .upper = {"divergence", 1.0 + CLOSED_FORM}});
}

TEST(renyi_at_integer_orders_matches_the_binomial_series) {
    compare_renyi("ADD_OR_REMOVE_ONE", "series", 1296);
}

TEST(renyi_at_fractional_orders_matches_quadrature) {
    compare_renyi("ADD_OR_REMOVE_ONE", "quadrature", 64);
}

TEST(renyi_of_the_replace_one_pair_matches_quadrature) {
    compare_renyi("REPLACE_ONE", "quadrature", 96);
}

TEST(one_poisson_release_matches_the_closed_form) {
    compare((comparison) {POISSON_SINGLE, .where = {{"kind", "epsilon"}}, .matches = 448,
                          .lower = {"epsilon", 1.0 - 1e-12}, .upper = {"epsilon", ABOVE}});
    compare((comparison) {POISSON_SINGLE, .where = {{"kind", "delta"}}, .matches = 103,
                          .what = DELTA, .lower = {"delta", 1.0 - 1e-12},
                          .upper = {"delta_loose", 1}});
}

TEST(one_fixed_size_release_matches_its_bound) {
    compare((comparison) {.file = "fixed_size_single.csv",
                          .rows = 285,
                          .matches = 285,
                          .backend = DP2DP_BACKEND_PLD,
                          .lower = {"lower", 1.0 - 1e-9},
                          .upper = {"epsilon", ABOVE}});
}

/* 2 to 19 releases, both adjacencies. */
TEST(a_few_poisson_releases_are_never_below_the_exact_value) {
    static const dp2dp_backend backends[] = {DP2DP_BACKEND_AUTO, DP2DP_BACKEND_PLD,
                                             DP2DP_BACKEND_RDP};
    for (int i = 0; i < 3; i++) {
        compare((comparison) {COMPOSED_FEW, .backend = backends[i], .lower = {"lower", 1}});
    }
}

TEST(a_few_poisson_releases_are_at_most_a_thousandth_above_the_exact_value) {
    compare((comparison) {COMPOSED_FEW, .backend = DP2DP_BACKEND_AUTO, .upper = {"upper", ABOVE}});
}

TEST(extreme_parameters_are_never_below_the_exact_value) {
    compare((comparison) {EXTREMES, .backend = DP2DP_BACKEND_AUTO, .lower = {"lower", 1}});
}

/* At a sampling rate of 1e-6 or less and noise below the norm bound, losses range from 1e-6 to 10.
 * One uniform grid cannot resolve both ends, so the accountant adds up to a few per cent of δ for
 * round-off (docs/limitations.md). */
static double extreme_factor(double sigma, double rate) {
    return rate <= 1e-6 && sigma < 1.0 ? 1.05 : ABOVE;
}

TEST(extreme_parameters_are_close_above_the_exact_value) {
    size_t bad = 0;
    read_table("extremes.csv", 224);
    for (size_t row = 1; row <= table.rows; row++) {
        double factor = extreme_factor(number_at(row, "sigma"), number_at(row, "q"));
        bad += outside(row, compute(EPSILON, DP2DP_BACKEND_AUTO, row), 0,
                       number_at(row, "upper") * factor);
    }
    assert_int_equal(bad, 0);
}
