#include "show/show.h"

#include <string.h>

/* Prints a line. Shows NOT PRIVATE at the beginning of a line in colour, and a title in bold. A
 * title is a line that does not begin with a space. */
static void print_line(const char *line, int length, cli_out *out) {
    static const char alarm[] = "NOT PRIVATE";
    int alarmed = strncmp(line, alarm, sizeof alarm - 1) == 0 ? (int)sizeof alarm - 1 : 0;
    int bold = !alarmed && length > 0 && *line != ' ';
    if (alarmed > 0) {
        fprintf(out->stream, "%s%s%s", cli_alarm(out), alarm, cli_plain(out));
    }
    fprintf(out->stream, "%s%.*s%s\n", bold ? cli_bold(out) : "", length - alarmed, line + alarmed,
            bold ? cli_plain(out) : "");
}

dp2dp_status cli_explain(const dp2dp_model *model, dp2dp_explain_part part, const char *name,
                         cli_out *out, dp2dp_error *error) {
    dp2dp_explain_options options = DP2DP_EXPLAIN_OPTIONS_INIT;
    char *text = NULL;
    size_t length;
    options.part = part;
    options.name = name;
    CLI_TRY(dp2dp_explain(model, &options, &text, &length, error));
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        print_line(line, (int)strcspn(line, "\n"), out);
    }
    dp2dp_text_free(text);
    return DP2DP_STATUS_OK;
}
