"""Checks that the data of a page has the shape that the page needs.

A mistake is told with its place: figures[2].panels[0].series[1].privacy: missing.
"""

import math
import re
from collections.abc import Callable, Iterator
from typing import Any

Check = Callable[[Any, str], None]

KINDS = ("ours", "reference", "paper", "rival", "other-data", "unfair")
VERDICTS = ("fail", "loss", "open", "tie", "pass", "win")  # worst first
OWN_IDS = ("summary", "figures", "licences", "dp2dp-data")


class PageError(ValueError):
    """The data of a page do not have the shape that the page needs."""


def _fail(where: str, what: str) -> None:
    raise PageError(f"{where or 'page'}: {what}")


def _text(value: Any, where: str) -> None:
    if not isinstance(value, str) or not value.strip():
        _fail(where, f"must be a text that is not empty, not {value!r}")


def _flag(value: Any, where: str) -> None:
    if not isinstance(value, bool):
        _fail(where, f"must be true or false, not {value!r}")


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _finite(value: Any, where: str) -> None:
    if not is_number(value) or not math.isfinite(value):
        _fail(where, f"must be a finite number, not {value!r}")


def _whole(value: Any, where: str) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        _fail(where, f"must be a whole number that is not negative, not {value!r}")


def _cell(value: Any, where: str) -> None:
    if value is not None and not isinstance(value, str) and not is_number(value):
        _fail(where, f"must be a text, a number or null, not {value!r}")


def _id(value: Any, where: str) -> None:
    if not isinstance(value, str) or not re.fullmatch(r"[a-z0-9][a-z0-9.-]*", value):
        _fail(where, f"must be made of lower case letters, digits, '-' and '.', not {value!r}")


def _file(value: Any, where: str) -> None:
    if not isinstance(value, str) or not re.fullmatch(r"[\w][\w.-]*", value, re.ASCII):
        _fail(where, f"must be the name of a file, without a folder, not {value!r}")


def _word(*words: str) -> Check:
    def check(value: Any, where: str) -> None:
        if value not in words:
            _fail(where, f"must be one of {', '.join(words)}, not {value!r}")

    return check


def _maybe(check: Check) -> Check:
    return lambda value, where: None if value is None else check(value, where)


def _many(check: Check, least: int = 0) -> Check:
    def check_all(value: Any, where: str) -> None:
        if not isinstance(value, list):
            _fail(where, f"must be a list, not {value!r}")
        if len(value) < least:
            _fail(where, f"needs at least {least}, has {len(value)}")
        for i, item in enumerate(value):
            check(item, f"{where}[{i}]")

    return check_all


def _record(needed: dict[str, Check], optional: dict[str, Check] | None = None) -> Check:
    known = {**needed, **(optional or {})}

    def check(value: Any, where: str) -> None:
        if not isinstance(value, dict):
            _fail(where, f"must be an object, not {value!r}")
        prefix = f"{where}." if where else ""
        for key in needed:
            if key not in value:
                _fail(prefix + key, "missing")
        for key, item in value.items():
            if key not in known:
                _fail(prefix + str(key), f"not one of {', '.join(known)}")
            known[key](item, prefix + key)

    return check


_AXIS = _record({"label": _text}, {"scale": _word("linear", "log"), "percent": _flag})
_SPREAD = [f"{axis}_{end}" for axis in "xy" for end in ("sd", "low", "high")]
_POINT = _record(
    {"x": _maybe(_finite), "y": _maybe(_finite)},
    {
        **dict.fromkeys(_SPREAD, _maybe(_finite)),
        "runs": _maybe(_whole),
        "label": _cell,
    },
)
_SERIES = _record(
    {"name": _text, "kind": _word(*KINDS), "privacy": _text, "points": _many(_POINT)},
    {"line": _flag, "stored": _flag},
)
_ENDS = _many(_record({"x": _finite, "y": _finite}), 2)
_PANEL = _record(
    {"title": _text, "x": _AXIS, "y": _AXIS, "series": _many(_SERIES, 1)},
    {
        "lines": _many(_record({"name": _text, "points": _ENDS}, {"series": _text})),
        "marks": _many(_record({"axis": _word("x", "y"), "value": _finite, "label": _text})),
    },
)
_COLUMN = _record(
    {"key": _text, "label": _text, "kind": _word("text", "number", "percent", "verdict")},
    {"digits": _maybe(_whole)},
)


