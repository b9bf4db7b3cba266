"""Runs a package of others in its own environment: fairlearn, diffprivlib or interpret, as it is.

    python outside.py JOB.json

The job names the package's method, its epsilon, the rows of each run and files with the features.
The answers go to an .npz file: for every run, decisions about the test part, or probabilities of
the pool and the test part. Nothing of dp2dp is imported here.
"""

import json
import sys
import warnings
from dataclasses import dataclass

import numpy as np


@dataclass
class Part:
    features: np.ndarray
    labels: np.ndarray
    groups: np.ndarray
    table: object  # the columns of the table, as pandas reads them; None if not asked for


def plain(part):
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=1.0, max_iter=2000).fit(part.features, part.labels)


def threshold_optimizer(job, train, pool, test, seed):
    """The classifier learns from train, the thresholds from pool. They see the group."""
    from fairlearn.postprocessing import ThresholdOptimizer

    rule = ThresholdOptimizer(
        estimator=plain(train),
        constraints="demographic_parity",
        prefit=True,
        predict_method="predict_proba",
    )
    rule.fit(pool.features, pool.labels, sensitive_features=pool.groups)
    shown = rule.predict(test.features, sensitive_features=test.groups, random_state=seed)
    return {"decisions": shown}


def exponentiated_gradient(job, train, pool, test, seed):
    """Learns from train and pool together. Does not see the group when it decides."""
    from fairlearn.reductions import DemographicParity, ExponentiatedGradient
    from sklearn.linear_model import LogisticRegression

    x = np.concatenate([train.features, pool.features])
    y = np.concatenate([train.labels, pool.labels])
    groups = np.concatenate([train.groups, pool.groups])
    # fairlearn bounds |rate of a group - rate of all|: half of the difference between two groups.
    bound = DemographicParity(difference_bound=job["tolerance"] / 2)
    rule = ExponentiatedGradient(LogisticRegression(C=1.0, max_iter=2000), bound)
    rule.fit(x, y, sensitive_features=groups)
    return {"decisions": rule.predict(test.features, random_state=seed)}


def probabilities(model, pool, test):
    return {"pool": model.predict_proba(pool), "test": model.predict_proba(test)}


def diffprivlib(job, train, pool, test, seed):
    from diffprivlib.models import LogisticRegression

    model = LogisticRegression(
        epsilon=job["epsilon"],
        data_norm=job["norm"],
        C=job["setting"]["C"],
        max_iter=2000,
        random_state=seed,
    )
    model.fit(train.features, train.labels)
    return probabilities(model, pool.features, test.features)


def interpret(job, train, pool, test, seed):
    from interpret.privacy import DPExplainableBoostingClassifier

    model = DPExplainableBoostingClassifier(
        epsilon=job["epsilon"],
        delta=job["delta"],
        privacy_bounds={name: tuple(bounds) for name, bounds in job["bounds"].items()},
        feature_types=job["types"],
        n_jobs=1,
        random_state=seed,
    )
    model.fit(train.table, train.labels)
    return probabilities(model, pool.table, test.table)


METHODS = {
    "threshold-optimizer": threshold_optimizer,
    "exponentiated-gradient": exponentiated_gradient,
    "diffprivlib": diffprivlib,
    "interpret": interpret,
}


def read_table(job):
    """The feature columns, numbers as numbers; None if the job does not name the table."""
    if "table" not in job:
        return None
    import pandas

    table = pandas.read_csv(job["table"], skipinitialspace=True)[job["columns"]]
    for name, kind in zip(job["columns"], job["types"], strict=True):
        table[name] = table[name].astype(float if kind == "continuous" else str)
    return table


def main(path):
    warnings.simplefilter("ignore")
    with open(path, encoding="utf-8") as file:
        job = json.load(file)
    data = np.load(job["features"])
    table = read_table(job)

    def part(rows):
        columns = None if table is None else table.iloc[rows]
        numbers = data["features"][rows].astype(float)
        return Part(numbers, data["labels"][rows], data["groups"][rows], columns)

    answers = {}
    for run in range(job["runs"]):
        parts = [part(np.load(job["rows"])[f"{name}{run}"]) for name in ("train", "pool", "test")]
        found = METHODS[job["method"]](job, *parts, job["seed"] * 1000 + run)
        answers |= {f"{name}{run}": np.asarray(values) for name, values in found.items()}
    np.savez(job["out"], **answers)


if __name__ == "__main__":
    main(sys.argv[1])
