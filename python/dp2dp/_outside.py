"""Warns of columns that are probably in another unit or spelling than their schema: many values are
outside the bounds, most are not in the list, nearly all are in a small part of the bounds, a dot
between thousands was read as a decimal point, or everybody is in one group of a numeric column.
Also warns of columns without values or with one value, and of bounds that look read off the
rows."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import Decimal
from typing import Any

import numpy as np

from . import _core
from ._arrays import batches
from ._factored import is_missing
from ._typing import Codes, Column, Float64s, Floats
from ._warn import FairnessWarning, warn

_MANY = 20  # with fewer rows, a share of them says little
_PART = 10  # one value in so many is more than a few large numbers
_BINS = 100  # of equal width, which divide the bounds; two neighbours are a small part
_FINER = 20  # with a logarithm, two bins are a thousandth of the bounds
_DIFFERENT = 10  # fewer different numbers may be a count, or a value that stands for "none"
_ROUND = 3  # bounds of all columns with more digits are rarely written as limits
_EXACT = 4  # those of one column with more digits are not: a year has 4
_FEW, _RARE = 100, 1000  # fewer equal numbers are often chance; fewer zeros may all be "none"
_THOUSAND, _NEARLY = 1000, 900
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
    check = "Check the unit of the column"
    if not _is_most(count, rows):
        check = (
            "Are some in another unit, or does a number such as -999 stand for a missing value? If "
            "they are right, wider bounds tell them apart"
        )
    warn(
        f"bounds-exceeded: {count} of {rows} values of {column['name']!r} are outside its bounds "
        f"({column['lower']:g}, {column['upper']:g}) and were clipped. {check}. This warning is "
        "about the data: do not publish it",
        FairnessWarning,
    )


class _Many:
    """Remembers the first column with many values, but not most, outside its bounds."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.first: tuple[Column, int] | None = None

    def note(self, column: Column, count: int) -> None:
        many = self.rows >= _MANY and _PART * count >= self.rows
        if many and self.first is None:
            self.first = column, count

    def tell(self) -> None:
        if self.first is not None:
            _tell_clipped(*self.first, self.rows)


def _strip_of(numbers: Floats, column: Column) -> tuple[Floats, float, float] | None:
    """Returns the numbers of a column that say something about its unit, and the small part of the
    bounds that has nearly all of them; None if they are spread. Follows src/schema/spread.c: zeros
    and numbers at a bound often stand for "none", a small scale makes small numbers differ, and a
    logarithm is for numbers that are mostly small, so a thousandth at the lower bound counts."""
    low, high, log1p = column["lower"], column["upper"], column.get("log1p")
    if not log1p and column.get("scale", np.inf) < (high - low) / 4:
        return None
    said = numbers[(numbers != 0) & (numbers != low) & (numbers != high) & np.isfinite(numbers)]
    bins, last = (_BINS * _FINER, 2) if log1p else (_BINS, _BINS - 1)
    places = ((said - low) / (high - low))[(said > low) & (said < high)]
    counts = np.bincount(np.minimum(places * bins, last).astype(np.int64), minlength=_BINS)
    pairs = counts[:1] + counts[1:2] if log1p else counts[:-1] + counts[1:]
    first = int(pairs.argmax())
    if len(said) < _MANY or pairs[first] <= 0.99 * len(said):
        return None
    ends = [low + (high - low) * bin / bins for bin in (first, first + 2)]
    if len(np.unique(said[(said >= ends[0]) & (said <= ends[1])])) < _DIFFERENT:
        return None
    return said, *ends


def _say_too_wide(column: Column, numbers: Floats) -> bool:
    """Warns if nearly all numbers are in a small part of the bounds. Returns whether it did."""
    # The first rows tell at no cost that the numbers are spread, as they nearly always are.
    if _strip_of(numbers[:1000], column) is None or (found := _strip_of(numbers, column)) is None:
        return False
    said, low, high = found
    inside = int(np.count_nonzero((said >= low) & (said <= high)))
    alike = "" if column.get("log1p") else ": these values hardly differ for a classifier"
    warn(
        f"bounds-too-wide: {inside} of {len(said)} values of {column['name']!r} are between "
        f"{low:.4g} and {high:.4g}, a small part of its bounds ({column['lower']:g}, "
        f"{column['upper']:g}). Check the unit of the column. If it is right, the bounds are too "
        f"wide{alike}. This warning is about the data: do not publish it",
        FairnessWarning,
    )
    return True


