/* Reads a model from JSON. Refuses an unknown member, except in a text of a newer minor version. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "decide/covers.h"
#include "mechanism/ledger_json.h"
#include "model/criterion.h"
#include "model/model_json.h"

/* A member that an older version lacks, and the value to use for it. */
typedef struct addition {
    json_t *object;
    const char *name;
    json_t *value;
} addition;

static void add_members(dp2dpi_reader *r, const addition *added, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (json_object_get(added[i].object, added[i].name)) {
            dp2dpi_reader_refuse(
                r, added[i].name,
                "absent, because a model of this version does not have this member");
        }
        if (!json_is_object(added[i].object)) {
            json_decref(added[i].value);
        } else if (json_object_set_new(added[i].object, added[i].name, added[i].value)) {
            r->status = dp2dpi_fail(r->error, DP2DP_STATUS_MEMORY, "out of memory for a model");
        }
    }
}

/* A model of version 1.0 has no classifiers and no declared guarantees. */
static void upgrade_from_1_0(dp2dpi_reader *r, json_t *root) {
    json_t *options = json_object_get(root, "options");
    const addition added[] = {{root, "phase1", json_null()},
                              {options, "scores_epsilon", json_null()},
                              {options, "scores_delta", json_null()}};
    add_members(r, added, sizeof added / sizeof added[0]);
}

/* A model of version 1 does not say whom it covers, has no warnings, and does not count records
 * that are left out. */
static void upgrade_from_1(dp2dpi_reader *r, json_t *root) {
    int ruled = json_is_object(json_object_get(root, "rule"));
    json_t *privacy = json_object_get(root, "privacy");
    const addition added[] = {{root, "from_version", json_integer(1)},
                              {root, "warnings", json_array()},
                              {root, "leaves_out", ruled ? json_false() : json_null()},
                              {privacy, "covers", json_null()},
                              {privacy, "not_covered", json_null()},
                              {json_object_get(root, "phase1"), "leaves_out", json_false()}};
    add_members(r, added, sizeof added / sizeof added[0]);
}

static size_t take_size(dp2dpi_reader *r, const json_t *rule, const char *key) {
    const json_t *array = json_object_get(rule, key);
    size_t n = json_array_size(array);
    dp2dpi_reader_require(r, json_is_array(array) && n >= 2 && n <= DP2DPI_CODES_MAX, key,
                          "an array of 2 to 4096 texts");
    return n;
}

/* Makes a model with its sizes and names. fill_rule reads the rest of the rule. */
static dp2dp_model *new_model(dp2dpi_reader *r, json_t *rule, json_t *columns) {
    dp2dp_model *model = NULL;
    dp2dp_error inner = {0};
    const json_t *scores = json_object_get(columns, "scores");
    const json_t *group = json_object_get(columns, "group");
    size_t groups = take_size(r, rule, "groups");
    size_t classes = take_size(r, rule, "classes");
    const char **texts = NULL, **weights;
    dp2dpi_model_kind kind = {.classes = classes};
    const json_t *weight_names = json_object_get(json_object_get(rule, "criterion"), "weights");
    dp2dpi_criterion_read_kind(r, rule, groups, &kind);
    if (r->status == DP2DP_STATUS_OK) {
        r->status = DP2DPI_ALLOC(texts, groups + 2 * classes + kind.weight_columns,
                                 "the names of a model", r->error);
    }
    if (texts == NULL) {
        return NULL;
    }
    weights = texts + groups + 2 * classes;
    dp2dpi_reader_texts(r, json_object_get(rule, "groups"), "groups", groups, texts);
    dp2dpi_reader_texts(r, json_object_get(rule, "classes"), "classes", classes, texts + groups);
    if (!json_is_null(scores)) {
        dp2dpi_reader_texts(r, scores, "columns.scores", classes, texts + groups + classes);
    }
    if (weight_names && !json_is_null(weight_names)) {
        dp2dpi_reader_texts(r, weight_names, "criterion.weights", kind.weight_columns, weights);
        kind.weights = weights;
    }
    dp2dpi_reader_require(r, json_is_null(group) || json_is_string(group), "columns.group",
                          "a text or null");
    if (r->status == DP2DP_STATUS_OK) {
        const dp2dp_names names = {
            .groups = texts,
            .classes = texts + groups,
            .scores = json_is_null(scores) ? NULL : texts + groups + classes,
            .group_column = json_string_value(group),
        };
        dp2dpi_reader_retell(r, dp2dpi_model_new(&kind, &names, &model, &inner), "rule: ", &inner);
    }
    dp2dpi_free(texts);
    return model;
}

