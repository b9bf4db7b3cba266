"""Warns of numbers that are within the bounds of their column and yet probably wrong: nearly all
are in a small part of the range between the bounds, a dot between thousands was read as a decimal
point, a number stands for a missing value, or all are the same."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ._marker import say_marker
from ._typing import Column, Floats
from ._warn import SECRET, FairnessWarning, warn

_MANY = 20  # with fewer rows, a share of the rows says little
_BINS = 100  # number of equal bins between the bounds; two bins are a small part of this range
_FINER = 20  # with log1p, bins are 20 times narrower: two bins are a thousandth of the range
_DIFFERENT = 10  # fewer different numbers may be counts, or codes such as 0 for "none"
_FEW, _RARE = 100, 1000  # rows needed to warn of equal numbers; _RARE if they are 0 or a bound
_THOUSAND, _NEARLY = 1000, 900


def _strip_of(numbers: Floats, column: Column) -> tuple[Floats, float, float] | None:
    """Looks for a strip: a small part of the range between the bounds that has nearly all numbers
    of a column. Zeros and numbers at a bound do not count, because they often stand for "none".
    Returns the numbers that count and the two ends of the strip, or None if there is no strip.
    Follows src/schema/spread.c.

    Returns None for a column with a small ``scale``, because the encoding then keeps small numbers
    apart. With log1p, which is for numbers that are mostly small, only the lowest thousandth of the
    range can be a strip."""
    low, high, log1p = column["lower"], column["upper"], column.get("log1p")
    if not log1p and column.get("scale", np.inf) < (high - low) / 4:
        return None
    said = numbers[(numbers != 0) & (numbers != low) & (numbers != high) & np.isfinite(numbers)]
    bins, last = (_BINS * _FINER, 2) if log1p else (_BINS, _BINS - 1)
    places = ((said - low) / (high - low))[(said > low) & (said < high)]
    counts = np.bincount(np.minimum(places * bins, last).astype(np.int64), minlength=_BINS)
    pairs = counts[:1] + counts[1:2] if log1p else counts[:-1] + counts[1:]
    first = int(pairs.argmax())
    if len(said) < _MANY or pairs[first] <= 0.99 * len(said):
        return None
    ends = [low + (high - low) * bin / bins for bin in (first, first + 2)]
    if len(np.unique(said[(said >= ends[0]) & (said <= ends[1])])) < _DIFFERENT:
        return None
    return said, *ends


def _find_too_wide(column: Column, numbers: Floats) -> tuple[int, int, float, float] | None:
    """Returns (values inside, values, lower end, upper end) of the strip of a column, or None if
    the column has no strip."""
    # To save time, the first 1000 numbers are tested first.
    if _strip_of(numbers[:1000], column) is None or (found := _strip_of(numbers, column)) is None:
        return None
    said, low, high = found
    return int(np.count_nonzero((said >= low) & (said <= high))), len(said), low, high


def _say_too_wide(column: Column, numbers: Floats, later: Iterable[tuple[Column, Floats]]) -> bool:
    """Warns if nearly all numbers are in a small part of the range between the bounds. Then also
    names the ``later`` columns of which this is true. Returns whether it warned."""
    if (found := _find_too_wide(column, numbers)) is None:
        return False
    rest = [one["name"] for one, values in later if _find_too_wide(one, values)]
    tell_too_wide(column, *found, rest)
    return True


def tell_too_wide(
    column: Column, inside: int, count: int, low: float, high: float, rest: Iterable[str]
) -> None:
    alike = "" if column.get("log1p") else ", and a classifier can hardly tell these values apart"
    names = ", ".join(map(repr, rest))
    more = f" The bounds of {names} are too wide in the same way." if names else ""
    warn(
        f"bounds-too-wide: {inside} of {count} values of {column['name']!r} are between "
        f"{low:.4g} and {high:.4g}, a small part of the range between its bounds "
        f"({column['lower']:g}, {column['upper']:g}). Check the unit of the column. If the unit is "
        f"right, the bounds are too wide{alike}.{more} {SECRET}",
        FairnessWarning,
    )


def _count_dotted(numbers: Floats) -> tuple[int, int] | None:
    """Looks for a dot between thousands, as in 2.345, that was read as a decimal point. Then 2345
    was read as 2.345, but 823, which has no dot, as 823: the numbers that are not whole have at
    most three decimals, and the larger numbers are whole and below 1000. Returns how many numbers
    have decimals and how many numbers there are, or None if the numbers look right. Follows
    src/schema/spread.c."""
    found = np.abs(numbers[(numbers != 0) & ~np.isnan(numbers)]).astype(np.float64)
    if len(found) < _MANY or found.min() < 1 or found.max() >= _THOUSAND:
        return None
    if np.abs(found * _THOUSAND - np.round(found * _THOUSAND)).max() >= 1e-6:
        return None
    fractions = found[found != np.floor(found)]
    if len(fractions) < _MANY or 2 * len(fractions) < len(found):
        return None
    exact = np.count_nonzero(np.abs(fractions * 100 - np.round(fractions * 100)) >= 1e-6)
    above = np.unique(found[found > fractions.max()])
    if 2 * exact < len(fractions) or len(above) < _DIFFERENT or above[-1] < _NEARLY:
        return None
    return len(fractions), len(found)


def _say_dotted(column: Column, numbers: Floats) -> bool:
    """Warns of a dot between thousands that was read as a decimal point. Returns whether it
    warned."""
    first = numbers[:_MANY]  # the first numbers usually rule out thousands at once
    if ((np.abs(first) >= _THOUSAND) | ((first != 0) & (np.abs(first) < 1))).any():
        return False
    if (found := _count_dotted(numbers)) is None:
        return False
    tell_dotted(column, *found)
    return True


def tell_dotted(column: Column, fractions: int, numbers: int) -> None:
    warn(
        f"thousands-separated: {fractions} of {numbers} values of {column['name']!r} have decimals "
        "(three at most), and all larger values are whole numbers below 1000. Was a dot that "
        f"separates thousands, as in 1.234, read as a decimal point? {SECRET}",
        FairnessWarning,
    )


def _say_one_value(column: Column, numbers: Floats) -> bool:
    """Warns if all numbers are the same. If the number is 0 or a bound, the warning needs more
    rows, because 0 or a bound often means "none", and "none" may be true of nearly everybody.
    Returns whether it warned."""
    if len(numbers) < _FEW or len(np.unique(numbers[:_FEW][~np.isnan(numbers[:_FEW])])) > 1:
        return False
    said = numbers[~np.isnan(numbers)]
    if len(said) < _FEW or (said != said[0]).any():
        return False
    is_none = said[0] in (0, column["lower"], column["upper"])
    if is_none and len(said) < _RARE:
        return False
    tell_one_value(column, len(said))
    return True


def tell_one_value(column: Column, count: int) -> None:
    warn(
        f"one-value: all {count} values of {column['name']!r} are the same, so the column does "
        f"not help to predict. Were its values lost, for example in an export? {SECRET}",
        FairnessWarning,
    )


def say_odd_numbers(
    column: Column, numbers: Floats, later: Iterable[tuple[Column, Floats]]
) -> bool:
    """Warns of numbers that are within the bounds and yet probably wrong. ``later`` are further
    columns; they are named, too, if their bounds are too wide. Returns whether it warned."""
    return (
        say_marker(column, numbers)
        or _say_dotted(column, numbers)
        or _say_too_wide(column, numbers, later)
        or _say_one_value(column, numbers)
    )
