"""Checks decisions and labels before they are measured."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import column_or_1d

from ._core import DataError
from ._factored import is_missing, of_array
from ._label_roles import say_never_decided
from ._model import Model
from ._typing import Labels
from ._validation import listed
from ._warn import SECRET, FairnessWarning, keeping, warn

_MANY = 20  # numbers with more different values than this are probably scores
_ENOUGH = 20  # with fewer rows, some classes may well be missing among the labels


def column_of(values: Any, name: str) -> Labels:
    """Returns labels or decisions as a column. Refuses masked values, and an array with several
    columns."""
    if np.ma.is_masked(values):
        raise DataError(f"{name} has masked values; drop these rows")
    if np.ndim(values) == 2 and np.shape(values)[1] > 1:
        raise DataError(
            f"{name} has {np.shape(values)[1]} columns, but must hold one class for each row: pass "
            "estimator.predict(X), not the probabilities of predict_proba"
        )
    found: Labels = column_or_1d(values)
    return found


def refuse_probabilities(values: Labels, name: str, classes: npt.ArrayLike | None) -> None:
    """Refuses numbers that are not whole, because they look like probabilities. A number that is
    listed in ``classes`` is allowed. If probabilities were taken as classes, each class would have
    almost no people, and any decisions would seem fair."""
    given = values.tolist() if values.dtype.kind in "fO" else []
    known = [] if classes is None else np.asarray(classes).tolist()
    for row, value in enumerate(given, 1):
        if isinstance(value, float) and value % 1 > 0 and value not in known:
            raise DataError(
                f"row {row}: {name} is not a whole number, so it looks like a probability and not "
                "like a class. Pass the class of each row, such as estimator.predict(X). If your "
                "classes are fractions, list all classes as classes=[...]"
            )


def _values(column: Labels) -> set[Any]:
    """Returns the distinct values of a column of any type, without missing values."""
    found = of_array(column).values if column.dtype.kind == "O" else np.unique(column)
    return {value for value in found.tolist() if not is_missing(value)}


def _are_texts(values: set[Any]) -> bool | None:
    """Returns True if all values are texts, and False if no value is a text. Returns None if only
    some values are texts, or if there are no values."""
    kinds = {isinstance(value, (str, bytes)) for value in values}
    return kinds.pop() if len(kinds) == 1 else None


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _differ_in_writing(labels: set[Any], decisions: set[Any]) -> bool:
    """Returns whether some label and some decision differ only in blanks or in upper and lower
    case."""

    def plain(values: set[Any]) -> set[str]:
        return {_plain(one) for one in values if isinstance(one, str)}

    return bool(plain(labels - decisions) & plain(decisions - labels))


def say_alike(found: Labels, name: str) -> None:
    """Warns of two values, read off the data, that differ only in blanks or upper and lower
    case."""
    first: dict[str, str] = {}
    for one in (one for one in found.tolist() if isinstance(one, str)):
        other = first.setdefault(_plain(one), one)
        if other != one:
            warn(
                f"{name}-alike: the {name} {other!r} and {one!r} differ only in blanks or in upper "
                "and lower case, and were counted as two. If both mean the same, write both in the "
                "same way",
                FairnessWarning,
            )
            return


def _tell_many(decisions: set[Any], more: str = "") -> None:
    warn(
        f"classes-many: y_pred has {len(decisions)} different numbers{more}. If y_pred holds "
        "scores, the result is meaningless: pass decisions, such as estimator.predict(X). If "
        "y_pred holds classes, pass the list of all classes to evaluate or unfairness as "
        "classes=[...]",
        FairnessWarning,
    )


def compare_classes(labels: Labels, decisions: Labels, *, exchanged: bool = False) -> None:
    """Raises an error if one column holds texts and the other holds numbers, or if the decisions
    look like scores. Warns if the two columns seem to write the same class differently, because
    such decisions would count as wrong. If ``exchanged``, another warning has already named the
    cause, and this warning is left out."""
    true, given = _values(labels), _values(decisions)
    kinds = {_are_texts(true), _are_texts(given)}
    if kinds == {True, False}:
        raise DataError(
            "y_true and y_pred must hold the same classes, but one of the two holds texts and the "
            "other holds numbers"
        )
    unseen = len(given - true)
    if unseen > max(_MANY, len(true)) and True not in kinds:
        raise DataError(
            f"y_pred has {len(given)} different numbers, and {unseen} of them are not in y_true. "
            "So y_pred looks like scores, not decisions: pass the class of each row, such as "
            "estimator.predict(X). If y_pred holds classes, list all classes as classes=[...]"
        )
    together = len(true | given)
    few = max(len(true), len(given)) <= 2 < together
    others = len(decisions) >= _ENOUGH and unseen > len(true)
    if not exchanged and (few or others or _differ_in_writing(true, given)):
        warn(
            f"classes-differ: y_true has {len(true)} different classes and y_pred has "
            f"{len(given)}, and together they have {together}. If the same class is written "
            "differently in y_true and in y_pred, write it in one way; otherwise list all classes "
            "as classes=[...]",
            FairnessWarning,
        )


def say_unlisted(y: Any, classes: Labels) -> None:
    """Refuses texts if the estimator's classes are numbers, and numbers if they are texts. Warns if
    no label in ``y`` is one of the classes, because the accuracy is then 0. Also warns if many
    people have the same label and that label is not one of the classes."""
    labels = column_of(y, "y")
    seen, known = _values(labels), {*classes.tolist()}
    if {_are_texts(seen), _are_texts(known)} == {True, False}:
        kinds = ("texts", "numbers") if _are_texts(seen) else ("numbers", "texts")
        raise DataError(
            f"y holds {kinds[0]}, but the classes {classes.tolist()} are {kinds[1]}. Write the "
            "labels like the classes: convert y, for example with y.astype, or with y.map of pandas"
        )
    if seen & known:
        say_never_decided(labels, set(), classes.tolist())
    if seen and not seen & known:
        warn(
            "classes-differ: no label in y is one of the classes "
            f"[{', '.join(map(repr, classes.tolist()))}], so the accuracy is 0. Write the labels "
            "exactly like the classes, with the same case and type (0 is not '0')",
            FairnessWarning,
        )


@keeping()
def say_empty(labels: Labels, classes: Labels) -> None:
    """Warns of a listed class that is the label of no row. Must not be called for a fit that
    ignores bad rows: the warning would reveal something about the labels."""
    seen = _values(labels)
    if empty := [one for one in classes.tolist() if one not in seen]:
        warn(
            f"empty-class: the list of classes has {', '.join(map(repr, empty))}, but no row has "
            f"such a label. Check the list and its spelling. {SECRET}",
            FairnessWarning,
        )


def say_unscored(known: npt.ArrayLike, classes: Labels) -> None:
    """Warns of a listed class that a fitted classifier does not have."""
    scored = np.asarray(known).tolist()
    if empty := [one for one in classes.tolist() if one not in scored]:
        warn(
            f"empty-class: the list of classes has {', '.join(map(repr, empty))}, but the "
            "estimator does not know such a class, so the probability of that class is 0 for "
            "everybody. Check the list",
            FairnessWarning,
        )


def look_for_scores(labels: Any, decisions: Labels) -> None:
    """Warns if the decisions look like scores. Used for measures that do not need labels, so
    ``labels`` may be None or have any values."""
    given = _values(decisions)
    if _are_texts(given) is not False:
        return
    if labels is None:
        if len(given) > _MANY:
            _tell_many(given)
        return
    true = _values(column_of(labels, "y_true"))
    unseen = len(given - true)
    if len(decisions) >= _ENOUGH and len(given) > 2 and unseen > len(true):
        _tell_many(given, f", and {unseen} of them are not in y_true")


def rule_of(estimator: Any) -> Any:
    """Returns the estimator that has a ``model_``: ``estimator`` itself, the last step of a
    pipeline, or the best estimator of a search. Returns None if no such estimator is found."""
    while not isinstance(getattr(estimator, "model_", None), Model):
        steps, best = getattr(estimator, "steps", None), getattr(estimator, "best_estimator_", None)
        if not steps and best is None:
            return None
        estimator = steps[-1][1] if steps else best
    return estimator


def positive_of(estimator: Any) -> Any:
    """Returns the positive class of a fair estimator, or None if it is not known. Looks first at
    the model's criterion and then at the parameter ``positive``. If both have no positive class,
    returns the second of two listed ``classes``."""
    rule = rule_of(estimator)
    if rule is None:
        return None
    if rule.model_.positive is not None:
        return rule.classes_.tolist()[rule.model_.positive]
    given, classes = getattr(rule, "positive", None), getattr(rule, "classes", None)
    if given is None and classes is not None and len(rule.classes_) == 2:
        return listed(classes, "classes").tolist()[1]
    return given


def classes_of(estimator: Any, *columns: Any) -> Labels | None:
    """Returns the classes of a fair estimator. Returns None if ``estimator`` is not a fair
    estimator, or if some value in the columns is not one of the classes."""
    rule = rule_of(estimator)
    if rule is None:
        return None
    known: Labels = rule.classes_
    seen = set().union(*(_values(column_of(column, "y_true")) for column in columns))
    return known if seen <= {*known.tolist()} else None
