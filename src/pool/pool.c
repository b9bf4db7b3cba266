#include "pool/pool.h"

#include <inttypes.h>
#include <math.h>

#include "base/alloc.h"
#include "base/column.h"
#include "base/options.h"
#include "base/source.h"
#include "decide/kernel.h"
#include "decide/model.h"
#include "decide/record.h"
#include "decide/view.h"
#include "pool/expand.h"

enum {
    ROWS_PER_TASK = 1 << 16,
    BLOCK = 1024,
    LEFT_OUT = -1 /* the stratum code (group, or group and label) that the caller gives to a record
                     that is left out */
};

typedef enum fault {
    FAULT_NONE,
    FAULT_EVENT,
    FAULT_SCORES,
    FAULT_WEIGHTS,
    FAULT_CHANGED
} fault;

/* The first row that a task refuses. Stores what is wrong and in which row, never a value. */
typedef struct finding {
    fault what;
    size_t row;
} finding;

typedef struct build {
    const dp2dp_matrix *scores;
    const dp2dp_column *strata; /* NULL if all records are in one bin */
    const dp2dp_pool_options *options;
    dp2dpi_records records;
    dp2dp_pool *pool;
    size_t tasks;
    /* Tasks × bins: first the number of rows that a task found for a bin, later the position in the
     * bin where the task writes its next row. */
    size_t *places;
    finding *findings;
} build;

/* Returns 1 if the rows of scores can be copied unchanged: the scores of a row are adjacent floats,
 * the options do not normalise, round or dither scores, and each row is one record without weights.
 */
static int is_plain(const build *b) {
    return b->options->row_sums == DP2DP_ROW_SUMS_CHECK && b->options->dither.width == 0.0 &&
           b->options->grid_bits == 0 && !b->options->multiplicity && b->strata &&
           !b->options->weights && b->options->counted == DP2DP_COUNTED_LABELS &&
           dp2dpi_view_is_plain(b->scores);
}

static int32_t bin_of(const build *b, size_t row) {
    return b->strata ? dp2dpi_column_read(b->strata, row) : 0;
}

static size_t plain_stride(const build *b) {
    return (size_t)b->scores->row_stride / sizeof(float);
}

/* Counts a block of plain rows (is_plain) and returns 1. If a row of the block is invalid, counts
 * nothing and returns 0. */
static int count_plain(const build *b, size_t first, size_t n, size_t *counts) {
    int32_t codes[BLOCK];
    const float *rows = (const float *)b->scores->data + first * plain_stride(b);
    dp2dpi_column_read_many(b->strata, first, n, codes);
    if (!dp2dpi_kernel_known(codes, n, (uint32_t)b->pool->bins) ||
        !dp2dpi_kernel_sums(rows, plain_stride(b), n, b->scores->columns,
                            DP2DPI_VIEW_TOLERANCE_SINGLE)) {
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        counts[codes[i]]++;
    }
    return 1;
}

static fault check_row(const build *b, size_t row) {
    int32_t code = bin_of(b, row);
    if (code < 0 || (size_t)code >= b->pool->bins) {
        return FAULT_EVENT;
    }
    switch (dp2dpi_record_check(&b->records, row)) {
    case DP2DPI_RECORD_SCORES:
        return FAULT_SCORES;
    case DP2DPI_RECORD_WEIGHTS:
        return FAULT_WEIGHTS;
    case DP2DPI_RECORD_SOUND:
    default:
        return FAULT_NONE;
    }
}

static int is_left_out(const build *b, size_t row) {
    return b->options->bad_rows == DP2DP_BAD_ROWS_IGNORE
               ? check_row(b, row) != FAULT_NONE
               : b->options->leaves_out && bin_of(b, row) == LEFT_OUT;
}

/* Counts row by row and returns 1. If a row is bad, stores it in *found and returns 0. */
static int count_any(const build *b, size_t first, size_t n, size_t *counts, finding *found) {
    for (size_t row = first; row < first + n; row++) {
        if (is_left_out(b, row)) {
            continue;
        }
        *found = (finding) {check_row(b, row), row};
        if (found->what != FAULT_NONE) {
            return 0;
        }
        counts[bin_of(b, row)]++;
    }
    return 1;
}

/* Counts the rows of one task in each bin. If bad rows are ignored, uses only count_any, which
 * leaves out the same rows as copy_rows. With count_plain, which checks a block of rows at once,
 * whether a row is counted could depend on other rows of the block. */
