"""Compares the indexes of pandas objects whose rows belong together."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from ._core import DataError
from ._warn import FairnessWarning, warn


def _index_of(values: Any) -> Any:
    """Returns the index of a Series or DataFrame, and None for anything else. A list has an
    attribute ``index`` too, which is a method; so ``iloc`` is tested."""
    return values.index if hasattr(values, "iloc") else None


def _refuse_reordered(first: Any, first_name: str, second: Any, name: str) -> None:
    one, other = _index_of(first), _index_of(second)
    if one is None or other is None or one is other or len(one) != len(other) or one.equals(other):
        return
    if one.is_unique and other.isin(one).all() and one.isin(other).all():
        raise DataError(
            f"{first_name} and {name} have the same index in another order: pass "
            f"{name}.loc[{first_name}.index] to match the rows by index, or {name}.to_numpy() if "
            "the rows match by position"
        )


def refuse_reordered(**given: Any) -> None:
    """Refuses two of the given pandas objects if they have the same index in different orders."""
    for (first_name, first), (name, second) in combinations(given.items(), 2):
        _refuse_reordered(first, first_name, second, name)


def check_all(first: Any, first_name: str, **others: Any) -> None:
    """Compares the indexes of pandas objects with each other, as :func:`check_index` compares
    two."""
    given = {first_name: first, **others}
    with_index = {name: one for name, one in given.items() if _index_of(one) is not None}
    if len(with_index) < 2:
        return
    refuse_reordered(**with_index)
    (name, one), *rest = with_index.items()
    for other_name, other in rest:
        check_index(one, name, other, other_name)


def check_beside(X: Any, **others: Any) -> None:
    """Refuses two pandas objects, among X and the ``others``, that have the same index in different
    orders. If X has no index, also warns if the indexes of the others differ. If X has an index,
    the callers compare each of the others with X."""
    refuse_reordered(X=X, **others)
    if _index_of(X) is None:
        known = [(name, one) for name, one in others.items() if _index_of(one) is not None]
        for name, one in known[1:]:
            check_index(known[0][1], known[0][0], one, name)


def check_index(first: Any, first_name: str, second: Any, name: str) -> None:
    """Compares the indexes of two pandas objects, whose rows are matched by position, as in
    scikit-learn. Refuses objects with the same index in different orders: only one of them was
    shuffled or sorted. Only warns of any other difference, since one of them may just have a new
    index."""
    one, other = _index_of(first), _index_of(second)
    if one is None or other is None or one is other or len(one) != len(other) or one.equals(other):
        return
    _refuse_reordered(first, first_name, second, name)
    warn(
        f"index-differs: {first_name} and {name} have different indexes, so their rows were "
        f"matched by position. If that is right, pass {name}.to_numpy(); otherwise pass "
        f"{name}.loc[{first_name}.index]",
        FairnessWarning,
    )
