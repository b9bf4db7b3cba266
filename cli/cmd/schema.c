#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "common/number.h"
#include "common/out.h"
#include "input/draft.h"
#include "input/kind.h"
#include "output/sink.h"
#include "show/show.h"

enum {
    NAME_WIDTH = 17,
    DETAIL_SIZE = 1024,
    LEVELS_SHOWN = 6
};

/* Appends to a text of DETAIL_SIZE bytes. Cuts the result off if it does not fit. */
__attribute__((format(printf, 2, 3))) static void append(char *text, const char *format, ...) {
    size_t used = strlen(text);
    va_list values;
    va_start(values, format);
    vsnprintf(text + used, DETAIL_SIZE - used, format, values);
    va_end(values);
}

static void append_levels(char *text, const char *const *levels, size_t count) {
    for (size_t i = 0; i < count && i < LEVELS_SHOWN; i++) {
        append(text, "%s%s", i ? ", " : "", *levels[i] ? levels[i] : "\"\"");
    }
    append(text, "%s", count > LEVELS_SHOWN ? ", ..." : "");
}

static void describe_number(const dp2dp_schema_column *c, char *text) {
    append(text, "%s to %s: (%s - %s) / %s", cli_number_exact(c->lower).text,
           cli_number_exact(c->upper).text, c->log1p ? "log1p(x)" : "x",
           cli_number_exact(c->centre).text, cli_number_exact(c->scale).text);
}

static void describe_levels(const dp2dp_schema_column *c, char *text) {
    append(text, "%zu %s%s: ", c->level_count, cli_noun(c->level_count, "level", "levels"),
           c->cuts ? " by cut points" : "");
    append_levels(text, c->levels, c->declared_count);
    if (c->alias_count > 0) {
        append(text, "; %zu %s", c->alias_count, cli_noun(c->alias_count, "alias", "aliases"));
    }
    if (c->unknown == DP2DP_POLICY_LEVEL) {
        append(text, "; other values: a separate level");
    }
}

static void column_text(const dp2dp_schema_column *c, cli_out *out) {
    char text[DETAIL_SIZE] = "";
    if (c->role == DP2DP_ROLE_IGNORE) {
        append(text, "not read");
    } else {
        (c->number != SIZE_MAX ? describe_number : describe_levels)(c, text);
        append(text, "%s",
               c->missing == DP2DP_POLICY_LEVEL  ? "; missing: a separate level"
               : c->missing == DP2DP_POLICY_DROP ? "; missing: the row is dropped"
                                                 : "");
    }
    cli_make_safe(text);
    fputs("  ", out->stream);
    cli_print_safely(out->stream, c->name);
    int used = 2 + (int)strlen(c->name);
    used += fprintf(out->stream, "%*s %-10s", used < NAME_WIDTH ? NAME_WIDTH - used : 0, "",
                    dp2dp_word_name(DP2DP_WORDS_ROLE, c->role));
    cli_wrap(out->stream, NAME_WIDTH + 11, used < NAME_WIDTH + 11 ? used : NAME_WIDTH + 11, text);
}

static void list_row(cli_out *out, const char *name, const char *const *texts, size_t count) {
    char text[DETAIL_SIZE] = "";
    if (count > 0) {
        append_levels(text, texts, count);
        cli_out_row(out, name, "%zu: %s", count, text);
    }
}

static void origin_text(const dp2dp_schema_info *info, cli_out *out) {
    int from_data = info->origin == DP2DP_ORIGIN_FROM_DATA;
    cli_reasons_text(from_data ? DP2DP_NOT_PRIVATE_SCHEMA_FROM_DATA : 0, out);
}

static void schema_text(const dp2dp_schema_info *info, cli_out *out) {
    origin_text(info, out);
    fprintf(out->stream, "%sSchema%s\n", cli_bold(out), cli_plain(out));
    cli_out_row(out, "name", "%s", *info->name ? info->name : "-");
    size_t levels = info->width - info->numbers;
    cli_out_row(out, "features", "%zu: %zu %s and %zu %s of %zu %s", info->width, info->numbers,
                cli_noun(info->numbers, "number", "numbers"), levels,
                cli_noun(levels, "level", "levels"), info->categories,
                cli_noun(info->categories, "column", "columns"));
    cli_out_row(out, "norm", "at most %s: rows with a larger norm are scaled down to this norm",
                cli_number_exact(info->norm).text);
    list_row(out, "classes", info->classes, info->class_count);
    list_row(out, "groups", info->groups, info->group_count);
    list_row(out, "missing", info->markers, info->marker_count);
    cli_out_section(out, "Columns");
    for (size_t i = 0; i < info->column_count; i++) {
        column_text(&info->columns[i], out);
    }
}

static int is_draft(const cli_args *args) {
    return cli_given(args, "columns") || cli_given(args, "draft-from");
}

