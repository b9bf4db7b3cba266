"""scikit-learn estimators.

``epsilon`` has no default: the user must choose it. The lists of classes and groups and the bounds
of features must be public. If they are not given, they are read off the data, with a
:class:`PrivacyLeakWarning`, and the model is marked as not private. A :class:`PrivacyWarning` or a
:class:`FairnessWarning` says if a result needs care for another reason.

>>> import numpy as np
>>> from sklearn.linear_model import LogisticRegression
>>> from dp2dp import FairPostProcessor
>>> rng = np.random.default_rng(0)
>>> sex = rng.integers(0, 2, 4000)
>>> X = rng.normal(size=(4000, 3)) + sex[:, None]
>>> y = (X.sum(axis=1) + rng.normal(size=4000) > 1).astype(int)
>>> fair = FairPostProcessor(
...     LogisticRegression(), epsilon=1, delta=1e-5, classes=[0, 1], groups=[0, 1]
... )
>>> decisions = fair.fit(X, y, sensitive_features=sex).predict(X, sensitive_features=sex)
>>> bool(abs(decisions[sex == 0].mean() - decisions[sex == 1].mean()) < 0.1)
True
"""

from ._classifier import DP2DPClassifier
from ._logistic import PrivateLogisticRegression
from ._post_processor import FairPostProcessor
from ._warn import FairnessWarning, PrivacyLeakWarning, PrivacyWarning

__all__ = [
    "DP2DPClassifier",
    "FairPostProcessor",
    "FairnessWarning",
    "PrivacyLeakWarning",
    "PrivacyWarning",
    "PrivateLogisticRegression",
]
