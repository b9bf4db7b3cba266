#include <dp2dp/metrics.h>

#include <math.h>
#include <string.h>

#include <dp2dp/fit.h>
#include <dp2dp/train.h>

#include "base/alloc.h"
#include "base/options.h"
#include "base/source.h"
#include "mechanism/release.h"
#include "metrics/certificate_bound.h"

/* Returns 1 if the source adds the same dither (a public random number) to the scores as the model
 * does. The dither is part of the rule, so with another dither, another rule would be certified. */
static int has_dither_of(const dp2dp_source *source, const dp2dp_model_info *model) {
    const dp2dp_dither *has = &source->dither, *needs = &model->dither;
    return needs->width > 0.0 ? has->width == needs->width && has->seed == needs->seed &&
                                    source->dither_key == model->dither_key
                              : has->width == 0.0;
}

static dp2dp_status check_source(const dp2dp_source *source, const dp2dp_model_info *model,
                                 dp2dp_error *error) {
    /* Without a rule, all offsets are 0, and every kind of rule makes the same decisions. So the
     * kind of rule of the source is checked only if the model has a rule. */
    int ruled = model->strata > 0;
    if (ruled && source->labels != model->labels) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "source: %s",
                           model->labels > 1
                               ? "it must have labels, because the model was fitted with labels"
                               : "it must not have labels, because the model has none");
    }
    if ((ruled && source->strata != model->strata) || source->classes != model->classes) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "the source has %zu groups and %zu classes, but the model has %zu groups and %zu "
            "classes",
            source->strata / source->labels, source->classes, model->groups, model->classes);
    }
    if (ruled && (source->rule != model->rule || source->weight_columns != model->weight_columns)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "source: rule and weight_columns must equal the model's");
    }
    if (source->row_sums != model->row_sums || source->grid_bits != model->grid_bits ||
        !has_dither_of(source, model)) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "source: row_sums, grid_bits, dither and dither_key must equal the model's");
    }
    return source->counted == DP2DP_COUNTED_LABELS
               ? DP2DP_STATUS_OK
               : dp2dpi_fail(
                     error, DP2DP_STATUS_ARGUMENT,
                     "source: counted must be labels. With counted = scores, people are counted by "
                     "estimated groups or labels, and no bound follows from such counts");
}

static dp2dp_status check_options(const dp2dp_certify_options *o, dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_release_check_budget(o->epsilon, o->delta, DP2DPI_EPSILON_FINITE, error));
    if (!(o->confidence >= 0.5 && o->confidence <= 1.0 - 1e-9)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "confidence = %g: it must be from 0.5 to 1 - 1e-9", o->confidence);
    }
    DP2DPI_TRY(dp2dpi_ledger_check_people(o->people_name, error));
    if (o->people != DP2DP_PEOPLE_OTHER && o->people != DP2DP_PEOPLE_SAME) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "people = %d: it must be OTHER or SAME",
                           (int)o->people);
    }
    if (o->rows_per_person < 1 || o->rows_per_person > 1000000) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "rows_per_person = %llu: it must be from 1 to 1000000",
                           (unsigned long long)o->rows_per_person);
    }
    return dp2dpi_release_check(o->rng, o->ledger, error);
}

/* Prepares the only release of a certificate: the whole table of decisions. If records may be left
 * out, one more cell counts the records left out. The noise is on a grid with at least 2^30 units
 * per σ; dp2dpi_bound_strict relies on this. */
static dp2dp_status prepare_release(const dp2dp_source *source,
                                    const dp2dp_certify_options *options, dp2dpi_release *out,
                                    dp2dp_error *error) {
    dp2dpi_release_terms terms = {.epsilon = options->epsilon,
                                  .delta = options->delta,
                                  .rows_per_person = options->rows_per_person,
                                  .people = options->people_name,
                                  .role = DP2DPI_ROLE_CERTIFICATE,
                                  .own_set = options->people_name,
                                  .verb = "certify",
                                  .rng = options->rng,
                                  .insecure_seed = options->insecure_seed,
                                  .ledger = options->ledger};
    dp2dpi_release_plan plan = {
        .events = {dp2dpi_release_gaussian(DP2DPI_COUNTS_SENSITIVITY, 0.0,
                                           dp2dpi_source_cells(source), DP2DPI_LABEL_CERTIFICATE)},
        .n = 1,
        .most = 2.0 * (double)source->records,
        .records = (double)source->records};
    return dp2dpi_release_prepare(&terms, &plan, out, error);
}

/* Returns the warnings about bounds from held-out people, who were not used to make the model. */
static unsigned warn_of_bound(const dp2dp_model_info *model, const dp2dp_certificate *c) {
    unsigned several = c->rows_per_person > 1 ? (unsigned)DP2DP_WARNING_NO_STRICT_BOUND : 0U;
    return c->held_out ? dp2dp_warn_of_people(model, c->records) | several : 0U;
}

