"""Estimators certify their rule, and come back from a file."""

import os
import tempfile
import unittest
import warnings

import numpy as np
import pandas as pd
from sklearn.naive_bayes import GaussianNB

import dp2dp
from dp2dp import DP2DPClassifier, FairPostProcessor, Ledger, PrivateLogisticRegression
from people import BUDGET, SEEDED, labelled


class HandOver(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore", dp2dp.PrivacyWarning)
        self.X, self.y, self.g = labelled(6000)
        self.sex = np.where(self.g == 1, "m", "f")
        self.path = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "model.json")

    def post(self, **options):
        public = dict(classes=[0, 1], groups=["f", "m"])
        fair = FairPostProcessor(GaussianNB(), **{**SEEDED, **public, **options})
        return fair.fit(self.X, self.y, sensitive_features=self.sex)

    def both(self, **options):
        public = dict(classes=[0, 1], groups=["f", "m"], bounds=(-4, 4))
        both = DP2DPClassifier(**{**SEEDED, **public, **options})
        return both.fit(self.X, self.y, sensitive_features=self.sex)


class Certificates(HandOver):
    def test_the_certificate_is_that_of_the_core(self):
        X, y, g = labelled(4000, seed=1)
        sex = np.where(g == 1, "m", "f")
        for fair in (self.post(), self.both()):
            proof = fair.certify(X, sensitive_features=sex, **SEEDED)
            scores = fair._scores_and_weights(X)[0]
            theirs = dp2dp.certify(fair.model_, scores, g, **SEEDED)
            self.assertEqual(proof.unfairness_upper, theirs.unfairness_upper)
            self.assertLess(proof.unfairness_upper, 0.2)

    def test_labels_weights_and_ledgers(self):
        X, y, g = labelled(4000, seed=1)
        sex = np.where(g == 1, "m", "f")
        fair = self.post(constraints="equal_opportunity", group_estimator=GaussianNB())
        ledger = Ledger()
        proof = fair.certify(X, y, sensitive_features=sex, ledger=ledger, **BUDGET)
        self.assertEqual(proof.criterion, "true_positive_rate_parity")
        self.assertEqual(len(ledger.entries), 1)
        with self.assertRaisesRegex(ValueError, "requires y"):
            fair.certify(X, sensitive_features=sex, **BUDGET)
        with self.assertRaisesRegex(dp2dp.DataError, "row 1"):
            fair.certify(X, y, sensitive_features=["x", *sex[1:]], **BUDGET)
        fair.certify(X, y, sensitive_features=["x", *sex[1:]], bad_rows="ignore", **BUDGET)


