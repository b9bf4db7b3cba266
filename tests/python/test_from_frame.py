"""Schema.from_frame takes what is public, and says what is wrong with a column."""

import json
import unittest
import warnings
from importlib.util import find_spec

import numpy as np
import pandas as pd

import dp2dp
from dp2dp import DP2DPClassifier, PrivateLogisticRegression, Schema
from people import BUDGET, SEEDED

AGE = {"age": (18, 100)}


class FromFrame(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        rng = np.random.default_rng(0)
        self.frame = pd.DataFrame({"age": rng.integers(18, 90, 400)})
        self.y = pd.Series(np.where(rng.random(400) < 0.5, "no", "yes"), name="paid")
        self.sex = pd.Series(rng.choice(["f", "m"], 400), name="sex")

    def refused(self, words, frame, **given):
        with self.subTest(words), self.assertRaisesRegex((dp2dp.OptionError, TypeError), words):
            Schema.from_frame(frame, **given)

    def columns(self, frame, **given):
        return json.loads(Schema.from_frame(frame, **given).text)["columns"]

    def test_dates_are_named_as_such(self):
        seen = pd.Timestamp("2024-01-01") + pd.to_timedelta(self.frame["age"], unit="D")
        frame = self.frame.assign(seen=seen)
        words = r"'seen' holds dates or times \(dtype datetime64.*ignore=\['seen'\]"
        ends = pd.Timestamp("2024-01-01"), pd.Timestamp("2025-01-01")
        for bounds in (AGE, {**AGE, "seen": (19000, 21000)}, {**AGE, "seen": ends}):
            self.refused(words, frame, bounds=bounds)
        self.refused(words, frame, origin="from-data")
        spans = self.frame.assign(span=seen - seen[0])
        self.refused("'span' holds dates or times", spans, bounds=AGE)
        self.assertEqual(len(self.columns(frame, bounds=AGE, ignore="seen")), 2)

    @unittest.skipUnless(find_spec("pyarrow"), "frames need pyarrow for an Arrow stream")
    def test_categories_of_pandas_may_hold_numbers_and_booleans(self):
        age, paid = self.frame["age"], (self.y == "yes").astype(int)
        frame = self.frame.assign(paid=paid, old=age > 40, code=age % 3 + 1, sex=self.sex)
        lists = {"paid": [0, 1], "old": [False, True], "code": [1, 2, 3], "sex": ["f", "m"]}
        schema = Schema.from_frame(frame, bounds=AGE, categories=lists, label="paid")
        plain = dp2dp.train(schema, frame, **SEEDED)
        for kind in ("int64", "float64"):
            coded = frame.astype({"paid": kind, "code": kind})
            coded = coded.astype(dict.fromkeys(lists, "category"))
            self.assertEqual(dp2dp.train(schema, coded, **SEEDED).checksum, plain.checksum)
            self.assertEqual(schema.check(coded), schema.check(frame))

    def test_bounds_of_a_column_without_numbers_name_its_type(self):
        for kind in ("object", "category"):
            words = f"'age' has bounds, but its dtype {kind} is not.*to_numeric.*ignore"
            self.refused(words, self.frame.astype({"age": kind}), bounds=AGE)
        self.refused("'age' has bounds, but its dtype", self.frame.astype(str), bounds=AGE)
        self.refused("'age'. Give bounds.*or leave columns out with ignore", self.frame)

    def test_bounds_without_effect_are_refused(self):
        frame = self.frame.assign(paid=self.y, sex=self.sex)
        lists = {"paid": ["no", "yes"], "sex": ["f", "m"]}
        roles = dict(label="paid", sensitive="sex", categories=lists)
        self.assertEqual(len(self.columns(frame, bounds=AGE, **roles)), 3)
        self.refused("'paid' has categories", frame, bounds={**AGE, "paid": (0, 1)}, **roles)
        coded = self.frame.assign(paid=1)
        ends = {**AGE, "paid": (0, 1)}
        self.refused("'paid' has the role label", coded, bounds=ends, label="paid")

    def test_bounds_and_categories_of_another_kind_are_refused_in_our_words(self):
        self.refused("bounds of 'age' must be finite", self.frame, bounds=(0, np.inf))
        self.refused("bounds of 'age' must be finite", self.frame, bounds={"age": (9, 1)})
        self.refused("categories must be a dict", self.frame, bounds=AGE, categories=["age"])
        private = PrivateLogisticRegression(**BUDGET, categories=["sex"], classes=["no", "yes"])
        with self.assertRaisesRegex(dp2dp.OptionError, "categories must be a dict"):
            private.fit(self.frame.assign(sex=self.sex), self.y)

    def test_names_of_columns_may_be_numbers(self):
        frame = pd.DataFrame({0: self.frame["age"], 1: self.y, 2: self.sex, 3: 0})
        lists = {1: ["no", "yes"], 2: ["f", "m"]}
        given = dict(bounds={0: (18, 100)}, categories=lists, label=1, sensitive=2, ignore=[3])
        found = self.columns(frame, **given)
        roles = [column["role"] for column in found]
        self.assertEqual(roles, ["feature", "label", "sensitive", "ignore"])

    def test_tables_of_other_libraries(self):
        frame = self.frame.assign(hours=1.5, member=True, paid=self.y)
        given = dict(bounds={**AGE, "hours": (0, 60)}, categories={"paid": ["no", "yes"]})
        expected = Schema.from_frame(frame, **given).text
        if find_spec("polars") and find_spec("pyarrow"):
            import polars

            table = polars.from_pandas(frame)
            self.assertEqual(Schema.from_frame(table, **given).text, expected)
            self.assertTrue(Schema.from_frame(table, origin="from-data").from_data)
            self.refused("call .collect", table.lazy(), **given)
            dated = table.with_columns(polars.lit("2024-01-01").str.to_date().alias("seen"))
            self.refused(r"'seen' holds dates or times \(dtype Date\)", dated, **given)
        if find_spec("pyarrow"):
            import pyarrow

            table = pyarrow.Table.from_pandas(frame)
            self.assertEqual(Schema.from_frame(table, **given).text, expected)
            self.assertTrue(Schema.from_frame(table, origin="from-data").from_data)

    def test_missing_values_and_logarithms_are_declared(self):
        frame = self.frame.assign(income=1.0, member=True, paid=self.y)
        given = dict(
            bounds={**AGE, "income": (0, 1e6)}, categories={"paid": ["no", "yes"]}, label="paid"
        )
        for missing, expected in (
            (None, ["refuse"] * 4),
            ("level", ["level", "level", "level", "refuse"]),
            ({"income": "drop", "paid": "drop"}, ["refuse", "drop", "refuse", "drop"]),
        ):
            found = self.columns(frame, missing=missing, **given)
            self.assertEqual([column["missing"] for column in found], expected)
        found = self.columns(frame, log1p=["income"], **given)
        self.assertEqual([column.get("log1p", False) for column in found][:2], [False, True])
        for words, more in {
            "missing must be 'refuse', 'level' or 'drop'": dict(missing="fill"),
            "missing must be .*not 'yes'": dict(missing={"age": "yes"}),
            "missing: .* 'ages'.*did you mean 'age'": dict(missing={"ages": "level"}),
            "'age' is in ignore=": dict(missing={"age": "drop"}, ignore="age"),
            "log1p: the frame has no column 'x'": dict(log1p=["x"]),
            "log1p takes .*'paid' is not": dict(log1p="paid"),
        }.items():
            self.refused(words, frame, **given, **more)

    def test_an_estimator_takes_missing_values_as_declared(self):
        frame = self.frame.astype(float).where(self.frame["age"] > 25)
        schema = Schema.from_frame(frame, bounds=AGE, missing="level")
        private = PrivateLogisticRegression(**BUDGET, schema=schema, classes=["no", "yes"])
        self.assertEqual(len(private.fit(frame, self.y).predict(frame)), 400)
        strict = Schema.from_frame(frame, bounds=AGE)
        with self.assertRaisesRegex(dp2dp.DataError, r"missing=\{column: 'level'\}"):
            private.set_params(schema=strict).fit(frame, self.y)

    def test_missing_numbers_without_a_schema_name_the_ways_out(self):
        frame = self.frame.astype(float).where(self.frame["age"] > 25)
        lists = dict(bounds=AGE, classes=["no", "yes"])
        words = "X contains NaN.* in column 'age'.*missing={'age': 'level'}.*bad_rows='ignore'"
        private = PrivateLogisticRegression(**BUDGET, **lists)
        both = DP2DPClassifier(**BUDGET, **lists, groups=["f", "m"])
        with self.assertRaisesRegex(dp2dp.DataError, words):
            private.fit(frame, self.y)
        with self.assertRaisesRegex(dp2dp.DataError, words):
            both.fit(frame, self.y, sensitive_features=self.sex)
        with self.assertRaisesRegex(dp2dp.DataError, "X contains NaN, a missing number"):
            private.set_params(bounds=(18, 100)).fit(frame.to_numpy(), self.y)


class WithASchema(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        rng = np.random.default_rng(0)
        n = 600
        self.X = pd.DataFrame(
            {"age": rng.integers(18, 90, n), "id": np.arange(n), "sex": rng.choice(["f", "m"], n)}
        )
        self.y = pd.Series(np.where(rng.random(n) < 0.5, "no", "yes"), name="paid")

    def schema(self, **given):
        public = dict(bounds=AGE, ignore=["id"], label="paid", sensitive="sex")
        lists = {"sex": ["f", "m"], "paid": ["no", "yes"]}
        frame = self.X.assign(paid=self.y)
        return Schema.from_frame(frame, **{**public, "categories": lists, **given})

    def test_the_classes_of_the_schema_are_public(self):
        both = DP2DPClassifier(**BUDGET, schema=self.schema(), bad_rows="ignore")
        self.assertTrue(both.fit(self.X, self.y).model_.private)
        features = self.schema(sensitive=None, ignore=["id", "sex"])
        private = PrivateLogisticRegression(**BUDGET, schema=features, bad_rows="ignore")
        self.assertTrue(private.fit(self.X, self.y).model_.private)

    def test_predictions_need_no_column_that_the_schema_ignores(self):
        rest = self.X.drop(columns="id")
        both = DP2DPClassifier(**BUDGET, schema=self.schema()).fit(self.X, self.y)
        np.testing.assert_array_equal(both.predict(rest), both.predict(self.X))
        features = self.schema(sensitive=None, ignore=["id", "sex"])
        private = PrivateLogisticRegression(**BUDGET, schema=features).fit(self.X, self.y)
        np.testing.assert_array_equal(private.predict(rest), private.predict(self.X))
        named = DP2DPClassifier(
            **BUDGET, schema=features, sensitive_column="sex", groups=["f", "m"]
        ).fit(self.X, self.y)
        np.testing.assert_array_equal(named.predict(rest), named.predict(self.X))

    def test_a_label_that_the_schema_takes_for_a_feature_is_named(self):
        both = DP2DPClassifier(**BUDGET, schema=self.schema(label=None), classes=["no", "yes"])
        with self.assertRaisesRegex(dp2dp.DataError, "If this is the label.*label='paid'"):
            both.fit(self.X, self.y)


if __name__ == "__main__":
    unittest.main()
