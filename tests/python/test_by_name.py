"""Models take what they need from a data frame, by name."""

import unittest
import warnings

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import dp2dp
from dp2dp import DP2DPClassifier, FairPostProcessor, PrivateLogisticRegression, Schema, core
from people import BUDGET, SEEDED, labelled, scores


def pyarrow():
    try:
        import pyarrow
    except ImportError:
        raise unittest.SkipTest("pyarrow is not installed") from None
    return pyarrow


def told(call):
    """Returns the result of a call, and its warnings about columns that went by position."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = call()
    texts = [str(one.message) for one in found]
    return result, [text for text in texts if text.startswith("columns-by-position")]


class Scores(unittest.TestCase):
    def setUp(self):
        self.p, self.g = scores()
        self.names = np.array(["f", "m"])
        self.frame = pd.DataFrame(self.p, columns=["no", "yes"])
        self.frame["sex"] = self.names[self.g]
        self.model = self.fitted(group_column="sex")

    def fitted(self, **options):
        given = dict(group_names=["f", "m"], score_columns=["no", "yes"], **SEEDED)
        return dp2dp.fit(self.p, self.g, **given, **options)

    def test_columns_are_taken_by_name_in_any_order(self):
        expected = self.model.predict(self.p, self.g)
        mixed = self.frame.assign(id=1)[["id", "yes", "sex", "no"]]
        np.testing.assert_array_equal(self.model.predict(mixed), expected)
        with self.assertRaisesRegex(dp2dp.OptionError, "as groups, and as the column 'sex'"):
            self.model.predict(mixed, self.g)
        np.testing.assert_array_equal(self.model.predict(mixed[["yes", "no"]], self.g), expected)
        adjusted = self.model.adjust(self.p, self.g)
        np.testing.assert_array_equal(self.model.adjust(mixed), adjusted)
        category = mixed.astype({"sex": "category"})
        np.testing.assert_array_equal(self.model.predict(category), expected)

    def test_polars_frames_too(self):
        try:
            import polars
        except ImportError:
            self.skipTest("polars is not installed")
        frame = polars.DataFrame(
            {name: self.frame[name].to_list() for name in ("yes", "sex", "no")}
        )
        np.testing.assert_array_equal(self.model.predict(frame), self.model.predict(self.p, self.g))

    def test_a_frame_of_other_names_is_a_table_of_scores(self):
        other = pd.DataFrame(self.p, columns=["a", "b"])
        expected = self.model.predict(self.p, self.g)
        given = dict(epsilon=1, delta=1e-5, same_people=False)
        for call in (
            lambda: self.model.predict(other, self.g),
            lambda: dp2dp.certify(self.model, other, self.g, **given),
            lambda: self.model.report(scores=other, groups=self.g, labels=self.g),
        ):
            _, texts = told(call)
            self.assertEqual(len(texts), 1)
            self.assertIn("the columns of scores are [a, b] and not [no, yes]", texts[0])
        plain = dp2dp.fit(self.p, self.g, n_groups=2, **SEEDED)
        for model, frame in ((plain, other), (self.model, pd.DataFrame(self.p))):
            found, texts = told(lambda m=model, f=frame: m.predict(f, self.g))
            np.testing.assert_array_equal(found, expected)
            self.assertEqual(texts, [])

    def test_names_of_classes_name_the_columns_of_a_model_without_others(self):
        names = dict(group_names=["f", "m"], class_names=["no", "yes"], **SEEDED)
        mixed = self.frame[["yes", "no"]]
        for model, frame in (
            (dp2dp.fit(self.p, self.g, **names), mixed),
            (dp2dp.fit(self.p, self.g, n_groups=2, **SEEDED), pd.DataFrame(self.p)[[1, 0]]),
        ):
            found, texts = told(lambda m=model, f=frame: m.predict(f, self.g))
            np.testing.assert_array_equal(found, model.predict(self.p, self.g))
            self.assertEqual(texts, [])
        named = dp2dp.fit(self.p, self.g, **names)
        _, texts = told(lambda: named.predict(pd.DataFrame(self.p)[[1, 0]], self.g))
        self.assertEqual(len(texts), 1)

    def test_certificates_and_reports_take_columns_by_name(self):
        mixed = self.frame[["yes", "no"]]
        given = dict(same_people=False, **SEEDED)
        expected = dp2dp.certify(self.model, self.p, self.g, **given)
        found = dp2dp.certify(self.model, mixed, self.g, **given)
        np.testing.assert_array_equal(found.table, expected.table)
        people = dict(groups=self.g, labels=self.g)
        page = self.model.report(scores=self.p, **people).html
        self.assertEqual(self.model.report(scores=mixed, **people).html, page)
        with self.assertRaisesRegex(dp2dp.DataError, "no column named 'no'"):
            dp2dp.certify(self.model, mixed[["yes"]], self.g, **given)

    def test_one_row_and_readers_are_taken_by_name(self):
        row = self.frame[["no", "yes"]].iloc[0]
        self.assertEqual(self.model.decide(row[["yes", "no"]], "f"), self.model.decide(row, "f"))
        arrow = pyarrow()
        mixed = arrow.Table.from_pandas(self.frame[["yes", "no"]])
        expected = self.model.predict(self.p, self.g)
        np.testing.assert_array_equal(self.model.predict(mixed.to_reader(), self.g), expected)
        again = dp2dp.fit(mixed.to_reader(), self.g, n_groups=2, **SEEDED)
        self.assertEqual(again.info["score_columns"], ["yes", "no"])

    def test_a_reader_that_was_read_before_says_so(self):
        arrow = pyarrow()
        reader = arrow.Table.from_pandas(self.frame).to_reader()
        reader.read_all()
        names = dict(score_columns=["no", "yes"], group_column="sex", group_names=["f", "m"])
        for call in (
            lambda: self.model.predict(reader),
            lambda: dp2dp.fit(reader, self.g, n_groups=2, **BUDGET),
            lambda: core.fit_stream(reader, **names, **BUDGET),
        ):
            with self.assertRaisesRegex(dp2dp.DataError, "the reader has no rows.*read before"):
                call()

    def test_a_fit_refuses_columns_in_another_order_than_its_names(self):
        mixed, names = self.frame[["yes", "no"]], ["no", "yes"]
        for given in (dict(class_names=names), dict(score_columns=names)):
            with self.assertRaisesRegex(dp2dp.OptionError, "put both in the same order"):
                dp2dp.fit(mixed, self.g, n_groups=2, **given, **BUDGET)
        weights = pd.DataFrame(self.p, columns=["m", "f"])
        for given in (dict(group_names=["f", "m"]), dict(n_groups=2, weight_columns=["f", "m"])):
            with self.assertRaisesRegex(dp2dp.OptionError, r"columns of weights are \[m, f\]"):
                dp2dp.fit(self.p, self.g, weights=weights, **given, **BUDGET)

    def test_a_fit_refuses_columns_with_the_names_of_the_groups(self):
        given = dict(score_columns=["p_no", "p_yes"], class_names=["old", "young"], **SEEDED)
        with self.assertRaisesRegex(dp2dp.OptionError, "Are groups and classes exchanged?"):
            dp2dp.fit(self.p, self.g, group_names=["no", "yes"], **given)
        dp2dp.fit(self.p, self.g, group_names=["a", "b"], **given)

    def test_an_estimator_whose_columns_have_other_names_is_told(self):
        X, y, g = labelled(600)
        inner = LogisticRegression().fit(X, y)

        class Remote:
            classes_ = np.array([0, 1])
            columns = [1, 0]

            def predict_proba(self, X):
                return pd.DataFrame(inner.predict_proba(X)[:, ::-1], columns=self.columns)

        given = dict(prefit=True, classes=[0, 1], groups=[0, 1], **SEEDED)
        fair = FairPostProcessor(Remote(), scores_epsilon=0, scores_delta=0, **given)
        _, texts = told(lambda: fair.fit(X, sensitive_features=g))
        self.assertEqual(texts, [])
        fair.estimator.columns = ["good", "bad"]
        _, texts = told(lambda: fair.fit(X, sensitive_features=g))
        self.assertEqual(len(texts), 1)
        self.assertIn("predict_proba of Remote returns are [good, bad] and not [0, 1]", texts[0])

    def test_what_is_not_there_is_named(self):
        for columns, words in (
            (["no", "sex"], "no column named 'yes'"),
            (["no", "yes"], "no column named 'sex', from which the model takes the group"),
        ):
            with self.subTest(columns), self.assertRaisesRegex(ValueError, words):
                self.model.predict(self.frame[columns])

    def test_unknown_groups_follow_the_option(self):
        frame = self.frame[:3].assign(sex=["f", "x", None])
        with self.assertRaisesRegex(dp2dp.DataError, "row 2"):
            self.model.predict(frame[:2])
        decisions = self.model.predict(frame, unknown="base")
        np.testing.assert_array_equal(decisions[1:], self.p[1:3].argmax(axis=1))

    def test_a_rule_that_does_not_see_the_group(self):
        w = np.column_stack([1 - 0.8 * self.g, 0.8 * self.g])
        model = self.fitted(weights=w, weight_columns=["p_f", "p_m"])
        frame = self.frame.assign(p_m=w[:, 1], p_f=w[:, 0])
        expected = model.predict(self.p, weights=w)
        np.testing.assert_array_equal(model.predict(frame), expected)
        mixed = frame[["p_m", "p_f"]]
        np.testing.assert_array_equal(model.predict(self.p, weights=mixed), expected)
        given = dict(same_people=False, **SEEDED)
        np.testing.assert_array_equal(
            dp2dp.certify(model, self.p, self.g, weights=mixed, **given).table,
            dp2dp.certify(model, self.p, self.g, weights=w, **given).table,
        )
        row = dict(weights=mixed.iloc[0])
        self.assertEqual(model.decide(self.p[0], **row), model.classes[expected[0]])
        other = mixed.set_axis(["a", "b"], axis=1)
        _, texts = told(lambda: model.predict(self.p, weights=other))
        self.assertEqual(len(texts), 1)
        self.assertIn("the columns of weights are [a, b] and not [p_f, p_m]", texts[0])
        with self.assertRaisesRegex(dp2dp.DataError, "no column named 'p_f'"):
            model.predict(self.p, weights=mixed.rename(columns={"p_f": "x"}))
        plain = self.fitted(weights=w)
        named = pd.DataFrame(w, columns=["f", "m"])[["m", "f"]]
        np.testing.assert_array_equal(plain.predict(self.p, weights=named), expected)


class Rows(unittest.TestCase):
    def setUp(self):
        self.X, self.y, g = labelled(3000)
        self.frame = pd.DataFrame(self.X, columns=list("abcd"))
        self.frame["sex"] = np.where(g == 1, "m", "f")

    def test_a_model_with_a_classifier_takes_rows_of_features(self):
        for unaware in (False, True):
            both = DP2DPClassifier(
                **SEEDED,
                bounds=(-4, 4),
                classes=[0, 1],
                groups=["f", "m"],
                sensitive_column="sex",
                unaware=unaware,
            ).fit(self.frame, self.y)
            mixed = self.frame.assign(other="x")[["sex", "d", "other", "c", "b", "a"]]
            np.testing.assert_array_equal(both.model_.predict(mixed), both.predict(self.frame))
            with self.assertRaisesRegex(dp2dp.DataError, "no column named 'c'"):
                both.model_.predict(mixed.drop(columns="c"))
        private = PrivateLogisticRegression(**SEEDED, bounds=(-4, 4), classes=[0, 1])
        private.fit(self.frame[list("abcd")], self.y)
        decisions = private.predict(self.frame[list("abcd")])
        np.testing.assert_array_equal(private.model_.predict(self.frame), decisions)

    def test_names_come_from_the_base(self):
        text = dict(bounds=(-4, 4), categories={"sex": ["f", "m"], "y": ["no", "yes"]})
        schema = Schema.from_frame(self.frame.assign(y=""), label="y", sensitive="sex", **text)
        sex = (self.frame["sex"] == "m").astype(int)
        rows = core.Rows(
            self.X, [*"abcd", "y", "sex"], [(self.y, ["no", "yes"]), (sex, ["f", "m"])]
        )
        base = dp2dp.train(schema, rows, **BUDGET)
        scored = core.score(base, rows, groups=True)
        given = dict(base=base, same_people=True, **BUDGET)
        for options in ({}, {"n_groups": 2}):
            model = dp2dp.fit(scored.scores, scored.groups, **given, **options)
            self.assertEqual((model.groups, model.classes), (["f", "m"], ["no", "yes"]))
            self.assertEqual(model.info["group_column"], "sex")
        again = dp2dp.fit(scored.scores, scored.groups, base=model, same_people=True, **BUDGET)
        self.assertEqual(again.groups, ["f", "m"])
        expected = model.predict(scored.scores, scored.groups)
        np.testing.assert_array_equal(model.predict(self.frame), expected)
        with self.assertRaisesRegex(
            dp2dp.OptionError, "n_groups is 3, but the model given as base has 2"
        ):
            dp2dp.fit(scored.scores, scored.groups, n_groups=3, **given)
        for names, why in ((["a", "b"], "not the groups of base"), (["m", "f"], "another order")):
            with self.assertRaisesRegex(dp2dp.OptionError, why):
                dp2dp.fit(scored.scores, scored.groups, group_names=names, **given)
