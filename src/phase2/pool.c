#include "phase2/pool.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/column.h"
#include "base/options.h"
#include "base/source.h"
#include "phase2/kernel.h"
#include "phase2/model.h"
#include "phase2/view.h"

enum {
    ROWS_PER_TASK = 1 << 16,
    BLOCK = 1024,
    LEFT_OUT = -1 /* stratum code of a record that is left out */
};

typedef enum fault {
    FAULT_NONE,
    FAULT_EVENT,
    FAULT_SCORES,
    FAULT_CHANGED
} fault;

/* The first row of one task that is refused: the fault and its place, never the value. */
typedef struct finding {
    fault what;
    size_t row;
} finding;

typedef struct build {
    const dp2dp_matrix *scores;
    const dp2dp_column *strata;
    const dp2dp_pool_options *options;
    dp2dp_pool *pool;
    size_t tasks;
    size_t *places;    /* tasks × strata: first the counts, later where each task writes next */
    finding *findings; /* one per task */
} build;

/* Returns 1 if every row of scores is K adjacent floats that are used unchanged: neither normalised
 * nor dithered. */
static int is_plain(const build *b) {
    return b->options->row_sums == DP2DP_ROW_SUMS_CHECK && b->options->dither.width == 0.0 &&
           dp2dpi_view_is_plain(b->scores);
}

static size_t plain_stride(const build *b) {
    return (size_t)b->scores->row_stride / sizeof(float);
}

/* Counts a block of plain rows and returns 1 if all of them are valid. Otherwise counts nothing and
 * returns 0. */
static int count_plain(const build *b, size_t first, size_t n, size_t *counts) {
    int32_t codes[BLOCK];
    const float *rows = (const float *)b->scores->data + first * plain_stride(b);
    dp2dpi_column_read_many(b->strata, first, n, codes);
    if (!dp2dpi_kernel_known(codes, n, (uint32_t)b->options->strata) ||
        !dp2dpi_kernel_sums(rows, plain_stride(b), n, b->scores->columns,
                            DP2DPI_VIEW_TOLERANCE_SINGLE)) {
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        counts[codes[i]]++;
    }
    return 1;
}

/* Returns what is wrong with a row; 0 if nothing is. */
static fault check_row(const build *b, size_t row) {
    int32_t code = dp2dpi_column_read(b->strata, row);
    double sum;
    size_t ignored;
    if (code < 0 || (size_t)code >= b->options->strata) {
        return FAULT_EVENT;
    }
    return dp2dpi_view_row(b->scores, row, b->options->row_sums, &sum, &ignored) == DP2DPI_ROW_SOUND
               ? FAULT_NONE
               : FAULT_SCORES;
}

static int is_left_out(const build *b, size_t row) {
    return b->options->bad_rows == DP2DP_BAD_ROWS_IGNORE
               ? check_row(b, row) != FAULT_NONE
               : b->options->leaves_out && dp2dpi_column_read(b->strata, row) == LEFT_OUT;
}

/* Counts row by row. At the first bad row, stores it in *found and returns 0. */
static int count_any(const build *b, size_t first, size_t n, size_t *counts, finding *found) {
    for (size_t row = first; row < first + n; row++) {
        if (is_left_out(b, row)) {
            continue;
        }
        *found = (finding) {check_row(b, row), row};
        if (found->what != FAULT_NONE) {
            return 0;
        }
        counts[dp2dpi_column_read(b->strata, row)]++;
    }
    return 1;
}

/* If bad rows are ignored, one function decides about every row, here and when rows are copied:
 * whether a row is left out must depend on that row alone, not on others of its block. */
static void count_rows(void *context, size_t task) {
    build *b = context;
    size_t first = task * ROWS_PER_TASK, last = first + ROWS_PER_TASK;
    size_t *counts = b->places + task * b->options->strata;
    int plain = is_plain(b) && b->options->bad_rows == DP2DP_BAD_ROWS_REFUSE;
    last = last < b->scores->rows ? last : b->scores->rows;
    for (; first < last; first += BLOCK) {
        size_t n = last - first < BLOCK ? last - first : BLOCK;
        if (!(plain && count_plain(b, first, n, counts)) &&
            !count_any(b, first, n, counts, &b->findings[task])) {
            return;
        }
    }
}

/* Returns the place in the pool for a row and advances the next place of its stratum; *apart is the
 * distance between classes. Returns NULL if there are more rows than were counted, because another
 * thread changed the strata meanwhile. */
