/* The checksum detects damage but not forgery, because a forger can compute a new checksum. It
 * covers the bytes of the text, so it can be checked without a JSON library. */
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "model/model_json.h"

enum {
    HEX = DP2DPI_HASH_SIZE - 1
};

static const char before[] = "  \"checksum\": \"";
static const char after[] = "\"\n";
static const char closing[] = "}\n"; /* dp2dpi_json_dump ends every text with these bytes */

enum {
    BEFORE = sizeof before - 1,
    AFTER = sizeof after - 1,
    CLOSING = sizeof closing - 1,
    LINE = BEFORE + HEX + AFTER
};

/* Computes the SHA-256 of two pieces: `opening`, which is the text before the checksum's line, and
 * `closing`. */
static void digest(const char *opening, size_t length, char hex[HEX + 1]) {
    const dp2dpi_piece pieces[] = {{opening, length}, {closing, CLOSING}};
    dp2dpi_hash(pieces, 2, hex);
}

dp2dp_status dp2dpi_seal(char **text, size_t *length, dp2dp_error *error) {
    char *at = NULL;
    char hex[HEX + 1];
    size_t body = *length - CLOSING - 1; /* length up to the end of the last member */
    size_t opening = body + 2;           /* the body, a comma and a newline */
    size_t sealed = opening + LINE + CLOSING;
    DP2DPI_TRY(DP2DPI_ALLOC(at, sealed + 1, "a sealed text", error));
    memcpy(at, *text, body);
    at[body] = ',';
    at[body + 1] = '\n';
    digest(at, opening, hex);
    memcpy(at + opening, before, BEFORE);
    memcpy(at + opening + BEFORE, hex, HEX);
    memcpy(at + opening + BEFORE + HEX, after, AFTER);
    memcpy(at + opening + LINE, closing, CLOSING);
    dp2dpi_free(*text);
    *text = at;
    *length = sealed;
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_check_seal(const char *text, size_t length, char hex[DP2DPI_HASH_SIZE],
                               dp2dp_error *error) {
    const char *line = length < LINE + CLOSING ? NULL : text + length - CLOSING - LINE;
    if (line == NULL || memcmp(line, before, BEFORE) != 0 ||
        memcmp(line + BEFORE + HEX, after, AFTER) != 0 ||
        memcmp(line + LINE, closing, CLOSING) != 0) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_DATA,
            "checksum: the second-to-last line must hold the checksum; the text is damaged or "
            "another program has rewritten it");
    }
    digest(text, (size_t)(line - text), hex);
    if (memcmp(line + BEFORE, hex, HEX) != 0) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                           "checksum: wrong; the text is damaged or was changed after it was "
                           "written (SHA-256 is now %s)",
                           hex);
    }
    return DP2DP_STATUS_OK;
}
