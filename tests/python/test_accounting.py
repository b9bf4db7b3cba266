"""dp2dp.accounting agrees with closed forms and with the command line."""

import csv
import json
import os
import pickle
import subprocess
import tempfile
import unittest

import numpy as np
from scipy.stats import norm

import dp2dp
from dp2dp._warn import up
from dp2dp.accounting import Accountant, Event, Ledger, calibrate

PROGRAM = os.environ.get("DP2DP", "dp2dp")
SOURCE = os.environ.get("DP2DP_SOURCE_DIR", os.path.join(os.path.dirname(__file__), "..", ".."))


def gaussian_delta(mu, epsilon):
    return norm.cdf(mu / 2 - epsilon / mu) - np.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu)


class Accounting(unittest.TestCase):
    def setUp(self):
        self.accountant = Accountant()
        self.accountant.add(Event("gaussian", sensitivity=2, sigma=8, count=10))
        self.mu = 0.25 * 10**0.5

    def test_epsilon_delta_and_curve_are_those_of_the_closed_form(self):
        epsilons = np.array([0.5, 1.0, 3.0])
        expected = gaussian_delta(self.mu, epsilons)
        np.testing.assert_allclose(self.accountant.curve(epsilons), expected, rtol=1e-9)
        self.assertTrue((self.accountant.curve(epsilons) >= expected).all())
        epsilon = self.accountant.epsilon(1e-5)
        self.assertAlmostEqual(gaussian_delta(self.mu, epsilon), 1e-5, delta=1e-13)
        self.assertAlmostEqual(self.accountant.delta(epsilon), 1e-5, delta=1e-13)

    def test_the_tradeoff_is_that_of_the_closed_form(self):
        expected = norm.cdf(norm.isf(0.1) - self.mu)
        self.assertAlmostEqual(self.accountant.tradeoff(0.1), expected, delta=1e-6)
        self.assertAlmostEqual(self.accountant.renyi(3.0), 3 * self.mu**2 / 2, delta=1e-9)

    def test_calibration_meets_the_budget_and_no_less_noise_does(self):
        event = calibrate(
            Event("poisson", clip_norm=1, rate=0.01, count=500), epsilon=1, delta=1e-5
        )
        accountant = Accountant()
        accountant.add(event)
        self.assertLessEqual(accountant.epsilon(1e-5), 1)
        less = Accountant()
        less.add(Event("poisson", clip_norm=1, sigma=event.sigma * 0.99, rate=0.01, count=500))
        self.assertGreater(less.epsilon(1e-5), 1)
        for find in ("rate", "count"):
            again = calibrate(event, find, epsilon=1, delta=1e-5)
            self.assertGreaterEqual(getattr(again, find) * 1.001, getattr(event, find))

    def test_words_that_do_not_exist_are_refused(self):
        for call in (
            lambda: Accountant("neither"),
            lambda: self.accountant.epsilon(1e-5, backend="x"),
            lambda: self.accountant.add(Event("laplace")),
            lambda: self.accountant.add(Event("gaussian", sensitivity=1, sigma=-1)),
            lambda: calibrate(Event(), "noise", epsilon=1, delta=1e-5),
        ):
            with self.assertRaises(dp2dp.OptionError):
                call()

    def test_an_accountant_is_pickled_with_its_events(self):
        again = pickle.loads(pickle.dumps(self.accountant))
        self.assertEqual(again.epsilon(1e-5), self.accountant.epsilon(1e-5))

    def test_a_ledger_file_is_shared_with_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ledger.json")
            ledger = Ledger.open(path)
            ledger.set_budget(4.0, 1e-5)
            ledger.charge(Event("gaussian", sensitivity=2, sigma=8, count=10, label="mine"))
            run = subprocess.run(
                [PROGRAM, "account", path, "--delta", "1e-5", "--json"],
                capture_output=True,
                text=True,
            )
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(json.loads(run.stdout)["epsilon"], ledger.spent(1e-5))
            self.assertEqual(ledger.budget, (4.0, 1e-5))
            with self.assertRaises(dp2dp.BudgetError):
                Ledger.open(path).charge(Event("gaussian", sensitivity=2, sigma=4, count=10))
            budget, entry = Ledger.open(path).entries
            self.assertEqual((entry.event.label, entry.insecure), ("mine", False))
            self.assertEqual((budget.kind, budget.event), ("budget", None))


