"""Fair decisions in Spark, with the interface of pyspark.ml. Needs pyspark 4.0 or newer: ``pip
install 'dp2dp[spark]'``.

The rows are read only through SQL. So executors do not need this package, and Spark Connect works
like classic Spark. See docs/spark.md.
"""

from __future__ import annotations

import os
from typing import Any, Self

try:
    import pyspark.ml  # noqa: F401
except ImportError as error:
    raise ImportError(
        "dp2dp.spark needs pyspark 4.0 or newer: pip install 'dp2dp[spark]'"
    ) from error

from pyspark.ml.base import Estimator
from pyspark.ml.base import Model as Transformer
from pyspark.ml.util import (
    DefaultParamsReader,
    DefaultParamsWriter,
    MLReadable,
    MLReader,
    MLWritable,
    MLWriter,
)

from . import _spark_rows as rows
from . import core
from ._core import OptionError
from ._model import Model
from ._search import Family
from ._spark_params import ColumnParams, FitParams
from ._warn import keeping

__all__ = ["FairPostProcessor", "FairPostProcessorModel"]


def __dir__() -> list[str]:
    return sorted(__all__)


_NOT_PARAMS = ("self", "__class__")


class _Writer(MLWriter):
    """Writes the Params of a stage (an estimator or a model) as metadata. For a model, also writes
    the text of the model file."""

    def __init__(self, stage: Any) -> None:
        super().__init__()
        self.stage = stage

    def save(self, path: str) -> None:
        """Saves the stage to a folder."""
        spark = self.sparkSession
        text = DefaultParamsWriter._get_metadata_to_save(self.stage, spark, self.stage._saved())
        mode = "overwrite" if self.shouldOverwrite else "error"
        frame = spark.createDataFrame([(text,)], "value string").coalesce(1)
        frame.write.mode(mode).text(os.path.join(path, "metadata"))


class _Reader(MLReader):
    def __init__(self, cls: Any) -> None:
        super().__init__()
        self.cls = cls

    def load(self, path: str) -> Any:
        """Loads what a _Writer saved."""
        found = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        wanted = f"{self.cls.__module__}.{self.cls.__name__}"
        if found["class"] != wanted:
            raise OptionError(f"{path!r} holds a {found['class']}, not a {wanted}")
        stage = self.cls()
        stage._resetUid(found["uid"])
        DefaultParamsReader.getAndSetParams(stage, found)
        stage._load(found)
        return stage


class _Saved(MLReadable, MLWritable):
    """A stage that can be saved and loaded, in classic Spark and in Spark Connect."""

    def write(self) -> MLWriter:
        """Returns a writer: ``write().overwrite().save(path)``."""
        return _Writer(self)

    @classmethod
    def read(cls) -> MLReader:
        """Returns a reader: ``read().load(path)``."""
        return _Reader(cls)

    def _saved(self) -> dict[str, Any]:
        return {}

    def _load(self, found: dict[str, Any]) -> None:
        pass


