"""The fit of an estimator refuses parameters that mean something else than they seem to, and warns
of columns and labels that are something else than they seem to be."""

import unittest
import warnings
from importlib.util import find_spec

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import dp2dp
from dp2dp import DP2DPClassifier, FairPostProcessor, PrivateLogisticRegression
from people import BUDGET, categorical, labelled, numeric, schema

FREE = dict(scores_epsilon=0, scores_delta=0)
LISTS = dict(classes=[0, 1], groups=["f", "m"])
PRIVATE_TO_OPERATOR = "This warning comes from the data without noise: do not publish the warning"


def told(function, *args, **options):
    """The warnings of a call, one text for each."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args, **options)
    return [str(one.message) for one in found]


class Cautions(unittest.TestCase):
    def setUp(self):
        X, self.y, g = labelled(n=600, features=2)
        self.X = pd.DataFrame(X, columns=["a", "b"])
        self.s = pd.Series(np.where(g, "m", "f"))
        self.known = LogisticRegression().fit(X, self.y)

    def both(self, **options):
        return DP2DPClassifier(**{**BUDGET, **LISTS, "bounds": (-4, 4), **options})

    def prefit(self, **options):
        return FairPostProcessor(
            self.known, **{**BUDGET, **LISTS, **FREE, "prefit": True, **options}
        )

    def told(self, estimator, y=None, X=None):
        X = self.X if X is None else X
        return told(estimator.fit, X, self.y if y is None else y, sensitive_features=self.s)

    def named(self, word, *args, **given):
        """The warnings that start with a word."""
        return [text for text in self.told(*args, **given) if text.startswith(f"{word}: ")]

    def refused(self, words, estimator, *args, **given):
        with self.subTest(words), self.assertRaisesRegex(ValueError, words) as caught:
            estimator.fit(*args, **{"sensitive_features": self.s, **given})
        return str(caught.exception)

    def test_a_text_is_no_flag(self):
        for make, names in (
            (self.both, ("unaware", "drop_sensitive")),
            (self.prefit, ("prefit", "scores_from_pool", "same_people", "drop_sensitive")),
        ):
            for name in names:
                for value in ("no", "False", 2, 0.5, [True]):
                    words = f"{name} must be True or False, not "
                    self.refused(words, make(**{name: value}), self.X, self.y)
        for value in (0, False, np.False_):
            self.told(self.both(unaware=value))
        self.told(self.prefit(same_people=None, prefit=1))

    def test_rows_per_person_does_not_show_ids(self):
        ids = pd.Series([f"id{i}" for i in range(600)])
        for make in (self.both, self.prefit):
            text = self.refused(
                "must be one whole number", make(rows_per_person=ids), self.X, self.y
            )
            self.assertNotIn("id1", text)

    def test_a_list_that_is_refused_gives_no_warning_before(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error", dp2dp.FairnessWarning)
            self.refused("does not list 1", self.prefit(classes=[0, 2]), self.X, self.y)

    def test_missing_labels_say_what_to_pass(self):
        made = self.prefit(prefit=False, scores_epsilon=None, scores_delta=None)
        self.refused("requires y .* LogisticRegression .* prefit=True", made, self.X)
        self.refused(
            "requires y .*'equal_opportunity' compares people with the same label",
            self.prefit(constraints="equal_opportunity"),
            self.X,
        )

    def test_labels_that_are_the_decisions_are_told(self):
        odds = self.prefit(constraints="equalized_odds")
        decisions = self.known.predict(self.X.to_numpy())
        (text,) = self.named("labels-are-decisions", odds, y=decisions)
        self.assertIn(PRIVATE_TO_OPERATOR, text)
        self.assertFalse(self.named("labels-are-decisions", odds))
        odds.set_params(bad_rows="ignore")
        self.assertFalse(self.named("labels-are-decisions", odds, y=decisions))

    def test_labels_and_decisions_as_groups_are_told(self):
        decisions = LogisticRegression().fit(self.X[:400], self.y[:400]).predict(self.X)
        fresh = dict(prefit=False, scores_epsilon=None, scores_delta=None, insecure_seed=1)
        for make in (self.both, self.prefit, lambda **given: self.prefit(**fresh, **given)):
            for given, word in (
                (self.y, "groups-are-labels"),
                (decisions, "groups-are-decisions"),
            ):
                if word == "groups-are-decisions" and make == self.both:
                    continue  # a private classifier of 600 people decides otherwise too often
                if word == "groups-are-decisions" and make == self.prefit:
                    given = self.known.predict(self.X.to_numpy())
                for quiet in ({}, {"bad_rows": "ignore"}):
                    estimator = make(groups=[0, 1], **quiet)
                    found = told(estimator.fit, self.X, self.y, sensitive_features=given)
                    self.assertEqual(any(t.startswith(word) for t in found), not quiet, word)
            found = "\n".join(self.told(make()))
            self.assertNotIn("groups-are", found)
        exact = dict(method="none", epsilon=None, delta=None, solver="exact", insecure_seed=1)
        sure = self.both(**exact, groups=[0, 1])
        found = told(sure.fit, self.X, self.y, sensitive_features=decisions)
        self.assertRegex("\n".join(found), "groups-are-decisions: in .* rows")

    def test_numbers_beside_a_list_of_texts_are_explained(self):
        given = schema(numeric("a"), categorical("y", "no", "yes", role="label"))
        self.refused(
            r"classes are texts, and this label is a number. .*numpy.array\(classes\)\[y\]",
            self.both(schema=given, bounds=None, classes=None),
            self.X,
            self.y,
        )

    def marked(self):
        """X with a marker in place of many values of a column."""
        return self.X.assign(b=np.where(np.arange(600) < 240, -999.0, self.X["b"]))

    def test_many_values_outside_the_bounds_are_told(self):
        marked = self.marked()
        (text,) = self.named("bounds-exceeded", self.both(), X=marked)
        self.assertRegex(text, "of 'b' are outside .* another unit, or .* -999 .*publish")
        self.assertFalse(self.named("bounds-exceeded", self.both(bad_rows="ignore"), X=marked))
        fair = self.both()
        self.assertFalse(self.named("bounds-exceeded", fair))
        again = {"sensitive_features": self.s}
        self.assertRegex("\n".join(told(fair.predict, marked, **again)), "240 of 600 values of 'b'")
        few = self.X.copy()
        few.loc[:50, "b"] = -999.0 - np.arange(51)
        self.assertEqual(told(fair.predict, few, **again), [])

    def test_one_number_outside_the_bounds_in_many_rows_is_told(self):
        marked = self.X.copy()
        marked.loc[:47, "b"] = -999.0
        (text,) = self.named("bounds-exceeded", self.both(pool="same"), X=marked)
        self.assertRegex(text, "of them are one and the same number.*missing value.*publish")
        self.assertNotIn("-999.0", text)
        self.assertFalse(
            self.named("bounds-exceeded", self.both(pool="same", bad_rows="ignore"), X=marked)
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fair = self.both().fit(self.X, self.y, sensitive_features=self.s)
        found = told(fair.predict, marked, sensitive_features=self.s)
        self.assertEqual([text.split(":")[0] for text in found], ["bounds-exceeded"])
        for values in (np.full(19, -999.0), np.full(18, -9.0), np.linspace(4.1, 9, 59)):
            few = self.X.copy()
            few.loc[: len(values) - 1, "b"] = values
            self.assertFalse(self.named("bounds-exceeded", self.both(pool="same"), X=few))

    def test_the_tail_of_a_column_of_counts_is_not_told(self):
        counts = np.random.default_rng(3).poisson(1.6, 600).astype(float)
        self.assertGreater((counts > 4).mean(), 0.01)
        made = self.both(bounds={"a": (-4, 4), "b": (0, 4)}, pool="same")
        self.assertFalse(self.named("bounds-exceeded", made, X=self.X.assign(b=counts)))

    def test_bounds_read_off_the_rows_are_told(self):
        X = self.X.clip(-4, 4)
        ends = {name: (X[name].min(), X[name].max()) for name in X}
        arrays = (X.min(), X.max())
        overall = (X.min().min(), X.max().max())
        for bounds in (ends, arrays, overall):
            for estimator in (
                self.both(bounds=bounds),
                PrivateLogisticRegression(**BUDGET, classes=[0, 1], bounds=bounds),
            ):
                with self.subTest(bounds=bounds, estimator=estimator):
                    y = {"sensitive_features": self.s} if "groups" in estimator.get_params() else {}
                    texts = "\n".join(told(estimator.fit, X, self.y, **y))
                    self.assertRegex(texts, "bounds-attained: .*not private.*publish")
        ignoring = self.both(bounds=ends, bad_rows="ignore")
        self.assertFalse(self.named("bounds-attained", ignoring, X=X))
        self.assertFalse(self.named("bounds-attained", self.both(bounds=None), X=X))

    def test_bounds_of_one_column_that_are_read_off_the_rows_are_told(self):
        X = self.X.clip(-4, 4)
        read = {"a": (X["a"].min(), X["a"].max()), "b": (-5, 5)}
        (text,) = self.named("bounds-attained", self.both(bounds=read), X=X)
        self.assertIn("in 1 of 2 columns (the first is 'a'), the bounds are exactly", text)
        self.assertFalse(self.named("bounds-attained", self.both(bounds=read), X=0.9 * X))
        quiet = self.both(bounds=read, bad_rows="ignore")
        self.assertFalse(self.named("bounds-attained", quiet, X=X))
        for low, high in ((1998, 2017), (0, 99999), (0, 120), (0, 0.5)):
            public = X.assign(a=np.linspace(low, high, 600))
            limits = {"a": (low, high), "b": (-5, 5)}
            self.assertFalse(
                self.named("bounds-attained", self.both(bounds=limits), X=public), (low, high)
            )

    def test_one_bound_that_is_read_off_the_rows_is_told(self):
        X = self.X.assign(b=np.exp(10 + self.X["b"]).round())
        top, low = X["b"].max(), X["a"].min()
        for bounds in ({"a": (-4, 4), "b": (0, top)}, {"a": (low, 4), "b": (0, 1e7)}):
            found = self.named("bounds-attained", self.both(bounds=bounds), X=X)
            self.assertRegex(found[0], "in 1 of 2 columns .* a bound is exactly the smallest or ")
            quiet = self.both(bounds=bounds, bad_rows="ignore")
            self.assertFalse(self.named("bounds-attained", quiet, X=X))
        overall = self.both(bounds=(-10, self.X.max().max()))
        self.assertIn("of all columns", self.named("bounds-attained", overall)[0])
        short = self.X.round(3)
        both = {name: (-10, short[name].max()) for name in short}
        self.assertTrue(self.named("bounds-attained", self.both(bounds=both), X=short))
        one = {"a": (-10, 10), "b": both["b"]}
        self.assertFalse(self.named("bounds-attained", self.both(bounds=one), X=short))

    def test_a_limit_that_values_are_cut_at_is_not_read_off(self):
        for values, bound in (
            (np.minimum(np.exp(10 + self.X["b"]), 31234.5), 31234.5),
            (np.minimum(np.exp(10 + self.X["b"]).round(), 99999), 99999),
            (np.arange(600) // 4 + 20240.0, 20389),
        ):
            limits = self.both(bounds={"a": (-4, 4), "b": (0, bound)})
            X = self.X.assign(b=values)
            self.assertFalse(self.named("bounds-attained", limits, X=X), bound)

    def test_a_norm_that_is_read_off_the_rows_is_told(self):
        def found(X, norm, **options):
            made = PrivateLogisticRegression(**BUDGET, classes=[0, 1], data_norm=norm, **options)
            texts = told(made.fit, X, self.y)
            return [text for text in texts if text.startswith("bounds-attained: data_norm is")]

        for X in (self.X.to_numpy(), self.X.to_numpy().astype(np.float32)):
            norms = np.linalg.norm(X, axis=1)
            self.assertEqual(len(found(X, norms.max())), 1)
            self.assertEqual(found(X, norms.max(), bad_rows="ignore"), [])
            self.assertEqual(found(X, 1.001 * float(norms.max())), [])
            limit = float(np.median(norms)) + 0.12345
            cut = X * np.minimum(1, limit / norms)[:, None]
            self.assertEqual(found(cut, limit), [])
        ones = np.abs(self.X.to_numpy()).clip(0, 0.9)
        ones[0] = 1
        self.assertEqual(found(ones, np.sqrt(2)), [])

    def test_bounds_that_are_statistics_of_the_rows_are_told(self):
        X = self.X.assign(b=np.exp(self.X["b"]).round(2))
        whole = X.to_numpy()
        for bounds in (
            (X.mean() - 3 * X.std(), X.mean() + 3 * X.std()),
            (whole.mean(axis=0) - 2.5 * whole.std(axis=0), 1e6),
            (X.quantile(0.01), X.quantile(0.99)),
            ([-9, 0], np.quantile(whole, 0.975, axis=0)),
            (whole.mean() - 4 * whole.std(), whole.mean() + 4 * whole.std()),
        ):
            for made in (
                self.both(bounds=bounds),
                PrivateLogisticRegression(**BUDGET, classes=[0, 1], bounds=bounds),
            ):
                given = {"sensitive_features": self.s} if "groups" in made.get_params() else {}
                with self.subTest(bounds=bounds, made=type(made).__name__):
                    texts = "\n".join(told(made.fit, X, self.y, **given))
                    self.assertRegex(texts, "bounds-attained: a bound of .* quantile .*publish")
        quiet = self.both(bounds=bounds, bad_rows="ignore")
        self.assertFalse(self.named("bounds-attained", quiet, X=X))

    def test_bounds_of_numbers_in_single_precision_are_told(self):
        X = self.X.to_numpy().astype(np.float32)
        bounds = (X.mean(axis=0) - 3 * X.std(axis=0), X.mean(axis=0) + 3 * X.std(axis=0))
        alone = PrivateLogisticRegression(**BUDGET, classes=[0, 1], bounds=bounds)
        self.assertIn("bounds-attained", "\n".join(told(alone.fit, X, self.y)))

    def test_bounds_near_a_statistic_are_not_told(self):
        rng = np.random.default_rng(5)
        ages = np.clip(rng.normal(45, 15, 600), 18, 90).round()
        capped = np.minimum(np.exp(rng.normal(8.4, 0.5, 600)), 5512.5)
        X = self.X.assign(a=ages, b=capped)
        low, high = np.quantile(ages, [0.01, 0.99])
        for bounds in (
            {"a": (low, high), "b": (0, 20000)},
            {"a": (18, 90), "b": (0, 5512.5)},
            {"a": (18, 90), "b": (0, float(f"{capped.mean() + 3 * capped.std():.6g}"))},
        ):
            self.assertFalse(self.named("bounds-attained", self.both(bounds=bounds), X=X), bounds)
        scaled = self.X.transform(lambda one: (one - one.mean()) / one.std())
        self.assertFalse(self.named("bounds-attained", self.both(bounds=(-3, 3)), X=scaled))

    def test_round_bounds_may_be_reached(self):
        X = self.X.clip(-1, 1)
        self.assertEqual((X.min().min(), X.max().max()), (-1, 1))
        for bounds in ((-1, 1), {"a": (-1, 1), "b": (-1, 1)}):
            self.assertFalse(self.named("bounds-attained", self.both(bounds=bounds), X=X))
        only_texts = X.assign(a=np.where(X["a"] > 0, "x", "y"))[["a"]]
        texts = self.both(bounds=None, categories={"a": ["x", "y"]})
        self.assertFalse(self.named("bounds-attained", texts, X=only_texts))

    @unittest.skipUnless(find_spec("pyarrow"), "frames need pyarrow for an Arrow stream")
    def test_training_on_a_frame_tells_of_many_values_outside_the_bounds(self):
        given = schema(numeric("a"), numeric("b"), categorical("y", "0", "1", role="label"))
        rows = self.marked().assign(y=self.y.astype(str))
        text = "\n".join(told(dp2dp.train, given, rows, **BUDGET))
        self.assertRegex(text, "240 of 600 values of 'b' .* another unit")
        few = rows.assign(b=np.where(np.arange(600) < 48, -999.0, self.X["b"]))
        text = "\n".join(told(dp2dp.train, given, few, **BUDGET))
        self.assertRegex(text, "48 of 600 values of 'b' .* 48 of them are one and the same number")

    def test_a_column_that_tells_the_group_of_every_row_is_told(self):
        rng = np.random.default_rng(1)
        titles = np.where(self.s == "m", "Mr", rng.choice(["Ms", "Mrs"], 600))
        numbers = (self.s == "m").astype(float)
        numbers.index = self.X.index
        for values, more in (
            (numbers, dict(bounds=(-4, 4))),
            (titles, dict(categories={"told": ["Mr", "Mrs", "Ms"]})),
        ):
            X = self.X.assign(told=values)
            (text,) = self.named("group-in-column", self.both(unaware=True, **more), X=X)
            self.assertRegex(text, f"column 'told' of X reveals the group.*{PRIVATE_TO_OPERATOR}")
            for options in ({}, {"unaware": True, "bad_rows": "ignore"}):
                self.assertFalse(self.named("group-in-column", self.both(**more, **options), X=X))
        almost = numbers.copy()
        almost[0] = 1 - almost[0]
        for values in (almost, np.arange(600) / 150, np.zeros(600)):
            made = self.both(unaware=True)
            self.assertFalse(self.named("group-in-column", made, X=self.X.assign(told=values)))

    def test_a_column_that_tells_the_label_of_every_row_is_told(self):
        words = np.where(self.y == 1, "late", np.where(np.arange(600) % 2, "paid", "open"))
        numbers = (1 - self.y).astype(float)
        levels = dict(categories={"told": ["late", "paid", "open"]})
        for values, more in ((numbers, dict(bounds=(-4, 4))), (words, levels)):
            X = self.X.assign(told=values)
            (text,) = self.named("label-in-column", self.both(**more), X=X)
            self.assertRegex(text, f"column 'told' determines the label.*{PRIVATE_TO_OPERATOR}")
            options = {"classes": [0, 1], "bounds": (-4, 4), **BUDGET, **more}
            alone = told(PrivateLogisticRegression(**options).fit, X, self.y)
            self.assertIn("label-in-column", [text.split(":")[0] for text in alone])
            quiet = self.both(**more, bad_rows="ignore")
            self.assertFalse(self.named("label-in-column", quiet, X=X))
        almost = numbers.copy()
        almost[:3] = 1 - almost[:3]
        rare = np.arange(600) < 19
        for values, y in ((almost, self.y), (rare * 1.0, rare), (np.arange(600) / 150, self.y)):
            X = self.X.assign(told=values)
            alone = PrivateLogisticRegression(**BUDGET, bounds=(-4, 4), classes=[0, 1])
            found = told(alone.fit, X, np.asarray(y).astype(int))
            self.assertNotIn("label-in-column", [text.split(":")[0] for text in found])

    def test_a_warning_that_is_an_exception_leaves_the_model_that_was_paid_for(self):
        alone = PrivateLogisticRegression(**BUDGET, bounds=(-4, 4), classes=[0, 1])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaisesRegex(UserWarning, "label-in-column"):
                alone.fit(self.X.assign(told=self.y), self.y)
        self.assertTrue(alone.model_.private)

    @unittest.skipUnless(find_spec("pyarrow"), "frames need pyarrow for an Arrow stream")
    def test_training_on_a_frame_tells_of_a_column_that_tells_the_label(self):
        label = categorical("y", "0", "1", role="label")
        given = schema(numeric("a"), numeric("late", 0, 1), label)
        rows = self.X[["a"]].assign(late=self.y, y=self.y.astype(str))
        text = "\n".join(told(dp2dp.train, given, rows, **BUDGET))
        self.assertIn("label-in-column: the column 'late'", text)
        quiet = "\n".join(told(dp2dp.train, given, rows, **BUDGET, bad_rows="ignore"))
        self.assertNotIn("label-in-column", quiet)
        other = rows.assign(late=(np.arange(600) % 2))
        self.assertNotIn("label-in-column", "\n".join(told(dp2dp.train, given, other, **BUDGET)))

    def test_a_column_that_tells_the_group_is_told_beside_a_group_estimator(self):
        fair = FairPostProcessor(
            LogisticRegression(), group_estimator=LogisticRegression(), **BUDGET, **LISTS
        )
        X = self.X.assign(told=(self.s == "m") * 2)
        self.assertRegex(self.named("group-in-column", fair, X=X)[0], "'told'")
        self.assertRegex(self.named("group-in-column", fair, X=X.to_numpy())[0], "column 2 of X")
        self.assertFalse(self.named("group-in-column", fair))

    def test_labels_in_another_order_than_those_in_x_are_refused(self):
        given = schema(
            numeric("a"),
            numeric("b"),
            categorical("y", "0", "1", role="label"),
            categorical("s", "f", "m", role="sensitive"),
        )
        X = self.X.assign(y=self.y, s=self.s)
        moved = np.roll(self.y, 1)
        count = (moved != self.y).sum()
        words = f"y differs from 'y', the label column of the schema, in {count} of 600 rows"
        both = DP2DPClassifier(schema=given, **BUDGET)
        alone = PrivateLogisticRegression(schema=schema(*given["columns"][:3]), **BUDGET)
        for made, rows in ((both, X), (alone, X.drop(columns="s"))):
            told(made.fit, rows, self.y)
            told(made.fit, rows.assign(y=self.y.astype(float)), self.y)
            told(made.fit, rows.drop(columns="y"), moved)
            with self.assertRaisesRegex(dp2dp.DataError, words):
                made.fit(rows, moved)
            told(made.set_params(bad_rows="ignore").fit, rows, moved)


if __name__ == "__main__":
    unittest.main()
