"""The delta and eps of T releases by a contour integral; used by the generators in this folder.

Provenance: written from the definition of the privacy-loss distribution, with no code or values of
the library under test. A release has distribution P or Q, loss L = log dP/dQ and moment
M(s) = E_P[exp(s L)]. The Laplace transform of y -> max(0, 1 - exp(-y)) is 1/(s(s+1)), so for T
independent releases and any c > 0

    delta(eps) = 1/(2 pi i) * integral over Re s = c of  M(s)^T exp(-s eps) / (s (s+1)) ds.

With c near the saddle point nothing cancels, so delta has full relative precision however small it
is. The integral over s = c + it and the one over the output x in M(s) use the trapezoidal rule. Over
t, with step dt, its error is the sum of delta(eps +- k W) exp(-+ c k W) for k >= 1 and
W = 2 pi / dt. Over x the error decays exponentially, because the integrand is analytic. Everything
is computed twice, with different c, dt and dx, and the bracket encloses both results. Outputs x
beyond a point where P has mass `tail` are left out; `tail` is so small (1e-13 delta/T) that the
padding of the bracket covers them.

The noise has standard deviation z and a record has norm 1. `pair` is one of
    replace   (1-q) N(0,z^2) + q N(1,z^2)  against  (1-q) N(0,z^2) + q N(-1,z^2)
    remove    (1-q) N(0,z^2) + q N(1,z^2)  against  N(0,z^2)
    add       N(0,z^2)  against  (1-q) N(0,z^2) + q N(1,z^2)
    without   without replacement, replace-one: the symmetric pair whose curve is
              delta(log(1 + q(e^eps - 1))) = q delta_G(eps; 2/z) for eps >= 0
    hits      sum_k w_k N(k,z^2)  against  sum_k w_k N(-k,z^2); the argument q is the list w
"""
import math

import numpy as np
from scipy import optimize, special

PAIRS = {"REPLACE_ONE": ("replace",), "ADD_OR_REMOVE_ONE": ("remove", "add")}


class NotConverged(Exception):
    pass


def log_mixture(a, q):
    """log(1 - q + q e^a) without cancellation at either end."""
    a = np.asarray(a, dtype=float)
    with np.errstate(over="ignore", divide="ignore"):
        small = np.log1p(q * np.expm1(np.minimum(a, 1.0)))
        large = np.logaddexp(np.log1p(-q), math.log(q) + a)
    return np.where((a > 1.0) | (q > 0.5), large, small)


class Loss:
    """Quadrature nodes: weights under P and the loss at each node. What is left out has mass `tail`."""

    def __init__(self, pair, z, q, tail, refine):
        self.atom = 0.0
        reach = float(-special.ndtri_exp(math.log(tail)))
        if pair == "without":
            self._without(z, q, reach, refine)
            return
        dx = 1.0 / (32.0 * refine)
        low, high = -reach, reach + (len(q) - 1 if pair == "hits" else 1) / z
        if pair in ("replace", "hits"):
            low = -high
        u = np.arange(math.floor(low / dx), math.ceil(high / dx) + 1) * dx
        log_phi = -0.5 * u * u - 0.5 * math.log(2 * math.pi)
        if pair == "hits":
            k = np.arange(len(q))[:, None]
            up, down = (special.logsumexp(np.log(q)[:, None] + (s * k * u - 0.5 * k * k / z) / z,
                                          axis=0) for s in (1, -1))
            self.loss, log_p = up - down, log_phi + up
            self._finish(log_p, dx)
            return
        up = log_mixture((u - 0.5 / z) / z, q)
        if pair == "replace":
            self.loss = up - log_mixture((-u - 0.5 / z) / z, q)
            log_p = log_phi + up
        elif pair == "remove":
            self.loss, log_p = up, log_phi + up
        else:
            self.loss, log_p = -up, log_phi
        self._finish(log_p, dx)

    def _finish(self, log_p, dx):
        self.weight = np.exp(log_p) * dx
        self.gap = float(np.abs(np.diff(self.loss)).max())

    def _without(self, z, q, reach, refine):
        # A pair with the given curve (a construction as by Kairouz et al.): on x > 0 Q has density
        # N(-1,z^2) and P = (1-q) Q + q N(1,z^2), so L > 0; x < 0 is the mirror image, with L < 0; the
        # rest is an atom of mass (1-q)(1 - 2 Phi(-1/z)) at L = 0.
        mu = 2.0 / z
        panels = int(20 * refine)
        node, gauss = np.polynomial.legendre.leggauss(24)
        edge = np.linspace(0.0, reach + 1.0 / z, panels + 1)
        half = (edge[1] - edge[0]) / 2
        u = (edge[:-1, None] + half * (node + 1)).ravel()
        du = np.tile(gauss * half, panels)
        log_q = -0.5 * (u + 1.0 / z) ** 2 - 0.5 * math.log(2 * math.pi)
        up = log_mixture(u * mu, q)
        self.gap = float(np.abs(np.diff(up)).max())
        self.loss = np.concatenate([up, -up])
        self.weight = np.concatenate([np.exp(log_q + up) * du, np.exp(log_q) * du])
        self.atom = (1 - q) * (1 - 2 * special.ndtr(-1.0 / z))

    def log_moment(self, c):
        """log M(c), accurate when M(c) is near 1."""
        e = c * self.loss
        top = e.max()
        if top < 30.0:
            return math.log1p(float(self.weight @ np.expm1(e)))
        with np.errstate(divide="ignore"):
            return float(np.logaddexp(special.logsumexp(e + np.log(self.weight)),
                                      math.log(self.atom) if self.atom > 0 else -math.inf))

    def ratio(self, c):
        """Returns the function t -> real and imaginary part of M(c + it)/M(c) - 1."""
        with np.errstate(divide="ignore"):
            w = np.exp(np.log(self.weight) + c * self.loss - self.log_moment(c))
        keep = w > 1e-24
        w, l = w[keep], self.loss[keep]

        def evaluate(t):
            # 1 - cos through the half angle keeps the relative precision as t -> 0.
            half = 0.5 * np.outer(t, l)
            sine = np.sin(half)
            return -2.0 * (sine ** 2 @ w), 2.0 * ((sine * np.cos(half)) @ w)

        return evaluate


