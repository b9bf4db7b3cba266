"""Warns of numbers that are ids of people."""

from __future__ import annotations

import re

import numpy as np

from ._typing import Floats
from ._warn import SECRET, FairnessWarning, warn

_ROWS = 1000  # with fewer rows, the whole numbers of a column may all differ by chance
_NAMED = 100  # like _ROWS, for a column whose name is that of an id, such as customer_id
_DENSE = 20  # numbers are nearly consecutive if their range is below 20 times their count
# Matches a name whose first or last word means an id: id, customer_id, customerId, account_no.
_NAMES = re.compile(r"(^|_)(id|ids|uid|uuid|guid|nr|no|number|key)$|^(id|uid|key)_", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def in_words(name: str) -> str:
    """Returns the words of a name with a low line between them: customer_Id for customerId."""
    return re.sub(r"[\W_]+", "_", _CAMEL.sub("_", name.strip()))


def _has_id_name(name: str) -> bool:
    return bool(_NAMES.search(in_words(name)))


def _are_ids(numbers: Floats, named: bool) -> bool:
    """Returns whether a column probably holds ids. The numbers must be whole and all different.
    Also, the column must have the name of an id (``named``), or the numbers must be nearly
    consecutive. Measured numbers, such as incomes, hardly ever pass this test: n random whole
    numbers from a range of 20 n all differ with probability exp(-n / 40) or less. For 1000 rows,
    this probability is below 1e-10."""
    count = len(numbers)
    if count < (_NAMED if named else _ROWS):
        return False
    first = numbers[:_NAMED]  # the first numbers usually show that a column has no ids
    if not (np.isfinite(first).all() and (first == np.floor(first)).all()):
        return False
    if len(np.unique(first)) < len(first) or not np.isfinite(numbers).all():
        return False
    if (numbers != np.floor(numbers)).any() or len(np.unique(numbers)) < count:
        return False
    return named or float(numbers.max()) - float(numbers.min()) < _DENSE * count


def are_number_ids(name: str, numbers: Floats) -> bool:
    """Returns whether the numbers of the column ``name`` are probably ids."""
    return _are_ids(numbers, _has_id_name(name))


def say_number_ids(name: str, numbers: Floats) -> None:
    """Warns of the column ``name`` if its numbers are probably ids."""
    if are_number_ids(name, numbers):
        tell_number_ids(name, len(numbers))


def tell_number_ids(name: str, rows: int) -> None:
    warn(
        f"numbers-are-ids: {name!r} has a different whole number in each of the {rows} rows. If "
        "these are ids, or positions in a table, they say nothing about other people: leave the "
        f"column out. {SECRET}",
        FairnessWarning,
    )
