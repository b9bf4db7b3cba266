"""Makes a schema for a data frame."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np

from ._core import DataError, OptionError
from ._factored import is_missing, text_of
from ._meant import meant
from ._options import refuse_unordered
from ._typing import Bounds, Column


def refuse_twice(names: list[str]) -> None:
    """Refuses a table with two columns of the same name, since the name would be ambiguous."""
    if len(set(names)) < len(names):
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise DataError(
            f"two columns are named {twice!r}: rename or drop one of them. "
            "frame.loc[:, ~frame.columns.duplicated()] keeps the first of each name"
        )


def levels_of(values: Iterable[Any], name: str) -> list[str]:
    """Returns the categories of a column as texts. Refuses a list with missing or repeated
    values."""
    if isinstance(values, (str, bytes)):
        raise OptionError(f"categories of {name!r} must be a list, not the text {values!r}")
    if not isinstance(values, Iterable):
        raise OptionError(f"categories of {name!r} must be a list, not {type(values).__name__}")
    refuse_unordered(values, f"categories of {name!r}")
    values = list(values)
    if any(is_missing(value) for value in values):
        raise OptionError(
            f"categories of {name!r} must not list a missing value. To give missing values a "
            f"feature of their own, use missing={{{name!r}: 'level'}}"
        )
    levels = [text_of(value) for value in values]
    if len(set(levels)) < len(levels):
        raise OptionError(
            f"two categories of {name!r} are the same when written as text: list the category once"
        )
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


_NUMBERS = re.compile(r"(u?int\d+|float\d*|double|halffloat)(\[pyarrow\])?")
_BOOLEANS = re.compile(r"bool(ean)?(\[pyarrow\])?")
_DATES = re.compile(r"(date|time|duration|period).*")
_POLICIES = ("refuse", "level", "drop")


def _dtype_of(column: Any) -> str:
    """Returns the name of the type of a column of pandas, polars or Arrow."""
    return str(getattr(column, "dtype", getattr(column, "type", None)))


def _is(column: Any, kinds: re.Pattern[str]) -> bool:
    return kinds.fullmatch(_dtype_of(column).lower()) is not None


def _by_text(given: Any, names: list[str], what: str) -> dict[str, Any]:
    """Returns a copy of the user's dict ``given``, whose keys are names of columns. The keys of the
    copy are texts."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise OptionError(
            f"{what} must be a dict, such as {what}={{column: ...}}, not {type(given).__name__}"
        )
    _check_names(given, names, what)
    return {str(name): value for name, value in given.items()}


def _check_names(given: Iterable[Any], names: list[str], what: str) -> None:
    if unknown := [str(name) for name in given if str(name) not in names]:
        raise OptionError(
            f"{what}: the frame has no column {unknown[0]!r}{meant(unknown[0], names)}"
        )


def _listed(given: Any) -> list[Any]:
    """Returns the column names in ``given``, which is a list or a single name."""
    if given is None:
        return []
    return [given] if isinstance(given, (str, int)) else list(given)


def _roles(**named: list[Any]) -> dict[str, str]:
    """Returns the role of each named column. Refuses a column with two roles."""
    roles: dict[str, str] = {}
    for role, columns in named.items():
        for name in map(str, columns):
            if roles.setdefault(name, role) != role:
                raise OptionError(f"{name!r} is given as {roles[name]} and as {role}: choose one")
    return roles


