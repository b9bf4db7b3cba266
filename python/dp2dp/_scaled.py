"""Notices rows that a scaler was fitted on: in these rows, a standardised column has exactly the
mean 0 and the standard deviation 1, and a column scaled to two bounds reaches both exactly."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._pipeline import learned_before
from ._row_hashes import columns_in
from ._typing import Float64s, Floats
from ._validation import warn_of_leak
from ._warn import SECRET, FairnessWarning, warn

_ROWS = 20  # with fewer rows, nothing is said
_VALUES = 100  # a column with so many different values is a measurement
_AT_AN_END = 2  # more rows at a bound were probably clipped, or the bound is a limit


def _is_standard(numbers: Floats) -> bool:
    """Returns whether a column has the mean 0 and the standard deviation 1, up to rounding. A
    column of two values may be balanced, so it does not count."""
    rounding = 1e-5 if numbers.dtype == np.float32 else 1e-9
    count = len(numbers)
    if count < _ROWS or not abs(float(np.mean(numbers, dtype=np.float64))) < rounding:
        return False
    spread = float(np.std(numbers, dtype=np.float64))
    same = min(abs(spread - 1), abs(spread * np.sqrt(count / (count - 1)) - 1)) < rounding
    return bool(same) and len(np.unique(numbers[:1000])) > 2


def _is_between(numbers: Floats, ends: Float64s) -> bool:
    """Returns whether a column has many different values, and only one or two rows at each of its
    ``ends``, which are its smallest and its largest value."""
    counts = [int(np.count_nonzero(numbers == end)) for end in ends]
    return max(counts) <= _AT_AN_END and len(np.unique(numbers)) >= _VALUES


def say_scaled(names: list[str], numbers: Floats, ends: Float64s | None) -> None:
    """Warns if the columns of ``numbers`` were scaled with a scaler that was fitted on these rows.
    Row i of ``ends`` has the two bounds of column i. If ``ends`` is None, no bounds are
    compared."""
    if len(numbers) < _ROWS:
        return
    standard = [name for name, one in zip(names, numbers.T, strict=True) if _is_standard(one)]
    found = np.column_stack([numbers.min(axis=0), numbers.max(axis=0)])
    reached = ends is not None and bool(
        (abs(found - ends) <= 1e-9 * np.ptp(ends, axis=1)[:, None]).all()
    )
    between = reached and any(map(_is_between, numbers.T, found))
    if not (standard or between) or learned_before() is not None:  # tell_learned warns of it
        return
    what = (
        f"{standard[0]!r} has exactly the mean 0 and the standard deviation 1"
        if standard
        else "every numeric column has exactly its bounds as its smallest and largest value"
    )
    warn_of_leak(
        f"transformer-not-private: {what} in these rows, so a scaler was probably fitted on them "
        "without privacy. The privacy guarantee does not cover what the scaler has learned. Pass "
        "the columns as they are, with public bounds, or fit the scaler on other people. "
        f"{SECRET}"
    )


def say_scaled_anew(X: Any) -> None:
    """Warns if all columns of X, which has other rows than those of the fit, are standardised: the
    scaler was probably fitted again."""
    known = 0
    for values in columns_in(X).values():
        numbers = np.asarray(values)
        if numbers.dtype.kind != "f":
            continue
        if _is_standard(numbers):
            known += 1
        elif len(np.unique(numbers[:1000])) > 2:
            return
    if known:
        warn(
            "scaled-anew: all columns have exactly the mean 0 and the standard deviation 1 in "
            "these rows, so a scaler was probably fitted on them. Use the scaler of the fit: "
            f"otherwise, the same person gets other values than in the fit. {SECRET}",
            FairnessWarning,
        )
