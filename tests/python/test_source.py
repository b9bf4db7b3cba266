"""fit_source learns from tables of counts what fit learns from rows. A source that fails at once
costs nothing."""

import os
import re
import signal
import tempfile
import threading
import time
import traceback
import unittest
import warnings
from pathlib import Path

import numpy as np

import dp2dp
from dp2dp import core
from people import BUDGET, SEEDED

# Seven shards; two have no record, and two have one.
EDGES = [0, 400, 400, 401, 900, 901, 901, 1000]


def people(classes, groups, n=1000, seed=3):
    """Scores, groups, labels and probabilities of (group, label)."""
    rng = np.random.default_rng(seed)
    g = rng.integers(0, groups, n).astype(np.int32)
    raw = np.exp(rng.normal(size=(n, classes)) + 0.4 * g[:, None] * np.arange(classes))
    p = raw / raw.sum(axis=1, keepdims=True)
    y = (p.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(max=classes - 1).astype(np.int32)
    w = rng.random((n, groups * classes)) + 0.1
    return p, g, y, w / w.sum(axis=1, keepdims=True)


def names(classes, groups):
    return {
        "class_names": [f"c{k}" for k in range(classes)],
        "group_names": [f"g{j}" for j in range(groups)],
    }


def quietly(function, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **options)


def ask(p, g, offsets, **options):
    """The sum of the tables of all shards."""
    total = 0
    for first, last in zip(EDGES, EDGES[1:], strict=False):
        rows = slice(first, last)
        part = {k: v[rows] if isinstance(v, np.ndarray) else v for k, v in options.items()}
        total = total + core.count(p[rows], None if g is None else g[rows], offsets, **part)
    return total


def same(offsets):
    return offsets


class Shards(unittest.TestCase):
    def check(self, classes, groups, *, fit=None, count=None, source=None, g=True, records=1000):
        """Compares a fit of the whole with one of the shards. `fit` are options of both fits,
        `count` those of the whole fit and of count, `source` those of fit_source."""
        p, codes, _, _ = people(classes, groups)
        chosen = codes if g is True else g
        both = {**names(classes, groups), **SEEDED, "rho": 0.02, **(fit or {})}
        whole = quietly(core.fit, p, chosen, **both, **(count or {}))
        calls = []

        def answer(offsets):
            calls.append(offsets)
            given = {k: both[k] for k in ("leaves_out", "normalize", "grid") if k in both}
            return ask(p, chosen, offsets, n_groups=groups, **given, **(count or {}))

        parts = quietly(core.fit_source, answer, records=records, **both, **(source or {}))
        self.assertEqual(parts.to_json(), whole.to_json())
        self.assertEqual(len(calls), whole.info["settings"]["steps"])
        self.assertFalse(calls[0].any())

    def test_rules_that_see_the_group(self):
        self.check(2, 2)
        self.check(5, 5)
        self.check(2, 2, fit={"normalize": True}, count={})

    def test_rules_with_labels(self):
        for k in (2, 5):
            _, _, y, _ = people(k, k)
            for criterion in ("equalized_odds", "equal_opportunity"):
                fit = {"criterion": criterion, "dither": 0, "steps": 20}
                self.check(k, k, fit=fit, count={"labels": y})

    def test_rules_with_a_dither(self):
        _, _, y, _ = people(2, 2)
        fit = {"criterion": "equalized_odds", "dither": 0.15, "dither_seed": 5}
        p, g, _, _ = people(2, 2)
        whole = quietly(core.fit, p, g, labels=y, **names(2, 2), **SEEDED, **fit)
        dither = {"dither": 0.15, "dither_seed": 5}
        parts = quietly(
            core.fit_source,
            lambda offsets: ask(p, g, offsets, n_groups=2, labels=y, **dither),
            records=1000,
            **names(2, 2),
            **SEEDED,
            **fit,
        )
        self.assertEqual(parts.to_json(), whole.to_json())

    def test_rules_that_do_not_see_the_group(self):
        for k in (2, 5):
            _, _, y, w = people(k, k)
            by_group = w.reshape(-1, k, k).sum(axis=2)
            unaware = {"sees_group": False}
            self.check(k, k, count={"weights": by_group}, source=unaware)
            fit = {"criterion": "equalized_odds", "dither": 0, "steps": 10}
            given = {"labels": y, "weights": w}
            self.check(k, k, fit=fit, count=given, source={**unaware, "n_weights": k * k})
            # Scores in place of labels: nobody's group is known.
            soft = {**fit, "counted": "scores"}
            p, _, _, _ = people(k, k)
            whole = quietly(core.fit, p, None, weights=w, **names(k, k), **SEEDED, **soft)
            parts = quietly(
                core.fit_source,
                lambda o, p=p, w=w, k=k: ask(p, None, o, n_groups=k, weights=w, counted="scores"),
                records=1000,
                sees_group=False,
                n_weights=k * k,
                **names(k, k),
                **SEEDED,
                **soft,
            )
            self.assertEqual(parts.to_json(), whole.to_json())

    def test_records_that_are_left_out(self):
        for k in (2, 5):
            _, g, y, _ = people(k, k)
            g[::7] = -1
            self.check(k, k, fit={"leaves_out": True}, count={}, g=g)
            labelled = {"criterion": "equalized_odds", "dither": 0, "steps": 10}
            self.check(k, k, fit={**labelled, "leaves_out": True}, count={"labels": y}, g=g)

    def test_cells_and_a_grid(self):
        for k in (2, 5):
            m = np.random.default_rng(5).integers(1, 4, 1000).astype(np.uint64)
            count = {"multiplicity": m}
            self.check(k, k, fit={"grid": 8}, count=count, records=int(m.sum()))

    def test_bad_rows_are_left_out(self):
        p, g, _, _ = people(2, 2, n=100)
        p[3], g[5] = np.nan, 9
        with self.assertRaisesRegex(dp2dp.DataError, "row 4"):
            core.count(p, g, np.zeros((2, 2)), n_groups=2)
        table = core.count(p, g, np.zeros((2, 2)), n_groups=2, bad_rows="ignore")
        self.assertEqual((table.shape, table[-1], table.sum()), ((5,), 2, 100))


class Options(unittest.TestCase):
    def setUp(self):
        self.p, self.g, self.y, self.w = people(2, 2)
        self.calls = []

    def answer(self, offsets):
        self.calls.append(offsets)
        return core.count(self.p, self.g, offsets, n_groups=2)

    def fit(self, count=None, **options):
        given = {"records": 1000, **names(2, 2), **SEEDED, **options}
        return quietly(core.fit_source, count or self.answer, **given)

    def test_the_options_of_a_fit_work(self):
        ledger, steps = dp2dp.Ledger(), []
        model = self.fit(
            ledger=ledger,
            people="june",
            note="first",
            steps=7,
            progress=lambda step, total: steps.append((step, total)),
            score_columns=["a", "b"],
            group_column="sex",
            rows_per_person=2,
        )
        self.assertEqual(len(ledger), 2)
        self.assertEqual(len(self.calls), 7)
        self.assertEqual(steps[-1], (7, 7))
        self.assertIn('"sex"', model.to_json())
        base = quietly(
            core.train,
            schema(),
            core.Rows(np.array([[0.1], [0.9]] * 50), ["a", "y"], [([0, 1] * 50, ["n", "y"])]),
            method="none",
        )
        fitted = self.fit(base=base, class_names=["n", "y"])
        self.assertIn("classifier-not-private", fitted.not_private_because)

    def test_wrong_options_are_refused_before_the_source_is_asked(self):
        for words, wrong in {
            "no option labels": {"labels": self.y},
            "no option weights": {"weights": self.w},
            "no option threads": {"threads": 2},
            "no option multiplicity": {"multiplicity": [1] * 1000},
            "only counts": {"solver": "exact"},
            "position of each record": {"dither_key": "row"},
            "sees_group=False": {"n_weights": 2},
            "records must be a whole number": {"records": 1000.5},
            "records = 1: there must be from 2": {"records": 1},
            "n_weights must be a whole": {"sees_group": False, "n_weights": True},
            "do not fit together": {"sees_group": False, "n_weights": 3},
            "not the text": {"group_names": "fm"},
            "from 2 to": {"class_names": ["yes"]},
            "epsilon and delta must be chosen": {"epsilon": None},
            "criterion": {"criterion": "nonsense"},
            "Pass dither=0.15 both here": {"criterion": "equalized_odds"},
            "cost of the scores": {"same_people": True},
        }.items():
            with self.subTest(words), self.assertRaisesRegex(dp2dp.OptionError, words):
                self.fit(**wrong)
        with self.assertRaisesRegex(TypeError, "unknown option 'row'"):
            self.fit(row=3)
        with self.assertRaisesRegex(TypeError, "function of the offsets"):
            core.fit_source(3, records=10, **names(2, 2), **BUDGET)
        with self.assertRaises(dp2dp.BudgetError):
            ledger = dp2dp.Ledger()
            ledger.set_budget(0.5, 1e-5)
            self.fit(ledger=ledger)
        self.assertEqual(self.calls, [])

    def test_a_counter_answers_many_questions_like_count_and_copies_its_rows_once(self):
        rng = np.random.default_rng(3)
        for further in ({}, {"labels": self.y}, {"weights": self.w, "labels": self.y}):
            counter = core.Counter(self.p, self.g, n_groups=2, **further)
            rows = 4 if "labels" in further else 2
            for _ in range(3):
                offsets = rng.normal(0, 0.2, (rows, 2))
                expected = core.count(self.p, self.g, offsets, n_groups=2, **further)
                self.assertEqual(counter.count(offsets).tolist(), expected.tolist())
        scores, groups = self.p.copy(), self.g.copy()
        counter = core.Counter(scores, groups, n_groups=2)
        scores[:], groups[:] = np.nan, 99
        asked = np.zeros((2, 2))
        expected = core.count(self.p, self.g, asked, n_groups=2)
        self.assertEqual(counter.count(asked).tolist(), expected.tolist())
        left_out = core.Counter(scores, groups, n_groups=2, bad_rows="ignore").count(asked)
        self.assertEqual(left_out.tolist(), [0, 0, 0, 0, 1000])

    def test_a_counter_is_a_source(self):
        one = self.fit(core.Counter(self.p, self.g, n_groups=2).count)
        self.assertEqual(one.offsets.tolist(), self.fit().offsets.tolist())

    def test_wrong_counts_are_refused(self):
        for words, offsets, wrong in (
            ("a row for each group", np.zeros((3, 2)), {}),
            ("a row for each group", np.zeros(4), {}),
            ("a row for each group", np.zeros((4, 2)), {}),
            ("for each pair of group and label", np.zeros((2, 2)), {"labels": self.y}),
            ("finite", np.full((2, 2), np.nan), {}),
            ("position of each record", np.zeros((2, 2)), {"dither": 0.1, "dither_key": "row"}),
        ):
            with self.subTest(words), self.assertRaisesRegex(dp2dp.OptionError, words):
                core.count(self.p, self.g, offsets, n_groups=2, **wrong)
        with self.assertRaisesRegex(TypeError, "unknown option 'rho'"):
            core.count(self.p, self.g, np.zeros((2, 2)), n_groups=2, rho=1)


def schema():
    version = {"major": 1, "minor": 0}
    columns = [
        {"name": "a", "role": "feature", "kind": "numeric", "lower": 0, "upper": 1},
        {"name": "y", "role": "label", "kind": "categorical", "levels": ["n", "y"]},
    ]
    return core.Schema(
        {"format": "dp2dp-schema", "version": version, "origin": "public", "columns": columns}
    )


class Faults(unittest.TestCase):
    def setUp(self):
        self.p, self.g, _, _ = people(2, 2)
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.path = os.path.join(folder, "ledger.json")

    def fit(self, wrong, at=1, **options):
        """A fit whose source calls wrong(table) at one question."""
        self.asked = 0

        def answer(offsets):
            self.asked += 1
            table = core.count(self.p, self.g, offsets, n_groups=2)
            return wrong(table) if self.asked == at else table

        ledger = dp2dp.Ledger.open(self.path)
        given = {"records": 1000, **names(2, 2), **BUDGET, **options}
        return quietly(core.fit_source, answer, ledger=ledger, **given)

    def charged(self):
        return len(dp2dp.Ledger.open(self.path)) if os.path.exists(self.path) else 0

    def test_answers_that_are_no_tables_are_refused(self):
        for words, wrong in {
            "returned None": lambda t: None,
            "whole numbers, not dtype float64": lambda t: t.astype(float),
            "whole numbers, not dtype bool": lambda t: t > 0,
            "whole numbers, not dtype object": lambda t: t.astype(object),
            r"shape \(2, 2\), not \(4,\)": lambda t: t.ravel(),
            r"shape \(2, 2\), not \(\)": lambda t: 7,
            "not a masked array": lambda t: np.ma.array(t, mask=[[1, 0], [0, 0]]),
            "masked array: write 0 where": lambda t: np.ma.array(t),
            "masked array": lambda t: [np.ma.array(t[0], mask=[0, 1]), t[1]],
            "fit into a 64-bit integer": lambda t: np.full((2, 2), 2**64 - 1, np.uint64),
            "has a negative count; nothing was charged": lambda t: t - [[1000, 0], [0, -1000]],
            "sum to more than": lambda t: 2 * t,
            "sum to less than": lambda t: t - (t == t.max()),
        }.items():
            with self.subTest(words):
                with self.assertRaisesRegex(dp2dp.DataError, words):
                    self.fit(wrong)
                self.assertEqual(self.asked, 1)
                self.assertEqual(os.listdir(os.path.dirname(self.path)), [])
        with self.assertRaisesRegex(dp2dp.DataError, "the first table.*the charge stays"):
            self.fit(lambda t: t[::-1].copy(), at=3)
        self.assertEqual(self.charged(), 2)

    def test_other_integers_and_layouts_are_tables(self):
        for change in (
            lambda t: t.astype(np.int16),
            lambda t: t.astype(np.uint64),
            lambda t: t.tolist(),
            lambda t: np.asfortranarray(t),
            lambda t: t.astype(">i8"),
        ):
            self.assertEqual(self.fit(change, at=2).records, 1000)

    def test_an_exception_comes_out_unchanged(self):
        class Mine(Exception):
            pass

        for at, charged in ((1, 0), (5, 2)):
            mine = Mine("row 17 is secret")

            def fail(table, mine=mine):
                raise mine

            try:  # assertRaises would clear the traceback
                self.fit(fail, at=at)
                self.fail("no exception")
            except Mine as caught:
                self.assertIs(caught, mine)
                frames = traceback.extract_tb(caught.__traceback__)
            self.assertEqual(frames[-1].name, "fail")
            self.assertEqual(self.charged(), charged)
            self.assertEqual(
                any("charge stays" in n for n in getattr(mine, "__notes__", [])), at > 1
            )
            self.assertIsNone(mine.__cause__)

    def test_the_offsets_belong_to_the_function(self):
        kept = []

        def answer(offsets):
            table = core.count(self.p, self.g, offsets, n_groups=2)
            self.assertEqual((offsets.dtype, offsets.shape), (np.float32, (2, 2)))
            kept.append(offsets.copy())
            offsets += 7
            kept[-1] = (kept[-1], offsets)
            return table

        given = {"records": 1000, **names(2, 2), **SEEDED}
        model = quietly(core.fit_source, answer, **given)
        expected = quietly(core.fit, self.p, self.g, **names(2, 2), **SEEDED)
        self.assertEqual(model.to_json(), expected.to_json())
        for before, after in kept:
            np.testing.assert_array_equal(before + np.float32(7), after)

    def test_ctrl_c_in_the_source_ends_the_fit(self):
        def wait(table):
            threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
            for _ in range(1000):
                time.sleep(0.01)
            return table

        with self.assertRaises(KeyboardInterrupt):
            self.fit(wait)
        self.assertEqual(self.charged(), 0)

    def test_a_source_that_reads_the_ledger_of_its_fit_or_fits_itself_does_not_hang(self):
        ledger = dp2dp.Ledger()
        sizes = []

        def answer(offsets):
            sizes.append(len(ledger))
            if len(sizes) == 2:
                quietly(core.fit, self.p, self.g, **names(2, 2), **SEEDED)
            return core.count(self.p, self.g, offsets, n_groups=2)

        given = {"records": 1000, **names(2, 2), **SEEDED}
        quietly(core.fit_source, answer, ledger=ledger, steps=4, **given)
        self.assertEqual(sizes, [0, 2, 2, 2])


if __name__ == "__main__":
    unittest.main()


class Oddities(unittest.TestCase):
    """A cache, or offsets with the wrong sign, show in the released tables."""

    def words(self, change, **options):
        p, g, _, _ = people(3, 2, n=5000)
        first = []

        def source(offsets):
            first.append(core.count(p, g, change(offsets), n_groups=2))
            return first[0] if change is same else first[-1]

        given = {**names(3, 2), **BUDGET, "insecure_seed": 7, **options}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            core.fit_source(source, records=5000, **given)
        found = [str(w.message).partition(":")[0] for w in caught]
        return [word for word in found if word.startswith("offsets-")]

    def test_a_source_that_repeats_its_answer_or_adds_the_offsets_is_noticed(self):
        self.assertEqual(self.words(same), ["offsets-ignored"])
        self.assertEqual(self.words(lambda offsets: -offsets), ["offsets-added"])
        for seed in range(5):
            self.assertEqual(self.words(lambda offsets: offsets, insecure_seed=seed), [])

    def test_with_little_data_nothing_is_said(self):
        self.assertEqual(self.words(same, epsilon=0.05), [])


class LeftOut(unittest.TestCase):
    def fitted(self, share):
        p, g, _, _ = people(3, 2, n=5000)
        g = np.where(np.random.default_rng(1).random(5000) < share, 2, g)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            given = {**names(3, 2), **BUDGET, "insecure_seed": 7, "bad_rows": "ignore"}
            model = core.fit(p, g, **given)
        return model, [str(w.message) for w in caught if "records-left-out" in str(w.message)]

    def test_records_that_are_clearly_left_out_are_told_from_the_released_tables(self):
        model, found = self.fitted(0.2)
        self.assertIn("of 5000 records (20%) were left out", found[0])
        self.assertAlmostEqual(model.info["records_kept"], 4000, delta=150)
        again = dp2dp.Model.from_json(model.to_json())
        self.assertEqual(again.info["records_kept"], model.info["records_kept"])
        model, found = self.fitted(0.01)
        self.assertEqual((found, model.info["records_kept"]), ([], None))

    def certified(self, share, **options):
        p, g, _, _ = people(3, 2, n=5000)
        model, _ = self.fitted(0)
        g = np.where(np.random.default_rng(2).random(5000) < share, 2, g)
        given = dict(insecure_seed=8, bad_rows="ignore", same_people=False)
        if "leaves_out" in options:
            g, given = np.where(g == 2, -1, g), {**given, "bad_rows": "refuse"}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            dp2dp.certify(model, p, g, **BUDGET, **{**given, **options})
        return [str(w.message) for w in caught if "left-out" in str(w.message)]

    def test_records_that_are_left_out_of_a_certificate_are_told_too(self):
        for options in ({}, {"leaves_out": True}):
            (found,) = self.certified(0.2, **options)
            self.assertRegex(
                found, r"^records-left-out: .* of 5000 records \((19|20|21)%\) were left"
            )
            self.assertIn("so its bound does not cover them", found)
            self.assertEqual(self.certified(0.01, **options), [])
        (found,) = self.certified(0.7)
        self.assertTrue(found.startswith("most-left-out"))


class LargestN(unittest.TestCase):
    """docs/scale.md and dp2dp/fit.h say how many records a fit may have."""

    def test_more_records_than_the_page_says_are_refused_before_anything_is_asked(self):
        text = Path(__file__).parents[2].joinpath("docs", "scale.md").read_text(encoding="utf-8")
        head, limits = (
            re.search(rf"^\| {start}.*$", text, re.M).group().split("|")[2:-1]
            for start in ("ε", "N must be below, at δ = 1e-12")
        )
        powers = [int(re.search(r"2\^(\d+) \(", limit).group(1)) for limit in limits]
        budgets = [(float(e), 1e-12, power) for e, power in zip(head, powers, strict=True)]
        self.assertEqual(budgets[1][0], 1.0)
        asked = []

        def count(offsets):
            asked.append(offsets)
            raise ZeroDivisionError

        for epsilon, delta, power in [*budgets, (1, 1e-5, 37)]:
            options = {"epsilon": epsilon, "delta": delta, **names(2, 2)}
            with self.subTest(epsilon=epsilon, delta=delta):
                with self.assertRaisesRegex(dp2dp.OptionError, f"At most {2**power - 1} records"):
                    core.fit_source(count, records=2**power, **options)
                self.assertEqual(asked, [])
                with self.assertRaises(ZeroDivisionError):
                    core.fit_source(count, records=2**power - 1, **options)
                self.assertEqual(len(asked), 1)
                asked.clear()
