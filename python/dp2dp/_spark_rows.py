"""Probabilities and groups of a data frame of Spark as columns, as counts and as a copy. Everything
is SQL, so nothing of this package runs on executors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import numpy as np
import numpy.typing as npt
import pyspark.sql.functions as F
from pyspark.ml.functions import vector_to_array
from pyspark.ml.linalg import VectorUDT
from pyspark.sql.types import ArrayType, DoubleType, FloatType, NumericType

from . import _core
from ._core import DataError, OptionError
from ._factored import SEPARATOR
from ._spark_params import ColumnParams


def _column(dataset: Any, name: str, param: str) -> Any:
    """The column of exactly this name, whatever marks the name has, and its type."""
    for field in dataset.schema.fields:
        if field.name == name:
            return F.col("`" + name.replace("`", "``") + "`"), field.dataType
    raise OptionError(
        f"{param}: the frame has no column {name!r}; it has {', '.join(dataset.columns)}"
    )


def scores(dataset: Any, params: ColumnParams, classes: int) -> list[Any]:
    """An expression for the score of each class; NULL where it is missing. All are float, or all
    are double."""
    listed = params._given("probabilityCols")
    if listed is None:
        return _elements(dataset, params.getOrDefault("probabilityCol"), classes)
    if params.isSet("probabilityCol"):
        raise OptionError("give probabilityCol or probabilityCols, not both")
    if len(listed) != classes:
        raise OptionError(f"probabilityCols has {len(listed)} columns for {classes} classes")
    found = [_column(dataset, name, "probabilityCols") for name in listed]
    for name, (_, kind) in zip(listed, found, strict=True):
        if not isinstance(kind, NumericType):
            raise OptionError(
                f"probabilityCols: column {name!r} must hold numbers, not {kind.simpleString()}"
            )
    single = all(isinstance(kind, FloatType) for _, kind in found)
    return [column.cast("float" if single else "double") for column, _ in found]


def _elements(dataset: Any, name: str, classes: int) -> list[Any]:
    """The elements of a column of vectors or arrays. A row with more or fewer elements than classes
    has none."""
    column, kind = _column(dataset, name, "probabilityCol")
    number = "double"
    if isinstance(kind, VectorUDT):
        # vector_to_array fails for a NULL.
        column = F.when(column.isNotNull(), vector_to_array(column))
    elif isinstance(kind, ArrayType) and isinstance(kind.elementType, NumericType):
        number = "float" if isinstance(kind.elementType, FloatType) else "double"
    else:
        raise OptionError(
            f"probabilityCol: column {name!r} must hold vectors or arrays of numbers, not "
            f"{kind.simpleString()}. Name a column for each class as probabilityCols"
        )
    fits = F.size(column) == F.lit(classes)
    return [F.when(fits, F.get(column, F.lit(k))).cast(number) for k in range(classes)]


def group(dataset: Any, params: ColumnParams) -> Any:
    """An expression for the group, whose text is one of the names of groups."""
    one, several = params._given("sensitiveCol"), params._given("sensitiveCols")
    if (one is None) == (several is None):
        raise OptionError("give sensitiveCol or sensitiveCols, the column or columns of the group")
    if several is None:
        return _column(dataset, one, "sensitiveCol")[0]
    parts = []
    for name in several:
        parts += [F.lit(SEPARATOR), _escaped(*_column(dataset, name, "sensitiveCols"))]
    return F.concat(*parts[1:])  # NULL if one of them is


def _escaped(column: Any, kind: Any) -> Any:
    """The value as a part of a joined name, as `_factored.join` writes it."""
    text = column.cast("string")
    if isinstance(kind, (FloatType, DoubleType)):
        whole = (column == F.floor(column)) & (F.abs(column) < F.lit(2.0**53))
        text = F.when(whole, column.cast("bigint").cast("string")).when(~F.isnan(column), text)
    for mark in ("\\", SEPARATOR):
        text = F.replace(text, F.lit(mark), F.lit("\\" + mark))
    return text


class Rows:
    """The rows of a fit: the columns p0, p1, …, `group` and, if people are counted by label,
    `label`."""

    def __init__(self, dataset: Any, params: Any) -> None:
        self.labelled = params._labelled()
        self.names = dict(group_names=params._names("groups"), class_names=params._names("classes"))
        self.classes = len(self.names["class_names"])
        self.strata = len(self.names["group_names"]) * (self.classes if self.labelled else 1)
        self.ignore = params.getOrDefault("badRows") == "ignore"
        self.normalize = params.getOrDefault("normalize")
        if dataset.isStreaming:
            raise OptionError("a streaming frame has no last row: fit needs a frame of all rows")
        columns = dict(zip(self._scores(), scores(dataset, params, self.classes), strict=True))
        columns["group"] = group(dataset, params)
        if self.labelled:
            columns["label"] = _column(dataset, params.getOrDefault("labelCol"), "labelCol")[0]
        self.session, self.view = dataset.sparkSession, f"dp2dp_{uuid4().hex}"
        level = dataset.storageLevel
        self.kept = level.useMemory or level.useDisk or level.useOffHeap
        self.frame = dataset.select(*(column.alias(name) for name, column in columns.items()))
        self.first: npt.NDArray[np.int64] = np.zeros(0, dtype=np.int64)

    def _scores(self) -> list[str]:
        return [f"p{k}" for k in range(self.classes)]

    def _ask(self, offsets: npt.NDArray[np.float32] | None) -> Any:
        """The answer to a question of the library, as a frame."""
        text = _core.count_sql(
            dict(
                self.names,
                dialect="spark",
                table=self.view,
                score_columns=self._scores(),
                group_column="group",
                label_column="label" if self.labelled else None,
                normalize=self.normalize,
            ),
            offsets,
        )
        return self.session.sql(text)

    @contextmanager
    def opened(self, *, persist: bool) -> Iterator[None]:
        """Gives the rows a name, and keeps them in the cluster, so that no question computes them
        again. A frame that the user persisted is not kept twice. One view serves all questions:
        Spark forgets what was persisted when a view of it is dropped."""
        if persist and not self.kept:
            self.frame.persist()
        try:
            self.frame.createTempView(self.view)
            yield
        finally:
            self.session.catalog.dropTempView(self.view)
            if persist and not self.kept:
                self.frame.unpersist()

    def _cells(self, offsets: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
        """The numbers of rows in all cells, and then of those in none."""
        table = np.zeros(self.strata * self.classes + 1, dtype=np.int64)
        for cell, n in self._ask(offsets).collect():
            table[-1 if cell is None else cell] = n
        return table

    def begin(self) -> int:
        """Asks for the first table of a fit, at offsets 0. Returns the number of rows."""
        self.first = self._cells(np.zeros((self.strata, self.classes), dtype=np.float32))
        records, bad = int(self.first.sum()), int(self.first[-1])
        if bad and not self.ignore:
            raise DataError(
                f"{bad} of {records} rows cannot be counted: a probability is missing, the "
                "probabilities do not sum to 1, or the group or label is not in its list. Correct "
                "them, or count them as records that add nothing with badRows='ignore'"
            )
        return records

    def count(self, offsets: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
        """Counts the rows in each cell, as a source of core.fit_source does."""
        table = self._cells(offsets) if offsets.any() else self.first
        if self.ignore:
            return table
        if table[-1]:
            raise DataError("the rows changed while they were counted")
        return table[:-1].reshape(self.strata, self.classes)

    def copy(self) -> dict[str, Any]:
        """The rows as arguments of core.fit."""
        names = self._scores()
        single = isinstance(self.frame.schema["p0"].dataType, FloatType)
        kind = "float" if single else "double"
        codes = ["group_code", *(["label_code"] if self.labelled else [])]
        wanted = self._ask(None).select(*(F.col(name).cast(kind) for name in names), *codes)
        table = wanted.toArrow()
        if table.num_rows == 0:
            raise DataError("the frame has no rows")
        found: dict[str, Any] = {"scores": table.select(names), "groups": table["group_code"]}
        if self.labelled:
            found["labels"] = table["label_code"]
        return {**found, "bad_rows": "ignore" if self.ignore else "refuse"}


def decided(dataset: Any, params: ColumnParams, model: Any) -> Any:
    """The frame with the column of decisions."""
    name = params.getOrDefault("predictionCol")
    if name.casefold() in (column.casefold() for column in dataset.columns):
        raise OptionError(
            f"predictionCol: the frame has a column {name!r} already; drop it or choose another"
        )
    mark = f"dp2dp_{uuid4().hex}_"
    found = scores(dataset, params, len(model.classes))
    columns = {f"{mark}{k}": column for k, column in enumerate(found)}
    columns[f"{mark}group"] = group(dataset, params)
    rule = F.expr(expression(model, mark)).cast(params._prediction_type())
    return dataset.withColumns(columns).withColumn(name, rule).drop(*columns)


def expression(model: Any, mark: str) -> str:
    """The decision as an expression over the columns mark0, mark1, … and markgroup."""
    names = [f"{mark}{k}" for k in range(len(model.classes))]
    text: str = model.to_sql("spark", score_columns=names, group_column=f"{mark}group")
    start, end = "SELECT *,", " AS prediction\nFROM "
    if not text.startswith(start) or end not in text:
        raise AssertionError("to_sql writes one SELECT of all columns and the prediction")
    return text.removeprefix(start).rpartition(end)[0].replace(f"dp2dp_rows.`{mark}", f"`{mark}")
