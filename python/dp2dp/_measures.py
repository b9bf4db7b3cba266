"""Measures a rule: a plain evaluation, and a private certificate."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arrays, _core, _files
from ._core import OptionError
from ._model import Model, check_bad_rows
from ._typing import Array, Float64s, Path
from ._warn import warn, warn_of, warn_unless_private
from .accounting import Ledger


@dataclass
class Evaluation:
    """The result of :func:`evaluate`. Tables are group by class; an interval is (low, high); None
    is a value that is not defined. :mod:`dp2dp.metrics` sets ``classes`` and ``groups``."""

    records: int
    confidence: float
    counts: npt.NDArray[np.int64]
    rates: Float64s
    rate_intervals: Float64s
    unfairness: float | None
    unfairness_interval: tuple[float | None, float | None]
    accuracy: float | None
    error: float | None
    accuracy_interval: tuple[float | None, float | None]
    balanced_accuracy: float | None
    classes: npt.NDArray[Any] | None = None
    groups: npt.NDArray[Any] | None = None


def evaluate(
    predictions: Array,
    groups: Array,
    labels: Array | None = None,
    *,
    n_groups: int,
    n_classes: int,
    **options: Any,
) -> Evaluation:
    """Rates, unfairness and accuracy of decisions. NOT private: for data that you may look at.

    Predictions, groups and labels are codes. Options: ``confidence`` (0.95), ``bootstrap_draws``
    (2000; 0: no interval of the unfairness), ``insecure_seed`` of the bootstrap.

    >>> evaluate([0, 1, 1, 1], [0, 0, 1, 1], n_groups=2, n_classes=2).unfairness
    0.5
    """
    options.update(n_groups=n_groups, n_classes=n_classes)
    found = _core.evaluate(
        _arrays.codes(predictions, "predictions"),
        _arrays.codes(groups),
        labels if labels is None else _arrays.codes(labels, "labels"),
        options,
    )
    shape = (n_groups, n_classes)
    found["counts"] = np.ndarray(shape, np.int64, found["counts"])
    found["rates"] = np.ndarray(shape, np.float64, found["rates"])
    found["rate_intervals"] = np.ndarray((*shape, 2), np.float64, found["rate_intervals"])
    return Evaluation(**found)


@dataclass(frozen=True)
class Certificate:
    """The result of :func:`certify`: the unfairness is at most ``unfairness_upper`` with this
    confidence. ``unfairness_upper_strict`` holds for any sample size. Both are None if ``held_out``
    is False. ``table`` holds the released noisy counts, groups by classes. ``warnings`` lists what
    needs care, as words, such as 'delta-large'. :meth:`save` writes the file that ``dp2dp certify
    --out`` writes, and :func:`verify` checks it."""

    unfairness_upper: float | None
    unfairness_upper_strict: float | None
    confidence: float
    sigma: float
    group_too_small: bool
    private: bool
    held_out: bool
    release_id: str
    warnings: list[str]
    records: int
    text: str = field(repr=False)
    table: Float64s

    @property
    def checksum(self) -> str:
        """The checksum in the certificate's file."""
        found: str = json.loads(self.text)["checksum"]
        return found

    def to_json(self) -> str:
        """The text of the certificate's file."""
        return self.text

    def save(self, path: Path) -> None:
        """Writes the certificate's file, all at once. It cites the model's checksum, so save the
        model as it is. ``ledger.publish(certificate.release_id, certificate.checksum)`` notes in
        the ledger which file the release went into."""
        _files.write_at_once(path, self.text)


def certify(
    model: Model,
    scores: Array,
    groups: Array,
    *,
    labels: Array | None = None,
    weights: Array | None = None,
    epsilon: float,
    delta: float,
    ledger: Ledger | None = None,
    **options: Any,
) -> Certificate:
    """A private upper bound on the unfairness of a model, from people it was not learned from.

    The unfairness is that of the model's criterion: ``labels`` are needed if it has labels,
    ``weights`` if its rule does not see the group, ``ids`` if its dither has the key id. ``groups``
    are always needed.

    ``ledger`` is the ledger of these people; None: a new one. ``people`` names them, as for
    :func:`fit`, and ``note`` describes the entry. ``same_people=True`` says that some of them were
    used to make the model: the release is charged, and with it what the model cost them unless
    ``ledger`` holds it already, but no bound follows. Options: ``confidence`` (0.95),
    ``rows_per_person`` (that of the model), ``insecure_seed``, ``bad_rows`` and ``leaves_out`` as
    for :func:`fit`.

    >>> import dp2dp
    >>> scores, groups = [[0.9, 0.1], [0.2, 0.8]] * 2000, [0, 0, 1, 1] * 1000
    >>> model = dp2dp.fit(scores, groups, n_groups=2, solver="exact")
    >>> certify(model, scores, groups, epsilon=1, delta=1e-5).unfairness_upper < 0.1
    True
    """
    if ledger is None and options.get("note") is None:
        ledger = Ledger()
    options.update(epsilon=epsilon, delta=delta, ledger=ledger)
    if labels is None and model.info["labels"] > 1:
        raise OptionError(
            f"the model's criterion {model.criterion} compares people with the same label: pass "
            "labels"
        )
    if labels is not None and model.info["labels"] <= 1:
        raise OptionError("labels were given, but the model's criterion compares people without")
    if (weights is not None) != (model.rule == "weighted"):
        raise OptionError(
            "weights must be given if, and only if, the model's rule does not see the group"
        )
    options.update(labels=labels, weights=weights)
    table = np.full(model.offsets.shape, np.nan)
    ignore = check_bad_rows(options.get("bad_rows", "refuse"))
    people = _arrays.people(scores, groups, options, ignore=ignore)
    found = model._certify(*people, table, options)
    if found["group_too_small"]:
        warn("group-too-small: the noise hides a group, so the bound on the unfairness is 1")
    warn_unless_private([] if found["private"] else ["insecure-noise"])
    warn_of(word for word in found["warnings"] if word != "group-too-small")
    return Certificate(**found, table=table)
