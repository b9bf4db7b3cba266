"""A thin layer over the C library, which takes arrays and returns models.

Arrays are passed without a copy if scores are float32 or float64, and codes of groups and classes
are int8, int16 or int32, with any strides. Columns of pandas are passed without a copy if they lie
in one block of memory. Columns of polars, pyarrow and others are passed without a copy too, through
the Arrow PyCapsule interface. Other types of numbers are converted first, with one copy. The GIL is
released while the library works. Ctrl-C stops a fit, a training and the reading of rows. Ctrl-C
before the charge costs no budget. An exception in Python code that produces the rows of a pyarrow
RecordBatchReader is raised unchanged here.

>>> import numpy as np, dp2dp
>>> p = np.random.default_rng(0).random((2000, 1)) ** 2
>>> scores, groups = np.hstack([1 - p, p]), np.arange(2000) % 2
>>> model = dp2dp.fit(scores, groups, n_groups=2, epsilon=1, delta=1e-5)
>>> model.predict(scores[:3], groups[:3]).dtype
dtype('int32')
>>> model.private, model.epsilon <= 1
(True, True)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _arrays, _core, _criterion
from ._advice import codes_explained, labels_explained, left_out_explained, sums_explained
from ._by_name import names_from_base, names_from_frames, whole_table
from ._core import DataError, OptionError
from ._equal_rows import by_scores, by_values
from ._frame import names_in, refuse_lazy, refuse_twice
from ._meant import meant
from ._measures import Bound, Certificate, Evaluation, Unfairness, certify, evaluate
from ._model import Cover, Model, check_bad_rows, tell, told
from ._odd_labels import say_odd_labels
from ._odd_rows import say_odd_rows, say_outside_of_rows
from ._odd_scores import say_decisions, say_odd_scores
from ._odd_weights import Weighed
from ._options import (
    check_same_people,
    name_list,
    need_model,
    refuse_budget,
    refuse_foreign,
    say_alike_names,
)
from ._outside import outside_untold
from ._places import derive
from ._row_hashes import bits_in
from ._rows_of_fit import remember, remember_equal, say_trained, some_rows
from ._same_rows import count_fit
from ._schema import Encoded, Rows, Schema, opened
from ._source import Counter, count, fit_source
from ._stream import fit_stream
from ._train_source import Question, Shard, train_source
from ._typing import Array, ArrowStream, Codes, Float32s, Floats, Path
from ._warn import FairnessWarning, PrivacyWarning, held, keeping

__all__ = [
    "Bound",
    "Certificate",
    "Check",
    "Counter",
    "Cover",
    "Encoded",
    "Evaluation",
    "FairnessWarning",
    "Model",
    "Option",
    "PrivacyWarning",
    "Question",
    "Rows",
    "Schema",
    "Scores",
    "Shard",
    "Unfairness",
    "certify",
    "count",
    "evaluate",
    "fit",
    "fit_source",
    "fit_stream",
    "options",
    "score",
    "train",
    "train_source",
    "verify",
]


def __dir__() -> list[str]:
    return sorted(__all__)


class Option(NamedTuple):
    """A numeric option of :func:`fit` or :func:`train`: its ``name``, its ``default`` (None if it
    has no default), its ``minimum`` and ``maximum``, and ``help``, which says what the option does.
    ``used_by`` lists the solvers or methods that use the option, or is None if all of them do."""

    name: str
    default: float | None
    minimum: float
    maximum: float
    used_by: list[str] | None
    help: str


def options(function: Callable[..., Model]) -> list[Option]:
    """Returns the numeric options of ``function``, which is :func:`fit` or :func:`train`, from the
    library's own table.

    >>> [option.name for option in options(fit)][:3]
    ['rho', 'epsilon', 'delta']
    """
    if function not in (fit, train):
        raise OptionError(f"function must be fit or train, not {function!r}")
    return [
        Option(name, default, low, high, users.split("|") if users else None, words)
        for name, default, low, high, users, words in _core.options(function is train)
    ]


def fit(
    scores: Array,
    groups: Array | None,
    *,
    n_groups: int | None = None,
    group_names: Iterable[object] | None = None,
    class_names: Iterable[object] | None = None,
    criterion: str = "demographic_parity",
    labels: Array | None = None,
    weights: Array | None = None,
    solver: str = "counts",
    rho: float = 0.0,
    epsilon: float | None = None,
    delta: float | None = None,
    **options: Any,
) -> Model:
    """Learns a fair rule from class probabilities and groups.

    ``scores`` is an array of N rows and K columns; ``groups`` holds codes from 0. The list of
    groups is public: give ``n_groups`` or ``group_names``. ``class_names`` are the names of the
    columns, by default numbers. ``rho`` is the tolerance: the fit aims at rates that differ by at
    most rho between groups.

    ``criterion`` is what becomes equal between groups: "demographic_parity",
    "true_positive_rate_parity" (or "equal_opportunity"), "false_positive_rate_parity" (or
    "predictive_equality"), "equalized_odds", or "custom" with ``statistics``, a list of (class,
    labels). Each pair stands for a rate: the share of people who get the class, among the people
    with one of the labels, or among all people if labels is None. All criteria but demographic
    parity need ``labels``, the true class of each row as a code. ``positive`` is the code or name
    of the class whose true or false positive rate is compared. The default is class 1 of two
    classes, and every class if there are more. With ``counted="scores"``, scores replace labels;
    wrong scores then make an unfair rule.

    ``weights`` makes a rule that does not see the group. Weights are probabilities of the groups,
    or of the pairs (group, label), ordered by group and then by label. The model that gave the
    weights must be trained on other people. ``predict`` needs weights too.

    ``dither`` is the width of the public random numbers added to scores, by default what the
    criterion needs. ``dither_key`` says what these random numbers are computed from: "scores", "id"
    (give ``ids``, numbers or texts, here and to ``predict``; anyone who can choose an id can choose
    the decision) or "row", the default for demographic parity with a rule that sees the group.

    ``multiplicity`` says how many records each row stands for, such as the counts of a GROUP BY. It
    is not for survey weights: a person whose row stands for w records needs ``rows_per_person`` w.
    ``grid=b`` rounds scores to multiples of 2^-b, here and in ``predict`` (docs/fit.md).

    Privacy: ``epsilon`` and ``delta``, which have no default, are charged before the first noise is
    drawn. The ``solver`` "exact" takes neither of them and adds no noise; ``insecure_seed`` makes
    the noise repeatable. In both cases the model is not private.

    Further ``options``: those of ``options(fit)``, and ``normalize``, ``threads``, ``bad_rows`` and
    ``leaves_out`` (see below), ``base`` (the model that gave the scores; it also gives names that
    are missing here), ``group_base`` (a model that predicts the group and gave the weights; the new
    model holds both), ``same_people`` (whether the model that gave the scores was trained on some
    of these people), ``total_epsilon`` (in place of epsilon: the largest epsilon of scores and fit
    together), ``not_private_because`` (a list of reasons, as words), ``progress`` (a function that
    is called with step and total), ``dither_seed``, ``score_columns``, ``weight_columns``,
    ``group_column``. ``ledger`` is charged in addition to the model's own ledger; ``note``
    describes its new entries. ``people`` names the people given here, and states that none of them
    is charged under another name. Without ``people``, everybody is charged. If the scores come from
    a private model that is not ``base``, state its cost as ``scores_epsilon`` and ``scores_delta``,
    and its release_id as ``scores_id``. ``model.warnings`` names the warnings.

    A row is bad if its scores are not probabilities, its group is not one of the codes, or it has a
    missing value of numpy or pandas. ``bad_rows="ignore"`` counts a bad row as a record that adds
    nothing, and nothing in the result mentions the row. "refuse" raises :class:`DataError`. Nulls
    of Arrow are always refused. ``leaves_out=True`` says that the code -1 in groups or labels marks
    a record that is left out, as in :func:`score`. Set this flag by the public schema alone, not by
    the data.

    >>> scores, groups = [[0.9, 0.1], [0.2, 0.8]] * 500, [0, 0, 1, 1] * 250
    >>> repaid = {"labels": [0, 1, 1, 1] * 250, "criterion": "equal_opportunity"}
    >>> loans = fit(scores, groups, n_groups=2, solver="exact", **repaid)
    >>> loans.criterion, loans.rule
    ('true_positive_rate_parity', 'linear')
    """
    options.update(n_groups=n_groups, group_names=group_names, class_names=class_names)
    options.update(criterion=criterion, labels=labels, weights=weights, solver=solver, rho=rho)
    options.update(epsilon=epsilon, delta=delta)
    return _fit_and_tell(scores, groups, options)


def _fit_and_tell(scores: Array, groups: Array | None, options: dict[str, Any]) -> Model:
    """Fits a rule, and gives all warnings about it."""
    behind = [options[name] for name in ("base", "group_base") if options.get(name) is not None]
    quiet = options.get("same_people") or options.get("bad_rows") == "ignore"
    # The fit checks other scores only later.
    values = scores if isinstance(scores, np.ndarray) and scores.dtype.kind == "f" else None
    seen = not quiet and say_trained(behind, scores, groups, scores=values)
    model = fit_quietly(scores, groups, **options)
    with keeping(model=model), held():
        with keeping():
            remember(model, scores, groups, behind=behind)
        told(model, options, as_many=not seen)
        rows = [one for one in (groups, scores) if one is not None]
        told_by_rows = options.get("multiplicity") is None and options.get("bad_rows") != "ignore"
        equal = by_scores(values if told_by_rows else None)
        count_fit(model, rows, options.get("ledger"), equal)
    return model


def fit_quietly(
    scores: Array,
    groups: Array | None,
    *,
    n_groups: int | None = None,
    group_names: Iterable[object] | None = None,
    class_names: Iterable[object] | None = None,
    **options: Any,
) -> Model:
    """Does what :func:`fit` does, without the library's warnings."""
    refuse_foreign(options)
    check_same_people(options)
    if group_names is None and isinstance(options.get("base"), Model):
        group_names = names_from_base(options["base"], n_groups, options)
    listed = name_list(group_names)
    if n_groups is None and listed is None:
        wrong = [name for name in options if meant(name, ["n_groups", "group_names"])]
        raise OptionError(
            "give n_groups or group_names: the list of groups must be public and is not read off "
            "the data" + "".join(f". There is no option {name!r}" for name in wrong[:1])
        )
    count = len(listed or []) if n_groups is None else n_groups
    options.update(group_names=listed, class_names=name_list(class_names))
    say_alike_names(options)
    scores, options["weights"] = whole_table(scores), whole_table(options.get("weights"))
    names_from_frames(scores, options)
    ignore = check_bad_rows(options.get("bad_rows", "refuse"))
    people = _arrays.people(scores, groups, options, ignore=ignore)
    base = options.get("base")
    _criterion.take_positive(options, options["class_names"] or (base.classes if base else None))
    _criterion.complete(options, groups, people[0].shape[-1])
    if not ignore and not options.get("leaves_out"):
        options["noticed"] = _look_at(*people, count, dict(options))
    labels, classes = options.get("labels"), people[0].shape[-1]
    explained = codes_explained(people[1], count), labels_explained(labels, classes)
    left_out = left_out_explained(*people, options.get("leaves_out"))
    with explained[0], explained[1], sums_explained(people[0]), left_out:
        model = Model._fit(*people, count, options)
    if not ignore and options.get("multiplicity") is None:
        with keeping():
            remember_equal(model, by_scores(people[0]))
    return model