static void fill_rule(dp2dpi_reader *r, json_t *rule, dp2dp_model *model) {
    static const char *const known[] = {"width", "seed", NULL};
    dp2dp_model_info *info = &model->info;
    const json_t *offsets = json_object_get(rule, "offsets");
    dp2dpi_reader_require(r, json_is_array(offsets) && json_array_size(offsets) == info->strata,
                          "offsets",
                          "an array with one row for each group or, if the rule has labels, for "
                          "each pair of group and label");
    for (size_t e = 0; e < info->strata && r->status == DP2DP_STATUS_OK; e++) {
        dp2dpi_reader_numbers(r, json_array_get(offsets, e), "offsets", info->classes,
                              model->offsets + e * info->classes);
    }
    dp2dpi_reader_numbers(r, json_object_get(rule, "shares"), "shares", info->strata,
                          model->shares);
    info->row_sums = (dp2dp_row_sums)dp2dpi_reader_word(r, rule, "row_sums", DP2DP_WORDS_ROW_SUMS);
    json_t *dither = dp2dpi_reader_object(r, rule, "dither", "rule.dither.", known);
    info->dither.width = dp2dpi_reader_number(r, dither, "width");
    info->dither.seed = dp2dpi_reader_seed(r, dither, "seed");
    r->where = "rule.";
    if (json_object_get(rule, "grid_bits")) {
        uint64_t bits = dp2dpi_reader_count(r, rule, "grid_bits");
        dp2dpi_reader_require(r, bits >= 1 && bits <= DP2DPI_GRID_BITS_MAX, "grid_bits",
                              "from 1 to 20");
        info->grid_bits = (unsigned)bits;
    }
    dp2dpi_criterion_read(r, rule, model);
}

/* Makes a model without a rule, with the classes of the classifier. Every member that describes a
 * rule must be null. */
static dp2dp_model *take_no_rule(dp2dpi_reader *r, json_t *root,
                                 const dp2dpi_classifier_member *member,
                                 const dp2dp_schema *schema) {
    static const char *const members[] = {"options", "records", "leaves_out", "optimality"};
    dp2dp_target target = dp2dpi_phase1_target(r, root, member);
    dp2dp_model *model = NULL;
    dp2dp_error inner = {0};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        dp2dpi_reader_require(r, json_is_null(json_object_get(root, members[i])), members[i],
                              "null, because rule is null");
    }
    if (r->status == DP2DP_STATUS_OK) {
        dp2dpi_reader_retell(
            r, dp2dpi_model_new_without_rule(dp2dp_schema_view(schema), target, &model, &inner),
            "phase1.schema: ", &inner);
    }
    return model;
}

/* Refuses a rule that has a dither, but whose kind is not one for dithered rules. An earlier
 * version wrote such rules. That version computed the dither with another hash, so it made other
 * decisions. */
static void check_dither(dp2dpi_reader *r, const dp2dpi_kind *kind, const dp2dp_dither *dither) {
    if (r->status == DP2DP_STATUS_OK && !kind->dithered && dither->width > 0.0 &&
        dp2dpi_dither_is_sound(dither)) {
        r->status =
            dp2dpi_fail(r->error, DP2DP_STATUS_DATA,
                        "rule.dither: a version of dp2dp before 0.1.0 fitted this rule, and this "
                        "version cannot repeat its dither; fit the rule again");
    }
    dp2dpi_reader_require(r, !kind->dithered || dither->width > 0.0, "dither.width",
                          "above 0, because the kind contains -dithered");
}

