"""Databases count what pools count, and models that are fitted in them are the same bytes."""

import collections
import sqlite3
import unittest

import duckdb
import numpy as np
import pyarrow

import engines
from dp2dp import _core
from exported import GROUP, TABLE, People, as_double, cases, names

QUOTED = '"' + TABLE.replace('"', '""') + '"'
LABEL = 'tru\'e "class"'


class Question:
    """The rows of a case of test_export.py, with a label for each, and their expected cells: those
    of a few rows without a decision are None."""

    def __init__(self, case):
        self.case, model = case, case.model
        self.table, decided = People(case, rows=2000).table()
        self.single = case.dtype == np.float32
        self.labelled = np.size(model.offsets) > case.groups * case.classes
        n, classes = len(decided), len(model.classes)
        rng = np.random.default_rng(5)
        label = rng.integers(0, classes, n) if self.labelled else np.zeros(n, int)
        code = {name: i for i, name in enumerate(model.classes)}
        group = {name: i for i, name in enumerate(model.groups)}
        self.cells = collections.Counter()
        if self.labelled:
            self.table[LABEL] = [model.classes[y] for y in label]
            self.table[LABEL][:2] = [None, "no class"]
        for i, (name, of) in enumerate(zip(decided, self.table[GROUP], strict=True)):
            known = name is not None and of in group and not (self.labelled and i < 2)
            stratum = group[of] * (classes if self.labelled else 1) + label[i] if known else None
            self.cells[stratum * classes + code[name] if known else None] += 1

    def sql(self, dialect, offsets=True, **changes):
        model = self.case.model
        options = dict(
            dialect=dialect, table=QUOTED, group_names=model.groups, class_names=model.classes,
            score_columns=names(self.case.classes, "p"), group_column=GROUP,
            label_column=LABEL if self.labelled else None, normalize=self.case.normalize,
            weight_columns=names(self.case.weights, "w") if self.case.weights else None,
        )  # fmt: skip
        at = np.asarray(model.offsets, np.float32) if offsets else None
        return _core.count_sql(options | changes, at)


class Counts(unittest.TestCase):
    def same(self, dialect, count, given):
        for case in given:
            with self.subTest(case.title):
                question = Question(case)
                self.assertGreater(question.cells[None], 2)
                found = dict(count(question, question.sql(dialect)))
                self.assertEqual(found, dict(question.cells))

    def test_duckdb_counts_as_predict_decides(self):
        def count(question, sql):
            with duckdb.connect(config={"threads": 1}) as connection:
                load_duckdb(connection, question)
                return connection.execute(sql).fetchall()

        self.same("duckdb", count, cases())

    def test_sqlite_counts_as_predict_decides_for_float64(self):
        def count(question, sql):
            connection = sqlite3.connect(":memory:")
            try:
                load_sqlite(connection, question)
                return connection.execute(sql).fetchall()
            finally:
                connection.close()

        self.same("sqlite", count, map(as_double, cases()))


def load_duckdb(connection, question):
    number = pyarrow.float32() if question.single else pyarrow.float64()
    kinds = {"id": pyarrow.int64(), GROUP: pyarrow.string(), LABEL: pyarrow.string()}
    arrays = {
        name: pyarrow.array(values, kinds.get(name, number))
        for name, values in question.table.items()
    }
    connection.register("arrived", pyarrow.table(arrays))
    connection.execute(f"CREATE TABLE {QUOTED} AS SELECT * FROM arrived")
    connection.unregister("arrived")


def load_sqlite(connection, question):
    kinds = {"id": "INTEGER", GROUP: "TEXT", LABEL: "TEXT"}
    columns = (f"{engines.quoted(name)} {kinds.get(name, 'REAL')}" for name in question.table)
    connection.execute(f"CREATE TABLE {QUOTED} ({', '.join(columns)})")
    marks = ", ".join("?" * len(question.table))
    rows = zip(*question.table.values(), strict=True)
    connection.executemany(f"INSERT INTO {QUOTED} VALUES ({marks})", rows)
    connection.commit()
