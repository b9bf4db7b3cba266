#include "cmd/cmd.h"

#include <math.h>
#include <string.h>

#include "cmd/options.h"

/* Every mechanism the accountant knows, and the calculator that is not a composition of events. */
static const char account_mechanisms[] =
#define DP2DP_MECHANISM(name, value, word) word "|"
#include <dp2dp/event.def>
#undef DP2DP_MECHANISM
    "last-iterate";

/* Every solver, each with a separator before it: the list begins after the first one. */
static const char solver_words[] =
#define DP2DP_SOLVER(name, value, word) "|" word
#include <dp2dp/solver.def>
#undef DP2DP_SOLVER
    "";
#define fit_solvers (solver_words + 1)

static const char method_words[] =
#define DP2DP_TRAIN_METHOD(name, value, word) "|" word
#include <dp2dp/train.def>
#undef DP2DP_TRAIN_METHOD
    "";
#define train_methods (method_words + 1)

/* Option names that cli_verbs_prepare rewrites. */
#define DP2DP_FIT_NUMBER(name, default_value, min, max, help) static char fit_##name[] = #name;
#define DP2DP_FIT_COUNT DP2DP_FIT_NUMBER
#include <dp2dp/fit.def>
#undef DP2DP_FIT_NUMBER
#undef DP2DP_FIT_COUNT
#define DP2DP_TRAIN_NUMBER(name, default_value, min, max, help) static char train_##name[] = #name;
#define DP2DP_TRAIN_COUNT DP2DP_TRAIN_NUMBER
#include <dp2dp/train.def>
#undef DP2DP_TRAIN_NUMBER
#undef DP2DP_TRAIN_COUNT

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

static cli_option fit_options[] = {
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

static cli_option train_options[] = {
#include "cmd/train.def"
};
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define CLI_VERB(name, operands, summary, description, examples) \
    _Static_assert(COUNT_OF(name##_options) <= CLI_OPTIONS_MAX, "raise CLI_OPTIONS_MAX");
#include "cmd/verbs.def"
#undef CLI_VERB

const cli_verb cli_verbs[] = {
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

static void drop_nan(cli_option *options, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (options[i].fallback && strcmp(options[i].fallback, "NAN") == 0) {
            options[i].fallback = NULL;
        }
    }
}

/* The library's tables have bounds but do not say which of them are taken: of these, not all. */
static void open_edges(cli_option *options, size_t count) {
    static const struct {
        const char *name;
        int low, high;
    } open[] = {{"epsilon", 1, 0}, {"delta", 1, 1}, {"scores-delta", 0, 1}};
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < COUNT_OF(open); j++) {
            if (strcmp(options[i].name, open[j].name) == 0) {
                cli_range *range = &options[i].range;
                range->low_edge = open[j].low ? CLI_OPEN : range->low_edge;
                range->high_edge = open[j].high ? CLI_OPEN : range->high_edge;
            }
        }
    }
}

void cli_verbs_prepare(void) {
    static char *const names[] = {
#define DP2DP_FIT_NUMBER(name, default_value, min, max, help) fit_##name,
#define DP2DP_FIT_COUNT DP2DP_FIT_NUMBER
#include <dp2dp/fit.def>
#undef DP2DP_FIT_NUMBER
#undef DP2DP_FIT_COUNT
#define DP2DP_TRAIN_NUMBER(name, default_value, min, max, help) train_##name,
#define DP2DP_TRAIN_COUNT DP2DP_TRAIN_NUMBER
#include <dp2dp/train.def>
#undef DP2DP_TRAIN_NUMBER
#undef DP2DP_TRAIN_COUNT
    };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        for (char *c = names[i]; *c != '\0'; c++) {
            *c = *c == '_' ? '-' : *c;
        }
    }
    drop_nan(fit_options, COUNT_OF(fit_options));
    drop_nan(train_options, COUNT_OF(train_options));
    open_edges(fit_options, COUNT_OF(fit_options));
    open_edges(train_options, COUNT_OF(train_options));
}
