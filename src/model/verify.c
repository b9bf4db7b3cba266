/* Checks models, ledgers and certificates against each other. verify_release.c compares charges,
 * verify_ledgers.c compares ledgers. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <dp2dp/fit.h>

#include "base/alloc.h"
#include "model/certificate.h"
#include "model/model_json.h"
#include "model/verifier.h"
#include "model/verify.h"
#include "schema/schema.h"

enum {
    MESSAGE_SIZE = DP2DPI_VERIFY_MESSAGE_SIZE,
    FILES_MAX = 10000
};

typedef dp2dpi_verify_document document;
typedef dp2dpi_verifier verifier;
#define tell dp2dpi_verify_tell

void dp2dpi_verify_tell(verifier *v, dp2dp_check check, const char *format, ...) {
    char message[MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    check.struct_size = sizeof check;
    check.message = message;
    if (check.result == DP2DP_CHECK_FAILS && v->failed++ == 0) {
        (void)snprintf(v->first, sizeof v->first, "%.200s: %.300s", check.file, message);
    }
    if (v->report) {
        v->report(v->context, &check);
    }
}

/* Reads a model, ledger or certificate; the member "format" says which of these the text is. */
static dp2dp_status read_document(const char *text, size_t length, void *out, dp2dp_error *error) {
    document *to = out;
    json_t *root = NULL;
    DP2DPI_TRY(dp2dpi_json_parse("document", text, length, &root, error));
    const char *format = json_string_value(json_object_get(root, "format"));
    int is_ledger = dp2dpi_is_same_text(format, DP2DPI_LEDGER_FORMAT);
    int is_certificate = dp2dpi_is_same_text(format, DP2DPI_CERTIFICATE_FORMAT);
    int is_model = dp2dpi_is_same_text(format, DP2DPI_MODEL_FORMAT);
    int is_schema = dp2dpi_is_same_text(format, DP2DPI_SCHEMA_FORMAT);
    json_decref(root);
    if (is_schema) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                           "this file is a schema: give models, ledgers and certificates");
    }
    if (is_ledger) {
        return dp2dp_ledger_from_json(text, length, &to->ledger, error);
    }
    if (is_certificate) {
        return dp2dpi_certificate_from_json(text, length, &to->certificate, error);
    }
    return is_model
               ? dp2dp_model_from_json(text, length, &to->model, error)
               : dp2dpi_fail(error, DP2DP_STATUS_DATA, "format: must be \"%s\", \"%s\" or \"%s\"",
                             DP2DPI_MODEL_FORMAT, DP2DPI_LEDGER_FORMAT, DP2DPI_CERTIFICATE_FORMAT);
}

/* Reads the file of *d and reports the result as a check named "file". If the file cannot be read,
 * the check fails and the verification goes on. Only lack of memory ends the verification. */
static dp2dp_status read_file(verifier *v, document *d, dp2dp_error *error) {
    dp2dp_error found = {0};
    dp2dp_check check = {.what = "file", .file = d->path, .result = DP2DP_CHECK_HOLDS};
    d->last = dp2dpi_ledger_read_last(d->path);
    dp2dp_status status =
        dp2dpi_document_load("model, ledger or certificate", d->path, read_document, d, &found);
    if (status == DP2DP_STATUS_MEMORY) {
        return dp2dpi_fail_again(error, &found);
    }
    if (status != DP2DP_STATUS_OK) {
        check.result = DP2DP_CHECK_FAILS;
        tell(v, check, "%s", found.message);
        return DP2DP_STATUS_OK;
    }
    v->ledgers += d->ledger != NULL;
    v->models += d->model != NULL;
    tell(v, check, "%s",
         d->ledger ? "a ledger; its hashes are right"
         : d->model
             ? "a model; its checksum is right, and its epsilon follows from the entries of the "
               "ledger inside it"
             : "a certificate; its checksum is right, its epsilon follows from the ledger "
               "entry inside it, and its bounds follow from its table");
    return DP2DP_STATUS_OK;
}

static const char *only_ledger(const verifier *v) {
    for (size_t i = 0; i < v->n && v->ledgers == 1; i++) {
        if (v->documents[i].ledger) {
            return v->documents[i].path;
        }
    }
    return NULL;
}

