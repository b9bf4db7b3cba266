"""Checks that estimators and metrics share: public lists, labels, groups, two sets of people."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length

from ._core import DataError, OptionError
from ._typing import Features, Labels

Positions = npt.NDArray[np.intp]


class PrivacyLeakWarning(UserWarning):
    """Something public was read off private rows, so that the model is not private."""


def warn_of_leak(text: str) -> None:
    """Warns at the line outside this package that led here."""
    level = 1
    while sys._getframe(level).f_globals.get("__package__") == __package__:
        level += 1
    warnings.warn(text, PrivacyLeakWarning, stacklevel=level + 1)


def public_list(given: npt.ArrayLike | None, values: Labels, name: str) -> tuple[Labels, set[str]]:
    """The declared list as an array and no reason; without it what occurs in the values, and why
    the model is then not private."""
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
    """None, NaN or pandas' markers for missing: a value that is not equal to itself."""
    try:
        return value is None or not bool(value == value)
    except TypeError:
        return True


def _refuse_first(bad: npt.ArrayLike, reason: str, words: str) -> None:
    """Raises if a row is bad, with the first one. Like the library, counts rows from 1."""
    rows = np.flatnonzero(bad)
    if len(rows):
        row = int(rows[0]) + 1
        error = DataError(f"row {row}: {words}")
        error.reason, error.row = reason, row
        raise error


def _refuse_missing(values: Labels, name: str) -> None:
    if len(values) == 0:
        return
    rows = values.reshape(len(values), -1)
    if values.dtype.kind == "f":
        missing = np.isnan(rows).any(axis=1)
    elif values.dtype.kind == "O":
        missing = np.array([any(map(_is_missing, row)) for row in rows.tolist()], dtype=bool)
    else:
        return
    _refuse_first(missing, "value-missing", f"{name} must not be missing; drop or fill such rows")


def distinct(values: Labels, name: str) -> tuple[Labels, Positions]:
    """The sorted distinct values, and the position of each value among them."""
    _refuse_missing(values, name)
    try:
        return np.unique(values, return_inverse=True)
    except TypeError:
        raise DataError(f"{name} must be of one kind, text or numbers") from None


def codes_of(
    values: Labels, labels: Labels, name: str, *, unknown: str | None = None
) -> npt.NDArray[np.int32]:
    """Positions of the values in the list of labels; -1 for others if unknown is "base"."""
    position = {label: i for i, label in enumerate(labels.tolist())}
    if values.dtype.kind in "biuf":
        found, inverse = distinct(values, name)
        table = np.array([position.get(value, -1) for value in found.tolist()], dtype=np.int32)
        codes = np.ascontiguousarray(table[inverse.reshape(-1)], dtype=np.int32)
    else:  # looking texts up is faster than sorting them
        given = values.reshape(-1).tolist()
        try:
            codes = np.array([position.get(value, -1) for value in given], dtype=np.int32)
        except TypeError:
            raise DataError(f"{name} must be of one kind, text or numbers") from None
        if len(codes) and codes.min() < 0:
            _refuse_missing(values, name)
    if unknown != "base":
        reason = "unknown-group" if name == "groups" else "unknown-level"
        words = f"a value of {name} that is not in the list of {len(labels)}"
        _refuse_first(codes < 0, reason, words)
    return codes


def names_of(labels: Labels, name: str) -> list[str]:
    """Labels as distinct texts, as stored in a model file."""
    names = [str(label) for label in labels.tolist()]
    if len(set(names)) != len(names):
        raise OptionError(f"two {name} have the same name")
    return names


def group_values(values: Any) -> Labels:
    """One value for each row; several sensitive columns become one, as in a schema."""
    if isinstance(values, (str, bytes)):
        raise OptionError(
            "sensitive_features must hold the group of each row; the name of a column of X is "
            "given as sensitive_column"
        )
    array = np.asarray(values)
    if array.ndim not in (1, 2):
        raise DataError(
            f"sensitive_features must be a column, or a table of columns, not {type(values)}"
        )
    if array.ndim == 2 and array.shape[1] > 1:
        _refuse_missing(array, "groups")
        return np.array([" × ".join(map(str, row)) for row in array.tolist()])
    return array.reshape(-1)


def check_y(estimator: object, X: Features, y: Any, classes: npt.ArrayLike | None = None) -> Labels:
    """Class labels, one per row, all in the public list if there is one."""
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None."
        )
    labels: Labels = column_or_1d(y, warn=True)
    assert_all_finite(labels, input_name="y")
    check_consistent_length(X, labels)
    check_classification_targets(labels)
    if classes is not None:
        codes_of(labels, listed(classes, "classes"), "classes")
    return labels


def two_sets(n: int, fraction: float, seed: int | None) -> tuple[Positions, Positions]:
    """Positions of two sets of people, split at random without looking at the records."""
    if not 0 < fraction < 1:
        raise OptionError(f"pool_fraction must be between 0 and 1, not {fraction!r}")
    pool = round(n * fraction)
    if pool < 1 or pool >= n:
        raise DataError(f"n_samples={n} cannot be divided into two sets of people")
    order = np.random.default_rng(seed).permutation(n)
    return np.sort(order[pool:]), np.sort(order[:pool])
