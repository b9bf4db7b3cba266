"""Warns of columns whose unit or spelling is probably not that of their schema. Signs are: many
values are outside the bounds or not in the list of levels; nearly all values are in a small part of
the range between the bounds; a dot between thousands was read as a decimal point; the cut points
put everybody into one group. Also warns of columns without values or with one value, of bounds that
seem to be read off the rows, and of lists of categories that are ids of people."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from ._factored import factored, is_missing, text_of
from ._number_ids import say_number_ids
from ._odd_numbers import say_odd_numbers
from ._read_off import is_read_off
from ._scaled import say_scaled
from ._tiny import say_tiny
from ._typing import Codes, Column, Float64s, Floats
from ._unlisted import are_known, check_alike, count_unlisted, tell_unlisted
from ._warn import SECRET, FairnessWarning, keeping, warn

_MANY = 20  # with fewer rows, a share of the rows says little
_PART = 10  # warn if at least one value in 10 is outside its bounds
_MARKED = 100  # a marker is one number outside the bounds that at least 1 value in 100 equals
_ALONE = 0.95  # the marker must be at least this share of the values beyond the same bound
_ROUND = 3  # warn only if a bound has more digits than this: people choose round limits
_EXACT = 4  # replaces _ROUND if only some columns reach their bounds: years are common bounds
_ENOUGH = 1000  # so many different numbers are no counts
_quiet = ContextVar("quiet", default=False)


@contextmanager
def outside_untold(quiet: bool) -> Iterator[None]:
    """If ``quiet``, suppresses the warnings of this module inside the with block. This is for fits
    that ignore bad rows, and for callers that have already given the warnings."""
    token = _quiet.set(quiet or _quiet.get())
    try:
        yield
    finally:
        _quiet.reset(token)


def is_untold() -> bool:
    """Returns whether the warnings of this module are suppressed."""
    return _quiet.get()


def is_most(count: int, rows: int) -> bool:
    return count == rows > 0 or (rows >= _MANY and 2 * count > rows)


def _count_marker(numbers: Floats, column: Column) -> int:
    """Looks for a marker: one number outside the bounds, such as -999, that many rows have. Returns
    the number of rows with the marker, or 0 if there is no marker. At least 20 rows, and 1 row in
    100, must have the marker. Hardly any other number may be beyond the same bound: in the tail of
    a distribution, the numbers would differ."""
    for beyond in (numbers < column["lower"], numbers > column["upper"]):
        whole = int(np.count_nonzero(beyond))
        if whole >= _MANY and _MARKED * whole >= len(numbers):
            count = int(np.unique(numbers[beyond], return_counts=True)[1].max())
            if count >= max(_MANY, _ALONE * whole) and _MARKED * count >= len(numbers):
                return count
    return 0


def tell_clipped(
    column: Column, count: int, rows: int, marked: int = 0, others: Iterable[str] = ()
) -> None:
    """Warns of a column with values outside its bounds. ``others`` are further such columns."""
    check = "Check the unit of the column"
    rest = ", ".join(map(repr, others))
    more = f" Values of {rest} are outside their bounds in the same way." if rest else ""
    if marked:
        check = (
            f"{marked} of them are one and the same number. Does this number stand for a missing "
            "value, as -999 often does? If it is a true value, use wider bounds"
        )
    elif not is_most(count, rows):
        check = (
            "Are some values in another unit, or does a number such as -999 stand for a missing "
            "value? If all values are right, use wider bounds: clipping moves them to the bound"
        )
    warn(
        f"bounds-exceeded: {count} of {rows} values of {column['name']!r} are outside its bounds "
        f"({column['lower']:g}, {column['upper']:g}) and were clipped. {check}.{more} {SECRET}",
        FairnessWarning,
    )


def _count_outside(column: Column, numbers: Floats) -> int:
    return int(np.count_nonzero((numbers < column["lower"]) | (numbers > column["upper"])))


class Many:
    """Remembers the columns that have many values outside their bounds, and the first column that
    has many values not in its list of levels. If most values of a column are outside, the caller
    warns at once instead."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.clipped: list[tuple[Column, int]] = []
        self.unlisted: tuple[Column, int] | None = None
        self.marked: tuple[Column, int, int] | None = None
        self.alike: tuple[Column, int, str] | None = None

    def are(self, count: int) -> bool:
        return self.rows >= _MANY and _PART * count >= self.rows

    def note(self, column: Column, count: int) -> None:
        if not self.are(count):
            return
        if column["kind"] == "categorical":
            self.unlisted = self.unlisted or (column, count)
        else:
            self.clipped.append((column, count))

    def note_marker(self, column: Column, count: int, numbers: Floats) -> None:
        """Remembers the first column with a number outside its bounds that many rows have. Skips
        columns with many values outside, because :meth:`note` remembers them."""
        if count >= _MANY and not self.are(count) and (same := _count_marker(numbers, column)):
            self.note_same(column, count, same)

    def note_same(self, column: Column, count: int, same: int) -> None:
        """Does what :meth:`note_marker` does, if ``same`` rows have the same number."""
        if self.marked is None and not self.are(count):
            self.marked = column, count, same

    def note_alike(
        self, column: Column, codes: Codes, known: list[bool], values: list[Any]
    ) -> None:
        """Remembers the first column in which many rows have one and the same text that is not in
        the list, or such texts that look like missing values."""
        self.note_check(column, count_unlisted(codes, known), check_alike(codes, known, values))

    def note_check(self, column: Column, count: int, check: str) -> None:
        """Does what :meth:`note_alike` does. ``check`` is what to check, or ""."""
        if self.alike is None and check:
            self.alike = column, count, check

    def tell(self) -> None:
        if self.alike is not None:
            column, count, check = self.alike
            tell_unlisted(column, count, self.rows, check=check)
            self.unlisted = None if self.unlisted == (column, count) else self.unlisted
        if self.marked is not None:
            column, count, marked = self.marked
            tell_clipped(column, count, self.rows, marked)
        if self.clipped:
            others = [column["name"] for column, _ in self.clipped[1:]]
            tell_clipped(*self.clipped[0], self.rows, others=others)
        if self.unlisted is not None:
            tell_unlisted(*self.unlisted, self.rows)


