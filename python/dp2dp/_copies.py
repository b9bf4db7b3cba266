"""Finds rows that are copies of other rows, by their content."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._factored import Factored, factored
from ._warn import SECRET, warn

_SAMPLE = 1 << 15  # at most this many different rows are counted, chosen by their hash
_ENOUGH = 100  # with fewer different rows, nothing is said
_COPIES = 32  # rows that occur this often or more are not counted for the second sign
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_Hashes = npt.NDArray[np.uint64]


def _bits_of(values: Any) -> _Hashes:
    """Returns a number for each row: equal numbers for equal values."""
    if isinstance(values, Factored):
        return values.codes.astype(np.int64).view(np.uint64)
    found = values if hasattr(values, "iloc") else np.asarray(values)
    if isinstance(found.dtype, np.dtype) and found.dtype.kind in "fiub":
        numbers = np.asarray(found, dtype=np.float64) + 0.0  # -0 equals 0
        return np.where(np.isnan(numbers), np.inf, numbers).view(np.uint64)
    return factored(found, ignore=True).codes.astype(np.int64).view(np.uint64)


def _hashes_of(columns: Iterable[Any]) -> _Hashes:
    hashes = np.zeros(1, dtype=np.uint64)
    for values in columns:
        hashes = (hashes ^ _bits_of(values)) * _FACTOR
        hashes = (hashes ^ (hashes >> _HALF)) * _FACTOR
    return hashes ^ (hashes >> _HALF)


def _are_many(hashes: _Hashes) -> bool:
    """Returns whether far more rows are equal than chance allows. The two signs are those of
    src/base/repeats.c, where the proof is."""
    part = np.uint64(1)
    while len(hashes) > _SAMPLE * int(part):
        part *= np.uint64(2)
    chosen = hashes[hashes % part == 0]
    copies = np.unique(chosen, return_counts=True)[1]
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


def say_copies(columns: Iterable[Any], kept: Any = slice(None)) -> bool:
    """Warns if many rows equal another row in all ``columns``. ``kept`` chooses the rows that
    count. Returns whether it warned."""
    with suppress(TypeError, ValueError):  # values that cannot be compared
        hashes = _hashes_of(columns)
        if len(hashes) >= _ENOUGH and _are_many(hashes[kept]):
            warn(f"rows-repeated: {_core.warnings['rows-repeated']}. {SECRET}")
            return True
    return False


def columns_in(X: Any) -> list[Any]:
    """Returns the columns of a frame, of an array or of a list of rows. Returns nothing for
    anything else, such as texts or a sparse matrix."""
    if hasattr(X, "columns") and hasattr(X, "shape"):
        names = getattr(X, "column_names", X.columns)
        return [X.iloc[:, j] if hasattr(X, "iloc") else X[name] for j, name in enumerate(names)]
    with suppress(TypeError, ValueError):
        table = np.asarray(X)
        if table.ndim == 2 and table.dtype.kind in "fiubO":
            return [*table.T]
    return []
