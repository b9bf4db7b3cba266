"""DP2DPClassifier with pool="same": one set of people for both phases, and one budget."""

import math
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np

import dp2dp
from dp2dp import DP2DPClassifier, Ledger, metrics

PUBLIC = dict(bounds=(-4, 4), classes=[0, 1], groups=[0, 1])


def people(n=3000, seed=0):
    rng = np.random.default_rng(seed)
    group = (rng.random(n) < 0.4).astype(int)
    X = np.clip(rng.normal(size=(n, 4)) + 0.8 * group[:, None], -4, 4)
    y = (X[:, 0] + X[:, 1] + rng.normal(size=n) > 0.5).astype(int)
    return X, y, group


def fitted(data=None, **options):
    X, y, group = people() if data is None else data
    given = dict(epsilon=1, delta=1e-5, pool="same", insecure_seed=3, **PUBLIC) | options
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return DP2DPClassifier(**given).fit(X, y, sensitive_features=group)


class OneSet(unittest.TestCase):
    def test_both_phases_together_cost_the_budget(self):
        for method in ("dpgd", "dpsgd", "output"):
            model = fitted(method=method, train_options={} if method == "output" else {"steps": 20})
            self.assertLessEqual(model.model_.epsilon, 1)
            self.assertGreater(model.model_.epsilon, 0.999)
            self.assertLess(model.classifier_.model_.epsilon, 0.9)

    def test_everybody_is_in_both_phases(self):
        info = fitted().model_.info
        self.assertEqual(info["classifier"]["records"], 3000)
        self.assertEqual(info["records"], 3000)
        own = fitted(pool="own").model_.info
        self.assertEqual((own["classifier"]["records"], own["records"]), (2100, 900))

    def test_the_model_and_the_ledger_charge_one_set_of_people(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "ledger.json"
            model = fitted(ledger=path, insecure_seed=None).model_
            self.assertEqual(len(Ledger.open(path).entries), 3)
            self.assertEqual(Ledger.open(path).spent(1e-5), model.epsilon)
            events = [entry.event for entry in model.ledger.entries]
            self.assertEqual({event.set or event.role for event in events}, {"train"})
            self.assertEqual([cover.epsilon for cover in model.covers], [model.epsilon] * 2)

    def test_a_larger_share_trains_with_less_noise(self):
        spent = [fitted(train_share=s).classifier_.model_.epsilon for s in (0.3, 0.7, 0.95)]
        self.assertEqual(spent, sorted(spent))
        self.assertLess(spent[-1], 1)

    def test_the_rule_is_fair_to_people_that_neither_phase_saw(self):
        X, y, group = people(20000, 1)
        model = fitted([a[:15000] for a in (X, y, group)], constraints="equalized_odds")
        test, labels, given = X[15000:], y[15000:], dict(sensitive_features=group[15000:])
        gaps = [
            metrics.unfairness(labels, decide(test, **given), **given, constraints="equalized_odds")
            for decide in (model.predict, model._predict_without_rule)
        ]
        self.assertLess(gaps[0], gaps[1] / 2)

    def test_without_noise_in_training_the_rule_has_the_budget(self):
        model = fitted(method="none").model_
        self.assertIn("classifier-not-private", model.not_private_because)
        self.assertEqual(model.info["settings"]["epsilon"], 1)
        self.assertFalse(fitted(epsilon=math.inf, delta=None).model_.private)

    def test_what_contradicts_one_set_is_refused(self):
        for words, options in {
            "pool must be 'own' or 'same'": dict(pool="both"),
            "train_share must be between 0 and 1": dict(train_share=1.0),
            "leave 'epsilon' out of fit_options": dict(fit_options={"epsilon": 1}),
        }.items():
            with self.assertRaisesRegex(dp2dp.OptionError, words):
                fitted(**options)


if __name__ == "__main__":
    unittest.main()