/* Reads the rule. Checks the kind first, because each kind of rule has its own members. */
static dp2dp_model *take_rule(dp2dpi_reader *r, json_t *root) {
    static const char *const known[] = {"kind",      "groups",    "classes",  "offsets",
                                        "shares",    "columns",   "row_sums", "dither",
                                        "criterion", "grid_bits", NULL};
    static const char *const known_columns[] = {"scores", "group", NULL};
    const char *kind = json_string_value(json_object_get(json_object_get(root, "rule"), "kind"));
    char name[DP2DPI_JSON_PRINTABLE_SIZE];
    dp2dpi_kind found = {0};
    if (r->status == DP2DP_STATUS_OK && kind && !dp2dpi_kind_find(kind, &found)) {
        r->status =
            dp2dpi_fail(r->error, DP2DP_STATUS_DATA, "rule.kind: '%s' is not known to this library",
                        dp2dpi_json_printable(kind, name));
    }
    json_t *rule = dp2dpi_reader_object(r, root, "rule", "rule.", known);
    dp2dpi_reader_require(r, kind != NULL, "kind", "a text");
    json_t *columns = dp2dpi_reader_object(r, rule, "columns", "rule.columns.", known_columns);
    r->where = "rule.";
    dp2dp_model *model = new_model(r, rule, columns);
    if (model) {
        fill_rule(r, rule, model);
        check_dither(r, &found, &model->info.dither);
    }
    r->where = "";
    return model;
}

json_t *dp2dpi_model_take_options(dp2dpi_reader *r, json_t *parent, const char *where,
                                  dp2dp_struct which, const char *first, void *object) {
    const char *known[DP2DPI_MODEL_OPTIONS_MAX + 2] = {NULL};
    size_t count, n = 0;
    const dp2dp_option *options = dp2dp_options(which, &count);
    if (first) {
        known[n++] = first;
    }
    for (size_t i = 0; i < count; i++) {
        known[n++] = options[i].name;
    }
    json_t *members = dp2dpi_reader_object(r, parent, "options", where, known);
    for (size_t i = 0; i < count; i++) {
        const char *name = options[i].name;
        dp2dpi_option_set(&options[i], object,
                          options[i].type == DP2DP_OPTION_COUNT
                              ? (double)dp2dpi_reader_count(r, members, name)
                              : dp2dpi_reader_number(r, members, name));
    }
    return members;
}

static void take_options(dp2dpi_reader *r, json_t *root, dp2dp_model *model) {
    json_t *options = dp2dpi_model_take_options(r, root, "options.", DP2DP_STRUCT_FIT_OPTIONS,
                                                "solver", &model->options);
    model->info.solver = (dp2dp_solver)dp2dpi_reader_word(r, options, "solver", DP2DP_WORDS_SOLVER);
    r->where = "";
}

unsigned dp2dpi_words_read(dp2dpi_reader *r, const json_t *object, const char *key,
                           dp2dp_word_table table) {
    const json_t *words = json_object_get(object, key);
    unsigned bits = 0;
    dp2dpi_reader_require(r, json_is_array(words), key, "an array");
    for (size_t i = 0; i < json_array_size(words); i++) {
        const char *word = json_string_value(json_array_get(words, i));
        int bit = 0;
        dp2dpi_reader_require(
            r, word && dp2dpi_word_find(table, word, &bit) && (unsigned)bit > bits, key,
            "words that this library knows, each at most once and in the library's order");
        bits |= (unsigned)bit;
    }
    return bits;
}

static void take_privacy(dp2dpi_reader *r, json_t *root, dp2dp_model_info *info) {
    static const char *const known[] = {
        "private", "not_private_because", "epsilon", "delta", "adjacency",
        "covers",  "not_covered",         "claimed", "rng",   "insecure_seed",
        NULL};
    json_t *privacy = dp2dpi_reader_object(r, root, "privacy", "privacy.", known);
    const json_t *is_private = json_object_get(privacy, "private");
    const char *adjacency = json_string_value(json_object_get(privacy, "adjacency"));
    info->not_private_because =
        dp2dpi_words_read(r, privacy, "not_private_because", DP2DP_WORDS_NOT_PRIVATE);
    info->epsilon = dp2dpi_reader_number(r, privacy, "epsilon");
    info->delta = dp2dpi_reader_number(r, privacy, "delta");
    info->epsilon_claimed = dp2dpi_reader_number(r, privacy, "claimed");
    dp2dpi_reader_require(r,
                          json_is_boolean(is_private) &&
                              json_is_true(is_private) == (info->not_private_because == 0),
                          "private", "true if not_private_because is empty, else false");
    dp2dpi_reader_require(
        r, adjacency && strcmp(adjacency, dp2dp_adjacency_name(DP2DP_REPLACE_ONE)) == 0,
        "adjacency", "replace-one");
    dp2dpi_reader_rng(r, privacy, &info->rng, &info->insecure_seed);
    r->where = "";
}

