"""Rate-constrained private training, in the manner of Yaghini, Cebere, Menart, Bellet and
Papernot (2026, RaCO-DP).

Problem: minimise the log loss subject to |P(h = k | g) - P(h = k)| <= gamma for every group g and
class k. Lagrangian with multipliers mu+, mu- >= 0 for the two signs.

Update, on a Poisson sample: release a noisy histogram of (group, decision) and the clipped gradient
of loss + sum_gk (mu+_gk - mu-_gk) (rate_gk - rate_k), the rates replaced by means of
softmax(z / temperature) and the group sizes by those of the released shares. Record i pays
D[g, k] = M_gk / pi_g - sum_g' M_g'k, M = mu+ - mu-. The rates of the histogram move the
multipliers: mu+ grows by ascent * (rate_gk - rate_k - gamma), mu- by ascent * (rate_k - rate_gk -
gamma), both kept in [0, limit].

Differences from what was published:
- Histogram and gradient are one Gaussian release of the pair, so the multipliers are those of the
  histogram before; published: Laplace noise on the histogram, then the gradient. Under replace-one
  and hundreds of steps a Gaussian needs less noise. That helps this rival.
- Rates come from an exponential moving average of the histograms (``memory``); momentum, and the
  average of the second half of the iterates, are added. That helps this rival.
- Replace-one accounting by dp2dp; published: add/remove.
- Group sizes come from one private release.
"""

from __future__ import annotations

import numpy as np

from . import descent


class RateConstrained(descent.Penalty):
    hard = True

    def __init__(
        self,
        gamma: float,
        ascent: float = 0.3,
        memory: float = 0.9,
        temperature: float = 1.0,
        limit: float = 2.0,
    ) -> None:
        self.gamma, self.ascent, self.memory = gamma, ascent, memory
        self.temperature, self.limit = temperature, limit

    def start(self, shares: np.ndarray, n_groups: int, n_classes: int) -> None:
        self.shares = shares
        self.up = np.zeros((n_groups, n_classes))
        self.down = np.zeros((n_groups, n_classes))
        self.costs = np.zeros((n_groups, n_classes))
        self.table = np.zeros((n_groups, n_classes))
        self.seen = 0.0

    def learn(self, table: np.ndarray, size: float) -> None:
        self.table = self.memory * self.table + table / size
        self.seen = self.memory * self.seen + 1
        rates = np.clip(self.table / self.seen / self.shares[:, None], 0, 1)
        gaps = rates - self.shares @ rates
        self.up = np.clip(self.up + self.ascent * (gaps - self.gamma), 0, self.limit)
        self.down = np.clip(self.down + self.ascent * (-gaps - self.gamma), 0, self.limit)
        net = self.up - self.down
        self.costs = net / self.shares[:, None] - net.sum(axis=0)


def fit(people, gamma, settings, *, ascent=0.3, memory=0.9, temperature=1.0, **options):
    """Weights of RaCO-DP; options: epsilon, delta and seed of descent.descend."""
    penalty = RateConstrained(gamma, ascent, memory, temperature)
    return descent.descend(people, penalty, settings, **options)
