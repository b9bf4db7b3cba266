/* Checks and reads the members "phase1" and "group_classifier" of a model. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/order.h"
#include "decide/model.h"
#include "model/model_json.h"
#include "schema/schema.h"

static const uint64_t records_max = (uint64_t)1 << 39;

const dp2dpi_classifier_member dp2dpi_phase1 = {"phase1", "phase1.", "phase1.options."};
const dp2dpi_classifier_member dp2dpi_group_classifier = {"group_classifier", "group_classifier.",
                                                          "group_classifier.options."};

static const dp2dpi_classifier_member *member_of(const dp2dp_classifier *c) {
    return c->target == DP2DP_TARGET_GROUP ? &dp2dpi_group_classifier : &dp2dpi_phase1;
}

static int are_alike(const char *const *names, size_t n, const char *const *others, size_t m) {
    int alike = n == m;
    for (size_t i = 0; alike && i < n; i++) {
        alike = strcmp(names[i], others[i]) == 0;
    }
    return alike;
}

/* Returns 1 if the rule has the groups of the schema in another order. A group's code by the schema
 * would then select the offsets of another group. */
static int are_reordered(const dp2dp_model_info *info, const dp2dp_schema_info *schema) {
    const char *const *own = info->names.groups, *const *others = schema->groups;
    return info->strata > 0 && dp2dpi_are_reordered(own, info->groups, others, schema->group_count);
}

/* Like dp2dpi_model_require, for members of the object `of`. */
static dp2dp_status require(const char *of, const dp2dpi_model_rule *rules, dp2dp_error *error) {
    for (; rules->member; rules++) {
        if (!rules->holds) {
            return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "%s.%s: must be %s", of, rules->member,
                               rules->must);
        }
    }
    return DP2DP_STATUS_OK;
}
#define REQUIRE(of, error, ...) require(of, (const dp2dpi_model_rule[]) {__VA_ARGS__, {0}}, error)

/* Checks a classifier against its schema, which defines the meaning of each row and column of
 * weights. */
static dp2dp_status check_schema(const dp2dp_model_info *info, const dp2dp_classifier *c,
                                 const dp2dp_schema_info *schema, dp2dp_error *error) {
    const char *of = member_of(c)->key;
    int weighs = c->target != DP2DP_TARGET_LABEL && info->rule == DP2DP_RULE_WEIGHTED;
    int same_classes =
        are_alike(schema->classes, schema->class_count, info->names.classes, info->classes);
    int same_groups =
        are_alike(schema->groups, schema->group_count, info->names.groups, info->groups);
    DP2DPI_TRY(REQUIRE(
        of, error,
        {c->target == DP2DP_TARGET_GROUP || same_classes, "schema",
         "a schema whose label has the classes of the rule"},
        {!weighs || same_groups, "schema",
         "a schema with the same groups as the rule, because the classifier computes the rule's "
         "weights"},
        {!are_reordered(info, schema), "schema",
         "a schema with the groups of the rule in the same order"},
        {dp2dp_target_outputs(c->target, schema) == c->outputs && c->outputs <= DP2DPI_CODES_MAX,
         "outputs", "the number of outputs that the target needs, at most 4096"},
        {schema->width == c->features, "features", "the number of features in the schema"}));
    return DP2DPI_MODEL_REQUIRE(
        error, {schema->origin != DP2DP_ORIGIN_FROM_DATA ||
                    (info->not_private_because & DP2DP_NOT_PRIVATE_SCHEMA_FROM_DATA),
                "privacy.not_private_because",
                "a list that includes schema-from-data, because the origin of phase1.schema is "
                "from-data"});
}

static dp2dp_status check_numbers(const dp2dp_classifier *c, dp2dp_error *error) {
    const dp2dp_train_options *s = c->options;
    int chosen = s->epsilon > 0 && s->delta > 0 && s->delta < 1, bounded = 1;
    int external = c->method == DP2DP_TRAIN_EXTERNAL;
    for (size_t i = 0; i < c->outputs * (c->features + 1); i++) {
        bounded &= fabs(c->weights[i]) <= DP2DPI_WEIGHT_MAX;
    }
    return REQUIRE(
        member_of(c)->key, error,
        {c->method == DP2DP_TRAIN_NONE || chosen || dp2dpi_classifier_lacks_guarantee(c),
         "options.epsilon", "given together with delta, because the training adds noise"},
        {!external || isnan(s->epsilon) == isnan(s->delta), "options.epsilon",
         "stated together with delta, or not at all"},
        {external ? c->records == 0 : c->records >= 1 && c->records <= records_max, "records",
         "from 1 to 2^39, or 0 if the method is external"},
        {dp2dp_word_name(DP2DP_WORDS_RNG, (int)c->rng) != NULL, "rng", "secure or insecure"},
        {dp2dpi_model_is_version(c->library_version), "library", "UTF-8 of 1 to 64 bytes"},
        {bounded, "weights", "from -1e100 to 1e100"});
}

