"""What the program has to reach, and whether it does: target, measured, pass or fail."""

import math

import dominance
import synthetic
from common import (
    AS_PUBLISHED,
    EXACT,
    NO_NOISE,
    OURS,
    RULE_ALONE,
    UNFAIR,
    Context,
    Row,
    before,
    mean_sd,
    paired,
    tidy,
    values,
    where,
)
from tradeoff import DELTA, SPLIT, numbers

NAME = "bars"
TITLE = "The bars"
NEEDS_DATA = True
RUNS = 15
ALONE = "private classifier alone"

# The private pipeline against the exact one without noise, on the same splits: how much larger its
# mean error and its mean U may be at each epsilon.
DISTANCES = {0.5: (0.004, 0.005), 1: (0.002, 0.005)}
DISTANCE_DATA = {"adult": (0, 0.02, 0.05), "credit": (0, 0.01, 0.02)}

# Error and U that a numpy prototype of the method reached, before this program was written.
# U is None where only the error is known. Synthetic: 30 data sets, 3 fits each; others: 6 splits.
SYNTHETIC_TARGETS = {
    (0.75, UNFAIR): (0.211, 0.151),
    (0.75, EXACT): (0.323, 0.037),
    (0.75, RULE_ALONE): (0.319, 0.048),
    (0.75, NO_NOISE): (0.323, 0.065),
    (0.75, AS_PUBLISHED): (0.327, 0.103),
    (0.99, UNFAIR): (0.211, 0.281),
    (0.99, EXACT): (0.509, 0.038),
    (0.99, RULE_ALONE): (0.505, 0.049),
    (0.99, NO_NOISE): (0.506, 0.131),
    (0.99, AS_PUBLISHED): (0.513, 0.211),
}
REAL_TARGETS = {
    # data, series, epsilon, rho
    ("adult", UNFAIR, None, None): (0.151, 0.183),
    ("adult", EXACT, None, 0): (0.174, 0.013),
    ("adult", EXACT, None, 0.02): (0.169, 0.016),
    ("adult", EXACT, None, 0.05): (0.163, 0.047),
    ("adult", ALONE, 0.5, None): (0.154, None),
    ("adult", OURS, 0.5, 0): (0.176, 0.014),
    ("adult", OURS, 0.5, 0.02): (0.171, 0.019),
    ("adult", OURS, 0.5, 0.05): (0.166, 0.048),
    ("adult", ALONE, 1, None): (0.153, None),
    ("adult", OURS, 1, 0): (0.173, 0.014),
    ("adult", OURS, 1, 0.02): (0.169, 0.017),
    ("adult", OURS, 1, 0.05): (0.163, 0.053),
    ("adult", NO_NOISE, math.inf, 0): (None, 0.035),
    ("adult-cut", UNFAIR, None, None): (0.143, 0.177),
    ("adult-cut", EXACT, None, 0): (0.162, 0.012),
    ("adult-cut", EXACT, None, 0.02): (0.158, 0.019),
    ("adult-cut", EXACT, None, 0.05): (0.153, 0.046),
    ("adult-cut", ALONE, 0.5, None): (0.149, None),
    ("adult-cut", OURS, 0.5, 0): (0.170, 0.010),
    ("adult-cut", OURS, 0.5, 0.02): (0.164, 0.019),
    ("adult-cut", OURS, 0.5, 0.05): (0.159, 0.052),
    ("adult-cut", ALONE, 1, None): (0.146, None),
    ("adult-cut", OURS, 1, 0): (0.165, 0.012),
    ("adult-cut", OURS, 1, 0.02): (0.160, 0.019),
    ("adult-cut", OURS, 1, 0.05): (0.155, 0.050),
    ("credit", EXACT, None, 0): (0.183, 0.011),
    ("credit", OURS, 0.5, 0): (0.184, 0.012),
    ("parkinsons", EXACT, None, 0.04): (0.055, 0.021),
    ("parkinsons", OURS, 1, 0.04): (0.055, 0.014),
}
TARGET_RUNS = {"synthetic": 90, "adult": 6, "adult-cut": 6, "credit": 6, "parkinsons": 6}
SHORT = {
    UNFAIR: "unfair",
    ALONE: "classifier",
    EXACT: "exact",
    NO_NOISE: "no-noise",
    AS_PUBLISHED: "as-published",
    RULE_ALONE: "counts",
    OURS: "ours",
}

# The rule of the paper on a classifier without noise. With this claimed epsilon, the noise on the
# sums of 2,000 people in batches of 128 has the prototype's standard deviation, 20.8.
CLAIMED = 0.509
SYNTHETIC_PLAN = synthetic.Plan(
    "none",
    synthetic.PLANS[0].series | {AS_PUBLISHED: (synthetic.AS_PRINTED, CLAIMED)},
)


