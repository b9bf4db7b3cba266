"""Rows of a fit are recognised by their scores if scores tell people apart, and only then."""

import unittest
import warnings

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

import dp2dp
from dp2dp import _equal_rows, core
from people import SCHEMA

BUDGET = dict(epsilon=1, delta=1e-5, scores_epsilon=0, scores_delta=0)
rng = np.random.default_rng(0)


def scores_of(features, weights):
    z = np.exp(features @ weights)
    return z / z.sum(axis=1, keepdims=True)


def told(word, function, *args, **options):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = function(*args, **options)
    return [str(one.message) for one in found if str(one.message).startswith(word + ":")], result


def share(fitted, others):
    (fitted,), (others,) = _equal_rows.by_scores(fitted), _equal_rows.by_scores(others)
    seen = _equal_rows.look(fitted)
    return 0.0 if seen is None else _equal_rows.share_of(seen, others)


class Values(unittest.TestCase):
    def test_a_sample_is_recognised_in_any_order_and_in_either_float(self):
        for n, k in ((100, 2), (5000, 3), (50_000, 2)):
            p = scores_of(rng.normal(size=(n, 4)), rng.normal(size=(4, k)))
            for part in (rng.permutation(n)[: n // 2], slice(n // 2), np.arange(n)[::-1]):
                with self.subTest(n=n, k=k):
                    self.assertGreater(share(p, p[part]), 0.9)
                    self.assertGreater(share(p, p[part].astype(np.float32)), 0.9)
            half = np.concatenate([p[: n // 2], scores_of(rng.normal(size=(n, 4)), np.eye(4, k))])
            if n > 100:
                self.assertAlmostEqual(share(p, half), 1 / 3, delta=0.05)

    def test_other_people_are_not_mistaken_although_their_scores_are_coarse(self):
        weights = rng.normal(size=(4, 3))
        kinds = {
            "continuous": lambda n: rng.normal(size=(n, 4)),
            "levels": lambda n: rng.integers(0, 3, (n, 4)),
            "many levels": lambda n: rng.integers(0, 12, (n, 4)) / 4,
            "some": lambda n: np.where(
                rng.random((n, 1)) < 0.3, rng.integers(0, 3, (n, 4)), rng.normal(size=(n, 4))
            ),
        }
        for name, features in kinds.items():
            for n, m in ((200, 5000), (2000, 2000), (20_000, 300)):
                for digits in (2, 3, 4, 9):
                    one, other = (scores_of(features(size), weights) for size in (n, m))
                    with self.subTest(name, n=n, digits=digits):
                        found = share(one.round(digits), other.round(digits))
                        self.assertEqual(found, 0)

    def test_scores_of_a_forest_tell_the_same_people_and_no_others(self):
        X = rng.normal(size=(9000, 2))
        y = X.sum(axis=1) + rng.normal(size=9000) > 0
        given = dict(n_estimators=40, random_state=0)
        forest = RandomForestClassifier(min_samples_leaf=40, **given).fit(X[:3000], y[:3000])
        p, pool, rest = forest.predict_proba(X), slice(3000, 6000), slice(6000, None)
        self.assertLess(len(np.unique(p[pool][:, 0])), 2900)
        self.assertAlmostEqual(share(p[pool], p[pool]), 1, delta=0.01)
        self.assertAlmostEqual(share(p[pool], p[4000:6000]), 1, delta=0.1)
        self.assertAlmostEqual(share(p[pool], p[4500:7500]), 0.5, delta=0.1)
        coarse = RandomForestClassifier(max_depth=3, **given).fit(X[:3000], y[:3000])
        order = 6000 + np.argsort(X[rest, 0])  # other people of another kind
        for model in (forest, coarse):
            p = model.predict_proba(X)
            for digits in (2, 3, 4, 9):
                q = p.round(digits)
                for others in (q[rest], q[order[:1500]], q[order[1500:]]):
                    self.assertEqual(share(q[pool], others), 0)
                    self.assertEqual(share(others, q[pool]), 0)

    def test_what_is_kept_is_bounded_and_no_score(self):
        p = scores_of(rng.normal(size=(200_000, 4)), rng.normal(size=(4, 2)))
        same = np.repeat(p[:1], 100_000, axis=0)
        seen = _equal_rows.look(*_equal_rows.by_scores(p))
        self.assertLess(seen.alone.nbytes, 2 * 8 * _equal_rows.KEPT)
        self.assertEqual(seen.alone.dtype, np.uint64)
        self.assertEqual(_equal_rows.look(*_equal_rows.by_scores(same)), None)


class Doors(unittest.TestCase):
    def setUp(self):
        self.p = scores_of(rng.normal(size=(4000, 4)), rng.normal(size=(4, 2)))
        self.g = rng.integers(0, 2, 4000)

    def fitted(self, **options):
        pool = slice(0, 3000)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return dp2dp.fit(self.p[pool], self.g[pool], n_groups=2, **BUDGET, **options)

    def certify(self, model, at, **options):
        people = self.p[at].copy(), self.g[at].copy()
        given = dict(epsilon=1, delta=1e-5) | options
        return told("rows-of-the-fit", core.certify, model, *people, **given)[0]

    def test_a_certificate_about_a_sample_of_the_pool_is_told(self):
        model, some = self.fitted(), rng.permutation(3000)[:1000]
        (text,) = self.certify(model, some)
        self.assertIn("about 1000 of these 1000 rows, to judge by equal scores, were also", text)
        self.assertEqual(self.certify(model, np.arange(3000, 4000)), [])
        for quiet in (dict(bad_rows="ignore"), dict(same_people=True)):
            self.assertEqual(self.certify(model, some, **quiet), [])
        # Rows of a GROUP BY are all different, and equal rows are of other people.
        self.assertEqual(self.certify(model, some, multiplicity=np.ones(1000, int)), [])
        grouped = self.fitted(multiplicity=np.ones(3000, int))
        self.assertEqual(self.certify(grouped, some), [])
        self.assertEqual(self.certify(self.fitted(bad_rows="ignore"), some), [])
        again = dp2dp.Model.from_json(model.to_json())  # only this process knows the rows
        self.assertEqual(self.certify(again, some), [])

    def test_a_report_about_a_part_of_the_pool_has_a_caution(self):
        model, label = self.fitted(), rng.integers(0, 2, 4000)

        def report(at, scores):
            people = dict(groups=self.g[at], labels=label[at])
            return told("rows-of-the-fit", model.report, scores=scores, **people)

        for scores in (self.p[:1000], self.p[:1000].copy()):
            (text,), page = report(slice(1000), scores)
            self.assertIn("the result is probably better than for new people", text)
            self.assertIn("1000 of these 1000 rows", page.html)
            self.assertIn("were also used to fit or train the model. The test makes", page.html)
        found, page = report(slice(3000, None), self.p[3000:])
        self.assertEqual(found, [])
        self.assertNotIn("were also used to fit or train the model", page.html)

    def test_scores_that_are_no_numbers_are_not_shown(self):
        frame = pd.DataFrame({"a": rng.random(400), "y": ["n", "y"] * 200})
        base = core.train(SCHEMA, frame, epsilon=1, delta=1e-5)
        p = np.array(core.score(base, frame.iloc[::-1]).scores, dtype=object)
        p[3] = "secret"
        with self.assertRaisesRegex(dp2dp.DataError, "not dtype object") as raised:
            dp2dp.fit(p, self.g[:400], n_groups=2, base=base, epsilon=1, delta=1e-5)
        self.assertNotIn("secret", str(raised.exception))


if __name__ == "__main__":
    unittest.main()
