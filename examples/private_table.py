"""From a data frame to a fair model with privacy in both phases.

Run it from top to bottom, or cell by cell as a notebook. The pictures go to the folder pictures/.
"""

# %% A made-up table: numbers, a text, the group, and what is to be predicted.
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from dp2dp import DP2DPClassifier, Schema
from dp2dp.plot import PrivacyCurveDisplay, RatesDisplay

pictures = Path("pictures")
pictures.mkdir(exist_ok=True)
rng = np.random.default_rng(11)
n = 16000
sex = rng.choice(["f", "m"], n)
people = pd.DataFrame(
    {
        "age": rng.integers(18, 80, n),
        "hours": rng.normal(np.where(sex == "m", 42, 34), 9).round(),
        "job": rng.choice(["clerk", "smith", "nurse"], n, p=[0.5, 0.3, 0.2]),
        "sex": sex,
    }
)
chance = 0.1 * (people["hours"] - 40) + 0.8 * (people["job"] == "smith")
people["high_pay"] = np.where(chance + rng.normal(size=n) > 0.3, "yes", "no")

# %% What is public about the table. Bounds and lists come from you, not from the rows: the smallest
# and largest age of the rows would reveal something about two people.
schema = Schema.from_frame(
    people,
    bounds={"age": (18, 100), "hours": (0, 80)},
    categories={"job": ["clerk", "nurse", "smith"], "sex": ["f", "m"], "high_pay": ["no", "yes"]},
    label="high_pay",
    sensitive="sex",
)
print(schema, schema.columns)

# %% One estimator for both phases: a private classifier on 70 % of the people, and a fair rule on
# the others. Nobody is in both, so epsilon is 1 for each person, not 2.
train, test = people[:11000], people[11000:]
private = DP2DPClassifier(schema=schema, epsilon=1, delta=1e-5, rho=0.02)
private.fit(train.drop(columns="high_pay"), train["high_pay"])
print(private.model_)
assert private.model_.private
for cover in private.model_.covers:
    print(f"{cover}: epsilon {cover.epsilon:.4f}, delta {cover.delta:.0e}")

# %% The file holds the schema, the classifier, the rule and the ledger. The program dp2dp reads it.
private.save("high-pay.json")
again = DP2DPClassifier.load("high-pay.json")
print(again.predict(test.drop(columns="high_pay")[:5]))

# %% Rates of the test people, before and after the rule. NOT private: do not publish.
rates = RatesDisplay.from_estimator(private, test.drop(columns="high_pay"), test["high_pay"])
rates.figure_.savefig(pictures / "private_table_rates.png", dpi=200)
print(rates.caption)

# %% The promise as a curve: the smallest delta for each epsilon. May be published with the model.
promise = PrivacyCurveDisplay.from_model(private.model_)
promise.figure_.savefig(pictures / "private_table_promise.png", dpi=200)
plt.close("all")
