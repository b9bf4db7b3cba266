"""Finds a column of X whose value determines the group, or the label, of every row, or who has one
of the classes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from ._core import DataError
from ._factored import Factored, factored
from ._typing import Codes, Column, Float64s
from ._warn import SECRET, FairnessWarning, warn

_FEW = 20  # a column with more distinct values is not just another spelling of the groups
_ENOUGH = 10  # with fewer rows per value, a column may determine the group by chance
_FIRST = 1000  # rows that are checked first: these alone may have too many distinct values
_SIDE = 100  # a column reveals a class only if so many people have it, and so many do not
_MANY = 20  # rows that must lack the most frequent label: with fewer, chance may explain a match


def _few_values(values: Any) -> Factored | None:
    """Returns the column if it has few distinct values, otherwise None. A missing value counts as
    one more value."""
    if not isinstance(values, Factored):
        try:
            first = values.iloc[:_FIRST] if hasattr(values, "iloc") else values[:_FIRST]
            if len(factored(first).values) > _FEW:
                return None
            values = factored(values)
        except DataError:  # neither texts nor numbers
            return None
    count = len(values.values) + 1
    return values if count <= _FEW and _ENOUGH * count <= len(values) else None


def tells(values: Any, groups: Codes) -> bool:
    """Returns True if all rows with the same value in the column ``values`` have the same code in
    ``groups``. ``groups`` has the code of each row's group or label. Returns False if the column
    has many distinct values."""
    if (found := _few_values(values)) is None:
        return False
    pairs = np.zeros((len(found.values) + 1, int(groups.max()) + 1), dtype=bool)
    pairs[found.codes, groups] = True
    return bool(pairs.sum(axis=1).max() <= 1)


def say_group_seen(columns: Iterable[tuple[str | int, Any]], groups: Codes, of: str = "X") -> None:
    """Warns of the first column that determines the group of every row. This is for a rule that
    must not see the group. ``groups`` has the group code of each row. ``of`` is what the user calls
    the table."""
    if len(groups) == 0 or groups.min() < 0 or groups.min() == groups.max():
        return
    seen = next((name for name, values in columns if tells(values, groups)), None)
    if seen is not None:
        tell_group_seen(seen, of)


def tell_group_seen(name: str | int, of: str) -> None:
    warn(
        f"group-in-column: the column {name!r} of {of} reveals the group of every row, but the "
        f"rule must not see the group. Drop the column from {of}. {SECRET}",
        FairnessWarning,
    )


def _as_numbers(values: Any) -> Float64s | None:
    """Returns a column of numbers, with -inf for missing ones. Returns None if the column does not
    hold numbers."""
    if isinstance(values, Factored) or getattr(values, "dtype", None) == np.dtype(object):
        return None
    found = np.asarray(values)
    if found.dtype.kind not in "fiu" or found.ndim != 1:
        return None
    numbers: Float64s = found.astype(np.float64)
    return np.where(np.isnan(numbers), -np.inf, numbers)


def _are_apart(numbers: Float64s, labels: Codes, people: npt.NDArray[np.int64], side: int) -> bool:
    """Returns whether the ranges of the numbers of the classes do not overlap, and at least
    ``side`` people are on each side of a gap between two ranges."""
    order = np.argsort(labels, kind="stable")
    starts = np.concatenate([[0], np.cumsum(people[people > 0])[:-1]])
    low, high = (one.reduceat(numbers[order], starts) for one in (np.minimum, np.maximum))
    at = np.argsort(low)
    if (high[at][:-1] >= low[at][1:]).any():
        return False
    below = np.cumsum(people[people > 0][at])[:-1]
    return bool(((below >= side) & (len(labels) - below >= side)).any())


def _owner(
    codes: npt.NDArray[Any], labels: Codes, people: npt.NDArray[np.int64], side: int
) -> int | None:
    """Returns a class for which all people with the class, and no others, have one and the same
    code. At least ``side`` people must have the class, and at least ``side`` must lack it. Returns
    None if there is no such class."""
    pairs = np.unique(codes.astype(np.int64) * len(people) + labels)
    of_class = pairs % len(people)
    _, at, counts = np.unique(pairs // len(people), return_inverse=True, return_counts=True)
    own = (counts[at.reshape(-1)] == 1) & (np.bincount(of_class)[of_class] == 1)
    own &= (people[of_class] >= side) & (len(labels) - people[of_class] >= side)
    return int(of_class[own][0]) if own.any() else None


def _late(values: Any, labels: Codes, side: int) -> tuple[str, int | None] | None:
    """Looks for a sign that a column is known only after the label. The signs are those of
    src/schema/marks.c. Returns what the column does, and the class that it reveals (None for
    all)."""
    people = np.bincount(labels)
    if len(people) > _FEW:
        return None
    numbers = _as_numbers(values)
    if numbers is not None:
        if _are_apart(numbers, labels, people, side):
            return "determines the label of every row", None
        is_some = (numbers != 0) & (numbers != -np.inf)
        owner = _owner(is_some, labels, people, side)
        if owner is not None and is_some[labels == owner][0]:
            return "is not 0", owner
        codes: npt.NDArray[Any] = np.unique(numbers, return_inverse=True)[1].reshape(-1)
    else:
        codes = values.codes + 1 if isinstance(values, Factored) else factored(values).codes + 1
    owner = _owner(codes, labels, people, side)
    return None if owner is None else ("has one and the same value", owner)


def _find_late(values: Any, labels: Codes) -> tuple[str, int | None] | None:
    """Does what :func:`_late` does. Returns None for a column of neither texts nor numbers. To save
    time, tests the first rows first, if all classes are among them."""
    try:
        first = values.iloc[:_FIRST] if hasattr(values, "iloc") else values[:_FIRST]
        if len(np.unique(labels[:_FIRST])) == len(np.unique(labels)):
            if _late(first, labels[:_FIRST], 0) is None:
                return None
        return _late(values, labels, _SIDE)
    except (DataError, TypeError, ValueError):
        return None


def say_label_seen(
    columns: Iterable[tuple[str | int, Any]], labels: Codes, classes: Sequence[object] = ()
) -> None:
    """Warns of the first column that determines the label of every row, or that all people of one
    of the ``classes`` share. ``labels`` has the code of each row's label. Does nothing if fewer
    than ``_MANY`` rows lack the most frequent label. With ``_MANY`` such rows or more, a column
    that is independent of the label determines the label with probability 2^-19 or less, as in
    src/schema/tells.c."""
    if len(labels) == 0 or labels.min() < 0:
        return
    if len(labels) - int(np.bincount(labels).max()) < _MANY:
        return
    for name, values in columns:
        every = "determines the label of every row"
        found = (every, None) if tells(values, labels) else _find_late(values, labels)
        if found is not None:
            tell_label_seen(name, *found, classes)
            return


def tell_label_seen(
    name: str | int, what: str, owner: int | None, classes: Sequence[object]
) -> None:
    if owner is not None:
        of = f"the class {classes[owner]!r}" if owner < len(classes) else "one class"
        what += f" for everybody of {of}, and for nobody else"
    warn(
        f"label-in-column: the column {name!r} {what}. Is the column a copy of the label, or is it "
        "filled in only after the label is known? For new people, the column may be missing or "
        f"wrong. Leave the column out. {SECRET}",
        FairnessWarning,
    )


def say_label_seen_in_rows(schema: Any, frame: Any) -> None:
    """Does what :func:`say_label_seen` does, for the columns of a data frame. Does nothing if
    ``frame`` is not a data frame or has no label. ``schema`` is a Schema of ``_schema.py``."""
    columns = columns_of_frame(schema, frame)
    label = next((one for one, _ in columns if one["role"] == "label"), None)
    if label is None:
        return
    # Errors are ignored here, because the training has already accepted the columns.
    with suppress(TypeError, ValueError):
        codes, names = _codes_of(label, next(values for one, values in columns if one is label))
        say_label_seen(_features(columns), codes, names)


def say_group_seen_in_rows(schema: Any, frame: Any) -> None:
    """Does what :func:`say_group_seen` does, for the columns of a data frame. Does nothing if
    ``frame`` is not a data frame or has no group. ``schema`` is a Schema of ``_schema.py``."""
    columns = columns_of_frame(schema, frame)
    with suppress(TypeError, ValueError):
        codes = np.zeros(len(frame), dtype=np.int64)
        for one, values in columns:
            if one["role"] == "sensitive":
                own, _ = _codes_of(one, values)
                codes = np.where((own < 0) | (codes < 0), -1, codes * (int(own.max()) + 1) + own)
        say_group_seen(_features(columns), codes.astype(np.int32), "the table")


def columns_of_frame(schema: Any, frame: Any) -> list[tuple[Column, Any]]:
    """Returns the columns of a frame that the schema uses, each with its entry in the schema.
    Returns an empty list if ``frame`` is not a data frame. ``schema`` is a Schema of
    ``_schema.py``."""
    if not hasattr(frame, "columns") or not hasattr(frame, "shape"):
        return []
    names = {str(name): name for name in getattr(frame, "column_names", frame.columns)}
    return [
        (one, _array_of(frame[names[one["name"]]]))
        for one in json.loads(schema.text)["columns"]
        if one["role"] != "ignore" and one["name"] in names
    ]


def _features(columns: list[tuple[Column, Any]]) -> Iterable[tuple[str, Any]]:
    return ((one["name"], values) for one, values in columns if one["role"] == "feature")


def _codes_of(column: Column, values: Any) -> tuple[npt.NDArray[Any], list[object]]:
    """Returns the codes of a label or group, and the names of the codes, which are empty if cut
    points make the levels."""
    if column.get("cuts"):
        numbers = np.asarray(values, dtype=float)
        return np.searchsorted(column["cuts"], numbers, side="right").astype(np.int32), []
    found = factored(values)
    return found.codes.astype(np.int32), found.values.tolist()


def _array_of(column: Any) -> Any:
    return column if hasattr(column, "iloc") else np.asarray(column)
