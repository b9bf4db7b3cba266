"""Measures docs/criteria-measured.md: error and gap of each criterion on the public data sets.

Usage: criteria_measured.py [--private] [--compare FILE] [--out FILE] ...

FILE of --compare is a numpy module with another implementation of the solver `counts`. It must
have `statistics`, `weights`, `counts` and `decide`, and for --private `load`, `gdp_mu` and `dpgd`.
Both sides get the same rows and splits and, without --private, the same probabilities. With
--private, each fit has a classifier of its own. Splits and seeds follow from the numbers of the
split and the fit alone. The Python package must be on PYTHONPATH, and
DP2DP_DATA must name the folder of the data sets.
"""

import argparse
import csv
import functools
import importlib.util
import io
import itertools
import multiprocessing
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

from dp2dp import core

SETS = ("adult", "credit", "parkinsons")
DELTA = 1e-5
EPSILONS = (0.5, 1.0, 3.0)
RHOS = (0.0, 0.05)
# Our word of a criterion, its title, and the other implementation's word.
CRITERIA = {
    "demographic_parity": ("demographic parity", "dp"),
    "true_positive_rate_parity": ("true positive rates", "tpr"),
    "false_positive_rate_parity": ("false positive rates", "fpr"),
    "equalized_odds": ("equalized odds", "eo"),
}
SIGHT = {True: "sees the group", False: "does not see it"}
CASES = [(criterion, aware) for aware in (True, False) for criterion in CRITERIA]
SETTINGS = list(itertools.product(RHOS, EPSILONS))
COLUMNS = "data criterion aware rho epsilon split draw side error gap".split()


@dataclass(frozen=True)
class Plan:
    """What a worker needs to know of the command line."""

    dp2dp: Path
    data: Path
    compare: Path | None
    private: bool
    draws: int
    first_seed: int


@dataclass
class People:
    """All complete rows of a data set, with the positions of the three parts of one split."""

    frame: pd.DataFrame
    features: np.ndarray
    group: np.ndarray
    label: np.ndarray
    train: np.ndarray
    pool: np.ndarray
    test: np.ndarray


@functools.cache
def rows(plan: Plan, name: str) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, np.ndarray]:
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "complete.csv"
        command = [plan.dp2dp, "data", name, "--data-dir", plan.data, "--complete", "--out", table]
        subprocess.run(command, check=True, capture_output=True)
        encoded = core.Schema(name).encode(table)
        return pd.read_csv(table), encoded.features, encoded.groups, encoded.labels


def people(plan: Plan, name: str, split: int) -> People:
    frame, features, group, label = rows(plan, name)
    n = len(label)
    order = np.random.default_rng(1000 + split).permutation(n)
    return People(frame, features, group, label, *np.split(order, [int(0.55 * n), int(0.75 * n)]))


def seed_of(*parts: object) -> int:
    """A seed for one fit, the same in every run."""
    words = "/".join(map(str, parts)).encode()
    return int(np.random.SeedSequence(list(words)).generate_state(1, np.uint64)[0] >> 1)


def trained(some: People, target: np.ndarray, size: int) -> np.ndarray:
    """Probabilities of all rows by a logistic regression without privacy."""
    learner = LogisticRegression(C=1.0, max_iter=3000)
    learner.fit(some.features[some.train], target[some.train])
    found = np.full((len(target), size), 1e-6)
    found[:, learner.classes_] = learner.predict_proba(some.features)
    return found / found.sum(axis=1, keepdims=True)


def plain_scores(some: People) -> tuple[np.ndarray, np.ndarray]:
    """P(label) for rules that see the group, and P(group, label) for those that do not."""
    groups, classes = some.group.max() + 1, some.label.max() + 1
    joint = trained(some, some.group * classes + some.label, groups * classes)
    return trained(some, some.label, classes), joint.reshape(-1, groups, classes)


def private_scores(some: People, name: str, epsilon: float, parts: tuple):
    """The same by our private classifier. ``parts`` say which split and draw it is."""
    found = []
    for target in ("label", "group-label"):
        seed = seed_of("train", name, *parts, epsilon, target)
        model = core.train(
            name,
            some.frame.iloc[some.train],
            epsilon=epsilon,
            delta=DELTA,
            target=target,
            insecure_seed=seed,
        )
        scored = core.score(model, some.frame)
        found.append(scored.scores if target == "label" else scored.stratum_weights)
    return found[0], found[1].reshape(len(some.label), some.group.max() + 1, -1)