def _is_empty(values: Any) -> bool:
    """Returns whether a column has no value. To save time, looks at the first value first."""
    if hasattr(values, "isna"):
        return bool(values.iloc[:1].isna().all() and values.isna().all())
    kind = getattr(getattr(values, "dtype", None), "kind", "")
    if kind == "f":
        return bool(np.isnan(values[0]) and np.isnan(values).all())
    return kind == "O" and all(map(is_missing, values))


def say_empty_column(columns: Iterable[tuple[str | int, Any]], rows: int) -> None:
    """Warns of the first column without a value in any row."""
    if rows < _MANY:
        return
    empty = next((name for name, values in columns if _is_empty(values)), None)
    if empty is not None:
        tell_empty(empty, rows)


def tell_empty(name: str | int, rows: int) -> None:
    warn(
        f"column-empty: the column {name!r} has no value in any of the {rows} rows. Were its "
        f"values lost, for example in a join? {SECRET}",
        FairnessWarning,
    )


def say_one_group(codes: Codes, groups: list[str], cuts: Iterable[float]) -> None:
    """Warns if the cut points put everybody into one group: the numbers are probably in another
    unit than the cut points."""
    if not _quiet.get() and len(codes) >= _MANY and codes[0] >= 0 and (codes == codes[0]).all():
        warn(
            f"one-group: all {len(codes)} rows are in the group {groups[codes[0]]!r}. Are the "
            "numbers in the same unit as the cut points "
            f"({', '.join(f'{cut:g}' for cut in cuts)})? {SECRET}",
            FairnessWarning,
        )


