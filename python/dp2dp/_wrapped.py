"""Classifiers inside FairPostProcessor: any object with ``predict_proba`` and ``classes_``."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from ._by_name import of_classes
from ._core import DataError
from ._logistic import PrivateLogisticRegression
from ._typing import Features, Floats, Labels
from ._validation import codes_of


def check_has_probabilities(estimator: Any, name: str) -> None:
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(
            f"{name} must be a classifier with predict_proba, which {type(estimator).__name__} "
            "lacks; sklearn.calibration.CalibratedClassifierCV adds it to a classifier"
        )


def cannot_be_fitted(estimator: Any) -> bool:
    """Returns whether an estimator is frozen or has no ``fit``."""
    return isinstance(estimator, FrozenEstimator) or not hasattr(estimator, "fit")


def check_fitted(estimator: Any, name: str) -> None:
    if isinstance(estimator, BaseEstimator):
        check_is_fitted(estimator)
    if not hasattr(estimator, "classes_"):
        raise TypeError(
            f"{name} must have classes_, the class of each column of predict_proba, which "
            f"{type(estimator).__name__} lacks"
        )


def unfrozen(estimator: Any) -> Any:
    return unfrozen(estimator.estimator) if isinstance(estimator, FrozenEstimator) else estimator


def input_tags(estimator: Any) -> tuple[bool, bool]:
    """Returns whether an estimator takes sparse matrices, and missing values. For an object without
    scikit-learn's tags both are True, and the object decides for itself."""
    if not hasattr(estimator, "__sklearn_tags__"):
        return True, True
    tags = get_tags(estimator).input_tags
    return tags.sparse, tags.allow_nan


def fit_quietly(
    estimator: Any, X: Features, labels: Any, weight: npt.ArrayLike | None = None
) -> None:
    """Fits an estimator. Our own estimators do not warn here, since the caller does. Without
    metadata routing, a pipeline gives the weights to its last step."""
    given = {}
    if weight is not None:
        plain = not isinstance(estimator, Pipeline) or get_config()["enable_metadata_routing"]
        name = "sample_weight" if plain else f"{estimator.steps[-1][0]}__sample_weight"
        given = {name: weight}
    ours = isinstance(estimator, PrivateLogisticRegression)
    (estimator._fit_quietly if ours else estimator.fit)(X, labels, **given)


def probabilities(estimator: Any, X: Features, classes: Labels, name: str) -> Floats:
    """Returns the estimator's probabilities, with a column for each of ``classes``. A class that
    the estimator has never seen gets 0. If predict_proba returns a frame whose columns are named
    like the classes, they are found by name."""
    found, own = estimator.predict_proba(X), np.asarray(estimator.classes_)
    found = of_classes(found, [str(one) for one in own.tolist()], type(estimator).__name__)
    p: Floats = np.asarray(found)
    if p.ndim != 2 or p.shape[1] != len(own):
        raise DataError(
            f"predict_proba of {type(estimator).__name__} must return a column for each of the "
            f"{len(own)} classes in classes_, not an array of shape {p.shape}"
        )
    if own is classes or np.array_equal(own, classes):
        return p
    at = codes_of(own, classes, name)
    full = np.zeros((len(p), len(classes)), dtype=p.dtype)
    full[:, at] = p
    return full
