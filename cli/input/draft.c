#include "input/draft.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/number.h"

int cli_draft_is_open(const cli_draft_column *c) {
    return c->role != DP2DP_ROLE_IGNORE && c->bound_count == 0 && c->cuts == NULL &&
           c->levels == NULL;
}

void cli_draft_free(cli_draft *draft) {
    for (size_t i = 0; i < draft->count; i++) {
        cli_draft_column *c = &draft->columns[i];
        for (size_t j = 0; j < c->level_count; j++) {
            free(c->levels[j]);
        }
        free(c->levels);
        free(c->cuts);
        free(c->name);
    }
    free(draft->columns);
    cli_list_free(&draft->missing);
    *draft = (cli_draft) {0};
}

/* Cuts the text at its first colon. Returns the text after the colon, or NULL if there is no colon.
 * "\:" is a literal colon and does not cut the text. */
static char *next_word(char *text) {
    char *to = text;
    for (; *text != '\0' && *text != ':'; *to++ = *text++) {
        text += text[0] == '\\' && text[1] == ':';
    }
    char *rest = *text == ':' ? text + 1 : NULL;
    *to = '\0';
    return rest;
}

/* Reads levels separated by '|', as in "F|M". */
static dp2dp_status take_levels(cli_draft_column *c, char *text, dp2dp_error *error) {
    c->levels = calloc(strlen(text) + 1, sizeof *c->levels);
    CLI_TRY(cli_check_memory(c->levels, "levels", error));
    for (char *level; (level = strsep(&text, "|")) != NULL;) {
        c->levels[c->level_count] = strdup(level);
        CLI_TRY(cli_check_memory(c->levels[c->level_count++], "levels", error));
    }
    return DP2DP_STATUS_OK;
}

/* Reads cut points, each after a '>', as in ">25>40". */
static dp2dp_status take_cuts(cli_draft_column *c, char *text, dp2dp_error *error) {
    c->cuts = calloc(strlen(text), sizeof *c->cuts);
    CLI_TRY(cli_check_memory(c->cuts, "cut points", error));
    text++;
    for (char *cut; (cut = strsep(&text, ">")) != NULL;) {
        if (cli_number_parse(cut, &c->cuts[c->cut_count++]) != CLI_PARSED) {
            return cli_refuse(error,
                              "--columns: the cut point '%.60s' of \"%.60s\" is not a number", cut,
                              c->name);
        }
    }
    return DP2DP_STATUS_OK;
}

/* Returns the word that the user probably meant in --columns; NULL if no word is likely. */
static const char *meant_by(const char *typed) {
    static const dp2dp_word_table tables[] = {DP2DP_WORDS_ROLE, DP2DP_WORDS_KIND,
                                              DP2DP_WORDS_POLICY};
    static const char *const meanings[][2] = {
#define DP2DP_MEANT(typed, word, advice) {typed, word},
#include <dp2dp/schema.def>
#undef DP2DP_MEANT
    };
    enum {
        TABLES = sizeof tables / sizeof *tables
    };
    char plain[CLI_NAME_SIZE] = "";
    for (size_t i = 0; typed[i] && i + 1 < sizeof plain; i++) {
        plain[i] = (char)(typed[i] >= 'A' && typed[i] <= 'Z' ? typed[i] + ('a' - 'A') : typed[i]);
    }
    for (size_t i = 0; i < TABLES * (sizeof meanings / sizeof *meanings); i++) {
        const char *const *meaning = meanings[i / TABLES];
        if (strcmp(plain, meaning[0]) == 0 && cli_word_value(tables[i % TABLES], meaning[1])) {
            return meaning[1];
        }
    }
    cli_nearest nearest = {.typed = plain};
    for (size_t i = 0; i < TABLES; i++) {
        size_t count;
        const dp2dp_word *words = dp2dp_words(tables[i], &count);
        for (size_t j = 0; j < count; j++) {
            cli_nearest_try(&nearest, words[j].word);
        }
    }
    cli_nearest_try(&nearest, "log1p");
    return nearest.word;
}

