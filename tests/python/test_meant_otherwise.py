"""Options and arguments that are probably meant in another way name the way that is right."""

import pickle
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dp2dp
from dp2dp import DP2DPClassifier, FairPostProcessor, metrics
from people import BUDGET, SCHEMA, SEEDED, fitted, labelled, scores

PUBLIC = dict(classes=[0, 1], groups=[0, 1])
FREE = dict(scores_epsilon=0, scores_delta=0)


def told(function, *args, **options):
    """The warnings of a call, as one text."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args, **options)
    return "\n".join(str(one.message) for one in found)


class Meant(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")

    def refused(self, words, function, *args, **options):
        with self.subTest(words), self.assertRaisesRegex((ValueError, TypeError), words) as found:
            function(*args, **options)
        return found.exception


class Rho(Meant):
    def test_a_rho_like_a_ratio_is_told_by_every_fit(self):
        X, y, g = labelled(2000)
        prefit = LogisticRegression().fit(X, y)
        given = dict(**SEEDED, **PUBLIC, rho=0.8)
        fair = FairPostProcessor(prefit, prefit=True, **given)
        both = DP2DPClassifier(bounds=(-4, 4), **given)
        for fit in (
            lambda: fitted(*scores(), rho=0.8),
            lambda: fair.fit(X, sensitive_features=g),
            lambda: both.fit(X, y, sensitive_features=g),
        ):
            found = told(fit)
            self.assertIn("rho-large: rho = 0.8 allows the rates of two groups to differ", found)
            self.assertIn("not a ratio as in the four-fifths rule", found)
        self.assertNotIn("rho-large", told(fitted, *scores(), rho=0.2))

    def test_a_rule_that_changes_nothing_says_so(self):
        found = told(fitted, *scores(), rho=0.8)
        self.assertIn("rule-changes-nothing: with rho = 0.8 all offsets are 0", found)
        said = "which changes nothing (all offsets are about 0)"
        self.assertIn(said, repr(fitted(*scores(), rho=0.8)))
        self.assertNotIn("rule-changes-nothing", told(fitted, *scores(), rho=0.02))
        self.assertNotIn("changes nothing", repr(fitted(*scores(), rho=0.02)))

    def test_with_ignored_rows_the_words_follow_from_the_model_alone(self):
        found = told(fitted, *scores(), rho=0.8, bad_rows="ignore")
        self.assertIn("rho-large", found)
        self.assertNotIn("do not publish", found)


class Budget(Meant):
    def test_the_value_that_is_out_of_its_range_is_named(self):
        for options, words in (
            ({"epsilon": 1e-5, "delta": 1}, "delta = 1: it must be .*below delta: were the two sw"),
            ({"epsilon": 1, "delta": 0}, "^delta = 0: it must be above 0 and below 1$"),
            ({"epsilon": -1}, "^epsilon = -1: it must be above 0$"),
            ({"epsilon": None}, "epsilon and delta must be chosen"),
        ):
            self.refused(words, fitted, *scores(), **options)
            rows = dp2dp.core.Rows([[0.5]] * 200, ["a", "y"], [([0, 1] * 100, ["n", "y"])])
            self.refused(words, dp2dp.train, SCHEMA, rows, **{**BUDGET, **options})
        p, g = scores()
        model = fitted(p, g)
        self.refused("delta = 1: .*sw", dp2dp.certify, model, p, g, epsilon=1e-5, delta=1)

    def test_a_swapped_budget_of_a_ledger_is_told(self):
        ledger = dp2dp.Ledger()
        self.assertIn("epsilon-below-delta", told(ledger.set_budget, 1e-5, 0.5))
        self.assertEqual(told(dp2dp.Ledger().set_budget, 0.5, 1e-5), "")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ledger = dp2dp.Ledger()
            with self.assertRaises(dp2dp.PrivacyWarning):
                ledger.set_budget(1e-5, 0.5)
            self.assertIsNone(ledger.budget)  # it could not be raised afterwards


class Codes(Meant):
    def test_codes_from_1_say_that_codes_count_from_0(self):
        p, g = scores()
        model = fitted(p, g)
        words = "Codes count from 0: the codes of 2 groups are 0 and 1. .*pandas.Categorical"
        for wrong in (g + 1, np.where(g == 0, 2, 1), np.where(g == 0, 0, 2)):
            self.assertEqual(self.refused(words, fitted, p, wrong).reason, "unknown-group")
            self.refused(words, dp2dp.certify, model, p, wrong, **BUDGET)
        other = g.copy()
        other[5] = 7
        self.assertNotIn("count from", str(self.refused("row 6", fitted, p, other)))
        self.assertNotIn("count from", told(fitted, p, g + 1, bad_rows="ignore"))


class OnePerson(Meant):
    def setUp(self):
        super().setUp()
        p, g = scores()
        self.model = fitted(p, g, group_names=["woman", "man"], class_names=["no", "yes"])
        self.loose = fitted(p, g, normalize=True)
        names = dict(group_names=["woman", "man"], ids=np.arange(len(g)))
        self.keyed = fitted(p, g, dither=0.1, dither_key="id", **names)

    def test_percentages_are_told(self):
        self.refused("divide percentages by 100", self.model.decide, [40, 60], "woman")
        self.refused("divide percentages by 100", self.model.decide, [39.9, 60], "woman")
        self.refused("divide percentages by 100", self.keyed.decide, [40, 60], "woman", id=3)
        self.assertIn(self.loose.decide([40, 60], "0"), ("0", "1"))

    def test_a_dict_and_an_unknown_group_list_the_names(self):
        self.refused("the order no, yes. .*pandas.Series", self.model.decide, {"no": 0.4}, "woman")
        for model, given in ((self.model, {}), (self.keyed, {"id": 3})):
            words = "one of the names 'woman', 'man'"
            found = self.refused(words, model.decide, [0.4, 0.6], "Woman", **given)
            self.assertEqual(found.reason, "unknown-group")
            self.assertNotIn("Woman", str(found))


class Nested(Meant):
    def test_a_fair_estimator_inside_a_fair_estimator_is_refused(self):
        X, y, g = labelled(600)
        given = dict(**SEEDED, **PUBLIC)
        fair = FairPostProcessor(LogisticRegression(), **given).fit(X, y, sensitive_features=g)
        both = DP2DPClassifier(bounds=(-4, 4), **given).fit(X, y, sensitive_features=g)
        for inner, words in (
            (fair, "has a fair rule already: pass its classifier .*attribute estimator_.$"),
            (both, r"\(its attribute classifier_\)$"),
            (clone(both), "pass a classifier, such as a PrivateLogisticRegression"),
            (make_pipeline(StandardScaler(), clone(fair)), r"\(its attribute estimator\)$"),
        ):
            for prefit in (False, True):
                outer = FairPostProcessor(inner, prefit=prefit, **given)
                self.refused(words, outer.fit, X, y, sensitive_features=g)


class Scorer(Meant):
    def test_a_metric_in_place_of_a_scorer_names_the_scorer(self):
        X, y, _ = labelled(200)
        words = r"scoring=dp2dp.metrics.unfairness_scorer\('gender'\)"
        for scoring in (metrics.unfairness, make_scorer(metrics.unfairness)):
            given = dict(cv=2, scoring=scoring)
            self.refused(
                words, cross_val_score, LogisticRegression(), X, y, error_score="raise", **given
            )
            self.assertRegex(told(cross_val_score, LogisticRegression(), X, y, **given), words)
        self.assertEqual(metrics.unfairness(y, y, sensitive_features=y), 1)


class Files(Meant):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "rows"

    def test_another_separator_names_a_way_that_python_has(self):
        for text in ("a;y\n0,5;n\n", "a\ty\n0.5\tn\n"):
            self.path.write_text(text)
            words = r"read the file with pandas.read_csv\(path, sep=';'\).*decimal=',' .*the frame"
            found = self.refused(words, dp2dp.train, SCHEMA, str(self.path), **BUDGET)
            self.assertEqual(found.reason, "wrong-separator")

    def test_a_pickle_is_named(self):
        frame = pd.DataFrame({"a": [0.5] * 9, "y": ["n"] * 9})
        for protocol in range(2, 6):
            self.path.write_bytes(pickle.dumps(frame, protocol=protocol))
            words = "the file is a pickle of Python: .*save the table as CSV or Parquet"
            found = self.refused(words, dp2dp.train, SCHEMA, str(self.path), **BUDGET)
            self.assertEqual(found.reason, "other-format")


class Evaluation(Meant):
    def test_a_confidence_below_a_half_is_refused(self):
        given = dict(sensitive_features=[0, 0, 1, 1])
        for level in (0.05, np.float64(0.05), 0, -1):
            words = "confidence must be at least 0.5" + (".*did you mean 0.95" * int(level > 0))
            self.refused(words, metrics.evaluate, None, [0, 1, 1, 1], confidence=level, **given)

    def test_the_table_names_the_level_of_its_intervals(self):
        given = dict(sensitive_features=[0, 0, 1, 1])
        found = metrics.evaluate(None, [0, 1, 1, 1], confidence=0.9, **given)
        self.assertIn("each interval has confidence 0.9\n", repr(found))
        found = metrics.evaluate(None, [0, 1, 1, 1], bootstrap_draws=0, **given)
        self.assertNotIn("interval", repr(found))


class Frames(Meant):
    def setUp(self):
        super().setUp()
        p, g = scores()
        self.names = np.array(["woman", "man"])[g]
        self.frame = pd.DataFrame(p, columns=["no", "yes"]).assign(gender=self.names)
        self.model = fitted(
            p,
            g,
            group_names=["woman", "man"],
            score_columns=["no", "yes"],
            group_column="gender",
        )

    def test_a_frame_without_the_column_of_the_group_names_it(self):
        other = self.frame.rename(columns={"gender": "sex"})
        self.refused("no column named 'gender', from which.*group", self.model.predict, other)
        codes = (self.names == "man").astype(int)
        found = self.model.predict(other, codes)
        np.testing.assert_array_equal(found, self.model.predict(self.frame))

    def test_predictions_for_unknown_groups_alone_are_told(self):
        other = self.frame.assign(gender=[name[0].upper() for name in self.names])
        for function in (self.model.predict, self.model.adjust):
            found = told(function, other, unknown="base")
            self.assertIn("groups-unknown: in 2000 of 2000 rows", found)
            self.assertEqual(told(function, self.frame, unknown="base"), "")
        codes = np.full(2000, -1)
        scored = self.frame[["no", "yes"]]
        self.assertIn("groups-unknown", told(self.model.predict, scored, codes, unknown="base"))


if __name__ == "__main__":
    unittest.main()