class Sampling(unittest.TestCase):
    """Sampled events are given by the clip norm, from which the adjacency makes a sensitivity."""

    steps = dict(rate=256 / 60000, count=3515)

    def epsilon(self, adjacency="replace-one", **fields):
        accountant = Accountant(adjacency)
        accountant.add(Event("poisson", **self.steps, **fields))
        return accountant.epsilon(1e-5)

    def test_a_raw_sensitivity_is_refused_under_replace_one(self):
        for mechanism, more in (
            ("poisson", {}),
            ("without-replacement", {}),
            ("with-replacement", dict(rate=0.0, population=1000, draws=10)),
        ):
            event = Event(mechanism, sensitivity=1, sigma=1.1, **{**self.steps, **more})
            for take in (
                Accountant().add,
                Ledger().charge,
                lambda event: calibrate(event, epsilon=1, delta=1e-5),
            ):
                with self.assertRaisesRegex(dp2dp.OptionError, "clip_norm and noise_multiplier"):
                    take(event)

    def test_the_clip_norm_gives_the_true_cost(self):
        self.assertAlmostEqual(self.epsilon(clip_norm=1, noise_multiplier=1.1), 1.929, delta=1e-3)
        self.assertAlmostEqual(self.epsilon(clip_norm=4, sigma=4.4), 1.929, delta=1e-3)
        added = self.epsilon("add-remove", clip_norm=3, noise_multiplier=1.1)
        self.assertEqual(added, self.epsilon("add-remove", sensitivity=1, sigma=1.1))
        self.assertLess(added, 1.2)

    def test_events_that_contradict_themselves_are_refused(self):
        for fields, words in (
            (dict(clip_norm=1, sensitivity=2), "not both"),
            (dict(noise_multiplier=2), "clip_norm must be a number above 0"),
            (dict(clip_norm=-1), "clip_norm must be a number above 0"),
            (dict(clip_norm=2, sigma=1, noise_multiplier=1), "sigma or noise_multiplier, not both"),
        ):
            with self.assertRaisesRegex(dp2dp.OptionError, words):
                Event("poisson", **fields)
        with self.assertRaisesRegex(dp2dp.OptionError, "gaussian event takes sensitivity"):
            Event("gaussian", clip_norm=1, noise_multiplier=1)

    def test_a_ledger_gives_back_the_event_it_was_charged(self):
        event = Event("poisson", clip_norm=0.3, noise_multiplier=1.7, rate=0.01, count=50)
        for adjacency in ("replace-one", "add-remove"):
            ledger = Ledger(adjacency)
            ledger.charge(event)
            (entry,) = ledger.entries
            self.assertEqual(entry.event, event)
            accountant = Accountant(adjacency)
            accountant.add(entry.event)
            self.assertEqual(accountant.epsilon(1e-5), ledger.spent(1e-5))

    def test_the_cost_of_dpsgd_is_that_of_the_reference(self):
        """dp-accounting's values are upper bounds, a little above the truth."""
        path = os.path.join(SOURCE, "tests", "reference", "accounting_reference.csv")
        with open(path) as file:
            rows = [
                row
                for row in csv.DictReader(file)
                if (row["mechanism"], row["accountant"]) == ("poisson_gaussian", "pld")
                and row["T"] == "1000"
                and 0.1 < float(row["epsilon"]) < 50
            ]
        relations = {"REPLACE_ONE": "replace-one", "ADD_OR_REMOVE_ONE": "add-remove"}
        self.assertEqual({row["neighbouring_relation"] for row in rows}, set(relations))
        for row in rows:
            rate, delta = float(row["q"]), float(row["delta"])
            found = dp2dp.dpsgd_epsilon(
                n=10**6,
                batch_size=rate * 10**6,
                noise_multiplier=float(row["sigma"]),
                epochs=1000 * rate,
                delta=delta,
                adjacency=relations[row["neighbouring_relation"]],
            )
            with self.subTest(**row):
                self.assertAlmostEqual(found / float(row["epsilon"]), 1, delta=2e-3)

    def test_the_noise_multiplier_meets_its_target(self):
        run = dict(n=60000, batch_size=256, epochs=15, delta=1e-5)
        for adjacency in ("replace-one", "add-remove"):
            times = dp2dp.dpsgd_noise_multiplier(**run, epsilon=2, adjacency=adjacency)
            found = [
                dp2dp.dpsgd_epsilon(**run, noise_multiplier=z, adjacency=adjacency)
                for z in (times, times * 0.995)
            ]
            self.assertLessEqual(found[0], 2)
            self.assertGreater(found[1], 2)
        for bad in (dict(batch_size=0), dict(batch_size=60001), dict(epochs=0)):
            with self.assertRaises(dp2dp.OptionError):
                dp2dp.dpsgd_epsilon(**{**run, **bad}, noise_multiplier=1)


class Texts(unittest.TestCase):
    def test_privacy_numbers_are_rounded_up(self):
        for value, text in (
            *((1, "1"), (0.99991234, "0.99992"), (1e-5, "1e-05"), (9.999991, "10")),
            *((1.23456789e-7, "1.2346e-07"), (1234567.8, "1.2346e+06"), (np.inf, "inf")),
            *((2.0000000001, "2.0001"), (1e-300, "1e-300")),
        ):
            self.assertEqual(up(value), text)
            self.assertGreaterEqual(float(up(value)), value)

    def test_the_delta_of_a_gaussian_is_never_zero(self):
        for event in (
            Event("gaussian", sensitivity=1, sigma=1),
            Event("poisson", clip_norm=1, noise_multiplier=1, rate=0.1),
        ):
            accountant = Accountant()
            accountant.add(event)
            for epsilon in (1, 40, 1000):
                self.assertGreater(accountant.delta(epsilon), 0)
                self.assertNotEqual(up(accountant.delta(epsilon)), "0")
