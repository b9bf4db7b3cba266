/* The ledger file that several processes share. Each change takes the lock, reads the file again,
 * applies the change and replaces the file. */
#include <string.h>

#include "accountant/event.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "mechanism/ledger.h"

/* Reads a ledger file, and refuses a ledger that lacks the entry that its lock file names. Sets
 * *mode and *missing as in dp2dpi_file_text, also on failure. */
static dp2dp_status read_ledger(const char *path, dp2dpi_file_use use, dp2dp_ledger **out,
                                unsigned *mode, int *missing, dp2dp_error *error) {
    dp2dpi_file_text file;
    dp2dp_error inner;
    *out = NULL;
    const dp2dpi_last_entry last = dp2dpi_ledger_read_last(path);
    dp2dp_status status = dp2dpi_file_read(path, use, DP2DPI_JSON_TEXT_MAX, &file, error);
    *mode = file.mode;
    *missing = file.missing;
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    status = dp2dpi_json_expect_object("ledger", file.text, file.length, &inner);
    if (status == DP2DP_STATUS_OK) {
        status = dp2dp_ledger_from_json(file.text, file.length, out, &inner);
    }
    if (status == DP2DP_STATUS_OK) {
        status = dp2dpi_ledger_check_last(*out, &last, &inner);
    }
    if (status != DP2DP_STATUS_OK) {
        (void)dp2dpi_fail_in(error, &inner, path);
        dp2dp_ledger_free(*out);
        *out = NULL;
    }
    dp2dpi_free(file.text);
    return status;
}

static dp2dp_status save(const dp2dp_ledger *ledger, const char *path, unsigned mode, int *replaced,
                         dp2dp_error *error) {
    char *text = NULL;
    size_t length = 0;
    *replaced = 0;
    DP2DPI_TRY(dp2dp_ledger_to_json(ledger, &text, &length, error));
    dp2dp_status status = dp2dpi_file_replace(path, text, length, mode, replaced, error);
    dp2dp_text_free(text);
    return status;
}

/* Checks that the file still has every entry that this process has seen. If someone has restored an
 * older copy of the file, entries are missing, and releases could exceed the budget. Compares only
 * the hash of the last entry seen, because the hash of an entry covers all entries before it. */
static dp2dp_status check_extends(const dp2dp_ledger *old, const dp2dp_ledger *now,
                                  const char *path, dp2dp_error *error) {
    size_t last = old->size - 1;
    int extends =
        now->adjacency == old->adjacency &&
        (old->size == 0 || (now->size >= old->size && strcmp(old->entries[last].info.hash,
                                                             now->entries[last].info.hash) == 0));
    return extends ? DP2DP_STATUS_OK
                   : dp2dpi_fail(error, DP2DP_STATUS_DATA,
                                 "earlier charges are missing from the ledger or were changed, "
                                 "perhaps because an older copy was restored: %s",
                                 path);
}

/* Copies the budget of `from` to `to` and exchanges the entries of the two ledgers. `to` then has
 * the contents of `from`, and freeing `from` frees the old entries of `to`. */
static void swap_contents(dp2dp_ledger *to, dp2dp_ledger *from) {
    dp2dp_ledger old = *to;
    to->has_budget = from->has_budget;
    to->epsilon = from->epsilon;
    to->delta = from->delta;
    to->entries = from->entries;
    to->size = from->size;
    to->capacity = from->capacity;
    from->entries = old.entries;
    from->size = old.size;
    from->capacity = old.capacity;
}

/* Reads a ledger file, or makes a new empty ledger if the file is missing. *seen is 1 if the file
 * exists. */
