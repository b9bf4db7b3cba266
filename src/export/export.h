/* The data that every format is written from: the rule of a model, and the names that SQL needs. */
#ifndef DP2DPI_EXPORT_EXPORT_H
#define DP2DPI_EXPORT_EXPORT_H

#include <dp2dp/export.h>

#include "base/text.h"

typedef struct dp2dpi_export {
    const dp2dp_model_info *info;
    dp2dp_export_format format;
    int sees_group;    /* 0 for the rule `weighted` */
    size_t tables;     /* number of tables of offsets: one for each group, or 1 if the rule does not
                          see the group */
    size_t parts;      /* number of rows of each table: one for each weight_j (see
                          dp2dpi_export_offset), and 1 for the rule `offset` */
    const char *table; /* name of the table that the SELECT reads; NULL if the format is not SQL */
    const char *const *scores, *const *weights;
    const char *group_column;
    const char *prediction; /* name of the column that the SELECT adds */
    int counts; /* 1: the SQL counts rows by group, so that it needs a group column even if the rule
                   does not see the group */
} dp2dpi_export;

dp2dp_status dp2dpi_export_check_name(const char *what, const char *name, dp2dp_error *error);
/* Fails with ARGUMENT if a name is missing, or if one column is given for two purposes. */
dp2dp_status dp2dpi_export_check_columns(const dp2dpi_export *e, dp2dp_error *error);

/* Returns the offset of a class in row `part` of a table. The decision is the class k for which
 *     score_k − Σ_j weight_j offset(table, j, k)
 * is the largest. All arithmetic is in float32, and the terms are added in the order j = 0, 1, ….
 */
static inline float dp2dpi_export_offset(const dp2dpi_export *e, size_t table, size_t part,
                                         size_t class_index) {
    size_t row = table * e->parts + part;
    return (float)e->info->offsets[row * e->info->classes + class_index];
}

/* Returns 1 if the rule gets one weight for each group and multiplies it by each score, so that
 * each pair of group and label has a weight. */
static inline int dp2dpi_export_multiplies(const dp2dpi_export *e) {
    return !e->sees_group && e->info->weight_columns < e->info->strata;
}

/* Returns the warning in the export of a model that is not private; "" if the model is private. */
static inline const char *dp2dpi_export_warning(const dp2dpi_export *e) {
    return e->info->not_private_because ? "NOT PRIVATE: dp2dp show MODEL says why." : "";
}

/* Returns 1, and sets *value, if a name is a 64-bit integer as a program prints it: no blanks, no
 * plus, no leading zero. */
int dp2dpi_export_integer(const char *name, long long *value);
int dp2dpi_export_integers(const char *const *names, size_t count);

enum {
    DP2DPI_SPELLINGS = 2,
    DP2DPI_SPELLING_SIZE = 32
};
/* Writes to `out` another spelling of name i, as a database may have it. If digits is 0, the name
 * is spelled as in a column of integers (1). If digits is 1, the name is spelled as in a column of
 * floats (1.0). Returns 1, or 0 if there is no such spelling: the spelling would equal name i, name
 * i is not a whole number below 1e7, or the names are not all different numbers. */
int dp2dpi_export_spelling(const char *const *names, size_t count, size_t i, int digits,
                           char out[DP2DPI_SPELLING_SIZE]);

void dp2dpi_export_sql(const dp2dpi_export *e, dp2dpi_text *t);
void dp2dpi_export_onnx(const dp2dpi_export *e, dp2dpi_text *t);
void dp2dpi_export_c_header(const dp2dpi_export *e, dp2dpi_text *t);

#endif
