"""Rows that stand for several records, and scores on a grid."""

import itertools
import os
import re
import subprocess
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np

import dp2dp
import engines
from exported import People, make, names
from people import SEEDED, fitted, scores
from test_export import differences, select

TIMES = (1, 2, 3, 50)


def cells_of(n=400, classes=2, groups=2, seed=0):
    """Scores, groups, labels and how often each row counts."""
    p, g = scores(n, classes, groups, seed)
    rng = np.random.default_rng(seed)
    return p, g, rng.integers(0, classes, n), rng.choice(TIMES, n)


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


def both(p, g, times, **options):
    """The model of the cells, and the model of the repeated rows, as texts."""
    columns = {name: options.pop(name) for name in ("labels", "weights") if name in options}
    repeated = {name: np.repeat(column, times, axis=0) for name, column in columns.items()}
    groups = None if g is None else np.repeat(g, times)
    return (
        quietly(fitted, p, g, multiplicity=times, **columns, **options),
        quietly(fitted, np.repeat(p, times, axis=0), groups, **repeated, **options),
    )


class Multiplicity(unittest.TestCase):
    def same(self, *arguments, **options):
        cells, rows = both(*arguments, **options)
        self.assertEqual(cells.to_json(), rows.to_json())
        self.assertEqual(cells.records, int(arguments[2].sum()))

    def test_cells_give_the_model_of_the_repeated_rows(self):
        for classes, solver in itertools.product((2, 5), ("counts", "exact")):
            with self.subTest(classes=classes, solver=solver):
                p, g, _, times = cells_of(classes=classes, groups=classes)
                self.same(p, g, times, n_groups=classes, solver=solver)

    def test_labelled_cells_do(self):
        p, g, labels, times = cells_of(classes=3)
        options = dict(labels=labels, criterion="equal_opportunity", dither=0)
        for solver in ("counts", "exact"):
            self.same(p, g, times, solver=solver, **options)

    def test_cells_do_if_weights_or_scores_are_counted(self):
        p, g, labels, times = cells_of()
        weights = np.random.default_rng(1).dirichlet([1, 1], len(g))
        self.same(p, g, times, weights=weights, dither=0)
        self.same(p, None, times, weights=weights, counted="scores", dither=0)
        odds = dict(criterion="equal_opportunity", counted="scores", dither=0)
        self.same(p, g, times, **odds)
        self.same(p, g, times, solver="exact", **odds)

    def test_cells_that_are_left_out_count_all_their_records(self):
        p, g, _, times = cells_of()
        p[::7, 0] = np.nan
        for solver in ("counts", "exact"):
            self.same(p, g, times, bad_rows="ignore", solver=solver)

    def test_cells_on_a_grid_do(self):
        p, g, _, times = cells_of(classes=3)
        self.same(p, g, times, grid=4)

    def test_one_cell_may_be_the_whole_pool(self):
        p, g, _, _ = cells_of(1)
        self.same(p, g, np.array([500]))

    def test_a_billion_records_fit_into_two_rows(self):
        p = np.array([[0.9, 0.1], [0.2, 0.8]])
        model = quietly(fitted, p, [0, 1], multiplicity=[10**9, 2 * 10**9])
        self.assertEqual(model.records, 3 * 10**9)
        self.assertAlmostEqual(model.info["shares"][1], 2 / 3, places=5)

    def test_what_is_not_a_number_of_records_is_refused(self):
        p, g, _, times = cells_of()
        for bad in (0, -1, 2.5, np.nan, np.inf, 2.0**49):
            column = times.astype(float)
            column[6] = bad
            with self.assertRaisesRegex(dp2dp.DataError, r"row 7: .*[Ss]urvey weight"):
                fitted(p, g, multiplicity=column)
        for bad in (["1"] * len(g), np.ones((len(g), 2))):
            with self.assertRaises(dp2dp.DataError):
                fitted(p, g, multiplicity=bad)
        with self.assertRaisesRegex(ValueError, "multiplicity"):
            fitted(p, g, multiplicity=times[1:])

    def test_more_than_the_most_records_are_refused(self):
        p, g, _, _ = cells_of()
        with self.assertRaisesRegex(dp2dp.DataError, "row 2: .* 281474976710656 records"):
            fitted(p, g, multiplicity=np.full(len(g), 2**48))

    def test_what_needs_single_records_is_refused(self):
        p, g, _, times = cells_of()
        for options, message in (
            (dict(dither=0.1), "dither"),
            (dict(solver="sgd"), "samples single records"),
            (dict(solver="sgd-as-published"), "samples single records"),
            (dict(solver="exact", multiplicity=times * 10**9), "GB"),
        ):
            with self.assertRaisesRegex((dp2dp.OptionError, MemoryError), message):
                quietly(fitted, p, g, **{"multiplicity": times, **options})


