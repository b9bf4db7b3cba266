"""Each allocation by Python fails once: the call raises MemoryError and does not crash."""

import unittest
from functools import partial

import numpy as np

import dp2dp
from dp2dp import _core, core
from people import categorical, numeric, schema, scores

try:
    import _testcapi
except ImportError:
    _testcapi = None

EVENT = dict(mechanism="gaussian", sensitivity=1.0, sigma=2.0)
SCHEMA = schema(numeric("a", -1, 1), categorical("y", "no", "yes", role="label"))


@unittest.skipUnless(_testcapi, "this Python cannot be made to run out of memory")
class Memory(unittest.TestCase):
    def setUp(self):
        self.p, self.g = scores(50)
        self.options = dict(
            epsilon=1.0,
            delta=1e-5,
            insecure_seed=1,
            steps=2,
            group_names=["a", "b"],
            class_names=["x", "y"],
            leaks=["labels-from-data"],
            progress=lambda step, total: None,
        )
        self.model = core.Model._fit(self.p, self.g, 2, self.options)
        self.schema = dp2dp.Schema(SCHEMA)
        self.rows = core.Rows(self.p[:, :1], ["a", "y"], [(self.g, ["no", "yes"])])
        self.classifier = dp2dp.train(self.schema, self.rows, method="none")
        self.ledger = dp2dp.Ledger()
        self.ledger._charge(EVENT, False)

    def stream(self):
        return _core.stream(self.rows.matrix, self.rows.names, self.rows.texts)

    def fails_cleanly(self, call):
        """Fails the i-th allocation for every i until none is left to fail."""
        failed = succeeded = 0
        for i in range(1000):
            try:
                _testcapi.set_nomemory(i, i + 1)
                try:
                    call()
                finally:
                    _testcapi.remove_mem_hooks()
                succeeded += 1
            except MemoryError:
                failed += 1
                succeeded = 0
            if succeeded == 100:
                break
        self.assertEqual(succeeded, 100)
        self.assertGreater(failed, 0)

    def test_fits_and_models(self):
        self.fails_cleanly(lambda: core.Model._fit(self.p, self.g, 2, self.options))
        text = self.model.to_json()
        for call in (
            self.model._info,
            self.classifier._info,
            self.model.to_json,
            self.model._ledger_json,
            lambda: core.Model.from_json(text),
            lambda: self.model._decide(self.p[0], "a"),
        ):
            self.fails_cleanly(call)

    def test_sources_and_counts(self):
        table, offsets = np.zeros((2, 2), np.int64), np.zeros((2, 2), np.float32)
        _core.Pool(self.p, self.g, 2, {})._count(offsets, table)
        self.fails_cleanly(lambda: _core.Pool(self.p, self.g, 2, {})._count(offsets, table))
        whole = table.copy()
        self.fails_cleanly(
            lambda: core.Model._fit_source(lambda given: whole, 50, 2, 2, 0, self.options)
        )

    def test_decisions(self):
        out, adjusted = np.empty(50, np.int32), np.empty((50, 2), np.float32)
        ids = np.arange(50, dtype=np.uint64)
        for model, further in ((self.model, (None, None)), (self.unaware(), (self.p, ids))):
            decide = partial(model._predict, self.p, self.g)
            self.fails_cleanly(partial(decide, out, False, 0, 1, False, *further, False))
            self.fails_cleanly(partial(decide, adjusted, False, 0, 1, True, *further, False))

    def unaware(self):
        """A rule under a criterion of its own that does not see the group."""
        more = dict(labels=self.g, weights=self.p, ids=np.arange(50, dtype=np.uint64))
        more.update(criterion="custom", statistics=[(1, b"\0\1"), (0, None)], labelled=True)
        more.update(dither=0.1, dither_key="id", weight_columns=["a", "b"])
        return core.Model._fit(self.p, self.g, 2, {**self.options, **more})

    def test_criteria(self):
        self.fails_cleanly(self.unaware)
        self.fails_cleanly(self.unaware()._info)
        texts = [str(i) for i in range(50)]
        self.fails_cleanly(lambda: _core.ids(list(texts), np.empty(50, np.uint64)))

    def test_rows(self):
        none = dict(method="none", threads=1)
        self.fails_cleanly(self.stream)
        self.fails_cleanly(lambda: core.Model._train(self.schema, self.stream(), none))

        def score():
            stream, _ = self.classifier._score(self.schema, self.stream(), True, False, True, None)
            return _core.columns(stream, "scores")

        def encode():
            stream, _ = self.schema._encode(self.stream(), True, False, True)
            return _core.columns(stream, "rows")

        self.fails_cleanly(score)
        self.fails_cleanly(encode)
        self.fails_cleanly(self.schema._info)

    def test_columns_of_arrow(self):
        table = core.Rows(self.p, ["no", "yes"])
        self.fails_cleanly(lambda: _core.columns(table.__arrow_c_stream__(), "scores"))

    def test_ledgers_and_accounts(self):
        accountant = dp2dp.Accountant()
        self.fails_cleanly(self.ledger._entries)
        self.fails_cleanly(lambda: accountant._add(EVENT))
        self.fails_cleanly(lambda: dp2dp.Accountant()._calibrate(EVENT, 1, 2.0, 1e-5))
        self.fails_cleanly(lambda: self.ledger._charge(EVENT, False))
        self.fails_cleanly(lambda: self.ledger.describe(verb="study", note="a note"))
        self.fails_cleanly(lambda: self.ledger.set_budget(1e6, 1e-5, with_charge=True))

    def test_measures(self):
        codes = dict(n_groups=2, n_classes=2, bootstrap_draws=0)
        options = dict(epsilon=1.0, delta=1e-5, insecure_seed=1, people="a", note="a note")
        table = np.empty((2, 2))
        self.fails_cleanly(lambda: _core.evaluate(self.g, self.g, self.g, codes))

        def certify():
            return self.model._certify(self.p, self.g, table, dict(options, ledger=dp2dp.Ledger()))

        self.fails_cleanly(certify)
        odds = dict(self.options, criterion="equalized_odds", labelled=True, labels=self.g)
        labelled, wide = core.Model._fit(self.p, self.g, 2, odds), np.empty((2, 2, 2))

        def certify_odds():
            given = dict(options, ledger=dp2dp.Ledger(), labels=self.g)
            return labelled._certify(self.p, self.g, wide, given)

        self.fails_cleanly(certify_odds)
