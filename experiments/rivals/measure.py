"""Measures rivals and ours on the same splits, for the figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from common import ONE_SET, OURS, Context, Row, tidy

from . import compare, features, packages, tuning
from .methods import METHODS
from .work import Point, fit_points

EPSILON = (0.5, 1.0)
RUNS = 15
TRAIN_SHARE = 0.7  # with one set of people; chosen on splits of seed 2 alone
# What fermi is checked with, without noise: a long way to the optimum, and a short way, as in the
# published runs with small steps.
CHECKED = {"long": 7, "short": 5}


@dataclass(frozen=True)
class Plan:
    data: Sequence[str]
    epsilon: Sequence[float]
    runs: int

    @classmethod
    def of(cls, context: Context, data: Sequence[str]) -> Plan:
        """Few runs of the smallest data set if the context is fast."""
        if context.seed == tuning.SEED:
            raise ValueError(f"seed {tuning.SEED} is that of the tuning splits: choose another")
        if context.fast:
            return cls(data[-1:], EPSILON[-1:], 3)
        return cls(data, EPSILON, RUNS)

    def prepare(self, context: Context):
        """The folder with tables and splits."""
        for data in self.data:
            features.prepare(context, data, tuning.SEED, tuning.RUNS)
            folder = features.prepare(context, data, context.seed, self.runs)
        return folder


def rivals(context: Context, plan: Plan, names: Sequence[str]) -> tuple[list[Row], list[Row]]:
    """Rows of the rivals' points on the tuning and test splits, and rows of the tuning itself."""
    folder = plan.prepare(context)
    wanted = [(name, data, e) for data in plan.data for name in names for e in plan.epsilon]
    chosen, listed = tuning.tune(folder, wanted)
    points = []
    for name, data, epsilon in wanted:
        for strength in METHODS[name].drawn:
            fixed = (name, data, epsilon, strength, chosen[name, data, epsilon])
            points.append(Point(*fixed, tuning.SEED, tuning.RUNS))
            points.append(Point(*fixed, context.seed, plan.runs))
    return fit_points(folder, points), listed


def without_noise(context: Context, plan: Plan, data: str = "adult") -> list[Row]:
    """DP-FERMI without noise, to be compared with what was published."""
    folder = plan.prepare(context)
    rows = []
    for way, setting in CHECKED.items():
        points = [
            Point("fermi", data, math.inf, strength, setting, context.seed, plan.runs)
            for strength in METHODS["fermi"].drawn
        ]
        rows += [row | {"way": way} for row in fit_points(folder, points)]
    return rows


def ours(context: Context, plan: Plan, name: str, *more: object, series: str = OURS) -> list[Row]:
    """Rows of dp2dp at every rho, on the tuning and test splits."""
    rows = []
    for data in plan.data:
        for seed, runs in ((tuning.SEED, tuning.RUNS), (context.seed, plan.runs)):
            rho = ",".join(f"{r:g}" for r in compare.RHO)
            sweep = ["--schema", data, "--rho", rho, "--runs", runs, *more]
            found = context.sweep(f"{name}.{data}.{seed}", *sweep, seed=seed)
            rows += tidy(found, series)
    return rows


def one_set(
    context: Context, plan: Plan, name: str, *more: object, series: str = ONE_SET
) -> list[Row]:
    """Rows of dp2dp whose rule is learned from the people that trained the classifier."""
    options = [*private(plan), *more, "--pool", "same", "--train-share", TRAIN_SHARE]
    return ours(context, plan, name, *options, series=series)


def private(plan: Plan) -> list[object]:
    """Options of a sweep with both phases private."""
    budget = ",".join(f"{e:g}" for e in plan.epsilon)
    return ["--method", "dpgd", "--solver", "counts", "--epsilon", budget, "--delta", "1e-5"]


def others(context: Context, plan: Plan) -> tuple[list[Row], list[str]]:
    """Rows of the packages on the tuning and test splits, and the packages that are not there."""
    folder = plan.prepare(context)
    rows, absent = [], []
    for name, package in packages.PACKAGES.items():
        if packages.python(name) is None:
            absent.append(package.name)
            continue
        for data in plan.data:
            for epsilon in plan.epsilon if package.private else (None,):
                splits = (tuning.SEED, tuning.RUNS), (context.seed, min(plan.runs, packages.RUNS))
                rows += packages.tuned(folder, name, data, epsilon, *splits)
    return rows, absent
