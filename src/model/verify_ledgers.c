/* Compares ledgers with each other. Each ledger adds up its own charges only. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/c_locale.h"
#include "base/number.h"
#include "mechanism/ledger.h"
#include "model/verifier.h"

enum {
    COST_SIZE = 128
};

typedef dp2dpi_verify_document document;
typedef dp2dpi_verifier verifier;

/* Returns 1 if an entry cannot be equal in two ledgers by chance: if both have it, they are copies
 * of one ledger. Only a release with noise has an id that is random. The hashes of other entries
 * may be equal in two ledgers that a script made in the same second. */
static int is_unique(const dp2dpi_entry *entry) {
    return entry->info.kind == DP2DP_ENTRY_CHARGE && entry->event.release_id &&
           entry->event.mechanism != DP2DP_DECLARED && entry->event.mechanism != DP2DP_EXPOSED;
}

/* Returns how many entries at the beginning of two ledgers are the same, if this shows that both
 * are copies of one ledger. Otherwise returns 0. */
static size_t count_shared(const dp2dp_ledger *a, const dp2dp_ledger *b) {
    size_t i = 0;
    int are_copies = 0;
    for (; i < a->size && i < b->size; i++) {
        const char *hash = a->entries[i].info.hash;
        if (hash == NULL || !dp2dpi_is_same_text(hash, b->entries[i].info.hash)) {
            break;
        }
        are_copies |= is_unique(&a->entries[i]);
    }
    return are_copies ? i : 0;
}

/* The charges of several ledgers for the same people. */
typedef struct joint_cost {
    size_t ledgers; /* how many ledgers have charges that none of the others has */
    double epsilon; /* NAN if no epsilon can be certified */
    int insecure;   /* 1 if the noise of some charge came from the insecure generator */
} joint_cost;

static int counts_for(const dp2dpi_entry *entry, const char *people) {
    const char *set = entry->event.set;
    return entry->info.kind == DP2DP_ENTRY_CHARGE &&
           (people == NULL || set == NULL || *set == '\0' || strcmp(set, people) == 0);
}

/* Sets *epsilon to NAN if none can be certified. */
static dp2dp_status find_epsilon(const dp2dp_ledger *joint, double delta, double *epsilon,
                                 dp2dp_error *error) {
    dp2dp_error found;
    dp2dp_status status = dp2dpi_ledger_epsilon(joint, delta, epsilon, &found);
    if (status == DP2DP_STATUS_MEMORY) {
        return dp2dpi_fail_again(error, &found);
    }
    *epsilon = status == DP2DP_STATUS_OK ? *epsilon : NAN;
    return DP2DP_STATUS_OK;
}

/* Returns the largest number of entries that ledger i shares with any other of the first n
 * ledgers. */
static size_t most_shared(const dp2dp_ledger *const *ledgers, size_t n, size_t i) {
    size_t most = 0;
    for (size_t k = 0; k < n; k++) {
        size_t shared = k == i ? 0 : count_shared(ledgers[k], ledgers[i]);
        most = shared > most ? shared : most;
    }
    return most;
}

/* Adds up those charges in n ledgers that count for `people`; NULL: all charges. An entry that
 * copies of one ledger share is counted once. */
