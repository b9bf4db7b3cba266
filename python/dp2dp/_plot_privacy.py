"""PrivacyCurveDisplay: delta against epsilon."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from . import _plot_style as style
from ._core import NoBoundError, OptionError
from ._model import Model
from ._typing import Float64s
from ._warn import warn, warn_unless_private
from .accounting import Accountant, Ledger

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D


def _range(accountant: Accountant, least: float) -> Float64s:
    """Returns the epsilons to draw. They go from 0 to a value at which delta is negligible, or to
    1.1 times ``least`` if that is larger."""
    for delta in np.geomspace(1e-10, 1e-2, 17):
        try:
            return np.linspace(0, max(accountant.epsilon(float(delta)), 1.1 * least), 120)
        except NoBoundError:  # the events' own deltas may add up to more than delta
            continue
    raise OptionError(
        "there is nothing to draw: these events have no finite epsilon at any delta up to 0.01"
    )


def _mark(accountant: Accountant, delta: float | None) -> dict[str, tuple[float, float]]:
    """Returns {text: (epsilon, delta)} for the point of the curve at ``delta``. The dict is empty
    if ``delta`` is None or there are no events."""
    if delta is None or not accountant.events:
        return {}
    epsilon = accountant.epsilon(delta)
    words = f"ε = {style.privacy_text(epsilon)} at δ = {style.number_text(delta)}"
    return {words: (epsilon, delta)}


class PrivacyCurveDisplay:
    """The privacy profile: for each epsilon, the smallest delta that is certified. Every point of
    the curve is a promise that holds. Points lower and further left are stronger promises.

    Parameters
    ----------
    epsilons, deltas
        The points of the curve.
    adjacency
        What may change between two data sets: "replace-one" (one person is replaced) or
        "add-remove".
    marks
        Points to mark, such as a budget, as a dict {text: (epsilon, delta)}.
    name
        The name of the curve, for a legend with several curves.
    caveat
        A text that is added to the legend, such as "NOT PRIVATE" if the noise was insecure.

    Attributes
    ----------
    ax_, figure_
        The axes and the figure of matplotlib, after ``plot``.
    line_, marks_, legend_
        The curve, the list of marked points, and the legend, which may be None.

    Examples
    --------
    >>> from dp2dp import Accountant, Event
    >>> accountant = Accountant()
    >>> accountant.add(Event("gaussian", sensitivity=1, sigma=4))
    >>> display = PrivacyCurveDisplay.from_accountant(accountant, delta=1e-5)
    >>> display.ax_.get_xlabel(), list(display.marks)
    ('ε (replace-one adjacency)', ['ε = 0.927 at δ = 1e-5'])
    """

    ax_: Axes
    figure_: Figure
    line_: Line2D
    marks_: list[Line2D]
    legend_: Any

    def __init__(
        self,
        epsilons: npt.ArrayLike,
        deltas: npt.ArrayLike,
        *,
        adjacency: str = "replace-one",
        marks: dict[str, tuple[float, float]] | None = None,
        name: str | None = None,
        caveat: str | None = None,
    ) -> None:
        self.epsilons = np.asarray(epsilons, dtype=np.float64)
        self.deltas = np.asarray(deltas, dtype=np.float64)
        self.adjacency = adjacency
        self.marks = marks or {}
        self.name = name
        self.caveat = caveat

    @classmethod
    def from_accountant(
        cls,
        accountant: Accountant,
        *,
        epsilons: npt.ArrayLike | None = None,
        delta: float | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draws the curve of ``accountant`` at ``epsilons``, by default from 0 to an epsilon whose
        delta is negligible. If ``delta`` is given, the epsilon at this delta is marked. ``ax``,
        ``name`` and other keywords (``kwargs``) are those of :meth:`plot`."""
        display = cls._of(accountant, epsilons, _mark(accountant, delta), name)
        return display.plot(ax=ax, **kwargs)

    @classmethod
    def from_ledger(
        cls,
        ledger: Ledger,
        *,
        epsilons: npt.ArrayLike | None = None,
        delta: float | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draws the curve of all charges of ``ledger``, and marks its budget. ``epsilons``,
        ``delta``, ``name``, ``ax`` and ``kwargs`` are those of :meth:`from_accountant`. Warns of
        insecure noise. Refuses a ledger in which something was released without noise, because such
        a ledger has no curve."""
        if not isinstance(ledger, Ledger):
            raise TypeError(
                f"ledger must be a dp2dp.Ledger, not {type(ledger).__name__}; "
                "dp2dp.Ledger.open(path) opens a file"
            )
        if ledger.exposed:
            raise OptionError(
                "the ledger has no privacy curve: something was released without noise, so epsilon "
                "is infinite at every delta"
            )
        for words in ledger._cautions():
            warn(words)
        accountant = ledger.account()
        display = cls._of(accountant, epsilons, _mark(accountant, delta), name)
        display.caveat = "NOT PRIVATE" if ledger.insecure else None
        if ledger.budget is not None:
            words = (
                f"budget: ε = {style.number_text(ledger.budget[0])} "
                f"at δ = {style.number_text(ledger.budget[1])}"
            )
            display.marks[words] = ledger.budget
        return display.plot(ax=ax, **kwargs)

    @classmethod
    def from_model(
        cls,
        model: Model,
        *,
        epsilons: npt.ArrayLike | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draws the curve of the ledger inside ``model``, and marks the guarantee (epsilon, delta)
        of the model. ``epsilons``, ``name``, ``ax`` and ``kwargs`` are those of
        :meth:`from_accountant`. The training of the classifier and the fit of the rule may have
        different costs, for different people; the curve shows the larger cost. If the model is not
        private (see ``model.not_private_because``), a warning says so, and the legend names the
        people for whom the curve still holds."""
        model = style.model_of(model)
        ledger = model.ledger
        if ledger.exposed or not any(entry.event for entry in ledger.entries):
            raise OptionError(
                "the model has no privacy curve: either its ledger has no release, or something "
                "was released without noise"
            )
        warn_unless_private(model.not_private_because)
        marks = {}
        if model.epsilon is not None and model.delta is not None:
            epsilon, delta = style.privacy_text(model.epsilon), style.privacy_text(model.delta)
            marks[f"the model: ε = {epsilon} at δ = {delta}"] = model.epsilon, model.delta
        display = cls._of(ledger.account(), epsilons, marks, name)
        if not model.private:
            people = " and ".join(str(cover) for cover in model.covers)
            display.caveat = f"only for {people}" if people else "NOT PRIVATE"
        return display.plot(ax=ax, **kwargs)

    @classmethod
    def _of(
        cls,
        accountant: Accountant,
        epsilons: npt.ArrayLike | None,
        marks: dict[str, tuple[float, float]],
        name: str | None,
    ) -> Self:
        """Makes the display. By default, the curve extends beyond the points in ``marks``."""
        if not accountant.events:
            raise OptionError("nothing was released yet: there is no privacy curve to draw")
        if epsilons is None:
            epsilons = _range(accountant, max((at[0] for at in marks.values()), default=0.0))
        at = np.asarray(epsilons, dtype=np.float64).ravel()
        deltas = accountant.curve(at)
        return cls(at, deltas, adjacency=accountant.adjacency, marks=marks, name=name)

    @property
    def caption(self) -> str:
        """A caption to print below the figure."""
        caveat = "" if self.caveat is None else f" The curve holds {self.caveat}."
        if self.caveat == "NOT PRIVATE":
            caveat = (
                " NOT PRIVATE: the curve would hold if the noise were secure and nothing else were "
                "revealed."
            )
        return (
            "Privacy profile: for each ε, the smallest δ that is certified (an upper bound, "
            f"rounded up), under {self.adjacency} adjacency.{caveat}"
        )

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        legend: bool = True,
        **kwargs: Any,
    ) -> Self:
        """Draws on ``ax``, or on a new figure as wide as a paper's column; several curves may share
        ``ax``. ``name`` replaces the name of the display; ``legend=False`` leaves the legend out.
        Other keywords (``kwargs``) go to ``Axes.plot``."""
        name = self.name if name is None else name
        with style.drawing(ax, 2.2) as ax:
            self.ax_, self.figure_ = ax, style.figure_of(ax)
            i = sum(len(np.atleast_1d(line.get_xdata())) > 1 for line in ax.lines)
            words = "; ".join(
                style.name_text(text, 44) for text in (name, self.caveat) if text is not None
            )
            line = style.LINES[i % len(style.LINES)]
            options = {
                "color": style.look(i)["color"],
                "linestyle": line,
                "label": words or None,
                **kwargs,
            }
            shown = np.where(self.deltas > 0, self.deltas, np.nan)
            (self.line_,) = ax.plot(self.epsilons, shown, **options)
            self.marks_ = [self._mark(j, i, words) for j, words in enumerate(self.marks)]
            ax.set_yscale("log")
            drawn = ax.dataLim.minposy
            ax.set_ylim(drawn / 3 if 0 < drawn < 1 else 1e-12, 1)
            style.from_zero(ax)
            ax.set_xlabel(f"ε ({self.adjacency} adjacency)")
            ax.set_ylabel("δ (probability, upper bound)")
            ax.grid(alpha=0.3, linewidth=0.5)
            labelled = [line for line in ax.lines if not str(line.get_label()).startswith("_")]
            self.legend_ = None
            if legend and labelled:
                style.grow(ax, 2.2 + 0.16 * len(labelled))
                self.legend_ = ax.legend(
                    loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0, frameon=False
                )
        return self

    def _mark(self, j: int, i: int, words: str) -> Line2D:
        epsilon, delta = self.marks[words]
        looks = {"color": style.look(i)["color"], "marker": style.MARKERS[j], "linestyle": "none"}
        return self.ax_.plot([epsilon], [delta], label=words, markersize=6, **looks)[0]
