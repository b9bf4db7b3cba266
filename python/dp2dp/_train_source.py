"""Trains on rows that stay where they are. Each shard, which is a part of the rows, answers
questions with sums over its rows. The sums of all shards are added."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._core import DataError
from ._model import Model, check_bad_rows, tell
from ._schema import Schema, opened
from ._typing import ArrowStream, Float64s, Path

Sums = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Question:
    """What :func:`train_source` asks for: each record gives one vector, and the answer is the sum
    of these vectors over all records. ``term`` says which vector is summed: "gradient", "row" or
    "slope" (docs/train.md). Each vector is clipped to the norm ``clip``, then rounded towards zero
    to a multiple of ``clip / 2**grid_bits``. A question can be pickled and sent to another machine.
    :meth:`Shard.sum` answers it.

    ``weights`` has a row for each feature and one for the bias, and a column for each output of the
    classifier (one for two classes). ``levels`` has a factor for each feature. A feature that
    stands for a level is multiplied by its factor; the factors of numeric features are not used."""

    term: str
    weights: Float64s
    levels: Float64s
    clip: float
    grid_bits: int


class Shard(_core.Shard):
    """Some of the rows to train on, encoded and kept in memory. A shard may have any number of
    rows, even none.

    ``schema``, ``rows``, ``bad_rows`` and ``threads`` are those of :func:`train`, and ``target``
    must be that of :func:`train_source`. ``records`` is the number of rows, including rows that are
    left out; ``leaves_out`` says whether rows may be left out. Several threads may use one shard.

    >>> columns = [
    ...     {"name": "age", "role": "feature", "kind": "numeric", "lower": 18, "upper": 90},
    ...     {"name": "paid", "role": "label", "kind": "categorical", "levels": ["no", "yes"]},
    ... ]
    >>> schema = {"format": "dp2dp-schema", "version": {"major": 1, "minor": 0}, "columns": columns}
    >>> schema["origin"] = "public"
    >>> from dp2dp.core import Rows
    >>> shard = Shard(schema, Rows([[38.0], [51.0]], ["age", "paid"], [([0, 1], ["no", "yes"])]))
    >>> shard.records, shard.leaves_out
    (2, False)
    """

    records: int
    leaves_out: bool

    def __new__(
        cls,
        schema: Schema | str | os.PathLike[str] | dict[str, Any],
        rows: Path | ArrowStream,
        *,
        target: str = "label",
        bad_rows: str = "refuse",
        threads: int | None = None,
    ) -> Shard:
        known = schema if isinstance(schema, Schema) else Schema(schema)
        ignore = check_bad_rows(bad_rows)
        with opened(rows, known if ignore else None) as given:
            self = super().__new__(cls, known, given, target, ignore, threads)
        self.records, self.leaves_out = self._facts()
        return self

    def sum(self, question: Question) -> Sums:
        """Answers ``question``: each row of this shard gives one vector, and the result is the sum
        of these vectors, in the shape of ``question.weights``. The sum is exact, so it is NOT
        private: give it only to :func:`train_source`."""
        weights = np.ascontiguousarray(question.weights, dtype=np.float64)
        levels = np.ascontiguousarray(question.levels, dtype=np.float64)
        answer = self._sum(
            question.term, weights, weights.shape, levels, question.clip, question.grid_bits
        )
        return np.frombuffer(answer, np.int64).reshape(weights.shape).copy()

    def __repr__(self) -> str:
        return f"Shard of {self.records} records"


def train_source(
    sum: Callable[[Question], npt.ArrayLike],
    *,
    schema: Schema | str | os.PathLike[str] | dict[str, Any],
    records: int,
    target: str = "label",
    leaves_out: bool = False,
    epsilon: float | None = None,
    delta: float | None = None,
    **options: Any,
) -> Model:
    """Trains as :func:`train` does with method "dpgd", but never sees a row: ``sum`` gets a
    :class:`Question` and returns the sum over all records, as integers in the shape of
    ``question.weights``. The sums of shards add up exactly, so the model's weights equal those of
    :func:`train` on all rows, bit by bit.

    ``records`` is the public number of records of all shards, including records that are left out.
    ``leaves_out`` must be True if any shard may leave rows out. ``schema``, ``target`` and further
    ``options`` are those of :func:`train` for "dpgd", except ``bad_rows``, which each
    :class:`Shard` takes.

    Privacy: ``epsilon`` and ``delta``, which have no default, are charged after the first answer.
    Each record must add exactly one vector to exactly one shard; the guarantee holds only then. The
    first question comes before the charge. Its answer shows how many records were summed; a wrong
    number raises :class:`DataError`. A later answer is refused only if it cannot be the sum of this
    number of records. An exception in ``sum`` is raised unchanged. If ``sum`` fails in a later call
    than the first, the charge stays.

    >>> from dp2dp.core import Rows
    >>> columns = [
    ...     {"name": "age", "role": "feature", "kind": "numeric", "lower": 18, "upper": 90},
    ...     {"name": "paid", "role": "label", "kind": "categorical", "levels": ["no", "yes"]},
    ... ]
    >>> schema = {"format": "dp2dp-schema", "version": {"major": 1, "minor": 0}, "columns": columns}
    >>> schema["origin"] = "public"
    >>> rows = Rows([[38.0], [51.0]] * 300, ["age", "paid"], [([0, 1] * 300, ["no", "yes"])])
    >>> sites = [Shard(schema, rows), Shard(schema, rows)]
    >>> model = train_source(
    ...     lambda question: sites[0].sum(question) + sites[1].sum(question),
    ...     schema=schema, records=1200, epsilon=1, delta=1e-5,
    ... )  # fmt: skip
    >>> model.private
    True
    """
    if not callable(sum):
        raise TypeError(f"sum must be a function, not {type(sum).__name__}")
    known = schema if isinstance(schema, Schema) else Schema(schema)

    def ask(
        term: str, weights: bytes, levels: bytes, outputs: int, clip: float, grid_bits: int
    ) -> bytes:
        table = np.frombuffer(weights).reshape(-1, outputs)
        question = Question(term, table.copy(), np.frombuffer(levels).copy(), clip, grid_bits)
        return _sums(sum(question), table.shape).tobytes()

    options.update(target=target, leaves_out=leaves_out, epsilon=epsilon, delta=delta)
    model = Model._train_source(known, ask, records, options)
    tell(model)
    return model


def _sums(answer: npt.ArrayLike, shape: tuple[int, ...]) -> Sums:
    sums = np.asarray(answer)
    if not np.can_cast(sums.dtype, np.int64) or sums.shape != shape:
        raise DataError(
            f"sum must return integers of shape {shape}, not {sums.dtype} of shape {sums.shape}"
        )
    return sums.astype(np.int64)
