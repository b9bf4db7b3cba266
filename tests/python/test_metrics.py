"""dp2dp.metrics and dp2dp.plot give the numbers of small examples worked by hand."""

import importlib.util
import unittest

import numpy as np

from dp2dp import metrics, plot

TRUE = np.array(["a", "b", "c", "a", "b", "c"])
PRED = np.array(["a", "b", "b", "a", "a", "c"])
GROUP = np.array([1, 1, 1, 2, 2, 2])


class Metrics(unittest.TestCase):
    def test_rates_are_counted(self):
        found = metrics.rates_by_group(TRUE, PRED, sensitive_features=GROUP)
        third = 1 / 3
        self.assertEqual(found[1], {"a": third, "b": 2 * third, "c": 0.0})
        self.assertEqual(found[2], {"a": 2 * third, "b": 0.0, "c": third})
        self.assertAlmostEqual(metrics.unfairness(TRUE, PRED, sensitive_features=GROUP), 2 / 3)

    def test_accuracy_comes_with_its_interval(self):
        found = metrics.evaluate(TRUE, PRED, sensitive_features=GROUP, bootstrap_draws=0)
        self.assertAlmostEqual(found.accuracy, 4 / 6)
        self.assertLess(found.accuracy_interval[0], 4 / 6)
        self.assertGreater(found.accuracy_interval[1], 4 / 6)
        self.assertEqual(found.unfairness_interval, (None, None))

    def test_lengths_that_differ_are_refused(self):
        with self.assertRaisesRegex(ValueError, "inconsistent"):
            metrics.unfairness(TRUE, PRED, sensitive_features=GROUP[1:])

    @unittest.skipUnless(importlib.util.find_spec("fairlearn"), "fairlearn is not installed")
    def test_metric_frames_take_them(self):
        from fairlearn.metrics import MetricFrame, demographic_parity_difference

        y = (PRED == "a").astype(int)
        ours = metrics.unfairness(y, y, sensitive_features=GROUP)
        theirs = demographic_parity_difference(y, y, sensitive_features=GROUP)
        self.assertAlmostEqual(ours, theirs)
        frame = MetricFrame(
            metrics=metrics.unfairness,
            y_true=y,
            y_pred=y,
            sensitive_features=["x"] * 6,
            sample_params={"sensitive_features": GROUP},
        )
        self.assertAlmostEqual(frame.overall, theirs)

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed")
    def test_figures_have_a_bar_for_every_group_and_class(self):
        import matplotlib

        matplotlib.use("Agg")
        found = metrics.evaluate(TRUE, PRED, sensitive_features=GROUP, bootstrap_draws=0)
        axes = plot.plot_rates(found)
        self.assertEqual(len(axes.patches), 6)
        from dp2dp.accounting import Accountant, Event

        accountant = Accountant()
        accountant.add(Event("gaussian", sensitivity=1, sigma=2))
        self.assertEqual(len(plot.plot_privacy_curve(accountant).lines), 1)
