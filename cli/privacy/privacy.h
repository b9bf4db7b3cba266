#ifndef CLI_PRIVACY_H
#define CLI_PRIVACY_H

#include "args/args.h"
#include "common/json.h"
#include "common/out.h"
#include "input/scores.h"
#include "output/sink.h"
#include "privacy/reach.h"

typedef struct cli_release {
    dp2dp_event event;
    dp2dp_adjacency adjacency;
    uint64_t population; /* 0 if --population is not given */
    uint64_t batch;      /* size of a fixed-size batch, if the population is given; otherwise 0 */
    const char *sought;  /* the option that calibrate solves for, "sigma", "rate" or "steps";
                            otherwise NULL */
} cli_release;

/* Reads the options of release.def, except the option named by `sought`. A record has norm at most
 * 1, so the default sensitivity is 2 under replace-one and 1 under add-remove. */
dp2dp_status cli_release_read(const cli_args *args, const char *sought, cli_release *out,
                              dp2dp_error *error);

/* Rounds the rate down to a whole number of records per batch, if batches have a fixed size and the
 * population is given. */
dp2dp_status cli_release_floor_batch(cli_release *release, dp2dp_error *error);

void cli_release_json(const cli_release *release, cli_json *json);
/* Prints the rows "mechanism", "noise", "sensitivity", "releases" and "protects", but not the value
 * that calibrate solves for. */
void cli_release_text(const cli_release *release, cli_out *out);

/* Returns the sampling rate of an event. For fixed-size batches, this is batch / population.
 * Without sampling, it is 0. */
double cli_event_rate(const dp2dp_event *event);

/* Writes the fields that the mechanism of the event uses, as members of the open JSON object. */
void cli_event_json(const dp2dp_event *event, cli_json *json);

/* Prints the row "protects", which says what change of one person's rows the noise hides. A person
 * has at most rows_per_person rows. */
void cli_protects_text(dp2dp_adjacency adjacency, uint64_t rows_per_person, cli_out *out);
/* If rows_per_person is 1, prints that the promise assumes one row per person. */
void cli_one_row_text(uint64_t rows_per_person, cli_out *out);

enum {
    CLI_ASSUMPTION_SIZE = 192
};

/* Writes what is assumed about the records of one person if a row stands for several records.
 * `otherwise` says what to do about --rows-per-person if the assumption is wrong. */
void cli_assume_cells(uint64_t rows_per_person, const char *otherwise,
                      char out[CLI_ASSUMPTION_SIZE]);

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
    int has_curve; /* 1: --curve is given, and the arrays are filled in */
    double profile_epsilon[CLI_PROFILE_POINTS]; /* epsilon, from 0 to twice the answer */
    double profile_delta[CLI_PROFILE_POINTS];
    double false_negative[CLI_TRADEOFF_POINTS]; /* false-negative rates of the best test, at the
                                                   false-positive rates in answer.c */
    unsigned warnings;                          /* dp2dp_warning bits about epsilon and delta */
} cli_answer;

/* Computes epsilon at --delta, or delta at --epsilon; refuses the two together. If neither is
 * given, computes epsilon at the argument `delta`. */
dp2dp_status cli_answer_compute(const cli_args *args, const dp2dp_accountant *accountant,
                                dp2dp_adjacency adjacency, double delta, cli_answer *out,
                                dp2dp_error *error);

/* Returns the warnings about epsilon and delta. The warning that delta exceeds epsilon is given
 * only if the user chose delta (--delta). `records` is the number of people, or 0 if the number is
 * not known. If it is 0, DP2DP_PEOPLE_FEW people are assumed or, if delta was computed for an
 * epsilon, only two: a user who tries values of epsilon may not want the delta that results. */
unsigned cli_answer_warn(const cli_args *args, double epsilon, double delta, uint64_t records);

/* Writes the JSON members epsilon, delta and adjacency. If epsilon is NAN, epsilon and delta are
 * null. */
void cli_cost_json(double epsilon, double delta, dp2dp_adjacency adjacency, cli_json *json);

/* Writes the JSON members epsilon, delta, adjacency, accountant, warnings and, with --curve,
 * profile and tradeoff. */
void cli_answer_json(const cli_answer *answer, cli_json *json);
void cli_answer_text(const cli_answer *answer, cli_out *out);
/* Explains the guarantee in words: how often somebody can guess right about a person. Also says, if
 * the accountant has a bound for this, how often a test that uses the results can detect a person's
 * record at a false-positive rate of 5 %. With --curve, also prints two tables. */
void cli_answer_explain(const cli_answer *answer, const dp2dp_accountant *accountant, cli_out *out);

