"""Finds and tells texts that are not in the list of categories of their column."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from . import _core
from ._arrays import batches
from ._typing import Codes, Column
from ._warn import SECRET, FairnessWarning, warn

_MANY = 20  # fewer rows with one text may be chance
_MARKED = 100  # warn of a text that at least 1 value in 100 equals
_ALONE = 0.95  # the text must be at least this share of the values that are not in the list
_UNKNOWN = 2  # the library's code for a text that is not in the list of levels
_BOOLEANS = {"True", "False"}


def check_alike(codes: Codes, known: list[bool], values: list[Any]) -> str:
    """Looks for values that are not in the list, and that are one and the same text, or look like
    missing values. At least 20 rows, and 1 row in 100, must have them. Returns what to check, or ""
    if there are no such values."""
    rows = len(codes)
    counts = np.bincount(codes[codes >= 0], minlength=len(values))
    counts[np.array(known, dtype=bool)] = 0
    look = [not (text := str(v).strip().lower()) or text in _core.missing for v in values]
    same = int(counts.max(initial=0))
    same = same if same >= _ALONE * int(counts.sum()) else 0
    return advise(same, int(counts[look].sum()), rows)


def advise(same: int, missing: int, rows: int) -> str:
    """Returns what to check if ``same`` of the values that are not in the list are one and the same
    text, and ``missing`` look like missing values. Returns "" if that is too few rows."""
    if missing >= _MANY and _MARKED * missing >= rows:
        return (
            f"{missing} of them look like missing values (NA, ?). If they are missing values, "
            "replace them by None"
        )
    if same >= _MANY and _MARKED * same >= rows:
        return (
            f"{same} of them are one and the same text. Check its spelling, or add it to the list"
        )
    return ""


def tell_unlisted(column: Column, count: int, rows: int, values: Any = (), check: str = "") -> None:
    check = check or "Check their spelling"
    if check == "Check their spelling" and 2 * count <= rows:
        check = (
            "Is a category written in another way here than in the list? Categories that are not "
            "listed all count as one category"
        )
    if len(values) and {*values} <= _BOOLEANS:
        check = "The values are booleans: list them as [False, True]"
    elif {*column["levels"]} <= _BOOLEANS:
        check = "The list has booleans: write the values as booleans too"
    warn(
        f"levels-unlisted: {count} of {rows} values of {column['name']!r} are not in its list of "
        f"{len(column['levels'])} categories. {check}. {SECRET}",
        FairnessWarning,
    )


def count_unlisted(codes: Codes, are_listed: Iterable[bool]) -> int:
    """Counts the rows whose value is not listed. The code -1 is a missing value."""
    listed = np.array([*are_listed, True])
    return int(np.count_nonzero(~listed[codes]))


def are_known(schema: dict[str, Any], column: Column, values: list[str]) -> list[bool]:
    """Asks the library which texts are levels of a column or missing values. The library trims
    texts if the schema says so, and compares numbers as numbers."""
    alone = _core.Schema(json.dumps({**schema, "columns": [column]}))
    texts = (np.arange(len(values), dtype=np.int32), values)
    stream = _core.stream(np.empty((len(values), 0)), [column["name"]], [texts])
    found = [findings for _, findings, _ in batches(alone._findings(stream), "findings")]
    return (np.concatenate(found)[:, 0] != _UNKNOWN).tolist() if found else []
