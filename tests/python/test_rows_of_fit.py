"""Rows that a model has learned from are told where the result assumes other people: in a
certificate, in the fit of a rule for a private classifier, and in measures."""

import gc
import unittest
import warnings
from importlib.util import find_spec

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import dp2dp
from dp2dp import (
    DP2DPClassifier,
    FairPostProcessor,
    PrivateLogisticRegression,
    _decided,
    _places,
    core,
    metrics,
)
from people import BUDGET, categorical, numeric, schema

PUBLIC = dict(classes=[0, 1], groups=[0, 1])
SCORES = dict(scores_epsilon=0, scores_delta=0)


def told(word, function, *args, **options):
    """The warnings of a call that start with this word, and its result."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = function(*args, **options)
    return [str(one.message) for one in found if str(one.message).startswith(word + ":")], result


def shared(one, other):
    return _places.count_shared(_places.places_of(one), _places.places_of(other))


class Places(unittest.TestCase):
    def test_the_rows_that_two_slices_share_are_counted(self):
        X = np.random.default_rng(0).random((1000, 3))
        named = pd.DataFrame({"job": ["a"] * 1000, "x": X[:, 0], "y": X[:, 1]})
        for rows in (X, np.asfortranarray(X), X[:, 0].copy(), pd.DataFrame(X), named, named["x"]):
            with self.subTest(type(rows).__name__):
                self.assertEqual(shared(rows[:600], rows[500:]), 100)
                self.assertEqual(shared(rows[:500], rows[500:]), 0)
                self.assertEqual(shared(rows[::2], rows[1::2]), 0)
                self.assertEqual(shared(rows[::2], rows[::3]), 167)
                self.assertEqual(shared(rows[::-1], rows[:10]), 10)
                self.assertEqual(shared(rows, rows), 1000)
                self.assertEqual(shared(rows.copy(), rows), 0)

    def test_slices_of_other_columns_are_of_the_same_rows(self):
        X = np.random.default_rng(0).random((1000, 3))
        for rows in (X, np.asfortranarray(X)):
            self.assertEqual(shared(rows[:600, :1], rows[500:, 1:]), 100)
            self.assertEqual(shared(rows[:600, :1], rows[600:, 1:]), 0)

    def test_rows_that_cannot_be_recognised_are_not_compared(self):
        for rows in ([1, 2, 3], "abc", None, 3, np.broadcast_to(np.zeros(2), (9, 2)), np.array(1)):
            self.assertEqual(shared(rows, rows), 0)

    def test_what_is_computed_from_rows_is_about_these_rows(self):
        X = np.zeros((1000, 2))
        made = np.zeros((600, 3))
        _places.derive(made, X[200:800])
        self.assertEqual(shared(made[100:], X[:400]), 100)
        self.assertEqual(shared(made[::-2], X[:400]), 100)
        before = len(_places._derived)
        del made
        gc.collect()
        self.assertEqual(len(_places._derived), before - 1)


class Rows(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        rng = np.random.default_rng(0)
        n = 4000
        self.g = rng.integers(0, 2, n)
        self.X = np.clip(rng.normal(size=(n, 2)) + 0.3 * self.g[:, None], -4, 4)
        self.y = (self.X.sum(axis=1) + rng.normal(size=n) > 0).astype(int)
        self.known = LogisticRegression().fit(self.X, self.y)

    def fitted(self, rows, frame=False, **options):
        """Estimators that were fitted to these rows, and all rows."""
        X = pd.DataFrame(self.X.copy(), columns=["a", "b"]) if frame else self.X
        given = dict(sensitive_features=self.g[rows])
        public = dict(BUDGET, **PUBLIC, **options)
        post = FairPostProcessor(self.known, prefit=True, **SCORES, **public)
        yield post.fit(X[rows], **given), X
        both = DP2DPClassifier(bounds=(-4, 4), **public)
        yield both.fit(X[rows], self.y[rows], **given), X


class Certificates(Rows):
    def certify(self, fair, X, rows, **options):
        given = dict(BUDGET, sensitive_features=self.g[rows]) | options
        return told("rows-of-the-fit", fair.certify, X[rows], **given)[0]

    def test_people_of_the_fit_in_a_certificate_are_told(self):
        for frame in (False, True):
            for fair, X in self.fitted(slice(0, 3000), frame):
                (text,) = self.certify(fair, X, slice(2000, 4000))
                self.assertRegex(text, "1000 of these 2000 rows .* the bound does not hold")
                self.assertIn("pass same_people=True", text)
                self.assertEqual(len(self.certify(fair, X, slice(100, 200))), 1)
                self.assertEqual(len(self.certify(fair, X, slice(0, 3000))), 1)
                self.assertEqual(len(self.certify(fair, X, slice(0, 9), same_people=False)), 1)

    def test_other_people_and_stated_ones_are_not_told(self):
        for frame in (False, True):
            for fair, X in self.fitted(slice(0, 3000), frame):
                self.assertEqual(self.certify(fair, X, slice(3000, 4000)), [])
                self.assertEqual(self.certify(fair, X, slice(0, 100), same_people=True), [])
                self.assertEqual(self.certify(fair, X, slice(0, 100), bad_rows="ignore"), [])
                self.assertEqual(self.certify(fair, X.copy(), slice(2985, 4000)), [])

    def test_copies_are_told_by_their_scores(self):
        for frame in (False, True):
            for fair, X in self.fitted(slice(0, 3000), frame):
                (text,) = self.certify(fair, X.copy(), slice(2000, 4000))
                self.assertRegex(
                    text, "of these 2000 rows, to judge by equal (scores|values), were also"
                )
                self.assertEqual(self.certify(fair, X.copy(), slice(0, 9), bad_rows="ignore"), [])

    def test_as_many_people_is_not_told_as_well(self):
        for fair, X in self.fitted(slice(0, 2000)):
            given = dict(BUDGET, sensitive_features=self.g[:2000])
            many, found = told("as-many-people", fair.certify, X[:2000], **given)
            self.assertEqual(many, [])
            other = fair.certify(X[:2000].copy(), **given)
            self.assertEqual(found.warnings, other.warnings)

    def test_core_tells_by_scores_and_by_groups(self):
        p = self.known.predict_proba(self.X)
        model = core.fit(p[:3000], self.g[:3000], n_groups=2, **BUDGET, **SCORES)
        for scores, groups, count in (
            (p[2000:], self.g[2000:], 1),
            (p[2000:].copy(), self.g[2000:], 1),
            (p[2000:], self.g[2000:].copy(), 1),
            (p[3000:], self.g[3000:], 0),
        ):
            found, _ = told("rows-of-the-fit", core.certify, model, scores, groups, **BUDGET)
            self.assertEqual(len(found), count)

    def test_a_warning_that_is_an_exception_costs_nothing(self):
        for fair, X in self.fitted(slice(0, 3000)):
            ledger = dp2dp.Ledger()
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                with self.assertRaisesRegex(UserWarning, "rows-of-the-fit"):
                    self.certify_all(fair, X, ledger)
            self.assertEqual(len(ledger), 0)

    def certify_all(self, fair, X, ledger):
        fair.certify(X, sensitive_features=self.g, ledger=ledger, **BUDGET)

    def test_nothing_keeps_the_rows_of_a_fit_alive(self):
        post, X = next(self.fitted(slice(0, 3000), frame=True))
        places = post.model_.__dict__["_places"]
        self.assertTrue(all(place.owner() is not None for place in places))
        del X
        gc.collect()
        self.assertTrue(all(place.owner() is None for place in places))


class Trainings(Rows):
    def setUp(self):
        super().setUp()
        self.schema = schema(
            numeric("a"),
            numeric("b"),
            categorical("y", "0", "1", role="label"),
            categorical("s", "0", "1", role="sensitive"),
        )
        self.frame = pd.DataFrame(self.X, columns=["a", "b"])
        self.frame = self.frame.assign(y=self.y.astype(str), s=self.g.astype(str))

    def fit(self, base, rows, **options):
        q = core.score(base, rows, groups=True)
        given = dict(BUDGET, base=base) | options
        return told("rows-of-the-training", core.fit, q.scores, q.groups, **given)

    @unittest.skipUnless(find_spec("pyarrow"), "frames need pyarrow for an Arrow stream")
    def test_a_pool_of_people_of_the_training_is_told(self):
        base = core.train(self.schema, self.frame[:3000], **BUDGET)
        (text,), model = self.fit(base, self.frame[:2000])
        self.assertIn("2000 of these 2000 rows", text)
        self.assertIn("Pass same_people=True, so that the costs add up", text)
        self.assertEqual(model.warnings, [])
        self.assertEqual(len(self.fit(base, self.frame[2999:])[0]), 1)
        self.assertEqual(self.fit(base, self.frame[3000:])[0], [])
        (text,) = self.fit(base, self.frame.sample(2000, random_state=1))[0]
        self.assertIn("of these 2000 rows, to judge by equal scores, were also used to train", text)
        self.assertEqual(self.fit(base, self.frame[3000:].copy())[0], [])
        for quiet in (dict(same_people=True), dict(bad_rows="ignore")):
            self.assertEqual(self.fit(base, self.frame[:2000], **quiet)[0], [])

    @unittest.skipUnless(find_spec("pyarrow"), "frames need pyarrow for an Arrow stream")
    def test_a_certificate_knows_the_rows_of_its_scores(self):
        base = core.train(self.schema, self.frame[:1000], **BUDGET)
        q = core.score(base, self.frame[1000:2000], groups=True)
        model = core.fit(q.scores, q.groups, base=base, **BUDGET)
        for rows, count in ((slice(1500, 3000), 1), (slice(900), 1), (slice(2000, None), 0)):
            q = core.score(base, self.frame[rows], groups=True)
            given = model, q.scores, q.groups
            self.assertEqual(len(told("rows-of-the-fit", core.certify, *given, **BUDGET)[0]), count)

    def test_a_rule_for_a_private_classifier_of_the_same_people_is_told(self):
        private = PrivateLogisticRegression(**BUDGET, bounds=(-4, 4), classes=[0, 1])
        private.fit(self.X[:3000], self.y[:3000])

        def fit(rows, **options):
            fair = FairPostProcessor(private, prefit=True, **BUDGET, **PUBLIC, **options)
            given = dict(sensitive_features=self.g[rows])
            return told("rows-of-the-training", fair.fit, self.X[rows], **given)[0]

        self.assertIn("1000 of these 2000 rows", *fit(slice(2000, 4000)))
        self.assertEqual(fit(slice(3000, 4000)), [])
        for quiet in (dict(same_people=True), dict(bad_rows="ignore")):
            self.assertEqual(fit(slice(2000, 4000), **quiet), [])

    def test_a_pool_of_copies_of_rows_of_the_training_is_told(self):
        private = PrivateLogisticRegression(**BUDGET, bounds=(-4, 4), classes=[0, 1])
        private.fit(self.X[:3000], self.y[:3000])
        word = "rows-of-the-training"
        fair = FairPostProcessor(private, prefit=True, **BUDGET, **PUBLIC)
        old = self.X[:, 0] > 0
        for at, count in ((old, 1), (np.arange(1000), 1), (np.arange(3000, 4000), 0)):
            given = dict(sensitive_features=self.g[at])
            found = told(word, fair.fit, self.X[at], **given)[0]
            self.assertEqual(len(found), count)
            given = dict(BUDGET, n_groups=2, base=private.model_)
            scores = private.predict_proba(self.X[at])
            by_scores = told(word, core.fit, scores, self.g[at], **given)[0]
            self.assertEqual(len(by_scores), count)
            for text in found + by_scores:
                self.assertRegex(
                    text, "about .* rows, to judge by equal (scores|values), were also"
                )
        fair.set_params(bad_rows="ignore").fit(self.X[old], sensitive_features=self.g[old])
        given = dict(sensitive_features=self.g[:1000])
        self.assertEqual(told(word, fair.fit, self.X[np.arange(1000)], **given)[0], [])

    def test_a_warning_that_is_an_exception_leaves_the_model_that_was_paid_for(self):
        private = PrivateLogisticRegression(**BUDGET, bounds=(-4, 4), classes=[0, 1])
        private.fit(self.X[:3000], self.y[:3000])
        fair = FairPostProcessor(private, prefit=True, **BUDGET, **PUBLIC)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaisesRegex(UserWarning, "rows-of-the-training"):
                fair.fit(self.X[2000:], sensitive_features=self.g[2000:])
        self.assertEqual(fair.model_.records, 2000)


class Measures(Rows):
    def test_a_measure_on_people_of_the_fit_is_told(self):
        word = "rows-of-the-fit"
        for fair, X in self.fitted(slice(0, 3000)):
            for rows, count in (
                (slice(2000, None), 1),
                (slice(0, 3000), 1),
                (slice(3000, None), 0),
            ):
                given = dict(sensitive_features=self.g[rows])
                people = X[rows], self.y[rows]
                self.assertEqual(len(told(word, fair.score, *people, **given)[0]), count)
                scorer = metrics.unfairness_scorer()
                self.assertEqual(len(told(word, scorer, fair, *people, **given)[0]), count)
                report = dict(X=X[rows], y=self.y[rows], **given)
                self.assertEqual(len(told(word, fair.report, **report)[0]), count)
                silent, decisions = told(word, fair.predict, X[rows], **given)
                self.assertEqual(silent, [])
                for function in (metrics.evaluate, metrics.unfairness):
                    found, _ = told(word, function, self.y[rows], decisions, **given)
                    self.assertEqual(len(found), count)
                    copied = self.y[rows], decisions.copy()
                    self.assertEqual(told(word, function, *copied, **given)[0], [])

    def test_a_measure_on_copies_of_rows_of_the_fit_is_told(self):
        word = "rows-of-the-fit"
        some, others = np.random.default_rng(1).permutation(3000)[:900], np.arange(3000, 4000)
        for frame in (False, True):
            for fair, X in self.fitted(slice(0, 3000), frame):
                for at, count in ((some, 1), (others, 0)):
                    rows, y = X.iloc[at] if frame else X[at], self.y[at]
                    given = dict(sensitive_features=self.g[at])
                    found = told(word, fair.score, rows, y, **given)[0]
                    self.assertEqual(len(found), count)
                    silent, decisions = told(word, fair.predict, rows, **given)
                    self.assertEqual(silent, [])
                    measured = told(word, metrics.unfairness, y, decisions, **given)[0]
                    self.assertEqual(len(measured), count)
                    for text in found + measured:
                        self.assertIn("about 900 of these 900 rows, to judge by equal val", text)
        for fair, X in self.fitted(slice(0, 3000), bad_rows="ignore"):
            given = dict(sensitive_features=self.g[some])
            self.assertEqual(told(word, fair.score, X[some], self.y[some], **given)[0], [])

    def test_a_score_of_a_private_classifier_on_its_own_rows_is_told(self):
        private = PrivateLogisticRegression(**BUDGET, bounds=(-4, 4), classes=[0, 1])
        private.fit(self.X[:3000], self.y[:3000])
        (text,), _ = told("rows-of-the-fit", private.score, self.X[:3000], self.y[:3000])
        self.assertRegex(text, "3000 of these 3000 rows .*better than for new people")
        copies = self.X[:2000].copy(), self.y[:2000]
        (text,), _ = told("rows-of-the-fit", private.score, *copies)
        self.assertIn("about 2000 of these 2000 rows, to judge by equal values", text)
        self.assertEqual(
            told("rows-of-the-fit", private.score, self.X[3000:], self.y[3000:])[0], []
        )

    @unittest.skipUnless(find_spec("matplotlib"), "matplotlib is not installed")
    def test_a_figure_of_people_of_the_fit_is_told_once(self):
        import matplotlib

        matplotlib.use("Agg")
        from dp2dp.plot import RatesDisplay

        for fair, X in self.fitted(slice(0, 3000)):
            for rows, count in ((slice(2000, None), 1), (slice(3000, None), 0)):
                given = dict(sensitive_features=self.g[rows])
                people = fair, X[rows], self.y[rows]
                found, _ = told("rows-of-the-fit", RatesDisplay.from_estimator, *people, **given)
                self.assertEqual(len(found), count)

    def test_decisions_that_are_gone_are_forgotten(self):
        ((post, X), *_) = self.fitted(slice(0, 3000))
        before = len(_decided._decided)
        decisions = post.predict(X, sensitive_features=self.g)
        self.assertEqual(len(_decided._decided), before + 1)
        del decisions
        gc.collect()
        self.assertEqual(len(_decided._decided), before)


if __name__ == "__main__":
    unittest.main()
