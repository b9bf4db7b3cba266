"""ThresholdDisplay: what a fair rule changes for each group."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from . import _plot_style as style
from ._core import OptionError
from ._decisions import positive_of, rule_of
from ._model import Model
from ._thresholds import thresholds_of
from ._typing import Float64s

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_KINDS = ("thresholds", "offsets")
_MOST_NUMBERS = 6  # with more classes, the offsets are not written as numbers: they would not fit


class ThresholdDisplay:
    """A fair rule as a picture. If there are two classes and the rule sees the group, the picture
    shows each group's threshold before (50 %) and after the rule. A person gets the positive class,
    by default the second, if the probability of that class reaches the threshold. If the rule has
    no thresholds, the picture is a coloured table of the offsets, which are subtracted from the
    scores. A class with a positive offset is given less often.

    The picture is as private as the model: it shows only what the model's file holds.

    Parameters
    ----------
    offsets
        Array of groups by classes, or groups by labels by classes.
    groups, classes
        The names of the groups and of the classes.
    rule
        "offset", "linear" or "weighted", as in ``model.rule``.
    dither
        The width of the public random numbers added to scores.
    positive
        The class whose thresholds are drawn; None stands for the second of two classes.

    Attributes
    ----------
    thresholds
        An array with a row (threshold, low, high) for each group, or None if the rule has no
        thresholds. Between low and high the dither decides; without dither all three are equal.
    ax_, figure_
        The axes and the figure of matplotlib, after ``plot``.
    kind_, artists_, legend_
        What was drawn ("thresholds" or "offsets"), the artists of matplotlib, and the legend, which
        may be None.

    Examples
    --------
    >>> display = ThresholdDisplay([[0, -0.2], [0, 0.1]], groups=["f", "m"], classes=["no", "yes"])
    >>> display.thresholds[:, 0].round(3).tolist()
    [0.4, 0.55]
    >>> display.plot().ax_.get_xlabel()
    'lowest probability of yes that is enough for yes (%)'
    """

    ax_: Axes
    figure_: Figure
    kind_: str
    artists_: list[Any]
    legend_: Any

    def __init__(
        self,
        offsets: npt.ArrayLike,
        *,
        groups: npt.ArrayLike,
        classes: npt.ArrayLike,
        rule: str = "offset",
        dither: float = 0.0,
        positive: Any = None,
    ) -> None:
        self.offsets = np.asarray(offsets, dtype=np.float64)
        self.groups = np.asarray(groups)
        self.classes = np.asarray(classes)
        self.rule = rule
        self.dither = dither
        self.positive = positive
        self.thresholds: Float64s | None = thresholds_of(self.offsets, rule, dither)
        if self.thresholds is not None and self._drawn() == 0:
            # A person gets the first class if the probability of that class reaches 1 minus the
            # threshold of the second class.
            self.thresholds = 1 - self.thresholds[:, [0, 2, 1]]

    def _drawn(self) -> int:
        """Returns the code of the class whose thresholds are drawn."""
        names = self.classes.tolist()
        if self.positive is not None and self.positive not in names:
            raise OptionError(f"positive must be one of the classes, not {self.positive!r}")
        return 1 if self.positive is None else names.index(self.positive)

    @classmethod
    def from_model(
        cls, model: Model, *, positive: Any = None, ax: Axes | None = None, **kwargs: Any
    ) -> Self:
        """Draws the rule of ``model``. ``positive`` is the class whose thresholds are drawn, by
        default the positive class of the model's criterion or, if the criterion has none, the
        second class. ``ax`` and other keywords (``kwargs``) are those of :meth:`plot`."""
        model = style.model_of(model)
        if model.rule is None:
            raise OptionError(
                "the model has a classifier but no rule: learn a rule with dp2dp.fit, or with the "
                "command 'dp2dp fit'"
            )
        if positive is None and model.positive is not None:
            positive = model.classes[model.positive]
        display = cls(
            model.offsets,
            groups=model.groups,
            classes=model.classes,
            rule=model.rule,
            dither=model.info["dither"],
            positive=positive,
        )
        return display.plot(ax=ax, **kwargs)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draws the rule of ``estimator``, a fitted :class:`dp2dp.FairPostProcessor` or
        :class:`dp2dp.DP2DPClassifier`. Thresholds are drawn for the estimator's positive class, as
        :class:`RatesDisplay` does. ``ax`` and other keywords (``kwargs``) are those of
        :meth:`plot`."""
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(estimator)
        model = getattr(estimator, "model_", None)
        if not isinstance(model, Model):
            raise TypeError(
                "estimator must be a dp2dp.FairPostProcessor or a dp2dp.DP2DPClassifier, not "
                f"{type(estimator).__name__}"
            )
        positive = positive_of(estimator)
        if positive is not None:  # the model stores the names of the classes as texts
            at = rule_of(estimator).classes_.tolist().index(positive)
            kwargs = {"positive": model.classes[at], **kwargs}
        return cls.from_model(model, ax=ax, **kwargs)

    @property
    def caption(self) -> str:
        """A caption to print below the figure."""
        if self.thresholds is not None:
            dithered = ""
            if self.dither:
                dithered = " Within a bar, the dither decides: a public pseudo-random number."
            name = self.classes[self._drawn()]
            return (
                f"A person gets {name} if the person's probability of this class is at least the "
                "threshold of the person's group. Without the rule, all thresholds are "
                f"50 %.{dithered}"
            )
        weighted = (
            " The rule does not see the group: a person's offsets are a weighted mean of all rows. "
            "The weight of a row is the probability that the person belongs to the row's group "
            "(and label, if the row has one)."
            if self.rule == "weighted"
            else ""
        )
        return (
            "The offsets are subtracted from the scores; then the largest score decides. So a "
            f"class with a positive offset is given less often.{weighted}"
        )

    def plot(
        self,
        ax: Axes | None = None,
        *,
        kind: str | None = None,
        legend: bool = True,
        **kwargs: Any,
    ) -> Self:
        """Draws on ``ax``, or on a new figure as wide as a paper's column. ``kind`` is "thresholds"
        or "offsets"; by default "thresholds" if the rule has thresholds. ``legend=False`` leaves
        the legend out. Other keywords (``kwargs``) go to ``Axes.errorbar`` (thresholds after the
        rule) or ``Axes.imshow`` (offsets)."""
        kind = kind or _KINDS[self.thresholds is None]
        if kind not in _KINDS:
            raise OptionError(f"kind must be 'thresholds' or 'offsets', not {kind!r}")
        height = 0.85 + max(0.24 * len(self.groups), 0.6)
        if kind == "offsets":
            height = 1.1 + max(0.2 * self.offsets[..., 0].size, 0.6)
        with style.drawing(ax, height) as ax:
            self.ax_, self.figure_, self.kind_ = ax, style.figure_of(ax), kind
            self.legend_ = None
            if kind == "thresholds":
                self._draw_thresholds(legend, kwargs)
            else:
                self._draw_offsets(legend, kwargs)
        return self

    def _draw_thresholds(self, legend: bool, kwargs: dict[str, Any]) -> None:
        if self.thresholds is None:
            why = "has more than two classes" if len(self.classes) > 2 else "has no thresholds"
            if self.rule == "weighted":
                why = "does not see the group, and weighs the offsets anew for each person"
            raise OptionError(f"thresholds cannot be drawn: the rule {why}; use kind='offsets'")
        ax, at = self.ax_, np.arange(len(self.groups), dtype=float)
        after, low, high = 100 * self.thresholds.T
        shown = np.clip(after, 0, 100)
        for y, end in zip(at, shown, strict=True):
            ax.plot([50, end], [y, y], color="0.75", linewidth=2, zorder=1)
        before = ax.plot(
            *(np.full(len(at), 50.0), at),
            **style.hollow(**style.look(6) | {"marker": "s"}, label="without the rule"),
        )[0]
        width = np.abs(np.clip([low, high], 0, 100) - shown) if self.dither else None
        options = {
            **style.look(0),
            "linestyle": "none",
            "xerr": width,
            "capsize": 1.5,
            "label": "with the rule",
        }
        bars = ax.errorbar(shown, at, **{**options, "zorder": 3, **kwargs})
        self.artists_ = [before, bars]
        for y, value, end in zip(at, after, shown, strict=True):
            words = f"{value:.1f}" if 0 <= value <= 100 else ("all" if value < 0 else "nobody")
            style.note(ax, words, (end, y), (0, 5), "center")
        self._finish_thresholds(at, legend)

    def _finish_thresholds(self, at: Float64s, legend: bool) -> None:
        ax, name = self.ax_, style.name_text(self.classes[self._drawn()], 14)
        ax.set_yticks(at, [style.name_text(group) for group in self.groups])
        ax.set_ylim(len(at) - 0.5, -0.6)
        ax.set_xlim(0, 100)
        words = f"lowest probability of {name} that is enough for {name} (%)"
        ax.set_xlabel(fill(words, 56), loc="right")
        ax.tick_params(axis="y", length=0)
        ax.grid(axis="x", alpha=0.3, linewidth=0.5)
        if legend:
            title = "bars: the dither decides" if self.dither else None
            self.legend_ = ax.legend(
                loc="lower left",
                bbox_to_anchor=(0, 1),
                borderaxespad=0.2,
                ncols=2,
                title=title,
                frameon=False,
            )

    def _draw_offsets(self, legend: bool, kwargs: dict[str, Any]) -> None:
        ax = self.ax_
        table = self.offsets.reshape(-1, len(self.classes))
        most = float(np.abs(table).max()) or 1.0
        options = {"cmap": "cividis", "vmin": -most, "vmax": most, "aspect": "auto", **kwargs}
        image = ax.imshow(table, **options)
        self.artists_ = [image]
        names = [style.name_text(group) for group in self.groups]
        if self.offsets.ndim == 3:
            labels = [style.name_text(name, 14) for name in self.classes]
            names = [f"{group}, labelled {label}" for group in names for label in labels]
        ax.set_yticks(np.arange(len(table)), names)
        upright = len(self.classes) > 4
        classes = [style.name_text(name, 20) for name in self.classes]
        if not upright:
            classes = [fill(name, 26 // len(classes)) for name in classes]
        ax.set_xticks(np.arange(len(classes)), classes, rotation=90 if upright else 0)
        ax.set_xlabel("class")
        ax.tick_params(length=0)
        if len(self.classes) <= _MOST_NUMBERS:
            dark = image.to_rgba(table)[..., :3] @ (0.3, 0.6, 0.1) < 0.5
            for (i, k), value in np.ndenumerate(table):
                words, ink = _signed(100 * value, ".1f"), "white" if dark[i, k] else "black"
                ax.text(k, i, words, ha="center", va="center", color=ink, size=7.5)
        if legend:
            bar = self.figure_.colorbar(image, ax=ax, location="top", fraction=0.05, aspect=25)
            bar.set_label("offset (percentage points)\nabove 0: class given less often")
            bar.ax.xaxis.set_major_formatter(lambda value, _: _signed(100 * value, ".3g"))
            self.artists_.append(bar)


def _signed(value: float, form: str) -> str:
    text = f"{value:+{form}}".replace("-", "−")
    return text[1:] if float(f"{value:{form}}") == 0 else text
