"""Warns of a column of ids of people who have several rows."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ._core import DataError
from ._factored import factored
from ._number_ids import in_words
from ._row_hashes import columns_in
from ._warn import SECRET, warn

_MANY = 100  # ids need this many different values: fewer may be codes of places or products
# Matches a name that may be that of an id of people: id, customer_id, patientNo, person. A plural,
# such as customers, is more often a count.
_PEOPLE = re.compile(
    r"(.*_)?(id|uid|uuid|guid|ssn)|"
    r"(person|patient|customer|client|applicant|borrower|member|user|student|subject|employee"
    r"|participant|citizen|resident)(_(no|nr|number|key|code))?",
    re.IGNORECASE,
)
# Matches a name that may also be that of something else, such as a first name.
_PERHAPS = re.compile(r"(.*_)?(pid|name|e_?mail|key)", re.IGNORECASE)
_MOST = 20  # a person hardly has more rows than this


def _people_of(values: Any) -> tuple[int, int, bool] | None:
    """Returns how many rows of a column have the value of an earlier row, how many different values
    there are, and whether most values occur several times and none often, as ids of people with
    several rows do. Returns None if the values are neither texts nor whole numbers."""
    try:
        found = factored(values)
    except (DataError, TypeError, ValueError):
        return None
    numbers = [one for one in found.values.tolist() if not isinstance(one, str)]
    whole = all(isinstance(one, (int, float)) and float(one).is_integer() for one in numbers)
    times = np.bincount(found.codes[found.codes >= 0], minlength=len(found.values))
    like_ids = times.max(initial=0) <= _MOST and 2 * np.count_nonzero(times > 1) >= len(times)
    return (int((times - 1).sum()), len(times), bool(like_ids)) if whole else None


def say_people_repeated(X: Any) -> bool:
    """Warns of a column whose name is that of an id of people, if it has many different values and
    at least one row in ten has the value of an earlier row: these are probably several rows of one
    person. Returns whether it warned."""
    for name, values in columns_in(X).items():
        words = in_words(name)
        is_id, may_be = _PEOPLE.fullmatch(words), _PERHAPS.fullmatch(words)
        if not (is_id or may_be) or (found := _people_of(values)) is None:
            continue
        (later, different, like_ids), rows = found, len(values)
        if not (is_id or like_ids):
            continue
        if different < _MANY or 10 * different <= rows or 10 * later < rows:
            continue
        warn(
            f"rows-repeated: {later} of {rows} rows have the value of an earlier row in the column "
            f"{name!r}. The privacy guarantee assumes that each person has one row. If that is the "
            "person, set rows_per_person to the largest number of rows of a person, and leave the "
            f"column out of the features. {SECRET}"
        )
        return True
    return False
