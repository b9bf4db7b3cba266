"""What reproduce.py leaves out, refuses and puts into documents."""

import contextlib
import io
import tempfile
import types
import unittest
from pathlib import Path

import documents
import reproduce
from common import write_csv
from support import context


def figure(**more):
    """A figure that writes one row, and claims one ordering."""
    found = types.SimpleNamespace(NAME="invented", TITLE="Invented", **more)
    found.run = lambda context: context.write("invented", [{"run": 0, "version": "1"}])
    found.figure = lambda context: {"id": "invented", "title": "Invented"}
    found.orderings = lambda context: [("one is below two", more.get("holds", True))]
    return found


class Driver(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name)
        self.context = context(self.out)

    def test_a_figure_that_needs_data_is_left_out_without_them(self):
        self.context.data = None
        self.assertIn("data", reproduce.left_out(figure(NEEDS_DATA=True), self.context, True))
        self.assertIsNone(reproduce.left_out(figure(), self.context, False))

    def test_rivals_are_measured_only_if_asked_for(self):
        rivals = figure(NEEDS_RIVALS=True)
        self.assertIsNotNone(reproduce.left_out(rivals, self.context, False))
        self.assertIsNone(reproduce.left_out(rivals, self.context, True))

    def test_tables_of_other_settings_are_refused(self):
        reproduce.same_settings(self.context)
        reproduce.same_settings(self.context)
        self.context.seed += 1
        with self.assertRaisesRegex(SystemExit, "another seed"):
            reproduce.same_settings(self.context)

    def test_an_unknown_figure_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "no figure nonsense"):
            reproduce.modules(["nonsense"])

    def test_a_page_holds_no_number_that_is_not_finite(self):
        with self.assertRaises(ValueError):
            reproduce.finite({"a": [1.0, float("nan")]})

    def test_an_ordering_that_fails_is_told(self):
        for holds, word in ((True, "holds"), (False, "FAILS")):
            module = figure(holds=holds)
            module.run(self.context)
            with contextlib.redirect_stdout(io.StringIO()) as said:
                self.assertEqual(reproduce.tell_orderings(self.context, [module]), holds)
            self.assertIn(word, said.getvalue())

    def test_times_of_other_figures_stay(self):
        write_csv(self.out / "times.csv", [{"figure": "other", "seconds": 1, "cpu_seconds": 1}])
        reproduce.write_times(self.context, [reproduce.measure(figure(), self.context)])
        rows = self.context.read("times")
        self.assertEqual([row["figure"] for row in rows], ["other", "invented"])


class Parts(unittest.TestCase):
    def test_only_the_marked_part_of_a_document_is_replaced(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.md"
            text = "before\n<!-- begin x -->\n{}<!-- end x -->\nafter\n"
            path.write_text(text.format(""), encoding="utf-8")
            for part in ("one\ntwo", "three"):
                documents.fill(path, {"x": part})
                self.assertEqual(path.read_text(encoding="utf-8"), text.format(part + "\n"))

    def test_a_mark_without_a_part_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.md"
            path.write_text("<!-- begin y -->\n<!-- end y -->\n", encoding="utf-8")
            with self.assertRaises(KeyError):
                documents.fill(path, {"x": ""})


if __name__ == "__main__":
    unittest.main()
