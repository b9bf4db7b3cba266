"""What the tests of figures share."""

import importlib.util
import io
import unittest
import warnings

from sklearn.linear_model import LogisticRegression

import dp2dp


@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed")
class Figures(unittest.TestCase):
    def setUp(self):
        import matplotlib
        import matplotlib.pyplot as plt

        matplotlib.use("Agg")
        self.plt = plt
        self.addCleanup(plt.close, "all")
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("error")

    def sees(self, display):
        """Draws it: all texts can be read, and none leaves the figure."""
        from matplotlib.text import Text

        figure = display.figure_
        figure.savefig(io.BytesIO(), dpi=72)
        width, height = figure.get_size_inches()
        self.assertAlmostEqual(width, 3.3)
        box = figure.get_tightbbox()
        self.assertGreaterEqual(min(box.x0, box.y0), -0.01)
        self.assertLessEqual(box.x1, width + 0.01)
        self.assertLessEqual(box.y1, height + 0.01)
        texts = [text for text in figure.findobj(Text) if text.get_text() and text.get_visible()]
        self.assertGreater(len(texts), 4)
        # Powers of ten in an exponent are smaller than their text.
        self.assertGreaterEqual(min(text.get_fontsize() for text in texts), 7)
        self.assertIs(display.plot(), display)
        self.assertTrue(display.caption.endswith("."))
        return [text.get_text() for text in texts]

    def legend(self, display):
        return [text.get_text() for text in display.legend_.get_texts()]


def quietly(function, *arguments, **options):
    """Fits, without the warnings of models that are not private."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return function(*arguments, **options)


def fair(X, y, sex, **options):
    given = dict(epsilon=1, delta=1e-5, classes=["no", "yes"], groups=["f", "m"], insecure_seed=1)
    estimator = dp2dp.FairPostProcessor(LogisticRegression(), **{**given, **options})
    return quietly(estimator.fit, X.copy(), y, sensitive_features=sex)
