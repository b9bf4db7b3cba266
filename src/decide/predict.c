/* Applies the rule in float32, as the pool does, so that decisions agree with the counts of the
 * fit. Fast kernels process blocks of rows. If the kernels cannot process a block, or if a row of
 * the block may be invalid, decide() processes the block row by row. The kernels must agree with
 * decide(). */
#include <dp2dp/model.h>

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>

#include "base/column.h"
#include "base/options.h"
#include "base/parallel.h"
#include "decide/decide_combined.h"
#include "decide/group_lookup.h"
#include "decide/kernel.h"
#include "decide/model.h"
#include "decide/view.h"

enum {
    BLOCK = DP2DPI_COMBINED_ROWS, /* buffers of this many numbers fit into the first-level cache */
    /* Number of rows whose scores, read class by class, fit into the first-level cache. */
    BLOCK_BY_COLUMN = 128,
    ROWS_PER_TASK = 1 << 16
};

typedef struct job {
    dp2dpi_combined combined; /* the rows to decide for, and the rule */
    const dp2dp_model *model;
    const dp2dp_matrix *scores;
    const dp2dp_column *groups;
    dp2dp_predict_options options;
    int32_t *decisions; /* the class of each row; NULL if adjusted scores are wanted */
    float *adjusted;    /* the adjusted scores, rows × classes; NULL if decisions are wanted */
    atomic_size_t first_bad; /* number of the first bad row found so far; the number of rows if no
                                bad row was found */
} job;

/* Returns 0 if the model has no rule: all offsets are then 0, and j->groups is ignored. */
static int has_rule(const job *j) {
    return j->model->info.strata > 0;
}

static int is_combined(const job *j) {
    return j->model->info.rule != DP2DP_RULE_OFFSET;
}

static int sees_group(const job *j) {
    return has_rule(j) && j->model->info.rule != DP2DP_RULE_WEIGHTED;
}

static dp2dp_status check_arguments(const job *j, dp2dp_error *error) {
    if (j->model == NULL || (j->decisions == NULL && j->adjusted == NULL)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "model and out must not be NULL");
    }
    if (j->model->info.classes == 0) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "%s", dp2dpi_no_decisions);
    }
    if (j->options.unknown != DP2DP_UNKNOWN_REFUSE && j->options.unknown != DP2DP_UNKNOWN_BASE) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "unknown = %d: it must be DP2DP_UNKNOWN_REFUSE or DP2DP_UNKNOWN_BASE",
                           (int)j->options.unknown);
    }
    DP2DPI_TRY(sees_group(j) ? dp2dpi_view_check(j->scores, j->groups, error)
                             : dp2dpi_view_check_scores(j->scores, error));
    if (j->scores->columns != j->model->info.classes) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "scores have %zu columns but the model has %zu classes",
                           j->scores->columns, j->model->info.classes);
    }
    if (j->options.without_dither != 0 && j->options.without_dither != 1) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "without_dither = %d: it must be 0 or 1",
                           j->options.without_dither);
    }
    if (j->options.weights && j->options.weights->columns != j->model->info.weight_columns) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "weights have %zu columns but the model needs %zu",
                           j->options.weights->columns, j->model->info.weight_columns);
    }
    return DP2DP_STATUS_OK;
}

typedef enum outcome {
    ROW_DECIDED,
    ROW_GROUP_UNKNOWN,
    ROW_SCORES_REFUSED,
    ROW_WEIGHTS_REFUSED
} outcome;

/* Sets *group to the code of the row's group, or to the number of groups if the model does not know
 * the group. Returns 0 if the row must be refused. */
static int read_group(const job *j, size_t row, size_t *group) {
    size_t groups = j->model->info.groups;
    int32_t code = sees_group(j) ? dp2dpi_column_read(j->groups, row) : 0;
    int known = code >= 0 && (size_t)code < groups;
    *group = known ? (size_t)code : groups;
    return known || !sees_group(j) || j->options.unknown == DP2DP_UNKNOWN_BASE;
}

