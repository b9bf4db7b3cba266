"""Error against unfairness on a real data set: what the figures of Adult, Credit and Parkinsons share."""

from collections.abc import Sequence
from dataclasses import dataclass

from common import (
    AS_PUBLISHED,
    EXACT,
    NO_NOISE,
    OURS,
    SOUND,
    UNFAIR,
    Context,
    Row,
    before,
    curve,
    read_csv,
    tidy,
    values,
    where,
)

DELTA = "1e-5"
ORDER = (UNFAIR, EXACT, NO_NOISE, SOUND, AS_PUBLISHED, OURS)


@dataclass
class Protocol:
    """One data set as in the paper's Table of hyperparameters, at 55/20/25."""

    schema: str
    rho: Sequence[float]
    epsilon: Sequence[float]
    runs: int = 15
    more: Sequence[str] = ()

    def fast(self) -> "Protocol":
        ends = (self.rho[0], self.rho[len(self.rho) // 2])
        return Protocol(self.schema, ends, self.epsilon[:1], 4, self.more)


def numbers(of: Sequence[float]) -> str:
    return ",".join(f"{number:g}" for number in of)


def measure(context: Context, name: str, protocol: Protocol) -> list[Row]:
    """One row per method, rho, epsilon and run. All methods share the splits."""
    common = ["--schema", protocol.schema, "--rho", numbers(protocol.rho), "--runs", protocol.runs]
    common += ["--split", "0.55,0.20,0.25", *protocol.more]
    budget = ["--epsilon", numbers(protocol.epsilon), "--delta", DELTA]
    plans = {
        EXACT: ["--method", "none", "--solver", "exact"],
        NO_NOISE: ["--method", "none", "--solver", "sgd-as-published", "--epsilon", "inf"],
        SOUND: ["--method", "dpgd", "--solver", "sgd", *budget],
        OURS: ["--method", "dpgd", "--solver", "counts", *budget],
    }
    rows: list[Row] = []
    for series, plan in plans.items():
        word = f"{name}.{plan[1]}.{plan[3]}"
        rows += tidy(context.sweep(word, *common, *plan), series)
    return before(where(rows, series=EXACT)) + rows


def panel(rows: list[Row], epsilon: float, more: Sequence[dict] = ()) -> dict:
    """What was measured at one epsilon, with the curves that have none."""
    series = []
    for name in ORDER:
        chosen = [
            row
            for row in where(rows, series=name)
            if row["epsilon"] in (None, float("inf"), epsilon)
        ]
        if chosen:
            series.append(curve(chosen, name))
    return {
        "title": f"ε = {epsilon:g}",
        "x": {"label": "unfairness U on the test part", "scale": "linear", "percent": False},
        "y": {"label": "error on the test part", "scale": "linear", "percent": False},
        "series": series + list(more),
        "lines": [],
        "marks": [],
    }


def published(context: Context, data: str, epsilon: float) -> list[dict]:
    """Points that others published, measured on other rows and other splits: shown, never judged."""
    if context.reference is None:
        return []
    rows = read_csv(context.reference / "baselines_demographic_parity.csv")
    found = []
    rows = where(rows, dataset=data, epsilon=epsilon)
    for method in dict.fromkeys(str(row["method"]) for row in rows):
        points = [
            {
                "x": row["demographic_parity_violation"],
                "y": row["error"],
                "x_sd": None,
                "y_sd": None,
                "runs": None,
                "label": f"λ or ρ = {row['lambda_or_rho']}",
            }
            for row in where(rows, method=method)
        ]
        found.append(
            {
                "name": f"{method}, published, other data",
                "kind": "other-data",
                "privacy": f"as its authors state: ε = {epsilon:g}; not checked here",
                "line": False,
                "points": points,
            }
        )
    return found


def mean_at(rows: list[Row], column: str, **wanted: float | str) -> float:
    return float(values(rows, column, **wanted).mean())
