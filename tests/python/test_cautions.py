"""The fit of an estimator refuses parameters that mean something else than they seem to, and warns
of columns and labels that are something else than they seem to be."""

import unittest
import warnings

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import dp2dp
from dp2dp import DP2DPClassifier, FairPostProcessor
from people import BUDGET, categorical, labelled, numeric, schema

FREE = dict(scores_epsilon=0, scores_delta=0)
LISTS = dict(classes=[0, 1], groups=["f", "m"])
PRIVATE_TO_OPERATOR = "This warning is about the data: do not publish it"


def told(function, *args, **options):
    """The warnings of a call, one text for each."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args, **options)
    return [str(one.message) for one in found]


class Cautions(unittest.TestCase):
    def setUp(self):
        X, self.y, g = labelled(n=600, features=2)
        self.X = pd.DataFrame(X, columns=["a", "b"])
        self.s = pd.Series(np.where(g, "m", "f"))
        self.known = LogisticRegression().fit(X, self.y)

    def both(self, **options):
        return DP2DPClassifier(**{**BUDGET, **LISTS, "bounds": (-4, 4), **options})

    def prefit(self, **options):
        return FairPostProcessor(
            self.known, **{**BUDGET, **LISTS, **FREE, "prefit": True, **options}
        )

    def told(self, estimator, y=None, X=None):
        X = self.X if X is None else X
        return told(estimator.fit, X, self.y if y is None else y, sensitive_features=self.s)

    def named(self, word, *args, **given):
        """The warnings that start with a word."""
        return [text for text in self.told(*args, **given) if text.startswith(f"{word}: ")]

    def refused(self, words, estimator, *args, **given):
        with self.subTest(words), self.assertRaisesRegex(ValueError, words) as caught:
            estimator.fit(*args, **{"sensitive_features": self.s, **given})
        return str(caught.exception)

    def test_a_text_is_no_flag(self):
        for make, names in (
            (self.both, ("unaware", "drop_sensitive")),
            (self.prefit, ("prefit", "scores_from_pool", "same_people", "drop_sensitive")),
        ):
            for name in names:
                for value in ("no", "False", 2, 0.5, [True]):
                    words = f"{name} must be True or False, not "
                    self.refused(words, make(**{name: value}), self.X, self.y)
        for value in (0, False, np.False_):
            self.told(self.both(unaware=value))
        self.told(self.prefit(same_people=None, prefit=1))

    def test_rows_per_person_does_not_show_ids(self):
        ids = pd.Series([f"id{i}" for i in range(600)])
        for make in (self.both, self.prefit):
            text = self.refused(
                "rows_per_person must be a whole number", make(rows_per_person=ids), self.X, self.y
            )
            self.assertNotIn("id1", text)

    def test_a_list_that_is_refused_gives_no_warning_before(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error", dp2dp.FairnessWarning)
            self.refused("does not list 1", self.prefit(classes=[0, 2]), self.X, self.y)

    def test_missing_labels_say_what_to_pass(self):
        made = self.prefit(prefit=False, scores_epsilon=None, scores_delta=None)
        self.refused("requires y .* LogisticRegression .* prefit=True", made, self.X)
        self.refused(
            "requires y .*'equal_opportunity' compares people with the same label",
            self.prefit(constraints="equal_opportunity"),
            self.X,
        )

    def test_labels_that_are_the_decisions_are_told(self):
        odds = self.prefit(constraints="equalized_odds")
        decisions = self.known.predict(self.X.to_numpy())
        (text,) = self.named("labels-are-decisions", odds, y=decisions)
        self.assertIn(PRIVATE_TO_OPERATOR, text)
        self.assertFalse(self.named("labels-are-decisions", odds))
        odds.set_params(bad_rows="ignore")
        self.assertFalse(self.named("labels-are-decisions", odds, y=decisions))

    def test_numbers_beside_a_list_of_texts_are_explained(self):
        given = schema(numeric("a"), categorical("y", "no", "yes", role="label"))
        self.refused(
            r"classes are texts, and this label is a number: .*numpy.array\(classes\)\[y\]",
            self.both(schema=given, bounds=None, classes=None),
            self.X,
            self.y,
        )


if __name__ == "__main__":
    unittest.main()