static dp2dp_status join(const dp2dp_ledger *const *ledgers, size_t n, const char *people,
                         double delta, joint_cost *out, dp2dp_error *error) {
    dp2dp_ledger joint = {.adjacency = ledgers[0]->adjacency};
    size_t size = 0;
    int is_one_kind = 1;
    dp2dp_status status = DP2DP_STATUS_OK;
    *out = (joint_cost) {.epsilon = NAN};
    for (size_t i = 0; i < n; i++) {
        size += ledgers[i]->size;
        is_one_kind &= ledgers[i]->adjacency == joint.adjacency;
    }
    DP2DPI_TRY(DP2DPI_ALLOC(joint.entries, size, "the charges of several ledgers", error));
    for (size_t i = 0; i < n; i++) {
        size_t before = most_shared(ledgers, i, i), all = most_shared(ledgers, n, i);
        int has_own = 0;
        for (size_t k = before; k < ledgers[i]->size; k++) {
            if (counts_for(&ledgers[i]->entries[k], people)) {
                joint.entries[joint.size++] = ledgers[i]->entries[k]; /* borrows the texts */
                out->insecure |= ledgers[i]->entries[k].rng == DP2DP_RNG_INSECURE;
                has_own |= k >= all;
            }
        }
        out->ledgers += (size_t)has_own;
    }
    if (is_one_kind && !out->insecure && delta > 0) {
        status = find_epsilon(&joint, delta, &out->epsilon, error);
    }
    dp2dpi_free(joint.entries);
    return status;
}

/* Returns the largest delta of the ledgers' budgets and of the other files; 0 if there is none. */
static double largest_delta(const verifier *v) {
    double delta = 0;
    for (size_t i = 0; i < v->n; i++) {
        const document *d = &v->documents[i];
        double own = d->ledger        ? (d->ledger->has_budget ? d->ledger->delta : 0)
                     : d->model       ? dp2dp_model_view(d->model)->delta
                     : d->certificate ? d->certificate->delta
                                      : 0;
        delta = own > delta && own < 1 ? own : delta;
    }
    return delta;
}

/* Writes a sentence that says what several ledgers cost together, rounded up, to be appended to a
 * message. Writes nothing if no file has a delta. */
static void explain_joint(const joint_cost *joint, double delta, char text[COST_SIZE]) {
    dp2dpi_c_locale scope = {0};
    text[0] = '\0';
    if (joint->insecure) {
        (void)snprintf(text, COST_SIZE, ". They are NOT PRIVATE: some noise is insecure");
    } else if (delta > 0 && isnan(joint->epsilon)) {
        (void)dp2dpi_c_locale_enter(&scope, NULL);
        (void)snprintf(text, COST_SIZE, ". Together they have no finite epsilon at delta %s",
                       dp2dpi_number_up(delta, 4).text);
        dp2dpi_c_locale_leave(&scope);
    } else if (delta > 0) {
        (void)dp2dpi_c_locale_enter(&scope, NULL);
        (void)snprintf(text, COST_SIZE, ". Together they cost epsilon %s at delta %s",
                       dp2dpi_number_up(joint->epsilon, 4).text, dp2dpi_number_up(delta, 4).text);
        dp2dpi_c_locale_leave(&scope);
    }
}

/* Compares two ledgers that begin with the same entries. A ledger that has no other entries is a
 * copy from an earlier time. If both have other entries, two copies of one ledger were both
 * charged. */
static dp2dp_status compare_copies(verifier *v, const document *one, const document *other,
                                   dp2dp_error *error) {
    size_t shared = count_shared(one->ledger, other->ledger);
    const document *older = one->ledger->size < other->ledger->size ? one : other;
    dp2dp_check check = {.what = "copy", .result = DP2DP_CHECK_NOTED};
    if (shared == 0) {
        return DP2DP_STATUS_OK;
    }
    if (shared == older->ledger->size) {
        const document *newer = older == one ? other : one;
        check.file = older->path;
        check.other = newer->path;
        dp2dpi_verify_tell(
            v, check,
            newer->ledger->size == shared
                ? "these two ledgers are copies of one ledger. If both are charged from now on, "
                  "neither counts all charges: use only one of them"
                : "this ledger is an older copy of the other one, which has all its entries and "
                  "more: use only the other one");
        return DP2DP_STATUS_OK;
    }
    const dp2dp_ledger *both[] = {one->ledger, other->ledger};
    double delta = largest_delta(v);
    joint_cost joint;
    char cost[COST_SIZE];
    DP2DPI_TRY(join(both, 2, NULL, delta, &joint, error));
    explain_joint(&joint, delta, cost);
    check.result = DP2DP_CHECK_FAILS;
    check.file = one->path;
    check.other = other->path;
    dp2dpi_verify_tell(
        v, check,
        "these ledgers are copies of one ledger that went on in two places: they begin with the "
        "same %zu entries, and then differ. The costs add up, but neither total counts the "
        "other's charges%s",
        shared, cost);
    return DP2DP_STATUS_OK;
}

