"""A model explains itself in Python with the words of ``dp2dp show``."""

import os
import pickle
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
import pyarrow as pa

import dp2dp
from people import BUDGET, SCHEMA, fitted, labelled, scores

PROGRAM = os.environ["DP2DP"]
SOURCE = Path(os.environ["DP2DP_SOURCE_DIR"])
REFUSED = [f"model-{version}-dithered.json" for version in ("1.0", "1.1", "2.0")]


def shown(path):
    """What the program prints about a model file."""
    found = subprocess.run([PROGRAM, "show", path], capture_output=True, check=True)
    return found.stdout.decode()


def classifier(**options):
    X, y, _ = labelled(n=400, features=1)
    rows = pa.table({"a": X[:, 0] / 8 + 0.5, "y": np.array(["n", "y"])[y]})
    return dp2dp.train(SCHEMA, rows, **options)


class Explanations(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def assert_shown(self, model):
        path = self.folder / "a model.json"
        model.save(path)
        text = shown(path)
        self.assertEqual(dp2dp.Model.load(path).explain(), text)
        self.assertEqual(model.explain(name=str(path)), text)
        return text

    def test_the_text_is_what_the_program_prints(self):
        p, g = scores()
        three, of_four = scores(classes=3, groups=4)
        labels = (p[:, 1] > 0.5).astype(int)
        names = dict(group_names=["f", "a \x1b[31m long nämé"], n_groups=None)
        for words, options in (
            ("within 0.05 (rho 0.05,", dict(names, rho=0.05)),
            ("solver exact", dict(solver="exact", epsilon=None, delta=None, insecure_seed=None)),
            ("NOT PRIVATE: no noise was added", dict(epsilon=np.inf)),
            ("solver sgd", dict(solver="sgd", steps=20)),
            ("by the paper's own accounting", dict(solver="sgd-as-published", steps=20)),
            ("checked the declared privacy costs", dict(scores_epsilon=1, scores_delta=1e-6)),
            ("a multiple of 1/128", dict(grid=7)),
            ("a public random number", dict(labels=labels, criterion="equalized_odds", **names)),
            ("sees the group", dict(labels=labels, criterion="equal_opportunity")),
            ("does not see the group", dict(weights=np.stack([0.9 - 0.8 * g, 0.1 + 0.8 * g], 1))),
        ):
            with self.subTest(words):
                self.assertIn(words, self.assert_shown(fitted(p, g, **options)))
        self.assertIn("adds these numbers", self.assert_shown(fitted(three, of_four, n_groups=4)))

    def test_classifiers_and_what_is_fitted_to_them_are_explained_too(self):
        for options in (BUDGET, dict(method="none"), dict(method="output", **BUDGET)):
            with self.subTest(options):
                self.assertIn(", a classifier\n", self.assert_shown(classifier(**options)))

    def test_old_files_are_explained_as_the_program_does(self):
        files = sorted((SOURCE / "tests/golden").glob("model-*.json"))
        self.assertGreater(len(files), 9)
        for path in files:
            with self.subTest(path.name):
                if path.name in REFUSED:
                    with self.assertRaisesRegex(dp2dp.DataError, "fit the rule again"):
                        dp2dp.Model.load(path)
                    continue
                text = dp2dp.Model.load(path).explain()
                self.assertEqual(text, shown(path))
                self.assertIn("of version 1", text)

    def test_estimators_explain_their_model(self):
        X, y, g = labelled()
        estimator = dp2dp.DP2DPClassifier(epsilon=1, delta=1e-5, insecure_seed=3)
        with self.assertRaisesRegex(Exception, "not fitted"):
            estimator.explain()
        estimator.fit(X, y, sensitive_features=g)
        text = self.assert_shown(estimator.model_)
        self.assertEqual(text.partition(", a ")[2], estimator.explain().partition(", a ")[2])
        self.assertIn("What changes for which group", text)

    def test_a_model_that_was_not_loaded_is_called_this_model(self):
        model = fitted(*scores())
        self.assertIn("\nthis model, a fair rule for scores\n", model.explain())
        path = self.folder / "m.json"
        model.save(path)
        loaded = dp2dp.Model.load(path)
        self.assertIn("\nm, a fair rule", loaded.explain(name="m"))
        self.assertIn("\nthis model, ", pickle.loads(pickle.dumps(loaded)).explain())

    def test_a_path_that_is_not_utf_8_is_readable(self):
        path = os.fsencode(self.folder) + b"/\xff.json"
        fitted(*scores()).save(path)
        self.assertIn("/\ufffd.json, a fair rule", dp2dp.Model.load(path).explain())

    def test_a_name_must_be_text(self):
        model = fitted(*scores())
        for name in (3, b"m", "a\0b"):
            with self.assertRaises((TypeError, ValueError)):
                model.explain(name=name)


if __name__ == "__main__":
    unittest.main()
