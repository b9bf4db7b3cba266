"""What privacy costs: against N, epsilon, classes, groups and the smallest group's share."""

from collections.abc import Sequence

import numpy as np

import growth_runs
import laws
from common import Context, Row, axis, groups, mean_sd, panel, values, where
from growth_curves import (
    AXES,
    COUNTS,
    EXACT,
    INF,
    Curve,
    excess,
    free_from,
    of_law,
    spread,
    told,
)

NAME = "growth"
TITLE = "Growth laws: what privacy costs, and where it stops costing anything"
EXCESS = axis("U minus U of the exact rule, mean", "log")
LAWS = ("classes", "groups", "share")  # each at one pool size


def run(context: Context) -> None:
    rows: list[Row] = []
    for people, sweeps in growth_runs.work(context.fast):
        rows += growth_runs.measure(context, people, sweeps)
    context.write(NAME, rows)
    by = ["law", "classes", "groups", "share", "records_pool", "solver", "epsilon"]
    context.summarize(NAME, by, ["error", "unfairness"])


def fitted_line(curve: Curve, of: str) -> dict:
    """A fitted power law, drawn with the series `of`."""
    fit = curve.fit()
    ends = (curve.x[0], curve.x[-1])
    return {
        "name": f"{of}: slope {fit['slope']:.2f}",
        "series": of,
        "points": [{"x": x, "y": fit["factor"] * x ** fit["slope"]} for x in ends],
    }


def paper_line(curve: Curve, start: float) -> dict:
    """log N / sqrt N through the first point."""
    factor = start / laws.paper_rate(curve.x[0])
    points = [{"x": x, "y": float(factor * laws.paper_rate(x))} for x in curve.x]
    return {"name": "log N / √N, the paper's rate", "points": points}


def size_panels(rows: Sequence[Row]) -> list[dict]:
    rows = of_law(rows, "N")
    ours = [Curve(rows, "N", "counts", epsilon) for epsilon in (0.5, 1, INF)]
    theirs = [Curve(rows, "N", "sgd", epsilon) for epsilon in (0.5, INF)]
    exact = Curve(rows, "N", "exact", None)
    x = axis(AXES["N"][1], "log")
    first = panel(
        "Excess of U over the exact rule's",
        x,
        EXCESS,
        [curve.series("excess") for curve in (*ours, *theirs)],
    )
    first["lines"] = [fitted_line(curve, curve.name()) for curve in ours[:2]]
    first["lines"].append(paper_line(ours[0], float(np.mean(ours[0].excess[0]))))
    second = panel(
        "U itself, at ρ = 0",
        x,
        axis("U, mean", "log"),
        [curve.series("unfairness") for curve in (exact, *ours, *theirs)],
    )
    second["lines"] = [paper_line(ours[0], float(np.mean(ours[0].unfairness[0])))]
    return [first, second]


def other_panels(rows: Sequence[Row]) -> list[dict]:
    found = []
    by_size = groups(of_law(rows, "epsilon"), ["records_pool"])
    if by_size:
        curves = {
            f"{COUNTS}, N = {size:,.0f}": Curve(members, "epsilon", "counts", None)
            for (size,), members in by_size.items()
        }
        drawn = [curve.series("excess") | {"name": name} for name, curve in curves.items()]
        one = panel("Against ε", axis("ε", "log"), EXCESS, drawn)
        one["lines"] = [fitted_line(curve, name) for name, curve in curves.items()]
        found.append(one)
    for law in ("classes", "groups", "share"):
        members = of_law(rows, law)
        if not members:
            continue
        curves = [Curve(members, law, "counts", epsilon) for epsilon in (0.5, 1)]
        title = f"Against {AXES[law][1]}, N = {growth_runs.AT:,}"
        one = panel(title, axis(AXES[law][1], "log"), EXCESS, [c.series("excess") for c in curves])
        one["lines"] = [fitted_line(curve, curve.name()) for curve in curves]
        found.append(one)
    return found


def slopes(rows: Sequence[Row]) -> list[Row]:
    """Every fitted slope with its interval."""
    found: list[Row] = []

    def add(word: str, what: str, curve: Curve, measured: str = "excess") -> None:
        fit = curve.fit(measured)
        runs = [len(sample) for sample in curve.unfairness]
        found.append(
            {"id": f"growth-slope-{word}", "what": what}
            | {key: fit[key] for key in ("slope", "low", "high")}
            | {"range": f"{told(curve.x[0])} to {told(curve.x[-1])}", "points": fit["points"]}
            | {"runs": f"{min(runs)} to {max(runs)}" if min(runs) < max(runs) else f"{runs[0]}"}
        )

    sizes = of_law(rows, "N")
    add("n-exact", f"U of {EXACT}, against N", Curve(sizes, "N", "exact", None), "unfairness")
    for solver, epsilon in (("counts", 0.5), ("counts", 1), ("counts", INF), ("sgd", 0.5)):
        curve = Curve(sizes, "N", solver, epsilon)
        word = f"n-{solver}-{epsilon:g}"
        add(word, f"U of {curve.name()}, against N", curve, "unfairness")
        add(f"{word}-excess", f"excess of {curve.name()}, against N", curve)
    for (size,), members in groups(of_law(rows, "epsilon"), ["records_pool"]).items():
        curve = Curve(members, "epsilon", "counts", None)
        add(f"epsilon-{size:.0f}", f"excess against ε at N = {size:,.0f}", curve)
    for law in ("classes", "groups", "share"):
        if members := of_law(rows, law):
            for epsilon in (0.5, 1):
                what = f"excess against {AXES[law][1]}, N = {growth_runs.AT:,}, ε = {epsilon:g}"
                add(f"{law}-{epsilon:g}", what, Curve(members, law, "counts", epsilon))
    return found