def run(context: Context) -> None:
    rows = []
    sets, runs = (3, 1) if context.fast else (30, 3)
    for p in (0.75, 0.99):
        found = synthetic.measure(context, NAME, p, (0,), sets, [SYNTHETIC_PLAN], runs)
        rows += [{"what": "synthetic"} | row for row in found]
    for data in ("adult", "adult-cut", "credit", "parkinsons"):
        rows += [{"what": data} | row for row in real(context, data)]
    context.write(NAME, rows)
    context.summarize(NAME, ["what", "series", "p", "epsilon", "rho"], ["error", "unfairness"])


def real(context: Context, data: str) -> list[Row]:
    wanted = {key[3] for key in REAL_TARGETS if key[0] == data} - {None}
    rho = sorted(wanted | set(DISTANCE_DATA.get(data, ())))
    common = ["--schema", data, "--rho", numbers(rho), "--split", SPLIT]
    common += ["--runs", 3 if context.fast else RUNS]
    plans = {
        EXACT: ["--method", "none", "--solver", "exact"],
        OURS: ["--method", "dpgd", "--solver", "counts", "--epsilon", "0.5,1", "--delta", DELTA],
    }
    if data == "adult":
        rule = ["--solver", synthetic.AS_PRINTED, "--epsilon", "inf"]
        plans[NO_NOISE] = ["--method", "none", *rule]
    rows: list[Row] = []
    for series, plan in plans.items():
        found = context.sweep(f"{NAME}.{data}.{SHORT[series]}", *common, *plan)
        rows += tidy(found, series)
    alone = before(where(rows, series=EXACT))
    for epsilon in DISTANCES:
        private = before(where(rows, series=OURS, epsilon=epsilon))
        alone += [row | {"series": ALONE} for row in private]
    return alone + rows


def distances(rows: list[Row]) -> list[dict]:
    """The private pipeline against the exact one, run by run."""
    table = []
    for data, tolerances in DISTANCE_DATA.items():
        for epsilon, targets in DISTANCES.items():
            for rho in tolerances:
                ours = where(rows, what=data, series=OURS, epsilon=epsilon, rho=rho)
                exact = where(rows, what=data, series=EXACT, rho=rho)
                line = {"id": f"bar-{data}-{epsilon:g}" + (f"-rho-{rho:g}" if rho else "")}
                line |= {"what": data, "epsilon": epsilon, "rho": rho, "runs": len(ours)}
                passed = True
                for column, target in zip(("error", "unfairness"), targets, strict=True):
                    found = paired(values(ours, column), values(exact, column))
                    line |= {column: found["mean"], f"{column}_se": found["se"]}
                    line[f"{column}_target"] = target
                    passed = passed and found["mean"] <= target
                table.append(line | {"verdict": "pass" if passed else "fail"})
    return table


def agreement(measured: list[Row], target: tuple, runs: int, reach: bool) -> dict:
    """Beside a target: ours may be at most, others must be about as far away as chance allows.

    Chance: 3 standard errors of the difference of two means, one over our runs and one over the
    prototype's, both with the scatter of our runs, and half a unit of the target's last digit.
    """
    line: dict = {"runs": len(measured)}
    passed = True
    for column, wanted in zip(("error", "unfairness"), target, strict=True):
        mean, sd = mean_sd(values(measured, column))
        line |= {column: mean, f"{column}_sd": sd, f"{column}_target": wanted}
        if wanted is None:
            continue
        chance = 0.0005 + 3 * (sd or 0) * math.sqrt(1 / len(measured) + 1 / runs)
        away = mean - wanted
        passed = passed and (away if reach else abs(away)) <= chance
    return line | {"verdict": "pass" if passed else "fail"}


def targets(rows: list[Row]) -> list[dict]:
    table = []
    for (p, series), target in SYNTHETIC_TARGETS.items():
        measured = [r for r in where(rows, what="synthetic", p=p, series=series)]
        line = {"id": f"number-synthetic-{p:g}-{SHORT[series]}", "what": f"synthetic, p = {p:g}"}
        line |= {"method": series, "epsilon": measured[0]["epsilon"], "rho": measured[0]["rho"]}
        line |= agreement(measured, target, TARGET_RUNS["synthetic"], series == RULE_ALONE)
        table.append(line)
    for (data, series, epsilon, rho), target in REAL_TARGETS.items():
        measured = where(rows, what=data, series=series, epsilon=epsilon, rho=rho)
        settings = [SHORT[series]] + [f"{x:g}" for x in (epsilon, rho) if x not in (None, math.inf)]
        line = {"id": f"number-{data}-{'-'.join(settings)}", "what": data}
        line |= {"method": series, "epsilon": epsilon, "rho": rho}
        table.append(line | agreement(measured, target, TARGET_RUNS[data], series in (OURS, ALONE)))
    for line in table:
        if line["epsilon"] == math.inf:
            line["epsilon"] = None
    return table


