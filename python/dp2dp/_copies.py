"""Finds rows that are copies of other rows, by their content."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from . import _core
from ._coincidence import LARGEST, Hashes, is_no_coincidence, mixed
from ._factored import Factored, factored
from ._warn import SECRET, warn

_SAMPLE = 1 << 15  # at most this many different rows are counted, chosen by their hash
_ENOUGH = 100  # with fewer different rows, nothing is said
_COPIES = 32  # rows that occur this often or more are not counted for the second sign
_SHARE = 0.05  # if fewer rows equal a few others, coincidences are not counted
_COLUMNS, _ROWS = 20, 200_000  # in larger tables, no column is left out


def _bits_of(values: Any) -> Hashes:
    """Returns a number for each row: equal numbers for equal values."""
    if isinstance(values, Factored):
        return values.codes.astype(np.int64).view(np.uint64)
    found = values if hasattr(values, "iloc") else np.asarray(values)
    if isinstance(found.dtype, np.dtype) and found.dtype.kind in "fiub":
        numbers = np.asarray(found, dtype=np.float64) + 0.0  # -0 equals 0
        return np.where(np.isnan(numbers), np.inf, numbers).view(np.uint64)
    return factored(found, ignore=True).codes.astype(np.int64).view(np.uint64)


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
    or None. At least half of the rows must have a few copies then, and two columns must remain: the
    values of one column may be evenly spread, as percentiles are."""
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


def say_copies(columns: Mapping[str, Any], kept: Any = slice(None)) -> bool:
    """Warns if many rows equal another row in all ``columns``, or in all but one. ``kept`` chooses
    the rows that count. Returns whether it warned."""
    with suppress(TypeError, ValueError):  # values that cannot be compared
        bits = [_bits_of(values) for values in columns.values()]
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


def columns_in(X: Any) -> dict[str, Any]:
    """Returns the columns of a frame, of an array or of a list of rows, by name or position.
    Returns nothing for anything else, such as texts or a sparse matrix."""
    if hasattr(X, "columns") and hasattr(X, "shape"):
        names = list(getattr(X, "column_names", X.columns))
        found = [X.iloc[:, j] if hasattr(X, "iloc") else X[name] for j, name in enumerate(names)]
        named = [str(name) for name in names]
        keys = named if len({*named}) == len(named) else map(str, range(len(named)))
        return dict(zip(keys, found, strict=True))
    with suppress(TypeError, ValueError):
        table = np.asarray(X)
        if table.ndim == 2 and table.dtype.kind in "fiubO":
            return {f"x{j}": values for j, values in enumerate(table.T)}
    return {}
