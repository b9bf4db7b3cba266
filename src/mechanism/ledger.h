/* Shared by the source files of the ledger: the layout and the limits of a ledger, the tables of
 * entry fields, and internal functions.
 *
 * - ledger.c holds the entries and the budget, and makes charges.
 * - ledger_people.c checks the names of sets of people, and finds the charges of a set.
 * - ledger_fields.c says which mechanism uses which field.
 * - ledger_to_json.c writes JSON, and the hash of an entry.
 * - ledger_from_json.c reads JSON.
 * - ledger_file.c reads and replaces the file that several processes share.
 * - ledger_lock.c says in the lock file which entry was written last. */
#ifndef DP2DPI_MECHANISM_LEDGER_H
#define DP2DPI_MECHANISM_LEDGER_H

#include <dp2dp/ledger.h>

#include "base/hash.h"
#include "base/words.h"

#define DP2DPI_LEDGER_FORMAT "dp2dp-ledger"
#define DP2DPI_LEDGER_OF_PEOPLE "people"
#define DP2DPI_LEDGER_OF_MODEL "model"

enum {
    DP2DPI_LEDGER_VERSION = 2,
    DP2DPI_LEDGER_ENTRIES_MAX = 100000,
    DP2DPI_LEDGER_STRING_MAX = 512, /* bytes */
    DP2DPI_RELEASE_ID_DIGITS = 32
};

/* The roles that people can have in a model. In a model's own ledger, each role is the name of a
 * set of people. The ledger assumes that nobody is in two sets, so the cost of a model is the
 * largest cost of any role. An event with the set "train" and an event without a set but with the
 * role "train" are about the same people. */
#define DP2DPI_ROLE_TRAIN "train"
#define DP2DPI_ROLE_POOL "pool"
#define DP2DPI_ROLE_CERTIFICATE "certificate"
/* The label of the charge of a certificate. */
#define DP2DPI_LABEL_CERTIFICATE "certificate"

/* A charge that has not been made yet. */
typedef struct dp2dpi_line {
    dp2dp_event event;
    dp2dp_rng_kind rng;
} dp2dpi_line;

typedef struct dp2dpi_entry {
    dp2dp_entry_info info; /* owns its texts */
    dp2dp_event event;     /* what is charged: a mechanism and its parameters; owns its texts. A
                              `published` entry uses only event.release_id */
    dp2dp_rng_kind rng;    /* which generator makes the noise of a charge */
    char *line;            /* the entry as JSON with its hash; NULL in a model's own ledger */
} dp2dpi_entry;

struct dp2dp_ledger {
    dp2dp_adjacency adjacency;
    int of_model; /* 1 for a model's own ledger, which has roles but no budget, times or hashes */
    int has_budget;
    double epsilon; /* budget, if has_budget is 1 */
    double delta;
    int has_pending; /* 1 if the next charge also stores a new budget, pending_epsilon and
                        pending_delta */
    double pending_epsilon, pending_delta;
    const dp2dpi_line *pending; /* events to charge together with the next charge; borrowed */
    size_t pending_count;
    dp2dpi_entry *entries;
    size_t size;
    size_t capacity;
    const char *call; /* the library's name of the current call, a constant; used as the verb of new
                         entries if `verb` is NULL */
    char *verb;       /* the user's verb for new entries (dp2dp_ledger_describe); may be NULL */
    char *note;
    char *path; /* absolute path of the shared file; NULL: the ledger is only in memory */
    int is_new; /* 1 if the file does not exist yet; the first change creates it */
};

typedef enum dp2dpi_field_kind {
    DP2DPI_FIELD_TEXT,  /* const char * in C, string in JSON */
    DP2DPI_FIELD_REAL,  /* double in C, number with 17 significant digits in JSON */
    DP2DPI_FIELD_WHOLE, /* double in C, integer of at most 2^53 in JSON */
    DP2DPI_FIELD_COUNT, /* uint64_t in C, integer below 2^63 in JSON */
    DP2DPI_FIELD_UNIT   /* dp2dp_sampling_unit in C, "rows" or "persons" in JSON */
} dp2dpi_field_kind;

typedef struct dp2dpi_field {
    const char *name;
    dp2dpi_field_kind kind;
    size_t offset;       /* bytes from the start of dp2dp_event to the field */
    unsigned mechanisms; /* bit m is set if the mechanism with value m uses the field */
    int optional;        /* 1 if the JSON leaves the field out when it is NULL or 0 */
    const char *first;   /* name of the field in version 1 of the file; NULL if version 1 lacks the
                            field */
} dp2dpi_field;

/* The fields of an event, in the order of the JSON; the last element has a NULL name. */
extern const dp2dpi_field dp2dpi_ledger_fields[];
int dp2dpi_field_is_used(const dp2dpi_field *field, dp2dp_mechanism mechanism);
const char *dp2dpi_field_text(const dp2dpi_field *field, const dp2dp_event *event);
double dp2dpi_field_number(const dp2dpi_field *field, const dp2dp_event *event);
uint64_t dp2dpi_field_count(const dp2dpi_field *field, const dp2dp_event *event);
/* Returns 1 if both texts are equal or both are NULL. */
int dp2dpi_is_same_text(const char *a, const char *b);
int dp2dpi_field_is_same(const dp2dpi_field *field, const dp2dp_event *a, const dp2dp_event *b);
/* Returns 1 if the field holds NULL, 0 or, for a sampling unit, rows. */
int dp2dpi_field_is_zero(const dp2dpi_field *field, const dp2dp_event *event);

