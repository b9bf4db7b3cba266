"""Equal errors for both groups, and a rule that must not see the group; a report at the end.

Run it from top to bottom, or cell by cell as a notebook. The pictures go to the folder pictures/.
"""

# %% Made-up people, and whether they turned out to be ill.
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from dp2dp import FairPostProcessor, PrivateLogisticRegression, metrics
from dp2dp.plot import RatesDisplay

pictures = Path("pictures")
pictures.mkdir(exist_ok=True)
rng = np.random.default_rng(5)
n = 24000
group = rng.choice(["a", "b"], n)
X = rng.normal(size=(n, 3)) + np.outer(group == "b", [0.9, 0.2, 0.6])
ill = (X.sum(axis=1) + rng.normal(size=n) > 0.8).astype(int)
learn, test = slice(None, 18000), slice(18000, None)

# %% A private classifier inside: then everybody is covered, those it is trained on too.
bounds = {"epsilon": 1, "delta": 1e-5, "bounds": (-5, 6)}
public = {"classes": [0, 1], "groups": ["a", "b"]}


def fitted(**options):
    inside = PrivateLogisticRegression(classes=[0, 1], **bounds)
    fair = FairPostProcessor(inside, epsilon=1, delta=1e-5, **public, **options)
    return fair.fit(X[learn], ill[learn], sensitive_features=group[learn])


# %% Equalized odds: of the ill people, equally many of each group are found, and of the others,
# equally many get a false alarm. Near the threshold, public random numbers (the dither) decide;
# they are computed from the scores, so equal scores get equal decisions.
odds = fitted(constraints="equalized_odds")
print(odds.model_)
scores = odds.estimator_.predict_proba(X[test])
codes = (group[test] == "b").astype("int8")
share = odds.model_.depends_on_dither(scores, codes).mean()
print(f"decisions that the dither could change: {share:.1%}")

# %% A rule that does not see the group. A second classifier guesses group and label from X, and the
# rule weighs its offsets by that, so nobody is asked for the group. Both classifiers learn from the
# same people, so their costs add up: compare the two epsilons that the models print.
unaware = fitted(
    constraints="equal_opportunity",
    group_estimator=PrivateLogisticRegression(classes=[0, 1, 2, 3], **bounds),
)
print(unaware.model_)

# %% Fair under one notion is not fair under another: look at all of them.
decided = {
    "the classifier alone": odds.estimator_.predict(X[test]),
    "equalized odds": odds.predict(X[test], sensitive_features=group[test]),
    "unaware": unaware.predict(X[test]),
}
gaps = {}
for name, decisions in decided.items():
    found = metrics.evaluate(ill[test], decisions, sensitive_features=group[test])
    gaps[name] = {word: one.unfairness for word, one in found.criteria.items()}
    print(f"{name}: error {found.error:.3f}")
    print("   ", ", ".join(f"{word} {gap:.3f}" for word, gap in gaps[name].items()))
assert gaps["equalized odds"]["equalized_odds"] < gaps["the classifier alone"]["equalized_odds"]

# %% Among the ill and among the healthy: hollow without the rule, filled with it. NOT private.
for rate in ("true_positive", "false_positive"):
    shown = RatesDisplay.from_estimator(
        odds, X[test], ill[test], sensitive_features=group[test], rate=rate
    )
    shown.figure_.savefig(pictures / f"equalized_odds_{rate}.png", dpi=200)
plt.close("all")

# %% One page for those who decide, check and audit. It holds exact counts: only you can read it.
page = odds.model_.report("report.html", scores=scores, groups=codes, labels=ill[test])
print(page)
