"""Hashes of the rows of a table, from the values of its columns."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from ._factored import Factored, factored

Hashes = npt.NDArray[np.uint64]
_STEPS = [
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (np.uint64(27), np.uint64(0x94D049BB133111EB)),
]
_FACTOR, _LAST, _ALL = 0x9E3779B97F4A7C15, np.uint64(31), 1 << 64


def mixed(bits: Hashes, column: int) -> Hashes:
    """Returns the hashes of the values of a column, as SplitMix64 does. The hash of a row is the
    sum of the hashes of its values; subtracting one of these gives the hash of the row without that
    column. ``column`` is the number of the column."""
    found = bits + np.uint64((column + 1) * _FACTOR % _ALL)
    for shift, factor in _STEPS:
        found ^= found >> shift
        found *= factor
    found ^= found >> _LAST
    return found


def bits_of(values: Any) -> Hashes:
    """Returns a number for each value of a column: equal numbers for equal values, also in another
    column."""
    found = values if isinstance(values, Factored) or hasattr(values, "iloc") else None
    found = np.asarray(values) if found is None else found
    kind = getattr(found, "dtype", None)
    if isinstance(kind, np.dtype) and kind.kind in "fiub":
        numbers = np.asarray(found, dtype=np.float64) + 0.0  # -0 equals 0
        numbers[np.isnan(numbers)] = np.inf
        return numbers.view(np.uint64)
    known = found if isinstance(found, Factored) else factored(found, ignore=True)
    each = np.array([*map(hash, known.values.tolist()), -1], dtype=np.int64)  # missing: -1
    bits: Hashes = each[known.codes].view(np.uint64)
    return bits


def columns_in(X: Any) -> dict[str, Any]:
    """Returns the columns of a frame, of an array or of a list of rows, by name or position.
    Returns an empty dict for anything else, such as texts or a sparse matrix."""
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


def bits_in(X: Any) -> dict[str, Hashes]:
    """Returns what :func:`bits_of` returns for each column of a frame, of an array or of a list of
    rows, by name or position. Returns an empty dict for anything else, such as texts or a sparse
    matrix, or if values cannot be compared."""
    with suppress(Exception):  # a foreign type may raise anything; at worst, a warning is missed
        return {name: bits_of(values) for name, values in columns_in(X).items()}
    return {}
