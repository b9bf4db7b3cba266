#include "input/names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static dp2dp_status read_weights(const cli_args *args, int unaware, int labelled, cli_names *n,
                                 dp2dp_error *error) {
    size_t groups = n->groups.count, pairs = groups * n->class_count;
    int given = cli_given(args, "group-scores");
    if (given != unaware) {
        return given ? cli_refuse(error, "--group-scores needs --unaware: a rule that sees the "
                                         "group does not use group scores")
                     : cli_refuse(error,
                                  "--unaware needs --group-scores: name the columns that hold the "
                                  "probability of each group, or of each pair of group and label");
    }
    if (!given) {
        return DP2DP_STATUS_OK;
    }
    CLI_TRY(cli_list_read(args, "group-scores", &n->weights, error));
    if (n->weights.count == groups || (labelled && n->weights.count == pairs)) {
        return DP2DP_STATUS_OK;
    }
    return labelled
               ? cli_refuse(error,
                            "--group-scores has %zu columns, but needs %zu (one for each group) or "
                            "%zu (one for each pair of group and label)",
                            n->weights.count, groups, pairs)
               : cli_refuse(error,
                            "--group-scores has %zu columns, but needs %zu (one for each "
                            "group)",
                            n->weights.count, groups);
}

/* Names the classes 0, 1, ..., as the library does if there are no --classes. */
static dp2dp_status number_classes(cli_names *n, dp2dp_error *error) {
    size_t count = n->class_count;
    n->numbers = calloc(count, sizeof *n->numbers);
    n->numbered = calloc(count, sizeof *n->numbered);
    CLI_TRY(cli_check_memory(n->numbers && n->numbered, "the names of classes", error));
    for (size_t k = 0; k < count; k++) {
        snprintf(n->numbers[k], CLI_NAME_SIZE, "%zu", k);
        n->numbered[k] = n->numbers[k];
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_names_read(const cli_args *args, int unaware, int labelled, cli_names *out,
                            dp2dp_error *error) {
    if (cli_given(args, "scores")) {
        CLI_TRY(cli_list_read(args, "scores", &out->scores, error));
    }
    CLI_TRY(cli_list_read(args, "groups", &out->groups, error));
    if (cli_given(args, "classes")) {
        CLI_TRY(cli_list_read(args, "classes", &out->classes, error));
    }
    out->class_count = out->scores.items ? out->scores.count : out->classes.count;
    const char *few = out->groups.count < 2  ? "groups"
                      : out->class_count > 1 ? NULL
                      : out->scores.items    ? "scores"
                                             : "classes";
    if (few) {
        const cli_list *list = few[0] == 's'   ? &out->scores
                               : few[0] == 'g' ? &out->groups
                                               : &out->classes;
        int joined = list->count == 1 && strpbrk(list->items[0], ";| ") != NULL;
        return cli_refuse(error, "--%s has one name, but at least 2 are needed%s", few,
                          joined ? ": separate the names with commas, as in A,B"
                          : few[0] == 's'
                              ? ", one column per class; if you have only the probability of "
                                "\"yes\", add a column for \"no\" that holds 1 minus that "
                                "probability"
                              : "");
    }
    if (out->classes.items && out->classes.count != out->class_count) {
        return cli_refuse(error,
                          "--classes has %zu names but --scores has %zu: give one class "
                          "name per score column",
                          out->classes.count, out->scores.count);
    }
    CLI_TRY(read_weights(args, unaware, labelled, out, error));
    return number_classes(out, error);
}

void cli_names_free(cli_names *names) {
    free(names->numbers);
    free(names->numbered);
    cli_list_free(&names->weights);
    cli_list_free(&names->classes);
    cli_list_free(&names->groups);
    cli_list_free(&names->scores);
    *names = (cli_names) {0};
}

static int has(const cli_list *list, const char *name) {
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i], name) == 0) {
            return 1;
        }
    }
    return 0;
}

dp2dp_status cli_names_check_order(const cli_columns *columns, dp2dp_error *error) {
    CLI_TRY(dp2dp_check_order("class", columns->scores, NULL, columns->class_names,
                              columns->classes, error));
    return columns->weight_count == columns->groups
               ? dp2dp_check_order("group", columns->weights, NULL, columns->group_names,
                                   columns->groups, error)
               : DP2DP_STATUS_OK;
}

