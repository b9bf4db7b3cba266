"""Synthetic data: the unfairness of the data varies (Figure 1, right, of the paper)."""

import synthetic
from common import (
    AS_PUBLISHED,
    ERROR,
    EXACT,
    NO_NOISE,
    OURS,
    SOUND,
    UNFAIRNESS,
    Context,
    Gap,
    axis,
    curve,
    largest_gaps,
    mean_at,
    panel,
    where,
    within,
)

NAME = "synthetic_p"
TITLE = "Synthetic data: their unfairness p varies"
P = (0.5, 0.6, 0.7, 0.8, 0.9, 0.99)
CLOSE = 0.01  # as in synthetic_rho


def run(context: Context) -> None:
    grid, sets = ((0.5, 0.99), 4) if context.fast else (P, 30)
    rows = [row for p in grid for row in synthetic.measure(context, NAME, p, (0,), sets)]
    context.write(NAME, rows)
    context.summarize(NAME, ["series", "epsilon", "p"], ["error", "unfairness"])


def claim(rows: list) -> dict:
    def gap(one: str, other: str) -> Gap:
        return largest_gaps(rows, {"series": one}, {"series": other}, along="p")

    published, ours = gap(AS_PUBLISHED, NO_NOISE), gap(OURS, EXACT)
    worst = max(row["p"] for row in rows)
    at_worst = {
        name: mean_at(rows, "unfairness", series=name, p=worst)
        for name in (NO_NOISE, AS_PUBLISHED, EXACT, OURS)
    }
    return {
        "paper": "Even in highly biased regimes (p = 0.99), private DP2DP remains close to its "
        "non-private counterpart.",
        "measured": "Largest distance of private from non-private over all p, in error and in U: "
        f"Algorithm 1 as published {published.error:.3f} and {published.unfairness:.3f}; dp2dp, "
        f"from exact, {ours.error:.3f} and {ours.unfairness:.3f}. At p = {worst:g}, U is "
        f"{at_worst[NO_NOISE]:.3f} for "
        f"Algorithm 1 without noise and {at_worst[AS_PUBLISHED]:.3f} as published; "
        f"{at_worst[EXACT]:.3f} for exact and {at_worst[OURS]:.3f} for dp2dp. We call {CLOSE:g} "
        "in both close.",
        "holds": within([published], CLOSE),
    }


def figure(context: Context) -> dict:
    rows = context.read(NAME)
    parts = {name: where(rows, series=name) for name in synthetic.ORDER}
    panels = []
    for title, column, y in (("unfairness", "unfairness", UNFAIRNESS), ("error", "error", ERROR)):
        drawn = [curve(part, name, "p", "p", column) for name, part in parts.items() if part]
        panels.append(panel(f"{title} against p", axis("p (0.5: fair data)"), y, drawn))
    sets = len({row["data_set"] for row in rows})
    return {
        "id": "synthetic-p",
        "title": TITLE,
        "paper": "Figure 1, right",
        "caption": f"As before, with ρ = 0: the paper does not state its ρ here. Means over {sets} "
        "data sets per p; the data sets of all p share their features and labels.",
        "claim": claim(rows),
        "panels": panels,
        "tables": [],
        "notes": [],
        "csv": [f"{NAME}.csv", f"{NAME}.summary.csv"],
    }


def orderings(context: Context) -> list[tuple[str, bool]]:
    rows = where(context.read(NAME), p=0.99)
    found = {name: mean_at(rows, "unfairness", series=name) for name in synthetic.ORDER}
    fair = where(context.read(NAME), p=0.5)
    return [
        (
            "at p = 0.99, U of dp2dp is below that of Algorithm 1 as published",
            found[OURS] < found[AS_PUBLISHED],
        ),
        ("at p = 0.99, U of dp2dp is below that of sound Algorithm 1", found[OURS] < found[SOUND]),
        ("at p = 0.99, U of dp2dp is within 0.03 of exact", found[OURS] - found[EXACT] < 0.03),
        (
            "exact has a larger error at p = 0.99 than at p = 0.5",
            mean_at(rows, "error", series=EXACT) > mean_at(fair, "error", series=EXACT),
        ),
    ]
