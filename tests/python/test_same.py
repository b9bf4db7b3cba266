"""With equal inputs and insecure seeds, Python and the command line write the same model file."""

import csv
import json
import os
import subprocess
import tempfile
import unittest

import numpy as np
import pandas as pd

import dp2dp
from dp2dp import DP2DPClassifier, core
from people import BUDGET, categorical, labelled, numeric, schema, scores

PROGRAM = os.environ.get("DP2DP", "dp2dp")
SCHEMA = schema(
    numeric("a"),
    numeric("b"),
    categorical("y", "0", "1", role="label"),
    categorical("g", "f", "m", role="sensitive"),
)


class Same(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def path(self, name):
        return os.path.join(self.folder, name)

    def program(self, *arguments):
        run = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def write(self, name, header, rows):
        with open(self.path(name), "w", newline="") as file:
            table = csv.writer(file)
            table.writerow(header)
            table.writerows(rows)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def test_rules_are_the_same_to_the_byte(self):
        p, g = scores(3000, classes=3, groups=3)
        rows = [[*map(repr, row.tolist()), "abc"[code]] for row, code in zip(p, g, strict=True)]
        table = self.write("scores.csv", ["p0", "p1", "p2", "group"], rows)
        budget = ["--epsilon", "1", "--delta", "1e-5"]
        for solver, spent in (("counts", budget), ("sgd", budget), ("exact", [])):
            self.program(
                "fit", table, "--scores", "p0,p1,p2", "--sensitive", "group", "--groups", "a,b,c",
                "--rho", "0.02", "--solver", solver, *spent, "--insecure-seed", "5",
                "--out", self.path(solver + ".json"),
            )  # fmt: skip
            model = dp2dp.fit(
                p,
                g,
                group_names=["a", "b", "c"],
                score_columns=["p0", "p1", "p2"],
                group_column="group",
                solver=solver,
                rho=0.02,
                **(dict(BUDGET, insecure_seed=5) if spent else {}),
            )
            self.assertEqual(model.to_json(), self.read(solver + ".json"))

    def test_rules_of_every_criterion_are_the_same_to_the_byte(self):
        p, g = scores(3000)
        rng = np.random.default_rng(0)
        y = (rng.random(3000) < p[:, 1]).astype(int)
        w = rng.dirichlet(np.ones(4), 3000)
        ids = [f"person {i % 900}" for i in range(3000)]
        header = ["p0", "p1", "group", "y", "id", "w0", "w1", "w2", "w3"]
        cells = zip(p.tolist(), g, y, ids, w.tolist(), strict=True)
        rows = [[*map(repr, a), "ab"[b], c, d, *map(repr, e)] for a, b, c, d, e in cells]
        table = self.write("scores.csv", header, rows)
        columns = header[-4:]
        unaware = ["--unaware", "--group-scores", ",".join(columns)]
        for criterion, words, options, given in (
            ("equalized_odds", [], {}, {}),
            ("equal_opportunity", ["--positive", "0"], dict(positive=0), {}),
            ("predictive_equality", [], {}, {}),
            ("equalized_odds", ["--dither", "0"], dict(dither=0), {}),
            ("equalized_odds", ["--counted", "scores"], dict(counted="scores", labels=None), {}),
            (
                "equalized_odds",
                ["--dither-key", "id", "--id", "id"],
                dict(dither_key="id", ids=ids),
                dict(ids=ids),
            ),
            (
                "equalized_odds",
                unaware,
                dict(weights=w, weight_columns=columns),
                dict(weights=w),
            ),
        ):
            with self.subTest(criterion=criterion, words=words):
                path = self.path("model.json")
                label = [] if "--counted" in words else ["--label", "y"]
                self.program(
                    "fit", table, "--scores", "p0,p1", "--sensitive", "group", "--groups", "a,b",
                    "--criterion", criterion, *label, *words, "--epsilon", "1", "--delta", "1e-5",
                    "--insecure-seed", "5", "--out", path,
                )  # fmt: skip
                model = dp2dp.fit(
                    p,
                    g,
                    group_names=["a", "b"],
                    score_columns=["p0", "p1"],
                    group_column="group",
                    criterion=criterion,
                    **{**BUDGET, "insecure_seed": 5, "labels": y, **options},
                )
                self.assertEqual(model.to_json(), self.read("model.json"))
                found = ["--id", "id"] if "ids" in given else []
                decisions = self.program("predict", path, table, *found).split()[1:]
                groups = None if "weights" in given else g
                codes = model.predict(p, groups, **given)
                self.assertEqual(decisions, [str(k) for k in codes])
                os.remove(path)

    def pipeline(self, rows, pool):
        """Trains a classifier and fits a rule in Python."""
        options = dict(**BUDGET, insecure_seed=3)
        classifier = dp2dp.train(SCHEMA, rows, **options)
        scored = core.score(classifier, pool, groups=True)
        return classifier, dp2dp.fit(
            scored.scores,
            scored.groups,
            group_names=["f", "m"],
            group_column="g",
            base=classifier,
            **options,
        )

    def test_classifiers_and_pipelines_are_the_same_to_the_byte(self):
        X, y, g = labelled(1200, features=2)
        header = ["a", "b", "y", "g"]
        people = zip(X.tolist(), y, g, strict=True)
        cells = [[repr(a), repr(b), str(c), "fm"[d]] for (a, b), c, d in people]
        table = self.write("train.csv", header, cells[:800])
        pool = self.write("pool.csv", header, cells[800:])
        with open(self.path("schema.json"), "w") as file:
            json.dump(SCHEMA, file)
        budget = ["--epsilon", "1", "--delta", "1e-5", "--insecure-seed", "3"]
        self.program(
            "train", table, "--schema", self.path("schema.json"), *budget,
            "--out", self.path("classifier.json"),
        )  # fmt: skip
        self.program(
            "fit", pool, "--model", self.path("classifier.json"), *budget,
            "--out", self.path("model.json"),
        )  # fmt: skip
        texts = [(y, ["0", "1"]), (g, ["f", "m"])]

        def rows(part):
            return core.Rows(X[part], header, [(codes[part], names) for codes, names in texts])

        first, second = slice(None, 800), slice(800, None)
        for given in ((table, pool), (rows(first), rows(second))):
            classifier, model = self.pipeline(*given)
            self.assertEqual(classifier.to_json(), self.read("classifier.json"))
            self.assertEqual(model.to_json(), self.read("model.json"))
            model.save(self.path("python.json"))
            decisions = self.program("predict", self.path("python.json"), pool).split()[1:]
            scored = core.score(model, pool, groups=True)
            codes = model.predict(scored.scores, scored.groups)
            self.assertEqual(decisions, [model.classes[code] for code in codes])

    def test_the_program_decides_as_the_estimator_that_saved_the_model(self):
        X, y, g = labelled(1500, features=2)
        frame = pd.DataFrame({"a": X[:, 0], "sex": np.where(g == 1, "m", "f"), "b": X[:, 1]})
        frame["age"] = np.arange(1500) % 70
        table = self.path("people.csv")
        frame.to_csv(table, index=False)
        options = dict(**BUDGET, insecure_seed=3, bounds=(-4, 4), classes=[0, 1])
        for whole, people in (
            (DP2DPClassifier(groups=["f", "m"], sensitive_column="sex", **options), "a sex b"),
            (DP2DPClassifier(sensitive_cuts=[30], sensitive_column="age", **options), "a b age"),
            (
                DP2DPClassifier(
                    groups=["f", "m"],
                    sensitive_column="sex",
                    constraints="equalized_odds",
                    **options,
                ),
                "a sex b",
            ),
            (
                DP2DPClassifier(
                    groups=["f", "m"],
                    sensitive_column="sex",
                    constraints="equal_opportunity",
                    unaware=True,
                    **options,
                ),
                "a sex b",
            ),
        ):
            part = frame[people.split()]
            whole.fit(part, y).save(self.path("whole.json"))
            decisions = self.program("predict", self.path("whole.json"), table).split()[1:]
            self.assertEqual(decisions, [str(k) for k in whole.predict(part)])
            if whole.unaware:
                frame.drop(columns="sex").to_csv(self.path("without.csv"), index=False)
                without = self.path("whole.json"), self.path("without.csv")
                self.assertEqual(self.program("predict", *without).split()[1:], decisions)
            os.remove(self.path("whole.json"))
