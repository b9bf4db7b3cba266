"""Slips that gave a wrong number without a word are refused or told."""

import os
import tempfile
import unittest
import warnings

import numpy as np
import pandas as pd

import dp2dp
from dp2dp import Event, core, metrics
from dp2dp.accounting import Accountant, Ledger, calibrate, dpsgd_epsilon, dpsgd_noise_multiplier
from people import BUDGET, SCHEMA

COST = dict(scores_epsilon=1, scores_delta=1e-5, n_groups=2, **BUDGET)
STEPS = dict(n=60000, batch_size=256, epochs=15)


def told(function, *args, **options):
    """The texts of the warnings that a call gives."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args, **options)
    return [str(one.message) for one in found]


def words(function, *args, **options):
    return [text.split(":")[0] for text in told(function, *args, **options)]


class Slips(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        rng = np.random.default_rng(0)
        p = rng.random((400, 1))
        self.scores, self.groups = np.hstack([1 - p, p]), rng.integers(0, 2, 400)
        self.frame = pd.DataFrame({"a": p[:, 0], "y": np.where(p[:, 0] > 0.5, "y", "n")})
        self.schema = dp2dp.Schema(SCHEMA)

    def refused(self, text, function, *args, **options):
        with self.subTest(text), self.assertRaisesRegex((ValueError, TypeError), text):
            function(*args, **options)


class Booleans(Slips):
    def test_a_text_is_no_boolean(self):
        people, no = (self.scores, self.groups), "{} must be True or False, not 'no'"
        model = dp2dp.fit(*people, **COST)
        for name in ("same_people", "normalize", "leaves_out"):
            self.refused(no.format(name), dp2dp.fit, *people, **{name: "no"}, **COST)
        self.refused(no.format("same_people"), dp2dp.fit, *people, same_people="no", n_groups=2)
        self.refused(
            no.format("same_people"), core.certify, model, *people, same_people="no", **BUDGET
        )
        for name in ("normalize", "leaves_out"):
            self.refused(
                no.format(name), core.count, *people, model.offsets, n_groups=2, **{name: "no"}
            )
        for name in ("labels", "groups"):
            self.refused(no.format(name), self.schema.encode, self.frame, **{name: "no"})

    def test_a_ledger_takes_no_text_for_a_boolean(self):
        event, path = Event("gaussian", sensitivity=1, sigma=9), tempfile.mkdtemp() + "/l.json"
        self.refused("insecure must be True or False", Ledger().charge, event, insecure="no")
        self.refused("with_charge must be True", Ledger().set_budget, 1, 1e-5, with_charge="no")
        self.refused("new must be True or False", Ledger.open, path, new="no")
        self.assertFalse(os.path.exists(path))
        event = Event("poisson", clip_norm=1, sigma=9, rate=0.1, sample_persons="no")
        self.refused("sample_persons must be True or False", Accountant().add, event)

    def test_booleans_of_numpy_and_0_and_1_are_booleans(self):
        for yes, no in ((True, False), (np.True_, np.False_), (1, 0), (np.int8(1), np.int8(0))):
            costs = [
                dp2dp.fit(self.scores, self.groups, same_people=same, **COST).epsilon
                for same in (yes, no, None)
            ]
            self.assertGreater(costs[0], 1.9)
            self.assertEqual(costs[1:], [1, 1])
        self.refused(
            "same_people must be True or False, not 2",
            dp2dp.fit,
            *((self.scores, self.groups)),
            same_people=2,
            **COST,
        )


class Decisions(Slips):
    def setUp(self):
        super().setUp()
        self.decisions = self.scores.argmax(axis=1)
        self.odds = dict(criterion="equalized_odds", solver="exact", n_groups=2)

    def test_predictions_as_groups_are_told(self):
        plain = dict(n_groups=2, solver="exact")
        found = told(core.fit, self.scores, self.decisions.astype("int8"), **plain)
        self.assertTrue(any("groups-are-decisions: " in text for text in found))
        self.assertTrue(all("do not publish" in t for t in found if "are-decisions" in t))
        others = self.decisions.copy()
        others[-1] = 1 - others[-1]
        self.assertNotIn("groups-are-decisions", words(core.fit, self.scores, others, **plain))
        silent = dict(bad_rows="ignore", n_groups=2, **BUDGET)
        found = words(core.fit, self.scores, self.decisions, **silent)
        self.assertNotIn("groups-are-decisions", found)

    def test_predictions_as_labels_are_told(self):
        fit = self.scores, self.groups
        found = words(core.fit, *fit, labels=self.decisions, **self.odds)
        self.assertIn("labels-are-decisions", found)
        self.assertNotIn(
            "labels-are-decisions", words(core.fit, *fit, labels=self.groups, **self.odds)
        )

    def test_decisions_at_another_threshold_as_labels_are_told(self):
        fit = self.scores, self.groups
        cut = (self.scores[:, 1] > np.quantile(self.scores[:, 1], 0.7)).astype("int8")
        found = words(core.fit, *fit, labels=cut, **self.odds)
        self.assertIn("labels-are-decisions", found)
        near = cut.copy()
        near[-1] = 1 - near[-1]
        found = words(core.fit, *fit, labels=near, **self.odds)
        self.assertNotIn("labels-are-decisions", found)
        silent = dict(bad_rows="ignore", **self.odds, **BUDGET, labels=cut) | {"solver": "counts"}
        self.assertNotIn("labels-are-decisions", words(core.fit, *fit, **silent))

    def test_labels_as_groups_are_told(self):
        labels = self.groups
        for silent in (False, True):
            quiet = {"bad_rows": "ignore", **BUDGET, "solver": "counts"} if silent else {}
            options = {**self.odds, "labels": labels, **quiet}
            found = words(core.fit, self.scores, labels, **options)
            self.assertEqual("groups-are-labels" in found, not silent)
        other = np.roll(labels, 1)
        found = words(core.fit, self.scores, other, labels=labels, **self.odds)
        self.assertNotIn("groups-are-labels", found)

    def test_metrics_tell_of_one_column_given_twice(self):
        names = np.array(["no", "yes"])
        y, pred, groups = names[self.groups], names[self.decisions], names[self.groups[::-1]]
        for measure in (
            metrics.evaluate,
            metrics.unfairness,
            metrics.rates_by_group,
            metrics.disparate_impact,
            metrics.table_by_group,
        ):
            for given, word in ((pred, "groups-are-decisions"), (y, "groups-are-labels")):
                for column in (given, given.tolist(), pd.Series(given), pd.Categorical(given)):
                    found = words(measure, y, pred, sensitive_features=column)
                    self.assertIn(word, found, measure)
            found = words(measure, y, pred, sensitive_features=groups)
            self.assertFalse([word for word in found if "-are-" in word])
        odds = dict(sensitive_features=groups, constraints="equalized_odds")
        self.assertIn("labels-are-decisions", words(metrics.unfairness, y, y, **odds))
        self.assertNotIn(
            "labels-are-decisions", words(metrics.unfairness, y, y, sensitive_features=groups)
        )

    def test_predictions_are_told_in_a_certificate(self):
        fit = self.scores, self.groups
        model = core.fit(*fit, labels=self.groups, **self.odds)
        for silent in (False, True):
            options = dict(labels=self.decisions, **BUDGET)
            options |= {"bad_rows": "ignore"} if silent else {}
            found = words(core.certify, model, self.scores, self.decisions, **options)
            self.assertEqual("labels-are-decisions" in found, not silent)
            self.assertEqual("groups-are-decisions" in found, not silent)

    def test_decisions_of_the_rule_are_told_in_a_certificate(self):
        rng = np.random.default_rng(1)
        labels = (rng.random(400) < self.scores[:, 1]).astype(int)
        pairs = rng.dirichlet(np.ones(4), 400)
        ids = [f"p{i}" for i in range(400)]
        for given in ({}, {"weights": pairs}, {"ids": ids}):
            keyed = {"dither_key": "id"} if "ids" in given else {}
            model = core.fit(self.scores, self.groups, labels=labels, **self.odds, **given, **keyed)
            seen = {} if "weights" in given else {"groups": self.groups}
            decisions = model.predict(self.scores, **seen, **given)
            people = (model, self.scores, self.groups)
            self.assertFalse((decisions == self.decisions).all())
            for wrong, silent in ((True, False), (False, False), (True, True)):
                options = {"labels": decisions if wrong else labels, **given, **BUDGET}
                options |= {"bad_rows": "ignore"} if silent else {}
                found = words(core.certify, *people, **options)
                self.assertEqual("labels-are-decisions" in found, wrong and not silent)

    def test_decisions_as_scores_are_told(self):
        plain = dict(n_groups=2, solver="exact")
        found = words(core.fit, np.eye(2)[self.groups[::-1]], self.groups, **plain)
        self.assertIn("scores-are-decisions", found)
        self.assertNotIn("scores-are-decisions", words(core.fit, self.scores, self.groups, **plain))


class Accounting(Slips):
    def test_a_rate_is_no_batch_size(self):
        wrong = dict(n=60000, batch_size=0.01, epochs=15, delta=1e-5)
        self.refused(
            "number of rows.*rate.*batch_size=600", dpsgd_epsilon, noise_multiplier=1.1, **wrong
        )
        self.refused("number of rows.*rate", dpsgd_noise_multiplier, epsilon=1, **wrong)

    def test_a_swapped_budget_is_told(self):
        event, swapped = Event("gaussian", sensitivity=1), dict(epsilon=1e-5, delta=0.5)
        for function, given in (
            (dpsgd_noise_multiplier, STEPS),
            (calibrate, {"event": event}),
            (Accountant().calibrate, {"event": event, "find": "sigma"}),
        ):
            self.assertIn("epsilon-below-delta", words(function, **given, **swapped))
            self.assertEqual(words(function, **given, **BUDGET), [])

    def test_a_large_delta_is_told_where_the_number_of_rows_is_known(self):
        self.assertIn("delta-large", words(dpsgd_epsilon, noise_multiplier=1.1, delta=0.1, **STEPS))
        self.assertEqual(words(dpsgd_epsilon, noise_multiplier=1.1, delta=1e-5, **STEPS), [])
        many = dict(epsilon=1, delta=1e-4, **STEPS)
        self.assertEqual(words(dpsgd_noise_multiplier, **many), ["delta-large"])

    def test_a_large_delta_is_told_where_the_number_of_rows_is_not_known(self):
        event, ledger = Event("gaussian", sensitivity=1, sigma=4), Ledger()
        self.assertIn("delta-large", words(calibrate, event, epsilon=1, delta=0.01))
        self.assertEqual(words(calibrate, event, epsilon=1, delta=0.0074), [])
        ledger.set_budget(3, 1e-5)
        ledger.charge(event)
        for delta, expected in (
            (0.1, ["delta-large"]),
            (0.001, ["delta-large"]),
            (5e-5, []),
            (1e-6, []),
        ):
            self.assertEqual(words(ledger.spent, delta), expected, delta)
        self.assertEqual(words(Ledger().spent, 0.001), [])

    def test_an_event_is_checked_when_it_is_made(self):
        self.refused("mechanism must be .*did you mean 'gaussian'", Event, "Gaussian")
        self.refused("rate must be from 0 to 1, not 5", Event, "poisson", rate=5)
        given = dict(sensitivity=1, noise_multiplier=1)
        self.refused("^noise_multiplier is the noise as a mul", Event, "poisson", **given)
        self.refused("not both", Event, "poisson", clip_norm=1, **given)

    def test_a_path_is_no_adjacency(self):
        self.refused("Ledger.open", Ledger, "l.json")


class Others(Slips):
    def test_one_group_is_told(self):
        for function in (metrics.unfairness, metrics.disparate_impact):
            told_of = words(function, None, [0, 1, 1], sensitive_features=["f"] * 3)
            self.assertIn("one-group", told_of)
            told_of = words(function, None, [0, 1, 1], sensitive_features=["f", "f", "m"])
            self.assertNotIn("one-group", told_of)

    def test_the_order_of_schema_and_rows_is_said(self):
        self.refused("schema comes first", dp2dp.train, self.frame, self.schema, **BUDGET)
        self.refused("a schema must be a name, a path.*from_frame", dp2dp.Schema, 5)

    def test_a_schema_is_loaded_as_a_model_is(self):
        path = os.path.join(tempfile.mkdtemp(), "schema.json")
        with open(path, "w") as file:
            file.write(self.schema.text)
        self.assertEqual(dp2dp.Schema.load(path).text, self.schema.text)

    def test_scores_from_the_pool_name_the_option(self):
        reason = r'not_private_because=\["scores-from-pool"\]'
        people = dict(n_groups=2, **BUDGET)
        for name in ("same_people", "scores_from_pool"):
            self.refused(reason, dp2dp.fit, self.scores, self.groups, **{name: True}, **people)


if __name__ == "__main__":
    unittest.main()
