"""Fits many rivals in worker processes, and keeps every finished point.

A point is one rival on one data set at one epsilon, strength and setting, on all splits of a seed.
Finished points are lines of points.jsonl: a run that was stopped goes on from there. The file is
dropped if the code of the rivals has changed. Workers use one thread for BLAS, so the numbers do
not depend on how many workers there are.
"""

from __future__ import annotations

import hashlib
import json
import math
import multiprocessing
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from dp2dp.core import evaluate

from . import descent, features
from .methods import DELTA, METHODS

CODE = ("descent", "features", "fermi", "lagrangian", "rate_constrained", "work")


@dataclass(frozen=True)
class Point:
    rival: str
    data: str
    epsilon: float
    strength: float
    setting: int  # position in the rival's list of settings
    seed: int  # of the splits
    runs: int

    @property
    def key(self) -> str:
        fields = asdict(self) | {"settings": METHODS[self.rival].settings[self.setting]}
        return json.dumps(fields, sort_keys=True)


def measured(decisions: np.ndarray, people: descent.People) -> dict[str, float]:
    """Error and unfairness, by the code that measures dp2dp."""
    found = evaluate(
        decisions.astype(np.int32),
        people.groups,
        people.labels,
        n_groups=people.n_groups,
        n_classes=people.n_classes,
        bootstrap_draws=0,
    )
    unfair = {name: one.unfairness for name, one in found.criteria.items()}
    return {
        "error": float(np.mean(decisions != people.labels)),
        "unfairness_demographic_parity": unfair["demographic_parity"],
        "unfairness_equalized_odds": unfair["equalized_odds"],
    }


def fit_point(folder: Path, point: Point) -> list[dict]:
    """One row per run. Runs of two points share their random numbers."""
    method = METHODS[point.rival]
    rows = []
    for run in range(point.runs):
        split = features.load(folder, point.data, point.seed, run)
        weights = method.train(
            split.learn,
            point.strength,
            method.settings[point.setting],
            epsilon=point.epsilon,
            seed=[point.seed, run],
        )
        found = measured(descent.decide(split.test.features, weights), split.test)
        rows.append(
            {
                "rival": point.rival,
                "data": point.data,
                "criterion": method.criterion,
                "epsilon": point.epsilon,
                "delta": None if math.isinf(point.epsilon) else DELTA,
                "strength": point.strength,
                "setting": point.setting,
                "run": run,
                **found,
                "unfairness": found[f"unfairness_{method.criterion}"],
                "records_learn": len(split.learn),
                "records_test": len(split.test),
                "seed": point.seed,
            }
        )
    return rows


def _code() -> str:
    here = Path(__file__).parent
    text = b"".join((here / f"{name}.py").read_bytes() for name in CODE)
    return hashlib.sha256(text).hexdigest()


def _finished(path: Path) -> dict[str, list[dict]]:
    """The points of the file, if the same code made them. A line that was cut off is dropped."""
    if path.is_file():
        first, *lines = path.read_text(encoding="utf-8").split("\n")
        if first == _code():
            found = {}
            for line in lines[:-1]:
                found.update(json.loads(line))
            return found
    return {}


def workers() -> int:
    return int(os.environ.get("DP2DP_WORKERS", min(2, os.cpu_count() or 1)))


def fit_points(folder: Path, points: Sequence[Point]) -> list[dict]:
    """The rows of all points, in their order."""
    path = folder / "points.jsonl"
    finished = _finished(path)
    with open(path, "w", encoding="utf-8") as file:
        file.write(_code() + "\n")
        for key, rows in finished.items():
            file.write(json.dumps({key: rows}) + "\n")
        todo = [point for point in dict.fromkeys(points) if point.key not in finished]
        os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(workers(), mp_context=spawn) as pool:
            jobs = [pool.submit(fit_point, folder, point) for point in todo]
            for point, job in zip(todo, jobs, strict=True):
                finished[point.key] = job.result()
                file.write(json.dumps({point.key: finished[point.key]}) + "\n")
                file.flush()
    return [row for point in points for row in finished[point.key]]
