"""Looks for a cross-validation or search of scikit-learn whose fit is running, and notices what
goes wrong there later: scores without groups, and a choice of rho that makes the rule least
fair."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

from ._core import OptionError
from ._search import frames
from ._warn import FairnessWarning, warn

_told: weakref.WeakSet[Any] = weakref.WeakSet()  # searches that a warning was about
_WRAPPERS = ("sklearn.model_selection._classification_threshold", "sklearn.calibration")
_GROUPS = "sensitive_features"


def _running(*names: str) -> Iterator[dict[str, Any]]:
    """Yields the local variables of each function of sklearn.model_selection that is running now
    and whose name is one of ``names``."""
    for frame in frames():
        inside = str(frame.f_globals.get("__name__")).startswith("sklearn.model_selection")
        if inside and frame.f_code.co_name in names:
            yield frame.f_locals


def say_wrapped() -> None:
    """Warns, once for each wrapper, if a wrapper of scikit-learn that decides by a threshold of its
    own, or changes the probabilities, fits or asks a fair estimator."""
    found = None
    for frame in frames():
        inside = str(frame.f_globals.get("__name__")).startswith(_WRAPPERS)
        found = frame.f_locals.get("self", found) if inside else found
    if found is None or found in _told:
        return
    _told.add(found)
    warn(
        "wrapper-not-fair: the decisions of this wrapper are not those of the fair rule. "
        f"{type(found).__name__} decides by probabilities and a threshold of its own, so the "
        "rates of the groups may differ by more than rho. Use the predict of the fair estimator, "
        "or put the wrapper inside, as the classifier of a FairPostProcessor",
        FairnessWarning,
    )


def _has_groups(given: Any) -> bool:
    """Returns whether parameters name the groups, also as a parameter of a pipeline's step."""
    return any(str(name).endswith(_GROUPS) for name in given or {})


def _all_of_sklearn(scorer: Any) -> bool:
    """Returns whether scores come from the estimator's own ``score`` or from scorers of
    scikit-learn. Others may find the groups in another way, or measure fairness too."""
    inner = scorer if isinstance(scorer, dict) else getattr(scorer, "_scorers", None)
    if inner is not None:
        return all(_all_of_sklearn(one) for one in inner.values())
    if isinstance(scorer, (list, tuple, set)):
        return all(map(_all_of_sklearn, scorer))
    known = scorer is None or isinstance(scorer, str)
    return known or getattr(scorer, "__module__", "") == "sklearn.metrics._scorer"


def _function_of(scorer: Any) -> Any:
    """Returns the function that make_scorer was given, or None for any other scorer."""
    return getattr(scorer, "_score_func", None)


def _knows_groups(scorer: Any) -> bool:
    """Returns whether one of the scorers was made from a function that is not scikit-learn's, and
    so may measure fairness."""
    inner = scorer if isinstance(scorer, dict) else getattr(scorer, "_scorers", None)
    if inner is not None or isinstance(scorer, (list, tuple, set)):
        return any(map(_knows_groups, scorer if inner is None else inner.values()))
    module = str(getattr(_function_of(scorer), "__module__", "sklearn"))
    return module.partition(".")[0] != "sklearn"


def refuse_unscorable() -> None:
    """Refuses a fit inside a cross-validation that passes the groups to ``fit`` and not to the
    scorer. Every score would fail, after every fit was charged."""
    for known in _running("_fit_and_score", "_fit_and_predict"):
        if not _has_groups(known.get("fit_params")) or _has_groups(known.get("score_params")):
            continue
        if "scorer" in known and not _all_of_sklearn(known["scorer"]):
            continue
        raise OptionError(
            "this cross-validation passes sensitive_features to fit, but not to the predictions on "
            "the other rows, which need the groups too: make the group a column of X and set "
            "sensitive_column; or turn on metadata routing with "
            "sklearn.set_config(enable_metadata_routing=True), and call "
            "set_fit_request(sensitive_features=True) and "
            "set_score_request(sensitive_features=True) of the estimator"
        )


def _chooses_rho(search: Any) -> bool:
    """Returns whether a search tries several values of rho, and keeps the value with the best score
    of scikit-learn."""
    grid = getattr(search, "param_grid", None) or getattr(search, "param_distributions", None)
    grids = grid if isinstance(grid, (list, tuple)) else [grid]
    pairs = [pair for one in grids if isinstance(one, dict) for pair in one.items()]
    several = any(
        str(name).rpartition("__")[2] == "rho" and getattr(values, "__len__", lambda: 2)() > 1
        for name, values in pairs
    )
    refit = getattr(search, "refit", False)
    scoring = getattr(search, "scoring", None)
    is_chosen = refit is not False and not callable(refit)
    return several and is_chosen and _all_of_sklearn(scoring)


def _takes_largest(scorer: Any) -> bool:
    """Returns whether a scorer was made from the function ``unfairness`` of this package, but
    treats a larger unfairness as better."""
    function = _function_of(scorer)
    ours = getattr(function, "__module__", "") == f"{__package__}.metrics"
    return ours and function.__name__ == "unfairness" and getattr(scorer, "_sign", 0) > 0


def say_rho_chosen() -> None:
    """Warns, once for each search, if the search chooses rho by a score that knows nothing of
    fairness."""
    for known in _running("fit", "evaluate_candidates"):
        search = known.get("self")
        if search is None or search in _told or not _chooses_rho(search):
            continue
        _told.add(search)
        scoring = getattr(search, "scoring", None)
        if _takes_largest(scoring):
            warn(
                "rho-by-unfairness: this search chooses the rho with the largest unfairness, since "
                "make_scorer takes larger values for better ones. Pass "
                "scoring=dp2dp.metrics.unfairness_scorer('gender'), where 'gender' is the column "
                "of X with the group",
                FairnessWarning,
            )
        if _knows_groups(scoring):
            continue
        warn(
            "rho-by-accuracy: this search chooses rho by a score that does not measure fairness. "
            "Scores such as accuracy choose the largest rho, the least fair rule. Choose rho by "
            "the largest gap that you accept, and leave it out of the search; or look at a curve "
            "of error and unfairness (docs/python/search.md)",
            FairnessWarning,
        )
