"""Privacy accounting: computes (epsilon, delta) from events, without data or randomness.

Every epsilon and delta is an upper bound, rounded up. For DP-SGD, one function is enough:

>>> import dp2dp
>>> round(dp2dp.dpsgd_epsilon(
...     n=60000, batch_size=256, noise_multiplier=1.1, epochs=15, delta=1e-5), 3)
1.929


>>> from dp2dp.accounting import Accountant, Event
>>> accountant = Accountant()
>>> accountant.add(Event("gaussian", sensitivity=2, sigma=8, count=10))
>>> round(accountant.epsilon(1e-5), 3)
3.341
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, NoReturn, Self

import numpy as np
import numpy.typing as npt

from . import _core
from ._core import OptionError
from ._meant import meant
from ._typing import Float64s
from ._warn import up, warn, warn_of

__all__ = [
    "Accountant",
    "Entry",
    "Event",
    "Ledger",
    "calibrate",
    "dpsgd_epsilon",
    "dpsgd_noise_multiplier",
]


def __dir__() -> list[str]:
    return sorted(__all__)


_SAMPLED = ("poisson", "without-replacement", "with-replacement")
_WHOLE = ("declared", "exposed")
_ADJACENCIES = ("replace-one", "add-remove")
_MECHANISMS = ["gaussian", *_WHOLE, *_SAMPLED]
_PEOPLE_FEW = 100  # the number of people to assume if their number is not known
_MANY_TIMES = 10  # a delta this many times that of the budget is noticed


@dataclass(frozen=True)
class Event:
    """One release, or ``count`` identical releases. Give only the numbers that belong to the
    mechanism; the others stay 0.

    ``mechanism`` is gaussian, declared (each release has an ``epsilon`` and ``delta`` that were
    stated elsewhere), exposed (released without noise: epsilon is infinite), or one of the sampling
    mechanisms poisson, without-replacement and with-replacement. For gaussian, ``sensitivity`` is
    the l2 sensitivity of the released sum to one row, and ``sigma`` is the standard deviation of
    the noise on the sum. For a sampling mechanism, ``clip_norm`` bounds the norm of one row, and
    ``noise_multiplier`` is sigma / clip_norm; give either ``noise_multiplier`` or ``sigma``.
    ``rate`` is the share of rows that a step samples; with-replacement has ``population`` and
    ``draws`` (the batch size) instead. ``rows_per_person`` is the largest number of rows of one
    person, and ``sample_persons=True`` says that sampling picks whole persons. The adjacency of the
    accountant or ledger decides the sensitivity of the event: 2 clip_norm if a row is replaced,
    clip_norm if a row is added or removed.

    ``set`` is the name of a set of people, or None for everybody; nobody may be in two sets.
    ``label`` is a note for readers. For discrete noise, ``scale`` is the standard deviation in grid
    units (0 for ideal noise), and ``coordinates`` is the number of noisy numbers in a release.
    ``role`` and ``release_id`` are set in the ledgers of models.

    >>> Event("poisson", clip_norm=2, noise_multiplier=4, rate=0.01, count=100).sigma
    8.0
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
    role: str | None = None
    release_id: str | None = None
    clip_norm: float = 0.0
    noise_multiplier: float = 0.0

    def __post_init__(self) -> None:
        if self.mechanism not in _MECHANISMS:
            raise OptionError(
                f"mechanism must be one of {', '.join(_MECHANISMS)}, not {self.mechanism!r}"
                + meant(str(self.mechanism), _MECHANISMS)
            )
        if isinstance(self.rate, (int, float)) and not 0 <= self.rate <= 1:
            raise OptionError(
                f"rate must be from 0 to 1, not {self.rate!r}: it is the share of rows that a step "
                "samples"
            )
        clip, times = self.clip_norm, self.noise_multiplier
        if not clip and not times:
            return
        if self.mechanism not in _SAMPLED:
            raise OptionError(
                "clip_norm and noise_multiplier are for events that sample rows, not for "
                f"{self.mechanism}; a gaussian event takes sensitivity and sigma"
            )
        if self.sensitivity:
            if clip:
                raise OptionError("give clip_norm or sensitivity, not both")
            raise OptionError(
                "noise_multiplier is the noise as a multiple of clip_norm: give clip_norm in place "
                "of sensitivity, or sigma in place of noise_multiplier"
            )
        if not 0 < clip < math.inf:
            raise OptionError(f"clip_norm must be a number above 0, not {clip!r}")
        if not self.sigma:
            object.__setattr__(self, "sigma", float(times * clip))
        elif times and not math.isclose(times * clip, self.sigma, rel_tol=1e-12):
            raise OptionError(
                "sigma differs from noise_multiplier * clip_norm; give sigma or noise_multiplier, "
                "not both"
            )
        object.__setattr__(self, "noise_multiplier", self.sigma / clip)


