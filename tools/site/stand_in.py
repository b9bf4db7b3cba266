"""Lets ``dp2dp.spark`` be imported where pyspark is not installed, to read its docstrings."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from types import ModuleType
from typing import Any

_MODULES = ("", ".ml", ".ml.base", ".ml.functions", ".ml.linalg", ".ml.param", ".ml.util")
_MODULES += (".sql", ".sql.functions", ".sql.types", ".storagelevel")


class _AnyName(type):
    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *given, **named: None


class _Param:
    def __init__(self, parent: object, name: str, doc: str, convert: object = None) -> None:
        self.name, self.doc = name, doc


class _Module(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = _Param if name == "Param" else _AnyName(name, (), {"__module__": self.__name__})
        setattr(self, name, made)
        return made


def spark() -> ModuleType:
    """Returns ``dp2dp.spark``, on top of empty classes if there is no pyspark."""
    if importlib.util.find_spec("pyspark") is not None:
        return importlib.import_module("dp2dp.spark")
    names = ["pyspark" + name for name in _MODULES]
    for name in names:
        sys.modules[name] = _Module(name)
        sys.modules[name].__path__ = []
    try:
        return importlib.import_module("dp2dp.spark")
    finally:
        for name in names:
            del sys.modules[name]