def _row(value: Any, where: str) -> None:
    if not isinstance(value, dict):
        _fail(where, f"must be an object, not {value!r}")
    for key, item in value.items():
        (_maybe(_id) if key == "id" else _cell)(item, f"{where}.{key}")


_TABLE = _record(
    {"id": _id, "title": _text, "columns": _many(_COLUMN, 1), "rows": _many(_row)},
    {"note": _maybe(_text), "stored": _flag},
)
_CLAIM = _record({"paper": _text, "measured": _text, "holds": _maybe(_flag)})
_FIGURE = _record(
    {"id": _id, "title": _text},
    {
        "paper": _maybe(_text),
        "caption": _maybe(_text),
        "claim": _maybe(_CLAIM),
        "panels": _many(_PANEL),
        "tables": _many(_TABLE),
        "notes": _many(_text),
        "csv": _many(_file),
    },
)
_MADE = _record({"version": _cell, "seed": _cell, "runs": _cell}, {"fast": _flag})
_PAGE = _record({"title": _text, "made": _MADE, "figures": _many(_FIGURE, 1)})


def _check_columns(table: dict, where: str) -> None:
    for i, column in enumerate(table["columns"]):
        key = column["key"]
        cells = [row[key] for row in table["rows"] if key in row]
        if table["rows"] and not cells:
            _fail(f"{where}.columns[{i}].key", f"no row has {key!r}")
        if column["kind"] == "verdict":
            for j, row in enumerate(table["rows"]):
                _word(*VERDICTS)(row.get(key), f"{where}.rows[{j}].{key}")


def _check_scales(panel: dict, where: str) -> None:
    for i, mark in enumerate(panel.get("marks", [])):
        if panel[mark["axis"]].get("scale") == "log" and mark["value"] <= 0:
            _fail(f"{where}.marks[{i}].value", "must be positive on a log scale")
    for i, line in enumerate(panel.get("lines", [])):
        for j, point in enumerate(line["points"]):
            for axis in "xy":
                if panel[axis].get("scale") == "log" and point[axis] <= 0:
                    place = f"{where}.lines[{i}].points[{j}].{axis}"
                    _fail(place, "must be positive on a log scale")
    names = [series["name"] for series in panel["series"]]
    for name in names:
        if names.count(name) > 1:
            _fail(f"{where}.series", f"two are named {name!r}")


def ids(page: dict) -> Iterator[tuple[str, str]]:
    """Every id of the page, with its place. A table may share the id of its figure."""
    yield from ((own, "the page itself") for own in OWN_IDS)
    for i, figure in enumerate(page["figures"]):
        where = f"figures[{i}]"
        yield figure["id"], f"{where}.id"
        yield f"numbers-{figure['id']}", f"the numbers of {where}"
        for j, table in enumerate(figure.get("tables", [])):
            if table["id"] != figure["id"]:
                yield table["id"], f"{where}.tables[{j}].id"
            for k, row in enumerate(table["rows"]):
                if row.get("id") is not None:
                    yield row["id"], f"{where}.tables[{j}].rows[{k}].id"


def check(page: dict) -> None:
    """Raises PageError, with the place of the mistake, unless `page` has the right shape."""
    _PAGE(page, "")
    for i, figure in enumerate(page["figures"]):
        for j, table in enumerate(figure.get("tables", [])):
            _check_columns(table, f"figures[{i}].tables[{j}]")
        for j, panel in enumerate(figure.get("panels", [])):
            _check_scales(panel, f"figures[{i}].panels[{j}]")
    seen: dict[str, str] = {}
    for name, where in ids(page):
        if name in seen:
            _fail(where, f"the id {name!r} is already that of {seen[name]}")
        seen[name] = where
