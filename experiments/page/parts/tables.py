"""The tables of a figure, and the table of all points that its charts draw."""

from collections import Counter
from collections.abc import Iterator

from .cells import cell, number, text
from .shape import VERDICTS


def verdict_key(table: dict) -> str | None:
    """The column of the table's verdicts, if it has one."""
    return next((c["key"] for c in table["columns"] if c["kind"] == "verdict"), None)


def worst_first(table: dict) -> list[dict]:
    """The rows; where there are verdicts, failures and losses come first."""
    key = verdict_key(table)
    rows = table["rows"]
    return sorted(rows, key=lambda row: VERDICTS.index(row[key])) if key else rows


def verdicts(table: dict) -> Counter:
    key = verdict_key(table)
    return Counter(row[key] for row in table["rows"]) if key else Counter()


def _anchor(row: dict) -> str:
    if row.get("id") is None:
        return ""
    label = f"Link to the row {text(row['id'])}"
    return f' <a class="anchor" href="#{text(row["id"])}" aria-label="{label}">#</a>'


def _row(row: dict, columns: list[dict], key: str | None) -> str:
    attributes = f' id="{text(row["id"])}"' if row.get("id") is not None else ""
    attributes += f' data-verdict="{text(row[key])}"' if key else ""
    parts = []
    for i, column in enumerate(columns):
        shown = cell(row.get(column["key"]), column)
        kind = "" if column["kind"] == "text" else f' class="{column["kind"]}"'
        parts.append(
            f'<th scope="row"{kind}>{shown}{_anchor(row)}</th>'
            if i == 0
            else f"<td{kind}>{shown}</td>"
        )
    return f"<tr{attributes}>{''.join(parts)}</tr>"


def table_html(table: dict, figure_id: str) -> str:
    key = verdict_key(table)
    own = "" if table["id"] == figure_id else f' id="{text(table["id"])}"'
    heads = "".join(
        f'<th scope="col" class="{column["kind"]}">{text(column["label"])}</th>'
        for column in table["columns"]
    )
    rows = "\n".join(_row(row, table["columns"], key) for row in worst_first(table))
    note = f'\n<p class="note">{text(table["note"])}</p>' if table.get("note") else ""
    title = text(table["title"])
    return f"""<div class="results"{own}>
<h3>{title}</h3>{note}
<div class="table-box" tabindex="0" role="group" aria-label="{title}">
<table class="sortable">
<thead><tr>{heads}</tr></thead>
<tbody>
{rows}
</tbody>
</table>
</div>
</div>"""


def _measure(point: dict, axis: str, spec: dict) -> str:
    kind, digits = ("percent", 2) if spec.get("percent") else ("number", None)
    shown = number(point[axis], kind, digits)
    low, high, sd = (point.get(f"{axis}_{end}") for end in ("low", "high", "sd"))
    if low is not None and high is not None:
        return f"{shown} ({number(low, kind, digits)} to {number(high, kind, digits)})"
    return f"{shown} ± {number(sd, kind, digits)}" if sd is not None else shown


def _series_rows(series: dict, panel: dict) -> Iterator[str]:
    other = " (other data)" if series["kind"] == "other-data" else ""
    head = f"<strong>{text(series['name'])}</strong>{other}: privacy {text(series['privacy'])}"
    yield f'<tbody><tr><th colspan="4" scope="rowgroup">{head}</th></tr>'
    for point in series["points"]:
        cells = [
            text(point.get("label") or ""),
            _measure(point, "x", panel["x"]),
            _measure(point, "y", panel["y"]),
            number(point.get("runs")),
        ]
        yield "<tr>" + "".join(f"<td>{shown}</td>" for shown in cells) + "</tr>"
    yield "</tbody>"


def points_html(figure: dict) -> str:
    """Every point of the figure's charts, in a fold that needs no script."""
    tables = []
    for panel in figure.get("panels", []):
        heads = ["point", panel["x"]["label"], panel["y"]["label"], "runs"]
        head = "".join(f'<th scope="col">{text(label)}</th>' for label in heads)
        body = "\n".join(row for series in panel["series"] for row in _series_rows(series, panel))
        title = text(panel["title"])
        tables.append(
            f'<div class="table-box" tabindex="0" role="group" aria-label="{title}"><table>'
            f"<caption>{title}</caption><thead><tr>{head}</tr></thead>\n{body}\n</table></div>"
        )
    if not tables:
        return ""
    fold = "\n".join(tables)
    return (
        f'<details class="numbers" id="numbers-{text(figure["id"])}">'
        f"<summary>All points of the charts, as numbers</summary>\n"
        f'<p class="note">± is one standard deviation over the runs; where two ends stand in '
        f"brackets, they are the ends of an interval.</p>\n{fold}\n</details>"
    )
