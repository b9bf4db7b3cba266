"""Converts cells one at a time. numpy gives all values of a list the same type, so one odd value
would change how the values of all other rows are read. If bad rows are ignored, no record may
change how another record is read."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from ._typing import Features, Float64s, Labels

_ONE_CELL = -1


def as_series(values: Any) -> Any:
    """Turns an array of pandas, such as pandas.Categorical, into a Series, because numpy would turn
    all whole numbers of the array into floats if a value is missing. Returns anything else
    unchanged."""
    kind = getattr(values, "dtype", None)
    if kind is None or isinstance(kind, np.dtype) or hasattr(values, "iloc"):
        return values
    pandas = sys.modules.get("pandas")
    is_array = pandas is not None and isinstance(values, pandas.api.extensions.ExtensionArray)
    return pandas.Series(values) if pandas is not None and is_array else values


def as_list(values: Any) -> Any:
    """Turns a column of pyarrow or polars that has missing values into a list, because numpy would
    turn all whole numbers of the column into floats. Returns anything else unchanged."""
    count = getattr(values, "null_count", 0)
    if hasattr(values, "iloc") or not (count() if callable(count) else count):
        return values
    own = next((one for one in ("to_pylist", "to_list") if hasattr(values, one)), None)
    return values if own is None else getattr(values, own)()


def _width(row: Any) -> int:
    """Returns how many cells ``row``, an item of a list, has. Returns ``_ONE_CELL`` if the item is
    a single cell."""
    try:
        is_row = isinstance(row, (list, tuple)) or getattr(row, "ndim", 0) == 1
        return len(row) if is_row else _ONE_CELL
    except Exception:  # len or ndim of a foreign object may raise anything
        return _ONE_CELL


def of_list(values: Sequence[Any]) -> Labels:
    """Returns the cells of a list as an array of objects, which is 2-D if the items of the list are
    rows. A row that has another length than most rows becomes a row of None."""
    widths = [_width(row) for row in values]
    width = Counter(widths).most_common(1)[0][0] if widths else _ONE_CELL
    if width == _ONE_CELL:
        return np.fromiter(values, dtype=object, count=len(values))
    none = [None] * width
    rows = (row if own == width else none for row, own in zip(values, widths, strict=True))
    cells = np.fromiter(chain.from_iterable(rows), dtype=object, count=width * len(widths))
    return cells.reshape(len(widths), width)


def unmasked(values: Any) -> Any:
    """Replaces the masked values of a masked array by None. Returns anything else unchanged."""
    if not np.ma.is_masked(values):
        return values
    hidden, values = np.ma.getmaskarray(values), np.array(values, dtype=object)
    values[hidden] = None
    return values


def _may_be_number(value: Any, texts: bool) -> bool:
    if isinstance(value, str):
        return texts
    if isinstance(value, np.ma.MaskedArray) or getattr(value, "ndim", 0) != 0:
        return False  # numpy and pandas give a warning if such a value is converted
    if isinstance(value, (np.generic, np.ndarray)):
        return value.dtype.kind in "biuf"
    return hasattr(value, "__float__") or hasattr(value, "__index__")


def number(value: Any, *, texts: bool = False) -> float:
    """Returns a cell as a float, or NaN if the cell is not a number. With ``texts``, a text such as
    "3.5" counts as a number."""
    try:
        return float(value) if _may_be_number(value, texts) else np.nan
    except Exception:  # such as an integer beyond 1e308, or an object of another library
        return np.nan


def numbers(cells: Labels, *, texts: bool = False) -> Float64s:
    """Returns an array of objects as numbers."""
    found = (number(value, texts=texts) for value in cells.reshape(-1).tolist())
    return np.fromiter(found, dtype=np.float64, count=cells.size).reshape(cells.shape)


def has_numbers(kind: Any) -> bool:
    """Returns whether a type of pandas or numpy holds numbers and nothing else."""
    plain = getattr(kind, "numpy_dtype", kind)
    return isinstance(plain, np.dtype) and plain.kind in "biuf"


def of_column(column: Any, *, texts: bool = False) -> Float64s:
    """Returns a column of pandas, or an array of one column, as numbers."""
    if not hasattr(column, "iloc"):
        plain = np.asarray(unmasked(column))
        if plain.dtype.kind in "biuf":
            return plain.astype(np.float64)
        return numbers(plain.astype(object), texts=texts)
    if has_numbers(column.dtype):
        found: Float64s = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return found
    return numbers(of_list(column.tolist()).reshape(len(column), -1)[:, 0], texts=texts)


def of_features(X: Features) -> Features:
    """Returns X with every cell as a number. Converts lists, arrays of objects or texts, and pandas
    frames, which stay frames. Returns any other X unchanged."""
    if isinstance(X, (list, tuple)):
        return numbers(of_list(X), texts=True)
    if isinstance(X, np.ndarray):
        return X if X.dtype.kind not in "OUS" else numbers(X.astype(object), texts=True)
    if not hasattr(X, "iloc") or getattr(X, "ndim", 0) != 2:
        return X
    odd = [j for j, kind in enumerate(X.dtypes) if not has_numbers(kind) and kind.kind not in "Mm"]
    if odd:
        X = X.copy()
        for j in odd:
            X[X.columns[j]] = of_column(X.iloc[:, j], texts=True)
    return X
