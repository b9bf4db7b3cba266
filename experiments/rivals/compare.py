"""Ours beside a rival's point, on the same splits: who has the smaller error at no larger U?

The rule, fixed before any test split was looked at (the grid of rho was made finer afterwards):
1. rho is the largest of the grid with which our mean U on the tuning splits is no larger than the
   rival's mean U there.
2. If our mean U on the test splits is larger than the rival's all the same, rho goes down the grid
   until it is not. That can only cost us accuracy, and the number of steps is listed.
3. If no rho is left, ours cannot reach the point: a loss.
4. Else the paired difference of error, ours - rival, over the test splits decides: its 95 %
   interval (Student) wholly above 0 is a loss, wholly below 0 a win, and a tie otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from common import Row, groups, paired, values

RHO = (*(i / 200 for i in range(41)), 0.3)  # 0, 0.005, ... 0.2, 0.3


def _by_rho(rows: Sequence[Row]) -> dict[float, list[Row]]:
    return {rho: members for (rho,), members in sorted(groups(rows, ["rho"]).items())}


def chosen_rho(tuning: Sequence[Row], unfairness: float) -> float:
    """Step 1; the smallest rho if none is fair enough."""
    fair = [
        rho
        for rho, rows in _by_rho(tuning).items()
        if values(rows, "unfairness").mean() <= unfairness
    ]
    return max(fair, default=min(_by_rho(tuning)))


def judged(
    rival: Sequence[Row],
    rival_tuning: Sequence[Row],
    ours: Sequence[Row],
    ours_tuning: Sequence[Row],
    hindsight: bool = False,
) -> Row:
    """Compares one point of a rival (one row per test split) with ours (all rho). With hindsight,
    step 1 looks at the test splits: no verdict, but it shows what the choice of rho costs."""
    rival = sorted(rival, key=lambda row: row["run"])
    runs = [row["run"] for row in rival]
    ours = sorted((row for row in ours if row["run"] in runs), key=lambda row: row["run"])
    mine = _by_rho(ours)
    unfairness = values(rival, "unfairness")
    seen = (ours, rival) if hindsight else (ours_tuning, rival_tuning)
    start = chosen_rho(seen[0], values(seen[1], "unfairness").mean())
    left = [rho for rho in mine if rho <= start]
    fair = [rho for rho in left if values(mine[rho], "unfairness").mean() <= unfairness.mean()]
    reached = bool(fair)
    rho = max(fair) if reached else min(left, key=lambda r: values(mine[r], "unfairness").mean())
    error = paired(values(mine[rho], "error"), values(rival, "error"))
    gap = paired(values(mine[rho], "unfairness"), unfairness)
    return {
        "rival_error": float(values(rival, "error").mean()),
        "rival_unfairness": float(unfairness.mean()),
        "rho": rho,
        "error": float(values(mine[rho], "error").mean()),
        "unfairness": float(values(mine[rho], "unfairness").mean()),
        "difference": error["mean"],
        "low": error["low"],
        "high": error["high"],
        "steps_down": len(left) - 1 - left.index(rho),
        "reached": "yes" if reached else "no",
        "runs": error["n"],
        "verdict": verdict(reached, error["low"], error["high"]),
        "why": why(reached, error, gap),
    }


def verdict(reached: bool, low: float, high: float) -> str:
    if not reached or low > 0:
        return "loss"
    return "win" if high < 0 else "tie"


def why(reached: bool, error: dict, gap: dict) -> str:
    """What makes a loss; empty if it is none."""
    if not reached:
        low, high = f"{gap['low']:+.4f}", f"{gap['high']:+.4f}"
        return f"U not reached: ours − its = {gap['mean']:+.4f} (95 %: {low} to {high})"
    return "larger error at no larger U" if error["low"] > 0 else ""


def at_unfairness(points: Sequence[tuple[float, float]], unfairness: float) -> float:
    """The error of a curve of (unfairness, error) at this unfairness, between its points."""
    x, y = np.array(sorted(points)).T
    return float(np.interp(unfairness, x, y))
