/* Epsilon and delta of an accountant: computed, printed, and explained to people who are not
 * experts. */
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include "args/args.h"
#include "common/json.h"
#include "common/out.h"

enum {
    CLI_PROFILE_MIDDLE = 10,
    CLI_PROFILE_POINTS = 2 * CLI_PROFILE_MIDDLE + 1,
    CLI_TRADEOFF_POINTS = 8
};

typedef struct cli_answer {
    dp2dp_adjacency adjacency;
    double epsilon;
    double delta;
    dp2dp_backend used;
    /* --curve: delta from epsilon 0 to twice the answer, and the best test's error rates. */
    int has_curve;
    double profile_epsilon[CLI_PROFILE_POINTS];
    double profile_delta[CLI_PROFILE_POINTS];
    double false_positive[CLI_TRADEOFF_POINTS];
    double false_negative[CLI_TRADEOFF_POINTS];
} cli_answer;

/* Exactly one of --delta and --epsilon is asked for; `delta` > 0 stands in where neither is given.
 */
dp2dp_status cli_answer_compute(const cli_args *args, const dp2dp_accountant *accountant,
                                dp2dp_adjacency adjacency, double delta, cli_answer *out,
                                dp2dp_error *error);

/* Refuses both or neither of --delta and --epsilon. */
dp2dp_status cli_answer_check(const cli_args *args, dp2dp_error *error);

/* Members epsilon, delta, adjacency, accountant and, with --curve, profile and tradeoff. */
void cli_answer_json(const cli_answer *answer, cli_json *json);
/* Rows epsilon, delta, accountant. */
void cli_answer_text(const cli_answer *answer, cli_out *out);
/* What the two numbers promise, in words, with the trade-off if the accountant can say it; then the
 * curve. */
void cli_answer_explain(const cli_answer *answer, const dp2dp_accountant *accountant, cli_out *out);

/* The first sentence of that alone. */
void cli_explain_odds(double epsilon, double delta, cli_out *out);

/* A warning where delta is so large for so many people that one of them may be given away. */
void cli_caution_delta(double delta, uint64_t records, cli_out *out);

#endif
