#include "args/verbs.h"

#include <stdarg.h>
#include <string.h>

#include "args/args.h"
#include "common/number.h"
#include "common/out.h"

enum {
    HELP_COLUMN = 24
};

__attribute__((format(printf, 2, 3))) static void append(char notes[CLI_NOTES_SIZE],
                                                         const char *format, ...) {
    size_t used = strlen(notes);
    va_list args;
    va_start(args, format);
    vsnprintf(notes + used, CLI_NOTES_SIZE - used, format, args);
    va_end(args);
}

static void append_range(const cli_option *option, char notes[CLI_NOTES_SIZE]) {
    const cli_range *range = &option->range;
    if (range->low_edge == CLI_UNBOUNDED) {
        return;
    }
    append(notes, " (%s%s %s", option->kind == CLI_COUNT ? "whole, " : "",
           range->low_edge == CLI_OPEN ? "above" : "at least", cli_number_exact(range->low).text);
    if (range->high_edge != CLI_UNBOUNDED && range->high < CLI_COUNT_MAX) {
        append(notes, ", %s %s", range->high_edge == CLI_OPEN ? "below" : "at most",
               cli_number_exact(range->high).text);
    }
    append(notes, ")");
}

/* Appends which values of --mechanism allow the option (". Only with gaussian") or which do not
 * allow the option (". Not with gaussian"), whichever list is shorter. */
static void append_modes(const cli_verb *verb, const char *modes, char notes[CLI_NOTES_SIZE]) {
    const cli_option *mechanism = cli_option_find(verb, "mechanism");
    char with[CLI_NOTES_SIZE] = "", without[CLI_NOTES_SIZE] = "", word[CLI_NAME_SIZE];
    for (const char *list = mechanism ? mechanism->value : NULL; list != NULL;) {
        list = cli_list_next(list, word);
        char *names = cli_list_has(modes, word) ? with : without;
        append(names, "%s%s", *names ? ", " : "", word);
    }
    if (*with && *without) {
        int shorter = strlen(with) <= strlen(without);
        append(notes, ". %s with %s", shorter ? "Only" : "Not", shorter ? with : without);
    }
}

void cli_option_notes(const cli_verb *verb, const cli_option *option, char notes[CLI_NOTES_SIZE]) {
    notes[0] = '\0';
    append_range(option, notes);
    if (option->modes && strcmp(option->name, "mechanism") != 0) {
        append_modes(verb, option->modes, notes);
    }
    if (option->needs && strcmp(option->needs, CLI_ALWAYS) == 0) {
        append(notes, ". Required");
    }
    if (option->fallback) {
        append(notes, ". Default: %s", option->fallback);
    }
}

static void option_line(const cli_verb *verb, const cli_option *option, FILE *stream) {
    char notes[CLI_NOTES_SIZE];
    char text[1024];
    int words = option->kind == CLI_WORD || option->kind == CLI_WORDS;
    int column = fprintf(stream, "  --%s", option->name);
    if (option->value) {
        column += fprintf(stream, " %s",
                          option->kind == CLI_WORD    ? "WORD"
                          : option->kind == CLI_WORDS ? "WORD,..."
                                                      : option->value);
    }
    if (column >= HELP_COLUMN) {
        fputc('\n', stream);
        column = 0;
    }
    cli_option_notes(verb, option, notes);
    snprintf(text, sizeof text, "%s%s", option->help, notes);
    cli_wrap(stream, HELP_COLUMN, column, text);
    if (words) {
        char list[CLI_WORDS_SIZE];
        cli_list_words(option->value, list);
        cli_wrap(stream, HELP_COLUMN, 0, list);
    }
}

static void paragraphs(const char *text, FILE *stream) {
    char paragraph[1024];
    while (*text != '\0') {
        const char *end = strstr(text, "\n\n");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        snprintf(paragraph, sizeof paragraph, "%.*s", (int)length, text);
        cli_wrap(stream, 0, 0, paragraph);
        fputc('\n', stream);
        text += length + (end ? 2 : 0);
    }
}

/* The parts of a long help, in order. An option is printed in the first part that lists the option.
 */
