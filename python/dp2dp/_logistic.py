"""PrivateLogisticRegression."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted, validate_data

from . import core
from ._base import PrivateClassifier
from ._bounds import column_names, feature_columns, free_name, schema_of
from ._cells import of_features, of_list
from ._changed import note_parameters, say_changed
from ._column_tells import say_label_seen
from ._core import DataError, OptionError
from ._decided import note_decisions, say_own_decisions
from ._decisions import say_empty, say_unlisted
from ._equal_rows import by_scores
from ._frame import refuse_twice
from ._index import check_index
from ._list_order import say_lists_read_off
from ._model import check_bad_rows
from ._outside import is_untold, outside_untold, say_attained, say_ids, say_outside
from ._pipeline import learned_before, tell_learned
from ._rows_of_fit import remember_equal, say_measured, some_rows
from ._table import (
    AnySchema,
    Coded,
    Table,
    as_schema,
    columns_of,
    features_of,
    has_categories,
    in_order_of_x,
    of_frame,
    of_numbers,
    of_schema,
    restored,
    with_columns,
    without_ignored,
)
from ._told_by import of_table, refuse_other_labels
from ._typing import Bounds, Column, Features, Float64s, Labels, Path
from ._validation import (
    as_frame,
    cells_unseen,
    check_y,
    codes_of,
    names_of,
    public_list,
    refuse_weights,
    table_input,
    warn_of_leak,
)
from ._warn import keeping
from .accounting import Ledger


class PrivateLogisticRegression(PrivateClassifier):
    """Multinomial logistic regression with differential privacy.

    Parameters
    ----------
    epsilon, delta
        The privacy budget. Both are None if ``method`` is "none", which makes a model that is not
        private.
    method
        How the classifier is trained (docs/train.md): "dpgd", "dpsgd", "output" or "none".
    bounds
        The public bounds (lower, upper) of the features. ``lower`` and ``upper`` are each one
        number, a list with one number for each feature, or a Series or dict by column name. A dict
        {name: (lower, upper)} works too. Values outside the bounds are clipped.
    categories
        The public lists {column: [...]} of the columns of X that hold texts or codes. The key is
        the name of the column, or its position if X has no names. A value that is not in its list
        gets a feature of its own.
    schema
        Instead of bounds and categories, a :class:`dp2dp.Schema`, or its name, path or dict. The
        features of the schema are taken from X by name, or by position if X has no names. If the
        schema has a label, its levels are the classes.
    data_norm
        A public bound on the norm of a row, instead of bounds. Each number is first clipped to
        -data_norm and data_norm. Rows that are still longer are then scaled down.
    norm
        The norm that encoded rows are clipped to.
    classes
        The public list of classes.
    bad_rows
        What ``fit`` does with a row that has a number that is not finite or a label that is not in
        ``classes``. "refuse" raises an error. "ignore" keeps the row in the number of records, but
        uses none of its values, and no warning or attribute mentions the row. Predictions always
        refuse such rows.
    rows_per_person
        The largest number of rows of one person.
    options
        Further options of :func:`dp2dp.core.train`, as a dict.
    ledger
        A :class:`dp2dp.Ledger`, or the path of its file. ``fit`` charges this ledger in addition to
        the model's own ledger.
    budget
        The total budget (epsilon, delta) of the ledger. The first charge writes the budget into the
        ledger.
    insecure_seed
        Makes the noise repeatable. The model is then NOT private.

    Attributes
    ----------
    model_
        The :class:`dp2dp.Model`: the classifier, its guarantee, its warnings.
    schema_
        The :class:`dp2dp.Schema` that encodes X.
    classes_
        The list of classes.
    coef_, intercept_
        The weights of the features as the schema encodes them.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(2000, random_state=0)
    >>> private = PrivateLogisticRegression(epsilon=1, delta=1e-5, bounds=(-4, 4), classes=[0, 1])
    >>> private.fit(X, y).model_.epsilon <= 1
    True
    """

    method: str
    bounds: Bounds | None
    categories: dict[Any, Any] | None
    schema: AnySchema | None
    data_norm: float | None
    norm: float
    bad_rows: str
    options: dict[str, Any] | None
    schema_: core.Schema
    n_features_in_: int
    feature_names_in_: Labels
    _is_loaded = False

    def __init__(
        self,
        *,
        epsilon: float | None,
        delta: float | None = None,
        method: str = "dpgd",
        bounds: Bounds | None = None,
        categories: dict[Any, Any] | None = None,
        schema: AnySchema | None = None,
        data_norm: float | None = None,
        norm: float = 3.0,
        classes: npt.ArrayLike | None = None,
        bad_rows: str = "refuse",
        rows_per_person: int = 1,
        options: dict[str, Any] | None = None,
        ledger: Path | Ledger | None = None,
        budget: tuple[float, float] | None = None,
        insecure_seed: int | None = None,
    ) -> None:
        self._keep(locals())

    def fit(self, X: Features, y: npt.ArrayLike, **refused: Any) -> Self:
        """Trains on the rows ``X`` with the labels ``y``. Any other argument (``refused``), such as
        ``sample_weight``, is refused: the noise is computed for rows that each count once.

        Privacy: charges (``epsilon``, ``delta``) for the people of X."""
        refuse_weights(refused)
        with self._keeping():
            with self._all_or_nothing():
                labels = self._fit_quietly(X, y)
            self._finish(X, self.model_)
            if not check_bad_rows(self.bad_rows):
                self._remember_scores(X)
                say_empty(labels, self.classes_)
        return self

    @keeping()
    def _remember_scores(self, X: Features) -> None:
        """Remembers the probabilities of the rows of the fit, or of some of them if there are many,
        so that :func:`dp2dp.fit` notices a rule for the same people."""
        with outside_untold(True):
            p = self._probabilities(some_rows(X))
        remember_equal(self.model_, by_scores(p), len(p) / X.shape[0])

    def _fit_quietly(self, X: Features, y: npt.ArrayLike) -> Labels:
        """Does what ``fit`` does, without the library's warnings. Returns the labels."""
        ignore = check_bad_rows(self.bad_rows)
        table = self._take(X, reset=True, ignore=ignore)
        classes = self._listed_classes() if ignore else None
        labels = check_y(self, table, y, classes, ignore=ignore)
        check_index(X, "X", y, "y")
        if not ignore:
            refuse_other_labels(self.schema, as_frame(X), labels, self._schema_classes())
        self._prepare(table, labels)()
        return labels

    def _take(self, X: Features, *, reset: bool, ignore: bool = False) -> Table:
        """Checks X, and returns it as a table."""
        X = without_ignored(as_frame(X), self.schema)
        refuse_twice([str(name) for name in getattr(X, "columns", ())])
        if reset:
            self._is_loaded = False
        else:
            X = self._columns_of_fit(X)
        if self.categories is None and self.schema is None:
            with cells_unseen(X, ignore):
                X = validate_data(
                    self,
                    of_features(X) if ignore else X,
                    reset=reset,
                    dtype=[np.float64, np.float32],
                    ensure_all_finite=not ignore,
                )
            return of_numbers(X, getattr(self, "feature_names_in_", None))
        X = of_list(X) if ignore and isinstance(X, (list, tuple)) else X
        X = table_input(self, X, reset=reset)
        return self._table(X, getattr(self, "feature_names_in_", None), ignore)

    def _columns_of_fit(self, X: Features) -> Features:
        """Returns X with the columns that the classifier was fitted with. If the classifier was
        fitted without the group's column, drops that column. For a loaded classifier, finds the
        features by name, in any order and among other columns."""
        columns = [str(name) for name in getattr(X, "columns", ())]
        names = [*self.__dict__.get("feature_names_in_", ())]
        if columns == names:
            return X
        if self._is_loaded and {*(features := features_of(self.schema_))} <= {*columns}:
            rest = [columns.index(name) for name in features]
        else:
            groups = {one["name"] for one in columns_of(self.schema_, "sensitive")} if names else {}
            rest = [j for j, name in enumerate(columns) if name in names or name not in groups]
        return X if rest == [*range(len(columns))] else _safe_indexing(X, rest, axis=1)

    def _set_columns_of_fit(self, names: list[str] | None, count: int) -> None:
        """Sets what ``fit`` stores about the columns of X: their number and, if they have names,
        the names."""
        self.n_features_in_ = count
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)

    def _table(self, X: Features, names: Labels | None, ignore: bool) -> Table:
        """Returns the features among the columns of X, which is a frame or an array of any type."""
        if self.schema is not None:
            # scikit-learn stores column names only if all of them are texts.
            if names is None and hasattr(X, "columns"):
                known = [str(name) for name in X.columns]
                named = {*features_of(as_schema(self.schema))} <= {*known}
                names = np.array(known, dtype=object) if named else None
            return of_schema(X, names, as_schema(self.schema), ignore=ignore)
        columns = has_categories(self.categories or {}, names, X.shape[1])
        return of_frame(X, names, columns, ignore=ignore)

    def _prepare(
        self,
        table: Table,
        y: Labels,
        group_column: Column | None = None,
        groups: npt.NDArray[np.int32] | None = None,
        *,
        given: Table | None = None,
    ) -> Callable[[], None]:
        """Prepares a training: does everything that comes before the charge. Returns a function
        that charges and trains. If bad rows are refused, the caller has already checked ``table``.
        ``group_column``, if given, becomes a column of the schema. If ``groups`` (codes of the
        levels of that column) is given, the classifier predicts the pair of group and label. If
        ``table`` has only a part of the caller's rows, ``given`` has all rows."""
        reasons: set[str] = set()
        if (of_schema := self._schema_classes()) is not None:
            self.classes_ = of_schema
        else:
            self.classes_, reasons = public_list(self.classes, y, "classes")
        if (step := learned_before()) is not None:  # an earlier step learned from the rows
            tell_learned(step)
            reasons = reasons | {"schema-from-data"}
        if len(self.classes_) < 2:
            raise DataError(f"at least 2 classes are needed, not {len(self.classes_)} class")
        ignore = check_bad_rows(self.bad_rows)
        codes = codes_of(y, self.classes_, "classes", unknown="ignore" if ignore else None)
        levels = texts = names_of(self.classes_, "classes")
        bad = (codes < 0) | (False if groups is None else groups < 0)
        if ignore:  # give a bad row a label that is not in the schema
            bad |= False if self.schema is not None else ~table.is_finite()
            codes[bad] = len(levels)
            texts = [*levels, "(unknown)"]
        self.schema_ = self._make_schema(
            table[~bad] if ignore else table, levels, group_column, bool(reasons)
        )
        if not ignore:
            say_label_seen(of_table(table), codes, levels)
        if not ignore and not self.schema_.from_data:
            say_outside(table, self.schema_.text, self.data_norm)
            whole = table if given is None else given
            say_attained(whole, self.schema_.text, self.data_norm)
            say_ids(table, self.schema_.text)
            if not is_untold():
                say_lists_read_off(whole, self.schema_.text)
        names = [columns_of(self.schema_, "label")[0]["name"]]
        columns: list[Coded] = [(codes, texts)]
        if groups is not None and group_column is not None:
            names.append(group_column["name"])
            columns.append((np.maximum(groups, 0), group_column["levels"]))

        def train() -> None:
            options = self._train_options(groups is not None)
            self.model_ = core.train_quietly(self.schema_, table.rows(names, columns), **options)

        return train

    def _train_options(self, of_pairs: bool) -> dict[str, Any]:
        """Returns the options of core.train. If ``of_pairs``, the classifier predicts the pair of
        group and label."""
        return {
            "method": self.method,
            "bad_rows": self.bad_rows,
            "target": "group-label" if of_pairs else "label",
            **self._spending(),
            **self._options("options"),
        }

    @classmethod
    def load(cls, path: Path, **params: Any) -> Self:
        """Returns a fitted estimator with the classifier of the model file at ``path``. ``params``
        are parameters of the estimator. The file stores classes as texts. If ``classes`` is not
        given, and all texts are numbers or all are booleans, the classes become numbers or
        booleans."""
        new, model = cls._loaded(path, **params)
        if model.rule is not None or model.info["classifier"] is None:
            raise OptionError(
                "the file has a rule: use DP2DPClassifier.load, or FairPostProcessor.load if there "
                "is no classifier in the file"
            )
        new._adopt(model)
        return new

    def _adopt(self, model: core.Model) -> None:
        """Makes this estimator use the classifier of a model, and the schema of that classifier."""
        self.model_ = model
        self.schema = self.schema_ = in_order_of_x(core.Schema(model.info["classifier"]["schema"]))
        self.classes_ = restored(model.classes, self.classes, "classes")
        self._is_loaded = True
        names = list(features_of(self.schema_))
        known = names != column_names(None, len(names))
        self._set_columns_of_fit(names if known else None, len(names))
        note_parameters(self)

    def _listed_classes(self) -> npt.ArrayLike | None:
        """Returns the public list of classes, from the parameter ``classes`` or else from the
        schema. Returns None if there is no list."""
        return self._schema_classes() if self.classes is None else self.classes

    def _schema_classes(self) -> Labels | None:
        """Returns the classes of the user's schema. Returns None if there is no schema, or if the
        schema has no label."""
        labels = [] if self.schema is None else columns_of(as_schema(self.schema), "label")
        if not labels:
            return None
        if labels[0]["kind"] != "categorical":
            raise OptionError(
                "the schema cuts a numeric label into classes, but this estimator does not cut y: "
                "it takes the values of y as classes. Use dp2dp.train, or a schema that lists the "
                "classes"
            )
        return restored(labels[0]["levels"], self.classes, "classes")

    def _make_schema(
        self, table: Table, levels: list[str], group: Column | None, from_data: bool
    ) -> core.Schema:
        """Returns the schema of the features, the label and, if ``group`` is given, the group."""
        if self.schema is None:
            features, of_bounds = feature_columns(
                table.numbers,
                table.names,
                self.bounds,
                self.data_norm,
                self.norm,
                named=table.named,
                categories=self.categories,
                text_names=table.text_names,
            )
            at = {name: j for j, name in enumerate(table.order)}
            features.sort(key=lambda column: at[column["name"]])
            return schema_of(features, levels, group, self.norm, from_data or of_bounds)
        given = as_schema(self.schema)
        for name in ("bounds", "data_norm", "categories"):
            if getattr(self, name) is not None:
                raise OptionError(f"give schema or {name}, not both")
        if self.norm not in (3.0, given.norm):
            raise OptionError(
                f"the schema already sets the norm to {given.norm:g}: do not pass norm as well"
            )
        label = None
        if not given.classes:
            name = free_name("label", given.columns)
            label = {"name": name, "role": "label", "kind": "categorical", "levels": levels}
        has_group = group is None or group["name"] in given.columns
        found = with_columns(given, label, None if has_group else group)
        if given.from_data:
            warn_of_leak(
                "the schema was read off the data, which reveals extreme values and which levels "
                "occur; the model is marked as not private. Write bounds and levels that are "
                "public knowledge into the schema, and set its origin to public"
            )
        if from_data and not found.from_data:
            found = core.Schema({**json.loads(found.text), "origin": "from-data"})
        return found

    def _scored_by(
        self, X: Features, group_model: core.Model | None, *, ignore: bool = False
    ) -> core.Scores:
        """Returns the probabilities of the classes and, from ``group_model``, of the groups. With
        ``ignore``, the probabilities of a bad row are NaN, without any warning or error."""
        table = self._take(X, reset=False, ignore=ignore)
        if not ignore:
            return self._scored(table, group_model)
        return core.score(self.model_, table.rows(), group_model=group_model, bad_rows="ignore")

    def _scored(self, table: Table, group_model: core.Model | None = None) -> core.Scores:
        """Returns the probabilities. Refuses a row that the schema leaves out because a value is
        missing."""
        say_outside(table, self.schema_.text, self.data_norm)
        found = core.score(self.model_, table.rows(), group_model=group_model)
        if found.left_out is not None and found.left_out.any():
            row = int(found.left_out.argmax()) + 1
            raise DataError(
                f"row {row}: a value is missing. The schema leaves such rows out, so there are no "
                "scores for this row: drop the row"
            )
        return found

    @property
    def coef_(self) -> Float64s:
        """The weights of the encoded features, in the order of :meth:`dp2dp.Schema.encode`: numbers
        first, then the levels of each categorical column. There is one row for each class but, as
        in scikit-learn, a single row if there are two classes."""
        return self._weights()[:, :-1]

    @property
    def intercept_(self) -> Float64s:
        """The constant of each row of ``coef_``."""
        return self._weights()[:, -1]

    def _weights(self) -> Float64s:
        """Returns the weights: one row for each output or, if there are two outputs, a single row
        with the difference of their weights. The constant is the last column."""
        if "model_" not in self.__dict__:
            raise AttributeError("coef_ and intercept_ exist only after fit")
        weights: Float64s = np.array(self.model_.info["classifier"]["weights"])
        return weights[1:] - weights[:1] if len(weights) == 2 else weights

    def predict_proba(self, X: Features) -> Float64s:
        """Returns the probability of each class for each row of ``X``."""
        check_is_fitted(self, "model_")
        return self._probabilities(X)

    def _probabilities(self, X: Features, *, ignore: bool = False) -> Float64s:
        say_changed(self)
        p = self._scored_by(X, None, ignore=ignore).scores.astype(np.float64)
        p /= p.sum(axis=1, keepdims=True)
        return p

    def score(
        self, X: Features, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
    ) -> float:
        """Returns the mean accuracy for the rows ``X`` with the true classes ``y``, weighted by
        ``sample_weight`` if given. NOT private."""
        say_unlisted(y, self.classes_)
        say_own_decisions(self.model_, y)
        say_measured(self.model_, X)
        return float(super().score(X, y, sample_weight))

    def decision_function(self, X: Features) -> Float64s:
        """Returns, for each row of ``X``, the probability of each class or, if there are two
        classes, the probability of the second class minus the probability of the first class."""
        p = self.predict_proba(X)
        return p[:, 1] - p[:, 0] if len(self.classes_) == 2 else p

    def predict(self, X: Features) -> Labels:
        """Returns the most probable class of each row of ``X``."""
        best = self.predict_proba(X).argmax(axis=1)  # raises if the estimator is not fitted
        decisions: Labels = self.classes_[best]
        compared = not check_bad_rows(self.bad_rows)
        note_decisions(decisions, self.model_, X, self.classes_.tolist(), compared=compared)
        return decisions
