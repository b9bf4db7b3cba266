"""Fits a rule to rows that DuckDB makes, groups on a grid of 2^16 steps and hands over as cells.

    PYTHONPATH=build/python python bench/grid.py [ROWS]      needs duckdb and numpy; default: 1e7 rows

The rows are made in SQL: their reading is not in the figures, their making is. Prints seconds, the peak memory of
the process, and the unfairness of the rule for rho = .02, computed from the cells."""
import sys
import time

import duckdb
import numpy as np

import dp2dp
from common import memory, verdict

STEPS, RHO = 65536, 0.02
MOST_SECONDS, MOST_BYTES = 90, 1e9  # for 1e9 rows

# Two draws for each row: the group, and a score that is higher in group 1. hash() of a number is a fixed function,
# so the cells are the same in every run.
ROWS = """
SELECT s, floor(p * {steps} + .5)::INTEGER AS step, count(*) AS n
FROM (SELECT (a < .3)::TINYINT AS s, CASE WHEN a < .3 THEN sqrt(b) ELSE b * b END AS p
      FROM (SELECT (hash(i) >> 11) * 1.1102230246251565e-16 AS a, (hash(-i - 1) >> 11) * 1.1102230246251565e-16 AS b
            FROM range({rows}) AS t(i)))
GROUP BY s, step ORDER BY s, step"""


def unfairness(model, scores, groups, times):
    """The largest difference of the groups' rates of a class."""
    decisions = model.predict(scores, groups)
    rates = [
        np.average(decisions[groups == g] == 1, weights=times[groups == g]) for g in (0, 1)
    ]
    return abs(rates[1] - rates[0])


def main():
    rows = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**7
    start = time.perf_counter()
    with duckdb.connect() as connection:
        cells = connection.sql(ROWS.format(rows=rows, steps=STEPS)).fetchnumpy()
    grouped = time.perf_counter() - start
    one = cells["step"].astype(np.float64) / STEPS
    scores, groups, times = np.column_stack([1 - one, one]), cells["s"], cells["n"]
    model = dp2dp.core.fit_quietly(scores, groups, n_groups=2, rho=RHO, epsilon=1, delta=1e-10,
                                   multiplicity=times, grid=16)
    seconds = time.perf_counter() - start
    gap = unfairness(model, scores, groups, times)
    peak = memory("VmHWM")
    what = f"grid of 2^16: {rows:.0e} rows made in SQL (nothing is read) into {len(times)} cells, then a fit"
    figure = (f"{seconds:.1f} s ({seconds - grouped:.1f} s of it the fit), {peak / 1e6:.0f} MB at most, "
              f"U = {gap:.7f} for rho = {RHO}")
    verdict(what, figure, model.records == rows and gap < RHO + 1e-3 and
            seconds <= MOST_SECONDS and peak <= MOST_BYTES)


if __name__ == "__main__":
    main()
