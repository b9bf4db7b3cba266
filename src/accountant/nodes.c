#include "accountant/nodes.h"

#include <math.h>

#include "accountant/pld_pmf.h"
#include "base/alloc.h"
#include "num/elementary.h"
#include "num/normal.h"
#include "num/quadrature.h"

enum {
    NODES_MAX = 50000
};
/* Distance of the outermost nodes from the peaks of the integrand, in standard deviations. At this
 * distance the integrand is e^{−72} times its peak. */
static const double tail_width = 12.0;

static dp2dp_status reserve(dp2dpi_nodes *nodes, size_t n, dp2dp_error *error) {
    DP2DPI_TRY(DP2DPI_ALLOC(nodes->log_weight, 2 * n, "quadrature nodes", error));
    nodes->n = n;
    nodes->value = nodes->log_weight + n;
    return DP2DP_STATUS_OK;
}

/* Returns a step h of the trapezoid rule for small λ. The integrand P (P/Q)^λ is analytic in a
 * strip of half-width π/s, where s is the shift, so the error falls like e^{−2π²/(s h)}. h = 0.2/s
 * leaves an error of e^{−98}, and h ≤ 1/4 is fine enough for the normal densities. For a large λ
 * the nodes are less accurate, so bounds that are planned with these nodes may be larger than
 * necessary. */
static double line_step(const dp2dpi_loss *loss) {
    return 0.2 / loss->shift < 0.25 ? 0.2 / loss->shift : 0.25;
}

static dp2dp_status check_end(const dp2dpi_nodes *nodes, double high, double high_max,
                              dp2dp_error *error) {
    if (!(nodes->order_max > 0.0) || high > high_max) {
        return dp2dpi_fail(error, DP2DP_STATUS_NO_BOUND,
                           "the noise is too small: the privacy loss of one release is too large "
                           "for the accountant");
    }
    return DP2DP_STATUS_OK;
}

/* Makes the nodes of a trapezoid rule over all x. The integrand of order 1 + λ has its peak below x
 * = (1 + 2λ) shift. */
static dp2dp_status line_nodes(dp2dpi_nodes *nodes, double upper_limit, dp2dp_error *error) {
    const dp2dpi_loss *loss = &nodes->loss;
    double s = loss->shift, h = line_step(loss), low = -s - tail_width;
    double high_max = NODES_MAX * h + low, high;
    if (upper_limit > 0.0) {
        high = s + dp2dpi_normal_upper_quantile(upper_limit);
    } else {
        double order_limit = 0.5 * ((high_max - tail_width) / s - 1.0);
        nodes->order_max = nodes->order_max < order_limit ? nodes->order_max : order_limit;
        high = s * (1.0 + 2.0 * nodes->order_max) + tail_width;
    }
    DP2DPI_TRY(check_end(nodes, high, high_max, error));
    size_t n = (size_t)((high - low) / h) + 2;
    DP2DPI_TRY(reserve(nodes, n, error));
    double log_h = dp2dpi_log(h) - 0.91893853320467274178;
    int plain =
        loss->kind == DP2DPI_LOSS_POISSON_ADD; /* 1 if P is the standard normal distribution */
    for (size_t i = 0; i < n; i++) {
        double x = low + (double)i * h;
        double mix = plain ? 0.0 : dp2dpi_log_mix(loss->q, s * x - 0.5 * s * s);
        nodes->log_weight[i] = log_h - 0.5 * x * x + mix;
        nodes->value[i] = dp2dpi_loss_at(loss, x);
    }
    return DP2DP_STATUS_OK;
}

/* Makes the nodes for sampling without replacement, whose loss has a kink at 0: Gauss panels on x >
 * 0, the mirror image of every node, and the point mass at 0. */
static dp2dp_status half_line_nodes(dp2dpi_nodes *nodes, double upper_limit, dp2dp_error *error) {
    const dp2dpi_loss *loss = &nodes->loss;
    double s = loss->shift, width = 3.0 / s < 1.0 ? 3.0 / s : 1.0;
    double high_max = (double)NODES_MAX / 32.0 * width, high;
    if (upper_limit > 0.0) {
        high = 0.5 * s + dp2dpi_normal_upper_quantile(upper_limit);
    } else {
        double order_limit = (high_max - tail_width) / s - 0.5;
        nodes->order_max = nodes->order_max < order_limit ? nodes->order_max : order_limit;
        high = s * (0.5 + nodes->order_max) + tail_width;
    }
    DP2DPI_TRY(check_end(nodes, high, high_max, error));
    size_t panels = (size_t)(high / width) + 1;
    DP2DPI_TRY(reserve(nodes, panels * 32 + 1, error));
    size_t k = 0;
    for (size_t panel = 0; panel < panels; panel++) {
        for (int i = 0; i < DP2DPI_GAUSS_POINTS; i++) {
            double x = width * ((double)panel + 0.5 * (1.0 + dp2dpi_gauss_node(i)));
            double log_lower = dp2dpi_log(0.5 * width * dp2dpi_gauss_weight(i)) -
                               0.91893853320467274178 - 0.5 * (x + 0.5 * s) * (x + 0.5 * s);
            double value = dp2dpi_loss_at(loss, x);
            nodes->log_weight[k] = log_lower + value;
            nodes->value[k++] = value;
            nodes->log_weight[k] = log_lower;
            nodes->value[k++] = -value;
        }
    }
    double lower = dp2dpi_normal_upper(0.5 * s);
    double mass_at_zero = 1.0 - loss->q * (1.0 - lower) - (2.0 - loss->q) * lower;
    nodes->log_weight[k] = mass_at_zero > 0.0 ? dp2dpi_log(mass_at_zero) : -1e6;
    nodes->value[k] = 0.0;
    return DP2DP_STATUS_OK;
}

