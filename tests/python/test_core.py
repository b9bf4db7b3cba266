"""dp2dp.core takes arrays of any layout, explains errors, and leaks no memory."""

import copy
import gc
import inspect
import os
import pickle
import signal
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import dp2dp
from dp2dp import core
from people import BUDGET, SCHEMA, fitted, scores


class Arrays(unittest.TestCase):
    def setUp(self):
        self.p, self.g = scores()
        self.model = fitted(self.p, self.g)
        self.answer = self.model.predict(self.p, self.g)

    def test_strides_and_byte_orders_do_not_change_the_answer(self):
        wide = np.zeros((2 * len(self.p), 6))
        wide[::2, 1:5:3] = self.p
        for p in (
            np.asfortranarray(self.p),
            wide[::2, 1:5:3],
            self.p.astype(">f8"),
            self.p[::-1][::-1],
            self.p.tolist(),
        ):
            np.testing.assert_array_equal(self.model.predict(p, self.g), self.answer)
            self.assertEqual(fitted(p, self.g).to_json(), self.model.to_json())
        np.testing.assert_array_equal(
            self.model.predict(self.p[::-1], self.g[::-1]), self.answer[::-1]
        )

    def test_types_of_codes_do_not_change_the_answer(self):
        for kind in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint64, bool, ">i4"):
            np.testing.assert_array_equal(
                self.model.predict(self.p, self.g.astype(kind)), self.answer
            )

    def test_read_only_arrays_are_read(self):
        self.p.flags.writeable = self.g.flags.writeable = False
        np.testing.assert_array_equal(self.model.predict(self.p, self.g), self.answer)

    def test_an_unaligned_array_is_refused_with_the_reason(self):
        raw = np.frombuffer(b"\0" + self.p.tobytes(), dtype=np.uint8)[1:]
        odd = raw.view(np.float64).reshape(self.p.shape)
        with self.assertRaisesRegex(dp2dp.DataError, "aligned"):
            self.model.predict(odd, self.g)

    def test_out_of_another_kind_is_refused(self):
        n = len(self.p)
        frozen = np.empty(n, np.int32)
        frozen.flags.writeable = False
        words = f"writable, C-contiguous array of int32 with {n} x 1"
        for out in (
            np.empty(n),
            np.empty(3, np.int32),
            np.empty(2 * n, np.int32)[::2],
            frozen,
            [0] * n,
        ):
            with self.assertRaisesRegex(ValueError, words):
                self.model.predict(self.p, self.g, out=out)
        with self.assertRaisesRegex(ValueError, f"float32 with {n} x 2"):
            self.model.adjust(self.p, self.g, out=np.empty(n, np.float32))

    def test_rows_that_are_too_many_to_multiply_are_not_written(self):
        rows = 2**60  # 2**60 rows of 16 bytes: the product overflows to 0 in 64 bits
        once = np.zeros(4, dtype=np.float32)
        many = np.lib.stride_tricks.as_strided(once, (rows, 1), (0, 4))
        groups = np.lib.stride_tricks.as_strided(np.zeros(1, np.int8), (rows,), (0,))
        p, g = scores(500, classes=4)
        with self.assertRaisesRegex(ValueError, "out must be"):
            fitted(p, g).adjust(many, groups, out=np.empty((0, 4), np.float32))

    def test_the_decision_is_the_argmax_of_the_adjusted_scores(self):
        adjusted = self.model.adjust(self.p, self.g)
        np.testing.assert_array_equal(adjusted.argmax(axis=1), self.answer)
        expected = self.p.astype(np.float32) - self.model.offsets.astype(np.float32)[self.g]
        np.testing.assert_array_equal(adjusted, expected)

    def test_one_person_is_decided_by_names_as_many_are_by_codes(self):
        model = fitted(
            self.p, self.g, n_groups=None, group_names=["f", "m"], class_names=["no", "yes"]
        )
        for p, g, answer in zip(self.p[:200], self.g, self.answer, strict=False):
            self.assertEqual(model.decide(p.tolist(), ["f", "m"][g]), ["no", "yes"][answer])
        for bad, words in (
            ([0.5], "one number for each of the 2 classes"),
            ([np.nan, 1], ""),
            (["a", "b"], "float"),
        ):
            with self.assertRaisesRegex(ValueError, words):
                model.decide(bad, "f")
        with self.assertRaisesRegex(dp2dp.OptionError, "group"):
            model.decide(self.p[0])


