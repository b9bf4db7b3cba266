#include "pool/pool_join.h"

#include <string.h>

#include "base/alloc.h"

static const char what[] = "a pool";

dp2dp_status dp2dpi_segments_add(dp2dpi_segments *segments, dp2dp_pool *pool, dp2dp_error *error) {
    void *pools = segments->pools;
    dp2dp_status status =
        dp2dpi_grow(what, segments->count, sizeof(void *), &pools, &segments->capacity, error);
    segments->pools = pools;
    if (status != DP2DP_STATUS_OK) {
        dp2dp_pool_free(pool);
        return status;
    }
    segments->pools[segments->count++] = pool;
    segments->all.rows += pool->rows;
    segments->all.records += pool->records;
    return DP2DP_STATUS_OK;
}

void dp2dpi_segments_free(dp2dpi_segments *segments) {
    while (segments->count > 0) {
        dp2dp_pool_free(segments->pools[--segments->count]);
    }
    dp2dpi_free(segments->pools);
    segments->pools = NULL;
}

/* Copies the columns of one bin of a segment into the same bin of the whole pool, starting at row
 * `at` of the bin. The columns hold 4-byte numbers. */
static void copy_columns(const dp2dp_pool *segment, size_t bin, size_t at, const dp2dp_pool *whole,
                         const void *from, void *to, size_t columns) {
    enum {
        SIZE = 4
    };
    _Static_assert(sizeof(float) == SIZE && sizeof(int32_t) == SIZE, "numbers of 4 bytes");
    size_t rows = segment->begin[bin + 1] - segment->begin[bin];
    size_t all = whole->begin[bin + 1] - whole->begin[bin];
    const char *source = (const char *)from + segment->begin[bin] * columns * SIZE;
    char *target = (char *)to + (whole->begin[bin] * columns + at) * SIZE;
    for (size_t k = 0; k < columns && rows > 0; k++) {
        memcpy(target + k * all * SIZE, source + k * rows * SIZE, rows * SIZE);
    }
}

static void copy_segment(const dp2dp_pool *segment, const size_t *places, const dp2dp_pool *whole) {
    for (size_t bin = 0; bin < whole->bins; bin++) {
        copy_columns(segment, bin, places[bin], whole, segment->values, whole->values,
                     whole->classes);
        if (whole->weights) {
            copy_columns(segment, bin, places[bin], whole, segment->weights, whole->weights,
                         whole->parts);
        }
        if (whole->multiplicity) {
            memcpy(whole->multiplicity + whole->begin[bin] + places[bin],
                   segment->multiplicity + segment->begin[bin],
                   (segment->begin[bin + 1] - segment->begin[bin]) * sizeof *whole->multiplicity);
        }
        if (whole->shares) {
            copy_columns(segment, bin, places[bin], whole, segment->shares, whole->shares,
                         whole->parts);
        }
    }
}

/* Sets whole->begin, and sets places[bin] to the number of rows that all segments together have in
 * the bin. places must hold zeros on entry. */
static void lay_out(const dp2dpi_segments *segments, dp2dp_pool *whole, size_t *places) {
    size_t begin = 0;
    for (size_t bin = 0; bin < whole->bins; bin++) {
        for (size_t s = 0; s < segments->count; s++) {
            const size_t *at = segments->pools[s]->begin + bin;
            places[bin] += at[1] - at[0];
        }
        whole->begin[bin] = begin;
        begin += places[bin];
    }
    whole->begin[whole->bins] = begin;
}

/* Copies and frees the segments from last to first, because malloc can return memory to the system
 * most easily if the memory is at the end of the heap. */
dp2dp_status dp2dpi_segments_join(dp2dpi_segments *segments, dp2dp_pool *whole,
                                  dp2dp_error *error) {
    size_t *places = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    int has_multiplicity = whole->multiplicity != NULL;
    dp2dpi_pool_drop_memory(whole);
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(places, whole->bins, what, error));
    whole->rows = (size_t)segments->all.rows;
    whole->records = (size_t)segments->all.records;
    DP2DPI_TRY_OR_DONE(dp2dpi_pool_take_memory(whole, error));
    if (has_multiplicity) {
        DP2DPI_TRY_OR_DONE(dp2dpi_alloc_raw(what, whole->rows, sizeof *whole->multiplicity,
                                            &whole->multiplicity, error));
    }
    lay_out(segments, whole, places);
    while (segments->count > 0) {
        dp2dp_pool *last = segments->pools[--segments->count];
        for (size_t bin = 0; bin < whole->bins; bin++) {
            places[bin] -= last->begin[bin + 1] - last->begin[bin];
        }
        copy_segment(last, places, whole);
        whole->kept += last->kept;
        dp2dp_pool_free(last);
    }
done:
    dp2dpi_free(places);
    return status;
}
