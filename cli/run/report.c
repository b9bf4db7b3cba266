#include "run/run.h"

#include <math.h>

#include "common/json.h"
#include "common/number.h"
#include "input/absent.h"
#include "input/outside.h"
#include "input/table.h"
#include "privacy/privacy.h"
#include "show/criteria.h"
#include "show/show.h"

/* Computes the mean and the sample standard deviation of each measure over the runs. For a single
 * run, the standard deviation is NAN. */
static void summarise(const cli_run *runs, size_t count, double mean[CLI_MEASURES],
                      double spread[CLI_MEASURES]) {
    for (int k = 0; k < CLI_MEASURES; k++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < count; i++) {
            sum += runs[i].measures[k];
        }
        mean[k] = sum / (double)count;
        for (size_t i = 0; i < count; i++) {
            double away = runs[i].measures[k] - mean[k];
            squares += away * away;
        }
        spread[k] = count > 1 ? sqrt(squares / (double)(count - 1)) : NAN;
    }
}

static cli_positive positive_of(const cli_pipeline *p) {
    const dp2dp_schema_info *info = dp2dp_schema_view(p->schema);
    return cli_positive_of(p->fit.criterion, p->fit.positive, info->classes, info->class_count);
}

static const char *word_of(int criterion) {
    return dp2dp_criterion_name((dp2dp_criterion)criterion);
}

static cli_headline headline_of(const cli_pipeline *p, const double m[CLI_MEASURES]) {
    const dp2dp_criterion own = p->fit.criterion;
    return (cli_headline) {
        .error = {m[CLI_ERROR_BEFORE], m[CLI_ERROR_AFTER]},
        .parity = {m[CLI_UNFAIRNESS_BEFORE], m[CLI_UNFAIRNESS_AFTER]},
        .own = {m[CLI_CRITERIA_BEFORE + (int)own], m[CLI_CRITERIA_AFTER + (int)own]},
        .aims = 1,
        .criterion = own};
}

/* Returns the warnings about the model. Adds a warning if, on the mean over the runs, unfairness on
 * the test part is larger with the rule than without it. */
static unsigned warnings_of(const cli_pipeline *p, const cli_run *runs,
                            const double mean[CLI_MEASURES]) {
    const cli_headline h = headline_of(p, mean);
    return runs[0].warnings | cli_absent_warnings(p->schema, &p->table->watch) |
           (h.own[1] > h.own[0] ? (unsigned)DP2DP_WARNING_UNFAIRNESS_LARGER : 0U);
}

static void measures_json(const cli_pipeline *p, cli_json *json, const char *key,
                          const double m[CLI_MEASURES]) {
    const cli_headline h = headline_of(p, m);
    cli_json_open_object(json, key);
    cli_json_real(json, "error", h.error[1]);
    cli_json_real(json, "unfairness", h.parity[1]);
    cli_json_real(json, "criterion_unfairness", h.own[1]);
    cli_json_open_object(json, "unfair");
    cli_json_real(json, "error", h.error[0]);
    cli_json_real(json, "unfairness", h.parity[0]);
    cli_json_real(json, "criterion_unfairness", h.own[0]);
    cli_json_close_object(json);
    cli_json_open_object(json, "criteria");
    for (int i = 0; i < CLI_CRITERIA; i++) {
        cli_json_open_object(json, word_of(i));
        cli_json_real(json, "unfairness", m[CLI_CRITERIA_AFTER + i]);
        cli_json_real(json, "unfairness_before", m[CLI_CRITERIA_BEFORE + i]);
        cli_json_close_object(json);
    }
    cli_json_close_object(json);
    cli_json_close_object(json);
}

static const char *assumes(const cli_pipeline *p) {
    return p->one_set ? "train and pool are the same people, so both costs count"
           : p->fit.people == DP2DP_PEOPLE_SAME
               ? "a person's rows may be in train and pool, so both costs count"
               : "train and pool hold different people, so the larger cost counts";
}

void cli_pool_json(const cli_pipeline *p, cli_json *json) {
    if (p->one_set) {
        cli_json_text(json, "pool", "same");
        cli_json_real(json, "train_share", p->train.train_share);
    }
}

static void phases_json(const cli_pipeline *p, const cli_run *run, cli_json *json) {
    if (p->one_set) {
        cli_json_real(json, "epsilon_train", run->phases[0]);
        cli_json_real(json, "epsilon_rule", run->phases[1]);
    }
}

void cli_parts_text(const cli_pipeline *p, const char *about, const size_t sizes[CLI_PARTS],
                    cli_out *out) {
    if (p->one_set) {
        cli_out_row(out, "rows",
                    "%s%zu to train on and to learn the rule from (the same people), %zu to test "
                    "on",
                    about, sizes[CLI_PART_TRAIN], sizes[CLI_PART_TEST]);
    } else {
        cli_out_row(out, "rows", "%s%zu to train on, %zu to learn the rule from, %zu to test on",
                    about, sizes[CLI_PART_TRAIN], sizes[CLI_PART_POOL], sizes[CLI_PART_TEST]);
    }
}

