#include "model/certificate.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "mechanism/ledger.h"
#include "mechanism/release.h"
#include "metrics/certificate_bound.h"
#include "model/model_json.h"
#include "model/verify.h"

/* A stated number may be below the recomputed number by this relative error, because another
 * machine may have rounded differently. */
static const double rounding = 1e-9;
static const uint64_t records_max = DP2DPI_RECORDS_MAX;

/* Returns 1 if the certificate's warnings follow from its other members. A warning about a large ε
 * is also accepted if the ε of the ledger entry is not large, because this ε may be a little below
 * the ε that the user chose. */
static int are_warnings(const dp2dp_certificate_file *f) {
    const unsigned of_epsilon = DP2DP_WARNING_EPSILON_LARGE | DP2DP_WARNING_EPSILON_BELOW_DELTA;
    const dp2dp_certificate *c = f->certificate;
    unsigned found = (dp2dp_warn_of_budget(f->epsilon, f->delta, c->records) &
                      ~dp2dpi_certificate_hides(f->delta, c->records)) |
                     (c->group_too_small ? (unsigned)DP2DP_WARNING_GROUP_TOO_SMALL : 0) |
                     dp2dpi_bound_warn_kept(c, c->table);
    int swapped = (c->warnings & DP2DP_WARNING_EPSILON_BELOW_DELTA) != 0;
    return (c->warnings & ~of_epsilon) == (found & ~of_epsilon) &&
           (found & ~c->warnings & DP2DP_WARNING_EPSILON_LARGE) == 0 &&
           (!swapped || f->epsilon <= f->delta);
}

static dp2dp_status check_members(const dp2dp_certificate_file *f, dp2dp_error *error) {
    const dp2dp_certificate *c = f->certificate;
    int finite = 1;
    for (size_t i = 0; i < c->strata * c->classes; i++) {
        finite = finite && isfinite(c->table[i]);
    }
    return DP2DPI_MODEL_REQUIRE(
        error, {dp2dpi_model_is_version(f->library_version), "library", "UTF-8 of 1 to 64 bytes"},
        {dp2dpi_is_hex(f->model_checksum, DP2DPI_HASH_SIZE - 1), "model_checksum",
         "64 hexadecimal digits"},
        {dp2dpi_is_hex(c->release_id, DP2DPI_RELEASE_ID_DIGITS), "release_id",
         "32 hexadecimal digits"},
        {f->ledger_hash == NULL || dp2dpi_is_hex(f->ledger_hash, DP2DPI_HASH_SIZE - 1),
         "ledger_hash", "null or 64 hexadecimal digits"},
        {c->records >= 1 && c->records <= records_max, "records", "from 1 to 2^48"},
        {finite, "table", "numbers"},
        {c->confidence >= 0.5 && c->confidence <= 1 - 1e-9, "confidence", "from 0.5 to 1 - 1e-9"},
        {isfinite(c->sigma) && c->sigma > 0, "cost.sigma", "above 0"},
        {f->delta > 0 && f->delta < 1, "cost.delta", "above 0 and below 1"},
        {isfinite(f->epsilon) && f->epsilon >= 0, "cost.epsilon", "finite and at least 0"});
}

/* Checks the only entry in the ledger of a certificate: the charge for the release of the
 * certificate's table. */
static dp2dp_status check_entry(const dp2dp_certificate_file *f, dp2dp_error *error) {
    const dp2dp_certificate *c = f->certificate;
    DP2DPI_TRY(DP2DPI_MODEL_REQUIRE(
        error, {f->ledger->size == 1, "ledger.entries", "one entry"},
        {f->ledger->adjacency == DP2DP_REPLACE_ONE, "ledger.adjacency", "replace-one"}));
    const dp2dpi_entry *entry = &f->ledger->entries[0];
    const dp2dp_event *event = &entry->event;
    uint64_t cells = (uint64_t)c->strata * c->classes + (c->leaves_out ? 1 : 0);
    return DP2DPI_MODEL_REQUIRE(
        error,
        {event->mechanism == DP2DP_GAUSSIAN && event->count == 1 && event->coordinates == cells &&
             event->sensitivity == DP2DPI_COUNTS_SENSITIVITY,
         "ledger.entries",
         "one Gaussian release of all cells of the table, and of one more cell if records may be "
         "left out"},
        {dp2dpi_is_same_text(event->role, DP2DPI_ROLE_CERTIFICATE), "ledger.entries",
         "an entry of role certificate"},
        {event->sigma == c->sigma, "cost.sigma", "the sigma of the ledger entry"},
        {event->rows_per_person == c->rows_per_person, "cost.rows_per_person",
         "the rows_per_person of the ledger entry"},
        {dp2dpi_is_same_text(event->set, f->people), "cost.people",
         "the people of the ledger entry"},
        {dp2dpi_is_same_text(event->release_id, c->release_id), "release_id",
         "the release_id of the ledger entry"},
        {entry->rng == f->rng && c->is_private == (f->rng == DP2DP_RNG_SECURE), "cost.rng",
         "the rng of the ledger entry"});
}

