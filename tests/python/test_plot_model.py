"""Figures of privacy curves and of thresholds."""

import numpy as np
from sklearn.linear_model import LogisticRegression

import dp2dp
from dp2dp.plot import PrivacyCurveDisplay, RatesDisplay, ThresholdDisplay
from figures import Figures, fair, quietly
from people import labelled


class PrivacyCurves(Figures):
    def accountant(self, sigma=4):
        accountant = dp2dp.Accountant()
        accountant.add(dp2dp.Event("gaussian", sensitivity=1, sigma=sigma))
        return accountant

    def test_the_curve_is_the_accountants(self):
        accountant = self.accountant()
        display = PrivacyCurveDisplay.from_accountant(accountant, delta=1e-5, name="a release")
        texts = self.sees(display)
        self.assertIn("ε (replace-one adjacency)", texts)
        self.assertIn("δ (probability, upper bound)", texts)
        np.testing.assert_array_equal(display.deltas, accountant.curve(display.epsilons))
        np.testing.assert_array_equal(display.line_.get_ydata(), display.deltas)
        self.assertEqual(self.legend(display), ["a release", "ε = 0.927 at δ = 1e-5"])
        # The number is rounded up: 0.9266...
        self.assertLess(accountant.epsilon(1e-5), 0.927)
        self.assertLess(display.deltas[-1], 1.1e-10)
        given = PrivacyCurveDisplay.from_accountant(accountant, epsilons=[0.5, 1])
        self.assertEqual(given.epsilons.tolist(), [0.5, 1])
        self.assertIsNone(given.legend_)

    def test_several_curves_share_axes_and_are_all_in_sight(self):
        one = PrivacyCurveDisplay.from_accountant(self.accountant(), name="one")
        two = PrivacyCurveDisplay.from_accountant(self.accountant(2), name="two", ax=one.ax_)
        self.assertEqual(one.ax_.get_xlim()[0], 0)
        self.assertGreater(one.ax_.get_xlim()[1], two.epsilons[-1])
        self.assertNotEqual(one.line_.get_color(), two.line_.get_color())
        self.assertNotEqual(one.line_.get_linestyle(), two.line_.get_linestyle())
        self.assertEqual(self.legend(two), ["one", "two"])
        self.sees(two)

    def test_a_ledger_shows_its_budget(self):
        ledger = dp2dp.Ledger()
        with self.assertRaisesRegex(ValueError, "nothing was released yet"):
            PrivacyCurveDisplay.from_ledger(ledger)
        ledger.set_budget(2, 1e-5)
        ledger.charge(dp2dp.Event("gaussian", sensitivity=1, sigma=4))
        display = PrivacyCurveDisplay.from_ledger(ledger)
        self.assertEqual(self.legend(display), ["budget: ε = 2 at δ = 1e-5"])
        self.assertEqual(display.marks_[0].get_xydata().tolist(), [[2, 1e-5]])
        self.sees(display)
        ledger.charge(dp2dp.Event("gaussian", sensitivity=1, sigma=9), insecure=True)
        with self.assertWarnsRegex(dp2dp.PrivacyWarning, "insecure-noise"):
            display = PrivacyCurveDisplay.from_ledger(ledger)
        self.assertEqual(self.legend(display)[0], "NOT PRIVATE")
        self.assertIn("NOT PRIVATE", display.caption)

    def test_an_estimator_stands_for_its_model_and_a_path_says_how_to_open_it(self):
        X, y, g = labelled(900)
        sex, y = np.where(g == 1, "m", "f"), np.where(y == 1, "yes", "no")
        estimator = fair(X, y, sex)
        for display in (ThresholdDisplay, PrivacyCurveDisplay):
            quietly(display.from_model, estimator)
            with self.assertRaisesRegex(TypeError, "fitted estimator of dp2dp, not str"):
                display.from_model("model.json")
        with self.assertRaisesRegex(TypeError, r"not str; dp2dp.Ledger.open\(path\)"):
            PrivacyCurveDisplay.from_ledger("ledger.json")

    def test_what_was_released_without_noise_has_no_curve(self):
        ledger = dp2dp.Ledger()
        ledger.charge(dp2dp.Event("exposed"))
        with self.assertRaisesRegex(ValueError, "the ledger has no privacy curve"):
            PrivacyCurveDisplay.from_ledger(ledger)
        p = np.random.default_rng(0).dirichlet([1, 1], 500)
        declared = dict(epsilon=1, delta=1e-5, scores_epsilon=1, scores_delta=1e-6)
        codes = np.arange(500) % 2
        both = quietly(dp2dp.fit, p, codes, n_groups=2, same_people=True, **declared)
        display = PrivacyCurveDisplay.from_model(both)
        self.assertGreater(display.epsilons[-1], both.epsilon)  # the mark is on the curve
        exact = quietly(dp2dp.fit, p, codes, n_groups=2, solver="exact")
        with self.assertRaisesRegex(ValueError, "the model has no privacy curve"):
            PrivacyCurveDisplay.from_model(exact)

    def test_a_model_shows_its_promise_and_to_whom_it_is_made(self):
        p = np.random.default_rng(0).dirichlet([1, 1], 2000)
        codes = np.arange(2000) % 2
        model = quietly(dp2dp.fit, p, codes, n_groups=2, epsilon=1, delta=1e-5)
        display = PrivacyCurveDisplay.from_model(model)
        self.assertEqual(self.legend(display), ["the model: ε = 1 at δ = 1e-5"])
        self.assertLessEqual(np.interp(1, display.epsilons, display.deltas), 1.05e-5)
        self.sees(display)
        seeded = quietly(dp2dp.fit, p, codes, n_groups=2, epsilon=1, delta=1e-5, insecure_seed=1)
        with self.assertWarnsRegex(dp2dp.PrivacyWarning, "not-private"):
            display = PrivacyCurveDisplay.from_model(seeded)
        self.assertEqual(self.legend(display)[0], "NOT PRIVATE")
        X, y, g = labelled(3000)
        sex, y = np.where(g == 1, "m", "f"), np.where(y == 1, "yes", "no")
        part = fair(X, y, sex, insecure_seed=None).model_
        with self.assertWarnsRegex(dp2dp.PrivacyWarning, "not-private"):
            display = PrivacyCurveDisplay.from_model(part)
        self.assertEqual(self.legend(display)[0], "only for the 900 records of the pool")
        self.sees(display)


