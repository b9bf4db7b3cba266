/* Writes a certificate as JSON. docs/certificate.md lists the members. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <dp2dp/version.h>

#include "base/alloc.h"
#include "base/options.h"
#include "mechanism/ledger.h"
#include "mechanism/ledger_json.h"
#include "model/certificate.h"
#include "model/model_json.h"

static json_t *cost_to_json(const dp2dp_certificate_file *f) {
    const dp2dp_certificate *c = f->certificate;
    return DP2DPI_JSON_OBJECT({"private", json_boolean(c->is_private)},
                              {"epsilon", json_real(f->epsilon)}, {"delta", json_real(f->delta)},
                              {"adjacency", json_string(dp2dp_adjacency_name(DP2DP_REPLACE_ONE))},
                              {"rows_per_person", json_integer((json_int_t)c->rows_per_person)},
                              {"people", dp2dpi_text_or_null(f->people)},
                              {"sigma", json_real(c->sigma)},
                              {"rng", json_string(dp2dp_rng_kind_name(f->rng))},
                              {"insecure_seed", dp2dpi_rng_seed_to_json(f->rng, f->insecure_seed)});
}

/* Writes the member "criterion", for a table with labels or for a criterion other than demographic
 * parity. */
static json_t *criterion_to_json(const dp2dp_certificate *c) {
    return DP2DPI_JSON_OBJECT(
        {"name", json_string(dp2dp_criterion_name(c->criterion))},
        {"positive", c->positive >= 0 ? json_integer(c->positive) : json_null()},
        {"statistics", dp2dpi_custom_to_json(c->statistics, c->statistic_count, c->labels)},
        {"labels", json_integer((json_int_t)c->labels)});
}

static json_t *criteria_to_json(const dp2dp_certificate *c) {
    json_t *object = json_object();
    int failed = 0;
    for (size_t i = 0; i < DP2DP_CRITERIA_MAX && !failed; i++) {
        const dp2dp_unfairness_bound *b = &c->criteria[i];
        if (b->measured) {
            failed = json_object_set_new(
                object, dp2dp_word_name(DP2DP_WORDS_CRITERION, (int)i),
                DP2DPI_JSON_OBJECT(
                    {"unfairness_upper", dp2dpi_number_to_json(b->upper)},
                    {"unfairness_upper_strict", dp2dpi_number_to_json(b->upper_strict)},
                    {"group_too_small", json_boolean(b->group_too_small)}));
        }
    }
    return dp2dpi_json_finish(object, failed);
}

/* Adds "criterion" and "criteria" to the root if the certificate needs them. */
static json_t *with_criterion(json_t *root, const dp2dp_certificate *c) {
    if (!dp2dpi_certificate_has_criterion(c)) {
        return root;
    }
    int failed = json_object_set_new(root, "criterion", criterion_to_json(c)) ||
                 json_object_set_new(root, "criteria", criteria_to_json(c));
    return dp2dpi_json_finish(root, failed);
}

static json_t *file_to_json(const dp2dp_certificate_file *f, json_t *ledger) {
    const dp2dp_certificate *c = f->certificate;
    return DP2DPI_JSON_OBJECT(
        {"format", json_string(DP2DPI_CERTIFICATE_FORMAT)},
        {"version",
         dp2dpi_json_version(DP2DPI_CERTIFICATE_MAJOR,
                             dp2dpi_certificate_has_criterion(c) ? DP2DPI_CERTIFICATE_MINOR : 0)},
        {"library", json_string(f->library_version)},
        {"model_checksum", json_string(f->model_checksum)},
        {"records", json_integer((json_int_t)c->records)},
        {"leaves_out", json_boolean(c->leaves_out)},
        {"groups", dp2dpi_json_texts(f->groups, c->groups)},
        {"classes", dp2dpi_json_texts(f->classes, c->classes)},
        {"table", dp2dpi_table_to_json(c->table, c->strata, c->classes)},
        {"unfairness_upper", dp2dpi_number_to_json(c->unfairness_upper)},
        {"unfairness_upper_strict", dp2dpi_number_to_json(c->unfairness_upper_strict)},
        {"quote", dp2dpi_text_or_null(c->held_out ? DP2DPI_CERTIFICATE_QUOTE : NULL)},
        {"confidence", json_real(c->confidence)}, {"held_out", json_boolean(c->held_out)},
        {"group_too_small", json_boolean(c->group_too_small)},
        {"warnings", dp2dpi_words_to_json(DP2DP_WORDS_WARNING, c->warnings)},
        {"cost", cost_to_json(f)}, {"release_id", json_string(c->release_id)},
        {"ledger", json_incref(ledger)}, {"ledger_hash", dp2dpi_text_or_null(f->ledger_hash)});
}

/* Gets the checksum of the text that the model was read from. For a model made in memory, writes
 * the text and computes its checksum. */
static dp2dp_status find_model(const dp2dp_model *model, char hex[DP2DPI_HASH_SIZE],
                               dp2dp_error *error) {
    const char *known = dp2dp_model_view(model)->checksum;
    char *text = NULL;
    size_t length = 0;
    if (known) {
        memcpy(hex, known, DP2DPI_HASH_SIZE);
        return DP2DP_STATUS_OK;
    }
    DP2DPI_TRY(dp2dp_model_to_json(model, &text, &length, error));
    dp2dp_status status = dp2dpi_check_seal(text, length, hex, error);
    dp2dp_text_free(text);
    return status;
}

