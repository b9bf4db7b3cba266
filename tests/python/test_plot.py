"""Figures show the numbers they were given, with units and intervals, and nothing is cut off."""

import csv
import importlib.util
import io
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression

import dp2dp
from dp2dp import metrics
from dp2dp.plot import RatesDisplay, TradeoffDisplay
from figures import Figures, fair, quietly
from people import labelled

HEAD = (
    "criterion,method,solver,rho,epsilon,delta,run,error,unfairness,error_before,unfairness_before,"
    "positive,sees_group,records_train,records_pool,records_test,balanced_accuracy,"
    "disparate_impact,unfairness_demographic_parity,unfairness_true_positive_rate_parity,"
    "unfairness_false_positive_rate_parity,unfairness_equalized_odds,data,records,rows_per_person,"
    "split,dither,seed,version,not_private"
).split(",")


def changed(rows, **cells):
    """Copies of the rows with other texts in some columns."""
    return [[cells.get(name, cell) for name, cell in zip(HEAD, row, strict=True)] for row in rows]


def sweep(epsilons=("0.5", "1", "inf"), rhos=(0, 0.1, 0.2), runs=4, criterion="demographic_parity"):
    """Rows as dp2dp sweep writes them, as texts."""
    rng = np.random.default_rng(0)
    rows = []
    for i, epsilon in enumerate(epsilons):
        for rho in rhos:
            for run in range(1, runs + 1):
                error, gap = 0.17 - rho / 10 - i / 500, rho + 0.01
                noise = rng.normal(size=2) / 500
                rows.append(
                    [criterion, "dpgd", "counts", rho, epsilon, "1e-05", run]
                    + [error + noise[0], gap + abs(noise[1]), 0.15, 0.19]
                    + ["", "true", 24872, 9044, 11306, 0.7, 0.9, gap, 0.3, 0.1, "", "adult", 45222]
                    + [1, "0.55,0.20,0.25", 0, 3, "0.1.0", "exact numbers about real people"]
                )
    return [[str(cell) for cell in row] for row in rows]


def text_of(rows):
    out = io.StringIO()
    csv.writer(out).writerows([HEAD, *rows])
    return out.getvalue()


def columns_of(rows):
    return {name: [row[i] for row in rows] for i, name in enumerate(HEAD)}


class Every(Figures):
    def test_own_axes_are_used_and_their_style_is_kept(self):
        axes = self.plt.subplots(figsize=(7, 3), layout="constrained")[1]
        display = TradeoffDisplay.from_sweep(columns_of(sweep()), ax=axes, linewidth=5)
        self.assertIs(display.ax_, axes)
        self.assertIs(display.figure_, axes.figure)
        self.assertEqual(axes.xaxis.label.get_fontsize(), self.plt.rcParams["font.size"])
        self.assertEqual(display.curves_[0][0].get_linewidth(), 5)
        self.assertEqual(self.plt.rcParams["font.size"], 10)

    def test_figures_without_matplotlib_say_what_to_install(self):
        program = (
            "import sys; sys.modules['matplotlib'] = None\n"
            "from dp2dp.plot import PrivacyCurveDisplay\n"
            "PrivacyCurveDisplay([0, 1], [0.1, 0.01]).plot()"
        )
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertIn("ImportError: figures need matplotlib: pip install", run.stderr)


