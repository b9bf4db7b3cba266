"""Checks and uses the classifiers inside FairPostProcessor. Such a classifier may be any object
with ``predict_proba`` and ``classes_``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.validation import check_is_fitted

from ._by_name import of_classes
from ._core import DataError, OptionError
from ._fair_rule import FairRule
from ._logistic import PrivateLogisticRegression
from ._outside import outside_untold
from ._pipeline import learns
from ._typing import Features, Floats, Labels
from ._validation import codes_of
from ._warn import SECRET, FairnessWarning, keeping, warn

_WITHOUT_NOISE = {"sklearn", "xgboost", "lightgbm", "catboost"}
_LEARN_NOTHING = {
    "BaggingClassifier",
    "FixedThresholdClassifier",
    "OneVsOneClassifier",
    "OneVsRestClassifier",
    "VotingClassifier",
}
_WORDS = re.compile(r"[^\W\d_]+|\d+")
_COMPARED = 5000  # rows on which predict is compared with the argmax of predict_proba
_TIES = 10  # least number of differing rows for a warning; fewer may come from ties and rounding


def check_has_probabilities(estimator: Any, name: str) -> None:
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(
            f"{name} must be a classifier with predict_proba, and {type(estimator).__name__} has "
            "none; sklearn.calibration.CalibratedClassifierCV adds predict_proba to a classifier"
        )


def refuse_fair(estimator: Any, name: str) -> None:
    """Refuses an estimator of this package that has a fair rule already. Looks at the last step of
    a pipeline, too."""
    inner = unfrozen(estimator)
    while isinstance(inner, Pipeline):
        inner = unfrozen(inner.steps[-1][1])
    parts = [part for part in ("classifier_", "estimator_", "estimator") if hasattr(inner, part)]
    if isinstance(inner, FairRule):
        instead = f"its classifier (its attribute {parts[0]})" if parts else "a classifier"
        raise OptionError(
            f"{name} is a {type(inner).__name__}, which has a fair rule already: pass {instead}"
            + ("" if parts else ", such as a PrivateLogisticRegression")
        )


def cannot_be_fitted(estimator: Any) -> bool:
    """Returns whether an estimator is frozen or has no ``fit``."""
    return isinstance(estimator, FrozenEstimator) or not hasattr(estimator, "fit")


def is_fitted(estimator: Any) -> bool:
    """Returns True if the estimator is a fitted estimator of scikit-learn. Returns False for other
    kinds of objects, because it is not known whether they are fitted."""
    try:
        check_fitted(estimator, "estimator")
    except (NotFittedError, TypeError):
        return False
    return isinstance(estimator, BaseEstimator)


def check_fitted(estimator: Any, name: str) -> None:
    try:
        if isinstance(estimator, BaseEstimator):
            check_is_fitted(estimator)
    except NotFittedError as error:
        raise NotFittedError(
            f"{error} With prefit=True, {name} must be fitted already: call its fit method first. "
            "cross_val_score and searches clone the classifier, and the clone is not fitted. To "
            "use these tools, wrap the fitted classifier in sklearn.frozen.FrozenEstimator"
        ) from None
    if not hasattr(estimator, "classes_"):
        raise TypeError(
            f"{name} must have classes_ (the class of each column of predict_proba), and "
            f"{type(estimator).__name__} has none"
        )


def unfrozen(estimator: Any) -> Any:
    return unfrozen(estimator.estimator) if isinstance(estimator, FrozenEstimator) else estimator


def _known_not_private(estimator: Any) -> str | None:
    """Returns the name of the estimator's class if the training of this class is known to add no
    noise, and None otherwise. No class of the libraries ``_WITHOUT_NOISE`` adds noise, but a
    subclass in another library may. Looks into pipelines, and into meta-estimators that learn
    nothing themselves."""
    if isinstance(estimator, Pipeline):
        learning = [step for _, step in reversed(estimator.steps) if learns(step)]
        steps = (_known_not_private(step) for step in learning)
        return next((name for name in steps if name), None)
    name, library = type(estimator).__name__, type(estimator).__module__.partition(".")[0]
    if library not in _WITHOUT_NOISE or isinstance(estimator, FrozenEstimator):
        return None
    inner = [one for _, one in getattr(estimator, "estimators", None) or ()]
    inner += [one] if (one := getattr(estimator, "estimator", None)) is not None else []
    if name not in _LEARN_NOTHING or not inner:
        return name
    return next((found for one in inner if (found := _known_not_private(one))), None)


def check_stated_cost(scores_epsilon: float | None, estimators: list[Any]) -> None:
    """Refuses ``scores_epsilon=0``, because the ``estimators`` are fitted to these people and so
    learn from them. Refuses any ``scores_epsilon`` if one of the estimators is known not to be
    private."""
    name = next((name for one in estimators if (name := _known_not_private(one))), None)
    if scores_epsilon and name is not None:
        raise OptionError(
            f"scores_epsilon says that the classifier is private, but the {name} that is fitted "
            "here is not private: its training adds no noise. Leave scores_epsilon out, use a "
            "PrivateLogisticRegression, or fit the classifier on other people and pass prefit=True"
        )
    if scores_epsilon == 0:
        raise OptionError(
            "scores_epsilon=0 says that the classifier has learned nothing from these people, but "
            "the classifier is fitted on their rows. If the classifier is private, set "
            "scores_epsilon to the epsilon of its training. If not, leave scores_epsilon out. Or "
            "pass a classifier that was trained on other people, with prefit=True"
        )


def check_cost_of_fitted(scores_epsilon: float | None, estimators: list[Any]) -> None:
    """Refuses a cost above 0 of fitted ``estimators`` if one of them is known to be trained without
    noise. A FrozenEstimator is taken: the user has wrapped it on purpose."""
    name = next((name for one in estimators if (name := _known_not_private(one))), None)
    if scores_epsilon and name is not None:
        raise OptionError(
            f"{name} adds no noise in its training, so scores_epsilon={scores_epsilon:g} cannot be "
            "its cost. scores_epsilon is not a budget that dp2dp spends. Leave scores_epsilon and "
            "scores_delta out, or give 0 and 0 if the people of the training are public. If the "
            "classifier was trained on private synthetic data, or noise was added to it, wrap it "
            "in sklearn.frozen.FrozenEstimator"
        )


@contextmanager
def dropping_noted(names: Iterable[str], unaware: bool) -> Iterator[None]:
    """Adds a note to a classifier's errors about the columns of X. The classifier gets X without
    the sensitive columns ``names``. If the classifier was fitted with these columns, it fails, and
    the note helps. ``unaware`` says that the rule must not see these columns."""
    try:
        yield
    except (ValueError, KeyError, IndexError) as error:
        if any(word in str(error) for word in ("feature", "column", *names)):
            error.add_note(
                "The classifier gets X without the column that sensitive_column names"
                + (
                    ", because this rule must not see the group. Fit every classifier without that "
                    "column."
                    if unaware
                    else ". If the classifier was fitted with that column, pass "
                    "drop_sensitive=False."
                )
            )
        raise


def input_tags(estimator: Any) -> tuple[bool, bool]:
    """Returns whether an estimator takes sparse matrices, and whether it takes missing values. For
    an object without scikit-learn's tags, returns (True, True): the object must then check X
    itself."""
    if not hasattr(estimator, "__sklearn_tags__"):
        return True, True
    tags = get_tags(estimator).input_tags
    return tags.sparse, tags.allow_nan


def fit_quietly(
    estimator: Any, X: Features, labels: Any, weight: npt.ArrayLike | None = None
) -> None:
    """Fits an estimator with the sample weights ``weight``. Without metadata routing, a pipeline
    passes the weights to its last step. Estimators of this package give no warnings here, because
    the caller gives them."""
    given = {}
    if weight is not None:
        plain = not isinstance(estimator, Pipeline) or get_config()["enable_metadata_routing"]
        name = "sample_weight" if plain else f"{estimator.steps[-1][0]}__sample_weight"
        given = {name: weight}
    ours = isinstance(estimator, PrivateLogisticRegression)
    (estimator._fit_quietly if ours else estimator.fit)(X, labels, **given)


def _refuse_permuted(columns: list[str], own: Labels, estimator: Any) -> None:
    """Refuses columns whose order differs from that of the classes. Column names such as p_yes and
    p_no are compared with the classes if each name contains exactly one class."""
    words = [_words(column) for column in columns]
    classes = [_words(one) for one in own.tolist()]
    found = [[k for k, one in enumerate(classes) if _contains(column, one)] for column in words]
    order = [at[0] for at in found if len(at) == 1]
    if sorted(order) == list(range(len(classes))) == list(range(len(columns))) != order:
        raise DataError(
            f"predict_proba of {type(estimator).__name__} returns the columns {columns}, but its "
            f"classes_ are {own.tolist()}, in another order. Name the columns like the classes, or "
            "return the columns in the order of classes_"
        )


def _words(name: object) -> list[str]:
    return _WORDS.findall(str(name).casefold())


def _contains(column: list[str], name: list[str]) -> bool:
    starts = range(len(column) - len(name) + 1)
    return bool(name) and any(column[at : at + len(name)] == name for at in starts)


def _refuse_unlisted(own: list[Any], known: list[Any], name: str) -> None:
    """Refuses an estimator with a class that is not listed. The message may name the classes,
    because these come from a classifier and not from records."""
    first = next(one for one in own if one not in known)
    of = "groups" if "group" in name else "classes"
    raise OptionError(
        f"the {name} are {own}, but {of}={known} does not list {first!r}. The list must have all "
        f"{name}, written in the same way (0 is not '0')"
    )


def probabilities(
    estimator: Any, X: Features, classes: Labels, name: str, *, ignore: bool = False
) -> Floats:
    """Returns the estimator's probabilities, with a column for each of ``classes``. A class that
    the estimator has never seen gets the probability 0. If predict_proba returns a frame whose
    columns are named like the classes, the columns are found by name. With ``ignore``, estimators
    of this package return NaN for a bad row instead of raising an error."""
    own, inner = np.asarray(estimator.classes_), unfrozen(estimator)
    if ignore and isinstance(inner, PrivateLogisticRegression):
        found = inner._probabilities(X, ignore=True)
    else:
        found = estimator.predict_proba(X)
    names = [str(one) for one in own.tolist()]
    if hasattr(found, "columns") and {*map(str, found.columns)} != {*names}:
        _refuse_permuted([str(column) for column in found.columns], own, estimator)
    found = of_classes(found, names, type(estimator).__name__)
    p: Floats = np.asarray(found)
    if p.ndim != 2 or p.shape[1] != len(own):
        raise DataError(
            f"predict_proba of {type(estimator).__name__} must return a column for each of the "
            f"{len(own)} classes in classes_, not an array of shape {p.shape}"
        )
    if own is classes or np.array_equal(own, classes):
        return p
    at = codes_of(own, classes, name, unknown="ignore")
    if at.min(initial=0) < 0:
        _refuse_unlisted(own.tolist(), classes.tolist(), name)
    full = np.zeros((len(p), len(classes)), dtype=p.dtype)
    full[:, at] = p
    return full


@keeping()
def say_threshold(estimator: Any, X: Features, scores: Floats, classes: Labels) -> None:
    """Warns if the estimator's own decisions often differ from the most likely classes. The
    estimator may then have a tuned threshold. A threshold has no effect on the rule, because the
    rule sees only the probabilities. ``scores`` are the probabilities of ``classes`` for the rows
    of X. Warns if at least one row in twenty differs. Also warns if one row in four of some class
    differs, because a threshold for a rare class changes few rows. Does nothing if predict fails or
    returns values that are not classes."""
    ours = isinstance(unfrozen(estimator), PrivateLogisticRegression)
    if ours or not hasattr(estimator, "predict"):
        return
    if len(scores) > _COMPARED:
        rows = np.linspace(0, len(scores) - 1, _COMPARED).astype(np.intp)
        X, scores = _safe_indexing(X, rows), scores[rows]
    try:
        with outside_untold(True):
            found = np.asarray(estimator.predict(X)).reshape(-1)
        own = codes_of(found, classes, "classes", unknown="ignore")
    except Exception:  # predict may raise any exception, and the fit does not need predict
        return
    likeliest = scores.argmax(axis=1)
    if len(own) != len(likeliest) or own.min(initial=0) < 0:
        return
    differ = own != likeliest
    count, given = int(differ.sum()), (own, likeliest)
    moved = sum(np.bincount(codes[differ], minlength=len(classes)) for codes in given)
    sizes = np.minimum(*(np.bincount(codes, minlength=len(classes)) for codes in given))
    is_share = 20 * count >= len(own) or ((moved > 0) & (4 * moved >= sizes)).any()
    if count < _TIES or not is_share:
        return
    warn(
        f"threshold-ignored: in {count} of {len(own)} rows, predict of {type(estimator).__name__} "
        "does not return the class with the largest probability of predict_proba. The rule sees "
        "only the probabilities. So a threshold that the classifier has set, such as that of "
        "TunedThresholdClassifierCV, does not affect the rule. To keep the threshold, pass "
        "probabilities that are scaled so that the threshold is 0.5 (docs/python/classifier.md). "
        f"{SECRET}",
        FairnessWarning,
    )
