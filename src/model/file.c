/* Writes a model to a file, and reads models and other documents from files. */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "model/model_json.h"

/* Refuses to replace a ledger, because a ledger is the only record of the privacy cost so far.
 * Looks only at the first member "format" in the file. A model also contains a ledger, but the
 * model's own "format" comes first. */
static dp2dp_status check_replaces_no_ledger(const char *path, dp2dp_error *error) {
    static const char format[] = "\"dp2dp-ledger\"";
    dp2dpi_file_text file;
    dp2dp_error inner = {0};
    dp2dp_status status =
        dp2dpi_file_read(path, DP2DPI_FILE_LOOK, DP2DPI_JSON_TEXT_MAX, &file, &inner);
    if (status != DP2DP_STATUS_OK) {
        return status == DP2DP_STATUS_MEMORY ? dp2dpi_fail_again(error, &inner) : DP2DP_STATUS_OK;
    }
    const char *first = strstr(file.text, "\"dp2dp-");
    int is_ledger = first && strncmp(first, format, sizeof format - 1) == 0;
    dp2dpi_free(file.text);
    return is_ledger
               ? dp2dpi_fail(
                     error, DP2DP_STATUS_ARGUMENT,
                     "%.200s: this file is a privacy ledger, and a model must not replace it; "
                     "choose another path",
                     path)
               : DP2DP_STATUS_OK;
}

dp2dp_status dp2dp_model_save(const dp2dp_model *model, const char *path, dp2dp_error *error) {
    char *text = NULL;
    char *resolved = NULL;
    size_t length = 0;
    if (model == NULL || path == NULL || *path == '\0') {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "model must not be NULL, and path must not be NULL or empty");
    }
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(dp2dp_model_to_json(model, &text, &length, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_file_resolve(path, &resolved, error));
    DP2DPI_TRY_OR_DONE(check_replaces_no_ledger(resolved, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_file_publish(resolved, text, length, error));
done:
    dp2dpi_free(resolved);
    dp2dp_text_free(text);
    return status;
}

dp2dp_status dp2dpi_document_load(const char *what, const char *path, dp2dpi_document_reader read,
                                  void *out, dp2dp_error *error) {
    dp2dpi_file_text file;
    dp2dp_error inner;
    DP2DPI_TRY(dp2dpi_file_read(path, DP2DPI_FILE_LOOK, DP2DPI_JSON_TEXT_MAX, &file, error));
    dp2dp_status status = dp2dpi_json_expect_object(what, file.text, file.length, &inner);
    if (status == DP2DP_STATUS_OK) {
        status = read(file.text, file.length, out, &inner);
    }
    if (status != DP2DP_STATUS_OK) {
        (void)dp2dpi_fail_in(error, &inner, path);
    }
    dp2dpi_free(file.text);
    return status;
}

static dp2dp_status read_model(const char *text, size_t length, void *out, dp2dp_error *error) {
    return dp2dp_model_from_json(text, length, out, error);
}

dp2dp_status dp2dp_model_load(const char *path, dp2dp_model **out, dp2dp_error *error) {
    if (out) {
        *out = NULL;
    }
    if (path == NULL || *path == '\0' || out == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "path must not be NULL or empty, and out must not be NULL");
    }
    return dp2dpi_document_load("model", path, read_model, out, error);
}
