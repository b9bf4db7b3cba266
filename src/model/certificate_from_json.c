/* Reads a certificate from JSON. The reader refuses a member that it does not know, unless the text
 * states a newer minor version. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json_reader.h"
#include "base/limits.h"
#include "mechanism/ledger.h"
#include "mechanism/ledger_json.h"
#include "model/certificate.h"
#include "model/model_json.h"

/* A member that is a text, or null if it may be. */
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

/* The groups, the classes and the table. */
static void take_table(dp2dpi_reader *r, dp2dpi_certificate *out) {
    const json_t *groups = json_object_get(out->root, "groups");
    const json_t *classes = json_object_get(out->root, "classes");
    const json_t *table = json_object_get(out->root, "table");
    size_t strata = take_size(r, "groups", groups), width = take_size(r, "classes", classes);
    if (r->status == DP2DP_STATUS_OK) {
        r->status = DP2DPI_ALLOC(out->names, strata + width, "a certificate", r->error);
    }
    dp2dpi_reader_require(r, json_is_array(table) && json_array_size(table) == strata, "table",
                          "an array with one row for each group");
    if (r->status == DP2DP_STATUS_OK) {
        r->status = DP2DPI_ALLOC(out->table, strata * width, "a certificate", r->error);
    }
    if (r->status != DP2DP_STATUS_OK) {
        return;
    }
    dp2dpi_reader_texts(r, groups, "groups", strata, out->names);
    dp2dpi_reader_texts(r, classes, "classes", width, out->names + strata);
    for (size_t e = 0; e < strata && r->status == DP2DP_STATUS_OK; e++) {
        dp2dpi_reader_numbers(r, json_array_get(table, e), "table", width, out->table + e * width);
    }
    out->certificate.strata = strata;
    out->certificate.classes = width;
    out->certificate.table = out->table;
    out->file.groups = out->names;
    out->file.classes = out->names + strata;
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
                                        "table",
                                        "unfairness_upper",
                                        "unfairness_upper_strict",
                                        "quote",
                                        "confidence",
                                        "held_out",
                                        "group_too_small",
                                        "warnings",
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
    take_table(r, out);
    take_result(r, out);
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
