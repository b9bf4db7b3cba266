"""Takes scores, groups and weights from a data frame, by the names that a model stores."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arrays import NO_ROWS
from ._core import DataError, OptionError
from ._factored import Factored, is_missing, text_of
from ._frame import refuse_twice
from ._outside import say_one_group, say_outside
from ._warn import FairnessWarning, warn

if TYPE_CHECKING:
    from ._model import Model


def _all_names_of(frame: Any) -> list[Any]:
    """Returns the column names of a pandas, polars or Arrow frame, which may be numbers. Returns an
    empty list for anything else."""
    if isinstance(frame, np.ndarray) or not hasattr(frame, "columns"):
        return []
    if hasattr(frame, "collect"):
        raise TypeError(
            f"a {type(frame).__name__} has no rows in memory: pass a table, such as frame.collect()"
        )
    names = list(getattr(frame, "column_names", frame.columns))
    refuse_twice([str(name) for name in names])
    return names


def _names_of(frame: Any) -> list[str]:
    """Returns the column names of a frame, or an empty list if some name is not a text."""
    names = _all_names_of(frame)
    return names if all(isinstance(name, str) for name in names) else []


def whole_table(values: Any) -> Any:
    """Reads all batches of an Arrow reader into one table, so that its columns can be found by
    name. Returns anything else unchanged."""
    if not hasattr(values, "read_all") or not hasattr(values, "__arrow_c_stream__"):
        return values
    table = values.read_all()
    if table.num_rows == 0:
        raise DataError(NO_ROWS)
    return table


def one_row(values: Any) -> Any:
    """Turns a pandas.Series into a frame of one row, whose columns are named by the Series' index.
    Returns anything else unchanged."""
    return values.to_frame().T if hasattr(values, "iloc") and values.ndim == 1 else values


def _columns(model: Model, role: str) -> list[dict[str, Any]]:
    """Returns the columns with this role in the schema of the model's classifier."""
    classifier = model.info["classifier"]
    columns = [] if classifier is None else json.loads(classifier["schema"])["columns"]
    return [column for column in columns if column["role"] == role]


def _select(frame: Any, known: list[Any], wanted: list[Any]) -> Any:
    """Returns the columns ``wanted`` of a frame whose columns are ``known``. Returns None if the
    frame has none of the wanted columns. Refuses a frame that has only some of them."""
    there = [name for name in wanted if name in known]
    if not there:
        return None
    if len(there) < len(wanted):
        missing = next(name for name in wanted if name not in known)
        raise DataError(f"the frame has no column named {missing!r}, which the model needs")
    return frame.select(wanted) if hasattr(frame, "column_names") else frame[wanted]


def _are_numbers(names: list[str]) -> bool:
    """Returns whether ``names`` are the default names of classes or groups: "0", "1", ..."""
    return names == [str(k) for k in range(len(names))]


def _are_plain(names: list[Any]) -> bool:
    """Returns whether ``names`` are integers in rising order, like the column names of a frame that
    was made from an array."""
    return all(isinstance(name, int) for name in names) and names == sorted(names)


def _tell_by_position(what: str, names: list[Any], wanted: list[str], advice: str) -> None:
    warn(
        f"columns-by-position: {what} are [{', '.join(map(str, names))}] and not "
        f"[{', '.join(wanted)}], so the columns were taken by position. {advice}",
        FairnessWarning,
    )


def _permuted(frame: Any, wanted: list[str]) -> Any:
    """Returns the columns of a frame in the order of ``wanted``, or None if the names of the
    columns are not those of ``wanted``. If the names of the columns are integers in rising order,
    and ``wanted`` has the same integers in another order, raises an error: the integers may be
    names or just positions."""
    known = {str(name): name for name in _all_names_of(frame)}
    if sorted(known) != sorted(wanted):
        return None
    if _are_plain(list(known.values())) and [*known] != wanted:
        raise DataError(
            f"the columns of the frame are the numbers [{', '.join(known)}], and the model needs "
            f"[{', '.join(wanted)}]. If the numbers are positions, pass frame.to_numpy(); if they "
            "are names, turn them into texts with frame.rename(columns=str)"
        )
    return _select(frame, list(known.values()), [known[name] for name in wanted])


def _taken(frame: Any, stored: list[str], named: list[str], what: str) -> Any:
    """Returns the columns of a frame that the model needs. Looks first for the names that the model
    has ``stored``, and then for the names of its classes or groups (``named``). The order of the
    columns does not matter. If the frame has other names, warns and returns the frame unchanged.
    If ``frame`` is not a frame, returns it unchanged."""
    found = _select(frame, _names_of(frame), stored)
    found = _permuted(frame, named) if found is None else found
    if found is not None:
        return found
    names, wanted = _all_names_of(frame), stored or ([] if _are_numbers(named) else named)
    if len(names) == len(wanted) and not _are_plain(names):
        advice = f"Rename the columns, or pass {what}.to_numpy() if their order is right"
        _tell_by_position(f"the columns of {what}", names, wanted, advice)
    return frame


