"""The base class of all estimators."""

from __future__ import annotations

import numbers
import os
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import signature
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, _clone_parametrized
from sklearn.utils.validation import check_is_fitted

from ._changed import note_parameters, refuse_changed
from ._copies import say_copies
from ._core import OptionError
from ._equal_rows import Rows, by_values
from ._index import say_repeated
from ._model import Model, check_bad_rows
from ._model_words import say_noise, smallest
from ._odd_rho import say_rho
from ._options import check_flag
from ._people_ids import say_people_repeated
from ._row_hashes import Hashes, bits_in
from ._rows_of_fit import remember, remember_equal
from ._same_rows import family_of, say_renamed
from ._search import cloned
from ._typing import Features, Labels, Path
from ._warn import (
    FairnessWarning,
    PrivacyWarning,
    held,
    keep,
    keeping,
    warn,
    warn_of,
    warn_unless_private,
)
from .accounting import Ledger

# Maps an option of core.fit or core.train to the estimators' name for the same thing.
_OTHER_NAMES = {
    "criterion": "constraints",
    "class_names": "classes",
    "group_names": "groups",
    "n_groups": "groups",
    "labels": "y of fit",
    "weights": "group_estimator",
}


def _is_share(value: Any) -> bool:
    return isinstance(value, numbers.Real) and 0 < float(value) < 1


