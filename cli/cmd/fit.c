#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "args/args.h"
#include "cmd/cmd.h"
#include "common/progress.h"
#include "input/criterion.h"
#include "input/kind.h"
#include "input/names.h"
#include "input/outside.h"
#include "input/scores.h"
#include "input/table.h"
#include "output/sink.h"
#include "privacy/privacy.h"
#include "show/show.h"
#include "source/fit.h"

/* Everything that fit allocates; cmd_fit frees it. */
typedef struct fit {
    cli_names names;
    cli_criterion criterion;
    cli_sink sink;
    dp2dp_model *base;       /* the model of --model, or NULL */
    dp2dp_model *group_base; /* the model of --group-model, or NULL */
    cli_columns columns;
    cli_watch watch;  /* counts values that may be wrong, while TABLE is read */
    dp2dp_pool *pool; /* the people of TABLE; NULL with --source */
    cli_sites sites;  /* the commands of --source */
    dp2dp_source
        source; /* counts the people of the pool, or asks the commands of --source for counts */
    dp2dp_ledger *ledger;
    cli_spent spent;
    cli_dry dry;
    dp2dp_model *model;
    dp2dp_fit_options options;
} fit;

static dp2dp_status check_group_model(const fit *f, const dp2dp_classifier *labels,
                                      dp2dp_error *error) {
    const dp2dp_classifier *groups = dp2dp_model_view(f->group_base)->classifier;
    if (!f->criterion.unaware) {
        return cli_refuse(error, "--group-model needs --unaware: a rule that sees the group needs "
                                 "no classifier that predicts the group");
    }
    if (labels->target != DP2DP_TARGET_LABEL || dp2dp_model_view(f->base)->strata > 0) {
        return cli_refuse(error, "--group-model needs a --model from dp2dp train --target label; "
                                 "the given --model already has a rule, or predicts the group");
    }
    if (groups == NULL || groups->target != DP2DP_TARGET_GROUP) {
        return cli_refuse(error, "--group-model must be a model from dp2dp train --target group");
    }
    return strcmp(groups->schema, labels->schema) == 0
               ? DP2DP_STATUS_OK
               : cli_refuse(error, "--model and --group-model must have the same schema, because "
                                   "both read the same table: train both with one --schema");
}

/* Checks that the classifiers give what the rule needs, and sets f->columns.weight_count. A rule
 * that does not see the group needs the probability of each group (the weights). The weights come
 * from a classifier that predicts pairs of group and label, or from a second classifier that
 * predicts the group. */
static dp2dp_status check_target(fit *f, dp2dp_error *error) {
    const dp2dp_model_info *base = dp2dp_model_view(f->base);
    int pairs = base->classifier->target == DP2DP_TARGET_GROUP_LABEL;
    if (f->group_base) {
        CLI_TRY(check_group_model(f, base->classifier, error));
    }
    if (!f->criterion.unaware) {
        return DP2DP_STATUS_OK;
    }
    if (!pairs && f->group_base == NULL && base->group_classifier == NULL) {
        return cli_refuse(error, "--unaware needs a classifier that predicts group and label: "
                                 "train the model with dp2dp train --target group-label, or give "
                                 "--group-model, a model from dp2dp train --target group");
    }
    f->columns.weight_count =
        f->columns.groups * (pairs && f->criterion.labelled ? f->columns.classes : 1);
    return DP2DP_STATUS_OK;
}

/* Loads the models of --model and --group-model, and finds the columns that they read from TABLE.
 * The classifier of --model computes the scores, and its schema names the groups. The classifier of
 * --group-model, if given, computes the probability of each group. */
