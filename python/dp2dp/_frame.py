"""A schema for a data frame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Self

import numpy as np

from ._core import DataError, OptionError
from ._factored import is_missing, text_of
from ._typing import Bounds, Column


def meant(name: str, known: list[str]) -> str:
    """Returns a guess which known name the user meant, as the end of a message; empty if no name is
    close."""
    plain = {one.lower(): one for one in known}
    near = get_close_matches(name.lower(), plain, 1)
    return f" (did you mean {plain[near[0]]!r}?)" if near else ""


def refuse_twice(names: list[str]) -> None:
    """Refuses a table with two columns of the same name: nobody can tell which one is meant."""
    if len(set(names)) < len(names):
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise DataError(
            f"two columns are named {twice!r}: rename or drop one of them. "
            "frame.loc[:, ~frame.columns.duplicated()] keeps the first of each name"
        )


def levels_of(values: Iterable[Any], name: str) -> list[str]:
    """The levels of a column as texts."""
    if isinstance(values, (str, bytes)):
        raise OptionError(f"categories of {name!r} must be a list, not the text {values!r}")
    levels = [text_of(value) for value in values]
    if len(set(levels)) < len(levels):
        raise OptionError(f"two categories of {name!r} have the same name when written as text")
    return levels


def _found_levels(column: Any) -> list[str]:
    values = {text_of(value) for value in np.asarray(column).tolist() if not is_missing(value)}
    return sorted(values)


def _found_bounds(column: Any, name: str) -> tuple[float, float]:
    try:
        values = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"column {name!r} must hold numbers or texts") from None
    values = values[np.isfinite(values)]
    low, high = (values.min(), values.max()) if len(values) else (0.0, 1.0)
    return float(low), float(high if high > low else low + max(1.0, abs(low)))


def _has_kind(column: Any, kinds: str) -> bool:
    kind = getattr(column.dtype, "numpy_dtype", column.dtype)
    return isinstance(kind, np.dtype) and kind.kind in kinds


def _bounds_of(bounds: Bounds | None, name: str) -> tuple[float, float] | None:
    if isinstance(bounds, Mapping):
        bounds = bounds.get(name)
    if bounds is None:
        return None
    try:
        low, high = (float(end) for end in bounds)
    except (TypeError, ValueError):
        raise OptionError(
            "bounds must be (lower, upper) for all numbers, or {column: (lower, upper)}"
        ) from None
    return low, high


def _check_names(given: Mapping[str, Any], names: list[str], what: str) -> None:
    if unknown := [str(name) for name in given if str(name) not in names]:
        raise OptionError(
            f"{what} name {unknown[0]!r}, which is not a column of the frame"
            + meant(unknown[0], names)
        )


def _column(
    column: Any, name: str, role: str, bounds: Any, levels: Any, from_data: bool
) -> Column | None:
    """The schema's column; None if its bounds or levels are neither given nor read off the data."""
    start: Column = {"name": name, "role": role}
    if role == "ignore":
        return start
    if levels is None and role == "feature" and _has_kind(column, "b"):
        ends = bounds or (0.0, 1.0)  # a boolean is 0 or 1
        return {**start, "kind": "numeric", "lower": ends[0], "upper": ends[1]}
    if levels is None and role == "feature" and _has_kind(column, "iuf"):
        ends = bounds or (_found_bounds(column, name) if from_data else None)
        return ends and {**start, "kind": "numeric", "lower": ends[0], "upper": ends[1]}
    if levels is None and _has_kind(column, "b"):
        levels = [False, True]
    if levels is None and from_data:
        levels = _found_levels(column)
    if levels is None:
        return None
    return {**start, "kind": "categorical", "levels": levels_of(levels, name)}


