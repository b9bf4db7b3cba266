"""The C library, thinly: arrays in, models out.

Arrays are passed without a copy where they are float32 or float64 (scores) and int8, int16 or int32
(codes of groups and classes), whatever their strides; other numbers are converted first. The GIL is
released while the library works, and Ctrl-C ends a fit.

>>> import numpy as np, dp2dp
>>> p = np.random.default_rng(0).random((2000, 1)) ** 2
>>> scores, groups = np.hstack([1 - p, p]), np.arange(2000) % 2
>>> model = dp2dp.fit(scores, groups, n_groups=2, epsilon=1, delta=1e-5)
>>> model.predict(scores[:3], groups[:3]).dtype
dtype('int32')
>>> model.private, model.epsilon <= 1
(True, True)
"""

from __future__ import annotations

import json
import os
from functools import cached_property
from types import SimpleNamespace
from typing import NamedTuple, Optional

import numpy as np

from . import _core, _repr
from ._core import DataError, OptionError
from .accounting import Ledger

__all__ = [
    "Certificate",
    "Evaluation",
    "Model",
    "Rows",
    "Schema",
    "Scores",
    "certify",
    "evaluate",
    "fit",
    "score",
    "train",
]

_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
_CODES = (np.dtype(np.int32), np.dtype(np.int16), np.dtype(np.int8))
_FEATURES, _LABEL, _GROUP = 1, 2, 4


def _array(values, name):
    if hasattr(values, "toarray") and hasattr(values, "nnz"):
        raise TypeError(
            f"Sparse data was passed for {name}, but dense data is required. "
            "Use '.toarray()' to convert to a dense numpy array."
        )
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        raise DataError(
            f"{name} must be numbers, not dtype {array.dtype}; convert it, as with .astype(float)"
        )
    return array


def _matrix(values, name="scores"):
    if type(values) is np.ndarray and (values.dtype is _FLOAT32 or values.dtype is _FLOAT64):
        return values
    array = _array(values, name)
    kind = np.float32 if array.dtype == _FLOAT32 else np.float64
    return np.require(array, dtype=kind, requirements="A")


def _codes(values, name="groups"):
    if type(values) is np.ndarray and values.dtype in _CODES:
        return values
    array = _array(values, name)
    if array.dtype.kind == "f":
        raise DataError(f"{name} must be whole numbers, not dtype {array.dtype}")
    wide = array.size > 0 and array.dtype.itemsize > 2
    if wide and not -(2**31) <= array.min() <= array.max() < 2**31:
        raise DataError(f"{name} must fit into 32 bits")
    kind = array.dtype if array.dtype in _CODES else np.int32
    return np.require(array, dtype=kind, requirements="A")


def _names(names):
    return None if names is None else [str(name) for name in names]


class Model(_core.Model):
    """A fair rule, a classifier, or both. Immutable; comes from :func:`fit`, :func:`train`,
    ``Model.load(path)`` or ``Model.from_json(text)``. The file is that of the command line."""

    @cached_property
    def info(self) -> dict:
        """Everything there is to know about the model."""
        return self._info()

    @cached_property
    def offsets(self) -> np.ndarray:
        """theta, a row for each group and a column for each class."""
        shape = (len(self.groups), len(self.classes))
        return np.array(self.info["offsets"], dtype=np.float64).reshape(shape)

    @cached_property
    def shares(self) -> np.ndarray:
        """The (noisy) shares of the groups."""
        return np.array(self.info["shares"], dtype=np.float64)

    groups = property(lambda self: self.info["groups"], doc="Names of the groups.")
    classes = property(lambda self: self.info["classes"], doc="Names of the classes.")
    solver = property(lambda self: self.info["solver"], doc="None: there is no rule yet.")
    records = property(lambda self: self.info["records"], doc="N of the fit.")
    leaks = property(lambda self: self.info["leaks"], doc="Why the model is not private.")
    private = property(lambda self: not self.info["leaks"], doc="True if nothing leaks.")
    epsilon = property(lambda self: self.info["epsilon"], doc="An upper bound; None: no bound.")
    delta = property(lambda self: self.info["delta"], doc="The delta of epsilon.")

    @property
    def ledger(self) -> Ledger:
        """A copy of what was charged for this model."""
        return Ledger.from_json(self._ledger_json())

    def predict(self, scores, groups=None, *, unknown="refuse", first_row=0, threads=0, out=None):
        """The class of each row, as a code: argmax of the adjusted scores, the lowest on a tie.

        ``groups`` are codes; ``unknown="base"`` gives rows with other codes the plain argmax.
        ``out`` is an int32 array to write to.
        """
        scores = _matrix(scores)
        if out is None:
            out = np.empty(len(scores), dtype=np.int32)
        groups = groups if groups is None else _codes(groups)
        self._predict(scores, groups, out, _unknown(unknown), first_row, threads)
        return out

    def adjust(self, scores, groups=None, *, unknown="refuse", first_row=0, threads=0, out=None):
        """The adjusted scores p - theta, whose argmax is the decision, as float32."""
        scores = _matrix(scores)
        if out is None:
            out = np.empty((len(scores), len(self.classes)), dtype=np.float32)
        groups = groups if groups is None else _codes(groups)
        self._adjust(scores, groups, out, _unknown(unknown), first_row, threads)
        return out

    def __reduce__(self):
        return type(self).from_json, (self.to_json(),)

    def __repr__(self):
        return _repr.text(self)

    def _repr_html_(self):
        return _repr.html(self)


