"""Warns of a number within the bounds that probably stands for a missing value, such as 999."""

from __future__ import annotations

import numpy as np

from ._typing import Column, Floats
from ._warn import SECRET, FairnessWarning, warn

_MANY = 20  # at least this many rows must have the number
_MARKED = 100  # at least one value in 100 must be the number
_APART = 3  # the distance to all other numbers must be this many times the range of these others


def _is_marker(number: float) -> bool:
    """Returns whether people write this number for a missing value: -1, or a whole number of which
    all digits are 9, such as 999 and -99."""
    return number == -1 or (number.is_integer() and {*str(abs(int(number)))} == {"9"})


def _count(known: Floats, number: float, column: Column) -> int:
    """Returns how many of the numbers are ``number``, the smallest or the largest one, if it
    probably stands for a missing value, else 0. Follows src/schema/spread.c."""
    if not (column["lower"] <= number <= column["upper"] and _is_marker(number)):
        return 0
    others = known[known != number]
    count = len(known) - len(others)
    if count < max(_MANY, len(known) / _MARKED) or len(others) == 0:
        return 0
    low, high = float(others.min()), float(others.max())
    gap = max(low - number, number - high)
    return count if high > low and gap >= _APART * (high - low) else 0


def say_marker(column: Column, numbers: Floats) -> bool:
    """Warns if the largest or the smallest number of a column probably stands for a missing value.
    Returns whether it warned."""
    known = numbers[np.isfinite(numbers)]
    if len(known) < _MANY:
        return False
    for number in (float(known.max()), float(known.min())):
        if count := _count(known, number, column):
            tell_marker(column, count, len(known), number)
            return True
    return False


def tell_marker(column: Column, count: int, values: int, number: float) -> None:
    warn(
        f"number-for-missing: {count} of {values} values of {column['name']!r} are {number:g}, and "
        f"all others are far from this number. Does {number:g} stand for a missing value? Then "
        "write a missing value (NaN or None) in its place, and say what happens to such rows. "
        f"{SECRET}",
        FairnessWarning,
    )
