"""Gradient boosting on Adult, then a fair and private rule, compared with fairlearn if installed.

Needs the data set in the folder DP2DP_DATA (`dp2dp data`).
"""

# %%
import os
import time

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import accuracy_score

from dp2dp import FairPostProcessor, metrics

names = (
    "age workclass fnlwgt education education-num marital-status occupation relationship race sex "
    "capital-gain capital-loss hours-per-week native-country income"
).split()
folder = os.path.join(os.environ["DP2DP_DATA"], "adult")
parts = [
    pd.read_csv(os.path.join(folder, name), names=names, skipinitialspace=True, skiprows=skip)
    for name, skip in (("adult.data", 0), ("adult.test", 1))
]
people = pd.concat(parts, ignore_index=True)
people = people[~people.isin(["?"]).any(axis=1)]
income = people.pop("income").str.rstrip(".")
sex = people.pop("sex")
print(len(people), "people")

# %% The same split and the same classifier for both.
order = np.random.default_rng(0).permutation(len(people))
train, pool, test = np.split(order, [int(0.55 * len(order)), int(0.75 * len(order))])
text = people.select_dtypes(exclude="number").columns
people = people.astype(dict.fromkeys(text, "category"))
model = HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=0)
model.fit(people.iloc[train], income.iloc[train])
X_pool, X_test = people.iloc[pool], people.iloc[test]
y_test, s_test = income.iloc[test], sex.iloc[test]


def line(name, decisions, start):
    u = metrics.unfairness(y_test, decisions, sensitive_features=s_test)
    accuracy = accuracy_score(y_test, decisions)
    seconds = time.perf_counter() - start
    print(f"{name:30} accuracy {accuracy:.4f}  U {u:.4f}  {seconds:.3f} s")
    return u


start = time.perf_counter()
before = line("gradient boosting", model.predict(X_test), start)

# %% Ours: private and deterministic. The pool needs no labels.
start = time.perf_counter()
fair = FairPostProcessor(model, prefit=True, epsilon=1, delta=1e-5, groups=["Female", "Male"])
fair.fit(X_pool, sensitive_features=sex.iloc[pool])
decisions = fair.predict(X_test, sensitive_features=s_test)
after = line("dp2dp, epsilon 1", decisions, start)
assert (decisions == fair.predict(X_test, sensitive_features=s_test)).all()
assert after < before / 2

# %% Theirs: not private, randomised, two classes only.
try:
    from fairlearn.postprocessing import ThresholdOptimizer
except ImportError:
    raise SystemExit(0) from None
start = time.perf_counter()
theirs = ThresholdOptimizer(estimator=model, prefit=True, predict_method="predict_proba")
theirs.fit(X_pool, income.iloc[pool] == ">50K", sensitive_features=sex.iloc[pool])
positive = theirs.predict(X_test, sensitive_features=s_test, random_state=0)
line("fairlearn ThresholdOptimizer", np.where(positive, ">50K", "<=50K"), start)
