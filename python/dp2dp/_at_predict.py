"""Warns if the rows given to predict seem to differ in kind from the rows of the fit. There are two
signs: all rows get the same class, or the rates of the groups differ although the rule is fair.
Also warns if the columns of weights seem to be in another order than in the fit, and if a dither
that depends on the position gets a table of one row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._places import places_of
from ._typing import Codes
from ._warn import SECRET, FairnessWarning, warn

if TYPE_CHECKING:
    import numpy.typing as npt

    from ._model import Model

_ALL = 1000  # rows needed for a warning: fewer rows may all get the same class by chance
_MOST = 100000  # if there are more rows, only evenly spaced rows are averaged
_EACH = 100  # rows that are needed before the mean weights are compared
_FEWEST = 20  # rows that a group needs before the library compares its rates


def say_unknown(model: Model, codes: Codes | None) -> None:
    """Warns if no row has a listed group. With 20 rows or more, also warns if one row in ten or
    more has no listed group. With 100 rows or more, one such row is enough if some listed group has
    no row. The usual cause is another type or spelling of the groups, not people without a
    group."""
    if codes is None:
        return
    count = len(codes)
    unknown = int(np.count_nonzero((codes < 0) | (codes >= len(model.groups))))
    if not unknown:
        return
    seen = set(np.unique(codes).tolist())
    missed = [group for g, group in enumerate(model.groups) if g not in seen]
    none = f". No row has the group {missed[0]!r}" if missed and count >= 100 else ""
    if unknown == count or (count >= 20 and 10 * unknown >= count) or none:
        warn(
            f"groups-unknown: in {unknown} of {count} rows the group is missing or not in the "
            "list, so these rows got the most likely class and not the fair decision. Compare "
            "their groups with the list (groups of the model, or groups_ of the estimator); "
            f"types must match too (0 is not '0'){none}",
            FairnessWarning,
        )


def say_batch(model: Model, rows: Any, first_row: int) -> None:
    """Warns if the rows seem to be a later batch of an array, but ``first_row`` is 0: the dither is
    computed from the position of a row, which would then be wrong. Rows seem to be a later batch if
    they come right after the rows of the previous call in the same array, and are equally many. A
    single slice, such as a test set, gives no warning."""
    found = places_of(rows)
    if first_row or not found:
        return
    now, before = found[0], model.__dict__.get("_batch")
    model.__dict__["_batch"] = now
    if before is None or before.owner() is None or before.owner() is not now.owner():
        return
    follows = before.at.stop == now.at.start and len(before.at) == len(now.at)
    if follows and before.axis == now.axis and before.at.step == now.at.step == 1:
        first, last = now.at.start, now.at.stop
        warn(
            f"first-row: this call predicts rows {first + 1} to {last} of an array, and the call "
            f"before it rows {before.at.start + 1} to {first}, but first_row is 0 in both calls. "
            "The dither depends on the position of a row, so predicting all rows in one call gives "
            f"other decisions. If the array is one table, pass first_row={first}",
            FairnessWarning,
        )


def say_one_class(decisions: Codes, names: list[Any]) -> None:
    """Warns if everybody gets the same class. The warning does not depend on the frequency of that
    class in the fit, because the frequency is private."""
    count = len(decisions)
    if count < _ALL or (decisions != decisions[0]).any():
        return
    warn(
        f"one-class: all {count} rows get the class {names[decisions[0]]!r}. Do the columns have "
        "the same units and the same order as in the fit? Is the classifier the one that the rule "
        f"was fitted for? {SECRET}",
        FairnessWarning,
    )


def say_weight_order(model: Model, weights: npt.NDArray[Any]) -> None:
    """Warns if the mean weights are far from the shares of the groups in the fit, but would be near
    these shares with the columns in another order."""
    if len(weights) < _EACH:
        return
    rows = np.asarray(weights[:: 1 + len(weights) // _MOST], dtype=np.float64)
    means = (rows / rows.sum(axis=1, keepdims=True)).mean(axis=0)
    if (order := model._weight_order(means.tolist(), len(rows))) is None:
        return
    shares = model.shares.reshape(len(means), -1).sum(axis=1)
    worst = int(np.argmax(np.abs(means - shares)))
    group = model.groups[worst * len(model.groups) // len(means)]
    warn(
        f"weights-order: the mean of column {worst} of the weights, for the group {group!r}, is "
        f"{means[worst]:.2g}, but the share in the fit was {shares[worst]:.2g}. The columns fit "
        f"better in the order {list(order)}. Are they swapped? Or did you choose people with other "
        f"groups than those of the fit? {SECRET}",
        FairnessWarning,
    )


def say_alone(model: Model, count: int, first_row: int = 0) -> None:
    """Warns if one row is decided by a rule whose dither depends on the position of the row. The
    warning does not depend on the row itself."""
    if count == 1 and first_row == 0 and model.dither_key == "row" and model.info["dither"]:
        warn(
            "dither-is-shared: the random number (dither) of this rule depends on the row's "
            "position, and there is only one row. Everybody who is decided alone gets the same "
            "random number. Decide people together in one table, pass first_row, or fit the rule "
            "with dither_key='scores' or 'id'",
            FairnessWarning,
        )


def say_gap(model: Model, decisions: Codes, groups: Codes) -> None:
    """Warns if the rates of a class clearly differ between groups, although the rule of the model
    makes these rates equal. If the rows are a random sample of the same population as the rows of
    the fit, at most 1 call in 1000 gives the warning."""
    if model.criterion != "demographic_parity" or model.rule is None or len(groups) < 2 * _FEWEST:
        return
    if (gap := model._rate_gap(decisions, groups)) is None:
        return
    found, high, low, most, least = gap
    warn(
        f"rates-differ: the rate of the class {model.classes[found]!r} is {most:.2g} in the group "
        f"{model.groups[high]!r} and {least:.2g} in the group {model.groups[low]!r}, although the "
        "rule makes these rates equal. Are the groups or the scores swapped? Is the classifier "
        "the one that the rule was fitted for, with the same columns and units? Are these people "
        "like the people of the fit? If you chose the rows by label or score, different rates "
        f"need not be a mistake. {SECRET}",
        FairnessWarning,
    )