def rounded(p, bits):
    steps = 2.0**bits
    return np.floor(p.astype(np.float32).astype(float) * steps + 0.5) / steps


class Grid(unittest.TestCase):
    def test_a_grid_is_the_rounding_done_by_hand(self):
        for classes, bits in itertools.product((2, 5), (1, 3, 16, 20)):
            with self.subTest(classes=classes, bits=bits):
                p, g = scores(3000, classes)
                model = quietly(fitted, p, g, grid=bits)
                self.assertEqual(model.grid, bits)
                again = quietly(fitted, rounded(p, bits), g, grid=bits)
                self.assertEqual(model.to_json(), again.to_json())
                offsets = np.array(model.info["offsets"], np.float32)
                by_hand = rounded(p, bits).astype(np.float32) - offsets[g]
                np.testing.assert_array_equal(model.adjust(p, g), by_hand)
                np.testing.assert_array_equal(model.predict(p, g), by_hand.argmax(axis=1))

    def test_a_row_is_normalised_before_it_is_rounded(self):
        p, g = scores(500)
        scaled = p * np.linspace(1, 9, 500)[:, None]
        model = quietly(fitted, scaled, g, grid=3, normalize=True)
        offsets = np.array(model.info["offsets"], np.float32)
        shares = scaled / scaled.sum(axis=1, keepdims=True)
        by_hand = rounded(shares, 3).astype(np.float32) - offsets[g]
        np.testing.assert_array_equal(model.adjust(scaled, g), by_hand)

    def test_the_model_file_keeps_the_grid(self):
        p, g = scores(500)
        model = quietly(fitted, p, g, grid=5)
        self.assertIn('"kind": "offset-grid"', model.to_json())
        again = dp2dp.Model.from_json(model.to_json())
        self.assertEqual(again.grid, 5)
        self.assertEqual(again.to_json(), model.to_json())
        self.assertEqual(quietly(fitted, p, g).grid, 0)

    def test_a_certificate_counts_on_the_grid(self):
        p, g = scores(3000)
        model = quietly(fitted, p, g, grid=2)
        proof = quietly(dp2dp.certify, model, p, g, **SEEDED)
        by_hand = quietly(dp2dp.certify, model, rounded(p, 2), g, **SEEDED)
        self.assertEqual(repr(proof), repr(by_hand))

    def test_a_certificate_of_cells_is_that_of_the_repeated_rows(self):
        p, g, _, times = cells_of()
        model = quietly(fitted, p, g)
        cells = quietly(dp2dp.certify, model, p, g, multiplicity=times, **SEEDED)
        rows = np.repeat(p, times, axis=0), np.repeat(g, times)
        self.assertEqual(repr(cells), repr(quietly(dp2dp.certify, model, *rows, **SEEDED)))
        self.assertEqual(cells.records, int(times.sum()))
        with self.assertRaisesRegex(dp2dp.OptionError, "cannot be used with a dither"):
            dithered = quietly(fitted, *rows, dither=0.1)
            quietly(dp2dp.certify, dithered, p, g, multiplicity=times, **SEEDED)

    def test_a_grid_must_be_from_0_to_20(self):
        p, g = scores(500)
        with self.assertRaisesRegex(dp2dp.OptionError, "from 0 to 20"):
            fitted(p, g, grid=21)

    def test_a_sum_may_be_off_by_what_rounding_explains_and_no_more(self):
        model = quietly(fitted, *scores(500), grid=8)
        near, far = [[0.5 + 2**-9, 0.5 + 2**-9]], [[0.5 + 2**-9, 0.5 + 2**-8]]
        model.predict(near, [0])
        with self.assertRaisesRegex(dp2dp.DataError, "do not sum to 1"):
            model.predict(far, [0])

    def test_a_score_that_only_rounding_makes_a_probability_is_refused(self):
        model = quietly(fitted, *scores(500), grid=8)
        for bad in (-1e-9, -1e-300, np.nan):
            for dtype in (np.float32, np.float64):
                rows = np.array([[0.5, 0.5]] * 300 + [[1, bad]], dtype)
                rows[-1, 1] = min(rows[-1, 1], -1e-45) if bad < 0 else bad
                with self.assertRaisesRegex(dp2dp.DataError, "row 301, score column 2"):
                    model.predict(rows, [0] * 301)


def gridded():
    double = np.float64
    for case in (
        make("offset", 2, 2, np.float32, grid=16),
        make("offset, normalised", 3, 2, double, normalize=True, grid=6, seed=1),
        make("linear", 3, 2, double, odds=True, grid=10, seed=2),
        make("weighted by group and score", 3, 2, double, weights=2, odds=True, grid=4, seed=3),
    ):
        yield case, People(case, 4000)


