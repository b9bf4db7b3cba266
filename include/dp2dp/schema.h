/* How rows become numbers: the role, kind, bounds and levels of every column (docs/schema.md).
 *
 * Privacy: a schema is public. Bounds, levels and scales that were found in private rows reveal
 * something about these rows. A schema with such values has the origin FROM_DATA, and every model
 * made with it says so. */
#ifndef DP2DP_SCHEMA_H
#define DP2DP_SCHEMA_H

#include <stddef.h>

#include <dp2dp/arrow.h>
#include <dp2dp/status.h>
#include <dp2dp/table.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dp2dp_role {
#define DP2DP_ROLE(name, value, word) DP2DP_ROLE_##name = (value),
#include <dp2dp/schema.def>
#undef DP2DP_ROLE
} dp2dp_role;

typedef enum dp2dp_kind {
#define DP2DP_KIND(name, value, word) DP2DP_KIND_##name = (value),
#include <dp2dp/schema.def>
#undef DP2DP_KIND
} dp2dp_kind;

/* How to treat a value that is missing or is not a known level: refuse the table, give the value a
 * level of its own, or leave out its row (only for missing values). */
typedef enum dp2dp_policy {
#define DP2DP_POLICY(name, value, word) DP2DP_POLICY_##name = (value),
#include <dp2dp/schema.def>
#undef DP2DP_POLICY
} dp2dp_policy;

typedef enum dp2dp_origin {
#define DP2DP_ORIGIN(name, value, word) DP2DP_ORIGIN_##name = (value),
#include <dp2dp/schema.def>
#undef DP2DP_ORIGIN
} dp2dp_origin;

/* A text that stands for a level. */
typedef struct dp2dp_alias {
    const char *text, *level;
} dp2dp_alias;

typedef struct dp2dp_schema_column {
    const char *name;
    dp2dp_role role;
    dp2dp_kind kind;       /* kind of the values in the table; not used if role is IGNORE */
    dp2dp_table_type type; /* the type to pass to dp2dp_table_open */
    double lower, upper;   /* in a numeric column without cuts, each number is first clipped to
                              [lower, upper] */
    double centre, scale;  /* after clipping and log1p, a number x becomes (x - centre) / scale */
    int log1p;             /* 1: after clipping, a number x becomes log1p(x) */
    /* Cut points. The position of a number's level in `levels` is the count of cuts below the
     * number. NULL: the column is encoded as a number. */
    const double *cuts;
    size_t cut_count;
    /* The declared levels, then "(unknown)" and "(missing)" if the policies ask for them. A column
     * that is encoded as a number has no level except, perhaps, "(missing)". */
    const char *const *levels;
    size_t level_count;
    size_t declared_count; /* number of levels before "(unknown)" and "(missing)" */
    const dp2dp_alias *aliases;
    size_t alias_count;
    dp2dp_policy unknown, missing;
    size_t number; /* position among the features that are encoded as numbers; SIZE_MAX for other
                      columns */
    size_t first;  /* position of this column's first level among all features */
} dp2dp_schema_column;

typedef struct dp2dp_schema dp2dp_schema;

typedef struct dp2dp_schema_info {
    size_t struct_size;
    const char *name; /* name of the data set or table; may be empty */
    const char *text; /* the schema as JSON, with every default written out */
    size_t text_length;
    dp2dp_origin origin;
    double norm;                /* rows with a larger ℓ₂ norm are scaled down to this norm */
    int trim;                   /* 1: blanks and tabs around a text are ignored */
    const char *const *markers; /* texts that mark a missing value */
    size_t marker_count;
    const dp2dp_schema_column *columns;
    size_t column_count;
    size_t numbers, categories; /* how many numbers and how many levels an encoded row has */
    size_t width; /* number of features of an encoded row: `numbers`, plus all levels of the feature
                     columns */
    /* classes are the levels of the label, in order. groups are the combinations of the levels of
     * all sensitive columns, for example "female × black"; the first column changes slowest.
     * class_count is 0 if the schema has no label; group_count is 0 if it has no sensitive column.
     */
    const char *const *classes;
    size_t class_count;
    const char *const *groups;
    size_t group_count;
    unsigned leaves_out; /* dp2dp_part bits of the parts that have a column with the policy DROP.
                            This policy leaves out a row if its value in the column is missing */
} dp2dp_schema_info;

