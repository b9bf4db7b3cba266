"""The epsilon of one pair of data sets under the sampler of Algorithm 1 as published.

Each of b draws of a step picks a group by a fair coin and then one of its members. One person's
record differs between the two data sets of a pair; everybody else's record leaves the coordinates
that it moves alone. So a step releases a mixture of normal distributions: N(2√2 k, σ²) with the
probability that the person is drawn k times. The loss distribution of a step is put on a grid and
convolved with itself. The result is numerical, good to about three digits, and no bound.
"""

import math

import numpy as np

MOVE = 2 * math.sqrt(2)  # by one draw, in both blocks of a gradient together
POINTS = 1 << 18
WIDTH = 4e-4  # of a cell of the grid of losses
MOST = 40  # draws of one person in one step


def law_of_draws(batch: int, rate: float) -> np.ndarray:
    """How often a step draws a person, without the ends of probability below 1e-14."""
    counts = range(min(batch, MOST) + 1)
    law = [math.comb(batch, k) * rate**k * (1 - rate) ** (batch - k) for k in counts]
    return np.array([p for p in law if p > 1e-14])


def log_mixture(y: np.ndarray, law: np.ndarray, sigma: float) -> np.ndarray:
    """The logarithm of the mixture's density over that of N(0, σ²)."""
    shifts = MOVE * np.arange(len(law))
    terms = (np.outer(y, shifts) - shifts**2 / 2) / sigma**2 + np.log(law)
    top = terms.max(axis=1)
    return top + np.log(np.exp(terms - top[:, None]).sum(axis=1))


def on_grid(losses: np.ndarray, masses: np.ndarray) -> np.ndarray:
    """The transform of a loss distribution; losses beyond the grid go to its ends."""
    cells = np.clip(np.round(losses / WIDTH), -POINTS // 2, POINTS // 2 - 1).astype(int)
    return np.fft.rfft(np.bincount(cells % POINTS, weights=masses / masses.sum(), minlength=POINTS))


def values_of(law: np.ndarray, sigma: float) -> np.ndarray:
    return np.linspace(-10 * sigma, 10 * sigma + MOVE * (len(law) - 1), 40001)


def step_within(law: np.ndarray, sigma: float) -> np.ndarray:
    """The person has another class: one mixture appears and another disappears."""
    y = values_of(law, sigma)
    ratio, normal = log_mixture(y, law, sigma), np.exp(-((y / sigma) ** 2) / 2)
    return on_grid(ratio, normal * np.exp(ratio)) * on_grid(-ratio, normal)


def step_across(own: np.ndarray, other: np.ndarray, sigma: float) -> np.ndarray:
    """The person has another group: the mixture changes its sign and its law of draws."""
    y = np.linspace(-1, 1, 80001) * max(values_of(law, sigma)[-1] for law in (own, other))
    first, second = log_mixture(y, own, sigma), log_mixture(-y, other, sigma)
    return on_grid(first - second, np.exp(-((y / sigma) ** 2) / 2 + first))


def counts(sigma: float) -> np.ndarray:
    """Both group counts move by one."""
    mu = math.sqrt(2) / sigma
    losses = np.linspace(-10, 10, 20001) * mu + mu**2 / 2
    return on_grid(losses, np.exp(-(((losses - mu**2 / 2) / mu) ** 2) / 2))


def epsilon_at(delta: float, transform: np.ndarray) -> float:
    masses = np.fft.irfft(transform, POINTS).clip(0)
    losses = WIDTH * np.fft.fftfreq(POINTS, 1 / POINTS)
    low, high = 0.0, WIDTH * POINTS / 2
    for _ in range(40):
        epsilon = (low + high) / 2
        exceeds = float(masses @ -np.expm1(np.minimum(epsilon - losses, 0))) > delta
        low, high = (epsilon, high) if exceeds else (low, epsilon)
    return high


def epsilon_within(batch: int, group: int, steps: int, sigma: float, delta: float = 1e-5) -> float:
    law = law_of_draws(batch, 0.5 / group)
    return epsilon_at(delta, step_within(law, sigma) ** steps)


def epsilon_across(
    batch: int,
    groups: tuple[int, int],
    steps: int,
    sigma: float,
    sigma_counts: float,
    delta: float = 1e-5,
) -> float:
    """groups: the sizes of the person's group in both data sets. The larger of both directions."""
    laws = [law_of_draws(batch, 0.5 / group) for group in groups]
    both = [step_across(*pair, sigma) for pair in (laws, laws[::-1])]
    return max(epsilon_at(delta, step**steps * counts(sigma_counts)) for step in both)
