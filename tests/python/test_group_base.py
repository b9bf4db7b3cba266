"""Two classifiers of ours, of the label and of the group, become one model that needs no group."""

import os
import tempfile
import unittest
import warnings

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import dp2dp
from dp2dp import DP2DPClassifier, FairPostProcessor, PrivateLogisticRegression, core
from people import categorical, numeric, schema

BUDGET = {"epsilon": 1, "delta": 1e-5}
SCHEMA = schema(
    numeric("a"),
    numeric("b"),
    categorical("paid", "no", "yes", role="label"),
    categorical("sex", "f", "m", role="sensitive"),
)


def people(n, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.random((2, n))
    sex = np.where(b + rng.normal(0, 0.3, n) > 0.5, "f", "m")
    paid = np.where(a + 0.4 * (sex == "m") + rng.normal(0, 0.2, n) > 0.7, "yes", "no")
    return pd.DataFrame({"a": a, "b": b, "paid": paid, "sex": sex})


class GroupBase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.enterClassContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        cls.train, cls.pool, cls.test = people(4000, 0), people(4000, 1), people(1000, 2)
        cls.schema = core.Schema(SCHEMA)
        cls.base = core.train(cls.schema, cls.train, **BUDGET)
        cls.groups = core.train(cls.schema, cls.train, target="group", **BUDGET)

    def fit(self, **options):
        found = core.score(self.base, self.pool, groups=True, labels=True, group_model=self.groups)
        labels = found.labels if options.get("criterion") else None
        given = {"base": self.base, "group_base": self.groups, **BUDGET, **options}
        return core.fit(
            found.scores, found.groups, labels=labels, weights=found.group_weights, **given
        )

    def test_one_pass_gives_the_scores_and_weights_of_both(self):
        both = core.score(self.base, self.pool, group_model=self.groups)
        np.testing.assert_array_equal(both.scores, core.score(self.base, self.pool).scores)
        alone = core.score(self.groups, self.pool)
        np.testing.assert_array_equal(both.group_weights, alone.group_weights)
        self.assertIsNone(both.stratum_weights)
        empty = core.score(self.base, self.pool[:0], group_model=self.groups)
        self.assertEqual((empty.scores.shape, empty.group_weights.shape), ((0, 2), (0, 2)))

    def test_the_model_decides_rows_without_a_group_and_is_fairer(self):
        model = self.fit(epsilon=5)
        self.assertEqual(model.info["group_classifier"]["target"], "group")
        self.assertEqual(model.rule, "weighted")
        features = self.test[["a", "b"]]
        decisions = model.predict(features)
        np.testing.assert_array_equal(decisions, model.predict(self.test[["b", "a"]]))
        sex = self.test["sex"].to_numpy()
        before = core.score(self.base, features.assign(sex="f")).scores.argmax(axis=1)
        after = dp2dp.metrics.unfairness(None, decisions, sensitive_features=sex)
        self.assertLess(after, dp2dp.metrics.unfairness(None, before, sensitive_features=sex) / 2)

    def test_people_behind_the_classifiers_pay_for_both(self):
        model = self.fit()
        trained, pool = model.covers
        self.assertTrue(model.private)
        self.assertGreater(trained.epsilon, 1.3)
        self.assertLessEqual(pool.epsilon, 1)

    def test_equal_seeds_of_both_trainings_do_not_hide_the_cost_of_one(self):
        found, spent = None, []
        for seed in (1, 2):
            ledger = dp2dp.accounting.Ledger()
            base = core.train(self.schema, self.train, ledger=ledger, insecure_seed=1, **BUDGET)
            other = {"target": "group", "insecure_seed": seed, **BUDGET}
            groups = core.train(self.schema, self.train, **other)
            found = found or core.score(base, self.train, groups=True, group_model=groups)
            given = {"base": base, "group_base": groups, "weights": found.group_weights}
            given |= {"same_people": True, "ledger": ledger, "insecure_seed": 3, **BUDGET}
            model = core.fit(found.scores, found.groups, **given)
            spent.append((model.epsilon, ledger.spent(BUDGET["delta"])))
            model.to_json()  # refuses a ledger that lacks the cost of a classifier
        self.assertEqual(spent[0], spent[1])

    def test_the_file_serves_the_estimators_and_the_command_line(self):
        for options in ({}, {"criterion": "equal_opportunity"}):
            model = self.fit(**options)
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "model.json")
                model.save(path)
                again = DP2DPClassifier.load(path)
                checks = core.verify(path)
            features = self.test[["a", "b"]]
            expected = np.array(model.classes)[model.predict(features)]
            np.testing.assert_array_equal(again.predict(features), expected)
            self.assertTrue(again.unaware)
            self.assertNotIn("fails", [check.result for check in checks])

    def test_an_estimator_takes_the_model_of_the_group(self):
        private = PrivateLogisticRegression(schema=self.schema, **BUDGET)
        features = ["a", "b"]
        private.fit(self.train[features], self.train["paid"])
        fair = FairPostProcessor(
            private, group_estimator=self.groups, prefit=True, groups=["f", "m"], **BUDGET
        )
        fair = clone(fair, safe=False)
        fair.estimator = private
        fair.fit(self.pool[features], sensitive_features=self.pool["sex"])
        self.assertEqual(fair.model_.info["group_classifier"]["target"], "group")
        decisions = fair.predict(self.test[features])
        codes = fair.model_.predict(self.test[features])
        np.testing.assert_array_equal(decisions, np.array(fair.model_.classes)[codes])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.json")
            fair.save(path)
            again = FairPostProcessor.load(path, private, group_estimator=self.groups)
            whole = DP2DPClassifier.load(path)
        np.testing.assert_array_equal(again.predict(self.test[features]), decisions)
        np.testing.assert_array_equal(whole.predict(self.test[features]), decisions)

    def test_models_that_do_not_fit_together_are_refused(self):
        pairs = core.train(self.schema, self.train, target="group-label", **BUDGET)
        for words, options in {
            "group_base must be a model that predicts the group": {"group_base": pairs},
            "needs a base that predicts the label and has no rule": {"base": pairs},
            "names: the groups must be those": {"group_names": ["m", "f"]},
        }.items():
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                self.fit(**options)
        with self.assertRaisesRegex(TypeError, "group_base must be a dp2dp.Model"):
            self.fit(group_base="groups.json")
        with self.assertRaisesRegex(ValueError, "must be a model that predicts the group"):
            core.score(self.base, self.pool, group_model=pairs)
        with self.assertRaisesRegex(TypeError, "group_model must be a dp2dp.Model"):
            core.score(self.base, self.pool, group_model="groups.json")

    def test_an_estimator_refuses_a_model_that_it_cannot_use(self):
        private = PrivateLogisticRegression(schema=self.schema, **BUDGET)
        X, y, g = self.train[["a", "b"]], self.train["paid"], self.train["sex"]
        public = {"groups": ["f", "m"], "classes": ["no", "yes"], **BUDGET}
        for words, given in {
            "target='group'": dict(estimator=private, group_estimator=self.base, prefit=True),
            "PrivateLogisticRegression with the schema of that model": dict(
                estimator=LogisticRegression(), group_estimator=self.groups
            ),
            "pass prefit=True": dict(estimator=private, group_estimator=self.groups),
        }.items():
            with self.subTest(words), self.assertRaisesRegex(dp2dp.OptionError, words):
                FairPostProcessor(**given, **public).fit(X, y, sensitive_features=g)


if __name__ == "__main__":
    unittest.main()
