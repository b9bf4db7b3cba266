#include "export/export.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/c_locale.h"
#include "base/lookup.h"
#include "base/options.h"
#include "base/utf8.h"
#include "export/sql.h"

#include <dp2dp/schema.h>

int dp2dpi_export_integer(const char *name, long long *value) {
    char again[24];
    errno = 0;
    *value = strtoll(name, NULL, 10);
    (void)snprintf(again, sizeof again, "%lld", *value);
    return errno == 0 && strcmp(again, name) == 0;
}

int dp2dpi_export_integers(const char *const *names, size_t count) {
    long long ignored;
    for (size_t i = 0; i < count; i++) {
        if (!dp2dpi_export_integer(names[i], &ignored)) {
            return 0;
        }
    }
    return 1;
}

static int are_numbers(const char *const *names, size_t count) {
    int found = dp2dpi_all_numbers(names, count);
    for (size_t i = 0; i < count && found; i++) {
        for (size_t j = 0; j < i && found; j++) {
            found = strtod(names[i], NULL) != strtod(names[j], NULL);
        }
    }
    return found;
}

int dp2dpi_export_spelling(const char *const *names, size_t count, size_t i, int digits,
                           char out[DP2DPI_SPELLING_SIZE]) {
    double value = are_numbers(names, count) ? strtod(names[i], NULL) : 0.5;
    if (value != floor(value) || fabs(value) >= 1e7) {
        return 0;
    }
    (void)snprintf(out, DP2DPI_SPELLING_SIZE, "%.*f", digits, value == 0.0 ? 0.0 : value);
    return strcmp(out, names[i]) != 0;
}

static dp2dp_status check_rule(const dp2dp_model_info *info, dp2dp_error *error) {
    if (info->strata == 0) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "the model has no fair rule yet; fit one first with dp2dp fit --model or, in Python, "
            "dp2dp.fit(..., base=model)");
    }
    if (info->dither.width > 0.0) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "the rule has a dither of width %g, and the random numbers of a dither "
                           "cannot be exported. Fit again without a dither (dp2dp fit --dither 0, "
                           "dither=0 in Python). For equalized odds, a rule has a dither by "
                           "default, and without it a gap between the groups remains",
                           info->dither.width);
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_export_check_name(const char *what, const char *name, dp2dp_error *error) {
    if (name == NULL || name[0] == '\0' || !dp2dpi_utf8_valid(name, strlen(name))) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "the name of the %s must be UTF-8 and not empty", what);
    }
    return DP2DP_STATUS_OK;
}

/* Returns 1 if two names mean the same column. Only PostgreSQL distinguishes quoted names that
 * differ only in upper and lower case. */
static int is_same_column(const dp2dpi_export *e, const char *a, const char *b) {
    return e->format == DP2DP_EXPORT_POSTGRESQL ? strcmp(a, b) == 0 : strcasecmp(a, b) == 0;
}

static dp2dp_status check_names(const dp2dpi_export *e, const char *what, const char *const *names,
                                size_t count, dp2dp_error *error) {
    for (size_t i = 0; i < count; i++) {
        DP2DPI_TRY(dp2dpi_export_check_name(what, names[i], error));
        for (size_t j = 0; j < i; j++) {
            if (is_same_column(e, names[i], names[j])) {
                return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                                   "the name of a %s is given twice (except in PostgreSQL, upper "
                                   "and lower case make no difference)",
                                   what);
            }
        }
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status check_group(const dp2dpi_export *e, dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_export_check_name("column with the group", e->group_column, error));
    for (size_t k = 0; k < e->info->classes; k++) {
        if (is_same_column(e, e->scores[k], e->group_column)) {
            return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                               "the column with the group is also given as a column of scores");
        }
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_export_check_columns(const dp2dpi_export *e, dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_export_check_name("table", e->table, error));
    DP2DPI_TRY(check_names(e, "column of scores", e->scores, e->info->classes, error));
    if (!e->sees_group) {
        DP2DPI_TRY(
            check_names(e, "column of group scores", e->weights, e->info->weight_columns, error));
    }
    return e->sees_group || e->counts ? check_group(e, error) : DP2DP_STATUS_OK;
}

