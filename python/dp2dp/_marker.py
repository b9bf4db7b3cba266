"""Warns of a number within the bounds that probably stands for a missing value, such as 999."""

from __future__ import annotations

import numpy as np

from ._typing import Column, Floats
from ._warn import SECRET, FairnessWarning, warn

_MANY = 20  # at least this many rows must have the number
_MARKED = 100  # at least one value in 100 must be the number
_PILE, _PART = 100, 20  # a pile is one number that at least 100 rows, and 1 value in 20, have
_RARE = 100  # no other number may make up more than one value in 100, ...
_SPARSE = 500  # ... and no number next to 999 or 9999 more than one in 500
_DIFFERENT = 0.8  # this share of the other values must be different, ...
_ENOUGH = 1000  # ... or so many of them
_NEAR = 0.1  # a value is next to a number if the distance is below this share of the number
_PILES = (-1, -9, -99, -999, -9999, 999, 9999, 99999, 999999)
_APART = 3  # the distance to all other numbers must be this many times the range of these others


def _is_marker(number: float) -> bool:
    """Returns whether people write this number for a missing value: -1, or a whole number of which
    all digits are 9, such as 999 and -99."""
    return number == -1 or (number.is_integer() and {*str(abs(int(number)))} == {"9"})


def _count(known: Floats, number: float, column: Column) -> int:
    """Returns how many of the ``known`` numbers equal ``number``, which is the smallest or the
    largest of them. Returns 0 if ``number`` probably does not stand for a missing value. Follows
    src/schema/spread.c."""
    if not (column["lower"] <= number <= column["upper"] and _is_marker(number)):
        return 0
    others = known[known != number]
    count = len(known) - len(others)
    if count < max(_MANY, len(known) / _MARKED) or len(others) == 0:
        return 0
    low, high = float(others.min()), float(others.max())
    gap = max(low - number, number - high)
    return count if high > low and gap >= _APART * (high - low) else 0


def _is_pile(known: Floats, number: float, column: Column) -> bool:
    """Returns whether ``number``, which many of the ``known`` numbers are, is a pile among
    numbers that are nearly all different. Zeros, and numbers at a bound, often stand for "none",
    so they do not count as others. If the number is the smallest or the largest one, and others are
    next to it, it may be an honest limit at which values were cut."""
    others = known[(known != number) & (known != 0)]
    others = others[(others != column["lower"]) & (others != column["upper"])]
    if len(others) < _PILE or (number == -1 and bool((others < 0).any())):
        return False
    different, counts = np.unique(others, return_counts=True)
    if len(different) < min(_DIFFERENT * len(others), _ENOUGH):
        return False
    if counts.max() > max(1, len(known) / _RARE):
        return False
    near = np.abs(different - number) < _NEAR * abs(number)
    if near.any() and not different[0] < number < different[-1]:
        return False
    is_plain = number not in (999, 9999)  # an amount or a price may be 999
    return bool(is_plain or not near.any() or counts[near].max() <= max(2, len(known) / _SPARSE))


def _find_pile(known: Floats, column: Column) -> tuple[float, int] | None:
    """Looks for a number of ``_PILES`` that occurs far more often than any other number. Returns
    the number and how often it occurs, or None. To save time, looks at about 1000 values first."""
    some = known[:: max(1, len(known) // 1000)]
    for number in _PILES:
        if not column["lower"] <= number <= column["upper"]:
            continue
        if np.count_nonzero(some == number) < len(some) / (2 * _PART):
            continue
        count = int(np.count_nonzero(known == number))
        if count >= max(_PILE, len(known) / _PART) and _is_pile(known, number, column):
            return number, count
    return None


def say_marker(column: Column, numbers: Floats) -> bool:
    """Warns if a number of a column probably stands for a missing value. This is the largest or the
    smallest number, or a number that occurs often while nearly all others differ. Returns whether
    it warned."""
    known = numbers[np.isfinite(numbers)]
    if len(known) < _MANY:
        return False
    for number in (float(known.max()), float(known.min())):
        if count := _count(known, number, column):
            tell_marker(column, count, len(known), number)
            return True
    if (pile := _find_pile(known, column)) is None:
        return False
    tell_marker(column, pile[1], len(known), pile[0], "the others are nearly all different")
    return True


def tell_marker(
    column: Column,
    count: int,
    values: int,
    number: float,
    why: str = "all others are far from this number",
) -> None:
    warn(
        f"number-for-missing: {count} of {values} values of {column['name']!r} are {number:g}, and "
        f"{why}. Does {number:g} stand for a missing value? Then "
        "write a missing value (NaN or None) in its place, and say what happens to such rows. "
        f"{SECRET}",
        FairnessWarning,
    )
