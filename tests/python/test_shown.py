"""What people see of models and evaluations, in a terminal and in a notebook."""

import unittest

import numpy as np

import dp2dp
from dp2dp import metrics
from people import fitted, scores


class Evaluations(unittest.TestCase):
    def setUp(self):
        self.y = np.array([0, 1, 1, 1, 0, 1, 0, 0])
        self.d = np.array([0, 1, 0, 1, 1, 1, 0, 0])
        self.g = np.array(["f", "f", "f", "m<b>", "m<b>", "m<b>", "m<b>", "f"])
        self.found = metrics.evaluate(self.y, self.d, sensitive_features=self.g)

    def test_the_table_has_the_rates_of_each_group(self):
        frame = self.found.to_frame()
        table = metrics.table_by_group(self.y, self.d, sensitive_features=self.g)
        for group, row in table.items():
            for name, value in row.items():
                self.assertEqual(frame.loc[(1, group), name], value)
        self.assertEqual(len(frame), 2)

    def test_it_prints_as_a_small_table(self):
        text = str(self.found)
        self.assertIn("NOT private", text)
        self.assertIn("accuracy 0.750", text)
        self.assertRegex(text, r"group +people +selected +TPR +FPR +precision +error")
        self.assertRegex(text, r"\nf +4 +0\.250 +0\.500 +0\.000 +1\.000 +0\.250")
        self.assertLess(len(text.splitlines()), 12)
        self.assertEqual(repr(self.found), text)

    def test_it_shows_itself_in_notebooks(self):
        page = self.found._repr_html_()
        for word in ("selected", "TPR", "FPR", "error", "0.250", "NOT private"):
            self.assertIn(word, page)
        self.assertNotIn("m<b>", page)
        self.assertIn("m&lt;b&gt;", page)

    def test_it_names_the_class_of_its_rates(self):
        words = np.where(self.d, "approved", "denied<b>")
        found = metrics.evaluate(None, words, sensitive_features=self.g)
        self.assertIn("positive class: 'denied<b>', the second of two", str(found))
        self.assertIn("denied&lt;b&gt;", found._repr_html_())
        named = metrics.evaluate(None, words, sensitive_features=self.g, positive="approved")
        self.assertIn("positive class: 'approved'\n", str(named))
        codes = dp2dp.evaluate(self.d, self.d, n_groups=2, n_classes=2)
        self.assertIn("positive class: 1, the second of two", str(codes))
        self.assertNotIn("positive class", str(dp2dp.evaluate([0], [0], n_groups=2, n_classes=3)))

    def test_without_labels_only_selection_is_shown(self):
        found = metrics.evaluate(None, self.d, sensitive_features=self.g)
        self.assertEqual([*found.to_frame().columns], ["count", "selection_rate"])
        self.assertNotIn("TPR", str(found))
        self.assertNotIn("accuracy", str(found))
        self.assertIsNone(found.no_better_than_majority)

    def test_three_classes_have_a_row_each_and_a_positive_one_stands_alone(self):
        y, d, g = [0, 1, 2, 2], [0, 1, 2, 1], [1.5, 1.5, 2.5, 2.5]
        found = metrics.evaluate(y, d, sensitive_features=g)
        self.assertEqual(len(found.to_frame()), 6)
        self.assertRegex(str(found), r"class +group")
        self.assertIn("2.5", str(found))
        one = metrics.evaluate(y, d, sensitive_features=g, positive=2)
        self.assertEqual([*one.to_frame().index], [(2, 1.5), (2, 2.5)])
        codes = dp2dp.evaluate(d, [0, 0, 1, 1], y, n_groups=2, n_classes=3)
        self.assertEqual(len(codes.to_frame()), 6)

    def test_a_class_that_is_the_only_one_is_shown(self):
        for y in (None, [7, 7, 7]):
            found = metrics.evaluate(y, [7, 7, 7], sensitive_features=["f", "m", "m"])
            frame = found.to_frame()
            self.assertEqual([*frame.index], [(7, "f"), (7, "m")])
            self.assertEqual(frame["selection_rate"].tolist(), [1, 1])
            self.assertRegex(str(found), r"\nm +2 +1\.000")

    def test_decisions_no_better_than_the_majority_class_say_so(self):
        y, g = ["no"] * 9 + ["yes"], ["a", "b"] * 5
        for decisions, fooled in (
            (["no"] * 10, True),
            (["no"] * 8 + ["yes", "no"], True),
            (y, False),
        ):
            found = metrics.evaluate(y, decisions, sensitive_features=g, classes=["no", "yes"])
            self.assertEqual(found.no_better_than_majority, fooled)
            self.assertEqual(found.majority_accuracy, 0.9)
            for text in (str(found), found._repr_html_()):
                said = "NO BETTER than giving everybody the class no, which is right" in text
                self.assertEqual(said, fooled)
        self.assertFalse(self.found.no_better_than_majority)


