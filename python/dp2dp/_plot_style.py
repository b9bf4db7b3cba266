"""The style that all figures share: their size, their colours, and how numbers and names are
written."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakSet

from ._model import Model
from ._warn import up

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMN_WIDTH = 3.3  # inches: one column of a paper

# Okabe and Ito's colours without yellow. Colour-blind people can tell them apart, and neighbours in
# the list also differ when printed in grey. No two of the first 56 series share both colour and
# marker, and no two of the first 40 share both marker and line.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#D55E00")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
GREY = "0.35"

_STYLE: Any = {
    "font.size": 8,
    "axes.labelsize": 8,
    "axes.titlesize": 8,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "legend.fontsize": 7.5,
    "legend.title_fontsize": 7.5,
    "legend.frameon": False,
    "legend.handlelength": 2.4,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "lines.linewidth": 1.2,
    "lines.markersize": 4,
}


_ours: WeakSet[Any] = WeakSet()  # axes made by this module; only these get its style


@contextmanager
def drawing(ax: Axes | None, height: float) -> Iterator[Axes]:
    """Gives the axes to draw on. The caller's axes keep the caller's style. New axes have the width
    of a paper's column, a height of ``height`` inches, and a layout that leaves room for all
    labels."""
    try:
        import matplotlib as mpl
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("figures need matplotlib: pip install 'dp2dp[plot]'") from None
    if ax is not None and ax not in _ours:
        yield ax
        return
    with mpl.rc_context(_STYLE):
        if ax is None:
            size = (COLUMN_WIDTH, height)
            ax = plt.subplots(figsize=size, dpi=200, layout="constrained")[1]
            _ours.add(ax)
        yield ax


def grow(ax: Axes, height: float) -> None:
    """Sets the height of the figure of ``ax``. Does nothing if this module did not make the figure,
    or if the figure has other axes too."""
    figure = figure_of(ax)
    if ax in _ours and figure.axes == [ax]:
        figure.set_size_inches(COLUMN_WIDTH, height)


def model_of(given: Any) -> Model:
    """Returns a model, or the model of a fitted estimator. Refuses anything else."""
    model = getattr(given, "model_", given)
    if not isinstance(model, Model):
        raise TypeError(
            "model must be a dp2dp.Model or a fitted estimator of dp2dp, not "
            f"{type(given).__name__}; dp2dp.Model.load(path) reads a file"
        )
    return model


def figure_of(ax: Axes) -> Figure:
    """The figure, or the subfigure, that the axes are in."""
    return cast("Figure", ax.figure)


def hollow(**looks: Any) -> dict[str, Any]:
    """The style of markers that show values without the rule."""
    return {"markerfacecolor": "white", "linestyle": "none", **looks}


def from_zero(ax: Axes, most: float = math.inf) -> None:
    """Makes the x axis begin at 0 and show everything drawn so far, up to ``most``."""
    right = ax.dataLim.x1
    ax.set_xlim(0, min(1.04 * right, most) if right > 0 else 1)


def note(ax: Axes, words: str, at: tuple[float, float], shift: tuple[float, float], ha: str) -> Any:
    """Writes a text beside a point, in the font size of the numbers at the axis."""
    size = ax.xaxis.get_ticklabels()[0].get_fontsize()
    options: Any = {"xytext": shift, "textcoords": "offset points", "ha": ha, "fontsize": size}
    return ax.annotate(words, at, **options)


def look(i: int) -> dict[str, Any]:
    """Colour and marker of series number i."""
    return {"color": COLOURS[i % len(COLOURS)], "marker": MARKERS[i % len(MARKERS)]}


def name_text(value: object, length: int = 28) -> str:
    """Returns a name on one line, shortened in the middle if it is too long. Escapes dollars, which
    matplotlib would take for mathematics. Puts a blank before a leading underscore, because
    matplotlib hides labels that start with one."""
    plain = "".join(c if c.isprintable() else " " for c in str(value))
    plain = " ".join(plain.split()) or "(empty)"
    if len(plain) > length:
        half = (length - 1) // 2
        plain = plain[: length - 1 - half] + "…" + plain[-half:]
    plain = plain.replace("$", r"\$")
    return " " + plain if plain.startswith("_") else plain


def number_text(value: float) -> str:
    """A number in its shortest form: 0.05, 1e-5, ∞."""
    if math.isinf(value):
        return "∞"
    plain = f"{value:.6g}"
    mantissa, found, exponent = plain.partition("e")
    return f"{mantissa}e{int(exponent)}" if found else plain


def privacy_text(value: float) -> str:
    """Returns an epsilon or delta as text, rounded up to three digits."""
    return number_text(float(up(value, 3)))


def percent_text(share: float) -> str:
    """A share as text, such as 95 % or 99.9 %."""
    return f"{100 * share:.6g} %"


def count_text(count: float) -> str:
    """A count as text, such as 45,222."""
    return f"{int(count):,}"
