#include <dp2dp/train.h>

#include <math.h>
#include <string.h>

#include <dp2dp/version.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "phase1/train.h"
#include "phase2/model.h"
#include "training/rows.h"

static dp2dp_train_settings settings_of(const dp2dp_train_options *options) {
    return (dp2dp_train_settings) {
#define DP2DP_TRAIN_NUMBER(name, default_value, min, max, help) .name = options->name,
#define DP2DP_TRAIN_COUNT(name, default_value, min, max, help) .name = options->name,
#include <dp2dp/train.def>
#undef DP2DP_TRAIN_NUMBER
#undef DP2DP_TRAIN_COUNT
    };
}

static dp2dp_status check_arguments(const dp2dp_schema *schema, const struct ArrowArrayStream *rows,
                                    const dp2dp_train_options *options, dp2dp_error *error) {
    if (schema == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "schema and out must not be NULL");
    }
    DP2DPI_TRY(dp2dpi_train_check(options, error));
    if (dp2dp_schema_view(schema)->class_count < 2) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "the schema has no label: there is nothing to learn");
    }
    int external = options->method == DP2DP_TRAIN_EXTERNAL;
    if ((rows != NULL && rows->release != NULL) == external) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "rows must be a stream, and NULL for the method external");
    }
    return DP2DP_STATUS_OK;
}

/* A model with a classifier whose weights are zero, and everything that is known before rows are
 * looked at. */
static dp2dp_status new_model(const dp2dp_schema_info *schema, const dp2dp_train_options *options,
                              dp2dp_model **out, dp2dp_error *error) {
    const dp2dp_names names = {.classes = schema->classes};
    DP2DPI_TRY(dp2dpi_model_new(0, schema->class_count, &names, out, error));
    int insecure = options->rng == DP2DP_RNG_INSECURE;
    const dp2dp_classifier classifier = {
        .schema = schema->text,
        .features = schema->width,
        .method = options->method,
        .settings = settings_of(options),
        .rng = options->rng,
        .insecure_seed = insecure ? options->insecure_seed : 0,
        .library_version = dp2dp_version(),
    };
    dp2dp_model *model = *out;
    model->info.rng = classifier.rng;
    model->info.insecure_seed = classifier.insecure_seed;
    model->info.leaks |= insecure ? (unsigned)DP2DP_LEAK_INSECURE_NOISE : 0;
    if (schema->origin == DP2DP_ORIGIN_FROM_DATA) {
        model->info.leaks |= DP2DP_LEAK_SCHEMA_FROM_DATA;
    }
    if (dp2dpi_classifier_is_noiseless(&classifier)) {
        model->info.leaks |= DP2DP_LEAK_CLASSIFIER_NOT_PRIVATE;
    }
    DP2DPI_TRY(dp2dpi_strdup(dp2dp_version(), &model->library_version, error));
    model->info.library_version = model->library_version;
    return dp2dpi_model_add_classifier(model, &classifier, error);
}

/* Weights from elsewhere, and the guarantee declared for them. */
static dp2dp_status take_weights(const dp2dp_schema_info *schema,
                                 const dp2dp_train_options *options, dp2dp_model *model,
                                 dp2dp_error *error) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    size_t cells = schema->class_count * (schema->width + 1);
    for (size_t i = 0; i < cells; i++) {
        if (!(fabs(options->weights[i]) <= DP2DPI_WEIGHT_MAX)) {
            return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                               "weights: row %zu, column %zu is not finite or beyond %g",
                               i / (schema->width + 1) + 1, i % (schema->width + 1) + 1,
                               DP2DPI_WEIGHT_MAX);
        }
    }
    memcpy(model->weights, options->weights, cells * sizeof(double));
    if (isnan(options->epsilon)) {
        return DP2DP_STATUS_OK;
    }
    event.mechanism = DP2DP_DECLARED;
    event.epsilon = options->epsilon;
    event.delta = options->delta;
    event.label = "classifier as declared";
    event.set = "train";
    if (options->ledger) {
        DP2DPI_TRY(dp2dp_ledger_charge(options->ledger, &event, DP2DP_RNG_SECURE, error));
    }
    return dp2dp_ledger_charge(model->ledger, &event, DP2DP_RNG_SECURE, error);
}

static dp2dp_status learn_weights(const dp2dp_schema_info *schema, struct ArrowArrayStream *rows,
                                  const dp2dp_train_options *options, dp2dp_model *model,
                                  dp2dp_error *error) {
    dp2dpi_training training;
    dp2dp_train_options used;
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(dp2dpi_training_read(rows, schema, &training, error));
    if (training.rows.count == 0) {
        DP2DPI_TRY_OR_DONE(dp2dpi_fail(error, DP2DP_STATUS_DATA, "there are no rows to train on"));
    }
    const dp2dpi_examples examples =
        dp2dpi_examples_of(&training.rows, training.labels, schema->width, schema->class_count,
                           schema->norm, options->threads);
    DP2DPI_TRY_OR_DONE(dp2dpi_train_resolve(&examples, options, &used, error));
    DP2DPI_TRY_OR_DONE(
        dp2dpi_train_examples(&examples, &used, model->ledger, model->weights, error));
    model->classifier.settings = settings_of(&used);
    model->classifier.records = training.rows.count;
done:
    dp2dpi_training_free(&training);
    return status;
}

static dp2dp_status train(const dp2dp_schema *schema, struct ArrowArrayStream *rows,
                          const dp2dp_train_options *options, dp2dp_model **out,
                          dp2dp_error *error) {
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    DP2DPI_TRY(check_arguments(schema, rows, options, error));
    DP2DPI_TRY(new_model(info, options, out, error));
    if (options->method == DP2DP_TRAIN_EXTERNAL) {
        DP2DPI_TRY(take_weights(info, options, *out, error));
    } else {
        DP2DPI_TRY(learn_weights(info, rows, options, *out, error));
    }
    return dp2dpi_model_account(*out, options->delta, error);
}

dp2dp_status dp2dp_train(const dp2dp_schema *schema, struct ArrowArrayStream *rows,
                         const dp2dp_train_options *options, dp2dp_model **out,
                         dp2dp_error *error) {
    dp2dp_model *model = NULL;
    if (out) {
        *out = NULL;
    }
    dp2dp_status status = train(out ? schema : NULL, rows, options, &model, error);
    if (rows && rows->release) {
        rows->release(rows);
    }
    if (status == DP2DP_STATUS_OK) {
        dp2dpi_model_publish(model);
        *out = model;
    } else {
        dp2dp_model_free(model);
    }
    return status;
}
