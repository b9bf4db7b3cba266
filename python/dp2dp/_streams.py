"""Arrow streams: exceptions of Python code behind a stream leave the call that reads it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def _noted(reader: Any, raised: list[BaseException]) -> Iterator[Any]:
    """The batches of a reader; its exception is noted in ``raised``."""
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

    A stream reports a failure as a number and a text, so an exception, even Ctrl-C, would be
    reduced to its message. The batches of pyarrow's readers, where Python code may produce the
    rows, are therefore read in Python.
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
