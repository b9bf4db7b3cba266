"""Warns of scores that do not belong to the labels of the rows."""

from __future__ import annotations

from ._odd_scores import say_against
from ._odd_weights import of_part, told
from ._typing import Codes, Floats
from ._warn import SECRET, FairnessWarning, warn

_MANY = 100  # rows needed to compare scores with labels: fewer say little
_CHANCE = 2  # with fewer standard errors, scores may tell the labels only by chance
_CLEAR = 10  # this many standard errors are a clear sign that scores tell the labels


def say_odd_labels(scores: Floats, labels: Codes | None) -> None:
    """Warns if the scores tell the labels worse than chance, or no better although they differ so
    much from row to row that they should.

    Scores of rows in another order are told in 98 of 100 cases if ``_CLEAR`` is reached. Of scores
    that are probabilities, 1 in 10^15 are told; if they exaggerate twofold, 1 in 1000. Poor but
    honest scores differ little from row to row, and are not told. Scores of a classifier that
    learned noise by heart differ much and tell nothing, and are told."""
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
