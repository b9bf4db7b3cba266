"""Training on a file notices the same odd rows as training on a frame, before the charge."""

import os
import tempfile
import unittest
import warnings

import numpy as np
import pandas as pd

import dp2dp
from dp2dp import Ledger, core

ROWS = 3000
PRIVATE = dict(epsilon=1, delta=1e-5)


def words(function, *args, **options):
    """The names of the warnings about the rows."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args, **options)
    texts = [str(one.message) for one in found]
    return [text.split(":")[0] for text in texts if text.endswith("do not publish the warning")]


def schema(**changes):
    columns = [
        {"name": "a", "role": "feature", "kind": "numeric", "lower": 0, "upper": 10},
        {"name": "b", "role": "feature", "kind": "numeric", "lower": 0, "upper": 100},
        {"name": "c", "role": "feature", "kind": "categorical", "levels": ["x", "y", "z"]},
        {"name": "s", "role": "sensitive", "kind": "categorical", "levels": ["F", "M"]},
        {"name": "y", "role": "label", "kind": "categorical", "levels": ["no", "yes"]},
    ]
    for column in columns:
        column.update(changes.pop(column["name"], {}))
    version = {"major": 1, "minor": 0}
    return {
        "format": "dp2dp-schema",
        "version": version,
        "origin": "public",
        "columns": columns,
        **changes,
    }


EXPECTED = schema()


def table():
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "a": rng.random(ROWS) * 9 + 0.5,
            "b": rng.random(ROWS) * 90 + 5,
            "c": rng.choice(["x", "y", "z"], ROWS),
            "s": rng.choice(["F", "M"], ROWS),
            "y": rng.choice(["no", "yes"], ROWS),
        }
    )


class OddFile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "people.csv")
        self.frame = table()

    def write(self):
        self.frame.to_csv(self.path, index=False, float_format="%.17g")
        return self.path

    def told(self, *expected, schema=EXPECTED, **options):
        options = {**PRIVATE, **options}
        for rows in (self.frame, self.write()):
            self.assertEqual(words(dp2dp.train, schema, rows, **options), [*expected], type(rows))
        self.assertEqual(words(dp2dp.train, schema, self.path, bad_rows="ignore", **options), [])

    def test_rows_as_expected(self):
        self.told()
        self.told(target="group-label")

    def test_another_unit(self):
        self.frame["a"] *= 1000
        self.told("bounds-exceeded")

    def test_values_that_are_not_listed(self):
        self.frame["c"] = self.frame["c"].str.upper()
        self.told("levels-unlisted")

    def test_a_number_outside_for_a_missing_value(self):
        self.frame.loc[:99, "a"] = -999
        self.told("bounds-exceeded")

    def test_a_number_inside_for_a_missing_value(self):
        self.frame.loc[:99, "b"] = 99999
        self.told("number-for-missing", schema=schema(b={"upper": 100000}))

    def test_bounds_that_are_too_wide(self):
        self.told("bounds-too-wide", schema=schema(b={"upper": 100000}))

    def test_thousands(self):
        numbers = np.random.default_rng(2).integers(1000, 900000, ROWS)
        self.frame["b"] = np.where(numbers % 5, numbers / 1000, numbers % 1000 + 1)
        self.frame.loc[:99, "b"] = np.arange(900, 1000)
        self.told("thousands-separated", schema=schema(b={"upper": 1000}))

    def test_one_value(self):
        self.frame["a"] = 7.0
        self.told("one-value")

    def test_an_empty_column(self):
        self.frame["a"] = np.nan
        empty = schema(a={"missing": "level"}, missing=[""])
        self.told("column-empty", schema=empty)

    def test_bounds_that_were_read_off(self):
        ends = {n: {"lower": self.frame[n].min(), "upper": self.frame[n].max()} for n in "ab"}
        self.told("bounds-attained", schema=schema(**ends))
        self.told("bounds-attained", schema=schema(a=ends["a"]))
        self.told(schema=schema(origin="from-data", **ends))

    def test_ids_as_numbers(self):
        self.frame["b"] = np.random.default_rng(3).permutation(ROWS) + 1.0
        self.told("numbers-are-ids", schema=schema(b={"upper": 5000}))

    def test_rows_that_are_there_twice(self):
        self.frame = pd.concat([self.frame, self.frame], ignore_index=True)
        self.told("rows-repeated")
        self.told(rows_per_person=2)

    def test_a_column_that_tells_the_label(self):
        self.frame["c"] = np.where(self.frame["y"] == "yes", "x", "z")
        self.told("label-in-column")
        self.told(target="group")

    def test_a_column_that_is_filled_in_later(self):
        self.frame["a"] = np.where(self.frame["y"] == "yes", self.frame["a"], 0)
        self.told("label-in-column")

    def test_a_column_that_tells_the_group(self):
        self.frame["c"] = np.where(self.frame["s"] == "F", "x", "z")
        self.told("group-in-column", target="group")
        self.told()

    def test_most_rows_are_left_out(self):
        self.frame.loc[: ROWS // 2, "a"] = np.nan
        self.told("most-left-out", schema=schema(a={"missing": "drop"}, missing=[""]))

    def test_scores(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = dp2dp.train(schema(), self.frame, **PRIVATE)
        self.frame["b"] = 7.0
        for rows in (self.frame, self.write()):
            self.assertEqual(words(core.score, model, rows), ["one-value"])
        self.assertEqual(words(core.score, model, self.path, bad_rows="ignore"), [])

    def test_a_warning_that_is_an_exception_charges_nothing(self):
        self.frame["a"] = 7.0
        ledger = Ledger()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaisesRegex(UserWarning, "one-value"):
                dp2dp.train(schema(), self.write(), ledger=ledger, **PRIVATE)
        self.assertEqual(ledger.entries, [])

    def test_a_bad_row_is_refused_by_the_training(self):
        self.frame.loc[7, "y"] = "maybe"
        with self.assertRaisesRegex(dp2dp.DataError, "'y'|\"y\"|y"):
            dp2dp.train(schema(), self.write(), **PRIVATE)


if __name__ == "__main__":
    unittest.main()
