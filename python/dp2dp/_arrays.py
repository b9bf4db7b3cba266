"""Converts arrays and Arrow streams for the library, without a copy if the type is right."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _cells, _core
from ._core import DataError
from ._index import check_all
from ._typing import Array, Codes, Floats

_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
_CODES = (np.dtype(np.int32), np.dtype(np.int16), np.dtype(np.int8))
_EXACT = 2**53  # above this number, floats cannot represent every whole number
NO_ROWS = "the reader has no rows. A reader can be read only once: was this reader read before?"


class _Held:
    """Lets numpy make an array that is a view of given memory. The array keeps ``owner``, the
    object that the memory belongs to, alive."""

    def __init__(self, interface: dict[str, Any], owner: object) -> None:
        self.__array_interface__ = interface
        self.owner = owner


def _view(columns: list[npt.NDArray[Any]]) -> npt.NDArray[Any] | None:
    """Returns the columns as one matrix without a copy. Returns None if the columns do not hold
    numbers of one type, or are not evenly spaced in memory."""
    first = columns[0]
    starts = [column.__array_interface__["data"][0] for column in columns]
    steps = {b - a for a, b in pairwise(starts)} or {first.itemsize}
    step = steps.pop()
    kinds = {(column.dtype, column.strides) for column in columns}
    if steps or len(kinds) > 1 or step % first.itemsize or first.dtype.kind not in "biuf":
        return None
    interface = dict(
        first.__array_interface__,
        data=(starts[0], True),
        shape=(len(first), len(columns)),
        strides=(first.strides[0], step),
    )
    return np.asarray(_Held(interface, columns))


def _joined(tables: list[list[npt.NDArray[Any]]]) -> npt.NDArray[Any]:
    """Stacks tables, each a list of columns, into one matrix. The matrix is a view if possible. If
    not, the matrix is a copy as float32 or float64."""
    view = _view(tables[0]) if len(tables) == 1 else None
    if view is not None:
        return view
    kind = np.result_type(*(column.dtype for columns in tables for column in columns))
    if kind.kind in "biuf" and kind != _FLOAT32:
        kind = _FLOAT64
    out = np.empty((sum(len(columns[0]) for columns in tables), len(tables[0])), dtype=kind)
    at = 0
    for columns in tables:
        for j, column in enumerate(columns):
            out[at : at + len(column), j] = column
        at += len(columns[0])
    return out


def _from_pandas(values: Any, name: str) -> npt.NDArray[Any]:
    if values.ndim == 2 and values.shape[1] > 0:
        columns = (values.iloc[:, j] for j in range(values.shape[1]))
        return _joined([[_from_pandas(column, name) for column in columns]])
    # A nullable type of pandas, such as Int64, has the attribute numpy_dtype: the numpy type for
    # the same values.
    kind = getattr(getattr(values, "dtype", None), "numpy_dtype", None)
    if kind is None:
        return np.asarray(values)
    try:
        plain: npt.NDArray[Any] = values.to_numpy(dtype=kind)
    except (TypeError, ValueError):
        raise DataError(f"{name} has missing values; drop or fill them") from None
    return plain


def _arrow_column(
    batch: object, kind: str, address: int, rows: int, width: int
) -> npt.NDArray[Any]:
    """Returns a view of an Arrow column: 1-D for plain numbers (``width`` is -1), 2-D for lists of
    ``width`` numbers."""
    shape = (rows, width) if width >= 0 else (rows,)
    typestr = np.dtype(kind).str
    interface = {"version": 3, "typestr": typestr, "data": (address, True), "shape": shape}
    return np.asarray(_Held(interface, batch))


def batches(given: Any, name: str) -> list[Any]:
    """Returns views of the batches of an Arrow stream or array. Each batch is one column or, for a
    table, a list of columns. The result is empty if some column does not hold numbers."""
    return [
        [_arrow_column(*column) for column in batch]
        if isinstance(batch, list)
        else _arrow_column(*batch)
        for batch in _core.columns(given, name) or []
    ]


def _noted(reader: Any, raised: list[BaseException]) -> Iterator[Any]:
    """Yields the batches of a reader. If the reader raises, also appends the exception to
    ``raised``. If the reader has no batches, appends a DataError, which :class:`opened` then
    raises."""
    empty = True
    while True:
        try:
            batch = reader.read_next_batch()
        except StopIteration:
            raised += [DataError(NO_ROWS)] if empty else []
            return
        except BaseException as error:
            raised.append(error)
            raise
        empty = False
        yield batch  # outside the try, which must not catch exceptions of the caller


class opened:
    """A context manager that gives the capsule of an Arrow stream.

    An Arrow stream reports a failure as an error code and a message. A reader of pyarrow may run
    Python code to produce its rows, and an exception in that code, even Ctrl-C, would be lost. The
    batches of pyarrow's readers are therefore read in Python, and the context manager raises the
    original exception.
    """

    def __init__(self, values: Any) -> None:
        self.raised: list[BaseException] = []
        kind = getattr(sys.modules.get("pyarrow"), "RecordBatchReader", None)
        if kind is not None and isinstance(values, kind):
            values = kind.from_batches(values.schema, _noted(values, self.raised))
        self.values = values

    def __enter__(self) -> Any:
        try:
            return self.values.__arrow_c_stream__()
        except ImportError as error:
            raise ImportError(
                "a pandas.DataFrame can be read here only if pyarrow is installed: pip install "
                "pyarrow. Or pass a polars or pyarrow table, or the path of a CSV file"
            ) from error
        except (TypeError, ValueError, OverflowError) as error:
            if not hasattr(self.values, "iloc"):
                raise
            found = re.search("column (.*) with type", str(error))
            where = f"column {found[1]!r} of the frame" if found else "a column of the frame"
        # Raised after the except clause. Inside it, Python would also show the original error,
        # whose message contains a value of the column.
        raise DataError(
            f"{where} has values of several types, or values that cannot be written as text: turn "
            "the column into numbers or texts"
        )

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error and self.raised:
            raise self.raised.pop() from None


def _from_arrow(values: Any, name: str) -> npt.NDArray[Any]:
    if hasattr(values, "__arrow_c_stream__"):
        with opened(values) as stream:
            found = batches(stream, name)
    else:
        found = batches(values.__arrow_c_array__(), name)
    first = found[0] if found else []
    if isinstance(first, list):
        plain = first and all(column.ndim == 1 for column in first)
        return _joined(found) if plain else np.asarray(values)
    return first if len(found) == 1 else np.concatenate(found)


def array(
    values: Array, name: str, advice: str = "convert it, for example with .astype(float)"
) -> npt.NDArray[Any]:
    """Returns the values as an array of numbers of any type. Refuses anything else."""
    if hasattr(values, "toarray") and hasattr(values, "nnz"):
        raise TypeError(
            f"Sparse data was passed for {name}, but dense data is required. "
            "Use '.toarray()' to convert to a dense numpy array."
        )
    if values is None:
        why = (
            ": core.score gives None if the model predicts the group, not the label. Use a model "
            "that predicts the label"
        )
        raise DataError(f"{name} is None{why if name == 'scores' else ''}")
    # Test for pandas before Arrow: a pandas frame has an Arrow stream too, but the stream works
    # only if pyarrow is installed.
    if hasattr(values, "iloc"):
        found = _from_pandas(values, name)
    elif hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        found = _from_arrow(values, name)
    else:
        if np.ma.is_masked(values):
            raise DataError(f"{name} has missing values; drop or fill them")
        found = np.asarray(values)
    if found.dtype.kind not in "biuf":
        raise DataError(f"{name} must be numbers, not dtype {found.dtype}; {advice}")
    return found


def filled(values: Any) -> Any:
    """Replaces missing values by NaN. In a list or a column of objects, also replaces every cell
    that is not a number. The type of the result never depends on a value, because the library
    checks rows of float32 and rows of float64 differently."""
    values = _cells.as_series(values)
    if isinstance(values, (list, tuple)):
        return _cells.numbers(_cells.of_list(values))
    if hasattr(values, "iloc"):
        types = list(values.dtypes) if values.ndim == 2 else [values.dtype]
        if not all(map(_cells.has_numbers, types)):
            several = values.ndim == 2 and values.shape[1] > 0
            columns = [values.iloc[:, j] for j in range(values.shape[1])] if several else []
            return (
                np.stack(list(map(_cells.of_column, columns)), axis=1)
                if several
                else _cells.of_column(values)
            )
        plain = {np.dtype(getattr(kind, "numpy_dtype", kind)) for kind in types}
        kind = _FLOAT32 if plain == {_FLOAT32} else _FLOAT64
        return values.to_numpy(dtype=kind, na_value=np.nan)
    if isinstance(values, np.ndarray) and values.dtype == object:
        return _cells.numbers(_cells.unmasked(values))
    if isinstance(values, np.ma.MaskedArray) and values.dtype.kind in "biuf":
        kind = _FLOAT32 if values.dtype == _FLOAT32 else _FLOAT64
        return np.ma.filled(values.astype(kind), np.nan)
    return values


def codes_or_bad(values: Array, name: str = "groups") -> Codes:
    """Converts codes like :func:`codes`, but replaces bad values by -1. Bad values are missing
    values, fractions and numbers that do not fit into 32 bits. In a list or a column of objects,
    values that are not numbers are bad, too."""
    kind = getattr(values, "dtype", None)
    if getattr(kind, "kind", "O") in "MmUS" or str(kind).startswith("str"):
        return codes(values, name)  # refuses a type that never holds codes
    found = array(filled(values), name)
    if found.dtype in _CODES:
        return codes(found, name)
    with np.errstate(invalid="ignore"):
        good = (found >= 0) & (found < 2**31) & (found == np.floor(found))
    return np.where(good, found, -1).astype(np.int32)


def _refuse_flat(values: npt.NDArray[Any], name: str) -> None:
    if values.ndim != 1:
        return
    advice = ""
    if name == "scores":
        advice = (
            ". Pass an array with a column for each class, as predict_proba(X) gives. If you have "
            "only the probability p of the second of two classes, pass "
            "numpy.column_stack([1 - p, p])"
        )
    raise DataError(f"{name} must be a 2-D array, not a 1-D array{advice}")


def matrix(values: Array, name: str = "scores") -> Floats:
    """Returns the values as an array of float32 or float64. Refuses a 1-D array."""
    if type(values) is np.ndarray and (values.dtype is _FLOAT32 or values.dtype is _FLOAT64):
        _refuse_flat(values, name)
        return values
    found = array(values, name)
    _refuse_flat(found, name)
    kind = np.float32 if found.dtype == _FLOAT32 else np.float64
    return np.require(found, dtype=kind, requirements="A")


def codes(values: Array, name: str = "groups", listed: str | None = None) -> Codes:
    """Returns the values as an array of int8, int16 or int32. ``listed`` is what a message calls
    the list of names."""
    if type(values) is np.ndarray and values.dtype in _CODES:
        return values
    listed = listed or {"groups": "group_names", "labels": "class_names"}.get(name, "names")
    example = f"pandas.Categorical(values, categories={listed}).codes"
    advice = f"pass codes (positions in the list of names), such as {example}"
    found = array(values, name, advice)
    if found.dtype.kind == "f":
        raise DataError(f"{name} must be whole numbers, not dtype {found.dtype}")
    wide = found.size > 0 and found.dtype.itemsize > 2
    if wide and not -(2**31) <= found.min() <= found.max() < 2**31:
        raise DataError(f"{name} must fit into 32 bits")
    kind = found.dtype if found.dtype in _CODES else np.dtype(np.int32)
    return np.require(found, dtype=kind, requirements="A")


def _id_list(values: Any) -> list[Any]:
    """Returns the ids as a list. Does not let numpy convert a list or a column of objects: if one
    id is missing or very large, numpy turns all whole numbers into floats."""
    values = _cells.as_series(values)
    if getattr(values, "ndim", 1) != 1:
        raise DataError("ids must be one column")
    own = next((one for one in ("to_list", "to_pylist") if hasattr(values, one)), None)
    if isinstance(getattr(values, "dtype", None), np.dtype) and not hasattr(values, "iloc"):
        found = values.tolist()
    elif hasattr(values, "cat") and hasattr(values.cat, "categories"):
        known = [*values.cat.categories.tolist(), None]
        found = [known[code] for code in values.cat.codes.tolist()]
    elif own is not None:
        found = getattr(values, own)()
    elif isinstance(values, Sequence) and not isinstance(values, (str, bytes)):
        found = list(values)
    else:
        found = np.asarray(values).tolist()
    if not isinstance(found, list):
        raise DataError("ids must be a column of whole numbers or texts")
    return found


def _is_whole(value: Any) -> bool:
    """Returns whether a value is a whole number of Python or numpy. Returns False for spans of
    time, although numpy counts them as whole numbers."""
    return isinstance(value, Integral) and not isinstance(value, (bool, np.timedelta64))


def _id_numbers(texts: list[str]) -> npt.NDArray[np.uint64]:
    out = np.empty(len(texts), dtype=np.uint64)
    _core.ids(texts, out)
    return out


def _id_text(value: Any) -> str | None:
    """Returns an id as text, or None if the value is not an id or cannot be written as UTF-8."""
    if (
        isinstance(value, (float, np.floating))
        and value.is_integer()
        and abs(float(value)) < _EXACT
    ):
        value = int(value)
    try:
        text = str(int(value)) if _is_whole(value) else value
        return str(text).encode().decode() if isinstance(text, str) else None
    except Exception:  # a lone surrogate, or an integer with thousands of digits
        return None


def ids(values: Any) -> npt.NDArray[np.uint64]:
    """Converts ids to 64-bit numbers. The number 17 and the text "17" are the same id."""
    found = _id_list(values)
    floats = [value for value in found if isinstance(value, (float, np.floating))]
    if any(value.is_integer() and abs(float(value)) >= _EXACT for value in floats):
        raise DataError(
            "ids must be whole numbers or texts, but some are floats of 2^53 or more: different "
            "ids may have become the same float. pandas turns whole numbers into floats if one of "
            'them is missing. Read the column as texts or as dtype "Int64"'
        )
    texts = [_id_text(value) for value in found]
    if floats or None in texts:
        raise DataError("ids must be whole numbers or texts, and none may be missing")
    return _id_numbers([text for text in texts if text is not None])


def ids_or_bad(values: Any) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
    """Converts ids like :func:`ids`, and also returns a mask of the rows that have no valid id. A
    float without a fraction is an id too, because pandas stores whole numbers as floats if one of
    them is missing. A float of 2^53 or more is not an id, because different whole numbers may have
    become the same float."""
    texts = [_id_text(value) for value in _id_list(values)]
    bad = np.array([text is None for text in texts], dtype=bool)
    return _id_numbers([text or "" for text in texts]), bad


def multiplicity(values: Array, *, ignore: bool = False) -> npt.NDArray[np.uint64]:
    """Converts the column that says how many records each row stands for. Refuses a value that is
    not a whole number from 1 to 2^48, because the number of records would be unknown. With
    ``ignore``, the error does not say which row has such a value. The library checks the total
    number of records."""
    found = array(filled(values), "multiplicity")
    if found.ndim != 1:
        raise DataError("multiplicity must be a column with one number for each row")
    good = (found >= 1) & (found <= 2**48) & (found == np.floor(found))
    if not good.all():
        where = "" if ignore else f"row {int(np.argmin(good)) + 1}: "
        raise DataError(
            f"{where}the multiplicity must be a whole number from 1 to "
            "2^48. A multiplicity counts records and is not a survey weight. If a row stands for w "
            "records of one person, rows_per_person must be at least w"
        )
    return np.ascontiguousarray(found, dtype=np.uint64)


def people(
    scores: Array, groups: Array | None, options: dict[str, Any], *, ignore: bool
) -> tuple[Floats, Codes | None]:
    """Converts the scores and groups of a fit or certificate. Also converts, in ``options``, the
    labels, weights, ids and multiplicity. With ``ignore``, a missing value becomes NaN or the code
    -1, which tells the library that the row is bad."""

    def numbers(values: Array, name: str) -> Floats:
        return matrix(filled(values) if ignore else values, name)

    coded = codes_or_bad if ignore else codes
    beside = ("labels", "weights", "ids", "multiplicity")
    given = {name: options.get(name) for name in beside}
    check_all(scores, "scores", groups=groups, **given)
    for name, convert in (("labels", coded), ("weights", numbers)):
        if options.get(name) is not None:
            options[name] = convert(options[name], name)
    found = numbers(scores, "scores")
    if options.get("ids") is not None and not ignore:
        options["ids"] = ids(options["ids"])
    elif options.get("ids") is not None:
        options["ids"], bad = ids_or_bad(options["ids"])
        if len(bad) == len(found):  # with fewer or more ids than rows, the library refuses the ids
            found = found.copy()
            found[bad] = np.nan
    if options.get("multiplicity") is not None:
        options["multiplicity"] = multiplicity(options["multiplicity"], ignore=ignore)
    return found, None if groups is None else coded(groups, "groups")
