"""Option checks shared by the functions that fit a rule."""

from __future__ import annotations

from collections.abc import Iterable, KeysView, Set
from typing import Any

import numpy as np

from . import _core
from ._core import OptionError
from ._factored import is_missing
from ._meant import meant
from ._warn import FairnessWarning, warn

_UNCOVERED = {"scores-from-pool", "classifier-not-private"}
_NOT_PRIVATE = 'not_private_because=["scores-from-pool"]'
NO_SAMPLE_WEIGHT = (
    "sample_weight is not supported: the noise is large enough only if each person counts once, "
    "but a weight makes a person count more"
)


_ALIKE = {  # what other libraries call an option: the name of that option here
    "penalty": "c alpha l1 l2 reg reg_lambda lambda lambda_ weight_decay regularization",
    "steps": "max_iter n_iter iterations num_steps epochs n_epochs num_epochs n_estimators",
    "step_size": "lr learning_rate learning_rate_init eta eta0",
    "batch": "batch_size expected_batch_size minibatch_size",
    "clip": "max_grad_norm l2_norm_clip clipping_norm grad_norm",
    "insecure_seed": "random_state seed random_seed",
    "rho": "difference_bound",
}
_NO_NOISE_OPTION = "noise_multiplier sigma noise noise_scale".split()


class UnknownOptionError(OptionError, TypeError):
    """An option does not exist. Also a TypeError, as for any unknown argument in Python."""


def _meant_by(name: str, known: Iterable[str]) -> str:
    """Returns the end of a message about the unknown option ``name``: what a user of another
    library probably wants. Returns an empty text if that is not known."""
    plain = name.lower()
    if plain in _NO_NOISE_OPTION and "epsilon" in known:
        return ": epsilon and delta determine the noise"
    here = next((one for one, names in _ALIKE.items() if plain in names.split()), None)
    if here is None or here not in known:
        return ""
    if here != "penalty":
        return f": the option is called {here!r} here"
    return (
        ": the option is called 'penalty' here, and only the methods 'output' and 'none' have it. "
        "With 'none', C in scikit-learn is 1/penalty"
    )


def unknown_option(name: object, known: list[str]) -> UnknownOptionError:
    """Returns the error about the unknown option ``name``. ``known`` are the names that exist."""
    text = f"unknown option {name!r}"
    if more := _meant_by(str(name), known) or meant(str(name), known):
        return UnknownOptionError(text + more)
    of = {"penalty": "dp2dp.train", "offset_max": "dp2dp.fit"}
    function = next((of[one] for one in of if one in known), None)
    if function is None:
        return UnknownOptionError(
            f"{text}: the options are {', '.join(sorted({*known} - {'noticed'}))}"
        )
    named = [one[0] for one in _core.options(function == "dp2dp.train") if one[0] in known]
    return UnknownOptionError(
        f"{text}: the numeric options are {', '.join(named)}. dp2dp.core.options({function}) "
        f"explains them, and help({function}) names the others"
    )


def check_flag(value: Any, name: str) -> bool:
    """Returns the option ``name`` as a bool. Refuses any ``value`` but True, False, 0 and 1: Python
    counts a text such as "no" as True."""
    if isinstance(value, (bool, np.bool_)) or (type(value) is int and value in (0, 1)):
        return bool(value)
    plain = value is None or isinstance(value, (str, int, float))
    shown = repr(value) if plain else f"a {type(value).__name__}"
    raise OptionError(f"{name} must be True or False, not {shown}")


def refuse_unordered(given: object, what: str) -> None:
    """Refuses a set. Codes and bounds depend on the order of a list, and the order of a set differs
    from run to run."""
    if isinstance(given, Set) and not isinstance(given, KeysView):  # a dict's keys have an order
        raise OptionError(f"{what} must be a list: a {type(given).__name__} has no order")


