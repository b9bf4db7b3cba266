/* Output that is compressed with gzip. */
#ifndef CLI_GZIP_H
#define CLI_GZIP_H

#include <stdio.h>

#include "common/error.h"

typedef struct cli_gzip cli_gzip;

/* Ownership: the caller frees *out, even after a failure. */
dp2dp_status cli_gzip_new(cli_gzip **out, dp2dp_error *error);
void cli_gzip_free(cli_gzip *gzip);
/* Compresses bytes, and writes to `to` the output that is ready. If gzip is NULL, writes the bytes
 * unchanged. After a failure, ferror(to) is set. */
void cli_gzip_write(cli_gzip *gzip, const char *bytes, size_t length, FILE *to);
/* Writes the rest of the output. Does nothing if gzip is NULL. */
void cli_gzip_finish(cli_gzip *gzip, FILE *to);

#endif
