"""Compares the names of labels and groups with their names in fit."""

from __future__ import annotations

from typing import Any

from ._warn import FairnessWarning, warn


def _name_of(column: Any) -> str | None:
    """Returns the name of a Series. Returns None if it has no name, and for a number, which often
    is a mere position."""
    name = getattr(column, "name", None)
    return name if isinstance(name, str) and name else None


def note_names(estimator: Any, y: Any, groups: Any) -> None:
    """Stores the names of labels and groups in a fit."""
    column = getattr(estimator, "sensitive_column", None)
    own = column if isinstance(column, str) else _name_of(groups)
    estimator._role_names = _name_of(y), own


def say_names(estimator: Any, y: Any = None, groups: Any = None) -> None:
    """Warns if the labels have the name that the groups had in fit, or the groups that of the
    labels. Any other name gives no warning, because a column may well be renamed."""
    label, group = estimator.__dict__.get("_role_names", (None, None))
    for role, column, own, other, others in (
        ("labels", y, label, group, "groups"),
        ("groups", groups, group, label, "labels"),
    ):
        name = _name_of(column)
        if name is not None and name == other != own:
            was = "" if own is None else f", and the {role} were named {own!r}"
            warn(
                f"arguments-exchanged: the {role} have the name {name!r}. In fit, the {others} had "
                f"this name{was}. Were labels and groups exchanged, here or in fit?",
                FairnessWarning,
            )
