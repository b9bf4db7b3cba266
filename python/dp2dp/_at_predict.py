"""Warns if the rows given to predict probably differ in kind from those of the fit. There are two
signs: all rows get the same class, or the rates of the groups differ although the rule is fair."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._model import Model
from ._typing import Codes
from ._warn import SECRET, FairnessWarning, warn

_ALL = 1000  # rows needed to judge: fewer may all have the same class by chance
_EACH = 100  # rows that a group needs before its rates are compared
_GAP = 0.05  # warn only if a gap exceeds the rule's target by more than this
_SURE = 4  # warn only if the gap also exceeds the target by this many standard errors
_TOLD = {"constant-rule", "group-too-small", "out-of-reach", "rates-noisy"}


def say_one_class(decisions: Codes, names: list[Any]) -> None:
    """Warns if everybody gets the same class. The warning does not use how frequent that class was
    in the fit, which is private."""
    count = len(decisions)
    if count < _ALL or (decisions != decisions[0]).any():
        return
    warn(
        f"one-class: all {count} rows get the class {names[decisions[0]]!r}. Do the columns have "
        "the same units and the same order as in the fit? Is the classifier the one that the rule "
        f"was fitted for? {SECRET}",
        FairnessWarning,
    )


def say_gap(model: Model, decisions: Codes, groups: Codes) -> None:
    """Warns if the rates of a class clearly differ between groups, although the rule of the model
    makes them equal. Only demographic parity is checked, because predictions have no labels. The
    gap must exceed the rule's target by more than ``_GAP``, and by more than ``_SURE`` standard
    errors. With many pairs of groups, more standard errors are required. A standard error covers
    two sources of chance: which people are in these rows, and which people the rule was learned
    from. If the rows are a random sample of the same population, at most 1 call in 1000 gives the
    warning."""
    if model.criterion != "demographic_parity" or _TOLD & {*model.warnings}:
        return
    shape = len(model.groups), len(model.classes)
    cells = (groups.astype(np.int64) * shape[1] + decisions)[groups >= 0]
    counts = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)
    sizes, learned = counts.sum(axis=1), model.shares * model.records
    told = (sizes >= _EACH) & (learned >= _EACH)
    pairs = told.sum() * (told.sum() - 1) // 2 * shape[1]
    if pairs == 0:
        return
    sizes, learned, counts = sizes[told, None], learned[told, None], counts[told]
    rates = counts / sizes
    low, high = rates.argmin(axis=0), rates.argmax(axis=0)
    at = np.arange(rates.shape[1])
    gaps = rates[high, at] - rates[low, at]
    each = max((e.event.rows_per_person for e in model.ledger.entries if e.event), default=1)
    error = np.sqrt(rates * (1 - rates) * (1 / sizes + 1 / learned) * each)
    sure = np.sqrt(_SURE**2 + 2 * np.log(pairs)) * np.hypot(error[high, at], error[low, at])
    aimed = max(model.info["settings"]["rho"], model.tolerance or 0)
    excess = gaps - aimed - np.maximum(_GAP, sure)
    if excess[worst := int(excess.argmax())] > 0:
        warn(
            f"rates-differ: the rate of the class {model.classes[worst]!r} is "
            f"{rates[high[worst], worst]:.2g} in one group and {rates[low[worst], worst]:.2g} in "
            "another, although the rule makes these rates equal. Is the classifier the one that "
            "the rule was fitted for, with the same columns and units? Are these people like those "
            "of the fit? If you chose the rows by label or score, different rates need not be a "
            f"mistake. {SECRET}",
            FairnessWarning,
        )
