/* Output that is compressed with gzip. */
#ifndef CLI_GZIP_H
#define CLI_GZIP_H

#include <stdio.h>

#include "common/error.h"

typedef struct cli_gzip cli_gzip;

/* Ownership: the caller frees *out, even after a failure. */
dp2dp_status cli_gzip_new(cli_gzip **out, dp2dp_error *error);
void cli_gzip_free(cli_gzip *gzip);
/* Compresses bytes and writes what is ready; writes them as they are if gzip is NULL. If this
 * fails, ferror(to) tells so. */
void cli_gzip_write(cli_gzip *gzip, const char *bytes, size_t length, FILE *to);
/* Writes what is not written yet. Does nothing if gzip is NULL. */
void cli_gzip_finish(cli_gzip *gzip, FILE *to);

#endif
