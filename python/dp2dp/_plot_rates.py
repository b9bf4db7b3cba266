"""RatesDisplay: how often each group gets each class."""

from __future__ import annotations

import inspect
from textwrap import fill
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from . import _plot_style as style
from . import metrics
from ._core import OptionError
from ._decisions import positive_of
from ._fair_rule import FairRule
from ._index import refuse_reordered
from ._measures import Evaluation
from ._typing import Features

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.figure import Figure

# The label of the x axis: the first text if one class is drawn, the second if several are.
_LABELS = {
    "selection": (
        "people who get {} (% of the group)",
        "people who get the class (% of the group)",
    ),
    "true_positive": (
        "people who get {0} (% of those labelled {0})",
        "people who get the class (% of those with that label)",
    ),
    "false_positive": (
        "people who get {0} (% of those not labelled {0})",
        "people who get the class (% of those without that label)",
    ),
    "precision": (
        "people labelled {0} (% of those who get {0})",
        "people labelled with the class (% of those who get it)",
    ),
    "error": ("people who get the wrong class (% of the group)",) * 2,
}
# The first sentence of the caption, chosen likewise.
_CAPTIONS = {
    "selection": (
        "For each group, the share of people who get {}",
        "For each group and class, the share of people who get the class",
    ),
    "true_positive": (
        "For each group: among people labelled {0}, the share who get {0}",
        "For each group and class, the share of people with that label who get the class",
    ),
    "false_positive": (
        "For each group: among people not labelled {0}, the share who get {0}",
        "For each group and class, the share of people without that label who get the class",
    ),
    "precision": (
        "For each group, the share of people labelled {0} among those who get {0}",
        "For each group and class, the share of people with that label among those who get it",
    ),
    "error": ("For each group, the share of people who get the wrong class",) * 2,
}
_MOST_ROWS = 48  # limit of classes times groups; if classes are left out, the axis says so


