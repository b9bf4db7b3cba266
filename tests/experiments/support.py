"""A context for each test of experiments/, which is on PYTHONPATH."""

import os
import tempfile
import unittest
from pathlib import Path

import reproduce
from common import Context

ROOT = Path(os.environ.get("DP2DP_SOURCE_DIR", Path(__file__).resolve().parents[2]))
DATA = os.environ.get("DP2DP_DATA")


def context(out: Path) -> Context:
    program = os.environ.get("DP2DP", ROOT / "build" / "dp2dp")
    return Context(out, Path(program), Path(DATA) if DATA else None, fast=True)


def measured(test: type[unittest.TestCase], name: str) -> Context:
    """A context with the tables of one figure, as make reproduce makes them with --fast."""
    (module,) = reproduce.modules([name])
    folder = tempfile.TemporaryDirectory()
    test.addClassCleanup(folder.cleanup)
    made = context(Path(folder.name))
    if getattr(module, "NEEDS_DATA", False) and made.data is None:
        raise unittest.SkipTest("DP2DP_DATA does not say where the data sets are")
    module.run(made)
    return made
