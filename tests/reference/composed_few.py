"""Generates composed_few.csv: a bracket around the eps of T = 2 to 19 Poisson-sampled releases.

Provenance: the definition, one release at a time, with no code or values of the library under test.
With L the loss of one release and P its first distribution,

    delta_{t+1}(eps) = integral of P(x) delta_t(eps - L(x)) dx,

where delta_1 is the closed form. The integral over the output x uses the trapezoidal rule, with nodes
that are dense where L(x) is near eps. Between knots in eps, log delta_t is a cubic spline. Everything is
computed twice, with different nodes and knots, and the bracket encloses both results. For add/remove,
eps is the larger of its two directions.

Rows on which the two evaluations differ by more than AGREE are left out. The contour integral of
contour.py, another method, checks every row on which it converges at the first attempt; the script fails
if the two are more than CONTOUR apart. It is not the reference here because it is less exact for few
releases with a nearly discrete loss: at T = 2, sigma 0.5, q 0.001, delta 1e-5, add/remove, adaptive
quadrature in 20 digits agrees with this script, and contour.py is 1.1e-4 above.
"""
import itertools
import math
import multiprocessing

import numpy as np
from scipy import interpolate, special

import contour
import table

SETTINGS = [(0.7, 0.005), (0.7, 0.1), (1.0, 0.001), (1.0, 0.5), (2.0, 0.02), (6.0, 0.1),
            (6.0, 0.005)]  # sigma, q
COUNTS = [2, 3, 5, 8, 13, 19]
DELTAS = [1e-3, 1e-5, 1e-9]
NODES = [(0.06, 2000), (0.05, 2600)]  # step of the integral, number of knots
AGREE = 1e-5  # relative difference of the two evaluations
CONTOUR = 1e-5
SMALLEST = 1e-26  # values of delta below this are taken as 0


def log_tail(u):
    return special.log_ndtr(-u)


def single(pair, z, q, eps):
    """delta_1(eps), at any real eps."""
    eps = np.asarray(eps, dtype=float)
    e = np.exp(np.minimum(eps, 700.0))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if pair == "replace":
            # q a y^2 + (1-q)(1-e^eps) y - e^eps q a = 0 with y = exp(x/z^2), a = exp(-1/(2z^2))
            a, b = q * math.exp(-0.5 / (z * z)), (1 - q) * np.expm1(eps)
            root = np.sqrt(b * b + 4 * a * a * e)
            y = np.where(b > 0, (b + root) / (2 * a), 2 * a * e / (root - b))
            u = z * np.log(y)
            up, at, down = (np.exp(log_tail(u - k / z)) for k in (1, 0, -1))
            value = q * up - q * e * down - (1 - q) * np.expm1(eps) * at
            return np.clip(value, 0.0, 1.0)
        if pair == "remove":
            u = z * np.log((np.expm1(eps) + q) / q) + 0.5 / z
            up, at = np.exp(log_tail(u - 1 / z)), np.exp(log_tail(u))
            value = q * up - (np.expm1(eps) + q) * at
            return np.where(e <= 1 - q, -np.expm1(eps), np.clip(value, 0.0, 1.0))
        u = z * np.log((np.expm1(-eps) + q) / q) + 0.5 / z
        at, down = np.exp(log_tail(-u)), np.exp(log_tail(-u + 1 / z))
        value = -np.expm1(eps) * at + e * q * (at - down)
        return np.where(np.exp(-eps) <= 1 - q, 0.0, np.clip(value, 0.0, 1.0))