static dp2dp_status read_base(const cli_args *args, fit *f, dp2dp_error *error) {
    const char *path = cli_word(args, "model");
    CLI_TRY(cli_kind_base(path, &f->base, error));
    unsigned parts = DP2DP_PART_GROUP | cli_parts_of_records(args) |
                     (cli_criterion_reads_labels(&f->criterion) ? DP2DP_PART_LABEL : 0U);
    CLI_TRY(cli_raw_columns(args, f->base, args->operands[0], parts, &f->columns, error));
    if (cli_given(args, "group-model")) {
        CLI_TRY(cli_kind_base(cli_word(args, "group-model"), &f->group_base, error));
    }
    CLI_TRY(check_target(f, error));
    f->columns.group_classifier = f->group_base;
    const dp2dp_schema_info *schema = dp2dp_schema_view(f->columns.schema);
    const char *column = NULL;
    size_t sensitive = 0;
    for (size_t i = 0; i < schema->column_count; i++) {
        if (schema->columns[i].role == DP2DP_ROLE_SENSITIVE) {
            sensitive++;
            column = schema->columns[i].name;
        }
    }
    /* If several columns define the group, there is no single column to name. */
    f->options.names.group_column = sensitive == 1 ? column : NULL;
    f->options.names.groups = f->columns.group_names;
    f->options.base = f->base;
    f->options.group_base = f->group_base;
    return DP2DP_STATUS_OK;
}

/* Refuses columns that are missing, not used or used twice. */
static dp2dp_status check_columns(const cli_args *args, const fit *f, dp2dp_error *error) {
    const char *label = cli_word(args, "label");
    if (cli_source_given(args)) {
        return cli_names_check(args, &f->names, error);
    }
    if (cli_criterion_reads_labels(&f->criterion) && label == NULL) {
        return cli_refuse(error,
                          "--criterion %s compares people with the same label: give --label, the "
                          "column with their true class",
                          cli_word(args, "criterion"));
    }
    if (label && !f->criterion.labelled && !cli_given(args, "criterion")) {
        return cli_refuse(error, "leave --label out, or name a --criterion that needs labels: "
                                 "demographic parity, the default, needs no labels");
    }
    if (label && f->criterion.labelled && f->criterion.counted == DP2DP_COUNTED_SCORES) {
        return cli_refuse(error, "--label cannot be used with --counted scores, which needs no "
                                 "labels: leave --label out");
    }
    return cli_names_check(args, &f->names, error);
}

static dp2dp_status read_names(const cli_args *args, fit *f, dp2dp_error *error) {
    CLI_TRY(cli_names_read(args, f->criterion.unaware, f->criterion.labelled, &f->names, error));
    CLI_TRY(check_columns(args, f, error));
    f->columns = cli_names_columns(args, &f->names);
    f->columns.label = cli_criterion_reads_labels(&f->criterion) ? cli_word(args, "label") : NULL;
    f->columns.id = cli_word(args, "id");
    f->columns.multiplicity = cli_word(args, "multiplicity");
    f->columns.grid_bits = (unsigned)cli_count(args, "grid");
    f->columns.leaves_out = (cli_parts_of_records(args) & DP2DP_PART_IGNORE_BAD) != 0;
    f->options.names = (dp2dp_names) {
        .groups = f->columns.group_names,
        .classes = (const char *const *)f->names.classes.items,
        .scores = f->columns.scores,
        .group_column = f->columns.group,
    };
    f->options.weight_names = f->columns.weights;
    return DP2DP_STATUS_OK;
}

/* Reads the options of the dither (the random number added to scores), and those options of the
 * criterion that can be checked only once the classes are known. */
static dp2dp_status read_criterion(const cli_args *args, fit *f, dp2dp_error *error) {
    cli_criterion *c = &f->criterion;
    CLI_TRY(cli_criterion_options(args, f->base ? f->columns.class_names : f->options.names.classes,
                                  f->columns.classes, c, &f->options, error));
    c->dither.width = cli_given(args, "dither") ? cli_real(args, "dither") : c->dither.width;
    c->dither.seed = cli_count(args, "dither-seed");
    c->dither_key = cli_given(args, "dither-key")
                        ? (dp2dp_dither_key)cli_enum(args, "dither-key", DP2DP_WORDS_DITHER_KEY)
                        : c->dither_key;
    CLI_TRY(cli_source_dither(args, c, error));
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "dither-key" : "dither-seed";
        if (cli_given(args, name) && c->dither.width <= 0) {
            return cli_refuse(error, "--%s needs --dither W", name);
        }
    }
    if (cli_given(args, "multiplicity") && c->dither.width > 0) {
        return cli_refuse(error,
                          "--multiplicity cannot be used with a dither: each record needs its own "
                          "random number, but a row can stand for several records. Give each "
                          "record its own row, or use --dither 0");
    }
    int by_id = c->dither_key == DP2DP_DITHER_KEY_ID;
    if (by_id && f->base) {
        return cli_refuse(error, "--dither-key id is only for tables of scores; with --model, use "
                                 "--dither-key scores");
    }
    if (by_id != cli_given(args, "id")) {
        return by_id ? cli_refuse(error, "--dither-key id needs --id, the column with the ids")
                     : cli_refuse(error, "--id needs --dither-key id");
    }
    return DP2DP_STATUS_OK;
}

