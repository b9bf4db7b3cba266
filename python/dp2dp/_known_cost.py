"""Compares the stated cost of a classifier with what is known about the private classifiers of this
package inside it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from . import core
from ._base_estimator import unfrozen
from ._core import OptionError
from ._logistic import PrivateLogisticRegression
from ._search import _epsilon, composed, events_of
from .accounting import Accountant, Event

_ROUNDING = 1e-9
_COPIES = "a bootstrap sample has several copies of a person (use bootstrap=False)"


@dataclass(frozen=True)
class _Training:
    """A private training: its name, its charges and its delta. ``apart`` says that it may be about
    other people than the trainings beside it, or about a random part of them. ``without_bound``
    says why no epsilon holds, and is empty otherwise."""

    name: object
    events: list[Event]
    delta: float
    apart: bool
    without_bound: str = ""


def _to_come(estimator: Any, apart: bool) -> _Training:
    """Returns what the fit of an estimator will charge. The noise of "dpgd" is that of one Gaussian
    mechanism. Of other methods, only the cost of a single training is known."""
    epsilon, delta = float(estimator.epsilon or 0), float(estimator.delta or 0)
    known = (estimator.bounds, estimator.data_norm, estimator.schema)
    read_off = all(one is None for one in known)
    seeded = estimator.insecure_seed is not None
    if estimator.method == "none" or math.isinf(epsilon) or seeded or read_off:
        return _Training(object(), [], delta, apart, "its training is not private")
    if estimator.method == "dpsgd":
        return _Training(object(), [Event("declared", epsilon=epsilon, delta=delta)], delta, True)
    event = Event("gaussian", sensitivity=1, rows_per_person=estimator.rows_per_person)
    event = Accountant()._calibrated(event, "sigma", epsilon, delta)
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
            why = "its training is not private" if model.not_private_because else ""
            yield _Training(model.release_id, events_of(model), model.delta or 0.0, apart, why)
    else:
        some = getattr(estimator, "max_samples", None) not in (None, 1.0)
        copies = bool(getattr(estimator, "bootstrap", False))
        for one in _inside(estimator, fitted):
            for found in _trainings(one, fitted, apart or some):
                again = copies and not isinstance(one, FrozenEstimator)
                yield replace(found, without_bound=_COPIES) if again else found


def _for_rows(event: Event, rows_per_person: int) -> Event:
    """Returns the event for people with at least ``rows_per_person`` rows."""
    if event.mechanism in ("declared", "exposed"):
        return event
    return replace(event, rows_per_person=max(event.rows_per_person, rows_per_person))


def _events(some: list[_Training], rows_per_person: int) -> list[Event]:
    return [_for_rows(event, rows_per_person) for one in some for event in one.events]


def _cost(some: list[_Training], delta: float | None, rows_per_person: int) -> float:
    """Returns the epsilon of the trainings together, which is infinite at delta 0."""
    return _epsilon(_events(some, rows_per_person), delta) if delta else math.inf


def refuse_understated(
    epsilon: float | None,
    delta: float | None,
    estimators: list[Any],
    *,
    fitted: bool,
    rows_per_person: int,
) -> None:
    """Refuses a stated cost that is below the cost of the private trainings of this package inside
    one of the ``estimators``, for people with up to ``rows_per_person`` rows. Trainings on the same
    rows, such as those of a BaggingClassifier, add up. Also refuses a stated cost of a training of
    this package that has no finite cost."""
    if epsilon is None:
        return
    for estimator in estimators:
        found: list[_Training] = []
        with suppress(Exception):  # parameters that cannot be used are refused elsewhere
            for one in _trainings(estimator, fitted):
                found.append(one)
        if why := next((one.without_bound for one in found if one.without_bound), ""):
            raise OptionError(
                f"scores_epsilon={epsilon:g}: the cost of the "
                f"{type(unfrozen(estimator)).__name__} is not known, because {why}. Leave "
                "scores_epsilon and scores_delta out"
            )
        together = {one.name: one for one in found if not one.apart}
        groups = [[*together.values()], *([one] for one in found if one.apart)]
        at = max([delta or 0.0, *(one.delta for one in found)])
        costs = [
            (_cost(some, delta, rows_per_person), _cost(some, at, rows_per_person), some)
            for some in groups
            if some
        ]
        cost, _, some = max(costs, key=lambda one: one[:2], default=(0.0, 0.0, []))
        if epsilon >= (1 - _ROUNDING) * cost:
            continue
        cost_of = f"its {len(some)} private trainings cost" if some[1:] else "its training costs"
        ours = isinstance(unfrozen(estimator), (PrivateLogisticRegression, core.Model))
        alone = ours and all(e.rows_per_person == rows_per_person for e in some[0].events)
        advice = "Leave scores_epsilon and scores_delta out" if alone else "State this cost"
        raise OptionError(
            f"scores_epsilon={epsilon:g} and scores_delta={delta or 0:g} are below the cost of the "
            f"{type(unfrozen(estimator)).__name__}, which is known: {cost_of} "
            f"{composed(_events(some, rows_per_person), at)}. {advice}"
        )
