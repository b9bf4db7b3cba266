/* The ledger: an append-only list of everything ever released about one data set, and a budget for
 * the list.
 *
 * Privacy: an entry is appended before any noise is drawn and is never removed. The text of a
 * ledger is enough to compute its (ε, δ) again. */
#ifndef DP2DP_LEDGER_H
#define DP2DP_LEDGER_H

#include <dp2dp/accountant.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dp2dp_ledger dp2dp_ledger;

/* Which generator the noise of an entry came from. Entries made with the insecure generator are NOT
 * PRIVATE. */
typedef enum dp2dp_rng_kind {
    DP2DP_RNG_SECURE = 1,
    DP2DP_RNG_INSECURE = 2
} dp2dp_rng_kind;
DP2DP_DEFINE_WORDS(dp2dp_rng_kind, DP2DP_WORDS_RNG)

/* Makes an empty ledger in memory, for one thread at a time. A forked process gets its own copy,
 * and the parent does not see the charges made in that copy: if several processes release, use
 * dp2dp_ledger_open. Ownership: the caller frees it; free accepts NULL. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_ledger_new(dp2dp_adjacency adjacency, dp2dp_ledger **out, dp2dp_error *error);
DP2DP_API void dp2dp_ledger_free(dp2dp_ledger *ledger);

/* Opens a ledger in a file that several processes may share. Reads and checks the file; if it is
 * missing, the first charge creates it. Every charge locks the file, reads the entries that others
 * appended, checks the budget, and replaces the file atomically and durably before it returns.
 * Ownership: as dp2dp_ledger_new; freeing does not delete the file. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_ledger_open(
    const char *path, dp2dp_adjacency adjacency, dp2dp_ledger **out, dp2dp_error *error);

/* Sets a budget: from then on, a charge that would take ε(delta) of the whole ledger above epsilon
 * is refused with BUDGET and nothing is appended. Privacy: a budget already stored can only be
 * lowered. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_ledger_set_budget(dp2dp_ledger *ledger, double epsilon, double delta, dp2dp_error *error);
/* Gets the budget. *has_budget is 0 if no budget is set. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_ledger_budget(
    const dp2dp_ledger *ledger, int *has_budget, double *epsilon, double *delta,
    dp2dp_error *error);

/* Charges one event: appends it, or returns BUDGET. Privacy: call this before drawing the noise. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_ledger_charge(
    dp2dp_ledger *ledger, const dp2dp_event *event, dp2dp_rng_kind rng, dp2dp_error *error);

/* The ledger's adjacency, and its number of entries. */
DP2DP_API dp2dp_adjacency dp2dp_ledger_adjacency(const dp2dp_ledger *ledger);
DP2DP_API size_t dp2dp_ledger_size(const dp2dp_ledger *ledger);
/* Reads entry i into *event, which must come from DP2DP_EVENT_INIT. Ownership: the event's strings
 * belong to the ledger and live until its next charge. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_ledger_entry(
    const dp2dp_ledger *ledger, size_t i, dp2dp_event *event, dp2dp_rng_kind *rng,
    dp2dp_error *error);

/* Makes an accountant that holds all entries. Ownership: the caller frees the accountant, which
 * does not depend on the ledger. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_ledger_account(const dp2dp_ledger *ledger, dp2dp_accountant **out, dp2dp_error *error);

/* Converts from and to JSON (docs/ledger.md describes the fields). Ownership: the caller frees the
 * ledger, and the text with dp2dp_text_free, which accepts NULL. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_ledger_from_json(const char *text, size_t length, dp2dp_ledger **out, dp2dp_error *error);
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_ledger_to_json(const dp2dp_ledger *ledger, char **text, size_t *length, dp2dp_error *error);
/* Reads a ledger file once, for inspection; later charges to this ledger do not reach the file.
 * Ownership: as dp2dp_ledger_new. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_ledger_load(const char *path, dp2dp_ledger **out, dp2dp_error *error);
DP2DP_API void dp2dp_text_free(char *text);

#ifdef __cplusplus
}
#endif
#endif
