"""Writes decimal_powers.c: python3 decimal_powers.py > decimal_powers.c

5^q = t 2^(l - 127), where l = floor(log2 5^q) and 2^127 <= t < 2^128, t rounded down. Integer
arithmetic throughout; that l + q = floor(q 217706 / 2^16), which the C code uses, is checked here.
"""
LEAST, MOST = -342, 308


def mantissa(q):
    bits = (5 ** abs(q)).bit_length()
    if q >= 0:
        floor_log = bits - 1
        t = 5**q << 128 >> bits
    else:
        floor_log = -bits  # 5^-q is no power of two
        t = (1 << (127 + bits)) // 5**-q
    assert 1 << 127 <= t < 1 << 128
    assert floor_log + q == q * 217706 >> 16
    return f"{{0x{t >> 64:016x}u, 0x{t & (1 << 64) - 1:016x}u}}"


cells = [mantissa(q) for q in range(LEAST, MOST + 1)]
print('/* Written by decimal_powers.py. */\n#include "table/decimal_powers.h"\n')
print("const dp2dpi_power_of_5 dp2dpi_powers_of_5[] = {")
for i in range(0, len(cells), 2):
    print("    " + ", ".join(cells[i : i + 2]) + ",")
print("};")