static void read_settings(const cli_args *args, dp2dp_fit_options *options) {
    cli_set_options(args, DP2DP_STRUCT_FIT_OPTIONS, options);
    options->solver = (dp2dp_solver)cli_enum(args, "solver", DP2DP_WORDS_SOLVER);
    /* DP2DP_SOLVER_EXACT draws no noise, so a seed does not change its result. */
    if (options->solver != DP2DP_SOLVER_EXACT && cli_given(args, "insecure-seed")) {
        options->rng = DP2DP_RNG_INSECURE;
        options->insecure_seed = cli_count(args, "insecure-seed");
    }
    options->not_private_because =
        cli_given(args, "scores-from-pool") ? DP2DP_NOT_PRIVATE_SCORES_FROM_POOL : 0;
    options->people = cli_given(args, "same-people") ? DP2DP_PEOPLE_SAME : DP2DP_PEOPLE_OTHER;
    options->people_name = cli_word(args, "people");
    options->total_epsilon = cli_given(args, "total-epsilon") ? cli_real(args, "total-epsilon") : 0;
    options->scores_id = cli_word(args, "scores-id");
}

static dp2dp_status check_scores(const cli_args *args, dp2dp_error *error) {
    int declared = !cli_missing(args, "scores-epsilon"), model = !cli_missing(args, "model");
    if (declared == cli_missing(args, "scores-delta")) {
        return cli_refuse(error, "give --scores-epsilon and --scores-delta together");
    }
    if (cli_given(args, "scores-id") && !declared) {
        return cli_refuse(error, "--scores-id needs --scores-epsilon and --scores-delta");
    }
    if (declared && model) {
        return cli_refuse(
            error, "--scores-epsilon cannot be used with --model: the model records its own cost");
    }
    if (cli_given(args, "same-people") && !declared && !model) {
        return cli_refuse(
            error, "--same-people needs the cost of the scores: give --model, or --scores-epsilon "
                   "and --scores-delta; if the cost is unknown, use --scores-from-pool instead of "
                   "--same-people");
    }
    return DP2DP_STATUS_OK;
}

/* Refuses --total-epsilon without the options that it needs, or with --epsilon; names only what is
 * wrong. */
static dp2dp_status check_total(const cli_args *args, dp2dp_error *error) {
    int other = !cli_given(args, "same-people"), both = cli_given(args, "epsilon");
    int no_delta = !cli_given(args, "delta") && !isinf(cli_real(args, "total-epsilon"));
    if (!other && !both && !no_delta) {
        return DP2DP_STATUS_OK;
    }
    return cli_refuse(error,
                      "--total-epsilon is for people whose data were used for the scores and for "
                      "the rule: %s%s%s%s%s%s%s",
                      other || no_delta ? "also give " : "", other ? "--same-people" : "",
                      other && no_delta ? " and " : "", no_delta ? "--delta" : "",
                      both && (other || no_delta) ? ", and " : "",
                      both ? "leave --epsilon out" : "",
                      !other ? ""
                      : both ? "; for other people, leave --total-epsilon out instead"
                             : "; for other people, use --epsilon instead");
}

