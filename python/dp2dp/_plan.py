"""What a training and a fit would charge, computed from sizes and options alone."""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

from . import _criterion
from ._core import BudgetError, Ledger, Model, Schema
from ._warn import up


class Sizes(NamedTuple):
    """The public sizes of the rows that a rule is learned from. ``weights`` is the number of weight
    columns, or 0 if the rule sees the group."""

    records: int
    groups: int
    classes: int
    weights: int


def rehearse(
    schema: Schema,
    train_records: int,
    train_options: dict[str, Any],
    sizes: Sizes,
    fit_options: dict[str, Any],
) -> None:
    """Fails in the same way as the training and the fit would, but before anything is charged: an
    option may be wrong, or the budget of the user's ledger too small for both."""
    same_people, given = fit_options["same_people"], fit_options.get("ledger")
    trial = Ledger() if given is None else _copy_of(given)
    trained = Ledger() if same_people else trial
    if train_options["method"] != "none" and train_options["epsilon"] != math.inf:
        Model._train_plan(schema, train_records, {**train_options, "ledger": None}, trained)
    options = {**fit_options, "ledger": None}
    _criterion.take_statistics(options, sizes.classes)
    try:
        Model._fit_plan(*sizes, options, trial, trained if same_people else None)
    except BudgetError as error:
        if same_people:
            raise
        raise BudgetError(f"{error}. {_why_both(str(error))}") from None


def _why_both(words: str) -> str:
    """Says why a ledger adds the cost of the rule to that of the training, although nobody is in
    both. ``words`` are those of the ledger about its budget."""
    found = re.search(r"take epsilon to ([0-9.e+]+) ", words)
    enough = f"a budget of at least {up(float(found[1]), 3)}; " if found else ""
    return (
        "The ledger does not know who is in which part of the rows, so it charges the training and "
        f"the rule to everybody. Pass pool='same', which divides epsilon between the two; {enough}"
        "or a smaller epsilon"
    )


def _copy_of(ledger: Ledger) -> Ledger:
    """Returns a copy of a ledger in memory, with the same budget."""
    copy = Ledger.from_json(ledger.to_json())
    if (budget := ledger._budget()) is not None:
        copy.set_budget(*budget, with_charge=True)
    return copy
