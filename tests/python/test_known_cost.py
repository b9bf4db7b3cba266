"""A stated cost below that of the private classifiers of this package inside is refused."""

import unittest
import warnings

import numpy as np
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import dp2dp
from dp2dp import FairPostProcessor, Ledger, PrivateLogisticRegression
from dp2dp._warn import up
from people import BUDGET, labelled

LISTS = dict(classes=[0, 1], groups=[0, 1])


def private(epsilon=1, **options):
    given = {"delta": 1e-5, "bounds": (-4, 4), "classes": [0, 1], **options}
    return PrivateLogisticRegression(epsilon=epsilon, **given)


class Known(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        self.X, self.y, self.g = labelled(1000)

    def fit(self, estimator, epsilon, delta=1e-5, **options):
        given = dict(scores_epsilon=epsilon, scores_delta=delta, **BUDGET, **LISTS, **options)
        fair = FairPostProcessor(estimator, **given)
        return fair.fit(self.X, self.y, sensitive_features=self.g)

    def check(self, estimator, known, below, words, **options):
        for epsilon, delta in ((0.1, 1e-5), (below, 1e-5), (known, 0)):
            ledger = Ledger()
            with self.assertRaisesRegex(dp2dp.OptionError, words):
                self.fit(estimator, epsilon, delta, ledger=ledger, **options)
            self.assertEqual(ledger.entries, [])
        self.fit(estimator, known, **options)

    def test_one_training(self):
        one = private().fit(self.X, self.y)
        step = make_pipeline(FunctionTransformer(), private()).fit(self.X, self.y)
        words = "which is known: its training costs epsilon 1 at delta 1e-05. "
        for estimator in (one, FrozenEstimator(one)):
            given = "PrivateLogisticRegression, " + words + "Leave scores_epsilon"
            self.check(estimator, 1, 0.99, given, prefit=True)
            with self.assertRaisesRegex(dp2dp.OptionError, given):
                self.fit(estimator, 0, 0, prefit=True)
        for estimator in (step, FrozenEstimator(step)):
            self.check(estimator, 1, 0.99, "Pipeline, " + words + "State this", prefit=True)
        self.fit(one, one.model_.epsilon, one.model_.delta, prefit=True)
        self.fit(one, 0.9, 1e-4, prefit=True)  # a larger delta has a smaller epsilon

    def test_one_training_to_come(self):
        for estimator in (private(), private(method="output"), private(method="dpsgd")):
            self.check(estimator, 1, 0.99, "its training costs epsilon 1 at delta 1e-05")
        self.check(make_pipeline(FunctionTransformer(), private()), 1, 0.99, "costs epsilon 1 ")

    def test_trainings_on_the_same_rows_add_up(self):
        words = "its 4 private trainings cost epsilon 2.1.* at delta 1e-05. State this cost"
        bag = BaggingClassifier(private(), n_estimators=4, bootstrap=False)
        self.check(bag, 2.2, 1, words)
        self.check(bag.fit(self.X, self.y), 2.2, 1, words, prefit=True)
        vote = VotingClassifier([("a", private()), ("b", private(2))], voting="soft")
        self.check(vote, 2.4, 2, "its 2 private trainings cost epsilon 2.3")

    def test_trainings_on_other_rows_do_not(self):
        some = BaggingClassifier(private(), n_estimators=4, max_samples=0.5, bootstrap=False)
        self.check(some.fit(self.X, self.y), 1, 0.9, "its training costs epsilon 1 ", prefit=True)
        first, second = slice(0, 500), slice(500, None)
        pair = [private(e).fit(self.X[at], self.y[at]) for e, at in ((1, first), (2, second))]
        frozen = [(str(e), FrozenEstimator(one)) for e, one in enumerate(pair)]
        vote = VotingClassifier(frozen, voting="soft").fit(self.X, self.y)
        self.check(vote, 2, 1.9, "its training costs epsilon 2 ", prefit=True)

    def test_copies_of_a_person_have_no_known_cost(self):
        bag = BaggingClassifier(private(), n_estimators=4)
        for fitted in (bag, bag.fit(self.X, self.y)):
            with self.assertRaisesRegex(dp2dp.OptionError, "is not known.*bootstrap=False"):
                self.fit(fitted, 100, prefit=fitted is not bag or hasattr(bag, "estimators_"))

    def test_a_training_that_is_not_private_has_no_finite_cost(self):
        for options in (dict(method="none"), dict(epsilon=np.inf), dict(insecure_seed=1)):
            one = private(**options)
            for prefit in (False, True):
                fitted = one.fit(self.X, self.y) if prefit else one
                with self.assertRaisesRegex(dp2dp.OptionError, "its training is not private"):
                    self.fit(fitted, 100, prefit=prefit)
        read_off = private(bounds=None).fit(self.X, self.y)
        with self.assertRaisesRegex(dp2dp.OptionError, "its training is not private"):
            self.fit(read_off, 100, prefit=True)

    def test_what_a_fit_reads_off_the_rows_is_not_private(self):
        vote = VotingClassifier([("a", private(bounds=(-4, 4), classes=None))], voting="soft")
        fair = self.fit(vote, 100)
        inner = fair.estimator_.estimators_[0].model_
        self.assertEqual(fair.model_.private, inner.private)
        with self.assertRaisesRegex(dp2dp.OptionError, "its training is not private"):
            self.fit(private(bounds=None), 100)

    def test_trainings_of_other_methods_are_compared_after_the_fit(self):
        for method in ("output", "dpsgd"):
            bag = BaggingClassifier(private(method=method), n_estimators=3, bootstrap=False)
            with self.subTest(method=method):
                try:
                    self.assertFalse(self.fit(bag, 1).model_.private)
                except dp2dp.OptionError as error:
                    self.assertIn("3 private trainings cost", str(error))

    def test_a_classifier_for_several_rows_costs_what_it_says(self):
        one = private(rows_per_person=3)
        self.fit(BaggingClassifier(one, n_estimators=1, bootstrap=False), 1, rows_per_person=3)

    def test_several_rows_of_a_person_cost_more(self):
        for prefit in (False, True):
            one = private().fit(self.X, self.y) if prefit else private()
            with self.assertRaisesRegex(dp2dp.OptionError, "its training costs epsilon 3.4"):
                self.fit(one, 3.3, rows_per_person=3, prefit=prefit)

    def test_a_stated_cost_is_printed_only_if_it_is_the_whole_cost(self):
        rng = np.random.default_rng(3)
        scores = rng.dirichlet([1, 1], 2000)
        groups = np.arange(2000) % 2
        given = dict(n_groups=2, epsilon=1, delta=1e-5)
        first = dp2dp.fit(scores, groups, scores_epsilon=0.5, scores_delta=1e-6, **given)
        self.assertIn("(0.5, 1e-06)-differentially private, as stated", str(first))
        second = dp2dp.fit(scores[::-1].copy(), groups, base=first, **given)
        self.assertNotIn("(0.5, 1e-06)", str(second))
        for cover in second.covers:
            self.assertIn(f"({up(cover.epsilon)}, ", str(second))

    def test_what_is_not_known_is_taken(self):
        class Own:
            classes_ = np.array([0, 1])

            def __init__(self, one):
                self.estimator_ = one

            def predict_proba(self, X):
                return self.estimator_.predict_proba(X)

        self.fit(Own(private().fit(self.X, self.y)), 0.1, prefit=True)


if __name__ == "__main__":
    unittest.main()
