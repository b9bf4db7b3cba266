/* Checks and reads the member "phase1" of a model: the classifier that computes the scores. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "model/model_json.h"
#include "phase2/model.h"
#include "schema/schema.h"

static const uint64_t records_max = (uint64_t)1 << 39;

static int are_alike(const char *const *names, size_t n, const char *const *others, size_t m) {
    int alike = n == m;
    for (size_t i = 0; alike && i < n; i++) {
        alike = strcmp(names[i], others[i]) == 0;
    }
    return alike;
}

/* Checks the classifier against its schema, which defines the meaning of each row and column of the
 * weights. */
static dp2dp_status check_schema(const dp2dp_model_info *info, const dp2dp_schema_info *schema,
                                 dp2dp_error *error) {
    dp2dp_target target = info->classifier->target;
    int predicts_groups = target == DP2DP_TARGET_GROUP_LABEL;
    int alike = are_alike(schema->classes, schema->class_count, info->names.classes, info->classes);
    int same_groups =
        are_alike(schema->groups, schema->group_count, info->names.groups, info->groups);
    return DP2DPI_MODEL_REQUIRE(
        error,
        {target != DP2DP_TARGET_GROUP || info->classes == 0, "phase1.target",
         "label or group-label if there is a rule"},
        {target == DP2DP_TARGET_GROUP || alike, "phase1.schema",
         "a schema whose label has the classes of the rule"},
        {!predicts_groups || info->rule != DP2DP_RULE_WEIGHTED || same_groups, "phase1.schema",
         "a schema with the groups of the rule if the classifier gives its weights"},
        {dp2dp_target_outputs(target, schema) == info->classifier->outputs &&
             info->classifier->outputs <= DP2DPI_CODES_MAX,
         "phase1.outputs", "the number of outputs that the target has, at most 4096"},
        {schema->width == info->classifier->features, "phase1.features",
         "the number of features in the schema"},
        {schema->origin != DP2DP_ORIGIN_FROM_DATA ||
             (info->not_private_because & DP2DP_NOT_PRIVATE_SCHEMA_FROM_DATA),
         "privacy.not_private_because",
         "a list that includes schema-from-data if the origin of phase1.schema is from-data"});
}

static dp2dp_status check_numbers(const dp2dp_model_info *info, dp2dp_error *error) {
    const dp2dp_classifier *c = info->classifier;
    const dp2dp_train_options *s = c->options;
    int chosen = s->epsilon > 0 && s->delta > 0 && s->delta < 1, bounded = 1;
    int external = c->method == DP2DP_TRAIN_EXTERNAL;
    for (size_t i = 0; i < c->outputs * (c->features + 1); i++) {
        bounded &= fabs(c->weights[i]) <= DP2DPI_WEIGHT_MAX;
    }
    return DP2DPI_MODEL_REQUIRE(
        error,
        {c->method == DP2DP_TRAIN_NONE || chosen || dp2dpi_classifier_lacks_guarantee(c),
         "phase1.options.epsilon", "given together with delta, unless there is no noise"},
        {!external || isnan(s->epsilon) == isnan(s->delta), "phase1.options.epsilon",
         "stated together with delta, or not at all"},
        {external ? c->records == 0 : c->records >= 1 && c->records <= records_max,
         "phase1.records", "from 1 to 2^39, and 0 for the method external"},
        {dp2dp_word_name(DP2DP_WORDS_RNG, (int)c->rng) != NULL, "phase1.rng", "secure or insecure"},
        {dp2dpi_model_is_version(c->library_version), "phase1.library", "UTF-8 of 1 to 64 bytes"},
        {bounded, "phase1.weights", "from -1e100 to 1e100"});
}

dp2dp_status dp2dpi_model_check_phase1(const dp2dp_model_info *info, dp2dp_error *error) {
    const dp2dp_classifier *c = info->classifier;
    dp2dp_schema *schema = NULL;
    dp2dp_error inner = {0};
    if (c == NULL) {
        return DP2DP_STATUS_OK;
    }
    DP2DPI_TRY(
        DP2DPI_MODEL_REQUIRE(error, {dp2dp_word_name(DP2DP_WORDS_METHOD, (int)c->method) != NULL,
                                     "phase1.method", "a method that this library knows"}));
    DP2DPI_TRY(dp2dpi_model_check_options("phase1.options", DP2DP_STRUCT_TRAIN_OPTIONS, c->options,
                                          error));
    DP2DPI_TRY(check_numbers(info, error));
    dp2dp_status status = dp2dpi_schema_from_json(c->schema, strlen(c->schema), &schema, &inner);
    if (status != DP2DP_STATUS_OK) {
        status = status == DP2DP_STATUS_MEMORY ? status : DP2DP_STATUS_ARGUMENT;
        return dp2dpi_fail(error, status, "phase1.schema: %.250s", inner.message);
    }
    status = check_schema(info, dp2dp_schema_view(schema), error);
    dp2dp_schema_free(schema);
    return status;
}

