"""With bad_rows="ignore", a record that is replaced by any other value changes nothing but itself:
neither what the library gets for another record, nor whether there is an exception or a warning."""

import unittest
import warnings
from decimal import Decimal
from fractions import Fraction
from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import dp2dp
from dp2dp import DP2DPClassifier, FairPostProcessor, PrivateLogisticRegression, core
from dp2dp._arrays import ids_or_bad
from dp2dp._groups import is_text
from dp2dp._model import Model
from people import SEEDED, categorical, numeric, schema

N, IGNORE = 60, {"bad_rows": "ignore"}
HALF, PAIR = np.arange(N) % 2, np.arange(N) // 2 % 2
SCORES = np.random.default_rng(0).dirichlet([1, 1], N)
EQUAL_TO_1 = [True, np.True_, 1.0, np.int8(1), np.float32(1), Decimal("1.0"), Fraction(1), 1 + 0j]
ODD = [
    *(None, np.nan, np.inf, -0.0, pd.NA, pd.NaT, np.datetime64("NaT"), np.ma.masked),
    *("x", "1", "", "\ud800", "a\0b", b"1", 2**31, 2**63, -(2**63) - 1, 10**400, 10**5000),
    *([1], (1,), {}, {1}, np.array(1), np.array([1, 2]), Decimal("sNaN"), pd.Timestamp("2020")),
    *EQUAL_TO_1,
]
SCHEMA = schema(
    numeric("a"), categorical("j", "0", "1"), categorical("paid", "0", "1", role="label")
)


class Stop(BaseException):
    """Stops a call where it would give its rows to the library."""


def replaced(values, odd, at=0):
    """The list of values with an odd one, which becomes the first."""
    found = list(values)
    found[at] = odd
    return found


def objects(values):
    found = np.empty(len(values), dtype=object)
    for at, value in enumerate(values):
        found[at] = value
    return found


def short(value):
    try:
        return f"{type(value).__name__} {value!a:.20}"
    except ValueError:  # an integer with thousands of digits
        return type(value).__name__


class Scorer:
    classes_ = np.array([0, 1])

    def predict_proba(self, X):
        return SCORES


class Neighbours(unittest.TestCase):
    def given(self, call):
        """What the library gets for each record but the first, and the warnings."""
        rows = []

        def fit(scores, codes, count, options):
            columns = {name: options.get(name) for name in ("labels", "weights", "ids")}
            columns.update(scores=scores, codes=codes)
            rows.extend((k, v.dtype, v[1:].tolist()) for k, v in columns.items() if v is not None)
            raise Stop

        def train(schema, rows_, **options):
            rows.append((schema.text, rows_.matrix[1:].tolist()))
            for codes, levels in rows_.texts:
                rows.append([None if code < 0 else levels[code] for code in codes[1:]])
            raise Stop

        with (
            mock.patch.object(Model, "_fit", fit),
            mock.patch.object(core, "train_quietly", train),
            warnings.catch_warnings(record=True) as told,
            self.assertRaises(Stop),
        ):
            warnings.simplefilter("always")
            call()
        return rows, [str(one.message) for one in told]

    def check(self, call, values, odd=ODD, into=list):
        """`call` with `values` hands the same rows on as with its first value replaced."""
        expected = self.given(lambda: call(into(values)))
        for one in odd:
            with self.subTest(short(one)):
                row = into(replaced(values, one))
                self.assertEqual(self.given(lambda row=row: call(row)), expected)


def series(values):
    return pd.Series(objects(values), dtype=object)


