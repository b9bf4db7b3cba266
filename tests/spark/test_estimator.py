"""FairPostProcessor in Spark gives the models of dp2dp.fit byte for byte, and the decisions of
predict. Run with DP2DP_SPARK=connect, the same holds in Spark Connect."""

import sys
import tempfile
import time
import unittest
import warnings
from pathlib import Path
from unittest import mock

import numpy as np
import pandas
import pyarrow
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.functions import array_to_vector
from pyspark.ml.linalg import Vectors, VectorUDT
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StructField, StructType

import dp2dp
from dp2dp import DataError, OptionError
from dp2dp._spark_rows import Rows
from dp2dp.spark import FairPostProcessor, FairPostProcessorModel

sys.path.append(str(Path(__file__).parent.parent / "python"))
from exported import GROUP, cases, names, people_of  # noqa: E402
from session import CONNECT, spark  # noqa: E402


class Pool:
    """Rows of a fit, as arrays and as frames. Names have quotes and newlines."""

    def __init__(self, classes, groups, n=3000, single=False, labels=False, seed=1):
        rng = np.random.default_rng(seed)
        self.group_names = ["plain", *names(groups - 1, "g {x} ")]
        self.class_names = names(classes, "c ")
        self.p_names = names(classes, "p")
        self.g = rng.integers(0, groups, n).astype(np.int32)
        p = rng.dirichlet(np.ones(classes), n)
        p[:, -1] += 0.6 * self.g / groups
        self.p = (p / p.sum(axis=1, keepdims=True)).astype(np.float32 if single else float)
        self.y = (p.cumsum(axis=1) / p.sum(axis=1)[:, None] < rng.random((n, 1))).sum(axis=1)
        self.labels = labels
        columns = {f"c{k}": self.p[:, k] for k in range(classes)}
        frame = pandas.DataFrame({"id": np.arange(n), **columns})
        frame["g"] = np.array(self.group_names, object)[self.g]
        frame["y"] = np.array(self.class_names, object)[self.y]
        plain = spark().createDataFrame(frame)
        self.frame = plain.toDF("id", *self.p_names, GROUP, "tru`e.y")

    def keywords(self, **more):
        found = dict(epsilon=1, delta=1e-5, insecureSeed=7, rho=0.01)
        if self.labels:
            found.update(criterion="equalized_odds", dither=0, labelCol="tru`e.y")
        lists = dict(groups=self.group_names, classes=self.class_names)
        columns = dict(probabilityCols=self.p_names, sensitiveCol=GROUP)
        return {**found, **lists, **columns, **more}

    def estimator(self, **more):
        return FairPostProcessor(**self.keywords(**more))

    def model(self, **more):
        """The model of the same rows in memory."""
        if self.labels:
            more = dict(labels=self.y, criterion="equalized_odds", dither=0, **more)
        lists = dict(group_names=self.group_names, class_names=self.class_names)
        columns = dict(score_columns=self.p_names, group_column=GROUP)
        budget = dict(epsilon=1, delta=1e-5, insecure_seed=7, rho=0.01)
        return dp2dp.fit(self.p, self.g, **{**lists, **columns, **budget, **more})


def quoted(name):
    return "`" + name.replace("`", "``") + "`"


def decisions(frame, column="fairPrediction"):
    """The decisions in the order of ids."""
    return [row[0] for row in frame.orderBy("id").select(F.col(quoted(column))).collect()]


def classes_of(model, codes):
    return [model.classes[code] for code in codes]


