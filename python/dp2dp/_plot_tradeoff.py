"""TradeoffDisplay: error against unfairness, from the table of ``dp2dp sweep``."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from . import _plot_style as style
from ._core import OptionError
from ._sweep_table import Row, Source, read_rows
from ._typing import Float64s
from ._warn import FairnessWarning, warn

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

_GAPS = {
    "demographic_parity": "demographic parity gap",
    "true_positive_rate_parity": "true positive rate gap",
    "false_positive_rate_parity": "false positive rate gap",
    "equalized_odds": "equalized odds gap",
}


@dataclass(frozen=True)
class TradeoffCurve:
    """One curve: the points with the same ``method``, ``solver``, epsilon and ``delta``, sorted by
    ``rho``. ``sees_group`` says whether the rule sees the group. ``label`` is the text for the
    legend.

    ``error`` and ``unfairness`` are means over ``runs`` runs. ``error_interval`` and
    ``unfairness_interval`` have the columns low and high, which are NaN for a single run.
    ``before`` is (unfairness, error) of the classifier without a rule.

    ``epsilon`` is the requested epsilon, or None if neither phase has noise. ``epsilon_holds`` is
    the epsilon that a model with these settings and secure noise really guarantees. It is None if
    there is no guarantee, or if the table does not state it. ``epsilon_claimed`` is the epsilon
    that the published paper claims for the solver "sgd-as-published", and None for other
    solvers."""

    label: str
    method: str
    solver: str
    sees_group: bool
    epsilon: float | None
    delta: float | None
    rho: Float64s
    runs: Float64s
    error: Float64s
    error_interval: Float64s
    unfairness: Float64s
    unfairness_interval: Float64s
    before: tuple[float, float]
    epsilon_holds: float | None = None
    epsilon_claimed: float | None = None


def _interval(values: Float64s, confidence: float) -> tuple[float, float]:
    """Returns Student's t interval for the mean of the runs, limited to values from 0 to 1."""
    if len(values) < 2:
        return math.nan, math.nan
    from scipy.stats import t

    quantile = float(t.ppf((1 + confidence) / 2, len(values) - 1))
    reach = quantile * float(values.std(ddof=1)) / math.sqrt(len(values))
    mean = float(values.mean())
    return max(0.0, mean - reach), min(1.0, mean + reach)


def _curve(label: str, rows: list[Row], confidence: float) -> TradeoffCurve:
    points: dict[float, list[Row]] = defaultdict(list)
    for row in rows:
        points[row.rho].append(row)
    rho = sorted(points)
    error = [np.array([row.error for row in points[at]]) for at in rho]
    gap = [np.array([row.unfairness for row in points[at]]) for at in rho]
    first = rows[0]
    return TradeoffCurve(
        label=label,
        method=first.method,
        solver=first.solver,
        sees_group=first.sees_group,
        epsilon=first.epsilon,
        delta=first.delta,
        rho=np.array(rho),
        runs=np.array([float(len(points[at])) for at in rho]),
        error=np.array([values.mean() for values in error]),
        error_interval=np.array([_interval(values, confidence) for values in error]),
        unfairness=np.array([values.mean() for values in gap]),
        unfairness_interval=np.array([_interval(values, confidence) for values in gap]),
        before=(
            float(np.mean([row.unfairness_before for row in rows])),
            float(np.mean([row.error_before for row in rows])),
        ),
        epsilon_holds=first.epsilon_holds,
        epsilon_claimed=first.epsilon_claimed,
    )


def _are_accuracies(curve: TradeoffCurve) -> bool:
    """Returns whether the errors of a curve are probably accuracies: all are above 0.5, the one
    without a rule is the highest, and the one for the largest rho, whose rule is less fair, is
    higher than that for the smallest rho. True errors would be low where these are high."""
    error, gap, before = curve.error, curve.unfairness, curve.before[1]
    rises = len(error) > 1 and error[-1] > error[0] and gap[-1] > gap[0]
    return bool(rises and min(error.min(), before) > 0.5 and before >= error.max())


