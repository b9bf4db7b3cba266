"""Texts, numbers and verdicts as HTML. Every text is escaped here or in `text`."""

import html
import math
from typing import Any

from .shape import is_number

SIGNS = {"pass": "✓", "fail": "✗", "win": "✓", "loss": "✗", "tie": "=", "open": "?"}
NOTHING = '<span aria-hidden="true">–</span><span class="unseen">no value</span>'


def text(value: Any) -> str:
    return html.escape(str(value), quote=True)


def decimal(value: float, digits: int | None) -> str:
    """A number as readers see it: integers whole, others with `digits` decimals (else 4 digits)."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if math.isnan(value):
        return "not a number"
    if isinstance(value, int):
        shown = f"{value:,}"
    elif digits is None:
        shown = f"{value:.4g}"
    else:
        shown = f"{value:,.{digits}f}"
        if 0 < abs(value) < 1e-6:
            shown = f"{value:.1e}"
    return shown.replace("-", "−", 1) if shown.startswith("-") else shown


def number(value: Any, kind: str = "number", digits: int | None = None) -> str:
    """The cell of a number: what is shown, and all its digits in the element's value."""
    if value is None:
        return NOTHING
    if not is_number(value):
        return text(value)
    shown = decimal(value, digits)
    if kind == "percent":
        shown = f"{decimal(100.0 * value, 1 if digits is None else digits)}\u00a0%"
    return f'<data value="{value!r}">{shown}</data>'


def verdict(word: str, said: str | None = None) -> str:
    """A verdict as a sign and a word: nobody has to see its colour."""
    sign = f'<span aria-hidden="true">{SIGNS[word]}</span>'
    return f'<span class="verdict {word}">{sign} {text(said or word)}</span>'


def cell(value: Any, column: dict) -> str:
    if column["kind"] == "verdict":
        return verdict(value)
    if column["kind"] == "text":
        return NOTHING if value is None else text(value)
    return number(value, column["kind"], column.get("digits"))


def counted(n: int, one: str, several: str | None = None) -> str:
    return f"{n:,} {one if n == 1 else several or one + 's'}"
