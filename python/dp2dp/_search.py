"""Counts the fits of an estimator and its clones, such as those made by cross-validation and
searches."""

from __future__ import annotations

import math
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations_with_replacement
from types import FrameType
from typing import Any, cast

from ._core import NoBoundError
from ._model import Model
from ._warn import up, warn
from .accounting import Accountant, Event, Ledger

_WAYS = 64  # at most this many ways to be in one of the parts of several fits are compared


def frames() -> Iterator[FrameType]:
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
    for frame in frames():
        if not frame.f_globals.get("__name__", "").startswith("sklearn.model_selection"):
            continue
        name, owner = frame.f_code.co_name, id(frame.f_locals.get("self"))
        fits = 0 if name == "fit" and owner in counted else _fits_of(name, frame.f_locals)
        counted |= {owner} if fits else set()
        elsewhere = name == "_fit_and_score" or (elsewhere and not fits)
        total *= max(fits, 1)
    return total, elsewhere


def events_of(model: Model) -> list[Event]:
    """Returns the events that a model charged, but without sets of people and roles: the events
    then count for everybody and add up."""
    charged = [entry.event for entry in model.ledger.entries if entry.event]
    return [replace(event, set=None, role=None) for event in charged]


class _Fit:
    """What one fit charges. Nobody is in two sets of people of a fit, such as the training and the
    pool, so a person bears the cost of one set. ``sets`` has the charges of each set with people
    from the rows of the fit: pairs of a release and its event. ``own`` are the releases that count
    with every fit: those that the fit made, and charges that name no release, since they may be
    about another classifier each time. An earlier classifier that the fit uses is another release,
    which counts once for all fits. ``trained`` says that the classifier, too, was trained on rows
    of the fit. ``behind`` are the models of the scores: if ``model`` declares the sum of their
    costs, the charges of these models take the place of that sum."""

    def __init__(self, model: Model, trained: bool, behind: Sequence[Model] = ()) -> None:
        self.sets: dict[str, list[tuple[object, Event]]] = {}
        self.own: set[object] = {model.release_id}
        pool, entries = "", model.ledger.entries
        named = {entry.release_id for entry in entries}
        stated = [] if any(one.release_id in named for one in behind) else behind
        for entry in entries:
            if (event := entry.event) is None:
                continue
            key, is_own = event.set or event.role or "", entry.release_id == model.release_id
            pool = key if is_own else pool
            charges: list[tuple[object, Event]] = [(entry.release_id, event)]
            if stated and event.mechanism == "declared" and entry.release_id is None:
                charges = [(one.release_id, event) for one in stated for event in events_of(one)]
            for release, each in charges:
                self.own |= {release} if trained or release is None else set()
                plain = replace(each, set=None, role=None, release_id=None)
                self.sets.setdefault(key, []).append((release, plain))
        if not trained:
            self.sets = {pool: self.sets[pool]} if pool in self.sets else {}


def _sums(choices: list[tuple[Event, ...]], times: int, delta: float) -> list[list[Event]]:
    """A fit is made ``times`` times, and a person is in one of its sets of people each time.
    Returns the events that the person may bear, as one list for each way to choose the sets.
    ``choices`` are the charges of each set. The largest cost need not be that of the same set every
    time. If there are too many ways, returns a single list with at least the largest cost."""
    if math.comb(times + len(choices) - 1, times) <= _WAYS:
        ways = combinations_with_replacement(choices, times)
        return [_added([(event, 1) for events in way for event in events]) for way in ways]
    if all(event.mechanism == "gaussian" for events in choices for event in events):
        choices = [max(choices, key=lambda events: _epsilon([*events], delta))]
    return [_added([(event, times) for events in choices for event in events])]


def _added(events: list[tuple[Event, int]]) -> list[Event]:
    """Returns events, each the given number of times, with equal events as one event."""
    counts: Counter[Event] = Counter()
    for event, times in events:
        counts[replace(event, count=1)] += event.count * times
    return [replace(event, count=count) for event, count in counts.items()]