static void take_optimality(dp2dpi_reader *r, json_t *root, dp2dp_model *model) {
    static const char *const known[] = {"dual", "primal", "rule", "unfairness", NULL};
    dp2dp_optimality *out = &model->optimality;
    if (json_is_null(json_object_get(root, "optimality"))) {
        return;
    }
    json_t *proof = dp2dpi_reader_object(r, root, "optimality", "optimality.", known);
    out->dual = dp2dpi_reader_number(r, proof, "dual");
    out->primal = dp2dpi_reader_number(r, proof, "primal");
    out->rule = dp2dpi_reader_number(r, proof, "rule");
    out->unfairness = dp2dpi_reader_number(r, proof, "unfairness");
    model->info.optimality = out;
    r->where = "";
}

/* Corrects the roles in a ledger of version 1. If a rule was fitted on the same people as the
 * classifier, the charges of the fit have the role "train" in such a ledger. Changes this role to
 * "pool". The first charge keeps the role "train" if the model has a classifier with a guarantee,
 * or scores with a declared ε: this charge is then the cost of the classifier or of the scores. */
static dp2dp_status split_roles(dp2dp_model *model, dp2dp_error *error) {
    const dp2dp_classifier *c = model->info.classifier;
    int behind = c ? !dp2dpi_classifier_lacks_guarantee(c) : !isnan(model->options.scores_epsilon);
    for (size_t i = 0; i < model->ledger->size; i++) {
        dp2dp_event *event = &model->ledger->entries[i].event;
        char *role = NULL;
        if (event->role == NULL || strcmp(event->role, DP2DPI_ROLE_TRAIN) != 0 || behind-- > 0) {
            continue;
        }
        DP2DPI_TRY(dp2dpi_strdup(DP2DPI_ROLE_POOL, &role, error));
        event->set = event->role;
        event->role = role;
    }
    return DP2DP_STATUS_OK;
}

static void take_ledger(dp2dpi_reader *r, json_t *root, dp2dp_model *model) {
    json_t *object = json_object_get(root, "ledger");
    dp2dp_ledger *ledger = NULL;
    dp2dp_error inner = {0};
    dp2dpi_reader_require(r, json_is_object(object), "ledger", "an object");
    if (r->status == DP2DP_STATUS_OK) {
        dp2dpi_reader_retell(r, dp2dpi_ledger_from_value(object, &ledger, &inner),
                             "ledger: ", &inner);
    }
    if (ledger) {
        dp2dp_ledger_free(model->ledger);
        model->ledger = ledger;
        model->info.ledger = ledger;
    }
    if (r->status == DP2DP_STATUS_OK && model->info.strata > 0 &&
        json_integer_value(json_object_get(object, "version")) == 1) {
        r->status = split_roles(model, r->error);
    }
}

static void take_library(dp2dpi_reader *r, json_t *root, dp2dp_model *model) {
    const char *version = json_string_value(json_object_get(root, "library"));
    dp2dpi_reader_require(r, version != NULL, "library", "a text");
    if (r->status == DP2DP_STATUS_OK) {
        r->status = dp2dpi_strdup(version, &model->library_version, r->error);
        model->info.library_version = model->library_version;
    }
}

/* Reads the ε that the text states for each set of people who are covered. A stated ε may be above
 * the ε that the ledger gives. */
static void take_costs(dp2dpi_reader *r, const json_t *covers, dp2dp_model *model) {
    size_t i = 0;
    for (size_t k = 0; k < model->info.cover_count && r->status == DP2DP_STATUS_OK; k++) {
        dp2dp_cover *cover = &model->covers[k];
        if (cover->because) {
            continue;
        }
        double stated = dp2dpi_reader_number(r, json_array_get(covers, i++), "epsilon");
        dp2dpi_reader_require(r, isfinite(stated) && stated >= cover->epsilon * (1 - 1e-9),
                              "covers",
                              "a list in which each epsilon is at least the one that the "
                              "ledger gives");
        cover->epsilon = stated;
    }
}