def _look_at(
    scores: Floats, groups: Codes | None, n_groups: int, given: dict[str, Any]
) -> Callable[[list[str]], None]:
    """Returns a function that gives the warnings about the people of a fit. The library calls this
    function with the names of its own warnings after it has checked the people and before it
    charges. If a user turns warnings into exceptions, nothing is charged then. ``given`` are the
    options of the fit."""
    labels = given.get("labels")
    weighed = Weighed(given.get("weights"), scores, groups, labels, n_groups)

    def noticed(words: list[str]) -> None:
        weighed.noticed(words)
        say_odd_scores(scores, given)
        weighed.say_odd()
        say_decisions(scores, groups, labels)
        say_odd_labels(scores, labels)

    return noticed


def train(
    schema: Schema | str | os.PathLike[str] | dict[str, Any],
    rows: Path | ArrowStream | None = None,
    *,
    method: str = "dpgd",
    epsilon: float | None = None,
    delta: float | None = None,
    **options: Any,
) -> Model:
    """Trains private logistic regression on labelled rows, encoded by a public ``schema``: a
    :class:`Schema`, or its name, path or dict.

    ``rows`` is the path of a table or any table with an Arrow stream. ``method`` is "dpgd",
    "dpsgd", "output", "none" (not private) or "external", which takes ``weights`` in place of rows.
    ``target`` is what the classifier predicts: "label", "group-label" (the pair; summing over the
    groups gives the probabilities of the label) or "group". "group-label" and "group" give the
    weights for a rule that does not see the group.

    Privacy: ``epsilon`` and ``delta``, which have no default, are charged before the first noise is
    drawn.

    Further ``options`` are those of ``options(train)``, and ``insecure_seed``, ``threads``,
    ``progress``, ``ledger``, ``people`` and ``note`` (see :func:`fit`), ``train_share`` and
    ``bad_rows``. ``train_share`` takes only this share of the budget, and leaves the rest to a
    :func:`fit` on the same people with ``total_epsilon``. The budget is divided in terms of mu²,
    where mu is the parameter of Gaussian differential privacy. A row is bad if a value cannot be
    read, is missing or is not in the schema's list: ``bad_rows="refuse"`` raises an error, and
    "ignore" counts a bad row as a record that adds nothing.

    >>> columns = [
    ...     {"name": "age", "role": "feature", "kind": "numeric", "lower": 18, "upper": 90},
    ...     {"name": "paid", "role": "label", "kind": "categorical", "levels": ["no", "yes"]},
    ... ]
    >>> schema = {"format": "dp2dp-schema", "version": {"major": 1, "minor": 0}, "columns": columns}
    >>> schema["origin"] = "public"
    >>> rows = Rows([[38.0], [51.0]] * 500, ["age", "paid"], [([0, 1] * 500, ["no", "yes"])])
    >>> train(schema, rows, epsilon=1, delta=1e-5).private
    True
    """
    if isinstance(rows, Schema) or hasattr(schema, "__arrow_c_stream__"):
        raise TypeError("the schema comes first: dp2dp.train(schema, rows)")
    options.update(method=method, epsilon=epsilon, delta=delta)
    schema = schema if isinstance(schema, Schema) else Schema(schema)
    refuse_lazy(rows)
    refuse_twice([name for name in map(str, names_in(rows)) if name in schema.columns])
    if options.get("bad_rows") != "ignore":
        say_odd_rows(schema, rows, options)
    model = train_quietly(schema, rows, **options)
    with keeping(model=model), held():
        with keeping():
            remember(model, rows)
            if options.get("bad_rows") != "ignore":
                _remember_training(model, rows)
        tell(model)
        bits = {} if options.get("bad_rows") == "ignore" else bits_in(rows)
        count_fit(model, [rows], options.get("ledger"), by_values(bits))
    return model


