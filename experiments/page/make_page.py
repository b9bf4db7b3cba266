#!/usr/bin/env python3
"""Writes the page of the reproduction, one HTML file, from its data.

    experiments/page/make_page.py page.json index.html [--without-stored]

The page is complete without its script, which adds the charts. `make report` makes `template.html`
from src/ and style.css; nothing here needs node.
"""

import argparse
import json
import sys
from pathlib import Path

from parts.cells import text
from parts.shape import PageError, check
from parts.summary import claim_html, summary_html
from parts.tables import points_html, table_html

TEMPLATE = Path(__file__).with_name("template.html")
LEFT_OUT = (
    "Numbers that others published, measured on other data, are left out of this copy of the page: "
    "their files are not ours to publish. They are shown when DP2DP_REFERENCE names the folder of "
    "these files and make reproduce runs again."
)


def _without_numbers(table: dict) -> dict:
    """The table, without its numbers if it compares with a column that files of others hold."""
    stored = any(column["key"] == "stored" for column in table["columns"])
    if not table.get("stored", stored):
        return table
    kept = [column for column in table["columns"] if column["kind"] in ("text", "verdict")]
    return {**table, "columns": kept}


def _without_stored(figure: dict) -> dict:
    """The figure without what comes from files of others; a note says what is left out."""

    def ours(series: dict) -> bool:
        return series["kind"] != "other-data" or series.get("stored") is False

    panels = [
        {**panel, "series": [series for series in panel["series"] if ours(series)]}
        for panel in figure.get("panels", [])
    ]
    tables = [_without_numbers(table) for table in figure.get("tables", [])]
    same = panels == figure.get("panels", []) and tables == figure.get("tables", [])
    notes = figure.get("notes", []) + ([] if same else [LEFT_OUT])
    return {**figure, "panels": panels, "tables": tables, "notes": notes}


def _charts_html(figure: dict) -> str:
    caption = text(figure.get("caption") or "")
    if not figure.get("panels"):
        return f"<p>{caption}</p>" if caption else ""
    name = text(figure["id"])
    return f"""<figure class="panels" data-figure="{name}">
<figcaption>{caption}</figcaption>
<p class="note without-script">Charts need JavaScript; the numbers are in the tables.</p>
</figure>
{points_html(figure)}"""


def _files_html(figure: dict, folder: Path) -> str:
    """The names of the CSV files, as links where the file lies beside the page."""
    if not figure.get("csv"):
        return ""

    def entry(name: str) -> str:
        if (folder / name).exists():
            return f'<a href="{text(name)}">{text(name)}</a>'
        return f"<code>{text(name)}</code>"

    names = ", ".join(entry(name) for name in figure["csv"])
    return f'<p class="note">All runs, row by row: {names}</p>'


def _figure_html(figure: dict, folder: Path) -> str:
    paper = figure.get("paper")
    of = ", of the paper" if "," in (paper or "") else " of the paper"
    eyebrow = text(paper + of) if paper else "Not in the paper"
    notes = "".join(f"<li>{text(note)}</li>" for note in figure.get("notes", []))
    name = text(figure["id"])
    parts = [
        f'<p class="eyebrow">{eyebrow}</p>',
        f'<h2>{text(figure["title"])} <a class="anchor" href="#{name}"'
        f' aria-label="Link to this figure">#</a></h2>',
        claim_html(figure.get("claim")),
        _charts_html(figure),
        *(table_html(table, figure["id"]) for table in figure.get("tables", [])),
        f'<ul class="notes">{notes}</ul>' if notes else "",
        _files_html(figure, folder),
    ]
    body = "\n".join(part for part in parts if part)
    return f'<section class="result" id="{name}">\n{body}\n</section>'


def _data(page: dict) -> str:
    """What the charts draw, as JSON that no text in it can leave."""
    figures = [{"id": f["id"], "panels": f["panels"]} for f in page["figures"] if f.get("panels")]
    written = json.dumps({"figures": figures}, ensure_ascii=True, allow_nan=False)
    return written.replace("<", "\\u003c")


def make(page: dict, out: Path, published: bool = True) -> None:
    """Writes the page `out` from its data. Raises PageError if the data have another shape.

    published: whether to show what comes from files of other authors: series of kind "other-data",
    and the numbers of tables that have a column "stored". A series or table whose own "stored" is
    true or false says so itself.
    """
    check(page)
    if not published:
        page = {**page, "figures": [_without_stored(figure) for figure in page["figures"]]}
    out = Path(out)
    sections = "\n".join(_figure_html(figure, out.parent) for figure in page["figures"])
    parts = {
        "title": text(page["title"]),
        "body": f"<main>\n{summary_html(page)}\n{sections}\n</main>",
        "data": _data(page),
    }
    rest, filled = TEMPLATE.read_text(encoding="utf-8"), ""
    for name, part in parts.items():
        before, rest = rest.split(f"<!--dp2dp:{name}-->")
        filled += before + part
    out.write_text(filled + rest, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="page.json")
    parser.add_argument("out", type=Path, help="the page to write")
    parser.add_argument(
        "--without-stored",
        action="store_true",
        help="leave out what comes from files of other authors",
    )
    words = parser.parse_args()
    try:
        make(
            json.loads(words.data.read_text(encoding="utf-8")), words.out, not words.without_stored
        )
    except (OSError, ValueError) as error:
        kind = "" if isinstance(error, PageError | OSError) else "not JSON: "
        print(f"{words.data}: {kind}{error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