class Models(unittest.TestCase):
    def test_people_who_cost_nothing_have_the_delta_zero_in_print(self):
        p, g = scores()
        budget = dict(n_groups=2, solver="counts", epsilon=1, delta=1e-5, insecure_seed=None)
        told = "(0, 0)-differentially private, as stated, replace-one, for the records of the trai"
        free = fitted(p, g, scores_epsilon=0, scores_delta=0, **budget)
        self.assertIn(told, repr(free))
        self.assertIn("(1, 1e-05)-differentially private, replace-one, for the", repr(free))
        self.assertIn(told, free._repr_html_())
        for cost in (dict(scores_epsilon=0.5, scores_delta=0), dict()):
            self.assertNotIn("(0, 0)", repr(fitted(p, g, **cost, **budget)))
        same = dict(scores_epsilon=0, scores_delta=0, same_people=True)
        self.assertNotIn("(0, 0)", repr(fitted(p, g, **same, **budget)))

    def test_stated_costs_are_shown_as_they_were_stated(self):
        p, g = scores()
        budget = dict(n_groups=2, solver="counts", epsilon=1, delta=1e-5, insecure_seed=None)
        for epsilon, delta, shown in (
            (0.5, 1e-6, "(0.5, 1e-06)"),
            (0.123456, 0, "(0.12346, 0)"),
            (2.5, 1e-4, "(2.5, 0.0001)"),
        ):
            cost = dict(scores_epsilon=epsilon, scores_delta=delta)
            words = f"{shown}-differentially private, as stated, replace-one, for the records of"
            self.assertIn(words, repr(fitted(p, g, **cost, **budget)))
            both = repr(fitted(p, g, **cost, same_people=True, **budget))
            self.assertIn("-differentially private, in part as stated, replace-one, for", both)
        self.assertNotIn("as stated", repr(fitted(p, g, **budget)))

    def test_several_classes_are_named_if_their_rates_are_compared(self):
        p, g = scores(classes=3)
        given = dict(n_groups=2, labels=np.arange(len(p)) % 3, class_names=["no", "some", "all"])
        for options, words in (
            (dict(criterion="equal_opportunity"), "(true_positive_rate_parity of every class)"),
            (dict(criterion="predictive_equality", positive=2), "rate_parity of the class 'all')"),
            (dict(criterion="equalized_odds"), "(equalized_odds) for"),
        ):
            self.assertIn(words, repr(fitted(p, g, **given, **options)))
        p, g = scores()
        given = dict(n_groups=2, labels=np.arange(len(p)) % 2, criterion="equal_opportunity")
        self.assertIn("(true_positive_rate_parity) for", repr(fitted(p, g, **given)))

    def test_certificates_show_what_they_cost(self):
        p, g = scores(4000)
        model = fitted(p[:2000], g[:2000], insecure_seed=None)
        ledger = dp2dp.Ledger()
        new = p[2000:], g[2000:]
        found = dp2dp.certify(model, *new, epsilon=0.5, delta=1e-6, ledger=ledger)
        self.assertAlmostEqual(found.epsilon, 0.5, delta=1e-6)
        self.assertEqual(found.delta, 1e-6)
        self.assertAlmostEqual(ledger.spent(1e-6), found.epsilon)
        self.assertIn(f"epsilon={found.epsilon}, delta=1e-06", repr(found))

    def test_two_classes_show_thresholds_before_and_after(self):
        p, g = scores()
        model = fitted(p, g, n_groups=None, group_names=["f", "m & <i>"])
        page = model._repr_html_()
        for word in ("before", "after", "0.5000", "m &amp; &lt;i&gt;", "style="):
            self.assertIn(word, page)
        t = (1 + model.offsets[0, 1] - model.offsets[0, 0]) / 2
        self.assertIn(f"{t:.4f}", page)
        low, high = np.float32(t - 1e-3), np.float32(t + 1e-3)
        decisions = model.predict([[1 - low, low], [1 - high, high]], [0, 0])
        self.assertEqual(decisions.tolist(), [0, 1])

    def test_more_classes_show_offsets_before_and_after(self):
        p, g = scores(classes=3)
        model = fitted(p, g, n_groups=None, group_names=["f", "<i>"], class_names=["a", "<b>", "c"])
        page = model._repr_html_()
        for word in ("subtracted from the scores", "before, any group", "after, f"):
            self.assertIn(word, page)
        self.assertIn("after, &lt;i&gt;", page)
        self.assertIn(f"{model.offsets[1, 2]:+.4f}", page)
        self.assertNotRegex(page, "<i>|<b></b>|<b><")

    def test_a_dither_has_its_range(self):
        p, g = scores(classes=2)
        labels = (p[:, 1] > 0.5).astype(int)
        page = fitted(p, g, labels=labels, criterion="equalized_odds")._repr_html_()
        self.assertIn("dither from", page)
