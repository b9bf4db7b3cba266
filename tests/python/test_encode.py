"""Schema.encode gives the numbers that training and scoring use."""

import csv
import os
import subprocess
import tempfile
import unittest

import numpy as np
import pandas as pd
import pyarrow

import dp2dp
from dp2dp import core
from people import categorical, numeric, schema

PROGRAM = os.environ.get("DP2DP")
DATA = os.environ.get("DP2DP_DATA")


def people(n=20000, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "a": rng.normal(size=n) * 3,
            "job": rng.choice(["clerk", "smith", "baker"], n),
            "sex": rng.choice(["f", "m"], n),
            "paid": rng.choice(["no", "yes"], n),
        }
    )


def described(**options):
    text = schema(
        numeric("a") | {"centre": 1, "scale": 2},
        categorical("job", "clerk", "smith") | {"unknown": "level"},
        categorical("sex", "f", "m", role="sensitive"),
        categorical("paid", "no", "yes", role="label"),
    )
    return core.Schema(text | options)


def by_hand(frame, norm):
    """The features of described(), from docs/schema.md."""
    known = [(frame["job"] == name).to_numpy(float) for name in ("clerk", "smith")]
    number = (frame["a"].clip(-4, 4).to_numpy() - 1) / 2
    x = np.column_stack([number, *known, 1 - sum(known)])
    return x * np.minimum(1, norm / np.linalg.norm(x, axis=1))[:, None]


class Encode(unittest.TestCase):
    def setUp(self):
        self.frame = people()

    def test_features_labels_and_groups_are_those_of_the_documents(self):
        for norm in (1.2, 30.0):
            found = described(norm=norm).encode(self.frame)
            np.testing.assert_allclose(found.features, by_hand(self.frame, norm), rtol=2e-6)
            self.assertEqual(found.features.dtype, np.float32)
        np.testing.assert_array_equal(found.labels, self.frame["paid"] == "yes")
        np.testing.assert_array_equal(found.groups, self.frame["sex"] == "m")
        np.testing.assert_array_equal(found.rows, np.arange(len(self.frame)))
        self.assertIsNone(found.left_out)

    def test_features_times_weights_are_the_scores(self):
        given = described(norm=1.5)
        weights = np.random.default_rng(1).normal(size=(2, given.width + 1))
        model = dp2dp.train(given, method="external", weights=weights)
        scored = core.score(model, self.frame, labels=True, groups=True)
        found = given.encode(self.frame)
        logits = found.features @ weights[:, :-1].T + weights[:, -1]
        p = np.exp(logits - logits.max(axis=1, keepdims=True))
        np.testing.assert_allclose(scored.scores, p / p.sum(axis=1, keepdims=True), atol=1e-5)
        np.testing.assert_array_equal(scored.labels, found.labels)
        np.testing.assert_array_equal(scored.groups, found.groups)

    def test_rows_that_are_left_out_are_marked_and_stay_in_place(self):
        text = schema(
            numeric("a"),
            categorical("job", "clerk", "smith", "baker") | {"missing": "drop"},
            categorical("paid", "no", "yes", role="label"),
        )
        self.frame.loc[[3, 9000], "job"] = None
        table = pyarrow.Table.from_pandas(self.frame)
        found = core.Schema(text).encode(table)
        self.assertEqual(np.flatnonzero(found.left_out).tolist(), [3, 9000])
        self.assertTrue(np.isnan(found.features[[3, 9000]]).all())
        self.assertTrue(np.isfinite(found.features[~found.left_out]).all())
        self.assertEqual(found.labels[[3, 9000]].tolist(), [-1, -1])
        self.assertIsNone(found.groups)
        whole = core.Schema(text).encode(self.frame.assign(job="clerk"))
        self.assertFalse(whole.left_out.any())

    def test_bad_rows_are_refused_or_left_out(self):
        self.frame.loc[5, "paid"] = "perhaps"
        with self.assertRaisesRegex(dp2dp.DataError, 'column "paid"'):
            described().encode(self.frame)
        found = described().encode(self.frame, bad_rows="ignore")
        self.assertEqual(np.flatnonzero(found.left_out).tolist(), [5])
        self.assertEqual((found.labels[5], found.groups[5]), (-1, -1))
        with self.assertRaisesRegex(dp2dp.OptionError, "bad_rows"):
            described().encode(self.frame, bad_rows="drop")

    def test_columns_that_are_not_asked_for_may_be_absent(self):
        new = self.frame[["a", "job"]]
        found = described().encode(new, labels=False, groups=False)
        self.assertIsNone(found.labels)
        self.assertIsNone(found.groups)
        with self.assertRaisesRegex(dp2dp.DataError, "paid"):
            described().encode(new, groups=False)

    def test_only_numbers_only_levels_and_no_rows(self):
        numbers = core.Schema(schema(numeric("a")))
        levels = core.Schema(schema(categorical("job", "clerk", "smith", "baker")))
        self.assertEqual(numbers.encode(self.frame).features.shape, (20000, 1))
        np.testing.assert_array_equal(levels.encode(self.frame).features.sum(axis=1), 1)
        empty = described().encode(self.frame[:0])
        self.assertEqual((empty.features.shape, len(empty.labels)), ((0, 4), 0))

    @unittest.skipUnless(PROGRAM and DATA, "needs the program and the data sets")
    def test_data_sets_have_the_rows_of_run(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        for name in ("adult", "parkinsons"):
            table = os.path.join(folder, f"{name}.csv")
            subprocess.run([PROGRAM, "data", name, "--out", table], check=True, capture_output=True)
            saved = os.path.join(folder, name)
            words = ["--schema", name, "--method", "none", "--solver", "exact", "--save", saved]
            subprocess.run([PROGRAM, "run", *words], check=True, capture_output=True)
            given = core.Schema(name)
            found = given.encode(table)
            with open(os.path.join(saved, "run-0.csv"), encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
            at = [int(row["row"]) for row in rows]
            kept = np.arange(len(found.rows)) if found.left_out is None else ~found.left_out
            np.testing.assert_array_equal(at, found.rows[kept])
            classes, groups = np.array(given.classes), np.array(given.groups)
            np.testing.assert_array_equal(classes[found.labels[at]], [r["label"] for r in rows])
            np.testing.assert_array_equal(groups[found.groups[at]], [r["group"] for r in rows])
            norms = np.linalg.norm(found.features[at], axis=1)
            self.assertLessEqual(norms.max(), given.norm * (1 + 1e-6))


if __name__ == "__main__":
    unittest.main()
