#include "phase2/rule.h"

#include <math.h>

#include <dp2dp/model.h>

void dp2dpi_rule_shares(const double *counts, size_t strata, double records, double floor_share,
                        double *shares) {
    double sum = 0.0;
    for (size_t e = 0; e < strata; e++) {
        sum += counts[e];
    }
    double excess = (sum - records) / (double)strata, total = 0.0;
    for (size_t e = 0; e < strata; e++) {
        double share = (counts[e] - excess) / records;
        shares[e] = share > floor_share ? share : floor_share;
        total += shares[e];
    }
    for (size_t e = 0; e < strata; e++) {
        shares[e] /= total;
    }
}

int dp2dpi_rule_is_floored(const double *shares, size_t strata, double floor_share) {
    size_t e = 0;
    while (e < strata && shares[e] > floor_share) {
        e++;
    }
    return e < strata;
}

double dp2dpi_rule_kept(const double *counts, size_t strata, double records) {
    double sum = 0.0;
    for (size_t e = 0; e <= strata; e++) {
        sum += counts[e];
    }
    double kept = records - (counts[strata] - (sum - records) / (double)(strata + 1));
    return fmin(fmax(kept, 1.0), records);
}

unsigned dp2dpi_rule_warn_kept(double kept, double records) {
    return kept < 0.5 * records ? DP2DP_WARNING_MOST_LEFT_OUT : 0U;
}

/* The records that are left out are clearly many if they are at least the share many_left of all
 * records, and more than clearly_left standard deviations of the noise. */
static const double many_left = 0.05, clearly_left = 5.0;

uint64_t dp2dpi_rule_tell_kept(double kept, double records, double precision) {
    double left = records - kept, noise = precision > 0.0 ? sqrt(1.0 / precision) : 0.0;
    return left >= many_left * records && left > clearly_left * noise ? (uint64_t)llround(kept) : 0;
}

static double soft(double x, double kappa) {
    return x > kappa ? x - kappa : x < -kappa ? x + kappa : 0.0;
}

static double length_of(const dp2dpi_rule_class *c, size_t stratum) {
    return c->lengths ? c->lengths[stratum * c->stride] : 1.0;
}

static double share_of(const dp2dpi_rule_class *c, size_t stratum) {
    return c->shares[c->share_stride > 1 ? stratum * c->share_stride : stratum];
}

static double kappa_of(const dp2dpi_rule_class *c, size_t stratum) {
    return c->kappas ? c->kappas[stratum * c->stride] : c->kappa;
}

static double weighted_soft(const dp2dpi_rule_class *c, const double *x, double tau) {
    double sum = 0.0;
    for (size_t e = 0; e < c->strata; e++) {
        double length = length_of(c, e);
        sum += share_of(c, e) * soft(x[e * c->stride] - tau * length, kappa_of(c, e) * length);
    }
    return sum;
}

/* Finds by bisection the τ for which Σ_g π_g θ_g = 0; dp2dpi_rule_prox defines the symbols. low and
 * high are the smallest and the largest x_g/η_g. At τ = low − κ no θ_g is negative, and at τ = high
 * + κ none is positive, so a solution lies between these two values of τ. The sum never increases
 * as τ grows. There may be several solutions, because the sum is 0 wherever every θ_g is 0. */
static double centre(const dp2dpi_rule_class *c, const double *x, double low, double high) {
    double tau = 0.0;
    low -= c->kappa;
    high += c->kappa;
    for (int i = 0; i < 80; i++) {
        tau = 0.5 * (low + high);
        double sum = weighted_soft(c, x, tau);
        if (sum > 0.0) {
            low = tau;
        } else if (sum < 0.0) {
            high = tau;
        } else {
            break;
        }
    }
    return tau;
}

void dp2dpi_rule_prox(const dp2dpi_rule_class *c, double *x) {
    double low = x[0] / length_of(c, 0), high = low, sum = 0.0, weight = 0.0;
    for (size_t e = 0; e < c->strata; e++) {
        double length = length_of(c, e), value = x[e * c->stride] / length;
        low = value < low ? value : low;
        high = value > high ? value : high;
        sum += share_of(c, e) * x[e * c->stride];
        weight += share_of(c, e) * length;
    }
    double tau = c->kappa > 0.0 ? centre(c, x, low, high) : sum / weight;
    for (size_t e = 0; e < c->strata; e++) {
        double length = length_of(c, e);
        double value = soft(x[e * c->stride] - tau * length, kappa_of(c, e) * length);
        value = value > c->offset_max ? c->offset_max : value;
        x[e * c->stride] = value < -c->offset_max ? -c->offset_max : value;
    }
}
