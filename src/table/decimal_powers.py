"""Writes decimal_powers.c: python3 decimal_powers.py > decimal_powers.c

t(q) has 128 bits: 5^q = t 2^(l - 127), where l = floor(log2 5^q), and t is rounded down. Uses
only integer arithmetic. Also checks l + q = floor(q 217706 / 2^16), which the C code uses, for
every q that the tables reach.
"""
LEAST, STEP, COUNT = -364, 28, 25


def first_128_bits(q):
    bits = (5 ** abs(q)).bit_length()
    if q >= 0:
        floor_log = bits - 1
        t = 5**q << 128 >> bits
    else:
        floor_log = -bits  # 5^-q is not a power of 2
        t = (1 << (127 + bits)) // 5**-q
    assert 1 << 127 <= t < 1 << 128
    assert floor_log + q == q * 217706 >> 16
    return t


def write(name, cells, each_line):
    print(f"\nconst {name}[] = {{")
    for i in range(0, len(cells), each_line):
        print("    " + ", ".join(cells[i : i + each_line]) + ",")
    print("};")


powers = {q: first_128_bits(q) for q in range(LEAST, LEAST + STEP * COUNT)}
high = {q: f"0x{t >> 64:016x}u" for q, t in powers.items()}
both = {q: f"{{{high[q]}, 0x{t & (1 << 64) - 1:016x}u}}" for q, t in powers.items()}
print('/* Written by decimal_powers.py. */\n#include "table/decimal_powers.h"')
write("dp2dpi_two_words dp2dpi_large_powers_of_5", [both[q] for q in list(powers)[::STEP]], 2)
write("uint64_t dp2dpi_small_powers_of_5", [high[q] for q in range(STEP)], 4)
write("dp2dpi_two_words dp2dpi_negative_powers_of_5", [both[-q] for q in range(STEP)], 2)