def of_classes(probabilities: Any, classes: list[str], owner: str) -> Any:
    """Returns the ``probabilities`` that predict_proba of ``owner`` gave, with a column for each of
    ``classes``. If the probabilities are a frame, the columns are taken by name."""
    found = _permuted(probabilities, classes)
    names = _all_names_of(probabilities)
    if found is None and len(names) == len(classes) and not _are_plain(names):
        advice = "Name the columns like the classes, or return an array in the order of classes_"
        _tell_by_position(
            f"the columns that predict_proba of {owner} returns", names, classes, advice
        )
    return probabilities if found is None else found


def weights_by_name(model: Model, weights: Any) -> Any:
    """Returns the weights. If the weights are a frame, puts the columns into the model's order."""
    info = model.info
    groups = model.groups if info["weight_columns"] == len(model.groups) else []
    return _taken(whole_table(weights), info["weights"], groups, "weights")


def scores_by_name(model: Model, scores: Any) -> Any:
    """Returns the scores. If the scores are a frame, puts the columns into the model's order.
    Refuses a frame that has the features of the model's classifier and no scores."""
    scores = whole_table(scores)
    known, stored = _names_of(scores), model.info["score_columns"]
    features = [column["name"] for column in _columns(model, "feature")]
    if features and {*features} <= {*known} and not {*stored} & {*known}:
        raise DataError(
            "the frame holds features, not scores: pass dp2dp.core.score(model, frame).scores"
        )
    return _taken(scores, stored, model.classes, "scores")


def _groups_of_schema(model: Model) -> list[str]:
    """Returns the groups that the schema of the model's classifier declares."""
    classifier = model.info["classifier"]
    found = [] if classifier is None else _core.Schema(classifier["schema"])._info()["groups"]
    return list(found or [])


def _scored(
    model: Model, frame: Any, known: list[str], groups: Any, weights: Any
) -> tuple[Any, Any, Any]:
    """Scores rows of features with the model's classifier. Returns scores, groups and weights."""
    # Imported here and not at the top of the file: _table needs scikit-learn, and both _table and
    # core import this module.
    from ._table import of_frame
    from .core import score

    columns = _columns(model, "feature")
    with_groups = model.rule in ("offset", "linear") and groups is None
    columns += _columns(model, "sensitive") if with_groups else []
    if with_groups and _groups_of_schema(model) not in ([], model.groups):
        raise DataError(
            "the model's rule and its schema have different groups: pass the codes of the groups "
            "as groups"
        )
    if with_groups and not _columns(model, "sensitive"):
        raise OptionError(
            "the model does not know which column holds the group: pass the codes as groups"
        )
    for column in _columns(model, "sensitive") if with_groups else []:
        if column["kind"] == "categorical" and column["name"] in known:
            _refuse_numbers(frame[column["name"]], column["name"], column["levels"])
    texts = {column["name"]: column["kind"] == "categorical" for column in columns}
    table = of_frame(frame, np.array(known, dtype=object), texts)
    say_outside(table.only(_columns(model, "feature")), model.info["classifier"]["schema"])
    found = score(model, table.rows(), groups=with_groups)
    if found.left_out is not None and found.left_out.any():
        row = int(found.left_out.argmax()) + 1
        raise DataError(
            f"row {row}: a value is missing. The schema leaves such rows out, so there are no "
            "scores for this row: drop the row"
        )
    sensitive = _columns(model, "sensitive")
    if found.groups is not None and len(sensitive) == 1 and sensitive[0].get("cuts"):
        say_one_group(found.groups, model.groups, sensitive[0]["cuts"])
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


def _refuse_numbers(column: Any, name: str, names: list[str]) -> None:
    """Refuses a column of numbers, such as codes, where names of groups are needed."""
    kind = str(getattr(column, "dtype", getattr(column, "type", ""))).lower()
    if not kind.startswith(("int", "uint", "float", "double")):
        return
    with suppress(ValueError):
        if any(np.isfinite(float(one)) for one in names):
            return  # groups may be called 0 and 1
    listed = ", ".join(map(repr, names[:8])) + (", ..." if len(names) > 8 else "")
    raise DataError(
        f"the column {name!r} holds numbers, and it must hold the names {listed}. Pass codes as "
        "groups, and leave the column out of the frame"
    )