/* Returns ONE_CLASS if everybody seems to get the same class. Let x be the released number of
 * people who do not get the most frequent class, and s the standard deviation of the noise of x.
 * The test is x ≤ 3 s and x + 3 s < people / 50. If all people get the same class, and there are
 * more than 300 · s people, the function returns ONE_CLASS with probability 99.8 %. If one person
 * in 50 gets another class, the probability is below 0.2 %. */
static unsigned warn_of_one_class(const dp2dp_certificate *c, const double *table) {
    double all = 0, most = -INFINITY;
    double error = 3 * c->sigma * sqrt((double)c->strata * (double)(c->classes - 1));
    for (size_t k = 0; k < c->classes; k++) {
        double people = 0;
        for (size_t g = 0; g < c->strata; g++) {
            people += table[g * c->classes + k];
        }
        all += people;
        most = people > most ? people : most;
    }
    int is_one = all - most <= error && all - most + error < all / 50;
    return is_one && all >= DP2DP_PEOPLE_FEW ? (unsigned)DP2DP_WARNING_ONE_CLASS : 0U;
}

/* Fills in all that does not depend on the released table. */
static void set_terms(const dp2dp_source *source, const dp2dp_model_info *model,
                      const dp2dp_certify_options *options, double sigma, dp2dp_certificate *out) {
    int ruled = model->strata > 0;
    out->held_out = options->people == DP2DP_PEOPLE_OTHER;
    out->confidence = options->confidence;
    out->sigma = sigma;
    out->is_private = options->rng == DP2DP_RNG_SECURE;
    out->records = source->records;
    out->strata = source->strata;
    out->classes = source->classes;
    out->rows_per_person = options->rows_per_person;
    out->leaves_out = dp2dpi_source_cells(source) > source->strata * source->classes;
    out->groups = source->strata / source->labels;
    out->labels = source->labels;
    out->criterion = ruled ? model->criterion : DP2DP_DEMOGRAPHIC_PARITY;
    out->positive = ruled ? model->positive : DP2DP_POSITIVE_DEFAULT;
    out->statistics = ruled ? model->statistics : NULL;
    out->statistic_count = ruled ? model->statistic_count : 0;
}

static dp2dp_status publish(const dp2dp_source *source, const dp2dp_model_info *model,
                            const dp2dp_certify_options *options, double sigma, const double *table,
                            dp2dp_certificate *out, dp2dp_error *error) {
    for (size_t i = 0; i < source->strata * source->classes && out->table; i++) {
        out->table[i] = table[i];
    }
    set_terms(source, model, options, sigma, out);
    DP2DPI_TRY(dp2dpi_bounds(out, table, out->criteria, error));
    const dp2dp_unfairness_bound *own = &out->criteria[out->criterion];
    out->unfairness_upper = own->upper;
    out->unfairness_upper_strict = own->upper_strict;
    out->group_too_small = own->group_too_small;
    out->warnings = dp2dp_warn_of_budget(options->epsilon, options->delta, source->records) |
                    (out->group_too_small ? (unsigned)DP2DP_WARNING_GROUP_TOO_SMALL : 0) |
                    dp2dpi_bound_warn_kept(out, table) | warn_of_bound(model, out) |
                    warn_of_one_class(out, table) |
                    (model->strata > 0 ? dp2dp_warn_of_rates(model, table, sigma, NULL) : 0U);
    return DP2DP_STATUS_OK;
}

/* Makes the certificate's charge, which is the next charge of `ledger`, include the model's charges
 * that `ledger` lacks: `ledger` then gets either all of these charges or none. Adds the model's
 * charges only if options->people is SAME, that is, if some people of the source were used to make
 * the model. Ownership: the caller frees *lines. */
static dp2dp_status charge_model(const dp2dp_certify_options *options, const dp2dp_model *model,
                                 dp2dp_ledger *ledger, dp2dpi_line **lines, dp2dp_error *error) {
    const dp2dp_model_info *info = dp2dp_model_view(model);
    size_t n = 0;
    if (options->people == DP2DP_PEOPLE_SAME) {
        int exposed = (info->not_private_because & DP2DPI_NOT_PRIVATE_EXPOSED) != 0;
        DP2DPI_TRY(dp2dpi_ledger_find_unpaid(ledger, info->ledger, options->people_name, exposed,
                                             lines, &n, error));
    }
    dp2dpi_ledger_charge_with_next(ledger, *lines, n);
    return DP2DP_STATUS_OK;
}

