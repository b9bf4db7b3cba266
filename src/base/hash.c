#include "base/hash.h"

#include <string.h>

#include <sodium.h>

void dp2dpi_hash(const dp2dpi_piece *pieces, size_t n, char hex[DP2DPI_HASH_SIZE]) {
    crypto_hash_sha256_state state;
    unsigned char sum[crypto_hash_sha256_BYTES];
    (void)crypto_hash_sha256_init(&state);
    for (size_t i = 0; i < n; i++) {
        (void)crypto_hash_sha256_update(&state, pieces[i].bytes, pieces[i].length);
    }
    (void)crypto_hash_sha256_final(&state, sum);
    (void)sodium_bin2hex(hex, DP2DPI_HASH_SIZE, sum, sizeof sum);
}

void dp2dpi_hex(const unsigned char *bytes, size_t length, char *hex) {
    (void)sodium_bin2hex(hex, 2 * length + 1, bytes, length);
}

int dp2dpi_is_hex(const char *text, size_t digits) {
    return text && strlen(text) == digits && strspn(text, "0123456789abcdef") == digits;
}
