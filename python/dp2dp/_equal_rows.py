"""Recognises the rows of a fit by their values, or by their scores, so that a copy of an array, a
sample of a frame, or scores that were computed anew are noticed too.

Values with many digits differ from person to person, so equal rows are no accident. Rows of few
digits, of few columns, or with the scores of a random forest, are often equal by chance. How often
is seen in rows that are equal to each other: let A be the number of values that occur once in the
fit and once in the other rows, B the number of those that occur twice in the fit and never in the
other rows, and C the number of those that occur twice in the other rows and never in the fit. If
the people are others, and a value occurs s times on average in the fit and t times in the other
rows, the counts are nearly those of Poisson, and the means are
    A: Σ s t w,  B: Σ s² w / 2,  C: Σ t² w / 2,  with w = exp(-s - t).
So mean(A)² ≤ 4 mean(B) mean(C), even if the other people are of another kind (Cauchy and Schwarz).
The same people add to A alone.

Scores are compared as float32, because computing them anew may change the last digits of a float64.

Only hashes with a secret of this process are kept, of at most about 2^14 rows per fit. Which rows
these are depends on their values, so the same rows are chosen again."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ._row_hashes import Hashes, mixed

KEPT = 1 << 14  # the number of rows whose hashes are kept, more or less
_ROWS = 100  # fewer rows of the fit do not show how often rows are equal by chance
LEAST = 20  # with fewer equal rows, a caller is told nothing
_SHARE = 0.1  # with a smaller share of equal rows, a caller is told nothing
# Equal rows tell something if they are _TIMES as frequent as equal rows inside the fit, or if _FAR
# times as many values occur once on both sides as can by chance (_by_chance).
_TIMES = 5
_FAR = 3
_SINGLE = 0.1  # the share of the rows of the fit that must be equal to no other
_ALL = 1 << 32

_odd = [np.uint32(secrets.randbits(32) | 1) for _ in range(2)]
_salt, _factor = np.uint64(secrets.randbits(64)), np.uint64(secrets.randbits(64) | 1)
_SHIFT, _HALF = np.uint64(29), np.uint64(32)


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows that can be compared. ``kind`` says what is compared. ``choose(below)`` chooses about
    the share ``below`` / 2^32 of all rows by their values, and returns the hashes of the chosen
    rows. It returns None if many more rows than that are chosen, because most rows are equal."""

    kind: str
    count: int
    choose: Callable[[int], Hashes | None]


def _chosen(scores: npt.NDArray[Any], below: int) -> npt.NDArray[np.uint32] | None:
    """Returns the bits of the rows that are chosen by their first two scores, as :class:`Rows`
    says."""
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


def _of_scores(scores: npt.NDArray[Any], below: int) -> Hashes | None:
    bits = _chosen(scores, below)
    return None if bits is None else _hashes(bits)


def by_scores(scores: npt.NDArray[Any] | None) -> list[Rows]:
    """Returns a list with one ``Rows``, which knows each row by its scores. The list is empty if
    ``scores`` is not a table of two columns or more."""
    if scores is None or scores.ndim != 2 or scores.shape[1] < 2:
        return []
    return [Rows("scores", len(scores), cache(partial(_of_scores, scores)))]


def _of_values(hashes: Hashes, below: int) -> Hashes | None:
    chosen = hashes if below >= _ALL else hashes[(hashes >> _HALF) < np.uint64(below)]
    return None if len(chosen) > 4 * KEPT and below < _ALL else chosen


def by_values(columns: Mapping[str, Hashes]) -> list[Rows]:
    """Returns the rows with these ``columns``, which are those of
    :func:`dp2dp._row_hashes.bits_in`."""
    if not columns:
        return []
    each = (mixed(bits, hash((j, int(_salt)))) for j, bits in enumerate(columns.values()))
    hashes = next(each)
    for one in each:
        hashes += one
    return [Rows("values", len(hashes), cache(partial(_of_values, hashes)))]


