"""What a user states about a classifier, its options, its groups and its labels is checked."""

import os
import tempfile
import unittest
import warnings

import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from dp2dp import DP2DPClassifier, FairnessWarning, FairPostProcessor, PrivateLogisticRegression
from people import SEEDED, labelled

PUBLIC = dict(classes=[0, 1], groups=[0, 1])


class Declared(LogisticRegression):
    """Stands for a private classifier of another library, such as diffprivlib."""


class Case(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        self.X, self.y, self.g = labelled(600)
        self.frame = pd.DataFrame(self.X, columns=list("abcd"))
        self.given = dict(sensitive_features=self.g)

    def post(self, estimator=None, **given):
        estimator = LogisticRegression() if estimator is None else estimator
        return FairPostProcessor(estimator, **{**SEEDED, **PUBLIC, **given})

    def refused(self, words, function, *args, **given):
        with self.subTest(words), self.assertRaisesRegex(ValueError, words) as told:
            function(*args, **given)
        return told.exception

    def said(self, function, *args, **given):
        """The words that the warnings of a call start with, and the result."""
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            result = function(*args, **given)
        return [str(one.message).split(":")[0] for one in found], result


class Costs(Case):
    def test_a_cost_of_a_classifier_that_adds_no_noise_is_refused(self):
        cost = dict(scores_epsilon=1, scores_delta=1e-5)
        plain = LogisticRegression()
        for name, estimator in {
            "LogisticRegression": plain,
            "the LogisticRegression that": make_pipeline(StandardScaler(), plain),
            "the StandardScaler that": make_pipeline(StandardScaler(), Declared()),
            "CalibratedClassifierCV": CalibratedClassifierCV(Declared()),
            "GridSearchCV": GridSearchCV(plain, {"C": [1]}),
            "LogisticRegression that is": OneVsRestClassifier(plain),
            "LogisticRegression that is fitted": VotingClassifier(
                [("a", Declared()), ("b", plain)], voting="soft"
            ),
        }.items():
            fair = self.post(estimator, **cost)
            self.refused(f"{name}.*adds no noise.*prefit", fair.fit, self.X, self.y, **self.given)
        fair = self.post(Declared(), group_estimator=plain, **cost)
        self.refused("the LogisticRegression that is", fair.fit, self.X, self.y, **self.given)

    def test_a_cost_of_a_fitted_classifier_that_adds_no_noise_is_refused(self):
        cost = dict(scores_epsilon=1, scores_delta=1e-5, prefit=True)
        scaled = make_pipeline(StandardScaler(), LogisticRegression())
        for name, estimator in {
            "LogisticRegression": LogisticRegression(),
            "LogisticRegression adds": scaled,
            "StandardScaler": make_pipeline(StandardScaler(), Declared()),
        }.items():
            fair = self.post(estimator.fit(self.X, self.y), **cost)
            self.refused(f"{name}.*not a budget", fair.fit, self.X, **self.given)
            free = fair.set_params(scores_epsilon=0, scores_delta=0, insecure_seed=None)
            self.assertTrue(free.fit(self.X, **self.given).model_.private)
        pairs = LogisticRegression().fit(self.X, 2 * self.g + self.y)
        known = Declared().fit(self.X, self.y)
        fair = self.post(known, group_estimator=pairs, **cost)
        self.refused("LogisticRegression.*not a budget", fair.fit, self.X, **self.given)

    def test_a_cost_of_other_classifiers_is_taken(self):
        cost = dict(scores_epsilon=1, scores_delta=1e-5, insecure_seed=None)
        frozen = FrozenEstimator(LogisticRegression().fit(self.X, self.y))
        for estimator in (
            Declared(),
            make_pipeline(FunctionTransformer(), "passthrough", Declared()),
            OneVsRestClassifier(Declared()),
            frozen,
        ):
            fair = self.post(estimator, **cost).fit(self.X, self.y, **self.given)
            self.assertTrue(fair.model_.private)

    def test_as_many_rows_as_in_the_training_are_told(self):
        private = PrivateLogisticRegression(**SEEDED, bounds=(-4, 4), classes=[0, 1])
        private.fit(self.X, self.y)
        fair = self.post(private, prefit=True)
        self.assertIn("rows-of-the-training", self.said(fair.fit, self.X.copy(), **self.given)[0])
        self.assertIn("as-many-people", self.said(fair.fit, self.X + 0.001, **self.given)[0])
        less = dict(sensitive_features=self.g[1:])
        self.assertNotIn("as-many-people", self.said(fair.fit, self.X[1:], **less)[0])
        for stated in (False, True):
            fair.set_params(same_people=stated)
            self.assertNotIn("as-many-people", self.said(fair.fit, self.X, **self.given)[0])
        inside = self.post(private, pool_fraction=0.5)
        self.assertNotIn("as-many-people", self.said(inside.fit, self.X, self.y, **self.given)[0])


class Options(Case):
    def test_an_option_that_is_a_parameter_is_refused(self):
        both = DP2DPClassifier(**SEEDED, **PUBLIC, bounds=(-4, 4))
        private = PrivateLogisticRegression(**SEEDED, bounds=(-4, 4), classes=[0, 1])
        for option in ("epsilon", "rho", "delta", "solver", "bad_rows", "insecure_seed"):
            fair = self.post(options={option: 1})
            words = f"leave '{option}' out of options: .*Set the parameter {option} instead"
            self.refused(words, fair.fit, self.X, self.y, **self.given)
        for option, other in {"criterion": "constraints", "group_names": "groups"}.items():
            fair = self.post(options={option: 1})
            words = f"leave '{option}' out of options: .*Set the parameter {other} instead"
            self.refused(words, fair.fit, self.X, self.y, **self.given)
        for name in ("fit_options", "train_options"):
            both.set_params(**{"fit_options": None, "train_options": None, name: {"epsilon": 5}})
            self.refused(f"out of {name}", both.fit, self.X, self.y, **self.given)
        private.set_params(options={"epsilon": 5})
        self.refused("leave 'epsilon' out", private.fit, self.X, self.y)

    def test_groups_beside_cuts_must_be_those_of_the_cuts(self):
        given = dict(sensitive_column=0, sensitive_cuts=[0])
        words = r"sensitive_cuts=\[0.0\] already makes the groups \['<= 0', '> 0'\]"
        both = DP2DPClassifier(**SEEDED, classes=[0, 1], bounds=(-4, 4), **given)
        for estimator in (self.post(**given), both):
            for groups in (["young", "old"], [0, 1]):
                estimator.set_params(groups=groups)
                self.refused(words, estimator.fit, self.X, self.y)
            for groups in (None, ["<= 0", "> 0"]):
                estimator.set_params(groups=groups).fit(self.X, self.y)
                self.assertEqual(estimator.groups_.tolist(), ["<= 0", "> 0"])

    def test_a_loaded_rule_with_cuts_asks_for_the_cuts(self):
        cuts = dict(sensitive_cuts=[0], groups=None)
        fair = self.post(**cuts).fit(self.X, self.y, sensitive_features=self.X[:, 0])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rule.json")
            fair.save(path)
            loaded = FairPostProcessor.load(path, fair.estimator_)
            given = dict(sensitive_features=self.X[:, 0])
            self.refused(r"sensitive_cuts=\[0\]", loaded.predict, self.X, **given)
            loaded = FairPostProcessor.load(path, fair.estimator_, sensitive_cuts=[0])
        np.testing.assert_array_equal(
            loaded.predict(self.X, **given), fair.predict(self.X, **given)
        )

    def test_columns_with_several_levels_of_names(self):
        frame = pd.DataFrame(np.column_stack([self.X, self.g]))
        frame.columns = pd.MultiIndex.from_product([["b"], ["p", "q", "r", "s", "sex"]])
        for column in (("b", "sex"), "b"):
            fair = self.post(sensitive_column=column)
            self.refused("MultiIndex", fair.fit, frame, self.y)
        self.post(sensitive_column=4).fit(frame, self.y)


class Framed:
    """Gives its probabilities as a frame."""

    def __init__(self, inner, columns, order=(0, 1)):
        self.inner, self.columns, self.order = inner, columns, list(order)
        self.classes_ = np.array(["no", "yes"])

    def predict_proba(self, X):
        return pd.DataFrame(self.inner.predict_proba(X)[:, self.order], columns=self.columns)


class Scores(Case):
    def setUp(self):
        super().setUp()
        self.words = pd.Series(np.where(self.y == 1, "yes", "no"))
        self.lists = dict(classes=["no", "yes"])
        self.inner = LogisticRegression().fit(self.X, self.y)

    def test_columns_of_probabilities_in_another_order_are_refused(self):
        for columns in (["p_yes", "p_no"], ["P(yes)", "P(no)"], ["YES", "NO"], ["yes", "p no"]):
            fair = self.post(Framed(self.inner, columns, (1, 0)), **self.lists)
            self.refused("in another order. Name the columns", fair.fit, self.X, **self.given)
        for columns in (["p_no", "p_yes"], ["a", "b"], [0, 1], ["not_yes", "yes"]):
            self.post(Framed(self.inner, columns), **self.lists).fit(self.X, **self.given)
        by_name = self.post(Framed(self.inner, ["yes", "no"], (1, 0)), **self.lists)
        plain = self.post(Framed(self.inner, [0, 1]), **self.lists)
        np.testing.assert_array_equal(
            by_name.fit(self.X, **self.given).model_.offsets,
            plain.fit(self.X, **self.given).model_.offsets,
        )

    def test_labels_that_are_no_classes_are_told(self):
        fair = self.post(**self.lists).fit(self.X, self.words, **self.given)
        private = PrivateLogisticRegression(**SEEDED, bounds=(-4, 4), **self.lists)
        private.fit(self.X, self.words)
        others = self.X + 0.001
        for estimator, given in ((fair, self.given), (private, {})):
            with self.assertWarnsRegex(FairnessWarning, "classes-differ: no label.*'no', 'yes'"):
                self.assertEqual(estimator.score(self.X, self.words.str.upper(), **given), 0)
            self.assertEqual(self.said(estimator.score, others, self.words, **given)[0], [])
            wrong = np.where(estimator.predict(self.X, **given) == "no", "yes", "no")
            self.assertEqual(self.said(estimator.score, others, wrong, **given), ([], 0))

    def test_labels_that_scikit_learn_has_replaced_are_explained(self):
        people = self.frame.assign(sex=self.g)
        fair = self.post(sensitive_column="sex", **self.lists)
        words = r"replace labels by 0, 1.*pass classes=\[0, 1\]"
        proba = dict(cv=2, method="predict_proba")
        self.refused(words, cross_val_predict, fair, people, self.words, **proba)
        voting = VotingClassifier([("a", fair)])
        self.refused(words, voting.fit, people, self.words)
        fair.set_params(classes=["0", "1"])
        self.refused("Types must match: 0 is not '0'", fair.fit, people, self.y)
        fair.set_params(classes=[0, 1])
        self.assertEqual(cross_val_predict(fair, people, self.y, **proba).shape, (600, 2))

    def test_probabilities_that_do_not_sum_to_1_name_the_option_of_the_estimator(self):
        class Rounded(Framed):
            def predict_proba(self, X):
                return self.inner.predict_proba(X).astype(np.float16)

        rounded = Rounded(self.inner, None)
        fair = self.post(rounded, **self.lists)
        self.refused(r"options=\{'normalize': True\}", fair.fit, self.X, **self.given)
        fair.set_params(options={"normalize": True}).fit(self.X, **self.given)
        self.assertEqual(len(fair.predict(self.X, **self.given)), 600)


class Prefit(Case):
    def test_a_clone_of_a_prefit_classifier_is_explained(self):
        inner, people = LogisticRegression().fit(self.X, self.y), np.c_[self.X, self.g]
        fair = self.post(inner, prefit=True, sensitive_column=4)
        words = "not fitted yet.*clone the classifier.*sklearn.frozen.FrozenEstimator"
        strict = dict(cv=2, error_score="raise")
        self.refused(words, cross_val_score, fair, people, self.y, **strict)
        fair.set_params(estimator=FrozenEstimator(inner), prefit=False)
        self.assertEqual(len(cross_val_score(fair, people, self.y, **strict)), 2)

    def test_a_classifier_that_needs_the_group_is_told_how_to_see_it(self):
        people = self.frame.assign(sex=np.where(self.g == 1, "m", "f"))
        encoder = make_column_transformer((OneHotEncoder(), ["sex"]), remainder="passthrough")
        inner = make_pipeline(encoder, LogisticRegression())
        given = dict(sensitive_column="sex", groups=["f", "m"])
        fitted = make_pipeline(encoder, LogisticRegression()).fit(people, self.y)
        for fair in (self.post(inner, **given), self.post(fitted, prefit=True, **given)):
            error = self.refused("sex|not a column", fair.fit, people, self.y)
            self.assertIn("drop_sensitive=False", "".join(getattr(error, "__notes__", [])))
            fair.set_params(drop_sensitive=False).fit(people, self.y)
        fair = self.post(**given)
        people.loc[3, "a"] = np.nan
        error = self.refused("NaN", fair.fit, people, self.y)
        self.assertEqual(getattr(error, "__notes__", []), [])

    def test_a_group_estimator_that_predicts_the_group_is_explained(self):
        inner = LogisticRegression().fit(self.X, self.y)
        sex = np.where(self.g == 1, "m", "f")
        guess = LogisticRegression().fit(self.X, sex)
        fair = self.post(inner, prefit=True, group_estimator=guess, groups=["f", "m"])
        words = r"g \* 2 \+ y \(0 to 3\), .*\['f', 'm'\].*group_target='group'"
        given = dict(sensitive_features=sex)
        self.refused(words, fair.fit, self.X, self.y, **given)
        fair.set_params(group_target="group").fit(self.X, self.y, **given)
        self.assertEqual(len(fair.predict(self.X)), 600)


if __name__ == "__main__":
    unittest.main()
