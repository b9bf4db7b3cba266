"""Groups as people have them: several columns, missing values, columns of pandas."""

import unittest
import warnings

import numpy as np
import pandas as pd
from sklearn.naive_bayes import GaussianNB

import dp2dp
from dp2dp import DP2DPClassifier, FairPostProcessor, metrics
from dp2dp._factored import factored
from people import SEEDED, labelled


class Values(unittest.TestCase):
    """The distinct values of a column, and the position of each row's value among them."""

    def check(self, column, expected):
        found = factored(column)
        values = [None if code < 0 else found.values.tolist()[code] for code in found.codes]
        self.assertEqual(values, expected)
        self.assertEqual(len(set(found.values.tolist())), len(found.values))

    def test_texts_are_found_in_any_layout(self):
        texts = ["f", "m", "", "f", "mm", "m", "f"]
        fixed = np.array(texts)
        for column in (fixed, fixed.astype(">U3"), np.repeat(fixed, 2)[::2], fixed.astype(object)):
            self.check(column, texts)
        self.check(fixed[::-1], texts[::-1])
        self.check(np.zeros(3, "U0"), ["", "", ""])
        for kind in (object, "string", "category", "string[python]"):
            self.check(pd.Series(texts, dtype=kind), texts)

    def test_many_texts_are_found_too(self):
        for count in (63, 64, 65, 1000):
            texts = [f"group {i % count}" for i in range(2 * count)]
            self.check(np.array(texts), texts)
            self.check(np.array(texts, dtype=object), texts)

    def test_missing_values_have_no_position(self):
        given = ["f", None, np.nan, pd.NA, float("nan"), "m", "f", None]
        expected = ["f", None, None, None, None, "m", "f", None]
        self.check(np.array(given, dtype=object), expected)
        self.check(pd.Series(given, dtype=object), expected)
        self.check(pd.Series(given, dtype="string"), expected)
        self.check(np.array([1.0, np.nan, 2.0]), [1.0, None, 2.0])

    def test_values_without_a_hash_are_refused(self):
        with self.assertRaisesRegex(dp2dp.DataError, "texts or numbers"):
            factored(np.array([["a"], {"b": 1}], dtype=object))

    def test_a_comparison_that_changes_the_column_is_safe(self):
        column = np.empty(50, dtype=object)

        class Odd:
            def __hash__(self):
                return 1

            def __eq__(self, other):
                column[:] = "gone"
                return False

        column[:] = [Odd() for _ in range(50)]
        self.assertEqual(len(factored(column).codes), 50)