void cli_fit_check(const cli_args *args) {
    static const cli_args_rule rules[] = {check_scores, cli_spend_check_ledger, NULL};
    dp2dp_error error;
    int solver = cli_enum_if_sure(args, "solver", DP2DP_WORDS_SOLVER);
    int by_scores = cli_missing(args, "source") && cli_missing(args, "model");
    int ungrouped =
        !cli_missing(args, "unaware") && strcmp(cli_word(args, "counted"), "labels") != 0;
    const char *mode = by_scores ? "scores" : !cli_missing(args, "source") ? "source" : "model";
    (void)cli_args_check_mode(args, mode, NULL, &error);
    if (by_scores && !ungrouped && cli_missing(args, "sensitive")) {
        cli_faults_note(args->faults,
                        cli_refuse(&error, "--sensitive is missing: name the column with each "
                                           "person's group"),
                        &error);
    }
    if (solver != 0 && solver != DP2DP_SOLVER_EXACT && cli_missing(args, "total-epsilon")) {
        (void)cli_spend_check_budget(args, "--solver exact", &error);
    }
    if (solver != 0) {
        cli_faults_note(args->faults, cli_args_check_solvers(args, &error), &error);
    }
    if (cli_given(args, "total-epsilon")) {
        cli_faults_note(args->faults, check_total(args, &error), &error);
    }
    cli_args_check_rules(args, rules);
}

static dp2dp_status read_pool(const cli_args *args, fit *f, dp2dp_error *error) {
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    cli_criterion_pool(&f->criterion, f->columns.groups, f->columns.classes, &options);
    options.threads = (unsigned)cli_count(args, "threads");
    options.row_sums = f->columns.row_sums;
    options.grid_bits = (unsigned)cli_count(args, "grid");
    f->columns.watch = &f->watch;
    CLI_TRY(cli_outside_count(f->columns.schema, &f->watch, error));
    f->watch.hides_group = f->criterion.unaware;
    CLI_TRY(cli_scores_pool(&f->columns, &options, &f->pool, error));
    cli_rows_tell(&f->columns, f->pool, f->options.rows_per_person, 0, 0);
    f->source = dp2dp_pool_source(f->pool);
    return DP2DP_STATUS_OK;
}

static dp2dp_status solve(const cli_args *args, fit *f, dp2dp_error *error) {
    cli_progress progress = cli_progress_begin();
    f->options.ledger = f->ledger;
    f->options.progress = cli_progress_step;
    f->options.progress_context = &progress;
    dp2dp_status status = dp2dp_fit(&f->source, &f->options, &f->model, error);
    cli_progress_end(&progress);
    if (status != DP2DP_STATUS_OK && f->sites.error.status != DP2DP_STATUS_OK) {
        *error = f->sites.error; /* the library does not pass on the error message of a source */
        status = error->status;
    }
    return cli_spend_failure(args, status, error);
}

