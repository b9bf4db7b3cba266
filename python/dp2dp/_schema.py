"""Schemas, and tables of rows that a schema can encode."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _arrays, _core
from ._frame import FromFrame, refuse_lazy
from ._frame_cells import by_cell
from ._model import Fact, check_bad_rows
from ._options import name_list
from ._typing import Array, ArrowStream, Codes, Float32s, Path


class Encoded(NamedTuple):
    """Rows as numbers, made by :meth:`Schema.encode`. ``features`` has first the numeric features,
    then a column for each level of each categorical feature. ``rows`` are the positions of the rows
    in the table. ``labels`` and ``groups`` are codes, or None if they were not asked for.

    ``left_out`` is True for the rows that are left out, or None if the schema and the options never
    leave a row out. A row that is left out has NaN for its features, and -1 for its label and
    group. Such a row is still a record: include it in the number of rows that you state to a
    private method. To train on the other rows, take ``features[~left_out]``."""

    rows: npt.NDArray[np.int64]
    features: Float32s
    labels: Codes | None
    groups: Codes | None
    left_out: npt.NDArray[np.bool_] | None = None


class Schema(_core.Schema, FromFrame):
    """Says how columns become features (docs/schema.md). ``source`` is the name of a built-in
    schema, a path, or the schema itself as JSON text or a dict.

    >>> schema = Schema("adult")
    >>> schema.width, schema.classes
    (102, ['<=50K', '>50K'])
    """

    def __new__(cls, source: str | os.PathLike[str] | dict[str, Any]) -> Schema:
        if not isinstance(source, (str, bytes, os.PathLike, dict)):
            raise TypeError(
                "a schema must be a name, a path, JSON text or a dict, not "
                f"{type(source).__name__}; Schema.from_frame makes a schema from a data frame"
            )
        text = json.dumps(source) if isinstance(source, dict) else os.fspath(source)
        return super().__new__(cls, text)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Schema:
        """Reads the schema file at ``path``, as ``Schema(path)`` does."""
        return cls(path)

    @cached_property
    def info(self) -> dict[str, Any]:
        """All facts of the schema, as a dict."""
        return self._info()

    text = Fact[str]("The schema as JSON, with every default written out.")
    columns = Fact[list[str]]("Names of the columns.")
    classes = Fact[list[str]]("Names of the classes.")
    groups = Fact[list[str]]("Names of the groups.")
    width = Fact[int]("Number of features.")
    norm = Fact[float]("The largest norm that a row may have; longer rows are scaled down to it.")
    from_data = Fact[bool]("True if the schema was read off the data and is not public.")

    def check(self, rows: Path | ArrowStream) -> dict[str, Any]:
        """Counts what the schema finds in ``rows``, a path or any table with an Arrow stream. NOT
        private. Returns the same dict that ``dp2dp schema check --json`` prints. For each column,
        the dict has the number of rows whose value is ``unknown`` (not in the list of levels),
        ``clipped`` or ``missing``. For the table, it has the number of rows that the schema keeps,
        leaves out and refuses.

        >>> age = {"name": "age", "role": "feature", "kind": "numeric", "lower": 0, "upper": 9}
        >>> text = {"format": "dp2dp-schema", "version": {"major": 1, "minor": 0}}
        >>> schema = Schema(text | {"origin": "public", "columns": [age]})
        >>> answer = schema.check(Rows([[5.0], [12.0]], ["age"]))
        >>> answer["kept"], answer["columns"][0]["clipped"]
        (2, 1)
        """
        with opened(rows) as given:
            batches = _arrays.batches(self._findings(given), "findings")
        columns = json.loads(self.text)["columns"]
        counts = np.zeros((len(columns), 4), np.int64)
        outcomes = np.zeros(3, np.int64)
        for _, findings, outcome in batches:
            counts += np.stack([(findings == value).sum(axis=0) for value in range(4)], axis=1)
            outcomes += np.bincount(outcome, minlength=3)
        kept, left_out, refused = outcomes.tolist()
        return {
            "private": False,
            "rows": kept + left_out + refused,
            "kept": kept,
            "left_out": left_out,
            "refused": refused,
            "columns": [
                _column_check(column, *found)
                for column, found in zip(columns, counts.tolist(), strict=True)
                if column["role"] != "ignore"
            ],
        }

    def encode(
        self,
        rows: Path | ArrowStream,
        *,
        labels: bool = True,
        groups: bool = True,
        bad_rows: str = "refuse",
    ) -> Encoded:
        """Returns the numbers that :func:`train` learns from ``rows``: features whose norm is at
        most ``norm``, and labels and groups as codes. Raises :class:`DataError` if ``rows`` lack a
        column of the schema; give ``labels=False`` if they have no labels, or ``groups=False`` if
        they have no groups. NOT private: the result is the rows themselves.

        The result has every row of the table, even rows that the schema leaves out. With
        ``bad_rows="ignore"`` it also has the bad rows. See :class:`Encoded`. A categorical column
        becomes one feature for each level. If the schema accepts values that are not in the
        column's list, the column has one more feature for these values.

        >>> age = {"name": "age", "role": "feature", "kind": "numeric", "lower": 0, "upper": 10}
        >>> job = {"name": "job", "role": "feature", "kind": "categorical", "levels": ["a", "b"]}
        >>> text = {"format": "dp2dp-schema", "version": {"major": 1, "minor": 0}}
        >>> schema = Schema(text | {"origin": "public", "columns": [age, job], "norm": 2})
        >>> rows = Rows([[5.0], [10.0]], ["age", "job"], [([0, 1], ["a", "b"])])
        >>> schema.encode(rows).features.round(3).tolist()
        [[0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0]]
        """
        labels = _core.flag("labels", labels) and bool(self.classes)
        groups = _core.flag("groups", groups) and bool(self.groups)
        ignore = check_bad_rows(bad_rows)
        with opened(rows, self if ignore else None) as given:
            stream, leaves_out = self._encode(given, labels, groups, ignore)
            batches = _arrays.batches(stream, "rows")
        n = sum(len(batch[0]) for batch in batches)
        left_out = np.zeros(n, bool) if leaves_out else None
        out = Encoded(
            np.empty(n, np.int64),
            np.zeros((n, self.width), np.float32),
            np.empty(n, np.int32) if labels else None,
            np.empty(n, np.int32) if groups else None,
            left_out,
        )
        at = 0
        for batch in batches:
            _encode_batch(out, slice(at, at + len(batch[0])), *batch)
            at += len(batch[0])
        if left_out is not None:
            out.features[left_out] = np.nan
            for codes in (out.labels, out.groups):
                if codes is not None:
                    codes[left_out] = -1
        return out

    def __reduce__(self) -> tuple[type[Schema], tuple[str]]:
        return type(self), (self.text,)

    def __repr__(self) -> str:
        return f"Schema {self.info['name']!r}: {self.width} features, {len(self.classes)} classes"


def _encode_batch(
    out: Encoded,
    part: slice,
    rows: npt.NDArray[np.int64],
    numbers: Float32s,
    levels: Codes,
    scale: Float32s,
    *codes: Codes,
) -> None:
    """Writes a batch of encoded rows to this part of the result."""
    out.rows[part] = rows
    features = out.features[part]
    features[:, : numbers.shape[1]] = numbers * scale[:, None]
    row, column = np.nonzero(levels >= 0)
    features[row, levels[row, column]] = scale[row]
    wanted = [values for values in (out.labels, out.groups, out.left_out) if values is not None]
    for values, given in zip(wanted, codes, strict=True):
        values[part] = given


def _column_check(
    column: dict[str, Any], good: int, clipped: int, unknown: int, missing: int
) -> dict[str, Any]:
    refused = missing * (column["missing"] == "refuse")
    refused += unknown * (column.get("unknown") == "refuse")
    return {
        "name": column["name"],
        "role": column["role"],
        "unknown": unknown,
        "clipped": clipped,
        "missing": missing,
        "left_out": missing * (column["missing"] == "drop"),
        "refused": refused,
    }


class Rows:
    """A table that can be read as an Arrow stream: a ``matrix`` of numbers, and columns of texts
    given as codes. Each call of ``__arrow_c_stream__`` gives a new stream. The codes are copied
    when the object is made. The matrix is copied while a stream is read, a few thousand rows at a
    time.

    ``texts`` is a list of (codes, levels); the code -1 is a missing text. The names of the text
    columns come last in ``names``.

    >>> rows = Rows([[38.0], [51.0]], ["age", "paid"], [([0, 1], ["no", "yes"])])
    >>> rows.names
    ['age', 'paid']
    """

    def __init__(
        self,
        matrix: Array,
        names: Iterable[object],
        texts: Sequence[tuple[Array, Iterable[object]]] = (),
    ) -> None:
        self.matrix = _arrays.matrix(matrix, "rows")
        self.names = name_list(names)
        self.texts = [
            (np.array(_arrays.codes(codes), dtype=np.int32), name_list(levels))
            for codes, levels in texts
        ]

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return _core.stream(self.matrix, self.names, self.texts)


def opened(
    rows: Path | ArrowStream | None, schema: Schema | None = None
) -> AbstractContextManager[Any]:
    """Returns a context manager that gives the capsule of the Arrow stream of ``rows``. For a path
    or None, it gives ``rows`` unchanged. If bad rows are ignored, ``schema`` says which columns of
    a frame hold numbers; the frame is then read cell by cell."""
    if hasattr(rows, "__arrow_c_stream__"):
        if schema is not None:
            columns = [one for one in json.loads(schema.text)["columns"] if one["role"] != "ignore"]
            numeric = {one["name"] for one in columns if one["kind"] == "numeric"}
            rows = by_cell(rows, numeric, {one["name"] for one in columns} - numeric)
        return _arrays.opened(rows)
    if rows is None or isinstance(rows, (str, bytes, os.PathLike)):
        return nullcontext(rows)
    refuse_lazy(rows)
    raise TypeError(
        "rows must be a path or a table with __arrow_c_stream__ (pyarrow, polars, pandas with "
        f"pyarrow), not {type(rows).__name__}"
    )
