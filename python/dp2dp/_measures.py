"""Measures a rule: an evaluation without privacy, and a private certificate."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _arrays, _core, _evaluation, _files
from ._advice import (
    adjusted_explained,
    codes_explained,
    labels_explained,
    left_out_explained,
    sums_explained,
)
from ._by_name import scores_by_name, weights_by_name
from ._core import OptionError
from ._criterion import flags_of, statistics_of
from ._decided import indexed, say_exchanged
from ._index import check_all
from ._model import Model, check_bad_rows
from ._model_words import smallest_of
from ._odd_decisions import say_worse
from ._odd_labels import say_odd_labels
from ._odd_scores import say_all_right, say_decisions, say_odd_scores, say_ruled
from ._odd_weights import Weighed
from ._options import need_model, refuse_foreign
from ._released import say_not_covered
from ._rows_of_fit import rows_given, say_certified
from ._same_rows import count_certificate
from ._typing import Array, Codes, Float64s, Floats, Path, Statistic
from ._warn import FairnessWarning, held, keeping, warn, warn_of, warn_unless_private
from .accounting import Ledger

# A proportion: `part` people out of `whole`. `rate` is part / whole, and `low` and `high` are the
# Clopper-Pearson interval of this rate.
_INTERVAL = [("low", np.float64), ("high", np.float64)]
PROPORTION = np.dtype([("part", np.int64), ("whole", np.int64), ("rate", np.float64), *_INTERVAL])
_RATES = ("selection", "true_positive", "false_positive", "precision")
CLASS_RATES = np.dtype([(name, PROPORTION) for name in _RATES])


@dataclass(frozen=True)
class Unfairness:
    """The unfairness under one criterion. ``unfairness`` is the largest difference between two
    groups in any rate of the criterion, or None if no two groups can be compared. ``interval`` is
    its confidence interval. ``statistic`` is the rate with the largest difference. ``group_high``
    and ``group_low`` are the codes of the groups in which that rate is largest and smallest.
    ``rates`` has, for each group and each of ``statistics``, the fields part, whole, rate, low and
    high."""

    unfairness: float | None
    interval: tuple[float | None, float | None]
    statistic: Statistic
    group_high: int
    group_low: int
    statistics: list[Statistic]
    rates: npt.NDArray[Any]


@dataclass(repr=False)
class Evaluation:
    """The result of :func:`evaluate` for ``records`` people. ``counts``, ``rates`` and
    ``rate_intervals`` are arrays with a row for each group and a column for each class.
    ``unfairness`` is the unfairness under demographic parity. ``accuracy``, ``error`` and
    ``balanced_accuracy`` need labels. Each interval, such as ``unfairness_interval`` or
    ``accuracy_interval``, is (low, high). ``confidence`` is that of a single interval, not of all
    intervals together. A value that is not defined is None. ``positive`` is the code of the
    positive class, if it was given. :mod:`dp2dp.metrics` sets ``classes`` and ``groups``.

    ``class_rates`` has the axes group and class; its fields selection, true_positive,
    false_positive and precision are proportions. ``errors`` has a proportion for each group. A
    proportion has the fields part, whole, rate, low and high. ``label_counts`` has the axes group,
    label and decision.

    ``disparate_impacts`` has, for each class, the smallest selection rate of a group divided by the
    largest. ``disparate_impact`` is the value for the positive class. If there are more than two
    classes and ``positive`` is None, it is the smallest value of all classes. ``criteria`` has an
    :class:`Unfairness` for each criterion that can be measured.

    An evaluation prints, and appears in notebooks, as a table with the rates of each group;
    :meth:`to_frame` returns the same table as a pandas.DataFrame."""

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
    class_rates: npt.NDArray[Any]
    errors: npt.NDArray[Any]
    disparate_impacts: Float64s
    disparate_impact: float | None
    label_counts: npt.NDArray[np.int64] | None
    criteria: dict[str, Unfairness]
    classes: npt.NDArray[Any] | None = None
    groups: npt.NDArray[Any] | None = None
    positive: int | None = None

    @property
    def majority(self) -> int | None:
        """The code of the most frequent label, or None if no labels were given."""
        if self.label_counts is None or self.records == 0:
            return None
        return int(self.label_counts.sum(axis=(0, 2)).argmax())

    @property
    def majority_accuracy(self) -> float | None:
        """The accuracy of giving everybody the most frequent label, or None if no labels were
        given."""
        if self.label_counts is None or self.majority is None:
            return None
        counts = self.label_counts.sum(axis=(0, 2))
        return float(counts[self.majority] / counts.sum())

    @property
    def no_better_than_majority(self) -> bool | None:
        """True if giving everybody the most frequent label would be right at least as often as the
        decisions. None if no labels were given."""
        if self.accuracy is None or self.majority_accuracy is None:
            return None
        return self.accuracy <= self.majority_accuracy

    def to_frame(self) -> Any:
        """Returns a pandas.DataFrame with a row for each class and group: the number of people,
        selection_rate and, with labels, true_positive_rate, false_positive_rate, precision and
        error. The frame has only the rows of the positive class if that class was given or if there
        are two classes."""
        return _evaluation.frame_of(self)

    def __repr__(self) -> str:
        return _evaluation.text_of(self)

    def _repr_html_(self) -> str:
        return _evaluation.html_of(self)


def _unfairness(found: dict[str, Any], n_groups: int) -> Unfairness:
    statistics = statistics_of(found.pop("statistics"))
    rates = np.ndarray((n_groups, len(statistics)), PROPORTION, found.pop("rates"))
    statistic = statistics[found.pop("statistic")]
    return Unfairness(**found, statistic=statistic, statistics=statistics, rates=rates)


def evaluate(
    predictions: Array,
    groups: Array,
    labels: Array | None = None,
    *,
    n_groups: int,
    n_classes: int,
    **options: Any,
) -> Evaluation:
    """Measures decisions: their rates, their unfairness under every criterion, and their accuracy.
    NOT private: the numbers are exact, so use only data that you may look at.

    ``predictions`` and ``labels`` are codes below ``n_classes``; ``groups`` are codes below
    ``n_groups``. Without labels only demographic parity is measured. ``options`` are ``confidence``
    (at least 0.5; default 0.95), ``bootstrap_draws`` (default 2000; with 0, the unfairness has no
    interval), ``insecure_seed`` (for the bootstrap), and ``positive`` and ``statistics`` as for
    :func:`dp2dp.fit`.

    >>> evaluate([0, 1, 1, 1], [0, 0, 1, 1], n_groups=2, n_classes=2).unfairness
    0.5
    >>> found = evaluate([0, 1, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1], n_groups=2, n_classes=2)
    >>> {name: one.unfairness for name, one in found.criteria.items()}["equalized_odds"]
    1.0
    """
    check_all(indexed(predictions), "predictions", groups=groups, labels=labels)
    say_exchanged(predictions, labels, groups, of_core=True)
    options.update(n_groups=n_groups, n_classes=n_classes)
    found = evaluate_codes(predictions, groups, labels, options)
    say_worse(found.label_counts)
    return found


def evaluate_codes(
    predictions: Array, groups: Array, labels: Array | None, options: dict[str, Any]
) -> Evaluation:
    """Does what :func:`evaluate` does, without comparing the arguments with each other."""
    n_groups, n_classes = options["n_groups"], options["n_classes"]
    given = options.get("confidence")
    if isinstance(given, (int, float)) and given < 0.5:
        meant = f"; did you mean {1 - given:g}?" if given > 0 else ""
        raise OptionError(f"confidence must be at least 0.5 and below 1, not {given:g}{meant}")
    if options.get("statistics") is not None:
        options["statistics"] = flags_of(options["statistics"], n_classes)
    decided = _arrays.codes(predictions, "predictions")
    labels = labels if labels is None else _arrays.codes(labels, "labels")
    found = _core.evaluate(decided, _arrays.codes(groups), labels, options)
    say_all_right(decided, labels)
    shape = (n_groups, n_classes)
    for name, size, kind in (
        ("counts", shape, np.int64),
        ("rates", shape, np.float64),
        ("rate_intervals", (*shape, 2), np.float64),
        ("class_rates", shape, CLASS_RATES),
        ("errors", (n_groups,), PROPORTION),
        ("disparate_impacts", (n_classes,), np.float64),
        ("label_counts", (*shape, n_classes), np.int64),
    ):
        if found[name] is not None:
            found[name] = np.ndarray(size, kind, found[name])
    criteria = {name: _unfairness(one, n_groups) for name, one in found.pop("criteria").items()}
    return Evaluation(**found, criteria=criteria, positive=options.get("positive"))


class Bound(NamedTuple):
    """Two upper bounds on the unfairness under one criterion: ``upper`` relies on a normal
    approximation, ``strict`` holds for any sample size. ``group_too_small`` is True if the noise
    hides a rate because too few people count for this rate. In this case both bounds are 1."""

    upper: float | None
    strict: float | None
    group_too_small: bool


@dataclass(frozen=True)
class Certificate:
    """The result of :func:`certify`. ``criterion`` is the criterion of the model. The unfairness
    under this criterion is at most ``unfairness_upper`` with ``confidence``.
    ``unfairness_upper_strict`` is a bound that holds for any sample size. ``criteria`` has a
    :class:`Bound` for every criterion that the released table can measure. The confidence is that
    of a single bound, not of all bounds together.

    ``held_out`` is False if some of the people were used to make the model. Both bounds are then
    None. If ``held_out`` is True, the text ``assumption`` states what cannot be checked: none of
    the people was used to make the model. ``rows_assumption`` states that each person has one row.
    It is None if the model was made for several rows per person. ``group_too_small`` is True if the
    noise hides a group. Both bounds are then 1.

    ``epsilon`` and ``delta`` are what the certificate cost the people it is about. They do not
    contain the cost of the model. ``table`` holds the released noisy counts of ``records`` people,
    with noise of standard deviation ``sigma``. Its axes are group and class, or group, label and
    class. ``private`` is False if the noise was insecure. ``release_id`` names the release in
    ledgers, and ``text`` is the content of the certificate's file. ``warnings`` lists the names of
    the warnings, such as 'delta-large'. :meth:`save` writes the same file as ``dp2dp certify
    --out``. :func:`verify` checks this file."""

    criterion: str
    criteria: dict[str, Bound]
    unfairness_upper: float | None
    unfairness_upper_strict: float | None
    confidence: float
    sigma: float
    group_too_small: bool
    private: bool
    held_out: bool
    assumption: str | None
    rows_assumption: str | None
    epsilon: float | None
    delta: float | None
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
        """Writes the certificate's file to ``path``. Readers never see an incomplete file. The file
        cites the model's checksum, so save the model too, unchanged. To note in the ledger which
        file holds the release, call ``ledger.publish(certificate.release_id,
        certificate.checksum)``."""
        _files.write_at_once(path, self.text)


def _cost_of(text: str) -> dict[str, Any]:
    """Returns epsilon and delta of a certificate from its text."""
    cost = json.loads(text)["cost"]
    return {name: cost[name] for name in ("epsilon", "delta")}


def say_as_many() -> None:
    """Warns that the people of a certificate may be the people of the fit."""
    warn(
        "as-many-people: the certificate has as many rows as the fit or the training of the model. "
        "If the people are the same, the bound does not hold: use people whom the model has not "
        "seen, or pass same_people=True. If the people are not the same, pass same_people=False; "
        "this warning then goes away",
        FairnessWarning,
    )


def _check_given(
    model: Model, groups: Array | None, labels: Array | None, weights: Array | None
) -> None:
    """Refuses a call that lacks groups, labels or weights that the model's rule and criterion
    need."""
    if model.rule is None:
        raise OptionError("the model has no rule yet: dp2dp.fit(..., base=model) makes one")
    if groups is None:
        last = len(model.groups) - 1
        raise OptionError(f"groups are missing: pass the group code of each row, from 0 to {last}")
    if labels is None and model.info["labels"] > 1:
        raise OptionError(
            f"the model's criterion {model.criterion} compares people with the same label: pass "
            "labels"
        )
    if labels is not None and model.info["labels"] <= 1:
        raise OptionError("the model's criterion does not use labels: leave labels out")
    if weights is None and model.rule == "weighted":
        raise OptionError(
            "weights are missing: the model's rule does not see the group, so it needs weights"
        )
    if weights is not None and model.rule != "weighted":
        raise OptionError(
            "only a rule that does not see the group uses weights, and the model has no such rule: "
            "leave weights out"
        )


def _decided(
    model: Model, scores: Floats, groups: Codes | None, given: dict[str, Any], rows: slice
) -> Codes:
    """Returns the decisions of the model for some ``rows``. ``given`` has the certificate's
    options."""
    weights, ids = given.get("weights"), given.get("ids")
    scores = scores[rows]
    out = np.empty(len(scores), dtype=np.int32)
    codes = None if weights is not None or groups is None else groups[rows]
    weights, ids = (None if one is None else one[rows] for one in (weights, ids))
    model._predict(scores, codes, out, False, 0, 0, False, weights, ids, False)
    return out


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
    """Computes privately an upper bound on the unfairness of ``model``, from people who were not
    used to make the model.

    The bound is for the criterion of the model. ``scores`` and ``groups`` of these people are
    always needed. ``labels`` are needed if the criterion uses labels, ``weights`` if the rule does
    not see the group, and ``ids`` if the model's ``dither_key`` is "id". If ``scores`` or
    ``weights`` is a data frame, its columns are found by name, as in :meth:`Model.predict`.

    Privacy: charges ``epsilon`` and ``delta``, which have no default, to the people given here.

    ``ledger`` is the ledger of these people, by default a new one. ``people`` names them, as for
    :func:`fit`, and ``note`` describes the entry.

    ``same_people=True`` says that some of these people were used to make the model. The certificate
    then has no bound, and the ledger is charged for the release, and also for the model if the
    ledger lacks that charge. ``same_people=False`` says that none of these people was used to make
    the model. If ``same_people`` is left out, this is assumed, with a warning if there are as many
    rows as in the fit or in the training. Rows of an array or frame that were also in the fit give
    the warning ``rows-of-the-fit``.

    Further ``options`` are ``confidence`` (default 0.95), ``rows_per_person`` (by default that of
    the model), and ``insecure_seed``, ``bad_rows``, ``leaves_out`` and ``multiplicity`` as for
    :func:`fit`.

    >>> import dp2dp
    >>> scores, groups = [[0.9, 0.1], [0.2, 0.8]] * 2000, [0, 0, 1, 1] * 1000
    >>> model = dp2dp.fit(scores[:1000], groups[:1000], n_groups=2, solver="exact")
    >>> others = scores[1000:], groups[1000:]
    >>> certify(model, *others, epsilon=1, delta=1e-5).unfairness_upper < 0.1
    True
    """
    need_model(model, method="certify")
    refuse_foreign(options)
    if "normalize" in options:
        raise TypeError(
            "certify has no option normalize: it divides each row by its sum if the fit did so"
        )
    own = Ledger() if ledger is None and options.get("note") is None else ledger
    options.update(epsilon=epsilon, delta=delta, ledger=own)
    _check_given(model, groups, labels, weights)
    scores = scores_by_name(model, scores)
    options.update(labels=labels, weights=weights_by_name(model, weights))
    table = np.full(model.offsets.shape, np.nan)
    ignore = check_bad_rows(options.get("bad_rows", "refuse"))
    people = _arrays.people(scores, groups, options, ignore=ignore)
    stated = options.get("same_people") is not None
    quiet = ignore or options.get("same_people")
    values = None if options.get("multiplicity") is not None else people[0]
    seen = not quiet and say_certified(model, *rows_given(scores, groups), scores=values)
    if not ignore and not options.get("leaves_out"):
        options["noticed"] = _look_at(model, *people, dict(options))
    by_code = codes_explained(people[1], len(model.groups))
    by_label = labels_explained(options.get("labels"), len(model.classes))
    left_out = left_out_explained(*people, options.get("leaves_out"))
    adjusted = adjusted_explained(*people, model.offsets, model.info["dither"])
    with by_code, by_label, sums_explained(people[0]), left_out, adjusted:
        found = model._certify(*people, table, options)
    if stated:
        found["warnings"] = [word for word in found["warnings"] if word != "as-many-people"]
    found["criteria"] = {name: Bound(*bound) for name, bound in found["criteria"].items()}
    certificate = Certificate(**found, **_cost_of(found["text"]), table=table)
    with keeping(certificate=certificate), held():
        _tell(certificate, model, as_many=not seen)
        if certificate.private and own is not None:
            rows = [one for one in (groups, scores) if one is not None]
            values = None if ignore else values
            count_certificate(certificate.release_id, own, rows, delta, ledger is None, values)
    return certificate


def _look_at(
    model: Model, scores: Floats, groups: Codes | None, given: dict[str, Any]
) -> Callable[[list[str]], None]:
    """Returns a function that gives the warnings about the people of a certificate. The library
    calls this function with the names of its own warnings after it has checked the people and
    before it charges. If a user turns warnings into exceptions, nothing is charged then. ``given``
    are the options of the certificate."""
    labels = given["labels"]
    weighed = Weighed(given["weights"], scores, groups, labels, len(model.groups))

    def noticed(words: list[str]) -> None:
        weighed.noticed(words)
        say_odd_scores(scores, {**given, "normalize": model.info["normalize"]})
        weighed.say_odd()
        say_decisions(scores, groups, labels)
        say_odd_labels(scores, labels)
        say_ruled(lambda rows: _decided(model, scores, groups, given, rows), labels)

    return noticed


def _tell(certificate: Certificate, model: Model, *, as_many: bool) -> None:
    """Gives the warnings about a new certificate. If ``as_many`` is False, leaves out the warning
    "as-many-people"."""
    if certificate.group_too_small:
        bound = ". So the bound on the unfairness is 1" if certificate.held_out else ""
        counts = certificate.table.sum(axis=-1)
        # A group's noisy number of people is the sum of its noisy counts over all classes. So the
        # standard deviation of the noise grows with the square root of the number of classes.
        deviation = certificate.sigma * np.sqrt(len(model.classes))
        where = smallest_of(counts, model, deviation)
        words = "the noise hides a group, so nothing is known about that group"
        warn(f"group-too-small: {words}{bound}{where}")
    if "as-many-people" in certificate.warnings and as_many:
        say_as_many()
    warn_unless_private([] if certificate.private else ["insecure-noise"])
    told = {"group-too-small", "as-many-people"}
    warn_of(word for word in certificate.warnings if word not in told)
    if json.loads(certificate.text).get("leaves_out"):
        say_not_covered(certificate)