class Files(HandOver):
    def same(self, old, new, X, **groups):
        np.testing.assert_array_equal(new.predict(X, **groups), old.predict(X, **groups))
        self.assertEqual(
            new.predict(X[:3], **{n: g[:3] for n, g in groups.items()}).dtype.kind, "i"
        )

    def test_a_rule_comes_back_with_its_classifier(self):
        fair = self.post(constraints="equalized_odds")
        fair.save(self.path)
        again = FairPostProcessor.load(self.path, fair.estimator_)
        self.same(fair, again, self.X, sensitive_features=self.sex)
        self.assertEqual(again.constraints, "equalized_odds")
        again.certify(self.X, self.y, sensitive_features=self.sex, **BUDGET)
        other = GaussianNB().fit(self.X, np.where(self.y, "yes", "no"))
        with self.assertRaisesRegex(dp2dp.OptionError, "the classes of the model are"):
            FairPostProcessor.load(self.path, other)
        with self.assertRaisesRegex(dp2dp.OptionError, "groups must be"):
            FairPostProcessor.load(self.path, fair.estimator_, groups=["m", "f"])
        with self.assertRaisesRegex(dp2dp.OptionError, "leave group_estimator out"):
            FairPostProcessor.load(self.path, fair.estimator_, group_estimator=fair.estimator_)
        with self.assertRaisesRegex(dp2dp.OptionError, "has a rule"):
            PrivateLogisticRegression.load(self.path)
        with self.assertRaisesRegex(dp2dp.OptionError, "a classifier and a rule"):
            DP2DPClassifier.load(self.path)

    def test_a_column_of_the_frame_and_a_rule_without_the_group(self):
        frame = pd.DataFrame(self.X, columns=list("abcd")).assign(sex=self.sex)
        fair = FairPostProcessor(
            GaussianNB(), **SEEDED, classes=[0, 1], groups=["f", "m"], sensitive_column="sex"
        ).fit(frame, self.y)
        fair.save(self.path)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            again = FairPostProcessor.load(self.path, fair.estimator_, sensitive_column="sex")
            self.same(fair, again, frame)
        fair = self.post(group_estimator=GaussianNB())
        fair.save(self.path)
        given = dict(group_estimator=fair.group_estimator_)
        self.same(fair, FairPostProcessor.load(self.path, fair.estimator_, **given), self.X)

    def test_both_phases_come_back(self):
        for options in (
            {},
            dict(unaware=True),
            dict(constraints="equal_opportunity", positive=0),
            dict(constraints="custom", fit_options={"statistics": [(1, [1]), (1, None)]}),
        ):
            with self.subTest(options):
                both = self.both(**options)
                both.save(self.path)
                again = DP2DPClassifier.load(self.path)
                groups = {} if options.get("unaware") else dict(sensitive_features=self.sex)
                self.same(both, again, self.X, **groups)
                self.assertEqual(again.constraints, both.model_.criterion)
                self.assertEqual(again.positive, both.positive)
        with self.assertRaisesRegex(dp2dp.OptionError, "use DP2DPClassifier.load"):
            PrivateLogisticRegression.load(self.path)

    def test_both_phases_come_back_with_names_texts_and_cuts(self):
        job = np.where(self.X[:, 0] > 0, "clerk", "smith")
        frame = pd.DataFrame(self.X, columns=list("abcd")).assign(sex=self.sex, job=job)
        given = dict(**SEEDED, bounds=(-4, 4), classes=[0, 1])
        both = DP2DPClassifier(
            **given,
            categories={"job": ["clerk", "smith"]},
            groups=["f", "m"],
            sensitive_column="sex",
        ).fit(frame, self.y)
        both.save(self.path)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for params in ({}, {"sensitive_column": "sex"}):
                again = DP2DPClassifier.load(self.path, **params)
                self.same(both, again, frame)
                mixed = frame[["sex", "job", "d", "c", "b", "a"]]
                np.testing.assert_array_equal(again.predict(mixed), both.predict(frame))
        cut = dict(sensitive_column=-1, sensitive_cuts=[0.5])
        cuts = DP2DPClassifier(**given, **cut).fit(self.X, self.y)
        cuts.save(self.path)
        again = DP2DPClassifier.load(self.path, sensitive_column=-1)
        self.same(cuts, again, self.X)

    def test_columns_come_back_in_the_order_of_x(self):
        X = np.c_[self.X[:, 0] > 0, self.X[:, 1:]]
        given = dict(**SEEDED, bounds=(-4, 4), classes=[0, 1], categories={0: [0, 1]})
        private = PrivateLogisticRegression(**given).fit(X, self.y)
        private.save(self.path)
        again = PrivateLogisticRegression.load(self.path)
        np.testing.assert_array_equal(again.predict_proba(X), private.predict_proba(X))
        self.assertFalse(hasattr(again, "feature_names_in_"))
        both = DP2DPClassifier(**given, groups=["f", "m"])
        both.fit(X, self.y, sensitive_features=self.sex).save(self.path)
        self.same(both, DP2DPClassifier.load(self.path), X, sensitive_features=self.sex)
        frame = pd.DataFrame(X, columns=list("kabc"))
        named = PrivateLogisticRegression(**{**given, "categories": {"k": [0, 1]}})
        named.fit(frame, self.y).save(self.path)
        again = PrivateLogisticRegression.load(self.path)
        self.assertEqual(again.feature_names_in_.tolist(), list("kabc"))
        np.testing.assert_array_equal(again.predict_proba(frame), named.predict_proba(frame))

    def test_older_files_list_the_numbers_first(self):
        X = np.c_[self.X[:, 0] > 0, self.X[:, 1:]]
        columns = [
            {"name": f"x{j}", "role": "feature", "kind": "numeric", "lower": -4, "upper": 4}
            for j in (1, 2, 3)
        ]
        columns += [
            {"name": "x0", "role": "feature", "kind": "categorical", "levels": ["False", "True"]},
            {"name": "label", "role": "label", "kind": "categorical", "levels": ["0", "1"]},
        ]
        schema = {"format": "dp2dp-schema", "version": {"major": 1, "minor": 0}}
        schema |= {"origin": "public", "columns": columns}
        frame = pd.DataFrame(X, columns=["x0", "x1", "x2", "x3"])
        frame["x0"] = np.where(frame["x0"] > 0, "True", "False")
        old = PrivateLogisticRegression(**SEEDED, schema=schema).fit(frame, self.y)
        old.save(self.path)
        again = PrivateLogisticRegression.load(self.path)
        table = frame.to_numpy(dtype=object)
        np.testing.assert_array_equal(again.predict_proba(table), old.predict_proba(frame))

    def test_a_private_classifier_comes_back(self):
        private = PrivateLogisticRegression(**SEEDED, bounds=(-4, 4), classes=[0, 1])
        private.fit(self.X, self.y).save(self.path)
        again = PrivateLogisticRegression.load(self.path)
        np.testing.assert_array_equal(again.predict_proba(self.X), private.predict_proba(self.X))
        self.same(private, again, self.X)
        np.testing.assert_array_equal(again.coef_, private.coef_)
        texts = PrivateLogisticRegression.load(self.path, classes=["0", "1"])
        self.assertEqual({*texts.predict(self.X)}, {"0", "1"})
        with self.assertRaisesRegex(dp2dp.OptionError, "classes must be"):
            PrivateLogisticRegression.load(self.path, classes=[1, 0])