def _remember_training(model: Model, rows: Any) -> None:
    """Remembers the scores of the rows of a training, or of some of them if there are many, so that
    a fit of a rule to the same people is noticed."""
    if (some := some_rows(rows)) is None:
        return
    with outside_untold(True):
        if (scores := score(model, some).scores) is not None:
            remember_equal(model, by_scores(scores), len(some) / len(rows))


def train_quietly(
    schema: Schema | str | os.PathLike[str] | dict[str, Any],
    rows: Path | ArrowStream | None,
    *,
    method: str,
    **options: Any,
) -> Model:
    """Does what :func:`train` does, without warnings."""
    schema = schema if isinstance(schema, Schema) else Schema(schema)
    if rows is None and method != "external":
        raise OptionError(f"method {method!r} needs rows: pass a table, or the path of one")
    if options.get("weights") is not None:
        options["weights"] = np.ascontiguousarray(options["weights"], dtype=np.float64)
    refuse_budget(options)
    options["method"] = method
    ignore = check_bad_rows(options.get("bad_rows", "refuse"))
    with opened(rows, schema if ignore else None) as given:
        return Model._train(schema, given, options)


class Scores(NamedTuple):
    """The result of :func:`score`. ``rows`` are the positions of the rows in the table. ``scores``
    are the probabilities of the classes. ``labels`` and ``groups`` are codes, or None if they were
    not asked for.

    ``left_out`` marks the rows that are left out, or is None if the public schema and options leave
    no row out. A row that is left out has NaN for its probabilities, and -1 for its label and
    group. Such a row is still a record: :func:`fit` and :func:`certify` count it with
    ``leaves_out=True``. For predictions, take the other rows: ``scores[~left_out]``.

    A classifier that predicts pairs (target "group-label") gives weights too: ``group_weights``,
    the probabilities of the groups, and ``stratum_weights``, the probabilities of the pairs (group,
    label), for a criterion with labels. If the classifier predicts only the group, ``scores`` is
    None, and ``group_weights`` has the result. Weights are guesses of a sensitive attribute: do not
    store them."""

    rows: npt.NDArray[np.int64]
    scores: Float32s  # None if the classifier predicts only the group
    labels: Codes | None
    groups: Codes | None
    left_out: npt.NDArray[np.bool_] | None = None
    group_weights: Float32s | None = None
    stratum_weights: Float32s | None = None


