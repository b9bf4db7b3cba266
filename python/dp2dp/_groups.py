"""Finds the group of each row. Users give the groups as sensitive_features or as a column of X."""

from __future__ import annotations

import numbers
from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import _safe_indexing, check_array, get_tags
from sklearn.utils.validation import check_consistent_length, validate_data

from ._cells import numbers as numbers_of
from ._cells import of_list
from ._core import DataError, OptionError
from ._factored import Factored
from ._frame import refuse_twice
from ._index import check_index
from ._meant import meant
from ._model import check_bad_rows, check_unknown
from ._outside import say_one_group
from ._typing import Features, Float64s, Labels
from ._validation import (
    as_frame,
    codes_of,
    group_values,
    listed,
    need_list,
    public_list,
    refuse_empty,
)

_MANY_GROUPS = 20  # more different numbers than this were probably meant to be cut into groups


def column_positions(X: Features, given: Any, names: Labels | None = None) -> list[int]:
    """Returns the positions in X of the columns ``given`` as sensitive_column. ``names`` are the
    names of the columns of X. If ``names`` is None, the names are taken from X."""
    if not isinstance(given, (list, tuple)):
        return [_column_position(X, given, names)]
    if len(given) == 0:
        raise OptionError("sensitive_column must name a column of X, not an empty list")
    found = [_column_position(X, column, names) for column in given]
    if len(set(found)) < len(found):
        raise OptionError(f"sensitive_column names a column twice: {given!r}")
    return found


def _column_position(X: Features, column: Any, names: Labels | None) -> int:
    if getattr(getattr(X, "columns", None), "nlevels", 1) > 1 and isinstance(column, str):
        raise OptionError(
            "the columns of X have names of several levels (a MultiIndex): give "
            "sensitive_column as a position, or turn the names into texts, such as "
            "X.columns.map('_'.join)"
        )
    if isinstance(column, str):
        names = getattr(X, "columns", None) if names is None else names
        if names is None:
            raise OptionError(
                f"sensitive_column {column!r} is a name, but X has no column names. Give the "
                "position of the column; or, in a pipeline, use set_output(transform='pandas') so "
                "that the steps before this one keep the names"
            )
        if column not in names:
            known = [str(name) for name in names]
            raise OptionError(f"X has no column named {column!r}{_renamed(column, known)}")
        return list(names).index(column)
    if isinstance(column, numbers.Integral) and -X.shape[1] <= column < X.shape[1]:
        at = int(column) % int(X.shape[1])
        labels = list(getattr(X, "columns", ()))
        if column in labels and labels[at] != column:
            raise OptionError(
                f"sensitive_column {column!r} is a position, but another column of X has this "
                "number as its name: turn the names of the columns into texts"
            )
        return at
    raise OptionError(f"sensitive_column must be a column of X, not {column!r}")


def _renamed(column: str, known: list[str]) -> str:
    """Returns the end of a message about a name that is not among the ``known`` names: the name
    that a ColumnTransformer made of it, or a similar name."""
    new = [name for name in known if name.endswith(f"__{column}")]
    if len(new) != 1:
        return meant(column, known)
    return (
        f", but {new[0]!r}: pass this name as sensitive_column, or make the ColumnTransformer with "
        "verbose_feature_names_out=False, which keeps the names"
    )


def _cause_of_unknown(values: Labels | Factored, value: Any, labels: Labels) -> str:
    """Returns words about the probable reason why ``value`` is not one of ``labels``. It is the
    first of the groups ``values`` that is not listed. Returns an empty text if no reason is
    known."""
    listed_texts = [label for label in labels.tolist() if isinstance(label, str)]
    if isinstance(value, str):
        has_parts = "," in value.replace("\\,", "")
        if not has_parts or len(listed_texts) < len(labels) or "," in "".join(listed_texts):
            return ""
        return (
            "if the group has several columns, its name is their values joined by a comma, such "
            "as 'f,black'. List all these names, or tuples such as ('f', 'black')"
        )
    if not isinstance(value, numbers.Real) or labels.dtype.kind not in "iuf":
        return ""
    column = values.values if isinstance(values, Factored) else values
    found = {one for one in column.tolist() if isinstance(one, numbers.Real)}
    if len(found) > max(_MANY_GROUPS, len(labels)):
        cuts = sorted(labels.tolist())
        few = f"{cuts}" if len(cuts) <= _MANY_GROUPS else "[...]"
        return (
            "the groups have many different numbers. To cut these numbers into groups, leave "
            f"groups out and pass the cut points as sensitive_cuts={few}"
        )
    if float(value).is_integer() or (labels != np.floor(labels)).any():
        return ""
    return (
        "it is not a whole number, but the listed groups are. Did a step of the pipeline, such as "
        "a StandardScaler, scale the column of groups? Leave this column out of that step with a "
        "ColumnTransformer, or pass sensitive_features"
    )


