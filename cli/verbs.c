#include "verbs.h"

#include <string.h>

#define CLI_ANY \
    { CLI_UNBOUNDED, 0, CLI_UNBOUNDED, 0 }
#define CLI_POSITIVE \
    { CLI_OPEN, 0, CLI_UNBOUNDED, 0 }
#define CLI_NOT_NEGATIVE \
    { CLI_CLOSED, 0, CLI_UNBOUNDED, 0 }
#define CLI_RATE \
    { CLI_OPEN, 0, CLI_CLOSED, 1 }
#define CLI_HALF \
    { CLI_OPEN, 0, CLI_CLOSED, 0.5 }
#define CLI_OPEN_UNIT \
    { CLI_OPEN, 0, CLI_OPEN, 1 }
#define CLI_HALF_OPEN_UNIT \
    { CLI_CLOSED, 0, CLI_OPEN, 1 }
#define CLI_COUNTING \
    { CLI_CLOSED, 1, CLI_CLOSED, CLI_COUNT_MAX }

#define CLI_SAMPLED "poisson|without-replacement|with-replacement"
#define CLI_NOISY "gaussian|" CLI_SAMPLED

/* Every mechanism the accountant knows, and the calculator that is not a composition of events. */
static const char account_mechanisms[] =
#define DP2DP_MECHANISM(name, value, word) word "|"
#include <dp2dp/event.def>
#undef DP2DP_MECHANISM
    "last-iterate";

#define CLI_OPTION(name, kind, value, range, fallback, modes, needs, help) \
    {name, kind, value, range, fallback, modes, needs, help},

static const cli_option account_options[] = {
#include "account.def"
};

static const cli_option calibrate_options[] = {
#include "calibrate.def"
};
#undef CLI_OPTION

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

_Static_assert(COUNT_OF(account_options) <= CLI_OPTIONS_MAX, "raise CLI_OPTIONS_MAX");
_Static_assert(COUNT_OF(calibrate_options) <= CLI_OPTIONS_MAX, "raise CLI_OPTIONS_MAX");

const cli_verb cli_verbs[] = {
#define CLI_VERB(name, operand, summary, description, examples)                                    \
    {#name,     operand, summary, description, examples, name##_options, COUNT_OF(name##_options), \
     cmd_##name},
#include "verbs.def"
#undef CLI_VERB
};

const size_t cli_verb_count = COUNT_OF(cli_verbs);

const cli_verb *cli_verb_find(const char *name) {
    for (size_t i = 0; i < cli_verb_count; i++) {
        if (strcmp(cli_verbs[i].name, name) == 0) {
            return &cli_verbs[i];
        }
    }
    return NULL;
}

const cli_option *cli_option_find(const cli_verb *verb, const char *name) {
    for (size_t i = 0; i < verb->option_count; i++) {
        if (strcmp(verb->options[i].name, name) == 0) {
            return &verb->options[i];
        }
    }
    return NULL;
}