def _count_dotted(numbers: Floats) -> tuple[int, int] | None:
    """Counts the fractions and the numbers of a column in which a dot between thousands, as in
    2.345, was probably read as a decimal point: most numbers are fractions of up to three decimals,
    and larger ones are whole and below 1000. Follows src/schema/spread.c."""
    found = np.abs(numbers[(numbers != 0) & ~np.isnan(numbers)]).astype(np.float64)
    if len(found) < _MANY or found.min() < 1 or found.max() >= _THOUSAND:
        return None
    if np.abs(found * _THOUSAND - np.round(found * _THOUSAND)).max() >= 1e-6:
        return None
    fractions = found[found != np.floor(found)]
    if len(fractions) < _MANY or 2 * len(fractions) < len(found):
        return None
    exact = np.count_nonzero(np.abs(fractions * 100 - np.round(fractions * 100)) >= 1e-6)
    above = np.unique(found[found > fractions.max()])
    if 2 * exact < len(fractions) or len(above) < _DIFFERENT or above[-1] < _NEARLY:
        return None
    return len(fractions), len(found)


def _say_dotted(column: Column, numbers: Floats) -> bool:
    """Warns of a dot between thousands that was read as a decimal point. Returns whether it did."""
    first = numbers[:_MANY]  # tells at no cost, as a rule
    if ((np.abs(first) >= _THOUSAND) | ((first != 0) & (np.abs(first) < 1))).any():
        return False
    if (found := _count_dotted(numbers)) is None:
        return False
    warn(
        f"thousands-separated: {found[0]} of {found[1]} values of {column['name']!r} have "
        "decimals, three at most, and the larger ones are whole numbers below 1000. Was a dot that "
        "separates thousands, as in 1.234, read as a decimal point? This warning is about the "
        "data: do not publish it",
        FairnessWarning,
    )
    return True


def _say_one_value(column: Column, numbers: Floats) -> bool:
    """Warns if all numbers are the same. Zeros and bounds often mean "none", and few people may
    have anything else, so they need more rows. Returns whether it did."""
    if len(numbers) < _FEW or len(np.unique(numbers[:_FEW][~np.isnan(numbers[:_FEW])])) > 1:
        return False
    said = numbers[~np.isnan(numbers)]
    if len(said) < _FEW or (said != said[0]).any():
        return False
    is_none = said[0] in (0, column["lower"], column["upper"])
    if is_none and len(said) < _RARE:
        return False
    warn(
        f"one-value: all {len(said)} values of {column['name']!r} are the same, so the column "
        "tells nobody apart. Was it lost on the way, such as in an export? This warning is about "
        "the data: do not publish it",
        FairnessWarning,
    )
    return True


def _say_odd_numbers(column: Column, numbers: Floats) -> bool:
    """Warns of numbers that are within the bounds and yet odd. Returns whether it did."""
    return (
        _say_dotted(column, numbers)
        or _say_too_wide(column, numbers)
        or _say_one_value(column, numbers)
    )


def _is_empty(values: Any) -> bool:
    """Returns whether a column has no value. The first value usually tells."""
    if hasattr(values, "isna"):
        return bool(values.iloc[:1].isna().all() and values.isna().all())
    if getattr(getattr(values, "dtype", None), "kind", "") == "f":
        return bool(np.isnan(values[0]) and np.isnan(values).all())
    return getattr(values, "dtype", None) == object and all(map(is_missing, values))


def say_empty_column(columns: Iterable[tuple[str | int, Any]], rows: int) -> None:
    """Warns of the first column without a value in any row."""
    if rows < _MANY:
        return
    empty = next((name for name, values in columns if _is_empty(values)), None)
    if empty is not None:
        _tell_empty(empty, rows)


def _tell_empty(name: str | int, rows: int) -> None:
    warn(
        f"column-empty: the column {name!r} has no value in any of the {rows} rows. Was it lost on "
        "the way, such as in a join? This warning is about the data: do not publish it",
        FairnessWarning,
    )