def _composed_of(fits: list[tuple[_Fit, int]], delta: float) -> list[Event]:
    """Returns the events that a person bears who is in all ``fits``, each made the given number of
    times. The person is in the set of each fit that makes the total the largest."""
    fixed: list[tuple[Event, int]] = []
    known: set[object] = set()
    several: Counter[tuple[tuple[Event, ...], ...]] = Counter()
    for fit, times in fits:
        if len(fit.sets) > 1:  # all of these charges are the fit's own
            several[tuple(tuple(event for _, event in one) for one in fit.sets.values())] += times
            continue
        for release, event in (pair for one in fit.sets.values() for pair in one):
            if release in fit.own:
                fixed.append((event, times))
            elif release not in known:
                fixed.append((event, 1))
        known |= {release for one in fit.sets.values() for release, _ in one}
    totals = [_added(fixed)]
    for choices, times in several.items():
        sums = _sums([*choices], times, delta)
        if len(totals) * len(sums) > _WAYS:
            sums = _sums([tuple(event for one in choices for event in one)], times, delta)
        totals = [total + one for total in totals for one in sums]
    return max(totals, key=lambda events: _epsilon(events, delta))


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
        self.charged: list[_Fit] = []
        self.releases: list[str] = []
        self.paths: dict[str, None] = {}  # the ledgers that were given as paths
        self.announced = 0.0  # how many fits the last warning covers
        self.delta = 0.0  # the delta of the first fit, at which costs are compared
        self.cost = 0.0  # the epsilon per fit that the last warning assumed

    def count(
        self,
        model: Model,
        ledger: object,
        *,
        apart: bool = False,
        trained: bool = False,
        behind: Sequence[Model] = (),
    ) -> None:
        """Counts one more fit. Warns once for each search, about all its fits, and again if a later
        fit costs more than that warning assumed. If the number of fits is not known, warns at the
        second fit. ``apart`` says that the ledger does not add up these fits. ``trained`` says that
        the classifier of a rule was trained on rows of this fit, too. ``behind`` are the models of
        the scores, if they are known."""
        fit = _Fit(model, trained, behind)
        if not fit.sets or model.delta is None:
            return
        self.fits += 1
        self.charged.append(fit)
        self.releases += [] if model.release_id is None else [model.release_id]
        if isinstance(ledger, (str, os.PathLike)):
            self.paths[os.fsdecode(ledger)] = None
        self.delta = self.delta or model.delta
        cost = _epsilon(_composed_of([(fit, 1)], self.delta), self.delta)
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
        many, total = self._words(model, planned, cost)
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
            more = ledger is not None and any(len(fit.sets) > 1 for fit in self.charged)
            parts = ". It does not know who is in which part of a fit, so its sum is larger"
            return keeper(ledger is None, apart) + (parts if more and not apart else "")
        names = " and ".join(map(repr, self.paths))
        named = f" ({names})" if len(self.paths) > 1 else ""
        return (
            f"The fits were charged to different ledgers{named}, "
            "so no ledger adds them up: pass the same ledger to every fit"
        )

    def _words(self, model: Model, planned: int, cost: float) -> tuple[str, str]:
        """Returns two texts: which fits the warning counts, and the total cost of these fits."""
        delta = model.delta or self.delta
        fits = [(one, 1) for one in self.charged]
        if planned > 1:
            many = f"{planned} fits are made and charged. If each costs what this fit costs, they"
            if self.fits > 1:
                many += f" and the {self.fits - 1} before them"
            fits[-1] = (fits[-1][0], planned)
        elif self.fits > 1:
            many = f"{self.fits} fits {self.whose} were charged so far. They"
        else:
            Family.told_elsewhere = cost
            many = "every fit of this search, in all its processes, is charged. Two such fits"
            fits = [(fits[-1][0], 2)]
        events = _composed_of(fits, delta)
        if math.isinf(_epsilon(events, delta)):  # more deltas were declared than delta allows
            delta += sum(event.delta * event.count for event in events)
            events = _composed_of(fits, delta)
        return many, composed(events, delta)


def cloned(estimator: Any, copy: Any) -> Any:
    """Makes ``copy`` join the Family of the estimator. Returns ``copy``."""
    copy._family = estimator.__dict__.setdefault("_family", Family())
    return copy
