#include "show/show.h"

#include <math.h>

#include "common/number.h"

int cli_rule_has_epsilon(const dp2dp_model_info *info) {
    return (info->not_private_because &
            (DP2DP_NOT_PRIVATE_NO_NOISE | DP2DP_NOT_PRIVATE_NO_BOUND)) == 0 &&
           !isnan(info->epsilon);
}

void cli_reasons_json(int is_private, unsigned bits, cli_json *json) {
    size_t count;
    const dp2dp_word *reasons = dp2dp_words(DP2DP_WORDS_NOT_PRIVATE, &count);
    cli_json_truth(json, "private", is_private);
    cli_json_open_array(json, "leaks");
    for (size_t i = 0; i < count; i++) {
        if (bits & (unsigned)reasons[i].value) {
            cli_json_text(json, NULL, reasons[i].word);
        }
    }
    cli_json_close_array(json);
}

void cli_reasons_text(unsigned bits, cli_out *out) {
    size_t count;
    const dp2dp_word *reasons = dp2dp_words(DP2DP_WORDS_NOT_PRIVATE, &count);
    for (size_t i = 0; i < count; i++) {
        if (bits & (unsigned)reasons[i].value) {
            fprintf(out->stream, "%sNOT PRIVATE%s: %s\n", cli_alarm(out), cli_plain(out),
                    reasons[i].help);
        }
    }
}

void cli_claimed_json(const dp2dp_model_info *info, cli_json *json) {
    if (!isnan(info->epsilon_claimed)) {
        cli_json_real(json, "claimed", info->epsilon_claimed);
    }
}

void cli_claimed_text(const dp2dp_model_info *info, cli_out *out) {
    if (!isnan(info->epsilon_claimed)) {
        cli_out_row(out, "claimed", "epsilon %s by the paper's own accounting, which is not sound",
                    cli_number_up(info->epsilon_claimed, 4).text);
    }
}
