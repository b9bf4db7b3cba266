"""The rows that every method learns from and is tested on: dp2dp's own splits and features.

`dp2dp run --save` says which row is in which part: the same splits as `dp2dp sweep` with the same
seed, run by run. Features, labels and groups come from Schema.encode, with the clipping radius of
the schema. A method that learns in one go gets the rows of train and pool together, so that it
learns from the same people as dp2dp.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from dp2dp.core import Schema

from .descent import People

SPLIT = "0.55,0.20,0.25"


@dataclass(frozen=True)
class Split:
    """The three parts of one run, and the positions of their rows in the table."""

    train: People
    pool: People
    test: People
    rows: dict[str, np.ndarray]

    @property
    def learn(self) -> People:
        """Train and pool together."""
        both = (self.train, self.pool)
        return People(
            np.concatenate([part.features for part in both]),
            np.concatenate([part.labels for part in both]),
            np.concatenate([part.groups for part in both]),
            self.train.n_classes,
            self.train.n_groups,
        )


def prepare(context, name: str, seed: int, runs: int) -> Path:
    """Writes the table of a data set and the parts of its runs; returns their folder."""
    folder = context.out / "rivals"
    folder.mkdir(parents=True, exist_ok=True)
    context.run("data", name, "--out", folder / f"{name}.csv", "--force")
    plan = ["--schema", name, "--method", "none", "--solver", "exact", "--split", SPLIT]
    plan += ["--runs", runs, "--insecure-seed", seed, "--force"]
    context.run("run", *plan, "--save", folder / f"{name}.{seed}")
    return folder


@lru_cache(maxsize=1)
def encoded(folder: Path, name: str):
    """Schema, features with the constant 1, labels and groups of a data set."""
    schema = Schema(name)
    found = schema.encode(folder / f"{name}.csv")
    ones = np.ones((len(found.features), 1), np.float32)
    return schema, np.hstack([found.features, ones]), found.labels, found.groups


def parts(folder: Path, name: str, seed: int, run: int) -> dict[str, np.ndarray]:
    """Positions of the rows of train, pool and test."""
    path = folder / f"{name}.{seed}" / f"run-{run}.csv"
    found: dict[str, list[int]] = {"train": [], "pool": [], "test": []}
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found[row["split"]].append(int(row["row"]))
    return {part: np.array(rows) for part, rows in found.items()}


@lru_cache(maxsize=16)
def load(folder: Path, name: str, seed: int, run: int) -> Split:
    schema, features, labels, groups = encoded(folder, name)
    rows = parts(folder, name, seed, run)
    sizes = len(schema.classes), len(schema.groups)
    people = {
        part: People(features[at], labels[at], groups[at], *sizes) for part, at in rows.items()
    }
    return Split(**people, rows=rows)
