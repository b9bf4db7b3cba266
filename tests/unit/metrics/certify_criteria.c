/* Tests the certificate for every criterion: its formulas against plain ones, which criteria a
 * table tells about, and which sources are refused. */
#include "unit/metrics/labelled.h"

#include "metrics/certificate_bound.h"
#include "metrics/clopper_pearson.h"

enum {
    CODES_MAX = 5,
    TABLE_MAX = CODES_MAX * CODES_MAX * CODES_MAX
};

/* One rate of two groups: noisy people who get the class and who do not, of `size` labels. */
typedef struct plain {
    double given[2], others[2];
    double size, classes, sigma;
} plain;

/* Section "The normal bound" of docs/certificate.md, with σ² |Y_s| for σ². */
static int is_hidden(const plain *p, int i) {
    return p->given[i] + p->others[i] <= 4 * sqrt(p->classes * p->size) * p->sigma;
}

static double plain_normal(const plain *p) {
    static const double z = 1.6448536269514722;
    double n[2], r[2], x[2], widest = 0;
    for (int i = 0; i < 2; i++) {
        n[i] = p->given[i] + p->others[i];
        r[i] = p->given[i] / n[i];
        x[i] = fmin(fmax(r[i], 0), 1);
        if (is_hidden(p, i)) {
            return 1;
        }
    }
    for (int round = 0; round < 20; round++) {
        double v[2];
        for (int i = 0; i < 2; i++) {
            v[i] = (n[i] * x[i] * (1 - x[i]) +
                    p->sigma * p->sigma * p->size *
                        ((1 - x[i]) * (1 - x[i]) + (p->classes - 1) * x[i] * x[i])) /
                   n[i] / n[i];
        }
        double spread = sqrt(v[0] + v[1]);
        widest = round < 10 ? 0 : fmax(widest, spread);
        x[0] = fmin(fmax(r[0] + z * v[0] / spread, 0), 1);
        x[1] = fmin(fmax(r[1] - z * v[1] / spread, 0), 1);
    }
    return r[0] - r[1] + z * widest + 1 / n[0] + 1 / n[1];
}

/* Section "The strict bound", with |Y_s| cells of the class and (K − 1) |Y_s| others. */
static double plain_strict(const plain *p) {
    static const double z = 2.8070337683438042; /* the quantile at 1 - 0.05/20 */
    double t = z * sqrt(p->size) * p->sigma;
    double u = z * sqrt((p->classes - 1) * p->size) * p->sigma;
    if (is_hidden(p, 0) || is_hidden(p, 1)) {
        return 1;
    }
    double high = dp2dpi_interval_high(fmax(0, floor(p->given[0] + t)),
                                       fmax(0, ceil(p->others[0] - u)), 0.02);
    double low =
        dp2dpi_interval_low(fmax(0, ceil(p->given[1] - t)), fmax(0, floor(p->others[1] + u)), 0.02);
    return high - low;
}

/* A noisy table of people. */
typedef struct noisy {
    dp2dp_certificate certificate;
    double cells[TABLE_MAX];
} noisy;

/* The rate of class k among the labels of a set in group g. */
static void add_up(const noisy *t, size_t g, size_t k, const int *set, double *given,
                   double *others) {
    size_t classes = t->certificate.classes;
    *given = *others = 0;
    for (size_t y = 0; y < classes; y++) {
        for (size_t j = 0; j < classes; j++) {
            double cell = set[y] ? t->cells[(g * classes + y) * classes + j] : 0;
            *given += j == k ? cell : 0;
            *others += j == k ? 0 : cell;
        }
    }
}

static void raise(const noisy *t, size_t k, const int *set, dp2dp_unfairness_bound *out) {
    plain p = {.classes = (double)t->certificate.classes, .sigma = t->certificate.sigma};
    for (size_t y = 0; y < t->certificate.classes; y++) {
        p.size += set[y];
    }
    for (size_t g = 0; g < t->certificate.groups; g++) {
        for (size_t h = 0; h < t->certificate.groups; h++) {
            if (g != h) {
                add_up(t, g, k, set, &p.given[0], &p.others[0]);
                add_up(t, h, k, set, &p.given[1], &p.others[1]);
                out->upper = fmin(1, fmax(out->upper, plain_normal(&p)));
                out->upper_strict = fmin(1, fmax(out->upper_strict, plain_strict(&p)));
            }
        }
    }
}

