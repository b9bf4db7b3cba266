/* Shared by the files of the ledger: its layout, its limits, and the tables of entry fields.
 *
 * ledger.c            holds entries and budget, and charges
 * ledger_people.c     says whose data a ledger holds
 * ledger_fields.c     says which mechanism uses which field
 * ledger_to_json.c    writes JSON, and the hash of an entry
 * ledger_from_json.c  reads JSON
 * ledger_file.c       reads and replaces the file that several processes share */
#ifndef DP2DPI_MECHANISM_LEDGER_H
#define DP2DPI_MECHANISM_LEDGER_H

#include <dp2dp/ledger.h>

#include "base/words.h"

#define DP2DPI_LEDGER_FORMAT "dp2dp-ledger"
#define DP2DPI_LEDGER_OF_PEOPLE "people"
#define DP2DPI_LEDGER_OF_MODEL "model"

enum {
    DP2DPI_LEDGER_VERSION = 2,
    DP2DPI_LEDGER_ENTRIES_MAX = 100000,
    DP2DPI_LEDGER_STRING_MAX = 512, /* bytes of a text in an entry */
    DP2DPI_RELEASE_ID_DIGITS = 32
};

/* The parts that people have in a model. They name sets of people in its own ledger, so that the
 * cost of a model is the largest cost of any part. An entry whose set is named after a role is
 * about the same people as that role. */
#define DP2DPI_ROLE_TRAIN "train"
#define DP2DPI_ROLE_POOL "pool"
#define DP2DPI_ROLE_CERTIFICATE "certificate"

/* A charge that has not been made yet. */
typedef struct dp2dpi_line {
    dp2dp_event event;
    dp2dp_rng_kind rng;
} dp2dpi_line;

typedef struct dp2dpi_entry {
    dp2dp_entry_info info; /* owns its texts */
    dp2dp_event event;     /* of a charge; owns its texts; `published` uses release_id alone */
    dp2dp_rng_kind rng;    /* of a charge */
    char *line;            /* its JSON with its hash; NULL in a model's own ledger */
} dp2dpi_entry;

struct dp2dp_ledger {
    dp2dp_adjacency adjacency;
    int of_model; /* 1: a model's own ledger: roles, but no budget, times or hashes */
    int has_budget;
    double epsilon; /* the budget, if has_budget */
    double delta;
    int has_pending; /* 1: the next charge stores this budget */
    double pending_epsilon, pending_delta;
    const dp2dpi_line *pending; /* charged together with the next charge; borrowed */
    size_t pending_count;
    dp2dpi_entry *entries;
    size_t size;
    size_t capacity;
    const char *call; /* verb of the entries if the user named none; a constant */
    char *verb;       /* what dp2dp_ledger_describe said; may be NULL */
    char *note;
    char *path; /* absolute path of the shared file; NULL: in memory only */
    int is_new; /* 1: the file was missing when opened; the first change creates it */
};

/* How a field is written in JSON. */
typedef enum dp2dpi_field_kind {
    DP2DPI_FIELD_TEXT,  /* const char *  <-> string */
    DP2DPI_FIELD_REAL,  /* double        <-> real, 17 significant digits */
    DP2DPI_FIELD_WHOLE, /* double        <-> integer ≤ 2^53 */
    DP2DPI_FIELD_COUNT, /* uint64_t      <-> integer < 2^63 */
    DP2DPI_FIELD_UNIT   /* sampling unit <-> "rows" or "persons" */
} dp2dpi_field_kind;

typedef struct dp2dpi_field {
    const char *name;
    dp2dpi_field_kind kind;
    size_t offset;       /* of the field in dp2dp_event, in bytes */
    unsigned mechanisms; /* bit m is set if the mechanism with value m uses the field */
    int optional;        /* 1: the field is not written if it is NULL or 0 */
    const char *first;   /* its name in version 1; NULL: version 1 does not have it */
} dp2dpi_field;

/* The fields in the order in which JSON lists them; the last element has a NULL name. */
extern const dp2dpi_field dp2dpi_ledger_fields[];
int dp2dpi_field_is_used(const dp2dpi_field *field, dp2dp_mechanism mechanism);
const char *dp2dpi_field_text(const dp2dpi_field *field, const dp2dp_event *event);
double dp2dpi_field_number(const dp2dpi_field *field, const dp2dp_event *event);
uint64_t dp2dpi_field_count(const dp2dpi_field *field, const dp2dp_event *event);
/* 1 if the field holds NULL or 0 (sampling unit: rows). */
int dp2dpi_field_is_zero(const dp2dpi_field *field, const dp2dp_event *event);

/* The texts of dp2dp_entry_info, except the hashes; the last element has a NULL name. */
typedef struct dp2dpi_stamp {
    const char *name;
    size_t offset; /* of the text in dp2dp_entry_info, in bytes */
} dp2dpi_stamp;
extern const dp2dpi_stamp dp2dpi_ledger_stamps[];
const char **dp2dpi_stamp_of(const dp2dpi_stamp *stamp, dp2dp_entry_info *info);

/* 1 if a set of people is named after a role. */
int dp2dpi_is_role(const char *set);

/* Checks *event and copies those fields that the caller's version of the struct has. A ledger of
 * people has no roles: there the copy has none, and a set named after a role becomes everybody.
 * Ownership: *taken borrows the strings of *event. */
