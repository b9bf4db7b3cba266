"""Unusual input works; for bad input the message says what to pass."""

import json
import unittest
import warnings

import numpy as np
import pandas as pd
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

import dp2dp
from dp2dp import DP2DPClassifier, FairPostProcessor, PrivateLogisticRegression, core
from people import SEEDED, categorical, fitted, labelled, numeric, schema, scores

PUBLIC = dict(classes=[0, 1], groups=[0, 1])
SCHEMA = schema(
    numeric("a"), categorical("job", "x", "y"), categorical("y", "0", "1", role="label")
)


def setUpModule():
    warnings.simplefilter("ignore", FutureWarning)


class Core(unittest.TestCase):
    def setUp(self):
        self.p, self.g = scores(200)

    def refused(self, p, g, error, words):
        with self.assertRaisesRegex(error, words):
            fitted(p, g)

    def test_wrong_kinds_are_named(self):
        text = self.p.astype(str)
        self.refused(text, self.g, dp2dp.DataError, "scores must be numbers, not dtype <U")
        self.refused(self.p.astype(object), self.g, dp2dp.DataError, r"\.astype\(float\)")
        self.refused(self.p.astype(complex), self.g, dp2dp.DataError, "numbers")
        self.refused(self.p, self.g.astype(float), dp2dp.DataError, "whole numbers")
        self.refused(self.p, self.g.astype(str), dp2dp.DataError, "groups must be.*pass codes")
        self.refused(self.p, self.g.astype(np.int64) + 2**40, dp2dp.DataError, "32 bits")
        self.refused(scipy.sparse.csr_array(self.p), self.g, TypeError, "Sparse data was passed")

    def test_wrong_shapes_are_named(self):
        self.refused(self.p[:, 1], self.g, dp2dp.DataError, "must be a 2-D array")
        self.refused(self.p[None], self.g, dp2dp.DataError, "must be a 2-D array")
        self.refused(self.p, self.g[:, None], dp2dp.DataError, "must be a 1-D array")
        self.refused(self.p, self.g[1:], dp2dp.DataError, "number of rows, not 200 and 199")
        self.refused(self.p[:0], self.g[:0], ValueError, "records = 0: there must be from 2")
        self.refused(self.p[:, :1], self.g, ValueError, "from 2 to")
        self.refused(pd.DataFrame(), self.g, dp2dp.DataError, "number of rows, not 0 and 200")

    def test_a_missing_list_of_groups_is_asked_for(self):
        with self.assertRaisesRegex(dp2dp.OptionError, "n_groups or group_names"):
            dp2dp.fit(self.p, self.g, **SEEDED)

    def test_frames_and_series_are_arrays(self):
        expected = fitted(self.p, self.g, score_columns=["no", "yes"]).to_json()
        frame = pd.DataFrame(self.p, columns=["no", "yes"])
        for groups in (pd.Series(self.g), pd.Series(self.g, dtype="int64"), list(self.g)):
            self.assertEqual(fitted(frame, groups, score_columns=["no", "yes"]).to_json(), expected)

    def test_columns_that_may_have_missing_values_must_have_none(self):
        model = fitted(self.p, self.g)
        groups, frame = pd.Series(self.g, dtype="Int32"), pd.DataFrame(self.p, dtype="Float64")
        expected = model.predict(self.p, self.g)
        np.testing.assert_array_equal(model.predict(frame, groups), expected)
        groups[3], frame.iloc[5, 1] = pd.NA, pd.NA
        with self.assertRaisesRegex(dp2dp.DataError, "groups has missing values"):
            model.predict(self.p, groups)
        with self.assertRaises(dp2dp.DataError):
            model.predict(frame, self.g)

    def test_what_is_masked_is_missing(self):
        p, g = np.ma.array(self.p), np.ma.array(self.g)
        found = fitted(p, g).to_json()
        self.assertEqual(found, fitted(self.p, self.g).to_json())
        p[3, 1] = g[5] = np.ma.masked
        self.refused(p, self.g, dp2dp.DataError, "scores has missing values")
        self.refused(self.p, g, dp2dp.DataError, "groups has missing values")

    def test_integers_and_half_precision_are_converted(self):
        p = np.eye(2, dtype=int)[self.g]
        whole = fitted(p, self.g)
        for kind in (np.float64, np.float16):
            self.assertEqual(fitted(p.astype(kind), self.g).to_json(), whole.to_json())

    def test_a_group_that_is_not_known_is_refused_or_gets_the_plain_argmax(self):
        model = fitted(self.p, self.g)
        other = self.g + 7
        with self.assertRaisesRegex(dp2dp.DataError, "row"):
            model.predict(self.p, other)
        plain = model.predict(self.p, other, unknown="base")
        np.testing.assert_array_equal(plain, self.p.argmax(axis=1))
        with self.assertRaisesRegex(dp2dp.OptionError, "unknown must be"):
            model.predict(self.p, other, unknown="guess")
        with self.assertRaisesRegex(dp2dp.OptionError, "groups are missing: .* from 0 to 1"):
            model.predict(self.p)
        with self.assertRaisesRegex(dp2dp.DataError, "the same number of rows, not 200 and 3"):
            model.predict(self.p, self.g[:3])
        with self.assertRaisesRegex(dp2dp.OptionError, "first_row must be a whole number"):
            model.predict(self.p, self.g, first_row=-1)

    def test_rows_for_a_model_without_a_classifier_are_refused(self):
        model = fitted(self.p, self.g)
        with self.assertRaisesRegex(dp2dp.OptionError, "no classifier"):
            core.score(model, core.Rows(self.p, ["a", "b"]))

    def test_tables_that_do_not_fit_the_schema_are_refused(self):
        n = len(self.p)
        x, job, y = self.p[:, :1], (np.zeros(n, int), ["x"]), (self.g, ["0", "1"])
        for rows, words in (
            (core.Rows(x, ["b", "job", "y"], [job, y]), "a"),
            (core.Rows(x * np.nan, ["a", "job", "y"], [job, y]), "a"),
            (core.Rows(x, ["a", "job", "y"], [job, (self.g, ["0", "7"])]), "y"),
        ):
            with self.assertRaisesRegex(dp2dp.DataError, words):
                dp2dp.train(SCHEMA, rows, **SEEDED)
        for texts in ([job, (self.g - 2, ["0", "1"])], [job, (self.g[1:], ["0", "1"])]):
            with self.assertRaisesRegex(dp2dp.DataError, "codes"):
                dp2dp.train(SCHEMA, core.Rows(x, ["a", "job", "y"], texts), **SEEDED)
        with self.assertRaisesRegex(TypeError, "__arrow_c_stream__"):
            dp2dp.train(SCHEMA, 3, **SEEDED)
        with self.assertRaisesRegex(dp2dp.OptionError, "needs rows"):
            dp2dp.train(SCHEMA, **SEEDED)
        with self.assertRaises(OSError):
            dp2dp.train(SCHEMA, "/nowhere/table.csv", **SEEDED)
        with self.assertRaises(dp2dp.DataError):
            dp2dp.Schema({"format": "something"})

    def test_columns_without_names_are_refused(self):
        with self.assertRaisesRegex(dp2dp.OptionError, "names must be a list of texts"):
            dp2dp.train(SCHEMA, core.Rows(self.p, None), **SEEDED)
        with self.assertRaisesRegex(dp2dp.OptionError, "levels must be a list of texts"):
            dp2dp.train(SCHEMA, core.Rows(self.p, ["a", "b", "y"], [(self.g, None)]), **SEEDED)

    def test_a_stream_is_used_once(self):
        rows = core.Rows(
            self.p[:, :1], ["a", "job", "y"], [(self.g, ["x", "y"]), (self.g, ["0", "1"])]
        )
        capsule = rows.__arrow_c_stream__()

        class Once:
            def __arrow_c_stream__(self, requested_schema=None):
                return capsule

        dp2dp.train(SCHEMA, Once(), **SEEDED)
        with self.assertRaisesRegex(ValueError, "used already"):
            dp2dp.train(SCHEMA, Once(), **SEEDED)


