/* The page's data: the model, its promise, its ledger, the certificate and the sweep. */
#include <math.h>
#include <string.h>

#include <dp2dp/fit.h>
#include <dp2dp/train.h>

#include "report/report.h"

json_t *dp2dpi_finite_json(double x) {
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *count_json(uint64_t count) {
    return json_integer((json_int_t)count);
}

json_t *dp2dpi_interval_json(double value, double low, double high) {
    return DP2DPI_JSON_OBJECT({"value", dp2dpi_finite_json(value)},
                              {"low", dp2dpi_finite_json(low)}, {"high", dp2dpi_finite_json(high)});
}

static json_t *word_json(dp2dp_word_table table, int value) {
    return dp2dpi_text_or_null(dp2dp_word_name(table, value));
}

json_t *dp2dpi_words_json(dp2dp_word_table table, unsigned bits, const char *another) {
    size_t count;
    const dp2dp_word *words = dp2dp_words(table, &count);
    json_t *array = json_array();
    int failed = another && json_array_append_new(array, json_string(another));
    for (size_t i = 0; i < count && !failed; i++) {
        failed = (bits & (unsigned)words[i].value) &&
                 json_array_append_new(array, json_string(words[i].word));
    }
    return dp2dpi_json_finish(array, failed);
}

static json_t *numbers_json(const double *numbers, size_t count) {
    json_t *array = json_array();
    int failed = 0;
    for (size_t i = 0; i < count && !failed; i++) {
        failed = json_array_append_new(array, dp2dpi_finite_json(numbers[i]));
    }
    return dp2dpi_json_finish(array, failed);
}

static json_t *classifier_json(const dp2dpi_report *r) {
    const dp2dp_classifier *c = r->info->classifier;
    return c == NULL ? json_null()
                     : DP2DPI_JSON_OBJECT({"method", word_json(DP2DP_WORDS_METHOD, (int)c->method)},
                                          {"records", count_json(c->records)},
                                          {"features", count_json(c->features)},
                                          {"schema", dp2dpi_text_or_null(r->schema_name)});
}

static json_t *model_json(const dp2dpi_report *r) {
    const dp2dp_model_info *info = r->info;
    return DP2DPI_JSON_OBJECT(
        {"criterion", word_json(DP2DP_WORDS_CRITERION, (int)info->criterion)},
        {"positive", info->positive >= 0 ? json_integer(info->positive) : json_null()},
        {"rho", dp2dpi_finite_json(info->options->rho)},
        {"effective_tolerance", dp2dpi_finite_json(info->tolerance)},
        {"sees_group", json_boolean(info->rule != DP2DP_RULE_WEIGHTED)},
        {"solver", word_json(DP2DP_WORDS_SOLVER, (int)info->solver)},
        {"rule", word_json(DP2DP_WORDS_RULE, (int)info->rule)},
        {"dither", dp2dpi_finite_json(info->dither.width)},
        {"epsilon", dp2dpi_finite_json(info->epsilon)},
        {"delta", dp2dpi_finite_json(isnan(info->epsilon) ? NAN : info->delta)},
        {"epsilon_claimed", dp2dpi_finite_json(info->epsilon_claimed)},
        {"adjacency", word_json(DP2DP_WORDS_ADJACENCY, (int)dp2dp_ledger_adjacency(info->ledger))},
        {"rows_per_person", count_json(info->options->rows_per_person)},
        {"records", count_json(info->records)}, {"classifier", classifier_json(r)},
        {"checksum", json_string(r->checksum)},
        {"library_version", json_string(info->library_version)},
        {"warnings", dp2dpi_words_json(DP2DP_WORDS_WARNING, info->warnings, NULL)},
        {"leaks", dp2dpi_words_json(DP2DP_WORDS_NOT_PRIVATE, info->not_private_because, NULL)});
}

static json_t *labels_json(const dp2dpi_statistics *s, size_t statistic) {
    if (s->labels == 1) {
        return json_null();
    }
    json_t *array = json_array();
    int failed = 0;
    for (size_t y = 0; y < s->labels && !failed; y++) {
        failed =
            dp2dpi_statistic_has(s, statistic, y) && json_array_append_new(array, count_json(y));
    }
    return dp2dpi_json_finish(array, failed);
}

static json_t *statistics_json(const dp2dpi_report *r) {
    json_t *array = json_array();
    int failed = 0;
    for (size_t s = 0; s < r->statistics.count && !failed && !dp2dpi_report_is_crowded(r); s++) {
        dp2dpi_html text = {0};
        dp2dpi_report_statistic(r, &text, s, DP2DPI_AS_TEXT);
        failed = json_array_append_new(
            array,
            DP2DPI_JSON_OBJECT(
                {"class", count_json(r->statistics.classes[s])},
                {"labels", labels_json(&r->statistics, s)},
                {"text", text.out.status == DP2DP_STATUS_OK ? json_string(text.out.bytes) : NULL}));
        dp2dpi_html_free(&text);
    }
    return dp2dpi_json_finish(array, failed);
}

/* Returns the JSON of the offsets and thresholds of a stratum, which is a group, or a pair of group
 * and label. With two classes, let p_1 be the score of class 1, and θ_0 and θ_1 the offsets. The
 * scores sum to 1, so class 1 wins if p_1 − θ_1 > 1 − p_1 − θ_0. */
static json_t *stratum_json(const dp2dp_model_info *info, size_t e) {
    const double *offsets = &info->offsets[e * info->classes];
    int one = info->classes == 2 && info->rule == DP2DP_RULE_OFFSET;
    double after = one ? fmin(1, fmax(0, (1 + offsets[1] - offsets[0]) / 2)) : NAN;
    return DP2DPI_JSON_OBJECT(
        {"group", count_json(e / info->labels)},
        {"label", info->labels > 1 ? count_json(e % info->labels) : json_null()},
        {"offsets", numbers_json(offsets, info->classes)},
        {"threshold_before", dp2dpi_finite_json(one ? 0.5 : NAN)},
        {"threshold_after", dp2dpi_finite_json(after)});
}

static json_t *rule_json(const dp2dp_model_info *info) {
    json_t *strata = json_array();
    int failed = 0, few = info->strata * info->classes <= DP2DPI_REPORT_OFFSETS_DATA;
    for (size_t e = 0; e < info->strata && few && !failed; e++) {
        failed = json_array_append_new(strata, stratum_json(info, e));
    }
    return DP2DPI_JSON_OBJECT({"strata", dp2dpi_json_finish(strata, failed)});
}

static json_t *bounds_json(const dp2dp_certificate *c) {
    json_t *array = json_array();
    int failed = 0;
    for (int i = 0; i < DP2DP_CRITERIA_MAX && !failed; i++) {
        const dp2dp_unfairness_bound *b = &c->criteria[i];
        failed = b->measured &&
                 json_array_append_new(
                     array, DP2DPI_JSON_OBJECT(
                                {"name", word_json(DP2DP_WORDS_CRITERION, i)},
                                {"unfairness_upper", dp2dpi_finite_json(b->upper)},
                                {"unfairness_upper_strict", dp2dpi_finite_json(b->upper_strict)}));
    }
    return dp2dpi_json_finish(array, failed);
}

static json_t *certificate_json(const dp2dpi_report *r) {
    const dp2dp_certificate_file *f = r->certificate;
    if (f == NULL) {
        return json_null();
    }
    const dp2dp_certificate *c = f->certificate;
    return DP2DPI_JSON_OBJECT(
        {"confidence", dp2dpi_finite_json(c->confidence)},
        {"wrong_at_most", dp2dpi_finite_json(1 - c->confidence)},
        {"unfairness_upper", dp2dpi_finite_json(c->unfairness_upper)},
        {"unfairness_upper_strict", dp2dpi_finite_json(c->unfairness_upper_strict)},
        {"criteria", bounds_json(c)}, {"held_out", json_boolean(c->held_out)},
        {"private", json_boolean(c->is_private)}, {"records", count_json(c->records)},
        {"rows_per_person", count_json(c->rows_per_person)},
        {"epsilon", dp2dpi_finite_json(f->epsilon)}, {"delta", dp2dpi_finite_json(f->delta)},
        {"sigma", dp2dpi_finite_json(c->sigma)}, {"people", dp2dpi_text_or_null(f->people)},
        {"quote", dp2dpi_text_or_null(c->held_out ? "unfairness_upper_strict" : NULL)},
        {"release_id", json_string(c->release_id)}, {"checksum", json_string(f->checksum)},
        {"warnings", dp2dpi_words_json(DP2DP_WORDS_WARNING, c->warnings, NULL)});
}

static json_t *entry_json(const dp2dp_ledger *ledger, size_t i) {
    dp2dp_event e = DP2DP_EVENT_INIT;
    dp2dp_rng_kind rng = DP2DP_RNG_SECURE;
    if (dp2dp_ledger_entry(ledger, i, &e, &rng, NULL) != DP2DP_STATUS_OK) {
        return NULL;
    }
    const char *set = e.set && *e.set ? e.set : e.role;
    int noisy = e.mechanism != DP2DP_DECLARED && e.mechanism != DP2DP_EXPOSED;
    double rate = e.mechanism == DP2DP_WITH_REPLACEMENT ? (double)e.draws / e.population : e.rate;
    int sampled = noisy && e.mechanism != DP2DP_GAUSSIAN;
    int declared = e.mechanism == DP2DP_DECLARED;
    return DP2DPI_JSON_OBJECT(
        {"label", dp2dpi_text_or_null(e.label)}, {"set", dp2dpi_text_or_null(set)},
        {"mechanism", word_json(DP2DP_WORDS_MECHANISM, (int)e.mechanism)},
        {"text",
         dp2dpi_text_or_null(dp2dp_word_find(DP2DP_WORDS_MECHANISM, (int)e.mechanism)->help)},
        {"count", count_json(e.count)}, {"sigma", dp2dpi_finite_json(noisy ? e.sigma : NAN)},
        {"sensitivity", dp2dpi_finite_json(noisy ? e.sensitivity : NAN)},
        {"rate", dp2dpi_finite_json(sampled ? rate : NAN)},
        {"coordinates", noisy ? count_json(e.coordinates) : json_null()},
        {"rows_per_person", count_json(e.rows_per_person)},
        {"epsilon", dp2dpi_finite_json(declared ? e.epsilon : NAN)},
        {"delta", dp2dpi_finite_json(declared ? e.delta : NAN)},
        {"rng", word_json(DP2DP_WORDS_RNG, (int)rng)},
        {"release_id", dp2dpi_text_or_null(e.release_id)});
}

static json_t *ledger_json(const dp2dp_ledger *ledger) {
    json_t *array = json_array();
    int failed = 0;
    for (size_t i = 0; i < dp2dp_ledger_size(ledger) && !failed; i++) {
        failed = json_array_append_new(array, entry_json(ledger, i));
    }
    return dp2dpi_json_finish(array, failed);
}

/* Computes an upper bound on the probability that somebody guesses right between two equally likely
 * cases that differ in one person's record. The best guess is right with probability (1 + t)/2,
 * where t ≤ (e^ε − 1 + 2δ)/(e^ε + 1) is the total variation distance between the outputs of the two
 * cases. */
static json_t *guess_json(const dp2dp_cover *cover) {
    double e = cover->epsilon;
    return dp2dpi_finite_json(1 / (1 + exp(-e)) + cover->delta / (1 + exp(e)));
}

static json_t *cover_json(const dp2dpi_report *r, const dp2dp_cover *cover, int covered) {
    const char *exposed = dp2dpi_report_exposes(r) ? "sweep-exposed" : NULL;
    json_t *records = cover->records > 0 ? count_json(cover->records) : json_null();
    json_t *object = DP2DPI_JSON_OBJECT(
        {"role", json_string(cover->role)}, {"people", dp2dpi_text_or_null(cover->people)},
        {"records", records}, {"rows_per_person", count_json(r->info->options->rows_per_person)});
    int failed = covered
                     ? json_object_set_new(object, "epsilon", dp2dpi_finite_json(cover->epsilon)) ||
                           json_object_set_new(object, "delta", dp2dpi_finite_json(cover->delta)) ||
                           json_object_set_new(object, "guess", guess_json(cover))
                     : json_object_set_new(
                           object, "because",
                           dp2dpi_words_json(DP2DP_WORDS_NOT_PRIVATE, cover->because, exposed));
    return dp2dpi_json_finish(object, failed);
}

static json_t *covers_json(const dp2dpi_report *r, int covered) {
    json_t *array = json_array();
    int failed = 0;
    for (size_t i = 0; i < r->info->cover_count && !failed; i++) {
        const dp2dp_cover *cover = &r->info->covers[i];
        if ((cover->because == 0 && !dp2dpi_report_exposes(r)) == covered) {
            failed = json_array_append_new(array, cover_json(r, cover, covered));
        }
    }
    return dp2dpi_json_finish(array, failed);
}

static json_t *average_json(const dp2dpi_point *p, dp2dpi_measure measure) {
    const dp2dpi_average *a = &p->measures[measure];
    double sd = p->runs > 1 ? sqrt(a->squares / (double)(p->runs - 1)) : NAN;
    return DP2DPI_JSON_OBJECT({"mean", dp2dpi_finite_json(a->mean)},
                              {"sd", dp2dpi_finite_json(sd)});
}

static json_t *point_json(const dp2dpi_point *p) {
    return DP2DPI_JSON_OBJECT(
        {"method", json_string(p->method)}, {"solver", json_string(p->solver)},
        {"rho", dp2dpi_finite_json(p->rho)}, {"epsilon", dp2dpi_finite_json(p->epsilon)},
        {"delta", dp2dpi_finite_json(p->delta)}, {"epsilon_holds", dp2dpi_finite_json(p->holds)},
        {"epsilon_claimed", dp2dpi_finite_json(p->claimed)}, {"runs", count_json(p->runs)},
        {"error", average_json(p, DP2DPI_ERROR)},
        {"unfairness", average_json(p, DP2DPI_UNFAIRNESS)},
        {"error_before", average_json(p, DP2DPI_ERROR_BEFORE)},
        {"unfairness_before", average_json(p, DP2DPI_UNFAIRNESS_BEFORE)});
}

static json_t *tradeoff_json(const dp2dpi_report *r) {
    if (r->sweep.points == NULL) {
        return json_null();
    }
    json_t *points = json_array();
    int failed = 0;
    for (size_t i = 0; i < r->sweep.count && !failed; i++) {
        failed = json_array_append_new(points, point_json(&r->sweep.points[i]));
    }
    return DP2DPI_JSON_OBJECT(
        {"people", word_json(DP2DP_WORDS_SWEEP_PEOPLE, (int)r->options.sweep_people)},
        {"criterion", word_json(DP2DP_WORDS_CRITERION, (int)r->info->criterion)},
        {"data", json_string(r->sweep.data)}, {"records", count_json(r->sweep.records)},
        {"points", dp2dpi_json_finish(points, failed)});
}

json_t *dp2dpi_report_data(const dp2dpi_report *r) {
    const dp2dp_model_info *info = r->info;
    dp2dpi_html title = {0};
    dp2dpi_report_title(r, &title);
    json_t *data = DP2DPI_JSON_OBJECT(
        {"version", json_integer(1)},
        {"title", title.out.status == DP2DP_STATUS_OK ? json_string(title.out.bytes) : NULL},
        {"publishable", json_boolean(dp2dpi_report_is_private(r) && !dp2dpi_report_is_exact(r))},
        {"private", json_boolean(dp2dpi_report_is_private(r))}, {"model", model_json(r)},
        {"groups", dp2dpi_json_texts(info->names.groups, info->groups)},
        {"classes", dp2dpi_json_texts(info->names.classes, info->classes)},
        {"labels", count_json(info->labels)}, {"statistics", statistics_json(r)});
    dp2dpi_html_free(&title);
    int failed = data == NULL || dp2dpi_report_add_rates(r, data) ||
                 json_object_set_new(data, "rule", rule_json(info)) ||
                 json_object_set_new(data, "tradeoff", tradeoff_json(r)) ||
                 json_object_set_new(data, "certificate", certificate_json(r)) ||
                 json_object_set_new(data, "ledger", ledger_json(info->ledger)) ||
                 json_object_set_new(data, "covers", covers_json(r, 1)) ||
                 json_object_set_new(data, "not_covered", covers_json(r, 0));
    return dp2dpi_json_finish(data, failed);
}