static dp2dp_status take_word(cli_draft_column *c, char *word, dp2dp_error *error) {
    int role = cli_word_value(DP2DP_WORDS_ROLE, word);
    int kind = cli_word_value(DP2DP_WORDS_KIND, word);
    int policy = cli_word_value(DP2DP_WORDS_POLICY, word);
    int has_values = c->levels || c->cuts;
    if ((role && c->role) || (kind && c->kind) || (policy && c->missing)) {
        return cli_refuse(error, "--columns: \"%.60s\" has two %s: '%.60s' is one too many",
                          c->name,
                          role   ? "roles"
                          : kind ? "kinds"
                                 : "words for missing values",
                          word);
    }
    if (role) {
        c->role = (dp2dp_role)role;
    } else if (kind) {
        c->kind = (dp2dp_kind)kind;
    } else if (policy) {
        c->missing = (dp2dp_policy)policy;
    } else if (strcmp(word, "log1p") == 0) {
        c->log1p = 1;
    } else if (strchr(word, '|') && !has_values) {
        return take_levels(c, word, error);
    } else if (*word == '>' && !has_values) {
        return take_cuts(c, word, error);
    } else if (c->bound_count == 2 || has_values ||
               cli_number_parse(word, &c->bounds[c->bound_count++]) != CLI_PARSED) {
        const char *meant = meant_by(word);
        return cli_refuse(
            error, "--columns: the word '%.60s' of \"%.60s\" is unknown or not allowed here%s%s%s",
            word, c->name, meant ? "; did you mean " : "",
            meant ? meant
                  : ": expected a role (feature, label, sensitive, ignore), a kind "
                    "(numeric, categorical), bounds (17:90), levels (F|M), cut "
                    "points (>25>40), log1p, drop or level",
            meant ? "?" : "");
    }
    return DP2DP_STATUS_OK;
}

/* Refuses a column whose words contradict each other. Loading the schema would find the
 * contradiction too, but the message would not name the option. */
