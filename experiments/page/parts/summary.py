"""The first screen: what was reproduced, which bars are passed, who wins. And a claim's box."""

from collections import Counter

from .cells import counted, text, verdict
from .shape import is_number
from .tables import verdict_key, verdicts, worst_first

MOST_LISTED = 5
MOST_PARTS = 5
OUTCOMES = {True: "holds here", False: "not reproduced here", None: "not decided"}
OUTCOME_VERDICTS = {True: "pass", False: "fail", None: "open"}


def _tables(page: dict) -> list[tuple[dict, dict]]:
    return [(figure, table) for figure in page["figures"] for table in figure.get("tables", [])]


def _link(figure: dict, table: dict) -> str:
    return figure["id"] if table["id"] == figure["id"] else table["id"]


def _name(row: dict, table: dict) -> str:
    """What a row is about: its texts, and the numbers that are named by a symbol, such as ε."""
    parts = []
    for column in table["columns"]:
        value, label = row.get(column["key"]), column["label"]
        if column["kind"] == "text" and value:
            parts.append(str(value))
        elif column["kind"] == "number" and len(label) == 1 and is_number(value):
            parts.append(f"{label} = {value:g}")
    return text(", ".join(parts[:MOST_PARTS]))


def _listed(rows: list[tuple[dict, dict, str]]) -> str:
    """Links to rows, the first few of them, and to the whole table if there are more."""

    def item(row: dict, table: dict, link: str) -> str:
        href = text(row["id"] if row.get("id") is not None else link)
        return f'<li><a href="#{href}">{_name(row, table)}</a></li>'

    shown = "".join(item(*row) for row in rows[:MOST_LISTED])
    if len(rows) > MOST_LISTED:
        href = text(rows[0][2])
        shown += f'<li><a href="#{href}">{len(rows) - MOST_LISTED} more</a></li>'
    return f"<ul>{shown}</ul>"


def _figures_card(page: dict) -> str:
    """All figures in the order of the story, each with the outcome of the paper's claim."""

    def entry(figure: dict) -> str:
        claim, said = figure.get("claim"), ""
        if claim:
            word = OUTCOME_VERDICTS[claim["holds"]]
            said = f'<span class="outcome {word}">{OUTCOMES[claim["holds"]]}</span>'
        paper = f" <small>{text(figure['paper'])}</small>" if figure.get("paper") else ""
        link = f'<a href="#{text(figure["id"])}">{text(figure["title"])}</a>'
        return f"<li><span>{link}{paper}</span>{said}</li>"

    claims = [figure["claim"]["holds"] for figure in page["figures"] if figure.get("claim")]
    share = f"<strong>{claims.count(True)} of {len(claims)}</strong>"
    rest = [(claims.count(False), "not reproduced"), (claims.count(None), "not decided")]
    said = "; ".join(f"{n} {words}" for n, words in rest if n)
    head = f"<p>{share} claims of the paper reproduced{said and f'; {said}'}.</p>" if claims else ""
    items = "".join(entry(figure) for figure in page["figures"])
    return (
        f'<nav class="card" id="figures" aria-label="Figures"><h2>What was reproduced</h2>'
        f'{head}<ol class="claims">{items}</ol></nav>'
    )


def _bars_card(page: dict) -> str:
    """All bars: the figure with the table of that name, and its other tables with verdicts."""
    figure = next((f for f, t in _tables(page) if t["id"] == "bars" and verdict_key(t)), None)
    if not figure:
        return ""
    tables = [table for table in figure["tables"] if verdict_key(table)]
    counts = sum((verdicts(table) for table in tables), Counter())
    passed, judged = counts["pass"], sum(counts.values())
    link = _link(figure, tables[0])
    head = f'<strong>{passed} of {judged}</strong> <a href="#{text(link)}">bars</a> passed'
    not_passed = [
        (row, table, _link(figure, table))
        for table in tables
        for row in worst_first(table)
        if row[verdict_key(table)] != "pass"
    ]
    rest = f"; these are not:</p>{_listed(not_passed)}" if not_passed else ".</p>"
    return (
        f'<div class="card" id="card-bars"><h2>The bars we set ourselves</h2><p>{head}{rest}</div>'
    )


def _share_bar(counts: Counter) -> str:
    """The shares of losses, ties and wins, drawn."""
    total = sum(counts.values())
    parts, at = [], 0.0
    for word in ("loss", "open", "tie", "win"):
        width = 100.0 * counts[word] / total
        if width:
            parts.append(f'<rect class="{word}" x="{at:.3f}" width="{width:.3f}" height="10"/>')
        at += width
    return (
        '<svg class="shares" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        f"{''.join(parts)}</svg>"
    )


def _rivals_card(page: dict) -> str:
    judged = [(f, t) for f, t in _tables(page) if verdicts(t).keys() & {"win", "loss", "tie"}]
    if not judged:
        return ""
    counts = sum((verdicts(table) for _, table in judged), Counter())
    words = [("loss", "losses"), ("tie", "ties"), ("win", "wins"), ("open", "open")]
    said = ", ".join(
        f"<strong>{counted(counts[one], one, several)}</strong>"
        for one, several in words
        if counts[one] or one != "open"
    )
    losses = [
        (row, table, _link(figure, table))
        for figure, table in judged
        for row in worst_first(table)
        if row[verdict_key(table)] == "loss"
    ]
    link = text(_link(*judged[0]))
    rest = f"<p>We lose against:</p>{_listed(losses)}" if losses else ""
    return (
        f'<div class="card" id="card-rivals"><h2>Rivals on the same splits</h2>'
        f'<p>{said} in <a href="#{link}">{counted(sum(counts.values()), "comparison")}</a>.</p>'
        f"{_share_bar(counts)}{rest}</div>"
    )


def _made(made: dict) -> str:
    parts = [f"dp2dp {text(made['version'])}"] if made["version"] else []
    if made["seed"] is not None:
        parts.append(f"seed {text(made['seed'])}")
    if made["runs"] is not None:
        runs = made["runs"]
        parts.append(f"up to {text(runs)} runs" if isinstance(runs, int) else text(runs))
    return ", ".join(parts)


def _fast_html(made: dict) -> str:
    if not made.get("fast"):
        return ""
    said = "few runs and few points, to see that everything works. Do not quote its numbers."
    return f'<p class="caution"><strong>A fast run</strong>: {said}</p>\n'


def summary_html(page: dict) -> str:
    cards = [_figures_card(page), _bars_card(page), _rivals_card(page)]
    return f"""<section id="summary">
<h1>{text(page["title"])}</h1>
<p class="purpose">The figures of the paper, drawn again from data, with dp2dp beside them. Every
number that is not marked <em>other data</em> was measured by <code>make reproduce</code>
({_made(page["made"])}). In charts of error against unfairness, down and to the left is better.</p>
{_fast_html(page["made"])}<div class="results-cards">{"".join(cards)}</div>
</section>"""


def claim_html(claim: dict | None) -> str:
    if not claim:
        return ""
    word = OUTCOME_VERDICTS[claim["holds"]]
    said = verdict(word, OUTCOMES[claim["holds"]])
    return f"""<div class="claim {word}">
<div><h3>The paper says</h3><p>{text(claim["paper"])}</p></div>
<div><h3>Measured here</h3><p>{text(claim["measured"])}</p><p>{said}</p></div>
</div>"""
