#include <dp2dp/train.h>

#include <math.h>
#include <string.h>

#include <dp2dp/version.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "base/options.h"
#include "decide/covers.h"
#include "mechanism/ledger.h"
#include "phase1/train.h"
#include "training/rows.h"

/* Copies and checks the options, and checks the schema against the target. The caller also passes
 * NULL as the schema if its own parameter `out` is NULL, because one message covers both mistakes.
 */
static dp2dp_status check_arguments(const dp2dp_schema *schema, const dp2dp_train_options *given,
                                    dp2dp_train_options *options, dp2dp_error *error) {
    if (schema == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "schema and out must not be NULL");
    }
    DP2DPI_TRY(dp2dpi_struct_read(DP2DP_STRUCT_TRAIN_OPTIONS, given, options, error));
    DP2DPI_TRY(dp2dpi_train_check(options, error));
    DP2DPI_TRY(dp2dpi_train_take_share(options, error));
    return dp2dpi_training_check_target(options->target, dp2dp_schema_view(schema), error);
}

/* Makes a model with a classifier whose weights are zero. Sets everything that is known before the
 * rows are read. */
static dp2dp_status new_model(const dp2dp_schema_info *schema, const dp2dp_train_options *options,
                              dp2dp_model **out, dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_model_new_without_rule(schema, options->target, out, error));
    int insecure = options->rng == DP2DP_RNG_INSECURE;
    const dp2dp_classifier classifier = {
        .schema = schema->text,
        .features = schema->width,
        .method = options->method,
        .options = options,
        .rng = options->rng,
        .insecure_seed = insecure ? options->insecure_seed : 0,
        .library_version = dp2dp_version(),
        .target = options->target,
        .outputs = dp2dp_target_outputs(options->target, schema),
        .schema_groups = schema->groups,
        .schema_group_count = schema->group_count,
    };
    dp2dp_model *model = *out;
    model->info.rng = classifier.rng;
    model->info.insecure_seed = classifier.insecure_seed;
    model->info.not_private_because |= insecure ? (unsigned)DP2DP_NOT_PRIVATE_INSECURE_NOISE : 0;
    if (schema->origin == DP2DP_ORIGIN_FROM_DATA) {
        model->info.not_private_because |= DP2DP_NOT_PRIVATE_SCHEMA_FROM_DATA;
    }
    if (dp2dpi_classifier_lacks_guarantee(&classifier)) {
        model->info.not_private_because |= DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE;
    }
    DP2DPI_TRY(dp2dpi_strdup(dp2dp_version(), &model->library_version, error));
    model->info.library_version = model->library_version;
    return dp2dpi_model_add_classifier(model, &classifier, error);
}

/* If the options declare a guarantee for external weights, charges its epsilon and delta. */
static dp2dp_status charge_declared(const dp2dp_train_options *options, dp2dp_ledger *ledger,
                                    dp2dp_error *error) {
    dp2dp_event event =
        dp2dpi_ledger_declared(options->epsilon, options->delta, "classifier as declared");
    event.set = options->people_name;
    ledger->call = "train";
    return isnan(options->epsilon)
               ? DP2DP_STATUS_OK
               : dp2dpi_ledger_charge_all(ledger, &event, 1, DP2DP_RNG_SECURE, error);
}

static dp2dp_status take_weights(const dp2dp_schema_info *schema,
                                 const dp2dp_train_options *options, dp2dp_model *model,
                                 dp2dp_error *error) {
    size_t cells = model->classifier.view.outputs * (schema->width + 1);
    for (size_t i = 0; i < cells; i++) {
        if (!(fabs(options->weights[i]) <= DP2DPI_WEIGHT_MAX)) {
            return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                               "weights: row %zu, column %zu must be finite and from -%g to %g",
                               i / (schema->width + 1) + 1, i % (schema->width + 1) + 1,
                               DP2DPI_WEIGHT_MAX, DP2DPI_WEIGHT_MAX);
        }
    }
    memcpy(model->classifier.weights, options->weights, cells * sizeof(double));
    if (options->ledger) {
        DP2DPI_TRY(charge_declared(options, options->ledger, error));
    }
    return charge_declared(options, model->ledger, error);
}

static dp2dp_status learn_weights(const dp2dpi_examples *examples, int leaves_out,
                                  const dp2dp_train_options *options, dp2dp_model *model,
                                  dp2dp_error *error) {
    dp2dp_train_options used;
    DP2DPI_TRY(dp2dpi_train_resolve(examples, options, &used, error));
    DP2DPI_TRY(
        dp2dpi_train_examples(examples, &used, model->ledger, model->classifier.weights, error));
    dp2dpi_options_copy(DP2DP_STRUCT_TRAIN_OPTIONS, &used, &model->classifier.options);
    model->classifier.view.records = examples->records;
    model->classifier.view.leaves_out = leaves_out;
    return DP2DP_STATUS_OK;
}

static dp2dp_status learn_from_rows(const dp2dp_schema_info *schema, struct ArrowArrayStream *rows,
                                    const dp2dp_train_options *options, dp2dp_model *model,
                                    dp2dp_error *error) {
    dp2dpi_training training;
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(dp2dpi_training_read(rows, schema, options->target, &training, error));
    if (training.records == 0) {
        DP2DPI_TRY_OR_DONE(dp2dpi_fail_at(error, DP2DP_STATUS_DATA,
                                          &(dp2dpi_place) {.reason = DP2DP_REASON_EMPTY},
                                          "there are no rows to train on"));
    }
    const dp2dpi_examples examples =
        dp2dpi_training_examples(&training, schema, options->target, options->threads);
    DP2DPI_TRY_OR_DONE(learn_weights(&examples, training.leaves_out, options, model, error));
done:
    dp2dpi_training_free(&training);
    return status;
}

