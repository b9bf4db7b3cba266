"""Choose the tolerance rho by a curve over public people, then fit once on private ones.

Run it from top to bottom, or cell by cell as a notebook. The pictures go to the folder pictures/.
"""

# %% Two made-up tables with the same columns: an old one that is public, and one that is private.
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

from dp2dp import DP2DPClassifier, FairPostProcessor, metrics
from dp2dp.plot import RatesDisplay, TradeoffDisplay

pictures = Path("pictures")
pictures.mkdir(exist_ok=True)
rng = np.random.default_rng(3)


def people(n):
    group = rng.choice(["north", "south"], n)
    X = rng.normal(size=(n, 3)) + 0.7 * (group == "south")[:, None]
    return X, (X.sum(axis=1) + rng.normal(size=n) > 1).astype(int), group


X_public, y_public, g_public = people(12000)
X_private, y_private, g_private = people(12000)

# %% Every fit for the curve looks at the same people. On private people each would be charged, and
# choosing by exact errors would be one more release. On public people neither matters.
# scores_epsilon=0 says so: the classifier was trained on public people and costs nobody anything.
lists = dict(classes=[0, 1], groups=["north", "south"])
classifier = LogisticRegression().fit(X_public[:4000], y_public[:4000])
pool, test = slice(4000, 8000), slice(8000, None)
alone = metrics.evaluate(y_public[test], classifier.predict(X_public[test]),
                         sensitive_features=g_public[test])  # fmt: skip
rows = []
for rho in (0, 0.03, 0.06, 0.1, 0.15, 0.2):
    for run in range(4):
        fair = FairPostProcessor(classifier, prefit=True, epsilon=1, delta=1e-5, rho=rho,
                                 scores_epsilon=0, scores_delta=0, **lists)  # fmt: skip
        fair.fit(X_public[pool], sensitive_features=g_public[pool])
        decisions = fair.predict(X_public[test], sensitive_features=g_public[test])
        found = metrics.evaluate(y_public[test], decisions, sensitive_features=g_public[test],
                                 bootstrap_draws=0)  # fmt: skip
        rows.append({"rho": rho, "run": run, "error": found.error, "unfairness": found.unfairness})
sweep = pd.DataFrame(rows).assign(
    criterion="demographic_parity",
    method="none",
    solver="counts",
    epsilon=1,
    delta=1e-5,
    error_before=alone.error,
    unfairness_before=alone.unfairness,
)
print(sweep.groupby("rho")[["error", "unfairness"]].mean().round(3))

# %% Further left is fairer, lower is more often right. `dp2dp sweep` writes such tables too.
curve = TradeoffDisplay.from_sweep(sweep)
curve.figure_.savefig(pictures / "choose_rho_curve.png", dpi=200)

# %% The largest tolerance whose gap is at most 8 points. It was chosen without a private row.
gap = sweep.groupby("rho")["unfairness"].mean()
rho = float(gap[gap <= 0.08].index.max())
print(f"rho = {rho}")

# %% One fit on the private people, with privacy in both phases.
private = DP2DPClassifier(epsilon=1, delta=1e-5, rho=rho, bounds=(-5, 6), **lists)
private.fit(X_private[:9000], y_private[:9000], sensitive_features=g_private[:9000])
print(private.model_)
assert private.model_.private
rates = RatesDisplay.from_estimator(
    private, X_private[9000:], y_private[9000:], sensitive_features=g_private[9000:]
)
rates.figure_.savefig(pictures / "choose_rho_rates.png", dpi=200)
plt.close("all")