static void count_rows(void *context, size_t task) {
    build *b = context;
    size_t first = task * ROWS_PER_TASK, last = first + ROWS_PER_TASK;
    size_t *counts = b->places + task * b->pool->bins;
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

/* The place of a row: record number `at`, counted from 0, of a bin that has `size` records and
 * starts at `begin`. */
typedef struct spot {
    size_t begin, size, at;
} spot;

/* Finds the place of a row in the pool and advances place[bin], the next free place of the row's
 * bin. Returns 0 if the stratum of the row is invalid or the bin is full. Both can happen only if
 * another thread has changed the strata meanwhile. */
static int place_row(const build *b, size_t row, size_t *place, spot *out) {
    const dp2dp_pool *pool = b->pool;
    int32_t code = bin_of(b, row);
    if (code < 0 || (size_t)code >= pool->bins) {
        return 0;
    }
    size_t bin = (size_t)code, begin = pool->begin[bin], size = pool->begin[bin + 1] - begin;
    if (place[bin] >= size) {
        return 0;
    }
    *out = (spot) {begin, size, place[bin]++};
    return 1;
}

static fault copy_plain(const build *b, size_t first, size_t last, size_t *place) {
    size_t classes = b->pool->classes, stride = plain_stride(b);
    const float *from = (const float *)b->scores->data + first * stride;
    for (size_t row = first; row < last; row++, from += stride) {
        if (is_left_out(b, row)) {
            continue;
        }
        spot s;
        if (!place_row(b, row, place, &s)) {
            return FAULT_CHANGED;
        }
        float *to = b->pool->values + s.begin * classes + s.at;
        for (size_t k = 0; k < classes; k++) {
            to[k * s.size] = from[k];
        }
    }
    return FAULT_NONE;
}

/* Writes the shares of a record: its weights divided by their sum. Rounds each share down to a
 * multiple of 2^-DP2DPI_POOL_UNIT_BITS. The shares sum to at most 1, whatever the weights are. So
 * one record adds at most 1 to a table of counts, as the sensitivity of the counts assumes. */
static void share_out(const dp2dp_pool *pool, size_t apart, const float *weights, int32_t *shares) {
    double sum = 0.0;
    for (size_t j = 0; j < pool->parts; j++) {
        sum += (double)weights[j * apart];
    }
    int32_t left = 1 << DP2DPI_POOL_UNIT_BITS;
    for (size_t j = 0; j < pool->parts; j++) {
        double units = floor((double)weights[j * apart] / sum * (1 << DP2DPI_POOL_UNIT_BITS));
        int32_t share = units >= 0.0 && units <= (double)left ? (int32_t)units : 0;
        shares[j * apart] = share;
        left -= share;
    }
}

static fault copy_any(const build *b, size_t first, size_t last, size_t *place) {
    const dp2dp_pool *pool = b->pool;
    for (size_t row = first; row < last; row++) {
        spot s;
        if (is_left_out(b, row)) {
            continue;
        }
        if (!place_row(b, row, place, &s)) {
            return FAULT_CHANGED;
        }
        if (pool->multiplicity) {
            pool->multiplicity[s.begin + s.at] = b->options->multiplicity[row];
        }
        float *scores = pool->values + s.begin * pool->classes + s.at;
        float *weights = pool->weights ? pool->weights + s.begin * pool->parts + s.at : NULL;
        dp2dpi_record_read(&b->records, row, s.size, scores, weights);
        if (pool->shares && weights) {
            share_out(pool, s.size, weights, pool->shares + s.begin * pool->parts + s.at);
        }
    }
    return FAULT_NONE;
}

static void copy_rows(void *context, size_t task) {
    build *b = context;
    size_t first = task * ROWS_PER_TASK, last = first + ROWS_PER_TASK;
    size_t *place = b->places + task * b->pool->bins;
    last = last < b->scores->rows ? last : b->scores->rows;
    b->findings[task].what =
        is_plain(b) ? copy_plain(b, first, last, place) : copy_any(b, first, last, place);
}

static dp2dp_status refuse_code(int32_t code, uint64_t number, dp2dp_error *error) {
    dp2dpi_place place = {.reason = DP2DP_REASON_UNKNOWN_GROUP, .row = number};
    const char *what = "the group is not one of the declared groups";
    if (code == DP2DPI_POOL_UNKNOWN_LABEL) {
        place.reason = DP2DP_REASON_UNKNOWN_LABEL;
        what = "the label is not one of the classes";
    } else if (code == DP2DPI_POOL_NO_ID) {
        place.reason = DP2DP_REASON_VALUE_MISSING;
        what = "the id is missing or empty";
    }
    return dp2dpi_fail_at(error, DP2DP_STATUS_DATA, &place, "row %" PRIu64 ": %s", number, what);
}

static dp2dp_status refuse(const build *b, const finding *f, dp2dp_error *error) {
    switch (f->what) {
    case FAULT_EVENT:
        return refuse_code(bin_of(b, f->row), b->records.first_row + f->row + 1, error);
    case FAULT_SCORES:
        return dp2dpi_record_refuse(&b->records, f->row, DP2DPI_RECORD_SCORES, error);
    case FAULT_WEIGHTS:
        return dp2dpi_record_refuse(&b->records, f->row, DP2DPI_RECORD_WEIGHTS, error);
    case FAULT_CHANGED:
    case FAULT_NONE:
        break;
    }
    return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                       "the group codes or multiplicities changed while they were being read");
}