class CurveLoss:
    """A symmetric pair given by its privacy curve d(eps) for eps >= 0. M(s) is an f-divergence:
    M(s) = 1 + s(s+1) * integral over eps > 0 of (exp(s eps) + exp(-(s+1) eps)) d(eps)."""

    atom = 0.0

    def __init__(self, curve, smallest, tail, refine):
        top = 1.0
        while curve(np.array([top]))[0] > tail:
            top *= 1.25
        while curve(np.array([top]))[0] < tail:
            top /= 1.05
        edge = np.concatenate([[0.0], np.geomspace(smallest, top, int(40 * refine))])
        node, gauss = np.polynomial.legendre.leggauss(16)
        half = np.diff(edge)[:, None] / 2
        self.loss = (edge[:-1, None] + half * (node + 1)).ravel()
        self.weight = (half * gauss).ravel() * curve(self.loss)
        self.gap = float(np.diff(self.loss).max())

    def moment(self, s):
        s = np.asarray(s)[:, None]
        l = self.loss
        return (s * (s + 1))[:, 0] * ((np.exp(s * l) + np.exp(-(s + 1) * l)) @ self.weight)

    def log_moment(self, c):
        if c * self.loss[-1] > 600.0:
            with np.errstate(divide="ignore"):
                return float(np.log(c * (c + 1))
                             + special.logsumexp(c * self.loss + np.log(self.weight)))
        return math.log1p(float(self.moment([c])[0]))

    def ratio(self, c):
        base = self.moment([c])[0]

        def evaluate(t):
            r = (self.moment(c + 1j * t) - base) / (1.0 + base)
            return r.real, r.imag

        return evaluate


def best_order(loss, T, delta):
    """The c that minimises the Renyi bound on eps, which is near the saddle point, and that bound."""
    def bound(log_c):
        c = math.exp(log_c)
        return (T * loss.log_moment(c) - math.log(delta) - math.log1p(c)) / c - math.log1p(1 / c)

    grid = np.linspace(math.log(1e-3), math.log(1e10), 160)
    values = [bound(g) for g in grid]
    i = int(np.argmin(values))
    lo, hi = grid[max(i - 1, 0)], grid[min(i + 1, len(grid) - 1)]
    r = optimize.minimize_scalar(bound, bounds=(lo, hi), method="bounded",
                                 options={"xatol": 1e-4})
    return math.exp(r.x), max(float(r.fun), 0.0)


