"""Rivals on the harder task: DP-FERMI and a rate-constrained trainer, on the same splits and rows.

The other rivals are for two classes or two groups. Both learn from train and pool together. Each
gets, per data set and epsilon, the setting that is worth most on the tuning splits, by the rule of
rivals/tuning.py. U is that of the groups with enough people in the pool: over all groups, noise
decides U for every method.
"""

import multiprocessing
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from common import EXACT, OURS, Context, Row, axis, groups, panel, values, where
from common import point as drawn_point
from dp2dp.core import Schema
from figures import harder
from rivals import compare, descent, features, tuning, work
from rivals.methods import DELTA, METHODS
from small_groups import ENOUGH, gaps, rates, read_decisions, unfairness

NAME = "harder_rivals"
TITLE = "Rivals on the harder task"
NEEDS_DATA = True
NEEDS_RIVALS = True
STRENGTHS = {"fermi": (1, 2, 8), "rates": (0, 0.05, 0.1)}
RUNS = 15


@dataclass(frozen=True)
class Fit:
    """One rival with one setting on all splits of a seed."""

    rival: str
    data: str
    epsilon: float
    strength: float
    setting: int
    seed: int
    runs: int


@lru_cache(maxsize=1)
def encoded(folder: Path, data: str) -> tuple[Schema, np.ndarray, np.ndarray, np.ndarray]:
    """Schema, features with the constant 1, labels and groups of the whole table."""
    schema = Schema(str(harder.SCHEMAS / f"{data}.schema.json"))
    found = schema.encode(folder / f"{data}.csv")
    ones = np.ones((len(found.features), 1), np.float32)
    return schema, np.hstack([found.features, ones]), found.labels, found.groups


def people(folder: Path, data: str, rows: np.ndarray) -> descent.People:
    schema, x, labels, of_group = encoded(folder, data)
    sizes = len(schema.classes), len(schema.groups)
    return descent.People(x[rows], labels[rows], of_group[rows], *sizes)


def fit(folder: Path, one: Fit) -> list[Row]:
    """One row per run."""
    method = METHODS[one.rival]
    found: list[Row] = []
    for run in range(one.runs):
        rows = features.parts(folder, one.data, one.seed, run)
        learn = people(folder, one.data, np.concatenate([rows["train"], rows["pool"]]))
        test = people(folder, one.data, rows["test"])
        weights = method.train(
            learn,
            one.strength,
            method.settings[one.setting],
            epsilon=one.epsilon,
            seed=[one.seed, run],
        )
        decided = descent.decide(test.features, weights)
        table = rates(decided, test.groups, test.n_groups, test.n_classes)
        everybody = np.bincount(encoded(folder, one.data)[3], minlength=test.n_groups)
        share = len(rows["pool"]) / sum(len(part) for part in rows.values())
        found.append(
            {"rival": one.rival, "data": one.data, "epsilon": one.epsilon, "delta": DELTA}
            | {"strength": one.strength, "setting": one.setting, "run": run, "seed": one.seed}
            | {"error": float(np.mean(decided != test.labels))}
            | both(unfairness(table), unfairness(table[everybody * share >= ENOUGH]))
        )
    return found


def both(of_all: float, of_large: float) -> Row:
    return {"unfairness_all": of_all, "unfairness_large": of_large}


def fit_all(folder: Path, fits: Sequence[Fit]) -> list[list[Row]]:
    """In worker processes with one thread each, so that numbers do not depend on the workers."""
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(work.workers(), mp_context=spawn) as pool:
        return list(pool.map(fit, [folder] * len(fits), fits))


def run(context: Context) -> None:
    sets = list(harder.SETS)[-1:] if context.fast else list(harder.SETS)
    levels = harder.levels(context)
    runs = 3 if context.fast else RUNS
    folder = context.out / "rivals"
    folder.mkdir(parents=True, exist_ok=True)
    ours: list[Row] = []
    for data in sets:
        ours += measure_ours(context, folder, data, levels, runs)
    context.write(f"{NAME}_ours", ours)
    wanted = [(rival, data, e) for data in sets for rival in STRENGTHS for e in levels]
    fits = []
    for (rival, data, epsilon), setting in tuned(context, folder, wanted).items():
        for strength in STRENGTHS[rival]:
            fixed = (rival, data, epsilon, strength, setting)
            fits.append(Fit(*fixed, tuning.SEED, tuning.RUNS))
            fits.append(Fit(*fixed, context.seed, runs))
    context.write(NAME, [row for rows in fit_all(folder, fits) for row in rows])
    by = ["rival", "data", "epsilon", "strength", "seed"]
    context.summarize(NAME, by, ["error", "unfairness_large", "unfairness_all"])


