"""What the library notices about the rows themselves: rows that are there twice, and decisions that
differ between the groups. Nothing is charged if such a warning is an exception."""

import unittest
import warnings

import numpy as np
import pandas as pd

import dp2dp
from dp2dp import Ledger, core


def words(function, *args, **options):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args, **options)
    return [str(one.message).split(":")[0] for one in found]


class Noticed(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(0)
        n = 3000
        self.groups = rng.integers(0, 2, n)
        p = 1 / (1 + np.exp(-rng.normal(0, 1, n) - 1.5 * self.groups))
        self.scores = np.column_stack([1 - p, p])
        self.given = dict(n_groups=2, epsilon=1, delta=1e-5, scores_epsilon=0, scores_delta=0)

    def twice(self):
        return np.tile(self.scores, (2, 1)), np.tile(self.groups, 2)

    def fit(self, scores, groups, **options):
        return dp2dp.fit(scores, groups, **{**self.given, **options})


class Repeated(Noticed):
    def test_rows_that_are_there_twice_are_told(self):
        self.assertEqual(words(self.fit, *self.twice()), ["rows-repeated"])
        self.assertEqual(words(self.fit, self.scores, self.groups), [])
        model = self.fit(self.scores, self.groups)
        budget = dict(epsilon=1, delta=1e-5)
        self.assertEqual(
            words(dp2dp.certify, model, *self.twice(), same_people=True, **budget),
            ["rows-repeated"],
        )

    def test_a_stream_tells_too(self):
        frame = pd.DataFrame(self.scores, columns=["no", "yes"]).assign(sex=self.groups)
        names = dict(score_columns=["no", "yes"], group_column="sex", group_names=["0", "1"])
        given = {**self.given, **names}
        del given["n_groups"]
        try:
            self.assertEqual(words(core.fit_stream, frame, **given), [])
        except ImportError:
            self.skipTest("pandas needs pyarrow for this")
        twice = pd.concat([frame, frame])
        self.assertEqual(words(core.fit_stream, twice, **given), ["rows-repeated"])
        self.assertEqual(words(core.fit_stream, twice, bad_rows="ignore", **given), [])

    def test_nothing_is_told_if_bad_rows_are_ignored(self):
        self.assertEqual(words(self.fit, *self.twice(), bad_rows="ignore"), [])

    def test_a_person_may_have_several_rows(self):
        self.assertEqual(words(self.fit, *self.twice(), rows_per_person=2), [])

    def test_a_warning_that_is_an_exception_charges_nothing(self):
        ledger, kept = Ledger(), Ledger()
        model = self.fit(self.scores, self.groups)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaisesRegex(UserWarning, "rows-repeated.*do not publish"):
                self.fit(*self.twice(), ledger=ledger)
            with self.assertRaisesRegex(UserWarning, "rows-repeated"):
                options = dict(epsilon=1, delta=1e-5, ledger=kept, same_people=True)
                dp2dp.certify(model, *self.twice(), **options)
        self.assertEqual((len(ledger.entries), len(kept.entries)), (0, 0))
        self.fit(self.scores, self.groups, ledger=ledger)  # the ledger is not locked
        self.assertGreater(len(ledger.entries), 0)


class Gap(Noticed):
    def test_exchanged_codes_are_told_at_predict(self):
        model = self.fit(self.scores, self.groups)
        self.assertEqual(words(model.predict, self.scores, self.groups), [])
        self.assertEqual(words(model.predict, self.scores, 1 - self.groups), ["rates-differ"])
        few = slice(30)
        self.assertEqual(words(model.predict, self.scores[few], 1 - self.groups[few]), [])

    def test_a_certificate_tells_it_too(self):
        model = self.fit(self.scores, self.groups)
        budget = dict(epsilon=1, delta=1e-5, same_people=False)
        others = self.scores[1:], 1 - self.groups[1:]
        with warnings.catch_warnings(record=True):
            warnings.simplefilter("always")
            found = dp2dp.certify(model, *others, **budget)
            fine = dp2dp.certify(model, self.scores[1:], self.groups[1:], **budget)
        self.assertIn("rates-differ", found.warnings)
        self.assertNotIn("rates-differ", fine.warnings)


if __name__ == "__main__":
    unittest.main()
