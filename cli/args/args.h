/* The command line of one verb, parsed and checked against its table. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stdint.h>

#include "args/verbs.h"

typedef struct cli_value {
    int given;        /* typed by the user, as opposed to a default */
    const char *text; /* as typed, or the default; NULL: neither */
    double number;    /* of a CLI_REAL, CLI_EXTENDED or CLI_COUNT that has a text */
} cli_value;

struct cli_args {
    const cli_verb *verb;
    cli_value values[CLI_OPTIONS_MAX]; /* in the order of verb->options */
    const char *operands[CLI_OPERANDS_MAX];
    size_t operand_count;
    int help; /* --help was found; the rest was not read */
};

/* Parses what follows the verb. Accepts `--name value`, `--name=value` and `--`; refuses unknown
 * options, doubled options, missing values, values outside their range, and missing operands or
 * options that are always needed. Ownership: the strings of argv are kept, not copied. */
dp2dp_status cli_args_parse(const cli_verb *verb, int argc, char **argv, cli_args *out,
                            dp2dp_error *error);

/* Refuses options that `mode` (see verbs.h) does not use, then reports missing ones. `sought`, or
 * NULL, names the option whose value is to be found: it must be absent. */
dp2dp_status cli_args_check_mode(const cli_args *args, const char *mode, const char *sought,
                                 dp2dp_error *error);

/* Values by option name. The name must be in the verb's table. */
int cli_given(const cli_args *args, const char *name);
double cli_real(const cli_args *args, const char *name);
uint64_t cli_count(const cli_args *args, const char *name);
const char *cli_word(const cli_args *args, const char *name); /* NULL: not given, no default */
/* The value of a word; 0 if it is not in the table. */
int cli_word_value(dp2dp_word_table table, const char *word);
/* The library's value for the word of an option. */
int cli_enum(const cli_args *args, const char *name, dp2dp_word_table table);

/* Sets the numeric options of *object, a struct of the library, from those of the verb that have a
 * value. */
void cli_set_options(const cli_args *args, dp2dp_struct which, void *object);

/* The candidate nearest to a mistyped word so far; NULL: none is near. */
typedef struct cli_nearest {
    const char *typed, *word;
    size_t cost; /* edit distance */
} cli_nearest;
void cli_nearest_try(cli_nearest *nearest, const char *word);

/* What is wrong with a number, and the bound it breaks; NULL: nothing. */
const char *cli_range_fault(const cli_range *range, double x, double *bound);

enum {
    CLI_WORDS_SIZE = 128
};
/* Is word one of the '|'-separated list? */
int cli_list_has(const char *list, const char *word);
/* Such a list written as "a, b or c". */
void cli_list_words(const char *list, char words[CLI_WORDS_SIZE]);

enum {
    CLI_GUESS_SIZE = 160
};
/* The end of a message that refuses a number: the value meant if it was typed in per cent, with or
 * without the sign, or with a decimal comma, provided that is in range; else "". A share without a
 * default, such as delta, is never typed as a bare percentage. */
const char *cli_guess(const cli_option *option, const char *text, char hint[CLI_GUESS_SIZE]);

/* Names separated by commas, as in "p0,p1,p2". A name with a comma or a quote is written as in CSV:
 * in double quotes, inner quotes doubled. */

typedef struct cli_list {
    char **items;
    size_t count;
} cli_list;

/* Parses the value of the option `name`, which must have one. Refuses empty names, names given
 * twice and unfinished quotes. Ownership: the caller frees it, even after a failure. */
dp2dp_status cli_list_read(const cli_args *args, const char *name, cli_list *out,
                           dp2dp_error *error);
/* The same for a list of arbitrary texts: an item may be empty, written "". */
dp2dp_status cli_list_read_texts(const cli_args *args, const char *name, cli_list *out,
                                 dp2dp_error *error);
void cli_list_free(cli_list *list);

#endif
