"""Scores and weights that are not what they are taken for are warned of."""

import unittest
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression

from dp2dp import FairnessWarning, core
from dp2dp.estimators import FairPostProcessor

WORDS = ("group-scores-are-groups", "row-sums", "scores-are-equal", "worse-than-guessing")


def told(function, *args, **options):
    """The words of these warnings that a call gives, in order, and their texts."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args, **options)
    texts = [str(one.message) for one in found if issubclass(one.category, FairnessWarning)]
    chosen = [text for text in texts if text.startswith(WORDS)]
    assert all("do not publish the " in text for text in chosen)
    return [text.split(":")[0] for text in chosen]


class OddScores(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(0)
        self.groups = rng.integers(0, 2, 400)
        self.scores = rng.dirichlet((3, 2, 2), 400)

    def fit(self, scores, **options):
        options = {"n_groups": 2, "solver": "exact", **options}
        return told(core.fit, scores, self.groups, **options)

    def test_weights_that_are_the_groups_are_warned_of(self):
        one_hot = np.eye(2)[self.groups]
        self.assertEqual(self.fit(self.scores, weights=one_hot), ["group-scores-are-groups"])
        self.assertEqual(self.fit(self.scores, weights=0.8 * one_hot + 0.1), [])
        nobody = {"bad_rows": "ignore", "solver": "counts", "epsilon": 1, "delta": 1e-5}
        self.assertEqual(self.fit(self.scores, weights=one_hot, **nobody), [])

    def test_a_group_estimator_that_knows_the_group_is_warned_of(self):
        class Knows(LogisticRegression):
            def predict_proba(self, X):
                return np.eye(2)[(X[:, 0] > 0).astype(int)]

        X = np.column_stack([self.groups - 0.5, self.scores[:, 0]])
        y = (self.scores[:, 0] > 0.4).astype(int)
        estimator = FairPostProcessor(
            LogisticRegression(),
            group_estimator=Knows(),
            group_target="group",
            groups=[0, 1],
            classes=[0, 1],
            epsilon=1,
            delta=1e-5,
        )
        found = told(estimator.fit, X, y, sensitive_features=self.groups)
        self.assertEqual(found, ["group-scores-are-groups"])

    def test_a_forgotten_class_is_warned_of_and_rounding_is_not(self):
        self.assertEqual(self.fit(self.scores[:, :2], normalize=True), ["row-sums"])
        for fine in (
            self.scores.round(2),
            self.scores.round(1),
            100 * self.scores,
            7 * self.scores,
        ):
            self.assertEqual(self.fit(fine, normalize=True), [])

    def test_equal_scores_are_warned_of(self):
        equal = np.tile([0.7, 0.3], (400, 1))
        self.assertEqual(self.fit(equal), ["scores-are-equal"])
        equal[200] = 0.5
        self.assertEqual(self.fit(equal), [])

    def test_scores_against_the_labels_are_warned_of(self):
        rng = np.random.default_rng(1)
        labels = np.array([rng.choice(3, p=row) for row in self.scores])
        odds = dict(labels=labels, criterion="equalized_odds")
        model = core.fit(self.scores, self.groups, n_groups=2, solver="exact", **odds)
        budget = dict(labels=labels, epsilon=1, delta=1e-5)
        for order, expected in (([0, 1, 2], []), ([1, 0, 2], ["worse-than-guessing"])):
            mixed = self.scores[:, order]
            self.assertEqual(self.fit(mixed, **odds), expected)
            self.assertEqual(told(core.certify, model, mixed, self.groups, **budget), expected)
        quiet = {"bad_rows": "ignore", "solver": "counts", "epsilon": 1, "delta": 1e-5}
        self.assertEqual(self.fit(self.scores[:, [1, 0, 2]], **odds, **quiet), [])
        useless = np.random.default_rng(2).dirichlet((3, 2, 2), 400)
        self.assertEqual(self.fit(useless, **odds), [])

    def test_rare_labels_whose_scores_are_equal_by_chance_give_no_warning(self):
        rng = np.random.default_rng(4)
        for _ in range(40):
            high = np.where(rng.random(400) < 0.05, 0.02, 0.005)
            scores, labels = np.column_stack([1 - high, high]), np.zeros(400, int)
            labels[rng.choice(400, 12, replace=False)] = 1
            found = self.fit(scores, labels=labels, criterion="equal_opportunity")
            self.assertNotIn("worse-than-guessing", found)

    def test_a_classifier_with_swapped_columns_is_warned_of_if_y_is_given(self):
        class Swapped(LogisticRegression):
            def predict_proba(self, X):
                return super().predict_proba(X)[:, ::-1]

        rng = np.random.default_rng(3)
        X = rng.normal(size=(400, 2))
        y = (X[:, 0] + rng.normal(size=400) > 0).astype(int)
        public = dict(groups=[0, 1], prefit=True, epsilon=1, delta=1e-5)
        for kind, expected in ((Swapped, ["worse-than-guessing"]), (LogisticRegression, [])):
            fair = FairPostProcessor(kind().fit(X, y), **public)
            for given in (y, y.tolist(), y[:, None]):
                found = told(fair.fit, X, given, sensitive_features=self.groups)
                self.assertEqual(found, expected)
            self.assertEqual(told(fair.fit, X, sensitive_features=self.groups), [])
            fair.set_params(bad_rows="ignore")
            self.assertEqual(told(fair.fit, X, y, sensitive_features=self.groups), [])


if __name__ == "__main__":
    unittest.main()
