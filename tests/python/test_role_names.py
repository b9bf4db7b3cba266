"""Labels and groups whose names are exchanged after the fit are told."""

import unittest
import warnings

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

from dp2dp import DP2DPClassifier, FairnessWarning, FairPostProcessor, Ledger
from people import BUDGET, SEEDED, labelled

PUBLIC = dict(SEEDED, classes=[0, 1], groups=[0, 1])


class Names(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        self.X, y, g = labelled(600)
        self.y, self.g = pd.Series(y, name="repaid"), pd.Series(g, name="male")

    def told(self, function, *args, **options):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            function(*args, **options)
        texts = [str(one.message) for one in found]
        return [text for text in texts if text.startswith("arguments-exchanged:")]

    def made(self, y, g, **more):
        yield DP2DPClassifier(bounds=(-4, 4), **PUBLIC, **more).fit(self.X, y, sensitive_features=g)
        yield FairPostProcessor(LogisticRegression(), **PUBLIC, **more).fit(
            self.X, y, sensitive_features=g
        )

    def calls(self, fair, y, g, **more):
        groups = dict(sensitive_features=g)
        yield self.told(fair.predict, self.X, **groups)
        yield self.told(fair.predict_proba, self.X, **groups)
        yield self.told(fair.certify, self.X, y, **groups, **BUDGET, ledger=Ledger())
        yield self.told(fair.report, X=self.X, y=y, **groups)
        yield self.told(fair.score, self.X, y, **groups)

    def test_exchanged_names_are_told(self):
        odds = dict(constraints="equalized_odds")
        for fair in self.made(self.g, self.y, **odds):  # exchanged in fit
            *_, certify, report, score = found = [*self.calls(fair, self.y, self.g)]
            self.assertTrue(all(found))
            for texts in (certify, report, score):
                self.assertEqual(len(texts), 2)
            words = "the groups have the name 'male'. In fit, the labels had this name, and the "
            self.assertIn(words + "groups were named 'repaid'", found[0][0])
        for fair in self.made(self.y, self.g.to_numpy(), **odds):
            groups = dict(sensitive_features=self.y.rename("repaid"))
            self.assertEqual(len(self.told(fair.predict, self.X, **groups)), 1)

    def test_a_warning_that_is_raised_comes_before_the_charge(self):
        fair, ledger = next(self.made(self.g, self.y)), Ledger()
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message="arguments-exchanged")
            with self.assertRaises(FairnessWarning):
                fair.certify(self.X, sensitive_features=self.g, **BUDGET, ledger=ledger)
        self.assertEqual(ledger.entries, [])

    def test_other_names_are_not(self):
        odds = dict(constraints="equalized_odds")
        named = [(self.y, self.g), (self.y.to_numpy(), self.g.tolist())]
        named += [(self.y.rename(None), self.g.rename("sex")), (self.y.rename(0), self.g.rename(0))]
        for y, g in named:
            for fair in self.made(y, g, **odds):
                for later in ((self.y, self.g), (self.y.rename(0), self.g.rename(1))):
                    self.assertEqual([*self.calls(fair, *later)], [[]] * 5)
        for fair in self.made(self.y.rename("same"), self.g.rename("same")):
            found = self.told(fair.predict, self.X, sensitive_features=self.g.rename("same"))
            self.assertEqual(found, [])

    def test_the_name_of_the_sensitive_column_counts(self):
        X = pd.DataFrame(np.clip(self.X, 0, 1)).add_prefix("x").assign(sex=self.g)
        fair = FairPostProcessor(LogisticRegression(), sensitive_column="sex", **PUBLIC)
        fair.fit(X, self.y)
        self.assertEqual(len(self.told(fair.score, X, X["sex"])), 1)
        self.assertEqual(self.told(fair.score, X, self.y), [])


if __name__ == "__main__":
    unittest.main()
