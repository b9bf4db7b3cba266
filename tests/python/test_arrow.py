"""Rows and columns of other libraries come through the Arrow PyCapsule interface."""

import gc
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np
import pandas as pd
import polars
import pyarrow

import dp2dp
from dp2dp import core
from people import SEEDED, categorical, labelled, numeric, schema, scores

SCHEMA = schema(
    numeric("a"),
    categorical("job", "clerk", "smith"),
    categorical("paid", "no", "yes", role="label"),
)


def failing_reader(table, error):
    """A reader that gives all rows of the table and then raises the error."""

    def batches():
        yield from table.to_batches()
        raise error

    return pyarrow.RecordBatchReader.from_batches(table.schema, batches())


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
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.path = os.path.join(folder, "people.csv")
        self.expected = self.trained(self.rows)

    def trained(self, rows):
        return dp2dp.train(SCHEMA, rows, **SEEDED).to_json()

    def test_a_file_is_the_same_as_arrays(self):
        self.frame.to_csv(self.path, index=False)
        self.assertEqual(self.trained(self.path), self.expected)

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

    def test_pyarrow_and_pandas(self):
        table = pyarrow.Table.from_pandas(self.frame)
        self.assertEqual(self.trained(table), self.expected)
        self.assertEqual(self.trained(self.frame), self.expected)
        categorical = self.frame.astype({"job": "category", "paid": "category"})
        self.assertEqual(self.trained(categorical), self.expected)
        ours = pyarrow.table(self.rows)
        np.testing.assert_array_equal(ours["a"].to_numpy(), self.frame["a"])
        self.assertEqual(ours["paid"].to_pylist(), self.frame["paid"].tolist())
        ours.validate(full=True)

    def test_codes_may_be_floats(self):
        # pandas stores whole numbers as floats if one of them is missing.
        coded = schema(
            numeric("a"),
            categorical("job", "0", "1") | {"missing": "level"},
            categorical("paid", "0", "1", role="label"),
        )
        job = [0, 1, None, 1] * 500
        frame = pd.DataFrame({"a": [0.1, 0.9] * 1000, "job": job, "paid": [0, 1] * 1000})
        self.assertEqual(frame["job"].dtype, np.float64)
        texts = frame.astype({"job": "Int64"}).astype({"job": "string", "paid": "string"})
        with_nan = pyarrow.table({name: frame[name].to_numpy() for name in frame})
        self.assertEqual(with_nan["job"].null_count, 0)
        tables = (pyarrow.Table.from_pandas(texts), pyarrow.Table.from_pandas(frame), with_nan)
        models = [dp2dp.train(coded, table, **SEEDED).to_json() for table in tables]
        self.assertEqual(models[1:], models[:1] * 2)
        frame["job"] = 0.5
        words = 'row 1, column "job": a number that is not whole'
        with self.assertRaisesRegex(dp2dp.DataError, words):
            dp2dp.train(coded, pyarrow.Table.from_pandas(frame), **SEEDED)

    def test_a_schema_counts_what_it_finds(self):
        plain = numeric("a") | {"lower": 0, "upper": 0.5}
        job = categorical("job", "clerk") | {"missing": "drop"}
        checked = core.Schema(schema(plain, job, categorical("paid", "no", "NO", role="label")))
        answer = checked.check(self.frame)
        over = int((~self.frame["a"].between(0, 0.5)).sum())
        smiths = int((self.frame["job"] == "smith").sum())
        paid = int((self.frame["paid"] == "yes").sum())
        self.assertEqual(
            [answer[name] for name in ("private", "rows", "kept", "left_out", "refused")],
            [False, 20000, 20000 - paid, 0, paid],
        )
        found = {column.pop("name"): column for column in answer["columns"]}
        zero = {"unknown": 0, "clipped": 0, "missing": 0, "left_out": 0, "refused": 0}
        self.assertEqual(found["a"], zero | {"role": "feature", "clipped": over})
        self.assertEqual(found["job"], zero | {"role": "feature", "unknown": smiths})
        self.assertEqual(found["paid"], zero | {"role": "label", "unknown": paid, "refused": paid})
        self.frame.to_csv(self.path, index=False)
        answer = checked.check(self.path)
        self.assertEqual(answer, checked.check(self.frame))
        self.frame["job"] = None
        answer = checked.check(pyarrow.Table.from_pandas(self.frame.astype({"job": "string"})))
        self.assertEqual([answer["left_out"], answer["refused"]], [20000, 0])
        self.assertEqual(answer["columns"][1]["left_out"], 20000)

    def test_polars(self):
        frame = polars.from_pandas(self.frame)
        self.assertEqual(self.trained(frame), self.expected)

    def test_codes_that_change_after_they_were_checked_are_refused(self):
        codes = np.zeros(10, dtype=np.int32)
        rows = core.Rows(np.zeros((10, 1)), ["a", "job"], [(codes, ["clerk", "smith"])])
        stream = rows.__arrow_c_stream__()
        rows.texts[0][0][5] = 2**30
        reader = pyarrow.RecordBatchReader._import_from_c_capsule(stream)
        with self.assertRaisesRegex(pyarrow.ArrowInvalid, "codes must be -1 or positions"):
            reader.read_all()

    def test_texts_that_change_while_they_are_read_do_no_harm(self):
        rows = 100_000
        views = np.zeros((rows, 4), dtype=np.int32)  # in each row: a length, 12 bytes of text
        texts = pyarrow.Array.from_buffers(
            pyarrow.string_view(), rows, [None, pyarrow.py_buffer(views)]
        )
        table = pyarrow.table({"a": np.zeros(rows), "job": texts, "paid": texts})
        stop = threading.Event()

        def change():
            while not stop.is_set():
                views[:, 0] = 12 - views[:, 0]

        other = threading.Thread(target=change)
        other.start()
        for _ in range(10):
            with self.assertRaises(dp2dp.DataError):
                self.trained(table)
        stop.set()
        other.join()

    def reader(self, error):
        return failing_reader(pyarrow.Table.from_pandas(self.frame[:10]), error)

    def test_an_exception_in_a_reader_comes_out(self):
        model = dp2dp.Model.from_json(self.expected)
        for kind in (RuntimeError, KeyboardInterrupt, MemoryError, OSError, dp2dp.BudgetError):
            for use in (self.trained, lambda rows: core.score(model, rows)):
                error = kind("the cellar is flooded")
                with self.assertRaises(kind) as caught:
                    use(self.reader(error))
                self.assertIs(caught.exception, error)

    def test_the_words_of_a_stream_that_fails_come_out(self):
        model = dp2dp.Model.from_json(self.expected)
        for use in (self.trained, lambda rows: core.score(model, rows)):
            for first in ("", "x"):  # the library may cut a message inside a character
                reader = self.reader(RuntimeError(first + "é" * 400))
                stream = Holder(__arrow_c_stream__=reader.__arrow_c_stream__())
                with self.assertRaisesRegex(dp2dp.DataError, "ééé"):
                    use(stream)

    @unittest.skipUnless(hasattr(os, "mkfifo"), "there are no named pipes")
    def test_ctrl_c_while_rows_are_read_charges_nothing(self):
        text = self.frame.to_csv(index=False)
        ledger = dp2dp.Ledger()
        os.mkfifo(self.path)

        def write():
            with open(self.path, "w") as file:
                file.write(text)
                file.flush()
                os.kill(os.getpid(), signal.SIGINT)

        writer = threading.Thread(target=write)
        with self.assertRaises(KeyboardInterrupt):
            writer.start()
            dp2dp.train(SCHEMA, self.path, ledger=ledger, **SEEDED)
        writer.join()
        self.assertEqual(len(ledger), 0)

    def test_a_fault_in_the_rows_has_its_place(self):
        good = "a,job,paid\n0.5,clerk,no\n"
        self.frame.loc[6, "paid"] = "maybe"
        for rows, place in (
            (good + "x,smith,no\n", ("not-a-number", 2, 3, "a")),
            (good + "0.5,smith,maybe\n", ("unknown-level", 2, None, "paid")),
            (good.replace(",", ";"), ("wrong-separator", None, None, "a")),
            (self.frame, ("unknown-level", 7, None, "paid")),
        ):
            if isinstance(rows, str):
                with open(self.path, "w") as file:
                    file.write(rows)
                rows = self.path
            with self.assertRaises(dp2dp.DataError) as caught:
                self.trained(rows)
            error = caught.exception
            self.assertEqual((error.reason, error.row, error.line, error.column), place)