def _say_long_rows(table: Any, data_norm: float) -> bool:
    """Warns if most rows are longer than ``data_norm``, or if a column has many numbers beyond it.
    Returns whether it warned."""
    if not table.names:
        return False
    numbers, rows = np.abs(table.numbers.astype(np.float64)), len(table)
    beyond = np.count_nonzero(numbers > data_norm, axis=0).tolist()
    many = Many(rows)
    with np.errstate(over="ignore"):
        long = int(np.count_nonzero(np.sqrt(np.square(numbers).sum(axis=1)) > 1.0001 * data_norm))
    wide = [
        repr(name)
        for name, count in zip(table.names, beyond, strict=True)
        if is_most(count, rows) or many.are(count)
    ]
    if not wide and not is_most(long, rows):
        return False
    columns = f", and many numbers of {', '.join(wide)} are beyond it on their own" if wide else ""
    warn(
        f"bounds-exceeded: data_norm={data_norm:g}: {long} of {rows} rows are longer{columns}. "
        f"Each number was clipped to (-{data_norm:g}, {data_norm:g}), and rows that were still "
        "longer were scaled down, which loses much of what tells these rows apart. Pass a public "
        "bound on the norm of a row, or bounds for each column, or scale the columns by public "
        f"numbers first. {SECRET}",
        FairnessWarning,
    )
    return True


def say_outside(table: Any, schema: str, data_norm: float | None = None) -> None:
    """Warns of the first column whose unit or spelling is probably wrong. In such a column, most
    values are outside its bounds or not in its list of levels; or nearly all values lie in a small
    part of the range between its bounds; or a dot separates the thousands (1.234 for 1234); or all
    rows have the same value; or no row has a value.

    If there is no such column, names the columns that need a look: those with many values outside
    their bounds, the first with the same number outside its bounds in many rows, and
    the first with many values not in its list. ``table`` is a Table of ``_table.py`` with features
    of the ``schema``, which is JSON text. If the user gave ``data_norm`` instead of bounds, the
    words about numbers outside the bounds are about the norm."""
    if _quiet.get() or (data_norm is not None and _say_long_rows(table, data_norm)):
        return
    whole = json.loads(schema)
    of = {column["name"]: column for column in whole["columns"]}
    rows = len(table)
    many = Many(rows)
    bounded = [  # a column with cuts has no bounds
        (name, column)
        for name, column in zip(table.names, table.numbers.T, strict=True)
        if not of[name].get("cuts")
    ]
    for at, (name, column) in enumerate(bounded):
        if rows >= _MANY and np.isnan(column[0]) and np.isnan(column).all():
            tell_empty(name, rows)
            return
        count = _count_outside(of[name], column)
        later = ((of[one], values) for one, values in bounded[at + 1 :])
        if is_most(count, rows):
            others = (c["name"] for c, x in later if is_most(_count_outside(c, x), rows))
            tell_clipped(of[name], count, rows, others=others)
            return
        if say_odd_numbers(of[name], column, later):
            return
        many.note(of[name], count)
        many.note_marker(of[name], count, column)
    for name, (codes, values) in zip(table.text_names, table.texts, strict=True):
        if rows >= _MANY and codes.max() < 0:
            tell_empty(name, rows)
            return
        if of[name].get("unknown") == "refuse":
            continue  # the library refuses rows with unlisted values
        levels = {*of[name]["levels"], *of[name].get("aliases", {})}
        count = count_unlisted(codes, [value in levels for value in values])
        if not is_most(count, rows) and (count < _MANY or _MARKED * count < rows):
            continue
        # The library also knows other spellings of a level. Other spellings are rare, so the
        # library is asked only if the plain comparison finds many unlisted values.
        known = are_known(whole, of[name], values)
        count = count_unlisted(codes, known)
        if is_most(count, rows):
            tell_unlisted(of[name], count, rows, values)
            return
        many.note(of[name], count)
        many.note_alike(of[name], codes, known, values)
    many.tell()
    say_tiny([(of[name], column) for name, column in bounded])


def _digits(number: float) -> int:
    """Returns the number of digits of a number, without leading and trailing zeros. A number such
    as 99999 counts as one digit, because people write it as a limit."""
    digits = Decimal(repr(float(number))).normalize().as_tuple().digits
    return 1 if {*digits} == {9} else len(digits)


