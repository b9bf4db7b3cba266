#include "source/fit.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int cli_source_given(const cli_args *args) {
    return args->text_count > 0;
}

static int is_file(const char *path, struct stat *info) {
    return stat(path, info) == 0 && S_ISREG(info->st_mode);
}

/* Returns whether a folder of PATH has a program of this name. The name must have no slash. */
static int is_in_path(const char *name) {
    char path[PATH_MAX];
    const char *folder = getenv("PATH");
    while (folder && *folder) {
        int length = (int)strcspn(folder, ":");
        snprintf(path, sizeof path, "%.*s%s%s", length, folder, length ? "/" : "./", name);
        if (access(path, X_OK) == 0) {
            return 1;
        }
        folder += length + (folder[length] == ':');
    }
    return 0;
}

/* Refuses a command that is just the name of a file that cannot be run, such as a table. */
static dp2dp_status check_command(const char *command, dp2dp_error *error) {
    struct stat info;
    if (!is_file(command, &info) || access(command, X_OK) == 0 ||
        (strchr(command, '/') == NULL && is_in_path(command))) {
        return DP2DP_STATUS_OK;
    }
    return cli_refuse(error,
                      "--source takes a command, not a file: '%.60s'; give for example --source "
                      "\"dp2dp count %.60s ... --serve\", where ... stands for --scores, "
                      "--sensitive and --groups",
                      command, command);
}

/* Returns whether two words are equal or are names of the same file, such as a.csv and ./a.csv. */
static int is_same_word(const char *a, size_t a_length, const char *b, size_t b_length) {
    char path[2][PATH_MAX];
    struct stat info[2];
    if (a_length == b_length && memcmp(a, b, a_length) == 0) {
        return 1;
    }
    if (a_length >= PATH_MAX || b_length >= PATH_MAX) {
        return 0;
    }
    snprintf(path[0], PATH_MAX, "%.*s", (int)a_length, a);
    snprintf(path[1], PATH_MAX, "%.*s", (int)b_length, b);
    return is_file(path[0], &info[0]) && is_file(path[1], &info[1]) &&
           info[0].st_dev == info[1].st_dev && info[0].st_ino == info[1].st_ino;
}

/* Returns whether two commands have the same words. Two words that name the same file count as the
 * same. The first words (the programs) must be equal, because a program may do different things
 * under different names. */
static int is_same_command(const char *a, const char *b) {
    static const char blank[] = " \t\n";
    for (int first = 1;; first = 0) {
        a += strspn(a, blank);
        b += strspn(b, blank);
        size_t a_length = strcspn(a, blank), b_length = strcspn(b, blank);
        if (a_length == 0 || b_length == 0) {
            return a_length == b_length;
        }
        if (first ? a_length != b_length || memcmp(a, b, a_length) != 0
                  : !is_same_word(a, a_length, b, b_length)) {
            return 0;
        }
        a += a_length;
        b += b_length;
    }
}

/* Refuses a command that is given twice. Its people would be counted twice, so the sensitivity
 * would be twice the sensitivity that is charged. */
