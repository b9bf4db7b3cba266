"""Warns of what the released tables of a fit or a certificate show besides the words of its
``warnings``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _core
from ._warn import FairnessWarning, warn

if TYPE_CHECKING:
    from ._measures import Certificate
    from ._model import Model

_PART, _DEVIATIONS = 0.05, 5  # how many records must be left out: see say_not_covered


def constant_of(model: Model) -> str:
    """Returns a text for the end of the warning "constant-rule": the class that everybody gets.
    The text is empty if the rule is not constant."""
    constant = model.info["constant"]
    return "" if constant is None else f". Everybody gets the class {model.classes[constant]!r}"


def say_released(model: Model) -> None:
    """Warns if many records were left out of a fit, or if the counts of a source depend on the
    offsets in the wrong way. Both follow from the released tables alone, not from the rows."""
    for word in model.info["oddities"]:
        warn(f"{word}: {_core.oddities[word]}", FairnessWarning)
    kept = model.info["records_kept"]
    if kept is not None and "most-left-out" not in model.warnings:
        left = model.records - kept
        warn(
            f"records-left-out: according to the released tables, about {left} of {model.records} "
            f"records ({left / model.records:.0%}) were left out. Is every group in the list of "
            "groups, and every label in the list of classes?",
            FairnessWarning,
        )


def say_not_covered(certificate: Certificate) -> None:
    """Warns if many records were left out of a certificate, as the released table shows: at least
    the share ``_PART``, and more than ``_DEVIATIONS`` standard deviations of the noise. Follows
    cli_uncovered in cli/show/reasons.c."""
    left = certificate.records - float(certificate.table.sum())
    noise = certificate.sigma * float(np.sqrt(certificate.table.size))
    is_clear = left >= _PART * certificate.records and left > _DEVIATIONS * noise
    if is_clear and "most-left-out" not in certificate.warnings:
        warn(
            f"records-left-out: according to the released table, about {left:.0f} of "
            f"{certificate.records} records ({left / certificate.records:.0%}) were left out of "
            "the certificate, so its bound does not cover them. Is every group in the model's list "
            "of groups, and every label in its list of classes?",
            FairnessWarning,
        )
