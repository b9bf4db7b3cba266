"""The private Lagrangian dual, in the manner of Tran, Fioretto and Van Hentenryck (2021, PF-LD),
for two classes.

Objective: min_theta max_{mu >= 0} sum_i l_i + sum_g mu_g |m_g - m|, m_g the mean probability of
the second class in group g, m that of everybody.

Update: rounds. A round releases the table of probabilities by group, takes from it the violations
v_g = m_g - m, adds strength * |v_g| to mu_g, and then runs private descent on theta with the
signs of v held. Record i pays D[g, 1] = mu_g sign(v_g) / pi_g - sum_g' mu_g' sign(v_g') per unit of
probability of the second class. The last round decides.

Multipliers only grow, so their step (``strength``) decides how fair the result is: it traces the
curve. It was published with one step per data set, as one point.

Differences from what was published:
- Descent on theta goes on through the rounds with momentum, and the average of the second half of
  the iterates is returned; published: the last iterate of the last epoch. That helps this rival.
- Violations are released from all rows, with the sensitivity of a table of counts, sqrt(2), which
  is smaller than that of separate group means. That helps this rival.
- Loss and violation terms are clipped together, per record.
- Replace-one accounting by dp2dp, of everything in a record; the published account is Renyi
  under add/remove and protects the group; features and labels too, but with a budget of their own.
"""

from __future__ import annotations

import numpy as np

from . import descent


class Lagrangian(descent.Penalty):
    def __init__(self, strength: float, rounds: int = 20, hard: bool = False) -> None:
        self.strength, self.rounds, self.hard = strength, rounds, hard

    def start(self, shares: np.ndarray, n_groups: int, n_classes: int) -> None:
        if n_classes != 2:
            raise ValueError("the private Lagrangian dual is for two classes")
        self.shares = shares
        self.multipliers = np.zeros(n_groups)
        self.costs = np.zeros((n_groups, 2))

    def learn(self, table: np.ndarray, size: float) -> None:
        means = np.clip(table[:, 1] / (size * self.shares), 0, 1)
        violations = means - self.shares @ means
        self.multipliers = self.multipliers + self.strength * np.abs(violations)
        push = self.multipliers * np.sign(violations)
        self.costs[:, 1] = push / self.shares - push.sum()


def fit(people, strength, settings, *, rounds=20, hard=0, **options) -> np.ndarray:
    """Weights of PF-LD; options: epsilon, delta and seed of descent.descend."""
    return descent.descend(people, Lagrangian(strength, rounds, bool(hard)), settings, **options)
