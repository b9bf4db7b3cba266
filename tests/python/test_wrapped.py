"""FairPostProcessor takes any classifier, as people have them."""

import unittest

import numpy as np
import pandas as pd
import sklearn
from sklearn.base import clone
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dp2dp
from dp2dp import DP2DPClassifier, FairPostProcessor, PrivateLogisticRegression
from people import SEEDED, labelled

PUBLIC = dict(classes=[0, 1], groups=[0, 1])


class Remote:
    """Not of scikit-learn, and without fit."""

    classes_ = [0, 1]

    def predict_proba(self, X):
        p = 1 / (1 + np.exp(-np.asarray(X).sum(axis=1)))
        return np.column_stack([1 - p, p]).tolist()


class Own:
    """Not of scikit-learn, with fit."""

    def fit(self, X, y):
        self.inner = GaussianNB().fit(X, y)
        self.classes_ = self.inner.classes_
        return self

    def predict_proba(self, X):
        return self.inner.predict_proba(X)


class Wrapped(unittest.TestCase):
    def setUp(self):
        self.X, self.y, self.g = labelled(900)

    def fair(self, estimator, **options):
        return FairPostProcessor(estimator, **{**SEEDED, **PUBLIC, **options})

    def fit(self, estimator, **options):
        fair = self.fair(estimator, **options)
        return fair.fit(self.X, self.y, sensitive_features=self.g)

    def test_an_object_without_fit_is_used_as_it_is(self):
        fair = self.fit(Remote())
        self.assertEqual(fair.model_.records, 900)
        self.assertEqual(fair.model_.not_private_because, ["insecure-noise"])
        again = clone(fair).fit(self.X, sensitive_features=self.g)
        np.testing.assert_array_equal(again.model_.offsets, fair.model_.offsets)
        decisions = fair.predict(self.X, sensitive_features=self.g)
        self.assertEqual({*decisions.tolist()}, {0, 1})

    def test_an_object_of_no_library_is_copied_and_fitted(self):
        mine, theirs = Own(), self.fit(GaussianNB())
        fair = self.fit(mine)
        self.assertFalse(hasattr(mine, "inner"))
        np.testing.assert_array_equal(fair.model_.offsets, theirs.model_.offsets)
        prefit = self.fit(Own().fit(self.X, self.y), prefit=True)
        self.assertEqual(prefit.model_.records, 900)

    def test_what_cannot_give_probabilities_of_known_classes_is_refused(self):
        class Nameless(Remote):
            classes_ = property(lambda self: self.unknown)

        with self.assertRaisesRegex(TypeError, "must have classes_"):
            self.fit(Nameless())
        with self.assertRaisesRegex(TypeError, "with predict_proba, and object has none"):
            self.fit(object())

    def test_a_frozen_estimator_is_used_as_it_is(self):
        inner = LogisticRegression().fit(self.X, self.y)
        frozen, prefit = self.fit(FrozenEstimator(inner)), self.fit(inner, prefit=True)
        np.testing.assert_array_equal(frozen.model_.offsets, prefit.model_.offsets)
        self.assertEqual(frozen.model_.records, 900)
        with self.assertRaisesRegex(ValueError, "not fitted yet"):
            self.fit(FrozenEstimator(LogisticRegression()))

    def test_the_cost_of_a_frozen_private_classifier_is_known(self):
        private = PrivateLogisticRegression(**SEEDED, bounds=(-4, 4), classes=[0, 1])
        private.fit(self.X, self.y)
        fair = self.fit(FrozenEstimator(private))
        self.assertEqual(fair.model_.info["classifier"]["records"], 900)
        self.assertNotIn("scores-origin-not-stated", fair.model_.warnings)

    def test_a_frozen_group_estimator_needs_a_fitted_estimator(self):
        frozen = FrozenEstimator(GaussianNB().fit(self.X, self.g))
        given = dict(group_estimator=frozen, group_target="group")
        with self.assertRaisesRegex(dp2dp.OptionError, "group_estimator is fitted already"):
            self.fit(GaussianNB(), **given)
        fair = self.fit(FrozenEstimator(GaussianNB().fit(self.X, self.y)), **given)
        self.assertEqual(fair.model_.rule, "weighted")

    def test_texts_and_dicts_reach_the_classifier_as_they_are(self):
        words = np.where(self.X[:, 0] > 0, "good word", "bad word")
        dicts = [{"a": x} for x in self.X[:, 0]]
        for vectorizer, X in (
            (CountVectorizer(), words.tolist()),
            (CountVectorizer(), words),
            (CountVectorizer(), words.astype(object)),
            (CountVectorizer(), pd.Series(words)),
            (DictVectorizer(), dicts),
        ):
            with self.subTest(kind=type(X)):
                fair = self.fair(make_pipeline(vectorizer, LogisticRegression()))
                fair.fit(X, self.y, sensitive_features=self.g)
                self.assertEqual(len(fair.predict(X, sensitive_features=self.g)), 900)
                self.assertEqual(len(fair.predict(X[:1], sensitive_features=self.g[:1])), 1)
        with self.assertRaisesRegex(dp2dp.OptionError, "leave sensitive_column out"):
            self.fair(vectorizer, sensitive_column=0).set_params(
                estimator=make_pipeline(CountVectorizer(), LogisticRegression())
            ).fit(words, self.y)
        both = DP2DPClassifier(**SEEDED, **PUBLIC, bounds=(-4, 4))
        with self.assertRaisesRegex(ValueError, "Expected 2D array"):
            both.fit(words, self.y, sensitive_features=self.g)