/* Fails with ARGUMENT if the new column has the name of a column that the rule reads. The other
 * columns of the table are not known and are not checked. */
static dp2dp_status check_prediction(const dp2dpi_export *e, dp2dp_error *error) {
    const char *name = e->prediction;
    DP2DPI_TRY(dp2dpi_export_check_name("column with the prediction", name, error));
    int taken = e->sees_group && is_same_column(e, e->group_column, name);
    for (size_t k = 0; k < e->info->classes; k++) {
        taken |= is_same_column(e, e->scores[k], name);
    }
    for (size_t j = 0; j < e->info->weight_columns && !e->sees_group; j++) {
        taken |= is_same_column(e, e->weights[j], name);
    }
    return taken ? dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                               "the rule reads a column named '%.60s'; give the column of the "
                               "prediction another name (--prediction, prediction in Python)",
                               name)
                 : DP2DP_STATUS_OK;
}

/* Checks that the columns in the options are in the same order as the columns of the model. */
static dp2dp_status check_order(const dp2dp_model_info *info, const dp2dp_export_options *o,
                                dp2dp_error *error) {
    if (o->scores) {
        DP2DPI_TRY(dp2dp_check_order("class", o->scores, info->names.scores, info->names.classes,
                                     info->classes, error));
    }
    return o->weights
               ? dp2dp_check_order("group", o->weights, info->weights,
                                   info->weight_columns == info->groups ? info->names.groups : NULL,
                                   info->weight_columns, error)
               : DP2DP_STATUS_OK;
}

/* Fails with ARGUMENT if the name of a column is missing; the message lists all columns that lack a
 * name. If the model has its own classifier, the options must name the columns, because the rule
 * cannot read the table that the classifier reads: this table has no scores, and its groups may be
 * raw values, such as numbers, that the schema turns into the names of groups. */
static dp2dp_status check_lacking(const dp2dpi_export *e, const dp2dp_export_options *options,
                                  dp2dp_error *error) {
    int own = e->info->classifier != NULL;
    int scores = (own ? options->scores : e->scores) == NULL;
    int group = e->sees_group && (own ? options->group_column : e->group_column) == NULL;
    int weights = !e->sees_group && e->weights == NULL;
    if (!scores && !group && !weights) {
        return DP2DP_STATUS_OK;
    }
    return dp2dpi_fail(
        error, DP2DP_STATUS_ARGUMENT, "%s, so name %s%s%s%s%s%s",
        own ? "only the rule can be exported, not the classifier" : "the model has no column names",
        scores ? "the columns of scores (--scores, score_columns in Python)" : "",
        scores && (group || weights) ? " and " : "",
        group ? "the column of groups (--sensitive, group_column in Python)" : "",
        weights ? "the columns of group scores (--group-scores, weight_columns in Python)" : "",
        group && own ? ". Groups must be spelt as in the model" : "",
        scores && own
            ? ". To get scores, use predict --adjusted (core.score in Python) with the model "
              "from dp2dp train"
            : "");
}

static const char *role_words(dp2dp_role role) {
    return role == DP2DP_ROLE_FEATURE ? "a feature"
           : role == DP2DP_ROLE_LABEL ? "the label"
                                      : "the sensitive column";
}

/* Fails with ARGUMENT if a column of scores has the name of a column that the classifier reads, or
 * if the column with the group has the name of a feature or of the label. The rule would then read
 * raw values. */
