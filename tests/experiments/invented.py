"""Data of a page of the reproduction, with invented numbers, for tests of the page:

invented.py usual|hostile OUT.html [--without-stored]
"""

import math
import random
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "experiments" / "page"
HOSTILE = [
    "</script><script>alert(1)</script>",
    "\"'><img src=x onerror=alert(2)>",
    "<!-- {{body}} <!--dp2dp:data--> &amp; \\u003c",
    "a" * 300,
    "שלום <b>bold</b>",
]
BOTH = "ε = {}, δ = 1e-5, replace-one, both phases"
NONE = "none: the rule and the classifier are fitted without noise"
CLAIMED = "none proven: the claimed ε = {} does not hold; the sound bound is ε = 9.4, δ = 1e-5"


def _curve(chance, n, shift, noise, runs=15):
    """Error against unfairness, as n invented tolerances would give it."""
    points = []
    for i in range(n):
        u = 0.012 + 0.16 * i / max(1, n - 1)
        error = 0.145 + 0.03 * math.exp(-9 * u) + shift
        points.append(
            {
                "x": u + noise * chance.random(),
                "y": error + 0.3 * noise * chance.random(),
                "x_sd": 0.004 + 0.3 * noise,
                "y_sd": 0.0015 + 0.1 * noise,
                "runs": runs,
                "label": f"ρ = {0.02 * i:.2f}",
            }
        )
    return points


def _series(name, kind, privacy, points, line=True):
    return {"name": name, "kind": kind, "privacy": privacy, "line": line, "points": points}


def _tradeoff(chance, epsilon, many=False):
    one = _curve(chance, 1, -0.003, 0)
    one[0].update(x=0.186, label=None)
    stored = [
        {"x": x, "y": y, "x_low": x - 0.012, "x_high": x + 0.012, "runs": None, "label": label}
        for x, y, label in [(0.19, 0.167, "λ = 0"), (0.1, 0.172, "λ = 0.5"), (0.03, 0.188, "λ = 2")]
    ]
    both = BOTH.format(epsilon)
    return {
        "title": f"epsilon = {epsilon}",
        "x": {"label": "unfairness", "scale": "linear", "percent": True},
        "y": {"label": "error", "scale": "linear", "percent": True},
        "series": [
            _series("unfair", "unfair", "none: the classifier alone", one, False),
            _series("exact (Denis et al.)", "reference", NONE, _curve(chance, 9, 0, 0)),
            _series("Algorithm 1, no noise", "paper", NONE, _curve(chance, 7, 0.002, 0.03)),
            _series("Algorithm 1, sound (sgd)", "paper", both, _curve(chance, 7, 0.006, 0.05)),
            _series(
                "Algorithm 1, as published",
                "paper",
                CLAIMED.format(epsilon),
                _curve(chance, 7, 0.004, 0.04),
            ),
            *(
                _series("dp2dp, columns cut", "ours", both, _curve(chance, 3, -0.004, 0.004))
                for _ in range(1 if many else 0)
            ),
            _series("dp2dp (dpgd + counts)", "ours", both, _curve(chance, 9, 0.001, 0.004)),
            _series(
                "in the manner of DP-FERMI, changed to full privacy",
                "rival",
                both,
                _curve(chance, 5, 0.014, 0.01),
            ),
            *(
                _series(f"rival {i}", "rival", both, _curve(chance, 1, 0.02 + i / 500, 0.01), False)
                for i in range(7 if many else 0)
            ),
            _series("DP-FERMI", "other-data", "the group only, ε = 0.5", stored, False),
        ],
        "marks": [{"axis": "x", "value": 0.02, "label": "ρ = 0.02"}],
    }


