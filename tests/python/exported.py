"""Models of every rule, and people whose decision hangs on the last bit. DP2DP_EXPORT_ROWS is the
number of people for each model; half of them are near-ties."""

import functools
import hashlib
import itertools
import json
import os
import warnings

import numpy as np

import dp2dp

ROWS = int(os.environ.get("DP2DP_EXPORT_ROWS", "20000"))
# Names that need quotes, in every dialect.
NAMES = ["plain", "O'Neil", 'say "no"', "line\nbreak", "back\\slash'", "tick`tick"]
NAMES += ["Größe 東京 ?", "$1%s;--"]
TABLE = "peo\"p`le\nof 'us"
GROUP = 'se"x\n`'


def names(count, before=""):
    """As many names as asked for, each different, with marks that need care."""
    return [before + NAMES[i % len(NAMES)] + str(i // len(NAMES) or "") for i in range(count)]


class Case:
    """A model and how to make rows for it."""

    def __init__(self, title, model, groups, dtype, weights=0, normalize=False):
        self.title, self.model, self.groups, self.dtype = title, model, groups, dtype
        self.classes, self.weights, self.normalize = len(model.classes), weights, normalize

    def of_type(self, dtype):
        return Case(self.title, self.model, self.groups, dtype, self.weights, self.normalize)

    def predict(self, p, g, w, dtype=None):
        """Decisions; the arrays are converted to the type of the columns first."""
        dtype = dtype or self.dtype
        given = dict(weights=w.astype(dtype)) if self.weights else {}
        return self.model.predict(p.astype(dtype), None if self.weights else g, **given)


def make(
    title,
    classes,
    groups,
    dtype=np.float32,
    *,
    weights=0,
    normalize=False,
    odds=False,
    seed=0,
    grid=0,
):
    """Fits a model. weights is the number of weight columns; 0: the rule sees the group."""
    rng = np.random.default_rng(seed)
    n = 4000
    g = rng.integers(0, groups, n).astype(np.int32)
    p = rng.dirichlet(np.ones(classes), n)
    p[:, -1] += 0.6 * g / groups
    p /= p.sum(axis=1, keepdims=True)
    options = dict(criterion="equalized_odds", labels=p.argmax(axis=1), dither=0) if odds else {}
    if weights:
        options["weights"] = rng.dirichlet(np.ones(weights), n)
        options["weight_columns"] = names(weights, "w")
        options["dither"] = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = dp2dp.fit(
            p,
            g,
            group_names=names(groups, "g "),
            class_names=names(classes, "c "),
            score_columns=names(classes, "p"),
            group_column=GROUP,
            epsilon=1,
            delta=1e-5,
            insecure_seed=seed,
            normalize=normalize,
            grid=grid,
            **options,
        )
    return Case(title, model, groups, dtype, weights, normalize)


def with_tiny_offsets(case):
    """The case with offsets of which some are 0 or at the bottom of float32, and some so large that
    a class with a tiny score can win."""
    values = np.array(
        [1.5, 0, 0, 1.4e-45, -1e-40, 1.75, -2e-38, 0, 1e-44, 0, 1.9, 3e-42], np.float32
    )
    text = json.loads(case.model.to_json())
    rows = text["rule"]["offsets"]
    cells = itertools.cycle(values.tolist())
    text["rule"]["offsets"] = [[next(cells) for _ in row] for row in rows]
    del text["checksum"]
    start = json.dumps(text, indent=2, ensure_ascii=False).removesuffix("\n}")
    checksum = hashlib.sha256(f"{start},\n}}\n".encode()).hexdigest()
    model = dp2dp.Model.from_json(f'{start},\n  "checksum": "{checksum}"\n}}\n')
    title = f"{case.title}, tiny offsets"
    return Case(title, model, case.groups, case.dtype, case.weights, case.normalize)


@functools.cache
def cases():
    single, double = np.float32, np.float64
    return [
        make("offset, 2 classes, float32", 2, 2, single),
        make("offset, 2 classes, float64", 2, 2, double, seed=1),
        make("offset, 5 classes, float32", 5, 3, single, seed=2),
        make("offset, 5 classes, float64", 5, 3, double, seed=3),
        make("offset, normalised, float32", 3, 2, single, normalize=True, seed=4),
        make("offset, normalised, float64", 3, 2, double, normalize=True, seed=5),
        make("linear, 2 classes, float32", 2, 2, single, odds=True, seed=6),
        make("linear, 5 classes, float64", 5, 2, double, odds=True, seed=7),
        make("linear, normalised, float64", 3, 2, double, odds=True, normalize=True, seed=8),
        make("weighted by group, float32", 3, 2, single, weights=2, seed=9),
        make("weighted by pair, float64", 2, 2, double, weights=4, odds=True, seed=10),
        make("weighted by group and score, float64", 3, 2, double, weights=2, odds=True, seed=11),
        make(
            "weighted, normalised, float32", 2, 2, single, weights=2, odds=True, normalize=True,
            seed=12,
        ),
        with_tiny_offsets(make("offset, float64", 3, 4, double, seed=13)),
        with_tiny_offsets(make("linear, float64", 3, 2, double, odds=True, seed=14)),
        with_tiny_offsets(make("weighted, float64", 3, 2, double, weights=2, odds=True, seed=15)),
    ]  # fmt: skip


def draw(case, n, rng):
    p = rng.dirichlet(np.full(case.classes, 0.7), n)
    w = rng.dirichlet(np.ones(max(case.weights, 1)), n)
    scale = rng.uniform(0.1, 9, (n, 1)) if case.normalize else 1.0
    return p * scale, rng.integers(0, case.groups, n).astype(np.int32), w * scale


def near_ties(case, n, rng):
    """Rows on the border between two decisions: bisection between two rows with the same group
    that are decided differently, down to the last bit of float64."""
    parts = []
    while sum(len(part[0]) for part in parts) < n:
        low, g, w = draw(case, 2 * n + 100, rng)
        high = draw(case, len(low), rng)[0]
        other = case.predict(low, g, w, np.float64) != case.predict(high, g, w, np.float64)
        low, high, g, w = low[other], high[other], g[other], w[other]
        before = case.predict(low, g, w, np.float64)
        for _ in range(55):
            middle = (low + high) / 2
            same = case.predict(middle, g, w, np.float64) == before
            low, high = np.where(same[:, None], middle, low), np.where(same[:, None], high, middle)
        pick = rng.random((len(low), 1)) < 0.5
        parts.append((np.where(pick, low, high), g, w))
    return [np.concatenate(part)[:n] for part in zip(*parts, strict=True)]


def strange(case):
    """Rows at and beyond the edges of what predict accepts."""
    k, w = case.classes, np.full(max(case.weights, 1), 1 / max(case.weights, 1))
    rest = [0.0] * (k - 2)
    tiny = [1e-30, 1e-38, 1e-44, 1.4e-45, 7.1e-46, 7e-46, 1e-46, 1e-50, 1e-200, 1e-310, 5e-324]
    rows = [[1 - x, x, *rest] for x in tiny] + [[x, 1 - x, *rest] for x in tiny]
    rows += [[0.5, 0.5, *rest], [1.0, 0.0, *rest], [0.0, 1.0, *rest], [-0.0, 1.0, *rest]]
    rows += [[0.5 + x, 0.5, *rest] for x in (5e-7, 2e-6, 5e-4, 9.99e-4, 1.01e-3, 0.1)]
    for bad in (np.nan, np.inf, -np.inf, -0.5, -1e-45, 1e29, 1e30, 1.1e30, 3e38):
        rows += [[0.5, bad, *rest], [bad, 0.5, *rest]]
    if case.dtype == np.float64:
        rows += [[0.5, x, *rest] for x in (1e39, 1e300, 1.7e308)] + [[1.7e308, 1.7e308, *rest]]
    rows += [[0.0, 0.0, *rest], [1e-310, 1e-310, *rest], [5e-324, 1.0, *rest]]
    rows += [[5e-324, 3e29, *rest], [1e-44, 3e-44, *rest], [3e-320, 1e30, *rest]]
    if k > 2:
        rows += [[1.0, a, b, *rest[1:]] for a in tiny for b in (0.0, *tiny)]
        rows += [[a, 1.0, b, *rest[1:]] for a in tiny for b in (0.0, *tiny)]
    p = np.repeat(np.array(rows), case.groups, axis=0)
    g = np.tile(np.arange(case.groups, dtype=np.int32), len(rows))
    weights = np.tile(w, (len(p), 1))
    if case.weights:
        bad = np.tile(w, (5, 1))
        bad[range(5), 0] = [np.nan, -0.1, np.inf, 0.9, 1e-310]
        p = np.vstack([p, np.tile([0.6, 0.4, *rest], (5, 1))])
        g, weights = np.append(g, np.zeros(5, np.int32)), np.vstack([weights, bad])
    return p, g, weights


class People:
    """The rows of a case: near-ties first, then random rows, then strange ones. ``expected`` has
    the name of each row's class, or None if predict refuses the row."""

    def __init__(self, case, rows=ROWS, seed=0):
        rng = np.random.default_rng(seed)
        parts = near_ties(case, rows // 2, rng), draw(case, rows - rows // 2, rng), strange(case)
        p, self.g, w = (np.concatenate(part) for part in zip(*parts, strict=True))
        with np.errstate(over="ignore"):
            self.p, self.w = p.astype(case.dtype), w.astype(case.dtype)
        self.case, self.ties = case, rows // 2
        self.expected = [*self.decide(slice(0, rows))]
        for i in range(rows, len(self.p)):
            try:
                self.expected += self.decide(slice(i, i + 1))
            except dp2dp.DataError:
                self.expected.append(None)

    def decide(self, rows):
        codes = self.case.predict(self.p[rows], self.g[rows], self.w[rows])
        return [self.case.model.classes[code] for code in codes]

    def accepted(self):
        """The places of the rows that predict accepts."""
        return [i for i, name in enumerate(self.expected) if name is not None]

    def group(self):
        return [self.case.model.groups[code] for code in self.g]

    def share_of_close_ties(self):
        """The share of near-ties whose best two values differ by at most one unit of the last
        place of float32."""
        given = dict(weights=self.w[: self.ties]) if self.case.weights else {}
        groups = None if self.case.weights else self.g[: self.ties]
        values = self.case.model.adjust(self.p[: self.ties], groups, **given)
        best = np.sort(values, axis=1)[:, -2:]
        return np.mean(np.nextafter(best[:, 0], np.float32(np.inf)) >= best[:, 1])

    def table(self):
        """The columns by name, and the decisions. Four rows at the end lack a score, have no group,
        or have a group that the model does not know."""
        case, group, scores = self.case, self.group(), names(self.case.classes, "p")
        table = {"id": list(range(len(self.p)))}
        table.update(zip(scores, self.p.T.tolist(), strict=True))
        if case.weights:
            table.update(zip(names(case.weights, "w"), self.w.T.tolist(), strict=True))
        table[GROUP], expected = group, list(self.expected)
        known = group[0]
        for lacks, value in ((scores[0], known), ("", None), ("", "nobody"), ("", "G PLAIN")):
            for name, values in table.items():
                values.append(None if name == lacks else values[0])
            table["id"][-1], table[GROUP][-1] = len(expected), value
            expected.append(expected[0] if case.weights and not lacks else None)
        return table, expected


@functools.cache
def as_double(case):
    """The case with float64 columns."""
    return case if case.dtype == np.float64 else case.of_type(np.float64)


@functools.cache
def as_single(case):
    """The case with float32 columns."""
    return case if case.dtype == np.float32 else case.of_type(np.float32)


@functools.cache
def people_of(case):
    return People(case)