/* Returns whether one of the first `end` entries of the ledger charges the people called `name`. */
static int has_people(const dp2dp_ledger *ledger, size_t end, const char *name) {
    for (size_t i = 0; name && *name && i < end; i++) {
        dp2dp_event event = cli_entry(ledger, i, NULL);
        if (strcmp(cli_entry_set(&event), name) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Returns what the costs assume about the people of this table, or NULL if the costs assume nothing
 * about these people. If the model had a rule before this fit, the model's own ledger counts the
 * cost of this fit for everybody, but the user's ledger counts the cost only for the people of this
 * table. So the total of the user's ledger assumes that it has all earlier costs of these people.
 */
static const char *find_assumption(const cli_costs *costs, const cli_spent *spent, const fit *f) {
    const dp2dp_classifier *c = f->base ? dp2dp_model_view(f->base)->classifier : NULL;
    if (costs->same || (costs->refitted && spent->path == NULL)) {
        return NULL;
    }
    return costs->refitted
               ? "for the ledger: either that nobody in this table was used to learn the "
                 "classifier or its earlier rule, or that the ledger already has the costs of "
                 "both. If neither is true, use --same-people"
           : c && c->records > 0 && c->records == f->source.records
               ? "that nobody in this table was among those the classifier was trained on; "
                 "otherwise use --same-people. This table has exactly as many people as the "
                 "classifier was trained on: check that they are different people"
           : c || costs->declared
               ? "that nobody in this table was among those the classifier was trained on; "
                 "otherwise use --same-people"
           : f->pool && !(f->options.not_private_because & DP2DP_NOT_PRIVATE_SCORES_FROM_POOL)
               ? "that nobody in this table was among those the classifier was trained on; "
                 "otherwise the rule is learned on scores that look better than they are for other "
                 "people, and the cost of the classifier is missing"
               : NULL;
}

/* Writes what the cost assumes about the number of rows of a person. Writes "" if the model has no
 * epsilon. Also writes "" in the usual case of one table whose rows are single records, because
 * print_assumptions prints the assumption of that case. */
static void assume_rows(const cli_args *args, const dp2dp_model_info *info,
                        char out[CLI_ASSUMPTION_SIZE]) {
    uint64_t most = info->options->rows_per_person;
    int shared = args->text_count > 1, cells = cli_given(args, "multiplicity");
    out[0] = 0;
    if (!dp2dp_model_has_epsilon(info)) {
        return;
    }
    if (shared && most > 1) {
        (void)snprintf(out, CLI_ASSUMPTION_SIZE,
                       "that nobody has more than %" PRIu64 " rows in all sources together", most);
    } else if (shared) {
        (void)snprintf(out, CLI_ASSUMPTION_SIZE,
                       "that nobody has rows at two sources; otherwise use --rows-per-person N, "
                       "where N is the largest number of rows that one person has at all sources "
                       "together");
    } else if (cells) {
        cli_assume_cells(most, "use --rows-per-person", out);
    }
}

/* Prints what the cost assumes about the people and their rows. If the rule sees the group, but the
 * classifier also allows a rule that does not see the group, says so. */
static void print_assumptions(const cli_args *args, const char *assumption, const char *rows,
                              const fit *f, cli_out *out) {
    const dp2dp_model_info *info = dp2dp_model_view(f->model);
    if (assumption) {
        cli_out_row(out, "assumes", "%s", assumption);
    }
    if (cli_given(args, "scores-epsilon") && cli_real(args, "scores-epsilon") == 0) {
        cli_out_row(out, "assumes",
                    "that nobody's data were used for the classifier: that is what "
                    "--scores-epsilon 0 states. If it was trained without privacy, leave "
                    "--scores-epsilon and --scores-delta out");
    }
    if (rows[0]) {
        cli_out_row(out, "assumes", "%s", rows);
    } else if (dp2dp_model_has_epsilon(info)) {
        cli_one_row_text(info->options->rows_per_person, out);
    }
    if (info->classifier && info->classifier->target == DP2DP_TARGET_GROUP_LABEL &&
        info->rule != DP2DP_RULE_WEIGHTED) {
        cli_out_row(out, "group",
                    "the rule sees the group. With --unaware, this classifier also allows a rule "
                    "that does not see the group");
    }
}

/* Returns how many entries a fit copies from the ledger `behind` if it has already copied the
 * ledger `base`. A fit copies no release twice, so these are the entries whose release is not in
 * `base`. */
static size_t count_more(const dp2dp_ledger *behind, const dp2dp_ledger *base) {
    size_t more = 0;
    for (size_t i = 0; i < dp2dp_ledger_size(behind); i++) {
        dp2dp_event event = cli_entry(behind, i, NULL);
        int known = 0;
        for (size_t j = 0; event.release_id && j < dp2dp_ledger_size(base); j++) {
            dp2dp_event other = cli_entry(base, j, NULL);
            known |= other.release_id && strcmp(other.release_id, event.release_id) == 0;
        }
        more += !known;
    }
    return more;
}

/* Computes the cost of this fit, and the cost of the entries before this fit in the model's ledger:
 * the entries of the base model or of the declared scores. If one of these earlier entries names
 * the same people as --people, its cost and the cost of this fit both count for these people. */
static dp2dp_status find_costs(const cli_args *args, const fit *f, cli_costs *out,
                               dp2dp_error *error) {
    const dp2dp_model_info *info = dp2dp_model_view(f->model);
    const dp2dp_model_info *base = f->base ? dp2dp_model_view(f->base) : NULL;
    size_t size = dp2dp_ledger_size(info->ledger);
    int declared = cli_given(args, "scores-epsilon");
    size_t before = base ? dp2dp_ledger_size(base->ledger) : (size_t)declared;
    if (base && f->group_base) {
        before += count_more(dp2dp_model_view(f->group_base)->ledger, base->ledger);
    }
    *out = (cli_costs) {.fit = NAN,
                        .before = NAN,
                        .refitted = base && base->strata > 0,
                        .has_cells = cli_given(args, "multiplicity"),
                        .declared =
                            base ? base->classifier->method == DP2DP_TRAIN_EXTERNAL : declared};
    out->same = f->options.people == DP2DP_PEOPLE_SAME ||
                has_people(info->ledger, before, f->options.people_name);
    out->adds_up = out->refitted || out->same;
    if (dp2dp_model_has_epsilon(info) && size > before) {
        CLI_TRY(cli_spend_of(&(cli_entries) {.ledger = info->ledger, .first = before}, info->delta,
                             &out->fit, error));
    }
    if (dp2dp_model_has_epsilon(info) && before > 0) {
        CLI_TRY(cli_spend_of(&(cli_entries) {.ledger = info->ledger, .end = before}, info->delta,
                             &out->before, error));
        out->before = isinf(out->before) ? NAN : out->before;
    }
    return DP2DP_STATUS_OK;
}

/* If the model will not store the names of its columns, returns a note that says what to do;
 * otherwise NULL. */
static const char *find_nameless(const cli_args *args, const fit *f) {
    const dp2dp_names *names = &f->options.names;
    int known = names->scores && (names->group_column || f->criterion.unaware);
    return !cli_source_given(args) || known ? NULL
           : f->criterion.unaware
               ? "the model does not store the names of its columns: give --scores to dp2dp fit, "
                 "or later to each command that uses the model"
               : "the model does not store the names of its columns: give --scores and --sensitive "
                 "to dp2dp fit, or later to each command that uses the model";
}

/* Prints the note of find_nameless, if any, before the charge, so that the user can still stop. */
static void tell_nameless(const cli_args *args, const fit *f) {
    const char *nameless = find_nameless(args, f);
    if (nameless) {
        fprintf(stderr, "dp2dp fit: note: %s\n", nameless);
    }
}

static dp2dp_status print(const cli_args *args, fit *f, cli_out *out, dp2dp_error *error) {
    const dp2dp_model_info *info = dp2dp_model_view(f->model);
    cli_costs costs;
    CLI_TRY(cli_spend_total(args, f->ledger, &f->spent, error));
    CLI_TRY(find_costs(args, f, &costs, error));
    char rows[CLI_ASSUMPTION_SIZE];
    assume_rows(args, info, rows);
    const char *assumption = find_assumption(&costs, &f->spent, f);
    const char *nameless = find_nameless(args, f);
    if (cli_sink_is_stdout(&f->sink)) {
        return DP2DP_STATUS_OK;
    }
    if (cli_given(args, "json")) {
        cli_json json = cli_json_begin(out->stream);
        cli_json_text(&json, "model", cli_word(args, "out"));
        CLI_TRY(cli_rule_json(info, &costs, &json, error));
        if (f->base) {
            cli_json_text(&json, "people", costs.same ? "same" : "other");
        }
        if (f->base || costs.declared) {
            cli_json_text(&json, "assumption", assumption);
        }
        if (rows[0]) {
            cli_json_text(&json, "rows_assumption", rows);
        }
        if (nameless) {
            cli_json_text(&json, "columns_note", nameless);
        }
        cli_spent_json(&f->spent, &json);
        cli_json_end(&json);
        return DP2DP_STATUS_OK;
    }
    cli_reasons_text(info->not_private_because, out);
    cli_sink_report(args, out, "%sFair rule%s", cli_bold(out), cli_plain(out));
    cli_spent_text(&f->spent, out);
    if (dp2dp_model_has_epsilon(info) && !cli_source_given(args)) {
        cli_no_ledger_text(&f->spent, out);
    }
    print_assumptions(args, assumption, rows, f, out);
    if (nameless) {
        cli_out_row(out, "columns", "%s", nameless);
    }
    return cli_rule_text(f->model, &costs, out, error);
}

/* Computes what the fit would charge, on a copy of the ledger. A fit without noise charges only the
 * user's ledger, so without --ledger there is nothing to compute. */
static dp2dp_status plan(const cli_args *args, fit *f, dp2dp_error *error) {
    int noiseless = f->options.solver == DP2DP_SOLVER_EXACT || isinf(f->options.epsilon);
    CLI_TRY(cli_dry_open(args, &f->dry, error));
    return f->dry.before.path || !noiseless
               ? cli_spend_failure(
                     args, dp2dp_fit_plan(&f->source, &f->options, f->dry.ledger, error), error)
               : DP2DP_STATUS_OK;
}

/* Prints what the fit would charge. With --source, a dry run does not start the commands, so the
 * number of people is unknown. */
static dp2dp_status rehearse(const cli_args *args, fit *f, cli_out *out, dp2dp_error *error) {
    CLI_TRY(cli_place_check(args, "out", cli_word(args, "out"), error));
    tell_nameless(args, f);
    if (cli_source_given(args)) {
        f->source = cli_source_shape(&f->criterion, &f->columns);
        CLI_TRY(plan(args, f, error));
        return cli_dry_print(args, &f->dry, out, error);
    }
    CLI_TRY(read_pool(args, f, error));
    CLI_TRY(plan(args, f, error));
    f->dry.records = f->source.records;
    return cli_dry_print(args, &f->dry, out, error);
}

/* Checks options and budget, then starts the commands of --source. */
static dp2dp_status open_sites(const cli_args *args, fit *f, dp2dp_error *error) {
    f->source = cli_source_shape(&f->criterion, &f->columns);
    CLI_TRY(plan(args, f, error));
    return cli_source_open(args, &f->columns, &f->options, &f->sites, &f->source, error);
}

static dp2dp_status reserve(fit *f, dp2dp_error *error) {
    const dp2dp_classifier *c = f->base ? dp2dp_model_view(f->base)->classifier : NULL;
    size_t offsets = f->source.strata * (f->source.classes + 1);
    size_t weights = c ? (f->source.classes + f->source.weight_columns) * (c->features + 1) : 0;
    return cli_sink_reserve(&f->sink, offsets + weights, c ? c->schema : NULL, error);
}

/* Learns the rule, charges its cost, and writes the model. Opens --out before anything is charged:
 * a model that cannot be written must cost nothing. */
static dp2dp_status perform(const cli_args *args, fit *f, cli_out *out, dp2dp_error *error) {
    CLI_TRY(cli_sink_open(args, CLI_SINK_WHOLE, &f->sink, error));
    tell_nameless(args, f);
    CLI_TRY((cli_source_given(args) ? open_sites : read_pool)(args, f, error));
    CLI_TRY(reserve(f, error));
    CLI_TRY(cli_spend_open(args, &f->ledger, &f->spent, error));
    CLI_TRY(solve(args, f, error));
    cli_sites_dismiss(&f->sites);
    CLI_TRY(cli_spend_publish(f->ledger, f->model, &f->sink, error));
    return print(args, f, out, error);
}

dp2dp_status cmd_fit(const cli_args *args, cli_out *out, dp2dp_error *error) {
    fit f = {.sink.to = -1};
    f.options = DP2DP_FIT_OPTIONS_INIT;
    read_settings(args, &f.options);
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(cli_criterion_read(args, &f.criterion, error));
    CLI_TRY_OR_DONE(cli_source_check(args, &f.criterion, error));
    CLI_TRY_OR_DONE((cli_given(args, "model") ? read_base : read_names)(args, &f, error));
    CLI_TRY_OR_DONE(read_criterion(args, &f, error));
    if (!cli_given(args, "model")) {
        cli_names_tell(args, &f.names);
    }
    status = (cli_given(args, "dry-run") ? rehearse : perform)(args, &f, out, error);
done:
    dp2dp_model_free(f.model);
    dp2dp_ledger_free(f.ledger);
    dp2dp_ledger_free(f.dry.ledger);
    dp2dp_pool_free(f.pool);
    cli_sites_free(&f.sites);
    cli_outside_free(&f.watch);
    cli_columns_free(&f.columns);
    dp2dp_model_free(f.base);
    dp2dp_model_free(f.group_base);
    cli_sink_close(&f.sink);
    cli_names_free(&f.names);
    return status;
}
