"""The estimators pass scikit-learn's checks, and do what their documentation says."""

import io
import os
import pickle
import tempfile
import unittest
import warnings

import joblib
import numpy as np
import pandas as pd
import sklearn
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import dp2dp
from dp2dp import DP2DPClassifier, FairPostProcessor, PrivacyLeakWarning, PrivateLogisticRegression
from people import BUDGET, SEEDED, labelled

PUBLIC = dict(classes=[0, 1], groups=[0, 1])
BOUNDS = dict(bounds=(-4, 4))


def unfairness(decisions, groups, classes=2):
    return dp2dp.evaluate(
        decisions, groups, n_groups=2, n_classes=classes, bootstrap_draws=0
    ).unfairness


class Declared(GaussianNB):
    """Stands for a private classifier of another library, whose cost is declared."""


class Contract(unittest.TestCase):
    """scikit-learn's own checks. Here the group of a row is the sign of its first feature."""

    def check(self, estimator):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = check_estimator(estimator, on_skip=None, on_fail=None)
        failed = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
        self.assertEqual(failed, {})
        self.assertGreater(sum(r["status"] == "passed" for r in results), 40)

    groups = dict(sensitive_column=0, sensitive_cuts=[0.0], drop_sensitive=False)

    def test_the_post_processor_passes(self):
        self.check(FairPostProcessor(LogisticRegression(), **SEEDED, **self.groups))

    def test_the_exact_post_processor_passes(self):
        self.check(
            FairPostProcessor(
                GaussianNB(), epsilon=None, solver="exact", rho=0.1, insecure_seed=1, **self.groups
            )
        )

    def test_the_private_classifier_passes(self):
        self.check(PrivateLogisticRegression(**SEEDED))

    def test_the_private_classifier_passes_without_noise(self):
        self.check(PrivateLogisticRegression(epsilon=None, method="none", insecure_seed=1))

    def test_both_phases_pass(self):
        self.check(DP2DPClassifier(**SEEDED, **self.groups))


class Recorder(GaussianNB):
    """Records the first feature of the rows that fit and predict_proba see."""

    seen = {}

    def fit(self, X, y):
        self.seen["train"] = X[:, 0].copy()
        return super().fit(X, y)

    def predict_proba(self, X):
        self.seen["pool"] = X[:, 0].copy()
        return super().predict_proba(X)


