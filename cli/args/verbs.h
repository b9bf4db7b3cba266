/* The verbs and their options as data. The tables in cmd/verbs.def, cmd/account.def, … feed the
 * parser, --help, the manual pages and shell completion; no other place describes an option. */
#ifndef CLI_VERBS_H
#define CLI_VERBS_H

#include <stddef.h>
#include <stdio.h>

#include <dp2dp/dp2dp.h>

#include "common/out.h"

typedef struct cli_args cli_args;

typedef enum cli_kind {
    CLI_FLAG,     /* takes no value */
    CLI_REAL,     /* a finite decimal number */
    CLI_EXTENDED, /* a finite decimal number, or "inf" */
    CLI_COUNT,    /* a whole number, also in the form 1e7 */
    CLI_WORD,
    CLI_TEXT,  /* any text that is not empty, for example a name or a path */
    CLI_TEXTS, /* a text like CLI_TEXT; the option may be given several times (cli_args.texts) and
                  replaces the operands */
    CLI_LIST,  /* names separated by commas (cli_list) */
    CLI_REALS, /* several CLI_REAL values, separated by commas (cli_item_next) */
    CLI_EXTENDEDS, /* several CLI_EXTENDED values, separated by commas */
    CLI_WORDS,     /* several CLI_WORD values, separated by commas */
    CLI_BEGIN,     /* not an option: the name of a verb, whose options follow */
    CLI_LIBRARY    /* not an option: stands for numeric options of a library struct */
} cli_kind;

typedef enum cli_edge {
    CLI_UNBOUNDED,
    CLI_CLOSED,
    CLI_OPEN
} cli_edge;

typedef struct cli_range {
    cli_edge low_edge;
    double low;
    cli_edge high_edge;
    double high;
} cli_range;

/* The largest count, 2^53 - 1. Some library fields for counts are doubles, which hold every
 * whole number up to 2^53 exactly. */
#define CLI_COUNT_MAX 9007199254740991.0

enum {
    CLI_OPTIONS_MAX = 64,
    CLI_NAME_SIZE = 32,
    CLI_OPERANDS_MAX = 64,
    CLI_TEXTS_MAX = 64
};

/* Value of `needs` for an option that the verb needs in every mode. */
#define CLI_ALWAYS "always"

/* A verb's mode decides which options the verb allows and needs. For account and calibrate, the
 * mode is the word of --mechanism, or "ledger" if account gets a FILE. For train, the mode is the
 * word of --method. For fit, the mode says where the probabilities come from: "scores", "model" or
 * "source". Lists of modes or words look like "a|b|c". */
/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): fields have the tables' order */
typedef struct cli_option {
    const char *name; /* name of the option, without dashes */
    cli_kind kind;
    const char *value; /* placeholder in help, for example "FILE"; for CLI_WORD and CLI_WORDS, the
                          list of accepted words; for CLI_LIBRARY, the list of fields, or NULL for
                          all */
    cli_range range;
    const char *fallback; /* default, as a user would type it; may be NULL */
    const char *modes;    /* modes that allow the option; NULL: all modes */
    const char *needs;    /* modes that need the option, or CLI_ALWAYS; NULL: no mode */
    const char *help;
    dp2dp_struct library; /* for CLI_LIBRARY: the struct whose options are inserted */
} cli_option;

typedef struct cli_verb {
    const char *name;
    const char *operands; /* such as "MODEL TABLE"; "[FILE]" may be left out, "FILE..." means one
                             or more files; NULL if the verb has no operands */
    const char *summary;
    const char *description; /* paragraphs, separated by empty lines */
    const char *examples;    /* one command per line */
    const cli_option *options;
    size_t option_count;
    /* Checks what the option tables cannot express, and adds the mistakes to args->faults. Reads
     * only the command line, and is called even if other mistakes were found. May be NULL. */
    void (*check)(const cli_args *args);
    /* Runs the verb and writes its answer to `out`. The answer is printed only if this returns
     * OK. */
    dp2dp_status (*run)(const cli_args *args, cli_out *out, dp2dp_error *error);
} cli_verb;

/* All verbs, in the order of cmd/verbs.def; defined in cmd/verbs.c. */
extern cli_verb cli_verbs[];
extern const size_t cli_verb_count;

/* Builds the option tables of all verbs or, if `word` is the name of a verb, of that verb only.
 * Call this once, before any table is read. An option that sets a field of a library struct has the
 * name of the field, with '-' in place of '_'. */
void cli_verbs_prepare(const char *word);

/* Find a verb, or an option of a verb, by its name. Return NULL if the name is unknown. */
const cli_verb *cli_verb_find(const char *name);
const cli_option *cli_option_find(const cli_verb *verb, const char *name);
const cli_option *cli_option_of_field(const cli_verb *verb, const char *field);

/* Print the help text or the manual page of a verb, or of the program if verb is NULL. */
void cli_help_print(const cli_verb *verb, FILE *stream);
void cli_man_print(const cli_verb *verb, FILE *stream);
/* Prints the completion script for a shell, "bash" or "zsh". Returns 1, or 0 for any other shell.
 */
int cli_completion_print(const char *shell, FILE *stream);

enum {
    CLI_NOTES_SIZE = 256
};
/* Writes the notes that are printed after the help text of an option: its range, mechanisms and
 * default, and whether it is required. */
void cli_option_notes(const cli_verb *verb, const cli_option *option, char notes[CLI_NOTES_SIZE]);

#endif
