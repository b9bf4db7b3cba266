"""Trainings say what is probably wrong with their rows, before they charge."""

import unittest
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from sklearn.linear_model import LogisticRegression

import dp2dp
from dp2dp import DP2DPClassifier, FairPostProcessor, PrivateLogisticRegression, Schema

BUDGET = {"epsilon": 1, "delta": 1e-5}
CLASSES, GROUPS = ["no", "talk", "offer"], ["f", "m"]
BOUNDS = {"test": (0, 100), "years": (0, 45), "pressure": (0, 1000), "pay": (0, 1e5)}
BOUNDS |= {"wait": (0, 100)}
LISTS = {"group": GROUPS, "outcome": CLASSES, "hired": ["no", "yes"]}
LISTS |= {"status": ["open", "closed", "signed"], "team": ["a", "b"]}


def people(n=4000, seed=1):
    rng = np.random.default_rng(seed)
    group, noise = rng.integers(2, size=n), rng.normal(size=n)
    test, years = rng.normal(57 + 7 * group, 14).clip(0, 100), rng.gamma(2, 3, n).clip(0, 45)
    outcome = np.digitize((test - 60) / 12 + 0.05 * years + noise, [0.1, 1.3])
    pressure = rng.normal(130, 12, n).clip(95, 174).round()
    return pd.DataFrame(
        {
            "test": test,
            "years": years,
            "group": np.array(GROUPS)[group],
            "outcome": np.array(CLASSES)[outcome],
            "hired": np.array(["no", "yes"])[(outcome > 0).astype(int)],
            "team": np.array(["a", "b"])[group],
            "status": np.where(outcome == 2, "signed", np.where(noise > 0, "open", "closed")),
            "pay": np.where(outcome == 2, rng.integers(30000, 60000, n), 0),
            "wait": np.where(outcome == 0, 0, rng.integers(1, 61, n)),
            "pressure": np.where(rng.random(n) < 0.05, 999, pressure),
        }
    )


def schema(frame, *features, label="outcome", **more):
    columns = [*features, "group", label]
    bounds = {name: BOUNDS[name] for name in features if name in BOUNDS}
    listed = {name: LISTS[name] for name in columns if name in LISTS}
    given = {"bounds": bounds, "categories": listed, **more}
    return Schema.from_frame(frame[columns], label=label, sensitive="group", **given)


