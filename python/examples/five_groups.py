"""Five groups, one of them small, with the group as a column of a data frame and a grid search."""

# %%
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

from dp2dp import FairPostProcessor, metrics

rng = np.random.default_rng(2)
names = ["a", "b", "c", "d", "e"]
region = rng.choice(names, 20000, p=[0.4, 0.3, 0.15, 0.1, 0.05])
shift = np.array([names.index(r) for r in region]) * 0.3
people = pd.DataFrame(rng.normal(size=(20000, 3)) + shift[:, None], columns=["x", "y", "z"])
people["region"] = region
paid = (people[["x", "y", "z"]].sum(axis=1) + rng.normal(size=20000) > 1).astype(int)

# %% The group is a named column, so scikit-learn's tools need not know about groups. Every fit of
# the search would spend the budget again, so search without privacy, on data you may look at.
fair = FairPostProcessor(
    LogisticRegression(),
    epsilon=None,
    solver="exact",
    classes=[0, 1],
    groups=names,
    sensitive_column="region",
)
search = GridSearchCV(fair, {"estimator__C": [0.01, 1.0]}, cv=3).fit(people[:5000], paid[:5000])
print("best C:", search.best_params_["estimator__C"])

# %% The private fit, on other people.
final = search.best_estimator_.set_params(solver="counts", epsilon=1, delta=1e-5, rho=0.02)
final.fit(people[5000:15000], paid[5000:15000])
print(final.model_)

# %% Rates by region, on a third set.
test = people[15000:]
decisions = final.predict(test)
plain = final.estimator_.predict(test[["x", "y", "z"]])
before = metrics.unfairness(None, plain, sensitive_features=test["region"])
after = metrics.evaluate(paid[15000:], decisions, sensitive_features=test["region"])
for name, rates, (low, high) in zip(
    names, after.rates[:, 1], after.rate_intervals[:, 1], strict=True
):
    print(f"region {name}: {rates:.3f} of the people are paid, 95 % [{low:.3f}, {high:.3f}]")
print(f"unfairness {before:.3f} before, {after.unfairness:.3f} after")
assert after.unfairness < before
