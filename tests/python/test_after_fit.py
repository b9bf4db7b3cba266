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
from people import BUDGET, SEEDED, categorical, labelled, numeric, schema

LISTS = dict(classes=[0, 1], groups=[0, 1])
LATER = {"parameters-changed", "groups-ignored"}


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

    def test_arrays_dicts_frames_and_classifiers_are_compared(self):
        X = pandas.DataFrame(self.X, columns=list("abcd"))
        low, high = pandas.Series(-4, X.columns), pandas.Series(4, X.columns)
        both = DP2DPClassifier(bounds=(low, high), **SEEDED, **LISTS)
        both.fit(X, self.y, **self.people)
        box = {name: (-4, 4) for name in X.columns}
        frame = pandas.DataFrame(box, index=["low", "high"])
        cases = [
            ("bounds", (low.copy(), high.to_numpy()), ((low, 2 * high), box, frame, None)),
            ("fit_options", None, ({"grid": 8},)),
            ("train_options", None, ({"steps": 8},)),
        ]
        for name, same, others in cases:
            before = getattr(both, name)
            for value, word in [(same, []), *((other, ["parameters-changed"]) for other in others)]:
                both.set_params(**{name: value})
                with self.subTest(name, value=value):
                    found = told(both.predict, X[:20], **self.people_of(20))
                    self.assertEqual([one for one in found if one in LATER], word)
            both.set_params(**{name: before})
        self.fair.set_params(estimator=LogisticRegression())
        self.assertIn("parameters-changed", told(self.fair.predict, self.X, **self.people))

    def people_of(self, count):
        return dict(sensitive_features=self.g[:count])

    def test_an_object_that_is_changed_in_place_may_be_that_of_another_estimator(self):
        bounds = {"a": (-4, 4)}
        X = pandas.DataFrame({"a": self.X[:, 0]})
        private = PrivateLogisticRegression(bounds=bounds, classes=[0, 1], **SEEDED)
        private.fit(X, self.y)
        bounds["a"] = (-3, 3)
        self.assertNotIn("parameters-changed", told(private.predict, X))

    def test_a_change_of_what_a_prediction_reads_is_refused(self):
        X = pandas.DataFrame(self.X, columns=list("abcd"))
        made = DP2DPClassifier(bounds=(-4, 4), **SEEDED, **LISTS)
        for name, value in dict(unaware=True, categories={"a": [1, 2]}, schema="adult").items():
            self.assert_refused(clone(made).fit(X, self.y, **self.people), X, **{name: value})
        self.assert_refused(self.fair, self.X, group_estimator=LogisticRegression())
        private = PrivateLogisticRegression(bounds=(-4, 4), classes=[0, 1], **SEEDED)
        private.fit(X, self.y).set_params(categories={"a": [1, 2]})
        with self.assertRaisesRegex(dp2dp.OptionError, "^parameters-changed: categories was"):
            private.predict(X)

    def assert_refused(self, fair, X, **changed):
        fair.set_params(**changed)
        with self.subTest(changed):
            for given in ({}, self.people):
                words = "^parameters-changed: .* was changed after fit, .*(unaware=False|=None)"
                with self.assertRaisesRegex(dp2dp.OptionError, words):
                    fair.predict(X, **given)
                with self.assertRaisesRegex(dp2dp.OptionError, words):
                    fair.report(X=X, **given)

    def test_a_schema_may_be_given_in_another_way(self):
        given = schema(numeric("a"), categorical("y", "0", "1", role="label"))
        X = pandas.DataFrame({"a": self.X[:, 0]})
        private = PrivateLogisticRegression(schema=given, **SEEDED).fit(X, self.y)
        private.set_params(schema=dp2dp.Schema(given)).predict(X)
        given = schema(numeric("a", -3, 3), categorical("y", "0", "1", role="label"))
        with self.assertRaisesRegex(dp2dp.OptionError, "^parameters-changed: schema was"):
            private.set_params(schema=dp2dp.Schema(given)).predict(X)

    def test_loaded_estimators_are_unchanged(self):
        both = DP2DPClassifier(bounds=(-4, 4), **SEEDED, **LISTS)
        both.fit(self.X, self.y, **self.people).save(self.page)
        both = DP2DPClassifier.load(self.page, **LISTS)
        self.fair.save(self.page)
        fair = FairPostProcessor.load(self.page, self.fair.estimator, **LISTS)
        for one in (both, fair, pickle.loads(pickle.dumps(fair))):
            found = told(one.predict, self.X, **self.people)
            self.assertNotIn("parameters-changed", found)

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
