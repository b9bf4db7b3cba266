/* What the benchmarks of Phase 2 share: the clock, the memory high-water mark, made-up people. */
#ifndef DP2DP_BENCH_TIMING_H
#define DP2DP_BENCH_TIMING_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Most memory this program ever held, in bytes; 0 where the system does not tell. getrusage would
 * count what the process held before it became this program. */
static inline double peak_memory(void) {
    char line[256];
    unsigned long long kilobytes = 0;
    FILE *in = fopen("/proc/self/status", "r");
    while (in && fgets(line, sizeof line, in)) {
        if (sscanf(line, "VmHWM: %llu", &kilobytes) == 1) {
            break;
        }
    }
    if (in) {
        (void)fclose(in);
    }
    return 1024.0 * (double)kilobytes;
}

static inline uint32_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 40);
}

/* Probabilities (n × classes, row-major) in which each group favours a class of its own. */
static inline void make_people(size_t n, size_t classes, size_t groups, float *scores,
                               int8_t *codes) {
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

#endif
