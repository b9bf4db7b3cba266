"""Models that are fitted in databases are those of core.fit, byte for byte."""

import contextlib
import functools
import sqlite3
import types
import unittest
import warnings

import duckdb
import numpy as np

import databases
import engines
from databases import QUOTED
from dp2dp import DataError, Ledger, OptionError, core, sql
from exported import GROUP, names
from people import SEEDED, scores

LABEL = 'tru\'e "class"'
COUNT = 'n "records"'


class Rows:
    """A table, and the model of core.fit. ``bad`` rows are added that cannot be counted."""

    def __init__(self, title, n=900, classes=2, groups=2, dtype=np.float64, bad=0, **options):
        weights, cells = options.pop("weights", 0), options.pop("cells", False)
        rng = np.random.default_rng(1)
        p, g = scores(n, classes, groups, seed=2, dtype=dtype)
        if options.get("normalize"):
            p *= rng.uniform(0.5, 4, (n, 1)).astype(dtype)
        w = rng.dirichlet(np.ones(weights), n).astype(dtype) if weights else None
        y = rng.integers(0, classes, n) if "criterion" in options else None
        g[:bad], p[bad : 2 * bad, 0] = -1, -0.5
        self.title, self.single, self.bad = title, dtype == np.float32, 2 * bad
        self.groups, self.classes = names(groups, "g "), names(classes, "c ")
        self.columns = dict(scores=names(classes, "p"), sensitive=GROUP)
        self.table = dict(zip(self.columns["scores"], p.T.tolist(), strict=True))
        self.table[GROUP] = [None if code < 0 else self.groups[code] for code in g]
        given = {}
        if cells:
            given["multiplicity"] = rng.integers(1, 1000, n)
            given["multiplicity"][:2] = 10**7
            self.columns["multiplicity"] = COUNT
            self.table[COUNT] = given["multiplicity"].tolist()
        if weights:
            given["weights"] = w
            self.columns["weights"] = names(weights, "w")
            self.table.update(zip(self.columns["weights"], w.T.tolist(), strict=True))
        if y is not None:
            given["labels"] = y
            self.columns["label"] = LABEL
            self.table[LABEL] = [self.classes[code] for code in y]
        # Two and five groups ask all 80 questions of a default fit.
        self.options = dict({} if not options else {"steps": 20}, **options, **SEEDED)
        self.model = quietly(
            core.fit, p, g, group_names=self.groups, class_names=self.classes,
            score_columns=self.columns["scores"], group_column=GROUP,
            weight_columns=self.columns.get("weights"),
            **{"dither": 0, **self.options, **given},
        )  # fmt: skip

    def fit(self, connection, table=QUOTED, **options):
        lists = dict(groups=self.groups, classes=self.classes)
        return quietly(
            sql.fit, connection, table, **{**self.columns, **lists, **self.options, **options}
        )


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


@functools.cache
def tables():
    single = np.float32
    return [
        Rows("K2G2, float64"),
        Rows("K2G2, float32", dtype=single),
        Rows("K5G5, float64", classes=5, groups=5),
        Rows("equal opportunity, float64", criterion="equal_opportunity"),
        Rows("equalized odds, float32", dtype=single, criterion="equalized_odds"),
        Rows("unaware, float64", weights=2),
        Rows("unaware with labels", criterion="equal_opportunity", weights=2),
        Rows("normalised, float64", classes=3, normalize=True),
        Rows("grid, float64", grid=6),
        Rows("bad rows", bad=3, bad_rows="ignore"),
        Rows("cells", cells=True),
        Rows("cells with labels", cells=True, criterion="equal_opportunity"),
        Rows("bad cells", cells=True, bad=3, bad_rows="ignore"),
    ]


@functools.cache
def server():
    return databases.PostgreSQL()


def tearDownModule():
    if server.cache_info().currsize:
        server().stop()


needs_postgresql = unittest.skipUnless(databases.has_postgresql(), "needs PostgreSQL and psycopg")