static dp2dp_status prepare(const dp2dp_source *given, const dp2dp_model *model,
                            const dp2dp_certify_options *options, dp2dp_source *source,
                            dp2dp_certify_options *used, dp2dp_error *error) {
    if (model == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "model must not be NULL");
    }
    DP2DPI_TRY(dp2dpi_source_read(given, source, error));
    DP2DPI_TRY(check_source(source, dp2dp_model_view(model), error));
    DP2DPI_TRY(dp2dpi_struct_read(DP2DP_STRUCT_CERTIFY_OPTIONS, options, used, error));
    DP2DPI_TRY(
        dp2dpi_ledger_check_spelling(dp2dp_model_view(model)->ledger, used->people_name, error));
    if (used->people == DP2DP_PEOPLE_OTHER &&
        dp2dpi_ledger_names(dp2dp_model_view(model)->ledger, used->people_name)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "people '%s': the model already used the data of people with this "
                           "name, so set same_people",
                           used->people_name);
    }
    const char *other =
        used->people == DP2DP_PEOPLE_SAME
            ? dp2dpi_ledger_other_name(dp2dp_model_view(model)->ledger, used->people_name)
            : NULL;
    if (other) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "people '%s': the same people are called '%s' in the model; use that name",
            used->people_name, other);
    }
    if (used->rows_per_person == 0) {
        const dp2dp_model_info *info = dp2dp_model_view(model);
        used->rows_per_person = info->strata > 0 ? info->options->rows_per_person
                                                 : info->classifier->options->rows_per_person;
    }
    return check_options(used, error);
}

dp2dp_status dp2dp_certify(const dp2dp_source *source, const dp2dp_model *model,
                           const dp2dp_certify_options *options, dp2dp_certificate *out,
                           dp2dp_error *error) {
    dp2dpi_release release = {0};
    float *offsets = NULL;
    double *table = NULL;
    dp2dpi_line *unpaid = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    dp2dp_source from;
    dp2dp_certify_options used;
    dp2dp_certificate found;
    DP2DPI_TRY(prepare(source, model, options, &from, &used, error));
    DP2DPI_TRY(dp2dpi_source_check_count(&from, error));
    DP2DPI_TRY(dp2dpi_struct_read(DP2DP_STRUCT_CERTIFICATE, out, &found, error));
    if (used.ledger == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "ledger must not be NULL");
    }
    size_t cells = from.strata * from.classes, counted = dp2dpi_source_cells(&from);
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(offsets, cells, "offsets", error));
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(table, counted, "a released table", error));
    for (size_t i = 0; i < cells && dp2dp_model_view(model)->strata > 0; i++) {
        offsets[i] = (float)dp2dp_model_view(model)->offsets[i];
    }
    DP2DPI_TRY_OR_DONE(charge_model(&used, model, used.ledger, &unpaid, error));
    DP2DPI_TRY_OR_DONE(prepare_release(&from, &used, &release, error));
    DP2DPI_TRY_OR_DONE(
        dp2dpi_source_ask(&from, offsets, release.sum, "nothing was charged", error));
    DP2DPI_TRY_OR_DONE(dp2dpi_release_charge(&release, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_release_draw_counts(&release, 0, counted, from.records,
                                                  from.unit_bits, table, error));
    DP2DPI_TRY_OR_DONE(publish(&from, dp2dp_model_view(model), &used,
                               dp2dpi_release_event(&release, 0)->sigma, table, &found, error));
    memcpy(found.release_id, release.id, sizeof release.id);
    dp2dpi_struct_write(DP2DP_STRUCT_CERTIFICATE, &found, out);
done:
    dp2dpi_ledger_charge_with_next(used.ledger, NULL, 0);
    dp2dpi_free(unpaid);
    dp2dpi_release_free(&release);
    dp2dpi_free(offsets);
    dp2dpi_free(table);
    return status;
}

/* Writes *options->unfairness_least, if it is asked for. */
static dp2dp_status find_least(const dp2dp_source *source, const dp2dp_model_info *model,
                               const dp2dp_certify_options *options, double sigma,
                               dp2dp_error *error) {
    dp2dp_certificate terms = DP2DP_CERTIFICATE_INIT;
    if (options->unfairness_least == NULL) {
        return DP2DP_STATUS_OK;
    }
    set_terms(source, model, options, sigma, &terms);
    return dp2dpi_bound_least(&terms, options->unfairness_least, error);
}

dp2dp_status dp2dp_certify_plan(const dp2dp_source *source, const dp2dp_model *model,
                                const dp2dp_certify_options *options, dp2dp_ledger *ledger,
                                dp2dp_error *error) {
    dp2dpi_release release = {0};
    dp2dpi_line *unpaid = NULL;
    dp2dp_source from;
    dp2dp_certify_options used;
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(prepare(source, model, options, &from, &used, error));
    dp2dp_rng_kind rng = used.rng;
    DP2DPI_TRY(dp2dpi_plan_begin(ledger, &used.ledger, error));
    used.rng = DP2DP_RNG_INSECURE;
    DP2DPI_TRY_OR_DONE(charge_model(&used, model, ledger, &unpaid, error));
    DP2DPI_TRY_OR_DONE(prepare_release(&from, &used, &release, error));
    DP2DPI_TRY_OR_DONE(find_least(&from, dp2dp_model_view(model), &used,
                                  dp2dpi_release_event(&release, 0)->sigma, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_release_charge(&release, error));
done:
    dp2dpi_release_free(&release);
    status = dp2dpi_plan_end(status, used.ledger, ledger, rng, error);
    dp2dpi_ledger_charge_with_next(ledger, NULL, 0);
    dp2dpi_free(unpaid);
    return status;
}
