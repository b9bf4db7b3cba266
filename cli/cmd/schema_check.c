#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "common/json.h"
#include "common/number.h"
#include "common/out.h"
#include "input/encoded.h"
#include "input/kind.h"
#include "input/outside.h"
#include "input/stream.h"
#include "privacy/privacy.h"
#include "show/show.h"

enum {
    FINDINGS = DP2DP_FINDING_MISSING + 1,
    OUTCOMES = DP2DP_OUTCOME_REFUSED + 1,
    NAME_WIDTH = 15
};

typedef struct tally {
    const char *schema, *table; /* as given on the command line */
    const dp2dp_schema_info *info;
    uint64_t (*columns)[FINDINGS]; /* for every column of the schema, the number of rows with each
                                      finding, such as a missing value */
    uint64_t outcomes[OUTCOMES];
    uint64_t rows;
    const dp2dp_schema *read_with;
    cli_watch watch; /* also finds columns whose values are within the bounds, but may be in another
                        unit */
} tally;

/* Adds the rows of a batch to the tally. A batch has three columns: the position of a row in the
 * table, what was found in the cells of the row, and the outcome (whether the schema keeps the
 * row). */
static dp2dp_status count_batch(void *context, const struct ArrowArray *batch, dp2dp_error *error) {
    tally *t = context;
    const int8_t *findings = batch->children[1]->children[0]->buffers[1];
    const int8_t *outcomes = batch->children[2]->buffers[1];
    (void)error;
    for (int64_t i = 0; i < batch->length; i++) {
        for (size_t j = 0; j < t->info->column_count; j++) {
            t->columns[j][*findings++]++;
        }
        t->outcomes[outcomes[i]]++;
    }
    t->rows += (uint64_t)batch->length;
    return DP2DP_STATUS_OK;
}

/* The number of rows that would be left out, and the number that would be refused, if the table had
 * only this column. */
typedef struct effect {
    uint64_t left_out, refused;
} effect;

static effect effect_of(const tally *t, size_t j) {
    const dp2dp_schema_column *c = &t->info->columns[j];
    const uint64_t *found = t->columns[j];
    uint64_t missing = found[DP2DP_FINDING_MISSING], unknown = found[DP2DP_FINDING_UNKNOWN];
    return (effect) {.left_out = c->missing == DP2DP_POLICY_DROP ? missing : 0,
                     .refused = (c->missing == DP2DP_POLICY_REFUSE ? missing : 0) +
                                (c->unknown == DP2DP_POLICY_REFUSE ? unknown : 0)};
}

/* Returns whether the schema is enough to train a classifier, but not to fit a fair rule. */
static int lacks_sensitive(const tally *t) {
    return t->info->class_count > 0 && t->info->group_count == 0;
}

static void tally_json(const tally *t, cli_out *out) {
    cli_json json = cli_json_begin(out->stream);
    cli_json_truth(&json, "private", 0);
    cli_json_text(&json, "schema", t->schema);
    cli_json_text(&json, "table", t->table);
    cli_json_count(&json, "rows", t->rows);
    cli_json_count(&json, "kept", t->outcomes[DP2DP_OUTCOME_KEPT]);
    cli_json_count(&json, "left_out", t->outcomes[DP2DP_OUTCOME_LEFT_OUT]);
    cli_json_count(&json, "refused", t->outcomes[DP2DP_OUTCOME_REFUSED]);
    cli_warnings_json_with(0, lacks_sensitive(t) ? CLI_NO_SENSITIVE : 0U, &json);
    cli_outside_json(t->read_with, &t->watch, &json);
    cli_json_open_array(&json, "columns");
    for (size_t j = 0; j < t->info->column_count; j++) {
        const dp2dp_schema_column *c = &t->info->columns[j];
        if (c->role == DP2DP_ROLE_IGNORE) {
            continue;
        }
        cli_json_open_object(&json, NULL);
        cli_json_text(&json, "name", c->name);
        cli_json_text(&json, "role", dp2dp_word_name(DP2DP_WORDS_ROLE, c->role));
        cli_json_count(&json, "unknown", t->columns[j][DP2DP_FINDING_UNKNOWN]);
        cli_json_count(&json, "clipped", t->columns[j][DP2DP_FINDING_CLIPPED]);
        cli_json_count(&json, "missing", t->columns[j][DP2DP_FINDING_MISSING]);
        cli_json_count(&json, "left_out", effect_of(t, j).left_out);
        cli_json_count(&json, "refused", effect_of(t, j).refused);
        cli_json_close_object(&json);
    }
    cli_json_close_array(&json);
    cli_json_end(&json);
}

static const char *fate_of(dp2dp_policy policy, const char *level) {
    return policy == DP2DP_POLICY_LEVEL  ? level
           : policy == DP2DP_POLICY_DROP ? "the row is left out"
                                         : "REFUSED";
}

static void put_line(cli_out *out, const char *name, uint64_t rows, const char *what,
                     const char *fate) {
    fputs("  ", out->stream);
    cli_print_safely(out->stream, name);
    int used = (int)strlen(name);
    fprintf(out->stream, "%*s %" PRIu64 " %s: %s\n", used < NAME_WIDTH ? NAME_WIDTH - used : 0, "",
            rows, what, fate);
}

