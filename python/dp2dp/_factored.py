"""Columns of few distinct values: the group of each row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ._core import DataError
from ._typing import Labels

SEPARATOR, _ESCAPE = ",", "\\"


def is_missing(value: Any) -> bool:
    """Returns whether a value is None, NaN or a marker of pandas for missing values."""
    try:
        return value is None or not bool(value == value)
    except TypeError:
        return True


@dataclass(frozen=True)
class Factored:
    """A column as distinct values, and the position of each row's value among them. A missing value
    has the position -1."""

    codes: npt.NDArray[np.integer[Any]]
    values: Labels

    def __len__(self) -> int:
        return len(self.codes)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Labels:
        values = np.empty(len(self.values) + 1, dtype=object)  # the last entry is None
        values[:-1] = self.values
        found: Labels = values[self.codes]
        return found if dtype is None else found.astype(dtype)

    def __getitem__(self, at: Any) -> Factored:
        return Factored(self.codes[at], self.values)


def text_of(value: Any) -> str:
    """Writes a value as text. A whole number is written without a point, because one missing value
    makes pandas store all whole numbers of a column as floats."""
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


def _escaped(value: Any) -> str:
    text = text_of(value).replace(_ESCAPE, 2 * _ESCAPE)
    return text.replace(SEPARATOR, _ESCAPE + SEPARATOR)


def join(values: Iterable[Any]) -> str:
    """Joins the values of several columns by a comma. A comma or backslash in a value gets a
    backslash before it, so that different values never give the same text.

    >>> join(("f", "black")), join(("f", "black, other"))
    ('f,black', 'f,black\\\\, other')
    """
    return SEPARATOR.join(map(_escaped, values))


def of_pandas(column: Any) -> Factored:
    try:
        codes, values = column.factorize()
    except TypeError:
        raise DataError("groups must be texts or numbers") from None
    return Factored(codes, np.asarray(values, dtype=object))


def _of_array(column: Labels) -> Factored:
    if column.dtype.kind in "biufU":
        values, inverse = np.unique(column, return_inverse=True)
        codes = inverse.reshape(-1)
        if column.dtype.kind == "f":
            codes = np.where(np.isnan(column), -1, codes)
        return Factored(codes, values)
    seen: dict[Any, int] = {}
    try:
        found = [
            -1 if is_missing(value) else seen.setdefault(value, len(seen))
            for value in column.tolist()
        ]
    except TypeError:
        raise DataError("groups must be texts or numbers") from None
    values = np.empty(len(seen), dtype=object)
    values[:] = list(seen)
    return Factored(np.array(found, dtype=np.intp), values)


def factored(column: Any) -> Factored:
    return of_pandas(column) if hasattr(column, "iloc") else _of_array(np.asarray(column))


def of_columns(columns: list[Any]) -> Factored:
    """Joins several columns into one. A row that lacks one of the values is missing."""
    parts = [factored(column) for column in columns]
    codes = np.zeros(len(parts[0]) if parts else 0, dtype=np.intp)
    texts: list[list[str]] = [[]]
    missing = np.zeros(len(codes), dtype=bool)
    for part in parts:
        missing |= part.codes < 0
        names = part.values.tolist()
        pairs = codes * max(len(names), 1) + np.maximum(part.codes, 0)
        used, codes = np.unique(pairs, return_inverse=True)
        texts = [
            [*texts[pair // len(names)], names[pair % len(names)]] if names else [""]
            for pair in used.tolist()
        ]
    kept, codes = np.unique(np.where(missing, -1, codes), return_inverse=True)
    has_missing = int(len(kept) > 0 and kept[0] < 0)
    values = np.array([join(texts[at]) for at in kept[has_missing:].tolist()], dtype=object)
    return Factored(codes.reshape(-1) - has_missing, values)