def _columns(
    frame: Any,
    bounds: Bounds | None,
    categories: Mapping[str, Iterable[Any]] | None,
    roles: dict[str, str],
    from_data: bool,
) -> list[Column]:
    """Returns the columns of the schema. Refuses columns whose bounds or levels are not given,
    unless ``from_data`` says to read them off the rows."""
    if not hasattr(frame, "columns"):
        raise TypeError(
            f"frame must be a pandas.DataFrame, whose columns have names, not "
            f"{type(frame).__name__}; pandas.DataFrame(values, columns=[...]) makes one"
        )
    names = [str(column) for column in frame.columns]
    refuse_twice(names)
    given = {str(column): values for column, values in (categories or {}).items()}
    _check_names(roles, names, "label, sensitive and ignore")
    _check_names(given, names, "categories")
    if isinstance(bounds, Mapping):
        _check_names(bounds, names, "bounds")
    found = []
    for original, name in zip(frame.columns, names, strict=True):
        for_all = not isinstance(bounds, Mapping)
        skip = for_all and _has_kind(frame[original], "b")  # such bounds are for numbers
        ends, role = None if skip else _bounds_of(bounds, name), roles.get(name, "feature")
        found.append(_column(frame[original], name, role, ends, given.get(name), from_data))
    if lacking := [name for name, one in zip(names, found, strict=True) if one is None]:
        raise OptionError(
            f"{', '.join(map(repr, lacking))}: give public bounds={{column: (lower, upper)}} of "
            "numbers and categories={column: [...]} of texts, labels and groups. "
            "origin='from-data' reads them off the rows, and no model made with that is private"
        )
    return [column for column in found if column is not None]


class FromFrame:
    """Gives :class:`dp2dp.Schema` its from_frame."""

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        bounds: Bounds | None = None,
        categories: Mapping[str, Iterable[Any]] | None = None,
        label: str | None = None,
        sensitive: str | Iterable[str] | None = None,
        ignore: Iterable[str] = (),
        origin: str = "public",
        norm: float = 3.0,
        name: str = "",
    ) -> Self:
        """Makes a schema for the columns of ``frame``, a pandas.DataFrame. By default, only the
        names and types of the columns are read off the frame.

        ``bounds`` are the public bounds of numbers: one pair (lower, upper) for all columns, or
        {column: (lower, upper)}. ``categories`` are the public levels {column: [...]} of columns
        that hold texts, of the ``label`` and of the ``sensitive`` columns. Booleans need neither: a
        boolean feature is a number from 0 to 1, and a boolean label or group has the levels False
        and True. ``ignore`` names columns that are not used; all others are features. Encoded rows
        whose norm is larger than ``norm`` are scaled down to it. ``name`` is the name of the
        schema. With ``origin="from-data"``, bounds and levels that are not given are read off the
        rows, and no model made with the schema is private.

        >>> import pandas as pd
        >>> from dp2dp import Schema
        >>> people = pd.DataFrame({"age": [38], "job": ["clerk"], "paid": ["no"]})
        >>> levels = {"job": ["clerk", "smith"], "paid": ["no", "yes"]}
        >>> schema = Schema.from_frame(
        ...     people, bounds={"age": (18, 90)}, categories=levels, label="paid"
        ... )
        >>> schema.columns, schema.width, schema.classes
        (['age', 'job', 'paid'], 4, ['no', 'yes'])
        """
        if origin not in ("public", "from-data"):
            raise OptionError(f"origin must be 'public' or 'from-data', not {origin!r}")
        several = [sensitive] if isinstance(sensitive, str) else list(sensitive or ())
        roles = {str(column): "ignore" for column in ignore}
        roles |= {column: "sensitive" for column in several}
        roles |= {} if label is None else {label: "label"}
        make: Any = cls
        made: Self = make(
            {
                "format": "dp2dp-schema",
                "version": {"major": 1, "minor": 0},
                "name": name,
                "origin": origin,
                "norm": norm,
                "columns": _columns(frame, bounds, categories, roles, origin == "from-data"),
            }
        )
        return made