class Errors(unittest.TestCase):
    def setUp(self):
        self.p, self.g = scores()

    def test_what_is_wrong_with_an_option_is_said(self):
        for options, error, words in (
            (dict(epsilon=None), dp2dp.OptionError, "epsilon"),
            (dict(epsilon=-1), dp2dp.OptionError, "epsilon"),
            (dict(delta="a"), dp2dp.OptionError, "delta must be a number"),
            (dict(rho=2), dp2dp.OptionError, "rho"),
            (dict(steps=-1), dp2dp.OptionError, "steps"),
            (dict(solver="magic"), dp2dp.OptionError, "unknown solver .magic.: it must be one"),
            (dict(leaks=["x"]), dp2dp.OptionError, "not being private .x."),
            (dict(class_names=["a"]), dp2dp.OptionError, "class_names must have 2"),
            (dict(group_names=["a", "b\0"]), dp2dp.OptionError, "NUL"),
            (dict(n_groups=1), dp2dp.OptionError, ""),
            (dict(n_groups="2"), dp2dp.OptionError, "n_groups must be a whole number"),
            (dict(group_names="ab"), dp2dp.OptionError, "must be a list"),
            (dict(leaks="no-noise"), dp2dp.OptionError, "leaks must be a list"),
            (dict(threads=-1), dp2dp.OptionError, "threads must be a whole number"),
            (dict(base=3), TypeError, "base must be a dp2dp.Model"),
            (dict(ledger="a path"), TypeError, "ledger must be a dp2dp.Ledger"),
            (dict(epsilom=1), TypeError, "epsilom"),
        ):
            with self.subTest(options=options), self.assertRaisesRegex(error, words):
                fitted(self.p, self.g, **options)

    def test_the_table_of_options_is_what_holds(self):
        for function, kinds in (
            (dp2dp.fit, (dp2dp.FairPostProcessor, dp2dp.DP2DPClassifier)),
            (dp2dp.train, (dp2dp.PrivateLogisticRegression,)),
        ):
            options = {option.name: option for option in core.options(function)}
            for taker in (function, *kinds):
                for name, parameter in inspect.signature(taker).parameters.items():
                    if name in options and parameter.default is not parameter.empty:
                        self.assertEqual(parameter.default, options[name].default, name)
            self.assertEqual(options["rows_per_person"].default, 1)
            self.assertIsNone(options["epsilon"].default)
            self.assertTrue(all(option.help for option in options.values()))
            self.assertEqual("momentum" in options, function is dp2dp.train)
        for option in core.options(dp2dp.fit):
            if np.isfinite(option.maximum):
                with self.assertRaisesRegex(dp2dp.OptionError, option.name):
                    fitted(self.p, self.g, **{option.name: option.maximum * 2})
        used_by = {option.name: option.used_by for option in core.options(dp2dp.fit)}
        self.assertEqual((used_by["rho"], used_by["tail"]), (None, ["counts", "sgd"]))
        with self.assertRaisesRegex(dp2dp.OptionError, "fit or train"):
            core.options(dp2dp.certify)

    def test_what_is_wrong_with_the_data_is_said_with_its_row(self):
        for change, words in ((np.nan, "row"), (-0.5, "row"), (0.9, "row")):
            p = self.p.copy()
            p[17, 1] = change
            with self.subTest(change=change), self.assertRaisesRegex(dp2dp.DataError, words):
                fitted(p, self.g)
        with self.assertRaisesRegex(dp2dp.DataError, "row"):
            fitted(self.p, self.g + 5)
        with self.assertRaisesRegex(dp2dp.DataError, "the same number of rows, not 2000 and 1999"):
            fitted(self.p, self.g[:-1])

    def test_what_is_wrong_is_there_as_data_too(self):
        model = fitted(self.p, self.g, n_groups=None, group_names=["f", "m"])
        with self.assertRaises(dp2dp.OptionError) as caught:
            model.decide(self.p[0], "x")
        error = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((error.reason, error.row, error.line), ("unknown-group", None, None))
        self.assertIsNone(error.column)
        for kind, call in (
            (dp2dp.OptionError, lambda: fitted(self.p, self.g, rho=2)),  # the library raises it
            (dp2dp.OptionError, lambda: fitted(self.p, self.g, rho="a")),  # the module raises it
            (dp2dp.DataError, lambda: dp2dp.evaluate([0.5], [0], n_groups=2, n_classes=2)),
            (OSError, lambda: dp2dp.Model.load("/nowhere/model.json")),
        ):
            with self.assertRaises(kind) as caught:
                call()
            for name in ("reason", "row", "line", "column"):
                self.assertIsNone(getattr(caught.exception, name))

    def test_texts_of_models_and_ledgers_are_str(self):
        for kind in (dp2dp.Model, dp2dp.Ledger):
            with self.assertRaisesRegex(TypeError, "must be a str, not <class 'bytes'>"):
                kind.from_json(b"{}")

    def test_what_is_no_event_is_refused(self):
        for take in (dp2dp.Accountant().add, dp2dp.Ledger().charge):
            with self.assertRaisesRegex(TypeError, "must be a dp2dp.Event, not int"):
                take(3)

    def test_errors_are_of_two_kinds_at_once(self):
        self.assertTrue(issubclass(dp2dp.OptionError, ValueError))
        self.assertTrue(issubclass(dp2dp.DataError, (dp2dp.Error, ValueError)))
        self.assertTrue(issubclass(dp2dp.BudgetError, RuntimeError))
        error = pickle.loads(pickle.dumps(dp2dp.BudgetError("x")))
        self.assertIsInstance(error, dp2dp.Error)

    def test_a_budget_is_kept_and_what_is_refused_costs_nothing(self):
        ledger = dp2dp.Ledger()
        ledger.set_budget(1.2, 1e-5)
        fitted(self.p, self.g, ledger=ledger)
        charged = len(ledger)
        with self.assertRaises(dp2dp.BudgetError):
            fitted(self.p, self.g, ledger=ledger)
        self.assertEqual(len(ledger), charged)
        self.assertLessEqual(ledger.spent(1e-5), 1)

    def test_a_damaged_model_is_refused(self):
        text = fitted(self.p, self.g).to_json()
        for bad in (text[:-40], text.replace("counts", "countz"), "", "{}"):
            with self.assertRaises(dp2dp.DataError):
                dp2dp.Model.from_json(bad)

    def test_what_is_no_pair_and_no_dict_is_refused(self):
        rows = core.Rows([[0.5]], ["a", "y"], [([0], ["no", "yes"])])
        rows.texts = [3]
        with self.assertRaisesRegex(TypeError, "pairs of codes and levels"):
            rows.__arrow_c_stream__()
        with self.assertRaisesRegex(TypeError, "options must be a dict"):
            dp2dp.Accountant()._add(3)

    def test_types_of_ours_are_not_made_empty(self):
        for make in (dp2dp.Model, dp2dp.Schema, lambda: copy.deepcopy(dp2dp.Ledger())):
            with self.assertRaises(TypeError):
                make()


