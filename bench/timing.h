/* What the benchmarks share: clocks, the memory high-water mark, random people and their scores. */
#ifndef DP2DP_BENCH_TIMING_H
#define DP2DP_BENCH_TIMING_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <dp2dp/dp2dp.h>

static inline double seconds_of(clockid_t which) {
    struct timespec now;
    clock_gettime(which, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Wall-clock time. */
static inline double seconds(void) {
    return seconds_of(CLOCK_MONOTONIC);
}

/* Processor time of all threads. */
static inline double cpu_seconds(void) {
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

/* Ends the program with the error's message unless the status is OK. */
static inline void require(dp2dp_status status, const dp2dp_error *error) {
    if (status != DP2DP_STATUS_OK) {
        (void)fprintf(stderr, "%s\n", error->message);
        exit(1);
    }
}

/* The most memory that this program ever held, in bytes; 0 if the system does not say. getrusage
 * would also count the memory of the process before exec. */
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

static inline dp2dp_matrix matrix_of(const float *scores, size_t rows, size_t classes) {
    return (dp2dp_matrix) {
        scores, DP2DP_FLOAT32, rows, classes, (ptrdiff_t)(classes * sizeof(float)), sizeof(float)};
}

/* Random probabilities (n × classes, row-major); each group favours one class. */
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
