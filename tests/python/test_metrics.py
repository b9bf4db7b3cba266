"""dp2dp.metrics gives the numbers of small examples worked by hand."""

import importlib.util
import unittest
import warnings

import numpy as np
import pandas as pd
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dp2dp
from dp2dp import FairPostProcessor, metrics
from people import SEEDED, labelled

TRUE = np.array(["a", "b", "c", "a", "b", "c"])
PRED = np.array(["a", "b", "b", "a", "a", "c"])
GROUP = np.array([1, 1, 1, 2, 2, 2])


class Metrics(unittest.TestCase):
    def test_rates_are_counted(self):
        found = metrics.rates_by_group(TRUE, PRED, sensitive_features=GROUP)
        third = 1 / 3
        self.assertEqual(found[1], {"a": third, "b": 2 * third, "c": 0.0})
        self.assertEqual(found[2], {"a": 2 * third, "b": 0.0, "c": third})
        self.assertAlmostEqual(metrics.unfairness(TRUE, PRED, sensitive_features=GROUP), 2 / 3)

    def test_one_group_alone_cannot_be_compared(self):
        alone = ["a"] * len(PRED)
        self.assertIsNone(metrics.unfairness(TRUE, PRED, sensitive_features=alone))
        found = metrics.evaluate(TRUE, PRED, sensitive_features=alone)
        self.assertEqual((found.unfairness, found.unfairness_interval), (None, (None, None)))
        self.assertIsNone(found.criteria["demographic_parity"].unfairness)

    def test_accuracy_comes_with_its_interval(self):
        found = metrics.evaluate(TRUE, PRED, sensitive_features=GROUP, bootstrap_draws=0)
        self.assertAlmostEqual(found.accuracy, 4 / 6)
        self.assertLess(found.accuracy_interval[0], 4 / 6)
        self.assertGreater(found.accuracy_interval[1], 4 / 6)
        self.assertEqual(found.unfairness_interval, (None, None))

    def test_probabilities_are_not_taken_for_classes(self):
        p, y, g = np.linspace(0, 1, 6), [0, 0, 0, 1, 1, 1], GROUP
        for bad in (p, p.astype(np.float32), p.tolist(), p.astype(object)):
            for measure in (
                metrics.unfairness,
                metrics.evaluate,
                metrics.rates_by_group,
                metrics.disparate_impact,
            ):
                with self.assertRaisesRegex(dp2dp.DataError, "row 2: y_pred .* a probability"):
                    measure(y, bad, sensitive_features=g)
            with self.assertRaisesRegex(dp2dp.DataError, "row 2: y_true .* a probability"):
                metrics.evaluate(bad, y, sensitive_features=g)
            with self.assertRaisesRegex(dp2dp.DataError, "row 2: y_pred .* a probability"):
                metrics.evaluate(y, bad, sensitive_features=g, classes=[0, 1])
        whole = metrics.evaluate(np.float64(y), np.float64(y), sensitive_features=g)
        self.assertEqual(whole.accuracy, 1)
        halves = np.array(y) / 2
        found = metrics.unfairness(y, halves, sensitive_features=g, classes=[0, 0.5])
        self.assertEqual(found, 1)

    def made_up(self, classes=2, groups=3, n=900):
        rng = np.random.default_rng(classes)
        g, y = rng.integers(0, groups, n), rng.integers(0, classes, n)
        d = np.where(rng.random(n) < 0.5 + 0.1 * g, y, rng.integers(0, classes, n))
        return y, d, g

    def test_every_criterion_is_the_largest_difference_of_its_rates(self):
        for classes in (2, 3):
            y, d, g = self.made_up(classes)
            every = range(classes)

            def gap(k, labels, y=y, d=d, g=g):
                rates = [np.mean(d[(g == a) & np.isin(y, labels)] == k) for a in range(3)]
                return max(rates) - min(rates)

            some = every if classes > 2 else [1]
            others = {k: [j for j in every if j != k] for k in every}
            expected = {
                "demographic_parity": max(gap(k, every) for k in every),
                "equal_opportunity": max(gap(k, [k]) for k in some),
                "true_positive_rate_parity": max(gap(k, [k]) for k in some),
                "predictive_equality": max(gap(k, others[k]) for k in some),
                "equalized_odds": max(gap(k, [label]) for k in every for label in every),
            }
            for name, value in expected.items():
                with self.subTest(name=name, classes=classes):
                    given = dict(sensitive_features=g, constraints=name)
                    self.assertAlmostEqual(metrics.unfairness(y, d, **given), value)
            found = metrics.unfairness(
                *(y, d), sensitive_features=g, constraints="equal_opportunity", positive=0
            )
            self.assertAlmostEqual(found, gap(0, [0]))
            found = metrics.unfairness(
                *(y, d),
                sensitive_features=g,
                constraints="custom",
                statistics=[(0, [1]), (1, None)],
                classes=list(every),
            )
            self.assertAlmostEqual(found, max(gap(0, [1]), gap(1, every)))
            whole = metrics.evaluate(y, d, sensitive_features=g)
            odds = whole.criteria["equalized_odds"]
            k, labels = odds.statistic
            high = np.mean(d[(g == odds.group_high) & np.isin(y, labels)] == k)
            low = np.mean(d[(g == odds.group_low) & np.isin(y, labels)] == k)
            self.assertAlmostEqual(high - low, odds.unfairness)
            self.assertLessEqual(odds.interval[0], odds.unfairness)
            self.assertGreaterEqual(odds.interval[1], odds.unfairness)
            self.assertEqual(odds.rates.shape, (3, classes * classes))
            counts = np.zeros((3, classes, classes), int)
            np.add.at(counts, (g, y, d), 1)
            np.testing.assert_array_equal(whole.label_counts, counts)

    def test_the_table_has_every_rate_of_every_group(self):
        y, d, g = self.made_up()
        for positive in (0, 1):
            table = metrics.table_by_group(y, d, sensitive_features=g, positive=positive)
            for a, row in table.items():
                t, p = y[g == a] == positive, d[g == a] == positive
                expected = dict(
                    count=len(t),
                    selection_rate=p.mean(),
                    true_positive_rate=p[t].mean(),
                    false_positive_rate=p[~t].mean(),
                    precision=t[p].mean(),
                    error=(t != p).mean(),
                )
                self.assertEqual(row.keys(), expected.keys())
                for name, value in expected.items():
                    self.assertAlmostEqual(row[name], value)
        rates = [np.mean(d[g == a] == 1) for a in range(3)]
        found = metrics.disparate_impact(y, d, sensitive_features=g)
        self.assertAlmostEqual(found, min(rates) / max(rates))
        self.assertIsNone(metrics.disparate_impact(None, [0, 0], sensitive_features=[0, 1]))
        y, d, g = self.made_up(3)
        with self.assertRaisesRegex(ValueError, "positive must name"):
            metrics.table_by_group(y, d, sensitive_features=g)

    def test_what_cannot_be_measured_is_refused_or_none(self):
        y, d, g = self.made_up()
        for options, words in (
            (dict(constraints="fair"), "constraints must be one of"),
            (dict(constraints="custom"), "constraints='custom' needs statistics"),
            (dict(statistics=[(1, None)]), "statistics needs constraints='custom', not"),
            (dict(constraints="custom", statistics=[(1, [1])]), "pass this list of all classes"),
            (dict(constraints="equalized_odds", positive=5), "positive must be one of"),
        ):
            with self.subTest(options=options), self.assertRaisesRegex(ValueError, words):
                metrics.unfairness(y, d, sensitive_features=g, **options)
        with self.assertRaisesRegex(ValueError, "pass y_true"):
            metrics.unfairness(None, d, sensitive_features=g, constraints="equalized_odds")
        ones = dict(sensitive_features=[0, 1], constraints="equal_opportunity")
        with self.assertRaisesRegex(ValueError, "only one class occurs"):
            metrics.unfairness([1, 1], [1, 1], **ones)
        self.assertEqual(metrics.unfairness([1, 1], [1, 1], classes=[0, 1], **ones), 0)
        self.assertIsNone(metrics.unfairness([1, 0], [1, 1], **ones))

    def test_a_group_or_a_label_that_is_left_out_is_told(self):
        g = np.repeat(["north", "south", "west"], 40)
        y, d = np.tile([0, 1], 60), np.tile([0, 0, 1, 1], 30)
        west = np.where(g == "west", 0, y)

        class Rule:
            def predict(self, X):
                return d

        def told(y, name, groups=g):
            frame = pd.DataFrame({"group": groups})
            scorer = metrics.unfairness_scorer("group", constraints=name)
            given = dict(sensitive_features=groups, constraints=name)
            texts = []
            for call in (
                lambda: metrics.unfairness(y, d, **given),
                lambda: scorer(Rule(), frame, y),
            ):
                with warnings.catch_warnings(record=True) as found:
                    warnings.simplefilter("always")
                    call()
                texts.append([str(one.message) for one in found])
            self.assertEqual(*texts)
            return [text for text in texts[0] if text.startswith("rates-undefined")]

        (words,) = told(west, "equal_opportunity")
        self.assertIn("nobody in the group 'west' has the label 1, so the unfairness com", words)
        (words,) = told(np.ones_like(y), "equalized_odds")
        self.assertIn("nobody has the label 0, so the unfairness leaves out", words)
        for name in ("demographic_parity", "equalized_odds", "predictive_equality"):
            self.assertEqual(told(y, name), [])
        self.assertEqual(told(west, "demographic_parity") + told(west, "predictive_equality"), [])

    def test_a_scorer_is_better_if_it_is_fairer(self):
        y, d, g = self.made_up()

        class Rule:
            def predict(self, X):
                return X[:, 0]

        X = np.column_stack([d, g])
        for name in ("demographic_parity", "equalized_odds"):
            score = metrics.unfairness_scorer(1, constraints=name)
            expected = metrics.unfairness(y, d, sensitive_features=g, constraints=name)
            self.assertAlmostEqual(score(Rule(), X, y), -expected)

    def test_a_scorer_takes_the_positive_class_of_the_estimator(self):
        X, y, g = labelled(900)
        y, X = np.where(y == 1, "approved", "denied"), np.column_stack([X, g])
        name = dict(constraints="equal_opportunity")
        for options in (name, {}):
            fair = FairPostProcessor(
                GaussianNB(),
                **SEEDED,
                classes=["denied", "approved"],
                groups=[0, 1],
                sensitive_column=-1,
                **options,
            )
            for estimator in (fair, make_pipeline("passthrough", fair)):
                decisions = estimator.fit(X, y).predict(X)
                expected = metrics.unfairness(
                    y, decisions, sensitive_features=g, positive="approved", **name
                )
                scorer = metrics.unfairness_scorer(-1, **name)
                self.assertAlmostEqual(scorer(estimator, X, y), -expected)
                other = metrics.unfairness_scorer(-1, positive="denied", **name)
                self.assertNotAlmostEqual(other(estimator, X, y), -expected)

    def test_a_scorer_works_under_metadata_routing(self):
        X, y, g = labelled(900)
        scorer = metrics.unfairness_scorer()
        fair = FairPostProcessor(GaussianNB(), **SEEDED, classes=[0, 1], groups=[0, 1])
        with self.assertRaisesRegex(ValueError, "the scorer got no groups"):
            scorer(GaussianNB().fit(X, y), X, y)
        with sklearn.config_context(enable_metadata_routing=True):
            fair.set_fit_request(sensitive_features=True)
            fair.set_predict_request(sensitive_features=True)
            for estimator, name in (
                (fair, "rho"),
                (make_pipeline(StandardScaler(), fair), "fairpostprocessor__rho"),
            ):
                search = GridSearchCV(
                    estimator, {name: [0.0, 0.5]}, scoring=scorer, cv=3, error_score="raise"
                )
                search.fit(X, y, sensitive_features=g)
                self.assertEqual(search.best_params_, {name: 0.0})
                self.assertGreater(search.best_score_, -0.2)
            both = {"fair": scorer, "plain": "accuracy"}
            found = cross_validate(
                GaussianNB(), X, y, scoring=both, params={"sensitive_features": g}, cv=3
            )
            self.assertLess(found["test_fair"].max(), -0.3)
            again = clone(scorer).set_score_request(sensitive_features="sex")
            found = cross_val_score(GaussianNB(), X, y, scoring=again, params={"sex": g}, cv=3)
            self.assertLess(found.max(), -0.3)

    @unittest.skipUnless(importlib.util.find_spec("fairlearn"), "fairlearn is not installed")
    def test_two_classes_give_the_numbers_of_fairlearn(self):
        import fairlearn.metrics as theirs

        y, d, g = self.made_up()
        for name, function in (
            ("demographic_parity", theirs.demographic_parity_difference),
            ("equal_opportunity", theirs.true_positive_rate_difference),
            ("predictive_equality", theirs.false_positive_rate_difference),
            ("equalized_odds", theirs.equalized_odds_difference),
        ):
            ours = metrics.unfairness(y, d, sensitive_features=g, constraints=name)
            self.assertAlmostEqual(ours, function(y, d, sensitive_features=g))
        ours = metrics.disparate_impact(y, d, sensitive_features=g)
        self.assertAlmostEqual(ours, theirs.demographic_parity_ratio(y, d, sensitive_features=g))

    def test_lengths_that_differ_are_refused(self):
        with self.assertRaisesRegex(ValueError, "inconsistent"):
            metrics.unfairness(TRUE, PRED, sensitive_features=GROUP[1:])

    @unittest.skipUnless(importlib.util.find_spec("fairlearn"), "fairlearn is not installed")
    def test_metric_frames_take_them(self):
        from fairlearn.metrics import MetricFrame, demographic_parity_difference

        y = (PRED == "a").astype(int)
        ours = metrics.unfairness(y, y, sensitive_features=GROUP)
        theirs = demographic_parity_difference(y, y, sensitive_features=GROUP)
        self.assertAlmostEqual(ours, theirs)
        frame = MetricFrame(
            metrics=metrics.unfairness,
            y_true=y,
            y_pred=y,
            sensitive_features=["x"] * 6,
            sample_params={"sensitive_features": GROUP},
        )
        self.assertAlmostEqual(frame.overall, theirs)