static dp2dp_status declared_nodes(dp2dpi_nodes *nodes, dp2dp_error *error) {
    DP2DPI_TRY(reserve(nodes, 2, error));
    double epsilon = nodes->loss.epsilon, log_share = -dp2dpi_log1p(dp2dpi_exp(-epsilon));
    nodes->infinity = nodes->loss.delta;
    nodes->log_weight[0] = log_share;
    nodes->value[0] = epsilon;
    nodes->log_weight[1] = log_share - epsilon;
    nodes->value[1] = -epsilon;
    return DP2DP_STATUS_OK;
}

/* Makes the nodes for sampling with replacement. Only upper bounds on the privacy curve of this
 * sampling are known, so the points of the privacy-loss distribution of pld_pmf.h serve as nodes.
 * Each time the record is drawn, the loss changes by about p₊ μ, where p₊ is the probability that
 * the batch contains the record. So the grid is fine enough if its step is p₊ μ/50 and grows with
 * the loss. */
static dp2dp_status pmf_nodes(dp2dpi_nodes *nodes, double upper_limit, dp2dp_error *error) {
    const dp2dpi_loss *loss = &nodes->loss;
    dp2dpi_pld_pmf pmf;
    double any_draw = -dp2dpi_expm1(loss->draws * dp2dpi_log1p(-loss->q));
    double step = 0.02 * any_draw * (loss->shift < 1.0 ? loss->shift : 1.0);
    dp2dpi_grid grid = {.step = step,
                        .resolution = 64,
                        .upper_limit = upper_limit > 0.0 ? upper_limit : 1e-20 / loss->count};
    DP2DPI_TRY(dp2dpi_pld_pmf_new(loss, &grid, &pmf, error));
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(reserve(nodes, pmf.n, error));
    nodes->infinity = pmf.infinity;
    for (size_t k = 0; k < pmf.n; k++) {
        nodes->log_weight[k] = pmf.mass[k] > 0.0 ? dp2dpi_log(pmf.mass[k]) : -1e6;
        nodes->value[k] = (double)pmf.index[k] * pmf.step;
    }
done:
    dp2dpi_pld_pmf_free(&pmf);
    return status;
}

dp2dp_status dp2dpi_nodes_new(const dp2dpi_loss *loss, double order_max, double upper_limit,
                              dp2dpi_nodes *out, dp2dp_error *error) {
    *out = (dp2dpi_nodes) {.loss = *loss, .order_max = order_max};
    switch (loss->kind) {
    case DP2DPI_LOSS_GAUSSIAN:
        return DP2DP_STATUS_OK;
    case DP2DPI_LOSS_WITHOUT_REPLACEMENT:
        return half_line_nodes(out, upper_limit, error);
    case DP2DPI_LOSS_WITH_REPLACEMENT:
        return pmf_nodes(out, upper_limit, error);
    case DP2DPI_LOSS_DECLARED:
        return declared_nodes(out, error);
    default:
        return line_nodes(out, upper_limit, error);
    }
}

void dp2dpi_nodes_free(dp2dpi_nodes *nodes) {
    dp2dpi_free(nodes->log_weight);
    *nodes = (dp2dpi_nodes) {0};
}

static double peak(const dp2dpi_nodes *nodes, double lambda) {
    double highest = -INFINITY;
    for (size_t k = 0; k < nodes->n; k++) {
        double exponent = nodes->log_weight[k] + lambda * nodes->value[k];
        highest = exponent > highest ? exponent : highest;
    }
    return highest;
}

double dp2dpi_nodes_cgf(const dp2dpi_nodes *nodes, double lambda) {
    if (nodes->n == 0) {
        return 0.5 * lambda * (lambda + 1.0) * nodes->loss.shift * nodes->loss.shift;
    }
    double top = peak(nodes, lambda), sum = 0.0;
    for (size_t k = 0; k < nodes->n; k++) {
        sum += dp2dpi_exp_fast(nodes->log_weight[k] + lambda * nodes->value[k] - top);
    }
    return top + dp2dpi_log(sum);
}

dp2dpi_cumulants dp2dpi_nodes_cumulants(const dp2dpi_nodes *nodes, double lambda) {
    dp2dpi_cumulants out = {0};
    if (nodes->n == 0) {
        double square = nodes->loss.shift * nodes->loss.shift;
        out.k = 0.5 * lambda * (lambda + 1.0) * square;
        out.mean = (lambda + 0.5) * square;
        out.variance = square;
        out.magnitude = out.mean + nodes->loss.shift;
        return out;
    }
    double top = peak(nodes, lambda), sum = 0.0, first = 0.0, second = 0.0, magnitude = 0.0;
    for (size_t k = 0; k < nodes->n; k++) {
        double value = nodes->value[k];
        double weight = dp2dpi_exp_fast(nodes->log_weight[k] + lambda * value - top);
        sum += weight;
        first += weight * value;
        second += weight * value * value;
        magnitude += weight * fabs(value);
    }
    out.k = top + dp2dpi_log(sum);
    out.mean = first / sum;
    out.variance = second / sum - out.mean * out.mean;
    out.magnitude = magnitude / sum;
    return out;
}
