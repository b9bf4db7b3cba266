"""Warns of the rows of a training."""

from __future__ import annotations

import json
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import numpy as np

from ._column_tells import columns_of_frame, say_group_seen_in_rows, say_label_seen_in_rows
from ._copies import say_copies
from ._core import DataError
from ._factored import Factored, factored, text_of
from ._index import say_repeated
from ._list_order import say_list_read_off
from ._odd_file import is_file, say_odd_file, say_outside_of_file, tell_left_out
from ._outside import numbers_of, say_attained, say_ids_of_rows, say_outside_of_frame
from ._people_ids import say_people_repeated
from ._row_hashes import bits_of
from ._warn import keeping


class _Numbers(SimpleNamespace):
    """The numeric features of a frame, as :func:`say_attained` wants them."""

    def __len__(self) -> int:
        return len(self.numbers)


@keeping()  # a check that fails must not stop a training: at worst a warning is missed
def say_odd_rows(schema: Any, rows: Any, options: dict[str, Any]) -> None:
    """Gives the warnings about the ``rows`` of a training with these ``options``. Call this before
    the charge: if a user turns warnings into exceptions, nothing is charged then. ``schema`` is a
    Schema of ``_schema.py``."""
    target = options.get("target", "label")
    if is_file(rows):
        with suppress(DataError):  # the training refuses such rows
            say_odd_file(schema, rows, target, options.get("rows_per_person", 1) > 1)
        return
    with suppress(DataError, TypeError):  # the training refuses such rows, in better words
        if target != "group":
            say_label_seen_in_rows(schema, rows)
        if target != "label":
            say_group_seen_in_rows(schema, rows)
        if not schema.from_data:
            say_outside_of_frame(schema, rows)
            _say_attained(schema, rows)
            say_ids_of_rows(schema, rows)
            _say_lists_read_off(schema, rows)
        say_left_out(schema, rows, target)
    if options.get("rows_per_person", 1) == 1 and not say_repeated(rows):
        with suppress(DataError, TypeError, ValueError):
            if say_people_repeated(rows):
                return
        _say_copies(schema, rows, target)


def say_outside_of_rows(schema: Any, rows: Any) -> None:
    """Warns of columns whose unit or spelling is probably not that of their schema, for a frame or
    a file. Does nothing for a reader, which can be read only once."""
    if is_file(rows):
        say_outside_of_file(schema, rows)
    else:
        say_outside_of_frame(schema, rows)


def _say_attained(schema: Any, rows: Any) -> None:
    """Does what :func:`say_attained` does, for a data frame."""
    names = [
        one["name"]
        for one, _ in columns_of_frame(schema, rows)
        if one["role"] == "feature" and one["kind"] == "numeric"
    ]
    numbers = [numbers_of(rows, name) for name in names]
    if numbers and all(len(one) == len(numbers[0]) for one in numbers):
        say_attained(_Numbers(names=names, numbers=np.column_stack(numbers)), schema.text)


def _say_lists_read_off(schema: Any, rows: Any) -> None:
    """Warns of the first list of categories that was probably read off a data frame."""
    for column, values in columns_of_frame(schema, rows):
        if column["role"] != "feature" or column["kind"] != "categorical":
            continue
        with suppress(DataError, TypeError, ValueError):  # this check can only warn
            found = factored(values)
            texts = [text_of(value) for value in found.values.tolist()]
            if say_list_read_off(column, found.codes, texts):
                return


def _used(schema: Any, target: str) -> list[dict[str, Any]]:
    """Returns the columns of the schema that a training with this target reads."""
    roles = {"feature", *(["label"] if target != "group" else [])}
    roles |= {"sensitive"} if target != "label" else set()
    return [one for one in json.loads(schema.text)["columns"] if one["role"] in roles]


def say_left_out(schema: Any, rows: Any, target: str = "label") -> None:
    """Warns if at least half of the rows are left out because a value is missing. ``rows`` must be
    a table that can be read twice; does nothing for a reader."""
    columns = _used(schema, target)
    if not any(one.get("missing") == "drop" for one in columns):
        return
    if not hasattr(rows, "shape") and not hasattr(rows, "matrix"):
        return
    found = type(schema)({**json.loads(schema.text), "columns": columns}).check(rows)
    tell_left_out(found["left_out"], found["rows"])


def _say_copies(schema: Any, rows: Any, target: str) -> None:
    """Does what :func:`say_copies` does, for the rows of a frame, or of a Rows of ``_schema.py``,
    that are not left out."""
    used = {one["name"]: one for one in _used(schema, target)}
    kept: Any = slice(None)
    with suppress(DataError, TypeError, ValueError):  # neither texts nor numbers, or no names
        columns = {name: one for name, one in _columns_of(schema, rows).items() if name in used}
        for name, values in columns.items():
            if used[name].get("missing") == "drop":
                codes = values if isinstance(values, Factored) else factored(values)
                present = codes.codes >= 0
                kept = present if isinstance(kept, slice) else kept & present
        say_copies({name: bits_of(one) for name, one in columns.items()}, kept)


def _columns_of(schema: Any, rows: Any) -> dict[str, Any]:
    """Returns the columns of a frame or of a Rows of ``_schema.py``, by their names."""
    if not hasattr(rows, "matrix"):
        return {one["name"]: values for one, values in columns_of_frame(schema, rows)}
    texts = [Factored(codes, np.array(levels)) for codes, levels in rows.texts]
    return dict(zip(rows.names, [*rows.matrix.T, *texts], strict=True))
