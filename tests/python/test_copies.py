"""Columns of the right type are read in place, from any library: the tests measure the memory that
is allocated while a model decides, by Python and by the whole process."""

import gc
import tracemalloc
import unittest

import numpy as np
import pandas as pd
import polars
import pyarrow

import dp2dp
from dp2dp import _arrays
from people import SEEDED, scores

ROWS = 2_000_000


def status(name):
    """An entry of /proc/self/status, in bytes."""
    with open("/proc/self/status") as file:
        lines = dict(line.split(":", 1) for line in file)
    return int(lines[name].split()[0]) * 1024


def taken_by(call):
    """The peak memory of a call in bytes, above what was in use before: of Python and numpy, and
    of the whole process."""
    call()
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # resets the peak, VmHWM
    resident = status("VmRSS")
    call()
    grown = status("VmHWM") - resident
    traced = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return traced, grown


def uneven(matrix):
    """The columns of a matrix at uneven distances in memory, so that no view can cover them."""
    n = len(matrix)
    memory = np.empty(5 * n, dtype=matrix.dtype)
    columns = [memory[at * n : (at + 1) * n] for at in (0, 1, 4)]
    for j, column in enumerate(columns):
        column[:] = matrix[:, j]
    return columns


class Copies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.p, cls.g = scores(ROWS, dtype=np.float32)
        cls.model = dp2dp.fit(cls.p[:5000], cls.g[:5000], n_groups=2, **SEEDED)
        cls.answer = cls.model.predict(cls.p, cls.g)
        cls.out = np.zeros(ROWS, dtype=np.int32)

    def columns(self):
        return {"no": self.p[:, 0].copy(), "yes": self.p[:, 1].copy()}

    def nothing_is_copied(self, p, g):
        traced, grown = taken_by(lambda: self.model.predict(p, g, out=self.out))
        np.testing.assert_array_equal(self.out, self.answer)
        self.assertLess(traced, 100_000)
        self.assertLess(grown, self.p.nbytes / 4)

    def test_numpy(self):
        wide = np.zeros((ROWS, 5), dtype=np.float32)
        wide[:, 1:4:2] = self.p
        frozen = self.p.copy()
        frozen.flags.writeable = False
        for p in (self.p, np.asfortranarray(self.p), wide[:, 1:4:2], frozen):
            self.nothing_is_copied(p, self.g)
        self.nothing_is_copied(self.p, self.g.astype(np.int8))

    def apart(self):
        """A frame whose columns are stored separately."""
        frame = pd.DataFrame({"no": self.columns()["no"]})
        frame["group"] = self.g
        frame["yes"] = self.columns()["yes"]
        return frame

    def test_pandas(self):
        apart = self.apart()
        for frame in (pd.DataFrame(self.p), pd.DataFrame(self.columns()), apart[["no", "yes"]]):
            self.nothing_is_copied(frame, pd.Series(self.g))
        self.nothing_is_copied(apart[["no", "yes"]], apart["group"])
        self.nothing_is_copied(self.p, pd.Series(self.g, dtype="Int32"))

    def test_polars(self):
        frame = polars.DataFrame(self.columns())
        lists = polars.Series(self.p.reshape(-1)).reshape((ROWS, 2))
        for p in (frame, lists, frame.select("no", "yes")):
            self.nothing_is_copied(p, polars.Series(self.g))

    def test_pyarrow(self):
        table = pyarrow.table(self.columns())
        groups = pyarrow.array(self.g)
        lists = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(self.p.reshape(-1)), 2)
        batch = table.combine_chunks().to_batches()[0]
        for p in (table, batch, lists, pyarrow.chunked_array([lists])):
            for g in (groups, pyarrow.chunked_array([groups])):
                self.nothing_is_copied(p, g)

    def test_parts_of_columns_are_views_too(self):
        part = slice(1000, 5000)
        tables = (
            polars.DataFrame(self.columns())[part],
            pyarrow.table(self.columns()).slice(1000, 4000),
            pd.DataFrame(self.columns())[part],
        )
        for table in tables:
            decisions = self.model.predict(table, self.g[part])
            np.testing.assert_array_equal(decisions, self.answer[part])

    def test_a_view_keeps_its_columns_alive(self):
        for make in (
            lambda: self.apart()[["no", "yes"]],
            lambda: polars.DataFrame(self.columns()),
            lambda: pyarrow.table(self.columns()),
        ):
            table = make()
            view = _arrays.matrix(table)
            self.assertFalse(view.flags.owndata)
            del table
            gc.collect()
            np.testing.assert_array_equal(view, self.p)

    def test_what_lies_at_no_equal_distances_is_put_together(self):
        p = scores(1000, classes=3)[0]
        tight, single = np.asfortranarray(p), p.astype(np.float32)
        for columns in (
            [p[:, 0], tight[:, 1]],
            [tight[:, 0], tight[:, 2], tight[:, 1]],
            [tight[:, 0], single[:, 1]],
            [tight[:, 0], np.arange(1000)],
        ):
            found = _arrays._joined([columns])
            np.testing.assert_array_equal(found, np.column_stack(columns))

    def test_scores_are_copied_once_before_the_pool_copies_them(self):
        p, groups = scores(ROWS // 4, classes=3)
        columns = uneven(p)
        parts = [slice(0, 100_000), slice(100_000, None)]
        single, whole = uneven(p.astype(np.float32)), uneven(np.eye(3, dtype=np.int64)[groups])
        tables = {
            "pandas": pd.concat([pd.Series(column) for column in columns], axis=1),
            "pandas, whole numbers": pd.DataFrame(dict(enumerate(whole)), copy=False),
            "pandas, types mixed": pd.DataFrame(
                {"a": single[0], "b": columns[1], "c": columns[2]}, copy=False
            ),
            "pyarrow, in parts": pyarrow.table(
                {str(j): pyarrow.chunked_array([c[r] for r in parts]) for j, c in enumerate(single)}
            ),
            "pyarrow, whole numbers in parts": pyarrow.table(
                {str(j): pyarrow.chunked_array([c[r] for r in parts]) for j, c in enumerate(whole)}
            ),
            "polars, in parts": polars.concat(
                [polars.DataFrame({str(j): c[r] for j, c in enumerate(columns)}) for r in parts],
                rechunk=False,
            ),
            "numpy, whole numbers": np.column_stack(whole),
        }
        for name, table in tables.items():
            with self.subTest(name):
                size = _arrays.matrix(table).nbytes
                traced, _ = taken_by(lambda table=table: _arrays.matrix(table))
                self.assertLess(traced, 1.1 * size)
        given = dict(SEEDED, n_groups=2, score_columns=["0", "1", "2"])
        model = dp2dp.fit(tables["polars, in parts"], groups, **given)
        self.assertEqual(model.to_json(), dp2dp.fit(p, groups, **given).to_json())
