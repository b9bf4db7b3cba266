"""Compares groups, labels, decisions and the columns of X. If two of them are equal, or a column of
X determines the group, something was probably passed by mistake."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import _safe_indexing

from ._column_tells import say_group_seen as say_group_seen
from ._core import DataError
from ._factored import Factored, factored, text_of
from ._odd_labels import say_odd_labels
from ._odd_weights import say_transposed
from ._table import AnySchema, Table, as_schema, columns_of
from ._typing import Codes, Features, Floats, Labels
from ._validation import codes_of
from ._warn import SECRET, FairnessWarning, keeping, warn

_FIRST = 1000  # the first rows often show already that groups are not classes
_MANY = 20  # with fewer rows, two columns may be equal by chance
_NEARLY = 0.95  # warn if group and decision are equal in this share of the rows or more


def of_table(table: Table) -> Iterator[tuple[str, Any]]:
    """Yields the name and the values of each column of a table."""
    yield from zip(table.names, table.numbers.T, strict=True)
    for name, (codes, values) in zip(table.text_names, table.texts, strict=True):
        yield name, Factored(codes, np.array(values, dtype=object))


def of_features(X: Features) -> Iterator[tuple[str | int, Any]]:
    """Yields, for each column, its name (or its position in an array) and its values. Yields
    nothing for texts and sparse matrices."""
    if hasattr(X, "columns"):
        for at, name in enumerate(X.columns):
            yield str(name), _safe_indexing(X, at, axis=1)
    elif isinstance(X, np.ndarray) and X.ndim == 2:
        yield from enumerate(X.T)


def are_same(one: Any, other: Any) -> bool:
    """Returns whether two columns are equal in all rows and have more than one value. To save time,
    the first rows are compared first."""

    def values(column: Any) -> list[Any]:
        found: list[Any] = np.asarray(column).reshape(-1).tolist()
        return found

    try:
        one, other = (x if hasattr(x, "__len__") else np.ravel(np.asarray(x)) for x in (one, other))
        if len(one) != len(other) or len(one) < _MANY:
            return False
        first = [(x.iloc if hasattr(x, "iloc") else x)[:_MANY] for x in (one, other)]
        if values(first[0]) != values(first[1]):
            return False
        found = values(one)
        return found == values(other) and any(value != found[0] for value in found)
    except (TypeError, ValueError):  # values that cannot be compared, such as pd.NA
        return False


def say_groups_are_labels(groups: Any, y: Any) -> None:
    """Warns if in every row the group equals the label."""
    if y is not None and are_same(groups, y):
        warn(
            "groups-are-labels: in every row the group equals the label. Did you pass the labels "
            f"as sensitive_features? {SECRET}",
            FairnessWarning,
        )


def say_groups_are_decisions(groups: Any, decisions: Any) -> None:
    """Warns if in every row the group equals the decision."""
    if are_same(groups, decisions):
        warn(
            "groups-are-decisions: in every row the group equals the decision. Did you pass the "
            f"decisions as sensitive_features? {SECRET}",
            FairnessWarning,
        )


@keeping()
def say_groups_are_nearly(groups: Labels | Factored, decisions: Labels) -> None:
    """Warns if in nearly all rows the group equals the class that a classifier finds most likely:
    the groups are probably the decisions of another classifier. If group and class are equal in all
    rows, there is no warning here, because the fit of the rule warns."""
    known = {*np.unique(decisions).tolist()}
    values = np.asarray(groups).reshape(-1)
    if len(values) < _MANY or len(known) < 2 or not {*values[:_FIRST].tolist()} <= known:
        return
    count = sum(map(operator.eq, values.tolist(), decisions.tolist()))
    if _NEARLY * len(values) <= count < len(values):
        warn(
            f"groups-are-decisions: in {count} of {len(values)} rows the group is the class with "
            "the largest score. Did you pass the decisions of a classifier as sensitive_features? "
            f"{SECRET}",
            FairnessWarning,
        )


def refuse_other_labels(
    schema: AnySchema | None, X: Features, labels: Labels, classes: Labels | None
) -> None:
    """Refuses ``labels`` that differ from the labels in X, which are in the column that the schema
    declares as the label. If they differ, ``labels`` and the rows of X are probably in different
    orders. A row is not compared if its label in X is not one of the classes."""
    found = [] if schema is None else columns_of(as_schema(schema), "label")
    names = [str(name) for name in getattr(X, "columns", ())]
    if classes is None or not found or (name := found[0]["name"]) not in names:
        return
    column = factored(_safe_indexing(X, names.index(name), axis=1))
    at = {text_of(one): code for code, one in enumerate(classes.tolist())}
    known = [at.get(text_of(value), -1) for value in column.values.tolist()]
    there = np.array([*known, -1])[column.codes]
    given = codes_of(labels, classes, "classes", unknown="ignore")
    if count := int(np.count_nonzero((there != given) & (there >= 0) & (given >= 0))):
        raise DataError(
            f"y differs from {name!r}, the label column of the schema, in {count} of {len(given)} "
            f"rows of X. Are the rows of y and X in different orders? Pass y=X[{name!r}], or drop "
            "the column from X"
        )


def say_against_y(
    scores: Floats,
    pairs: Floats | None,
    groups: Codes,
    y: npt.ArrayLike | None,
    classes: Labels,
    n_groups: int,
) -> None:
    """Warns if the scores do not fit the labels ``y``, or if the columns of the ``pairs`` (weights
    of pairs of group and label) are in the wrong order. The rule does not use ``y``, so values of
    ``y`` that are not classes cause no error."""
    labels = None
    with suppress(ValueError, TypeError):
        given = None if y is None else np.asarray(y).reshape(-1)
        if given is not None and len(given) == len(scores):
            labels = codes_of(given, classes, "classes", unknown="ignore")
            say_odd_labels(scores, labels)
    if pairs is not None:
        known = None if labels is None or labels.min() < 0 else labels
        say_transposed(pairs, groups, known, n_groups)
