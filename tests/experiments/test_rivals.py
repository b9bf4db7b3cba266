"""The rivals do what their files say: objectives, gradients, clipping, noise, the same splits."""

import math
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

from common import Context
from dp2dp.accounting import Accountant, Event
from figures import harder_rivals
from rivals import (
    compare,
    descent,
    features,
    fermi,
    lagrangian,
    rate_constrained,
    tuning,
)

PROGRAM = os.environ.get("DP2DP")
DATA = os.environ.get("DP2DP_DATA")


def people(n=3000, classes=2, groups=2, seed=0):
    """The group shifts two of four features, and so changes the label."""
    rng = np.random.default_rng(seed)
    g = rng.integers(0, groups, n)
    x = rng.normal(size=(n, 4))
    x[:, :2] += 1.5 * g[:, None] / groups
    x *= np.minimum(1, 3 / np.linalg.norm(x, axis=1))[:, None]
    score = x.sum(axis=1) + rng.normal(size=n)
    edges = np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1])
    x = np.hstack([x, np.ones((n, 1))]).astype(np.float32)
    return descent.People(x, np.searchsorted(edges, score), g, classes, groups)


def full(**options):
    """Descent on all rows without clipping."""
    return descent.Settings(**{"rate": 1.0, "clip": math.inf, "step": 4.0, **options})


def log_loss(p, logits):
    shifted = logits - logits.max(axis=1, keepdims=True)
    chosen = shifted[np.arange(len(p)), p.labels]
    return np.mean(np.log(np.exp(shifted).sum(axis=1)) - chosen)


def numeric_gradient(function, at, step=1e-5):
    found = np.zeros_like(at)
    for i in np.ndindex(at.shape):
        ahead, behind = at.copy(), at.copy()
        ahead[i] += step
        behind[i] -= step
        found[i] = (function(ahead) - function(behind)) / (2 * step)
    return found


def unfairness(p, weights):
    decisions = descent.decide(p.features, weights)
    rates = [np.mean(decisions[p.groups == g] == 1) for g in range(p.n_groups)]
    return max(rates) - min(rates)


NO_NOISE = dict(epsilon=math.inf, delta=1e-5, seed=1)


