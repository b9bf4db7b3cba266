"""Finds the steps of a pipeline that have learned from people without privacy."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from ._core import OptionError
from ._validation import warn_of_leak

_FITS = {"fit", "fit_predict", "fit_transform"}
_SEVERAL = {"ColumnTransformer": "transformers", "FeatureUnion": "transformer_list"}


def _is_told(step: Any) -> bool:
    """Returns whether a scikit-learn transformer gets all it needs from its parameters, such as
    fixed categories, so that it learns nothing from the rows."""
    given, name = step.get_params(deep=False), type(step).__name__
    if name in ("OneHotEncoder", "OrdinalEncoder"):
        rare = given.get("min_frequency"), given.get("max_categories")
        return not isinstance(given["categories"], str) and rare == (None, None)
    if name == "SimpleImputer":
        return given["strategy"] == "constant" and not given["add_indicator"]
    if name == "CountVectorizer":
        return given["vocabulary"] is not None
    return name == "PolynomialFeatures"


def learns(step: Any) -> bool:
    """Returns whether a step of a pipeline learns from the rows. "passthrough" does not learn. A
    transformer does not learn if it needs no fit, if it is frozen, or if it gets all it needs from
    its parameters."""
    if step is None or isinstance(step, (str, FrozenEstimator)):
        return False
    if isinstance(step, Pipeline):
        return any(learns(one) for _, one in step.steps)
    if type(step).__module__.startswith("sklearn."):
        if inner := _SEVERAL.get(type(step).__name__):
            return any(learns(one) for _, one, *_ in getattr(step, inner))
        if _is_told(step):
            return False
    return not hasattr(step, "__sklearn_tags__") or bool(get_tags(step).requires_fit)


def _steps_before() -> Iterator[Any]:
    """Walks up the call stack. For each pipeline whose fit is running, yields the steps fitted so
    far."""
    frame: FrameType | None = sys._getframe(1)
    known = set()
    while frame:
        name, found = frame.f_code.co_name, None
        if name in _FITS or name == "_fit":
            found = frame.f_locals.get("self")
        if isinstance(found, Pipeline) and id(found) not in known:
            known.add(id(found))
            # _fit fits the steps before the last one; step_idx is the position of the step that
            # _fit fits now.
            end = frame.f_locals.get("step_idx", 0) if name == "_fit" else -1
            yield from (step for _, step in found.steps[:end])
        frame = frame.f_back


def learned_before() -> str | None:
    """Looks for a step that a running pipeline has fitted without privacy. The estimator that calls
    this function is a later step of the pipeline. Returns the name of the fitted step's class, or
    None if there is no such step."""
    return next((type(step).__name__ for step in _steps_before() if learns(step)), None)


def tell_learned(name: str) -> None:
    """Warns that the step ``name`` was fitted on the same people without privacy."""
    warn_of_leak(
        f"transformer-not-private: the {name} before this step of the pipeline was fitted on the "
        "same people without privacy. The privacy guarantee does not cover what this transformer "
        "has learned, so the model is marked as not private. Instead of scalers and encoders, use "
        "the options bounds and categories. For a step that learns nothing, use "
        "FunctionTransformer. You can also fit the transformer on other people and freeze it with "
        "sklearn.frozen.FrozenEstimator"
    )


def refuse_stated(name: str) -> None:
    """Refuses ``scores_epsilon``, because this cost does not include what the step ``name`` has
    learned."""
    raise OptionError(
        f"scores_epsilon states the cost of the scores, but the {name} before this step of the "
        "pipeline is fitted on the same people without privacy. Leave scores_epsilon out, or fit "
        "the transformer on other people and freeze it with sklearn.frozen.FrozenEstimator"
    )
