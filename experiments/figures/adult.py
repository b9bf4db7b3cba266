"""Adult: error against unfairness at epsilon 0.5 and 1 (Figure 2 of the paper)."""

import tradeoff
from common import EXACT, OURS, Context
from tradeoff import Protocol, mean_at, panel, published

NAME = "adult"
TITLE = "Adult: error against unfairness"
NEEDS_DATA = True
PROTOCOL = Protocol("adult", (0, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2), (0.5, 1))


def run(context: Context) -> None:
    protocol = PROTOCOL.fast() if context.fast else PROTOCOL
    context.write(NAME, tradeoff.measure(context, NAME, protocol))
    context.summarize(NAME, ["series", "epsilon", "rho"], ["error", "unfairness"])


def figure(context: Context) -> dict:
    rows = context.read(NAME)
    return {
        "id": NAME,
        "title": TITLE,
        "paper": "Figure 2",
        "caption": "Adult.",
        "claim": None,
        "panels": [
            panel(rows, epsilon, published(context, "adult", epsilon)) for epsilon in (0.5, 1)
        ],
        "tables": [],
        "notes": [],
        "csv": [f"{NAME}.csv", f"{NAME}.summary.csv"],
    }


def orderings(context: Context) -> list[tuple[str, bool]]:
    rows = context.read(NAME)
    ours = mean_at(rows, "error", series=OURS, epsilon=0.5, rho=0)
    exact = mean_at(rows, "error", series=EXACT, rho=0)
    return [("at ε = 0.5 and ρ = 0, ours is within 0.01 error of exact", ours - exact <= 0.01)]
