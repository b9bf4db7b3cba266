"""Columns that a scaler was fitted on are told, in a fit and in predictions for other rows."""

import unittest
import warnings
from importlib.util import find_spec

import numpy as np
import pandas as pd
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import dp2dp
from dp2dp import DP2DPClassifier, PrivateLogisticRegression, core
from people import BUDGET, categorical, labelled, numeric, schema


def told(word, function, *args, **options):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args, **options)
    return [str(one.message) for one in found if str(one.message).startswith(word + ":")]


class Scaled(unittest.TestCase):
    def setUp(self):
        self.X, self.y, self.g = labelled(2000)
        self.X[:, 3] = self.X[:, 3] > 0
        self.X[:, 2] = np.round(9 * self.X[:, 2])

    def fitted(self, X, bounds=(-9, 9), **options):
        given = dict(BUDGET, bounds=bounds, classes=[0, 1]) | options
        both = DP2DPClassifier(**given, groups=[0, 1])
        words = "transformer-not-private"
        found = told(words, PrivateLogisticRegression(**given).fit, X, self.y)
        again = told(words, both.fit, X, self.y, sensitive_features=self.g)
        self.assertEqual(len(found), len(again))
        return found, both

    def test_a_fit_of_columns_that_were_scaled_on_its_rows_is_told(self):
        for X in (
            StandardScaler().fit_transform(self.X),
            (self.X - self.X.mean(0)) / self.X.std(0, ddof=1),
        ):
            (text,), _ = self.fitted(X)
            self.assertIn("has exactly the mean 0 and the standard deviation 1 in these rows", text)
            self.assertIn("do not publish the warning", text)
            self.assertEqual(self.fitted(X, bad_rows="ignore")[0], [])
        scaled = MinMaxScaler().fit_transform(self.X)
        (text,), _ = self.fitted(scaled, (0, 1))
        self.assertIn("every numeric column has exactly its bounds", text)

    def test_other_columns_are_not_told(self):
        scaler = StandardScaler().fit(self.X[:1000])
        clipped = np.clip(self.X / 4, 0, 1)
        few = np.random.default_rng(0).integers(0, 11, (2000, 3)) / 10
        coded = np.where(np.arange(8000).reshape(2000, 4) % 2, 1.0, -1.0)
        for X, bounds in ((self.X, (-99, 99)), (scaler.transform(self.X), (-9, 9))):
            self.assertEqual(self.fitted(X, bounds)[0], [])
        for X, bounds in ((clipped, (0, 1)), (few, (0, 1)), (coded, (-1, 1))):
            self.assertEqual(self.fitted(X, bounds)[0], [])

    @unittest.skipUnless(find_spec("pyarrow"), "frames need pyarrow for an Arrow stream")
    def test_a_training_on_a_frame_tells_before_the_charge(self):
        X = StandardScaler().fit_transform(self.X[:, :2])
        frame = pd.DataFrame(X, columns=["a", "b"]).assign(y=self.y.astype(str))
        label = categorical("y", "0", "1", role="label")
        given = schema(numeric("a", -9, 9), numeric("b", -9, 9), label)
        ledger = dp2dp.Ledger()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaisesRegex(UserWarning, "transformer-not-private"):
                core.train(given, frame, ledger=ledger, **BUDGET)
        self.assertEqual(len(ledger), 0)

    def test_a_scaler_that_was_fitted_again_is_told_at_predict(self):
        scaler = StandardScaler().fit(self.X[:1000])
        _, both = self.fitted(scaler.transform(self.X))
        others, _, groups = labelled(500, seed=1)
        others[:, 3] = others[:, 3] > 0
        given = dict(sensitive_features=groups)
        (text,) = told("scaled-anew", both.predict, StandardScaler().fit_transform(others), **given)
        self.assertIn("Use the scaler of the fit", text)
        self.assertEqual(told("scaled-anew", both.predict, scaler.transform(others), **given), [])
        both.set_params(bad_rows="ignore")
        anew = StandardScaler().fit_transform(others)
        self.assertEqual(told("scaled-anew", both.predict, anew, **given), [])
        X = StandardScaler().fit_transform(self.X)
        both = self.fitted(X)[1]
        rows = dict(sensitive_features=self.g)
        self.assertEqual(told("scaled-anew", both.predict, X.copy(), **rows), [])


if __name__ == "__main__":
    unittest.main()