class Same(unittest.TestCase):
    def same(self, connection, fill, given, fit_in=None):
        for rows in given:
            fill(connection, rows.table, rows.single)
            for how in ("copy", "tables"):
                with self.subTest(rows.title, how=how):
                    model = rows.fit(fit_in or connection, how=how)
                    self.assertEqual(model.to_json(), rows.model.to_json())

    def test_duckdb(self):
        with duckdb.connect(config={"threads": 1}) as connection:
            self.same(connection, databases.fill_duckdb, tables())

    def test_sqlite_with_float64(self):
        with contextlib.closing(databases.connect_sqlite()) as connection:
            self.same(connection, databases.fill_sqlite, (t for t in tables() if not t.single))

    @needs_postgresql
    def test_postgresql_by_psycopg(self):
        with server().connect() as connection:
            self.same(connection, databases.fill_postgresql, tables())

    @needs_postgresql
    def test_postgresql_by_adbc(self):
        for commits_itself in (False, True):
            with server().connect() as connection:
                with server().connect_adbc(autocommit=commits_itself) as other:
                    self.same(connection, databases.fill_postgresql, tables()[:2], other)

    @needs_postgresql
    def test_postgresql_by_a_driver_that_has_only_cursors(self):
        with server().connect(autocommit=True) as connection:
            self.same(connection, databases.fill_postgresql, tables()[:2], Plain(connection))

    def test_a_query_in_parentheses(self):
        with duckdb.connect() as connection:
            rows = tables()[0]
            databases.fill_duckdb(connection, rows.table, rows.single)
            for how in ("copy", "tables"):
                model = rows.fit(connection, f"(SELECT * FROM {QUOTED} -- all\n)", how=how)
                self.assertEqual(model.to_json(), rows.model.to_json())

    def test_auto_copies_up_to_the_limit(self):
        with duckdb.connect() as connection:
            rows = tables()[0]
            databases.fill_duckdb(connection, rows.table, rows.single)
            size = 4 * 2 * len(rows.table[GROUP])
            for limit, queries in ((size, 1), (size - 1, 81)):
                seen = Watched(connection)
                rows.fit(seen, dialect="duckdb", copy_limit=limit)
                counted = [text for text in seen.texts if text.startswith("SELECT cell")]
                self.assertEqual(len(counted), queries)

    def test_a_bad_multiplicity_is_refused_before_the_charge_even_if_bad_rows_are_ignored(self):
        connections = [(duckdb.connect(), databases.fill_duckdb)]
        connections += [(databases.connect_sqlite(), databases.fill_sqlite)]
        if databases.has_postgresql():
            connections += [(server().connect(), databases.fill_postgresql)]
        given = Rows("cells", cells=True)
        for connection, fill in connections:
            with contextlib.closing(connection):
                for bad in (0.0, -1.0, 1.5, None, float("inf"), float("nan"), 2.0**48 + 1):
                    table = {**given.table, COUNT: [bad, *map(float, given.table[COUNT][1:])]}
                    fill(connection, table, False)
                    for how, bad_rows in (("copy", "refuse"), ("tables", "ignore")):
                        ledger = Ledger()
                        with self.subTest(fill.__name__, bad=bad, how=how):
                            with self.assertRaisesRegex(DataError, "^1 rows have a multiplicity"):
                                given.fit(connection, how=how, bad_rows=bad_rows, ledger=ledger)
                            self.assertEqual(len(ledger), 0)
                fill(connection, {**given.table, COUNT: [2**48] * 900}, False)
                with self.assertRaisesRegex(DataError, "more than 2.48 records"):
                    given.fit(connection)


class Plain:
    """A connection of DB-API 2.0 that has nothing but what the standard has."""

    def __init__(self, connection):
        self.connection, self.autocommit = connection, connection.autocommit
        self.rollback = connection.rollback

    def cursor(self):
        cursor = self.connection.cursor()
        names = ("execute", "fetchall", "fetchmany", "close")
        return types.SimpleNamespace(**{name: getattr(cursor, name) for name in names})


Plain.__module__ = "psycopg2.extensions"


class Watched:
    """A connection of DuckDB that notes what it is asked."""

    def __init__(self, connection):
        self.connection, self.texts = connection, []

    def sql(self, text):
        self.texts.append(text)
        return self.connection.sql(text)

    def execute(self, text):
        self.texts.append(text)
        return self.connection.execute(text)


