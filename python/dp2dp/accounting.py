"""Privacy accounting: events in, (epsilon, delta) out. It uses no data and no randomness.

Every epsilon and delta is an upper bound, rounded up.

>>> from dp2dp.accounting import Accountant, Event
>>> accountant = Accountant()
>>> accountant.add(Event("gaussian", sensitivity=2, sigma=8, count=10))
>>> round(accountant.epsilon(1e-5), 3)
3.341
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from . import _core
from ._typing import Float64s

__all__ = ["Accountant", "Event", "Ledger", "calibrate"]


@dataclass(frozen=True)
class Event:
    """One release, or ``count`` identical ones.

    ``sensitivity`` is the l2 sensitivity of the released sum to one row; ``sigma`` is the standard
    deviation of the noise on the sum. ``mechanism`` is gaussian, poisson, without-replacement,
    with-replacement or declared.

    >>> Event("poisson", sensitivity=2, sigma=8, rate=0.01, count=100).rate
    0.01
    """

    mechanism: str = "gaussian"
    sensitivity: float = 0.0
    sigma: float = 0.0
    rate: float = 0.0
    population: float = 0.0
    draws: int = 0
    count: int = 1
    coordinates: int = 0
    rows_per_person: int = 1
    sample_persons: bool = False
    scale: float = 0.0
    epsilon: float = 0.0
    delta: float = 0.0
    label: str | None = None
    set: str | None = None


def _fields(event: Event) -> dict[str, Any]:
    if not isinstance(event, Event):
        raise TypeError(f"event must be a dp2dp.Event, not {type(event).__name__}")
    return asdict(event)


class Accountant(_core.Accountant):
    """Composes events. ``adjacency`` is "replace-one" or "add-remove".

    >>> accountant = Accountant()
    >>> accountant.add(Event("gaussian", sensitivity=1, sigma=10))
    >>> accountant.delta(1) < 1e-12
    True
    """

    def __init__(self, adjacency: str = "replace-one") -> None:
        self.adjacency = adjacency
        self.events: list[Event] = []

    def add(self, event: Event) -> None:
        """Adds one more event."""
        self._add(_fields(event))
        self.events.append(event)

    def epsilon(self, delta: float, *, backend: str = "auto") -> float:
        """The smallest certified epsilon at delta."""
        return self._ask("epsilon", delta, backend)

    def delta(self, epsilon: float, *, backend: str = "auto") -> float:
        """The smallest certified delta at epsilon."""
        return self._ask("delta", epsilon, backend)

    def curve(self, epsilons: npt.ArrayLike, *, backend: str = "auto") -> Float64s:
        """The privacy profile: delta at each epsilon."""
        given = np.ascontiguousarray(epsilons, dtype=np.float64).ravel()
        out = np.empty_like(given)
        self._curve(given, out, backend)
        return out

    def tradeoff(self, false_positive: float) -> float:
        """The least false-negative rate of any test with this false-positive rate."""
        return self._ask("tradeoff", false_positive)

    def renyi(self, order: float) -> float:
        """A bound on the Rényi divergence of this order, for ideal noise."""
        return self._ask("renyi", order)

    def calibrate(
        self, event: Event, find: str, *, epsilon: float, delta: float, backend: str = "auto"
    ) -> Event:
        """Solves for ``find`` ("sigma", "rate" or "count") of the event, so that the event and all
        events of the accountant together stay within (epsilon, delta)."""
        unknown = {"sigma": 1, "rate": 2, "count": 3}.get(find)
        if unknown is None:
            raise _core.OptionError(f"find must be sigma, rate or count, not {find!r}")
        found = self._calibrate(_fields(event), unknown, epsilon, delta, backend)
        return replace(event, **{find: found[find]})

    def __reduce__(self) -> tuple[Any, ...]:
        return _refill, (type(self), self.adjacency, self.events)

    def __repr__(self) -> str:
        return f"Accountant({self.adjacency!r}) with {len(self.events)} events"


def _refill(kind: type[Accountant], adjacency: str, events: Iterable[Event]) -> Accountant:
    accountant = kind(adjacency)
    for event in events:
        accountant.add(event)
    return accountant


def calibrate(
    event: Event,
    find: str = "sigma",
    *,
    epsilon: float,
    delta: float,
    adjacency: str = "replace-one",
    backend: str = "auto",
) -> Event:
    """The event with the smallest noise, or largest rate or count, within (epsilon, delta).

    >>> event = calibrate(Event("gaussian", sensitivity=2, count=100), epsilon=1, delta=1e-5)
    >>> round(event.sigma, 1)
    74.6
    """
    return Accountant(adjacency).calibrate(
        event, find, epsilon=epsilon, delta=delta, backend=backend
    )


class Ledger(_core.Ledger):
    """All releases about one data set, and its budget. An entry is never removed.

    ``Ledger()`` is in memory; ``Ledger.open(path)`` is a file that several processes may charge.
    A ledger cannot be copied or pickled, since later charges would not reach the copy: pass the
    path instead.

    >>> ledger = Ledger()
    >>> ledger.set_budget(1, 1e-5)
    >>> ledger.charge(Event("gaussian", sensitivity=1, sigma=10))
    >>> len(ledger), ledger.spent(1e-5) < 0.4
    (1, True)
    """

    def __init__(self, adjacency: str = "replace-one") -> None:
        pass

    @property
    def budget(self) -> tuple[float, float] | None:
        """(epsilon, delta), or None."""
        return self._budget()

    @property
    def adjacency(self) -> str:
        """replace-one or add-remove."""
        return self._entries()[0]

    @property
    def entries(self) -> list[tuple[Event, bool]]:
        """Pairs of an event and whether its noise came from the insecure generator."""
        return [(Event(**event), insecure) for event, insecure in self._entries()[1]]

    def charge(self, event: Event, *, insecure: bool = False) -> None:
        """Charges one event. Call it before drawing noise."""
        self._charge(_fields(event), insecure)

    def account(self) -> Accountant:
        """An accountant that holds all entries."""
        adjacency, entries = self._entries()
        return _refill(Accountant, adjacency, [Event(**event) for event, _ in entries])

    def spent(self, delta: float) -> float:
        """The epsilon, at this delta, of everything charged."""
        return self.account().epsilon(delta)

    def __len__(self) -> int:
        return len(self._entries()[1])

    def __reduce__(self) -> NoReturn:
        raise TypeError("a ledger cannot be copied: later charges would not reach the copy")

    def __repr__(self) -> str:
        return f"Ledger with {len(self)} entries"
