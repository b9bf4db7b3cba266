"""Read-only attributes of objects with a dict of facts, ``info``."""

from __future__ import annotations

from typing import Any


def fact(name: str, meaning: str) -> Any:
    """A property that gives ``info[name]``, a list as a copy."""

    def get(self: Any) -> Any:
        value = self.info[name]
        return list(value) if isinstance(value, list) else value

    return property(get, doc=meaning)
