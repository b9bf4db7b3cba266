#include "schema/schema.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

/* Header of a block of memory: the address of the block that was allocated before this block. The
 * union aligns the data after the header for every type stored there. */
typedef union kept {
    void *before;
    double number;
    uint64_t whole;
} kept;

dp2dp_status dp2dpi_schema_keep(dp2dp_schema *schema, size_t count, size_t size, void **out,
                                dp2dp_error *error) {
    kept *block = NULL;
    size_t bytes;
    *out = NULL;
    if (__builtin_mul_overflow(count, size, &bytes) ||
        __builtin_add_overflow(bytes, sizeof(kept), &bytes)) {
        bytes = SIZE_MAX;
    }
    DP2DPI_TRY(dp2dpi_alloc_into("a schema", bytes, 1, &block, error));
    block->before = schema->kept;
    schema->kept = block;
    *out = block + 1;
    return DP2DP_STATUS_OK;
}

void dp2dp_schema_free(dp2dp_schema *schema) {
    if (schema == NULL) {
        return;
    }
    for (kept *block = schema->kept; block;) {
        kept *before = block->before;
        dp2dpi_free(block);
        block = before;
    }
    json_decref(schema->root);
    dp2dpi_free(schema->text);
    dp2dpi_free(schema);
}

const dp2dp_schema_info *dp2dp_schema_view(const dp2dp_schema *schema) {
    return schema ? &schema->info : NULL;
}

static dp2dp_status load_file(const char *path, dp2dp_schema **out, dp2dp_error *error) {
    dp2dpi_file_text file;
    dp2dp_error inner;
    dp2dp_status status =
        dp2dpi_file_read(path, DP2DPI_FILE_LOOK, DP2DPI_JSON_TEXT_MAX, &file, error);
    if (file.missing && strpbrk(path, "./") == NULL) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_IO,
            "neither a built-in schema nor a file: %.100s; the built-in schemas are adult, "
            "adult-cut, credit and parkinsons",
            path);
    }
    DP2DPI_TRY(status);
    status = dp2dpi_json_expect_object("schema", file.text, file.length, &inner);
    if (status == DP2DP_STATUS_OK) {
        status = dp2dpi_schema_from_json(file.text, file.length, out, &inner);
    }
    if (status != DP2DP_STATUS_OK) {
        (void)dp2dpi_fail_in(error, &inner, path);
    }
    dp2dpi_free(file.text);
    return status;
}

dp2dp_status dp2dp_schema_load(const char *source, dp2dp_schema **out, dp2dp_error *error) {
    if (out) {
        *out = NULL;
    }
    if (source == NULL || *source == '\0' || out == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "source must not be NULL or empty, and out must not be NULL");
    }
    const char *built_in = dp2dpi_schema_built_in(source);
    const char *text = built_in ? built_in : source;
    if (text[strspn(text, " \t\r\n")] == '{') {
        return dp2dpi_schema_from_json(text, strlen(text), out, error);
    }
    return load_file(source, out, error);
}