static float *place_row(const build *b, size_t row, size_t *place, size_t *apart) {
    const dp2dp_pool *pool = b->pool;
    int32_t code = dp2dpi_column_read(b->strata, row);
    if (code < 0 || (size_t)code >= pool->strata) {
        return NULL;
    }
    size_t stratum = (size_t)code, begin = pool->begin[stratum];
    *apart = pool->begin[stratum + 1] - begin;
    if (place[stratum] >= *apart) {
        return NULL;
    }
    return pool->values + begin * pool->classes + place[stratum]++;
}

static fault copy_plain(const build *b, size_t first, size_t last, size_t *place) {
    size_t classes = b->pool->classes, stride = plain_stride(b), size;
    const float *from = (const float *)b->scores->data + first * stride;
    for (size_t row = first; row < last; row++, from += stride) {
        if (is_left_out(b, row)) {
            continue;
        }
        float *to = place_row(b, row, place, &size);
        if (to == NULL) {
            return FAULT_CHANGED;
        }
        for (size_t k = 0; k < classes; k++) {
            to[k * size] = from[k];
        }
    }
    return FAULT_NONE;
}

static fault copy_any(const build *b, size_t first, size_t last, size_t *place) {
    int dithered = b->options->dither.width > 0.0;
    for (size_t row = first; row < last; row++) {
        double sum = 1.0;
        size_t ignored, size;
        if (is_left_out(b, row)) {
            continue;
        }
        float *to = place_row(b, row, place, &size);
        if (to == NULL) {
            return FAULT_CHANGED;
        }
        if (b->options->row_sums == DP2DP_ROW_SUMS_NORMALIZE) {
            (void)dp2dpi_view_row(b->scores, row, DP2DP_ROW_SUMS_NORMALIZE, &sum, &ignored);
        }
        for (size_t k = 0; k < b->pool->classes; k++) {
            float value = (float)(dp2dpi_view_score(b->scores, row, k) / sum);
            if (dithered) {
                value += dp2dpi_dither_draw(&b->options->dither, row, k);
            }
            to[k * size] = value;
        }
    }
    return FAULT_NONE;
}

static void copy_rows(void *context, size_t task) {
    build *b = context;
    size_t first = task * ROWS_PER_TASK, last = first + ROWS_PER_TASK;
    size_t *place = b->places + task * b->pool->strata;
    last = last < b->scores->rows ? last : b->scores->rows;
    b->findings[task].what =
        is_plain(b) ? copy_plain(b, first, last, place) : copy_any(b, first, last, place);
}

static dp2dp_status refuse(const build *b, const finding *f, dp2dp_error *error) {
    uint64_t number = (uint64_t)f->row + 1;
    switch (f->what) {
    case FAULT_EVENT:
        return dp2dpi_fail_at(error, DP2DP_STATUS_DATA,
                              &(dp2dpi_place) {.reason = DP2DP_REASON_UNKNOWN_GROUP, .row = number},
                              "row %" PRIu64 ": the group is not one of the declared groups",
                              number);
    case FAULT_SCORES:
        return dp2dpi_view_refuse(b->scores, f->row, number, b->options->row_sums, error);
    case FAULT_CHANGED:
    case FAULT_NONE:
        break;
    }
    return dp2dpi_fail(error, DP2DP_STATUS_DATA, "the groups were changed while they were read");
}

static dp2dp_status report(const build *b, dp2dp_error *error) {
    for (size_t task = 0; task < b->tasks; task++) {
        if (b->findings[task].what != FAULT_NONE) {
            return refuse(b, &b->findings[task], error);
        }
    }
    return DP2DP_STATUS_OK;
}

/* Turns the counts of each task into places: within a stratum, the rows of task 0 come before those
 * of task 1. */
static void lay_out(build *b) {
    dp2dp_pool *pool = b->pool;
    size_t begin = 0;
    for (size_t stratum = 0; stratum < pool->strata; stratum++) {
        size_t size = 0;
        for (size_t task = 0; task < b->tasks; task++) {
            size_t *place = &b->places[task * pool->strata + stratum], count = *place;
            *place = size;
            size += count;
        }
        pool->begin[stratum] = begin;
        begin += size;
    }
    pool->begin[pool->strata] = begin;
}

