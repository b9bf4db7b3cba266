#include "cmd/cmd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/options.h"
#include "sweep/sweep.h"

/* Lists of the words that the library accepts, such as "a|b|c"; cli_verbs_prepare fills them in. */
static char account_mechanisms[CLI_WORDS_SIZE];
static char fit_criteria[CLI_WORDS_SIZE];
static char fit_solvers[CLI_WORDS_SIZE];
static char report_people[CLI_WORDS_SIZE];
static char train_methods[CLI_WORDS_SIZE];
static char sweep_methods[CLI_WORDS_SIZE];
static char train_targets[CLI_WORDS_SIZE];

/* The rows of all option tables, one verb after the other. */
static const cli_option rows[] = {
#include "cmd/account.def"
#include "cmd/calibrate.def"
#include "cmd/certify.def"
#include "cmd/count.def"
#include "cmd/data.def"
#include "cmd/evaluate.def"
#include "cmd/export.def"
#include "cmd/fit.def"
#include "cmd/predict.def"
#include "cmd/report.def"
#include "cmd/run.def"
#include "cmd/schema.def"
#include "cmd/show.def"
#include "cmd/sweep.def"
#include "cmd/synth.def"
#include "cmd/train.def"
#include "cmd/verify.def"
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

cli_verb cli_verbs[] = {
#define CLI_VERB(name, operands, summary, description, examples) \
    {#name, operands, summary, description, examples, NULL, 0, NULL, cmd_##name},
#include "cmd/verbs.def"
#undef CLI_VERB
};

const size_t cli_verb_count = COUNT_OF(cli_verbs);

static const struct {
    const char *verb;
    void (*check)(const cli_args *args);
} checks[] = {{"account", cli_account_check}, {"calibrate", cli_calibrate_check},
              {"certify", cli_certify_check}, {"count", cli_count_check},
              {"export", cli_export_check},   {"fit", cli_fit_check},
              {"predict", cli_predict_check}, {"report", cli_report_check},
              {"run", cli_run_check},         {"sweep", cli_sweep_check},
              {"train", cli_train_check}};

/* Joins all words of the table except the word for the value `skip`, then appends `more`. */
static void list_words(dp2dp_word_table table, int skip, const char *more,
                       char list[CLI_WORDS_SIZE]) {
    size_t count, used = 0;
    const dp2dp_word *words = dp2dp_words(table, &count);
    for (size_t i = 0; i < count && used < CLI_WORDS_SIZE; i++) {
        if (words[i].value != skip) {
            used += (size_t)snprintf(list + used, CLI_WORDS_SIZE - used, "%s%s", used ? "|" : "",
                                     words[i].word);
        }
    }
    snprintf(list + used, used < CLI_WORDS_SIZE ? CLI_WORDS_SIZE - used : 0, "%s", more);
}

/* Writes the default of an option as a user would type it: 0.0, 0.002 or 1e-5 for a real number,
 * 128 for a count. */
static void print_default(const dp2dp_option *option, char text[CLI_NAME_SIZE]) {
    double x = option->default_value;
    int whole = x == floor(x);
    snprintf(text, CLI_NAME_SIZE, whole && option->type == DP2DP_OPTION_REAL ? "%.1f" : "%.10g", x);
    char *exponent = strstr(text, "e-0");
    if (exponent) {
        memmove(exponent + 2, exponent + 3, strlen(exponent + 3) + 1);
    }
}

/* Returns the row of an option table for a library option. For train, used_by lists the training
 * methods, which are the modes of that verb. For fit, used_by lists solvers, which are not modes,
 * so cli_args_check_solvers checks used_by instead. */
static cli_option row_of(const dp2dp_option *option, dp2dp_struct which) {
    static char texts[2 * CLI_OPTIONS_MAX][2][CLI_NAME_SIZE];
    static size_t used;
    char *name = texts[used][0], *fallback = texts[used][1];
    used++;
    snprintf(name, CLI_NAME_SIZE, "%s", option->name);
    for (char *c = name; (c = strchr(c, '_')) != NULL;) {
        *c = '-';
    }
    print_default(option, fallback);
    int whole = option->type == DP2DP_OPTION_COUNT, endless = isinf(option->max);
    return (cli_option) {.name = name,
                         .kind = whole     ? CLI_COUNT
                                 : endless ? CLI_EXTENDED
                                           : CLI_REAL,
                         .value = whole ? "N" : "X",
                         .range = {option->min_open ? CLI_OPEN : CLI_CLOSED, option->min,
                                   endless            ? CLI_UNBOUNDED
                                   : option->max_open ? CLI_OPEN
                                                      : CLI_CLOSED,
                                   option->max},
                         .fallback = isnan(option->default_value) ? NULL : fallback,
                         .modes = which == DP2DP_STRUCT_TRAIN_OPTIONS ? option->used_by : NULL,
                         .help = option->help};
}

static void add_row(cli_verb *verb, cli_option *to, cli_option row) {
    *to = row;
    verb->options = verb->option_count == 0 ? to : verb->options;
    if (++verb->option_count > CLI_OPTIONS_MAX) {
        fprintf(stderr, "dp2dp: internal error: CLI_OPTIONS_MAX is too small\n");
        abort();
    }
}

void cli_verbs_prepare(const char *word) {
    static cli_option all[COUNT_OF(rows) + 2 * (size_t)CLI_OPTIONS_MAX];
    const cli_verb *only = cli_verb_find(word);
    cli_verb *verb = cli_verbs;
    size_t used = 0, count;
    for (size_t i = 0; i < COUNT_OF(checks); i++) {
        cli_verbs[cli_verb_find(checks[i].verb) - cli_verbs].check = checks[i].check;
    }
    list_words(DP2DP_WORDS_SOLVER, 0, "", fit_solvers);
    list_words(DP2DP_WORDS_CRITERION, DP2DP_CUSTOM, "", fit_criteria);
    list_words(DP2DP_WORDS_METHOD, 0, "", train_methods);
    list_words(DP2DP_WORDS_METHOD, 0, "|" CLI_SWEEP_AS_PUBLISHED, sweep_methods);
    list_words(DP2DP_WORDS_TARGET, -1, "", train_targets);
    list_words(DP2DP_WORDS_SWEEP_PEOPLE, 0, "", report_people);
    /* Leaves out the mechanism EXPOSED, which has no finite cost. Adds last-iterate, which is not a
     * mechanism of the library's events: a separate function computes its cost. */
    list_words(DP2DP_WORDS_MECHANISM, DP2DP_EXPOSED, "|last-iterate", account_mechanisms);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (rows[i].kind == CLI_BEGIN) {
            verb = &cli_verbs[cli_verb_find(rows[i].name) - cli_verbs];
            continue;
        }
        if (only && verb != only) {
            continue;
        }
        const dp2dp_option *options = dp2dp_options(rows[i].library, &count);
        for (size_t j = 0; j < count; j++) {
            if (rows[i].value && !cli_list_has(rows[i].value, options[j].name)) {
                continue;
            }
            add_row(verb, &all[used++], row_of(&options[j], rows[i].library));
        }
        if (rows[i].kind != CLI_LIBRARY) {
            add_row(verb, &all[used++], rows[i]);
        }
    }
}
