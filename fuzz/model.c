/* Hostile model texts. A text is refused with DATA, or it gives a model, and the text written from
 * that model reads back to the same bytes. Anything else ends the process. Each input is tried as
 * it is and with a correct checksum: a fuzzer cannot guess one, so it would never get past that
 * check.
 */
#include <sodium.h>

#include <dp2dp/ledger.h>
#include <dp2dp/model.h>

#include "fuzz.h"

static char *text_of(const dp2dp_model *model, size_t *length) {
    char *text = NULL;
    require(dp2dp_model_to_json(model, &text, length, NULL) == DP2DP_STATUS_OK);
    return text;
}

static void try_text(const char *input, size_t size) {
    dp2dp_model *model = NULL;
    dp2dp_model *again = NULL;
    dp2dp_error error = {0};
    size_t length;
    size_t length_again;
    dp2dp_status status = dp2dp_model_from_json(input, size, &model, &error);
    if (status != DP2DP_STATUS_OK) {
        require_refusal(status, model, &error);
        return;
    }
    char *text = text_of(model, &length);
    require(dp2dp_model_from_json(text, length, &again, NULL) == DP2DP_STATUS_OK);
    char *text_again = text_of(again, &length_again);
    require(length == length_again && memcmp(text, text_again, length) == 0);
    dp2dp_text_free(text);
    dp2dp_text_free(text_again);
    dp2dp_model_free(model);
    dp2dp_model_free(again);
}

/* Overwrites the end of the text with a correct checksum line. */
static void seal(char *text, size_t size) {
    static const char before[] = "  \"checksum\": \"";
    static const char after[] = "\"\n}\n";
    const size_t hex_size = 2 * (size_t)crypto_hash_sha256_BYTES;
    const size_t tail = strlen(before) + hex_size + strlen(after);
    unsigned char sum[crypto_hash_sha256_BYTES];
    char hex[2 * sizeof sum + 1];
    crypto_hash_sha256_state state;
    if (size < tail) {
        return;
    }
    char *line = text + size - tail;
    (void)crypto_hash_sha256_init(&state);
    (void)crypto_hash_sha256_update(&state, (const unsigned char *)text, size - tail);
    (void)crypto_hash_sha256_update(&state, (const unsigned char *)"}\n", 2);
    (void)crypto_hash_sha256_final(&state, sum);
    (void)sodium_bin2hex(hex, sizeof hex, sum, sizeof sum);
    memcpy(line, before, strlen(before));
    memcpy(line + strlen(before), hex, hex_size);
    memcpy(line + strlen(before) + hex_size, after, strlen(after));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = calloc(size + 1, 1);
    require(text != NULL);
    if (size > 0) {
        memcpy(text, data, size);
    }
    try_text(text, size);
    seal(text, size);
    try_text(text, size);
    free(text);
    return 0;
}