/* Decides for one row. The faster run_block must agree with this function. */
static outcome decide(const job *j, size_t row) {
    size_t group;
    if (!read_group(j, row, &group)) {
        return ROW_GROUP_UNKNOWN;
    }
    dp2dpi_record_fault fault = dp2dpi_record_check(&j->combined.records, row);
    if (fault != DP2DPI_RECORD_SOUND) {
        return fault == DP2DPI_RECORD_SCORES ? ROW_SCORES_REFUSED : ROW_WEIGHTS_REFUSED;
    }
    float *adjusted = j->adjusted ? j->adjusted + row * j->model->info.classes : NULL;
    int32_t winner = dp2dpi_combined_one(&j->combined, row, group, adjusted);
    if (j->decisions) {
        j->decisions[row] = winner;
    }
    return ROW_DECIDED;
}

/* Reads the codes of the groups of n rows. Returns 1 if all groups are known. If the
 * codes are adjacent bytes, reads and checks them in one pass. */
static int read_codes(const dp2dp_column *column, size_t first, size_t n, uint32_t known,
                      int32_t *groups) {
    if (column->type == DP2DP_INT8 && column->stride == 1) {
        return dp2dpi_kernel_widen((const int8_t *)column->data + first, n, known, groups);
    }
    dp2dpi_column_read_many(column, first, n, groups);
    return dp2dpi_kernel_known(groups, n, known);
}

/* Reads the codes of the groups of n rows. An unknown group gets the number of groups as its code;
 * all offsets for this code are 0. Returns 0 if an unknown group must be refused. */
static int read_groups(const job *j, size_t first, size_t n, int32_t *groups) {
    uint32_t known = (uint32_t)j->model->info.groups;
    if (!has_rule(j)) {
        memset(groups, 0, n * sizeof *groups);
        return 1;
    }
    if (read_codes(j->groups, first, n, known, groups)) {
        return 1;
    }
    for (size_t i = 0; i < n; i++) {
        groups[i] = (int32_t)((uint32_t)groups[i] < known ? (uint32_t)groups[i] : known);
    }
    return j->options.unknown == DP2DP_UNKNOWN_BASE;
}

/* Returns n scores of one class as float32. Returns a pointer to the caller's scores if these are
 * adjacent float32 numbers; otherwise copies the scores to `buffer`. Adds the scores to `sums`. */
static const float *read_scores(const dp2dp_matrix *scores, size_t first, size_t n, size_t column,
                                float *buffer, double *sums) {
    const char *at = (const char *)scores->data + (ptrdiff_t)first * scores->row_stride +
                     (ptrdiff_t)column * scores->column_stride;
    ptrdiff_t stride = scores->row_stride;
    if (scores->type == DP2DP_FLOAT64) {
#pragma GCC unroll 4
        for (size_t i = 0; i < n; i++) {
            double value;
            memcpy(&value, at + (ptrdiff_t)i * stride, sizeof value);
            buffer[i] = (float)value;
            sums[i] += value;
        }
        return buffer;
    }
    const float *values = buffer;
    if (stride == sizeof(float) && (uintptr_t)at % sizeof(float) == 0) {
        values = (const float *)(const void *)at;
    } else {
#pragma GCC unroll 4
        for (size_t i = 0; i < n; i++) {
            memcpy(&buffer[i], at + (ptrdiff_t)i * stride, sizeof *buffer);
        }
    }
    dp2dpi_kernel_add(values, n, sums);
    return values;
}

/* Processes up to BLOCK_BY_COLUMN rows of any layout, class by class. Returns 0 if a row must be
 * refused. */
