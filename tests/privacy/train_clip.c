/* The most that one record adds to a sum of dpgd and dpsgd, over more than a million records, most
 * of them hostile.
 *
 * What a record adds is the difference of the sums with and without it, a vector of integers. Its
 * squared norm is computed in 128 bits and compared with the bound that is charged for, without
 * rounding. Nothing is random but the fixed seeds: a bound that holds cannot raise an alarm. */
#include <float.h>

#include "phase1/gradient.h"

#include "unit/phase1/data.h"

__extension__ typedef unsigned __int128 uint128;

enum {
    CROWD_MAX = 40,
    RECORDS = 120000, /* for each of nine kinds: three terms, three numbers of classes */
    CELLS_MAX = 6 * 640
};
static const dp2dp_term terms[] = {DP2DP_TERM_GRADIENT, DP2DP_TERM_ROW, DP2DP_TERM_SLOPE};
static const size_t classes_of[] = {2, 3, 6};

typedef struct tally {
    size_t records, silent; /* silent: records that add nothing */
    double longest;         /* the largest norm, in units of the bound */
} tally;

static double pick(uint64_t *seed, const double *values, size_t n) {
    return values[draw(seed) % n];
}

/* A number of any size; 1 in 50 is NaN or infinite. */
static float hostile_number(uint64_t *seed) {
    static const double sizes[] = {0, 1e-45, 1e-38, 1e-30, 1, 1, 1, 3, 1e10, 1e30, FLT_MAX};
    static const double none[] = {NAN, INFINITY, -INFINITY};
    double x = pick(seed, sizes, 11) * (2 * uniform(seed) - 1);
    return (float)(draw(seed) % 50 ? x : pick(seed, none, 3));
}

static float hostile_scale(uint64_t *seed) {
    static const double scales[] = {0, 1e-45, 1e-30, -1, 1e5, 1e30, FLT_MAX, NAN, INFINITY};
    return (float)(draw(seed) % 3 ? 1 : pick(seed, scales, 9));
}

static void fill_crowd(crowd *c, uint64_t *seed) {
    const dp2dpi_rows *rows = &c->rows;
    for (size_t i = 0; i < rows->count; i++) {
        int tame = draw(seed) % 2;
        for (size_t j = 0; j < rows->numbers; j++) {
            rows->x[i * rows->numbers + j] = tame ? (float)normal(seed) : hostile_number(seed);
        }
        for (size_t q = 0; q < rows->categories; q++) {
            uint64_t level = draw(seed) % (LEVELS + 1);
            rows->codes[i * rows->categories + q] =
                level < LEVELS ? (int32_t)(rows->numbers + q * LEVELS + level) : -1;
        }
        rows->scale[i] = tame ? 1 : hostile_scale(seed);
        c->labels[i] = (int32_t)(draw(seed) % c->classes);
    }
}

/* Arguments of a sum: weights and levels of any size, a random clip bound and grid. */
static dp2dpi_look hostile_look(dp2dp_term term, double *weights, double *levels, uint64_t *seed) {
    double size = draw(seed) % 3 ? 1 : pow(10, 12 * uniform(seed) - 4);
    int hostile = draw(seed) % 8 == 0;
    for (size_t c = 0; c < CELLS_MAX; c++) {
        weights[c] = size * (2 * uniform(seed) - 1);
        levels[c] =
            draw(seed) % 2 ? 1 : (double)(draw(seed) % DP2DPI_LEVEL_UNITS) / DP2DPI_LEVEL_UNITS;
        if (hostile && draw(seed) % 4 == 0) {
            static const double odd[] = {0, NAN, INFINITY, 1e300, -1e20, 1e-300};
            weights[c] = draw(seed) % 4 ? weights[c] : pick(seed, odd, 6);
            levels[c] = pick(seed, odd, 6);
        }
    }
    return (dp2dpi_look) {term, weights, levels, pow(10, 9 * uniform(seed) - 6),
                          22 + (int)(draw(seed) % 35)};
}

/* with − without, the vector that a record adds, is within the bound 2^bits and equals `alone`, the
 * sum of that record alone. */
