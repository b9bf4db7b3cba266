"""Finds rows that are copies of other rows, by their content."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _core
from ._coincidence import LARGEST, is_no_coincidence
from ._row_hashes import Hashes, mixed
from ._warn import SECRET, warn

_SAMPLE = 1 << 15  # at most this many different rows are counted, chosen by their hash
_ENOUGH = 100  # with fewer different rows, nothing is said
_COPIES = 32  # rows that occur this often or more are not counted for the second sign
_SHARE = 0.05  # is_no_coincidence is asked only if this share of the rows equals a few others
_COLUMNS, _ROWS = 20, 200_000  # in larger tables, only rows that are equal in all columns are found


def _hashes_of(columns: list[Hashes]) -> Hashes:
    hashes = mixed(columns[0], 0)
    for j, bits in enumerate(columns[1:], 1):
        hashes += mixed(bits, j)
    return hashes


def _counts_of(hashes: Hashes) -> Any:
    """Returns how often each row of a sample occurs. All copies of a row are in the sample, or
    none."""
    part = np.uint64(1)
    while len(hashes) > _SAMPLE * int(part):
        part *= np.uint64(2)
    return np.unique(hashes[hashes % part == 0], return_counts=True)[1]


def _are_many(copies: Any) -> bool:
    """Returns whether far more rows are equal than chance allows. ``copies`` says how often each
    row occurs. The two signs are those of src/base/repeats.c, where the proof is."""
    if len(copies) < _ENOUGH:
        return False
    if int(np.gcd.reduce(copies)) > 1:
        return True
    n = np.bincount(copies[copies < _COPIES], minlength=_COPIES).astype(float)
    below = n + 5.2 * np.sqrt(n) + 16
    above = np.maximum(n - 5.2 * np.sqrt(n), 0)
    c = np.arange(2, _COPIES - 1)
    odd = below[c - 1] * below[c + 1] < above[c] ** 2 * c / (c + 1)
    return bool(odd[0] or (n[1] >= _ENOUGH and odd.any()))


def _share_of_few(copies: Any) -> float:
    """Returns the share of the rows that equal a few others, as the rows of one person do."""
    return float(copies[(copies > 1) & (copies <= LARGEST)].sum() / max(copies.sum(), 1))


def _agree_but_for_one(columns: list[Hashes], kept: Any) -> int | None:
    """Returns the position of a column without which far more rows are equal than chance allows,
    or None. Without this column, at least half of the rows must have a few copies. At least two
    columns must remain: the values of one column may be evenly spread, as percentiles are."""
    if not 3 <= len(columns) <= _COLUMNS or len(columns[0]) > _ROWS:
        return None
    total = _hashes_of(columns)
    for j, bits in enumerate(columns):
        copies = _counts_of((total - mixed(bits, j))[kept])
        if 2 * _share_of_few(copies) < 1:
            continue
        others = columns[:j] + columns[j + 1 :]
        if _are_many(copies) or is_no_coincidence(others, kept):
            return j
    return None


def say_copies(columns: Mapping[str, Hashes], kept: Any = slice(None)) -> bool:
    """Warns if many rows equal another row in all ``columns``, or in all but one. The columns have
    numbers that are equal for equal values (see :func:`dp2dp._row_hashes.bits_of`), and ``kept``
    chooses the rows that count. Returns whether it warned."""
    bits = [*columns.values()]
    if not bits or len(bits[0]) < _ENOUGH:
        return False
    copies = _counts_of(_hashes_of(bits)[kept])
    more = _share_of_few(copies) >= _SHARE and len(bits) > 1
    if _are_many(copies) or (more and is_no_coincidence(bits, kept)):
        tell_copies()
        return True
    if (alone := _agree_but_for_one(bits, kept)) is not None:
        warn(
            "rows-repeated: far more rows than chance allows are equal to another row in all "
            f"columns but {[*columns][alone]!r}. Do people have several rows? The privacy "
            "guarantee assumes that each person has one row: set rows_per_person to the "
            f"largest number of rows of a person. {SECRET}"
        )
        return True
    return False


def tell_copies() -> None:
    warn(f"rows-repeated: {_core.warnings['rows-repeated']}. {SECRET}")
