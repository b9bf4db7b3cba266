"""The rule decides in SQL, ONNX and C as predict does, bit for bit."""

import itertools
import re
import sqlite3
import subprocess
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np

import dp2dp
import engines
from exported import GROUP, TABLE, People, as_double, as_single, cases, people_of
from people import SEEDED, scores

QUOTED = '"' + TABLE.replace('"', '""') + '"'


def select(case, dialect):
    return case.model.to_sql(dialect, table=QUOTED)


def differences(expected, found):
    return [i for i, pair in enumerate(zip(expected, found, strict=True)) if pair[0] != pair[1]]


class Decisions(unittest.TestCase):
    def same(self, dialect, engine, given):
        for case in given:
            with self.subTest(case.title):
                people = people_of(case)
                self.assertGreater(people.share_of_close_ties(), 0.25)
                table, expected = people.table()
                columns, found = engine(table, case.dtype == np.float32, select(case, dialect))
                self.assertEqual(columns, [*table, "prediction"])
                self.assertEqual(differences(expected, found), [])

    def test_duckdb_decides_as_predict(self):
        self.same("duckdb", engines.in_duckdb, cases())

    def test_sqlite_decides_as_predict_does_for_float64(self):
        self.same("sqlite", engines.in_sqlite, map(as_double, cases()))

    @unittest.skipUnless(engines.postgresql_folder(), "needs PostgreSQL")
    def test_postgresql_decides_as_predict(self):
        server = engines.PostgreSQL()
        self.addCleanup(server.stop)
        self.same("postgresql", server, cases())

    def test_onnxruntime_decides_as_predict_does_for_float32(self):
        for case in cases():
            case = as_single(case)
            with self.subTest(case.title):
                people = people_of(case)
                at, group = people.accepted(), people.group()
                found = engines.in_onnxruntime(
                    case, people.p[at], [group[i] for i in at], people.w[at]
                )
                self.assertEqual(differences([people.expected[i] for i in at], found), [])

    def test_c_decides_as_predict_even_if_the_compiler_may_contract(self):
        for case in cases():
            people = people_of(case)
            for flags in (["-O0"], ["-O3", "-march=native", "-ffp-contract=fast"]):
                with self.subTest(case.title, flags=flags):
                    self.assertEqual(differences(people.expected, engines.in_c(people, *flags)), [])