static dp2dp_unfairness_bound plain_bounds(const noisy *t, dp2dp_criterion criterion) {
    dp2dp_unfairness_bound out = {0};
    size_t classes = t->certificate.classes;
    for (size_t k = 0; k < classes; k++) {
        for (size_t y = 0; y < classes; y++) {
            int set[CODES_MAX];
            for (size_t i = 0; i < classes; i++) {
                set[i] = criterion == DP2DP_DEMOGRAPHIC_PARITY           ? 1
                         : criterion == DP2DP_FALSE_POSITIVE_RATE_PARITY ? i != y
                                                                         : i == y;
            }
            if (criterion == DP2DP_DEMOGRAPHIC_PARITY || criterion == DP2DP_EQUALIZED_ODDS ||
                (k == y && (classes > 2 || k == 1))) {
                raise(t, k, set, &out);
            }
        }
    }
    return out;
}

TEST(bounds_match_their_formulas_for_every_criterion) {
    uint64_t seed = 9;
    size_t useful = 0;
    for (size_t trial = 0; trial < 64; trial++) {
        noisy t = {.certificate = {.groups = 2 + trial % 4, .confidence = 0.95, .held_out = 1}};
        dp2dp_unfairness_bound found[DP2DP_CRITERIA_MAX];
        dp2dp_certificate *c = &t.certificate;
        c->classes = c->labels = 2 + trial / 4 % 4;
        c->strata = c->groups * c->labels;
        c->positive = DP2DP_POSITIVE_DEFAULT;
        c->rows_per_person = 1;
        c->sigma = 0.5 + (double)(draw(&seed) % 100) / 10;
        for (size_t i = 0; i < c->strata * c->classes; i++) {
            t.cells[i] = (double)(draw(&seed) % 400000) / 1000 - (trial % 3 == 0 ? 5 : 0);
        }
        assert_ok(dp2dpi_bounds(c, t.cells, found, &test_error));
        for (size_t i = 0; i < DP2DP_CUSTOM; i++) {
            dp2dp_unfairness_bound wanted = plain_bounds(&t, (dp2dp_criterion)i);
            assert_true(found[i].measured);
            assert_near(found[i].upper, wanted.upper, 1e-10);
            assert_near(found[i].upper_strict, wanted.upper_strict, 2e-9);
            useful += wanted.upper < 1;
        }
        assert_true(!found[DP2DP_CUSTOM].measured && isnan(found[DP2DP_CUSTOM].upper));
    }
    assert_true(useful > 64);
}

/* Computed by the function certificate() of the numpy prototype in double precision: two groups,
 * two labels, two classes, sigma 5. */
TEST(bounds_match_the_prototype) {
    static const double cells[] = {301.5, 98.25, 40.75, 160, 250, 55.5, 70.25, 130};
    static const double upper[] = {0.11979878934538242, 0.24266371955073518, 0.12716874254619798,
                                   0.24266371955073526};
    dp2dp_certificate c = {.groups = 2,
                           .labels = 2,
                           .classes = 2,
                           .strata = 4,
                           .sigma = 5,
                           .rows_per_person = 1,
                           .confidence = 0.95,
                           .held_out = 1,
                           .positive = DP2DP_POSITIVE_DEFAULT};
    dp2dp_unfairness_bound found[DP2DP_CRITERIA_MAX];
    assert_ok(dp2dpi_bounds(&c, cells, found, &test_error));
    for (size_t i = 0; i < DP2DP_CUSTOM; i++) {
        assert_near(found[i].upper, upper[i], 1e-10);
    }
}

/* Two groups of 45 people, 15 with each of three labels, and sigma 3. Of one label, 15 people are
 * hidden by the noise of 3 cells: 4 sqrt(3) 3 = 20.8; of two labels, 30 people are seen: 4 sqrt(6)
 * 3 = 29.4; of all, 45 people: 4 sqrt(9) 3 = 36. With sigma 3.1 the 30 people are hidden too. */
TEST(people_are_too_few_for_the_noise_of_all_their_cells) {
    static const int hidden[2][4] = {{0, 1, 0, 1}, {0, 1, 1, 1}};
    dp2dp_certificate c = {.groups = 2,
                           .labels = 3,
                           .classes = 3,
                           .strata = 6,
                           .rows_per_person = 1,
                           .confidence = 0.95,
                           .held_out = 1,
                           .positive = DP2DP_POSITIVE_DEFAULT};
    double cells[18];
    for (size_t i = 0; i < 18; i++) {
        cells[i] = 5;
    }
    for (int more = 0; more < 2; more++) {
        dp2dp_unfairness_bound found[DP2DP_CRITERIA_MAX];
        c.sigma = more ? 3.1 : 3.0;
        assert_ok(dp2dpi_bounds(&c, cells, found, &test_error));
        for (size_t i = 0; i < DP2DP_CUSTOM; i++) {
            assert_int_equal(found[i].group_too_small, hidden[more][i]);
            assert_int_equal(found[i].upper == 1, hidden[more][i]);
        }
    }
}