class Interrupts(unittest.TestCase):
    def test_ctrl_c_ends_a_fit(self):
        p, g = scores(200_000)
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            timer.start()
            fitted(p, g, steps=1_000_000)
        timer.cancel()
        self.assertLess(time.monotonic() - start, 20)

    def test_ctrl_c_before_the_charge_charges_nothing(self):
        p, g = scores()
        model = fitted(p, g)
        for use in (fitted, lambda p, g, **o: dp2dp.certify(model, p, g, **o, **BUDGET)):
            ledger, held, entered = dp2dp.Ledger(), threading.Event(), threading.Event()

            def progress(step, total, held=held, entered=entered):
                held.set()  # this fit now holds the ledger's lock until it ends
                if step == total:
                    entered.wait()
                    time.sleep(0.2)
                    os.kill(os.getpid(), signal.SIGINT)

            options = dict(ledger=ledger, progress=progress)
            other = threading.Thread(target=fitted, args=(p, g), kwargs=options)
            other.start()
            held.wait()
            with self.assertRaises(KeyboardInterrupt):
                entered.set()
                use(p, g, ledger=ledger)
            other.join()
            self.assertEqual(len(ledger), 2)

    def test_an_exception_in_a_number_comes_out(self):
        class Hesitant:
            def __float__(self):
                raise KeyboardInterrupt

            __index__ = __float__

        p, g = scores()
        for option in ("rho", "steps", "insecure_seed", "threads"):
            with self.assertRaises(KeyboardInterrupt):
                fitted(p, g, **{option: Hesitant()})

    def test_a_progress_function_that_is_none_is_refused_before_the_charge(self):
        p, g = scores()
        ledger = dp2dp.Ledger()
        with self.assertRaisesRegex(TypeError, "progress must be a function"):
            fitted(p, g, ledger=ledger, progress=3)
        rows = core.Rows(p[:, :1], ["a", "y"], [(g, ["n", "y"])])
        with self.assertRaisesRegex(TypeError, "progress must be a function"):
            dp2dp.train(SCHEMA, rows, ledger=ledger, progress="bar", **BUDGET)
        self.assertEqual(len(ledger), 0)

    def test_an_exception_of_the_progress_function_comes_out(self):
        p, g = scores()
        seen = []

        def progress(step, total):
            seen.append((step, total))
            if step == 3:
                raise LookupError("enough")

        with self.assertRaisesRegex(LookupError, "enough"):
            fitted(p, g, progress=progress)
        self.assertEqual(seen, [(1, 80), (2, 80), (3, 80)])

    def test_a_progress_function_may_look_at_the_ledger(self):
        p, g = scores()
        ledger, seen = dp2dp.Ledger(), []
        fitted(p, g, ledger=ledger, progress=lambda step, total: seen.append(len(ledger)))
        self.assertEqual(set(seen), {2})


