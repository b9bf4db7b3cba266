/* The command line of one verb (a subcommand such as `fit`), parsed and checked against the verb's
 * table of options. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stdint.h>

#include "args/verbs.h"
#include "common/faults.h"

typedef struct cli_value {
    int given; /* 1: the user typed the option */
    int meant; /* 1: the user probably meant this option, but typed it without a value or typed an
                  unknown option with a similar name */
    const char *
        text; /* the value as typed or, if nothing was typed, the default; NULL without a default */
    double number; /* for CLI_REAL, CLI_EXTENDED and CLI_COUNT, the value of `text`; for CLI_REALS
                      and CLI_EXTENDEDS, the value of its first item */
} cli_value;

struct cli_args {
    const cli_verb *verb;
    cli_faults *faults;                /* the mistakes found so far; borrowed */
    cli_value values[CLI_OPTIONS_MAX]; /* in the order of verb->options */
    const char *operands[CLI_OPERANDS_MAX];
    size_t operand_count;
    /* The values of a CLI_TEXTS option; a verb has at most one such option. */
    const char *texts[CLI_TEXTS_MAX];
    size_t text_count;
    int unsure; /* 1: a word after an unknown option may be an operand or that option's value */
    int help;   /* 1: --help was given, and the words after it were not read */
};

/* Parses the words of the command line after the verb. Accepts `--name value`, `--name=value` and
 * `--`. Adds each mistake to *faults, and goes on with the next word. Mistakes are unknown options,
 * repeated options (only CLI_TEXTS may be repeated), bad or missing values, and missing options or
 * operands that every mode needs. Ownership: *out points into argv and to *faults. */
void cli_args_parse(const cli_verb *verb, int argc, char **argv, cli_faults *faults, cli_args *out);

/* Refuses a command line with an option that `mode` (see verbs.h) does not use, or without an
 * option that the mode needs. If the command computes the value of an option, as with --find sigma,
 * `sought` is the name of that option, and the user must not give the option. Otherwise `sought` is
 * NULL. Adds each mistake to args->faults and fails with the first mistake. */
dp2dp_status cli_args_check_mode(const cli_args *args, const char *mode, const char *sought,
                                 dp2dp_error *error);

/* A function that checks one thing about the command line, without reading files. It is called even
 * after other mistakes were found, so it must not rely on a correct command line. */
typedef dp2dp_status (*cli_args_rule)(const cli_args *args, dp2dp_error *error);
/* Calls each rule. If a rule finds a mistake, adds the mistake to args->faults. NULL ends the list
 * of rules. */
void cli_args_check_rules(const cli_args *args, const cli_args_rule *rules);

/* cli_given returns whether the option `name` was given. cli_real, cli_count and cli_word return
 * the value of the option. The verb's table must have the option. */
int cli_given(const cli_args *args, const char *name);
/* Returns whether the user left the option out: cli_value.given and cli_value.meant are both 0. A
 * default does not count as given. */
int cli_missing(const cli_args *args, const char *name);
double cli_real(const cli_args *args, const char *name);
uint64_t cli_count(const cli_args *args, const char *name);
const char *cli_word(const cli_args *args,
                     const char *name); /* NULL if the option is not given and has no default */
enum {
    CLI_ITEM_SIZE = 64
};
/* Copies the first item of a text like "a,b,c". Returns the rest of the text; NULL if there are no
 * more items. An item that is too long is cut. */
const char *cli_item_next(const char *text, char item[CLI_ITEM_SIZE]);
/* Returns the number of items in the value of a CLI_REALS, CLI_EXTENDEDS or CLI_WORDS option; 0
 * if the option has no value. */
size_t cli_item_count(const cli_args *args, const char *name);
/* Returns the enum value of a word in a word table of the library; 0 if the table lacks the
 * word. */
int cli_word_value(dp2dp_word_table table, const char *word);
int cli_enum(const cli_args *args, const char *name, dp2dp_word_table table);
/* Returns the text of a CLI_WORD or CLI_WORDS option, for a command line that may have mistakes.
 * Returns NULL if the option has no text, if one of its words is not allowed, or if the user seems
 * to have mistyped the option (cli_value.meant). */
