"""Warns if a model is certified or measured on rows that it has learned from, or if its rule is
fitted to rows that its classifier has learned from.

Rows are recognised by their place in memory. So a copy is not recognised. If an array of the fit is
overwritten with rows of other people, these are mistaken for the rows of the fit. With
bad_rows="ignore", fits and certificates never warn here, because the warning could depend on a
value of a frame: numpy may have to copy a column with a missing value, and a copy is not
recognised."""

from __future__ import annotations

import weakref
from typing import Any

from ._places import Place, count_shared, derive, places_of
from ._warn import FairnessWarning, warn

_MEMORY = "If the array was overwritten with the rows of other people, pass a copy of the array"
_decided: dict[int, tuple[weakref.ref[Any], weakref.ref[Any], list[Any]]] = {}


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


def of_fit(model: Any, *rows: Any) -> str:
    """Returns a text that says how many of the given rows a model was fitted to, such as "3 of
    these 10 rows". The text is empty if there is no such row. All ``rows`` are about the same
    people."""
    given = [place for one in rows if one is not None for place in places_of(one)]
    count = count_shared(given, _places_of_fit(model))
    return f"{count} of these {len(given[0].at)} rows" if count else ""


def _tell(found: str, so: str) -> None:
    warn(
        f"rows-of-the-fit: {found} were also used to fit or train the model, so {so}. {_MEMORY}",
        FairnessWarning,
    )


def say_certified(model: Any, *rows: Any) -> bool:
    """Warns if a certificate is about people that the model was fitted to. Returns whether it
    warned."""
    if found := of_fit(model, *rows):
        what = "Use people whom the model has not seen, or pass same_people=True"
        _tell(found, f"the bound does not hold. {what}")
    return bool(found)


def say_trained(models: Any, *rows: Any) -> bool:
    """Warns if a rule is fitted to rows that one of ``models`` was trained on. These models gave
    the scores. Returns whether it warned."""
    found = next((words for model in models if (words := of_fit(model, *rows))), "")
    if found:
        warn(
            f"rows-of-the-training: {found} were also used to train the classifier. Pass "
            f"same_people=True, so that the costs add up, or use other rows. {_MEMORY}"
        )
    return bool(found)


def say_measured(model: Any, rows: Any) -> None:
    """Warns if a model is measured on people that it was fitted to."""
    if found := of_fit(model, rows):
        what = "Measure on people whom the model has not seen"
        _tell(found, f"the result is probably better than for new people. {what}")


def note_decisions(decisions: Any, model: Any, rows: Any, classes: list[Any]) -> None:
    """Remembers which model made the new array ``decisions``, about which ``rows``, and with which
    ``classes``."""
    derive(decisions, rows)
    key = id(decisions)

    def forget(_: object, decided: dict[int, Any] = _decided) -> None:
        decided.pop(key, None)

    _decided[key] = weakref.ref(decisions, forget), weakref.ref(model), classes


def _known(decisions: Any) -> tuple[Any, list[Any]] | None:
    """Returns the model that made these decisions, and its classes, or None if the model is not
    known."""
    known = _decided.get(id(decisions))
    model = known[1]() if known is not None and known[0]() is decisions else None
    return None if known is None or model is None else (model, known[2])


def say_decisions_measured(decisions: Any) -> None:
    """Does what :func:`say_measured` does, for the decisions that ``predict`` returned."""
    if (known := _known(decisions)) is not None:
        say_measured(known[0], decisions)


def say_exchanged(y_true: Any, y_pred: Any) -> None:
    """Warns if ``y_true`` is the very array that ``predict`` returned, and ``y_pred`` is not."""
    if _known(y_true) is not None and _known(y_pred) is None:
        warn(
            "arguments-exchanged: y_true is the array that predict returned. y_true and y_pred "
            "seem to be exchanged: pass the true class of each person first, then the decisions",
            FairnessWarning,
        )


def say_own_decisions(model: Any, y: Any) -> None:
    """Warns if the labels ``y`` are the very array that ``predict`` of ``model`` returned."""
    if (known := _known(y)) is not None and known[0] is model:
        warn(
            "labels-are-decisions: y is the array that predict returned, so the accuracy compares "
            "the decisions with themselves. Pass the true class of each person",
            FairnessWarning,
        )


def classes_decided(decisions: Any) -> list[Any] | None:
    """Returns the classes of the estimator that made these decisions, if they are known."""
    known = _known(decisions)
    return None if known is None else known[1]
