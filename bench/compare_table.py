"""Compares reading a table with pandas and with bare decompression, in one run.

Usage: compare_table.py path/to/bench_table. Needs pandas and zstandard (bench/run.sh installs them).
Times are wall-clock seconds for reading a whole file of random probabilities from the page cache,
the fastest of several rounds, ours and theirs in turn. pandas reads with
float_precision="round_trip", which rounds correctly as we do, and with its default. The numbers that
both read are compared bit for bit. Prints PASS or FAIL against the targets; timings never fail the
run.
"""
import gzip
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

import numpy as np
import pandas as pd
import zstandard

from common import fastest, verdict

COLUMNS = list("abcd")
BLOCK = 1 << 20
CASES = [("6 decimals", "%.6f", 2_000_000, 400), ("17 digits", "%.17g", 1_000_000, 250)]
RATIO = 5
MEMORY_MB = 64
TURNS = 3
SLACK = 1.25  # how much longer reading a compressed file may take than the slower of decompressing and parsing


def write(path, form, rows):
    numbers = np.random.default_rng(1).random((rows, len(COLUMNS)))
    line = ",".join([form] * len(COLUMNS)) + "\n"
    with open(path, "w", encoding="ascii") as out:
        out.write(",".join(COLUMNS) + "\n")
        for i in range(0, rows, 50_000):
            part = numbers[i:i + 50_000]
            out.write(line * len(part) % tuple(part.ravel()))


def ours(program, path, rounds=7):
    text = subprocess.run([program, str(path), str(rounds), *COLUMNS], check=True,
                          capture_output=True, text=True).stdout
    facts = dict(re.findall(r"(\w+) ([0-9.]+)", text))
    check = int(facts.pop("check"))
    return {"check": check, **{key: float(value) for key, value in facts.items()}}


def inflate(path):
    with open(path, "rb") as file:
        machine = zlib.decompressobj(31)
        while block := file.read(BLOCK):
            machine.decompress(block)


def unzstd(path):
    with open(path, "rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as reader:
        while reader.read(BLOCK):
            pass


def compressed(program, path):
    plain = path.read_bytes()
    packed = path.with_suffix(".gz")
    packed.write_bytes(gzip.compress(plain, 1))
    framed = path.with_suffix(".zst")
    framed.write_bytes(zstandard.ZstdCompressor(level=3).compress(plain))
    for name, file, alone in (("gzip", packed, inflate), ("zstd", framed, unzstd)):
        mine, bare = ours(program, file, 5)["seconds"], fastest(lambda: alone(file), 3)[0]
        # Decompressing and parsing run side by side, so the slower one sets the pace.
        least = max(bare, ours(program, path, 3)["seconds"])
        print(f"  {name:<32} {mine:8.3f} s  {len(plain) / mine / 1e6:6.0f} MB/s of plain text; "
              f"decompressing alone: {bare:.3f} s")
        verdict(f"{name}: seconds, relative to the slower of decompressing and parsing "
                f"(target {SLACK})", f"{mine / least:.2f}", mine <= SLACK * least)


def plain(program, path, target):
    size = path.stat().st_size

    def read(precision="round_trip"):
        return pd.read_csv(path, float_precision=precision)

    mine, theirs, default = None, float("inf"), float("inf")
    for _ in range(TURNS):
        again = ours(program, path, 5)
        mine = again if mine is None or again["seconds"] < mine["seconds"] else mine
        theirs = min(theirs, fastest(read, 2)[0])
        default = min(default, fastest(lambda: read(None), 1)[0])
    rate = size / mine["seconds"] / 1e6
    print(f"  {'ours':<32} {mine['seconds']:8.3f} s  {rate:6.0f} MB/s  processor "
          f"{mine['processor']:.3f} s  memory {mine['memory']:.1f} MB")
    for setting, seconds in (("round_trip", theirs), ("default", default)):
        print(f"  {f'pandas {pd.__version__}, {setting}':<32} {seconds:8.3f} s  "
              f"{size / seconds / 1e6:6.0f} MB/s")
    verdict(f"MB/s (target {target})", f"{rate:.0f}", rate >= target)
    verdict(f"times faster than pandas (target {RATIO})", f"{theirs / mine['seconds']:.1f}",
            theirs >= RATIO * mine["seconds"])
    verdict(f"memory in MB (target {MEMORY_MB})", f"{mine['memory']:.1f}", mine["memory"] < MEMORY_MB)
    if mine["check"] != int(read().to_numpy().view(np.uint64).sum(dtype=np.uint64)):
        sys.exit("compare_table: our numbers differ from those of pandas")


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        for name, form, rows, target in CASES:
            path = pathlib.Path(folder) / "table.csv"
            write(path, form, rows)
            print(f"\n{name}: {rows} rows of {len(COLUMNS)}, {path.stat().st_size / 1e6:.0f} MB")
            plain(program, path, target)
            compressed(program, path)


if __name__ == "__main__":
    main()
