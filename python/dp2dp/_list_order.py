"""Notices lists of categories that were probably read off the rows, by the order of the list."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import numpy.typing as npt

from ._typing import Column
from ._warn import SECRET, warn

_LEVELS = 8  # an order of fewer levels may be that of the rows by chance: 8! is 40320
_DIGITS = re.compile(r"\d+")


def _is_sorted(levels: list[str]) -> bool:
    """Returns whether levels are sorted in a way that needs no rows: as texts, with or without
    upper case, or by their first numbers, as in "under 5", "5 to 9"; forwards or backwards."""
    numbers = [int(found[0]) for one in levels if (found := _DIGITS.search(one))]
    ways: list[list[Any]] = [levels, [one.casefold() for one in levels]]
    ways += [numbers] if len(numbers) >= len(levels) - 1 else []
    return any(way in (sorted(way), sorted(way, reverse=True)) for way in ways)


def _has_blocks(codes: npt.NDArray[np.integer[Any]], counts: npt.NDArray[np.int64]) -> bool:
    """Returns whether rows with the same level are next to each other much more often than in rows
    of random order. Then the rows are probably sorted, perhaps by an order that is public."""
    by_chance = float(np.square(counts / counts.sum()).sum())
    return bool(np.mean(codes[1:] == codes[:-1]) > (1 + by_chance) / 2)


def say_list_read_off(
    column: Column, codes: npt.NDArray[np.integer[Any]], values: list[str]
) -> bool:
    """Warns if the levels of a column are exactly in the order in which they first occur in the
    rows, as from ``unique()``, or in the order of how many rows have them, as from
    ``value_counts()``. ``codes`` are positions in ``values``; a code below 0 is a missing value.
    Sorted levels, and lists with a level that no row has, give no warning. Returns whether it
    warned."""
    levels, codes = column["levels"], codes[codes >= 0]
    if len(levels) < _LEVELS or _is_sorted(levels):
        return False
    present, first, rows = np.unique(codes, return_index=True, return_counts=True)
    at = {values[code]: i for i, code in enumerate(present.tolist())}
    if len(at) != len(levels) or at.keys() != {*levels}:
        return False
    order = [at[level] for level in levels]
    if (np.diff(first[order]) > 0).all():
        if _has_blocks(codes, rows):
            return False
        how = "in which they first occur in these rows, as from unique()"
    elif (np.diff(rows[order]) <= 0).all() and rows.max() > rows.min():
        how = "of how many of these rows have them, as from value_counts()"
    else:
        return False
    warn(
        f"categories-read-off: the {len(levels)} categories of {column['name']!r} are exactly in "
        f"the order {how}. If the list was read off the rows, the model is not private, although "
        "it is marked as private: the list tells which categories occur. Take the list from public "
        "knowledge, or make the schema from the rows with origin='from-data', and the model is "
        f"marked as not private. If the list is public, sort it. {SECRET}"
    )
    return True


def say_lists_read_off(table: Any, schema: str) -> None:
    """Does what :func:`say_list_read_off` does, for each column of texts of a Table of
    ``_table.py`` with features of the ``schema``, which is JSON text. Stops at the first."""
    of = {column["name"]: column for column in json.loads(schema)["columns"]}
    for name, (codes, values) in zip(table.text_names, table.texts, strict=True):
        if of[name]["kind"] == "categorical" and say_list_read_off(of[name], codes, values):
            return