class Quiet(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")


class Fits(Quiet):
    def test_a_copy_gives_the_model_of_the_same_rows(self):
        for pool in (Pool(2, 2, single=True), Pool(5, 5), Pool(3, 2, labels=True)):
            with self.subTest(classes=len(pool.class_names), labels=pool.labels):
                found = pool.estimator(strategy="copy").fit(pool.frame)
                self.assertEqual(found.model.to_json(), pool.model().to_json())

    def test_tables_give_the_model_of_the_same_rows(self):
        for pool in (Pool(2, 2, single=True), Pool(5, 5)):
            with self.subTest(classes=len(pool.class_names)):
                with mock.patch.object(Rows, "_run", autospec=True, side_effect=Rows._run) as asked:
                    found = pool.estimator(strategy="tables").fit(pool.frame)
                self.assertEqual(asked.call_count, 80)
                self.assertEqual(found.model.to_json(), pool.model().to_json())

    def test_tables_count_labels_and_bad_rows_and_normalise(self):
        pool = Pool(3, 2, n=1000, labels=True)
        label = F.when(F.col("id") == 3, F.lit("none")).otherwise(F.col(quoted("tru`e.y")))
        frame = pool.frame.withColumn("tru`e.y", label)
        estimator = pool.estimator(strategy="tables", normalize=True, options={"steps": 5})
        with self.assertRaisesRegex(DataError, "1 of 1000 rows .* badRows='ignore'"):
            estimator.fit(frame)
        found = estimator.setBadRows("ignore").fit(frame)
        pool.y[3] = -1
        expected = pool.model(bad_rows="ignore", normalize=True, steps=5)
        self.assertEqual(found.model.to_json(), expected.to_json())
        self.assertIn("needs-dither", found.model.warnings)

    def test_a_frame_that_changes_is_refused(self):
        pool = Pool(2, 2, n=1000)
        chance = F.expr("double(reflect('java.lang.Math', 'random'))")
        group = F.when(chance < 0.5, "plain").otherwise(pool.group_names[1])
        frame = pool.frame.withColumn(GROUP, group)
        estimator = pool.estimator(strategy="tables", options={"steps": 5})
        self.assertEqual(estimator.fit(frame).model.records, 1000)  # what is persisted stays
        with mock.patch.object(type(frame), "persist"):
            with self.assertRaisesRegex(DataError, "differs from that of the first table"):
                estimator.fit(frame)

    def test_auto_copies_up_to_the_limit_and_leaves_nothing_behind(self):
        pool = Pool(2, 2, n=1000)
        for limit, asked in ((8000, False), (7999, True)):
            estimator = pool.estimator(maxCopyBytes=limit, options={"steps": 5})
            with mock.patch.object(Rows, "count", autospec=True, side_effect=Rows.count) as count:
                found = estimator.fit(pool.frame)
            self.assertEqual(count.called, asked)
            self.assertEqual(found.model.to_json(), pool.model(steps=5).to_json())
        views = [table.name for table in spark().catalog.listTables()]
        self.assertEqual([name for name in views if name.startswith("dp2dp")], [])
        if not CONNECT:
            self.assertEqual(spark().sparkContext._jsc.getPersistentRDDs().size(), 0)
        kept = pool.frame.persist()
        for strategy in ("copy", "tables"):
            pool.estimator(strategy=strategy, options={"steps": 2}).fit(kept)
            self.assertTrue(kept.storageLevel.useMemory)
        kept.unpersist()
        with self.assertRaisesRegex(OptionError, "strategy='copy'"):
            pool.estimator(maxCopyBytes=7999, solver="exact").fit(pool.frame)

    def test_vectors_and_arrays_give_the_same_model(self):
        pool = Pool(2, 2, n=1000)
        array = F.array(*(F.col(quoted(name)) for name in pool.p_names))
        expected = pool.model(score_columns=None, group_column=None).to_json()
        for kind, column in (("array", array), ("vector", array_to_vector(array))):
            with self.subTest(kind):
                frame = pool.frame.withColumn("probability", column)
                estimator = pool.estimator(strategy="copy", probabilityCols=None)
                self.assertEqual(estimator.fit(frame).model.to_json(), expected)

    def test_several_sensitive_columns_are_one_group(self):
        pool = Pool(2, 4, n=1000)
        even = F.col("id") % 2 == 0
        frame = pool.frame.withColumns(
            {"sex": F.lit("f,\\"), "old": even, "half": F.when(even, 0.5).otherwise(2.0)}
        )
        codes = (np.arange(1000) % 2).astype(np.int32)
        groups = [("f,\\", True, 0.5), ("f,\\", False, 2.0)]
        expected = dp2dp.fit(
            pool.p, codes, group_names=["f\\,\\\\,true,0.5", "f\\,\\\\,false,2"],
            class_names=pool.class_names, epsilon=1, delta=1e-5, insecure_seed=7, rho=0.01,
        )  # fmt: skip
        estimator = pool.estimator(sensitiveCols=["sex", "old", "half"], groups=groups)
        estimator.clear(estimator.sensitiveCol)
        fitted = estimator.fit(frame)
        self.assertEqual(fitted.model.to_json(), expected.to_json())
        found = decisions(fitted.transform(frame))
        self.assertEqual(found, classes_of(expected, expected.predict(pool.p, codes)))
        missing = frame.withColumn("half", F.lit(float("nan")))
        self.assertEqual(set(decisions(fitted.transform(missing))), {None})

    def test_bad_rows_are_refused_or_count_as_records_that_add_nothing(self):
        pool = Pool(2, 2, n=1000)
        group = F.when(F.col("id") == 3, F.lit("nobody")).otherwise(F.col(quoted(GROUP)))
        frame = pool.frame.withColumn(GROUP, group)
        with self.assertRaisesRegex(DataError, "row 4"):
            pool.estimator(strategy="copy").fit(frame)
        found = pool.estimator(strategy="copy", badRows="ignore").fit(frame)
        pool.g[3] = -1
        self.assertEqual(found.model.to_json(), pool.model(bad_rows="ignore").to_json())

    def test_fits_of_one_estimator_are_counted_together(self):
        pool = Pool(2, 2, n=1000)
        estimator = pool.estimator(insecureSeed=None)
        maps = [{estimator.rho: 0.0}, {estimator.rho: 0.1}]
        with self.assertWarnsRegex(dp2dp.PrivacyWarning, "several-fits: 2 fits"):
            models = estimator.fit(pool.frame, maps)
        self.assertEqual(len(models), 2)
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "ledger.json")
            estimator.copy({estimator.ledger: path, estimator.budget: [2, 1e-4]}).fit(pool.frame)
            ledger = dp2dp.Ledger.open(path)
            self.assertEqual(ledger.budget, (2, 1e-4))
            self.assertTrue(any(entry.kind == "charge" for entry in ledger.entries))