def _fields(event: Event, adjacency: str) -> dict[str, Any]:
    """Converts an event to the dict that the library takes, which has a sensitivity and no
    clip_norm."""
    if not isinstance(event, Event):
        raise TypeError(f"event must be a dp2dp.Event, not {type(event).__name__}")
    fields = asdict(event)
    del fields["noise_multiplier"]
    clip, replaced = fields.pop("clip_norm"), adjacency == "replace-one"
    if clip:
        fields["sensitivity"] = clip * (2 if replaced else 1)
    elif event.mechanism in _SAMPLED and replaced:
        raise OptionError(
            f"a {event.mechanism} event under replace-one takes clip_norm and noise_multiplier, "
            "not sensitivity. Replacing a row changes the sum by up to 2 * clip_norm, so a "
            "sensitivity of clip_norm would give an epsilon that is far too small. Write "
            f'Event("{event.mechanism}", clip_norm=1, noise_multiplier=1.1, ...)'
        )
    return fields


def _event(fields: dict[str, Any], adjacency: str) -> Event:
    """Converts a dict of the library, such as the event of a ledger's entry, to an Event."""
    if fields["mechanism"] in _SAMPLED:
        clip = fields["sensitivity"] / (2 if adjacency == "replace-one" else 1)
        fields = {**fields, "sensitivity": 0.0, "clip_norm": clip}
    return Event(**fields)


class Accountant(_core.Accountant):
    """Computes the privacy cost of several events together. ``adjacency`` is "replace-one" or
    "add-remove".

    >>> accountant = Accountant()
    >>> accountant.add(Event("gaussian", sensitivity=1, sigma=10))
    >>> accountant.delta(1) < 1e-12
    True
    """

    def __init__(self, adjacency: str = "replace-one") -> None:
        self.adjacency = adjacency
        self.events: list[Event] = []

    def add(self, event: Event) -> None:
        """Adds ``event``, an :class:`Event`."""
        self._add(_fields(event, self.adjacency))
        self.events.append(event)

    def epsilon(self, delta: float, *, backend: str = "auto") -> float:
        """Returns the smallest certified epsilon at ``delta``. ``backend`` is the method of
        computation: "analytic", "pld", "rdp", or "auto", which tries all that apply and takes the
        smallest result."""
        return self._ask("epsilon", delta, backend)

    def delta(self, epsilon: float, *, backend: str = "auto") -> float:
        """Returns the smallest certified delta at ``epsilon``. ``backend`` is that of
        :meth:`epsilon`."""
        return self._ask("delta", epsilon, backend)

    def curve(self, epsilons: npt.ArrayLike, *, backend: str = "auto") -> Float64s:
        """Returns the privacy profile: the delta at each of ``epsilons``. ``backend`` is that of
        :meth:`epsilon`."""
        given = np.ascontiguousarray(epsilons, dtype=np.float64).ravel()
        out = np.empty_like(given)
        self._curve(given, out, backend)
        return out

    def tradeoff(self, false_positive: float) -> float:
        """Returns the hypothesis-testing trade-off: a lower bound on the false-negative rate of any
        test whose false-positive rate is ``false_positive``."""
        return self._ask("tradeoff", false_positive)

    def renyi(self, order: float) -> float:
        """Returns a bound on the Rényi divergence of order ``order``. The bound assumes continuous
        noise, even if the noise of an event is discrete."""
        return self._ask("renyi", order)

    def calibrate(
        self, event: Event, find: str, *, epsilon: float, delta: float, backend: str = "auto"
    ) -> Event:
        """Returns ``event`` with its field ``find`` ("sigma", "rate" or "count") set such that this
        event and all events of the accountant together stay within (``epsilon``, ``delta``).
        ``backend`` is that of :meth:`epsilon`."""
        found = self._calibrated(event, find, epsilon, delta, backend)
        _say_budget(epsilon, delta, event.population)
        return found

    def _calibrated(
        self, event: Event, find: str, epsilon: float, delta: float, backend: str = "auto"
    ) -> Event:
        unknown = {"sigma": 1, "rate": 2, "count": 3}.get(find)
        if unknown is None:
            raise OptionError(f"find must be 'sigma', 'rate' or 'count', not {find!r}")
        fields = _fields(event, self.adjacency)
        found = self._calibrate(fields, unknown, epsilon, delta, backend)
        return _event({**fields, find: found[find]}, self.adjacency)

    def __reduce__(self) -> tuple[Any, ...]:
        return _refill, (type(self), self.adjacency, self.events)

    def __repr__(self) -> str:
        return f"Accountant({self.adjacency!r}) with {len(self.events)} events"