static dp2dp_status check_arguments(const dp2dp_matrix *scores, const dp2dp_column *strata,
                                    const dp2dp_pool_options *options, dp2dp_error *error) {
    if (options->row_sums != DP2DP_ROW_SUMS_CHECK &&
        options->row_sums != DP2DP_ROW_SUMS_NORMALIZE) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "row_sums = %d: it must be check or normalize", (int)options->row_sums);
    }
    if (options->leaves_out != 0 && options->leaves_out != 1) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "leaves_out = %d: it must be 0 or 1",
                           options->leaves_out);
    }
    if (options->bad_rows != DP2DP_BAD_ROWS_REFUSE && options->bad_rows != DP2DP_BAD_ROWS_IGNORE) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "bad_rows = %d: it must be refuse or ignore", (int)options->bad_rows);
    }
    if (!dp2dpi_dither_is_sound(&options->dither)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "dither = %g: it must be from 0 to 1",
                           options->dither.width);
    }
    DP2DPI_TRY(dp2dpi_view_check(scores, strata, error));
    if (scores->rows < 2) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "rows = %zu: there must be at least 2",
                           scores->rows);
    }
    return dp2dpi_sizes_check(options->strata, scores->columns, error);
}

static dp2dp_status fill(build *b, dp2dp_error *error) {
    dp2dp_pool *pool = b->pool;
    dp2dpi_parallel(b->tasks, pool->threads, count_rows, b);
    DP2DPI_TRY(report(b, error));
    DP2DPI_TRY(dp2dpi_alloc_into("the pool", pool->records, pool->classes * sizeof(float),
                                 &pool->values, error));
    lay_out(b);
    dp2dpi_parallel(b->tasks, pool->threads, copy_rows, b);
    return report(b, error);
}

dp2dp_status dp2dp_pool_new(const dp2dp_matrix *scores, const dp2dp_column *strata,
                            const dp2dp_pool_options *given, dp2dp_pool **out, dp2dp_error *error) {
    if (out == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "out must not be NULL");
    }
    *out = NULL;
    dp2dp_pool_options options;
    DP2DPI_TRY(dp2dpi_struct_read(DP2DP_STRUCT_POOL_OPTIONS, given, &options, error));
    DP2DPI_TRY(check_arguments(scores, strata, &options, error));
    static const char what[] = "a pool";
    dp2dp_status status = DP2DP_STATUS_OK;
    build b = {.scores = scores, .strata = strata, .options = &options};
    b.tasks = (scores->rows + ROWS_PER_TASK - 1) / ROWS_PER_TASK;
    DP2DPI_TRY(DP2DPI_ALLOC(b.pool, 1, what, error));
    dp2dp_pool *pool = b.pool;
    *pool =
        (dp2dp_pool) {.counted = &dp2dpi_pool_counted,
                      .records = scores->rows,
                      .strata = options.strata,
                      .classes = scores->columns,
                      .leaves_out = options.leaves_out || options.bad_rows == DP2DP_BAD_ROWS_IGNORE,
                      .row_sums = options.row_sums,
                      .dither = options.dither,
                      .threads = options.threads};
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(pool->begin, pool->strata + 1, what, error));
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(b.places, b.tasks * pool->strata, what, error));
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(b.findings, b.tasks, what, error));
    DP2DPI_TRY_OR_DONE(fill(&b, error));
    *out = pool;
    pool = NULL;
done:
    dp2dpi_free(b.places);
    dp2dpi_free(b.findings);
    dp2dp_pool_free(pool);
    return status;
}

static size_t tasks_of_stratum(const dp2dp_pool *pool, size_t stratum) {
    size_t size = pool->begin[stratum + 1] - pool->begin[stratum];
    return (size + ROWS_PER_TASK - 1) / ROWS_PER_TASK;
}

void dp2dpi_pool_parallel(const dp2dp_pool *pool, dp2dpi_task task, void *context) {
    size_t tasks = 0;
    for (size_t stratum = 0; stratum < pool->strata; stratum++) {
        tasks += tasks_of_stratum(pool, stratum);
    }
    unsigned threads =
        pool->records < ROWS_PER_TASK ? 1 : pool->threads; /* too few records for threads */
    dp2dpi_parallel(tasks, threads, task, context);
}

dp2dpi_pool_slice dp2dpi_pool_slice_of(const dp2dp_pool *pool, size_t task) {
    size_t stratum = 0;
    for (size_t tasks; task >= (tasks = tasks_of_stratum(pool, stratum));) {
        task -= tasks;
        stratum++;
    }
    size_t size = pool->begin[stratum + 1] - pool->begin[stratum], first = task * ROWS_PER_TASK;
    size_t last = size - first < ROWS_PER_TASK ? size : first + ROWS_PER_TASK;
    return (dp2dpi_pool_slice) {stratum, size, first, last};
}

void dp2dp_pool_free(dp2dp_pool *pool) {
    if (pool) {
        dp2dpi_wipe_and_free(pool->values, pool->records * pool->classes * sizeof(float));
        dp2dpi_free(pool->begin);
        dp2dpi_free(pool);
    }
}
