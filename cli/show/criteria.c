#include "show/criteria.h"

#include <math.h>

cli_cell cli_cell_of(double x) {
    cli_cell c;
    snprintf(c.text, sizeof c.text, isnan(x) ? "-" : "%.3f", x);
    return c;
}

static const char *word_of(size_t criterion) {
    return dp2dp_criterion_name((dp2dp_criterion)criterion);
}

static void interval_json(cli_json *json, const char *key, dp2dp_interval interval) {
    const double ends[] = {interval.low, interval.high};
    cli_json_reals(json, key, ends, 2);
}

static void worst_json(const cli_measured *m, const dp2dp_unfairness *u, cli_json *json) {
    const dp2dp_statistic *s = &u->statistics[u->statistic];
    cli_json_open_object(json, "worst");
    cli_json_text(json, "class", m->classes[s->class_index]);
    cli_json_open_array(json, "labels");
    for (size_t y = 0; y < m->after->classes; y++) {
        if (s->labels == NULL || s->labels[y]) {
            cli_json_text(json, NULL, m->classes[y]);
        }
    }
    cli_json_close_array(json);
    cli_json_text(json, "group_high", m->groups[u->group_high]);
    cli_json_text(json, "group_low", m->groups[u->group_low]);
    cli_json_close_object(json);
}

static void criteria_json(const cli_measured *m, cli_json *json) {
    cli_json_open_object(json, "criteria");
    for (size_t i = 0; i < m->after->criterion_count; i++) {
        const dp2dp_unfairness *u = &m->after->criteria[i];
        if (!u->measured) {
            continue;
        }
        cli_json_open_object(json, word_of(i));
        cli_json_real(json, "unfairness", u->unfairness);
        interval_json(json, "unfairness_interval", u->interval);
        cli_json_real(json, "unfairness_before", m->before->criteria[i].unfairness);
        cli_json_truth(json, "aimed_at", m->aims && (size_t)m->criterion == i);
        if (!isnan(u->unfairness)) {
            worst_json(m, u, json);
        }
        cli_json_close_object(json);
    }
    cli_json_close_object(json);
}

static void proportion_json(const char *key, const dp2dp_proportion *p, cli_json *json) {
    cli_json_open_object(json, key);
    cli_json_real(json, "rate", p->rate);
    interval_json(json, "interval", p->interval);
    cli_json_count(json, "part", (uint64_t)p->part);
    cli_json_count(json, "whole", (uint64_t)p->whole);
    cli_json_close_object(json);
}

static void group_json(const cli_measured *m, size_t g, cli_json *json) {
    const dp2dp_evaluation *e = m->after;
    cli_json_open_object(json, NULL);
    cli_json_text(json, "group", m->groups[g]);
    cli_json_count(json, "people", (uint64_t)e->class_rates[g * e->classes].selection.whole);
    if (e->has_labels) {
        proportion_json("error", &e->errors[g], json);
    }
    cli_json_open_array(json, "classes");
    for (size_t k = 0; k < e->classes; k++) {
        const dp2dp_class_rates *r = &e->class_rates[g * e->classes + k];
        cli_json_open_object(json, NULL);
        cli_json_text(json, "class", m->classes[k]);
        proportion_json("selection", &r->selection, json);
        if (e->has_labels) {
            proportion_json("true_positive", &r->true_positive, json);
            proportion_json("false_positive", &r->false_positive, json);
            proportion_json("precision", &r->precision, json);
        }
        cli_json_close_object(json);
    }
    cli_json_close_array(json);
    cli_json_close_object(json);
}

void cli_criteria_json(const cli_measured *m, cli_json *json) {
    criteria_json(m, json);
    cli_json_open_array(json, "by_group");
    for (size_t g = 0; g < m->after->strata; g++) {
        group_json(m, g, json);
    }
    cli_json_close_array(json);
    cli_json_real(json, "disparate_impact", m->after->disparate_impact);
}

cli_headline cli_headline_of(const cli_measured *m) {
    cli_headline h = {.error = {m->before->error, m->after->error},
                      .parity = {m->before->unfairness, m->after->unfairness},
                      .own = {NAN, NAN},
                      .aims = m->aims,
                      .criterion = m->criterion};
    if (m->aims && m->after->criteria[m->criterion].measured) {
        h.own[0] = m->before->criteria[m->criterion].unfairness;
        h.own[1] = m->after->criteria[m->criterion].unfairness;
    }
    return h;
}