class Curve:
    """delta(eps) of T releases, integrated along one line Re s = c."""

    def __init__(self, loss, T, delta, order_scale, window_scale, limit, resolved):
        self.T = T
        c, self.start = best_order(loss, T, delta)
        self.c = c = c * order_scale
        self.log_m = loss.log_moment(c)
        # The error terms at eps - k W decay as exp(-c W)/delta. Those at eps + k W are small only if W
        # exceeds the largest single loss, up to which the tail of the sum is heavy.
        window = window_scale * max(1.6 * (40.0 - math.log(delta)) / c, 2.5 * loss.loss.max())
        self.dt = dt = 2 * math.pi / window
        ratio = loss.ratio(c)
        if resolved:  # beyond this t the nodes in x are too far apart for exp(i t L)
            limit = min(limit, 3.0 / (loss.gap * dt))
        atom = loss.atom * math.exp(-self.log_m)
        block, t0, parts, quiet = 256, 0, [], 0
        while quiet < 2 and t0 < limit:
            t = (t0 + np.arange(block)) * dt
            real, imag = ratio(t)
            with np.errstate(divide="ignore"):
                size = 0.5 * np.log1p(np.maximum(2 * real + real * real + imag * imag, -1.0))
            power = np.exp(T * size) * np.exp(1j * T * np.arctan2(imag, 1 + real))
            if atom > 0:
                power = power - atom ** T
            s = c + 1j * t
            parts.append((t, power / (s * (s + 1.0)), power / (s + 1.0)))
            peak = abs(parts[0][1][0])
            quiet = quiet + 1 if np.abs(parts[-1][1]).max() * (t0 + block) < 1e-15 * peak else 0
            t0 += block
        self.t = np.concatenate([p[0] for p in parts])
        self.f = np.concatenate([p[1] for p in parts])
        self.g = np.concatenate([p[2] for p in parts])
        if quiet < 2:
            # For a nearly discrete loss the integrand decays slowly in t. This filter smooths delta
            # over eps by a kernel of order 8 and width 1/t_max, over which delta hardly changes. The
            # second evaluation has another t_max.
            smooth = np.exp(-40.0 * (self.t / self.t[-1]) ** 8)
            self.f, self.g = self.f * smooth, self.g * smooth
        self.f[0] *= 0.5
        self.g[0] *= 0.5

    def delta(self, eps):
        """(log delta, d log delta / d eps) at eps."""
        turn = np.exp(-1j * self.t * eps)
        f = float(np.real(turn @ self.f))
        g = float(np.real(turn @ self.g))
        if f <= 0:  # only rounding noise: eps is far below the range of this line
            return math.inf, -1.0
        return self.T * self.log_m - self.c * eps + math.log(self.dt / math.pi * f), -g / f

    def epsilon(self, delta):
        """The eps at which delta(eps) is delta; 0 if delta(0) <= delta."""
        target = math.log(delta)
        lo, hi, eps = 0.0, math.inf, self.start
        for _ in range(200):
            value, slope = self.delta(eps)
            if value > target:
                lo = eps
            else:
                hi = eps
            step = eps - (value - target) / slope
            if hi < 1e-13 * self.start:
                return 0.0
            if abs(step - eps) <= 1e-11 * eps or hi - lo <= 1e-11 * hi:
                return step
            if not lo < step < hi:
                step = 0.5 * (lo + hi) if hi < math.inf else 2 * eps
            eps = step
        raise NotConverged


def epsilon_bracket(pair, z, q, T, delta, attempts=4):
    """(lower, upper) around eps(delta) of T releases of one pair."""
    tail = max(1e-13 * delta / T, 1e-300)
    return enclose(lambda refine: Loss(pair, z, q, tail, refine), T, delta, 2e-6, attempts)


def enclose(loss_of, T, delta, tolerance, attempts=4):
    """A bracket around two evaluations that agree.

    The lines are well to the left of best_order, where the heavy tail of a subsampled loss has no
    weight. Harder cases use lines further left, finer nodes and a larger range of t."""
    plans = (((0.65, 0.55), 1.0, False), ((0.4, 0.33), 1.0, False),
             ((0.4, 0.33), 4.0, True), ((0.45, 0.3), 16.0, True))
    for orders, fine, resolved in plans[:attempts]:
        values = []
        try:
            for refine, order, window in ((fine, orders[0], 1.0), (1.5 * fine, orders[1], 1.2)):
                curve = Curve(loss_of(refine), T, delta, order, window,
                              16384 * window, resolved)
                values += [curve.epsilon(delta), curve.epsilon(delta * (1 - 1e-11))]
        except NotConverged:
            continue
        lower, upper = min(values), max(values)
        width = upper - lower
        if math.isfinite(upper) and width <= tolerance * upper:
            return (lower - 2 * width) * (1 - 1e-9), (upper + 2 * width) * (1 + 1e-9)
    raise NotConverged


def epsilon_of(relation, z, q, T, delta, attempts=4):
    """(lower, upper) around eps(delta) for a neighbouring relation: the larger of its directions."""
    pairs = [epsilon_bracket(p, z, q, T, delta, attempts) for p in PAIRS[relation]]
    return max(p[0] for p in pairs), max(p[1] for p in pairs)


def epsilon_with_replacement(mechanism, T, delta):
    """(lower, upper) around the eps of the single-release bound with replacement, composed T times."""
    smallest = 1e-3 * mechanism.b * mechanism.p / mechanism.z
    return enclose(lambda refine: CurveLoss(mechanism.curve, smallest, 1e-10 * delta / T, refine),
                   T, delta, 2e-5)
