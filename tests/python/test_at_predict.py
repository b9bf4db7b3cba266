"""Predictions about other numbers than those of the fit are told: another unit, another classifier,
a column without values."""

import os
import tempfile
import unittest
import warnings
from importlib.util import find_spec

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dp2dp
from dp2dp import DP2DPClassifier, FairPostProcessor, PrivateLogisticRegression
from people import SEEDED, categorical, numeric, schema


def told(function, *args, **options):
    """The words of the warnings that a call gives."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args, **options)
    texts = [str(one.message) for one in found]
    ours = [text for text in texts if issubclass(found[texts.index(text)].category, UserWarning)]
    return [text.split(":")[0] for text in ours]


class AtPredict(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        rng = np.random.default_rng(0)
        n = 4000
        self.s = rng.integers(0, 2, n)
        age = np.clip(rng.normal(42, 12, n), 18, 90)
        income = rng.lognormal(10.4, 0.5, n) * (1 + 0.6 * self.s)
        self.X = pd.DataFrame({"age": age, "income": income})
        self.y = (income / 1000 + age / 4 + rng.normal(0, 12, n) > 55).astype(int)
        self.groups = dict(sensitive_features=self.s)
        self.lists = dict(classes=[0, 1], groups=[0, 1])

    def linear(self):
        return make_pipeline(StandardScaler(), LogisticRegression()).fit(self.X, self.y)

    def fair(self, estimator=None, **options):
        estimator = self.linear() if estimator is None else estimator
        made = FairPostProcessor(estimator, **SEEDED, **self.lists, prefit=True, **options)
        return made.fit(self.X, sensitive_features=self.s)


class OneRow(unittest.TestCase):
    def test_a_dither_by_row_is_told_for_one_row(self):
        rng = np.random.default_rng(1)
        p = rng.random(2000)
        scores, groups = np.stack([1 - p, p], axis=1), rng.integers(0, 2, 2000)
        names = dict(group_names=["f", "m"], class_names=["no", "yes"])
        given = dict(solver="exact", scores_epsilon=0, scores_delta=0, **names)
        for options, expected in (
            (dict(dither=0.1, dither_key="row"), ["dither-is-shared"]),
            (dict(dither=0.1, dither_key="scores"), []),
            ({}, []),
        ):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = dp2dp.fit(scores, groups, **given, **options)
            self.assertEqual(told(model.predict, scores[:1], groups[:1]), expected)
            self.assertEqual(told(model.decide, scores[0], "f"), expected)
            self.assertEqual(told(model.predict, scores[:1], groups[:1], first_row=7), [])
            self.assertEqual(told(model.predict, scores[:2], groups[:2]), [])


class WeightsOrder(unittest.TestCase):
    def test_swapped_columns_of_weights_are_told(self):
        rng = np.random.default_rng(2)
        w = rng.beta(3, 6, 4000)
        groups = (rng.random(4000) > w).astype(int)
        p = 0.3 * rng.random(4000) + 0.4 * groups
        scores, weights = np.stack([1 - p, p], axis=1), np.stack([w, 1 - w], axis=1)
        given = dict(group_names=["state", "private"], class_names=["no", "yes"], solver="exact")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = dp2dp.fit(scores, groups, weights=weights, **given)
        self.assertEqual(told(model.predict, scores, weights=weights), [])
        self.assertEqual(told(model.predict, scores, weights=weights[:, ::-1]), ["weights-order"])
        few = dict(weights=weights[:99, ::-1])
        self.assertEqual(told(model.predict, scores[:99], **few), [])


class OneClass(AtPredict):
    def test_everybody_in_one_class_is_told(self):
        fair = self.fair()
        wrong = self.X.assign(income=self.X["income"] / 1000)
        self.assertIn("one-class", told(fair.predict, wrong, **self.groups))
        few = dict(sensitive_features=self.s[:999])
        self.assertEqual(told(fair.predict, wrong[:999], **few), [])
        self.assertEqual(told(fair.predict, self.X, **self.groups), [])
        for at in range(0, 400, 10):
            part = dict(sensitive_features=self.s[at : at + 10])
            self.assertEqual(told(fair.predict, self.X[at : at + 10], **part), [])

    def test_a_rare_class_may_be_missing(self):
        rare = (self.X["income"] > self.X["income"].quantile(0.99)).astype(int)
        known = make_pipeline(StandardScaler(), LogisticRegression()).fit(self.X, rare)
        fair = self.fair(known)
        for at in range(0, 4000, 100):
            part = dict(sensitive_features=self.s[at : at + 100])
            self.assertEqual(told(fair.predict, self.X[at : at + 100], **part), [])

    def test_the_fit_keeps_nothing_exact_about_its_people(self):
        one, other = self.fair(), self.fair(bad_rows="ignore")
        self.assertEqual({*vars(one)}, {*vars(other)})

    def test_a_warning_that_is_an_exception_leaves_the_model_that_was_paid_for(self):
        made = FairPostProcessor(self.linear(), **SEEDED, **self.lists, prefit=True)
        backwards = 1 - self.y
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaisesRegex(UserWarning, "worse-than-guessing"):
                made.fit(self.X, backwards, **self.groups)
        self.assertEqual(made.predict(self.X, **self.groups).shape, self.y.shape)

    def test_labels_that_the_rule_does_not_need_may_be_anything(self):
        ragged = [*self.y[:-1].tolist(), [1, 2]]
        missing = pd.Series(self.y.astype(str), dtype="string")
        missing[0] = pd.NA
        for y in (None, ragged, missing):
            for bad_rows in ("refuse", "ignore"):
                with self.subTest(type(y).__name__, bad_rows=bad_rows):
                    made = FairPostProcessor(
                        self.linear(), **SEEDED, **self.lists, prefit=True, bad_rows=bad_rows
                    )
                    found = told(made.fit, self.X, y, **self.groups)
                    self.assertEqual(found, ["not-private", "scores-origin-not-stated"])

    def test_a_loaded_rule_tells_if_many_people_get_one_class(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.json")
            self.fair().save(path)
            fair = FairPostProcessor.load(path, self.linear())
        wrong = self.X.assign(income=self.X["income"] / 1000)
        self.assertIn("one-class", told(fair.predict, wrong, **self.groups))
        few = dict(sensitive_features=self.s[:100])
        self.assertEqual(told(fair.predict, wrong[:100], **few), [])
        self.assertEqual(told(fair.predict, self.X, **self.groups), [])


class Gap(AtPredict):
    def test_a_rule_of_another_classifier_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.json")
            self.fair().save(path)
            own = FairPostProcessor.load(path, self.linear())
            noise = np.random.default_rng(1).integers(0, 2, len(self.y))
            backwards = make_pipeline(StandardScaler(), LogisticRegression())
            backwards.fit(self.X, np.where(noise & (self.y == 0), 0, 1 - self.y))
            other = FairPostProcessor.load(path, backwards)
        self.assertEqual(told(own.predict, self.X, **self.groups), [])
        self.assertIn("rates-differ", told(other.predict, self.X, **self.groups))
        few = dict(sensitive_features=self.s[:150])
        self.assertEqual(told(other.predict, self.X[:150], **few), ["rates-differ"])
        few = dict(sensitive_features=self.s[:30])
        self.assertEqual(told(other.predict, self.X[:30], **few), [])

    def test_groups_that_are_swapped_are_told(self):
        fair = self.fair()
        self.assertIn("rates-differ", told(fair.predict, self.X, sensitive_features=1 - self.s))

    def world(self, n, seed):
        """Scores of two groups that differ a little, and the groups."""
        rng = np.random.default_rng(seed)
        groups = rng.integers(0, 2, n)
        p = 1 / (1 + np.exp(-rng.normal(0.5, 1, n) - 0.15 * groups))
        return np.column_stack([1 - p, p]), groups

    def estimator(self, n, seed, **options):
        class Given:
            classes_ = np.array([0, 1])

            def predict_proba(self, X):
                return X

        scores, groups = self.world(n, seed)
        given = dict(epsilon=1, delta=1e-5, insecure_seed=seed, scores_epsilon=0, scores_delta=0)
        fair = FairPostProcessor(Given(), **{**given, **self.lists, **options})
        return fair.fit(scores, sensitive_features=groups)

    def test_a_small_gap_of_many_people_is_told(self):
        fair = self.estimator(10000, 1)
        scores, groups = self.world(10000, 2)
        self.assertEqual(told(fair.predict, scores, sensitive_features=groups), [])
        swapped = told(fair.predict, scores, sensitive_features=1 - groups)
        self.assertEqual(swapped, ["rates-differ"])
        few = dict(sensitive_features=1 - groups[:400])  # so few may differ by chance
        self.assertEqual(told(fair.predict, scores[:400], **few), [])

    def test_rows_that_are_drawn_by_chance_are_not_told(self):
        for n in (400, 1000, 4000):  # the rates of a small pool are those of others by chance only
            for seed in range(20):
                scores, groups = self.world(20000, 100 + seed)
                fair = self.estimator(n, seed)
                found = told(fair.predict, scores, sensitive_features=groups)
                self.assertNotIn("rates-differ", found)

    def test_people_with_several_rows_count_once(self):
        fair = self.estimator(10000, 1, rows_per_person=50)
        scores, groups = self.world(200, 2)
        several = dict(sensitive_features=np.repeat(1 - groups, 50))
        found = told(fair.predict, np.repeat(scores, 50, axis=0), **several)
        self.assertNotIn("rates-differ", found)

    def test_a_gap_that_was_asked_for_or_told_is_not_told(self):
        lenient = self.fair(rho=0.9)
        self.assertEqual(told(lenient.predict, self.X, **self.groups), [])
        odds = FairPostProcessor(
            self.linear(), **SEEDED, **self.lists, prefit=True, constraints="equalized_odds"
        ).fit(self.X, self.y, **self.groups)
        self.assertNotIn("rates-differ", told(odds.predict, self.X, **self.groups))


class Empty(AtPredict):
    def test_a_column_without_values_is_told(self):
        trees = HistGradientBoostingClassifier().fit(self.X, self.y)
        fair = self.fair(trees)
        lost = self.X.assign(age=np.nan)
        self.assertIn("column-empty", told(fair.predict, lost, **self.groups))
        self.assertEqual(told(fair.predict, self.X, **self.groups), [])
        half = self.X.assign(age=self.X["age"].where(self.s == 0))
        self.assertNotIn("column-empty", told(fair.predict, half, **self.groups))
        self.assertEqual(told(fair.predict, lost[:1], sensitive_features=self.s[:1]), [])
        arrays = HistGradientBoostingClassifier().fit(self.X.to_numpy(), self.y)
        plain = FairPostProcessor(arrays, **SEEDED, **self.lists, prefit=True)
        plain.fit(self.X.to_numpy(), **self.groups)
        self.assertIn("column-empty", told(plain.predict, lost.to_numpy(), **self.groups))

    def test_a_column_of_a_schema_without_values_is_told(self):
        columns = [numeric("age", 0, 100), numeric("income", 0, 200000)]
        job = categorical("job", "clerk", "smith")
        label = categorical("y", "0", "1", role="label")
        made = schema(*(column | {"missing": "level"} for column in (*columns, job)), label)
        X = self.X.assign(job=np.where(self.s, "clerk", "smith"))
        private = PrivateLogisticRegression(**SEEDED, schema=made).fit(X, self.y)
        both = DP2DPClassifier(**SEEDED, schema=made, groups=[0, 1]).fit(X, self.y, **self.groups)
        for lost in (X.assign(age=np.nan), X.assign(job=None)):
            self.assertIn("column-empty", told(private.predict, lost))
            self.assertIn("column-empty", told(both.predict, lost, **self.groups))
            self.assertEqual(told(private.predict, lost[:1]), [])
        self.assertEqual(told(private.predict, X), [])
        if find_spec("pyarrow"):
            lost = X.assign(age=np.nan)
            self.assertIn("column-empty", told(dp2dp.core.score, private.model_, lost))


if __name__ == "__main__":
    unittest.main()
