/* Multinomial logistic regression on encoded rows, bias last. docs/train.md explains the methods;
 * docs/proofs/ shows why the private ones are private.
 *
 * With two classes there is one weight vector, for the second class; the first class has zeros. */
#ifndef DP2DPI_PHASE1_TRAIN_H
#define DP2DPI_PHASE1_TRAIN_H

#include <dp2dp/train.h>

#include "mechanism/release.h"
#include "num/rows.h"

enum {
    DP2DPI_TRAIN_CLASSES_MAX = 4096,
    DP2DPI_TRAIN_ENTRIES_MAX = 1 << 19 /* outputs × (numbers + categories + 1) */
};

/* Rounding may make rows longer than R by this factor. */
#define DP2DPI_TRAIN_NORM_SLACK 1e-6

/* Labelled rows. The codes of a row ascend, so they are distinct. */
typedef struct dp2dpi_examples {
    const dp2dpi_rows *rows;
    const int32_t *labels; /* 0..classes−1 */
    size_t width, classes;
    size_t outputs; /* H: 1 for two classes, else classes */
    double norm;    /* R: no row is longer */
    unsigned threads;
} dp2dpi_examples;

static inline dp2dpi_examples dp2dpi_examples_of(const dp2dpi_rows *rows, const int32_t *labels,
                                                 size_t width, size_t classes, double norm,
                                                 unsigned threads) {
    return (dp2dpi_examples) {rows, labels, width, classes, classes == 2 ? 1 : classes,
                              norm, threads};
}

/* Size of a method's weights: (width + 1) × H, feature by feature, bias last. */
static inline size_t dp2dpi_examples_cells(const dp2dpi_examples *e) {
    return (e->width + 1) * e->outputs;
}

/* ARGUMENT for options that are invalid whatever the rows. */
dp2dp_status dp2dpi_train_check(const dp2dp_train_options *options, dp2dp_error *error);

/* The terms of every release of a training run. *own is the model's ledger. */
dp2dpi_release_terms dp2dpi_train_terms(const dp2dp_train_options *options, dp2dp_ledger *own);

/* Trains with options that were checked and resolved. weights: classes × (width + 1), bias last.
 * Privacy: ARGUMENT, before anything is charged, for rows or labels that the proofs exclude. All
 * releases are charged, to options->ledger first if there is one and then to *own, before any noise
 * is drawn; `none` and epsilon = INFINITY charge nothing. */
dp2dp_status dp2dpi_train_examples(const dp2dpi_examples *examples,
                                   const dp2dp_train_options *resolved, dp2dp_ledger *own,
                                   double *weights, dp2dp_error *error);

/* Charges the same to resolved->ledger and does nothing else: only the sizes of the rows are used.
 */
dp2dp_status dp2dpi_train_charge(const dp2dpi_examples *examples,
                                 const dp2dp_train_options *resolved, dp2dp_error *error);

/* Checks, resolves and trains: ARGUMENT, before anything is charged, for invalid options, sizes,
 * labels or rows. norm is R. */
dp2dp_status dp2dpi_train_rows(const dp2dpi_rows *rows, const int32_t *labels, size_t width,
                               size_t classes, double norm, const dp2dp_train_options *options,
                               dp2dp_ledger *own, double *weights, dp2dp_error *error);

/* Resolves the options for n rows: the method's own defaults replace 0. All public. ARGUMENT for
 * impossible sizes. */
dp2dp_status dp2dpi_train_resolve(const dp2dpi_examples *examples,
                                  const dp2dp_train_options *options, dp2dp_train_options *used,
                                  dp2dp_error *error);

/* Probabilities, rows->count × classes, row-major, from weights laid out as in dp2dpi_train_rows.
 */
void dp2dpi_train_scores(const double *weights, size_t width, size_t classes,
                         const dp2dpi_rows *rows, unsigned threads, float *out);

#endif
