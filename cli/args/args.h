/* The command line of one verb, parsed and checked against its table. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stdint.h>

#include "args/verbs.h"

typedef struct cli_value {
    int given;        /* typed by the user, as opposed to a default */
    const char *text; /* as typed, or the default; NULL: neither */
    double number;    /* the text as a number, for CLI_REAL, CLI_EXTENDED and CLI_COUNT */
} cli_value;

struct cli_args {
    const cli_verb *verb;
    cli_value values[CLI_OPTIONS_MAX]; /* in the order of verb->options */
    const char *operands[CLI_OPERANDS_MAX];
    size_t operand_count;
    int help; /* --help was given; the words after it were not read */
};

/* Parses what follows the verb. Accepts `--name value`, `--name=value` and `--`; refuses unknown
 * options, doubled options, missing values, values outside their range, and missing operands or
 * options that are always needed. Ownership: the strings of argv are kept, not copied. */
dp2dp_status cli_args_parse(const cli_verb *verb, int argc, char **argv, cli_args *out,
                            dp2dp_error *error);

/* Refuses options that `mode` (see verbs.h) does not use, and missing options that it needs.
 * `sought` names the option whose value the command computes, which must be absent; NULL: none. */
dp2dp_status cli_args_check_mode(const cli_args *args, const char *mode, const char *sought,
                                 dp2dp_error *error);

/* Values by option name. The name must be in the verb's table. */
int cli_given(const cli_args *args, const char *name);
double cli_real(const cli_args *args, const char *name);
uint64_t cli_count(const cli_args *args, const char *name);
const char *cli_word(const cli_args *args,
                     const char *name); /* NULL: neither given nor a default */
/* The library's value for a word, 0 if the word is not in the table. */
int cli_word_value(dp2dp_word_table table, const char *word);
/* The same for the value of an option. */
int cli_enum(const cli_args *args, const char *name, dp2dp_word_table table);

/* Copies the verb's options that have a value to the numeric fields of *object, a library struct.
 */
void cli_set_options(const cli_args *args, dp2dp_struct which, void *object);

/* A search for the word that was meant by a mistyped one. */
typedef struct cli_nearest {
    const char *typed;
    const char *word; /* the nearest candidate so far; NULL: none is near */
    size_t cost;      /* its edit distance */
} cli_nearest;
/* Offers a candidate. Ownership: the word is borrowed. */
void cli_nearest_try(cli_nearest *nearest, const char *word);

/* How a number breaks its range, such as "is below", and the bound it breaks; NULL: it does not. */
const char *cli_range_fault(const cli_range *range, double x, double *bound);

enum {
    CLI_WORDS_SIZE = 128
};
/* Copies the first word of a list such as "a|b|c". Returns the words after it, NULL: none. */
const char *cli_list_next(const char *list, char word[CLI_NAME_SIZE]);
/* Is the word in such a list? A NULL list has no words. */
int cli_list_has(const char *list, const char *word);
/* Writes such a list as "a, b or c". */
void cli_list_words(const char *list, char words[CLI_WORDS_SIZE]);

enum {
    CLI_GUESS_SIZE = 160
};
/* The end of a message that refuses a number: "; did you mean X?", where X is the text read as a
 * percentage (with or without the sign) or with a decimal comma; "" if X is out of range too. A
 * share without a default, such as delta, is never read as a percentage without the sign. */
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
/* The same, but a name may be empty, written "". */
dp2dp_status cli_list_read_texts(const cli_args *args, const char *name, cli_list *out,
                                 dp2dp_error *error);
void cli_list_free(cli_list *list);

#endif