static const struct {
    const char *title;
    const char *options; /* a list such as "a|b|c"; NULL: all options that are in no earlier part */
    int needed; /* 1: this part also has every option that the verb needs in some mode (see verbs.h)
                 */
} parts[] = {
    {"What you need",
     "model|source|scores|sensitive|groups|mechanism|schema|epsilon|delta|out|find", 1},
    {"What is made fair", "criterion|rho|positive|counted|unaware|group-scores|label|classes", 0},
    {"Privacy and the ledger",
     "rows-per-person|pool|train-share|same-people|total-epsilon|scores-epsilon|scores-delta|"
     "scores-id|scores-from-pool|ledger|new-ledger|people|note|budget|dry-run|insecure-seed|"
     "adjacency|accountant|sampling-unit",
     0},
    {"The table and the output",
     "separator|no-header|skip-lines|missing|bad-rows|normalize|multiplicity|id|force|json|threads|"
     "data-dir|keep",
     0},
    {"Details", NULL, 0},
};

enum {
    PARTS = sizeof parts / sizeof parts[0],
    LONG_HELP = 14 /* the help of a verb with at least this many options is divided into parts */
};

static size_t part_of(const cli_option *option) {
    size_t part = 0;
    while (parts[part].options && !cli_list_has(parts[part].options, option->name) &&
           !(parts[part].needed && option->needs)) {
        part++;
    }
    return part;
}

static void option_lines(const cli_verb *verb, FILE *stream) {
    int is_long = verb->option_count >= LONG_HELP;
    for (size_t part = 0; part < (is_long ? PARTS : 1); part++) {
        int begun = 0;
        for (size_t i = 0; i < verb->option_count; i++) {
            if (is_long && part_of(&verb->options[i]) != part) {
                continue;
            }
            if (!begun) {
                fprintf(stream, "%s%s:\n", part > 0 ? "\n" : "",
                        is_long ? parts[part].title : "Options");
                begun = 1;
            }
            option_line(verb, &verb->options[i], stream);
        }
    }
    fprintf(stream, "  %-*s%s\n", HELP_COLUMN - 2, "--help", "print this help");
}

static void verb_help(const cli_verb *verb, FILE *stream) {
    fprintf(stream, "dp2dp %s - %s\n\nUsage: dp2dp %s %s%s[options]\n\n", verb->name, verb->summary,
            verb->name, verb->operands ? verb->operands : "", verb->operands ? " " : "");
    fputs("Examples:\n", stream);
    for (const char *line = verb->examples; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        fprintf(stream, "  %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    fputc('\n', stream);
    paragraphs(verb->description, stream);
    option_lines(verb, stream);
}

void cli_help_print(const cli_verb *verb, FILE *stream) {
    if (verb) {
        verb_help(verb, stream);
        return;
    }
    fputs("dp2dp - fair and differentially private post-processing of classifiers\n\n"
          "Usage: dp2dp VERB [options]\n       dp2dp help VERB\n       dp2dp --version | "
          "--help | --completion bash|zsh\n\nVerbs:\n",
          stream);
    for (size_t i = 0; i < cli_verb_count; i++) {
        fprintf(stream, "  %-*s%s\n", HELP_COLUMN - 2, cli_verbs[i].name, cli_verbs[i].summary);
    }
    fputs("\n"
          "From a table of scores to a fair model and a certificate, in three commands:\n"
          "  dp2dp fit pool.csv --scores p_no,p_yes --classes no,yes --sensitive sex \\\n"
          "      --groups F,M --epsilon 1 --delta 1e-5 --out model.json\n"
          "  dp2dp predict model.json new.csv --out decisions.csv\n"
          "  dp2dp certify model.json held-out.csv --epsilon 1 --delta 1e-5\n"
          "Each row describes one person: the person's group, and the probability of each\n"
          "class. Any classifier can compute these probabilities. The three tables must\n"
          "hold different people: split a table by position (head, tail), never by its\n"
          "contents. dp2dp show model.json says what the model promises.\n\n"
          "No classifier yet? dp2dp train makes a classifier from a table of people, and\n"
          "dp2dp fit --model adds a fair rule to it. dp2dp run tries out both steps.\n"
          "Every verb has examples: dp2dp help fit\n"
          "",
          stream);
}
