#include "args/args.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/data_sets.h"
#include "common/number.h"

/* Format of a word from the command line in an error message: at most 60 bytes are printed. */
#define SHOWN "%.60s"

const cli_verb *cli_verb_find(const char *name) {
    for (size_t i = 0; i < cli_verb_count; i++) {
        if (strcmp(cli_verbs[i].name, name) == 0) {
            return &cli_verbs[i];
        }
    }
    return NULL;
}

const cli_option *cli_option_find(const cli_verb *verb, const char *name) {
    for (size_t i = 0; i < verb->option_count; i++) {
        if (strcmp(verb->options[i].name, name) == 0) {
            return &verb->options[i];
        }
    }
    return NULL;
}

const cli_option *cli_option_of_field(const cli_verb *verb, const char *field) {
    char name[CLI_NAME_SIZE];
    size_t i = 0;
    for (; field[i] != '\0' && i + 1 < sizeof name; i++) {
        name[i] = field[i] == '_' ? '-' : field[i];
    }
    name[i] = '\0';
    return cli_option_find(verb, name);
}

/* If exactly one option of the verb has a name that begins with `text`, returns that name;
 * otherwise NULL. */
static const char *completed(const cli_verb *verb, const char *text) {
    const char *found = NULL;
    size_t length = strlen(text), count = 0;
    for (size_t i = 0; i < verb->option_count && length > 1; i++) {
        if (strncmp(verb->options[i].name, text, length) == 0) {
            found = verb->options[i].name;
            count++;
        }
    }
    return count == 1 ? found : NULL;
}

/* Refuses the unknown option at argv[*at], and moves *at to the next word if that word may be the
 * value of the option. */
static dp2dp_status fail_unknown(cli_args *args, int argc, char **argv, int *at,
                                 dp2dp_error *error) {
    const cli_verb *verb = args->verb;
    const char *typed = argv[*at];
    size_t length = strcspn(typed, "=");
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), typed);
    const char *bare = name + strspn(name, "-");
    cli_nearest nearest = {.typed = bare};
    for (size_t i = 0; i < verb->option_count; i++) {
        cli_nearest_try(&nearest, verb->options[i].name);
    }
    cli_nearest_try(&nearest, "help"); /* every verb has --help, which the tables do not list */
    const char *whole = completed(verb, bare);
    nearest.word = whole ? whole : nearest.word;
    const cli_option *meant = nearest.word ? cli_option_find(verb, nearest.word) : NULL;
    if (meant) {
        args->values[meant - verb->options].meant = 1;
    }
    int takes_value = typed[length] != '=' && (meant ? meant->kind != CLI_FLAG : !nearest.word);
    if (takes_value && *at + 1 < argc && strncmp(argv[*at + 1], "--", 2) != 0) {
        args->unsure |= meant == NULL;
        ++*at;
    }
    const char *advice = cli_advice_on_absent(verb, bare);
    if (advice) {
        return cli_refuse(error, "unknown option %s; %s", name, advice);
    }
    if (nearest.word) {
        return cli_refuse(error, "unknown option %s; did you mean --%s?", name, nearest.word);
    }
    return cli_refuse(error, "unknown option %s%s", name,
                      name[1] == '-' ? ""
                                     : "; options start with two dashes and are not abbreviated");
}

static dp2dp_status fail_word(const cli_option *option, const char *text, dp2dp_error *error) {
    char words[CLI_WORDS_SIZE], *rest;
    cli_nearest nearest = {.typed = text};
    const char *advice = cli_advice_on_word(option->name, text);
    if (advice) {
        return cli_refuse(error, "--%s '" SHOWN "' is not one of %s%s", option->name, text,
                          option->value, advice);
    }
    snprintf(words, sizeof words, "%s", option->value);
    for (char *word = strtok_r(words, "|", &rest); word; word = strtok_r(NULL, "|", &rest)) {
        cli_nearest_try(&nearest, word);
    }
    return cli_refuse(error, "--%s '" SHOWN "' is not one of %s%s%s%s", option->name, text,
                      option->value, nearest.word ? "; did you mean " : "",
                      nearest.word ? nearest.word : "", nearest.word ? "?" : "");
}

/* Returns the advice that ends a message about a text that is not a number; "" if there is no
 * advice. For an option that takes a list of numbers, `option` describes one item of the list. */