class RatesDisplay:
    """Rates of each group with exact (Clopper-Pearson) intervals, before and after a fair rule.

    NOT private: the rates are counted on the people given, without noise.

    Parameters
    ----------
    after
        Array of groups by classes with the fields part, whole, rate, low and high, as in
        ``evaluate(...).class_rates["selection"]``.
    groups, classes
        The names of the groups and of the classes.
    before
        An array like ``after`` for the decisions without the rule, or None.
    rate
        "selection", "true_positive", "false_positive", "precision", or "error". An error rate has
        no class, so with "error" the arrays ``after`` and ``before`` have one column.
    confidence
        The confidence level of each single interval.
    positive
        The class that is drawn by default. None draws the second of two classes, or all of three or
        more.

    Attributes
    ----------
    ax_, figure_
        The axes and the figure of matplotlib, after ``plot``.
    after_, before_
        Lists of ErrorbarContainer, one for each series.
    legend_
        The legend, which may be None.

    Examples
    --------
    >>> display = RatesDisplay.from_predictions(
    ...     [0, 1, 1, 0] * 50, [0, 1, 0, 0] * 50, sensitive_features=["f", "m"] * 100
    ... )
    >>> display.ax_.get_xlabel(), [text.get_text() for text in display.ax_.get_yticklabels()]
    ('people who get 1 (% of the group), 95 % interval', ['f\\n100 people', 'm\\n100 people'])
    >>> display.after["rate"].tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """

    ax_: Axes
    figure_: Figure
    after_: list[ErrorbarContainer]
    before_: list[ErrorbarContainer]
    legend_: Any
    _drawn: list[int]

    def __init__(
        self,
        after: npt.NDArray[Any],
        *,
        groups: npt.ArrayLike,
        classes: npt.ArrayLike,
        before: npt.NDArray[Any] | None = None,
        rate: str = "selection",
        confidence: float = 0.95,
        positive: Any = None,
    ) -> None:
        self.after = after
        self.before = before
        self.groups = np.asarray(groups)
        self.classes = np.asarray(classes)
        self.rate = rate
        self.confidence = confidence
        self.positive = positive

    @classmethod
    def from_predictions(
        cls,
        y_true: npt.ArrayLike | None,
        y_pred: npt.ArrayLike,
        *,
        sensitive_features: Any,
        y_before: npt.ArrayLike | None = None,
        rate: str = "selection",
        classes: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
        confidence: float = 0.95,
        positive: Any = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draws the rates of the decisions ``y_pred``. If ``y_before`` is given (the decisions
        without a rule), draws their rates too. ``sensitive_features`` has the group of each person.
        ``y_true`` has the true classes; it may be None for the rate "selection". By default,
        ``classes`` and ``groups`` are the values that occur, in sorted order. ``rate``,
        ``confidence`` and ``positive`` are those of the display. ``ax`` and other keywords
        (``kwargs``) are those of :meth:`plot`."""
        _check_rate(rate, y_true)
        if y_before is not None and classes is None:
            seen = [y for y in (y_true, y_pred, y_before) if y is not None]
            classes = np.unique(np.concatenate([np.asarray(y).ravel() for y in seen]))
        options: dict[str, Any] = {
            "classes": classes,
            "groups": groups,
            "confidence": confidence,
            "bootstrap_draws": 0,
        }
        after = metrics._evaluate(y_true, y_pred, sensitive_features, dict(options))
        before = None
        if y_before is not None:
            given = y_true, y_before, sensitive_features, dict(options)
            before = metrics._evaluate(*given, again=True)
        if positive is None and kwargs.get("show") is None and rate != "error":
            metrics.say_other_positive(y_pred, after)
        display = cls(
            _rates(after, rate),
            groups=np.asarray(after.groups),
            classes=np.asarray(after.classes),
            before=None if before is None else _rates(before, rate),
            rate=rate,
            confidence=confidence,
            positive=positive,
        )
        return display.plot(ax=ax, **kwargs)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Features,
        y: npt.ArrayLike | None = None,
        *,
        sensitive_features: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draws the rates of the decisions of ``estimator`` about ``X``, whose true classes are
        ``y``. For a fair estimator of this package, also draws the rates without its rule:
        everybody then gets the class that its classifier finds most likely. ``sensitive_features``
        may be left out if the estimator has a ``sensitive_column``. Keywords (``kwargs``) are those
        of :meth:`from_predictions`. If there are two classes, the estimator's positive class is
        drawn by default."""
        check_is_fitted(estimator)
        refuse_reordered(X=X, y=y, sensitive_features=sensitive_features)
        if not isinstance(estimator, FairRule):
            if sensitive_features is None:
                raise OptionError("the groups are missing: pass sensitive_features")
            takes = "sensitive_features" in inspect.signature(estimator.predict).parameters
            given = {"sensitive_features": sensitive_features} if takes else {}
            decisions = estimator.predict(X, **given)
            return cls.from_predictions(
                y, decisions, sensitive_features=sensitive_features, **kwargs
            )
        groups, names = estimator._group_names(X, sensitive_features)
        shown = {} if estimator._is_unaware() else {"sensitive_features": sensitive_features}
        options = {
            "y_before": estimator._predict_without_rule(X, **shown),
            "classes": estimator.classes_,
            "groups": names,
            "positive": positive_of(estimator) if len(estimator.classes_) == 2 else None,
            **kwargs,
        }
        decisions = estimator.predict(X, **shown)
        return cls.from_predictions(y, decisions, sensitive_features=groups, **options)

    @property
    def caption(self) -> str:
        """A caption to print below the figure."""
        whole = self.after["whole"]
        people = f"{style.count_text(whole.min())} to {style.count_text(whole.max())} people"
        hollow = (
            ""
            if self.before is None
            else "Hollow markers: without the rule; filled markers: with the rule. "
        )
        shown = self.__dict__.get("_drawn") or self._shown(None)
        single = len(shown) == 1
        what = _CAPTIONS[self.rate][not single].format(self.classes[shown[0]] if single else "")
        return (
            f"{what}. {hollow}Bars: exact "
            f"{style.percent_text(self.confidence)} intervals. The confidence holds for each "
            f"interval alone, not for all together. Each rate is a share of {people}, counted "
            "without noise: NOT private."
        )

    def plot(
        self,
        ax: Axes | None = None,
        *,
        show: npt.ArrayLike | None = None,
        legend: bool = True,
        **kwargs: Any,
    ) -> Self:
        """Draws on ``ax``, or on a new figure as wide as a paper's column. ``show`` lists the
        classes to draw. The default is ``positive``. If ``positive`` is None, the second of two
        classes is drawn, or all of three or more classes. If there are too many classes for the
        figure, only those with the largest gaps are drawn, and the axis says so. ``legend=False``
        leaves the legend out. Other keywords (``kwargs``) go to ``Axes.errorbar``."""
        shown = self._drawn = self._shown(show)
        single = len(shown) == 1
        rows = len(self.groups) * (1 if single else len(shown))
        height = 0.6 + max(rows * (0.36 if single else 0.2), 0.7)
        height += 0.15 * (1 if single else self._legend_rows())
        with style.drawing(ax, height) as ax:
            self.ax_, self.figure_ = ax, style.figure_of(ax)
            self.after_, self.before_ = [], []
            if single:
                self._draw_groups(shown[0], kwargs)
            else:
                wanted = show is not None or len(shown) == len(self.classes)
                self._draw_classes(shown, wanted, kwargs)
            words = _words(self.rate, self.classes[shown[0]] if single else None)
            interval = f"{style.percent_text(self.confidence)} interval"
            # Right-aligned: a long label then extends to the left, below the names of the groups,
            # and is not cut off.
            ax.set_xlabel(fill(f"{words}, {interval}", 56), loc="right")
            style.from_zero(ax, 102)
            ax.grid(axis="x", alpha=0.3, linewidth=0.5)
            ax.tick_params(axis="y", length=0)
            ax.invert_yaxis()
            self.legend_ = self._legend(single) if legend else None
        return self

    def _shown(self, show: npt.ArrayLike | None) -> list[int]:
        """Returns the indices of the classes to draw."""
        if self.after.shape[1] == 1:
            return [0]
        known, name = self.classes.tolist(), "positive" if show is None else "show"
        show = self.positive if show is None else show
        if show is not None:
            wanted = np.atleast_1d(np.asarray(show)).tolist()
            if not wanted or any(one not in known for one in wanted):
                raise OptionError(f"{name} must be one or more of the classes, not {show!r}")
            return [known.index(one) for one in wanted]
        if len(known) == 2:
            return [1]
        most = max(1, _MOST_ROWS // len(self.groups))
        if len(known) <= most:
            return list(range(len(known)))
        rates = self.after["rate"]
        gaps = np.nan_to_num(np.fmax.reduce(rates) - np.fmin.reduce(rates))
        return sorted(np.argsort(-gaps, kind="stable")[:most].tolist())

    def _bars(
        self, values: npt.NDArray[Any], at: npt.NDArray[Any], options: dict[str, Any]
    ) -> ErrorbarContainer:
        """Draws points with intervals. A rate that is NaN, because there are no people to count, is
        not drawn."""
        reach = [values["rate"] - values["low"], values["high"] - values["rate"]]
        error = 100 * np.maximum(np.nan_to_num(np.array(reach)), 0)
        base = {"linestyle": "none", "elinewidth": 1.0, "capsize": 1.5}
        return self.ax_.errorbar(100 * values["rate"], at, xerr=error, **{**base, **options})

    def _pair(
        self, group: Any, k: Any, at: npt.NDArray[Any], shift: float, looks: Any, kwargs: Any
    ) -> None:
        """Draws the rates with the rule and, if they are known, the rates without it. Markers
        without the rule are drawn a little above the markers with the rule."""
        after, before = looks
        if self.before is not None:
            looks = style.hollow(**before, **kwargs)
            self.before_.append(self._bars(self.before[group, k], at - shift, looks))
            at = at + shift
        self.after_.append(self._bars(self.after[group, k], at, {**after, **kwargs}))

    def _draw_groups(self, k: int, kwargs: dict[str, Any]) -> None:
        """Draws one class: a row for each group."""
        at = np.arange(len(self.groups), dtype=float)
        after = {**style.look(0), "label": "with the rule"}
        before = {**style.look(6), "marker": "s", "label": "without the rule"}
        self._pair(slice(None), k, at, 0.14, (after, before), kwargs)
        whole = self.after[:, k]["whole"]
        names = [
            f"{style.name_text(group)}\n{style.count_text(n)} {'person' if n == 1 else 'people'}"
            for group, n in zip(self.groups.tolist(), whole, strict=True)
        ]
        self.ax_.set_yticks(at, names)
        self.ax_.set_ylim(-0.5, len(at) - 0.5)

    def _draw_classes(self, shown: list[int], all_wanted: bool, kwargs: dict[str, Any]) -> None:
        """Draws several classes: a row for each class, with a line for each group."""
        at = np.arange(len(shown), dtype=float)
        step = 0.8 / len(self.groups)
        for g, group in enumerate(self.groups.tolist()):
            place = at + (g - (len(self.groups) - 1) / 2) * step
            looks = {**style.look(g), "label": style.name_text(group)}
            self._pair(g, shown, place, 0.2 * step, (looks, {**looks, "label": None}), kwargs)
        self.ax_.set_yticks(at, [style.name_text(self.classes[k]) for k in shown])
        self.ax_.set_ylim(-0.5, len(shown) - 0.5)
        for edge in at[1:] - 0.5:
            self.ax_.axhline(edge, color="0.85", linewidth=0.5, zorder=0)
        part = f"{len(shown)} of {len(self.classes)}, with the largest gaps"
        self.ax_.set_ylabel("class" if all_wanted else f"class ({part})")

    def _legend_columns(self) -> int:
        """Returns the number of columns in the legend: two, or one if the names are too long to fit
        beside each other."""
        return 1 if max(len(style.name_text(group)) for group in self.groups) > 21 else 2

    def _legend_rows(self) -> int:
        entries = len(self.groups) + (0 if self.before is None else 2)
        return -(-entries // self._legend_columns())

    def _legend(self, single: bool) -> Any:
        from matplotlib.lines import Line2D

        if single and self.before is None:
            return None
        handles: list[Any] = [*self.before_, *self.after_] if single else [*self.after_]
        labels = [str(handle.get_label()) for handle in handles]
        if not single and self.before is not None:
            for fill, words in (("white", "without the rule"), (style.GREY, "with the rule")):
                looks = style.hollow(color=style.GREY, marker="o", markerfacecolor=fill)
                handles.append(Line2D([], [], **looks))
                labels.append(words)
        return self.ax_.legend(
            handles,
            labels,
            loc="lower right",
            bbox_to_anchor=(1, 1),
            ncols=2 if single else self._legend_columns(),
            borderaxespad=0.2,
            handlelength=1.6,
            frameon=False,
        )


def _check_rate(rate: str, y_true: npt.ArrayLike | None) -> None:
    if rate not in _LABELS:
        raise OptionError(f"rate must be one of {', '.join(_LABELS)}; not {rate!r}")
    if y_true is None and rate != "selection":
        raise OptionError(f"the rate {rate!r} needs the true labels: pass y_true")


def _rates(found: Evaluation, rate: str) -> npt.NDArray[Any]:
    """Returns the rates, with a row for each group and a column for each class. The library's table
    has at least two rows and two columns; rows and columns without a group or class are cut off."""
    groups, classes = np.asarray(found.groups), np.asarray(found.classes)
    if rate == "error":
        return found.errors[: len(groups), None]
    rates: npt.NDArray[Any] = found.class_rates[rate][: len(groups), : len(classes)]
    return rates


def _words(rate: str, shown: object) -> str:
    one, several = _LABELS[rate]
    return several if shown is None else one.format(style.name_text(shown, 16))