const char *cli_word_if_sure(const cli_args *args, const char *name);
/* Like cli_enum, for a command line that may have mistakes: returns 0 if the word is not in the
 * table, or if the user seems to have mistyped the option (cli_value.meant). */
int cli_enum_if_sure(const cli_args *args, const char *name, dp2dp_word_table table);

/* Sets numeric fields of *object, a library struct of the kind `which`, to the values of the
 * options with the same names. A field whose option has no value stays as it is. */
void cli_set_options(const cli_args *args, dp2dp_struct which, void *object);

/* Refuses an option that is given but that no solver in --solver uses. Checks only the options that
 * set fields of dp2dp_fit_options. */
dp2dp_status cli_args_check_solvers(const cli_args *args, dp2dp_error *error);

/* If `verb` lacks an option that other verbs have, returns advice on what to do instead. Returns
 * NULL if there is no advice. */
const char *cli_advice_on_absent(const cli_verb *verb, const char *option);
/* Return advice that ends a message about a wrong verb, a wrong word or a number out of range. If
 * there is no advice, cli_advice_on_number returns "", and the other two return NULL. */
const char *cli_advice_on_verb(const char *name);
const char *cli_advice_on_word(const char *option, const char *word);
const char *cli_advice_on_number(const char *option, double x);
/* Returns the advice that ends the message about an option that `mode` does not use: where the
 * value comes from instead, or where to give the option. Returns "" if there is no advice. */
const char *cli_advice_on_mode(const char *option, const char *mode);

typedef struct cli_nearest {
    const char *typed;
    const char *word; /* nearest candidate so far; NULL if no candidate is near */
} cli_nearest;
/* Sets nearest->word to `word` if the spelling of `word` is near enough to what was typed, and
 * nearer than the spelling of the present nearest->word. Ownership: the word is borrowed. */
void cli_nearest_try(cli_nearest *nearest, const char *word);

/* Returns words that say how x lies outside the range, for example "is below", and sets *bound to
 * the lower or upper bound that x violates. Returns NULL if x is in the range. */
const char *cli_range_fault(const cli_range *range, double x, double *bound);

enum {
    CLI_WORDS_SIZE = 256
};
/* Copies the first word of a list like "a|b|c". Returns the rest of the list; NULL if the list has
 * no more words. */
const char *cli_list_next(const char *list, char word[CLI_NAME_SIZE]);
/* Returns whether the word is in a list like "a|b|c". A NULL list has no words. */
int cli_list_has(const char *list, const char *word);
/* Writes a list like "a|b|c" to `words` as "a, b or c". */
void cli_list_words(const char *list, char words[CLI_WORDS_SIZE]);

enum {
    CLI_GUESS_SIZE = 160
};
/* Guesses which number the user meant by a refused text such as 0,5 or 95%. Writes "; did you mean
 * X?" to `hint`, or "" if there is no guess, and returns hint. Reads a text as a percentage only if
 * the maximum of the option is at most 1. Reads a text without a percent sign as a percentage only
 * for --at-most and for options with a default. The option --delta has no default, for example, so
 * a delta of 5 is never read as 0.05.
 * For a formula such as 10^-5, or for a list, the hint says what to type instead. */
const char *cli_guess(const cli_option *option, const char *text, char hint[CLI_GUESS_SIZE]);

/* A list of names separated by commas, as in "p0,p1,p2". Blanks around a name are skipped. Quotes
 * work as in CSV: a name that contains a comma or a double quote, or begins or ends with a blank,
 * is put in double quotes. A double quote inside the name is doubled. */

typedef struct cli_list {
    char **items;
    size_t count;
} cli_list;

/* Parses the value of the option `name` as a list; the option must have a value. Refuses empty
 * names, names given twice and misplaced quotes. Ownership: the caller frees *out, even after a
 * failure. */
dp2dp_status cli_list_read(const cli_args *args, const char *name, cli_list *out,
                           dp2dp_error *error);
/* Parses a list like cli_list_read, but accepts empty names, which the user types as "". */
dp2dp_status cli_list_read_texts(const cli_args *args, const char *name, cli_list *out,
                                 dp2dp_error *error);
void cli_list_free(cli_list *list);

#endif