@keeping()
def say_attained(table: Any, schema: str, data_norm: float | None = None) -> None:
    """Warns if bounds were probably read off the rows: in every numeric column, the bounds are
    exactly the smallest and the largest value. One such column is enough if its bounds have more
    than ``_EXACT`` digits, because hardly anybody would choose such bounds. Also warns if a bound
    is a statistic of its column, such as the mean plus three standard deviations, or if one bound
    is an end of the column, or ``data_norm`` the norm of the longest row. If all columns
    have the same bounds, the columns are compared as one. Round bounds, such as 0 and 100, give no
    warning: values may reach public bounds too."""
    of = {column["name"]: column for column in json.loads(schema)["columns"]}
    at = [i for i, name in enumerate(table.names) if not of[name].get("cuts")]
    columns = [of[table.names[i]] for i in at]
    if _quiet.get() or len(table) < _MANY or not columns:
        return
    numbers = table.numbers[:, at]
    are_odd, names = have_odd_bounds(columns), [column["name"] for column in columns]
    say_scaled(names, numbers, None if are_odd else _bounds_of(columns))
    if not are_odd or (data_norm is not None and _say_longest(numbers, data_norm)):
        return
    found = np.column_stack([np.fmin.reduce(numbers), np.fmax.reduce(numbers)])
    if not say_reached(columns, found) and not _say_end_reached(numbers, columns):
        _say_read_off(numbers, columns)


def _count_digits_of_end(pair: list[float], numbers: Floats) -> int:
    """Looks for a bound that equals the smallest or the largest number and that no other number
    equals: such a bound was probably read off the rows. Returns the number of its digits, or 0 if
    there is no such bound, or if values repeat, as counts do. If several numbers equal a bound,
    they were probably cut there, or the bound is a limit."""
    known = numbers[np.isfinite(numbers)]
    if len(known) < _MANY:
        return 0
    ends = zip(pair, (known.min(), known.max()), strict=True)
    digits = [_digits(bound) for bound, end in ends if bound == end and (known == end).sum() == 1]
    if not digits or len(np.unique(known)) < min(len(known) / 2, _ENOUGH):
        return 0
    return max(digits)


def _say_end_reached(table: Floats, columns: list[Column]) -> bool:
    """Warns if one bound of a column, with more than ``_EXACT`` digits, is exactly the smallest or
    the largest value, such as (0, X.max()). One digit less is enough if each of several columns has
    such a bound. If all columns have the same bounds, takes the columns as one. Returns whether it
    warned."""
    ends, numbers = _bounds_of(columns), [*table.T]
    if (ends == ends[0]).all():
        ends, numbers = ends[:1], [table.reshape(-1)]
    digits = [*map(_count_digits_of_end, ends.tolist(), numbers)]
    are_all = len(digits) > 1 and min(digits) > _ROUND
    found = [count > (_ROUND if are_all else _EXACT) for count in digits]
    if any(found):
        name = columns[found.index(True)]["name"]
        of = f"in {sum(found)} of {len(columns)} columns (the first is {name!r}), a bound is"
        if len(digits) < len(columns):
            of = "a bound of all columns is"
        _tell_attained(f"{of} exactly the smallest or the largest value of these rows")
    return any(found)


def _say_longest(numbers: Floats, data_norm: float) -> bool:
    """Warns if ``data_norm`` is exactly the norm of the longest row. Does nothing if
    ``data_norm`` or its square has few digits: the norm of a row of ones is the root of a whole
    number. Also does nothing if several rows have this norm, because they were probably scaled to
    it. Returns whether it warned."""
    if min(_digits(data_norm), _digits(round(data_norm**2, 9))) <= _EXACT:
        return False
    rounding = 1e-6 if numbers.dtype == np.float32 else 1e-12
    with np.errstate(over="ignore", invalid="ignore"):
        norms = np.sqrt(np.square(numbers.astype(np.float64)).sum(axis=1))
    is_near = np.abs(norms - data_norm) <= rounding * data_norm
    if np.count_nonzero(is_near) != 1 or not is_near[np.nanargmax(norms)]:
        return False
    _tell_attained("data_norm is exactly the norm of the longest of these rows")
    return True


