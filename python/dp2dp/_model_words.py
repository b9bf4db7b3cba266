"""A model in words: what it is, what it promises, and what changes for which group."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from . import _core
from ._criterion import is_rate
from ._html import html_table
from ._odd_rho import changes_nothing
from ._thresholds import thresholds_of
from ._typing import Float64s
from ._warn import FairnessWarning, up, warn

if TYPE_CHECKING:
    from ._model import Cover, Model
    from .accounting import Event

_APART = 4  # two counts surely differ if they are this many standard deviations of noise apart


def say_noise(model: Model) -> None:
    """Warns if a classifier is largely noise, which follows from public numbers."""
    if (caution := model.info["noise_caution"]) is not None:
        warn(f"{caution[0]}: {caution[1]}", FairnessWarning)


def thresholds_html(model: Model) -> str:
    """Returns a table of the thresholds, as HTML. The text is empty if the rule has no
    thresholds."""
    dither = model.info["dither"]
    found = thresholds_of(model.offsets, model.rule, dither)
    if found is None:
        return ""
    found = np.clip(found, 0, 1)
    head = ["group", "before", "after", *(["dither from", "dither to"] if dither else [])]
    values = [[0.5, *row[: len(head) - 2]] for row in found.tolist()]
    texts = [
        [name, *(f"{t:.4f}" for t in row)] for name, row in zip(model.groups, values, strict=True)
    ]
    bars = [[None, *row] for row in values]
    said = f"Class {model.classes[1]} is given if its score is above the group's threshold"
    return f"<br>{escape(said)}{html_table(head, texts, bars)}"


def offsets_html(model: Model) -> str:
    """Returns a table of the offsets, as HTML. The text is empty if the model has no rule."""
    names = model.groups
    if model.info["labels"] > 1:
        names = [f"{group}, label {label}" for group in names for label in model.classes]
    if not model.info["offsets"]:
        return ""
    rows = [["before, any group", *("0" for _ in model.classes)]]
    rows += [
        [f"after, {name}", *(f"{value:+.4f}" for value in offsets)]
        for name, offsets in zip(names, model.info["offsets"], strict=True)
    ]
    weighted = ""
    if model.rule == "linear":
        weighted = "weighted by the probabilities of the labels and then "
    elif model.rule == "weighted":
        of = "groups and labels" if model.info["labels"] > 1 else "groups"
        weighted = f"weighted by the probabilities of the {of} and then "
    said = f"Offsets, which are {weighted}subtracted from the scores"
    return f"<br>{said}{html_table(['offsets', *model.classes], rows)}"


def smallest_of(counts: Float64s, model: Model, deviation: float | None) -> str:
    """Returns a text for the end of a warning. The text names the group, or the group and label,
    with the smallest released count, unless the noise may hide which group is the smallest.
    ``counts`` has the axes of ``model.shares``. ``deviation`` is the standard deviation of the
    noise of the counts, or None if it is not known."""
    least, second = np.sort(counts, axis=None)[:2] if counts.size > 1 else (0.0, np.inf)
    if deviation is not None and second - least <= _APART * np.sqrt(2) * deviation:
        rows = _most_rows(model)
        more = (
            f". With up to {rows} rows per person, the noise is {rows} times as large as with one"
        )
        return (
            ". The released counts do not show which group is the smallest (noise of standard "
            f"deviation {_two_digits(deviation)}): a larger epsilon or more people are needed"
            f"{more if rows > 1 else ''}"
        )
    at = np.unravel_index(int(np.argmin(counts)), counts.shape)
    label = f" with the label {model.classes[at[1]]!r}" if len(at) > 1 else ""
    about = max(round(float(counts[at])), 0)
    noise = "" if deviation is None else f" (noise of standard deviation {_two_digits(deviation)})"
    return (
        f". The smallest released count is that of the group {model.groups[at[0]]!r}{label}: about "
        f"{about} people{noise}"
    )


def _two_digits(value: float) -> str:
    return f"{float(f'{value:.1e}'):g}"


def smallest(model: Model) -> str:
    """Returns a text that names the smallest group of the fit, as :func:`smallest_of` does. The
    text is empty if the model has no rule."""
    if model.rule is None or model.shares.size == 0:
        return ""
    # Only the solvers counts and sgd add noise to counts of people. The noise of the other solvers
    # is in another unit, so the text does not state it.
    counted = model.solver in ("counts", "sgd")
    events = [entry.event for entry in model.ledger.entries if entry.event]
    noise = [event.sigma for event in events if event.label == "group counts" and counted]
    kept = model.info["records_kept"] or model.records
    return smallest_of(model.shares * kept, model, noise[-1] if noise else None)


def _are_same_people(model: Model) -> bool:
    """Returns whether the ledger of the model charges the training and the fit of the rule to one
    set of people."""
    sets = {entry.role: entry.people or entry.role for entry in model.ledger.entries if entry.role}
    return "train" in sets and sets["train"] == sets.get("pool")


def _most_rows(model: Model) -> int:
    return max((e.event.rows_per_person for e in model.ledger.entries if e.event), default=1)


def _assumed_rows(model: Model) -> str:
    """Says how many records of one person the guarantee assumes."""
    most = _most_rows(model)
    return "one record" if most == 1 else f"at most {most} records"


def _may_count(event: Event, cover: Cover) -> bool:
    """Returns whether a charge may be about the people of ``cover``: it names these people, or it
    names no people."""
    people = event.set or event.role
    return event.role in (None, cover.role) or people in (None, cover.role, cover.people)


def _cost_of(model: Model, cover: Cover, same: bool) -> tuple[float, float, str]:
    """Returns epsilon, delta, and words that say whether the user has stated them. A single stated
    cost is shown as it was stated: the model's own delta may be larger, which makes epsilon
    smaller. ``same`` says that all people of the model are the same."""
    events = [entry.event for entry in model.ledger.entries if entry.event is not None]
    known = [event for event in events if same or _may_count(event, cover)]
    stated = [event for event in known if event.mechanism == "declared"]
    alone = len(stated) == len(known) == 1 and stated[0].count == 1
    if alone and stated[0].epsilon >= (cover.epsilon or 0.0):
        return stated[0].epsilon, stated[0].delta, ", as stated"
    part = "" if len(stated) == len(known) else "in part "
    words = f", {part}as stated" if stated else ""
    return cover.epsilon or 0.0, cover.delta or 0.0, words


def promise_of(model: Model) -> str:
    """Says who has which guarantee, and who has none."""
    reasons = [_core.not_private_because[word] for word in model.not_private_because]
    parts = ["NOT PRIVATE: " + "; ".join(reasons)] if reasons else []
    # If the classifier was trained elsewhere, its training rows are unknown, and epsilon is None.
    covers = [c for c in model.covers if c.epsilon is not None and c.delta is not None]
    names = [str(cover) for cover in covers]
    same = len(covers) == 2 and _are_same_people(model)
    if same:
        names = [f"{' and '.join(names)}, which belong to the same people"]
    for cover, name in zip(covers, names, strict=False):
        epsilon, delta, stated = _cost_of(model, cover, same)
        parts.append(
            f"({up(epsilon)}, {up(delta)})-differentially private{stated}, "
            f"replace-one, for {name}, if each person has {_assumed_rows(model)}"
        )
    parts += [f"NOT covered: {cover} ({', '.join(cover.because)})" for cover in model.not_covered]
    if "scores-origin-not-stated" in model.warnings:
        parts.append("NOT covered: people behind the scores (scores-origin-not-stated)")
    return "; ".join(parts)


def _of_class(model: Model) -> str:
    """Returns words for the class whose rates a rate parity compares, if there are more than two
    classes."""
    if len(model.classes) <= 2 or not is_rate(model.criterion or ""):
        return ""
    if model.positive is None:
        return " of every class"
    return f" of the class {model.classes[model.positive]!r}"


def kind_of(model: Model) -> str:
    """Says what the model is: a rule, a classifier, or both."""
    if model.solver is None:
        target = model.info["classifier"]["target"] if model.info["classifier"] else "label"
        if target == "group":
            return f"classifier that predicts one of {len(model.groups)} groups, without a rule"
        pairs = f" and {len(model.groups)} groups" if target == "group-label" else ""
        return f"classifier of {len(model.classes)} classes{pairs}"
    rule = f"fair rule ({model.criterion}{_of_class(model)})"
    if model.rule == "weighted":
        rule += " that does not see the group,"
    rule += f" for {len(model.groups)} groups, {len(model.classes)} classes"
    if changes_nothing(model):
        rule += ", which changes nothing (all offsets are about 0)"
    if model.info["classifier"] is None:
        return rule
    both = model.info["group_classifier"] is not None
    return ("classifiers of label and group, and " if both else "classifier and ") + rule
