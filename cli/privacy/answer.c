#include "privacy/privacy.h"

#include <inttypes.h>
#include <math.h>

#include "common/number.h"

/* False-positive rates at which --curve gives the false-negative rate of the best test. */
static const double false_positive[CLI_TRADEOFF_POINTS] = {0.001, 0.01, 0.05, 0.1,
                                                           0.2,   0.3,  0.4,  0.5};

static dp2dp_status compute_curve(const dp2dp_accountant *accountant, dp2dp_backend backend,
                                  cli_answer *answer, dp2dp_error *error) {
    double middle = answer->epsilon > 0 ? answer->epsilon : 1;
    for (int i = 0; i < CLI_PROFILE_POINTS; i++) {
        answer->profile_epsilon[i] = middle * i / CLI_PROFILE_MIDDLE;
    }
    CLI_TRY(dp2dp_accountant_curve(accountant, backend, CLI_PROFILE_POINTS, answer->profile_epsilon,
                                   answer->profile_delta, error));
    for (int i = 0; i < CLI_TRADEOFF_POINTS; i++) {
        CLI_TRY(dp2dp_accountant_tradeoff(accountant, false_positive[i], &answer->false_negative[i],
                                          error));
    }
    answer->has_curve = 1;
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_answer_compute(const cli_args *args, const dp2dp_accountant *accountant,
                                dp2dp_adjacency adjacency, double delta, cli_answer *out,
                                dp2dp_error *error) {
    *out = (cli_answer) {.adjacency = adjacency};
    dp2dp_backend backend = (dp2dp_backend)cli_enum(args, "accountant", DP2DP_WORDS_BACKEND);
    if (cli_given(args, "delta") && cli_given(args, "epsilon")) {
        return cli_refuse(error, "give only one of --delta and --epsilon: the other is computed");
    }
    if (cli_given(args, "epsilon")) {
        out->epsilon = cli_real(args, "epsilon");
        CLI_TRY(dp2dp_accountant_delta(accountant, out->epsilon, backend, &out->delta, &out->used,
                                       error));
    } else {
        out->delta = cli_given(args, "delta") ? cli_real(args, "delta") : delta;
        dp2dp_status status = dp2dp_accountant_epsilon(accountant, out->delta, backend,
                                                       &out->epsilon, &out->used, error);
        cli_bound wider = status == DP2DP_STATUS_NO_BOUND ? cli_bound_wider(accountant, out->delta)
                                                          : (cli_bound) {0};
        if (wider.delta > 0) {
            cli_error_add(error, "; at delta %s, epsilon %s holds",
                          cli_number_up(wider.delta, 4).text, cli_number_up(wider.epsilon, 4).text);
        }
        CLI_TRY(status);
    }
    if (cli_given(args, "curve")) {
        CLI_TRY(compute_curve(accountant, backend, out, error));
    }
    return DP2DP_STATUS_OK;
}

unsigned cli_answer_warn(const cli_args *args, double epsilon, double delta, uint64_t records) {
    enum {
        PEOPLE_LEAST = 2
    };
    int chosen = cli_given(args, "delta") || !cli_given(args, "epsilon");
    uint64_t assumed = chosen ? DP2DP_PEOPLE_FEW : PEOPLE_LEAST;
    unsigned found = dp2dp_warn_of_budget(epsilon, delta, records > 0 ? records : assumed);
    return cli_given(args, "delta") && epsilon > 0
               ? found
               : found & ~(unsigned)DP2DP_WARNING_EPSILON_BELOW_DELTA;
}

static void pairs_json(cli_json *json, const char *key, const char *first, const double *firsts,
                       const char *second, const double *seconds, int count) {
    cli_json_open_array(json, key);
    for (int i = 0; i < count; i++) {
        cli_json_open_object(json, NULL);
        cli_json_real(json, first, firsts[i]);
        cli_json_real(json, second, seconds[i]);
        cli_json_close_object(json);
    }
    cli_json_close_array(json);
}

void cli_cost_json(double epsilon, double delta, dp2dp_adjacency adjacency, cli_json *json) {
    cli_json_real(json, "epsilon", epsilon);
    cli_json_real(json, "delta", isnan(epsilon) ? NAN : delta);
    cli_json_text(json, "adjacency", dp2dp_adjacency_name(adjacency));
}

void cli_answer_json(const cli_answer *answer, cli_json *json) {
    cli_cost_json(answer->epsilon, answer->delta, answer->adjacency, json);
    cli_json_text(json, "accountant",
                  isinf(answer->epsilon) ? NULL : dp2dp_backend_name(answer->used));
    cli_warnings_json(answer->warnings, json);
    if (answer->has_curve) {
        pairs_json(json, "profile", "epsilon", answer->profile_epsilon, "delta",
                   answer->profile_delta, CLI_PROFILE_POINTS);
        pairs_json(json, "tradeoff", "false_positive", false_positive, "false_negative",
                   answer->false_negative, CLI_TRADEOFF_POINTS);
    }
}

static const char *const backend_words[] = {
    [DP2DP_BACKEND_AUTO] = "the smallest of all sound bounds",
    [DP2DP_BACKEND_ANALYTIC] = "closed form",
    [DP2DP_BACKEND_PLD] = "privacy-loss distribution, composed numerically and rounded up",
    [DP2DP_BACKEND_RDP] = "Renyi divergences",
};

void cli_answer_text(const cli_answer *answer, cli_out *out) {
    cli_out_row(out, "epsilon", "%s", cli_number_up(answer->epsilon, 4).text);
    cli_out_row(out, "delta", "%s", cli_number_up(answer->delta, 4).text);
    cli_out_row(out, "accountant", "%s (%s)", dp2dp_backend_name(answer->used),
                backend_words[answer->used]);
}

void cli_explain_guess(double epsilon, double delta, cli_out *out) {
    if (delta >= 1) {
        cli_out_prose(out, "%s", dp2dp_statement_text(DP2DP_STATEMENT_GUESS_NOTHING));
    } else if (epsilon > 700) {
        cli_out_prose(out, "%s", dp2dp_statement_text(DP2DP_STATEMENT_GUESS_UNBOUNDED));
    } else {
        /* Let d be the total variation distance between the outputs on two neighbouring data sets.
         * d is at most (e^ε − 1 + 2δ)/(e^ε + 1). The best guess is right with probability (1 +
         * d)/2. */
        double right = 1 / (1 + exp(-epsilon)) + delta / (1 + exp(epsilon));
        cli_out_prose(out, "%s %s times in 100; 50 would be chance.",
                      dp2dp_statement_text(DP2DP_STATEMENT_GUESS),
                      cli_number_up(fmin(100, 100 * right), 3).text);
    }
}

void cli_explain_epsilon(double epsilon, double delta, unsigned warnings, cli_out *out) {
    int told = delta >= 1 || epsilon > 700; /* cli_explain_guess says that nothing is promised */
    cli_explain_guess(epsilon, delta, out);
    cli_warnings_text(told ? warnings & ~(unsigned)DP2DP_WARNING_EPSILON_LARGE : warnings, out);
}

static void explain_tradeoff(const cli_answer *answer, const dp2dp_accountant *accountant,
                             cli_out *out) {
    double missed;
    dp2dp_error ignored;
    if (dp2dp_accountant_tradeoff(accountant, 0.05, &missed, &ignored) != DP2DP_STATUS_OK) {
        return;
    }
    cli_out_prose(out,
                  "In terms of tests: a test that uses the results to tell %s has a true-positive "
                  "rate of at most %s %% if its false-positive rate is 5 %%.",
                  answer->adjacency == DP2DP_REPLACE_ONE ? "which of two records a person had"
                                                         : "whether a person was in the data",
                  cli_number_up(fmin(100, 100 * (1 - missed)), 3).text);
}

static void curve_text(const cli_answer *answer, cli_out *out) {
    fprintf(out->stream, "\n%sPrivacy profile%s\n  %-13s%s\n", cli_bold(out), cli_plain(out),
            "epsilon", "delta");
    for (int i = 0; i < CLI_PROFILE_POINTS; i++) {
        fprintf(out->stream, "  %-13s%s\n", cli_number_up(answer->profile_epsilon[i], 4).text,
                cli_number_up(answer->profile_delta[i], 4).text);
    }
    fprintf(out->stream, "\n%sBest test%s\n  %-22s%s\n", cli_bold(out), cli_plain(out),
            "false positives", "true positives, at most");
    for (int i = 0; i < CLI_TRADEOFF_POINTS; i++) {
        double detected = fmin(100, 100 * (1 - answer->false_negative[i]));
        fprintf(out->stream, "  %4g %%                %s %%\n", 100 * false_positive[i],
                cli_number_up(detected, 4).text);
    }
}

void cli_answer_explain(const cli_answer *answer, const dp2dp_accountant *accountant,
                        cli_out *out) {
    cli_out_section(out, "What it means");
    cli_explain_epsilon(answer->epsilon, answer->delta, answer->warnings, out);
    explain_tradeoff(answer, accountant, out);
    if (answer->has_curve) {
        curve_text(answer, out);
    }
}
