"""Decisions that `dp2dp predict --out x.parquet` writes, read back by another program's reader."""

import csv
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

PROGRAM = os.environ["DP2DP"]
# The program takes the library that DP2DP_DUCKDB names, or the package of this environment.
ENVIRONMENT = {**os.environ, "VIRTUAL_ENV": sys.prefix}
TEXTS = ["", "NULL", "null", 'a "quote"', "comma, and", "line\nend", "crlf\r\nend", "ä 😀", " 007 "]


def dp2dp(*arguments, status=0):
    run = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, env=ENVIRONMENT)
    if "apt-get install libpython" in run.stderr:
        raise unittest.SkipTest("no libduckdb.so, and this Python has no library of its own")
    assert run.returncode == status, run
    return run.stderr


class Parquet(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, Path.cwd())
        os.chdir(folder.name)
        self.rows = 3000
        self.columns = {
            "id": list(range(2**53, 2**53 + self.rows)),
            "note": [TEXTS[i % len(TEXTS)] for i in range(self.rows)],
            "p no": [(i % 97) / 97 for i in range(self.rows)],
            "p,yes": [1 - (i % 97) / 97 for i in range(self.rows)],
            "sex": ["m" if i % 3 else "f" for i in range(self.rows)],
        }
        with open("people.csv", "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.columns)
            writer.writerows(zip(*self.columns.values(), strict=True))
        scores = ("--scores", 'p no,"p,yes"')
        dp2dp(
            *("fit", "people.csv", *scores, "--sensitive", "sex", "--groups", "f,m"),
            *("--classes", 'no,"yes, ""sir"""', "--solver", "exact", "--out", "model.json"),
        )

    def decide(self, table, *more):
        dp2dp("predict", "model.json", table, *more, "--out", "decided.csv", "--force")
        dp2dp("predict", "model.json", table, *more, "--out", "decided.parquet", "--force")
        with open("decided.csv", newline="") as file:
            rows = list(csv.reader(file))
        return rows[0], rows[1:], pq.read_table("decided.parquet")

    def test_a_file_has_the_rows_of_csv_in_order(self):
        names, rows, table = self.decide("people.csv", "--keep", "note,id")
        self.assertEqual(table.column_names, names)
        self.assertEqual(table.schema.types, [pa.string()] * 3)
        found = [list(row.values()) for row in table.to_pylist()]
        self.assertEqual(found, rows)
        self.assertEqual({row[-1] for row in rows}, {"no", 'yes, "sir"'})

    def test_scores_are_the_float32_that_csv_spells(self):
        names, rows, table = self.decide("people.csv", "--adjusted")
        self.assertEqual(table.column_names, names)
        self.assertEqual(table.schema.types, [pa.float32()] * 2)
        for k, column in enumerate(table.itercolumns()):
            spelled = pa.array([float(row[k]) for row in rows]).cast(pa.float32(), safe=False)
            self.assertTrue(column.combine_chunks().equals(spelled))

    def test_kept_columns_of_parquet_keep_their_types(self):
        table = pa.table(self.columns)
        rows = range(self.rows)
        table = table.append_column("short", pa.array([i % 9 for i in rows], pa.int16()))
        table = table.append_column("even", pa.array([i % 2 == 0 for i in rows]))
        pq.write_table(table, "people.parquet")
        kept = ["even", "id", "note", "short"]
        _, _, found = self.decide("people.parquet", "--keep", ",".join(kept))
        self.assertEqual(found.column_names, [*kept, "prediction"])
        for name in kept:
            self.assertTrue(found[name].equals(table[name].cast(found[name].type)), name)
            self.assertEqual(found[name].type, table[name].type)

    def test_a_row_without_a_decision_is_null_and_not_a_text(self):
        columns = "x:0:1:drop,sex:sensitive:f|m,y:label:no|yes"
        dp2dp("schema", "--columns", columns, "--out", "schema.json")
        with open("rows.csv", "w") as file:
            file.write("x,sex,y\n" + "0.2,f,no\n0.8,m,yes\n,f,no\n" * 200)
        missing = ("--missing", '""')
        private = ("--method", "none")
        dp2dp("train", "rows.csv", "--schema", "schema.json", *missing, *private, "--out", "c.json")
        options = ("--model", "c.json", *missing, "--solver", "exact", "--force")
        dp2dp("fit", "rows.csv", *options, "--out", "model.json")
        for more in ((), ("--adjusted",)):
            _, rows, table = self.decide("rows.csv", *missing, *more)
            for i, row in enumerate(table.to_pylist()):
                self.assertEqual([value is None for value in row.values()], [i % 3 == 2] * len(row))
            self.assertEqual(len(rows), table.num_rows)

    def test_nothing_is_left_behind_when_the_table_is_bad(self):
        with open("people.csv", "a") as file:
            file.write("1,x,oops,0.5,m\n")
        dp2dp("predict", "model.json", "people.csv", "--out", "decided.parquet", status=4)
        self.assertEqual(sorted(os.listdir()), ["model.json", "people.csv"])


class Without(unittest.TestCase):
    def test_without_duckdb_the_message_has_the_command_and_nothing_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "people.csv").write_text("p_no,p_yes,sex\n" + "0.2,0.8,f\n0.6,0.4,m\n" * 9)
            run = dict(cwd=folder, capture_output=True, text=True)
            fit = "fit people.csv --scores p_no,p_yes --sensitive sex --groups f,m --solver exact"
            subprocess.run([PROGRAM, *fit.split(), "--out", "m.json"], check=True, **run)
            found = subprocess.run(
                [PROGRAM, "predict", "m.json", "people.csv", "--out", "d.parquet"],
                env={**os.environ, "DP2DP_DUCKDB": "/nowhere/libduckdb.so"},
                **run,
            )
            self.assertEqual(found.returncode, 1)
            self.assertIn("DP2DP_DUCKDB: cannot be loaded: /nowhere", found.stderr)
            self.assertEqual(sorted(os.listdir(folder)), ["m.json", "people.csv"])


if __name__ == "__main__":
    unittest.main()
