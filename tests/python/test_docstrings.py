"""Every public name says what it does, what each parameter is, and what it charges."""

import importlib
import inspect
import os
import re
import sys
import unittest

import dp2dp

ROOT = os.environ.get("DP2DP_SOURCE_DIR", os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tools", "site"))
stand_in = importlib.import_module("stand_in")

MODULES = ("accounting", "core", "estimators", "metrics", "plot", "sql")
# Methods of these names charge a budget; so does every function that takes an epsilon.
CHARGING = ("fit", "certify", "charge")


def public_modules():
    return [
        dp2dp,
        *(importlib.import_module(f"dp2dp.{name}") for name in MODULES),
        stand_in.spark(),
    ]


def is_ours(thing):
    return (getattr(thing, "__module__", None) or "").startswith("dp2dp")


def members(cls):
    """The public members of a class that this package defines, with their names."""
    for name in dir(cls):
        owner = next((base for base in cls.__mro__ if name in vars(base)), object)
        if not name.startswith("_") and is_ours(owner):
            yield name, inspect.getattr_static(cls, name)


def unwrapped(thing):
    """The function behind a classmethod or staticmethod."""
    return thing.__func__ if isinstance(thing, (classmethod, staticmethod)) else thing


def public_things():
    """Yields the dotted name of everything public, once, with the thing itself."""
    seen = set()
    for module in public_modules():
        yield module.__name__, module
        for name in module.__all__:
            thing = getattr(module, name)
            if not callable(thing) or id(thing) in seen:
                continue
            seen.add(id(thing))
            where = f"{module.__name__}.{name}"
            yield where, thing
            if inspect.isclass(thing):
                yield from ((f"{where}.{inner}", member) for inner, member in members(thing))


def parameters(thing):
    """The parameters of a function or of a class that has any of its own."""
    thing = unwrapped(thing)
    if not callable(thing) or isinstance(thing, property):
        return []
    try:
        given = inspect.signature(thing).parameters.values()
    except ValueError:  # a class that only the library makes
        return []
    return [p for p in given if p.name not in ("self", "cls", "type")]


def is_field(thing):
    """Whether a member of a class is a value: a field, a default, or a Param of Spark."""
    plain = thing is None or isinstance(thing, (str, int, float, tuple))
    return plain or type(thing).__name__ in ("Param", "_Param", "_tuplegetter")


def is_named(name, text):
    """Whether a docstring has the name in code marks, or as an entry of its list of parameters."""
    marked = re.search(rf"``[^`\n]*\b{re.escape(name)}\b[^`\n]*``", text)
    return bool(marked or re.search(rf"^(\w+, )*{re.escape(name)}(, \w+)*$", text, re.M))


class Docstrings(unittest.TestCase):
    maxDiff = None

    def test_every_public_name_has_a_docstring(self):
        found, lines = [], dict(public_things())
        for where, thing in lines.items():
            around = lines.get(where.rpartition(".")[0])
            if inspect.isclass(around) and is_field(thing):  # its class says what it is
                texts = [inspect.getdoc(base) or "" for base in around.__mro__]
                named = any(is_named(where.rpartition(".")[2], text) for text in texts)
                found += [] if named else [where]
            elif not (getattr(unwrapped(thing), "__doc__", None) or "").strip():
                found.append(where)
        self.assertEqual("\n".join(found), "")

    def test_every_parameter_is_described(self):
        found = []
        for where, thing in public_things():
            text = inspect.getdoc(unwrapped(thing)) or ""
            found += [f"{where}({p.name})" for p in parameters(thing) if not is_named(p.name, text)]
        self.assertEqual("\n".join(found), "")

    def test_what_charges_says_so(self):
        found = []
        for where, thing in public_things():
            name = where.rpartition(".")[2]
            takes = {p.name for p in parameters(thing)} if not inspect.isclass(thing) else set()
            if not callable(unwrapped(thing)) or where.startswith(
                ("dp2dp.Accountant", "dp2dp.dpsgd", "dp2dp.accounting")
            ):
                continue
            if name in CHARGING or ("epsilon" in takes and "budget" not in name):
                text = inspect.getdoc(unwrapped(thing)) or ""
                found += [] if re.search(r"^Privacy: ", text, re.M) else [where]
        self.assertEqual("\n".join(found), "")

    def test_dir_shows_what_is_public_and_no_more(self):
        for module in public_modules():
            inside = {*MODULES} if module is dp2dp else set()
            with self.subTest(module.__name__):
                shown = {name for name in dir(module) if not name.startswith("_")}
                shown -= {"spark"}  # shown only if pyspark is installed
                public = {name for name in module.__all__ if not name.startswith("_")}
                self.assertEqual(shown, public | inside)
