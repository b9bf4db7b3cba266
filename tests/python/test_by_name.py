"""Models take what they need from a data frame, by name."""

import unittest

import numpy as np
import pandas as pd

import dp2dp
from dp2dp import DP2DPClassifier, PrivateLogisticRegression, Schema, core
from people import BUDGET, SEEDED, labelled, scores


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
        with self.assertRaisesRegex(dp2dp.OptionError, "groups or a frame with .* 'sex', not both"):
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
        np.testing.assert_array_equal(self.model.predict(other, self.g), expected)
        plain = dp2dp.fit(self.p, self.g, n_groups=2, **SEEDED)
        np.testing.assert_array_equal(plain.predict(other, self.g), expected)

    def test_what_is_not_there_is_named(self):
        for columns, words in (
            (["no", "sex"], "no column named 'yes'"),
            (["no", "yes"], "groups are missing"),
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
        np.testing.assert_array_equal(model.predict(frame), model.predict(self.p, weights=w))


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
        with self.assertRaisesRegex(dp2dp.OptionError, "n_groups is 3, but the base has 2"):
            dp2dp.fit(scored.scores, scored.groups, n_groups=3, **given)
        mine = dp2dp.fit(scored.scores, scored.groups, group_names=["a", "b"], **given)
        self.assertEqual(mine.groups, ["a", "b"])