static dp2dp_status learn_from_source(const dp2dp_schema_info *schema,
                                      const dp2dp_gradient_source *source,
                                      const dp2dp_train_options *options, dp2dp_model *model,
                                      dp2dp_error *error) {
    if (options->method != DP2DP_TRAIN_DPGD) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "method %s cannot learn from a source; use method dpgd",
                           dp2dp_train_method_name(options->method));
    }
    if (source->sum == NULL || (source->leaves_out != 0 && source->leaves_out != 1)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "source: sum must be set, and leaves_out must be 0 or 1");
    }
    const dp2dpi_training nothing = {
        .rows = {.numbers = schema->numbers, .categories = schema->categories},
        .records = source->records};
    dp2dpi_examples examples = dp2dpi_training_examples(&nothing, schema, options->target, 1);
    examples.source = source;
    return learn_weights(&examples, source->leaves_out, options, model, error);
}

/* Learns from the source, or from the rows if source is NULL. */
static dp2dp_status train(const dp2dp_schema *schema, struct ArrowArrayStream *rows,
                          const dp2dp_gradient_source *source, const dp2dp_train_options *given,
                          dp2dp_model **out, dp2dp_error *error) {
    dp2dp_train_options options;
    DP2DPI_TRY(check_arguments(schema, given, &options, error));
    int external = options.method == DP2DP_TRAIN_EXTERNAL && source == NULL;
    if (source == NULL && (rows != NULL && rows->release != NULL) == external) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "with method external, rows must be NULL; with any other method, rows "
                           "must be a stream");
    }
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    DP2DPI_TRY(new_model(info, &options, out, error));
    DP2DPI_TRY(source     ? learn_from_source(info, source, &options, *out, error)
               : external ? take_weights(info, &options, *out, error)
                          : learn_from_rows(info, rows, &options, *out, error));
    DP2DPI_TRY(dp2dpi_model_account(*out, options.delta, error));
    (*out)->info.warnings |=
        dp2dp_warn_of_budget(options.epsilon, options.delta, (*out)->classifier.view.records);
    return dp2dpi_model_cover(*out, error);
}

/* Gives a model to the caller if the status is OK, and otherwise frees it. */
static dp2dp_status hand_over(dp2dp_status status, dp2dp_model *model, dp2dp_model **out) {
    if (status == DP2DP_STATUS_OK) {
        dp2dpi_model_publish(model);
        *out = model;
    } else {
        dp2dp_model_free(model);
    }
    return status;
}

dp2dp_status dp2dp_train(const dp2dp_schema *schema, struct ArrowArrayStream *rows,
                         const dp2dp_train_options *options, dp2dp_model **out,
                         dp2dp_error *error) {
    dp2dp_model *model = NULL;
    if (out) {
        *out = NULL;
    }
    dp2dp_status status = train(out ? schema : NULL, rows, NULL, options, &model, error);
    if (rows && rows->release) {
        rows->release(rows);
    }
    return hand_over(status, model, out);
}

dp2dp_status dp2dp_train_source(const dp2dp_schema *schema, const dp2dp_gradient_source *given,
                                const dp2dp_train_options *options, dp2dp_model **out,
                                dp2dp_error *error) {
    dp2dp_gradient_source source;
    dp2dp_model *model = NULL;
    if (out) {
        *out = NULL;
    }
    DP2DPI_TRY(dp2dpi_struct_read(DP2DP_STRUCT_GRADIENT_SOURCE, given, &source, error));
    dp2dp_status status = train(out ? schema : NULL, NULL, &source, options, &model, error);
    return hand_over(status, model, out);
}

dp2dp_status dp2dp_train_plan(const dp2dp_schema *schema, uint64_t records,
                              const dp2dp_train_options *given, dp2dp_ledger *ledger,
                              dp2dp_error *error) {
    dp2dp_train_options options, used;
    DP2DPI_TRY(check_arguments(schema, given, &options, error));
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    dp2dp_rng_kind rng = options.rng;
    DP2DPI_TRY(dp2dpi_plan_begin(ledger, &options.ledger, error));
    dp2dp_status status = DP2DP_STATUS_OK;
    options.rng = DP2DP_RNG_INSECURE;
    if (options.method == DP2DP_TRAIN_EXTERNAL) {
        rng = DP2DP_RNG_SECURE;
        DP2DPI_TRY_OR_DONE(charge_declared(&options, options.ledger, error));
    } else {
        const dp2dpi_rows rows = {
            .count = (size_t)records, .numbers = info->numbers, .categories = info->categories};
        const dp2dpi_examples examples = dp2dpi_examples_of(
            &rows, NULL, info->width, dp2dp_target_outputs(options.target, info), info->norm, 1);
        DP2DPI_TRY_OR_DONE(dp2dpi_train_resolve(&examples, &options, &used, error));
        DP2DPI_TRY_OR_DONE(dp2dpi_train_charge(&examples, &used, error));
    }
done:
    return dp2dpi_plan_end(status, options.ledger, ledger, rng, error);
}
