"""The engines that exports run in. Each takes the columns of a table, whether the scores are
float32, and a SELECT; it returns the names of the result's columns, and the predictions by id."""

import csv
import ctypes
import io
import os
import pwd
import shutil
import sqlite3
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from exported import GROUP, TABLE


def quoted(name, mark='"'):
    return mark + name.replace(mark, 2 * mark) + mark


def in_duckdb(table, single, sql, name=TABLE):
    import duckdb
    import pyarrow

    number = pyarrow.float32() if single else pyarrow.float64()
    arrays = {
        column: pyarrow.array(
            values,
            pyarrow.int64() if column == "id" else pyarrow.string() if column == GROUP else number,
        )
        for column, values in table.items()
    }
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("arrived", pyarrow.table(arrays))
        connection.execute(f"CREATE TABLE {quoted(name)} AS SELECT * FROM arrived")
        found = connection.sql(sql).to_arrow_table()
        return found.column_names, found.sort_by("id")["prediction"].to_pylist()


def in_sqlite(table, single, sql, name=TABLE):
    """SQLite has float64 alone."""
    kinds = {"id": "INTEGER", GROUP: "TEXT COLLATE NOCASE"}
    columns = ", ".join(f"{quoted(column)} {kinds.get(column, 'REAL')}" for column in table)
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute(f"CREATE TABLE {quoted(name)} ({columns})")
        marks = ", ".join("?" * len(table))
        connection.executemany(
            f"INSERT INTO {quoted(name)} VALUES ({marks})", zip(*table.values(), strict=True)
        )
        cursor = connection.execute(sql)
        found = sorted(cursor, key=lambda row: row[0])
        return [column[0] for column in cursor.description], [row[-1] for row in found]
    finally:
        connection.close()


class PostgreSQL:
    """A server in a folder of its own, which only a socket reaches. It refuses to run as root, so
    root starts it as another user."""

    def __init__(self):
        self.bin = postgresql_folder()
        self.folder = Path(tempfile.mkdtemp(prefix="dp2dp-pg-"))
        self.user = None
        if os.geteuid() == 0:
            self.user = "postgres" if user_exists("postgres") else "nobody"
            shutil.chown(self.folder, self.user)
        self.run("initdb", "-D", self.folder / "data", "-A", "trust", "-U", "dp2dp", "-E", "UTF8",
                 "--no-locale", "--no-sync")  # fmt: skip
        settings = f"-c listen_addresses= -k {self.folder} -c fsync=off -c jit=off"
        self.run("pg_ctl", "-D", self.folder / "data", "-o", settings, "-l", self.folder / "log",
                 "-w", "start")  # fmt: skip

    def run(self, program, *args, **options):
        return subprocess.run(
            [self.bin / program, *args],
            check=True, user=self.user, cwd=self.folder, capture_output=True,
            env=dict(PATH="/usr/bin:/bin", LC_ALL="C.UTF-8"), **options,
        ).stdout  # fmt: skip

    def stop(self):
        self.run("pg_ctl", "-D", self.folder / "data", "-m", "immediate", "-w", "stop")
        shutil.rmtree(self.folder)

    def psql(self, text):
        """Runs commands and returns what they print."""
        where = ("-h", self.folder, "-U", "dp2dp", "-d", "postgres")
        options = ("-X", "-q", "-v", "ON_ERROR_STOP=1")
        return self.run("psql", *where, *options, input=text.encode()).decode()

    def __call__(self, table, single, sql, name=TABLE):
        kinds = {"id": "bigint", GROUP: "text"}
        number = "real" if single else "double precision"
        columns = ", ".join(f"{quoted(column)} {kinds.get(column, number)}" for column in table)
        rows = io.StringIO()
        writer = csv.writer(rows, lineterminator="\n")
        for row in zip(*table.values(), strict=True):
            writer.writerow("\x01" if value is None else value for value in row)
        commands = (
            f"DROP TABLE IF EXISTS {quoted(name)};\nCREATE TABLE {quoted(name)} ({columns});\n"
            f"COPY {quoted(name)} FROM STDIN (FORMAT csv, NULL '\x01');\n{rows.getvalue()}\\.\n"
            f"COPY (SELECT id, prediction FROM ({sql}) AS decided) TO STDOUT"
            " (FORMAT csv, NULL '\x01');\n"
            f"COPY (SELECT * FROM ({sql}) AS decided LIMIT 0) TO STDOUT (FORMAT csv, HEADER);\n"
        )
        found = list(csv.reader(io.StringIO(self.psql(commands), newline="")))
        decided = sorted((int(row[0]), row[1]) for row in found[:-1])
        return found[-1], [None if name == "\x01" else name for _, name in decided]


def user_exists(name):
    try:
        return bool(pwd.getpwnam(name))
    except KeyError:
        return False


def postgresql_folder():
    """The folder of the newest server's programs; None if there is no server."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if shutil.which("initdb"):
        found.append(Path(os.path.realpath(shutil.which("initdb"))).parent)
    return max(found, default=None, key=lambda path: float(path.parent.name))


def in_onnxruntime(case, p, group, w):
    """Float32 numbers and names in, decisions out."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # a refused row is no news
    options.intra_op_num_threads = 1
    providers = ["CPUExecutionProvider"]
    session = onnxruntime.InferenceSession(case.model.to_onnx(), options, providers=providers)
    inputs = {"scores": p.astype(np.float32)}
    if case.weights:
        inputs["group_scores"] = w.astype(np.float32)
    else:
        inputs["group"] = np.array(group, dtype=object)
    return session.run(["prediction"], inputs)[0].tolist()


PROGRAM = """
#include "rule.h"
void run(int n, int classes, int weights, const NUMBER *p, const NUMBER *w,
         const char *const *group, int *out) {
    for (int i = 0; i < n; i++) {
        out[i] = DECIDE(p + i * classes, SECOND);
        (void)w, (void)group, (void)weights;
    }
}
"""


def in_c(people, *flags):
    """Compiles the header and decides for all people. Returns the classes; None for -1."""
    case, n = people.case, len(people.p)
    single = case.dtype == np.float32
    defines = {
        "NUMBER": "float" if single else "double",
        "DECIDE": "dp2dp_rule_decide" + "_float" * single,
        "SECOND": "w + i * weights" if case.weights else "group[i]",
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        (path / "rule.h").write_text(case.model.to_c_header())
        (path / "run.c").write_text(PROGRAM)
        subprocess.run(
            ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC",
             *flags, *(f"-D{name}={value}" for name, value in defines.items()),
             "run.c", "-o", "run.so"], cwd=path, check=True,
        )  # fmt: skip
        library = ctypes.CDLL(str(path / "run.so"))
    groups = (ctypes.c_char_p * n)(*(name.encode() for name in people.group()))
    out = np.empty(n, np.int32)
    p, w = np.ascontiguousarray(people.p), np.ascontiguousarray(people.w)
    pointer = ctypes.c_void_p
    library.run(
        n, case.classes, case.weights, pointer(p.ctypes.data), pointer(w.ctypes.data), groups,
        pointer(out.ctypes.data),
    )  # fmt: skip
    return [None if code < 0 else case.model.classes[code] for code in out]
