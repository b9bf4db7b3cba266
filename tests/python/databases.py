"""Databases with a table of people, and connections to them."""

import sqlite3

import numpy as np
import pyarrow

import engines
from exported import TABLE

QUOTED = engines.quoted(TABLE)

try:
    import adbc_driver_postgresql.dbapi as adbc
    import psycopg
except ImportError:  # they need PostgreSQL anyway
    adbc = psycopg = None


def kinds(table, integer, number, text):
    """The type of each column: id is whole numbers, and a column with a str is text."""
    return {
        name: integer
        if name == "id"
        else text
        if any(isinstance(value, str) for value in values)
        else number
        for name, values in table.items()
    }


def created(table, integer, number, text):
    types = kinds(table, integer, number, text)
    columns = (f"{engines.quoted(name)} {kind}" for name, kind in types.items())
    return f"CREATE TABLE {QUOTED} ({', '.join(columns)})"


def fill_duckdb(connection, table, single):
    number = pyarrow.float32() if single else pyarrow.float64()
    types = kinds(table, pyarrow.int64(), number, pyarrow.string())
    arrays = {name: pyarrow.array(values, types[name]) for name, values in table.items()}
    connection.register("arrived", pyarrow.table(arrays))
    connection.execute(f"CREATE OR REPLACE TABLE {QUOTED} AS SELECT * FROM arrived")
    connection.unregister("arrived")


def fill_sqlite(connection, table, single=False):
    connection.execute(f"DROP TABLE IF EXISTS {QUOTED}")
    connection.execute(created(table, "INTEGER", "REAL", "TEXT"))
    marks = ", ".join("?" * len(table))
    rows = zip(*table.values(), strict=True)
    connection.executemany(f"INSERT INTO {QUOTED} VALUES ({marks})", rows)
    connection.commit()


def fill_postgresql(connection, table, single):
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS {QUOTED}")
        number = "real" if single else "double precision"
        cursor.execute(created(table, "bigint", number, "text"))
        with cursor.copy(f"COPY {QUOTED} FROM STDIN") as copy:
            for row in zip(*table.values(), strict=True):
                copy.write_row([float(v) if isinstance(v, np.floating) else v for v in row])
    connection.commit()


def connect_sqlite():
    return sqlite3.connect(":memory:")


class PostgreSQL(engines.PostgreSQL):
    """A server with connections by psycopg and ADBC."""

    def connect(self, **options):
        where = f"host={self.folder} user=dp2dp dbname=postgres"
        return psycopg.connect(where, **options)

    def connect_adbc(self, **options):
        return adbc.connect(f"postgresql:///postgres?host={self.folder}&user=dp2dp", **options)


def has_postgresql():
    return psycopg is not None and engines.postgresql_folder() is not None