class Thresholds(Figures):
    @classmethod
    def setUpClass(cls):
        X, y, g = labelled(4000)
        cls.X, cls.y, cls.sex = X, np.where(y == 1, "yes", "no"), np.where(g == 1, "m", "f")

    def test_thresholds_are_where_the_model_changes_its_mind(self):
        p = np.linspace(0, 1, 4001)
        scores = np.column_stack([1 - p, p])
        for options in (
            {},
            dict(options={"dither": 0.05, "dither_key": "scores"}),
            dict(constraints="equal_opportunity"),
            dict(constraints="equalized_odds"),
        ):
            estimator = fair(self.X, self.y, self.sex, **options)
            model = estimator.model_
            display = ThresholdDisplay.from_estimator(estimator)
            with self.subTest(options=options, rule=model.rule):
                for g in range(2):
                    at, low, high = display.thresholds[g]
                    decisions = model.predict(scores, np.full(len(p), g))
                    self.assertTrue(np.all(decisions[p < low - 1e-3] == 0))
                    self.assertTrue(np.all(decisions[p > high + 1e-3] == 1))
                    self.assertLessEqual(low, at)
                    inside = decisions[(p > low) & (p < high)]
                    if model.info["dither"]:
                        self.assertEqual(set(inside), {0, 1})
                texts = self.sees(display)
                words = "lowest probability of yes that is enough for yes (%)"
                self.assertIn(words, texts)
                for value in display.thresholds[:, 0]:
                    self.assertIn(f"{100 * value:.1f}", texts)
                self.assertEqual(self.legend(display), ["without the rule", "with the rule"])
                dithered = model.info["dither"] > 0
                title = display.legend_.get_title().get_text()
                self.assertEqual(title, "bars: the dither decides" if dithered else "")

    def test_other_rules_are_tables_of_offsets(self):
        p = np.random.default_rng(0).dirichlet([1, 1, 1], 3000)
        names = dict(group_names=["a", "b"], class_names=["low", "middle", "high"])
        model = quietly(dp2dp.fit, p, np.arange(3000) % 2, **names, epsilon=1, delta=1e-5)
        unaware = fair(self.X, self.y, self.sex, group_estimator=LogisticRegression()).model_
        odds = fair(self.X, self.y, self.sex, constraints="equalized_odds").model_
        for one, why, rows in (
            (model, "has more than two classes", ["a", "b"]),
            (unaware, "does not see the group", ["f", "m"]),
            (
                odds,
                None,
                ["f, labelled no", "f, labelled yes", "m, labelled no", "m, labelled yes"],
            ),
        ):
            display = ThresholdDisplay.from_model(one, kind="offsets")
            self.assertEqual(display.kind_, "offsets")
            texts = self.sees(ThresholdDisplay.from_model(one, kind="offsets"))
            self.assertIn("offset (percentage points)\nabove 0: class given less often", texts)
            self.assertEqual([t.get_text() for t in display.ax_.get_yticklabels()], rows)
            for value in one.offsets.ravel():
                self.assertIn(f"{100 * abs(value):.1f}", " ".join(texts))
            if why is not None:
                self.assertIsNone(display.thresholds)
                self.assertEqual(ThresholdDisplay.from_model(one).kind_, "offsets")
                with self.assertRaisesRegex(ValueError, why + ".*; use kind='offsets'"):
                    ThresholdDisplay.from_model(one, kind="thresholds")
        self.assertIn("does not see the group", ThresholdDisplay.from_model(unaware).caption)

    def test_the_thresholds_are_those_of_the_positive_class(self):
        estimator = fair(self.X, self.y, self.sex, classes=["yes", "no"])
        display = ThresholdDisplay.from_estimator(estimator)
        texts = self.sees(display)
        self.assertIn("lowest probability of no that is enough for no (%)", texts)
        rates = quietly(RatesDisplay.from_estimator, estimator, self.X, sensitive_features=self.sex)
        self.assertIn("people who get no (% of the group)", rates.ax_.get_xlabel())
        other = ThresholdDisplay.from_estimator(estimator, positive="yes")
        np.testing.assert_allclose(display.thresholds[:, 0], 1 - other.thresholds[:, 0])
        self.assertIn("A person gets yes if", other.caption)
        with self.assertRaisesRegex(ValueError, "positive must be one of the classes, not 'maybe'"):
            ThresholdDisplay.from_model(estimator.model_, positive="maybe")

    def test_large_tables_stay_readable(self):
        offsets = np.random.default_rng(0).normal(size=(20, 50))
        groups, classes = [f"group {i}" for i in range(20)], [f"occupation {i}" for i in range(50)]
        axes = self.plt.subplots(figsize=(7, 5), layout="constrained")[1]
        display = ThresholdDisplay(offsets, groups=groups, classes=classes).plot(axes)
        self.assertEqual(len(display.ax_.get_xticklabels()), 50)
        self.assertEqual(len(display.ax_.texts), 0)

    def test_thresholds_beyond_the_axis_say_what_they_mean(self):
        display = ThresholdDisplay([[0, 3], [0, -3]], groups=["a", "b"], classes=[0, 1]).plot()
        self.assertTrue({"nobody", "all"} <= set(self.sees(display)))

    def test_what_has_no_rule_is_refused(self):
        classifier = dp2dp.PrivateLogisticRegression(
            epsilon=1, delta=1e-5, bounds=(-4, 4), classes=["no", "yes"]
        ).fit(self.X, self.y)
        with self.assertRaisesRegex(ValueError, "the model has a classifier but no rule"):
            ThresholdDisplay.from_estimator(classifier)
        with self.assertRaisesRegex(TypeError, "must be a dp2dp.FairPost.*not Logistic"):
            ThresholdDisplay.from_estimator(LogisticRegression().fit(self.X, self.y))
        with self.assertRaisesRegex(ValueError, "kind must be 'thresholds' or 'offsets'"):
            ThresholdDisplay([[0, 0]], groups=["a"], classes=[0, 1]).plot(kind="bars")
