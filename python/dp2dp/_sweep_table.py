"""Reads the table that ``dp2dp sweep`` writes."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from ._core import DataError, OptionError


class Readable(Protocol):
    """An open file, of text or of bytes."""

    def read(self) -> Any: ...


class Frame(Protocol):
    """A data frame of pandas or polars."""

    @property
    def columns(self) -> Any: ...
    def __getitem__(self, name: Any, /) -> Any: ...


Source: TypeAlias = "str | os.PathLike[str] | Readable | Frame | Mapping[str, Iterable[Any]]"

_WORDS = ("criterion", "method", "solver")
_NUMBERS = ("rho", "error", "unfairness", "error_before", "unfairness_before")
_NEEDED = (*_WORDS, *_NUMBERS, "epsilon", "delta", "run")
_PROMISES = ("epsilon_holds", "epsilon_claimed")
# Rows with different values in one of these columns belong to different experiments.
_ONE = ("data", "records", "positive", "split", "dither", "rows_per_person", "protects")


@dataclass(frozen=True)
class Row:
    """One run at one point of the sweep. ``epsilon`` and ``delta`` are None if neither phase has
    noise. ``epsilon_holds`` and ``epsilon_claimed`` are None if the cell is empty, or if the table
    lacks the column. ``says_what_holds`` is True if the table has both columns."""

    criterion: str
    method: str
    solver: str
    rho: float
    epsilon: float | None
    delta: float | None
    epsilon_holds: float | None
    epsilon_claimed: float | None
    says_what_holds: bool
    error: float
    unfairness: float
    error_before: float
    unfairness_before: float
    sees_group: bool
    data: str | None
    records: int | None
    protects: str | None


def _csv_columns(text: str) -> dict[str, list[Any]]:
    lines = csv.reader(io.StringIO(text, newline=""))
    head = next(lines, [])
    columns: dict[str, list[Any]] = {name: [] for name in head}
    for cells in lines:
        if len(cells) != len(head):
            error = DataError(
                f"line {lines.line_num} of the sweep has {len(cells)} cells, not {len(head)}: was "
                "the sweep stopped early? To finish the sweep, run the same dp2dp sweep command "
                "again"
            )
            error.line = lines.line_num
            raise error
        for name, cell in zip(head, cells, strict=True):
            columns[name].append(cell)
    return columns


def _columns(source: Source) -> dict[str, list[Any]]:
    if isinstance(source, str | os.PathLike):
        with open(source, encoding="utf-8-sig", newline="") as file:
            return _csv_columns(file.read())
    if not isinstance(source, Mapping) and hasattr(source, "read"):
        text = source.read()
        return _csv_columns(text.decode("utf-8-sig") if isinstance(text, bytes) else text)
    if isinstance(source, Mapping):
        names: Any = source.keys()
    else:  # the names are in column_names (pyarrow) or in columns (pandas, polars)
        names = getattr(source, "column_names", None) or getattr(source, "columns", None)
    if names is None:
        raise TypeError(
            "sweep must be a path, an open file, a data frame or a dict of columns, not "
            f"{type(source).__name__}"
        )
    columns = {}
    for name in names:
        values: Any = source[name]
        plain = next((f for f in ("to_pylist", "to_list", "tolist") if hasattr(values, f)), None)
        columns[str(name)] = getattr(values, plain)() if plain else list(values)
    return columns


def _is_empty(cell: Any) -> bool:
    return cell is None or cell == "" or cell != cell


def _number(columns: dict[str, list[Any]], name: str, i: int) -> float | None:
    cell = columns[name][i]
    try:
        return None if _is_empty(cell) else float(cell)
    except (TypeError, ValueError):
        pass
    raise _wrong(name, i, "must be a number")


def _wrong(name: str, i: int, words: str) -> DataError:
    error = DataError(f"row {i + 1} of the sweep: {name} {words}")
    error.row, error.column = i + 1, name
    return error


def _text(columns: dict[str, list[Any]], name: str, i: int) -> str | None:
    found = columns.get(name)
    return None if found is None or _is_empty(found[i]) else str(found[i])


def _row(columns: dict[str, list[Any]], i: int) -> Row:
    words: dict[str, Any] = {name: _text(columns, name, i) for name in _WORDS}
    numbers = {name: _number(columns, name, i) for name in (*_NUMBERS, "epsilon", "delta")}
    for name in (*_WORDS, *_NUMBERS):
        value = words.get(name, numbers.get(name))
        if value is None or (name in _NUMBERS and not math.isfinite(float(value))):
            raise _wrong(name, i, "is missing")
        if name in _NUMBERS and not 0 <= float(value) <= 1:
            raise _wrong(name, i, "must be a fraction from 0 to 1; divide percentages by 100")
    sees = (_text(columns, "sees_group", i) or "true").lower()
    records = _number(columns, "records", i) if "records" in columns else None
    given: dict[str, Any] = {**words, **numbers}
    for name in _PROMISES:
        given[name] = _number(columns, name, i) if name in columns else None
    return Row(
        **given,
        says_what_holds=all(name in columns for name in _PROMISES),
        sees_group=sees not in ("false", "no", "0", "0.0"),
        data=_text(columns, "data", i),
        records=None if records is None else int(records),
        protects=_text(columns, "protects", i),
    )


def _check_one_experiment(columns: dict[str, list[Any]], kept: list[int]) -> None:
    """Refuses a table that mixes experiments or repeats a run, because a mean over the runs of such
    a table would be meaningless."""
    for name in _ONE:
        found = {_text(columns, name, i) for i in kept}
        if len(found) > 1:
            raise DataError(
                f"the column {name} of the sweep has several values, so the rows are from "
                "different experiments; pass the rows of one experiment"
            )
    # Two runs with the same number and different seeds are different runs.
    names = (*_WORDS, "sees_group", "rho", "epsilon", "delta", "run", "seed")
    seen = set()
    for i in kept:
        key = tuple(_text(columns, name, i) for name in names)
        if key in seen:
            raise _wrong(
                "run",
                i,
                "is the same as in an earlier row with equal settings. Was a file added twice?",
            )
        seen.add(key)


def read_rows(source: Source, chosen: dict[str, str]) -> list[Row]:
    """Reads the rows that have the values in ``chosen``, a dict {column: value}. Refuses rows with
    several criteria or of several experiments."""
    columns = _columns(source)
    missing = [name for name in _NEEDED if name not in columns]
    if missing:
        raise DataError(
            f"the sweep has no column {', '.join(missing)}: pass the table that dp2dp sweep writes"
        )
    kept = list(range(len(columns["rho"])))
    if not kept:
        raise DataError("the sweep has no rows: run dp2dp sweep first")
    for name, word in chosen.items():
        there = [_text(columns, name, i) for i in kept]
        kept = [i for i, found in zip(kept, there, strict=True) if found == word]
        if not kept:
            words = ", ".join(sorted({str(found) for found in there}))
            raise OptionError(f"the sweep has no row with the {name} {word!r}, only with {words}")
    criteria = sorted({str(_text(columns, "criterion", i)) for i in kept})
    if len(criteria) > 1:
        raise OptionError(
            f"the sweep has several criteria ({', '.join(criteria)}); choose one with criterion="
        )
    rows = [_row(columns, i) for i in kept]
    _check_one_experiment(columns, kept)
    return rows
