"""Certificates as files, dp2dp.verify, and the warning that a model is not private."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression

import dp2dp
from dp2dp import core

PROGRAM = os.environ.get("DP2DP")


def people(n, seed=0):
    p = np.random.default_rng(seed).random((n, 1)) ** 2
    return np.hstack([1 - p, p]), np.arange(n) % 2


def warned(call):
    """The words at the start of the warnings of a call, and its result."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    for one in caught:
        assert issubclass(one.category, dp2dp.PrivacyWarning), one.message
        assert one.filename == __file__, one.filename
    return [str(one.message).split(":")[0] for one in caught], result


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.model, self.ledger, self.proof = (
            self.folder / name for name in ("model.json", "ledger.json", "proof.json")
        )

    def certified(self):
        """Writes a model, a ledger and a certificate that belong together."""
        ledger = dp2dp.Ledger.open(self.ledger)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = dp2dp.fit(
                *people(2000), n_groups=2, epsilon=1, delta=1e-5, ledger=ledger, people="ours"
            )
            found = dp2dp.certify(
                model, *people(4000, 1), epsilon=1, delta=1e-5, ledger=ledger, people="others"
            )
        model.save(self.model)
        found.save(self.proof)
        return model, ledger, found

    def test_a_certificate_is_saved_and_verified(self):
        model, _, found = self.certified()
        told = json.loads(self.proof.read_text())
        self.assertEqual(self.proof.read_text(), found.to_json())
        self.assertEqual(told["format"], "dp2dp-certificate")
        self.assertEqual(told["model_checksum"], model.checksum)
        self.assertEqual((told["checksum"], found.records), (found.checksum, 4000))
        self.assertNotIn("checksum", repr(found))
        checks = dp2dp.verify(self.model, str(self.ledger), os.fsencode(self.proof))
        self.assertEqual({type(check) for check in checks}, {core.Check})
        self.assertNotIn("fails", {check.result for check in checks})
        self.assertIn(
            ("ledger-entry", str(self.proof), str(self.ledger), "holds"),
            {check[:4] for check in checks},
        )

    @unittest.skipUnless(PROGRAM, "needs the program")
    def test_the_program_verifies_what_python_wrote(self):
        self.certified()
        command = [PROGRAM, "verify", self.model, self.ledger, self.proof]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)

    def test_a_published_certificate_is_the_file(self):
        _, ledger, found = self.certified()
        ledger.publish(found.release_id, found.checksum)
        checks = dp2dp.verify(self.model, self.ledger, self.proof)
        self.assertIn(("published", str(self.proof)), {check[:2] for check in checks})

    def test_a_failed_check_raises_and_tells_all_checks(self):
        model, _, _ = self.certified()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            dp2dp.fit(*people(2000, 5), n_groups=2, epsilon=1, delta=1e-5).save(self.model)
        with self.assertRaises(dp2dp.DataError) as caught:
            dp2dp.verify(self.model, self.ledger, self.proof)
        results = [check.result for check in caught.exception.checks]
        self.assertIn("fails", results)
        self.assertIn("holds", results)
        self.assertNotEqual(model.checksum, dp2dp.Model.load(self.model).checksum)

    def test_copies_of_a_ledger_that_were_both_charged_fail(self):
        _, ledger, _ = self.certified()
        copy = self.folder / "copy.json"
        shutil.copy(self.ledger, copy)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for one in (ledger, dp2dp.Ledger.open(copy)):
                dp2dp.fit(*people(2000, 5), n_groups=2, epsilon=1, delta=1e-5, ledger=one)
        with self.assertRaises(dp2dp.DataError) as caught:
            dp2dp.verify(self.ledger, copy)
        found = {check.what: check for check in caught.exception.checks}["copy"]
        self.assertEqual((found.file, found.other), (str(self.ledger), str(copy)))
        self.assertIn("neither total counts the other's charges", found.message)

    def test_a_damaged_certificate_fails(self):
        self.certified()
        self.proof.write_text(self.proof.read_text().replace("4000", "4001"))
        with self.assertRaises(dp2dp.DataError) as caught:
            dp2dp.verify(self.proof)
        self.assertEqual([check.result for check in caught.exception.checks], ["fails"])

    def test_what_cannot_be_checked_is_noted(self):
        self.certified()
        checks = dp2dp.verify(self.model, self.ledger, self.proof)
        noted = {(check.what, check.file) for check in checks if check.result == "noted"}
        self.assertIn(("published", str(self.proof)), noted)

    def test_paths_that_are_none_are_refused(self):
        with self.assertRaises(TypeError):
            dp2dp.verify(3)
        with self.assertRaises(dp2dp.Error):
            dp2dp.verify()

    def test_a_certificate_that_cannot_be_written_leaves_nothing(self):
        _, _, found = self.certified()
        before = sorted(os.listdir(self.folder))
        (self.folder / "taken").mkdir()
        with self.assertRaises(OSError):
            found.save(self.folder / "taken")
        with self.assertRaises(OSError):
            found.save(self.folder / "nowhere" / "proof.json")
        self.assertEqual(sorted(os.listdir(self.folder)), sorted([*before, "taken"]))


