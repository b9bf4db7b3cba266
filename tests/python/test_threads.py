"""Many threads at once get the same results as one thread. `make test-tsan` runs these tests under
the thread sanitizer, so they call every function that releases the GIL."""

import os
import signal
import tempfile
import threading
import time
import unittest

import numpy as np

import dp2dp
from dp2dp import core
from people import BUDGET, SCHEMA, fitted, scores

THREADS = 8


def together(work):
    """Calls work(i) in all threads at once; returns the exceptions."""
    failures = []
    ready = threading.Barrier(THREADS)

    def run(i):
        try:
            ready.wait()
            work(i)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures


class Threads(unittest.TestCase):
    def setUp(self):
        self.p, self.g = scores(500, dtype=np.float32)

    def test_many_threads_get_what_one_gets(self):
        expected = fitted(self.p, self.g).to_json()
        answer = dp2dp.Model.from_json(expected).predict(self.p, self.g)
        ledger = dp2dp.Ledger()

        def work(i):
            for _ in range(20):
                model = fitted(self.p, self.g, ledger=ledger, threads=1 + i % 3)
                self.assertEqual(model.to_json(), expected)
                np.testing.assert_array_equal(model.predict(self.p, self.g), answer)
                model.ledger.spent(1e-5)
                len(ledger)

        self.assertEqual(together(work), [])
        self.assertEqual(len(ledger), THREADS * 20 * 2)

    def test_sources_in_many_threads_get_what_one_gets(self):
        names = {"group_names": ["a", "b"], "class_names": ["n", "y"]}
        expected = fitted(self.p, self.g, n_groups=None, **names).to_json()
        ledger = dp2dp.Ledger()

        def ask(offsets):
            return core.count(self.p, self.g, offsets, n_groups=2, threads=1)

        def work(i):
            given = {"records": 500, "insecure_seed": 7, "ledger": ledger, **BUDGET, **names}
            self.assertEqual(core.fit_source(ask, **given).to_json(), expected)

        self.assertEqual(together(work), [])
        self.assertEqual(len(ledger), THREADS * 2)

    def test_one_model_serves_all_threads(self):
        p, g = scores(40_000, dtype=np.float32)
        model = fitted(p[:500], g[:500])
        decisions, adjusted = model.predict(p, g), model.adjust(p, g)
        text = model.to_json()

        def work(i):
            for _ in range(10):
                np.testing.assert_array_equal(model.predict(p, g, threads=2), decisions)
                np.testing.assert_array_equal(model.adjust(p, g, threads=2), adjusted)
                self.assertEqual(model.to_json(), text)
                self.assertEqual(model.info["records"], 500)
                measured = dp2dp.evaluate(decisions, g, n_groups=2, n_classes=2, bootstrap_draws=20)
                self.assertEqual(measured.records, len(p))

        self.assertEqual(together(work), [])

    def test_one_accountant_serves_all_threads(self):
        accountant = dp2dp.Accountant()
        event = dp2dp.Event("poisson", clip_norm=1, noise_multiplier=40, rate=0.1)

        def work(i):
            for _ in range(5):
                accountant.add(event)
                accountant.epsilon(1e-5)
                accountant.delta(1.0)
                accountant.curve([0.5, 1.0])
                accountant.renyi(4.0)

        self.assertEqual(together(work), [])
        alone = dp2dp.Accountant()
        for _ in range(THREADS * 5):
            alone.add(event)
        self.assertEqual(accountant.epsilon(1e-5), alone.epsilon(1e-5))

    def test_training_scoring_and_certifying_share_schema_rows_and_classifier(self):
        schema = dp2dp.Schema(SCHEMA)
        rows = core.Rows(self.p[:, :1], ["a", "y"], [(self.g, ["n", "y"])])
        classifier = dp2dp.train(schema, rows, insecure_seed=1, **BUDGET)
        expected = core.score(classifier, rows).scores
        ledger = dp2dp.Ledger()
        model = fitted(self.p, self.g)

        def work(i):
            for _ in range(3):
                again = dp2dp.train(schema, rows, insecure_seed=1, **BUDGET)
                self.assertEqual(again.to_json(), classifier.to_json())
                np.testing.assert_array_equal(core.score(classifier, rows).scores, expected)
                dp2dp.certify(model, self.p, self.g, ledger=ledger, **BUDGET)

        self.assertEqual(together(work), [])
        self.assertEqual(len(ledger), THREADS * 3)

    def test_a_ledger_that_many_threads_charge_loses_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ledger.json")
            event = dp2dp.Event("gaussian", sensitivity=1, sigma=50, label="x" * 100)
            memory, file = dp2dp.Ledger(), dp2dp.Ledger.open(path)

            def work(i):
                own = dp2dp.Ledger.open(path)
                for j in range(200):
                    memory.charge(event)
                    if j % 50 == 0:
                        memory.to_json()
                    if j % 20 == 0:
                        (own if i % 2 else file).charge(event)

            self.assertEqual(together(work), [])
            self.assertEqual(len(memory), THREADS * 200)
            self.assertEqual(len(dp2dp.Ledger.open(path)), THREADS * 10)

    def test_the_gil_is_released(self):
        p, g = scores(300_000)

        ended = []

        def work():
            for _ in range(50):
                time.sleep(0.001)
            os.kill(os.getpid(), signal.SIGINT)

        other = threading.Thread(target=work)
        with self.assertRaises(KeyboardInterrupt):
            other.start()
            fitted(p, g, steps=100_000)  # takes far longer than work(), whose SIGINT ends it
            ended.append(True)
            other.join()
        self.assertEqual(ended, [])
