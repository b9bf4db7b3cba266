#include "schema/block.h"

#include <stdio.h>
#include <string.h>

#include "arrow/build.h"
#include "base/alloc.h"

const dp2dpi_encoded_column dp2dpi_encoded_columns[DP2DPI_ENCODED_CHILDREN] = {
    [DP2DPI_ENCODED_ROW] = {"row", "l", sizeof(int64_t), 0},
    [DP2DPI_ENCODED_NUMBERS] = {"numbers", "f", sizeof(float), DP2DP_PART_FEATURES},
    [DP2DPI_ENCODED_LEVELS] = {"levels", "i", sizeof(int32_t), DP2DP_PART_FEATURES},
    [DP2DPI_ENCODED_SCALE] = {"scale", "f", sizeof(float), DP2DP_PART_FEATURES},
    [DP2DPI_ENCODED_SCORES] = {"scores", "f", sizeof(float), DP2DPI_PART_SCORES},
    [DP2DPI_ENCODED_LABEL] = {"label", "i", sizeof(int32_t), DP2DP_PART_LABEL},
    [DP2DPI_ENCODED_GROUP] = {"group", "i", sizeof(int32_t), DP2DP_PART_GROUP},
    [DP2DPI_ENCODED_LEFT_OUT] = {"left_out", "c", sizeof(int8_t), DP2DP_PART_LEFT_OUT},
    [DP2DPI_ENCODED_FINDINGS] = {"findings", "c", sizeof(int8_t), DP2DP_PART_FINDINGS},
    [DP2DPI_ENCODED_OUTCOME] = {"outcome", "c", sizeof(int8_t), DP2DP_PART_FINDINGS},
    [DP2DPI_ENCODED_GROUP_WEIGHTS] = {"group_weights", "f", sizeof(float),
                                      DP2DPI_PART_GROUP_WEIGHTS},
    [DP2DPI_ENCODED_STRATUM_WEIGHTS] = {"stratum_weights", "f", sizeof(float),
                                        DP2DPI_PART_STRATUM_WEIGHTS},
};

size_t dp2dpi_encoded_each(const dp2dp_schema_info *info, dp2dpi_encoded_child child) {
    return child == DP2DPI_ENCODED_NUMBERS           ? info->numbers
           : child == DP2DPI_ENCODED_LEVELS          ? info->categories
           : child == DP2DPI_ENCODED_SCORES          ? info->class_count
           : child == DP2DPI_ENCODED_FINDINGS        ? info->column_count
           : child == DP2DPI_ENCODED_GROUP_WEIGHTS   ? info->group_count
           : child == DP2DPI_ENCODED_STRATUM_WEIGHTS ? info->group_count * info->class_count
                                                     : SIZE_MAX;
}

void dp2dpi_block_free(dp2dpi_block *block) {
    dp2dpi_rows_free(&block->rows);
    dp2dpi_free(block->positions);
    dp2dpi_free(block->labels);
    dp2dpi_free(block->groups);
    dp2dpi_free(block->scores);
    dp2dpi_free(block->left_out);
    dp2dpi_free(block->findings);
    dp2dpi_free(block->outcomes);
    dp2dpi_free(block->group_weights);
    dp2dpi_free(block->stratum_weights);
    memset(block, 0, sizeof *block);
}

static int is_in(unsigned parts, dp2dpi_encoded_child child) {
    unsigned part = dp2dpi_encoded_columns[child].part;
    return part == 0 || (parts & part);
}

static size_t count_children(unsigned parts) {
    size_t count = 0;
    for (dp2dpi_encoded_child c = 0; c < DP2DPI_ENCODED_CHILDREN; c++) {
        count += (size_t)is_in(parts, c);
    }
    return count;
}

