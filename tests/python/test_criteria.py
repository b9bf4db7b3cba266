"""dp2dp.core fits, decides and certifies under every criterion, as the definitions say."""

import pickle
import unittest
import warnings

import numpy as np

import dp2dp
from dp2dp import core
from people import BUDGET, SEEDED

LABELLED = (
    "true_positive_rate_parity",
    "equal_opportunity",
    "false_positive_rate_parity",
    "predictive_equality",
    "equalized_odds",
)


def people(n=4000, classes=2, groups=2, seed=0):
    """Scores, groups, labels drawn from the scores, and probabilities of (group, label)."""
    rng = np.random.default_rng(seed)
    g = rng.integers(0, groups, n).astype(np.int32)
    raw = np.exp(rng.normal(size=(n, classes)) + 0.4 * g[:, None] * np.arange(classes))
    p = raw / raw.sum(axis=1, keepdims=True)
    y = (p.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(max=classes - 1).astype(np.int32)
    w = rng.random((n, groups * classes)) + 0.1
    return p, g, y, w / w.sum(axis=1, keepdims=True)


def fitted(p, g, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given = {"n_groups": 2, **SEEDED, **options}
        return dp2dp.fit(p, g, **given)


def mix(z):
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def dither(p, width, seed):
    """The public numbers that are added to scores, by the key scores (docs/model.md)."""
    step = np.uint64(0x9E3779B97F4A7C15)
    units = np.rint(p.astype(float) * 2**14).astype(np.uint64)
    key = np.zeros(len(p), np.uint64)
    for k in range(p.shape[1]):
        if k > 0 and k % 4 == 0:
            key = key * np.uint64(0xD1342543DE82EF95)
            key ^= key >> np.uint64(32)
        key += units[:, k] << np.uint64(16 * (k % 4))
    draws = []
    for k in range(p.shape[1]):
        start = mix(np.full(1, seed, np.uint64) + step) + np.full(1, k // 3, np.uint64) * step
        h = mix(key + start)
        low, high = h & np.uint64(2**32 - 1), h >> np.uint64(32)
        rest = (low & np.uint64(0x7FF)) << np.uint64(10) | high & np.uint64(0x3FF)
        draws.append([low >> np.uint64(11), high >> np.uint64(11), rest][k % 3])
    return width * np.stack(draws, axis=1).astype(float) * 2.0**-21


def adjusted(model, p, g=None, w=None):
    """The definition: scores, with their dither, minus the weighted sum of offsets."""
    theta = model.offsets.reshape(-1, p.shape[1])
    labels = model.info["labels"]
    if w is None:
        w = np.zeros((len(p), len(theta)))
        for y in range(labels):
            w[np.arange(len(p)), g * labels + y] = p[:, y] if labels > 1 else 1
    elif w.shape[1] < len(theta):
        w = (w[:, :, None] * p[:, None, :]).reshape(len(p), -1)
    width = model.info["dither"]
    u = dither(p.astype(np.float32), width, 5) if width else 0
    return p + u - w @ theta


class Rules(unittest.TestCase):
    def check(self, model, p, g=None, w=None):
        expected = adjusted(model, p, g, w)
        given = {} if w is None else {"weights": w}
        np.testing.assert_allclose(model.adjust(p, g, **given), expected, atol=2e-6)
        best = np.sort(expected, axis=1)
        clear = best[:, -1] - best[:, -2] > 1e-5
        self.assertGreater(clear.mean(), 0.99)
        decisions = model.predict(p, g, **given)
        np.testing.assert_array_equal(decisions[clear], expected.argmax(axis=1)[clear])
        return decisions

    def test_a_rule_that_sees_the_group_decides_by_its_definition(self):
        for classes, groups in ((2, 2), (3, 2), (2, 3), (3, 4), (5, 2), (9, 2)):
            p, g, y, _ = people(classes=classes, groups=groups)
            for criterion in LABELLED:
                with self.subTest(criterion=criterion, classes=classes, groups=groups):
                    model = fitted(
                        p, g, labels=y, criterion=criterion, n_groups=groups, dither_seed=5
                    )
                    self.assertEqual(model.rule, "linear")
                    self.assertEqual(model.offsets.shape, (groups, classes, classes))
                    self.assertEqual(model.shares.shape, (groups, classes))
                    self.check(model, p, g)

    def test_a_rule_that_does_not_see_the_group_decides_by_its_definition(self):
        for classes, groups in ((2, 2), (3, 2), (2, 3)):
            p, g, y, joint = people(classes=classes, groups=groups)
            of_groups = joint.reshape(len(p), groups, classes).sum(axis=2)
            for criterion, w, labels in (
                ("demographic_parity", of_groups, None),
                ("equal_opportunity", joint, y),
                ("equal_opportunity", of_groups, y),
                ("equalized_odds", joint, y),
                ("equalized_odds", of_groups, y),
            ):
                with self.subTest(criterion=criterion, columns=w.shape[1]):
                    model = fitted(
                        p,
                        g,
                        labels=labels,
                        criterion=criterion,
                        weights=w,
                        n_groups=groups,
                        dither_seed=5,
                    )
                    self.assertEqual(model.rule, "weighted")
                    self.check(model, p, w=w)
                    kept = np.array(["group-weights" in model.warnings])
                    self.assertEqual(kept[0], labels is not None and w is of_groups)

    def test_every_criterion_makes_its_own_rates_equal(self):
        p, g, y, _ = people(20_000)
        rate = lambda d, g0, y0: d[(g == g0) & np.isin(y, y0)].mean()  # noqa: E731
        for criterion, sets in (
            ("equal_opportunity", ([1],)),
            ("predictive_equality", ([0],)),
            ("equalized_odds", ([0], [1])),
        ):
            model = fitted(p, g, labels=y, criterion=criterion, epsilon=10)
            before, after = p.argmax(axis=1), model.predict(p, g)
            for labels in sets:
                gap = abs(rate(after, 0, labels) - rate(after, 1, labels))
                self.assertLess(gap, 0.03)
                self.assertGreater(abs(rate(before, 0, labels) - rate(before, 1, labels)), 0.05)

    def test_two_names_of_a_criterion_give_one_model(self):
        p, g, y, _ = people()
        for name, other in (
            ("equal_opportunity", "true_positive_rate_parity"),
            ("predictive_equality", "false_positive_rate_parity"),
        ):
            model = fitted(p, g, labels=y, criterion=name)
            self.assertEqual(model.criterion, other)
            self.assertEqual(model.to_json(), fitted(p, g, labels=y, criterion=other).to_json())

    def test_a_custom_criterion_is_a_list_of_statistics(self):
        p, g, y, _ = people(classes=3)
        odds = [(k, [label]) for label in range(3) for k in range(3)]
        theirs = fitted(p, g, labels=y, criterion="equalized_odds")
        mine = fitted(p, g, labels=y, criterion="custom", statistics=odds)
        np.testing.assert_array_equal(mine.offsets, theirs.offsets)
        self.assertEqual(mine.statistics, odds)
        self.assertEqual(theirs.statistics, [])
        one = fitted(p, g, labels=y, criterion="custom", statistics=[(2, (0, 1)), (1, None)])
        self.assertEqual(one.statistics, [(2, [0, 1]), (1, [0, 1, 2])])
        every = fitted(p, g, criterion="custom", statistics=[(0, None), (2, None)])
        self.assertEqual(every.rule, "offset")

    def test_the_positive_class_is_the_one_that_is_made_equal(self):
        p, g, y, _ = people()
        first = fitted(p, g, labels=y, criterion="equal_opportunity", positive=0)
        other = fitted(p, g, labels=1 - y, criterion="predictive_equality", positive=0)
        self.assertEqual((first.positive, other.positive), (0, 0))
        self.assertEqual(fitted(p, g, labels=y, criterion="equal_opportunity").positive, 1)
        self.assertIsNone(fitted(p, g).positive)
        default = fitted(p, g, labels=y, criterion="equal_opportunity")
        one = fitted(p, g, labels=y, criterion="equal_opportunity", positive=1)
        np.testing.assert_array_equal(default.offsets, one.offsets)
        self.assertTrue(np.any(first.offsets != one.offsets))

    def test_demographic_parity_is_what_it_was(self):
        p, g, _, _ = people()
        plain = fitted(p, g)
        self.assertEqual(plain.to_json(), fitted(p, g, criterion="demographic_parity").to_json())
        self.assertEqual(
            plain.to_json(), fitted(p, g, dither=0, dither_key="row", counted="labels").to_json()
        )
        facts = (plain.rule, plain.criterion, plain.counted, plain.dither_key, plain.tolerance)
        self.assertEqual(facts, ("offset", "demographic_parity", "labels", "row", None))
        self.assertNotIn("equalized", plain.to_json())
        dithered = fitted(p, g, dither=0.1)
        self.assertEqual(dithered.dither_key, "row")

    def test_counting_scores_needs_no_labels_and_unaware_no_groups(self):
        p, g, _, w = people()
        model = fitted(p, g, criterion="equalized_odds", counted="scores")
        self.assertEqual((model.counted, model.rule), ("scores", "linear"))
        model = fitted(
            p, None, criterion="equalized_odds", counted="scores", weights=w, dither_seed=5
        )
        self.check(model, p, w=w)

    def test_labels_of_any_type_and_stride_give_the_same_model(self):
        p, g, y, w = people()
        text = fitted(p, g, labels=y, criterion="equalized_odds").to_json()
        wide = np.zeros((len(y), 3), np.int16)
        wide[:, 1] = y
        for labels in (y.astype(np.int8), y.astype(np.int64), wide[:, 1], y[::-1][::-1], list(y)):
            made = fitted(p, g, labels=labels, criterion="equalized_odds")
            self.assertEqual(made.to_json(), text)
        text = fitted(p, g, labels=y, criterion="equalized_odds", weights=w).to_json()
        made = fitted(p, g, labels=y, criterion="equalized_odds", weights=np.asfortranarray(w))
        self.assertEqual(made.to_json(), text)

    def test_a_model_survives_its_file(self):
        p, g, y, w = people()
        for options in (dict(), dict(weights=w, weight_columns=["a0", "a1", "b0", "b1"])):
            model = fitted(p, g, labels=y, criterion="equalized_odds", **options)
            again = pickle.loads(pickle.dumps(model))
            self.assertEqual(again.info, model.info)
            self.assertEqual(len(again.groups), 2)

    def test_solver_exact_knows_every_criterion_and_sgd_only_the_first(self):
        p, g, y, w = people(600)
        for criterion in LABELLED:
            model = fitted(p, g, labels=y, criterion=criterion, solver="exact", epsilon=None)
            self.check(model, p, g) if not model.info["dither"] else None
        with self.assertRaisesRegex(dp2dp.OptionError, "sgd"):
            fitted(p, g, labels=y, criterion="equalized_odds", solver="sgd")


class Dither(unittest.TestCase):
    def setUp(self):
        self.p, self.g, self.y, self.w = people()

    def fitted(self, **options):
        return fitted(self.p, self.g, labels=self.y, criterion="equalized_odds", **options)

    def test_equalized_odds_gets_the_dither_it_needs(self):
        model = self.fitted()
        self.assertEqual((model.info["dither"], model.dither_key), (0.15, "scores"))
        self.assertNotIn("needs-dither", model.warnings)
        # The decision belongs to the person, not to the row.
        order = np.random.default_rng(1).permutation(len(self.p))
        np.testing.assert_array_equal(
            model.predict(self.p[order], self.g[order]), model.predict(self.p, self.g)[order]
        )
        self.assertEqual(self.fitted(weights=self.w).info["dither"], 0.15)
        one = fitted(self.p, self.g, labels=self.y, criterion="equal_opportunity")
        self.assertEqual(one.info["dither"], 0)

    def test_it_is_told_whose_decision_depends_on_the_dither(self):
        model = self.fitted(dither_seed=5)
        plain = adjusted(model, self.p, self.g) - dither(self.p.astype(np.float32), 0.15, 5)
        best = np.sort(plain, axis=1)
        margin = best[:, 1] - best[:, 0]
        found = model.depends_on_dither(self.p, self.g)
        clear = abs(margin - 0.15) > 1e-5
        np.testing.assert_array_equal(found[clear], (margin < 0.15)[clear])
        changed = model.predict(self.p, self.g) != plain.argmax(axis=1)
        self.assertTrue(np.all(found[changed]))
        self.assertTrue(0 < changed.mean() < found.mean() < 0.5)
        by_id = self.fitted(dither_key="id", ids=np.arange(len(self.p)))
        self.assertTrue(by_id.depends_on_dither(self.p, self.g).any())
        for width in (0, None):  # None: what the criterion needs
            unaware = self.fitted(weights=self.w, dither=width)
            found = unaware.depends_on_dither(self.p, weights=self.w)
            self.assertEqual(found.any(), width is None)

    def test_whoever_refuses_the_dither_is_warned(self):
        with self.assertWarnsRegex(dp2dp.FairnessWarning, "needs-dither: no deterministic rule"):
            model = dp2dp.fit(
                self.p,
                self.g,
                labels=self.y,
                criterion="equalized_odds",
                n_groups=2,
                dither=0,
                **BUDGET,
            )
        self.assertIn("needs-dither", model.warnings)

    def test_equal_ids_get_equal_decisions_as_numbers_or_texts(self):
        n = len(self.p)
        ids = np.arange(n) % 17
        model = self.fitted(dither_key="id", ids=ids)
        answer = model.predict(self.p, self.g, ids=ids)
        for same in (ids.astype(np.uint8), [str(i) for i in ids], ids.astype(str), ids.tolist()):
            np.testing.assert_array_equal(model.predict(self.p, self.g, ids=same), answer)
            again = self.fitted(dither_key="id", ids=same)
            self.assertEqual(again.to_json(), model.to_json())
        self.assertTrue(np.any(model.predict(self.p, self.g, ids=ids + 1) != answer))
        one = model.decide(self.p[3], "1" if self.g[3] else "0", id=3)
        self.assertEqual(one, str(answer[3]))
        with self.assertRaisesRegex(dp2dp.OptionError, "ids must be given"):
            model.predict(self.p, self.g)
        for bad, words in (
            ([0.5] * n, "whole numbers or texts"),
            ([None] * n, "whole numbers or texts"),
            ([False] * n, "whole numbers or texts"),
            ([1] * (n - 1), "ids must be"),
            (7, "column"),
        ):
            with self.assertRaisesRegex(ValueError, words):
                model.predict(self.p, self.g, ids=bad)


class Unaware(unittest.TestCase):
    def setUp(self):
        self.p, self.g, self.y, self.w = people()
        self.model = fitted(
            self.p, self.g, labels=self.y, criterion="equal_opportunity", weights=self.w
        )

    def test_groups_are_ignored_and_that_is_said_once(self):
        answer = self.model.predict(self.p, weights=self.w)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            for groups in (self.g, 1 - self.g, np.full(len(self.g), 99)):
                found = self.model.predict(self.p, groups, weights=self.w)
                np.testing.assert_array_equal(found, answer)
        self.assertEqual([w.category for w in told], [dp2dp.FairnessWarning])
        self.assertRegex(str(told[0].message), "^groups-ignored: ")

    def test_one_person_is_decided_like_many(self):
        answer = self.model.predict(self.p[:50], weights=self.w[:50])
        for p, w, k in zip(self.p, self.w, answer, strict=False):
            self.assertEqual(self.model.decide(p, weights=w), str(k))

    def test_weights_that_do_not_fit_are_refused(self):
        for weights, words in (
            (None, "weights must be given"),
            (self.w[:, :3], "weights have 3 columns"),
            (self.w[:5], "same number of rows"),
            (self.w * 2, "row 1"),
            (self.w[:, 0], "weights must be a 2-D"),
        ):
            with self.subTest(words=words), self.assertRaisesRegex(ValueError, words):
                self.model.predict(self.p, weights=weights)
        aware = fitted(self.p, self.g)
        with self.assertRaisesRegex(dp2dp.OptionError, "the model needs 0"):
            aware.predict(self.p, self.g, weights=self.w)

    def test_the_model_says_what_it_does_not_see(self):
        self.assertIn("(true_positive_rate_parity)", repr(self.model))
        self.assertIn("does not see the group", repr(self.model))
        page = self.model._repr_html_()
        self.assertIn("among people whose label is a given class", page)
        self.assertIn("weighted by the probabilities of the groups and labels", page)
        self.assertEqual(page.count("<tr>"), 2 + 4)  # names, before, and a row for each stratum


class Refused(unittest.TestCase):
    def setUp(self):
        self.p, self.g, self.y, self.w = people(500)

    def test_bad_input_is_refused_before_any_charge(self):
        odds = dict(criterion="equalized_odds", labels=self.y)
        high, low = self.y.copy(), self.g.copy()
        high[7], low[3] = 2, -1
        for options, words in (
            (dict(criterion="fairness"), "unknown criterion 'fairness'"),
            (dict(criterion="equalized_odds"), "pass labels"),
            (dict(labels=self.y), "leave labels out"),
            (dict(odds, counted="scores"), "in place of labels"),
            (dict(odds, counted="guesses"), "guesses"),
            (dict(odds, labels=self.y[:-1]), "same number of rows"),
            (dict(odds, labels=high), "row 8: the label"),
            (dict(odds, labels=self.y - 1), "the label"),
            (dict(odds, labels=self.y * 0.5), "labels must be whole numbers"),
            (dict(odds, positive=2), "positive = 2"),
            (dict(odds, positive=-1), "positive must be a whole number"),
            (dict(odds, weights=self.w[:, :3]), "weights have"),
            (dict(odds, weights=self.w * 3), "row 1"),
            (dict(odds, weights=self.w, weight_columns=["a"]), "weight_columns must have 4"),
            (dict(odds, dither=2), "dither"),
            (dict(odds, dither_key="id"), "ids must be given"),
            (dict(odds, dither_key="name"), "name"),
            (dict(odds, solver="sgd"), "counts or exact"),
            (dict(odds, statistics=[(1, [1])]), "with any other criterion, give no statistics"),
            (dict(criterion="custom", labels=self.y), "leave labels out"),
            (dict(criterion="custom"), "at least one statistic"),
            (dict(criterion="custom", statistics=[]), "at least one statistic"),
            (dict(criterion="custom", labels=self.y, statistics=[(2, [1])]), "codes from 0 to 1"),
            (dict(criterion="custom", labels=self.y, statistics=[(1, [5])]), "codes from 0 to 1"),
            (dict(criterion="custom", labels=self.y, statistics=[(1, [])]), "at least one label"),
            (dict(criterion="custom", labels=self.y, statistics=[1]), "statistic 1 must be"),
            (dict(criterion="custom", labels=self.y, statistics="tpr"), "must be a list"),
            (dict(odds, groups=low), "row 4: the group"),
            (dict(odds, groups=None), "groups are missing"),
            (dict(odds, groups=None, weights=self.w), "groups are missing"),
        ):
            ledger = dp2dp.Ledger()
            groups = options.pop("groups", self.g)
            with self.subTest(words=words), self.assertRaisesRegex(ValueError, words):
                fitted(self.p, groups, **options, ledger=ledger)
            self.assertEqual(len(ledger.entries), 0)

    def test_people_who_do_not_fit_the_criterion_are_refused_in_c_too(self):
        odds = dict(BUDGET, labelled=True, criterion="equalized_odds")
        model = fitted(self.p, self.g)
        linear = fitted(self.p, self.g, labels=self.y, criterion="equalized_odds")
        options = dict(BUDGET, ledger=dp2dp.Ledger())
        flat, wide = np.empty((2, 2)), np.empty((2, 2, 2))
        many = np.full(len(self.g), 2**30, np.int32)
        for call, words in (
            (lambda: core.Model._fit(self.p, None, 2, dict(odds, labels=self.y)), "groups are"),
            (lambda: core.Model._fit(self.p, self.g, 2, odds), "labels are missing"),
            (lambda: core.Model._fit(self.p, self.g, 2, dict(BUDGET, labels=self.y)), "not used"),
            (lambda: core.Model._fit(self.p, many, 2**31, dict(odds, labels=self.y)), "groups"),
            (lambda: linear._certify(self.p, self.g, wide, options), "labels are missing"),
            (
                lambda: model._certify(self.p, self.g, flat, dict(options, labels=self.y)),
                "not used",
            ),
        ):
            with self.subTest(words=words), self.assertRaisesRegex(dp2dp.OptionError, words):
                call()
        self.assertEqual(len(options["ledger"].entries), 0)

    def test_errors_have_their_place(self):
        y = self.y.copy()
        y[9] = 5
        with self.assertRaises(dp2dp.DataError) as caught:
            fitted(self.p, self.g, labels=y, criterion="equalized_odds")
        self.assertEqual((caught.exception.reason, caught.exception.row), ("unknown-label", 10))

    def test_a_bad_label_that_is_ignored_shows_nowhere(self):
        odds = dict(criterion="equalized_odds", bad_rows="ignore")
        floats = self.y.astype(float)
        texts = set()
        for bad in (-1, 2, 99, np.nan, 0.5):
            floats[11] = bad
            texts.add(fitted(self.p, self.g, labels=floats, **odds).to_json())
        g = self.g.copy()
        g[11] = -1
        texts.add(fitted(self.p, g, labels=self.y, **odds).to_json())
        w = self.w.copy()
        self.assertEqual(len(texts), 1)
        texts = set()
        for bad in (np.nan, -1.0):  # a row without any weight
            w[11] = bad
            texts.add(fitted(self.p, self.g, labels=self.y, weights=w, **odds).to_json())
        self.assertEqual(len(texts), 1)

    def test_minus_one_leaves_a_record_out_if_that_is_declared(self):
        y, g = self.y.copy(), self.g.copy()
        y[11] = -1
        odds = dict(criterion="equalized_odds", leaves_out=True)
        one = fitted(self.p, self.g, labels=y, **odds)
        g[11] = -1
        self.assertEqual(one.to_json(), fitted(self.p, g, labels=self.y, **odds).to_json())
        self.assertTrue(one.info["leaves_out"])
        self.assertEqual(one.records, len(y))
        y[11] = 2
        with self.assertRaisesRegex(dp2dp.DataError, "row 12: the label"):
            fitted(self.p, self.g, labels=y, **odds)


class Certificates(unittest.TestCase):
    def test_a_certificate_is_about_the_models_criterion(self):
        p, g, y, w = people(20_000)
        half = len(p) // 2
        for options in (dict(), dict(weights=w)):
            first = {k: v[:half] for k, v in options.items()}
            last = {k: v[half:] for k, v in options.items()}
            odds = dict(criterion="equalized_odds", labels=y[:half])
            model = fitted(p[:half], g[:half], **odds, **first)
            ledger = dp2dp.Ledger()
            proof = dp2dp.certify(
                model, p[half:], g[half:], labels=y[half:], **SEEDED, **last, ledger=ledger
            )
            self.assertEqual(proof.table.shape, (2, 2, 2))
            self.assertEqual(len(ledger.entries), 1)
            decisions = model.predict(p[half:], None if options else g[half:], **last)
            counts = np.zeros((2, 2, 2))
            np.add.at(counts, (g[half:], y[half:], decisions), 1)
            self.assertEqual(proof.criterion, "equalized_odds")
            self.assertEqual(proof.criteria["equalized_odds"].upper, proof.unfairness_upper)
            self.assertEqual(len(proof.criteria), 4)
            found = core.evaluate(decisions, g[half:], y[half:], n_groups=2, n_classes=2)
            for name, bound in proof.criteria.items():
                # The bounds hold for the population; each is missed in 5 % of runs, and the noise
                # and the sample are fixed here.
                self.assertGreater(bound.upper, found.criteria[name].unfairness)
            # 8 numbers: all within 6 standard deviations but once in 10^7 runs
            self.assertLess(np.abs(proof.table - counts).max(), 6 * proof.sigma)

    def test_missing_labels_and_weights_are_refused_before_any_charge(self):
        p, g, y, w = people(1000)
        linear = fitted(p, g, labels=y, criterion="equalized_odds")
        weighted = fitted(p, g, weights=w.reshape(-1, 2, 2).sum(axis=2))
        for model, options, words in (
            (linear, dict(), "pass labels"),
            (linear, dict(labels=y + 1), "the label"),
            (weighted, dict(labels=y), "leave labels out"),
            (weighted, dict(), "weights are missing"),
        ):
            ledger = dp2dp.Ledger()
            with self.subTest(words=words), self.assertRaisesRegex(ValueError, words):
                core.certify(model, p, g, **BUDGET, ledger=ledger, **options)
            self.assertEqual(len(ledger.entries), 0)


if __name__ == "__main__":
    unittest.main()