/* Computes whom the model covers, and checks that the text says the same. */
static void take_covers(dp2dpi_reader *r, json_t *root, dp2dp_model *model) {
    json_t *privacy = json_object_get(root, "privacy");
    json_t *stated[] = {json_object_get(privacy, "not_covered"),
                        json_object_get(privacy, "covers")};
    dp2dp_error inner = {0};
    unsigned warnings = model->info.warnings;
    dp2dpi_reader_retell(r, dp2dpi_model_cover(model, &inner), "privacy: ", &inner);
    if (r->status != DP2DP_STATUS_OK || (json_is_null(stated[0]) && json_is_null(stated[1]))) {
        return; /* version 1 has neither member */
    }
    r->where = "privacy.";
    take_costs(r, stated[1], model);
    for (int covered = 0; covered < 2 && r->status == DP2DP_STATUS_OK; covered++) {
        json_t *own = dp2dpi_covers_to_json(&model->info, covered);
        if (own == NULL) {
            r->status = dp2dpi_fail(r->error, DP2DP_STATUS_MEMORY, "out of memory for a model");
        }
        dp2dpi_reader_require(r, json_equal(own, stated[covered]),
                              covered ? "covers" : "not_covered",
                              "the list that follows from the rest of the model");
        json_decref(own);
    }
    r->where = "";
    unsigned stored = model->info.warnings & ~(unsigned)DP2DP_WARNING_RATES_NOISY;
    dp2dpi_reader_require(
        r, warnings == stored, "warnings",
        "a list without rates-noisy; the list must include scores-origin-not-stated if and only if "
        "nothing is known about the scores");
}

static dp2dp_status check_whole(const dp2dp_model_info *info, dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_model_check(info, error));
    return dp2dpi_model_check_epsilon(info, error);
}

static void take_kept(dp2dpi_reader *r, json_t *root, dp2dp_model_info *info) {
    if (json_object_get(root, "records_kept")) {
        info->kept = dp2dpi_reader_count(r, root, "records_kept");
        dp2dpi_reader_require(r, info->leaves_out && info->kept >= 1 && info->kept < info->records,
                              "records_kept",
                              "from 1 to records - 1, in a model with leaves_out, or absent");
    }
}

/* Reads the members other than the rule and the classifiers. Checks the model only after all
 * members were read, because the checks compare members. */
static void fill_model(dp2dpi_reader *r, json_t *root, dp2dp_model *model) {
    dp2dp_error inner = {0};
    const json_t *from = json_object_get(root, "from_version");
    take_library(r, root, model);
    dp2dpi_reader_require(r, json_is_null(from) || json_integer_value(from) == 1, "from_version",
                          "null or 1");
    model->info.from_version = (int)json_integer_value(from);
    model->info.warnings = dp2dpi_words_read(r, root, "warnings", DP2DP_WORDS_WARNING);
    dp2dpi_reader_require(r, model->info.warnings < DP2DP_WARNING_MEASURED, "warnings",
                          "words for warnings about a model, not about a measurement");
    if (model->info.strata > 0) {
        take_options(r, root, model);
        model->info.records = dp2dpi_reader_count(r, root, "records");
        model->info.leaves_out = dp2dpi_reader_boolean(r, root, "leaves_out");
        take_kept(r, root, &model->info);
        take_optimality(r, root, model);
    }
    take_privacy(r, root, &model->info);
    take_ledger(r, root, model);
    if (r->status == DP2DP_STATUS_OK) {
        dp2dpi_reader_retell(r, check_whole(&model->info, &inner), "", &inner);
    }
    if (r->status == DP2DP_STATUS_OK) {
        take_covers(r, root, model);
    }
}

/* Returns the member to read the schema from: phase1 if there is one, else group_classifier.
 * Returns NULL if there is no classifier. */
static const dp2dpi_classifier_member *find_classifier(dp2dpi_reader *r, const json_t *root) {
    const json_t *phase1 = json_object_get(root, "phase1");
    const json_t *groups = json_object_get(root, "group_classifier");
    int ruled = !json_is_null(json_object_get(root, "rule"));
    dp2dpi_reader_require(r, json_is_null(phase1) || json_is_object(phase1), "phase1",
                          "an object or null");
    dp2dpi_reader_require(r, groups == NULL || json_is_object(groups), "group_classifier",
                          "an object, or absent");
    dp2dpi_reader_require(
        r, groups == NULL || ruled == json_is_object(phase1), "group_classifier",
        "either the only classifier of a model without a rule, or the second classifier, beside "
        "phase1, of a model with a rule");
    return json_is_object(phase1) ? &dp2dpi_phase1 : groups ? &dp2dpi_group_classifier : NULL;
}

