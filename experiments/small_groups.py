"""Gaps between groups where some groups are small: what is noise, and what larger groups get."""

import csv
import math
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from common import Context, Row

# Below about this many people in the pool, the noise of a group's rates hides its gap.
ENOUGH = 100
FLOOR_DRAWS = 200


@dataclass
class Decisions:
    """One run of `dp2dp run --save`: who was in which part, and what was decided."""

    names: list[str]
    part: np.ndarray
    group: np.ndarray
    label: np.ndarray
    before: np.ndarray
    after: np.ndarray
    classes: int


def read_decisions(path: Path) -> Decisions:
    with open(path, encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        columns = dict(zip(next(reader), zip(*reader, strict=True), strict=True))
    names, group = codes(columns["group"])
    decided = columns["label"] + columns["unfair"] + columns["prediction"]
    classes, decision = codes(decided)
    parts = np.array(columns["split"])
    return Decisions(names, parts, group, *decision.reshape(3, -1), len(classes))


def codes(texts: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """The different texts in order, and the position of each text among them."""
    names = sorted(set(texts))
    position = {name: index for index, name in enumerate(names)}
    return names, np.array([position[text] for text in texts])


def save_decisions(
    context: Context, name: str, *args: object, seed: int | None = None
) -> list[Decisions]:
    """The decisions of `dp2dp run ARGS`, on the splits of the sweeps with the same seed."""
    seed = context.seed if seed is None else seed
    folder = context.out / "sweeps" / f"{name}.runs"
    shutil.rmtree(folder, ignore_errors=True)
    context.run("run", *args, "--insecure-seed", seed, "--save", folder)
    files = sorted(folder.iterdir(), key=lambda path: int(path.stem.removeprefix("run-")))
    decisions = [read_decisions(path) for path in files]
    shutil.rmtree(folder)
    return decisions


def rates(decided: np.ndarray, group: np.ndarray, groups: int, classes: int) -> np.ndarray:
    """How often each group gets each class. A group without people has NaN."""
    counts = np.bincount(group * classes + decided, minlength=groups * classes)
    counts = counts.reshape(groups, classes).astype(float)
    total = counts.sum(axis=1, keepdims=True)
    return np.divide(counts, total, out=np.full_like(counts, np.nan), where=total > 0)


def unfairness(table: np.ndarray) -> float:
    """U: the largest difference of a class's rate between two groups that have people."""
    return float(np.max(np.nanmax(table, axis=0) - np.nanmin(table, axis=0)))


def floor(sizes: np.ndarray, shares: np.ndarray, generator: np.random.Generator) -> float:
    """Mean U that a rule with equal rates in all groups shows on so few people."""
    sizes = sizes[sizes > 0]
    drawn = [generator.multinomial(size, shares, size=FLOOR_DRAWS) / size for size in sizes]
    return float(np.mean(np.max(np.ptp(np.array(drawn), axis=0), axis=1)))


def changed(one: Decisions, who: np.ndarray) -> float | None:
    """Share of these people whose decision the rule changes; None if there are no such people."""
    return float(np.mean(one.before[who] != one.after[who])) if who.any() else None


def large_groups(one: Decisions) -> np.ndarray:
    """Which groups have enough people in a pool of this size, on average."""
    people = np.bincount(one.group, minlength=len(one.names))
    return people * np.mean(one.part == "pool") >= ENOUGH


def gaps(decisions: Sequence[Decisions], seed: int, **more: float | str | None) -> list[Row]:
    """U on the test part over all groups, and over the groups with enough people in the pool."""
    found: list[Row] = []
    for run, one in enumerate(decisions):
        generator = np.random.default_rng([seed, run])
        groups = len(one.names)
        test = one.part == "test"
        sizes = np.bincount(one.group[test], minlength=groups)
        large = large_groups(one)
        before = rates(one.before[test], one.group[test], groups, one.classes)
        after = rates(one.after[test], one.group[test], groups, one.classes)
        shares = np.bincount(one.after[test], minlength=one.classes) / test.sum()
        found.append(
            {
                **more,
                "run": run,
                "error": float(np.mean(one.after[test] != one.label[test])),
                "unfairness": unfairness(after),
                "unfairness_before": unfairness(before),
                "floor": floor(sizes, shares, generator),
                "unfairness_large": unfairness(after[large]),
                "unfairness_large_before": unfairness(before[large]),
                "floor_large": floor(sizes[large], shares, generator),
                "changed_large": changed(one, test & large[one.group]),
                "changed_small": changed(one, test & ~large[one.group]),
                "groups": groups,
                "groups_large": int(large.sum()),
                "seed": seed,
            }
        )
    return found


def gaussian_mu(epsilon: float, delta: float) -> float:
    """The mu of a Gaussian release that is (epsilon, delta) private, by bisection."""

    def normal(x: float) -> float:
        return math.erfc(-x / math.sqrt(2)) / 2

    low, high = 1e-9, 100.0
    for _ in range(200):
        mu = (low + high) / 2
        spent = normal(mu / 2 - epsilon / mu)
        spent -= math.exp(epsilon) * normal(-mu / 2 - epsilon / mu)
        low, high = (mu, high) if spent < delta else (low, mu)
    return low


def noise_of_rate(epsilon: float, delta: float, classes: int, people: float) -> float:
    """Standard deviation that privacy adds to a group's rate over a whole fit of `counts`."""
    return math.sqrt(2 * (1 - 1 / classes)) / (gaussian_mu(epsilon, delta) * people)


def sizes_and_noise(
    one: Decisions, epsilons: Sequence[float], delta: float, **more: float | str | None
) -> list[Row]:
    """For each group: its people in the table, the pool and the test part, and the noise there."""
    people = np.bincount(one.group, minlength=len(one.names))
    pool, test = np.mean(one.part == "pool"), np.mean(one.part == "test")
    found: list[Row] = []
    for index in np.argsort(people, kind="stable"):
        row: Row = {
            **more,
            "group": one.names[index],
            "records": int(people[index]),
            "records_pool": float(people[index] * pool),
            "records_test": float(people[index] * test),
            "sampling": float(0.5 / math.sqrt(people[index] * pool)),
        }
        for epsilon in epsilons:
            noise = noise_of_rate(epsilon, delta, one.classes, row["records_pool"])
            row[f"noise_{epsilon:g}"] = noise
        found.append(row)
    return found
