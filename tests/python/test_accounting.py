"""dp2dp.accounting agrees with closed forms and with the command line."""

import json
import os
import pickle
import subprocess
import tempfile
import unittest

import numpy as np
from scipy.stats import norm

import dp2dp
from dp2dp.accounting import Accountant, Event, Ledger, calibrate

PROGRAM = os.environ.get("DP2DP", "dp2dp")


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
            Event("poisson", sensitivity=2, rate=0.01, count=500), epsilon=1, delta=1e-5
        )
        accountant = Accountant()
        accountant.add(event)
        self.assertLessEqual(accountant.epsilon(1e-5), 1)
        less = Accountant()
        less.add(Event("poisson", sensitivity=2, sigma=event.sigma * 0.99, rate=0.01, count=500))
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
            (event, insecure), *others = Ledger.open(path).entries
            self.assertEqual((event.label, insecure, others), ("mine", False, []))
