"""Three classes, two groups: from an unfair classifier to a fair one, at several tolerances."""

# %% People: the group shifts the features, and so the grade.
import numpy as np
from sklearn.linear_model import LogisticRegression

from dp2dp import FairPostProcessor, metrics

rng = np.random.default_rng(1)
group = rng.choice(["north", "south"], 12000)
X = rng.normal(size=(12000, 4)) + 0.6 * (group == "south")[:, None]
grade = np.array(["C", "B", "A"])[np.digitize(X.sum(axis=1) + rng.normal(size=12000), [0, 2])]
train, test = slice(None, 9000), slice(9000, None)

# %% The classifier alone.
plain = LogisticRegression().fit(X[train], grade[train])
before = metrics.evaluate(grade[test], plain.predict(X[test]), sensitive_features=group[test])
print(f"classifier alone: error {before.error:.3f}, unfairness {before.unfairness:.3f}")

# %% The same with a fair rule. A smaller tolerance is fairer and less accurate.
for rho in (0.0, 0.05, 0.1):
    fair = FairPostProcessor(
        LogisticRegression(),
        epsilon=1,
        delta=1e-5,
        rho=rho,
        classes=["A", "B", "C"],
        groups=["north", "south"],
    )
    fair.fit(X[train], grade[train], sensitive_features=group[train])
    decisions = fair.predict(X[test], sensitive_features=group[test])
    after = metrics.evaluate(grade[test], decisions, sensitive_features=group[test])
    print(f"rho {rho:.2f}: error {after.error:.3f}, unfairness {after.unfairness:.3f}")
    assert after.unfairness < before.unfairness

# %% The rule itself: one number per group and class.
print(fair.model_)
print(fair.model_.offsets)