class Promises(unittest.TestCase):
    def test_nobody_is_in_both_sets_and_everybody_in_one(self):
        fair = FairPostProcessor(Recorder(), **SEEDED, **PUBLIC, pool_fraction=0.25)
        fair.fit(self.X, self.y, sensitive_features=self.g)
        train, pool = Recorder.seen["train"], Recorder.seen["pool"]
        self.assertEqual((len(train), len(pool)), (4500, 1500))
        self.assertEqual(len(np.union1d(train, pool)), 6000)
        self.assertEqual(fair.model_.records, 1500)

    def setUp(self):
        self.X, self.y, self.g = labelled(6000)

    def test_the_post_processor_is_fair_where_the_classifier_is_not(self):
        X, y, g = self.X, self.y, self.g
        fair = FairPostProcessor(LogisticRegression(), **SEEDED, **PUBLIC)
        fair.fit(X, y, sensitive_features=g)
        plain = fair.estimator_.predict(X)
        self.assertGreater(unfairness(plain, g), 0.3)
        self.assertLess(unfairness(fair.predict(X, sensitive_features=g), g), 0.06)
        self.assertGreater(fair.score(X, y, sensitive_features=g), 0.6)

    def test_a_prefit_classifier_needs_no_labels(self):
        inner = LogisticRegression().fit(self.X[:3000], self.y[:3000])
        fair = FairPostProcessor(inner, prefit=True, **BUDGET, groups=[0, 1])
        X, g = self.X[3000:], self.g[3000:]
        decisions = fair.fit(X, sensitive_features=g).predict(X, sensitive_features=g)
        self.assertLess(unfairness(decisions, g), 0.08)
        self.assertTrue(fair.model_.private)
        self.assertLessEqual(fair.model_.epsilon, 1)
        fair.set_params(scores_from_pool=True).fit(X, sensitive_features=g)
        self.assertEqual(fair.model_.leaks, ["scores-from-pool"])

    def test_prediction_is_deterministic(self):
        fair = FairPostProcessor(GaussianNB(), **SEEDED, **PUBLIC)
        fair.fit(self.X, self.y, sensitive_features=self.g)
        first = fair.predict(self.X, sensitive_features=self.g)
        np.testing.assert_array_equal(first, fair.predict(self.X, sensitive_features=self.g))

    def test_a_private_classifier_learns_and_is_private(self):
        model = PrivateLogisticRegression(**BUDGET, classes=[0, 1], **BOUNDS)
        self.assertGreater(model.fit(self.X, self.y).score(self.X, self.y), 0.8)
        self.assertTrue(model.model_.private)
        normed = PrivateLogisticRegression(**BUDGET, classes=[0, 1], data_norm=6)
        self.assertGreater(normed.fit(self.X, self.y).score(self.X, self.y), 0.8)
        self.assertTrue(normed.model_.private)

    def test_without_noise_it_is_the_classifier_of_scikit_learn(self):
        ours = PrivateLogisticRegression(
            epsilon=None, method="none", norm=1e6, classes=[0, 1], **BOUNDS
        )
        theirs = LogisticRegression(tol=1e-12, solver="newton-cholesky")
        np.testing.assert_allclose(
            ours.fit(self.X, self.y).predict_proba(self.X),
            theirs.fit(self.X / 4, self.y).predict_proba(self.X / 4),
            atol=1e-5,
        )

    def test_both_phases_cost_the_larger_of_the_two_budgets(self):
        both = DP2DPClassifier(**BUDGET, **PUBLIC, **BOUNDS)
        both.fit(self.X, self.y, sensitive_features=self.g)
        decisions = both.predict(self.X, sensitive_features=self.g)
        self.assertLess(unfairness(decisions, self.g), 0.1)
        self.assertTrue(both.model_.private)
        self.assertLessEqual(both.model_.epsilon, 1)
        sets = {entry.role for entry in both.model_.ledger.entries}
        self.assertEqual(sets, {"train", "pool"})
        self.assertEqual(both.model_.info["classifier"]["records"] + both.model_.records, 6000)

    def test_with_several_rows_a_person_may_be_in_both_sets(self):
        X, y, g = labelled(2000)
        given = dict(**BUDGET, rows_per_person=2, **PUBLIC)
        both = DP2DPClassifier(**given, **BOUNDS).fit(X, y, sensitive_features=g)
        self.assertGreater(both.model_.epsilon, 1.3)
        self.assertEqual(both.model_.leaks, [])
        fair = FairPostProcessor(GaussianNB(), **given)
        with self.assertWarnsRegex(PrivacyLeakWarning, "rows_per_person is above 1"):
            fair.fit(X, y, sensitive_features=g)
        self.assertEqual(fair.model_.leaks, ["scores-from-pool", "classifier-not-private"])
        fair.set_params(estimator=Declared(), scores_epsilon=1, scores_delta=1e-5)
        fair.fit(X, y, sensitive_features=g)
        self.assertGreater(fair.model_.epsilon, 1.3)
        self.assertEqual(fair.model_.leaks, [])
        fair.set_params(estimator=Declared().fit(X, y), prefit=True).fit(X, sensitive_features=g)
        self.assertLessEqual(fair.model_.epsilon, 1)

    def test_what_is_read_off_the_data_is_warned_about_and_marked(self):
        post = FairPostProcessor(GaussianNB(), **BUDGET)
        both = DP2DPClassifier(classes=[0, 1], **BUDGET, **BOUNDS)
        logistic = PrivateLogisticRegression(**BUDGET)
        groups = dict(sensitive_features=self.g)
        for estimator, extra, words, leak in (
            (clone(logistic).set_params(classes=[0, 1]), {}, "bounds", "schema-from-data"),
            (clone(logistic).set_params(**BOUNDS), {}, "classes", "schema-from-data"),
            (clone(post).set_params(classes=[0, 1]), groups, "groups", "labels-from-data"),
            (clone(post).set_params(groups=[0, 1]), groups, "classes", "labels-from-data"),
            (both, groups, "groups", "labels-from-data"),
        ):
            with self.subTest(words=words), self.assertWarnsRegex(PrivacyLeakWarning, words):
                estimator.fit(self.X, self.y, **extra)
            inner = ["classifier-not-private"] if isinstance(estimator, FairPostProcessor) else []
            self.assertEqual(estimator.model_.leaks, [leak, *inner])

    def test_nothing_is_warned_about_where_everything_is_public(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            both = DP2DPClassifier(**BUDGET, **PUBLIC, **BOUNDS)
            both.fit(self.X, self.y, sensitive_features=self.g)

    def test_probabilities_are_the_classifiers_own_where_nothing_is_shifted(self):
        fair = FairPostProcessor(GaussianNB(), epsilon=None, solver="exact", rho=1.0, **PUBLIC)
        fair.fit(self.X, self.y, sensitive_features=self.g)
        np.testing.assert_array_equal(fair.model_.offsets, 0)
        np.testing.assert_allclose(
            fair.predict_proba(self.X, sensitive_features=self.g),
            fair.estimator_.predict_proba(self.X),
            atol=1e-6,
        )

    def test_probabilities_are_a_distribution_whose_argmax_is_the_decision(self):
        X, y, g = labelled(3000, classes=3)
        fair = FairPostProcessor(GaussianNB(), **SEEDED, classes=[0, 1, 2], groups=[0, 1])
        p = fair.fit(X, y, sensitive_features=g).predict_proba(X, sensitive_features=g)
        self.assertGreater(np.abs(fair.model_.offsets).max(), 0.1)
        np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-12)
        self.assertGreaterEqual(p.min(), 0)
        np.testing.assert_array_equal(p.argmax(axis=1), fair.predict(X, sensitive_features=g))

    def test_cut_points_make_groups_as_a_schema_does(self):
        X = np.column_stack([self.X, np.arange(6000) % 80])
        fair = FairPostProcessor(
            GaussianNB(), **SEEDED, classes=[0, 1], sensitive_column=4, sensitive_cuts=[19, 39.5]
        ).fit(X, self.y)
        self.assertEqual(fair.model_.groups, ["<= 19", "(19, 39.5]", "> 39.5"])
        beside = FairPostProcessor(GaussianNB(), **SEEDED, classes=[0, 1], groups=[0, 1, 2])
        codes = (X[:, 4] > 19).astype(int) + (X[:, 4] > 39.5)
        beside.fit(self.X, self.y, sensitive_features=codes)
        np.testing.assert_array_equal(beside.model_.offsets, fair.model_.offsets)

    def test_a_ledger_is_charged_by_its_path(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ledger.json")
            fair = FairPostProcessor(GaussianNB(), **BUDGET, ledger=path, **PUBLIC)
            clone(fair).fit(self.X, self.y, sensitive_features=self.g)
            labels = [entry.event.mechanism for entry in dp2dp.Ledger.open(path).entries]
            self.assertEqual(labels, ["exposed", "gaussian", "gaussian"])

    def test_three_classes_and_five_groups_with_names(self):
        X, y, _ = labelled(6000, classes=3)
        g = np.array(["a", "b", "c", "d", "e"])[np.random.default_rng(0).integers(0, 5, len(X))]
        X = X + 0.4 * np.searchsorted(["a", "b", "c", "d", "e"], g)[:, None]
        names = np.array(["low", "mid", "high"])
        fair = FairPostProcessor(
            LogisticRegression(), **SEEDED, classes=names, groups=list("abcde"), rho=0.02
        ).fit(X, names[y], sensitive_features=g)
        decisions = fair.predict(X, sensitive_features=g)
        self.assertEqual(set(decisions), set(names))
        rates = np.array([[np.mean(decisions[g == e] == k) for k in names] for e in "abcde"])
        self.assertLess(np.ptp(rates, axis=0).max(), 0.15)
        self.assertEqual(fair.decision_function(X, sensitive_features=g).shape, (len(X), 3))


class Reports(unittest.TestCase):
    def setUp(self):
        self.X, self.y, self.g = labelled(n=600)
        names = np.array(["f", "m"])
        self.given = {"sensitive_features": names[self.g]}
        public = dict(SEEDED, classes=[0, 1], groups=["f", "m"])
        self.estimators = (
            FairPostProcessor(LogisticRegression(), **public),
            DP2DPClassifier(**public, **BOUNDS),
            DP2DPClassifier(**public, **BOUNDS, unaware=True),
        )

    def test_a_report_is_that_of_the_model_with_the_scores_of_the_test_people(self):
        X, y, g = labelled(n=600, seed=1)
        given = {"sensitive_features": np.array(["f", "m"])[g]}
        for fair in self.estimators:
            fair.fit(self.X, self.y, **self.given)
            self.assertEqual(fair.report().html, fair.model_.report().html)
            page = fair.report(X=X, y=y, **given)
            scores, weights = fair._scores_and_weights(X)
            same = fair.model_.report(scores=scores, groups=g, labels=y, weights=weights)
            self.assertEqual(page.html, same.html)
            self.assertTrue(page.exact)
        with self.assertRaisesRegex(dp2dp.OptionError, "pass X too"):
            fair.report(y=self.y)
        with self.assertRaisesRegex(ValueError, "groups are missing"):
            fair.report(X=self.X)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "page.html")
            fair.report(path)
            self.assertGreater(os.path.getsize(path), 1000)


