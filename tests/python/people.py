"""People for the tests: scores that favour one group, features with a label, and their schemas."""

import numpy as np

import dp2dp
from dp2dp import _same_rows

BUDGET = dict(epsilon=1, delta=1e-5)
SEEDED = dict(BUDGET, insecure_seed=1)


def numeric(name, lower=-4, upper=4):
    return dict(name=name, role="feature", kind="numeric", lower=lower, upper=upper)


def categorical(name, *levels, role="feature"):
    return dict(name=name, role=role, kind="categorical", levels=list(levels))


def schema(*columns):
    version = {"major": 1, "minor": 0}
    return dict(format="dp2dp-schema", version=version, origin="public", columns=list(columns))


# A schema of one feature and a label.
SCHEMA = schema(numeric("a", 0, 1), categorical("y", "n", "y", role="label"))


def fitted(p, g, **options):
    return dp2dp.fit(p, g, **{**dict(n_groups=2, insecure_seed=7), **BUDGET, **options})


def forget():
    """Forgets the rows of earlier fits. Another test may have had the same people."""
    _same_rows._by_values.clear()


def scores(n=2000, classes=2, groups=2, seed=0, dtype=np.float64):
    forget()
    rng = np.random.default_rng(seed)
    g = rng.integers(0, groups, n).astype(np.int32)
    raw = rng.random((n, classes)) + 0.05
    raw[:, -1] += 0.5 * g / groups
    return (raw / raw.sum(axis=1, keepdims=True)).astype(dtype), g


def labelled(n=1500, features=4, classes=2, seed=0):
    """X, y and groups. The group shifts the features, and so changes the label."""
    forget()
    rng = np.random.default_rng(seed)
    g = rng.integers(0, 2, n)
    X = np.clip(rng.normal(size=(n, features)) + 0.7 * g[:, None], -4, 4)
    score = X.sum(axis=1) + rng.normal(size=n)
    edges = np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1])
    return X, np.searchsorted(edges, score), g
