"""What the private in-training rivals share: noisy descent on a (multinomial) logistic regression.

A rival is a *penalty*. Beside the log loss l_i, each record pays

    D[s_i] . softmax(z_i / temperature),    z_i = W (x_i, 1),

where s_i is the record's stratum (its group, or the pair of group and label) and D is a table of
strata x classes that the penalty keeps. So the gradient of a record is a_i (x) (x_i, 1) with a
vector a_i of one number per row of W, its norm is |a_i| |(x_i, 1)|, and clipping needs no
gradient of a single record. Two classes share one row of weights, as in dp2dp.

The penalty learns D from a table of how many people of each stratum get each class. Every step
releases, with one Gaussian noise, the pair (clipped gradient, table_weight * clip * table row): a
vector of norm at most clip * sqrt(1 + table_weight^2) per record. Steps are on Poisson samples at
one public rate. Before the first step, the counts of the strata are released. A penalty with
``rounds`` above 0 releases the table of all rows that many times instead.

Privacy: everything of a record is protected (features, label, group) under replace-one. Noise
comes from a seeded generator of numpy, for repeatable experiments: the guarantee is that of the
same program with a secret seed and an exact sampler.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from dp2dp.accounting import Accountant, Event, calibrate

STRATA_SHARE = 0.02  # of the budget in mu^2, for the counts of the strata
ROUNDS_SHARE = 0.2  # of the budget in mu^2, for the tables of a penalty with rounds


@dataclass(frozen=True)
class People:
    """Rows as numbers. The last feature is the constant 1."""

    features: np.ndarray
    labels: np.ndarray
    groups: np.ndarray
    n_classes: int
    n_groups: int

    def __len__(self) -> int:
        return len(self.labels)

    def strata(self, with_labels: bool) -> tuple[np.ndarray, int]:
        """The stratum of each row, and how many strata there are."""
        if with_labels:
            return self.groups * self.n_classes + self.labels, self.n_groups * self.n_classes
        return self.groups, self.n_groups


@dataclass(frozen=True)
class Settings:
    """What is tuned. ``step`` is the step on the mean gradient."""

    steps: int = 200
    rate: float = 0.1
    step: float = 1.0
    momentum: float = 0.9
    clip: float = 1.0
    table_weight: float = 0.3


@dataclass(frozen=True)
class Noise:
    """Standard deviations: on the sum of clipped gradients, on the tables of people (of a batch, or
    of all rows in a round), and on the counts of the strata. ``epsilon`` is what the accountant
    says they cost."""

    gradient: float = 0.0
    table: float = 0.0
    strata: float = 0.0
    epsilon: float = math.inf


@cache
def noise_for(settings: Settings, rounds: int, epsilon: float, delta: float) -> Noise:
    """The noise with which a whole fit is (epsilon, delta)-private under replace-one."""
    if math.isinf(epsilon):
        return Noise()
    mu = 1 / calibrate(Event(sensitivity=1), epsilon=epsilon, delta=delta).sigma
    accountant = Accountant("replace-one")
    # One record is in one cell of a table of counts, so replacing it moves the table by sqrt(2).
    strata = math.sqrt(2 / STRATA_SHARE) / mu
    accountant.add(Event(sensitivity=math.sqrt(2), sigma=strata))
    table = math.sqrt(2 * rounds / ROUNDS_SHARE) / mu
    if rounds:
        accountant.add(Event(sensitivity=math.sqrt(2), sigma=table, count=rounds))
    weight = 0.0 if rounds else settings.table_weight
    if settings.rate < 1:
        norm = settings.clip * math.hypot(1, weight)
        event = Event("poisson", clip_norm=norm, rate=settings.rate, count=settings.steps)
    else:
        moved = settings.clip * math.sqrt(4 + 2 * weight**2)
        event = Event(sensitivity=moved, count=settings.steps)
    event = accountant.calibrate(event, "sigma", epsilon=epsilon, delta=delta)
    accountant.add(event)
    if not rounds:
        table = event.sigma / (weight * settings.clip)
    return Noise(event.sigma, table, strata, accountant.epsilon(delta))


def logistic(z: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-np.clip(z, -80, 80)))


def softmax(logits: np.ndarray) -> np.ndarray:
    if logits.shape[1] == 2:
        second = logistic(logits[:, 1] - logits[:, 0])
        return np.column_stack([1 - second, second])
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)


def logits_of(features: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """One column per class. A single row of weights is that of the second of two classes."""
    if weights.shape[0] > 1:
        return features @ weights.T
    found = np.zeros((len(features), 2), features.dtype)
    found[:, 1] = features @ weights[0]
    return found


def decide(features: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return winners(logits_of(features, weights))


def factors(
    logits: np.ndarray, labels: np.ndarray, costs: np.ndarray, temperature: float
) -> np.ndarray:
    """The vectors a_i: derivatives of l_i + costs_i . softmax(z_i / temperature) in the logits.
    For two classes only the second logit is free."""
    if logits.shape[1] == 2:
        z = logits[:, 1] - logits[:, 0]
        soft = logistic(z / temperature)
        steep = soft * (1 - soft) * (costs[:, 1] - costs[:, 0]) / temperature
        return (logistic(z) - labels + steep)[:, None]
    p = softmax(logits)
    soft = p if temperature == 1 else softmax(logits / temperature)
    mean = (soft * costs).sum(axis=1, keepdims=True)
    a = p + soft * (costs - mean) / temperature
    a[np.arange(len(labels)), labels] -= 1
    return a


def clipped_sum(features: np.ndarray, norms: np.ndarray, a: np.ndarray, clip: float) -> np.ndarray:
    """The sum of the records' gradients a_i (x) x_i, each scaled down to the norm ``clip``."""
    length = np.abs(a[:, 0]) if a.shape[1] == 1 else np.sqrt((a * a).sum(axis=1))
    scale = np.minimum(1, clip / np.maximum(length * norms, 1e-30))
    return (a * scale[:, None]).astype(features.dtype).T @ features


