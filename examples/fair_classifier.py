"""Make a classifier you already have fair, and draw what changes for whom.

Run it from top to bottom, or cell by cell as a notebook. The pictures go to the folder pictures/.
"""

# %% Made-up people who ask for a loan. Men have higher incomes here, and so they repay more often.
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import GradientBoostingClassifier

from dp2dp import FairPostProcessor, metrics
from dp2dp.plot import RatesDisplay, ThresholdDisplay

pictures = Path("pictures")
pictures.mkdir(exist_ok=True)
rng = np.random.default_rng(7)
n = 15000
sex = rng.choice(["f", "m"], n)
X = np.column_stack([rng.normal(0.8 * (sex == "m"), 1), rng.normal(size=n), rng.normal(size=n)])
repaid = np.where(X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=n) > 0.4, "yes", "no")

# %% Three sets that share nobody: to train the classifier, to learn the rule, and to test both.
train, pool, test = np.split(np.arange(n), [6000, 11000])
classifier = GradientBoostingClassifier(n_estimators=40, random_state=0)
classifier.fit(X[train], repaid[train])

# %% The classifier stays as it is: prefit=True. Only the rule is learned, and it needs no labels.
# The warning scores-origin-not-stated is right: epsilon protects the people of the pool, and dp2dp
# cannot know whom the classifier was trained on. docs/python/classifier.md says what to tell it.
fair = FairPostProcessor(
    classifier, prefit=True, epsilon=1, delta=1e-5, classes=["no", "yes"], groups=["f", "m"]
)
fair.fit(X[pool], sensitive_features=sex[pool])
print(fair.model_)

# %% Before and after, on the test people. These numbers count real people: they are NOT private.
before = classifier.predict(X[test])
after = fair.predict(X[test], sensitive_features=sex[test])
for name, decisions in (("before", before), ("after", after)):
    found = metrics.evaluate(repaid[test], decisions, sensitive_features=sex[test])
    print(f"{name:6}  error {found.error:.3f}  unfairness {found.unfairness:.3f}")
assert metrics.unfairness(None, after, sensitive_features=sex[test]) < 0.08

# %% How often each group gets the loan: hollow without the rule, filled with it.
rates = RatesDisplay.from_estimator(fair, X[test], repaid[test], sensitive_features=sex[test])
rates.figure_.savefig(pictures / "fair_classifier_rates.png", dpi=200)
print(rates.caption)

# %% The rule itself: from which probability each group gets the loan. This one may be shown.
rule = ThresholdDisplay.from_estimator(fair)
rule.figure_.savefig(pictures / "fair_classifier_rule.png", dpi=200)
print(rule.caption)
plt.close("all")