class Company(unittest.TestCase):
    """Use with scikit-learn's other tools, where the group is a column of X."""

    def setUp(self):
        X, self.y, g = labelled(900)
        self.X = np.column_stack([X, g])
        self.fair = FairPostProcessor(LogisticRegression(), **SEEDED, **PUBLIC, sensitive_column=-1)

    def test_cross_validation_and_grid_search(self):
        self.assertGreater(
            cross_val_score(self.fair, self.X, self.y, error_score="raise").min(), 0.5
        )
        search = GridSearchCV(self.fair, {"rho": [0.0, 0.2], "estimator__C": [0.1, 1.0]}, cv=3)
        search.fit(self.X, self.y)
        self.assertEqual(search.best_params_["rho"], 0.2)

    def test_pipelines_inside_and_outside(self):
        inside = clone(self.fair).set_params(
            estimator=make_pipeline(StandardScaler(), LogisticRegression())
        )
        self.assertGreater(inside.fit(self.X, self.y).score(self.X, self.y), 0.5)
        keep = make_column_transformer((StandardScaler(), [0, 1, 2, 3]), remainder="passthrough")
        outside = make_pipeline(keep, clone(self.fair))
        self.assertGreater(outside.fit(self.X, self.y).score(self.X, self.y), 0.5)

    def test_frames_with_text_reach_the_classifier_as_they_are(self):
        frame = pd.DataFrame(self.X[:, :4], columns=list("abcd"))
        frame["job"] = np.where(self.X[:, 0] > 0, "clerk", "smith")
        frame["sex"] = np.where(self.X[:, 4] > 0, "m", "f")
        encode = make_column_transformer((OneHotEncoder(), ["job"]), remainder="passthrough")
        fair = FairPostProcessor(
            make_pipeline(encode, LogisticRegression()),
            **SEEDED,
            classes=[0, 1],
            groups=["f", "m"],
            sensitive_column="sex",
        ).fit(frame, self.y)
        self.assertEqual(list(fair.feature_names_in_), list(frame.columns))
        by_name = fair.predict(frame)
        beside = FairPostProcessor(fair.estimator, **SEEDED, classes=[0, 1], groups=["f", "m"])
        beside.fit(frame.drop(columns="sex"), self.y, sensitive_features=frame["sex"])
        again = beside.predict(frame.drop(columns="sex"), sensitive_features=frame["sex"])
        np.testing.assert_array_equal(by_name, again)

    def test_pickle_and_joblib(self):
        fair = clone(self.fair).fit(self.X, self.y)
        file = io.BytesIO()
        joblib.dump(fair, file)
        file.seek(0)
        for other in (pickle.loads(pickle.dumps(fair)), joblib.load(file)):
            np.testing.assert_array_equal(other.predict(self.X), fair.predict(self.X))

    def test_processes_of_joblib(self):
        scores = cross_val_score(self.fair, self.X, self.y, cv=2, n_jobs=2)
        np.testing.assert_array_equal(scores, cross_val_score(self.fair, self.X, self.y, cv=2))

    def test_metadata_routing(self):
        with sklearn.config_context(enable_metadata_routing=True):
            fair = FairPostProcessor(GaussianNB(), **SEEDED, **PUBLIC)
            fair.set_fit_request(sensitive_features=True)
            fair.set_predict_request(sensitive_features=True)
            pipe = make_pipeline(StandardScaler(), fair)
            X, g = self.X[:, :4], self.X[:, 4]
            pipe.fit(X, self.y, sensitive_features=g)
            self.assertEqual(pipe.predict(X, sensitive_features=g).shape, self.y.shape)
            fair.set_score_request(sensitive_features=True)
            scores = cross_val_score(fair, X, self.y, params={"sensitive_features": g}, cv=3)
            self.assertTrue(np.all(scores > 0.5))

    def test_trees_with_missing_values(self):
        X = self.X.copy()
        X[::7, 1] = np.nan
        fair = clone(self.fair).set_params(estimator=HistGradientBoostingClassifier(max_iter=5))
        self.assertGreater(fair.fit(X, self.y).score(X, self.y), 0.5)