def column(key: str, label: str, kind: str = "number", digits: int = 4) -> dict:
    return {"key": key, "label": label, "kind": kind, "digits": digits}


def distance_table(rows: list[Row]) -> dict:
    return {
        "id": "bars",
        "title": "Private against exact without noise, on the same splits",
        "note": "Mean of the differences, split by split, with its standard error. A row passes if "
        "both means are at most their targets.",
        "columns": [
            column("what", "Data", "text"),
            column("epsilon", "ε", digits=1),
            column("rho", "ρ", digits=2),
            column("error", "error above exact"),
            column("error_se", "s.e."),
            column("error_target", "target", digits=3),
            column("unfairness", "U above exact"),
            column("unfairness_se", "s.e."),
            column("unfairness_target", "target", digits=3),
            column("runs", "splits", digits=0),
            column("verdict", "Verdict", "verdict"),
        ],
        "rows": distances(rows),
    }


def target_table(rows: list[Row]) -> dict:
    return {
        "id": "numbers",
        "title": "Numbers of the prototype",
        "note": "Error and U that a numpy prototype of the method reached on splits of its own, "
        "beside those of this program. dp2dp and the private classifier pass if they are no worse, "
        "all others if they are no different, up to 3 standard errors of the difference and the "
        "rounding of the target.",
        "columns": [
            column("what", "Data", "text"),
            column("method", "Method", "text"),
            column("epsilon", "ε", digits=3),
            column("rho", "ρ", digits=2),
            column("error_target", "error: target", digits=3),
            column("error", "measured"),
            column("error_sd", "s.d."),
            column("unfairness_target", "U: target", digits=3),
            column("unfairness", "measured"),
            column("unfairness_sd", "s.d."),
            column("runs", "runs", digits=0),
            column("verdict", "Verdict", "verdict"),
        ],
        "rows": targets(rows),
    }


def dominance_table(context: Context) -> dict:
    return {
        "id": "dominance",
        "title": "Points of ours that a rival on the same splits dominates",
        "note": "A rival's point dominates one of ours if its error and its U are both smaller by "
        f"more than {dominance.STANDARD_ERRORS} standard errors, split by split. A row passes if "
        "no point of ours is dominated.",
        "columns": [
            column("what", "Rival, data", "text"),
            column("epsilon", "ε", digits=1),
            column("theirs", "its points", digits=0),
            column("ours", "our points", digits=0),
            column("dominated", "dominated", digits=0),
            column("verdict", "Verdict", "verdict"),
        ],
        "rows": dominance.table_rows(context),
    }


def by_tolerance(table: dict) -> list[str]:
    """Rows of dp2dp that are above their target and pass only because chance allows it."""
    return [
        row["id"]
        for row in table["rows"]
        if row["verdict"] == "pass"
        and row["method"] in (OURS, RULE_ALONE, ALONE)
        and any(
            row[f"{c}_target"] is not None and row[c] > row[f"{c}_target"] + 0.0005
            for c in ("error", "unfairness")
        )
    ]


def figure(context: Context) -> dict:
    rows = context.read(NAME)
    tables = [distance_table(rows), dominance_table(context), target_table(rows)]
    lenient = by_tolerance(tables[-1])
    verdicts = [row["verdict"] for table in tables for row in table["rows"]]
    return {
        "id": NAME,
        "title": TITLE,
        "paper": None,
        "caption": f"What the program has to reach. {verdicts.count('pass')} of {len(verdicts)} "
        "rows pass.",
        "claim": None,
        "panels": [],
        "tables": tables,
        "notes": [
            "Algorithm 1 as published, synthetic: with the noise that the prototype had (standard "
            "deviation 20.8 on the sum), on a classifier without noise.",
            f"{len(lenient)} rows of ours exceed a target of the prototype by more than rounding "
            f"and pass only by the 3 standard errors: {', '.join(lenient) or 'none'}. With 15 "
            "splits against 6 that is a wide margin, most of all on Parkinsons.",
        ],
        "csv": [f"{NAME}.csv", f"{NAME}.summary.csv"],
    }


def orderings(context: Context) -> list[tuple[str, bool]]:
    slack = 0.003 if context.fast else 0  # means of three splits scatter more
    found = []
    for line in distances(context.read(NAME)):
        close = all(
            line[column] <= line[f"{column}_target"] + slack for column in ("error", "unfairness")
        )
        found.append((f"{line['id']}: private is within its targets of exact", close))
    return found
