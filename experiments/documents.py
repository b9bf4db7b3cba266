"""The committed page, docs/reproduction.html, and the parts of documents that come from it.

A document marks such a part with <!-- begin NAME --> and <!-- end NAME -->, each on its own line.
"""

import re
from collections import Counter
from pathlib import Path

from common import Context
from make_page import make
from parts.cells import decimal

ROOT = Path(__file__).resolve().parents[1]
PAGE = "reproduction.html"
WORDS = {True: "Reproduced.", False: "Not reproduced.", None: "Undecided."}


def link(text: str, name: str) -> str:
    return f"[{text}]({PAGE}#{name})"


def claims(page: dict) -> str:
    """Each claim of the paper, what was measured, and whether it holds."""
    lines = []
    for figure in page["figures"]:
        claim = figure.get("claim")
        if claim:
            where = figure.get("paper") or figure["title"]
            lines.append(
                f"- {link(where, figure['id'])}. {claim['paper']} *{WORDS[claim['holds']]}* "
                f"{claim['measured']}"
            )
    return "\n".join(lines)


def cell(column: dict, row: dict) -> str:
    value = row.get(column["key"])
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return decimal(value, column.get("digits"))


def table(page: dict, name: str, keys: list[str], chosen=lambda row: True) -> str:
    """Some columns and rows of a table of the page; the first column links to the row."""
    tables = [t for figure in page["figures"] for t in figure.get("tables", [])]
    found = next((t for t in tables if t["id"] == name), None)
    if found is None:
        return "Not measured for this page."
    columns = [next(c for c in found["columns"] if c["key"] == key) for key in keys]
    lines = ["| " + " | ".join(c["label"] for c in columns) + " |", "|" + "---|" * len(columns)]
    for row in filter(chosen, found["rows"]):
        cells = [cell(c, row) for c in columns]
        cells[0] = link(cells[0], row["id"])
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def bars(page: dict) -> str:
    keys = "what epsilon error error_target unfairness unfairness_target verdict".split()
    return table(page, "bars", keys, lambda row: row["rho"] == 0)


def growth(page: dict) -> str:
    return table(page, "growth-plan", ["epsilon", "k2g2", "k6g2"])


def attacked(page: dict) -> str:
    keys = ["what", "claimed", "sound", "attacked", "claim"]
    return table(page, "attacked-all", keys, lambda row: row["claimed"] == 1)


def verdicts(page: dict) -> str:
    """How many rows of each table have which verdict."""
    lines = ["| table | verdicts |", "|---|---|"]
    for figure in page["figures"]:
        for found in figure.get("tables", []):
            keys = [c["key"] for c in found["columns"] if c["kind"] == "verdict"]
            counts = Counter(row[key] for row in found["rows"] for key in keys)
            if counts:
                told = ", ".join(f"{number} {word}" for word, number in counts.most_common())
                lines.append(f"| {link(found['title'], found['id'])} | {told} |")
    return "\n".join(lines)


def times(context: Context) -> str:
    rows = context.read("times")
    lines = ["| figure | seconds | of processor time |", "|---|---|---|"]
    for row in rows:
        lines.append(f"| {row['figure']} | {row['seconds']:.0f} | {row['cpu_seconds']:.0f} |")
    return "\n".join(lines)


def fill(path: Path, parts: dict[str, str]) -> None:
    """Replaces the marked parts of a document. Every mark must be known."""
    text = path.read_text(encoding="utf-8")
    for name in re.findall(r"^<!-- begin (\S+) -->$", text, re.MULTILINE):
        start, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
        before, rest = text.split(start)
        text = before + start + parts[name] + "\n" + end + rest.split(end, 1)[1]
    path.write_text(text, encoding="utf-8")


def write(context: Context, page: dict) -> None:
    make(page, ROOT / "docs" / PAGE, published=False)
    blocks = (claims, bars, growth, attacked, verdicts)
    parts = {block.__name__: block(page) for block in blocks}
    fill(ROOT / "docs" / "reproduction.md", parts)
    fill(ROOT / "experiments" / "README.md", {"times": times(context)})
