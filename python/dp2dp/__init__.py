"""Fair and differentially private post-processing of classifiers.

- :mod:`dp2dp.estimators`: scikit-learn estimators; most users start here.
- :mod:`dp2dp.core`: a thin layer over the C library.
- :mod:`dp2dp.accounting`: events, epsilon, delta, calibration, ledgers.
- :mod:`dp2dp.metrics`: rates and unfairness; :mod:`dp2dp.plot`: figures (needs matplotlib).
- :mod:`dp2dp.sql`: fits a rule to people whose rows stay in a database.
- :mod:`dp2dp.spark`: an estimator for Spark (needs pyspark).
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ._core import BudgetError, DataError, Error, NoBoundError, OptionError
from ._core import version as __version__
from ._warn import FairnessWarning, PrivacyLeakWarning, PrivacyWarning
from .accounting import Accountant, Event, Ledger, dpsgd_epsilon, dpsgd_noise_multiplier
from .core import Certificate, Model, Schema, certify, evaluate, fit, train, verify

if TYPE_CHECKING:
    from .estimators import DP2DPClassifier, FairPostProcessor, PrivateLogisticRegression

_MODULES = ("accounting", "core", "estimators", "metrics", "plot", "spark", "sql")

__all__ = [
    "Accountant",
    "BudgetError",
    "Certificate",
    "DP2DPClassifier",
    "DataError",
    "Error",
    "Event",
    "FairPostProcessor",
    "FairnessWarning",
    "Ledger",
    "Model",
    "NoBoundError",
    "OptionError",
    "PrivacyLeakWarning",
    "PrivacyWarning",
    "PrivateLogisticRegression",
    "Schema",
    "__version__",
    "certify",
    "dpsgd_epsilon",
    "dpsgd_noise_multiplier",
    "evaluate",
    "fit",
    "train",
    "verify",
]


def __getattr__(name: str) -> Any:
    # Imports dp2dp.estimators only when needed, because the import of scikit-learn takes a second.
    if name in __all__:
        return getattr(import_module(".estimators", __name__), name)
    if name in _MODULES:
        return import_module("." + name, __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    # inspect.getmembers reads every name. Without pyspark, reading dp2dp.spark raises an error that
    # says what to install, so the name is left out.
    missing = {"spark"} if find_spec("pyspark") is None else set()
    return sorted({*__all__, *_MODULES} - missing)
