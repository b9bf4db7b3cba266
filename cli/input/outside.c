#include "input/outside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/number.h"
#include "input/whole_table.h"

enum {
    MANY = 20, /* in a table with fewer rows than this, something is reported only if it is true of
                  all rows */
    CUTS_SIZE = 100,
    NUMBER_SIZE = 32
};

dp2dp_status cli_outside_count(const dp2dp_schema *schema, cli_watch *watch, dp2dp_error *error) {
    if (schema == NULL) {
        return DP2DP_STATUS_OK;
    }
    size_t count = dp2dp_schema_view(schema)->column_count;
    watch->outside.columns = calloc(count, sizeof *watch->outside.columns);
    watch->spreads = calloc(count, sizeof *watch->spreads);
    size_t groups = dp2dp_schema_view(schema)->group_count;
    watch->outside.kept = calloc(groups + 1, sizeof *watch->outside.kept);
    watch->outside.left_out = calloc(groups + 1, sizeof *watch->outside.left_out);
    watch->outside.rows_repeated = watch->seeks_copies ? &watch->rows_repeated : NULL;
    return cli_check_memory(watch->outside.columns && watch->spreads && watch->outside.kept &&
                                watch->outside.left_out,
                            "the counts", error);
}

void cli_outside_free(cli_watch *watch) {
    free(watch->outside.columns);
    free(watch->outside.kept);
    free(watch->outside.left_out);
    free(watch->spreads);
    watch->outside = (dp2dp_outside) {0};
    watch->spreads = NULL;
    watch->rows_repeated = 0;
}

static int is_most(uint64_t count, uint64_t rows) {
    return (count == rows && rows > 0) || (rows >= MANY && count > rows / 2);
}

/* Returns whether at least one value in a hundred is outside the bounds or the list of its column.
 */
static int is_some(uint64_t count, uint64_t rows) {
    return is_most(count, rows) || (rows >= MANY && count > 0 && 100 * count >= rows);
}

/* Returns whether at least one value in ten is outside the bounds or the list of its column. A
 * smaller share is not worth a line on stderr each time a pipeline runs. */
static int is_much(uint64_t count, uint64_t rows) {
    return is_some(count, rows) && 10 * count >= rows;
}

typedef int (*share_test)(uint64_t count, uint64_t rows);

/* What may be wrong with a column. */
typedef enum notice {
    NOTHING,
    SAME_NUMBER, /* many values are one and the same number outside the bounds */
    SAME_TEXT,   /* many values are one and the same text, or look like missing values, and are not
                    in the column's list */
    MARKER,      /* a number within the bounds probably stands for a missing value */
    OUTSIDE,     /* many values are outside the column's bounds or list */
    THOUSANDS,   /* a dot between thousands was probably read as a decimal point */
    TOO_WIDE,    /* the bounds of the column are much wider than its values */
    TELLS_GROUP, /* the column reveals the group, which the rule must not see */
    TELLS_LABEL, /* the column reveals the label */
    MARKS_LABEL, /* the column reveals who has one of the classes */
    IDS,         /* the numbers of the column are probably ids of people */
    ONE_LEVEL,   /* all values of the column, or nearly all, are in one group, or in one class */
    ONE_VALUE    /* a feature is the same for everybody */
} notice;

static uint64_t most_unlisted(const dp2dp_spread *spread) {
    return spread->same_unlisted > spread->missing_unlisted ? spread->same_unlisted
                                                            : spread->missing_unlisted;
}

