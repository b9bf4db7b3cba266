"""The auditor's view: check a model file and its ledger, then certify it on other people."""

# %% The makers provide a model file, and scores of people it was not learned from.
import os
import tempfile

import numpy as np

import dp2dp
from dp2dp import Ledger, Model

rng = np.random.default_rng(3)


def people(n):
    group = rng.integers(0, 2, n).astype(np.int8)
    p = rng.random(n) ** np.where(group == 1, 0.7, 1.4)
    return np.column_stack([1 - p, p]), group


folder = tempfile.TemporaryDirectory()
path = os.path.join(folder.name, "model.json")
dp2dp.fit(*people(20000), group_names=["f", "m"], epsilon=1, delta=1e-5).save(path)

# %% What does it promise, and to whom? A modified file does not load.
model = Model.load(path)
print(model)
assert model.private, model.not_private_because
print("covered:", *model.covers, "; to ask the makers about:", *model.warnings)

# %% Does the promise follow from the ledger alone?
for entry in model.ledger.entries:
    event = entry.event
    print(f"{event.count} x {event.mechanism}, sigma {event.sigma:.2f}: {event.label}")
    assert not entry.insecure
spent = model.ledger.account().epsilon(model.delta)
print(f"epsilon from the ledger {spent!r}, stated {model.epsilon!r}")
assert spent <= model.epsilon

# %% Is it fair in the population? A certificate has its own budget and its own people.
ledger = Ledger.open(os.path.join(folder.name, "auditor-ledger.json"))
ledger.set_budget(0.5, 1e-5)
# There are as many of them as in the fit: same_people=False says that they are others.
budget = {"epsilon": 0.5, "delta": 1e-5, "ledger": ledger, "same_people": False}
certificate = dp2dp.certify(model, *people(20000), **budget)
print(f"U <= {certificate.unfairness_upper:.3f} with {certificate.confidence:.0%} confidence")
assert certificate.private

# %% A second certificate would exceed the budget.
try:
    dp2dp.certify(model, *people(20000), **budget)
    raise SystemExit("the budget was not kept")
except dp2dp.BudgetError as error:
    print("refused:", error)
folder.cleanup()
