"""Checks public lists, labels and groups for estimators and metrics, and splits people at
random."""

from __future__ import annotations

import numbers
import operator
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import assert_all_finite, check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, validate_data

from ._cells import as_list, as_series, of_list, unmasked
from ._core import DataError, OptionError
from ._factored import Factored, is_missing, join, of_array, of_columns, of_pandas, text_of
from ._index import check_index
from ._options import NO_SAMPLE_WEIGHT
from ._typing import Features, Labels
from ._warn import FairnessWarning, PrivacyLeakWarning, warn

Positions = npt.NDArray[np.intp]
_MANY, _FEWEST = 20, 10  # if there are more than _MANY values, each needs _FEWEST rows on average
_TO_TEXT = "turn them into texts, such as values.astype(str)"
_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+(,\d+)?\s*")
_NO_VALUE = {"nan", "none", "<na>", "nat", "null"}


@contextmanager
def cells_unseen(X: Features, ignore: bool) -> Iterator[None]:
    """Inside the with block, replaces errors of numpy or scikit-learn about a value that is not a
    number, because the message of such an error shows the value. Replaces an error only if bad rows
    are ignored (``ignore``) or X is a frame. For a frame, the new error names the column. If bad
    rows are ignored, only columns of a type that never holds numbers, such as dates, cause
    errors."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if "contains NaN" in str(error):
            raise DataError(_words_of_nan(X)) from None
        told = any(word in str(error) for word in ("onvert", "promot"))
        if not told or not (ignore or hasattr(X, "dtypes")):
            raise
        if name := _first_text(X):
            refuse_dates(X[name], name)
            if not ignore:
                refuse_decimal_commas(X[name], name)
            raise DataError(
                f"column {name!r} holds values that are not numbers: give their public list as "
                f"categories={{{name!r}: [...]}}, give a schema, or turn the column into numbers"
            ) from None
        raise DataError(
            "every column of X must have a numeric type, but one column holds values that are not "
            "numbers"
        ) from None


def _words_of_nan(X: Features) -> str:
    """Returns words that say what to do about missing numbers in X."""
    missing = X.isna().any() if hasattr(X, "isna") and hasattr(X, "columns") else None
    name = None if missing is None else next((str(n) for n in X.columns[missing]), None)
    column = "column" if name is None else repr(name)
    return (
        f"X contains NaN, a missing number{'' if name is None else f', in column {name!r}'}. To "
        "give missing numbers a feature of their own, use a schema made with "
        f"Schema.from_frame(..., missing={{{column}: 'level'}}). Or pass bad_rows='ignore': a row "
        "that has NaN then still counts in the number of records, but fit() uses none of its "
        "values. Or replace NaN by a public number"
    )


def refuse_dates(column: Any, name: str) -> None:
    if getattr(getattr(column, "dtype", None), "kind", "") in ("M", "m"):
        raise DataError(
            f"column {name!r} holds dates or times. Turn them into numbers, for example the number "
            "of days since a fixed public date"
        ) from None


def refuse_decimal_commas(column: Any, name: str) -> None:
    """Refuses a column if its first texts (at most 20) are all numbers and at least one of them has
    a decimal comma. The message shows no value."""
    values = column.tolist() if hasattr(column, "tolist") else list(column)
    texts = list(islice((one for one in values if isinstance(one, str)), _MANY))
    if all(map(_DECIMAL_COMMA.fullmatch, texts)) and any("," in text for text in texts):
        raise DataError(
            f"column {name!r} holds texts that look like numbers with a decimal comma: read the "
            'file with decimal=",", as in pandas.read_csv(path, sep=";", decimal=",")'
        ) from None


def _first_text(X: Features) -> str | None:
    """Returns the name of the first column of a pandas frame that is not numeric, or None."""
    if not hasattr(X, "dtypes") or not hasattr(X, "columns"):
        return None
    kinds = zip(X.columns, X.dtypes, strict=True)
    return next(
        (str(name) for name, kind in kinds if getattr(kind, "kind", "O") not in "biuf"), None
    )


@contextmanager
def rows_of(positions: Positions) -> Iterator[None]:
    """Corrects the row number in errors about a part of the user's table: the new number counts the
    rows of the whole table. ``positions[i]`` is the position of the part's row i in the whole
    table."""
    try:
        yield
    except DataError as error:
        if error.row is None or error.row > len(positions):
            raise
        row = int(positions[error.row - 1]) + 1
        text = str(error).replace(f"row {error.row}", f"row {row}", 1).replace(": the rows", "", 1)
        moved = DataError(text)
        moved.reason, moved.row, moved.column = error.reason, row, error.column
        raise moved from None


def need_list(given: npt.ArrayLike | None, name: str) -> None:
    """Refuses bad_rows="ignore" if the public list ``name`` is not given."""
    if given is None:
        raise OptionError(f"bad_rows='ignore' needs the public list {name}=[...]")


def warn_of_leak(text: str) -> None:
    warn(text, PrivacyLeakWarning)


def public_list(
    given: npt.ArrayLike | None, values: Labels | Factored, name: str
) -> tuple[Labels, set[str]]:
    """If the public list is given, returns it as an array, and an empty set. If not, returns the
    distinct values, and a set with the reason why the model is not private."""
    if given is not None:
        return class_list(given) if name == "classes" else listed(given, name), set()
    found = distinct(values, name)
    cut = ""
    if name == "groups" and len(found) > _MANY and found.dtype.kind in "iuf":
        cut = f". To cut these {len(found)} different numbers into groups, use sensitive_cuts=[...]"
    warn_of_leak(
        f"{name} were read off the data, which reveals which {name} occur; the model is marked as "
        f"not private. Pass the public list as {name}=[...]{cut}"
    )
    if are_ids(len(found), len(values)):
        raise DataError(
            f"there are {len(found)} different {name} in {len(values)} rows, so hardly any two "
            f"people have equal {name}. Ids and measurements cannot be {name}. "
            + ("To cut numbers into groups, use sensitive_cuts=[...]. " if name == "groups" else "")
            + f"If these really are the {name}, pass their list as {name}=[...]"
        )
    say_text_for_missing(found, name)
    return found, {"labels-from-data"}


def say_text_for_missing(found: Labels, name: str) -> None:
    """Warns if one of the values that were read off the data is a text such as "nan"."""
    if odd := [one for one in found.tolist() if isinstance(one, str) and one.lower() in _NO_VALUE]:
        warn(
            f"text-for-missing: one of the {name} is the text {odd[0]!r}. Converting a missing "
            "value to text gives this text. If the text stands for missing values, drop their rows "
            f"or pass {name}=[...]",
            FairnessWarning,
        )


def are_ids(count: int, rows: int) -> bool:
    """Returns whether ``count`` distinct values in ``rows`` rows are too many for groups or
    classes: they are probably ids or measurements."""
    return count > _MANY and _FEWEST * count > rows


def class_list(given: npt.ArrayLike) -> Labels:
    """Returns the classes in sorted order. scikit-learn's scorers and meta-estimators assume that
    the columns of ``predict_proba`` are in this order, even if ``classes_`` has another."""
    classes = listed(given, "classes")
    try:
        return np.sort(classes)
    except TypeError:
        raise OptionError("classes must be all text or all numbers") from None


def listed(given: npt.ArrayLike, name: str) -> Labels:
    """Returns a list of labels as an array. A list of groups may have tuples, which are joined like
    the values of several sensitive columns."""
    if name == "groups" and isinstance(given, (list, tuple)):
        given = [join(value) if isinstance(value, tuple) else value for value in given]
    array = np.asarray(given)
    if array.ndim != 1:
        raise OptionError(f"{name} must be a list, not {given!r}")
    # Test the list as given, because numpy turns a NaN among texts into a text.
    values = given if isinstance(given, (list, tuple)) else array.tolist()
    if any(is_missing(value) for value in values):
        raise OptionError(
            f"{name} must not list a missing value. To make missing values one of the {name}, give "
            'them a name, in the rows too, for example with .fillna("missing")'
        )
    return array


def _refuse_first(bad: npt.NDArray[np.bool_], reason: str, words: str) -> None:
    """If there is a bad row, raises an error that names the first bad row. The message counts rows
    from 1, as the library does."""
    if bad.size and bad[first := int(bad.argmax())]:
        error = DataError(f"row {first + 1}: {words}")
        error.reason, error.row = reason, first + 1
        raise error


def _missing(values: Labels | Factored) -> npt.NDArray[np.bool_]:
    """Returns which values are missing."""
    if isinstance(values, Factored):
        missing: npt.NDArray[np.bool_] = values.codes < 0
        return missing
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind != "O":
        return np.zeros(len(values), dtype=bool)
    return np.array([is_missing(value) for value in values.tolist()], dtype=bool)


def refuse_missing(values: Labels | Factored, name: str) -> None:
    """Refuses a missing value, such as None or NaN."""
    words = f"the value of {name} is missing; fill it in, or drop the rows with missing values"
    _refuse_first(_missing(values), "value-missing", words)


def distinct(values: Labels | Factored, name: str) -> Labels:
    """Returns the sorted distinct values."""
    refuse_missing(values, name)
    try:
        found: Labels = np.unique(values.values if isinstance(values, Factored) else values)
    except TypeError:
        raise DataError(f"{name} must be all text or all numbers") from None
    kinds = {type(value) for value in found.tolist()} if found.dtype == object else set()
    if bytes in kinds:
        raise DataError(f"{name} are bytes: {_TO_TEXT}")
    of_numbers = len(kinds) == 1 and all(issubclass(k, (numbers.Real, np.bool_)) for k in kinds)
    return np.array(found.tolist()) if of_numbers else found


def codes_of(
    values: Labels | Factored, labels: Labels, name: str, *, unknown: str | None = None
) -> npt.NDArray[np.int32]:
    """Returns the position of each value in ``labels``. If ``unknown`` is "base" or "ignore", a
    value that is missing or not in ``labels`` gets -1. If ``unknown`` is None or anything else,
    such a value raises an error."""
    position = {label: i for i, label in enumerate(labels.tolist())}
    if not isinstance(values, Factored) and values.dtype.kind not in "biuf":
        values = of_array(values.reshape(-1), ignore=unknown == "ignore")
    if isinstance(values, Factored):
        known = [_position(position, value) for value in values.values.tolist()]
        codes: npt.NDArray[np.int32] = np.array([*known, -1], dtype=np.int32)[values.codes]
    else:
        codes = _codes_of_numbers(values, labels, position)
    if unknown not in ("base", "ignore") and len(codes) and codes.min() < 0:
        refuse_missing(values, name)
        reason = "unknown-group" if name == "groups" else "unknown-level"
        _refuse_first(codes < 0, reason, _words_of_unknown(values, codes, labels, name))
    return codes


def _position(position: dict[Any, int], value: Any) -> int:
    try:
        return position.get(value, -1)
    except Exception:  # a comparison of a foreign type may raise anything
        return -1


_GIVEN_AS = {
    "groups": " (sensitive_features, or the column of groups)",
    "classes": " (labels or decisions)",
}


def _words_of_unknown(
    values: Labels | Factored, codes: npt.NDArray[np.int32], labels: Labels, name: str
) -> str:
    """Returns words about the first value that has no code, because the value is not listed or is
    listed with another type."""
    words = f"this value of {name}{_GIVEN_AS.get(name, '')} is not one of the {len(labels)} listed"
    value = np.asarray(values, dtype=object).reshape(-1)[int((codes < 0).argmax())]

    def plain(one: Any) -> str:
        return " ".join(text_of(one).split()).casefold()

    is_number = isinstance(value, numbers.Number) and not is_missing(value)
    texts = all(isinstance(label, str) for label in labels.tolist())
    if text_of(value) in {text_of(label) for label in labels.tolist()}:
        words += (
            f" in {name}=[...], but one listed value looks the same. Types must match: 0 is not '0'"
        )
    elif isinstance(value, bytes):
        words += f": it is bytes. {_TO_TEXT.capitalize()}"
    elif name == "classes" and texts and is_number and value in range(len(labels)):
        words += (
            ": the listed classes are texts, and this label is a number. Write the labels as in "
            "the list; if they are positions in the list, pass numpy.array(classes)[y]. "
            "VotingClassifier, StackingClassifier and cross_val_predict of scikit-learn replace "
            "labels by 0, 1 and so on. With one of these tools, encode the labels yourself first "
            f"(LabelEncoder), and pass classes={list(range(len(labels)))} or a schema whose levels "
            "are these numbers"
        )
    elif name == "groups" and texts and is_number and labels[0].startswith("<= "):
        words += (
            ": the listed groups are ranges of numbers. Pass the cut points as "
            f"sensitive_cuts=[{labels[0].removeprefix('<= ')}{', ...' * (len(labels) > 2)}], or "
            "pass the groups as texts"
        )
    elif plain(value) in {plain(label) for label in labels.tolist()}:
        words += (
            f" in {name}=[...], but it differs from a listed value only in blanks, or in upper and "
            "lower case"
        )
    return words


def _codes_of_numbers(
    values: Labels, labels: Labels, position: dict[Any, int]
) -> npt.NDArray[np.int32]:
    values = values.reshape(-1)
    # Comparing with a few labels is faster than sorting the values.
    if labels.dtype.kind in "biuf" and len(labels) <= 16:
        codes = np.full(len(values), -1, dtype=np.int32)
        for i, label in enumerate(labels):
            codes[values == label] = i
        return codes
    found, inverse = np.unique(values, return_inverse=True)
    table = np.array([position.get(value, -1) for value in found.tolist()], dtype=np.int32)
    looked_up: npt.NDArray[np.int32] = table[inverse.reshape(-1)]
    return looked_up


def names_of(labels: Labels, name: str) -> list[str]:
    """Returns the labels as texts, for the model file. Refuses two labels with the same text."""
    names = [str(label) for label in labels.tolist()]
    if len(set(names)) != len(names):
        raise OptionError(
            f"two {name} are the same when written as text: list them once, or rename one of them"
        )
    return names


def group_values(values: Any, *, cut: bool = False, ignore: bool = False) -> Labels | Factored:
    """Returns the group of each row. Several sensitive columns are joined into one, as texts. With
    ``cut``, returns an array of one column unchanged, because its numbers will be cut into groups
    later. With ``ignore``, a value that no group can have counts as missing; without, it is
    refused."""
    if isinstance(values, (str, bytes)):
        raise OptionError(
            "sensitive_features must hold the group of each row; to name a column of X, use "
            "sensitive_column"
        )
    if isinstance(values, Factored):
        return values
    values = as_series(as_list(values))
    if hasattr(values, "iloc"):
        if values.ndim == 2 and values.shape[1] != 1:
            columns = [values.iloc[:, j] for j in range(values.shape[1])]
            return of_columns(columns, ignore=ignore)
        column = values.iloc[:, 0] if values.ndim == 2 else values
        return np.asarray(column) if _is_plain(column) else of_pandas(column, ignore=ignore)
    values = unmasked(values)
    array = of_list(values) if isinstance(values, (list, tuple)) else np.asarray(values)
    if array.dtype.kind == "S":
        raise DataError(f"groups are bytes: {_TO_TEXT}")
    if array.dtype.kind == "U" and array is not values:  # numpy may have turned NaN into a text
        array = np.asarray(values, dtype=object)
    if array.ndim not in (1, 2):
        raise DataError(
            "sensitive_features must be a column or a table of columns, with the group of each "
            f"row, not {type(values).__name__}"
        )
    if array.ndim == 2 and array.shape[1] > 1:
        return of_columns([array[:, j] for j in range(array.shape[1])], ignore=ignore)
    column = array.reshape(-1)
    return column if cut or column.dtype.kind in "biuf" else of_array(column, ignore=ignore)


def _is_plain(column: Any) -> bool:
    """Returns whether a column of pandas has a numeric type of numpy."""
    return isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf"


def need_y(estimator: object, y: Any, why: str = "") -> None:
    """Refuses y=None, in the words of scikit-learn."""
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None."
            + (why and f" {why}.")
        )


def check_y(
    estimator: object,
    X: Features,
    y: Any,
    classes: npt.ArrayLike | None = None,
    *,
    ignore: bool = False,
) -> Labels:
    """Returns the label of each row. If there is a public list of classes and bad rows are not
    ignored, refuses labels that are not listed."""
    need_y(estimator, y)
    if ignore:
        y = unmasked(y)
        y = of_list(y) if isinstance(y, (list, tuple)) else y
    elif np.ma.is_masked(y):
        raise DataError("y has masked values; drop these rows")
    labels: Labels = column_or_1d(y, warn=True)
    check_consistent_length(X, labels)
    check_index(X, "X", y, "y")
    if ignore:
        need_list(classes, "classes")
        return labels
    assert_all_finite(labels, input_name="y")
    if labels.dtype.kind == "O":  # scikit-learn would fail to compare None with texts
        refuse_missing(of_array(labels), "y")
    check_classification_targets(labels)
    if classes is not None:
        codes_of(labels, listed(classes, "classes"), "classes")
    return labels


def _check_seed(seed: Any) -> None:
    """Refuses an insecure_seed that is not a whole number of 64 bits, since numpy's own error would
    not name the parameter."""
    try:
        good = seed is None or 0 <= operator.index(seed) < 2**64
    except TypeError:
        good = False
    if not good:
        raise OptionError(f"insecure_seed must be a whole number from 0 to 2**64 - 1, not {seed!r}")


def two_sets(n: int, fraction: float, seed: int | None) -> tuple[Positions, Positions]:
    """Returns the positions of two sets of people, split at random without looking at the
    records."""
    _check_seed(seed)
    if not 0 < fraction < 1:
        raise OptionError(f"pool_fraction must be between 0 and 1, not {fraction!r}")
    pool = round(n * fraction)
    if pool < 1 or pool >= n:
        raise DataError(
            f"n_samples={n} cannot be divided into two sets of people: pass more rows, or another "
            "pool_fraction"
        )
    order = np.random.default_rng(seed).permutation(n)
    return np.sort(order[pool:]), np.sort(order[:pool])


def refuse_people(options: dict[str, Any]) -> None:
    """Refuses the option people: the estimator itself splits the people at random."""
    if options.get("people") is not None:
        raise OptionError(
            "the option 'people' cannot be used here: the estimator splits the rows itself, so the "
            "ledger is charged for everybody"
        )


def refuse_weights(given: dict[str, Any]) -> None:
    """Refuses every argument in ``given``, which has the arguments that ``fit`` does not know. For
    sample_weight, the message gives the reason."""
    if given.get("sample_weight") is not None:
        raise OptionError(NO_SAMPLE_WEIGHT)
    if other := [name for name in given if name != "sample_weight"]:
        raise TypeError(f"fit() got an unexpected keyword argument {other[0]!r}")


def as_frame(X: Features) -> Features:
    """Converts an Arrow table to a pandas.DataFrame. Returns anything else unchanged."""
    is_arrow = hasattr(X, "column_names") and hasattr(X, "to_pandas")
    return X.to_pandas() if is_arrow else X


def table_input(estimator: Any, X: Features, *, reset: bool) -> Features:
    """Checks the names and the number of the columns of X; the columns may have any type. Returns a
    frame unchanged, and anything else as an array."""
    if not hasattr(X, "columns"):
        X = check_array(X, dtype=object, ensure_all_finite=False, input_name="X")
    else:
        refuse_empty(estimator, X)
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    return X


def refuse_empty(estimator: Any, X: Features) -> None:
    """Refuses a frame without rows or without columns, in the words of scikit-learn."""
    for count, what in zip(X.shape, ("sample", "feature"), strict=True):
        if count == 0:
            raise ValueError(
                f"Found array with 0 {what}(s) (shape={X.shape}) while a minimum of 1 is "
                f"required by {type(estimator).__name__}."
            )
