/* Draws per second of the exact samplers with the secure generator on one core. */
#include "noise/noise.h"
#include "timing.h"

enum {
    BATCH = 4096,
    BATCHES = 500
};

static void bench_gaussian(dp2dpi_rng *rng, const char *label, uint64_t s) {
    static int64_t drawn[BATCH];
    dp2dp_error error;
    double start = cpu_seconds();
    for (int i = 0; i < BATCHES; i++) {
        require(dp2dpi_noise_gaussian(rng, s, BATCH, drawn, &error), &error);
    }
    printf("discrete Gaussian, scale %-12s %8.2f M draws/s per core\n", label,
           1e-6 * BATCH * BATCHES / (cpu_seconds() - start));
}

static void bench_poisson(dp2dpi_rng *rng, double q) {
    static uint8_t mask[BATCH];
    dp2dp_error error;
    double start = cpu_seconds();
    for (int i = 0; i < BATCHES; i++) {
        require(dp2dpi_noise_poisson_mask(rng, q, BATCH, mask, &error), &error);
    }
    printf("Poisson mask, rate %-18g %8.2f M records/s per core\n", q,
           1e-6 * BATCH * BATCHES / (cpu_seconds() - start));
}

int main(void) {
    dp2dpi_rng *rng;
    dp2dp_error error;
    require(dp2dpi_rng_new(&rng, &error), &error);
    bench_gaussian(rng, "1", 1);
    bench_gaussian(rng, "1000", 1000);
    bench_gaussian(rng, "2^40", (uint64_t)1 << 40);
    bench_gaussian(rng, "2^40+12345", ((uint64_t)1 << 40) + 12345);
    bench_gaussian(rng, "2^50-1", ((uint64_t)1 << 50) - 1);
    bench_poisson(rng, 0.01);
    dp2dpi_rng_free(rng);
    return 0;
}