def tuned(
    context: Context, folder: Path, wanted: Sequence[tuple[str, str, float]]
) -> dict[tuple[str, str, float], int]:
    """The setting of each rival on each data set at each epsilon."""
    fits = [
        Fit(*key, strength, setting, tuning.SEED, tuning.RUNS)
        for key in wanted
        for setting in range(0, len(METHODS[key[0]].settings), 5 if context.fast else 1)
        for strength in STRENGTHS[key[0]]
    ]
    by_setting: dict[tuple[str, str, float], dict[int, list[Row]]] = {key: {} for key in wanted}
    for one, rows in zip(fits, fit_all(folder, fits), strict=True):
        found = by_setting[one.rival, one.data, one.epsilon].setdefault(one.setting, [])
        found += [row | {"unfairness": row["unfairness_large"]} for row in rows]
    fallback = {data: constant_error(folder, data) for _, data, _ in wanted}
    return {
        key: min(found, key=lambda setting: tuning.worth(found[setting], fallback[key[1]]))
        for key, found in by_setting.items()
    }


def constant_error(folder: Path, data: str) -> float:
    """The mean error of the best constant decision on the tuning splits."""
    runs = range(tuning.RUNS)
    tests = [features.parts(folder, data, tuning.SEED, run)["test"] for run in runs]
    return tuning.constant_error(people(folder, data, rows).labels for rows in tests)


def measure_ours(
    context: Context, folder: Path, data: str, levels: Sequence[float], runs: int
) -> list[Row]:
    """Ours and exact at every rho on all splits. Table and splits stay in the folder."""
    table = harder.write_table(context, data, folder / f"{data}.csv")
    schema = harder.SCHEMAS / f"{data}.schema.json"
    found: list[Row] = []
    for seed, count in ((tuning.SEED, tuning.RUNS), (context.seed, runs)):
        common = [table, "--schema", schema, "--split", features.SPLIT, "--runs", count]
        common += ["--insecure-seed", seed, "--force", "--save", folder / f"{data}.{seed}"]
        plans: list[tuple[str, float | None, list[object]]] = [
            (OURS, epsilon, ["--epsilon", epsilon, "--delta", DELTA]) for epsilon in levels
        ]
        plans.append((EXACT, None, ["--method", "none", "--solver", "exact"]))
        for series, epsilon, plan in plans:
            for rho in harder.RHOS[:2] if context.fast else harder.RHOS:
                context.run("run", *common, *plan, "--rho", rho)
                paths = [folder / f"{data}.{seed}" / f"run-{run}.csv" for run in range(count)]
                rows = gaps([read_decisions(path) for path in paths], seed, data=data, rho=rho)
                about = {"series": series, "epsilon": epsilon}
                found += [
                    about | row | both(row["unfairness"], row["unfairness_large"]) for row in rows
                ]
    return found


def name_of(rival: str) -> str:
    return f"{METHODS[rival].name} (in the manner of)"


def series(rows: Sequence[Row], name: str, kind: str, privacy: str, along: str, word: str) -> dict:
    points = [
        drawn_point(members, "unfairness_large", "error", f"{word} = {key[0]:g}")
        for key, members in groups(rows, [along]).items()
    ]
    return {"name": name, "kind": kind, "privacy": privacy, "line": True, "points": points}


def panels(theirs: Sequence[Row], ours: Sequence[Row]) -> list[dict]:
    found = []
    x = axis(f"U of the groups with {ENOUGH} or more people in the pool, on the test part")
    for (data, epsilon), rows in groups(theirs, ["data", "epsilon"]).items():
        level = f"ε = {epsilon:g}, δ = 1e-5, replace-one"
        mine = where(ours, data=data, series=OURS, epsilon=epsilon)
        exact = where(ours, data=data, series=EXACT)
        drawn = [
            series(exact, EXACT, "reference", "none: no noise", "rho", "ρ"),
            series(mine, OURS, "ours", f"{level}, both phases", "rho", "ρ"),
        ]
        for (rival,), members in groups(rows, ["rival"]).items():
            told = f"{level}, all of a record"
            word = METHODS[rival].strength
            drawn.append(series(members, name_of(rival), "rival", told, "strength", word))
        found.append(panel(f"{data}, ε = {epsilon:g}", x, axis("error on the test part"), drawn))
    return found


