/* Hostile ledger texts. A text is refused with DATA, or it gives a ledger, and the text written
 * from that ledger reads back to the same bytes. Anything else ends the process. Each input is
 * tried as it is and with correct hashes, which a fuzzer cannot guess. */
#include <jansson.h>
#include <sodium.h>

#include <dp2dp/ledger.h>

#include "fuzz.h"

static char *text_of(const dp2dp_ledger *ledger, size_t *length) {
    char *text = NULL;
    require(dp2dp_ledger_to_json(ledger, &text, length, NULL) == DP2DP_STATUS_OK);
    return text;
}

static void try_text(const char *input, size_t size) {
    dp2dp_ledger *ledger = NULL;
    dp2dp_ledger *again = NULL;
    dp2dp_error error = {0};
    size_t length;
    size_t length_again;
    dp2dp_status status = dp2dp_ledger_from_json(input, size, &ledger, &error);
    if (status != DP2DP_STATUS_OK) {
        require_refusal(status, ledger, &error);
        return;
    }
    char *text = text_of(ledger, &length);
    require(dp2dp_ledger_from_json(text, length, &again, NULL) == DP2DP_STATUS_OK);
    char *text_again = text_of(again, &length_again);
    require(length == length_again && memcmp(text, text_again, length) == 0);
    dp2dp_text_free(text);
    dp2dp_text_free(text_again);
    dp2dp_ledger_free(ledger);
    dp2dp_ledger_free(again);
}

/* Gives an entry the right hashes; hex has the hash of the entry before, or is empty. */
static void seal(json_t *entry, char hex[2 * crypto_hash_sha256_BYTES + 1]) {
    unsigned char sum[crypto_hash_sha256_BYTES];
    (void)json_object_del(entry, "hash");
    (void)json_object_del(entry, "previous");
    if (hex[0]) {
        (void)json_object_set_new(entry, "previous", json_string(hex));
    }
    char *line = json_dumps(entry, JSON_COMPACT | JSON_REAL_PRECISION(17));
    if (line) {
        (void)crypto_hash_sha256(sum, (const unsigned char *)line, strlen(line));
        (void)sodium_bin2hex(hex, 2 * sizeof sum + 1, sum, sizeof sum);
        (void)json_object_set_new(entry, "hash", json_string(hex));
    }
    free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char nothing[1] = "";
    char hex[2 * crypto_hash_sha256_BYTES + 1] = "";
    const char *input = size > 0 ? (const char *)data : nothing;
    size_t i;
    json_t *entry;
    try_text(input, size);
    json_t *root = json_loadb(input, size, 0, NULL);
    json_array_foreach(json_object_get(root, "entries"), i, entry) {
        seal(entry, hex);
    }
    char *sealed = root ? json_dumps(root, JSON_REAL_PRECISION(17)) : NULL;
    if (sealed) {
        try_text(sealed, strlen(sealed));
    }
    free(sealed);
    json_decref(root);
    return 0;
}