/* Returns whether bad rows are ignored. If they are, the output must not say how many rows are left
 * out. */
static int is_silent(const cli_args *args) {
    return (cli_parts_of_records(args) & DP2DP_PART_IGNORE_BAD) != 0;
}

static void left_out_json(const cli_args *args, const cli_pipeline *p, const cli_run *run,
                          cli_json *json) {
    if (run->left_out > 0 && !is_silent(args)) {
        cli_json_count(json, "test_left_out", run->left_out);
        cli_absent_json(p->schema, &p->table->watch, json);
    }
}

static void left_out_text(const cli_args *args, const cli_pipeline *p, const cli_run *run,
                          cli_out *out) {
    if (run->left_out > 0 && !is_silent(args)) {
        cli_out_row(out, "left out",
                    "%zu of the rows to test on, because a value is missing: they get no decision "
                    "and are not measured",
                    run->left_out);
        cli_absent_text(p->schema, &p->table->watch, "whole table", out);
    }
}

static void print_json(const cli_args *args, const cli_pipeline *p, const cli_run *runs,
                       size_t count, const cli_spent *spent, cli_out *out) {
    const dp2dp_schema_info *info = dp2dp_schema_view(p->schema);
    double mean[CLI_MEASURES], spread[CLI_MEASURES];
    summarise(runs, count, mean, spread);
    cli_json json = cli_json_begin(out->stream);
    cli_json_text(&json, "schema", cli_word(args, "schema"));
    cli_labelled_json(p->table, &json);
    cli_json_text(&json, "method", cli_word(args, "method"));
    cli_json_text(&json, "solver", cli_word(args, "solver"));
    const cli_positive positive = positive_of(p);
    cli_json_text(&json, "criterion", dp2dp_criterion_name(p->fit.criterion));
    if (positive.name) {
        cli_positive_json(&positive, &json);
    }
    cli_json_truth(&json, "sees_group", !p->criterion.unaware);
    cli_json_real(&json, "dither", p->criterion.dither.width);
    cli_json_real(&json, "rho", p->fit.rho);
    cli_json_real(&json, "epsilon", runs[0].epsilon);
    cli_json_real(&json, "delta", runs[0].delta);
    cli_json_count(&json, "rows_per_person", p->fit.rows_per_person);
    cli_reasons_json(0, runs[0].not_private_because, &json);
    cli_warnings_json_with(warnings_of(p, runs, mean), cli_rho_warning(p->fit.rho), &json);
    cli_covers_json(runs[0].covers, runs[0].cover_count, &json);
    cli_json_text(&json, "assumes", assumes(p));
    cli_pool_json(p, &json);
    phases_json(p, &runs[0], &json);
    cli_spent_json(spent, &json);
    cli_json_count(&json, "records", p->people->count);
    cli_json_count(&json, "features", info->width);
    cli_json_texts(&json, "groups", info->groups, info->group_count);
    cli_json_texts(&json, "classes", info->classes, info->class_count);
    cli_json_open_object(&json, "sizes");
    cli_json_count(&json, "train", runs[0].sizes[CLI_PART_TRAIN]);
    cli_json_count(&json, "pool", runs[0].sizes[CLI_PART_POOL]);
    cli_json_count(&json, "test", runs[0].sizes[CLI_PART_TEST]);
    cli_json_close_object(&json);
    left_out_json(args, p, &runs[0], &json);
    cli_persons_json(args, p, &json);
    cli_json_text(&json, "rows_assumption", cli_persons_assumption(p));
    cli_outside_json(p->schema, &p->table->watch, &json);
    cli_json_real(&json, "noise", runs[0].noise);
    measures_json(p, &json, "mean", mean);
    measures_json(p, &json, "std", spread);
    cli_json_open_array(&json, "runs");
    for (size_t i = 0; i < count; i++) {
        measures_json(p, &json, NULL, runs[i].measures);
    }
    cli_json_close_array(&json);
    cli_json_end(&json);
}

static void privacy_text(const cli_pipeline *p, const cli_run *run, size_t count, cli_out *out) {
    if (isnan(run->epsilon)) {
        cli_out_row(out, "epsilon", "none: nothing is promised");
        return;
    }
    cli_out_row(out, "epsilon", "%s at delta %s for any one person, in one run; %s%s",
                cli_number_up(run->epsilon, 4).text, cli_number_up(run->delta, 4).text, assumes(p),
                count > 1 ? ". All runs together cost more" : "");
    if (p->one_set && isfinite(run->phases[1])) {
        cli_out_row(out, "", "training alone costs %s, the rule alone %s",
                    cli_number_up(run->phases[0], 4).text, cli_number_up(run->phases[1], 4).text);
    }
}

static void criteria_text(const cli_pipeline *p, const double mean[CLI_MEASURES], cli_out *out) {
    cli_out_section(out, "Unfairness under each notion: largest gap between two groups");
    fprintf(out->stream, "  %-27s %7s %7s\n", "", "before", "after");
    for (int i = 0; i < CLI_CRITERIA; i++) {
        fprintf(out->stream, "  %-27s %7s %7s%s\n", word_of(i),
                cli_cell_of(mean[CLI_CRITERIA_BEFORE + i]).text,
                cli_cell_of(mean[CLI_CRITERIA_AFTER + i]).text,
                i == (int)p->fit.criterion ? "  <- what the rule aims at" : "");
    }
}

