"""The thresholds of a rule for two classes."""

from __future__ import annotations

import numpy as np

from ._typing import Float64s


def thresholds_of(offsets: Float64s, rule: str | None, dither: float) -> Float64s | None:
    """Returns an array with a row (threshold, low, high) for each group. A person gets class 1 if
    the probability of class 1 is above the threshold. Between low and high, the dither (public
    random numbers) decides. Returns None if the rule has no thresholds.

    Class 1 is given if p[1] - p[0] + dither (u1 - u0) is above d. Here u0 and u1 are random numbers
    from 0 to 1, and d is the offset of class 1 minus the offset of class 0. In a linear rule each
    label y has its own difference d[y], and a person's d is d[0] p[0] + d[1] p[1]."""
    if rule not in ("offset", "linear") or offsets.shape[-1] != 2:
        return None
    d = offsets[..., 1] - offsets[..., 0]
    d = np.stack([d, d], axis=1) if d.ndim == 1 else d
    slope = 2 + d[:, 0] - d[:, 1]
    if np.any(slope <= 0):  # no threshold decides who gets class 1
        return None
    width = np.array([0.0, -dither, dither])
    found: Float64s = (1 + d[:, :1] + width) / slope[:, None]
    return found
