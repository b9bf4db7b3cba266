#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "common/number.h"
#include "input/kind.h"
#include "input/outside.h"
#include "input/scores.h"
#include "input/table.h"
#include "output/sink.h"
#include "privacy/privacy.h"
#include "show/show.h"

/* Everything that certify allocates; cmd_certify frees it. */
typedef struct proof {
    dp2dp_model *model;
    const dp2dp_model_info *info;
    dp2dp_pool *pool;
    dp2dp_ledger *ledger; /* the file of --ledger; without it, a ledger in memory */
    dp2dp_certify_options options;
    dp2dp_certificate certificate;
    double *rates; /* for each stratum (a group, or a group and a label), the share of each class in
                      its noisy counts */
    cli_sink sink;
    const char *group; /* name of the group column, from cli_columns_group */
    double epsilon;    /* cost of this certificate, at --delta */
    cli_spent spent;
    cli_reach reach;
    size_t others; /* number of certificates in the ledger besides this one */
} proof;

/* Finds the label column. If the criterion needs labels, a certificate reads labels, even if the
 * fit used probabilities in place of labels (--counted scores). */
static dp2dp_status find_label(const cli_args *args, const dp2dp_model_info *info,
                               cli_columns *columns, dp2dp_error *error) {
    int labelled = info->labels > 1;
    columns->label = cli_word(args, "label");
    CLI_TRY(cli_columns_check_label(columns, error));
    if (columns->label && !labelled) {
        return cli_refuse(error, "leave --label out: the model aims at demographic parity, which "
                                 "needs no labels");
    }
    return labelled && columns->label == NULL && columns->classifier == NULL
               ? cli_refuse(error,
                            "the model aims at %s, which needs labels: give --label, the column "
                            "with each person's true class",
                            dp2dp_criterion_name(info->criterion))
               : DP2DP_STATUS_OK;
}

static dp2dp_status find_multiplicity(const cli_args *args, const dp2dp_model_info *info,
                                      cli_columns *columns, dp2dp_error *error) {
    columns->multiplicity = cli_word(args, "multiplicity");
    if (columns->multiplicity && columns->classifier) {
        return cli_refuse(error, "--multiplicity is only for tables of scores, and this model "
                                 "reads raw rows: give each record its own row");
    }
    return columns->multiplicity && info->dither.width > 0
               ? cli_refuse(error,
                            "--multiplicity cannot be used with this model, which adds a random "
                            "number (a dither) to the scores of each record: give each record its "
                            "own row")
               : DP2DP_STATUS_OK;
}

/* Returns LABELS_ARE_DECISIONS if every label equals the decision of the rule, else 0. Counts
 * without noise, so only the operator may see the result. If counting fails, gives no warning:
 * dp2dp_certify counts again and reports the failure. */
static unsigned warn_of_own(const proof *p) {
    const dp2dp_model_info *info = p->info;
    const dp2dp_source source = dp2dp_pool_source(p->pool);
    size_t cells = info->strata * info->classes;
    int64_t *table = calloc(cells, sizeof *table);
    float *offsets = calloc(cells, sizeof *offsets);
    uint64_t right = 0;
    dp2dp_error error;
    for (size_t i = 0; i < cells && offsets; i++) {
        offsets[i] = (float)info->offsets[i];
    }
    if (table && offsets &&
        source.count(source.context, offsets, table, &error) == DP2DP_STATUS_OK) {
        for (size_t i = 0; i < info->strata; i++) {
            right += (uint64_t)table[i * info->classes + i % info->labels];
        }
    }
    free(table);
    free(offsets);
    return dp2dp_warn_of_labels(source.records, right, info->classes) &
           (unsigned)DP2DP_WARNING_LABELS_ARE_DECISIONS;
}

/* Warns the operator about suspicious rows, before anything is charged. If bad rows are left out,
 * no message may depend on the rows, so labels are not compared with decisions. */
