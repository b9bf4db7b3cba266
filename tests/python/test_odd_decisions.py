"""Decisions that are wrong far more often than by chance are told."""

import unittest
import warnings

import matplotlib
import numpy as np

import dp2dp
from dp2dp import metrics
from dp2dp._odd_decisions import _by_chance
from dp2dp.plot import RatesDisplay

matplotlib.use("Agg")
ODDS = dict(constraints="equalized_odds")


class Decisions(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(0)
        self.g = rng.integers(0, 2, 600)
        self.y = (rng.random(600) < 0.3 + 0.4 * self.g).astype(int)
        self.d = np.where(rng.random(600) < 0.7, self.y, 1 - self.y)

    def told(self, function, *args, **options):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            function(*args, **options)
        texts = [str(one.message) for one in found]
        return [text for text in texts if text.startswith("worse-than-guessing:")]

    def calls(self, y, d, g):
        groups, codes = dict(sensitive_features=g), dict(n_groups=2, n_classes=3)
        yield self.told(metrics.unfairness, y, d, **groups, **ODDS)
        yield self.told(metrics.evaluate, y, d, **groups)
        yield self.told(metrics.table_by_group, y, d, **groups, positive=1)
        yield self.told(RatesDisplay.from_predictions, y, d, **groups, y_before=d, rate="error")
        yield self.told(dp2dp.evaluate, d, g, y, **codes)

    def test_flipped_labels_are_told(self):
        for found in self.calls(1 - self.y, self.d, self.g):
            (text,) = found
            self.assertIn("30% of the decisions are right, but 4", text)
        names = np.array(["no", "yes"])
        given = dict(sensitive_features=self.g)
        found = self.told(metrics.evaluate, names[1 - self.y], names[self.d], **given)
        self.assertEqual(len(found), 1)

    def test_right_poor_and_few_decisions_are_not(self):
        rng = np.random.default_rng(1)
        none = np.zeros(600, int)
        for d in (self.d, self.y, none, none + 1, rng.permutation(self.d)):
            for found in self.calls(self.y, d, self.g):
                self.assertEqual(found, [])
        for found in self.calls(1 - self.y[:99], self.d[:99], self.g[:99]):
            self.assertEqual(found, [])
        given = dict(sensitive_features=self.g)
        for measure in (metrics.unfairness, metrics.disparate_impact, metrics.rates_by_group):
            self.assertEqual(self.told(measure, 1 - self.y, self.d, **given), [])

    def test_decisions_against_a_group_are_not(self):
        # Most people of group 1 have the label 1, and most of those who get 1 are of group 0.
        rng = np.random.default_rng(2)
        biased = (rng.random(600) < 0.8 - 0.6 * self.g).astype(int)
        self.assertLess((biased == self.y).mean(), 0.45)
        for found in self.calls(self.y, biased, self.g):
            self.assertEqual(found, [])

    def test_what_happens_by_chance_is_what_shuffled_labels_give(self):
        rng = np.random.default_rng(3)
        y = rng.integers(0, 3, 60)
        d = np.minimum(y + rng.integers(0, 2, 60), 2)
        counts = np.zeros((3, 3), np.int64)
        np.add.at(counts, (y, d), 1)
        found = [(rng.permutation(y) == d).sum() for _ in range(20000)]
        mean, variance = _by_chance(counts)
        self.assertAlmostEqual(mean, np.mean(found), delta=0.15)
        self.assertAlmostEqual(variance / np.var(found), 1, delta=0.06)


if __name__ == "__main__":
    unittest.main()
