"""The synthetic data of the paper, and its methods on them: what two figures and the bars share."""

import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from common import (
    AS_PUBLISHED,
    EXACT,
    NO_NOISE,
    OURS,
    PUBLISHED_METHOD,
    RULE_ALONE,
    SOUND,
    UNFAIR,
    WORDS,
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
ORDER = (UNFAIR, EXACT, NO_NOISE, SOUND, AS_PUBLISHED, RULE_ALONE, OURS)

BUDGET = ["--epsilon", EPSILON, "--delta", DELTA]
PLANS = {
    EXACT: ["--method", "none", "--solver", "exact"],
    NO_NOISE: ["--method", "none", "--solver", "sgd-as-published", "--epsilon", "inf"],
    SOUND: ["--method", "dpgd", "--solver", "sgd", *BUDGET],
    AS_PUBLISHED: [
        *["--method", PUBLISHED_METHOD, "--solver", "sgd-as-published", *BUDGET],
        *["--group-least", LEAST],
    ],
    RULE_ALONE: ["--method", "none", "--solver", "counts", *BUDGET],
    OURS: ["--method", "dpgd", "--solver", "counts", *BUDGET],
}


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
    plans: dict[str, list] = PLANS,
    runs: int = 1,
) -> list[Row]:
    """One row per method, rho and data set (times runs); all methods share data sets and splits."""
    columns = schema(context)
    common = ["--schema", columns, "--rho", ",".join(f"{r:g}" for r in rho), "--runs", runs]
    common += ["--split", "0.6,0.2,0.2", "--threads", 1]

    def one(number: int) -> list[Row]:
        table = context.synth(f"{name}.p{p:g}.{number}", "--p", p, seed=FIRST_DATA_SET + number)
        rows: list[Row] = []
        for series, plan in plans.items():
            word = f"{name}.p{p:g}.{WORDS[series]}.{number}"
            for row in context.sweep(word, table, *common, *plan, seed=number):
                rows += tidy([row], series, p=p, data_set=number, run=number * runs + row["run"])
        table.unlink()
        return rows

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = [row for found in pool.map(one, range(data_sets)) for row in found]
    alone = before(where(rows, series=EXACT)) if EXACT in plans else []
    return alone + sorted(rows, key=lambda row: list(plans).index(row["series"]))
