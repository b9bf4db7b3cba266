"""FairPostProcessor."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn import get_config
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import _check_sample_weight

from . import core
from ._base_estimator import (
    cannot_be_fitted,
    check_fitted,
    check_has_probabilities,
    check_stated_cost,
    dropping_noted,
    fit_quietly,
    input_tags,
    probabilities,
    unfrozen,
)
from ._core import BudgetError, OptionError
from ._criterion import is_labelled
from ._fair_rule import FairRule
from ._index import check_beside, check_index
from ._logistic import PrivateLogisticRegression
from ._model import check_bad_rows
from ._outside import outside_untold
from ._search import events_of
from ._typing import Features, Float64s, Floats, Labels, Path
from ._validation import (
    check_y,
    class_list,
    codes_of,
    names_of,
    public_list,
    refuse_people,
    refuse_weights,
    rows_of,
    two_sets,
    warn_of_leak,
)
from ._warn import warn
from .accounting import Accountant, Event, Ledger


class FairPostProcessor(MetaEstimatorMixin, FairRule):
    """Makes the decisions of any classifier with ``predict_proba`` fair, with privacy for the
    people the rule is learned from.

    Parameters
    ----------
    estimator
        Classifier, any object with ``predict_proba`` and ``classes_``. It is cloned and fitted on
        one part of the rows; the rule is learned on the rest, a share of ``pool_fraction``. With
        ``prefit=True`` the estimator must be fitted already, and the rule is learned on all rows. A
        FrozenEstimator and an object without ``fit`` count as prefit. X reaches the estimator
        unchanged, except for a dropped sensitive column; it may be a list of texts.
    epsilon, delta
        The budget of the rule. Solver "exact" takes None, and its model is not private. The
        guarantee does not cover what the classifier reveals about its own training rows, so a model
        whose classifier was fitted here without privacy is marked as not private. If the classifier
        is private, state its budget as ``scores_epsilon`` and ``scores_delta``. The budget of a
        :class:`PrivateLogisticRegression` is known.
    constraints
        What becomes equal between groups (docs/criteria.md): "demographic_parity",
        "true_positive_rate_parity" or "equal_opportunity", "false_positive_rate_parity" or
        "predictive_equality", "equalized_odds", or "custom" with ``statistics`` among the options.
        All but the first need y in ``fit``, even with ``prefit``.
    positive
        The class that the two rate parities are about; by default the second of two classes, or
        every class if there are more. A warning (``positive-by-default``) names a class that was
        taken by default, unless it is a number or says yes.
    rho
        Tolerance. The fit aims at groups whose rates differ by at most rho.
    group_estimator
        Any classifier with ``predict_proba``, for a rule that does not see the group. It is fitted
        on the same rows as ``estimator``. With ``prefit=True`` it must be fitted already.
        Predictions then need no ``sensitive_features``. If ``estimator`` is a fitted
        :class:`PrivateLogisticRegression`, ``group_estimator`` may be a :class:`dp2dp.Model` that
        ``dp2dp.train`` made from the same schema with ``target="group"``: ``model_`` then holds
        both classifiers.
    group_target
        What ``group_estimator`` predicts. "group-label": the pair of group and class, as the number
        g * K + y, where g and y are their positions in the public lists, from 0, and K is the
        number of classes. "group": the group, which is right only if group and label are
        independent given the features.
    solver
        "counts", "sgd", "sgd-as-published" or "exact".
    prefit, pool_fraction
        See ``estimator``. With ``prefit`` there is no split, and ``pool_fraction`` is refused.
    scores_from_pool
        True says that a prefit classifier was trained, without privacy, on the rows given to
        ``fit``. The model is then not private.
    same_people
        True says that a prefit private classifier was trained on some of the people given to
        ``fit``, so that the costs add up. False says that none of them was in its training. None
        says the same, but warns if there are as many rows as a :class:`PrivateLogisticRegression`
        was trained on.
    scores_epsilon, scores_delta
        The cost of a private classifier from elsewhere or, with a ``group_estimator``, of both
        together. None means that the cost is not stated, and the model says so. 0 is only for a
        classifier that is not fitted here. A cost of a classifier of scikit-learn, xgboost,
        lightgbm or catboost that is fitted here is refused: its training adds no noise.
    sensitive_column
        Index or name of the column of X that holds the group, instead of ``sensitive_features``. A
        list names several columns.
    sensitive_cuts
        The public points that cut a numeric sensitive column into groups.
    drop_sensitive
        False shows the sensitive column to the classifier too.
    classes, groups
        The public lists of classes and of groups. The group of several columns, of X or of
        ``sensitive_features``, is their values joined by a comma, such as "f,black"; a comma in a
        value becomes "\\,". ``groups`` may hold tuples, such as ("f", "black").
    unknown_group
        What predictions do with rows whose group is missing or not listed. "refuse" raises; "base"
        gives them the argmax of their scores.
    bad_rows
        What the fit of the rule does with a row whose group is missing or not listed, or whose
        scores are not probabilities. "refuse" raises. "ignore" counts the row as a record that adds
        nothing, and no warning or attribute mentions it. Bad labels, and rows that the estimator
        itself refuses, always raise.
    rows_per_person
        The largest number of rows of one person. Above 1, a person may be on both sides of the
        split, so an estimator that is fitted here must be private (see ``scores_epsilon``).
    options
        Further options of :func:`dp2dp.core.fit`, as a dict. ``{"normalize": True}`` is for
        probabilities that do not sum to 1, such as rounded ones or percentages.
    ledger
        A :class:`dp2dp.Ledger`, or the path of one, to charge besides the model's own ledger. The
        charges count for everybody. A classifier that is fitted here without privacy marks the
        ledger as exposed.
    budget
        The total budget (epsilon, delta) of the ledger, stored with the first charge.
    insecure_seed
        Makes the noise and the split repeatable. The model is then NOT private.

    Attributes
    ----------
    model_
        The :class:`dp2dp.Model`: the rule, its guarantee, its warnings.
    estimator_, group_estimator_
        The fitted classifiers; the second only if there is a ``group_estimator``.
    classes_, groups_
        The lists of classes and groups.

    Examples
    --------
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

    group_estimator: Any
    group_target: str
    prefit: bool
    scores_from_pool: bool
    same_people: bool | None
    scores_epsilon: float | None
    scores_delta: float | None
    options: dict[str, Any] | None
    _takes_text = True

    def __init__(
        self,
        estimator: Any,
        *,
        epsilon: float | None,
        delta: float | None = None,
        constraints: str = "demographic_parity",
        positive: Any = None,
        rho: float = 0.0,
        solver: str = "counts",
        group_estimator: Any = None,
        group_target: str = "group-label",
        prefit: bool = False,
        pool_fraction: float = 0.3,
        scores_from_pool: bool = False,
        same_people: bool | None = None,
        scores_epsilon: float | None = None,
        scores_delta: float | None = None,
        sensitive_column: int | str | list[int | str] | None = None,
        sensitive_cuts: npt.ArrayLike | None = None,
        drop_sensitive: bool = True,
        classes: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
        unknown_group: str = "refuse",
        bad_rows: str = "refuse",
        rows_per_person: int = 1,
        options: dict[str, Any] | None = None,
        ledger: Path | Ledger | None = None,
        budget: tuple[float, float] | None = None,
        insecure_seed: int | None = None,
    ) -> None:
        self._keep(locals())

    def fit(
        self,
        X: Features,
        y: npt.ArrayLike | None = None,
        *,
        sensitive_features: Any = None,
        **fit_params: Any,
    ) -> Self:
        """Fits the classifier and learns the rule from ``X``, ``y`` and ``sensitive_features``, the
        group of each row. With ``prefit`` it only learns the rule, which needs no y for demographic
        parity. ``fit_params`` may hold ``sample_weight``, which only the fit of the classifier
        uses: the rule counts every person once. A :class:`PrivateLogisticRegression` refuses it.

        Privacy: charges (``epsilon``, ``delta``) for the pool, and nothing for a classifier that is
        fitted here without privacy: ``model_.not_covered`` names its people."""
        with self._all_or_nothing():
            behind = self._learn(X, y, sensitive_features, fit_params)
        self._finish(*behind, self.model_)
        self._tell_positive()
        self._say_as_many(behind)
        return self

    def _learn(
        self,
        X: Features,
        y: npt.ArrayLike | None,
        sensitive_features: Any,
        fit_params: dict[str, Any],
    ) -> list[core.Model]:
        """Does what fit does, without the library's warnings. Returns the dp2dp models that give
        the scores."""
        self._check_estimators()
        weight = fit_params.get("sample_weight")
        check_beside(X, y=y, sensitive_features=sensitive_features, sample_weight=weight)
        check_index(X, "X", weight, "sample_weight")
        sample_weight = self._sample_weight(X, fit_params)
        X = self._check_X(X, reset=True)
        ignore = check_bad_rows(self.bad_rows)
        pool, values = self._take_groups(X, sensitive_features, reset=True)
        codes, reasons = self._fit_groups(values)
        self._rows = len(codes)
        prefit = self._is_prefit()
        same_people = bool(self.same_people) or (not prefit and self.rows_per_person > 1)
        if self.scores_from_pool:
            reasons.add("scores-from-pool")
        labels: npt.NDArray[np.int32] | None = None
        if prefit:
            self._refuse_unused(
                "pool_fraction", "the estimator is fitted already, so the rule learns from all rows"
            )
            self._take_estimators()
            self._check_pairs()
            self._check_same_people()
            if self._check_constraints(self.classes_):
                given = check_y(self, X, y, self.classes, ignore=ignore)
                unknown = "ignore" if ignore else None
                labels = codes_of(given, self.classes_, "classes", unknown=unknown)
        else:
            refuse_people(self._further())
            parts = [self.estimator, *([self.group_estimator] if self._is_unaware() else [])]
            check_stated_cost(self.scores_epsilon, parts)
            given = check_y(self, X, y, self.classes)
            self.classes_, more = public_list(self.classes, given, "classes")
            labelled = self._check_constraints(self.classes_)
            train, rest = two_sets(len(given), self.pool_fraction, self.insecure_seed)
            reasons |= more | self._charge_estimators(same_people)
            labels = codes_of(given, self.classes_, "classes")
            inner = _safe_indexing(pool, train)
            chosen = None if sample_weight is None else sample_weight[train]
            with self._dropping_noted():
                fit_quietly(self.estimator_, inner, given[train], chosen)
                self._fit_group_estimator(inner, codes[train], labels[train])
            pool, codes = _safe_indexing(pool, rest), codes[rest]
            labels = labels[rest] if labelled else None
        with outside_untold(ignore or not prefit):  # the fit of the estimator warned already
            scores, weights = self._scores_and_weights(pool)
        behind, costs = self._behind(reasons)
        with nullcontext() if prefit else rows_of(rest):
            self.model_ = core.fit_quietly(
                scores,
                codes,
                labels=labels,
                weights=weights,
                class_names=names_of(self.classes_, "classes"),
                not_private_because=sorted(reasons),
                same_people=same_people,
                **costs,
                **self._rule_options(),
            )
        return behind

    @classmethod
    def load(cls, path: Path, estimator: Any, **params: Any) -> Self:
        """Returns a fitted estimator with the rule of the model file at ``path`` and ``estimator``,
        a fitted classifier, which the file does not hold. ``params`` are parameters of the
        estimator, such as ``sensitive_column``, ``sensitive_cuts``, or ``group_estimator`` for a
        rule that does not see the group. The file stores groups as texts. If all can be read as
        numbers, or all as booleans, they are converted, unless ``groups`` is given."""
        new, model = cls._loaded(path, estimator=estimator, prefit=True, **params)
        new._check_estimators()
        new._take_estimators()
        names = names_of(new.classes_, "classes")
        if sorted(names) != sorted(model.classes):
            raise OptionError(
                f"the classes of the model are {model.classes}, not {new.classes_.tolist()}"
            )
        new.classes_ = new.classes_[[names.index(name) for name in model.classes]]
        new._refuse_other_classifier(model)
        if new._is_unaware() != (model.rule == "weighted"):
            raise OptionError(
                "group_estimator must be given if, and only if, the rule does not see the group"
            )
        new._load_rule(model)
        new._check_pairs()
        new.options = dict(new.options or {})
        if model.criterion == "custom":
            new.options["statistics"] = model.statistics
        return new

    def _is_unaware(self) -> bool:
        return self.group_estimator is not None

    def _further(self) -> dict[str, Any]:
        return self._options("options")

    def _is_prefit(self) -> bool:
        """Returns whether the estimators are used without fitting them."""
        return bool(self.prefit) or cannot_be_fitted(self.estimator)

    def _sample_weight(self, X: Features, given: dict[str, Any]) -> Float64s | None:
        """Returns the weights for the fit of the classifier, or None."""
        if given and get_config()["enable_metadata_routing"]:
            given = process_routing(self, "fit", **given).estimator.fit
        weight = given.get("sample_weight")
        if weight is None or isinstance(unfrozen(self.estimator), PrivateLogisticRegression):
            refuse_weights(given)
            return None
        if self._is_prefit():
            raise OptionError("sample_weight has no use: the estimator is fitted already")
        refuse_weights({name: value for name, value in given.items() if name != "sample_weight"})
        weights: Float64s = _check_sample_weight(weight, X, dtype=np.float64)
        return weights

    def get_metadata_routing(self) -> MetadataRouter:
        """Says that ``fit`` passes ``sample_weight`` to the estimator, for metadata routing."""
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        return router.add(estimator=self.estimator, method_mapping=to_fit)

    def _group_model(self) -> core.Model | None:
        """Returns the group estimator if it is a dp2dp.Model, which becomes a part of model_."""
        return self.group_estimator if isinstance(self.group_estimator, core.Model) else None

    def _target(self) -> str:
        """Returns what the group estimator predicts."""
        return self.group_target if self._group_model() is None else "group"

    def _check_estimators(self) -> None:
        check_has_probabilities(self.estimator, "estimator")
        if (model := self._group_model()) is not None:
            classifier = model.info["classifier"]
            if classifier is None or classifier["target"] != "group":
                raise OptionError(
                    "group_estimator is a model of another kind: make it with "
                    "dp2dp.train(schema, rows, target='group', ...)"
                )
            if not isinstance(unfrozen(self.estimator), PrivateLogisticRegression):
                raise OptionError(
                    "a group_estimator that is a dp2dp.Model needs a fitted "
                    "PrivateLogisticRegression with the same schema as estimator, and prefit=True"
                )
        elif self._is_unaware():
            check_has_probabilities(self.group_estimator, "group_estimator")
        fixed = self._is_unaware() and cannot_be_fitted(self.group_estimator)
        if fixed and not self._is_prefit():
            raise OptionError(
                "group_estimator is fitted already: fit the estimator too, and pass prefit=True"
            )
        if self.group_target not in ("group-label", "group"):
            raise OptionError(
                f"group_target must be 'group-label' or 'group', not {self.group_target!r}"
            )
        if self._is_unaware() and not self._is_prefit() and check_bad_rows(self.bad_rows):
            raise OptionError(
                "with a group_estimator, bad_rows='ignore' needs prefit=True: a group_estimator"
                " cannot learn from rows without a group"
            )

    def _parts(self) -> list[Any]:
        """Returns the fitted estimators that give scores and weights."""
        parts = [self.estimator_, *([self.group_estimator_] if self._is_unaware() else [])]
        return [unfrozen(part) for part in parts]

    def _are_ours(self) -> bool:
        """Returns whether the costs of all estimators are known from their own models."""
        kinds = (PrivateLogisticRegression, core.Model)
        return self.scores_epsilon is None and all(isinstance(p, kinds) for p in self._parts())

    def _behind(self, reasons: set[str]) -> tuple[list[core.Model], dict[str, Any]]:
        """Returns our own models that give the scores, and the options of core.fit that state their
        costs."""
        if not self._are_ours():
            declared = {"scores_epsilon": self.scores_epsilon, "scores_delta": self.scores_delta}
            return [], declared
        models = [getattr(part, "model_", part) for part in self._parts()]
        if len(models) == 1:
            return models, {"base": models[0]}
        if self._group_model() is not None:
            return models, {"base": models[0], "group_base": models[1]}
        if any(not model.private or model.delta is None for model in models):
            reasons.add("classifier-not-private")
            return models, {}
        accountant, delta = Accountant(), sum(model.delta for model in models)
        for event in (event for model in models for event in events_of(model)):
            accountant.add(event)
        return models, {"scores_epsilon": accountant.epsilon(delta), "scores_delta": delta}

    def _check_same_people(self) -> None:
        """Refuses ``same_people`` if the cost of the classifier is not known."""
        if self.same_people and self.scores_epsilon is None and not self._are_ours():
            raise OptionError(
                "same_people needs scores_epsilon and scores_delta, the cost of the classifier for "
                "these people. If it was trained without privacy, give scores_from_pool=True"
            )

    def _say_as_many(self, behind: list[core.Model]) -> None:
        """Warns that our own prefit classifier may have been trained on the people of the pool."""
        trained = {model.info["classifier"]["records"] for model in behind}
        stated = self.same_people is not None or self.scores_from_pool
        if self._is_prefit() and not stated and self._rows in trained:
            warn(
                "as-many-people: there are as many rows as the classifier was trained on. If these "
                "are the same people, the costs add up: pass same_people=True. If they are other "
                "people, pass same_people=False, and this warning goes away"
            )

    def _charge_estimators(self, same_people: bool) -> set[str]:
        """Clones the estimators, and charges their cost to everybody, since the ledger does not
        know who is in which part. Returns the reasons why the model is not private."""
        self.estimator_ = clone(self.estimator, safe=False)
        if self._is_unaware():
            self.group_estimator_ = clone(self.group_estimator, safe=False)
        declared = self.scores_epsilon is not None
        if self._are_ours():
            for part in self._parts():
                if part.rows_per_person != self.rows_per_person:
                    raise OptionError(
                        f"rows_per_person is {self.rows_per_person} here and "
                        f"{part.rows_per_person} in an estimator; both must be equal"
                    )
                if part.ledger is None:
                    part.set_params(ledger=self.ledger, budget=self.budget)
            return set()
        if same_people:  # the fit of the rule then charges the estimators too
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
                self._charge(ledger, event)
        return set() if declared else {"classifier-not-private"}

    def _charge(self, ledger: Ledger, event: Event) -> None:
        try:
            ledger.charge(event)
        except BudgetError as error:
            if event.mechanism != "exposed":
                raise
            raise BudgetError(
                f"{error}. The {type(self.estimator_).__name__} is fitted here without privacy, "
                "which no budget allows: use a PrivateLogisticRegression, state the cost of "
                "another private classifier as scores_epsilon, or fit the classifier on other "
                "people and pass prefit=True"
            ) from None

    def _strata(self) -> Labels:
        """Returns the classes of the group estimator, in the order of the weights."""
        if self._target() == "group":
            return self.groups_
        return np.arange(len(self.groups_) * len(self.classes_))

    def _fit_group_estimator(
        self, X: Features, groups: npt.NDArray[np.int32], labels: npt.NDArray[np.int32]
    ) -> None:
        if not self._is_unaware():
            return
        of_pairs = self.group_target == "group-label"
        at = groups * len(self.classes_) + labels if of_pairs else groups
        ours = isinstance(self.group_estimator_, PrivateLogisticRegression)
        if ours and self.group_estimator_.classes is None:  # the lists are public
            self.group_estimator_.set_params(classes=self._strata())
        fit_quietly(self.group_estimator_, X, self._strata()[at])

    def _take_estimators(self) -> None:
        """Takes estimators that are fitted already, and their classes."""
        check_fitted(self.estimator, "estimator")
        self.estimator_ = self.estimator
        known = self.estimator_.classes_ if self.classes is None else self.classes
        self.classes_ = class_list(known)
        if self._is_unaware():
            if self._group_model() is None:
                check_fitted(self.group_estimator, "group_estimator")
                pairs = "a fitted group_estimator of pairs of group and class"
                self._refuse_unsorted(
                    self.classes_, pairs if self.group_target == "group-label" else None
                )
            self.group_estimator_ = self.group_estimator

    def _refuse_other_classifier(self, model: core.Model) -> None:
        """Refuses an estimator that is not the classifier inside the file."""
        inside = model.info["classifier"]
        own = getattr(unfrozen(self.estimator_), "model_", None)
        known = own.info["classifier"] if isinstance(own, core.Model) else None
        if inside is not None and (known is None or known["weights"] != inside["weights"]):
            raise OptionError(
                "the file has its own classifier, and the rule was made for that one, not for "
                f"this {type(self.estimator_).__name__}: use DP2DPClassifier.load"
            )

    def _check_pairs(self) -> None:
        """Refuses a fitted group_estimator of pairs that gives no weight to one of the groups. Such
        an estimator usually predicts the group alone."""
        if not self._is_unaware() or self._target() == "group":
            return
        own = np.asarray(self.group_estimator_.classes_)
        at = codes_of(own, self._strata(), "classes of the group_estimator", unknown="ignore")
        known = len({*(at // len(self.classes_)).tolist()}) == len(self.groups_)
        if not known or at.min() < 0:
            wrong = "leave out a group" if at.min() >= 0 else "are not such numbers"
            raise OptionError(
                f"group_estimator has the classes {own.tolist()}, which as pairs of group and class"
                f" (0 to {len(self._strata()) - 1}: g * {len(self.classes_)} + y) {wrong}. If it "
                "predicts the group, pass group_target='group', and classes that are the groups of "
                "the list"
            )

    def _dropping_noted(self) -> AbstractContextManager[None]:
        """Notes in errors of a classifier that it does not see the sensitive column."""
        drops = self.sensitive_column is not None and self.drop_sensitive
        names = map(str, self._group_names_in_X())
        return dropping_noted(names, self._is_unaware()) if drops else nullcontext()

    def _scores_and_weights(self, X: Features) -> tuple[Floats, Floats | None]:
        if (model := self._group_model()) is not None:
            found = unfrozen(self.estimator_)._scored_by(X, model)
            return found.scores, found.group_weights
        with self._dropping_noted():
            p = probabilities(self.estimator_, X, self.classes_, "classes of the estimator")
            if not self._is_unaware():
                return p, None
            name = "classes of the group_estimator"
            weights = probabilities(self.group_estimator_, X, self._strata(), name)
        if self.group_target == "group" or is_labelled(
            self.constraints, self._further().get("statistics")
        ):
            return p, weights
        pairs = weights.reshape(len(p), len(self.groups_), len(self.classes_))
        return p, pairs.sum(axis=2)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse, tags.input_tags.allow_nan = input_tags(self.estimator)
        return tags
