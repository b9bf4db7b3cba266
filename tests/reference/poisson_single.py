"""Generates poisson_single.csv: one release of the Poisson-subsampled Gaussian, in 60 digits.

Provenance: closed form. The privacy loss L(x) of a pair (P, Q) is monotone, so if it increases,
delta(eps) = P(x > x*) - e^eps Q(x > x*) with L(x*) = eps. The noise has standard deviation z. The
replace-one pair is (1-q)N(0,z^2)+qN(1,z^2) against (1-q)N(0,z^2)+qN(-1,z^2). For add/remove delta is
the larger of two pairs: (1-q)N(0,z^2)+qN(1,z^2) against N(0,z^2), and the reverse. `kind` names the
column, epsilon or delta, that was computed from the other. delta_loose is delta(eps / 1.001): the
delta of an accountant whose eps is 0.1 % too large.
"""
import mpmath as mp

import table
from gaussian_exact import invert, tail

mp.mp.dps = 60
SIGMAS = ["0.3", "0.5", "1", "2", "4", "10", "40", "1000"]
RATES = ["1e-6", "0.001", "0.013", "0.1", "0.5", "0.9", "1"]
DELTAS = ["1e-2", "1e-5", "1e-8", "1e-12"]


def delta_replace(eps, z, q):
    # L(x) = eps is a quadratic equation in y = exp(x/z^2); with A = exp(-1/(2z^2)):
    # qA y^2 + (1-q)(1-e^eps) y - e^eps qA = 0.
    e, a = mp.exp(eps), q * mp.exp(-1 / (2 * z * z))
    b = (1 - q) * (e - 1)
    y = (b + mp.sqrt(b * b + 4 * a * a * e)) / (2 * a)
    u = mp.log(y) * z
    p = (1 - q) * tail(u) + q * tail(u - 1 / z)
    return p - e * ((1 - q) * tail(u) + q * tail(u + 1 / z))


def delta_remove(eps, z, q):
    e = mp.exp(eps)
    if e <= 1 - q:
        return 1 - e
    u = z * mp.log((e - 1 + q) / q) + 1 / (2 * z)
    return (1 - q) * tail(u) + q * tail(u - 1 / z) - e * tail(u)


def delta_add(eps, z, q):
    # Here L decreases in x, so delta(eps) = P(x < x*) - e^eps Q(x < x*).
    e = mp.exp(eps)
    if 1 / e <= 1 - q:
        return mp.mpf(0)
    u = z * mp.log((1 / e - 1 + q) / q) + 1 / (2 * z)
    return tail(-u) - e * ((1 - q) * tail(-u) + q * tail(-u + 1 / z))


def curve_of(relation, z, q):
    if relation == "REPLACE_ONE":
        return lambda e: delta_replace(e, z, q)
    return lambda e: max(delta_remove(e, z, q), delta_add(e, z, q))


def epsilon_single(relation, z, q, delta):
    curve = curve_of(relation, z, q)
    if curve(mp.mpf(0)) <= delta:
        return mp.mpf(0)
    directions = [curve] if relation == "REPLACE_ONE" else \
        [lambda e: delta_remove(e, z, q), lambda e: delta_add(e, z, q)]
    best = mp.mpf(0)
    for one in directions:
        if one is directions[-1] and len(directions) == 2 and one(best) <= delta:
            continue  # at the first direction's eps the second one is below delta already
        best = max(best, invert(one, delta, min(q, q / z)))
    return best


def main():
    rows = []
    for relation in ("REPLACE_ONE", "ADD_OR_REMOVE_ONE"):
        for z_text in SIGMAS:
            for q_text in RATES:
                z, q = mp.mpf(float(z_text)), mp.mpf(float(q_text))
                curve = curve_of(relation, z, q)
                for delta_text in DELTAS:
                    eps = epsilon_single(relation, z, q, mp.mpf(float(delta_text)))
                    rows.append(["epsilon", relation, z_text, q_text, mp.nstr(eps, 20), delta_text,
                                 ""])
                eps_text = mp.nstr(epsilon_single(relation, z, q, mp.mpf("3e-7")), 3)
                eps = mp.mpf(float(eps_text))
                if eps > 0:
                    rows.append(["delta", relation, z_text, q_text, eps_text,
                                 mp.nstr(curve(eps), 20),
                                 mp.nstr(curve(eps / mp.mpf("1.001")), 20)])
    table.write("poisson_single.csv", "poisson_single.py: closed form, mpmath, 60 digits",
                ["kind", "relation", "sigma", "q", "epsilon", "delta", "delta_loose"], rows)


if __name__ == "__main__":
    main()