def name_list(given: Iterable[object] | None) -> list[str] | None:
    """Returns the names as texts. Refuses a set, because it has no order; a dict, because its
    values would be lost; and a single text, because each of its letters would become a name."""
    if isinstance(given, str):
        raise OptionError(
            f"names (of groups, classes or columns) must be a list, not the text {given!r}"
        )
    if isinstance(given, dict):
        raise OptionError(
            "names (of groups, classes or columns) must be a list in the order of the codes, not "
            f"{given!r}"
        )
    refuse_unordered(given, "names")
    names = None if given is None else list(given)
    if names is not None and any(is_missing(name) for name in names):
        raise OptionError("a list of names must not hold a missing value (None or NaN)")
    return None if names is None else [str(name) for name in names]


def check_same_people(options: dict[str, Any]) -> None:
    """Refuses ``same_people=True`` if the options do not state the privacy cost of training the
    classifier on these people."""
    reasons = [*(options.get("not_private_because") or ()), *(options.get("leaks") or ())]
    known = options.get("base") is not None or options.get("scores_epsilon") is not None
    same = options.get("same_people")
    said = same is not None and _core.flag("same_people", same)
    if said and not known and not {*reasons} & _UNCOVERED:
        raise OptionError(
            "same_people=True needs the cost of the scores: pass base, or scores_epsilon and "
            "scores_delta. If the model that gave the scores was trained without privacy, pass "
            f"{_NOT_PRIVATE} instead"
        )


def refuse_foreign(options: dict[str, Any]) -> None:
    """Refuses options that only estimators have, and a ``base`` that is not a Model. Call this
    before the other checks, whose messages would mislead."""
    if "constraints" in options:
        raise UnknownOptionError("unknown option 'constraints' (did you mean 'criterion'?)")
    if "scores_from_pool" in options:
        raise UnknownOptionError(
            f"unknown option 'scores_from_pool' (did you mean {_NOT_PRIVATE}?)"
        )
    if "noticed" in options:
        raise UnknownOptionError("unknown option 'noticed'")
    refuse_budget(options)
    if options.get("sample_weight") is not None:
        raise OptionError(NO_SAMPLE_WEIGHT)
    for name in ("base", "group_base"):
        if options.get(name) is not None:
            need_model(options[name], name)


def refuse_budget(options: dict[str, Any]) -> None:
    """Refuses the option ``budget``, which only estimators have."""
    if "budget" in options:
        raise UnknownOptionError(
            "unknown option 'budget': call ledger.set_budget(epsilon, delta), and pass ledger"
        )


def need_model(given: Any, name: str = "model", method: str | None = None) -> None:
    """Refuses anything but a Model. For an estimator, the message suggests its attribute ``model_``
    and, if the estimator has the method named ``method``, also that method."""
    if isinstance(given, _core.Model):
        return
    words = f"{name} must be a dp2dp.Model, not {type(given).__name__}"
    if isinstance(given, type) or not hasattr(given, "predict"):
        raise TypeError(f"{words}; dp2dp.Model.load(path) reads a file")
    fit = "" if hasattr(given, "model_") else "fit the estimator, and "
    own = f", or call its method {method}" if method and hasattr(given, method) else ""
    raise TypeError(f"{words}: {fit}pass the estimator's attribute model_{own}")


def say_as_many_trained(model: Any, options: dict[str, Any]) -> None:
    """Warns if this fit has as many people as the training of ``base``, and ``same_people`` is left
    out: the people may be the same."""
    known = getattr(options.get("base"), "info", {}).get("classifier")
    if known and options.get("same_people") is None and known["records"] == model.records:
        warn(
            "as-many-people: this fit has as many people as the training of base. If the people "
            "are the same, pass same_people=True, so that the costs add up. If the people are not "
            "the same, pass same_people=False; this warning then goes away"
        )


def say_alike_names(options: dict[str, Any]) -> None:
    """Warns of names of groups or classes that differ only in blanks or upper and lower case."""
    for name, what in (("group_names", "groups"), ("class_names", "classes")):
        first: dict[str, str] = {}
        for one in options.get(name) or ():
            other = first.setdefault("".join(one.split()).casefold(), one)
            if other != one:
                warn(
                    f"{what}-alike: {other!r} and {one!r} in {name} differ only in blanks or in "
                    "upper and lower case, and count as two different names. If both mean the "
                    "same, write both in the same way",
                    FairnessWarning,
                )
                break
