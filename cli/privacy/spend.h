/* The ledger that a command charges: --ledger and --budget of spend.def. */
#ifndef CLI_SPEND_H
#define CLI_SPEND_H

#include "args/args.h"
#include "common/json.h"
#include "common/out.h"

/* --epsilon and --delta: needed unless `free` says what adds no noise whatever they are; `free_way`
 * is such an option, for the message. --epsilon inf needs no --delta. */
dp2dp_status cli_spend_check_budget(const cli_args *args, const char *free, const char *free_way,
                                    dp2dp_error *error);
/* --ledger does not go with what has no noise (`noiseless`, or NULL), nor with itself as --out. */
dp2dp_status cli_spend_check_ledger(const cli_args *args, const char *noiseless,
                                    dp2dp_error *error);

/* *out is NULL where no ledger is given. --budget is set at --delta. Ownership: the caller frees
 * the ledger. */
dp2dp_status cli_spend_open(const cli_args *args, dp2dp_ledger **out, dp2dp_error *error);

/* The same in memory: what is charged to it or set in it reaches no file, and none is made. */
dp2dp_status cli_spend_copy(const cli_args *args, dp2dp_ledger **out, dp2dp_error *error);
/* Would cli_spend_open make the file? */
int cli_spend_is_new(const cli_args *args);

/* Names the ledger file where a budget refused, and where an interrupt came after the charge. */
dp2dp_status cli_spend_failure(const cli_args *args, dp2dp_status status, dp2dp_error *error);

enum {
    CLI_OTHERS_SIZE = 80
};

/* What a ledger file has spent by now, at the delta of its budget or else at --delta. */
typedef struct cli_spent {
    const char *path;
    double epsilon, delta;
    int has_budget;
    double budget;
    char others[CLI_OTHERS_SIZE]; /* sets of other people than those of the last entry, in words */
} cli_spent;
dp2dp_status cli_spend_total(const cli_args *args, const dp2dp_ledger *ledger, cli_spent *out,
                             dp2dp_error *error);

/* What the entries of a ledger, and those of another unless NULL, cost at delta. */
dp2dp_status cli_spend_together(const dp2dp_ledger *ledger, const dp2dp_ledger *more, double delta,
                                double *epsilon, dp2dp_error *error);

/* Some entries of a ledger. */
typedef struct cli_entries {
    size_t first, last; /* the one after the last */
    const char *set;    /* those of this set, and those that touch everybody; NULL: all */
} cli_entries;
/* What they cost at delta; where set is NULL the largest cost of any set. NAN: no bound. */
dp2dp_status cli_spend_of(const dp2dp_ledger *ledger, const cli_entries *entries, double delta,
                          double *epsilon, dp2dp_error *error);

/* Member and row "ledger". */
void cli_spent_json(const cli_spent *spent, cli_json *json);
void cli_spent_text(const cli_spent *spent, cli_out *out);

/* Member and table "entries": everything a ledger holds. */
dp2dp_status cli_entries_json(const dp2dp_ledger *ledger, cli_json *json, dp2dp_error *error);
dp2dp_status cli_entries_text(const dp2dp_ledger *ledger, cli_out *out, dp2dp_error *error);

#endif
