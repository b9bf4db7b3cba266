"""Asks a database or Spark for the counts that a fit needs, and checks the answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._core import DataError
from ._typing import Float32s

_MOST = 1 << 48  # the largest number of records of a fit


class CountedRows:
    """Counts rows that stay in a database or cluster. Subclasses run the queries (:meth:`_run`)."""

    def __init__(self, about: dict[str, Any], *, ignore: bool, to_ignore: str) -> None:
        """``about`` has the options of :func:`_core.count_sql`, which describe the columns.
        ``ignore`` says whether bad rows are ignored. ``to_ignore`` is the text that users type to
        ignore bad rows; messages quote this text."""
        _core.count_sql(about, None)  # refuses bad names before the first query
        self.about, self.ignore, self._to_ignore = about, ignore, to_ignore
        self.classes = len(about["class_names"])
        self.labelled = about["label_column"] is not None
        self.strata = len(about["group_names"]) * (self.classes if self.labelled else 1)
        self._records = "rows" if about["multiplicity_column"] is None else "records"
        self._first: npt.NDArray[np.int64] | None = None

    def _run(self, query: str) -> Iterable[Sequence[Any]]:
        """Runs a query and returns pairs (cell, number of records). Cell number stratum * classes +
        class stands for the records of this stratum (a group, or a group and label) that get this
        class. Cell None stands for the bad records, and cell -1 for the rows with a bad
        multiplicity."""
        raise NotImplementedError

    def causes(self) -> str:
        """Returns how many rows are bad for which reason, in parentheses, or an empty text."""
        return ""

    def rows_query(self) -> str:
        """Returns the query for the rows themselves, for a fit that copies them."""
        return _core.count_sql(self.about, None)

    def _cells(self, offsets: Float32s) -> npt.NDArray[np.int64]:
        """Returns the number of records in each cell and, as the last entry, the number of bad
        records."""
        table = np.zeros(self.strata * self.classes + 1, np.int64)
        found = {
            None if cell is None else int(cell): int(records)
            for cell, records in self._run(_core.count_sql(self.about, offsets))
        }
        bad = found.pop(-1, 0)
        if bad:
            raise DataError(
                f"{bad} rows have a multiplicity that is not a whole number from 1 to 2^48. A "
                "multiplicity counts records and is not a survey weight. If a row stands for w "
                "records of one person, rows_per_person must be at least w"
            )
        if sum(found.values()) > _MOST:
            raise DataError("the rows stand for more than 2^48 records")
        for cell, records in found.items():
            table[-1 if cell is None else cell] = records
        return table

    def begin(self) -> int:
        """Runs the first query of a fit, which counts records with all offsets 0. Returns the
        number of records."""
        self._first = self._cells(np.zeros((self.strata, self.classes), np.float32))
        records, bad = int(self._first.sum()), int(self._first[-1])
        if bad and not self.ignore:
            raise DataError(
                f"{bad} of {records} {self._records} cannot be counted{self.causes()}. Their "
                "scores are missing or are not probabilities that sum to 1, or their group or "
                "label is not listed. "
                f"Correct these {self._records}, or set {self._to_ignore}: they are then still "
                "counted in the number of records, but none of their values is used"
            )
        return records

    def count(self, offsets: Float32s) -> npt.NDArray[np.int64]:
        """Returns the table of counts that :func:`dp2dp.core.fit_source` asks for: how many records
        of each stratum get each class under ``offsets``."""
        known, self._first = self._first, None
        table = self._cells(offsets)
        if known is not None and not offsets.any() and not np.array_equal(known, table):
            # The first table is asked for before the charge, so this costs nothing.
            raise DataError(
                "the same question had two answers: the query gives other rows each time, as with "
                "random(), a sample, or LIMIT without an order. Nothing was charged. Store the "
                "rows in a table first, or copy them into memory (how='copy' in dp2dp.sql.fit)"
            )
        if self.ignore:
            return table
        if table[-1]:
            raise DataError(
                "the rows changed while they were counted. Fit again while nobody changes the table"
            )
        return table[:-1].reshape(self.strata, self.classes)
