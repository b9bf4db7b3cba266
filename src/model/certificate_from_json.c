/* Reads a certificate from JSON. Refuses an unknown member, except in a text of a newer minor
 * version. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json_reader.h"
#include "base/limits.h"
#include "mechanism/ledger.h"
#include "mechanism/ledger_json.h"
#include "model/certificate.h"
#include "model/model_json.h"

static const char *take_text(dp2dpi_reader *r, const json_t *object, const char *key,
                             int optional) {
    const json_t *value = json_object_get(object, key);
    dp2dpi_reader_require(r, json_is_string(value) || (optional && json_is_null(value)), key,
                          optional ? "a text or null" : "a text");
    return json_string_value(value);
}

static size_t take_size(dp2dpi_reader *r, const char *key, const json_t *array) {
    size_t n = json_array_size(array);
    dp2dpi_reader_require(r, json_is_array(array) && n >= 2 && n <= DP2DPI_CODES_MAX, key,
                          "an array of 2 to 4096 elements");
    return n;
}

/* Allocates the names and the table. The table has one row for each group, or for each group and
 * label. */
static void make_room(dp2dpi_reader *r, dp2dpi_certificate *out) {
    dp2dp_certificate *c = &out->certificate;
    dp2dpi_reader_require(r, c->groups * c->labels <= DP2DPI_CODES_MAX, "labels",
                          "at most 4096 divided by the number of groups");
    c->strata = c->groups * c->labels;
    if (r->status == DP2DP_STATUS_OK) {
        r->status = DP2DPI_ALLOC(out->names, c->groups + c->classes, "a certificate", r->error);
    }
    if (r->status == DP2DP_STATUS_OK) {
        r->status = DP2DPI_ALLOC(out->table, c->strata * c->classes, "a certificate", r->error);
    }
}

/* Reads the groups, the classes and the table. The number of labels is already known. */
static void take_table(dp2dpi_reader *r, dp2dpi_certificate *out) {
    const json_t *groups = json_object_get(out->root, "groups");
    const json_t *classes = json_object_get(out->root, "classes");
    const json_t *table = json_object_get(out->root, "table");
    dp2dp_certificate *c = &out->certificate;
    c->groups = take_size(r, "groups", groups);
    c->classes = take_size(r, "classes", classes);
    dp2dpi_reader_require(r, c->labels == 1 || c->labels == c->classes, "criterion.labels",
                          "1 or the number of classes");
    dp2dpi_reader_require(
        r, json_is_array(table) && json_array_size(table) == c->groups * c->labels, "table",
        "an array with one row for each group or, if there are labels, for each pair of group and "
        "label");
    make_room(r, out);
    if (r->status != DP2DP_STATUS_OK) {
        return;
    }
    dp2dpi_reader_texts(r, groups, "groups", c->groups, out->names);
    dp2dpi_reader_texts(r, classes, "classes", c->classes, out->names + c->groups);
    for (size_t e = 0; e < c->strata && r->status == DP2DP_STATUS_OK; e++) {
        dp2dpi_reader_numbers(r, json_array_get(table, e), "table", c->classes,
                              out->table + e * c->classes);
    }
    c->table = out->table;
    out->file.groups = out->names;
    out->file.classes = out->names + c->groups;
}

/* Reads the number of labels from the member "criterion", if there is one. */
static json_t *take_labels(dp2dpi_reader *r, dp2dpi_certificate *out) {
    static const char *const known[] = {"name", "positive", "statistics", "labels", NULL};
    dp2dp_certificate *c = &out->certificate;
    c->labels = 1;
    c->criterion = DP2DP_DEMOGRAPHIC_PARITY;
    c->positive = DP2DP_POSITIVE_DEFAULT;
    if (json_object_get(out->root, "criterion") == NULL) {
        return NULL;
    }
    json_t *object = dp2dpi_reader_object(r, out->root, "criterion", "criterion.", known);
    c->labels = dp2dpi_reader_count(r, object, "labels");
    r->where = "";
    return object;
}

