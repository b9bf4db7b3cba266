"""Every number on a report's page comes from its input: the page is parsed as a browser would, and
compared with the model, its ledger, the certificate, the sweep and an evaluation of its own."""

import csv
import json
import math
import os
import stat
import statistics
import subprocess
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

import numpy as np

import dp2dp
from people import BUDGET, scores

GROUPS, CLASSES = ["Female", "Male"], ["<=50K", ">50K"]
SWEEP = (
    "criterion,method,solver,rho,epsilon,delta,epsilon_holds,epsilon_claimed,run,error,"
    "unfairness,error_before,unfairness_before,positive,sees_group,data,records,protects"
).split(",")


class Page(HTMLParser):
    """The <data> elements of a page, its text, and the JSON that it embeds."""

    def __init__(self, html):
        super().__init__()
        self.numbers, self.words, self.json, self.inside = [], [], "", None
        self.script, self.links, self.ids = False, set(), set()
        self.feed(html)
        self.data = json.loads(self.json)
        self.text = " ".join("".join(self.words).split())

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.script = tag in ("script", "style")
        self.embeds = found.get("id") == "dp2dp-data"
        self.ids.add(found.get("id"))
        self.links.add(found.get("href", ""))
        if tag == "data":
            self.inside = [found["data-path"], float(found["value"]), ""]

    def handle_endtag(self, tag):
        self.script = self.script and tag not in ("script", "style")
        if tag == "data":
            self.numbers.append(tuple(self.inside))
            self.inside = None

    def handle_data(self, data):
        if self.script:
            self.json += data if self.embeds else ""
            return
        self.words.append(data)
        if self.inside:
            self.inside[2] += data

    def at(self, path):
        value = self.data
        for key in path.split("/")[1:]:
            value = value[int(key)] if isinstance(value, list) else value[key]
        return value

    def of(self, prefix):
        return {path: value for path, value, _ in self.numbers if path.startswith(prefix)}


class ReportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = Path(cls.folder.name)
        p, g = scores(4000, seed=1)
        cls.model = dp2dp.fit(p, g, group_names=GROUPS, class_names=CLASSES, rho=0.02, **BUDGET)
        cls.model.save(cls.path / "model.json")
        cls.p, cls.g = scores(3000, seed=2)
        cls.y = (np.random.default_rng(3).random(3000) < cls.p[:, 1]).astype(np.int32)
        held, groups = scores(3000, seed=4)
        made = dp2dp.certify(cls.model, held, groups, ledger=dp2dp.Ledger(), **BUDGET)
        made.save(cls.path / "certificate.json")
        cls.rows = [
            dict(zip(SWEEP, row, strict=True))
            for rho in ("0", "0.05")
            for epsilon, delta in (("1", "1e-05"), ("inf", ""))
            for run in range(3)
            for row in [
                ("demographic_parity", "scores", "counts", rho, epsilon, delta)
                + ("" if epsilon == "inf" else 0.99, "", run)
                + (0.2 + float(rho) + run / 100, 0.1 - run / 50, 0.15, 0.3 + run / 10)
                + ("", "true", "people", 9000, "")
            ]
        ]
        with open(cls.path / "sweep.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, SWEEP)
            writer.writeheader()
            writer.writerows(cls.rows)
        cls.report = cls.model.report(
            scores=cls.p,
            groups=cls.g,
            labels=cls.y,
            certificate=cls.path / "certificate.json",
            sweep=cls.path / "sweep.csv",
            sweep_people="other",
            data_name="people",
        )
        cls.page = Page(cls.report.html)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def same(self, prefix, expected):
        """The page shows a number at this path, and it is the expected one."""
        self.assertIn(prefix, self.page.of(prefix))
        self.assertEqual(self.page.of(prefix)[prefix], expected, prefix)

    def test_every_number_is_the_one_at_its_path(self):
        self.assertGreater(len(self.page.numbers), 150)
        for path, value, text in self.page.numbers:
            self.assertEqual(value, self.page.at(path), path)
            self.assertTrue(any(c.isdigit() for c in text), (path, text))

    def test_percentages_are_rounded_from_their_values(self):
        seen = 0
        for path, value, text in self.page.numbers:
            if text.split()[-1:] == ["%"] and not path.endswith(("/epsilon", "confidence")):
                self.assertEqual(text, f"{100 * value:.1f} %".replace("-0.0", "0.0"), path)
                seen += 1
        self.assertGreater(seen, 20)

    def test_intervals_and_counts_beside_a_rate_are_its_own(self):
        seen = 0
        for path, value, text in self.page.numbers:
            if " of " not in text:
                continue
            cell = self.page.at(path.removesuffix("/rate"))
            shown = f"{100 * value:.1f} % {100 * cell['low']:.1f}–{100 * cell['high']:.1f}; "
            shown += f"{cell['part']:,} of {cell['whole']:,}"
            self.assertEqual(text, shown, path)
            self.assertEqual(value, cell["part"] / cell["whole"])
            seen += 1
        self.assertEqual(seen, 2 * 4 + 2 * 2 + 3 * 2 * 4)  # rates, errors, rates by label

    def test_rates_errors_and_unfairness_are_those_of_an_evaluation(self):
        after = self.model.predict(self.p, self.g)
        before = self.p.argmax(axis=1).astype(np.int32)
        for when, decisions in (("before", before), ("after", after)):
            for g in range(2):
                for k in range(2):
                    rate = np.mean(decisions[self.g == g] == k)
                    self.same(f"/rates/{when}/{g}/{k}/rate", rate)
                wrong = (decisions != self.y)[self.g == g]
                self.same(f"/error/groups/{when}/{g}/rate", np.mean(wrong))
            self.assertAlmostEqual(
                self.page.data["error"][when]["value"], np.mean(decisions != self.y), places=14
            )
            gap = abs(np.mean(decisions[self.g == 0]) - np.mean(decisions[self.g == 1]))
            self.assertAlmostEqual(self.page.data["unfairness"][when]["value"], gap, places=14)
        self.same("/test/changed", np.sum(before != after))
        for g in range(2):
            for b in range(2):
                moved = np.sum((self.g == g) & (before == b) & (after == 1 - b))
                self.assertEqual(self.page.data["changes"][g][b][1 - b], moved)
                if moved:
                    self.same(f"/changes/{g}/{b}/{1 - b}", moved)
        right = before == self.y, after == self.y
        self.same("/error/change/worse", np.sum(right[0] & ~right[1]))
        self.same("/error/change/better", np.sum(~right[0] & right[1]))
        for i, move in enumerate(self.page.data["moves"]):
            moved = (self.g == move["group"]) & (before == move["before"]) & (after != before)
            self.same(f"/moves/{i}/worse", np.sum(moved & right[0]))
            self.same(f"/moves/{i}/better", np.sum(moved & right[1]))

    def test_the_rule_is_the_models(self):
        file = json.loads((self.path / "model.json").read_text())
        for g, offsets in enumerate(file["rule"]["offsets"]):
            for k, offset in enumerate(offsets):
                self.same(f"/rule/strata/{g}/offsets/{k}", offset)
            threshold = (1 + offsets[1] - offsets[0]) / 2
            self.same(f"/rule/strata/{g}/threshold_after", min(1, max(0, threshold)))
        self.same("/model/rho", 0.02)
        self.assertEqual(self.page.data["model"]["checksum"], file["checksum"])
        self.assertIn(file["checksum"], self.page.text)

    def test_the_promise_is_the_models(self):
        (cover,) = self.model.covers
        self.same("/covers/0/records", cover.records)
        self.same("/covers/0/epsilon", cover.epsilon)
        self.same("/covers/0/delta", cover.delta)
        self.same("/model/epsilon", self.model.epsilon)

    def test_every_line_of_the_ledger_is_there(self):
        entries = json.loads((self.path / "model.json").read_text())["ledger"]["entries"]
        self.assertEqual(len(self.page.data["ledger"]), len(entries))
        for i, entry in enumerate(entries):
            for name in ("sigma", "sensitivity", "count", "coordinates", "rows_per_person"):
                self.same(f"/ledger/{i}/{name}", entry[name])
            self.assertIn(entry["release_id"], self.page.text)
            self.assertIn(entry["label"], self.page.text)

    def test_the_certificate_is_the_file(self):
        file = json.loads((self.path / "certificate.json").read_text())
        for name in ("unfairness_upper_strict", "confidence", "records"):
            self.same(f"/certificate/{name}", file[name])
        for name in ("epsilon", "delta", "sigma"):
            self.same(f"/certificate/{name}", file["cost"][name])
        self.same("/certificate/criteria/0/unfairness_upper", file["unfairness_upper"])
        self.assertIn(file["checksum"], self.page.text)

    def test_the_tradeoff_is_the_mean_over_runs(self):
        points = self.page.data["tradeoff"]["points"]
        self.assertEqual(len(points), 4)
        for i, point in enumerate(points):
            runs = [
                row
                for row in self.rows
                if float(row["rho"]) == point["rho"]
                and (row["epsilon"] == "inf") == (point["epsilon"] is None)
            ]
            self.assertEqual(point["runs"], len(runs))
            for name in ("error", "unfairness", "error_before", "unfairness_before"):
                values = [row[name] for row in runs]
                self.assertAlmostEqual(point[name]["mean"], statistics.mean(values), places=14)
                self.assertAlmostEqual(point[name]["sd"], statistics.stdev(values), places=14)
                self.assertIn(f"/tradeoff/points/{i}/{name}/mean", self.page.of("/tradeoff"))
        self.same("/tradeoff/records", 9000)

    def test_words_answer_the_three_questions(self):
        for words in (
            "Exact counts about real people: do not publish.",
            "percentage points",
            "wrong decisions in 1,000 people",
            "is right at most 73.2 times in 100",
            "Privacy, to the 4,000 people the rule was learned from: epsilon 1",
            "Privacy, to the 3,000 people of the certificate: epsilon 1",
            "Quote the bound to a regulator.",
            "Differences are computed before rounding; promises are rounded up.",
            "The rule was learned from noisy counts of 4,000 people (solver counts); rho,",
            "What is fair under one notion need not be fair under another.",
            "Disparate impact: how often >50K is given in the group that gets it least",
            "At most 1 in 20 such certificates is wrong (95 % confidence).",
            "a random sample of those you decide about, and the model was not made from the",
            "This is a measurement, not a promise: the certificate promises at most",
            "These promises are about the model and the certificate. If one of the people above is",
            "No privacy is promised to the test people, to the people of the sweep, or to anybody",
            "to decide, it must know each person's group. It gives >50K to Female above a score",
            "A person's label is the class recorded in the data",
            "changed decisions,",
            "The model file and the certificate may be published",
            "make the rates exactly equal. The certificate bounds the difference that remains",
            "A decision reveals something about the person it is made for.",
        ):
            self.assertIn(words, self.page.text)

    def test_the_command_line_writes_the_same_bytes(self):
        table = self.path / "test.csv"
        with open(table, "w") as file:
            file.write("p0,p1,s,y\n")
            for (p0, p1), g, y in zip(self.p, self.g, self.y, strict=True):
                file.write(f"{float(p0)!r},{float(p1)!r},{GROUPS[g]},{CLASSES[y]}\n")
        p, g = scores(4000, seed=1)
        with open(self.path / "pool.csv", "w") as file:
            file.write("p0,p1,s\n")
            for (p0, p1), group in zip(p, g, strict=True):
                file.write(f"{float(p0)!r},{float(p1)!r},{GROUPS[group]}\n")
        run = [os.environ["DP2DP"]]
        fit = "fit pool.csv --scores p0,p1 --sensitive s --epsilon 1 --delta 1e-5 --out named.json"
        fit = [*fit.split(), "--classes", ",".join(CLASSES), "--groups", ",".join(GROUPS)]
        subprocess.run(run + fit, cwd=self.path, check=True, capture_output=True)
        args = "report named.json --test test.csv --label y --sweep sweep.csv --name people"
        args = [*args.split(), "--sweep-people", "exposed", "--out", "cli.html"]
        subprocess.run(run + args, cwd=self.path, check=True, capture_output=True)
        page = dp2dp.Model.load(self.path / "named.json").report(
            self.path / "python.html",
            scores=self.p,
            groups=self.g,
            labels=self.y,
            sweep=self.path / "sweep.csv",
            sweep_people="exposed",
            data_name="people",
            model_name="named.json",
            test_name="test.csv",
            label_name="y",
        )
        self.assertEqual((self.path / "cli.html").read_bytes(), page.html.encode())
        self.assertEqual(
            (self.path / "cli.html").read_bytes(), (self.path / "python.html").read_bytes()
        )
        for name in ("cli.html", "python.html"):
            self.assertEqual(stat.S_IMODE(os.stat(self.path / name).st_mode), 0o600)
        self.assertIn("NOT PRIVATE", Page(page.html).text)

    def test_a_notebook_shows_the_page_in_a_frame_of_its_own(self):
        shown = self.report._repr_html_()
        self.assertIn('sandbox="allow-scripts"', shown)
        self.assertEqual(shown.count("<"), 2)
        self.assertIn("do not publish", repr(self.report))

    def test_without_test_people_nothing_is_exact(self):
        page = self.model.report()
        self.assertFalse(page.exact)
        page.save(self.path / "public.html")
        self.assertEqual(stat.S_IMODE(os.stat(self.path / "public.html").st_mode) & 0o444, 0o444)
        found = Page(page.html)
        self.assertTrue(found.data["publishable"])
        self.assertIn("not measured", found.text)
        self.assertTrue(all(math.isfinite(value) for _, value, _ in found.numbers))

    def test_a_page_with_a_certificate_alone_says_what_is_noisy_and_what_is_missing(self):
        found = Page(self.model.report(certificate=self.path / "certificate.json").html)
        for words in (
            "This page may be published if what it assumes is true",
            "so the counts do not add up to 3,000",
            "counts other people and adds no noise, so its numbers differ.",
            "Rates of each class by group, with the rule.",
            "Not measured here: changed decisions, errors and ties (a report with --test shows",
            "this command computes the bounds again from the certificate's table",
            "dp2dp show model.json: the number is (exp(epsilon) + delta) / (1 + exp(epsilon)), "
            "rounded up.",
        ):
            self.assertIn(words, found.text)
        for words in ("its interval and the people", "before and after the rule", "with intervals"):
            self.assertNotIn(words, found.text)
        bound = found.data["certificate"]["unfairness_upper_strict"]
        shown = f"{math.ceil(1000 * bound) / 10:.1f}"
        path = "/certificate/criteria/0/unfairness_upper_strict"
        self.assertIn((path, bound, shown), found.numbers)
        self.assertIn(f"at most {shown} percentage points", found.text)

    def test_every_link_leads_somewhere(self):
        certified = self.model.report(certificate=self.path / "certificate.json")
        for page in (self.page, Page(certified.html), Page(self.model.report().html)):
            inner = {link[1:] for link in page.links if link.startswith("#")}
            self.assertGreater(len(inner), 3)
            self.assertLessEqual(inner, page.ids)

    def test_bad_input_is_refused(self):
        with self.assertRaisesRegex(dp2dp.OptionError, "labels"):
            self.model.report(scores=self.p, groups=self.g)
        with self.assertRaisesRegex(dp2dp.OptionError, "ids need scores"):
            self.model.report(labels=self.y)
        with self.assertRaisesRegex(dp2dp.OptionError, "other, public or exposed"):
            self.model.report(sweep=self.path / "sweep.csv", data_name="people")
        with self.assertRaisesRegex(dp2dp.DataError, "the model is about"):
            self.model.report(
                sweep=self.path / "sweep.csv", sweep_people="other", data_name="adult"
            )
        with self.assertWarnsRegex(dp2dp.FairnessWarning, "sweep-unchecked"):
            self.model.report(sweep=self.path / "sweep.csv", sweep_people="other")
        other = dp2dp.fit(self.p, self.g, n_groups=2, **BUDGET)
        with self.assertRaisesRegex(dp2dp.DataError, "another model"):
            other.report(certificate=self.path / "certificate.json")


if __name__ == "__main__":
    unittest.main()