class Decides(Quiet):
    def test_transform_decides_as_predict_with_ties_and_without_a_decision(self):
        for case in (cases()[1], cases()[2], cases()[4], cases()[6]):
            with self.subTest(case.title):
                table, expected = people_of(case).table()
                kind = pyarrow.float32() if case.dtype == np.float32 else pyarrow.float64()
                kinds = {"id": pyarrow.int64(), GROUP: pyarrow.string()}
                arrays = [pyarrow.array(v, kinds.get(n, kind)) for n, v in table.items()]
                plain = pyarrow.table(arrays, [f"c{i}" for i in range(len(arrays))])
                frame = spark().createDataFrame(plain).toDF(*table)
                model = FairPostProcessorModel(case.model).setSensitiveCol(GROUP)
                model.setProbabilityCols(names(case.classes, "p")).setPredictionCol("`new.`")
                found = model.transform(frame)
                self.assertEqual(found.columns, [*table, "`new.`"])
                self.assertEqual(decisions(found, "`new.`"), expected)

    def test_vectors_without_a_value_or_of_another_length_have_no_decision(self):
        given = [Vectors.dense([0.2, 0.8]), Vectors.sparse(2, [0], [1.0]), None]
        given += [Vectors.dense([0.2, 0.8, 0.0]), Vectors.dense([1.0])]
        kinds = [StructField("id", IntegerType()), StructField("probability", VectorUDT())]
        frame = spark().createDataFrame(list(enumerate(given)), StructType(kinds))
        model = dp2dp.fit(
            [[0.2, 0.8]] * 50, [0, 1] * 25, solver="exact", group_names=["0", "1"],
            class_names=["0", "1"], rho=1.0,
        )  # fmt: skip
        fair = FairPostProcessorModel(model).setSensitiveCol("sex")
        for sex in (F.lit(1), F.lit(1.0), F.lit("1")):
            found = fair.transform(frame.withColumn("sex", sex))
            self.assertEqual(decisions(found), ["1", "0", None, None, None])

    def test_decisions_have_the_type_of_the_classes(self):
        pool = Pool(2, 2, n=1000)
        frame = pool.frame.withColumn("prediction", F.lit(0.0))
        for classes, kind in (
            ([0, 1], "double"),
            ([False, True], "boolean"),
            (["a", "b"], "string"),
        ):
            fitted = pool.estimator(classes=classes).fit(frame)
            with self.subTest(kind):
                found = fitted.transform(frame)
                self.assertEqual(dict(found.dtypes)["fairPrediction"], kind)
                codes = fitted.model.predict(pool.p, pool.g)
                self.assertEqual(decisions(found), [classes[code] for code in codes])

    def test_a_taken_name_and_a_dither_are_refused(self):
        pool = Pool(2, 2, n=100)
        model = FairPostProcessorModel(pool.model()).setSensitiveCol(GROUP)
        model.setProbabilityCols(pool.p_names)
        with self.assertRaisesRegex(OptionError, "has a column 'ID' already"):
            model.setPredictionCol("ID").transform(pool.frame)
        with self.assertRaisesRegex(ValueError, "dither"):
            FairPostProcessorModel(pool.model(dither=0.1))
        with self.assertRaisesRegex(OptionError, "has no rule"):
            FairPostProcessorModel().transform(pool.frame)


class Saves(Quiet):
    def test_estimator_model_and_pipeline_come_back(self):
        pool = Pool(2, 2, n=1000)
        estimator = pool.estimator(options={"steps": 20, "people": "applicants"})
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/estimator"
            estimator.save(path)
            again = FairPostProcessor.load(path)
            self.assertEqual(again.uid, estimator.uid)
            self.assertEqual(again.explainParams(), estimator.explainParams())
            fitted = again.fit(pool.frame)
            with self.assertRaisesRegex(Exception, "(?i)already exists"):
                fitted.save(path)
            with self.assertRaisesRegex(OptionError, "not a dp2dp.spark.FairPostProcessorModel"):
                FairPostProcessorModel.load(path)
            fitted.write().overwrite().save(path)
            loaded = FairPostProcessorModel.load(path)
            self.assertEqual(loaded.model.to_json(), fitted.model.to_json())
            expected = decisions(fitted.transform(pool.frame))
            self.assertEqual(decisions(loaded.transform(pool.frame)), expected)
            whole = Pipeline(stages=[estimator]).fit(pool.frame)
            self.assertEqual(decisions(whole.transform(pool.frame)), expected)
            if not CONNECT:  # there, pyspark asks the server, which does not know this class
                whole.save(f"{folder}/whole")
                again = PipelineModel.load(f"{folder}/whole")
                self.assertEqual(decisions(again.transform(pool.frame)), expected)


