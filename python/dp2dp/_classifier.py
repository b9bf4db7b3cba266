"""DP2DPClassifier."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_array

from . import core
from ._bounds import column_names, free_name
from ._criterion import is_labelled
from ._fair_rule import FairRule
from ._logistic import PrivateLogisticRegression
from ._model import check_bad_rows
from ._typing import Bounds, Column, Features, Floats, Labels, Path
from ._validation import (
    cells_unseen,
    check_y,
    codes_of,
    distinct,
    listed,
    names_of,
    refuse_people,
    refuse_weights,
    two_sets,
)


class DP2DPClassifier(FairRule):
    """Trains a private classifier on one part of the rows, and learns a fair and private rule on
    the rest. Each phase has the whole budget, since no person is in both parts. With
    ``rows_per_person`` above 1 a person may be in both parts, and the costs add up.
    ``model_.epsilon`` covers both phases. A ``ledger`` does not know who is in which part, so it
    charges both phases to everybody.

    Parameters are those of :class:`PrivateLogisticRegression` and :class:`FairPostProcessor`.
    ``unaware=True`` makes a rule that does not see the group: one private classifier of the pair
    (group, label) gives both the scores and the weights, and predictions need no group.
    ``bad_rows`` is about rows with a number that is not finite, or with a bad label or group.
    ``train_options`` and ``fit_options`` are dicts with further options of the two phases.

    Attributes: ``model_`` (:class:`dp2dp.Model`, classifier and rule), ``classifier_``,
    ``classes_``, ``groups_``.

    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(2000, random_state=0)
    >>> sex = (X[:, 0] > 0).astype(int)
    >>> both = DP2DPClassifier(
    ...     epsilon=1, delta=1e-5, bounds=(-4, 4), classes=[0, 1], groups=[0, 1]
    ... ).fit(X, y, sensitive_features=sex)
    >>> both.model_.epsilon <= 1
    True
    """

    method: str
    unaware: bool
    train_options: dict[str, Any] | None
    fit_options: dict[str, Any] | None

    def __init__(
        self,
        *,
        epsilon: float | None,
        delta: float | None = None,
        constraints: str = "demographic_parity",
        positive: Any = None,
        unaware: bool = False,
        rho: float = 0.0,
        method: str = "dpgd",
        solver: str = "counts",
        pool_fraction: float = 0.3,
        bounds: Bounds | None = None,
        data_norm: float | None = None,
        norm: float = 3.0,
        sensitive_column: int | str | list[int | str] | None = None,
        sensitive_cuts: npt.ArrayLike | None = None,
        drop_sensitive: bool = True,
        classes: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
        unknown_group: str = "refuse",
        bad_rows: str = "refuse",
        rows_per_person: int = 1,
        train_options: dict[str, Any] | None = None,
        fit_options: dict[str, Any] | None = None,
        ledger: Path | None = None,
        budget: tuple[float, float] | None = None,
        insecure_seed: int | None = None,
    ) -> None:
        self._keep(locals())

    def fit(
        self, X: Features, y: npt.ArrayLike, *, sensitive_features: Any = None, **refused: Any
    ) -> Self:
        """Trains the classifier on one part of the rows, and learns the rule on the rest.
        ``sample_weight`` is refused: the noise is made for people who count once."""
        refuse_weights(refused)
        refuse_people(self.train_options)
        refuse_people(self.fit_options)
        ignore = check_bad_rows(self.bad_rows)
        X = self._check_X(X, reset=True)
        labels = check_y(self, X, y, self.classes, ignore=ignore)
        inner, values = self._take_groups(X, sensitive_features)
        inner = self._numbers(inner, ignore=ignore)
        codes, reasons = self._fit_groups(values)
        known = distinct(labels, "classes") if self.classes is None else self.classes
        labelled = self._check_constraints(listed(known, "classes"))
        train, pool = two_sets(len(labels), self.pool_fraction, self.insecure_seed)
        shared = self.get_params(deep=False)
        names = PrivateLogisticRegression._get_param_names()
        self.classifier_ = PrivateLogisticRegression(
            **{name: shared[name] for name in names if name != "options"},
            options=self.train_options,
        )._train(
            inner[train],
            labels[train],
            *self._columns(X, sensitive_features),
            codes[train] if self.unaware else None,
        )
        self.classes_ = self.classifier_.classes_
        if ignore:
            codes[~np.isfinite(inner).all(axis=1)] = -1
            inner = np.where(codes[:, None] < 0, inner.dtype.type(0), inner)
        scores, weights = self._scores_and_weights(inner[pool])
        found = codes_of(
            labels[pool], self.classes_, "classes", unknown="ignore" if ignore else None
        )
        self.model_ = core.fit_quietly(
            scores,
            codes[pool],
            labels=found if labelled else None,
            weights=weights,
            not_private_because=sorted(reasons),
            group_column=self.classifier_.schema_.columns[-1],
            base=self.classifier_.model_,
            same_people=self.rows_per_person > 1,
            **self._rule_options(),
        )
        self._finish(self.classifier_.model_, self.model_)
        return self

    def _is_unaware(self) -> bool:
        return bool(self.unaware)

    def _further(self) -> dict[str, Any]:
        return self.fit_options or {}

    def _columns(self, X: Features, sensitive_features: Any) -> tuple[Labels | None, Column]:
        """Returns the names of the features, or None, and the schema's column of groups. These
        names let the command line read the user's table with the saved model."""
        names = getattr(self, "feature_names_in_", None)
        group = getattr(sensitive_features, "name", None) or "group"
        if self.sensitive_column is not None and names is not None:
            at = self._column_positions(X)
            group = ",".join(str(name) for name in names[at])
            names = np.delete(names, at) if self.drop_sensitive else names
        name = free_name(str(group), column_names(names, X.shape[1]))
        column = {"name": name, "role": "sensitive"}
        if self.sensitive_cuts is not None and not self.unaware:
            return names, {**column, "kind": "numeric", "cuts": self._cuts().tolist()}
        levels = names_of(self.groups_, "groups")
        return names, {**column, "kind": "categorical", "levels": levels}

    def _numbers(self, X: Features, *, ignore: bool = False) -> Features:
        with cells_unseen(ignore):
            return check_array(
                X,
                dtype=[np.float64, np.float32],
                ensure_all_finite=not ignore,
                estimator=self,
                input_name="X",
            )

    def _scores_and_weights(self, X: Features) -> tuple[Floats, Floats | None]:
        found = self.classifier_._scored(self._numbers(X))
        if not self.unaware:
            return found.scores, None
        pairs = is_labelled(self.constraints, self._further().get("statistics"))
        return found.scores, found.stratum_weights if pairs else found.group_weights
