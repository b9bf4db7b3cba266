"""The array that predict returned is recognised: as labels, and by the positive class."""

import unittest
import warnings

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import dp2dp
from dp2dp import FairPostProcessor, PrivateLogisticRegression, _decided, metrics
from dp2dp.plot import RatesDisplay
from people import SEEDED, labelled

CODES = dict(n_groups=2, n_classes=2)


class Decided(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        self.X, self.y, self.g = labelled(600)
        self.inner = LogisticRegression().fit(self.X, self.y)
        self.groups = dict(sensitive_features=self.g)

    def told(self, word, function, *args, **options):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            function(*args, **options)
        texts = [str(one.message) for one in found]
        return [text for text in texts if text.startswith(word + ":")]

    def test_decisions_of_a_model_as_labels_are_told(self):
        p, word = self.inner.predict_proba(self.X), "arguments-exchanged"
        model = dp2dp.fit(p, self.g, n_groups=2, **SEEDED)
        d, again = (model.predict(p.copy(), self.g) for _ in range(2))
        (text,) = self.told(word, dp2dp.evaluate, self.y, self.g, d, **CODES)
        self.assertIn("pass the decisions first, then the groups", text)
        self.assertEqual(len(self.told(word, metrics.evaluate, d, self.y, **self.groups)), 1)
        for labels in (None, self.y, again):
            self.assertEqual(self.told(word, dp2dp.evaluate, d, self.g, labels, **CODES), [])
        self.assertEqual(self.told(word, metrics.evaluate, self.y, d, **self.groups), [])
        own = np.empty(600, np.int32)  # an array of the user may be filled with labels later
        model.predict(p, self.g, out=own)
        own[:] = self.y
        self.assertEqual(self.told(word, dp2dp.evaluate, self.y, self.g, own, **CODES), [])

    def test_copies_of_decisions_are_recognised_by_their_values(self):
        word, table = "arguments-exchanged", pd.DataFrame({"y": self.y})
        for names in ([0, 1], ["no", "yes"]):
            y = np.array(names)[self.y]
            inner = LogisticRegression().fit(self.X, y)
            fair = FairPostProcessor(inner, prefit=True, **SEEDED, classes=names, groups=[0, 1])
            fair.fit(self.X, **self.groups)
            table["decision"] = fair.predict(self.X.copy(), **self.groups)
            column = table["decision"]
            for copy in (column, column.tolist(), column.to_numpy(), column.astype("category")):
                for function in (metrics.unfairness, metrics.evaluate):
                    self.assertEqual(len(self.told(word, function, copy, y, **self.groups)), 1)
                    self.assertEqual(self.told(word, function, y, copy, **self.groups), [])
                    self.assertEqual(self.told(word, function, copy, copy, **self.groups), [])
            few, many = slice(0, 99), {"sensitive_features": np.tile(self.g, 2)}
            given = {"sensitive_features": self.g[few]}
            self.assertEqual(self.told(word, metrics.evaluate, column[few], y[few], **given), [])
            twice = np.tile(column, 2), np.tile(y, 2)
            self.assertEqual(self.told(word, metrics.evaluate, *twice, **many), [])
        g = self.g
        model = dp2dp.fit(inner.predict_proba(self.X), g, n_groups=2, **SEEDED)
        codes = model.predict(inner.predict_proba(self.X), g).tolist()
        self.assertEqual(len(self.told(word, dp2dp.evaluate, self.y, g, codes, **CODES)), 1)
        self.assertEqual(self.told(word, dp2dp.evaluate, codes, g, self.y, **CODES), [])

    def test_hashes_of_decisions_are_few_and_not_of_constants(self):
        ones = np.ones(200, np.int32)
        model = dp2dp.fit(self.inner.predict_proba(self.X), self.g, n_groups=2, **SEEDED)
        before = {**_decided._by_values}
        _decided.note_decisions(ones, model, self.X, [0, 1])
        self.assertEqual(_decided._by_values, before)
        for number in range(1001):
            made = np.array([int(bit) for bit in f"{number:0100b}1"])
            _decided.note_decisions(made, model, self.X, [0, 1])
        self.assertEqual(len(_decided._by_values), 1000)

    def test_decisions_as_groups_are_told(self):
        p, word = self.inner.predict_proba(self.X), "arguments-exchanged"
        model = dp2dp.fit(p, self.g, n_groups=2, **SEEDED)
        fair = FairPostProcessor(self.inner, prefit=True, **SEEDED, classes=[0, 1], groups=[0, 1])
        fair.fit(self.X, **self.groups)
        for d in (model.predict(p.copy(), self.g), fair.predict(self.X.copy(), **self.groups)):
            (text,) = self.told(word, dp2dp.evaluate, self.y, d, self.g, **CODES)
            self.assertIn("groups holds the decisions", text)
            self.assertIn("pass the decisions first, then the groups", text)
            (text,) = self.told(word, metrics.evaluate, self.y, self.g, sensitive_features=d)
            self.assertIn("sensitive_features holds the decisions", text)
            for right in ((d, self.g), (d, d), (d, self.g, self.y)):
                self.assertEqual(self.told(word, dp2dp.evaluate, *right, **CODES), [])
        own = PrivateLogisticRegression(**SEEDED, bounds=(-4, 4), classes=[0, 1])
        guessed = own.fit(self.X, self.g).predict(self.X)  # the group, which nobody has stated
        self.assertEqual(
            self.told(word, metrics.evaluate, self.y, self.y, sensitive_features=guessed), []
        )

    def test_another_positive_class_than_that_of_the_estimator_is_told(self):
        y, word = np.where(self.y, "award", "no"), "positive-by-default"
        inner = LogisticRegression().fit(self.X, y)
        fair = FairPostProcessor(inner, prefit=True, **SEEDED, classes=["no", "award"])
        fair.set_params(groups=[0, 1]).fit(self.X, **self.groups)
        d = fair.predict(self.X.copy(), **self.groups)
        rate = dict(self.groups, constraints="equal_opportunity")
        draw = RatesDisplay.from_predictions
        for function, given in (
            (metrics.evaluate, self.groups),
            (metrics.table_by_group, self.groups),
            (metrics.disparate_impact, self.groups),
            (metrics.unfairness, rate),
            (draw, self.groups),
        ):
            (text,) = self.told(word, function, y, d, **given)
            self.assertIn("'award' is that of the estimator that made y_pred", text)
            for positive in ("no", "award"):
                self.assertEqual(self.told(word, function, y, d, positive=positive, **given), [])
        for quiet in (
            self.told(word, metrics.unfairness, y, d, **self.groups),
            self.told(word, metrics.rates_by_group, y, d, **self.groups),
            self.told(word, metrics.evaluate, y, inner.predict(self.X), **self.groups),
            self.told(word, metrics.evaluate, y, d, classes=["no", "award"], **self.groups),
            self.told(word, draw, y, d, show="award", **self.groups),
            self.told(word, draw, y, d, rate="error", **self.groups),
            self.told(word, RatesDisplay.from_estimator, fair, self.X, y, **self.groups),
        ):
            self.assertEqual(quiet, [])
        other = FairPostProcessor(self.inner, prefit=True, **SEEDED, groups=[0, 1])
        numbers = other.fit(self.X, **self.groups).predict(self.X, **self.groups)
        self.assertEqual(self.told(word, metrics.evaluate, self.y, numbers, **self.groups), [])


if __name__ == "__main__":
    unittest.main()
