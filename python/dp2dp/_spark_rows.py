"""Takes probabilities and groups from a Spark data frame: as columns, as counts or as a copy.
Everything is done in SQL, so executors do not run (or need) this package."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import pyspark.sql.functions as F
from pyspark.ml.functions import vector_to_array
from pyspark.ml.linalg import VectorUDT
from pyspark.sql.types import ArrayType, DoubleType, FloatType, NumericType

from ._arrays import matrix
from ._core import DataError, OptionError
from ._counted import CountedRows
from ._factored import SEPARATOR
from ._spark_params import ColumnParams


def _column(dataset: Any, name: str, param: str) -> Any:
    """Returns the column with exactly this ``name``, and the type of the column. The name may have
    dots or backticks."""
    for field in dataset.schema.fields:
        if field.name == name:
            return F.col("`" + name.replace("`", "``") + "`"), field.dataType
    raise OptionError(
        f"{param}: the frame has no column {name!r}; it has {', '.join(dataset.columns)}"
    )


def scores(dataset: Any, params: ColumnParams, classes: int) -> list[Any]:
    """Returns an expression for the score of each class. A missing score is NULL. The expressions
    are all float or all double."""
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
    """Returns an expression for each element of a column of vectors or arrays. If the vector or
    array of a row has more or fewer than ``classes`` elements, all expressions are NULL in this
    row."""
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
            f"{kind.simpleString()}. If each class has its own column, use probabilityCols"
        )
    fits = F.size(column) == F.lit(classes)
    return [F.when(fits, F.get(column, F.lit(k))).cast(number) for k in range(classes)]


def group(dataset: Any, params: ColumnParams) -> Any:
    """Returns an expression for the group of each row. The value of the expression, cast to text,
    is the name of the group."""
    one, several = params._given("sensitiveCol"), params._given("sensitiveCols")
    if (one is None) == (several is None):
        raise OptionError(
            "give either sensitiveCol or sensitiveCols. sensitiveCol is the column of the group; "
            "sensitiveCols is a list of columns whose values together name the group"
        )
    if several is None:
        return _column(dataset, one, "sensitiveCol")[0]
    parts = []
    for name in several:
        parts += [F.lit(SEPARATOR), _escaped(*_column(dataset, name, "sensitiveCols"))]
    return F.concat(*parts[1:])  # NULL if one of the columns is NULL


def _escaped(column: Any, kind: Any) -> Any:
    """Returns the value of a column as text, for a group name that joins the values of several
    columns. `_factored.join` writes the same text."""
    text = column.cast("string")
    if isinstance(kind, (FloatType, DoubleType)):
        whole = (column == F.floor(column)) & (F.abs(column) < F.lit(2.0**53))
        text = F.when(whole, column.cast("bigint").cast("string")).when(~F.isnan(column), text)
    for mark in ("\\", SEPARATOR):
        text = F.replace(text, F.lit(mark), F.lit("\\" + mark))
    return text


class Rows(CountedRows):
    """The rows of a fit: the columns p0, p1, …, `group` and, if people are counted by label,
    `label`."""

    def __init__(self, dataset: Any, params: Any) -> None:
        labelled = params._labelled()
        groups, classes = params._names("groups"), params._names("classes")
        if dataset.isStreaming:
            raise OptionError("fit needs a frame with all rows, not a streaming frame")
        found = scores(dataset, params, len(classes))
        columns = {f"p{k}": column for k, column in enumerate(found)}
        self.scores = list(columns)
        columns["group"] = group(dataset, params)
        if labelled:
            columns["label"] = _column(dataset, params.getOrDefault("labelCol"), "labelCol")[0]
        self.session, self.view = dataset.sparkSession, f"dp2dp_{uuid4().hex}"
        level = dataset.storageLevel
        self.kept = level.useMemory or level.useDisk or level.useOffHeap
        self.frame = dataset.select(*(column.alias(name) for name, column in columns.items()))
        super().__init__(
            dict(
                dialect="spark",
                table=self.view,
                group_names=groups,
                class_names=classes,
                score_columns=self.scores,
                group_column="group",
                label_column="label" if labelled else None,
                weight_columns=None,
                multiplicity_column=None,
                normalize=params.getOrDefault("normalize"),
                grid=None,
            ),
            ignore=params.getOrDefault("badRows") == "ignore",
            to_ignore="badRows='ignore'",
        )

    def _run(self, query: str) -> Iterable[Sequence[Any]]:
        answers: list[Sequence[Any]] = self.session.sql(query).collect()
        return answers

    @contextmanager
    def opened(self, *, persist: bool) -> Iterator[None]:
        """Makes a temporary view of the rows for the with block. If ``persist``, keeps the rows in
        the cluster, so that no query computes them again; a frame that the user has persisted is
        left as it is. All queries share one view, because Spark drops the persisted rows when any
        view of them is dropped."""
        if persist and not self.kept:
            self.frame.persist()
        try:
            self.frame.createTempView(self.view)
            yield
        finally:
            self.session.catalog.dropTempView(self.view)
            if persist and not self.kept:
                self.frame.unpersist()

    def copy(self) -> dict[str, Any]:
        """Copies the rows. Returns them as arguments of core.fit."""
        names = self.scores
        single = isinstance(self.frame.schema["p0"].dataType, FloatType)
        kind = "float" if single else "double"
        codes = ["group_code", *(["label_code"] if self.labelled else [])]
        wanted = self.session.sql(self.rows_query()).select(
            *(F.col(name).cast(kind) for name in names), *codes
        )
        table = wanted.toArrow()
        if table.num_rows == 0:
            raise DataError("the frame has no rows")
        # The scores become an array, so that the names p0, p1, … do not get into the model.
        found: dict[str, Any] = {
            "scores": matrix(table.select(names)),
            "groups": table["group_code"],
        }
        if self.labelled:
            found["labels"] = table["label_code"]
        return {**found, "bad_rows": "ignore" if self.ignore else "refuse"}


def decided(dataset: Any, params: ColumnParams, model: Any) -> Any:
    """Returns the frame with one more column, which has the decisions. ``predictionCol`` is the
    name of this column."""
    name = params.getOrDefault("predictionCol")
    if name.casefold() in (column.casefold() for column in dataset.columns):
        raise OptionError(
            f"predictionCol: the frame has a column {name!r} already; drop that column, or choose "
            "another name"
        )
    mark = f"dp2dp_{uuid4().hex}_"
    found = scores(dataset, params, len(model.classes))
    columns = {f"{mark}{k}": column for k, column in enumerate(found)}
    columns[f"{mark}group"] = group(dataset, params)
    rule = F.expr(expression(model, mark)).cast(params._prediction_type())
    return dataset.withColumns(columns).withColumn(name, rule).drop(*columns)


def expression(model: Any, mark: str) -> str:
    """Returns the decision as an expression over the columns {mark}0, {mark}1, …, {mark}group."""
    names = [f"{mark}{k}" for k in range(len(model.classes))]
    text: str = model.to_sql("spark", score_columns=names, group_column=f"{mark}group")
    start, end = "SELECT *,", " AS prediction\nFROM "
    if not text.startswith(start) or end not in text:
        raise AssertionError("to_sql did not write one SELECT of all columns and the prediction")
    return text.removeprefix(start).rpartition(end)[0].replace(f"dp2dp_rows.`{mark}", f"`{mark}")
