"""Compares the stated cost of a classifier with what is known about the private classifiers of this
package inside it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from . import core
from ._base_estimator import unfrozen
from ._core import OptionError
from ._logistic import PrivateLogisticRegression
from ._search import _epsilon, composed, events_of
from .accounting import Accountant, Event

_ROUNDING = 1e-6


@dataclass(frozen=True)
class _Training:
    """A private training: its name, its charges and its delta. ``apart`` says that it may be about
    other people than the trainings beside it, or about a random part of them."""

    name: object
    events: list[Event]
    delta: float
    apart: bool


def _to_come(estimator: Any, apart: bool) -> _Training:
    """Returns what the fit of an estimator will charge. The noise of "dpgd" is that of one Gaussian
    mechanism. Of other methods, only the cost of a single training is known."""
    epsilon, delta = float(estimator.epsilon or 0), float(estimator.delta or 0)
    if estimator.method != "dpgd":
        return _Training(object(), [Event("declared", epsilon=epsilon, delta=delta)], delta, True)
    event = Accountant()._calibrated(Event("gaussian", sensitivity=1), "sigma", epsilon, delta)
    return _Training(object(), [event], delta, apart)


def _inside(estimator: Any, fitted: bool) -> list[Any]:
    """Returns the classifiers inside a meta-estimator of scikit-learn."""
    if isinstance(estimator, Pipeline):
        return [step for _, step in estimator.steps]
    if not type(estimator).__module__.startswith("sklearn."):
        return []
    if fitted:
        names = ("estimator_", "best_estimator_")
        ones = [getattr(estimator, name) for name in names if hasattr(estimator, name)]
        members = getattr(estimator, "estimators_", None)
        return [*ones, *(members if isinstance(members, list) else [])]
    members = [one for _, one in getattr(estimator, "estimators", None) or ()]
    one = getattr(estimator, "estimator", None)
    return members + [one] * (0 if one is None else getattr(estimator, "n_estimators", 1))


def _trainings(estimator: Any, fitted: bool, apart: bool = False) -> Iterator[_Training]:
    """Yields the private trainings of an estimator, which is ``fitted`` or about to be fitted."""
    if isinstance(estimator, FrozenEstimator):
        yield from _trainings(estimator.estimator, True, True)
    elif isinstance(estimator, (PrivateLogisticRegression, core.Model)):
        model = getattr(estimator, "model_", estimator)
        if not fitted:
            yield _to_come(estimator, apart)
        elif isinstance(model, core.Model) and model.rule is None:
            yield _Training(model.release_id, events_of(model), model.delta or 0.0, apart)
    else:
        some = getattr(estimator, "max_samples", None) not in (None, 1.0)
        for one in _inside(estimator, fitted):
            yield from _trainings(one, fitted, apart or some)


def _cost(some: list[_Training], delta: float | None) -> float:
    """Returns the epsilon of the trainings together, which is infinite at delta 0."""
    return _epsilon([event for one in some for event in one.events], delta) if delta else math.inf


def refuse_understated(
    epsilon: float | None, delta: float | None, estimators: list[Any], *, fitted: bool
) -> None:
    """Refuses a stated cost that is below the cost of the private trainings of this package inside
    one of the ``estimators``. Trainings on the same rows, such as those of a BaggingClassifier, add
    up."""
    if epsilon is None:
        return
    for estimator in estimators:
        found: list[_Training] = []
        with suppress(Exception):  # parameters that cannot be used are refused elsewhere
            found += _trainings(estimator, fitted)
        together = {one.name: one for one in found if not one.apart}
        groups = [[*together.values()], *([one] for one in found if one.apart)]
        at = max([delta or 0.0, *(one.delta for one in found)])
        costs = [(_cost(some, delta), _cost(some, at), some) for some in groups if some]
        cost, _, some = max(costs, key=lambda one: one[:2], default=(0.0, 0.0, []))
        if epsilon >= (1 - _ROUNDING) * cost:
            continue
        cost_of = f"its {len(some)} private trainings cost" if some[1:] else "its training costs"
        ours = isinstance(unfrozen(estimator), (PrivateLogisticRegression, core.Model))
        advice = "Leave scores_epsilon and scores_delta out" if ours else "State this cost"
        raise OptionError(
            f"scores_epsilon={epsilon:g} and scores_delta={delta or 0:g} are below the cost of the "
            f"{type(unfrozen(estimator)).__name__}, which is known: {cost_of} "
            f"{composed([event for one in some for event in one.events], at)}. {advice}"
        )
