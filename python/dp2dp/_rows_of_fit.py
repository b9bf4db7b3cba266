"""Warns if a model is certified or measured on rows that it has learned from, or if its rule is
fitted to rows that its classifier has learned from.

Rows are recognised by their place in memory. If an array of the fit is overwritten with rows of
other people, these are mistaken for the rows of the fit. A copy is recognised by its values or
its scores (:mod:`dp2dp._equal_rows`). With bad_rows="ignore", fits and certificates never warn
here: a missing value in a frame can make numpy copy its column to another place, where the rows are
not recognised, so a warning would reveal whether a value is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

import numpy as np

from . import _equal_rows
from ._equal_rows import KEPT, LEAST, Rows, Seen, by_scores, by_values
from ._places import Place, count_shared, places_of
from ._row_hashes import bits_in
from ._warn import FairnessWarning, warn

_MEMORY = "If the array was overwritten with the rows of other people, pass a copy of the array"

_given: ContextVar[Any] = ContextVar("given", default=None)


@contextmanager
def rows_are(rows: Any) -> Iterator[None]:
    """Inside the with block, certificates and reports are about ``rows``, the object that the user
    passed. core.certify and Model.report may get only scores of these rows."""
    token = _given.set(rows)
    try:
        yield
    finally:
        _given.reset(token)


def rows_given(*rows: Any) -> tuple[Any, ...]:
    """Returns the rows that :func:`rows_are` names, or else ``rows``."""
    given = _given.get()
    return rows if given is None else (given,)


def _places_of_fit(model: Any) -> list[Place]:
    """Returns the places of the rows that a model has learned from."""
    known: list[Place] = getattr(model, "__dict__", {}).get("_places", [])
    return known


def remember(model: Any, *rows: Any, behind: Any = ()) -> None:
    """Remembers which rows a model was fitted to. All ``rows`` (such as scores and groups) are
    about the same people. ``behind`` are the models that gave the scores; the rows that they were
    fitted to are remembered too."""
    known = [place for one in rows if one is not None for place in places_of(one)]
    known += [place for one in behind for place in _places_of_fit(one)]
    model.__dict__["_places"] = known
    model.__dict__["_seen"] = _seen_by(model) + [seen for one in behind for seen in _seen_by(one)]


def _seen_by(model: Any) -> list[Seen]:
    """Returns what is kept about the scores of the rows that a model has learned from."""
    known: list[Seen] = getattr(model, "__dict__", {}).get("_seen", [])
    return known


def remember_equal(model: Any, rows: Iterable[Rows], part: float = 1.0) -> None:
    """Remembers by their values the rows that a model has learned from, or a ``part`` of them."""
    found = [_equal_rows.look(one, part=part) for one in rows]
    model.__dict__["_seen"] = _seen_by(model) + [one for one in found if one is not None]


def some_rows(rows: Any) -> Any:
    """Returns at most about 2^14 rows of a frame or an array, evenly spread. Returns None for a
    file, or a stream that can be read only once."""
    count = len(rows) if hasattr(rows, "__len__") else 0
    step = 1 + count // KEPT
    if hasattr(rows, "iloc"):
        return rows.iloc[::step]
    if hasattr(rows, "gather_every"):
        return rows.gather_every(step)
    if hasattr(rows, "num_rows") and hasattr(rows, "take"):
        return rows.take(np.arange(0, count, step))
    return rows[::step] if isinstance(rows, (np.ndarray, list)) else None


def _like(model: Any, rows: tuple[Any, ...], scores: Any = None) -> tuple[float, str]:
    """Returns about which share of the rows a model has learned from, to judge by equal values, and
    what is equal. ``scores`` are those of all rows, or None. The objects ``rows`` are about the
    same people; of each, only some rows are compared."""
    seen = _seen_by(model)
    given = by_scores(scores) if seen else []
    if any(one.kind == "values" for one in seen):
        given += [found for one in rows for found in by_values(bits_in(some_rows(one)))]
    shares = [(_equal_rows.share_of(one, other), other.kind) for one in seen for other in given]
    return max(shares, default=(0.0, ""))


def of_fit(model: Any, *rows: Any) -> str:
    """Returns a text that says how many of the given rows a model was fitted to, such as "3 of
    these 10 rows". The text is empty if there is no such row. All ``rows`` are about the same
    people."""
    given = [place for one in rows if one is not None for place in places_of(one)]
    count = count_shared(given, _places_of_fit(model))
    return f"{count} of these {len(given[0].at)} rows" if count else ""


def _about(share: float, kind: str, count: int) -> str:
    """Returns a text that says how many of ``count`` rows a model was fitted to, about."""
    many = max(1, round(share * count))
    return f"about {many} of these {count} rows, to judge by equal {kind}," if share else ""


def _found(model: Any, rows: tuple[Any, ...], scores: Any) -> tuple[str, str]:
    """Does what :func:`of_fit` does, and compares the rows and their ``scores``, which may be None,
    by their values too. Also returns advice for the end of a message."""
    if found := of_fit(model, *rows):
        return found, f". {_MEMORY}"
    with suppress(Exception):  # a foreign type may raise anything; at worst, a warning is missed
        count = len(rows[0] if scores is None else scores)
        if count >= LEAST:
            return _about(*_like(model, rows, scores), count), ""
    return "", ""


def _tell(found: str, so: str) -> None:
    warn(
        f"rows-of-the-fit: {found} were also used to fit or train the model, so {so}",
        FairnessWarning,
    )


def say_certified(model: Any, *rows: Any, scores: Any = None) -> bool:
    """Warns if a certificate is about people that the model was fitted to. The rows are compared by
    their place in memory, and ``scores`` by their values. Returns whether it warned."""
    found, more = _found(model, rows, scores)
    if found:
        what = "Use people whom the model has not seen, or pass same_people=True"
        _tell(found, f"the bound does not hold. {what}{more}")
    return bool(found)


def say_trained(models: Any, *rows: Any, scores: Any = None) -> bool:
    """Warns if a rule is fitted to rows that one of ``models`` was trained on. These models gave
    the scores. Returns whether it warned."""
    each = (_found(model, rows, scores) for model in models)
    found, more = next((one for one in each if one[0]), ("", ""))
    if found:
        warn(
            f"rows-of-the-training: {found} were also used to train the classifier. Pass "
            f"same_people=True, so that the costs add up, or use other rows{more}"
        )
    return bool(found)


def say_measured(model: Any, *rows: Any, scores: Any = None) -> str:
    """Warns if a model is measured on people that it was fitted to. Returns how many these are, in
    words, or an empty text."""
    found, more = _found(model, rows, scores)
    _tell_measured(found, more)
    return found


def _tell_measured(found: str, more: str) -> None:
    if found:
        what = "Measure on people whom the model has not seen"
        _tell(found, f"the result is probably better than for new people. {what}{more}")


def learned_from(model: Any, rows: Any) -> str:
    """Returns a text that says how many of the rows a model has learned from, or an empty text."""
    return _found(model, (rows,), None)[0]


def tell_measured(model: Any, decisions: Any, known: str) -> None:
    """Does what :func:`say_measured` does, for ``decisions`` that a model made. ``known`` says how
    many of their rows the model has learned from, to judge by their values."""
    found = of_fit(model, decisions)
    _tell_measured(found or known, f". {_MEMORY}" if found else "")
