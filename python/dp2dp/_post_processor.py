"""FairPostProcessor."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn import get_config
from sklearn.base import MetaEstimatorMixin
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import _check_sample_weight

from . import core
from ._base_estimator import (
    cannot_be_fitted,
    check_fitted,
    check_has_probabilities,
    dropping_noted,
    fit_quietly,
    input_tags,
    is_fitted,
    probabilities,
    refuse_fair,
    say_threshold,
    unfrozen,
)
from ._core import OptionError
from ._criterion import is_labelled
from ._decisions import say_empty, say_unscored
from ._estimator_costs import RuleOfEstimators
from ._logistic import PrivateLogisticRegression
from ._model import check_bad_rows
from ._outside import outside_untold, say_empty_column
from ._told_by import (
    of_features,
    say_against_y,
    say_group_seen,
    say_groups_are_labels,
    say_groups_are_nearly,
)
from ._typing import Features, Float64s, Floats, Labels, Path
from ._validation import (
    Positions,
    check_y,
    class_list,
    codes_of,
    names_of,
    need_y,
    public_list,
    refuse_people,
    refuse_weights,
    rows_of,
    two_sets,
)
from ._warn import FairnessWarning, warn
from .accounting import Ledger


class FairPostProcessor(MetaEstimatorMixin, RuleOfEstimators):
    """Makes the decisions of any classifier with ``predict_proba`` fair. The people from whom the
    rule is learned get differential privacy.

    Parameters
    ----------
    estimator
        The classifier: any object with ``predict_proba`` and ``classes_``. The estimator is cloned
        and fitted on one part of the rows. The rule is learned on the other rows, whose share is
        ``pool_fraction``. With ``prefit=True`` the estimator must be fitted already, and the rule
        is learned on all rows. A FrozenEstimator and an object without ``fit`` count as prefit. The
        estimator gets X unchanged, except for a dropped sensitive column. X may be a list of texts.
        Only probabilities are used: a threshold of the estimator, such as that of
        TunedThresholdClassifierCV, has no effect, and ``fit`` warns (``threshold-ignored``).
    epsilon, delta
        The budget of the rule. With the solver "exact", pass None; the model is then not private.
        The guarantee does not cover what the classifier reveals about its own training rows, so a
        model whose classifier was fitted here without privacy is marked as not private. If the
        classifier is private, state its budget as ``scores_epsilon`` and ``scores_delta``. The
        budget of a :class:`PrivateLogisticRegression` is known and need not be stated.
    constraints
        What becomes equal between groups (docs/criteria.md): "demographic_parity",
        "true_positive_rate_parity" or "equal_opportunity", "false_positive_rate_parity" or
        "predictive_equality", "equalized_odds", or "custom" with ``statistics`` among the options.
        All but "demographic_parity" need y in ``fit``, even with ``prefit``.
    positive
        The class whose rate is compared, if ``constraints`` compares true or false positive rates.
        By default, this is the second of two classes; if there are more, every class is compared.
        If the second class is neither a word for yes nor the larger number, ``fit`` warns
        (``positive-by-default``).
    rho
        The tolerance: the fit aims at a rule under which the rates of groups differ by at most rho.
    group_estimator
        Any classifier with ``predict_proba``. The rule then does not see the group, and predictions
        need no ``sensitive_features``. This classifier is fitted on the same rows as ``estimator``.
        With ``prefit=True`` it must be fitted already. If ``estimator`` is a fitted
        :class:`PrivateLogisticRegression`, ``group_estimator`` may be a :class:`dp2dp.Model` that
        ``dp2dp.train`` made from the same schema with ``target="group"``: ``model_`` then holds
        both classifiers.
    group_target
        What ``group_estimator`` predicts. "group-label" is the pair of group and class, as the
        number g * K + y. Here g and y are the positions of group and class in the public lists,
        counted from 0, and K is the number of classes. "group" is the group alone, which is right
        only if group and label are independent given the features.
    solver
        "counts", "sgd", "sgd-as-published" or "exact".
    prefit, pool_fraction
        See ``estimator``. With ``prefit`` there is no split, and ``pool_fraction`` is refused.
    scores_from_pool
        True says that a prefit classifier was trained, without privacy, on the rows given to
        ``fit``. The model is then not private.
    same_people
        True says that a prefit private classifier was trained on some of the people given to
        ``fit``, so that the costs add up. False says that none of these people was in its training.
        None says the same as False, but warns if there are as many rows as a
        :class:`PrivateLogisticRegression` was trained on. Rows of an array or frame that were also
        in the training give the warning ``rows-of-the-training``.
    scores_epsilon, scores_delta
        The cost of a private classifier that this package did not train. With a
        ``group_estimator``, the cost of both classifiers together. None means that the cost is not
        stated, and the model says so. 0 is allowed only if no classifier is fitted here. A cost
        above 0 is refused for a classifier of scikit-learn, xgboost, lightgbm or catboost, because
        its training adds no noise. A fitted one in a FrozenEstimator is taken.
    sensitive_column
        Position or name of the column of X that holds the group, in place of
        ``sensitive_features``. A list gives several columns.
    sensitive_cuts
        The public points that cut a numeric sensitive column into groups.
    drop_sensitive
        True (the default) drops the sensitive column from the classifier's X; False keeps it.
    classes, groups
        The public lists of classes and of groups. If the group has several columns, in X or in
        ``sensitive_features``, the name of a group is their values joined by a comma, such as
        "f,black"; a comma in a value becomes "\\,". ``groups`` may hold tuples, such as ("f",
        "black").
    unknown_group
        What predictions do with rows whose group is missing or not listed. "refuse" raises an
        error. "base" gives them the most probable class; the estimator's own ``predict`` may give
        another class.
    bad_rows
        What the fit of the rule does with a row whose group is missing or not listed, or whose
        scores are not probabilities. "refuse" raises an error. "ignore" keeps the row in the number
        of records, but uses none of its values, and no warning or attribute mentions the row. An
        estimator that is fitted here skips rows with a bad label. But if ``scores_epsilon`` is
        given, the estimator gets these rows with the first class as their label, because the stated
        cost holds for a fixed number of rows. A :class:`PrivateLogisticRegression` ignores bad rows
        too. If any other estimator refuses a row, the error of that estimator is always raised.
    rows_per_person
        The largest number of rows of one person. Above 1, a person may be on both sides of the
        split, so an estimator that is fitted here must be private (see ``scores_epsilon``).
    options
        Further options of :func:`dp2dp.core.fit`, as a dict. ``{"normalize": True}`` is for
        probabilities that do not sum to 1, such as rounded ones or percentages.
    ledger
        A :class:`dp2dp.Ledger`, or the path of its file. This ledger is charged for everybody, in
        addition to the model's own ledger. A classifier that is fitted here without privacy marks
        the ledger as exposed.
    budget
        The total budget (epsilon, delta) of the ledger. The first charge writes it into the ledger.
    insecure_seed
        Makes the noise and the split repeatable. The model is then NOT private.

    Attributes
    ----------
    model_
        The :class:`dp2dp.Model`: the rule, its guarantee, its warnings.
    estimator_, group_estimator_
        The fitted classifiers. ``group_estimator_`` exists only if ``group_estimator`` was given.
    classes_, groups_
        The lists of classes and groups.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = make_classification(10000, random_state=0)
    >>> sex = (X[:, 0] > 0).astype(int)
    >>> fair = FairPostProcessor(
    ...     LogisticRegression(), epsilon=1, delta=1e-5, classes=[0, 1], groups=[0, 1]
    ... ).fit(X, y, sensitive_features=sex)
    >>> fair.predict(X, sensitive_features=sex).shape
    (10000,)
    >>> fair.model_.private, fair.model_.not_private_because
    (False, ['classifier-not-private'])
    >>> [str(people) for people in fair.model_.covers]
    ['the 3000 records of the pool']
    """

    group_target: str
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
        group of each row. With ``prefit``, only the rule is learned; ``y`` is then not needed for
        demographic parity. ``fit_params`` may hold ``sample_weight``, which only the fit of the
        classifier uses: the rule counts every person once. A :class:`PrivateLogisticRegression`
        refuses ``sample_weight``.

        Privacy: charges (``epsilon``, ``delta``) for the pool, the rows that the rule is learned
        from. Charges nothing for a classifier that is fitted here without privacy;
        ``model_.not_covered`` lists the people of its training."""
        with self._keeping():
            with self._all_or_nothing():
                behind = self._learn(X, y, sensitive_features, fit_params)
            self._finish(X, *behind, self.model_)
            self._tell_positive()
            self._say_as_many(behind, X)
        return self

    def _learn(
        self,
        X: Features,
        y: npt.ArrayLike | None,
        sensitive_features: Any,
        fit_params: dict[str, Any],
    ) -> list[core.Model]:
        """Does what fit does, without the library's warnings. Returns the models of the scores."""
        self._check_estimators()
        self._note_given(X, y, sensitive_features, fit_params.get("sample_weight"))
        sample_weight = self._sample_weight(X, fit_params)
        ignore, given = check_bad_rows(self.bad_rows), X
        X = self._check_X(X, reset=True, ignore=ignore)
        pool, values = self._take_groups(X, sensitive_features, reset=True, ignore=ignore)
        pool = self._as_given(pool, given)
        codes, reasons = self._fit_groups(values)
        self._rows = len(codes)
        if not ignore:
            say_groups_are_labels(values, y)
            if self._is_unaware():
                say_group_seen(of_features(pool), codes)
        prefit = self._is_prefit()
        if self.scores_from_pool:
            reasons.add("scores-from-pool")
        reasons |= self._learned_before()
        if prefit:
            labels = self._take_prefit(X, y, ignore)
        else:
            labels, rest, more = self._fit_estimators(X, y, pool, codes, sample_weight)
            reasons |= more
            pool, codes = _safe_indexing(pool, rest), codes[rest]
        with outside_untold(ignore or not prefit):  # the fit of the estimator warned already
            scores, pairs = self._scores_and_pairs(pool, ignore=ignore)
        weights = None if pairs is None else self._weights_of(pairs)
        if not ignore:
            say_threshold(self.estimator_, pool, scores, self.classes_)
        if prefit:
            say_unscored(self.estimator_.classes_, self.classes_)
            self._say_columns(pool, y)
            if labels is None and not ignore:  # with labels, the fit of the rule checks the scores
                say_against_y(scores, pairs, codes, y, self.classes_, len(self.groups_))
        elif not ignore:
            say_groups_are_nearly(self.groups_[codes], self.classes_[scores.argmax(axis=1)])
        behind, costs = self._behind(reasons)
        with nullcontext() if prefit else rows_of(rest):
            self.model_ = core.fit_quietly(
                scores,
                codes,
                labels=labels,
                weights=weights,
                class_names=names_of(self.classes_, "classes"),
                not_private_because=sorted(reasons),
                same_people=self._are_same_people(),
                **costs,
                **self._rule_options(),
            )
        return behind

    def _as_given(self, inner: Features, given: Features) -> Features:
        """If X was ``given`` as a list, returns an array, because most estimators need one."""
        kind = getattr(getattr(inner, "dtype", None), "kind", "")
        objects = isinstance(given, (list, tuple)) and kind == "O"
        ours = isinstance(unfrozen(self.estimator), PrivateLogisticRegression)
        return np.array(inner.tolist()) if objects and not ours else inner

    def _are_same_people(self) -> bool:
        """Returns whether people of the rule may also be in the training of the classifier."""
        return bool(self.same_people) or (not self._is_prefit() and self.rows_per_person > 1)

    def _take_prefit(
        self, X: Features, y: npt.ArrayLike | None, ignore: bool
    ) -> npt.NDArray[np.int32] | None:
        """Uses estimators that are fitted already. Returns the labels for the fit of the rule, or
        None if the criterion needs no labels."""
        self._refuse_unused(
            "pool_fraction", "the estimator is fitted already, so the rule learns from all rows"
        )
        if unfrozen(self.group_estimator) is unfrozen(self.estimator):
            raise OptionError(
                "group_estimator is the estimator itself, which predicts the class: pass a "
                "classifier that predicts either the group alone or both group and class"
            )
        self._take_estimators()
        self._check_pairs()
        self._check_stated()
        if not self._check_constraints(self.classes_):
            return None
        need_y(self, y, f"constraints={self.constraints!r} compares people with the same label")
        given = check_y(self, X, y, self.classes, ignore=ignore)
        return codes_of(given, self.classes_, "classes", unknown="ignore" if ignore else None)

    def _why_y(self) -> str:
        """Says why ``fit`` needs y and, if the estimator is fitted already, how to avoid that."""
        words = f"The {type(self.estimator).__name__} is fitted here"
        if is_fitted(self.estimator):
            words += ", although it was fitted before. To keep the earlier fit, pass prefit=True"
        return words

    def _fit_estimators(
        self,
        X: Features,
        y: npt.ArrayLike | None,
        inner: Features,
        groups: npt.NDArray[np.int32],
        sample_weight: Float64s | None,
    ) -> tuple[npt.NDArray[np.int32] | None, Positions, set[str]]:
        """Fits the estimators to one part of the rows. ``inner`` has the features that the
        estimators get. Returns the labels of the other rows (None if the rule needs no labels), the
        positions of the other rows, and the reasons why the model is not private."""
        refuse_people(self._further())
        parts = [self.estimator, *([self.group_estimator] if self._is_unaware() else [])]
        self._check_stated_before(parts)
        ignore = check_bad_rows(self.bad_rows)
        need_y(self, y, self._why_y())
        if is_fitted(self.estimator):
            warn(f"fitted-anew: {self._why_y()}", FairnessWarning)
        given = check_y(self, X, y, self.classes, ignore=ignore)
        self.classes_, reasons = public_list(self.classes, given, "classes")
        labelled = self._check_constraints(self.classes_)
        train, rest = two_sets(len(given), self.pool_fraction, self.insecure_seed)
        reasons |= self._charge_estimators(self._are_same_people())
        labels = codes_of(given, self.classes_, "classes", unknown="ignore" if ignore else None)
        if ignore and not isinstance(self.estimator_, PrivateLogisticRegression):
            if self.scores_epsilon is None:
                train = train[labels[train] >= 0]
            # A declared cost holds for a fixed number of rows, so rows with bad labels are kept and
            # get the first class.
            given = self.classes_[np.maximum(labels, 0)]
        rows = _safe_indexing(inner, train)
        chosen = None if sample_weight is None else sample_weight[train]
        with self._dropping_noted(), outside_untold(ignore):
            fit_quietly(self.estimator_, rows, given[train], chosen)
            self._fit_group_estimator(rows, groups[train], labels[train])
        reasons |= self._check_stated_after()
        self._say_columns(inner, given)
        if not ignore:
            say_empty(given, self.classes_)
        return labels[rest] if labelled else None, rest, reasons

    @classmethod
    def load(cls, path: Path, estimator: Any, **params: Any) -> Self:
        """Returns a fitted FairPostProcessor with the rule of the model file at ``path``. The file
        does not hold the classifier, so pass it, already fitted, as ``estimator``. ``params`` are
        further parameters, such as ``group_estimator``. The file stores groups as texts. If all are
        numbers or all are booleans, so are the groups; for other types, pass ``groups``."""
        new, model = cls._loaded(path, estimator=estimator, prefit=True, **params)
        new._check_estimators()
        new._take_estimators()
        names = names_of(new.classes_, "classes")
        if sorted(names) != sorted(model.classes):
            raise OptionError(
                f"the classes of the model are {model.classes}, but those of the estimator are "
                f"{new.classes_.tolist()}"
            )
        new.classes_ = new.classes_[[names.index(name) for name in model.classes]]
        new._refuse_other_classifier(model)
        if new._is_unaware() != (model.rule == "weighted"):
            words = "pass a group_estimator: the model's rule does not see the group"
            if new._is_unaware():
                words = "leave group_estimator out: the model's rule does not use it"
            raise OptionError(words)
        new.options = dict(new.options or {})
        if model.criterion == "custom":
            new.options["statistics"] = model.statistics
        new._load_rule(model)
        new._check_pairs()
        return new

    def _further(self) -> dict[str, Any]:
        return self._options("options")

    def _sample_weight(self, X: Features, given: dict[str, Any]) -> Float64s | None:
        """Returns the sample weights for the fit of the classifier, or None if none are given."""
        if given and get_config()["enable_metadata_routing"]:
            given = process_routing(self, "fit", **given).estimator.fit
        weight = given.get("sample_weight")
        if weight is None or isinstance(unfrozen(self.estimator), PrivateLogisticRegression):
            refuse_weights(given)
            return None
        if self._is_prefit():
            raise OptionError(
                "the estimator is fitted already and ignores sample_weight: leave sample_weight out"
            )
        refuse_weights({name: value for name, value in given.items() if name != "sample_weight"})
        weights: Float64s = _check_sample_weight(weight, X, dtype=np.float64)
        return weights

    def get_metadata_routing(self) -> MetadataRouter:
        """Says that ``fit`` passes ``sample_weight`` to the estimator, for metadata routing."""
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        return router.add(estimator=self.estimator, method_mapping=to_fit)

    def _target(self) -> str:
        """Returns what the group estimator predicts."""
        return self.group_target if self._group_model() is None else "group"

    def _check_estimators(self) -> None:
        refuse_fair(self.estimator, "estimator")
        refuse_fair(self.group_estimator, "group_estimator")
        check_has_probabilities(self.estimator, "estimator")
        if (model := self._group_model()) is not None:
            classifier = model.info["classifier"]
            if classifier is None or classifier["target"] != "group":
                raise OptionError(
                    "group_estimator must be a model that predicts the group: make it with "
                    "dp2dp.train(schema, rows, target='group', ...)"
                )
            if not isinstance(unfrozen(self.estimator), PrivateLogisticRegression):
                raise OptionError(
                    "if group_estimator is a dp2dp.Model, the estimator must be a fitted "
                    "PrivateLogisticRegression with the schema of that model; pass prefit=True too"
                )
        elif self._is_unaware():
            check_has_probabilities(self.group_estimator, "group_estimator")
        fixed = self._is_unaware() and cannot_be_fitted(self.group_estimator)
        if fixed and not self._is_prefit():
            raise OptionError(
                "group_estimator is fitted already, so the estimator must be fitted too: fit the "
                "estimator, and pass prefit=True"
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
        # The lists of groups and classes are public, so the group estimator may get them.
        if ours and self.group_estimator_.classes is None:
            self.group_estimator_.set_params(classes=self._strata())
        fit_quietly(self.group_estimator_, X, self._strata()[at])

    def _take_estimators(self) -> None:
        """Uses estimators that are fitted already, and their classes."""
        check_fitted(self.estimator, "estimator")
        self.estimator_ = self.estimator
        known = self.estimator_.classes_ if self.classes is None else self.classes
        self.classes_ = class_list(known)
        if self._is_unaware():
            if self._group_model() is None:
                check_fitted(self.group_estimator, "group_estimator")
                pairs = "a fitted group_estimator that predicts pairs of group and class"
                self._refuse_unsorted(
                    self.classes_, pairs if self.group_target == "group-label" else None
                )
            self.group_estimator_ = self.group_estimator

    def _refuse_other_classifier(self, model: core.Model) -> None:
        """Refuses the estimator if the model file holds another classifier."""
        inside = model.info["classifier"]
        own = getattr(unfrozen(self.estimator_), "model_", None)
        known = own.info["classifier"] if isinstance(own, core.Model) else None
        if inside is not None and (known is None or known["weights"] != inside["weights"]):
            raise OptionError(
                "the model file holds its own classifier, and the rule was made for that "
                f"classifier, not for this {type(self.estimator_).__name__}: use "
                "DP2DPClassifier.load"
            )

    def _check_pairs(self) -> None:
        """Checks a fitted group_estimator that must predict pairs (group, class). All classes of
        the estimator must be numbers of pairs, and every group must occur in one of these pairs. An
        estimator that fails this check usually predicts the group alone."""
        if not self._is_unaware() or self._target() == "group":
            return
        own = np.asarray(self.group_estimator_.classes_)
        at = codes_of(own, self._strata(), "classes of the group_estimator", unknown="ignore")
        known = len({*(at // len(self.classes_)).tolist()}) == len(self.groups_)
        if not known or at.min() < 0:
            wrong = "leave out a group" if at.min() >= 0 else "are not such numbers"
            raise OptionError(
                f"group_estimator must predict the number g * {len(self.classes_)} + y (0 to "
                f"{len(self._strata()) - 1}), where g and y are the positions of group and class "
                f"in their lists. But its classes {own.tolist()} {wrong}. If it predicts the group "
                "alone, pass group_target='group'; its classes must then be the listed groups"
            )

    def _dropping_noted(self) -> AbstractContextManager[None]:
        """If the sensitive column was dropped from X, says so in errors of the classifier."""
        drops = self.sensitive_column is not None and self.drop_sensitive
        names = map(str, self._group_names_in_X())
        return dropping_noted(names, self._is_unaware()) if drops else nullcontext()

    def _scores_and_pairs(
        self, X: Features, *, ignore: bool = False
    ) -> tuple[Floats, Floats | None]:
        """Returns the scores and, for a rule that does not see the group, what the group estimator
        predicts."""
        if (model := self._group_model()) is not None:
            found = unfrozen(self.estimator_)._scored_by(X, model, ignore=ignore)
            return found.scores, found.group_weights
        if not ignore and not isinstance(unfrozen(self.estimator_), PrivateLogisticRegression):
            say_empty_column(of_features(X), len(X) if isinstance(X, list) else X.shape[0])
        with self._dropping_noted():
            name = "classes of the estimator"
            p = probabilities(self.estimator_, X, self.classes_, name, ignore=ignore)
            if not self._is_unaware():
                return p, None
            name = "classes of the group_estimator"
            weights = probabilities(self.group_estimator_, X, self._strata(), name, ignore=ignore)
        return p, weights

    def _scores_and_weights(
        self, X: Features, *, ignore: bool = False
    ) -> tuple[Floats, Floats | None]:
        p, weights = self._scores_and_pairs(X, ignore=ignore)
        return p, None if weights is None else self._weights_of(weights)

    def _weights_of(self, weights: Floats) -> Floats:
        """Returns the weights of the rule: probabilities of the groups, or of the pairs of group
        and label if the criterion uses labels. ``weights`` are what the group estimator
        predicts."""
        if self._target() == "group" or is_labelled(
            self.constraints, self._further().get("statistics")
        ):
            return weights
        summed: Floats = weights.reshape(len(weights), len(self.groups_), -1).sum(axis=2)
        return summed

    def _scores_to_certify(
        self, X: Features, ignore: bool
    ) -> tuple[Floats, Floats | None, npt.NDArray[np.bool_] | None]:
        return (*self._scores_and_weights(X, ignore=ignore), None)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse, tags.input_tags.allow_nan = input_tags(self.estimator)
        return tags
