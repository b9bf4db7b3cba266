"""Databases count what pools count."""

import collections
import unittest

import duckdb
import numpy as np

import databases
from databases import QUOTED
from dp2dp import OptionError, _core
from exported import GROUP, People, as_double, cases, names

LABEL = 'tru\'e "class"'


class Question:
    """The rows of a case of test_export.py, with a label for each, and their expected cells. The
    cell of rows without a decision is None."""

    def __init__(self, case):
        self.case, model = case, case.model
        self.table, decided = People(case, rows=2000).table()
        self.labelled = np.size(model.offsets) > case.groups * case.classes
        n, classes = len(decided), len(model.classes)
        label = np.random.default_rng(5).integers(0, classes, n) * self.labelled
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

    def sql(self, dialect):
        model = self.case.model
        options = dict(
            dialect=dialect, table=QUOTED, group_names=model.groups, class_names=model.classes,
            score_columns=names(self.case.classes, "p"), group_column=GROUP,
            label_column=LABEL if self.labelled else None, normalize=self.case.normalize,
            weight_columns=names(self.case.weights, "w") if self.case.weights else None,
        )  # fmt: skip
        return _core.count_sql(options, np.asarray(model.offsets, np.float32))


class Counts(unittest.TestCase):
    def same(self, dialect, connection, fill, given):
        for case in given:
            with self.subTest(case.title):
                question = Question(case)
                self.assertGreater(question.cells[None], 2)
                fill(connection, question.table, case.dtype == np.float32)
                found = dict(connection.execute(question.sql(dialect)).fetchall())
                self.assertEqual(found, dict(question.cells))

    def test_duckdb_counts_as_predict_decides(self):
        with duckdb.connect(config={"threads": 1}) as connection:
            self.same("duckdb", connection, databases.fill_duckdb, cases())

    def test_sqlite_counts_as_predict_decides_for_float64(self):
        connection = databases.connect_sqlite()
        self.addCleanup(connection.close)
        self.same("sqlite", connection, databases.fill_sqlite, map(as_double, cases()))

    @unittest.skipUnless(databases.has_postgresql(), "needs PostgreSQL and psycopg")
    def test_postgresql_counts_as_predict_decides(self):
        server = databases.PostgreSQL()
        self.addCleanup(server.stop)
        with server.connect() as connection:
            self.same("postgresql", connection, databases.fill_postgresql, cases())

    def test_offsets_must_have_the_size_of_the_table(self):
        names = dict(group_names=["a", "b"], class_names=["0", "1"], score_columns=["p", "q"])
        options = dict(dialect="duckdb", table="t", group_column="s", **names)
        for offsets in (np.zeros((2, 2)), np.zeros((4, 2), np.float32)):
            with self.assertRaisesRegex(OptionError, "float32 with 2 x 2 values"):
                _core.count_sql(options, offsets)
