"""Figures for papers and notebooks. The classes follow the Display convention of scikit-learn and
need matplotlib: ``pip install dp2dp[plot]``.

The ``from_...`` methods of each class make a display and draw it at once. The display keeps the
drawn numbers as attributes, and ``plot(ax=...)`` draws the display again. ``plot`` sets ``ax_``,
``figure_`` and the artists, passes other keywords on to matplotlib, and returns the display.
``caption`` is a text to print below the figure: it says what the points and intervals mean, and
whether the numbers may be shown to others.

Without ``ax``, a figure is as wide as one column of a paper (3.3 inches). The font sizes are
7.5 and 8 points. For another width, pass axes:
``plt.subplots(figsize=(7, 3), layout="constrained")[1]``.

>>> from dp2dp import Accountant, Event
>>> accountant = Accountant()
>>> accountant.add(Event("gaussian", sensitivity=1, sigma=4))
>>> display = PrivacyCurveDisplay.from_accountant(accountant, delta=1e-5)
>>> float(display.figure_.get_size_inches()[0]), display.ax_.get_yscale()
(3.3, 'log')
"""

from ._plot_privacy import PrivacyCurveDisplay
from ._plot_rates import RatesDisplay
from ._plot_rule import ThresholdDisplay
from ._plot_tradeoff import TradeoffCurve, TradeoffDisplay

__all__ = [
    "PrivacyCurveDisplay",
    "RatesDisplay",
    "ThresholdDisplay",
    "TradeoffCurve",
    "TradeoffDisplay",
]
