"""Warns of weights (probabilities of the groups) that do not fit the groups of the rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import _core
from ._noticed import say_noticed
from ._odd_scores import exchanged
from ._typing import Codes, Floats
from ._warn import SECRET, FairnessWarning, warn

_MANY = 100  # rows needed for a warning: fewer say little
_MOST = 100_000  # at most about this many rows are used
_CLEAR = 10  # this many standard errors clearly show that weights predict the groups
_CLEARLY = 8  # the other order of pairs is better by this many standard errors
_NOTHING = "weights-tell-nothing"
# What the library notices, too, but other functions say more exactly from the arrays.
_SAID_BETTER = {
    *_core.oddities,
    "labels-are-decisions",
    "no-better-than-guessing",
    "worse-than-guessing",
}


def told(weights: Floats, codes: Codes) -> tuple[float, float]:
    """Measures how well the weights predict the group of each row (``codes``). The statistic is the
    sum, over all rows, of the weight in the column of the row's own group. Its mean and standard
    deviation are those over random orders of the rows. Returns two numbers, both in standard
    deviations: how far the statistic is above its mean, and how far it would be above its mean if
    the weights were true probabilities.

    The second number is computed from the weights' variance, because the covariance of true
    probabilities with the groups equals their variance. Adding a constant to a column of weights
    changes neither number."""
    centred = weights - weights.mean(axis=0)
    sizes = np.bincount(codes, minlength=centred.shape[1])
    spread = (centred - (centred @ sizes / len(codes))[:, None]) ** 2
    error = np.sqrt((spread.sum(axis=0) @ sizes) / (len(codes) - 1))
    if error < 1e-6:
        return 0.0, 0.0
    own = np.take_along_axis(centred, codes[:, None].astype(np.intp), axis=1).sum()
    return float(own / error), float((centred**2).sum() / error)


def of_part(weights: Floats, *columns: Codes | None) -> tuple[Floats, list[Codes | None]]:
    """Returns the weights of evenly spaced rows, each row divided by its sum, and the same rows of
    ``columns``."""
    step = 1 + len(weights) // _MOST
    part = weights[::step].astype(np.float64)
    part /= np.maximum(part.sum(axis=1, keepdims=True), 1e-12)
    return part, [None if one is None else one[::step] for one in columns]


def _are_transposed(pairs: Floats, groups: Codes, labels: Codes | None) -> bool:
    """Returns whether the weights in ``pairs`` (axes row, group, label) fit group and label better
    if the columns are read in the order (label, group): the weights of the rows' own pairs are then
    clearly larger, and tell the pairs better. The same test is in src/pool/group_signal.c. If
    ``labels`` is None, compares how well the weights predict the group alone."""
    rows, count, classes = pairs.shape
    other = pairs.reshape(rows, classes, count).transpose(0, 2, 1)
    if labels is None:
        right, better = (told(one.sum(axis=2), groups)[0] for one in (pairs, other))
        return better > 2 * max(right, 0) + _CLEAR
    at = np.arange(rows)
    gain = other[at, groups, labels] - pairs[at, groups, labels]
    if gain.mean() < _CLEARLY * max(gain.std() / np.sqrt(rows), 1e-6):
        return False
    codes = groups.astype(np.int64) * classes + labels
    right, better = (told(one.reshape(rows, -1), codes)[0] for one in (pairs, other))
    return better > right


def is_transposed(weights: Floats, groups: Codes, labels: Codes | None, n_groups: int) -> bool:
    """Returns whether the columns of the weights, one for each pair of group and label, are
    probably ordered label by label and not group by group."""
    if len(weights) < _MANY or len(groups) != len(weights) or weights.shape[1] <= n_groups:
        return False
    part, (codes, known) = of_part(weights, groups, labels)
    if codes is None or codes.min() < 0 or (known is not None and known.min() < 0):
        return False
    return _are_transposed(part.reshape(len(part), n_groups, -1), codes, known)


def say_transposed(weights: Floats, groups: Codes, labels: Codes | None, n_groups: int) -> bool:
    """Warns if the columns of the weights are in the wrong order (:func:`is_transposed`). Returns
    whether it warned."""
    if not is_transposed(weights, groups, labels, n_groups):
        return False
    warn(
        "pairs-transposed: the columns of the weights seem to be in the wrong order. With G groups "
        "and K classes, group g and class y must have column g * K + y, but they seem to have "
        f"column y * G + g. Train the group classifier to predict the number g * K + y. {SECRET}",
        FairnessWarning,
    )
    return True


def _tell_exchanged(first: int, second: int) -> None:
    warn(
        f"weights-tell-nothing: people in group {first} and people in group {second} (positions in "
        "the list of groups) seem to have each other's weights. Are the columns of these two "
        "groups exchanged? The columns must be in the order of the groups. " + SECRET,
        FairnessWarning,
    )


def _are_equal(weights: Floats, scores: Floats) -> bool:
    """Returns whether weights and scores are equal in every row, although not all rows are the
    same. To save time, the first rows are compared first."""
    first = slice(_MANY)
    return (
        weights.shape == scores.shape
        and len(weights) >= _MANY
        and bool((weights[first] == scores[first]).all())
        and bool((weights == scores).all())
        and bool((weights[1:] != weights[0]).any())
    )


@dataclass
class Weighed:
    """The arrays of a fit or a certificate, for warnings about the weights. :meth:`noticed` gives
    the warnings that the library found; :meth:`say_odd` gives the others. Both run after the arrays
    are checked and before anything is charged."""

    weights: Floats | None
    scores: Floats
    groups: Codes | None
    labels: Codes | None
    n_groups: int
    _said: bool = False

    def noticed(self, words: list[str]) -> None:
        """Gives the warnings of the library that are named in ``words``. Leaves out those that
        :meth:`say_odd` and the other checks of arrays will say more exactly."""
        self._said = _NOTHING in words
        of_weights = {*words} & {_NOTHING, "weights-uncalibrated"}
        hidden = of_weights if of_weights and self._has_clear_fault() else set[str]()
        hidden |= _SAID_BETTER
        say_noticed([word for word in words if word not in hidden])

    def _has_clear_fault(self) -> bool:
        return self._is_scores() or self._is_transposed()

    def _is_scores(self) -> bool:
        return self.weights is not None and _are_equal(self.weights, self.scores)

    def _is_transposed(self) -> bool:
        return (
            self.weights is not None
            and self.groups is not None
            and is_transposed(self.weights, self.groups, self.labels, self.n_groups)
        )

    def say_odd(self) -> None:
        """Warns if the weights are equal to the scores, if the columns of the weights are in the
        wrong order, or if two of these columns are exchanged. Call this only after the library has
        checked the values, and after :meth:`noticed`."""
        if self.weights is None or self.groups is None or len(self.weights) < _MANY:
            return
        if self._is_scores():
            warn(
                "weights-are-scores: the weights equal the scores in every row. The scores are "
                "probabilities of the classes, but the weights must be probabilities of the "
                "groups. Did you compute the weights with the classifier that predicts the "
                f"classes, instead of one that predicts the groups? {SECRET}",
                FairnessWarning,
            )
        elif not say_transposed(self.weights, self.groups, self.labels, self.n_groups):
            self._say_exchanged(self.weights, self.groups)

    def _say_exchanged(self, weights: Floats, groups: Codes) -> None:
        part, (codes, _) = of_part(weights, groups, None)
        if self._said or self.n_groups < 3 or codes is None or codes.min() < 0:
            return
        whole = part.reshape(len(part), self.n_groups, -1).sum(axis=2)
        if (pair := exchanged(whole, codes)) is not None:
            _tell_exchanged(*pair)