def _growth_panel(chance, x, label, slope):
    values = [10 ** (math.log10(x[0]) + i * math.log10(x[1] / x[0]) / 6) for i in range(7)]
    series = []
    for name, factor in [("ε = 0.5", 2.0), ("ε = 1", 1.0), ("ε = 4", 0.3)]:
        points = []
        for value in values:
            y = 0.05 * factor * (value / values[0]) ** slope * (0.9 + 0.2 * chance.random())
            points.append({"x": value, "y": y, "y_low": y * 0.7, "y_high": y * 1.3, "runs": 30})
        privacy = f"{name}, δ = 1e-5, replace-one, rule only"
        series.append(_series(f"dp2dp (counts), {name}", "ours", privacy, points))
    series[0]["points"][3]["y"] = None
    series[2]["points"][6]["y"] = -0.0001
    ends = [{"x": v, "y": 0.05 * (v / values[0]) ** slope} for v in (values[0], values[-1])]
    lines = [
        {"name": f"slope {slope}: what the paper claims", "points": ends},
        {
            "name": f"ε = 0.5: slope {slope - 0.02:.2f} (95 % interval {slope - 0.1:.2f} to "
            f"{slope + 0.06:.2f})",
            "series": "dp2dp (counts), ε = 0.5",
            "points": [{"x": end["x"], "y": 2 * end["y"]} for end in ends],
        },
    ]
    return {
        "title": f"Against {label}",
        "x": {"label": label, "scale": "log", "percent": False},
        "y": {"label": "excess of U", "scale": "log", "percent": False},
        "series": series,
        "lines": lines,
        "marks": [],
    }


def _bars():
    rows = [
        ("bar-adult-0.5", "Adult, ε = 0.5: error above the exact rule's", 0.004, 0.0012, "pass"),
        ("bar-adult-0.5-u", "Adult, ε = 0.5: U above the exact rule's", 0.005, 0.0019, "pass"),
        ("bar-credit-0.5", "Credit, ε = 0.5: error above the exact rule's", 0.004, 0.0051, "fail"),
        ("bar-parkinsons", "Parkinsons, ε = 1: error", 0.055, None, "open"),
    ]
    keys = ["id", "what", "target", "measured", "verdict"]
    return {
        "id": "bars",
        "title": "What we set out to reach",
        "note": "Invented numbers. A bar is passed if the mean is at most the target.",
        "columns": [
            {"key": "what", "label": "What", "kind": "text"},
            {"key": "target", "label": "Target", "kind": "number", "digits": 4},
            {"key": "measured", "label": "Measured", "kind": "number", "digits": 4},
            {"key": "verdict", "label": "Verdict", "kind": "verdict"},
        ],
        "rows": [dict(zip(keys, row, strict=True)) for row in rows],
    }


def _rivals(chance):
    names = [
        "in the manner of DP-FERMI, changed to full privacy",
        "in the manner of the private Lagrangian dual (PF-LD), outer updates every 5 epochs",
        "in the manner of RaCO-DP",
        "fairlearn ExponentiatedGradient on diffprivlib LogisticRegression",
    ]
    rows = []
    for i in range(60):
        difference = -0.02 + 0.025 * chance.random()
        low, high = difference - 0.004, difference + 0.004
        verdict = "loss" if low > 0 else "win" if high < 0 else "tie"
        rows.append(
            {
                "id": f"rival-{i}",
                "rival": names[i % 4],
                "data": ["adult", "credit", "parkinsons"][i % 3],
                "setting": f"λ = {0.25 * (i // 12):.2f}",
                "epsilon": math.inf if i % 10 == 9 else [0.5, 1, 3][i % 3],
                "u": 0.01 + 0.1 * chance.random(),
                "error": 0.15 + 0.05 * chance.random(),
                "difference": difference if i % 17 else None,
                "low": low if i % 17 else None,
                "high": high if i % 17 else None,
                "verdict": verdict if i % 17 else "open",
            }
        )
    numbers = [("difference", "Ours − rival's error"), ("low", "95 % low"), ("high", "95 % high")]
    return {
        "id": "rival-points",
        "title": "Every rival point against ours of no larger unfairness",
        "note": "Invented numbers. Negative differences: ours has fewer errors. An interval wholly "
        "above zero is a loss.",
        "columns": [
            {"key": "rival", "label": "Rival", "kind": "text"},
            {"key": "data", "label": "Data", "kind": "text"},
            {"key": "setting", "label": "Setting", "kind": "text"},
            {"key": "epsilon", "label": "ε", "kind": "number", "digits": 1},
            {"key": "u", "label": "Unfairness", "kind": "percent", "digits": 1},
            {"key": "error", "label": "Error", "kind": "percent", "digits": 1},
            *({"key": k, "label": t, "kind": "number", "digits": 4} for k, t in numbers),
            {"key": "verdict", "label": "Verdict", "kind": "verdict"},
        ],
        "rows": rows,
    }


