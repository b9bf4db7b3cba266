/* Writes the rule of a model in the language of another program, which then decides as
 * dp2dp_model_predict does, bit for bit (docs/export.md). */
#ifndef DP2DP_EXPORT_H
#define DP2DP_EXPORT_H

#include <stddef.h>

#include <dp2dp/model.h>
#include <dp2dp/options.h>
#include <dp2dp/status.h>
#include <dp2dp/words.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dp2dp_export_format {
    DP2DP_EXPORT_DUCKDB = 1, /* a SELECT in the SQL of DuckDB, PostgreSQL, SQLite or Spark */
    DP2DP_EXPORT_POSTGRESQL = 2,
    DP2DP_EXPORT_SQLITE = 3,
    DP2DP_EXPORT_SPARK = 4,
    DP2DP_EXPORT_ONNX = 5,    /* a model of ONNX, opset 13 and ai.onnx.ml 2; binary */
    DP2DP_EXPORT_C_HEADER = 6 /* a C header with a static inline function */
} dp2dp_export_format;
DP2DP_DEFINE_WORDS(dp2dp_export_format, DP2DP_WORDS_EXPORT)

typedef struct dp2dp_export_options {
    size_t struct_size;
    dp2dp_export_format format; /* has no default */
    /* The rest is for SQL alone. */
    const char *table; /* the table to select from; NULL: "people". A dot separates the parts of a
                          name, such as schema.table; a part in double quotes may hold a dot */
    const char *const *scores;  /* columns with the score of each class; NULL: those that the model
                                   names */
    const char *group_column;   /* column with the group; NULL: the one that the model names */
    const char *const *weights; /* weight_columns columns for the rule `weighted`; NULL: those that
                                   the model names */
} dp2dp_export_options;

DP2DP_DEFINE_DEFAULT(dp2dp_export_options, DP2DP_STRUCT_EXPORT_OPTIONS)
#define DP2DP_EXPORT_OPTIONS_INIT dp2dp_export_options_default()

/* Writes the rule of a model. Equal models give equal bytes.
 *
 * SQL is one SELECT: all columns of the table, then `prediction`, the name of the class. It is NULL
 * where predict refuses the row: a score that is NULL, NaN, negative or too large, scores that do
 * not sum to 1, a group that the model does not know. ONNX stops with an error there, and the C
 * function returns -1.
 *
 * Refuses a model without a rule, and a rule with a dither, which needs a hash that these languages
 * lack. If the model has a classifier, only the rule is written: the caller's scores must be
 * the probabilities of that classifier, and the groups must have the names that the model has for
 * them. SQL needs both columns in `scores` and `group_column`.
 *
 * Privacy: tells nothing that the model does not tell, and says NOT PRIVATE if the model is not
 * private. Charges nothing. Ownership: the caller frees
 * the bytes with dp2dp_text_free. A NUL follows them, which *length does not count. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_export(
    const dp2dp_model *model, const dp2dp_export_options *options, char **bytes, size_t *length,
    dp2dp_error *error);

#ifdef __cplusplus
}
#endif
#endif
