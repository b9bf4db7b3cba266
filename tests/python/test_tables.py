"""Private classifiers from data frames with texts, by categories or by a schema."""

import json
import tempfile
import unittest
import warnings

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import dp2dp
from dp2dp import DP2DPClassifier, FairPostProcessor, PrivateLogisticRegression, Schema, core
from people import BUDGET, SEEDED, forget

JOBS = ["clerk", "smith"]
CATEGORIES = {"job": JOBS}
WITHOUT_NOISE = dict(epsilon=None, method="none", insecure_seed=1)


def people(n=2000, seed=0):
    rng = np.random.default_rng(seed)
    age, job = rng.uniform(18, 90, n), rng.integers(0, 2, n)
    paid = (age / 40 + 2 * job + rng.normal(size=n) > 2.4).astype(int)
    table = pd.DataFrame({"age": age, "job": np.array(JOBS)[job], "hours": rng.uniform(0, 60, n)})
    return table, paid, np.where(rng.random(n) < 0.3 + 0.4 * job, "f", "m")


class Frames(unittest.TestCase):
    def setUp(self):
        self.frame, self.y, self.sex = people()
        self.bounds = {"age": (18, 90), "hours": (0, 60)}

    def schema(self, **options):
        given = dict(bounds=self.bounds, categories={**CATEGORIES, "paid": [0, 1]}, label="paid")
        return Schema.from_frame(self.frame.assign(paid=self.y), **{**given, **options})

    def test_a_frame_gives_its_names_and_types_only(self):
        schema = self.schema()
        self.assertEqual(schema.columns, ["age", "job", "hours", "paid"])
        self.assertEqual((schema.classes, schema.width, schema.from_data), (["0", "1"], 5, False))
        other = Schema.from_frame(
            people(50, seed=1)[0].assign(paid=0),
            bounds=self.bounds,
            categories={**CATEGORIES, "paid": [0, 1]},
            label="paid",
        )
        self.assertEqual(other.text, schema.text)

    def test_what_is_not_given_is_refused_or_marked(self):
        with self.assertRaisesRegex(dp2dp.OptionError, "'age', 'job', 'hours'. Give bounds"):
            Schema.from_frame(self.frame)
        with self.assertRaisesRegex(dp2dp.OptionError, "'job'. Give bounds"):
            Schema.from_frame(self.frame.astype({"job": "category"}), bounds=self.bounds)
        found = Schema.from_frame(self.frame, origin="from-data", bounds={"age": (18, 90)})
        self.assertTrue(found.from_data)
        job = json.loads(found.text)["columns"][1]
        self.assertEqual(job["levels"], JOBS)
        for options, words in (
            (dict(bounds={"ages": (0, 1)}), "bounds: .* no column 'ages'"),
            (dict(categories={"work": []}), "categories: .* no column 'work'"),
            (dict(label="y"), "label: .* no column 'y'"),
            (dict(origin="mine"), "origin must be"),
            (dict(bounds=3), "bounds must be"),
            (dict(categories={"job": "clerk"}), "must be a list"),
            (dict(categories={"job": [1, "1"]}), "are the same when"),
        ):
            with self.subTest(options), self.assertRaisesRegex(dp2dp.OptionError, words):
                Schema.from_frame(self.frame, **options)

    def test_roles_and_ignored_columns(self):
        frame = self.frame.assign(sex=self.sex, id=1)
        found = Schema.from_frame(
            frame,
            bounds=self.bounds,
            categories={**CATEGORIES, "sex": ["f", "m"]},
            sensitive="sex",
            ignore=["id"],
        )
        self.assertEqual((found.groups, found.width), (["f", "m"], 5))

    def estimators(self, **options):
        columns = dict(bounds=self.bounds, categories=CATEGORIES, classes=[0, 1])
        yield PrivateLogisticRegression(**columns, **options)
        yield PrivateLogisticRegression(schema=self.schema(), **options)
        yield PrivateLogisticRegression(schema=json.loads(self.schema().text), **options)

    def test_categories_are_features_of_their_own(self):
        found = []
        for estimator in self.estimators(**WITHOUT_NOISE):
            estimator.fit(self.frame, self.y)
            found.append(estimator.predict_proba(self.frame))
            self.assertEqual(estimator.classes_.tolist(), [0, 1])
            self.assertEqual(estimator.schema_.width, 5)
        plain = pd.DataFrame(
            {
                "age": (self.frame["age"] - 54) / 36,
                "hours": (self.frame["hours"] - 30) / 30,
                "smith": self.frame["job"] == "smith",
            }
        ).astype(float)
        theirs = LogisticRegression(C=1e6).fit(plain, self.y).predict_proba(plain)
        np.testing.assert_allclose(found[0], theirs, atol=0.01)
        for other in found[1:]:
            np.testing.assert_array_equal(found[0], other)

    def test_everything_given_is_private_and_warns_of_nothing(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for estimator in self.estimators(**BUDGET):
                forget()
                self.assertTrue(estimator.fit(self.frame.copy(), self.y).model_.private)
        without = PrivateLogisticRegression(**BUDGET, categories=CATEGORIES, classes=[0, 1])
        with self.assertWarnsRegex(dp2dp.PrivacyLeakWarning, "bounds were read"):
            without.fit(self.frame, self.y)
        self.assertEqual(without.model_.not_private_because, ["schema-from-data"])
        drawn = Schema.from_frame(
            self.frame.assign(paid=self.y), origin="from-data", categories={"paid": [0, 1]}
        )
        drawn = PrivateLogisticRegression(**BUDGET, schema=drawn, classes=[0, 1])
        drawn.fit(self.frame.assign(paid=0), self.y)
        self.assertEqual(drawn.model_.not_private_because, ["schema-from-data"])

    def test_the_order_of_columns_and_their_type_do_not_matter(self):
        for estimator in self.estimators(**SEEDED):
            estimator.fit(self.frame, self.y)
            again = clone(estimator).fit(self.frame.astype({"job": "category"}), self.y)
            np.testing.assert_array_equal(again.coef_, estimator.coef_)
            array = clone(estimator)
            if estimator.categories is not None:
                array.set_params(categories={1: JOBS}, bounds={"x0": (18, 90), "x2": (0, 60)})
            array.fit(self.frame.to_numpy(), self.y)
            np.testing.assert_array_equal(array.coef_, estimator.coef_)
            self.assertEqual(len(array.predict(self.frame.to_numpy()[:3])), 3)

    def test_unknown_values_have_a_feature_and_missing_values_are_refused(self):
        for estimator in self.estimators(**SEEDED):
            estimator.fit(self.frame, self.y)
            some = self.frame[:2].assign(job=["smith", "king"])
            self.assertEqual(len(estimator.predict(some)), 2)
            for hole in (dict(job=["smith", None]), dict(age=[40.0, np.nan])):
                with self.assertRaisesRegex(dp2dp.DataError, "row 2, column .*missing"):
                    estimator.predict(some.assign(**hole))
            with self.assertRaisesRegex(ValueError, "must hold numbers") as raised:
                estimator.predict(some.assign(age=["old", "king"]))
            self.assertNotIn("king", str(raised.exception))

    def test_a_column_of_texts_without_a_list_is_named(self):
        words = r"column 'job' holds values that are not numbers: give .* categories=\{'job'"
        public = dict(**SEEDED, bounds=(0, 90), classes=[0, 1])
        for kind in ("object", "category"):
            frame = self.frame.astype({"job": kind})
            with self.assertRaisesRegex(dp2dp.DataError, words):
                PrivateLogisticRegression(**public).fit(frame, self.y)
            with self.assertRaisesRegex(dp2dp.DataError, words):
                both = DP2DPClassifier(**public, groups=["f", "m"])
                both.fit(frame, self.y, sensitive_features=self.sex)

    def test_rows_that_the_schema_drops_count_and_are_not_predicted(self):
        text = json.loads(self.schema().text)
        text["columns"][1]["missing"] = "drop"
        frame = self.frame.copy()
        frame.loc[5, "job"] = None
        private = PrivateLogisticRegression(**SEEDED, schema=text).fit(frame, self.y)
        self.assertEqual(private.model_.info["classifier"]["records"], 2000)
        self.assertEqual(len(private.predict(frame[:5])), 5)
        with self.assertRaisesRegex(dp2dp.DataError, "row 6: a value is missing"):
            private.predict(frame[:8])
        both = DP2DPClassifier(**SEEDED, schema=text, groups=["f", "m"])
        both.fit(frame, self.y, sensitive_features=self.sex)
        self.assertTrue(both.model_.info["leaves_out"])

    def test_bad_rows_can_be_ignored(self):
        for estimator in self.estimators(**SEEDED, bad_rows="ignore"):
            estimator.set_params(classes=[0, 1])
            frame = self.frame.copy()
            frame.loc[7, "age"], frame.loc[8, "job"] = np.nan, None
            estimator.fit(frame, self.y)
            self.assertEqual(estimator.model_.info["classifier"]["records"], 2000)

    def test_options_that_contradict_each_other_are_refused(self):
        for options, words in (
            (dict(schema=self.schema(), bounds=(0, 1)), "schema or bounds"),
            (dict(schema=self.schema(), categories=CATEGORIES), "schema or categories"),
            (dict(schema=self.schema(), norm=2), "sets the norm to 3"),
            (dict(schema=self.schema(), classes=[1, 0]), "classes must be"),
            (dict(categories={"work": JOBS}, bounds=(0, 1)), "no feature 'work'"),
            (dict(categories=CATEGORIES, data_norm=1, classes=[0, 1]), "data_norm works only if"),
            (dict(categories={"job": ["a", "a"]}, bounds=(0, 1)), "are the same when"),
        ):
            with self.subTest(options), self.assertRaisesRegex(dp2dp.OptionError, words):
                PrivateLogisticRegression(**SEEDED, **options).fit(self.frame, self.y)
        with self.assertRaisesRegex(dp2dp.DataError, "no column named 'hours'"):
            PrivateLogisticRegression(**SEEDED, schema=self.schema()).fit(
                self.frame.drop(columns="hours"), self.y
            )


class BothPhases(unittest.TestCase):
    def setUp(self):
        self.frame, self.y, self.sex = people(4000)
        self.columns = dict(bounds={"age": (18, 90), "hours": (0, 60)}, categories=CATEGORIES)
        self.public = dict(classes=[0, 1], groups=["f", "m"])

    def test_groups_beside_inside_and_in_the_schema_give_the_same_model(self):
        beside = DP2DPClassifier(**SEEDED, **self.columns, **self.public)
        beside.fit(self.frame, self.y, sensitive_features=self.sex)
        decisions = beside.predict(self.frame, sensitive_features=self.sex)
        whole = self.frame.assign(sex=self.sex)
        inside = DP2DPClassifier(**SEEDED, **self.columns, **self.public, sensitive_column="sex")
        inside.fit(whole, self.y)
        levels = {**CATEGORIES, "sex": ["f", "m"], "paid": [0, 1]}
        given = dict(bounds=self.columns["bounds"], categories=levels)
        schema = Schema.from_frame(
            whole.assign(paid=0), **given, label="paid", sensitive="sex", origin="public"
        )
        by_schema = DP2DPClassifier(**SEEDED, schema=schema).fit(whole, self.y)
        for other in (inside, by_schema):
            np.testing.assert_array_equal(other.model_.offsets, beside.model_.offsets)
            np.testing.assert_array_equal(other.predict(whole), decisions)
            self.assertEqual(other.model_.info["group_column"], "sex")
            with self.assertRaisesRegex(dp2dp.OptionError, "as groups, and as the column"):
                other.model_.predict(whole, np.zeros(4000, np.int32))
        with self.assertRaisesRegex(dp2dp.OptionError, "as the column 'sex' of X, which the"):
            by_schema.predict(whole, sensitive_features=self.sex)
        with self.assertRaisesRegex(dp2dp.OptionError, "as the column 'sex' of X, which the"):
            DP2DPClassifier(**SEEDED, schema=schema).fit(whole, self.y, sensitive_features=self.sex)
        self.assertEqual(by_schema.classes_.tolist(), [0, 1])
        rates = [decisions[self.sex == sex].mean() for sex in ("f", "m")]
        self.assertLess(abs(rates[0] - rates[1]), 0.12)

    def test_a_rule_that_does_not_see_the_group(self):
        whole = self.frame.assign(sex=self.sex)
        both = DP2DPClassifier(
            **SEEDED, **self.columns, **self.public, sensitive_column="sex", unaware=True
        ).fit(whole, self.y)
        self.assertEqual(both.model_.rule, "weighted")
        self.assertEqual(len(both.predict(whole)), 4000)

    def unaware_rules(self):
        """Fitted rules that do not see the group, which a column of the frame holds."""
        whole = self.frame.assign(sex=self.sex)[["sex", "age", "job", "hours"]]
        levels = {**CATEGORIES, "sex": ["f", "m"], "paid": [0, 1]}
        schema = Schema.from_frame(
            whole.assign(paid=0),
            bounds=self.columns["bounds"],
            categories=levels,
            label="paid",
            sensitive="sex",
        )
        private = PrivateLogisticRegression(**SEEDED, **self.columns)
        post = dict(SEEDED, epsilon=5, insecure_seed=3, **self.public, group_estimator=private)
        rules = {
            "schema": DP2DPClassifier(**SEEDED, schema=schema, unaware=True),
            "column": DP2DPClassifier(
                **SEEDED, **self.columns, **self.public, sensitive_column="sex", unaware=True
            ),
            "column by number": DP2DPClassifier(
                **SEEDED, **self.columns, **self.public, sensitive_column=0, unaware=True
            ),
            "post": FairPostProcessor(clone(private), sensitive_column="sex", **post),
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return whole, {name: rule.fit(whole, self.y) for name, rule in rules.items()}

    def test_a_rule_that_does_not_see_the_group_needs_no_column_of_it(self):
        whole, rules = self.unaware_rules()
        without = whole.drop(columns="sex")
        moved = without.assign(sex=None)
        for name, rule in rules.items():
            with self.subTest(name):
                expected = rule.predict(whole)
                for other in (without, moved):
                    np.testing.assert_array_equal(rule.predict(other), expected)
                    self.assertEqual(rule.score(other, expected), 1)
                for method in (rule.predict_proba, rule.decision_function):
                    np.testing.assert_array_equal(method(without), method(whole))
                if name != "post":
                    np.testing.assert_array_equal(rule.model_.predict(without), expected)

    def test_a_rule_that_does_not_see_the_group_still_needs_all_other_columns(self):
        whole, rules = self.unaware_rules()
        for name, rule in rules.items():
            with self.subTest(name):
                with self.assertRaisesRegex(ValueError, "(?s)missing:\n- hours\n$"):
                    rule.predict(whole[["age", "job"]])
                with self.assertRaisesRegex(ValueError, "same order"):
                    rule.predict(whole[["job", "age", "hours"]])
                with self.assertRaisesRegex(ValueError, "(?s)unseen at fit time:\n- more"):
                    rule.predict(whole.drop(columns="sex").assign(more=1))

    def test_what_measures_groups_still_needs_the_column(self):
        whole, rules = self.unaware_rules()
        for name, rule in rules.items():
            with self.subTest(name), self.assertRaisesRegex(ValueError, "missing:\n- sex"):
                rule.certify(whole.drop(columns="sex"), epsilon=1, delta=1e-5, bad_rows="ignore")

    def test_a_loaded_rule_that_does_not_see_the_group_needs_no_column_of_it(self):
        whole, rules = self.unaware_rules()
        for name, params in (
            ("schema", {}),
            ("column", {}),
            ("column", {"sensitive_column": "sex"}),
        ):
            with self.subTest(name, **params), tempfile.TemporaryDirectory() as folder:
                path = f"{folder}/m.json"
                rules[name].model_.save(path)
                again = DP2DPClassifier.load(path, **params)
                expected = rules[name].predict(whole)
                for other in (whole, whole.drop(columns="sex")):
                    np.testing.assert_array_equal(again.predict(other), expected)

    def test_a_sensitive_column_that_is_not_plain_is_refused(self):
        whole = self.frame.assign(sex=self.sex, race="b")
        levels = {**CATEGORIES, "sex": ["f", "m"], "race": ["b", "w"]}
        schema = Schema.from_frame(
            whole,
            bounds=self.columns["bounds"],
            categories=levels,
            sensitive=["sex", "race"],
        )
        both = DP2DPClassifier(**SEEDED, schema=schema, classes=[0, 1])
        with self.assertRaisesRegex(dp2dp.OptionError, "at most one sensitive column"):
            both.fit(whole, self.y)


class Weights(unittest.TestCase):
    def test_coefficients_give_the_probabilities(self):
        frame, y, _ = people()
        three = np.searchsorted([0.8, 1.6], y + np.linspace(0, 1, len(y)))
        for labels, classes in ((y, [0, 1]), (three, [0, 1, 2])):
            private = PrivateLogisticRegression(
                **SEEDED, bounds=(0, 90), categories=CATEGORIES, classes=classes
            )
            self.assertFalse(hasattr(private, "coef_"))
            private.fit(frame, labels)
            rows = core.Rows(
                frame[["age", "hours"]],
                ["age", "hours", "job"],
                [((frame["job"] == "smith").astype(int), JOBS)],
            )
            features = private.schema_.encode(rows, labels=False).features
            z = features @ private.coef_.T + private.intercept_
            z = np.column_stack([np.zeros(len(z)), z]) if len(classes) == 2 else z
            p = np.exp(z - z.max(axis=1, keepdims=True))
            p /= p.sum(axis=1, keepdims=True)
            np.testing.assert_allclose(p, private.predict_proba(frame), atol=1e-5)
            self.assertEqual(private.coef_.shape, (1 if len(classes) == 2 else 3, 5))