def _say_budget(epsilon: float, delta: float, records: float) -> None:
    """Gives the same warnings as a fit if epsilon or delta is large, or if the two seem swapped.
    ``records`` is the number of rows, or 0 if it is not known."""
    warn_of(_core.warnings_of_budget(epsilon, delta, int(records) or _PEOPLE_FEW))


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
    """Returns ``event`` with the smallest noise, or the largest rate or count, that stays within
    (``epsilon``, ``delta``). ``find`` is "sigma" (the noise), "rate" or "count". ``adjacency`` and
    ``backend`` are those of :class:`Accountant`. Charges nothing.

    >>> event = calibrate(Event("gaussian", sensitivity=2, count=100), epsilon=1, delta=1e-5)
    >>> round(event.sigma, 1)
    74.6
    """
    return Accountant(adjacency).calibrate(
        event, find, epsilon=epsilon, delta=delta, backend=backend
    )


def _steps(n: int, batch_size: float, epochs: float) -> Event:
    if 0 < batch_size < 1:
        raise OptionError(
            f"batch_size is a number of rows, and {batch_size!r} is below 1. If {batch_size!r} is "
            f"the rate, pass batch_size={batch_size * n:g}"
        )
    if not 0 < batch_size <= n:
        raise OptionError(f"batch_size must be above 0 and at most n = {n!r}, not {batch_size!r}")
    if not 0 < epochs < math.inf:
        raise OptionError(f"epochs must be a number above 0, not {epochs!r}")
    count = math.ceil(epochs * n / batch_size)
    return Event("poisson", clip_norm=1, rate=batch_size / n, count=count)


def dpsgd_epsilon(
    *,
    n: int,
    batch_size: float,
    noise_multiplier: float,
    epochs: float,
    delta: float,
    adjacency: str = "replace-one",
) -> float:
    """Returns the epsilon of DP-SGD at ``delta``. Each step samples each of the ``n`` rows with
    probability ``batch_size`` / n, clips the gradients of the sampled rows, and adds noise to the
    sum of these gradients. The noise has a standard deviation of ``noise_multiplier`` times the
    clip norm. The number of steps, ``epochs`` * n / batch_size, is rounded up.

    Batches of a fixed size that are cut from shuffled rows are NOT sampled in this way, and cost
    more. Other libraries state epsilon for ``adjacency="add-remove"``. The default, replace-one,
    gives an epsilon about twice as large.

    >>> epsilon = dpsgd_epsilon(
    ...     n=60000, batch_size=256, noise_multiplier=1.1, epochs=15, delta=1e-5)
    >>> round(epsilon, 3)
    1.929
    """
    if not (isinstance(noise_multiplier, numbers.Real) and 0 < noise_multiplier < math.inf):
        raise OptionError(f"noise_multiplier must be a number above 0, not {noise_multiplier!r}")
    event = _steps(n, batch_size, epochs)
    accountant = Accountant(adjacency)
    accountant.add(replace(event, noise_multiplier=noise_multiplier))
    epsilon = accountant.epsilon(delta)
    _say_budget(epsilon, delta, n)
    return epsilon