Watched.__module__ = "duckdb"


class Views(unittest.TestCase):
    """All questions see the same rows, and the connection stays as it was."""

    def setUp(self):
        self.rows = tables()[0]

    def filled(self):
        connection = duckdb.connect()
        self.addCleanup(connection.close)
        databases.fill_duckdb(connection, self.rows.table, self.rows.single)
        return connection

    @needs_postgresql
    def test_rows_that_another_connection_adds_are_not_seen(self):
        with server().connect() as connection, server().connect(autocommit=True) as other:
            databases.fill_postgresql(connection, self.rows.table, self.rows.single)

            def add(step, total):
                other.execute(f"INSERT INTO {QUOTED} SELECT * FROM {QUOTED} LIMIT 1")

            model = self.rows.fit(connection, how="tables", progress=add)
            self.assertEqual(model.to_json(), self.rows.model.to_json())
            count = other.execute(f"SELECT count(*) FROM {QUOTED}").fetchone()[0]
            self.assertGreater(count, self.rows.model.records)

    def test_rows_that_change_between_questions_are_refused(self):
        connection = Changing(self.filled())
        ledger = Ledger()
        with self.assertRaises(DataError):
            self.rows.fit(connection, how="tables", dialect="duckdb", ledger=ledger)
        self.assertGreater(len(ledger), 0)  # the change came after the charge

    @needs_postgresql
    def test_postgresql_is_left_without_a_transaction(self):
        idle = databases.psycopg.pq.TransactionStatus.IDLE
        for commits_itself in (False, True):
            with server().connect(autocommit=commits_itself) as connection:
                databases.fill_postgresql(connection, self.rows.table, self.rows.single)
                connection.execute("SELECT 1")  # begins a transaction unless commits_itself
                for how in ("copy", "tables"):
                    self.rows.fit(connection, how=how)
                    self.assertEqual(connection.info.transaction_status, idle)
                    with self.assertRaises(databases.psycopg.Error):
                        self.rows.fit(connection, "no such table", how=how)
                    self.assertEqual(connection.info.transaction_status, idle)
                level = connection.execute("SHOW transaction_isolation").fetchone()[0]
                self.assertEqual(level, "read committed")

    @needs_postgresql
    def test_postgresql_with_changes_that_are_not_committed_is_refused(self):
        with server().connect() as connection, server().connect(autocommit=True) as other:
            databases.fill_postgresql(connection, self.rows.table, self.rows.single)
            connection.execute("CREATE TABLE kept (a int)")
            with self.assertRaisesRegex(OptionError, "not committed"):
                self.rows.fit(connection)
            connection.commit()
            self.assertEqual(other.execute("SELECT count(*) FROM kept").fetchone()[0], 0)
            connection.execute("DROP TABLE kept")
            connection.commit()

    def test_duckdb_uses_a_transaction_that_is_open_and_leaves_it_open(self):
        connection = self.filled()
        connection.execute(f"BEGIN; INSERT INTO {QUOTED} SELECT * FROM {QUOTED} LIMIT 10")
        for how in ("copy", "tables"):
            self.assertEqual(self.rows.fit(connection, how=how).records, 910)
        connection.execute("ROLLBACK")
        for how in ("copy", "tables"):
            self.assertEqual(self.rows.fit(connection, how=how).records, 900)
            with self.assertRaises(duckdb.Error):
                self.rows.fit(connection, "no such table", how=how)
            connection.execute("BEGIN")  # fails if one is open
            connection.execute("ROLLBACK")

    def test_sqlite_uses_a_transaction_that_is_open_and_leaves_it_open(self):
        with contextlib.closing(databases.connect_sqlite()) as connection:
            databases.fill_sqlite(connection, self.rows.table)
            connection.execute(f"INSERT INTO {QUOTED} SELECT * FROM {QUOTED} LIMIT 10")
            self.assertEqual(self.rows.fit(connection).records, 910)
            self.assertTrue(connection.in_transaction)
            connection.rollback()
            self.assertEqual(self.rows.fit(connection).records, 900)
            self.assertFalse(connection.in_transaction)
            with self.assertRaises(sqlite3.Error):
                self.rows.fit(connection, "no such table")
            self.assertFalse(connection.in_transaction)


