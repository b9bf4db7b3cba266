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


def _told(weights: Floats, codes: Codes) -> tuple[float, float]:
    """Measures how well the weights predict the group of each row (``codes``). A row's own weight
    is the weight in the column of its group. Returns two numbers. The first is the sum of all own
    weights minus what the sum would be on average if the rows were in random order, in standard
    deviations over random orders. The second is the value to expect for the first if the weights
    are probabilities: their covariance with the groups is then equal to their variance. Adding a
    constant to a column changes nothing."""
    centred = weights - weights.mean(axis=0)
    sizes = np.bincount(codes, minlength=centred.shape[1])
    spread = (centred - (centred @ sizes / len(codes))[:, None]) ** 2
    error = np.sqrt((spread.sum(axis=0) @ sizes) / (len(codes) - 1))
    if error < 1e-6:
        return 0.0, 0.0
    own = np.take_along_axis(centred, codes[:, None].astype(np.intp), axis=1).sum()
    return float(own / error), float((centred**2).sum() / error)


def _of_part(weights: Floats, *columns: Codes | None) -> tuple[Floats, list[Codes | None]]:
    """Returns evenly spaced rows, and their weights divided by their sum."""
    step = 1 + len(weights) // _MOST
    part = weights[::step].astype(np.float64)
    part /= np.maximum(part.sum(axis=1, keepdims=True), 1e-12)
    return part, [None if one is None else one[::step] for one in columns]


def _are_transposed(pairs: Floats, groups: Codes, labels: Codes | None) -> bool:
    """Returns whether the weights in ``pairs`` (axes row, group, label) predict the pairs much
    better if the columns are read as pairs (label, group). Without labels, compares how well they
    predict the groups. Probabilities predict best if their columns are read in the right order."""
    rows, count, classes = pairs.shape
    other = pairs.reshape(rows, classes, count).transpose(0, 2, 1)
    if labels is None:
        read = [one.sum(axis=2) for one in (pairs, other)]
        codes = groups
    else:
        read = [one.reshape(rows, -1) for one in (pairs, other)]
        codes = groups.astype(np.int64) * classes + labels
    told, better = (_told(one, codes)[0] for one in read)
    return better > 2 * max(told, 0) + _CLEAR


def say_transposed(weights: Floats, groups: Codes, labels: Codes | None, n_groups: int) -> bool:
    """Warns if weights of pairs are probably ordered label by label and not group by group. Returns
    whether it warned."""
    if len(weights) < _MANY or len(groups) != len(weights) or weights.shape[1] <= n_groups:
        return False
    part, (codes, known) = _of_part(weights, groups, labels)
    if codes is None or codes.min() < 0 or (known is not None and known.min() < 0):
        return False
    if not _are_transposed(part.reshape(len(part), n_groups, -1), codes, known):
        return False
    warn(
        "pairs-transposed: the columns of the weights seem to go class by class: group g of G and "
        "class y in column y * G + g. They must go group by group: group g and class y of K in "
        "column g * K + y. Number the pairs that the group classifier predicts in this way. "
        f"{SECRET}",
        FairnessWarning,
    )
    return True


def _say_nothing_told(weights: Floats, groups: Codes, n_groups: int) -> None:
    """Warns if the weights predict the groups clearly worse than chance. Also warns if they predict
    the groups no better than chance, although they differ so much from row to row that right
    weights would predict them better.

    If the weights belong to another order of the rows and ``_CLEAR`` is reached, the warning comes
    in 98 of 100 cases. If they are right, it comes in 1 of 10^15 cases, or in 1 of 1000 if the
    probabilities exaggerate twofold. The weights of a poor but honest classifier differ little from
    row to row, and give no warning."""
    part, (codes, _) = _of_part(weights, groups, None)
    if codes is None or codes.min() < 0:
        return
    part = part.reshape(len(part), n_groups, -1).sum(axis=2)
    found, expected = _told(part, codes)
    if found >= _WORSE and (found >= _CHANCE or expected < _CLEAR):
        if n_groups > 2 and (pair := exchanged(part, codes)) is not None:
            _tell_exchanged(*pair)
        return
    how = "worse than" if found < _WORSE else "no better than"
    warn(
        f"weights-tell-nothing: the weights predict the groups of these rows {how} chance. Are the "
        "weights and the groups those of the same rows, in the same order, and are the columns in "
        "the order of the groups? If so, the classifier of the groups is too poor for a rule that "
        f"does not see the group. {SECRET}",
        FairnessWarning,
    )


def _tell_exchanged(first: int, second: int) -> None:
    warn(
        f"weights-tell-nothing: people in group {first} and people in group {second} (positions in "
        "the list of groups) seem to have each other's weights. Are these two columns of the "
        "weights exchanged? The columns must be in the order of the groups. " + SECRET,
        FairnessWarning,
    )


def _are_equal(weights: Floats, scores: Floats) -> bool:
    """Returns whether weights and scores are equal in every row, and not all rows are the same. The
    first rows are compared first: usually they already differ."""
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
    """Warns of weights that are the scores, or that do not predict the groups. The values are those
    of a fit or certificate that succeeded, so they are valid."""
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
