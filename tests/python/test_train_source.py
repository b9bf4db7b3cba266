"""Training from sums over shards gives the model of all rows. Exceptions come out unchanged, and
what goes wrong at the first question is not charged."""

import json
import os
import pickle
import re
import signal
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from contextlib import chdir
from itertools import pairwise
from pathlib import Path

import numpy as np

import dp2dp
from dp2dp import core
from people import BUDGET, SEEDED, categorical, labelled, numeric, schema

JOBS = ["a", "b", "c"]
EDGES = [0, 900, 901, 901, 1499, 1500]  # of the shards; one is empty, and two have one row
SEEDED = dict(SEEDED, steps=60)


def columns(jobs=True, classes=2):
    job = [categorical("job", *JOBS)] if jobs else [dict(name="job", role="ignore")]
    return schema(
        numeric("x0"),
        numeric("x1"),
        *job,
        categorical("s", "f", "m", role="sensitive"),
        categorical("y", *map(str, range(classes)), role="label"),
    )


def people(part=slice(None), classes=2):
    X, y, g = labelled(features=2, classes=classes)
    job = np.random.default_rng(1).integers(0, 3, len(y))
    texts = [(job[part], JOBS), (g[part], ["f", "m"]), (y[part], map(str, range(classes)))]
    return core.Rows(X[part], ["x0", "x1", "job", "s", "y"], texts)


def shards(public, classes=2, **options):
    parts = [slice(*edges) for edges in pairwise(EDGES)]
    return [core.Shard(public, people(part, classes), **options) for part in parts]