def _say_accuracies(curves: list[TradeoffCurve]) -> None:
    """Warns if the errors of all curves are probably accuracies."""
    if all(map(_are_accuracies, curves)):
        warn(
            "errors-are-accuracies: all values of error are above 0.5, and they are higher for "
            "less fair rules, and highest without a rule. Are they accuracies? The error is 1 "
            "minus the accuracy",
            FairnessWarning,
        )


def _epsilon_words(row: Row) -> str:
    """Returns the requested epsilon as text. If a model really promises another epsilon, adds that
    epsilon."""
    if row.epsilon is None:
        return "no noise"
    asked = f"ε = {style.number_text(row.epsilon)}"
    if math.isinf(row.epsilon) or not row.says_what_holds:
        return asked
    holds = row.epsilon_holds
    found = "none holds" if holds is None else f"{style.number_text(_up(holds))} holds"
    if row.epsilon_claimed is not None:
        return f"{asked} claimed, {found}"
    return asked if holds is not None and holds <= row.epsilon else f"{asked} per phase, {found}"


def _up(epsilon: float) -> float:
    """Rounds up to three digits, so that the epsilon in the label is still an upper bound."""
    return float(Context(prec=3, rounding=ROUND_CEILING).create_decimal(repr(epsilon)))


def _key(row: Row) -> tuple[Any, ...]:
    """Returns the key of the curve that a row belongs to."""
    promise = (row.epsilon_holds, row.epsilon_claimed)
    return (row.method, row.solver, row.sees_group, row.epsilon, row.delta, *promise)


def _labels(first: list[Row]) -> list[str]:
    """Returns the label of each curve: its epsilon, and whatever else differs between the curves.
    ``first`` has the first row of each curve."""
    keys = [_key(row) for row in first]
    varies = [len({key[i] for key in keys}) > 1 for i in range(3)]
    several_deltas = len({row.delta for row in first} - {None}) > 1
    found = []
    for row in first:
        words = [row.method] * varies[0] + [row.solver] * varies[1]
        words += ["sees the group" if row.sees_group else "does not see the group"] * varies[2]
        words += [_epsilon_words(row)]
        if several_deltas and row.delta is not None:
            words.append(f"δ = {style.number_text(row.delta)}")
        found.append(style.name_text(", ".join(words), 60))
    return found


