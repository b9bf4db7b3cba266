#include "common/random.h"

static uint64_t rotate(uint64_t x, int bits) {
    return (x << bits) | (x >> (64 - bits));
}

/* splitmix64, which turns any seed, even 0, into numbers that look random. */
static uint64_t mix(uint64_t *seed) {
    uint64_t x = *seed += 0x9E3779B97F4A7C15;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
}

cli_random cli_random_insecure(uint64_t seed) {
    cli_random random;
    for (int i = 0; i < 4; i++) {
        random.state[i] = mix(&seed);
    }
    return random;
}

/* xoshiro256** */
static uint64_t next(cli_random *random) {
    uint64_t *s = random->state;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate(s[3], 45);
    return result;
}

double cli_random_uniform(cli_random *random) {
    return (double)(next(random) >> 11) * 0x1p-53;
}

uint64_t cli_random_below(cli_random *random, uint64_t n) {
    uint64_t mask = n - 1;
    for (int shift = 1; shift < 64; shift *= 2) {
        mask |= mask >> shift;
    }
    uint64_t x;
    do {
        x = next(random) & mask;
    } while (x >= n);
    return x;
}

/* Returns 1 with probability e^-a, for 0 <= a <= 1. Draws u1, u2, … uniform on [0, 1) as long as a
 * > u1 > u2 > … With probability a^m / m!, this chain has at least m numbers. So its length is even
 * with probability 1 - a + a^2/2 - … = e^-a. */
static int happens(cli_random *random, double a) {
    int even = 1;
    double last = a, u = cli_random_uniform(random);
    while (u < last) {
        even = !even;
        last = u;
        u = cli_random_uniform(random);
    }
    return even;
}

static int happens_often(cli_random *random, double a, uint64_t times) {
    while (times > 0 && happens(random, a)) {
        times--;
    }
    return times == 0;
}

/* Draws |x| = k + f, with k whole and f in [0, 1). The density is proportional to exp(-(k + f)^2 /
 * 2) = exp(-k/2) exp(-k(k-1)/2) exp(-f(2k + f)/2). The first factor is the geometric distribution
 * from which k is drawn. The values k and f are kept with a probability equal to the product of the
 * other two factors, and otherwise drawn again. The sign is random. */
double cli_random_normal(cli_random *random) {
    for (;;) {
        uint64_t k = 0;
        while (happens(random, 0.5)) {
            k++;
        }
        if (k > 1 && !happens_often(random, 0.5, k * (k - 1))) {
            continue;
        }
        double f = cli_random_uniform(random);
        double exponent = f * ((double)(2 * k) + f) / 2;
        if (happens_often(random, exponent / (double)(k + 1), k + 1)) {
            double x = (double)k + f;
            return next(random) >> 63 ? x : -x;
        }
    }
}
