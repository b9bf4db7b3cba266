"""The base class of estimators that make fair decisions from probabilities and groups."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from . import _criterion, core
from ._at_predict import say_one_class
from ._base import PrivateClassifier
from ._changed import note_parameters, refuse_changed, say_changed
from ._core import OptionError
from ._decided import note_decisions, say_decisions_measured, say_own_decisions
from ._decisions import positive_of, say_unlisted
from ._groups import GroupsMixin
from ._index import check_beside, check_index
from ._measures import Certificate, say_as_many
from ._model import Model, check_bad_rows, check_unknown
from ._outside import outside_untold
from ._report import Report
from ._role_names import note_names, say_names
from ._rows_of_fit import of_fit, rows_are
from ._searched import refuse_unscorable, say_rho_chosen, say_wrapped
from ._table import restored
from ._typing import Features, Float64s, Floats, Labels, Path
from ._validation import check_y, codes_of, listed, names_of
from ._warn import FairnessWarning, keeping, warn

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _nearest_distribution(scores: Floats) -> Float64s:
    """Returns, for each row of ``scores``, the nearest probability distribution. The distribution
    ranks the classes in the same order as the scores."""
    z = np.asarray(scores, dtype=np.float64)
    falling = -np.sort(-z, axis=1)
    excess = np.cumsum(falling, axis=1) - 1
    size = np.arange(1, z.shape[1] + 1)
    count = np.sum(falling * size > excess, axis=1)
    level = excess[np.arange(len(z)), count - 1] / count
    nearest: Float64s = np.maximum(z - level[:, None], 0)
    return nearest


def _groups_by_name(method: Callable[_P, _R]) -> Callable[_P, _R]:
    """A decorator for a ``method`` that takes X. If the groups are passed by position, the error
    says that they must be passed as ``sensitive_features``."""

    @wraps(method)
    def checked(*args: _P.args, **options: _P.kwargs) -> _R:
        if len(args) > 2:
            raise TypeError(
                f"{method.__name__} takes only X by position: pass the groups as "
                "sensitive_features=..."
            )
        return method(*args, **options)

    return checked


def _in_own_name(method: Callable[_P, _R]) -> Callable[_P, _R]:
    """A decorator for a ``method``. If its arguments are wrong, the error names the estimator, and
    not the class FairRule, which users do not see."""
    known = signature(method)

    @wraps(method)
    def checked(*args: _P.args, **options: _P.kwargs) -> _R:
        try:
            known.bind(*args, **options)
        except TypeError as error:
            words = f"{type(args[0]).__name__}.{method.__name__}: {error}"
            more = "; pass the groups as sensitive_features=..." if "positional" in words else ""
            raise TypeError(words + more) from None
        return method(*args, **options)

    return checked


def _refuse_as_path(path: Any) -> None:
    """Refuses rows that were passed to report by position, as its first argument ``path``."""
    if path is not None and not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(
            "the first argument of report is the path of the page: pass the test people as X=..., "
            "y=... and sensitive_features=..."
        )


class FairRule(GroupsMixin, PrivateClassifier):
    """Decides from probabilities and groups by the rule of ``model_``. Subclasses fit the model."""

    constraints: str
    positive: Any
    rho: float
    solver: str
    pool_fraction: float

    def _further(self) -> dict[str, Any]:
        """Returns the user's dict of further options of core.fit."""
        raise NotImplementedError

    def _scores_and_weights(self, X: Features) -> tuple[Floats, Floats | None]:
        """Returns the scores and, if the rule does not see the group, the weights: probabilities of
        the groups or of the pairs (group, label)."""
        raise NotImplementedError

    def _note_given(self, X: Features, y: Any, groups: Any, weight: Any = None) -> None:
        """Compares the indexes of what ``fit`` is given, and stores the names of y and groups."""
        check_beside(X, y=y, sensitive_features=groups, sample_weight=weight)
        check_index(X, "X", weight, "sample_weight")
        note_names(self, y, groups)

    def _check_constraints(self, classes: Labels) -> bool:
        """Refuses a criterion that does not fit the other options, before anything is charged.
        Returns whether the fit needs labels."""
        more = self._further()
        say_rho_chosen()
        say_wrapped()
        if not self._is_unaware():
            refuse_unscorable()
        if more.get("ids") is not None or more.get("dither_key") == "id":
            raise OptionError(
                "estimators take no ids: use dither_key='scores', or use dp2dp.fit, which takes ids"
            )
        counted = [name for name in ("statistics", "score_columns") if more.get(name) is not None]
        self._refuse_unsorted(classes, f"the option {counted[0]}" if counted else None)
        if self.positive is not None and self.positive not in classes.tolist():
            raise OptionError(
                f"positive must be one of the classes {classes.tolist()}, not {self.positive!r}"
            )
        if self._is_unaware() and self.sensitive_column is not None and not self.drop_sensitive:
            raise OptionError(
                "drop_sensitive=False would show the group to a rule that must not see it: leave "
                "drop_sensitive out"
            )
        aware, found = not self._is_unaware(), more.get("statistics")
        labelled = _criterion.check(
            self.constraints, found, len(classes), solver=self.solver, sees_group=aware
        )
        if self.positive is not None and not _criterion.is_rate(self.constraints):
            raise OptionError(
                f"positive={self.positive!r} has no effect on {self.constraints}: leave positive "
                "out. Only criteria that compare true or false positive rates have a positive "
                "class"
            )
        return labelled and more.get("counted") != "scores"

    def _refuse_unused(self, name: str, why: str) -> None:
        """Raises an error if the parameter ``name``, which has no effect here, does not have its
        default value. The message gives ``why`` as the reason."""
        given, known = getattr(self, name), signature(type(self).__init__).parameters
        if name in known and given != known[name].default:
            raise OptionError(f"{name}={given!r} has no effect: {why}. Leave {name} out")

    def _refuse_unsorted(self, classes: Labels, what: str | None) -> None:
        """Refuses a list of classes that is not in sorted order. ``what`` is the name of an option
        that depends on the order of the classes. If ``what`` is None, nothing is refused."""
        given = None if self.classes is None else listed(self.classes, "classes").tolist()
        if what is not None and given is not None and given != classes.tolist():
            raise OptionError(
                f"{what} depends on the order of the classes. Give the classes in sorted order: "
                f"classes={classes.tolist()}"
            )

    def _positive(self) -> Any:
        """Returns the positive class, or None for the library's default, the second class in sorted
        order. If the user listed two classes in another order, the second class of the user's list
        is the positive one."""
        if self.positive is not None or self.classes is None or len(self.classes_) != 2:
            return self.positive
        second = listed(self.classes, "classes").tolist()[1]
        rates = _criterion.is_rate(self.constraints) and second != self.classes_.tolist()[1]
        return second if rates else None

    @keeping()
    def _tell_positive(self) -> None:
        """Warns if the criterion has a positive class and the user did not say which class it
        is."""
        if self.positive is not None or not _criterion.is_rate(self.constraints):
            return
        chosen, names = self._positive(), self.classes_.tolist()
        if len(names) == 2 and chosen == names[0]:
            names = names[::-1]
        order = "in the list" if self._has_class_list() else "in sorted order"
        _criterion.tell_positive(names, order)

    def _has_class_list(self) -> bool:
        """Returns whether the user gave a list of classes."""
        return self.classes is not None

    def _rule_options(self) -> dict[str, Any]:
        """Returns the options of core.fit that all subclasses have as parameters."""
        given, classes = self._positive(), self.classes_.tolist()
        return {
            "group_names": names_of(self.groups_, "groups"),
            "criterion": self.constraints,
            "positive": None if given is None else classes.index(given),
            "solver": self.solver,
            "rho": self.rho,
            "bad_rows": self.bad_rows,
            **self._spending(),
            **self._further(),
        }

    def _scored(self, X: Features, sensitive_features: Any) -> tuple[Floats, dict[str, Any]]:
        """Returns the scores of rows, and the other arguments of the model's predict."""
        if "model_" not in self.__dict__:
            check_is_fitted(self, "model_")
        say_changed(self)
        say_names(self, groups=sensitive_features)
        self._say_refitted()
        if self._is_unaware():
            inner = self._unseen(X)
            self._say_ignored(sensitive_features)
            p, weights = self._scores_and_weights(inner)
            return p, {"weights": weights}
        X, values = self._take_groups(self._check_X(X, reset=False), sensitive_features)
        check_unknown(self.unknown_group, "unknown_group")
        codes = self._group_codes(values, unknown=self.unknown_group)
        return self._scores_and_weights(X)[0], {"groups": codes, "unknown": self.unknown_group}

    def _say_refitted(self, *, all_of: bool = False) -> None:
        """Warns if the classifiers are no longer those that the rule was learned for. Subclasses
        that take fitted classifiers override this method."""

    def _say_ignored(self, sensitive_features: Any) -> None:
        if sensitive_features is not None and not self.__dict__.get("_told"):
            self._told = True
            warn(
                "groups-ignored: the groups are not used, since the rule does not see the group",
                FairnessWarning,
            )

    def _adjusted(self, X: Features, sensitive_features: Any) -> Floats:
        p, given = self._scored(X, sensitive_features)
        return self.model_.adjust(p, **given)

    @_groups_by_name
    def predict(self, X: Features, *, sensitive_features: Any = None) -> Labels:
        """Returns the fair decision for each row of ``X``. ``sensitive_features`` has the group of
        each row. Rows that are equal and have the same group get the same decision. Leave
        ``sensitive_features`` out if the rule does not see the group, or finds the group in a
        column of X. If the rule does not see the group, a frame X need not have the columns of the
        group."""
        p, given = self._scored(X, sensitive_features)
        # With ``out``, the model does not note these codes: the names below are noted.
        decisions = self.model_.predict(p, **given, out=np.empty(len(p), dtype=np.int32))
        if not {"constant-rule", "out-of-reach"} & {*self.model_.warnings}:
            say_one_class(decisions, self.classes_.tolist())
        found: Labels = self.classes_[decisions]
        positive = positive_of(self) if len(found) > 1 else None  # one row is not measured
        compared = not check_bad_rows(self.bad_rows)
        classes = self.classes_.tolist()
        note_decisions(found, self.model_, X, classes, positive, compared=compared)
        return found

    def _predict_without_rule(self, X: Features, *, sensitive_features: Any = None) -> Labels:
        """Returns, for each row, the class with the largest probability of the classifier."""
        likeliest: Labels = self.classes_[self._scored(X, sensitive_features)[0].argmax(axis=1)]
        return likeliest

    def _group_names(self, X: Features, sensitive_features: Any) -> tuple[Labels, list[str]]:
        """Returns the name of each row's group, and the list of names. If ``unknown_group`` is
        "base", a group that is not in the list gets the name "not listed". If ``unknown_group``
        is "refuse", such a group raises an error."""
        values = self._take_groups(self._check_X(X, reset=False), sensitive_features)[1]
        codes = self._group_codes(values, unknown=self.unknown_group)
        names = names_of(self.groups_, "groups")
        if np.any(codes < 0):
            names = [*names, "not listed"]
        return np.array(names)[codes], names

    @_groups_by_name
    def decision_function(self, X: Features, *, sensitive_features: Any = None) -> Floats:
        """Returns the adjusted scores, whose argmax is the decision. For two classes, returns the
        score of the second class minus the score of the first class. ``X`` and
        ``sensitive_features`` are those of :meth:`predict`."""
        adjusted = self._adjusted(X, sensitive_features)
        return adjusted[:, 1] - adjusted[:, 0] if len(self.classes_) == 2 else adjusted

    @_groups_by_name
    def predict_proba(self, X: Features, *, sensitive_features: Any = None) -> Float64s:
        """Returns, for each row, the probability distribution nearest to the adjusted scores. The
        decision is the class with the largest probability. If the offsets of a row's group are
        zero, the result is the classifier's own distribution. For other offsets the result is not
        calibrated: use it for ranking only. ``X`` and ``sensitive_features`` are those of
        :meth:`predict`."""
        say_wrapped()
        return _nearest_distribution(self._adjusted(X, sensitive_features))

    @_in_own_name
    def score(
        self,
        X: Features,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        *,
        sensitive_features: Any = None,
    ) -> float:
        """Returns the mean accuracy of the decisions, weighted by ``sample_weight`` if given. ``X``
        and ``sensitive_features`` are those of :meth:`predict`, and ``y`` has the true classes. NOT
        private."""
        beside = {"y": y, "sensitive_features": sensitive_features, "sample_weight": sample_weight}
        check_beside(X, **beside)
        check_index(X, "X", y, "y")
        check_index(X, "X", sample_weight, "sample_weight")
        say_names(self, y)
        decisions = self.predict(X, sensitive_features=sensitive_features)
        say_unlisted(y, self.classes_)
        say_own_decisions(self.model_, y)
        say_decisions_measured(decisions)
        return float(accuracy_score(y, decisions, sample_weight=sample_weight))

    @_in_own_name
    def certify(
        self,
        X: Features,
        y: npt.ArrayLike | None = None,
        *,
        sensitive_features: Any = None,
        epsilon: float,
        delta: float,
        **options: Any,
    ) -> Certificate:
        """Computes an upper bound on the unfairness of the rule with differential privacy, as
        :func:`dp2dp.certify` does. Use people whom ``fit`` has not seen. ``X`` and
        ``sensitive_features`` are those of :meth:`predict`; ``y`` is needed if the criterion
        compares people with the same label. Further ``options`` are those of :func:`dp2dp.certify`.
        The default of the option ``ledger`` is the estimator's ledger, if the estimator has one. If
        the estimator's ledger is not about these people, pass the ledger of these people, or None.
        The default of the option ``bad_rows`` is the ``bad_rows`` of the estimator.

        Privacy: charges ``epsilon`` and ``delta``, which have no default, to the people given here.
        """
        check_is_fitted(self, "model_")
        refuse_changed(self)
        self._say_refitted(all_of=True)
        if "ledger" not in options:
            options["ledger"] = self._ledger()
        check_beside(X, y=y, sensitive_features=sensitive_features)
        say_names(self, y, sensitive_features)
        ignore = check_bad_rows(options.setdefault("bad_rows", self.bad_rows))
        given_rows, X = X, self._check_X(X, reset=False, ignore=ignore)
        inner, values = self._take_groups(X, sensitive_features, ignore=ignore)
        inner = self._as_given(inner, given_rows)
        rows, fitted = len(values), self.__dict__.get("_rows")
        as_many = rows == fitted != self.model_.records and options.get("same_people") is None
        if as_many and (ignore or not of_fit(self.model_, given_rows)):
            say_as_many()  # core.certify does not know how many rows the estimator was fitted on
        unknown = "ignore" if ignore else None
        with outside_untold(ignore):
            scores, weights, left_out = self._scores_to_certify(inner, ignore)
        codes = self._group_codes(values, unknown=unknown)
        if left_out is not None:
            codes[left_out] = -1
        labels = None
        if self.model_.info["labels"] > 1:
            given = check_y(self, X, y, self.classes_, ignore=ignore)
            labels = codes_of(given, self.classes_, "classes", unknown=unknown)
        with rows_are(given_rows):
            return core.certify(
                self.model_,
                scores,
                codes,
                labels=labels,
                weights=weights,
                epsilon=epsilon,
                delta=delta,
                **options,
            )

    def _as_given(self, inner: Features, given: Features) -> Features:
        """Returns the features for the classifier. ``given`` is X as the user passed it. Subclasses
        may override this method."""
        return inner

    def _scores_to_certify(
        self, X: Features, ignore: bool
    ) -> tuple[Floats, Floats | None, npt.NDArray[np.bool_] | None]:
        """Returns (scores, weights, left_out). ``weights`` is None if the rule sees the group.
        ``left_out`` is a mask of the bad rows, which are left out, or None if no row can be left
        out."""
        return (*self._scores_and_weights(X), None)

    @_in_own_name
    def report(
        self,
        path: Path | None = None,
        *,
        X: Features | None = None,
        y: npt.ArrayLike | None = None,
        sensitive_features: Any = None,
        **options: Any,
    ) -> Report:
        """Returns a page about ``model_``, as :meth:`dp2dp.Model.report` does, and writes it to
        ``path`` if given. ``X``, ``y`` and ``sensitive_features`` describe test people whom ``fit``
        has not seen. Further ``options`` are those of :meth:`dp2dp.Model.report`.

        Privacy: charges nothing. With test people the page has exact counts about real people, so
        never publish such a page."""
        check_is_fitted(self, "model_")
        _refuse_as_path(path)
        say_changed(self)
        if X is None:
            if y is not None or sensitive_features is not None:
                raise OptionError("y and sensitive_features describe the rows of X: pass X too")
            return self.model_.report(path, **options)
        self._say_refitted(all_of=True)
        check_beside(X, y=y, sensitive_features=sensitive_features)
        say_names(self, y, sensitive_features)
        given_rows, X = X, self._check_X(X, reset=False)
        inner, values = self._take_groups(X, sensitive_features)
        scores, weights = self._scores_and_weights(inner)
        if y is not None:
            options["labels"] = codes_of(
                check_y(self, X, y, self.classes_), self.classes_, "classes"
            )
        with rows_are(given_rows):
            return self.model_.report(
                path, scores=scores, groups=self._group_codes(values), weights=weights, **options
            )

    def _load_rule(self, model: Model) -> None:
        """Sets the attributes about the rule, as ``fit`` does, from a ``model`` that was loaded."""
        if model.rule is None:
            raise OptionError(
                "the file has a classifier without a rule: use PrivateLogisticRegression.load"
            )
        self.constraints = model.criterion or self.constraints
        self.rho, self.solver = model.info["settings"]["rho"], model.solver or self.solver
        if model.positive is not None:
            self.positive = self.classes_[model.positive]
        if self.sensitive_cuts is None:
            self.groups_ = restored(model.groups, self.groups, "groups")
        else:
            self.groups_ = self._cut_groups()
            if self.groups_.tolist() != model.groups:
                raise OptionError(
                    "sensitive_cuts must cut numbers into the groups of the model, which are "
                    f"{model.groups}"
                )
        note_parameters(self)
