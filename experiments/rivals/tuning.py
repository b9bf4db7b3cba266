"""Chooses each rival's settings, at each epsilon and on each data set, on the tuning splits.

Each of at most 20 settings is fitted with all strengths on three splits (seed 2, which shares no
split with the test splits). A setting is worth the mean, over the tolerances u below, of the least
error + max(0, U - u) among its strengths, error and unfairness U as means over the splits. The best
constant decision, which is fair, bounds it: anybody can take that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from . import features
from .methods import METHODS
from .work import Point, fit_points

SEED = 2
RUNS = 3
TOLERANCES = (0.01, 0.02, 0.03, 0.05, 0.1, 0.2)


def points(rival: str, data: str, epsilon: float) -> list[Point]:
    """All settings of a rival at all strengths, on the tuning splits."""
    method = METHODS[rival]
    return [
        Point(rival, data, epsilon, strength, setting, SEED, RUNS)
        for setting in range(len(method.settings))
        for strength in method.drawn
    ]


def constant_error(tests: Iterable[np.ndarray]) -> float:
    """The mean error of the best constant decision, from the labels of each test part."""
    shares = [np.bincount(labels) / len(labels) for labels in tests]
    return float(1 - np.mean(shares, axis=0).max())


def worth(rows: Iterable[dict], fallback: float) -> float:
    """What a setting is worth: see above. Smaller is better."""
    by_strength: dict[float, list[tuple[float, float]]] = {}
    for row in rows:
        by_strength.setdefault(row["strength"], []).append((row["error"], row["unfairness"]))
    means = [np.mean(found, axis=0) for found in by_strength.values()]
    best = [min(error + max(0, unfairness - u) for error, unfairness in means) for u in TOLERANCES]
    return float(np.mean(np.minimum(best, fallback)))


def tune(folder, wanted: Sequence[tuple[str, str, float]]) -> tuple[dict, list[dict]]:
    """Returns the chosen setting of each (rival, data set, epsilon), and every row measured, each
    with the worth of its setting and whether the setting was chosen."""
    plans = {key: points(*key) for key in wanted}
    flat = [point for plan in plans.values() for point in plan]
    rows = fit_points(folder, flat)
    chosen, listed = {}, []
    for key in wanted:
        rival, data, epsilon = key
        splits = (features.load(folder, data, SEED, run) for run in range(RUNS))
        fallback = constant_error(split.test.labels for split in splits)
        mine = [r for r in rows if (r["rival"], r["data"], r["epsilon"]) == key]
        settings = range(len(METHODS[rival].settings))
        values = [worth([r for r in mine if r["setting"] == s], fallback) for s in settings]
        chosen[key] = int(np.argmin(values))
        listed += [
            {
                **row,
                **METHODS[rival].settings[row["setting"]],
                "worth": values[row["setting"]],
                "chosen": "yes" if row["setting"] == chosen[key] else "no",
            }
            for row in mine
        ]
    return chosen, listed
