"""Warns of columns whose values are mostly outside their bounds, or not in their lists."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from . import _core
from ._arrays import batches
from ._typing import Codes, Column
from ._warn import FairnessWarning, warn

_MANY = 20  # with fewer rows, a share of them says little
_UNKNOWN = 2  # the library's code for a text that is not in the list of levels
_BOOLEANS = {"True", "False"}
_quiet = ContextVar("quiet", default=False)


@contextmanager
def outside_untold(quiet: bool) -> Iterator[None]:
    """Suppresses these warnings in the block if ``quiet``, because bad rows are ignored or the
    caller has warned already."""
    token = _quiet.set(quiet or _quiet.get())
    try:
        yield
    finally:
        _quiet.reset(token)


def _is_most(count: int, rows: int) -> bool:
    return count == rows > 0 or (rows >= _MANY and 2 * count > rows)


def _tell_clipped(column: Column, count: int, rows: int) -> None:
    warn(
        f"bounds-exceeded: {count} of {rows} values of {column['name']!r} are outside its bounds "
        f"({column['lower']:g}, {column['upper']:g}) and were clipped. Check the unit of the "
        "column. This warning is about the data: do not publish it",
        FairnessWarning,
    )


def _tell_unlisted(column: Column, count: int, rows: int, values: Any = ()) -> None:
    check = "Check their spelling"
    if len(values) and {*values} <= _BOOLEANS:
        check = "The values are booleans: list them as [False, True]"
    elif {*column["levels"]} <= _BOOLEANS:
        check = "The list has booleans: write the values as booleans too"
    warn(
        f"levels-unlisted: {count} of {rows} values of {column['name']!r} are not in its list of "
        f"{len(column['levels'])} categories. {check}. This warning is about the data: do not "
        "publish it",
        FairnessWarning,
    )


def say_outside(table: Any, schema: str) -> None:
    """Warns of the first column that has most values outside its bounds, or not in its list. The
    likely cause is a wrong unit or spelling. ``table`` is a Table of ``_table.py``, with features
    of the ``schema``, which is JSON text."""
    if _quiet.get():
        return
    whole = json.loads(schema)
    of = {column["name"]: column for column in whole["columns"]}
    rows = len(table)
    for name, column in zip(table.names, table.numbers.T, strict=True):
        low, high = of[name]["lower"], of[name]["upper"]
        count = int(np.count_nonzero((column < low) | (column > high)))
        if _is_most(count, rows):
            _tell_clipped(of[name], count, rows)
            return
    for name, (codes, values) in zip(table.text_names, table.texts, strict=True):
        if of[name].get("unknown") == "refuse":
            continue  # the library refuses the rows
        levels = {*of[name]["levels"], *of[name].get("aliases", {})}
        if not _is_most(_unlisted(codes, [value in levels for value in values]), rows):
            continue
        # Other spellings of a level are rare, so the library is asked only now.
        count = _unlisted(codes, _are_known(whole, of[name], values))
        if _is_most(count, rows):
            _tell_unlisted(of[name], count, rows, values)
            return


def _unlisted(codes: Codes, are_listed: Iterable[bool]) -> int:
    """Counts the rows whose value is not listed. The code -1 is a missing value."""
    listed = np.array([*are_listed, True])
    return int(np.count_nonzero(~listed[codes]))


def _are_known(schema: dict[str, Any], column: Column, values: list[str]) -> list[bool]:
    """Asks the library which texts are levels of a column or missing values: it trims texts if the
    schema says so, and compares numbers as numbers."""
    alone = _core.Schema(json.dumps({**schema, "columns": [column]}))
    texts = (np.arange(len(values), dtype=np.int32), values)
    stream = _core.stream(np.empty((len(values), 0)), [column["name"]], [texts])
    found = [findings for _, findings, _ in batches(alone._findings(stream), "findings")]
    return (np.concatenate(found)[:, 0] != _UNKNOWN).tolist() if found else []


def say_outside_of_rows(schema: Any, rows: Any) -> None:
    """Does what :func:`say_outside` does for a table that can be read a second time, a frame or a
    file. Does nothing for a reader. ``schema`` is a Schema of ``_schema.py``."""
    is_frame = hasattr(rows, "__arrow_c_stream__") and hasattr(rows, "shape")
    is_path = isinstance(rows, (str, bytes, os.PathLike))
    if _quiet.get() or not (is_frame or (is_path and os.path.isfile(rows))):
        return
    whole = json.loads(schema.text)
    features = [column for column in whole["columns"] if column["role"] == "feature"]
    found = type(schema)({**whole, "columns": features}).check(rows)
    for column, counts in zip(features, found["columns"], strict=True):
        if column["kind"] == "numeric" and _is_most(counts["clipped"], found["kept"]):
            _tell_clipped(column, counts["clipped"], found["kept"])
            return
        if _is_most(counts["unknown"], found["kept"]):
            _tell_unlisted(column, counts["unknown"], found["kept"])
            return
