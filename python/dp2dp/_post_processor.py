"""FairPostProcessor."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.validation import check_is_fitted

from . import core
from ._core import OptionError
from ._fair_rule import FairRule
from ._logistic import PrivateLogisticRegression
from ._model import check_bad_rows
from ._typing import Features, Floats, Path
from ._validation import (
    check_y,
    codes_of,
    listed,
    names_of,
    public_list,
    refuse_people,
    two_sets,
    warn_of_leak,
)
from .accounting import Event


class FairPostProcessor(MetaEstimatorMixin, FairRule):
    """Makes the decisions of any classifier with ``predict_proba`` fair, with privacy for the
    people the rule is learned from.

    Parameters
    ----------
    estimator : classifier. It is cloned and fitted on one part of the rows; the rule is learned on
        the rest, ``pool_fraction`` of them. With ``prefit=True`` it is used as it is, on all rows.
    epsilon, delta : the budget of the rule. Solver "exact" takes None, and is not private. The
        guarantee does not cover what the classifier reveals about its own training rows: a model
        with a classifier that was fitted here without privacy is marked as not private. If the
        classifier is private, state its budget as ``scores_epsilon`` and ``scores_delta``; that of
        a :class:`PrivateLogisticRegression` is known.
    rho : tolerance. The fit aims at groups whose rates of each class differ by at most rho.
    solver : "counts", "sgd", "sgd-as-published" or "exact".
    prefit, pool_fraction : see ``estimator``. ``scores_from_pool=True`` says that a prefit
        classifier was trained, without privacy, on the rows given to ``fit``; ``same_people=True``
        that a private one was trained on some of these people, so that the costs add up.
    sensitive_column : index or name of the column of X that holds the group, instead of
        ``sensitive_features``; ``sensitive_cuts`` are the public points that cut a numeric column
        into groups. The classifier does not see the column unless ``drop_sensitive=False``.
    classes, groups : the public lists of classes and of groups.
    unknown_group : "refuse" rows of unknown groups in predictions, or "base": give them the plain
        argmax.
    bad_rows : "refuse" a row for the rule whose group is missing or not listed, or whose
        probabilities are none; or "ignore" it: it counts as a record, adds nothing, and no
        warning or attribute mentions it. Labels, and rows that the estimator itself refuses, are
        refused all the same.
    rows_per_person : the largest number of rows of one person. Above 1, a person may be on both
        sides of the split: an estimator that is fitted here must then be private, see
        ``scores_epsilon``.
    options : further options of :func:`dp2dp.core.fit`, as a dict.
    ledger : path of a ledger that is charged too, for everybody. A classifier that is fitted here
        without privacy marks it as exposed.
    budget : (epsilon, delta) of that ledger, stored with the first charge.
    insecure_seed : makes the noise and the split repeatable. The model is then NOT private.

    Attributes: ``model_`` (:class:`dp2dp.Model`), ``estimator_``, ``classes_``, ``groups_``.

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = make_classification(2000, random_state=0)
    >>> sex = (X[:, 0] > 0).astype(int)
    >>> fair = FairPostProcessor(
    ...     LogisticRegression(), epsilon=1, delta=1e-5, classes=[0, 1], groups=[0, 1]
    ... ).fit(X, y, sensitive_features=sex)
    >>> fair.predict(X, sensitive_features=sex).shape
    (2000,)
    >>> fair.model_.private, fair.model_.not_private_because
    (False, ['classifier-not-private'])
    >>> [str(people) for people in fair.model_.covers]
    ['the 600 records of the pool']
    """

    prefit: bool
    scores_from_pool: bool
    same_people: bool
    scores_epsilon: float | None
    scores_delta: float | None
    options: dict[str, Any] | None

    def __init__(
        self,
        estimator: Any,
        *,
        epsilon: float | None,
        delta: float | None = None,
        rho: float = 0.0,
        solver: str = "counts",
        prefit: bool = False,
        pool_fraction: float = 0.3,
        scores_from_pool: bool = False,
        same_people: bool = False,
        scores_epsilon: float | None = None,
        scores_delta: float | None = None,
        sensitive_column: int | str | None = None,
        sensitive_cuts: npt.ArrayLike | None = None,
        drop_sensitive: bool = True,
        classes: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
        unknown_group: str = "refuse",
        bad_rows: str = "refuse",
        rows_per_person: int = 1,
        options: dict[str, Any] | None = None,
        ledger: Path | None = None,
        budget: tuple[float, float] | None = None,
        insecure_seed: int | None = None,
    ) -> None:
        self._keep(locals())

    def fit(
        self, X: Features, y: npt.ArrayLike | None = None, *, sensitive_features: Any = None
    ) -> Self:
        """Learns the rule and the classifier. With ``prefit`` only the rule, which needs no y."""
        if not hasattr(self.estimator, "predict_proba"):
            raise TypeError(
                "estimator must be a classifier with predict_proba, which "
                f"{type(self.estimator).__name__} lacks"
            )
        X = self._check_X(X, reset=True)
        ignore = check_bad_rows(self.bad_rows)
        pool, values = self._take_groups(X, sensitive_features, ignore=ignore)
        codes, reasons = self._fit_groups(values)
        same_people = self.same_people or (not self.prefit and self.rows_per_person > 1)
        if self.scores_from_pool:
            reasons.add("scores-from-pool")
        if self.prefit:
            self._take_estimator()
            self._check_same_people()
        else:
            refuse_people(self.options)
            labels = check_y(self, X, y, self.classes)
            self.classes_, more = public_list(self.classes, labels, "classes")
            train, rest = two_sets(len(labels), self.pool_fraction, self.insecure_seed)
            reasons |= more | self._charge_estimator(same_people)
            self._fit_estimator(_safe_indexing(pool, train), labels[train])
            pool, codes = _safe_indexing(pool, rest), codes[rest]
        base = self._base()
        self.model_ = core.fit_quietly(
            self._probabilities(pool),
            codes,
            class_names=names_of(self.classes_, "classes"),
            not_private_because=sorted(reasons),
            base=base,
            scores_epsilon=self.scores_epsilon,
            scores_delta=self.scores_delta,
            same_people=same_people,
            **self._rule_options(),
            **(self.options or {}),
        )
        self._finish(*([self.model_] if base is None else [base, self.model_]))
        return self

    def _base(self) -> core.Model | None:
        """The model behind the scores, if it is one of ours; else None."""
        own = isinstance(self.estimator_, PrivateLogisticRegression)
        return self.estimator_.model_ if own and self.scores_epsilon is None else None

    def _check_same_people(self) -> None:
        """Refuses people who were used before at a cost that nobody stated."""
        own = isinstance(self.estimator_, PrivateLogisticRegression)
        if self.same_people and self.scores_epsilon is None and not own:
            raise OptionError(
                "same_people needs scores_epsilon and scores_delta: what the classifier cost these "
                "people. If it was trained without privacy, give scores_from_pool=True instead"
            )

    def _charge_estimator(self, same_people: bool) -> set[str]:
        """Clones the estimator, and charges its cost for everybody, since the rows are divided
        here. Returns the reasons why the model is not private."""
        self.estimator_ = clone(self.estimator)
        declared = self.scores_epsilon is not None
        if isinstance(self.estimator_, PrivateLogisticRegression) and not declared:
            if self.estimator_.ledger is None:
                self.estimator_.set_params(ledger=self.ledger, budget=self.budget)
            return set()
        if same_people:  # the fit of the rule then charges what is behind the scores
            if not declared:
                warn_of_leak(
                    "with rows_per_person above 1 a person may have rows for the estimator and for "
                    "the rule; the model is marked as not private. Fit the estimator on other "
                    "people and pass prefit=True"
                )
        elif (ledger := self._ledger()) is not None:
            event = Event("exposed", label="the classifier, fitted without noise")
            if self.scores_epsilon is not None:
                event = Event(
                    "declared",
                    epsilon=self.scores_epsilon,
                    delta=self.scores_delta or 0.0,
                    label="the classifier, as declared",
                )
            if declared or not ledger.exposed:
                ledger.charge(event)
        return set() if declared else {"classifier-not-private"}

    def _fit_estimator(self, X: Features, labels: Any) -> None:
        own = isinstance(self.estimator_, PrivateLogisticRegression)
        (self.estimator_._fit_quietly if own else self.estimator_.fit)(X, labels)

    def _take_estimator(self) -> None:
        """Uses the estimator as it is."""
        check_is_fitted(self.estimator)
        self.estimator_ = self.estimator
        known = self.estimator_.classes_ if self.classes is None else self.classes
        self.classes_ = listed(known, "classes")

    def _probabilities(self, X: Features) -> Floats:
        """A column for each of classes_: 0 for a class that the classifier has never seen."""
        p: Floats = np.asarray(self.estimator_.predict_proba(X))
        own = np.asarray(self.estimator_.classes_)
        if np.array_equal(own, self.classes_):
            return p
        at = codes_of(own, self.classes_, "classes of the estimator")
        full = np.zeros((len(p), len(self.classes_)), dtype=p.dtype)
        full[:, at] = p
        return full

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self.estimator).input_tags.sparse
        tags.input_tags.allow_nan = get_tags(self.estimator).input_tags.allow_nan
        return tags
