/* Reads, checks and writes the JSON text of a certificate.
 *
 * certificate_to_json.c    writes the text
 * certificate.c            checks a certificate, and loads it from a file
 * certificate_from_json.c  reads the text */
#ifndef DP2DPI_MODEL_CERTIFICATE_H
#define DP2DPI_MODEL_CERTIFICATE_H

#include <dp2dp/metrics.h>

#include "base/hash.h"
#include "base/json.h"
#include "model/criterion.h"

#define DP2DPI_CERTIFICATE_FORMAT "dp2dp-certificate"
/* The member with the bound to quote. The other bound, in the member "unfairness_upper", relies on
 * a normal approximation. */
#define DP2DPI_CERTIFICATE_QUOTE "unfairness_upper_strict"

enum {
    DP2DPI_CERTIFICATE_MAJOR = 1,
    DP2DPI_CERTIFICATE_MINOR = 1 /* minor version for tables with labels and for criteria beyond
                                    demographic parity; other certificates are written as minor 0 */
};

/* Returns the warnings that the file leaves out although they hold: readers of earlier versions
 * expect DELTA_LARGE only if delta is at least 1/records. */
static inline unsigned dp2dpi_certificate_hides(double delta, uint64_t records) {
    return delta * (double)records < 1.0 ? (unsigned)DP2DP_WARNING_DELTA_LARGE : 0U;
}

/* All memory of a loaded certificate. `file` points into the other members. */
typedef struct dp2dpi_certificate {
    dp2dp_certificate_file
        file; /* must be first, so that its address is also the address of the whole struct */
    dp2dp_certificate certificate;
    double *table;
    const char **names; /* names of the groups, then of the classes */
    dp2dpi_custom custom;
    dp2dp_ledger *ledger;
    json_t *root; /* owns the texts that were read from JSON */
    char checksum[DP2DPI_HASH_SIZE];
} dp2dpi_certificate;

/* Returns 1 if the JSON text of the certificate needs the members "criterion" and "criteria". */
int dp2dpi_certificate_has_criterion(const dp2dp_certificate *certificate);

/* Returns 1 if the certificate has the criterion and labels of the model's rule. */
int dp2dpi_certificate_has_criterion_of(const dp2dp_certificate *certificate,
                                        const dp2dp_model_info *model);

/* Checks that the members of a certificate agree with each other. The cost must agree with the
 * ledger entry, and the bounds must agree with the table. Fails with ARGUMENT; the message names
 * the wrong member of the JSON text. Does not check checksums. */
dp2dp_status dp2dpi_certificate_check(const dp2dp_certificate_file *file, dp2dp_error *error);

/* Reads a text that dp2dp_certificate_to_json wrote. Ownership: the caller frees *out with
 * dp2dp_certificate_file_free. */
dp2dp_status dp2dpi_certificate_from_json(const char *text, size_t length,
                                          dp2dp_certificate_file **out, dp2dp_error *error);

#endif
