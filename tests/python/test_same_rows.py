"""Several fits or certificates of the same rows are told, whatever object holds these rows."""

import gc
import unittest
import warnings

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import dp2dp
from dp2dp import DP2DPClassifier, FairPostProcessor, _same_rows, core

PUBLIC = dict(epsilon=1, delta=1e-5, scores_epsilon=0, scores_delta=0)


def told(word, function, *args, **options):
    """The warnings of a call that start with this word."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args, **options)
    return [str(one.message) for one in found if str(one.message).startswith(word + ":")]


class SameRows(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        rng = np.random.default_rng(0)
        n = 4000
        self.g = rng.integers(0, 2, n)
        self.X = rng.normal(size=(n, 2)) + 0.3 * self.g[:, None]
        self.y = (self.X.sum(axis=1) + rng.normal(size=n) > 0).astype(int)
        self.known = LogisticRegression().fit(self.X, self.y)
        self.scores = self.known.predict_proba(self.X)

    def fit(self, rows, **options):
        given = dict(PUBLIC, n_groups=2) | options
        return told("several-fits", core.fit, self.scores[rows], self.g[rows], **given)

    def test_a_second_fit_of_the_same_rows_is_told_once(self):
        first, rest = slice(0, 2000), slice(2000, None)
        self.assertEqual(self.fit(first), [])
        self.assertEqual(self.fit(rest), [])
        (words,) = self.fit(first, rho=0.1)
        self.assertRegex(words, "2 fits of these rows .* compose to epsilon 1.4.*No ledger keeps")
        self.assertEqual(self.fit(first, rho=0.2), [])
        self.assertEqual(self.fit(first, rho=0.2, bad_rows="ignore"), [])
        self.assertEqual(len(self.fit(first, epsilon=2)), 1)  # it costs more than was said
        self.assertEqual(len(self.fit(rest, ledger=dp2dp.Ledger())), 1)

    def test_fits_that_are_not_private_or_of_copies_are_not_told(self):
        for _ in range(3):
            self.assertEqual(self.fit(slice(None), insecure_seed=1), [])
            exact = dict(epsilon=None, delta=None, solver="exact")
            self.assertEqual(self.fit(slice(None), **exact), [])
            self.assertEqual(self.fit(np.arange(2000)), [])

    def estimators(self):
        lists = dict(epsilon=1, delta=1e-5, classes=[0, 1], groups=[0, 1])
        yield lambda: FairPostProcessor(self.known, prefit=True, **lists)
        yield lambda: DP2DPClassifier(bounds=(-4, 4), **lists)

    def test_a_new_estimator_for_the_same_rows_is_told(self):
        for make in self.estimators():
            frame = pd.DataFrame(self.X.copy())
            people = dict(sensitive_features=self.g)

            def fit(rows, y=self.y, make=make, people=people):
                return told("several-fits", make().fit, rows, y, **people)

            self.assertEqual(fit(frame), [])
            self.assertIn("2 fits of these rows", *fit(frame))
            self.assertEqual(fit(frame), [])
            self.assertEqual(fit(frame.to_numpy().copy()), [])

    def test_several_certificates_of_the_same_rows_are_told(self):
        (make, _) = self.estimators()
        pool, test = slice(0, 2000), slice(2000, None)
        fair = make().fit(self.X[pool], sensitive_features=self.g[pool])

        def certify(rows, **options):
            given = dict(epsilon=1, delta=1e-5, same_people=False) | options
            people = dict(sensitive_features=self.g[rows])
            return told("several-certificates", fair.certify, self.X[rows], **people, **given)

        self.assertEqual(certify(test), [])
        (words,) = certify(test)
        self.assertRegex(words, "2 certificates of these rows .* epsilon 1.4.*No ledger keeps")
        self.assertEqual(certify(test, bad_rows="ignore"), [])
        self.assertIn("4 certificates", *certify(test, ledger=dp2dp.Ledger()))
        self.assertEqual(certify(slice(3000, None)), [])
        for _ in range(2):
            self.assertEqual(certify(slice(2500, None), insecure_seed=1), [])

        def of_core(rows):
            given = dict(epsilon=1, delta=1e-5, same_people=False)
            people = self.scores[rows], self.g[rows]
            return told("several-certificates", core.certify, fair.model_, *people, **given)

        self.assertEqual(of_core(test), [])
        self.assertEqual(len(of_core(test)), 1)

    def test_nothing_is_kept_of_rows_that_are_gone(self):
        gc.collect()
        before = len(_same_rows._known)
        groups = self.g.copy()
        core.fit(self.scores, groups, n_groups=2, **PUBLIC)
        self.assertEqual(len(_same_rows._known), before + 1)
        del groups
        gc.collect()
        self.assertEqual(len(_same_rows._known), before)


if __name__ == "__main__":
    unittest.main()
