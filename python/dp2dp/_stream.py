"""Fits a rule on a table that is read as an Arrow stream, without converting it to arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import _arrays, _criterion
from ._core import OptionError
from ._frame import refuse_lazy
from ._frame_cells import by_cell
from ._model import Model, check_bad_rows, told
from ._noticed import say_noticed
from ._options import check_same_people, name_list, refuse_foreign
from ._typing import ArrowStream

# Options of fit that are arrays or codes, and what fit_stream takes in their place.
_INSTEAD = {
    "labels": "label_column",
    "weights": "weight_columns",
    "ids": "id_column",
    "multiplicity": "multiplicity_column",
    "n_groups": "group_names",
    "leaves_out": "bad_rows='ignore', which leaves out rows whose group is not in group_names",
}


def _columns(
    score_columns: Iterable[object] | str, class_names: Iterable[object] | None
) -> tuple[list[str] | None, str | None, list[str]]:
    """Returns the names of the score columns, the name of the single column of lists, and the names
    of the classes. Either the first or the second result is None."""
    listed = name_list(class_names)
    if isinstance(score_columns, str):
        if listed is None:
            raise OptionError(
                "score_columns is a single name, so this column must hold lists of scores. Give "
                "class_names too: they say how long each list is"
            )
        return None, score_columns, listed
    found = name_list(score_columns) or []
    return found, None, listed or [str(k) for k in range(len(found))]


def _refuse_arrays(rows: Any, options: dict[str, Any]) -> None:
    refuse_lazy(rows)
    if not hasattr(rows, "__arrow_c_stream__"):
        raise TypeError(
            "rows must be a table with __arrow_c_stream__ (DuckDB, pyarrow, polars, pandas with "
            f"pyarrow), not {type(rows).__name__}; for arrays use fit"
        )
    refuse_foreign(options)
    for name, instead in _INSTEAD.items():
        if options.get(name) is not None:
            raise OptionError(f"fit_stream has no option {name}: use {instead}")


def fit_stream(
    rows: ArrowStream,
    *,
    score_columns: Iterable[object] | str,
    group_column: str | None,
    group_names: Iterable[object],
    class_names: Iterable[object] | None = None,
    label_column: str | None = None,
    weight_columns: Iterable[object] | None = None,
    id_column: str | None = None,
    multiplicity_column: str | None = None,
    criterion: str = "demographic_parity",
    solver: str = "counts",
    rho: float = 0.0,
    epsilon: float | None = None,
    delta: float | None = None,
    **options: Any,
) -> Model:
    """Fits a rule, like :func:`fit`, but to ``rows``, a table that has an Arrow stream: a result of
    DuckDB or ADBC, a table or a RecordBatchReader of pyarrow, a frame of polars. The stream is read
    once, batch by batch, and the model is the one that :func:`fit` gives for the same rows. Memory
    use stays near 4 bytes for each score, so the table may be too large to copy into Python.

    ``score_columns`` has the name of one column for each class. It may also be the name of a single
    column of lists; then ``class_names`` is needed. Values of ``group_column`` are compared with
    ``group_names`` as text, so the integer 1 means the group "1". In the same way, values of
    ``label_column`` are compared with ``class_names``, by default "0", "1" and so on.
    ``weight_columns`` makes a rule that does not see the group. ``id_column`` has the ids for
    ``dither_key="id"``, and ``multiplicity_column`` the number of records that each row stands for.

    A row is bad if its scores are not probabilities, if its group or label is not in the list of
    names, or if a value is null. ``bad_rows="refuse"`` raises :class:`DataError` with the number of
    the row; "ignore" counts a bad row as a record that adds nothing. ``criterion``, ``solver``,
    ``rho`` and all other ``options`` are those of :func:`fit`.

    Privacy: ``epsilon`` and ``delta``, which have no default, are charged only when the whole
    stream has been read. An exception in Python code that produces the rows of a pyarrow
    RecordBatchReader is raised unchanged here. Ctrl-C works.

    >>> import polars
    >>> yes = [i / 1000 for i in range(1000)]
    >>> people = polars.DataFrame(
    ...     {"no": [1 - p for p in yes], "yes": yes, "sex": ["f", "m"] * 500}
    ... )
    >>> names = {"score_columns": ["no", "yes"], "group_column": "sex", "group_names": ["f", "m"]}
    >>> model = fit_stream(people, **names, epsilon=1, delta=1e-5)
    >>> model.private, model.records
    (True, 1000)
    """
    _refuse_arrays(rows, options)
    groups, weights = name_list(group_names), name_list(weight_columns)
    if groups is None:
        raise OptionError(
            "give group_names: the list of groups must be public and is not read off the data"
        )
    scores, score_list, classes = _columns(score_columns, class_names)
    check_same_people(options)
    ignore = check_bad_rows(options.get("bad_rows", "refuse"))
    options.update(criterion=criterion, solver=solver, rho=rho, epsilon=epsilon, delta=delta)
    options.update(labels=label_column, weights=weights)  # only for the call of complete
    _criterion.take_positive(options, classes)
    _criterion.complete(options, group_column, len(classes))
    del options["labels"], options["weights"]
    options.update(score_columns=scores, score_list=score_list, weight_columns=weights)
    options.update(group_names=groups, class_names=name_list(class_names), label_names=classes)
    options.update(group_column=group_column, label_column=label_column, id_column=id_column)
    options.update(multiplicity_column=multiplicity_column)
    if ignore:
        numeric = [*(scores or ()), *(weights or ()), multiplicity_column]
        rows = by_cell(rows, numeric, [group_column, label_column, id_column], score_list)
    elif not options.get("leaves_out"):
        options["noticed"] = say_noticed
    with _arrays.opened(rows) as stream:
        sizes = len(groups), len(classes), len(weights or ())
        return told(Model._fit_stream(stream, *sizes, options), options)
