"""Warns of scores that do not belong to the labels of the rows, and of counts of records that look
like weights."""

from __future__ import annotations

import numpy as np

from ._odd_scores import say_against
from ._odd_weights import of_part, told
from ._typing import Codes, Floats
from ._warn import SECRET, FairnessWarning, PrivacyWarning, warn

_MANY = 100  # rows needed to compare scores with labels: fewer say little
_CHANCE = 2  # with fewer standard errors, scores may tell the labels only by chance
_CLEAR = 10  # this many standard errors are a clear sign that scores tell the labels
_PERSONS = 1000  # rows needed to tell persons from counts of records
_NEARLY = 0.99
_RANGE = 50  # weights of a survey differ by less than this factor; counts of records by more


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


def _are_exact(scores: Floats) -> bool:
    """Returns whether most scores have more than 6 decimals, and are not multiples of 2^-20."""
    found = scores.astype(np.float64)
    rounded = np.abs(found - found.round(6)) <= np.finfo(scores.dtype).eps / 2
    on_grid = np.ldexp(found, 20) == np.floor(np.ldexp(found, 20))
    return bool(np.mean(rounded | on_grid) < 0.5)


def say_multiplicity(scores: Floats, counts: Codes | None, rows_per_person: int) -> None:
    """Warns if the rows seem to be persons, so that ``counts``, the multiplicity, seem to be
    weights of a survey: nearly every row has scores of its own with many decimals, nearly every row
    counts several times, and the counts differ little. A GROUP BY of scores that are not rounded
    finds most of them once. A GROUP BY of categories gives several groups or labels the same
    scores, or counts some cells more than ``_RANGE`` times as often as others. Only cells of about
    the same size, 1000 or more, with a classifier that knows the group, are told by mistake."""
    if counts is None or len(counts) != len(scores) or len(scores) < _PERSONS:
        return
    low, high = np.quantile(counts, [1 - _NEARLY, _NEARLY])
    if rows_per_person >= high or low < 2 or high > _RANGE * low or not _are_exact(scores):
        return
    if len(np.unique(scores, axis=0)) < _NEARLY * len(scores):
        return
    warn(
        "multiplicity-looks-like-weights: nearly every row has scores of its own, as persons have, "
        "but counts as several records. If multiplicity holds weights of a survey, the guarantee "
        "does not hold: a person whose row counts w times needs rows_per_person=w, with the "
        f"largest w, or no multiplicity. {SECRET}",
        PrivacyWarning,
    )
