"""Mistakes of first-time users are refused or told, with a sentence that says what to do."""

import tempfile
import unittest
import warnings

import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

import dp2dp
from dp2dp import DP2DPClassifier, FairPostProcessor, PrivateLogisticRegression
from people import BUDGET, SEEDED, categorical, labelled, numeric, schema

PUBLIC = dict(classes=[0, 1], groups=[0, 1])


class Given:
    """Probabilities that do not come from scikit-learn."""

    def __init__(self, found, classes=(0, 1)):
        self.found, self.classes_ = found, np.array(classes)

    def predict_proba(self, X):
        p = 1 / (1 + np.exp(-np.asarray(X)[:, [0]]))
        return self.found(np.hstack([1 - p, p]))


class Mistakes(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        self.X, self.y, self.g = labelled(n=400)

    def post(self, found, **options):
        fair = FairPostProcessor(Given(found), **{**SEEDED, **PUBLIC, **options})
        return fair.fit(self.X, sensitive_features=self.g)

    def refused(self, words, function, *args, **given):
        with self.subTest(words), self.assertRaisesRegex((ValueError, TypeError), words):
            function(*args, **given)

    def test_probabilities_in_a_frame_go_by_the_names_of_the_classes(self):
        plain = self.post(lambda p: p).predict(self.X, sensitive_features=self.g)
        for columns in ([1, 0], ["1", "0"]):
            fair = self.post(lambda p, names=columns: pd.DataFrame(p[:, ::-1], columns=names))
            found = fair.predict(self.X, sensitive_features=self.g)
            np.testing.assert_array_equal(found, plain)

    def test_probabilities_of_another_shape_are_refused(self):
        words = "a column for each of the 2 classes in classes_, not an array of shape"
        for wrong in (lambda p: p[:, 1:], lambda p: p[:, 1], lambda p: np.hstack([p, p]) / 2):
            self.refused(words, self.post, wrong)
        self.refused("same number of rows", self.post, lambda p: p[1:])

    def test_probabilities_that_do_not_sum_to_1_say_which_option_helps(self):
        self.refused("normalize=True", self.post, lambda p: p.astype(np.float16))
        self.refused("normalize=True", self.post, lambda p: 100 * p)
        self.post(lambda p: 100 * p, options={"normalize": True})

    def test_a_classifier_without_probabilities_is_told_how_to_get_them(self):
        self.refused(
            "CalibratedClassifierCV",
            FairPostProcessor(SVC(), **SEEDED, **PUBLIC).fit,
            self.X,
            self.y,
            sensitive_features=self.g,
        )

    def test_ids_and_measurements_are_not_groups(self):
        fair = FairPostProcessor(LogisticRegression(), **SEEDED, classes=[0, 1])
        for groups in (np.arange(400), self.X[:, 0], [f"p{i}" for i in range(400)]):
            self.refused(
                "hardly any two.*sensitive_cuts",
                fair.fit,
                self.X,
                self.y,
                sensitive_features=groups,
            )
        fair.fit(self.X, self.y, sensitive_features=np.arange(400) % 20)

    def test_missing_values_written_as_text_are_told(self):
        fair = FairPostProcessor(LogisticRegression(), **SEEDED, classes=[0, 1])
        for word in ("nan", "None", "<NA>"):
            groups = np.where(self.g, "m", "f").astype(object)
            groups[3] = word
            with self.assertWarnsRegex(dp2dp.FairnessWarning, f"text-for-missing.*{word!r}"):
                warnings.simplefilter("always")
                fair.fit(self.X, self.y, sensitive_features=groups.astype(str))

    def test_a_group_that_differs_by_blanks_or_case_says_so_and_does_not_show_the_value(self):
        fair = FairPostProcessor(LogisticRegression(), **SEEDED, classes=[0, 1])
        names = np.array(["big city", "village"])[self.g]
        for groups in (
            ["big city ", "village "],
            ["Big City", "Village"],
            ["big  city", "VILLAGE"],
        ):
            fair.set_params(groups=groups)
            with self.assertRaisesRegex(dp2dp.DataError, "only in blanks, or in upper and") as told:
                fair.fit(self.X, self.y, sensitive_features=names)
            self.assertNotIn("city", str(told.exception))

    def test_one_group_for_all_rows_is_refused(self):
        fair = self.post(lambda p: p)
        words = "the group of each row, not int"
        self.refused(words, fair.predict, self.X[:1], sensitive_features=1)

    def test_a_rule_that_must_not_see_the_group_refuses_it_among_the_features(self):
        frame = pd.DataFrame(self.X, columns=list("abcd")).assign(sex=self.g)
        both = DP2DPClassifier(unaware=True, bounds=(-4, 4), **SEEDED, **PUBLIC)
        post = FairPostProcessor(
            LogisticRegression(), group_estimator=LogisticRegression(), **SEEDED, **PUBLIC
        )
        for fair in (both, post):
            for groups in (frame["sex"], frame[["sex"]]):
                words = "the column 'sex' of .* is also in X.*Drop the column"
                self.refused(words, fair.fit, frame, self.y, sensitive_features=groups)
            fair.fit(frame[list("abcd")], self.y, sensitive_features=frame["sex"])
        aware = DP2DPClassifier(bounds=(-4, 4), **SEEDED, **PUBLIC)
        aware.fit(frame, self.y, sensitive_features=frame["sex"])

    def test_errors_name_the_row_that_the_user_knows(self):
        frame = pd.DataFrame({"a": self.X[:, 0], "job": np.where(self.g, "clerk", "smith")})
        both = DP2DPClassifier(
            bounds=(-4, 4), categories={"job": ["clerk", "smith"]}, **SEEDED, **PUBLIC
        )
        for row in (0, 17, 399):
            broken = frame.astype({"job": object}).copy()
            broken.loc[row, "job"] = None
            with self.assertRaisesRegex(dp2dp.DataError, f"^row {row + 1}, column") as told:
                both.fit(broken, self.y, sensitive_features=self.g)
            self.assertEqual((told.exception.row, told.exception.column), (row + 1, "job"))
            self.assertNotIn("the rows", str(told.exception))

        class Broken(LogisticRegression):
            def predict_proba(self, X):
                return np.where(X[:, [0]] > 98, np.nan, super().predict_proba(X))

        X = self.X.copy()
        fair = FairPostProcessor(Broken(), **SEEDED, **PUBLIC, pool_fraction=0.5)
        row = int(np.sort(np.random.default_rng(1).permutation(400)[:200])[50])  # of the pool
        X[row, 0] = 99
        with self.assertRaisesRegex(dp2dp.DataError, f"^row {row + 1}"):
            fair.fit(X, self.y, sensitive_features=self.g)

    def test_dates_are_not_numbers(self):
        frame = pd.DataFrame({"a": self.X[:, 0], "job": np.where(self.g, "x", "y")})
        frame["born"] = pd.Timestamp("2000-01-01")
        both = DP2DPClassifier(bounds=(-4, 4), categories={"job": ["x", "y"]}, **SEEDED, **PUBLIC)
        words = "column 'born' holds dates or times"
        self.refused(words, both.fit, frame, self.y, sensitive_features=self.g)
        private = PrivateLogisticRegression(bounds=(-4, 4), **SEEDED, classes=[0, 1])
        self.refused(words, private.fit, frame[["a", "born"]], self.y)

    def test_score_columns_go_by_name_after_a_fit_to_a_frame(self):
        p = 1 / (1 + np.exp(-self.X[:, 0]))
        frame = pd.DataFrame({"no": 1 - p, "yes": p})
        model = dp2dp.fit(frame, self.g, n_groups=2, class_names=["no", "yes"], **BUDGET)
        expected = model.predict(frame, self.g)
        swapped = frame[["yes", "no"]]
        np.testing.assert_array_equal(model.predict(swapped, self.g), expected)
        np.testing.assert_array_equal(model.predict(frame.to_numpy(), self.g), expected)
        words = r"columns of scores are \[yes, no\], but class_names are \[no, yes\]"
        self.refused(
            words, dp2dp.fit, swapped, self.g, n_groups=2, class_names=["no", "yes"], **BUDGET
        )
        weights = pd.DataFrame({"f": [0.4] * 400, "m": [0.6] * 400})
        model = dp2dp.fit(frame, self.g, weights=weights, n_groups=2, **BUDGET)
        whole = pd.concat([weights[["m", "f"]], swapped], axis=1)
        np.testing.assert_array_equal(model.predict(whole), model.predict(frame, weights=weights))

    def test_arrow_tables_are_features_and_scores_by_name(self):
        import pyarrow as pa

        frame = pd.DataFrame(self.X, columns=list("abcd"))
        both = DP2DPClassifier(bounds=(-4, 4), **SEEDED, **PUBLIC)
        both.fit(pa.Table.from_pandas(frame), self.y, sensitive_features=self.g)
        self.assertEqual(both.feature_names_in_.tolist(), list("abcd"))
        np.testing.assert_array_equal(
            both.predict(pa.Table.from_pandas(frame), sensitive_features=self.g),
            both.predict(frame, sensitive_features=self.g),
        )
        p = 1 / (1 + np.exp(-self.X[:, 0]))
        model = dp2dp.fit(pa.table({"no": 1 - p, "yes": p}), self.g, n_groups=2, **BUDGET)
        np.testing.assert_array_equal(
            model.predict(pa.table({"yes": p, "no": 1 - p}), self.g),
            model.predict(np.column_stack([1 - p, p]), self.g),
        )

    def test_a_loaded_estimator_has_the_labels_of_the_saved_one(self):
        for kind in (float, bool, int, str):
            classes = [kind(0), kind(1)] if kind is not str else ["a", "b"]
            labels = np.array(classes)[self.y]
            both = DP2DPClassifier(bounds=(-4, 4), **SEEDED, classes=classes, groups=[0, 1])
            both.fit(self.X, labels, sensitive_features=self.g)
            with tempfile.NamedTemporaryFile(suffix=".json") as file:
                both.save(file.name)
                again = DP2DPClassifier.load(file.name)
            self.assertEqual(again.classes_.dtype.kind, np.array(classes).dtype.kind)
            self.assertEqual(
                again.score(self.X, labels, sensitive_features=self.g),
                both.score(self.X, labels, sensitive_features=self.g),
            )

    def test_a_list_of_classes_in_any_order_suits_the_scorers_of_scikit_learn(self):
        names = np.array(["bad", "good"])[self.y]
        for classes in (["good", "bad"], ["bad", "good"]):
            private = PrivateLogisticRegression(bounds=(-4, 4), **SEEDED, classes=classes)
            self.assertGreater(
                cross_val_score(private, self.X, names, scoring="roc_auc").min(), 0.7
            )
            self.assertGreater(
                cross_val_score(private, self.X, names, scoring="neg_log_loss").min(), -0.7
            )
            calibrated = CalibratedClassifierCV(private).fit(self.X, names)
            self.assertGreater(calibrated.score(self.X, names), 0.6)
            self.assertEqual(private.fit(self.X, names).classes_.tolist(), ["bad", "good"])

    def test_the_second_class_of_the_list_is_positive_in_any_order(self):
        names = np.array(["bad", "good"])[self.y]
        public = dict(SEEDED, groups=[0, 1], constraints="equal_opportunity")
        for given in ({}, {"prefit": True}):
            for classes in (["good", "bad"], ["bad", "good"]):
                inner = LogisticRegression().fit(self.X, names)
                fair = FairPostProcessor(inner, classes=classes, **public, **given)
                fair.fit(self.X, names, sensitive_features=self.g)
                positive = 1 if fair.model_.positive is None else fair.model_.positive
                self.assertEqual(fair.model_.classes[positive], classes[1])

    def test_a_file_with_unsorted_classes_is_loaded_in_its_own_order(self):
        names = np.array(["bad", "good"])[self.y]
        inner = LogisticRegression().fit(self.X, names)
        p = inner.predict_proba(self.X)
        options = dict(class_names=["good", "bad"], group_names=["0", "1"], **SEEDED)
        model = dp2dp.fit(p[:, ::-1], self.g, **options)
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            model.save(file.name)
            fair = FairPostProcessor.load(file.name, inner)
        expected = np.array(model.classes)[model.predict(p[:, ::-1], self.g)]
        found = fair.predict(self.X, sensitive_features=self.g)
        np.testing.assert_array_equal(found, expected)

    def test_numbers_of_classes_need_a_sorted_list(self):
        names = np.array(["bad", "good"])[self.y]
        public = dict(SEEDED, classes=["good", "bad"], groups=[0, 1])
        words = r"depends on the order of the classes.*classes=\['bad', 'good'\]"
        custom = {"constraints": "custom", "options": {"statistics": [(0, None)]}}
        pairs = LogisticRegression().fit(self.X, 2 * self.g + self.y)
        inner = LogisticRegression().fit(self.X, names)
        for given in (custom, {"group_estimator": pairs, "prefit": True}):
            fair = FairPostProcessor(inner, **public, **given)
            self.refused(words, fair.fit, self.X, names, sensitive_features=self.g)

    def test_a_schema_with_unsorted_classes_is_told(self):
        made = schema(numeric("a"), categorical("y", "good", "bad", role="label"))
        private = PrivateLogisticRegression(schema=made, **SEEDED)
        with self.assertWarnsRegex(dp2dp.FairnessWarning, "classes-unsorted"):
            warnings.simplefilter("always")
            private.fit(self.X[:, :1], np.array(["bad", "good"])[self.y])

    def test_masked_and_missing_values_are_not_values(self):
        fair = FairPostProcessor(LogisticRegression(), **SEEDED, **PUBLIC)
        hidden = np.arange(400) == 4
        groups, labels = np.ma.array(self.g, mask=hidden), np.ma.array(self.y, mask=hidden)
        said = "row 5: the value of groups is missing"
        self.refused(said, fair.fit, self.X, self.y, sensitive_features=groups)
        self.refused("masked", fair.fit, self.X, labels, sensitive_features=self.g)
        names = np.array(["bad", "good"], dtype=object)[self.y]
        names[7] = None
        fair.set_params(classes=["bad", "good"])
        self.refused(
            "row 8: the value of y is missing", fair.fit, self.X, names, sensitive_features=self.g
        )

    def test_bytes_are_not_texts(self):
        fair = FairPostProcessor(LogisticRegression(), **SEEDED, classes=[0, 1])
        groups = np.array([b"f", b"m"])[self.g]
        self.refused("astype", fair.fit, self.X, self.y, sensitive_features=groups)

    def test_a_positive_class_that_is_none_lists_the_classes(self):
        fair = FairPostProcessor(
            LogisticRegression(), **SEEDED, **PUBLIC, constraints="equal_opportunity", positive="1"
        )
        words = r"one of the classes \[0, 1\], not '1'"
        self.refused(words, fair.fit, self.X, self.y, sensitive_features=self.g)


if __name__ == "__main__":
    unittest.main()
