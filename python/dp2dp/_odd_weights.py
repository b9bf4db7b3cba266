"""Warns of weights, the probabilities of groups, that do not belong to the groups of the rows."""

from __future__ import annotations

import numpy as np

from ._odd_scores import exchanged
from ._typing import Codes, Floats
from ._warn import SECRET, FairnessWarning, warn

_MANY = 100  # rows needed for a warning: fewer say little
_MOST = 100_000  # at most about this many rows are used
_CHANCE = 2  # with fewer standard errors, weights may predict the groups only by chance
_CLEAR = 10  # this many standard errors are a clear sign that weights predict the groups
_WORSE = -5  # with fewer standard errors, weights predict the groups worse than chance


def told(weights: Floats, codes: Codes) -> tuple[float, float]:
    """Returns how much larger the weights of the rows' own columns (``codes``) are than they would
    be if the rows were in random order, in standard errors of such an order; and how much larger
    they should be if the weights are probabilities: their covariance with the columns of the rows
    is then their own variance. The mean of each column plays no part."""
    centred = weights - weights.mean(axis=0)
    sizes = np.bincount(codes, minlength=centred.shape[1])
    spread = (centred - (centred @ sizes / len(codes))[:, None]) ** 2
    error = np.sqrt((spread.sum(axis=0) @ sizes) / (len(codes) - 1))
    if error < 1e-6:
        return 0.0, 0.0
    own = np.take_along_axis(centred, codes[:, None].astype(np.intp), axis=1).sum()
    return float(own / error), float((centred**2).sum() / error)


def of_part(weights: Floats, *columns: Codes | None) -> tuple[Floats, list[Codes | None]]:
    """Returns evenly spaced rows, and their weights divided by their sum."""
    step = 1 + len(weights) // _MOST
    part = weights[::step].astype(np.float64)
    part /= np.maximum(part.sum(axis=1, keepdims=True), 1e-12)
    return part, [None if one is None else one[::step] for one in columns]


def _are_transposed(pairs: Floats, groups: Codes, labels: Codes | None) -> bool:
    """Returns whether the weights of pairs (axes row, group, label) tell the pairs, or the groups
    if there are no labels, much better if they are read as pairs (label, group). Of probabilities,
    none tell better than those that are read rightly."""
    rows, count, classes = pairs.shape
    other = pairs.reshape(rows, classes, count).transpose(0, 2, 1)
    if labels is None:
        read = [one.sum(axis=2) for one in (pairs, other)]
        codes = groups
    else:
        read = [one.reshape(rows, -1) for one in (pairs, other)]
        codes = groups.astype(np.int64) * classes + labels
    right, better = (told(one, codes)[0] for one in read)
    return better > 2 * max(right, 0) + _CLEAR


def say_transposed(weights: Floats, groups: Codes, labels: Codes | None, n_groups: int) -> bool:
    """Warns if weights of pairs are probably ordered label by label and not group by group. Returns
    whether it did."""
    if len(weights) < _MANY or len(groups) != len(weights) or weights.shape[1] <= n_groups:
        return False
    part, (codes, known) = of_part(weights, groups, labels)
    if codes is None or codes.min() < 0 or (known is not None and known.min() < 0):
        return False
    if not _are_transposed(part.reshape(len(part), n_groups, -1), codes, known):
        return False
    warn(
        "pairs-transposed: the weights of pairs tell the groups of these rows much better if their "
        "columns are read as y * G + g. The columns must go group by group: the column of group g "
        "and class y of K classes is g * K + y. Number the pairs that the group classifier "
        f"predicts in this way. {SECRET}",
        FairnessWarning,
    )
    return True


def _say_nothing_told(weights: Floats, groups: Codes, n_groups: int) -> None:
    """Warns if the weights tell the groups clearly worse than chance, or no better although they
    differ so much from row to row that they should.

    Weights of another order of the rows are told in 98 of 100 cases if ``_CLEAR`` is reached. Of
    weights that are probabilities, 1 in 10^15 are told; if they exaggerate twofold, 1 in 1000. Poor
    but honest weights differ little from row to row, and are not told."""
    part, (codes, _) = of_part(weights, groups, None)
    if codes is None or codes.min() < 0:
        return
    part = part.reshape(len(part), n_groups, -1).sum(axis=2)
    found, expected = told(part, codes)
    if found >= _WORSE and (found >= _CHANCE or expected < _CLEAR):
        if n_groups > 2 and (pair := exchanged(part, codes)) is not None:
            _tell_exchanged(*pair)
        return
    how = "worse than" if found < _WORSE else "no better than"
    warn(
        f"weights-tell-nothing: the weights tell the groups of these rows {how} chance. Are the "
        "weights and the groups those of the same rows, in the same order, and are the columns in "
        "the order of the groups? If so, the classifier of the groups is too poor for a rule that "
        f"does not see the group. {SECRET}",
        FairnessWarning,
    )


def _tell_exchanged(first: int, second: int) -> None:
    warn(
        f"weights-tell-nothing: of the people in the groups {first} and {second} (positions in the "
        "list of groups), each seem to have the weights of the other group. Are these two columns "
        "of the weights exchanged? The columns must be in the order of the groups. " + SECRET,
        FairnessWarning,
    )


def _are_equal(weights: Floats, scores: Floats) -> bool:
    """The first rows usually tell at no cost that the two differ."""
    first = slice(_MANY)
    return (
        weights.shape == scores.shape
        and len(weights) >= _MANY
        and bool((weights[first] == scores[first]).all())
        and bool((weights == scores).all())
        and bool((weights[1:] != weights[0]).any())
    )


def say_odd_weights(
    weights: Floats | None,
    scores: Floats,
    groups: Codes | None,
    labels: Codes | None,
    n_groups: int,
) -> None:
    """Warns of weights that are the scores, or that do not tell the groups. The values are those of
    a fit or certificate that succeeded, so they are good ones."""
    if weights is None or groups is None or len(weights) < _MANY:
        return
    if _are_equal(weights, scores):
        warn(
            "weights-are-scores: the weights equal the scores in every row. The scores are "
            "probabilities of the classes, but the weights must be probabilities of the groups. "
            "Were the weights computed with the classifier of the classes, instead of one that "
            f"predicts the groups? {SECRET}",
            FairnessWarning,
        )
    elif not say_transposed(weights, groups, labels, n_groups):
        _say_nothing_told(weights, groups, n_groups)
