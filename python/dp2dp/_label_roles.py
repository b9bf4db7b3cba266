"""Warns of true labels that are probably groups, and of labels that stand for no class."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

import numpy as np

from ._factored import Factored, factored
from ._typing import Labels
from ._warn import FairnessWarning, warn

_MANY, _PART = 20, 20  # a warning needs 20 rows with the label, and 1 in 20 of all rows
# Matches words for an unknown label, and numbers such as -99. -1 is not matched: it may be a class.
_UNKNOWN = re.compile(
    r"(pending|unknown|unkn?|missing|undecided|undetermined|unclear|unlabell?ed|unspecified"
    r"|unavailable|incomplete|ongoing|in pro(gress|cess)|under review|waiting|awaiting.*|n/?a|nan"
    r"|null|<na>|tb[ad]|\?+|censored|(not|no) (yet )?(known|available|stated|specified|answer(ed)?"
    r"|decided|determined|response)|to be (decided|determined))|-9+(\.0)?",
    re.IGNORECASE,
)


def _set_of(column: Any) -> set[Any]:
    found = column if isinstance(column, Factored) else factored(column)
    return {*found.values.tolist()}


def are_exchanged(labels: Any, decisions: Any, groups: Any) -> bool:
    """Returns whether the user probably exchanged y_true and sensitive_features. The result is True
    if ``groups`` has the same values as ``decisions``, and ``labels`` has none of these values. If
    all decisions are equal, ``groups`` may have one more value. Returns False for numbers, because
    codes of groups and codes of classes are often the same numbers. ``labels`` may be None."""
    with suppress(TypeError, ValueError):
        true, given, grouped = (_set_of(column) for column in (labels, decisions, groups))
        known = given == grouped or (given < grouped and len(grouped) == 2)
        texts = all(isinstance(value, str) for value in grouped) and len(grouped) > 1
        return bool(true) and known and texts and not true & grouped
    return False


def tell_exchanged() -> None:
    warn(
        "arguments-exchanged: the values in sensitive_features are those of y_pred, but no value "
        "in y_true is. y_true and sensitive_features seem to be exchanged: pass the true class of "
        "each person as y_true, and the group as sensitive_features",
        FairnessWarning,
    )


def _is_unknown(label: Any) -> bool:
    return bool(_UNKNOWN.fullmatch(" ".join(str(label).replace("_", " ").split())))


def say_never_decided(labels: Labels, decisions: set[Any], classes: list[Any] | None) -> None:
    """Warns of a frequent label that is probably not a class. ``decisions`` are the classes that
    were decided. If the estimator's ``classes`` are known, warns of any label that is not one of
    them. If not, warns only of a label such as "unknown". Other labels may be classes: a classifier
    of three or more classes may never decide one of them, even a frequent one."""
    found = factored(labels)
    counts = np.bincount(found.codes[found.codes >= 0], minlength=len(found.values))
    for label, count in zip(found.values.tolist(), counts.tolist(), strict=True):
        is_class = label in classes if classes is not None else not _is_unknown(label)
        if is_class or label in decisions or count < max(_MANY, len(labels) / _PART):
            continue
        warn(
            f"label-never-decided: {count} of {len(labels)} people have the label {label!r}, which "
            "is never decided, so every decision about them counts as wrong. If their true class "
            "is not known, leave these people out. If the label is a class, list all classes as "
            "classes=[...]",
            FairnessWarning,
        )
        return