dp2dp_status cli_names_check(const cli_args *args, const cli_names *names, dp2dp_error *error) {
    const char *group = cli_word(args, "sensitive"), *label = cli_word(args, "label");
    if (group && has(&names->scores, group)) {
        return cli_refuse(error, "--sensitive %.60s: the column is in --scores too", group);
    }
    const char *twice = label == NULL                        ? NULL
                        : has(&names->scores, label)         ? "scores"
                        : has(&names->weights, label)        ? "group-scores"
                        : group && strcmp(group, label) == 0 ? "sensitive"
                                                             : NULL;
    return twice ? cli_refuse(error, "--label %.60s: the column is in --%s too", label, twice)
                 : DP2DP_STATUS_OK;
}

/* Returns 1 if both lists have the same names, in any order. Returns 0 if a name is a number:
 * groups and classes may both be called 0 and 1 without being the same. */
static int are_same(const cli_list *a, const cli_list *b) {
    for (size_t i = 0; i < a->count; i++) {
        const char *name = a->items[i];
        if (!has(b, name) || name[strspn(name, "0123456789.+-")] == '\0') {
            return 0;
        }
    }
    return a->count == b->count && a->count > 0;
}

/* Returns whether a name ends with one of the words. For example, "p_yes" ends with yes, and "p1"
 * with 1. */
static int ends_with_any(const char *name, const char *words) {
    size_t length = strlen(name), from = length;
    char word[CLI_NAME_SIZE];
    int is_digit = length > 0 && isdigit((unsigned char)name[length - 1]);
    while (from > 0 && (is_digit ? isdigit : isalpha)((unsigned char)name[from - 1])) {
        from--;
    }
    size_t i = 0;
    for (; from + i < length && i + 1 < sizeof word; i++) {
        word[i] = (char)tolower((unsigned char)name[from + i]);
    }
    word[i] = '\0';
    return cli_list_has(words, word);
}

/* Returns whether two names are equal if blanks and upper or lower case are ignored. */
static int are_alike(const char *one, const char *other) {
    for (;; one++, other++) {
        one += strspn(one, " ");
        other += strspn(other, " ");
        if (tolower((unsigned char)*one) != tolower((unsigned char)*other)) {
            return 0;
        }
        if (*one == '\0') {
            return 1;
        }
    }
}

/* Prints a note about the first two names of an option that differ only in their case or blanks. */
static void tell_alike(const cli_args *args, const char *option, const cli_list *names) {
    for (size_t i = 0; i < names->count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (are_alike(names->items[i], names->items[j])) {
                fprintf(stderr,
                        "dp2dp %s: note: '%.60s' and '%.60s' in --%s differ only in blanks or in "
                        "upper and lower case, and count as two names. If both mean the same, "
                        "write only one of them in the table\n",
                        args->verb->name, names->items[j], names->items[i], option);
                return;
            }
        }
    }
}

void cli_names_tell(const cli_args *args, const cli_names *names) {
    const cli_list *scores = &names->scores;
    tell_alike(args, "groups", &names->groups);
    tell_alike(args, "classes", &names->classes);
    if (are_same(&names->groups, &names->classes)) {
        fprintf(stderr,
                "dp2dp %s: note: --groups and --classes have the same names. Does --sensitive name "
                "the label column instead of the group column?\n",
                args->verb->name);
    }
    if (names->classes.items == NULL && scores->count == 2 &&
        ends_with_any(scores->items[0], "yes|1|true|pos|positive") &&
        ends_with_any(scores->items[1], "no|0|false|neg|negative")) {
        fprintf(stderr,
                "dp2dp %s: note: without --classes, the first column of --scores is class 0 and "
                "the second is class 1. The names of the columns suggest the opposite order. If "
                "that is what you mean, change the order of the columns, or name the classes with "
                "--classes.\n"
                "",
                args->verb->name);
    }
}

cli_columns cli_names_columns(const cli_args *args, const cli_names *names) {
    return (cli_columns) {
        .args = args,
        .path = args->operands[0],
        .scores = (const char *const *)names->scores.items,
        .classes = names->class_count,
        .group = cli_word(args, "sensitive"),
        .group_names = (const char *const *)names->groups.items,
        .groups = names->groups.count,
        .class_names =
            names->classes.items ? (const char *const *)names->classes.items : names->numbered,
        .weights = (const char *const *)names->weights.items,
        .weight_count = names->weights.count,
        .row_sums = cli_given(args, "normalize") ? DP2DP_ROW_SUMS_NORMALIZE : DP2DP_ROW_SUMS_CHECK};
}