class GroupsMixin:
    """The part of an estimator that finds and checks the groups."""

    sensitive_column: int | str | list[int | str] | None
    sensitive_cuts: npt.ArrayLike | None
    drop_sensitive: bool
    groups: npt.ArrayLike | None
    unknown_group: str
    bad_rows: str
    groups_: Labels
    feature_names_in_: Labels
    n_features_in_: int
    _takes_text = False
    _group_names_in: list[Any] | None = None

    def _check_X(self, X: Features, *, reset: bool, ignore: bool = False) -> Features:
        """Checks X. If ``ignore`` is True, each cell of a list keeps its own type."""
        if not reset and self._is_as_fitted(X):
            return X
        X = as_frame(X)
        if ignore and isinstance(X, (list, tuple)) and not is_text(X):
            X = of_list(X)
        if self._takes_text and is_text(X):
            if self.sensitive_column is not None:
                raise OptionError(
                    "X is a list of texts, so X has no columns: pass the groups as "
                    "sensitive_features and leave sensitive_column out"
                )
            return X
        if hasattr(X, "columns"):
            refuse_twice([str(name) for name in X.columns])
            refuse_empty(self, X)
            if reset or hasattr(self, "n_features_in_"):  # a loaded estimator lacks this attribute
                validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        sparse = ["csr", "csc"] if get_tags(self).input_tags.sparse else False
        return validate_data(
            self, X, reset=reset, accept_sparse=sparse, dtype=None, ensure_all_finite=False
        )

    def _is_as_fitted(self, X: Features) -> bool:
        """Returns True if X clearly has the same columns as in ``fit``. predict then skips
        scikit-learn's checks, which take longer than the rule itself."""
        names = self.__dict__.get("feature_names_in_")
        if type(X) is not np.ndarray:
            known = getattr(X, "columns", None)
            return (
                names is not None
                and known is not None
                and X.shape[0] > 0
                and (list(known) == names.tolist())
            )
        width = self.__dict__.get("n_features_in_")
        plain = names is None and X.ndim == 2 and X.dtype.kind in "biuf"
        return plain and X.shape[0] > 0 and X.shape[1] == width

    def _column_positions(self, X: Features) -> list[int]:
        """Returns the positions of the sensitive columns in X."""
        return column_positions(X, self.sensitive_column, getattr(self, "feature_names_in_", None))

    def _column_position(self, X: Features, column: Any) -> int:
        return _column_position(X, column, getattr(self, "feature_names_in_", None))

    def _group_columns(self, given: Any, reset: bool) -> Any:
        """Returns ``given``, the sensitive_features. If ``given`` is a frame and was a frame in
        ``fit``, its columns are put into the same order as in ``fit``. If ``reset`` is True, the
        caller is ``fit``, and the names of the columns are stored."""
        names = list(given.columns) if hasattr(given, "columns") else None
        if reset:
            self._group_names_in = names
        known = self._group_names_in
        if names is None or known is None or names == known:
            return given
        if missing := [name for name in known if name not in names]:
            raise DataError(
                f"sensitive_features has no column named {missing[0]!r}; in fit, the columns were "
                + ", ".join(map(repr, known))
            )
        return given[known]

    def _take_groups(
        self, X: Features, sensitive_features: Any, *, reset: bool = False, ignore: bool = False
    ) -> tuple[Features, Labels | Factored]:
        """Returns the features for the classifier, and the group of each row in the form that the
        user gave. ``ignore`` is passed on to :func:`group_values`."""
        sensitive_features = self._group_columns(sensitive_features, reset)
        if sensitive_features is not None:
            if self.sensitive_column is not None:
                raise OptionError("give sensitive_features or sensitive_column, not both")
            if reset:
                self._refuse_group_in(X, sensitive_features)
            cut = self.sensitive_cuts is not None
            values = group_values(sensitive_features, cut=cut, ignore=ignore)
            if len(values) != (X.shape[0] if hasattr(X, "shape") else len(X)):
                check_consistent_length(X, values)  # raises the error
            check_index(X, "X", sensitive_features, "sensitive_features")
            return X, values
        if self.sensitive_column is None:
            raise OptionError(
                "the groups are missing: pass sensitive_features, or set sensitive_column to a "
                "column of X"
            )
        at = self._column_positions(X)
        column = columns_at(X, at if len(at) > 1 else at[0])
        column = column.toarray() if hasattr(column, "toarray") else column
        values = group_values(column, cut=self.sensitive_cuts is not None, ignore=ignore)
        return self._without_column(X), values

    def _is_unaware(self) -> bool:
        """Returns whether the rule must not see the group."""
        raise NotImplementedError

    def _refuse_group_in(self, X: Features, groups: Any) -> None:
        """If the rule must not see the group, refuses an X with a column that has the same name as
        a column of ``groups``."""
        names = {str(one) for one in getattr(groups, "columns", [getattr(groups, "name", None)])}
        if self._is_unaware() and (seen := names & {*map(str, getattr(X, "columns", ()))}):
            raise OptionError(
                f"the column {min(seen)!r} of sensitive_features is also in X, so the rule would "
                "see the group. Drop the column from X; or, instead of sensitive_features, set "
                f"sensitive_column={min(seen)!r}"
            )

    def _without_column(self, X: Features) -> Features:
        """Returns the features for the classifier, which are X without the sensitive columns. If
        ``drop_sensitive`` is False, returns X unchanged."""
        if self.sensitive_column is None or not self.drop_sensitive:
            return X
        at = self._column_positions(X)
        rest = [j for j in range(X.shape[1]) if j not in at]
        if not rest:
            raise DataError(
                "X has only the sensitive column, which the classifier does not see: X needs "
                "features too"
            )
        return columns_at(X, rest)

    def _group_names_in_X(self) -> list[Any]:
        """Returns the names of the columns of X from which ``fit`` took the group. A column that
        has no name is left out."""
        given = self.sensitive_column
        several = given if isinstance(given, (list, tuple)) else [] if given is None else [given]
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            return [column for column in several if isinstance(column, str)]
        return [column if isinstance(column, str) else names[column] for column in several]

    def _unseen(self, X: Features) -> Features:
        """Checks X, and returns the features for the classifier of a rule that must not see the
        group. A frame may lack the columns of the group, and these columns are never read."""
        groups = self._group_names_in_X()
        if not groups or self._is_as_fitted(X) or not hasattr(X := as_frame(X), "columns"):
            return self._without_column(self._check_X(X, reset=False))
        rest = [j for j, name in enumerate(X.columns) if name not in groups]
        if len(rest) < X.shape[1]:
            X = columns_at(X, rest)
        fitted = copy(self)  # a copy that looks as if it was fitted without the group columns
        if (names := self.__dict__.get("feature_names_in_")) is not None:
            fitted.feature_names_in_ = names[[name not in groups for name in names]]
            fitted.n_features_in_ = len(fitted.feature_names_in_)
        return fitted._check_X(X, reset=False)

    def _fit_groups(self, values: Labels | Factored) -> tuple[npt.NDArray[np.int32], set[str]]:
        """Sets groups_. Returns the group code of each row, and a set of reasons why the model is
        not private. If the groups are public, the set is empty. If bad rows are ignored, a group
        that is missing or not listed gets the code -1."""
        check_unknown(self.unknown_group, "unknown_group")
        ignore = check_bad_rows(self.bad_rows)
        reasons: set[str] = set()
        if self.sensitive_cuts is not None:
            self.groups_ = self._cut_groups()
        else:
            if ignore:
                need_list(self.groups, "groups")
            self.groups_, reasons = public_list(self.groups, values, "groups")
        if len(self.groups_) < 2:
            raise OptionError(f"at least two groups are needed, not {len(self.groups_)}")
        return self._group_codes(values, unknown="ignore" if ignore else None), reasons

    def _cut_groups(self) -> Labels:
        """Returns the names of the groups that sensitive_cuts makes. Refuses the parameter
        ``groups`` if ``groups`` has other names."""
        found = between(self._cuts())
        if self.groups is not None and listed(self.groups, "groups").tolist() != found:
            raise OptionError(
                f"sensitive_cuts={self._cuts().tolist()} already makes the groups {found}: do not "
                "pass groups as well"
            )
        return np.array(found)

    def _cuts(self) -> Float64s:
        cuts = np.atleast_1d(np.asarray(self.sensitive_cuts, dtype=np.float64))
        if len(cuts) == 0 or not np.all(np.isfinite(cuts)) or np.any(np.diff(cuts) <= 0):
            raise OptionError("sensitive_cuts must be finite numbers in ascending order")
        return cuts

    def _group_codes(
        self, values: Labels | Factored, *, unknown: str | None = None
    ) -> npt.NDArray[np.int32]:
        if self.sensitive_cuts is None:
            try:
                return codes_of(values, self.groups_, "groups", unknown=unknown)
            except DataError as error:
                if error.row is None or not str(error).endswith(" listed"):
                    raise
                first = np.asarray(values, dtype=object).reshape(-1)[error.row - 1]
                cause = _cause_of_unknown(values, first, self.groups_)
                explained = DataError(f"{error}: {cause}" if cause else str(error))
                explained.reason, explained.row = error.reason, error.row
            raise explained
        known = unknown in ("base", "ignore")
        values = check_array(
            to_cut(values, known),
            ensure_2d=False,
            dtype=np.float64,
            ensure_all_finite=not known,
            estimator=self,
            input_name="groups",
        )
        codes = np.searchsorted(self._cuts(), values, side="left").astype(np.int32)
        codes[~np.isfinite(values)] = -1
        if unknown != "ignore":
            say_one_group(codes, between(self._cuts()), self._cuts())
        return codes