class Gradients(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(2)

    def test_gradients_in_the_weights_match_finite_differences(self):
        for classes, temperature in ((2, 1.0), (2, 0.5), (3, 1.0), (4, 0.7)):
            p = people(200, classes)
            x = p.features.astype(float)
            costs = self.rng.normal(size=(len(p), classes))
            rows = 1 if classes == 2 else classes

            def objective(w, p=p, x=x, costs=costs, temperature=temperature):
                logits = descent.logits_of(x, w)
                soft = descent.softmax(logits / temperature)
                return log_loss(p, logits) + np.mean((soft * costs).sum(axis=1))

            w = self.rng.normal(size=(rows, x.shape[1]))
            a = descent.factors(descent.logits_of(x, w), p.labels, costs, temperature)
            found = descent.clipped_sum(x, np.linalg.norm(x, axis=1), a, math.inf) / len(p)
            np.testing.assert_allclose(found, numeric_gradient(objective, w), atol=1e-7)

    def test_the_costs_and_the_ascent_of_fermi_are_those_of_psi(self):
        for odds, groups, classes in ((False, 2, 2), (False, 3, 4), (True, 2, 3)):
            p = people(500, classes, groups)
            strata, n = p.strata(odds)
            penalty = fermi.Fermi(1.0, odds=odds)
            penalty.start(np.bincount(strata, minlength=n) / len(p), groups, classes)
            penalty.v = self.rng.normal(size=penalty.v.shape)
            penalty._renew()
            q = descent.softmax(self.rng.normal(size=(len(p), classes)))
            label = p.labels if odds else np.zeros(len(p), int)
            root = penalty.root[p.groups, label]

            def psi(v, q=q, label=label, root=root, groups=p.groups):
                """Psi as in the docstring, with the trace of V diag(q) V^T written out."""
                of = v[:, label, :]
                quadratic = np.einsum("gik,ik,gik->i", of, q, of)
                linear = (v[groups, label, :] * q / root).sum(axis=1)
                return np.mean(-quadratic + 2 * linear - 1)

            table = descent.table_of(strata, n, q)
            gradient = penalty.gradient(table, len(p))
            np.testing.assert_allclose(gradient, numeric_gradient(psi, penalty.v), atol=1e-6)
            costs = (q * penalty.costs[strata]).sum(axis=1).mean() - 1
            self.assertAlmostEqual(costs, psi(penalty.v), places=9)

    def test_the_maximum_over_v_is_the_renyi_information(self):
        p = people(4000, 3, 3)
        q = descent.softmax(self.rng.normal(size=(len(p), 3)) + p.groups[:, None] * [0, 0.5, 1])
        penalty = fermi.Fermi(1.0, ascent=0.3)
        penalty.start(np.bincount(p.groups) / len(p), 3, 3)
        table = descent.table_of(p.groups, 3, q)
        for _ in range(500):
            penalty.learn(table, len(p))
        joint = table / len(p)
        information = (joint**2 / np.outer(joint.sum(axis=1), joint.sum(axis=0))).sum() - 1
        value = (q * penalty.costs[p.groups]).sum(axis=1).mean() - 1
        self.assertAlmostEqual(value, information, places=9)


class Clipping(unittest.TestCase):
    def test_no_record_adds_more_than_the_clipping_norm(self):
        rng = np.random.default_rng(3)
        for classes in (2, 5):
            p = people(300, classes)
            logits = 5 * rng.normal(size=(len(p), classes))
            a = descent.factors(logits, p.labels, 9 * rng.normal(size=logits.shape), 1.0)
            norms = np.linalg.norm(p.features, axis=1)
            for clip in (0.1, 1.0):
                parts = [
                    descent.clipped_sum(p.features[i : i + 1], norms[i : i + 1], a[i : i + 1], clip)
                    for i in range(len(p))
                ]
                found = np.array([np.linalg.norm(part) for part in parts])
                self.assertLessEqual(found.max(), clip * (1 + 1e-5))
                self.assertGreater(found.max(), 0.99 * clip)
                whole = descent.clipped_sum(p.features, norms, a, clip)
                np.testing.assert_allclose(sum(parts), whole, rtol=1e-3, atol=1e-4)

    def test_a_record_is_in_one_cell_of_a_table(self):
        for hard in (False, True):
            shown = descent.counted(np.random.default_rng(4).normal(size=(50, 3)), hard)
            np.testing.assert_allclose(shown.sum(axis=1), 1, rtol=1e-6)
            self.assertGreaterEqual(shown.min(), 0)


class Privacy(unittest.TestCase):
    def test_the_noise_costs_what_the_accountant_says(self):
        settings = descent.Settings(steps=200, clip=0.5)
        for rounds, rate in ((0, 0.1), (20, 0.1), (0, 1.0)):
            chosen = descent.Settings(**{**settings.__dict__, "rate": rate})
            noise = descent.noise_for(chosen, rounds, 1.0, 1e-5)
            accountant = Accountant()
            accountant.add(Event(sensitivity=math.sqrt(2), sigma=noise.strata))
            weight = 0.0 if rounds else chosen.table_weight
            if rounds:
                tables = Event(sensitivity=math.sqrt(2), sigma=noise.table, count=rounds)
                accountant.add(tables)
            else:
                # The table is scaled by weight * clip before the noise of the pair is added.
                self.assertAlmostEqual(noise.table * weight * 0.5, noise.gradient, places=9)
            if rate < 1:
                norm = 0.5 * math.sqrt(1 + weight**2)
                pair = dict(clip_norm=norm, sigma=noise.gradient, rate=rate, count=200)
                accountant.add(Event("poisson", **pair))
            else:
                moved = 0.5 * math.sqrt(4 + 2 * weight**2)
                accountant.add(Event(sensitivity=moved, sigma=noise.gradient, count=200))
            self.assertAlmostEqual(accountant.epsilon(1e-5), noise.epsilon, places=12)
            self.assertLessEqual(noise.epsilon, 1)
            self.assertGreater(noise.epsilon, 0.99)

    def test_the_noise_is_added_to_all_that_is_released(self):
        class Recorder(descent.Penalty):
            def __init__(self, rounds):
                self.rounds = rounds

            def start(self, shares, n_groups, n_classes):
                super().start(shares, n_groups, n_classes)
                self.shares = shares

            def learn(self, table, size):
                self.table = table

        p = people(2000)
        for rounds in (0, 1):
            plan = descent.Settings(steps=1, rate=1.0, step=1.0, momentum=0.0)
            noise = descent.noise_for(plan, rounds, 1.0, 1e-5)
            weights, tables, shares = [], [], []
            for seed in range(400):
                penalty = Recorder(rounds)
                found = descent.descend(p, penalty, plan, epsilon=1.0, delta=1e-5, seed=seed)
                weights.append(found[0])
                tables.append(penalty.table)
                shares.append(penalty.shares[0])
            # 2,000, 1,600 and 400 draws: a relative error of 0.2 is above 5 standard errors, so
            # a false alarm has a probability below 1e-6 for other seeds.
            for draws, std in (
                (weights, noise.gradient / len(p)),
                (tables, noise.table),
                (shares, noise.strata / len(p) / math.sqrt(2)),  # divided by their sum
            ):
                self.assertLess(abs(np.std(draws, axis=0).mean() / std - 1), 0.2)

    def test_without_privacy_there_is_no_noise(self):
        self.assertEqual(descent.noise_for(descent.Settings(), 0, math.inf, 1e-5).gradient, 0)


class Fits(unittest.TestCase):
    def test_fermi_at_zero_without_noise_is_logistic_regression(self):
        for classes in (2, 3):
            p = people(2000, classes)
            w = fermi.fit(p, 0, full(steps=3000), **NO_NOISE)
            x = p.features.astype(float)
            a = descent.factors(descent.logits_of(x, w), p.labels, np.zeros((len(p), classes)), 1.0)
            # At the optimum of the log loss its gradient is 0; weights are float32.
            self.assertLess(np.abs(a.T @ x / len(p)).max(), 2e-5)

    def test_more_strength_is_fairer(self):
        p = people(4000)
        rivals = (
            (fermi.fit, (0, 1, 8)),
            (lagrangian.fit, (0, 0.3, 3)),
            (rate_constrained.fit, (0.5, 0.1, 0)),
        )
        for fit, strengths in rivals:
            found = [unfairness(p, fit(p, s, full(steps=600), **NO_NOISE)) for s in strengths]
            self.assertGreater(found[0], found[1] + 0.02, fit.__module__)
            self.assertGreater(found[1], found[2] + 0.02, fit.__module__)

    def test_many_groups_and_classes(self):
        p = people(2000, classes=4, groups=3)
        for fit, weak, strong in ((fermi.fit, 0, 8), (rate_constrained.fit, 0.5, 0)):
            tables = []
            for strength in (weak, strong):
                w = fit(p, strength, full(steps=400), **NO_NOISE)
                decisions = descent.decide(p.features, w)
                rates = [np.bincount(decisions[p.groups == g], minlength=4) for g in range(3)]
                rates = np.array(rates) / np.bincount(p.groups)[:, None]
                tables.append(np.ptp(rates, axis=0).max())
            self.assertLess(tables[1], 0.7 * tables[0])

    def test_equalized_odds_look_at_each_label(self):
        p = people(3000)

        def gap(w):
            d = descent.decide(p.features, w)
            gaps = [
                np.mean(d[(p.groups == 0) & (p.labels == y)])
                - np.mean(d[(p.groups == 1) & (p.labels == y)])
                for y in (0, 1)
            ]
            return max(map(abs, gaps))

        weak, strong = (fermi.fit(p, s, full(steps=600), odds=True, **NO_NOISE) for s in (0, 8))
        self.assertLess(gap(strong), 0.6 * gap(weak))

    def test_two_fits_with_one_seed_are_equal(self):
        p = people(1000)
        plan = dict(epsilon=1.0, delta=1e-5)
        one, two, other = (
            rate_constrained.fit(p, 0, descent.Settings(), seed=seed, **plan) for seed in (1, 1, 2)
        )
        np.testing.assert_array_equal(one, two)
        self.assertGreater(np.abs(one - other).max(), 0)


class Tuning(unittest.TestCase):
    def test_a_setting_is_worth_its_error_at_each_tolerance(self):
        def row(strength, error, unfair):
            return {"strength": strength, "error": error, "unfairness": unfair}

        rows = [row(1, 0.10, 0.08), row(2, 0.16, 0.015), row(2, 0.18, 0.025)]
        # Strength 1 has error .10 and U .08, strength 2 error .17 and U .02: strength 1 is the
        # better one at every tolerance, and pays what it misses.
        expected = (0.17 + 0.16 + 0.15 + 0.13 + 0.10 + 0.10) / 6
        self.assertAlmostEqual(tuning.worth(rows, 0.3), expected)
        self.assertAlmostEqual(tuning.worth(rows, 0.05), 0.05)

    def test_the_harder_task_chooses_settings_by_the_same_rule(self):

        def made_up(folder, fits):
            errors = {0: 0.4, 1: 0.3, 2: 0.2}
            gap = {0: 0.0, 1: 0.0, 2: 0.05}
            return [
                [
                    {
                        "strength": fit.strength,
                        "error": errors.get(fit.setting, 0.5),
                        "unfairness_large": gap.get(fit.setting, 1.0),
                    }
                ]
                * fit.runs
                for fit in fits
            ]

        wanted = [("fermi", "adult-education", 1.0), ("rates", "credit-limit", 0.5)]
        with (
            mock.patch.object(harder_rivals, "fit_all", made_up),
            mock.patch.object(harder_rivals, "constant_error", lambda *_: 0.45),
        ):
            found = harder_rivals.tuned(mock.Mock(fast=False), Path("."), wanted)
        self.assertEqual(found, dict.fromkeys(wanted, 2))


def rows(error, unfairness, rho=None, runs=5):
    """Rows of a point: the error and the unfairness alternate around their means."""
    wave = [0.001 * (-1) ** run for run in range(runs - runs % 2)] + [0.0] * (runs % 2)
    return [
        {"run": run, "rho": rho, "error": error + wave[run], "unfairness": unfairness}
        for run in range(runs)
    ]


class Verdicts(unittest.TestCase):
    def ours(self, shift=0.0):
        curve = {0: (0.20, 0.01), 0.02: (0.18, 0.03), 0.05: (0.16, 0.06)}
        return [row for rho, (e, u) in curve.items() for row in rows(e, u + shift, rho)]

    def judged(self, error, unfairness, shift=0.0, noise=0.0):
        rival = rows(error, unfairness)
        for run, row in enumerate(rival):
            row["error"] += noise * (-1) ** (run // 2)
        tuning = rows(error, unfairness, runs=3)
        return compare.judged(rival, tuning, self.ours(shift), self.ours())

    def test_rho_is_the_largest_that_is_fair_enough_on_the_tuning_splits(self):
        self.assertEqual(self.judged(0.17, 0.07)["rho"], 0.05)
        self.assertEqual(self.judged(0.17, 0.05)["rho"], 0.02)

    def test_the_interval_of_the_difference_decides(self):
        self.assertEqual(self.judged(0.17, 0.05)["verdict"], "loss")
        self.assertEqual(self.judged(0.19, 0.05)["verdict"], "win")
        self.assertEqual(self.judged(0.181, 0.05, noise=0.02)["verdict"], "tie")
        self.assertAlmostEqual(self.judged(0.19, 0.05)["difference"], -0.01)

    def test_on_the_test_splits_rho_only_goes_down(self):
        found = self.judged(0.19, 0.05, shift=0.025)
        self.assertEqual((found["rho"], found["steps_down"]), (0, 1))
        self.assertLessEqual(found["unfairness"], 0.05)
        self.assertEqual(self.judged(0.17, 0.05, shift=-0.03)["rho"], 0.02)

    def test_hindsight_chooses_rho_on_the_test_splits(self):
        rival = rows(0.19, 0.05)
        given = (rival, rows(0.19, 0.015), self.ours(), self.ours())
        self.assertEqual(compare.judged(*given)["rho"], 0)
        self.assertEqual(compare.judged(*given, hindsight=True)["rho"], 0.02)

    def test_a_point_that_ours_does_not_reach_is_a_loss(self):
        found = self.judged(0.5, 0.005)
        self.assertEqual((found["verdict"], found["reached"]), ("loss", "no"))

    def test_splits_that_the_rival_lacks_are_left_out(self):
        ours = self.ours()
        for row in ours:
            row["error"] += 10 * (row["run"] > 2)
        rival = rows(0.19, 0.05, runs=3)
        found = compare.judged(rival, rival, ours, self.ours())
        self.assertEqual(found["runs"], 3)
        self.assertLess(found["error"], 1)


@unittest.skipUnless(PROGRAM and DATA, "needs the program and the data sets")
class Splits(unittest.TestCase):
    def test_they_are_those_of_the_sweep(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        context = Context(folder, Path(PROGRAM), Path(DATA))
        saved = features.prepare(context, "parkinsons", 2, 2)
        plan = ["--schema", "parkinsons", "--method", "none", "--solver", "exact", "--runs", 2]
        swept = context.sweep("s", *plan, "--rho", "0", seed=2)
        for run in range(2):
            split = features.load(saved, "parkinsons", 2, run)
            rows = np.concatenate(list(split.rows.values()))
            np.testing.assert_array_equal(np.sort(rows), np.arange(5875))
            text = (saved / "parkinsons.2" / f"run-{run}.csv").read_text().splitlines()[1:]
            test = [line.split(",") for line in text if line.split(",")[1] == "test"]
            error = np.mean([line[3] != line[5] for line in test])
            self.assertAlmostEqual(error, swept[run]["error"], places=12)
            self.assertEqual(len(split.learn), 5875 - len(test))


if __name__ == "__main__":
    unittest.main()
