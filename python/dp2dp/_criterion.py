"""Checks the options that say what a rule makes equal between groups."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from . import _core
from ._core import OptionError
from ._typing import Statistic
from ._warn import FairnessWarning, warn

DEMOGRAPHIC_PARITY = "demographic_parity"
_RATES = {
    "true_positive_rate_parity",
    "equal_opportunity",
    "false_positive_rate_parity",
    "predictive_equality",
}
_POSITIVE = {"yes", "y", "true", "t", "1", "positive", "pos"}


def flags_of(statistics: Iterable[Statistic], classes: int) -> list[tuple[int, bytes | None]]:
    """Converts pairs (class, labels) to the form that the C library takes: pairs (class index,
    flags), with one flag for each label. If ``labels`` is None, the flags are None too."""
    found: list[tuple[int, bytes | None]] = []
    for number, statistic in enumerate(statistics, 1):
        try:
            chosen, given = statistic
            labels = None if given is None else [int(y) for y in np.atleast_1d(np.asarray(given))]
            index = int(chosen)
        except (TypeError, ValueError):
            raise OptionError(
                f"statistic {number} must be (class, labels), where class is a code and labels "
                "is a list of codes or None"
            ) from None
        if not 0 <= index < classes or any(not 0 <= y < classes for y in labels or ()):
            raise OptionError(
                f"statistic {number}: the class and the labels must be codes from 0 to "
                f"{classes - 1}"
            )
        flags = None if labels is None else bytes(y in labels for y in range(classes))
        found.append((index, flags))
    return found


def statistics_of(flags: list[tuple[int, bytes | None]]) -> list[Statistic]:
    """Converts the result of :func:`flags_of` back."""
    return [
        (index, None if has is None else [y for y, flag in enumerate(has) if flag])
        for index, has in flags
    ]


def is_rate(criterion: str) -> bool:
    """Returns whether a criterion depends on which class is the positive one."""
    return criterion in _RATES


def is_labelled(criterion: str, statistics: Iterable[Statistic] | None) -> bool:
    """Returns whether a criterion compares people with the same label."""
    if criterion == "custom":
        return any(labels is not None for _, labels in statistics or ())
    return criterion != DEMOGRAPHIC_PARITY


def take_statistics(options: dict[str, Any], classes: int) -> bool:
    """Returns whether the criterion compares people with the same label, and stores the result as
    the option ``labelled``. Also converts the option ``statistics`` to the form that the library
    takes."""
    given = options.get("statistics")
    if given is not None:
        if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
            raise OptionError("statistics must be a list of (class, labels)")
        options["statistics"] = flags_of(list(given), classes)
        given = statistics_of(options["statistics"])
    options["labelled"] = is_labelled(options.get("criterion") or DEMOGRAPHIC_PARITY, given)
    return bool(options["labelled"])


def take_positive(options: dict[str, Any], names: list[str] | None) -> None:
    """Replaces the name of the positive class by its code."""
    given = options.get("positive")
    if not isinstance(given, str):
        return
    if names is None or given not in names:
        known = "the code of a class, from 0" if names is None else f"one of {', '.join(names)}"
        raise OptionError(f"positive must be {known}; not {given!r}")
    options["positive"] = names.index(given)


def complete(options: dict[str, Any], groups: Any, classes: int) -> None:
    """Checks, before anything is charged, that the user gave the groups and labels that the
    criterion needs. Adds the options that follow from the criterion."""
    criterion = options.get("criterion") or DEMOGRAPHIC_PARITY
    counted = options.get("counted") or "labels"
    if criterion not in _core.criteria or counted not in ("labels", "scores"):
        return  # the library refuses the unknown word
    labelled = take_statistics(options, classes)
    labels = options.get("labels") is not None
    if labels and not labelled:
        raise OptionError(
            f"labels were given, but the criterion {criterion} does not use labels: leave "
            "labels out, or choose another criterion"
        )
    if labels and counted == "scores":
        raise OptionError("counted='scores' uses scores in place of labels: leave labels out")
    if labelled and not labels and counted == "labels":
        raise OptionError(
            f"the criterion {criterion} compares people with the same label: pass labels"
        )
    if groups is None and (options.get("weights") is None or counted == "labels"):
        raise OptionError("groups are missing: pass the group code of each row")


def check(
    criterion: Any, statistics: Any, classes: int, *, solver: str, sees_group: bool = True
) -> bool:
    """Refuses a bad criterion at once: the library would refuse it only after an estimator has been
    charged. Returns whether the criterion compares people with the same label."""
    if not isinstance(criterion, str) or criterion not in _core.criteria:
        words = ", ".join(_core.criteria)
        raise OptionError(f"constraints must be one of {words}; not {criterion!r}")
    if criterion == "custom" and not statistics:
        raise OptionError(
            "constraints='custom' needs the option statistics, a list of (class, labels)"
        )
    if criterion != "custom" and statistics:
        raise OptionError(
            f"the option statistics needs constraints='custom', not {criterion!r}: change "
            "constraints, or leave statistics out"
        )
    if statistics:
        flags_of(statistics, classes)
    if solver not in ("counts", "exact") and (criterion != DEMOGRAPHIC_PARITY or not sees_group):
        raise OptionError(
            f"solver {solver!r} works only for demographic parity with a rule that sees the "
            "group; use solver 'counts' or 'exact'"
        )
    return is_labelled(criterion, statistics)


def _is_yes(other: Any, name: Any) -> bool:
    """Returns whether the class ``name`` is clearly the positive one of two classes: a word for
    yes, or a larger number than ``other``."""
    if isinstance(name, str) and name.casefold() in _POSITIVE:
        return True
    try:
        return float(name) > float(other)
    except (TypeError, ValueError, OverflowError):  # at least one is not a number
        return False


def tell_positive(
    names: list[Any], order: str = "in sorted order", *, by_code: bool = False
) -> None:
    """Warns that the second of two classes was taken as the positive one. Does not warn if the name
    of this class is a word for yes, or the larger of two numbers. ``by_code`` says that users give
    the option ``positive`` as a code."""
    if len(names) != 2 or _is_yes(*names):
        return
    own, other = (1, 0) if by_code else (repr(names[1]), repr(names[0]))
    warn(
        f"positive-by-default: class {names[1]!r} is taken as the positive class, because it is "
        f"the second {order}. Pass positive={own} to confirm this, or positive={other} for the "
        "other class",
        FairnessWarning,
    )
