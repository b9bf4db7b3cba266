"""DP-FERMI, in the manner of Lowy, Gupta and Razaviyayn (2023), changed to full privacy.

Objective: log loss plus lambda times the exponential Renyi mutual information between decision and
group, ERMI = sum_gk P(g, k)^2 / (P(g) P(k)) - 1, written as a maximum over a table V of groups x
classes,

    min_theta max_V (1/n) sum_i l_i(theta) + lambda psi_i(theta, V),
    psi_i = - sum_k p_ik |V_k|^2 + 2 sum_k p_ik V_{g_i k} / sqrt(pi_{g_i}) - 1,

p_i the probabilities of record i, pi_g the shares of the groups. psi_i is linear in p_i, so record
i pays the cost D[g, k] = lambda (2 V_gk / sqrt(pi_g) - |V_k|^2) per unit of probability of class k.
Equalized odds: the same among the people of each label, with a table V for each label; the
labels are weighted by their shares, as conditional mutual information does.

Update: noisy stochastic gradient descent on theta and ascent on V at the same time,

    dV_gk = (2 / size) (T_gk / sqrt(pi_g) - V_gk sum_g' T_g'k),

T the released table of probabilities by group of the same sample, V kept in a ball.

Differences from what was published:
- All of a record is private. Published: the group alone; terms without the group had no noise.
- Group shares are released privately. Published: computed exactly.
- The gradient of V comes from the noisy table T, which one record moves by at most sqrt(2);
  published: noise on the clipped gradient of V itself. That helps this rival.
- Clipping is per record on the sum of both gradients; momentum, and the average of the second
  half of the iterates, are added. That helps this rival.
- Poisson samples, and replace-one accounting by dp2dp. Published: samples of a fixed size, with
  closed-form noise.
- V starts at independence, V_gk = sqrt(pi_g). Steps are larger, because there are fewer of them.
"""

from __future__ import annotations

import numpy as np

from . import descent


class Fermi(descent.Penalty):
    """``strength`` is lambda; ``ascent`` is the step on V."""

    def __init__(self, strength: float, ascent: float = 0.3, odds: bool = False) -> None:
        self.strength, self.ascent, self.with_labels = strength, ascent, odds

    def start(self, shares: np.ndarray, n_groups: int, n_classes: int) -> None:
        # Axes: group, label (one entry for demographic parity), class.
        share = shares.reshape(n_groups, -1)
        self.weight = share.sum(axis=0)
        self.root = np.sqrt(share / self.weight)[:, :, None]
        self.v = np.repeat(self.root, n_classes, axis=2)
        self.radius = 3 * np.sqrt(n_classes)
        self._renew()

    def _renew(self) -> None:
        norms = (self.v**2).sum(axis=0, keepdims=True)
        costs = self.strength * (2 * self.v / self.root - norms)
        self.costs = costs.reshape(-1, costs.shape[2])

    def gradient(self, table: np.ndarray, size: float) -> np.ndarray:
        """The gradient of the mean of psi in V, from the table of people."""
        t = table.reshape(self.v.shape)
        return (2 / size) * (t / self.root - self.v * t.sum(axis=0, keepdims=True))

    def learn(self, table: np.ndarray, size: float) -> None:
        if self.strength == 0:
            return
        step = self.ascent / self.weight[None, :, None]
        self.v = self.v + step * self.gradient(table, size)
        norms = np.sqrt((self.v**2).sum(axis=(0, 2), keepdims=True))
        self.v = self.v * np.minimum(1, self.radius / norms)
        self._renew()


def fit(people, strength, settings, *, ascent=0.3, odds=False, **options) -> np.ndarray:
    """Weights of DP-FERMI; options: epsilon, delta and seed of descent.descend."""
    return descent.descend(people, Fermi(strength, ascent, odds), settings, **options)
