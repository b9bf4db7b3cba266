"""Accounts for the privacy cost of the classifiers inside a FairPostProcessor."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
from sklearn.base import clone

from . import core
from ._base_estimator import (
    cannot_be_fitted,
    check_cost_of_fitted,
    check_stated_cost,
    unfrozen,
)
from ._columns_of_x import say_needless
from ._core import BudgetError, OptionError
from ._fair_rule import FairRule
from ._known_cost import refuse_understated
from ._logistic import PrivateLogisticRegression
from ._model import check_bad_rows
from ._outside import outside_untold
from ._pipeline import learned_before, refuse_stated, tell_learned
from ._refitted import hashes_of, note_classifiers, say_refitted
from ._rows_of_fit import say_trained
from ._search import events_of
from ._typing import Features, Floats
from ._validation import codes_of, warn_of_leak
from ._warn import keeping, warn
from .accounting import Accountant, Event, Ledger


class RuleOfEstimators(FairRule):
    """A fair rule for the scores of an ``estimator``. If there is a ``group_estimator``, the rule
    also uses the weights that the group estimator gives. Accounts for the privacy cost of both
    estimators."""

    estimator: Any
    estimator_: Any
    group_estimator: Any
    group_estimator_: Any
    prefit: bool
    scores_from_pool: bool
    same_people: bool | None
    scores_epsilon: float | None
    scores_delta: float | None
    _rows: int

    def _is_unaware(self) -> bool:
        return self.group_estimator is not None

    def _is_prefit(self) -> bool:
        """Returns whether the estimators are used without fitting them."""
        return bool(self.prefit) or cannot_be_fitted(self.estimator)

    def _group_model(self) -> core.Model | None:
        """If the group estimator is a dp2dp.Model, returns this model, which becomes a part of
        model_. If not, returns None."""
        return self.group_estimator if isinstance(self.group_estimator, core.Model) else None

    def _parts(self) -> list[Any]:
        """Returns the fitted estimators that give scores and weights."""
        parts = [self.estimator_, *([self.group_estimator_] if self._is_unaware() else [])]
        return [unfrozen(part) for part in parts]

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Does what the method of the base class does. Also keeps hashes of prefit classifiers, so
        that a later fit of one of them is noticed."""
        given = [unfrozen(one) for one in (self.estimator, self.group_estimator)]
        before = hashes_of(given) if self._is_prefit() else None
        with super()._all_or_nothing():
            yield
            if before is not None:
                with keeping(model=self.model_):
                    note_classifiers(self.model_, given, before)

    def _say_refitted(self, *, all_of: bool = False) -> None:
        given = [self.estimator_, getattr(self, "group_estimator_", None)]
        say_refitted(self.model_, [unfrozen(one) for one in given], all_of=all_of)

    def _are_ours(self) -> bool:
        """Returns whether the costs of all estimators are known from their own models."""
        kinds = (PrivateLogisticRegression, core.Model)
        return self.scores_epsilon is None and all(isinstance(p, kinds) for p in self._parts())

    def _behind(self, reasons: set[str]) -> tuple[list[core.Model], dict[str, Any]]:
        """Returns the dp2dp models that give the scores, and the options of core.fit that state the
        cost of the scores. If the result is not private, adds the reason to ``reasons``."""
        if not self._are_ours():
            if "classifier-not-private" in reasons:  # what was stated is not the cost
                return [], {}
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

    @keeping()
    def _say_columns(self, X: Features, y: Any) -> None:
        """Warns of columns of X that the classifier uses and should not, unless bad rows are
        ignored. A classifier of this package warns itself when it is trained."""
        ours = isinstance(unfrozen(self.estimator_), PrivateLogisticRegression)
        if ours or check_bad_rows(self.bad_rows):
            return
        labels = None
        with suppress(TypeError, ValueError):  # y may be unused, so its values cause no error
            if y is not None:
                given = np.asarray(y).reshape(-1)
                labels = codes_of(given, self.classes_, "classes", unknown="ignore")
        with outside_untold(True):
            say_needless(X, labels, self._scores_of)

    def _scores_of(self, X: Features) -> Floats:
        found: Floats = np.asarray(self.estimator_.predict_proba(X))
        return found

    def _learned_before(self) -> set[str]:
        """If earlier steps of a pipeline learned from the rows of this fit, the rule is not
        private. Returns the reason as a set, which is empty if no earlier step learned."""
        if (step := learned_before()) is None:
            return set()
        if self.scores_epsilon is not None:
            refuse_stated(step)
        if self._is_prefit() or not isinstance(self.estimator, PrivateLogisticRegression):
            tell_learned(step)  # PrivateLogisticRegression warns itself
        return {"scores-from-pool"}

    def _check_stated(self) -> None:
        """Refuses a cost of fitted classifiers that cannot be true, and ``same_people`` if the cost
        is not known."""
        parts = [self.estimator, self.group_estimator]
        check_cost_of_fitted(self.scores_epsilon, parts)
        self._refuse_understated(parts, fitted=True)
        if self.same_people and self.scores_epsilon is None and not self._are_ours():
            raise OptionError(
                "same_people=True needs scores_epsilon and scores_delta, the cost of the "
                "classifier for these people. If the classifier was trained without privacy, pass "
                "scores_from_pool=True instead"
            )

    def _check_stated_before(self, parts: list[Any]) -> None:
        """Refuses a cost of classifiers that are fitted here if it cannot be true."""
        check_stated_cost(self.scores_epsilon, parts)
        self._refuse_understated(parts, fitted=False)

    def _check_stated_after(self) -> set[str]:
        """Warns if the classifiers that were fitted here cost more than was stated. Returns the
        reason why the model is not private then: the stated cost was charged already."""
        parts = [self.estimator_, *([self.group_estimator_] if self._is_unaware() else [])]
        try:
            self._refuse_understated(parts, fitted=True)
        except OptionError as error:
            warn_of_leak(f"{error}. The model is marked as not private")
            return {"classifier-not-private"}
        return set()

    def _refuse_understated(self, parts: list[Any], *, fitted: bool) -> None:
        stated = self.scores_epsilon, self.scores_delta
        refuse_understated(*stated, parts, fitted=fitted, rows_per_person=self.rows_per_person)

    @keeping()
    def _say_as_many(self, behind: list[core.Model], X: Features) -> None:
        """Warns if a prefit classifier of this package was, or may have been, trained on the same
        people that the rule is fitted to."""
        quiet = self.same_people or self.scores_from_pool or not self._is_prefit()
        if not quiet and not check_bad_rows(self.bad_rows) and say_trained(behind, X):
            return
        trained = {model.info["classifier"]["records"] for model in behind}
        stated = self.same_people is not None or self.scores_from_pool
        if self._is_prefit() and not stated and self._rows in trained:
            warn(
                "as-many-people: there are as many rows as the classifier was trained on. If these "
                "are the people of that training, pass same_people=True, so that the costs add up. "
                "If they are other people, pass same_people=False; this warning then goes away"
            )

    def _charge_estimators(self, same_people: bool) -> set[str]:
        """Clones the estimators, and charges their cost to everybody, since the ledger does not
        know which people train the estimators. Returns the reasons why the model is not private."""
        self.estimator_ = clone(self.estimator, safe=False)
        if self._is_unaware():
            self.group_estimator_ = clone(self.group_estimator, safe=False)
        declared = self.scores_epsilon is not None
        if check_bad_rows(self.bad_rows):
            self._ignore_there_too()
        if self._are_ours():
            for part in self._parts():
                if part.rows_per_person != self.rows_per_person:
                    raise OptionError(
                        f"rows_per_person is {self.rows_per_person} for the rule, but "
                        f"{part.rows_per_person} in the {type(part).__name__} that is fitted here: "
                        "set both to the same number"
                    )
                if part.ledger is None:
                    part.set_params(ledger=self.ledger, budget=self.budget)
            return set()
        if same_people:  # the fit of the rule will charge the estimators too
            if not declared:
                warn_of_leak(
                    "rows_per_person is above 1, so the estimator may get some rows of a person, "
                    "and the rule other rows of that person; the model is marked as not private. "
                    "Fit the estimator on other people and pass prefit=True"
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

    def _ignore_there_too(self) -> None:
        """Makes the classifiers of this package ignore bad rows too, so that their errors and
        warnings reveal nothing about a row."""
        for part in self._parts():
            if isinstance(part, PrivateLogisticRegression):
                known = part._listed_classes()
                part.set_params(
                    bad_rows="ignore", classes=self.classes_ if known is None else part.classes
                )

    def _charge(self, ledger: Ledger, event: Event) -> None:
        try:
            ledger.charge(event)
        except BudgetError as error:
            if event.mechanism != "exposed":
                raise
            raise BudgetError(
                f"{error}. The {type(self.estimator_).__name__} is fitted here without privacy, "
                "which no budget allows. Either use a PrivateLogisticRegression, or use another "
                "private classifier and state its cost as scores_epsilon, or fit the classifier on "
                "other people and pass prefit=True"
            ) from None
