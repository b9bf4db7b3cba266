"""Warns of scores that do not belong to the labels of the rows, and of a ``multiplicity`` that
looks like the weights of a survey."""

from __future__ import annotations

import numpy as np

from ._odd_scores import say_against
from ._odd_weights import of_part, told
from ._typing import Codes, Floats
from ._warn import SECRET, FairnessWarning, PrivacyWarning, warn

_MANY = 100  # rows needed to compare scores with labels: fewer say little
_CHANCE = 2  # standard errors: scores that reach this predict the labels better than chance
_CLEAR = 10  # standard errors: warn only if good scores would reach at least this
_PERSONS = 1000  # rows needed to decide whether a row is a person or a count of records
_NEARLY = 0.99
_RANGE = 50  # weights of a survey differ by less than this factor; counts of records by more


def say_odd_labels(scores: Floats, labels: Codes | None) -> None:
    """Warns if the scores predict the labels worse than chance. Also warns if they predict no
    better than chance, although they differ so much from row to row that they should.

    If the scores are those of the rows in another order, and ``_CLEAR`` is reached, this warns in
    98 of 100 cases. If the scores are true probabilities, it warns in 1 of 10^15 cases; if they
    exaggerate twofold, in 1 of 1000. Poor but honest scores differ little from row to row, so they
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


def _are_exact(scores: Floats) -> bool:
    """Returns whether most scores have more than 6 decimals, and are not multiples of 2^-20."""
    found = scores.astype(np.float64)
    rounded = np.abs(found - found.round(6)) <= np.finfo(scores.dtype).eps / 2
    on_grid = np.ldexp(found, 20) == np.floor(np.ldexp(found, 20))
    return bool(np.mean(rounded | on_grid) < 0.5)


def say_multiplicity(scores: Floats, counts: Codes | None, rows_per_person: int) -> None:
    """Warns if each row seems to be a person, so that ``counts`` (the option ``multiplicity``) seem
    to be weights of a survey. The signs: nearly every row has its own scores with many decimals,
    nearly every row counts several times, and the counts differ little.

    Rows made with GROUP BY look different. If the scores are not rounded, most of them occur once.
    If categories are counted, several groups or labels share the same scores, or some cells count
    more than ``_RANGE`` times as often as others. This warns by mistake only if there are 1000 or
    more cells of about the same size, and the classifier knows the group."""
    if counts is None or len(counts) != len(scores) or len(scores) < _PERSONS:
        return
    low, high = np.quantile(counts, [1 - _NEARLY, _NEARLY])
    if rows_per_person >= high or low < 2 or high > _RANGE * low or not _are_exact(scores):
        return
    if len(np.unique(scores, axis=0)) < _NEARLY * len(scores):
        return
    warn(
        "multiplicity-looks-like-weights: nearly every row has its own scores, as if it were a "
        "person, but counts as several records. If multiplicity holds weights of a survey, the "
        "guarantee does not hold. Then leave multiplicity out, or set rows_per_person to the "
        f"largest weight. {SECRET}",
        PrivacyWarning,
    )
