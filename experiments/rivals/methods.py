"""The rivals that are written here: what a setting is, and which strengths draw their curve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from . import fermi, lagrangian, rate_constrained
from .descent import People, Settings

Setting = dict[str, float]
DELTA = 1e-5


@dataclass(frozen=True)
class Method:
    """``strength`` is the name of what trades error for fairness; ``drawn`` are its values."""

    name: str
    fit: Callable[..., np.ndarray]
    strength: str
    drawn: Sequence[float]
    settings: Sequence[Setting]
    criterion: str = "demographic_parity"

    def train(self, people: People, strength: float, setting: Setting, **options: Any):
        """Weights of one fit."""
        names = {field.name for field in fields(Settings)}
        shared = Settings(**{key: value for key, value in setting.items() if key in names})
        own = {key: value for key, value in setting.items() if key not in names}
        return self.fit(people, strength, shared, delta=DELTA, **own, **options)


def grid(usual: Setting, other: Setting) -> list[Setting]:
    """12 settings: four steps with each of two clipping norms, then with other constants of the
    rival."""
    return [
        {"step": step, "clip": clip, **constants}
        for clip, constants in ((0.5, usual), (1.0, usual), (1.0, other))
        for step in (1, 3, 8, 16)
    ]


METHODS = {
    "fermi": Method(
        "DP-FERMI",
        fermi.fit,
        "λ",
        (0, 1, 2, 4, 8, 16),
        grid({"ascent": 0.3}, {"ascent": 0.1}),
    ),
    "lagrangian": Method(
        "PF-LD",
        lagrangian.fit,
        "step of μ",
        (0.1, 0.5, 1, 2, 5),
        grid({"hard": 0, "rounds": 20}, {"hard": 1, "rounds": 20}),
    ),
    "rates": Method(
        "RaCO-DP",
        rate_constrained.fit,
        "γ",
        (0, 0.01, 0.02, 0.05, 0.1),
        grid({"temperature": 0.5, "ascent": 0.1}, {"temperature": 1.0, "ascent": 0.1}),
    ),
    "fermi-odds": Method(
        "DP-FERMI for equalized odds",
        lambda *given, **options: fermi.fit(*given, odds=True, **options),
        "λ",
        (0, 1, 2, 4, 8),
        grid({"ascent": 0.3}, {"ascent": 0.1}),
        "equalized_odds",
    ),
}