typedef struct scene {
    labelled learned, held;
    dp2dp_fit_options fit;
    dp2dp_model *model;
    dp2dp_pool *pool;
    dp2dp_source source;
    dp2dp_certify_options options;
    dp2dp_certificate certificate;
    double table[TABLE_MAX];
} scene;

static void set_up(scene *s, dp2dp_criterion criterion, sight sees) {
    *s = (scene) {.learned = labelled_people(2000, 3, 2, 1),
                  .held = labelled_people(6000, 3, 2, 2),
                  .fit = fit_for(criterion),
                  .options = DP2DP_CERTIFY_OPTIONS_INIT,
                  .certificate = DP2DP_CERTIFICATE_INIT};
    s->model = labelled_model(&s->learned, &s->fit, sees);
    s->pool = labelled_pool(&s->held, &s->fit, sees);
    s->source = dp2dp_pool_source(s->pool);
    s->options.epsilon = 1;
    s->options.delta = 1e-5;
    s->options.rng = DP2DP_RNG_INSECURE;
    s->options.ledger = new_ledger();
    s->certificate.table = s->table;
}

static void scene_free(scene *s) {
    labelled_free(&s->learned);
    labelled_free(&s->held);
    dp2dp_model_free(s->model);
    dp2dp_pool_free(s->pool);
    dp2dp_ledger_free(s->options.ledger);
}

/* The unfairness of the rule among the people of the source. */
static double measured_unfairness(const scene *s, dp2dp_criterion criterion) {
    const labelled *l = &s->held;
    const people *p = &l->people;
    FREED int32_t *decision = calloc(p->n, sizeof *decision);
    FREED int32_t *label = calloc(p->n, sizeof *label);
    dp2dp_matrix scores = scores_of(p);
    dp2dp_matrix weights = {
        l->weights,   DP2DP_FLOAT32, p->n, p->groups, (ptrdiff_t)(p->groups * sizeof(float)),
        sizeof(float)};
    dp2dp_column groups = groups_of(p);
    dp2dp_predict_options predict = DP2DP_PREDICT_OPTIONS_INIT;
    int weighted = s->source.rule == DP2DP_RULE_WEIGHTED;
    predict.weights = weighted ? &weights : NULL;
    assert_ok(dp2dp_model_predict(s->model, &scores, weighted ? NULL : &groups, &predict, decision,
                                  &test_error));
    for (size_t i = 0; i < p->n; i++) {
        label[i] = l->stratum[i] % (int32_t)p->classes;
    }
    dp2dp_column given = {decision, DP2DP_INT32, p->n, sizeof *decision};
    dp2dp_column labels = {label, DP2DP_INT32, p->n, sizeof *label};
    dp2dp_evaluate_options options = DP2DP_EVALUATE_OPTIONS_INIT;
    options.strata = p->groups;
    options.classes = p->classes;
    options.bootstrap_draws = 0;
    options.statistics = s->fit.statistics;
    options.statistic_count = s->fit.statistic_count;
    HANDLE(dp2dp_evaluation) *e = NULL;
    assert_ok(dp2dp_evaluate(&given, &groups, &labels, &options, &e, &test_error));
    return e->criteria[criterion].unfairness;
}

/* Evaluation, decisions and certificate agree: a bound is above the unfairness in the sample, and
 * with 6,000 people not far above. */
TEST(certificates_of_every_criterion_bound_what_evaluation_measures) {
    for (size_t i = 0; i <= DP2DP_CUSTOM; i++) {
        for (int sees = AWARE; sees <= UNAWARE; sees++) {
            OWNED(scene) s;
            set_up(&s, (dp2dp_criterion)i, (sight)sees);
            assert_ok(dp2dp_certify(&s.source, s.model, &s.options, &s.certificate, &test_error));
            const dp2dp_certificate *c = &s.certificate;
            size_t labels = i == DP2DP_DEMOGRAPHIC_PARITY ? 1 : 3;
            assert_true(c->criterion == (dp2dp_criterion)i && c->positive == -1);
            assert_true(c->groups == 2 && c->labels == labels && c->strata == 2 * labels);
            assert_true(c->unfairness_upper == c->criteria[i].upper &&
                        c->unfairness_upper_strict == c->criteria[i].upper_strict);
            for (size_t j = 0; j < DP2DP_CRITERIA_MAX; j++) {
                const dp2dp_unfairness_bound *b = &c->criteria[j];
                assert_int_equal(b->measured, j == i || (j < DP2DP_CUSTOM && labels == 3));
                if (b->measured) {
                    double found = measured_unfairness(&s, (dp2dp_criterion)j);
                    assert_true(b->upper > found && b->upper < found + 0.2);
                    assert_true(b->upper_strict > b->upper && !b->group_too_small);
                } else {
                    assert_true(isnan(b->upper) && isnan(b->upper_strict));
                }
            }
        }
    }
}

