"""Uses connections to databases: finds the SQL dialect of a connection, lets many queries see the
same data, and reads rows as arrays."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from ._core import OptionError

Columns = list[npt.NDArray[Any]]
# The statement that begins a transaction, and the function that ends it. Both are None if no
# transaction is needed, or if the database has no transactions.
_Ends = tuple[str | None, Callable[[], None] | None]

DIALECTS = ("duckdb", "postgresql", "sqlite", "spark")
_BATCH = 65536  # number of rows that are fetched at once
_BLOCK = 1 << 22  # number of bytes that are converted at once
_DRIVERS = {
    "duckdb": "duckdb",
    "_duckdb": "duckdb",
    "sqlite3": "sqlite",
    "psycopg": "postgresql",
    "psycopg2": "postgresql",
    "pg8000": "postgresql",
}


def dialect_of(connection: Any) -> str:
    """Returns the SQL dialect of a connection, found from the name of its driver."""
    root = type(connection).__module__.partition(".")[0]
    if root == "adbc_driver_manager":
        vendor = str(connection.adbc_get_info().get("vendor_name", "")).lower()
        found = vendor if vendor in DIALECTS else None
    else:
        found = _DRIVERS.get(root)
    if found is None:
        raise OptionError(
            f"the SQL dialect of this connection ({root}, {type(connection).__name__}) is not "
            f"known: give dialect, which must be one of {', '.join(DIALECTS)}"
        )
    return found


class Database:
    """A connection of DB-API 2.0, ADBC or DuckDB."""

    def __init__(self, connection: Any, dialect: str | None = None) -> None:
        if dialect is not None and dialect not in DIALECTS:
            raise OptionError(f"dialect must be one of {', '.join(DIALECTS)}; not {dialect!r}")
        self.connection = connection
        self.dialect = dialect or dialect_of(connection)
        root = type(connection).__module__.partition(".")[0]
        # DuckDB needs no cursor: a cursor would be another connection, with its own transactions.
        self.is_duckdb = root in ("duckdb", "_duckdb")
        self.is_adbc = root == "adbc_driver_manager"

    @property
    def commits_itself(self) -> bool:
        """True if the connection commits after each statement outside a transaction."""
        hidden = getattr(self.connection, "_autocommit", False) if self.is_adbc else False
        return bool(getattr(self.connection, "autocommit", hidden))

    def execute(self, sql: str) -> None:
        if self.is_duckdb:
            self.connection.execute(sql)
            return
        with closing(self.connection.cursor()) as cursor:
            cursor.execute(sql)

    def rows(self, sql: str) -> Sequence[Sequence[Any]]:
        """Returns all rows of a small result."""
        found: Sequence[Sequence[Any]]
        if self.is_duckdb:
            found = self.connection.execute(sql).fetchall()
        else:
            with closing(self.connection.cursor()) as cursor:
                cursor.execute(sql)
                found = cursor.fetchall()
        return found

    def batches(self, sql: str, types: str) -> Iterator[Columns]:
        """Returns the rows of a large result in parts. ``types`` has one letter for each column:
        "i" for a 32-bit integer, "d" for a double. No value may be NULL."""
        if self.is_duckdb:
            return _of_duckdb(self.connection, sql)
        return self._of_cursor(sql, types)

    def _of_cursor(self, sql: str, types: str) -> Iterator[Columns]:
        with closing(self.connection.cursor()) as cursor:
            if self.is_adbc:
                cursor.execute(sql)
                yield from _of_arrow(cursor.fetch_record_batch())
            elif self.dialect == "postgresql" and hasattr(cursor, "copy"):
                yield from _of_copy(cursor, sql, types)
            elif self.dialect == "postgresql":
                # A plain cursor would fetch all rows before the first row is read.
                cursor.execute(f"DECLARE dp2dp_rows NO SCROLL CURSOR FOR {sql}")

                def fetch() -> Any:
                    cursor.execute(f"FETCH FORWARD {_BATCH} FROM dp2dp_rows")
                    return cursor.fetchall()

                yield from _of_rows(fetch)
            else:
                cursor.execute(sql)
                yield from _of_rows(lambda: cursor.fetchmany(_BATCH))

    @contextmanager
    def one_view(self) -> Iterator[None]:
        """A context manager. All queries in its body see the same rows, if the database has
        transactions. A transaction that was begun for the body is rolled back when the body
        ends."""
        ways: dict[str, Callable[[], _Ends]] = {
            "duckdb": self._in_duckdb,
            "postgresql": self._in_postgresql,
            "sqlite": self._in_sqlite,
        }
        begin, end = ways[self.dialect]() if self.dialect in ways else (None, None)
        if begin is None or end is None:
            yield
            return
        self.execute(begin)
        try:
            yield
        except BaseException:
            with suppress(Exception):  # a broken connection cannot roll back; keep the first error
                end()
            raise
        end()

    def _roll_back(self) -> None:
        if self.commits_itself:
            self.execute("ROLLBACK")
        else:
            self.connection.rollback()

    def _in_duckdb(self) -> _Ends:
        first, second = (self.rows("SELECT txid_current()")[0][0] for _ in range(2))
        if first == second:  # an open transaction ran both queries, so the data stay fixed
            return None, None
        return "BEGIN TRANSACTION", lambda: self.execute("ROLLBACK")

    def _in_sqlite(self) -> _Ends:
        if getattr(self.connection, "in_transaction", self.is_adbc and not self.commits_itself):
            return None, None
        return "BEGIN", lambda: self.execute("ROLLBACK")

    def _in_postgresql(self) -> _Ends:
        if self.rows("SELECT txid_current_if_assigned() IS NOT NULL")[0][0]:
            raise OptionError(
                "the connection has a transaction with changes that are not committed. Commit or "
                "roll back the transaction first: the fit needs its own transaction, so that all "
                "its queries see the same rows"
            )
        self._roll_back()  # ends an open transaction, which has changed nothing
        mode = "ISOLATION LEVEL REPEATABLE READ, READ ONLY"
        begin = f"BEGIN {mode}" if self.commits_itself else f"SET TRANSACTION {mode}"
        return begin, self._roll_back


def _of_duckdb(connection: Any, sql: str) -> Iterator[Columns]:
    try:
        importlib.import_module("pyarrow")
    except ImportError:
        found = connection.execute(sql).fetchnumpy()
        return iter([list(found.values())])
    relation = connection.sql(sql) if hasattr(connection, "sql") else connection.execute(sql)
    if hasattr(relation, "to_arrow_reader"):
        return _of_arrow(relation.to_arrow_reader(_BATCH))
    return _of_arrow(connection.execute(sql).fetch_record_batch(_BATCH))  # an older DuckDB


def _of_arrow(reader: Any) -> Iterator[Columns]:
    for batch in reader:
        yield [column.to_numpy(zero_copy_only=False) for column in batch.columns]


def _of_rows(fetch: Callable[[], Any]) -> Iterator[Columns]:
    while rows := fetch():
        yield list(np.array(rows, dtype=np.float64).T)


def _of_copy(cursor: Any, sql: str, types: str) -> Iterator[Columns]:
    """Reads the binary format of PostgreSQL's COPY: a header of 19 bytes, the rows, and at the end
    -1 as a 16-bit number. A row holds its number of columns (16 bits) and, for each column, the
    size of the value (32 bits) and the value. All rows have the same size, because no value is
    NULL."""
    fields: list[tuple[str, str]] = [("columns", ">i2")]
    for i, kind in enumerate(types):
        fields += [(f"size{i}", ">i4"), (f"value{i}", ">i4" if kind == "i" else ">f8")]
    row = np.dtype(fields)
    left = 19
    kept: list[bytes] = []

    def columns(end: bool) -> Columns:
        data = b"".join(kept)
        whole = (len(data) - (2 if end else 0)) // row.itemsize
        kept[:] = [data[whole * row.itemsize :]]
        rows = np.frombuffer(data, row, whole)
        return [rows[f"value{i}"] for i in range(len(types))]

    size = 0
    with cursor.copy(f"COPY ({sql}) TO STDOUT (FORMAT binary)") as copy:
        for block in copy:
            start = min(left, len(block))
            left -= start
            kept.append(bytes(block[start:]))
            size += len(block)
            if size >= _BLOCK:
                yield columns(end=False)
                size = 0
    yield columns(end=True)