dp2dp_target dp2dpi_phase1_target(dp2dpi_reader *r, const json_t *phase1) {
    const json_t *member = json_object_get(phase1, "target");
    int target = DP2DP_TARGET_LABEL;
    if (member) {
        dp2dpi_reader_require(
            r,
            dp2dpi_word_find(DP2DP_WORDS_TARGET, json_string_value(member), &target) &&
                target != DP2DP_TARGET_LABEL,
            "phase1.target", "group or group-label; a classifier of the label has no target");
    }
    return (dp2dp_target)target;
}

dp2dp_schema *dp2dpi_phase1_schema(dp2dpi_reader *r, json_t *phase1) {
    unsigned parts = dp2dp_target_parts(dp2dpi_phase1_target(r, phase1));
    json_t *object = json_object_get(phase1, "schema");
    dp2dp_schema *schema = NULL;
    dp2dp_error inner = {0};
    dp2dpi_reader_require(r, json_is_object(object), "phase1.schema", "an object");
    if (r->status != DP2DP_STATUS_OK) {
        return NULL;
    }
    dp2dpi_reader_retell(r, dp2dpi_schema_from_value(json_incref(object), &schema, &inner),
                         "phase1.schema: ", &inner);
    const dp2dp_schema_info *info = schema ? dp2dp_schema_view(schema) : NULL;
    dp2dpi_reader_require(r, !info || !(parts & DP2DP_PART_LABEL) || info->class_count >= 2,
                          "phase1.schema", "a schema that has a label");
    dp2dpi_reader_require(r, !info || !(parts & DP2DP_PART_GROUP) || info->group_count >= 2,
                          "phase1.schema", "a schema that has groups");
    return schema;
}

static void take_weights(dp2dpi_reader *r, const json_t *phase1, dp2dp_model *model) {
    const json_t *rows = json_object_get(phase1, "weights");
    size_t length = model->classifier.features + 1;
    size_t outputs = model->classifier.outputs;
    dp2dpi_reader_require(r, json_is_array(rows) && json_array_size(rows) == outputs, "weights",
                          "an array with one row for each class or output");
    for (size_t k = 0; k < outputs && r->status == DP2DP_STATUS_OK; k++) {
        dp2dpi_reader_numbers(r, json_array_get(rows, k), "weights", length,
                              model->weights + k * length);
    }
}

void dp2dpi_phase1_read(dp2dpi_reader *r, json_t *root, const dp2dp_schema *schema,
                        dp2dp_model *model) {
    static const char *const known[] = {
        "method",  "options", "records",    "features", "weights", "rng", "insecure_seed",
        "library", "schema",  "leaves_out", "target",   "outputs", NULL};
    json_t *phase1 = dp2dpi_reader_object(r, root, "phase1", "phase1.", known);
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    dp2dp_train_options options = DP2DP_TRAIN_OPTIONS_INIT;
    dp2dp_classifier c = {.schema = info->text, .features = info->width, .options = &options};
    c.target = dp2dpi_phase1_target(r, phase1);
    c.outputs = dp2dp_target_outputs(c.target, info);
    c.method = (dp2dp_train_method)dp2dpi_reader_word(r, phase1, "method", DP2DP_WORDS_METHOD);
    dp2dpi_model_take_options(r, phase1, "phase1.options.", DP2DP_STRUCT_TRAIN_OPTIONS, NULL,
                              &options);
    r->where = "phase1.";
    c.records = dp2dpi_reader_count(r, phase1, "records");
    c.leaves_out = dp2dpi_reader_boolean(r, phase1, "leaves_out");
    dp2dpi_reader_rng(r, phase1, &c.rng, &c.insecure_seed);
    c.library_version = json_string_value(json_object_get(phase1, "library"));
    dp2dpi_reader_require(r, c.library_version != NULL, "library", "a text");
    dp2dpi_reader_require(r, dp2dpi_reader_count(r, phase1, "features") == c.features, "features",
                          "the number of features in the schema");
    if (c.target != DP2DP_TARGET_LABEL) {
        dp2dpi_reader_require(r, dp2dpi_reader_count(r, phase1, "outputs") == c.outputs, "outputs",
                              "the number of outputs that the target has");
    } else {
        dp2dpi_reader_require(r, json_object_get(phase1, "outputs") == NULL, "outputs",
                              "absent unless there is a target");
    }
    if (r->status == DP2DP_STATUS_OK) {
        r->status = dp2dpi_model_add_classifier(model, &c, r->error);
        take_weights(r, phase1, model);
    }
    r->where = "";
}
