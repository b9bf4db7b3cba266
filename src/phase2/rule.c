#include "phase2/rule.h"

#include <math.h>

void dp2dpi_rule_shares(const double *counts, size_t events, double records, double floor_share,
                        double *shares) {
    double sum = 0.0;
    for (size_t e = 0; e < events; e++) {
        sum += counts[e];
    }
    double excess = (sum - records) / (double)events, total = 0.0;
    for (size_t e = 0; e < events; e++) {
        double share = (counts[e] - excess) / records;
        shares[e] = share > floor_share ? share : floor_share;
        total += shares[e];
    }
    for (size_t e = 0; e < events; e++) {
        shares[e] /= total;
    }
}

static double soft(double x, double kappa) {
    return x > kappa ? x - kappa : x < -kappa ? x + kappa : 0.0;
}

static double weighted_soft(const double *x, size_t events, size_t stride, const double *shares,
                            double tau, double kappa) {
    double sum = 0.0;
    for (size_t e = 0; e < events; e++) {
        sum += shares[e] * soft(x[e * stride] - tau, kappa);
    }
    return sum;
}

void dp2dpi_rule_prox(double *x, size_t events, size_t stride, const double *shares, double kappa,
                      double offset_max) {
    double low = x[0], high = x[0], tau = 0.0;
    for (size_t e = 0; e < events; e++) {
        double value = x[e * stride];
        low = value < low ? value : low;
        high = value > high ? value : high;
        tau += shares[e] * value; /* the answer at κ = 0 */
    }
    if (kappa > 0.0) {
        low -= kappa;
        high += kappa;
        for (int i = 0; i < 80; i++) { /* decreasing in τ; flat where all are within κ */
            tau = 0.5 * (low + high);
            double sum = weighted_soft(x, events, stride, shares, tau, kappa);
            if (sum > 0.0) {
                low = tau;
            } else if (sum < 0.0) {
                high = tau;
            } else {
                break;
            }
        }
    }
    for (size_t e = 0; e < events; e++) {
        double value = soft(x[e * stride] - tau, kappa);
        value = value > offset_max ? offset_max : value < -offset_max ? -offset_max : value;
        x[e * stride] = value;
    }
}
