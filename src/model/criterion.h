/* The member "criterion" of a rule, which says what the rule makes equal, how it decides and how it
 * was fitted. A rule without this member is for demographic parity and sees the group. */
#ifndef DP2DPI_MODEL_CRITERION_H
#define DP2DPI_MODEL_CRITERION_H

#include "decide/model.h"
#include "model/model_json.h"

int dp2dpi_criterion_is_needed(const dp2dp_model_info *info);

/* Writes the class and labels of each custom statistic, or null if there are none. Returns NULL if
 * memory runs out. */
json_t *dp2dpi_custom_to_json(const dp2dp_statistic *statistics, size_t count, size_t labels);

/* Custom statistics that were read from JSON. */
typedef struct dp2dpi_custom {
    size_t count;
    dp2dp_statistic *statistics; /* NULL if there are none */
    unsigned char *sets;         /* memory for the label flags of all statistics */
} dp2dpi_custom;

/* Reads what dp2dpi_custom_to_json wrote. Ownership: free with dp2dpi_custom_free, also after
 * failure. */
void dp2dpi_custom_read(dp2dpi_reader *r, const json_t *array, size_t labels, size_t classes,
                        dp2dpi_custom *out);
void dp2dpi_custom_free(dp2dpi_custom *custom);
/* Reads the member "positive", which is null or a class index. */
int32_t dp2dpi_positive_read(dp2dpi_reader *r, const json_t *object, size_t classes);

/* Writes the member "criterion" of a rule. Returns NULL if memory runs out. */
json_t *dp2dpi_criterion_to_json(const dp2dp_model_info *info);

/* What the member "kind" of a rule says. Rules with a dither or a grid have their own kinds, such
 * as linear-dithered or offset-grid. So an older library, which does not know dithers or grids,
 * refuses the model. */
typedef struct dp2dpi_kind {
    dp2dp_rule rule;
    int dithered, gridded;
} dp2dpi_kind;

json_t *dp2dpi_kind_to_json(const dp2dp_model_info *info);
/* Reads the kind of a rule. Returns 0 if the kind is not known. */
int dp2dpi_kind_find(const char *kind, dp2dpi_kind *out);

/* Reads the sizes and the kind of the rule into *kind. The caller must have set kind->classes. A
 * rule without the member "criterion" is for demographic parity and sees the group. */
void dp2dpi_criterion_read_kind(dp2dpi_reader *r, json_t *rule, size_t groups,
                                dp2dpi_model_kind *kind);
/* Reads the rest of the member "criterion" into the model. */
void dp2dpi_criterion_read(dp2dpi_reader *r, json_t *rule, dp2dp_model *model);

/* Checks the criterion and its tolerance, and that the solver supports them. The reader and the
 * writer of models both call this. */
dp2dp_status dp2dpi_criterion_check(const dp2dp_model_info *info, dp2dp_error *error);

#endif
