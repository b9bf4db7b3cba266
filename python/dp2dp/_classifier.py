"""DP2DPClassifier."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import _safe_indexing, check_array

from . import core
from ._bounds import column_names, free_name
from ._cells import of_features
from ._core import OptionError
from ._criterion import is_labelled
from ._decisions import say_empty
from ._factored import Factored
from ._fair_rule import FairRule
from ._logistic import PrivateLogisticRegression
from ._model import check_bad_rows
from ._plan import Sizes, rehearse
from ._rows_of_fit import remember
from ._table import (
    AnySchema,
    Table,
    as_schema,
    check_rows,
    columns_of,
    has_categories,
    of_frame,
    of_numbers,
    of_schema,
    restored,
    without_ignored,
)
from ._told_by import (
    of_table,
    refuse_other_labels,
    say_group_seen,
    say_groups_are_labels,
    say_groups_are_nearly,
)
from ._typing import Bounds, Column, Features, Floats, Labels, Path
from ._validation import (
    Positions,
    as_frame,
    cells_unseen,
    check_y,
    class_list,
    codes_of,
    distinct,
    group_values,
    names_of,
    refuse_people,
    refuse_weights,
    rows_of,
    two_sets,
)
from ._warn import keeping
from .accounting import Ledger


class DP2DPClassifier(FairRule):
    """Trains a private classifier on one part of the rows, and learns a fair and private rule on
    the rest. If each person has one row, nobody is in both parts, so each phase has the whole
    budget. With ``rows_per_person`` above 1 a person may be in both parts, and the costs add up.
    ``model_.epsilon`` covers both phases. A ``ledger`` does not know who is in which part, so it
    charges both phases to everybody.

    Parameters
    ----------
    epsilon, delta
        The budget of each phase, or of both phases together if ``pool`` is "same".
    constraints, positive, rho, solver
        The options of the fair rule, as for :class:`FairPostProcessor`.
    unaware
        True makes a rule that does not see the group. One private classifier predicts the pair
        (group, label) and gives both the scores and the weights. Predictions need no group, and a
        frame needs no column with the group.
    method
        How the classifier is trained, as for :class:`PrivateLogisticRegression`.
    pool
        Whom the rule is learned from. "own": people whom the classifier is not trained on. "same":
        all rows are used for both phases. The costs of both phases then count for everybody, and
        add up to at most ``epsilon``. The result is often fairer if a group, or a label in a group,
        has few people.
    pool_fraction
        The share of the rows that the rule is learned on. Refused if ``pool`` is "same".
    train_share
        The share of the budget that training takes if ``pool`` is "same". The budget is divided in
        terms of mu², where mu is the parameter of Gaussian differential privacy, because mu² adds
        up over releases. Refused if ``pool`` is "own".
    bounds, categories, data_norm, norm
        The public facts about the features, as for :class:`PrivateLogisticRegression`.
    schema
        Instead of bounds and categories, a :class:`dp2dp.Schema`, or its name, path or dict. If the
        schema has a sensitive column, the group is taken from the column of X with the same name.
    sensitive_column, sensitive_cuts, drop_sensitive
        Which column of X holds the group, where its numbers are cut into groups, and whether the
        classifier gets X without this column, as for :class:`FairPostProcessor`.
    classes, groups
        The public lists of classes and of groups.
    unknown_group
        What predictions do with rows whose group is missing or not listed, as for
        :class:`FairPostProcessor`.
    bad_rows
        What ``fit`` does with rows that have a number that is not finite, or a bad label or group.
        "refuse" raises an error. "ignore" keeps such a row in the number of records, but uses
        none of its values.
    rows_per_person
        The largest number of rows of one person.
    train_options, fit_options
        Further options of :func:`dp2dp.core.train` and :func:`dp2dp.core.fit`, as dicts.
    ledger
        A :class:`dp2dp.Ledger`, or the path of its file. ``fit`` charges this ledger in addition to
        the model's own ledger.
    budget
        The total budget (epsilon, delta) of the ledger. The first charge writes the budget into the
        ledger.
    insecure_seed
        Makes the noise and the split repeatable. The model is then NOT private.

    Attributes
    ----------
    model_
        The :class:`dp2dp.Model`: classifier and rule, their guarantee, their warnings.
    classifier_
        The fitted :class:`PrivateLogisticRegression`.
    classes_, groups_
        The lists of classes and groups.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(10000, random_state=0)
    >>> sex = (X[:, 0] > 0).astype(int)
    >>> both = DP2DPClassifier(
    ...     epsilon=1, delta=1e-5, bounds=(-4, 4), classes=[0, 1], groups=[0, 1]
    ... ).fit(X, y, sensitive_features=sex)
    >>> both.model_.epsilon <= 1
    True
    """

    method: str
    unaware: bool
    pool: str
    train_share: float
    categories: dict[Any, Any] | None
    schema: AnySchema | None
    train_options: dict[str, Any] | None
    fit_options: dict[str, Any] | None

    def __init__(
        self,
        *,
        epsilon: float | None,
        delta: float | None = None,
        constraints: str = "demographic_parity",
        positive: Any = None,
        unaware: bool = False,
        rho: float = 0.0,
        method: str = "dpgd",
        solver: str = "counts",
        pool: str = "own",
        pool_fraction: float = 0.3,
        train_share: float = 0.7,
        bounds: Bounds | None = None,
        categories: dict[Any, Any] | None = None,
        schema: AnySchema | None = None,
        data_norm: float | None = None,
        norm: float = 3.0,
        sensitive_column: int | str | list[int | str] | None = None,
        sensitive_cuts: npt.ArrayLike | None = None,
        drop_sensitive: bool = True,
        classes: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
        unknown_group: str = "refuse",
        bad_rows: str = "refuse",
        rows_per_person: int = 1,
        train_options: dict[str, Any] | None = None,
        fit_options: dict[str, Any] | None = None,
        ledger: Path | Ledger | None = None,
        budget: tuple[float, float] | None = None,
        insecure_seed: int | None = None,
    ) -> None:
        self._keep(locals())

    def fit(
        self, X: Features, y: npt.ArrayLike, *, sensitive_features: Any = None, **refused: Any
    ) -> Self:
        """Trains the classifier on one part of the rows ``X`` with the labels ``y``, and learns the
        rule on the rest. ``sensitive_features`` has the group of each row; leave it out if a column
        of X has the group. Any other argument (``refused``), such as ``sample_weight``, is refused:
        the noise is computed for rows that each count once.

        Privacy: charges (``epsilon``, ``delta``) for the people of each part."""
        refuse_weights(refused)
        refuse_people(self._options("train_options"))
        refuse_people(self._options("fit_options"))
        with self._keeping():
            with self._all_or_nothing():
                self._learn(X, y, sensitive_features)
            with keeping():
                remember(self.classifier_.model_, X)
            self._finish(X, self.classifier_.model_, self.model_)
            self._tell_positive()
        return self

    def _learn(self, X: Features, y: npt.ArrayLike, sensitive_features: Any) -> None:
        """Does what ``fit`` does, without the library's warnings."""
        self._note_given(X, y, sensitive_features)
        ignore, given = check_bad_rows(self.bad_rows), X
        X = self._check_X(X, reset=True, ignore=ignore)
        classes = self._schema_classes() if ignore and self.classes is None else self.classes
        labels = check_y(self, X, y, classes, ignore=ignore)
        inner, values = self._take_groups(X, sensitive_features, reset=True, ignore=ignore)
        table = self._table(inner, ignore=ignore)
        if (groups := self._schema_groups()) is not None and self.sensitive_cuts is None:
            self.groups_, reasons = groups, set[str]()
            codes = self._group_codes(values, unknown="ignore" if ignore else None)
        else:
            codes, reasons = self._fit_groups(values)
        self._rows = len(codes)
        if not ignore:
            refuse_other_labels(self.schema, as_frame(given), labels, self._schema_classes())
            say_groups_are_labels(values, labels)
            if self.unaware:
                say_group_seen(of_table(table), codes)
        share, rest = self._budgets()
        shared = self.get_params(deep=False)
        names = PrivateLogisticRegression._get_param_names()
        classifier = PrivateLogisticRegression(
            **{name: shared[name] for name in names if name != "options"},
            options={**self._options("train_options"), **share} or None,
        )
        labelled = self._check_constraints(self._known_classes(classifier, labels))
        train, pool = self._sets(len(labels))
        column = self._group_column(X, sensitive_features)
        with rows_of(train):
            fit = classifier._prepare(
                table[train],
                labels[train],
                column,
                codes[train] if self.unaware else None,
                given=table,
            )
        with rows_of(pool):  # checks the rows of the pool before the charge
            found = codes_of(
                labels[pool], classifier.classes_, "classes", unknown="ignore" if ignore else None
            )
            if not ignore and not self._is_one_set():
                check_rows(table[pool], classifier.schema_)
        self.classes_ = classifier.classes_
        further = {
            "not_private_because": sorted(reasons),
            "group_column": column["name"],
            "same_people": self._is_one_set() or self.rows_per_person > 1,
        }
        rule = {**further, **self._rule_options(), **rest}
        self._rehearse(classifier, len(train), len(pool), labelled, rule)
        with rows_of(train):
            fit()
        self.classifier_ = classifier
        self._tell_columns(inner)
        if not ignore:
            say_empty(labels, self.classes_)
        rows = table[pool].rows()
        with rows_of(pool):
            scores = core.score(self.classifier_.model_, rows, bad_rows=self.bad_rows)
        codes = codes[pool]
        if scores.left_out is not None:
            codes[scores.left_out] = -1
        elif not ignore:
            likeliest = self.classes_[scores.scores.argmax(axis=1)]
            say_groups_are_nearly(self.groups_[codes], likeliest)
        self.model_ = core.fit_quietly(
            scores.scores,
            codes,
            labels=found if labelled else None,
            weights=self._weights_of(scores),
            base=self.classifier_.model_,
            leaves_out=scores.left_out is not None and not ignore,
            **{**further, **self._rule_options(), **rest},
        )

    def _rehearse(
        self,
        classifier: PrivateLogisticRegression,
        train_records: int,
        pool_records: int,
        labelled: bool,
        rule: dict[str, Any],
    ) -> None:
        """Fails, before anything is charged, if the training and the rule would fail for their
        options or for the budget of the ledger."""
        groups, classes = len(self.groups_), len(self.classes_)
        weights = groups * (classes if labelled else 1) if self.unaware else 0
        sizes = Sizes(pool_records, groups, classes, weights)
        options = classifier._train_options(self.unaware)
        rehearse(classifier.schema_, train_records, options, sizes, rule)

    @classmethod
    def load(cls, path: Path, **params: Any) -> Self:
        """Returns a fitted estimator with the classifier and rule of the model file at ``path``.
        ``params`` are parameters of the estimator, such as ``sensitive_column``. The features are
        found in X by name or, if X has no names, by position. The file stores classes and groups as
        texts. If ``classes`` is given, the classes are taken from this list. Otherwise, if all
        texts are numbers or all are booleans, the classes become numbers or booleans. Groups are
        read in the same way, with ``groups``."""
        new, model = cls._loaded(path, **params)
        if model.rule is None or model.info["classifier"] is None:
            raise OptionError(
                "DP2DPClassifier needs a file with a classifier and a rule. If the file has only "
                "a classifier, use PrivateLogisticRegression.load; if it has only a rule, use "
                "FairPostProcessor.load"
            )
        new.classifier_ = PrivateLogisticRegression(
            epsilon=model.epsilon, delta=model.delta, classes=new.classes
        )
        new.classifier_._adopt(model)
        new.classes_, new.unaware = new.classifier_.classes_, model.rule == "weighted"
        new.fit_options = dict(new.fit_options or {})
        if model.criterion == "custom":
            new.fit_options["statistics"] = model.statistics
        sensitive = columns_of(new.classifier_.schema_, "sensitive")
        if len(sensitive) > 1:
            raise OptionError(
                "the model has several sensitive columns: use dp2dp.Model.load, whose predict "
                "takes columns of a frame by name"
            )
        if new.sensitive_cuts is None and len(sensitive) == 1:
            new.sensitive_cuts = sensitive[0].get("cuts")
        new.schema = new.classifier_.schema_
        new._load_rule(model)
        return new

    def _is_one_set(self) -> bool:
        """Returns whether training and the rule use the same people."""
        if self.pool not in ("own", "same"):
            raise OptionError(f"pool must be 'own' or 'same', not {self.pool!r}")
        return self.pool == "same"

    def _sets(self, n: int) -> tuple[Positions, Positions]:
        """Returns the positions of the rows for training, and of the rows that the rule is learned
        from."""
        if self._is_one_set():
            why = "with pool='same', all rows are used both for training and for the rule"
            self._refuse_unused("pool_fraction", why)
            return np.arange(n), np.arange(n)
        why = "with pool='own', training and the rule each have the whole budget"
        self._refuse_unused("train_share", why)
        return two_sets(n, self.pool_fraction, self.insecure_seed)

    def _budgets(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Returns the options that split one budget between training and the fit of the rule. If
        training adds no noise, a finite total epsilon is impossible, and the fit of the rule gets
        the whole budget."""
        if not self._is_one_set():
            return {}, {}
        if not 0 < self.train_share < 1:
            raise OptionError(f"train_share must be between 0 and 1, not {self.train_share!r}")
        share = {"train_share": self.train_share}
        if self.method == "none" or self.epsilon is None or self.epsilon == math.inf:
            return share, {}
        return share, {"epsilon": None, "total_epsilon": self.epsilon}

    def _known_classes(self, classifier: PrivateLogisticRegression, labels: Labels) -> Labels:
        of_schema = classifier._schema_classes()
        if of_schema is not None:
            return of_schema
        given = distinct(labels, "classes") if self.classes is None else self.classes
        return class_list(given)

    def _is_unaware(self) -> bool:
        return bool(self.unaware)

    def _further(self) -> dict[str, Any]:
        return self._options("fit_options")

    def _schema_group(self) -> Column | None:
        """Returns the sensitive column of the user's schema. Returns None if there is no schema, or
        if the schema has no sensitive column."""
        found = [] if self.schema is None else columns_of(as_schema(self.schema), "sensitive")
        if not found:
            return None
        column = found[0]
        plain = column["kind"] == "categorical" and not column.get("aliases")
        plain &= column["missing"] == column.get("unknown") == "refuse"
        if len(found) > 1 or not plain:
            raise OptionError(
                "DP2DPClassifier takes a schema with at most one sensitive column. That column "
                "must list its levels, have no aliases, and refuse missing and unknown values. "
                "Leave the sensitive columns out of the schema and pass sensitive_column and "
                "groups instead, or use dp2dp.train and dp2dp.fit"
            )
        return column

    def _check_X(self, X: Features, *, reset: bool, ignore: bool = False) -> Features:
        """Drops the schema's label, and the columns that the schema ignores, except those that hold
        the group. Checks the rest of X."""
        given = self.sensitive_column
        keep = [*given] if isinstance(given, (list, tuple)) else [given]
        if given is None or all(isinstance(column, str) for column in keep):
            X = without_ignored(as_frame(X), self.schema, keep)
        return super()._check_X(X, reset=reset, ignore=ignore)

    def _has_class_list(self) -> bool:
        return super()._has_class_list() or self._schema_classes() is not None

    def _schema_classes(self) -> Labels | None:
        return PrivateLogisticRegression(
            epsilon=None, schema=self.schema, classes=self.classes
        )._schema_classes()

    def _group_names_in_X(self) -> list[Any]:
        in_schema = [] if self.schema is None else columns_of(as_schema(self.schema), "sensitive")
        return [*super()._group_names_in_X(), *(column["name"] for column in in_schema)]

    def _schema_groups(self) -> Labels | None:
        column = self._schema_group()
        return None if column is None else restored(column["levels"], self.groups, "groups")

    def _take_groups(
        self, X: Features, sensitive_features: Any, *, reset: bool = False, ignore: bool = False
    ) -> tuple[Features, Labels | Factored]:
        given = sensitive_features is not None or self.sensitive_column is not None
        if sensitive_features is not None and self.schema is not None:
            names = [column["name"] for column in columns_of(as_schema(self.schema), "sensitive")]
            if there := [name for name in names if name in getattr(X, "columns", ())]:
                raise OptionError(
                    "the group is given twice: as sensitive_features, and as the column "
                    f"{there[0]!r} of X, which the schema marks as sensitive; leave one of the two "
                    "out"
                )
        cut = self.sensitive_cuts is not None
        column = None if given or cut else self._schema_group()
        if column is None:
            return super()._take_groups(X, sensitive_features, reset=reset, ignore=ignore)
        at = self._column_position(X, column["name"])
        return X, group_values(_safe_indexing(X, at, axis=1), ignore=ignore)

    def _group_column(self, X: Features, sensitive_features: Any) -> Column:
        """Returns the schema's column of groups. If the group has a name in the user's data, the
        column gets that name, so that the command line can read the user's table with the saved
        model."""
        if (given := self._schema_group()) is not None:
            return given
        names = getattr(self, "feature_names_in_", None)
        group = getattr(sensitive_features, "name", None) or "group"
        taken = column_names(self._inner_names(X), X.shape[1])
        if self.sensitive_column is not None and names is not None:
            group = ",".join(str(name) for name in names[self._column_positions(X)])
        column = {"name": free_name(str(group), taken), "role": "sensitive"}
        if self.sensitive_cuts is not None and not self.unaware:
            return {**column, "kind": "numeric", "cuts": self._cuts().tolist()}
        levels = names_of(self.groups_, "groups")
        return {**column, "kind": "categorical", "levels": levels}

    def _inner_names(self, X: Features) -> Labels | None:
        """Returns the names of the features for the classifier, or None if X has no column
        names."""
        names: Labels | None = getattr(self, "feature_names_in_", None)
        if names is None or self.sensitive_column is None or not self.drop_sensitive:
            return names
        return np.delete(names, self._column_positions(X))

    def _tell_columns(self, X: Features) -> None:
        """Tells the classifier the names of the features that it was trained on, so that it finds
        the features of another frame by name. The schema's column of groups is not a feature."""
        names = None
        if hasattr(self, "feature_names_in_"):
            groups = {
                column["name"] for column in columns_of(self.classifier_.schema_, "sensitive")
            }
            names = [str(name) for name in X.columns if str(name) not in groups]
        self.classifier_._set_columns_of_fit(names, X.shape[1] if names is None else len(names))

    def _table(self, X: Features, *, ignore: bool = False) -> Table:
        """Returns the classifier's features. The caller has already dropped the sensitive columns
        from X, if they are to be dropped."""
        names = None if hasattr(X, "columns") else self._inner_names(X)
        if hasattr(X, "columns") and (
            self.schema is not None or hasattr(self, "feature_names_in_")
        ):
            names = np.array([str(name) for name in X.columns], dtype=object)
        if self.categories is None and self.schema is None:
            return of_numbers(self._numbers(X, ignore=ignore), names)
        if self.schema is not None:
            return of_schema(X, names, as_schema(self.schema), ignore=ignore)
        columns = has_categories(self.categories or {}, names, X.shape[1])
        return of_frame(X, names, columns, ignore=ignore)

    def _numbers(self, X: Features, *, ignore: bool = False) -> Features:
        with cells_unseen(X, ignore):
            return check_array(
                of_features(X) if ignore else X,
                dtype=[np.float64, np.float32],
                ensure_all_finite=not ignore,
                estimator=self,
                input_name="X",
            )

    def _scores_and_weights(self, X: Features) -> tuple[Floats, Floats | None]:
        found = self.classifier_._scored(self._table(X))
        return found.scores, self._weights_of(found)

    def _scores_to_certify(
        self, X: Features, ignore: bool
    ) -> tuple[Floats, Floats | None, npt.NDArray[np.bool_] | None]:
        if not ignore:
            return super()._scores_to_certify(X, ignore)
        rows = self._table(X, ignore=True).rows()
        found = core.score(self.classifier_.model_, rows, bad_rows="ignore")
        return found.scores, self._weights_of(found), found.left_out

    def _weights_of(self, found: core.Scores) -> Floats | None:
        if not self.unaware:
            return None
        pairs = is_labelled(self.constraints, self._further().get("statistics"))
        # If a separate classifier predicts the group, there are only weights for groups, and none
        # for pairs (group, label).
        of_pairs = pairs and found.stratum_weights is not None
        return found.stratum_weights if of_pairs else found.group_weights
