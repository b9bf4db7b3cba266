"""What the figures are made of: tables, means and intervals, what a legend says about privacy."""

import math
import tempfile
import unittest
from pathlib import Path

import numpy as np

import common
import dominance
from common import AS_PUBLISHED, EXACT, OURS
from figures import synthetic_rho
from support import context
from synthetic import ORDER


def row(**more):
    base = {"method": "dpgd", "epsilon": 0.5, "delta": 1e-5, "epsilon_holds": 0.5}
    return base | {"epsilon_claimed": None} | more


class Tables(unittest.TestCase):
    def test_what_is_written_reads_back_exactly(self):
        rows = [{"a": 0.1, "b": "x,y", "c": None}, {"a": math.inf, "b": "z", "c": 1 / 3}]
        with tempfile.TemporaryDirectory() as folder:
            common.write_csv(Path(folder) / "t.csv", rows)
            self.assertEqual(common.read_csv(Path(folder) / "t.csv"), rows)

    def test_a_failing_program_is_an_error_with_its_message(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(RuntimeError, "no-such-option"):
                context(Path(folder)).sweep("x", "--no-such-option")


class Statistics(unittest.TestCase):
    def test_quantiles_of_student_are_those_of_the_tables(self):
        for degrees, wanted in ((1, 12.7062), (2, 4.3027), (14, 2.1448), (29, 2.0452)):
            self.assertAlmostEqual(common.student_quantile(0.975, degrees), wanted, places=3)

    def test_a_paired_difference_ignores_what_the_runs_share(self):
        shared = np.array([0.0, 10.0, 20.0])
        found = common.paired(shared + [1.0, 2.0, 3.0], shared)
        self.assertAlmostEqual(found["mean"], 2)
        self.assertAlmostEqual(found["se"], 1 / math.sqrt(3))
        self.assertAlmostEqual(found["high"] - 2, 4.3027 / math.sqrt(3), places=3)

    def test_a_line_is_fitted_with_its_interval(self):
        x = np.array([0.0, 1.0, 2.0, 3.0])
        found = common.fit_line(x, 5 - 0.5 * x)
        self.assertAlmostEqual(found["slope"], -0.5)
        self.assertAlmostEqual(found["intercept"], 5)
        self.assertAlmostEqual(found["low"], found["high"])

    def test_gaps_are_the_largest_over_all_settings(self):
        rows = [
            {"series": series, "rho": rho, "run": run, "error": error + run, "unfairness": 0}
            for series, errors in (("a", (1, 2)), ("b", (1.5, 4)))
            for rho, error in zip((0, 0.1), errors, strict=True)
            for run in (0, 1)
        ]
        gaps = common.largest_gaps(rows, {"series": "a"}, {"series": "b"})
        self.assertEqual(gaps, (2, 0, 0, 0))

    def test_a_gap_is_too_large_only_beyond_chance(self):
        self.assertIs(common.within([common.Gap(0.01, 0.005, 1, 1)], 0.01), True)
        self.assertIs(common.within([common.Gap(0.02, 0.005, 0.004, 1)], 0.01), False)
        self.assertIs(common.within([common.Gap(0.02, 0.005, 0.006, 1)], 0.01), None)


class Dominance(unittest.TestCase):
    def points(self, error, unfairness):
        scatter = (0.001, -0.001, 0.0)
        return [
            {"run": run, "error": error + x, "unfairness": unfairness - x}
            for run, x in enumerate(scatter)
        ]

    def test_a_rival_dominates_only_if_it_is_better_in_both(self):
        ours = self.points(0.17, 0.02)
        for error, unfairness, wanted in (
            (0.16, 0.01, True),
            (0.16, 0.03, False),
            (0.18, 0.01, False),
            (0.17, 0.02, False),
        ):
            theirs = self.points(error, unfairness)
            theirs[0]["error"] += 0.0001
            self.assertEqual(dominance.dominates(theirs, ours), wanted, (error, unfairness))

    def test_a_rival_within_the_noise_does_not_dominate(self):
        ours, theirs = self.points(0.17, 0.02), self.points(0.169, 0.019)
        for run, x in enumerate((0.01, -0.01, 0.0)):
            theirs[run]["error"] += x
        self.assertFalse(dominance.dominates(theirs, ours))


class Privacy(unittest.TestCase):
    def test_a_legend_states_the_epsilon_that_holds(self):
        self.assertIn("ε = 0.5, δ = 1e-5,", common.privacy([row()]))
        text = common.privacy([row(epsilon_holds=1.7412, epsilon_claimed=0.5)])
        self.assertIn("ε = 1.75", text)
        self.assertIn("claimed: ε = 0.5", text)

    def test_the_largest_epsilon_of_a_curve_counts(self):
        self.assertIn("ε = 0.7,", common.privacy([row(), row(epsilon_holds=0.7)]))

    def test_one_row_without_a_bound_leaves_none(self):
        rows = [row(), row(epsilon_holds=None, epsilon_claimed=0.5)]
        self.assertRegex(common.privacy(rows), "^none: .*claimed: ε = 0.5")

    def test_without_noise_there_is_none(self):
        for epsilon in (None, math.inf):
            rows = [row(epsilon=epsilon, epsilon_holds=None)]
            self.assertEqual(common.privacy(rows), "none: no noise")


class Orderings(unittest.TestCase):
    """The gate can fail: methods that are swapped in the table turn an ordering."""

    def orderings(self, swapped):
        unfairness = dict(
            zip(ORDER, (0.15, 0.04, 0.07, 0.06, 0.14, 0.13, 0.048, 0.047), strict=True)
        )
        rows = [
            {
                "series": swapped.get(name, name),
                "rho": None if name == "unfair" else 0,
                "error": 0.2 if name == "unfair" else 0.3,
                "unfairness": value,
            }
            for name, value in unfairness.items()
        ]
        with tempfile.TemporaryDirectory() as folder:
            made = context(Path(folder))
            made.write(synthetic_rho.NAME, rows)
            return [holds for _, holds in synthetic_rho.orderings(made)]

    def test_all_hold_as_measured(self):
        self.assertTrue(all(self.orderings({})))

    def test_swapped_methods_are_noticed(self):
        for one, other in ((OURS, AS_PUBLISHED), (EXACT, "unfair"), (OURS, "unfair")):
            self.assertFalse(all(self.orderings({one: other, other: one})), (one, other))


if __name__ == "__main__":
    unittest.main()
