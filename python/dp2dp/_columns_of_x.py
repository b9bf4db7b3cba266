"""Warns of columns of X that a classifier of another library should not have: ids, and copies of
the label. The other libraries warn of none."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import numpy as np
import numpy.typing as npt
from sklearn.utils import _safe_indexing

from ._column_tells import say_label_seen, tells
from ._factored import factored
from ._number_ids import are_number_ids, say_number_ids
from ._told_by import of_features
from ._typing import Features, Floats

_TRIED = 200  # rows on which a column is changed to see whether a classifier uses it


def _turned(X: Features, at: int) -> Features:
    """Returns a copy of X in which the values of one column are exchanged between rows."""
    X = X.copy()
    values = X.iloc[:, at].to_numpy() if hasattr(X, "iloc") else X[:, at]
    codes = factored(values).codes
    order, turned = np.argsort(codes, kind="stable"), values.copy()
    turned[order] = np.roll(values[order], len(order) // 2)
    if hasattr(X, "iloc"):
        X[X.columns[at]] = turned
    else:
        X[:, at] = turned
    return X


def _is_used(X: Features, at: int, scores_of: Callable[[Features], Floats]) -> bool:
    """Returns whether a classifier's scores change if one column of X changes. The classifier may
    be a pipeline that drops the column. Returns True if this cannot be found out."""
    with suppress(Exception):  # the classifier may raise anything
        rows = np.linspace(0, X.shape[0] - 1, min(_TRIED, X.shape[0])).astype(np.intp)
        some = _safe_indexing(X, rows)
        before, after = scores_of(some), scores_of(_turned(some, at))
        return not np.array_equal(before, after)
    return True


def say_needless(
    X: Features, labels: npt.NDArray[np.int32] | None, scores_of: Callable[[Features], Floats]
) -> None:
    """Warns of the first column of ids, and of the first column that determines the label of every
    row, if a classifier uses the column. ``labels`` has the code of each row's label, if labels are
    known. ``scores_of`` computes the scores of the classifier."""
    columns = list(enumerate(of_features(X)))
    for at, (name, values) in columns:
        numbers = np.asarray(values)
        if numbers.dtype.kind not in "iuf" or not are_number_ids(str(name), numbers):
            continue
        if _is_used(X, at, scores_of):
            say_number_ids(str(name), numbers)
            break
    if labels is not None and len(labels) and labels.min() >= 0:
        seen = (
            (name, values)
            for at, (name, values) in columns
            if tells(values, labels) and _is_used(X, at, scores_of)
        )
        say_label_seen(seen, labels)