static dp2dp_status report(const build *b, dp2dp_error *error) {
    for (size_t task = 0; task < b->tasks; task++) {
        if (b->findings[task].what != FAULT_NONE) {
            return refuse(b, &b->findings[task], error);
        }
    }
    return DP2DP_STATUS_OK;
}

/* Turns the counts in b->places into the positions where the tasks start to write. Within a bin,
 * the rows of a task come after the rows of all earlier tasks. */
static void lay_out(build *b) {
    dp2dp_pool *pool = b->pool;
    size_t begin = 0;
    for (size_t bin = 0; bin < pool->bins; bin++) {
        size_t size = 0;
        for (size_t task = 0; task < b->tasks; task++) {
            size_t *place = &b->places[task * pool->bins + bin], count = *place;
            *place = size;
            size += count;
        }
        pool->begin[bin] = begin;
        begin += size;
    }
    pool->begin[pool->bins] = begin;
}

static dp2dp_status check_labels(const dp2dp_matrix *scores, const dp2dp_pool_options *options,
                                 dp2dp_error *error) {
    size_t labels = options->labels;
    if (labels > 1 && (labels != scores->columns || options->strata % labels != 0)) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "labels = %zu: it must be %zu, the number of classes; and strata must be a multiple of "
            "labels",
            labels, scores->columns);
    }
    if (dp2dp_counted_name(options->counted) == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "counted = %d: it must be DP2DP_COUNTED_LABELS or DP2DP_COUNTED_SCORES",
                           (int)options->counted);
    }
    if (options->counted == DP2DP_COUNTED_SCORES && labels <= 1 && !options->weights) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "counted = SCORES needs labels or weights: give at least one of these, or "
            "leave counted at LABELS, which counts each record under its group");
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status check_arguments(const dp2dp_matrix *scores, const dp2dp_column *strata,
                                    const dp2dp_pool_options *options, dp2dp_error *error) {
    int grouped = strata || options->counted == DP2DP_COUNTED_LABELS || !options->weights;
    if (options->row_sums != DP2DP_ROW_SUMS_CHECK &&
        options->row_sums != DP2DP_ROW_SUMS_NORMALIZE) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "row_sums = %d: it must be DP2DP_ROW_SUMS_CHECK or DP2DP_ROW_SUMS_NORMALIZE",
            (int)options->row_sums);
    }
    if (options->leaves_out != 0 && options->leaves_out != 1) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "leaves_out = %d: it must be 0 or 1",
                           options->leaves_out);
    }
    if (options->bad_rows != DP2DP_BAD_ROWS_REFUSE && options->bad_rows != DP2DP_BAD_ROWS_IGNORE) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "bad_rows = %d: it must be DP2DP_BAD_ROWS_REFUSE or DP2DP_BAD_ROWS_IGNORE",
            (int)options->bad_rows);
    }
    if (options->grid_bits > DP2DPI_GRID_BITS_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "grid_bits = %u: it must be from 0 to %d",
                           options->grid_bits, (int)DP2DPI_GRID_BITS_MAX);
    }
    if (!dp2dpi_dither_is_sound(&options->dither)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "dither = %g: it must be from 0 to 1",
                           options->dither.width);
    }
    if (options->multiplicity && options->dither.width > 0.0) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "multiplicity cannot be used with a dither: the records that a row "
                           "stands for would need different random numbers. Give each record its "
                           "own row, or set the dither to 0");
    }
    DP2DPI_TRY(grouped ? dp2dpi_view_check(scores, strata, error)
                       : dp2dpi_view_check_scores(scores, error));
    DP2DPI_TRY(dp2dpi_sizes_check(options->strata, scores->columns, error));
    return check_labels(scores, options, error);
}

