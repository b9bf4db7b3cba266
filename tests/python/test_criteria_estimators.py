"""The estimators fit every criterion, aware and unaware, and say whom they cover."""

import os
import pickle
import tempfile
import unittest
import warnings

import numpy as np
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dp2dp
from dp2dp import DP2DPClassifier, FairPostProcessor, Ledger, PrivateLogisticRegression
from people import BUDGET, SEEDED, labelled

LISTS = dict(classes=[0, 1], groups=[0, 1])
PUBLIC = dict(bounds=(-4, 4), classes=[0, 1])


def quiet(call, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*args, **options)


def post(**options):
    return FairPostProcessor(LogisticRegression(), **{**SEEDED, **LISTS, **options})


def both(**options):
    given = {**SEEDED, "bounds": (-4, 4), **LISTS, **options}
    return DP2DPClassifier(**given)


def gap(decisions, y, g, label):
    rates = [np.mean(decisions[(g == group) & (y == label)] == 1) for group in (0, 1)]
    return abs(rates[0] - rates[1])


class Aware(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.X, cls.y, cls.g = labelled(12_000)

    def test_every_criterion_is_met_on_other_people(self):
        half = 8000
        X, y, g = self.X[:half], self.y[:half], self.g[:half]
        test = self.X[half:], self.y[half:], self.g[half:]
        plain = LogisticRegression().fit(X, y).predict(test[0])
        for make in (post, both):
            for name, labels in (
                ("equal_opportunity", [1]),
                ("false_positive_rate_parity", [0]),
                ("equalized_odds", [0, 1]),
            ):
                with self.subTest(make=make.__name__, name=name):
                    fair = quiet(make(constraints=name, epsilon=5).fit, X, y, sensitive_features=g)
                    decisions = fair.predict(test[0], sensitive_features=test[2])
                    for label in labels:
                        self.assertLess(gap(decisions, test[1], test[2], label), 0.06)
                        self.assertGreater(gap(plain, test[1], test[2], label), 0.1)
                    self.assertIn("parity" if len(labels) == 1 else "odds", fair.model_.criterion)
                    adjusted = fair.decision_function(test[0], sensitive_features=test[2])
                    np.testing.assert_array_equal(decisions, (adjusted > 0).astype(int))

    def test_the_positive_class_is_given_by_its_label(self):
        text = np.where(self.y == 1, "yes", "no")
        X, g = self.X[:3000], self.g[:3000]
        options = dict(constraints="equal_opportunity", classes=["yes", "no"], positive="yes")
        fair = quiet(post(**options).fit, X, text[:3000], sensitive_features=g)
        self.assertEqual(fair.model_.classes[fair.model_.positive], "yes")
        for positive in ("maybe", 1):
            with self.assertRaisesRegex(dp2dp.OptionError, "positive must be one of the classes"):
                post(**{**options, "positive": positive}).fit(X, text[:3000], sensitive_features=g)

    def test_a_prefit_classifier_needs_y_for_criteria_with_labels(self):
        ready = LogisticRegression().fit(self.X[:3000], self.y[:3000])
        X, y, g = self.X[3000:6000], self.y[3000:6000], self.g[3000:6000]
        options = dict(prefit=True, **SEEDED, **LISTS)
        quiet(FairPostProcessor(ready, **options).fit, X, sensitive_features=g)
        fair = FairPostProcessor(ready, **options, constraints="equalized_odds")
        with self.assertRaisesRegex(ValueError, "requires y"):
            fair.fit(X, sensitive_features=g)
        quiet(fair.fit, X, y, sensitive_features=g)
        self.assertEqual(fair.model_.records, 3000)
        soft = FairPostProcessor(
            ready, **options, constraints="equalized_odds", options={"counted": "scores"}
        )
        quiet(soft.fit, X, sensitive_features=g)
        self.assertEqual(soft.model_.counted, "scores")

    def test_a_custom_criterion_is_an_option(self):
        X, y, g = self.X[:3000], self.y[:3000], self.g[:3000]
        rates = {"statistics": [(1, [1])]}
        fair = quiet(post(constraints="custom", options=rates).fit, X, y, sensitive_features=g)
        self.assertEqual(fair.model_.statistics, [(1, [1])])

    def test_bad_input_is_refused_before_any_charge(self):
        X, y, g = self.X[:1000], self.y[:1000], self.g[:1000]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ledger.json")
            for options, words in (
                (dict(constraints="fairness"), "constraints must be one of demographic_parity"),
                (dict(constraints=None), "constraints must be one of"),
                (dict(constraints="custom"), "statistics"),
                (dict(constraints="equalized_odds", positive=7), "positive"),
                (dict(constraints="equalized_odds", solver="sgd"), "'counts' or 'exact'"),
            ):
                for make in (post, both):
                    with self.subTest(options=options, make=make.__name__):
                        fair = make(**options, ledger=path)
                        with self.assertRaisesRegex(dp2dp.OptionError, words):
                            fair.fit(X, y, sensitive_features=g)
            for more, words in (
                ({"ids": list(range(1000))}, "estimators take no ids"),
                ({"dither_key": "id"}, "estimators take no ids"),
                ({"statistics": [(3, None)]}, "statistics"),
            ):
                with self.assertRaisesRegex(dp2dp.OptionError, words):
                    post(options=more, ledger=path).fit(X, y, sensitive_features=g)
                with self.assertRaisesRegex(dp2dp.OptionError, words):
                    both(fit_options=more, ledger=path).fit(X, y, sensitive_features=g)
            for options, words in (
                (dict(group_estimator=3), "group_estimator must be a classifier"),
                (dict(group_estimator=LogisticRegression(), group_target="y"), "group_target"),
                (dict(group_estimator=LogisticRegression(), solver="sgd"), "'counts' or 'exact'"),
                (dict(group_estimator=LogisticRegression(), bad_rows="ignore"), "prefit"),
            ):
                with self.assertRaisesRegex((TypeError, ValueError), words):
                    post(**options, ledger=path).fit(X, y, sensitive_features=g)
            self.assertFalse(os.path.exists(path) and Ledger.open(path).entries)

    def test_bad_labels_are_ignored_by_both_phases(self):
        X, y, g = self.X[:2000], self.y[:2000].astype(float), self.g[:2000]
        options = dict(constraints="equalized_odds", bad_rows="ignore")
        for unaware in (False, True):
            texts = set()
            for bad in (7, np.nan, -1):
                y[5], y[6] = bad, bad
                fair = both(**options, unaware=unaware)
                fair = quiet(fair.fit, X, y, sensitive_features=g)
                texts.add(fair.model_.to_json())
            self.assertEqual(len(texts), 1)

    def test_bad_groups_are_ignored_by_both_phases(self):
        X, y, g = self.X[:2000], self.y[:2000], self.g[:2000].astype(float)
        options = dict(constraints="equalized_odds", bad_rows="ignore", unaware=True)
        at = np.arange(40)  # in both parts
        whole = quiet(both(**options).fit, X, y, sensitive_features=g).model_.to_json()
        texts = set()
        for bad in (7, np.nan, -1):
            g[at] = bad
            fair = quiet(both(**options).fit, X, y, sensitive_features=g)
            texts.add(fair.model_.to_json())
        labels = y.astype(float)
        labels[at] = np.nan
        fair = quiet(both(**options).fit, X, labels, sensitive_features=self.g[:2000])
        self.assertEqual(texts, {fair.model_.to_json()})
        self.assertNotIn(whole, texts)

    def test_searches_pipelines_and_copies(self):
        X = np.column_stack([self.X[:2000], self.g[:2000]])
        fair = post(constraints="equalized_odds", sensitive_column=-1)
        whole = make_pipeline(fair)
        grid = {"fairpostprocessor__constraints": ["demographic_parity", "equal_opportunity"]}
        search = quiet(GridSearchCV(whole, grid, cv=2).fit, X, self.y[:2000])
        self.assertIn(search.best_params_["fairpostprocessor__constraints"], *grid.values())
        quiet(fair.fit, X, self.y[:2000])
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(fair)).predict(X), fair.predict(X))
        self.assertEqual(clone(fair).get_params()["constraints"], "equalized_odds")


