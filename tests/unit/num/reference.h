/* Reads tests/reference/num_*.csv: exact arguments, and values as a sum of two doubles. */
#ifndef DP2DP_TESTS_UNIT_NUM_REFERENCE_H
#define DP2DP_TESTS_UNIT_NUM_REFERENCE_H

#include "support.h"

typedef struct num_row {
    double x, y, value, rest;
} num_row;

enum {
    NUM_ROWS_MAX = 128
};

/* Reads the rows of one function. Fails unless the file has the expected number of rows. */
static inline size_t num_rows(const char *file, const char *function, size_t expected,
                              num_row *rows) {
    char path[1024], line[512];
    size_t n = 0, length = strlen(function);
    snprintf(path, sizeof path, "%s/reference/%s", DP2DP_TEST_DIR, file);
    FILE *in = fopen(path, "r");
    if (in == NULL) {
        fail_msg("cannot open %s", path);
    }
    while (fgets(line, sizeof line, in)) {
        if (strncmp(line, function, length) != 0 || line[length] != ',') {
            continue;
        }
        assert_true(n < NUM_ROWS_MAX);
        char *at = line + length + 1;
        double *cell[4] = {&rows[n].x, &rows[n].y, &rows[n].value, &rows[n].rest};
        for (int i = 0; i < 4; i++) {
            *cell[i] = *at == ',' ? 0.0 : strtod(at, &at);
            at++;
        }
        n++;
    }
    fclose(in);
    if (n != expected) {
        fail_msg("%s has %zu rows of %s, not %zu", file, n, function, expected);
    }
    return n;
}

/* Returns the distance between a double and the exact value, in ulp of the exact value. */
static inline double num_ulps(double ours, const num_row *row) {
    double unit = nextafter(fabs(row->value), INFINITY) - fabs(row->value);
    return fabs((ours - row->value) - row->rest) / unit;
}

/* FNV-1a over the bits of a sequence of results. */
static inline uint64_t num_checksum(uint64_t checksum, double result) {
    uint64_t bits;
    memcpy(&bits, &result, sizeof bits);
    for (int i = 0; i < 8; i++) {
        checksum = (checksum ^ (bits >> 8 * i & 255)) * UINT64_C(0x100000001b3);
    }
    return checksum;
}

#define NUM_CHECKSUM_START UINT64_C(0xcbf29ce484222325)

/* A function, 20,000 arguments, and the checksum of its results. */
typedef struct num_golden {
    const char *name;
    double (*f)(double);
    double from, step;
    uint64_t checksum;
} num_golden;

static inline void num_assert_checksums(const num_golden *golden, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint64_t checksum = NUM_CHECKSUM_START;
        for (int k = 0; k < 20000; k++) {
            checksum = num_checksum(checksum, golden[i].f(golden[i].from + k * golden[i].step));
        }
        if (checksum != golden[i].checksum) {
            fail_msg("%s: checksum 0x%016llx", golden[i].name, (unsigned long long)checksum);
        }
    }
}

#endif
