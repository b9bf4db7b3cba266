"""What the user left unsaid, or said without effect, is told or refused by the estimators."""

import unittest
import warnings

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

import dp2dp
from dp2dp import DP2DPClassifier, FairPostProcessor, PrivateLogisticRegression, Schema
from people import SEEDED, categorical, labelled, numeric, schema

WORDS = ["admitted", "rejected"]
TPR = {"constraints": "equal_opportunity"}


def told(function, *args, **options):
    """The warnings of a call, as one text."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args, **options)
    return "\n".join(str(one.message) for one in found)


class Unsaid(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        self.X, self.codes, self.g = labelled(2000)
        self.y = np.array(WORDS)[1 - self.codes]
        self.public = dict(**SEEDED, classes=WORDS, groups=[0, 1])
        self.inner = LogisticRegression().fit(self.X, self.y)

    def prefit(self, **options):
        return FairPostProcessor(self.inner, **{"prefit": True, **self.public, **options})

    def fit(self, estimator, y=None):
        y = self.y if y is None else y
        return estimator.fit(self.X, y, sensitive_features=self.g)


class Positive(Unsaid):
    def words(self, estimator, y=None):
        lines = told(self.fit, estimator, y).splitlines()
        return "\n".join(line for line in lines if line.startswith("positive-by-default"))

    def second(self, name, order):
        return f"class {name} is taken as the positive class, because it is the second {order}"

    def test_a_guess_is_told(self):
        expected = (
            "positive-by-default: class 'rejected' is taken as the positive class, because it is "
            "the second in the list. Pass positive='rejected' to confirm this, or "
            "positive='admitted' for the other class"
        )
        both = DP2DPClassifier(bounds=(-4, 4), **self.public, **TPR)
        for fair in (self.prefit(**TPR), self.prefit(**TPR, prefit=False), both):
            self.assertEqual(self.words(fair), expected)
        self.assertEqual(both.classes_[both.model_.positive], "rejected")
        rates = self.prefit(constraints="false_positive_rate_parity")
        self.assertEqual(self.words(rates), expected)

    def test_the_class_that_is_told_is_the_one_that_counts(self):
        other = self.prefit(**TPR, classes=WORDS[::-1])
        self.assertIn(self.second("'admitted'", "in the list"), self.words(other))
        self.assertEqual(other.classes_[other.model_.positive], "admitted")
        self.assertIn(
            self.second("'rejected'", "in sorted"), self.words(self.prefit(**TPR, classes=None))
        )
        columns = [numeric(f"x{j}") for j in range(4)]
        label = categorical("y", *WORDS[::-1], role="label")
        both = DP2DPClassifier(schema=schema(*columns, label), groups=[0, 1], **SEEDED, **TPR)
        self.assertIn(self.second("'admitted'", "in the list"), self.words(both))
        self.assertEqual(both.classes_[both.model_.positive], "admitted")

    def test_the_smaller_of_two_numbers_is_a_guess(self):
        columns = [numeric(f"x{j}") for j in range(4)]
        listed = schema(*columns, categorical("y", "1", "0", role="label"))
        public = dict(**SEEDED, **TPR, groups=[0, 1])
        for fair, y in (
            (FairPostProcessor(LogisticRegression(), **public, classes=[1, 0]), self.codes),
            (DP2DPClassifier(**public, schema=listed), self.codes),
            (DP2DPClassifier(**public, bounds=(-4, 4), classes=[True, False]), self.codes == 1),
        ):
            expected = self.second(y.dtype.type(0), "in the list")
            self.assertIn(expected, self.words(fair, y))
            self.assertEqual(fair.classes_[fair.model_.positive], 0)

    def test_a_guess_is_told_by_functions_with_a_list_of_classes(self):
        numbers = dict(labels=self.codes, criterion="equal_opportunity", n_groups=2, **SEEDED)
        scores = self.inner.predict_proba(self.X)[:, ::-1]
        for names, is_told in ((WORDS, True), ([1, 0], True), (None, False), ([1, 2], False)):
            found = told(dp2dp.fit, scores, self.g, class_names=names, **numbers)
            self.assertEqual("positive-by-default" in found, is_told, names)
        found = told(dp2dp.fit, scores, self.g, class_names=WORDS, positive=1, **numbers)
        self.assertNotIn("positive-by-default", found)
        found = told(dp2dp.fit, scores, self.g, class_names=WORDS, **numbers)
        self.assertIn("Pass positive=1 to confirm this, or positive=0 for", found)
        rates = dict(sensitive_features=self.g, constraints="equal_opportunity")
        for classes, is_told in (([1, 0], True), ([0, 1], False), (None, False)):
            found = told(dp2dp.metrics.unfairness, self.codes, self.codes, classes=classes, **rates)
            self.assertEqual("positive-by-default" in found, is_told, classes)

    def test_no_guess_is_not_told(self):
        yes = np.array(["no", "yes"])[self.codes]
        told_of_yes = FairPostProcessor(
            LogisticRegression(), **{**self.public, "classes": ["no", "yes"]}, **TPR
        )
        numbers = FairPostProcessor(
            LogisticRegression(), **{**self.public, "classes": [0, 1]}, **TPR
        )
        self.assertEqual(self.words(told_of_yes, yes), "")
        self.assertEqual(self.words(numbers, self.codes), "")
        self.assertEqual(self.words(self.prefit(**TPR, positive="rejected")), "")
        self.assertEqual(self.words(self.prefit(constraints="equalized_odds")), "")
        self.assertEqual(self.words(self.prefit()), "")

    def test_a_class_without_effect_is_refused_by_its_name(self):
        both = DP2DPClassifier(bounds=(-4, 4), **self.public, positive="admitted")
        for fair in (self.prefit(positive="admitted"), both):
            words = "positive='admitted' has no effect on demographic_parity: leave positive out"
            with self.assertRaisesRegex(dp2dp.OptionError, words):
                self.fit(fair)


class Unused(Unsaid):
    def test_a_parameter_without_effect_is_refused(self):
        given = dict(bounds=(-4, 4), **self.public)
        frozen = FairPostProcessor(FrozenEstimator(self.inner), pool_fraction=0.5, **self.public)
        for estimator, words in (
            (self.prefit(pool_fraction=0.5), "pool_fraction=0.5 has no effect: the estimator is"),
            (frozen, "pool_fraction=0.5 has no effect: the estimator is fitted already"),
            (DP2DPClassifier(pool="same", pool_fraction=0.5, **given), "with pool='same', all"),
            (DP2DPClassifier(train_share=0.5, **given), "train_share=0.5 has no effect"),
        ):
            with self.subTest(words), self.assertRaisesRegex(dp2dp.OptionError, words):
                self.fit(estimator)
        self.fit(DP2DPClassifier(pool="same", train_share=0.5, **given))
        self.fit(DP2DPClassifier(pool_fraction=0.5, **given))

    def test_bounds_beside_a_schema_are_refused(self):
        columns = [numeric(f"x{j}") for j in range(4)]
        known = Schema(schema(*columns, categorical("y", *WORDS, role="label")))
        for name, value in (("bounds", (-4, 4)), ("data_norm", 3), ("categories", {0: ["a"]})):
            given = {name: value, "schema": known, **SEEDED}
            words = f"give schema or {name}, not both"
            with self.subTest(name), self.assertRaisesRegex(dp2dp.OptionError, words):
                self.fit(DP2DPClassifier(groups=[0, 1], **given))
            with self.subTest(name), self.assertRaisesRegex(dp2dp.OptionError, words):
                PrivateLogisticRegression(**given).fit(self.X, self.y)


class Fits(Unsaid):
    def test_a_second_fit_of_the_same_estimator_is_told(self):
        given = dict(**SEEDED, bounds=(-4, 4), classes=WORDS)
        private = PrivateLogisticRegression(**given)
        fair, both = self.prefit(), DP2DPClassifier(groups=[0, 1], **given)
        for fit in (
            lambda: self.fit(fair),
            lambda: self.fit(both),
            lambda: private.fit(self.X, self.y),
        ):
            self.assertNotIn("several-fits", told(fit))
            words = told(fit)
            self.assertIn("several-fits: 2 fits of this estimator and its clones", words)
            self.assertIn("No ledger adds up these costs", words)
            self.assertNotIn("several-fits", told(fit))  # once is enough

    def test_a_fit_that_fails_is_not_counted(self):
        fair = self.prefit(groups=[0, 2])
        with self.assertRaises(dp2dp.DataError):
            self.fit(fair)
        self.assertNotIn("several-fits", told(self.fit, fair.set_params(groups=[0, 1])))


class Classes(Unsaid):
    def test_a_list_that_lacks_a_class_of_the_classifier_is_no_matter_of_rows(self):
        for classes, first in (([0, 1], "admitted"), (["admitted"], "rejected")):
            fair = self.prefit(classes=classes)
            words = (
                r"the classes of the estimator are \['admitted', 'rejected'\], but classes="
                rf".* does not list '{first}'"
            )
            with self.assertRaisesRegex(dp2dp.OptionError, words) as raised:
                fair.fit(self.X, sensitive_features=self.g)
            self.assertNotIn("row", str(raised.exception))
        groups = LogisticRegression().fit(self.X, self.g)
        unaware = self.prefit(group_estimator=groups, group_target="group", groups=["f", "m"])
        names = np.array(["f", "m"])[self.g]
        words = r"the classes of the group_estimator are \[0, 1\], but groups=.* does not list 0"
        with self.assertRaisesRegex(dp2dp.OptionError, words):
            unaware.fit(self.X, sensitive_features=names)


if __name__ == "__main__":
    unittest.main()
