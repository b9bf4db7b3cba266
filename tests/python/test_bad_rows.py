"""Bad rows that are ignored are records that add nothing: apart from noisy values, no result or
warning tells whether there is one. Scores of raw rows count the records that a schema leaves
out."""

import json
import os
import re
import subprocess
import tempfile
import unittest
import warnings

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import dp2dp
from dp2dp import DP2DPClassifier, FairPostProcessor, PrivateLogisticRegression, core
from people import SEEDED, categorical, fitted, labelled, numeric, schema, scores

PROGRAM = os.environ.get("DP2DP", "dp2dp")
IGNORE = dict(bad_rows="ignore")
SCHEMA = schema(
    numeric("a"),
    categorical("y", "0", "1", role="label"),
    categorical("g", "f", "m", role="sensitive"),
)


def seen(model):
    """Everything in a model but its noisy values."""
    facts = json.loads(model.to_json())
    del facts["checksum"]
    (facts["phase1"] or {}).pop("weights", None)
    for name in ("offsets", "shares"):
        (facts["rule"] or {}).pop(name, None)
    return facts


def shown(call, *people, **options):
    """A model, what it shows, and the warnings without noisy counts."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = call(*people, **options)
    told = [re.sub(r"about \d+ people", "about N people", str(w.message)) for w in caught]
    return model, [seen(model), repr(model), told]


class Core(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.p, self.g = scores()

    def bad_scores(self):
        for row in ([np.nan, 1], [1.5, -0.5], [0.7, 0.7], [70, 30], [np.inf, 0], [0, 0]):
            p = self.p.copy()
            p[1234] = row
            yield p, self.g
        for code in (-1, 2, -(2**31)):
            g = self.g.copy()
            g[1234] = code
            yield self.p, g

    def test_a_bad_row_of_scores_shows_nowhere(self):
        for solver in ("counts", "sgd"):
            options = dict(solver=solver, **IGNORE)
            sound, expected = shown(fitted, self.p, self.g, **options)
            self.assertTrue(sound.info["leaves_out"])
            for p, g in self.bad_scores():
                with self.assertRaises(dp2dp.DataError):
                    fitted(p, g, solver=solver)
                model, found = shown(fitted, p, g, **options)
                self.assertEqual(found, expected)
                self.assertEqual(model.records, 2000)

    def test_a_missing_value_of_any_kind_shows_nowhere(self):
        at = 1234
        for kind in (np.float32, np.float64):
            p = self.p.astype(kind)
            expected = shown(fitted, p, self.g, **IGNORE, score_columns=["a", "b"])[1]
            frame = pd.DataFrame(p, columns=["a", "b"])
            nullable = frame.astype(
                {"a": "Float32", "b": "Float32"} if kind == np.float32 else "Float64"
            )
            group = pd.Series(self.g)
            mask = np.zeros(p.shape, dtype=bool)
            nullable.loc[at, "a"] = pd.NA
            mask[at, 0] = True
            sparse = group.astype("Int32")
            sparse[at] = pd.NA
            floats = self.g.astype(float)
            floats[at] = np.nan
            for scores_, groups in (
                (frame, group),
                (nullable, group),
                (np.ma.masked_array(p, mask), self.g),
                (p, sparse),
                (p, floats),
                (p, np.where(np.arange(2000) == at, np.int64(2**40), self.g)),
            ):
                model, found = shown(fitted, scores_, groups, **IGNORE, score_columns=["a", "b"])
                self.assertEqual(found, expected)
                free = dict(epsilon=None, delta=None, solver="exact", **IGNORE)
                exact = fitted(scores_, groups, **free)
                same = fitted(p, np.where(np.arange(2000) == at, -1, self.g), **free)
                if scores_ is not frame:
                    np.testing.assert_array_equal(exact.offsets, same.offsets)

    def test_without_noise_the_rule_is_that_of_the_others(self):
        keep = np.arange(2000) != 1234
        others = fitted(self.p[keep], self.g[keep], solver="exact", epsilon=None, delta=None)
        for p, g in self.bad_scores():
            model = fitted(p, g, solver="exact", epsilon=None, delta=None, **IGNORE)
            np.testing.assert_array_equal(model.offsets, others.offsets)

    def test_a_fit_and_a_certificate_that_leave_most_people_out_say_so(self):
        nobody = np.full_like(self.g, -1)
        with self.assertWarnsRegex(dp2dp.FairnessWarning, "most-left-out: according to the"):
            model = core.fit(self.p, nobody, n_groups=2, **SEEDED, **IGNORE)
        self.assertIn("most-left-out", model.warnings)
        self.assertNotIn("ties", model.warnings)
        with self.assertWarnsRegex(dp2dp.FairnessWarning, "most-left-out: according to the"):
            found = dp2dp.certify(model, self.p, nobody, **SEEDED, **IGNORE)
        self.assertIn("most-left-out", found.warnings)
        self.assertNotIn("most-left-out", fitted(self.p, self.g, **IGNORE).warnings)

    def test_a_certificate_does_not_tell(self):
        model = fitted(self.p, self.g)
        options = dict(epsilon=1, delta=1e-5, insecure_seed=3, **IGNORE)
        noisy = ("unfairness_upper", "unfairness_upper_strict", "table", "checksum")

        def certified(p, g):
            facts = dict(vars(dp2dp.certify(model, p, g, **options)))
            file = json.loads(facts.pop("text"))
            facts["criteria"] = sorted(facts["criteria"])  # their bounds are noisy too
            for known in (facts, file):
                for name in noisy:
                    known.pop(name, None)
            return {**facts, "file": file}

        sound = certified(self.p, self.g)
        self.assertTrue(sound["file"]["leaves_out"])
        for p, g in self.bad_scores():
            with self.assertRaises(dp2dp.DataError):
                dp2dp.certify(model, p, g, epsilon=1, delta=1e-5)
            self.assertEqual(certified(p, g), sound)

    def test_words_and_solvers_that_cannot_are_refused(self):
        for call in (
            lambda: fitted(self.p, self.g, bad_rows="drop"),
            lambda: fitted(self.p, self.g, solver="sgd-as-published", **IGNORE),
            lambda: PrivateLogisticRegression(**SEEDED, bad_rows="drop").fit(self.p, self.g),
        ):
            with self.assertRaises(dp2dp.OptionError):
                call()

    def write(self, name, row, count=2000):
        X, y, g = labelled(count, features=1)
        rows = [f"{a!r},{b},{'fm'[c]}" for a, b, c in zip(X[:, 0].tolist(), y, g, strict=True)]
        rows[1234] = row if row else rows[1234]
        path = os.path.join(self.folder, name)
        with open(path, "wb") as stream:
            stream.write("\n".join(["a,y,g", *rows, ""]).encode("latin-1"))
        return path

    def pipeline(self, path, **options):
        """A classifier and a rule from the rows of a table."""
        classifier = dp2dp.train(options.pop("schema", SCHEMA), path, **SEEDED, **options)
        scored = core.score(classifier, path, labels=True, groups=True, **options)
        self.assertEqual(len(scored.scores), 2000)
        model = dp2dp.fit(
            scored.scores,
            scored.groups,
            group_names=["f", "m"],
            group_column="g",
            base=classifier,
            leaves_out=scored.left_out is not None,
            **SEEDED,
        )
        return classifier, model, scored

    def test_a_bad_row_of_a_table_shows_nowhere(self):
        sound = self.pipeline(self.write("sound.csv", None), **IGNORE)
        self.assertFalse(sound[2].left_out.any())
        for row in ("x,1,f", ",1,f", "1e999,1,f", "1,2,f", "1,1,\xe9", "1,,f"):
            path = self.write("bad.csv", row)
            with self.assertRaises(dp2dp.DataError):
                self.pipeline(path)
            found = self.pipeline(path, **IGNORE)
            for model, other in zip(found[:2], sound[:2], strict=True):
                self.assertEqual(seen(model), seen(other))
            scored = found[2]
            self.assertEqual(np.flatnonzero(scored.left_out).tolist(), [1234])
            self.assertTrue(np.isnan(scored.scores[1234]).all())
            self.assertEqual((scored.labels[1234], scored.groups[1234]), (-1, -1))

    def test_damage_to_the_file_is_refused(self):
        for row in ("1,1", "1,1,f,2", '1,1,"f', ""):
            with self.assertRaises(dp2dp.DataError):
                dp2dp.train(SCHEMA, self.write("bad.csv", row or "\n"), **SEEDED, **IGNORE)

    def program(self, *arguments):
        budget = ["--epsilon", "1", "--delta", "1e-5", "--insecure-seed", "1"]
        run = subprocess.run([PROGRAM, *arguments, *budget], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_a_row_that_the_schema_leaves_out_counts_as_in_the_program(self):
        drop = schema({**SCHEMA["columns"][0], "missing": "drop"}, *SCHEMA["columns"][1:])
        drop["missing"] = ["?"]
        names = [os.path.join(self.folder, name) for name in ("s.json", "c.json", "m.json")]
        with open(names[0], "w") as file:
            json.dump(drop, file)
        for row, options in (("?,1,f", {}), (None, {}), ("x,1,f", IGNORE)):
            table = self.write("t.csv", row)
            words = ["--force", *(["--bad-rows", "ignore"] if options else [])]
            self.program("train", table, "--schema", names[0], "--out", names[1], *words)
            self.program("fit", table, "--model", names[1], "--out", names[2], *words)
            classifier, model, scored = self.pipeline(table, schema=drop, **options)
            self.assertEqual(model.records, 2000)
            self.assertEqual(scored.left_out.sum(), row is not None)
            for ours, name in ((classifier, names[1]), (model, names[2])):
                with open(name, encoding="utf-8") as file:
                    self.assertEqual(ours.to_json(), file.read())

    def test_a_row_that_is_left_out_gets_no_decision(self):
        classifier, model, scored = self.pipeline(self.write("bad.csv", "x,1,f"), **IGNORE)
        with self.assertRaises(dp2dp.DataError):
            model.predict(scored.scores, scored.groups)
        kept = ~scored.left_out
        self.assertEqual(len(model.predict(scored.scores[kept], scored.groups[kept])), 1999)

    def test_where_nothing_can_be_left_out_nothing_is(self):
        classifier, model, scored = self.pipeline(self.write("sound.csv", None))
        self.assertIsNone(scored.left_out)
        self.assertFalse(model.info["leaves_out"])


class Estimators(unittest.TestCase):
    def setUp(self):
        self.X, self.y, self.g = labelled(2000)
        self.public = dict(**SEEDED, classes=[0, 1])
        self.both = dict(**self.public, groups=[0, 1])

    def bad(self):
        """What is bad, and X, y and groups with bad rows in both parts."""
        for value in (np.nan, np.inf):
            X = self.X.copy()
            X[:30, 2] = value
            yield "X", (X, self.y, self.g)
        for value in (np.nan, 2, 0.5):
            y, g = self.y.astype(float), self.g.astype(float)
            y[:30] = g[:30] = value
            yield "y", (self.X, y, self.g)
            yield "g", (self.X, self.y, g)
        for value in (None, "x"):
            y, g = self.y.astype(object), self.g.astype(object)
            y[:30] = g[:30] = value
            yield "y", (self.X, y, self.g)
            yield "g", (self.X, self.y, g)

    def test_a_certificate_of_an_estimator_leaves_bad_rows_out(self):
        both = dp2dp.DP2DPClassifier(**self.both, **IGNORE)
        both.fit(self.X, self.y, sensitive_features=self.g)
        X = self.X.copy()
        X[7, 2] = np.nan
        shows, spent = [], dict(epsilon=1, delta=1e-5, insecure_seed=3)
        for rows in (self.X, X):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                found = both.certify(
                    rows,
                    sensitive_features=self.g,
                    epsilon=1,
                    delta=1e-5,
                    insecure_seed=3,
                )  # bad_rows is that of the estimator
            self.assertEqual(found.records, 2000)
            shows.append([str(w.message) for w in caught])
        self.assertEqual(shows[0], shows[1])
        with self.assertRaisesRegex(ValueError, "NaN"):
            both.certify(X, sensitive_features=self.g, **spent, bad_rows="refuse")

    def alike(self, make, fit, which):
        """The model of `make(bad_rows=...)` shows the same with and without bad rows."""

        def model_of(*data):
            return fit(make(**IGNORE), *data).model_

        data = (self.X, self.y, self.g)
        _, expected = shown(model_of, *data)
        for what, data in self.bad():
            if what not in which:
                continue
            with self.subTest(what), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with self.assertRaises((ValueError, TypeError)):
                    fit(make(), *data)
                _, found = shown(model_of, *data)
                self.assertEqual(found, expected)

    def test_a_private_classifier(self):
        def make(method):
            return lambda **o: PrivateLogisticRegression(
                bounds=(-4, 4), method=method, **self.public, **o
            )

        for method in ("dpgd", "dpsgd", "output"):
            self.alike(make(method), lambda e, X, y, g: e.fit(X, y), "Xy")

    def test_both_phases(self):
        self.alike(
            lambda **o: DP2DPClassifier(bounds=(-4, 4), **self.both, **o),
            lambda e, X, y, g: e.fit(X, y, sensitive_features=g),
            "Xyg",
        )

    def test_groups_from_cuts(self):
        public = dict(**self.public, sensitive_column=2, sensitive_cuts=[0.0])
        self.alike(
            lambda **o: DP2DPClassifier(bounds=(-4, 4), **public, **o),
            lambda e, X, y, g: e.fit(X, y),
            "X",
        )

    def test_several_sensitive_columns(self):
        public = dict(**self.public, groups=["0,a", "0,b", "1,a", "1,b"])
        other = np.where(self.X[:, 0] > 0, "a", "b").astype(object)

        def fit(estimator, X, y, g):
            whole = [int(a) if a in (0, 1) else a for a in g.tolist()]
            columns = np.stack([np.array(whole, dtype=object), other], axis=1)
            return estimator.fit(X, y, sensitive_features=columns)

        self.alike(lambda **o: DP2DPClassifier(bounds=(-4, 4), **public, **o), fit, "g")

    def test_a_rule_for_another_classifier(self):
        public = dict(**self.both, estimator=LogisticRegression().fit(self.X, self.y), prefit=True)
        self.alike(
            lambda **o: FairPostProcessor(**public, **o),
            lambda e, X, y, g: e.fit(X, sensitive_features=g),
            "g",
        )

    def test_the_lists_must_be_public(self):
        for name, estimator in (
            ("classes", PrivateLogisticRegression(bounds=(-4, 4), **SEEDED, **IGNORE)),
            ("classes", DP2DPClassifier(bounds=(-4, 4), groups=[0, 1], **SEEDED, **IGNORE)),
            ("groups", DP2DPClassifier(bounds=(-4, 4), **self.public, **IGNORE)),
        ):
            people = {"sensitive_features": self.g} if hasattr(estimator, "groups") else {}
            with self.assertRaisesRegex(dp2dp.OptionError, f"needs the public list {name}"):
                estimator.fit(self.X, self.y, **people)


class Mixed(unittest.TestCase):
    def test_a_text_among_numbers_is_a_bad_row_and_otherwise_refused_without_showing_it(self):
        X = pd.DataFrame({"age": [30.0, 40.0] * 50}).astype(object)
        X.loc[7, "age"] = "secret-value"
        bounds = dict(epsilon=1, delta=1e-5, bounds=(0, 100), classes=[0, 1])
        for kind, more, groups in (
            (PrivateLogisticRegression, {}, {}),
            (DP2DPClassifier, {"groups": ["f", "m"]}, {"sensitive_features": ["f", "m"] * 50}),
        ):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                kind(**bounds, **more, **IGNORE).fit(X, [0, 1] * 50, **groups)
            with self.assertRaises(dp2dp.DataError) as raised:
                kind(**bounds, **more).fit(X, [0, 1] * 50, **groups)
            self.assertNotIn("secret", str(raised.exception))
            self.assertIsNone(raised.exception.__cause__)


if __name__ == "__main__":
    unittest.main()
