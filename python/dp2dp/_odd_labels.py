"""Warns of scores that do not belong to the labels of the rows."""

from __future__ import annotations

from ._odd_scores import say_against
from ._odd_weights import of_part, told
from ._typing import Codes, Floats
from ._warn import SECRET, FairnessWarning, warn

_MANY = 100  # rows needed to compare scores with labels: fewer say little
_CHANCE = 2  # scores predict the labels if they are this many standard errors above chance
_CLEAR = 10  # warn only if true probabilities would be this many standard errors above chance


def say_odd_labels(scores: Floats, labels: Codes | None) -> None:
    """Warns if the scores predict the labels worse than chance. Also warns if the scores predict no
    better than chance although they differ so much from row to row that they would predict well if
    they were true probabilities.

    How often it warns: in 98 of 100 cases if scores and labels list the rows in different orders
    (and the scores differ enough to reach ``_CLEAR``); in 1 of 10^15 if the scores are true
    probabilities; in 1 of 1000 if they are overconfident, twice as far from their mean as true
    probabilities. Poor but honest scores differ little from row to row, so they cause no warning.
    The scores of a classifier that has memorised noise differ much but predict nothing, so they
    cause a warning."""
    if say_against(scores, labels) or labels is None or len(scores) < _MANY:
        return
    part, (codes, _) = of_part(scores, labels, None)
    if codes is None or len(codes) != len(part) or codes.min() < 0:
        return
    found, expected = told(part, codes)
    if found >= _CHANCE or expected < _CLEAR:
        return
    warn(
        "no-better-than-guessing: the scores predict the labels no better than chance, although "
        "the scores differ much from row to row. Do X (or the scores) and the labels have the same "
        "rows in the same order? If so, the classifier is too poor for a fair rule: was the "
        f"classifier trained with enough people and useful features? {SECRET}",
        FairnessWarning,
    )
