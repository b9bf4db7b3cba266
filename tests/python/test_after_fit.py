"""What happens to a fitted estimator: changed parameters, and arguments in the wrong place."""

import pickle
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np
import pandas
import polars
import pyarrow
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import dp2dp
from dp2dp import DP2DPClassifier, FairPostProcessor, Ledger, PrivateLogisticRegression
from people import BUDGET, SEEDED, labelled

LISTS = dict(classes=[0, 1], groups=[0, 1])


def told(function, *args, **options):
    """The names of the warnings of a call."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args, **options)
    return [str(one.message).split(":")[0] for one in found]


class AfterFit(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        self.X, self.y, self.g = labelled(1000)
        self.people = dict(sensitive_features=self.g)
        self.page = Path(self.enterContext(tempfile.TemporaryDirectory())) / "page"
        inner = LogisticRegression().fit(self.X, self.y)
        self.fair = FairPostProcessor(inner, prefit=True, rho=0.01, **SEEDED, **LISTS)
        self.fair.fit(self.X, **self.people)

    def test_parameters_that_are_changed_after_fit_are_told(self):
        both = DP2DPClassifier(bounds=(-4, 4), **SEEDED, **LISTS)
        both.fit(self.X, self.y, **self.people)
        for fair in (self.fair, both):
            for name, value in dict(rho=0.05, constraints="equal_opportunity", epsilon=2).items():
                before = getattr(fair, name)
                fair.set_params(**{name: value})
                calls = [
                    (fair.predict, (self.X,), self.people),
                    (fair.predict_proba, (self.X,), self.people),
                    (fair.score, (self.X, self.y), self.people),
                    (fair.report, (), {}),
                ]
                for function, args, given in calls:
                    with self.subTest(function.__name__, name=name):
                        found = told(function, *args, **given)
                        self.assertEqual(found.count("parameters-changed"), 1)
                fair.set_params(**{name: before})
                self.assertNotIn("parameters-changed", told(fair.predict, self.X, **self.people))
        private = PrivateLogisticRegression(bounds=(-4, 4), classes=[0, 1], **SEEDED)
        private.fit(self.X, self.y).set_params(epsilon=0.1)
        self.assertIn("parameters-changed", told(private.predict, self.X))

    def test_a_model_that_is_not_that_of_the_parameters_is_not_released(self):
        ledger = Ledger()
        self.fair.set_params(constraints="equal_opportunity", rho=0.05, ledger=ledger)
        words = "constraints and rho were changed .* constraints='demographic_parity', rho=0.01"
        with self.assertRaisesRegex(dp2dp.OptionError, words):
            self.fair.certify(self.X, self.y, **self.people, **BUDGET)
        with self.assertRaisesRegex(dp2dp.OptionError, words):
            self.fair.save(self.page)
        self.assertEqual(ledger.entries, [])
        self.fair.set_params(ledger=None).fit(self.X, self.y, **self.people).save(self.page)
        again = FairPostProcessor.load(self.page, self.fair.estimator, **LISTS)
        self.assertNotIn("parameters-changed", told(again.predict, self.X, **self.people))
        with self.assertRaisesRegex(dp2dp.OptionError, "rho was changed"):
            again.set_params(rho=0.3).save(self.page)

    def test_what_a_prediction_needs_may_change(self):
        copy = pickle.loads(pickle.dumps(self.fair))
        self.fair.set_params(unknown_group="base", bad_rows="ignore", ledger=Ledger())
        for fair in (self.fair, copy):
            self.assertNotIn("parameters-changed", told(fair.predict, self.X, **self.people))
        fresh = clone(self.fair).set_params(estimator=self.fair.estimator, groups=(0, 1))
        fresh.fit(self.X, **self.people).set_params(groups=[0, 1])
        self.assertNotIn("parameters-changed", told(fresh.predict, self.X, **self.people))

    def test_lists_of_any_library_are_compared(self):
        for make in (polars.Series, pyarrow.array, pandas.Series, pandas.Index, np.array, tuple):
            with self.subTest(make):
                fair = clone(self.fair).set_params(
                    estimator=self.fair.estimator, groups=make([0, 1]), classes=make([0, 1])
                )
                fair.fit(self.X, **self.people)
                for groups in (fair.groups, make([0, 1]), [0, 1]):
                    fair.set_params(groups=groups)
                    found = told(fair.predict, self.X, **self.people)
                    self.assertNotIn("parameters-changed", found)
                    fair.save(self.page)
                    fair.certify(self.X, **self.people, **BUDGET)
                fair.set_params(groups=make([1, 0]))
                found = told(fair.predict, self.X, **self.people)
                self.assertIn("parameters-changed", found)

    def test_parameters_that_cannot_be_compared_do_not_stop_a_prediction(self):
        class Odd:
            def __ne__(self, other):
                raise TypeError

        self.fair.set_params(positive=Odd())
        self.assertNotIn("parameters-changed", told(self.fair.predict, self.X, **self.people))

    def test_arguments_in_the_wrong_place_are_explained(self):
        words = "the path of the page: pass the test people as X="
        for wrong in (self.X, self.X.tolist()):
            with self.assertRaisesRegex(TypeError, words):
                self.fair.report(wrong)
        own = r"^FairPostProcessor\."
        with self.assertRaisesRegex(TypeError, own + "report: .*sensitive_features="):
            self.fair.report(self.X, self.y, self.g)
        with self.assertRaisesRegex(TypeError, own + "certify: .*sensitive_features="):
            self.fair.certify(self.X, self.y, self.g, **BUDGET)
        with self.assertRaisesRegex(TypeError, own + "certify: missing .* 'epsilon'"):
            self.fair.certify(self.X, **self.people)
        self.fair.report(self.page, X=self.X, y=self.y, **self.people)
        self.fair.report(str(self.page), X=self.X, y=self.y, **self.people)


if __name__ == "__main__":
    unittest.main()
