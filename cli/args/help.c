#include "args/verbs.h"

#include <string.h>

#include "args/args.h"
#include "common/number.h"
#include "common/out.h"

enum {
    HELP_COLUMN = 24
};

static void append(char notes[CLI_NOTES_SIZE], const char *text) {
    size_t used = strlen(notes);
    snprintf(notes + used, CLI_NOTES_SIZE - used, "%s", text);
}

static void append_range(const cli_option *option, char notes[CLI_NOTES_SIZE]) {
    const cli_range *range = &option->range;
    const char *start = option->kind == CLI_COUNT ? "whole, " : "";
    char text[96] = "";
    if (range->low_edge != CLI_UNBOUNDED) {
        snprintf(text, sizeof text, " (%s%s %s", start,
                 range->low_edge == CLI_OPEN ? "above" : "at least",
                 cli_number_exact(range->low).text);
        append(notes, text);
        if (range->high_edge != CLI_UNBOUNDED && range->high < CLI_COUNT_MAX) {
            snprintf(text, sizeof text, ", %s %s",
                     range->high_edge == CLI_OPEN ? "below" : "at most",
                     cli_number_exact(range->high).text);
            append(notes, text);
        }
        append(notes, ")");
    }
}

/* Copies the first word of a '|'-separated list; returns what follows it, NULL after the last. */
static const char *next_word(const char *list, char *word, size_t size) {
    size_t length = strcspn(list, "|");
    snprintf(word, size, "%.*s", (int)length, list);
    return list[length] == '|' ? list + length + 1 : NULL;
}

/* Which mechanisms an option can, or cannot, be used with, whichever list is shorter. */
static void append_modes(const cli_verb *verb, const char *modes, char notes[CLI_NOTES_SIZE]) {
    const cli_option *mechanism = cli_option_find(verb, "mechanism");
    char with[CLI_NOTES_SIZE] = "";
    char without[CLI_NOTES_SIZE] = "";
    char word[32];
    for (const char *item = mechanism ? mechanism->value : NULL; item != NULL;) {
        item = next_word(item, word, sizeof word);
        char *names = cli_list_has(modes, word) ? with : without;
        append(names, *names ? ", " : "");
        append(names, word);
    }
    if (*with && *without) {
        int shorter = strlen(with) <= strlen(without);
        append(notes, shorter ? ". Only with " : ". Not with ");
        append(notes, shorter ? with : without);
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
        append(notes, ". Default: ");
        append(notes, option->fallback);
    }
}

static void words_line(const char *list, FILE *stream) {
    char text[CLI_NOTES_SIZE] = "one of";
    char word[32];
    for (const char *item = list; item != NULL;) {
        item = next_word(item, word, sizeof word);
        append(text, " ");
        append(text, word);
        append(text, item ? "," : "");
    }
    cli_wrap(stream, HELP_COLUMN, 0, text);
}

static void option_line(const cli_verb *verb, const cli_option *option, FILE *stream) {
    char notes[CLI_NOTES_SIZE];
    char text[1024];
    int words = option->kind == CLI_WORD;
    int column = fprintf(stream, "  --%s", option->name);
    if (option->value) {
        column += fprintf(stream, " %s", words ? "WORD" : option->value);
    }
    if (column >= HELP_COLUMN) {
        fputc('\n', stream);
        column = 0;
    }
    cli_option_notes(verb, option, notes);
    snprintf(text, sizeof text, "%s%s", option->help, notes);
    cli_wrap(stream, HELP_COLUMN, column, text);
    if (words) {
        words_line(option->value, stream);
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

static void verb_help(const cli_verb *verb, FILE *stream) {
    fprintf(stream, "dp2dp %s - %s\n\nUsage: dp2dp %s %s%s[options]\n\n", verb->name, verb->summary,
            verb->name, verb->operands ? verb->operands : "", verb->operands ? " " : "");
    paragraphs(verb->description, stream);
    fputs("Options:\n", stream);
    for (size_t i = 0; i < verb->option_count; i++) {
        option_line(verb, &verb->options[i], stream);
    }
    fprintf(stream, "  %-*s%s\n\nExamples:\n", HELP_COLUMN - 2, "--help", "print this help");
    for (const char *line = verb->examples; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        fprintf(stream, "  %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
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
    fputs("\nFrom a table of scores to a fair model and a certificate, in three commands:\n"
          "  dp2dp fit pool.csv --scores p_no,p_yes --classes no,yes --sensitive sex \\\n"
          "      --groups F,M --epsilon 1 --delta 1e-5 --out model.json\n"
          "  dp2dp predict model.json new.csv --out decisions.csv\n"
          "  dp2dp certify model.json held-out.csv --epsilon 1 --delta 1e-5\n"
          "Each row is a person: the probability of each class, by any classifier, and the\n"
          "person's group. The three tables hold different people: split a table by\n"
          "position (head, tail), never by its contents. dp2dp show model.json says what\n"
          "the model promises.\n\n"
          "No classifier yet? dp2dp train makes one from a table of people, fit --model\n"
          "makes it fair, and dp2dp run tries both out.\n"
          "Every verb has examples: dp2dp help fit\n",
          stream);
}
