"""Rows go together by position, but pandas objects with other indexes do not pass in silence."""

import unittest
import warnings

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import dp2dp
from dp2dp import core, metrics
from dp2dp.estimators import DP2DPClassifier, FairPostProcessor, PrivateLogisticRegression
from dp2dp.plot import RatesDisplay

COMMON = {"epsilon": 5, "delta": 1e-5, "insecure_seed": 1, "classes": [0, 1]}


def quietly(function, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **options)


def told(function, *args, **options):
    """The warnings about an index."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args, **options)
    return [str(one.message) for one in found if "index-differs" in str(one.message)]


class Index(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(0)
        self.X = pd.DataFrame(rng.normal(size=(400, 3)), columns=list("abc"))
        self.y = pd.Series((self.X["a"] + rng.normal(size=400) > 0).astype(int))
        self.g = pd.Series(np.where(rng.random(400) < 0.4, "f", "m"), name="sex")
        self.order = rng.permutation(400)

    def estimators(self):
        public = {**COMMON, "groups": ["f", "m"]}
        yield FairPostProcessor(LogisticRegression(), **public)
        yield DP2DPClassifier(bounds=(-4, 4), **public)

    def calls(self, estimator):
        fitted = quietly(estimator.fit, self.X, self.y, sensitive_features=self.g)
        return {
            "fit": lambda g: estimator.fit(self.X, self.y, sensitive_features=g),
            "predict": lambda g: fitted.predict(self.X, sensitive_features=g),
            "predict_proba": lambda g: fitted.predict_proba(self.X, sensitive_features=g),
            "certify": lambda g: fitted.certify(
                self.X, sensitive_features=g, epsilon=1, delta=1e-5
            ),
        }

    def test_groups_in_another_order_are_refused(self):
        for estimator in self.estimators():
            for name, call in self.calls(estimator).items():
                for groups in (self.g[self.order], self.g[self.order].to_frame()):
                    with (
                        self.subTest(name),
                        self.assertRaisesRegex(
                            dp2dp.DataError, r"sensitive_features.loc\[X.index\].*to_numpy\(\)"
                        ),
                    ):
                        quietly(call, groups)

    def test_groups_of_other_rows_give_a_warning(self):
        other = self.g.set_axis(range(1000, 1400))
        for estimator in self.estimators():
            for name, call in self.calls(estimator).items():
                with self.subTest(name):
                    self.assertEqual(len(told(call, other)), 1)
                    self.assertEqual(told(call, self.g.to_numpy()), [])
                    self.assertEqual(told(call, self.g.copy()), [])
                    self.assertEqual(told(call, self.g.tolist()), [])

    def test_rows_shuffled_together_are_matched(self):
        X, y, g = (each.iloc[self.order] for each in (self.X, self.y, self.g))
        for estimator in self.estimators():
            self.assertEqual(told(estimator.fit, X, y, sensitive_features=g), [])

    def test_labels_in_another_order_are_refused(self):
        y = self.y[self.order]
        for estimator in self.estimators():
            with self.assertRaisesRegex(dp2dp.DataError, r"y.loc\[X.index\]"):
                quietly(estimator.fit, self.X, y, sensitive_features=self.g)
            fitted = quietly(estimator.fit, self.X, self.y, sensitive_features=self.g)
            with self.assertRaisesRegex(dp2dp.DataError, r"y.loc\[X.index\]"):
                quietly(fitted.score, self.X, y, sensitive_features=self.g)
        private = PrivateLogisticRegression(bounds=(-4, 4), **COMMON)
        with self.assertRaisesRegex(dp2dp.DataError, r"y.loc\[X.index\]"):
            quietly(private.fit, self.X, y)

    def test_an_index_with_the_same_label_twice_gives_only_a_warning(self):
        X, g = self.X.set_axis([0, 1] * 200), self.g.set_axis([0, 0, 1, 1] * 100)
        for estimator in self.estimators():
            self.assertEqual(
                len(told(estimator.fit, X, self.y.to_numpy(), sensitive_features=g)), 1
            )

    def test_metrics_compare_the_indexes_too(self):
        other = self.g[self.order]
        for y_true, y_pred in ((self.y, self.y), (self.y, self.y.to_numpy()), (None, self.y)):
            with self.assertRaisesRegex(dp2dp.DataError, r"sensitive_features.loc"):
                metrics.unfairness(
                    y_true, y_pred, sensitive_features=other, constraints="demographic_parity"
                ) if y_true is None else metrics.evaluate(y_true, y_pred, sensitive_features=other)
        with self.assertRaisesRegex(dp2dp.DataError, r"y_true.loc"):
            metrics.evaluate(self.y[self.order], self.y, sensitive_features=self.g.to_numpy())

    def test_decisions_have_the_index_of_the_rows_they_are_about(self):
        X = self.X.set_axis(range(7, 407))
        y, g = (each.set_axis(X.index) for each in (self.y, self.g))
        fair, _ = self.estimators()
        decided = quietly(fair.fit, X, y, sensitive_features=g).predict(X, sensitive_features=g)
        order = g.index[self.order]
        alone, more = [metrics.rates_by_group, metrics.disparate_impact], [metrics.evaluate]
        for measure in (*alone, metrics.unfairness, RatesDisplay.from_predictions):
            for labels, groups in (
                (None, g[order]),
                (y[order], g[order]),
                (y[order], g.to_numpy()),
            ):
                words = r"the X that y_pred was predicted from .*\.loc\[X.index\]"
                with self.assertRaisesRegex(dp2dp.DataError, words):
                    quietly(measure, labels, decided, sensitive_features=groups)
        for measure in (*alone, *more, metrics.unfairness):
            other = g.set_axis(range(1000, 1400))
            self.assertEqual(len(told(measure, None, decided, sensitive_features=other)), 1)
            for labels, groups in ((y, g), (y, g.to_numpy()), (y.to_list(), g), (None, g.copy())):
                self.assertEqual(told(measure, labels, decided, sensitive_features=groups), [])
            for copied in (decided.copy(), decided[:], pd.Series(decided, y.index)):
                self.assertEqual(told(measure, y, copied, sensitive_features=g), [])
        plain = fair.predict(X.to_numpy(), sensitive_features=g.to_numpy())
        self.assertEqual(told(metrics.evaluate, y[order], plain, sensitive_features=g[order]), [])

    def test_decisions_of_a_model_have_the_index_of_the_scores(self):
        p = pd.DataFrame({"no": [0.6, 0.4] * 200, "yes": [0.4, 0.6] * 200}).iloc[self.order]
        codes = pd.Series(np.arange(400) % 2)
        model = quietly(core.fit, p, codes[p.index], n_groups=2, solver="exact")
        decided = quietly(model.predict, p, codes[p.index])
        given = dict(n_groups=2, n_classes=2)
        with self.assertRaisesRegex(dp2dp.DataError, r"pass groups.loc\[X.index\]"):
            quietly(core.evaluate, decided, codes, **given)
        self.assertEqual(told(core.evaluate, decided, codes[p.index], **given), [])

    def test_core_compares_the_indexes_too(self):
        p = pd.DataFrame({"no": [0.5] * 400, "yes": [0.5] * 400})
        codes = pd.Series(np.arange(400) % 2)
        shuffled = codes[self.order]
        model = quietly(core.fit, p, codes, n_groups=2, solver="exact")
        for call in (
            lambda: core.fit(p, shuffled, n_groups=2, solver="exact"),
            lambda: core.fit(
                p, codes, labels=shuffled, criterion="equal_opportunity", n_groups=2, solver="exact"
            ),
            lambda: core.count(p, shuffled, np.zeros((2, 2)), n_groups=2),
            lambda: model.predict(p, shuffled),
            lambda: model.adjust(p, shuffled),
            lambda: core.certify(model, p, shuffled, epsilon=1, delta=1e-5),
        ):
            with self.assertRaisesRegex(dp2dp.DataError, "same index in another order"):
                quietly(call)

    def test_labels_and_groups_are_compared_if_the_features_have_no_index(self):
        X, groups = self.X.to_numpy(), self.g[self.order]
        shuffled = {"sensitive_features": groups}
        weight = pd.Series(1.0, self.g.index)[self.order]
        calls = []
        for estimator in self.estimators():
            fitted = quietly(estimator.fit, X, self.y, sensitive_features=self.g)
            given = {**shuffled, "epsilon": 1, "delta": 1e-5}
            calls += [
                lambda one=fitted: one.fit(X, self.y, **shuffled),
                lambda one=fitted: one.score(X, self.y, **shuffled),
                lambda one=fitted: one.score(X, self.y, weight, sensitive_features=self.g),
                lambda one=fitted, given=given: one.certify(X, self.y, **given),
                lambda one=fitted: one.report(X=X, y=self.y, **shuffled),
                lambda one=fitted: RatesDisplay.from_estimator(one, X, self.y, **shuffled),
            ]
        weighted = FairPostProcessor(LogisticRegression(), **COMMON, groups=["f", "m"])
        given = {"sensitive_features": self.g, "sample_weight": weight}
        calls.append(lambda: weighted.fit(X, self.y, **given))
        decisions = self.y.to_numpy()
        for measure in (metrics.unfairness, metrics.disparate_impact, metrics.rates_by_group):
            calls.append(lambda one=measure: one(self.y, decisions, **shuffled))
        p, codes = np.full((400, 2), 0.5), pd.Series(np.arange(400) % 2)
        told = {"labels": codes[self.order], "criterion": "equal_opportunity", "n_groups": 2}
        calls.append(lambda: core.fit(p, codes, solver="exact", **told))
        for number, call in enumerate(calls):
            with (
                self.subTest(number),
                self.assertRaisesRegex(dp2dp.DataError, "same index in another order"),
            ):
                quietly(call)


if __name__ == "__main__":
    unittest.main()
