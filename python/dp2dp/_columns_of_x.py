"""Warns of columns of X that a fit should not have: ids of people who have several rows, and, for a
classifier of another library, ids and copies of the label. The other libraries warn of none."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import _safe_indexing

from ._column_tells import say_label_seen, tells
from ._core import DataError
from ._factored import factored
from ._number_ids import are_number_ids, in_words, say_number_ids
from ._told_by import of_features
from ._typing import Features, Floats
from ._validation import as_frame
from ._warn import SECRET, warn

_MANY = 100  # ids need this many different values: fewer may be codes of places or products
_TRIED = 200  # rows on which a column is changed to see whether a classifier uses it
# Matches a name that may be that of an id of people: id, customer_id, patientNo, person. A plural,
# such as customers, is more often a count.
_PEOPLE = re.compile(
    r"(.*_)?(id|uid|uuid|guid|ssn)|"
    r"(person|patient|customer|client|applicant|borrower|member|user|student|subject|employee"
    r"|participant|citizen|resident)(_(no|nr|number|key|code))?",
    re.IGNORECASE,
)


def _people_of(values: Any) -> tuple[int, int] | None:
    """Returns how many rows of a column have the value of an earlier row, and how many different
    values there are. Returns None if the values are neither texts nor whole numbers."""
    try:
        found = factored(values)
    except (DataError, TypeError, ValueError):
        return None
    numbers = [one for one in found.values.tolist() if not isinstance(one, str)]
    whole = all(isinstance(one, (int, float)) and float(one).is_integer() for one in numbers)
    known = int(np.count_nonzero(found.codes >= 0))
    return (known - len(found.values), len(found.values)) if whole else None


def say_people_repeated(X: Features) -> None:
    """Warns of a column whose name is that of an id of people, if it has many different values and
    at least one row in ten has the value of an earlier row: these are probably several rows of one
    person."""
    X = as_frame(X)
    for name, values in of_features(X) if hasattr(X, "columns") else ():
        if not _PEOPLE.fullmatch(in_words(str(name))) or (found := _people_of(values)) is None:
            continue
        (later, different), rows = found, len(values)
        if different < _MANY or 10 * different <= rows or 10 * later < rows:
            continue
        warn(
            f"rows-repeated: {later} of {rows} rows have the value of an earlier row in the column "
            f"{name!r}. The privacy guarantee assumes that each person has one row. If that is the "
            "person, set rows_per_person to the largest number of rows of a person, and leave the "
            f"column out of the features. {SECRET}"
        )
        return


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
