"""Adult: error against unfairness at epsilon 0.5 and 1 (Figure 2 of the paper)."""

from common import AS_PUBLISHED, SOUND, UNFAIR, Context
from tradeoff import (
    Protocol,
    at,
    epsilons,
    gap_claim,
    measure,
    orderings_at,
    published,
    tradeoff_panel,
)

NAME = "adult"
TITLE = "Adult: error against unfairness"
NEEDS_DATA = True
PROTOCOL = Protocol(
    "adult", (0, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2), steps=100, least=2500
)

FAIRER_THAN = (UNFAIR, SOUND, AS_PUBLISHED)


def run(context: Context) -> None:
    context.write(NAME, measure(context, NAME, PROTOCOL.scaled(context)))
    context.summarize(NAME, ["series", "epsilon", "rho"], ["error", "unfairness"])


def figure(context: Context) -> dict:
    rows = context.read(NAME)
    return {
        "id": NAME,
        "title": TITLE,
        "paper": "Figure 2",
        "caption": "45,222 complete rows, 102 features, sex is the group and no feature; split "
        f"55/20/25, means over {len({row['run'] for row in rows})} splits that all methods share.",
        "claim": gap_claim(rows),
        "panels": [
            tradeoff_panel(at(rows, e), f"ε = {e:g}", published(context, "adult", e))
            for e in epsilons(rows)
        ],
        "tables": [],
        "notes": [
            "Published points are from other data (30,162 rows written twice, other splits): they "
            "are shown and not judged. Rivals on the same splits are in a figure of their own.",
        ],
        "csv": [f"{NAME}.csv", f"{NAME}.summary.csv"],
    }


def orderings(context: Context) -> list[tuple[str, bool]]:
    return orderings_at(context.read(NAME), error=0.004, unfairness=0.01, fairer_than=FAIRER_THAN)