class Exports(unittest.TestCase):
    def test_every_export_rounds_as_predict_does(self):
        for case, people in gridded():
            table, expected = people.table()
            with self.subTest(case.title):
                found = engines.in_duckdb(table, case.dtype == np.float32, select(case, "duckdb"))
                self.assertEqual(differences(expected, found[1]), [])
                found = engines.in_c(people, "-O2")
                self.assertEqual(differences(people.expected, found), [])
                self.in_one_type(case)

    def in_one_type(self, case):
        """SQLite has float64 alone, and ONNX float32."""
        people = People(case.of_type(np.float64), 2000)
        table, expected = people.table()
        found = engines.in_sqlite(table, False, select(case, "sqlite"))[1]
        self.assertEqual(differences(expected, found), [])
        people = People(case.of_type(np.float32), 2000)
        at, group = people.accepted(), people.group()
        found = engines.in_onnxruntime(case, people.p[at], [group[i] for i in at], people.w[at])
        self.assertEqual(differences([people.expected[i] for i in at], found), [])

    @unittest.skipUnless(engines.postgresql_folder(), "needs PostgreSQL")
    def test_postgresql_rounds_as_predict_does(self):
        server = engines.PostgreSQL()
        self.addCleanup(server.stop)
        for case, people in gridded():
            table, expected = people.table()
            found = server(table, case.dtype == np.float32, select(case, "postgresql"))[1]
            self.assertEqual(differences(expected, found), [])


class GroupBy(unittest.TestCase):
    def test_a_group_by_of_rounded_scores_gives_the_model_of_all_rows(self):
        import duckdb

        p, g = scores(20000, dtype=np.float32)
        with duckdb.connect() as connection:
            connection.register("people", dict(p0=p[:, 0], p1=p[:, 1], s=g))
            cells = connection.sql(
                "SELECT floor(p0 * 256e0 + .5) / 256 AS p0, floor(p1 * 256e0 + .5) / 256 AS p1, s,"
                " count(*) AS n FROM people GROUP BY ALL"
            ).fetchnumpy()
        self.assertLess(len(cells["n"]), 1000)
        small = np.column_stack([cells["p0"], cells["p1"]])
        options = dict(grid=8, score_columns=names(2))
        model = quietly(fitted, small, cells["s"], multiplicity=cells["n"], **options)
        self.assertEqual(model.to_json(), quietly(fitted, p, g, **options).to_json())

    def test_the_query_and_the_command_of_the_page_give_the_model_of_all_rows(self):
        import duckdb

        source = Path(os.environ["DP2DP_SOURCE_DIR"])
        page = source.joinpath("docs", "fit.md").read_text(encoding="utf-8")
        query, command = (
            re.search(rf"^```{kind}\n([^`]*{word}[^`]*)```$", page, re.M).group(1)
            for kind, word in (("sql", "GROUP BY"), ("sh", "--multiplicity"))
        )
        p, g = scores(3000)
        # Below the middle between two steps in float64, and in the middle in float32.
        p[:2, 0] = 0.25 + 0.5 / 65536 - 1e-12
        p[:2, 1] = 1 - p[:2, 0]
        with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
            connection.register("people", dict(p0=p[:, 0], p1=p[:, 1], s=g))
            connection.execute(f"COPY ({query}) TO '{folder}/cells.csv'")
            cells = connection.sql(query).fetchnumpy()
            connection.execute(f"COPY people TO '{folder}/rows.csv'")
            os.symlink(os.path.abspath(os.environ["DP2DP"]), f"{folder}/dp2dp")
            env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
            seeded = command.strip() + " --insecure-seed 1"
            whole = seeded.replace("cells.csv", "rows.csv").replace("--multiplicity n", "--force")
            texts = []
            for words in (seeded, whole):
                subprocess.run(["bash", "-c", words], cwd=folder, env=env, check=True,
                               stdout=subprocess.DEVNULL)  # fmt: skip
                texts.append(Path(folder, "model.json").read_bytes())
        self.assertEqual(*texts)
        rounded = np.floor(p.astype(np.float32).astype(float) * 65536 + 0.5) / 65536
        rows, n = np.unique(np.column_stack([rounded, g]), axis=0, return_counts=True)
        found = np.column_stack([cells[name] for name in ("p0", "p1", "s", "n")])
        found = found[np.lexsort(found[:, 2::-1].T)]
        np.testing.assert_array_equal(found, np.column_stack([rows, n]))


if __name__ == "__main__":
    unittest.main()