static notice notice_of(const cli_watch *watch, size_t i, share_test is_noticed) {
    const dp2dp_outside *found = &watch->outside;
    return watch->hides_group && watch->spreads[i].tells_group       ? TELLS_GROUP
           : watch->spreads[i].tells_label                           ? TELLS_LABEL
           : watch->spreads[i].marks_label                           ? MARKS_LABEL
           : watch->is_training && watch->spreads[i].are_ids         ? IDS
           : is_some(watch->spreads[i].same_outside, found->rows)    ? SAME_NUMBER
           : is_some(most_unlisted(&watch->spreads[i]), found->rows) ? SAME_TEXT
           : watch->spreads[i].same_inside                           ? MARKER
           : is_noticed(found->columns[i], found->rows)              ? OUTSIDE
           : watch->spreads[i].has_thousands                         ? THOUSANDS
           : watch->spreads[i].is_narrow                             ? TOO_WIDE
           : watch->spreads[i].has_one_level                         ? ONE_LEVEL
           : watch->spreads[i].has_one_value                         ? ONE_VALUE
                                                                     : NOTHING;
}

/* Finds the first column, from position *at on, that gets a caution or a note, and moves *at to
 * this column. `is_noticed` says whether enough values of a column are outside its bounds or its
 * list. Returns NULL if no such column is left. */
static const dp2dp_schema_column *next(const dp2dp_schema *schema, const cli_watch *watch,
                                       share_test is_noticed, size_t *at) {
    if (schema == NULL || watch->outside.columns == NULL) {
        return NULL;
    }
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    for (; *at < info->column_count; (*at)++) {
        if (notice_of(watch, *at, is_noticed) != NOTHING) {
            return &info->columns[*at];
        }
    }
    return NULL;
}

/* Returns whether column i gets a caution rather than a note. */
static int is_caution(const cli_watch *watch, size_t i) {
    notice what = notice_of(watch, i, is_most);
    return what != NOTHING && what != ONE_LEVEL && what != ONE_VALUE;
}

static void describe_outside(const dp2dp_schema_column *c, uint64_t count, uint64_t rows,
                             char text[CLI_OUTSIDE_SIZE]) {
    const char *kind = is_most(count, rows) ? "CAUTION" : "Note";
    if (c->kind == DP2DP_KIND_NUMERIC) {
        snprintf(text, CLI_OUTSIDE_SIZE,
                 "%s: %" PRIu64 " of %" PRIu64 " values of %s are outside its bounds, %s to "
                 "%s, and were clipped. Check the unit of the column.",
                 kind, count, rows, c->name, cli_number_exact(c->lower).text,
                 cli_number_exact(c->upper).text);
    } else {
        snprintf(text, CLI_OUTSIDE_SIZE,
                 "%s: %" PRIu64 " of %" PRIu64 " values of %s are not in its list of %zu "
                 "levels and count as unknown. Check their spelling.",
                 kind, count, rows, c->name, c->declared_count);
    }
}

static void describe_same_number(const dp2dp_schema_column *c, uint64_t count, uint64_t same,
                                 uint64_t rows, char text[CLI_OUTSIDE_SIZE]) {
    snprintf(text, CLI_OUTSIDE_SIZE,
             "CAUTION: %" PRIu64 " of %" PRIu64 " values of %s are outside its bounds, %s to %s, "
             "and were clipped; %s%" PRIu64
             " of them are one and the same number. Does this number stand for a missing value, as "
             "-999 often does? Then list it in --missing.",
             count, rows, c->name, cli_number_exact(c->lower).text, cli_number_exact(c->upper).text,
             same < count ? "at least " : "", same);
}

static void describe_same_text(const dp2dp_schema_column *c, const dp2dp_outside *found, size_t i,
                               const dp2dp_spread *spread, char text[CLI_OUTSIDE_SIZE]) {
    uint64_t count = found->columns[i], same = spread->same_unlisted,
             missing = spread->missing_unlisted;
    int are_missing = missing > 0 && missing >= same;
    char which[2 * NUMBER_SIZE + 64];
    if (are_missing) {
        snprintf(which, sizeof which, "%" PRIu64 " of them look like missing values (NA, ?)",
                 missing);
    } else {
        snprintf(which, sizeof which, "%s%" PRIu64 " of them are one and the same text",
                 same < count ? "at least " : "", same);
    }
    snprintf(text, CLI_OUTSIDE_SIZE,
             "CAUTION: %" PRIu64 " of %" PRIu64 " values of %s are not in its list of %zu levels "
             "and count as unknown; %s. %s",
             count, found->rows, c->name, c->declared_count, which,
             are_missing ? "If they are missing values, list them in --missing, as written in the "
                           "table."
                         : "Check its spelling, or add it to the list.");
}