def slope_table(rows: Sequence[Row]) -> dict:
    sizes = Curve(of_law(rows, "N"), "N", "exact", None).x
    rate = laws.paper_slope(sizes)
    lines = slopes(rows)
    what = "log N / √N, the rate of the paper, over the same sizes"
    lines.append(
        {"id": "growth-slope-paper", "what": what, "slope": rate, "low": None, "high": None}
    )
    return {
        "id": "growth-slopes",
        "title": "Fitted slopes on log-log axes",
        "note": "a x^b is fitted to the means over runs, each weighted by its standard error; the "
        "interval is a 95 % percentile bootstrap over runs. A law that bends has no single slope: "
        "look at the curve.",
        "columns": [
            column("what", "What"),
            column("slope", "Slope", "number", 2),
            column("low", "95 % from", "number", 2),
            column("high", "to", "number", 2),
            column("range", "Range"),
            column("points", "Points", "number", 0),
            column("runs", "Runs at each point"),
        ],
        "rows": lines,
    }


def column(key: str, label: str, kind: str = "text", digits: int = 4) -> dict:
    return {"key": key, "label": label, "kind": kind, "digits": digits}


def size_table(rows: Sequence[Row]) -> dict:
    """Means at every size, those that a log axis cannot show included."""
    lines = []
    for (pool,), members in sorted(groups(of_law(rows, "N"), ["records_pool"]).items()):
        exact = values(members, "unfairness", solver="exact")
        line: Row = {"id": f"growth-n-{pool:.0f}", "pool": pool, "runs": len(exact)}
        line |= {"test": members[0]["records_test"], "exact": float(exact.mean())}
        line["sampling"] = mean_sd(spread(members))[1]
        for epsilon in (0.5, 1, INF):
            cost = excess(members, "counts", epsilon)
            line[f"cost_{epsilon:g}"] = float(cost.mean())
            line[f"error_{epsilon:g}"] = float(np.std(cost, ddof=1) / np.sqrt(len(cost)))
        lines.append(line)
    costs = []
    for epsilon in (0.5, 1, INF):
        name = "no noise" if epsilon == INF else f"ε = {epsilon:g}"
        costs.append(column(f"cost_{epsilon:g}", f"Excess, {name}", "number", 5))
        costs.append(column(f"error_{epsilon:g}", "standard error", "number", 5))
    return {
        "id": "growth-sizes",
        "title": "Excess of U over the exact rule's, by the size of the pool",
        "note": "Sampling: standard deviation of U over pools of this size, without noise.",
        "columns": [
            column("pool", "N", "number", 0),
            column("test", "People in the test part", "number", 0),
            column("runs", "Runs", "number", 0),
            column("exact", "U of exact", "number", 5),
            column("sampling", "Sampling", "number", 5),
            *costs,
        ],
        "rows": lines,
    }


def plan_table(rows: Sequence[Row], seed: int) -> dict | None:
    """How many people the pool needs until privacy costs less than sampling."""
    rows = where(rows, law="plan")
    kinds = {
        key: members
        for key, members in groups(rows, ["classes", "groups", "share"]).items()
        if len({row["records_pool"] for row in members}) > 1
    }
    if not kinds:
        return None
    levels = sorted({row["epsilon"] for row in where(rows, solver="counts")} - {INF})
    lines = [{"id": f"growth-plan-{level:g}", "epsilon": level} for level in levels]
    columns = [column("epsilon", "ε", "number", 2)]
    for (classes, count, _), members in sorted(kinds.items()):
        key = f"k{classes:g}g{count:g}"
        columns.append(column(key, f"{classes:g} classes, {count:g} groups"))
        for line in lines:
            found = free_from(members, float(line["epsilon"]), seed)
            sure = found["size"] == found["low"] == found["high"]
            line[key] = found["size"] + ("" if sure else f" ({found['low']} to {found['high']})")
    return {
        "id": "growth-plan",
        "title": "People in the pool from which on privacy costs less than sampling",
        "note": "From this N on, the excess of U over the exact rule's is below the standard "
        "deviation of U over pools of that size without noise; δ = 1e-5, ρ = 0, groups of equal "
        "size. A small pool is no fair pool: U without noise is large there too, only not because "
        "of privacy. Between the sizes measured, linear in log N. In brackets: 95 % bootstrap over "
        "runs.",
        "columns": columns,
        "rows": lines,
    }


