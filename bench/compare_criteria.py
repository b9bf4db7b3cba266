"""Compares every criterion with fairlearn on Adult: error, gap, seconds of a fit, and determinism.

Usage: compare_criteria.py path/to/dp2dp. Needs fairlearn (bench/run.sh installs it), and Adult in the
folder DP2DP_DATA. All get the same split and the same logistic regression, trained on another part:
ThresholdOptimizer and our aware rule get its scores; ExponentiatedGradient, which does not see the
group at prediction, and our unaware rule get the features, ours as the probabilities of a logistic
regression of group and label. Our seconds are those of the whole program `dp2dp fit`, with reading the
CSV file; theirs are those of the call of fit. Fairlearn is not private, nor are our lines "without noise"
and "exact", which takes the scores for the probabilities of the labels. The gap on the test part has the
standard error of its sampling. "same" says whether the same table twice gives the same decisions, and
whether two equal rows in one table do. There is no target; timings never fail the run.
"""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

import fairlearn
import numpy as np
import pandas as pd
from fairlearn.postprocessing import ThresholdOptimizer
from fairlearn.reductions import (DemographicParity, EqualizedOdds, ExponentiatedGradient,
                                  FalsePositiveRateParity, TruePositiveRateParity)
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from common import fastest

EPSILON, DELTA, SEED = "1", "1e-5", 0
GROUPS = ["Female", "Male"]
MOMENTS = {"demographic_parity": DemographicParity, "true_positive_rate_parity": TruePositiveRateParity,
           "false_positive_rate_parity": FalsePositiveRateParity, "equalized_odds": EqualizedOdds}
NAMES = ("age workclass fnlwgt education education-num marital-status occupation relationship race sex "
         "capital-gain capital-loss hours-per-week native-country income").split()
TWINS = 200  # rows of the test part that stand twice in one table


def adult(folder):
    """Features (numbers, scaled, and one column for each level), group and label of complete rows."""
    parts = [pd.read_csv(folder / name, names=NAMES, skipinitialspace=True, skiprows=skip)
             for name, skip in (("adult.data", 0), ("adult.test", 1))]
    people = pd.concat(parts, ignore_index=True)
    people = people[~people.isin(["?"]).any(axis=1)].reset_index(drop=True)
    label = people.pop("income").str.startswith(">50K").to_numpy().astype(int)
    group = (people.pop("sex") == "Male").to_numpy().astype(int)
    numbers = people.select_dtypes("number").columns
    people[numbers] = StandardScaler().fit_transform(people[numbers])
    return pd.get_dummies(people, dtype=float).to_numpy(), group, label


def gap(criterion, group, label, decision):
    """The largest difference between the groups in a rate of the criterion, and its standard error."""
    everybody = np.ones(len(label), dtype=bool)
    among = {"demographic_parity": [everybody], "true_positive_rate_parity": [label == 1],
             "false_positive_rate_parity": [label == 0],
             "equalized_odds": [label == 0, label == 1]}[criterion]
    found = []
    for part in among:
        first, second = (decision[part & (group == g)] for g in (0, 1))
        found.append((abs(first.mean() - second.mean()),
                      np.sqrt(first.var() / len(first) + second.var() / len(second))))
    return max(found)


def logistic_regression():
    return LogisticRegression(solver="newton-cholesky")  # the fastest of its solvers here


class Part:
    """One part of the people, with all that any of the tools asks for."""

    def __init__(self, rows, features, group, label, scorer, joint):
        self.features, self.group, self.label = features[rows], group[rows], label[rows]
        self.scores = scorer.predict_proba(self.features)
        self.joint = joint.predict_proba(self.features)  # group and label: 00, 01, 10, 11

    def twins(self):
        """The first rows again, after all rows."""
        twice = object.__new__(Part)
        for name, values in vars(self).items():
            setattr(twice, name, np.concatenate([values, values[:TWINS]]))
        return twice

    def write(self, path, unaware):
        """A table for dp2dp. The scores of the unaware rule are the joint probabilities, added up."""
        scores = self.joint.reshape(-1, 2, 2).sum(1) if unaware else self.scores
        with open(path, "w", newline="") as out:
            writer = csv.writer(out)
            writer.writerow("p0 p1 w00 w01 w10 w11 w0 w1 sex y".split())
            numbers = np.column_stack([scores, self.joint, self.joint.reshape(-1, 2, 2).sum(2)])
            for row, g, y in zip(numbers, self.group, self.label):
                writer.writerow([*(f"{x:.9f}" for x in row), GROUPS[g], y])