/* Prints the findings of column j. If there are none, prints nothing and returns 0. */
static int column_text(const tally *t, size_t j, cli_out *out) {
    static const char level[] = "a separate level";
    const dp2dp_schema_column *c = &t->info->columns[j];
    uint64_t missing = t->columns[j][DP2DP_FINDING_MISSING],
             unknown = t->columns[j][DP2DP_FINDING_UNKNOWN],
             clipped = t->columns[j][DP2DP_FINDING_CLIPPED];
    char bounds[128];
    if (missing > 0) {
        put_line(out, c->name, missing, "missing", fate_of(c->missing, level));
    }
    if (unknown > 0) {
        put_line(out, missing ? "" : c->name, unknown, "unknown", fate_of(c->unknown, level));
    }
    if (clipped > 0) {
        snprintf(bounds, sizeof bounds, "outside %s to %s", cli_number_exact(c->lower).text,
                 cli_number_exact(c->upper).text);
        put_line(out, missing ? "" : c->name, clipped, bounds, "clipped");
    }
    return missing + unknown + clipped > 0;
}

static void tally_text(const tally *t, cli_out *out) {
    uint64_t refused = t->outcomes[DP2DP_OUTCOME_REFUSED];
    size_t silent = 0;
    fprintf(out->stream, "%sNOT PRIVATE%s: these are plain counts of rows\n\n", cli_alarm(out),
            cli_plain(out));
    fprintf(out->stream, "%sRows%s\n", cli_bold(out), cli_plain(out));
    cli_out_row(out, "all", "%" PRIu64, t->rows);
    cli_out_row(out, "kept", "%" PRIu64, t->outcomes[DP2DP_OUTCOME_KEPT]);
    cli_out_row(out, "left out", "%" PRIu64, t->outcomes[DP2DP_OUTCOME_LEFT_OUT]);
    cli_out_row(out, "refused", "%" PRIu64, refused);
    cli_out_section(out, "Columns");
    for (size_t j = 0; j < t->info->column_count; j++) {
        silent += t->info->columns[j].role != DP2DP_ROLE_IGNORE && !column_text(t, j, out);
    }
    cli_out_prose(out, "Nothing to report in %zu %s.", silent,
                  cli_noun(silent, "column", "columns"));
    fputc('\n', out->stream);
    cli_out_prose(out, "%s",
                  refused > 0 ? "The whole table would be refused, because of the rows counted as "
                                "refused: correct these rows or the schema."
                              : "The table can be read with this schema.");
    cli_no_sensitive_text(lacks_sensitive(t), out);
    cli_outside_text(t->read_with, &t->watch, out);
}

/* Marks a column for a caution if more than half of its values are outside its bounds or its list
 * of levels, or if at least 1 % of the rows have one and the same number outside its bounds, or one
 * and the same unlisted text, or unlisted texts that look like missing values.
 * Smaller counts get no caution, but the list of columns shows them. */
static void note_outside(tally *t) {
    t->watch.outside.rows = t->rows;
    for (size_t j = 0; j < t->info->column_count; j++) {
        uint64_t found =
            t->columns[j][DP2DP_FINDING_UNKNOWN] + t->columns[j][DP2DP_FINDING_CLIPPED];
        const dp2dp_spread *spread = &t->watch.spreads[j];
        int is_marked = 2 * found > t->rows || 100 * spread->same_outside >= t->rows ||
                        100 * spread->same_unlisted >= t->rows ||
                        100 * spread->missing_unlisted >= t->rows;
        t->watch.outside.columns[j] = is_marked ? found : 0;
    }
}

static dp2dp_status check_options(const cli_args *args, dp2dp_error *error) {
    static const char *const of_drafts[] = {"columns", "draft-from", "name", "out", "force"};
    if (args->operand_count < 3) {
        return cli_refuse(error, "%s is missing: dp2dp schema check SCHEMA TABLE",
                          args->operand_count < 2 ? "SCHEMA" : "TABLE");
    }
    for (size_t i = 0; i < sizeof of_drafts / sizeof of_drafts[0]; i++) {
        if (cli_given(args, of_drafts[i])) {
            return cli_refuse(error, "--%s cannot be used with schema check", of_drafts[i]);
        }
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_schema_check(const cli_args *args, cli_out *out, dp2dp_error *error) {
    struct ArrowArrayStream rows;
    dp2dp_schema *schema = NULL;
    tally t = {0};
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY(check_options(args, error));
    t.schema = args->operands[1];
    t.table = args->operands[2];
    CLI_TRY_OR_DONE(cli_kind_schema_of_table(t.schema, t.table, &schema, error));
    t.info = dp2dp_schema_view(schema);
    t.read_with = schema;
    t.watch.is_training = 1;
    t.watch.seeks_copies = 1;
    CLI_TRY_OR_DONE(cli_outside_count(schema, &t.watch, error));
    t.watch.hides_group = 1; /* a later rule may have to decide without the group, so look for
                                columns that reveal the group */
    t.columns = calloc(t.info->column_count, sizeof *t.columns);
    CLI_TRY_OR_DONE(cli_check_memory(t.columns, "the counts", error));
    unsigned parts = DP2DP_PART_FINDINGS | DP2DP_PART_FEATURES |
                     (t.info->class_count > 0 ? DP2DP_PART_LABEL : 0U) |
                     (t.info->group_count > 0 ? DP2DP_PART_GROUP : 0U);
    CLI_TRY_OR_DONE(cli_encoded_open(args, schema, parts, t.table, &t.watch, &rows, error));
    CLI_TRY_OR_DONE(cli_stream_each(&rows, count_batch, &t, error));
    note_outside(&t);
    (cli_given(args, "json") ? tally_json : tally_text)(&t, out);
done:
    free(t.columns);
    cli_outside_free(&t.watch);
    dp2dp_schema_free(schema);
    return status;
}
