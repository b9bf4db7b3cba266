"""Rates and unfairness of decisions, for any number of classes and groups. NOT private.

The functions take (y_true, y_pred, *, sensitive_features), as those of fairlearn do;
:func:`unfairness` is one number, and works as a metric of its MetricFrame.

>>> unfairness([0, 1, 1, 0], [0, 1, 1, 1], sensitive_features=["a", "a", "b", "b"])
0.5
"""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_consistent_length, column_or_1d

from . import core
from ._groups import _combined, codes_of

__all__ = ["evaluate", "rates_by_group", "unfairness"]


def evaluate(y_true, y_pred, *, sensitive_features, classes=None, groups=None, **options):
    """A :class:`dp2dp.core.Evaluation` with ``classes`` and ``groups``: rates of each group and
    class with their intervals, unfairness, accuracy. ``y_true`` may be None."""
    y_pred = column_or_1d(y_pred)
    values = _combined(sensitive_features)
    check_consistent_length(y_pred, values, y_true)
    seen = [y_pred] if y_true is None else [column_or_1d(y_true), y_pred]
    classes = np.unique(np.concatenate(seen)) if classes is None else np.asarray(classes)
    groups = np.unique(values) if groups is None else np.asarray(groups)
    labels = None if y_true is None else codes_of(seen[0], classes, "classes")
    found = core.evaluate(
        codes_of(y_pred, classes, "classes"),
        codes_of(values, groups, "groups"),
        labels,
        n_groups=max(2, len(groups)),
        n_classes=max(2, len(classes)),
        **options,
    )
    found.classes, found.groups = classes, groups
    return found


def rates_by_group(y_true, y_pred, *, sensitive_features):
    """{group: {class: rate}}."""
    found = evaluate(None, y_pred, sensitive_features=sensitive_features, bootstrap_draws=0)
    return {
        group: dict(zip(found.classes.tolist(), rates.tolist()))
        for group, rates in zip(found.groups.tolist(), found.rates)
    }


def unfairness(y_true, y_pred, *, sensitive_features):
    """U: the largest difference between two groups in the rate of a class. For two classes this is
    fairlearn's demographic_parity_difference."""
    found = evaluate(None, y_pred, sensitive_features=sensitive_features, bootstrap_draws=0)
    return found.unfairness
