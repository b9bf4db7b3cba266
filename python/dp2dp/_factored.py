"""Columns with few distinct values, such as the group of each row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._core import DataError
from ._typing import Labels

_FEW = 1000  # below this many rows of texts, our own search is faster than pandas.factorize
SEPARATOR, _ESCAPE = ",", "\\"


def is_missing(value: Any) -> bool:
    """Returns whether a value is None, NaN or a marker of pandas for missing values."""
    try:
        return value is None or not bool(value == value)
    except Exception:  # a comparison of a foreign type may raise anything
        return True


@dataclass(frozen=True)
class Factored:
    """Stores a column as its distinct ``values`` and its ``codes``. The code of a row is the
    position of the row's value in ``values``, or -1 if the value is missing."""

    codes: npt.NDArray[np.integer[Any]]
    values: Labels

    def __len__(self) -> int:
        return len(self.codes)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Labels:
        values = np.empty(len(self.values) + 1, dtype=object)  # index -1 is the last entry, None
        values[:-1] = self.values
        found: Labels = values[self.codes]
        return found if dtype is None else found.astype(dtype)

    def __getitem__(self, at: Any) -> Factored:
        return Factored(self.codes[at], self.values)


def text_of(value: Any) -> str:
    """Writes a value as text. Writes a float without a fraction as a whole number, because pandas
    stores all whole numbers of a column as floats if a value is missing."""
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


def _printed(value: Any) -> str | None:
    """Returns a value as text. Returns None if the text cannot be written as UTF-8 or has a NUL,
    because the library takes a NUL for the end of a text."""
    try:
        text = text_of(value)
        return None if "\0" in text else text.encode().decode()
    except Exception:  # a lone surrogate, an integer with thousands of digits, a foreign type
        return None


def by_text(found: Factored, name: str, *, ignore: bool = False) -> tuple[Labels, list[str]]:
    """Returns the codes of a column whose values are read as texts, and the distinct texts. If
    ``ignore`` is True, a value that cannot be written as text becomes missing. If not, such a value
    raises an error. ``name`` is the name of the column."""
    printed = [_printed(value) for value in found.values.tolist()]
    if None in printed and not ignore:
        raise DataError(
            f"{name} has a value that cannot be written as text. The value has a NUL character or "
            "a lone surrogate, or is a number with thousands of digits"
        )
    texts = list(dict.fromkeys(text for text in printed if text is not None))
    position = {text: at for at, text in enumerate(texts)}
    table = [-1 if text is None else position[text] for text in printed]
    return np.array([*table, -1], dtype=np.int32)[found.codes], texts


def of_pandas(column: Any, *, ignore: bool = False) -> Factored:
    """Finds the distinct values of a Series. For few rows of texts and for Python objects, uses our
    own search, which is faster than that of pandas. A column of type "string" may hold Python
    objects, too. ``ignore`` is passed on to :func:`of_array`."""
    kind = column.dtype
    storage = getattr(kind, "storage", None)
    if kind == np.dtype(object) or storage == "python" or (storage and len(column) < _FEW):
        return of_array(np.asarray(column.array, dtype=object), ignore=ignore)
    try:
        codes, values = column.factorize()
    except TypeError:
        raise DataError("groups must be texts or numbers") from None
    return Factored(codes, np.asarray(values, dtype=object))


def _of_objects(column: Labels, ignore: bool) -> Factored:
    """Finds the distinct values of an array of objects. Equal values of different types, such as 1
    and True, stay apart: one of them must not change how the others are written."""
    codes = np.empty(len(column), dtype=np.int32)
    found = _core.factor_objects(np.ascontiguousarray(column), codes)
    if not ignore and len(codes) and codes.min() < 0:
        raise DataError("groups must be texts or numbers")
    missing = np.array([is_missing(value) for value in found], dtype=bool)
    values = np.fromiter(found, dtype=object, count=len(found))
    if missing.any():
        table = np.where(missing, -1, np.cumsum(~missing) - 1).astype(np.int32)
        codes, values = np.append(table, np.int32(-1))[codes], values[~missing]
    return Factored(codes, values)


def of_array(column: Labels, *, ignore: bool = False) -> Factored:
    """Finds the distinct values of a numpy column. If ``ignore`` is True, a value that cannot be
    compared, such as a list, becomes missing. If not, such a value raises an error."""
    if column.dtype.kind == "O":
        return _of_objects(column, ignore)
    if column.dtype.kind == "U" and column.dtype.itemsize > 0:
        codes = np.empty(len(column), dtype=np.int32)
        firsts = _core.factor_texts(np.ascontiguousarray(column), codes)
        if firsts is not None:
            return Factored(codes, column[firsts])
    try:
        values, inverse = np.unique(column, return_inverse=True)
    except TypeError:
        raise DataError("groups must be texts or numbers") from None
    found = inverse.reshape(-1)
    return Factored(
        np.where(np.isnan(column), -1, found) if column.dtype.kind == "f" else found, values
    )


def factored(column: Any, *, ignore: bool = False) -> Factored:
    if hasattr(column, "iloc"):
        return of_pandas(column, ignore=ignore)
    return of_array(np.asarray(column), ignore=ignore)


def of_columns(columns: list[Any], *, ignore: bool = False) -> Factored:
    """Joins several columns into one. If any of a row's values is missing, the row's joined value
    is missing. ``ignore`` is passed on to :func:`by_text`."""
    found = [factored(column, ignore=ignore) for column in columns]
    parts = [by_text(one, "a sensitive column", ignore=ignore) for one in found]
    codes = np.zeros(len(parts[0][0]) if parts else 0, dtype=np.intp)
    texts: list[list[str]] = [[]]
    missing = np.zeros(len(codes), dtype=bool)
    for own, names in parts:
        missing |= own < 0
        pairs = codes * max(len(names), 1) + np.maximum(own, 0)
        used, codes = np.unique(pairs, return_inverse=True)
        texts = [
            [*texts[pair // len(names)], names[pair % len(names)]] if names else [""]
            for pair in used.tolist()
        ]
    kept, codes = np.unique(np.where(missing, -1, codes), return_inverse=True)
    has_missing = int(len(kept) > 0 and kept[0] < 0)
    values = np.array([join(texts[at]) for at in kept[has_missing:].tolist()], dtype=object)
    return Factored(codes.reshape(-1) - has_missing, values)