def score(
    model: Model,
    rows: Path | ArrowStream,
    *,
    labels: bool = False,
    groups: bool = False,
    bad_rows: str = "refuse",
    group_model: Model | None = None,
) -> Scores:
    """Returns the probabilities that the classifier of ``model`` predicts for ``rows``, a path or a
    table with an Arrow stream. ``labels=True`` and ``groups=True`` add the codes of the label and
    of the group. The result also has the rows that the schema leaves out and, with
    ``bad_rows="ignore"``, the bad rows; see :class:`Scores`. Charges nothing. The scores are
    computed from the rows without noise, so they are not private. ``group_model`` is a model with
    the same schema that predicts the group. It gives the weights of the groups; pass the same model
    to :func:`fit` as ``group_base``.

    >>> from dp2dp import PrivateLogisticRegression
    >>> private = PrivateLogisticRegression(epsilon=1, delta=1e-5, bounds=(0, 1), classes=[0, 1])
    >>> model = private.fit([[0.2], [0.9]] * 500, [0, 1] * 450 + [1, 0] * 50).model_
    >>> score(model, Rows([[0.2], [0.9]], ["x0"])).scores.argmax(axis=1).tolist()
    [0, 1]
    """
    need_model(model)
    labels, groups = _core.flag("labels", labels), _core.flag("groups", groups)
    if group_model is not None:
        need_model(group_model, "group_model")
    classifier = model.info["classifier"]
    if classifier is None:
        raise OptionError("the model has no classifier, so it cannot score rows")
    schema = Schema(classifier["schema"])
    ignore = check_bad_rows(bad_rows)
    with opened(rows, schema if ignore else None) as given:
        stream, leaves_out = model._score(schema, given, labels, groups, ignore, group_model)
        batches = _arrays.batches(stream, "scores")
    if not ignore:
        say_outside_of_rows(schema, rows)
    # A table without rows has no batches; the empty arrays give each column its type even then.
    n_classes, n_groups = len(model.classes), len((group_model or model).groups)
    of_group = classifier["target"] == "group"
    of_pairs = classifier["target"] == "group-label"
    empty: dict[str, npt.NDArray[Any]] = {"rows": np.empty(0, np.int64)}
    if not of_group:
        empty["scores"] = np.empty((0, n_classes), np.float32)
    for name, has in (("labels", labels), ("groups", groups)):
        empty |= {name: np.empty(0, np.int32)} if has else {}
    if leaves_out:
        empty["left_out"] = np.empty(0, np.int8)
    if of_group or of_pairs or group_model or model.info["group_classifier"]:
        empty["group_weights"] = np.empty((0, n_groups), np.float32)
    if of_pairs:
        empty["stratum_weights"] = np.empty((0, n_groups * n_classes), np.float32)
    columns = zip(empty.values(), *batches, strict=True)
    found = dict(zip(empty, (np.concatenate(column) for column in columns), strict=True))
    if leaves_out:
        left_out = found["left_out"] = found["left_out"].astype(bool)
        for name in {"scores", "group_weights", "stratum_weights"} & {*found}:
            found[name][left_out] = np.nan
        for name in {"labels", "groups"} & {*found}:
            found[name][left_out] = -1
    for made in found.values():
        derive(made, rows)
    none: dict[str, Any] = {"scores": None, "labels": None, "groups": None}
    return Scores(**{**none, **found})


