"""With bad_rows="ignore", no exception and no warning comes from a record: neither from a label or
an id that is missing, nor from a classifier inside an estimator."""

import unittest
import warnings

import numpy as np
import pandas as pd
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import dp2dp
from dp2dp import DP2DPClassifier, FairPostProcessor, PrivateLogisticRegression
from dp2dp._arrays import codes_or_bad, ids_or_bad
from dp2dp._validation import check_y, codes_of, group_values
from people import SEEDED, fitted, labelled, scores
from test_bad_rows import shown

IGNORE = {"bad_rows": "ignore"}
BAD = slice(0, 30)


class Ignored(unittest.TestCase):
    def setUp(self):
        self.X, self.y, self.g = labelled(2000)
        self.public = dict(**SEEDED, classes=[0, 1])
        self.both = dict(**self.public, groups=[0, 1])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.private = PrivateLogisticRegression(bounds=(-4, 4), **self.public)
            self.private.fit(self.X, self.y)
            self.plain = LogisticRegression().fit(self.X, self.y)

    def columns(self, values):
        """The values with some missing, as every kind of column."""
        hidden = np.zeros(len(values), dtype=bool)
        hidden[BAD] = True
        floats = np.where(hidden, np.nan, values)
        yield "NaN", floats
        yield "masked", np.ma.masked_array(values, hidden)
        yield "masked floats", np.ma.masked_array(floats, hidden)
        yield "nullable", pd.Series(values, dtype="Int64").mask(pd.Series(hidden))
        yield "categorical", pd.Series(floats).astype("category")
        for word, one in (("None", None), ("NA", pd.NA), ("text", "x")):
            objects = np.asarray(values).astype(object)
            objects[BAD] = one
            yield word, objects

    def estimators(self):
        inner = PrivateLogisticRegression(bounds=(-4, 4), **self.public)
        odds = dict(**self.both, **IGNORE, constraints="equalized_odds")
        yield DP2DPClassifier(bounds=(-4, 4), **odds)
        yield FairPostProcessor(self.plain, prefit=True, **odds)
        yield FairPostProcessor(LogisticRegression(), **odds)
        yield FairPostProcessor(inner, **odds)

    def test_a_missing_label_shows_nowhere(self):
        groups = {"sensitive_features": self.g}
        for estimator in self.estimators():

            def model_of(y, estimator=estimator):
                estimator.__dict__.pop("_family", None)  # fits are counted, whatever is in them
                return estimator.fit(self.X, y, **groups).model_

            _, expected = shown(model_of, self.y)
            for word, y in self.columns(self.y):
                with self.subTest(type(estimator).__name__, column=word):
                    found = shown(model_of, y)[1]
                    for facts in (found[0], expected[0]):  # of the noisy tables
                        facts["rule"]["criterion"].pop("tolerance", None)
                    self.assertEqual(found, expected)

    def test_a_text_in_a_list_of_labels_or_groups_leaves_others_as_they_are(self):
        for bad in ("x", b"x", 10**400, np.nan):
            labels, groups = self.y.tolist(), self.g.tolist()
            labels[0] = groups[1] = bad
            with self.subTest(bad=repr(bad)[:9]):
                found = check_y(None, self.X, labels, [0, 1], ignore=True)
                codes = codes_of(found, np.array([0, 1]), "classes", unknown="ignore")
                np.testing.assert_array_equal(codes, [-1, *self.y[1:]])
                codes = codes_of(group_values(groups), np.array([0, 1]), "x", unknown="ignore")
                np.testing.assert_array_equal(np.delete(codes, 1), np.delete(self.g, 1))
                self.assertEqual(codes[1], -1)
                codes = codes_or_bad(groups)
                np.testing.assert_array_equal(np.delete(codes, 1), np.delete(self.g, 1))
                self.assertEqual(codes[1], -1)

    def test_an_id_that_no_text_can_hold_leaves_others_as_they_are(self):
        large = [2**60 + i for i in range(50)]
        expected = ids_or_bad(large)[0]
        for bad in ("\ud800", 10**5000, b"x", np.nan, 0.5, None):
            found, left_out = ids_or_bad([bad, *large[1:]])
            with self.subTest(bad=repr(bad)[:9] if bad != 10**5000 else "long"):
                self.assertEqual(np.flatnonzero(left_out).tolist(), [0])
                np.testing.assert_array_equal(found[1:], expected[1:])

    def test_a_bad_label_leaves_the_number_of_rows_of_a_declared_estimator(self):
        class Counting(LogisticRegression):
            def fit(self, X, y, **given):
                self.seen_ = len(X)
                return super().fit(X, y, **given)

        declared = dict(scores_epsilon=1, scores_delta=1e-5, **self.both, **IGNORE)
        labels = np.where(np.arange(2000) < 30, np.nan, self.y)
        private = PrivateLogisticRegression(
            bounds=(-4, 4), **{**self.public, "insecure_seed": None}
        )
        for estimator in (Counting(), private):
            seen = []
            for y in (self.y, labels):
                fair = FairPostProcessor(estimator, **declared)
                fair.fit(self.X, y, sensitive_features=self.g)
                seen.append(getattr(fair.estimator_, "seen_", 1400))
            self.assertEqual(seen, [1400, 1400])

    def test_a_text_in_a_column_of_objects_is_a_bad_row_and_never_shown(self):
        p, g = scores()
        objects = pd.Series(g.tolist()).astype(object)
        objects[3] = "secret"
        free = dict(epsilon=None, delta=None, solver="exact")
        found = fitted(p, objects, **free, **IGNORE)
        others = fitted(p, np.where(np.arange(2000) == 3, -1, g), **free, **IGNORE)
        np.testing.assert_array_equal(found.offsets, others.offsets)
        with self.assertRaises(dp2dp.DataError) as raised:
            fitted(p, objects)
        self.assertNotIn("secret", str(raised.exception))

    def test_a_missing_label_is_refused_otherwise(self):
        fair = FairPostProcessor(LogisticRegression(), **self.both)
        for word, y in self.columns(self.y):
            with self.subTest(word), self.assertRaises((ValueError, TypeError)):
                fair.fit(self.X, y, sensitive_features=self.g)

    def test_a_group_that_cannot_be_cut_shows_nowhere(self):
        public = dict(**self.public, sensitive_cuts=[0.5], prefit=True)

        def model_of(g):
            fair = FairPostProcessor(self.plain, **public, **IGNORE)
            return fair.fit(self.X, sensitive_features=g).model_

        _, expected = shown(model_of, self.g)
        for word, g in self.columns(self.g):
            with self.subTest(word):
                self.assertEqual(shown(model_of, g)[1], expected)
        texts = np.array(["secret-value", *self.g.tolist()[1:]], dtype=object)
        with self.assertRaisesRegex(dp2dp.DataError, "cuts numbers") as raised:
            FairPostProcessor(self.plain, **public).fit(self.X, sensitive_features=texts)
        self.assertNotIn("secret", str(raised.exception))

    def test_a_private_classifier_inside_tells_nothing(self):
        far = np.where(np.arange(2000)[:, None] < 1500, 100.0, self.X)
        missing = self.X.copy()
        missing[BAD, 2] = np.nan
        inner = PrivateLogisticRegression(bounds=(-4, 4), **self.public)
        prefit = {"prefit": True, "same_people": True}
        for given, options, rows in (
            (inner, {}, (far, missing)),
            (inner.set_params(classes=None), {}, (far, missing)),
            (make_pipeline(inner.set_params(classes=[0, 1])), {}, (far,)),
            (self.private, prefit, (far, missing)),
            (FrozenEstimator(self.private), prefit, (far, missing)),
        ):

            def model_of(X, given=given, options=options):
                fair = FairPostProcessor(given, **self.both, **IGNORE, **options)
                fair.fit(X, self.y, sensitive_features=self.g)
                return fair.model_

            _, expected = shown(model_of, self.X)
            for X in rows:
                with self.subTest(type(given).__name__):
                    told = [one for one in shown(model_of, X)[1][2] if "several-fits" not in one]
                    self.assertEqual(told, expected[2])
        self.assertEqual(inner.bad_rows, "refuse")

    def test_a_certificate_of_a_private_classifier_inside_tells_nothing(self):
        given = dict(**self.both, prefit=True, same_people=True)
        fair = FairPostProcessor(self.private, **given)
        fair.fit(self.X, sensitive_features=self.g)
        X = self.X.copy()
        X[BAD, 2] = np.nan
        groups = dict(sensitive_features=self.g, same_people=True, epsilon=1, delta=1e-5)
        fair.certify(X, **groups, **IGNORE)
        with self.assertRaisesRegex(ValueError, "NaN"):
            fair.certify(X, **groups)

    def test_a_missing_id_shows_nowhere(self):
        p, g = scores()
        options = dict(dither=0.1, dither_key="id", **IGNORE)
        number = np.arange(2000)
        _, expected = shown(fitted, p, g, ids=number, **options)
        without = g.copy()
        without[BAD] = -1
        free = dict(epsilon=None, delta=None, solver="exact")
        others = fitted(p, without, ids=number, **{**options, **free})
        for word, ids in self.columns(number):
            if word == "text":
                continue  # a text is an id
            with self.subTest(word):
                with self.assertRaisesRegex(dp2dp.DataError, "none may be missing"):
                    fitted(p, g, ids=ids, **{**options, "bad_rows": "refuse"})
                self.assertEqual(shown(fitted, p, g, ids=ids, **options)[1], expected)
                exact = fitted(p, g, ids=ids, **{**options, **free})
                np.testing.assert_array_equal(exact.offsets, others.offsets)