def dpsgd_noise_multiplier(
    *,
    n: int,
    batch_size: float,
    epochs: float,
    epsilon: float,
    delta: float,
    adjacency: str = "replace-one",
) -> float:
    """Returns the smallest noise_multiplier for which :func:`dpsgd_epsilon` is at most ``epsilon``
    at ``delta``. ``n``, ``batch_size``, ``epochs`` and ``adjacency`` are those of
    :func:`dpsgd_epsilon`.

    >>> times = dpsgd_noise_multiplier(
    ...     n=60000, batch_size=256, epochs=15, epsilon=2, delta=1e-5)
    >>> 1.05 < times < 1.1
    True
    """
    event = _steps(n, batch_size, epochs)
    found = Accountant(adjacency)._calibrated(event, "sigma", epsilon, delta)
    _say_budget(epsilon, delta, n)
    return found.noise_multiplier


@dataclass(frozen=True)
class Entry:
    """One entry of a ledger. ``kind`` is "charge", "budget" or "published". Only a charge has an
    ``event``, only a budget has ``epsilon`` and ``delta``, and only a published file has a
    ``checksum``. ``release_id`` names the release. ``time``, ``library_version`` and ``verb`` say
    when, by which version and for which call the entry was written. ``note`` is the caller's text.
    ``insecure`` is True if the noise came from the seeded generator, which protects nobody.
    ``hash`` covers the entry and ``previous``, the hash of the previous entry. ``from_version`` is
    1 for an entry that was read from an older file, of format version 1."""

    kind: str
    event: Event | None
    insecure: bool
    release_id: str | None
    epsilon: float | None
    delta: float | None
    checksum: str | None
    time: str | None
    library_version: str | None
    verb: str | None
    note: str | None
    previous: str | None
    hash: str | None
    from_version: int

    @property
    def people(self) -> str | None:
        """The name of the people who were charged. None stands for everybody."""
        return self.event.set if self.event else None

    @property
    def role(self) -> str | None:
        """In a model's own ledger, what the data of the charged people were used for: "train",
        "pool" or "certificate"."""
        return self.event.role if self.event else None


def _entry(fields: dict[str, Any], rest: dict[str, Any], adjacency: str) -> Entry:
    event = _event(fields, adjacency) if rest["kind"] == "charge" else None
    return Entry(event=event, release_id=fields["release_id"], **rest)