def say_one_group(codes: Codes, groups: list[str], cuts: Iterable[float]) -> None:
    """Warns if everybody is in one of the groups between the cut points: the numbers are probably
    in another unit."""
    if not _quiet.get() and len(codes) >= _MANY and codes[0] >= 0 and (codes == codes[0]).all():
        warn(
            f"one-group: all {len(codes)} rows are in the group {groups[codes[0]]!r}. Are the "
            f"numbers in the unit of the cut points, {', '.join(f'{cut:g}' for cut in cuts)}? This "
            "warning is about the data: do not publish it",
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
    """Warns of the first column that has most values outside its bounds or not in its list, nearly
    all in a small part of its bounds, thousands with a dot, or one value; if there is none, of the
    first that has many outside its bounds. The likely cause is a wrong unit or spelling.
    ``table`` is a Table of ``_table.py``, with features of the ``schema``, which is JSON text."""
    if _quiet.get():
        return
    whole = json.loads(schema)
    of = {column["name"]: column for column in whole["columns"]}
    rows = len(table)
    many = _Many(rows)
    for name, column in zip(table.names, table.numbers.T, strict=True):
        if of[name].get("cuts"):
            continue  # every number is between two cuts
        if rows >= _MANY and np.isnan(column[0]) and np.isnan(column).all():
            _tell_empty(name, rows)
            return
        low, high = of[name]["lower"], of[name]["upper"]
        count = int(np.count_nonzero((column < low) | (column > high)))
        if _is_most(count, rows):
            _tell_clipped(of[name], count, rows)
            return
        if _say_odd_numbers(of[name], column):
            return
        many.note(of[name], count)
    for name, (codes, values) in zip(table.text_names, table.texts, strict=True):
        if rows >= _MANY and codes.max() < 0:
            _tell_empty(name, rows)
            return
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
    many.tell()


def _digits(number: float) -> int:
    """Returns how many digits a number has before its zeros. A row of nines, such as 99999, is a
    limit that a person writes, and counts as one digit."""
    digits = Decimal(repr(float(number))).normalize().as_tuple().digits
    return 1 if {*digits} == {9} else len(digits)


def say_attained(table: Any, schema: str) -> None:
    """Warns if bounds are exactly the smallest and the largest value of the rows: those of every
    numeric column, of all columns together if they share their bounds, or of one column if hardly
    anybody would write them as limits. Round bounds, such as 0 and 100, may be public and still be
    reached, so they give no warning."""
    of = {column["name"]: column for column in json.loads(schema)["columns"]}
    at = [i for i, name in enumerate(table.names) if not of[name].get("cuts")]
    columns = [of[table.names[i]] for i in at]
    ends = np.array([(column["lower"], column["upper"]) for column in columns])
    digits = np.array([max(map(_digits, pair)) for pair in ends.tolist()], dtype=int)
    if _quiet.get() or len(table) < _MANY or not (digits > _ROUND).any():
        return
    numbers = table.numbers[:, at]
    found = np.column_stack([np.fmin.reduce(numbers), np.fmax.reduce(numbers)])
    if (ends == ends[0]).all():
        ends, found = ends[:1], np.array([[found[:, 0].min(), found[:, 1].max()]])
        digits = digits[:1]
    reached = (ends == found).all(axis=1)
    if reached.all():
        _tell_attained("the bounds are exactly the smallest and the largest values of these rows")
    elif (odd := reached & (digits > _EXACT)).any():
        name = columns[int(odd.argmax())]["name"]
        _tell_attained(
            f"the bounds of {int(odd.sum())} of {len(columns)} columns, {name!r} first, are "
            "exactly the smallest and the largest values of these rows"
        )


def _tell_attained(what: str) -> None:
    warn(
        f"bounds-attained: {what}. If they were read off the rows, the model is not private, "
        "although it says so: take bounds from public knowledge, or pass none, which marks the "
        "model. This warning is about the data: do not publish it"
    )


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
    many = _Many(found["kept"])
    for column, counts in zip(features, found["columns"], strict=True):
        if found["kept"] >= _MANY and counts["missing"] == found["kept"]:
            _tell_empty(column["name"], found["kept"])
            return
        has_bounds = column["kind"] == "numeric" and not column.get("cuts")
        if has_bounds and _is_most(counts["clipped"], found["kept"]):
            _tell_clipped(column, counts["clipped"], found["kept"])
            return
        name = column["name"]
        if has_bounds and is_frame and _say_odd_numbers(column, _numbers_of(rows, name)):
            return
        if column["kind"] == "categorical" and _is_most(counts["unknown"], found["kept"]):
            _tell_unlisted(column, counts["unknown"], found["kept"])
            return
        if has_bounds:
            many.note(column, counts["clipped"])
    many.tell()


def _numbers_of(frame: Any, name: str) -> Float64s:
    """Returns a column of numbers of a frame, whose names may be numbers too; nothing for a column
    of another type."""
    names = list(getattr(frame, "column_names", frame.columns))
    values = np.asarray(frame[next(one for one in names if str(one) == name)])
    return values.astype(np.float64) if values.dtype.kind in "fiu" else np.empty(0)
