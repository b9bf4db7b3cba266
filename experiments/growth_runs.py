"""What the growth laws measure: the private rule and the exact rule on the same splits."""

from collections.abc import Sequence
from dataclasses import dataclass

import score_tables
from common import Context, Row
from score_tables import People

PLAIN = People()  # the paper's generator: 6 classes, 2 groups of equal size
MOST = 2_000_000  # people in the largest table
BUDGETS = ("0.1", "0.25", "0.5", "1", "2", "4", "inf")
AT = 4000  # people in the pool for the laws of classes, groups and shares


@dataclass(frozen=True)
class Sweep:
    """One law at one pool size: how many people, how many runs, which budgets."""

    law: str
    pool: int
    rows: int
    runs: int
    epsilon: Sequence[str]
    runs_of_sgd: int = 0  # Algorithm 1 on the first runs, at epsilon 0.5 and without noise


# Tables are as large as time allows: the larger the test part, the smaller its sampling error.
SIZES = tuple(
    Sweep("N", pool, rows, runs, ("0.5", "1", "inf"), 15)
    for pool, rows, runs in (
        (500, 100_000, 200),
        (1000, 100_000, 200),
        (2500, 100_000, 200),
        (6000, 200_000, 120),
        (15_000, 300_000, 60),
        (40_000, 600_000, 30),
        (100_000, 800_000, 24),
        (300_000, 1_200_000, 15),
        (1_000_000, MOST, 15),
    )
)
LEVELS = ("0.05", "0.1", "0.2", "0.35", "0.5", "1", "2", "4", "8")
EPSILONS = (
    Sweep("epsilon", 2000, 100_000, 100, LEVELS),
    Sweep("epsilon", 20_000, 200_000, 60, LEVELS),
)
PLAN = tuple(
    Sweep("plan", pool, rows, runs, BUDGETS)
    for pool, rows, runs in (
        (250, 25_000, 60),
        (500, 25_000, 60),
        (1000, 25_000, 60),
        (2000, 40_000, 60),
        (AT, 80_000, 40),
        (8000, 100_000, 24),
        (16_000, 100_000, 24),
        (32_000, 100_000, 24),
    )
)
ONE = tuple(sweep for sweep in PLAN if sweep.pool == AT)

# The planning table needs all sizes; the other tables are for the laws alone, at one size.
PLANNED = (PLAIN, People(2), People(10), People(6, 5), People(6, 10), People(6, 20))
SINGLE = (
    *(People(classes) for classes in (4, 20, 50)),
    People(6, 3),
    *(People(6, 2, share) for share in (0.02, 0.05, 0.1, 0.2, 0.35)),
)
FAST = tuple(Sweep("N", pool, 20_000, 30, ("0.5", "1", "inf"), 15) for pool in (500, 1000, 2500))


def work(fast: bool) -> list[tuple[People, Sequence[Sweep]]]:
    """Who is drawn, and what is measured on them."""
    if fast:
        return [(PLAIN, FAST)]
    planned = [(people, PLAN) for people in PLANNED[1:]]
    return [(PLAIN, (*EPSILONS, *PLAN, *SIZES)), *planned, *((people, ONE) for people in SINGLE)]


def measure(context: Context, people: People, sweeps: Sequence[Sweep]) -> list[Row]:
    """Everything that is measured on one table; the table is removed."""
    table = score_tables.make(context, people, max(one.rows for one in sweeps))
    rows: list[Row] = []
    for one in sweeps:
        part = score_tables.first_rows(table, one.rows)
        plans = [("counts,exact", one.epsilon, one.runs)]
        if one.runs_of_sgd:
            plans.append(("sgd", ("0.5", "inf"), one.runs_of_sgd))
        for solvers, epsilon, runs in plans:
            name = f"growth-{one.law}-{people.slug}-{one.pool}-{solvers.partition(',')[0]}"
            options = ["--solver", solvers, "--epsilon", ",".join(epsilon), "--runs", runs]
            found = score_tables.sweep(context, name, people, part, one.pool, options)
            rows += [{"law": one.law} | row for row in found]
        part.unlink()
    table.unlink()
    return rows
