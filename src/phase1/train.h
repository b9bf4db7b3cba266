/* Trains multinomial logistic regression on encoded rows. The bias is the last weight.
 * docs/train.md explains the methods, and docs/proofs/ has the privacy proofs.
 *
 * The "classes" here are what the classifier predicts: the classes of the label, the groups, or the
 * pairs of group and class (dp2dp_target). With two classes there is one weight vector, for the
 * second class; the weights of the first class are zeros. */
#ifndef DP2DPI_PHASE1_TRAIN_H
#define DP2DPI_PHASE1_TRAIN_H

#include <dp2dp/train.h>

#include "mechanism/release.h"
#include "num/rows.h"

enum {
    DP2DPI_TRAIN_CLASSES_MAX = 4096,
    DP2DPI_TRAIN_ENTRIES_MAX = 1 << 19 /* upper bound on outputs × (numbers + categories + 1) */
};

/* Rounding may make a row longer than the norm bound by up to this fraction of the bound. */
#define DP2DPI_TRAIN_NORM_SLACK 1e-6

/* Labelled rows. A level is one value of a categorical column. A row stores its levels as codes,
 * which are distinct and ascend.
 *
 * A record that is left out has no row, so it adds nothing to any sum. Privacy: `records` (n)
 * counts all records and is public; rows->count is private. Rates, divisors, noise and defaults
 * depend on n, never on rows->count (docs/proofs/left-out.md). */
typedef struct dp2dpi_examples {
    const dp2dpi_rows *rows;
    const int32_t *labels;
    size_t width, classes;
    size_t outputs; /* 1 for two classes, else the number of classes */
    double norm;    /* upper bound on the norm of every row */
    unsigned threads;
    size_t records; /* number of rows plus number of records that are left out */
    /* A caller's source that computes sums over its records, or NULL if the sums are computed from
     * `rows`. With a source, `rows` has no rows and the method must be dpgd. */
    const dp2dp_gradient_source *source;
} dp2dpi_examples;

/* Makes examples in which no record is left out. */
static inline dp2dpi_examples dp2dpi_examples_of(const dp2dpi_rows *rows, const int32_t *labels,
                                                 size_t width, size_t classes, double norm,
                                                 unsigned threads) {
    return (dp2dpi_examples) {rows, labels,  width,       classes, classes == 2 ? 1 : classes,
                              norm, threads, rows->count, NULL};
}

/* Returns the number of cells, (width + 1) × outputs. A cell is one weight that a method learns.
 * Cells are stored feature by feature, with the bias last. */
static inline size_t dp2dpi_examples_cells(const dp2dpi_examples *e) {
    return (e->width + 1) * e->outputs;
}

/* Fails with ARGUMENT if the sizes or the norm are out of range, and with DATA and the row's number
 * if a row or label violates an assumption of the proofs. */
dp2dp_status dp2dpi_examples_check(const dp2dpi_examples *e, dp2dp_error *error);

/* Fails with ARGUMENT if an option is invalid. Does not need the rows. */
dp2dp_status dp2dpi_train_check(const dp2dp_train_options *options, dp2dp_error *error);
/* Replaces epsilon by the part of it that train_share gives to training. The caller must have
 * checked the options. */
dp2dp_status dp2dpi_train_take_share(dp2dp_train_options *options, dp2dp_error *error);

/* Returns what all releases of a training run have in common: budget, people, random numbers and
 * ledgers. *own is the model's ledger. */
dp2dpi_release_terms dp2dpi_train_terms(const dp2dp_train_options *options, dp2dp_ledger *own);

/* Returns 1 if row i could come from the encoder for this width: the codes ascend, each code is -1
 * or the position of a feature, all numbers are finite, and the scale is from 0 to 1. */
int dp2dpi_row_is_encoded(const dp2dpi_rows *rows, size_t i, size_t width);

/* Trains with options that were checked and resolved. weights is classes × (width + 1), bias last.
 * Privacy: if a row or label violates an assumption of the proofs, fails with DATA and the row's
 * number before anything is charged. All releases are charged before any noise is drawn, first to
 * options->ledger if it is not NULL, then to *own. If the method is `none` or epsilon is INFINITY,
 * options->ledger is marked as exposed. */
dp2dp_status dp2dpi_train_examples(const dp2dpi_examples *examples,
                                   const dp2dp_train_options *resolved, dp2dp_ledger *own,
                                   double *weights, dp2dp_error *error);

/* Computes the weights of method `none`, which minimise the loss plus the penalty, without noise.
 * NOT PRIVATE. weights has dp2dpi_examples_cells(e) numbers, which must be zero on entry. Fails
 * with ARGUMENT if there are too many weights. */
dp2dp_status dp2dpi_newton_train(const dp2dpi_examples *e, const dp2dp_train_options *resolved,
                                 double *weights, dp2dp_error *error);

/* Charges to resolved->ledger what dp2dpi_train_examples would charge. Uses only the sizes of the
 * rows and draws no noise. */
dp2dp_status dp2dpi_train_charge(const dp2dpi_examples *examples,
                                 const dp2dp_train_options *resolved, dp2dp_error *error);

/* Copies the options to *used, and replaces every 0 that means "default" by the method's default.
 * The defaults depend only on public numbers. Fails with ARGUMENT if the sizes are impossible. */
dp2dp_status dp2dpi_train_resolve(const dp2dpi_examples *examples,
                                  const dp2dp_train_options *options, dp2dp_train_options *used,
                                  dp2dp_error *error);

/* Writes the class probabilities to out, which is rows->count × classes, row-major. weights is laid
 * out as for dp2dpi_train_examples. */
void dp2dpi_train_scores(const double *weights, size_t width, size_t classes,
                         const dp2dpi_rows *rows, unsigned threads, float *out);

#endif
