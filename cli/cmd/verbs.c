#include "cmd/cmd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/options.h"

/* Words that stand for values of the library, separated by '|'; cli_verbs_prepare fills them. */
static char account_mechanisms[CLI_WORDS_SIZE];
static char fit_solvers[CLI_WORDS_SIZE];
static char train_methods[CLI_WORDS_SIZE];

static const cli_option account_options[] = {
#include "cmd/account.def"
};

static const cli_option calibrate_options[] = {
#include "cmd/calibrate.def"
};

static const cli_option certify_options[] = {
#include "cmd/certify.def"
};

static const cli_option data_options[] = {
#include "cmd/data.def"
};

static const cli_option evaluate_options[] = {
#include "cmd/evaluate.def"
};

static const cli_option fit_options[] = {
#include "cmd/fit.def"
};

static const cli_option predict_options[] = {
#include "cmd/predict.def"
};

static const cli_option run_options[] = {
#include "cmd/run.def"
};

static const cli_option schema_options[] = {
#include "cmd/schema.def"
};

static const cli_option show_options[] = {
#include "cmd/show.def"
};

static const cli_option synth_options[] = {
#include "cmd/synth.def"
};

static const cli_option train_options[] = {
#include "cmd/train.def"
};
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

cli_verb cli_verbs[] = {
#define CLI_VERB(name, operands, summary, description, examples) \
    {                                                            \
        #name,                                                   \
        operands,                                                \
        summary,                                                 \
        description,                                             \
        examples,                                                \
        name##_options,                                          \
        COUNT_OF(name##_options),                                \
        cmd_##name},
#include "cmd/verbs.def"
#undef CLI_VERB
};

const size_t cli_verb_count = COUNT_OF(cli_verbs);

static void list_words(dp2dp_word_table table, char list[CLI_WORDS_SIZE]) {
    size_t count, used = 0;
    const dp2dp_word *words = dp2dp_words(table, &count);
    for (size_t i = 0; i < count && used < CLI_WORDS_SIZE; i++) {
        used += (size_t)snprintf(list + used, CLI_WORDS_SIZE - used, "%s%s", i ? "|" : "",
                                 words[i].word);
    }
}

/* As people type it: 0.0, 0.002, 1e-5, but 128 of a count. */
static void print_default(const dp2dp_option *option, char text[CLI_NAME_SIZE]) {
    double x = option->default_value;
    int whole = x == floor(x);
    snprintf(text, CLI_NAME_SIZE, whole && option->type == DP2DP_OPTION_REAL ? "%.1f" : "%.10g", x);
    char *exponent = strstr(text, "e-0");
    if (exponent) {
        memmove(exponent + 2, exponent + 3, strlen(exponent + 3) + 1);
    }
}

/* An option of the library as a row. Its used_by is a mode of training; fit has other modes and
 * looks at it itself. */
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

/* Copies the rows of a verb, with those of the library in place of the one that stands for them. */
static void expand(cli_verb *verb, cli_option rows[CLI_OPTIONS_MAX]) {
    size_t used = 0;
    for (size_t i = 0; i < verb->option_count; i++) {
        size_t count = 0;
        const dp2dp_struct which = verb->options[i].library;
        const dp2dp_option *options = dp2dp_options(which, &count);
        if (used + count >= CLI_OPTIONS_MAX) {
            fprintf(stderr, "dp2dp: raise CLI_OPTIONS_MAX\n");
            abort();
        }
        for (size_t j = 0; j < count; j++) {
            rows[used++] = row_of(&options[j], which);
        }
        if (which == 0) {
            rows[used++] = verb->options[i];
        }
    }
    verb->options = rows;
    verb->option_count = used;
}

void cli_verbs_prepare(void) {
    static cli_option rows[COUNT_OF(cli_verbs)][CLI_OPTIONS_MAX];
    list_words(DP2DP_WORDS_SOLVER, fit_solvers);
    list_words(DP2DP_WORDS_METHOD, train_methods);
    list_words(DP2DP_WORDS_MECHANISM, account_mechanisms);
    /* The calculator that is not a composition of events. */
    strcat(account_mechanisms, "|last-iterate");
    for (size_t i = 0; i < cli_verb_count; i++) {
        expand(&cli_verbs[i], rows[i]);
    }
}
