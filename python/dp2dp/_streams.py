"""Arrow streams: what Python raises behind one comes out of the call that reads it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def _noted(reader: Any, raised: list[BaseException]) -> Iterator[Any]:
    """The batches of a reader, and a note of what it raises."""
    while True:
        try:
            batch = reader.read_next_batch()
        except StopIteration:
            return
        except BaseException as error:
            raised.append(error)
            raise
        yield batch


@contextmanager
def opened(values: Any) -> Iterator[Any]:
    """The capsule of a stream, for the time of one call.

    A stream says why it failed by a number and a text, so that an exception, and Ctrl-C with it,
    would be no more than its message. The batches of pyarrow's readers, which is where Python code
    gives out rows one by one, are therefore asked for in Python.
    """
    raised: list[BaseException] = []
    pyarrow = sys.modules.get("pyarrow")
    kind = getattr(pyarrow, "RecordBatchReader", None)
    if kind is not None and isinstance(values, kind):
        values = kind.from_batches(values.schema, _noted(values, raised))
    try:
        yield values.__arrow_c_stream__()
    except BaseException:
        if raised:
            raise raised.pop() from None
        raise
