#include "phase2/sgd_sum.h"

#include <math.h>
#include <string.h>

#include "num/elementary.h"

/* Writes to x the softmax at temperature `beta` of share × scores − nu. Values below e^−40 times
 * the largest become 0, since no grid resolves them. */
static void soften(const float *scores, size_t stride, const double *nu, double share, double beta,
                   size_t classes, double *x) {
    double largest = -INFINITY, sum = 0.0;
    for (size_t k = 0; k < classes; k++) {
        x[k] = share * (double)scores[k * stride] - nu[k];
        largest = x[k] > largest ? x[k] : largest;
    }
    for (size_t k = 0; k < classes; k++) {
        double below = x[k] - largest;
        x[k] = below > -40.0 * beta ? dp2dpi_exp_fast(below / beta) : 0.0;
        sum += x[k];
    }
    for (size_t k = 0; k < classes; k++) {
        x[k] /= sum;
    }
}

void dp2dpi_sgd_add(const dp2dp_pool *pool, size_t stratum, size_t member,
                    const dp2dpi_sgd_point *point, double weight, int64_t bound, int64_t sign,
                    double *x, int64_t *sum) {
    size_t begin = pool->begin[stratum], size = pool->begin[stratum + 1] - begin;
    size_t classes = pool->classes;
    soften(pool->values + begin * classes + member, size, point->nu + stratum * classes,
           point->shares[stratum], point->beta, classes, x);
    int64_t remaining = bound;
    for (size_t k = 0; k < classes; k++) {
        int64_t term = (int64_t)(weight * x[k]); /* rounds towards zero */
        term = term < 0 ? 0 : term > remaining ? remaining : term;
        remaining -= term;
        sum[k] += sign * term;
    }
}

typedef struct job {
    const dp2dp_pool *pool;
    const uint8_t *mask;
    const dp2dpi_sgd_point *point;
    int grid_bits;
    double share_min;
    int64_t *sum;
} job;

/* The sums are integers, so the result does not depend on the order in which threads add. */
static void sum_task(void *context, size_t task) {
    const job *j = context;
    const dp2dp_pool *pool = j->pool;
    dp2dpi_pool_slice s = dp2dpi_pool_slice_of(pool, task);
    size_t stratum = s.bin, classes = pool->classes;
    const uint8_t *mask = j->mask + pool->begin[stratum];
    double weight = ldexp(j->share_min / j->point->shares[stratum], j->grid_bits);
    int64_t sign = pool->strata == 2 && stratum == 0 ? -1 : 1;
    double x[DP2DPI_CODES_MAX];
    int64_t part[DP2DPI_CODES_MAX];
    memset(part, 0, classes * sizeof *part);
    for (size_t i = s.first; i < s.last; i++) {
        if (mask[i]) {
            dp2dpi_sgd_add(pool, stratum, i, j->point, weight, (int64_t)1 << j->grid_bits, sign, x,
                           part);
        }
    }
    int64_t *to = j->sum + (pool->strata == 2 ? 0 : stratum * classes);
    for (size_t k = 0; k < classes; k++) {
        __atomic_fetch_add(&to[k], part[k], __ATOMIC_RELAXED);
    }
}

size_t dp2dpi_sgd_cells(const dp2dp_pool *pool) {
    return pool->strata == 2 ? pool->classes : pool->strata * pool->classes;
}

void dp2dpi_sgd_sum(const dp2dp_pool *pool, const uint8_t *mask, const dp2dpi_sgd_point *point,
                    int grid_bits, int64_t *sum) {
    job j = {pool, mask, point, grid_bits, point->shares[0], sum};
    for (size_t stratum = 0; stratum < pool->strata; stratum++) {
        double share = point->shares[stratum];
        j.share_min = share < j.share_min ? share : j.share_min;
    }
    memset(sum, 0, dp2dpi_sgd_cells(pool) * sizeof *sum);
    dp2dpi_pool_parallel(pool, sum_task, &j);
}
