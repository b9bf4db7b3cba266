"""Checks of options that :func:`fit` and :func:`fit_source` share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._core import OptionError

_UNCOVERED = {"scores-from-pool", "classifier-not-private"}


def name_list(given: Iterable[object] | None) -> list[str] | None:
    """The names as texts. Refuses a single text, which would be taken for a list of letters."""
    if isinstance(given, str):
        raise OptionError(f"names must be a list, not the text {given!r}")
    return None if given is None else [str(name) for name in given]


def check_same_people(options: dict[str, Any]) -> None:
    """Refuses ``same_people`` if nobody said what the scores cost these people."""
    reasons = [*(options.get("not_private_because") or ()), *(options.get("leaks") or ())]
    known = options.get("base") is not None or options.get("scores_epsilon") is not None
    if options.get("same_people") and not known and not {*reasons} & _UNCOVERED:
        raise OptionError(
            "same_people needs the cost of the scores: give base, or scores_epsilon and "
            "scores_delta. If the model behind the scores was trained without privacy, give the "
            "reason scores-from-pool"
        )