static const char *id_of(const dp2dpi_released *r) {
    return r->id ? r->id : "made by version 1, which wrote no ids";
}

/* Returns 1 if the ledger has the entry that the certificate cites. */
static int has_cited(const dp2dp_ledger *ledger, const dp2dp_certificate_file *f) {
    for (size_t k = 0; ledger && f->ledger_hash && k < ledger->size; k++) {
        const dp2dpi_entry *entry = &ledger->entries[k];
        if (dp2dpi_is_same_text(entry->info.hash, f->ledger_hash) &&
            dp2dpi_is_same_text(entry->event.release_id, f->certificate->release_id)) {
            return 1;
        }
    }
    return 0;
}

/* Returns 1 if everything that was charged to the ledger was a certificate. */
static int has_only_certificates(const dp2dp_ledger *ledger) {
    for (size_t k = 0; k < ledger->size; k++) {
        const dp2dpi_entry *entry = &ledger->entries[k];
        if (entry->info.kind == DP2DP_ENTRY_CHARGE &&
            !dp2dpi_is_same_text(entry->event.label, DP2DPI_LABEL_CERTIFICATE)) {
            return 0;
        }
    }
    return 1;
}

/* Returns 1 if the ledger has charges of certificates only and one of them is cited by a held-out
 * certificate among the files: a certificate of this model, for people who were not used to make
 * the model. */
static int is_of_certificate(const verifier *v, const dp2dp_model *model,
                             const dp2dp_ledger *ledger) {
    const char *checksum = dp2dp_model_view(model)->checksum;
    for (size_t i = 0; i < v->n && has_only_certificates(ledger); i++) {
        const dp2dp_certificate_file *f = v->documents[i].certificate;
        if (f && f->certificate->held_out && dp2dpi_is_same_text(f->model_checksum, checksum) &&
            has_cited(ledger, f)) {
            return 1;
        }
    }
    return 0;
}

/* Returns 1 if is_of_certificate holds for every ledger. Such ledgers need not have the charges of
 * the rule. A ledger that also has other charges must have the rule's charges: it may have lost
 * them before the certificate was made. */
static int are_of_certificates(const verifier *v, const document *d) {
    for (size_t i = 0; i < v->n; i++) {
        const dp2dp_ledger *ledger = v->documents[i].ledger;
        if (ledger && !(d->model && is_of_certificate(v, d->model, ledger))) {
            return 0;
        }
    }
    return 1;
}

/* Looks for a release in the ledgers. `name` says what was released: "rule", "training" or
 * "certificate". If the release is missing but not `required`, adds only a note, because a ledger
 * that is not among the files may have the release. If the release is `required`, also adds only a
 * note if all ledgers are about the people of certificates (are_of_certificates). */
static void check_release(verifier *v, const document *d, const dp2dpi_released *r,
                          const char *name, int required) {
    dp2dp_check check = {.what = required ? "release" : "training", .file = d->path};
    for (size_t i = 0; i < v->n; i++) {
        if (v->documents[i].ledger && dp2dpi_released_is_in(r, v->documents[i].ledger)) {
            check.result = DP2DP_CHECK_HOLDS;
            check.other = v->documents[i].path;
            tell(v, check, "the ledger has the charges of the %s (release %s)", name, id_of(r));
            return;
        }
    }
    for (size_t i = 0; i < v->n; i++) {
        const char *field =
            v->documents[i].ledger ? dp2dpi_released_differs(r, v->documents[i].ledger) : NULL;
        if (field) {
            check.result = DP2DP_CHECK_FAILS;
            check.other = v->documents[i].path;
            tell(v, check, "the %s (release %s) has a different %s in the ledger", name, id_of(r),
                 field);
            return;
        }
    }
    int other_people = required && are_of_certificates(v, d);
    check.result = required && !other_people ? DP2DP_CHECK_FAILS : DP2DP_CHECK_NOTED;
    check.other = only_ledger(v);
    tell(v, check, "the %s (release %s) is missing from the ledger%s%s", name, id_of(r),
         v->ledgers == 1 ? "" : "s",
         other_people
             ? ", which has the charges of certificates only: either it is about the certificate's "
               "people, or its other charges were removed. To check the rule, also give the ledger "
               "of the people whom the rule was learned from"
         : required
             ? ". The release may have been charged to another ledger: give that ledger too. If "
               "there is none, or you do not have it, verify this file and the ledger in two "
               "commands"
             : "");
}