static int is_charge_of(const dp2dp_certificate *c, const dp2dpi_entry *entry) {
    const char *id = entry->event.release_id;
    return entry->info.kind == DP2DP_ENTRY_CHARGE && id && strcmp(id, c->release_id) == 0;
}

/* Copies the certificate's charge (the last charge with the certificate's release_id) from the
 * user's ledger into the certificate's own ledger. If the user's ledger is a file, sets *hash to
 * the charge's hash in that file. If the ledger is only in memory, sets *hash to NULL, because
 * nobody can look up the charge later. */
static dp2dp_status find_charge(const dp2dp_certificate *c, const dp2dp_certify_options *options,
                                dp2dp_ledger *own, const char **hash, dp2dp_error *error) {
    const dp2dp_ledger *ledger = options->ledger;
    size_t i = ledger->size;
    while (i > 0 && !is_charge_of(c, &ledger->entries[i - 1])) {
        i--;
    }
    if (i == 0) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "options->ledger does not have the charge for this certificate; give "
                           "the ledger that dp2dp_certify charged");
    }
    const dp2dpi_entry *entry = &ledger->entries[i - 1];
    dp2dp_event event = entry->event;
    event.role = DP2DPI_ROLE_CERTIFICATE;
    event.set = options->people_name;
    *hash = ledger->path ? entry->info.hash : NULL;
    return dp2dpi_ledger_charge_all(own, &event, 1, entry->rng, error);
}

static dp2dp_status write_file(const dp2dp_certificate_file *file, char **text, size_t *length,
                               dp2dp_error *error) {
    json_t *ledger = NULL, *root = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(dp2dpi_certificate_check(file, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_ledger_to_value(file->ledger, &ledger, error));
    root = with_criterion(file_to_json(file, ledger), file->certificate);
    DP2DPI_TRY_OR_DONE(dp2dpi_json_dump("certificate", root, text, length, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_seal(text, length, error));
done:
    json_decref(ledger);
    json_decref(root);
    return status;
}

static dp2dp_status check_call(const dp2dp_certificate *c, const dp2dp_model *model,
                               const dp2dp_certify_options *options, dp2dp_error *error) {
    const dp2dp_model_info *info = dp2dp_model_view(model);
    if (c->table == NULL || options->ledger == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "certificate->table and options->ledger must not be NULL");
    }
    if (c->classes != info->classes || info->strata == 0 || c->groups != info->groups) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "the certificate has %zu groups and %zu classes, but the model has "
                           "%zu groups and %zu classes",
                           c->groups, c->classes, info->groups, info->classes);
    }
    int sized = c->strata == c->groups * c->labels && (c->labels == 1 || c->labels == c->classes);
    return sized && dp2dpi_certificate_has_criterion_of(c, info)
               ? DP2DP_STATUS_OK
               : dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                             "the certificate's criterion or labels differ from the model's");
}

/* Fills in the members that the struct of an older program lacks. The certificate of such a program
 * is about demographic parity. Removes the warnings that a reader of the file cannot check, or does
 * not expect. */
static void complete(dp2dp_certificate *c, double delta) {
    c->warnings &= (DP2DP_WARNING_MEASURED - 1) & ~dp2dpi_certificate_hides(delta, c->records);
    if (c->labels == 0) {
        c->groups = c->strata;
        c->labels = 1;
        c->positive = DP2DP_POSITIVE_DEFAULT;
    }
}

dp2dp_status dp2dp_certificate_to_json(const dp2dp_certificate *certificate,
                                       const dp2dp_model *model,
                                       const dp2dp_certify_options *options, char **text,
                                       size_t *length, dp2dp_error *error) {
    dp2dp_certificate c;
    dp2dp_certify_options o;
    dp2dp_ledger *own = NULL;
    char model_checksum[DP2DPI_HASH_SIZE];
    if (text) {
        *text = NULL;
    }
    if (model == NULL || text == NULL || length == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "model, text and length must not be NULL");
    }
    *length = 0;
    DP2DPI_TRY(dp2dpi_struct_read(DP2DP_STRUCT_CERTIFICATE, certificate, &c, error));
    DP2DPI_TRY(dp2dpi_struct_read(DP2DP_STRUCT_CERTIFY_OPTIONS, options, &o, error));
    complete(&c, o.delta);
    DP2DPI_TRY(check_call(&c, model, &o, error));
    const dp2dp_names *names = &dp2dp_model_view(model)->names;
    dp2dp_certificate_file file = {.certificate = &c,
                                   .groups = names->groups,
                                   .classes = names->classes,
                                   .delta = o.delta,
                                   .people = o.people_name,
                                   .rng = o.rng,
                                   .insecure_seed = o.insecure_seed,
                                   .model_checksum = model_checksum,
                                   .library_version = dp2dp_version()};
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(find_model(model, model_checksum, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_ledger_new_of_model(&own, error));
    DP2DPI_TRY_OR_DONE(find_charge(&c, &o, own, &file.ledger_hash, error));
    file.ledger = own;
    DP2DPI_TRY_OR_DONE(dp2dpi_ledger_epsilon(own, o.delta, &file.epsilon, error));
    DP2DPI_TRY_OR_DONE(write_file(&file, text, length, error));
done:
    dp2dp_ledger_free(own);
    if (status != DP2DP_STATUS_OK) {
        dp2dpi_free(*text);
        *text = NULL;
        *length = 0;
    }
    return status;
}