def largest_gap(criterion: str, group: np.ndarray, label: np.ndarray, made: np.ndarray) -> float:
    """The largest difference between two groups in a rate of the criterion, for two classes."""
    among = {
        "demographic_parity": [label >= 0],
        "true_positive_rate_parity": [label == 1],
        "false_positive_rate_parity": [label == 0],
        "equalized_odds": [label == 0, label == 1],
    }[criterion]
    rates = [[made[part & (group == g)].mean() for g in np.unique(group)] for part in among]
    return max(max(row) - min(row) for row in rates)


def ours(some: People, p: np.ndarray, joint: np.ndarray, case: tuple, setting: tuple, seed: int):
    (criterion, aware), (rho, epsilon) = case, setting
    labelled = criterion != "demographic_parity"
    weights = joint.reshape(len(joint), -1) if labelled else joint.sum(axis=2)
    unaware = {} if aware else {"weights": weights[some.pool]}
    model = core.fit(
        p[some.pool],
        some.group[some.pool],
        n_groups=joint.shape[1],
        criterion=criterion,
        labels=some.label[some.pool] if labelled else None,
        rho=rho,
        epsilon=epsilon,
        delta=DELTA,
        insecure_seed=seed,
        **unaware,
    )
    if aware:
        return model.predict(p[some.test], some.group[some.test])
    return model.predict(p[some.test], weights=weights[some.test])


def theirs(
    other: ModuleType, some: People, p: np.ndarray, joint: np.ndarray, case, setting, seed: int
) -> np.ndarray:
    (criterion, aware), (rho, epsilon) = case, setting
    rng = np.random.default_rng(seed)
    M, classes, width = other.statistics(CRITERIA[criterion][1], p.shape[1])
    w = other.weights(p, some.group, joint, M.shape[1], aware)
    u = rng.uniform(0, width, p.shape) if width else np.zeros(p.shape)
    a, b = some.pool, some.test
    G = joint.shape[1]
    known = (p[a], w[a], some.group[a], some.label[a], G, M, classes)
    theta = other.counts(*known, rho, epsilon, rng, u[a], aware)
    return other.decide(p[b], w[b], theta, u[b])