class Tradeoff(Figures):
    def test_a_label_says_what_holds_where_that_is_not_what_was_asked_for(self):
        def shown(holds, claimed, protects=""):
            columns = columns_of(sweep(("1",), runs=1))
            more = {"epsilon_holds": holds, "epsilon_claimed": claimed, "protects": protects}
            columns |= {name: [cell] * len(columns["rho"]) for name, cell in more.items()}
            return TradeoffDisplay.from_sweep(columns)

        self.assertEqual(shown("0.99999", "").curves[0].label, "ε = 1")
        self.assertEqual(shown("1.6012", "").curves[0].label, "ε = 1 per phase, 1.61 holds")
        self.assertEqual(shown("", "").curves[0].label, "ε = 1 per phase, none holds")
        self.assertEqual(shown("", "0.999").curves[0].label, "ε = 1 claimed, none holds")
        display = shown("8.4125", "0.999", "rows")
        self.assertEqual(display.curves[0].label, "ε = 1 claimed, 8.42 holds")
        self.assertEqual(display.curves[0].epsilon_holds, 8.4125)
        self.assertIn("if a label says which ε holds, this ε is the cost", display.caption)
        self.assertIn("protects rows, not persons", display.caption)
        self.assertNotIn("rows, not persons", shown("0.9", "", "person").caption)
        self.sees(display)

    def test_points_are_means_and_bars_are_intervals_of_the_mean(self):
        rows = sweep()
        display = TradeoffDisplay.from_sweep(columns_of(rows))
        texts = self.sees(display)
        self.assertIn("demographic parity gap (percentage points)", texts)
        self.assertIn("test error (%)", texts)
        self.assertEqual(self.legend(display), ["ε = 0.5", "ε = 1", "ε = ∞", "before the rule"])
        title = display.legend_.get_title().get_text()
        self.assertEqual(title, "δ = 1e-5; 95 % intervals, 4 runs")
        self.assertIn("ρ = 0", texts)
        self.assertIn("ρ = 0.2", texts)
        for i, curve in enumerate(display.curves):
            points, _, (across, up) = display.curves_[i]
            for j in range(3):
                first = 12 * i + 4 * j
                errors = np.array([float(row[7]) for row in rows[first : first + 4]])
                # 3.182446 is the quantile of Student's t with 3 degrees of freedom.
                reach = 3.182446 * errors.std(ddof=1) / 2
                interval = errors.mean() - reach, errors.mean() + reach
                np.testing.assert_allclose(curve.error_interval[j], interval, rtol=1e-6)
                segment = up.get_segments()[j]
                np.testing.assert_allclose(segment[:, 1], 100 * np.array(interval), rtol=1e-6)
                self.assertLess(*across.get_segments()[j][:, 0])
            np.testing.assert_allclose(points.get_ydata(), 100 * curve.error)
            np.testing.assert_allclose(display.before_[i].get_xydata(), [[19, 15]])
        looks = {
            (c[0].get_color(), c[0].get_marker(), c[0].get_linestyle()) for c in display.curves_
        }
        self.assertEqual(len(looks), 3)
        for words in ("NOT private", "4 runs", "adult (45,222 rows)", "not with other people"):
            self.assertIn(words, display.caption)

    def test_single_runs_have_no_bars_and_say_so(self):
        display = TradeoffDisplay.from_sweep(columns_of(sweep(runs=1)), before=False)
        self.assertEqual(display.legend_.get_title().get_text(), "δ = 1e-5; single runs")
        self.assertTrue(np.isnan(display.curves[0].error_interval).all())
        self.assertEqual(display.before_, [])
        self.assertIn("single run", display.caption)
        self.sees(display)

    def test_every_kind_of_table_is_read(self):
        rows = sweep()
        text, columns = text_of(rows), columns_of(rows)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "sweep.csv")
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            sources = [path, io.StringIO(text), io.BytesIO(text.encode()), columns]
            if importlib.util.find_spec("pandas"):
                import pandas

                sources += [pandas.read_csv(path), pandas.DataFrame(columns)]
            if importlib.util.find_spec("polars"):
                import polars

                sources += [polars.read_csv(path)]
            if importlib.util.find_spec("pyarrow"):
                from pyarrow import csv as arrow

                sources += [arrow.read_csv(path)]
            found = [TradeoffDisplay.from_sweep(source).curves for source in sources]
        for curves in found:
            self.assertEqual([c.label for c in curves], ["ε = 0.5", "ε = 1", "ε = ∞"])
            for curve, other in zip(curves, found[0], strict=True):
                np.testing.assert_allclose(curve.unfairness_interval, other.unfairness_interval)

    def test_pandas_is_not_needed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "sweep.csv")
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(text_of(sweep()))
            program = (
                "import sys; sys.modules['pandas'] = None\n"
                "from dp2dp.plot import TradeoffDisplay\n"
                "print(len(TradeoffDisplay.from_sweep(sys.argv[1]).curves))"
            )
            command = [sys.executable, "-c", program, path]
            run = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(run.stdout, "3\n", run.stderr)

    def test_what_differs_between_curves_is_in_their_labels(self):
        rows = sweep(epsilons=["1"])
        exact = changed(rows, method="none", solver="exact", epsilon="", delta="")
        unaware = changed(rows, sees_group="false")
        display = TradeoffDisplay.from_sweep(columns_of(rows + exact + unaware))
        self.assertEqual(
            [curve.label for curve in display.curves],
            [
                "dpgd, counts, sees the group, ε = 1",
                "none, exact, sees the group, no noise",
                "dpgd, counts, does not see the group, ε = 1",
            ],
        )
        self.assertEqual([curve.epsilon for curve in display.curves], [1, None, 1])
        self.sees(display)
        one = TradeoffDisplay.from_sweep(columns_of(rows + exact), method="none")
        self.assertEqual([curve.label for curve in one.curves], ["no noise"])

    def test_many_curves_have_their_legend_above(self):
        rows = sweep()
        others = changed(rows, method="output") + changed(rows, solver="sgd")
        display = TradeoffDisplay.from_sweep(columns_of(rows + others))
        self.sees(display)
        legend, axes = (part.get_window_extent() for part in (display.legend_, display.ax_))
        self.assertGreaterEqual(legend.y0, axes.y1)
        self.assertEqual(len(self.legend(display)), 10)

    def test_tables_that_would_mislead_are_refused(self):
        rows = sweep()
        odds = sweep(criterion="equalized_odds")
        bad = rows[:4] + changed(rows[4:5], error="about 0.2") + rows[5:]
        gone = rows[:4] + changed(rows[4:5], unfairness="") + rows[5:]
        other, seeded = changed(rows, data="credit"), changed(rows, seed="4")
        columns = columns_of(rows)
        few = {name: column for name, column in columns.items() if name not in ("rho", "run")}
        cut = io.StringIO(text_of(rows)[:-40])
        for source, options, words in (
            (few, {}, "the sweep has no column rho, run: pass the table that dp2dp sweep writes"),
            (columns_of([]), {}, "the sweep has no rows"),
            (columns_of(rows + odds), {}, r"criteria \(demographic_parity, equal"),
            (
                columns,
                {"criterion": "odds"},
                "no row with the criterion 'odds', only with demographic",
            ),
            (columns_of(bad), {}, "row 5 of the sweep: error must be a number"),
            (columns_of(gone), {}, "row 5 of the sweep: unfairness is missing"),
            (columns_of(rows + other), {}, "column data of the sweep has several values"),
            (columns_of(rows + rows[:1]), {}, "row 37 of the sweep: run is the same as in"),
            (cut, {}, "line 37 of the sweep has 28 cells, not 30: was the sweep stopped early"),
            (columns, {"confidence": 1}, "confidence must be between 0 and 1, not 1"),
        ):
            with self.subTest(words=words), self.assertRaisesRegex(ValueError, words):
                TradeoffDisplay.from_sweep(source, **options)
        with self.assertRaisesRegex(TypeError, "a path, an open file, a data frame or a dict"):
            TradeoffDisplay.from_sweep(3)
        # Another seed makes other runs of the same points.
        more = TradeoffDisplay.from_sweep(columns_of(rows + seeded))
        self.assertEqual(more.curves[0].runs.tolist(), [8, 8, 8])
        chosen = TradeoffDisplay.from_sweep(columns_of(rows + odds), criterion="equalized_odds")
        self.assertEqual(chosen.ax_.get_xlabel(), "equalized odds gap (percentage points)")