/* If a ledger says in which file the release was published, checks that `d` is this file. Finds the
 * ledger's entry by the id of the release. If the id is NULL, looks for an entry with the checksum
 * of `d` instead. In that case, the check cannot notice that another file was published. */
static void check_published(verifier *v, const document *d, const char *id, const char *checksum) {
    dp2dp_check check = {.what = "published", .file = d->path, .result = DP2DP_CHECK_NOTED};
    const char *stated = NULL;
    for (size_t i = 0; i < v->n && check.result != DP2DP_CHECK_HOLDS; i++) {
        const dp2dp_ledger *ledger = v->documents[i].ledger;
        for (size_t k = 0; ledger && k < ledger->size && check.result != DP2DP_CHECK_HOLDS; k++) {
            const dp2dpi_entry *entry = &ledger->entries[k];
            int same = dp2dpi_is_same_text(entry->info.checksum, checksum);
            if (entry->info.kind == DP2DP_ENTRY_PUBLISHED && (id || same) &&
                dp2dpi_is_same_text(entry->event.release_id, id)) {
                stated = entry->info.checksum;
                check.other = v->documents[i].path;
                check.result = same ? DP2DP_CHECK_HOLDS : DP2DP_CHECK_FAILS;
            }
        }
    }
    if (check.result == DP2DP_CHECK_FAILS) {
        tell(v, check,
             "the ledger says that this release was published as the file with checksum %s, "
             "but this file has checksum %s",
             stated, checksum);
    } else {
        tell(v, check, "%s",
             stated ? "the ledger says that this release was published in this file"
                    : "no ledger says in which file this release was published");
    }
}

/* Checks each release in the ledger of a model once, but skips the release *own. The other releases
 * are the training of the classifiers, and the fits of earlier rules. */
static void check_others(verifier *v, const document *d, const dp2dpi_released *own,
                         const dp2dp_ledger *ledger) {
    for (size_t i = 0; i < ledger->size; i++) {
        if (ledger->entries[i].event.mechanism == DP2DP_EXPOSED) {
            continue;
        }
        dp2dpi_released r = {ledger, ledger->entries[i].event.release_id,
                             dp2dpi_entry_is_training(&ledger->entries[i])};
        int first = own == NULL || !dp2dpi_released_has(own, &ledger->entries[i]);
        for (size_t k = 0; k < i && first; k++) {
            first = !dp2dpi_released_has(&r, &ledger->entries[k]);
        }
        if (first) {
            check_release(v, d, &r, r.training ? "training" : "rule before this one", 0);
        }
    }
}

static void check_model(verifier *v, const document *d) {
    const dp2dp_model_info *info = dp2dp_model_view(d->model);
    dp2dpi_released r = {.own = info->ledger, .training = info->strata == 0};
    int noiseless =
        info->strata > 0 && (info->solver == DP2DP_SOLVER_EXACT || isinf(info->options->epsilon));
    size_t charges = 0;
    for (size_t i = 0; i < info->ledger->size && !noiseless; i++) {
        const dp2dpi_entry *entry = &info->ledger->entries[i];
        if (dp2dpi_entry_is_training(entry) == r.training &&
            entry->event.mechanism != DP2DP_EXPOSED) {
            r.id = entry->event.release_id; /* the last release in the ledger made this model */
            charges++;
        }
    }
    if (charges > 0) {
        check_release(v, d, &r, info->strata == 0 ? "training" : "rule", 1);
    } else {
        const dp2dp_check check = {.what = "release", .file = d->path, .result = DP2DP_CHECK_NOTED};
        tell(v, check,
             "the model was made without noise, so there is no release to look for in a ledger");
    }
    check_published(v, d, r.id, info->checksum);
    check_others(v, d, charges > 0 ? &r : NULL, info->ledger);
}

