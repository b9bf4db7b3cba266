#include "input/outside.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/number.h"

enum {
    MANY = 20, /* with fewer rows, a share of them says too little */
    TEXT_SIZE = 1024
};

dp2dp_status cli_outside_count(const dp2dp_schema *schema, cli_watch *watch, dp2dp_error *error) {
    if (schema == NULL) {
        return DP2DP_STATUS_OK;
    }
    watch->outside.columns =
        calloc(dp2dp_schema_view(schema)->column_count, sizeof *watch->outside.columns);
    return cli_check_memory(watch->outside.columns, "the counts", error);
}

void cli_outside_free(cli_watch *watch) {
    free(watch->outside.columns);
    watch->outside = (dp2dp_outside) {0};
}

static int is_most(uint64_t count, uint64_t rows) {
    return (count == rows && rows > 0) || (rows >= MANY && count > rows / 2);
}

/* Returns whether at least one value in a hundred is outside. */
static int is_some(uint64_t count, uint64_t rows) {
    return is_most(count, rows) || (rows >= MANY && count > 0 && 100 * count >= rows);
}

/* Returns whether at least one value in ten is outside: a smaller share is not worth a line on
 * stderr whenever a pipeline runs. */
static int is_much(uint64_t count, uint64_t rows) {
    return is_some(count, rows) && 10 * count >= rows;
}

typedef int (*share_test)(uint64_t count, uint64_t rows);

/* Returns the first column at position *at or later whose values are outside its bounds or list in
 * such a share of the rows; NULL if there is none. */
static const dp2dp_schema_column *next(const dp2dp_schema *schema, const cli_watch *watch,
                                       share_test is_noticed, size_t *at) {
    if (schema == NULL || watch->outside.columns == NULL) {
        return NULL;
    }
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    for (; *at < info->column_count; (*at)++) {
        if (is_noticed(watch->outside.columns[*at], watch->outside.rows)) {
            return &info->columns[*at];
        }
    }
    return NULL;
}

/* Describes the column: a caution if most values are outside, else a note. */
static void describe(const dp2dp_schema_column *c, uint64_t count, uint64_t rows,
                     char text[TEXT_SIZE]) {
    const char *kind = is_most(count, rows) ? "CAUTION" : "Note";
    if (c->kind == DP2DP_KIND_NUMERIC) {
        snprintf(text, TEXT_SIZE,
                 "%s: %" PRIu64 " of %" PRIu64 " values of %s are outside its bounds, %s to "
                 "%s, and were clipped. Check the unit of the column.",
                 kind, count, rows, c->name, cli_number_exact(c->lower).text,
                 cli_number_exact(c->upper).text);
    } else {
        snprintf(text, TEXT_SIZE,
                 "%s: %" PRIu64 " of %" PRIu64 " values of %s are not in its list of %zu "
                 "levels and count as unknown. Check their spelling.",
                 kind, count, rows, c->name, c->declared_count);
    }
}

void cli_outside_text(const dp2dp_schema *schema, const cli_watch *watch, cli_out *out) {
    const dp2dp_schema_column *c;
    char text[TEXT_SIZE];
    for (size_t i = 0; (c = next(schema, watch, is_some, &i)) != NULL; i++) {
        describe(c, watch->outside.columns[i], watch->outside.rows, text);
        cli_out_prose(out, "%s", text);
    }
}

static void tell(const dp2dp_schema *schema, const cli_watch *watch, share_test is_noticed) {
    const dp2dp_schema_column *c;
    char text[TEXT_SIZE];
    for (size_t i = 0; (c = next(schema, watch, is_noticed, &i)) != NULL; i++) {
        describe(c, watch->outside.columns[i], watch->outside.rows, text);
        cli_print_safely(stderr, text);
        fprintf(stderr, " This %s is about the data: do not publish it.\n",
                is_most(watch->outside.columns[i], watch->outside.rows) ? "caution" : "note");
    }
}

void cli_outside_tell(const dp2dp_schema *schema, const cli_watch *watch) {
    tell(schema, watch, is_most);
}

void cli_outside_tell_some(const dp2dp_schema *schema, const cli_watch *watch) {
    tell(schema, watch, is_much);
}

/* Writes the array `key` of the columns with such a share of values outside; nothing if there are
 * none. */
static void list_json(const dp2dp_schema *schema, const cli_watch *watch, share_test is_noticed,
                      const char *key, cli_json *json) {
    const dp2dp_schema_column *c;
    int is_open = 0;
    for (size_t i = 0; (c = next(schema, watch, is_noticed, &i)) != NULL; i++) {
        int is_number = c->kind == DP2DP_KIND_NUMERIC, cautions = is_noticed == is_most;
        if (!is_open) {
            cli_json_open_array(json, key);
            is_open = 1;
        }
        cli_json_open_object(json, NULL);
        if (cautions) {
            cli_json_text(json, "warning", is_number ? "bounds-exceeded" : "levels-unlisted");
        }
        cli_json_text(json, "column", c->name);
        cli_json_count(json,
                       cautions    ? "values"
                       : is_number ? "clipped"
                                   : "unlisted",
                       watch->outside.columns[i]);
        cli_json_count(json, "rows", watch->outside.rows);
        cli_json_close_object(json);
    }
    if (is_open) {
        cli_json_close_array(json);
    }
}

void cli_outside_json(const dp2dp_schema *schema, const cli_watch *watch, cli_json *json) {
    list_json(schema, watch, is_most, "outside", json);
    list_json(schema, watch, is_some, "outside_counts", json);
}
