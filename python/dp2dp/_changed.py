"""Notices parameters of an estimator that were changed after fit. The model is still that of the
last fit."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from ._core import OptionError
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
)


def _plain(value: Any) -> Any:
    """Returns a copy of a parameter that can be compared with ``!=``: arrays and columns of any
    library become lists."""
    found = value.tolist() if hasattr(value, "tolist") else value
    is_one = isinstance(found, (str, bytes, dict)) or not hasattr(found, "__iter__")
    return found if is_one else [*(found.to_list() if hasattr(found, "to_list") else found)]


def _differ(one: Any, other: Any) -> bool:
    """Returns whether two parameters differ. Returns False if they cannot be compared."""
    with suppress(Exception):  # an unknown kind of value may raise anything
        return bool(one != other)
    return False


def _now(estimator: Any) -> dict[str, Any]:
    names = [name for name in _OF_MODEL if hasattr(estimator, name)]
    return {name: _plain(getattr(estimator, name)) for name in names}


def note_parameters(estimator: Any) -> None:
    """Stores the parameters that the model was made with. Call this at the end of a fit or a
    load."""
    estimator._fitted_with = _now(estimator)


def _words(estimator: Any) -> str | None:
    """Returns words about the parameters that differ from those of the fit, or None if none
    differ."""
    fitted = estimator.__dict__.get("_fitted_with")
    if fitted is None:
        return None
    changed = {
        name: value for name, value in _now(estimator).items() if _differ(fitted.get(name), value)
    }
    if not changed:
        return None
    are = "was" if len(changed) == 1 else "were"
    named = ", ".join(f"{name}={fitted.get(name)!r}" for name in changed)
    return (
        f"{' and '.join(changed)} {are} changed after fit, but the model is still that of the last "
        f"fit, with {named}. Call fit again, or set the earlier value"
    )


def say_changed(estimator: Any) -> None:
    """Warns if parameters were changed after fit."""
    if (words := _words(estimator)) is not None:
        warn(f"parameters-changed: {words}", FairnessWarning)


def refuse_changed(estimator: Any) -> None:
    """Refuses to release a model whose estimator says something else."""
    if (words := _words(estimator)) is not None:
        raise OptionError(words)
