"""Generates gaussian_exact.csv and gaussian_reference.csv: the privacy curve of the Gaussian
mechanism in 60-digit arithmetic, on a grid of mu and at the unsampled `pld` rows of
accounting_reference.csv.

Provenance: closed form, delta(eps) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu), evaluated
and inverted by mpmath. `kind` names the column, epsilon or delta, that was computed from the other.
At the rows of the reference, mu = sqrt(T) * sensitivity / sigma, with sensitivity 2 under
replace-one and 1 under add/remove.
"""
import mpmath as mp

import table

mp.mp.dps = 60
DELTAS = ["1e-2", "1e-3", "1e-4", "1e-5", "1e-6", "1e-7", "1e-8", "1e-9", "1e-10", "1e-11", "1e-12"]
MUS = ["1e-5", "1e-4", "0.001", "0.01", "0.05", "0.1", "0.25", "0.5", "0.75", "1", "1.5", "2", "3",
       "4", "6", "8", "12", "16", "20", "25", "28"]


def tail(x):
    """Phi(-x)."""
    return mp.erfc(x / mp.sqrt(2)) / 2


def delta_of(eps, mu):
    return tail(eps / mu - mu / 2) - mp.exp(eps) * tail(eps / mu + mu / 2)


def invert(curve, delta, start):
    """The eps at which a decreasing curve is delta, or 0 if curve(0) <= delta: bracketing, then
    Anderson-Bjorck."""
    if curve(mp.mpf(0)) <= delta:
        return mp.mpf(0)
    lo, hi = mp.mpf(0), mp.mpf(start)
    while curve(hi) > delta:
        lo, hi = hi, 2 * hi
    target = mp.log(delta)
    while hi - lo > hi / 64:
        mid = (lo + hi) / 2
        lo, hi = (mid, hi) if curve(mid) > delta else (lo, mid)
    return mp.findroot(lambda e: mp.log(curve(e)) - target, (lo, hi), solver="anderson", tol=1e-80)


def reference_rows():
    rows = []
    for r in table.reference_rows():
        if r["mechanism"] == "gaussian":
            sensitivity = 2 if r["neighbouring_relation"] == "REPLACE_ONE" else 1
            mu = mp.sqrt(int(r["T"])) * sensitivity / mp.mpf(float(r["sigma"]))
            eps = invert(lambda e: delta_of(e, mu), mp.mpf(float(r["delta"])), mu)
            rows.append([r["sigma"], r["T"], r["delta"], r["neighbouring_relation"],
                         mp.nstr(eps, 20), r["epsilon"]])
    return rows


def main():
    table.write("gaussian_reference.csv", "gaussian_exact.py: closed form, mpmath, 60 digits",
                ["sigma", "T", "delta", "relation", "epsilon", "reference"], reference_rows())
    rows = []
    for mu_text in MUS:
        mu = mp.mpf(float(mu_text))  # the double that a program reads from the table
        for delta_text in DELTAS:
            delta = mp.mpf(float(delta_text))
            eps = invert(lambda e: delta_of(e, mu), delta, mu)
            rows.append(["epsilon", mu_text, mp.nstr(eps, 20), delta_text])
        for k in ("0", "0.25", "1", "2.5", "4", "6"):
            eps_text = mp.nstr(mu * mu / 2 + mp.mpf(k) * mu, 3)
            eps = mp.mpf(float(eps_text))
            rows.append(["delta", mu_text, eps_text, mp.nstr(delta_of(eps, mu), 20)])
    table.write("gaussian_exact.csv", "gaussian_exact.py: closed form, mpmath, 60 digits",
                ["kind", "mu", "epsilon", "delta"], rows)


if __name__ == "__main__":
    main()