static dp2dp_status read_or_begin(const char *path, dp2dp_adjacency adjacency, dp2dp_ledger **out,
                                  unsigned *mode, int *seen, dp2dp_error *error) {
    int missing = 0;
    dp2dp_error inner;
    dp2dp_status status = read_ledger(path, DP2DPI_FILE_REPLACE, out, mode, &missing, &inner);
    *seen = !missing;
    if (missing) {
        DP2DPI_TRY(dp2dp_ledger_new(adjacency, out, error));
        (*out)->is_new = 1;
        return DP2DP_STATUS_OK;
    }
    if (status != DP2DP_STATUS_OK) {
        (void)dp2dpi_fail_again(error, &inner);
        return status;
    }
    if ((*out)->of_model) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                           "this ledger belongs to one model; give the ledger that records all "
                           "charges for these people: %s",
                           path);
    }
    if ((*out)->adjacency != adjacency) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "adjacency is %s, but this ledger was created with %s (%s)",
                           dp2dp_adjacency_name(adjacency), dp2dp_adjacency_name((*out)->adjacency),
                           path);
    }
    return DP2DP_STATUS_OK;
}

/* Reads the ledger file again. Fails if the file existed before and is now missing, or if it has
 * lost entries. */
static dp2dp_status read_again(dp2dp_ledger *ledger, dp2dp_ledger **out, unsigned *mode,
                               dp2dp_error *error) {
    int missing, seen = 1;
    dp2dp_status status =
        ledger->is_new ? read_or_begin(ledger->path, ledger->adjacency, out, mode, &seen, error)
                       : read_ledger(ledger->path, DP2DPI_FILE_REPLACE, out, mode, &missing, error);
    ledger->is_new = !seen;
    DP2DPI_TRY(status);
    return check_extends(ledger, *out, ledger->path, error);
}

dp2dp_status dp2dpi_ledger_rehearse(dp2dp_ledger *ledger, dp2dpi_ledger_change apply,
                                    const void *change, dp2dp_error *error) {
    dp2dp_ledger *trial = NULL;
    unsigned mode;
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(read_again(ledger, &trial, &mode, error));
    DP2DPI_TRY_OR_DONE(apply(trial, change, error));
done:
    dp2dp_ledger_free(trial);
    return status;
}

dp2dp_status dp2dpi_ledger_transact(dp2dp_ledger *ledger, dp2dpi_ledger_change apply,
                                    const void *change, dp2dp_error *error) {
    int lock_fd = -1;
    int replaced = 0;
    unsigned mode = 0;
    dp2dp_ledger *next = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    if (ledger->is_new) { /* a change that is refused must not create a lock file */
        DP2DPI_TRY(dp2dpi_ledger_rehearse(ledger, apply, change, error));
    }
    DP2DPI_TRY(dp2dpi_file_lock(ledger->path, &lock_fd, error));
    DP2DPI_TRY_OR_DONE(read_again(ledger, &next, &mode, error));
    DP2DPI_TRY_OR_DONE(apply(next, change, error));
    /* The accounting may have taken long, so this process checks that it still holds the lock. */
    DP2DPI_TRY_OR_DONE(dp2dpi_file_check_lock(ledger->path, lock_fd, error));
    if (ledger->is_new) { /* the lock file may name an entry of a ledger that is lost */
        DP2DPI_TRY_OR_DONE(dp2dpi_file_cut_mark(ledger->path, lock_fd, error));
    }
    DP2DPI_TRY_OR_DONE(save(next, ledger->path, mode, &replaced, error));
done:
    if (replaced) {
        swap_contents(ledger, next);
        ledger->is_new = 0;
        if (status == DP2DP_STATUS_OK) {
            dp2dpi_ledger_name_last(ledger, lock_fd);
        } else { /* the disk may still lose the entries of this change */
            dp2dpi_file_mark_lock(lock_fd, "1");
        }
    }
    dp2dpi_file_unlock(lock_fd);
    dp2dp_ledger_free(next);
    return status;
}

/* Refuses a name that ends in .lock or .tmp: another ledger may use this name for its lock file or
 * temporary file, and could then delete this ledger. */
static dp2dp_status check_name(const char *path, dp2dp_error *error) {
    static const char *const taken[] = {".lock", ".tmp"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        size_t end = strlen(taken[i]);
        if (length >= end && strcmp(path + length - end, taken[i]) == 0) {
            return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                               "the name of a ledger must not end in %s: %s", taken[i], path);
        }
    }
    return DP2DP_STATUS_OK;
}