/* Reads the classifiers. `first` names the classifier whose schema was read; if there are two
 * classifiers, both have this schema. */
static void take_classifiers(dp2dpi_reader *r, json_t *root, const dp2dpi_classifier_member *first,
                             const dp2dp_schema *schema, dp2dp_model *model) {
    json_t *groups = json_object_get(root, "group_classifier");
    dp2dpi_phase1_read(r, root, first, schema, model);
    if (groups && first != &dp2dpi_group_classifier) {
        dp2dpi_reader_require(
            r,
            json_equal(json_object_get(groups, "schema"),
                       json_object_get(json_object_get(root, "phase1"), "schema")),
            "group_classifier.schema", "the schema of phase1");
        dp2dpi_reader_require(r, dp2dp_schema_view(schema)->group_count >= 2, "phase1.schema",
                              "a schema that has groups");
        dp2dpi_phase1_read(r, root, &dp2dpi_group_classifier, schema, model);
    }
}

static dp2dp_status take_model(dp2dpi_reader *r, json_t *root, dp2dp_model **out) {
    static const char *const known[] = {
        "format",           "version", "library",  "from_version", "rule",       "options",
        "records",          "privacy", "warnings", "leaves_out",   "optimality", "phase1",
        "group_classifier", "ledger",  "checksum", "records_kept", NULL};
    dp2dp_schema *schema = NULL;
    dp2dp_model *model = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    dp2dpi_reader_keys(r, root, known, "a model");
    const dp2dpi_classifier_member *first = find_classifier(r, root);
    DP2DPI_TRY(r->status);
    schema = first ? dp2dpi_phase1_schema(r, root, first) : NULL;
    DP2DPI_TRY_OR_DONE(r->status);
    model = schema && json_is_null(json_object_get(root, "rule"))
                ? take_no_rule(r, root, first, schema)
                : take_rule(r, root);
    status = r->status;
    if (model == NULL || status != DP2DP_STATUS_OK) {
        goto done;
    }
    if (schema) {
        take_classifiers(r, root, first, schema, model);
    }
    DP2DPI_TRY_OR_DONE(r->status);
    fill_model(r, root, model);
    DP2DPI_TRY_OR_DONE(r->status);
    dp2dpi_model_publish(model);
    *out = model;
    model = NULL;
done:
    dp2dp_schema_free(schema);
    dp2dp_model_free(model);
    return status;
}

dp2dp_status dp2dp_model_from_json(const char *text, size_t length, dp2dp_model **out,
                                   dp2dp_error *error) {
    dp2dpi_reader r = {.error = error, .where = ""};
    json_t *root = NULL;
    char checksum[DP2DPI_HASH_SIZE];
    dp2dp_status status = DP2DP_STATUS_OK;
    if (out) {
        *out = NULL;
    }
    if (text == NULL || out == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "text and out must not be NULL");
    }
    DP2DPI_TRY(dp2dpi_json_parse("model", text, length, &root, error));
    uint64_t minor = dp2dpi_reader_heading(&r, root, DP2DPI_MODEL_FORMAT, "a model",
                                           DP2DPI_MODEL_MAJOR, DP2DPI_MODEL_MINOR);
    DP2DPI_TRY_OR_DONE(r.status);
    DP2DPI_TRY_OR_DONE(dp2dpi_check_seal(text, length, checksum, error));
    json_int_t major =
        json_integer_value(json_object_get(json_object_get(root, "version"), "major"));
    if (major == 1 && minor == 0) {
        upgrade_from_1_0(&r, root);
    }
    if (major == 1) {
        upgrade_from_1(&r, root);
    }
    DP2DPI_TRY_OR_DONE(r.status);
    DP2DPI_TRY_OR_DONE(take_model(&r, root, out));
    if (*out) {
        memcpy((*out)->checksum, checksum, sizeof checksum);
        (*out)->info.checksum = (*out)->checksum;
    }
done:
    json_decref(root);
    return status;
}