static void tell(const cli_columns *columns, const proof *p) {
    unsigned own = p->info->labels > 1 && !columns->leaves_out ? warn_of_own(p) : 0U;
    /* The warning that everybody gets the same class comes later, from the released counts of the
     * rule's decisions. */
    cli_rows_tell(columns, p->pool, p->info->options->rows_per_person, own,
                  (unsigned)DP2DP_WARNING_ONE_CLASS);
}

static dp2dp_status read_people(const cli_args *args, proof *p, dp2dp_error *error) {
    cli_columns columns = {0};
    cli_watch watch = {0};
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(cli_kind_model(args, &p->model, error));
    p->info = dp2dp_model_view(p->model);
    if (p->info->strata == 0) {
        CLI_TRY_OR_DONE(cli_refuse(
            error, "the model has no fair rule yet: learn one with dp2dp fit TABLE --model %.120s",
            args->operands[0]));
    }
    unsigned parts = cli_parts_of_records(args) | DP2DP_PART_GROUP |
                     (p->info->labels > 1 ? DP2DP_PART_LABEL : 0U);
    CLI_TRY_OR_DONE(
        cli_columns_of_model(args, p->model, args->operands[1], parts, &columns, error));
    CLI_TRY_OR_DONE(find_label(args, p->info, &columns, error));
    CLI_TRY_OR_DONE(find_multiplicity(args, p->info, &columns, error));
    options.strata = p->info->strata;
    options.labels = p->info->labels > 1 ? p->info->labels : 0;
    options.dither_key = p->info->dither_key;
    options.row_sums = p->info->row_sums;
    options.grid_bits = p->info->grid_bits;
    options.dither = p->info->dither;
    options.threads = (unsigned)cli_count(args, "threads");
    columns.watch = &watch;
    watch.hides_group = cli_model_hides_group(p->model);
    CLI_TRY_OR_DONE(cli_outside_count(columns.schema, &watch, error));
    CLI_TRY_OR_DONE(cli_scores_pool(&columns, &options, &p->pool, error));
    p->group = cli_columns_group(&columns);
    tell(&columns, p);
done:
    cli_outside_free(&watch);
    cli_columns_free(&columns);
    return status;
}

static void read_settings(const cli_args *args, proof *p) {
    p->options = DP2DP_CERTIFY_OPTIONS_INIT;
    p->options.epsilon = cli_real(args, "epsilon");
    p->options.delta = cli_real(args, "delta");
    p->options.confidence = cli_real(args, "confidence");
    p->options.people = cli_given(args, "same-people") ? DP2DP_PEOPLE_SAME : DP2DP_PEOPLE_OTHER;
    p->options.people_name = cli_word(args, "people");
    if (cli_given(args, "insecure-seed")) {
        p->options.rng = DP2DP_RNG_INSECURE;
        p->options.insecure_seed = cli_count(args, "insecure-seed");
    }
}

static dp2dp_status check_at_most(const cli_args *args, dp2dp_error *error) {
    return cli_given(args, "at-most") && cli_given(args, "same-people")
               ? cli_refuse(error, "--at-most cannot be used with --same-people: a bound needs "
                                   "people that the model was not made from")
               : DP2DP_STATUS_OK;
}

static dp2dp_status check_json(const cli_args *args, dp2dp_error *error) {
    return cli_word(args, "out") ? cli_sink_check_json(args, "certificate", error)
                                 : DP2DP_STATUS_OK;
}

void cli_certify_check(const cli_args *args) {
    static const cli_args_rule rules[] = {check_at_most, cli_spend_check_ledger, check_json, NULL};
    cli_args_check_rules(args, rules);
}

/* Refuses, before anything is charged, a value of --at-most that this model cannot meet: for a
 * model with several rows per person, the strict bound is always 1. */
static dp2dp_status check_reach(const cli_args *args, const proof *p, dp2dp_error *error) {
    uint64_t rows = p->info->options->rows_per_person;
    return cli_given(args, "at-most") && rows > 1 && cli_real(args, "at-most") < 1
               ? cli_refuse(error,
                            "--at-most %s cannot be met: the model was made for up to %" PRIu64 " "
                            "rows per person, and for several rows the strict bound is always 1. "
                            "Nothing was charged. To get an approximate bound, leave --at-most out",
                            cli_number_exact(cli_real(args, "at-most")).text, rows)
               : DP2DP_STATUS_OK;
}

