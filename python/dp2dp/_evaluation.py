"""Writes an evaluation as a table: as text, as HTML or as a data frame."""

from __future__ import annotations

from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from ._html import html_table

if TYPE_CHECKING:
    from ._measures import Evaluation

_COLUMNS = {
    "count": "people",
    "selection_rate": "selected",
    "true_positive_rate": "TPR",
    "false_positive_rate": "FPR",
    "precision": "precision",
    "error": "error",
}


def _names(given: Any, count: int) -> list[Any]:
    return list(range(count)) if given is None else np.asarray(given).tolist()


def _classes(found: Evaluation) -> list[int]:
    """Returns the classes that the table shows. If the positive class is given, the table shows
    only that class. Otherwise, it shows the second of two classes, or all classes if there are more
    than two."""
    if found.positive is not None:
        return [found.positive]
    count = len(_names(found.classes, found.counts.shape[1]))
    return list(range(count)) if count > 2 else [count - 1]


def rows_of(found: Evaluation) -> list[dict[str, Any]]:
    """Returns a dict for each class and group. A rate that is not defined is NaN."""
    classes = _names(found.classes, found.counts.shape[1])
    groups = _names(found.groups, found.counts.shape[0])
    labelled = found.label_counts is not None
    rows = []
    for k in (k for k in _classes(found) if k < len(classes)):
        for g, group in enumerate(groups):
            rates = found.class_rates[g, k]
            row = {"class": classes[k], "group": group}
            row["count"] = int(rates["selection"]["whole"])
            row["selection_rate"] = float(rates["selection"]["rate"])
            if labelled:
                row["true_positive_rate"] = float(rates["true_positive"]["rate"])
                row["false_positive_rate"] = float(rates["false_positive"]["rate"])
                row["precision"] = float(rates["precision"]["rate"])
                row["error"] = float(found.errors["rate"][g])
            rows.append(row)
    return rows


def _number(value: float | None) -> str:
    return "-" if value is None or np.isnan(value) else f"{value:.3f}"


def _with_interval(value: float | None, interval: tuple[float | None, float | None]) -> str:
    low, high = interval
    return _number(value) + ("" if low is None else f" ({_number(low)} to {_number(high)})")


def _positive(found: Evaluation) -> list[str]:
    """Returns a list with one line, which names the class whose rates the table shows. The list is
    empty if the table shows several classes."""
    names = _names(found.classes, found.counts.shape[1])
    shown = [names[k] for k in _classes(found) if k < len(names)]
    if len(shown) != 1:
        return []
    default = ", the second of two (change it with positive=)" if found.positive is None else ""
    return [f"positive class: {shown[0]!r}{default}"]


def _summary(found: Evaluation) -> list[str]:
    lines = [f"{found.records} people, counted without noise: NOT private"]
    if found.accuracy is not None:
        lines.append(f"accuracy {_with_interval(found.accuracy, found.accuracy_interval)}")
        if found.no_better_than_majority and found.majority is not None:
            name = _names(found.classes, found.counts.shape[1])[found.majority]
            lines.append(
                f"NO BETTER than giving everybody the class {name}, which is right for "
                f"{_number(found.majority_accuracy)} of these people"
            )
    lines += _positive(found)
    gaps = {name: (one.unfairness, one.interval) for name, one in found.criteria.items()}
    gaps = gaps or {"demographic_parity": (found.unfairness, found.unfairness_interval)}
    lines += [f"unfairness, {name}: {_with_interval(*gap)}" for name, gap in gaps.items()]
    if any(low is not None for _, (low, _) in gaps.values()) or found.accuracy is not None:
        lines.append(f"each interval has confidence {found.confidence:g}")
    return lines


def _cells(found: Evaluation) -> tuple[list[str], list[list[str]]]:
    rows = rows_of(found)
    several = len({str(row["class"]) for row in rows}) > 1
    names = (["class", "group"] if several else ["group"]) + [
        name for name in _COLUMNS if rows and name in rows[0]
    ]
    cells = [
        [_number(row[name]) if isinstance(row[name], float) else str(row[name]) for name in names]
        for row in rows
    ]
    for row, line in zip(rows, cells, strict=True):  # names of classes and groups are not rounded
        line[: 1 + several] = [str(row[name]) for name in names[: 1 + several]]
    return [_COLUMNS.get(name, name) for name in names], cells


def text_of(found: Evaluation) -> str:
    head, rows = _cells(found)
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    left = sum(name in ("class", "group") for name in head)
    lines = [
        "  ".join(
            cell.ljust(width) if at < left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in (head, *rows)
    ]
    return "\n".join([*_summary(found), *lines])


def html_of(found: Evaluation) -> str:
    head, rows = _cells(found)
    plain = {"class", "group", "people"}
    bars = [
        [
            None if name in plain or cell == "-" else float(cell)
            for name, cell in zip(head, row, strict=True)
        ]
        for row in rows
    ]
    words = "<br>".join(map(escape, _summary(found)))
    return f"<div><b>dp2dp evaluation</b><br>{words}{html_table(head, rows, bars)}</div>"


def frame_of(found: Evaluation) -> Any:
    pandas = import_module("pandas")
    return pandas.DataFrame(rows_of(found)).set_index(["class", "group"])
