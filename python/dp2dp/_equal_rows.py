"""Recognises the rows of a fit by their scores, so that a copy of an array, a sample of a frame, or
scores that were computed anew are noticed too.

Scores with many digits differ from person to person, so equal scores are no accident. Scores with
few digits, or from few features, are often equal by chance: how often is seen in the fit itself,
where such rows are equal to each other. Scores are compared as float32, because computing them anew
may change the last digits of a float64.

Only hashes with a secret of this process are kept, of at most about 2^14 rows per fit. Which rows
these are depends on their scores, so the same rows are chosen again."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

KEPT = 1 << 14  # the number of rows whose hashes are kept, more or less
_ROWS = 100  # with fewer rows in the fit, chance cannot be told
_LEAST = 20  # the number of equal rows from which on a caller is told
_SHARE = 0.1  # the share of the rows from which on a caller is told
_TIMES = 5  # so many times more rows than by chance
_ALL = 1 << 32

_odd = [np.uint32(secrets.randbits(32) | 1) for _ in range(2)]
_salt, _factor = np.uint64(secrets.randbits(64)), np.uint64(secrets.randbits(64) | 1)
_SHIFT = np.uint64(29)

Hashes = npt.NDArray[np.uint64]


def _chosen(scores: npt.NDArray[Any], below: int) -> npt.NDArray[np.uint32] | None:
    """Returns the bits of the rows that are chosen by their first two scores: the share ``below`` /
    2^32 of all rows. Returns None if many more rows than that are chosen, because most rows are
    equal."""
    rows: Any = slice(None)
    with np.errstate(all="ignore"):  # a float64 may be too small or too large for a float32
        if below < _ALL:
            first = [np.ascontiguousarray(scores[:, k], np.float32).view(np.uint32) for k in (0, 1)]
            mixed = first[0] * _odd[0]
            mixed += first[1] * _odd[1]
            rows = np.flatnonzero(mixed < np.uint32(below))
            if len(rows) > 4 * KEPT:
                return None
        taken = np.ascontiguousarray(scores[rows], np.float32)
    bits: npt.NDArray[np.uint32] = taken[np.isfinite(taken).all(axis=1)].view(np.uint32)
    return bits


def _hashes(bits: npt.NDArray[np.uint32]) -> Hashes:
    found = np.full(len(bits), _salt, np.uint64)
    for column in bits.T:
        found ^= column
        found *= _factor
        found ^= found >> _SHIFT
    return found


@dataclass(frozen=True, eq=False)
class Seen:
    """What is kept about the rows of a fit. ``alone`` has the hashes of chosen rows that no other
    row equals, and ``chance`` is the share of the chosen rows that another row equals. ``below``
    says which rows are chosen (see :func:`_chosen`). ``part`` is the share of the rows of the fit
    that were looked at."""

    alone: Hashes
    chance: float
    below: int
    part: float = 1.0


def look(scores: npt.NDArray[Any], *, part: float = 1.0) -> Seen | None:
    """Returns what to keep about the rows of a fit, or None if rows can be equal by chance. With
    ``part`` below 1, the rows are already a sample, chosen by their positions."""
    if scores.ndim != 2 or scores.shape[1] < 2 or len(scores) < _ROWS:
        return None
    below = _ALL if len(scores) <= KEPT else _ALL * KEPT // len(scores)
    bits = _chosen(scores, below)
    if bits is None or len(bits) < _ROWS:
        return None
    values, counts = np.unique(_hashes(bits), return_counts=True)
    alone = values[counts == 1]
    if 2 * len(alone) < len(bits):
        return None
    return Seen(alone, 1 - len(alone) / len(bits), below, part)


def share_of(seen: Seen, scores: npt.NDArray[Any]) -> float:
    """Returns which share of the rows, about, are rows of the fit by their scores. Returns 0 if
    that is so few that it may be chance."""
    if scores.ndim != 2 or scores.shape[1] < 2:
        return 0.0
    bits = _chosen(scores, seen.below)
    if bits is None or len(bits) < _LEAST:
        return 0.0
    given = np.unique(_hashes(bits))
    at = np.minimum(np.searchsorted(seen.alone, given), len(seen.alone) - 1)
    found = int(np.count_nonzero(seen.alone[at] == given))
    least = max(_SHARE * seen.part, _TIMES * seen.chance) * len(given)
    return min(1.0, found / (len(given) * seen.part)) if found >= max(_LEAST, least) else 0.0


def key_of(scores: npt.NDArray[Any]) -> tuple[int, int] | None:
    """Returns a key that is equal for the same rows in any order, or None if rows can be equal by
    chance."""
    seen = look(scores)
    return None if seen is None else (len(scores), hash(seen.alone.tobytes()))