class Check(NamedTuple):
    """One check of :func:`verify`. ``what`` is file, release, training, published, model,
    ledger-entry, copy, people or certificates; ``other`` is the file that ``file`` was compared
    with, if any. ``message`` says in words what was found. ``result`` is "holds", "fails", or
    "noted" if the given files cannot decide whether the check holds, or if the message contradicts
    nothing but should be known."""

    what: str
    file: str
    other: str | None
    result: str
    message: str


def verify(*paths: Path) -> list[Check]:
    """Checks the files at ``paths`` (models, ledgers and certificates) as ``dp2dp verify`` does:
    each file by itself, and against the other files. Returns the list of all checks. If a check
    fails, raises a :class:`DataError` that has this list as ``checks``. A check that the given
    files cannot decide has the result "noted". Ledgers that are copies of one ledger and were both
    charged fail; several ledgers with charges for people of one name are noted, with their joint
    epsilon.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "model.json")
    >>> scores, groups = [[0.9, 0.1], [0.2, 0.8]] * 500, [0, 0, 1, 1] * 250
    >>> fit(scores, groups, n_groups=2, solver="exact").save(path)
    >>> [check.result for check in verify(path)][0]
    'holds'
    """
    if any(isinstance(path, (list, tuple)) for path in paths):
        raise TypeError("pass the paths one by one: verify(*paths)")
    checks: list[Any] = []
    try:
        _core.verify(list(paths), checks)
    except DataError as error:
        error.checks = [Check(*check) for check in checks]
        raise
    return [Check(*check) for check in checks]