static void describe_marker(const dp2dp_schema_column *c, const dp2dp_spread *spread,
                            char text[CLI_OUTSIDE_SIZE]) {
    cli_number number = cli_number_exact(spread->is_lowest ? spread->smallest : spread->largest);
    snprintf(text, CLI_OUTSIDE_SIZE,
             "CAUTION: %" PRIu64 " of %" PRIu64 " values of %s are %s, and all others are far from "
             "this number. Does %s stand for a missing value? Then list it in --missing.",
             spread->same_inside, spread->all, c->name, number.text, number.text);
}

static void describe_thousands(const dp2dp_schema_column *c, const dp2dp_spread *spread,
                               char text[CLI_OUTSIDE_SIZE]) {
    snprintf(
        text, CLI_OUTSIDE_SIZE,
        "CAUTION: %" PRIu64 " of %" PRIu64
        " values of %s have decimals (at most three), and the largest values are whole numbers "
        "below 1000. Was a dot that separates thousands, as in 1.234, read as a decimal point?",
        spread->fractions, spread->numbers, c->name);
}

/* Describes a column whose bounds are much wider than its values. Neither spread->inside nor
 * spread->values counts zeros and values at a bound, so the message does not mention them. */
static void describe_too_wide(const dp2dp_schema_column *c, const dp2dp_spread *spread,
                              char text[CLI_OUTSIDE_SIZE]) {
    snprintf(text, CLI_OUTSIDE_SIZE,
             "CAUTION: %" PRIu64 " of %" PRIu64
             " values of %s are between %.4g and %.4g, but its bounds are much wider: %s to %s. "
             "Check the unit of the column. If the unit is right, the bounds are too wide%s.",
             spread->inside, spread->values, c->name, spread->lower, spread->upper,
             cli_number_exact(c->lower).text, cli_number_exact(c->upper).text,
             c->log1p ? "" : ", so a classifier hardly sees how these values differ");
}

static void describe_tells_group(const dp2dp_schema_column *c, char text[CLI_OUTSIDE_SIZE]) {
    snprintf(text, CLI_OUTSIDE_SIZE,
             "CAUTION: each value of %s occurs in one group only, so the column reveals the group. "
             "A rule that must not see the group (--unaware) would see the group through this "
             "column. Leave the column out of the features.",
             c->name);
}

static void describe_tells_label(const dp2dp_schema_column *c, char text[CLI_OUTSIDE_SIZE]) {
    snprintf(text, CLI_OUTSIDE_SIZE,
             "CAUTION: each value of %s occurs with one class only, so the column reveals the "
             "label. Is the column a copy of the label, or known only after the decision? Then "
             "leave it out of the features.",
             c->name);
}

static void describe_marks_label(const dp2dp_schema_info *info, const dp2dp_schema_column *c,
                                 const dp2dp_spread *spread, char text[CLI_OUTSIDE_SIZE]) {
    const char *label = "";
    for (size_t i = 0; i < info->column_count; i++) {
        label = info->columns[i].role == DP2DP_ROLE_LABEL ? info->columns[i].levels[spread->marked]
                                                          : label;
    }
    snprintf(text, CLI_OUTSIDE_SIZE,
             "CAUTION: %s%s for everybody of the class \"%s\", and for nobody else, so the column "
             "reveals this class. Is the column filled in only after the decision? Then leave it "
             "out of the features.",
             c->name, spread->marks_label == 2 ? " is not 0" : " has one and the same value",
             label);
}