static dp2dp_status rehearse(const cli_args *args, proof *p, cli_out *out, dp2dp_error *error) {
    dp2dp_source source = dp2dp_pool_source(p->pool);
    cli_dry dry = {0};
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY(cli_place_check(args, "out", cli_word(args, "out"), error));
    CLI_TRY_OR_DONE(cli_dry_open(args, &dry, error));
    CLI_TRY_OR_DONE(cli_spend_failure(
        args, dp2dp_certify_plan(&source, p->model, &p->options, dry.ledger, error), error));
    dry.records = source.records;
    dry.reach = &p->reach;
    if (p->options.people == DP2DP_PEOPLE_OTHER) {
        dry.warnings =
            dp2dp_warn_of_people(p->info, source.records) |
            (p->info->options->rows_per_person > 1 ? (unsigned)DP2DP_WARNING_NO_STRICT_BOUND : 0U);
    }
    status = cli_dry_print(args, &dry, out, error);
done:
    dp2dp_ledger_free(dry.ledger);
    return status;
}

static dp2dp_status certify(const cli_args *args, proof *p, dp2dp_error *error) {
    dp2dp_source source = dp2dp_pool_source(p->pool);
    size_t cells = p->info->strata * p->info->classes;
    CLI_TRY(cli_spend_open(args, &p->ledger, &p->spent, error));
    if (p->ledger == NULL) {
        CLI_TRY(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &p->ledger, error));
    }
    p->options.ledger = p->ledger;
    p->certificate = DP2DP_CERTIFICATE_INIT;
    p->certificate.table = calloc(cells, sizeof(double));
    CLI_TRY(cli_check_memory(p->certificate.table, "the table", error));
    p->rates = calloc(cells, sizeof(double));
    CLI_TRY(cli_check_memory(p->rates, "the table", error));
    dp2dp_status status = dp2dp_certify(&source, p->model, &p->options, &p->certificate, error);
    return cli_spend_failure(args, status, error);
}

/* Computes p->rates from the noisy counts. If the counts of a stratum do not sum to a positive
 * number, the rates of this stratum are NAN. */
static void find_rates(proof *p) {
    size_t classes = p->info->classes;
    for (size_t g = 0; g < p->info->strata; g++) {
        const double *counts = p->certificate.table + g * classes;
        double total = 0;
        for (size_t k = 0; k < classes; k++) {
            total += counts[k];
        }
        for (size_t k = 0; k < classes; k++) {
            p->rates[g * classes + k] = total > 0 ? fmin(1, fmax(0, counts[k] / total)) : NAN;
        }
    }
}

/* Computes the cost of this certificate, which is one entry of the ledger, and the cost of the
 * whole ledger. */
static dp2dp_status account(const cli_args *args, proof *p, dp2dp_error *error) {
    cli_entries own = {.ledger = p->ledger};
    for (size_t i = 0; i < dp2dp_ledger_size(p->ledger); i++) {
        const char *id = cli_entry(p->ledger, i, NULL).release_id;
        const char *label = cli_entry(p->ledger, i, NULL).label;
        if (id && strcmp(id, p->certificate.release_id) == 0) {
            own.first = i;
            own.end = i + 1;
        } else if (id && label && strcmp(label, "certificate") == 0) {
            p->others++;
        }
    }
    CLI_TRY(cli_spend_of(&own, cli_real(args, "delta"), &p->epsilon, error));
    return cli_spend_total(args, p->ledger, &p->spent, error);
}

/* Writes the file of --out, and records its checksum in the ledger. */
static dp2dp_status save(const cli_args *args, proof *p, dp2dp_error *error) {
    char checksum[CLI_CHECKSUM_SIZE], *text = NULL;
    size_t length = 0;
    dp2dp_status status = DP2DP_STATUS_OK;
    if (!cli_given(args, "out")) {
        return DP2DP_STATUS_OK;
    }
    CLI_TRY_OR_DONE(
        dp2dp_certificate_to_json(&p->certificate, p->model, &p->options, &text, &length, error));
    CLI_TRY_OR_DONE(cli_sink_sealed(&p->sink, text, length, checksum, error));
    if (p->spent.path) {
        status = dp2dp_ledger_publish(p->ledger, p->certificate.release_id, checksum, error);
    }
done:
    dp2dp_text_free(text);
    return status;
}

