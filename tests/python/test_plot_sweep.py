"""The table that dp2dp sweep writes can be drawn as it is."""

import csv
import importlib.util
import os
import subprocess
import tempfile
import unittest
import warnings

import numpy as np

from dp2dp.plot import TradeoffDisplay
from people import scores

PROGRAM = os.environ.get("DP2DP", "dp2dp")


@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed")
class Sweep(unittest.TestCase):
    def setUp(self):
        import matplotlib.pyplot as plt

        plt.switch_backend("Agg")
        self.addCleanup(plt.close, "all")

    def drawn(self, unfairness, **options):
        """Draws two curves, each for two values of rho."""
        same = dict(criterion="demographic_parity", method="dpgd", solver="counts", delta=1e-5)
        same |= dict(run=1, error=0.2, unfairness=unfairness, error_before=0.1)
        table = {name: [value] * 4 for name, value in same.items()}
        table |= dict(rho=[0, 0.1] * 2, epsilon=[1, 1, 2, 2], unfairness_before=[0.3] * 4)
        return TradeoffDisplay.from_sweep(table, **options)

    def test_hollow_markers_are_drawn_only_if_asked_for(self):
        lines = [len(self.drawn(0.1, before=b).ax_.get_lines()) for b in (True, False)]
        self.assertEqual(lines[0] - lines[1], 2)

    def test_rules_without_any_gap_are_drawn(self):
        texts = [text.get_text() for text in self.drawn(0.0).ax_.texts]
        self.assertIn("ρ = 0.1", texts)

    def test_accuracies_in_place_of_errors_are_told(self):
        rising = dict(rho=[0, 0.05, 0.1], error=[0.74, 0.75, 0.76], unfairness=[0.01, 0.05, 0.1])
        wide = dict(rising, error=[0.76, 0.75, 0.74], error_before=0.73)  # many classes
        for given, told in (
            (dict(rising, error_before=0.77), True),
            (dict(rising, error_before=0.73), False),
            (dict(wide), False),
            (dict(wide, error=[0.26, 0.25, 0.24], error_before=0.23), False),
            (dict(rising, error=[0.24, 0.25, 0.26], error_before=0.27), False),
        ):
            same = dict(criterion="demographic_parity", method="none", solver="counts", run=1)
            same |= dict(epsilon=1, delta=1e-5, unfairness_before=0.2)
            table = {name: [value] * 3 for name, value in (same | given).items()}
            table |= {name: value for name, value in given.items() if isinstance(value, list)}
            with self.subTest(given), warnings.catch_warnings(record=True) as found:
                warnings.simplefilter("always")
                TradeoffDisplay.from_sweep(table)
            texts = [str(one.message).split(":")[0] for one in found]
            self.assertEqual("errors-are-accuracies" in texts, told)

    def test_percentages_are_refused(self):
        with self.assertRaisesRegex(
            ValueError, "unfairness must be a fraction from 0 to 1.*by 100"
        ):
            self.drawn(5.0)

    def test_a_sweep_is_drawn_with_its_own_numbers(self):
        p, g = scores(3000)
        y = np.random.default_rng(1).random(3000) < p[:, 1]
        with tempfile.TemporaryDirectory() as folder:
            people, table = (os.path.join(folder, name) for name in ("people.csv", "sweep.csv"))
            rows = np.column_stack([p, g, y])
            np.savetxt(people, rows, "%.17g", ",", header="p0,p1,s,y", comments="")
            subprocess.run(
                [PROGRAM, "sweep", people, "--scores", "p0,p1", "--sensitive", "s"]
                + ["--groups", "0,1", "--label", "y", "--rho", "0,0.1", "--epsilon", "1,inf"]
                + ["--delta", "1e-5", "--runs", "3", "--insecure-seed", "3", "--out", table],
                check=True,
                capture_output=True,
            )
            display = TradeoffDisplay.from_sweep(table)
            with open(table, encoding="utf-8", newline="") as file:
                found = list(csv.DictReader(file))
        self.assertEqual([curve.label for curve in display.curves], ["ε = 1", "ε = ∞"])
        for curve, epsilon in zip(display.curves, ("1", "inf"), strict=True):
            self.assertEqual(curve.rho.tolist(), [0, 0.1])
            self.assertEqual(curve.runs.tolist(), [3, 3])
            errors = [float(r["error"]) for r in found if r["epsilon"] == epsilon]
            self.assertAlmostEqual(curve.error.mean(), np.mean(errors))
        self.assertEqual(display.records, 3000)
