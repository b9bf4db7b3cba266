"""People for the tests: scores that favour one group, and features with a label."""

import numpy as np

# Of one feature, with a label.
SCHEMA = {
    "format": "dp2dp-schema",
    "version": {"major": 1, "minor": 0},
    "origin": "public",
    "columns": [
        {"name": "a", "role": "feature", "kind": "numeric", "lower": 0, "upper": 1},
        {"name": "y", "role": "label", "kind": "categorical", "levels": ["n", "y"]},
    ],
}


def scores(n=2000, classes=2, groups=2, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    g = rng.integers(0, groups, n).astype(np.int32)
    raw = rng.random((n, classes)) + 0.05
    raw[:, -1] += 0.5 * g / groups
    return (raw / raw.sum(axis=1, keepdims=True)).astype(dtype), g


def labelled(n=1500, features=4, classes=2, seed=0):
    """X, y and group; the group moves the features, and with them the label."""
    rng = np.random.default_rng(seed)
    g = rng.integers(0, 2, n)
    X = np.clip(rng.normal(size=(n, features)) + 0.7 * g[:, None], -4, 4)
    score = X.sum(axis=1) + rng.normal(size=n)
    edges = np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1])
    return X, np.searchsorted(edges, score), g