static dp2dp_status check_classifier(const dp2dp_model_info *info, const dp2dp_classifier *c,
                                     dp2dp_error *error) {
    const dp2dpi_classifier_member *member = member_of(c);
    dp2dp_schema *schema = NULL;
    dp2dp_error inner = {0};
    char options[40];
    (void)snprintf(options, sizeof options, "%s.options", member->key);
    DP2DPI_TRY(REQUIRE(member->key, error,
                       {dp2dp_word_name(DP2DP_WORDS_METHOD, (int)c->method) != NULL, "method",
                        "a method that this library knows"}));
    DP2DPI_TRY(dp2dpi_model_check_options(options, DP2DP_STRUCT_TRAIN_OPTIONS, c->options, error));
    DP2DPI_TRY(check_numbers(c, error));
    dp2dp_status status = dp2dpi_schema_from_json(c->schema, strlen(c->schema), &schema, &inner);
    if (status != DP2DP_STATUS_OK) {
        status = status == DP2DP_STATUS_MEMORY ? status : DP2DP_STATUS_ARGUMENT;
        return dp2dpi_fail(error, status, "%s.schema: %.250s", member->key, inner.message);
    }
    status = check_schema(info, c, dp2dp_schema_view(schema), error);
    dp2dp_schema_free(schema);
    return status;
}

/* Checks the classifiers. A single classifier predicts the label or the group. A rule that does not
 * see the group may have two classifiers: `classifier` predicts the label, and `group_classifier`
 * predicts the group. Both classifiers read the same encoded rows, so they must have the same
 * schema. */
dp2dp_status dp2dpi_model_check_phase1(const dp2dp_model_info *info, dp2dp_error *error) {
    const dp2dp_classifier *c = info->classifier, *groups = info->group_classifier;
    if (c) {
        DP2DPI_TRY(check_classifier(info, c, error));
    }
    if (groups == NULL) {
        return DP2DP_STATUS_OK;
    }
    int labels = c && c->target == DP2DP_TARGET_LABEL;
    DP2DPI_TRY(DP2DPI_MODEL_REQUIRE(
        error,
        {labels && info->rule == DP2DP_RULE_WEIGHTED, "group_classifier",
         "absent here; only a weighted rule uses a group_classifier, and only if the classifier in "
         "phase1 predicts the label"},
        {info->weight_columns == groups->outputs, "rule.criterion.weight_columns",
         "the number of groups, because there is a group_classifier"},
        {labels && strcmp(groups->schema, c->schema) == 0, "group_classifier.schema",
         "the schema of phase1"}));
    return check_classifier(info, groups, error);
}

dp2dp_target dp2dpi_phase1_target(dp2dpi_reader *r, const json_t *root,
                                  const dp2dpi_classifier_member *member) {
    const json_t *word = json_object_get(json_object_get(root, member->key), "target");
    int is_group = member == &dp2dpi_group_classifier, target = DP2DP_TARGET_LABEL;
    int expected = is_group ? DP2DP_TARGET_GROUP : DP2DP_TARGET_GROUP_LABEL;
    if (word || is_group) {
        r->where = member->where;
        dp2dpi_reader_require(
            r,
            dp2dpi_word_find(DP2DP_WORDS_TARGET, json_string_value(word), &target) &&
                target == expected,
            "target",
            is_group ? "group" : "group-label, or absent if the classifier predicts the label");
        r->where = "";
    }
    return (dp2dp_target)target;
}

