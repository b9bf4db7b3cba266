#!/usr/bin/env python3
"""Words of the insecure seeded generator, for tests/reference/noise_rng.c.

Provenance: ChaCha20, coded below from its definition (20 rounds, 64-bit block counter, 64-bit nonce 0), and BLAKE2b
of Python's hashlib, combined as in docs/proofs/rng.md. Needs Python 3.8 or later and its standard library only:

    python3 noise_rng.py > noise_rng.csv

Columns: seed, index of the word (from 0), the word in hexadecimal. The script first checks its ChaCha20 against the
published all-zero-key test vector.
"""
import hashlib
import struct

MASK = 2**32 - 1
BLOCK_BYTES = 4096
WORDS_PER_BLOCK = 508
SEEDS = [0, 1, 20240601, 2**64 - 1]
INDICES = [0, 1, 2, 3, 506, 507, 508, 509, 1015, 1016, 5000]


def rotate(x, n):
    return ((x << n) | (x >> (32 - n))) & MASK


def quarter(x, a, b, c, d):
    for target, add, other, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        x[target] = (x[target] + x[add]) & MASK
        x[other] = rotate(x[other] ^ x[target], turn)


def chacha20_block(key, counter):
    start = list(struct.unpack("<4I", b"expand 32-byte k")) + list(struct.unpack("<8I", key))
    start += [counter & MASK, counter >> 32, 0, 0]
    x = list(start)
    for _ in range(10):
        for i in range(4):
            quarter(x, i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            quarter(x, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return struct.pack("<16I", *((a + b) & MASK for a, b in zip(x, start)))


def words(seed):
    key = hashlib.blake2b(b"dp2dp insecure seed" + struct.pack("<Q", seed), digest_size=32).digest()
    while True:
        stream = b"".join(chacha20_block(key, i) for i in range(BLOCK_BYTES // 64))
        key = stream[:32]
        yield from struct.unpack(f"<{WORDS_PER_BLOCK}Q", stream[32:])


def main():
    assert chacha20_block(bytes(32), 0)[:8].hex() == "76b8e0ada0f13d90"
    print("seed,index,word")
    for seed in SEEDS:
        for index, word in zip(range(max(INDICES) + 1), words(seed)):
            if index in INDICES:
                print(f"{seed},{index},{word:016x}")


if __name__ == "__main__":
    main()