/* Tries again, under the lock, to read a ledger file that was missing: another process may have
 * been about to create the file. */
static dp2dp_status look_again(const char *path, dp2dp_adjacency adjacency, dp2dp_ledger **ledger,
                               dp2dp_error *error) {
    int lock_fd = -1, seen;
    unsigned mode;
    dp2dp_ledger_free(*ledger);
    *ledger = NULL;
    DP2DPI_TRY(dp2dpi_file_lock(path, &lock_fd, error));
    dp2dp_status status = read_or_begin(path, adjacency, ledger, &mode, &seen, error);
    dp2dpi_file_unlock(lock_fd);
    return status;
}

/* Checks that a new ledger may be created. If `create` is 1, no ledger may exist yet. If `create`
 * is 0, a lock file without a ledger is refused, because the lock file shows that there was a
 * ledger. */
static dp2dp_status check_new(const char *path, dp2dp_adjacency adjacency, int create,
                              dp2dp_ledger **ledger, dp2dp_error *error) {
    int locked = 0;
    DP2DPI_TRY(dp2dpi_file_is_marked(path, &locked, error));
    if ((*ledger)->is_new && locked) {
        DP2DPI_TRY(look_again(path, adjacency, ledger, error));
    }
    if (create && !(*ledger)->is_new) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "this ledger exists already: %s", path);
    }
    return !create && (*ledger)->is_new && locked
               ? dp2dpi_fail_at(
                     error, DP2DP_STATUS_DATA, &(dp2dpi_place) {.reason = DP2DP_REASON_LEDGER_LOST},
                     "the ledger is missing, but its lock file shows that there was one; restore "
                     "the ledger, because a new ledger would not know the earlier charges (%s)",
                     path)
               : DP2DP_STATUS_OK;
}

/* Opens a ledger. Reads its file without a lock, because writers replace the file only as a whole.
 * Creates no file. */
static dp2dp_status open_ledger(const char *path, dp2dp_adjacency adjacency, int create,
                                dp2dp_ledger **out, dp2dp_error *error) {
    char *resolved = NULL;
    dp2dp_ledger *ledger = NULL;
    unsigned mode;
    int seen;
    if (out) {
        *out = NULL;
    }
    if (path == NULL || *path == '\0' || out == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "path must not be NULL or empty, and out must not be NULL");
    }
    DP2DPI_TRY(dp2dpi_adjacency_check(adjacency, error));
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(dp2dpi_file_resolve(path, &resolved, error));
    DP2DPI_TRY_OR_DONE(check_name(resolved, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_file_check_writable(resolved, error));
    DP2DPI_TRY_OR_DONE(read_or_begin(resolved, adjacency, &ledger, &mode, &seen, error));
    DP2DPI_TRY_OR_DONE(check_new(resolved, adjacency, create, &ledger, error));
    ledger->path = resolved;
    *out = ledger;
    return DP2DP_STATUS_OK;
done:
    dp2dp_ledger_free(ledger);
    dp2dpi_free(resolved);
    return status;
}

dp2dp_status dp2dp_ledger_open(const char *path, dp2dp_adjacency adjacency, dp2dp_ledger **out,
                               dp2dp_error *error) {
    return open_ledger(path, adjacency, 0, out, error);
}

dp2dp_status dp2dp_ledger_create(const char *path, dp2dp_adjacency adjacency, dp2dp_ledger **out,
                                 dp2dp_error *error) {
    return open_ledger(path, adjacency, 1, out, error);
}

dp2dp_status dp2dp_ledger_load(const char *path, dp2dp_ledger **out, dp2dp_error *error) {
    if (out) {
        *out = NULL;
    }
    if (path == NULL || *path == '\0' || out == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "path must not be NULL or empty, and out must not be NULL");
    }
    unsigned mode;
    int missing;
    return read_ledger(path, DP2DPI_FILE_LOOK, out, &mode, &missing, error);
}
