"""Recognises arrays that predict returned when they are measured later, or are passed in the place
of labels or groups. Stores only weak references to arrays and models and, as long as the array lives,
the index of its rows."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any

from ._index import Indexed, index_of
from ._places import derive
from ._rows_of_fit import say_measured
from ._warn import FairnessWarning, warn


@dataclass(frozen=True)
class _Made:
    """What is known about an array of decisions: the model that made it, its classes, its positive
    class, and the index of the rows. Positive class and index may be None."""

    model: weakref.ref[Any]
    classes: list[Any]
    positive: Any
    index: Any


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
_decided: dict[int, tuple[weakref.ref[Any], _Made]] = {}


def note_decisions(
    decisions: Any, model: Any, rows: Any, classes: list[Any], positive: Any = None
) -> None:
    """Remembers which model made the new array ``decisions``, about which ``rows``, with which
    ``classes``, and with which ``positive`` class, which may be None."""
    derive(decisions, rows)
    key = id(decisions)

    def forget(_: object, decided: dict[int, Any] = _decided) -> None:
        decided.pop(key, None)

    made = _Made(weakref.ref(model), classes, positive, index_of(rows))
    _decided[key] = weakref.ref(decisions, forget), made


def _known(decisions: Any) -> _Made | None:
    """Returns what is known about an array of decisions. Returns None for any other object, and if
    the model is gone."""
    array, made = _decided.get(id(decisions), (None, None))
    return made if array is not None and array() is decisions and made.model() else None


def indexed(decisions: Any) -> Any:
    """Returns an object with the index of the rows that an array of decisions is about. Returns
    anything else as it is, and decisions about rows without an index."""
    known = _known(decisions)
    return decisions if known is None or known.index is None else Indexed(known.index)


def say_decisions_measured(decisions: Any) -> None:
    """Does what :func:`say_measured` does, for the decisions that ``predict`` returned."""
    if (known := _known(decisions)) is not None:
        say_measured(known.model(), decisions)


def say_exchanged(decided: Any, labels: Any, groups: Any, *, of_core: bool = False) -> None:
    """Warns if the labels or the groups are the very array that ``predict`` returned, and the
    decisions ``decided`` are not. ``of_core`` says that the arguments are those of core.evaluate.
    A classifier without a rule may well predict groups, so its decisions are not told there."""
    if _known(decided) is not None:
        return
    own, true, grouped, order = _OF_CORE if of_core else _OF_METRICS
    known = _known(groups)
    seen = known is not None and known.model().rule is not None
    for name, is_decided in ((true, _known(labels) is not None), (grouped, seen)):
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
    known = _known(decisions)
    return None if known is None else known.classes


def positive_decided(decisions: Any) -> Any:
    """Returns the positive class of the estimator that made these decisions, or None if it is not
    known or there are not two classes."""
    known = _known(decisions)
    return None if known is None or len(known.classes) != 2 else known.positive
