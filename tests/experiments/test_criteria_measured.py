"""The table of error and gap per criterion: what its numbers and its bold ones mean."""

import unittest

import numpy as np
import pandas as pd

import criteria_measured as measured


def cell(ours, theirs):
    """Rows of one cell: for each side a list of splits, each a list of errors of its fits."""
    rows = [
        {"split": split, "draw": draw, "side": side, "error": error, "gap": 2 * error}
        for side, splits in (("ours", ours), ("theirs", theirs))
        for split, draws in enumerate(splits)
        for draw, error in enumerate(draws)
    ]
    return pd.DataFrame(rows)


class Differences(unittest.TestCase):
    def test_fits_of_a_split_are_one_observation(self):
        some = cell([[0.2, 0.4], [0.5, 0.5]], [[0.1, 0.1], [0.1, 0.3]])
        mean, error = measured.difference(some, "error")
        self.assertAlmostEqual(mean, 0.25)  # of .2 and .3
        self.assertAlmostEqual(error, 0.05)

    def test_only_what_is_worse_by_two_standard_errors_is_bold(self):
        theirs = [[0.10], [0.20], [0.30]]
        worse = [[0.12], [0.23], [0.32]]
        text = measured.difference_cell(cell(worse, theirs))
        self.assertEqual(text, "**+.0233 (.0033)**, **+.0467 (.0067)**")
        self.assertNotIn("*", measured.difference_cell(cell(theirs, worse)))
        self.assertIn("−.0233", measured.difference_cell(cell(theirs, worse)))

    def test_the_summary_counts_both_tails(self):
        key = {"data": "made up", "criterion": "equalized_odds", "aware": True, "rho": 0.0}
        worse = cell([[0.12], [0.23], [0.32]], [[0.10], [0.20], [0.30]]).assign(epsilon=1, **key)
        better = cell([[0.10], [0.20], [0.30]], [[0.12], [0.23], [0.32]]).assign(epsilon=3, **key)
        self.assertEqual(
            measured.summary(pd.concat([worse, better])),
            "4 differences: 2 above two standard errors, 2 below minus two",
        )


class Gaps(unittest.TestCase):
    def test_each_criterion_compares_the_people_it_names(self):
        group = np.array([0, 0, 0, 0, 1, 1, 1, 1])
        label = np.array([0, 0, 1, 1, 0, 0, 1, 1])
        made = np.array([0, 1, 1, 1, 0, 0, 0, 1])
        for criterion, gap in (
            ("demographic_parity", 0.5),
            ("true_positive_rate_parity", 0.5),
            ("false_positive_rate_parity", 0.5),
            ("equalized_odds", 0.5),
        ):
            self.assertEqual(measured.largest_gap(criterion, group, label, made), gap, criterion)
        made[1] = 0  # now nobody with label 0 gets class 1
        self.assertEqual(measured.largest_gap("false_positive_rate_parity", group, label, made), 0)
        self.assertEqual(measured.largest_gap("demographic_parity", group, label, made), 0.25)
        self.assertEqual(measured.largest_gap("equalized_odds", group, label, made), 0.5)


class Seeds(unittest.TestCase):
    def test_a_seed_follows_from_what_is_fitted(self):
        first = measured.seed_of("ours", 0, "adult", 0.5, 3, 1)
        self.assertEqual(first, measured.seed_of("ours", 0, "adult", 0.5, 3, 1))
        self.assertNotEqual(first, measured.seed_of("ours", 0, "adult", 0.5, 3, 2))
        self.assertLess(first, 2**63)


if __name__ == "__main__":
    unittest.main()