class Ledger(_core.Ledger):
    """Records all releases about people, and the privacy budget. An entry is never removed.

    ``Ledger()`` is in memory, by default with ``adjacency="replace-one"``; ``Ledger.open(path)`` is
    a file that several processes may charge. If the file is gone but its lock file exists, opening
    fails; ``Ledger.open(path, new=True)`` starts a new ledger. Opening also fails if the lock file
    names an entry that the file lacks, because an older copy was probably restored. A ledger cannot
    be copied or pickled, since later charges would not reach the copy: pass the path instead.

    All charges add up, except charges to different sets of people. The name of a set is given as
    ``people=`` to fit, train or certify. Nobody may be in two of these sets.

    >>> ledger = Ledger()
    >>> ledger.set_budget(1, 1e-5)
    >>> ledger.charge(Event("gaussian", sensitivity=1, sigma=10))
    >>> [entry.kind for entry in ledger.entries], ledger.spent(1e-5) < 0.4
    (['budget', 'charge'], True)
    """

    def __new__(cls, adjacency: str = "replace-one") -> Self:
        if adjacency not in _ADJACENCIES:
            raise OptionError(
                f"adjacency must be {' or '.join(_ADJACENCIES)}, not {adjacency!r}; "
                "dp2dp.Ledger.open(path) opens a file"
            )
        return super().__new__(cls, adjacency)

    def __init__(self, adjacency: str = "replace-one") -> None:
        pass

    def publish(self, release_id: str, checksum: str, /) -> None:
        """Records that the release ``release_id`` was written to a file with this ``checksum``.
        Costs nothing."""
        try:
            super().publish(release_id, checksum)
        except OptionError as error:
            raise OptionError(str(error).replace("NULL", "None")) from None

    @property
    def budget(self) -> tuple[float, float] | None:
        """The budget (epsilon, delta), or None if no budget is set."""
        return self._budget()

    @property
    def adjacency(self) -> str:
        """What may change between two data sets: "replace-one" or "add-remove"."""
        return self._adjacency()

    @property
    def entries(self) -> list[Entry]:
        """All entries in order: charges, budgets, published files."""
        adjacency, entries = self._entries()
        return [_entry(*entry, adjacency) for entry in entries]

    @property
    def exposed(self) -> bool:
        """True if something was released without noise. The epsilon is then infinite, and stays
        infinite."""
        return any(e.event and e.event.mechanism == "exposed" for e in self.entries)

    @property
    def insecure(self) -> bool:
        """True if some noise came from the insecure generator, which protects nobody."""
        return any(entry.insecure for entry in self.entries)

    def set_budget(self, epsilon: float, delta: float, *, with_charge: bool = False) -> None:
        """Makes the ledger refuse charges beyond (``epsilon``, ``delta``). A budget can only be
        lowered. ``with_charge=True`` stores the budget together with the next charge; if that
        charge is refused, nothing is stored."""
        if isinstance(epsilon, (int, float)) and 0 < epsilon < delta:
            # Warns before storing the budget, because a stored budget cannot be raised.
            warn_of(["epsilon-below-delta"])
        super().set_budget(epsilon, delta, with_charge=with_charge)

    def charge(self, event: Event, *, insecure: bool = False) -> None:
        """Charges one ``event``. Call this before you draw the noise. ``insecure=True`` notes that
        the noise comes from a seeded generator, which protects nobody.

        Privacy: charges the event to its people, or raises :class:`dp2dp.BudgetError` and charges
        nothing."""
        self._charge(_fields(event, self.adjacency), insecure)

    def account(self) -> Accountant:
        """Returns an accountant with all charges. If rows_per_person differs between charges, as in
        a file of version 1, the largest is used for all charges."""
        events = [entry.event for entry in self.entries if entry.event]
        rows = max((event.rows_per_person for event in events), default=1)
        # Declared and exposed events are about whole persons, so they have no rows_per_person.
        return _refill(
            Accountant,
            self.adjacency,
            (e if e.mechanism in _WHOLE else replace(e, rows_per_person=rows) for e in events),
        )

    def spent(self, delta: float) -> float:
        """Returns the epsilon of all charges at ``delta``. The epsilon is infinite if something was
        released without noise. Warns of releases without noise, of insecure noise, and of a delta
        that is large in itself or beside that of the budget."""
        for words in self._cautions():
            warn(words)
        if self.exposed:
            return math.inf
        epsilon = self.account().epsilon(delta)
        if "delta-large" in _core.warnings_of_budget(epsilon, delta, _PEOPLE_FEW):
            warn_of(["delta-large"])
        elif self.budget is not None and delta > _MANY_TIMES * self.budget[1]:
            warn(
                f"delta-large: delta, {delta:g}, is far above the delta of the ledger's budget, "
                f"{self.budget[1]:g}. A larger delta makes epsilon smaller without protecting "
                "anybody better. Quote the epsilon at the delta of the budget"
            )
        return epsilon

    def _cautions(self) -> list[str]:
        exposed = "exposed: something was released without noise, so epsilon is infinite"
        insecure = "insecure-noise: the noise of some entries came from the insecure generator"
        return [exposed] * self.exposed + [insecure] * self.insecure

    def __len__(self) -> int:
        return len(self._entries()[1])

    def __sklearn_clone__(self) -> Self:
        return self  # clones of an estimator charge the same ledger

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a ledger cannot be copied or sent to another process: later charges would not reach "
            "the copy. Pass the path of its file instead"
        )

    def __repr__(self) -> str:
        budget = self.budget
        limit = f"; budget ({up(budget[0])}, {up(budget[1])})" if budget else ""
        words = "".join(f"; NOT PRIVATE: {words}" for words in self._cautions())
        return f"Ledger with {len(self)} entries{limit}{words}"
