"""Notices parameters of an estimator that were changed after fit. The model is still that of the
last fit."""

from __future__ import annotations

import reprlib
from contextlib import suppress
from typing import Any

from ._core import OptionError
from ._schema import Schema
from ._table import as_schema
from ._warn import FairnessWarning, warn

# The parameters that a fit puts into the model. Others, such as unknown_group and ledger, may
# change after the fit.
_OF_MODEL = (
    "epsilon",
    "delta",
    "constraints",
    "positive",
    "rho",
    "solver",
    "unaware",
    "group_target",
    "method",
    "pool",
    "classes",
    "groups",
    "sensitive_cuts",
    "rows_per_person",
    "estimator",
    "group_estimator",
    "scores_epsilon",
    "scores_delta",
    "pool_fraction",
    "train_share",
    "bounds",
    "categories",
    "schema",
    "data_norm",
    "norm",
    "options",
    "train_options",
    "fit_options",
)
# Predictions read these parameters too.
_READ = {"unaware", "group_estimator", "categories", "schema"}


def _plain(value: Any) -> Any:
    """Returns a copy of a parameter that can be compared with ``!=``: arrays and columns of any
    library become lists, and frames become dicts, also inside a list or a dict. A classifier stays
    as it is."""
    if isinstance(value, (str, bytes)) or hasattr(value, "fit"):
        return value
    found = value.tolist() if hasattr(value, "tolist") else value
    if hasattr(found, "to_dict"):
        found = found.to_dict()
    if isinstance(found, dict):
        return {name: _plain(one) for name, one in found.items()}
    if not hasattr(found, "__iter__"):
        return found
    return [_plain(one) for one in (found.to_list() if hasattr(found, "to_list") else found)]


def _differ(one: Any, other: Any) -> bool:
    """Returns whether two parameters differ. Returns False if they cannot be compared, and for one
    and the same object, which may be in use for several estimators."""
    if one is other:
        return False
    with suppress(Exception):  # an unknown kind of value may raise anything
        if Schema in (type(one), type(other)) and None not in (one, other):
            one, other = as_schema(one).text, as_schema(other).text
        return bool(_plain(one) != _plain(other))
    return False


def _short(value: Any) -> str:
    text = reprlib.repr(value) if hasattr(value, "__len__") else repr(value)
    return " ".join(text.split())


def _now(estimator: Any) -> dict[str, Any]:
    return {name: getattr(estimator, name) for name in _OF_MODEL if hasattr(estimator, name)}


def note_parameters(estimator: Any) -> None:
    """Stores the parameters that the model was made with. Call this at the end of a fit or a
    load."""
    estimator._fitted_with = _now(estimator)


def _changed(estimator: Any) -> dict[str, Any]:
    """Returns the parameters that differ from those of the fit, with their values in the fit."""
    fitted = estimator.__dict__.get("_fitted_with")
    if fitted is None:
        return {}
    now = _now(estimator)
    return {name: value for name, value in fitted.items() if _differ(value, now.get(name))}


def _words_for(changed: dict[str, Any]) -> str:
    are = "was" if len(changed) == 1 else "were"
    named = ", ".join(f"{name}={_short(value)}" for name, value in changed.items())
    return (
        f"parameters-changed: {' and '.join(changed)} {are} changed after fit, but the model is "
        f"still that of the last fit, with {named}. Call fit again, or set the earlier value"
    )


def say_changed(estimator: Any) -> None:
    """Warns if parameters were changed after fit. Refuses a change of a parameter that predictions
    read too, because the model cannot decide with another value."""
    if changed := _changed(estimator):
        words = _words_for(changed)
        if _READ & {*changed}:
            raise OptionError(words)
        warn(words, FairnessWarning)


def refuse_changed(estimator: Any) -> None:
    """Refuses to release a model if parameters of its estimator were changed after fit."""
    if changed := _changed(estimator):
        raise OptionError(_words_for(changed))