class Holder:
    """An Arrow object that always returns the same capsule, or pair of capsules."""

    def __init__(self, **methods):
        for name, given in methods.items():
            setattr(self, name, lambda requested_schema=None, given=given: given)


# pyarrow reads ahead on its own thread, which needs the GIL to read a Python file object.
READ_AHEAD = """
import io, dp2dp, pyarrow.csv
text = "no,yes\\n" + "0.25,0.75\\n0.5,0.5\\n" * 10_000
options = pyarrow.csv.ReadOptions(block_size=10_000)
reader = pyarrow.csv.open_csv(io.BytesIO(text.encode()), read_options=options)
print(dp2dp.fit(reader, [0, 1] * 10_000, n_groups=2, solver="exact").records)
"""


class Columns(unittest.TestCase):
    def setUp(self):
        self.p, self.g = scores(200)
        self.expected = self.fitted(self.p)

    def fitted(self, p, g=None):
        given = dict(SEEDED, n_groups=2, score_columns=["no", "yes"])
        return dp2dp.fit(p, self.g if g is None else g, **given).to_json()

    def table(self):
        return pyarrow.table({"no": self.p[:, 0].copy(), "yes": self.p[:, 1].copy()})

    def test_columns_in_pieces_are_put_together(self):
        pieces = pyarrow.concat_tables([self.table()[:70], self.table()[70:]])
        self.assertEqual(pieces["no"].num_chunks, 2)
        self.assertEqual(self.fitted(pieces, pyarrow.chunked_array([self.g])), self.expected)

    def test_lists_of_one_length_are_rows(self):
        lists = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(self.p.reshape(-1)), 2)
        self.assertEqual(self.fitted(lists, pyarrow.array(self.g)), self.expected)
        self.assertEqual(self.fitted(pyarrow.chunked_array([lists])), self.expected)
        empty = pyarrow.array([[]] * 200, pyarrow.list_(pyarrow.float64(), 0))
        for none in (empty, np.empty((200, 0))):
            with self.assertRaisesRegex(dp2dp.OptionError, "0 classes"):
                self.fitted(none)

    def test_missing_values_are_refused_wherever_they_are_marked(self):
        no, yes = self.p[:, 0].tolist(), self.p[:, 1].tolist()
        rows = pyarrow.StructArray.from_arrays(
            [pyarrow.array(no), pyarrow.array(yes)],
            ["no", "yes"],
            mask=pyarrow.array([False] * 199 + [True]),
        )
        lists = pyarrow.array([None, *self.p[1:].tolist()], pyarrow.list_(pyarrow.float64(), 2))
        for p in (
            polars.DataFrame({"no": [None, *no[1:]], "yes": yes}),
            pyarrow.table({"no": no, "yes": [*yes[1:], None]}),
            pyarrow.chunked_array([rows]),
            lists,
            pyarrow.array([[0.5, None], *self.p[1:].tolist()], lists.type),
        ):
            with self.assertRaisesRegex(dp2dp.DataError, "scores has missing values"):
                self.fitted(p)
        with self.assertRaisesRegex(dp2dp.DataError, "groups has missing values"):
            self.fitted(self.p, pyarrow.array([None, *self.g[1:].tolist()], pyarrow.int32()))

    def test_memory_is_given_back(self):
        def once():
            p = pyarrow.array(self.p.tolist(), pyarrow.list_(pyarrow.float64(), 2))
            self.fitted(p, pyarrow.chunked_array([pyarrow.array(self.g.tolist(), "int32")]))

        before = pyarrow.total_allocated_bytes()
        for _ in range(3):
            once()
        gc.collect()
        self.assertEqual(pyarrow.total_allocated_bytes(), before)

    def test_what_is_used_already_is_refused(self):
        stream = self.table().__arrow_c_stream__()
        pyarrow.table(Holder(__arrow_c_stream__=stream))  # empties the stream
        with self.assertRaisesRegex(ValueError, "used already"):
            self.fitted(Holder(__arrow_c_stream__=stream))
        pair = pyarrow.array(self.g).__arrow_c_array__()
        self.assertEqual(self.fitted(self.p, Holder(__arrow_c_array__=pair)), self.expected)
        with self.assertRaisesRegex(ValueError, "used already"):
            self.fitted(self.p, Holder(__arrow_c_array__=pair))

    def test_an_exception_in_a_reader_comes_out(self):
        for kind in (RuntimeError, KeyboardInterrupt):
            error = kind("the cellar is flooded")
            with self.assertRaises(kind) as caught:
                self.fitted(failing_reader(self.table(), error))
            self.assertIs(caught.exception, error)

    def test_the_threads_of_a_stream_get_the_gil(self):
        command = [sys.executable, "-c", READ_AHEAD]
        run = subprocess.run(command, capture_output=True, text=True, timeout=300)
        self.assertEqual(run.stdout, "20000\n", run.stderr)

    def test_nobody_else_gets_a_stream_that_is_being_read(self):
        given, refused = [], []

        def batches():
            for _ in range(2):
                try:
                    pyarrow.RecordBatchReader._import_from_c_capsule(given[0])
                except pyarrow.ArrowException as error:
                    refused.append(str(error))
                yield from self.table()[:100].to_batches()

        reader = pyarrow.RecordBatchReader.from_batches(self.table().schema, batches())
        given.append(reader.__arrow_c_stream__())
        p = np.concatenate([self.p[:100]] * 2)
        found = self.fitted(Holder(__arrow_c_stream__=given[0]))
        self.assertEqual(found, self.fitted(p))
        self.assertEqual(len(refused), 2)

    def test_what_is_no_capsule_is_refused(self):
        with self.assertRaisesRegex(TypeError, "a capsule named arrow_array_stream"):
            self.fitted(Holder(__arrow_c_stream__=3))
        with self.assertRaises((TypeError, ValueError)):
            self.fitted(Holder(__arrow_c_array__=(3, 4)))