class Groups(unittest.TestCase):
    def setUp(self):
        self.X, self.y, g = labelled(1200)
        self.sex = np.where(g == 1, "m", "f")
        self.race = np.where(self.X[:, 0] > 0.3, "black", "white")
        self.combined = ["f,black", "f,white", "m,black", "m,white"]
        self.table = pd.DataFrame({"sex": self.sex, "race": self.race})

    def fair(self, **options):
        public = dict(classes=[0, 1], groups=["f", "m"])
        return FairPostProcessor(GaussianNB(), **SEEDED, **{**public, **options})

    def fitted(self, **options):
        return self.fair(**options).fit(self.X, self.y, sensitive_features=self.sex)

    def test_a_missing_group_follows_unknown_group(self):
        X = self.X[:4]
        for missing in (None, np.nan, pd.NA, pd.NaT):
            groups = np.array(["f", missing, "x", "m"], dtype=object)
            for given in (groups, pd.Series(groups), groups.tolist()):
                with self.subTest(missing=missing, kind=type(given)):
                    base = self.fitted(unknown_group="base")
                    decisions = base.predict(X, sensitive_features=given)
                    plain = base.estimator_.predict(X)
                    np.testing.assert_array_equal(decisions[1:3], plain[1:3])
                    with self.assertRaisesRegex(dp2dp.DataError, "row 2: .* groups is miss"):
                        self.fitted().predict(X, sensitive_features=given)

    def test_a_group_of_another_type_is_named_as_such(self):
        codes = (self.sex == "m").astype(int)
        fair = self.fair(groups=[0, 1]).fit(self.X, self.y, sensitive_features=codes)
        texts = codes.astype(str)
        for given in (texts, texts.tolist(), pd.Series(texts), pd.Series(texts, dtype="category")):
            words = r"row 1: .*\(sensitive_features.* the 2 listed in groups=.* Types must match"
            with self.assertRaisesRegex(dp2dp.DataError, words):
                fair.predict(self.X, sensitive_features=given)
        with self.assertRaisesRegex(dp2dp.DataError, "one of the 2 listed$"):
            fair.predict(self.X, sensitive_features=codes + 5)
        fair.set_params(unknown_group="ignore")
        with self.assertRaisesRegex(dp2dp.OptionError, "unknown_group must be 'refuse' or 'base'"):
            fair.predict(self.X, sensitive_features=codes)

    def test_several_columns_go_by_the_names_of_fit(self):
        table = pd.DataFrame({"old": self.race == "black", "man": self.sex == "m"}).astype(int)
        public = dict(classes=[0, 1], groups=["0,0", "0,1", "1,0", "1,1"])
        both = DP2DPClassifier(**SEEDED, **public, bounds=(-4, 4))
        for fair in (self.fair(**public), both):
            fair.fit(self.X, self.y, sensitive_features=table)
            right = fair.decision_function(self.X, sensitive_features=table)
            for given in (table[["man", "old"]], table.assign(more=1)[["more", "man", "old"]]):
                found = fair.decision_function(self.X, sensitive_features=given)
                np.testing.assert_array_equal(found, right)
            other = table.rename(columns={"old": "young"})
            with self.assertRaisesRegex(dp2dp.DataError, "no column named 'old'.* 'old', 'man'"):
                fair.predict(self.X, sensitive_features=other)
            fair.fit(self.X, self.y, sensitive_features=other)
            found = fair.decision_function(self.X, sensitive_features=table.to_numpy())
            again = fair.decision_function(self.X, sensitive_features=other[["man", "young"]])
            np.testing.assert_array_equal(again, found)

    def test_rows_that_often_have_no_known_group_are_spoken_of(self):
        base, X = self.fitted(unknown_group="base"), self.X[:40]
        for unknown, rows, said in ((40, 40, 1), (4, 40, 1), (3, 40, 0), (3, 3, 1), (2, 3, 0)):
            groups = np.where(np.arange(rows) < unknown, "F", "f")
            with warnings.catch_warnings(record=True) as given:
                warnings.simplefilter("always")
                decisions = base.predict(X[:rows], sensitive_features=groups)
            texts = [str(one.message) for one in given if one.category is dp2dp.FairnessWarning]
            self.assertEqual(len(texts), said)
            if said:
                self.assertIn(f"groups-unknown: in {unknown} of {rows} rows", texts[0])
            plain = base.estimator_.predict(X[:rows])
            np.testing.assert_array_equal(decisions[:unknown], plain[:unknown])

    def test_a_listed_group_without_rows_is_spoken_of_whatever_its_share(self):
        base = self.fitted(unknown_group="base")
        for spelt, rows, said in (("F", 400, 1), ("f", 400, 0), ("F", 90, 0)):
            groups = np.where(np.arange(rows) % 40 == 0, spelt, "m")
            groups[1] = "other"
            with warnings.catch_warnings(record=True) as given:
                warnings.simplefilter("always")
                base.predict(self.X[:rows], sensitive_features=groups)
            texts = [str(one.message) for one in given if "groups-unknown" in str(one.message)]
            self.assertEqual(len(texts), said)
            self.assertTrue(all("No row has the group 'f'" in text for text in texts))

    def test_a_missing_number_with_cuts_follows_unknown_group(self):
        X = np.column_stack([self.X, np.arange(1200) % 80.0])
        given = dict(sensitive_column=-1, sensitive_cuts=[40], groups=None)
        base = self.fair(**given, unknown_group="base").fit(X, self.y)
        X[1, -1] = np.nan
        self.assertEqual(base.predict(X)[1], base.estimator_.predict(X[:, :-1])[1])
        with self.assertRaisesRegex(ValueError, "NaN"):
            self.fair(**given).fit(X[2:], self.y[2:]).predict(X)

    def test_several_columns_are_joined_by_a_comma(self):
        forms = (
            self.table,
            self.table.astype("category"),
            self.table.to_numpy(),
            np.column_stack([self.sex, self.race]),
            list(zip(self.sex, self.race, strict=True)),
        )
        models = []
        for given in forms:
            fair = self.fair(groups=self.combined).fit(self.X, self.y, sensitive_features=given)
            models.append(fair.model_)
            decisions = fair.predict(self.X, sensitive_features=given)
            np.testing.assert_array_equal(
                decisions, fair.predict(self.X, sensitive_features=self.table)
            )
        for model in models:
            self.assertEqual(model.groups, self.combined)
            np.testing.assert_array_equal(model.offsets, models[0].offsets)

    def test_groups_may_be_tuples(self):
        pairs = [("f", "black"), ("f", "white"), ("m", "black"), ("m", "white")]
        fair = self.fair(groups=pairs).fit(self.X, self.y, sensitive_features=self.table)
        self.assertEqual(fair.model_.groups, self.combined)

    def test_a_comma_in_a_value_does_not_make_two_groups_one(self):
        left = ["a,b", "a", "a\\", "a,b\\"]
        right = ["c", "b,c", "b,c", "c"]
        table = pd.DataFrame({"left": left, "right": right})
        for given in (table, table.to_numpy()):
            found = metrics.rates_by_group(None, [0, 1, 0, 1], sensitive_features=given)
            self.assertEqual(len(found), 4)
            self.assertIn("a\\,b,c", found)

    def test_whole_numbers_are_written_alike_if_another_row_lacks_one(self):
        table = pd.DataFrame({"a": [1, 0, 1], "b": ["x", "y", "y"]})
        gaps = pd.DataFrame({"a": [1, 0, 1, np.nan], "b": ["x", "y", "y", "x"]})
        names = ["1,x", "0,y", "1,y"]
        fair = self.fair(groups=names, unknown_group="base")
        columns = pd.concat([table] * 400)
        fair.fit(self.X, self.y, sensitive_features=columns)
        whole = fair.predict(self.X[:3], sensitive_features=table)
        with_gaps = fair.predict(self.X[:4], sensitive_features=gaps)
        np.testing.assert_array_equal(whole, with_gaps[:3])

    def test_sensitive_column_may_be_a_list(self):
        frame = pd.DataFrame(self.X, columns=list("abcd")).assign(**self.table)
        beside = self.fair(groups=self.combined)
        beside.fit(frame[list("abcd")], self.y, sensitive_features=self.table)
        for columns in (["sex", "race"], [4, -1]):
            inside = self.fair(groups=self.combined, sensitive_column=columns).fit(frame, self.y)
            np.testing.assert_array_equal(inside.model_.offsets, beside.model_.offsets)
            decisions = beside.predict(frame[list("abcd")], sensitive_features=self.table)
            np.testing.assert_array_equal(inside.predict(frame), decisions)
        for columns, words in (
            ([], "empty list"),
            (["sex", 4], "names a column twice"),
            (["sex", "age"], "no column named 'age'"),
        ):
            with self.subTest(columns), self.assertRaisesRegex(dp2dp.OptionError, words):
                self.fair(sensitive_column=columns).fit(frame, self.y)

    def test_the_private_classifier_takes_several_columns_too(self):
        frame = pd.DataFrame(self.X, columns=list("abcd")).assign(**self.table)
        both = DP2DPClassifier(
            **SEEDED,
            bounds=(-4, 4),
            classes=[0, 1],
            groups=self.combined,
            sensitive_column=["sex", "race"],
        ).fit(frame, self.y)
        self.assertEqual(both.model_.groups, self.combined)
        self.assertIn("sex,race", both.classifier_.schema_.columns)
        self.assertEqual(len(both.predict(frame)), 1200)

    def test_columns_of_pandas_give_what_texts_give(self):
        fair = self.fitted()
        expected = fair.predict(self.X, sensitive_features=self.sex)
        for kind in ("object", "string", "category"):
            series = pd.Series(self.sex, index=np.arange(1200)[::-1]).astype(kind)
            np.testing.assert_array_equal(fair.predict(self.X, sensitive_features=series), expected)
            again = self.fair().fit(self.X, self.y, sensitive_features=series)
            np.testing.assert_array_equal(again.model_.offsets, fair.model_.offsets)


class Names(unittest.TestCase):
    def test_dir_shows_only_what_is_public(self):
        modules = {"accounting", "core", "estimators", "metrics", "plot", "sql"}
        self.assertEqual({*dir(dp2dp)} - {"spark"}, {*dp2dp.__all__, *modules})
