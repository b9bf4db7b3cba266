"""A model in words, and as a table for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from . import _core

if TYPE_CHECKING:
    from ._model import Model


def _promise(model: Model) -> str:
    if not model.private:
        return "NOT PRIVATE: " + "; ".join(
            _core.not_private_because[word] for word in model.not_private_because
        )
    if model.epsilon is None:
        return "no privacy was paid for"
    # Rounded up, as every privacy number is.
    epsilon = -(-model.epsilon * 10000 // 1) / 10000
    return f"({epsilon:g}, {model.delta:g})-differentially private, replace-one"


def _kind(model: Model) -> str:
    if model.solver is None:
        return f"classifier of {len(model.classes)} classes"
    rule = f"fair rule for {len(model.groups)} groups, {len(model.classes)} classes"
    return rule if model.info["classifier"] is None else "classifier and " + rule


def text(model: Model) -> str:
    """One line."""
    return f"<dp2dp.Model: {_kind(model)}; {_promise(model)}>"


def html(model: Model) -> str:
    """For notebooks. Colours are the page's own, so that it is read on a dark one too."""
    head = "".join(f"<th>{escape(name)}</th>" for name in model.classes)
    rows = "".join(
        f"<tr><th>{escape(group)}</th>"
        + "".join(f"<td>{value:+.4f}</td>" for value in offsets)
        + "</tr>"
        for group, offsets in zip(model.groups, model.offsets, strict=True)
    )
    table = f"<table><tr><th>offsets</th>{head}</tr>{rows}</table>" if rows else ""
    return (
        f"<div><b>dp2dp model</b>: {escape(_kind(model))}<br>{escape(_promise(model))}{table}</div>"
    )
