"""Fair decisions from probabilities and groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from ._base import PrivateClassifier
from ._groups import GroupsMixin
from ._typing import Codes, Features, Float64s, Floats, Labels
from ._validation import names_of


def _nearest_distribution(scores: Floats) -> Float64s:
    """The probability distribution nearest to each row. It ranks the classes as the row does."""
    z = np.asarray(scores, dtype=np.float64)
    falling = -np.sort(-z, axis=1)
    excess = np.cumsum(falling, axis=1) - 1
    size = np.arange(1, z.shape[1] + 1)
    count = np.sum(falling * size > excess, axis=1)
    level = excess[np.arange(len(z)), count - 1] / count
    nearest: Float64s = np.maximum(z - level[:, None], 0)
    return nearest


class FairRule(GroupsMixin, PrivateClassifier):
    """Decides from probabilities and groups by the rule of ``model_``. Subclasses fit the model."""

    rho: float
    solver: str
    pool_fraction: float

    def _probabilities(self, X: Features) -> Floats:
        raise NotImplementedError

    def _rule_options(self) -> dict[str, Any]:
        """The options of core.fit that all subclasses have as parameters."""
        return {
            "group_names": names_of(self.groups_, "groups"),
            "solver": self.solver,
            "rho": self.rho,
            "bad_rows": self.bad_rows,
            **self._spending(),
        }

    def _scored(self, X: Features, sensitive_features: Any) -> tuple[Floats, Codes]:
        check_is_fitted(self, "model_")
        X = self._check_X(X, reset=False)
        X, values = self._take_groups(X, sensitive_features)
        codes = self._group_codes(values, unknown=self.unknown_group)
        return self._probabilities(X), codes

    def _adjusted(self, X: Features, sensitive_features: Any) -> Floats:
        p, codes = self._scored(X, sensitive_features)
        return self.model_.adjust(p, codes, unknown=self.unknown_group)

    def predict(self, X: Features, *, sensitive_features: Any = None) -> Labels:
        """The fair decision for each row: deterministic, one subtraction per class."""
        p, codes = self._scored(X, sensitive_features)
        return self.classes_[self.model_.predict(p, codes, unknown=self.unknown_group)]

    def decision_function(self, X: Features, *, sensitive_features: Any = None) -> Floats:
        """The adjusted scores p - theta, whose argmax is the decision. For two classes, the score
        of the second minus that of the first."""
        adjusted = self._adjusted(X, sensitive_features)
        return adjusted[:, 1] - adjusted[:, 0] if len(self.classes_) == 2 else adjusted

    def predict_proba(self, X: Features, *, sensitive_features: Any = None) -> Float64s:
        """The distribution nearest to the adjusted scores. Its argmax is the decision. If the
        offsets of a row's group are zero, it is the classifier's own distribution; otherwise use it
        for ranking only, since it is not calibrated."""
        return _nearest_distribution(self._adjusted(X, sensitive_features))

    def score(
        self,
        X: Features,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        *,
        sensitive_features: Any = None,
    ) -> float:
        """Mean accuracy."""
        decisions = self.predict(X, sensitive_features=sensitive_features)
        return float(accuracy_score(y, decisions, sample_weight=sample_weight))
