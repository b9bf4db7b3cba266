"""Counts the fits of an estimator and its clones, such as those made by cross-validation and
searches."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from types import FrameType
from typing import Any, cast

from ._core import NoBoundError
from ._model import Model
from ._warn import up, warn
from .accounting import Accountant, Event, Ledger


def _frames() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(1)
    while frame:
        yield frame
        frame = frame.f_back


def _fits_of(name: str, known: dict[str, Any]) -> int:
    """Returns how many fits a running function of scikit-learn makes, or 0 if it makes none.
    ``name`` is the name of the function, and ``known`` has its local variables."""
    try:
        if name == "evaluate_candidates":  # called by a search such as GridSearchCV
            return int(known["n_candidates"] * known["n_splits"] + bool(known["self"].refit))
        if name == "fit" and known["results"]:  # the last fit of a search, on all rows
            return len(known["all_out"]) + 1
        if name in ("cross_validate", "cross_val_predict"):
            return int(known["cv"].get_n_splits(known["X"], known["y"], known["groups"]))
    except (AttributeError, KeyError, TypeError, ValueError):
        pass  # another version of scikit-learn; each fit is then counted only when it happens
    return 0


def _planned() -> tuple[int, bool]:
    """Returns how many fits the running searches and cross-validations make in all: if one runs
    inside another, their numbers multiply. Also returns whether other processes make further fits,
    whose number is not known here."""
    total, elsewhere, counted = 1, False, set()
    for frame in _frames():
        if not frame.f_globals.get("__name__", "").startswith("sklearn.model_selection"):
            continue
        name, owner = frame.f_code.co_name, id(frame.f_locals.get("self"))
        fits = 0 if name == "fit" and owner in counted else _fits_of(name, frame.f_locals)
        counted |= {owner} if fits else set()
        elsewhere = name == "_fit_and_score" or (elsewhere and not fits)
        total *= max(fits, 1)
    return total, elsewhere


def events_of(model: Model, times: int = 1) -> list[Event]:
    """Returns the events that a model charged, but without sets of people and roles: the events
    then count for everybody and add up. The count of each event is multiplied by ``times``."""
    charged = [entry.event for entry in model.ledger.entries if entry.event]
    return [replace(e, set=None, role=None, count=e.count * times) for e in charged]


def _epsilon(events: list[Event], delta: float) -> float:
    """Returns the epsilon of the composition of ``events`` at ``delta``, or infinity if there is no
    bound."""
    accountant = Accountant()
    for event in events:
        accountant.add(event)
    try:
        return accountant.epsilon(delta)
    except NoBoundError:
        return math.inf


def composed(events: list[Event], delta: float) -> str:
    epsilon = _epsilon(events, delta)
    known = f"epsilon {up(epsilon)}" if math.isfinite(epsilon) else "no finite epsilon"
    return f"{known} at delta {up(delta)}"


def keeper(none: bool, apart: bool) -> str:
    """Returns a sentence that says whether a ledger adds up several releases. ``none`` means that
    there is no ledger. ``apart`` means that the ledger does not add up the releases, because they
    are charged under different names of people."""
    if none:
        return "No ledger adds up these costs"
    return (
        "The ledger does not add up these costs (see the warning people-renamed)"
        if apart
        else "The ledger adds up these costs"
    )


def _has_all(ledger: object, releases: list[str]) -> bool:
    """Returns whether ``ledger``, a Ledger or the path of one, has the charges of all
    ``releases``. Returns True if the ledger cannot be read."""
    with suppress(Exception):
        whole = ledger if isinstance(ledger, Ledger) else Ledger.open(cast("str", ledger))
        return {*releases} <= {entry.release_id for entry in whole.entries}
    return True


class Family:
    """Counts the fits of an estimator and all its clones, or all fits of the same rows. A search
    fits many clones, mostly on the same people, and each fit is charged."""

    # The epsilon per fit that the last warning in a worker process assumed. This is an attribute of
    # the class, because in a worker process each fit has a new Family.
    told_elsewhere = 0.0

    def __init__(self) -> None:
        self.fits = 0
        self.whose = "of this estimator and its clones"
        self.events: list[Event] = []
        self.releases: list[str] = []
        self.paths: dict[str, None] = {}  # the ledgers that were given as paths
        self.announced = 0.0  # how many fits the last warning covers
        self.delta = 0.0  # the delta of the first fit, at which costs are compared
        self.cost = 0.0  # the epsilon per fit that the last warning assumed

    def count(self, model: Model, ledger: object, *, apart: bool = False) -> None:
        """Counts one more fit. Warns once for each search, about all its fits, and again if a later
        fit costs more than that warning assumed. If the number of fits is not known, warns at the
        second fit. ``apart`` says that the ledger does not add up these fits."""
        events = events_of(model)
        if not events or model.delta is None:
            return
        earlier = list(self.events)
        self.fits += 1
        self.events += events
        self.releases += [] if model.release_id is None else [model.release_id]
        if isinstance(ledger, (str, os.PathLike)):
            self.paths[os.fsdecode(ledger)] = None
        self.delta = self.delta or model.delta
        cost = _epsilon(events, self.delta)
        dearer = cost > self.cost * (1 + 1e-6)
        if self.fits <= self.announced and not dearer:
            return
        planned, elsewhere = _planned()
        if planned < 2 and self.fits < 2 and (not elsewhere or cost <= Family.told_elsewhere):
            return
        if self.fits <= self.announced < math.inf:  # a later fit of the same search costs more
            planned = int(self.announced) - self.fits + 1
        else:
            self.announced = self.fits - 1 + planned if planned > 1 else math.inf
        self.cost = cost
        many, total = self._words(model, planned, earlier, cost)
        where = self._keeper(ledger, apart)
        warn(
            f"several-fits: {many} compose to {total} for people who are in all these fits. "
            f"{where}. Choosing a model by exact validation scores is a release too, but it is not "
            "charged"
        )

    def _keeper(self, ledger: object, apart: bool) -> str:
        """Returns a sentence that says whether ``ledger`` adds up all fits. ``ledger`` is that of
        the last fit."""
        if ledger is None or apart or _has_all(ledger, self.releases):
            return keeper(ledger is None, apart)
        names = " and ".join(map(repr, self.paths))
        named = f" ({names})" if len(self.paths) > 1 else ""
        return (
            f"The fits were charged to different ledgers{named}, "
            "so no ledger adds them up: pass the same ledger to every fit"
        )

    def _words(
        self, model: Model, planned: int, earlier: list[Event], cost: float
    ) -> tuple[str, str]:
        """Returns two texts: which fits the warning counts, and the total cost of these fits."""
        delta = model.delta or self.delta
        if planned > 1:
            many = f"{planned} fits are made and charged. If each costs what this fit costs, they"
            if self.fits > 1:
                many += f" and the {self.fits - 1} before them"
            return many, composed([*earlier, *events_of(model, planned)], delta)
        if self.fits > 1:
            many = f"{self.fits} fits {self.whose} were charged so far. They"
            return many, composed(self.events, delta)
        Family.told_elsewhere = cost
        many = "every fit of this search, in all its processes, is charged. Two such fits"
        return many, composed(events_of(model, 2), delta)


def cloned(estimator: Any, copy: Any) -> Any:
    """Makes ``copy`` join the Family of the estimator. Returns ``copy``."""
    copy._family = estimator.__dict__.setdefault("_family", Family())
    return copy