/* Makes a column of plain values if `each` is SIZE_MAX, otherwise of lists of `each` values. */
static dp2dp_status make_child(size_t length, size_t each, void **values, struct ArrowArray *out,
                               dp2dp_error *error) {
    if (each == SIZE_MAX) {
        return dp2dpi_array_new(length, 0, values, out, error);
    }
    DP2DPI_TRY(dp2dpi_array_new(length, 1, NULL, out, error));
    return dp2dpi_array_new(length * each, 0, values, out->children[0], error);
}

dp2dp_status dp2dpi_block_publish(dp2dpi_block *block, unsigned parts,
                                  const dp2dp_schema_info *info, struct ArrowArray *out,
                                  dp2dp_error *error) {
    dp2dpi_rows *rows = &block->rows;
    dp2dp_status status = DP2DP_STATUS_OK;
    void *values[] = {
        block->positions, rows->x,         rows->codes,          rows->scale,
        block->scores,    block->labels,   block->groups,        block->left_out,
        block->findings,  block->outcomes, block->group_weights, block->stratum_weights};
    struct ArrowArray **child;
    DP2DPI_TRY(dp2dpi_array_new(rows->count, count_children(parts), NULL, out, error));
    child = out->children;
    for (dp2dpi_encoded_child c = 0; c < DP2DPI_ENCODED_CHILDREN; c++) {
        if (is_in(parts, c)) {
            DP2DPI_TRY_OR_DONE(
                make_child(rows->count, dp2dpi_encoded_each(info, c), &values[c], *child++, error));
        }
    }
done:
    block->positions = values[DP2DPI_ENCODED_ROW];
    rows->x = values[DP2DPI_ENCODED_NUMBERS];
    rows->codes = values[DP2DPI_ENCODED_LEVELS];
    rows->scale = values[DP2DPI_ENCODED_SCALE];
    block->scores = values[DP2DPI_ENCODED_SCORES];
    block->labels = values[DP2DPI_ENCODED_LABEL];
    block->groups = values[DP2DPI_ENCODED_GROUP];
    block->left_out = values[DP2DPI_ENCODED_LEFT_OUT];
    block->findings = values[DP2DPI_ENCODED_FINDINGS];
    block->outcomes = values[DP2DPI_ENCODED_OUTCOME];
    block->group_weights = values[DP2DPI_ENCODED_GROUP_WEIGHTS];
    block->stratum_weights = values[DP2DPI_ENCODED_STRATUM_WEIGHTS];
    if (status != DP2DP_STATUS_OK) {
        out->release(out);
    }
    return status;
}

static dp2dp_status describe_child(const dp2dp_schema_info *info, dp2dpi_encoded_child child,
                                   struct ArrowSchema *out, dp2dp_error *error) {
    const dp2dpi_encoded_column *column = &dp2dpi_encoded_columns[child];
    size_t each = dp2dpi_encoded_each(info, child);
    char list[DP2DPI_ENCODED_FORMAT_SIZE];
    if (each == SIZE_MAX) {
        return dp2dpi_type_new(column->name, column->format, 0, 0, out, error);
    }
    (void)snprintf(list, sizeof list, "+w:%zu", each);
    DP2DPI_TRY(dp2dpi_type_new(column->name, list, 0, 1, out, error));
    return dp2dpi_type_new("item", column->format, 0, 0, out->children[0], error);
}

dp2dp_status dp2dpi_block_describe(const dp2dp_schema_info *info, unsigned parts,
                                   struct ArrowSchema *out, dp2dp_error *error) {
    dp2dp_status status = DP2DP_STATUS_OK;
    struct ArrowSchema **child;
    memset(out, 0, sizeof *out);
    DP2DPI_TRY(dp2dpi_type_new("", "+s", 0, count_children(parts), out, error));
    child = out->children;
    for (dp2dpi_encoded_child c = 0; c < DP2DPI_ENCODED_CHILDREN; c++) {
        if (is_in(parts, c)) {
            DP2DPI_TRY_OR_DONE(describe_child(info, c, *child++, error));
        }
    }
done:
    if (status != DP2DP_STATUS_OK) {
        out->release(out);
    }
    return status;
}
