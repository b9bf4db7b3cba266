/* Statistics that try to tell a sampler from the discrete Gaussian it claims to be. Passing proves
 * nothing; the proof is docs/proofs/discrete-gaussian.md. Each p-value is the false-alarm rate at
 * which the sound sampler would be accused. */
#ifndef DP2DP_TESTS_PRIVACY_NOISE_STATS_H
#define DP2DP_TESTS_PRIVACY_NOISE_STATS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Sound samplers must stay above the first, planted faults must fall below the second. The seeds
 * are fixed; were they not, a sound sampler would fail one check in a million. */
static const double P_ALARM = 1e-6;
static const double P_CAUGHT = 1e-12;

/* Upper tail of the gamma distribution, Q(a, x): series for P below the mean, continued fraction
 * above. */
static inline double gamma_upper(double a, double x) {
    if (x <= 0) {
        return 1;
    }
    double front = exp(a * log(x) - x - lgamma(a));
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (int i = 1; i < 10000 && term > 1e-17 * sum; i++) {
            term *= x / (a + i);
            sum += term;
        }
        return 1 - front * sum;
    }
    double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
    for (int i = 1; i < 10000; i++) {
        double an = -i * (i - a);
        b += 2;
        d = 1 / (an * d + b);
        c = b + an / c;
        h *= d * c;
        if (fabs(d * c - 1) < 1e-15) {
            break;
        }
    }
    return front * h;
}

static inline double chi_square_p(double statistic, double degrees) {
    return gamma_upper(degrees / 2, statistic / 2);
}

static inline double normal_p(double z) {
    return erfc(fabs(z) / sqrt(2.0));
}

/* Twice the smaller tail of a Poisson count: P(X ≥ n) = 1 − Q(n, mean), P(X ≤ n) = Q(n+1, mean). */
static inline double poisson_p(double count, double mean) {
    double below = gamma_upper(count + 1, mean);
    double above = count > 0 ? 1 - gamma_upper(count, mean) : 1;
    double p = 2 * (below < above ? below : above);
    return p < 1 ? p : 1;
}

static inline double normal_cdf(double x) {
    return 0.5 * erfc(-x / sqrt(2.0));
}

enum {
    BINS = 256,
    PAIR_BINS = 16,
    LOW_BINS = 256,
    TAILS = 3
};

/* Everything counted about a stream of draws of one scale; y arrives in pairs (two coordinates of
 * one release). */
typedef struct battery {
    double scale;
    int64_t edges[BINS - 1];
    uint64_t n, pairs;
    uint64_t bin[BINS];                  /* equal probability under the claimed law */
    uint64_t pair[PAIR_BINS][PAIR_BINS]; /* bins of y[i], y[i+1] over i */
    uint64_t low[LOW_BINS];              /* lowest eight bits */
    uint64_t tail[TAILS];                /* beyond 3, 4, 5 standard deviations */
    uint64_t positive, negative, equal;  /* equal: both coordinates of a pair the same */
    double squares, products;            /* Σ (y/s)², Σ y[2i] y[2i+1] / s² */
    int last_bin;
} battery;

typedef struct battery_p {
    double quantiles, pairs, low_bits, tail[TAILS], sign, variance, correlation, equal;
} battery_p;

/* Scales large enough for the continuous cdf to stand for the discrete one: the difference, below
 * 1/s, must be far below 1/√n. */
static inline void battery_start(battery *b, uint64_t s) {
    memset(b, 0, sizeof *b);
    b->scale = (double)s;
    b->last_bin = -1;
    for (int i = 0; i < BINS - 1; i++) {
        double low = -10, high = 10, target = (i + 1) / (double)BINS;
        for (int step = 0; step < 100; step++) {
            double mid = (low + high) / 2;
            *(normal_cdf(mid) < target ? &low : &high) = mid;
        }
        b->edges[i] = (int64_t)llround(high * (double)s);
    }
}

static inline int battery_bin(const battery *b, int64_t y) {
    int low = 0, high = BINS - 1;
    while (low < high) {
        int mid = (low + high) / 2;
        if (y < b->edges[mid]) {
            high = mid;
        } else {
            low = mid + 1;
        }
    }
    return low;
}

static inline void battery_add(battery *b, const int64_t *y, size_t n) {
    for (size_t i = 0; i < n; i++) {
        int bin = battery_bin(b, y[i]);
        double x = (double)y[i] / b->scale;
        b->bin[bin]++;
        if (b->last_bin >= 0) {
            b->pair[b->last_bin / (BINS / PAIR_BINS)][bin / (BINS / PAIR_BINS)]++;
        }
        b->last_bin = bin;
        b->low[(uint64_t)y[i] % LOW_BINS]++;
        for (int t = 0; t < TAILS; t++) {
            b->tail[t] += fabs(x) > 3 + t;
        }
        b->positive += y[i] > 0;
        b->negative += y[i] < 0;
        b->squares += x * x;
        if (i % 2 == 1) {
            b->products += x * (double)y[i - 1] / b->scale;
            b->equal += y[i] == y[i - 1];
            b->pairs++;
        }
    }
    b->n += n;
}

static inline double uniform_p(const uint64_t *count, size_t cells) {
    double total = 0, statistic = 0;
    for (size_t i = 0; i < cells; i++) {
        total += (double)count[i];
    }
    for (size_t i = 0; i < cells; i++) {
        double excess = (double)count[i] - total / (double)cells;
        statistic += excess * excess / (total / (double)cells);
    }
    return chi_square_p(statistic, (double)cells - 1);
}

static inline battery_p battery_finish(const battery *b) {
    battery_p p;
    double n = (double)b->n;
    p.quantiles = uniform_p(b->bin, BINS);
    p.pairs = uniform_p(&b->pair[0][0], (size_t)PAIR_BINS * PAIR_BINS);
    p.low_bits = uniform_p(b->low, LOW_BINS);
    for (int t = 0; t < TAILS; t++) {
        p.tail[t] = poisson_p((double)b->tail[t], n * erfc((3 + t) / sqrt(2.0)));
    }
    p.sign = normal_p(((double)b->positive - (double)b->negative) /
                      sqrt((double)(b->positive + b->negative)));
    p.variance = normal_p((b->squares - n) / sqrt(2 * n));
    p.correlation = normal_p(b->products / sqrt((double)b->pairs));
    /* P(y = y') = 1/(2 s √π) for two independent draws. */
    p.equal = poisson_p((double)b->equal, (double)b->pairs / (2 * b->scale * sqrt(M_PI)));
    return p;
}

static inline double battery_smallest(const battery_p *p) {
    const double all[] = {p->quantiles, p->pairs, p->low_bits, p->tail[0],     p->tail[1],
                          p->tail[2],   p->sign,  p->variance, p->correlation, p->equal};
    double smallest = 1;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        smallest = all[i] < smallest ? all[i] : smallest;
    }
    return smallest;
}

#endif