class TrainSource(unittest.TestCase):
    def setUp(self):
        os.environ["SOURCE_DATE_EPOCH"] = "1000000000"
        self.public = columns()
        self.shards = shards(self.public)
        self.ledger = dp2dp.Ledger()

    def sum(self, question):
        return sum(shard.sum(question) for shard in self.shards)

    def train(self, function, **options):
        options = {**dict(SEEDED, ledger=self.ledger, records=1500), **options}
        return core.train_source(function, schema=self.public, **options)

    def test_the_lines_of_the_page_train_on_two_files(self):
        page = Path(os.environ["DP2DP_SOURCE_DIR"], "docs", "train.md").read_text(encoding="utf-8")
        (block,) = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
        X, y, g = labelled(features=2)
        sex = np.array(["f", "m"])[g]
        rows = [f"{a!r},{b!r},a,{s},{k}" for (a, b), s, k in zip(X.tolist(), sex, y, strict=True)]
        with tempfile.TemporaryDirectory() as folder, chdir(folder):
            for name, part in (("north", rows[:900]), ("south", rows[900:])):
                Path(f"{name}.csv").write_text("\n".join(["x0,x1,job,s,y", *part, ""]))
            given = dict(core=core, schema=self.public)
            exec(block, given)
        self.assertEqual(given["model"].info["classifier"]["records"], len(y))
        self.assertTrue(given["model"].private)

    def test_the_model_is_that_of_all_rows_to_the_byte(self):
        self.assertEqual([shard.records for shard in self.shards], [900, 1, 0, 598, 1])
        for jobs in (False, True):
            for classes in (2, 3):
                for target in ("label", "group", "group-label"):
                    public = columns(jobs, classes)
                    parts = shards(public, classes, target=target)

                    def ask(question, parts=parts):
                        with ThreadPoolExecutor() as pool:
                            sent = pickle.loads(pickle.dumps(question))
                            return sum(pool.map(lambda shard: shard.sum(sent), parts))

                    whole = core.train(public, people(classes=classes), target=target, **SEEDED)
                    summed = core.train_source(
                        ask, schema=public, records=1500, target=target, **SEEDED
                    )
                    self.assertEqual(summed.to_json(), whole.to_json(), (jobs, classes, target))

    def test_rows_left_out_stay_records(self):
        public = columns()
        public["columns"][2].update(levels=["a"], missing="drop")
        public["missing"] = ["b"]
        whole = core.train(public, people(), **SEEDED)
        self.shards = shards(public)
        self.assertTrue(self.shards[2].leaves_out)
        self.assertEqual(sum(shard.records for shard in self.shards), 1500)
        model = core.train_source(self.sum, schema=public, records=1500, leaves_out=True, **SEEDED)
        self.assertEqual(model.to_json(), whole.to_json())

    def test_bad_rows_are_those_of_a_shard(self):
        rows = core.Rows(
            [[0.0, np.nan], [1.0, 2.0]],
            ["x0", "x1", "job", "s", "y"],
            [([0, 1], JOBS), ([0, 1], ["f", "m"]), ([0, 1], ["0", "1"])],
        )
        with self.assertRaises(dp2dp.DataError):
            core.Shard(self.public, rows)
        shard = core.Shard(self.public, rows, bad_rows="ignore")
        self.assertEqual((shard.records, shard.leaves_out), (2, True))

    def test_an_exception_comes_out_unchanged_and_costs_nothing_at_first(self):
        for when in (1, 7):
            asked = []

            def ask(question, when=when, asked=asked):
                asked.append(question.term)
                if len(asked) == when:
                    raise LookupError("the site is closed")
                return self.sum(question)

            with self.assertRaisesRegex(LookupError, "^'?the site is closed'?$"):
                self.train(ask)
            self.assertEqual(len(asked), when)
            self.assertEqual(len(self.ledger), when > 1)
        self.assertEqual(asked, ["row", *["gradient"] * 6])

    def test_wrong_answers_are_refused_before_the_charge(self):
        def changed(change):
            return lambda question: change(self.sum(question), question)

        for change, words in (
            (lambda s, q: s + self.shards[1].sum(q), "more records"),
            (lambda s, q: s - self.shards[4].sum(q), "fewer records"),
            (lambda s, q: s * 0 + (1 << 62), "its sum is larger"),
            (lambda s, q: s.astype(float), "integers of shape"),
            (lambda s, q: s.astype(np.uint64), "integers of shape"),
            (lambda s, q: s.ravel(), "integers of shape"),
            (lambda s, q: None, "integers of shape"),
        ):
            with self.assertRaisesRegex(dp2dp.DataError, words):
                self.train(changed(change))
        with self.assertRaisesRegex(dp2dp.DataError, "fewer records than it says it has; nothing"):
            self.train(self.sum, records=1501)
        self.assertEqual(len(self.ledger), 0)

    def test_options_are_checked_before_the_first_question(self):
        def never(question):
            self.fail("asked")

        with self.assertRaisesRegex(TypeError, "sum must be a function"):
            self.train(3)
        for options in (dict(method="dpsgd"), dict(epsilon=None), dict(records=0), dict(typo=1)):
            with self.assertRaises((dp2dp.OptionError, TypeError)):
                self.train(never, **options)
        self.ledger.set_budget(0.5, 1e-5)
        with self.assertRaises(dp2dp.BudgetError):
            self.train(never)

    def test_a_question_for_another_schema_is_refused(self):
        other = shards(columns(jobs=False))
        with self.assertRaisesRegex(dp2dp.OptionError, "does not fit the schema"):
            self.train(other[0].sum)
        self.assertEqual(len(self.ledger), 0)

    def test_ctrl_c_stops_training(self):
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            timer.start()
            self.train(self.sum, steps=1_000_000)
        timer.cancel()
        self.assertLess(time.monotonic() - start, 20)

    def test_warnings_and_secure_noise_are_those_of_training(self):
        with self.assertWarns(dp2dp.PrivacyWarning):
            self.assertFalse(self.train(self.sum).private)
        model = core.train_source(self.sum, schema=self.public, records=1500, **BUDGET)
        self.assertTrue(model.private)
        self.assertEqual(json.loads(model.to_json())["phase1"]["records"], 1500)


if __name__ == "__main__":
    unittest.main()