class FairPostProcessor(Estimator, FitParams, _Saved):
    """Learns a fair rule from the probabilities of a classifier. The people in the data frame get
    differential privacy. The classifier must have been trained on other people.

    Privacy: ``fit`` charges (``epsilon``, ``delta``) for the people of the frame.

    All Params are keywords here, and have setters and getters as in pyspark.ml; ``explainParams()``
    describes them.

    Parameters
    ----------
    probabilityCol
        The column with the probabilities, a vector or an array; "probability" by default.
    probabilityCols
        Columns with the probability of each class, in place of ``probabilityCol``.
    sensitiveCol, sensitiveCols
        Give one of these two Params. ``sensitiveCol`` is the column with the group.
        ``sensitiveCols`` is a list of columns; the group is then their values, joined by a comma.
    labelCol
        The column with the true class, "label" by default. Only criteria that use labels need this
        column.
    predictionCol
        The new column with the decision; "fairPrediction" by default.
    groups, classes
        The public list of groups, and the public list of classes in the order of the probabilities.
        Both are needed.
    epsilon, delta
        The budget, which has no default.
    rho
        The tolerance, 0 by default. The fit aims at a rule under which the rates of groups differ
        by at most rho.
    criterion, positive
        ``criterion`` says what becomes equal between groups, "demographic_parity" by default.
        ``positive`` is the name of the class whose true or false positive rate is compared. In
        :func:`dp2dp.core.fit`, ``positive`` is a position instead.
    solver
        The method that finds the rule, "counts" by default.
    rowsPerPerson
        The largest number of rows of one person, 1 by default.
    normalize
        True divides the probabilities of a row by their sum.
    badRows
        Whether to "refuse" (the default) or "ignore" rows whose probabilities or label are missing
        or not valid, or whose group is not in the list of groups.
    dither
        Some criteria need a random number per row, which SQL cannot compute. For these criteria,
        pass ``dither=0``.
    ledger, budget
        ``ledger`` is the path of a ledger file on the driver. The fit is charged to this ledger and
        to the model's own ledger. ``budget`` is the total budget (epsilon, delta) of the ledger.
    insecureSeed
        Makes the noise repeatable. The model is then NOT private.
    strategy
        "copy" copies probabilities and groups to the driver. "tables" asks the cluster for a table
        of counts at each step, and copies no row. Both give the same model, byte for byte. "auto",
        the default, copies if rows × classes × 4 is at most ``maxCopyBytes``.
    maxCopyBytes
        The limit of ``strategy`` "auto" in bytes, 256 MiB by default.
    options
        Further options of :func:`dp2dp.core.fit`, as a dict.
    """

    def __init__(
        self,
        *,
        probabilityCol: str | None = None,
        probabilityCols: list[str] | None = None,
        sensitiveCol: str | None = None,
        sensitiveCols: list[str] | None = None,
        labelCol: str | None = None,
        predictionCol: str | None = None,
        groups: list[Any] | None = None,
        classes: list[Any] | None = None,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        criterion: str | None = None,
        positive: Any = None,
        solver: str | None = None,
        rowsPerPerson: int | None = None,
        normalize: bool | None = None,
        badRows: str | None = None,
        dither: float | None = None,
        ledger: str | None = None,
        budget: tuple[float, float] | None = None,
        insecureSeed: int | None = None,
        strategy: str | None = None,
        maxCopyBytes: int | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        given = {name: value for name, value in locals().items() if name not in _NOT_PARAMS}
        super().__init__()
        self.setParams(**given)

    def setParams(self, **params: Any) -> Self:
        """Sets several Params, given as keywords (``params``). None leaves a Param unchanged."""
        unknown = [name for name in params if not self.hasParam(name)]
        if unknown:
            raise TypeError(f"FairPostProcessor has no Param {unknown[0]!r}")
        self._set(**{name: value for name, value in params.items() if value is not None})
        return self

    def copy(self, extra: Any = None) -> Self:
        """Returns a copy in which some Params have the values in ``extra``. Copies are usually
        fitted to the same people, so all fits of an estimator and its copies are counted
        together."""
        that: Self = super().copy(extra)
        that._family = self.__dict__.setdefault("_family", Family())
        return that

    def _fit(self, dataset: Any) -> FairPostProcessorModel:
        self._check()
        pool = rows.Rows(dataset, self)
        options = self._fit_options()
        model = self._learn(pool, options)
        family: Family = self.__dict__.get("_family") or Family()
        with keeping(model=model):
            family.count(model, self._given("ledger"))
        fitted = FairPostProcessorModel(model)
        fitted._resetUid(self.uid)
        self._copyValues(fitted)
        return fitted

    def _learn(self, pool: rows.Rows, options: dict[str, Any]) -> Model:
        strategy = self.getOrDefault("strategy")
        with pool.opened(persist=strategy != "copy"):
            records = None if strategy == "copy" else pool.begin()
            if records is None or (strategy == "auto" and self._fits_driver(records, pool)):
                people = pool.copy()
            elif options["solver"] == "counts":
                del options["solver"]
                return core.fit_source(
                    pool.count, records=records, leaves_out=pool.ignore, **options
                )
            else:
                raise OptionError(
                    f"the solver {options['solver']!r} needs all rows on the driver: set "
                    "strategy='copy', or a larger maxCopyBytes"
                )
        return core.fit(**people, **options)

    def _fits_driver(self, records: int, pool: rows.Rows) -> bool:
        limit: int = self.getOrDefault("maxCopyBytes")
        return records * pool.classes * 4 <= limit


class FairPostProcessorModel(Transformer, ColumnParams, _Saved):
    """Decides by a fair rule. ``transform`` adds the column ``predictionCol``, which has the type
    of ``classes``: string, double or boolean. The probabilities are read from ``probabilityCol`` or
    ``probabilityCols``, and the group from ``sensitiveCol`` or ``sensitiveCols``. A row that lacks
    a probability, or has a group that the rule does not know, gets NULL. Count the NULLs before you
    use the decisions.

    ``model`` is the :class:`dp2dp.Model` to decide by. A FairPostProcessorModel comes from
    ``FairPostProcessor.fit`` or ``FairPostProcessorModel.load``. For a rule that was fitted
    elsewhere, call ``FairPostProcessorModel(dp2dp.Model.load(path))``, then the setters for the
    columns; the decisions are then texts."""

    def __init__(self, model: Model | None = None) -> None:
        super().__init__()
        self._rule = model
        if model is not None:
            rows.expression(model, "")  # refuses a rule that Spark cannot compute

    @property
    def model(self) -> Model:
        """The :class:`dp2dp.Model`: its guarantee, offsets and warnings."""
        if self._rule is None:
            raise OptionError(
                "this FairPostProcessorModel has no rule: use a model from FairPostProcessor.fit "
                "or FairPostProcessorModel.load"
            )
        return self._rule

    def _transform(self, dataset: Any) -> Any:
        return rows.decided(dataset, self, self.model)

    def _saved(self) -> dict[str, Any]:
        return {"model": self.model.to_json()}

    def _load(self, found: dict[str, Any]) -> None:
        self._rule = Model.from_json(found["model"])