class PrivateClassifier(ClassifierMixin, BaseEstimator):
    """The base class of classifiers that hold a model. As scikit-learn requires, every parameter of
    ``__init__`` is stored unchanged as an attribute."""

    epsilon: float | None
    delta: float | None
    rows_per_person: int
    bad_rows: str
    ledger: Path | Ledger | None
    budget: tuple[float, float] | None
    insecure_seed: int | None
    classes: npt.ArrayLike | None
    classes_: Labels
    model_: Model

    def _keep(self, given: dict[str, Any]) -> None:
        """Stores the parameters. ``given`` is ``locals()`` of ``__init__``."""
        for name, value in given.items():
            if name not in ("self", "__class__"):
                setattr(self, name, value)

    def _check_flags(self) -> None:
        """Raises an error if a parameter that must be True or False has another value."""
        for name, one in signature(type(self).__init__).parameters.items():
            given = getattr(self, name, None)
            if isinstance(one.default, bool) or (name == "same_people" and given is not None):
                check_flag(given, name)

    def _check_rows_per_person(self) -> None:
        """Refuses a ``rows_per_person`` that is not one number, such as a column of ids. The
        message must not show the ids."""
        given = self.rows_per_person
        if isinstance(given, (str, bytes)) or hasattr(given, "__len__") or np.ndim(given):
            raise OptionError(
                "rows_per_person must be one whole number (the largest number of rows that one "
                f"person has), not a {type(given).__name__}"
            )

    def _spending(self) -> dict[str, Any]:
        """Returns the options of core.fit and core.train that concern the budget."""
        return {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "rows_per_person": self.rows_per_person,
            "ledger": self._ledger(),
            "insecure_seed": self.insecure_seed,
        }

    def _options(self, name: str) -> dict[str, Any]:
        """Returns the dict of further options that the user gave as the parameter ``name``."""
        given = getattr(self, name)
        if given is not None and not isinstance(given, dict):
            raise OptionError(f"{name} must be a dict, such as {{'steps': 100}}, not {given!r}")
        own = {one: one for one in self._get_param_names()} | _OTHER_NAMES
        if taken := [key for key in given or {} if key in own]:
            raise OptionError(
                f"leave {taken[0]!r} out of {name}: {type(self).__name__} has a parameter for it. "
                f"Set the parameter {own[taken[0]]} instead"
            )
        return given or {}

    def _ledger(self) -> Ledger | None:
        """Returns the ledger that the user gave as the parameter ``ledger``, or None if the user
        gave none. If the parameter ``budget`` is given too, the next charge stores the budget in
        the ledger."""
        if self.ledger is None:
            if self.budget is not None:
                raise OptionError("budget needs a ledger: pass the parameter ledger too")
            return None
        if not isinstance(self.ledger, (Ledger, str, bytes, os.PathLike)):
            raise OptionError(
                f"ledger must be a dp2dp.Ledger or the path of a ledger file, not {self.ledger!r}"
            )
        ledger = self.ledger if isinstance(self.ledger, Ledger) else Ledger.open(self.ledger)
        if self.budget is not None:
            try:
                epsilon, delta = self.budget
            except (TypeError, ValueError):
                raise OptionError(f"budget must be (epsilon, delta), not {self.budget!r}") from None
            if _is_share(epsilon) and not _is_share(delta):
                raise OptionError(
                    "budget must be (epsilon, delta), with delta above 0 and below 1, not "
                    f"{self.budget!r}: were the two swapped?"
                )
            if ledger.budget != (epsilon, delta):
                ledger.set_budget(epsilon, delta, with_charge=True)
        return ledger

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """A context manager for the body of a fit. First checks the parameters that can be checked
        without data. If the body raises an exception, restores the attributes, so that a failed fit
        changes nothing. Warnings are delayed until the body ends."""
        before = dict(self.__dict__)
        with held():
            try:
                self._check_flags()
                self._check_rows_per_person()
                yield
            except BaseException:
                self.__dict__ = before
                raise

    @contextmanager
    def _keeping(self) -> Iterator[None]:
        """A context manager for a fit and the warnings about it. Delays the warnings until its body
        ends. If a warning is then raised as an exception, the exception has the new model as an
        attribute: if this estimator is a clone in a search, the model would otherwise be lost."""
        before = self.__dict__.get("model_")
        try:
            with held():
                yield
        except (PrivacyWarning, FairnessWarning) as warning:
            if (made := self.__dict__.get("model_")) is not before:
                keep(warning, model=made)
            raise

    @keeping()
    def _finish(self, X: Features, *models: Model) -> None:
        """Gives the warnings about ``models``, each warning only once. A fit to the rows X made all
        of these models, and the last one is the result of the fit."""
        with keeping():
            note_parameters(self)
        bits: dict[str, Hashes] = {}
        values: list[Rows] = []
        with keeping():
            remember(models[-1], X, behind=models[:-1])
            if not check_bad_rows(self.bad_rows):
                bits = bits_in(X)
                values = by_values(bits)
                remember_equal(models[-1], values)
        stated = {word: None for model in models for word in model.warnings}
        if "scores-origin-not-stated" not in models[-1].warnings:
            stated.pop("scores-origin-not-stated", None)
        if self.classes_.tolist() != sorted(self.classes_.tolist()):
            warn(
                "classes-unsorted: the classes of the schema are not in sorted order. Sort the "
                "levels of the label in the schema before you use CalibratedClassifierCV or a "
                "scorer of scikit-learn such as roc_auc: both assume sorted classes",
                FairnessWarning,
            )
        told = {"labels-from-data", "schema-from-data"}  # a PrivacyLeakWarning told these already
        warn_unless_private(r for r in models[-1].not_private_because if r not in told)
        warn_of(stated, smallest(models[-1]))
        with keeping():
            for model in models:
                say_noise(model)
            say_rho(models[-1])
        if self.rows_per_person == 1 and not check_bad_rows(self.bad_rows):
            with keeping():
                _ = say_repeated(X) or say_copies(bits)
            with keeping():
                say_people_repeated(X)
        with keeping():
            apart = say_renamed(models[-1], [X], self.ledger, values)
            family_of(self, models[-1], X, values).count(
                models[-1],
                self.ledger,
                apart=apart,
                trained=not self._is_prefit(),
                behind=models[:-1],
            )

    def _is_prefit(self) -> bool:
        """Returns whether the rule is for classifiers that were fitted before."""
        return False

    def __sklearn_clone__(self) -> Any:
        return cloned(self, _clone_parametrized(self))

    def save(self, path: Path) -> None:
        """Writes the model to the file ``path``, which the command line can also read."""
        check_is_fitted(self, "model_")
        refuse_changed(self)
        self.model_.save(path)

    def explain(self) -> str:
        """Explains the model in words, as :meth:`dp2dp.Model.explain` does."""
        check_is_fitted(self, "model_")
        return self.model_.explain()

    @classmethod
    def _loaded(cls, path: Path, **params: Any) -> tuple[Self, Model]:
        """Reads the model file at ``path``. Returns the pair (estimator, model). The estimator is
        new and has the model as its attribute ``model_``."""
        model = Model.load(path)
        made: Any = cls
        new: Self = made(**{"epsilon": model.epsilon, "delta": model.delta, **params})
        new._check_flags()
        new.model_ = model
        return new, model

    def _repr_html_(self) -> str:
        own: str = super()._repr_html_() if hasattr(super(), "_repr_html_") else ""
        return own + (self.model_._repr_html_() if hasattr(self, "model_") else "")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # poor_score tells scikit-learn's tests not to expect good accuracy: fairness and noise
        # lower the accuracy, most of all on small data.
        tags.classifier_tags.poor_score = True
        tags.non_deterministic = self.insecure_seed is None
        return tags