def to_cut(values: Labels | Factored, ignore: bool) -> Float64s:
    """Converts ``values`` to numbers, which sensitive_cuts will cut into groups. If ``ignore`` is
    True, a value that is not a number becomes NaN. If ``ignore`` is False, such a value raises an
    error, whose message must not show the value."""
    column: Labels = np.asarray(values)
    if ignore and column.dtype.kind not in "biuf":
        return numbers_of(column.astype(object), texts=True)
    try:
        return column.astype(np.float64)  # a TypeError is not caught: its message shows no value
    except (ValueError, ArithmeticError):
        raise DataError(
            "sensitive_cuts cuts numbers into groups, but at least one of the values that it "
            "should cut is not a number: pass numbers, or leave sensitive_cuts out and list the "
            "groups as groups=[...]"
        ) from None


def columns_at(X: Features, at: int | list[int]) -> Features:
    """Returns columns of X by position. Arrays are indexed directly, which is much faster."""
    return X[:, at] if type(X) is np.ndarray else _safe_indexing(X, at, axis=1)


def is_text(X: Features) -> bool:
    """Returns whether X is a list, an array or a Series that has a text or a dict in most rows.
    Such an X is input for a vectorizer of scikit-learn."""
    if not isinstance(X, (list, tuple)) and getattr(X, "ndim", None) != 1:
        return False
    # Looks at all rows, so that no single row decides.
    return 2 * sum(isinstance(row, (str, bytes, dict)) for row in X) > len(X)


def between(cuts: Float64s) -> list[str]:
    texts = [f"{cut:g}" for cut in cuts]
    middle = [f"({low}, {high}]" for low, high in zip(texts[:-1], texts[1:], strict=True)]
    return [f"<= {texts[0]}", *middle, f"> {texts[-1]}"]
