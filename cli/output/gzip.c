#include "output/gzip.h"

#include <stdlib.h>
#include <zlib.h>

struct cli_gzip {
    z_stream stream;
    int is_ready; /* 1: deflateEnd must be called */
    unsigned char block[1 << 16];
};

dp2dp_status cli_gzip_new(cli_gzip **out, dp2dp_error *error) {
    enum {
        GZIP = 16, /* added to the window size, selects the gzip format */
        MEMORY = 8
    };
    *out = calloc(1, sizeof **out);
    CLI_TRY(cli_check_memory(*out, "compression", error));
    (*out)->is_ready = deflateInit2(&(*out)->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                                    MAX_WBITS + GZIP, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK;
    return cli_check_memory((*out)->is_ready, "compression", error);
}

void cli_gzip_free(cli_gzip *gzip) {
    if (gzip && gzip->is_ready) {
        (void)deflateEnd(&gzip->stream);
    }
    free(gzip);
}

static void push(cli_gzip *gzip, int flush, FILE *to) {
    do {
        gzip->stream.next_out = gzip->block;
        gzip->stream.avail_out = sizeof gzip->block;
        (void)deflate(&gzip->stream, flush);
        fwrite(gzip->block, 1, sizeof gzip->block - gzip->stream.avail_out, to);
    } while (gzip->stream.avail_out == 0);
}

void cli_gzip_write(cli_gzip *gzip, const char *bytes, size_t length, FILE *to) {
    const size_t most = 1 << 20;
    if (gzip == NULL) {
        fwrite(bytes, 1, length, to);
        return;
    }
    while (length > 0) {
        size_t part = length < most ? length : most;
        gzip->stream.next_in = (z_const Bytef *)bytes;
        gzip->stream.avail_in = (uInt)part;
        push(gzip, Z_NO_FLUSH, to);
        bytes += part;
        length -= part;
    }
}

void cli_gzip_finish(cli_gzip *gzip, FILE *to) {
    if (gzip) {
        push(gzip, Z_FINISH, to);
    }
}
