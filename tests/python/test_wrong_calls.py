"""Calls of the functions that are probably mistakes: the message says what to pass, and a right
call stays silent."""

import unittest
import warnings
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pandas as pd

import dp2dp
from dp2dp import Schema, core, metrics, sql
from people import BUDGET

STATED = dict(scores_epsilon=0, scores_delta=0)
GROUPS, CLASSES = ["f", "m"], ["no", "maybe", "yes"]
NAMES = dict(group_names=GROUPS, class_names=CLASSES)
COLUMNS = [f"p_{name}" for name in CLASSES]


def told(word, function, *args, **options):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = function(*args, **options)
    return [str(one.message) for one in found if str(one.message).startswith(word + ":")], result


class People(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        rng = np.random.default_rng(7)
        n = 2000
        self.g = rng.integers(0, 2, n)
        self.x = rng.normal(size=n).clip(-4, 4)
        z = np.exp(np.outer(self.x + 0.3 * self.g, [-1, 0, 1]) + rng.normal(size=(n, 3)) / 2)
        self.p = z / z.sum(axis=1, keepdims=True)
        self.y = (self.p.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
        self.frame = pd.DataFrame({"x": self.x, "y": np.array(CLASSES)[self.y]})
        self.names = np.array(GROUPS)[self.g]

    def fit(self, scores=None, **options):
        given = dict(NAMES, **STATED, **BUDGET) | options
        return dp2dp.fit(self.p if scores is None else scores, self.g, **given)

    def refused(self, kind, words, function, *args, **options):
        with self.assertRaisesRegex(kind, words):
            function(*args, **options)


class Predictions(People):
    def test_batches_of_an_array_need_first_row(self):
        model = self.fit(dither=0.05, dither_key="row")
        self.assertEqual(told("first-row", model.predict, self.p[:1000], self.g[:1000])[0], [])
        (text,), _ = told("first-row", model.predict, self.p[1000:], self.g[1000:])
        self.assertIn("rows 1001 to 2000 of an array, and the call before it rows 1 to 1000", text)
        self.assertIn("pass first_row=1000", text)
        whole = model.predict(self.p, self.g)
        for start in (0, 1000):
            rows = slice(start, start + 1000)
            given = self.p[rows], self.g[rows]
            found, part = told("first-row", model.predict, *given, first_row=start)
            self.assertEqual(found, [])
            np.testing.assert_array_equal(part, whole[rows])

    def test_other_slices_and_other_dithers_need_no_first_row(self):
        by_row = self.fit(dither=0.05, dither_key="row")
        others = self.fit(dither=0.05, dither_key="scores"), self.fit()
        for model, slices in (
            (by_row, (slice(1500, None), slice(0, 1500), slice(1500, None), slice(0, 500))),
            *((model, (slice(0, 1000), slice(1000, None))) for model in others),
        ):
            for rows in slices:
                found, _ = told("first-row", model.predict, self.p[rows], self.g[rows])
                self.assertEqual(found, [])

    def test_the_group_is_found_by_the_column_that_the_fit_was_given(self):
        text = dict(bounds={"x": (-4, 4)}, categories={"y": CLASSES})
        schema = Schema.from_frame(self.frame, label="y", **text)
        rows = core.Rows(self.x[:, None], ["x", "y"], [(self.y, CLASSES)])
        base = dp2dp.train(schema, rows, **BUDGET)
        scores = core.score(base, core.Rows(self.x[:, None], ["x"])).scores
        given = dict(base=base, group_names=GROUPS, same_people=True, **BUDGET)
        model = dp2dp.fit(scores, self.g, group_column="sex", **given)
        frame = self.frame.assign(sex=self.names)
        np.testing.assert_array_equal(model.predict(frame), model.predict(scores, self.g))
        self.refused(dp2dp.OptionError, "no column named 'sex'", model.predict, self.frame)
        nameless = dp2dp.fit(scores, self.g, **given)
        self.refused(
            dp2dp.OptionError, "does not know which column holds the group", nameless.predict, frame
        )

    def test_codes_in_the_column_of_the_group_are_named(self):
        frame = pd.DataFrame(self.p, columns=COLUMNS)
        model = self.fit(frame, group_column="sex")
        words = "'sex' holds numbers, and it must hold the names 'f', 'm'. Pass codes as groups"
        self.refused(dp2dp.DataError, words, model.predict, frame.assign(sex=self.g))
        model.predict(frame.assign(sex=self.names))
        numbered = self.fit(frame, group_column="sex", group_names=[1, 2])
        numbered.predict(frame.assign(sex=self.g + 1))

    def test_features_for_a_rule_without_a_classifier_are_named(self):
        model = self.fit()
        words = "no classifier.*: pass scores, with one column for each of no, maybe, yes"
        self.refused(dp2dp.DataError, words, model.predict, self.frame)
        self.refused(dp2dp.DataError, words, model.predict, self.frame, self.g)
        model.predict(pd.DataFrame(self.p, columns=[*"abc"]), self.g)

    def test_names_as_groups_are_answered_with_codes(self):
        model = self.fit()
        kinds = [self.names, pd.Categorical(self.names), pd.Series(self.names)]
        if find_spec("polars"):
            polars = import_module("polars")
            kinds.append(polars.Series(self.names).cast(polars.Enum(GROUPS)))
        for names in kinds:
            words = r"pandas.Categorical\(values, categories=model.groups\).codes"
            self.refused(dp2dp.DataError, words, model.predict, self.p, names)
            words = r"pandas.Categorical\(values, categories=group_names\).codes"
            given = dict(NAMES, **STATED, **BUDGET)
            self.refused(dp2dp.DataError, words, dp2dp.fit, self.p, names, **given)

    def test_decide_of_a_rule_that_does_not_see_the_group_asks_for_weights(self):
        weights = np.column_stack([1 - self.g, self.g]) * 0.6 + 0.2
        model = self.fit(weights=weights)
        words = "^the rule does not see the group: pass weights, the probability of each group$"
        self.refused(dp2dp.OptionError, words, model.decide, [0.2, 0.3, 0.5])
        self.assertIn(model.decide([0.2, 0.3, 0.5], weights=[0.5, 0.5]), CLASSES)


class Fits(People):
    def test_scores_that_are_none_and_the_reason(self):
        words = "^scores is None: core.score gives None if the model predicts the group"
        self.refused(dp2dp.DataError, words, dp2dp.fit, None, self.g, **NAMES, **STATED, **BUDGET)

    def test_records_that_core_score_left_out_need_the_option(self):
        p, g = self.p.copy(), self.g.copy()
        p[5], g[5] = np.nan, -1
        model = self.fit()
        fitted = dict(NAMES, **STATED, **BUDGET)
        for function, first, options in (
            (dp2dp.fit, (), fitted),
            (core.certify, (model,), dict(BUDGET)),
        ):
            words = "if it made these, pass leaves_out=True"
            self.refused(dp2dp.DataError, words, function, *first, p, g, **options)
            function(*first, p, g, **options, leaves_out=True)
            with self.assertRaises(dp2dp.DataError) as caught:
                function(*first, self.p, g, **options)
            self.assertNotIn("leaves_out", str(caught.exception))

    def test_the_positive_class_may_be_a_name(self):
        given = dict(labels=self.y, criterion="equal_opportunity")
        self.assertEqual(self.fit(positive="yes", **given).positive, 2)
        self.assertEqual(self.fit(positive=2, **given).positive, 2)
        words = "^positive must be one of no, maybe, yes; not 'yess'$"
        self.refused(dp2dp.OptionError, words, self.fit, positive="yess", **given)
        words = "^positive must be the code of a class"
        self.refused(dp2dp.OptionError, words, self.fit, positive="yes", class_names=None, **given)

    def test_a_counter_must_count_as_the_fit_does(self):
        given = dict(NAMES, records=2000, **STATED, **BUDGET)
        for own, theirs, name in (
            (dict(grid=8), {}, "grid is 8 in the Counter and 0 in fit_source"),
            ({}, dict(normalize=True), "normalize is False in the Counter and True"),
            (dict(dither=0.1), {}, "dither is 0.1 in the Counter and 0.0"),
            (dict(dither=0.1), dict(dither=0.1, dither_seed=3), "dither_seed is 0 in the Counter"),
        ):
            counter = core.Counter(self.p, self.g, n_groups=2, **own)
            words = f"^{name}.*: give both the same"
            self.refused(
                dp2dp.OptionError, words, core.fit_source, counter.count, **given, **theirs
            )
            same = own | theirs
            counter = core.Counter(self.p, self.g, n_groups=2, **same)
            core.fit_source(counter.count, **given, **same)

    def test_a_budget_belongs_to_the_ledger(self):
        words = "^unknown option 'budget': call ledger.set_budget"
        self.refused(TypeError, words, self.fit, budget=(1, 1e-5))
        schema = Schema.from_frame(
            self.frame, label="y", bounds={"x": (-4, 4)}, categories={"y": CLASSES}
        )
        rows = core.Rows(self.x[:, None], ["x"])
        self.refused(TypeError, words, dp2dp.train, schema, rows, budget=(1, 1e-5), **BUDGET)


class Certificates(People):
    def test_adjusted_scores_are_recognised(self):
        for dither in (0, 0.05):
            model = self.fit(dither=dither)
            adjusted = model.adjust(self.p, self.g)
            for function, options in ((core.certify, BUDGET), (type(model).predict, {})):
                words = "look like adjusted scores .Model.adjust.: pass the scores"
                given = model, adjusted, self.g
                self.refused(dp2dp.DataError, words, function, *given, **options)
        with self.assertRaises(dp2dp.DataError) as caught:
            core.certify(model, 2 * self.p / 3, self.g, **BUDGET)
        self.assertNotIn("adjust", str(caught.exception))
        self.assertNotIn("normalize", str(caught.exception))
        self.refused(
            TypeError,
            "certify has no option normalize",
            core.certify,
            model,
            self.p,
            self.g,
            normalize=True,
            **BUDGET,
        )

    def test_a_model_without_a_rule_is_named(self):
        schema = Schema.from_frame(
            self.frame, label="y", bounds={"x": (-4, 4)}, categories={"y": CLASSES}
        )
        rows = core.Rows(self.x[:, None], ["x", "y"], [(self.y, CLASSES)])
        base = dp2dp.train(schema, rows, **BUDGET)
        words = "^the model has no rule yet: dp2dp.fit"
        self.refused(dp2dp.OptionError, words, core.certify, base, self.p, self.g, **BUDGET)


class Measures(People):
    def test_decisions_that_are_all_right_are_told(self):
        word = "labels-are-decisions"
        sizes = dict(n_groups=2, n_classes=3)
        (text,), _ = told(word, core.evaluate, self.y, self.g, self.y, **sizes)
        self.assertIn("every decision equals the label. Was the same column passed twice?", text)
        named = np.array(CLASSES)[self.y]
        found, _ = told(word, metrics.evaluate, named, named.copy(), sensitive_features=self.g)
        self.assertEqual(len(found), 1)
        nearly = self.y.copy()
        nearly[7] = (nearly[7] + 1) % 3
        few = self.y[:99], self.g[:99], self.y[:99]
        for given in ((nearly, self.g, self.y), few, (self.y, self.g, None)):
            self.assertEqual(told(word, core.evaluate, *given, **sizes)[0], [])

    def test_other_words(self):
        self.refused(TypeError, r"pass the paths one by one: verify\(\*paths\)", core.verify, ["a"])
        given = dict(n=1000, batch_size=10, epochs=1, delta=1e-5)
        for wrong in (0, -1.0, np.float32(0)):
            words = "^noise_multiplier must be a number above 0"
            self.refused(
                dp2dp.OptionError, words, dp2dp.dpsgd_epsilon, noise_multiplier=wrong, **given
            )
        dp2dp.dpsgd_epsilon(noise_multiplier=np.float32(1.1), **given)
        words = "^release_id must be None or 32 hexadecimal digits"
        self.refused(dp2dp.OptionError, words, dp2dp.Ledger().publish, "abc", "def")


@unittest.skipUnless(find_spec("duckdb"), "needs duckdb")
class Queries(People):
    def setUp(self):
        super().setUp()
        self.database = import_module("duckdb").connect()
        self.addCleanup(self.database.close)
        rows = pd.DataFrame(self.p, columns=COLUMNS).assign(
            sex=self.names, senior=self.g == 1, y=self.frame["y"]
        )
        self.database.register("given", rows)
        self.database.execute("CREATE TABLE people AS SELECT * FROM given")

    def query(self, table="people", **options):
        given = dict(scores=COLUMNS, classes=CLASSES, sensitive="sex", groups=GROUPS, how="tables")
        return sql.fit(self.database, table, **given | dict(STATED, **BUDGET) | options)

    def test_a_query_that_gives_other_rows_each_time_is_refused_before_the_charge(self):
        ledger = dp2dp.Ledger()
        sample = "(SELECT * FROM people ORDER BY random() LIMIT 700)"
        words = "^the same question had two answers: the query gives other rows each time"
        self.refused(dp2dp.DataError, words, self.query, sample, ledger=ledger)
        self.assertEqual(ledger.entries, [])
        self.query("(SELECT * FROM people ORDER BY p_yes LIMIT 700)", ledger=ledger)

    def test_a_boolean_column_may_be_the_group(self):
        for groups in ([False, True], ["false", "true"], np.array([False, True])):
            model = self.query(sensitive="senior", groups=groups)
            self.assertEqual(model.groups, ["false", "true"])
        words = r"2000 with a group that is not listed; a boolean column has the texts 'false'"
        self.refused(
            dp2dp.DataError, words, self.query, sensitive="senior", groups=["False", "True"]
        )

    def test_bad_rows_are_counted_by_cause(self):
        self.database.execute("UPDATE people SET p_no = NULL WHERE p_yes > 0.9")
        self.database.execute("UPDATE people SET sex = 'd' WHERE p_yes < 0.02")
        count = "SELECT count(*) FROM people WHERE "
        missing, other = (
            self.database.execute(count + test).fetchone()[0]
            for test in ("p_no IS NULL", "sex = 'd'")
        )
        words = (
            rf"cannot be counted \({missing} with a score that is missing or not a number; "
            rf"{other} with a group that is not listed\)"
        )
        for how in ("copy", "tables"):
            self.refused(dp2dp.DataError, words, self.query, how=how)

    @unittest.skipUnless(find_spec("pyarrow"), "needs pyarrow")
    def test_duckdb_gives_no_warning_of_its_own(self):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            self.query(how="copy")
        self.assertEqual([str(one.message) for one in found if "rrow" in str(one.message)], [])


if __name__ == "__main__":
    unittest.main()
