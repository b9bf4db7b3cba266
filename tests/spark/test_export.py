"""The rule decides in Spark as predict does, bit for bit."""

import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet

sys.path.append(str(Path(__file__).parent.parent / "python"))
from exported import GROUP, cases, people_of  # noqa: E402
from session import spark  # noqa: E402


class Spark(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.spark = spark()
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)

    def decide(self, table, single, sql):
        """Runs a SELECT over the table `people`. Returns the names of its columns, and the
        predictions by id."""
        number = pyarrow.float32() if single else pyarrow.float64()
        kinds = {"id": pyarrow.int64(), GROUP: pyarrow.string()}
        arrays = [
            pyarrow.array(values, kinds.get(name, number), from_pandas=False)
            for name, values in table.items()
        ]
        path = str(Path(self.folder.name) / "people.parquet")
        plain = [f"c{i}" for i in range(len(arrays))]
        pyarrow.parquet.write_table(pyarrow.table(arrays, names=plain), path)
        self.spark.read.parquet(path).toDF(*table).createOrReplaceTempView("people")
        found = self.spark.sql(sql)
        rows = found.select("id", "prediction").orderBy("id").collect()
        return found.columns, [row[1] for row in rows]

    def test_spark_decides_as_predict(self):
        for case in cases():
            with self.subTest(case.title):
                table, expected = people_of(case).table()
                single = case.dtype == np.float32
                columns, found = self.decide(table, single, case.model.to_sql("spark"))
                self.assertEqual(columns, [*table, "prediction"])
                self.assertEqual(found, expected)

    def test_spark_needs_the_casts(self):
        for case in cases()[0], cases()[7]:
            people = people_of(case)
            table, expected = people.table()
            text = case.model.to_sql("spark").replace(" AS FLOAT)", " AS DOUBLE)")
            found = self.decide(table, case.dtype == np.float32, text)[1]
            wrong = sum(a != b for a, b in zip(expected, found, strict=True))
            self.assertGreater(wrong, people.ties // 1000)

    def test_settings_of_the_parser_change_nothing(self):
        case = cases()[0]
        table, expected = people_of(case).table()
        for name in ("spark.sql.parser.escapedStringLiterals", "spark.sql.ansi.enabled"):
            before = self.spark.conf.get(name)
            for value in ("true", "false"):
                with self.subTest(name, value=value):
                    self.spark.conf.set(name, value)
                    found = self.decide(table, True, case.model.to_sql("spark"))[1]
                    self.assertEqual(found, expected)
            self.spark.conf.set(name, before)
