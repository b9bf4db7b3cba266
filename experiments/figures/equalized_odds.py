"""Equalized odds: ours, with and without sight of the group, beside DP-FERMI for equalized odds."""

from common import (
    ERROR,
    ONE_SET,
    OURS,
    Context,
    Row,
    axis,
    curve,
    groups,
    mean_at,
    panel,
    read_csv,
    where,
)
from figures.rivals import (
    COLUMNS,
    DISCLOSED,
    ONE_SET_NOTE,
    identity,
    name_of,
    rival_series,
    strength_of,
    table,
)
from rivals import compare, measure

NAME = "equalized_odds"
TITLE = "Equalized odds on the same splits"
NEEDS_DATA = True
NEEDS_RIVALS = True
DATA = ("adult", "credit")
STORED = {"adult": "adult", "credit": "credit-card"}
UNAWARE = f"{OURS}, does not see the group"
ONE_SET_UNAWARE = f"{ONE_SET}, does not see the group"
# Our series: the end of the table's name, and what is said of its rule.
SERIES = {
    OURS: ("", "sees the group"),
    UNAWARE: ("-unaware", "does not see the group"),
    ONE_SET: ("-one-set", "sees the group and has one set of people"),
    ONE_SET_UNAWARE: (
        "-one-set-unaware",
        "does not see the group and has one set of people",
    ),
}
GAP = axis("largest gap of a rate between groups, among people of one label, on the test part")


def run(context: Context) -> None:
    plan = measure.Plan.of(context, DATA)
    options = [*measure.private(plan), "--criterion", "equalized_odds"]
    mine = measure.ours(context, plan, "odds.aware", *options, series=OURS)
    mine += measure.ours(context, plan, "odds.unaware", *options, "--unaware", series=UNAWARE)
    odds = ["--criterion", "equalized_odds"]
    mine += measure.one_set(context, plan, "odds.one-set", *odds)
    mine += measure.one_set(
        context, plan, "odds.one-set-unaware", *odds, "--unaware", series=ONE_SET_UNAWARE
    )
    theirs, tuned = measure.rivals(context, plan, ["fermi-odds"])
    context.write("equalized_odds_ours", mine)
    context.write("equalized_odds_tuning", tuned)
    context.write(NAME, theirs)
    by = ["rival", "data", "epsilon", "strength", "seed"]
    context.summarize(NAME, by, ["error", "unfairness"])


def measured(context: Context) -> list[str]:
    """Our series; tables of an older version lack some."""
    found = {row["series"] for row in context.read("equalized_odds_ours")}
    return [series for series in SERIES if series in found]


def judge(context: Context, series: str, hindsight: bool = False) -> list[Row]:
    ours = where(context.read("equalized_odds_ours"), series=series)
    found = []
    for members in groups(context.read(NAME), ["data", "epsilon", "strength"]).values():
        row = members[0]
        mine = where(ours, data=row["data"], epsilon=row["epsilon"])
        parts = [
            (where(rows, seed=context.seed), [r for r in rows if r["seed"] != context.seed])
            for rows in (members, mine)
        ]
        found.append(
            {
                "id": identity(row) + SERIES[series][0],
                "rival": name_of(row),
                "data": row["data"],
                "epsilon": f"{row['epsilon']:g}",
                "strength": strength_of(row),
                **compare.judged(*parts[0], *parts[1], hindsight),
            }
        )
    return found


def published(context: Context, data: str, epsilon: float) -> list[dict]:
    """Points that others published, on other rows and splits: shown, never judged."""
    if context.reference is None:
        return []
    rows = read_csv(context.reference / "baselines_equalized_odds.csv")
    found = []
    for (method,), members in groups(
        where(rows, dataset=STORED[data], epsilon=epsilon), ["method"]
    ).items():
        points = [
            {
                "x": row["equalized_odds_violation"],
                "y": row["error"],
                "x_sd": None,
                "y_sd": None,
                "runs": None,
                "label": f"λ or ρ = {row['lambda_or_rho']}",
            }
            for row in members
        ]
        privacy = f"as its authors state: ε = {epsilon:g}; not checked here"
        series = {"name": f"{method}, published, other data", "kind": "other-data"}
        found.append(series | {"privacy": privacy, "line": False, "points": points})
    return found


