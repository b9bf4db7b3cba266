"""Packages of others, as they are, on the splits of the rivals: fairlearn (not private),
diffprivlib and interpret (private classifiers), in throw-away environments (tools/setup rivals).

The two private classifiers learn from the train part, and are followed by nothing, and by the rule
of dp2dp (solver counts, the same epsilon, learnt from the pool).

Privacy of such a pair: the classifier's promise to the people of train is the package's own
(diffprivlib: pure epsilon; interpret: epsilon and delta, by its Gaussian account; we did not check
either). The rule's promise to the people of pool is (epsilon, delta), replace-one. They are
different people, so the larger counts. fairlearn promises nobody anything.
"""

from __future__ import annotations

import json
import subprocess
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import dp2dp
from dp2dp.core import Schema

from . import features, work
from .methods import DELTA

ROOT = Path(__file__).resolve().parents[2]
TOLERANCE = 0.02  # of ExponentiatedGradient
RULE = (0.0, 0.05)  # rho of the rule of dp2dp behind a private classifier


@dataclass(frozen=True)
class Package:
    name: str
    environment: str  # folder in build/
    private: bool
    settings: Sequence[dict] = ({},)  # chosen by the error on the tuning splits


RUNS = 5
PACKAGES = {
    "threshold-optimizer": Package("fairlearn ThresholdOptimizer", "rivals-venv", False),
    "exponentiated-gradient": Package("fairlearn ExponentiatedGradient", "rivals-venv", False),
    "diffprivlib": Package(
        "diffprivlib LogisticRegression",
        "rivals-venv-older",
        True,
        [{"C": 1.0}, {"C": 1e-2}, {"C": 1e-4}, {"C": 1e-6}],
    ),
    "interpret": Package("interpret DPExplainableBoosting", "rivals-venv", True),
}


def python(package: str) -> Path | None:
    """The interpreter that has the package, or None if its environment is not there."""
    path = ROOT / "build" / PACKAGES[package].environment
    return path / "bin" / "python" if (path / "ready").is_file() else None


def columns(schema: Schema) -> dict:
    """What interpret is told about the raw columns: public bounds, from the schema."""
    found = [c for c in json.loads(schema.text)["columns"] if c["role"] == "feature"]
    numbers = [c for c in found if c["kind"] == "numeric" and not c.get("cuts")]
    return {
        "columns": [c["name"] for c in found],
        "types": ["continuous" if c in numbers else "nominal" for c in found],
        "bounds": {c["name"]: [c["lower"], c["upper"]] for c in numbers},
    }


@dataclass(frozen=True)
class Job:
    """A package on one data set, on all splits of a seed."""

    package: str
    data: str
    epsilon: float | None
    setting: int
    seed: int
    runs: int

    def file(self, folder: Path) -> Path:
        epsilon = "none" if self.epsilon is None else f"{self.epsilon:g}"
        return folder / f"{self.data}.{self.seed}.{self.package}.{epsilon}.{self.setting}.npz"


def describe(folder: Path, job: Job) -> dict:
    """Writes the rows that outside.py reads, and says where they are and what to do."""
    schema, x, labels, groups = features.encoded(folder, job.data)
    table = folder / f"{job.data}.features.npz"
    np.savez(table, features=x[:, :-1], labels=labels, groups=groups)
    rows = {}
    for run in range(job.runs):
        found = features.parts(folder, job.data, job.seed, run)
        rows |= {f"{part}{run}": at for part, at in found.items()}
    np.savez(folder / f"{job.data}.{job.seed}.rows.npz", **rows)
    made = {
        "method": job.package,
        "epsilon": job.epsilon,
        "delta": DELTA,
        "tolerance": TOLERANCE,
        "setting": PACKAGES[job.package].settings[job.setting],
        "norm": schema.norm,
        "seed": job.seed,
        "runs": job.runs,
        "features": str(table),
        "rows": str(folder / f"{job.data}.{job.seed}.rows.npz"),
        "out": str(job.file(folder)),
    }
    if job.package == "interpret":
        made |= {"table": str(folder / f"{job.data}.csv"), **columns(schema)}
    return made


def answers(folder: Path, job: Job):
    """What the package answers for each run. Answers of an earlier time are kept, unless the job or
    outside.py changed."""
    made = describe(folder, job)
    script = Path(__file__).with_name("outside.py")
    made["code"] = script.read_text(encoding="utf-8")
    out, path = job.file(folder), job.file(folder).with_suffix(".json")
    text = json.dumps(made, indent=1)
    if not (out.is_file() and path.is_file() and path.read_text(encoding="utf-8") == text):
        out.unlink(missing_ok=True)
        path.write_text(text, encoding="utf-8")
        subprocess.run([str(python(job.package)), str(script), str(path)], check=True)
    return np.load(out)


def rule_decisions(split, pool: np.ndarray, test: np.ndarray, rho, epsilon, seed) -> np.ndarray:
    """Decisions of the rule of dp2dp on probabilities of others."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the seeded noise is not private, and dp2dp says so
        model = dp2dp.fit(
            pool,
            split.pool.groups,
            n_groups=split.pool.n_groups,
            rho=rho,
            epsilon=epsilon,
            delta=DELTA,
            insecure_seed=seed,
            normalize=True,
        )
        return model.predict(test, split.test.groups)


def decisions(split, found, job: Job, run: int) -> Iterator[tuple[str, float | None, np.ndarray]]:
    """What follows the package, its rho, and the decisions about the test part."""
    if f"decisions{run}" in found:
        yield "nothing", None, found[f"decisions{run}"]
        return
    pool, test = found[f"pool{run}"], found[f"test{run}"]
    yield "nothing", None, test.argmax(axis=1)
    for rho in RULE:
        seed = job.seed * 1000 + run
        yield "dp2dp (counts)", rho, rule_decisions(split, pool, test, rho, job.epsilon, seed)


def measure(folder: Path, job: Job) -> list[dict]:
    """One row per run and per what follows the package. Needs features.prepare before."""
    found = answers(folder, job)
    rows = []
    for run in range(job.runs):
        split = features.load(folder, job.data, job.seed, run)
        for then, rho, decided in decisions(split, found, job, run):
            measured = work.measured(np.asarray(decided), split.test)
            rows.append(
                {
                    "rival": job.package,
                    "data": job.data,
                    "criterion": "demographic_parity",
                    "epsilon": job.epsilon,
                    "delta": DELTA if job.epsilon else None,
                    "then": then,
                    "rho": rho,
                    **PACKAGES[job.package].settings[job.setting],
                    "run": run,
                    **measured,
                    "unfairness": measured["unfairness_demographic_parity"],
                    "records_test": len(split.test),
                    "seed": job.seed,
                }
            )
    return rows


def tuned(folder: Path, package: str, data: str, epsilon, tuning, test) -> list[dict]:
    """Rows on the tuning splits with every setting (``chosen`` says which was taken), and on the
    test splits with the setting of the least error. tuning and test are (seed, runs)."""
    found = []
    for setting in range(len(PACKAGES[package].settings)):
        found.append(measure(folder, Job(package, data, epsilon, setting, *tuning)))
    errors = [np.mean([r["error"] for r in rows if r["then"] == "nothing"]) for rows in found]
    best = int(np.argmin(errors))
    rows = [
        row | {"chosen": "yes" if i == best else "no"} for i, rs in enumerate(found) for row in rs
    ]
    final = measure(folder, Job(package, data, epsilon, best, *test))
    return rows + [row | {"chosen": "yes"} for row in final]