static int is_met(const cli_args *args, const proof *p) {
    return !cli_given(args, "at-most") ||
           p->certificate.unfairness_upper_strict <= cli_real(args, "at-most");
}

/* Writes the bound for each criterion. The confidence holds for each bound alone; the probability
 * that all bounds hold together may be lower. */
static void criteria_json(const dp2dp_certificate *c, cli_json *json) {
    cli_json_open_object(json, "criteria");
    for (int i = 0; i < DP2DP_CRITERIA_MAX; i++) {
        const dp2dp_unfairness_bound *bound = &c->criteria[i];
        if (bound->measured) {
            cli_json_open_object(json, dp2dp_criterion_name((dp2dp_criterion)i));
            cli_json_real(json, "unfairness_upper", bound->upper);
            cli_json_real(json, "unfairness_upper_strict", bound->upper_strict);
            cli_json_truth(json, "group_too_small", bound->group_too_small);
            cli_json_close_object(json);
        }
    }
    cli_json_close_object(json);
}

/* Prints the bounds for the criteria that the model does not aim at. */
static void others_text(const dp2dp_certificate *c, cli_out *out) {
    const char *name = "not aimed at";
    for (int i = 0; i < DP2DP_CRITERIA_MAX && c->held_out; i++) {
        const dp2dp_unfairness_bound *bound = &c->criteria[i];
        if (bound->measured && i != (int)c->criterion) {
            cli_out_row(out, name, "%s: at most %s (approximation: %s)",
                        dp2dp_criterion_name((dp2dp_criterion)i),
                        cli_number_up(bound->upper_strict, 3).text,
                        cli_number_up(bound->upper, 3).text);
            name = "";
        }
    }
}

/* Writes what is assumed about the rows of one person. The privacy guarantee and both bounds depend
 * on this assumption. */
static void assume_rows(const cli_args *args, const proof *p, char out[CLI_ASSUMPTION_SIZE]) {
    static const char otherwise[] = "make the model with --rows-per-person";
    uint64_t most = p->certificate.rows_per_person;
    if (cli_given(args, "multiplicity")) {
        cli_assume_cells(most, otherwise, out);
    } else if (most > 1) {
        (void)snprintf(out, CLI_ASSUMPTION_SIZE, "that nobody has more than %" PRIu64 " rows",
                       most);
    } else {
        (void)snprintf(out, CLI_ASSUMPTION_SIZE, "%s; otherwise %s",
                       dp2dp_statement_text(DP2DP_STATEMENT_ASSUMES_ONE_ROW), otherwise);
    }
}

static cli_positive positive_of(const proof *p) {
    return cli_positive_of(p->certificate.criterion, p->certificate.positive,
                           p->info->names.classes, p->info->classes);
}