static cli_cell four(double x) {
    cli_cell c;
    snprintf(c.text, sizeof c.text, isnan(x) ? "-" : "%.4f", x);
    return c;
}

static void headline_row(dp2dp_criterion criterion, const double values[2], cli_out *out) {
    fprintf(out->stream, "  unfairness, %-28s %8s %8s\n", word_of(criterion), four(values[0]).text,
            four(values[1]).text);
}

void cli_headline_text(const cli_headline *h, cli_out *out) {
    if (!h->aims || h->criterion == DP2DP_DEMOGRAPHIC_PARITY) {
        const double values[] = {h->error[0], h->error[1], h->parity[0], h->parity[1]};
        cli_out_before_after(out, values);
        return;
    }
    fprintf(out->stream, "  %-40s %8s %8s\n", "", "before", "after");
    fprintf(out->stream, "  %-40s %8s %8s\n", "error", four(h->error[0]).text,
            four(h->error[1]).text);
    headline_row(h->criterion, h->own, out);
    headline_row(DP2DP_DEMOGRAPHIC_PARITY, h->parity, out);
}

/* Sets *first and *end: the table of rates shows the classes from `first` to `end` - 1. */
static void classes_of(const dp2dp_evaluation *e, size_t *first, size_t *end) {
    *first = e->positive >= 0 ? (size_t)e->positive : e->classes == 2 ? 1 : 0;
    *end = e->positive >= 0 || e->classes == 2 ? *first + 1 : e->classes;
}

static void rates_text(const cli_measured *m, cli_out *out) {
    enum {
        CLASSES_MAX = 6
    };
    const dp2dp_evaluation *e = m->after;
    size_t first, end;
    classes_of(e, &first, &end);
    cli_out_section(out, "Rates by group, after the rule");
    if (end - first > CLASSES_MAX) {
        cli_out_prose(out,
                      "With %zu classes, there are too many rates to print here. To see them, "
                      "use --json.",
                      e->classes);
        return;
    }
    fprintf(out->stream, "  %-12s %-12s %9s %6s %6s %9s %6s %8s\n", "class", "group", "selected",
            "TPR", "FPR", "precision", "error", "people");
    for (size_t k = first; k < end; k++) {
        for (size_t g = 0; g < e->strata; g++) {
            const dp2dp_class_rates *r = &e->class_rates[g * e->classes + k];
            char class_name[64], group[64];
            snprintf(class_name, sizeof class_name, "%.12s", m->classes[k]);
            snprintf(group, sizeof group, "%.12s", m->groups[g]);
            cli_make_safe(class_name);
            cli_make_safe(group);
            fprintf(out->stream, "  %-12s %-12s %9s %6s %6s %9s %6s %8lld\n", class_name, group,
                    cli_cell_of(r->selection.rate).text, cli_cell_of(r->true_positive.rate).text,
                    cli_cell_of(r->false_positive.rate).text, cli_cell_of(r->precision.rate).text,
                    cli_cell_of(e->has_labels ? e->errors[g].rate : NAN).text,
                    (long long)r->selection.whole);
        }
    }
    if (e->has_labels) {
        cli_out_prose(out,
                      "TPR: among people whose label is the class, the share who get the class. "
                      "FPR: among other people, the share who get the class. Precision: among "
                      "people who get the class, the share whose label is the class.");
    }
}

void cli_criteria_text(const cli_measured *m, cli_out *out) {
    const dp2dp_evaluation *e = m->after;
    rates_text(m, out);
    cli_out_section(out, "Unfairness under each notion: largest gap between two groups");
    fprintf(out->stream, "  %-27s %7s %7s\n", "", "before", "after");
    for (size_t i = 0; i < e->criterion_count; i++) {
        if (e->criteria[i].measured) {
            fprintf(out->stream, "  %-27s %7s %7s%s\n", word_of(i),
                    cli_cell_of(m->before->criteria[i].unfairness).text,
                    cli_cell_of(e->criteria[i].unfairness).text,
                    m->aims && (size_t)m->criterion == i ? "  <- what the model aims at" : "");
        }
    }
    cli_out_prose(
        out,
        "Disparate impact, the smallest selection rate divided by the largest: %s before, "
        "%s after. A model that is fair under one notion may be unfair under another.",
        cli_cell_of(m->before->disparate_impact).text, cli_cell_of(e->disparate_impact).text);
    if (!e->has_labels) {
        cli_out_prose(out, "The other notions of fairness can be measured only if the table has "
                           "the true classes.");
    }
}
