"""A pipeline whose steps learn from the people without privacy makes no private model."""

import unittest
import warnings

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.feature_selection import SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    PolynomialFeatures,
    StandardScaler,
)

import dp2dp
from dp2dp import DP2DPClassifier, FairPostProcessor, PrivateLogisticRegression
from people import BUDGET, labelled

CLASSES = dict(classes=[0, 1])
LISTS = dict(classes=[0, 1], groups=[0, 1])


def fitted(pipeline, X, y, **given):
    """The pipeline, and the warnings of its fit as one text."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        pipeline.fit(X, y, **given)
    return pipeline, "\n".join(str(one.message) for one in found)


class Pipelines(unittest.TestCase):
    def setUp(self):
        self.X, self.y, self.g = labelled(n=1000)

    def private(self, **options):
        return PrivateLogisticRegression(**BUDGET, **CLASSES, **{"bounds": (-3, 3), **options})

    def test_a_step_that_learns_makes_the_model_not_private(self):
        for steps in (
            [StandardScaler()],
            [MinMaxScaler(), SelectKBest(k=2)],
            ["passthrough", make_pipeline(StandardScaler())],
            [ColumnTransformer([("scaled", StandardScaler(), [0, 1])])],
            [make_union(Normalizer(), StandardScaler())],
            [OneHotEncoder(sparse_output=False)],
        ):
            with self.subTest(steps):
                found, told = fitted(make_pipeline(*steps, self.private()), self.X, self.y)
                self.assertEqual(found[-1].model_.not_private_because, ["schema-from-data"])
                self.assertEqual(told.count("transformer-not-private: "), 1)

    def test_both_phases_are_marked(self):
        last = DP2DPClassifier(**BUDGET, **LISTS, bounds=(-3, 3))
        given = {"dp2dpclassifier__sensitive_features": self.g}
        found, told = fitted(make_pipeline(StandardScaler(), last), self.X, self.y, **given)
        self.assertFalse(found[-1].model_.private)
        self.assertIn("transformer-not-private: the StandardScaler", told)

    def test_a_step_that_learns_nothing_leaves_the_model_private(self):
        levels = [[0, 1]]
        X = pd.DataFrame(self.X, columns=list("abcd")).assign(g=self.g)
        for steps in (
            [],
            ["passthrough"],
            [FunctionTransformer(np.tanh), Normalizer()],
            [PolynomialFeatures(2)],
            [FrozenEstimator(StandardScaler().fit(X[:100]))],
            [
                make_column_transformer(
                    (OneHotEncoder(categories=levels), ["g"]), ("passthrough", ["a", "b"])
                )
            ],
        ):
            with self.subTest(steps):
                found, told = fitted(make_pipeline(*steps, self.private()), X, self.y)
                self.assertTrue(found[-1].model_.private)
                self.assertNotIn("transformer-not-private", told)

    def test_a_search_over_a_pipeline_is_marked_too(self):
        search = GridSearchCV(
            make_pipeline(StandardScaler(), self.private()),
            {"privatelogisticregression__norm": [2.0, 3.0]},
            cv=2,
        )
        found, _ = fitted(search, self.X, self.y)
        self.assertFalse(found.best_estimator_[-1].model_.private)

    def test_a_rule_behind_a_step_that_learns_has_seen_the_pool(self):
        given = {"fairpostprocessor__sensitive_features": self.g}
        known = LogisticRegression().fit(StandardScaler().fit_transform(self.X), self.y)
        for inner, options in (
            (known, {"prefit": True}),
            (LogisticRegression(), {}),
            (self.private(), {}),
        ):
            with self.subTest(inner):
                last = FairPostProcessor(inner, **BUDGET, **LISTS, **options)
                found, told = fitted(make_pipeline(StandardScaler(), last), self.X, self.y, **given)
                self.assertIn("scores-from-pool", found[-1].model_.not_private_because)
                self.assertEqual(told.count("transformer-not-private: "), 1)
        last = FairPostProcessor(
            known, **BUDGET, **LISTS, prefit=True, scores_epsilon=1, scores_delta=0
        )
        with self.assertRaisesRegex(dp2dp.OptionError, "scores_epsilon .* the StandardScaler"):
            make_pipeline(StandardScaler(), last).fit(self.X, self.y, **given)


if __name__ == "__main__":
    unittest.main()