def panels(context: Context) -> list[dict]:
    ours = where(context.read("equalized_odds_ours"), seed=context.seed)
    found = []
    rows = where(context.read(NAME), seed=context.seed)
    for (data, epsilon), members in groups(rows, ["data", "epsilon"]).items():
        drawn = [
            curve(where(ours, data=data, epsilon=epsilon, series=series), series, kind="ours")
            for series in measured(context)
        ]
        drawn += [*rival_series(members), *published(context, str(data), float(epsilon))]
        found.append(panel(f"{data}, ε = {epsilon:g}", GAP, ERROR, drawn))
    return found


def loss_notes(context: Context, judged: list[Row], series: str, word: str) -> list[str]:
    """How many points are lost, and what is left of that with hindsight."""
    told = [f"{sum(row['verdict'] == v for row in judged)} {v}" for v in ("win", "tie", "loss")]
    unreached = [row for row in judged if row["reached"] == "no"]
    again = judge(context, series, hindsight=True)
    left = sum(row["verdict"] == "loss" for row in again)
    return [
        f"Where our rule {word}: {', '.join(told)}. At {len(unreached)} points our mean gap is not "
        "as small as the rival's with any ρ that the rule of choice allows.",
        f"If ρ were chosen on the test splits, which is not allowed, {left} points would be "
        f"losses where our rule {word}.",
    ]


def growth_notes(context: Context) -> list[str]:
    """Where correcting makes the gap larger."""
    ours = where(context.read("equalized_odds_ours"), seed=context.seed, rho=0.0)
    found = []
    for (series, data, epsilon), rows in groups(ours, ["series", "data", "epsilon"]).items():
        after, before = mean_at(rows, "unfairness"), mean_at(rows, "unfairness_before")
        if after > before:
            found.append(
                f"{data}, ε = {epsilon:g}, {series}: at ρ = 0 the mean gap is {before:.4f} before "
                f"the rule and {after:.4f} after it. The rule may be following the sampling error "
                "of the pool; that was not tested apart."
            )
    return found


def figure(context: Context) -> dict:
    runs = len({row["run"] for row in where(context.read(NAME), seed=context.seed)})
    tables, notes = [], []
    for series in measured(context):
        end, word = SERIES[series]
        judged = judge(context, series)
        title = f"Every point of DP-FERMI beside ours; our rule {word}"
        note = ONE_SET_NOTE if "one-set" in end else None
        tables.append(table(COLUMNS, judged, id=f"odds{end}", title=title, note=note))
        notes += loss_notes(context, judged, series, word)
    return {
        "id": "equalized-odds",
        "title": TITLE,
        "paper": None,
        "caption": "DP-FERMI written here in the manner of its paper, conditioned on the label, "
        f"with the whole record private. The same rows, features and test parts; means over {runs} "
        "splits; settings are the best of 12 on other splits.",
        "claim": None,
        "panels": panels(context),
        "tables": tables,
        "notes": [
            *notes,
            *growth_notes(context),
            *DISCLOSED,
            "DP-FERMI does not see the group when it decides. Our rule that sees it needs it for "
            "every decision, and adds a public dither to the scores.",
            "Published points are on other data, and protect the group alone (DP-FERMI).",
        ],
        "csv": [f"{NAME}.csv", f"{NAME}.summary.csv"]
        + [f"{NAME}_{part}.csv" for part in ("ours", "tuning")],
    }


def orderings(context: Context) -> list[tuple[str, bool]]:
    """On Adult, where the gap before the rule is larger than its sampling error."""
    ours = where(context.read("equalized_odds_ours"), seed=context.seed, rho=0.0, data="adult")
    found = []
    for (series, epsilon), rows in groups(ours, ["series", "epsilon"]).items():
        after, before = mean_at(rows, "unfairness"), mean_at(rows, "unfairness_before")
        claim = f"adult, ε = {epsilon:g}, ρ = 0, {series}: the gap after is below that before"
        found.append((claim, after < before))
    return found