static dp2dp_status check_column(const cli_draft_column *c, dp2dp_error *error) {
    if (*c->name == '\0') {
        return cli_refuse(error, "--columns: the name of a column is empty");
    }
    if (c->role == DP2DP_ROLE_IGNORE &&
        (c->bound_count || c->levels || c->cuts || c->kind || c->log1p || c->missing)) {
        return cli_refuse(error,
                          "--columns: \"%.60s\" has the role ignore, so leave out its bounds, "
                          "levels and other words",
                          c->name);
    }
    if (c->bound_count == 1 || (c->bound_count && (c->levels || c->cuts))) {
        return cli_refuse(
            error, "--columns: \"%.60s\" needs two bounds, or levels, or cut points, not a mix",
            c->name);
    }
    if ((c->kind == DP2DP_KIND_NUMERIC && c->levels) ||
        (c->kind == DP2DP_KIND_CATEGORICAL && (c->cuts || c->bound_count || c->log1p))) {
        return cli_refuse(error, "--columns: column \"%.60s\" %s", c->name,
                          c->kind == DP2DP_KIND_NUMERIC
                              ? "is numeric, so it cannot have levels; give it bounds or cut points"
                              : "is categorical, so it cannot have bounds, cut points or log1p; "
                                "give it levels");
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status take_words(cli_draft_column *c, dp2dp_error *error) {
    for (char *word = next_word(c->name), *rest; word; word = rest) {
        rest = next_word(word);
        CLI_TRY(take_word(c, word, error));
    }
    c->role = c->role ? c->role : DP2DP_ROLE_FEATURE;
    return check_column(c, error);
}

static dp2dp_status read_column(const char *text, cli_draft_column *c, dp2dp_error *error) {
    const char *semicolon = strchr(text, ';');
    *c = (cli_draft_column) {.centre = NAN, .scale = NAN};
    c->name = strdup(text);
    CLI_TRY(cli_check_memory(c->name, "--columns", error));
    dp2dp_status status = take_words(c, error);
    return status == DP2DP_STATUS_ARGUMENT && semicolon && strchr(semicolon, ':')
               ? cli_refuse(error,
                            "--columns: '%.100s' is not one column: separate columns by ',' "
                            "instead of ';', as in \"age:17:90,sex:sensitive:F|M\"",
                            text)
               : status;
}

/* Refuses texts that are not UTF-8: the JSON writer would change them. */
static dp2dp_status check_texts(const cli_args *args, dp2dp_error *error) {
    static const char *const names[] = {"columns", "missing", "name"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (cli_given(args, names[i]) && !cli_json_is_text(cli_word(args, names[i]))) {
            return cli_refuse(error, "--%s is not UTF-8 text", names[i]);
        }
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_draft_read(const cli_args *args, cli_draft *out, dp2dp_error *error) {
    cli_list list = {0};
    dp2dp_status status = DP2DP_STATUS_OK;
    *out = (cli_draft) {.name = cli_given(args, "name") ? cli_word(args, "name") : ""};
    CLI_TRY(check_texts(args, error));
    if (cli_given(args, "missing")) {
        CLI_TRY(cli_list_read_texts(args, "missing", &out->missing, error));
    }
    if (!cli_given(args, "columns")) {
        return cli_draft_read_names(args, out, error);
    }
    CLI_TRY_OR_DONE(cli_list_read(args, "columns", &list, error));
    out->columns = calloc(list.count, sizeof *out->columns);
    CLI_TRY_OR_DONE(cli_check_memory(out->columns, "--columns", error));
    while (out->count < list.count) {
        cli_draft_column *column = &out->columns[out->count];
        CLI_TRY_OR_DONE(read_column(list.items[out->count++], column, error));
    }
done:
    cli_list_free(&list);
    return status;
}

static void write_values(const cli_draft_column *c, cli_json *json) {
    if (c->levels) {
        cli_json_texts(json, "levels", (const char *const *)c->levels, c->level_count);
    } else if (c->cuts) {
        cli_json_reals(json, "cuts", c->cuts, c->cut_count);
    } else {
        cli_json_real(json, "lower", c->bounds[0]);
        cli_json_real(json, "upper", c->bounds[1]);
        if (c->log1p) {
            cli_json_truth(json, "log1p", 1);
        }
        if (!isnan(c->centre)) {
            cli_json_real(json, "centre", c->centre);
            cli_json_real(json, "scale", c->scale);
        }
    }
}

/* Writes a column of a skeleton. Does not write "kind" last, so that the user can delete its line
 * without leaving a stray comma. */
static void write_open_column(const cli_draft_column *c, cli_json *json) {
    cli_json_open_object(json, NULL);
    cli_json_text(json, "name", c->name);
    cli_json_text(json, "kind", CLI_DRAFT_OPEN);
    cli_json_text(json, "role", CLI_DRAFT_OPEN);
    cli_json_close_object(json);
}

static void write_column(const cli_draft_column *c, cli_json *json) {
    cli_json_open_object(json, NULL);
    cli_json_text(json, "name", c->name);
    cli_json_text(json, "role", dp2dp_word_name(DP2DP_WORDS_ROLE, c->role));
    if (c->role != DP2DP_ROLE_IGNORE) {
        cli_json_text(json, "kind",
                      dp2dp_word_name(DP2DP_WORDS_KIND,
                                      c->levels ? DP2DP_KIND_CATEGORICAL : DP2DP_KIND_NUMERIC));
        write_values(c, json);
        if (c->missing) {
            cli_json_text(json, "missing", dp2dp_word_name(DP2DP_WORDS_POLICY, c->missing));
        }
    }
    cli_json_close_object(json);
}

dp2dp_status cli_draft_write(const cli_draft *draft, char **text, dp2dp_error *error) {
    size_t length;
    *text = NULL;
    FILE *stream = open_memstream(text, &length);
    CLI_TRY(cli_check_memory(stream, "the draft", error));
    cli_json json = cli_json_begin(stream);
    cli_json_text(&json, "format", "dp2dp-schema");
    cli_json_open_object(&json, "version");
    cli_json_count(&json, "major", 1);
    cli_json_count(&json, "minor", 0);
    cli_json_close_object(&json);
    cli_json_text(&json, "name", draft->name);
    cli_json_text(&json, "origin",
                  draft->is_skeleton ? CLI_DRAFT_OPEN
                  : draft->from_data ? "from-data"
                                     : "public");
    if (draft->from_data) {
        cli_json_truth(&json, "trim", 1);
    }
    cli_json_open_array(&json, "missing");
    int has_empty = 0;
    for (size_t i = 0; i < draft->missing.count; i++) {
        cli_json_text(&json, NULL, draft->missing.items[i]);
        has_empty |= *draft->missing.items[i] == '\0';
    }
    if (draft->from_data && !has_empty) {
        cli_json_text(&json, NULL, "");
    }
    cli_json_close_array(&json);
    cli_json_open_array(&json, "columns");
    for (size_t i = 0; i < draft->count; i++) {
        (draft->is_skeleton ? write_open_column : write_column)(&draft->columns[i], &json);
    }
    cli_json_close_array(&json);
    cli_json_end(&json);
    int failed = ferror(stream);
    failed |= fclose(stream);
    return cli_check_memory(!failed, "the draft", error);
}