static void wrong_text(const cli_pipeline *p, const cli_headline *h, cli_out *out) {
    char rates[240] = "There are not enough groups in the test part to compare their rates.";
    if (!isnan(h->own[0]) && !isnan(h->own[1])) {
        snprintf(rates, sizeof rates,
                 "The rate of a class%s differs between two groups by up to %.1f points before, "
                 "and by up to %.1f after.",
                 p->criterion.labelled ? ", among people with the labels that the criterion names,"
                                       : "",
                 100 * h->own[0], 100 * h->own[1]);
    }
    cli_out_prose(out, "Of 100 people, %.1f get the wrong class before and %.1f after. %s",
                  100 * h->error[0], 100 * h->error[1], rates);
}

static void explain(const cli_pipeline *p, const cli_run *runs, const double mean[CLI_MEASURES],
                    cli_out *out) {
    const cli_headline h = headline_of(p, mean);
    cli_out_section(out, "What it means");
    wrong_text(p, &h, out);
    if (p->criterion.dither.width > 0) {
        cli_out_prose(out,
                      "This criterion needs randomness, so the rule adds a pseudo-random number "
                      "below %g to each score. The number is a public function of the scores: "
                      "people with equal scores get equal decisions.",
                      p->criterion.dither.width);
    }
    cli_out_prose(out, "Before: the classifier's most likely class. After: the fair rule's "
                       "decision. These numbers are counted on the test part and are NOT private; "
                       "use dp2dp run only on data you may look at.");
    cli_warnings_text((runs[0].warnings | cli_absent_warnings(p->schema, &p->table->watch)) &
                          ~(unsigned)DP2DP_WARNING_TIES,
                      out);
    cli_rho_text(p->fit.rho, out);
    if (runs[0].warnings & DP2DP_WARNING_TIES) {
        cli_out_prose(out,
                      "CAUTION: moving a threshold a little changes the decision of many people "
                      "at once, probably because their scores are equal. A dither (a random "
                      "number added to each score) breaks such ties, but dp2dp run has no option "
                      "for this: use dp2dp train, and then dp2dp fit --dither W.");
    }
    cli_outside_text(p->schema, &p->table->watch, out);
    cli_persons_caution(p, out);
    cli_classifier_caution(runs[0].noise, out);
    if (warnings_of(p, runs, mean) & DP2DP_WARNING_UNFAIRNESS_LARGER) {
        cli_out_prose(out, "CAUTION: unfairness is larger with the rule than without it. The pool "
                           "may be too small for this epsilon.");
    }
}

static void print_text(const cli_args *args, const cli_pipeline *p, const cli_run *runs,
                       size_t count, const cli_spent *spent, cli_out *out) {
    double mean[CLI_MEASURES], spread[CLI_MEASURES];
    summarise(runs, count, mean, spread);
    cli_reasons_text(runs[0].not_private_because, out);
    fprintf(out->stream, "%sBefore and after, ", cli_bold(out));
    fprintf(out->stream, count > 1 ? "mean of %zu runs" : "%zu run", count);
    fprintf(out->stream, " on %zu test %s%s (NOT private: counted without noise)\n",
            runs[0].sizes[CLI_PART_TEST], cli_noun(runs[0].sizes[CLI_PART_TEST], "row", "rows"),
            cli_plain(out));
    const cli_headline means = headline_of(p, mean), spreads = headline_of(p, spread);
    cli_headline_text(&means, out);
    if (count > 1) {
        fprintf(out->stream, "\n%sSpread%s (standard deviation over the runs)\n", cli_bold(out),
                cli_plain(out));
        cli_headline_text(&spreads, out);
    }
    criteria_text(p, mean, out);
    cli_out_section(out, "Each run");
    cli_labelled_text(p->table, out);
    cli_parts_text(p, "", runs[0].sizes, out);
    left_out_text(args, p, &runs[0], out);
    cli_persons_text(args, p, out);
    size_t features = dp2dp_schema_view(p->schema)->width;
    cli_out_row(out, "classifier", "%s, %zu %s", cli_word(args, "method"), features,
                cli_noun(features, "feature", "features"));
    cli_out_row(out, "rule", "%s, rho %s%s", cli_word(args, "solver"),
                cli_number_exact(p->fit.rho).text,
                p->criterion.unaware ? ", does not see the group" : "");
    const cli_positive positive = positive_of(p);
    cli_positive_text(&positive, out);
    privacy_text(p, &runs[0], count, out);
    cli_spent_text(spent, out);
    explain(p, runs, mean, out);
}

void cli_run_report(const cli_args *args, const cli_pipeline *pipeline, const cli_run *runs,
                    size_t count, const cli_spent *spent, cli_out *out) {
    (cli_given(args, "json") ? print_json : print_text)(args, pipeline, runs, count, spent, out);
}