class Estimators(unittest.TestCase):
    def setUp(self):
        self.X, self.y, self.g = labelled(300)
        self.fair = FairPostProcessor(LogisticRegression(), **SEEDED, **PUBLIC)

    def both(self):
        """The estimators that have groups."""
        return clone(self.fair), DP2DPClassifier(**SEEDED, **PUBLIC, bounds=(-4, 4))

    def fit(self, y=None, g=None):
        y, g = self.y if y is None else y, self.g if g is None else g
        return self.fair.fit(self.X, y, sensitive_features=g)

    def test_a_sensitive_column_that_does_not_exist_is_refused(self):
        with self.assertRaisesRegex(dp2dp.OptionError, "not both"):
            self.fair.set_params(sensitive_column=0)
            self.fit()
        with self.assertRaisesRegex(dp2dp.OptionError, "'sex' is a name, but X has no column"):
            self.fair.set_params(sensitive_column="sex").fit(self.X, self.y)
        with self.assertRaisesRegex(dp2dp.OptionError, "must be a column of X"):
            self.fair.set_params(sensitive_column=9).fit(self.X, self.y)

    def test_missing_values_of_a_sensitive_column_with_cuts_are_refused(self):
        self.X[3, 1] = np.nan
        self.fair.set_params(sensitive_column=1, sensitive_cuts=[0], groups=None)
        with self.assertRaisesRegex(ValueError, "NaN"):
            self.fair.fit(self.X, self.y)

    def test_values_outside_the_public_lists_are_refused_with_their_row(self):
        strange = np.where(np.arange(300) == 12, 5, 0)
        for given, name, reason in (
            (dict(g=strange), "groups", "unknown-group"),
            (dict(y=strange), "classes", "unknown-level"),
        ):
            words = f"row 13: .* {name} .* not one of the 2"
            with self.assertRaisesRegex(dp2dp.DataError, words) as caught:
                self.fit(**given)
            self.assertEqual((caught.exception.reason, caught.exception.row), (reason, 13))

    def test_a_group_unseen_at_prediction_is_refused_or_gets_the_plain_decision(self):
        self.fit()
        with self.assertRaisesRegex(dp2dp.DataError, "row 1:"):
            self.fair.predict(self.X, sensitive_features=self.g + 9)
        self.fair.set_params(unknown_group="base")
        plain = self.fair.estimator_.predict(self.X)
        np.testing.assert_array_equal(
            self.fair.predict(self.X, sensitive_features=self.g + 9), plain
        )

    def test_what_is_not_fitted_says_so(self):
        for estimator in (
            self.fair,
            PrivateLogisticRegression(**SEEDED),
            DP2DPClassifier(**SEEDED),
        ):
            with self.assertRaises(NotFittedError):
                estimator.predict(self.X)
        with self.assertRaises(NotFittedError):
            FairPostProcessor(LogisticRegression(), prefit=True, **SEEDED).fit(
                self.X, sensitive_features=self.g
            )

    def test_a_budget_has_to_be_chosen(self):
        with self.assertRaises(TypeError):
            FairPostProcessor(LogisticRegression())
        with self.assertRaisesRegex(dp2dp.OptionError, "epsilon and delta must be chosen"):
            FairPostProcessor(LogisticRegression(), epsilon=None, **PUBLIC).fit(
                self.X, self.y, sensitive_features=self.g
            )

    def test_lists_that_are_none_and_words_that_do_not_exist_are_refused(self):
        for options, words in (
            (dict(groups=0), "groups must be a list"),
            (dict(classes="01"), "classes must be a list"),
            (dict(groups=[0, 0, 1]), "two groups are the same when written as text"),
            (dict(unknown_group="guess"), "unknown_group must be 'refuse' or 'base'"),
            (dict(pool_fraction=1.5), "pool_fraction must be between 0 and 1"),
        ):
            for estimator in self.both():
                with self.subTest(options=options, estimator=type(estimator).__name__):
                    with self.assertRaisesRegex(dp2dp.OptionError, words):
                        estimator.set_params(**options)
                        estimator.fit(self.X, self.y, sensitive_features=self.g)

    def test_a_classifier_without_probabilities_is_refused(self):
        for inner in (LinearSVC(), None):
            with self.assertRaisesRegex(TypeError, "a classifier with predict_proba"):
                self.fair.set_params(estimator=inner)
                self.fit()

    def test_bounds_that_are_none_are_refused(self):
        for options, words in (
            (dict(bounds=(1, 0)), "lower must be below the upper"),
            (dict(bounds=(0, 1), data_norm=1), "not both"),
            (dict(data_norm=0), "data_norm must be a number above 0"),
            (dict(data_norm="a"), "data_norm must be a number above 0"),
            (dict(bounds=3), "each of the 4 features"),
            (dict(bounds=([0, 1], [2, 3])), "each of the 4 features"),
            (dict(bounds=(0, np.inf)), "must be finite"),
            (dict(bounds=(0, 1), norm=-1), "norm"),
        ):
            with self.subTest(options=options), self.assertRaisesRegex(ValueError, words):
                PrivateLogisticRegression(**SEEDED, classes=[0, 1], **options).fit(self.X, self.y)

    def test_names_that_are_no_features_are_refused_with_a_guess(self):
        frame = pd.DataFrame(self.X, columns=["age", "hours", "debt", "rooms"])
        frame["job"] = np.where(self.g, "clerk", "smith")
        jobs = {"job": ["clerk", "smith"]}
        bounds = {"age": (0, 9), "hours": (0, 9), "debt": (0, 9), "rooms": (0, 9)}
        wrong = {"aeg": (0, 9), **{name: bounds[name] for name in ("hours", "debt", "rooms")}}
        for options, words in (
            (dict(bounds=wrong, categories=jobs), r"'aeg'.*did you mean 'age'"),
            (dict(bounds={**bounds, "aeg": (0, 9)}, categories=jobs), r"did you mean 'age'"),
            (dict(bounds={**bounds, "job": (0, 9)}, categories=jobs), r"'job'.*leave it out"),
            (dict(bounds=bounds, categories={"Jobs": ["clerk"]}), r"did you mean 'job'"),
            (dict(bounds=bounds, categories={**jobs, "jbo": ["a"]}), r"did you mean 'job'"),
        ):
            with self.subTest(words), self.assertRaisesRegex(dp2dp.OptionError, words):
                PrivateLogisticRegression(**SEEDED, classes=[0, 1], **options).fit(frame, self.y)
        both = DP2DPClassifier(**SEEDED, classes=[0, 1], bounds=(-9, 9), sensitive_column="Job")
        with self.assertRaisesRegex(dp2dp.OptionError, "did you mean 'job'"):
            both.fit(frame, self.y)

    def test_pairs_for_two_features_are_refused_unless_only_one_reading_is_possible(self):
        X, low, high = self.X[:, :2], self.X[:, :2].min(axis=0), self.X[:, :2].max(axis=0)
        private = PrivateLogisticRegression(**SEEDED, classes=[0, 1])
        for bounds in ([(-9, 9), (-8, 8)], ((-9, -8), (9, 10)), np.array([[-9, 9], [-8, 8]])):
            with self.assertRaisesRegex(dp2dp.OptionError, r"Pass either bounds={'x0': \(-9, "):
                private.set_params(bounds=bounds).fit(X, self.y)
        for bounds in (
            ([-8, -9], [9, 9]),
            (low, high),
            (pd.Series(low, ["x0", "x1"]), pd.Series(high, ["x0", "x1"])),
            {1: (low[1], high[1]), 0: (low[0], high[0])},
        ):
            found = json.loads(private.set_params(bounds=bounds).fit(X, self.y).schema_.text)
            least = [-8, -9] if isinstance(bounds[0], list) else low.tolist()
            self.assertEqual([column["lower"] for column in found["columns"][:2]], least)

    def test_columns_mostly_outside_their_bounds_or_lists_give_a_warning(self):
        frame = pd.DataFrame({"age": 40 + self.X[:, 0], "job": np.where(self.g, "clerk", "smith")})
        private = PrivateLogisticRegression(**SEEDED, classes=[0, 1])
        good = dict(bounds={"age": (18, 90)}, categories={"job": ["clerk", "smith"]})
        for wrong, words in (
            (dict(bounds={"age": (0, 1)}), "bounds-exceeded: .* of 'age'.*unit"),
            (dict(categories={"job": ["Clerk", "Smith"]}), "levels-unlisted: .* of 'job'.*spell"),
        ):
            with self.subTest(words), self.assertWarnsRegex(dp2dp.FairnessWarning, words):
                private.set_params(**{**good, **wrong}).fit(frame, self.y)
            for quiet in (good, {**good, **wrong, "bad_rows": "ignore"}):
                with warnings.catch_warnings(record=True) as told:
                    warnings.simplefilter("always")
                    private.set_params(bad_rows="refuse").set_params(**quiet).fit(frame, self.y)
                texts = " ".join(str(one.message) for one in told)
                self.assertNotRegex(texts, "bounds-exceeded|levels-unlisted")
            private.set_params(bad_rows="refuse")

    def told_outside(self, private, X):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            private.fit(X, self.y)
        return [str(one.message) for one in told if "bounds-exceeded" in str(one.message)]

    def test_all_columns_outside_their_bounds_are_named(self):
        X = pd.DataFrame(np.tile(self.X[:, :1], 4), columns=["a", "b", "c", "d"]).clip(-3, 3)
        X[["a", "b", "d"]] += 50
        for share in (1, 4):  # all rows, and one row in four
            frame = X.copy()
            frame.iloc[np.arange(len(X)) % share != 0] = 0.5
            private = PrivateLogisticRegression(**SEEDED, classes=[0, 1], bounds=(-9, 9))
            (text,) = self.told_outside(private, frame)
            self.assertRegex(text, r"of 'a' .*Values of 'b', 'd' are outside")

    def test_a_norm_that_most_rows_exceed_is_named(self):
        X = pd.DataFrame(self.X, columns=[f"x{j}" for j in range(self.X.shape[1])])
        X /= np.linalg.norm(X, axis=1).max()
        private = PrivateLogisticRegression(**SEEDED, classes=[0, 1], data_norm=1)
        self.assertEqual(self.told_outside(private, X), [])
        (text,) = self.told_outside(private, 3000 * X)
        count = f"data_norm=1: {len(X)} of {len(X)} rows are longer, .*'x0', .*bounds for each"
        self.assertRegex(text, count)
        (text,) = self.told_outside(private, X.assign(x0=np.where(self.y, 50, 0)))
        self.assertRegex(text, "many numbers of 'x0' are beyond")
        flat = X.assign(**{f"z{j}": 0.9 for j in range(3)})  # long rows, but no large number
        (text,) = self.told_outside(private, flat)
        self.assertNotIn("beyond", text)
        self.assertEqual(self.told_outside(private.set_params(bad_rows="ignore"), 3000 * X), [])

    def test_several_sensitive_columns_are_combined(self):
        two = np.column_stack([np.where(self.g, "f", "m"), np.where(self.X[:, 0] > 0, "a", "b")])
        fair = FairPostProcessor(
            LogisticRegression(),
            **SEEDED,
            classes=[0, 1],
            groups=["f,a", "f,b", "m,a", "m,b"],
        ).fit(self.X, self.y, sensitive_features=two)
        self.assertEqual(fair.model_.groups, ["f,a", "f,b", "m,a", "m,b"])


