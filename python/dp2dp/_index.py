"""Compares the indexes of pandas objects whose rows belong together."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from ._core import DataError
from ._warn import SECRET, FairnessWarning, warn

_MANY = 20  # least number of repeated index labels for a warning; fewer may be an accident
_VALUES = 100  # least number of different values of a column that can tell people apart
_SAME = 1000  # if more rows have a repeated label, only this many of them are compared


class Indexed:
    """Stands for an array of decisions, whose rows are those of a pandas object X with this
    ``index``."""

    iloc = None

    def __init__(self, index: Any) -> None:
        self.index = index

    def __len__(self) -> int:
        return len(self.index)


def _words_for(values: Any, name: str) -> tuple[str, str]:
    """Returns words for an argument, and the expression that gives its index."""
    if isinstance(values, Indexed):
        return f"the X that {name} was predicted from", "X.index"
    return name, f"{name}.index"


def index_of(values: Any) -> Any:
    """Returns the index of a Series or DataFrame, and None for anything else. Tests for ``iloc``
    and not for ``index``, because lists have a method ``index``."""
    return values.index if hasattr(values, "iloc") else None


def _refuse_reordered(first: Any, first_name: str, second: Any, name: str) -> None:
    one, other = index_of(first), index_of(second)
    if one is None or other is None or one is other or len(one) != len(other) or one.equals(other):
        return
    if one.is_unique and other.isin(one).all() and one.isin(other).all():
        words, index = _words_for(first, first_name)
        raise DataError(
            f"{words} and {name} have the same index in another order: pass "
            f"{name}.loc[{index}] to match the rows by index, or {name}.to_numpy() if "
            "the rows match by position"
        )


def refuse_reordered(**given: Any) -> None:
    """Refuses two of the given pandas objects if they have the same index in different orders."""
    for (first_name, first), (name, second) in combinations(given.items(), 2):
        _refuse_reordered(first, first_name, second, name)


def check_all(first: Any, first_name: str, **others: Any) -> None:
    """Does for several pandas objects what :func:`check_index` does for two."""
    given = {first_name: first, **others}
    with_index = {name: one for name, one in given.items() if index_of(one) is not None}
    if len(with_index) < 2:
        return
    refuse_reordered(**with_index)
    (name, one), *rest = with_index.items()
    for other_name, other in rest:
        check_index(one, name, other, other_name)


def check_beside(X: Any, **others: Any) -> None:
    """Raises an error if two of the pandas objects X and ``others`` have the same index in
    different orders. If X has no index, warns if the indexes of the ``others`` differ. If X has an
    index, the callers compare X with each of the ``others`` themselves."""
    refuse_reordered(X=X, **others)
    if index_of(X) is None:
        known = [(name, one) for name, one in others.items() if index_of(one) is not None]
        for name, one in known[1:]:
            check_index(known[0][1], known[0][0], one, name)


def check_index(first: Any, first_name: str, second: Any, name: str) -> None:
    """Compares the indexes of two pandas objects, whose rows are matched by position, as in
    scikit-learn. Refuses the same index in different orders, because one object was then shuffled
    or sorted without the other. Only warns of any other difference, because one object may just
    have a new index."""
    one, other = index_of(first), index_of(second)
    if one is None or other is None or one is other or len(one) != len(other) or one.equals(other):
        return
    _refuse_reordered(first, first_name, second, name)
    words, index = _words_for(first, first_name)
    warn(
        f"index-differs: {words} and {name} have different indexes, so their rows were "
        f"matched by position. If that is right, pass {name}.to_numpy(); otherwise pass "
        f"{name}.loc[{index}]",
        FairnessWarning,
    )


def _are_copies(X: Any, later: Any, first: Any) -> bool:
    """Returns whether nearly all rows of X at the positions ``later`` equal the rows at
    ``first``."""
    if len(later) > _SAME:
        at = np.linspace(0, len(later) - 1, _SAME).astype(np.intp)
        later, first = later[at], first[at]
    one, other = (X.iloc[rows].reset_index(drop=True) for rows in (later, first))
    try:
        same = (one == other) | (one.isna() & other.isna())
    except (TypeError, ValueError):  # values that cannot be compared
        return False
    return bool((same.all(axis=1) if same.ndim == 2 else same).mean() >= 0.9)


def _share_equal(one: Any, other: Any) -> float:
    """Returns the share of the positions at which two Series have the same value. Positions at
    which both values are missing do not count."""
    one, other = one.reset_index(drop=True), other.reset_index(drop=True)
    counted = ~(one.isna() & other.isna())
    if counted.sum() < _MANY:
        return 0.0
    return float(np.asarray((one == other)[counted], dtype=float).mean())


def _columns_in_common(X: Any, later: Any, first: Any) -> list[str]:
    """Returns the names of the columns in which the rows of X at the positions ``later`` and
    ``first`` agree far more often than by chance. Returns an empty list unless there are at least
    two such columns, they are at least half of the columns that are not constant, and one of them
    has many different values, each of them rare. Agreement by chance is how often the rows at
    ``later`` agree with other rows. Among these are the neighbours of the rows at ``first``, which
    agree often in a sorted table."""
    if getattr(X, "ndim", 0) != 2:
        return []
    people = np.unique(first)
    place = np.searchsorted(people, first)
    at = np.linspace(0, len(later) - 1, min(len(later), _SAME)).astype(np.intp)
    shifts = (0, 1, -1, len(people) // 3, 2 * len(people) // 3)
    others = [people[(place[at] + shift) % len(people)] for shift in shifts]
    counted, found, has_many = 0, [], False
    for j, name in enumerate(X.columns):
        column = X.iloc[:, j]
        rows = column.iloc[later[at]]
        try:
            same, *chance = (_share_equal(rows, column.iloc[other]) for other in others)
            values = rows.nunique()
        except (TypeError, ValueError):  # values that cannot be compared
            continue
        by_chance = max(chance)
        counted += values > 1 and by_chance < 0.95
        if by_chance < 0.95 and same >= (1 + by_chance) / 2:
            found.append(str(name))
            has_many = has_many or (values >= _VALUES and by_chance <= 0.05)
    return found if has_many and len(found) >= 2 and 2 * len(found) >= counted else []


def _say_common(X: Any, later: Any, first: Any) -> bool:
    """Warns if rows with the same index label seem to be rows of one person. Returns whether it
    warned."""
    if not (found := _columns_in_common(X, later, first)):
        return False
    names = ", ".join(map(repr, found[:3])) + (", ..." if len(found) > 3 else "")
    warn(
        f"rows-repeated: {len(later)} of {len(X)} rows have the index label of an earlier row, and "
        f"most of them agree with it in {names}. Do people have several rows? The privacy "
        "guarantee assumes that each person has one row: set rows_per_person to the largest number "
        f"of rows of a person. {SECRET}"
    )
    return True


def say_repeated(X: Any) -> bool:
    """Warns if many rows of a frame have the index label of an earlier row, in three cases. In the
    first case, the rows are copies of the earlier rows, as after oversampling. In the second case,
    the labels may be ids of people, because a label has at most ten rows on average. Labels may be
    ids only if they are texts or if the index has a name. Numbers in an index without a name may
    just start again at 0, as after pandas.concat. In the third case, rows with the same label agree
    in many columns, as if the files that were concatenated had the same people in the same order.
    Returns whether it warned."""
    index = index_of(X)
    if index is None or index.is_unique:
        return False
    later = np.flatnonzero(index.duplicated())
    if len(later) < _MANY or 10 * len(later) < len(index):
        return False
    codes, labels = index.factorize()
    at = np.unique(codes, return_index=True)
    first = at[1][np.searchsorted(at[0], codes[later])]
    is_date = str(index.dtype).startswith(("date", "period", "time"))
    texts = index.name is not None or not str(index.dtype).startswith(("int", "uint", "float"))
    are_few = not is_date and 10 * len(labels) >= len(index)
    are_ids = texts and are_few
    copies = _are_copies(X, later, first)
    if copies or are_ids:
        same = ", and nearly all of these rows repeat its values, too" if copies else ""
        warn(
            f"rows-repeated: {len(later)} of {len(index)} rows have the index label of an earlier "
            f"row{same}. The privacy guarantee assumes that each person has one row. If rows with "
            "the same label belong to one person, set rows_per_person to the largest number of "
            "rows of a person. If rows were repeated to make a class more frequent, fit to the "
            f"original rows. {SECRET}"
        )
    return copies or are_ids or (are_few and _say_common(X, later, first))
