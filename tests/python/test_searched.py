"""What goes wrong later in a search or a cross-validation is told, or refused, by its fits."""

import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn
from sklearn import model_selection
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    RandomizedSearchCV,
    cross_val_predict,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline

import dp2dp
from dp2dp import FairPostProcessor, PrivateLogisticRegression, metrics
from people import BUDGET, labelled

LISTS = dict(classes=[0, 1], groups=[0, 1])


class Case(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        self.X, self.y, self.g = labelled(900)
        self.frame = pd.DataFrame(self.X, columns=list("abcd")).assign(sex=self.g)
        self.inner = LogisticRegression()
        self.exact = FairPostProcessor(self.inner, solver="exact", epsilon=None, **LISTS)
        self.people = dict(sensitive_features=self.g)


class Wrapped(Case):
    def told(self, function, *args):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            function(*args)
        return [str(one.message) for one in found if "wrapper-not-fair" in str(one.message)]

    @unittest.skipUnless(hasattr(model_selection, "FixedThresholdClassifier"), "an old sklearn")
    def test_a_wrapper_with_its_own_threshold_is_told_once(self):
        fair = self.exact.set_params(sensitive_column="sex")
        fixed, tuned = (
            model_selection.FixedThresholdClassifier,
            model_selection.TunedThresholdClassifierCV,
        )
        wrappers = fixed(fair), tuned(fair, cv=2), CalibratedClassifierCV(fair, cv=2)
        for wrapper in (*wrappers, fixed(make_pipeline("passthrough", fair))):
            with self.subTest(type(wrapper).__name__):
                (text,) = self.told(wrapper.fit, self.frame, self.y)
                self.assertIn("this wrapper are not those of the fair rule", text)
                self.assertEqual(self.told(wrapper.predict, self.frame), [])
        inside = clone(fair).set_params(estimator=CalibratedClassifierCV(self.inner, cv=2))
        for estimator in (fair, inside):
            self.assertEqual(self.told(estimator.fit, self.frame, self.y), [])
            self.assertEqual(self.told(estimator.predict_proba, self.frame), [])


class Rho(Case):
    def told(self, search, name="rho-by-accuracy"):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            search.fit(self.frame, self.y)
        return sum(str(one.message).startswith(name) for one in found)

    def search(self, estimator=None, of=GridSearchCV, grid=None, **options):
        estimator = estimator or self.exact.set_params(sensitive_column="sex")
        grid = {"rho": [0, 0.1]} if grid is None else grid
        return of(estimator, grid, **{"cv": 2, "scoring": "accuracy", **options})

    def test_a_search_by_accuracy_is_told_once(self):
        steps = make_pipeline("passthrough", self.exact.set_params(sensitive_column="sex"))
        both = {"estimator__C": [1, 2], "rho": [0, 0.1]}
        step = {"fairpostprocessor__rho": [0, 0.1, 0.2]}
        scorer = make_scorer(accuracy_score)
        for search in (
            self.search(),
            self.search(grid=both, scoring=None),
            self.search(grid=[both], scoring=["accuracy", "f1"], refit="f1"),
            self.search(steps, grid=step, scoring=scorer),
            self.search(of=RandomizedSearchCV, n_iter=2),
            self.search(n_jobs=2),
        ):
            with self.subTest(search):
                self.assertEqual(self.told(search), 1)

    def test_the_largest_unfairness_is_told_as_such(self):
        wrong = make_scorer(metrics.unfairness)
        self.assertEqual(self.told(self.search(scoring=wrong), "rho-by-unfairness"), 1)
        self.assertEqual(self.told(self.search(scoring=wrong)), 0)
        right = make_scorer(metrics.unfairness, greater_is_better=False)
        own = make_scorer(lambda y, d: np.mean(y == d))
        for scoring in (right, own, metrics.unfairness_scorer("sex")):
            for name in ("rho-by-unfairness", "rho-by-accuracy"):
                self.assertEqual(self.told(self.search(scoring=scoring), name), 0)

    def test_other_searches_are_not_told(self):
        fair = metrics.unfairness_scorer("sex")
        both = {"accuracy": "accuracy", "fair": fair}
        for options in (
            {"grid": {"estimator__C": [1, 2]}},
            {"grid": {"rho": [0.1], "estimator__C": [1, 2]}},
            {"scoring": fair},
            {"scoring": both, "refit": "accuracy"},
            {"refit": False},
            {"refit": lambda results: 0},
        ):
            with self.subTest(options):
                self.assertEqual(self.told(self.search(**options)), 0)


class Groups(Case):
    def test_groups_that_only_fit_gets_are_refused_before_the_charge(self):
        self.path = Path(self.enterContext(tempfile.TemporaryDirectory())) / "people.json"
        private = PrivateLogisticRegression(bounds=(-4, 4), **BUDGET)
        fair = FairPostProcessor(private, ledger=self.path, **BUDGET, **LISTS)
        params = dict(params=self.people, cv=3)
        with self.assertRaisesRegex(ValueError, "make the group a column of X"):
            cross_val_score(fair, self.X, self.y, **params)
        with self.assertRaisesRegex(dp2dp.OptionError, "set_score_request"):
            cross_val_score(fair, self.X, self.y, scoring="f1", error_score="raise", **params)
        with self.assertRaisesRegex(dp2dp.OptionError, "set_score_request"):
            cross_val_predict(fair, self.X, self.y, **params)
        step = make_pipeline("passthrough", fair)
        given = {"fairpostprocessor__sensitive_features": self.g}
        with self.assertRaisesRegex(dp2dp.OptionError, "set_score_request"):
            cross_val_score(step, self.X, self.y, params=given, cv=3, error_score="raise")
        search = GridSearchCV(fair, {"rho": [0, 0.1]}, cv=2, error_score="raise")
        with self.assertRaisesRegex(dp2dp.OptionError, "set_score_request"):
            search.fit(self.X, self.y, **self.people)
        self.assertFalse(self.path.exists())

    def test_groups_that_the_scorer_finds_are_enough(self):
        def score(estimator, X, y):
            groups = self.frame["sex"].loc[X.index]
            return np.mean(estimator.predict(X, sensitive_features=groups) == y)

        X = self.frame[list("abcd")]
        found = cross_val_score(self.exact, X, self.y, cv=2, scoring=score, params=self.people)
        self.assertTrue(np.isfinite(found).all())
        column = self.exact.set_params(sensitive_column="sex")
        self.assertTrue(np.isfinite(cross_val_score(column, self.frame, self.y, cv=2)).all())

    def test_metadata_routing_passes_the_groups(self):
        with sklearn.config_context(enable_metadata_routing=True):
            fair = self.exact.set_fit_request(sensitive_features=True)
            fair.set_score_request(sensitive_features=True)
            found = cross_val_score(fair, self.X, self.y, cv=2, params=self.people)
        self.assertTrue(np.isfinite(found).all())


if __name__ == "__main__":
    unittest.main()
