"""Who has paid for what: ledgers add up, records tell their story, and models name whom they do not
cover."""

import json
import math
import os
import pickle
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np
import pandas as pd
from scipy.stats import norm
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

import dp2dp
from dp2dp import DP2DPClassifier, Event, FairPostProcessor, Ledger, PrivateLogisticRegression
from people import (
    BUDGET,
    SCHEMA,
    SEEDED,
    categorical,
    fitted,
    labelled,
    numeric,
    schema,
    scores,
)

PROGRAM = os.environ.get("DP2DP", "dp2dp")
PUBLIC = dict(classes=[0, 1], groups=[0, 1])
ID = "0123456789abcdef" * 2


def said(call):
    """The texts of the privacy warnings of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(w.message) for w in caught if issubclass(w.category, dp2dp.PrivacyWarning)]


class Declared(GaussianNB):
    """Stands for a private classifier of another library, whose cost is declared."""


class Sums(unittest.TestCase):
    def setUp(self):
        self.p, self.g = scores()
        self.ledger = Ledger()

    def test_five_fits_and_a_certificate_add_up(self):
        for _ in range(5):
            model = fitted(self.p, self.g, epsilon=0.4, insecure_seed=None, ledger=self.ledger)
        fits = self.ledger.spent(1e-5)
        dp2dp.certify(model, self.p, self.g, ledger=self.ledger, **BUDGET)
        total = self.ledger.spent(1e-5)
        self.assertAlmostEqual(fits, 0.963, delta=1e-3)
        self.assertAlmostEqual(total, 1.438, delta=1e-3)
        events = [entry.event for entry in self.ledger.entries]
        mu = sum(e.count * (e.sensitivity / e.sigma) ** 2 for e in events) ** 0.5
        delta = norm.cdf(mu / 2 - total / mu) - np.exp(total) * norm.cdf(-mu / 2 - total / mu)
        self.assertAlmostEqual(delta, 1e-5, delta=1e-9)

    def test_named_people_share_nobody(self):
        for name in ("a", "b", "b"):
            fitted(self.p, self.g, ledger=self.ledger, people=name)
        names = [entry.people for entry in self.ledger.entries]
        self.assertEqual(set(names), {"a", "b"})
        twice, b = Ledger(), Ledger()
        for ledger in (twice, twice, b):
            fitted(self.p, self.g, ledger=ledger)
        self.assertEqual(self.ledger.account().epsilon(1e-5), twice.account().epsilon(1e-5))
        rows = dp2dp.core.Rows(self.p[:, :1], ["a", "y"], [(self.g, ["n", "y"])])
        model = dp2dp.train(SCHEMA, rows, ledger=b, people="c", **BUDGET)
        self.assertEqual(b.entries[-1].people, "c")
        self.assertEqual(model.covers[0].people, "c")
        dp2dp.certify(fitted(self.p, self.g), self.p, self.g, ledger=b, people="d", **BUDGET)
        self.assertEqual(b.entries[-1].people, "d")
        with self.assertRaisesRegex(dp2dp.OptionError, "pool"):
            fitted(self.p, self.g, people="pool")

    def test_what_is_behind_the_scores_is_charged_once(self):
        behind = dict(scores_epsilon=5, scores_delta=1e-6, same_people=True)
        self.ledger.set_budget(1, 1e-5)
        before = self.ledger.to_json()
        with self.assertRaises(dp2dp.BudgetError):
            fitted(self.p, self.g, **behind, ledger=self.ledger)
        self.assertEqual(self.ledger.to_json(), before)
        ledger = Ledger()
        for _ in range(2):
            fitted(self.p, self.g, **behind, scores_id=ID, ledger=ledger)
        declared = [e for e in ledger.entries if e.event.mechanism == "declared"]
        self.assertEqual([entry.release_id for entry in declared], [ID])
        fitted(self.p, self.g, **behind, ledger=ledger)
        declared = [e for e in ledger.entries if e.event.mechanism == "declared"]
        self.assertEqual(len(declared), 2)

    def test_a_ledger_has_one_unit(self):
        fitted(self.p, self.g, ledger=self.ledger)
        with self.assertRaisesRegex(dp2dp.OptionError, "rows_per_person"):
            fitted(self.p, self.g, ledger=self.ledger, rows_per_person=50)

    def test_exposure_is_infinite_for_ever_and_every_total_says_so(self):
        fitted(self.p, self.g, ledger=self.ledger, solver="exact", epsilon=None, delta=None)
        self.assertTrue(self.ledger.exposed)
        self.assertIn("NOT PRIVATE: exposed", repr(self.ledger))
        with self.assertWarnsRegex(dp2dp.PrivacyWarning, "exposed"):
            self.assertEqual(self.ledger.spent(1e-5), math.inf)
        budget = Ledger()
        budget.set_budget(1, 1e-5)
        with self.assertRaises(dp2dp.BudgetError):
            fitted(self.p, self.g, ledger=budget, solver="exact", epsilon=None, delta=None)

    def test_insecure_noise_marks_every_total(self):
        fitted(self.p, self.g, ledger=self.ledger)
        self.assertTrue(self.ledger.insecure)
        self.assertIn("NOT PRIVATE: insecure-noise", repr(self.ledger))
        with self.assertWarnsRegex(dp2dp.PrivacyWarning, "insecure-noise"):
            self.ledger.spent(1e-5)
        secure = Ledger()
        fitted(self.p, self.g, ledger=secure, insecure_seed=None)
        self.assertEqual(said(lambda: secure.spent(1e-5)), [])
        self.assertNotIn("NOT PRIVATE", repr(secure))

    def test_a_certificate_of_the_same_people_has_no_bound(self):
        found = dp2dp.certify(
            fitted(self.p, self.g), self.p, self.g, same_people=True, ledger=self.ledger, **BUDGET
        )
        self.assertEqual((found.held_out, found.unfairness_upper), (False, None))
        self.assertEqual(found.table.shape, (2, 2))
        self.assertAlmostEqual(found.table.sum() / len(self.p), 1, delta=0.2)
        self.assertEqual(self.ledger.entries[-1].release_id, found.release_id)
        other = dp2dp.certify(fitted(self.p, self.g), self.p, self.g, **BUDGET)
        self.assertTrue(other.held_out)
        self.assertIsNone(found.assumption)
        self.assertRegex(other.assumption, "nobody .* the model was learned from")
        self.assertEqual(other.rows_assumption, "one row per person")
        self.assertLess(other.unfairness_upper, 0.2)

    def test_a_certificate_of_the_same_people_charges_the_model_once(self):
        model = fitted(self.p, self.g)
        for charges in (3, 4):
            dp2dp.certify(model, self.p, self.g, same_people=True, ledger=self.ledger, **BUDGET)
            self.assertEqual(len(self.ledger.entries), charges)

    def test_a_certificate_warns_of_its_budget(self):
        fewer = self.p[1:], self.g[1:]
        with self.assertWarnsRegex(dp2dp.PrivacyWarning, "delta-large"):
            found = dp2dp.certify(fitted(self.p, self.g), *fewer, epsilon=1, delta=0.01)
        self.assertEqual(found.warnings, ["delta-large"])
        found = dp2dp.certify(fitted(self.p, self.g), *fewer, **BUDGET)
        self.assertEqual(found.warnings, [])
        with self.assertWarnsRegex(dp2dp.FairnessWarning, "as-many-people"):
            others = self.p * 0.999 + 0.0005, self.g.copy()
            found = dp2dp.certify(fitted(self.p, self.g), *others, **BUDGET)
        self.assertEqual(found.warnings, ["as-many-people"])


class Records(unittest.TestCase):
    def setUp(self):
        self.p, self.g = scores()
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.path = os.path.join(self.folder, "ledger.json")

    def test_entries_tell_their_story(self):
        ledger = Ledger.open(self.path)
        ledger.set_budget(3, 1e-5)
        model = fitted(self.p, self.g, ledger=ledger, note="the first", people="a")
        ledger.publish(model.release_id, model.checksum)
        entries = ledger.entries
        kinds = [entry.kind for entry in entries]
        self.assertEqual(
            (kinds[0], kinds[-1], set(kinds[1:-1])), ("budget", "published", {"charge"})
        )
        self.assertEqual((entries[0].epsilon, entries[0].delta), (3, 1e-5))
        self.assertIsNone(entries[0].event)
        charge = entries[1]
        self.assertEqual((charge.verb, charge.note, charge.people), ("fit", "the first", "a"))
        self.assertEqual(charge.release_id, model.release_id)
        self.assertEqual(charge.library_version, dp2dp.__version__)
        self.assertRegex(charge.time, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertIsNone(entries[0].previous)
        for before, after in zip(entries[:-1], entries[1:], strict=True):
            self.assertEqual(after.previous, before.hash)
        self.assertEqual(entries[-1].checksum, json.loads(model.to_json())["checksum"])
        self.assertEqual([e.role for e in model.ledger.entries], ["pool"] * len(kinds[1:-1]))
        self.assertEqual(len(ledger), len(entries))

    def test_a_note_is_for_one_call_and_describe_for_all_later_ones(self):
        ledger = Ledger()
        ledger.describe(verb="study", note="ours")
        for note in (None, "this", None):
            fitted(self.p, self.g, ledger=ledger, note=note)
        ledger.describe()
        rows = dp2dp.core.Rows(self.p[:, :1], ["a", "y"], [(self.g, ["n", "y"])])
        dp2dp.train(SCHEMA, rows, ledger=ledger, note="of train", **SEEDED)
        notes = [(entry.verb, entry.note) for entry in ledger.entries]
        self.assertEqual(notes[:6:2], [("study", "ours"), ("study", "this"), ("study", "ours")])
        self.assertEqual(notes[-1], ("train", "of train"))
        model = fitted(self.p, self.g)
        for call in (
            lambda **options: fitted(self.p, self.g, **options),
            lambda **options: dp2dp.certify(model, self.p, self.g, **options, **BUDGET),
        ):
            with self.assertRaisesRegex(dp2dp.OptionError, "note describes the entries of"):
                call(note="x")
            with self.assertRaises(dp2dp.OptionError):
                call(note="x" * 600, ledger=ledger)
        self.assertEqual(len(ledger), len(notes))

    def test_a_lost_ledger_is_not_replaced_silently(self):
        Ledger.open(self.path).charge(Event(sensitivity=1, sigma=10))
        os.remove(self.path)
        with self.assertRaises(dp2dp.Error) as caught:
            Ledger.open(self.path)
        self.assertEqual(caught.exception.reason, "ledger-lost")
        Ledger.open(self.path, new=True).charge(Event(sensitivity=1, sigma=10))
        with self.assertRaisesRegex(dp2dp.Error, "exists"):
            Ledger.open(self.path, new=True)
        self.assertEqual(len(Ledger.open(self.path)), 1)

    def test_an_edited_ledger_is_refused(self):
        ledger = Ledger.open(self.path)
        for _ in range(3):
            ledger.charge(Event(sensitivity=1, sigma=10))
        with open(self.path) as file:
            text = file.read()
        with self.assertRaises(dp2dp.Error) as caught:
            Ledger.from_json(
                text.replace('"sigma": 10', '"sigma": 20', 1).replace('"sigma":10', '"sigma":20', 1)
            )
        self.assertEqual(caught.exception.reason, "ledger-changed")

    def test_a_refused_charge_stores_no_budget(self):
        ledger = Ledger.open(self.path)
        ledger.set_budget(1, 1e-5, with_charge=True)
        with self.assertRaises(dp2dp.BudgetError):
            ledger.charge(Event(sensitivity=1, sigma=0.1))
        self.assertFalse(os.path.exists(self.path))
        self.assertIsNone(Ledger.open(self.path).budget)
        ledger = Ledger.open(self.path)
        ledger.set_budget(1, 1e-5, with_charge=True)
        ledger.charge(Event(sensitivity=1, sigma=10))
        self.assertEqual(Ledger.open(self.path).budget, (1, 1e-5))

    def test_estimators_store_a_budget_with_their_first_charge(self):
        X, y, g = labelled(2000)
        given = dict(ledger=self.path, classes=[0, 1], bounds=(-4, 4))
        private = PrivateLogisticRegression(**BUDGET, **given, budget=(0.5, 1e-5))
        with self.assertRaises(dp2dp.BudgetError):
            private.fit(X, y)
        self.assertFalse(os.path.exists(self.path))
        both = DP2DPClassifier(**BUDGET, **given, groups=[0, 1], budget=(2, 1e-5))
        both.fit(X, y, sensitive_features=g)
        ledger = Ledger.open(self.path)
        self.assertEqual(ledger.budget, (2, 1e-5))
        self.assertEqual({entry.people for entry in ledger.entries}, {None})
        # Everybody pays for both phases, since the ledger does not know who is in which.
        self.assertGreater(ledger.spent(1e-5), 1.3)
        with self.assertRaises(dp2dp.BudgetError):
            both.fit(X, y, sensitive_features=g)
        with self.assertRaisesRegex(dp2dp.OptionError, "budget needs a ledger"):
            clone(both).set_params(ledger=None).fit(X, y, sensitive_features=g)
        for options in (dict(train_options={"people": "a"}), dict(fit_options={"people": "a"})):
            with self.assertRaisesRegex(dp2dp.OptionError, "splits the rows"):
                clone(both).set_params(**options).fit(X, y, sensitive_features=g)

    def test_the_program_reads_what_python_wrote(self):
        ledger = Ledger.open(self.path)
        fitted(self.p, self.g, ledger=ledger, note="a note", people="a", insecure_seed=None)
        command = [PROGRAM, "account", self.path, "--delta", "1e-5", "--json"]
        run = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(json.loads(run.stdout)["epsilon"], ledger.spent(1e-5))


class LeftOut(unittest.TestCase):
    """A row that the schema leaves out counts in the public number of records."""

    def trained(self, first):
        column = {**numeric("a", 0, 1), "missing": "drop"}
        label = categorical("y", "n", "y", role="label")
        others = "".join(f"0.{i % 10},{'ny'[i % 2]}\n" for i in range(1999))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "t.csv")
            with open(path, "w") as stream:
                stream.write(f"a,y\n{first},y\n{others}")
            return dp2dp.train({**schema(column, label), "missing": ["?"]}, path, **SEEDED)

    def test_one_missing_value_changes_no_public_number(self):
        models = [json.loads(self.trained(first).to_json()) for first in ("0.5", "?")]
        for model in models:
            del model["checksum"], model["phase1"]["weights"]
        self.assertEqual(models[0], models[1])
        self.assertEqual(models[0]["phase1"]["records"], 2000)


class Covers(unittest.TestCase):
    def setUp(self):
        self.X, self.y, self.g = labelled(3000)
        self.people = dict(sensitive_features=self.g)

    def test_a_classifier_fitted_here_without_privacy_is_known_to_be_uncovered(self):
        fair = FairPostProcessor(GaussianNB(), **BUDGET, **PUBLIC)
        texts = said(lambda: fair.fit(self.X, self.y, **self.people))
        model = fair.model_
        self.assertFalse(model.private)
        self.assertEqual(model.not_private_because, ["classifier-not-private"])
        (missing,), (covered,) = model.not_covered, model.covers
        self.assertEqual((missing.role, missing.because), ("train", ("classifier-not-private",)))
        self.assertEqual((covered.role, covered.records), ("pool", 900))
        self.assertLessEqual(covered.epsilon, 1)
        for text in (repr(model), model._repr_html_(), fair._repr_html_()):
            self.assertIn("NOT PRIVATE", text)
            self.assertIn("NOT covered: the records of the training", text)
            self.assertIn("private, replace-one, for the 900 records of the pool", text)
        word = "not-private: the classifier behind the scores was trained without privacy"
        self.assertEqual((texts, model.warnings), ([word], []))
        again = pickle.loads(pickle.dumps(model))
        self.assertEqual(again.not_covered, model.not_covered)

    def test_an_exposing_classifier_marks_the_ledger(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ledger.json")
            fair = FairPostProcessor(GaussianNB(), **BUDGET, **PUBLIC, ledger=path)
            for _ in range(2):
                fair.fit(self.X, self.y, **self.people)
            mechanisms = [entry.event.mechanism for entry in Ledger.open(path).entries]
            self.assertEqual(mechanisms.count("exposed"), 1)
            path = os.path.join(folder, "other.json")
            with self.assertRaises(dp2dp.BudgetError):
                fair.set_params(ledger=path, budget=(5, 1e-5)).fit(self.X, self.y, **self.people)
            fair.set_params(estimator=Declared(), scores_epsilon=2, scores_delta=1e-6)
            fair.fit(self.X, self.y, **self.people)
            self.assertGreater(Ledger.open(path).spent(1e-5), 2)
            self.assertTrue(fair.model_.private)

    def test_a_prefit_classifier_of_unknown_origin_is_warned_about(self):
        inner = GaussianNB().fit(self.X, self.y)
        fair = FairPostProcessor(inner, prefit=True, **BUDGET, **PUBLIC)
        texts = said(lambda: fair.fit(self.X, **self.people))
        self.assertEqual([text.split(":")[0] for text in texts], ["scores-origin-not-stated"])
        self.assertTrue(fair.model_.private)
        self.assertEqual(fair.model_.warnings, ["scores-origin-not-stated"])
        self.assertIn("NOT covered: people behind the scores", repr(fair.model_))

    def test_a_prefit_classifier_of_the_same_people_adds_its_cost(self):
        inner = GaussianNB().fit(self.X, self.y)
        fair = FairPostProcessor(inner, prefit=True, same_people=True, **BUDGET, **PUBLIC)
        with self.assertRaisesRegex(dp2dp.OptionError, "same_people=True needs scores_epsilon"):
            fair.fit(self.X, **self.people)
        with tempfile.TemporaryDirectory() as folder:
            inner = FrozenEstimator(inner)  # stands for one that was trained on private data
            fair.set_params(estimator=inner, scores_epsilon=5, scores_delta=1e-6)
            fair.set_params(ledger=os.path.join(folder, "ledger.json"))
            with self.assertRaises(dp2dp.BudgetError):
                clone(fair).set_params(estimator=inner, budget=(1, 1e-5)).fit(self.X, **self.people)
            self.assertEqual(said(lambda: fair.fit(self.X, **self.people)), [])
            self.assertGreater(fair.model_.epsilon, 5)
            self.assertGreater(Ledger.open(fair.ledger).spent(1.2e-5), 5)

    def test_our_own_private_classifier_is_known(self):
        private = PrivateLogisticRegression(**BUDGET, classes=[0, 1], bounds=(-4, 4))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ledger.json")
            fair = FairPostProcessor(private, **BUDGET, **PUBLIC, ledger=path)
            self.assertEqual(said(lambda: fair.fit(self.X, self.y, **self.people)), [])
            self.assertTrue(fair.model_.private)
            self.assertEqual([c.records for c in fair.model_.covers], [2100, 900])
            self.assertGreater(Ledger.open(path).spent(1e-5), 1.3)
        prefit = FairPostProcessor(
            private.fit(self.X, self.y), prefit=True, same_people=True, **BUDGET, **PUBLIC
        ).fit(self.X, **self.people)
        self.assertGreater(prefit.model_.epsilon, 1.3)

    def test_people_who_were_used_before_have_paid_something(self):
        p, g = scores()
        with self.assertRaisesRegex(dp2dp.OptionError, "same_people=True needs the cost"):
            fitted(p, g, same_people=True)
        reason = dict(not_private_because=["scores-from-pool"])
        self.assertFalse(fitted(p, g, same_people=True, insecure_seed=None, **reason).private)

    def test_the_reason_contradicts_a_stated_cost(self):
        p, g = scores()
        reason = dict(not_private_because=["classifier-not-private"])
        model = fitted(p, g, **reason)
        self.assertEqual(dp2dp.Model.from_json(model.to_json()).not_covered, model.not_covered)
        self.assertEqual(len(model.not_covered), 2)  # the seed leaves the pool uncovered too
        with self.assertRaisesRegex(dp2dp.OptionError, "classifier-not-private"):
            fitted(p, g, scores_epsilon=1, scores_delta=1e-6, **reason)
        same = fitted(
            p, g, same_people=True, **reason, insecure_seed=None, ledger=(ledger := Ledger())
        )
        self.assertEqual(same.not_private_because, ["scores-from-pool", "classifier-not-private"])
        self.assertTrue(ledger.exposed)


class Warnings(unittest.TestCase):
    words = staticmethod(lambda texts: [text.split(":")[0] for text in texts])

    def test_every_warning_of_the_library_is_one_of_python(self):
        p, g = scores()
        for options, word in (
            (dict(delta=0.01), "delta-large"),
            (dict(epsilon=11), "epsilon-large"),
            (dict(epsilon=1e-5, delta=1e-3), "epsilon-below-delta"),
            (dict(solver="exact"), "epsilon-unused"),
        ):
            with self.subTest(word=word):
                texts = said(lambda options=options: fitted(p, g, **options))
                self.assertIn(word, self.words(texts))
                self.assertEqual(len(texts), len(set(texts)))
        rows = dp2dp.core.Rows(p[:, :1], ["a", "y"], [(g, ["n", "y"])])
        texts = said(lambda: dp2dp.train(SCHEMA, rows, epsilon=11, delta=1e-5))
        self.assertEqual(self.words(texts), ["epsilon-large"])

    def test_a_group_of_ten_people_warns(self):
        p, g = scores()
        g[:] = 0
        g[:10] = 1
        model = None

        def fit():
            nonlocal model
            model = fitted(p, g, insecure_seed=None)

        self.assertIn("group-too-small", self.words(said(fit)))
        self.assertIn("group-too-small", model.warnings)
        self.assertIn("group-too-small", model._repr_html_())

    def test_an_estimator_warns_once_of_both_phases(self):
        X, y, g = labelled(2000)
        both = DP2DPClassifier(epsilon=11, delta=1e-5, bounds=(-4, 4), **PUBLIC)
        texts = said(lambda: both.fit(X, y, sensitive_features=g))
        self.assertEqual(self.words(texts), ["epsilon-large"])


class Searches(unittest.TestCase):
    def setUp(self):
        X, self.y, g = labelled(900)
        self.X = np.column_stack([X, g])
        self.fair = FairPostProcessor(GaussianNB(), **SEEDED, **PUBLIC, sensitive_column=-1)

    def several(self, call):
        return [text for text in said(call) if text.startswith("several-fits")]

    def test_cross_validation_warns_once(self):
        (text,) = self.several(lambda: cross_val_score(self.fair, self.X, self.y, cv=KFold(4)))
        self.assertIn("4 fits are made and charged", text)
        self.assertIn("Choosing a model by exact validation scores is a release too", text)
        model = clone(self.fair).fit(self.X, self.y).model_
        accountant = dp2dp.Accountant()
        for entry in model.ledger.entries:
            for _ in range(4):
                accountant.add(entry.event)
        stated = float(text.split("compose to epsilon ")[1].split()[0])
        self.assertGreaterEqual(stated, accountant.epsilon(1e-5))
        self.assertLess(stated, accountant.epsilon(1e-5) * 1.01)

    def test_grid_search_counts_its_refit_and_pipelines(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = make_pipeline(
                "passthrough",
                clone(self.fair).set_params(ledger=os.path.join(folder, "ledger.json")),
            )
            grid = {"fairpostprocessor__rho": [0.0, 0.2]}
            search = GridSearchCV(pipe, grid, cv=3)
            (text,) = self.several(lambda: search.fit(self.X, self.y))
            self.assertIn("7 fits are made and charged", text)
            self.assertIn("The ledger adds up these costs", text)
        nested = GridSearchCV(clone(self.fair), {"rho": [0.0, 0.2]}, cv=3)
        (text,) = self.several(lambda: cross_validate(nested, self.X, self.y, cv=2))
        self.assertIn("14 fits are made and charged", text)

    def test_a_search_over_epsilon_warns_again_when_a_fit_costs_more(self):
        inner = FrozenEstimator(GaussianNB().fit(self.X[:, :-1], self.y))
        fair = clone(self.fair).set_params(estimator=inner, scores_epsilon=0, scores_delta=0)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ledger.json")
            fair.set_params(ledger=path)
            search = GridSearchCV(fair, {"epsilon": [0.1, 1, 2]}, cv=2)
            texts = self.several(lambda: search.fit(self.X, self.y))
            spent = dp2dp.Ledger.open(path).spent(1e-5)
        self.assertEqual(len(texts), 3)
        self.assertIn("7 fits are made and charged. If each costs what this fit", texts[0])
        self.assertIn("3 fits are made and charged. If each costs what this fit costs", texts[2])
        self.assertIn(", they and the 4 before them compose", texts[2])
        stated = float(texts[2].split("compose to epsilon ")[1].split()[0])
        self.assertGreaterEqual(stated, spent)
        falling = GridSearchCV(clone(self.fair), {"epsilon": [2, 1, 0.1]}, cv=2)
        self.assertEqual(len(self.several(lambda: falling.fit(self.X, self.y))), 1)

    def test_a_search_in_other_processes_is_announced_by_its_last_fit(self):
        search = GridSearchCV(self.fair, {"rho": [0.0, 0.2]}, cv=3, n_jobs=2)
        (text,) = self.several(lambda: search.fit(self.X, self.y))
        self.assertIn("7 fits are made and charged", text)

    def test_a_process_of_a_cross_validation_says_that_there_are_others(self):
        script = (
            "from test_people import *\nimport joblib\n"
            "case = Searches()\ncase.setUp()\n"
            "cross_val_score(case.fair, case.X, case.y, cv=4, n_jobs=2)\n"
        )
        command = [sys.executable, "-W", "always::UserWarning", "-c", script]
        run = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("every fit of this search, in all its processes, is charged", run.stderr)

    def test_clones_that_are_fitted_in_a_loop_are_counted(self):
        def loop():
            for _ in range(3):
                clone(self.fair).fit(self.X, self.y)

        (text,) = self.several(loop)
        self.assertIn("2 fits of this estimator and its clones were charged so far", text)

    def test_one_fit_and_fits_without_privacy_do_not_warn(self):
        self.assertEqual(self.several(lambda: clone(self.fair).fit(self.X, self.y)), [])
        exact = clone(self.fair).set_params(solver="exact", epsilon=None, delta=None)
        self.assertEqual(self.several(lambda: cross_val_score(exact, self.X, self.y)), [])

    def test_a_private_classifier_inside_warns_once_only(self):
        inner = PrivateLogisticRegression(**SEEDED, classes=[0, 1], bounds=(-4, 4))
        fair = clone(self.fair).set_params(estimator=inner)
        self.assertEqual(len(self.several(lambda: cross_val_score(fair, self.X, self.y, cv=3))), 1)


class Bounds(unittest.TestCase):
    def setUp(self):
        X, self.y, _ = labelled(600, features=3)
        self.X = pd.DataFrame(X, columns=["a", "b", "c"])
        self.low = pd.Series({"c": -3.0, "a": -1.0, "b": -2.0})
        self.high = pd.Series({"b": 2.0, "c": 3.0, "a": 1.0})

    def columns(self, bounds, X=None):
        fit = PrivateLogisticRegression(**SEEDED, classes=[0, 1], bounds=bounds).fit
        schema = json.loads(fit(self.X if X is None else X, self.y).schema_.text)
        return [(c["lower"], c["upper"]) for c in schema["columns"] if c["role"] == "feature"]

    def test_series_and_dicts_go_by_name(self):
        expected = [(-1, 1), (-2, 2), (-3, 3)]
        pairs = {"b": (-2, 2), "a": (-1, 1), "c": (-3, 3)}
        for bounds in (
            (self.low, self.high),
            (dict(self.low), dict(self.high)),
            pairs,
            ([-1, -2, -3], [1, 2, 3]),
        ):
            self.assertEqual(self.columns(bounds), expected)
        self.assertEqual(self.columns((-3, self.high)), [(-3, 1), (-3, 2), (-3, 3)])

    def test_unknown_and_missing_names_are_refused(self):
        for bounds, words in (
            ((self.low.drop("b"), self.high), "lack 'b'"),
            ((self.low.rename({"b": "B"}), self.high), "name 'B'.*did you mean 'b'"),
            (({**self.low, "d": 1}, 4), "name 'd'"),
            ((pd.Series([-1.0, -2.0, -3.0]), 4), "name '0'"),
            ({"a": (0, 1)}, "lack 'b'"),
        ):
            with self.subTest(words=words), self.assertRaisesRegex(dp2dp.OptionError, words):
                self.columns(bounds)

    def test_without_names_they_go_by_position(self):
        X = self.X.to_numpy()
        low = pd.Series([-1.0, -2.0, -3.0])
        self.assertEqual(self.columns((low, -low), X), [(-1, 1), (-2, 2), (-3, 3)])
        self.assertEqual(
            self.columns(({"x2": -3, "x0": -1, "x1": -2}, 4), X), [(-1, 4), (-2, 4), (-3, 4)]
        )
        with self.assertRaisesRegex(dp2dp.OptionError, "X has no column names"):
            self.columns((self.low, self.high), X)
