"""A part of make reproduce: few runs, few points, and every ordering that the figures show.

All seeds are fixed, so a test always passes or always fails with one version of the program: there
are no false alarms by chance. A change of the program that draws other random numbers redraws all
of them. Then a close ordering of a few runs can turn by chance: look at the full run before you
call it a loss.
"""

import re
import tempfile
import unittest
from pathlib import Path

import reproduce
from parts.shape import check
from support import measured


class Figure:
    """The tests of one figure. NAME is its name."""

    NAME: str

    @classmethod
    def setUpClass(cls):
        cls.context = measured(cls, cls.NAME)
        (cls.module,) = reproduce.modules([cls.NAME])

    def test_every_ordering_holds(self):
        orderings = self.module.orderings(self.context)
        self.assertTrue(orderings)
        for claim, holds in orderings:
            with self.subTest(claim):
                self.assertTrue(holds)

    def test_the_figure_is_what_the_page_expects(self):
        page = reproduce.page(self.context, [self.module])
        check(page)
        (figure,) = page["figures"]
        for panel in figure.get("panels", []):
            for series in panel["series"]:
                self.assertRegex(series["privacy"], r"ε = [0-9.]+|^none", series["name"])
        for name in figure["csv"]:
            self.assertTrue((self.context.out / name).is_file(), name)


def load_tests(loader, tests, pattern):
    """One class of tests for each figure that needs no rivals."""
    found = unittest.TestSuite([tests])
    for module in reproduce.modules():
        if not getattr(module, "NEEDS_RIVALS", False):
            name = re.sub(r"\W", "_", module.NAME)
            case = type(name, (Figure, unittest.TestCase), {"NAME": name})
            found.addTests(loader.loadTestsFromTestCase(case))
    return found


class Driver(unittest.TestCase):
    def tables(self, folder):
        files = sorted(Path(folder).rglob("*.csv"))
        return {f.relative_to(folder): f.read_bytes() for f in files if f.name != "times.csv"}

    def test_two_runs_give_the_same_bytes(self):
        found = []
        for _ in range(2):
            with tempfile.TemporaryDirectory() as folder:
                arguments = ["--fast", "--figures", "synthetic_rho", "--out", folder]
                self.assertEqual(reproduce.main(arguments), 0)
                found.append(self.tables(folder))
        self.assertGreater(len(found[0]), 2)
        self.assertEqual(*found)


if __name__ == "__main__":
    unittest.main()