static void print_json(const cli_args *args, const proof *p, cli_out *out) {
    const dp2dp_certificate *c = &p->certificate;
    char rows[CLI_ASSUMPTION_SIZE];
    assume_rows(args, p, rows);
    const cli_positive positive = positive_of(p);
    cli_json json = cli_json_begin(out->stream);
    cli_json_text(&json, "criterion", dp2dp_criterion_name(c->criterion));
    if (positive.name) {
        cli_positive_json(&positive, &json);
    }
    cli_json_real(&json, "unfairness_upper", c->unfairness_upper);
    cli_json_real(&json, "unfairness_upper_strict", c->unfairness_upper_strict);
    cli_json_text(&json, "quote", c->held_out ? "unfairness_upper_strict" : NULL);
    cli_json_real(&json, "confidence", c->confidence);
    if (p->others > 0 && c->held_out) {
        cli_json_count(&json, "other_certificates", p->others);
    }
    cli_json_truth(&json, "held_out", c->held_out);
    cli_json_text(&json, "assumption",
                  c->held_out ? dp2dp_statement_text(DP2DP_STATEMENT_ASSUMES_HELD_OUT) : NULL);
    cli_json_text(&json, "rows_assumption", rows);
    if (cli_given(args, "at-most")) {
        cli_json_real(&json, "at_most", cli_real(args, "at-most"));
        cli_json_truth(&json, "met", is_met(args, p));
        cli_reach_json(&p->reach, &json);
    }
    cli_json_truth(&json, "group_too_small", c->group_too_small);
    criteria_json(c, &json);
    cli_warnings_json(c->warnings, &json);
    cli_cost_json(p->epsilon, cli_real(args, "delta"), DP2DP_REPLACE_ONE, &json);
    cli_json_count(&json, "rows_per_person", c->rows_per_person);
    cli_json_text(&json, "people", p->options.people_name);
    cli_json_truth(&json, "private", c->is_private);
    cli_json_real(&json, "sigma", c->sigma);
    cli_json_count(&json, "records", c->records);
    cli_json_truth(&json, "leaves_out", c->leaves_out);
    if (cli_uncovered(c) > 0) {
        cli_json_count(&json, "records_left_out", (uint64_t)llround(cli_uncovered(c)));
    }
    cli_json_text(&json, "release_id", c->release_id);
    cli_json_text(&json, "certificate", cli_word(args, "out"));
    cli_json_text(&json, "sensitive", p->group);
    cli_json_texts(&json, "groups", p->info->names.groups, p->info->groups);
    cli_json_count(&json, "labels", c->labels);
    cli_json_texts(&json, "classes", p->info->names.classes, p->info->classes);
    cli_json_table(&json, "table", c->table, p->info->strata, p->info->classes);
    cli_json_table(&json, "rates", p->rates, p->info->strata, p->info->classes);
    cli_spent_json(&p->spent, &json);
    if (p->spent.path == NULL) {
        cli_entries_json(p->ledger, &json);
    }
    cli_json_end(&json);
}

static int has_strict_bound(const dp2dp_certificate *c) {
    return !(c->warnings & DP2DP_WARNING_NO_STRICT_BOUND);
}

/* Prints the bound to quote: the strict bound or, if no strict bound is proven, the approximate
 * bound. */
static void first_line(const dp2dp_certificate *c, cli_out *out) {
    int strict = has_strict_bound(c);
    fprintf(out->stream, "%sUnfairness%s%s is at most %s, with confidence %s%s\n", cli_bold(out),
            c->labels > 1 ? " under " : "", c->labels > 1 ? dp2dp_criterion_name(c->criterion) : "",
            cli_number_up(strict ? c->unfairness_upper_strict : c->unfairness_upper, 3).text,
            cli_number_exact(c->confidence).text, cli_plain(out));
}

/* Says whether the bound in the first line is strict or approximate, and prints the bound of the
 * other kind. */
static void kinds_text(const dp2dp_certificate *c, cli_out *out) {
    if (!has_strict_bound(c)) {
        cli_out_row(out, "strict",
                    "no bound below 1: the model was made for up to %" PRIu64 " rows per person, "
                    "and no strict bound is proven for several rows. The bound above rests on a "
                    "normal approximation",
                    c->rows_per_person);
    } else if (c->held_out) {
        cli_out_row(out, "strict", "the bound above holds %s",
                    dp2dp_statement_text(DP2DP_STATEMENT_QUOTE));
        cli_out_row(out, "approximate", "at most %s, by a normal approximation%s",
                    cli_number_up(c->unfairness_upper, 3).text,
                    c->unfairness_upper_strict < c->unfairness_upper
                        ? ". Here the strict bound is even smaller"
                        : "");
    }
}

/* If the ledger has other certificates, prints that the confidence holds for this certificate
 * alone. */
static void others_of_ledger_text(const proof *p, cli_out *out) {
    if (p->others > 0 && p->certificate.held_out) {
        cli_out_row(out, "confidence",
                    "holds for this bound alone: the ledger has %zu other %s. Do not state this "
                    "confidence for all of them together, or for the smallest bound among them",
                    p->others, cli_noun(p->others, "certificate", "certificates"));
    }
}

