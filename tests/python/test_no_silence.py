"""What would give a wrong answer in silence is refused, or said."""

import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import dp2dp
from dp2dp.estimators import DP2DPClassifier, FairPostProcessor, PrivateLogisticRegression

PUBLIC = {"epsilon": 1, "delta": 1e-5, "classes": [0, 1], "groups": ["f", "m"]}
FREE = {"scores_epsilon": 0, "scores_delta": 0}


def quietly(function, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **options)


def told(function, *args, **options):
    """The warnings of a call, as one text."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args, **options)
    return "\n".join(str(one.message) for one in found)


class NoSilence(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(0)
        self.s = pd.Series(rng.choice(["f", "m"], 2000))
        self.X = rng.normal(size=(2000, 3)) + (self.s == "m").to_numpy()[:, None]
        self.y = pd.Series((self.X.sum(axis=1) + rng.normal(size=2000) > 1).astype(int))
        self.classifier = LogisticRegression().fit(self.X, self.y)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def prefit(self, **options):
        return FairPostProcessor(self.classifier, prefit=True, **{**PUBLIC, **FREE, **options})

    def fitted(self, estimator):
        return quietly(estimator.fit, self.X, self.y, sensitive_features=self.s)

    def test_a_fit_that_fails_leaves_the_fit_before_it(self):
        limited = {"budget": (1.7, 1e-5)}
        for number, estimator in enumerate(
            (
                self.prefit(budget=(1.2, 1e-5)),
                FairPostProcessor(
                    PrivateLogisticRegression(
                        epsilon=1, delta=1e-5, bounds=(-5, 6), classes=[0, 1]
                    ),
                    **{**PUBLIC, **limited},
                ),
                DP2DPClassifier(bounds=(-5, 6), **PUBLIC, **limited),
            )
        ):
            with self.subTest(type(estimator).__name__, number=number):
                estimator.set_params(ledger=str(self.folder / f"{number}.json"))
                self.fitted(estimator)
                before = {k: v for k, v in vars(estimator).items() if k.endswith("_")}
                estimator.set_params(groups=["m", "f"])
                with self.assertRaises(dp2dp.BudgetError):
                    quietly(estimator.fit, self.X, self.y, sensitive_features=self.s)
                after = {k: v for k, v in vars(estimator).items() if k.endswith("_")}
                self.assertEqual(before.keys(), after.keys())
                self.assertTrue(all(after[name] is before[name] for name in before))

    def test_a_training_that_fails_leaves_the_one_before_it(self):
        estimator = PrivateLogisticRegression(
            epsilon=1, delta=1e-5, bounds=(-5, 6), classes=[0, 1]
        ).fit(self.X, self.y)
        estimator.set_params(classes=[1, 0, 2], method="unknown")
        with self.assertRaises(dp2dp.OptionError):
            quietly(estimator.fit, self.X[:, :2], self.y)
        self.assertEqual(estimator.classes_.tolist(), [0, 1])
        self.assertEqual(estimator.predict(self.X).shape, (2000,))


if __name__ == "__main__":
    unittest.main()