/* Describes a text of dp2dp_entry_info, such as the time or the note. dp2dpi_ledger_stamps lists
 * all texts of dp2dp_entry_info except the hashes `previous` and `hash`; the last element has a
 * NULL name. */
typedef struct dp2dpi_stamp {
    const char *name;
    size_t offset; /* bytes from the start of dp2dp_entry_info to the text */
} dp2dpi_stamp;
extern const dp2dpi_stamp dp2dpi_ledger_stamps[];
const char **dp2dpi_stamp_of(const dp2dpi_stamp *stamp, dp2dp_entry_info *info);

int dp2dpi_is_role(const char *set);

/* Checks *event, whose struct may be of an older version, and copies it to *taken. In a ledger kept
 * for people, taken->role is NULL, and taken->set is NULL (everybody) if event->set is the name of
 * a role. Ownership: *taken borrows the strings of *event. */
dp2dp_status dp2dpi_ledger_take_event(const dp2dp_ledger *ledger, const dp2dp_event *event,
                                      dp2dp_event *taken, dp2dp_error *error);
/* Fails with ARGUMENT if `name` cannot name a set of people. A name is UTF-8 of 1 to 512 bytes,
 * without a blank at either end, and neither the name of a role nor "everybody". NULL, which means
 * everybody, is allowed. */
dp2dp_status dp2dpi_ledger_check_people(const char *name, dp2dp_error *error);

/* Fails with ARGUMENT if text is longer than 512 bytes or not UTF-8. text may be NULL. `name` is
 * the name of the text in the message. */
dp2dp_status dp2dpi_ledger_check_text(const char *name, const char *text, dp2dp_error *error);

dp2dp_status dp2dpi_rng_kind_check(dp2dp_rng_kind rng, dp2dp_error *error);
dp2dp_status dp2dpi_ledger_check_budget(double epsilon, double delta, dp2dp_error *error);
/* Makes an empty ledger of a model. Ownership: free with dp2dp_ledger_free. */
dp2dp_status dp2dpi_ledger_new_of_model(dp2dp_ledger **out, dp2dp_error *error);
/* Charges n events, all or none, as dp2dp_ledger_charge charges one. The structs must be of this
 * library's version. */
dp2dp_status dp2dpi_ledger_charge_all(dp2dp_ledger *ledger, const dp2dp_event *events, size_t n,
                                      dp2dp_rng_kind rng, dp2dp_error *error);
/* Checks whether dp2dpi_ledger_charge_all would succeed at this moment; otherwise fails with the
 * same error. Charges nothing and creates no file. The real charge may still be refused later,
 * because another process may charge a shared ledger in the meantime. */
dp2dp_status dp2dpi_ledger_check_charge(dp2dp_ledger *ledger, const dp2dp_event *events, size_t n,
                                        dp2dp_rng_kind rng, dp2dp_error *error);
/* Returns a declared event. It stands for an (ε, δ) guarantee that was made outside this library,
 * for the people a classifier was trained on. */
dp2dp_event dp2dpi_ledger_declared(double epsilon, double delta, const char *label);
/* Makes the next charge include these n lines: either the next charge and all these lines are
 * charged, or nothing is. Ownership: the lines are borrowed until that charge, or until this
 * function is called with n = 0. */
void dp2dpi_ledger_charge_with_next(dp2dp_ledger *ledger, const dp2dpi_line *lines, size_t n);
/* Writes a release_id that depends only on the events, the seed of their noise, and `subject`.
 * subject tells releases with equal events and equal seeds apart; it may be NULL. */
dp2dp_status dp2dpi_ledger_derive_id(const dp2dp_event *events, size_t n, uint64_t seed,
                                     const char *subject, char id[DP2DPI_RELEASE_ID_DIGITS + 1],
                                     dp2dp_error *error);
/* Returns 1 if the ledger already holds the cost of *event. Looks only at charges to the people of
 * `set` that have the event's release_id. Returns 0 if the event has no release_id.
 *
 * - If the event is not declared, at least one of these charges must have the same mechanism and
 *   the same numbers.
 * - If the event is declared, one declared charge that is at least as large is enough. Charges that
 *   are not declared can be enough too: there must be at least one, and all these charges together,
 *   declared or not, must cost at least what the event declares. */
int dp2dpi_ledger_holds(const dp2dp_ledger *ledger, const dp2dp_event *event, const char *set);
/* Lists what `ledger` must still charge to the people of `set` for a model. These are all charges
 * in *costs (may be NULL) that are not exposed and that the ledger does not hold yet. If `exposed`
 * is 1 and the ledger has no exposed charge for these people yet, adds one to the list. Ownership:
 * the caller frees *lines, which borrow the texts of *costs. */
