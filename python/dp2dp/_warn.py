"""Warnings about privacy and fairness, and privacy numbers as text."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import ROUND_CEILING, Context, Decimal

import numpy as np

from . import _core


class PrivacyWarning(UserWarning):
    """A fit, a training or a ledger is valid, but its privacy parameters need care. The text starts
    with the name of the warning, such as "delta-large"; ``model.warnings`` has the same names."""


class PrivacyLeakWarning(PrivacyWarning):
    """Something was taken from the data without privacy, such as a list of groups or bounds that
    should be public. The model is not private."""


class FairnessWarning(UserWarning):
    """A rule is valid, but may be less fair, or less useful, than it seems. The text starts with
    the name of the warning, such as "out-of-reach"; ``model.warnings`` has the same names."""


# Added at the end of each warning that depends on the rows.
SECRET = "This warning comes from the data without noise: do not publish the warning"
_OF_FAIRNESS = {
    "constant-rule",
    "gap-within-noise",
    "group-weights",
    "most-left-out",
    "needs-dither",
    "no-strict-bound",
    "out-of-reach",
    "rates-differ",
    "rates-noisy",
}


_held: ContextVar[list[tuple[str, type[UserWarning]]] | None] = ContextVar("held", default=None)


@contextmanager
def held() -> Iterator[None]:
    """Delays the warnings of the with block until the end of the block. If the block raises an
    exception, drops the warnings. If the user turns warnings into exceptions, the delay ensures
    that none of them stops the block after a charge."""
    if _held.get() is not None:
        yield
        return
    texts: list[tuple[str, type[UserWarning]]] = []
    token = _held.set(texts)
    try:
        yield
    finally:
        _held.reset(token)
    for text, category in texts:
        warn(text, category)


def keep(warning: Warning, **results: object) -> None:
    """Adds the ``results`` of a release that was charged to a warning that was raised as an
    exception."""
    for name, result in results.items():
        if not hasattr(warning, name):
            setattr(warning, name, result)
            warning.add_note(
                f"The release was charged. Its result is the attribute {name} of this exception"
            )


@contextmanager
def keeping(**results: object) -> Iterator[None]:
    """Use this after a charge, for a block that serves only warnings. The release was charged, so
    its results must not be lost. If a warning of this package is raised as an exception inside the
    with block, adds the ``results`` of the release to the exception as attributes. Drops every
    other exception: the block ends there, and at worst a warning is missed."""
    try:
        with np.errstate(all="ignore"):
            yield
    except (PrivacyWarning, FairnessWarning) as warning:
        keep(warning, **results)
        raise
    except Exception:  # numpy may raise anything if the user asks it to, or if memory is short
        pass


def warn(text: str, category: type[UserWarning] = PrivacyWarning) -> None:
    """Warns. The warning shows the line of the nearest caller outside this package."""
    if (texts := _held.get()) is not None:
        texts.append((text, category))
        return
    level, inside = 1, (__package__, contextmanager.__module__)
    while _package_of(level + 1) in inside:
        level += 1
    warnings.warn(text, category, stacklevel=level + 1)


def _package_of(level: int) -> str:
    """Returns the package of the caller ``level`` frames up, or the module if it has no package."""
    names = sys._getframe(level).f_globals
    return str(names.get("__package__") or names.get("__name__"))


def warn_of(words: Iterable[str], smallest: str = "", constant: str = "") -> None:
    """Gives the warnings whose names are ``words``. ``smallest`` is a text that names the smallest
    group; it is added to warnings about small groups. ``constant`` is a text that names the class
    that everybody gets; it is added to the warning about a constant rule."""
    for word in words:
        category = FairnessWarning if word in _OF_FAIRNESS else PrivacyWarning
        more = smallest if word in ("group-too-small", "rates-noisy") else ""
        more = constant if word == "constant-rule" else more
        warn(f"{word}: {_core.warnings[word]}{more}", category)


def warn_unless_private(reasons: Iterable[str]) -> None:
    """If there are ``reasons``, warns that the model is not private. A single warning explains all
    reasons."""
    if meanings := [_core.not_private_because[reason] for reason in reasons]:
        warn(f"not-private: {'; '.join(meanings)}")


def up(value: float, digits: int = 5) -> str:
    """Returns a privacy number as text, rounded up to this many significant digits."""
    rounded = Context(prec=digits, rounding=ROUND_CEILING).create_decimal(repr(float(value)))
    plain = rounded.normalize()
    return (
        f"{plain:f}" if Decimal("1e-4") <= plain < Decimal("1e6") else f"{float(plain):.{digits}g}"
    )
