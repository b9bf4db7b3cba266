"""What would give a wrong answer in silence is refused, or said."""

import re
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score

import dp2dp
from dp2dp._search import events_of
from dp2dp.estimators import DP2DPClassifier, FairPostProcessor, PrivateLogisticRegression
from people import categorical, numeric, schema

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


class Declared(LogisticRegression):
    """Stands for a private classifier of another library, whose cost is declared."""


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

    def test_a_classifier_that_is_fitted_here_has_a_cost(self):
        estimator = FairPostProcessor(LogisticRegression(), **PUBLIC, **FREE)
        with self.assertRaisesRegex(dp2dp.OptionError, "fitted on their rows"):
            self.fitted(estimator)
        self.assertTrue(self.fitted(self.prefit()).model_.private)
        stated = estimator.set_params(scores_epsilon=1, scores_delta=1e-5)
        words = "LogisticRegression that .* not private: its"
        with self.assertRaisesRegex(dp2dp.OptionError, words):
            self.fitted(stated)
        stated.set_params(estimator=Declared())
        self.assertTrue(self.fitted(stated).model_.private)

    def test_a_certificate_is_charged_to_the_ledger_of_the_estimator(self):
        path = self.folder / "people.json"
        fair = self.fitted(self.prefit(ledger=str(path), budget=(1.2, 1e-5)))
        people = {"sensitive_features": self.s, "epsilon": 1, "delta": 1e-5}
        with self.assertRaises(dp2dp.BudgetError):
            fair.certify(self.X, **people)
        spent = dp2dp.Ledger.open(path).spent(1e-5)
        fair.certify(self.X, ledger=None, **people)
        other = dp2dp.Ledger()
        fair.certify(self.X, ledger=other, **people)
        self.assertEqual(dp2dp.Ledger.open(path).spent(1e-5), spent)
        self.assertEqual(len(other.entries), 1)
        roomy = self.folder / "roomy.json"
        self.fitted(self.prefit(ledger=str(roomy))).certify(self.X, **people)
        self.assertGreater(dp2dp.Ledger.open(roomy).spent(1e-5), 1.2)

    def test_several_fits_compose_with_the_searches_before_them(self):
        frozen = FairPostProcessor(FrozenEstimator(self.classifier), **PUBLIC, **FREE)
        frozen.set_params(sensitive_column=3)
        X = np.column_stack([self.X.astype(object), self.s])
        X[:, 3] = (self.s == "m").astype(float)
        frozen.set_params(groups=[0, 1])
        search = GridSearchCV(frozen, {"rho": [0, 0.05]}, cv=2, scoring="accuracy")
        quietly(search.fit, X, self.y)
        between = told(cross_val_score, frozen, X, self.y, cv=2)
        self.assertIn("2 fits are made and charged. If each costs what this fit costs", between)
        found = told(frozen.fit, X, self.y)
        self.assertIn("8 fits of this estimator and its clones", found)
        accountant = dp2dp.accounting.Accountant()
        for event in events_of(frozen.model_) * 8:
            accountant.add(event)
        stated = float(re.search(r"compose to epsilon ([0-9.]+)", found)[1])
        self.assertAlmostEqual(stated, accountant.epsilon(1e-5), delta=0.1)

    def test_a_classifier_of_the_group_alone_is_not_one_of_pairs(self):
        of_group = LogisticRegression().fit(self.X, (self.s == "m").astype(int))
        given = {"group_estimator": of_group, "groups": [0, 1]}
        estimator = self.prefit(**given)
        groups = (self.s == "m").astype(int)
        with self.assertRaisesRegex(dp2dp.OptionError, "group_target='group'"):
            quietly(estimator.fit, self.X, sensitive_features=groups)
        estimator.set_params(group_target="group")
        quietly(estimator.fit, self.X, sensitive_features=groups)
        path = self.folder / "unaware.json"
        estimator.save(path)
        with self.assertRaisesRegex(dp2dp.OptionError, "group_target='group'"):
            FairPostProcessor.load(path, self.classifier, group_estimator=of_group)

    def test_a_file_with_its_own_classifier_takes_no_other(self):
        path = self.folder / "model.json"
        self.fitted(DP2DPClassifier(bounds=(-5, 6), **PUBLIC)).save(path)
        with self.assertRaisesRegex(dp2dp.OptionError, "DP2DPClassifier.load"):
            FairPostProcessor.load(path, self.classifier)
        private = PrivateLogisticRegression(
            epsilon=1, delta=1e-5, bounds=(-5, 6), classes=[0, 1]
        ).fit(self.X, self.y)
        fair = FairPostProcessor(private, prefit=True, **PUBLIC)
        self.fitted(fair).save(path)
        again = FairPostProcessor.load(path, private)
        given = {"sensitive_features": self.s}
        np.testing.assert_array_equal(again.predict(self.X, **given), fair.predict(self.X, **given))

    def test_a_rule_without_noise_has_no_epsilon(self):
        for given in ({"epsilon": np.inf}, {"solver": "exact"}):
            with self.subTest(given):
                fair = self.prefit(**given)
                words = told(fair.fit, self.X, sensitive_features=self.s)
                self.assertIn("not-private", words)
                self.assertNotIn("swapped", words)
                self.assertIsNone(fair.model_.epsilon)
                self.assertNotIn("epsilon-below-delta", fair.model_.warnings)
                fair.save(self.folder / "model.json")
                self.assertIsNone(dp2dp.Model.load(self.folder / "model.json").epsilon)

    def test_a_schema_gives_the_warnings_of_bounds_and_categories(self):
        frame = pd.DataFrame({"a": self.X[:, 0], "b": self.s})
        label = categorical("y", "0", "1", role="label")
        for columns, origin, word in (
            ((numeric("a", 50, 90), categorical("b", "f", "m")), "public", "bounds-exceeded"),
            ((numeric("a"), {**categorical("b", "F", "M"), "unknown": "level"}), "public",
             "levels-unlisted"),
            ((numeric("a"), categorical("b", "f", "m")), "from-data", "read off the data"),
            ((numeric("a"), categorical("b", "f", "m")), "public", None),
            ((numeric("a"), {**categorical("b", "F", "M"), "aliases": {"f": "F", "m": "M"}}),
             "public", None),
        ):  # fmt: skip
            given = {**schema(*columns, label), "origin": origin}
            budget = {"epsilon": 1, "delta": 1e-5, "schema": given}
            for call in (
                lambda one=budget: PrivateLogisticRegression(**one).fit(frame, self.y),
                lambda one=budget: DP2DPClassifier(**one, groups=["f", "m"]).fit(
                    frame, self.y, sensitive_features=self.s
                ),
            ):
                with self.subTest(word):
                    words = told(call)
                    for one in ("bounds-exceeded", "levels-unlisted", "read off the data"):
                        self.assertEqual(one in words, one == word, words)


if __name__ == "__main__":
    unittest.main()
