"""Rates and unfairness of decisions, for any number of classes and groups. NOT private.

The functions take (y_true, y_pred, *, sensitive_features), like those of fairlearn.
:func:`unfairness` returns one number, and works as a metric of fairlearn's MetricFrame. Decisions
that are fair under one criterion may be unfair under another. :func:`evaluate` measures unfairness
under all criteria.

>>> unfairness([0, 1, 1, 0], [0, 1, 1, 1], sensitive_features=["a", "a", "b", "b"])
0.5
>>> unfairness(
...     [0, 1, 1, 0], [0, 1, 1, 1], sensitive_features=["a", "a", "b", "b"],
...     constraints="equalized_odds",
... )
1.0
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, Self, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import MetadataRequest, get_routing_for_object
from sklearn.utils.validation import check_consistent_length

from . import _core, core
from ._core import OptionError
from ._criterion import DEMOGRAPHIC_PARITY, is_labelled, is_rate, tell_positive
from ._decided import (
    classes_decided,
    indexed,
    positive_decided,
    say_decisions_measured,
    say_exchanged,
)
from ._decisions import (
    classes_of,
    column_of,
    compare_classes,
    look_for_scores,
    positive_of,
    refuse_probabilities,
    say_alike,
)
from ._factored import Factored
from ._groups import column_positions
from ._index import check_all, refuse_reordered
from ._label_roles import are_exchanged, say_never_decided, tell_exchanged
from ._measures import evaluate_codes
from ._odd_decisions import say_worse
from ._told_by import are_same, say_groups_are_decisions, say_groups_are_labels
from ._typing import Labels, Statistic
from ._validation import (
    are_ids,
    as_frame,
    codes_of,
    distinct,
    group_values,
    listed,
    refuse_missing,
    say_text_for_missing,
)
from ._warn import FairnessWarning, warn

__all__ = [
    "UnfairnessScorer",
    "disparate_impact",
    "evaluate",
    "rates_by_group",
    "table_by_group",
    "unfairness",
    "unfairness_scorer",
]


def __dir__() -> list[str]:
    return sorted(__all__)


_P = ParamSpec("_P")
_R = TypeVar("_R")
_OTHER_NAMES = {
    "equal_opportunity": "true_positive_rate_parity",
    "predictive_equality": "false_positive_rate_parity",
}


def evaluate(
    y_true: npt.ArrayLike | None,
    y_pred: npt.ArrayLike,
    *,
    sensitive_features: Any,
    classes: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
    positive: Any = None,
    **options: Any,
) -> core.Evaluation:
    """Returns a :class:`dp2dp.core.Evaluation`, which has the rates of each group and class with
    their intervals, the unfairness under every criterion, the accuracy, and the names of the
    classes and groups. ``y_pred`` are decisions, ``y_true`` the true classes, and
    ``sensitive_features`` the group of each person. If ``y_true`` is None, only demographic parity
    is measured. ``classes`` and ``groups`` are by default the values that occur, in sorted order.
    ``positive`` is one of the classes. If there are two classes, the default is the second: of
    "approved" and "denied", this is "denied". The printed result names the positive class. If
    ``y_pred`` is the array that an estimator with another positive class returned, the warning
    ``positive-by-default`` says so. Further ``options`` are those of :func:`dp2dp.core.evaluate`.
    (That function takes codes, and its first argument is the decisions.)

    >>> found = evaluate([0, 1, 1, 0], [0, 1, 1, 1], sensitive_features=["a", "a", "b", "b"])
    >>> found.accuracy, found.rates.tolist()
    (0.75, [[0.5, 0.5], [0.0, 1.0]])
    >>> found.criteria["false_positive_rate_parity"].unfairness
    1.0
    """
    options.update(classes=classes, groups=groups, positive=positive)
    found = _evaluate(y_true, y_pred, sensitive_features, options)
    if positive is None:
        say_other_positive(y_pred, found)
    return found


def _evaluate(
    y_true: npt.ArrayLike | None,
    y_pred: npt.ArrayLike,
    sensitive_features: Any,
    options: dict[str, Any],
    unused: npt.ArrayLike | None = None,
    *,
    again: bool = False,
) -> core.Evaluation:
    """Does what :func:`evaluate` does, with the keywords of that function as ``options``.
    ``unused`` are labels that were given but are not measured. They only help to find out whether
    ``y_pred`` holds decisions or scores, and whether the groups are labels. If ``again``, the same
    labels were compared with other decisions before."""
    classes, groups, positive = (
        options.pop(name, None) for name in ("classes", "groups", "positive")
    )
    labels, decisions, values = _checked(y_true, y_pred, sensitive_features, classes)
    say_exchanged(y_pred, unused if y_true is None else y_true, sensitive_features)
    exchanged = are_exchanged(unused if labels is None else labels, decisions, values)
    if exchanged:
        tell_exchanged()
    if classes is None:
        if labels is None:
            look_for_scores(unused, decisions)
        else:
            compare_classes(labels, decisions, exchanged=exchanged)
            say_never_decided(labels, {*np.unique(decisions).tolist()}, classes_decided(y_pred))
        seen = [decisions] if labels is None else [labels, decisions]
        classes = distinct(np.concatenate(seen), "classes")
        if labels is None:  # with labels, compare_classes has done this
            say_alike(classes, "classes")
    if groups is None:
        groups = distinct(values, "groups")
        _say_many(len(groups), len(values))
        say_text_for_missing(groups, "groups")
        say_alike(groups, "groups")
    say_groups_are_decisions(values, decisions)
    say_groups_are_labels(values, unused if labels is None else labels)
    classes, groups = _list_of(classes, "classes"), _list_of(groups, "groups")
    if positive is not None:
        if positive not in classes.tolist():
            raise OptionError(f"positive must be one of the classes, not {positive!r}")
        options["positive"] = classes.tolist().index(positive)
    found = evaluate_codes(
        codes_of(decisions, classes, "classes"),
        codes_of(values, groups, "groups"),
        None if labels is None else codes_of(labels, classes, "classes"),
        {**options, "n_groups": max(2, len(groups)), "n_classes": max(2, len(classes))},
    )
    found.classes, found.groups = classes, groups
    say_decisions_measured(y_pred)
    if not again:
        say_worse(found.label_counts)
    return found


def say_other_positive(y_pred: Any, found: core.Evaluation) -> bool:
    """Warns if the estimator that made ``y_pred`` has another positive class than the evaluation
    ``found``, which takes the second of two. Returns whether it warned."""
    classes, own = np.asarray(found.classes).tolist(), positive_decided(y_pred)
    differs = own is not None and len(classes) == 2 and own == classes[0]
    if differs:
        warn(
            f"positive-by-default: class {classes[1]!r} is taken as the positive class, because it "
            f"is the second of two, but {own!r} is that of the estimator that made y_pred. Pass "
            f"positive={own!r} for the estimator's class, or positive={classes[1]!r} to confirm "
            "this one",
            FairnessWarning,
        )
    return differs


def _list_of(given: npt.ArrayLike, name: str) -> Labels:
    """Returns a list of labels as an array. Refuses a label that is listed twice, because one of
    the two entries would have no people."""
    labels = listed(given, name)
    values = labels.tolist()
    if twice := [one for at, one in enumerate(values) if one in values[:at]]:
        raise OptionError(f"{name} must list {twice[0]!r} only once")
    return labels


def _checked(
    y_true: Any, y_pred: Any, sensitive_features: Any, classes: npt.ArrayLike | None
) -> tuple[Labels | None, Labels, Labels | Factored]:
    """Returns the labels, the decisions and the groups as columns. Refuses columns of different
    lengths, columns whose indexes have different orders, missing values, and probabilities."""
    decisions = column_of(y_pred, "y_pred")
    values = group_values(sensitive_features)
    check_consistent_length(decisions, values, y_true)
    check_all(indexed(y_pred), "y_pred", y_true=y_true, sensitive_features=sensitive_features)
    labels = None if y_true is None else column_of(y_true, "y_true")
    for column, name in ((decisions, "y_pred"), (labels, "y_true")):
        if column is not None:
            refuse_missing(column, name)
            refuse_probabilities(column, name, classes)
    return labels, decisions, values


def _say_many(groups: int, rows: int) -> None:
    if are_ids(groups, rows):
        warn(
            f"groups-many: there are {groups} different groups in {rows} rows, so hardly any two "
            "people share a group, and the rates differ by chance. If sensitive_features holds "
            "numbers, cut them into groups, for example with pandas.cut",
            FairnessWarning,
        )


def rates_by_group(
    y_true: npt.ArrayLike | None, y_pred: npt.ArrayLike, *, sensitive_features: Any
) -> dict[Any, dict[Any, float]]:
    """Returns {group: {class: rate}} of the decisions ``y_pred``. ``sensitive_features`` has the
    group of each person; ``y_true`` is not used.

    >>> rates_by_group(None, ["no", "yes", "yes"], sensitive_features=["a", "a", "b"])
    {'a': {'no': 0.5, 'yes': 0.5}, 'b': {'no': 0.0, 'yes': 1.0}}
    """
    refuse_reordered(y_pred=indexed(y_pred), y_true=y_true, sensitive_features=sensitive_features)
    found = _evaluate(None, y_pred, sensitive_features, {"bootstrap_draws": 0}, y_true)
    classes, groups = np.asarray(found.classes).tolist(), np.asarray(found.groups).tolist()
    # found.rates has at least two rows and two columns. If only one group or one class occurs, zip
    # drops the row or column that stands for no group or class.
    return {
        group: dict(zip(classes, rates.tolist(), strict=False))
        for group, rates in zip(groups, found.rates, strict=False)
    }


def _need_two(found: core.Evaluation) -> None:
    """Refuses an evaluation in which only one class occurs, because the positive class is then
    unknown."""
    if len(np.asarray(found.classes)) < 2:
        raise OptionError("only one class occurs: pass the list of classes as classes=[...]")


def _order(classes: npt.ArrayLike | None) -> str:
    """Returns words that say where the order of the classes comes from."""
    return "in sorted order" if classes is None else "in the list"


def table_by_group(
    y_true: npt.ArrayLike,
    y_pred: npt.ArrayLike,
    *,
    sensitive_features: Any,
    positive: Any = None,
    classes: npt.ArrayLike | None = None,
) -> dict[Any, dict[str, float]]:
    """Returns {group: {name: number}}: the number of people in the group, the rates of the positive
    class, and the share of wrong decisions. ``y_true``, ``y_pred``, ``sensitive_features`` and
    ``classes`` are those of :func:`evaluate`. A number is NaN if there is nobody to count. With
    more than two classes, ``positive`` must be given. With two classes, the default is the second
    class of the list ``classes`` or, without that list, the second in sorted order.
    ``pandas.DataFrame(result).T`` shows the result as a table; ``evaluate(...).class_rates`` has
    the intervals.

    >>> found = table_by_group([0, 1, 1, 1], [0, 1, 0, 1], sensitive_features=["a", "a", "b", "b"])
    >>> found["b"]["true_positive_rate"], found["a"]["error"], found["b"]["count"]
    (0.5, 0.0, 2)
    """
    options = dict(classes=classes, positive=positive, bootstrap_draws=0)
    found = _evaluate(y_true, y_pred, sensitive_features, options)
    _need_two(found)
    known = np.asarray(found.classes).tolist()
    if positive is None and len(known) > 2:
        raise OptionError("with more than two classes, positive must name one of them")
    if positive is None and not say_other_positive(y_pred, found):
        tell_positive(known, _order(classes))
    rates = found.class_rates[:, 1 if positive is None else known.index(positive)]
    columns = {
        "selection_rate": rates["selection"]["rate"],
        "true_positive_rate": rates["true_positive"]["rate"],
        "false_positive_rate": rates["false_positive"]["rate"],
        "precision": rates["precision"]["rate"],
        "error": found.errors["rate"],
    }
    return {
        group: {
            "count": int(found.errors["whole"][g]),
            **{name: float(column[g]) for name, column in columns.items()},
        }
        for g, group in enumerate(np.asarray(found.groups).tolist())
    }


def _say_one_group(found: core.Evaluation) -> None:
    if len(np.asarray(found.groups)) == 1:
        warn(
            "one-group: everybody is in the same group, so there is no group to compare with. Does "
            "sensitive_features hold the groups of all people?",
            FairnessWarning,
        )


def _say_undefined(found: core.Evaluation, name: str) -> None:
    """Warns if the criterion uses the rates of people with some label, and a group has nobody with
    that label."""
    classes, groups = np.asarray(found.classes).tolist(), np.asarray(found.groups).tolist()
    one = found.criteria[name]
    told: list[list[int]] = []
    for (_, given), whole in zip(one.statistics, one.rates["whole"].T, strict=True):
        labels = [] if given is None else np.atleast_1d(np.asarray(given)).tolist()
        without = [repr(group) for group, count in zip(groups, whole, strict=False) if count == 0]
        if not labels or not without or labels in told:
            continue
        told.append(labels)
        who, result = "nobody", "the unfairness leaves out the rates of this label"
        if len(without) < len(groups):
            others = f" or {len(without) - 3} others" if len(without) > 3 else ""
            many = "s" * (len(without) > 1)
            who = f"nobody in the group{many} {' or '.join(without[:3])}{others}"
            result = "the unfairness compares only the other groups"
        which = " or ".join(repr(classes[label]) for label in labels)
        warn(
            f"rates-undefined: {who} has the label {which}, so {result}. Are the labels of all "
            "people known, and written in the same way?",
            FairnessWarning,
        )


def _refuses_scoring(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """A decorator that makes ``function`` refuse calls without groups. Such a call comes from a
    search of scikit-learn that uses ``function`` as a scorer, so the message names the right
    scorer."""

    @wraps(function)
    def checked(*args: _P.args, **options: _P.kwargs) -> _R:
        if len(args) > 2 or "sensitive_features" not in options:
            raise TypeError(
                f"{function.__name__} takes (y_true, y_pred) and needs sensitive_features=..., the "
                "group of each person. As a scorer of scikit-learn, pass "
                "scoring=dp2dp.metrics.unfairness_scorer('gender'), where 'gender' is the column "
                "of X with the group"
            )
        return function(*args, **options)

    return checked


@_refuses_scoring
def unfairness(
    y_true: npt.ArrayLike | None,
    y_pred: npt.ArrayLike,
    *,
    sensitive_features: Any,
    constraints: str = DEMOGRAPHIC_PARITY,
    positive: Any = None,
    statistics: Iterable[Statistic] | None = None,
    classes: npt.ArrayLike | None = None,
) -> float | None:
    """Returns the largest difference between two groups in any rate of the criterion
    ``constraints``, or None if no two groups can be compared. If nobody in a group has the label
    that a rate needs, the rate leaves the group out, and a warning (``rates-undefined``) names the
    group. For two classes, the result is
    fairlearn's demographic_parity_difference, equal_opportunity_difference, and so on. ``y_true``,
    ``y_pred``, ``sensitive_features`` and ``positive`` are those of :func:`evaluate`; ``y_true``
    may be None for demographic parity. ``statistics`` are those of :func:`dp2dp.fit` for the
    criterion "custom"; the codes of classes in ``statistics`` are positions in ``classes``.

    >>> unfairness(None, ["no", "yes", "yes"], sensitive_features=["a", "a", "b"])
    0.5
    """
    name = _OTHER_NAMES.get(constraints, constraints)
    if name not in _core.criteria:
        words = ", ".join(_core.criteria)
        raise OptionError(f"constraints must be one of {words}; not {constraints!r}")
    given = None if statistics is None else list(statistics)
    if name == "custom" and not given:
        raise OptionError("constraints='custom' needs statistics, a list of (class, labels)")
    if name != "custom" and given:
        raise OptionError(
            f"statistics needs constraints='custom', not {constraints!r}: change constraints, or "
            "leave statistics out"
        )
    labelled = is_labelled(name, given)
    if labelled and y_true is None:
        raise OptionError(f"{constraints} compares people with the same label: pass y_true")
    if name == "custom" and classes is None:
        raise OptionError(
            "statistics=[...] names classes by their position in a list: pass this list of all "
            "classes as classes=[...]"
        )
    refuse_reordered(y_pred=indexed(y_pred), y_true=y_true, sensitive_features=sensitive_features)
    options = dict(classes=classes, positive=positive, statistics=given, bootstrap_draws=0)
    measured, unused = (y_true, None) if labelled else (None, y_true)
    found = _evaluate(measured, y_pred, sensitive_features, options, unused)
    _say_one_group(found)
    if labelled and are_same(y_true, y_pred):
        warn(
            "labels-are-decisions: y_true and y_pred are equal in every row, so the result is 0 "
            "whatever the decisions are. Did you pass the decisions as y_true?",
            FairnessWarning,
        )
    if name == DEMOGRAPHIC_PARITY:
        return found.unfairness
    _need_two(found)
    if is_rate(name) and positive is None and not say_other_positive(y_pred, found):
        tell_positive(np.asarray(found.classes).tolist(), _order(classes))
    if not are_exchanged(y_true, y_pred, np.asarray(found.groups)):
        _say_undefined(found, name)
    return found.criteria[name].unfairness


def disparate_impact(
    y_true: npt.ArrayLike | None,
    y_pred: npt.ArrayLike,
    *,
    sensitive_features: Any,
    positive: Any = None,
) -> float | None:
    """Returns the smallest selection rate of a group divided by the largest selection rate. The
    selection rate is the share of people who get the class ``positive``. Returns None if nobody
    gets this class. Some regulations ask for at least 0.8. ``y_pred`` and ``sensitive_features``
    are those of :func:`evaluate`; ``y_true`` is not used. The default of ``positive`` is the second
    of two classes in sorted order. With more classes, it is the class with the smallest result.

    >>> disparate_impact(None, [0, 1, 1, 1], sensitive_features=["a", "a", "b", "b"])
    0.5
    """
    refuse_reordered(y_pred=indexed(y_pred), y_true=y_true, sensitive_features=sensitive_features)
    options = dict(positive=positive, bootstrap_draws=0)
    found = _evaluate(None, y_pred, sensitive_features, options, y_true)
    _say_one_group(found)
    if positive is None and not say_other_positive(y_pred, found):
        tell_positive(np.asarray(found.classes).tolist())
    return found.disparate_impact


class UnfairnessScorer(BaseEstimator):
    """The scorer that :func:`unfairness_scorer` returns, with the same ``sensitive_column``,
    ``constraints`` and ``positive``."""

    def __init__(
        self,
        sensitive_column: int | str | list[int | str] | None = None,
        constraints: str = DEMOGRAPHIC_PARITY,
        positive: Any = None,
    ) -> None:
        self.sensitive_column = sensitive_column
        self.constraints = constraints
        self.positive = positive
        self.set_score_request(sensitive_features=True)

    def set_score_request(self, *, sensitive_features: bool | str | None) -> Self:
        """Sets the name under which metadata routing passes the groups: ``sensitive_features`` is
        that name, or True for the name "sensitive_features"."""
        self._metadata_request = MetadataRequest(owner=type(self).__name__)
        self._metadata_request.score.add_request(
            param="sensitive_features", alias=sensitive_features
        )
        return self

    def __call__(self, estimator: Any, X: Any, y: Any, *, sensitive_features: Any = None) -> float:
        """Returns minus the unfairness of the estimator's decisions."""
        groups = self._groups(X, sensitive_features)
        given = {}
        if sensitive_features is not None and _wants_groups(estimator):
            given["sensitive_features"] = sensitive_features
        decisions = estimator.predict(X, **given)
        classes = classes_of(estimator, y, decisions)
        positive = self.positive
        if positive is None and classes is not None:
            positive = positive_of(estimator)
        found = unfairness(
            y,
            decisions,
            sensitive_features=groups,
            constraints=self.constraints,
            positive=positive,
            classes=classes,
        )
        return np.nan if found is None else -found + 0.0

    def _groups(self, X: Any, sensitive_features: Any) -> Any:
        if self.sensitive_column is not None:
            table = as_frame(X)
            at = column_positions(table, self.sensitive_column)
            return _safe_indexing(table, at[0] if len(at) == 1 else at, axis=1)
        if sensitive_features is None:
            raise OptionError(
                "the scorer got no groups: set sensitive_column to a column of X, or turn metadata "
                "routing on (sklearn.set_config(enable_metadata_routing=True)) and pass "
                "params={'sensitive_features': ...}"
            )
        return sensitive_features


