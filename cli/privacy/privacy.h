/* Privacy costs of a release, of a ledger, and of a command before it runs. */
#ifndef CLI_PRIVACY_H
#define CLI_PRIVACY_H

#include "args/args.h"
#include "common/json.h"
#include "common/out.h"
#include "output/sink.h"

/* A release as the options of release.def describe it. */
typedef struct cli_release {
    dp2dp_event event;
    dp2dp_adjacency adjacency;
    uint64_t population; /* 0: not given */
    uint64_t batch;      /* size of a fixed-size batch, if the population is given; else 0 */
    const char *sought;  /* the option that calibrate solves for: sigma, rate or steps; else NULL */
} cli_release;

/* Reads the options of release.def, except the one that is sought. A record has norm at most 1, so
 * the default sensitivity is 2 under replace-one and 1 under add-remove. */
dp2dp_status cli_release_read(const cli_args *args, const char *sought, cli_release *out,
                              dp2dp_error *error);

/* Rounds the rate down to a whole number of records per batch, if batches have a fixed size and the
 * population is given. */
dp2dp_status cli_release_floor_batch(cli_release *release, dp2dp_error *error);

void cli_release_json(const cli_release *release, cli_json *json);
/* Rows "mechanism", "noise", "sensitivity", "releases" and "protects", without the value sought. */
void cli_release_text(const cli_release *release, cli_out *out);

/* Sampling rate of an event, batch / population for fixed-size batches; 0: no sampling. */
double cli_event_rate(const dp2dp_event *event);

/* The fields that the mechanism of the event uses, as members of the open JSON object. */
void cli_event_json(const dp2dp_event *event, cli_json *json);

/* Row "protects": which change of the data is hidden, for people with at most so many rows. */
void cli_protects_text(dp2dp_adjacency adjacency, uint64_t rows_per_person, cli_out *out);

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
    int has_curve; /* --curve is given; 0: the members below are not set */
    double profile_epsilon[CLI_PROFILE_POINTS]; /* from 0 to twice the answer */
    double profile_delta[CLI_PROFILE_POINTS];
    double false_negative[CLI_TRADEOFF_POINTS]; /* of the best test, at the rates in answer.c */
} cli_answer;

/* Computes epsilon at --delta, or delta at --epsilon; refuses the two together. If neither is
 * given, computes epsilon at the argument `delta`. */
dp2dp_status cli_answer_compute(const cli_args *args, const dp2dp_accountant *accountant,
                                dp2dp_adjacency adjacency, double delta, cli_answer *out,
                                dp2dp_error *error);

/* JSON members epsilon, delta and adjacency. If epsilon is NAN, epsilon and delta are null. */
void cli_cost_json(double epsilon, double delta, dp2dp_adjacency adjacency, cli_json *json);

/* Members epsilon, delta, adjacency, accountant and, with --curve, profile and tradeoff. */
void cli_answer_json(const cli_answer *answer, cli_json *json);
/* Rows epsilon, delta, accountant. */
void cli_answer_text(const cli_answer *answer, cli_out *out);
/* The promise in words: odds, the power of the best test if the accountant can bound it, and with
 * --curve two tables. */
void cli_answer_explain(const cli_answer *answer, const dp2dp_accountant *accountant, cli_out *out);

/* The promise in one sentence: by how much an observer's odds about a person may change. */
void cli_explain_factor(double epsilon, double delta, cli_out *out);
/* The same, and a warning if epsilon is large; for results other than models and certificates,
 * whose warnings the library gives. */
void cli_explain_odds(double epsilon, double delta, cli_out *out);

/* The ledger that a command charges: the options of ledger.def and spend.def. */

/* Refuses a command without --epsilon, or with a finite --epsilon and no --delta. `no_privacy` is
 * the option that the message suggests for a result without privacy. */
dp2dp_status cli_spend_check_budget(const cli_args *args, const char *no_privacy,
                                    dp2dp_error *error);
/* Refuses options that need --ledger without it, and the ledger file as --out. */
dp2dp_status cli_spend_check_ledger(const cli_args *args, dp2dp_error *error);

/* Some entries of a ledger. */
typedef struct cli_entries {
    const dp2dp_ledger *ledger;
    size_t first, end; /* entries first, ..., end - 1; end 0: to the last entry */
    const char *set;   /* only charges about this set of people or about everybody; NULL: all */
} cli_entries;

/* An epsilon and the delta at which it holds; delta 0: there is none. */
typedef struct cli_bound {
    double epsilon, delta;
} cli_bound;

