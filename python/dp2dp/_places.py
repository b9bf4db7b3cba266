"""Finds out where the rows of an argument are: in which array or table, and at which positions.
This shows whether two arguments, such as two slices of an array, share rows. Stores only weak
references and positions, so it keeps no data alive."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

_COLUMNS = 100  # search at most this many columns for one that numpy reads without a copy


@dataclass(frozen=True)
class Place:
    """Rows of ``owner``: the positions ``at`` along ``axis``."""

    owner: weakref.ref[Any]
    axis: int
    at: range


_derived: dict[int, tuple[weakref.ref[Any], list[Place]]] = {}


def _array_of(rows: Any) -> npt.NDArray[Any] | None:
    """Returns an array that shows where the rows are in memory. For a frame, that is the first
    column that numpy reads without a copy."""
    if isinstance(rows, np.ndarray) or not hasattr(rows, "iloc"):
        return rows if isinstance(rows, np.ndarray) else None
    width = rows.shape[1] if rows.ndim == 2 else 1
    for j in range(min(width, _COLUMNS)):
        column = rows.iloc[:, j] if rows.ndim == 2 else rows
        if isinstance(column.dtype, np.dtype):
            found = np.asarray(column)
            return None if found.base is None else found  # an array without a base is a copy
    return None


def _rows_of_view(view: npt.NDArray[Any], owner: npt.NDArray[Any]) -> tuple[int, range] | None:
    """Returns the axis of ``owner`` along which the rows of ``view`` lie, and their positions."""
    count, step = view.shape[0], view.strides[0]
    offset = view.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    if count < 2 or step == 0:
        return None
    for axis in sorted(range(owner.ndim), key=lambda axis: -owner.strides[axis]):
        stride = owner.strides[axis]
        if stride <= 0:
            return None
        start, offset = divmod(offset, stride)
        if step % stride == 0:
            each = step // stride
            last = start + each * (count - 1)
            if 0 <= min(start, last) and max(start, last) < owner.shape[axis]:
                return axis, range(min(start, last), max(start, last) + 1, abs(each))
    return None


def _place_of(rows: Any) -> tuple[Any, Place] | None:
    """Returns the object that owns the rows, and their place in it. Returns None for rows that
    cannot be recognised, such as a list."""
    array = _array_of(rows)
    if array is None:
        if isinstance(rows, (str, bytes)) or not hasattr(rows, "shape"):
            return None
        return rows, Place(weakref.ref(rows), 0, range(rows.shape[0]))
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    if array.ndim == 0 or (found := _rows_of_view(array, owner)) is None:
        return None
    return owner, Place(weakref.ref(owner), *found)


def places_of(rows: Any) -> list[Place]:
    """Returns the place of the rows. If :func:`derive` noted that the rows were computed from other
    rows, also returns the places of the other rows."""
    try:
        found = _place_of(rows)
    except Exception:  # an unknown kind of array may raise anything; at worst, a warning is missed
        return []
    if found is None:
        return []
    owner, place = found
    known = _derived.get(id(owner))
    if known is None or known[0]() is not owner or place.axis != 0:
        return [place]
    at = place.at
    further = [Place(one.owner, one.axis, one.at[at.start : at.stop : at.step]) for one in known[1]]
    return [place, *further]


def derive(made: Any, rows: Any) -> None:
    """Notes that each row of the new array ``made`` was computed from the same row of ``rows``."""
    known = [place for place in places_of(rows) if len(place.at) == len(made)]
    if not known:
        return
    key = id(made)

    def forget(_: object, derived: dict[int, Any] = _derived) -> None:
        derived.pop(key, None)

    _derived[key] = weakref.ref(made, forget), known


def _shared(one: Place, other: Place) -> int:
    owner = one.owner()
    if owner is None or owner is not other.owner() or one.axis != other.axis:
        return 0
    few, many = sorted((one.at, other.at), key=len)
    at = np.arange(few.start, few.stop, few.step)
    inside = (at >= many.start) & (at < many.stop) & ((at - many.start) % many.step == 0)
    return int(np.count_nonzero(inside))


def count_shared(some: list[Place], others: list[Place]) -> int:
    """Returns how many rows two arguments share. Arguments have several places if their rows were
    computed from other rows; the two places that share most rows decide."""
    return max((_shared(one, other) for one in some for other in others), default=0)
