"""Generates exact_lp.csv: the best accuracy of a randomised rule with unfairness U <= rho, by linear programming.

Provenance: scipy's HiGHS solves the primal problem; the library uses a dual method. Person i has scores p_ik and
gets class k with probability x_ik. Maximise (1/n) sum_ik p_ik x_ik over x_ik >= 0 with sum_k x_ik = 1 and
|r_gk - c_k| <= rho/2 for every class k and every group g that has people, where r_gk is the mean of x_ik over
group g and c_k is free. These constraints say U <= rho.

The people are not stored. They are drawn from the seed by splitmix64: state = seed, one call for each number.
levels = (2^20, 2, 3, 8)[seed mod 4]. For each person the group is next mod G. But if seed mod 3 = 0, a first number
decides: the group is 0 unless that number mod 8 = 0. Then raw_k = 1 + next mod levels for each class k, and p_ik is
raw_k over the sum of the row in double precision, rounded to single. Few levels make many ties. The test draws the
same people.
"""
import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix

import table

WORD = (1 << 64) - 1
RHOS = (0.0, 0.02, 0.1, 0.3)
LEVELS = (1 << 20, 2, 3, 8)
INSTANCES = 1200


def splitmix64(seed):
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & WORD
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
        yield z ^ (z >> 31)


def people(seed, classes, groups, n):
    draw = splitmix64(seed)
    levels = LEVELS[seed % 4]
    group, scores = [], []
    for _ in range(n):
        if seed % 3 == 0 and next(draw) % 8 != 0:
            group.append(0)
        else:
            group.append(next(draw) % groups)
        raw = [1 + next(draw) % levels for _ in range(classes)]
        scores.append([np.float32(r / sum(raw)) for r in raw])
    return np.array(scores, dtype=np.float32).astype(np.float64), np.array(group)


def objective(scores, group, groups, rho):
    n, classes = scores.shape
    unknowns = n * classes + classes
    rows, columns, values, bound = [], [], [], []
    for g in range(groups):
        members = np.flatnonzero(group == g)
        for k in range(classes if len(members) else 0):
            for sign in (1.0, -1.0):
                row = len(bound)
                rows += [row] * (len(members) + 1)
                columns += [int(i) * classes + k for i in members] + [n * classes + k]
                values += [sign / len(members)] * len(members) + [-sign]
                bound.append(rho / 2)
    parity = coo_matrix((values, (rows, columns)), shape=(len(bound), unknowns))
    one = coo_matrix((np.ones(n * classes), (np.repeat(np.arange(n), classes), np.arange(n * classes))),
                     shape=(n, unknowns))
    cost = np.concatenate([-scores.ravel() / n, np.zeros(classes)])
    solved = linprog(cost, A_ub=parity.tocsr(), b_ub=bound, A_eq=one.tocsr(), b_eq=np.ones(n),
                     bounds=[(0, None)] * (n * classes) + [(None, None)] * classes, method="highs",
                     options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10})
    if solved.status != 0:
        raise RuntimeError(solved.message)
    return -solved.fun


def main():
    rows = []
    for seed in range(1, INSTANCES + 1):
        shape = splitmix64(1_000_000 + seed)
        classes, groups = 2 + next(shape) % 5, 2 + next(shape) % 4
        n, rho = 2 + next(shape) % 59, RHOS[next(shape) % 4]
        scores, group = people(seed, classes, groups, n)
        rows.append([seed, classes, groups, n, rho, f"{objective(scores, group, groups, rho):.12f}"])
    table.write("exact_lp.csv", "scipy 1.17.1 (HiGHS), exact_lp.py; people from the seed as documented there",
                ["seed", "classes", "groups", "n", "rho", "objective"], rows)


if __name__ == "__main__":
    main()