class Params(Quiet):
    def test_params_are_those_of_pyspark(self):
        estimator = FairPostProcessor(groups=["f", "m"], epsilon=1)
        self.assertEqual(estimator.getEpsilon(), 1.0)
        self.assertEqual(estimator.setRho(0.1).getRho(), 0.1)
        self.assertEqual(estimator.setClasses(np.array([0, 1])).getClasses(), [0, 1])
        self.assertEqual(estimator.copy({estimator.rho: 0.2}).getRho(), 0.2)
        self.assertEqual(estimator.getRho(), 0.1)
        self.assertIn("epsilon of the guarantee", estimator.explainParam("epsilon"))
        self.assertFalse(estimator.hasDefault("epsilon") or estimator.hasDefault("delta"))
        for param in estimator.params:
            name = param.name[0].upper() + param.name[1:]
            for verb in ("get", "set"):
                self.assertTrue(getattr(FairPostProcessor, verb + name).__doc__)
        self.assertFalse(hasattr(FairPostProcessorModel, "setClasses"))

    def test_wrong_types_are_refused_at_once(self):
        for given, words in (
            ({"epsilon": "1"}, 'param "epsilon"'),
            ({"groups": "fm"}, 'param "groups"'),
            ({"groups": ["f", 1]}, "texts, of numbers or of booleans"),
            ({"classes": []}, "texts, of numbers or of booleans"),
            ({"options": [1]}, 'param "options"'),
            ({"rowsPerPerson": 1.5}, 'param "rowsPerPerson"'),
            ({"colour": 1}, "colour"),
        ):
            with self.subTest(given), self.assertRaisesRegex(TypeError, words):
                FairPostProcessor(**given)
        with self.assertRaises(TypeError):
            FairPostProcessor("probability")
        with self.assertRaisesRegex(TypeError, "no Param 'colour'"):
            FairPostProcessor().setParams(colour=1)

    def test_params_that_do_not_fit_are_refused_before_rows_are_read(self):
        pool = Pool(2, 2, n=100)
        unread = pool.frame.withColumn("id", F.raise_error(F.lit("read")).cast("int"))
        for given, words in (
            ({"groups": None}, "groups are missing"),
            ({"classes": None}, "classes are missing"),
            ({"epsilon": None}, "epsilon is missing"),
            ({"delta": None}, "delta is missing"),
            ({"sensitiveCol": None}, "sensitiveCol or sensitiveCols"),
            ({"sensitiveCols": ["id"]}, "sensitiveCol or sensitiveCols"),
            ({"sensitiveCol": "se"}, "sensitiveCol: the frame has no column 'se'"),
            ({"probabilityCol": "probability"}, "not both"),
            ({"probabilityCols": ["id"]}, "1 columns for 2 classes"),
            ({"probabilityCols": [GROUP, "id"]}, "must hold numbers, not string"),
            ({"probabilityCols": None, "probabilityCol": "id"}, "vectors or arrays of numbers"),
            ({"criterion": "parity"}, "must be one of"),
            ({"criterion": "equalized_odds"}, "Set dither=0"),
            ({"criterion": "equalized_odds", "dither": 0.1}, "Set dither=0"),
            ({"dither": 0.1}, "dither must be 0"),
            ({"criterion": "equalized_odds", "dither": 0}, "labelCol: the frame has no column"),
            ({"positive": "maybe"}, "positive must be one of"),
            ({"strategy": "fast"}, "auto, copy, tables"),
            ({"strategy": "tables", "solver": "exact"}, "needs the solver 'counts'"),
            ({"badRows": "drop"}, "bad_rows must be"),
            ({"budget": [1, 1e-5]}, "needs a ledger"),
            ({"options": {"epsilon": 2}}, "must not hold 'epsilon'"),
            ({"options": {"weights": 2}}, "must not hold 'weights'"),
        ):
            with self.subTest(given), self.assertRaisesRegex(OptionError, words):
                pool.estimator(**given).fit(unread)


def setUpModule():
    global started
    started = time.monotonic()


def tearDownModule():
    kind = "Spark Connect" if CONNECT else "Spark"
    print(f"FairPostProcessor in {kind}: {time.monotonic() - started:.0f} s")
