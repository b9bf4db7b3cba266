"""Compares prediction in Python with prediction in C, and with fairlearn, in one run.

Usage: compare_python.py path/to/bench_predict. Needs the Python package, and fairlearn for its part.
C and Python run in turn, and the fastest round of each counts. Prints PASS or FAIL against the
targets; timings never fail the run.
"""

import os
import pathlib
import re
import subprocess
import sys

# numpy would ask for huge pages, which the C program does not use.
os.environ["NUMPY_MADVISE_HUGEPAGE"] = "0"

import numpy as np  # noqa: E402

import dp2dp  # noqa: E402
from common import fastest, memory, verdict  # noqa: E402

ROWS, CLASSES, THREADS = 10_000_000, 2, 2
TURNS, CALLS = 5, 40
SLOWER, MICROSECONDS = 1.10, 5.0


def people(rows):
    rng = np.random.default_rng(1)
    groups = rng.integers(0, 2, rows).astype(np.int8)
    scores = rng.random((rows, CLASSES), dtype=np.float32) + np.float32(0.01)
    scores[np.arange(rows), groups] *= np.float32(1.5)
    scores /= scores.sum(axis=1, keepdims=True)
    return scores, groups


def in_c(program):
    sizes = [str(size) for size in (ROWS, CLASSES, 2, THREADS)]
    run = subprocess.run([program, *sizes], capture_output=True, text=True, check=True)
    return float(re.search(r"threads: ([0-9.]+) s", run.stdout).group(1))


def against_c(program, model, scores, groups):
    out = np.zeros(ROWS, dtype=np.int32)

    def once():
        model.predict(scores, groups, threads=THREADS, out=out)

    once()
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    before = memory("VmRSS")
    turns = [(in_c(program), fastest(once, CALLS)[0]) for _ in range(TURNS)]
    grown = memory("VmHWM") - before
    c, python = (min(seconds) for seconds in zip(*turns, strict=True))
    print(f"predict N {ROWS}, K {CLASSES}, float32, {THREADS} threads; C, Python in each turn:")
    print("  " + "   ".join(f"{a:.4f} {b:.4f}" for a, b in turns) + " s")
    print(f"  least: C {c:.4f} s, Python {python:.4f} s")
    verdict(f"Python over C (target {SLOWER})", f"{python / c:.3f}", python <= SLOWER * c)
    verdict("memory of Python's calls, relative to the scores (target 0.1)",
            f"{grown / scores.nbytes:.3f}", grown < 0.1 * scores.nbytes)


def one_row(model, scores, groups):
    scores, groups = scores[:1].copy(), groups[:1].copy()

    def thousand():
        for _ in range(1000):
            model.predict(scores, groups)

    took = 1000 * fastest(thousand, 200)[0]
    verdict(f"microseconds of a call for one row (target {MICROSECONDS:g})", f"{took:.2f}",
            took < MICROSECONDS)


def against_fairlearn():
    """Adult, the same classifier and the same split for both."""
    if "DP2DP_DATA" not in os.environ:
        print("\nSKIPPED  fairlearn on Adult: DP2DP_DATA is not set")
        return
    example = pathlib.Path(__file__).parent.parent / "python" / "examples" / "adult.py"
    print("\nAdult: the same gradient boosting, the same pool, the same test set", flush=True)
    subprocess.run([sys.executable, "-W", "ignore", example], check=True)


def main():
    print("the Python package; the fastest of several rounds", flush=True)
    scores, groups = people(ROWS)
    model = dp2dp.fit(scores[:100_000], groups[:100_000], n_groups=2, epsilon=1, delta=1e-6)
    against_c(sys.argv[1], model, scores, groups)
    one_row(model, scores, groups)
    against_fairlearn()


if __name__ == "__main__":
    main()
