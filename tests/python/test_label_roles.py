"""Labels that are probably groups, or that stand for no class, are told."""

import unittest
import warnings

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import dp2dp
from dp2dp import FairPostProcessor, PrivateLogisticRegression, metrics
from people import SEEDED, labelled


class OddLabels(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        self.X, self.y, self.g = labelled(600)
        self.p = LogisticRegression().fit(self.X, self.y).predict_proba(self.X)

    def words(self, function, *args, **options):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            function(*args, **options)
        return [str(one.message) for one in found]

    def told(self, word, function, *args, **options):
        texts = self.words(function, *args, **options)
        (text,) = [text for text in texts if text.startswith(word + ":")]
        return text

    def quiet(self, word, function, *args, **options):
        texts = self.words(function, *args, **options)
        self.assertEqual([text for text in texts if text.startswith(word + ":")], [])

    def post(self, **options):
        return FairPostProcessor(LogisticRegression(), **SEEDED, groups=[0, 1], **options)

    def test_labels_and_groups_that_are_exchanged_are_told(self):
        words, groups = np.where(self.y, "yes", "no"), np.where(self.g, "m", "f")
        decided = np.where(self.p[:, 1] > 0.5, "yes", "no")
        one = np.full(600, "yes")
        for decisions in (decided, one, pd.Series(decided), decided.astype(object)):
            for more in ({}, {"constraints": "equalized_odds"}):
                wrong = dict(sensitive_features=words, **more)
                if more and decisions is one:
                    continue
                texts = self.words(metrics.unfairness, groups, decisions, **wrong)
                names = [text.split(":")[0] for text in texts]
                self.assertEqual(names, ["arguments-exchanged"])
            wrong = dict(sensitive_features=words)
            self.told("arguments-exchanged", metrics.evaluate, groups, decisions, **wrong)
            right = dict(sensitive_features=groups)
            self.quiet("arguments-exchanged", metrics.evaluate, words, decisions, **right)
        self.quiet("classes-differ", metrics.evaluate, groups, decided, **wrong)
        right = dict(sensitive_features=self.g)
        self.quiet("arguments-exchanged", metrics.evaluate, self.y, self.y, **right)
        self.quiet("arguments-exchanged", metrics.evaluate, self.y + 7, self.y, **right)
        self.quiet("arguments-exchanged", metrics.unfairness, None, self.y, **right)
        ages = dict(sensitive_features=np.arange(600) % 90)
        ones, zeros = np.ones(600, int), np.zeros(600, int)
        self.quiet("arguments-exchanged", metrics.evaluate, zeros, ones, **ages)

    def test_a_label_that_stands_for_no_class_is_told(self):
        given = dict(sensitive_features=self.g)
        words = np.where(self.y, "yes", "no")
        decided = np.where(self.p[:, 1] > 0.5, "yes", "no")
        word, odds = "label-never-decided", dict(given, constraints="equal_opportunity")
        for other in ("pending", "Unknown", "n/a", "not yet known", "-99"):
            labels = np.where(np.arange(600) % 20 == 0, other, words)
            text = self.told(word, metrics.evaluate, labels, decided, **given)
            self.assertIn(f"30 of 600 people have the label {other!r}", text)
            self.told(word, metrics.unfairness, labels, decided, positive="yes", **odds)
            listed = dict(given, classes=["no", "yes", other])
            self.quiet(word, metrics.evaluate, labels, decided, **listed)
            few = np.where(np.arange(600) < 29, other, words)
            self.quiet(word, metrics.evaluate, few, decided, **given)
            self.quiet(
                word, metrics.evaluate, labels[:300], decided[:300], sensitive_features=self.g[:300]
            )
        numbers = np.where(np.arange(600) % 3 == 0, -9, self.y)
        self.told(word, metrics.evaluate, numbers, self.y, **given)

    def test_a_class_that_a_classifier_never_decides_is_not_told(self):
        given = dict(sensitive_features=self.g)
        for labels in (["low", "medium", "high"], [-1, 0, 1], [0, 1, 2]):
            truth = np.array(labels)[np.arange(600) % 3]
            decided = np.array(labels)[np.where(np.arange(600) % 7 > 3, 1, 2)]
            self.quiet("label-never-decided", metrics.evaluate, truth, decided, **given)

    def test_a_label_that_is_no_class_of_the_estimator_is_told(self):
        given = dict(sensitive_features=self.g)
        words = np.where(self.y, "yes", "no")
        fair = self.post(classes=["no", "yes"]).fit(self.X, words, **given)
        X, word = self.X.copy(), "label-never-decided"
        labels = np.where(np.arange(600) % 3 == 0, "offen", words)
        decided = fair.predict(X, **given)
        self.told(word, fair.score, X, labels, **given)
        self.told(word, metrics.evaluate, labels, decided, **given)
        scorer = metrics.unfairness_scorer(constraints="equal_opportunity", positive="yes")
        self.told(word, scorer, fair, X, labels, **given)
        self.told(word, metrics.evaluate, labels, decided.copy(), **given)
        self.quiet(word, metrics.evaluate, labels, decided[::-1], **given)  # of another classifier
        self.quiet(word, fair.score, X, words, **given)

    def test_texts_in_a_score_of_numbers_are_refused(self):
        given = dict(sensitive_features=self.g)
        words = np.where(self.y, "1", "0")
        fair = self.post(classes=[0, 1]).fit(self.X, self.y, **given)
        own = PrivateLogisticRegression(bounds=(-4, 4), classes=["0", "1"], **SEEDED)
        own.fit(self.X, words)
        refused = self.assertRaisesRegex
        with refused(dp2dp.DataError, r"y holds texts, but the classes \[0, 1\] are numbers"):
            fair.score(self.X, words, **given)
        with refused(dp2dp.DataError, r"y holds numbers, but the classes .* are texts"):
            own.score(self.X, self.y)
        fair.score(self.X, self.y.astype(float), **given)
        own.score(self.X, words.astype(object))


if __name__ == "__main__":
    unittest.main()