static int run_columns(const job *j, size_t first, size_t n, const int32_t *strata) {
    float best[BLOCK_BY_COLUMN], offset[BLOCK_BY_COLUMN], buffer[BLOCK_BY_COLUMN];
    unsigned bits = j->model->info.grid_bits;
    double sums[BLOCK_BY_COLUMN] = {0};
    int32_t which[BLOCK_BY_COLUMN];
    size_t classes = j->model->info.classes;
    int sound = 1;
    for (size_t i = 0; i < n; i++) {
        best[i] = -INFINITY;
        which[i] = 0;
    }
    for (size_t k = 0; k < classes && sound; k++) {
        const float *column = read_scores(j->scores, first, n, k, buffer, sums);
#pragma GCC unroll 4
        for (size_t i = 0; i < n; i++) {
            offset[i] = j->model->offsets_single[(size_t)strata[i] * classes + k];
        }
        if (bits > 0) {
            sound = dp2dpi_kernel_round(column, n, bits, buffer);
            column = buffer;
        }
        sound = dp2dpi_kernel_fold(column, offset, n, (int32_t)k, best, which) && sound;
        for (size_t i = 0; i < n && j->adjusted; i++) {
            j->adjusted[(first + i) * classes + k] = column[i] - offset[i];
        }
    }
    if (j->decisions) {
        memcpy(j->decisions + first, which, n * sizeof *which);
    }
    double tolerance = dp2dpi_view_tolerance(j->scores) + dp2dpi_grid_tolerance(classes, bits);
    return sound && dp2dpi_kernel_are_one(sums, n, tolerance);
}

/* Decides for a block by a rule that multiplies weights by offsets. Returns 0 if the block must be
 * processed row by row. */
static int run_combined(const job *j, size_t first, size_t n) {
    int32_t groups[BLOCK];
    return j->decisions != NULL && (!sees_group(j) || read_groups(j, first, n, groups)) &&
           dp2dpi_combined_block(&j->combined, first, n, groups, j->decisions + first);
}

/* Decides for a block with fast kernels. Returns 0 if the block must be processed row by row. */
static int run_block(const job *j, size_t first, size_t n) {
    const dp2dp_model_info *info = &j->model->info;
    int32_t strata[BLOCK];
    if (is_combined(j)) {
        return info->grid_bits == 0 && run_combined(j, first, n);
    }
    if (info->row_sums == DP2DP_ROW_SUMS_NORMALIZE || j->combined.records.dither.width > 0.0 ||
        !read_groups(j, first, n, strata)) {
        return 0;
    }
    if (info->grid_bits > 0 || info->classes > DP2DPI_KERNEL_CLASSES ||
        !dp2dpi_view_is_plain(j->scores)) {
        int sound = 1;
        for (size_t i = 0; i < n && sound; i += BLOCK_BY_COLUMN) {
            size_t rows = n - i < BLOCK_BY_COLUMN ? n - i : BLOCK_BY_COLUMN;
            sound = run_columns(j, first + i, rows, strata + i);
        }
        return sound;
    }
    size_t stride = (size_t)j->scores->row_stride / sizeof(float);
    const float *rows = (const float *)j->scores->data + first * stride;
    const float *offsets = j->model->offsets_single;
    if (j->adjusted) {
        return dp2dpi_kernel_adjust(rows, stride, n, info->classes, offsets, strata,
                                    j->adjusted + first * info->classes);
    }
    size_t done = j->combined.tabulated && info->classes > 2
                      ? dp2dpi_group_lookup_offset(
                            &(dp2dpi_plain_rows) {rows, stride, j->scores->rows - first}, n,
                            info->classes, j->combined.tables, strata, j->decisions + first)
                      : 0;
    return dp2dpi_kernel_decide(rows + done * stride, stride, n - done, info->classes, offsets,
                                strata + done, j->decisions + first + done);
}

static void note_bad(job *j, size_t row) {
    size_t lowest = atomic_load(&j->first_bad);
    while (row < lowest && !atomic_compare_exchange_weak(&j->first_bad, &lowest, row)) {
    }
}

