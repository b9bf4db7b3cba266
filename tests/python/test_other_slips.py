"""Arguments that are probably exchanged, in another unit or in the wrong place name the cause."""

import tempfile
import unittest
import warnings

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import dp2dp
from dp2dp import FairPostProcessor, PrivateLogisticRegression, core, metrics
from people import BUDGET, fitted, forget, labelled, scores

PUBLIC = dict(classes=[0, 1], groups=[0, 1], scores_epsilon=0, scores_delta=0)


def told(function, *args, **options):
    """The warnings of a call, as one text."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args, **options)
    return "\n".join(str(one.message) for one in found)


def quiet(function, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **options)


class OfCore(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.p, cls.g = scores(4000)
        cls.sure = np.eye(2)[cls.p.argmax(axis=1)]
        cls.model = quiet(fitted, cls.p, cls.g)

    def refused(self, words, function, *args, **options):
        with self.assertRaisesRegex((dp2dp.DataError, dp2dp.OptionError), words):
            quiet(function, *args, **options)

    def test_a_dict_is_no_list_of_names(self):
        given = dict(BUDGET, group_names={"m": 1, "w": 0})
        self.refused("must be a list .* not {'m': 1", core.fit, self.p, self.g, **given)
        given = dict(BUDGET, n_groups=2, class_names={0: "no", 1: "yes"})
        self.refused("must be a list .* not {0: 'no'", core.fit, self.p, self.g, **given)

    def test_decisions_as_scores_are_told_after_the_fit_too(self):
        word, model = "scores-are-decisions", self.model
        self.assertIn(word, told(model.predict, self.sure, self.g))
        self.assertIn(word, told(core.certify, model, self.sure, self.g, **BUDGET))
        self.assertNotIn(word, told(model.predict, self.sure[:19], self.g[:19]))
        self.assertNotIn(word, told(model.predict, self.p, self.g))
        self.assertNotIn(word, told(core.certify, model, self.p, self.g, **BUDGET))
        for silent in (dict(bad_rows="ignore"), dict(leaves_out=True)):
            found = told(core.certify, model, self.sure, self.g, **BUDGET, **silent)
            self.assertNotIn(word, found)

    def test_a_certificate_tells_of_decisions_before_it_charges(self):
        ledger = dp2dp.Ledger()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", message="scores-are-decisions")
            with self.assertRaises(dp2dp.FairnessWarning):
                core.certify(self.model, self.sure, self.g, ledger=ledger, **BUDGET)
        self.assertEqual(ledger.entries, [])

    def test_labels_that_count_from_1_are_explained(self):
        labels = self.p.argmax(axis=1)
        given = dict(n_groups=2, criterion="equalized_odds", **BUDGET)
        words = "label is not one of the classes. Codes count from 0: .* 2 classes are 0 and 1"
        self.refused(words, core.fit, self.p, self.g, labels=labels + 1, **given)
        with self.assertRaisesRegex(dp2dp.DataError, "not one of the classes$"):
            quiet(core.fit, self.p, self.g, labels=np.where(labels, 7, 0), **given)

    def test_percentages_are_named(self):
        words = "divide percentages by 100 first"
        self.refused(words, core.fit, 100 * self.p, self.g, n_groups=2, **BUDGET)
        self.refused(words, core.certify, self.model, 100 * self.p, self.g, **BUDGET)
        self.refused(words, self.model.predict, 100 * self.p, self.g)
        self.refused(words, self.model.adjust, 100 * self.p, self.g)
        with self.assertRaisesRegex(dp2dp.DataError, "^((?!percent).)*$") as caught:
            self.model.predict(3 * self.p, self.g)
        self.assertEqual(caught.exception.reason, "row-sum")

    def test_a_report_tells_of_groups_that_are_swapped(self):
        given = dict(scores=self.p, labels=self.p.argmax(axis=1))
        self.assertNotIn("rates-differ", told(self.model.report, groups=self.g, **given))
        self.assertIn("rates-differ", told(self.model.report, groups=1 - self.g, **given))

    def test_fits_that_are_in_different_ledgers_are_not_added_up(self):
        given = dict(n_groups=2, **BUDGET)
        for part, words in (
            (slice(800), "The fits were charged to different ledgers, so no ledger adds them up"),
            (slice(900), "The ledger adds up these costs"),
        ):
            forget()
            one = dp2dp.Ledger()
            for ledger in (one, one if words.startswith("The ledger") else dp2dp.Ledger()):
                found = told(core.fit, self.p[part], self.g[part], ledger=ledger, **given)
            self.assertIn(words, found)


class OfEstimators(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.X, cls.y, cls.g = labelled(3000)
        first = slice(0, 1000)
        inner = LogisticRegression().fit(cls.X[first], cls.y[first])
        cls.make = lambda self, **more: FairPostProcessor(
            inner, prefit=True, **{**PUBLIC, **BUDGET, **more}
        )
        cls.of_fit, cls.new = slice(1000, 2000), slice(2000, 3000)
        cls.fair = cls("fitted").fitted()

    def fitted(self, **more):
        groups = self.g[self.of_fit]
        return quiet(self.make(**more).fit, self.X[self.of_fit], sensitive_features=groups)

    def of_new(self, fair=None):
        """The decisions about new people, their labels and their groups."""
        X, g = self.X[self.new], {"sensitive_features": self.g[self.new]}
        return quiet((fair or self.fair).predict, X, **g), self.y[self.new], g

    def test_decisions_as_true_classes_are_told(self):
        decisions, y, groups = self.of_new()
        for function in (metrics.evaluate, metrics.unfairness):
            self.assertIn("arguments-exchanged", told(function, decisions, y, **groups))
            self.assertNotIn("arguments-exchanged", told(function, y, decisions, **groups))

    def test_a_score_of_own_decisions_is_told(self):
        decisions, y, groups = self.of_new()
        X, score = self.X[self.new], self.fair.score
        self.assertIn("labels-are-decisions", told(score, X, decisions, **groups))
        self.assertNotIn("labels-are-decisions", told(score, X, y, **groups))
        self.assertNotIn("labels-are-decisions", told(score, X, decisions.copy(), **groups))

    def test_a_swapped_budget_is_named(self):
        with self.assertRaisesRegex(dp2dp.OptionError, r"\(1e-05, 1\).*were the two swapped\?"):
            self.fitted(ledger=dp2dp.Ledger(), budget=(1e-5, 1))

    def test_groups_that_are_many_numbers_are_to_be_cut(self):
        ages = 20 + np.arange(1000) % 50
        fair, X = self.make(groups=None), self.X[self.of_fit]
        found = told(fair.fit, X, sensitive_features=ages)
        self.assertIn("these 50 different numbers into groups, use sensitive_cuts", found)
        found = told(fair.fit, X, sensitive_features=ages % 5)
        self.assertNotIn("sensitive_cuts", found)

    def test_ledgers_that_are_different_files_are_named(self):
        rows = slice(100, 2000)
        with tempfile.TemporaryDirectory() as folder:
            names = [f"{folder}/ledger.json", f"{folder}/leger.json"]
            forget()
            for name in names:
                fair = self.make(ledger=name)
                found = told(fair.fit, self.X[rows], sensitive_features=self.g[rows])
            self.assertIn(f"different ledgers ({names[0]!r} and {names[1]!r})", found)
            forget()
            for _ in range(2):
                fair, more = self.make(ledger=names[0]), slice(150, 2000)
                found = told(fair.fit, self.X[more], sensitive_features=self.g[more])
        self.assertIn("The ledger adds up these costs", found)

    def test_groups_by_position_are_explained(self):
        X, g = self.X[self.new], self.g[self.new]
        for method in ("predict", "predict_proba", "decision_function"):
            with self.assertRaisesRegex(TypeError, "sensitive_features="):
                getattr(self.fair, method)(X, g)

    def test_rows_of_one_unknown_group_are_told(self):
        fair = self.fitted(unknown_group="base")
        X, groups = self.X[self.new], self.g[self.new].copy()
        groups[:99] = 2
        self.assertNotIn("groups-unknown", told(fair.predict, X, sensitive_features=groups))
        groups[:100] = 2
        self.assertIn("groups-unknown", told(fair.predict, X, sensitive_features=groups))

    def test_decimal_commas_are_named(self):
        frame = pd.DataFrame({"a": ["0,5", "1"] * 500})
        given = dict(bounds={"a": (0, 1)}, classes=[0, 1], **BUDGET)
        words = r'column \'a\'.* read the file with decimal=","'
        with self.assertRaisesRegex(dp2dp.DataError, words):
            quiet(PrivateLogisticRegression(**given).fit, frame, self.y[:1000])
        frame["a"] = ["0,5", "yes"] * 500
        with self.assertRaisesRegex(dp2dp.DataError, "not numbers: give their public list"):
            quiet(PrivateLogisticRegression(**given).fit, frame, self.y[:1000])


if __name__ == "__main__":
    unittest.main()
