"""The types of the interface."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Protocol, TypeAlias, Union

import numpy as np
import numpy.typing as npt


class ArrowStream(Protocol):
    """A table or a column with the Arrow PyCapsule interface: polars, pyarrow, and others."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


Array: TypeAlias = npt.ArrayLike | ArrowStream
Floats: TypeAlias = npt.NDArray[np.floating[Any]]
Float32s: TypeAlias = npt.NDArray[np.float32]
Float64s: TypeAlias = npt.NDArray[np.float64]
Codes: TypeAlias = npt.NDArray[np.signedinteger[Any]]
Labels: TypeAlias = npt.NDArray[Any]
# Bounds of columns: a pair (lower, upper) or a dict {name: (lower, upper)}. In a pair, lower and
# upper are each one number, a list, or a Series or dict by name.
Bounds: TypeAlias = tuple[Any, Any] | dict[Any, tuple[float, float]]
Column: TypeAlias = dict[str, Any]  # a column of a schema
Path: TypeAlias = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
# Anything the classifier takes: arrays, frames of any library, sparse matrices.
Features: TypeAlias = Any
# A rate that is compared between groups, as a pair (class, labels): the share of people who get the
# class, among the people with one of the labels. None stands for all labels.
Statistic: TypeAlias = tuple[int, Iterable[int] | int | None]