static void bound_text(const cli_args *args, const proof *p, cli_out *out) {
    const dp2dp_certificate *c = &p->certificate;
    char rows[CLI_ASSUMPTION_SIZE];
    if (c->held_out) {
        first_line(c, out);
    } else {
        fprintf(out->stream,
                "%sNo bound on unfairness: these are not held-out people (--same-people)%s\n",
                cli_bold(out), cli_plain(out));
    }
    if (cli_given(args, "out")) {
        cli_out_row(out, "certificate", "written to %.400s", cli_word(args, "out"));
    }
    if (c->group_too_small) {
        cli_out_row(out, "too small",
                    "the noise hides a group, so nothing is known about that group. More people or "
                    "a larger epsilon would help. If the table has nobody of that group, check the "
                    "values and the unit of the group column");
    }
    kinds_text(c, out);
    others_of_ledger_text(p, out);
    const cli_positive positive = positive_of(p);
    cli_positive_text(&positive, out);
    cli_group_text(p->group, p->info, out);
    cli_scores_text(args, p->info, out);
    if (c->held_out) {
        cli_out_row(out, "assumes", "%s%s; otherwise use --same-people",
                    dp2dp_statement_text(DP2DP_STATEMENT_ASSUMES_HELD_OUT),
                    cli_as_many(p->info, c->records));
    }
    assume_rows(args, p, rows);
    cli_out_row(out, "assumes", "%s", rows);
    others_text(c, out);
    if (c->leaves_out) {
        cli_out_row(out, "left out",
                    "people whose row is bad or lacks a needed value. The rates do not count these "
                    "people. How many they are is known only with noise");
    }
    if (cli_given(args, "at-most")) {
        cli_out_row(out, "asked for", "at most %s: %s%s%s",
                    cli_number_exact(cli_real(args, "at-most")).text,
                    is_met(args, p) ? "" : cli_alarm(out),
                    is_met(args, p) ? "met by the strict bound" : "NOT MET by the strict bound",
                    cli_plain(out));
    }
    if (!is_met(args, p) && cli_reach_is_wide(&p->reach, c, p->rates)) {
        cli_out_row(out, "too few",
                    "people, or too much noise: most of the bound is a margin for both, and this "
                    "margin alone is above %s. So NOT MET does not mean that the rule is unfair",
                    cli_number_exact(cli_real(args, "at-most")).text);
    }
}

static void meaning_text(const proof *p, cli_out *out) {
    if (p->certificate.held_out) {
        cli_out_prose(
            out,
            "In the population these people were drawn from, the difference between any two groups "
            "in %s is at most the bound. If people were drawn again and again, and noise added "
            "each time, the bound would fail at most %.3g %% of the time. %s",
            p->certificate.labels > 1 ? "any rate that the criterion compares"
                                      : "the rate of any class",
            100 * (1 - p->certificate.confidence), dp2dp_statement_text(DP2DP_STATEMENT_HELD_OUT));
    } else {
        cli_out_prose(
            out,
            "The rates describe these people, with noise. A model fits the people it was learned "
            "from better than it fits other people, so nothing follows about the population. To "
            "get a bound, use a table of people whose data were not used to make the model.");
    }
}