class Compositions:
    """delta_1, delta_2, ... of one pair, each as a function of eps."""

    def __init__(self, pair, z, q, nodes):
        self.pair, self.z, self.q, self.reach = pair, z, q, 13.0 + 1 / z
        self.step, self.knots = nodes
        u = np.linspace(-self.reach, self.reach, 20001)
        loss = self.loss_at(u)
        self.extreme = np.abs(loss).max()
        self.scale = np.median(np.abs(self.loss_at(np.linspace(-2, 2, 401))))
        order = np.argsort(loss)
        self.table = loss[order], u[order], np.gradient(loss, u)[order]
        self.delta = lambda eps: single(pair, z, q, eps)

    def loss_at(self, u):
        up = contour.log_mixture((u - 0.5 / self.z) / self.z, self.q)
        if self.pair == "replace":
            return up - contour.log_mixture((-u - 0.5 / self.z) / self.z, self.q)
        return up if self.pair == "remove" else -up

    def density_at(self, u):
        phi = np.exp(-0.5 * u * u) / math.sqrt(2 * math.pi)
        mixed = np.exp(contour.log_mixture((u - 0.5 / self.z) / self.z, self.q))
        return phi if self.pair == "add" else phi * mixed

    def integrate(self, before, eps):
        # delta_t(eps - L(x)) changes fast near L(x) = eps. The nodes are dense there.
        loss, u, slope = self.table
        centre = np.interp(eps, loss, u)
        width = min(self.scale / max(abs(np.interp(eps, loss, slope)), 1e-300), 1.0)
        low, high = (math.asinh((end - centre) / width) for end in (-self.reach, self.reach))
        v = np.arange(math.floor(low / self.step), math.ceil(high / self.step) + 1) * self.step
        x = centre + width * np.sinh(v)
        weight = self.step * width * np.cosh(v) * self.density_at(x)
        return weight @ before(eps - self.loss_at(x))

    def compose(self, t):
        """Moves from delta_t to delta_{t+1}."""
        before, top = self.delta, (t + 1) * self.extreme
        graded = np.sinh(np.linspace(-1, 1, self.knots) * math.asinh(top / self.scale)) * self.scale
        value = np.array([self.integrate(before, eps) for eps in graded])
        keep = value > SMALLEST
        spline = interpolate.CubicSpline(graded[keep], np.log(np.minimum(value[keep], 1.0)))
        low, high = graded[keep][0], graded[keep][-1]

        def after(eps):
            inside = np.exp(np.minimum(spline(np.clip(eps, low, high)), 0.0))
            return np.where(eps > high, 0.0, np.where(eps < low, -np.expm1(np.minimum(eps, 0.0)),
                                                      inside))

        self.delta = after

    def epsilon(self, delta):
        if self.delta(np.array(0.0)) <= delta:
            return 0.0
        lo, hi = 0.0, 1e-6
        while self.delta(np.array(hi)) > delta:
            lo, hi = hi, 2 * hi
        for _ in range(100):
            middle = 0.5 * (lo + hi)
            lo, hi = (middle, hi) if self.delta(np.array(middle)) > delta else (lo, middle)
        return hi


def by_definition(relation, z, q, nodes):
    """{(T, delta): eps}"""
    best = {}
    for pair in contour.PAIRS[relation]:
        chain = Compositions(pair, z, q, nodes)
        for t in range(1, max(COUNTS)):
            chain.compose(t)
            for delta in DELTAS if t + 1 in COUNTS else ():
                best[t + 1, delta] = max(best.get((t + 1, delta), 0.0), chain.epsilon(delta))
    return best


def check(relation, z, q, T, delta, lower, upper):
    """The relative distance from the contour integral; None if that does not converge."""
    try:
        low, high = contour.epsilon_of(relation, z, q, T, delta, 1)
    except contour.NotConverged:
        return None
    return max(low / upper - 1, lower / high - 1, 0.0)


def rows_of(setting):
    relation, (z, q) = setting
    evaluations = [by_definition(relation, z, q, nodes) for nodes in NODES]
    rows, apart = [], []
    for T, delta in itertools.product(COUNTS, DELTAS):
        lower, upper = sorted(e[T, delta] for e in evaluations)
        if upper == 0.0:
            continue
        width = upper - lower
        if width > AGREE * upper:
            print("left out:", relation, z, q, T, delta, lower, upper, flush=True)
            continue
        lower, upper = (lower - 2 * width) * (1 - 1e-9), (upper + 2 * width) * (1 + 1e-9)
        rows.append([z, q, T, delta, relation, lower, upper])
        apart.append(check(relation, z, q, T, delta, lower, upper))
    print(relation, z, q, len(rows), max(a or 0.0 for a in apart), flush=True)
    return rows, apart


def main():
    settings = list(itertools.product(contour.PAIRS, SETTINGS))
    with multiprocessing.Pool(3) as pool:
        parts = pool.map(rows_of, settings, chunksize=1)
    rows = [row for part in parts for row in part[0]]
    apart = [a for part in parts for a in part[1]]
    checked = sorted(a for a in apart if a is not None)
    print("widest bracket:", max(r[-1] / r[-2] - 1 for r in rows))
    print("checked by contour integrals:", len(checked), "of", len(rows), "largest:", checked[-5:])
    assert checked[-1] <= CONTOUR
    table.write("composed_few.csv", "composed_few.py: the definition, one release at a time",
                ["sigma", "q", "T", "delta", "relation", "lower", "upper"], rows)


if __name__ == "__main__":
    main()