class _Public:
    """What the user says about the columns of a frame."""

    def __init__(self, names: list[str], given: dict[str, Any], from_data: bool) -> None:
        bounds, missing = given["bounds"], given["missing"]
        self.from_data = from_data
        self.categories = _by_text(given["categories"], names, "categories")
        self.of_all = None if isinstance(bounds, Mapping) else bounds
        self.bounds = _by_text(bounds, names, "bounds") if self.of_all is None else {}
        self.missing_of_all = missing if isinstance(missing, str) else None
        self.missing = {} if self.missing_of_all else _by_text(missing, names, "missing")
        for policy in (self.missing_of_all or "refuse", *self.missing.values()):
            if policy not in _POLICIES:
                raise OptionError(
                    f"missing must be 'refuse', 'level' or 'drop' for all features, or a dict with "
                    f"one of these for each column, not {policy!r}"
                )
        self.log1p = {str(name) for name in _listed(given["log1p"])}
        _check_names(self.log1p, names, "log1p")

    def ends(self, name: str) -> tuple[float, float] | None:
        """Returns the bounds of a column of numbers, or None if no bounds are given for the
        column."""
        given = self.bounds.get(name, self.of_all)
        if given is None:
            return None
        refuse_unordered(given, f"bounds of {name!r}")
        try:
            low, high = (float(end) for end in given)
        except (TypeError, ValueError):
            raise OptionError(
                "bounds must be (lower, upper) for all numeric columns, or {column: (lower, upper)}"
            ) from None
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise OptionError(
                f"the bounds of {name!r} must be finite, and the lower must be below the upper"
            )
        return low, high

    def complete(self, column: Column) -> Column:
        """Adds "missing" (what is done with missing values) and "log1p" to a column of the
        schema."""
        name, role = column["name"], column["role"]
        policy = self.missing.get(name, self.missing_of_all if role == "feature" else None)
        if policy is not None and role == "ignore":
            raise OptionError(
                f"the column {name!r} is in ignore=[...], so it is not used: leave {name!r} out of "
                "missing={...}"
            )
        if name in self.log1p and column.get("kind") != "numeric":
            raise OptionError(f"log1p takes only numeric features, and {name!r} is not numeric")
        more: Column = {} if policy is None else {"missing": policy}
        return {**column, **more, **({"log1p": True} if name in self.log1p else {})}


def _refuse_kind(column: Any, name: str, role: str, public: _Public) -> None:
    """Refuses bounds for a column that is not a numeric feature, and a feature whose type is not
    supported."""
    levels, kind = public.categories.get(name), _dtype_of(column)
    named, out = name in public.bounds, f"leave the column out with ignore=[{name!r}]"
    if named and (levels is not None or role != "feature"):
        what = "has categories" if levels is not None else f"has the role {role}"
        more = "" if levels else f", and list its public values as categories={{{name!r}: [...]}}"
        raise OptionError(
            f"{name!r} {what}, but bounds are only for features with numbers. Leave the bounds of "
            f"{name!r} out{more}"
        )
    if levels is not None or role != "feature":
        return
    if _is(column, _DATES):
        raise OptionError(
            f"{name!r} holds dates or times (dtype {kind}). Turn them into numbers, for example "
            f"the number of days since a fixed public date, or {out}"
        )
    if named and not _is(column, _NUMBERS) and not _is(column, _BOOLEANS):
        raise OptionError(
            f"{name!r} has bounds, but its dtype {kind} is not numeric. Turn it into numbers with "
            f"pandas.to_numeric(frame[{name!r}]) or .astype(float); or, instead of bounds, list "
            f"its public values as categories={{{name!r}: [...]}}; or {out}"
        )


def _column(column: Any, name: str, role: str, public: _Public) -> Column | None:
    """Returns the schema's column, or None if its bounds or levels are neither given nor read off
    the data."""
    start: Column = {"name": name, "role": role}
    if role == "ignore":
        return start
    _refuse_kind(column, name, role, public)
    levels, is_boolean = public.categories.get(name), _is(column, _BOOLEANS)
    if levels is None and role == "feature" and (is_boolean or _is(column, _NUMBERS)):
        # A pair of bounds for all columns does not apply to booleans. A boolean column has the
        # bounds 0 and 1 unless the user gives bounds for that column.
        ends = public.ends(name) if not is_boolean or name in public.bounds else (0.0, 1.0)
        if ends is None and public.from_data:
            ends = _found_bounds(column, name)
        return ends and {**start, "kind": "numeric", "lower": ends[0], "upper": ends[1]}
    if levels is None and is_boolean:
        levels = [False, True]
    if levels is None and public.from_data:
        levels = _found_levels(column)
    if levels is None:
        return None
    return {**start, "kind": "categorical", "levels": levels_of(levels, name)}


def refuse_lazy(frame: Any) -> None:
    """Refuses a LazyFrame of polars, which has no rows yet."""
    if hasattr(frame, "collect") and hasattr(frame, "collect_schema"):
        raise TypeError(
            f"{type(frame).__name__} has no rows yet: call .collect() first, and pass the result"
        )


