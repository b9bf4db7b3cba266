"""Generates num_elementary.csv and num_normal.csv: values of the functions of src/num in 60-digit arithmetic
(mpmath).

Arguments are hexadecimal doubles, so they are exact. A value is written as two doubles: the nearest one, and the
nearest to the remainder. Together they have more than 100 bits, enough to measure an error in fractions of an ulp.
"""
import random

import mpmath as mp

import table

mp.mp.dps = 60
LN2 = mp.log(2)
rng = random.Random(20240611)


def spread(low, high, n):
    """n random arguments between two positive ends, evenly spread in the logarithm."""
    return [float(mp.mpf(low) * (mp.mpf(high) / low) ** ((i + rng.random()) / n)) for i in range(n)]


def both_signs(xs):
    return xs + [-x for x in xs]


def upper(x):
    return mp.erfc(x / mp.sqrt(2)) / 2


def quantile(p):
    start = mp.sqrt(-2 * mp.log(p))
    return mp.findroot(lambda x: mp.log(upper(x)) - mp.log(p), start if start > 2 else mp.mpf(1))


FUNCTIONS = {
    "exp": (mp.exp, both_signs(spread(1e-20, 700, 40)) +
            [0.0, 709.78271289338397, 705.5, -708.3, -700.5, float(LN2), float(LN2 / 2), 64.0, -1.0]),
    "expm1": (mp.expm1, both_signs(spread(1e-300, 40, 40)) + [0.5, -0.5, 0.49999999999999994, 700.25]),
    "log": (mp.log, spread(1e-307, 1e307, 30) + spread(0.5, 2, 30) +
            [5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1.0, 1 + 2.0 ** -52,
             1 - 2.0 ** -53, 2.0 ** 0.5, 0.5 ** 0.5]),
    "log1p": (mp.log1p, spread(1e-300, 1e15, 40) + [-x for x in spread(1e-300, 0.9999, 40)] +
              [0.41, -0.29, 1e300, -0.9999999999999999]),
    "sinh": (mp.sinh, both_signs(spread(1e-300, 709, 40)) + [0.5, 700.5, 709.9, 0.3, 0.45]),
    "asinh_of_exp": (lambda y: mp.asinh(mp.exp(y)), both_signs(spread(1e-3, 600, 30)) +
                     [0.0, 40.0, 40.5, 1e6]),
    "log_gamma": (mp.loggamma, spread(1e-300, 1e15, 60) + [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 12.0]),
    "normal_upper": (upper, both_signs(spread(1e-10, 37, 40)) + [0.0, 37.5, 1.0, 4.0]),
    "normal_log_upper": (lambda x: mp.log(upper(x)),
                         both_signs(spread(1e-5, 35, 30)) + [0.0, 1.0, 50.0, 1000.0]),
    "normal_mills": (lambda x: mp.exp(x * x / 2) * upper(x),
                     spread(1e-10, 100, 40) + [0.0, -0.1, -1.0, -2.5, -4.0, -5.0, 1e6]),
    "normal_upper_quantile": (quantile, spread(1e-300, 0.499, 40) + [0.4999999]),
}
MIXED = [(q, a) for q in spread(1e-12, 0.999, 8)
         for a in both_signs(spread(1e-8, 25, 4)) + [29.9, 30.1, 300.0]]


def row(name, x, value, y=None):
    head = float(value)
    return [name, x.hex(), "" if y is None else y.hex(), head.hex(), float(value - mp.mpf(head)).hex()]


def rows(names):
    return [row(name, x, FUNCTIONS[name][0](mp.mpf(x))) for name in names for x in FUNCTIONS[name][1]]


def main():
    normal = [name for name in FUNCTIONS if name.startswith("normal")]
    plain = rows([name for name in FUNCTIONS if name not in normal])
    for q, a in MIXED:
        plain.append(row("log_mix", q, mp.log1p(mp.mpf(q) * mp.expm1(mp.mpf(a))), a))
    header = ["function", "x", "y", "value", "rest"]
    provenance = "60-digit values; made by num_functions.py with mpmath " + mp.__version__
    table.write("num_elementary.csv", provenance, header, plain)
    table.write("num_normal.csv", provenance, header, rows(normal))


if __name__ == "__main__":
    main()
