"""Warns of columns whose values are mostly outside their bounds, or not in their lists."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from ._core import DataError
from ._typing import Column
from ._warn import FairnessWarning, warn

_MANY = 20  # with fewer rows, a share of them says little
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


def say_outside(table: Any, features: list[Column]) -> None:
    """Warns of the first column that has most values outside its bounds, or not in its list. The
    likely cause is a wrong unit or spelling. ``table`` is a Table of ``_table.py``."""
    if _quiet.get():
        return
    of = {column["name"]: column for column in features}
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
        # The last entry is for the code -1, a missing value.
        listed = np.array([*(value in levels for value in values), True])
        count = int(np.count_nonzero(~listed[codes]))
        if _is_most(count, rows):
            _tell_unlisted(of[name], count, rows, values)
            return


def say_outside_of_rows(schema: Any, rows: Any, features: list[Column]) -> None:
    """Does what :func:`say_outside` does for a table that can be read a second time, such as a
    frame. Does nothing for a path or a reader."""
    if not hasattr(rows, "__arrow_c_stream__") or not hasattr(rows, "shape"):
        return
    try:
        found = schema.check(rows)
    except DataError:
        return  # such as a table without the column of groups, which training does not need
    of = {column["name"]: column for column in features}
    for counts in found["columns"]:
        column = of.get(counts["name"])
        if column and column["kind"] == "numeric" and _is_most(counts["clipped"], found["kept"]):
            _tell_clipped(column, counts["clipped"], found["kept"])
            return
        if column and _is_most(counts["unknown"], found["kept"]):
            _tell_unlisted(column, counts["unknown"], found["kept"])
            return
