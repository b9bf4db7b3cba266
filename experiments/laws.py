"""Growth laws: power laws fitted to means over runs, and where two curves cross."""

from collections.abc import Sequence

import numpy as np

DRAWS = 1000  # of the bootstrap
EXPONENTS = np.arange(-4, 4, 0.01)


def exponent(x: np.ndarray, means: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, ...]:
    """For each row of means: b and a of the weighted least squares fit a x^b, with a >= 0.

    The fit is to the means themselves and not to their logarithms, so a mean that noise pushed
    below zero stays in. b is found on a grid and refined by a parabola through its neighbours.
    """
    powers = np.exp(np.outer(EXPONENTS, np.log(x)))
    squares = (powers**2) @ weights
    products = np.maximum((means * weights) @ powers.T, 0)
    gains = products**2 / squares
    best = np.clip(np.argmax(gains, axis=1), 1, len(EXPONENTS) - 2)
    row = np.arange(len(means))
    left, middle, right = (gains[row, best + shift] for shift in (-1, 0, 1))
    bend = left - 2 * middle + right
    shift = np.divide(left - right, 2 * bend, out=np.zeros_like(bend), where=bend < 0)
    b = EXPONENTS[best] + np.clip(shift, -1, 1) * (EXPONENTS[1] - EXPONENTS[0])
    power = np.exp(np.outer(b, np.log(x)))
    return b, (power * means) @ weights / ((power**2) @ weights)


def power_law(x: Sequence[float], samples: Sequence[np.ndarray], seed: int = 1) -> dict[str, float]:
    """The slope on log-log axes of the means of `samples`, one array of runs for each x.

    The interval is the 95 % percentile interval of a bootstrap that draws runs again at each x.
    """
    scale = np.exp(np.mean(np.log(x)))
    place = np.asarray(x, dtype=float) / scale
    generator = np.random.default_rng(seed)
    weights = np.array([len(s) / max(np.var(s, ddof=1), 1e-300) for s in samples])
    weights /= weights.max()
    drawn = [s[generator.integers(len(s), size=(DRAWS, len(s)))].mean(axis=1) for s in samples]
    means = np.array([s.mean() for s in samples])[None, :]
    b, a = exponent(place, means, weights)
    others, _ = exponent(place, np.array(drawn).T, weights)
    low, high = np.quantile(others, [0.025, 0.975])
    return {
        "slope": float(b[0]),
        "low": float(low),
        "high": float(high),
        "factor": float(a[0] * scale ** -b[0]),
        "points": len(samples),
    }


def paper_rate(n: np.ndarray | float) -> np.ndarray | float:
    """log N / sqrt N, the rate at which the paper bounds the unfairness above rho."""
    return np.log(n) / np.sqrt(n)


def paper_slope(n: Sequence[float]) -> float:
    """Slope of log N / sqrt N on log-log axes, by least squares over the same sizes."""
    x = np.log(np.asarray(n, dtype=float))
    return float(np.polyfit(x, np.log(paper_rate(np.exp(x))), 1)[0])


def falls_below(n: Sequence[float], ratio: Sequence[float]) -> tuple[float | None, str]:
    """The N from which on a ratio is below 1, linear in log N between the sizes measured.

    None comes with "at most" if the ratio is below 1 at every size, and with "above" if it is not
    below 1 at the largest.
    """
    above = [index for index, value in enumerate(ratio) if value >= 1]
    if not above:
        return None, f"at most {n[0]:,.0f}"
    last = above[-1]
    if last == len(n) - 1:
        return None, f"above {n[-1]:,.0f}"
    part = (ratio[last] - 1) / (ratio[last] - ratio[last + 1])
    found = float(n[last] * (n[last + 1] / n[last]) ** part)
    return found, f"{round_two(found):,.0f}"


def round_two(number: float) -> float:
    """Two digits: a crossing is not known better."""
    step = 10 ** (np.floor(np.log10(number)) - 1)
    return float(np.round(number / step) * step)
