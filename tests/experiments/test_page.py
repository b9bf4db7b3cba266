"""The page of the reproduction: its shape is checked, its texts are escaped, its links resolve."""

import copy
import json
import re
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

import invented

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(invented.PAGE))

from make_page import LEFT_OUT, make  # noqa: E402
from parts.cells import decimal, number  # noqa: E402
from parts.shape import PageError, check  # noqa: E402

VOID = {"meta", "br", "img", "input", "hr", "link"}


class Reader(HTMLParser):
    """What a browser would find: ids, links, elements that run, and texts."""

    def __init__(self, html):
        super().__init__()
        self.ids, self.links, self.texts, self.tags, self.handlers = [], [], [], [], []
        self.open, self.data = [], ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.tags.append(tag)
        self.handlers += [name for name in found if name.startswith("on") or name == "style"]
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found["href"]] if "href" in found else []
        if tag not in VOID:
            self.open.append((tag, found))

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        tag, found = self.open[-1] if self.open else ("", {})
        if found.get("id") == "dp2dp-data":
            self.data += data
        elif tag not in ("script", "style"):
            self.texts.append(data)


def rendered(page, **options):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "index.html"
        make(page, out, **options)
        return out.read_text(encoding="utf-8")


def changed(*path, value=None, remove=False):
    """The invented page with one thing changed: changed("figures", 0, "id", value="B")."""
    page = copy.deepcopy(invented.page())
    at = page
    for step in path[:-1]:
        at = at[step]
    if remove:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return page


PANEL = ("figures", 0, "panels", 0)
SERIES = (*PANEL, "series", 5)
ROWS = ("figures", 4, "tables", 0, "rows")


class Shape(unittest.TestCase):
    def refused(self, page, *words):
        with self.assertRaises(PageError) as caught:
            check(page)
        for word in words:
            self.assertIn(word, str(caught.exception))

    def test_the_invented_pages_are_accepted(self):
        check(invented.page())
        check(invented.hostile())

    def test_a_mistake_is_told_with_its_place(self):
        place = "figures[0].panels[0].series[5]"
        self.refused(changed(*SERIES, "privacy", remove=True), f"{place}.privacy: missing")
        self.refused(changed(*SERIES, "privacy", value=" "), f"{place}.privacy", "text")
        self.refused(changed(*SERIES, "kind", value="our"), f"{place}.kind", "ours, reference")
        self.refused(changed(*SERIES, "points", 1, "x", value="3"), f"{place}.points[1].x")
        self.refused(changed(*SERIES, "points", 1, "x_std", value=1.0), "x_std", "x_sd")
        self.refused(changed(*PANEL, "x", "scale", value="loga"), "x.scale", "linear, log")
        self.refused(changed("made", "version", remove=True), "made.version: missing")
        self.refused(changed("figures", value=[]), "figures: needs at least 1")

    def test_numbers_of_charts_are_finite(self):
        for value in (float("inf"), float("nan"), True):
            self.refused(changed(*SERIES, "points", 0, "y", value=value), "points[0].y", "finite")

    def test_a_verdict_is_one_of_the_six_words(self):
        self.refused(changed(*ROWS, 0, "verdict", value="won"), "rows[0].verdict", "tie")
        self.refused(changed(*ROWS, 0, "verdict", value=None), "rows[0].verdict")

    def test_a_column_that_no_row_has_is_refused(self):
        column = {"key": "erorr", "label": "Error", "kind": "percent"}
        columns = invented.page()["figures"][4]["tables"][0]["columns"]
        page = changed("figures", 4, "tables", 0, "columns", value=[*columns, column])
        self.refused(page, "columns[10].key", "no row has 'erorr'")

    def test_ids_are_plain_and_differ(self):
        self.refused(changed(*ROWS, 3, "id", value="Rival 3"), "rows[3].id", "lower case")
        self.refused(changed(*ROWS, 3, "id", value="rival-4"), "rows[4].id", "rows[3].id")
        self.refused(changed(*ROWS, 3, "id", value="summary"), "rows[3].id", "page itself")
        self.refused(changed("figures", 0, "id", value="growth"), "figures[2].id")

    def test_two_series_of_a_panel_have_different_names(self):
        self.refused(changed(*SERIES, "name", value="unfair"), "two are named 'unfair'")

    def test_lines_and_marks_suit_their_log_scale(self):
        growth = ("figures", 2, "panels", 0)
        self.refused(
            changed(*growth, "lines", 0, "points", 0, "y", value=0.0), "lines[0].points[0].y"
        )
        mark = {"axis": "x", "value": 0, "label": "N"}
        self.refused(changed(*growth, "marks", value=[mark]), "marks[0].value", "positive")