static dp2dp_status check_arguments(const cli_args *args, dp2dp_error *error) {
    static const char *const needs[][2] = {
        {"separator", "draft-from"}, {"no-header", "draft-from"}, {"skip-lines", "draft-from"}};
    static const char *const of_drafts[] = {"missing", "name"};
    int drafts = is_draft(args);
    if (args->operand_count > 1) {
        return cli_refuse(error,
                          "unexpected argument '%.60s'; to check a table: dp2dp schema check "
                          "SCHEMA TABLE",
                          args->operands[1]);
    }
    if (drafts == (args->operand_count > 0)) {
        return cli_refuse(error, "give either a SCHEMA to show, or options for a draft: --columns "
                                 "LIST, or --draft-from TABLE for a skeleton with the column names "
                                 "of TABLE");
    }
    for (size_t i = 0; !drafts && i < sizeof of_drafts / sizeof of_drafts[0]; i++) {
        if (cli_given(args, of_drafts[i])) {
            return cli_refuse(error, "--%s needs --columns or --draft-from", of_drafts[i]);
        }
    }
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        if (cli_given(args, needs[i][0]) && !cli_given(args, needs[i][1])) {
            return cli_refuse(error, "--%s needs --%s", needs[i][0], needs[i][1]);
        }
    }
    return DP2DP_STATUS_OK;
}

/* Ownership: the caller frees *draft and *text, even after a failure. */
static dp2dp_status make_draft(const cli_args *args, cli_draft *draft, char **text,
                               dp2dp_error *error) {
    CLI_TRY(cli_draft_read(args, draft, error));
    for (size_t i = 0; i < draft->count; i++) {
        if (!cli_given(args, "draft-from") && cli_draft_is_open(&draft->columns[i])) {
            return cli_refuse(error,
                              "--columns: give \"%.60s\" either two bounds, or levels, or cut "
                              "points; --draft-from TABLE finds bounds and levels, but is not "
                              "private",
                              draft->columns[i].name);
        }
    }
    if (cli_given(args, "draft-from") && !draft->is_skeleton) {
        CLI_TRY(cli_draft_complete(args, draft, error));
    }
    return cli_draft_write(draft, text, error);
}

/* Prints the cautions about columns to stdout or, if the draft itself goes to stdout, to stderr. */
static void draft_cautions(const cli_draft *draft, const cli_sink *sink, cli_out *out) {
    for (size_t i = 0; i < draft->count; i++) {
        const char *caution = draft->columns[i].caution;
        if (*caution != '\0' && sink->path) {
            cli_out_prose(out, "CAUTION: %s", caution);
        } else if (*caution != '\0') {
            fputs("CAUTION: ", stderr);
            cli_print_safely(stderr, caution);
            fputc('\n', stderr);
        }
    }
}

/* Prints how to turn a skeleton into a schema. */
static void skeleton_text(const cli_args *args, cli_out *out) {
    cli_sink_report(args, out, "Skeleton of a schema");
    cli_out_section(out, "Next");
    cli_out_row(out, "1",
                "check the column names: if the table has no header line, the names are the values "
                "of the first person; no other row was read");
    cli_out_row(out, "2", "replace every \"" CLI_DRAFT_OPEN "\" in the file:");
    cli_out_row(out, "role",
                "feature, label, sensitive, or ignore (an id or a date, for example); delete the "
                "line \"kind\" of a column that you ignore");
    cli_out_row(out, "kind",
                "numeric, and add \"lower\" and \"upper\"; or categorical, and add \"levels\"");
    cli_out_row(out, "origin",
                "public, if all you add is public knowledge; from-data, which is NOT private, if "
                "you looked anything up in the rows");
    cli_out_row(out, "3", "run dp2dp schema %s: it says what is still missing",
                cli_word(args, "out"));
}

/* Writes the text of a schema or, if info is NULL, of a skeleton. */
static dp2dp_status write_json(const cli_args *args, const char *text,
                               const dp2dp_schema_info *info, const cli_draft *draft, cli_out *out,
                               dp2dp_error *error) {
    cli_sink sink = {.to = -1};
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(cli_sink_open(args, CLI_SINK_WHOLE, &sink, error));
    fputs(text, sink.stream);
    CLI_TRY_OR_DONE(cli_sink_commit(&sink, error));
    if (sink.path && info == NULL) {
        skeleton_text(args, out);
    } else if (sink.path) {
        origin_text(info, out);
        cli_sink_report(args, out, "Schema");
    }
    draft_cautions(draft, &sink, out);
done:
    cli_sink_close(&sink);
    return status;
}

/* Shows a schema, or drafts a schema. A draft is always JSON, with its numbers as short as
 * possible, so that it is easy to edit. */
dp2dp_status cmd_schema(const cli_args *args, cli_out *out, dp2dp_error *error) {
    dp2dp_schema *schema = NULL;
    cli_draft drafted = {0};
    char *draft = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    if (args->operand_count > 0 && strcmp(args->operands[0], "check") == 0) {
        return cli_schema_check(args, out, error);
    }
    CLI_TRY(check_arguments(args, error));
    CLI_TRY(cli_place_check(args, "out", cli_word(args, "out"), error));
    if (is_draft(args)) {
        CLI_TRY_OR_DONE(make_draft(args, &drafted, &draft, error));
    }
    if (draft && !cli_given(args, "columns")) {
        CLI_TRY_OR_DONE(write_json(args, draft, NULL, &drafted, out, error));
        goto done;
    }
    CLI_TRY_OR_DONE(draft ? dp2dp_schema_load(draft, &schema, error)
                          : cli_kind_schema_shown(args->operands[0], &schema, error));
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    const char *json = cli_given(args, "json") ? info->text : draft;
    if (json) {
        status = write_json(args, json, info, &drafted, out, error);
    } else if (cli_given(args, "out")) {
        status = cli_refuse(error, "--out needs --json or --columns");
    } else {
        schema_text(info, out);
    }
done:
    dp2dp_schema_free(schema);
    cli_draft_free(&drafted);
    free(draft);
    return status;
}
