"""Warns of arguments that are probably wrong: of scores that are decisions, for example, or of
groups that are predictions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from numbers import Integral
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


def are_valid(scores: Floats, groups: Codes | None, n_groups: Any, options: dict[str, Any]) -> bool:
    """Returns whether scores, groups, labels and weights can be looked at: they have a value for
    each row, numbers are finite, and codes are in their range. Otherwise the library will refuse
    them. ``options`` are those of a fit or a certificate."""
    if not isinstance(n_groups, Integral) or scores.ndim != 2 or min(scores.shape) < 1:
        return False
    rows, classes = scores.shape
    for codes, count in ((groups, n_groups), (options.get("labels"), classes)):
        if codes is not None and (
            codes.shape != (rows,) or codes.min() < 0 or codes.max() >= int(count)
        ):
            return False
    if (weights := options.get("weights")) is None:
        return bool(np.isfinite(scores).all())
    widths = (n_groups, int(n_groups) * classes)
    has_all = len(weights) == rows and weights.shape[1] in widths
    return has_all and bool(np.isfinite(scores).all() and np.isfinite(weights).all())


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
        f"row-sums: the sum of a row's scores is between {low:g} and {high:g}, and each row was "
        "divided by its sum. Such scores are neither rounded probabilities nor percentages. Is "
        f"there a probability for each class? {SECRET}",
        FairnessWarning,
    )


def _are_sure(weights: Floats) -> bool:
    return bool(((weights == 0) | (weights == 1)).all())


def _are_decisions(decide: Callable[[slice], Codes], codes: Codes) -> bool:
    """Returns whether the code of every row is the class that ``decide`` gives the row, and the
    codes are not all equal. The first rows are compared first: usually they already differ."""
    return (
        len(codes) >= _MANY
        and bool((decide(slice(_MANY)) == codes[:_MANY]).all())
        and bool((decide(slice(None)) == codes).all())
        and bool((codes != codes[0]).any())
    )


def _separates(scores: Floats, own: npt.NDArray[np.bool_]) -> bool:
    """Returns whether people where ``own`` is True have higher scores than all others."""
    if own.all() or not own.any():
        return True
    return bool(scores[own].min() > scores[~own].max())


def _are_cut(scores: Floats, labels: Codes) -> bool:
    """Returns whether a threshold on the score of each class separates the people with that label
    from all others, as for old decisions at another threshold. Of two classes one is enough. The
    first rows usually tell at no cost that it does not. Follows cli/input/labels.c."""
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
        warn(f"{word}: {_core.warnings[word]} {SECRET}", FairnessWarning)


def say_ruled(decide: Callable[[slice], Codes], labels: Codes | None) -> None:
    """Warns if the labels of all rows are the decisions of the rule. ``decide`` returns the rule's
    decisions for some rows."""
    if labels is not None and _are_decisions(decide, labels):
        warn(
            "labels-are-decisions: in every row the label equals the decision of the rule. A rule "
            "that is compared with its own decisions is always right, so the result says nothing "
            f"about unfairness. Pass the true class of each person. {SECRET}",
            FairnessWarning,
        )


def _is_against(scores: Floats, own: npt.NDArray[np.bool_]) -> bool:
    """Returns whether the people with a label have clearly lower ``scores`` for that class than the
    other people: by five standard errors. ``own`` is True for the people with the label. The
    variance is that of all people, because a few people may have equal scores by chance."""
    inside, outside = (scores[at].astype(np.float64) for at in (own, ~own))
    if min(len(inside), len(outside)) < _MANY // 2:
        return False
    error = np.sqrt(scores.var(dtype=np.float64) * (1 / len(inside) + 1 / len(outside)))
    return bool(inside.mean() - outside.mean() < -max(5 * error, 1e-6))


def exchanged(scores: Floats, labels: Codes) -> tuple[int, int] | None:
    """Returns two classes whose columns are probably exchanged: of the people with one of these two
    labels, those with the first have clearly lower scores for it, as a share of both scores. How
    frequent the classes are plays no part, so a classifier that was trained on other shares is
    not told. If the scores tell nothing at all, up to one pair in 100,000 is told by chance."""
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


def say_against(scores: Floats, labels: Codes | None) -> None:
    """Warns if, for some class, the people with that label have lower scores for the class than the
    other people, or if this holds among the people of two classes. The columns of the scores, or
    the labels, are then probably in another order than the classes."""
    if labels is None:
        return
    word = "worse-than-guessing"
    if any(_is_against(column, labels == k) for k, column in enumerate(scores.T)):
        warn(f"{word}: {_core.warnings[word]} {SECRET}", FairnessWarning)
    elif scores.shape[1] > 2 and (pair := exchanged(scores, labels)) is not None:
        warn(
            f"{word}: of the people with the labels {pair[0]} and {pair[1]} (positions in the list "
            "of classes), each seem to have the scores of the other class. Are these two columns "
            "of the scores exchanged, or are these labels? The columns must be in the order of the "
            f"classes. {SECRET}",
            FairnessWarning,
        )


def _say_decided(scores: Floats) -> None:
    if len(scores) >= _MANY and _are_sure(scores[:_MANY]) and _are_sure(scores):
        warn(
            "scores-are-decisions: every score is 0 or 1. Such scores look like decisions, not "
            "probabilities. A rule cannot tell people with equal scores apart. Pass the "
            f"probabilities of the classes, such as those of predict_proba. {SECRET}",
            FairnessWarning,
        )


def say_odd_scores(scores: Floats, options: dict[str, Any]) -> None:
    """Warns if the sums of rows that are normalized differ by more than rounding, if all rows have
    the same scores, or if all scores or weights are 0 or 1. ``options`` are those of a fit that
    succeeded, so the values are valid. To save memory, the first and the last row are compared
    before all rows are."""
    weights = options.get("weights")
    if options.get("normalize"):
        _say_sums(scores)
    if len(scores) >= _MANY and (scores[-1] == scores[0]).all() and (scores == scores[0]).all():
        warn(
            "scores-are-equal: all rows have the same scores, so a rule cannot tell one person "
            f"from another. Are these scores really those of these people? {SECRET}",
            FairnessWarning,
        )
    else:
        _say_decided(scores)
    if (
        weights is not None
        and len(weights) >= _MANY
        and _are_sure(weights[:9])
        and _are_sure(weights)
    ):
        warn(
            "group-scores-are-groups: all weights are 0 or 1. They look like the groups "
            "themselves, not like probabilities of the groups, so the rule sees the group after "
            f"all. {SECRET}",
            FairnessWarning,
        )