class NotPrivate(unittest.TestCase):
    def test_a_fit_without_noise_warns_once(self):
        words, model = warned(lambda: dp2dp.fit(*people(500), n_groups=2, solver="exact"))
        self.assertEqual(words.count("not-private"), 1)
        self.assertFalse(model.private)
        words, _ = warned(lambda: dp2dp.fit(*people(500), n_groups=2, epsilon=float("inf")))
        self.assertEqual(words.count("not-private"), 1)

    def test_the_warning_has_the_reasons(self):
        with self.assertWarnsRegex(dp2dp.PrivacyWarning, "insecure seeded generator; class or"):
            dp2dp.fit(
                *people(500),
                n_groups=2,
                epsilon=1,
                delta=1e-5,
                insecure_seed=1,
                not_private_because=["labels-from-data"],
            )

    def test_a_private_fit_does_not_say_so(self):
        words, model = warned(lambda: dp2dp.fit(*people(2000), n_groups=2, epsilon=1, delta=1e-5))
        self.assertNotIn("not-private", words)
        self.assertTrue(model.private)

    def test_loading_and_deciding_do_not_warn(self):
        scores, groups = people(500)
        _, model = warned(lambda: dp2dp.fit(scores, groups, n_groups=2, solver="exact"))
        words, _ = warned(lambda: dp2dp.Model.from_json(model.to_json()).predict(scores, groups))
        self.assertEqual(words, [])

    def test_a_training_and_a_certificate_with_a_seed_warn(self):
        columns = [
            {"name": "age", "role": "feature", "kind": "numeric", "lower": 18, "upper": 90},
            {"name": "paid", "role": "label", "kind": "categorical", "levels": ["no", "yes"]},
        ]
        schema = {"format": "dp2dp-schema", "version": {"major": 1, "minor": 0}, "origin": "public"}
        rows = core.Rows([[38.0], [51.0]] * 500, ["age", "paid"], [([0, 1] * 500, ["no", "yes"])])
        words, _ = warned(
            lambda: dp2dp.train(
                {**schema, "columns": columns}, rows, epsilon=1, delta=1e-5, insecure_seed=1
            )
        )
        self.assertEqual(words, ["not-private"])
        _, model = warned(lambda: dp2dp.fit(*people(500), n_groups=2, solver="exact"))
        words, proof = warned(
            lambda: dp2dp.certify(
                model, *people(4000, seed=1), epsilon=1, delta=1e-5, insecure_seed=1
            )
        )
        self.assertEqual((words, proof.private), (["not-private"], False))

    def test_an_estimator_warns_of_its_classifier_once(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(10000, 3))
        y, groups = (X[:, 0] > 0).astype(int), np.arange(10000) % 2
        rule = dp2dp.FairPostProcessor(
            LogisticRegression(), epsilon=1, delta=1e-5, classes=[0, 1], groups=[0, 1]
        )
        words, fitted = warned(lambda: rule.fit(X, y, sensitive_features=groups))
        self.assertEqual(words.count("not-private"), 1)
        words, _ = warned(lambda: fitted.predict(X, sensitive_features=groups))
        self.assertEqual(words, [])

    def test_a_list_read_off_the_data_is_told_once(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            dp2dp.PrivateLogisticRegression(epsilon=1, delta=1e-5, bounds=(0, 1)).fit(
                [[0.2], [0.9]] * 500, [0, 1] * 450 + [1, 0] * 50
            )
        self.assertEqual([one.category for one in caught], [dp2dp.PrivacyLeakWarning])


if __name__ == "__main__":
    unittest.main()
