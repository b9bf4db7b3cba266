"""Compares the ways from rows in an engine to a model, on rows that the engine makes itself.

    PYTHONPATH=build/python python bench/scale.py duckdb|spark [ROWS]      default: 1e7 rows of two scores

`in memory` starts from numpy arrays, so that reading is not in its figure. `copy` reads the rows once, `tables` asks
the engine 80 times, `grid` groups the rows into cells. All but the grid must give the same model, byte by byte."""
import argparse
import time

import numpy as np

import dp2dp
from common import memory, verdict

LISTS = {"groups": ["0", "1"], "classes": ["0", "1"]}
NAMES = {"group_names": ["0", "1"], "class_names": ["0", "1"]}
PRIVACY = {"rho": 0.02, "epsilon": 1, "delta": 1e-10, "insecure_seed": 1}
STEPS = 65536

# One draw for the group and one for the score, which is higher in group 1. hash() is a fixed function.
DUCKDB = """
CREATE TABLE people AS
SELECT CASE WHEN a < .3 THEN '1' ELSE '0' END AS s, 1 - p AS p0, p AS p1
FROM (SELECT a, CASE WHEN a < .3 THEN sqrt(b) ELSE b * b END AS p
      FROM (SELECT (hash(i) >> 11) * 1.1102230246251565e-16 AS a,
                   (hash(-i - 1) >> 11) * 1.1102230246251565e-16 AS b FROM range({rows}) AS t(i)))"""
CELLS = """
SELECT s, floor(p1 * {steps} + .5)::INTEGER AS step, count(*) AS n FROM people GROUP BY s, step ORDER BY s, step"""


def timed(work):
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def tell(engine, way, seconds, same):
    verdict(f"{engine}: {way}", f"{seconds:.1f} s, {memory('VmHWM') / 1e6:.0f} MB at most so far", same)


def cells_model(steps, groups, times):
    one = np.asarray(steps, np.float64) / STEPS
    return dp2dp.core.fit_quietly(np.column_stack([1 - one, one]), np.asarray(groups, np.int8), **NAMES,
                                  **PRIVACY, multiplicity=np.asarray(times), grid=16)


def duckdb_ways(rows):
    import duckdb

    from dp2dp import sql

    columns = {"scores": ["p0", "p1"], "sensitive": "s"} | LISTS
    with duckdb.connect() as connection:
        connection.execute(DUCKDB.format(rows=rows))

        def grid():
            cells = connection.sql(CELLS.format(steps=STEPS)).fetchnumpy()
            return cells_model(cells["step"], [int(s) for s in cells["s"]], cells["n"])

        copied, seconds = timed(lambda: sql.fit(connection, "people", **columns, **PRIVACY, how="copy"))
        tell("duckdb", "copy", seconds, True)
        tables, seconds = timed(lambda: sql.fit(connection, "people", **columns, **PRIVACY, how="tables"))
        tell("duckdb", "80 tables", seconds, tables.to_json() == copied.to_json())
        model, seconds = timed(grid)
        tell("duckdb", "grid", seconds, model.records == rows)
        arrays = connection.sql("SELECT p0, p1, s::TINYINT AS s FROM people").fetchnumpy()
    scores = np.column_stack([arrays["p0"], arrays["p1"]])
    local, seconds = timed(lambda: dp2dp.core.fit_quietly(
        scores, arrays["s"], **NAMES, score_columns=["p0", "p1"], group_column="s", **PRIVACY))
    tell("numpy", "in memory", seconds, local.to_json() == copied.to_json())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine", choices=["duckdb", "spark"])
    parser.add_argument("rows", nargs="?", type=lambda text: int(float(text)), default=10**7)
    given = parser.parse_args()
    print(f"{given.rows:.0e} rows of two scores, made by {given.engine}")
    {"duckdb": duckdb_ways}[given.engine](given.rows)


if __name__ == "__main__":
    main()