static void check_hash(verifier *v, const document *d) {
    const dp2dp_certificate_file *f = d->certificate;
    dp2dp_check check = {.what = "ledger-entry", .file = d->path, .result = DP2DP_CHECK_HOLDS};
    if (f->ledger_hash == NULL) {
        check.result = DP2DP_CHECK_NOTED;
        tell(v, check, "the certificate cites no ledger entry");
        return;
    }
    for (size_t i = 0; i < v->n; i++) {
        if (has_cited(v->documents[i].ledger, f)) {
            check.other = v->documents[i].path;
            tell(v, check, "the ledger has the entry %s that the certificate cites",
                 f->ledger_hash);
            return;
        }
    }
    check.result = DP2DP_CHECK_FAILS;
    check.other = only_ledger(v);
    tell(v, check,
         "the entry %s that the certificate cites is missing: the ledger was cut or "
         "rewritten, or it is the wrong ledger",
         f->ledger_hash);
}

/* Notes that the ledger is not among the files, if a certificate cites an entry of it. */
static void note_ledger(verifier *v, const document *d) {
    const dp2dp_certificate_file *f = d->certificate;
    const dp2dp_check check = {
        .what = "ledger-entry", .file = d->path, .result = DP2DP_CHECK_NOTED};
    if (f->ledger_hash) {
        tell(v, check,
             "the certificate cites the ledger entry %s, but there is no ledger among these files. "
             "To check that the certificate was charged, give that ledger too",
             f->ledger_hash);
    }
}

static int has_names(const dp2dp_certificate_file *f, const dp2dp_model_info *model) {
    const dp2dp_certificate *c = f->certificate;
    int same = c->classes == model->classes && model->strata > 0 && c->groups == model->groups;
    for (size_t k = 0; same && k < c->classes; k++) {
        same = strcmp(f->classes[k], model->names.classes[k]) == 0;
    }
    for (size_t g = 0; same && model->strata > 0 && g < model->groups; g++) {
        same = strcmp(f->groups[g], model->names.groups[g]) == 0;
    }
    return same;
}

static void check_subject(verifier *v, const document *d) {
    const dp2dp_certificate_file *f = d->certificate;
    dp2dp_check check = {.what = "model", .file = d->path, .result = DP2DP_CHECK_FAILS};
    for (size_t i = 0; i < v->n; i++) {
        const dp2dp_model_info *model =
            v->documents[i].model ? dp2dp_model_view(v->documents[i].model) : NULL;
        check.other = model ? v->documents[i].path : check.other;
        if (model && dp2dpi_is_same_text(model->checksum, f->model_checksum)) {
            int named = has_names(f, model);
            int sound = named && dp2dpi_certificate_has_criterion_of(f->certificate, model);
            check.result = sound ? DP2DP_CHECK_HOLDS : DP2DP_CHECK_FAILS;
            tell(v, check, "%s",
                 sound ? "the certificate is about this model"
                 : model->strata == 0
                     ? "the model has no rule, so no certificate can be about its rule"
                 : named ? "the certificate's criterion or labels differ from the model's"
                         : "the certificate's groups or classes differ from the model's");
            return;
        }
    }
    check.other = v->models == 1 ? check.other : NULL;
    tell(v, check, "the certificate is about another model, whose checksum is %s",
         f->model_checksum);
}

static void compare(verifier *v, const document *d) {
    if (d->model && v->ledgers > 0) {
        check_model(v, d);
    }
    if (d->certificate && v->models > 0) {
        check_subject(v, d);
    }
    if (d->certificate && v->ledgers > 0) {
        const dp2dpi_released r = {.own = d->certificate->ledger,
                                   .id = d->certificate->certificate->release_id};
        check_release(v, d, &r, "certificate", 1);
        check_hash(v, d);
        check_published(v, d, r.id, d->certificate->checksum);
    } else if (d->certificate) {
        note_ledger(v, d);
    }
}

