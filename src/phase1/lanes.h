/* Processes several rows at once, one in each lane of a vector register. Every lane adds its
 * numbers in the same order as code that processes one row at a time, so both give equal results,
 * bit for bit. The code calls no libm function, so a model is the same on every machine. */
#ifndef DP2DPI_PHASE1_LANES_H
#define DP2DPI_PHASE1_LANES_H

#include <string.h>

#include "base/clones.h"
#include "num/elementary.h"
#include "phase1/train.h"

enum {
    DP2DPI_LANES = 32,
    /* Several rows are processed at once only if outputs × (numeric columns + categorical columns +
     * 1) is at most this number. */
    DP2DPI_LANES_ENTRIES = 1 << 10
};

/* Rows stored column by column. A single row is a block with one lane. */
typedef struct dp2dpi_lane_block {
    size_t count;   /* number of rows; the lanes after the last row hold zeros, and −1 as codes */
    const float *x; /* numbers × lanes */
    const int32_t *codes; /* categories × lanes */
    const float *scale;   /* one number per lane */
    const int32_t *labels;
} dp2dpi_lane_block;

static inline size_t dp2dpi_lanes_of(const dp2dpi_examples *e) {
    size_t entries = (e->rows->numbers + e->rows->categories + 1) * e->outputs;
    return entries <= DP2DPI_LANES_ENTRIES ? DP2DPI_LANES : 1;
}

static inline dp2dpi_lane_block dp2dpi_lanes_load_row(const dp2dpi_examples *e, size_t i) {
    const dp2dpi_rows *rows = e->rows;
    return (dp2dpi_lane_block) {1, rows->x + i * rows->numbers, rows->codes + i * rows->categories,
                                rows->scale + i, e->labels + i};
}

/* Copies the rows with the indices `which` into a block. floats must hold DP2DPI_LANES × (numbers +
 * 1) values, and words DP2DPI_LANES × (categories + 1). */
static inline dp2dpi_lane_block dp2dpi_lanes_load_rows(const dp2dpi_examples *e,
                                                       const size_t *which, size_t count,
                                                       float *restrict floats,
                                                       int32_t *restrict words) {
    const dp2dpi_rows *rows = e->rows;
    size_t D = rows->numbers, Q = rows->categories, lanes = DP2DPI_LANES;
    float *scale = floats + D * lanes;
    int32_t *labels = words + Q * lanes;
    if (count < lanes) {
        memset(floats, 0, (D + 1) * lanes * sizeof *floats);
        memset(words, 0xFF, Q * lanes * sizeof *words);
        memset(labels, 0, lanes * sizeof *labels);
    }
    for (size_t j = 0; j < D; j++) {
        for (size_t b = 0; b < count; b++) {
            floats[j * lanes + b] = rows->x[which[b] * D + j];
        }
    }
    for (size_t q = 0; q < Q; q++) {
        for (size_t b = 0; b < count; b++) {
            words[q * lanes + b] = rows->codes[which[b] * Q + q];
        }
    }
    for (size_t b = 0; b < count; b++) {
        scale[b] = rows->scale[which[b]];
        labels[b] = e->labels[which[b]];
    }
    return (dp2dpi_lane_block) {count, floats, words, scale, labels};
}

/* Computes the logits z = W (row, 1), where W holds the weights. z is outputs × lanes. */
DP2DPI_INLINE void dp2dpi_lanes_logits(const dp2dpi_examples *e, const dp2dpi_lane_block *r,
                                       size_t lanes, size_t outputs, const double *weights,
                                       double *restrict z) {
    for (size_t h = 0; h < outputs; h++) {
        double *restrict sum = z + h * lanes;
        for (size_t b = 0; b < lanes; b++) {
            sum[b] = 0.0;
        }
        for (size_t j = 0; j < e->rows->numbers; j++) {
            double weight = weights[j * outputs + h];
            for (size_t b = 0; b < lanes; b++) {
                sum[b] += (double)r->x[j * lanes + b] * weight;
            }
        }
        for (size_t q = 0; q < e->rows->categories; q++) {
            for (size_t b = 0; b < lanes; b++) {
                int32_t code = r->codes[q * lanes + b];
                sum[b] += code < 0 ? 0.0 : weights[(size_t)code * outputs + h];
            }
        }
        double bias = weights[e->width * outputs + h];
        for (size_t b = 0; b < lanes; b++) {
            sum[b] = (double)r->scale[b] * sum[b] + bias;
        }
    }
}

/* Replaces z by its softmax in each lane. With one output, z becomes the probability of the second
 * class, and the first class has logit 0. Also writes what the loss needs: the largest logit m, to
 * `largest`, and Σ exp(logit − m) over all classes, to `sum`. */
DP2DPI_INLINE void dp2dpi_lanes_softmax(double *restrict z, size_t lanes, size_t outputs,
                                        double *restrict largest, double *restrict sum) {
    if (outputs == 1) {
        for (size_t b = 0; b < lanes; b++) {
            double below = dp2dpi_exp_fast(z[b] > 0.0 ? -z[b] : z[b]);
            largest[b] = z[b] > 0.0 ? z[b] : 0.0;
            sum[b] = 1.0 + below;
            z[b] = (z[b] > 0.0 ? 1.0 : below) / sum[b];
        }
        return;
    }
    memcpy(largest, z, lanes * sizeof *z);
    for (size_t h = 1; h < outputs; h++) {
        for (size_t b = 0; b < lanes; b++) {
            largest[b] = z[h * lanes + b] > largest[b] ? z[h * lanes + b] : largest[b];
        }
    }
    for (size_t b = 0; b < lanes; b++) {
        sum[b] = 0.0;
    }
    for (size_t h = 0; h < outputs; h++) {
        for (size_t b = 0; b < lanes; b++) {
            z[h * lanes + b] = dp2dpi_exp_fast(z[h * lanes + b] - largest[b]);
            sum[b] += z[h * lanes + b];
        }
    }
    for (size_t h = 0; h < outputs; h++) {
        for (size_t b = 0; b < lanes; b++) {
            z[h * lanes + b] /= sum[b];
        }
    }
}

/* Subtracts the one-hot labels from the softmax in z, for the first `count` lanes. */
DP2DPI_INLINE void dp2dpi_lanes_subtract_labels(const int32_t *labels, size_t count, size_t lanes,
                                                size_t outputs, double *z) {
    for (size_t b = 0; b < count; b++) {
        size_t at = outputs == 1 ? b : (size_t)labels[b] * lanes + b;
        z[at] -= outputs == 1 ? (double)labels[b] : 1.0;
    }
}

#endif
