"""The warning several-fits says what the fits of the same rows cost, as a ledger does."""

import re
import tempfile
import unittest
import warnings
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

import dp2dp
from dp2dp import (
    DP2DPClassifier,
    FairPostProcessor,
    Ledger,
    PrivateLogisticRegression,
    _search,
    core,
)
from dp2dp.accounting import Accountant, Event
from people import BUDGET, categorical, forget, labelled, numeric, schema

LISTS = dict(classes=[0, 1], groups=[0, 1])


def told(function, *args, **options):
    """The warnings several-fits of a call, as one text."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args, **options)
    texts = [str(one.message) for one in found]
    return "\n".join(text for text in texts if text.startswith("several-fits"))


def stated(words):
    return float(re.search(r"compose to epsilon ([0-9.]+)", words)[1])


class Costs(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        self.addCleanup(warnings.resetwarnings)
        self.X, self.y, self.g = labelled(2000)
        self.others, labels, _ = labelled(2000, seed=1)
        self.private = PrivateLogisticRegression(bounds=(-4, 4), classes=[0, 1], **BUDGET)
        self.base = self.private.fit(self.others, labels)

    def test_the_training_on_other_people_is_not_counted(self):
        ledger = Ledger()
        fair = FairPostProcessor(self.base, prefit=True, ledger=ledger, **BUDGET, **LISTS)
        for fits in (1, 2):
            words = told(fair.fit, self.X, sensitive_features=self.g)
            self.assertEqual(words == "", fits == 1)
        self.assertAlmostEqual(stated(words), ledger.spent(1e-5), places=3)
        self.assertNotIn("part of a fit", words)

    def test_a_training_on_these_people_is_counted_once(self):
        ledger, private = Ledger(), PrivateLogisticRegression(bounds=(-4, 4), **BUDGET)
        base = private.set_params(classes=[0, 1], ledger=ledger).fit(self.X.copy(), self.y)
        fair = FairPostProcessor(base, prefit=True, same_people=True, ledger=ledger, **BUDGET)
        fair.set_params(**LISTS).fit(self.X, sensitive_features=self.g)
        words = told(fair.fit, self.X, sensitive_features=self.g)
        self.assertAlmostEqual(stated(words), ledger.spent(1e-5), places=3)

    def test_nobody_is_in_both_parts_of_a_fit(self):
        one = Ledger()
        for _ in range(2):  # each fit costs a person the training or the rule, which cost the same
            fresh = FairPostProcessor(self.base, prefit=True, ledger=one, **BUDGET, **LISTS)
            fresh.fit(self.X.copy(), sensitive_features=self.g)
        for ledger in (None, Ledger()):
            for inner in (None, self.private):
                X = self.X.copy()
                forget()
                both = DP2DPClassifier(bounds=(-4, 4), ledger=ledger, **BUDGET, **LISTS)
                if inner is not None:
                    both = FairPostProcessor(inner, ledger=ledger, **BUDGET, **LISTS)
                both.fit(X, self.y, sensitive_features=self.g)
                words = told(both.fit, X, self.y, sensitive_features=self.g)
                self.assertAlmostEqual(stated(words), one.spent(1e-5), places=2)
                self.assertEqual("part of a fit, so its sum is larger" in words, bool(ledger))

    def test_a_person_bears_both_phases_on_one_set_of_people(self):
        ledger = Ledger()
        same = DP2DPClassifier(bounds=(-4, 4), pool="same", ledger=ledger, **BUDGET, **LISTS)
        same.fit(self.X, self.y, sensitive_features=self.g)
        words = told(same.fit, self.X, self.y, sensitive_features=self.g)
        self.assertAlmostEqual(stated(words), ledger.spent(1e-5), places=3)

    def test_the_models_of_class_and_group_are_not_counted_with_every_rule(self):
        names = ["a", "b", "c", "d"]
        columns = [numeric(name) for name in names]
        label = categorical("y", "n", "y", role="label")
        of = dp2dp.Schema(schema(*columns, label, categorical("g", "0", "1", role="sensitive")))
        rows = np.column_stack([self.others, np.where(self.y, "y", "n"), self.g])
        people = Path(self.enterContext(tempfile.TemporaryDirectory())) / "people.csv"
        lines = [",".join([*names, "y", "g"]), *map(",".join, rows.astype(str))]
        people.write_text("\n".join(lines) + "\n")
        models = [dp2dp.train(of, people, target=what, **BUDGET) for what in ("label", "group")]
        found = core.score(models[0], people, group_model=models[1])
        both = dict(base=models[0], group_base=models[1], same_people=False)
        ledger, codes = Ledger(), self.g.astype(np.int32)
        for _ in range(2):
            words = told(
                dp2dp.fit,
                found.scores,
                codes,
                weights=found.group_weights,
                ledger=ledger,
                **both,
                **BUDGET,
            )
        self.assertAlmostEqual(stated(words), ledger.spent(1e-5), places=3)

    def composed(self, words, events):
        """The largest epsilon of these events at the delta that ``words`` state."""
        accountant = Accountant()
        for event in events:
            accountant.add(replace(event, set=None, role=None, release_id=None))
        return accountant.epsilon(float(re.search(r"at delta ([0-9.e-]+)", words)[1]))

    def test_two_classifiers_that_are_trained_with_every_fit_count_with_every_fit(self):
        other = clone(self.private).set_params(classes=[0, 1, 2, 3])
        given = dict(BUDGET, epsilon=0.5, **LISTS)
        fair = FairPostProcessor(clone(self.private), group_estimator=other, **given)
        fair.fit(self.X, self.y, sensitive_features=self.g)
        words = told(fair.fit, self.X, self.y, sensitive_features=self.g)
        models = fair.estimator_.model_, fair.group_estimator_.model_
        events = [entry.event for model in models for entry in model.ledger.entries]
        self.assertAlmostEqual(stated(words), self.composed(words, events * 2), places=3)

    def test_two_classifiers_of_the_same_people_count_once_for_all_fits(self):
        other = clone(self.private).set_params(classes=[0, 1, 2, 3])
        other.fit(self.X, 2 * self.g + self.y)
        private = clone(self.private).fit(self.X, self.y)
        same = dict(prefit=True, same_people=True, **BUDGET, **LISTS)
        fair = FairPostProcessor(private, group_estimator=other, **same)
        fair.fit(self.X, sensitive_features=self.g)
        words = told(fair.fit, self.X, sensitive_features=self.g)
        rule = [e.event for e in fair.model_.ledger.entries if e.event.mechanism != "declared"]
        models = private.model_, other.model_
        events = [entry.event for model in models for entry in model.ledger.entries]
        self.assertAlmostEqual(stated(words), self.composed(words, events + rule * 2), places=3)

    def test_equal_costs_of_two_classifiers_that_are_not_known_count_twice(self):
        for delta in (1e-6, 1e-5):  # deltas of 1e-5 do not fit into the delta of one fit
            X, ledger = self.X.copy(), Ledger()
            forget()
            cost = dict(scores_epsilon=1, scores_delta=delta, same_people=True)
            for strength in (1, 0.01):
                inner = LogisticRegression(C=strength).fit(X, self.y)
                fair = FairPostProcessor(FrozenEstimator(inner), **cost, **BUDGET, **LISTS)
                words = told(fair.set_params(ledger=ledger).fit, X, sensitive_features=self.g)
            events = [entry.event for entry in ledger.entries]
            self.assertAlmostEqual(stated(words), self.composed(words, events), places=3)

    def test_the_dearest_part_may_differ_from_fit_to_fit(self):
        declared = Event("declared", epsilon=1)
        gaussian = Event("gaussian", sensitivity=1, sigma=3.4)
        fit = SimpleNamespace(sets={"a": [(1, declared)], "b": [(2, gaussian)]}, own={1, 2})
        words = "at delta 1e-5"
        for times in (2, 3, 200):
            events = _search._composed_of([(fit, times)], 1e-5)
            found = self.composed(words, events)
            for j in range(min(times, 3) + 1):
                way = [declared] * (times - j) + [gaussian] * j
                self.assertGreaterEqual(found, self.composed(words, way) * (1 - 1e-9))


if __name__ == "__main__":
    unittest.main()
