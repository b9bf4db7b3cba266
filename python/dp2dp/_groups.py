"""What the estimators share: public lists, groups in or beside X, rows of two disjoint sets."""

from __future__ import annotations

import numbers
import warnings

import numpy as np
from sklearn.utils import _safe_indexing, assert_all_finite, check_array, column_or_1d, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, validate_data

from ._core import DataError, OptionError


class PrivacyLeakWarning(UserWarning):
    """Something public was read off private rows, so that the model is not private."""


def public_list(given, values, name):
    """The declared list as an array, or what occurs in the values, and whether it is the latter."""
    if given is not None:
        return np.asarray(given), False
    warnings.warn(
        f"{name} were read off the data, which reveals that somebody has each of them; the model "
        f"is marked as not private. Pass the public list as {name}=[...]",
        PrivacyLeakWarning,
        stacklevel=4,
    )
    return np.unique(values), True


def codes_of(values, labels, name, *, unknown=None):
    """Positions of the values in the list of labels; -1 for others where they are allowed."""
    try:
        distinct, inverse = np.unique(values, return_inverse=True)
    except TypeError:
        raise DataError(
            f"{name} must be of one kind, text or numbers, without missing values"
        ) from None
    position = {label: i for i, label in enumerate(labels.tolist())}
    table = np.array([position.get(value, -1) for value in distinct.tolist()], dtype=np.int32)
    codes = np.ascontiguousarray(table[inverse.reshape(-1)], dtype=np.int32)
    if unknown != "base" and len(codes) and codes.min() < 0:
        row = int(np.flatnonzero(codes < 0)[0])
        raise DataError(f"row {row}: a value of {name} that is not in the list of {len(labels)}")
    return codes


def names_of(labels, name):
    """Labels as distinct texts, which is what a model file holds."""
    names = [str(label) for label in labels.tolist()]
    if len(set(names)) != len(names):
        raise OptionError(f"two {name} are written alike")
    return names


def check_y(estimator, X, y):
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None."
        )
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    check_consistent_length(X, y)
    check_classification_targets(y)
    return y


def two_sets(n, fraction, seed):
    """Positions of two sets of people, divided by randomness that no record has a part in."""
    if not 0 < fraction < 1:
        raise OptionError(f"pool_fraction must be between 0 and 1, not {fraction!r}")
    pool = round(n * fraction)
    if pool < 1 or pool >= n:
        raise DataError(f"n_samples={n} cannot be divided into two sets of people")
    order = np.random.default_rng(seed).permutation(n)
    return np.sort(order[pool:]), np.sort(order[:pool])


class GroupsMixin:
    """Needs sensitive_column, sensitive_cuts, drop_sensitive, groups and unknown_group."""

    def _check_X(self, X, *, reset):
        if not hasattr(X, "columns"):
            sparse = ["csr", "csc"] if get_tags(self).input_tags.sparse else False
            X = check_array(
                X,
                accept_sparse=sparse,
                dtype=None,
                ensure_all_finite=False,
                estimator=self,
                input_name="X",
            )
        validate_data(self, X, reset=reset, skip_check_array=True)
        return X

    def _column_position(self, X):
        column = self.sensitive_column
        if isinstance(column, str):
            names = getattr(self, "feature_names_in_", None)
            if names is None or column not in names:
                raise OptionError(f"X has no column named {column!r}")
            return list(names).index(column)
        if isinstance(column, numbers.Integral) and -X.shape[1] <= column < X.shape[1]:
            return int(column) % X.shape[1]
        raise OptionError(f"sensitive_column must be a column of X, not {column!r}")

    def _take_groups(self, X, sensitive_features):
        """X as the classifier sees it, and the group of each row as it was given."""
        if sensitive_features is not None:
            if self.sensitive_column is not None:
                raise OptionError("give sensitive_features or sensitive_column, not both")
            check_consistent_length(X, sensitive_features)
            return X, _combined(sensitive_features)
        if self.sensitive_column is None:
            raise OptionError(
                "the groups are missing: pass sensitive_features, or name a column of X as "
                "sensitive_column"
            )
        at = self._column_position(X)
        column = _safe_indexing(X, at, axis=1)
        values = _combined(column.toarray() if hasattr(column, "toarray") else column)
        if self.drop_sensitive:
            X = _safe_indexing(X, [j for j in range(X.shape[1]) if j != at], axis=1)
        return X, values

    def _fit_groups(self, values):
        """Sets groups_; returns codes and whether the list came from the data."""
        from_data = False
        if self.sensitive_cuts is not None:
            self.groups_ = np.array(_between(self._cuts()))
        else:
            self.groups_, from_data = public_list(self.groups, values, "groups")
        if len(self.groups_) < 2:
            raise OptionError(f"at least two groups are needed, not {len(self.groups_)}")
        return self._group_codes(values), from_data

    def _cuts(self):
        cuts = np.atleast_1d(np.asarray(self.sensitive_cuts, dtype=np.float64))
        if len(cuts) == 0 or not np.all(np.isfinite(cuts)) or np.any(np.diff(cuts) <= 0):
            raise OptionError("sensitive_cuts must be numbers in ascending order")
        return cuts

    def _group_codes(self, values, *, unknown=None):
        if self.sensitive_cuts is None:
            return codes_of(values, self.groups_, "groups", unknown=unknown)
        values = check_array(
            values, ensure_2d=False, dtype=np.float64, estimator=self, input_name="groups"
        )
        return np.searchsorted(self._cuts(), values, side="left").astype(np.int32)


def _combined(values):
    """One value for each row; several sensitive columns become one, as in a schema."""
    array = np.asarray(values)
    if array.ndim == 2 and array.shape[1] > 1:
        return np.array([" × ".join(map(str, row)) for row in array.tolist()])
    return array.reshape(-1)


def _between(cuts):
    texts = [f"{cut:g}" for cut in cuts]
    middle = [f"({low}, {high}]" for low, high in zip(texts, texts[1:])]
    return [f"<= {texts[0]}", *middle, f"> {texts[-1]}"]