class Cells(unittest.TestCase):
    def test_numbers_are_written_as_their_column_says(self):
        self.assertEqual(decimal(1_000_000, 4), "1,000,000")
        self.assertEqual(decimal(0.00512, 4), "0.0051")
        self.assertEqual(decimal(-0.00512, 4), "−0.0051")
        self.assertEqual(decimal(4.885e-10, 4), "4.9e-10")
        self.assertEqual(decimal(0.0, 4), "0.0000")
        self.assertEqual(decimal(float("inf"), 1), "∞")
        self.assertIn(">18.3\u00a0%<", number(0.1834, "percent"))
        self.assertIn('value="0.1834"', number(0.1834, "percent"))
        self.assertIn("no value", number(None))


class Page(unittest.TestCase):
    def test_hostile_texts_stay_texts(self):
        usual, hostile = Reader(rendered(invented.page())), Reader(rendered(invented.hostile()))
        # Not assertEqual, which would look for the smallest difference for minutes.
        self.assertTrue(usual.tags == hostile.tags, "texts became elements")
        self.assertEqual(hostile.handlers, [])
        self.assertTrue(usual.ids == hostile.ids, "texts became ids")
        shown = "".join(hostile.texts)
        for text in invented.HOSTILE:
            self.assertIn(text, shown)
        drawn = json.loads(hostile.data)["figures"]
        self.assertTrue(drawn[0]["panels"][0]["series"][0]["privacy"] in invented.HOSTILE)

    def test_equal_data_give_equal_bytes(self):
        self.assertTrue(rendered(invented.page()) == rendered(invented.page()))

    def test_every_id_is_there_once_and_every_link_leads_to_one(self):
        for page in (invented.page(), invented.hostile()):
            read = Reader(rendered(page))
            self.assertEqual(len(read.ids), len(set(read.ids)))
            for link in read.links:
                self.assertTrue(link.startswith("#"), link)
                self.assertIn(link[1:], read.ids)
            for row in page["figures"][4]["tables"][0]["rows"]:
                self.assertIn(row["id"], read.ids)

    def test_every_privacy_text_and_point_is_readable_without_the_script(self):
        html = rendered(invented.page())
        shown = "".join(Reader(html).texts)
        for figure in invented.page()["figures"]:
            for panel in figure["panels"]:
                for series in panel["series"]:
                    self.assertIn(series["privacy"], shown)
                    for point in series["points"]:
                        if point["y"] is not None:
                            self.assertIn(f'<data value="{point["y"]!r}">', html)

    def test_failures_and_losses_come_first(self):
        html = rendered(invented.page())
        found = re.findall(r'<tr id="rival-\d+" data-verdict="(\w+)">', html)
        self.assertEqual(len(found), 60)
        self.assertEqual(found, sorted(found, key=["loss", "open", "tie", "win"].index))
        self.assertEqual(found[0], "loss")
        self.assertLess(html.index('<tr id="bar-credit-0.5"'), html.index('<tr id="bar-adult-0.5"'))

    def test_the_first_screen_counts_what_the_tables_say(self):
        page = invented.page()
        rows = page["figures"][4]["tables"][0]["rows"]
        rows[5]["verdict"] = "loss"
        html = rendered(page)
        top = html[html.index('<section id="summary">') : html.index("</section>")]
        losses = [row["id"] for row in rows if row["verdict"] == "loss"]
        wins = sum(row["verdict"] == "win" for row in rows)
        self.assertIn(f"<strong>{len(losses)} losses</strong>", top)
        self.assertIn(f"<strong>{wins} wins</strong>", top)
        self.assertIn("<strong>2 of 4</strong>", top)
        claims = "claims of the paper reproduced; 1 not reproduced; 1 not decided."
        self.assertIn(f"<strong>1 of 3</strong> {claims}", top)
        for name in [*losses, "bar-credit-0.5", "bar-parkinsons"]:
            self.assertIn(f'href="#{name}"', top)
        self.assertNotIn('href="#bar-adult-0.5"', top)

    def test_a_figure_says_where_it_is_in_the_paper(self):
        html = rendered(changed("figures", 1, "paper", value="Figure 1, left"))
        for words in ("Figure 2 of the paper", "Figure 1, left, of the paper", "Not in the paper"):
            self.assertIn(f'<p class="eyebrow">{words}</p>', html)

    def test_a_row_of_the_first_screen_names_its_data_and_parameters(self):
        html = rendered(invented.page())
        top = html[: html.index('id="adult"')]
        row = next(
            r for r in invented.page()["figures"][4]["tables"][0]["rows"] if r["verdict"] == "loss"
        )
        said = f"{row['rival']}, {row['data']}, {row['setting']}, ε = {row['epsilon']:g}</a>"
        self.assertIn(said, top)

    def test_a_fast_run_says_that_it_is_one(self):
        self.assertIn("A fast run", rendered(changed("made", "fast", value=True)))
        self.assertNotIn("A fast run", rendered(changed("made", "fast", value=False)))

    def test_csv_files_are_linked_where_they_lie_beside_the_page(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "adult.csv").write_text("x\n")
            make(invented.page(), Path(folder) / "index.html")
            html = (Path(folder) / "index.html").read_text(encoding="utf-8")
        self.assertIn('<a href="adult.csv">', html)
        self.assertNotIn('<a href="rivals.csv">', html)
        self.assertIn("<code>rivals.csv</code>", html)

    def test_stored_points_of_others_are_left_out_and_the_page_says_so(self):
        page = invented.page()
        rivals = page["figures"][4]["tables"][0]
        rivals["columns"].append({"key": "stored", "label": "Published", "kind": "number"})
        for row in rivals["rows"]:
            row["stored"] = 0.123456
        own = {**page["figures"][0]["panels"][0]["series"][7], "name": "from a paper"}
        page["figures"][0]["panels"][0]["series"].append({**own, "stored": False})
        whole, part = rendered(page), rendered(page, published=False)
        for text in ("DP-FERMI", "0.123456", 'data-verdict="win"', "from a paper"):
            self.assertIn(text, whole)
        names = [s["name"] for f in json.loads(Reader(part).data)["figures"] for s in _series(f)]
        self.assertNotIn("DP-FERMI", names)
        self.assertIn("from a paper", names)
        self.assertNotIn("0.123456", part)
        self.assertNotIn(repr(rivals["rows"][0]["error"]), part)
        self.assertIn('<tr id="rival-7" data-verdict="win">', part)
        self.assertNotIn(LEFT_OUT, whole)
        self.assertEqual(part.count(LEFT_OUT), 3)

    def test_the_command_tells_what_is_wrong(self):
        with tempfile.TemporaryDirectory() as folder:
            data, out = Path(folder) / "page.json", Path(folder) / "index.html"
            for text, words in [
                ('{"title": "x"}', "made: missing"),
                ("{", "not JSON"),
                (json.dumps(changed("figures", 0, "id", value="A")), "figures[0].id"),
            ]:
                data.write_text(text, encoding="utf-8")
                done = subprocess.run(
                    [sys.executable, invented.PAGE / "make_page.py", data, out],
                    capture_output=True,
                    text=True,
                )
                self.assertEqual(done.returncode, 1)
                self.assertIn(words, done.stderr)
                self.assertNotIn("Traceback", done.stderr)
                self.assertFalse(out.exists())


def _series(figure):
    return [series for panel in figure["panels"] for series in panel["series"]]


class Committed(unittest.TestCase):
    """docs/reproduction.html, which is made from a whole run and need not be there."""

    def setUp(self):
        page = ROOT / "docs" / "reproduction.html"
        self.page = Reader(page.read_text(encoding="utf-8") if page.exists() else "")

    def test_links_to_the_page_lead_to_something_in_it(self):
        pages = [ROOT / "README.md", ROOT / "docs" / "reproduction.md"]
        for path in [path for path in pages if self.page.ids and path.exists()]:
            for link in re.findall(r"reproduction\.html#([^)\s\"'>]+)", path.read_text("utf-8")):
                self.assertIn(link, self.page.ids, f"{path.name}: reproduction.html#{link}")

    def test_the_page_holds_nothing_from_stored_files_of_others(self):
        figures = json.loads(self.page.data)["figures"] if self.page.data else []
        for series in [series for figure in figures for series in _series(figure)]:
            if series["kind"] == "other-data":
                self.assertIs(series.get("stored"), False, series["name"])


if __name__ == "__main__":
    unittest.main()