def verdicts(theirs: Sequence[Row], ours: Sequence[Row], seed: int, groups_of: str) -> list[Row]:
    """Every point of a rival beside ours, by the rule of rivals/compare.py.

    `groups_of` is "all" or "large": the groups whose U counts.
    """
    found: list[Row] = []
    theirs, ours = (
        [row | {"unfairness": row[f"unfairness_{groups_of}"]} for row in rows]
        for rows in (theirs, ours)
    )
    by = ["data", "epsilon", "rival", "strength"]
    for (data, epsilon, rival, strength), rows in groups(theirs, by).items():
        mine = where(ours, data=data, series=OURS, epsilon=epsilon)
        judged = compare.judged(
            where(rows, seed=seed),
            where(rows, seed=tuning.SEED),
            where(mine, seed=seed),
            where(mine, seed=tuning.SEED),
        )
        about = {"id": f"harder-{groups_of}-{data}-{rival}-{epsilon:g}-{strength:g}", "data": data}
        word = f"{name_of(rival)}, {METHODS[rival].strength} = {strength:g}"
        found.append(about | {"epsilon": epsilon, "rival": word} | judged)
    return found


def verdict_table(lines: list[Row], groups_of: str, title: str) -> dict:
    column = harder.column
    words = ("win", "tie", "loss")
    wins, ties, losses = (sum(line["verdict"] == word for line in lines) for word in words)
    return {
        "id": f"harder-rivals-{groups_of}",
        "title": title,
        "note": f"Wins {wins}, ties {ties}, losses {losses}. Ours at the largest ρ whose U is no "
        "larger than the rival's, chosen on tuning splits; the paired difference of error over the "
        "test splits with its 95 % interval. A point whose U ours cannot reach is a loss.",
        "columns": [
            column("data", "Data"),
            column("epsilon", "ε", "number", 2),
            column("rival", "Rival"),
            column("rival_error", "Its error", "number"),
            column("rival_unfairness", "Its U", "number", 3),
            column("rho", "Our ρ", "number", 2),
            column("error", "Our error", "number"),
            column("unfairness", "Our U", "number", 3),
            column("difference", "Error, ours - its", "number"),
            column("low", "95 % from", "number"),
            column("high", "to", "number"),
            column("verdict", "Verdict", "verdict"),
        ],
        "rows": lines,
    }


def figure(context: Context) -> dict:
    theirs, ours = context.read(NAME), context.read(f"{NAME}_ours")
    titles = {
        "large": f"Beside ours, by U of the groups with {ENOUGH} or more people in the pool",
        "all": "Beside ours, by U of all groups, which the smallest decide",
    }
    test = where(theirs, seed=context.seed)
    return {
        "id": "harder-rivals",
        "title": TITLE,
        "paper": None,
        "caption": "The tasks of the figure before, on the same splits "
        f"({len({row['run'] for row in test})} runs). Rivals are written here in the manner of "
        "what was published, protect all of a record, learn from train and pool together, and are "
        "tuned on other splits.",
        "claim": None,
        "panels": panels(test, where(ours, seed=context.seed)),
        "tables": [
            verdict_table(verdicts(theirs, ours, context.seed, which), which, title)
            for which, title in titles.items()
        ],
        "notes": [
            "The panels leave out the small groups, where noise and sampling decide.",
            "Where ours loses by U of all groups, the smallest groups decide: our rule has an "
            "offset for each group, and noise moves that of a few dozen people. The rivals do not "
            "see the group when they decide, so they have no such offset; nor do they correct the "
            "larger groups as far. Joining small groups in the schema, or a larger ε, would help "
            "ours.",
            "Private Lagrangian dual, fairlearn, diffprivlib and interpret were not run here.",
        ],
        "csv": [f"{NAME}.csv", f"{NAME}_ours.csv", f"{NAME}.summary.csv"],
    }


def orderings(context: Context) -> list[tuple[str, bool]]:
    """Which rival wins is shown, not asserted; but ours has to be fairer than no rule at all."""
    ours = where(context.read(f"{NAME}_ours"), seed=context.seed, series=OURS, epsilon=1, rho=0)
    after, before = (
        values(ours, key).mean() for key in ("unfairness_large", "unfairness_large_before")
    )
    return [("at ε = 1 and ρ = 0 ours halves U in the larger groups", bool(after < before / 2))]
