"""The synthetic data of the paper, and its methods on them: what two figures and the bars share."""

import json
import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from common import (
    AS_PUBLISHED,
    AS_PUBLISHED_DPGD,
    EXACT,
    NO_NOISE,
    OURS,
    RULE_ALONE,
    SOUND,
    UNFAIR,
    Context,
    Row,
    before,
    tidy,
    where,
)

EPSILON = 0.46
DELTA = "1e-5"
FIRST_DATA_SET = 1000  # data set r is drawn with this seed plus r; r is also the seed of its sweep
LEAST = 600  # a public promise: each group has this many of the 2,000 people of the pool
ORDER = (UNFAIR, EXACT, NO_NOISE, SOUND, AS_PUBLISHED, AS_PUBLISHED_DPGD, OURS, RULE_ALONE)


@dataclass(frozen=True)
class Plan:
    """One sweep with several solvers and epsilons, and which of its rows are which series."""

    method: str
    series: dict[str, tuple[str, float | None]]  # solver, epsilon
    more: Sequence[object] = ()

    def options(self) -> list[object]:
        solvers = dict.fromkeys(solver for solver, _ in self.series.values())
        budgets = dict.fromkeys(f"{e:g}" for _, e in self.series.values() if e is not None)
        found = ["--method", self.method, "--solver", ",".join(solvers)]
        return [*found, "--epsilon", ",".join(budgets), "--delta", DELTA, *self.more]


AS_PRINTED = "sgd-as-published"
PLANS = (
    Plan(
        "none",
        {
            EXACT: ("exact", None),
            NO_NOISE: (AS_PRINTED, math.inf),
            RULE_ALONE: ("counts", EPSILON),
        },
    ),
    Plan("probabilities-as-published", {AS_PUBLISHED: (AS_PRINTED, EPSILON)}),
    Plan(
        "dpgd",
        {
            SOUND: ("sgd", EPSILON),
            AS_PUBLISHED_DPGD: (AS_PRINTED, EPSILON),
            OURS: ("counts", EPSILON),
        },
        ["--group-least", LEAST],
    ),
)


def schema(context: Context, features: int = 20, classes: int = 6, groups: int = 2) -> Path:
    """The public schema of the generator: each feature has mean 0 and a spread of about 1.5."""
    names = ["-1", "1"] if groups == 2 else [str(group) for group in range(groups)]
    number = {"role": "feature", "kind": "numeric", "lower": -15, "upper": 15}
    columns = [
        {"name": f"x{i + 1}"} | number | {"centre": 0, "scale": 1.5} for i in range(features)
    ]
    columns.append({"name": "s", "role": "sensitive", "kind": "categorical", "levels": names})
    labels = [str(label) for label in range(classes)]
    columns.append({"name": "y", "role": "label", "kind": "categorical", "levels": labels})
    about = {"format": "dp2dp-schema", "version": {"major": 1, "minor": 0}, "name": "synthetic"}
    text = json.dumps(about | {"origin": "public", "norm": 3, "columns": columns}, indent=1)
    path = context.out / "sweeps" / f"synthetic-{features}-{classes}-{groups}.schema.json"
    path.write_text(text + "\n", encoding="utf-8")
    return path


def measure(
    context: Context,
    name: str,
    p: float,
    rho: Sequence[float],
    data_sets: int,
    plans: Sequence[Plan] = PLANS,
    runs: int = 1,
) -> list[Row]:
    """One row per method, rho and data set (times runs); all methods share data sets and splits."""
    columns = schema(context)
    common = ["--schema", columns, "--rho", ",".join(f"{r:g}" for r in rho), "--runs", runs]
    common += ["--split", "0.6,0.2,0.2", "--threads", 1]

    def one(number: int) -> list[Row]:
        table = context.synth(f"{name}.p{p:g}.{number}", "--p", p, seed=FIRST_DATA_SET + number)
        rows: list[Row] = []
        for plan in plans:
            word = f"{name}.p{p:g}.{plan.method}.{number}"
            found = context.sweep(word, table, *common, *plan.options(), seed=number)
            for series, (solver, epsilon) in plan.series.items():
                for row in where(found, solver=solver, epsilon=epsilon):
                    place = {"p": p, "data_set": number, "run": number * runs + row["run"]}
                    rows += tidy([row], series, **place)
        table.unlink()
        return rows

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = [row for found in pool.map(one, range(data_sets)) for row in found]
    alone = before(where(rows, series=EXACT))
    return alone + sorted(rows, key=lambda row: ORDER.index(row["series"]))