static void take_criterion(dp2dpi_reader *r, json_t *object, dp2dpi_certificate *out) {
    dp2dp_certificate *c = &out->certificate;
    if (object == NULL || r->status != DP2DP_STATUS_OK) {
        return;
    }
    r->where = "criterion.";
    c->criterion = (dp2dp_criterion)dp2dpi_reader_word(r, object, "name", DP2DP_WORDS_CRITERION);
    c->positive = dp2dpi_positive_read(r, object, c->classes);
    dp2dpi_custom_read(r, json_object_get(object, "statistics"), c->labels, c->classes,
                       &out->custom);
    c->statistics = out->custom.statistics;
    c->statistic_count = out->custom.count;
    dp2dpi_reader_require(
        r, dp2dpi_certificate_has_criterion(c), "name",
        "a criterion other than demographic_parity: without labels, a certificate "
        "for demographic_parity has no member \"criterion\"");
    r->where = "";
}

/* Reads the bounds for each criterion. Without the member "criterion" there are only the bounds for
 * demographic parity, which were already read. */
static void take_criteria(dp2dpi_reader *r, dp2dpi_certificate *out) {
    static const char *const members[] = {"unfairness_upper", "unfairness_upper_strict",
                                          "group_too_small", NULL};
    dp2dp_certificate *c = &out->certificate;
    const char *names[DP2DP_CRITERIA_MAX + 1] = {NULL};
    int has = dp2dpi_certificate_has_criterion(c);
    dp2dpi_reader_require(
        r, has == json_is_object(json_object_get(out->root, "criteria")), "criteria",
        "an object if the certificate has a member criterion, and absent otherwise");
    for (size_t i = 0; i < DP2DP_CRITERIA_MAX; i++) {
        c->criteria[i] = (dp2dp_unfairness_bound) {.upper = NAN, .upper_strict = NAN};
        names[i] = dp2dp_word_name(DP2DP_WORDS_CRITERION, (int)i);
    }
    c->criteria[c->criterion] =
        (dp2dp_unfairness_bound) {.upper = c->unfairness_upper,
                                  .upper_strict = c->unfairness_upper_strict,
                                  .measured = 1,
                                  .group_too_small = c->group_too_small};
    if (!has || r->status != DP2DP_STATUS_OK) {
        return;
    }
    json_t *all = dp2dpi_reader_object(r, out->root, "criteria", "criteria.", names);
    for (size_t i = 0; i < DP2DP_CRITERIA_MAX && names[i]; i++) {
        dp2dp_unfairness_bound *bound = &c->criteria[i];
        bound->measured = json_object_get(all, names[i]) != NULL;
        if (bound->measured) {
            json_t *one = dp2dpi_reader_object(r, all, names[i], "criteria.", members);
            bound->upper = dp2dpi_reader_number(r, one, members[0]);
            bound->upper_strict = dp2dpi_reader_number(r, one, members[1]);
            bound->group_too_small = dp2dpi_reader_boolean(r, one, members[2]);
        }
    }
    r->where = "";
}

static void take_result(dp2dpi_reader *r, dp2dpi_certificate *out) {
    dp2dp_certificate *c = &out->certificate;
    const char *quote = take_text(r, out->root, "quote", 1);
    const char *id = take_text(r, out->root, "release_id", 0);
    c->records = dp2dpi_reader_count(r, out->root, "records");
    c->leaves_out = dp2dpi_reader_boolean(r, out->root, "leaves_out");
    c->unfairness_upper = dp2dpi_reader_number(r, out->root, "unfairness_upper");
    c->unfairness_upper_strict = dp2dpi_reader_number(r, out->root, "unfairness_upper_strict");
    c->confidence = dp2dpi_reader_number(r, out->root, "confidence");
    c->held_out = dp2dpi_reader_boolean(r, out->root, "held_out");
    c->group_too_small = dp2dpi_reader_boolean(r, out->root, "group_too_small");
    c->warnings = dp2dpi_words_read(r, out->root, "warnings", DP2DP_WORDS_WARNING);
    dp2dpi_reader_require(
        r, c->held_out ? quote && strcmp(quote, DP2DPI_CERTIFICATE_QUOTE) == 0 : quote == NULL,
        "quote", "\"" DP2DPI_CERTIFICATE_QUOTE "\", or null if held_out is false");
    (void)snprintf(c->release_id, sizeof c->release_id, "%s", id ? id : "");
}

