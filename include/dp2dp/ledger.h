/* The ledger: an append-only list of everything ever released about people, with an optional
 * budget.
 *
 * A ledger is kept either for people (a "ledger of people") or for one model. In a ledger of
 * people, an event either names a set of people or counts for everybody. Nobody may be in two sets.
 * The costs of all events that count for the same people add up. A model's own ledger is inside the
 * model's file and lists only what that model cost. In a model's own ledger, an event without a set
 * belongs to the set named by its role: train, pool or certificate.
 *
 * Privacy: an entry is appended before any noise is drawn and is never removed. The text of a
 * ledger is enough to compute its (ε, δ) again. In a ledger of people, each entry contains the hash
 * of the entry before it. A reader of the ledger therefore detects an entry that was edited, moved
 * or removed. A change is not detected if all later entries were also removed or rewritten. */
#ifndef DP2DP_LEDGER_H
#define DP2DP_LEDGER_H

#include <dp2dp/accountant.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dp2dp_ledger dp2dp_ledger;

/* Which generator made the noise of an entry. Entries with noise from the insecure generator are
 * NOT PRIVATE. */
typedef enum dp2dp_rng_kind {
    DP2DP_RNG_SECURE = 1,
    DP2DP_RNG_INSECURE = 2
} dp2dp_rng_kind;
DP2DP_DEFINE_WORDS(dp2dp_rng_kind, DP2DP_WORDS_RNG)

typedef enum dp2dp_entry_kind {
    DP2DP_ENTRY_CHARGE = 1,
    DP2DP_ENTRY_BUDGET = 2,   /* sets the budget */
    DP2DP_ENTRY_PUBLISHED = 3 /* gives the checksum of the file that holds a release; costs
                                 nothing */
} dp2dp_entry_kind;
DP2DP_DEFINE_WORDS(dp2dp_entry_kind, DP2DP_WORDS_ENTRY)

/* What a ledger kept for people stores about an entry besides its event. Texts may be NULL. */
typedef struct dp2dp_entry_info {
    size_t struct_size;
    dp2dp_entry_kind kind;
    int from_version; /* 1 if the entry comes from a ledger file of version 1; the fields below are
                         then not set */
    double epsilon, delta;       /* the budget; only in a budget entry */
    const char *checksum;        /* checksum of the file; only in a published entry */
    const char *time;            /* UTC, for example 2026-11-16T08:30:00Z */
    const char *library_version; /* version of the library that made the entry */
    const char *verb;            /* the command that made the entry, for example "fit" */
    const char *note;            /* a note in the user's own words */
    const char *previous;        /* hash of the previous entry; NULL for the first entry */
    const char *hash;            /* SHA-256 of this entry, including `previous` */
} dp2dp_entry_info;

DP2DP_DEFINE_DEFAULT(dp2dp_entry_info, DP2DP_STRUCT_ENTRY_INFO)
#define DP2DP_ENTRY_INFO_INIT dp2dp_entry_info_default()