def names_in(rows: Any) -> list[Any]:
    """Returns the names of the columns of a frame. Returns an empty list for other rows."""
    if not hasattr(rows, "columns") or not hasattr(rows, "shape"):
        return []
    return list(getattr(rows, "column_names", rows.columns))


def _names_in(frame: Any) -> list[Any]:
    """Returns the names of the columns of a pandas, polars or Arrow table."""
    refuse_lazy(frame)
    if not hasattr(frame, "columns") or hasattr(frame, "collect"):
        raise TypeError(
            "frame must be a pandas.DataFrame or a table of polars or pyarrow, in memory and with "
            f"names for its columns, not {type(frame).__name__}; "
            "pandas.DataFrame(values, columns=[...]) makes a frame"
        )
    return list(getattr(frame, "column_names", frame.columns))


def _columns(frame: Any, roles: dict[str, str], given: dict[str, Any], from_data: bool) -> Any:
    """Returns the columns of the schema. If ``from_data`` is True, bounds and levels that are not
    given are read off the rows. If ``from_data`` is False, refuses a column without given bounds or
    levels."""
    originals = _names_in(frame)
    names = [str(column) for column in originals]
    refuse_twice(names)
    for name, role in roles.items():
        _check_names([name], names, role)
    public = _Public(names, given, from_data)
    found = [
        _column(frame[original], name, roles.get(name, "feature"), public)
        for original, name in zip(originals, names, strict=True)
    ]
    if lacking := [name for name, one in zip(names, found, strict=True) if one is None]:
        raise OptionError(
            f"no bounds or categories are given for {', '.join(map(repr, lacking))}. Give "
            "bounds={column: (lower, upper)} for numbers and categories={column: [...]} for texts, "
            "labels and groups, or leave columns out with ignore=[...]. origin='from-data' reads "
            "bounds and categories off the rows, and no model made with such a schema is private"
        )
    return [public.complete(column) for column in found if column is not None]


class FromFrame:
    """A base class of :class:`dp2dp.Schema`. Provides the method from_frame."""

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        bounds: Bounds | None = None,
        categories: Mapping[Any, Iterable[Any]] | None = None,
        label: str | int | None = None,
        sensitive: str | int | Iterable[str | int] | None = None,
        ignore: str | int | Iterable[str | int] = (),
        missing: str | Mapping[Any, str] | None = None,
        log1p: str | int | Iterable[str | int] = (),
        origin: str = "public",
        norm: float = 3.0,
        name: str = "",
    ) -> Self:
        """Makes a schema for the columns of ``frame``, a pandas.DataFrame or a table of polars or
        pyarrow. By default, only the names and types of the columns are read off the frame.

        ``bounds`` are the public bounds of numbers: one pair (lower, upper) for all columns, or
        {column: (lower, upper)}. ``categories`` are the public levels {column: [...]} of columns
        that hold texts, of the ``label`` and of the ``sensitive`` columns. Booleans need no bounds
        and no categories: a boolean feature is a number from 0 to 1, and a boolean label or group
        has the levels False and True.

        ``ignore`` names columns that are not used. A column that is neither the label nor sensitive
        nor ignored is a feature. ``missing`` says what happens to a row whose value is missing:
        "refuse" (the default) raises an error, "level" gives missing values a feature of their own,
        and "drop" keeps the row in the number of records, but uses none of its values. ``missing``
        is one of these words for all features, or {column: word}.

        ``log1p`` names features, such as incomes, that are replaced by log(1 + x). Encoded rows
        whose norm is larger than ``norm`` are scaled down to it. ``name`` is the name of the
        schema.

        With ``origin="from-data"``, bounds and levels that are not given are read off the rows, and
        no model made with the schema is private.

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
        roles = _roles(ignore=_listed(ignore), sensitive=_listed(sensitive), label=_listed(label))
        given = {"bounds": bounds, "categories": categories, "missing": missing, "log1p": log1p}
        make: Any = cls
        made: Self = make(
            {
                "format": "dp2dp-schema",
                "version": {"major": 1, "minor": 0},
                "name": name,
                "origin": origin,
                "norm": norm,
                "columns": _columns(frame, roles, given, origin == "from-data"),
            }
        )
        return made
