#include "common/complaint.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/json.h"
#include "common/out.h"

int cli_wants_json(int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--json") == 0 || strncmp(argv[i], "--json=", 7) == 0) {
            return 1;
        }
    }
    return 0;
}

void cli_complain_text(const char *verb, const dp2dp_error *error, const cli_faults *faults) {
    const char *separator = verb ? " " : "";
    const char *name = verb ? verb : "";
    for (size_t i = 0; i == 0 || i < faults->count; i++) {
        fprintf(stderr, "dp2dp%s%s: ", separator, name);
        cli_print_safely(stderr, i == 0 ? error->message : faults->messages[i]);
        fputc('\n', stderr);
    }
    if (error->status == DP2DP_STATUS_ARGUMENT) {
        fprintf(stderr, "try: dp2dp%s%s --help\n", separator, name);
    }
}

/* Writes the name of a status in lower case and with dashes, for example no-bound for NO_BOUND.
 * The JSON member "reason" has the same form. */
static void write_status(cli_json *json, dp2dp_status status) {
    char word[32] = "";
    const dp2dp_word *found = dp2dp_word_find(DP2DP_WORDS_STATUS, (int)status);
    for (size_t i = 0; found && found->word[i] != '\0' && i + 1 < sizeof word; i++) {
        word[i] = found->word[i] == '_' ? '-' : (char)tolower((unsigned char)found->word[i]);
    }
    cli_json_text(json, "status", word);
}

void cli_complain_json(const char *verb, const dp2dp_error *error, const cli_faults *faults) {
    const dp2dp_word *reason = dp2dp_word_find(DP2DP_WORDS_REASON, (int)error->reason);
    cli_json json = cli_json_begin(stderr);
    cli_json_text(&json, "error", error->message);
    if (faults->count > 1) {
        cli_json_open_array(&json, "errors");
        for (size_t i = 0; i < faults->count; i++) {
            cli_json_text(&json, NULL, faults->messages[i]);
        }
        cli_json_close_array(&json);
    }
    write_status(&json, error->status);
    cli_json_count(&json, "exit", (uint64_t)dp2dp_status_exit_code(error->status));
    if (error->reason != DP2DP_REASON_NONE && reason) {
        cli_json_text(&json, "reason", reason->word);
    }
    if (error->row > 0) {
        cli_json_count(&json, "row", error->row);
    }
    if (error->line > 0) {
        cli_json_count(&json, "line", error->line);
    }
    if (*error->column) {
        cli_json_text(&json, "column", error->column);
    }
    if (verb) {
        cli_json_text(&json, "verb", verb);
    }
    cli_json_end(&json);
}