static void describe_ids(const dp2dp_schema_column *c, const dp2dp_spread *spread,
                         char text[CLI_OUTSIDE_SIZE]) {
    snprintf(text, CLI_OUTSIDE_SIZE,
             "CAUTION: the %" PRIu64 " values of %s are different whole numbers that lie close "
             "together. If they are ids of people, or positions in a table, they say nothing about "
             "other people: leave the column out of the features.",
             spread->all, c->name);
}

static const char *level_noun(const dp2dp_schema_column *c) {
    return c->role == DP2DP_ROLE_LABEL ? "class" : "group";
}

static void describe_one_level(const dp2dp_schema_column *c, const dp2dp_spread *spread,
                               char text[CLI_OUTSIDE_SIZE]) {
    char cuts[CUTS_SIZE] = "", of_all[NUMBER_SIZE] = "";
    size_t used = 0;
    int is_all = spread->in_level == spread->all;
    if (!is_all) {
        snprintf(of_all, sizeof of_all, " of %" PRIu64, spread->all);
    }
    for (size_t i = 0; i < c->cut_count; i++) {
        cli_number cut = cli_number_exact(c->cuts[i]);
        int has_room = used + strlen(cut.text) + sizeof ", , ..." <= CUTS_SIZE;
        used += (size_t)snprintf(cuts + used, CUTS_SIZE - used, "%s%s", i > 0 ? ", " : "",
                                 has_room ? cut.text : "...");
        if (!has_room) {
            break;
        }
    }
    int length =
        snprintf(text, CLI_OUTSIDE_SIZE,
                 "Note: %s%" PRIu64 "%s values of %s are in the %s \"%s\". ", is_all ? "all " : "",
                 spread->in_level, of_all, c->name, level_noun(c), c->levels[spread->level]);
    size_t start = length > 0 && length < CLI_OUTSIDE_SIZE ? (size_t)length : 0;
    if (c->cuts) {
        snprintf(text + start, CLI_OUTSIDE_SIZE - start,
                 "Do the values have the same unit as the %s (%s)?",
                 c->cut_count == 1 ? "cut point" : "cut points", cuts);
    } else {
        snprintf(text + start, CLI_OUTSIDE_SIZE - start,
                 "Was the table cut from a larger table that is sorted by %s?", c->name);
    }
}

static void describe_one_value(const dp2dp_schema_column *c, const dp2dp_spread *spread,
                               char text[CLI_OUTSIDE_SIZE]) {
    snprintf(text, CLI_OUTSIDE_SIZE,
             "Note: all %" PRIu64 " values of %s are the same, so the column does not tell people "
             "apart. Were its values lost, for example in an export?",
             spread->all, c->name);
}

/* Writes what may be wrong with column i: a caution or, if it is less alarming, a note. */
static void describe(const dp2dp_schema *schema, const cli_watch *watch, size_t i,
                     share_test is_noticed, char text[CLI_OUTSIDE_SIZE]) {
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    const dp2dp_schema_column *c = &info->columns[i];
    const dp2dp_outside *found = &watch->outside;
    switch (notice_of(watch, i, is_noticed)) {
    case OUTSIDE:
        describe_outside(c, found->columns[i], found->rows, text);
        break;
    case SAME_NUMBER:
        describe_same_number(c, found->columns[i], watch->spreads[i].same_outside, found->rows,
                             text);
        break;
    case SAME_TEXT:
        describe_same_text(c, found, i, &watch->spreads[i], text);
        break;
    case MARKER:
        describe_marker(c, &watch->spreads[i], text);
        break;
    case THOUSANDS:
        describe_thousands(c, &watch->spreads[i], text);
        break;
    case TOO_WIDE:
        describe_too_wide(c, &watch->spreads[i], text);
        break;
    case TELLS_GROUP:
        describe_tells_group(c, text);
        break;
    case TELLS_LABEL:
        describe_tells_label(c, text);
        break;
    case MARKS_LABEL:
        describe_marks_label(info, c, &watch->spreads[i], text);
        break;
    case IDS:
        describe_ids(c, &watch->spreads[i], text);
        break;
    case ONE_LEVEL:
        describe_one_level(c, &watch->spreads[i], text);
        break;
    case ONE_VALUE:
        describe_one_value(c, &watch->spreads[i], text);
        break;
    case NOTHING:
        text[0] = 0;
    }
}

