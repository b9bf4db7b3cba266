"""Makes the schema of features from public bounds and categories."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import core
from ._core import OptionError
from ._frame import levels_of
from ._meant import meant
from ._typing import Bounds, Column, Floats
from ._validation import warn_of_leak


def free_name(name: str, taken: list[str]) -> str:
    """Appends underscores to ``name`` until ``taken`` does not contain the result. Returns the
    result."""
    while name in taken:
        name += "_"
    return name


def column_names(names: npt.ArrayLike | None, width: int) -> list[str]:
    """Returns the names of the features as texts: ``names``, or x0, x1 and so on if ``names`` is
    None."""
    if names is None:
        return [f"x{j}" for j in range(width)]
    return [str(name) for name in np.asarray(names, dtype=object)]


def _by_name(bound: Any, names: list[str], named: bool) -> npt.ArrayLike:
    """Returns the values of a Series or dict of bounds, in the order of the features. The keys are
    the names of the features, or their positions if X has no names. Returns any other ``bound``
    unchanged."""
    if isinstance(bound, (str, bytes)) or not hasattr(bound, "keys"):
        values: npt.ArrayLike = bound
        return values
    keys = list(bound.keys())
    if not named and set(keys) == set(range(len(names))):
        return [bound[key] for key in sorted(keys)]
    given = [str(key) for key in keys]
    unknown = [name for name in given if name not in names]
    missing = [name for name in names if name not in given]
    if unknown or missing or len(given) != len(names):
        what = f"lack {missing[0]!r}" if missing else "name a feature twice"
        if unknown:
            guess = meant(unknown[0], names) or ": leave it out"
            what = f"name {unknown[0]!r}, which is not one of these features{guess}"
        raise OptionError(
            f"bounds must name each of the {len(names)} numeric features once, but they {what}"
            + (
                ""
                if named
                else ". X has no column names, so write its features as 0, 1, ... or x0, x1, ..."
            )
        )
    found = dict(zip(given, (bound[key] for key in keys), strict=True))
    return [found[name] for name in names]


def _refuse_pairs(bounds: Any, names: list[str]) -> None:
    """Refuses bounds of two features that can be read in two ways. One way is a pair (lower, upper)
    for each feature, as in scipy. The other way is a list of both lower bounds and a list of both
    upper bounds. Two arrays, two Series or two dicts are always read as lower bounds and upper
    bounds."""
    is_array = type(bounds) is np.ndarray
    clear = any(hasattr(b, "keys") or (type(b) is np.ndarray and not is_array) for b in bounds)
    if len(names) != 2 or clear:
        return
    (a, b), (c, d) = np.asarray(bounds, float).tolist()
    if a < b and c < d and b != c:
        first, second = map(repr, names)
        raise OptionError(
            f"bounds can be read in two ways: {first} is between {a:g} and either {b:g} or {c:g}. "
            f"Pass either bounds={{{first}: ({a:g}, {b:g}), {second}: ({c:g}, {d:g})}} or "
            f"bounds={{{first}: ({a:g}, {c:g}), {second}: ({b:g}, {d:g})}}"
        )


def _pair(bounds: Any, names: list[str], named: bool) -> tuple[npt.ArrayLike, npt.ArrayLike]:
    """Returns the lower and the upper bounds, in the order of the features."""
    if isinstance(bounds, dict):  # {name: (lower, upper)}
        pairs: Any = _by_name(bounds, names, named)
        return [low for low, _ in pairs], [high for _, high in pairs]
    low, high = bounds
    if np.ndim(low) == np.ndim(high) == 1:
        _refuse_pairs(bounds, names)
    return _by_name(low, names, named), _by_name(high, names, named)


def _some(names: list[str]) -> str:
    return ", ".join(map(repr, names[:3])) + (", ..." if len(names) > 3 else "")


def _text_column(categories: Mapping[Any, Any], name: str, named: bool) -> Column:
    """Returns the schema's column for a feature with categories."""
    keys = [key for key in categories if str(key) == name or (not named and f"x{key}" == name)]
    levels = levels_of(categories[keys[0]], name)
    return {"name": name, "role": "feature", "kind": "categorical", "levels": levels}


def feature_columns(
    X: Floats,
    names: list[str],
    bounds: Bounds | None,
    data_norm: float | None,
    norm: float,
    *,
    named: bool,
    categories: Mapping[Any, Any] | None = None,
    text_names: list[str] | None = None,
) -> tuple[list[Column], bool]:
    """Returns the schema's columns for the features, and whether their bounds were read off X. If
    neither ``bounds`` nor ``data_norm`` is given, the bounds are read off X, with a warning.
    ``named`` says whether ``names`` are the column names of X. Columns with categories
    (``text_names``) are not in ``X``, and come last in the result."""
    if text_names:
        if data_norm is not None:
            raise OptionError(
                "data_norm works only if all features are numbers. Instead of data_norm, give "
                "bounds and categories"
            )
        levels = categories or {}
        texts = [_text_column(levels, name, named) for name in text_names]
        if not names:
            return texts, False
        found, from_data = feature_columns(X, names, bounds, None, norm, named=named)
        return [*found, *texts], from_data
    width = X.shape[1]
    further: dict[str, float] = {}
    from_data = bounds is None and data_norm is None
    if data_norm is not None:
        if bounds is not None:
            raise OptionError("give bounds or data_norm, not both")
        if not isinstance(data_norm, numbers.Real) or not 0 < data_norm < np.inf:
            raise OptionError(f"data_norm must be a number above 0, not {data_norm!r}")
        low, high = np.full(width, -float(data_norm)), np.full(width, float(data_norm))
        further = {"centre": 0.0, "scale": float(data_norm) / norm}
    elif bounds is not None:
        try:
            pair = _pair(bounds, names, named)
            low, high = (np.broadcast_to(np.asarray(b, float), (width,)) for b in pair)
        except OptionError:
            raise
        except (TypeError, ValueError):
            raise OptionError(
                "bounds must be (lower, upper) for all features, or {name: (lower, upper)} with a "
                f"pair for each of the {width} features ({_some(names)})"
            ) from None
        if not np.all(low < high) or not np.all(np.isfinite([low, high])):
            wrong = names[int(np.argmin((low < high) & np.isfinite(low) & np.isfinite(high)))]
            raise OptionError(
                f"the bounds of {wrong!r} must be finite, and the lower must be below the upper"
            )
    else:
        warn_of_leak(
            "bounds were read off the data, which reveals extreme values; the model is marked as "
            "not private. Pass public bounds=(lower, upper) or data_norm"
        )
        low, high = X.min(axis=0).astype(float), X.max(axis=0).astype(float)
        high = np.where(high > low, high, low + np.maximum(1, abs(low)))
    return [
        {"name": name, "role": "feature", "kind": "numeric", "lower": a, "upper": b, **further}
        for name, a, b in zip(names, low.tolist(), high.tolist(), strict=True)
    ], from_data


def schema_of(
    features: list[Column], classes: list[str], group: Column | None, norm: float, from_data: bool
) -> core.Schema:
    """Makes the schema from the features, a label with these classes, and the column of groups
    (``group``) if given."""
    others = [] if group is None else [group]
    name = free_name("label", [column["name"] for column in features + others])
    label = {"name": name, "role": "label", "kind": "categorical", "levels": classes}
    return core.Schema(
        {
            "format": "dp2dp-schema",
            "version": {"major": 1, "minor": 0},
            "origin": "from-data" if from_data else "public",
            "norm": norm,
            "columns": [*features, label, *others],
        }
    )
