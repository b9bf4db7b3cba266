"""The reference of the Python package as static pages: build.py FOLDER.

Every public name is described in full on one page, its home; other modules that have it too link
there. pdoc makes the pages from the docstrings, and tools/site/templates styles them.
"""

from __future__ import annotations

import importlib
import inspect
import re
import shutil
import sys
import warnings
from functools import cached_property
from pathlib import Path
from typing import Any

import pdoc.doc
import pdoc.doc_types
import pdoc.docstrings
import pdoc.render
from pygments.formatters import HtmlFormatter

import dp2dp
import stand_in
from dp2dp import core
from dp2dp._model import Fact

# In the order of the list on the first page. A name's home is the first module that has it.
MODULES = ("estimators", "core", "accounting", "metrics", "plot", "sql", "spark")


def modules() -> dict[str, Any]:
    """Returns the public modules by their full names, the package last."""
    found = {
        f"dp2dp.{name}": stand_in.spark()
        if name == "spark"
        else importlib.import_module(f"dp2dp.{name}")
        for name in MODULES
    }
    for name in dp2dp.__all__:  # pdoc sees only what has been imported
        setattr(dp2dp, name, getattr(dp2dp, name))
    return {**found, "dp2dp": dp2dp}


def homes(public: dict[str, Any]) -> dict[int, str]:
    """Returns the module in which each public thing is described."""
    found: dict[int, str] = {}
    for module, thing in public.items():
        for name in thing.__all__:
            found.setdefault(id(getattr(thing, name)), module)
    return found


def show_facts(cls: type) -> None:
    """Turns the read-only attributes of a class into properties, which pdoc knows."""
    for name, fact in list(vars(cls).items()):
        if isinstance(fact, Fact):

            def get(self: Any) -> Any: ...

            get.__name__ = get.__qualname__ = name
            get.__module__, get.__doc__ = cls.__module__, fact.__doc__
            get.__annotations__ = {"return": fact.__orig_class__.__args__[0]}
            setattr(cls, name, property(get))


def show_new(cls: type) -> None:
    """Gives a class whose ``__new__`` takes the arguments an ``__init__`` for pdoc to find."""

    def init(self: Any) -> None: ...

    made = inspect.signature(cls.__new__)
    first, *others = made.parameters.values()
    init.__signature__ = made.replace(parameters=[first.replace(name="self"), *others])
    init.__name__, init.__qualname__ = "__init__", f"{cls.__qualname__}.__init__"
    init.__module__ = cls.__module__
    cls.__init__ = init


def _text(number: float | None) -> str:
    return "none" if number is None else f"{number:g}"


def add_options(function: Any) -> None:
    """Appends the numeric options, which come from the library's own table."""
    rows = ["| option | default | from | to | |", "|---|---|---|---|---|"]
    for one in core.options(function):
        users = f" ({', '.join(one.used_by)})" if one.used_by else ""
        limits = f"{_text(one.minimum)} | {_text(one.maximum)}"
        rows.append(f"| `{one.name}` | {_text(one.default)} | {limits} | {one.help}{users} |")
    function.__doc__ += "\n\nNumeric options:\n\n" + "\n".join(rows) + "\n"


class _Class(pdoc.doc.Class):
    """Describes what a class inherits from a private class of this package as its own."""

    @cached_property
    def own_members(self) -> list[pdoc.doc.Doc[Any]]:
        """What this package defines, without the methods of scikit-learn's metadata routing."""
        private = [
            member
            for (module, _), members in self._members_by_origin.items()
            if module.startswith("dp2dp")
            for member in members
        ]
        made = "set_{}_request".format
        routed = {made(verb) for verb in ("fit", "predict", "predict_proba", "decision_function")}
        own = "set_score_request" if self.name != "UnfairnessScorer" else ""
        known = [m for m in private if m.name not in routed | {own, "get_metadata_routing"}]
        for member in known:  # what Python writes about the fields of a NamedTuple
            if member.docstring.startswith(("Alias for field", "Create new instance")):
                member.docstring = ""
        return sorted(known, key=lambda m: m.name != "__init__")


