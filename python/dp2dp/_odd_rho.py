"""Warns of a rule whose tolerance rho allows nearly any gap. Both warnings depend only on the
model, which is public, and not on the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._warn import FairnessWarning, warn

if TYPE_CHECKING:
    from ._model import Model

_LARGE = 0.5  # a tolerance this large is probably a ratio, such as 0.8, or a percentage


def changes_nothing(model: Model) -> bool:
    """Returns whether the model has a rule with rho > 0 that changes nothing: everybody gets the
    most likely class, as without the rule."""
    return (
        model.rule is not None
        and model.info["settings"]["rho"] > 0
        and model.info["changes_nothing"]
    )


def say_rho(model: Model) -> None:
    """Warns if rho is very large. Also warns if all offsets are about 0 because of rho."""
    if model.rule is None:
        return
    rho = model.info["settings"]["rho"]
    if rho >= _LARGE:
        warn(
            f"rho-large: rho = {rho:g} allows the rates of two groups to differ by {rho:g}. rho is "
            "a difference of rates, not a ratio as in the four-fifths rule, and not a percentage: "
            "0 allows no difference, 0.02 allows 2 percentage points",
            FairnessWarning,
        )
    if changes_nothing(model):
        warn(
            f"rule-changes-nothing: with rho = {rho:g} all offsets are 0, or nearly 0, so nearly "
            "everybody gets the class with the largest score, as without the rule. For smaller "
            "gaps, lower rho",
            FairnessWarning,
        )