def _unknown(word):
    if word == "refuse":
        return False
    if word == "base":
        return True
    raise OptionError(f"unknown must be 'refuse' or 'base', not {word!r}")


def fit(
    scores,
    groups,
    *,
    n_groups: Optional[int] = None,
    group_names=None,
    class_names=None,
    solver: str = "counts",
    rho: float = 0.0,
    epsilon: Optional[float] = None,
    delta: Optional[float] = None,
    **options,
) -> Model:
    """Learns a fair rule from class probabilities and groups.

    ``scores`` is an array of N rows and K columns; ``groups`` holds codes from 0. The list of
    groups is public: give its length or its names. ``epsilon`` and ``delta`` have no default; the
    solver "exact" needs none and is not private. ``insecure_seed`` makes noise that can be
    repeated, and a model that is not private. Further options: the numbers of docs/fit.md, and
    ``normalize``, ``dither``, ``dither_seed``, ``threads``, ``base`` (the model that gave the
    scores), ``same_people``, ``leaks``, ``ledger``, ``progress`` (called with step and total),
    ``score_columns`` and ``group_column`` (names in a table).
    """
    group_names = _names(group_names)
    if n_groups is None and group_names is None:
        raise OptionError(
            "give n_groups or group_names: the list of groups is public, not found in rows"
        )
    options.update(solver=solver, rho=rho, epsilon=epsilon, delta=delta)
    options.update(group_names=group_names, class_names=_names(class_names))
    n_groups = len(group_names) if n_groups is None else n_groups
    return Model._fit(_matrix(scores), _codes(groups), n_groups, options)


class Schema(_core.Schema):
    """How columns become features (docs/schema.md): the name of a built-in schema, a path, or the
    JSON text or dict itself."""

    def __new__(cls, source):
        text = json.dumps(source) if isinstance(source, dict) else os.fspath(source)
        return super().__new__(cls, text)

    def __init__(self, source):
        pass

    @cached_property
    def info(self) -> dict:
        return self._info()

    text = property(lambda self: self.info["text"], doc="JSON, every default spelled out.")
    columns = property(lambda self: self.info["columns"], doc="Names of the columns.")
    classes = property(lambda self: self.info["classes"], doc="Names of the classes.")
    groups = property(lambda self: self.info["groups"], doc="Names of the groups.")
    width = property(lambda self: self.info["width"], doc="How many features there are.")
    norm = property(lambda self: self.info["norm"], doc="Longer rows are scaled down to it.")
    from_data = property(lambda self: self.info["from_data"], doc="True: it is not public.")

    def __reduce__(self):
        return type(self), (self.text,)

    def __repr__(self):
        return f"Schema {self.info['name']!r}: {self.width} features, {len(self.classes)} classes"


