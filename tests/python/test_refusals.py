"""Refusals of dp2dp.core and dp2dp.metrics name the parameter and say what to pass instead."""

import os
import sys
import tempfile
import unittest
import warnings
from importlib import import_module
from importlib.util import find_spec
from unittest import mock

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import dp2dp
from dp2dp import FairPostProcessor, Ledger, PrivateLogisticRegression, Schema, core, metrics
from people import BUDGET, SEEDED, categorical, fitted, labelled, numeric, schema, scores

CODES = ["01", "02", "03"]


class Case(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        self.X, self.y, self.g = labelled(n=400)
        self.frame = pd.DataFrame(self.X, columns=list("abcd"))

    def refused(self, kind, words, function, *args, **given):
        with self.subTest(words), self.assertRaisesRegex(kind, words):
            function(*args, **given)

    def words(self, function, *args, **given):
        """Returns the first word of each warning of the call."""
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            function(*args, **given)
        return [str(one.message).split(":")[0] for one in found]


class Models(Case):
    def test_an_estimator_in_place_of_a_model_is_told_what_to_pass(self):
        private = PrivateLogisticRegression(**SEEDED, bounds=(-4, 4), classes=[0, 1])
        fair = FairPostProcessor(LogisticRegression(), **SEEDED, classes=[0, 1], groups=[0, 1])
        fair.fit(self.X, self.y, sensitive_features=self.g)
        p = LogisticRegression().fit(self.X, self.y).predict_proba(self.X)
        own = "^model must be a dp2dp.Model, not FairPostProcessor: pass the .* attribute model_"
        self.refused(
            TypeError, own + ", or call .*certify$", core.certify, fair, p, self.g, **BUDGET
        )
        unfitted = "not PrivateLogisticRegression: fit the estimator, and pass .* model_$"
        self.refused(TypeError, unfitted, core.score, private, self.frame)
        private.fit(self.X, self.y)
        self.refused(
            TypeError, "^model must.*estimator's attribute model_$", core.score, private, self.frame
        )
        path = r"^model must be a dp2dp.Model, not str; dp2dp.Model.load\(path\) reads a file"
        self.refused(TypeError, path, core.certify, "model.json", p, self.g, **BUDGET)
        for name in ("base", "group_base"):
            given = {name: private, "n_groups": 2, **BUDGET}
            words = f"^{name} must be a dp2dp.Model, not Private.*: pass .* attribute model_$"
            self.refused(TypeError, words, dp2dp.fit, p, self.g, **given)

    def test_numbered_columns_that_may_be_positions_or_names_are_refused(self):
        p, g = scores()
        model = fitted(p, g, class_names=[1, 0])
        words = "to_numpy.*; if they are names, turn them into texts"
        self.refused(dp2dp.DataError, words, model.predict, pd.DataFrame(p), g)
        self.refused(dp2dp.DataError, words, model.decide, pd.Series([0.9, 0.1]), "0")
        words = r"the columns of scores are \[0, 1\], but class_names are \[1, 0\]"
        self.refused(dp2dp.OptionError, words, fitted, pd.DataFrame(p), g, class_names=[1, 0])
        decided = model.predict(p, g).tolist()
        for names in (["1", "0"], [1, 0]):
            frame = pd.DataFrame(p, columns=names)
            self.assertEqual(model.predict(frame, g).tolist(), decided)
        reversed_texts = pd.DataFrame(p, columns=["1", "0"])[["0", "1"]]
        self.assertEqual(model.predict(reversed_texts, g).tolist(), decided)
        plain = fitted(p, g)
        self.assertEqual(plain.predict(pd.DataFrame(p), g).tolist(), plain.predict(p, g).tolist())

    def test_columns_with_the_same_index_in_another_order_are_refused(self):
        p, g = scores(n=400)
        frame = pd.DataFrame(p, columns=["0", "1"])
        codes = pd.Series(g)
        turned = codes.iloc[::-1]
        model = fitted(p, g)
        keyed = fitted(p, g, dither_key="id", dither=0.1, ids=np.arange(400))
        words = "have the same index in another order"
        for call in (
            lambda: model.report(scores=frame, groups=g, labels=turned),
            lambda: model.report(scores=p, groups=codes, labels=turned),
            lambda: model.report(scores=frame, groups=turned, labels=g),
            lambda: core.evaluate(codes, turned, n_groups=2, n_classes=2),
            lambda: core.evaluate(g, codes, turned, n_groups=2, n_classes=2),
            lambda: keyed.predict(p, codes, ids=turned),
            lambda: keyed.adjust(frame, g, ids=turned),
        ):
            self.refused(dp2dp.DataError, words, call)
        self.assertEqual(
            self.words(
                core.evaluate,
                1 - g,
                codes,
                codes.set_axis(codes.index + 7),
                n_groups=2,
                n_classes=2,
            ),
            ["index-differs"],
        )

    def test_what_has_no_numbers_or_rows_is_named(self):
        p, g = scores()
        model = fitted(p, g, class_names=["no", "yes"], score_columns=["a", "b"])
        words = "^scores must be a list, not a dict.* in the order no, yes"
        self.refused(dp2dp.DataError, words, model.decide, {"no": 0.3, "yes": 0.7}, "0")
        self.refused(
            dp2dp.OptionError, "^groups are missing", core.certify, model, p, None, **BUDGET
        )
        if find_spec("polars"):
            lazy = import_module("polars").DataFrame({"a": p[:, 0], "b": p[:, 1]}).lazy()
            words = r"LazyFrame has no rows in memory: pass a table, such as frame.collect\(\)"
            self.refused(TypeError, words, model.predict, lazy, g)

    def test_decide_takes_the_name_of_a_group(self):
        model = fitted(*scores(), n_groups=None, group_names=["f", "m"])
        self.assertIn(model.decide([0.5, 0.5], np.str_("f")), model.classes)
        for wrong in (0, np.int32(1), True, ["f"]):
            words = "^group must be one of the names 'f', 'm', not a value of type"
            self.refused(dp2dp.OptionError, words, model.decide, [0.5, 0.5], wrong)

    def test_a_warning_about_a_noisy_count_states_the_noise(self):
        p, g = scores(n=400)
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            model = fitted(p, g, epsilon=0.05)
            certificate = core.certify(model, p, g, epsilon=0.05, delta=1e-5, insecure_seed=1)
        texts = [str(one.message) for one in found if "group-too-small" in str(one.message)]
        sigma = next(e.event.sigma for e in model.ledger.entries if e.event.label == "group counts")
        both = (sigma, certificate.sigma * np.sqrt(2))
        for text, deviation in zip(texts, both, strict=True):
            stated = float(text.split("(noise of standard deviation ")[1].split(")")[0])
            self.assertAlmostEqual(stated / deviation, 1, delta=0.05)
        rng = np.random.default_rng(0)
        drawn = [
            400 * fitted(p, g, epsilon=0.05, insecure_seed=int(seed)).shares[0]
            for seed in rng.integers(2**32, size=60)
        ]
        self.assertLess(np.std(drawn), 1.2 * sigma)  # shares are clipped, so this is a bound
        self.assertGreater(np.std(drawn), 0.1 * sigma)


class Budgets(unittest.TestCase):
    def test_a_budget_has_two_named_numbers(self):
        ledger = Ledger()
        with self.assertRaisesRegex(TypeError, "'delta'"):
            ledger.set_budget(1)
        ledger.set_budget(epsilon=1, delta=1e-5)
        self.assertEqual(ledger.budget, (1, 1e-5))


class Measures(Case):
    def test_a_scorer_names_the_column_that_x_lacks(self):
        rule = LogisticRegression().fit(self.frame, self.y)
        frame = self.frame.assign(a=self.g)

        def score(column, X):
            return metrics.unfairness_scorer(column)(rule, X, self.y)

        self.assertEqual(score("a", frame), score(0, frame))
        self.assertEqual(score("a", frame), score(["a"], frame))
        for column, X, words in (
            ("A", frame, r"X has no column named 'A' \(did you mean 'a'\?\)"),
            (["a", "sex"], frame, "X has no column named 'sex'"),
            (7, frame, "sensitive_column must be a column of X, not 7"),
            ("a", frame.to_numpy(), "sensitive_column 'a' is a name, but X has no column names"),
        ):
            self.refused(dp2dp.OptionError, words, score, column, X)

    def test_a_missing_label_or_decision_is_named_with_its_row(self):
        y = pd.Series(self.y)
        for column in (
            y.astype(float).where(y.index != 6, np.nan),
            y.astype("Int64").where(y.index != 6, pd.NA),
            y.astype(object).where(y.index != 6, None),
            y.astype(str).where(y.index != 6, None),
        ):
            other = pd.Series(self.y if column.dtype != object else column.fillna(column[0]))
            given = dict(sensitive_features=self.g)
            for name, pair in (("y_true", (column, other)), ("y_pred", (other, column))):
                words = f"^row 7: the value of {name} is missing"
                self.refused(dp2dp.DataError, words, metrics.evaluate, *pair, **given)
            words = "^row 7: the value of y_pred is missing"
            self.refused(dp2dp.DataError, words, metrics.unfairness, None, column, **given)

    def test_a_class_or_group_that_is_listed_twice_is_refused(self):
        given = dict(sensitive_features=self.g)
        for lists, words in (
            (dict(classes=[0, 1, 1]), "^classes must list 1 only once"),
            (dict(groups=[0, 1, 0]), "^groups must list 0 only once"),
        ):
            self.refused(
                dp2dp.OptionError, words, metrics.evaluate, self.y, self.y, **given, **lists
            )

    def test_groups_and_decisions_that_differ_only_in_writing_give_a_warning(self):
        sex, even = np.array(["f", "m"])[self.g], np.arange(400) % 2 == 0
        decisions = np.array(["no", "yes"])[self.y]
        measure = metrics.unfairness
        for other in (np.char.upper(sex), np.char.add(sex, " ")):
            given = dict(sensitive_features=np.where(even, sex, other))
            self.assertEqual(self.words(measure, None, decisions, **given), ["groups-alike"])
        mixed = np.where(even, decisions, np.char.title(decisions))
        given = dict(sensitive_features=sex)
        self.assertEqual(self.words(measure, None, mixed, **given), ["classes-alike"])
        self.assertEqual(self.words(measure, None, decisions, **given), [])


class Lists(Case):
    def test_a_set_has_no_order(self):
        p, g = scores()
        words = "must be a list: a set has no order"
        self.refused(dp2dp.OptionError, words, fitted, p, g, group_names={"f", "m"})
        self.refused(dp2dp.OptionError, words, fitted, p, g, class_names={"no", "yes"})
        frame = self.frame.assign(y=self.y)
        given = dict(bounds=(-4, 4), label="y", categories={"y": [0, 1]})
        for wrong in (dict(categories={"y": {0, 1}}), dict(bounds={-4, 4})):
            self.refused(dp2dp.OptionError, words, Schema.from_frame, frame, **given | wrong)
        keys = {0: "no", 1: "yes"}
        made = Schema.from_frame(frame, **given | dict(categories={"y": keys.keys()}))
        self.assertEqual(made.classes, ["0", "1"])

    def test_a_list_of_groups_or_classes_has_no_missing_value(self):
        known = LogisticRegression().fit(self.X, self.y)
        sex = np.array(["f", "m"])[self.g]
        for missing in (None, np.nan, pd.NA):
            for groups in (["f", "m", missing], ("f", missing), pd.Series(["f", "m", missing])):
                fair = FairPostProcessor(known, prefit=True, **BUDGET, groups=groups)
                words = "^groups must not list a missing value"
                given = dict(sensitive_features=sex)
                self.refused(dp2dp.OptionError, words, fair.fit, self.X, **given)
            fair = FairPostProcessor(known, prefit=True, **BUDGET, classes=[0, 1, missing])
            fair.set_params(groups=["f", "m"])
            words = "^classes must not list a missing value"
            self.refused(dp2dp.OptionError, words, fair.fit, self.X, sensitive_features=sex)
            given = dict(sensitive_features=sex, groups=["f", "m", missing])
            words = "^groups must not list a missing value"
            self.refused(dp2dp.OptionError, words, metrics.evaluate, None, self.y, **given)
            p, g = scores()
            words = "a list of names must not hold a missing value"
            names = dict(group_names=["f", missing])
            self.refused(dp2dp.OptionError, words, fitted, p, g, **names)

    def test_a_frame_without_pyarrow_names_the_package(self):
        made = Schema(schema(numeric("a"), categorical("y", "0", "1", role="label")))
        frame = self.frame[["a"]].assign(y=self.y.astype(str))
        words = "only if pyarrow is installed: pip install pyarrow"
        with mock.patch.dict(sys.modules, {"pyarrow": None}):
            for call in (made.check, made.encode, lambda rows: dp2dp.train(made, rows, **BUDGET)):
                self.refused(ImportError, words, call, frame)

    def test_a_schema_takes_each_column_once_and_no_missing_level(self):
        frame = self.frame.assign(y=self.y, sex=self.g)
        given = dict(bounds=(-4, 4), label="y", sensitive="sex")
        lists = {"y": [0, 1], "sex": [0, 1]}
        for wrong, words in (
            (dict(sensitive="y"), "^'y' is given as sensitive and as label"),
            (dict(sensitive=["sex", "y"]), "^'y' is given as sensitive and as label"),
            (dict(ignore="sex"), "^'sex' is given as ignore and as sensitive"),
            (dict(categories={**lists, "y": [0, 1, None]}), "'y' must not list a missing value"),
            (dict(categories={**lists, "y": [0, 1, np.nan]}), "'y' must not list a missing value"),
            (dict(categories={**lists, "y": 2}), "categories of 'y' must be a list, not int"),
        ):
            given_now = {**given, "categories": lists, **wrong}
            self.refused(dp2dp.OptionError, words, Schema.from_frame, frame, **given_now)


class Unlisted(Case):
    def trained(self, column, categories):
        frame = self.frame.assign(code=column)
        private = PrivateLogisticRegression(
            **SEEDED, bounds=(-4, 4), classes=[0, 1], categories={"code": categories}
        )
        return self.words(private.fit, frame, self.y) + self.words(private.predict, frame)

    def test_spellings_of_a_number_that_the_library_knows_give_no_warning(self):
        numbers = np.arange(400) % 3 + 1
        texts = numbers.astype(str)
        for column, levels in (
            (numbers, CODES),
            (texts, CODES),
            (np.char.zfill(texts, 2), [1, 2, 3]),
            (numbers.astype(float).astype(str), [1, 2, 3]),
            (np.char.add(texts, "e0"), ["1.0", "2.0", "3.0"]),
        ):
            with self.subTest(column=column[:3], levels=levels):
                self.assertNotIn("levels-unlisted", self.trained(column, levels))
        # These are texts: a list with 1 and 01, or with a word, is not compared as numbers.
        for levels in (["1", "01", "02", "03"], [*CODES, "x"]):
            found = self.trained(np.char.add(texts, ".0"), levels)
            self.assertEqual(found.count("levels-unlisted"), 2)

    def test_what_a_schema_trims_or_takes_as_missing_gives_no_warning(self):
        job = dict(categorical("job", "clerk", "smith"), missing="level")
        made = schema(numeric("a"), job, categorical("y", "0", "1", role="label"))
        trimmed = Schema(dict(made, trim=True, missing=["?"]))
        frame = self.frame[["a"]].assign(job=np.where(self.y, " clerk", "? "))
        private = PrivateLogisticRegression(**SEEDED, schema=trimmed)
        self.assertNotIn("levels-unlisted", self.words(private.fit, frame, self.y))
        self.assertNotIn("levels-unlisted", self.words(private.predict, frame))
        plain = PrivateLogisticRegression(**SEEDED, schema=Schema(made))
        self.assertIn("levels-unlisted", self.words(plain.fit, frame, self.y))

    @unittest.skipUnless(find_spec("pyarrow"), "frames need pyarrow for an Arrow stream")
    def test_training_on_a_file_and_scoring_tell_of_another_unit_or_spelling(self):
        made = Schema(
            schema(
                numeric("a"),
                categorical("job", "x", "y"),
                categorical("sex", "0", "1", role="sensitive"),
                categorical("y", "0", "1", role="label"),
            )
        )
        frame = self.frame[["a"]].assign(job=np.where(self.y, "x", "y"), y=self.y)
        model = dp2dp.train(made, frame, **SEEDED)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rows.csv")
            for word, wrong in (
                ("bounds-exceeded", frame.assign(a=1000 * frame["a"] + 5)),
                ("levels-unlisted", frame.assign(job="X")),
            ):
                wrong.to_csv(path, index=False)
                for rows in (wrong, path):
                    self.assertIn(word, self.words(dp2dp.train, made, rows, **SEEDED))
                    self.assertIn(word, self.words(core.score, model, rows))
                    self.assertNotIn(word, self.words(core.score, model, rows, bad_rows="ignore"))
            frame.to_csv(path, index=False)
            for rows in (frame, path):
                self.assertEqual(self.words(core.score, model, rows), [])


if __name__ == "__main__":
    unittest.main()
