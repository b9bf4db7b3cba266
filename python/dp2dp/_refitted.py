"""Notices that a classifier was fitted again, or changed otherwise, after a rule was learned for
it.

A model keeps hashes of the arrays inside its classifier: coefficients, trees, rows of neighbours.
Only hashes of arrays that the fit of the rule did not change are kept. So a classifier that stores
what it predicted, or builds an index at the first prediction, is not mistaken for a changed one. A
classifier whose memory Python cannot read, such as that of xgboost, is not compared. Neither is the
classifier of a rule that was copied or unpickled.

Comparing all arrays takes too long for each single row. So each call compares only which objects
the classifier holds, and the bytes of small arrays. If these differ, or at the calls 1, 2, 4, 8 and
so on, the hashes are compared. If the objects often differ although the hashes do not, because the
classifier stores something at each prediction, they are looked at less and less often."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from . import _core
from ._warn import FairnessWarning, warn

_BYTES, _OBJECTS = 1 << 26, 20000  # after so many bytes or objects, the rest is not compared
_SMALL = 2048  # bytes of an array that is compared at each call
_PLAIN = {bool, bytes, complex, float, int, str, type(None)}

Hashes = dict[str, bytes]


class _Walk:
    """Hashes the arrays that can be reached from an object."""

    def __init__(self) -> None:
        self.found: Hashes = {}
        self.seen: dict[int, Any] = {}  # holds the objects, so that no id is used twice
        self.bytes = 0

    def visit(self, root: Any) -> None:
        waiting = [("", root)]
        while waiting and self.bytes < _BYTES and len(self.seen) < _OBJECTS:
            path, one = waiting.pop()
            if type(one) in _PLAIN or isinstance(one, type) or id(one) in self.seen:
                continue
            self.seen[id(one)] = one
            if isinstance(one, _core.Model):
                self.found[path] = hashlib.sha256(one.to_json().encode()).digest()
            elif isinstance(one, np.ndarray):
                self._take(path, one)
            else:
                waiting += reversed([(f"{path}/{name}", part) for name, part in _parts_of(one)])

    def _take(self, path: str, array: Any) -> None:
        if array.dtype.hasobject:
            return
        self.bytes += array.nbytes
        key = hashlib.sha256(f"{array.dtype.str}{array.shape}".encode())
        names = array.dtype.names  # a table, such as that of a tree, is hashed without its padding
        for one in [array] if names is None else [array[name] for name in names]:
            key.update(np.ascontiguousarray(one).reshape(-1).view(np.uint8).data)
        self.found[path] = key.digest()


def _parts_of(one: Any) -> list[tuple[Any, Any]]:
    """Returns the names and values of what an object holds."""
    if isinstance(one, dict):
        return [(str(name), part) for name, part in one.items()]
    if isinstance(one, (list, tuple)):
        return [*enumerate(one)]
    if type(one).__module__ == "sklearn.tree._tree":
        return [*one.__getstate__().items()] if type(one).__name__ == "Tree" else []
    held = getattr(one, "__dict__", None)
    return [*held.items()] if isinstance(held, dict) and not callable(one) else []


def hashes_of(classifiers: Any) -> Hashes:
    """Returns the hashes of the arrays inside the classifiers, by their paths."""
    walk = _Walk()
    try:
        walk.visit(classifiers)
    except Exception:  # an unknown object may raise anything; at worst, a warning is missed
        return {}
    return walk.found


def _held_by(classifier: Any) -> list[Any]:
    """Returns the objects that a classifier, or a step of a pipeline, holds under a public name:
    every fit makes a new ``classes_``. With each small array, also returns its bytes."""
    held: list[Any] = []
    while isinstance(classifier, FrozenEstimator):
        classifier = classifier.estimator
    if isinstance(classifier, Pipeline):
        return [part for _, step in classifier.steps for part in _held_by(step)]
    for name, part in getattr(classifier, "__dict__", {}).items():
        if type(part) in _PLAIN or name.startswith("_"):
            continue
        held.append(part)
        if type(part) is np.ndarray and part.nbytes <= _SMALL and not part.dtype.hasobject:
            held.append(part.tobytes())
    return held


def _are_equal(one: Any, other: Any) -> bool:
    return one is other or (type(one) is bytes and type(other) is bytes and one == other)


class _Note:
    """What a model keeps about its classifiers."""

    def __init__(self, classifiers: list[Any], hashes: Hashes) -> None:
        self.hashes = hashes
        self.held = self._now(classifiers)
        self.calls = 0
        self.wait, self.until = 1, 0  # from the call number ``until`` on, objects are looked at
        self.differs = False

    def _now(self, classifiers: list[Any]) -> list[Any]:
        return [part for one in classifiers for part in _held_by(one)]

    def changed(self, classifiers: list[Any], *, all_of: bool) -> bool:
        """Returns whether the classifiers differ from those of the fit. Compares all arrays if
        ``all_of`` is true, and otherwise only sometimes."""
        self.calls += 1
        look = all_of or self.calls & (self.calls - 1) == 0
        if look or self.calls >= self.until:
            now = self._now(classifiers)
            same = len(now) == len(self.held) and all(map(_are_equal, now, self.held))
            if look or not same:
                self.held, before = now, self.differs
                found = hashes_of(classifiers)
                known = [path for path in self.hashes if path in found]
                self.differs = any(found[path] != self.hashes[path] for path in known)
                if not (same or self.differs or before):  # objects differed in vain: wait longer
                    self.wait, self.until = 2 * self.wait, self.calls + self.wait
        return self.differs


def note_classifiers(model: Any, classifiers: list[Any], before: Hashes) -> None:
    """Keeps in ``model`` what its classifiers are now. ``before`` are the hashes from before the
    fit of the rule: what has changed since then changes by predicting, and is not kept."""
    now = hashes_of(classifiers)
    stable = {path: value for path, value in before.items() if now.get(path) == value}
    model.__dict__["_classifiers"] = _Note(classifiers, stable)


def say_refitted(model: Any, classifiers: list[Any], *, all_of: bool = False) -> None:
    """Warns if the classifiers are no longer those that the rule of ``model`` was learned for."""
    note = model.__dict__.get("_classifiers")
    if note is not None and note.changed(classifiers, all_of=all_of):
        warn(
            "estimator-changed: the classifier was fitted again, or changed otherwise, since the "
            "rule was learned, so its probabilities are not those that the rule was made for. Fit "
            "the rule again",
            FairnessWarning,
        )
