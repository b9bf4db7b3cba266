/* Phase 2 on made-up people: how long the pool and a private fit take. bench_fit N K G THREADS */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <dp2dp/dp2dp.h>

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint32_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 40);
}

static void make_people(size_t n, size_t classes, size_t groups, float *scores, int8_t *codes) {
    uint64_t state = 1;
    for (size_t i = 0; i < n; i++) {
        float sum = 0.0F;
        codes[i] = (int8_t)(next_random(&state) % groups);
        for (size_t k = 0; k < classes; k++) {
            float tilt = k == (size_t)codes[i] % classes ? 1.5F : 1.0F;
            scores[i * classes + k] = tilt * (float)(next_random(&state) + 1);
            sum += scores[i * classes + k];
        }
        for (size_t k = 0; k < classes; k++) {
            scores[i * classes + k] /= sum;
        }
    }
}

static dp2dp_status run(size_t n, size_t classes, size_t groups, unsigned threads,
                        const float *scores, const int8_t *codes, dp2dp_error *error) {
    dp2dp_matrix table = {
        scores, DP2DP_FLOAT32, n, classes, (ptrdiff_t)(classes * sizeof(float)), sizeof(float)};
    dp2dp_column column = {codes, DP2DP_INT8, n, 1};
    dp2dp_pool_options pool_options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_pool *pool = NULL;
    dp2dp_model *model = NULL;
    dp2dp_fit_options options;
    pool_options.events = groups;
    pool_options.threads = threads;
    dp2dp_fit_options_init(&options);
    options.epsilon = 1.0;
    options.delta = 1e-6;
    double start = seconds();
    dp2dp_status status = dp2dp_pool_new(&table, &column, &pool_options, &pool, error);
    double built = seconds();
    if (status == DP2DP_STATUS_OK) {
        dp2dp_source source = dp2dp_pool_source(pool);
        status = dp2dp_fit(&source, &options, &model, error);
        double fitted = seconds();
        printf("N %zu, K %zu, G %zu, %u threads: pool %.3f s, fit (counts, 80 steps) %.3f s\n", n,
               classes, groups, threads, built - start, fitted - built);
    }
    dp2dp_model_free(model);
    dp2dp_pool_free(pool);
    return status;
}

int main(int argc, char **argv) {
    size_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1400000;
    size_t classes = argc > 2 ? strtoull(argv[2], NULL, 10) : 5;
    size_t groups = argc > 3 ? strtoull(argv[3], NULL, 10) : 5;
    unsigned threads = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 2;
    float *scores = malloc(n * classes * sizeof *scores);
    int8_t *codes = malloc(n);
    dp2dp_error error = {0};
    dp2dp_status status = DP2DP_STATUS_MEMORY;
    if (scores && codes && groups > 0 && groups < 128) {
        make_people(n, classes, groups, scores, codes);
        status = run(n, classes, groups, threads, scores, codes, &error);
    }
    if (status != DP2DP_STATUS_OK) {
        fprintf(stderr, "bench_fit: %s\n", error.message);
    }
    free(scores);
    free(codes);
    return status != DP2DP_STATUS_OK;
}