def _wants_groups(estimator: Any) -> bool:
    """Returns whether ``predict`` of an estimator, or of a step of a pipeline, takes the groups."""
    if "sensitive_features" in signature(estimator.predict).parameters:
        return True
    routing = get_routing_for_object(estimator)
    return bool(routing.consumes(method="predict", params=["sensitive_features"]))


def unfairness_scorer(
    sensitive_column: int | str | list[int | str] | None = None,
    *,
    constraints: str = DEMOGRAPHIC_PARITY,
    positive: Any = None,
) -> UnfairnessScorer:
    """Returns a scorer for scikit-learn's searches: minus the unfairness, so that more is better.
    ``sensitive_column`` is the column of X with the group, or a list of several columns. Without
    ``sensitive_column``, the scorer asks metadata routing for ``sensitive_features``, which
    ``fit(X, y, sensitive_features=...)`` of a search passes on. ``constraints`` and ``positive``
    are those of :func:`unfairness`; the default of ``positive`` is the positive class of a fair
    estimator.

    Privacy: charges nothing. The scorer's results are exact, so choosing a model by these results
    is a release that no ledger records.

    >>> class Rule:
    ...     def predict(self, X):
    ...         return X[:, 0]
    >>> score = unfairness_scorer(1, constraints="equal_opportunity")
    >>> score(Rule(), np.array([[0, 0], [1, 0], [1, 1], [1, 1]]), [0, 1, 1, 1])
    0.0
    """
    return UnfairnessScorer(sensitive_column, constraints, positive)
