"""Notices when the same array or table is fitted, or certified, a second time in this process.
Stores only weak references to the objects and the addresses of their memory, so it keeps no data
alive."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ._equal_rows import key_of
from ._model import Model
from ._people_names import say_two_names
from ._rows_of_fit import rows_given
from ._search import Family, composed, keeper
from ._warn import keeping, warn
from .accounting import Event, Ledger

T = TypeVar("T")

_known: dict[tuple[object, ...], tuple[weakref.ref[Any], Any]] = {}


def _memory_of(rows: Any) -> tuple[Any, tuple[object, ...]]:
    """Returns the object that holds the rows, and where in its memory they are. Two views of the
    same rows, such as X[1000:] taken twice, have the same memory. For a frame, returns the memory
    of its first column, if numpy can see that memory."""
    array = rows
    if hasattr(rows, "iloc"):
        column = rows.iloc[:, 0] if rows.ndim == 2 and rows.shape[1] else rows
        if not isinstance(getattr(column, "dtype", None), np.dtype):
            # numpy may see this memory only if no value is missing. No warning may depend on that.
            return rows, ()
        array = np.asarray(column)
        if array.base is None:  # numpy made a copy of the column
            return rows, ()
    if not isinstance(array, np.ndarray):
        return rows, ()
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    return owner, (array.__array_interface__["data"][0], array.shape, array.strides)


def _remembered(rows: Any, kind: str, make: Callable[[], T]) -> T | None:
    """Returns the object that ``make`` returned for these rows and this ``kind`` of release. Calls
    ``make`` only the first time. Returns None for rows that cannot be recognised, such as a
    list."""
    try:
        owner, memory = _memory_of(rows)
        key = (kind, id(owner), *memory)
        if (known := _known.get(key)) is not None and known[0]() is owner:
            found: T = known[1]
            return found
        made = make()

        def forget(_: object, known: dict[tuple[object, ...], Any] = _known) -> None:
            known.pop(key, None)

        _known[key] = weakref.ref(owner, forget), made
        return made
    except (TypeError, ValueError):  # no weak reference possible, or an unknown kind of array
        return None


def _is_seeded(model: Model) -> bool:
    return "insecure-noise" in model.not_private_because


def family_of(estimator: Any, model: Model, rows: Any) -> Family:
    """Returns the Family that counts the fits of an estimator. An estimator without fits so far
    joins the Family of another estimator that was fitted to the same rows."""
    own: Family = estimator.__dict__.get("_family") or Family()
    kind = "classifiers" if model.rule is None else "rules"
    known = None if _is_seeded(model) else _remembered(rows, kind, lambda: own)
    if known is not None and known is not own and not own.fits:
        known.whose = "of these rows"
        own = known
    estimator._family = own
    return own


def say_renamed(model: Model, rows: Any, ledger: object) -> bool:
    """Does what :func:`say_two_names` does, for a fit. Returns False for a ledger that is not in
    this process, such as a path."""
    known = ledger if isinstance(ledger, Ledger) else None
    return say_two_names(model.release_id, known, rows)


def count_fit(model: Model, rows: Any, ledger: object) -> None:
    """Counts a fit of :func:`dp2dp.fit` or :func:`dp2dp.train`. Warns at the second fit of the same
    rows."""
    kind = "core classifiers" if model.rule is None else "core rules"
    with keeping(model=model):
        apart = say_renamed(model, rows, ledger)
        if not _is_seeded(model) and (family := _remembered(rows, kind, Family)) is not None:
            family.whose = "of these rows"
            family.count(model, ledger, apart=apart)


_MOST = 1000  # the number of certificates whose rows are known by their scores


class _Certificates:
    """The number of certificates of the same rows so far, and the events charged for them."""

    def __init__(self) -> None:
        self.count = 0
        self.events: list[Event] = []


_by_scores: dict[tuple[int, int], _Certificates] = {}


def _certificates_of(rows: Any, scores: Any) -> _Certificates | None:
    """Returns the certificates of these rows, or of other rows with the same ``scores``, which were
    copied or computed anew. Returns None if the rows cannot be recognised."""
    known = _remembered(rows, "certificates", _Certificates)
    key = None
    with keeping():
        key = None if scores is None else key_of(scores)
    if key is None or (known is not None and known.count):
        return known
    if len(_by_scores) >= _MOST:
        _by_scores.pop(next(iter(_by_scores)))
    return _by_scores.setdefault(key, known or _Certificates())


def count_certificate(
    release_id: str, ledger: Ledger, rows: Any, delta: float, new: bool, scores: Any = None
) -> None:
    """Counts a certificate. Warns at the second certificate of the same rows, at the fourth, at the
    eighth and so on. ``new`` says that the ledger was made for this certificate alone. ``scores``
    are None if they must not be compared."""
    (rows,) = rows_given(rows)
    apart = say_two_names(release_id, ledger, rows)
    known = _certificates_of(rows, scores)
    if known is None:
        return
    entries = [entry for entry in ledger.entries if entry.release_id == release_id]
    known.events += [entry.event for entry in entries if entry.event]
    known.count += 1
    if known.count < 2 or known.count & (known.count - 1):
        return
    where = keeper(new, apart)
    warn(
        f"several-certificates: {known.count} certificates of these rows were charged so far. They "
        f"compose to {composed(known.events, delta)} for these people. {where}. The confidence of "
        "a bound holds for this bound alone: the smallest of several bounds has less confidence"
    )
