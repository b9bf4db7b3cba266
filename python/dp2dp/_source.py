"""Fits a rule from tables of counts alone, and computes a table of counts for a part of the
records."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _arrays, _core, _criterion
from ._core import DataError, OptionError, flag
from ._model import Model, check_bad_rows, told
from ._options import check_same_people, name_list, refuse_foreign
from ._typing import Array, Float32s

Table: TypeAlias = npt.NDArray[np.int64]


class _Source:
    """Calls the user's function ``count``, and checks the shape and type of the returned table. The
    library checks the counts."""

    def __init__(self, count: Callable[[Float32s], Any], rows: int, leaves_out: bool) -> None:
        self.count = count
        self.rows = rows
        self.leaves_out = leaves_out
        self.asked = 0

    def __call__(self, offsets: bytes) -> Table:
        question = np.frombuffer(offsets, np.float32).reshape(self.rows, -1).copy()
        shape = question.shape
        self.asked += 1
        try:
            return self.checked(self.count(question), shape)
        except BaseException as error:
            if self.asked > 1:
                error.add_note("dp2dp: the fit was charged before this error, and the charge stays")
            raise

    def checked(self, answer: Any, shape: tuple[int, ...]) -> Table:
        if answer is None:
            raise DataError("count returned None; it must return a table of whole numbers")
        parts = answer if isinstance(answer, (list, tuple)) else [answer]
        if any(isinstance(part, np.ma.MaskedArray) for part in parts):
            raise DataError(
                "count must return a plain array, not a masked array: write 0 where no record is "
                "counted"
            )
        table = np.asarray(answer)
        if table.dtype.kind not in "iu":
            raise DataError(f"count must return whole numbers, not dtype {table.dtype}")
        expected = (shape[0] * shape[1] + 1,) if self.leaves_out else shape
        if table.shape != expected:
            raise DataError(
                f"count must return a table of shape {expected}, not {table.shape}"
                + (": all counts, then the number of records left out" if self.leaves_out else "")
            )
        if table.dtype.kind == "u" and table.max() > np.iinfo(np.int64).max:
            raise DataError("count returned a number that does not fit into a 64-bit integer")
        return np.ascontiguousarray(table, np.int64)


def _whole(value: Any, name: str) -> int:
    try:
        number = -1 if isinstance(value, (bool, np.bool_)) else operator.index(value)
    except TypeError:
        number = -1
    if not 0 <= number < 2**63:
        raise OptionError(f"{name} must be a whole number, 0 or more, not {value!r}")
    return number


def _weights(given: dict[str, Any], sees_group: bool, groups: int) -> int:
    """Returns the number of weight columns, which is 0 if the rule sees the group."""
    listed = given.get("weight_columns")
    wanted = given.pop("n_weights", None)
    if sees_group:
        if listed is not None or wanted is not None:
            raise OptionError(
                "weight_columns and n_weights need sees_group=False: a rule that sees the group "
                "has no weights"
            )
        return 0
    columns = len(listed) if listed is not None else groups
    return columns if wanted is None else _whole(wanted, "n_weights")


def _check_options(given: dict[str, Any]) -> None:
    arrays = ("labels", "weights", "ids", "multiplicity")
    for name in (*arrays, "bad_rows", "threads", "n_groups"):
        if given.get(name) is not None:
            raise OptionError(
                f"fit_source has no option {name}, because only the source has the records: give "
                f"{name} to core.count"
            )
    if given.get("solver") not in (None, "counts"):
        raise OptionError("fit_source gets only counts, so the solver must be 'counts'")
    if given.get("dither_key") == "row":
        raise OptionError(
            "dither_key='row' needs the position of each record among all records. A source with "
            "only some of the records lacks this position: use dither_key='scores' or 'id'"
        )


def _complete(options: dict[str, Any], count: object) -> None:
    """Adds what follows from the options, and compares them with those of ``count``."""
    options.setdefault("dither_key", "scores")
    _criterion.take_positive(options, options["class_names"])
    _refuse_other_options(count, options)


def fit_source(
    count: Callable[[Float32s], Any],
    *,
    records: int,
    group_names: Iterable[object],
    class_names: Iterable[object],
    criterion: str = "demographic_parity",
    sees_group: bool = True,
    leaves_out: bool = False,
    normalize: bool = False,
    rho: float = 0.0,
    epsilon: float | None = None,
    delta: float | None = None,
    **options: Any,
) -> Model:
    """Learns a fair rule from tables of counts, wherever the records are.

    ``count(offsets)`` gets a float32 array with a row for each of the J strata and a column for
    each of the K classes. It returns whole numbers in the same shape: how many records of each
    stratum get each class under these offsets. A stratum is a group. With a criterion that compares
    people with the same label, a stratum is a pair: stratum g * K + y is group g with label y. For
    arrays in memory, :func:`count` computes the table; tables of several parts add up.

    ``group_names`` and ``class_names`` are the public lists. ``records`` is N, the public number of
    records; every table must sum to N. ``leaves_out=True`` says that records may be left out:
    ``count`` then returns a flat array of J × K + 1 numbers; the last counts the records left out.

    ``count`` is called once per step, ``steps`` times (by default 80, or 160 with labels). The
    first call comes before the charge, so an exception or an impossible table in that call costs
    nothing. If a later call fails, the charge stays. Exceptions are raised unchanged.

    ``count`` must not use the ``ledger`` of this fit, not even to read it. It must not wait for
    another thread that uses the ledger either, because the fit holds the lock of the ledger.

    Privacy: ``epsilon`` and ``delta``, which have no default, are charged after the first call. The
    tables are exact, so ``count`` must not publish or log them. Each record must be in exactly one
    cell. Only the sum of a table is checked: nobody notices if one record is counted twice and
    another is left out. If ``count`` fails because of a record, anyone who sees the failure learns
    that this record is present.

    ``sees_group=False`` makes a rule that uses weights in place of the group. ``n_weights`` is the
    number of weight columns, which is the number of groups (the default) or of strata.
    ``criterion``, ``rho`` and other ``options`` are those of :func:`fit`, except the arrays,
    ``threads`` and ``bad_rows``. Give :func:`count` the same ``normalize``, ``grid``, ``counted``,
    ``dither``, ``dither_seed`` and ``dither_key``. Equalized odds needs a ``dither``, which has no
    default here. With ``counted="scores"`` the table is in units of 2**-20.

    >>> import numpy as np
    >>> from dp2dp import core
    >>> yes, g = np.linspace(0, 1, 1000), [0, 1] * 500
    >>> p = np.column_stack([1 - yes, yes])
    >>> parts = [(p[:1], g[:1]), (p[1:], g[1:])]
    >>> def ask(offsets):
    ...     return sum(core.count(*part, offsets, n_groups=2) for part in parts)
    >>> names = {"group_names": ["f", "m"], "class_names": ["no", "yes"]}
    >>> model = core.fit_source(ask, records=1000, epsilon=1, delta=1e-5, **names)
    >>> model.private, model.records
    (True, 1000)
    """
    if not callable(count):
        raise TypeError(f"count must be a function of the offsets, not {type(count)!r}")
    groups, classes = name_list(group_names), name_list(class_names)
    if groups is None or classes is None:
        raise OptionError(
            "give both group_names and class_names: the public lists of groups and classes"
        )
    refuse_foreign(options)
    _check_options(options)
    check_same_people(options)
    options.update(group_names=groups, class_names=classes, criterion=criterion)
    leaves_out = flag("leaves_out", leaves_out)
    options.update(leaves_out=leaves_out, normalize=flag("normalize", normalize))
    options.update(rho=rho, epsilon=epsilon, delta=delta)
    _complete(options, count)
    weights = _weights(options, flag("sees_group", sees_group), len(groups))
    labelled = criterion in _core.criteria and _criterion.take_statistics(options, len(classes))
    rows = len(groups) * (len(classes) if labelled else 1)
    source = _Source(count, rows, leaves_out)
    sizes = _whole(records, "records"), len(groups), len(classes), weights
    return told(Model._fit_source(source, *sizes, options), options)


def _refuse_other_options(count: object, given: dict[str, Any]) -> None:
    """Refuses a method of a :class:`Counter` that counts with other options than the fit: the rule
    would decide otherwise than the records were counted."""
    counter = getattr(count, "__self__", None)
    if not isinstance(counter, Counter):
        return
    same = {"normalize": False, "grid": 0, "counted": "labels", "dither": 0.0}
    if counter._given.get("dither") and given.get("dither"):
        same |= {"dither_seed": 0, "dither_key": "scores"}
    for name, default in same.items():
        ours, theirs = (one.get(name) for one in (given, counter._given))
        ours, theirs = (default if one is None else one for one in (ours, theirs))
        if ours != theirs:
            raise OptionError(
                f"{name} is {theirs!r} in the Counter and {ours!r} in fit_source: give both the "
                "same"
            )


class Counter:
    """Counts how many records of each stratum (a group, or a group and label) get each class. The
    rows are checked and copied once, when the counter is made. The method ``count`` can then be
    called for many tables of offsets. NOT private: the tables are exact.

    The method ``count`` can be passed to :func:`fit_source`. ``scores``, ``groups``, ``n_groups``,
    ``labels``, ``weights``, ``leaves_out``, ``normalize``, ``bad_rows`` and further ``options`` are
    those of :func:`count`.

    >>> scores, groups = [[0.9, 0.1], [0.4, 0.6]], [0, 1]
    >>> counter = Counter(scores, groups, n_groups=2)
    >>> counter.count([[0.0, 0.0], [0.0, 0.0]]).tolist()
    [[1, 0], [0, 1]]
    >>> counter.count([[0.0, 0.0], [0.0, 0.3]]).tolist()
    [[1, 0], [1, 0]]
    """

    def __init__(
        self,
        scores: Array,
        groups: Array | None,
        *,
        n_groups: int,
        labels: Array | None = None,
        weights: Array | None = None,
        leaves_out: bool = False,
        normalize: bool = False,
        bad_rows: str = "refuse",
        **options: Any,
    ) -> None:
        ignore = check_bad_rows(bad_rows)
        if options.get("dither_key") == "row" and options.get("dither"):
            raise OptionError(
                "dither_key='row' needs the position of each record among all records. A source "
                "with only some of the records lacks this position: use dither_key='scores' or "
                "'id'"
            )
        options.update(labels=labels, weights=weights, bad_rows=bad_rows)
        leaves_out = flag("leaves_out", leaves_out)
        options.update(leaves_out=leaves_out, normalize=flag("normalize", normalize))
        compared = ("normalize", "grid", "counted", "dither", "dither_seed", "dither_key")
        self._given = {name: options.get(name) for name in compared}
        people = _arrays.people(scores, groups, options, ignore=ignore)
        number, classes = _whole(n_groups, "n_groups"), people[0].shape[-1]
        labelled = labels is not None or options.get("counted") == "scores"
        options["labelled"] = labelled
        self._pool = _core.Pool(*people, number, options)
        self._shape = (number * classes if labelled else number, classes)
        self._flat = leaves_out or ignore

    def __repr__(self) -> str:
        return f"<dp2dp Counter: {self._shape[0]} strata, {self._shape[1]} classes, not private>"

    def count(self, offsets: npt.ArrayLike) -> Table:
        """Returns how many records of each stratum get each class under ``offsets``, as
        :func:`count` does."""
        asked = np.ascontiguousarray(np.asarray(offsets), np.float32)
        if asked.shape != self._shape:
            raise OptionError(
                f"offsets must have shape {self._shape}, not {asked.shape}. There is a column for "
                "each class and a row for each group; with labels or counted='scores', there is a "
                "row for each pair of group and label"
            )
        if not np.isfinite(asked).all():
            raise OptionError("offsets must be finite")
        table = np.empty(asked.size + 1 if self._flat else asked.shape, np.int64)
        self._pool._count(asked, table)
        return table


def count(
    scores: Array,
    groups: Array | None,
    offsets: npt.ArrayLike,
    *,
    n_groups: int,
    labels: Array | None = None,
    weights: Array | None = None,
    leaves_out: bool = False,
    normalize: bool = False,
    bad_rows: str = "refuse",
    **options: Any,
) -> Table:
    """Counts how many records of each stratum get each class under ``offsets``. A function given to
    :func:`fit_source` returns such a table for all records; this function makes it for some or all
    of them. NOT private: the table is exact.

    Each call checks and copies the rows; :class:`Counter` does that once for many calls. If all
    records are in memory here, :func:`fit` gives the same model.

    ``scores``, ``groups``, ``weights``, ``normalize`` and ``n_groups`` are those of :func:`fit`.
    There may be any number of records, even none. ``offsets`` has a row for each group or, with
    ``labels`` or ``counted="scores"``, for each pair of group and label. The other ``options`` are
    those of :func:`fit`: ``multiplicity``, ``grid``, ``counted``, ``dither`` (here 0 unless given),
    ``dither_seed``, ``dither_key`` ("scores" or "id", with ``ids``) and ``threads``. With
    ``leaves_out=True`` or ``bad_rows="ignore"`` the result is flat, and the last number counts the
    records left out; give ``leaves_out=True`` to :func:`fit_source` too.

    >>> count([[0.9, 0.1], [0.4, 0.6]], [0, 1], [[0.0, 0.0], [0.0, 0.3]], n_groups=2).tolist()
    [[1, 0], [1, 0]]
    """
    options.update(labels=labels, weights=weights, leaves_out=leaves_out, normalize=normalize)
    counter = Counter(scores, groups, n_groups=n_groups, bad_rows=bad_rows, **options)
    return counter.count(offsets)