class Unaware(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.X, cls.y, cls.g = labelled(9000)

    def fitted(self, fair, n=6000):
        return quiet(fair.fit, self.X[:n], self.y[:n], sensitive_features=self.g[:n])

    def test_predictions_need_no_group_and_ignore_one(self):
        makers = {
            "pairs": post(group_estimator=LogisticRegression(), constraints="equalized_odds"),
            "group": post(
                group_estimator=make_pipeline(StandardScaler(), LogisticRegression()),
                group_target="group",
                constraints="equal_opportunity",
            ),
            "parity": post(group_estimator=LogisticRegression()),
            "both": both(unaware=True, constraints="equalized_odds"),
            "both, parity": both(unaware=True),
        }
        for name, fair in makers.items():
            with self.subTest(name=name):
                self.fitted(fair)
                self.assertEqual(fair.model_.rule, "weighted")
                X, g = self.X[6000:], self.g[6000:]
                decisions = fair.predict(X)
                with warnings.catch_warnings(record=True) as told:
                    warnings.simplefilter("always")
                    for _ in range(2):
                        again = fair.predict(X, sensitive_features=1 - g)
                        np.testing.assert_array_equal(again, decisions)
                self.assertEqual([w.category for w in told], [dp2dp.FairnessWarning])
                p = fair.predict_proba(X)
                np.testing.assert_array_equal(p.argmax(axis=1), decisions)
                kept = "group-weights" in fair.model_.warnings
                self.assertEqual(kept, name == "group")

    def test_weights_are_in_the_order_of_groups_and_labels(self):
        X, y, g = labelled(6000, classes=3)
        for fair in (
            post(
                group_estimator=LogisticRegression(),
                classes=[0, 1, 2],
                constraints="equalized_odds",
            ),
            both(unaware=True, classes=[0, 1, 2], constraints="equalized_odds"),
        ):
            quiet(fair.fit, X, y, sensitive_features=g)
            p, weights = fair._scores_and_weights(X)
            pairs = weights.reshape(-1, 2, 3)
            self.assertGreater(np.mean(pairs.sum(axis=2).argmax(axis=1) == g), 0.7)
            same = np.mean(pairs.sum(axis=1).argmax(axis=1) == p.argmax(axis=1))
            self.assertGreater(same, 0.9)

    def test_the_rates_come_closer(self):
        # The test people's rates: standard error 0.02 each.
        X, g = self.X[6000:], self.g[6000:]
        before = LogisticRegression().fit(self.X[:6000], self.y[:6000]).predict(X)
        rate = lambda d, a: np.mean(d[g == a])  # noqa: E731
        for fair in (post(group_estimator=LogisticRegression(), epsilon=5), both(unaware=True)):
            decisions = self.fitted(fair).predict(X)
            self.assertLess(abs(rate(decisions, 0) - rate(decisions, 1)), 0.1)
        self.assertGreater(abs(rate(before, 0) - rate(before, 1)), 0.3)

    def test_who_is_covered(self):
        private = lambda: PrivateLogisticRegression(**BUDGET, **PUBLIC)  # noqa: E731
        guess = PrivateLogisticRegression(**BUDGET, bounds=(-4, 4))
        odds = dict(BUDGET, **LISTS, constraints="equalized_odds")
        plain = self.fitted(
            FairPostProcessor(private(), **odds, group_estimator=LogisticRegression())
        )
        self.assertEqual(plain.model_.not_private_because, ["classifier-not-private"])
        self.assertEqual([c.role for c in plain.model_.covers], ["pool"])
        ours = self.fitted(FairPostProcessor(private(), **odds, group_estimator=guess))
        self.assertEqual(ours.model_.not_private_because, [])
        train, pool = ours.model_.covers
        # Two classifiers cost their people more than one, and less than twice as much.
        self.assertTrue(1 < train.epsilon < 2)
        self.assertLessEqual(pool.epsilon, 1)
        leaky = PrivateLogisticRegression(**BUDGET, **PUBLIC, insecure_seed=1)
        mixed = self.fitted(FairPostProcessor(leaky, **odds, group_estimator=guess))
        self.assertEqual(mixed.model_.not_private_because, ["classifier-not-private"])
        whole = self.fitted(both(unaware=True, constraints="equalized_odds", insecure_seed=None))
        self.assertTrue(whole.model_.private)
        self.assertTrue(all(cover.epsilon <= 1 for cover in whole.model_.covers))

    def test_a_prefit_pair_states_no_cost_unless_told(self):
        estimator = PrivateLogisticRegression(**BUDGET, **PUBLIC).fit(self.X[:2000], self.y[:2000])
        pairs = 2 * self.g[:2000] + self.y[:2000]
        guess = LogisticRegression().fit(self.X[:2000], pairs)
        options = dict(prefit=True, **BUDGET, **LISTS, constraints="equalized_odds")
        fair = FairPostProcessor(estimator, group_estimator=guess, **options)
        quiet(fair.fit, self.X[2000:], self.y[2000:], sensitive_features=self.g[2000:])
        self.assertIn("scores-origin-not-stated", fair.model_.warnings)
        frozen = FrozenEstimator(guess)
        told = FairPostProcessor(
            estimator, group_estimator=frozen, scores_epsilon=3, scores_delta=1e-5, **options
        )
        quiet(told.fit, self.X[2000:], self.y[2000:], sensitive_features=self.g[2000:])
        self.assertNotIn("scores-origin-not-stated", told.model_.warnings)

    def test_the_ledger_pays_for_both_classifiers(self):
        private = PrivateLogisticRegression(**BUDGET, **PUBLIC)
        guess = PrivateLogisticRegression(**BUDGET, bounds=(-4, 4))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ledger.json")
            fair = FairPostProcessor(private, group_estimator=guess, **BUDGET, **LISTS, ledger=path)
            self.fitted(fair)
            verbs = [entry.verb for entry in Ledger.open(path).entries if entry.event]
            self.assertEqual(verbs.count("train"), 2)
            self.assertGreater(Ledger.open(path).spent(1e-4), 1.5)

    def test_the_group_may_be_a_column_that_the_classifiers_never_see(self):
        X = np.column_stack([self.X, self.g])
        for make in (
            lambda **o: post(group_estimator=LogisticRegression(), **o),
            lambda **o: both(unaware=True, **o),
        ):
            fair = quiet(make(sensitive_column=-1).fit, X[:3000], self.y[:3000])
            other = X[3000:].copy()
            other[:, -1] = 1 - other[:, -1]
            np.testing.assert_array_equal(fair.predict(other), fair.predict(X[3000:]))
            with self.assertRaisesRegex(dp2dp.OptionError, "drop_sensitive"):
                quiet(make(sensitive_column=-1, drop_sensitive=False).fit, X, self.y)

    def test_cuts_make_groups_for_unaware_rules_too(self):
        age = 40 + 10 * self.g + self.X[:, 0]
        fair = both(unaware=True, groups=None, sensitive_cuts=[45], constraints="equalized_odds")
        quiet(fair.fit, self.X, self.y, sensitive_features=age)
        self.assertEqual(fair.model_.groups, ["<= 45", "> 45"])
        self.assertEqual(len(fair.predict(self.X)), len(self.X))

    def test_three_classes_and_three_groups(self):
        X, y, _ = labelled(6000, classes=3)
        rng = np.random.default_rng(1)
        g = np.clip(np.digitize(X[:, 0] + rng.normal(size=len(X)), [0, 1]), 0, 2)
        lists = dict(classes=[0, 1, 2], groups=[0, 1, 2], constraints="equalized_odds")
        for fair in (
            post(**lists, group_estimator=LogisticRegression()),
            both(**lists, unaware=True),
            post(**lists),
        ):
            quiet(fair.fit, X, y, sensitive_features=g)
            self.assertEqual(fair.model_.offsets.shape, (3, 3, 3))
            self.assertEqual(fair.predict(X, sensitive_features=g).shape, (6000,))


if __name__ == "__main__":
    unittest.main()
