#include "pool/expand.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"

static const double memory_allowed = 4e9; /* largest size of an expanded pool in bytes */

dp2dp_status dp2dpi_count_records(const uint64_t *multiplicity, size_t rows, uint64_t most,
                                  dp2dp_bad_rows bad_rows, const dp2dpi_pool_before *before,
                                  size_t *records, dp2dp_error *error) {
    uint64_t sum = multiplicity ? before->records : before->records + rows;
    most = most < SIZE_MAX ? most : SIZE_MAX;
    for (size_t i = 0; i < rows && multiplicity; i++) {
        uint64_t row = bad_rows == DP2DP_BAD_ROWS_IGNORE ? 0 : before->rows + i + 1;
        dp2dpi_place place = {.reason = DP2DP_REASON_NUMBER_RANGE, .row = row};
        char where[32] = "";
        if (row > 0 && (multiplicity[i] == 0 || multiplicity[i] > most - sum)) {
            (void)snprintf(where, sizeof where, "row %" PRIu64 ": ", row);
        }
        if (multiplicity[i] == 0) {
            return dp2dpi_fail_at(
                error, DP2DP_STATUS_DATA, &place,
                "%sthe multiplicity is 0, but it must be at least 1. A multiplicity counts "
                "records and is not for survey weights. If one person's row stands for w "
                "records, rows_per_person must be at least w",
                where);
        }
        if (multiplicity[i] > most - sum) {
            return dp2dpi_fail_at(
                error, DP2DP_STATUS_DATA, &place,
                "%s%s more than %" PRIu64 " records, the most that a pool may have", where,
                row > 0 ? "up to here the multiplicities sum to" : "the multiplicities sum to",
                most);
        }
        sum += multiplicity[i];
    }
    *records = (size_t)(sum - before->records);
    return DP2DP_STATUS_OK;
}

/* Returns how many bytes the expanded pool needs, including the two numbers per record that solver
 * exact needs for sorting. */
static double memory_needed(const dp2dp_pool *pool) {
    size_t parts = (pool->weights != NULL) * pool->parts + (pool->shares != NULL) * pool->parts;
    return (double)pool->records *
           (double)((pool->classes + parts) * sizeof(float) + 2 * sizeof(double));
}

dp2dp_status dp2dpi_pool_check_solver(const dp2dp_pool *pool, dp2dp_solver solver,
                                      dp2dp_error *error) {
    if (pool == NULL || pool->multiplicity == NULL || solver == DP2DP_SOLVER_COUNTS) {
        return DP2DP_STATUS_OK;
    }
    if (solver != DP2DP_SOLVER_EXACT) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "multiplicity: solver %s samples single records, so a row cannot stand for several "
            "records; use solver counts, or give each record its own row",
            dp2dp_solver_name(solver));
    }
    return memory_needed(pool) <= memory_allowed
               ? DP2DP_STATUS_OK
               : dp2dpi_fail(error, DP2DP_STATUS_MEMORY,
                             "multiplicity: solver exact copies each row once for every record "
                             "that the row stands for, and %zu records need %.1f GB; the limit is "
                             "%.1f GB. Use solver counts",
                             pool->records, 1e-9 * memory_needed(pool), 1e-9 * memory_allowed);
}

/* Writes each of n 4-byte numbers once for each record that its row stands for. Returns the end of
 * the output. */
static uint32_t *repeat(const void *from, const uint64_t *multiplicity, size_t n, uint32_t *to) {
    const uint32_t *numbers = from;
    for (size_t i = 0; i < n; i++) {
        for (uint64_t copy = 0; copy < multiplicity[i]; copy++) {
            *to++ = numbers[i];
        }
    }
    return to;
}

/* Calls `repeat` for every column of an array that is laid out like the scores. Does nothing if the
 * array is NULL. */
static void repeat_columns(const dp2dp_pool *pool, const void *from, size_t columns, void *to) {
    const uint32_t *next = from;
    uint32_t *out = to;
    for (size_t bin = 0; from && bin < pool->bins; bin++) {
        size_t size = pool->begin[bin + 1] - pool->begin[bin];
        for (size_t k = 0; k < columns; k++, next += size) {
            out = repeat(next, pool->multiplicity + pool->begin[bin], size, out);
        }
    }
}

_Static_assert(sizeof(float) == sizeof(uint32_t) && sizeof(int32_t) == sizeof(uint32_t),
               "scores, weights and shares must have four bytes each");

dp2dp_status dp2dpi_pool_expand(const dp2dp_pool *pool, dp2dp_pool **out, dp2dp_error *error) {
    static const char what[] = "a pool";
    dp2dp_status status = DP2DP_STATUS_OK;
    dp2dp_pool *made;
    *out = NULL;
    if (pool->multiplicity == NULL) {
        return DP2DP_STATUS_OK;
    }
    DP2DPI_TRY(DP2DPI_ALLOC(made, 1, what, error));
    *made = *pool;
    made->rows = pool->records;
    made->begin = NULL;
    made->multiplicity = NULL;
    made->values = made->weights = NULL;
    made->shares = NULL;
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(made->begin, pool->bins + 1, what, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_pool_take_memory(made, error));
    for (size_t bin = 0; bin < pool->bins; bin++) {
        made->begin[bin + 1] = made->begin[bin];
        for (size_t i = pool->begin[bin]; i < pool->begin[bin + 1]; i++) {
            made->begin[bin + 1] += (size_t)pool->multiplicity[i];
        }
    }
    repeat_columns(pool, pool->values, pool->classes, made->values);
    repeat_columns(pool, pool->weights, pool->parts, made->weights);
    repeat_columns(pool, pool->shares, pool->parts, made->shares);
    *out = made;
    made = NULL;
done:
    dp2dp_pool_free(made);
    return status;
}
