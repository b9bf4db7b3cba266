"""Adds advice to the library's errors about codes and names of groups."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import numpy as np

from ._core import DataError, OptionError
from ._typing import Codes, Float64s, Floats

_FIRST = 1000


def _with_advice(error: DataError | OptionError, advice: str) -> DataError | OptionError:
    """Returns a copy of the error with ``advice`` at the end of its message."""
    longer = type(error)(f"{error}{advice}")
    longer.__dict__.update(error.__dict__)
    return longer


def _from_1(groups: Codes, count: int) -> bool:
    known = groups[groups >= 0]
    return len(known) > 0 and bool(known.min() >= 1 or known.max() == count)


@contextmanager
def _explained(codes: Codes | None, count: int, reason: str, many: str) -> Iterator[None]:
    """If the library raises an error with this ``reason``, and the codes seem to count from 1, adds
    to the error that codes count from 0. ``many`` says what the codes stand for: "groups" or
    "classes"."""
    try:
        yield
    except DataError as error:
        if error.reason != reason or codes is None or not _from_1(codes, count):
            raise
        right = "0 and 1" if count == 2 else f"0 to {count - 1}"
        names = {"groups": "group_names", "classes": "class_names"}[many]
        raise _with_advice(
            error,
            f". Codes count from 0: the codes of {count} {many} are {right}. If you have names "
            f"instead of codes, pass pandas.Categorical(values, categories={names}).codes",
        ) from None


def codes_explained(groups: Codes | None, count: int) -> AbstractContextManager[None]:
    """A context manager. If its body raises an error about group codes, explains the error."""
    return _explained(groups, count, "unknown-group", "groups")


def labels_explained(labels: Codes | None, count: int) -> AbstractContextManager[None]:
    """A context manager. If its body raises an error about label codes, explains the error."""
    return _explained(labels, count, "unknown-label", "classes")


def are_percentages(scores: Floats) -> bool:
    """Returns whether the scores of most rows sum to about 100. Looks at the first rows only."""
    sums = scores[:_FIRST].sum(axis=-1, dtype=np.float64)
    return 2 * int(np.count_nonzero(np.abs(sums - 100) <= 5)) > len(sums)


def _are_left_out(scores: Floats, codes: Codes | None) -> bool:
    """Returns whether some codes are -1, and only rows with such codes have no scores."""
    if codes is None or len(codes) != len(scores):
        return False
    marked = np.flatnonzero(codes == -1)
    return len(marked) > 0 and bool(np.isnan(scores[marked]).all())


@contextmanager
def left_out_explained(scores: Floats, codes: Codes | None, given: object) -> Iterator[None]:
    """If the library refuses records that :func:`dp2dp.core.score` has left out, names the option
    that counts them. ``given`` is the value of that option."""
    try:
        yield
    except DataError as error:
        refused = error.reason in ("unknown-group", "unknown-label", "score-range")
        if given or not refused or not _are_left_out(scores, codes):
            raise
        raise _with_advice(
            error,
            ". core.score marks records that are left out by the group -1 and the score NaN: if it "
            "made these, pass leaves_out=True",
        ) from None


def _are_adjusted(scores: Floats, codes: Codes, offsets: Float64s, dither: float) -> bool:
    """Returns whether the scores of the first rows are probabilities once the offsets of the rule
    are added again."""
    first, groups = scores[:_FIRST], codes[:_FIRST]
    if offsets.ndim != 2 or len(groups) != len(first) or first.shape[1] != offsets.shape[1]:
        return False
    if groups.min(initial=0) < 0 or groups.max(initial=0) >= len(offsets):
        return False
    before = first + offsets[groups]
    near = 1e-3 + dither
    sums = np.abs(before.sum(axis=1) - 1) <= near * first.shape[1]
    return bool(sums.all() and before.min(initial=0) >= -near and before.max(initial=0) <= 1 + near)


@contextmanager
def adjusted_explained(
    scores: Floats, codes: Codes | None, offsets: Float64s, dither: float
) -> Iterator[None]:
    """If the library refuses scores, and they are those that Model.adjust returns, says so. Removes
    the advice to fit with another option, because the rule is fitted already."""
    try:
        yield
    except DataError as error:
        if error.reason not in ("score-range", "row-sum"):
            raise
        text = str(error).partition(". To divide each row by its sum")[0]
        text = text.partition("; rounded or unscaled scores can be normalized")[0]
        if codes is not None and _are_adjusted(scores, codes, offsets, dither):
            text += (
                ". These look like adjusted scores (Model.adjust): pass the scores of the "
                "classifier"
            )
        plain = DataError(text)
        plain.__dict__.update(error.__dict__)
        raise plain from None


@contextmanager
def sums_explained(scores: Floats) -> Iterator[None]:
    """If the library refuses scores that seem to be percentages, adds advice to the error."""
    try:
        yield
    except DataError as error:
        if error.reason != "row-sum" or not are_percentages(scores):
            raise
        raise _with_advice(
            error, ". The scores of most rows sum to about 100: divide percentages by 100 first"
        ) from None


@contextmanager
def names_explained(names: list[str]) -> Iterator[None]:
    """If the library refuses the name of a group, adds the list of valid names to the error. The
    names are public."""
    try:
        yield
    except (DataError, OptionError) as error:
        if error.reason != "unknown-group":
            raise
        known = ", ".join(map(repr, names))
        raise _with_advice(
            error, f". Pass one of the names {known}; upper and lower case must match"
        ) from None
