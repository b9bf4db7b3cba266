#include "input/advice.h"

#include <stdlib.h>
#include <string.h>

#include "input/kind.h"

enum {
    ADVICE_SIZE = 150, /* bytes of a message */
    LEVELS_SIZE = 120
};

static int is_there(const cli_header *header, const char *name) {
    for (size_t i = 0; i < header->count; i++) {
        if (strcmp(header->names[i], name) == 0) {
            return 1;
        }
    }
    return 0;
}

/* How many columns are missing, where these are most, and which there are. A line without any
 * column that is wanted may be somebody's values, and is not shown. */
static void list_columns(const dp2dp_table_options *options, const cli_header *header,
                         char text[ADVICE_SIZE]) {
    size_t count = options->column_count, missing = 0, used = 0;
    for (size_t i = 0; i < count; i++) {
        missing += !is_there(header, options->columns[i].name);
    }
    if (missing > 1 && 2 * missing > count) {
        used = (size_t)snprintf(text, ADVICE_SIZE,
                                "; %zu of %zu columns are missing: another table, or schema?",
                                missing, count);
    }
    if (missing == count) {
        return;
    }
    for (size_t i = 0; i < header->count; i++) {
        const char *before = i ? ", " : "; there are ";
        if (used + strlen(before) + strlen(header->names[i]) + 6 > ADVICE_SIZE) {
            snprintf(text + used, ADVICE_SIZE - used, ", ...");
            break;
        }
        used += (size_t)snprintf(text + used, ADVICE_SIZE - used, "%s%s", before, header->names[i]);
    }
}

void cli_advise_table(const char *path, const dp2dp_table_options *options, dp2dp_error *error) {
    cli_header header;
    char listed[ADVICE_SIZE] = "";
    dp2dp_error found = *error;
    const char *advice = cli_kind_header(path, options->separator, options->skip_lines, &header);
    const char *nearest = strstr(found.message, "; the nearest name is ");
    if (header.headless && nearest) {
        (void)cli_fail(error, found.status, "%.*s: %.100s%s", (int)(nearest - found.message),
                       found.message, path, advice);
        return;
    }
    if (header.count > 0 && !header.headless && !nearest) {
        list_columns(options, &header, listed);
    }
    (void)cli_fail(error, found.status, "%.170s%s%s", found.message, advice, listed);
}

int cli_advice_lacks_column(const dp2dp_error *error) {
    return strncmp(error->message, "no column ", 10) == 0;
}

static void advise(dp2dp_error *error) {
    static const char fill_in[] =
        "fill it in or take the row out; of raw rows a schema can drop it",
                      unpack[] = "unpack it, or save a spreadsheet as CSV";
    static const struct {
        const char *fault, *advice;
    } known[] = {
        {": not a number: ", "a number has a decimal point, and no % or blank in it"},
        {": empty where a number is wanted: ", fill_in},
        {": the value is missing: ", fill_in},
        {": more fields than the first line: ", "a text with the separator in it needs quotes"},
        {": a carriage return without a line feed: ", "lines must end with a line feed"},
        {": a NUL byte; is the file UTF-16?: ", "save it as UTF-8 text"},
        {"the archive holds something other than an NPY array: ", unpack},
        {".xml\": ", unpack}, /* as the name of an array */
        {"several columns are named ", "give each a name of its own"},
    };
    size_t used = strlen(error->message);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strstr(error->message, known[i].fault)) {
            snprintf(error->message + used, sizeof error->message - used, "; %s", known[i].advice);
            return;
        }
    }
}

/* Lines of a CSV file are counted as an editor does; a row is told from a line. */
static void name_rows(const cli_args *args, dp2dp_error *error) {
    size_t used = strlen(error->message);
    int rows = strncmp(error->message, "row ", 4) == 0 &&
               cli_option_find(args->verb, "no-header") && !cli_given(args, "no-header");
    if (rows) {
        snprintf(error->message + used, sizeof error->message - used,
                 " (row 1 comes after the header)");
    }
}

void cli_advise(const cli_args *args, dp2dp_error *error) {
    advise(error);
    name_rows(args, error);
}

void cli_advise_column(const char *column, const char *why, dp2dp_error *error) {
    const dp2dp_error found = *error;
    char start[DP2DP_ERROR_MESSAGE_SIZE];
    snprintf(start, sizeof start, "no column is named \"%.200s\"", column);
    if (strncmp(found.message, start, strlen(start)) == 0) {
        (void)cli_fail(error, found.status, "%.*s; %s%s", (int)strlen(start), found.message, why,
                       found.message + strlen(start));
    }
}

const char *cli_advise_levels(const dp2dp_schema_info *schema, const char *message,
                              char text[CLI_ADVICE_SIZE]) {
    const char *at = strstr(message, ", column \"");
    if (at == NULL || strstr(message, "list of levels") == NULL) {
        return message;
    }
    snprintf(text, DP2DP_ERROR_MESSAGE_SIZE, "%s", message);
    size_t used = strlen(text), size = used + LEVELS_SIZE;
    for (size_t i = 0; i < schema->column_count; i++) {
        const dp2dp_schema_column *c = &schema->columns[i];
        char start[DP2DP_ERROR_MESSAGE_SIZE];
        snprintf(start, sizeof start, ", column \"%.200s\": ", c->name);
        if (strncmp(at, start, strlen(start)) != 0) {
            continue;
        }
        for (size_t k = 0; k < c->declared_count; k++) {
            const char *before = k ? ", " : "; the schema has ";
            if (used + strlen(before) + strlen(c->levels[k]) + 8 > size) {
                snprintf(text + used, size - used, ", ...");
                break;
            }
            used += (size_t)snprintf(text + used, size - used, "%s\"%s\"", before, c->levels[k]);
        }
        break;
    }
    return text;
}

/* Moves *text behind the words and the number after them, if it begins so. */
static int skip_number(const char **text, const char *words, uint64_t *number) {
    size_t length = strlen(words);
    char *end;
    if (strncmp(*text, words, length) != 0) {
        return 0;
    }
    *number = strtoull(*text + length, &end, 10);
    *text = end;
    return *number > 0;
}

const char *cli_advice_score(const dp2dp_error *error, uint64_t *row, uint64_t *column) {
    const char *rest = error->message;
    return skip_number(&rest, "row ", row) && skip_number(&rest, ", score column ", column) &&
                   strncmp(rest, ": ", 2) == 0
               ? rest + 2
               : NULL;
}