@functools.cache
def other_side(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("other_side", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@functools.cache
def their_rows(other: ModuleType, name: str) -> tuple:
    return other.load(name)


def their_scores(other: ModuleType, some: People, name: str, epsilon: float, parts: tuple):
    """The same by the other implementation's private classifier."""
    features, label, group, norm = their_rows(other, name)
    if (label != some.label).any() or (group != some.group).any():
        sys.exit("the other implementation has other rows")
    groups, classes = group.max() + 1, label.max() + 1
    mu = other.gdp_mu(epsilon, DELTA)
    found = []
    for target, size in ((label, classes), (group * classes + label, groups * classes)):
        rng = np.random.default_rng(seed_of("their train", name, *parts, epsilon, size))
        known = features[some.train], target[some.train]
        weights = other.dpgd(*known, size, mu, rng, norm)
        found.append(softmax(np.c_[features, np.ones(len(label))] @ weights.T))
    return found[0], found[1].reshape(-1, groups, classes)


def softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def private_sides(plan: Plan, other: ModuleType | None, some: People, name: str, parts: tuple):
    """For each epsilon the probabilities of each side, all made anew."""
    found = {}
    for epsilon in EPSILONS:
        found[epsilon] = {"ours": private_scores(some, name, epsilon, parts)}
        if other:
            found[epsilon]["theirs"] = their_scores(other, some, name, epsilon, parts)
    return found


def measure(task: tuple[Plan, str, int]) -> list[list[object]]:
    """All fits of one split of one data set."""
    plan, name, split = task
    warnings.simplefilter("ignore")
    other = other_side(plan.compare) if plan.compare else None
    some = people(plan, name, split)
    found = []
    if not plan.private:
        both = plain_scores(some)
        sides = ("ours", "theirs") if other else ("ours",)
        scores = dict.fromkeys(EPSILONS, dict.fromkeys(sides, both))
    for draw in range(plan.draws):
        if plan.private:
            scores = private_sides(plan, other, some, name, (plan.first_seed, split, draw))
        for case, setting in itertools.product(CASES, SETTINGS):
            for side, (p, joint) in scores[setting[1]].items():
                p = p if case[1] else joint.sum(axis=1)
                seed = seed_of(side, plan.first_seed, name, *case, *setting, split, draw)
                if side == "ours":
                    made = ours(some, p, joint, case, setting, seed)
                else:
                    made = theirs(other, some, p, joint, case, setting, seed)
                label, group = some.label[some.test], some.group[some.test]
                gap = largest_gap(case[0], group, label, made)
                error = (made != label).mean()
                found.append([name, *case, *setting, split, draw, side, error, gap])
    return found


def difference(cell: pd.DataFrame, column: str) -> tuple[float, float]:
    """The mean over splits of ours minus theirs, and its standard error."""
    means = cell.groupby(["split", "side"])[column].mean().unstack()
    found = means["ours"] - means["theirs"]
    return found.mean(), found.std(ddof=1) / np.sqrt(len(found))


def number(value: float, signed: bool = False) -> str:
    if not signed:
        return f"{value:.3f}".lstrip("0")
    text = f"{abs(value):.4f}".lstrip("0")
    return ("−" if value < 0 and float(text) else "+") + text


def measured_cell(cell: pd.DataFrame) -> str:
    mine = cell[cell.side == "ours"]
    return f"{number(mine.error.mean())} / {number(mine.gap.mean())}"


def difference_cell(cell: pd.DataFrame) -> str:
    texts = []
    for column in ("error", "gap"):
        mean, spread = difference(cell, column)
        text = f"{number(mean, signed=True)} ({number(spread, signed=True)[1:]})"
        texts.append(f"**{text}**" if mean > 2 * spread else text)
    return ", ".join(texts)


def table(found: pd.DataFrame, title: str, write) -> Iterable[str]:
    heads = [f"ρ = {rho:g}, ε = {epsilon:g}".replace("0.", ".") for rho, epsilon in SETTINGS]
    yield "| " + " | ".join([title, *heads]) + " |"
    yield "|" + "---|" * (len(heads) + 1)
    for criterion, aware in CASES:
        of_case = found[(found.criterion == criterion) & (found.aware == aware)]
        cells = [write(of_case[(of_case.rho == r) & (of_case.epsilon == e)]) for r, e in SETTINGS]
        yield "| " + " | ".join([f"{SIGHT[aware]}, {CRITERIA[criterion][0]}", *cells]) + " |"


def summary(found: pd.DataFrame) -> str:
    keys = ["data", "criterion", "aware", "rho", "epsilon"]
    cells = [cell for _, cell in found.groupby(keys)]
    scaled = [
        mean / spread if spread else 0.0
        for cell in cells
        for mean, spread in (difference(cell, "error"), difference(cell, "gap"))
    ]
    above, below = sum(z > 2 for z in scaled), sum(z < -2 for z in scaled)
    return f"{len(scaled)} differences: {above} above two standard errors, {below} below minus two"


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dp2dp", type=Path, default=Path("build/dp2dp"))
    parser.add_argument("--compare", type=Path, help="module of another implementation")
    parser.add_argument("--private", action="store_true", help="a private classifier too")
    parser.add_argument("--splits", type=int, default=15)
    parser.add_argument("--draws", type=int, default=3, help="fits of each split")
    parser.add_argument("--seed", type=int, default=0, help="other noise; the splits stay")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--out", type=Path, default=Path("build/criteria-measured"))
    options = parser.parse_args(arguments)
    compare = options.compare and options.compare.resolve()
    data = Path(os.environ["DP2DP_DATA"])
    dp2dp = options.dp2dp.resolve()
    plan = Plan(dp2dp, data, compare, options.private, options.draws, options.seed)
    tasks = [(plan, name, split) for split in range(options.splits) for name in options.sets]
    lines = io.StringIO()
    writer = csv.writer(lines)
    writer.writerow(COLUMNS)
    with multiprocessing.Pool() as workers:
        for done, made in enumerate(workers.imap(measure, tasks), 1):
            writer.writerows(made)
            print(f"{done} of {len(tasks)}", file=sys.stderr)
    options.out.with_suffix(".csv").write_text(lines.getvalue())
    report(options.out, compare is not None)


def report(out: Path, compared: bool) -> None:
    found = pd.read_csv(out.with_suffix(".csv"))
    told = [summary(found)] if compared else []
    for name in found.data.unique():
        part = found[found.data == name]
        told += ["", f"## {name.capitalize()}", "", *table(part, "rule, criterion", measured_cell)]
        if compared:
            told += ["", *table(part, "difference", difference_cell)]
    out.with_suffix(".md").write_text("\n".join(told) + "\n")
    print(told[0])


if __name__ == "__main__":
    main(sys.argv[1:])
