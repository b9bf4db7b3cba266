"""Scores that do not belong to their labels, weights passed as multiplicity, and classifiers that
have seen the people of the pool or are fitted again, are told."""

import unittest
import warnings

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import dp2dp
from dp2dp import FairPostProcessor
from people import BUDGET, SEEDED, labelled

PUBLIC = dict(classes=[0, 1], groups=[0, 1])
ODDS = dict(constraints="equalized_odds")
SECRET = "This warning comes from the data without noise: do not publish the warning"


def told(function, *args, **options):
    """The warnings of a call, as one text."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args, **options)
    return "\n".join(str(one.message) for one in found)


def line_of(found, word):
    return next((line for line in found.splitlines() if line.startswith(word)), "")


class Order(unittest.TestCase):
    word = "no-better-than-guessing"

    def setUp(self):
        self.X, self.y, self.g = labelled(3000)
        X, y, _ = labelled(1000, seed=1)
        self.inner = LogisticRegression().fit(X, y)
        self.moved = np.random.default_rng(2).permutation(3000)

    def fit(self, X, y, inner=None, **options):
        given = {"prefit": True, **SEEDED, **PUBLIC, **options}
        fair = FairPostProcessor(inner or self.inner, **given)
        return line_of(told(fair.fit, X, y, sensitive_features=self.g), self.word)

    def test_rows_in_another_order_than_the_labels_are_told(self):
        for options in (ODDS, {}):
            found = self.fit(self.X[self.moved], self.y, **options)
            self.assertIn("in the same order?", found)
            self.assertIn(SECRET, found)
            self.assertEqual(self.fit(self.X, self.y, **options), "")
        self.assertEqual(self.fit(self.X[self.moved], None), "")

    def test_functions_tell_them_too(self):
        p = self.inner.predict_proba(self.X)
        given = dict(n_groups=2, criterion="equalized_odds", **SEEDED)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = dp2dp.fit(p, self.g, labels=self.y, **given)
        people = (self.g, self.y)
        for scores, is_told in ((p, False), (p[self.moved], True)):
            found = told(dp2dp.fit, scores, self.g, labels=self.y, **given)
            self.assertEqual(self.word in found, is_told)
            found = told(dp2dp.certify, model, scores, self.g, labels=people[1], **BUDGET)
            self.assertEqual(self.word in found, is_told)

    def test_with_ignored_rows_nothing_is_told(self):
        for options in (ODDS, {}):
            self.assertEqual(self.fit(self.X[self.moved], self.y, bad_rows="ignore", **options), "")

    def test_a_model_that_was_paid_for_is_kept(self):
        fair = FairPostProcessor(self.inner, prefit=True, **SEEDED, **PUBLIC, **ODDS)
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message=self.word)
            with self.assertRaises(dp2dp.FairnessWarning):
                fair.fit(self.X[self.moved], self.y, sensitive_features=self.g)
        self.assertEqual(fair.model_.records, 3000)

    def test_poor_but_honest_scores_are_not_told(self):
        rng = np.random.default_rng(3)
        for seed in range(20):
            X, y, _ = labelled(3000, seed=seed + 10)
            noise = X + rng.normal(size=X.shape) * 4  # little information
            forest = RandomForestClassifier(20, max_depth=6, random_state=0)
            for inner in (GaussianNB(), forest, LogisticRegression()):
                inner.fit(noise[:1000], y[:1000])
                self.g = self.g[:2000]
                self.assertEqual(self.fit(noise[1000:], y[1000:], inner), "", seed)
            alone = rng.normal(size=X.shape)  # no information, and scores that know it
            useless = LogisticRegression().fit(alone[:1000], y[:1000])
            self.assertEqual(self.fit(alone[1000:], y[1000:], useless), "", seed)


class Trained(unittest.TestCase):
    def setUp(self):
        self.X, self.y, self.g = labelled(1500)

    def test_a_classifier_that_was_trained_on_the_pool_is_named_as_a_cause(self):
        forest = RandomForestClassifier(50, random_state=0).fit(self.X, self.y)
        fair = FairPostProcessor(forest, prefit=True, **SEEDED, **PUBLIC, **ODDS)
        found = told(fair.fit, self.X, self.y, sensitive_features=self.g)
        line = line_of(found, "labels-are-decisions")
        self.assertIn("If the classifier was trained on these people, use other people", line)
        self.assertIn("scores_from_pool=True", line)

    def test_a_fitted_classifier_that_is_fitted_anew_is_told(self):
        inner = LogisticRegression().fit(self.X, self.y)
        words = (
            "fitted-anew: The LogisticRegression is fitted here, although it was fitted before. "
            "To keep the earlier fit, pass prefit=True"
        )
        for estimator, options, expected in (
            (inner, {}, words),
            (inner, {"bad_rows": "ignore"}, words),
            (inner, {"prefit": True}, ""),
            (LogisticRegression(), {}, ""),
        ):
            fair = FairPostProcessor(estimator, **SEEDED, **PUBLIC, **options)
            for _ in range(2):
                found = told(fair.fit, self.X, self.y, sensitive_features=self.g)
                self.assertEqual(line_of(found, "fitted-anew"), expected)


class Multiplicity(unittest.TestCase):
    word = "multiplicity-looks-like-weights"

    def setUp(self):
        self.rng = np.random.default_rng(0)
        p = self.rng.random((3000, 1))
        self.scores, self.g = np.hstack([1 - p, p]), self.rng.integers(0, 2, 3000)
        self.weights = self.rng.integers(120, 900, 3000)

    def fit(self, scores, groups, counts, **options):
        given = dict(n_groups=2, multiplicity=counts, **SEEDED)
        return line_of(told(dp2dp.fit, scores, groups, **given, **options), self.word)

    def test_weights_of_a_survey_are_told(self):
        for scores in (self.scores, self.scores.astype(np.float32)):
            found = self.fit(scores, self.g, self.weights)
            self.assertIn("rows_per_person must be at least w", found)
            self.assertIn(SECRET, found)
        self.assertEqual(self.fit(self.scores, self.g, self.weights, bad_rows="ignore"), "")
        self.assertEqual(self.fit(self.scores, self.g, self.weights, rows_per_person=900), "")

    def test_a_certificate_tells_them_too(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = dp2dp.fit(self.scores, self.g, n_groups=2, **SEEDED)
        counts = {"multiplicity": self.weights}
        found = told(dp2dp.certify, model, self.scores, self.g, **counts, **SEEDED)
        self.assertIn(self.word, found)
        found = told(dp2dp.certify, model, self.scores, self.g, **SEEDED)
        self.assertNotIn(self.word, found)

    def test_counts_of_a_group_by_are_not_told(self):
        for scores in (self.scores.round(3), np.ldexp(np.ldexp(self.scores, 16).round(), -16)):
            self.assertEqual(self.fit(scores, self.g, self.weights, normalize=True), "")
        ones = np.where(self.rng.random(3000) < 0.5, 1, self.weights)
        self.assertEqual(self.fit(self.scores, self.g, ones), "")
        both = np.repeat(self.scores[:1500], 2, axis=0)  # each cell occurs in both groups
        self.assertEqual(self.fit(both, np.tile([0, 1], 1500), self.weights), "")
        cells = (1 + self.rng.lognormal(5, 1.5, 3000)).astype(int)
        self.assertEqual(self.fit(self.scores, self.g, cells), "")


if __name__ == "__main__":
    unittest.main()