static void expect_within(const int64_t *with, const int64_t *without, const int64_t *alone,
                          size_t cells, int bits, tally *t) {
    uint128 squares = 0, bound = (uint128)1 << (2 * bits);
    for (size_t c = 0; c < cells; c++) {
        int64_t added = with[c] - without[c];
        uint64_t size = (uint64_t)(added < 0 ? -added : added);
        assert_true(size <= (uint64_t)1 << bits);
        assert_true(added == alone[c]);
        squares += (uint128)size * size;
    }
    assert_true(squares <= bound);
    t->records++;
    t->silent += squares == 0;
    t->longest = fmax(t->longest, sqrt((double)squares / (double)bound));
}

/* Leaves out one record at a time: every `stride`-th of the crowd. */
static void measure_crowd(const crowd *c, const dp2dpi_look *look, size_t stride, tally *t) {
    dp2dpi_examples e = crowd_examples(c);
    OWNED(dp2dpi_gradient) with = {0}, without = {0}, alone = {0};
    size_t n = c->rows.count, cells = dp2dpi_examples_cells(&e);
    FREED uint8_t *others = malloc(n), *one = calloc(n, 1);
    assert_true(others && one);
    memset(others, 1, n);
    e.threads = 2;
    assert_ok(dp2dpi_gradient_new(&e, &with, NULL));
    assert_ok(dp2dpi_gradient_new(&e, &without, NULL));
    assert_ok(dp2dpi_gradient_new(&e, &alone, NULL));
    dp2dpi_gradient_sum(&with, NULL, look);
    for (size_t i = 0; i < n; i += stride) {
        others[i] = 0;
        one[i] = 1;
        dp2dpi_gradient_sum(&without, others, look);
        dp2dpi_gradient_sum(&alone, one, look);
        expect_within(with.sum, without.sum, alone.sum, cells, look->grid_bits, t);
        others[i] = 1;
        one[i] = 0;
    }
}

static double weights[CELLS_MAX], levels[CELLS_MAX];

static tally measure_kind(dp2dp_term term, size_t classes, uint64_t seed) {
    tally t = {0};
    while (t.records < RECORDS) {
        OWNED(crowd) c =
            crowd_new(1 + draw(&seed) % CROWD_MAX, draw(&seed) % 5, draw(&seed) % 4, classes);
        dp2dpi_look look = hostile_look(term, weights, levels, &seed);
        fill_crowd(&c, &seed);
        measure_crowd(&c, &look, 1, &t);
    }
    return t;
}

/* Some record nearly reaches the bound, and most add something: clipping everything to zero would
 * fail. */
TEST(no_record_adds_more_than_is_charged_for) {
    size_t records = 0;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            tally t = measure_kind(terms[i], classes_of[k], 10 * (uint64_t)k + (uint64_t)i);
            print_message("K %zu, term %d: longest %.9f, %.3f add nothing\n", classes_of[k],
                          (int)terms[i], t.longest, (double)t.silent / (double)t.records);
            assert_true(t.longest > 0.9999);
            assert_true(t.silent < t.records / 2);
            records += t.records;
        }
    }
    assert_true(records >= 1000000);
}

/* Wide rows are summed one by one, large crowds by several threads. */
TEST(nor_in_crowds_that_are_wide_or_large) {
    uint64_t seed = 77;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            tally wide = {0}, large = {0};
            for (int run = 0; run < 20; run++) {
                crowd c = crowd_new(5, 600, 2, classes_of[k]);
                dp2dpi_look look = hostile_look(terms[i], weights, levels, &seed);
                fill_crowd(&c, &seed);
                measure_crowd(&c, &look, 1, &wide);
                crowd_free(&c);
                c = crowd_new(5000, 3, 2, classes_of[k]);
                look = hostile_look(terms[i], weights, levels, &seed);
                look.grid_bits = look.grid_bits < 49 ? look.grid_bits : 49;
                fill_crowd(&c, &seed);
                measure_crowd(&c, &look, 1237, &large);
                crowd_free(&c);
            }
            assert_true(wide.longest > 0.9 && large.longest > 0.99);
        }
    }
}
