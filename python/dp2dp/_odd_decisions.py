"""Warns of decisions that do not belong to the labels of the rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ._warn import SECRET, FairnessWarning, warn

_MANY = 100  # people needed to compare decisions with labels
_CLEAR = (
    5  # warn if the decisions are right this many standard deviations less often than by chance
)


def _by_chance(counts: npt.NDArray[np.int64]) -> tuple[float, float]:
    """Returns the mean and the variance of the number of right decisions in one group, if its
    decisions were given to its people in any order. ``counts`` has the axes label and decision."""
    n = int(counts.sum())
    if n < 2:
        return float(np.trace(counts)), 0.0
    labels, decisions = (counts.sum(axis=axis).astype(np.float64) for axis in (1, 0))
    mean = labels @ decisions / n
    # Each pair of a label and a decision counts as 1 if they are equal, minus the means of its row
    # and its column, plus the mean of all pairs (Hoeffding's permutational central limit theorem).
    centred = np.eye(len(counts)) - (decisions[:, None] + labels) / n + mean / n
    return mean, float(labels @ centred**2 @ decisions) / (n - 1)


def say_worse(counts: npt.NDArray[np.int64] | None) -> None:
    """Warns if the decisions agree with the labels far less often than decisions handed out at
    random in each group. ``counts`` has the axes group, label and decision, or is None. Looking
    inside the groups keeps decisions that are only biased against a group apart from those that are
    wrong. Decisions that say nothing about the labels cause a warning in fewer than 1 of a million
    cases."""
    if counts is None or (people := int(counts.sum())) < _MANY:
        return
    found = float(np.trace(counts, axis1=1, axis2=2).sum())
    mean, variance = np.sum([_by_chance(one) for one in counts], axis=0)
    if mean - found <= _CLEAR * np.sqrt(variance):
        return
    warn(
        f"worse-than-guessing: {found / people:.0%} of the decisions are right, but "
        f"{mean / people:.0%} would be if each group got its decisions in random order. Do labels "
        "and decisions write the classes in the same way, or does 1 mean yes in one and no in the "
        f"other? If you chose the rows by their errors, this is no mistake. {SECRET}",
        FairnessWarning,
    )
