/* The lock file of a ledger holds "1", the number of entries, the hash of the last entry, and the
 * number of entries again. Versions of this library that write only "1" leave the rest as it is;
 * the rest then names an earlier entry. The second number shows whether the text was written
 * completely, because two texts that follow each other have different numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "mechanism/ledger.h"

void dp2dpi_ledger_name_last(const dp2dp_ledger *ledger, int lock_fd) {
    char mark[DP2DPI_LOCK_MARK_SIZE] = "1";
    if (ledger->size > 0) {
        (void)snprintf(mark, sizeof mark, "1 %zu %s %zu\n", ledger->size,
                       ledger->entries[ledger->size - 1].info.hash, ledger->size);
    }
    dp2dpi_file_mark_lock(lock_fd, mark);
}

dp2dpi_last_entry dp2dpi_ledger_read_last(const char *path) {
    enum {
        DIGITS = DP2DPI_HASH_SIZE - 1
    };
    char mark[DP2DPI_LOCK_MARK_SIZE];
    char *hash, *end;
    dp2dpi_last_entry last = {0};
    dp2dpi_file_read_mark(path, mark);
    if (strncmp(mark, "1 ", 2) != 0) {
        return last;
    }
    size_t size = strtoul(mark + 2, &hash, 10);
    if (strlen(hash) > DIGITS + 2 && strtoul(hash + DIGITS + 2, &end, 10) == size && *end == '\n') {
        last.size = size;
        memcpy(last.hash, hash + 1, DIGITS);
    }
    return last;
}

dp2dp_status dp2dpi_ledger_check_last(const dp2dp_ledger *ledger, const dp2dpi_last_entry *last,
                                      dp2dp_error *error) {
    int has_last = ledger->of_model || last->size == 0 ||
                   (last->size <= ledger->size &&
                    strcmp(ledger->entries[last->size - 1].info.hash, last->hash) == 0);
    return has_last
               ? DP2DP_STATUS_OK
               : dp2dpi_fail_at(error, DP2DP_STATUS_DATA,
                                &(dp2dpi_place) {.reason = DP2DP_REASON_LEDGER_CHANGED},
                                "charges are missing from the ledger or were changed, perhaps "
                                "because an older copy was restored; restore the newer file or, if "
                                "you know that nothing is missing, delete its .lock file");
}