/* Sets pool->records, and fails if there are too many records. The counts of a table must stay
 * below 2^62. If options->counted is SCORES, one record adds 2^DP2DPI_POOL_UNIT_BITS units, so
 * fewer records are allowed. */
static dp2dp_status count_records(const dp2dp_pool_options *options,
                                  const dp2dpi_pool_before *before, dp2dp_pool *pool,
                                  dp2dp_error *error) {
    uint64_t most = DP2DPI_RECORDS_MAX;
    if (options->counted == DP2DP_COUNTED_SCORES) {
        most = (UINT64_C(1) << (62 - DP2DPI_POOL_UNIT_BITS)) - 1;
    }
    return dp2dpi_count_records(options->multiplicity, pool->rows, most, options->bad_rows, before,
                                &pool->records, error);
}

static size_t weights_of(const dp2dp_pool *pool) {
    return pool->rows * pool->parts;
}

/* The weights of the rule `linear` are the scores without dither. Such weights need memory of their
 * own only if the scores have a dither, or if shares are computed from the weights. */
dp2dp_status dp2dpi_pool_take_memory(dp2dp_pool *pool, dp2dp_error *error) {
    static const char what[] = "the pool";
    int apart = pool->parts > 0 && (pool->rule == DP2DP_RULE_WEIGHTED || pool->dither.width > 0.0 ||
                                    pool->counted == DP2DP_COUNTED_SCORES);
    DP2DPI_TRY(
        dp2dpi_alloc_raw(what, pool->rows, pool->classes * sizeof(float), &pool->values, error));
    if (apart) {
        DP2DPI_TRY(
            dp2dpi_alloc_raw(what, pool->rows, pool->parts * sizeof(float), &pool->weights, error));
    }
    return pool->counted == DP2DP_COUNTED_SCORES
               ? dp2dpi_alloc_raw(what, pool->rows, pool->parts * sizeof(int32_t), &pool->shares,
                                  error)
               : DP2DP_STATUS_OK;
}

/* Counts the records that the stored rows stand for and returns 1. Returns 0 if they are more than
 * pool->records, which happens only if another thread has changed the multiplicities meanwhile. */
static int count_kept(dp2dp_pool *pool) {
    size_t rows = pool->begin[pool->bins];
    pool->kept = pool->multiplicity ? 0 : rows;
    for (size_t i = 0; i < rows && pool->multiplicity; i++) {
        if (pool->multiplicity[i] > pool->records - pool->kept) {
            return 0;
        }
        pool->kept += (size_t)pool->multiplicity[i];
    }
    return pool->kept <= pool->records;
}

static dp2dp_status fill(build *b, dp2dp_error *error) {
    dp2dp_pool *pool = b->pool;
    dp2dpi_parallel(b->tasks, pool->threads, count_rows, b);
    DP2DPI_TRY(report(b, error));
    DP2DPI_TRY(dp2dpi_pool_take_memory(pool, error));
    if (b->options->multiplicity) {
        DP2DPI_TRY(DP2DPI_ALLOC(pool->multiplicity, pool->rows, "the pool", error));
    }
    lay_out(b);
    dp2dpi_parallel(b->tasks, pool->threads, copy_rows, b);
    DP2DPI_TRY(report(b, error));
    int unchanged = count_kept(pool) && (pool->leaves_out || pool->kept == pool->records);
    return unchanged ? DP2DP_STATUS_OK : refuse(b, &(finding) {.what = FAULT_CHANGED}, error);
}

/* Sets everything in the pool that does not depend on the records. */
static dp2dp_pool describe(const dp2dp_matrix *scores, const dp2dp_column *strata,
                           const dp2dp_pool_options *options) {
    dp2dp_pool pool = {.rows = scores->rows,
                       .strata = options->strata,
                       .classes = scores->columns,
                       .labels = options->labels > 1 ? options->labels : 1,
                       .leaves_out =
                           options->leaves_out || options->bad_rows == DP2DP_BAD_ROWS_IGNORE,
                       .counted = options->counted,
                       .dither_key = options->dither_key,
                       .weight_columns = options->weights ? options->weights->columns : 0,
                       .row_sums = options->row_sums,
                       .dither = options->dither,
                       .grid_bits = options->grid_bits,
                       .threads = options->threads};
    pool.rule = options->weights  ? DP2DP_RULE_WEIGHTED
                : pool.labels > 1 ? DP2DP_RULE_LINEAR
                                  : DP2DP_RULE_OFFSET;
    pool.bins = pool.counted == DP2DP_COUNTED_LABELS ? pool.strata
                : strata                             ? pool.strata / pool.labels
                                                     : 1;
    return pool;
}