/* Makes an empty ledger for people, in memory. Use it from one thread at a time. A forked process
 * gets its own copy, and the parent does not see charges to this copy. If several processes make
 * releases, use dp2dp_ledger_open. Ownership: the caller frees the ledger; free accepts NULL. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_ledger_new(dp2dp_adjacency adjacency, dp2dp_ledger **out, dp2dp_error *error);
DP2DP_API void dp2dp_ledger_free(dp2dp_ledger *ledger);

/* Opens the file of a ledger kept for people. Several processes may share the file. Reads and
 * checks the file. If the file is missing, the first charge creates it. Every charge locks the
 * file, reads the entries that other processes appended, checks the budget, and replaces the file
 * atomically and durably before it returns. If the file is missing but its lock file exists, an
 * earlier ledger was lost. dp2dp_ledger_open then fails with the reason LEDGER_LOST, because
 * otherwise the charges of the lost ledger would be forgotten. If the file lacks the entry that its
 * lock file names as the last, an older copy was probably restored, and dp2dp_ledger_open and
 * charges fail with the reason LEDGER_CHANGED. Ownership: as for dp2dp_ledger_new;
 * freeing does not delete the file. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_ledger_open(
    const char *path, dp2dp_adjacency adjacency, dp2dp_ledger **out, dp2dp_error *error);
/* Opens a ledger like dp2dp_ledger_open, but the file must not exist yet. The lock file may exist
 * already. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_ledger_create(
    const char *path, dp2dp_adjacency adjacency, dp2dp_ledger **out, dp2dp_error *error);

/* Sets the verb and the note of later entries. verb NULL: the library writes its own name for the
 * call, such as "fit". note NULL: no note. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_ledger_describe(dp2dp_ledger *ledger, const char *verb, const char *note, dp2dp_error *error);

/* Sets a budget: the ε of the whole ledger, computed at delta, must stay at most epsilon. From then
 * on, a charge that would exceed the budget fails with BUDGET and appends nothing. Privacy: a
 * budget that is already stored can only be lowered. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_ledger_set_budget(dp2dp_ledger *ledger, double epsilon, double delta, dp2dp_error *error);
/* Sets a budget that is stored together with the next charge. If this charge fails, nothing is
 * stored. Fails at once if the new budget is larger than the stored one. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_ledger_set_budget_with_charge(
    dp2dp_ledger *ledger, double epsilon, double delta, dp2dp_error *error);
/* Gets the budget. Sets *has_budget to 0 if the ledger has no budget. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_ledger_budget(
    const dp2dp_ledger *ledger, int *has_budget, double *epsilon, double *delta,
    dp2dp_error *error);

/* Charges one event: appends it, or fails with BUDGET. The first charge sets the rows_per_person of
 * the ledger. Later events must have the same rows_per_person, except declared and exposed events,
 * which do not use it. Privacy: call this before drawing the noise. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_ledger_charge(
    dp2dp_ledger *ledger, const dp2dp_event *event, dp2dp_rng_kind rng, dp2dp_error *error);

/* Records that a release was written to a file with this checksum (64 hexadecimal digits). This
 * costs nothing. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_ledger_publish(
    dp2dp_ledger *ledger, const char *release_id, const char *checksum, dp2dp_error *error);

DP2DP_API dp2dp_adjacency dp2dp_ledger_adjacency(const dp2dp_ledger *ledger);
DP2DP_API size_t dp2dp_ledger_size(const dp2dp_ledger *ledger);
/* Reads entry i into *event, which must come from DP2DP_EVENT_INIT. If the entry is not a charge,
 * event->mechanism is 0. Ownership: the event's strings belong to the ledger and live until its
 * next charge. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_ledger_entry(
    const dp2dp_ledger *ledger, size_t i, dp2dp_event *event, dp2dp_rng_kind *rng,
    dp2dp_error *error);

/* Gets what a ledger kept for people stores about entry i besides its event. Ownership: the texts
 * belong to the ledger and live until its next charge. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_ledger_entry_info(
    const dp2dp_ledger *ledger, size_t i, dp2dp_entry_info *info, dp2dp_error *error);

/* Makes an accountant that holds all charges. If a file of version 1 has several values of
 * rows_per_person, the largest value is used for all charges. Fails with NO_BOUND if a mechanism
 * has no bound for this largest value. Ownership: the caller frees the accountant, which does not
 * depend on the ledger. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_ledger_account(const dp2dp_ledger *ledger, dp2dp_accountant **out, dp2dp_error *error);

/* Convert a ledger from and to JSON (docs/ledger.md describes the fields). Ownership: the caller
 * frees the ledger, and frees the text with dp2dp_text_free, which accepts NULL. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_ledger_from_json(const char *text, size_t length, dp2dp_ledger **out, dp2dp_error *error);
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_ledger_to_json(const dp2dp_ledger *ledger, char **text, size_t *length, dp2dp_error *error);
/* Reads a ledger file once, for inspection. Later charges to this ledger are not written to the
 * file. Fails with the reason LEDGER_CHANGED like dp2dp_ledger_open. Writes nothing, and needs no
 * lock file. Ownership: the caller frees the ledger. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_ledger_load(const char *path, dp2dp_ledger **out, dp2dp_error *error);
DP2DP_API void dp2dp_text_free(char *text);

#ifdef __cplusplus
}
#endif
#endif
