/* `dp2dp count --serve`: answers the questions of `dp2dp fit --source` about one table. */
#ifndef CLI_SERVE_H
#define CLI_SERVE_H

#include "source/protocol.h"

/* The callbacks of the server. */
typedef struct cli_server {
    void *context;
    /* Called once, with the hello. Makes *source, or fails if the server cannot answer the
     * questions of this fit. */
    dp2dp_status (*open)(void *context, const cli_hello *hello, dp2dp_source *source,
                         dp2dp_error *error);
    /* Charges the ledger, if there is one. Called once, before the first table is sent. */
    dp2dp_status (*charge)(void *context, const cli_hello *hello, const dp2dp_source *source,
                           dp2dp_error *error);
} cli_server;

/* Reads questions from standard input and writes the answers to standard output, until the input
 * ends. The numbers of the questions begin at 1 and ascend, but may leave gaps. Refuses more
 * questions than the hello announced. If the input ends before the hello, says so on standard error
 * and succeeds. If something goes wrong, sends a refusal and fails.
 * `hello_most` is the longest hello, in bytes, that is accepted. */
dp2dp_status cli_serve(const cli_server *server, size_t hello_most, dp2dp_error *error);

#endif
