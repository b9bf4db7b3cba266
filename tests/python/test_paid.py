"""If warnings are exceptions, nothing that was charged is lost: a warning about the rows comes
before the charge, and one that comes later has the result."""

import unittest
import warnings
from unittest import mock

import numpy as np
import pandas as pd

import dp2dp
from dp2dp import (
    DP2DPClassifier,
    Ledger,
    PrivateLogisticRegression,
    _base,
    _equal_rows,
    _people_names,
    _rows_of_fit,
    _same_rows,
    _search,
    core,
)
from people import BUDGET, SCHEMA, categorical, labelled, numeric, schema, scores


class Paid(unittest.TestCase):
    def setUp(self):
        _same_rows._by_values.clear()  # other tests have the same people
        self.p, self.g = scores()
        self.ledger = Ledger()
        self.charged = dict(BUDGET, ledger=self.ledger)
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("error")

    def raises(self, name, call, *people, **options):
        with self.assertRaisesRegex(UserWarning, name) as raised:
            call(*people, **self.charged, **options)
        return raised.exception

    def test_a_fit_warns_of_its_rows_before_the_charge(self):
        labels = dict(labels=self.g, criterion="equalized_odds")
        odds = dict(labels=self.p.argmin(axis=1), criterion="equalized_odds")
        weights = np.eye(2)[self.g]
        for name, p, g, options in (
            ("scores-are-decisions", np.round(self.p), self.g, {}),
            ("scores-are-equal", self.p[:1].repeat(2000, axis=0), self.g, {}),
            ("row-sums", self.p * (1 + self.g[:, None]), self.g, {"normalize": True}),
            ("groups-are-decisions", self.p, self.p.argmax(axis=1), {}),
            ("groups-are-labels", self.p, self.g, labels),
            ("worse-than-guessing", self.p, self.g, odds),
            ("group-scores-are-groups", self.p, self.g, {"weights": weights}),
        ):
            with self.subTest(name):
                self.raises(name, core.fit, p, g, n_groups=2, **options)
                self.assertEqual(len(self.ledger.entries), 0)

    def test_a_training_warns_of_its_rows_before_the_charge(self):
        frame = pd.DataFrame({"a": np.full(2000, 7.5), "y": ["n", "y"] * 1000})
        self.raises("bounds-exceeded", core.train, SCHEMA, frame)
        ids = [f"id {at}" for at in range(2000)]
        listed = schema(categorical("id", *ids), categorical("y", "n", "y", role="label"))
        self.raises("categories-are-ids", core.train, listed, frame.assign(id=ids))
        same = frame.assign(a=0.5).set_index(pd.Index([*range(1000)] * 2, name="person"))
        self.raises("rows-repeated|one-value", core.train, SCHEMA, same)
        self.assertEqual(len(self.ledger.entries), 0)

    def made(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return core.fit(self.p, self.g, n_groups=2, **BUDGET)

    def test_a_certificate_warns_of_its_people_before_the_charge(self):
        model = self.made()
        given = self.p.copy(), self.p.argmax(axis=1)
        self.raises("groups-are-decisions", core.certify, model, *given, same_people=True)
        self.assertEqual(len(self.ledger.entries), 0)

    def test_a_later_warning_has_what_was_paid_for(self):
        found = self.raises("scores-origin", core.fit, self.p, self.g, n_groups=2)
        self.assertEqual(found.model.records, 2000)
        self.assertIn("Its result is the attribute model of this", found.__notes__[0])
        p, g = scores(300, seed=1)
        found = self.raises("group-too-small", core.certify, self.made(), p[:9], g[:9])
        self.assertEqual(found.certificate.records, 9)
        self.assertIn("group-too-small", found.certificate.warnings)
        options = dict(score_columns=["a", "b"], group_column="g", group_names=["0", "1"])
        frame = pd.DataFrame({"a": self.p[:, 0], "b": self.p[:, 1], "g": self.g})
        found = self.raises("scores-origin", core.fit_stream, frame, **options)
        self.assertEqual(found.model.records, 2000)

    def test_a_second_fit_of_the_same_rows_has_its_model(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            core.fit(self.p, self.g, n_groups=2, **BUDGET)
        warnings.filterwarnings("ignore", "scores-origin")
        found = self.raises("several-fits", core.fit, self.p, self.g, n_groups=2)
        self.assertEqual(found.model.records, 2000)

    def test_a_fit_in_a_search_has_its_model(self):
        X, y, g = labelled(600)
        lists = dict(classes=[0, 1], groups=[0, 1], bounds=(-4, 4))
        repeated = np.tile(X[:300], (2, 1))
        warnings.filterwarnings("ignore", "rates-noisy|group-too-small")
        with self.assertRaisesRegex(UserWarning, "rows-repeated") as raised:
            both = DP2DPClassifier(**lists, **self.charged)
            both.fit(repeated, y, sensitive_features=g)
        self.assertIs(raised.exception.model, both.model_)
        self.assertEqual(both.predict(X, sensitive_features=g).shape, (600,))
        alone = PrivateLogisticRegression(bounds=(-4, 4), classes=[0, 1], **self.charged)
        with self.assertRaisesRegex(UserWarning, "rows-repeated") as raised:
            alone.fit(repeated, y)
        self.assertIs(raised.exception.model, alone.model_)

    def test_a_warning_that_is_raised_does_not_stop_the_count_of_the_fits(self):
        self.raises("scores-origin", core.fit, self.p, self.g, n_groups=2)
        warnings.filterwarnings("ignore", "scores-origin")
        self.raises("several-fits: 2 fits", core.fit, self.p, self.g, n_groups=2)


class Numbers(unittest.TestCase):
    """Scores such as 1e-50, which a float32 cannot hold, while numpy raises its errors."""

    def setUp(self):
        self.p, self.g = scores()
        self.p[:50] = [1 - 1e-50, 1e-50]
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        self.enterContext(np.errstate(all="raise"))

    def test_what_was_paid_is_not_lost(self):
        model = core.fit(self.p, self.g, n_groups=2, **BUDGET)
        self.assertEqual(model.records, 2000)
        found = core.certify(model, self.p[::-1].copy(), self.g, **BUDGET)
        self.assertEqual(found.records, 2000)

    def test_what_serves_only_a_warning_may_fail(self):
        def short(*args, **options):
            raise MemoryError

        X, y, g = labelled(600)
        both = DP2DPClassifier(bounds=(-4, 4), classes=[0, 1], groups=[0, 1], **BUDGET)
        frame = pd.DataFrame({"a": self.p[:, 0], "y": ["n", "y"] * 1000})
        for module, name in (
            (_equal_rows, "look"),
            (_rows_of_fit, "places_of"),
            (_same_rows, "_memory_of"),
            (_people_names, "places_of"),
            (_base, "say_copies"),
            (_base, "note_parameters"),
            (_search, "_epsilon"),
        ):
            with self.subTest(name), mock.patch.object(module, name, short):
                if module is not _rows_of_fit:  # what is said before the charge may fail
                    model = core.fit(self.p, self.g, n_groups=2, **BUDGET)
                    found = core.certify(model, self.p, self.g, same_people=True, **BUDGET)
                    self.assertEqual((model.records, found.records), (2000, 2000))
                core.train(SCHEMA, frame, **BUDGET)
                both.fit(X, y, sensitive_features=g)
                self.assertGreater(both.model_.records, 0)


class Table(unittest.TestCase):
    def test_a_value_that_is_missing_anywhere_is_refused_before_the_charge(self):
        X, y, g = labelled(600)
        frame = pd.DataFrame({"a": X[:, 0], "j": np.array(["a", "b"])[np.arange(600) % 2]})
        columns = numeric("a"), categorical("j", "a", "b")
        label = categorical("y", "0", "1", role="label")
        for given in (
            dict(categories={"j": ["a", "b"]}, bounds={"a": (-4, 4)}, classes=[0, 1]),
            dict(schema=schema(*columns, label)),
        ):
            for column, odd in (("j", None), ("a", np.nan)):
                for row in range(6):
                    bad, ledger = frame.copy(), Ledger()
                    bad[column] = bad[column].astype(object)
                    bad.at[row, column] = odd
                    both = DP2DPClassifier(
                        **BUDGET, **given, groups=[0, 1], ledger=ledger, insecure_seed=3
                    )
                    with self.subTest(column, odd=odd, row=row):
                        with self.assertRaisesRegex(dp2dp.DataError, f"^row {row + 1}[:,]"):
                            both.fit(bad, y, sensitive_features=g)
                        self.assertEqual(len(ledger.entries), 0)

    def test_a_class_of_the_pool_alone_is_refused_before_the_charge(self):
        X, y, g = labelled(600)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for row in range(6):
                ledger, rare = Ledger(), y.copy()
                rare[row] = 7
                both = DP2DPClassifier(
                    **BUDGET, bounds=(-4, 4), groups=[0, 1], ledger=ledger, insecure_seed=3
                )
                try:
                    both.fit(X, rare, sensitive_features=g)
                except dp2dp.DataError as error:
                    self.assertEqual((error.row, len(ledger.entries)), (row + 1, 0))
                else:
                    self.assertEqual(both.classes_.tolist(), [0, 1, 7])

    def test_a_rule_that_cannot_be_fitted_charges_no_training(self):
        X, y, g = labelled(600)
        given = dict(BUDGET, bounds=(-4, 4), classes=[0, 1], groups=[0, 1])
        apart, same = dict(budget=(1.1, 1e-5)), dict(budget=(0.9, 1e-5), pool="same")
        for wrong in (
            dict(rho=2),
            dict(solver="newton"),
            dict(fit_options={"steps": -4}),
            dict(fit_options={"nope": 1}),
            apart,
            same,
        ):
            ledger = Ledger()
            with self.subTest(wrong):
                with self.assertRaises((ValueError, TypeError, dp2dp.BudgetError)):
                    DP2DPClassifier(**given, **wrong, ledger=ledger).fit(X, y, sensitive_features=g)
                self.assertEqual(len(ledger.entries), 0)
        enough = dict(pool="same", budget=(1.0, 1e-5), ledger=Ledger())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = DP2DPClassifier(**given, **enough).fit(X, y, sensitive_features=g)
        self.assertLessEqual(made.model_.epsilon, 1)


if __name__ == "__main__":
    unittest.main()
