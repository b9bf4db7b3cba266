"""Adds advice to the library's errors about codes and names of groups."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ._core import DataError, OptionError
from ._typing import Codes


def _with_advice(error: DataError | OptionError, advice: str) -> DataError | OptionError:
    """Returns the same error with more words. Its reason, row and column stay."""
    longer = type(error)(f"{error}{advice}")
    longer.__dict__.update(error.__dict__)
    return longer


def _from_1(groups: Codes, count: int) -> bool:
    known = groups[groups >= 0]
    return len(known) > 0 and bool(known.min() >= 1 or known.max() == count)


@contextmanager
def codes_explained(groups: Codes | None, count: int) -> Iterator[None]:
    """If codes of groups are refused that seem to count from 1, says that codes count from 0."""
    try:
        yield
    except DataError as error:
        if error.reason != "unknown-group" or groups is None or not _from_1(groups, count):
            raise
        codes = "0 and 1" if count == 2 else f"0 to {count - 1}"
        raise _with_advice(
            error,
            f". Codes count from 0: of {count} groups, they are {codes}. To pass names, use "
            "pandas.Categorical(values, categories=group_names).codes",
        ) from None


@contextmanager
def names_explained(names: list[str]) -> Iterator[None]:
    """If the name of a group is refused, lists the names. They are public."""
    try:
        yield
    except (DataError, OptionError) as error:
        if error.reason != "unknown-group":
            raise
        known = ", ".join(map(repr, names))
        raise _with_advice(
            error, f". Pass one of the names {known}; upper and lower case must match"
        ) from None
