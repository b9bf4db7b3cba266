"""Databases that answer `dp2dp fit --source` through examples/sql_source.py give the model of the
table they hold."""

import csv
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import engines

PROGRAM = os.environ["DP2DP"]
SCRIPT = Path(os.environ["DP2DP_SOURCE_DIR"]) / "examples/sql_source.py"
BUDGET = ("--epsilon", "1", "--delta", "1e-5", "--insecure-seed", "3")


class Shards:
    """People with a group whose names need quotes, in one table and in three parts of it."""

    def __init__(self, folder, groups, classes):
        self.folder = Path(folder)
        rng = np.random.default_rng(groups * classes)
        self.groups = [f"it's {g}" for g in range(groups)]
        self.scores = [f"p{k}" for k in range(classes)]
        group = rng.integers(groups, size=900)
        raw = rng.random((900, classes)) ** (1 + (np.arange(classes) == group[:, None]))
        # Ties are frequent: a third of the scores are rounded.
        raw[::3] = np.maximum(np.round(raw[::3] * 4), 1)
        p = raw / raw.sum(axis=1, keepdims=True)
        self.rows = [
            [*map(repr, map(float, row)), self.groups[g]] for row, g in zip(p, group, strict=True)
        ]
        self.parts = [self.rows[:300], self.rows[300:301], self.rows[301:]]
        self.whole = self.write("whole.csv", self.rows)

    def write(self, name, rows):
        with open(self.folder / name, "w", newline="") as file:
            csv.writer(file).writerows([[*self.scores, "s"], *rows])
        return self.folder / name

    def columns(self):
        names = ",".join(self.scores), ",".join(self.groups), ",".join(self.scores)
        return shlex.split(
            "--scores {} --sensitive s --groups {} --classes {}".format(*map(shlex.quote, names))
        )

    def fit(self, *words):
        out = self.folder / "model.json"
        subprocess.run(
            [PROGRAM, "fit", *words, *self.columns(), *BUDGET, "--force", "--out", out],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        return out.read_bytes()

    def sources(self, commands):
        """The second part is counted by the program itself, the others by the commands."""
        count = [PROGRAM, "count", self.write("part.csv", self.parts[1]), *self.columns()]
        own = shlex.join(map(str, [*count, "--serve"]))
        return [word for text in (own, *commands) for word in ("--source", text)]

    def command(self, *words):
        return shlex.join(map(str, [sys.executable, SCRIPT, *words, "s", *self.scores]))


class Databases(unittest.TestCase):
    def same(self, place):
        """place(shards, table, rows) fills a table and returns the words that lead to it."""
        for groups, classes in ((2, 2), (5, 5)):
            with self.subTest(groups=groups), tempfile.TemporaryDirectory() as folder:
                shards = Shards(folder, groups, classes)
                placed = [place(shards, f"part{i}", shards.parts[i]) for i in (0, 2)]
                sources = shards.sources(shards.command(*words) for words in placed)
                self.assertEqual(shards.fit(*sources), shards.fit(shards.whole))

    def test_duckdb_gives_the_model_of_the_table(self):
        import duckdb

        def place(shards, table, rows):
            file = shards.folder / f"{table}.db"
            with duckdb.connect(file) as connection:
                path = shards.write(f"{table}.csv", rows)
                connection.execute(f"CREATE TABLE people AS FROM read_csv('{path}')")
            return "duckdb", file, "people"

        self.same(place)

    @unittest.skipUnless(engines.postgresql_folder(), "needs PostgreSQL")
    def test_postgresql_gives_the_model_of_the_table(self):
        server = engines.PostgreSQL()
        self.addCleanup(server.stop)

        def place(shards, table, rows):
            columns = ", ".join(f"{score} double precision" for score in shards.scores)
            text = Path(shards.write(f"{table}.csv", rows)).read_text()
            server.psql(
                f"DROP TABLE IF EXISTS {table}; CREATE TABLE {table} ({columns}, s text);\n"
                f"COPY {table} FROM STDIN (FORMAT csv, HEADER);\n{text}\\.\n"
            )
            return "psql", f"host={server.folder} user=dp2dp dbname=postgres", table

        self.same(place)

    @unittest.skipUnless(engines.postgresql_folder(), "needs PostgreSQL")
    def test_the_recipe_of_the_page_runs(self):
        import duckdb

        page = SCRIPT.parents[1].joinpath("docs", "sources.md").read_text(encoding="utf-8")
        recipe = re.search(
            r"^    (dp2dp fit --source \"python3 sql_source.py.*?)\n\n", page, re.M | re.S
        )
        server = engines.PostgreSQL()
        self.addCleanup(server.stop)
        rows = "SELECT 1 - p AS p_no, p AS p_yes, CASE WHEN i % 3 = 0 THEN 'M' ELSE 'F' END AS sex"
        rows += " FROM (SELECT i, i / 601.0::double precision AS p FROM {}(1, 600) AS t(i)) AS u"
        server.psql(f"CREATE TABLE people AS {rows.format('generate_series')};\n")
        command = recipe.group(1)
        for printed, here in (
            ("host=db dbname=people", f"host={server.folder} user=dp2dp dbname=postgres"),
            ("python3 sql_source.py", f"{sys.executable} {SCRIPT}"),
        ):
            self.assertIn(printed, command)
            command = command.replace(printed, here)
        with tempfile.TemporaryDirectory() as folder:
            with duckdb.connect(f"{folder}/people.db") as connection:
                connection.execute(f"CREATE TABLE people AS {rows.format('range')}")
            Path(folder, "dp2dp").symlink_to(Path(PROGRAM).absolute())
            env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
            subprocess.run(["bash", "-c", command], cwd=folder, env=env, check=True,
                           stdout=subprocess.DEVNULL)  # fmt: skip
            model = json.loads(Path(folder, "m.json").read_text())
        self.assertEqual(model["records"], 599 + 600)


if __name__ == "__main__":
    unittest.main()
