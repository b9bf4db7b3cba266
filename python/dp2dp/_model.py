"""The model."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any, Generic, NoReturn, Self, TypeVar

import numpy as np
import numpy.typing as npt

from . import _arrays, _core
from ._advice import adjusted_explained, names_explained, sums_explained
from ._at_predict import say_alone, say_batch, say_gap, say_unknown, say_weight_order
from ._by_name import by_name, one_row, scores_by_name, weights_by_name
from ._core import DataError, OptionError
from ._criterion import is_rate, statistics_of, tell_positive
from ._decided import note_decisions
from ._index import check_all
from ._model_words import kind_of, offsets_html, promise_of, say_noise, smallest, thresholds_html
from ._odd_rho import say_rho
from ._odd_scores import say_decided
from ._options import say_as_many_trained
from ._released import constant_of, say_released
from ._report import Report, caution_of, say_unchecked
from ._rows_of_fit import rows_given, say_measured
from ._typing import Array, Float32s, Float64s, Path, Statistic
from ._warn import FairnessWarning, keeping, warn, warn_of, warn_unless_private
from .accounting import Ledger

T = TypeVar("T")


class Fact(Generic[T]):
    """A read-only attribute of a model. The attribute ``x`` has the value ``info["x"]``, or a copy
    of it if the value is a list."""

    def __init__(self, words: str) -> None:
        self.__doc__ = words

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, holder: Any, owner: type) -> T:
        # If the attribute is read from the class, holder is None. The result is then this
        # descriptor, so that help() finds its docstring.
        fact: Any = self if holder is None else copy(holder.info[self.name])
        found: T = fact
        return found

    def __set__(self, holder: object, value: object) -> NoReturn:
        raise AttributeError(f"the attribute {self.name} of a model can only be read, not set")


@dataclass(frozen=True)
class Cover:
    """One set of people that a model was made from. ``role`` is "train" (the classifier was trained
    on these people) or "pool" (the rule was fitted to these people). ``people`` is the caller's
    name for the set. ``records`` is the number of records, or None if it is not known. ``epsilon``
    and ``delta`` are the guarantee for these people. If there is no guarantee, both are None, and
    ``because`` has the reasons, as words."""

    role: str
    people: str | None
    records: int | None
    epsilon: float | None
    delta: float | None
    because: tuple[str, ...] = ()

    def __str__(self) -> str:
        part = {"train": "the training", "pool": "the pool"}[self.role]
        count = "" if self.records is None else f"{self.records} "
        name = "" if self.people is None else f" ({self.people})"
        return f"the {count}records of {part}{name}"


class Model(_core.Model):
    """A fair rule, a classifier, or both. A model is immutable. It is made by :func:`dp2dp.fit`,
    :func:`dp2dp.train`, ``Model.load(path)`` or ``Model.from_json(text)``. The command line reads
    and writes the same model files.

    >>> import dp2dp
    >>> scores, groups = [[0.9, 0.1], [0.2, 0.8]] * 500, [0, 0, 1, 1] * 250
    >>> model = dp2dp.fit(scores, groups, n_groups=2, solver="exact")
    >>> Model.from_json(model.to_json()).offsets.shape
    (2, 2)
    """

    @classmethod
    def load(cls, path: Path, /) -> Self:
        """Reads the model file at ``path``."""
        model = super().load(path)
        model.__dict__["_file"] = os.fsencode(path).decode(errors="replace")
        return model

    @cached_property
    def info(self) -> dict[str, Any]:
        """All facts of the model, as a dict."""
        return self._info()

    @cached_property
    def offsets(self) -> Float64s:
        """The offsets of the rule: an array with the axes group and class or, if the criterion
        compares people with the same label, with the axes group, label and class."""
        return np.array(self.info["offsets"], dtype=np.float64).reshape(
            (*self._strata, len(self.classes))
        )

    @cached_property
    def shares(self) -> Float64s:
        """The (noisy) share of all records that each group has. If the criterion compares people
        with the same label, there is a share for each pair of group and label."""
        return np.array(self.info["shares"], dtype=np.float64).reshape(self._strata)

    @property
    def positive(self) -> int | None:
        """The code of the criterion's positive class. None if the criterion has no positive class
        or compares the rates of every class."""
        given: int | None = self.info["positive"]
        if given is None and is_rate(self.criterion or "") and len(self.classes) == 2:
            return 1
        return given

    @property
    def _strata(self) -> tuple[int, ...]:
        groups, labels = len(self.groups) if self.rule else 0, self.info["labels"]
        return (groups, labels) if labels > 1 else (groups,)

    groups = Fact[list[str]]("Names of the groups.")
    classes = Fact[list[str]]("Names of the classes.")
    solver = Fact[str | None]("The solver of the rule, or None if the model has no rule.")
    records = Fact[int](
        "The number of records in the fit: rows, each counted as often as its multiplicity says."
    )
    epsilon = Fact[float | None]("An upper bound on epsilon, or None if there is no bound.")
    delta = Fact[float | None]("The delta for which epsilon is an upper bound.")
    criterion = Fact[str | None](
        "What the rule makes equal between groups, as a word such as 'demographic_parity'."
    )
    rule = Fact[str | None](
        "How the rule decides: 'offset' and 'linear' see the group, 'weighted' does not."
    )
    counted = Fact[str | None](
        "How the fit counted people: by their 'labels', or by 'scores' in place of labels."
    )
    grid = Fact[int]("Each score is rounded to a multiple of 2^-grid, or not at all if grid is 0.")
    dither_key = Fact[str | None](
        "What the dither (a pseudo-random number added to each score) is computed from: 'scores', "
        "'id' or 'row'."
    )
    tolerance = Fact[float | None](
        "By how much the rates of two groups may differ: the fit accepts this difference. It is "
        "rho or, if the noise of a rate is larger than rho, that noise."
    )
    not_private_because = Fact[list[str]](
        "The reasons why the model is not private, as words. The list is empty if the model is "
        "private."
    )

    warnings = Fact[list[str]]("The warnings about the model, as words such as 'delta-large'.")

    @property
    def statistics(self) -> list[Statistic]:
        """The rates of the criterion "custom", each a class and a list of labels."""
        return statistics_of(self.info["statistics"])

    @cached_property
    def _people(self) -> list[Cover]:
        found = [dict(cover) for cover in self.info["covers"]]
        return [Cover(**{**cover, "because": tuple(cover["because"])}) for cover in found]

    @property
    def covers(self) -> list[Cover]:
        """The sets of people who have a privacy guarantee, with their guarantees."""
        return [cover for cover in self._people if not cover.because]

    @property
    def not_covered(self) -> list[Cover]:
        """The sets of people whose data were used and who have no privacy guarantee. If nobody
        stated where the scores come from, the people behind the scores are not listed; ``warnings``
        then has the word "scores-origin-not-stated"."""
        return [cover for cover in self._people if cover.because]

    @property
    def release_id(self) -> str | None:
        """The id under which ledgers record the release of the rule or, if the model has no rule,
        of the classifier. None if nothing was charged."""
        return next((e.release_id for e in reversed(self.ledger.entries) if e.release_id), None)

    @property
    def checksum(self) -> str:
        """The checksum in the model's file."""
        found: str = json.loads(self.to_json())["checksum"]
        return found

    @property
    def leaks(self) -> list[str]:
        """The older name of ``not_private_because``."""
        return self.not_private_because

    @property
    def private(self) -> bool:
        """True if ``not_private_because`` is empty."""
        return not self.info["not_private_because"]

    @property
    def ledger(self) -> Ledger:
        """A copy of the ledger with the charges of this model."""
        return Ledger.from_json(self._ledger_json())

    def predict(
        self,
        scores: Array,
        groups: Array | None = None,
        *,
        weights: Array | None = None,
        ids: Array | None = None,
        unknown: str = "refuse",
        first_row: int = 0,
        threads: int = 0,
        out: npt.NDArray[np.int32] | None = None,
    ) -> npt.NDArray[np.int32]:
        """Returns the class of each row as a code: the argmax of the adjusted scores. If several
        classes have the same largest score, the result is the lowest code. The code k stands for
        ``classes[k]``, even if the names of the classes are numbers: if the classes are 1 and 2,
        code 1 is class 2. ``np.array(model.classes)[codes]`` has the names.

        ``groups`` are codes too. ``unknown="base"`` gives rows of unknown groups the argmax of
        their scores. A rule that does not see the group needs ``weights`` instead, with the same
        columns as those given to :func:`dp2dp.fit`. ``ids`` are needed if ``dither_key`` is "id".
        ``out`` is an int32 array for the result. If ``dither_key`` is "row" and the rows are a part
        of a table, ``first_row`` is the position of their first row in that table. ``threads`` is
        the number of threads, 0 for all cores.

        ``scores`` may be a data frame. Its columns are then found by name, in any order: either the
        features of the model's classifier and the sensitive columns, or the ``score_columns`` and
        the ``group_column`` of the fit. The group column holds names of groups, not codes. Other
        columns are not read. If the frame has a group column, leave ``groups`` out. Columns of
        scores may also have the names of the classes. If no column has a known name, the columns
        are taken by position, with the warning ``columns-by-position``. The columns of ``weights``
        are found in the same way."""
        check_all(scores, "scores", groups=groups, weights=weights, ids=ids)
        given = scores
        scores, groups, weights = self._by_name(scores, groups, weights, unknown)
        scores = _arrays.matrix(scores)
        own = out is None
        out = np.empty(len(scores), dtype=np.int32) if out is None else out
        base = check_unknown(unknown)
        codes, weighed, keys = self._inputs(groups, weights, ids)
        adjusted = adjusted_explained(scores, codes, self.offsets, self.info["dither"])
        with sums_explained(scores), adjusted:
            self._predict(scores, codes, out, base, first_row, threads, False, weighed, keys, False)
        if self.rule is not None:
            say_decided(scores)
        say_alone(self, len(out), first_row)
        if weighed is not None and self.rule == "weighted":
            say_weight_order(self, weighed)
        if codes is not None:
            say_gap(self, out, codes)
        if base:
            say_unknown(self, codes)
        if self.dither_key == "row" and self.info["dither"] > 0:
            say_batch(self, given, first_row)
        if own:  # the array of the user may be used again for something else
            note_decisions(out, self, given, [*range(len(self.classes))], self.positive)
        return out

    def adjust(
        self,
        scores: Array,
        groups: Array | None = None,
        *,
        weights: Array | None = None,
        ids: Array | None = None,
        unknown: str = "refuse",
        first_row: int = 0,
        threads: int = 0,
        out: Float32s | None = None,
    ) -> Float32s:
        """Returns the adjusted scores as float32: scores plus dither minus offsets. The
        decision for a row is the class with the largest adjusted score. ``scores``, ``groups``,
        ``weights``, ``ids``, ``unknown``, ``first_row`` and ``threads`` are those of
        :meth:`predict`; ``out`` is a float32 array for the result."""
        check_all(scores, "scores", groups=groups, weights=weights, ids=ids)
        scores, groups, weights = self._by_name(scores, groups, weights, unknown)
        scores = _arrays.matrix(scores)
        shape = (len(scores), len(self.classes))
        out = np.empty(shape, dtype=np.float32) if out is None else out
        base = check_unknown(unknown)
        codes, weighed, keys = self._inputs(groups, weights, ids)
        with sums_explained(scores):
            self._predict(scores, codes, out, base, first_row, threads, True, weighed, keys, False)
        if base:
            say_unknown(self, codes)
        return out

    def depends_on_dither(
        self, scores: Array, groups: Array | None = None, *, weights: Array | None = None
    ) -> npt.NDArray[np.bool_]:
        """Returns for each row whether the dither could change the decision. The mean of the result
        is the share of decisions that depend on the dither. ``scores``, ``groups`` and ``weights``
        are those of :meth:`predict`."""
        check_all(scores, "scores", groups=groups, weights=weights)
        scores, groups, weights = self._by_name(scores, groups, weights, "refuse")
        scores = _arrays.matrix(scores)
        out = np.empty((len(scores), len(self.classes)), dtype=np.float32)
        codes, weighed, keys = self._inputs(groups, weights, None)
        self._predict(scores, codes, out, False, 0, 0, True, weighed, keys, True)
        best = np.sort(out, axis=1)
        close: npt.NDArray[np.bool_] = best[:, -1] - best[:, -2] < self.info["dither"]
        return close

    def explain(self, *, name: str | None = None) -> str:
        """Explains the model in words: what it does, what it promises to whom, what changes for
        which group, and what it does not promise. ``dp2dp show`` prints the same text.

        The first line begins with ``name``, by default the file that the model was loaded from.

        >>> import dp2dp
        >>> model = dp2dp.fit([[0.9, 0.1], [0.2, 0.8]] * 500, [0, 0, 1, 1] * 250, n_groups=2,
        ...                   solver="exact")
        >>> print(model.explain(name="my model"))  # doctest: +ELLIPSIS
        NOT PRIVATE: ...
        my model, a fair rule for scores
        ...
        """
        return self._explain(self.__dict__.get("_file") if name is None else name)

    def report(
        self,
        path: Path | None = None,
        *,
        scores: Array | None = None,
        groups: Array | None = None,
        labels: Array | None = None,
        weights: Array | None = None,
        ids: Array | None = None,
        certificate: Path | None = None,
        sweep: Path | None = None,
        sweep_people: str | None = None,
        data_name: str | None = None,
        confidence: float = 0.95,
        model_name: str | None = None,
        test_name: str | None = None,
        label_name: str | None = None,
        threads: int = 0,
    ) -> Report:
        """Returns the page about this model that ``dp2dp report`` makes, and writes the page to
        ``path`` if given. The result has the text of the page as ``html``, the method
        ``save(path)``, and ``exact``, which is True if the page holds exact counts. A notebook
        shows the page.

        ``scores``, ``groups`` and ``labels`` describe test people, who were not used to make the
        model. Groups and labels are codes. Columns of frames are found by name, as in
        :meth:`predict`. ``weights``, ``ids`` and ``threads`` are those of :meth:`predict`.
        ``certificate`` and ``sweep`` are files of ``dp2dp certify`` and ``dp2dp sweep``. A sweep
        needs ``sweep_people``, which says whom the sweep is about: "other" people, "public" data,
        or "exposed" (people this model was made from; the sweep leaves them unprotected, so the
        page calls the model not private). ``data_name`` is your name for the data, by default the
        name of the schema; the sweep must state the same name. ``model_name``, ``test_name`` and
        ``label_name`` appear in the commands that the page shows. ``confidence`` is the confidence
        of the intervals.

        Privacy: charges nothing. With test people or a sweep, the page holds exact counts about
        real people: never publish it."""
        options: dict[str, Any] = dict(
            certificate=None if certificate is None else os.fsdecode(certificate),
            sweep=None if sweep is None else os.fsdecode(sweep),
            sweep_people=sweep_people,
            data_name=data_name,
            confidence=confidence,
            model_name=model_name,
            test_name=test_name,
            label_name=label_name,
            threads=threads,
        )
        people: tuple[Any, Any] = (None, None)
        if scores is None:
            if any(given is not None for given in (groups, labels, weights, ids)):
                raise OptionError("groups, labels, weights and ids need scores: pass scores too")
        else:
            check_all(scores, "scores", groups=groups, labels=labels, weights=weights, ids=ids)
            weights = weights_by_name(self, weights)
            people = (
                _arrays.matrix(scores_by_name(self, scores)),
                None if groups is None else _arrays.codes(groups),
            )
            options.update(
                labels=None if labels is None else _arrays.codes(labels, "labels"),
                weights=None if weights is None else _arrays.matrix(weights, "weights"),
                ids=None if ids is None else _arrays.ids(ids),
            )
            if found := say_measured(self, *rows_given(scores, groups), scores=people[0]):
                options["test_cautions"] = [caution_of(found)]
        html, unchecked = self._report(*people, options)
        page = Report(html, scores is not None or sweep is not None)
        if unchecked:
            say_unchecked()
        if path is not None:
            page.save(path)
        if self.rule is not None and people[1] is not None and weights is None:
            given = options["ids"]
            out = np.empty(len(people[0]), dtype=np.int32)
            self._predict(*people, out, False, 0, threads, False, None, given, False)
            say_gap(self, out, people[1])
        return page

    def to_sql(
        self,
        dialect: str,
        *,
        table: str = "people",
        score_columns: Sequence[str] | None = None,
        group_column: str | None = None,
        weight_columns: Sequence[str] | None = None,
        prediction: str = "prediction",
    ) -> str:
        """Returns one SELECT statement. Its result has all columns of ``table`` and a new column,
        named by ``prediction``, with the name of the class that :meth:`predict` gives, or NULL for
        a row that predict refuses. ``dialect`` is "duckdb", "postgresql", "sqlite" or "spark".
        ``score_columns``, ``group_column`` and ``weight_columns`` are by default the column names
        that the model stores. A rule with a dither is refused. See docs/export.md."""
        text = self._export(
            dict(
                format=dialect,
                table=table,
                score_columns=None if score_columns is None else list(score_columns),
                group_column=group_column,
                weight_columns=None if weight_columns is None else list(weight_columns),
                prediction=prediction,
            )
        )
        return text.decode()

    def to_onnx(self) -> bytes:
        """Returns the rule as an ONNX model (opset 13, ai.onnx.ml 2). Its inputs are ``scores``
        (float32) and ``group``, or ``group_scores`` for a rule that does not see the group; its
        output is ``prediction``. Groups and classes are strings, or int64 if all their names are
        integers. Running the ONNX model fails if its input has a row that :meth:`predict` would
        refuse. See docs/export.md."""
        return self._export(dict(format="onnx"))

    def to_c_header(self) -> str:
        """Returns the rule as a C header without dependencies. See docs/export.md."""
        return self._export(dict(format="c-header")).decode()

    def _by_name(
        self, scores: Any, groups: Any, weights: Any, unknown: str
    ) -> tuple[Any, Any, Any]:
        if type(scores) is np.ndarray and (weights is None or type(weights) is np.ndarray):
            return scores, groups, weights
        return by_name(self, scores, groups, weights, unknown)

    def _inputs(self, groups: Any, weights: Any, ids: Any) -> tuple[Any, Any, Any]:
        """Returns groups, weights and ids as arrays. An input that is not given or not used is
        None."""
        if groups is not None and self.info["rule"] == "weighted":
            groups = None
            if not self.__dict__.get("_told"):
                self.__dict__["_told"] = True
                warn(
                    "groups-ignored: the groups are not used, since the rule does not see the "
                    "group",
                    FairnessWarning,
                )
        return (
            None if groups is None else _arrays.codes(groups, listed="model.groups"),
            None if weights is None else _arrays.matrix(weights, "weights"),
            None if ids is None else _arrays.ids(ids),
        )

    def decide(
        self,
        scores: npt.ArrayLike,
        group: str | None = None,
        *,
        weights: npt.ArrayLike | None = None,
        id: str | int | None = None,
    ) -> str:
        """Returns the name of one person's class. ``group`` is the name of the person's group.
        ``scores`` has one score for each of ``classes``; in a pandas.Series, the scores are found
        by name. ``weights`` and ``id`` are those of this person; see :meth:`predict`.

        >>> import dp2dp
        >>> people = [[0.9, 0.1], [0.2, 0.8]] * 500, [0, 0, 1, 1] * 250
        >>> model = dp2dp.fit(*people, group_names=["f", "m"], class_names=["no", "yes"],
        ...                   solver="exact")
        >>> model.decide([0.3, 0.7], "f")
        'yes'
        """
        if group is not None and not isinstance(group, str):
            raise OptionError(
                f"group must be one of the names {', '.join(map(repr, self.groups))}, not a value "
                f"of type {type(group).__name__}"
            )
        if isinstance(scores, dict):
            raise DataError(
                "scores must be a list, not a dict: one score for each class, in the order "
                f"{', '.join(self.classes)}. You can also pass pandas.Series(scores): its values "
                "are found by name"
            )
        scores = scores_by_name(self, one_row(scores))
        row = np.ascontiguousarray(_arrays.array(scores, "scores"), dtype=np.float64)
        if np.shape(scores) not in ((len(self.classes),), (1, len(self.classes))):
            raise DataError(
                "scores must be the scores of one person, one number for each of the "
                f"{len(self.classes)} classes; the shape of scores is {np.shape(scores)}"
            )
        if not self.info["normalize"] and abs(float(row.sum()) - 100) <= 5:
            raise DataError(
                "the scores sum to about 100 and not to 1: divide percentages by 100 first"
            )
        if weights is None and self.rule == "weighted":
            raise OptionError(
                "the rule does not see the group: pass weights, the probability of each group"
            )
        if weights is None and id is None:
            with names_explained(self.groups):
                decision = self._decide(row, group)
            say_alone(self, 1)
            return decision
        code = None
        if group is not None:
            code = [self.groups.index(group) if group in self.groups else -1]
        weights = weights_by_name(self, one_row(weights))
        given = None if weights is None else np.atleast_2d(np.asarray(weights, dtype=np.float64))
        ids = None if id is None else [id]
        with names_explained(self.groups):
            at = int(self.predict(row[None], code, weights=given, ids=ids)[0])
        return self.classes[at]

    def __reduce__(self) -> tuple[Callable[[str], Self], tuple[str]]:
        return type(self).from_json, (self.to_json(),)

    def __repr__(self) -> str:
        return f"<dp2dp.Model: {kind_of(self)}; {promise_of(self)}>"

    def _repr_html_(self) -> str:
        """Returns HTML for notebooks: what the model is, what it promises, and what changes for
        which group."""
        kind, promise = escape(kind_of(self)), escape(promise_of(self))
        if self.criterion is not None:
            kind += f": {escape(_core.criteria[self.criterion])}"
        words = "".join(
            f"<br>{escape(word)}: {escape(_core.warnings[word])}" for word in self.warnings
        )
        changes = thresholds_html(self) or offsets_html(self)
        return f"<div><b>dp2dp model</b>: {kind}<br>{promise}{words}{changes}</div>"