static dp2dp_status check_commands(const cli_args *args, dp2dp_error *error) {
    for (size_t i = 0; i < args->text_count; i++) {
        CLI_TRY(check_command(args->texts[i], error));
        for (size_t j = 0; j < i; j++) {
            if (is_same_command(args->texts[i], args->texts[j])) {
                return cli_refuse(
                    error,
                    "--source number %zu is the same command as number %zu%s: the same people "
                    "would be counted twice",
                    i + 1, j + 1,
                    strcmp(args->texts[i], args->texts[j]) == 0 ? "" : ", written in another way");
            }
        }
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_source_check(const cli_args *args, const cli_criterion *criterion,
                              dp2dp_error *error) {
    static const char *const of_tables[] = {"bad-rows",   "separator", "no-header",
                                            "skip-lines", "missing",   "threads"};
    if (!cli_source_given(args)) {
        return DP2DP_STATUS_OK;
    }
    CLI_TRY(check_commands(args, error));
    if (args->operand_count > 0) {
        return cli_refuse(error, "--source replaces TABLE, so leave out the argument '%.60s'",
                          args->operands[0]);
    }
    for (size_t i = 0; i < sizeof of_tables / sizeof of_tables[0]; i++) {
        if (cli_given(args, of_tables[i])) {
            return cli_refuse(error,
                              "--%s cannot be used with --source: give it to the command in "
                              "--source, which reads the table",
                              of_tables[i]);
        }
    }
    if (strcmp(cli_word(args, "solver"), "counts") != 0) {
        return cli_refuse(error,
                          "--source works only with --solver counts: a source gives only counts, "
                          "and every other solver needs the records");
    }
    return criterion->counted == DP2DP_COUNTED_SCORES
               ? cli_refuse(error, "--source works only with --counted labels: a source counts "
                                   "records, not probabilities")
               : DP2DP_STATUS_OK;
}

dp2dp_status cli_source_dither(const cli_args *args, cli_criterion *criterion, dp2dp_error *error) {
    if (cli_source_given(args) && cli_given(args, "dither-key") &&
        criterion->dither_key != DP2DP_DITHER_KEY_SCORES) {
        return cli_refuse(error, "--source works only with --dither-key scores");
    }
    if (cli_source_given(args)) {
        criterion->dither_key = DP2DP_DITHER_KEY_SCORES;
    }
    return DP2DP_STATUS_OK;
}

dp2dp_source cli_source_shape(const cli_criterion *criterion, const cli_columns *columns) {
    dp2dp_source source = DP2DP_SOURCE_INIT;
    dp2dp_pool_options pool = DP2DP_POOL_OPTIONS_INIT;
    cli_criterion_pool(criterion, columns->groups, columns->classes, &pool);
    source.records = 2;
    source.strata = pool.strata;
    source.classes = columns->classes;
    source.labels = pool.labels;
    source.counted = pool.counted;
    source.dither = pool.dither;
    source.dither_key = pool.dither_key;
    source.rule = criterion->unaware    ? DP2DP_RULE_WEIGHTED
                  : criterion->labelled ? DP2DP_RULE_LINEAR
                                        : DP2DP_RULE_OFFSET;
    source.weight_columns = columns->weight_count;
    source.grid_bits = columns->grid_bits;
    return source;
}

/* Finds how many tables of counts the fit will ask for, by planning the fit in memory. Only a fit
 * with noise can be planned, so the plan uses an arbitrary epsilon and delta, on which the number
 * of tables does not depend. */
static dp2dp_status count_questions(const dp2dp_source *shape, const dp2dp_fit_options *options,
                                    uint64_t *out, dp2dp_error *error) {
    dp2dp_fit_options planned = *options;
    dp2dp_ledger *ledger = NULL;
    dp2dp_event event = DP2DP_EVENT_INIT;
    dp2dp_rng_kind rng;
    dp2dp_status status = DP2DP_STATUS_OK;
    planned.epsilon = 1;
    planned.delta = 1e-6;
    planned.ledger = NULL;
    CLI_TRY(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &ledger, error));
    CLI_TRY_OR_DONE(dp2dp_fit_plan(shape, &planned, ledger, error));
    CLI_TRY_OR_DONE(dp2dp_ledger_entry(ledger, dp2dp_ledger_size(ledger) - 1, &event, &rng, error));
    *out = event.count;
done:
    dp2dp_ledger_free(ledger);
    return status;
}

/* Returns whether the model will promise epsilon and delta to the people of the sources. The model
 * promises less if it is not private, or if the same people are also charged for the scores. */
static int keeps_promise(const dp2dp_fit_options *options) {
    return isfinite(options->epsilon) && options->not_private_because == 0 &&
           options->people != DP2DP_PEOPLE_SAME;
}

dp2dp_status cli_source_open(const cli_args *args, const cli_columns *columns,
                             const dp2dp_fit_options *options, cli_sites *sites,
                             dp2dp_source *source, dp2dp_error *error) {
    int promises = keeps_promise(options);
    cli_hello hello = {.groups = columns->group_names,
                       .group_count = columns->groups,
                       .classes = columns->class_names,
                       .class_count = columns->classes,
                       .criterion = options->criterion,
                       .strata = source->strata,
                       .rule = source->rule,
                       .weights = source->weight_columns,
                       .dither = source->dither,
                       .grid_bits = source->grid_bits,
                       .epsilon = promises ? options->epsilon : INFINITY,
                       .delta = promises ? options->delta : NAN,
                       .rows_per_person = options->rows_per_person,
                       .rng = options->rng};
    CLI_TRY(count_questions(source, options, &hello.questions, error));
    return cli_sites_open(args->texts, args->text_count, &hello, sites, source, error);
}
