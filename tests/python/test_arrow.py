"""Rows of other libraries come through the Arrow stream interface, where they are installed."""

import importlib.util
import os
import tempfile
import unittest

import numpy as np
import pandas as pd

import dp2dp
from dp2dp import core
from people import labelled

HAS_PYARROW = importlib.util.find_spec("pyarrow") is not None
HAS_POLARS = importlib.util.find_spec("polars") is not None
SCHEMA = {
    "format": "dp2dp-schema",
    "version": {"major": 1, "minor": 0},
    "origin": "public",
    "columns": [
        {"name": "a", "role": "feature", "kind": "numeric", "lower": -4, "upper": 4},
        {"name": "job", "role": "feature", "kind": "categorical", "levels": ["clerk", "smith"]},
        {"name": "paid", "role": "label", "kind": "categorical", "levels": ["no", "yes"]},
    ],
}


class Streams(unittest.TestCase):
    def setUp(self):
        X, y, g = labelled(20000)
        self.frame = pd.DataFrame(
            {
                "a": X[:, 0],
                "job": np.where(g == 1, "clerk", "smith"),
                "paid": np.where(y == 1, "yes", "no"),
            }
        )
        texts = [(1 - g, ["clerk", "smith"]), (y, ["no", "yes"])]
        self.rows = core.Rows(X[:, :1], ["a", "job", "paid"], texts)
        self.expected = self.trained(self.rows)

    def trained(self, rows):
        return dp2dp.train(SCHEMA, rows, epsilon=1, delta=1e-5, insecure_seed=1).to_json()

    def test_a_file_is_the_same_as_arrays(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "people.csv")
            self.frame.to_csv(path, index=False)
            self.assertEqual(self.trained(path), self.expected)

    def test_scores_come_in_the_order_of_the_rows(self):
        model = dp2dp.Model.from_json(self.expected)
        scored = core.score(model, self.rows, labels=True)
        np.testing.assert_array_equal(scored.rows, np.arange(20000))
        np.testing.assert_array_equal(scored.labels, self.frame["paid"] == "yes")
        one = core.Rows(
            self.rows.matrix[12345:12346],
            ["a", "job"],
            [(self.rows.texts[0][0][12345:12346], ["clerk", "smith"])],
        )
        np.testing.assert_array_equal(core.score(model, one).scores[0], scored.scores[12345])

    @unittest.skipUnless(HAS_PYARROW, "pyarrow is not installed")
    def test_pyarrow_and_pandas(self):
        import pyarrow

        table = pyarrow.Table.from_pandas(self.frame)
        self.assertEqual(self.trained(table), self.expected)
        self.assertEqual(self.trained(self.frame), self.expected)
        categorical = self.frame.astype({"job": "category", "paid": "category"})
        self.assertEqual(self.trained(categorical), self.expected)
        ours = pyarrow.table(self.rows)
        np.testing.assert_array_equal(ours["a"].to_numpy(), self.frame["a"])
        self.assertEqual(ours["paid"].to_pylist(), self.frame["paid"].tolist())
        ours.validate(full=True)

    @unittest.skipUnless(HAS_POLARS and HAS_PYARROW, "polars is not installed")
    def test_polars(self):
        import polars

        frame = polars.from_pandas(self.frame)
        self.assertEqual(self.trained(frame), self.expected)

    @unittest.skipUnless(HAS_PYARROW, "pyarrow is not installed")
    def test_an_exception_in_the_stream_comes_out(self):
        import pyarrow

        schema = pyarrow.Table.from_pandas(self.frame).schema

        def batches():
            yield from pyarrow.Table.from_pandas(self.frame[:10]).to_batches()
            raise RuntimeError("the cellar is flooded")

        reader = pyarrow.RecordBatchReader.from_batches(schema, batches())
        with self.assertRaisesRegex(dp2dp.DataError, "the cellar is flooded"):
            self.trained(reader)


if __name__ == "__main__":
    unittest.main()
