"""A fit on an Arrow stream gives the model of the same rows in arrays."""

import os
import signal
import threading
import unittest
import warnings

import duckdb
import numpy as np
import pandas as pd
import polars
import pyarrow

import dp2dp
from dp2dp import core
from people import SEEDED, scores

CLASSES, GROUPS = ["a", "b", "c"], ["north", "south"]
COLUMNS = dict(
    score_columns=["p0", "p1", "p2"],
    group_column="where",
    group_names=GROUPS,
    class_names=CLASSES,
)


class Holder:
    """A stream that only has the interface."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__()


class FitStream(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore", dp2dp.PrivacyWarning)
        warnings.simplefilter("ignore", dp2dp.FairnessWarning)
        self.p, self.g = scores(3000, 3, 2)
        rng = np.random.default_rng(3)
        self.y = rng.integers(0, 3, 3000)
        self.w = rng.random((3000, 1))
        self.w = np.hstack([self.w, 1 - self.w])
        self.frame = pd.DataFrame(self.p, columns=["p0", "p1", "p2"])
        self.frame["where"] = np.array(GROUPS)[self.g]
        self.frame["label"] = np.array(CLASSES)[self.y]
        self.frame["w0"], self.frame["w1"] = self.w.T
        self.frame["id"] = np.arange(3000) * 7
        self.table = pyarrow.Table.from_pandas(self.frame, preserve_index=False)
        self.expected = self.arrays()

    def arrays(self, scores=None, **options):
        given = self.p if scores is None else scores
        return core.fit(given, self.g, **COLUMNS, **SEEDED, **options).to_json()

    def streamed(self, rows, **options):
        return core.fit_stream(rows, **{**COLUMNS, **SEEDED, **options}).to_json()

    def test_tables_of_every_library_give_the_model_of_the_arrays(self):
        connection = duckdb.connect()
        people = connection.from_arrow(self.table)
        for rows in (
            self.table,
            self.table.to_reader(max_chunksize=701),
            Holder(self.table.slice(0)),
            self.frame,
            polars.from_pandas(self.frame),
            polars.from_pandas(self.frame).with_columns(
                polars.col("where").cast(polars.Categorical)
            ),
            people.to_arrow_table(),
            people,
            self.table.set_column(3, "where", self.table["where"].dictionary_encode()),
        ):
            self.assertEqual(self.streamed(rows), self.expected)

    def test_integers_stand_for_names(self):
        table = self.table.set_column(3, "where", pyarrow.array(self.g, pyarrow.int64()))
        found = core.fit_stream(table, **COLUMNS | {"group_names": [0, 1]}, **SEEDED)
        names = COLUMNS | {"group_names": [0, 1]}
        self.assertEqual(found.to_json(), core.fit(self.p, self.g, **names, **SEEDED).to_json())

    def test_float32_columns_and_lists(self):
        single = self.p.astype(np.float32)
        expected = self.arrays(single)
        columns = {f"p{k}": single[:, k].copy() for k in range(3)}
        table = pyarrow.table(columns | {"where": self.table["where"]})
        self.assertEqual(self.streamed(table), expected)
        of_lists = core.fit(single, self.g, **COLUMNS | {"score_columns": None}, **SEEDED)
        flat = pyarrow.array(single.reshape(-1))
        fixed = pyarrow.FixedSizeListArray.from_arrays(flat, 3)
        lists = pyarrow.ListArray.from_arrays(np.arange(0, 9001, 3, dtype=np.int32), flat)
        for column in (fixed, lists, lists.cast(pyarrow.large_list(pyarrow.float32()))):
            table = pyarrow.table({"p": column, "where": self.table["where"]})
            rows = pyarrow.concat_tables([table.slice(0, 11), table.slice(11)])
            model = core.fit_stream(rows, **COLUMNS | {"score_columns": "p"}, **SEEDED)
            self.assertEqual(model.to_json(), of_lists.to_json())
        with self.assertRaisesRegex(dp2dp.OptionError, "Give class_names too"):
            core.fit_stream(
                table, score_columns="p", group_column="where", group_names=GROUPS, **SEEDED
            )

    def test_labels_weights_and_ids(self):
        odds = dict(criterion="equalized_odds")
        self.assertEqual(
            self.streamed(self.table, label_column="label", **odds),
            self.arrays(labels=self.y, **odds),
        )
        self.assertEqual(
            self.streamed(self.table, weight_columns=["w0", "w1"]),
            self.arrays(weights=self.w, weight_columns=["w0", "w1"]),
        )
        by_id = dict(dither=0.01, dither_key="id")
        self.assertEqual(
            self.streamed(self.table, id_column="id", **by_id),
            self.arrays(ids=np.arange(3000) * 7, **by_id),
        )
        without = dict(counted="scores", group_column=None, weight_columns=["w0", "w1"])
        names = COLUMNS | {"group_column": None}
        expected = core.fit(
            self.p,
            None,
            weights=self.w,
            counted="scores",
            weight_columns=["w0", "w1"],
            **names,
            **SEEDED,
        )
        self.assertEqual(self.streamed(self.table, **without), expected.to_json())

    def test_rows_may_stand_for_several_records(self):
        self.frame["n"] = 1 + self.y
        expected = self.arrays(multiplicity=1 + self.y, grid=10)
        found = self.streamed(self.frame, multiplicity_column="n", grid=10)
        self.assertEqual(found, expected)
        self.frame.loc[7, "n"] = 0
        for bad_rows, start in (("refuse", "row 8: "), ("ignore", "")):
            with self.assertRaisesRegex(
                dp2dp.DataError, f"^{start}the multiplicity must be a whole"
            ) as raised:
                self.streamed(self.frame, multiplicity_column="n", bad_rows=bad_rows)
            self.assertEqual(raised.exception.row, 8 if start else None)

    def words(self, frame, **options):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.streamed(pyarrow.Table.from_pandas(frame, preserve_index=False), **options)
        # Warnings about the rows end by saying so.
        texts = [str(w.message) for w in caught if "do not publish" in str(w.message)]
        return [text.partition(":")[0] for text in texts]

    def test_odd_scores_labels_and_weights_are_told_as_in_fit(self):
        rng = np.random.default_rng(5)
        odds = dict(label_column="label", criterion="equalized_odds")

        def label(codes):
            return self.frame.assign(label=np.array(CLASSES)[codes])

        chances = (self.p.cumsum(axis=1) < rng.random((3000, 1))).sum(axis=1).clip(max=2)
        self.assertEqual(self.words(label(chances), **odds), [])
        self.assertEqual(self.words(label(self.p.argmax(axis=1)), **odds), ["labels-are-decisions"])
        self.assertEqual(self.words(label(self.p.argmin(axis=1)), **odds), ["worse-than-guessing"])
        for name, options, word in (
            ("p", {}, "scores-are-decisions"),
            ("w", {"weight_columns": ["w0", "w1"]}, "group-scores-are-groups"),
        ):
            sure = self.frame.copy()
            codes = self.g if name == "w" else self.y
            for k in range(2 if name == "w" else 3):
                sure[f"{name}{k}"] = (codes == k) * 1.0
            self.assertEqual(self.words(sure, **options), [word])
        self.assertEqual(self.words(label(self.p.argmin(axis=1)), **odds, bad_rows="ignore"), [])

    def test_bad_rows_are_refused_by_row_or_ignored(self):
        self.frame.loc[41, "where"] = "west"
        self.frame.loc[2000, "p1"] = None
        with self.assertRaisesRegex(dp2dp.DataError, "row 42: the group") as caught:
            self.streamed(self.frame)
        self.assertEqual((caught.exception.reason, caught.exception.row), ("unknown-group", 42))
        scores = self.p.copy()
        scores[2000, 1] = np.nan
        self.g[41] = -1
        expected = self.arrays(scores, bad_rows="ignore")
        self.assertEqual(self.streamed(self.frame, bad_rows="ignore"), expected)
        self.frame.loc[41, "where"] = "north"
        with self.assertRaisesRegex(dp2dp.DataError, "row 2001, score column 2"):
            self.streamed(self.frame)

    def test_options_of_arrays_are_refused(self):
        for name, value, words in (
            ("labels", self.y, "label_column"),
            ("weights", self.w, "weight_columns"),
            ("ids", self.y, "id_column"),
            ("multiplicity", self.y, "multiplicity_column"),
            ("leaves_out", True, "bad_rows"),
            ("n_groups", 2, "group_names"),
        ):
            with self.assertRaisesRegex(dp2dp.OptionError, f"no option {name}: use .*{words}"):
                self.streamed(self.table, **{name: value})
        with self.assertRaisesRegex(dp2dp.OptionError, "does not use labels"):
            self.streamed(self.table, label_column="label")
        with self.assertRaisesRegex(TypeError, "unknown option"):
            self.streamed(self.table, colour="red")
        with self.assertRaisesRegex(dp2dp.DataError, 'no column is named "p9"'):
            self.streamed(self.table, score_columns=["p0", "p1", "p9"])
        with self.assertRaisesRegex(TypeError, "for arrays use fit"):
            self.streamed(self.p)

    def reader(self, act):
        def batches():
            yield from self.table.to_batches(max_chunksize=1000)
            act()

        return pyarrow.RecordBatchReader.from_batches(self.table.schema, batches())

    def test_an_exception_in_a_reader_comes_out_and_charges_nothing(self):
        for kind in (RuntimeError, KeyboardInterrupt, MemoryError, OSError):
            error, ledger = kind("the cellar is flooded"), dp2dp.Ledger()

            def act(error=error):
                raise error

            with self.assertRaises(kind) as caught:
                self.streamed(self.reader(act), ledger=ledger)
            self.assertIs(caught.exception, error)
            self.assertEqual(len(ledger), 0)

    def test_ctrl_c_while_rows_are_read_charges_nothing(self):
        ledger = dp2dp.Ledger()
        rows = "select 0.5::double p0, 0.25::double p1, 0.25::double p2, 'north' \"where\""
        endless = duckdb.connect().sql(rows + " from range(1000000000000)")
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        with self.assertRaises(KeyboardInterrupt):
            timer.start()
            self.streamed(endless, ledger=ledger)
        timer.join()
        self.assertEqual(len(ledger), 0)

    def test_a_stream_can_be_read_once(self):
        stream = self.table.__arrow_c_stream__()
        used = type("Used", (), {"__arrow_c_stream__": lambda self, schema=None: stream})()
        self.assertEqual(self.streamed(used), self.expected)
        with self.assertRaisesRegex(ValueError, "used already"):
            self.streamed(used)


if __name__ == "__main__":
    unittest.main()
