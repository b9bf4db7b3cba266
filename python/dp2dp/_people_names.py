"""Warns if the same rows are charged to one ledger under two names (the option ``people``). A
ledger assumes that different names stand for different people, so it does not add their charges."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._equal_rows import Rows, Seen, look, share_of
from ._places import Place, count_shared, places_of
from ._warn import warn
from .accounting import Ledger

# Both dicts have only releases that were charged under a name. They map the id of a release to the
# places of its rows (_named), and to hashes of some of its rows (_equal).
_named: dict[str, list[Place]] = {}
_equal: dict[str, list[Seen]] = {}
_MOST = 100  # hashes are kept for at most this many releases


def _forget() -> None:
    """Drops the releases whose rows are no longer in memory."""
    gone = [one for one, known in _named.items() if all(p.owner() is None for p in known)]
    for one in gone:
        del _named[one]


def _same(given: list[Place], rows: list[Rows]) -> set[str]:
    """Returns the ids of the releases about some of these rows, which are recognised by their
    places (``given``) or by their values (``rows``)."""
    known = {one for one, places in _named.items() if count_shared(given, places)}
    alike = {
        release
        for release, seen in _equal.items()
        if any(share_of(one, other) for one in seen for other in rows)
    }
    return known | alike


def say_two_names(
    release_id: str | None, ledger: Ledger | None, rows: Iterable[Any], values: Iterable[Rows] = ()
) -> bool:
    """Remembers the rows of a release that was charged to ``ledger``. Warns if the ledger has
    charges for some of these rows under another name. Returns whether it warned. ``values`` are the
    same rows, to compare their values. All ``rows`` (such as scores and groups) are about the same
    people."""
    charged = [] if ledger is None else [one for one in ledger.entries if one.people is not None]
    own = {one.people for one in charged if one.release_id == release_id}
    given, values = [place for one in rows for place in places_of(one)], [*values]
    if release_id is None or not own or not (given or values):
        return False
    _forget()
    known = _same(given, values)
    _named[release_id] = given
    if seen := [one for one in map(look, values) if one is not None]:
        _equal[release_id] = seen
        if len(_equal) > _MOST:
            del _equal[next(iter(_equal))]
    others = {one.people for one in charged if one.release_id in known} - own
    if others:
        names = " and ".join(sorted(repr(name) for name in own | others))
        warn(
            f"people-renamed: the ledger has charges for the same rows under {names}. A ledger "
            "does not add charges under different names, so its total for these people is too "
            "small. Use one name for the same people"
        )
    return bool(others)
