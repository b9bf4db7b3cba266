"""Rates and unfairness of decisions, for any number of classes and groups. NOT private.

The functions take (y_true, y_pred, *, sensitive_features), as those of fairlearn do;
:func:`unfairness` is one number, and works as a metric of its MetricFrame.

>>> unfairness([0, 1, 1, 0], [0, 1, 1, 1], sensitive_features=["a", "a", "b", "b"])
0.5
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_consistent_length, column_or_1d

from . import core
from ._validation import codes_of, distinct, group_values, listed

__all__ = ["evaluate", "rates_by_group", "unfairness"]


def evaluate(
    y_true: npt.ArrayLike | None,
    y_pred: npt.ArrayLike,
    *,
    sensitive_features: Any,
    classes: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
    **options: Any,
) -> core.Evaluation:
    """A :class:`dp2dp.core.Evaluation` with ``classes`` and ``groups``: rates of each group and
    class with their intervals, unfairness, accuracy. ``y_true`` may be None.

    >>> found = evaluate([0, 1, 1, 0], [0, 1, 1, 1], sensitive_features=["a", "a", "b", "b"])
    >>> found.accuracy, found.rates.tolist()
    (0.75, [[0.5, 0.5], [0.0, 1.0]])
    """
    decisions = column_or_1d(y_pred)
    values = group_values(sensitive_features)
    check_consistent_length(decisions, values, y_true)
    seen = [decisions] if y_true is None else [column_or_1d(y_true), decisions]
    classes = distinct(np.concatenate(seen), "classes")[0] if classes is None else classes
    groups = distinct(values, "groups")[0] if groups is None else groups
    classes, groups = listed(classes, "classes"), listed(groups, "groups")
    found = core.evaluate(
        codes_of(decisions, classes, "classes"),
        codes_of(values, groups, "groups"),
        None if y_true is None else codes_of(seen[0], classes, "classes"),
        n_groups=max(2, len(groups)),
        n_classes=max(2, len(classes)),
        **options,
    )
    found.classes, found.groups = classes, groups
    return found


def rates_by_group(
    y_true: npt.ArrayLike | None, y_pred: npt.ArrayLike, *, sensitive_features: Any
) -> dict[Any, dict[Any, float]]:
    """{group: {class: rate}}.

    >>> rates_by_group(None, ["no", "yes", "yes"], sensitive_features=["a", "a", "b"])
    {'a': {'no': 0.5, 'yes': 0.5}, 'b': {'no': 0.0, 'yes': 1.0}}
    """
    found = evaluate(None, y_pred, sensitive_features=sensitive_features, bootstrap_draws=0)
    classes, groups = np.asarray(found.classes).tolist(), np.asarray(found.groups).tolist()
    # The table has at least two groups and two classes; zip drops those that do not occur.
    return {
        group: dict(zip(classes, rates.tolist(), strict=False))
        for group, rates in zip(groups, found.rates, strict=False)
    }


def unfairness(
    y_true: npt.ArrayLike | None, y_pred: npt.ArrayLike, *, sensitive_features: Any
) -> float | None:
    """U: the largest difference between two groups in the rate of a class. For two classes this is
    fairlearn's demographic_parity_difference.

    >>> unfairness(None, ["no", "yes", "yes"], sensitive_features=["a", "a", "b"])
    0.5
    """
    return evaluate(
        None, y_pred, sensitive_features=sensitive_features, bootstrap_draws=0
    ).unfairness