/* If no epsilon holds at delta: the first that holds at ten times delta, a hundred times, ... */
cli_bound cli_bound_wider(const dp2dp_accountant *accountant, double delta);

/* The cost of a ledger file, at its budget's delta or else at --delta. */
typedef struct cli_spent {
    const char *path; /* the value of --ledger; NULL: not given, and the rest is 0 */
    int is_new;       /* the file was missing when it was opened */
    cli_entries entries;
    double epsilon; /* INFINITY: there is no bound */
    double delta;
    cli_bound wider; /* if epsilon is INFINITY only because delta is too small; else 0 */
    int has_budget;
    double budget; /* the largest epsilon allowed */
} cli_spent;

/* Opens the file of --ledger, to be charged by this verb and with --note; --budget at --delta is
 * stored with the first charge. *out is NULL without --ledger. Ownership: the caller frees the
 * ledger. */
dp2dp_status cli_spend_open(const cli_args *args, dp2dp_ledger **out, cli_spent *spent,
                            dp2dp_error *error);
/* Fills in the costs in *spent, which cli_spend_open has begun. */
dp2dp_status cli_spend_total(const cli_args *args, const dp2dp_ledger *ledger, cli_spent *spent,
                             dp2dp_error *error);
/* After a failed release: names the ledger file in the message if its budget refused, or if an
 * interrupt left it charged. Returns `status`. */
dp2dp_status cli_spend_failure(const cli_args *args, dp2dp_status status, dp2dp_error *error);
/* Writes a model to its sink, and then to the ledger (NULL: none) that it is published. */
dp2dp_status cli_spend_publish(dp2dp_ledger *ledger, const dp2dp_model *model, cli_sink *sink,
                               dp2dp_error *error);

/* The epsilon at delta of some entries; INFINITY if one of them is exposed. With several sets of
 * people it is the largest epsilon of any set. */
dp2dp_status cli_spend_of(const cli_entries *entries, double delta, double *epsilon,
                          dp2dp_error *error);

/* Entry i, which must exist, and the generator of its noise; rng may be NULL. The mechanism of an
 * entry that is not a charge is 0. */
dp2dp_event cli_entry(const dp2dp_ledger *ledger, size_t i, dp2dp_rng_kind *rng);
/* The people that a charge counts for: their name or, in a model's own ledger, their role; "":
 * everybody. */
const char *cli_entry_set(const dp2dp_event *event);
/* Gets the last charge; returns 0 if there is none. */
int cli_last_event(const dp2dp_ledger *ledger, dp2dp_event *out);

/* What makes a total worth less than it seems. */
typedef struct cli_marks {
    size_t charges;
    size_t insecure; /* with noise from the insecure generator */
    size_t exposed;  /* without noise */
} cli_marks;
cli_marks cli_marks_of(const cli_entries *entries);

/* JSON members that go with every total: exposed (also if the caller knows so), insecure_entries,
 * exposed_entries, named_people, and assumes, which says whose costs are added. */
void cli_marks_json(const cli_entries *entries, int exposed, cli_json *json);
/* The same as text: lines of alarm for insecure and exposed entries, and a row "assumes". */
void cli_alarms_text(const cli_entries *entries, const char *indent, cli_out *out);
void cli_assumes_text(const cli_entries *entries, cli_out *out);

/* JSON member and text row "ledger". */
void cli_spent_json(const cli_spent *spent, cli_json *json);
void cli_spent_text(const cli_spent *spent, cli_out *out);

/* All entries of a ledger, as a JSON member and as a table. */
void cli_entries_json(const dp2dp_ledger *ledger, cli_json *json);
void cli_entries_text(const dp2dp_ledger *ledger, cli_out *out);
/* The charges among some entries of a plan, which has no times and hashes. */
void cli_planned_json(const cli_entries *entries, cli_json *json);
void cli_planned_text(const cli_entries *entries, cli_out *out);

/* --dry-run: a copy of the ledger that a function such as dp2dp_fit_plan charges. */
typedef struct cli_dry {
    dp2dp_ledger *ledger; /* in memory, with the entries of the file of --ledger, if given */
    size_t held;          /* how many they are */
    cli_spent before;     /* the file as it is */
    int exposes; /* the real run exposes people in the file, whatever this plan says (run) */
} cli_dry;

/* Ownership: the caller frees dry->ledger, even after a failure. */
dp2dp_status cli_dry_open(const cli_args *args, cli_dry *dry, dp2dp_error *error);
/* Prints what the plan charged, its cost at --delta, and what the file would have spent. */
dp2dp_status cli_dry_print(const cli_args *args, const cli_dry *dry, cli_out *out,
                           dp2dp_error *error);

#endif
