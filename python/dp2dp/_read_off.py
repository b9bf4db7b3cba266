"""Compares bounds with statistics of the rows. A bound that equals a statistic was probably
computed from the rows, so it is not public."""

from __future__ import annotations

import numpy as np

from ._typing import Float64s, Floats

_DEVIATIONS = np.arange(2, 13) / 2  # 1, 1.5, ..., 6 standard deviations
_TAILS = np.array([0.001, 0.005, 0.01, 0.02, 0.025, 0.05, 0.1, 0.25])
_QUANTILES = np.concatenate([_TAILS, 1 - _TAILS])


def _statistics(numbers: Floats) -> Float64s:
    """Returns the mean plus and minus 1, 1.5, …, 6 standard deviations, for both usual definitions
    of the standard deviation, and some quantiles. Quantiles at the ends of the range are left out,
    because an end may be a public limit that many people reach."""
    known = numbers.astype(np.float64)
    mean = known.mean()
    apart = [_DEVIATIONS * known.std(ddof=ddof) for ddof in (0, 1)]
    quantiles = np.quantile(known, _QUANTILES)
    quantiles = quantiles[(quantiles > known.min()) & (quantiles < known.max())]
    found: Float64s = np.concatenate([mean - apart, mean + apart]).reshape(-1)
    return np.concatenate([found, quantiles])


def is_read_off(numbers: Floats, bounds: list[float]) -> bool:
    """Returns whether one of the ``bounds`` equals one of the 60 statistics of the numbers, up to
    rounding. The caller passes only bounds with many digits, because people rarely choose such
    limits. A public bound of this kind equals a statistic by chance less than once in 1000
    columns."""
    known = numbers[np.isfinite(numbers)]
    if len(known) < 2:
        return False
    rounding = 1e-6 if numbers.dtype == np.float32 else 1e-11
    statistics = _statistics(known)
    size = np.maximum(np.abs(statistics), np.abs(known).max())
    return any(bool((np.abs(statistics - one) <= rounding * size).any()) for one in bounds)