class Rates(Figures):
    @classmethod
    def setUpClass(cls):
        X, y, g = labelled(3000)
        cls.X, cls.y, cls.sex = X, np.where(y == 1, "yes", "no"), np.where(g == 1, "m", "f")

    def setUp(self):
        super().setUp()
        warnings.filterwarnings("ignore", "rows-of-the-fit")

    def rows(self):
        return dict(X=self.X, y=self.y, sensitive_features=self.sex)

    def test_an_estimator_is_shown_before_and_after_its_rule(self):
        estimator = fair(self.X, self.y, self.sex)
        display = RatesDisplay.from_estimator(estimator, **self.rows())
        texts = self.sees(display)
        self.assertIn("people who get yes (% of the group), 95 % interval", texts)
        self.assertEqual(self.legend(display), ["without the rule", "with the rule"])
        count = {name: int(np.sum(self.sex == name)) for name in "fm"}
        for name in "fm":
            self.assertIn(f"{name}\n{count[name]:,} people", texts)
        after = estimator.predict(self.X, sensitive_features=self.sex)
        before = estimator.estimator_.predict(self.X)
        for drawn, bars, decisions in (
            (display.after, display.after_[0], after),
            (display.before, display.before_[0], before),
        ):
            found = metrics.evaluate(self.y, decisions, sensitive_features=self.sex)
            np.testing.assert_allclose(drawn["rate"], found.rates)
            np.testing.assert_allclose(bars[0].get_xdata(), 100 * found.rates[:, 1])
            segments = np.array(bars[2][0].get_segments())[:, :, 0]
            np.testing.assert_allclose(segments, 100 * found.rate_intervals[:, 1])
        # Filled and hollow, circle and square: no colour is needed to tell them apart.
        self.assertEqual(display.before_[0][0].get_markerfacecolor(), "white")
        self.assertNotEqual(display.before_[0][0].get_marker(), display.after_[0][0].get_marker())
        self.assertIn("NOT private", display.caption)

    def test_the_positive_class_of_the_estimator_is_drawn(self):
        y = np.where(self.y == "yes", "approved", "denied")
        given = dict(X=self.X, y=y, sensitive_features=self.sex, rate="true_positive")
        for options in (
            dict(classes=["denied", "approved"], constraints="equal_opportunity"),
            dict(classes=["denied", "approved"]),
            dict(
                positive="approved", classes=["approved", "denied"], constraints="equal_opportunity"
            ),
        ):
            estimator = fair(self.X, y, self.sex, **options)
            display = RatesDisplay.from_estimator(estimator, **given)
            self.assertIn("labelled approved, the share who get approved", display.caption)
            self.assertIn("people who get approved (% of", display.ax_.get_xlabel())
        display.plot(show="denied")
        self.assertIn("labelled denied, the share who get denied", display.caption)
        display = RatesDisplay.from_predictions(
            None, y, sensitive_features=self.sex, positive="approved"
        )
        self.assertIn("who get approved", display.caption)

    def test_the_group_may_be_a_column_or_not_seen_at_all(self):
        both = np.column_stack([self.X, self.sex == "m"])
        column = dp2dp.FairPostProcessor(
            LogisticRegression(),
            **dict(epsilon=1, delta=1e-5, classes=["no", "yes"], groups=[0, 1]),
            sensitive_column=-1,
        )
        quietly(column.fit, both, self.y)
        display = RatesDisplay.from_estimator(column, both.copy(), self.y)
        self.assertEqual(display.groups.tolist(), ["0", "1"])
        unaware = fair(self.X, self.y, self.sex, group_estimator=LogisticRegression())
        display = RatesDisplay.from_estimator(unaware, **self.rows())
        decisions = unaware.predict(self.X)
        rates = metrics.evaluate(None, decisions, sensitive_features=self.sex).rates
        np.testing.assert_allclose(display.after["rate"], rates)
        with self.assertRaisesRegex(ValueError, "the groups are missing"):
            RatesDisplay.from_estimator(unaware, self.X, self.y)
        base = fair(self.X, self.y, self.sex, unknown_group="base")
        some = np.where(np.arange(3000) < 5, "x", self.sex)
        display = RatesDisplay.from_estimator(base, self.X, self.y, sensitive_features=some)
        self.assertEqual(display.groups.tolist(), ["f", "m", "not listed"])
        self.assertEqual(display.after[2, 1]["whole"], 5)

    def test_other_estimators_are_shown_as_they_are(self):
        plain = LogisticRegression().fit(self.X, self.y)
        display = RatesDisplay.from_estimator(plain, **self.rows())
        self.assertIsNone(display.before)
        self.assertIsNone(display.legend_)

        class Needs(LogisticRegression):
            def predict(self, X, *, sensitive_features):
                return np.where(sensitive_features == "m", "yes", "no")

        display = RatesDisplay.from_estimator(Needs().fit(self.X, self.y), **self.rows())
        self.assertEqual(display.after["rate"][:, 1].tolist(), [0, 1])
        with self.assertRaisesRegex(ValueError, "pass sensitive_features"):
            RatesDisplay.from_estimator(plain, self.X, self.y)

    def test_every_rate_names_whom_it_is_about(self):
        for rate, words in (
            ("selection", "people who get yes (% of the group), 95 % interval"),
            ("true_positive", "people who get yes (% of those labelled yes), 95 % interval"),
            ("false_positive", "people who get yes (% of those not labelled yes), 95 % interval"),
            ("precision", "people labelled yes (% of those who get yes), 95 % interval"),
            ("error", "people who get the wrong class (% of the group), 95 % interval"),
        ):
            display = RatesDisplay.from_predictions(
                self.y, self.y[::-1], sensitive_features=self.sex, rate=rate
            )
            self.sees(display)
            self.assertEqual(display.ax_.get_xlabel().replace("\n", " "), words)
            table = metrics.table_by_group(self.y, self.y[::-1], sensitive_features=self.sex)
            name = rate if rate == "precision" else "error" if rate == "error" else rate + "_rate"
            at = 0 if rate == "error" else 1
            for g, group in enumerate("fm"):
                self.assertAlmostEqual(display.after["rate"][g, at], table[group][name])

    def test_many_classes_and_hostile_names_stay_readable(self):
        rng = np.random.default_rng(1)
        names = ["$x$ and $y$", "_hidden", "a" * 300, "two\nlines", ""]
        groups, y = rng.choice(names, 2000), rng.choice(["low", "middle", "high"], 2000)
        display = RatesDisplay.from_predictions(
            y,
            y[::-1],
            y_before=np.roll(y, 1),
            sensitive_features=groups,
            classes=["low", "middle", "high"],
        )
        self.sees(display)
        shown = self.legend(display)
        self.assertEqual(len(shown), 7)
        self.assertEqual(shown[-2:], ["without the rule", "with the rule"])
        self.assertIn(" _hidden", shown)
        self.assertIn(r"\$x\$ and \$y\$", shown)  # dollars, not mathematics
        self.assertLess(max(map(len, shown)), 32)
        y = rng.integers(0, 50, 9000)
        groups = y % 19 * 7 % 20
        display = RatesDisplay.from_predictions(
            None, y, sensitive_features=groups, classes=range(50)
        )
        self.assertIn("class (2 of 50, with the largest gaps)", self.sees(display))
        display.plot(show=[3])
        words = "people who get 3 (% of the group), 95 % interval"
        self.assertEqual(display.ax_.get_xlabel(), words)
        with self.assertRaisesRegex(ValueError, "show must be one or more of the classes, not 99"):
            display.plot(show=99)

    def test_who_is_not_there_has_no_point(self):
        y, groups = ["yes", "no", "no", "no"] * 5, ["f", "f", "m", "m"] * 5
        display = RatesDisplay.from_predictions(
            y, y, y_before=y, sensitive_features=groups, rate="true_positive"
        )
        self.assertEqual(display.after_[0][0].get_xdata()[0], 100)
        self.assertTrue(np.isnan(display.after_[0][0].get_xdata()[1]))
        self.assertIn("m\n0 people", self.sees(display))
        y = np.arange(200) % 2  # of the classes 2 to 49 there is nobody
        halves, decided = np.arange(200) // 100, np.arange(200) // 2 % 2
        RatesDisplay.from_predictions(
            y, decided, sensitive_features=halves, classes=range(50), rate="true_positive"
        )

    def test_bad_options_are_refused(self):
        given = dict(sensitive_features=self.sex)
        with self.assertRaisesRegex(ValueError, "rate must be one of selection, true_positive"):
            RatesDisplay.from_predictions(self.y, self.y, rate="recall", **given)
        with self.assertRaisesRegex(ValueError, "needs the true labels: pass y_true"):
            RatesDisplay.from_predictions(None, self.y, rate="error", **given)
