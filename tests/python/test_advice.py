"""Messages name the cause and say what to type in Python, and nothing is answered in silence."""

import json
import os
import pickle
import re
import tempfile
import unittest
import warnings
from importlib.util import find_spec

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dp2dp
from dp2dp import (
    DP2DPClassifier,
    FairPostProcessor,
    Ledger,
    PrivateLogisticRegression,
    Schema,
    core,
    metrics,
    sql,
)
from people import BUDGET, SEEDED, categorical, labelled, numeric, schema

PUBLIC = dict(classes=[0, 1], groups=[0, 1])


class Case(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        self.X, self.y, self.g = labelled(n=600)
        self.frame = pd.DataFrame(self.X, columns=list("abcd"))
        self.p = LogisticRegression().fit(self.X, self.y).predict_proba(self.X)

    def post(self, **given):
        return FairPostProcessor(LogisticRegression(), **{**SEEDED, **PUBLIC, **given})

    def both(self, **given):
        return DP2DPClassifier(**{**SEEDED, **PUBLIC, "bounds": (-4, 4), **given})

    def private(self, **given):
        return PrivateLogisticRegression(
            **{**SEEDED, "classes": [0, 1], "bounds": (-4, 4), **given}
        )

    def refused(self, words, function, *args, **given):
        with self.subTest(words), self.assertRaisesRegex((ValueError, TypeError), words) as told:
            function(*args, **given)
        self.assertNotRegex(str(told.exception), r"\bSAME\b")

    def told(self, word, function, *args, **given):
        """Asserts that the call gives one such warning, and returns its text and the result."""
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            result = function(*args, **given)
        texts = [str(one.message) for one in found if str(one.message).startswith(word)]
        self.assertEqual(len(texts), 1, texts)
        return texts[0], result

    def quiet(self, word, function, *args, **given):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            result = function(*args, **given)
        self.assertEqual([one for one in found if str(one.message).startswith(word)], [])
        return result


class Advice(Case):
    def test_a_misspelt_option_says_which_one_was_meant(self):
        fit = dict(n_groups=2, delta=1e-5)
        self.refused(
            "'epsilom' .did you mean 'epsilon'", dp2dp.fit, self.p, self.g, epsilom=1, **fit
        )
        self.refused("no option 'n_group'", dp2dp.fit, self.p, self.g, n_group=2, **BUDGET)
        options = {"step": 3}
        words = "'step' .did you mean 'steps'"
        for estimator in (
            self.post(options=options),
            self.both(fit_options=options),
            self.both(train_options=options),
        ):
            self.refused(words, estimator.fit, self.X, self.y, sensitive_features=self.g)
        self.refused(words, self.private(options=options).fit, self.X, self.y)
        model = dp2dp.fit(self.p, self.g, n_groups=2, **BUDGET)
        self.refused(
            "did you mean 'confidence'",
            dp2dp.certify,
            model,
            self.p,
            self.g,
            confidance=0.9,
            **BUDGET,
        )
        words = r"unknown option 'zebra': .* rho, .*core\.options\(dp2dp\.fit\)"
        self.refused(words, dp2dp.fit, self.p, self.g, zebra=1, **fit)
        words = "unknown option 'zebra': the options are bad_rows, confidence"
        self.refused(words, dp2dp.certify, model, self.p, self.g, zebra=1, **BUDGET)

    def test_the_names_of_other_libraries_are_known(self):
        for name, words in (
            ("C", "'penalty' here, and only the methods 'output' and 'none'"),
            ("max_iter", "'steps' here"),
            ("Epochs", "'steps' here"),
            ("batch_size", "'batch' here"),
            ("max_grad_norm", "'clip' here"),
            ("noise_multiplier", "epsilon and delta determine the noise"),
            ("zebra", r"clip, .*core\.options\(dp2dp\.train\)"),
        ):
            words = f"unknown option '{name}': .*{words}"
            with self.assertRaisesRegex(dp2dp.OptionError, words) as caught:
                self.private(options={name: 1}).fit(self.X, self.y)
            self.assertIsInstance(caught.exception, TypeError)
        post = self.post(options={"epochs": 3})
        with self.assertRaisesRegex(dp2dp.OptionError, "'epochs': .*'steps' here"):
            post.fit(self.X, self.y, sensitive_features=self.g)
        with self.assertRaisesRegex(dp2dp.OptionError, r"dp2dp\.fit"):  # fit has no penalty
            self.post(options={"C": 1}).fit(self.X, self.y, sensitive_features=self.g)

    def test_the_names_that_estimators_use_are_known(self):
        given = dict(n_groups=2, labels=self.y, **BUDGET)
        words = "'constraints' .did you mean 'criterion'"
        for labelled_ in (given, {**given, "labels": None}):
            odds = dict(labelled_, constraints="equalized_odds")
            self.refused(words, dp2dp.fit, self.p, self.g, **odds)
        names = dict(scores=["no", "yes"], classes=["no", "yes"], groups=["f", "m"])
        given = dict(names, sensitive="sex", label="y", constraints="equalized_odds", **BUDGET)
        self.refused(words, sql.fit, None, "people", **given)
        given = dict(n_groups=2, sample_weight=np.ones(600), **BUDGET)
        self.refused("each person counts once", dp2dp.fit, self.p, self.g, **given)

    def test_options_must_be_a_dict(self):
        for name, make in (
            ("options", self.post),
            ("fit_options", self.both),
            ("train_options", self.both),
        ):
            words = f"^{name} must be a dict"
            estimator = make(**{name: ["steps"]})
            self.refused(words, estimator.fit, self.X, self.y, sensitive_features=self.g)

    def test_a_truth_value_is_not_a_number(self):
        for name in ("epsilon", "delta"):
            words = f"{name} must be a number, not True"
            given = {**BUDGET, name: True}
            self.refused(words, dp2dp.fit, self.p, self.g, n_groups=2, **given)

    def test_a_seed_that_is_none_names_the_parameter(self):
        for seed in (-1, 1.5, 2**64, "1"):
            fair = self.post(insecure_seed=seed)
            words = "insecure_seed must be a whole number from 0"
            self.refused(words, fair.fit, self.X, self.y, sensitive_features=self.g)

    def test_two_columns_of_one_name_are_refused_with_the_name(self):
        words = "two columns are named 'a': rename or drop one"
        twice = pd.concat([self.frame, self.frame[["a"]]], axis=1)
        jobs = {"a": ["x", "y"]}
        self.refused(words, self.private().fit, twice, self.y)
        self.refused(words, self.private(categories=jobs).fit, twice, self.y)
        given = dict(sensitive_features=self.g)
        for estimator in (self.post(), self.both(), self.both(categories=jobs)):
            self.refused(words, estimator.fit, twice, self.y, **given)
        self.refused(words, self.post(sensitive_column="a").fit, twice, self.y)
        self.refused(words, Schema.from_frame, twice, bounds=(-4, 4))
        fair = self.both().fit(self.frame, self.y, **given)
        self.refused(words, fair.predict, twice, **given)
        self.refused(words, fair.model_.predict, twice, self.g)

    def test_booleans_need_neither_bounds_nor_categories_in_a_schema(self):
        frame = self.frame.assign(old=self.X[:, 0] > 0, paid=self.y == 1, male=self.g == 1)
        for kind in ("bool", "boolean"):
            frame = frame.astype({"old": kind, "paid": kind, "male": kind})
            made = Schema.from_frame(frame, bounds=(-4, 4), label="paid", sensitive="male")
            self.assertEqual((made.classes, made.groups), (["False", "True"],) * 2)
            fair = DP2DPClassifier(**SEEDED, schema=made)
            fair.fit(frame.drop(columns="paid"), frame["paid"].astype(bool))
            self.assertEqual(fair.classes_.tolist(), [False, True])
            found = fair.score(frame.drop(columns="paid"), frame["paid"].astype(bool))
            self.assertGreater(found, 0.6)
        columns = {column["name"]: column for column in made_columns(made)}
        self.assertEqual((columns["old"]["lower"], columns["old"]["upper"]), (0, 1))
        ends = {**dict.fromkeys("abcd", (-4, 4)), "old": (-1, 2)}
        given = Schema.from_frame(frame, bounds=ends, label="paid", sensitive="male")
        self.assertEqual([c["upper"] for c in made_columns(given) if c["name"] == "old"], [2])

    @unittest.skipUnless(find_spec("pyarrow"), "needs pyarrow")
    def test_booleans_train_the_same_model_from_a_frame_its_texts_and_its_csv(self):
        frame = self.frame.assign(old=self.X[:, 0] > 0, paid=self.y == 1, male=self.g == 1)
        given = dict(bounds=(-4, 4), label="paid", sensitive="male")
        made = Schema.from_frame(frame, **given, categories={"old": [False, True]})
        texts = frame.astype({"old": str, "paid": str, "male": str})
        nullable = frame.astype({"old": "boolean", "paid": "boolean", "male": "boolean"})
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            frame.to_csv(file.name, index=False, float_format="%.17g")
            tables = (frame, nullable, texts, file.name)
            checked = [made.check(rows) for rows in tables]
            models = [dp2dp.train(made, rows, **SEEDED) for rows in tables]
        self.assertEqual({str(one) for one in checked}, {str(checked[0])})
        self.assertEqual([checked[0][name] for name in ("kept", "refused")], [len(frame), 0])
        self.assertEqual(sum(column["unknown"] for column in checked[0]["columns"]), 0)
        self.assertEqual({one.checksum for one in models}, {models[0].checksum})
        numeric = Schema.from_frame(frame, **given)  # without a list, a boolean feature is 0 or 1
        numbers = dp2dp.train(numeric, frame, **SEEDED)
        ones = dp2dp.train(numeric, frame.assign(old=frame["old"].astype(int)), **SEEDED)
        self.assertEqual(numbers.checksum, ones.checksum)

    def test_booleans_with_a_list_of_numbers_are_named_as_the_cause(self):
        frame = self.frame.assign(old=self.X[:, 0] > 0)
        numbers = self.private(categories={"old": [0, 1]})
        text, _ = self.told("levels-unlisted", numbers.fit, frame, self.y)
        self.assertIn("booleans: list them as [False, True]", text)
        fitted = self.private(categories={"old": [False, True]}).fit(frame, self.y)
        text, _ = self.told("levels-unlisted", fitted.predict, frame.assign(old=1))
        self.assertIn("The list has booleans", text)

    def test_a_missing_value_says_what_to_do_in_pandas_and_in_a_schema(self):
        broken = self.frame.copy()
        broken.loc[4, "c"] = np.nan
        made = schema(*map(numeric, "abcd"), categorical("y", "0", "1", role="label"))
        private = PrivateLogisticRegression(**SEEDED, schema=made)
        words = r'^row 5, column "c".*dropna or fillna; .*"missing" to "drop" or "level"'
        self.refused(words, private.fit, broken, self.y)
        self.refused(words, private.fit(self.frame, self.y).predict, broken)

    def test_a_column_name_for_an_array_says_that_it_has_none(self):
        fair = make_pipeline(StandardScaler(), self.post(sensitive_column="d"))
        self.refused("X has no column names. Give the position", fair.fit, self.frame, self.y)

    def test_a_number_that_is_the_name_of_another_column_is_refused(self):
        frame = pd.DataFrame(np.column_stack([self.X, self.g]))
        self.post(sensitive_column=4).fit(frame, self.y)
        frame.columns = [4, 3, 2, 1, 0]
        words = "another column of X has this number as its name"
        for at in (0, 4):
            self.refused(words, self.post(sensitive_column=at).fit, frame, self.y)
        self.post(sensitive_column=-1).fit(frame, self.y)

    def test_a_schema_needs_a_frame(self):
        words = "frame must be a pandas.DataFrame.*not ndarray"
        self.refused(words, Schema.from_frame, self.X, bounds=(-4, 4))

    def test_one_person_needs_a_score_for_each_class(self):
        model = dp2dp.fit(self.p, self.g, n_groups=2, **BUDGET)
        for wrong in (0.3, [0.3], [0.1, 0.2, 0.7], self.p):
            self.refused("one number for each of the 2 classes", model.decide, wrong, "0")
        self.assertEqual(model.decide([0.01, 0.99], "0"), "1")

    def test_a_table_of_the_group_alone_has_no_features(self):
        alone = pd.DataFrame({"sex": self.g})
        for make in (self.post, self.both):
            fair = make(sensitive_column="sex")
            self.refused("X has only the sensitive column", fair.fit, alone, self.y)

    def test_one_column_of_probabilities_says_how_to_make_two(self):
        words = r"as predict_proba\(X\) gives.*column_stack\(\[1 - p, p\]\)"
        self.refused(words, dp2dp.fit, self.p[:, 1], self.g, n_groups=2, **BUDGET)
        model = dp2dp.fit(self.p, self.g, n_groups=2, **BUDGET)
        for one in (self.p[:, 1], pd.Series(self.p[:, 1]), self.p[:, 1].tolist()):
            self.refused(words, model.predict, one, self.g)

    def test_a_budget_that_a_plain_classifier_breaks_names_the_classifier(self):
        fair = self.post(ledger=Ledger(), budget=(2, 1e-4))
        words = "LogisticRegression is fitted here without privacy.*PrivateLogisticRegression"
        with self.assertRaisesRegex(dp2dp.BudgetError, words):
            fair.fit(self.X, self.y, sensitive_features=self.g)

    def test_same_people_are_named_as_python_names_them(self):
        fit = dict(n_groups=2, delta=1e-5)
        self.refused("same_people", dp2dp.fit, self.p, self.g, total_epsilon=1, **fit)
        june = dp2dp.fit(self.p, self.g, people="june", epsilon=1, **fit)
        words = "^people 'june'.*same_people"
        self.refused(words, dp2dp.certify, june, self.p, self.g, people="june", **BUDGET)

    def test_an_export_names_the_arguments_of_python(self):
        fair = self.both().fit(self.X, self.y, sensitive_features=self.g)
        self.refused("score_columns in Python", fair.model_.to_sql, "duckdb")
        names = dict(score_columns=["no", "yes"])
        self.refused("group_column in Python", fair.model_.to_sql, "duckdb", **names)


class Ledgers(Case):
    def test_an_estimator_takes_a_ledger_or_its_path(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ledger.json")
            for given in (Ledger(), Ledger.open(path), path):
                fair = self.both(ledger=given)
                clone(fair).fit(self.X, self.y, sensitive_features=self.g)
                fair.fit(self.X, self.y, sensitive_features=self.g)
                ledger = given if isinstance(given, Ledger) else Ledger.open(given)
                self.assertEqual(sum(entry.kind == "charge" for entry in ledger.entries) % 6, 0)
                self.assertGreaterEqual(len(ledger.entries), 6)

    def test_a_ledger_is_not_sent_to_another_process(self):
        self.refused("Pass the path", pickle.dumps, self.both(ledger=Ledger()))

    def test_what_is_no_ledger_is_refused_before_anything_is_charged(self):
        for wrong in (True, 3, ["ledger.json"]):
            fair = self.both(ledger=wrong)
            words = "ledger must be a dp2dp.Ledger or the path of a ledger file"
            self.refused(words, fair.fit, self.X, self.y, sensitive_features=self.g)
        words = r"Ledger.open\(path\) opens a file"
        self.refused(words, dp2dp.fit, self.p, self.g, n_groups=2, ledger="l.json", **BUDGET)


class Silence(Case):
    def test_predictions_tell_of_another_unit_or_spelling(self):
        frame = self.frame.assign(job=np.where(self.y, "clerk", "smith"))
        jobs = {"job": ["clerk", "smith"]}
        given = dict(sensitive_features=self.g)
        private = self.private(categories=jobs).fit(frame, self.y)
        both = self.both(categories=jobs).fit(frame, self.y, **given)
        post = FairPostProcessor(private, prefit=True, **SEEDED, **PUBLIC)
        post.fit(frame, sensitive_features=self.g)
        sex = frame.assign(group=self.g)
        for word, wrong in (
            ("bounds-exceeded", dict(a=1000 * frame["a"] + 5)),
            ("bounds-too-wide", dict(a=frame["a"] / 1000 + 0.2)),
            ("levels-unlisted", dict(job="Clerk")),
        ):
            other = frame.assign(**wrong)
            self.told(word, private.predict, other)
            self.told(word, private.predict_proba, other)
            for fair in (both, post):
                self.told(word, fair.predict, other, **given)
                self.told(word, fair.decision_function, other, **given)
            self.told(word, both.model_.predict, sex.assign(**wrong))
            self.quiet(word, both.predict, frame, **given)
            self.quiet(word, both.model_.predict, sex)
            people = dict(given, bad_rows="ignore", epsilon=1, delta=1e-5)
            for fair in (both, post):
                self.quiet(word, fair.certify, other, **people)

    @unittest.skipUnless(find_spec("pyarrow"), "frames need pyarrow for an Arrow stream")
    def test_a_training_on_a_frame_tells_of_another_unit_or_spelling(self):
        made = schema(
            numeric("a"), categorical("job", "x", "y"), categorical("y", "0", "1", role="label")
        )
        frame = pd.DataFrame({"a": self.X[:, 0], "job": "x", "y": self.y.astype(str)})
        for word, wrong in (
            ("bounds-exceeded", frame.assign(a=1000 * frame["a"] + 5)),
            ("bounds-too-wide", frame.assign(a=frame["a"] / 1000 + 0.2)),
            ("levels-unlisted", frame.assign(job="X")),
        ):
            self.told(word, dp2dp.train, made, wrong, **BUDGET)
            self.quiet(word, dp2dp.train, made, frame, **BUDGET)
            self.quiet(word, dp2dp.train, made, wrong, bad_rows="ignore", **BUDGET)

    def test_columns_of_which_most_say_none_are_in_their_unit(self):
        gain = np.where(np.arange(len(self.X)) % 20, 0, 1000.0 * self.X[:, 0])
        frame = self.frame.assign(b=np.clip(gain, 0, 1000), c=np.arange(len(gain)) % 5)
        bounds = dict(a=(0, 1), b=(0, 1000), c=(0, 1000), d=(0, 1))
        private = self.private(bounds=bounds)
        self.quiet("bounds-too-wide", private.fit, frame, self.y)

    def test_thousands_that_lost_their_dot_and_columns_with_one_value_are_told(self):
        rng = np.random.default_rng(0)
        money = np.round(rng.lognormal(7.4, 0.6, len(self.X)))
        frame = self.frame.assign(b=np.clip(money, 10, 20000))
        private = self.private(bounds=dict(a=(-4, 4), b=(0, 20000), c=(-4, 4), d=(-4, 4)))
        private.fit(frame, self.y)
        for word in ("thousands-separated", "one-value"):
            self.quiet(word, private.fit, frame, self.y)
            self.quiet(word, private.predict, frame)
        dotted = frame.assign(b=np.where(frame["b"] < 1000, frame["b"], frame["b"] / 1000))
        self.told("thousands-separated", private.predict, dotted)
        self.quiet("thousands-separated", private.predict, dotted.assign(b=dotted["b"] + 0.0005))
        self.told("one-value", private.predict, frame.assign(b=2400.0)[:100])
        self.quiet("one-value", private.predict, frame.assign(b=2400.0)[:99])
        zeros = pd.concat([frame, frame]).assign(b=0.0)
        self.told("one-value", private.predict, zeros[:1000])
        self.quiet("one-value", private.predict, zeros[:999])

    def test_a_column_with_a_logarithm_is_told_in_another_unit(self):
        income = np.random.default_rng(0).lognormal(10.5, 0.7, len(self.X))
        given = numeric("income", 0, 1e6) | {"log1p": True}
        made = schema(given, categorical("y", "0", "1", role="label"))
        frame = pd.DataFrame({"income": income})
        labels = (income > 36000).astype(int)
        private = self.private(schema=made, bounds=None, classes=None)
        self.quiet("bounds-too-wide", private.fit, frame, labels)
        self.quiet("bounds-too-wide", private.predict, frame)
        self.told("bounds-too-wide", private.predict, frame / 1000)
        self.told("bounds-exceeded", private.predict, frame * 1000)
        sums = pd.DataFrame({"income": np.random.default_rng(0).lognormal(4, 1.5, len(self.X))})
        self.quiet("bounds-too-wide", private.predict, sums + 100)  # mostly small, but not all

    @unittest.skipUnless(find_spec("pyarrow"), "frames need pyarrow for an Arrow stream")
    def test_features_between_cuts_and_names_that_are_numbers_are_no_obstacle(self):
        cut = {"name": "0", "role": "feature", "kind": "numeric", "cuts": [0.3, 0.6]}
        made = schema(cut, numeric("1"), categorical("y", "0", "1", role="label"))
        frame = pd.DataFrame({0: self.X[:, 0], 1: self.X[:, 1], "y": self.y.astype(str)})
        model = dp2dp.train(made, frame, **BUDGET)
        self.assertEqual(len(dp2dp.core.score(model, frame).scores), len(frame))
        private = PrivateLogisticRegression(schema=made, **BUDGET)
        X = frame[[0, 1]].rename(columns=str)
        self.assertEqual(len(private.fit(X, self.y).predict(X)), len(frame))

    def test_predictions_tell_that_everybody_is_in_one_group_between_cuts(self):
        age = np.where(self.g, 30.0, 60.0)
        both = self.both(sensitive_cuts=[40], groups=None)
        self.quiet("one-group", both.fit, self.frame, self.y, sensitive_features=age)
        self.quiet("one-group", both.predict, self.frame, sensitive_features=age)
        text, _ = self.told("one-group", both.predict, self.frame, sensitive_features=age * 12)
        self.assertIn("unit as the cut points (40)?", text)
        self.told("one-group", both.model_.predict, self.frame.assign(group=age * 12))
        people = dict(sensitive_features=age * 12, bad_rows="ignore", epsilon=1, delta=1e-5)
        self.quiet("one-group", both.certify, self.frame, **people)

    def test_a_certificate_of_as_many_people_as_the_fit_says_so(self):
        given = dict(sensitive_features=self.g)
        for fair in (
            self.post().fit(self.X, self.y, **given),
            self.both().fit(self.X, self.y, **given),
            self.both(pool="same").fit(self.X, self.y, **given),
        ):
            text, _ = self.told("as-many-people", fair.certify, self.X * 0.999, **given, **BUDGET)
            self.assertIn("same_people=True", text)
            less = dict(sensitive_features=self.g[1:], **BUDGET)
            self.quiet("as-many-people", fair.certify, self.X[1:], **less)
        model = dp2dp.fit(self.p, self.g, n_groups=2, **BUDGET)
        others = self.p * 0.999 + 0.0005, self.g.copy()
        self.told("as-many-people", dp2dp.certify, model, *others, **BUDGET)
        for same in (False, True):
            stated = dict(BUDGET, same_people=same)
            self.quiet("as-many-people", dp2dp.certify, model, self.p, self.g, **stated)
        _, found = self.told("as-many-people", dp2dp.certify, model, *others, **BUDGET)
        self.assertIn("as-many-people", found.warnings)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = dp2dp.certify(model, self.p, self.g, same_people=False, **BUDGET)
        self.assertEqual(found.warnings, [])

    def test_a_certificate_for_several_rows_of_a_person_has_no_strict_bound(self):
        model = dp2dp.fit(self.p, self.g, n_groups=2, rows_per_person=2, **BUDGET)
        people = (model, self.p[1:], self.g[1:])
        _, found = self.told("no-strict-bound", dp2dp.certify, *people, **BUDGET)
        self.assertEqual(found.unfairness_upper_strict, 1)
        self.assertIn("no-strict-bound", found.warnings)

    def test_a_pool_as_large_as_the_training_says_so(self):
        model = self.private().fit(self.frame, self.y).model_
        given = dict(n_groups=2, base=model, **BUDGET)
        text, _ = self.told("as-many-people", dp2dp.fit, self.p, self.g, **given)
        self.assertIn("same_people=True", text)
        self.quiet("as-many-people", dp2dp.fit, self.p[1:], self.g[1:], **given)
        for same in (False, True):
            self.quiet("as-many-people", dp2dp.fit, self.p, self.g, same_people=same, **given)

        def count(offsets):
            return core.count(self.p, self.g, offsets, n_groups=2)

        names = dict(group_names=["f", "m"], class_names=["0", "1"], base=model, records=600)
        self.told("as-many-people", core.fit_source, count, **names, **BUDGET)

    def test_a_group_that_is_too_small_is_named_by_its_released_count(self):
        groups = np.where(np.arange(600) < 8, "tiny", np.where(self.g, "m", "f"))
        public = dict(classes=[0, 1], groups=["f", "m", "tiny"])
        clear = dict(SEEDED, epsilon=4)
        fair = FairPostProcessor(LogisticRegression(), **clear, **public, pool_fraction=0.6)
        text, _ = self.told("group-too-small", fair.fit, self.X, self.y, sensitive_features=groups)
        released = fair.model_.shares * fair.model_.records
        about = max(round(released.min()), 0)
        self.assertIn(f"that of the group 'tiny': about {about} people", text)
        people = dict(sensitive_features=groups[1:], **SEEDED)
        text, found = self.told("group-too-small", fair.certify, self.X[1:], **people)
        about = max(round(found.table.sum(axis=1).min()), 0)
        self.assertIn(f"that of the group 'tiny': about {about} people", text)

    def test_no_group_is_named_if_the_noise_hides_which_one_is_the_smallest(self):
        given = dict(groups=[0, 1], **{**SEEDED, "epsilon": 0.05})
        fair = FairPostProcessor(LogisticRegression(), classes=[0, 1], **given)
        people = dict(sensitive_features=self.g)
        text, _ = self.told("group-too-small", fair.fit, self.X, self.y, **people)
        self.assertIn("do not show which group is the smallest", text)
        self.assertNotIn("of the group", text)

    def test_one_set_of_people_has_one_guarantee_in_print(self):
        given = dict(sensitive_features=self.g)
        same = repr(self.both(pool="same", insecure_seed=None).fit(self.X, self.y, **given).model_)
        self.assertEqual(len(re.findall("differentially private", same)), 1)
        self.assertIn("training and the 600 records of the pool, which belong to the same", same)
        own = repr(self.both(insecure_seed=None).fit(self.X, self.y, **given).model_)
        self.assertEqual(len(re.findall("differentially private", own)), 2)

    def test_an_array_goes_by_position_after_a_fit_to_a_frame(self):
        given = dict(sensitive_features=self.g)
        fair = self.both().fit(self.frame, self.y, **given)
        expected = fair.predict(self.frame, **given)
        with self.assertWarnsRegex(UserWarning, "feature names"):
            warnings.simplefilter("always")
            np.testing.assert_array_equal(fair.predict(self.X, **given), expected)

    def test_measurements_as_groups_are_told(self):
        for function in (metrics.evaluate, metrics.unfairness):
            measured = dict(sensitive_features=self.X[:, 0])
            self.told("groups-many", function, self.y, self.y, **measured)
            grouped = dict(sensitive_features=self.g)
            self.quiet("groups-many", function, self.y, self.y, **grouped)

    def test_labels_that_are_written_differently_are_refused_or_told(self):
        given = dict(sensitive_features=self.g)
        words = "one of the two holds texts"
        self.refused(words, metrics.evaluate, self.y.astype(str), self.y, **given)
        words = r"y_pred has 2 columns.*estimator.predict\(X\)"
        self.refused(words, metrics.evaluate, self.y, self.p, **given)
        self.told("classes-differ", metrics.evaluate, self.y, 2 * self.y - 1, **given)
        odds = dict(given, constraints="equalized_odds")
        self.told("classes-differ", metrics.unfairness, self.y, self.y + 7, **odds)
        signs = dict(given, classes=[-1, 0, 1])
        self.quiet("classes-differ", metrics.evaluate, self.y, 2 * self.y - 1, **signs)
        self.quiet("classes-differ", metrics.evaluate, self.y, np.zeros(600, int), **given)

    def test_labels_of_any_type_are_compared(self):
        given = dict(sensitive_features=self.g)
        words = np.where(self.y, "yes", "no")
        loud = np.char.upper(words)
        three = np.where(self.X[:, 0] > 1, "maybe", words)
        for labels, decisions in (
            (loud.astype(object), words),
            (pd.Series(loud), pd.Series(words)),
            (pd.Series(loud, dtype="category"), words.astype(object)),
            (pd.Series(loud, dtype="string"), pd.Series(words, dtype="string")),
            (np.char.add(three, " "), three),
        ):
            self.told("classes-differ", metrics.evaluate, labels, decisions, **given)
            self.quiet("classes-differ", metrics.evaluate, decisions, decisions, **given)
        words = "one of the two holds texts"
        self.refused(words, metrics.evaluate, pd.Series(self.y.astype(str)), self.y, **given)

    def test_a_score_of_labels_that_the_estimator_does_not_know_is_told(self):
        words = np.where(self.y, "yes", "no")
        given = dict(sensitive_features=self.g)
        fair = self.post(classes=["no", "yes"]).fit(self.X, words, **given)
        loud = pd.Series(words).str.upper()
        _, score = self.told("classes-differ", fair.score, self.X, loud, **given)
        self.assertEqual(score, 0)
        self.quiet("classes-differ", fair.score, self.X, words, **given)

    def test_scores_in_place_of_decisions_are_refused_or_told(self):
        given = dict(sensitive_features=self.g)
        percent = (100 * self.p[:, 1]).round().astype(int)
        odds = dict(given, constraints="equalized_odds")
        self.refused("looks like scores, not decisions", metrics.evaluate, self.y, percent, **given)
        self.refused("looks like scores", metrics.unfairness, self.y, percent, **odds)
        for function in (metrics.unfairness, metrics.rates_by_group, metrics.disparate_impact):
            for labels in (self.y, None):
                self.told("classes-many", function, labels, percent, **given)
        self.told("classes-many", metrics.evaluate, None, percent, **given)
        decile = percent // 11 + 1
        self.told("classes-differ", metrics.evaluate, self.y, decile, **given)
        self.told("classes-many", metrics.unfairness, self.y, decile, **given)
        for word in ("classes-differ", "classes-many"):
            self.quiet(word, metrics.evaluate, percent, percent, **given)
            self.quiet(word, metrics.unfairness, decile, decile, **given)
            codes = dict(given, classes=range(101))
            self.quiet(word, metrics.unfairness, self.y, percent, **codes)

    def test_masked_labels_and_decisions_are_refused(self):
        hidden = np.ma.masked_array(self.y, mask=self.X[:, 0] > 0)
        given = dict(sensitive_features=self.g)
        self.refused("y_true has masked values", metrics.evaluate, hidden, self.y, **given)
        self.refused("y_pred has masked values", metrics.unfairness, self.y, hidden, **given)

    def test_a_group_named_nan_is_told(self):
        odd = np.where(self.X[:, 0] > 1, "nan", np.where(self.g, "m", "f"))
        self.told("text-for-missing", metrics.evaluate, self.y, self.y, sensitive_features=odd)
        given = dict(sensitive_features=odd, groups=["f", "m", "nan"])
        self.quiet("text-for-missing", metrics.evaluate, self.y, self.y, **given)

    def test_the_later_of_two_texts_is_told_as_the_positive_class(self):
        given = dict(sensitive_features=self.g)
        words = np.where(self.y, "approved", "denied")
        opportunity = dict(given, constraints="equal_opportunity")
        for function, options in (
            (metrics.unfairness, opportunity),
            (metrics.table_by_group, given),
            (metrics.disparate_impact, given),
        ):
            text, _ = self.told("positive-by-default", function, words, words, **options)
            self.assertIn("class 'denied' is taken as the positive", text)
            named = dict(options, positive="denied")
            self.quiet("positive-by-default", function, words, words, **named)
            for plain in (self.y, np.where(self.y, "yes", "no")):
                self.quiet("positive-by-default", function, plain, plain, **options)
        self.quiet("positive-by-default", metrics.unfairness, words, words, **given)


def made_columns(made):
    return json.loads(made.text)["columns"]


if __name__ == "__main__":
    unittest.main()
