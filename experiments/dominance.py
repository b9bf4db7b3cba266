"""Does a rival dominate a point of ours: smaller error and smaller U on the same splits?"""

import math
from collections.abc import Sequence

from common import OURS, Context, Row, groups, paired, values, where

STANDARD_ERRORS = 2  # a rival is better by more than this many, in error and in U


def rivals(context: Context) -> list[Row]:
    """Points of private rivals on the test splits, from the tables of the figure of rivals."""
    rows = list(context.read("rivals"))
    if context.has("rivals_packages"):
        rows += [row for row in context.read("rivals_packages") if row.get("chosen") == "yes"]
    return [
        row
        for row in where(rows, seed=context.seed)
        if row["epsilon"] is not None and math.isfinite(row["epsilon"])
    ]


def dominates(theirs: Sequence[Row], ours: Sequence[Row]) -> bool:
    """Split by split, better than ours in both by more than two standard errors."""
    runs = {row["run"] for row in theirs} & {row["run"] for row in ours}
    parts = [sorted(rows, key=lambda row: row["run"]) for rows in (theirs, ours)]
    parts = [[row for row in rows if row["run"] in runs] for rows in parts]
    for column in ("error", "unfairness"):
        found = paired(*(values(rows, column) for rows in parts))
        if found["mean"] + STANDARD_ERRORS * found["se"] >= 0:
            return False
    return True


def table_rows(context: Context) -> list[dict]:
    """One row per rival, data set and epsilon; one open row if no rival was measured."""
    if not (context.has("rivals") and context.has("rivals_ours")):
        absent = {"what": "rivals were not measured", "epsilon": None, "verdict": "open"}
        return [{"id": "bar-rivals"} | absent | {"theirs": None, "ours": None, "dominated": None}]
    mine = where(context.read("rivals_ours"), seed=context.seed, series=OURS)
    found = []
    for (rival, data, epsilon), rows in groups(
        rivals(context), ["rival", "data", "epsilon"]
    ).items():
        ours = groups(where(mine, data=data, epsilon=epsilon), ["rho"]).values()
        theirs = groups(rows, ["strength", "then", "rho"]).values()
        dominated = sum(any(dominates(one, point) for one in theirs) for point in ours)
        found.append(
            {
                "id": f"bar-rivals-{rival}-{data}-{epsilon:g}",
                "what": f"{rival}, {data}",
                "epsilon": epsilon,
                "theirs": len(theirs),
                "ours": len(ours),
                "dominated": dominated,
                "verdict": "fail" if dominated else "pass",
            }
        )
    return found
