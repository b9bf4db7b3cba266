"""Fits a rule to the people in a database (docs/sql.md)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core, _criterion, core
from ._core import DataError, OptionError
from ._counted import CountedRows
from ._databases import Database
from ._model import Model, check_bad_rows
from ._options import refuse_foreign

__all__ = ["COPY_LIMIT", "fit"]


def __dir__() -> list[str]:
    return sorted(__all__)


COPY_LIMIT = 1 << 30  # the default of copy_limit in fit, in bytes

_NAMED = {"group_names": "groups", "class_names": "classes", "score_columns": "scores"}
_NAMED |= {"group_column": "sensitive", "weight_columns": "weights", "labels": "label"}
_ABSENT = ("n_groups", "leaves_out", "ids")


class _Rows(CountedRows):
    """The rows of a table in a database."""

    def __init__(self, database: Database, about: dict[str, Any], ignore: bool) -> None:
        super().__init__(about, ignore=ignore, to_ignore="bad_rows='ignore'")
        self.database = database
        self.numbers = self.classes + len(about["weight_columns"] or ())

    def start(self) -> tuple[int, int]:
        """Calls :meth:`begin`. Returns the number of records and the number of rows, which differ
        if a row may stand for several records."""
        records = self.begin()
        if self.about["multiplicity_column"] is None:
            return records, records
        query = f"SELECT count(*) FROM (\n{self.rows_query()}) AS dp2dp_copied"
        return records, int(next(iter(self.database.rows(query)))[0])

    def causes(self) -> str:
        no = " OR ".join(f"p{k} < 0" for k in range(self.numbers))
        parts = {
            "with a score that is missing or not a number": no,
            "with a group that is not listed": "group_code < 0",
            "with a label that is not listed": "label_code < 0" if self.labelled else "1 = 0",
        }
        sums = ", ".join(f"sum(CASE WHEN {test} THEN 1 ELSE 0 END)" for test in parts.values())
        (found,) = self.database.rows(f"SELECT {sums} FROM (\n{self.rows_query()}) AS dp2dp_bad")
        told = [f"{int(n)} {name}" for name, n in zip(parts, found, strict=True) if n]
        listed = {*self.about["group_names"], *(self.about["class_names"])}
        if {"True", "False"} & listed:
            told.append("a boolean column has the texts 'false' and 'true'")
        return f" ({'; '.join(told)})" if told else ""

    def _run(self, query: str) -> Iterable[Sequence[Any]]:
        return self.database.rows(query)

    def copy(self, n: int) -> dict[str, Any]:
        """Returns the n rows as arrays."""
        weights = self.numbers - self.classes
        codes = np.empty((2, n), np.int16)
        numbers: list[npt.NDArray[Any]] = [np.empty((0, self.classes)), np.empty((0, weights))]
        has_cells = self.about["multiplicity_column"] is not None
        cells = np.empty(n if has_cells else 0, np.int64)
        at = 0
        types = "iiii" + "d" * (self.numbers + has_cells)
        for columns in self.database.batches(self.rows_query(), types):
            rows = len(columns[0])
            if rows == 0:
                continue
            if at == 0:
                kinds = [np.float32 if column[0] else np.float64 for column in columns[:2]]
                widths = (self.classes, weights)
                numbers = [np.empty((n, width), k) for width, k in zip(widths, kinds, strict=True)]
            if at + rows > n:
                raise DataError(
                    "the rows changed while they were copied. Fit again while nobody changes the "
                    "table"
                )
            part = slice(at, at + rows)
            codes[0, part], codes[1, part] = columns[2], columns[3]
            for k, column in enumerate(columns[4 : 4 + self.numbers]):
                own = k < self.classes
                numbers[0 if own else 1][part, k if own else k - self.classes] = column
            if has_cells:
                cells[part] = columns[-1]
            at += rows
        if at != n:
            raise DataError(
                "the rows changed while they were copied. Fit again while nobody changes the table"
            )
        return {
            "scores": numbers[0],
            "groups": codes[0],
            "weights": numbers[1] if weights else None,
            "labels": codes[1] if self.labelled else None,
            "multiplicity": cells if has_cells else None,
        }


def _table(given: str) -> dict[str, Any]:
    text = given.strip()
    if text.startswith("(") and text.endswith(")"):
        return {"query": text[1:-1].strip()}
    if text.split(None, 1)[:1] and text.split(None, 1)[0].lower() in ("select", "with", "from"):
        raise OptionError(
            "table must be the name of a table, or a query in parentheses, such as '(SELECT ...)'"
        )
    return {"table": given}


def _texts(given: Iterable[object], name: str, dialect: str = "") -> list[str]:
    if isinstance(given, (str, bytes)):
        raise OptionError(f"{name} must be a list of names, not the text {given!r}")
    return [_text_of(value, dialect) for value in given]


def _text_of(value: object, dialect: str) -> str:
    """Returns the text that the database makes of a value. SQLite stores booleans as 0 and 1."""
    if isinstance(value, (bool, np.bool_)):
        return str(int(value)) if dialect == "sqlite" else str(value).lower()
    return str(value)


def _why_copy(options: dict[str, Any], weights: object, ignore: bool) -> str | None:
    """Returns None if the database can count the rows. If an option prevents that, returns the
    option as text."""
    if options.get("solver", "counts") != "counts":
        return f"solver={options['solver']!r}"
    if options.get("counted", "labels") != "labels":
        return f"counted={options['counted']!r}"
    if options.get("dither"):
        return "a dither"
    if weights is not None and ignore:
        return "bad_rows='ignore' together with weights"
    return None


def _copies(how: str, size: int, limit: int, reason: str | None) -> bool:
    """Returns whether the rows are copied into memory."""
    if how == "tables" and reason:
        raise OptionError(f"with {reason}, a database cannot count the rows: use how='copy'")
    if how == "auto" and reason and size > limit:
        raise OptionError(
            f"with {reason}, a database cannot count the rows, so the rows must be copied. The "
            f"scores take {size} bytes, which is more than copy_limit={limit}. If there is enough "
            "memory, use how='copy'"
        )
    return how == "copy" or (how == "auto" and size <= limit)


def _check(options: dict[str, Any], how: str, criterion: str, label: str | None) -> None:
    refuse_foreign(options)
    for name in options:
        if name in _NAMED:
            raise OptionError(f"dp2dp.sql.fit has no option {name}: use {_NAMED[name]}")
        if name in _ABSENT:
            raise OptionError(f"dp2dp.sql.fit has no option {name}")
    if how not in ("auto", "copy", "tables"):
        raise OptionError(f"how must be 'auto', 'copy' or 'tables', not {how!r}")
    if options.get("dither_key", "scores") != "scores":
        raise OptionError("dither_key must be 'scores': rows of a database have no position")
    known = criterion in _core.criteria  # the library refuses unknown criteria
    labelled = known and _criterion.is_labelled(criterion, options.get("statistics"))
    counted = options.get("counted", "labels") == "labels"
    if known and (label is not None) != (labelled and counted):
        raise OptionError(
            f"the criterion {criterion} compares people with the same label: set label to the "
            "column of the true class"
            if labelled and counted
            else "the fit does not use labels: leave label out"
        )


def _resolved(options: dict[str, Any], about: dict[str, Any], **given: Any) -> dict[str, Any]:
    """Returns the options of core.fit."""
    named = {name: about[name] for name in (*_NAMED, "normalize") if name != "labels"}
    return {"dither": 0.0, "dither_key": "scores", **options, **named, **given}


def fit(
    connection: Any,
    table: str,
    *,
    scores: Iterable[str],
    sensitive: str,
    groups: Iterable[object],
    classes: Iterable[object],
    label: str | None = None,
    weights: Iterable[str] | None = None,
    multiplicity: str | None = None,
    criterion: str = "demographic_parity",
    rho: float = 0.0,
    epsilon: float | None = None,
    delta: float | None = None,
    normalize: bool = False,
    bad_rows: str = "refuse",
    how: str = "auto",
    dialect: str | None = None,
    copy_limit: int = COPY_LIMIT,
    **options: Any,
) -> Model:
    """Learns a fair rule from the rows of a database. The model is that of :func:`dp2dp.core.fit`
    on the same rows, bit for bit. docs/sql.md has the queries and the transactions.

    ``connection`` is a connection of DuckDB, or of any DB-API 2.0 or ADBC driver for PostgreSQL or
    SQLite. ``dialect`` is "duckdb", "postgresql", "sqlite" or "spark", by default that of the
    connection. ``table`` is the name of a table, or a query in parentheses: "(SELECT ...)".

    ``scores`` lists the columns with the score of each class. ``sensitive`` is the column of the
    group, ``label`` that of the true class. If the rule must not see the group, ``weights`` lists
    the columns with the probability of each group. ``groups`` and ``classes`` are the public lists,
    compared with the columns as text. ``multiplicity`` is the column of the records per row.

    ``how="copy"`` copies the rows into memory. "tables" leaves the rows in the database, which
    counts them at each step. "auto" copies the rows if their scores, as float32, take at most
    ``copy_limit`` bytes: a choice by the number of rows, public unless ``multiplicity`` is given.

    ``bad_rows="refuse"`` raises :class:`DataError` with the number of bad rows, before the charge;
    "ignore" counts bad rows as records that add nothing. ``dither`` is 0 by default. ``criterion``,
    ``rho``, ``normalize`` and ``options`` are those of :func:`dp2dp.core.fit`.

    Privacy: ``epsilon`` and ``delta``, which have no default, are charged before the first noise is
    drawn. Spark has no transaction: do not change the table during the fit.

    >>> import sqlite3
    >>> people = sqlite3.connect(":memory:")
    >>> _ = people.execute("CREATE TABLE people (sex TEXT, no REAL, yes REAL)")
    >>> rows = [("fm"[i % 2], 1 - i / 1000, i / 1000) for i in range(1000)]
    >>> _ = people.executemany("INSERT INTO people VALUES (?, ?, ?)", rows)
    >>> names = {"scores": ["no", "yes"], "classes": ["no", "yes"], "groups": ["f", "m"]}
    >>> fit(people, "people", sensitive="sex", **names, epsilon=1, delta=1e-5).records
    1000
    >>> people.close()
    """
    ignore = check_bad_rows(bad_rows)
    _check(options, how, criterion, label)
    reason = _why_copy(options, weights, ignore)
    _copies(how, 0, copy_limit, reason)  # refuses bad options before the database is asked
    database = Database(connection, dialect)
    about = _table(table) | {
        "dialect": database.dialect,
        "group_names": _texts(groups, "groups", database.dialect),
        "class_names": _texts(classes, "classes", database.dialect),
        "score_columns": _texts(scores, "scores"),
        "group_column": sensitive,
        "label_column": label,
        "weight_columns": None if weights is None else _texts(weights, "weights"),
        "multiplicity_column": multiplicity,
        "normalize": _core.flag("normalize", normalize),
        "grid": options.get("grid"),
    }
    options = _resolved(options, about, criterion=criterion, rho=rho, epsilon=epsilon, delta=delta)
    rows = _Rows(database, about, ignore)
    with database.one_view():
        records, n = rows.start()
        if not _copies(how, 4 * n * rows.numbers, copy_limit, reason):
            return _fit_tables(rows, records, options)
        options.update(rows.copy(n), bad_rows=bad_rows)
    return core.fit(**options)


def _fit_tables(rows: _Rows, records: int, options: dict[str, Any]) -> Model:
    for name in ("solver", "threads", "dither_key", "counted"):
        options.pop(name, None)
    sees_group = rows.about["weight_columns"] is None
    options.update(records=records, sees_group=sees_group, leaves_out=rows.ignore)
    return core.fit_source(rows.count, **options)