/* Returns the certificate of document i if it has bounds that may be quoted, else NULL. */
static const dp2dp_certificate_file *bounds_of(const verifier *v, size_t i) {
    const dp2dp_certificate_file *f = v->documents[i].certificate;
    return f && f->certificate->held_out ? f : NULL;
}

/* Notes if document i is the first of several certificates of one model. Counts copies of a
 * certificate once. */
static void note_choice(verifier *v, size_t i) {
    const dp2dp_certificate_file *f = bounds_of(v, i);
    const dp2dp_check check = {
        .what = "certificates", .file = v->documents[i].path, .result = DP2DP_CHECK_NOTED};
    size_t count = 0;
    for (size_t k = 0; f && k < v->n; k++) {
        const dp2dp_certificate_file *other = bounds_of(v, k);
        int is_of_model = other && dp2dpi_is_same_text(other->model_checksum, f->model_checksum);
        int is_copy = 0;
        for (size_t j = 0; is_of_model && j < k; j++) {
            is_copy |=
                bounds_of(v, j) && dp2dpi_is_same_text(bounds_of(v, j)->checksum, other->checksum);
        }
        if (is_of_model && k < i) {
            return; /* noted already */
        }
        count += is_of_model && !is_copy;
    }
    if (count > 1) {
        tell(v, check,
             "%zu certificates are about the same model. The confidence of a bound holds only if "
             "its certificate was chosen before the bounds were known: do not quote the smallest "
             "bound with its confidence",
             count);
    }
}

static dp2dp_status check_call(const char *const *paths, size_t count, dp2dp_error *error) {
    if (paths == NULL || count == 0 || count > FILES_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "paths: there must be from 1 to %d files",
                           (int)FILES_MAX);
    }
    for (size_t i = 0; i < count; i++) {
        if (paths[i] == NULL || *paths[i] == '\0') {
            return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "a path must not be NULL or empty");
        }
    }
    return DP2DP_STATUS_OK;
}

/* Fails for each ledger that lacks the entry that its lock file names. */
static void check_locks(verifier *v) {
    for (size_t i = 0; i < v->n; i++) {
        const document *d = &v->documents[i];
        const dp2dp_check check = {.what = "lock", .file = d->path, .result = DP2DP_CHECK_FAILS};
        dp2dp_error found;
        if (d->ledger && dp2dpi_ledger_check_last(d->ledger, &d->last, &found) != 0) {
            tell(v, check, "%s", found.message);
        }
    }
}

/* Notes that a single model was not compared with a ledger. A certificate has a note of its own. */
static void note_no_ledger(verifier *v) {
    const document *d = &v->documents[0];
    const dp2dp_check check = {.what = "ledger", .file = d->path, .result = DP2DP_CHECK_NOTED};
    if (v->n == 1 && d->model) {
        tell(v, check,
             "no ledger of people was given, so nobody checked that it has what was "
             "charged for this model");
    }
}

dp2dp_status dp2dp_verify(const char *const *paths, size_t count, dp2dp_check_report report,
                          void *context, dp2dp_error *error) {
    verifier v = {.n = count, .report = report, .context = context};
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(check_call(paths, count, error));
    DP2DPI_TRY(DP2DPI_ALLOC(v.documents, count, "the files", error));
    for (size_t i = 0; i < count; i++) {
        v.documents[i].path = paths[i];
        DP2DPI_TRY_OR_DONE(read_file(&v, &v.documents[i], error));
    }
    for (size_t i = 0; i < count; i++) {
        compare(&v, &v.documents[i]);
    }
    for (size_t i = 0; i < count; i++) {
        note_choice(&v, i);
    }
    DP2DPI_TRY_OR_DONE(dp2dpi_verify_ledgers(&v, error));
    check_locks(&v);
    note_no_ledger(&v);
    if (v.failed > 0) {
        status = dp2dpi_fail(error, DP2DP_STATUS_DATA, "%s", v.first);
    }
done:
    for (size_t i = 0; i < count; i++) {
        dp2dp_model_free(v.documents[i].model);
        dp2dp_ledger_free(v.documents[i].ledger);
        dp2dp_certificate_file_free(v.documents[i].certificate);
    }
    dp2dpi_free(v.documents);
    return status;
}
