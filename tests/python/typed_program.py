"""A user's program for the type checker, which must find each mistake marked `type: ignore`."""

from typing import assert_type

import numpy as np
import numpy.typing as npt

import dp2dp
from dp2dp import core, metrics, plot
from dp2dp.accounting import Accountant, Event, Ledger, calibrate

p = np.random.default_rng(0).random((1000, 1))
scores = np.hstack([1 - p, p]).astype(np.float32)
groups = np.arange(1000) % 2

ledger = Ledger()
model = dp2dp.fit(scores, groups, n_groups=2, epsilon=1, delta=1e-5, ledger=ledger)
assert_type(model, dp2dp.Model)
assert_type(model.predict(scores, groups), npt.NDArray[np.int32])
assert_type(model.epsilon, float | None)
assert_type(model.groups, list[str])
assert_type(dp2dp.Model.load("model.json"), dp2dp.Model)
assert_type(model.decide([0.3, 0.7], "f"), str)
assert_type(model.not_private_because, list[str])
assert_type(model.not_covered, list[core.Cover])
assert_type(model.warnings, list[str])
assert_type(dp2dp.DataError("a row").row, int | None)
assert_type(dp2dp.DataError("a row").reason, str | None)
model.save("model.json")
model.predict(scores, groups, unknown=True)  # type: ignore[arg-type]
model.predict(scores, groups, nonsense=1)  # type: ignore[call-arg]
dp2dp.fit(scores, groups, n_groups="two")  # type: ignore[arg-type]
print(model.epsilon + 1)  # type: ignore[operator]

odds = dp2dp.fit(
    scores, groups, labels=groups, criterion="equalized_odds", n_groups=2, epsilon=1, delta=1e-5
)
assert_type(odds.criterion, str | None)
assert_type(odds.positive, int | None)
assert_type(odds.tolerance, float | None)
assert_type(odds.predict(scores, weights=scores, ids=groups), npt.NDArray[np.int32])
dp2dp.fit(scores, groups, criterion=3, n_groups=2)  # type: ignore[arg-type]

schema = dp2dp.Schema("adult")
assert_type(schema.width, int)
classifier = dp2dp.train(schema, "adult.csv", epsilon=1, delta=1e-5)
assert_type(core.score(classifier, "adult.csv").scores, npt.NDArray[np.float32])
dp2dp.train(schema, 3, epsilon=1, delta=1e-5)  # type: ignore[arg-type]

certificate = dp2dp.certify(model, scores, groups, epsilon=1, delta=1e-5)
assert_type(certificate.unfairness_upper, float | None)
assert_type(certificate.criteria["equalized_odds"].upper, float | None)
print(certificate.unfairness_lower)  # type: ignore[attr-defined]
found = metrics.evaluate(None, groups, sensitive_features=groups)
assert_type(found.unfairness, float | None)
assert_type(found.criteria["equalized_odds"], core.Unfairness)
metrics.unfairness(None, groups, sensitive_features=groups, constraints=1)  # type: ignore[arg-type]

event = calibrate(Event("gaussian", sensitivity=2, count=10), epsilon=1, delta=1e-5)
accountant = Accountant("replace-one")
accountant.add(event)
assert_type(accountant.epsilon(1e-5), float)
accountant.add("gaussian")  # type: ignore[arg-type]
ledger.set_budget(2, 1e-5)
assert_type(ledger.budget, tuple[float, float] | None)
assert_type(ledger.entries[0].note, str | None)
ledger.describe("fit")  # type: ignore[call-arg]
assert_type(
    dp2dp.dpsgd_epsilon(n=1000, batch_size=10, noise_multiplier=1, epochs=1, delta=1e-5), float
)

fair = dp2dp.FairPostProcessor(object(), epsilon=1, delta=1e-5, groups=["f", "m"])
assert_type(fair.fit(scores, groups, sensitive_features=groups), dp2dp.FairPostProcessor)
assert_type(fair.model_, dp2dp.Model)
dp2dp.FairPostProcessor(object())  # type: ignore[call-arg]
private = dp2dp.PrivateLogisticRegression(epsilon=1, delta=1e-5, bounds=(-1, 1))
assert_type(private.predict_proba(scores), npt.NDArray[np.float64])
private.fit(scores)  # type: ignore[call-arg]
both = dp2dp.DP2DPClassifier(epsilon=1, delta=1e-5, rho=0.1, data_norm=2.0)
both.save(3)  # type: ignore[arg-type]

display = plot.TradeoffDisplay.from_sweep("sweep.csv", criterion="equalized_odds")
assert_type(display, plot.TradeoffDisplay)
assert_type(display.curves[0].epsilon, float | None)
assert_type(plot.PrivacyCurveDisplay.from_ledger(ledger).plot(), plot.PrivacyCurveDisplay)
assert_type(plot.ThresholdDisplay.from_model(model).thresholds, npt.NDArray[np.float64] | None)
rates = plot.RatesDisplay.from_estimator(fair, scores, groups, sensitive_features=groups)
assert_type(rates.caption, str)
plot.TradeoffDisplay.from_sweep(3)  # type: ignore[arg-type]
plot.RatesDisplay.from_predictions(groups, groups)  # type: ignore[call-arg]
plot.ThresholdDisplay.from_model("model.json")  # type: ignore[arg-type]
