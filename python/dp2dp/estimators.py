"""scikit-learn estimators.

``epsilon`` has no default: privacy is chosen, not assumed. Lists of classes and groups and bounds
of features are public and should be given; where they are not they are read off the data, with a
:class:`PrivacyLeakWarning`, and the model is marked as not private.

>>> import numpy as np
>>> from sklearn.linear_model import LogisticRegression
>>> from dp2dp import FairPostProcessor
>>> rng = np.random.default_rng(0)
>>> sex = rng.integers(0, 2, 4000)
>>> X = rng.normal(size=(4000, 3)) + sex[:, None]
>>> y = (X.sum(axis=1) + rng.normal(size=4000) > 1).astype(int)
>>> fair = FairPostProcessor(
...     LogisticRegression(), epsilon=1, delta=1e-5, classes=[0, 1], groups=[0, 1]
... )
>>> decisions = fair.fit(X, y, sensitive_features=sex).predict(X, sensitive_features=sex)
>>> bool(abs(decisions[sex == 0].mean() - decisions[sex == 1].mean()) < 0.1)
True
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.metrics import accuracy_score
from sklearn.utils import _safe_indexing, check_array, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from . import core
from ._core import DataError, OptionError
from ._groups import (
    GroupsMixin,
    PrivacyLeakWarning,
    check_y,
    codes_of,
    names_of,
    public_list,
    two_sets,
)
from .accounting import Ledger

__all__ = [
    "DP2DPClassifier",
    "FairPostProcessor",
    "PrivacyLeakWarning",
    "PrivateLogisticRegression",
]


def _ledger(path):
    return None if path is None else Ledger.open(path)


def _nearest_distribution(scores):
    """The point of the simplex nearest to each row; it has the same order as the row."""
    z = np.asarray(scores, dtype=np.float64)
    falling = -np.sort(-z, axis=1)
    excess = np.cumsum(falling, axis=1) - 1
    size = np.arange(1, z.shape[1] + 1)
    count = np.sum(falling * size > excess, axis=1)
    level = excess[np.arange(len(z)), count - 1] / count
    return np.maximum(z - level[:, None], 0)


class _FairRule(GroupsMixin, ClassifierMixin):
    """Predictions of a fitted model_ from probabilities and groups."""

    def _scored(self, X, sensitive_features):
        check_is_fitted(self, "model_")
        X = self._check_X(X, reset=False)
        X, values = self._take_groups(X, sensitive_features)
        codes = self._group_codes(values, unknown=self.unknown_group)
        return self._probabilities(X), codes

    def predict(self, X, *, sensitive_features=None):
        """The fair decision for each row: deterministic, one subtraction per class."""
        p, codes = self._scored(X, sensitive_features)
        return self.classes_[self.model_.predict(p, codes, unknown=self.unknown_group)]

    def decision_function(self, X, *, sensitive_features=None):
        """The adjusted scores p - theta whose argmax is the decision; for two classes, that of the
        second less that of the first."""
        p, codes = self._scored(X, sensitive_features)
        adjusted = self.model_.adjust(p, codes, unknown=self.unknown_group)
        return adjusted[:, 1] - adjusted[:, 0] if len(self.classes_) == 2 else adjusted

    def predict_proba(self, X, *, sensitive_features=None):
        """The distribution nearest to the adjusted scores. Its argmax is the decision. Where the
        offsets are zero these are the classifier's own probabilities; elsewhere they are scores for
        ranking, and not calibrated."""
        p, codes = self._scored(X, sensitive_features)
        return _nearest_distribution(self.model_.adjust(p, codes, unknown=self.unknown_group))

    def score(self, X, y, sample_weight=None, *, sensitive_features=None):
        """Mean accuracy."""
        decisions = self.predict(X, sensitive_features=sensitive_features)
        return accuracy_score(y, decisions, sample_weight=sample_weight)

    def save(self, path):
        """Writes the model file, which the command line reads too."""
        check_is_fitted(self, "model_")
        self.model_.save(path)

    def _repr_html_(self):
        inner = super()._repr_html_() if hasattr(super(), "_repr_html_") else ""
        return inner + (self.model_._repr_html_() if hasattr(self, "model_") else "")


class FairPostProcessor(_FairRule, MetaEstimatorMixin, BaseEstimator):
    """Makes the decisions of any classifier with ``predict_proba`` fair, with privacy for the
    people the rule is learnt from.

    Parameters
    ----------
    estimator : classifier. It is cloned and fitted on one part of the rows; the rule is learnt on
        the rest, ``pool_fraction`` of them. With ``prefit=True`` it is used as it is, on all rows.
    epsilon, delta : the budget of the rule. Solver "exact" takes None, and is not private. What the
        classifier itself reveals of its own rows is not covered; if it is private, say so with
        ``scores_epsilon`` and ``scores_delta``.
    rho : the largest difference between groups in the rate of a class that is aimed at.
    solver : "counts", "sgd", "sgd-as-published" or "exact".
    prefit, pool_fraction : see ``estimator``. ``scores_from_pool=True`` says that a prefit
        classifier was trained on the rows given to ``fit``.
    sensitive_column : index or name of the column of X that holds the group, instead of
        ``sensitive_features``; ``sensitive_cuts`` cut a numeric one at public points. The
        classifier does not see it unless ``drop_sensitive=False``.
    classes, groups : the public lists.
    unknown_group : "refuse", or "base" for the plain argmax.
    rows_per_person : most rows one person has.
    options : further options of :func:`dp2dp.core.fit`, as a dict.
    ledger : path of a ledger that is charged too.
    insecure_seed : repeatable noise and split. The model is then NOT private.

    Attributes: ``model_`` (:class:`dp2dp.Model`), ``estimator_``, ``classes_``, ``groups_``.
    """

    def __init__(
        self,
        estimator,
        *,
        epsilon,
        delta=None,
        rho=0.0,
        solver="counts",
        prefit=False,
        pool_fraction=0.3,
        scores_from_pool=False,
        scores_epsilon=None,
        scores_delta=None,
        sensitive_column=None,
        sensitive_cuts=None,
        drop_sensitive=True,
        classes=None,
        groups=None,
        unknown_group="refuse",
        rows_per_person=1,
        options=None,
        ledger=None,
        insecure_seed=None,
    ):
        self.estimator = estimator
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.solver = solver
        self.prefit = prefit
        self.pool_fraction = pool_fraction
        self.scores_from_pool = scores_from_pool
        self.scores_epsilon = scores_epsilon
        self.scores_delta = scores_delta
        self.sensitive_column = sensitive_column
        self.sensitive_cuts = sensitive_cuts
        self.drop_sensitive = drop_sensitive
        self.classes = classes
        self.groups = groups
        self.unknown_group = unknown_group
        self.rows_per_person = rows_per_person
        self.options = options
        self.ledger = ledger
        self.insecure_seed = insecure_seed

    def fit(self, X, y=None, *, sensitive_features=None):
        """Learns the rule, and the classifier unless it is prefit, which needs no y."""
        X = self._check_X(X, reset=True)
        inner, values = self._take_groups(X, sensitive_features)
        codes, from_data = self._fit_groups(values)
        leaks = ["scores-from-pool"] if self.scores_from_pool else []
        leaks += ["labels-from-data"] if from_data else []
        if self.prefit:
            check_is_fitted(self.estimator)
            self.estimator_, pool = self.estimator, inner
            self.classes_ = np.asarray(
                self.estimator_.classes_ if self.classes is None else self.classes
            )
        else:
            y = check_y(self, X, y)
            self.classes_, from_data = public_list(self.classes, y, "classes")
            codes_of(y, self.classes_, "classes")
            leaks += ["labels-from-data"] if from_data else []
            train, rest = two_sets(len(y), self.pool_fraction, self.insecure_seed)
            self.estimator_ = clone(self.estimator).fit(_safe_indexing(inner, train), y[train])
            pool, codes = _safe_indexing(inner, rest), codes[rest]
        self.model_ = core.fit(
            self._probabilities(pool),
            codes,
            group_names=names_of(self.groups_, "groups"),
            class_names=names_of(self.classes_, "classes"),
            solver=self.solver,
            rho=self.rho,
            epsilon=self.epsilon,
            delta=self.delta,
            leaks=sorted(set(leaks)),
            rows_per_person=self.rows_per_person,
            scores_epsilon=self.scores_epsilon,
            scores_delta=self.scores_delta,
            ledger=_ledger(self.ledger),
            insecure_seed=self.insecure_seed,
            **(self.options or {}),
        )
        return self

    def _probabilities(self, X):
        """One column for each of classes_; a class that the classifier has never seen has 0."""
        p = np.asarray(self.estimator_.predict_proba(X))
        own = np.asarray(self.estimator_.classes_)
        if np.array_equal(own, self.classes_):
            return p
        at = codes_of(own, self.classes_, "classes of the estimator")
        full = np.zeros((len(p), len(self.classes_)), dtype=p.dtype)
        full[:, at] = p
        return full

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self.estimator).input_tags.sparse
        tags.input_tags.allow_nan = get_tags(self.estimator).input_tags.allow_nan
        tags.classifier_tags.poor_score = True  # fairness and noise cost accuracy, by design
        tags.non_deterministic = self.insecure_seed is None
        return tags


class _NumericSchema:
    """Numeric columns with public bounds as a schema. Needs bounds, data_norm and norm."""

    def _schema(self, X, names, classes, classes_from_data, group_column=None):
        lower, upper, extra, from_data = self._bounds(X)
        columns = [
            {"name": name, "role": "feature", "kind": "numeric", "lower": a, "upper": b, **extra}
            for name, a, b in zip(names, lower.tolist(), upper.tolist())
        ]
        taken = [*names, group_column["name"]] if group_column else names
        columns.append(
            {
                "name": _free_name("label", taken),
                "role": "label",
                "kind": "categorical",
                "levels": classes,
            }
        )
        if group_column:
            columns.append(group_column)
        origin = "from-data" if from_data or classes_from_data else "public"
        return core.Schema(
            {
                "format": "dp2dp-schema",
                "version": {"major": 1, "minor": 0},
                "origin": origin,
                "norm": self.norm,
                "columns": columns,
            }
        )

    def _bounds(self, X):
        width = X.shape[1]
        if self.bounds is not None and self.data_norm is not None:
            raise OptionError("give bounds or data_norm, not both")
        if self.data_norm is not None:
            if not 0 < self.data_norm < np.inf:
                raise OptionError(f"data_norm must be above 0, not {self.data_norm!r}")
            ends = np.full(width, float(self.data_norm))
            return -ends, ends, {"centre": 0.0, "scale": self.data_norm / self.norm}, False
        if self.bounds is not None:
            lower, upper = (np.broadcast_to(np.asarray(b, float), (width,)) for b in self.bounds)
            if not np.all(lower < upper):
                raise OptionError("bounds must be (lower, upper) with lower below upper")
            return lower, upper, {}, False
        warnings.warn(
            "bounds were read off the data, which reveals extreme values; the model is marked as "
            "not private. Pass public bounds=(lower, upper) or data_norm",
            PrivacyLeakWarning,
            stacklevel=4,
        )
        lower, upper = X.min(axis=0).astype(float), X.max(axis=0).astype(float)
        return lower, np.where(upper > lower, upper, lower + np.maximum(1, abs(lower))), {}, True


def _free_name(name, taken):
    while name in taken:
        name += "_"
    return name


class PrivateLogisticRegression(_NumericSchema, ClassifierMixin, BaseEstimator):
    """Multinomial logistic regression on numeric X with differential privacy.

    Parameters
    ----------
    epsilon, delta : the budget. Method "none" takes None, and is not private.
    method : "dpgd", "dpsgd", "output" or "none".
    bounds : (lower, upper), each a number or one for each feature. Public; what is outside is
        clipped.
    data_norm : instead of bounds: a public bound on the norm of a row. Longer rows are scaled down.
    norm : R, the norm that encoded rows are clipped to.
    classes : the public list of classes.
    rows_per_person, options, ledger, insecure_seed : as for :class:`FairPostProcessor`; options are
        those of :func:`dp2dp.core.train`.

    Attributes: ``model_`` (:class:`dp2dp.Model`), ``schema_``, ``classes_``.
    """

    def __init__(
        self,
        *,
        epsilon,
        delta=None,
        method="dpgd",
        bounds=None,
        data_norm=None,
        norm=3.0,
        classes=None,
        rows_per_person=1,
        options=None,
        ledger=None,
        insecure_seed=None,
    ):
        self.epsilon = epsilon
        self.delta = delta
        self.method = method
        self.bounds = bounds
        self.data_norm = data_norm
        self.norm = norm
        self.classes = classes
        self.rows_per_person = rows_per_person
        self.options = options
        self.ledger = ledger
        self.insecure_seed = insecure_seed

    def fit(self, X, y):
        X = validate_data(self, X, reset=True, dtype=[np.float64, np.float32])
        y = check_y(self, X, y)
        return self._fit_checked(X, y, getattr(self, "feature_names_in_", None))

    def _fit_checked(self, X, y, names, group_column=None):
        self.classes_, from_data = public_list(self.classes, y, "classes")
        if len(self.classes_) < 2:
            raise DataError(f"at least 2 classes are needed, not {len(self.classes_)} class")
        codes = codes_of(y, self.classes_, "classes")
        levels = names_of(self.classes_, "classes")
        self._names = [f"x{j}" for j in range(X.shape[1])] if names is None else list(names)
        self.schema_ = self._schema(X, self._names, levels, from_data, group_column)
        label = self.schema_.columns[X.shape[1]]
        self.model_ = core.train(
            self.schema_,
            core.Rows(X, [*self._names, label], [(codes, levels)]),
            method=self.method,
            epsilon=self.epsilon,
            delta=self.delta,
            rows_per_person=self.rows_per_person,
            ledger=_ledger(self.ledger),
            insecure_seed=self.insecure_seed,
            **(self.options or {}),
        )
        return self

    def _scores(self, X):
        return core.score(self.model_, core.Rows(X, self._names)).scores

    def predict_proba(self, X):
        """The classifier's probabilities."""
        check_is_fitted(self, "model_")
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        p = self._scores(X).astype(np.float64)
        return p / p.sum(axis=1, keepdims=True)

    def decision_function(self, X):
        """The probabilities; for two classes, that of the second less that of the first."""
        p = self.predict_proba(X)
        return p[:, 1] - p[:, 0] if len(self.classes_) == 2 else p

    def predict(self, X):
        """The most probable class."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def save(self, path):
        """Writes the model file, which the command line reads too."""
        check_is_fitted(self, "model_")
        self.model_.save(path)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # noise costs accuracy, on small data most of it
        tags.non_deterministic = self.insecure_seed is None
        return tags


class DP2DPClassifier(_FairRule, _NumericSchema, BaseEstimator):
    """Both phases: a private classifier on one part of the people, a fair and private rule on the
    rest. Each has the whole budget, since nobody is in both: ``model_.epsilon`` covers everything.

    Parameters are those of :class:`PrivateLogisticRegression` and :class:`FairPostProcessor`;
    ``train_options`` and ``fit_options`` are dicts for either phase.

    Attributes: ``model_`` (:class:`dp2dp.Model`, classifier and rule), ``classifier_``,
    ``classes_``, ``groups_``.
    """

    def __init__(
        self,
        *,
        epsilon,
        delta=None,
        rho=0.0,
        method="dpgd",
        solver="counts",
        pool_fraction=0.3,
        bounds=None,
        data_norm=None,
        norm=3.0,
        sensitive_column=None,
        sensitive_cuts=None,
        drop_sensitive=True,
        classes=None,
        groups=None,
        unknown_group="refuse",
        rows_per_person=1,
        train_options=None,
        fit_options=None,
        ledger=None,
        insecure_seed=None,
    ):
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.method = method
        self.solver = solver
        self.pool_fraction = pool_fraction
        self.bounds = bounds
        self.data_norm = data_norm
        self.norm = norm
        self.sensitive_column = sensitive_column
        self.sensitive_cuts = sensitive_cuts
        self.drop_sensitive = drop_sensitive
        self.classes = classes
        self.groups = groups
        self.unknown_group = unknown_group
        self.rows_per_person = rows_per_person
        self.train_options = train_options
        self.fit_options = fit_options
        self.ledger = ledger
        self.insecure_seed = insecure_seed

    def fit(self, X, y, *, sensitive_features=None):
        X = self._check_X(X, reset=True)
        y = check_y(self, X, y)
        inner, values = self._take_groups(X, sensitive_features)
        inner = self._numbers(inner)
        codes, from_data = self._fit_groups(values)
        group_names = names_of(self.groups_, "groups")
        train, pool = two_sets(len(y), self.pool_fraction, self.insecure_seed)
        self.classifier_ = PrivateLogisticRegression(
            epsilon=self.epsilon,
            delta=self.delta,
            method=self.method,
            bounds=self.bounds,
            data_norm=self.data_norm,
            norm=self.norm,
            classes=self.classes,
            rows_per_person=self.rows_per_person,
            options=self.train_options,
            ledger=self.ledger,
            insecure_seed=self.insecure_seed,
        )._fit_checked(inner[train], y[train], *self._columns(X, sensitive_features, group_names))
        self.classes_ = self.classifier_.classes_
        self.model_ = core.fit(
            self._probabilities(inner[pool]),
            codes[pool],
            group_names=group_names,
            group_column=self.classifier_.schema_.columns[-1],
            solver=self.solver,
            rho=self.rho,
            epsilon=self.epsilon,
            delta=self.delta,
            base=self.classifier_.model_,
            leaks=["labels-from-data"] if from_data else [],
            rows_per_person=self.rows_per_person,
            ledger=_ledger(self.ledger),
            insecure_seed=self.insecure_seed,
            **(self.fit_options or {}),
        )
        return self

    def _columns(self, X, sensitive_features, group_names):
        """Names of the features, or None, and the group's column of the schema, so that the program
        reads the same table with the saved model."""
        names = getattr(self, "feature_names_in_", None)
        group = getattr(sensitive_features, "name", None) or "group"
        if self.sensitive_column is not None:
            at = self._column_position(X)
            group = "group" if names is None else names[at]
            if names is not None and self.drop_sensitive:
                names = np.delete(names, at)
        taken = [f"x{j}" for j in range(X.shape[1])] if names is None else list(names)
        column = {"name": _free_name(str(group), taken), "role": "sensitive"}
        if self.sensitive_cuts is not None:
            return names, {**column, "kind": "numeric", "cuts": self._cuts().tolist()}
        return names, {**column, "kind": "categorical", "levels": group_names}

    def _numbers(self, X):
        return check_array(X, dtype=[np.float64, np.float32], estimator=self, input_name="X")

    def _probabilities(self, X):
        return self.classifier_._scores(self._numbers(X))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # fairness and noise cost accuracy, by design
        tags.non_deterministic = self.insecure_seed is None
        return tags
