"""Tables in notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

# The only colours are a transparent grey and a transparent blue, so that dark themes stay readable.
_TABLE = "border-collapse:collapse;margin:.5em 0;font-variant-numeric:tabular-nums"
_HEAD = "padding:.15em .6em;border-bottom:1px solid rgba(128,128,128,.6);text-align:"
_CELL = "padding:.15em .6em;border-bottom:1px solid rgba(128,128,128,.25);text-align:"


def _style(start: str, at: int, share: float | None = None) -> str:
    bar = ""
    if share is not None:
        at_most = f"{100 * min(max(share, 0.0), 1.0):.1f}%"
        blue = "rgba(90,140,220,.3)"
        bar = f";background:linear-gradient(to right,{blue} {at_most},transparent {at_most})"
    return f"{start}{'left' if at == 0 else 'right'}{bar}"


def html_table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    bars: Sequence[Sequence[float | None]] | None = None,
) -> str:
    """Returns an HTML table. The first text of each row is the name of the row. ``bars`` has, for
    each text, the length (from 0 to 1) of the bar drawn behind the text, or None for no bar."""
    titles = "".join(
        f'<th style="{_style(_HEAD, at)}">{escape(text)}</th>' for at, text in enumerate(head)
    )
    lines = []
    for number, row in enumerate(rows):
        shares = bars[number] if bars else [None] * len(row)
        cells = "".join(
            f'<{tag} style="{_style(_CELL, at, share)}">{escape(text)}</{tag}>'
            for at, (text, share) in enumerate(zip(row, shares, strict=True))
            for tag in ("th" if at == 0 else "td",)
        )
        lines.append(f"<tr>{cells}</tr>")
    return f'<table style="{_TABLE}"><tr>{titles}</tr>{"".join(lines)}</table>'