class Weights(unittest.TestCase):
    def setUp(self):
        self.X, self.y, self.g = labelled(900)
        self.weight = np.where(self.y == 1, 5.0, 1.0)

    def fit(self, estimator, **options):
        fair = FairPostProcessor(estimator, **{**SEEDED, **PUBLIC, **options})
        given = dict(sensitive_features=self.g, sample_weight=self.weight)
        return fair.fit(self.X, self.y, **given)

    def test_weights_reach_the_classifier(self):
        plain = FairPostProcessor(GaussianNB(), **SEEDED, **PUBLIC)
        plain.fit(self.X, self.y, sensitive_features=self.g)
        before = plain.estimator_.class_prior_[1]
        for estimator in (GaussianNB(), make_pipeline(StandardScaler(), GaussianNB())):
            fair = self.fit(estimator)
            inner = fair.estimator_ if isinstance(estimator, GaussianNB) else fair.estimator_[-1]
            expected = 5 * before / (5 * before + 1 - before)
            self.assertAlmostEqual(inner.class_prior_[1], expected)
        self.weight = None
        self.assertEqual(self.fit(GaussianNB()).estimator_.class_prior_[1], before)

    def test_weights_are_refused_with_the_reason(self):
        bounds = dict(bounds=(-4, 4), classes=[0, 1])
        private = PrivateLogisticRegression(**SEEDED, **bounds)
        both = DP2DPClassifier(**SEEDED, **bounds, groups=[0, 1])
        words = "sample_weight is not supported: .* only if each person counts once"
        with self.assertRaisesRegex(dp2dp.OptionError, words):
            self.fit(private)
        with self.assertRaisesRegex(dp2dp.OptionError, words):
            private.fit(self.X, self.y, sample_weight=self.weight)
        with self.assertRaisesRegex(dp2dp.OptionError, words):
            both.fit(self.X, self.y, sensitive_features=self.g, sample_weight=self.weight)
        with self.assertRaisesRegex(dp2dp.OptionError, "fitted already"):
            self.fit(GaussianNB().fit(self.X, self.y), prefit=True)
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'weight'"):
            private.fit(self.X, self.y, weight=self.weight)
        with self.assertRaisesRegex(ValueError, "sample_weight"):
            self.weight = self.weight[1:]
            self.fit(GaussianNB())

    def test_weights_are_routed(self):
        with sklearn.config_context(enable_metadata_routing=True):
            inner = GaussianNB().set_fit_request(sample_weight=True)
            fair = FairPostProcessor(inner, **SEEDED, **PUBLIC)
            fair.set_fit_request(sensitive_features=True)
            fair.set_score_request(sensitive_features=True, sample_weight=False)
            given = {"sensitive_features": self.g, "sample_weight": self.weight}
            scores = cross_val_score(fair, self.X, self.y, cv=2, params=given)
            self.assertEqual(len(scores), 2)
            self.assertGreater(self.fit(inner).estimator_.class_prior_[1], 0.7)