def _bounds_of(columns: list[Column]) -> Float64s:
    return np.array([(column["lower"], column["upper"]) for column in columns])


def have_odd_bounds(columns: list[Column]) -> bool:
    """Returns whether a bound has so many digits that it may have been read off the rows."""
    return any(max(map(_digits, pair)) > _ROUND for pair in _bounds_of(columns).tolist())


def say_reached(columns: list[Column], found: Float64s) -> bool:
    """Warns if the bounds of the ``columns`` are exactly the smallest and the largest values, which
    are the rows of ``found``. Returns whether it warned."""
    ends = _bounds_of(columns)
    if (ends == ends[0]).all():
        ends, found = ends[:1], np.array([[found[:, 0].min(), found[:, 1].max()]])
    digits = np.array([max(map(_digits, pair)) for pair in ends.tolist()], dtype=int)
    reached = (ends == found).all(axis=1)
    odd = reached & (digits > _EXACT)
    if reached.all():
        _tell_attained("the bounds are exactly the smallest and the largest values of these rows")
    elif odd.any():
        name = columns[int(odd.argmax())]["name"]
        _tell_attained(
            f"in {int(odd.sum())} of {len(columns)} columns (the first is {name!r}), the bounds "
            "are exactly the smallest and the largest values of these rows"
        )
    return bool(reached.all() or odd.any())


def _say_read_off(table: Floats, columns: list[Column]) -> None:
    """Warns of bounds that are statistics of their column, which is a column of ``table``. If all
    columns have the same bounds, takes the columns as one."""
    ends, numbers = _bounds_of(columns), [*table.T]
    if (ends == ends[0]).all():
        ends, numbers = ends[:1], [table.reshape(-1)]
    for pair, values, column in zip(ends.tolist(), numbers, columns, strict=False):
        exact = [bound for bound in pair if _digits(bound) > _EXACT]
        if exact and is_read_off(values, exact):
            of = "all columns" if len(numbers) < len(columns) else f"{column['name']!r}"
            _tell_attained(
                f"a bound of {of} is exactly a quantile of these rows, or the mean of the rows "
                "plus or minus a multiple of the standard deviation"
            )
            return


def _tell_attained(what: str) -> None:
    warn(
        f"bounds-attained: {what}. If the bounds were read off the rows, the model is not private, "
        "although it is marked as private. Take the bounds from public knowledge; or pass no "
        f"bounds, and the model is marked as not private. {SECRET}"
    )


def _say_ids(column: Column, codes: npt.NDArray[np.integer[Any]], values: list[str]) -> None:
    """Warns if nearly every row has a level of its own, and at least half of the list's levels
    occur. If the list is public, this hardly ever happens by chance, however long the list is.
    ``codes`` are positions in ``values``; a code below 0 is a missing value."""
    present = np.unique(codes[codes >= 0])
    known = {*column["levels"]}
    found = sum(values[code] in known for code in present.tolist())
    if found > _MANY and 10 * found >= 9 * len(codes) and 2 * found >= len(known):
        warn(
            f"categories-are-ids: {column['name']!r} has a list of {len(known)} categories, and "
            f"nearly every one of the {len(codes)} rows has a category of its own. If these are "
            "ids, or other values that belong to one person, the list is not public. The model's "
            "file holds this list, and so reveals who took part. Leave the column out, or group "
            f"its values. {SECRET}"
        )


def say_ids(table: Any, schema: str) -> None:
    """Warns of lists of categories, and of numbers, that are probably ids. ``table`` and ``schema``
    are those of :func:`say_outside`."""
    of = {column["name"]: column for column in json.loads(schema)["columns"]}
    for name, numbers in zip(table.names, table.numbers.T, strict=True):
        if not _quiet.get():
            say_number_ids(name, numbers)
    for name, (codes, values) in zip(table.text_names, table.texts, strict=True):
        if not _quiet.get() and len(of[name]["levels"]) > _MANY:
            _say_ids(of[name], codes, values)


