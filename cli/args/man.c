/* Manual pages in man(7), written at build time by `dp2dp --man [VERB]`. */
#include <ctype.h>
#include <signal.h>
#include <string.h>

#include "args/verbs.h"

static void roff(FILE *stream, const char *text, size_t length, int upper) {
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        int line_start = i == 0 || text[i - 1] == '\n';
        if (line_start && (c == '.' || c == '\'')) {
            fputs("\\&", stream);
        }
        const char *escaped = c == '\\'   ? "\\e"
                              : c == '-'  ? "\\-"
                              : c == '\'' ? "\\(aq"
                              : c == '^'  ? "\\(ha"
                                          : NULL;
        if (escaped) {
            fputs(escaped, stream);
        } else {
            fputc(upper ? toupper(c) : c, stream);
        }
    }
}

static void roff_all(FILE *stream, const char *text) {
    roff(stream, text, strlen(text), 0);
}

static void section(FILE *stream, const char *title) {
    fprintf(stream, ".SH %s\n", title);
}

static void heading(const cli_verb *verb, FILE *stream) {
    fputs(".TH DP2DP", stream);
    if (verb) {
        fputs("\\-", stream);
        roff(stream, verb->name, strlen(verb->name), 1);
    }
    fprintf(stream, " 1 \"\" \"dp2dp %s\" \"User commands\"\n", dp2dp_version());
    section(stream, "NAME");
    fprintf(stream, "dp2dp%s%s \\- ", verb ? "\\-" : "", verb ? verb->name : "");
    roff_all(stream, verb ? verb->summary
                          : "fair and differentially private post-processing of classifiers");
    fputc('\n', stream);
}

static void option_entry(const cli_verb *verb, const cli_option *option, FILE *stream) {
    char notes[CLI_NOTES_SIZE];
    fputs(".TP\n\\fB\\-\\-", stream);
    roff_all(stream, option->name);
    fputs("\\fR", stream);
    if (option->value) {
        int words = option->kind == CLI_WORD || option->kind == CLI_WORDS;
        fputs(words ? " " : " \\fI", stream);
        roff_all(stream, option->value);
        fputs(words ? "" : "\\fR", stream);
    }
    fputc('\n', stream);
    roff_all(stream, option->help);
    cli_option_notes(verb, option, notes);
    roff_all(stream, notes);
    fputs(".\n", stream);
}

static void paragraphs(FILE *stream, const char *text) {
    while (*text != '\0') {
        const char *end = strstr(text, "\n\n");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        fputs(".PP\n", stream);
        roff(stream, text, length, 0);
        fputc('\n', stream);
        text += length + (end ? 2 : 0);
    }
}

/* Writes the meaning of an exit code. Writes nothing if no status has this code. */
static void exit_code(FILE *stream, int code) {
    size_t count, found = 0;
    const dp2dp_word *statuses = dp2dp_words(DP2DP_WORDS_STATUS, &count);
    for (size_t s = 0; s < count; s++) {
        if (dp2dp_status_exit_code((dp2dp_status)statuses[s].value) == code) {
            if (found++ == 0) {
                fprintf(stream, ".TP\n\\fB%d\\fR\n", code);
            } else {
                fputs(";\n", stream);
            }
            roff_all(stream, statuses[s].help);
        }
    }
    if (found > 0) {
        fputs(".\n", stream);
    }
}

static void exit_codes(FILE *stream) {
    section(stream, "EXIT STATUS");
    for (int code = 0; code < 256; code++) {
        exit_code(stream, code);
    }
    fprintf(stream, ".TP\n\\fB%d\\fR\nthe reader of standard output closed the pipe.\n",
            128 + SIGPIPE);
}

static void environment(FILE *stream) {
    section(stream, "ENVIRONMENT");
    fputs(".TP\n\\fBNO_COLOR\\fR\nif set and not empty, text has no colour. Output that does not "
          "go to a\n"
          "terminal never has colour.\n",
          stream);
}

static void verb_page(const cli_verb *verb, FILE *stream) {
    section(stream, "SYNOPSIS");
    fprintf(stream, "\\fBdp2dp %s\\fR \\fI%s\\fR [\\fIoptions\\fR]\n", verb->name,
            verb->operands ? verb->operands : "");
    section(stream, "DESCRIPTION");
    paragraphs(stream, verb->description);
    section(stream, "OPTIONS");
    for (size_t i = 0; i < verb->option_count; i++) {
        option_entry(verb, &verb->options[i], stream);
    }
    section(stream, "EXAMPLES");
    fputs(".EX\n", stream);
    roff_all(stream, verb->examples);
    fputs("\n.EE\n", stream);
    exit_codes(stream);
    environment(stream);
    section(stream, "SEE ALSO");
    fputs(".BR dp2dp (1)\n", stream);
}

static void program_page(FILE *stream) {
    section(stream, "SYNOPSIS");
    fputs(
        "\\fBdp2dp\\fR \\fIverb\\fR [\\fIoptions\\fR]\n.br\n\\fBdp2dp help\\fR \\fIverb\\fR\n.br\n"
        "\\fBdp2dp \\-\\-version\\fR | \\fB\\-\\-help\\fR | "
        "\\fB\\-\\-completion bash\\fR|\\fBzsh\\fR\n",
        stream);
    section(stream, "DESCRIPTION");
    fputs(
        "Makes the decisions of any probabilistic classifier fair between groups, up to a "
        "tolerance of\n"
        "your choice, with differential privacy for the people whose records dp2dp learns from.\n"
        "Results go to standard output, everything else to standard error. A command that fails\n"
        "prints nothing on standard output. The commands predict, synth and data are exceptions:\n"
        "rows that they wrote before the failure stay there.\n",
        stream);
    section(stream, "VERBS");
    for (size_t i = 0; i < cli_verb_count; i++) {
        fprintf(stream, ".TP\n\\fB%s\\fR\n", cli_verbs[i].name);
        roff_all(stream, cli_verbs[i].summary);
        fprintf(stream, "; see \\fBdp2dp\\-%s\\fR(1).\n", cli_verbs[i].name);
    }
    exit_codes(stream);
    environment(stream);
}

void cli_man_print(const cli_verb *verb, FILE *stream) {
    heading(verb, stream);
    if (verb) {
        verb_page(verb, stream);
    } else {
        program_page(stream);
    }
}