class Ours:
    """Solver `counts` at an epsilon, or `exact` if it is None."""

    def __init__(self, program, folder, criterion, epsilon, unaware):
        self.program, self.folder, self.unaware = program, pathlib.Path(folder), unaware
        self.options = ["--criterion", criterion, "--sensitive", "sex",
                        "--groups", ",".join(GROUPS), "--threads", "2", "--force",
                        "--scores", "p0,p1", "--out", self.path("model.json")]
        self.options += (["--epsilon", epsilon, "--delta", DELTA] if epsilon
                         else ["--solver", "exact"])
        if criterion != "demographic_parity":
            self.options += ["--label", "y"]
        if unaware:
            weights = "w0,w1" if criterion == "demographic_parity" else "w00,w01,w10,w11"
            self.options += ["--unaware", "--group-scores", weights]

    def path(self, name):
        return str(self.folder / name)

    def run(self, *arguments):
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(arguments)}: {done.stderr}")

    def fit(self, pool):
        pool.write(self.path("pool.csv"), self.unaware)
        return fastest(lambda: self.run("fit", self.path("pool.csv"), *self.options), 5)[0]

    def predict(self, part):
        part.write(self.path("test.csv"), self.unaware)
        self.run("predict", self.path("model.json"), self.path("test.csv"), "--force", "--out",
                 self.path("decisions.csv"))
        return np.loadtxt(self.path("decisions.csv"), skiprows=1, dtype=int)


class Thresholds:
    def __init__(self, scorer, criterion):
        self.model = ThresholdOptimizer(estimator=scorer, constraints=criterion, prefit=True,
                                        predict_method="predict_proba")

    def fit(self, pool):
        return fastest(lambda: self.model.fit(pool.features, pool.label,
                                              sensitive_features=pool.group), 3, 10.0)[0]

    def predict(self, part):
        return self.model.predict(part.features, sensitive_features=part.group)


class Gradient:
    def __init__(self, criterion):
        self.model = ExponentiatedGradient(logistic_regression(), MOMENTS[criterion]())

    def fit(self, pool):
        return fastest(lambda: self.model.fit(pool.features, pool.label,
                                              sensitive_features=pool.group), 1)[0]

    def predict(self, part):
        return np.asarray(self.model.predict(part.features)).astype(int)


def same(tool, test):
    """Whether the same table twice, and two equal rows in one table, get the same decisions."""
    twice = test.twins()
    first, second = tool.predict(twice), tool.predict(twice)
    table = (first != second).sum()
    rows = (first[:TWINS] != first[-TWINS:]).sum()
    return "yes" if table + rows == 0 else f"no: {table} of {len(first)}, {rows} of {TWINS} equal rows"


def line(name, tool, criterion, pool, test, reference=None):
    seconds = tool.fit(pool)
    decision = tool.predict(test)
    error = (decision != test.label).mean()
    faster = f"{seconds / reference:7.1f}x" if reference else f"{'':8}"
    difference, deviation = gap(criterion, test.group, test.label, decision)
    print(f"  {name:36} error {error:.4f}  gap {difference:.3f} ± {deviation:.3f}  {seconds:7.3f} s "
          f"{faster}  same: {same(tool, test)}", flush=True)
    return seconds


def main():
    program = sys.argv[1]
    source = pathlib.Path(os.environ.get("DP2DP_DATA", "")) / "adult"
    if "DP2DP_DATA" not in os.environ or not (source / "adult.data").exists():
        print("SKIPPED  criteria compared with fairlearn: DP2DP_DATA must name the folder of Adult")
        return
    features, group, label = adult(source)
    order = np.random.default_rng(SEED).permutation(len(label))
    train, pool, test = np.split(order, [int(0.4 * len(order)), int(0.7 * len(order))])
    scorer = logistic_regression().fit(features[train], label[train])
    joint = logistic_regression().fit(features[train], (2 * group + label)[train])
    pool, test = (Part(rows, features, group, label, scorer, joint) for rows in (pool, test))
    plain = np.argmax(test.scores, axis=1)
    print(f"criteria on Adult: fairlearn {fairlearn.__version__} (not private), ours at epsilon {EPSILON}, "
          f"delta {DELTA}; pool {len(pool.label)}, test {len(test.label)}; times relative to ours")
    with tempfile.TemporaryDirectory() as folder:
        for criterion in MOMENTS:
            print("{}; without a rule error {:.4f}, gap {:.3f} ± {:.3f}".format(
                criterion, (plain != test.label).mean(),
                *gap(criterion, test.group, test.label, plain)), flush=True)
            rivals = {"aware": ("ThresholdOptimizer", Thresholds(scorer, criterion)),
                      "unaware": ("ExponentiatedGradient", Gradient(criterion))}
            for sight, (name, rival) in rivals.items():
                mine = [Ours(program, folder, criterion, epsilon, sight == "unaware")
                        for epsilon in (EPSILON, "inf", None)]
                took = line(f"ours, {sight}, private", mine[0], criterion, pool, test)
                line(f"ours, {sight}, without noise", mine[1], criterion, pool, test)
                line(f"ours, {sight}, exact by the scores", mine[2], criterion, pool, test)
                line(f"{name}, {sight}", rival, criterion, pool, test, took)


if __name__ == "__main__":
    main()
