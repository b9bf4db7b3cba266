/* Shared by the files of the ledger: its layout, its limits, and the table of entry fields.
 *
 * ledger.c            holds entries and budget, and charges
 * ledger_fields.c     says which mechanism uses which field
 * ledger_to_json.c    writes JSON
 * ledger_from_json.c  reads JSON
 * ledger_file.c       reads and replaces the file that several processes share */
#ifndef DP2DPI_MECHANISM_LEDGER_H
#define DP2DPI_MECHANISM_LEDGER_H

#include <dp2dp/ledger.h>

#include "base/words.h"

#define DP2DPI_LEDGER_FORMAT "dp2dp-ledger"

enum {
    DP2DPI_LEDGER_VERSION = 1,
    DP2DPI_LEDGER_ENTRIES_MAX = 100000,
    DP2DPI_LEDGER_STRING_MAX = 512 /* bytes of a label or set name */
};

typedef struct dp2dpi_entry {
    dp2dp_event event; /* owns its label and set */
    dp2dp_rng_kind rng;
} dp2dpi_entry;

struct dp2dp_ledger {
    dp2dp_adjacency adjacency;
    int has_budget;
    double epsilon; /* the budget, if has_budget */
    double delta;
    dp2dpi_entry *entries;
    size_t size;
    size_t capacity;
    char *path; /* absolute path of the shared file; NULL: in memory only */
    int is_new; /* 1: the file was missing when opened; the first change creates it */
};

/* How a field of dp2dp_event is written in JSON. */
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
    size_t offset;       /* offset of the field in dp2dp_event, in bytes */
    unsigned mechanisms; /* bit m is set if the mechanism with value m uses the field */
    int optional;        /* 1: the field is not written if it is NULL or 0 */
} dp2dpi_field;

/* The fields in the order in which JSON lists them; the last element has a NULL name. */
extern const dp2dpi_field dp2dpi_ledger_fields[];
int dp2dpi_field_is_used(const dp2dpi_field *field, dp2dp_mechanism mechanism);
const char *dp2dpi_field_text(const dp2dpi_field *field, const dp2dp_event *event);
double dp2dpi_field_number(const dp2dpi_field *field, const dp2dp_event *event);
uint64_t dp2dpi_field_count(const dp2dpi_field *field, const dp2dp_event *event);
/* Returns 1 if the field holds NULL or 0 (sampling unit: rows). */
int dp2dpi_field_is_zero(const dp2dpi_field *field, const dp2dp_event *event);

/* Checks *event and copies those fields that the caller's version of the struct has. Ownership:
 * *taken borrows the strings of *event. */
dp2dp_status dp2dpi_ledger_take_event(const dp2dp_event *event, dp2dp_adjacency adjacency,
                                      dp2dp_event *taken, dp2dp_error *error);

/* ARGUMENT unless rng is a known kind. */
dp2dp_status dp2dpi_rng_kind_check(dp2dp_rng_kind rng, dp2dp_error *error);
dp2dp_status dp2dpi_ledger_check_budget(double epsilon, double delta, dp2dp_error *error);
/* As dp2dp_ledger_charge, for n events at once: charges all of them or none. */
dp2dp_status dp2dpi_ledger_charge_all(dp2dp_ledger *ledger, const dp2dp_event *events, size_t n,
                                      dp2dp_rng_kind rng, dp2dp_error *error);
/* Charges a guarantee that others state for the people of the set "train". Does nothing if epsilon
 * is NaN. */
dp2dp_status dp2dpi_ledger_charge_declared(dp2dp_ledger *ledger, double epsilon, double delta,
                                           const char *label, dp2dp_error *error);
/* Charges the entries of *from one by one: after a failure some of them may be charged. */
dp2dp_status dp2dpi_ledger_charge_entries(dp2dp_ledger *ledger, const dp2dp_ledger *from,
                                          dp2dp_error *error);
/* Checks, copies and appends one entry without checking the budget. On failure the ledger is
 * unchanged. */
dp2dp_status dp2dpi_ledger_append(dp2dp_ledger *ledger, const dp2dp_event *event,
                                  dp2dp_rng_kind rng, dp2dp_error *error);

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
