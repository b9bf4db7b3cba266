"""Checks public lists, labels and groups for estimators and metrics, and splits people at
random."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length

from ._core import DataError, OptionError
from ._typing import Features, Labels
from ._warn import PrivacyLeakWarning, warn

Positions = npt.NDArray[np.intp]


@contextmanager
def cells_unseen(ignore: bool) -> Iterator[None]:
    """If bad rows are ignored, the error for a value that is not a number does not show the value.
    Such a value is still an error, since one text changes the type of its whole column."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if not ignore or "onvert" not in str(error):
            raise
        raise DataError(
            "X has a column with values that are not numbers: bad_rows='ignore' leaves out rows "
            "with missing or bad numbers, but every column must have a numeric type"
        ) from None


def need_list(given: npt.ArrayLike | None, name: str) -> None:
    """Refuses to ignore bad rows without the public list of good values."""
    if given is None:
        raise OptionError(f"bad_rows='ignore' needs the public list {name}=[...]")


def warn_of_leak(text: str) -> None:
    warn(text, PrivacyLeakWarning)


def public_list(given: npt.ArrayLike | None, values: Labels, name: str) -> tuple[Labels, set[str]]:
    """Returns the public list as an array, and an empty set. Without a public list, returns the
    distinct values, and the reason why the model is not private."""
    if given is not None:
        return listed(given, name), set()
    warn_of_leak(
        f"{name} were read off the data, which reveals that each of them occurs; the model is "
        f"marked as not private. Pass the public list as {name}=[...]"
    )
    return distinct(values, name)[0], {"labels-from-data"}


def listed(given: npt.ArrayLike, name: str) -> Labels:
    """A list of labels as an array."""
    array = np.asarray(given)
    if array.ndim != 1:
        raise OptionError(f"{name} must be a list, not {given!r}")
    return array


def _is_missing(value: Any) -> bool:
    """Returns whether a value is None, NaN or a marker of pandas for missing values."""
    try:
        return value is None or not bool(value == value)
    except TypeError:
        return True


def _refuse_first(bad: npt.NDArray[np.bool_], reason: str, words: str) -> None:
    """Raises for the first bad row, if any. The message counts rows from 1, as the library does."""
    if bad.size and bad[first := int(bad.argmax())]:
        error = DataError(f"row {first + 1}: {words}")
        error.reason, error.row = reason, first + 1
        raise error


def _refuse_missing(values: Labels, name: str) -> None:
    if values.dtype.kind not in "fO" or values.size == 0:
        return
    rows = values.reshape(len(values), -1)
    if values.dtype.kind == "f":
        missing = np.any(np.isnan(rows), axis=1)
    else:
        missing = np.array([any(map(_is_missing, row)) for row in rows.tolist()], dtype=bool)
    _refuse_first(missing, "value-missing", f"{name} must not be missing; drop or fill such rows")


def distinct(values: Labels, name: str) -> tuple[Labels, Positions]:
    """Returns the sorted distinct values, and the position of each value among them."""
    _refuse_missing(values, name)
    try:
        return np.unique(values, return_inverse=True)
    except TypeError:
        raise DataError(f"{name} must be all text or all numbers") from None


def codes_of(
    values: Labels, labels: Labels, name: str, *, unknown: str | None = None
) -> npt.NDArray[np.int32]:
    """Returns the position of each value in ``labels``. A value that is not in ``labels`` raises,
    but gets -1 if ``unknown`` is "base" or "ignore". A missing value raises, but gets -1 if
    ``unknown`` is "ignore"."""
    position = {label: i for i, label in enumerate(labels.tolist())}
    if values.dtype.kind in "biuf":
        if unknown != "ignore":
            _refuse_missing(values, name)
        found, inverse = np.unique(values, return_inverse=True)
        table = np.array([position.get(value, -1) for value in found.tolist()], dtype=np.int32)
        codes = table[inverse.reshape(-1)]
    else:  # looking texts up is faster than sorting them
        given = values.reshape(-1).tolist()
        try:
            codes = np.array([position.get(value, -1) for value in given], dtype=np.int32)
        except TypeError:
            raise DataError(f"{name} must be all text or all numbers") from None
        if len(codes) and codes.min() < 0 and unknown != "ignore":
            _refuse_missing(values, name)
    if unknown not in ("base", "ignore"):
        reason = "unknown-group" if name == "groups" else "unknown-level"
        words = f"this value of {name} is not in the list of {len(labels)}"
        _refuse_first(codes < 0, reason, words)
    return codes


def names_of(labels: Labels, name: str) -> list[str]:
    """Returns the labels as texts, for the model file. Refuses two labels with the same text."""
    names = [str(label) for label in labels.tolist()]
    if len(set(names)) != len(names):
        raise OptionError(f"two {name} have the same name when written as text")
    return names


def group_values(values: Any, *, ignore: bool = False) -> Labels:
    """Returns the group of each row. Several sensitive columns are combined into one, as a schema
    does. With ``ignore``, a missing value makes a group that is in no list."""
    if isinstance(values, (str, bytes)):
        raise OptionError(
            "sensitive_features must hold the group of each row; to name a column of X, use "
            "sensitive_column"
        )
    array = np.asarray(values)
    if array.ndim not in (1, 2):
        raise DataError(
            f"sensitive_features must be a column or a table of columns, not {type(values)}"
        )
    if array.ndim == 2 and array.shape[1] > 1:
        if not ignore:
            _refuse_missing(array, "groups")
        return np.array(
            [
                None if any(map(_is_missing, row)) else " × ".join(map(str, row))
                for row in array.tolist()
            ],
            dtype=object if ignore else None,
        )
    return array.reshape(-1)


def check_y(
    estimator: object,
    X: Features,
    y: Any,
    classes: npt.ArrayLike | None = None,
    *,
    ignore: bool = False,
) -> Labels:
    """Returns the class label of each row. Refuses labels that are not in the public list, if there
    is one, unless bad rows are ignored."""
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None."
        )
    labels: Labels = column_or_1d(y, warn=True)
    check_consistent_length(X, labels)
    if ignore:
        need_list(classes, "classes")
        return labels
    assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    if classes is not None:
        codes_of(labels, listed(classes, "classes"), "classes")
    return labels


def two_sets(n: int, fraction: float, seed: int | None) -> tuple[Positions, Positions]:
    """Returns the positions of two sets of people, split at random without looking at the
    records."""
    if not 0 < fraction < 1:
        raise OptionError(f"pool_fraction must be between 0 and 1, not {fraction!r}")
    pool = round(n * fraction)
    if pool < 1 or pool >= n:
        raise DataError(f"n_samples={n} cannot be divided into two sets of people")
    order = np.random.default_rng(seed).permutation(n)
    return np.sort(order[pool:]), np.sort(order[:pool])


def refuse_people(options: dict[str, Any] | None) -> None:
    """Refuses a name for people whom the estimator itself divides at random."""
    if options and options.get("people") is not None:
        raise OptionError(
            "leave out the option people: the estimator splits the rows itself, so the ledger is "
            "charged for everybody"
        )
