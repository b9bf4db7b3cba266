"""Finds a column of X whose value determines the group, or the label, of every row."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from ._core import DataError
from ._factored import Factored, factored
from ._typing import Codes
from ._warn import SECRET, FairnessWarning, warn

_FEW = 20  # a column with more distinct values is not just another spelling of the groups
_ENOUGH = 10  # with fewer rows per value, a column may determine the group by chance
_FIRST = 1000  # rows that are checked first: these alone may have too many distinct values
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


def say_label_seen(columns: Iterable[tuple[str | int, Any]], labels: Codes) -> None:
    """Warns of the first column that determines the label of every row. ``labels`` has the code of
    each row's label. Does nothing if fewer than ``_MANY`` rows lack the most frequent label. With
    ``_MANY`` such rows or more, a column that is independent of the label determines the label with
    probability 2^-19 or less, as in src/schema/tells.c."""
    if len(labels) == 0 or labels.min() < 0:
        return
    if len(labels) - int(np.bincount(labels).max()) < _MANY:
        return
    seen = next((name for name, values in columns if tells(values, labels)), None)
    if seen is not None:
        warn(
            f"label-in-column: the column {seen!r} determines the label of every row. Is the "
            "column a copy of the label, or is it filled in only after the label is known? For "
            f"new people, the column may be missing or wrong. Leave the column out. {SECRET}",
            FairnessWarning,
        )


def say_label_seen_in_rows(schema: Any, frame: Any) -> None:
    """Does what :func:`say_label_seen` does, for the columns of a data frame. Does nothing if
    ``frame`` is not a data frame or has no label. ``schema`` is a Schema of ``_schema.py``."""
    if not hasattr(frame, "columns") or not hasattr(frame, "shape"):
        return
    names = {str(name): name for name in getattr(frame, "column_names", frame.columns)}
    columns = [one for one in json.loads(schema.text)["columns"] if one["name"] in names]
    label = next((one for one in columns if one["role"] == "label"), None)
    if label is None:
        return
    # Errors are ignored here, because the training has already accepted the columns.
    with suppress(TypeError, ValueError):
        values = frame[names[label["name"]]]
        codes: npt.NDArray[np.integer[Any]] = (
            np.searchsorted(label["cuts"], np.asarray(values, dtype=float), side="right")
            if label.get("cuts")
            else factored(values).codes
        )
        features = [one["name"] for one in columns if one["role"] == "feature"]
        told = ((name, _array_of(frame[names[name]])) for name in features)
        say_label_seen(told, codes.astype(np.int32))


def _array_of(column: Any) -> Any:
    return column if hasattr(column, "iloc") else np.asarray(column)