static dp2dp_status check_copies(verifier *v, dp2dp_error *error) {
    for (size_t i = 0; i < v->n; i++) {
        for (size_t k = 0; k < i && v->documents[i].ledger; k++) {
            if (v->documents[k].ledger) {
                DP2DPI_TRY(compare_copies(v, &v->documents[k], &v->documents[i], error));
            }
        }
    }
    return DP2DP_STATUS_OK;
}

/* Notes what the charges of several ledgers for the people of this name cost together. `first` is
 * the first document with this name. `ledgers` has room for one ledger per document. */
static dp2dp_status note_people(verifier *v, size_t first, const char *people,
                                const dp2dp_ledger **ledgers, dp2dp_error *error) {
    size_t n = 0;
    double delta = largest_delta(v);
    joint_cost joint;
    char cost[COST_SIZE];
    for (size_t i = first; i < v->n; i++) {
        const dp2dp_ledger *ledger = v->documents[i].ledger;
        if (ledger && dp2dpi_ledger_names(ledger, people)) {
            ledgers[n++] = ledger;
        }
    }
    if (n < 2) {
        return DP2DP_STATUS_OK;
    }
    DP2DPI_TRY(join(ledgers, n, people, delta, &joint, error));
    if (joint.ledgers < 2) {
        return DP2DP_STATUS_OK;
    }
    explain_joint(&joint, delta, cost);
    const dp2dp_check check = {
        .what = "people", .file = v->documents[first].path, .result = DP2DP_CHECK_NOTED};
    dp2dpi_verify_tell(
        v, check,
        "%zu ledgers have charges for the people called %s. If these are the same people, the "
        "costs add up, but no ledger counts the charges of the others%s",
        joint.ledgers, people, cost);
    return DP2DP_STATUS_OK;
}

/* Returns 1 if the entry names its people, and no entry before it, in this or an earlier document,
 * names the same people. */
static int is_first_name(const verifier *v, size_t i, size_t entry) {
    const dp2dpi_entry *entries = v->documents[i].ledger->entries;
    const char *people = entries[entry].event.set;
    for (size_t k = entry; people && k > 0; k--) {
        if (dp2dpi_is_same_text(entries[k - 1].event.set, people)) {
            return 0;
        }
    }
    for (size_t k = 0; people && k < i; k++) {
        if (v->documents[k].ledger && dp2dpi_ledger_names(v->documents[k].ledger, people)) {
            return 0;
        }
    }
    return people != NULL;
}

static dp2dp_status check_people(verifier *v, dp2dp_error *error) {
    const dp2dp_ledger **ledgers = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
    DP2DPI_TRY(DP2DPI_ALLOC(ledgers, v->n, "the ledgers", error));
    for (size_t i = 0; i < v->n && v->ledgers > 1; i++) {
        const dp2dp_ledger *ledger = v->documents[i].ledger;
        for (size_t k = 0; ledger && k < ledger->size; k++) {
            if (is_first_name(v, i, k)) {
                DP2DPI_TRY_OR_DONE(note_people(v, i, ledger->entries[k].event.set, ledgers, error));
            }
        }
    }
done:
    dp2dpi_free(ledgers);
    return status;
}

dp2dp_status dp2dpi_verify_ledgers(dp2dpi_verifier *v, dp2dp_error *error) {
    DP2DPI_TRY(check_copies(v, error));
    return check_people(v, error);
}
