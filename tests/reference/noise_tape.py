#!/usr/bin/env python3
"""Draws of an independent sampler, for tests/reference/noise_tape.c.

Provenance: a sampler in exact rational arithmetic (Python integers and fractions.Fraction), written from the tape
protocol of docs/proofs/discrete-gaussian.md. Needs Python 3.8 or later and its standard library only:

    python3 noise_tape.py > noise_tape.csv

Columns: the tape (plain or hard), its seed, the scale s, the draw, and the number of words that the draw reads.
Consecutive rows with the same tape, seed and s read the same tape, one after the other.
"""
from fractions import Fraction
from math import ceil, floor

WORDS = 2**64
SCALES = [1, 2, 3, 7, 1000, 2**20, 2**40, 2**50 - 1, 2**50]
DRAWS = 250


def splitmix(seed, i):
    z = (seed + (i + 1) * 0x9E3779B97F4A7C15) % WORDS
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % WORDS
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % WORDS
    return z ^ (z >> 31)


def plain_word(seed, s, i):
    return splitmix(seed, i)


def hard_word(seed, s, i):
    m = splitmix(seed, i)
    b = 2 * s if m & 8 else s
    special = {0: 0, 1: WORDS - 1, 2: ceil(Fraction((m // 16) % b * WORDS, b))}
    return special.get(m % 8, m)


class Tape:
    def __init__(self, word, seed, s):
        self.word, self.seed, self.s, self.read = word, seed, s, 0

    def next(self):
        self.read += 1
        return self.word(self.seed, self.s, self.read - 1)


def uniform(tape, b):
    if b == 1:
        return 0
    while True:
        w = tape.next()
        v = floor(Fraction(w * b, WORDS))
        first, after = ceil(Fraction(v * WORDS, b)), ceil(Fraction((v + 1) * WORDS, b))
        longer = after - first > WORDS // b
        if not (longer and w == first):
            return v


def bernoulli(tape, p):
    """True with probability a/b. The fraction is not reduced: the protocol fixes its denominator."""
    a, b = p
    return uniform(tape, b) < a


def bernoulli_exp(tape, d, ratios):
    """True with probability exp(-x), where x is the product of the ratios, divided by d."""
    successes = 0
    while all(bernoulli(tape, p) for p in [(1, d * (successes + 1))] + ratios):
        successes += 1
    return successes % 2 == 0


def attempt(tape, s):
    k = 0
    while bernoulli_exp(tape, 2, []):
        k += 1
        if k == 4096:
            return None
    if not all(bernoulli_exp(tape, 2, []) for _ in range(k * (k - 1))):
        return None
    u, sign = divmod(uniform(tape, 2 * s), 2)
    if k == 0 and u == 0 and sign == 1:
        return None
    shape = [(1, [(u, s)])] * k + [(2, [(u, s), (u, s)])]
    if not all(bernoulli_exp(tape, d, ratios) for d, ratios in shape):
        return None
    return (-1) ** sign * (k * s + u)


def gaussian(tape, s):
    while True:
        y = attempt(tape, s)
        if y is not None:
            return y


def main():
    print("tape,seed,scale,draw,words")
    for name, word in (("plain", plain_word), ("hard", hard_word)):
        for seed, s in enumerate(SCALES, start=20240601):
            tape = Tape(word, seed, s)
            for _ in range(DRAWS):
                start = tape.read
                y = gaussian(tape, s)
                print(f"{name},{seed},{s},{y},{tape.read - start}")


if __name__ == "__main__":
    main()
