"""Warns of the rows of a file, by what the library counts while it reads them. The file is not
loaded into memory."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import numpy as np

from ._column_tells import tell_group_seen, tell_label_seen
from ._copies import tell_copies
from ._marker import tell_marker
from ._number_ids import tell_number_ids
from ._odd_numbers import tell_dotted, tell_one_value, tell_too_wide
from ._outside import (
    Many,
    has_bounds,
    have_odd_bounds,
    is_most,
    is_untold,
    say_reached,
    tell_clipped,
    tell_empty,
)
from ._typing import Column
from ._unlisted import advise, tell_unlisted
from ._warn import SECRET, FairnessWarning, warn

_MANY = 20  # with fewer rows, nothing is said about bounds and missing values
_MARKED = 100  # at least one value in 100 must be the same number outside the bounds
_LABEL_WORDS = {1: "has one and the same value", 2: "is not 0"}

_Features = list[tuple[Column, SimpleNamespace]]


def is_file(rows: Any) -> bool:
    """Returns whether ``rows`` is the path of a file, which can be read twice."""
    return isinstance(rows, (str, bytes, os.PathLike)) and os.path.isfile(rows)


class _Watched:
    """What the library finds in the rows of a file, with a column of labels or groups if asked for.
    ``features`` has each feature with its dp2dp_spread."""

    def __init__(self, schema: Any, path: Any, labels: bool = False, groups: bool = False) -> None:
        found = schema._watch(path, labels, groups)
        self.rows, self.kept = found["rows"], found["kept"]
        self.rows_repeated = found["rows_repeated"]
        columns = json.loads(schema.text)["columns"]
        self.features: _Features = [
            (column, SimpleNamespace(**spread))
            for column, spread in zip(columns, found["columns"], strict=True)
            if column["role"] == "feature"
        ]


def say_outside_of_file(schema: Any, path: Any) -> None:
    """Does what :func:`say_outside_of_frame` does, for the file ``path``."""
    if not is_untold():
        _say_outside(_Watched(schema, path))


def say_odd_file(schema: Any, path: Any, target: str, has_several: bool) -> None:
    """Gives the warnings about the rows of a training with this ``target``, for the file ``path``.
    ``has_several`` says that a person may have several rows."""
    found = _Watched(schema, path, target != "group", target != "label")
    if target != "group":
        _say_label_seen(found.features, schema.classes)
    if target != "label":
        seen = next((column["name"] for column, s in found.features if s.tells_group), None)
        if seen is not None:
            tell_group_seen(seen, "the table")
    if not schema.from_data:
        _say_outside(found)
        _say_attained(found)
        for column, s in found.features:
            if s.are_ids:
                tell_number_ids(column["name"], s.all)
    tell_left_out(found.rows - found.kept, found.rows)
    if found.rows_repeated and not has_several:
        tell_copies()


def _say_label_seen(features: _Features, classes: list[str]) -> None:
    for column, s in features:
        if s.tells_label:
            tell_label_seen(column["name"], "determines the label of every row", None, classes)
            return
        if s.marks_label:
            tell_label_seen(column["name"], _LABEL_WORDS[s.marks_label], s.marked, classes)
            return


def _say_outside(found: _Watched) -> None:
    many = Many(found.kept)
    for at, (column, s) in enumerate(found.features):
        later = [one for one in found.features[at + 1 :] if has_bounds(one[0])]
        if found.kept >= _MANY and s.all == 0:
            tell_empty(column["name"], found.kept)
            return
        if has_bounds(column):
            if is_most(s.outside, found.kept):
                others = [c["name"] for c, one in later if is_most(one.outside, found.kept)]
                tell_clipped(column, s.outside, found.kept, others=others)
                return
            if _say_odd_numbers(column, s, later):
                return
            if s.same_outside and _MARKED * s.same_outside >= found.kept:
                many.note_same(column, s.outside, s.same_outside)
            many.note(column, s.outside)
        elif column["kind"] == "categorical":
            if is_most(s.outside, found.kept):
                tell_unlisted(column, s.outside, found.kept)
                return
            many.note(column, s.outside)
            check = advise(s.same_unlisted, s.missing_unlisted, found.kept)
            many.note_check(column, s.outside, check)
    many.tell()


def _say_odd_numbers(
    column: Column, s: SimpleNamespace, later: Iterable[tuple[Column, SimpleNamespace]]
) -> bool:
    """Does what :func:`say_odd_numbers` does. Returns whether it warned."""
    if s.same_inside:
        tell_marker(column, s.same_inside, s.all, s.smallest if s.is_lowest else s.largest)
    elif s.has_thousands:
        tell_dotted(column, s.fractions, s.numbers)
    elif s.is_narrow:
        rest = [c["name"] for c, one in later if one.is_narrow]
        tell_too_wide(column, s.inside, s.values, s.lower, s.upper, rest)
    elif s.has_one_value:
        tell_one_value(column, s.all)
    else:
        return False
    return True


def _say_attained(found: _Watched) -> None:
    """Warns if the bounds are exactly the smallest and the largest values. Unlike the check of a
    frame, cannot compare bounds with other statistics of the rows."""
    bounded = [(column, s) for column, s in found.features if has_bounds(column)]
    columns = [column for column, _ in bounded]
    if not is_untold() and found.kept >= _MANY and have_odd_bounds(columns):
        say_reached(columns, np.array([_ends_of(s) for _, s in bounded]))


def _ends_of(s: SimpleNamespace) -> tuple[float, float]:
    return (s.smallest, s.largest) if s.all else (np.nan, np.nan)


def tell_left_out(left_out: int, rows: int) -> None:
    """Warns if at least half of the rows of a training are left out."""
    if rows >= _MANY and 2 * left_out >= rows:
        warn(
            f"most-left-out: {left_out} of {rows} rows lack a value that the schema needs, and add "
            "nothing to the training. Were values lost, for example in a join? If many people lack "
            "this value, let the schema keep their rows (missing='level'), or leave the column "
            f"out. {SECRET}",
            FairnessWarning,
        )
