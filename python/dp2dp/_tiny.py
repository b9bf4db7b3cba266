"""Warns of a few rows whose numbers are far too small for their bounds."""

from __future__ import annotations

import numpy as np

from ._typing import Column, Floats
from ._warn import SECRET, FairnessWarning, warn

_SOME, _MANY = 5, 20  # with _MANY numbers or more, other checks judge each column
_DIFFERENT = 10  # if fewer numbers are different, at least 4 in 5 must be
_THOUSANDTH = 0.001  # numbers that are 1000 times too small are within this share of the bounds


def _is_tiny(column: Column, numbers: Floats) -> bool:
    """Returns whether nearly all numbers are different, and none is further from 0 than a
    thousandth of the range between the bounds. Follows src/schema/spread.c."""
    low, high, log1p = column["lower"], column["upper"], column.get("log1p")
    if not log1p and column.get("scale", np.inf) < (high - low) / 4:
        return False
    said = numbers[(numbers != 0) & (numbers != low) & (numbers != high) & np.isfinite(numbers)]
    zero = low if log1p else min(max(0, low), high)
    different = len(np.unique(said))
    return bool(
        _SOME <= len(said) < _MANY
        and ((said >= low) & (said <= high)).all()
        and (np.abs(said - zero) <= _THOUSANDTH * (high - low)).all()
        and (different >= _DIFFERENT or 5 * different >= 4 * len(said))
    )


def say_tiny(columns: list[tuple[Column, Floats]]) -> None:
    """Warns if all numbers of two columns or more are tiny, in 5 to 19 rows. One such column may be
    chance."""
    found = [(column, numbers) for column, numbers in columns if _is_tiny(column, numbers)]
    if len(found) < 2:
        return
    names = ", ".join(repr(column["name"]) for column, _ in found)
    warn(
        f"bounds-too-wide: all values of {names} are within a thousandth of the range between "
        f"their bounds from 0. Check the units of these columns. {SECRET}",
        FairnessWarning,
    )