@dataclass(frozen=True, eq=False)
class Seen:
    """What is kept about the rows of a fit. ``alone`` has the hashes of chosen rows that no other
    row equals, ``twice`` those that occur twice, and ``often`` those that occur more often.
    ``chance`` is the share of the chosen rows that another row equals. ``below`` says which rows
    are chosen (see :class:`Rows`). ``part`` is the share of the rows of the fit that were looked
    at."""

    kind: str
    alone: Hashes
    twice: Hashes
    often: Hashes
    chance: float
    below: int
    part: float = 1.0


def look(rows: Rows, *, part: float = 1.0, kept: int = KEPT) -> Seen | None:
    """Returns what to keep about the rows of a fit, or None if rows can be equal by chance. With
    ``part`` below 1, the rows are already a sample, chosen by their positions. About ``kept`` rows
    are kept."""
    if rows.count < _ROWS:
        return None
    below = _ALL if rows.count <= kept else _ALL * kept // rows.count
    chosen = rows.choose(below)
    if chosen is None or len(chosen) < _ROWS:
        return None
    values, counts = np.unique(chosen, return_counts=True)
    alone = values[counts == 1]
    if len(alone) < max(LEAST, _SINGLE * len(chosen)):
        return None
    chance = 1 - len(alone) / len(chosen)
    return Seen(rows.kind, alone, values[counts == 2], values[counts > 2], chance, below, part)


def _inside(values: Hashes, known: Hashes) -> npt.NDArray[np.bool_]:
    """Returns which ``values`` are in the sorted array ``known``."""
    if not len(known):
        return np.zeros(len(values), bool)
    at = np.minimum(np.searchsorted(known, values), len(known) - 1)
    found: npt.NDArray[np.bool_] = known[at] == values
    return found


def _by_chance(fit: int, others: int) -> float:
    """Returns a bound on how many values occur, by chance, once in the fit and once in the other
    rows. ``fit`` is the number of values that occur twice in the fit and never in the other rows,
    and ``others`` the number of those that occur twice in the other rows and never in the fit. Each
    of these two numbers may be three standard deviations below its mean."""
    most = [count + 3 * np.sqrt(count + 1) for count in (fit, others)]
    return float(2 * np.sqrt(most[0] * most[1]))


def share_of(seen: Seen, rows: Rows) -> float:
    """Returns about which share of the rows are rows of the fit. Returns 0 if so few are equal that
    this may be chance, or if the rows are of another kind."""
    chosen = rows.choose(seen.below) if rows.kind == seen.kind else None
    if chosen is None or len(chosen) < LEAST:
        return 0.0
    given, counts = np.unique(chosen, return_counts=True)
    alone = _inside(given, seen.alone)
    single, double = given[alone & (counts == 1)], given[counts == 2]
    in_fit = len(seen.twice) - int(_inside(given, seen.twice).sum())
    known = [seen.alone, seen.twice, seen.often]
    in_others = len(double) - sum(int(_inside(double, one).sum()) for one in known)
    found = int(np.count_nonzero(alone))
    is_far = len(single) >= _FAR * _by_chance(in_fit, in_others)
    if found < LEAST or not (is_far or found >= _TIMES * seen.chance * len(given)):
        return 0.0
    different = len(seen.alone) + len(seen.twice) + len(seen.often)
    by_chance = min(found, 2 * np.sqrt(float(in_fit * in_others)))
    share = (found - by_chance) / len(given) * different / len(seen.alone)
    return min(1.0, share / seen.part) if share >= _SHARE * seen.part else 0.0


def key_of(rows: Rows) -> tuple[int, int] | None:
    """Returns a key that is equal for the same rows in any order, or None if rows can be equal by
    chance."""
    seen = look(rows)
    return None if seen is None else (rows.count, hash(seen.alone.tobytes()))
