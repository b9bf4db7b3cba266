"""Figures. Needs matplotlib: ``pip install dp2dp[plot]``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from .accounting import Accountant
from .core import Evaluation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_privacy_curve", "plot_rates"]


def _axes(ax: Axes | None) -> Axes:
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots()[1]
    return ax


def plot_rates(evaluation: Evaluation, *, ax: Axes | None = None) -> Axes:
    """Plots the rate of each class in each group, with intervals.

    >>> from dp2dp.metrics import evaluate
    >>> found = evaluate(None, ["no", "yes", "yes"], sensitive_features=["a", "a", "b"])
    >>> plot_rates(found).get_title()
    'unfairness 0.500'
    """
    ax = _axes(ax)
    n_groups, n_classes = evaluation.rates.shape
    groups = range(n_groups) if evaluation.groups is None else evaluation.groups
    classes = range(n_classes) if evaluation.classes is None else evaluation.classes
    width = 0.8 / n_groups
    for i, group in enumerate(groups):
        rates, intervals = evaluation.rates[i], evaluation.rate_intervals[i]
        reach = np.abs(intervals - rates[:, None]).T
        at = np.arange(n_classes) + (i - (n_groups - 1) / 2) * width
        ax.bar(at, rates, width, yerr=reach, capsize=3, label=str(group))
    ax.set_xticks(np.arange(n_classes), [str(k) for k in classes])
    ax.set_xlabel("class")
    ax.set_ylabel("rate")
    if evaluation.unfairness is not None:
        ax.set_title(f"unfairness {evaluation.unfairness:.3f}")
    ax.legend(title="group")
    return ax


def plot_privacy_curve(
    accountant: Accountant, *, epsilons: npt.ArrayLike | None = None, ax: Axes | None = None
) -> Axes:
    """Plots delta against epsilon for an :class:`dp2dp.Accountant`.

    >>> from dp2dp import Event
    >>> accountant = Accountant()
    >>> accountant.add(Event("gaussian", sensitivity=1, sigma=2))
    >>> plot_privacy_curve(accountant, epsilons=[0.5, 1, 2]).get_yscale()
    'log'
    """
    ax = _axes(ax)
    at = np.linspace(0, 5, 60) if epsilons is None else np.asarray(epsilons, dtype=float)
    ax.plot(at, accountant.curve(at))
    ax.set_yscale("log")
    ax.set_xlabel("epsilon")
    ax.set_ylabel("delta")
    return ax