/* Loads a schema. `source` is the name of a built-in schema (adult, adult-cut, credit, parkinsons),
 * the path of a file, or JSON text, which begins with a brace. Write ./name for a path that looks
 * like a built-in name. Fails with DATA if the schema is not valid by docs/schema.md; the message
 * names the wrong member. Ownership: the caller frees the schema, which is immutable and may be
 * shared by threads. The view belongs to the schema. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_schema_load(const char *source, dp2dp_schema **out, dp2dp_error *error);
DP2DP_API const dp2dp_schema_info *dp2dp_schema_view(const dp2dp_schema *schema);
DP2DP_API void dp2dp_schema_free(dp2dp_schema *schema);

/* The parts of a row that dp2dp_schema_encode can encode, as bits. */
typedef enum dp2dp_part {
    DP2DP_PART_FEATURES = 1,
    DP2DP_PART_LABEL = 2,
    DP2DP_PART_GROUP = 4,
    /* Keep rows that the schema leaves out, and mark them. Without this bit these rows are skipped,
     * so the number of encoded rows depends on the values in the rows. */
    DP2DP_PART_LEFT_OUT = 8,
    DP2DP_PART_IGNORE_BAD = 16, /* with LEFT_OUT: also leave out bad rows (DP2DP_BAD_ROWS_IGNORE)
                                   instead of refusing them */
    DP2DP_PART_FINDINGS = 32    /* report what the schema would do with each row instead of encoding
                                   it; not allowed with LEFT_OUT */
} dp2dp_part;

/* What a schema finds in one value. */
typedef enum dp2dp_finding {
    DP2DP_FINDING_NONE = 0,
    DP2DP_FINDING_CLIPPED = 1, /* a number below lower or above upper */
    DP2DP_FINDING_UNKNOWN = 2, /* a text that is not in the list of levels */
    DP2DP_FINDING_MISSING = 3
} dp2dp_finding;

/* What dp2dp_schema_encode does with a row. */
typedef enum dp2dp_outcome {
    DP2DP_OUTCOME_KEPT = 0,
    DP2DP_OUTCOME_LEFT_OUT = 1,
    DP2DP_OUTCOME_REFUSED = 2 /* the whole table is refused because of this row */
} dp2dp_outcome;

/* Encodes rows, batch by batch, in constant memory. The result depends only on schema and row, so
 * it is the same for training, scoring and export, on every machine.
 *
 * `rows` must have the columns that `parts` (dp2dp_part bits) need, and may have more. Columns are
 * found by name. Numeric columns must be numbers, categorical columns text or whole numbers; a null
 * or NaN is missing. The batches of `out` are struct arrays without nulls. Their children are, in
 * this order (label and group only if `parts` has them):
 *
 * - "row": int64, position in `rows` from 0, since rows with a missing value may be skipped;
 * - "numbers": a list of float32, not yet multiplied by scale;
 * - "levels": a list of int32, each the position of a feature that is 1, or -1 for none;
 * - "scale": float32, the factor that brings the norm of the row down to the schema's norm, or 1;
 * - "label": int32, position in classes;
 * - "group": int32, position in groups;
 * - "left_out": int8, 1 for a row that is left out; its levels are then -1 and its other values 0.
 *   This child exists only if `parts` has LEFT_OUT and rows can be left out: info.leaves_out has
 *   one of the other bits of `parts`, or `parts` has IGNORE_BAD.
 *
 * If `parts` has FINDINGS, no row is skipped or refused. The children are then "row" and
 *
 * - "findings": a list of int8, one dp2dp_finding for every column of the schema (NONE for columns
 *   that are not read);
 * - "outcome": int8, a dp2dp_outcome.
 *
 * Findings and outcomes are facts about single rows: NOT PRIVATE.
 *
 * Privacy: the number of private rows is public and includes rows that are left out, so read
 * private rows with LEFT_OUT. Skip rows only if the data set is public and is defined as the rows
 * without missing values. A row is bad if the schema refuses one of its values as missing or
 * unknown, or if the row is null in the struct array. A row is also bad if a value is an integer
 * beyond 2^53 (2^63 in a text column), or a code outside its dictionary.
 *
 * This function validates data before anything is released. get_next fails as for dp2dp_table_open.
 * A message names `source` (unless NULL), row and column, never a value. Ownership: rows is moved
 * into *out, also on failure; schema is borrowed until out is released. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_schema_encode(
    const dp2dp_schema *schema, unsigned parts, struct ArrowArrayStream *rows, const char *source,
    struct ArrowArrayStream *out, dp2dp_error *error);

/* Calls dp2dp_table_open for the columns that the parts need, then dp2dp_schema_encode. options
 * says how to read the table; NULL means the defaults. options->columns and options->bad_rows are
 * ignored, because schema and `parts` decide them. options->missing is added to the markers of the
 * schema. Ownership: as for dp2dp_table_open and dp2dp_schema_encode. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_schema_open(
    const dp2dp_schema *schema, unsigned parts, const char *path,
    const dp2dp_table_options *options, struct ArrowArrayStream *out, dp2dp_error *error);

#ifdef __cplusplus
}
#endif
#endif
