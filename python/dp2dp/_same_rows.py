"""Notices when the same array or table is fitted, or certified, a second time in this process, or a
copy that has many of its rows. Stores only weak references to the objects, the addresses of their
memory, and hashes of some rows (:mod:`dp2dp._equal_rows`), so it keeps no data alive."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

import numpy as np

from ._equal_rows import Rows, Seen, by_scores, key_of, look, share_of
from ._model import Model
from ._people_names import say_two_names
from ._rows_of_fit import rows_given
from ._search import Family, composed, keeper
from ._warn import keeping, warn
from .accounting import Event, Ledger

T = TypeVar("T")

_known: dict[tuple[object, ...], tuple[weakref.ref[Any], Any]] = {}


def _forget(key: tuple[object, ...], gone: weakref.ref[Any], known: Any = _known) -> None:
    if key in known and known[key][0] is gone:
        del known[key]


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


def _remembered(rows: Iterable[Any], kind: str, make: Callable[[], T]) -> T | None:
    """Returns the object that ``make`` returned for one of these ``rows``, such as groups and
    scores, and this ``kind`` of release. Calls ``make`` only if there is none. Returns None for
    rows that cannot be recognised, such as a list."""
    owners: dict[tuple[object, ...], weakref.ref[Any]] = {}
    for one in rows:
        with suppress(TypeError, ValueError):  # no weak reference, or an unknown kind of array
            owner, memory = _memory_of(one)
            key = (kind, id(owner), *memory)
            owners[key] = weakref.ref(owner, partial(_forget, key))
    if not owners:
        return None
    known = {
        key: _known[key][1]
        for key, owner in owners.items()
        if key in _known and _known[key][0]() is owner()
    }
    found: T = next(iter(known.values())) if known else make()
    _known.update({key: (owner, found) for key, owner in owners.items() if key not in known})
    return found


def _is_seeded(model: Model) -> bool:
    return "insecure-noise" in model.not_private_because


_SOME = 1 << 11  # about so many rows of a fit are kept as hashes, to recognise the rows
_FITS = 50  # the number of fits whose rows are known by their values
_NEARLY = 0.9  # if more than this share of the rows are equal, a warning calls them the same rows
_by_values: list[tuple[str, Seen, Family]] = []


def _family_by_values(kind: str, rows: Iterable[Rows]) -> tuple[Family | None, str]:
    """Returns the Family of an earlier fit of this ``kind`` to many of these rows, or None. Also
    returns words that say how many of these rows the fits of the Family have."""
    known = [
        (share_of(seen, one), family, one.count)
        for one in rows
        for of, seen, family in _by_values
        if of == kind
    ]
    share, family, count = max(known, key=lambda one: one[0], default=(0.0, None, 0))
    about = f"that have about {round(share * count)} of these {count} rows"
    about = "of these rows" if share > _NEARLY else about
    return (family, f"{about}, to judge by equal values,") if share else (None, "")


def _join(own: Family, kind: str, rows: Iterable[Any], values: Iterable[Rows]) -> Family:
    """Returns the Family of an earlier fit of this ``kind`` to one of the objects ``rows``, such as
    groups and scores, or to many rows with equal values. Returns ``own`` if there is no such fit,
    or if ``own`` has fits already. ``values`` are the same rows, to compare their values."""
    values, whose = [*values], "of these rows"

    def find() -> Family:
        nonlocal whose
        found, words = _family_by_values(kind, values)
        whose = words or whose
        return found or own

    known = _remembered(rows, kind, find) or find()
    if known is not own and not own.fits:
        if whose != "of these rows" and known.fits & (known.fits + 1) == 0:
            known.announced = min(known.announced, known.fits)  # tell at the 2nd, 4th, 8th copy
        known.whose = whose
        own = known
    seen = [look(one, kept=_SOME) for one in values]
    _by_values.extend((kind, one, own) for one in seen if one is not None)
    del _by_values[:-_FITS]
    return own


def family_of(estimator: Any, model: Model, rows: Any, values: Iterable[Rows] = ()) -> Family:
    """Returns the Family that counts the fits of an estimator. An estimator without fits so far
    joins the Family of another estimator that was fitted to the same rows."""
    own: Family = estimator.__dict__.get("_family") or Family()
    kind = "classifiers" if model.rule is None else "rules"
    if not _is_seeded(model):
        own = _join(own, kind, [rows], values)
    estimator._family = own
    return own


def say_renamed(
    model: Model, rows: Iterable[Any], ledger: object, values: Iterable[Rows] = ()
) -> bool:
    """Does what :func:`say_two_names` does, for a fit. Returns False for a ledger that is not in
    this process, such as a path."""
    known = ledger if isinstance(ledger, Ledger) else None
    return say_two_names(model.release_id, known, rows, values)


def count_fit(
    model: Model, rows: Sequence[Any], ledger: object, values: Iterable[Rows] = ()
) -> None:
    """Counts a fit of :func:`dp2dp.fit` or :func:`dp2dp.train`. Warns at the second fit of the same
    rows. All ``rows`` (such as groups and scores) are about the same people. ``values`` are the
    same rows, to compare their values."""
    kind = "core classifiers" if model.rule is None else "core rules"
    values = [*values]
    with keeping(model=model):
        apart = say_renamed(model, rows, ledger, values)
        if not _is_seeded(model):
            _join(Family(), kind, rows, values).count(model, ledger, apart=apart)


_MOST = 1000  # the number of certificates whose rows are known by their scores


class _Certificates:
    """The number of certificates of the same rows so far, and the events charged for them."""

    def __init__(self) -> None:
        self.count = 0
        self.events: list[Event] = []


_by_scores: dict[tuple[int, int], _Certificates] = {}


def _certificates_of(rows: Iterable[Any], scores: Any) -> _Certificates | None:
    """Returns the certificates of these rows, or of other rows with the same ``scores``, which were
    copied or computed anew. Returns None if the rows cannot be recognised."""
    known = _remembered(rows, "certificates", _Certificates)
    key = None
    with keeping():
        key = next((key_of(one) for one in by_scores(scores)), None)
    if key is None or (known is not None and known.count):
        return known
    if len(_by_scores) >= _MOST:
        _by_scores.pop(next(iter(_by_scores)))
    return _by_scores.setdefault(key, known or _Certificates())


def count_certificate(
    release_id: str,
    ledger: Ledger,
    rows: Sequence[Any],
    delta: float,
    new: bool,
    scores: Any = None,
) -> None:
    """Counts a certificate. All ``rows`` (such as groups and scores) are about the same people.
    Warns at the second certificate of the same rows, at the fourth, at the
    eighth and so on. ``new`` says that the ledger was made for this certificate alone. ``scores``
    are None if they must not be compared."""
    rows = rows_given(*rows)
    apart = say_two_names(release_id, ledger, rows, by_scores(scores))
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
