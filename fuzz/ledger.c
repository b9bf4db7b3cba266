/* Hostile ledger texts. A text is refused with DATA, or it gives a ledger, and the text written
 * from that ledger reads back to the same bytes. Anything else ends the process. */
#include <dp2dp/ledger.h>

#include "fuzz.h"

static char *text_of(const dp2dp_ledger *ledger, size_t *length) {
    char *text = NULL;
    require(dp2dp_ledger_to_json(ledger, &text, length, NULL) == DP2DP_STATUS_OK);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char nothing[1] = "";
    dp2dp_ledger *ledger = NULL;
    dp2dp_ledger *again = NULL;
    dp2dp_error error = {0};
    size_t length;
    size_t length_again;
    const char *input = size > 0 ? (const char *)data : nothing;
    dp2dp_status status = dp2dp_ledger_from_json(input, size, &ledger, &error);
    if (status != DP2DP_STATUS_OK) {
        require_refusal(status, ledger, &error);
        return 0;
    }
    char *text = text_of(ledger, &length);
    require(dp2dp_ledger_from_json(text, length, &again, NULL) == DP2DP_STATUS_OK);
    char *text_again = text_of(again, &length_again);
    require(length == length_again && memcmp(text, text_again, length) == 0);
    dp2dp_text_free(text);
    dp2dp_text_free(text_again);
    dp2dp_ledger_free(ledger);
    dp2dp_ledger_free(again);
    return 0;
}
