"""Warns of scores that do not belong to the labels of the rows."""

from __future__ import annotations

from ._odd_scores import say_against
from ._odd_weights import of_part, told
from ._typing import Codes, Floats
from ._warn import SECRET, FairnessWarning, warn

_MANY = 100  # rows needed to compare scores with labels: fewer say little
_CHANCE = 2  # standard errors: scores that reach this predict the labels better than chance
_CLEAR = 10  # standard errors: warn only if good scores would reach at least this


def say_odd_labels(scores: Floats, labels: Codes | None) -> None:
    """Warns if the scores predict the labels worse than chance. Also warns if they predict no
    better than chance, although they differ so much from row to row that they should.

    If scores and labels are not in the same order of the rows, this warns in 98 of 100 cases in
    which scores that are true probabilities should reach ``_CLEAR``. If they are true
    probabilities, it warns in 1 of 10^15 cases; if they are twice as far from their mean as true
    probabilities, in 1 of 1000. Poor but honest scores differ little from row to row, so they
    cause no warning. The scores of a classifier that has memorised noise differ much but predict
    nothing, so they cause a warning."""
    if say_against(scores, labels) or labels is None or len(scores) < _MANY:
        return
    part, (codes, _) = of_part(scores, labels, None)
    if codes is None or len(codes) != len(part) or codes.min() < 0:
        return
    found, expected = told(part, codes)
    if found >= _CHANCE or expected < _CLEAR:
        return
    warn(
        "no-better-than-guessing: the scores tell the labels of these rows no better than chance, "
        "although they differ much from row to row. Are X (or the scores) and the labels those of "
        "the same rows, in the same order? If so, the classifier is too poor for a fair rule: was "
        f"it trained with enough people and useful features? {SECRET}",
        FairnessWarning,
    )