def claim(rows: Sequence[Row]) -> dict:
    curve = Curve(of_law(rows, "N"), "N", "counts", 0.5)
    gap, cost = curve.fit("unfairness"), curve.fit()
    rate = laws.paper_slope(curve.x)
    return {
        "paper": "With ρ fixed, the unfairness gap to the target ρ decays at the rate log N / √N "
        "(for Algorithm 1 with N² steps).",
        "measured": f"dp2dp at ε = 0.5 and ρ = 0, N from {curve.x[0]:,.0f} to {curve.x[-1]:,.0f}: "
        f"U falls with slope {gap['slope']:.2f} ({gap['low']:.2f} to {gap['high']:.2f}), its "
        f"excess over the exact rule with slope {cost['slope']:.2f} ({cost['low']:.2f} to "
        f"{cost['high']:.2f}). log N / √N has slope {rate:.2f} there, and is an upper bound: to "
        "fall faster is within the claim. Algorithm 1 itself with the steps of the paper's "
        "experiments is drawn beside it.",
        "holds": max(gap["high"], cost["high"]) <= rate,
    }


def notes(rows: Sequence[Row]) -> list[str]:
    sizes = of_law(rows, "N")
    largest = where(sizes, records_pool=max(row["records_pool"] for row in sizes))
    sgd = mean_sd(values(largest, "unfairness", solver="sgd", epsilon=INF))[0]
    exact = mean_sd(values(largest, "unfairness", solver="exact"))[0]
    pool, test = largest[0]["records_pool"], largest[0]["records_test"]
    return [
        "The classifier is trained once, without privacy, on 20,000 other people, so that only the "
        "fair rule is measured. Each kind of people is one table; runs are random splits of it, "
        "and the intervals say nothing about other tables. U is measured on all people outside "
        "the pool.",
        f"The test part is a sample too. With {pool:,.0f} people in the pool and {test:,.0f} in "
        f"the test part it makes U {np.sqrt(1 + pool / test):.2f} times as large as in a "
        "population; the panel of U and the slopes of U are corrected by this factor at each N. "
        "The excess is a difference on the same test people and is not corrected.",
        "A mean excess that is not above zero cannot be drawn on a log axis. It is in the table, "
        "and in the fit.",
        f"With {pool:,.0f} people, Algorithm 1 without noise leaves U = {sgd:.4f} where the exact "
        f"rule leaves {exact:.4f}: with 100 steps of 128 people, as in the paper's experiments, "
        "the steps limit it and not the people. The theorem asks for N² steps.",
    ]


def figure(context: Context) -> dict:
    rows = context.read(NAME)
    runs = [
        len(members)
        for members in groups(
            where(rows, solver="exact"), ["law", "classes", "groups", "share", "records_pool"]
        ).values()
    ]
    plan = plan_table(rows, context.seed)
    return {
        "id": NAME,
        "title": TITLE,
        "paper": None,
        "caption": "Synthetic people of the paper's generator (6 classes, 2 groups, p = 0.75 "
        f"unless said otherwise), ρ = 0. Means of {min(runs)} to {max(runs)} runs with 95 % "
        "intervals; the private and the exact rule share every split.",
        "claim": claim(rows),
        "panels": size_panels(rows) + other_panels(rows),
        "tables": [*([plan] if plan else []), slope_table(rows), size_table(rows)],
        "notes": notes(rows),
        "csv": [f"{NAME}.csv", f"{NAME}.summary.csv"],
    }


def orderings(context: Context) -> list[tuple[str, bool]]:
    rows = context.read(NAME)
    sizes = of_law(rows, "N")
    half, one, free = (Curve(sizes, "N", "counts", epsilon) for epsilon in (0.5, 1, INF))
    sgd = Curve(sizes, "N", "sgd", 0.5)
    least = [float(curve.excess[0].mean()) for curve in (half, one, free)]
    pools = f"{half.x[0]:,.0f}"
    found = [
        (
            f"N = {pools}: the excess falls from ε = 0.5 to 1 to no noise",
            least == sorted(least)[::-1],
        ),
        (
            "at ε = 0.5 the excess falls with every step of N up to 2,500",
            bool(np.all(np.diff([cost.mean() for cost in half.excess[:3]]) < 0)),
        ),
        ("at ε = 0.5 U and its excess fall at least as fast as log N / √N", claim(rows)["holds"]),
        (
            "at ε = 0.5 the excess is below that of Algorithm 1 at every N",
            all(a.mean() < b.mean() for a, b in zip(half.excess, sgd.excess, strict=True)),
        ),
    ]
    return found
