"""The classifier inside a DP2DPClassifier takes the columns of a frame as one that was fitted on
its own does: by name, never by position."""

import os
import tempfile
import unittest
import warnings

import numpy as np
import pandas as pd

from dp2dp import DP2DPClassifier, PrivateLogisticRegression, Schema, core
from people import SEEDED

BOUNDS = {"verbal": (0, 100), "math": (0, 100)}
PUBLIC = dict(**SEEDED, classes=["no", "yes"], groups=["f", "m"])


class Inner(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        rng = np.random.default_rng(0)
        self.frame = pd.DataFrame(
            {
                "verbal": rng.uniform(0, 100, 3000),
                "math": rng.uniform(0, 100, 3000),
                "sex": rng.choice(["f", "m"], 3000),
            }
        )
        self.y = np.where(self.frame.math + rng.normal(0, 10, 3000) > 50, "yes", "no")
        self.X = self.frame[["verbal", "math"]]
        self.path = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "model.json")

    def schema(self, frame):
        lists = {"sex": ["f", "m"], "y": ["no", "yes"]}
        return Schema.from_frame(
            frame.assign(y=self.y), label="y", sensitive="sex", bounds=(0, 100), categories=lists
        )

    def whole(self):
        """Estimators that were fitted on a frame, in all the ways to state groups and features."""
        given = dict(bounds=BOUNDS, **PUBLIC)
        beside = {"sensitive_features": self.frame.sex}
        yield DP2DPClassifier(schema=self.schema(self.frame), **SEEDED).fit(self.frame, self.y)
        mixed = self.frame[["sex", "math", "verbal"]]
        yield DP2DPClassifier(schema=self.schema(mixed), **SEEDED).fit(self.frame, self.y)
        yield DP2DPClassifier(**given).fit(self.X, self.y, **beside)
        yield DP2DPClassifier(sensitive_column="sex", **given).fit(self.frame, self.y)
        yield DP2DPClassifier(unaware=True, **given).fit(self.X, self.y, **beside)

    def probabilities(self, estimator):
        p = core.score(estimator.model_, self.frame).scores.astype(float)
        return p / p.sum(axis=1, keepdims=True)

    def test_a_reordered_frame_is_refused(self):
        for both in self.whole():
            inner = both.classifier_
            self.assertEqual(inner.feature_names_in_.tolist(), ["verbal", "math"])
            self.assertEqual(inner.n_features_in_, 2)
            with self.assertRaisesRegex(ValueError, "same order"):
                inner.predict_proba(self.X[["math", "verbal"]])
            with self.assertRaisesRegex(ValueError, "yet now missing"):
                inner.predict_proba(self.X[["math"]])

    def test_a_frame_is_read_with_and_without_the_group(self):
        for both in self.whole():
            expected = self.probabilities(both)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                for frame in (self.X, self.frame, self.frame[["sex", "verbal", "math"]]):
                    found = both.classifier_.predict_proba(frame)
                    np.testing.assert_allclose(found, expected, rtol=1e-6)

    def test_a_loaded_classifier_finds_its_features_by_name(self):
        for both in self.whole():
            both.save(self.path)
            inner = DP2DPClassifier.load(self.path).classifier_
            expected = self.probabilities(both)
            self.assertEqual(inner.n_features_in_, 2)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                for frame in (self.X, self.frame, self.X[["math", "verbal"]]):
                    found = inner.predict_proba(frame)
                    np.testing.assert_allclose(found, expected, rtol=1e-6)
            with self.assertRaisesRegex(ValueError, "yet now missing"):
                inner.predict_proba(self.X[["math"]])

    def test_a_loaded_classifier_that_is_fitted_again_has_the_columns_of_that_fit(self):
        given = dict(**SEEDED, classes=["no", "yes"])
        PrivateLogisticRegression(bounds=BOUNDS, **given).fit(self.X, self.y).save(self.path)
        again = PrivateLogisticRegression.load(self.path, **given).fit(self.X, self.y)
        with self.assertRaisesRegex(ValueError, "same order"):
            again.predict_proba(self.X[["math", "verbal"]])

    def test_an_array_gives_no_warning(self):
        X = self.X.to_numpy()
        both = DP2DPClassifier(bounds=(0, 100), **PUBLIC)
        both.fit(X, self.y, sensitive_features=self.frame.sex).save(self.path)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for inner in (both.classifier_, DP2DPClassifier.load(self.path).classifier_):
                self.assertFalse(hasattr(inner, "feature_names_in_"))
                self.assertEqual(inner.predict_proba(X).shape, (3000, 2))
                with self.assertRaisesRegex(ValueError, "expecting 2 features"):
                    inner.predict_proba(X[:, :1])

    def test_columns_with_numbers_as_names_are_found_by_name(self):
        numbered = self.X.set_axis([1, 0], axis=1)
        schema = Schema.from_frame(
            self.X.set_axis(["1", "0"], axis=1).assign(y=self.y),
            label="y",
            bounds=(0, 100),
            categories={"y": ["no", "yes"]},
        )
        one = PrivateLogisticRegression(schema=schema, **SEEDED).fit(numbered, self.y)
        np.testing.assert_array_equal(
            one.predict_proba(numbered[[0, 1]]), one.predict_proba(numbered)
        )


if __name__ == "__main__":
    unittest.main()
