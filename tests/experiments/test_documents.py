"""Numbers in documents are those of the committed page."""

import re
import unittest
from html.parser import HTMLParser

import documents
from support import ROOT

DOCS = ROOT / "docs"
LINK = re.compile(r"\]\((?:docs/)?reproduction\.html#([a-z0-9.-]+)\)")
NUMBER = re.compile(r"(?<![\w.#-])\d*\.\d+(?![\w.]*\.(?:html|md|csv))")
VOID = {"meta", "br", "img", "input", "hr", "link", "wbr"}


class Sections(HTMLParser):
    """The text of each element that has an id."""

    def __init__(self, page):
        super().__init__()
        self.text, self._open = {}, []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self._open.append((tag, dict(attributes).get("id")))

    def handle_endtag(self, tag):
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        for _, name in self._open:
            if name:
                self.text[name] = self.text.get(name, "") + data + " "


def paragraphs(text):
    """Paragraphs, points of lists and rows of tables, without code."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"\n(?=\||- )", "\n\n", text)
    return [part for part in text.split("\n\n") if part.strip()]


class Documents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page = Sections((DOCS / documents.PAGE).read_text(encoding="utf-8")).text

    def wrong(self, text):
        """What is wrong with the numbers of linked paragraphs."""
        found = []
        for part in paragraphs(text):
            names = LINK.findall(part)
            said = " ".join(self.page.get(name, "") for name in names)
            found += [f"no {name} in the page" for name in names if name not in self.page]
            for number in NUMBER.findall(LINK.sub("", part)) if names else ():
                if not re.search(rf"(?<![\d.]){re.escape(number)}(?!\d)", said):
                    found.append(f"{number} is not in {', '.join(names)}")
        return found

    def test_every_number_beside_a_link_is_in_what_it_links_to(self):
        for path in (DOCS / "reproduction.md", ROOT / "README.md"):
            self.assertEqual(self.wrong(path.read_text(encoding="utf-8")), [], path.name)

    def test_numbers_of_the_story_have_a_link(self):
        text = (DOCS / "reproduction.md").read_text(encoding="utf-8")
        for part in paragraphs(text):
            if NUMBER.search(LINK.sub("", part)):
                self.assertRegex(part, LINK)

    def test_a_changed_number_is_noticed(self):
        text = (DOCS / "reproduction.md").read_text(encoding="utf-8")
        part = next(part for part in paragraphs(text) if LINK.search(part) and NUMBER.search(part))
        self.assertEqual(self.wrong(part), [])
        self.assertNotEqual(self.wrong(part + " 0.98765"), [])
        self.assertNotEqual(self.wrong(LINK.sub("](reproduction.html#nowhere)", part)), [])


if __name__ == "__main__":
    unittest.main()