def check_unknown(word: str, name: str = "unknown") -> bool:
    """Returns True for "base", which gives rows of unknown groups the argmax of their scores, and
    False for "refuse". ``name`` is the name of the parameter, for the message."""
    if word not in ("refuse", "base"):
        raise OptionError(f"{name} must be 'refuse' or 'base', not {word!r}")
    return word == "base"


def check_bad_rows(word: str) -> bool:
    """Returns True for "ignore", which leaves bad rows out, and False for "refuse"."""
    if word not in ("refuse", "ignore"):
        raise OptionError(f"bad_rows must be 'refuse' or 'ignore', not {word!r}")
    return word == "ignore"


def tell(model: Model) -> None:
    """Gives the warnings about a new model."""
    with keeping(model=model):
        warn_unless_private(model.not_private_because)
        warn_of(model.warnings, smallest(model), constant_of(model))
        say_noise(model)
        say_released(model)


def told(model: Model, options: dict[str, Any], *, as_many: bool = True) -> Model:
    """Gives the warnings about a rule that was fitted with these options, and returns the model. If
    ``as_many`` is False, leaves out the warning "as-many-people"."""
    with keeping(model=model):
        tell(model)
        say_rho(model)
        if as_many:
            say_as_many_trained(model, options)
        if is_rate(model.criterion or "") and model.info["positive"] is None:
            tell_positive(model.classes, "in the list", by_code=True)
    return model
