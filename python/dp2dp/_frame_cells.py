"""Reads columns of objects in a frame of pandas one cell at a time. pyarrow refuses a column with
values of several types, and the message of its error shows a value."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ._cells import has_numbers, numbers, of_column, of_list
from ._factored import by_text, factored


def _texts(column: Any) -> list[str | None]:
    codes, texts = by_text(factored(column, ignore=True), "", ignore=True)
    values = [*texts, None]
    return [values[code] for code in codes.tolist()]


def _may_be_odd(kind: Any) -> bool:
    """Returns whether a column of this type can have a cell that pyarrow refuses, such as an object
    or a text with half a character. Numbers, booleans, times and the types of pyarrow cannot."""
    ours = has_numbers(kind) or getattr(kind, "kind", "O") in "bMm"
    return not (ours or getattr(kind, "storage", "") == "pyarrow" or hasattr(kind, "pyarrow_dtype"))


def by_cell(
    rows: Any,
    numeric: Collection[str | None],
    texts: Collection[str | None],
    lists: str | None = None,
) -> Any:
    """Converts the columns of a pandas frame that pyarrow may refuse, such as objects and
    categories. Columns named in ``numeric`` become numbers, and columns named in ``texts`` become
    texts. The column named ``lists`` becomes lists of numbers. A cell that cannot be converted
    becomes missing. Other columns that pyarrow may refuse are left out, and so is the index. If
    ``rows`` is not a pandas frame, returns it unchanged."""
    if not hasattr(rows, "iloc") or getattr(rows, "ndim", 0) != 2:
        return rows
    odd = [j for j, kind in enumerate(rows.dtypes) if _may_be_odd(kind)]
    if not odd and not _may_be_odd(rows.index.dtype):
        return rows
    known = [j for j in odd if str(rows.columns[j]) in {*numeric, *texts, lists}]
    kept = [j for j in range(rows.shape[1]) if j not in odd or j in known]
    found = rows.iloc[:, kept].reset_index(drop=True)
    for j in known:
        name, column = rows.columns[j], rows.iloc[:, j]
        if str(name) in numeric:
            found[name] = of_column(column, texts=True)
        elif str(name) == lists:
            found[name] = [*numbers(of_list(column.tolist()))]
        else:
            found[name] = _texts(column)
            found[name] = found[name].astype("string")
    return found
