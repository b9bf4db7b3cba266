"""Warns of what the library notices about the rows of a fit or a certificate."""

from __future__ import annotations

from . import _core
from ._warn import SECRET, FairnessWarning, PrivacyWarning, warn

_OF_PRIVACY = {"multiplicity-looks-like-weights", "rows-repeated"}


def say_noticed(words: list[str]) -> None:
    """Gives the warnings named in ``words``. These warnings depend on the rows, so each ends with
    ``SECRET``, which says not to publish the warning."""
    for word in words:
        text = _core.oddities.get(word) or _core.warnings[word]
        end = "" if text.endswith("?") else "."
        category = PrivacyWarning if word in _OF_PRIVACY else FairnessWarning
        warn(f"{word}: {text}{end} {SECRET}", category)
