"""Several fits or certificates of the same rows are told, whatever object holds these rows, and so
are several rows of the same person."""

import gc
import unittest
import warnings
from importlib.util import find_spec

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import dp2dp
from dp2dp import (
    DP2DPClassifier,
    FairPostProcessor,
    PrivateLogisticRegression,
    _same_rows,
    core,
)

PUBLIC = dict(epsilon=1, delta=1e-5, scores_epsilon=0, scores_delta=0)


def told(word, function, *args, **options):
    """The warnings of a call that start with this word."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args, **options)
    return [str(one.message) for one in found if str(one.message).startswith(word + ":")]


class SameRows(unittest.TestCase):
    def setUp(self):
        _same_rows._by_scores.clear()  # other tests have the same people
        _same_rows._by_values.clear()
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        rng = np.random.default_rng(0)
        n = 4000
        self.g = rng.integers(0, 2, n)
        self.X = rng.normal(size=(n, 2)) + 0.3 * self.g[:, None]
        self.y = (self.X.sum(axis=1) + rng.normal(size=n) > 0).astype(int)
        self.known = LogisticRegression().fit(self.X, self.y)
        self.scores = self.known.predict_proba(self.X)

    def fit(self, rows, **options):
        given = dict(PUBLIC, n_groups=2) | options
        return told("several-fits", core.fit, self.scores[rows], self.g[rows], **given)

    def test_a_second_fit_of_the_same_rows_is_told_once(self):
        first, rest = slice(0, 2000), slice(2000, None)
        self.assertEqual(self.fit(first), [])
        self.assertEqual(self.fit(rest), [])
        (words,) = self.fit(first, rho=0.1)
        self.assertRegex(words, "2 fits of these rows .* compose to epsilon 1.4.*No ledger adds")
        self.assertEqual(self.fit(first, rho=0.2), [])
        self.assertEqual(self.fit(first, rho=0.2, bad_rows="ignore"), [])
        self.assertEqual(len(self.fit(first, epsilon=2)), 1)  # it costs more than was said
        self.assertEqual(len(self.fit(rest, ledger=dp2dp.Ledger())), 1)

    def test_fits_that_are_not_private_are_not_told(self):
        for _ in range(3):
            self.assertEqual(self.fit(slice(None), insecure_seed=1), [])
            exact = dict(epsilon=None, delta=None, solver="exact")
            self.assertEqual(self.fit(slice(None), **exact), [])

    def test_a_fit_of_a_copy_of_many_rows_is_told(self):
        self.assertEqual(self.fit(np.arange(3000)), [])
        self.assertEqual(self.fit(np.arange(3000, 4000)), [])
        (text,) = self.fit(np.random.default_rng(1).permutation(4000)[:3000])
        words = r"2 fits that have about 2\d\d\d of these 3000 rows, to judge by equal values, were"
        self.assertRegex(text, words)
        self.assertEqual(self.fit(np.arange(3000), bad_rows="ignore"), [])

    def test_the_same_scores_with_new_groups_are_told(self):
        few = self.scores.round(1)  # equal values say nothing about people
        for groups, count in ((self.g, 0), (1 - self.g, 1)):
            given = dict(PUBLIC, n_groups=2)
            self.assertEqual(len(told("several-fits", core.fit, few, groups, **given)), count)
        self.assertEqual(told("several-fits", core.fit, few.copy(), self.g.copy(), **given), [])

    def test_scores_of_a_forest_tell_copies_and_names(self):
        forest = RandomForestClassifier(20, min_samples_leaf=60, random_state=0)
        tied = forest.fit(self.X, self.y).predict_proba(self.X)[:3000]
        self.assertLess(len(np.unique(tied[:, 0])), 0.9 * len(tied))
        ledger = dp2dp.Ledger()
        given = dict(PUBLIC, n_groups=2, ledger=ledger)
        for name, words in (("a", ""), ("b", "'a' and 'b'")):
            people = tied[::-1].copy(), self.g[:3000][::-1].copy()
            found = told("people-renamed", core.fit, *people, people=name, **given)
            self.assertIn(words, "".join(found))
            self.assertEqual(len(found), bool(words))
        _same_rows._by_values.clear()
        self.fit(slice(3000, None))
        self.scores = tied
        self.assertEqual(self.fit(np.arange(3000)), [])
        (text,) = self.fit(np.arange(2000))
        self.assertIn("to judge by equal values", text)

    def test_an_estimator_for_a_copy_is_told(self):
        for make in self.estimators():
            _same_rows._by_values.clear()
            people = dict(sensitive_features=self.g[:3000])
            others = dict(sensitive_features=self.g[2000:])
            self.assertEqual(
                told("several-fits", make().fit, self.X[:3000].copy(), self.y[:3000], **people), []
            )
            (text,) = told(
                "several-fits", make().fit, self.X[2000:].copy(), self.y[2000:], **others
            )
            self.assertRegex(
                text,
                "2 fits that have about [19].. of these 2000 rows|2 fits that have about 1... of",
            )

    def estimators(self):
        lists = dict(epsilon=1, delta=1e-5, classes=[0, 1], groups=[0, 1])
        yield lambda: FairPostProcessor(self.known, prefit=True, **lists)
        yield lambda: DP2DPClassifier(bounds=(-4, 4), **lists)

    def test_a_new_estimator_for_the_same_rows_is_told(self):
        for make in self.estimators():
            _same_rows._by_values.clear()
            frame = pd.DataFrame(self.X.copy())
            people = dict(sensitive_features=self.g)

            def fit(rows, y=self.y, make=make, people=people):
                return told("several-fits", make().fit, rows, y, **people)

            self.assertEqual(fit(frame), [])
            self.assertIn("2 fits of these rows", *fit(frame))
            self.assertEqual(fit(frame), [])
            self.assertIn("4 fits of these rows, to judge by equal", *fit(frame.to_numpy().copy()))

    def test_several_certificates_of_the_same_rows_are_told(self):
        (make, _) = self.estimators()
        pool, test = slice(0, 2000), slice(2000, None)
        fair = make().fit(self.X[pool], sensitive_features=self.g[pool])

        def certify(rows, **options):
            given = dict(epsilon=1, delta=1e-5, same_people=False) | options
            people = dict(sensitive_features=self.g[rows])
            return told("several-certificates", fair.certify, self.X[rows], **people, **given)

        self.assertEqual(certify(test), [])
        (words,) = certify(test)
        self.assertRegex(words, "2 certificates of these rows .* epsilon 1.4.*No ledger adds")
        self.assertEqual(certify(test, bad_rows="ignore"), [])
        self.assertIn("4 certificates", *certify(test, ledger=dp2dp.Ledger()))
        self.assertEqual(certify(slice(3000, None)), [])
        for _ in range(2):
            self.assertEqual(certify(slice(2500, None), insecure_seed=1), [])

        def of_core(rows):
            given = dict(epsilon=1, delta=1e-5, same_people=False)
            people = self.scores[rows], self.g[rows]
            return told("several-certificates", core.certify, fair.model_, *people, **given)

        for _ in range(3):  # the same scores, so the same people
            self.assertEqual(of_core(test), [])
        self.assertIn("8 certificates of these rows", *of_core(test))

    def test_certificates_of_scores_that_were_computed_anew_are_told(self):
        model = dp2dp.fit(self.scores[:2000], self.g[:2000], n_groups=2, epsilon=1, delta=1e-5)

        def certify(rows, **options):
            scores = self.known.predict_proba(self.X[rows])
            given = dict(epsilon=1, delta=1e-5, same_people=False) | options
            people = scores, self.g[rows].copy()
            return told("several-certificates", core.certify, model, *people, **given)

        test = np.arange(2000, len(self.X))
        self.assertEqual(certify(test, bad_rows="ignore"), [])
        self.assertEqual(certify(test), [])
        self.assertIn("2 certificates of these rows", *certify(test[::-1]))
        self.assertEqual(certify(test[500:]), [])

    def test_the_same_rows_under_two_names_are_told(self):
        ledger = dp2dp.Ledger()

        def fit(rows, people, ledger=ledger, word="people-renamed"):
            given = dict(PUBLIC, n_groups=2, ledger=ledger, people=people)
            return told(word, core.fit, self.scores[rows], self.g[rows], **given)

        first, rest = slice(0, 2000), slice(2000, None)
        self.assertEqual(fit(first, "january"), [])
        self.assertEqual(fit(first, "january"), [])
        self.assertEqual(fit(rest, "others"), [])
        self.assertEqual(fit(first, None), [])
        self.assertEqual(fit(first, "january", dp2dp.Ledger()), [])
        (words,) = fit(first, "february")
        self.assertRegex(words, "'february' and 'january'.*Use one name")
        self.assertEqual(len(fit(slice(1900, 2100), "others")), 1)
        (words,) = fit(np.arange(1500), "copies")
        self.assertIn("under 'copies' and 'february' and 'january'", words)

    def test_a_ledger_that_does_not_add_fits_does_not_keep_count(self):
        for names, words in (("aa", "The ledger adds up"), ("ab", "The ledger does not add")):
            _same_rows._by_values.clear()
            ledger, g, scores = dp2dp.Ledger(), self.g.copy(), self.scores.copy()
            given = dict(PUBLIC, n_groups=2, ledger=ledger)
            found = []
            for name in names:
                found += told("several-fits", core.fit, scores, g, people=name, **given)
            self.assertIn(words, *found)

    def test_a_fit_and_a_certificate_under_two_names_are_told(self):
        ledger = dp2dp.Ledger()
        given = dict(epsilon=1, delta=1e-5, ledger=ledger)
        pool, test = slice(0, 2000), slice(2000, None)
        model = core.fit(self.scores[pool], self.g[pool], n_groups=2, people="a", **given)
        core.certify(model, self.scores[test], self.g[test], people="b", **given)
        for name, count in (("b", 0), ("c", 1)):
            people = self.scores[3000:], self.g[3000:]
            found = told("people-renamed", core.certify, model, *people, people=name, **given)
            self.assertEqual(len(found), count)

    def test_nothing_is_kept_of_rows_that_are_gone(self):
        gc.collect()
        before = len(_same_rows._known)
        scores, groups = self.scores.copy(), self.g.copy()
        core.fit(scores, groups, n_groups=2, **PUBLIC)
        self.assertEqual(len(_same_rows._known), before + 2)
        del scores, groups
        gc.collect()
        self.assertEqual(len(_same_rows._known), before)


class SeveralRows(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        rng = np.random.default_rng(1)
        self.n = n = 1200
        self.X = pd.DataFrame({"age": rng.uniform(18, 90, n), "job": rng.choice(["a", "b"], n)})
        self.X.loc[::7, "age"] = 50
        self.y = pd.Series(rng.integers(0, 2, n))
        self.sex = pd.Series(rng.choice(["f", "m"], n))
        self.levels = {"job": ["a", "b"]}

    def estimators(self, **options):
        given = dict(epsilon=1, delta=1e-5, insecure_seed=1, classes=[0, 1]) | options
        public = dict(given, bounds=(18, 90), categories=self.levels)
        inner = PrivateLogisticRegression(**public)
        yield inner, {}
        groups = dict(sensitive_features=self.sex)
        yield DP2DPClassifier(**public, groups=["f", "m"]), groups
        yield FairPostProcessor(inner, **given, groups=["f", "m"]), groups

    def words(self, X, at, **options):
        """Whether each estimator tells, of the rows at these positions."""
        found = []
        for estimator, given in self.estimators(**options):
            given = {name: column.iloc[at].to_numpy() for name, column in given.items()}
            y = self.y.iloc[at].to_numpy()
            found.append(told("rows-repeated", estimator.fit, X, y, **given))
        self.assertEqual(len({len(texts) for texts in found}), 1)
        return found[0]

    def test_copies_of_rows_are_told(self):
        tripled = np.tile(np.arange(self.n), 3)
        (text,) = self.words(self.X.iloc[tripled], tripled)
        self.assertIn("2400 of 3600 rows have the index label of an earlier row, and nearly", text)
        self.assertIn("do not publish the ", text)
        part = np.concatenate([np.arange(self.n), np.arange(200)])
        self.assertEqual(len(self.words(self.X.iloc[part], part)), 1)
        self.assertEqual(self.words(self.X.iloc[tripled], tripled, rows_per_person=3), [])
        self.assertEqual(self.words(self.X.iloc[tripled], tripled, bad_rows="ignore"), [])

    def test_labels_that_may_be_ids_are_told(self):
        at = np.arange(self.n)
        people = at // 3
        names = [f"C{one}" for one in people]
        for index in (pd.Index(people, name="customer"), pd.Index(names)):
            (text,) = self.words(self.X.set_axis(index), at)
            self.assertIn("800 of 1200 rows have the index label of an earlier row. The", text)

    def test_an_index_that_says_nothing_about_people_is_not_told(self):
        at = np.arange(self.n)
        days = pd.DatetimeIndex(pd.Timestamp("2024-01-01") + pd.to_timedelta(at % 300, unit="D"))
        joined = np.concatenate([np.arange(self.n // 2)] * 2)
        countries = np.array(["de", "fr", "it"])[at % 3]
        few = np.where(at < 10, 0, at)
        for index in (at, days, days.rename("day"), joined, countries, few):
            self.assertEqual(self.words(self.X.set_axis(index), at), [])

    def terms(self, count=3):
        """Returns a frame with ``count`` rows of each student, of which one column differs."""
        rng = np.random.default_rng(2)
        one = pd.DataFrame({"gpa": rng.normal(3, 0.4, self.n), "essay": rng.normal(60, 14, self.n)})
        one = one.assign(essay=one.essay.round(), pay=rng.lognormal(10, 0.5, self.n).round())
        moved = (one.gpa + rng.normal(0, 0.1, self.n) for _ in range(count))
        return pd.concat([one.assign(gpa=gpa.round(2)) for gpa in moved])

    def told_of_terms(self, X, **options):
        given = dict(epsilon=1, delta=1e-5, insecure_seed=1, classes=[0, 1]) | options
        y = np.arange(len(X)) % 2
        private = PrivateLogisticRegression(**given, bounds=(-9, 1e6))
        return told("rows-repeated", private.fit, X, y)

    def test_rows_with_one_index_label_that_agree_in_most_columns_are_told(self):
        terms = self.terms()
        (text,) = self.told_of_terms(terms)
        words = "2400 of 3600 rows have the index label .* in 'essay', 'pay'. Do people"
        self.assertRegex(text, words)
        self.assertEqual(self.told_of_terms(terms, rows_per_person=3), [])
        self.assertEqual(self.told_of_terms(terms, bad_rows="ignore"), [])
        one = self.terms(1)
        for by in (None, "pay", ["essay", "pay"]):  # two files of other people, also if sorted
            halves = one.iloc[: self.n // 2], one.iloc[self.n // 2 :]
            halves = halves if by is None else [half.sort_values(by) for half in halves]
            files = pd.concat([half.reset_index(drop=True) for half in halves])
            self.assertEqual(self.told_of_terms(files), [])

    def test_rows_that_are_equal_but_for_one_column_are_told(self):
        terms = self.terms().reset_index(drop=True)
        for X in (terms, terms.sample(frac=1, random_state=1, ignore_index=True)):
            (text,) = self.told_of_terms(X)
            self.assertIn("in all columns but 'gpa'. Do people have several rows?", text)
        (text,) = self.told_of_terms(terms.to_numpy())
        self.assertIn("in all columns but 'x0'", text)
        self.assertEqual(self.told_of_terms(terms, rows_per_person=3), [])
        self.assertEqual(self.told_of_terms(terms, bad_rows="ignore"), [])

    def test_rows_with_few_or_rounded_values_are_not_told(self):
        rng = np.random.default_rng(3)
        few = pd.DataFrame(rng.integers(0, 6, (5000, 4)), columns=[*"abcd"])
        rounded = self.terms(1).round(-1)
        evenly = few.assign(d=rng.permutation(5000) // 50, c=rng.normal(size=5000))[[*"acd"]]
        for X in (few, rounded, evenly, few.assign(e=rng.normal(size=5000))):
            self.assertEqual(self.told_of_terms(X), [])

    def people(self, n=3000):
        rng = np.random.default_rng(4)
        income = rng.lognormal(10.4, 0.5, n).round()
        few = {"age": rng.integers(18, 80, n), "hours": rng.normal(38, 8, n).round()}
        return pd.DataFrame(few).assign(income=income)[["age", "income", "hours"]]

    def test_rows_that_were_copied_at_random_are_told(self):
        rng = np.random.default_rng(5)
        people, exact = self.people(), pd.DataFrame(rng.normal(size=(3000, 6))).add_prefix("v")
        minority = rng.choice(500, 3000)  # oversampled, with replacement
        for at in (np.r_[0:3000, minority], rng.integers(0, 3000, 6000)):
            for X in (people, exact, exact.iloc[:, :3]):
                (text,) = self.told_of_terms(X.iloc[at].reset_index(drop=True))
                self.assertIn("more than chance can explain", text)
        at = rng.integers(0, 3000, 6000)
        for X in (people, exact.iloc[:, :3]):  # a join with a table of loans
            joined = X.iloc[at].reset_index(drop=True).assign(loan=rng.integers(1, 50, 6000))
            (text,) = self.told_of_terms(joined)
            self.assertIn("in all columns but 'loan'. Do people have several rows?", text)

    def test_rows_that_are_equal_by_coincidence_are_not_told(self):
        rng = np.random.default_rng(6)
        a, b, c = rng.integers(0, [[9], [12], [30]], (3, 5000))
        binary = pd.DataFrame({"a": a % 2, "b": b % 2})
        ratio = pd.DataFrame({"a": c, "b": b, "ratio": (c + 1) / (b + 3)})
        depends = pd.DataFrame({"a": c, "b": c + (b < 2), "c": c // 3 + a // 8, "d": a})
        dummies = pd.get_dummies(depends.astype(str)).astype(float)
        scores = pd.DataFrame({"p": rng.beta(2, 3, 5000).round(2)}).assign(q=lambda X: 1 - X.p)
        city = pd.DataFrame({"zip": rng.integers(0, 900, 5000)}).assign(c=lambda X: X.zip // 10)
        for X in (binary, ratio, depends, dummies, scores, city, city.assign(one=1), self.people()):
            self.assertEqual(self.told_of_terms(X), [])

    @unittest.skipUnless(find_spec("pyarrow"), "frames need pyarrow for an Arrow stream")
    def test_a_training_on_a_frame_tells_of_copies(self):
        rows = self.X.assign(y=self.y).iloc[np.tile(np.arange(self.n), 2)]
        lists = dict(self.levels, y=[0, 1])
        public = dict(bounds={"age": (18, 90)}, categories=lists, label="y")
        schema = dp2dp.Schema.from_frame(rows, **public)
        given = dict(epsilon=1, delta=1e-5, insecure_seed=1)
        self.assertEqual(len(told("rows-repeated", core.train, schema, rows, **given)), 1)
        terms = self.terms().assign(y=0)
        terms.loc[::2, "y"] = 1
        public = dict(bounds={"gpa": (0, 9), "essay": (0, 99), "pay": (0, 1e6)}, label="y")
        by_terms = dp2dp.Schema.from_frame(terms, **public, categories={"y": [0, 1]})
        for one, words in ((terms, "'essay', 'pay'"), (terms.reset_index(drop=True), "but 'gpa'")):
            (text,) = told("rows-repeated", core.train, by_terms, one, **given)
            self.assertIn(words, text)
        for quiet in (dict(rows_per_person=2), dict(bad_rows="ignore")):
            found = told("rows-repeated", core.train, schema, rows, **given, **quiet)
            self.assertEqual(found, [])

    def test_the_promise_says_how_many_records_a_person_has(self):
        for rows, words in ((1, "if each person has one record"), (3, "has at most 3 records")):
            for estimator, given in self.estimators(rows_per_person=rows, insecure_seed=None):
                if isinstance(estimator, FairPostProcessor):
                    estimator.set_params(estimator__rows_per_person=rows)
                model = estimator.fit(self.X, self.y, **given).model_
                self.assertIn(words, repr(model))
                self.assertIn(words, model._repr_html_())


if __name__ == "__main__":
    unittest.main()
