"""Generates fixed_size_single.csv: one release with a fixed-size batch under replace-one adjacency.

Provenance: the formulas for the two samplers, coded directly. delta_G(eps; mu) is the curve of the
Gaussian mechanism, z the noise. Without replacement, batch share q, in 60 digits:
            delta(log(1 + q(e^eps - 1))) = q delta_G(eps; 2/z).
With replacement, b draws, each of the record with probability p = 1/n, and w = Bin(b, p):
    simple  p+ = 1 - (1-p)^b,  delta(log(1 + p+(e^eps - 1))) <= sum_k w_k delta_G(eps; 2k/z)
    tight   delta(eps) <= Pr[Bin > M] + sum_{k=1..M} w_k H_{c_k}(2k/z), a = e^eps,
            H_c(m) = Phi(m/2 - ln c/m) - c Phi(-m/2 - ln c/m), c_0 = 1, and for J = 1..M+1
            sum_{k<J} w_k c_k <= a sum_{k<J} w_k:  c_k = exp(2k(t-k)/z^2) with t from the last
            condition, or, if an earlier one fails, c_k = max(a, exp(2k(t-k)/z^2)) with t from
            sum_{k>=1} w_k (c_k - a) = (a-1) w_0.
`epsilon` is the smaller of the two bounds. `lower` is attained if every other record contributes 0:
sum_k w_k N(k, z^2) against sum_k w_k N(-k, z^2) (without replacement: k = 0 or 1).
"""
import math

import mpmath as mp
import numpy as np
from scipy import optimize, special, stats

import table
from gaussian_exact import delta_of, invert
from poisson_single import epsilon_single

DELTAS = ["1e-2", "1e-5", "1e-6", "1e-9", "1e-12"]
WITHOUT = [(z, q) for z in ("0.5", "1", "2", "4", "10", "40", "1000")
           for q in ("1e-5", "0.001", "0.013", "0.1", "0.5", "1")]
WITH = [("0.5", 100000, 100), ("1", 100000, 100), ("1", 100000, 10000), ("2", 100000, 1300),
        ("4", 100000, 100), ("4", 100000, 6400), ("10", 100000, 100), ("10", 100000, 10000),
        ("40", 100000, 1300), ("40", 100000, 10000), ("4", 20, 10), ("10", 100, 100),
        ("2", 1000, 1), ("8", 500, 250), ("20", 50, 200)]


def epsilon_without(z, q, delta):
    z, q, delta = mp.mpf(z), mp.mpf(q), mp.mpf(delta)
    inner = invert(lambda e: q * delta_of(e, 2 / z), delta, 1 / z)
    return mp.log1p(q * mp.expm1(inner))


def hockey(log_c, mu):
    """H_c(mu) for arrays of log c and mu."""
    return special.ndtr(mu / 2 - log_c / mu) \
        - np.exp(log_c + special.log_ndtr(-mu / 2 - log_c / mu))


class WithReplacement:
    """b draws from n records; k is how often one record is drawn, w_k its probability."""

    def __init__(self, z, n, b):
        self.z, self.b, self.p = z, b, 1.0 / n
        top = 1
        while top < b and stats.binom.sf(top, b, self.p) > 1e-24:
            top += 1
        self.k = np.arange(0, top + 1)
        self.w = stats.binom.pmf(self.k, b, self.p)
        self.beyond = float(stats.binom.sf(self.k[-1], b, self.p))

    def curve(self, eps):
        """The smaller of the bounds simple and tight, for an array of eps."""
        k, w, z, a = self.k, self.w, self.z, np.exp(eps)[:, None]
        plus = -math.expm1(self.b * math.log1p(-self.p))
        mu = 2 * k[1:] / z
        inner = np.log1p(np.expm1(eps) / plus)
        simple = hockey(inner[:, None], mu) @ w[1:] + self.beyond

        def bisect(excess):
            high = np.full(len(eps), self.k[-1] + z * z * (eps.max() + 80) + 1)
            low = -high
            for _ in range(110):
                mid = (low + high) / 2
                above = excess(mid) > 0
                low, high = np.where(above, low, mid), np.where(above, mid, high)
            return low[:, None]

        def log_c(t):
            return 2 * k * (t - k) / z ** 2

        def last(t):
            return np.exp(np.minimum(log_c(t[:, None]), 600)) @ w - a[:, 0] * w.sum()

        def other(t):
            c = np.exp(np.minimum(np.maximum(eps[:, None], log_c(t[:, None])[:, 1:]), 600))
            return (c - a) @ w[1:] - np.expm1(eps) * w[0]

        c = log_c(bisect(last))
        fails = np.any(np.cumsum(w * np.exp(np.minimum(c, 600)), axis=1)
                       > a * np.cumsum(w) * (1 + 1e-13), axis=1)
        c = np.where(fails[:, None], np.maximum(eps[:, None], log_c(bisect(other))), c)
        tight = hockey(c[:, 1:], mu) @ w[1:] + self.beyond
        return np.minimum(simple, tight)

    def attained(self, eps):
        k, w, z = self.k, self.w, self.z
        with np.errstate(divide="ignore"):
            log_w = np.log(w)

        def loss(u):
            up = special.logsumexp(log_w + k * u / z - k * k / (2 * z * z))
            return up - special.logsumexp(log_w - k * u / z - k * k / (2 * z * z))

        reach = 1.0
        while loss(reach) < eps:
            reach *= 2
        u = optimize.brentq(lambda x: loss(x) - eps, -1e-9, reach, xtol=1e-14, rtol=1e-15)
        return float(w @ special.ndtr(k / z - u)) \
            - math.exp(eps) * float(w @ special.ndtr(-k / z - u))

    def epsilon(self, delta):
        return solve(lambda eps: float(self.curve(np.array([eps]))[0]), delta)


def solve(curve, delta):
    if curve(0.0) <= delta:
        return 0.0
    high = 1e-4
    while curve(high) > delta:
        high *= 2
    return optimize.brentq(lambda e: math.log(max(curve(e), 1e-300) / delta), 0.0, high,
                           xtol=1e-15, rtol=1e-13)


def main():
    rows = []
    for z, q in WITHOUT:
        for delta in DELTAS:
            eps = epsilon_without(float(z), float(q), float(delta))
            lower = epsilon_single("REPLACE_ONE", mp.mpf(float(z)), mp.mpf(float(q)),
                                   mp.mpf(float(delta)))
            rows.append(["without", z, q, 0, 0, delta, mp.nstr(lower, 17), mp.nstr(eps, 17)])
    for z, n, b in WITH:
        mechanism = WithReplacement(float(z), n, b)
        for delta in DELTAS:
            lower = solve(mechanism.attained, float(delta))
            rows.append(["with", z, b / n, n, b, delta, repr(lower),
                         repr(mechanism.epsilon(float(delta)))])
    table.write("fixed_size_single.csv", "fixed_size_single.py: closed forms, mpmath and numpy",
                ["sampler", "sigma", "q", "population", "draws", "delta", "lower", "epsilon"], rows)


if __name__ == "__main__":
    main()