dp2dp_status dp2dpi_ledger_find_unpaid(const dp2dp_ledger *ledger, const dp2dp_ledger *costs,
                                       const char *set, int exposed, dp2dpi_line **lines, size_t *n,
                                       dp2dp_error *error);
/* Computes the ε of all charges together, at delta. Fails with NO_BOUND if dp2dp_accountant_epsilon
 * fails with NO_BOUND. In a model's own ledger, leaves out exposed entries, which have no bound:
 * the model's not_private_because reports them. */
dp2dp_status dp2dpi_ledger_epsilon(const dp2dp_ledger *ledger, double delta, double *epsilon,
                                   dp2dp_error *error);
/* Fails with ARGUMENT if the ledger does not have `name`, but has a name that differs from `name`
 * only in upper and lower case (ASCII). Two spellings of one name would count as two sets of
 * people. Accepts NULL. */
dp2dp_status dp2dpi_ledger_check_spelling(const dp2dp_ledger *ledger, const char *name,
                                          dp2dp_error *error);
/* Returns 1 if an entry of the ledger is about a set of people called `name`; 0 if name is NULL. */
int dp2dpi_ledger_names(const dp2dp_ledger *ledger, const char *name);
/* Returns 1 if at least one of the n lines names a set of people, and the ledger already has
 * charges for everybody. Charges for everybody count for the named people too, so naming the people
 * does not lower their cost. */
int dp2dpi_ledger_name_in_vain(const dp2dp_ledger *ledger, const dp2dpi_line *lines, size_t n);
/* Looks for `name` among the names of people in a model's own ledger. If the ledger has names but
 * none of them is `name`, returns the first name in the ledger. Otherwise, or if `name` is NULL,
 * returns NULL. The name of a role does not count as a name. */
const char *dp2dpi_ledger_other_name(const dp2dp_ledger *ledger, const char *name);
/* Returns 1 if the ledger has a charge whose mechanism is not DP2DP_EXPOSED. */
int dp2dpi_ledger_has_cost(const dp2dp_ledger *ledger);
/* Returns 1 if data of the people of `set` (NULL: everybody) were released without noise. */
int dp2dpi_ledger_is_exposed(const dp2dp_ledger *ledger, const char *set);
/* Copies and appends one checked entry, without checking the budget. A budget entry sets the
 * budget. In a ledger kept for people, also computes the hashes. On failure the ledger is
 * unchanged. */
dp2dp_status dp2dpi_ledger_append(dp2dp_ledger *ledger, const dp2dpi_entry *entry,
                                  dp2dp_error *error);
/* Writes entry->line and the hashes of the entry. `before` is the previous entry in the ledger;
 * NULL if `entry` is the first. */
dp2dp_status dp2dpi_entry_seal(dp2dpi_entry *entry, const dp2dpi_entry *before, dp2dp_error *error);

/* The lock file of a ledger names the last entry that was written to the ledger, so that a process
 * that starts later notices an older copy of the ledger. The lock file is written after the ledger.
 * If a process dies in between, or the disk is full, the lock file names an earlier entry or none,
 * and the ledger is still accepted. */
typedef struct dp2dpi_last_entry {
    size_t size; /* number of entries in the ledger; 0: the lock file names no entry */
    char hash[DP2DPI_HASH_SIZE];
} dp2dpi_last_entry;

/* Writes the ledger's last entry to the open lock file. */
void dp2dpi_ledger_name_last(const dp2dp_ledger *ledger, int lock_fd);
/* Reads the lock file of the ledger at `path`. If you do not hold the lock, call this before you
 * read the ledger. In the reverse order, another process could write both files in between, and the
 * lock file would name an entry that your copy of the ledger lacks. */
dp2dpi_last_entry dp2dpi_ledger_read_last(const char *path);
/* Fails with DATA and the reason LEDGER_CHANGED if the ledger does not have the entry *last. The
 * message does not give the path of the ledger. */
dp2dp_status dp2dpi_ledger_check_last(const dp2dp_ledger *ledger, const dp2dpi_last_entry *last,
                                      dp2dp_error *error);

/* A function that makes a change to a ledger. On failure it leaves the ledger unchanged. */
typedef dp2dp_status (*dp2dpi_ledger_change)(dp2dp_ledger *ledger, const void *change,
                                             dp2dp_error *error);
/* Applies a change to the ledger in memory and, under the file's lock, to the ledger's file. The
 * first change to a new ledger creates the file, unless another process has already created it. If
 * the file cannot be replaced, memory and file stay unchanged. Once the file is replaced, memory
 * and file have changed, even if the sync to disk fails after that. */
dp2dp_status dp2dpi_ledger_transact(dp2dp_ledger *ledger, dp2dpi_ledger_change apply,
                                    const void *change, dp2dp_error *error);
/* Reads the ledger's file into a copy, without the lock, applies a change to the copy, and throws
 * the copy away. Fails if the change would be refused. */
dp2dp_status dp2dpi_ledger_rehearse(dp2dp_ledger *ledger, dp2dpi_ledger_change apply,
                                    const void *change, dp2dp_error *error);

#endif