def told(function, *args, **options):
    """The first words of the warnings of a call, except that rows were fitted before."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args, **options)
    words = [str(one.message).split(":")[0] for one in found]
    return [word for word in words if word != "several-fits"]


def said(function, *args, **options):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args, **options)
    return "\n".join(str(one.message) for one in found)


class OddRows(unittest.TestCase):
    def test_a_training_names_all_columns_outside_their_bounds(self):
        rng = np.random.default_rng(3)
        x = rng.normal(size=800).clip(-3, 3)
        rows = pd.DataFrame({"a": x + 50, "b": x + 50, "c": x, "d": x + 50})
        rows["y"] = np.where(rng.random(800) < 0.5, "yes", "no")
        public = dict(bounds=dict.fromkeys("abcd", (-9, 9)), categories={"y": ["no", "yes"]})
        schema = Schema.from_frame(rows, label="y", **public)
        words = "bounds-exceeded: .* of 'a' .*Values of 'b', 'd' are outside"
        with self.assertWarnsRegex(dp2dp.FairnessWarning, words):
            dp2dp.train(schema, rows, **BUDGET)

    def train(self, frame, *features, label="outcome", **options):
        made = schema(frame, *features, label=label, **options.pop("made", {}))
        return told(dp2dp.train, made, frame, **BUDGET, **options)

    def test_a_training_on_sound_rows_says_nothing(self):
        self.assertEqual(self.train(people(), "test", "years"), [])
        self.assertEqual(self.train(people(), "test", "years", target="group-label"), [])

    def test_a_column_that_is_known_after_the_label_is_named_in_each_kind_of_table(self):
        frame = people()
        for name, label in (("wait", "hired"), ("status", "outcome"), ("pay", "outcome")):
            for kind in (pd.DataFrame, pl.from_pandas, pa.Table.from_pandas):
                made = schema(frame, "test", name, label=label)
                self.assertEqual(
                    told(dp2dp.train, made, kind(frame.copy()), **BUDGET), ["label-in-column"]
                )
            ignored = self.train(frame.copy(), "test", name, label=label, bad_rows="ignore")
            self.assertEqual(ignored, [])
        made = schema(frame, "test", "pay")
        text = said(dp2dp.train, made, frame.copy(), **BUDGET)
        self.assertIn("the column 'pay' is not 0 for everybody of the class 'offer'", text)

    def test_one_exception_is_enough_and_a_rare_class_says_nothing(self):
        frame = people()
        frame.loc[frame.index[frame.outcome == "talk"][0], ["status", "pay"]] = ["signed", 9]
        frame.loc[frame.index[frame.hired == "no"][0], "wait"] = 30
        for name, label in (("wait", "hired"), ("status", "outcome"), ("pay", "outcome")):
            self.assertEqual(self.train(frame.copy(), "test", name, label=label), [])
        rare = people()
        rare = rare[(rare.outcome != "offer") | ((rare.outcome == "offer").cumsum() < 100)]
        self.assertEqual(self.train(rare, "test", "status"), [])

    def test_estimators_name_such_columns_too(self):
        frame = people()
        for name, y in (("wait", "hired"), ("pay", "outcome")):
            known = {"bounds": {n: BOUNDS[n] for n in ("test", name)}, "classes": sorted(LISTS[y])}
            private = PrivateLogisticRegression(**BUDGET, **known)
            found = told(private.fit, frame[["test", name]], frame[y])
            self.assertEqual(found, ["label-in-column"])

    def test_a_number_for_missing_values_is_noticed_within_the_bounds(self):
        frame = people()
        self.assertEqual(self.train(frame, "test", "pressure"), ["number-for-missing"])
        self.assertEqual(self.train(frame.copy(), "test", "pressure", bad_rows="ignore"), [])
        top = frame.assign(pressure=frame.pressure.where(frame.pressure < 999, 180))
        self.assertEqual(self.train(top, "test", "pressure"), [])
        known = {"bounds": (0, 1000), "classes": sorted(CLASSES)}
        private = PrivateLogisticRegression(**BUDGET, **known)
        found = told(private.fit, frame[["test", "pressure"]], frame.outcome)
        self.assertEqual(found, ["number-for-missing"])

    def test_a_pile_at_a_number_for_missing_values_is_noticed(self):
        rng = np.random.default_rng(4)
        balance = (6000 * rng.normal(size=4000)).round(2)
        income, missing = np.exp(rng.normal(10.4, 0.5, 4000)).round(), rng.random(4000) < 0.15
        rates, cut = rng.random(4000), (1200 * rng.gamma(2, 1, 4000)).round(2)

        def words(values, low, high, **options):
            frame = pd.DataFrame({"a": values, "b": rates})
            known = {"bounds": {"a": (low, high), "b": (0, 1)}, "classes": [0, 1], **options}
            private = PrivateLogisticRegression(**BUDGET, **known)
            return told(private.fit, frame, rng.integers(2, size=4000))

        for number, values, low, high in (
            (-999, income, -1000, 200000),
            (-999, balance, -20000, 50000),
            (99999, income, 0, 200000),
            (999, 3000 * rates, 0, 3000),
            (-1, np.where(rates < 0.2, 0, 3000 * rates), -1, 3000),
        ):
            with self.subTest(number):
                marked = np.where(missing, number, values)
                self.assertEqual(words(marked, low, high), ["number-for-missing"])
                self.assertEqual(words(marked, low, high, bad_rows="ignore"), [])
        frame = people().assign(years=np.where(missing, -9, 40 * rates))
        wide = {"bounds": {"test": (0, 100), "years": (-50, 50)}}
        self.assertEqual(self.train(frame, "test", "years", made=wide), ["number-for-missing"])
        for values, low, high in (
            (np.where(missing, 0, balance), -20000, 50000),
            (np.where(missing, -1, rng.normal(size=4000)), -5, 5),
            (np.where(rng.random(4000) < 0.03, -999, balance), -20000, 50000),
            (np.where(missing, 1234, balance), -20000, 50000),
            (np.clip(cut, 0, 999), 0, 2000),
            (np.clip(balance, -9999, 50000), -20000, 50000),
            (rng.choice([199, 499, 999, 1499], 4000), 0, 2000),
            (np.where(missing, 999, (rng.gamma(3, 40, 4000) * 10).round(-1)), 0, 5000),
        ):
            self.assertEqual(words(values, low, high), [])

    def test_a_list_of_categories_in_the_order_of_the_rows_is_noticed(self):
        rng, names = np.random.default_rng(6), [f"c{i}" for i in range(12)]
        share = np.arange(1, 13) / 78
        frame = people().assign(city=rng.choice(names, 4000, p=rng.permutation(share)))

        def found(levels, frame=frame, **options):
            known = {"bounds": (0, 100), "categories": {"city": levels}, "classes": CLASSES}
            private = PrivateLogisticRegression(**BUDGET, **{**known, **options})
            of_fit = told(private.fit, frame[["test", "city"]], frame.outcome)
            made = {"categories": {**LISTS, "city": levels}}
            made["categories"] = {n: made["categories"][n] for n in ("city", "group", "outcome")}
            self.assertEqual(
                "categories-read-off" in self.train(frame, "test", "city", made=made),
                "categories-read-off" in of_fit or bool(options),
            )
            return [word for word in of_fit if word == "categories-read-off"]

        told_once = ["categories-read-off"]
        self.assertEqual(found(frame.city.unique()), told_once)
        self.assertEqual(found(frame.city.value_counts().index), told_once)
        self.assertEqual(found(frame.city.unique(), bad_rows="ignore"), [])
        shuffled = rng.permutation(names)
        for levels in (sorted(names), names, sorted(names, reverse=True), shuffled):
            self.assertEqual(found(levels), [])
        self.assertEqual(found([*frame.city.unique(), "c99"]), [])
        by_size = frame.assign(city=rng.choice(shuffled, 4000)).sort_values(
            "city", key=lambda one: one.map({n: i for i, n in enumerate(shuffled)})
        )
        self.assertEqual(found(shuffled, by_size), [])

        both = DP2DPClassifier(
            **BUDGET,
            bounds=(0, 100),
            categories={"city": frame.city.unique()},
            classes=CLASSES,
            groups=GROUPS,
        )
        fit = told(both.fit, frame[["test", "city"]], frame.outcome, sensitive_features=frame.group)
        self.assertIn("categories-read-off", fit)

    def test_a_classifier_of_groups_names_a_copy_of_the_group(self):
        for target in ("group", "group-label"):
            self.assertEqual(
                self.train(people(), "test", "team", target=target), ["group-in-column"]
            )
        self.assertEqual(self.train(people(), "test", "team"), [])

    def test_bounds_that_are_the_smallest_and_largest_values_are_noticed(self):
        frame = people()
        ends = {name: (frame[name].min(), frame[name].max()) for name in ("test", "years")}
        ends["test"] = (frame.test.min(), frame.test.max() - 1e-9)
        frame["test"] = frame.test.clip(upper=ends["test"][1])
        made = {"bounds": ends}
        self.assertEqual(self.train(frame, "test", "years", made=made), ["bounds-attained"])
        found = self.train(frame.copy(), "test", "years", made={**made, "origin": "from-data"})
        self.assertNotIn("bounds-attained", found)

    def test_rows_that_lack_a_value_are_counted(self):
        for share, expected in ((0.9, ["most-left-out"]), (1, ["most-left-out"]), (0.4, [])):
            frame = people()
            frame.loc[: int(share * len(frame)) - 1, "test"] = np.nan
            made = {"missing": "drop"}
            self.assertEqual(self.train(frame, "test", "years", made=made), expected)
            ignored = self.train(frame.copy(), "test", "years", made=made, bad_rows="ignore")
            self.assertEqual(ignored, [])

    def test_rows_that_were_copied_are_noticed_by_their_content(self):
        frame = people()
        more = pd.concat([frame, *4 * [frame[frame.outcome == "talk"]]], ignore_index=True)
        made = schema(frame, "test", "years")
        self.assertEqual(told(dp2dp.train, made, more, **BUDGET), ["rows-repeated"])
        for kind in (pl.from_pandas, pa.Table.from_pandas):
            self.assertEqual(told(dp2dp.train, made, kind(more), **BUDGET), ["rows-repeated"])
        for quiet in ({"rows_per_person": 5}, {"bad_rows": "ignore"}):
            found = told(dp2dp.train, made, more.copy(), **BUDGET, **quiet)
            self.assertNotIn("rows-repeated", found)
        known = {"classes": sorted(CLASSES), "groups": GROUPS}
        for X in (more[["test", "years"]], more[["test", "years"]].to_numpy()):
            private = PrivateLogisticRegression(**BUDGET, bounds=(0, 100), classes=sorted(CLASSES))
            self.assertEqual(told(private.fit, X, more.outcome), ["rows-repeated"])
            both = DP2DPClassifier(**BUDGET, bounds=(0, 100), **known)
            found = told(both.fit, X, more.outcome, sensitive_features=more.group)
            self.assertIn("rows-repeated", found)
            fair = FairPostProcessor(LogisticRegression(), **BUDGET, **known)
            found = told(fair.fit, X, more.outcome, sensitive_features=more.group)
            self.assertIn("rows-repeated", found)

    def test_rounded_rows_that_are_equal_by_chance_are_not(self):
        frame = people(20000).round({"test": -1, "years": 0})
        self.assertEqual(self.train(frame, "test", "years"), [])

    def test_a_training_that_is_mostly_noise_says_so(self):
        self.assertEqual(self.train(people(60), "test", "years"), ["much-noise"])
        few = people(60)
        private = PrivateLogisticRegression(**BUDGET, bounds=(0, 100), classes=sorted(CLASSES))
        self.assertEqual(told(private.fit, few[["test", "years"]], few.outcome), ["much-noise"])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaisesRegex(dp2dp.FairnessWarning, "only-noise") as caught:
                dp2dp.train(schema(people(), "test"), people(9), epsilon=1, delta=1e-5)
        self.assertTrue(caught.exception.model.private)

    def test_a_clip_that_is_too_large_is_refused_before_the_charge(self):
        frame, ledger = people(), dp2dp.Ledger()
        made = schema(frame, "test", "years")
        for method in ("dpgd", "dpsgd"):
            with self.assertRaisesRegex(dp2dp.OptionError, "use at most 4.48"):
                dp2dp.train(made, frame, method=method, clip=4.5, ledger=ledger, **BUDGET)
        self.assertEqual(ledger.entries, [])
        self.assertTrue(dp2dp.train(made, frame, clip=4.48, **BUDGET).private)

    def test_two_columns_of_one_name_and_frames_without_rows_are_refused_in_words(self):
        frame = people()
        made = schema(frame, "test", "years")
        twice = pd.concat([frame, frame[["test"]]], axis=1)
        with self.assertRaisesRegex(dp2dp.DataError, "two columns are named 'test'"):
            dp2dp.train(made, twice, **BUDGET)
        lazy = pl.from_pandas(frame).lazy()
        names = {"score_columns": CLASSES, "group_column": "group", "group_names": GROUPS}
        for call in (
            lambda: dp2dp.train(made, lazy, **BUDGET),
            lambda: Schema.from_frame(lazy),
            lambda: dp2dp.core.fit_stream(lazy, **names, **BUDGET),
            lambda: made.check(lazy),
        ):
            with self.assertRaisesRegex(TypeError, r"call \.collect\(\) first"):
                call()

    def test_all_bounds_that_are_too_wide_are_named_at_once(self):
        frame = people()
        wide = {"test": (0, 1e6), "years": (0, 1e6), "pressure": (0, 200)}
        frame["pressure"] = frame.pressure.clip(upper=174)
        for given in (frame, pl.from_pandas(frame)):
            made = schema(frame, "test", "pressure", "years", bounds=wide)
            text = said(dp2dp.train, made, given, **BUDGET)
            self.assertIn("The bounds of 'years' are too wide in the same way.", text)
        X = frame[["test", "pressure", "years"]]
        private = PrivateLogisticRegression(**BUDGET, bounds=(0, 1e9), classes=sorted(CLASSES))
        self.assertIn("'pressure', 'years' are too wide", said(private.fit, X, frame.outcome))


if __name__ == "__main__":
    unittest.main()
