"""Suggests the name that a user probably meant."""

from __future__ import annotations

from difflib import get_close_matches


def meant(name: str, known: list[str]) -> str:
    """Returns the end of a message that suggests the name in ``known`` closest to ``name``. Returns
    an empty text if no name is close."""
    plain = {one.lower(): one for one in known}
    near = get_close_matches(name.lower(), plain, 1)
    return f" (did you mean {plain[near[0]]!r}?)" if near else ""