dp2dp_schema *dp2dpi_phase1_schema(dp2dpi_reader *r, const json_t *root,
                                   const dp2dpi_classifier_member *member) {
    unsigned parts = dp2dp_target_parts(dp2dpi_phase1_target(r, root, member));
    json_t *object = json_object_get(json_object_get(root, member->key), "schema");
    dp2dp_schema *schema = NULL;
    dp2dp_error inner = {0};
    r->where = member->where;
    dp2dpi_reader_require(r, json_is_object(object), "schema", "an object");
    if (r->status != DP2DP_STATUS_OK) {
        return NULL;
    }
    dp2dpi_reader_retell(
        r, dp2dpi_schema_from_value(json_incref(object), &schema, &inner),
        member == &dp2dpi_phase1 ? "phase1.schema: " : "group_classifier.schema: ", &inner);
    const dp2dp_schema_info *info = schema ? dp2dp_schema_view(schema) : NULL;
    dp2dpi_reader_require(r, !info || !(parts & DP2DP_PART_LABEL) || info->class_count >= 2,
                          "schema", "a schema that has a label");
    dp2dpi_reader_require(r, !info || !(parts & DP2DP_PART_GROUP) || info->group_count >= 2,
                          "schema", "a schema that has groups");
    r->where = "";
    return schema;
}

static void take_weights(dp2dpi_reader *r, const json_t *object, dp2dpi_held_classifier *held) {
    const json_t *rows = json_object_get(object, "weights");
    size_t length = held->view.features + 1, outputs = held->view.outputs;
    dp2dpi_reader_require(r, json_is_array(rows) && json_array_size(rows) == outputs, "weights",
                          "an array with one row for each output or, without the member outputs, "
                          "for each class");
    for (size_t k = 0; k < outputs && r->status == DP2DP_STATUS_OK; k++) {
        dp2dpi_reader_numbers(r, json_array_get(rows, k), "weights", length,
                              held->weights + k * length);
    }
}

static void take_outputs(dp2dpi_reader *r, const json_t *object, const dp2dp_classifier *c) {
    if (c->target == DP2DP_TARGET_LABEL) {
        dp2dpi_reader_require(r, json_object_get(object, "outputs") == NULL, "outputs",
                              "absent, because there is no target");
    } else {
        dp2dpi_reader_require(r, dp2dpi_reader_count(r, object, "outputs") == c->outputs, "outputs",
                              "the number of outputs of the target");
    }
}

void dp2dpi_phase1_read(dp2dpi_reader *r, json_t *root, const dp2dpi_classifier_member *member,
                        const dp2dp_schema *schema, dp2dp_model *model) {
    static const char *const known[] = {
        "method",        "options", "records",    "features", "weights", "rng", "library",
        "insecure_seed", "schema",  "leaves_out", "target",   "outputs", NULL};
    dp2dp_target target = dp2dpi_phase1_target(r, root, member);
    json_t *object = dp2dpi_reader_object(r, root, member->key, member->where, known);
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    dp2dp_train_options options = DP2DP_TRAIN_OPTIONS_INIT;
    dp2dp_classifier c = {.schema = info->text,
                          .features = info->width,
                          .options = &options,
                          .target = target,
                          .outputs = dp2dp_target_outputs(target, info),
                          .schema_groups = info->groups,
                          .schema_group_count = info->group_count};
    c.method = (dp2dp_train_method)dp2dpi_reader_word(r, object, "method", DP2DP_WORDS_METHOD);
    dp2dpi_model_take_options(r, object, member->where_options, DP2DP_STRUCT_TRAIN_OPTIONS, NULL,
                              &options);
    r->where = member->where;
    c.records = dp2dpi_reader_count(r, object, "records");
    c.leaves_out = dp2dpi_reader_boolean(r, object, "leaves_out");
    dp2dpi_reader_rng(r, object, &c.rng, &c.insecure_seed);
    c.library_version = json_string_value(json_object_get(object, "library"));
    dp2dpi_reader_require(r, c.library_version != NULL, "library", "a text");
    dp2dpi_reader_require(r, dp2dpi_reader_count(r, object, "features") == c.features, "features",
                          "the number of features in the schema");
    take_outputs(r, object, &c);
    if (r->status == DP2DP_STATUS_OK) {
        r->status = dp2dpi_model_add_classifier(model, &c, r->error);
        take_weights(r, object,
                     model->info.group_classifier ? &model->group_classifier : &model->classifier);
    }
    r->where = "";
}
