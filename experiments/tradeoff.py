"""Error against unfairness on a real data set: what Adult, Credit and Parkinsons share."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from common import (
    AS_PUBLISHED,
    AS_PUBLISHED_DPGD,
    ERROR,
    EXACT,
    NO_NOISE,
    OURS,
    SOUND,
    UNFAIR,
    UNFAIRNESS,
    WORDS,
    Context,
    Row,
    before,
    curve,
    largest_gaps,
    mean_at,
    panel,
    read_csv,
    tidy,
    where,
    within,
)

DELTA = "1e-5"
SPLIT = "0.55,0.20,0.25"
ORDER = (UNFAIR, EXACT, NO_NOISE, SOUND, AS_PUBLISHED, AS_PUBLISHED_DPGD, OURS)
SMALL_GAP = (
    "The gap between DP2DP and its non-private counterpart is small across both privacy levels"
)
SIMILAR = f"{SMALL_GAP} (on Adult). Similar observations hold on Parkinson and Credit Card"
CLOSE = 0.01  # where the paper says "small" or "close" without a number: at most this far


@dataclass(frozen=True)
class Protocol:
    """One data set as in the paper's table of hyperparameters."""

    schema: str
    rho: Sequence[float]
    steps: int  # T of Algorithm 1; counts has a number of its own
    least: int  # a public promise: each group has this many people in the pool
    epsilon: Sequence[float] = (0.5, 1)
    runs: int = 15
    more: Sequence[str] = ()  # further options of the sweep

    def scaled(self, context: Context) -> "Protocol":
        """A few runs and points of it if the context is fast."""
        if not context.fast:
            return self
        ends = (self.rho[0], self.rho[len(self.rho) // 2])
        return replace(self, rho=ends, epsilon=self.epsilon[:1], runs=4)


def numbers(of: Sequence[float]) -> str:
    return ",".join(f"{number:g}" for number in of)


def plans(protocol: Protocol) -> dict[str, list]:
    budget = ["--epsilon", numbers(protocol.epsilon), "--delta", DELTA]
    steps = ["--steps", protocol.steps]
    no_noise = ["--epsilon", "inf", *steps]
    promise = ["--group-least", protocol.least] if protocol.least else []
    rule = ["--solver", "sgd-as-published", *budget, *steps]
    return {
        EXACT: ["--method", "none", "--solver", "exact"],
        NO_NOISE: ["--method", "none", "--solver", "sgd-as-published", *no_noise],
        SOUND: ["--method", "dpgd", "--solver", "sgd", *budget, *steps],
        AS_PUBLISHED: ["--method", "probabilities-as-published", *rule],
        AS_PUBLISHED_DPGD: ["--method", "dpgd", *rule, *promise],
        OURS: ["--method", "dpgd", "--solver", "counts", *budget],
    }


def measure(context: Context, name: str, protocol: Protocol) -> list[Row]:
    """One row per method, rho, epsilon and run. All methods share the splits."""
    common = ["--schema", protocol.schema, "--rho", numbers(protocol.rho)]
    common += ["--runs", protocol.runs, "--split", SPLIT, *protocol.more]
    rows: list[Row] = []
    for series, plan in plans(protocol).items():
        word = f"{name}.{WORDS[series]}"
        rows += tidy(context.sweep(word, *common, *plan), series)
    return before(where(rows, series=EXACT)) + rows


def at(rows: Sequence[Row], epsilon: float) -> list[Row]:
    """What was measured at one epsilon, and what has none."""
    return [row for row in rows if row["epsilon"] in (None, math.inf, epsilon)]


def tradeoff_panel(rows: Sequence[Row], title: str, more: Sequence[dict] = ()) -> dict:
    drawn = [curve(where(rows, series=name), name) for name in ORDER if where(rows, series=name)]
    return panel(title, UNFAIRNESS, ERROR, drawn + list(more))


def published(context: Context, data: str, epsilon: float) -> list[dict]:
    """Points that others published, measured on other rows and splits: shown, never judged."""
    if context.reference is None:
        return []
    rows = read_csv(context.reference / "baselines_demographic_parity.csv")
    rows = where(rows, dataset=data, epsilon=epsilon)
    found = []
    for method in dict.fromkeys(str(row["method"]) for row in rows):
        points = []
        for row in where(rows, method=method):
            here = {"x": row["demographic_parity_violation"], "y": row["error"]}
            here |= {"x_sd": None, "y_sd": None, "runs": None}
            points.append(here | {"label": f"λ or ρ = {row['lambda_or_rho']}"})
        series = {"name": f"{method}, published, other data", "kind": "other-data"}
        series["privacy"] = f"as its authors state: ε = {epsilon:g}; not checked here"
        found.append(series | {"line": False, "points": points})
    return found


def gap_claim(rows: Sequence[Row], quote: str = SMALL_GAP) -> dict:
    """The paper's claim that private and non-private are close, beside what was measured."""
    told, gaps = [], []
    for epsilon in epsilons(rows):
        published, ours = (
            largest_gaps(rows, {"series": private, "epsilon": epsilon}, {"series": other})
            for private, other in ((AS_PUBLISHED, NO_NOISE), (OURS, EXACT))
        )
        gaps.append(published)
        told.append(
            f"at ε = {epsilon:g}, {published.error:.3f} and {published.unfairness:.3f} from "
            f"Algorithm 1 without noise to it as published, {ours.error:.3f} and "
            f"{ours.unfairness:.3f} from exact to dp2dp"
        )
    return {
        "paper": f"{quote}.",
        "measured": "Largest distance of the means over all ρ, in error and in U: "
        f"{'; '.join(told)}. We call {CLOSE:g} in both small.",
        "holds": within(gaps, CLOSE),
    }


def epsilons(rows: Sequence[Row]) -> list[float]:
    return sorted({row["epsilon"] for row in where(rows, series=OURS)})


def orderings_at(
    rows: Sequence[Row], error: float, unfairness: float, fairer_than: Sequence[str]
) -> list[tuple[str, bool]]:
    """At rho = 0: ours within the given distances of exact, and fairer than the methods named."""
    rows = [row for row in rows if row["rho"] in (None, 0)]
    found = []
    for epsilon in epsilons(rows):
        here = at(rows, epsilon)
        e, u = (
            {name: mean_at(here, column, series=name) for name in ORDER}
            for column in ("error", "unfairness")
        )
        word = f"at ε = {epsilon:g} and ρ = 0,"
        found += [
            (f"{word} error of dp2dp is within {error:g} of exact", e[OURS] - e[EXACT] < error),
            (
                f"{word} U of dp2dp is within {unfairness:g} of exact",
                u[OURS] - u[EXACT] < unfairness,
            ),
        ]
        for name in fairer_than:
            found.append((f"{word} U is smaller with dp2dp than with {name}", u[OURS] < u[name]))
    return found
