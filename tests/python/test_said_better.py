"""Errors of estimators that name the cause, and columns of X that a fit does not need."""

import unittest
import warnings

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dp2dp
from dp2dp import DP2DPClassifier, FairPostProcessor, Ledger, PrivateLogisticRegression
from people import BUDGET, SEEDED, categorical, labelled, numeric, schema

LISTS = dict(classes=[0, 1], groups=[0, 1])
NAMES = list("abcd")


class Case(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        self.X, self.y, self.g = labelled(1000)
        self.frame = pd.DataFrame(self.X, columns=NAMES)
        self.inner = LogisticRegression()

    def refused(self, words, function, *args, **given):
        with self.subTest(words), self.assertRaisesRegex(dp2dp.Error, words):
            function(*args, **given)


class Groups(Case):
    def fair(self, **options):
        return FairPostProcessor(self.inner, **{**SEEDED, **LISTS, **options})

    def test_a_column_that_a_step_renamed_is_named(self):
        steps = ColumnTransformer([("n", StandardScaler(), NAMES)], remainder="passthrough")
        steps.set_output(transform="pandas")
        people = self.frame.assign(sex=self.g)
        fair = make_pipeline(steps, self.fair(sensitive_column="sex"))
        self.refused("no column named 'sex', but 'remainder__sex'", fair.fit, people, self.y)
        fair.set_params(fairpostprocessor__sensitive_column="remainder__sex").fit(people, self.y)
        other = self.fair(sensitive_column="sx")
        self.refused(r"'sx' \(did you mean 'sex'\?\)", other.fit, people, self.y)

    def test_a_scaled_group_is_named(self):
        people = np.column_stack([self.X, self.g])
        fair = make_pipeline(StandardScaler(), self.fair(sensitive_column=4))
        self.refused("row 1: .*StandardScaler, scale the column", fair.fit, people, self.y)

    def test_cut_points_among_the_groups_are_named(self):
        age = np.random.default_rng(0).integers(18, 80, 1000)
        fair = self.fair(groups=[30, 60])
        cut = r"leave groups out and pass .* sensitive_cuts=\[30, 60\]"
        self.refused(cut, fair.fit, self.X, self.y, sensitive_features=age)

    def test_parts_of_a_group_are_named(self):
        sex = np.where(self.g, "m", "f")
        two = pd.DataFrame({"sex": sex, "old": np.where(self.X[:, 0] > 0, "yes", "no")})
        fair = self.fair(groups=["f", "m"])
        several = "joined by a comma, such as 'f,black'"
        self.refused(several, fair.fit, self.X, self.y, sensitive_features=two)
        fair.set_params(groups=[(a, b) for a in "fm" for b in ("yes", "no")])
        fair.fit(self.X, self.y, sensitive_features=two)

    def test_other_groups_that_are_not_listed_have_no_such_words(self):
        for groups, values in (([0, 1], self.g + 1), (["f", "m"], np.where(self.g, "m", "x"))):
            fair = self.fair(groups=groups)
            self.refused("listed$", fair.fit, self.X, self.y, sensitive_features=values)


class Budgets(Case):
    def fit(self, **options):
        both = DP2DPClassifier(bounds=(-4, 4), ledger=Ledger(), **BUDGET, **LISTS, **options)
        return both.fit(self.X, self.y, sensitive_features=self.g)

    def test_the_cost_of_both_parts_is_explained(self):
        words = "to everybody. Pass pool='same', .* a budget of at least 1.47;"
        self.refused(words, self.fit, budget=(1, 1e-5))
        self.fit(budget=(1.47, 1e-5))
        self.fit(budget=(1, 1e-5), pool="same")
        self.refused("the budget is epsilon 0.5$", self.fit, budget=(0.5, 1e-5))
        self.refused("epsilon 0.5$", self.fit, budget=(0.5, 1e-5), pool="same")


class Labels(Case):
    def setUp(self):
        super().setUp()
        columns = [numeric(name) for name in NAMES]
        label = categorical("paid", "0", "1", role="label")
        self.schema = schema(*columns, label, categorical("sex", "f", "m", role="sensitive"))
        self.people = self.frame.assign(paid=self.y, sex=np.where(self.g, "m", "f"))
        self.new = self.people.drop(columns="paid")

    def test_the_label_of_the_schema_is_not_a_feature(self):
        both = DP2DPClassifier(schema=self.schema, **SEEDED)
        private = PrivateLogisticRegression(schema=self.schema, **SEEDED)
        for fair in (both, private):
            fair.fit(self.people, self.y)
            self.assertNotIn("paid", fair.feature_names_in_)
            found = fair.predict(self.new)
            np.testing.assert_array_equal(found, fair.predict(self.people))
            np.testing.assert_array_equal(found, fair.fit(self.new, self.y).predict(self.new))
        both.certify(self.new, **BUDGET)

    def test_labels_that_differ_from_those_of_x_are_still_refused(self):
        for kind in (DP2DPClassifier, PrivateLogisticRegression):
            fair = kind(schema=self.schema, **SEEDED)
            words = "y differs from 'paid'"
            self.refused(words, fair.fit, self.people, self.y[::-1].copy())


if __name__ == "__main__":
    unittest.main()