/* Explains the guarantee in one sentence: how often somebody can guess right about a person. */
void cli_explain_guess(double epsilon, double delta, cli_out *out);
/* Explains the guarantee like cli_explain_guess, and prints the warnings of cli_answer_warn. */
void cli_explain_epsilon(double epsilon, double delta, unsigned warnings, cli_out *out);

/* Refuses a command without --epsilon, and a command with a finite --epsilon but without --delta.
 * `no_privacy` is the option that the message suggests for a result without privacy. */
dp2dp_status cli_spend_check_budget(const cli_args *args, const char *no_privacy,
                                    dp2dp_error *error);
/* Refuses options that need --ledger if --ledger is missing, and refuses the ledger file as
 * --out. */
dp2dp_status cli_spend_check_ledger(const cli_args *args, dp2dp_error *error);

typedef struct cli_entries {
    const dp2dp_ledger *ledger;
    size_t first, end; /* from entry `first` to entry end - 1, or to the last entry if end is 0 */
    const char *set; /* show or add up only charges to this set of people and charges to everybody;
                        NULL: all charges */
} cli_entries;

/* An epsilon and the delta at which this epsilon holds. delta is 0 if no such pair was found. */
typedef struct cli_bound {
    double epsilon, delta;
} cli_bound;

/* For a delta at which no epsilon holds: tries ten times delta, a hundred times delta, and so on,
 * and returns the first bound that holds. */
cli_bound cli_bound_wider(const dp2dp_accountant *accountant, double delta);

enum {
    CLI_ASSUMES_SIZE = 640
};
/* Writes a sentence, without a full stop, that says whose costs are added up in the total of a
 * ledger. */
dp2dp_status cli_assumes(const dp2dp_ledger *ledger, char out[CLI_ASSUMES_SIZE],
                         dp2dp_error *error);

/* The cost of a ledger file, at the delta of its budget or, without a budget, at --delta. */
typedef struct cli_spent {
    const char *path; /* the value of --ledger; if NULL, the other members are 0 */
    int is_new;       /* 1: the ledger had no entries when it was opened */
    cli_entries entries;
    double epsilon; /* INFINITY if no epsilon can be certified */
    double delta;
    cli_bound wider; /* a bound at a larger delta, if epsilon is INFINITY only because delta is too
                        small */
    int has_budget;
    double budget; /* largest epsilon allowed */
    char assumes[CLI_ASSUMES_SIZE];
} cli_spent;

/* Opens the file of --ledger; without --ledger, sets *out to NULL. New entries of the ledger will
 * have the name of this verb and the text of --note. The ledger stores the budget (--budget, at
 * --delta) together with the first charge. Ownership: the caller frees the ledger. */
dp2dp_status cli_spend_open(const cli_args *args, dp2dp_ledger **out, cli_spent *spent,
                            dp2dp_error *error);
/* Prints a note to stderr if the ledger lacks the name in --people, but has a name so similar that
 * --people is probably misspelled. */
void cli_people_tell(const cli_args *args, const dp2dp_ledger *ledger);
/* Fills in the costs in *spent; call this after cli_spend_open, which fills in the other members.
 */
dp2dp_status cli_spend_total(const cli_args *args, const dp2dp_ledger *ledger, cli_spent *spent,
                             dp2dp_error *error);
/* Completes the message of a failed release. Names the ledger file if its budget refused the
 * release, or if the command was interrupted after the ledger was charged. Returns `status`. */
dp2dp_status cli_spend_failure(const cli_args *args, dp2dp_status status, dp2dp_error *error);
/* Writes a model to its sink, then records in the ledger that the model is published. `ledger` may
 * be NULL. */
dp2dp_status cli_spend_publish(dp2dp_ledger *ledger, const dp2dp_model *model, cli_sink *sink,
                               dp2dp_error *error);

/* Computes the epsilon of some entries at delta; INFINITY if an entry had no noise. With several
 * sets of people, computes the largest epsilon of any set. */
dp2dp_status cli_spend_of(const cli_entries *entries, double delta, double *epsilon,
                          dp2dp_error *error);

/* Returns entry i, which must exist, and sets *rng to the generator of its noise; rng may be NULL.
 * If the entry is not a charge, its mechanism is 0. */
dp2dp_event cli_entry(const dp2dp_ledger *ledger, size_t i, dp2dp_rng_kind *rng);
/* Returns the name of the people that a charge counts for. In a model's own ledger, people without
 * a name are called by their role, such as "train". Returns "" if the charge counts for everybody.
 */
const char *cli_entry_set(const dp2dp_event *event);
/* Sets *out to the last charge of the ledger and returns 1; returns 0 if the ledger has no charge.
 */
int cli_last_event(const dp2dp_ledger *ledger, dp2dp_event *out);