def _group_codes(model: Model, frame: Any, known: list[str], unknown: str) -> Any:
    """Returns the codes of the groups, from the column that the fit has named."""
    name = model.info["group_column"]
    if name not in known:
        raise OptionError(
            f"the frame has no column named {name!r}, from which the model takes the group. "
            "Add this column, or pass the codes of the groups as groups=[...]"
        )
    if unknown == "refuse":
        _refuse_numbers(frame[name], name, model.groups)
    return _codes(frame[name], model.groups, unknown)


def _refuse_features(model: Model, scores: Any, known: list[str]) -> None:
    """Refuses a frame that seems to hold features, for a model without a classifier."""
    stored, classes = {*model.info["score_columns"]}, {*model.classes}
    if model.info["classifier"] is not None or not known or {*known} & (stored | classes):
        return
    if len(known) != len(model.classes):
        raise DataError(
            "this model has no classifier, so it cannot read features: pass scores, with one "
            f"column for each of {', '.join(model.classes)}. If the model is that of an "
            "estimator, use predict of the estimator"
        )


def _refuse_both(model: Model, known: list[str], groups: Any) -> None:
    """Refuses group codes (``groups``) if the frame has a group column too, because the two may
    disagree."""
    if groups is None or model.rule not in ("offset", "linear"):
        return
    names = [column["name"] for column in _columns(model, "sensitive")]
    if there := [name for name in [*names, model.info["group_column"]] if name in known]:
        raise OptionError(
            f"the group is given twice: as groups, and as the column {there[0]!r} of the frame; "
            "leave one of the two out"
        )


def by_name(
    model: Model, scores: Any, groups: Any, weights: Any, unknown: str
) -> tuple[Any, Any, Any]:
    """Returns scores, groups and weights. If ``scores`` is a data frame, its columns are found by
    the names that the model stores. The frame may have the features of the model's classifier, or
    columns of scores, weights and the group."""
    scores = whole_table(scores)
    weights = weights_by_name(model, weights)
    known = _names_of(scores)
    if known:
        _refuse_both(model, known, groups)
        features = [column["name"] for column in _columns(model, "feature")]
        if _select(scores, known, features) is not None:
            sees = groups is None and model.rule in ("offset", "linear")
            if sees and not _columns(model, "sensitive") and model.info["group_column"]:
                groups = _group_codes(model, scores, known, unknown)
            return _scored(model, scores, known, groups, weights)
        _refuse_features(model, scores, known)
    info = model.info
    if weights is None and model.rule == "weighted":
        weights = _select(scores, known, info["weights"])
    if groups is None and known and info["group_column"] and model.rule in ("offset", "linear"):
        groups = _group_codes(model, scores, known, unknown)
    return _taken(scores, info["score_columns"], model.classes, "scores"), groups, weights


def _refuse_other_order(names: list[str], listed: Any, what: str, of: str) -> None:
    """Refuses a frame whose columns are the ``listed`` names in another order."""
    if listed and names != list(listed) and sorted(names) == sorted(listed):
        raise OptionError(
            f"the columns of {what} are [{', '.join(names)}], but {of} are "
            f"[{', '.join(listed)}]; put both in the same order"
        )


def names_from_frames(scores: Any, options: dict[str, Any]) -> None:
    """If the scores or weights are frames, sets the options for the names of their columns.
    Predictions then find the columns by name. Refuses a frame whose columns have the names of the
    classes, or of the groups, in another order."""
    base, classes = options.get("base"), options.get("class_names")
    own = (
        ("class_names", classes)
        if classes
        else ("the classes of base", getattr(base, "classes", None))
    )
    for frame, what, of, listed in (
        (scores, "scores", *own),
        (options.get("weights"), "weights", "group_names", options.get("group_names")),
    ):
        known, name = _names_of(frame), f"{what[:-1]}_columns"
        given = options.get(name)
        _refuse_other_order([str(one) for one in _all_names_of(frame)], listed, what, of)
        _refuse_other_order(known, given if isinstance(given, (list, tuple)) else None, what, name)
        stored = given is not None or base is not None
        if known and not stored and len({*known}) == len(known) and all(known):
            options[name] = known


def names_from_base(base: Model, n_groups: int | None, options: dict[str, Any]) -> Any:
    """Returns the group names of ``base``, the model that gave the scores, or None if ``base`` has
    none. If ``base`` knows the name of the group's column, sets the option group_column to that
    name."""
    sensitive = _columns(base, "sensitive")
    names = base.groups
    if not names and sensitive:
        names = _groups_of_schema(base)
    if not names:
        return None
    if n_groups is not None and n_groups != len(names):
        raise OptionError(
            f"n_groups is {n_groups}, but the model given as base has {len(names)} groups"
        )
    if options.get("group_column") is None:
        stored = base.info["group_column"]
        only = sensitive[0]["name"] if len(sensitive) == 1 else None
        options["group_column"] = stored or only
    return names