class EveryEstimator(unittest.TestCase):
    """The same bad input, for each estimator, in fit and in predict."""

    def setUp(self):
        self.X, self.y, self.g = labelled(300)

    def each(self):
        """The name of each estimator, and the estimator as a Bound."""
        bounds = dict(bounds=(-4, 4))
        for estimator in (
            FairPostProcessor(LogisticRegression(), **SEEDED, **PUBLIC),
            PrivateLogisticRegression(**SEEDED, **bounds, classes=[0, 1]),
            DP2DPClassifier(**SEEDED, **bounds, **PUBLIC),
        ):
            yield type(estimator).__name__, Bound(estimator)

    def refused(self, error, words, X=None, y=None, g=None):
        X, y, g = (
            own if given is None else given
            for given, own in ((X, self.X), (y, self.y), (g, self.g))
        )
        for name, bound in self.each():
            with self.subTest(name, step="fit"), self.assertRaisesRegex(error, words):
                bound.fit(X, y, g)
            if y is self.y:
                bound.fit(self.X, self.y, self.g)
                with self.subTest(name, step="predict"), self.assertRaisesRegex(error, words):
                    bound.predict(X, g)

    def test_missing_and_infinite_numbers(self):
        for value, words in ((np.nan, "NaN"), (np.inf, "infinity")):
            X = self.X.copy()
            X[3, 1] = value
            self.refused(ValueError, words, X=X)

    def test_text_and_objects_that_are_no_numbers(self):
        text = np.full(self.X.shape, "a")
        self.refused(ValueError, "could not convert|Convert your data to numeric", X=text)
        mixed = self.X.astype(object)
        mixed[2, 2] = "a"
        self.refused(ValueError, "could not convert", X=mixed)

    def test_objects_that_are_numbers_are_converted(self):
        for name, bound in self.each():
            with self.subTest(name):
                expected = bound.fit(self.X, self.y, self.g).model_.to_json()
                objects = bound.fit(self.X.astype(object), self.y, self.g)
                self.assertEqual(objects.model_.to_json(), expected)

    def test_complex_and_sparse_features(self):
        self.refused(ValueError, "[Cc]omplex", X=self.X + 1j)
        for name, bound in self.each():
            if name != "FairPostProcessor":  # it accepts what its classifier accepts
                with self.subTest(name), self.assertRaisesRegex(TypeError, "[Ss]parse"):
                    bound.fit(scipy.sparse.csr_array(self.X), self.y, self.g)

    def test_empty_flat_and_deep_tables(self):
        for X in (self.X[:0], pd.DataFrame(self.X[:0])):
            self.refused(ValueError, "Found array with 0 sample", X=X, y=self.y[:0], g=self.g[:0])
        self.refused(ValueError, "Found array with 0 feature|0 feature", X=self.X[:, :0])
        self.refused(ValueError, "Expected 2D array", X=self.X[:, 0])
        self.refused(ValueError, "dim 3", X=self.X[None])

    def test_lengths_that_differ(self):
        self.refused(ValueError, r"inconsistent numbers of samples: \[300, 299\]", y=self.y[1:])
        for name, bound in self.each():
            if name != "PrivateLogisticRegression":
                words = r"inconsistent numbers of samples: \[300, 3\]"
                with self.subTest(name), self.assertRaisesRegex(ValueError, words):
                    bound.fit(self.X, self.y, self.g[:3])

    def test_another_number_of_features_at_prediction(self):
        for name, bound in self.each():
            bound.fit(self.X, self.y, self.g)
            with self.subTest(name), self.assertRaisesRegex(ValueError, "X has 2 features, but"):
                bound.predict(self.X[:, :2], self.g)

    def test_labels_that_are_none(self):
        self.refused(ValueError, "requires y to be passed|y is None", y=Nothing)
        self.refused(ValueError, "Unknown label type: continuous", y=self.X[:, 0])
        self.refused(ValueError, "contains NaN", y=np.where(self.y, np.nan, 1.0))
        self.refused(ValueError, "1d array", y=np.column_stack([self.y, self.y]))
        self.refused(dp2dp.DataError, "row 13: .* classes", y=np.where(np.arange(300) == 12, 5, 0))

    def test_groups_that_are_none(self):
        for groups, error, words in (
            (None, dp2dp.OptionError, "pass sensitive_features, or set sensitive_column"),
            (self.g + 9, dp2dp.DataError, "row 1: .* groups .* not one of the 2"),
            (np.where(np.arange(300) == 5, None, self.g), dp2dp.DataError, "row 6: .* is missing"),
            (3, dp2dp.DataError, "must be a column"),
            ("sex", dp2dp.OptionError, "use sensitive_column"),
        ):
            for name, bound in self.each():
                if name == "PrivateLogisticRegression":
                    continue
                with self.subTest(name, words=words):
                    with self.assertRaisesRegex(error, words):
                        bound.fit(self.X, self.y, groups)
                    bound.fit(self.X, self.y, self.g)
                    with self.assertRaisesRegex(error, words):
                        bound.predict(self.X, groups)

    def test_arrays_in_any_layout_give_the_same_model(self):
        frozen = self.X.copy()
        frozen.flags.writeable = False
        layouts = (
            np.asfortranarray(self.X),
            frozen,
            np.repeat(self.X, 2, axis=0)[::2],
            self.X[::-1][::-1],
            self.X.astype(">f8"),
            self.X.tolist(),
        )
        groups = (self.g.tolist(), pd.Series(self.g), self.g[:, None], pd.DataFrame(self.g))
        for name, bound in self.each():
            expected = bound.fit(self.X, self.y, self.g).model_.to_json()
            decisions = bound.predict(self.X, self.g)
            for X, g in [(X, self.g) for X in layouts] + [(self.X, g) for g in groups]:
                with self.subTest(name):
                    self.assertEqual(bound.fit(X, self.y, g).model_.to_json(), expected)
                    np.testing.assert_array_equal(bound.predict(X, g), decisions)


class Nothing:
    """Means y=None, since None means the default y in ``refused``."""


class Bound:
    """An estimator; groups are passed on only if it has such a parameter."""

    def __init__(self, estimator):
        self.estimator = estimator
        self.takes = not isinstance(estimator, PrivateLogisticRegression)

    def groups(self, g):
        return dict(sensitive_features=g) if self.takes else {}

    def fit(self, X, y, g):
        return self.estimator.fit(X, None if y is Nothing else y, **self.groups(g))

    def predict(self, X, g):
        return self.estimator.predict(X, **self.groups(g))
