"""Synthetic data: the tolerance rho varies (Figure 1, left, of the paper)."""

import synthetic
from common import (
    AS_PUBLISHED,
    ERROR,
    EXACT,
    NO_NOISE,
    OURS,
    RULE_ALONE,
    SOUND,
    UNFAIR,
    UNFAIRNESS,
    Context,
    axis,
    curve,
    largest_gaps,
    mean_at,
    panel,
    where,
    within,
)

NAME = "synthetic_rho"
TITLE = "Synthetic data: the tolerance ρ varies"
P = 0.75
RHO = (0, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.125, 0.15, 0.175, 0.2)
CLOSE = 0.01  # the paper says "very close" without a number; here: at most this far, at every rho


def run(context: Context) -> None:
    rho, sets = ((0, 0.1), 4) if context.fast else (RHO, 30)
    context.write(NAME, synthetic.measure(context, NAME, P, rho, sets))
    context.summarize(NAME, ["series", "epsilon", "rho"], ["error", "unfairness"])


def claim(rows: list) -> dict:
    smooth, published, ours, rule = (
        largest_gaps(rows, {"series": name}, {"series": EXACT})
        for name in (NO_NOISE, AS_PUBLISHED, OURS, RULE_ALONE)
    )
    return {
        "paper": "Even with smoothing, non-private DP2DP essentially matches the profile of Denis "
        "et al., and the private DP2DP with ε = 0.46 remains very close to both.",
        "measured": "Largest distance of the means from the exact rule, over all ρ, in error and "
        f"in U: Algorithm 1 without noise {smooth.error:.3f} and {smooth.unfairness:.3f}; as "
        f"published {published.error:.3f} and {published.unfairness:.3f}; dp2dp, both phases "
        f"private, {ours.error:.3f} and {ours.unfairness:.3f}; its rule on a classifier without "
        f"noise {rule.error:.3f} and {rule.unfairness:.3f}. We call {CLOSE:g} in both very close.",
        "holds": within([smooth, published], CLOSE),
    }


def figure(context: Context) -> dict:
    rows = context.read(NAME)
    parts = {name: where(rows, series=name) for name in synthetic.ORDER}
    rules = {name: part for name, part in parts.items() if part and name != UNFAIR}
    tolerance = axis("tolerance ρ")
    panels = [
        panel("trade-off", UNFAIRNESS, ERROR, [curve(part, n) for n, part in parts.items() if part])
    ]
    for title, column, y in (("unfairness", "unfairness", UNFAIRNESS), ("error", "error", ERROR)):
        drawn = [curve(part, name, x="rho", y=column) for name, part in rules.items()]
        panels.append(panel(f"{title} against ρ", tolerance, y, drawn))
        level = mean_at(parts[UNFAIR], column)
        panels[-1]["marks"] = [{"axis": "y", "value": level, "label": UNFAIR}]
    ends = [min(row["rho"] for row in parts[EXACT]), max(row["rho"] for row in parts[EXACT])]
    panels[1]["lines"] = [{"name": "U = ρ", "points": [{"x": rho, "y": rho} for rho in ends]}]
    return {
        "id": "synthetic-rho",
        "title": TITLE,
        "paper": "Figure 1, left",
        "caption": f"The paper's generator, p = {P:g}, 20 features, 6 classes, 10,000 rows, split "
        f"60/20/20; means over {len(parts[UNFAIR])} data sets. Each phase has "
        f"ε = {synthetic.EPSILON:g}, δ = 1e-5.",
        "claim": claim(rows),
        "panels": panels,
        "tables": [],
        "notes": [
            "The floor of U is the sampling error of 2,000 people in the pool and 2,000 in the "
            "test part, shared by all methods.",
            "Algorithm 1, sound, samples each person independently at one public rate and returns "
            "the average of its iterates. The paper's returns the last one.",
        ],
        "csv": [f"{NAME}.csv", f"{NAME}.summary.csv"],
    }


def orderings(context: Context) -> list[tuple[str, bool]]:
    rows = [row for row in context.read(NAME) if row["rho"] in (None, 0)]
    found = {name: mean_at(rows, "unfairness", series=name) for name in synthetic.ORDER}
    error = {name: mean_at(rows, "error", series=name) for name in synthetic.ORDER}
    return [
        (
            "at ρ = 0, every rule has a smaller U than the classifier",
            max(value for name, value in found.items() if name != UNFAIR) < found[UNFAIR],
        ),
        (
            "at ρ = 0, U of dp2dp is below that of Algorithm 1 as published",
            found[OURS] < found[AS_PUBLISHED],
        ),
        ("at ρ = 0, U of dp2dp is below that of sound Algorithm 1", found[OURS] < found[SOUND]),
        ("at ρ = 0, U of dp2dp is within 0.03 of exact", found[OURS] - found[EXACT] < 0.03),
        (
            "at ρ = 0, fairness costs accuracy: exact has a larger error than the classifier",
            error[EXACT] > error[UNFAIR],
        ),
    ]
