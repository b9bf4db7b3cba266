"""Warns of arguments that are probably wrong, such as scores that are decisions, or groups that are
predictions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._typing import Codes, Floats
from ._warn import SECRET, FairnessWarning, warn

_MANY = 20  # with fewer rows, suspicious values may occur by chance
_FIRST = 1000
_PEOPLE = 100  # people needed to judge labels, as in the library (DP2DP_PEOPLE_FEW)
_PAIR = 50  # a label needs this many people before it is compared with another label
_MOST = 100_000  # at most about this many rows are used to compare two classes


def _are_near(sums: Floats, whole: float, classes: int) -> bool:
    """Returns whether all sums equal ``whole``, up to the rounding of scores to one decimal."""
    rounding = min(0.05 * classes, 0.2) * whole
    return bool(sums.min() >= whole - rounding and sums.max() <= whole + rounding)


def _say_sums(scores: Floats) -> None:
    sums = scores.sum(axis=1, dtype=np.float64)
    low, high, classes = float(sums.min()), float(sums.max()), scores.shape[1]
    if high <= 1.05 * low or _are_near(sums, 1, classes) or _are_near(sums, 100, classes):
        return
    warn(
        "row-sums: the scores of each row were divided by their sum, but these sums range from "
        f"{low:g} to {high:g}. The scores are neither rounded probabilities nor percentages. Is "
        f"there a probability for each class? {SECRET}",
        FairnessWarning,
    )


def _are_sure(weights: Floats) -> bool:
    return bool(((weights == 0) | (weights == 1)).all())


def _are_decisions(decide: Callable[[slice], Codes], codes: Codes) -> bool:
    """Returns whether the code of every row is the class that ``decide`` returns for the row, and
    the codes are not all equal. To save time, the first rows are compared first."""
    return (
        len(codes) >= _MANY
        and bool((decide(slice(_MANY)) == codes[:_MANY]).all())
        and bool((decide(slice(None)) == codes).all())
        and bool((codes != codes[0]).any())
    )


def _separates(scores: Floats, own: npt.NDArray[np.bool_]) -> bool:
    """Returns whether all people for whom ``own`` is True have higher scores than all other
    people."""
    if own.all() or not own.any():
        return True
    return bool(scores[own].min() > scores[~own].max())


def _are_cut(scores: Floats, labels: Codes) -> bool:
    """Returns whether, for each class, a threshold on its score separates the people with that
    label from all others. If there are two classes, a threshold for either class is enough. Such
    labels are probably decisions that were made from the scores. To save time, the first rows are
    tested first. The same test is in cli/input/labels.c."""
    enough = any if scores.shape[1] == 2 else all
    for rows in (slice(_FIRST), slice(None)):
        columns = enumerate(scores[rows].T)
        if not enough(_separates(column, labels[rows] == k) for k, column in columns):
            return False
    counts = np.bincount(labels[labels >= 0])
    return len(labels) >= _PEOPLE and bool(np.count_nonzero(counts >= _MANY) > 1)


def say_decisions(scores: Floats, groups: Codes | None, labels: Codes | None) -> None:
    """Warns if the groups or the labels of all rows are the decisions of the classifier."""

    def likeliest(rows: slice) -> Codes:
        found: Codes = scores[rows].argmax(axis=1)
        return found

    if groups is not None and _are_decisions(likeliest, groups):
        warn(
            "groups-are-decisions: in every row the group is the class with the largest score. Did "
            f"you pass the predictions as groups? {SECRET}",
            FairnessWarning,
        )
    if groups is not None and labels is not None and _are_decisions(lambda at: groups[at], labels):
        warn(
            "groups-are-labels: in every row the group equals the label. Did you pass the same "
            f"column twice? {SECRET}",
            FairnessWarning,
        )
    if labels is not None and (_are_decisions(likeliest, labels) or _are_cut(scores, labels)):
        word = "labels-are-decisions"
        advice = (
            "If the classifier was trained on these people, use other people; or, with an "
            "estimator of dp2dp, pass scores_from_pool=True"
        )
        warn(f"{word}: {_core.warnings[word]} {advice}. {SECRET}", FairnessWarning)


def say_all_right(decisions: Codes, labels: Codes | None) -> None:
    """Warns if every decision equals the label, in a test of enough people."""
    if (
        labels is not None
        and len(labels) >= _PEOPLE
        and _are_decisions(lambda rows: decisions[rows], labels)
    ):
        warn(
            "labels-are-decisions: every decision equals the label. Was the same column passed "
            f"twice? Pass the decisions and the true class of each person. {SECRET}",
            FairnessWarning,
        )


def say_ruled(decide: Callable[[slice], Codes], labels: Codes | None) -> None:
    """Warns if the labels of all rows are the decisions of the rule. ``decide`` returns the rule's
    decisions for a slice of the rows."""
    if labels is not None and _are_decisions(decide, labels):
        warn(
            "labels-are-decisions: in every row the label equals the decision of the rule. A rule "
            "that is compared with its own decisions is always right, so the result says nothing "
            f"about unfairness. Pass the true class of each person. {SECRET}",
            FairnessWarning,
        )


def _is_against(scores: Floats, own: npt.NDArray[np.bool_]) -> bool:
    """Returns whether the mean score of a class is lower among the people with that label than
    among the other people, by more than five standard errors. ``own`` is True for the people with
    the label. The standard error uses the variance of all people's scores, because a small class
    may have equal scores by chance."""
    inside, outside = (scores[at].astype(np.float64) for at in (own, ~own))
    if min(len(inside), len(outside)) < _MANY // 2:
        return False
    error = np.sqrt(scores.var(dtype=np.float64) * (1 / len(inside) + 1 / len(outside)))
    return bool(inside.mean() - outside.mean() < -max(5 * error, 1e-6))


def exchanged(scores: Floats, labels: Codes) -> tuple[int, int] | None:
    """Returns two classes whose columns of scores are probably exchanged, or None. For two classes
    A and B, a person's share is a / (a + b), where a and b are the person's scores for A and B. The
    columns are probably exchanged if people labelled A have clearly lower shares than people
    labelled B. How frequent the classes are makes no difference. Scores that say nothing about the
    labels cause a false alarm for up to one pair in 100,000."""
    step = 1 + len(scores) // _MOST
    scores, labels = scores[::step].astype(np.float64), labels[::step]
    order = np.argsort(labels, kind="stable")
    rows = np.split(order, np.searchsorted(labels[order], np.arange(scores.shape[1] + 1)))[1:-1]
    classes = [k for k, own in enumerate(rows) if len(own) >= _PAIR]
    for first, second in combinations(classes, 2):
        own = np.repeat([True, False], [len(rows[first]), len(rows[second])])
        pair = scores[np.concatenate([rows[first], rows[second]])][:, [first, second]]
        sums = pair.sum(axis=1)
        share = np.divide(pair[:, 0], sums, out=np.full(len(sums), 0.5), where=sums > 0)
        if _is_against(share, own):
            return first, second
    return None


def say_against(scores: Floats, labels: Codes | None) -> bool:
    """Warns if, for some class, the people with that label have lower scores for the class than the
    other people. If there are more than two classes, also compares each pair of classes
    (:func:`exchanged`). The columns of the scores, or the labels, are then probably in another
    order than the classes. Returns whether it warned."""
    if labels is None:
        return False
    word = "worse-than-guessing"
    if any(_is_against(column, labels == k) for k, column in enumerate(scores.T)):
        warn(f"{word}: {_core.warnings[word]} {SECRET}", FairnessWarning)
        return True
    if scores.shape[1] > 2 and (pair := exchanged(scores, labels)) is not None:
        warn(
            f"{word}: people with the label {pair[0]} and people with the label {pair[1]} "
            "(positions in the list of classes) seem to have each other's scores. Are these two "
            "columns of the scores exchanged, or these two labels? The columns must be in the "
            f"order of the classes. {SECRET}",
            FairnessWarning,
        )
        return True
    return False


def say_decided(scores: Floats) -> None:
    """Warns if all scores are 0 or 1. To save time, the first rows are compared first."""
    if len(scores) >= _MANY and _are_sure(scores[:_MANY]) and _are_sure(scores):
        warn(
            "scores-are-decisions: every score is 0 or 1. Such scores look like decisions, not "
            "probabilities. A rule cannot tell people with equal scores apart. Pass the "
            f"probabilities of the classes, such as those of predict_proba. {SECRET}",
            FairnessWarning,
        )


def say_odd_scores(scores: Floats, options: dict[str, Any]) -> None:
    """Warns if ``normalize`` is set and the sums of the scores differ by more than rounding. Also
    warns if all rows have the same scores, or if all scores or all weights are 0 or 1. Call this
    only with valid ``scores`` and ``options``. To save memory, the first and the last row are
    compared before all rows."""
    weights = options.get("weights")
    if options.get("normalize"):
        _say_sums(scores)
    if len(scores) >= _MANY and (scores[-1] == scores[0]).all() and (scores == scores[0]).all():
        warn(
            "scores-are-equal: all rows have the same scores, so a rule cannot tell one person "
            f"from another. Do these scores really belong to these people? {SECRET}",
            FairnessWarning,
        )
    else:
        say_decided(scores)
    if (
        weights is not None
        and len(weights) >= _MANY
        and _are_sure(weights[:9])
        and _are_sure(weights)
    ):
        warn(
            "group-scores-are-groups: all weights are 0 or 1. Such weights look like the groups "
            "themselves, not like probabilities of the groups. With such weights, the rule sees "
            f"the group after all. {SECRET}",
            FairnessWarning,
        )