class Core(Neighbours):
    def fit(self, scores=SCORES, groups=HALF, **options):
        return core.fit(scores, groups, n_groups=2, **SEEDED, **IGNORE, **options)

    def test_an_id_leaves_other_ids_as_they_are(self):
        number = range(N)
        for word, values in (
            ("int", number),
            ("int64", np.arange(N)),
            ("float32", np.arange(N, dtype=np.float32)),
            ("float", map(float, number)),
            ("text", map(str, number)),
            ("str_", np.array([f"a{one}" for one in number])),
            ("large", [2**60 + one for one in number]),
            ("negative", [-(2**60) - one for one in number]),
        ):
            values = list(values)
            for into in (list, tuple, objects, series):
                with self.subTest(word, into=into.__name__):
                    call = lambda ids: self.fit(ids=ids, dither=0.1, dither_key="id")  # noqa: E731
                    self.check(call, values, into=into)

    def test_a_code_leaves_other_codes_as_they_are(self):
        for values in (HALF.tolist(), list(HALF)):
            for into in (list, objects, series):
                self.check(lambda g: self.fit(groups=g), values, into=into)
                odds = {"criterion": "equalized_odds"}
                self.check(lambda y, odds=odds: self.fit(labels=y, **odds), values, into=into)

    def test_a_cell_leaves_other_scores_as_they_are(self):
        rows = SCORES.tolist()
        odd = [[one, 0.5] for one in ODD]
        ragged = [[0.5], [0.2, 0.3, 0.5], 0.5, None, "x", []]
        self.check(lambda p: self.fit(p), rows, [*odd, *ragged])
        self.check(lambda p: self.fit(p), [np.float32(row) for row in SCORES], [*odd, *ragged])
        self.check(lambda w: self.fit(weights=w, groups=HALF), rows, [*odd, *ragged])
        for into in (
            lambda cells: np.stack([objects(cells), objects(SCORES[:, 1])], 1),
            lambda cells: pd.DataFrame({0: series(cells), 1: SCORES[:, 1]}),
        ):
            self.check(lambda p: self.fit(p), SCORES[:, 0].tolist(), into=into)

    def test_a_missing_value_in_a_column_of_decimals_is_a_bad_row(self):
        kind = pd.ArrowDtype(pa.decimal128(10, 3))
        part = pd.Series([Decimal("0.25")] * N, dtype=kind)
        missing = part.copy()
        missing[0] = pd.NA
        frames = [pd.DataFrame({"a": one, "b": 1 - one}) for one in (part, missing)]
        found = [self.given(lambda p=p: self.fit(p)) for p in frames]
        self.assertEqual(*found)

    def test_an_id_of_arrow_or_polars_leaves_other_ids_as_they_are(self):
        large = [2**60 + one for one in range(N)]
        expected = ids_or_bad(large)[0][1:]
        for column in (
            pa.array([None, *large[1:]]),
            pa.chunked_array([pa.array([None, large[1]]), pa.array(large[2:])]),
            pl.Series([None, *large[1:]]),
            pd.Series([None, *large[1:]], dtype="Int64"),
            pd.Series([None, *large[1:]], dtype=pd.ArrowDtype(pa.int64())),
            pd.Series(pd.Categorical([None, *large[1:]])),
        ):
            found, bad = ids_or_bad(column)
            self.assertEqual(np.flatnonzero(bad).tolist(), [0])
            np.testing.assert_array_equal(found[1:], expected)

    def test_a_float_that_may_stand_for_several_ids_is_none(self):
        """pandas stores whole numbers as floats if one is missing."""
        column = pd.Series([None, 2**53 - 1, 2**53, -(2**53), 2**60 + 1, 7])
        found, bad = ids_or_bad(column)
        self.assertEqual(bad.tolist(), [True, False, True, True, True, False])
        np.testing.assert_array_equal(found[~bad], ids_or_bad([2**53 - 1, 7])[0])
        with self.assertRaisesRegex(dp2dp.DataError, "2\\^53 or more.*Int64") as raised:
            core.fit(SCORES[:6], HALF[:6], n_groups=2, ids=column, dither_key="id", **SEEDED)
        self.assertNotIn(str(2**60), str(raised.exception))

    def test_a_bad_multiplicity_is_refused_without_its_row(self):
        for odd in (0, 0.5, None, np.nan, "x", 2**60):
            for into in (list, objects, series):
                with self.assertRaisesRegex(dp2dp.DataError, "^the multiplicity must be a whole"):
                    self.fit(multiplicity=into(replaced([1] * N, odd)))
        with self.assertRaisesRegex(dp2dp.DataError, "^row 1: the multiplicity must"):
            ones = replaced([1] * N, 0)
            core.fit(SCORES, HALF, n_groups=2, multiplicity=ones, **SEEDED)

    def test_a_missing_id_leaves_the_released_shares_as_they_are(self):
        """With hardly any noise, the shares are those of the groups."""
        scores, groups = np.tile(SCORES, (50, 1)), np.tile(HALF, 50)
        options = dict(n_groups=2, epsilon=50, delta=1e-5, insecure_seed=1, **IGNORE)
        for odd in (None, 2**63):
            ids = replaced(list(np.arange(len(scores))), odd)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = core.fit(scores, groups, ids=ids, dither=0.1, dither_key="id", **options)
            np.testing.assert_allclose(model.shares, 0.5, atol=0.01)


