"""The features of a private classifier as a table of numbers and texts."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.utils import _safe_indexing

from . import core
from ._arrays import batches
from ._bounds import column_names
from ._cells import of_column
from ._core import DataError, OptionError
from ._factored import by_text, factored
from ._meant import meant
from ._schema import opened
from ._typing import Column, Features, Floats, Labels
from ._validation import refuse_dates, rows_of

AnySchema: TypeAlias = core.Schema | str | os.PathLike[str] | dict[str, Any]
_PART = 1 << 16  # rows that are encoded at a time
Coded: TypeAlias = tuple[npt.NDArray[np.int32], list[str]]


@dataclass(frozen=True)
class Table:
    """Rows for the library: a matrix of numbers, and columns of texts. They are taken from X, the
    user's features. ``named`` says whether X has names for its columns. ``order`` has the names of
    all columns in the order of X."""

    numbers: Floats
    names: list[str]
    texts: list[Coded]
    text_names: list[str]
    named: bool
    order: list[str]

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, at: Any) -> Table:
        texts = [(codes[at], levels) for codes, levels in self.texts]
        return replace(self, numbers=self.numbers[at], texts=texts)

    def is_finite(self) -> npt.NDArray[np.bool_]:
        """Returns a mask of the rows that have no missing or infinite number and no missing
        text."""
        bad = np.zeros(len(self), dtype=bool)
        bad |= ~np.isfinite(self.numbers).all(axis=1)
        for codes, _ in self.texts:
            bad |= codes < 0
        return ~bad

    def only(self, columns: list[Column]) -> Table:
        """Returns the table with only these columns."""
        wanted = {column["name"] for column in columns}
        texts = [(c, n) for c, n in zip(self.texts, self.text_names, strict=True) if n in wanted]
        at = [j for j, name in enumerate(self.names) if name in wanted]
        return replace(
            self,
            numbers=self.numbers[:, at],
            names=[self.names[j] for j in at],
            texts=[coded for coded, _ in texts],
            text_names=[name for _, name in texts],
        )

    def rows(self, names: Sequence[str] = (), texts: Sequence[Coded] = ()) -> core.Rows:
        """The rows as an Arrow stream, with further columns of texts."""
        return core.Rows(
            self.numbers, [*self.names, *self.text_names, *names], [*self.texts, *texts]
        )


def of_numbers(X: Floats, names: npt.ArrayLike | None) -> Table:
    known = column_names(names, X.shape[1])
    return Table(X, known, [], [], names is not None, known)


def _numbers(column: Any, name: str, ignore: bool) -> npt.NDArray[np.float64]:
    """Returns a column as numbers. With ``ignore``, a value that is not a number becomes NaN."""
    refuse_dates(column, name)
    if ignore:
        return of_column(column, texts=True)
    try:
        if hasattr(column, "iloc"):  # pd.NA becomes NaN
            found: npt.NDArray[np.float64] = column.to_numpy(dtype=np.float64, na_value=np.nan)
            return found
        return np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError, ArithmeticError):
        pass  # drop this exception: its message shows a value
    raise DataError(f"column {name!r} must hold numbers; if it holds texts, give its categories")


def _coded(column: Any, name: str, ignore: bool) -> Coded:
    codes, texts = by_text(factored(column, ignore=ignore), f"column {name!r}", ignore=ignore)
    return codes.astype(np.int32), texts


def of_frame(
    X: Features, names: Labels | None, columns: Mapping[str, bool], *, ignore: bool = False
) -> Table:
    """Returns the table of some columns of X. ``columns`` maps the name of each column to whether
    the column holds texts. If X has no names, it must have exactly these columns, in this order.
    With ``ignore``, a value that cannot be read counts as missing; without, it is refused."""
    if names is None and X.shape[1] != len(columns):
        raise DataError(f"X has {X.shape[1]} columns, but {len(columns)} features are expected")
    known = list(columns) if names is None else [str(name) for name in names]
    if missing := [name for name in columns if name not in known]:
        raise DataError(f"X has no column named {missing[0]!r}{meant(missing[0], known)}")
    found = {name: _safe_indexing(X, known.index(name), axis=1) for name in columns}
    numeric = [name for name, has_texts in columns.items() if not has_texts]
    texts = [name for name, has_texts in columns.items() if has_texts]
    matrix = np.empty((X.shape[0], len(numeric)))
    for j, name in enumerate(numeric):
        matrix[:, j] = _numbers(found[name], name, ignore)
    coded = [_coded(found[name], name, ignore) for name in texts]
    return Table(matrix, numeric, coded, texts, names is not None, list(columns))


def of_schema(
    X: Features, names: Labels | None, schema: core.Schema, *, ignore: bool = False
) -> Table:
    """Returns the table of the schema's features. If X lacks a feature and the schema has no label,
    the message suggests that this feature is the label. ``ignore`` is that of :func:`of_frame`."""
    features = features_of(schema)
    known = list(features) if names is None else [str(name) for name in names]
    lacking = [name for name in features if name not in known]
    if lacking and not schema.classes:
        raise DataError(
            f"X has no column named {lacking[0]!r}, which is a feature of the schema"
            f"{meant(lacking[0], known)}. If this is the label, make the schema with "
            f"Schema.from_frame(..., label={lacking[0]!r})"
        )
    return of_frame(X, names, features, ignore=ignore)


def check_rows(table: Table, schema: core.Schema) -> None:
    """Refuses the rows if training would refuse them, with the same error. Encodes ``_PART`` rows
    at a time."""
    for first in range(0, len(table), _PART):
        part = table[first : first + _PART]
        with rows_of(np.arange(first, first + len(part))), opened(part.rows()) as rows:
            stream, _ = schema._encode(rows, False, False, False)
            batches(stream, "rows")


def without_ignored(X: Features, given: AnySchema | None, keep: Sequence[Any] = ()) -> Features:
    """Returns a frame without the schema's label, which is not a feature and which other people
    lack, and without the columns that the schema ignores. Keeps the columns in ``keep``. If ``X``
    is not a frame, returns it unchanged."""
    if given is None or not hasattr(X, "columns"):
        return X
    schema = as_schema(given)
    unused = [*columns_of(schema, "ignore"), *columns_of(schema, "label")]
    ignored = {column["name"] for column in unused} - {*keep}
    rest = [j for j, name in enumerate(X.columns) if str(name) not in ignored]
    return X if len(rest) == X.shape[1] else _safe_indexing(X, rest, axis=1)


def as_schema(given: AnySchema) -> core.Schema:
    return given if isinstance(given, core.Schema) else core.Schema(given)


def columns_of(schema: core.Schema, role: str) -> list[Column]:
    """Returns the columns of a schema whose role is ``role``, each as a dict."""
    columns: list[Column] = json.loads(schema.text)["columns"]
    return [column for column in columns if column["role"] == role]


def features_of(schema: core.Schema) -> dict[str, bool]:
    """The features of a schema, and whether each holds texts."""
    return {c["name"]: c["kind"] == "categorical" for c in columns_of(schema, "feature")}


def in_order_of_x(schema: core.Schema) -> core.Schema:
    """Returns ``schema``, which comes from a model file, with the features in the order of X. Older
    files list the numeric features first. So if the features are named x0, x1, ..., this function
    puts them in the order of these names."""
    features = features_of(schema)
    order = {name: at for at, name in enumerate(column_names(None, len(features)))}
    if order.keys() != features.keys() or list(features) != sorted(
        features, key=lambda name: (features[name], order[name])
    ):
        return schema
    text = json.loads(schema.text)
    others = [column for column in text["columns"] if column["role"] != "feature"]
    named = sorted(columns_of(schema, "feature"), key=lambda column: order[column["name"]])
    return core.Schema({**text, "columns": [*named, *others]})


def has_categories(
    categories: Mapping[Any, Any], names: npt.ArrayLike | None, width: int
) -> dict[str, bool]:
    """Returns a dict that says, for each column of X, whether it has categories. If X has no names,
    the keys of ``categories`` may be positions."""
    if not isinstance(categories, Mapping):
        raise OptionError(
            "categories must be a dict {column: [...]} with the public list of each column, not "
            f"{type(categories).__name__}"
        )
    known = column_names(names, width)
    given = {
        known[key] if names is None and key in range(width) else str(key) for key in categories
    }
    if unknown := [name for name in given if name not in known]:
        raise OptionError(
            f"categories: there is no feature {unknown[0]!r}{meant(unknown[0], known)}"
        )
    return {name: name in given for name in known}


def with_columns(schema: core.Schema, *columns: Column | None) -> core.Schema:
    """Returns the schema with further columns. A column that is None is left out."""
    further = [column for column in columns if column is not None]
    text = json.loads(schema.text)
    return core.Schema({**text, "columns": [*text["columns"], *further]}) if further else schema


def restored(names: list[str], given: npt.ArrayLike | None, what: str) -> Labels:
    """Returns the labels whose ``names`` are stored in a model or schema. If labels are ``given``,
    returns these. Otherwise, if all names are numbers or booleans as Python writes them, returns
    the numbers or booleans. Otherwise, returns the names as texts."""
    if given is not None:
        labels = np.asarray(given)
        if [str(label) for label in labels.tolist()] != names:
            raise OptionError(f"{what} must be {names}, in this order, not {given!r}")
        return labels
    if sorted(names) == ["False", "True"]:
        return np.array([name == "True" for name in names])
    for kind in (int, float):
        try:
            numbers = [kind(name) for name in names]
        except ValueError:
            continue
        if [str(number) for number in numbers] == names and np.isfinite(numbers).all():
            return np.array(numbers)
    return np.array(names)
