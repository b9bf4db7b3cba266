"""Numeric columns with public bounds as a schema."""

from __future__ import annotations

import numbers
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import core
from ._core import OptionError
from ._typing import Float64s, Floats
from ._validation import warn_of_leak


def free_name(name: str, taken: list[str]) -> str:
    """The name, extended until it is unique."""
    while name in taken:
        name += "_"
    return name


def column_names(names: npt.ArrayLike | None, width: int) -> list[str]:
    """Names of features; without names they are numbered."""
    if names is None:
        return [f"x{j}" for j in range(width)]
    return [str(name) for name in np.asarray(names, dtype=object)]


class Bounds(NamedTuple):
    """Lower and upper ends of the features, further keys of each column of a schema, and whether
    they were read off the data."""

    lower: Float64s
    upper: Float64s
    keys: dict[str, float]
    from_data: bool


def bounds_of(
    X: Floats,
    bounds: tuple[npt.ArrayLike, npt.ArrayLike] | None,
    data_norm: float | None,
    norm: float,
) -> Bounds:
    """The public bounds, or else the smallest and largest values of X, with a warning."""
    width = X.shape[1]
    if bounds is not None and data_norm is not None:
        raise OptionError("give bounds or data_norm, not both")
    if data_norm is not None:
        if not isinstance(data_norm, numbers.Real) or not 0 < data_norm < np.inf:
            raise OptionError(f"data_norm must be a number above 0, not {data_norm!r}")
        ends = np.full(width, float(data_norm))
        return Bounds(-ends, ends, {"centre": 0.0, "scale": data_norm / norm}, False)
    if bounds is not None:
        try:
            low, high = (np.broadcast_to(np.asarray(b, float), (width,)) for b in bounds)
        except (TypeError, ValueError):
            raise OptionError(
                f"bounds must be (lower, upper), each a number or one for each of the {width} "
                "features"
            ) from None
        if not np.all(low < high) or not np.all(np.isfinite([low, high])):
            raise OptionError("bounds must be finite, with lower below upper")
        return Bounds(low, high, {}, False)
    warn_of_leak(
        "bounds were read off the data, which reveals extreme values; the model is marked as not "
        "private. Pass public bounds=(lower, upper) or data_norm"
    )
    low, high = X.min(axis=0).astype(float), X.max(axis=0).astype(float)
    return Bounds(low, np.where(high > low, high, low + np.maximum(1, abs(low))), {}, True)


def bounds_schema(
    bounds: Bounds,
    names: list[str],
    classes: list[str],
    *,
    norm: float,
    from_data: bool,
    group_column: dict[str, Any] | None = None,
) -> core.Schema:
    """The schema of numeric features, a label and perhaps a group."""
    columns: list[dict[str, Any]] = [
        {"name": name, "role": "feature", "kind": "numeric", "lower": a, "upper": b, **bounds.keys}
        for name, a, b in zip(names, bounds.lower.tolist(), bounds.upper.tolist(), strict=True)
    ]
    others = [] if group_column is None else [group_column]
    label = free_name("label", names + [str(column["name"]) for column in others])
    columns.append({"name": label, "role": "label", "kind": "categorical", "levels": classes})
    return core.Schema(
        {
            "format": "dp2dp-schema",
            "version": {"major": 1, "minor": 0},
            "origin": "from-data" if bounds.from_data or from_data else "public",
            "norm": norm,
            "columns": columns + others,
        }
    )