static const char *advise_on_list(const cli_option *option, const char *text) {
    int has_letters = strpbrk(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != NULL;
    return strpbrk(text, "; |") ? "; separate several values with commas and no spaces"
           : has_letters && option->kind == CLI_COUNT ? "; the option takes one whole number"
                                                      : "";
}

static dp2dp_status read_scalar(const cli_option *option, const char *text, cli_value *value,
                                dp2dp_error *error) {
    char hint[CLI_GUESS_SIZE];
    double bound;
    value->text = text;
    if (option->kind == CLI_FLAG) {
        return DP2DP_STATUS_OK;
    }
    if (option->kind == CLI_WORD) {
        return cli_list_has(option->value, text) ? DP2DP_STATUS_OK : fail_word(option, text, error);
    }
    if (option->kind == CLI_TEXT || option->kind == CLI_TEXTS || option->kind == CLI_LIST) {
        return *text ? DP2DP_STATUS_OK : cli_refuse(error, "--%s is an empty string", option->name);
    }
    int is_inf = option->kind == CLI_EXTENDED && strcmp(text, "inf") == 0;
    cli_parsed parsed = is_inf ? CLI_PARSED : cli_number_parse(text, &value->number);
    value->number = is_inf ? INFINITY : value->number;
    if (parsed == CLI_NOT_A_NUMBER) {
        return cli_refuse(error, "--%s '" SHOWN "' is not a finite decimal number%s%s%s",
                          option->name, text, option->kind == CLI_EXTENDED ? " or inf" : "",
                          cli_guess(option, text, hint), advise_on_list(option, text));
    }
    if (parsed == CLI_OUT_OF_RANGE) {
        return cli_refuse(error, "--%s " SHOWN " is too large or too small to represent",
                          option->name, text);
    }
    if (option->kind == CLI_COUNT && value->number != floor(value->number)) {
        return cli_refuse(error, "--%s " SHOWN " is not a whole number", option->name, text);
    }
    const char *fault = cli_range_fault(&option->range, value->number, &bound);
    return fault ? cli_refuse(error, "--%s " SHOWN " %s its bound %s%s%s", option->name, text,
                              fault, cli_number_exact(bound).text, cli_guess(option, text, hint),
                              cli_advice_on_number(option->name, value->number))
                 : DP2DP_STATUS_OK;
}

static int is_several(const cli_option *option) {
    return option->kind == CLI_REALS || option->kind == CLI_EXTENDEDS || option->kind == CLI_WORDS;
}

/* Refuses item number `at` of a list if an earlier item has the same value. */
static dp2dp_status check_new(const cli_option *option, const char *text, size_t at,
                              const cli_value *value, dp2dp_error *error) {
    char item[CLI_ITEM_SIZE];
    for (size_t i = 0; i < at; i++) {
        double x = 0;
        text = cli_item_next(text, item);
        if (option->kind != CLI_WORD) {
            (void)cli_number_parse(item, &x);
            x = strcmp(item, "inf") == 0 ? INFINITY : x;
        }
        if (option->kind == CLI_WORD ? strcmp(item, value->text) == 0 : x == value->number) {
            return cli_refuse(error, "--%s: " SHOWN " is given twice", option->name, value->text);
        }
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status read_value(const cli_option *option, const char *text, cli_value *value,
                               dp2dp_error *error) {
    cli_option one = *option;
    char item[CLI_ITEM_SIZE];
    size_t count = 0;
    if (!is_several(option)) {
        return read_scalar(option, text, value, error);
    }
    value->text = text;
    one.kind = option->kind == CLI_REALS       ? CLI_REAL
               : option->kind == CLI_EXTENDEDS ? CLI_EXTENDED
                                               : CLI_WORD;
    for (const char *rest = text; rest; count++) {
        cli_value each = {0};
        rest = cli_item_next(rest, item);
        if (*item == '\0') {
            return cli_refuse(error,
                              "--%s '" SHOWN "' has an empty item; write a list with commas and no "
                              "spaces, as in --%s A,B",
                              option->name, text, option->name);
        }
        CLI_TRY(read_scalar(&one, item, &each, error));
        CLI_TRY(check_new(&one, text, count, &each, error));
        value->number = count == 0 ? each.number : value->number;
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status add_text(cli_args *args, const cli_option *option, const char *text,
                             dp2dp_error *error) {
    if (args->text_count == CLI_TEXTS_MAX) {
        return cli_refuse(error, "--%s is given more than %d times", option->name,
                          (int)CLI_TEXTS_MAX);
    }
    args->texts[args->text_count++] = text;
    return DP2DP_STATUS_OK;
}

/* Reads the option at argv[*at]. If its value is the next word, moves *at to that word. */
static dp2dp_status take_option(cli_args *args, int argc, char **argv, int *at,
                                dp2dp_error *error) {
    const char *word = argv[*at];
    size_t length = strcspn(word, "=");
    char name[64] = "";
    if (word[1] == '-' && length - 2 < sizeof name) {
        memcpy(name, word + 2, length - 2);
    }
    const cli_option *option = cli_option_find(args->verb, name);
    if (option == NULL) {
        return fail_unknown(args, argc, argv, at, error);
    }
    cli_value *value = &args->values[option - args->verb->options];
    const char *text = word[length] == '=' ? word + length + 1 : NULL;
    if (text == NULL && option->kind != CLI_FLAG && *at + 1 < argc &&
        strncmp(argv[*at + 1], "--", 2) != 0) {
        text = argv[++*at];
    }
    if (value->given && option->kind != CLI_TEXTS) {
        return cli_refuse(error, "--%s is given twice", option->name);
    }
    value->given = 1;
    if (option->kind == CLI_FLAG) {
        return text ? cli_refuse(error, "--%s takes no value", option->name)
                    : read_value(option, "", value, error);
    }
    if (text == NULL) {
        value->meant = 1;
        return cli_refuse(error, "--%s needs a value: %s", option->name, option->value);
    }
    CLI_TRY(read_value(option, text, value, error));
    return option->kind == CLI_TEXTS ? add_text(args, option, text, error) : DP2DP_STATUS_OK;
}

/* Finds name number i in a verb's list of operands, such as "MODEL [TABLE]". Sets *name to the
 * start of that name, after any bracket, and returns the length of the name; 0 if the list has no
 * such name. In a list like "FILE...", every operand has the name FILE. */
static int operand_name(const char *names, size_t i, const char **name) {
    int endless = names && strstr(names, "...") != NULL && i < CLI_OPERANDS_MAX;
    for (; names && i > 0 && !endless; i--) {
        names = strchr(names, ' ');
        names += names != NULL;
    }
    *name = names ? names + (*names == '[') : "";
    return (int)strcspn(*name, " ].");
}

/* If the word two places before argv[at] is an option whose value is a list, returns that option;
 * otherwise NULL. In `--groups F, M`, for example, the word M is the rest of a list that was typed
 * with a space, and not an operand. */
static const cli_option *list_before(const cli_verb *verb, char **argv, int at) {
    const cli_option *option = at >= 2 && strncmp(argv[at - 2], "--", 2) == 0
                                   ? cli_option_find(verb, argv[at - 2] + 2)
                                   : NULL;
    return option && (option->kind == CLI_LIST || is_several(option)) ? option : NULL;
}

static const char several_tables[] =
    "; for several tables, give each as --source \"dp2dp count TABLE ... --serve\"";

static dp2dp_status take_operand(cli_args *args, char **argv, int at, dp2dp_error *error) {
    const char *names = args->verb->operands, *name, *word = argv[at];
    const cli_option *list = list_before(args->verb, argv, at);
    if (names == NULL) {
        return cli_refuse(error, "unexpected argument '" SHOWN "'", word);
    }
    int length = operand_name(names, args->operand_count, &name);
    if (args->operand_count == CLI_OPERANDS_MAX) {
        return cli_refuse(error, "too many files: at most %d are allowed", (int)CLI_OPERANDS_MAX);
    }
    if (length == 0) {
        length = operand_name(names, args->operand_count - 1, &name);
        const char *sources = cli_option_find(args->verb, "source") ? several_tables : "";
        return cli_refuse(error, "only one %.*s is allowed: unexpected argument '" SHOWN "'%s%s%s",
                          length, name, word,
                          list ? "; put quotes around a list that contains spaces: --" : sources,
                          list ? list->name : "", list ? " \"A 1,B 2\"" : "");
    }
    if (*word == '\0') {
        return cli_refuse(error, "%.*s is an empty string", length, name);
    }
    args->operands[args->operand_count++] = word;
    return DP2DP_STATUS_OK;
}

static int is_missing(const cli_value *value) {
    return value->text == NULL && !value->given && !value->meant;
}

/* Returns the length of the first sentence of an option's help, without its full stop. */
static int first_sentence(const char *help) {
    const char *end = strstr(help, ". ");
    return end ? (int)(end - help) : (int)strlen(help);
}

static dp2dp_status check_operands(const cli_args *args, dp2dp_error *error) {
    const cli_verb *verb = args->verb;
    const char *name;
    int length = operand_name(verb->operands, args->operand_count, &name);
    int enough = args->unsure ||
                 (args->operand_count > 0 && verb->operands && strstr(verb->operands, "..."));
    /* A CLI_TEXTS option, such as --source, replaces the operands. */
    for (size_t i = 0; i < verb->option_count; i++) {
        enough |= verb->options[i].kind == CLI_TEXTS && !is_missing(&args->values[i]);
    }
    return length > 0 && verb->operands && *verb->operands != '[' && !enough
               ? cli_refuse(error, "%.*s is missing: dp2dp %s %s [options]", length, name,
                            verb->name, verb->operands)
               : DP2DP_STATUS_OK;
}

static void check_complete(const cli_args *args) {
    const cli_verb *verb = args->verb;
    dp2dp_error error;
    /* A dry run writes nothing, so it needs no output file. */
    int dry_run = cli_option_find(verb, "dry-run") && cli_given(args, "dry-run");
    cli_faults_note(args->faults, check_operands(args, &error), &error);
    for (size_t i = 0; i < verb->option_count; i++) {
        const cli_option *option = &verb->options[i];
        int needed = option->needs && strcmp(option->needs, CLI_ALWAYS) == 0 &&
                     !(dry_run && strcmp(option->name, "out") == 0);
        if (needed && is_missing(&args->values[i])) {
            int built_in = strcmp(option->name, "schema") == 0 && args->operand_count > 0 &&
                           cli_data_set_of_schema(args->operands[0]);
            cli_faults_note(args->faults,
                            cli_refuse(&error, "--%s %s is needed: %.*s%s%s%s", option->name,
                                       option->value, first_sentence(option->help), option->help,
                                       built_in ? "; did you mean --schema " : "",
                                       built_in ? args->operands[0] : "", built_in ? "?" : ""),
                            &error);
        }
    }
}

void cli_args_parse(const cli_verb *verb, int argc, char **argv, cli_faults *faults,
                    cli_args *out) {
    dp2dp_error error;
    *out = (cli_args) {.verb = verb, .faults = faults};
    for (size_t i = 0; i < verb->option_count; i++) {
        const cli_option *option = &verb->options[i];
        if (option->fallback) {
            cli_faults_note(faults, read_value(option, option->fallback, &out->values[i], &error),
                            &error);
        }
    }
    int only_operands = 0;
    for (int at = 0; at < argc; at++) {
        const char *word = argv[at];
        if (only_operands || word[0] != '-' || word[1] == '\0') {
            cli_faults_note(faults, take_operand(out, argv, at, &error), &error);
        } else if (strcmp(word, "--") == 0) {
            only_operands = 1;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            out->help = 1;
            return;
        } else {
            cli_faults_note(faults, take_option(out, argc, argv, &at, &error), &error);
        }
    }
    check_complete(out);
}

/* Returns the name of a mode (see verbs.h) for a message, such as "--method dpgd" or "a ledger or
 * model file". `text` is room for the name. */
static const char *mode_words(const cli_verb *verb, const char *mode, char text[64]) {
    if (strcmp(mode, "ledger") == 0) {
        return "a ledger or model file";
    }
    const char *chosen_by = cli_list_has("scores|model|schema|source", mode) ? ""
                            : cli_option_find(verb, "method")                ? "method "
                                                                             : "mechanism ";
    snprintf(text, 64, "--%s%.40s", chosen_by, mode);
    return text;
}

static dp2dp_status check_allowed(const cli_args *args, size_t i, const char *mode,
                                  const char *sought, dp2dp_error *error) {
    const cli_option *option = &args->verb->options[i];
    char words[64];
    if (args->values[i].given && sought && strcmp(sought, option->name) == 0) {
        return cli_refuse(
            error,
            "--%s is the value that this command computes: leave the option out, or change --find",
            option->name);
    }
    return args->values[i].given && option->modes && !cli_list_has(option->modes, mode)
               ? cli_refuse(error, "--%s cannot be used with %s%s", option->name,
                            mode_words(args->verb, mode, words),
                            cli_advice_on_mode(option->name, mode))
               : DP2DP_STATUS_OK;
}

static dp2dp_status check_needed(const cli_args *args, size_t i, const char *mode,
                                 const char *sought, dp2dp_error *error) {
    const cli_option *option = &args->verb->options[i];
    char words[64];
    int needed = option->needs && cli_list_has(option->needs, mode) &&
                 !(sought && strcmp(sought, option->name) == 0);
    if (!needed || !is_missing(&args->values[i])) {
        return DP2DP_STATUS_OK;
    }
    return strcmp(mode, "scores") == 0
               ? cli_refuse(error, "--%s %s is needed: %.*s%s", option->name, option->value,
                            first_sentence(option->help), option->help,
                            cli_option_find(args->verb, "model") ? "; or give --model instead" : "")
               : cli_refuse(error, "%s needs --%s %s", mode_words(args->verb, mode, words),
                            option->name, option->value);
}

dp2dp_status cli_args_check_mode(const cli_args *args, const char *mode, const char *sought,
                                 dp2dp_error *error) {
    size_t count = args->verb->option_count;
    for (size_t i = 0; i < count; i++) {
        cli_faults_note(args->faults, check_allowed(args, i, mode, sought, error), error);
    }
    for (size_t i = 0; i < count; i++) {
        cli_faults_note(args->faults, check_needed(args, i, mode, sought, error), error);
    }
    return cli_faults_refuse(args->faults, error);
}

void cli_args_check_rules(const cli_args *args, const cli_args_rule *rules) {
    dp2dp_error error;
    for (; *rules; rules++) {
        cli_faults_note(args->faults, (*rules)(args, &error), &error);
    }
}

static const cli_value *value_of(const cli_args *args, const char *name) {
    const cli_option *option = cli_option_find(args->verb, name);
    if (option == NULL) {
        fprintf(stderr, "dp2dp: internal error: option --%s is not among the options of %s\n", name,
                args->verb->name);
        abort();
    }
    return &args->values[option - args->verb->options];
}

int cli_given(const cli_args *args, const char *name) {
    return value_of(args, name)->given;
}

int cli_missing(const cli_args *args, const char *name) {
    return !value_of(args, name)->given && !value_of(args, name)->meant;
}

double cli_real(const cli_args *args, const char *name) {
    return value_of(args, name)->number;
}

uint64_t cli_count(const cli_args *args, const char *name) {
    return (uint64_t)value_of(args, name)->number;
}

const char *cli_word(const cli_args *args, const char *name) {
    return value_of(args, name)->text;
}

size_t cli_item_count(const cli_args *args, const char *name) {
    char item[CLI_ITEM_SIZE];
    size_t count = 0;
    for (const char *rest = cli_word(args, name); rest; count++) {
        rest = cli_item_next(rest, item);
    }
    return count;
}

int cli_word_value(dp2dp_word_table table, const char *word) {
    dp2dp_error ignored;
    int value = 0;
    return dp2dp_word_parse(table, word, &value, &ignored) == DP2DP_STATUS_OK ? value : 0;
}

int cli_enum(const cli_args *args, const char *name, dp2dp_word_table table) {
    return cli_word_value(table, cli_word(args, name));
}

const char *cli_word_if_sure(const cli_args *args, const char *name) {
    const cli_value *value = value_of(args, name);
    const char *known = cli_option_find(args->verb, name)->value;
    char item[CLI_ITEM_SIZE];
    int sure = value->text && !value->meant;
    for (const char *rest = sure ? value->text : NULL; rest && sure;) {
        rest = cli_item_next(rest, item);
        sure = cli_list_has(known, item);
    }
    return sure ? value->text : NULL;
}

int cli_enum_if_sure(const cli_args *args, const char *name, dp2dp_word_table table) {
    return value_of(args, name)->meant ? 0 : cli_enum(args, name, table);
}

void cli_set_options(const cli_args *args, dp2dp_struct which, void *object) {
    size_t count;
    const dp2dp_option *options = dp2dp_options(which, &count);
    for (size_t i = 0; i < count; i++) {
        const cli_option *option = cli_option_of_field(args->verb, options[i].name);
        const cli_value *value = option ? &args->values[option - args->verb->options] : NULL;
        if (value && value->text) {
            /* Only counts are converted to integers: other numbers may be infinite, and infinity
             * has no integer. */
            int is_count = options[i].type == DP2DP_OPTION_COUNT;
            uint64_t whole = is_count ? (uint64_t)value->number : 0;
            memcpy((char *)object + options[i].offset,
                   is_count ? (const void *)&whole : &value->number, sizeof whole);
        }
    }
}

dp2dp_status cli_args_check_solvers(const cli_args *args, dp2dp_error *error) {
    char words[CLI_WORDS_SIZE] = "", solver[CLI_ITEM_SIZE];
    size_t count;
    const dp2dp_option *options = dp2dp_options(DP2DP_STRUCT_FIT_OPTIONS, &count);
    for (size_t i = 0; i < count; i++) {
        const cli_option *option = cli_option_of_field(args->verb, options[i].name);
        if (options[i].used_by == NULL || option == NULL || !cli_given(args, option->name)) {
            continue;
        }
        int used = 0;
        for (const char *rest = cli_word(args, "solver"); rest;) {
            rest = cli_item_next(rest, solver);
            used |= cli_list_has(options[i].used_by, solver);
        }
        if (!used) {
            cli_list_words(options[i].used_by, words);
            return cli_refuse(error, "--%s is only for --solver %s, not for %s", option->name,
                              words, cli_word(args, "solver"));
        }
    }
    return DP2DP_STATUS_OK;
}