class Rows:
    """A matrix of numbers, and columns of texts given by codes, as an Arrow stream. It can be read
    once for each call of ``__arrow_c_stream__``. Codes are copied; of the matrix nothing but a few
    thousand rows at a time is.

    ``texts`` is a list of (codes, levels), whose names come last in ``names``.
    """

    def __init__(self, matrix, names, texts=()):
        self.matrix = _matrix(matrix, "rows")
        self.names = _names(names)
        self.texts = [
            (np.array(_codes(codes), dtype=np.int32), _names(levels)) for codes, levels in texts
        ]

    def __arrow_c_stream__(self, requested_schema=None):
        return _core.stream(self.matrix, self.names, self.texts)


def _rows(rows):
    """A path, or the capsule of an Arrow stream."""
    if type(rows).__module__.partition(".")[0] == "polars":
        import polars

        rows = rows.to_arrow(compat_level=polars.CompatLevel.oldest())  # no views of strings
    if hasattr(rows, "__arrow_c_stream__"):
        return rows.__arrow_c_stream__()
    if isinstance(rows, (str, bytes, os.PathLike)):
        return rows
    raise TypeError(
        "rows must be a path or a table with __arrow_c_stream__ (pyarrow, polars, pandas with "
        f"pyarrow), not {type(rows).__name__}"
    )


def train(schema, rows=None, *, method="dpgd", epsilon=None, delta=None, **options) -> Model:
    """Trains private logistic regression on labelled rows, encoded by a public schema.

    ``rows`` is the path of a table or any table with an Arrow stream; method "external" takes
    ``weights`` instead. Further options: the numbers of docs/train.md, ``insecure_seed``,
    ``threads``, ``ledger`` and ``progress``.
    """
    schema = schema if isinstance(schema, Schema) else Schema(schema)
    if options.get("weights") is not None:
        options["weights"] = np.ascontiguousarray(options["weights"], dtype=np.float64)
    options.update(method=method, epsilon=epsilon, delta=delta)
    return Model._train(schema, rows if rows is None else _rows(rows), options)


class Scores(NamedTuple):
    """Probabilities of rows. ``rows`` are positions in the table: a schema may leave rows out."""

    rows: np.ndarray
    scores: np.ndarray
    labels: Optional[np.ndarray]
    groups: Optional[np.ndarray]


def score(model: Model, rows, *, labels=False, groups=False) -> Scores:
    """The classifier's probabilities of rows, and their labels and groups as codes."""
    parts = _FEATURES | (_LABEL if labels else 0) | (_GROUP if groups else 0)
    at, p, y, g = model._score(_rows(rows), parts)
    return Scores(
        np.frombuffer(at, dtype=np.int64),
        np.frombuffer(p, dtype=np.float32).reshape(-1, len(model.classes)),
        np.frombuffer(y, dtype=np.int32) if labels else None,
        np.frombuffer(g, dtype=np.int32) if groups else None,
    )


class Evaluation(SimpleNamespace):
    """What :func:`evaluate` found: records, counts, rates, rate_intervals (group by class),
    unfairness, unfairness_interval, accuracy, error, accuracy_interval, balanced_accuracy."""


def evaluate(predictions, groups, labels=None, *, n_groups, n_classes, **options) -> Evaluation:
    """Rates, unfairness and accuracy of decisions. NOT private: for data one may look at.

    All are codes. Options: ``confidence`` (0.95), ``bootstrap_draws`` (2000; 0: no interval of the
    unfairness), ``insecure_seed`` of the bootstrap.
    """
    options.update(groups=n_groups, classes=n_classes)
    labels = labels if labels is None else _codes(labels, "labels")
    found = _core.evaluate(_codes(predictions, "predictions"), _codes(groups), labels, options)
    for name in ("counts", "rates", "rate_intervals"):
        kind = np.int64 if name == "counts" else np.float64
        found[name] = np.array(found[name], dtype=kind)
    return Evaluation(**found)


class Certificate(SimpleNamespace):
    """What :func:`certify` found: unfairness_upper, unfairness_upper_strict, confidence, sigma,
    group_too_small, private."""


def certify(model, scores, groups, *, epsilon, delta, ledger=None, **options) -> Certificate:
    """A private upper bound on the unfairness of a model, from other people than made it.

    ``ledger`` is that of these people; None: a new one. Options: ``confidence`` (0.95),
    ``rows_per_person``, ``insecure_seed``.
    """
    ledger = Ledger() if ledger is None else ledger
    options.update(epsilon=epsilon, delta=delta)
    return Certificate(**model._certify(_matrix(scores), _codes(groups), ledger, options))