def _figure(name, title, paper, **rest):
    plain = {"caption": None, "claim": None, "panels": [], "tables": [], "notes": [], "csv": []}
    return {"id": name, "title": title, "paper": paper, **plain, **rest}


def page():
    """The data of the usual page."""
    chance = random.Random(7)
    claim = {
        "paper": "The private rule is “comparable” to the rule without privacy, for all ε ≥ 0.5.",
        "measured": "At ε = 0.5 and ρ = 0 the error is 17.4 ± 0.3 % (exact: 17.3 ± 0.3 %), and U "
        "1.4 ± 0.7 % (exact: 1.3 ± 0.6 %).",
        "holds": True,
    }
    adult = _figure(
        "adult",
        "Adult: error against unfairness",
        "Figure 2",
        caption="Invented numbers: complete rows of Adult, sex as the group, 15 splits; mean ± one "
        "standard deviation.",
        claim=claim,
        panels=[_tradeoff(chance, 0.5), _tradeoff(chance, 1)],
        csv=["adult.csv", "adult.summary.csv"],
    )
    credit = _figure(
        "credit",
        "Credit: error against unfairness",
        "Figure 3",
        caption="Invented numbers for one chart.",
        claim={**claim, "holds": False},
        panels=[_tradeoff(chance, 1, many=True)],
        notes=["Where the numbers differ from the printed ones, both stand above."],
    )
    growth = _figure(
        "growth",
        "How the cost of privacy falls with data",
        None,
        caption="Invented numbers: excess of U over the exact rule's, 30 data sets for each point.",
        claim={**claim, "holds": None},
        panels=[
            _growth_panel(chance, (500, 1_000_000), "N", -0.5),
            _growth_panel(chance, (0.05, 8), "ε", -0.9),
            _growth_panel(chance, (2, 50), "K", 0.4),
        ],
    )
    bars = _figure("bars", "Bars", None, tables=[_bars()])
    rivals = _figure(
        "rivals",
        "Rivals in the same run",
        None,
        caption="Invented numbers: the same splits and features for all.",
        tables=[_rivals(chance)],
        notes=["Why we lose, and what would fix it: the numbers are invented."],
        csv=["rivals.csv"],
    )
    made = {"version": "0.1.0", "seed": 1, "runs": "15 runs (synthetic: 30)"}
    title = "Fairness meets privacy, reproduced (invented numbers)"
    return {"title": title, "made": made, "figures": [adult, credit, growth, bars, rivals]}


def hostile():
    """The usual page with every text of a kind that could break a page."""
    texts = iter(HOSTILE * 10_000)
    kept = {"kind", "id", "scale", "axis", "key", "verdict", "csv", "version"}

    def spoil(value, key=None):
        if isinstance(value, dict):
            return {k: spoil(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return value if key == "csv" else [spoil(item, key) for item in value]
        return next(texts) if isinstance(value, str) and key not in kept else value

    spoiled = spoil(page())
    for figure in spoiled["figures"]:
        for panel in figure["panels"]:
            for i, series in enumerate(panel["series"]):
                series["name"] += f" {i}"  # names differ within a panel
    return spoiled


if __name__ == "__main__":
    sys.path.insert(0, str(PAGE))
    from make_page import make

    made_page = {"usual": page, "hostile": hostile}[sys.argv[1]]()
    make(made_page, Path(sys.argv[2]), published="--without-stored" not in sys.argv)