class Empty(unittest.TestCase):
    setUp = Ignored.setUp

    def told(self, estimator, y=None):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            y = self.y if y is None else y
            groups = {"sensitive_features": self.g} if hasattr(estimator, "groups") else {}
            estimator.fit(self.X, y, **groups)
        lines = [str(one.message) for one in found]
        return [line for line in lines if line.startswith("empty-class")]

    def test_a_listed_class_that_nobody_has_is_told(self):
        more = {"classes": [0, 1, 7]}
        private = PrivateLogisticRegression(bounds=(-4, 4), **{**self.public, **more})
        for estimator in (
            private,
            FairPostProcessor(private, **{**self.both, **more}),
            DP2DPClassifier(bounds=(-4, 4), **{**self.both, **more}),
            FairPostProcessor(LogisticRegression(), **{**self.both, **more}),
        ):
            with self.subTest(type(estimator).__name__):
                private.set_params(classes=[0, 1, 7])
                (line,) = self.told(estimator)
                self.assertIn("the list of classes has 7", line)
                self.assertIn("do not publish the ", line)
                self.assertEqual(self.told(estimator.set_params(bad_rows="ignore")), [])
                private.set_params(classes=[0, 1])
                estimator.set_params(bad_rows="refuse", classes=[0, 1])
                self.assertEqual(self.told(estimator), [])

    def test_a_listed_class_that_a_fitted_classifier_lacks_is_told(self):
        fair = FairPostProcessor(self.plain, prefit=True, **{**self.both, "classes": [0, 1, 7]})
        (line,) = self.told(fair)
        self.assertIn("the list of classes has 7", line)
        self.assertEqual(self.told(fair.set_params(classes=[0, 1])), [])


if __name__ == "__main__":
    unittest.main()
