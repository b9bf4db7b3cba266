/* What the parts of dp2dp_verify share: the files, and how a check is reported. */
#ifndef DP2DPI_MODEL_VERIFIER_H
#define DP2DPI_MODEL_VERIFIER_H

#include <dp2dp/metrics.h>

#include "mechanism/ledger.h"

enum {
    DP2DPI_VERIFY_MESSAGE_SIZE = 1024
};

/* One file. Only the pointer for its kind is set; all are NULL if the file cannot be read. */
typedef struct dp2dpi_verify_document {
    const char *path;
    dp2dp_model *model;
    dp2dp_ledger *ledger;
    dp2dp_certificate_file *certificate;
    dp2dpi_last_entry last; /* of a ledger: the entry that the lock file beside it names */
} dp2dpi_verify_document;

typedef struct dp2dpi_verifier {
    dp2dpi_verify_document *documents;
    size_t n, ledgers, models;
    dp2dp_check_report report;
    void *context;
    size_t failed;
    char first[DP2DPI_VERIFY_MESSAGE_SIZE];
} dp2dpi_verifier;

/* Sets struct_size and message of the check, and reports the check. */
void dp2dpi_verify_tell(dp2dpi_verifier *verifier, dp2dp_check check, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Compares the ledgers with each other: finds copies of one ledger, and charges for people of the
 * same name. */
dp2dp_status dp2dpi_verify_ledgers(dp2dpi_verifier *verifier, dp2dp_error *error);

#endif
