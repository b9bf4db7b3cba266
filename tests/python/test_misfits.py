"""Classifiers, weights and lists that do not fit what the rule is learned from are told."""

import tempfile
import unittest
import warnings
from importlib.util import find_spec

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.neighbors import KNeighborsClassifier

from dp2dp import FairPostProcessor, OptionError, PrivateLogisticRegression, Schema, core, train

PUBLIC = dict(epsilon=1, delta=1e-5, insecure_seed=1, scores_epsilon=0, scores_delta=0)


def texts_of(function, *args, **options):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args, **options)
    return [str(one.message) for one in found]


def told(function, *args, **options):
    """The words of the warnings that a call gives."""
    return [text.split(":")[0] for text in texts_of(function, *args, **options)]


class Misfits(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        rng = np.random.default_rng(0)
        n = 6000
        self.g = rng.integers(0, 2, n)
        self.X = rng.normal(size=(n, 3)) + 0.3 * self.g[:, None]
        self.y = (self.X.sum(axis=1) + rng.normal(size=n) * 1.5 > 3.6).astype(int)
        self.train, self.pool = slice(0, n // 2), slice(n // 2, None)

    def fit(self, estimator, y=None, **options):
        """The words of the warnings of a prefit fit on the pool."""
        public = dict(PUBLIC, prefit=True, classes=[0, 1], groups=[0, 1])
        fair = FairPostProcessor(estimator, **{**public, **options})
        return told(fair.fit, self.X[self.pool], y, sensitive_features=self.g[self.pool])


class Thresholds(Misfits):
    def fitted(self, estimator):
        return estimator.fit(self.X[self.train], self.y[self.train])

    def test_a_threshold_of_the_classifier_is_told(self):
        for estimator in (
            TunedThresholdClassifierCV(LogisticRegression(), scoring="balanced_accuracy"),
            FixedThresholdClassifier(LogisticRegression(), threshold=0.3),
        ):
            known = self.fitted(estimator)
            self.assertIn("threshold-ignored", self.fit(known))
            self.assertIn("threshold-ignored", self.fit(known, self.y[self.pool]))
            self.assertNotIn("threshold-ignored", self.fit(known, bad_rows="ignore"))
            inside = FairPostProcessor(
                estimator, epsilon=1, delta=1e-5, insecure_seed=1, classes=[0, 1], groups=[0, 1]
            )
            found = told(inside.fit, self.X, self.y, sensitive_features=self.g)
            self.assertIn("threshold-ignored", found)

    def test_decisions_that_are_the_most_likely_classes_are_not_told(self):
        for estimator in (
            LogisticRegression(),
            RandomForestClassifier(10),
            KNeighborsClassifier(4),
            FixedThresholdClassifier(LogisticRegression(), threshold=0.5),
        ):
            self.assertNotIn("threshold-ignored", self.fit(self.fitted(estimator)))

    def test_a_predict_that_does_not_return_classes_is_not_compared(self):
        class Odd(LogisticRegression):
            def predict(self, X):
                return returned(X)

        def fails(X):
            raise RuntimeError("no predictions today")

        known = self.fitted(Odd())
        for returned in (  # noqa: B007 (Odd uses it)
            fails,
            lambda X: None,
            lambda X: np.full(len(X), "yes"),
            lambda X: np.zeros((len(X), 2)),
            lambda X: np.full(len(X), 0.3),
        ):
            self.assertNotIn("threshold-ignored", self.fit(known))

    def test_a_row_without_a_listed_group_gets_the_most_likely_class(self):
        known = self.fitted(FixedThresholdClassifier(LogisticRegression(), threshold=0.1))
        fair = FairPostProcessor(
            known, **PUBLIC, prefit=True, classes=[0, 1], groups=[0, 1], unknown_group="base"
        ).fit(self.X[self.pool], sensitive_features=self.g[self.pool])
        nobody = np.full(len(self.X), 7)
        with self.assertWarnsRegex(UserWarning, "these rows got the most likely class"):
            decisions = fair.predict(self.X, sensitive_features=nobody)
        self.assertTrue((decisions == known.predict_proba(self.X).argmax(axis=1)).all())


class Weights(unittest.TestCase):
    """Of a rule that does not see the group."""

    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        self.rng = np.random.default_rng(0)
        n = 3000
        self.g = self.rng.integers(0, 3, n)
        score = np.clip(self.rng.normal(0.6, 0.15, n), 0.01, 0.99)
        self.scores = np.column_stack([1 - score, score])
        self.y = (self.rng.random(n) < score).astype(int)
        seen = 1.5 * np.eye(3)[self.g] + self.rng.normal(size=(n, 3))
        self.weights = self.of_groups(1.5 * seen)

    def of_groups(self, evidence):
        weights = np.exp(evidence)
        return weights / weights.sum(axis=1, keepdims=True)

    def words(self, weights, groups=None, **options):
        groups = self.g if groups is None else groups
        options = dict(PUBLIC, n_groups=3) | options
        found = told(core.fit, self.scores, groups, weights=weights, **options)
        return [word for word in found if word.startswith(("weights", "pairs"))]

    def test_weights_of_other_rows_are_told(self):
        self.assertEqual(self.words(self.weights), [])
        for other in (self.rng.permutation(self.weights), np.roll(self.weights, 1, axis=0)):
            self.assertEqual(self.words(other), ["weights-tell-nothing"])
            self.assertEqual(self.words(100 * other, normalize=True), ["weights-tell-nothing"])
            self.assertEqual(self.words(other, bad_rows="ignore"), [])
        found = self.words(self.rng.permutation(self.weights), self.g * 0)
        self.assertEqual(found, ["weights-uncalibrated"])  # everybody is in one group
        few = slice(0, 90)
        given = dict(PUBLIC, n_groups=3, weights=other[few])
        found = told(core.fit, self.scores[few], self.g[few], **given)
        self.assertNotIn("weights-tell-nothing", found)

    def test_columns_of_weights_in_another_order_are_told(self):
        for order in ([1, 2, 0], [1, 0, 2], [0, 2, 1]):
            self.assertEqual(self.words(self.weights[:, order]), ["weights-tell-nothing"])

    def test_poor_but_honest_weights_are_not_told(self):
        for strength in (0.0, 0.02, 0.05, 0.1):  # a classifier that is as sure as it can be
            seen = strength * np.eye(3)[self.g] + self.rng.normal(size=self.weights.shape)
            self.assertEqual(self.words(self.of_groups(strength * seen)), [])

    def test_a_certificate_tells_too(self):
        model = core.fit(self.scores, self.g, weights=self.weights, n_groups=3, **PUBLIC)
        budget = dict(epsilon=1, delta=1e-5, insecure_seed=1, same_people=False)
        for weights, expected in ((self.weights, 0), (self.weights[::-1], 1)):
            found = told(core.certify, model, self.scores, self.g, weights=weights, **budget)
            self.assertEqual(found.count("weights-tell-nothing"), expected)

    def test_weights_that_are_the_scores_are_told(self):
        self.assertEqual(
            self.words(self.scores.copy(), self.g % 2, n_groups=2), ["weights-are-scores"]
        )

    def test_pairs_in_another_order_are_told(self):
        pairs = (self.weights[:, :, None] * self.scores[:, None, :]).reshape(-1, 6)
        other = (self.scores[:, :, None] * self.weights[:, None, :]).reshape(-1, 6)
        odds = dict(labels=self.y, criterion="equalized_odds")
        self.assertEqual(self.words(pairs, **odds), [])
        self.assertEqual(self.words(other, **odds), ["pairs-transposed"])
        self.assertEqual(self.words(other, **odds, bad_rows="ignore"), [])


class GroupEstimators(Misfits):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(1)
        self.X[:, 1] = rng.normal(size=len(self.g)) + 2 * self.g
        self.y = (self.X[:, 0] + rng.normal(size=len(self.g)) > 0.2).astype(int)
        self.known = self.fitted(self.y)

    def fitted(self, target):
        return LogisticRegression().fit(self.X[self.train], target[self.train])

    def test_pairs_in_another_order_are_told(self):
        right, wrong = self.fitted(2 * self.g + self.y), self.fitted(2 * self.y + self.g)
        for y in (None, self.y[self.pool]):
            found = self.fit(self.known, y, group_estimator=right)
            self.assertNotIn("pairs-transposed", found)
            self.assertIn("pairs-transposed", self.fit(self.known, y, group_estimator=wrong))
            quiet = self.fit(self.known, y, group_estimator=wrong, bad_rows="ignore")
            self.assertNotIn("pairs-transposed", quiet)
        odds = dict(group_estimator=wrong, constraints="equalized_odds")
        self.assertIn("pairs-transposed", self.fit(self.known, self.y[self.pool], **odds))

    def test_the_estimator_as_group_estimator_is_refused(self):
        with self.assertRaisesRegex(OptionError, "group_estimator is the estimator itself"):
            self.fit(self.known, group_estimator=self.known, group_target="group")
        again = self.fitted(self.y)
        found = self.fit(self.known, group_estimator=again, group_target="group")
        self.assertIn("weights-are-scores", found)


class Columns(unittest.TestCase):
    def test_two_exchanged_columns_of_three_are_told(self):
        rng = np.random.default_rng(3)
        X = rng.normal(size=(6000, 3))
        y = np.digitize(X.sum(axis=1) + 0.8 * rng.logistic(size=6000), [0.6, 1.9])
        scores = LogisticRegression().fit(X[:3000], y[:3000]).predict_proba(X[3000:])
        groups = rng.integers(0, 2, 3000)
        given = dict(PUBLIC, n_groups=2, criterion="equalized_odds", labels=y[3000:])
        model = core.fit(scores, groups, **given)
        test = dict(labels=y[3000:], epsilon=1, delta=1e-5, same_people=False)
        for order, expected in (([0, 1, 2], 0), ([0, 2, 1], 1), ([1, 0, 2], 1), ([1, 2, 0], 1)):
            mixed = scores[:, order]
            found = told(core.fit, mixed, groups, **given)
            self.assertEqual(found.count("worse-than-guessing"), expected, order)
            found = told(core.certify, model, mixed, groups, **test)
            self.assertEqual(found.count("worse-than-guessing"), expected, order)
        quiet = told(core.fit, scores[:, [0, 2, 1]], groups, bad_rows="ignore", **given)
        self.assertNotIn("worse-than-guessing", quiet)

    def test_a_classifier_of_other_shares_of_classes_is_not_told(self):
        rng = np.random.default_rng(4)
        y = rng.choice(3, 4000, p=[0.9, 0.08, 0.02])
        X = rng.normal(size=(4000, 3)) + 0.5 * np.eye(3)[y]
        balanced = LogisticRegression(class_weight="balanced").fit(X[:2000], y[:2000])
        given = dict(PUBLIC, n_groups=2, criterion="equalized_odds", labels=y[2000:])
        scores = balanced.predict_proba(X[2000:])
        found = told(core.fit, scores, rng.integers(0, 2, 2000), **given)
        self.assertNotIn("worse-than-guessing", found)


class Categories(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        rng = np.random.default_rng(5)
        n = 3000
        names = [f"C{i}" for i in rng.permutation(n) + 30000]
        jobs = rng.choice(["clerk", "smith", "nurse"], n)
        self.frame = pd.DataFrame({"id": names, "job": jobs, "age": rng.uniform(18, 90, n)})
        self.y = rng.integers(0, 2, n)
        self.jobs = {"job": ["clerk", "smith", "nurse"]}

    def private(self, columns, categories, **options):
        given = dict(epsilon=1, delta=1e-5, insecure_seed=1, classes=[0, 1], bounds=(18, 90))
        private = PrivateLogisticRegression(**given, categories=categories, **options)
        return private, self.frame[columns]

    def test_a_list_of_ids_is_told(self):
        listed = self.frame["id"].tolist()
        for ids in (listed, listed + [f"D{i}" for i in range(2000)]):
            private, X = self.private(["id", "age"], {"id": ids})
            self.assertIn("categories-are-ids", told(private.fit, X, self.y))
            self.assertNotIn("categories-are-ids", told(private.predict, X))
        private, X = self.private(["id", "age"], {"id": listed}, bad_rows="ignore")
        self.assertNotIn("categories-are-ids", told(private.fit, X, self.y))

    @unittest.skipUnless(find_spec("pyarrow"), "frames need pyarrow for an Arrow stream")
    def test_a_training_on_a_frame_tells_of_ids(self):
        label = {"name": "y", "role": "label", "kind": "categorical", "levels": ["0", "1"]}
        ids = {"name": "id", "role": "feature", "kind": "categorical"}
        schema = {"format": "dp2dp-schema", "version": {"major": 1, "minor": 0}}
        schema |= {"origin": "public", "columns": [ids | {"levels": [*self.frame["id"]]}, label]}
        rows = self.frame[["id"]].assign(y=self.y)
        given = dict(epsilon=1, delta=1e-5)
        self.assertIn("categories-are-ids", told(core.train, schema, rows, **given))
        quiet = told(core.train, schema, rows, bad_rows="ignore", **given)
        self.assertNotIn("categories-are-ids", quiet)

    def numbered(self, name, numbers, **options):
        rows = self.frame[["age"]].iloc[: len(numbers)].assign(**{name: numbers})
        given = dict(epsilon=1, delta=1e-5, insecure_seed=1, classes=[0, 1])
        bounds = {"age": (18, 90), name: (-1e7, 1e7)}
        private = PrivateLogisticRegression(bounds=bounds, **given, **options)
        return told(private.fit, rows, self.y[: len(numbers)]), rows

    def test_numbers_that_are_ids_are_told(self):
        rng = np.random.default_rng(7)
        n = len(self.frame)
        consecutive = 100000 + rng.permutation(n)
        few = np.sort(rng.choice(20 * n, n, replace=False))
        spread = rng.choice(9_000_000, n, replace=False)
        for name, ids in (("x", consecutive), ("x", consecutive.astype(float)), ("x", few)):
            self.assertIn("numbers-are-ids", self.numbered(name, ids)[0])
        for name in ("id", "ID", "customer_id", "customerId", "id_customer", "account number"):
            self.assertIn("numbers-are-ids", self.numbered(name, spread)[0], name)
            self.assertIn("numbers-are-ids", self.numbered(name, spread[:200])[0], name)
        found = self.numbered("id", spread, bad_rows="ignore")[0]
        self.assertNotIn("numbers-are-ids", found)

    def test_measured_whole_numbers_are_not_told(self):
        rng = np.random.default_rng(8)
        n = len(self.frame)
        distinct = rng.choice(9_000_000, n, replace=False)
        incomes = np.exp(rng.normal(10, 0.5, n)).round()
        nearly = np.arange(n)
        nearly[1] = 0
        for name, numbers in (
            *(("revenue", distinct), ("income", incomes), ("customer_id", incomes)),
            *(("rooms", np.arange(999)), ("paid", distinct), ("valid", distinct)),
            *(("id", np.arange(99)), ("x", nearly), ("x", np.arange(n) / 2), ("number", [1] * n)),
        ):
            self.assertNotIn("numbers-are-ids", self.numbered(name, numbers)[0], name)

    @unittest.skipUnless(find_spec("pyarrow"), "frames need pyarrow for an Arrow stream")
    def test_a_training_on_a_frame_tells_of_numbers_that_are_ids(self):
        rows = self.numbered("customer", np.arange(len(self.frame)))[1].assign(y=self.y)
        schema = Schema.from_frame(
            rows,
            label="y",
            bounds={"age": (18, 90), "customer": (0, 9000)},
            categories={"y": [0, 1]},
        )
        given = dict(epsilon=1, delta=1e-5)
        self.assertIn("numbers-are-ids", told(core.train, schema, rows, **given))
        quiet = told(core.train, schema, rows, bad_rows="ignore", **given)
        self.assertNotIn("numbers-are-ids", quiet)

    def test_a_long_public_list_is_not_told(self):
        rng = np.random.default_rng(6)
        for levels in (40, 300, 3000, 9000):  # spread by chance
            zips = [str(one) for one in range(levels)]
            self.frame["zip"] = rng.choice(zips, len(self.frame))
            private, X = self.private(["zip", "age"], {"zip": zips})
            self.assertNotIn("categories-are-ids", told(private.fit, X, self.y))

    def test_one_category_in_another_spelling_is_told(self):
        private, X = self.private(["job", "age"], self.jobs)
        self.assertNotIn("levels-unlisted", told(private.fit, X, self.y))
        other = X.assign(job=X["job"].replace("smith", "blacksmith"))
        at = np.arange(len(X))
        few = X.assign(job=X["job"].where(at % 12 > 0, [f"job {i}" for i in at]))
        self.assertIn("levels-unlisted", told(private.predict, other))
        self.assertIn("levels-unlisted", told(private.fit, other, self.y))
        for fine in (X, few, other[:19]):
            self.assertNotIn("levels-unlisted", told(private.predict, fine))
        private.set_params(bad_rows="ignore")
        self.assertNotIn("levels-unlisted", told(private.fit, other, self.y))

    def test_a_few_rows_in_thousands_are_told_if_two_columns_are_so(self):
        rng = np.random.default_rng(3)
        income, debt = rng.uniform(9000, 90000, 400), rng.uniform(500, 50000, 400)
        X = pd.DataFrame({"age": rng.uniform(18, 90, 400), "income": income, "debt": debt})
        bounds = {"age": (18, 90), "income": (0, 120000), "debt": (0, 60000)}
        private = PrivateLogisticRegression(
            epsilon=1, delta=1e-5, insecure_seed=1, classes=[0, 1], bounds=bounds
        ).fit(X, self.y[:400])
        small = X.assign(income=income / 1000, debt=debt / 1000)
        for rows in (5, 19, 20):
            self.assertIn("bounds-too-wide", told(private.predict, small[:rows]))
            self.assertNotIn("bounds-too-wide", told(private.predict, X[:rows]))
        for few in (small[:4], X.assign(income=income / 1000)[:19]):
            self.assertNotIn("bounds-too-wide", told(private.predict, few))

    def test_one_unlisted_text_in_some_rows_is_told(self):
        private, X = self.private(["job", "age"], self.jobs)
        made = {
            "format": "dp2dp-schema",
            "version": {"major": 1, "minor": 0},
            "origin": "public",
            "columns": [
                dict(name="age", role="feature", kind="numeric", lower=18, upper=90),
                dict(name="job", role="feature", kind="categorical", levels=self.jobs["job"])
                | dict(unknown="level"),
                dict(name="y", role="label", kind="categorical", levels=["0", "1"]),
            ],
        }
        fits = [lambda rows: private.fit(rows, self.y)]
        if find_spec("pyarrow"):
            labels = self.y.astype(str)
            fits.append(lambda rows: train(made, rows.assign(y=labels), epsilon=1, delta=1e-5))

        def fit_file(rows):
            with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
                rows.assign(y=self.y).to_csv(file.name, index=False)
                train(made, file.name, epsilon=1, delta=1e-5)

        fits.append(fit_file)
        missing, same = "30 of them look like missing values", "30 of them are one and the same"
        for fit in fits:
            for text, words in (("NA", missing), ("none", missing), ("Clerk", same)):
                other = X.copy()
                other.loc[:29, "job"] = text
                found = " ".join(texts_of(fit, other))
                self.assertIn("30 of 3000 values of 'job' are not in its list of 3 ", found)
                self.assertIn(words, found)
                other.loc[29, "job"] = "smith"
                self.assertNotIn("levels-unlisted", told(fit, other))
            other.loc[:39, "job"] = [f"job {i}" for i in range(40)]
            self.assertNotIn("levels-unlisted", told(fit, other))

    @unittest.skipUnless(find_spec("pyarrow"), "frames need pyarrow for an Arrow stream")
    def test_scoring_a_frame_tells_of_one_category_in_another_spelling(self):
        private, X = self.private(["job", "age"], self.jobs)
        private.fit(X, self.y)
        other = X.assign(job=X["job"].replace("smith", "blacksmith"))
        self.assertIn("levels-unlisted", told(core.score, private.model_, other))
        self.assertEqual(told(core.score, private.model_, X), [])


if __name__ == "__main__":
    unittest.main()