class Groups(Neighbours):
    def fair(self, g, groups, **options):
        public = dict(**SEEDED, **IGNORE, prefit=True, classes=[0, 1], groups=groups)
        fair = FairPostProcessor(Scorer(), **public, **options)
        return fair.fit(np.zeros((N, 1)), HALF, sensitive_features=g)

    KINDS = (int, np.int64, float, np.float32, bool, Decimal, Fraction, str)

    def test_a_group_leaves_other_groups_as_they_are(self):
        for kind in self.KINDS:
            values = [kind(int(one)) for one in HALF]
            listed = ["0", "1"] if kind is str else [0, 1]
            for into in (list, objects, series):
                self.check(lambda g, listed=listed: self.fair(g, listed), values, into=into)

    def test_a_group_of_several_columns_leaves_others_as_they_are(self):
        for kind in self.KINDS:
            values = [kind(int(one)) for one in HALF]
            listed = [f"{a},{b}" for a in sorted({str(one) for one in values}) for b in (0, 1)]
            for into in (
                lambda one: pd.DataFrame({"a": series(one), "b": PAIR}),
                lambda one: np.stack([objects(one), objects(PAIR)], axis=1),
                lambda one: [[a, int(b)] for a, b in zip(one, PAIR, strict=True)],
                lambda one: [(a, int(b)) for a, b in zip(one, PAIR, strict=True)],
            ):
                self.check(lambda g, listed=listed: self.fair(g, listed), values, into=into)

    def test_a_row_of_another_length_leaves_others_as_they_are(self):
        rows = np.stack([HALF, PAIR], axis=1).tolist()
        ragged = [[1], [1, 0, 1], 1, None, "x", [1 + 0j, 0], [[1], 0]]
        self.check(lambda g: self.fair(g, ["0,0", "0,1", "1,0", "1,1"]), rows, ragged)

    def test_a_value_that_equals_a_group_belongs_to_it(self):
        for one in EQUAL_TO_1:
            given = []

            def fit(scores, codes, *rest, given=given):
                given.append(codes[0])
                raise Stop

            with mock.patch.object(Model, "_fit", fit), self.assertRaises(Stop):
                self.fair(objects(replaced(HALF.tolist(), one)), [0, 1])
            self.assertEqual(given, [1])

    def test_a_group_to_cut_leaves_others_as_they_are(self):
        cut = dict(sensitive_cuts=[0.5])
        for into in (list, objects, series):
            self.check(lambda g: self.fair(g, None, **cut), HALF.tolist(), into=into)

    def test_a_label_leaves_other_labels_as_they_are(self):
        public = dict(**SEEDED, **IGNORE, classes=[0, 1], groups=[0, 1])

        def fair(y):
            odds = dict(prefit=True, constraints="equalized_odds")
            return FairPostProcessor(Scorer(), **public, **odds).fit(
                np.zeros((N, 1)), y, sensitive_features=HALF
            )

        for values in (HALF.tolist(), list(HALF)):
            for into in (list, objects, series):
                self.check(fair, values, into=into)

    def test_a_list_with_the_group_in_a_column_leaves_others_as_they_are(self):
        def fair(rows):
            public = dict(**SEEDED, **IGNORE, prefit=True, classes=[0, 1], groups=[0, 1])
            return FairPostProcessor(Scorer(), **public, sensitive_column=0).fit(rows)

        rows = [[int(g), 0.5] for g in HALF]
        self.check(fair, rows, [[one, 0.5] for one in ODD])

    def test_one_row_does_not_say_whether_rows_are_texts(self):
        for into in (list, objects, series):
            self.assertFalse(is_text(into(["x", *[[1.0, 2.0]] * 3])))
            for odd in (None, np.nan, 1):
                self.assertTrue(is_text(into([odd, "a", "b", "c"])))

    def test_released_shares_stay_the_same(self):
        a, b = (np.tile(one, 50).astype(object) for one in (1 - HALF, PAIR))
        shares = []
        for odd in (1, True, Decimal("1.0")):
            table = pd.DataFrame({"a": series(replaced(a, odd)), "b": b})
            fair = FairPostProcessor(
                mock.Mock(classes_=[0, 1], predict_proba=lambda X: np.tile(SCORES, (50, 1))),
                epsilon=50,
                delta=1e-5,
                insecure_seed=1,
                prefit=True,
                classes=[0, 1],
                groups=[(0, 0), (0, 1), (1, 0), (1, 1)],
                **IGNORE,
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fair.fit(np.zeros((len(a), 1)), sensitive_features=table)
            shares.append(fair.model_.shares)
        for found in shares[1:]:
            np.testing.assert_allclose(found, shares[0], atol=0.01)


class Features(Neighbours):
    def setUp(self):
        self.a = np.random.default_rng(1).normal(size=N).tolist()
        self.budget = dict(**SEEDED, **IGNORE, classes=[0, 1])

    def private(self, X, y=HALF, **options):
        return PrivateLogisticRegression(**self.budget, **options).fit(X, y)

    def both(self, X, **options):
        both = DP2DPClassifier(**self.budget, groups=[0, 1], **options)
        return both.fit(X, HALF, sensitive_features=HALF)

    def frame(self, a=None, j=PAIR):
        a = self.a if a is None else a
        return pd.DataFrame({"a": series(a), "j": series(list(j))})

    def test_a_category_leaves_other_categories_as_they_are(self):
        public = dict(categories={"j": [0, 1]}, bounds={"a": (-4, 4)})
        for values in (PAIR.tolist(), list(PAIR)):
            into = lambda j: self.frame(j=j)  # noqa: E731
            self.check(lambda X: self.private(X, **public), values, into=into)
            self.check(lambda X: self.private(X, schema=SCHEMA), values, into=into)
            self.check(lambda X: self.both(X, **public), values, into=into)

    def test_a_cell_leaves_other_numbers_as_they_are(self):
        public = dict(categories={"j": [0, 1]}, bounds={"a": (-4, 4)})
        into = lambda a: self.frame(a=a)  # noqa: E731
        self.check(lambda X: self.private(X, **public), self.a, into=into)
        self.check(lambda X: self.private(X, schema=SCHEMA), self.a, into=into)
        self.check(lambda X: self.both(X, **public), self.a, into=into)

    def test_a_cell_leaves_other_rows_of_numbers_as_they_are(self):
        rows = [[one, 0.5] for one in self.a]
        odd = [*([one, 0.5] for one in ODD), [0.5], [0.5] * 3, 0.5, None]
        by_position = dict(categories={1: [0.5, 1]}, bounds={0: (-4, 4)})
        for fit in (self.private, self.both):
            self.check(lambda X, fit=fit: fit(X, bounds=(-4, 4)), rows, odd)
            self.check(lambda X, fit=fit: fit(X, **by_position), rows, odd)
            for into in (
                lambda a: np.stack([objects(a), objects(self.a)], axis=1),
                lambda a: pd.DataFrame({"p": series(a), "q": self.a}),
            ):
                self.check(lambda X, fit=fit: fit(X, bounds=(-4, 4)), self.a, into=into)

    def test_a_label_leaves_other_labels_as_they_are(self):
        X = np.transpose([self.a])
        for into in (list, objects, series):
            self.check(lambda y: self.private(X, y, bounds=(-4, 4)), HALF.tolist(), into=into)

    def test_a_missing_decimal_is_a_bad_row(self):
        kind = pd.ArrowDtype(pa.decimal128(10, 3))
        found = []
        for first in (Decimal("0.5"), pd.NA):
            a = pd.Series([first, *[Decimal("0.25")] * (N - 1)], dtype=kind)
            X = pd.DataFrame({"a": a, "j": PAIR.astype(str)})
            found.append(self.given(lambda X=X: self.private(X, schema=SCHEMA)))
        self.assertEqual(*found)

    def test_a_text_that_cannot_be_written_is_refused_without_it(self):
        for odd in ("secret\ud800", "secret\0"):
            X = self.frame(j=replaced(["0", "1"] * (N // 2), odd))
            private = PrivateLogisticRegression(**SEEDED, classes=[0, 1], schema=SCHEMA)
            with self.assertRaisesRegex(dp2dp.DataError, "column 'j' has a value") as raised:
                private.fit(X, HALF)
            self.assertNotIn("secret", str(raised.exception))


class Frames(unittest.TestCase):
    """Tables that are read as Arrow streams. pyarrow refuses a column with several types."""

    def seen(self, call):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            found = call()
        return found, [str(one.message) for one in told]

    def test_a_cell_of_a_table_leaves_others_as_they_are(self):
        plain = pd.DataFrame({"a": SCORES[:, 0], "j": PAIR, "paid": HALF, "more": "x"})

        def encoded(frame):
            found = core.Schema(SCHEMA).encode(frame, **IGNORE)
            return found.features[1:].tolist(), found.labels[1:].tolist()

        def trained(frame):
            model = core.train(SCHEMA, frame, **SEEDED, **IGNORE)
            return model.records, core.score(model, frame, **IGNORE).scores[1:].shape

        for call in (encoded, trained):
            expected = self.seen(lambda call=call: call(plain))
            for name in plain.columns:
                for odd in ODD:
                    frame = plain.assign(**{name: series(replaced(plain[name], odd))})
                    with self.subTest(call.__name__, column=name, odd=short(odd)):
                        self.assertEqual(self.seen(lambda f=frame, c=call: c(f)), expected)
            frame = plain.set_index(pd.Index(["x", *range(1, N)], dtype=object))
            self.assertEqual(self.seen(lambda f=frame, c=call: c(f)), expected)

    def test_a_cell_of_a_stream_leaves_others_as_they_are(self):
        rows = 50
        plain = pd.DataFrame({"n": 1, "p": [*np.tile(SCORES, (rows, 1))], "g": np.tile(HALF, rows)})
        plain["a"], plain["b"] = np.tile(SCORES, (rows, 1)).T
        lists = dict(score_columns="p", class_names=["a", "b"])
        for options in (lists, dict(score_columns=["a", "b"])):
            options = dict(options, group_column="g", group_names=["0", "1"], **IGNORE)
            options.update(epsilon=50, delta=1e-5, insecure_seed=1)

            def shares(frame, options=options):
                return core.fit_stream(frame, **options).shares

            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = shares(plain)
                for name in ("p", "g", "a"):
                    for odd in ODD:
                        frame = plain.assign(**{name: series(replaced(plain[name], odd))})
                        with self.subTest(name, odd=short(odd)):
                            np.testing.assert_allclose(shares(frame), expected, atol=0.01)

    def test_a_mixed_column_is_refused_without_a_value(self):
        plain = pd.DataFrame({"a": SCORES[:, 0], "j": PAIR, "paid": HALF})
        for name in plain.columns:
            for odd in ("secret", [1], True, "\ud800", 10**400):
                frame = plain.assign(**{name: series(replaced(plain[name], odd))})
                with self.assertRaisesRegex(dp2dp.DataError, "of the frame has values") as raised:
                    core.train(SCHEMA, frame, **SEEDED)
                self.assertIsNone(raised.exception.__context__)


if __name__ == "__main__":
    unittest.main()