void cli_outside_text(const dp2dp_schema *schema, const cli_watch *watch, cli_out *out) {
    char text[CLI_OUTSIDE_SIZE];
    for (size_t i = 0; next(schema, watch, is_some, &i) != NULL; i++) {
        describe(schema, watch, i, is_some, text);
        cli_out_prose(out, "%s", text);
    }
    cli_whole whole[CLI_WHOLE_MOST];
    size_t count = cli_whole_find(schema, watch, whole);
    for (size_t i = 0; i < count; i++) {
        cli_out_prose(out, "%s", whole[i].text);
    }
}

int cli_outside_next(const dp2dp_schema *schema, const cli_watch *watch, size_t *at,
                     char text[CLI_OUTSIDE_SIZE]) {
    for (; next(schema, watch, is_most, at) != NULL; ++*at) {
        if (is_caution(watch, *at)) {
            describe(schema, watch, (*at)++, is_most, text);
            return 1;
        }
    }
    return 0;
}

void cli_outside_tell(const dp2dp_schema *schema, const cli_watch *watch) {
    char text[CLI_OUTSIDE_SIZE];
    for (size_t i = 0; next(schema, watch, is_much, &i) != NULL; i++) {
        describe(schema, watch, i, is_much, text);
        cli_print_safely(stderr, text);
        const char *noun = is_caution(watch, i) ? "caution" : "note";
        fprintf(stderr, " This %s comes from the data without noise: do not publish the %s.\n",
                noun, noun);
    }
    cli_whole whole[CLI_WHOLE_MOST];
    size_t count = cli_whole_find(schema, watch, whole);
    for (size_t i = 0; i < count; i++) {
        cli_print_safely(stderr, whole[i].text);
        fputs(" This caution comes from the data without noise: do not publish the caution.\n",
              stderr);
    }
}

/* Returns the word that the JSON output uses for what may be wrong with a column. */
static const char *word_of(const dp2dp_schema_column *c, notice what) {
    switch (what) {
    case THOUSANDS:
        return "thousands-separated";
    case TOO_WIDE:
        return "bounds-too-wide";
    case TELLS_GROUP:
        return "group-in-column";
    case TELLS_LABEL:
    case MARKS_LABEL:
        return "label-in-column";
    case MARKER:
        return "number-for-missing";
    case IDS:
        return "numbers-are-ids";
    case ONE_LEVEL:
        return c->role == DP2DP_ROLE_LABEL ? "one-class" : "one-group";
    case ONE_VALUE:
        return "one-value";
    default:
        return c->kind == DP2DP_KIND_NUMERIC ? "bounds-exceeded" : "levels-unlisted";
    }
}

