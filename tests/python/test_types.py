"""The package passes mypy in strict mode, mypy finds mistakes in a user's program, the stubs match
the module, and everything public has a type."""

import inspect
import os
import subprocess
import sys
import tempfile
import unittest

import dp2dp
from dp2dp import accounting, core, estimators, metrics, plot, sql

ROOT = os.environ.get("DP2DP_SOURCE_DIR", os.path.join(os.path.dirname(__file__), "..", ".."))
CONFIG = os.path.join(ROOT, "pyproject.toml")
PACKAGE = os.path.dirname(os.path.dirname(dp2dp.__file__))
PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "typed_program.py")


class Types(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # One cache: mypy then reads numpy's types once.
        cls.cache = cls.enterClassContext(tempfile.TemporaryDirectory())

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def check(self, *arguments):
        run = subprocess.run(
            [sys.executable, "-m", *arguments],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env={**os.environ, "MYPYPATH": PACKAGE, "MYPY_CACHE_DIR": self.cache},
        )
        return run.returncode, run.stdout + run.stderr

    def test_a_program_passes_and_its_marked_mistakes_are_found(self):
        # Under --strict, a `type: ignore` on a correct line is an error too.
        code, said = self.check("mypy", "--strict", "--config-file", CONFIG, PROGRAM)
        self.assertEqual(code, 0, said)
        with open(PROGRAM, encoding="utf-8") as file:
            text = file.read()
        unmarked = os.path.join(self.folder, "unmarked.py")
        with open(unmarked, "w", encoding="utf-8") as file:
            file.write(text.replace("  # type: ignore", "  # "))
        code, said = self.check("mypy", "--strict", "--config-file", CONFIG, unmarked)
        self.assertEqual(said.count("error:"), text.count("# type: ignore"), said)

    def test_the_package_passes_and_its_stubs_are_those_of_the_module(self):
        code, said = self.check("mypy", "--config-file", CONFIG, "-p", "dp2dp")
        self.assertEqual(code, 0, said)
        code, said = self.check(
            "mypy.stubtest", "--concise", "--mypy-config-file", CONFIG, "dp2dp._core"
        )
        self.assertEqual(code, 0, said)

    def test_everything_public_has_types_and_words(self):
        seen = 0
        for module in (dp2dp, accounting, core, estimators, metrics, plot, sql):
            for name in module.__all__:
                thing = getattr(module, name)
                if name.startswith("_") or not callable(thing):
                    continue
                for what, function in functions_of(name, thing):
                    seen += 1
                    signature = inspect.signature(function)
                    parameters = list(signature.parameters.values())
                    with self.subTest(what):
                        self.assertTrue(inspect.getdoc(function))
                        self.assertIsNot(signature.return_annotation, signature.empty)
                        bare = [p.name for p in parameters if p.annotation is p.empty]
                        self.assertIn(bare, ([], ["self"]))
        self.assertGreater(seen, 40)


def functions_of(name, thing):
    if inspect.isfunction(thing):
        yield name, thing
    for inner, value in inspect.getmembers(thing) if inspect.isclass(thing) else ():
        value = value.fget if isinstance(value, property) else value
        if (
            (inspect.isfunction(value) or inspect.ismethod(value))
            and not inner.startswith("_")
            and value.__module__.startswith("dp2dp")
        ):
            yield f"{name}.{inner}", value