class Casts(unittest.TestCase):
    """Without its casts, each SELECT decides some near-ties otherwise."""

    def differs(self, case, engine, select):
        people = people_of(case)
        table, expected = people.table()
        wrong = differences(expected, engine(table, case.dtype == np.float32, select)[1])
        self.assertGreater(len([i for i in wrong if i < people.ties]), people.ties // 1000)

    def test_duckdb_needs_them(self):
        for case in cases()[0], cases()[7]:
            text = select(case, "duckdb").replace(" AS FLOAT)", " AS DOUBLE)")
            self.differs(case, engines.in_duckdb, text)

    def test_duckdb_needs_them_for_columns_and_for_literals(self):
        case = cases()[3]
        text = select(case, "duckdb")
        columns = re.sub(r'("\s*AS DOUBLE\)) AS FLOAT\)', r"\1 AS DOUBLE)", text)
        literals = re.sub(r"(e[+-]\d\d) AS FLOAT\)", r"\1 AS DOUBLE)", text)
        for without in columns, literals:
            self.assertNotEqual(without, text)
            self.differs(case, engines.in_duckdb, without)

    def test_sqlite_needs_its_rounding(self):
        for case in map(as_double, (cases()[0], cases()[7])):
            text = select(case, "sqlite").replace("805306368*", "0*")
            self.differs(case, engines.in_sqlite, text)

    @unittest.skipUnless(engines.postgresql_folder(), "needs PostgreSQL")
    def test_postgresql_needs_them(self):
        server = engines.PostgreSQL()
        self.addCleanup(server.stop)
        for case in cases()[0], cases()[7]:
            text = select(case, "postgresql").replace(" AS real)", " AS double precision)")
            self.differs(case, server, text)


def numbered(groups=(-1, 1)):
    """A model whose groups and classes are numbers."""
    p, g = scores(500)
    columns = dict(score_columns=["a", "b"], group_column=GROUP)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dp2dp.fit(p, g, group_names=groups, class_names=[0, 10], **SEEDED, **columns)


class Numbers(unittest.TestCase):
    def test_groups_that_are_integers_are_found_in_columns_of_any_type(self):
        import duckdb

        kinds = ("TINYINT", "BIGINT", "FLOAT", "DOUBLE", "VARCHAR")
        for kind, groups in itertools.product(kinds, ([-1, 1], [-1.0, 1.0], ["-01", "1e0"])):
            model = numbered(groups)
            with duckdb.connect() as connection:
                connection.execute(
                    f"CREATE TABLE people AS SELECT CAST(g AS {kind}) AS {engines.quoted(GROUP)},"
                    " 0.9e0 AS a, 0.1e0 AS b FROM (VALUES (-1), (1), (2)) AS t(g)"
                )
                found = connection.sql(model.to_sql("duckdb")).fetchall()
            self.assertEqual([row[-1] for row in found], ["0", "0", None], kind)

    def test_groups_whose_text_alone_differs_stay_texts(self):
        text = numbered(["1", "01"]).to_sql("duckdb")
        self.assertIn("IN ('1') THEN", text)
        self.assertIn("IN ('01') THEN", text)

    def test_onnx_takes_and_gives_integers_where_all_names_are_integers(self):
        import onnxruntime

        session = onnxruntime.InferenceSession(numbered().to_onnx())
        kinds = {value.name: value.type for value in session.get_inputs() + session.get_outputs()}
        self.assertEqual(
            kinds, dict(scores="tensor(float)", group="tensor(int64)", prediction="tensor(int64)")
        )
        p = np.array([[0.99, 0.01], [0.01, 0.99]], np.float32)
        found = session.run(None, dict(scores=p, group=np.array([-1, 1])))[0]
        self.assertEqual(found.tolist(), [0, 10])


class Columns(unittest.TestCase):
    def setUp(self):
        p, g = scores()
        with warnings.catch_warnings(action="ignore"):
            self.model = dp2dp.fit(
                p, g, group_names=["f", "m"], class_names=["no", "yes"], **SEEDED
            )
        self.names = dict(score_columns=["a", "b"], group_column="g")

    def test_the_new_column_may_have_another_name(self):
        import duckdb

        sql = self.model.to_sql("duckdb", prediction='my "one"', **self.names)
        with duckdb.connect() as connection:
            connection.execute(
                "CREATE TABLE people AS SELECT .1 AS a, .9 AS b, 'f' AS g, 3 AS prediction"
            )
            found = connection.sql(sql)
            self.assertEqual(found.columns, ["a", "b", "g", "prediction", 'my "one"'])
            self.assertEqual(found.fetchall()[0][-1], "yes")
        with self.assertRaisesRegex(ValueError, "the rule reads a column named 'G'"):
            self.model.to_sql("duckdb", prediction="G", **self.names)

    def test_a_text_that_is_no_number_has_no_decision_in_duckdb(self):
        import duckdb

        rows = "('.1', '.9', 'f'), ('', '.9', 'f'), ('.1', 'NA', 'm'), (NULL, '1', 'm')"
        with duckdb.connect() as connection:
            connection.execute(
                f"CREATE TABLE people AS SELECT * FROM (VALUES {rows}) AS t(a, b, g)"
            )
            found = connection.sql(self.model.to_sql("duckdb", **self.names)).fetchall()
        self.assertEqual([row[-1] for row in found], ["yes", None, None, None])


class Sqlite(unittest.TestCase):
    def decide(self, columns, *values):
        database = sqlite3.connect(":memory:")
        self.addCleanup(database.close)
        database.execute(f"CREATE TABLE people ({columns}, {engines.quoted(GROUP)})")
        database.execute(f"INSERT INTO people VALUES ({', '.join('?' * len(values))})", values)
        return database.execute(numbered().to_sql("sqlite")).fetchone()[-1]

    def test_a_column_that_is_missing_is_an_error_and_not_a_text(self):
        self.assertEqual(self.decide("a, b", 0.9, 0.1, 1), "0")
        with self.assertRaisesRegex(sqlite3.OperationalError, "no such column"):
            self.decide("a, c", 0.9, 0.1, 1)

    def test_scores_that_are_texts_have_no_decision(self):
        self.assertIsNone(self.decide("a, b", "0.9", "0.1", 1))
        self.assertEqual(self.decide("a REAL, b REAL", "0.9", "0.1", 1), "0")
        self.assertEqual(self.decide("a, b", 1, 0, 1), "0")


class Onnx(unittest.TestCase):
    def test_a_rule_of_two_classes_has_about_a_kilobyte(self):
        self.assertLess(len(numbered().to_onnx()), 1500)

    def test_the_checker_of_onnx_accepts_every_rule(self):
        import onnx

        for case in cases():
            model = onnx.load_from_string(case.model.to_onnx())
            onnx.checker.check_model(model, full_check=True)
            versions = {entry.domain: entry.version for entry in model.opset_import}
            self.assertEqual(versions, {"": 13, "ai.onnx.ml": 2})

    def test_rows_that_predict_refuses_stop_the_run(self):
        from onnxruntime.capi.onnxruntime_pybind11_state import Fail, InvalidArgument

        for case in cases():
            case = as_single(case)
            people, known = People(case, 20), case.model.groups[0]
            for i, expected in enumerate(people.expected):
                row = slice(i, i + 1)
                if expected is None:
                    with self.assertRaises((Fail, InvalidArgument), msg=f"{case.title} {i}"):
                        engines.in_onnxruntime(case, people.p[row], [known], people.w[row])
            if not case.weights:
                with self.assertRaises((Fail, InvalidArgument)):
                    engines.in_onnxruntime(case, people.p[:1], ["nobody"], people.w[:1])

    def test_no_rows_give_no_decisions(self):
        for case in cases():
            none = np.empty((0, case.classes)), [], np.empty((0, case.weights))
            found = engines.in_onnxruntime(case, *none)
            self.assertEqual(found, [])


class Header(unittest.TestCase):
    def compiles(self, text, *command):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder)
            for i, model in enumerate((numbered(), cases()[11].model)):
                (path / f"rule{i}.h").write_text(model.to_c_header())
            (path / "main.c").write_text(text)
            return subprocess.run(
                [*command, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "main.c"],
                cwd=path, capture_output=True, text=True,
            )  # fmt: skip

    def test_two_rules_fit_into_one_file_of_c_and_of_cpp(self):
        text = """#define DP2DP_RULE(name) first_##name
#include "rule0.h"
#undef DP2DP_RULE
#define DP2DP_RULE(name) second_##name
#include "rule1.h"
int main(void) {
    const double p[2] = {0.5, 0.5}, q[3] = {1, 0, 0};
    return first_decide(p, "1") + second_decide(q, p) + first_classes[0][0] + second_classes[0][0];
}
"""
        for command in (["cc", "-std=c99"], ["cc", "-std=c17"], ["c++", "-std=c++11", "-x", "c++"]):
            done = self.compiles(text, *command, "-Wno-unused-function")
            self.assertEqual((done.returncode, done.stderr), (0, ""), command)

    def test_fast_math_is_refused(self):
        text = '#include "rule0.h"\nint main(void) { return 0; }\n'
        done = self.compiles(text, "cc", "-ffast-math")
        self.assertIn("-ffast-math changes decisions", done.stderr)