static dp2dp_status check_raw(const dp2dp_schema_info *schema, const dp2dp_export_options *o,
                              size_t classes, dp2dp_error *error) {
    for (size_t i = 0; i < schema->column_count; i++) {
        const dp2dp_schema_column *column = &schema->columns[i];
        int is_group = column->role == DP2DP_ROLE_SENSITIVE;
        for (size_t k = 0; k < classes && column->role != DP2DP_ROLE_IGNORE; k++) {
            if (strcmp(o->scores[k], column->name) == 0) {
                return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                                   "the column '%.60s' is %s in the model's schema, not a column "
                                   "of scores. Only the rule is exported: to get scores, use "
                                   "predict --adjusted (core.score in Python) with the model from "
                                   "dp2dp train",
                                   column->name, role_words(column->role));
            }
        }
        if (!is_group && column->role != DP2DP_ROLE_IGNORE && o->group_column &&
            strcmp(o->group_column, column->name) == 0) {
            return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                               "the column '%.60s' is %s in the model's schema, not the group",
                               column->name, role_words(column->role));
        }
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status check_schema(const dp2dp_model_info *info, const dp2dp_export_options *o,
                                 dp2dp_error *error) {
    dp2dp_schema *schema = NULL;
    if (info->classifier == NULL) {
        return DP2DP_STATUS_OK;
    }
    DP2DPI_TRY(dp2dp_schema_load(info->classifier->schema, &schema, error));
    dp2dp_status status = check_raw(dp2dp_schema_view(schema), o, info->classes, error);
    dp2dp_schema_free(schema);
    return status;
}

/* Takes the columns from the options or, where the options have none, from the model. */
static dp2dp_status find_columns(dp2dpi_export *e, const dp2dp_export_options *options,
                                 dp2dp_error *error) {
    const dp2dp_model_info *info = e->info;
    e->table = options->table ? options->table : "people";
    e->scores = options->scores ? options->scores : info->names.scores;
    e->group_column = options->group_column ? options->group_column : info->names.group_column;
    e->weights = options->weights ? options->weights : info->weights;
    e->prediction = options->prediction ? options->prediction : "prediction";
    DP2DPI_TRY(check_lacking(e, options, error));
    DP2DPI_TRY(check_schema(info, options, error));
    if (options->weights && e->sees_group) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "the rule sees the group, so it uses no columns of group scores; leave "
                           "out --group-scores (weight_columns in Python)");
    }
    DP2DPI_TRY(dp2dpi_export_check_columns(e, error));
    DP2DPI_TRY(check_order(info, options, error));
    return check_prediction(e, error);
}

static dp2dp_status describe(const dp2dp_model *model, const dp2dp_export_options *options,
                             dp2dpi_export *e, dp2dp_error *error) {
    e->info = dp2dp_model_view(model);
    DP2DPI_TRY(check_rule(e->info, error));
    e->format = options->format;
    e->sees_group = e->info->rule != DP2DP_RULE_WEIGHTED;
    e->tables = e->sees_group ? e->info->groups : 1;
    e->parts = e->info->strata / e->tables;
    if (dp2dpi_sql_dialect(e->format)) {
        return find_columns(e, options, error);
    }
    if (options->table || options->scores || options->group_column || options->weights ||
        options->prediction) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "the names of a table and its columns can be given only for SQL");
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dp_export(const dp2dp_model *model, const dp2dp_export_options *options,
                          char **bytes, size_t *length, dp2dp_error *error) {
    dp2dp_export_options o;
    dp2dpi_export e = {0};
    dp2dpi_text t = {.error = error};
    dp2dpi_c_locale scope = {0};
    if (bytes == NULL || length == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "bytes and length must not be NULL");
    }
    *bytes = NULL;
    *length = 0;
    if (model == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "model must not be NULL");
    }
    DP2DPI_TRY(dp2dpi_struct_read(DP2DP_STRUCT_EXPORT_OPTIONS, options, &o, error));
    if (dp2dp_export_format_name(o.format) == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "format = %d: not a known format",
                           (int)o.format);
    }
    DP2DPI_TRY(describe(model, &o, &e, error));
    DP2DPI_TRY(dp2dpi_c_locale_enter(&scope, error));
    (e.format == DP2DP_EXPORT_ONNX       ? dp2dpi_export_onnx
     : e.format == DP2DP_EXPORT_C_HEADER ? dp2dpi_export_c_header
                                         : dp2dpi_export_sql)(&e, &t);
    dp2dpi_c_locale_leave(&scope);
    if (t.status != DP2DP_STATUS_OK) {
        dp2dpi_text_clear(&t);
        return t.status;
    }
    *bytes = t.bytes;
    *length = t.length;
    return DP2DP_STATUS_OK;
}
