"""Numeric columns with public bounds as a schema."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
import numpy.typing as npt

from . import core
from ._core import OptionError
from ._typing import Float64s, Floats
from ._validation import warn_of_leak


def free_name(name: str, taken: list[str]) -> str:
    """The name, made longer until it is none of those."""
    while name in taken:
        name += "_"
    return name


def column_names(names: npt.ArrayLike | None, width: int) -> list[str]:
    """Names of features, which are numbered where they have none."""
    if names is None:
        return [f"x{j}" for j in range(width)]
    return [str(name) for name in np.asarray(names, dtype=object)]


class BoundsMixin:
    """Knows how X becomes features."""

    bounds: tuple[npt.ArrayLike, npt.ArrayLike] | None
    data_norm: float | None
    norm: float

    def _schema(
        self,
        X: Floats,
        names: list[str],
        classes: list[str],
        classes_from_data: bool,
        group_column: dict[str, Any] | None = None,
    ) -> core.Schema:
        lower, upper, extra, from_data = self._ends(X)
        columns: list[dict[str, Any]] = [
            {"name": name, "role": "feature", "kind": "numeric", "lower": a, "upper": b, **extra}
            for name, a, b in zip(names, lower.tolist(), upper.tolist(), strict=True)
        ]
        others = [] if group_column is None else [group_column]
        label = free_name("label", names + [str(column["name"]) for column in others])
        columns.append({"name": label, "role": "label", "kind": "categorical", "levels": classes})
        return core.Schema(
            {
                "format": "dp2dp-schema",
                "version": {"major": 1, "minor": 0},
                "origin": "from-data" if from_data or classes_from_data else "public",
                "norm": self.norm,
                "columns": columns + others,
            }
        )

    def _ends(self, X: Floats) -> tuple[Float64s, Float64s, dict[str, float], bool]:
        """Lower and upper ends, further keys of each column, whether they are from the data."""
        width = X.shape[1]
        if self.bounds is not None and self.data_norm is not None:
            raise OptionError("give bounds or data_norm, not both")
        if self.data_norm is not None:
            if not isinstance(self.data_norm, numbers.Real) or not 0 < self.data_norm < np.inf:
                raise OptionError(f"data_norm must be a number above 0, not {self.data_norm!r}")
            ends = np.full(width, float(self.data_norm))
            return -ends, ends, {"centre": 0.0, "scale": self.data_norm / self.norm}, False
        if self.bounds is not None:
            try:
                low, high = (np.broadcast_to(np.asarray(b, float), (width,)) for b in self.bounds)
            except (TypeError, ValueError):
                raise OptionError(
                    "bounds must be (lower, upper), each a number or one for each of the "
                    f"{width} features"
                ) from None
            if not np.all(low < high) or not np.all(np.isfinite([low, high])):
                raise OptionError("bounds must be finite, with lower below upper")
            return low, high, {}, False
        warn_of_leak(
            "bounds were read off the data, which reveals extreme values; the model is marked as "
            "not private. Pass public bounds=(lower, upper) or data_norm"
        )
        low, high = X.min(axis=0).astype(float), X.max(axis=0).astype(float)
        return low, np.where(high > low, high, low + np.maximum(1, abs(low))), {}, True