/* Writes an entry of the JSON array "outside". */
static void caution_json(const dp2dp_schema_column *c, const cli_watch *watch, size_t i,
                         cli_json *json) {
    const dp2dp_spread *spread = &watch->spreads[i];
    notice what = notice_of(watch, i, is_most);
    cli_json_text(json, "warning", word_of(c, what));
    cli_json_text(json, "column", c->name);
    const uint64_t values[] = {[SAME_NUMBER] = watch->outside.columns[i],
                               [SAME_TEXT] = watch->outside.columns[i],
                               [MARKER] = spread->same_inside,
                               [OUTSIDE] = watch->outside.columns[i],
                               [THOUSANDS] = spread->fractions,
                               [TOO_WIDE] = spread->inside,
                               [TELLS_GROUP] = watch->outside.rows,
                               [TELLS_LABEL] = watch->outside.rows,
                               [MARKS_LABEL] = watch->outside.rows,
                               [IDS] = spread->all,
                               [ONE_LEVEL] = spread->in_level,
                               [ONE_VALUE] = spread->all};
    const uint64_t rows[] = {[SAME_NUMBER] = watch->outside.rows,
                             [SAME_TEXT] = watch->outside.rows,
                             [MARKER] = spread->all,
                             [OUTSIDE] = watch->outside.rows,
                             [THOUSANDS] = spread->numbers,
                             [TOO_WIDE] = spread->values,
                             [TELLS_GROUP] = watch->outside.rows,
                             [TELLS_LABEL] = watch->outside.rows,
                             [MARKS_LABEL] = watch->outside.rows,
                             [IDS] = spread->all,
                             [ONE_LEVEL] = spread->all,
                             [ONE_VALUE] = spread->all};
    cli_json_count(json, "values", values[what]);
    cli_json_count(json, "rows", rows[what]);
    if (what == SAME_NUMBER) {
        cli_json_count(json, "same", spread->same_outside);
    }
    if (what == SAME_TEXT && spread->same_unlisted > 0) {
        cli_json_count(json, "same", spread->same_unlisted);
    }
    if (what == SAME_TEXT && spread->missing_unlisted > 0) {
        cli_json_count(json, "look_missing", spread->missing_unlisted);
    }
    if (what == ONE_LEVEL) {
        cli_json_text(json, level_noun(c), c->levels[spread->level]);
    }
}

/* Writes an entry of the JSON array "outside_counts". */
static void count_json(const dp2dp_schema_column *c, const cli_watch *watch, size_t i,
                       cli_json *json) {
    cli_json_text(json, "column", c->name);
    cli_json_count(json, c->kind == DP2DP_KIND_NUMERIC ? "clipped" : "unlisted",
                   watch->outside.columns[i]);
    cli_json_count(json, "rows", watch->outside.rows);
}

typedef void (*entry_json)(const dp2dp_schema_column *c, const cli_watch *watch, size_t i,
                           cli_json *json);

/* An array that is written only if it has an entry. */
typedef struct array {
    const char *key;
    int is_open;
    cli_json *json;
} array;

static void open_entry(array *a) {
    if (!a->is_open) {
        cli_json_open_array(a->json, a->key);
        a->is_open = 1;
    }
    cli_json_open_object(a->json, NULL);
}

static void close_array(const array *a) {
    if (a->is_open) {
        cli_json_close_array(a->json);
    }
}

/* Adds an entry for each column that has something wrong. */
static void list_json(const dp2dp_schema *schema, const cli_watch *watch, share_test is_noticed,
                      entry_json write, array *out) {
    const dp2dp_schema_column *c;
    for (size_t i = 0; (c = next(schema, watch, is_noticed, &i)) != NULL; i++) {
        notice what = notice_of(watch, i, is_noticed);
        if (write == count_json && what != OUTSIDE && what != SAME_NUMBER && what != SAME_TEXT) {
            continue;
        }
        open_entry(out);
        write(c, watch, i, out->json);
        cli_json_close_object(out->json);
    }
}

/* Adds an entry for everything that is wrong with the table as a whole. */
static void list_whole_json(const dp2dp_schema *schema, const cli_watch *watch, array *out) {
    cli_whole whole[CLI_WHOLE_MOST];
    size_t count = cli_whole_find(schema, watch, whole);
    for (size_t i = 0; i < count; i++) {
        open_entry(out);
        cli_json_text(out->json, "warning", whole[i].word);
        if (whole[i].column) {
            cli_json_text(out->json, "column", whole[i].column);
        }
        cli_json_close_object(out->json);
    }
}

void cli_outside_json(const dp2dp_schema *schema, const cli_watch *watch, cli_json *json) {
    array cautions = {.key = "outside", .json = json};
    array counts = {.key = "outside_counts", .json = json};
    list_json(schema, watch, is_most, caution_json, &cautions);
    list_whole_json(schema, watch, &cautions);
    close_array(&cautions);
    list_json(schema, watch, is_some, count_json, &counts);
    close_array(&counts);
}
