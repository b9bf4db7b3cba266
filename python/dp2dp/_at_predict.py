"""Warns if the rows given to predict seem to differ in kind from the rows of the fit. There are two
signs: all rows get the same class, or the rates of the groups differ although the rule is fair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._typing import Codes
from ._warn import SECRET, FairnessWarning, warn

if TYPE_CHECKING:
    from ._model import Model

_ALL = 1000  # rows needed for a warning: fewer rows may all get the same class by chance
_EACH = 20  # rows that a group needs before the library compares its rates


def say_one_class(decisions: Codes, names: list[Any]) -> None:
    """Warns if everybody gets the same class. The warning does not depend on the frequency of that
    class in the fit, because the frequency is private."""
    count = len(decisions)
    if count < _ALL or (decisions != decisions[0]).any():
        return
    warn(
        f"one-class: all {count} rows get the class {names[decisions[0]]!r}. Do the columns have "
        "the same units and the same order as in the fit? Is the classifier the one that the rule "
        f"was fitted for? {SECRET}",
        FairnessWarning,
    )


def say_gap(model: Model, decisions: Codes, groups: Codes) -> None:
    """Warns if the rates of a class clearly differ between groups, although the rule of the model
    makes these rates equal. If the rows are a random sample of the same population as the rows of
    the fit, at most 1 call in 1000 gives the warning."""
    if model.criterion != "demographic_parity" or model.rule is None or len(groups) < 2 * _EACH:
        return
    if (gap := model._rate_gap(decisions, groups)) is None:
        return
    found, high, low, most, least = gap
    warn(
        f"rates-differ: the rate of the class {model.classes[found]!r} is {most:.2g} in the group "
        f"{model.groups[high]!r} and {least:.2g} in the group {model.groups[low]!r}, although the "
        "rule makes these rates equal. Are the groups or the scores swapped? Is the classifier "
        "the one that the rule was fitted for, with the same columns and units? Are these people "
        "like the people of the fit? If you chose the rows by label or score, different rates "
        f"need not be a mistake. {SECRET}",
        FairnessWarning,
    )