TEST(a_labelled_certificate_charges_one_table_of_all_strata) {
    OWNED(scene) s;
    dp2dp_event event = DP2DP_EVENT_INIT;
    dp2dp_rng_kind rng;
    set_up(&s, DP2DP_EQUALIZED_ODDS, AWARE);
    assert_ok(dp2dp_certify(&s.source, s.model, &s.options, &s.certificate, &test_error));
    assert_int_equal(dp2dp_ledger_size(s.options.ledger), 1);
    assert_ok(dp2dp_ledger_entry(s.options.ledger, 0, &event, &rng, NULL));
    assert_int_equal(event.coordinates, 18);
    assert_true(event.sensitivity >= sqrt(2.0) && event.sensitivity < 1.4142135623731);
    assert_true(event.count == 1 && event.sigma == s.certificate.sigma);
    HANDLE(dp2dp_ledger) *planned = new_ledger();
    dp2dp_event plan = DP2DP_EVENT_INIT;
    assert_ok(dp2dp_certify_plan(&s.source, s.model, &s.options, planned, &test_error));
    assert_ok(dp2dp_ledger_entry(planned, 0, &plan, &rng, NULL));
    assert_true(plan.coordinates == 18 && plan.sigma == event.sigma);
}

TEST(people_of_the_model_get_no_bound_for_any_criterion) {
    OWNED(scene) s;
    set_up(&s, DP2DP_TRUE_POSITIVE_RATE_PARITY, AWARE);
    s.options.people = DP2DP_PEOPLE_SAME;
    assert_ok(dp2dp_certify(&s.source, s.model, &s.options, &s.certificate, &test_error));
    for (size_t i = 0; i < DP2DP_CUSTOM; i++) {
        const dp2dp_unfairness_bound *b = &s.certificate.criteria[i];
        assert_true(b->measured && isnan(b->upper) && isnan(b->upper_strict));
    }
}

static dp2dp_status count_nobody(void *context, const float *offsets, int64_t *table,
                                 dp2dp_error *error) {
    (void)context;
    (void)offsets;
    (void)table;
    (void)error;
    return DP2DP_STATUS_IO;
}

/* A source of the caller's own, which says the same about itself. */
static dp2dp_source own_source(dp2dp_source source) {
    source.context = NULL;
    source.count = count_nobody;
    return source;
}

static void refuse(scene *s, dp2dp_source source, const char *words) {
    assert_fails(dp2dp_certify(&source, s->model, &s->options, &s->certificate, &test_error),
                 ARGUMENT, words);
}

TEST(sources_that_decide_or_count_otherwise_are_refused) {
    OWNED(scene) s, blind, unaware;
    dp2dp_source other;
    set_up(&s, DP2DP_EQUALIZED_ODDS, AWARE);
    set_up(&blind, DP2DP_DEMOGRAPHIC_PARITY, AWARE);
    set_up(&unaware, DP2DP_EQUALIZED_ODDS, UNAWARE);
    refuse(&s, blind.source, "it must have labels");
    refuse(&blind, s.source, "it must not have labels");
    refuse(&s, unaware.source, "rule and weight_columns");
    (other = own_source(s.source), other.dither_key = DP2DP_DITHER_KEY_ROW);
    refuse(&s, other, "dither_key");
    (other = own_source(s.source), other.dither.width = 0);
    refuse(&s, other, "dither");
    (other = own_source(s.source), other.counted = DP2DP_COUNTED_SCORES);
    refuse(&s, other, "counted must be labels");
    (other = own_source(unaware.source), other.weight_columns = 6);
    refuse(&unaware, other, "rule and weight_columns");
    assert_int_equal(dp2dp_ledger_size(s.options.ledger), 0);
    assert_int_equal(dp2dp_ledger_size(blind.options.ledger), 0);
    assert_int_equal(dp2dp_ledger_size(unaware.options.ledger), 0);
}