class TradeoffDisplay:
    """Error against unfairness: a curve over the tolerances rho for each epsilon, with intervals
    over the runs. Lower and further left is better.

    NOT private: a sweep counts on real people without noise. Anyone who sees the figure sees exact
    numbers about the people of the table, whatever epsilon its labels state. A label states the
    cost of making one model, not the cost of the figure. Draw the figure from a public table, or
    show it only to those who may see the table. ``caption`` has this warning too.

    Parameters
    ----------
    curves
        List of :class:`TradeoffCurve`.
    criterion
        The criterion whose unfairness is drawn, as a word.
    confidence
        The confidence of the intervals.
    data, records
        Name and number of rows of the table, if known.
    protects
        "person" if each epsilon protects whole persons, "rows" if it protects only rows; None if
        not known.

    Attributes
    ----------
    ax_, figure_
        The axes and the figure of matplotlib, after ``plot``.
    curves_, before_
        ``curves_`` has an ErrorbarContainer for each curve, ``before_`` a line for each classifier
        without a rule.
    legend_
        The legend, which may be None.

    Examples
    --------
    >>> sweep = {"criterion": ["demographic_parity"] * 4, "method": ["dpgd"] * 4,
    ...          "solver": ["counts"] * 4, "rho": [0, 0, 0.1, 0.1], "epsilon": [1] * 4,
    ...          "delta": [1e-5] * 4, "run": [1, 2, 1, 2], "error": [0.17, 0.16, 0.15, 0.15],
    ...          "unfairness": [0.01, 0.02, 0.09, 0.1], "error_before": [0.15] * 4,
    ...          "unfairness_before": [0.17] * 4}
    >>> display = TradeoffDisplay.from_sweep(sweep)
    >>> display.ax_.get_xlabel(), display.ax_.get_ylabel()
    ('demographic parity gap (percentage points)', 'test error (%)')
    >>> [curve.label for curve in display.curves], display.curves[0].error.tolist()
    (['ε = 1'], [0.165, 0.15])
    """

    ax_: Axes
    figure_: Figure
    curves_: list[ErrorbarContainer]
    before_: list[Line2D]
    legend_: Any

    def __init__(
        self,
        curves: list[TradeoffCurve],
        *,
        criterion: str = "demographic_parity",
        confidence: float = 0.95,
        data: str | None = None,
        records: int | None = None,
        protects: str | None = None,
    ) -> None:
        self.curves = curves
        self.criterion = criterion
        self.confidence = confidence
        self.data = data
        self.records = records
        self.protects = protects

    @classmethod
    def from_sweep(
        cls,
        sweep: Source,
        *,
        criterion: str | None = None,
        method: str | None = None,
        solver: str | None = None,
        confidence: float = 0.95,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draws ``sweep``, the table of ``dp2dp sweep``: a path, an open file, a data frame, or a
        dict of columns. ``criterion``, ``method`` and ``solver`` keep only the rows with that
        value. If the table has several criteria, ``criterion`` must be given. ``confidence`` is
        that of the intervals. ``ax`` and other keywords (``kwargs``) are those of :meth:`plot`."""
        if not 0 < confidence < 1:
            raise OptionError(f"confidence must be between 0 and 1, not {confidence!r}")
        chosen = {"criterion": criterion, "method": method, "solver": solver}
        rows = read_rows(sweep, {name: word for name, word in chosen.items() if word is not None})
        grouped: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
        for row in rows:
            grouped[_key(row)].append(row)
        labels = _labels([found[0] for found in grouped.values()])
        curves = [
            _curve(label, found, confidence)
            for label, found in zip(labels, grouped.values(), strict=True)
        ]
        _say_accuracies(curves)
        display = cls(
            curves,
            criterion=rows[0].criterion,
            confidence=confidence,
            data=rows[0].data,
            records=rows[0].records,
            protects=rows[0].protects,
        )
        return display.plot(ax=ax, **kwargs)

    @property
    def caption(self) -> str:
        """A caption to print below the figure."""
        of = "" if self.data is None else f" on {self.data}"
        of += "" if self.records is None else f" ({style.count_text(self.records)} rows)"
        rho = np.concatenate([curve.rho for curve in self.curves])
        gap = _GAPS.get(self.criterion, f"gap under the criterion {self.criterion}")
        low, high = (style.number_text(value) for value in (rho.min(), rho.max()))
        bars = (
            f"Points are means of {self._runs()}; bars are {style.percent_text(self.confidence)} "
            "intervals of the mean. The bars show how results vary with random splits and noise on "
            "this one table, not with other people. All points of a run have the same split, so "
            "differences between curves are more certain than the bars suggest."
            if self._has_bars()
            else "Each point is a single run, so its random error is not shown."
        )
        rows = " ε protects rows, not persons who have several rows." * (self.protects == "rows")
        return (
            f"Test error against {gap}{of}, for tolerances ρ from {low} to {high}. {bars} "
            f"Each ε is the cost of making one model{self._exceptions()}. This figure is NOT "
            f"private: it holds exact numbers about the people of the table.{rows}"
        )

    def _exceptions(self) -> str:
        exceptions = any(" holds" in curve.label for curve in self.curves)
        return " (if a label says which ε holds, this ε is the cost)" if exceptions else ""

    def _has_bars(self) -> bool:
        return any(bool((curve.runs > 1).any()) for curve in self.curves)

    def _runs(self) -> str:
        runs = np.concatenate([curve.runs for curve in self.curves])
        low, high = int(runs.min()), int(runs.max())
        words = str(low) if low == high else f"{low} to {high}"
        return f"{words} run{'s' * (high > 1)}"

    def plot(
        self,
        ax: Axes | None = None,
        *,
        before: bool = True,
        mark_rho: bool = True,
        legend: bool = True,
        **kwargs: Any,
    ) -> Self:
        """Draws on ``ax``, or on a new figure as wide as a paper's column. ``before`` adds a hollow
        marker for each classifier without a rule; ``mark_rho`` writes the smallest and the largest
        rho at the ends of the curve with the largest mean error. ``legend=False`` leaves the legend
        out. Other keywords (``kwargs``) go to ``Axes.errorbar``."""
        if not self.curves:
            raise OptionError("there is no curve to draw")
        with style.drawing(ax, 2.7) as ax:
            self.ax_, self.figure_ = ax, style.figure_of(ax)
            self.curves_ = [self._draw(i, curve, kwargs) for i, curve in enumerate(self.curves)]
            drawn = self.curves if before else []
            self.before_ = [self._draw_before(*at) for at in enumerate(drawn)]
            gap = _GAPS.get(self.criterion, f"{self.criterion} gap")
            ax.set_xlabel(f"{gap} (percentage points)")
            ax.set_ylabel("test error (%)")
            style.from_zero(ax)
            ax.grid(alpha=0.3, linewidth=0.5)
            if mark_rho:
                self._mark_rho()
            self.legend_ = self._legend() if legend else None
        return self

    def _draw(self, i: int, curve: TradeoffCurve, kwargs: dict[str, Any]) -> ErrorbarContainer:
        def reach(mean: Float64s, interval: Float64s) -> Float64s | None:
            if not (curve.runs > 1).any():
                return None
            return 100 * np.nan_to_num(np.abs(interval - mean[:, None])).T

        options = {
            "xerr": reach(curve.unfairness, curve.unfairness_interval),
            "yerr": reach(curve.error, curve.error_interval),
            "label": curve.label,
            "linestyle": style.LINES[i % len(style.LINES)],
            "elinewidth": 0.8,
            "capsize": 1.5,
            **style.look(i),
            **kwargs,
        }
        return self.ax_.errorbar(100 * curve.unfairness, 100 * curve.error, **options)

    def _draw_before(self, i: int, curve: TradeoffCurve) -> Line2D:
        looks = style.hollow(**style.look(i), markersize=6, zorder=3)
        return self.ax_.plot([100 * curve.before[0]], [100 * curve.before[1]], **looks)[0]

    def _mark_rho(self) -> None:
        curve = max(self.curves, key=lambda curve: float(curve.error.mean()))  # the upper curve
        first, last = (f"ρ = {style.number_text(curve.rho[i])}" for i in (0, -1))
        at = 100 * curve.unfairness[0], 100 * curve.error[0]
        style.note(self.ax_, first, at, (5, 5), "left")
        if len(curve.rho) > 1:
            right = float(curve.unfairness[-1])
            style.note(self.ax_, last, (100 * right, 100 * self._top(right)), (0, 3), "right")

    def _top(self, right: float) -> float:
        """Returns the largest error, intervals included, of the points whose unfairness is at least
        0.8 times ``right``."""
        tops = [
            np.fmax(curve.error, curve.error_interval[:, 1])[curve.unfairness >= 0.8 * right]
            for curve in self.curves
        ]
        return float(np.concatenate(tops).max())

    def _legend(self) -> Any:
        from matplotlib.lines import Line2D

        handles: list[Any] = list(self.curves_)
        labels = [curve.label for curve in self.curves]
        if self.before_:
            looks = style.hollow(color=style.GREY, marker="o", markersize=6)
            handles.append(Line2D([], [], **looks))
            labels.append("before the rule")
        deltas = {curve.delta for curve in self.curves if curve.delta is not None}
        words = [f"δ = {style.number_text(delta)}" for delta in deltas if len(deltas) == 1]
        if self._has_bars():
            words.append(f"{style.percent_text(self.confidence)} intervals, {self._runs()}")
        else:
            words.append("single runs")
        return self._place_legend(handles, labels, title="; ".join(words), alignment="left")

    def _place_legend(self, handles: list[Any], labels: list[str], **options: Any) -> Any:
        """Puts a small legend among the curves, and a larger one above the axes."""
        longest = max(len(label) for label in labels)
        if len(labels) <= 5 and longest <= 24:
            return self.ax_.legend(handles, labels, **options)
        columns = 2 if longest <= 24 else 1
        style.grow(self.ax_, 2.6 + 0.15 * (1 + math.ceil(len(labels) / columns)))
        tight = {"handlelength": 1.6, "handletextpad": 0.4, "columnspacing": 0.8}
        where = {"loc": "lower right", "bbox_to_anchor": (1, 1), "borderaxespad": 0.2}
        options |= {"ncols": columns, "frameon": False, **tight, **where}
        return self.ax_.legend(handles, labels, **options)
