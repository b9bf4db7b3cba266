/* Writes the rule of a model in the language of another program. For the same scores and group, the
 * other program then makes the same decision as dp2dp_model_predict (docs/export.md). */
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
    DP2DP_EXPORT_DUCKDB = 1, /* DUCKDB, POSTGRESQL, SQLITE and SPARK write a SELECT in their SQL
                                dialect */
    DP2DP_EXPORT_POSTGRESQL = 2,
    DP2DP_EXPORT_SQLITE = 3,
    DP2DP_EXPORT_SPARK = 4,
    DP2DP_EXPORT_ONNX = 5,    /* a binary ONNX model for opset 13 and ai.onnx.ml 2 */
    DP2DP_EXPORT_C_HEADER = 6 /* a C header with a static inline function */
} dp2dp_export_format;
DP2DP_DEFINE_WORDS(dp2dp_export_format, DP2DP_WORDS_EXPORT)

typedef struct dp2dp_export_options {
    size_t struct_size;
    dp2dp_export_format format; /* the language to write; has no default */
    /* The fields below are used only by the SQL formats. */
    const char *table; /* the table to select from; NULL: "people". A dot separates the parts of a
                          name, such as schema.table; a part in double quotes may hold a dot */
    const char *const *scores; /* columns with the score of each class; NULL: the columns that the
                                  model names */
    const char *group_column;  /* column with the group; NULL: the column that the model names */
    /* For the rule `weighted`: the names of the columns with weights. The number of names must be
     * dp2dp_model_info.weight_columns. NULL: the columns that the model names. */
    const char *const *weights;
    const char *prediction; /* name of the new column; NULL: "prediction" */
} dp2dp_export_options;

DP2DP_DEFINE_DEFAULT(dp2dp_export_options, DP2DP_STRUCT_EXPORT_OPTIONS)
#define DP2DP_EXPORT_OPTIONS_INIT dp2dp_export_options_default()

/* Writes the rule of a model. Equal models give equal bytes.
 *
 * SQL is one SELECT: all columns of the table, then `prediction`, the name of the class.
 * `prediction` is NULL if predict would refuse the row: a score is NULL, NaN, negative or too
 * large, the scores do not sum to 1, or the model does not know the group. For such a row, ONNX
 * stops with an error, and the C function returns -1.
 *
 * If the name of a group is a whole number such as 1, SQL and C accept 1 and 1.0 for the group;
 * ONNX accepts only the integer 1. SQL, C and ONNX do not know other spellings, such as 01 and 1e0,
 * although predict accepts them.
 *
 * Refuses a model without a rule. Also refuses a rule with a dither, because a dither needs a hash
 * function that these languages lack. If the model has a classifier, only the rule is written. The
 * caller's scores must then be the probabilities of that classifier, and the groups must have the
 * same names as in the model. For SQL, `scores` must name the columns with these probabilities, and
 * `group_column` the column with the group.
 *
 * Privacy: reveals nothing that the model does not reveal, and says NOT PRIVATE if the model is not
 * private. Charges nothing. Ownership: the caller frees the bytes with dp2dp_text_free. After the
 * bytes comes a NUL, which *length does not count. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_export(
    const dp2dp_model *model, const dp2dp_export_options *options, char **bytes, size_t *length,
    dp2dp_error *error);

/* Tells dp2dp_export_counts which rows of a database to count, and which columns to use. */
typedef struct dp2dp_counts_options {
    size_t struct_size;
    dp2dp_export_format format; /* one of the SQL formats; has no default */
    const char *table;          /* the table to count, as in dp2dp_export_options; has no default */
    const char *query; /* a SELECT without a semicolon, whose rows are counted. Give either `query`
                          or `table`; the other must be NULL */
    size_t groups, classes;
    const char *const *group_names; /* names of the groups, spelled as in the group column */
    const char *const *class_names; /* names of the classes, spelled as in the label column; NULL
                                       without a label column */
    const char *const *scores;      /* columns with the score of each class */
    const char *group_column;
    const char *label_column;   /* NULL if people are not counted by label */
    const char *const *weights; /* for a rule that does not see the group: the columns with the
                                   probabilities of the groups or of the strata; else NULL */
    size_t weight_columns;      /* 0 if weights is NULL */
    dp2dp_row_sums row_sums;
    unsigned grid_bits;       /* rounding of the scores, as in dp2dp_pool_options */
    const char *multiplicity; /* the column that says how many records a row stands for; NULL: every
                                 row is one record */
} dp2dp_counts_options;

DP2DP_DEFINE_DEFAULT(dp2dp_counts_options, DP2DP_STRUCT_COUNTS_OPTIONS)
#define DP2DP_COUNTS_OPTIONS_INIT dp2dp_counts_options_default()

/* Writes one SELECT that counts how many records of each stratum get each class. With this SELECT a
 * database can serve as the source of a fit (dp2dp/pool.h). The rule is `weighted` if there are
 * weights, else `linear` if there are labels, else `offset`. Without labels, each group is a
 * stratum. With labels, each pair of group g and label y is a stratum, with the number g × classes
 * + y.
 *
 * If offsets (strata × classes numbers) is given, the result has the columns `cell` and `n`: cell
 * is stratum × classes + class, and n is the number of rows in that cell. A cell without rows does
 * not occur. The cell NULL counts the rows that dp2dp_pool_new would refuse: rows with a score or
 * weight that is NULL, NaN, negative or too large, with scores or weights that do not sum to 1, or
 * with an unknown group or label. So the numbers always sum to the number of rows. A pool counts
 * exactly the same numbers, with one exception: a pool that ignores bad rows corrects weights that
 * are not probabilities, but the SELECT does not.
 *
 * If a multiplicity is given, n is the number of records, and the cell -1 counts the rows whose
 * multiplicity is not a whole number from 1 to 2^48. A fit must refuse such rows.
 *
 * If offsets is NULL, the SELECT does not count. Instead it returns the rows, with these columns in
 * order:
 *
 * - `single`: 1 if all columns of scores are float32, else 0;
 * - `single_weights`: 1 if all columns of weights are float32, else 0;
 * - `group_code` and `label_code`: -1 if unknown; label_code is 0 if there are no labels;
 * - the scores p0, p1, … and the weights w0, w1, … as float64; -1 replaces a missing number;
 * - `n`, only with a multiplicity: the multiplicity as float64, or -1 if the multiplicity is bad.
 *
 * Privacy: the results are exact counts of people, or rows about people. Publish only what a fit
 * computes from these results with noise. Charges nothing. Ownership: the caller frees the text
 * with dp2dp_text_free. The text ends with a NUL, which *length does not count. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_export_counts(
    const dp2dp_counts_options *options, const float *offsets, char **text, size_t *length,
    dp2dp_error *error);

#ifdef __cplusplus
}
#endif
#endif