class Endurance(unittest.TestCase):
    """DP2DP_ENDURANCE=25 does 100,000 fits and a million predictions."""

    many = float(os.environ.get("DP2DP_ENDURANCE", "1"))

    def rss(self):
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def flat(self, call, rounds):
        for _ in range(rounds // 5):
            call()
        references = [sys.getrefcount(x) for x in self.held]
        before = self.rss()
        for _ in range(rounds):
            call()
        self.assertLess(self.rss() - before, 1 << 20)
        self.assertEqual([sys.getrefcount(x) for x in self.held], references)

    def setUp(self):
        if "LD_PRELOAD" in os.environ:
            self.skipTest("the sanitizer keeps freed memory")
        self.p, self.g = scores(20)
        self.model = fitted(self.p, self.g)
        self.ledger = dp2dp.Ledger()
        self.names = ["group a", "group b"]
        self.held = [self.p, self.g, self.model, self.ledger, self.names, *self.names]

    def test_fits_leak_nothing(self):
        options = dict(steps=2, group_names=self.names, progress=lambda step, total: None)
        self.flat(lambda: fitted(self.p, self.g, **options).info, int(4_000 * self.many))

    def test_ledgers_certificates_and_accounts_leak_nothing(self):
        def call():
            ledger = dp2dp.Ledger()
            dp2dp.certify(self.model, self.p, self.g, **BUDGET, ledger=ledger, insecure_seed=1)
            ledger.spent(1e-5)
            dp2dp.Ledger.from_json(ledger.to_json())
            dp2dp.evaluate(self.g, self.g, self.g, n_groups=2, n_classes=2, bootstrap_draws=0)

        self.flat(call, int(400 * self.many))

    def test_predictions_leak_nothing(self):
        self.flat(lambda: self.model.predict(self.p, self.g), int(40_000 * self.many))

    def test_failures_leak_nothing(self):
        bad = self.p * 2

        def call():
            for options in ({}, dict(rho=9), dict(group_names=["a"]), dict(nonsense=1)):
                with self.assertRaises((ValueError, TypeError)):
                    fitted(bad, self.g, **options)

        self.flat(call, int(400 * self.many))

    def test_training_and_scoring_leak_nothing(self):
        schema = dp2dp.Schema(SCHEMA)
        x, y = self.p[:, :1], self.g

        def call():
            rows = core.Rows(x, ["a", "y"], [(y, ["n", "y"])])
            model = dp2dp.train(schema, rows, method="none", threads=1)
            core.score(model, rows, labels=True)

        self.flat(call, int(200 * self.many))


class Files(unittest.TestCase):
    def test_a_model_survives_a_file_a_pickle_and_a_copy(self):
        p, g = scores(classes=3, groups=4)
        model = fitted(p, g, n_groups=None, group_names=["a", "b", "ç", "d × e"])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.json")
            model.save(path)
            self.assertEqual(dp2dp.Model.load(path).to_json(), model.to_json())
        for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            self.assertEqual(other.to_json(), model.to_json())
        self.assertEqual(model.groups, ["a", "b", "ç", "d × e"])
        self.assertIn("d × e", model._repr_html_())

    def test_what_was_made_with_a_seed_says_that_it_is_not_private(self):
        p, g = scores()
        model = fitted(p, g, not_private_because=["labels-from-data"])
        both = ["insecure-noise", "labels-from-data"]
        for found in (
            model.not_private_because,
            model.leaks,  # the older name, still supported
            model.info["leaks"],
            model.info["not_private_because"],
            fitted(p, g, leaks=["labels-from-data"]).leaks,
        ):
            self.assertEqual(found, both)
        self.assertEqual(fitted(p, g).not_private_because, ["insecure-noise"])
        self.assertIn("NOT PRIVATE", repr(fitted(p, g)))
        secure = fitted(p, g, insecure_seed=None)
        self.assertTrue(secure.private)
        self.assertLessEqual(secure.epsilon, 1)
        self.assertNotEqual(secure.to_json(), fitted(p, g, insecure_seed=None).to_json())