class Refusals(unittest.TestCase):
    def refused(self, words, call, *args, **options):
        with self.assertRaisesRegex(ValueError, words):
            call(*args, **options)

    def test_a_dithered_rule_is_refused_with_what_to_do(self):
        p, g = scores(600)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = dp2dp.fit(
                p, g, n_groups=2, criterion="equalized_odds", labels=p.argmax(axis=1), **SEEDED
            )
        names = dict(score_columns=["a", "b"], group_column="g")
        for export in (lambda: model.to_sql("duckdb", **names), model.to_onnx, model.to_c_header):
            self.refused("dither=0.*equalized odds", export)

    def test_sql_needs_the_names_of_columns(self):
        p, g = scores(500)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = dp2dp.fit(p, g, n_groups=2, **SEEDED)
        self.refused("no column names.*score_columns.*group_column", model.to_sql, "duckdb")
        only_group = "has no column names, so name the column of groups"
        self.refused(only_group, model.to_sql, "duckdb", score_columns=["a", "b"])
        names = dict(score_columns=["a", "b"], group_column="g")
        self.assertIn('"a"', model.to_sql("duckdb", **names))
        self.refused("2", model.to_sql, "duckdb", score_columns=["a"], group_column="g")
        self.refused("twice", model.to_sql, "duckdb", score_columns=["a", "a"], group_column="g")
        self.refused("sees the group", model.to_sql, "duckdb", weight_columns=["a", "b"], **names)

    def test_columns_in_another_order_than_the_models_are_refused(self):
        p, g = scores(500)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            names = dict(class_names=["no", "yes"], group_names=["F", "M"], group_column="g")
            names |= dict(score_columns=["p_no", "p_yes"], weight_columns=["p_F", "p_M"])
            fit = dict(n_groups=2, weights=np.full((500, 2), 0.5), **SEEDED)
            model = dp2dp.fit(p, g, **fit, **names)
            back = names | dict(weight_columns=["p_M", "p_F"])
            used = "'p_M' would be used as the scores of the group 'F'"
            self.refused(used, dp2dp.fit, p, g, **fit, **back)
        self.assertIn('"q_no"', model.to_sql("duckdb", score_columns=["q_no", "q_yes"]))
        for columns, words in (
            (dict(score_columns=["p_yes", "p_no"]), "'p_yes' stands where the model has"),
            (
                dict(score_columns=["q_yes", "q_no"]),
                "'q_yes' would be used as the scores of the class 'no'",
            ),
            (dict(weight_columns=["p_M", "p_F"]), "'p_M' stands where the model has"),
            (
                dict(weight_columns=["w_M", "w_F"]),
                "'w_M' would be used as the scores of the group 'F'",
            ),
        ):
            self.refused(words, model.to_sql, "duckdb", **columns)

    def test_unknown_dialects_and_names_that_no_sql_can_hold_are_refused(self):
        model = numbered()
        self.refused("unknown format", model.to_sql, "oracle")
        self.refused("only for SQL", model.to_sql, "onnx")
        for table in ("", ".", "a..b", "a.", '""', 'a.""'):
            self.refused("empty", model.to_sql, "duckdb", table=table)
        self.refused("null|NUL", model.to_sql, "duckdb", table="a\0b")

    def test_names_of_tables_have_parts(self):
        model = numbered()
        for table, quoted in {
            "people": '"people"',
            "a.b": '"a"."b"',
            '"a.b".c': '"a.b"."c"',
            '"a""b"': '"a""b"',
            'a"b': '"a""b"',
            '"a': '"""a"',
            "a b.Ä": '"a b"."Ä"',
        }.items():
            self.assertIn(f"FROM {quoted} AS", model.to_sql("duckdb", table=table))
        self.assertIn("FROM `a``b`.`c` AS", model.to_sql("spark", table="a`b.c"))
