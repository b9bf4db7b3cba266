"""Takes scores, groups and weights from a data frame, by the names that a model stores."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._core import DataError, OptionError
from ._factored import Factored, is_missing, text_of
from ._frame import refuse_twice
from ._outside import say_outside

if TYPE_CHECKING:
    from ._model import Model


def _names_of(frame: Any) -> list[str]:
    """Returns the column names of a pandas, polars or Arrow frame. Returns an empty list for
    anything else, and if some name is not a text."""
    if isinstance(frame, np.ndarray) or not hasattr(frame, "columns"):
        return []
    names = list(getattr(frame, "column_names", frame.columns))
    refuse_twice([str(name) for name in names])
    return names if all(isinstance(name, str) for name in names) else []


def _columns(model: Model, role: str) -> list[dict[str, Any]]:
    """Returns the columns with this role in the schema of the model's classifier."""
    classifier = model.info["classifier"]
    columns = [] if classifier is None else json.loads(classifier["schema"])["columns"]
    return [column for column in columns if column["role"] == role]


def _select(frame: Any, known: list[str], wanted: list[str]) -> Any:
    """Returns the wanted columns, or None if the frame has none of them. Refuses a frame that has
    only some of them."""
    there = [name for name in wanted if name in known]
    if not there:
        return None
    if len(there) < len(wanted):
        missing = next(name for name in wanted if name not in known)
        raise DataError(f"the frame has no column named {missing!r}, which the model needs")
    return frame.select(wanted) if hasattr(frame, "column_names") else frame[wanted]


def _scored(
    model: Model, frame: Any, known: list[str], groups: Any, weights: Any
) -> tuple[Any, Any, Any]:
    """Scores rows of features with the model's classifier. Returns scores, groups and weights."""
    # Imported late: _table needs scikit-learn, and both modules import this one.
    from ._table import of_frame
    from .core import score

    columns = _columns(model, "feature")
    with_groups = model.rule in ("offset", "linear") and groups is None
    columns += _columns(model, "sensitive") if with_groups else []
    texts = {column["name"]: column["kind"] == "categorical" for column in columns}
    table = of_frame(frame, np.array(known, dtype=object), texts)
    say_outside(table.only(_columns(model, "feature")), _columns(model, "feature"))
    found = score(model, table.rows(), groups=with_groups)
    if found.left_out is not None and found.left_out.any():
        row = int(found.left_out.argmax()) + 1
        raise DataError(f"row {row}: a value is missing, and the schema leaves such rows out")
    if model.rule == "weighted" and weights is None:
        pairs = model.info["weight_columns"] > len(model.groups)
        weights = found.stratum_weights if pairs else found.group_weights
    return found.scores, found.groups if with_groups else groups, weights


def _codes(column: Any, names: list[str], unknown: str) -> Any:
    from ._validation import codes_of, group_values  # needs scikit-learn

    values = group_values(column)
    if isinstance(values, Factored):
        values = Factored(values.codes, np.array([text_of(v) for v in values.values], dtype=object))
    elif values.dtype.kind != "U":
        texts = [v if is_missing(v) else text_of(v) for v in values.tolist()]
        values = np.array(texts, dtype=object)
    return codes_of(values, np.array(names, dtype=object), "groups", unknown=unknown)


def _refuse_both(model: Model, known: list[str], groups: Any) -> None:
    """Refuses group codes together with a frame that has the group too: the two may disagree."""
    if groups is None or model.rule not in ("offset", "linear"):
        return
    names = [column["name"] for column in _columns(model, "sensitive")]
    if there := [name for name in [*names, model.info["group_column"]] if name in known]:
        raise OptionError(
            f"give groups or a frame with the column {there[0]!r}, not both: drop one of them"
        )


def by_name(
    model: Model, scores: Any, groups: Any, weights: Any, unknown: str
) -> tuple[Any, Any, Any]:
    """Returns scores, groups and weights. If ``scores`` is a data frame, the columns that the model
    names are taken from it: the features of the model's classifier, or the columns of scores,
    weights and the group."""
    known = _names_of(scores)
    if not known:
        return scores, groups, weights
    _refuse_both(model, known, groups)
    if (
        _select(scores, known, [column["name"] for column in _columns(model, "feature")])
        is not None
    ):
        return _scored(model, scores, known, groups, weights)
    info = model.info
    found = _select(scores, known, info["score_columns"])
    if weights is None and model.rule == "weighted":
        weights = _select(scores, known, info["weights"])
    name = info["group_column"]
    if groups is None and name in known and model.rule in ("offset", "linear"):
        groups = _codes(scores[name], model.groups, unknown)
    return scores if found is None else found, groups, weights


def names_from_frames(scores: Any, options: dict[str, Any]) -> None:
    """Takes the names of the score and weight columns from frames, so that predictions find the
    columns by name. Refuses a frame whose columns are the classes in another order."""
    names, classes = _names_of(scores), options.get("class_names")
    if classes and names != classes and sorted(names) == sorted(classes):
        raise OptionError(
            f"the columns of scores are {', '.join(names)}, but class_names are "
            f"{', '.join(classes)}: put both in the same order"
        )
    for name, frame in (("score_columns", scores), ("weight_columns", options.get("weights"))):
        known = _names_of(frame)
        given = options.get(name) is not None or options.get("base") is not None
        if known and not given and len({*known}) == len(known) and all(known):
            options[name] = known


def names_from_base(base: Model, n_groups: int | None, options: dict[str, Any]) -> Any:
    """Returns the group names of ``base``, the model that gave the scores, or None if it has none.
    If the base knows the name of the group's column, sets the option group_column to it."""
    sensitive = _columns(base, "sensitive")
    classifier = base.info["classifier"]
    names = base.groups
    if not names and sensitive and classifier is not None:
        names = _core.Schema(classifier["schema"])._info()["groups"]
    if not names:
        return None
    if n_groups is not None and n_groups != len(names):
        raise OptionError(f"n_groups is {n_groups}, but the base has {len(names)} groups")
    if options.get("group_column") is None:
        stored = base.info["group_column"]
        only = sensitive[0]["name"] if len(sensitive) == 1 else None
        options["group_column"] = stored or only
    return names
