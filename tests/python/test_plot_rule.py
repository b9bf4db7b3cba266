"""Figures of a rule show its thresholds or its offsets."""

import numpy as np
from sklearn.linear_model import LogisticRegression

import dp2dp
from dp2dp.plot import ThresholdDisplay
from people import labelled
from test_plot import Figures, fair, quietly


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
                self.assertIn("probability of yes from which yes is given (%)", texts)
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
            self.assertIn("offset (percentage points)\nabove 0: given less often", texts)
            self.assertEqual([t.get_text() for t in display.ax_.get_yticklabels()], rows)
            for value in one.offsets.ravel():
                self.assertIn(f"{100 * abs(value):.1f}", " ".join(texts))
            if why is not None:
                self.assertIsNone(display.thresholds)
                self.assertEqual(ThresholdDisplay.from_model(one).kind_, "offsets")
                with self.assertRaisesRegex(ValueError, why + ".*; use kind='offsets'"):
                    ThresholdDisplay.from_model(one, kind="thresholds")
        self.assertIn("does not see the group", ThresholdDisplay.from_model(unaware).caption)

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
        with self.assertRaisesRegex(ValueError, "the model has no rule, only a classifier"):
            ThresholdDisplay.from_estimator(classifier)
        with self.assertRaisesRegex(TypeError, "must be a fair estimator of dp2dp.*not Logistic"):
            ThresholdDisplay.from_estimator(LogisticRegression().fit(self.X, self.y))
        with self.assertRaisesRegex(ValueError, "kind must be 'thresholds' or 'offsets'"):
            ThresholdDisplay([[0, 0]], groups=["a"], classes=[0, 1]).plot(kind="bars")
