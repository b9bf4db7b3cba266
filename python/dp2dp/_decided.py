"""Recognises arrays that predict returned when they are measured later, or are passed in the place
of labels or groups. A copy, such as a column of a table, is recognised by its values. Stores only
weak references to arrays and models, hashes and, as long as the array lives, the index of its
rows."""

from __future__ import annotations

import hashlib
import weakref
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ._factored import factored, text_of
from ._index import Indexed, index_of
from ._places import derive
from ._rows_of_fit import learned_from, tell_measured
from ._scaled import say_scaled_anew
from ._warn import FairnessWarning, keeping, warn


@dataclass(frozen=True)
class _Made:
    """What is known about an array of decisions: the model that made it, its classes, its positive
    class, the index of the rows, and how many of the rows the model has learned from, in words.
    Positive class and index may be None."""

    model: weakref.ref[Any]
    classes: list[Any]
    positive: Any
    index: Any
    learned: str


# The names of decisions, labels and groups in a call, and the order in which the call takes them.
_OF_METRICS = (
    "y_pred",
    "y_true",
    "sensitive_features",
    "the true class of each person first, then the decisions, and the groups as sensitive_features",
)
_OF_CORE = (
    "predictions",
    "labels",
    "groups",
    "the decisions first, then the groups, then the true classes",
)
_FEW = 100  # decisions about fewer people may equal the labels of other people by chance
_MOST = 100_000  # if there are more rows, at most about this many of them are hashed
_KEPT = 1000  # hashes are kept for at most this many arrays of decisions
_decided: dict[int, tuple[weakref.ref[Any], _Made]] = {}
_by_values: dict[tuple[int, bytes], _Made] = {}


def _key_of(decisions: Any) -> tuple[int, bytes] | None:
    """Returns the number of rows and a hash of their values, which is the same for an array, a
    list and a column. Returns None for few rows, and if all values are equal."""
    with suppress(Exception):  # an unknown kind of column may raise anything
        if len(decisions) < _FEW:
            return None
        step = 1 + len(decisions) // _MOST
        found = factored((decisions.iloc if hasattr(decisions, "iloc") else decisions)[::step])
        names = [text_of(value) for value in found.values.tolist()]
        if len(names) > 1:
            ranks = np.argsort(np.argsort(np.array(names))).astype(np.int32)
            key = hashlib.blake2b(repr(sorted(names)).encode(), digest_size=16)
            key.update(ranks[found.codes].data)
            return len(decisions), key.digest()
    return None


def note_decisions(
    decisions: Any,
    model: Any,
    rows: Any,
    classes: list[Any],
    positive: Any = None,
    *,
    compared: bool = True,
) -> None:
    """Remembers which model made the new array ``decisions``, about which ``rows``, with which
    ``classes``, and with which ``positive`` class, which may be None. Unless ``compared`` is False,
    also remembers how many of the rows the model has learned from, to judge by their values, and
    warns if other rows seem to be scaled anew."""
    derive(decisions, rows)
    learned = ""
    if compared:
        with keeping():
            learned = learned_from(model, rows)
            if not learned:
                say_scaled_anew(rows)
    key = id(decisions)

    def forget(_: object, decided: dict[int, Any] = _decided) -> None:
        decided.pop(key, None)

    made = _Made(weakref.ref(model), classes, positive, index_of(rows), learned)
    _decided[key] = weakref.ref(decisions, forget), made
    if (values := _key_of(decisions)) is not None:
        _by_values.pop(values, None)
        _by_values[values] = replace(made, index=None)
        if len(_by_values) > _KEPT:
            _by_values.pop(next(iter(_by_values)))


def _known(decisions: Any) -> _Made | None:
    """Returns what is known about an array of decisions. Returns None for any other object, and if
    the model is gone."""
    array, made = _decided.get(id(decisions), (None, None))
    known = array is not None and array() is decisions
    return made if known and made is not None and made.model() else None


def _recognised(decisions: Any) -> _Made | None:
    """Does what :func:`_known` does, and also recognises a copy by its values."""
    if (known := _known(decisions)) is not None:
        return known
    size = len(decisions) if hasattr(decisions, "__len__") else 0
    if all(size != rows for rows, _ in _by_values) or (key := _key_of(decisions)) is None:
        return None
    made = _by_values.get(key)
    return made if made is not None and made.model() else None


def indexed(decisions: Any) -> Any:
    """Returns an object with the index of the rows that an array of decisions is about. Returns
    decisions about rows without an index, and anything else, unchanged."""
    known = _known(decisions)
    return decisions if known is None or known.index is None else Indexed(known.index)


def say_decisions_measured(decisions: Any) -> None:
    """Warns if the decisions that ``predict`` returned are about people of the fit."""
    if (known := _known(decisions)) is not None:
        tell_measured(known.model(), decisions, known.learned)


def say_exchanged(decided: Any, labels: Any, groups: Any, *, of_core: bool = False) -> None:
    """Warns if the labels or the groups are what ``predict`` returned, but ``decided``, the
    argument for the decisions, is not. ``of_core`` says that the arguments are those of
    core.evaluate. If the groups are decisions of a classifier without a rule, there is no warning:
    such a classifier may well predict groups."""
    if _recognised(decided) is not None:
        return
    own, true, grouped, order = _OF_CORE if of_core else _OF_METRICS
    known = _recognised(groups)
    model = None if known is None else known.model()
    seen = model is not None and model.rule is not None
    for name, is_decided in ((true, _recognised(labels) is not None), (grouped, seen)):
        if is_decided:
            warn(
                f"arguments-exchanged: {name} holds the decisions that predict returned. {own} and "
                f"{name} seem to be exchanged: pass {order}",
                FairnessWarning,
            )


def say_own_decisions(model: Any, y: Any) -> None:
    """Warns if the labels ``y`` are the very array that ``predict`` of ``model`` returned."""
    if (known := _known(y)) is not None and known.model() is model:
        warn(
            "labels-are-decisions: y is the array that predict returned, so the accuracy compares "
            "the decisions with themselves. Pass the true class of each person",
            FairnessWarning,
        )


def classes_decided(decisions: Any) -> list[Any] | None:
    """Returns the classes of the estimator that made these decisions, if they are known."""
    known = _recognised(decisions)
    return None if known is None else known.classes


def positive_decided(decisions: Any) -> Any:
    """Returns the positive class of the estimator that made these decisions, or None if it is not
    known or there are not two classes."""
    known = _recognised(decisions)
    return None if known is None or len(known.classes) != 2 else known.positive
