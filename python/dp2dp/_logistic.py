"""PrivateLogisticRegression."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted, validate_data

from . import core
from ._base import PrivateClassifier
from ._bounds import column_names, feature_columns, schema_of
from ._core import DataError
from ._model import check_bad_rows
from ._typing import Bounds, Column, Features, Float32s, Float64s, Floats, Labels, Path
from ._validation import (
    cells_unseen,
    check_y,
    codes_of,
    names_of,
    public_list,
    refuse_weights,
)


class PrivateLogisticRegression(PrivateClassifier):
    """Multinomial logistic regression on numeric X with differential privacy.

    Parameters
    ----------
    epsilon, delta : the budget. Method "none" takes None, and is not private.
    method : "dpgd", "dpsgd", "output" or "none".
    bounds : public (lower, upper). Each is one number, a list with one number for each feature, or
        a Series or dict by column name. A dict {name: (lower, upper)} works too. Values outside are
        clipped.
    data_norm : a public bound on the norm of a row, instead of bounds. Longer rows are scaled down.
    norm : the norm that encoded rows are clipped to.
    classes : the public list of classes.
    bad_rows : what ``fit`` does with a row that has a number that is not finite or a label that is
        not in ``classes``. "refuse" raises. "ignore" counts the row as a record that adds nothing,
        and no warning or attribute mentions it. Predictions always refuse such rows.
    rows_per_person, options, ledger, budget, insecure_seed : as for :class:`FairPostProcessor`;
        options are those of :func:`dp2dp.core.train`.

    Attributes: ``model_`` (:class:`dp2dp.Model`), ``schema_``, ``classes_``.

    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(2000, random_state=0)
    >>> private = PrivateLogisticRegression(epsilon=1, delta=1e-5, bounds=(-4, 4), classes=[0, 1])
    >>> private.fit(X, y).model_.epsilon <= 1
    True
    """

    method: str
    bounds: Bounds | None
    data_norm: float | None
    norm: float
    bad_rows: str
    options: dict[str, Any] | None
    schema_: core.Schema

    def __init__(
        self,
        *,
        epsilon: float | None,
        delta: float | None = None,
        method: str = "dpgd",
        bounds: Bounds | None = None,
        data_norm: float | None = None,
        norm: float = 3.0,
        classes: npt.ArrayLike | None = None,
        bad_rows: str = "refuse",
        rows_per_person: int = 1,
        options: dict[str, Any] | None = None,
        ledger: Path | None = None,
        budget: tuple[float, float] | None = None,
        insecure_seed: int | None = None,
    ) -> None:
        self._keep(locals())

    def fit(self, X: Features, y: npt.ArrayLike, **refused: Any) -> Self:
        """Trains on labelled rows. ``sample_weight`` is refused: the noise is made for people who
        count once."""
        refuse_weights(refused)
        self._fit_quietly(X, y)
        self._finish(self.model_)
        return self

    def _fit_quietly(self, X: Features, y: npt.ArrayLike) -> None:
        """As fit, without the library's warnings."""
        ignore = check_bad_rows(self.bad_rows)
        with cells_unseen(ignore):
            X = validate_data(
                self, X, reset=True, dtype=[np.float64, np.float32], ensure_all_finite=not ignore
            )
        labels = check_y(self, X, y, self.classes if ignore else None, ignore=ignore)
        self._train(X, labels, getattr(self, "feature_names_in_", None))

    def _train(
        self,
        X: Floats,
        y: Labels,
        names: npt.ArrayLike | None,
        group_column: Column | None = None,
        groups: npt.NDArray[np.int32] | None = None,
    ) -> Self:
        """Trains on rows that have been checked, or whose bad rows are ignored. The schema gets the
        column of groups, if any. If ``groups`` (codes of the levels of that column) is given, the
        classifier predicts the pair of group and label."""
        self.classes_, reasons = public_list(self.classes, y, "classes")
        if len(self.classes_) < 2:
            raise DataError(f"at least 2 classes are needed, not {len(self.classes_)} class")
        ignore = check_bad_rows(self.bad_rows)
        codes = codes_of(y, self.classes_, "classes", unknown="ignore" if ignore else None)
        levels = names_of(self.classes_, "classes")
        self._names = column_names(names, X.shape[1])
        texts = levels
        if ignore:  # a bad row gets a label that no schema can have
            bad = (codes < 0) | ~np.isfinite(X).all(axis=1)
            codes[bad if groups is None else bad | (groups < 0)] = len(levels)
            texts = [*levels, "(unknown)"]
        features, from_data = feature_columns(
            X[codes < len(levels)] if ignore else X,
            self._names,
            self.bounds,
            self.data_norm,
            self.norm,
            named=names is not None,
        )
        from_data = from_data or bool(reasons)
        self.schema_ = schema_of(features, levels, group_column, self.norm, from_data)
        columns: list[tuple[npt.NDArray[np.int32], list[str]]] = [(codes, texts)]
        if groups is not None and group_column is not None:
            columns.append((np.maximum(groups, 0), group_column["levels"]))
        width = X.shape[1]
        named = self.schema_.columns[width : width + len(columns)]
        self.model_ = core.train_quietly(
            self.schema_,
            core.Rows(X, [*self._names, *named], columns),
            method=self.method,
            bad_rows=self.bad_rows,
            target="label" if groups is None else "group-label",
            **self._spending(),
            **(self.options or {}),
        )
        return self

    def _scored(self, X: Floats) -> core.Scores:
        return core.score(self.model_, core.Rows(X, self._names))

    def _scores(self, X: Floats) -> Float32s:
        return self._scored(X).scores

    def predict_proba(self, X: Features) -> Float64s:
        """Returns the classifier's probabilities."""
        check_is_fitted(self, "model_")
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        p = self._scores(X).astype(np.float64)
        p /= p.sum(axis=1, keepdims=True)
        return p

    def decision_function(self, X: Features) -> Float64s:
        """Returns the probabilities. For two classes, returns the second probability minus the
        first."""
        p = self.predict_proba(X)
        return p[:, 1] - p[:, 0] if len(self.classes_) == 2 else p

    def predict(self, X: Features) -> Labels:
        """Returns the most probable class of each row."""
        best = self.predict_proba(X).argmax(axis=1)  # raises if the estimator is not fitted
        decisions: Labels = self.classes_[best]
        return decisions