dp2dp_status dp2dpi_ledger_take_event(const dp2dp_ledger *ledger, const dp2dp_event *event,
                                      dp2dp_event *taken, dp2dp_error *error);
/* Returns ARGUMENT unless the name of a set of people may be used: UTF-8 of 1 to 512 bytes, without
 * a blank at either end, and not the name of a role. NULL is everybody. */
dp2dp_status dp2dpi_ledger_check_people(const char *name, dp2dp_error *error);

/* Returns ARGUMENT unless text is NULL or UTF-8 of at most 512 bytes. */
dp2dp_status dp2dpi_ledger_check_text(const char *name, const char *text, dp2dp_error *error);

/* ARGUMENT unless rng is a known kind. */
dp2dp_status dp2dpi_rng_kind_check(dp2dp_rng_kind rng, dp2dp_error *error);
dp2dp_status dp2dpi_ledger_check_budget(double epsilon, double delta, dp2dp_error *error);
/* An empty ledger of a model. Ownership: as dp2dp_ledger_new. */
dp2dp_status dp2dpi_ledger_new_of_model(dp2dp_ledger **out, dp2dp_error *error);
/* As dp2dp_ledger_charge, for n events of this library at once: charges all of them or none. */
dp2dp_status dp2dpi_ledger_charge_all(dp2dp_ledger *ledger, const dp2dp_event *events, size_t n,
                                      dp2dp_rng_kind rng, dp2dp_error *error);
/* A guarantee that somebody else states for the people that a classifier was trained on. */
dp2dp_event dp2dpi_ledger_declared(double epsilon, double delta, const char *label);
/* The next charge also charges these n lines, all or none. Ownership: borrowed until that charge,
 * or until this is called with n = 0. */
void dp2dpi_ledger_charge_with_next(dp2dp_ledger *ledger, const dp2dpi_line *lines, size_t n);
/* A release_id that depends only on the events and the seed of their noise. */
dp2dp_status dp2dpi_ledger_derive_id(const dp2dp_event *events, size_t n, uint64_t seed,
                                     char id[DP2DPI_RELEASE_ID_DIGITS + 1], dp2dp_error *error);
/* 1 if the ledger has a charge of the same release (release_id) that counts for the people of
 * `set`. If that charge is declared, the event must be declared too, and not larger. If only the
 * event is declared, all charges of the release together must cost at least what it declares. 0 if
 * the event has no release_id. */
int dp2dpi_ledger_holds(const dp2dp_ledger *ledger, const dp2dp_event *event, const char *set);
/* Lists which costs of a model the people of `set` have not paid in this ledger yet: the charges in
 * *costs (NULL: none) that it does not hold, and an exposure if exposed is 1. Ownership: the caller
 * frees *lines, which borrow the texts of *costs. */
dp2dp_status dp2dpi_ledger_find_unpaid(const dp2dp_ledger *ledger, const dp2dp_ledger *costs,
                                       const char *set, int exposed, dp2dpi_line **lines, size_t *n,
                                       dp2dp_error *error);
/* ε at delta of all charges. NO_BOUND as dp2dp_accountant_epsilon. In a model's own ledger, exposed
 * entries are not counted: the model's reasons tell that they have no bound. */
dp2dp_status dp2dpi_ledger_epsilon(const dp2dp_ledger *ledger, double delta, double *epsilon,
                                   dp2dp_error *error);
/* ARGUMENT if the ledger does not have this name, but one that differs from it only in ASCII case:
 * two spellings of one name would count as two sets of people. NULL is no name. */
dp2dp_status dp2dpi_ledger_check_spelling(const dp2dp_ledger *ledger, const char *name,
                                          dp2dp_error *error);
/* 1 if an entry names these people; NULL is no name. */
int dp2dpi_ledger_names(const dp2dp_ledger *ledger, const char *name);
/* 1 if the ledger has a charge other than exposed ones. */
int dp2dpi_ledger_has_cost(const dp2dp_ledger *ledger);
/* 1 if data of the people of `set` (NULL: everybody) were released without noise. */
int dp2dpi_ledger_is_exposed(const dp2dp_ledger *ledger, const char *set);
/* Copies and appends one checked entry, without checking the budget; a budget entry sets the
 * budget. In a ledger of people, computes its hashes. On failure the ledger is unchanged. */
dp2dp_status dp2dpi_ledger_append(dp2dp_ledger *ledger, const dp2dpi_entry *entry,
                                  dp2dp_error *error);
/* Writes entry->line and its hashes; `before` is the entry before it, or NULL. */
dp2dp_status dp2dpi_entry_seal(dp2dpi_entry *entry, const dp2dpi_entry *before, dp2dp_error *error);

/* Makes a change to a ledger. On failure the ledger is unchanged. */
typedef dp2dp_status (*dp2dpi_ledger_change)(dp2dp_ledger *ledger, const void *change,
                                             dp2dp_error *error);
/* Applies a change to the ledger in memory and, while holding the file's lock, to the ledger's
 * file. The first change to a new ledger creates the file, unless another process has already
 * created it. If the file cannot be replaced, memory and file both stay unchanged. Once the file is
 * replaced, both have changed, even if the sync to disk then fails. */
dp2dp_status dp2dpi_ledger_transact(dp2dp_ledger *ledger, dp2dpi_ledger_change apply,
                                    const void *change, dp2dp_error *error);

#endif