/* How many charges there are, and how many of these charges weaken or void the privacy guarantee.
 */
typedef struct cli_marks {
    size_t charges;
    size_t insecure; /* charges with noise from the insecure generator */
    size_t exposed;  /* charges without noise */
} cli_marks;
cli_marks cli_marks_of(const cli_entries *entries);

/* Writes the JSON members that go with every total: exposed, insecure_entries, exposed_entries,
 * named_people and assumes (the text of cli_assumes). The member exposed is true if an entry is
 * exposed, or if the argument `exposed` is 1. */
void cli_marks_json(const cli_entries *entries, int exposed, const char *assumes, cli_json *json);
/* Prints warnings about insecure and exposed entries. */
void cli_alarms_text(const cli_entries *entries, const char *indent, cli_out *out);

void cli_spent_json(const cli_spent *spent, cli_json *json);
void cli_spent_text(const cli_spent *spent, cli_out *out);
/* If --ledger is not given, prints that the release is charged to no ledger. */
void cli_no_ledger_text(const cli_spent *spent, cli_out *out);

void cli_entries_json(const dp2dp_ledger *ledger, cli_json *json);
void cli_entries_text(const dp2dp_ledger *ledger, cli_out *out);
/* Show the charges among `entries`, which are the planned entries of a dry run. Planned entries
 * have no times and hashes. */
void cli_planned_json(const cli_entries *entries, cli_json *json);
void cli_planned_text(const cli_entries *entries, cli_out *out);

/* The state of --dry-run: above all a ledger in memory, which a plan function such as
 * dp2dp_fit_plan charges. */
typedef struct cli_dry {
    dp2dp_ledger *ledger; /* in memory; starts with the entries of the file of --ledger, if given */
    size_t held;          /* number of entries copied from the file */
    cli_spent before;     /* the file of --ledger before the command */
    int exposes; /* 1: the command also records in the ledger that the people are exposed (results
                    without noise); the planned entries do not show this */
    uint64_t records;       /* number of people, for the warnings; 0: not known */
    int no_sensitive;       /* 1: warn that the schema has no sensitive column */
    unsigned warnings;      /* warnings other than those about the budget */
    const cli_reach *reach; /* what certify can reach; NULL for other verbs */
} cli_dry;

/* Writes the words of all bits that are set, as a JSON array. */
void cli_words_json(dp2dp_word_table table, const char *key, unsigned bits, cli_json *json);
void cli_warnings_json(unsigned bits, cli_json *json);
void cli_warnings_text(unsigned bits, cli_out *out);
void cli_oddities_text(unsigned bits, cli_out *out);
/* Prints the warnings to stderr, each followed by `more`. */
void cli_warnings_tell(unsigned bits, const char *more);
/* A text for `more`, for use where the result on stdout is private but the warning is not. */
#define CLI_ABOUT_DATA \
    " This caution comes from the data without noise: do not publish the caution."
/* Prints to stderr everything that is odd about the rows of a pool, which was read from these
 * columns with a watch: values, scores, labels and repeated rows, and the warnings `more`. Of the
 * warnings about labels, leaves out those in `without`. Prints nothing if bad rows are ignored. */
void cli_rows_tell(const cli_columns *columns, const dp2dp_pool *pool, uint64_t rows_per_person,
                   unsigned more, unsigned without);

/* The name of the warning about a schema without a sensitive column. The warning follows from the
 * schema alone, so it is not one of the warning bits, which are stored in model files. */
#define CLI_NO_SENSITIVE_WORD "no-sensitive-column"
/* More warnings that follow from options or a schema alone. */
enum {
    CLI_NO_SENSITIVE = 1,
    CLI_RHO_LARGE = 2
};
static inline unsigned cli_rho_warning(double rho) {
    return dp2dp_rho_is_large(rho) ? CLI_RHO_LARGE : 0U;
}
/* As cli_warnings_json, with the words of the bits in `more` at the end. */
void cli_warnings_json_with(unsigned bits, unsigned more, cli_json *json);
/* Prints a caution if rho is so large that it was probably meant as a ratio or a percentage. */
void cli_rho_text(double rho, cli_out *out);
/* If no_sensitive is 1, prints the warning about a schema without a sensitive column. */
void cli_no_sensitive_text(int no_sensitive, cli_out *out);

/* Opens the ledger of a dry run. Ownership: the caller frees dry->ledger, even after a failure. */
dp2dp_status cli_dry_open(const cli_args *args, cli_dry *dry, dp2dp_error *error);
/* Prints what the command would charge, the epsilon of these charges at --delta, and the total cost
 * of --ledger after the command. */
dp2dp_status cli_dry_print(const cli_args *args, const cli_dry *dry, cli_out *out,
                           dp2dp_error *error);

#endif
