"""Judges whether rows are equal by coincidence, by comparing them with rows that are nearly equal.

Of the pairs of rows, let N be the number that agree in all columns, N(a) the number that differ in
column a alone, and N(a, b) the number that differ in exactly the columns a and b. If people are
drawn independently, and a and b are independent given the other columns, then
    N N(a, b) ≈ N(a) N(b).
Copies add to N alone. Columns of people depend on each other, but hardly in a way that raises this
ratio for all pairs of columns: in tables of people it is about 1 for the lowest pair, or less, and
among copies it is 30 or more.

A column that others determine, such as the ratio of two others, never differs alone, so its pairs
tell nothing. Such columns are left out one after another, the one with the most values first, and
the others must still have a large ratio. Two columns alone are often much alike, as age and year of
birth are, so three are needed at first. If no two rows agree by coincidence in any two columns,
three columns of many values are needed: these are probably measurements. But they can also be
numbers that were computed from columns of few values, such as principal components."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._row_hashes import Hashes, mixed

LARGEST = 20  # a person hardly has more rows than this; more often, a row is a default
_ROWS = 1 << 15  # at most so many rows are compared
_COLUMNS = 12  # if there are more columns, neighbours are joined until this many are left
_PAIRS = 100  # with fewer pairs of equal rows, nothing is said
_RATIO = 10  # equal rows are copies only if the smallest ratio is at least this
_RARE = 0.05  # a ratio is used only if N(a, b) / N is at least this
_NONE = 0.01  # if N(a) / N is below this, the other columns determine column a
_CLOSE = 0.2  # if N(a) / N is at least this for both of two columns, they may only be much alike
_SEEN = 40  # a ratio is known well if so many pairs differ in a alone, and so many in b alone
_VALUES = 100  # a column has many values if it has at least this many different ones


def _equal(rows: Hashes) -> npt.NDArray[np.int64]:
    """Returns how many rows equal each row, itself included."""
    at, counts = np.unique(rows, return_inverse=True, return_counts=True)[1:]
    found: npt.NDArray[np.int64] = counts[at]
    return found


def _joined(columns: list[Hashes]) -> list[Hashes]:
    ends = np.linspace(0, len(columns), min(len(columns), _COLUMNS) + 1).astype(int).tolist()
    return [np.add.reduce(columns[i:j]) for i, j in zip(ends, ends[1:], strict=False)]


def _smallest_ratio(alone: list[int], both: list[int], pairs: int) -> tuple[float, bool]:
    """Returns the smallest ratio of neighbouring columns, and whether some ratio is known well.
    ``alone`` has N(a), ``both`` N(a, b) of a column and the next one, and ``pairs`` is N."""
    each = zip(alone, alone[1:] + alone[:1], both, strict=True)
    known = [(a, b, n) for a, b, n in each if n >= _RARE * pairs]
    ratios = [pairs * n / ((a + 1) * (b + 1)) for a, b, n in known]
    return min(ratios, default=np.inf), any(min(a, b) >= _SEEN for a, b, _ in known)


def is_no_coincidence(columns: list[Hashes], kept: Any = slice(None)) -> bool:
    """Returns whether far more rows are equal than by coincidence. ``columns`` have numbers that
    are equal for equal values, and ``kept`` chooses the rows that count."""
    at = np.arange(len(columns[0]))[kept]
    if len(at) > _ROWS:
        at = np.random.default_rng(0).choice(at, _ROWS, replace=False)
    left = _joined([mixed(bits[at], j) for j, bits in enumerate(columns)])
    total = np.add.reduce(left)
    few = _equal(total) <= LARGEST
    values = [len(np.unique(one)) for one in left]
    is_sure = sum(n >= _VALUES for n in values) > 2  # false for one or two columns

    def count(rows: Hashes) -> int:
        return int((_equal(rows)[few] - 1).sum())

    while len(left) > 1 and len(columns) > 2:
        pairs = count(total)
        if pairs < 2 * _PAIRS:  # each pair was counted from both of its rows
            return False
        agree = [count(total - one) for one in left]
        alone = [n - pairs for n in agree]
        both = []
        for j in range(len(left)):
            k = (j + 1) % len(left)
            both.append(count(total - left[j] - left[k]) - agree[j] - agree[k] + pairs)
        ratio, is_known = _smallest_ratio(alone, both, pairs)
        if ratio < _RATIO or (len(left) == 2 and min(alone) >= _CLOSE * pairs):
            return False
        is_sure |= is_known
        determined = [j for j, n in enumerate(alone) if n < _NONE * pairs]
        if not determined:
            break
        j = max(determined, key=lambda j: values[j])
        total = total - left.pop(j)
        values.pop(j)
    return is_sure