/* Decides for the rows of one task. Stops at the first bad row. Also stops once another task has
 * found a bad row with a lower number. So the tasks together always find the bad row with the
 * lowest number. */
static void run_task(void *context, size_t task) {
    job *j = context;
    size_t first = task * ROWS_PER_TASK, last = first + ROWS_PER_TASK;
    last = last < j->scores->rows ? last : j->scores->rows;
    for (; first < last && first < atomic_load(&j->first_bad); first += BLOCK) {
        size_t end = last - first < BLOCK ? last : first + BLOCK;
        size_t row = run_block(j, first, end - first) ? end : first;
        while (row < end && decide(j, row) == ROW_DECIDED) {
            row++;
        }
        if (row < end) {
            note_bad(j, row);
            return;
        }
    }
}

static void describe(job *j) {
    const dp2dp_model_info *info = &j->model->info;
    j->combined = (dp2dpi_combined) {
        .records = {.rule = info->rule,
                    .strata = info->strata,
                    .labels = info->labels,
                    .classes = info->classes,
                    .row_sums = info->row_sums,
                    .grid_bits = info->grid_bits,
                    .dither = j->options.without_dither ? (dp2dp_dither) {0} : info->dither,
                    .dither_key = info->dither_key,
                    .scores = j->scores,
                    .weights = j->options.weights,
                    .ids = j->options.ids,
                    .first_row = j->options.first_row},
        .offsets = j->model->offsets_single};
}

static dp2dp_status run(const dp2dp_predict_options *options, job *j, dp2dp_error *error) {
    if (options) {
        DP2DPI_TRY(dp2dpi_struct_read(DP2DP_STRUCT_PREDICT_OPTIONS, options, &j->options, error));
    } else {
        j->options = DP2DP_PREDICT_OPTIONS_INIT;
    }
    DP2DPI_TRY(check_arguments(j, error));
    describe(j);
    DP2DPI_TRY(dp2dpi_records_check(&j->combined.records, error));
    dp2dpi_combined_prepare(&j->combined);
    size_t rows = j->scores->rows;
    unsigned threads = rows <= ROWS_PER_TASK ? 1 : j->options.threads;
    atomic_init(&j->first_bad, rows);
    dp2dpi_parallel((rows + ROWS_PER_TASK - 1) / ROWS_PER_TASK, threads, run_task, j);
    size_t bad = atomic_load(&j->first_bad);
    if (bad == rows) {
        return DP2DP_STATUS_OK;
    }
    uint64_t number = j->options.first_row + bad + 1;
    outcome found = decide(j, bad);
    if (found == ROW_SCORES_REFUSED || found == ROW_WEIGHTS_REFUSED) {
        return dp2dpi_record_refuse(
            &j->combined.records, bad,
            found == ROW_SCORES_REFUSED ? DP2DPI_RECORD_SCORES : DP2DPI_RECORD_WEIGHTS, error);
    }
    return dp2dpi_fail_at(error, DP2DP_STATUS_DATA,
                          &(dp2dpi_place) {.reason = DP2DP_REASON_UNKNOWN_GROUP, .row = number},
                          "row %" PRIu64 ": the group is not one of the model's groups", number);
}

dp2dp_status dp2dp_model_predict(const dp2dp_model *model, const dp2dp_matrix *scores,
                                 const dp2dp_column *groups, const dp2dp_predict_options *options,
                                 int32_t *out, dp2dp_error *error) {
    job j = {.model = model, .scores = scores, .groups = groups, .decisions = out};
    return run(options, &j, error);
}

dp2dp_status dp2dp_model_adjust(const dp2dp_model *model, const dp2dp_matrix *scores,
                                const dp2dp_column *groups, const dp2dp_predict_options *options,
                                float *out, dp2dp_error *error) {
    job j = {.model = model, .scores = scores, .groups = groups, .adjusted = out};
    return run(options, &j, error);
}