class _Words(str):
    """A type as it is written in the source, which signatures show without quotes."""

    def __repr__(self) -> str:
        return str(self)


def _as_written(annotation: Any, *where: Any) -> Any:
    """Takes the place of pdoc's evaluation: ``Features`` says more than the union it stands for."""
    text = getattr(annotation, "__forward_arg__", annotation)
    return _Words(text) if isinstance(text, str) else annotation


def link_homes(public: dict[str, Any]) -> None:
    """Makes `dp2dp.Model` in a text a link to where it is described, `dp2dp.core.Model`."""
    home = homes(public)
    places = {name: home[id(getattr(dp2dp, name))] for name in dp2dp.__all__}
    convert = pdoc.docstrings.convert

    def at_home(*given: Any) -> str:
        found = convert(*given)
        return re.sub(r"`dp2dp\.(\w+)", lambda m: f"`{places.get(m[1], 'dp2dp')}.{m[1]}", found)

    pdoc.docstrings.convert = at_home


def styles() -> dict[str, str]:
    """The colours of code, in light and in dark mode."""
    return {
        f"{ground}_code": HtmlFormatter(style=style).get_style_defs(".pdoc-code")
        for ground, style in (("light", "default"), ("dark", "github-dark"))
    }


def check(folder: Path, public: dict[str, Any]) -> None:
    """Refuses pages that lack a public name, have another one, or load something from elsewhere."""
    home = homes(public)
    for module, thing in public.items():
        text = (folder / f"{module.replace('.', '/')}.html").read_text(encoding="utf-8")
        found = re.findall(r'<section id="([^"]+)"', text)
        own = [name for name in thing.__all__ if home[id(getattr(thing, name))] == module]
        wanted = [name for name in own if callable(getattr(thing, name))]
        if sorted(found) != sorted(wanted):
            raise SystemExit(f"{module}: the page describes {found}, but public are {wanted}")
        if loaded := re.findall(r'(?:<script|<link|<img|@import|url\()[^>]*?https?://[^"]*', text):
            raise SystemExit(f"{module}: the page loads {loaded[0]}")


def main(folder: Path) -> None:
    """Writes the pages, after those of an earlier run are gone."""
    public = modules()
    for thing in (dp2dp.Model, dp2dp.Schema):
        show_facts(thing)
    for thing in (dp2dp.Schema, core.Shard):
        show_new(thing)
    add_options(core.fit)
    add_options(core.train)
    pdoc.doc.Class.own_members = _Class.own_members
    pdoc.doc.safe_eval_type = pdoc.doc_types.safe_eval_type = _as_written
    pdoc.render.configure(
        docformat="numpy",
        show_source=False,
        footer_text=f"dp2dp {dp2dp.__version__}",
        template_directory=Path(__file__).parent / "templates",
    )
    link_homes(public)
    pdoc.render.env.globals.update(styles(), homes=homes(public), identity=id)
    pages = {name: pdoc.doc.Module(thing) for name, thing in public.items()}
    shutil.rmtree(folder, ignore_errors=True)
    for name, page in pages.items():
        file = folder / f"{name.replace('.', '/')}.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(pdoc.render.html_module(page, pages), encoding="utf-8")
    (folder / "index.html").write_text(
        '<!doctype html><meta charset="utf-8"><title>dp2dp</title>'
        '<meta http-equiv="refresh" content="0; url=dp2dp.html"><a href="dp2dp.html">dp2dp</a>\n',
        encoding="utf-8",
    )
    (folder / "search.js").write_text(pdoc.render.search_index(pages), encoding="utf-8")
    check(folder, public)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: build.py FOLDER")
    warnings.simplefilter("error")
    main(Path(sys.argv[1]))