class Refused(unittest.TestCase):
    def setUp(self):
        self.rows = tables()[0]
        self.connection = duckdb.connect()
        self.addCleanup(self.connection.close)
        databases.fill_duckdb(self.connection, self.rows.table, self.rows.single)

    def refuses(self, words, rows=None, table=QUOTED, **options):
        ledger = Ledger()
        with self.assertRaisesRegex((DataError, OptionError, TypeError), words):
            (rows or self.rows).fit(self.connection, table, ledger=ledger, **options)
        self.assertEqual(len(ledger), 0)

    def test_bad_rows_are_counted_and_nothing_is_charged(self):
        rows = next(t for t in tables() if t.title == "bad rows")
        databases.fill_duckdb(self.connection, rows.table, rows.single)
        for how in ("copy", "tables"):
            self.refuses("^6 of 900 rows cannot be counted", rows, how=how, bad_rows="refuse")

    def test_scores_are_checked_as_float64_if_one_column_is(self):
        first, second = map(engines.quoted, self.rows.columns["scores"])
        off = f"CAST({second} + 1e-4 AS FLOAT) AS {second}"  # allowed for float32 alone
        for kind, words in (("FLOAT", None), ("DOUBLE", "900 of 900")):
            changed = f"CAST({first} AS {kind}) AS {first}, {off}"
            query = f"(SELECT * REPLACE ({changed}) FROM {QUOTED})"
            for how in ("copy", "tables"):
                with self.subTest(kind, how=how):
                    if words:
                        self.refuses(words, table=query, how=how)
                    else:
                        self.assertEqual(
                            self.rows.fit(self.connection, query, how=how).records, 900
                        )

    def test_an_empty_table_is_refused(self):
        for how in ("copy", "tables"):
            self.refuses("records|rows", table=f"(SELECT * FROM {QUOTED} WHERE false)", how=how)

    def test_options_that_a_database_cannot_use(self):
        unaware = tables()[5]
        for words, options in (
            ("in parentheses", dict(table="SELECT * FROM people")),
            ("list of names", dict(scores="p0")),
            ("how must be", dict(how="fast")),
            ("dialect must be", dict(dialect="oracle")),
            ("given twice", dict(groups=["a", "a"])),
            ("must have 2 names", dict(scores=["p"])),
            ("set label to", dict(criterion="equal_opportunity")),
            ("does not use labels", dict(label="y")),
            ("use groups", dict(group_names=["a"])),
            ("no option ids", dict(ids=[1])),
            ("dither_key", dict(dither=0.1, dither_key="row")),
            ("a dither, .*: use how='copy'", dict(dither=0.1, how="tables")),
            ("a dither, .* scores take 7200", dict(dither=0.1, copy_limit=7199)),
            ("solver='exact'", dict(solver="exact", how="tables")),
            ("counted=", dict(counted="scores", how="tables", criterion="equal_opportunity")),
            ("'ignore' together with", dict(rows=unaware, how="tables", bad_rows="ignore")),
            ("unknown option", dict(no_such_option=1)),
        ):  # fmt: skip
            with self.subTest(words):
                self.refuses(words, **options)

    def test_a_connection_of_an_unknown_driver(self):
        with self.assertRaisesRegex(OptionError, "give dialect"):
            self.rows.fit(object())

    def test_a_dither_by_copying(self):
        dithered = dict(dither=0.1, dither_seed=3)
        model = self.rows.fit(self.connection, **dithered)
        self.assertEqual((model.dither_key, model.info["dither"]), ("scores", 0.1))


class Changing(Watched):
    """A database without transactions, whose table grows after the third question."""

    def execute(self, text):
        if text in ("BEGIN TRANSACTION", "ROLLBACK"):
            return None
        if sum(text.startswith("SELECT cell") for text in self.texts) == 3:
            self.connection.execute(f"INSERT INTO {QUOTED} SELECT * FROM {QUOTED} LIMIT 1")
        return super().execute(text)


Changing.__module__ = "duckdb"