static void print_text(const cli_args *args, const proof *p, cli_out *out) {
    const dp2dp_certificate *c = &p->certificate;
    cli_reasons_text(c->is_private ? 0 : DP2DP_NOT_PRIVATE_INSECURE_NOISE, out);
    bound_text(args, p, out);
    cli_protects_text(DP2DP_REPLACE_ONE, c->rows_per_person, out);
    cli_out_row(out, "epsilon", "%s", cli_number_up(p->epsilon, 4).text);
    cli_out_row(out, "delta", "%s", cli_number_up(cli_real(args, "delta"), 4).text);
    cli_out_row(out, "noise", "standard deviation %s on each count",
                cli_number_up(c->sigma, 4).text);
    cli_spent_text(&p->spent, out);
    if (p->spent.path && !c->held_out) {
        cli_out_row(out, "charged",
                    "for this certificate and, if the ledger did not have the model's charge "
                    "yet, for the model. Both costs count for these people");
    }
    cli_no_ledger_text(&p->spent, out);
    cli_out_section(out, "Decisions counted, with noise");
    cli_strata_table(p->info, p->info->names.classes, p->info->classes, c->table, 0, out);
    cli_out_section(out, "Rates, from these counts");
    cli_strata_table(p->info, p->info->names.classes, p->info->classes, p->rates, 3, out);
    cli_out_section(out, "What it means");
    meaning_text(p, out);
    if (c->is_private) {
        cli_explain_guess(p->epsilon, cli_real(args, "delta"), out);
    }
    /* Leaves out the warnings that bound_text has already printed. */
    const unsigned shown =
        (DP2DP_WARNING_MEASURED - 1) | DP2DP_WARNING_ONE_CLASS | DP2DP_WARNING_RATES_DIFFER;
    cli_warnings_text(c->warnings & shown & ~(unsigned)DP2DP_WARNING_GROUP_TOO_SMALL, out);
    cli_uncovered_text(c, p->info, out);
}

/* Reserves disk space in the file of --out for the table of counts and the names of groups and
 * classes. */
static dp2dp_status reserve(proof *p, dp2dp_error *error) {
    const dp2dp_model_info *info = p->info;
    size_t letters = 0;
    for (size_t g = 0; g < info->groups; g++) {
        letters += strlen(info->names.groups[g]);
    }
    for (size_t k = 0; k < info->classes; k++) {
        letters += strlen(info->names.classes[k]);
    }
    /* Four letters of a name need about as much room in the file as one number. */
    size_t names = info->strata + info->classes + letters / 4;
    return cli_sink_reserve(&p->sink, info->strata * info->classes + names, NULL, error);
}

/* Makes the certificate, charges its cost, and prints it. Opens --out before anything is charged: a
 * certificate that cannot be written must cost nothing. */
static dp2dp_status perform(const cli_args *args, proof *p, cli_out *out, dp2dp_error *error) {
    if (cli_given(args, "out")) {
        CLI_TRY(cli_sink_open(args, CLI_SINK_WHOLE, &p->sink, error));
        CLI_TRY(reserve(p, error));
    }
    char text[CLI_REACH_SIZE];
    /* With --json, stderr is for the error alone, and the answer has unfairness_least. */
    if (!cli_given(args, "json") && cli_reach_caution(&p->reach, text)) {
        fprintf(stderr, "%s\n", text);
    }
    CLI_TRY(certify(args, p, error));
    find_rates(p);
    CLI_TRY(account(args, p, error));
    CLI_TRY(save(args, p, error));
    if (!cli_given(args, "out") || !cli_sink_is_stdout(&p->sink)) {
        (cli_given(args, "json") ? print_json : print_text)(args, p, out);
    }
    if (!is_met(args, p)) {
        out->verdict = cli_fail(error, DP2DP_STATUS_NOT_MET,
                                "the strict bound on unfairness, %s, is above --at-most %s",
                                cli_number_up(p->certificate.unfairness_upper_strict, 3).text,
                                cli_number_exact(cli_real(args, "at-most")).text);
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status cmd_certify(const cli_args *args, cli_out *out, dp2dp_error *error) {
    proof p = {.sink.to = -1};
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(read_people(args, &p, error));
    read_settings(args, &p);
    CLI_TRY_OR_DONE(check_reach(args, &p, error));
    const dp2dp_source source = dp2dp_pool_source(p.pool);
    cli_reach_find(args, &source, p.model, &p.options, &p.reach);
    status = (cli_given(args, "dry-run") ? rehearse : perform)(args, &p, out, error);
done:
    cli_sink_close(&p.sink);
    free(p.certificate.table);
    free(p.rates);
    dp2dp_ledger_free(p.ledger);
    dp2dp_pool_free(p.pool);
    dp2dp_model_free(p.model);
    return status;
}
