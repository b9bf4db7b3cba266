"""Columns of X that a fit should not have are told: ids of people with several rows, and ids and
copies of the label that a classifier of another library uses."""

import unittest
import warnings
from importlib.util import find_spec

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

import dp2dp
from dp2dp import DP2DPClassifier, FairPostProcessor, PrivateLogisticRegression
from people import SEEDED, labelled

LISTS = dict(classes=[0, 1], groups=[0, 1])
NAMES = list("abcd")
N = 1500


class Case(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        self.X, self.y, self.g = labelled(N)
        self.frame = pd.DataFrame(self.X, columns=NAMES)
        self.rng = np.random.default_rng(0)

    def told(self, name, estimator, X, y=None, **more):
        """The warnings of a fit that start with a name."""
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            y = self.y if y is None else y
            estimator.fit(X, y, sensitive_features=self.g, **more)
        texts = [str(one.message) for one in found]
        return [text for text in texts if text.startswith(name)]

    def post(self, inner=None, **options):
        inner = LogisticRegression() if inner is None else inner
        return FairPostProcessor(inner, **SEEDED, **LISTS, **options)


class People(Case):
    def rows(self, estimator, **column):
        return self.told("rows-repeated", estimator, self.frame.assign(**column))

    def test_an_id_of_a_person_with_several_rows_is_told(self):
        ids = self.rng.integers(0, 600, N)
        texts = np.array([f"c{i}" for i in ids])
        for name, values in (
            ("customer_id", ids),
            ("patientId", ids.astype(float)),
            ("ID", ids + 10**9),
            ("person", ids),
            ("client no", ids),
            ("pid", ids),
            ("name", ids),
            ("e_mail", ids),
            ("customer_key", ids),
        ):
            with self.subTest(name):
                found = self.rows(self.post(), **{name: values})
                self.assertEqual(len(found), 1)
                self.assertIn(f"in the column {name!r}", found[0])
                self.assertIn("set rows_per_person", found[0])
        numbers = make_pipeline(
            ColumnTransformer([("n", "passthrough", NAMES)]), LogisticRegression()
        )
        self.assertEqual(len(self.rows(self.post(numbers), customer_id=texts)), 1)
        bounds = {name: (-4, 4) for name in NAMES} | {"customer_id": (0, 600)}
        both = DP2DPClassifier(bounds=bounds, **SEEDED, **LISTS)
        self.assertEqual(len(self.rows(both, customer_id=ids)), 1)
        private = PrivateLogisticRegression(bounds=bounds, classes=[0, 1], **SEEDED)
        with self.assertWarnsRegex(UserWarning, "rows-repeated"):
            private.fit(self.frame.assign(customer_id=ids), self.y)

    @unittest.skipUnless(find_spec("pyarrow"), "frames need pyarrow for an Arrow stream")
    def test_a_training_on_a_frame_tells_too(self):
        people = self.frame.assign(patient_id=np.arange(N) // 3, y=self.y.astype(str))
        levels = {"y": [*np.unique(people.y)]}
        bounds = {name: (-4, 4) for name in NAMES}
        given = dict(label="y", bounds=bounds, categories=levels, ignore=["patient_id"])
        schema = dp2dp.Schema.from_frame(people, **given)

        def told(**options):
            with warnings.catch_warnings(record=True) as found:
                warnings.simplefilter("always")
                dp2dp.train(schema, people, **SEEDED, **options)
            texts = [str(one.message) for one in found]
            return [text for text in texts if text.startswith("rows-repeated")]

        (text,) = told()
        self.assertIn("in the column 'patient_id'", text)
        self.assertEqual(told(rows_per_person=3) + told(bad_rows="ignore"), [])

    def test_other_columns_are_not_told(self):
        ids = self.rng.integers(0, 600, N)
        for name, values in (
            ("income", ids),
            ("customer_income", ids),
            ("customers", ids),
            ("customer_id", np.arange(N)),
            ("customer_id", np.r_[np.arange(N - 100), np.arange(100)]),
            ("customer_id", self.rng.normal(size=N)),
            ("branch_id", self.rng.integers(0, 90, N)),
            ("number", ids),
            ("name", (1000 * self.rng.random(N) ** 4).astype(int)),
            ("key", np.arange(N) % (N - N // 9)),
        ):
            with self.subTest(name):
                self.assertEqual(self.rows(self.post(), **{name: values}), [])

    def test_a_stated_number_of_rows_and_ignored_rows_are_not_told(self):
        ids = self.rng.integers(0, 600, N)
        for options in ({"rows_per_person": 9}, {"bad_rows": "ignore"}):
            self.assertEqual(self.rows(self.post(**options), customer_id=ids), [])


class OtherLibraries(Case):
    def test_numbers_of_people_are_told(self):
        people = self.frame.assign(customer_id=self.rng.permutation(N))
        self.assertEqual(len(self.told("numbers-are-ids", self.post(), people)), 1)
        self.assertEqual(len(self.told("numbers-are-ids", self.post(), people.to_numpy())), 1)
        self.assertEqual(self.told("numbers-are-ids", self.post(), self.frame), [])

    def test_a_copy_of_the_label_is_told(self):
        people = self.frame.assign(paid=self.y)
        named = people.assign(paid=np.where(self.y, "yes", "no"))
        for X in (people, people.to_numpy()):
            for fair in (self.post(), self.post(DecisionTreeClassifier(max_depth=2))):
                found = self.told("label-in-column", fair, X)
                self.assertEqual(len(found), 1)
        inner = LogisticRegression().fit(people, self.y)
        for rate in ({}, {"constraints": "equal_opportunity"}):
            fair = self.post(inner, prefit=True, **rate)
            self.assertEqual(len(self.told("label-in-column", fair, people)), 1)
        chosen = ColumnTransformer([("n", "passthrough", NAMES)])
        unused = self.post(make_pipeline(chosen, LogisticRegression()))
        self.assertEqual(self.told("label-in-column", unused, named), [])

    def test_honest_columns_are_not_told(self):
        near = np.where(self.rng.random(N) < 0.02, 1 - self.y, self.y)
        for column in (near, self.g, np.zeros(N)):
            found = self.told("label-in-column", self.post(), self.frame.assign(x=column))
            self.assertEqual(found, [])

    def test_nothing_is_told_if_bad_rows_are_ignored(self):
        people = self.frame.assign(paid=self.y, id=np.arange(N))
        fair = self.post(bad_rows="ignore")
        for name in ("label-in-column", "numbers-are-ids"):
            self.assertEqual(self.told(name, fair, people), [])

    def test_a_private_classifier_inside_tells_once(self):
        inner = PrivateLogisticRegression(bounds=(-4, 4), **SEEDED, classes=[0, 1])
        people = self.frame.assign(paid=self.y)
        self.assertEqual(len(self.told("label-in-column", self.post(inner), people)), 1)


if __name__ == "__main__":
    unittest.main()
