#ifndef DP2DPI_BASE_HASH_H
#define DP2DPI_BASE_HASH_H

#include <stddef.h>

enum {
    DP2DPI_HASH_SIZE = 65 /* 64 hexadecimal digits of SHA-256 and a NUL */
};

typedef struct dp2dpi_piece {
    const void *bytes;
    size_t length;
} dp2dpi_piece;
void dp2dpi_hash(const dp2dpi_piece *pieces, size_t n, char hex[DP2DPI_HASH_SIZE]);

/* Writes bytes as 2 × length hexadecimal digits and a NUL. */
void dp2dpi_hex(const unsigned char *bytes, size_t length, char *hex);
/* Returns 1 if text consists of exactly `digits` lower-case hexadecimal digits. */
int dp2dpi_is_hex(const char *text, size_t digits);

#endif
