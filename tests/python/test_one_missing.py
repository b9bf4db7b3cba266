"""With ignored bad rows, one missing or odd value in a column of another library changes nothing
for the other rows: they keep their ids and groups, and nothing is refused or told."""

import unittest
import warnings

import numpy as np
import pandas as pd

import dp2dp
from dp2dp import FairPostProcessor, core
from people import SCHEMA, SEEDED

BIG = 2**60  # whole numbers from 2^53 on are not exact as floats


class Given:
    classes_ = np.array([0, 1])

    def predict_proba(self, X):
        return X


class OneMissing(unittest.TestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        self.g = np.arange(2000) % 2
        self.p = np.where(self.g[:, None] == 0, [[0.9, 0.1]], [[0.1, 0.9]])

    def near(self, one, other):
        self.assertEqual(one.warnings, other.warnings)
        np.testing.assert_allclose(one.offsets, other.offsets, atol=0.05)

    def test_ids_in_arrays_of_pandas(self):
        ids = [BIG + at for at in range(2000)]
        for make in (pd.Categorical, lambda values: pd.array(values, dtype="Int64")):
            found = [
                core.fit(
                    self.p,
                    self.g,
                    n_groups=2,
                    ids=make(values),
                    dither=0.1,
                    dither_key="id",
                    bad_rows="ignore",
                    **SEEDED,
                )
                for values in (ids, [None, *ids[1:]])
            ]
            self.near(*found)

    def test_groups_in_arrays_of_pandas(self):
        groups = [BIG + 1 + at for at in self.g.tolist()]
        found = []
        for values in (groups, [None, *groups[1:]]):
            fair = FairPostProcessor(
                Given(),
                prefit=True,
                scores_epsilon=0,
                scores_delta=0,
                classes=[0, 1],
                groups=[BIG + 1, BIG + 2],
                bad_rows="ignore",
                **SEEDED,
            )
            fair.fit(self.p, sensitive_features=pd.Categorical(values))
            found.append(fair.model_)
        self.near(*found)

    def test_codes_in_arrays_of_pandas(self):
        codes = pd.array([None, *self.g[1:].tolist()], dtype="Int64")
        model = core.fit(self.p, codes, n_groups=2, bad_rows="ignore", **SEEDED)
        self.near(model, core.fit(self.p, self.g, n_groups=2, bad_rows="ignore", **SEEDED))

    def test_odd_cells_of_a_category_or_a_text(self):
        for odd in (1, 1.5, b"x", (1,)):
            values = pd.Categorical([odd, *["n", "y"] * 999, "n"])
            frame = pd.DataFrame({"a": np.linspace(0, 1, 2000), "y": values})
            model = dp2dp.train(SCHEMA, frame, bad_rows="ignore", **SEEDED)
            self.assertEqual(model.info["classifier"]["records"], 2000)

    def test_whether_rows_are_recognised_does_not_depend_on_a_value(self):
        for missing in (False, True):
            values = pd.array([None if missing else 0, *range(1, 2000)], dtype="Int64")
            frame = pd.DataFrame({"at": values, "p": self.p[:, 0]})
            found = []
            for _ in range(2):
                with warnings.catch_warnings(record=True) as said:
                    warnings.simplefilter("always")
                    part = frame.iloc[:1900]
                    fair = FairPostProcessor(
                        AtFrame(),
                        prefit=True,
                        classes=[0, 1],
                        groups=[0, 1],
                        epsilon=1,
                        delta=1e-5,
                        bad_rows="ignore",
                    )
                    fair.fit(part, sensitive_features=self.g[:1900])
                found.append([str(one.message).split(":")[0] for one in said])
            self.assertNotIn("several-fits", found[1])


class AtFrame(Given):
    def predict_proba(self, X):
        p = X["p"].to_numpy()
        return np.column_stack([p, 1 - p])


if __name__ == "__main__":
    unittest.main()