static dp2dpi_records records_of(const dp2dp_pool *pool, const dp2dp_matrix *scores,
                                 const dp2dp_pool_options *options) {
    return (dp2dpi_records) {.rule = pool->rule,
                             .strata = pool->strata,
                             .labels = pool->labels,
                             .classes = pool->classes,
                             .row_sums = pool->row_sums,
                             .grid_bits = pool->grid_bits,
                             .dither = pool->dither,
                             .dither_key = pool->dither_key,
                             .scores = scores,
                             .weights = options->weights,
                             .ids = options->ids,
                             .mend_weights = options->bad_rows == DP2DP_BAD_ROWS_IGNORE};
}

dp2dp_status dp2dpi_pool_make(const dp2dp_matrix *scores, const dp2dp_column *strata,
                              const dp2dp_pool_options *options, const dp2dpi_pool_before *before,
                              dp2dp_pool **out, dp2dp_error *error) {
    static const char what[] = "a pool";
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(check_arguments(scores, strata, options, error));
    dp2dp_pool described = describe(scores, strata, options);
    DP2DPI_TRY(count_records(options, before, &described, error));
    build b = {.scores = scores,
               .strata = strata,
               .options = options,
               .records = records_of(&described, scores, options)};
    b.records.first_row = before->rows;
    DP2DPI_TRY(dp2dpi_records_check(&b.records, error));
    described.parts = dp2dpi_records_parts(&b.records);
    b.tasks = (scores->rows + ROWS_PER_TASK - 1) / ROWS_PER_TASK;
    DP2DPI_TRY(DP2DPI_ALLOC(b.pool, 1, what, error));
    dp2dp_pool *pool = b.pool;
    *pool = described;
    pool->counter = &dp2dpi_pool_counter;
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(pool->begin, pool->bins + 1, what, error));
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(b.places, b.tasks * pool->bins, what, error));
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

dp2dp_status dp2dp_pool_new(const dp2dp_matrix *scores, const dp2dp_column *strata,
                            const dp2dp_pool_options *given, dp2dp_pool **out, dp2dp_error *error) {
    if (out == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "out must not be NULL");
    }
    *out = NULL;
    dp2dp_pool_options options;
    DP2DPI_TRY(dp2dpi_struct_read(DP2DP_STRUCT_POOL_OPTIONS, given, &options, error));
    return dp2dpi_pool_make(scores, strata, &options, &(dp2dpi_pool_before) {0}, out, error);
}

static size_t tasks_of_bin(const dp2dp_pool *pool, size_t bin) {
    size_t size = pool->begin[bin + 1] - pool->begin[bin];
    return (size + ROWS_PER_TASK - 1) / ROWS_PER_TASK;
}

void dp2dpi_pool_parallel(const dp2dp_pool *pool, dp2dpi_task task, void *context) {
    size_t tasks = 0;
    for (size_t bin = 0; bin < pool->bins; bin++) {
        tasks += tasks_of_bin(pool, bin);
    }
    unsigned threads = pool->rows < ROWS_PER_TASK ? 1 : pool->threads;
    dp2dpi_parallel(tasks, threads, task, context);
}

dp2dpi_pool_slice dp2dpi_pool_slice_of(const dp2dp_pool *pool, size_t task) {
    size_t bin = 0;
    for (size_t tasks; task >= (tasks = tasks_of_bin(pool, bin));) {
        task -= tasks;
        bin++;
    }
    size_t size = pool->begin[bin + 1] - pool->begin[bin], first = task * ROWS_PER_TASK;
    size_t last = size - first < ROWS_PER_TASK ? size : first + ROWS_PER_TASK;
    return (dp2dpi_pool_slice) {bin, size, first, last};
}

void dp2dpi_pool_drop_memory(dp2dp_pool *pool) {
    dp2dpi_wipe_and_free(pool->values, pool->rows * pool->classes * sizeof(float));
    dp2dpi_wipe_and_free(pool->weights, weights_of(pool) * sizeof(float));
    dp2dpi_wipe_and_free(pool->shares, weights_of(pool) * sizeof(int32_t));
    dp2dpi_wipe_and_free(pool->multiplicity, pool->rows * sizeof *pool->multiplicity);
    pool->values = pool->weights = NULL;
    pool->shares = NULL;
    pool->multiplicity = NULL;
}

void dp2dp_pool_free(dp2dp_pool *pool) {
    if (pool) {
        dp2dpi_pool_drop_memory(pool);
        dp2dpi_free(pool->begin);
        dp2dpi_free(pool);
    }
}
