"""Generates renyi_poisson_integer.csv: Renyi divergences of one Poisson-subsampled Gaussian
release.

Provenance: add/remove at integer orders a, with noise z and rate q, by the binomial series
    D_a = 1/(a-1) log sum_k C(a,k) (1-q)^(a-k) q^k exp(k(k-1)/(2z^2))        (method `series`).
Fractional orders, and the replace-one pair (1-q)N(0,z^2)+qN(1,z^2) against
(1-q)N(0,z^2)+qN(-1,z^2), by the trapezoidal rule for  integral P^a Q^(1-a)  in 50 digits; the step
is halved until two results agree to 1e-25 (method `quadrature`). The add/remove value is the larger
of the two directions. That is the mixture against the Gaussian, which quadrature confirms on part of
the grid.
"""
import mpmath as mp

import table

mp.mp.dps = 50
ORDERS = [2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256]
RATES = ["1e-8", "1e-4", "0.001", "0.013", "0.064", "0.1", "0.5", "0.9", "1"]
SIGMAS = ["0.3", "0.5", "1", "2", "4", "10", "40", "1000"]


def series(z, q, order):
    total = mp.mpf(0)
    for k in range(order + 1):
        if q == 1 and k < order:
            continue
        total += mp.binomial(order, k) * (1 - q) ** (order - k) * q ** k \
            * mp.exp(mp.mpf(k * (k - 1)) / (2 * z * z))
    return mp.log(total) / (order - 1)


def quadrature(pair, z, q, order):
    def integrand(u):
        up = 1 - q + q * mp.exp((u - 1 / (2 * z)) / z)
        down = 1 - q + q * mp.exp((-u - 1 / (2 * z)) / z)
        phi = mp.exp(-u * u / 2)
        if pair == "replace":
            return phi * up ** order * down ** (1 - order)
        return phi * (up ** order if pair == "remove" else up ** (1 - order))

    reach = 2 * order / z + 2 / z + 17
    step = min(mp.mpf(1) / 6, z / 5)

    def trapezoid(first, spacing):
        n = int(reach / spacing) + 1
        return mp.fsum(integrand(first + i * spacing) for i in range(-n, n + 1))

    total = trapezoid(mp.mpf(0), step) * step
    while True:
        finer = total / 2 + trapezoid(step / 2, step) * step / 2
        step /= 2
        if abs(finer / total - 1) < mp.mpf("1e-25") * min(q * q / z ** 2, 1):
            return mp.log(finer / mp.sqrt(2 * mp.pi)) / (order - 1)
        total = finer


def main():
    rows = []
    for z_text in SIGMAS:
        for q_text in RATES:
            z, q = mp.mpf(float(z_text)), mp.mpf(float(q_text))
            for order in ORDERS:
                rows.append(["ADD_OR_REMOVE_ONE", "series", z_text, q_text, order,
                             mp.nstr(series(z, q, order), 20)])
    for z_text in ("0.5", "1", "4", "40"):
        for q_text in ("1e-4", "0.013", "0.1", "0.9"):
            z, q = mp.mpf(float(z_text)), mp.mpf(float(q_text))
            check = quadrature("remove", z, q, mp.mpf(8))
            assert abs(check / series(z, q, 8) - 1) < mp.mpf("1e-20")
            assert quadrature("add", z, q, mp.mpf(8)) <= check
            for order_text in ("1.1", "1.5", "2.5", "7.75"):
                d = quadrature("remove", z, q, mp.mpf(float(order_text)))
                assert quadrature("add", z, q, mp.mpf(float(order_text))) <= d
                rows.append(["ADD_OR_REMOVE_ONE", "quadrature", z_text, q_text, order_text,
                             mp.nstr(d, 20)])
            for order_text in ("1.25", "2", "3", "4.5", "8", "32"):
                d = quadrature("replace", z, q, mp.mpf(float(order_text)))
                rows.append(["REPLACE_ONE", "quadrature", z_text, q_text, order_text,
                             mp.nstr(d, 20)])
    table.write("renyi_poisson_integer.csv",
                "renyi_poisson.py: binomial series and quadrature, mpmath, 50 digits",
                ["relation", "method", "sigma", "q", "order", "divergence"], rows)


if __name__ == "__main__":
    main()