int dp2dpi_certificate_has_criterion(const dp2dp_certificate *c) {
    return c->labels > 1 || c->criterion != DP2DP_DEMOGRAPHIC_PARITY;
}

static int is_same_statistic(const dp2dp_statistic *a, const dp2dp_statistic *b, size_t labels) {
    return a->class_index == b->class_index && memcmp(a->labels, b->labels, labels) == 0;
}

int dp2dpi_certificate_has_criterion_of(const dp2dp_certificate *c, const dp2dp_model_info *model) {
    int same = c->criterion == model->criterion && c->positive == model->positive &&
               c->labels == model->labels && c->statistic_count == model->statistic_count;
    for (size_t s = 0; same && s < model->statistic_count; s++) {
        same = is_same_statistic(&c->statistics[s], &model->statistics[s], c->labels);
    }
    return same;
}

/* Returns 1 if `stated` is at most 1 and not below `found`, the bound computed from the table. NAN
 * means no bound. */
static int is_bound(double stated, double found) {
    return isnan(found) ? isnan(stated) : stated <= 1 && stated >= found * (1 - rounding);
}

/* Compares the stated bounds of one criterion with those computed from the table. */
static dp2dp_status check_criterion(size_t criterion, const dp2dp_unfairness_bound *stated,
                                    const dp2dp_unfairness_bound *found, dp2dp_error *error) {
    const char *name = dp2dp_word_name(DP2DP_WORDS_CRITERION, (int)criterion);
    int sound = stated->measured == found->measured &&
                stated->group_too_small == found->group_too_small &&
                is_bound(stated->upper, found->upper) &&
                is_bound(stated->upper_strict, found->upper_strict);
    return sound
               ? DP2DP_STATUS_OK
               : dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                             "criteria.%s: its bounds must be at least those that follow from the "
                             "table, and at most 1",
                             name ? name : "(unknown)");
}

/* Checks that the stated bounds agree with those computed from the table. If held_out is false, the
 * certificate must state no bounds. */
static dp2dp_status check_bounds(const dp2dp_certificate_file *f, dp2dp_error *error) {
    const dp2dp_certificate *c = f->certificate;
    dp2dp_unfairness_bound found[DP2DP_CRITERIA_MAX];
    const dp2dp_unfairness_bound *own = &found[c->criterion];
    const char *must = c->held_out ? "at least the bound that follows from the table, and at most 1"
                                   : "null, because held_out is false";
    DP2DPI_TRY(dp2dpi_bounds(c, c->table, found, error));
    DP2DPI_TRY(DP2DPI_MODEL_REQUIRE(
        error,
        {c->group_too_small == own->group_too_small, "group_too_small",
         "the value that follows from the table"},
        {is_bound(c->unfairness_upper, own->upper), "unfairness_upper", must},
        {is_bound(c->unfairness_upper_strict, own->upper_strict), DP2DPI_CERTIFICATE_QUOTE, must}));
    for (size_t i = 0; i < DP2DP_CRITERIA_MAX && dp2dpi_certificate_has_criterion(c); i++) {
        DP2DPI_TRY(check_criterion(i, &c->criteria[i], &found[i], error));
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_certificate_check(const dp2dp_certificate_file *file, dp2dp_error *error) {
    DP2DPI_TRY(check_members(file, error));
    DP2DPI_TRY(check_entry(file, error));
    DP2DPI_TRY(
        dp2dpi_check_epsilon("cost.epsilon", file->epsilon, file->delta, file->ledger, error));
    DP2DPI_TRY(check_bounds(file, error));
    return DP2DPI_MODEL_REQUIRE(error, {are_warnings(file), "warnings",
                                        "the warnings that follow from cost, records and table"});
}

static dp2dp_status read_certificate(const char *text, size_t length, void *out,
                                     dp2dp_error *error) {
    return dp2dpi_certificate_from_json(text, length, out, error);
}

dp2dp_status dp2dp_certificate_load(const char *path, dp2dp_certificate_file **out,
                                    dp2dp_error *error) {
    if (out) {
        *out = NULL;
    }
    if (path == NULL || *path == '\0' || out == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "path must not be NULL or empty, and out must not be NULL");
    }
    return dp2dpi_document_load("certificate", path, read_certificate, out, error);
}

void dp2dp_certificate_file_free(dp2dp_certificate_file *certificate) {
    dp2dpi_certificate *whole = (dp2dpi_certificate *)certificate;
    if (whole) {
        dp2dpi_free(whole->table);
        dp2dpi_free(whole->names);
        dp2dpi_custom_free(&whole->custom);
        dp2dp_ledger_free(whole->ledger);
        json_decref(whole->root);
        dp2dpi_free(whole);
    }
}
