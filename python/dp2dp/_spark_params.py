"""The Params of :mod:`dp2dp.spark`, and the options of core.fit that follow from them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from pyspark.ml.param import Param, Params, TypeConverters

from . import _core, _criterion, core
from ._core import OptionError
from ._factored import join
from ._model import check_bad_rows
from .accounting import Ledger

C = TypeVar("C", bound=type)

STRATEGIES = ("auto", "copy", "tables")
# The Param `options` may hold these options and the numeric options of core.fit.
_FURTHER = {"note", "not_private_because", "people", "same_people", "scores_id", "statistics"}


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def to_names(value: Any) -> list[Any]:
    """Converts a list of names, which must be all texts, all numbers or all booleans."""
    given = [_plain(v) for v in TypeConverters.toList(value)]
    kinds = {float if type(v) is int else type(v) for v in given}
    if len(kinds) != 1 or not kinds <= {str, bool, float}:
        raise TypeError(f"Could not convert {value} to a list of texts, of numbers or of booleans")
    return given


def to_groups(value: Any) -> list[Any]:
    """Converts a list of names, or of lists with the values of several columns."""
    given = TypeConverters.toList(value)
    if given and all(isinstance(v, (list, tuple)) for v in given):
        return [[_plain(v) for v in names] for names in given]
    return to_names(given)


def to_options(value: Any) -> dict[str, Any]:
    """Converts a dict that can be written as JSON."""
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise TypeError(f"Could not convert {value} to a dict whose keys are texts")
    found: dict[str, Any] = json.loads(json.dumps(value))
    return found


def text_of(name: object) -> str:
    """Returns the name of a group or class as text. The text is that of Spark's cast to string,
    with one exception: a whole float such as 1.0 becomes "1" instead of "1.0", and the library
    accepts both texts. The values of several columns are joined as in the estimators."""
    if isinstance(name, list):
        return join(text_of(part) for part in name)
    if isinstance(name, bool):
        return "true" if name else "false"
    return str(int(name)) if isinstance(name, float) and name.is_integer() else str(name)


def _param(name: str, words: str, convert: Callable[[Any], Any]) -> Any:
    return Param(Params._dummy(), name, words, convert)


def _add_accessors(cls: type, param: Any, *, setter: bool) -> None:
    name, capital = param.name, param.name[0].upper() + param.name[1:]

    def get(self: Any) -> Any:
        return self.getOrDefault(name)

    def put(self: Any, value: Any) -> Any:
        return self._set(**{name: value})

    for function, verb in ((get, "get"), (put, "set"))[: 2 if setter else 1]:
        function.__name__ = verb + capital
        function.__qualname__ = f"{cls.__qualname__}.{function.__name__}"
        function.__module__ = cls.__module__
        does = f"Returns {name}" if verb == "get" else f"Sets {name} to ``value``"
        function.__doc__ = f"{does}: {param.doc}."
        setattr(cls, function.__name__, function)


def accessors(*, but: tuple[str, ...] = ()) -> Callable[[C], C]:
    """Gives a class a getter and a setter for each of its Params, as in pyspark.ml. The Params
    named in ``but`` get no setter."""

    def add(cls: C) -> C:
        for name, param in list(vars(cls).items()):
            if isinstance(param, Param):
                _add_accessors(cls, param, setter=name not in but)
        return cls

    return add


@accessors(but=("classes",))
class ColumnParams(Params):
    """The Params that the estimator and the model share."""

    probabilityCol = _param(
        "probabilityCol",
        "the column with the probabilities of the classes, a vector or an array of numbers",
        TypeConverters.toString,
    )
    probabilityCols = _param(
        "probabilityCols",
        "columns with the probability of each class, in place of probabilityCol",
        TypeConverters.toListString,
    )
    sensitiveCol = _param("sensitiveCol", "the column with the group", TypeConverters.toString)
    sensitiveCols = _param(
        "sensitiveCols",
        "several columns whose values, joined by a comma, are the group",
        TypeConverters.toListString,
    )
    predictionCol = _param(
        "predictionCol", "the new column with the decision", TypeConverters.toString
    )
    classes = _param(
        "classes",
        "public list of classes, in the order of the probabilities; decisions have the same type",
        to_names,
    )

    def __init__(self) -> None:
        super().__init__()
        self._setDefault(probabilityCol="probability", predictionCol="fairPrediction")

    def _given(self, name: str) -> Any:
        """Returns the value of the Param ``name``. Returns None if the Param has no value and no
        default."""
        return self.getOrDefault(name) if self.isDefined(name) else None

    def _prediction_type(self) -> str:
        """Returns the Spark type of the column of decisions, which is the type of the classes."""
        kind = type((self._given("classes") or [""])[0])
        return {str: "string", bool: "boolean"}.get(kind, "double")


@accessors()
class FitParams(ColumnParams):
    """The Params that only the estimator has. core.fit has the same names, in snake_case."""

    groups = _param(
        "groups",
        "the public list of groups; with sensitiveCols, each group may be a tuple",
        to_groups,
    )
    labelCol = _param(
        "labelCol",
        "the column with the true class; only criteria that use labels need this column",
        TypeConverters.toString,
    )
    epsilon = _param("epsilon", "epsilon of the guarantee; no default", TypeConverters.toFloat)
    delta = _param("delta", "delta of the guarantee; no default", TypeConverters.toFloat)
    rho = _param(
        "rho",
        "the tolerance: the fit aims at rates that differ by at most rho between groups",
        TypeConverters.toFloat,
    )
    criterion = _param("criterion", "what becomes equal between groups", TypeConverters.toString)
    positive = _param(
        "positive",
        "the positive class, for criteria that compare its true or false positive rate",
        TypeConverters.identity,
    )
    solver = _param(
        "solver", "the method that finds the rule, such as 'counts'", TypeConverters.toString
    )
    rowsPerPerson = _param(
        "rowsPerPerson", "the largest number of rows that one person has", TypeConverters.toInt
    )
    normalize = _param(
        "normalize", "whether probabilities are divided by their sum", TypeConverters.toBoolean
    )
    badRows = _param(
        "badRows",
        "whether to 'refuse' or 'ignore' rows whose probabilities or label are missing or not "
        "valid, or whose group is not in the list of groups",
        TypeConverters.toString,
    )
    dither = _param(
        "dither",
        "set this to 0 if the criterion adds a random number to the scores of each row: SQL cannot "
        "compute that number",
        TypeConverters.toFloat,
    )
    ledger = _param("ledger", "path of a ledger on the driver", TypeConverters.toString)
    budget = _param(
        "budget", "the total epsilon and delta that the ledger allows", TypeConverters.toListFloat
    )
    insecureSeed = _param(
        "insecureSeed", "makes the noise repeatable; the model is NOT private", TypeConverters.toInt
    )
    strategy = _param(
        "strategy",
        "'copy' copies the columns to the driver, 'tables' lets Spark count the rows, 'auto' "
        "chooses by size",
        TypeConverters.toString,
    )
    maxCopyBytes = _param(
        "maxCopyBytes",
        "strategy 'auto' copies if rows × classes × 4 is at most this many bytes",
        TypeConverters.toInt,
    )
    options = _param("options", "further options of dp2dp.fit, as a dict", to_options)

    def __init__(self) -> None:
        super().__init__()
        self._setDefault(labelCol="label", rho=0.0, criterion="demographic_parity")
        self._setDefault(solver="counts", rowsPerPerson=1, normalize=False, badRows="refuse")
        # maxCopyBytes assumes float scores. Double scores take twice as many bytes, which is still
        # below Spark's own limit of 1 GiB for results.
        self._setDefault(strategy="auto", maxCopyBytes=2**28, options={})

    def setClasses(self, value: Any) -> Any:
        """Sets classes to ``value``: the public list of classes, in the order of the
        probabilities."""
        return self._set(classes=value)

    def _labelled(self) -> bool:
        """Returns whether the criterion compares people with the same label. Refuses Params that
        contradict each other."""
        names, found = self._names("classes"), self.getOrDefault("options")
        labelled = _criterion.check(
            self.getOrDefault("criterion"),
            found.get("statistics"),
            len(names),
            solver=self.getOrDefault("solver"),
        )
        if self._given("dither") != 0 and self._needed_dither() > 0:
            raise OptionError(
                f"the criterion {self.getOrDefault('criterion')} adds a random number to the "
                "scores of each row (a dither), which SQL cannot compute. Set dither=0; a gap "
                "between groups may then remain, and the fit warns of this"
            )
        if self._given("dither"):
            raise OptionError("dither must be 0: SQL cannot compute a dither")
        return labelled

    def _needed_dither(self) -> float:
        found: dict[str, Any] = dict(
            criterion=self.getOrDefault("criterion"), positive=self._positive()
        )
        classes = len(self._names("classes"))
        statistics = self.getOrDefault("options").get("statistics")
        if statistics is not None:
            found["statistics"] = _criterion.flags_of(statistics, classes)
        return _core.needed_dither(found, classes)

    def _names(self, which: str) -> list[str]:
        given = self._given(which)
        if given is None:
            raise OptionError(
                f"{which} are missing: give the list of {which}, which must be public and is not "
                "read off the data"
            )
        return [text_of(name) for name in given]

    def _positive(self) -> int | None:
        given = self._given("positive")
        if given is None:
            return None
        names = self._names("classes")
        if text_of(given) not in names:
            raise OptionError(f"positive must be one of the classes, not {given!r}")
        return names.index(text_of(given))

    def _ledger(self) -> Ledger | None:
        path, budget = self._given("ledger"), self._given("budget")
        if budget is not None and (path is None or len(budget) != 2):
            raise OptionError(
                "budget must be [epsilon, delta]; also set ledger, because the ledger stores the "
                "budget"
            )
        if path is None:
            return None
        ledger = Ledger.open(path)
        if budget is not None and ledger.budget != tuple(budget):
            ledger.set_budget(*budget, with_charge=True)
        return ledger

    def _check(self) -> None:
        """Refuses bad Params before any row is read."""
        strategy, solver = self.getOrDefault("strategy"), self.getOrDefault("solver")
        if strategy not in STRATEGIES:
            raise OptionError(f"strategy must be one of {', '.join(STRATEGIES)}; not {strategy!r}")
        if strategy == "tables" and solver != "counts":
            raise OptionError(f"strategy 'tables' needs the solver 'counts', not {solver!r}")
        check_bad_rows(self.getOrDefault("badRows"))
        for name in ("epsilon", "delta"):
            if self._given(name) is None and solver != "exact":
                raise OptionError(f"{name} is missing: it has no default, so you must choose it")
        known = {option.name for option in core.options(core.fit)} | _FURTHER
        for name in self.getOrDefault("options"):
            if name not in known or any(_snake(param.name) == name for param in self.params):
                raise OptionError(
                    f"options must not hold {name!r}. The dict may only hold options of dp2dp.fit "
                    "that are not Params of this estimator"
                )

    def _fit_options(self) -> dict[str, Any]:
        """Returns keyword arguments for core.fit or core.fit_source. Arguments about the rows, such
        as the scores and ``bad_rows``, are left out."""
        found = {
            name: self._given(name)
            for name in ("criterion", "solver", "rho", "epsilon", "delta", "normalize")
        }
        found.update(rows_per_person=self.getOrDefault("rowsPerPerson"), dither=0)
        found.update(group_names=self._names("groups"), class_names=self._names("classes"))
        if self._positive() is not None:
            found["positive"] = self._positive()
        if self._given("insecureSeed") is not None:
            found["insecure_seed"] = self._given("insecureSeed")
        if self._given("probabilityCols") and self._given("sensitiveCol"):
            found["score_columns"] = self._given("probabilityCols")
            found["group_column"] = self._given("sensitiveCol")
        return {**found, **self.getOrDefault("options"), "ledger": self._ledger()}


def _snake(name: str) -> str:
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name)
