/* A certificate as a text.
 *
 * certificate_to_json.c    writes the text
 * certificate.c            checks a certificate, read or about to be written, and loads it
 * certificate_from_json.c  reads the text */
#ifndef DP2DPI_MODEL_CERTIFICATE_H
#define DP2DPI_MODEL_CERTIFICATE_H

#include <dp2dp/metrics.h>

#include "base/hash.h"
#include "base/json.h"
#include "model/criterion.h"

#define DP2DPI_CERTIFICATE_FORMAT "dp2dp-certificate"
/* The bound to quote: the other one rests on a normal approximation. */
#define DP2DPI_CERTIFICATE_QUOTE "unfairness_upper_strict"

enum {
    DP2DPI_CERTIFICATE_MAJOR = 1,
    DP2DPI_CERTIFICATE_MINOR = 1 /* of tables with labels and of criteria beyond demographic parity;
                                    all others are written as minor 0 */
};

/* What dp2dp_certificate_load returns: `file` points into the other members. */
typedef struct dp2dpi_certificate {
    dp2dp_certificate_file file; /* first, so that a pointer to it is a pointer to the whole */
    dp2dp_certificate certificate;
    double *table;
    const char **names; /* G groups and K classes */
    dp2dpi_custom custom;
    dp2dp_ledger *ledger;
    json_t *root; /* owns the texts */
    char checksum[DP2DPI_HASH_SIZE];
} dp2dpi_certificate;

/* Returns 1 if the text needs the members criterion and criteria. */
int dp2dpi_certificate_has_criterion(const dp2dp_certificate *certificate);

/* Returns 1 if the certificate is about the criterion of the model, with the same labels. A model
 * without a rule is certified under demographic parity. */
int dp2dpi_certificate_has_criterion_of(const dp2dp_certificate *certificate,
                                        const dp2dp_model_info *model);

/* Checks everything that the parts of a certificate say about each other: its cost against its
 * entry, its bounds against its table. Returns ARGUMENT if a check fails; the message names the
 * member of the JSON text. Checksums are not checked. */
dp2dp_status dp2dpi_certificate_check(const dp2dp_certificate_file *file, dp2dp_error *error);

/* Reads a text that dp2dp_certificate_to_json wrote. Ownership: as dp2dp_certificate_load. */
dp2dp_status dp2dpi_certificate_from_json(const char *text, size_t length,
                                          dp2dp_certificate_file **out, dp2dp_error *error);

#endif
