#include "pool/signal.h"

#include <math.h>

static const size_t most = 100000;      /* about the largest number of records that are used */
static const double least_error = 1e-6; /* a standard error below this counts as 0, because the
                                           probabilities hardly vary */

size_t dp2dpi_signal_step(const dp2dp_pool *pool) {
    return 1 + pool->kept / most;
}

void dp2dpi_signal_means(const dp2dpi_signal_view *view, dp2dpi_signal *out) {
    double row[DP2DPI_SIGNAL_COLUMNS];
    size_t step = dp2dpi_signal_step(view->pool);
    *out = (dp2dpi_signal) {.records = 0};
    for (size_t bin = 0; bin < view->pool->bins; bin++) {
        size_t size = view->pool->begin[bin + 1] - view->pool->begin[bin];
        for (size_t i = 0; i < size; i += step) {
            view->read(view, bin, i, row);
            out->records++;
            out->of_code[view->code(view, bin)]++;
            for (size_t k = 0; k < view->columns; k++) {
                out->mean[k] += row[k];
            }
        }
    }
    for (size_t k = 0; k < view->columns; k++) {
        out->mean[k] /= fmax(out->records, 1);
    }
}

/* Adds one record to `own` and `expected`. Returns the number of records times the variance that
 * the record's term of `own` would have if its code were drawn at random from the codes of all
 * records. */
static double add(const dp2dpi_signal_view *view, size_t code, const double *row,
                  dp2dpi_signal *s) {
    double middle = 0, variance = 0;
    for (size_t k = 0; k < view->columns; k++) {
        middle += s->of_code[k] / s->records * (row[k] - s->mean[k]);
    }
    for (size_t k = 0; k < view->columns; k++) {
        double centred = row[k] - s->mean[k];
        variance += s->of_code[k] * (centred - middle) * (centred - middle);
        s->expected += centred * centred;
    }
    s->own += row[code] - s->mean[code];
    return variance;
}

/* If the probabilities were assigned to the records in random order, `own` would be 0 on average.
 * If they are true, `own` is `expected` on average, because the covariance of true probabilities
 * with what they predict is their variance. */
void dp2dpi_signal_measure(const dp2dpi_signal_view *view, dp2dpi_signal *out) {
    double row[DP2DPI_SIGNAL_COLUMNS], variance = 0;
    size_t step = dp2dpi_signal_step(view->pool);
    dp2dpi_signal_means(view, out);
    for (size_t bin = 0; bin < view->pool->bins; bin++) {
        size_t size = view->pool->begin[bin + 1] - view->pool->begin[bin];
        for (size_t i = 0; i < size; i += step) {
            view->read(view, bin, i, row);
            variance += add(view, view->code(view, bin), row, out);
        }
    }
    out->error = sqrt(variance / fmax(out->records - 1, 1));
    out->error = out->error < least_error ? 0 : out->error;
}

int dp2dpi_signal_is_chance(const dp2dpi_signal *signal) {
    return signal->error > 0 && signal->own < DP2DPI_SIGNAL_CHANCE * signal->error &&
           signal->expected >= DP2DPI_SIGNAL_CLEAR * signal->error;
}
