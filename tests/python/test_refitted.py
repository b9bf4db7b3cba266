"""A classifier that is fitted again after a rule was learned for it is noticed."""

import copy
import os
import pickle
import tempfile
import unittest
import warnings

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from dp2dp import DP2DPClassifier, FairPostProcessor, PrivateLogisticRegression
from people import BUDGET, SEEDED, labelled


class Recorder(LogisticRegression):
    """Stores what it predicted, and builds an array at the first prediction."""

    def predict_proba(self, X):
        self.seen_ = np.array(X)
        self.__dict__.setdefault("made_", np.arange(3))
        return super().predict_proba(X)


def classifiers():
    yield LogisticRegression()
    yield RandomForestClassifier(5)
    yield HistGradientBoostingClassifier(max_iter=5)
    yield KNeighborsClassifier()
    yield SVC(probability=True)
    yield make_pipeline(StandardScaler(), RandomForestClassifier(5))
    yield CalibratedClassifierCV(LogisticRegression())
    yield MLPClassifier(max_iter=5)
    yield StackingClassifier([("a", LogisticRegression()), ("b", KNeighborsClassifier())], cv=2)
    yield PrivateLogisticRegression(**BUDGET, bounds=(-4, 4), classes=[0, 1])


class Refitted(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        self.X, self.y, self.g = labelled(600)
        self.other = labelled(600, seed=1)

    def rule(self, classifier, **options):
        given = dict(SEEDED, prefit=True, classes=[0, 1], groups=[0, 1], **options)
        fair = FairPostProcessor(classifier, **given)
        return fair.fit(self.X, sensitive_features=self.g)

    def told(self, function, *args, **options):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            function(*args, **options)
        return sum(str(one.message).startswith("estimator-changed:") for one in found)

    def predict(self, fair, rows=slice(None)):
        X, g = self.other[0][rows], self.other[2][rows]
        return self.told(fair.predict, X, sensitive_features=g)

    def one_by_one(self, fair, count=9):
        return [self.predict(fair, slice(at, at + 1)) for at in range(count)]

    def test_a_second_fit_of_the_classifier_is_told(self):
        for classifier in classifiers():
            with self.subTest(type(classifier).__name__):
                fair = self.rule(classifier.fit(self.X, self.y))
                self.assertEqual(sum(self.one_by_one(fair)), 0)
                classifier.fit(*self.other[:2])
                self.assertEqual(self.one_by_one(fair, 3), [1, 1, 1])
                people = dict(sensitive_features=self.other[2])
                X, y = self.other[:2]
                self.assertEqual(self.told(fair.predict_proba, X, **people), 1)
                self.assertEqual(self.told(fair.score, X, y, **people), 1)
                self.assertEqual(self.told(fair.certify, X, **people, **SEEDED), 1)
                self.assertEqual(self.told(fair.report, X=X, y=y, **people), 1)
                fair.fit(self.X, sensitive_features=self.g)
                self.assertEqual(self.predict(fair), 0)

    def test_a_fit_to_the_same_rows_that_gives_the_same_is_not_told(self):
        classifier = LogisticRegression().fit(self.X, self.y)
        fair = self.rule(classifier)
        classifier.fit(self.X, self.y)
        self.assertEqual(self.predict(fair), 0)

    def test_a_classifier_that_goes_on_learning_is_told(self):
        classifier = SGDClassifier(loss="log_loss").fit(self.X, self.y)
        fair = self.rule(FrozenEstimator(classifier))
        self.assertEqual(sum(self.one_by_one(fair, 6)), 0)
        classifier.partial_fit(*self.other[:2])
        self.assertEqual(self.one_by_one(fair, 1), [1])

    def test_a_classifier_of_the_group_is_compared_too(self):
        inner = LogisticRegression().fit(self.X, self.y)
        groups = LogisticRegression().fit(self.X, self.g)
        fair = self.rule(inner, group_estimator=groups, group_target="group")
        self.assertEqual(self.told(fair.predict, self.X), 0)
        groups.fit(self.other[0], self.other[2])
        self.assertEqual(self.told(fair.predict, self.X), 1)

    def test_what_changes_by_predicting_is_not_told(self):
        recorder = Recorder().fit(self.X, self.y)
        fair = self.rule(recorder)
        self.assertEqual(sum(self.one_by_one(fair, 20)) + self.predict(fair), 0)
        recorder.fit(*self.other[:2])
        people = dict(sensitive_features=self.other[2])
        self.assertEqual(self.told(fair.certify, self.other[0], **people, **SEEDED), 1)

    def test_copies_are_not_told(self):
        for classifier in classifiers():
            fair = self.rule(classifier.fit(self.X, self.y))
            path = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "rule.json")
            fair.save(path)
            copies = [copy.copy(fair), copy.deepcopy(fair), pickle.loads(pickle.dumps(fair))]
            copies.append(FairPostProcessor.load(path, classifier))
            with self.subTest(type(classifier).__name__):
                self.assertEqual(sum(map(self.predict, copies)), 0)
                fair.estimator_ = pickle.loads(pickle.dumps(classifier))
                self.assertEqual(sum(self.one_by_one(fair)), 0)
                self.assertNotIn(b"_Note", pickle.dumps(fair))

    def test_a_classifier_that_is_fitted_here_is_its_own(self):
        given = dict(SEEDED, classes=[0, 1], groups=[0, 1])
        people = dict(sensitive_features=self.g)
        inner = LogisticRegression()
        fair = FairPostProcessor(inner, **given).fit(self.X, self.y, **people)
        inner.fit(*self.other[:2])
        both = DP2DPClassifier(bounds=(-4, 4), **given).fit(self.X, self.y, **people)
        self.assertEqual(self.predict(fair) + self.predict(both), 0)


if __name__ == "__main__":
    unittest.main()
