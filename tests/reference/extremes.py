"""Generates extremes.csv: brackets around eps at the ends of the supported range of parameters.

Provenance: the Gaussian closed form for q = 1, poisson_single.py for T = 1, contour.py for the rest.
The rows are a fixed random choice from the grid below. Points with eps > 500 are out of range, and
points where the two evaluations of contour.py disagree are left out. eps is set to 0 only where
delta(0) <= delta/2.
"""
import itertools
import random

import mpmath as mp

import contour
import table
from gaussian_exact import delta_of, invert
from poisson_single import curve_of, epsilon_single

SIGMAS = [0.3, 0.7, 1.0, 3.0, 20.0, 300.0, 1e4]
RATES = [1e-8, 1e-6, 1e-4, 0.003, 0.05, 0.3, 1.0]
COUNTS = [1, 2, 30, 1000, 30000, 1000000, 10000000]
DELTAS = [1e-2, 1e-4, 1e-6, 1e-9, 1e-12]
RELATIONS = ["REPLACE_ONE", "ADD_OR_REMOVE_ONE"]
CHOSEN = 300


def bracket(relation, z, q, T, delta):
    if q == 1.0:
        mu = mp.sqrt(T) * (2 if relation == "REPLACE_ONE" else 1) / mp.mpf(z)
        if mu > 32:
            return None
        eps = float(invert(lambda e: delta_of(e, mu), mp.mpf(delta), mu))
    elif T * curve_of(relation, mp.mpf(z), mp.mpf(q))(mp.mpf(0)) <= delta / 2:
        eps = 0.0  # the total variation of T releases is at most T times that of one
    elif T == 1:
        eps = float(epsilon_single(relation, mp.mpf(z), mp.mpf(q), mp.mpf(delta)))
    else:
        lower, upper = contour.epsilon_of(relation, z, q, T, delta, 2)
        if lower > 0:
            return lower, upper
        eps = 0.0 if contour.epsilon_of(relation, z, q, T, delta / 2, 2)[1] == 0 else None
    return None if eps is None else (eps * (1 - 1e-9), eps * (1 + 1e-9))


def main():
    grid = list(itertools.product(SIGMAS, RATES, COUNTS, DELTAS, RELATIONS))
    rows, left_out = [], 0
    for z, q, T, delta, relation in sorted(random.Random(20240229).sample(grid, CHOSEN)):
        try:
            found = bracket(relation, z, q, T, delta)
        except (contour.NotConverged, ValueError, OverflowError, FloatingPointError) as reason:
            print("left out:", relation, z, q, T, delta, type(reason).__name__, flush=True)
            left_out += 1
            continue
        if found is not None and found[1] <= 500:
            rows.append([z, q, T, delta, relation, found[0], found[1]])
    print("left out:", left_out)
    table.write("extremes.csv", "extremes.py: closed forms and contour integrals",
                ["sigma", "q", "T", "delta", "relation", "lower", "upper"], rows)


if __name__ == "__main__":
    main()
