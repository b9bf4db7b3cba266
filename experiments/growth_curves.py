"""Curves of the growth laws: means over runs, their intervals, and where privacy stops costing."""

import math
from collections.abc import Sequence

import numpy as np

import growth_runs
import laws
from common import Row, groups, paired, values, where

COUNTS, EXACT, SGD = "dp2dp (counts)", "exact (Denis et al.)", "Algorithm 1"
KIND = {"counts": "ours", "exact": "reference", "sgd": "paper"}
WORD = {"counts": COUNTS, "exact": EXACT, "sgd": SGD}
INF = math.inf
DRAWS = 400  # of the bootstrap of a crossing
AXES = {
    "N": ("records_pool", "people in the pool, N"),
    "epsilon": ("epsilon", "ε"),
    "classes": ("classes", "classes, K"),
    "groups": ("groups", "groups of equal size, G"),
    "share": ("share", "share of the smaller of two groups"),
}


def excess(rows: Sequence[Row], solver: str, epsilon: float) -> np.ndarray:
    """U of a rule minus U of the exact rule on the same split, for each run of one setting."""
    exact = {row["run"]: row["unfairness"] for row in where(rows, solver="exact")}
    chosen = where(rows, solver=solver, epsilon=epsilon)
    return np.array([row["unfairness"] - exact[row["run"]] for row in chosen])


def of_law(rows: Sequence[Row], law: str) -> list[Row]:
    """The rows that vary what a law is about, and nothing else."""
    if law in ("N", "epsilon"):
        return where(rows, law=law)
    wanted = {"classes": 6, "groups": 2, "share": 0.5}
    wanted.pop(law)
    if law == "groups":
        wanted.pop("share")
    found = where(rows, law="plan", records_pool=growth_runs.AT, **wanted)
    found = [row for row in found if law != "groups" or row["share"] == 1 / row["groups"]]
    return found if len({row[law] for row in found}) > 2 else []


class Curve:
    """Means over runs of one method along one axis, with the runs they come from."""

    def __init__(self, rows: Sequence[Row], law: str, solver: str, epsilon: float | None):
        column = AXES[law][0]
        self.solver, self.epsilon = solver, epsilon
        self.x: list[float] = []
        self.excess: list[np.ndarray] = []
        self.unfairness: list[np.ndarray] = []
        if law == "epsilon":
            settings = [
                (level, rows)
                for level in sorted({row["epsilon"] for row in where(rows, solver="counts")})
            ]
        else:
            settings = sorted((key[0], members) for key, members in groups(rows, [column]).items())
        for x, members in settings:
            level = x if law == "epsilon" else epsilon
            self.x.append(x)
            chosen = values(members, "unfairness", solver=solver, epsilon=level)
            self.unfairness.append(chosen * test_correction(members))
            if solver != "exact":
                self.excess.append(excess(members, solver, level))

    def name(self) -> str:
        if self.epsilon is None:
            return WORD[self.solver]
        return (
            f"{WORD[self.solver]}, {'no noise' if self.epsilon == INF else f'ε = {self.epsilon:g}'}"
        )

    def series(self, what: str) -> dict:
        samples = self.excess if what == "excess" else self.unfairness
        points = [point(x, sample) for x, sample in zip(self.x, samples, strict=True)]
        return {
            "name": self.name(),
            "kind": KIND[self.solver],
            "privacy": privacy(self.solver, [self.epsilon] if self.epsilon else self.x),
            "line": True,
            "points": [one for one in points if one["y"] > 0],
        }

    def fit(self, what: str = "excess") -> dict[str, float]:
        return laws.power_law(self.x, self.excess if what == "excess" else self.unfairness)


def test_correction(rows: Sequence[Row]) -> float:
    """The factor that takes the sampling error of the test part out of a U that sampling makes.

    U of a rule from N people is of the size of sqrt(1/N) in the population, and of the size of
    sqrt(1/N + 1/M) on M other people.
    """
    pool, test = rows[0]["records_pool"], rows[0]["records_test"]
    return math.sqrt(test / (pool + test))


def privacy(solver: str, epsilons: Sequence[float | None]) -> str:
    """What a legend says: for one epsilon, or for the range along an axis."""
    if solver == "exact" or INF in epsilons:
        return "none: no noise"
    low, high = min(epsilons), max(epsilons)
    level = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    return (
        f"ε = {level}, δ = 1e-5, replace-one, the fair rule alone; the classifier is not private "
        "and was trained on other people"
    )


def told(x: float) -> str:
    return f"{x:,.0f}" if x >= 100 else f"{x:g}"


def point(x: float, sample: np.ndarray) -> dict:
    """Mean and Student's 95 % interval; on a log axis, an end below zero is left out."""
    found = paired(sample, np.zeros(len(sample)))
    interval = {"y_high": found["high"]} | ({"y_low": found["low"]} if found["low"] > 0 else {})
    return {
        "x": x,
        "y": found["mean"],
        "x_sd": None,
        "y_sd": float(np.std(sample, ddof=1)),
        "runs": len(sample),
        "label": told(x),
    } | interval


def spread(rows: Sequence[Row]) -> np.ndarray:
    """U of the rule without noise in each run of one setting; its spread is that of sampling."""
    return values(rows, "unfairness", solver="counts", epsilon=INF)


def free_from(rows: Sequence[Row], epsilon: float, seed: int) -> dict[str, str]:
    """The pool from which on the excess is below the sampling error of U, for one kind of people.

    The sampling error is the standard deviation of U over pools of that size, without noise. The
    interval is the 95 % percentile interval of a bootstrap over runs.
    """
    settings = sorted((key[0], members) for key, members in groups(rows, ["records_pool"]).items())
    sizes = [size for size, _ in settings]
    samples = [(excess(members, "counts", epsilon), spread(members)) for _, members in settings]
    _, text = laws.falls_below(sizes, [cost.mean() / np.std(u, ddof=1) for cost, u in samples])
    generator = np.random.default_rng(seed)
    ends = []
    for _ in range(DRAWS):
        ratio = []
        for cost, u in samples:
            who = generator.integers(len(u), size=len(u))
            ratio.append(cost[who].mean() / np.std(u[who], ddof=1))
        found, word = laws.falls_below(sizes, ratio)
        ends.append((found or (0 if word.startswith("at most") else INF), word))
    ends.sort()
    low, high = ends[int(0.025 * DRAWS)][1], ends[int(0.975 * DRAWS) - 1][1]
    return {"size": text, "low": low, "high": high}
