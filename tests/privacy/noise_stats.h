/* Statistics that try to tell a sampler from the distribution it claims: the discrete Gaussian for
 * noise, independent draws of rate q for a mask. Passing proves nothing; the proof is
 * docs/proofs/discrete-gaussian.md. A p-value is the probability that a sound sampler gives a
 * statistic at least as extreme. */
#ifndef DP2DP_TESTS_PRIVACY_NOISE_STATS_H
#define DP2DP_TESTS_PRIVACY_NOISE_STATS_H

#include "support.h"

#include "noise/noise.h"

/* The p-values of a sound sampler must be at least P_ALARM, that of a planted fault below P_CAUGHT.
 * With random seeds a sound sampler would fail one check in a million; the seeds are fixed. */
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

/* Two-sided p-value of a Poisson count n: twice the smaller of P(X ≥ n) = 1 − Q(n, mean) and
 * P(X ≤ n) = Q(n + 1, mean). */
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
    TAILS = 3,
    CHUNK = 10000 /* draws per call of a sampler */
};

/* Counts over a stream of draws y of one scale s. Draws 2i and 2i + 1 are a pair: two coordinates
 * of one release. */
typedef struct battery {
    double scale;
    int64_t edges[BINS - 1];
    uint64_t n, pairs;
    uint64_t bin[BINS];                  /* equal probability under the claimed law */
    uint64_t pair[PAIR_BINS][PAIR_BINS]; /* bins of consecutive draws y[i], y[i + 1] */
    uint64_t low[LOW_BINS];              /* the lowest eight bits */
    uint64_t tail[TAILS];                /* beyond 3, 4, 5 standard deviations */
    uint64_t positive, negative, equal;  /* equal: pairs of two equal draws */
    double squares, products;            /* Σ (y/s)², Σ y[2i] y[2i+1] / s² */
    int last_bin;
} battery;

/* What each p-value is about. */
enum {
    QUANTILES,
    PAIRS,
    LOW_BITS,
    TAIL, /* and the two after it: beyond 3, 4, 5 standard deviations */
    SIGN = TAIL + TAILS,
    VARIANCE,
    CORRELATION,
    EQUAL,
    STATISTICS
};

typedef struct battery_p {
    double p[STATISTICS];
} battery_p;

/* The bins are those of the continuous Gaussian, so s must be large: the two distribution functions
 * differ by up to 1/s, which must be far below 1/√n for n draws. */
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
    double n = (double)b->n;
    battery_p out = {{
        [QUANTILES] = uniform_p(b->bin, BINS),
        [PAIRS] = uniform_p(&b->pair[0][0], (size_t)PAIR_BINS * PAIR_BINS),
        [LOW_BITS] = uniform_p(b->low, LOW_BINS),
        [SIGN] = normal_p(((double)b->positive - (double)b->negative) /
                          sqrt((double)(b->positive + b->negative))),
        [VARIANCE] = normal_p((b->squares - n) / sqrt(2 * n)),
        [CORRELATION] = normal_p(b->products / sqrt((double)b->pairs)),
        /* P(y = y') = 1/(2 s √π) for two independent draws. */
        [EQUAL] = poisson_p((double)b->equal, (double)b->pairs / (2 * b->scale * sqrt(M_PI))),
    }};
    for (int t = 0; t < TAILS; t++) {
        out.p[TAIL + t] = poisson_p((double)b->tail[t], n * erfc((3 + t) / sqrt(2.0)));
    }
    return out;
}

/* Draws CHUNK numbers with the given scale: `gaussian` below, or a sampler with a planted fault. */
typedef void sampler(dp2dpi_rng *rng, uint64_t scale, int64_t *out);

static inline void gaussian(dp2dpi_rng *rng, uint64_t scale, int64_t *out) {
    assert_ok(dp2dpi_noise_gaussian(rng, scale, CHUNK, out, NULL));
}

static inline battery_p examine(dp2dpi_rng *rng, sampler *sample, uint64_t scale, uint64_t draws) {
    static battery b;
    static int64_t chunk[CHUNK];
    battery_start(&b, scale);
    for (uint64_t done = 0; done < draws; done += CHUNK) {
        sample(rng, scale, chunk);
        battery_add(&b, chunk, CHUNK);
    }
    return battery_finish(&b);
}

static inline double smallest(battery_p all) {
    double least = 1;
    for (int i = 0; i < STATISTICS; i++) {
        least = all.p[i] < least ? all.p[i] : least;
    }
    return least;
}

/* Counts over masks of n records that claim independent draws of rate q. */
typedef struct masks {
    double n, q, batches;
    double included, both; /* records drawn; neighbours 2i and 2i + 1 that are both drawn */
    double squares;        /* Σ (batch size − nq)² / (nq(1 − q)) */
} masks;

static inline void masks_add(masks *m, const uint8_t *mask) {
    double size = 0, mean = m->n * m->q;
    for (int k = 0; k < (int)m->n; k++) {
        size += mask[k];
        m->both += k % 2 == 1 && mask[k] && mask[k - 1];
    }
    m->included += size;
    m->squares += (size - mean) * (size - mean) / (mean * (1 - m->q));
    m->batches++;
}

static inline double masks_rate_p(const masks *m) {
    double mean = m->n * m->batches * m->q;
    return normal_p((m->included - mean) / sqrt(mean * (1 - m->q)));
}

/* The variance of one term of `squares` is 2 + (1 − 6q(1 − q))/(nq(1 − q)). */
static inline double masks_batch_size_p(const masks *m) {
    double q = m->q, variance = 2 + (1 - 6 * q * (1 - q)) / (m->n * q * (1 - q));
    return normal_p((m->squares - m->batches) / sqrt(m->batches * variance));
}

#endif