def table_of(strata: np.ndarray, n_strata: int, shares: np.ndarray) -> np.ndarray:
    """Adds up the rows of ``shares`` (probabilities or one-hot decisions) by stratum."""
    columns = [np.bincount(strata, column, n_strata) for column in shares.T]
    return np.column_stack(columns)


def counted(logits: np.ndarray, hard: bool) -> np.ndarray:
    """How a record is counted: by its decision, or by its probabilities."""
    if hard:
        return np.eye(logits.shape[1], dtype=np.float32)[winners(logits)]
    return softmax(logits)


def winners(logits: np.ndarray) -> np.ndarray:
    """The largest logit; the first one wins a tie."""
    if logits.shape[1] == 2:
        return (logits[:, 1] > logits[:, 0]).astype(int)
    return logits.argmax(axis=1)


class Penalty:
    """No penalty: plain private logistic regression. Rivals replace the three methods."""

    with_labels = False  # strata are pairs (group, label), not groups
    hard = False  # tables count decisions, not probabilities
    rounds = 0  # tables of all rows; 0: a table of the sample in every step
    temperature = 1.0

    def start(self, shares: np.ndarray, n_groups: int, n_classes: int) -> None:
        """Takes the shares of the strata, which sum to 1."""
        self.costs = np.zeros((len(shares), n_classes))

    def learn(self, table: np.ndarray, size: float) -> None:
        """Takes a released table of people (strata x classes) of about ``size`` records, and
        renews ``costs``, the table D."""


def released_shares(
    strata: np.ndarray, n_strata: int, std: float, rng: np.random.Generator
) -> np.ndarray:
    counts = np.bincount(strata, minlength=n_strata) + std * rng.standard_normal(n_strata)
    shares = np.maximum(counts / len(strata), 0.002)
    return shares / shares.sum()


def _gradient(people, strata, weights, penalty, settings, noise, rng, norms):
    """A released gradient of a sample (mean over the expected size), after the penalty has learnt
    from the released table of the same sample."""
    part = slice(None)
    if settings.rate < 1:
        part = np.flatnonzero(rng.random(len(people)) < settings.rate)
    x = people.features[part] if settings.rate == 1 else people.features.take(part, axis=0)
    logits = logits_of(x, weights)
    costs = penalty.costs.astype(np.float32)[strata[0][part]]
    a = factors(logits, people.labels[part], costs, penalty.temperature)
    total = clipped_sum(x, norms[part], a, settings.clip)
    total = total + noise.gradient * rng.standard_normal(total.shape)
    size = settings.rate * len(people)
    if not penalty.rounds:
        table = table_of(strata[0][part], strata[1], counted(logits, penalty.hard))
        penalty.learn(table + noise.table * rng.standard_normal(table.shape), size)
    return total / size


def descend(
    people: People,
    penalty: Penalty,
    settings: Settings,
    *,
    epsilon: float,
    delta: float,
    seed: int | list[int],
) -> np.ndarray:
    """Returns the average of the second half of the iterates."""
    rng = np.random.default_rng(seed)
    noise = noise_for(settings, penalty.rounds, epsilon, delta)
    strata = people.strata(penalty.with_labels)
    shares = released_shares(*strata, noise.strata, rng)
    penalty.start(shares, people.n_groups, people.n_classes)
    norms = np.sqrt(np.einsum("ij,ij->i", people.features, people.features))
    rows = 1 if people.n_classes == 2 else people.n_classes
    weights = np.zeros((rows, people.features.shape[1]), np.float32)
    speed = np.zeros_like(weights)
    average = np.zeros(weights.shape)
    every = settings.steps // penalty.rounds if penalty.rounds else settings.steps + 1
    for t in range(settings.steps):
        if penalty.rounds and t % every == 0 and t < every * penalty.rounds:
            shown = counted(logits_of(people.features, weights), penalty.hard)
            table = table_of(*strata, shown)
            penalty.learn(table + noise.table * rng.standard_normal(table.shape), len(people))
        found = _gradient(people, strata, weights, penalty, settings, noise, rng, norms)
        speed = (settings.momentum * speed + found).astype(weights.dtype)
        weights = weights - np.float32(settings.step * (1 - settings.momentum)) * speed
        if t >= settings.steps // 2:
            average += weights
    return average / (settings.steps - settings.steps // 2)