def say_ids_of_rows(schema: Any, frame: Any) -> None:
    """Does what :func:`say_ids` does for a data frame. Does nothing for other rows. ``schema`` is a
    Schema of ``_schema.py``."""
    if not hasattr(frame, "columns") or not hasattr(frame, "shape"):
        return
    names = {str(name): name for name in getattr(frame, "column_names", frame.columns)}
    for column in json.loads(schema.text)["columns"]:
        if column["role"] == "feature" and column["kind"] == "numeric":
            say_number_ids(column["name"], numbers_of(frame, column["name"]))
        long = column["role"] == "feature" and len(column.get("levels", ())) > _MANY
        if long and column["name"] in names:
            # Ignores an error: training has accepted the column, and this check can only warn.
            with suppress(TypeError, ValueError):
                found = factored(frame[names[column["name"]]])
                _say_ids(column, found.codes, [text_of(value) for value in found.values.tolist()])


def say_outside_of_frame(schema: Any, rows: Any) -> None:
    """Does what :func:`say_outside` does, for a frame. Does nothing for a reader, which can be read
    only once. ``schema`` is a Schema of ``_schema.py``."""
    if _quiet.get() or not (hasattr(rows, "__arrow_c_stream__") and hasattr(rows, "shape")):
        return
    whole = json.loads(schema.text)
    features = [column for column in whole["columns"] if column["role"] == "feature"]
    found = type(schema)({**whole, "columns": features}).check(rows)
    many = Many(found["kept"])
    for at, (column, counts) in enumerate(zip(features, found["columns"], strict=True)):
        if found["kept"] >= _MANY and counts["missing"] == found["kept"]:
            tell_empty(column["name"], found["kept"])
            return
        bounded = has_bounds(column)
        if bounded and is_most(counts["clipped"], found["kept"]):
            rest = zip(features[at + 1 :], found["columns"][at + 1 :], strict=True)
            most = ((c, is_most(n["clipped"], found["kept"])) for c, n in rest if has_bounds(c))
            others = [c["name"] for c, is_wrong in most if is_wrong]
            tell_clipped(column, counts["clipped"], found["kept"], others=others)
            return
        name = column["name"]
        later = ((c, numbers_of(rows, c["name"])) for c in features[at + 1 :] if has_bounds(c))
        if bounded and say_odd_numbers(column, numbers_of(rows, name), later):
            return
        if column["kind"] == "categorical" and is_most(counts["unknown"], found["kept"]):
            tell_unlisted(column, counts["unknown"], found["kept"])
            return
        if bounded:
            many.note_marker(column, counts["clipped"], numbers_of(rows, name))
        if counts["unknown"] >= _MANY:
            with suppress(TypeError, ValueError):  # this check can only warn
                values = factored(_of_name(rows, name))
                texts = [text_of(value) for value in values.values.tolist()]
                known = are_known(whole, column, texts)
                many.note_alike(column, values.codes.astype(np.intp), known, texts)
        if bounded or column["kind"] == "categorical":
            many.note(column, counts["clipped" if bounded else "unknown"])
    many.tell()


def has_bounds(column: Column) -> bool:
    return column["kind"] == "numeric" and not column.get("cuts")


def _of_name(frame: Any, name: str) -> Any:
    """Returns the column of a frame whose name, written as text, is ``name``."""
    names = list(getattr(frame, "column_names", frame.columns))
    return frame[next(one for one in names if str(one) == name)]


def numbers_of(frame: Any, name: str) -> Float64s:
    """Returns the column of a frame whose name, written as text, is ``name``. Returns an empty
    array if the column does not hold numbers."""
    values = _of_name(frame, name)
    if hasattr(values, "iloc") and not isinstance(values.dtype, np.dtype):
        with suppress(TypeError, ValueError):  # pd.NA becomes NaN
            found: Float64s = values.to_numpy(dtype=np.float64, na_value=np.nan)
            return found
    values = np.asarray(values)
    return values.astype(np.float64) if values.dtype.kind in "fiu" else np.empty(0)
