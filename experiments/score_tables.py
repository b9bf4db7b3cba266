"""Tables of class probabilities of synthetic people, so that the fair rule alone is measured."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import synthetic
from common import Context, Row

TRAINED_ON = 20_000  # people of the classifier; none of them is in the table of scores
TABLE_SEED = 5000
FEATURES = 20
KEPT = (
    "solver epsilon delta run error unfairness unfairness_before records_pool records_test seed "
    "version"
).split()


@dataclass(frozen=True)
class People:
    """Whom to draw. `smallest` is the share of the smallest of the groups; the others are equal."""

    classes: int = 6
    groups: int = 2
    smallest: float | None = None

    @property
    def slug(self) -> str:
        end = "" if self.smallest is None else f"-{self.smallest:g}"
        return f"{self.classes}-{self.groups}{end}"

    @property
    def share(self) -> float:
        return self.smallest or 1 / self.groups

    @property
    def names(self) -> list[str]:
        return ["-1", "1"] if self.groups == 2 else [str(g) for g in range(self.groups)]

    def options(self) -> list[object]:
        found: list[object] = ["--features", FEATURES, "--classes", self.classes]
        if self.groups != 2:
            found += ["--groups", self.groups]
        if self.smallest is not None:
            rest = (1 - self.smallest) / (self.groups - 1)
            shares = [self.smallest, *[rest] * (self.groups - 1)]
            found += ["--shares", ",".join(f"{share:g}" for share in shares)]
        return found


def make(context: Context, people: People, rows: int) -> Path:
    """A table with the probability of each class, the group and the label of `rows` people.

    The classifier is trained without privacy on people drawn before those of the table.
    """
    folder = context.out / "sweeps"
    name = f"scores-{people.slug}"
    drawn = context.synth(name, *people.options(), "--samples", TRAINED_ON + rows, seed=TABLE_SEED)
    train, model, scores = (folder / f"{name}.{end}" for end in ("train.csv", "json", "csv"))
    with open(drawn, "rb") as table, open(train, "wb") as file:
        file.writelines(itertools.islice(table, TRAINED_ON + 1))
    schema = synthetic.schema(context, FEATURES, people.classes, people.groups)
    context.run("train", train, "--schema", schema, "--method", "none", "--force", "--out", model)
    context.run("predict", model, drawn, "--adjusted", "--force", "--out", scores)
    where = {"delimiter": ",", "skiprows": 1 + TRAINED_ON, "dtype": np.float32}
    parts = [
        np.loadtxt(scores, **where),
        np.loadtxt(drawn, usecols=(FEATURES, FEATURES + 1), **where),
    ]
    path = folder / f"{name}.npy"
    np.save(path, np.column_stack(parts))
    for used in (drawn, train, model, scores, schema):
        used.unlink()
    return path


def first_rows(path: Path, rows: int) -> Path:
    """A table of the first rows of another one."""
    part = path.with_suffix(f".{rows}.npy")
    np.save(part, np.load(path, mmap_mode="r")[:rows])
    return part


def sweep(
    context: Context,
    name: str,
    people: People,
    table: Path,
    pool: int,
    options: Sequence[object],
) -> list[Row]:
    """Rows for rules learned from `pool` people and measured on all others of the table."""
    rows = len(np.load(table, mmap_mode="r"))
    columns = [str(k) for k in range(people.classes)]
    known: list[object] = ["--scores", ",".join(columns), "--sensitive", people.classes]
    known += [f"--groups={','.join(people.names)}", "--label", people.classes + 1]
    known += ["--split", f"{pool / rows!r},{1 - pool / rows!r}", "--rho", 0, "--delta", "1e-5"]
    found = context.sweep(name, table, *known, *options)
    if any(row["records_pool"] != pool for row in found):
        raise RuntimeError(f"the pool does not have {pool} people")
    about = {"classes": people.classes, "groups": people.groups, "share": people.share}
    return [about | {key: row[key] for key in KEPT} for row in found]
