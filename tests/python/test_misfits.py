"""Classifiers, weights and lists that do not fit what the rule is learned from are told."""

import unittest
import warnings

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.neighbors import KNeighborsClassifier

from dp2dp import FairPostProcessor

PUBLIC = dict(epsilon=1, delta=1e-5, insecure_seed=1, scores_epsilon=0, scores_delta=0)


def told(function, *args, **options):
    """The words of the warnings that a call gives."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args, **options)
    return [str(one.message).split(":")[0] for one in found]


class Misfits(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        rng = np.random.default_rng(0)
        n = 6000
        self.g = rng.integers(0, 2, n)
        self.X = rng.normal(size=(n, 3)) + 0.3 * self.g[:, None]
        self.y = (self.X.sum(axis=1) + rng.normal(size=n) * 1.5 > 3.6).astype(int)
        self.train, self.pool = slice(0, n // 2), slice(n // 2, None)

    def fit(self, estimator, y=None, **options):
        """The words of the warnings of a prefit fit on the pool."""
        public = dict(PUBLIC, prefit=True, classes=[0, 1], groups=[0, 1])
        fair = FairPostProcessor(estimator, **{**public, **options})
        return told(fair.fit, self.X[self.pool], y, sensitive_features=self.g[self.pool])


class Thresholds(Misfits):
    def fitted(self, estimator):
        return estimator.fit(self.X[self.train], self.y[self.train])

    def test_a_threshold_of_the_classifier_is_told(self):
        for estimator in (
            TunedThresholdClassifierCV(LogisticRegression(), scoring="balanced_accuracy"),
            FixedThresholdClassifier(LogisticRegression(), threshold=0.3),
        ):
            known = self.fitted(estimator)
            self.assertIn("threshold-ignored", self.fit(known))
            self.assertIn("threshold-ignored", self.fit(known, self.y[self.pool]))
            self.assertNotIn("threshold-ignored", self.fit(known, bad_rows="ignore"))
            inside = FairPostProcessor(
                estimator, epsilon=1, delta=1e-5, insecure_seed=1, classes=[0, 1], groups=[0, 1]
            )
            found = told(inside.fit, self.X, self.y, sensitive_features=self.g)
            self.assertIn("threshold-ignored", found)

    def test_decisions_that_are_the_most_likely_classes_are_not_told(self):
        for estimator in (
            LogisticRegression(),
            RandomForestClassifier(10),
            KNeighborsClassifier(4),
            FixedThresholdClassifier(LogisticRegression(), threshold=0.5),
        ):
            self.assertNotIn("threshold-ignored", self.fit(self.fitted(estimator)))

    def test_a_predict_that_does_not_return_classes_is_not_compared(self):
        class Odd(LogisticRegression):
            def predict(self, X):
                return returned(X)

        def fails(X):
            raise RuntimeError("no predictions today")

        known = self.fitted(Odd())
        for returned in (
            fails,
            lambda X: None,
            lambda X: np.full(len(X), "yes"),
            lambda X: np.zeros((len(X), 2)),
            lambda X: np.full(len(X), 0.3),
        ):
            self.assertNotIn("threshold-ignored", self.fit(known))

    def test_a_row_without_a_listed_group_gets_the_most_likely_class(self):
        known = self.fitted(FixedThresholdClassifier(LogisticRegression(), threshold=0.1))
        fair = FairPostProcessor(
            known, **PUBLIC, prefit=True, classes=[0, 1], groups=[0, 1], unknown_group="base"
        ).fit(self.X[self.pool], sensitive_features=self.g[self.pool])
        nobody = np.full(len(self.X), 7)
        with self.assertWarnsRegex(UserWarning, "these rows got the most likely class"):
            decisions = fair.predict(self.X, sensitive_features=nobody)
        self.assertTrue((decisions == known.predict_proba(self.X).argmax(axis=1)).all())


if __name__ == "__main__":
    unittest.main()