static void take_cost(dp2dpi_reader *r, dp2dpi_certificate *out) {
    static const char *const known[] = {"private",         "epsilon", "delta", "adjacency",
                                        "rows_per_person", "people",  "sigma", "rng",
                                        "insecure_seed",   NULL};
    dp2dp_certificate *c = &out->certificate;
    json_t *cost = dp2dpi_reader_object(r, out->root, "cost", "cost.", known);
    const char *adjacency = take_text(r, cost, "adjacency", 0);
    out->file.epsilon = dp2dpi_reader_number(r, cost, "epsilon");
    out->file.delta = dp2dpi_reader_number(r, cost, "delta");
    out->file.people = take_text(r, cost, "people", 1);
    dp2dpi_reader_rng(r, cost, &out->file.rng, &out->file.insecure_seed);
    c->rows_per_person = dp2dpi_reader_count(r, cost, "rows_per_person");
    c->sigma = dp2dpi_reader_number(r, cost, "sigma");
    c->is_private = dp2dpi_reader_boolean(r, cost, "private");
    dp2dpi_reader_require(
        r, adjacency && strcmp(adjacency, dp2dp_adjacency_name(DP2DP_REPLACE_ONE)) == 0,
        "adjacency", "replace-one");
    r->where = "";
}

static void take_ledger(dp2dpi_reader *r, dp2dpi_certificate *out) {
    json_t *object = json_object_get(out->root, "ledger");
    dp2dp_error inner = {0};
    dp2dpi_reader_require(r, json_is_object(object), "ledger", "an object");
    if (r->status == DP2DP_STATUS_OK) {
        dp2dpi_reader_retell(r, dp2dpi_ledger_from_value(object, &out->ledger, &inner),
                             "ledger: ", &inner);
    }
    out->file.ledger = out->ledger;
}

static dp2dp_status take_certificate(dp2dpi_reader *r, dp2dpi_certificate *out) {
    static const char *const known[] = {"format",
                                        "version",
                                        "library",
                                        "model_checksum",
                                        "records",
                                        "leaves_out",
                                        "groups",
                                        "classes",
                                        "criterion",
                                        "table",
                                        "unfairness_upper",
                                        "unfairness_upper_strict",
                                        "quote",
                                        "confidence",
                                        "held_out",
                                        "group_too_small",
                                        "warnings",
                                        "criteria",
                                        "cost",
                                        "release_id",
                                        "ledger",
                                        "ledger_hash",
                                        "checksum",
                                        NULL};
    dp2dp_error inner = {0};
    dp2dpi_reader_keys(r, out->root, known, "a certificate");
    out->certificate = DP2DP_CERTIFICATE_INIT;
    out->file = (dp2dp_certificate_file) {.struct_size = sizeof out->file,
                                          .certificate = &out->certificate,
                                          .checksum = out->checksum};
    out->file.library_version = take_text(r, out->root, "library", 0);
    out->file.model_checksum = take_text(r, out->root, "model_checksum", 0);
    out->file.ledger_hash = take_text(r, out->root, "ledger_hash", 1);
    json_t *criterion = take_labels(r, out);
    take_table(r, out);
    take_criterion(r, criterion, out);
    take_result(r, out);
    take_criteria(r, out);
    take_cost(r, out);
    take_ledger(r, out);
    if (r->status == DP2DP_STATUS_OK) {
        dp2dpi_reader_retell(r, dp2dpi_certificate_check(&out->file, &inner), "", &inner);
    }
    return r->status;
}

dp2dp_status dp2dpi_certificate_from_json(const char *text, size_t length,
                                          dp2dp_certificate_file **out, dp2dp_error *error) {
    dp2dpi_reader r = {.error = error, .where = ""};
    dp2dpi_certificate *read = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    *out = NULL;
    DP2DPI_TRY(DP2DPI_ALLOC(read, 1, "a certificate", error));
    DP2DPI_TRY_OR_DONE(dp2dpi_json_parse("certificate", text, length, &read->root, error));
    (void)dp2dpi_reader_heading(&r, read->root, DP2DPI_CERTIFICATE_FORMAT, "a certificate",
                                DP2DPI_CERTIFICATE_MAJOR, DP2DPI_CERTIFICATE_MINOR);
    DP2DPI_TRY_OR_DONE(r.status);
    DP2DPI_TRY_OR_DONE(dp2dpi_check_seal(text, length, read->checksum, error));
    DP2DPI_TRY_OR_DONE(take_certificate(&r, read));
    *out = &read->file;
    read = NULL;
done:
    dp2dp_certificate_file_free(read ? &read->file : NULL);
    return status;
}
