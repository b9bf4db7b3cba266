"""Compares the accountant with dp-accounting, time and result, on the same inputs in one run.

Usage: compare.py path/to/bench_accountant. Needs dp-accounting (bench/run.sh installs it). Times are
CPU seconds of one call: a new accountant, compose, epsilon, without imports. Ours are measured by
bench_accountant. Prints PASS or FAIL against the targets; timings never fail the run.
"""
import os
import statistics
import subprocess
import sys
import time

import dp_accounting
from absl import logging
from dp_accounting import pld, rdp

from common import verdict

RELATION = {"replace-one": dp_accounting.NeighboringRelation.REPLACE_ONE,
            "add-remove": dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE}
# Rate 1 is the plain Gaussian. The Poisson RDP of dp-accounting is for add/remove only.
RDP = [("add-remove", sigma, q, T, delta) for sigma, q, T, delta in (
    (0.5, 0.001, 100, 1e-5), (0.5, 0.1, 1000, 1e-5), (0.5, 0.1, 10000, 1e-6),
    (1.0, 0.001, 10000, 1e-5), (1.0, 0.013, 10, 1e-6), (1.0, 0.064, 1000, 1e-5),
    (1.0, 0.1, 10000, 1e-6), (2.0, 0.001, 10, 1e-5), (2.0, 0.013, 100, 1e-5),
    (2.0, 0.064, 10000, 1e-5), (2.0, 0.1, 100, 1e-6), (4.0, 0.001, 1000, 1e-6),
    (4.0, 0.064, 10, 1e-5), (4.0, 0.1, 10000, 1e-5), (10.0, 0.013, 1000, 1e-5),
    (10.0, 0.064, 100, 1e-6), (10.0, 0.1, 1000, 1e-5), (40.0, 0.001, 1000, 1e-5),
    (40.0, 0.013, 10000, 1e-5), (40.0, 0.1, 100, 1e-6))]
PLD = [("replace-one", 0.5, 0.001, 100, 1e-5), ("add-remove", 0.5, 0.013, 1000, 1e-6),
       ("replace-one", 0.5, 0.1, 1000, 1e-5), ("replace-one", 0.5, 0.064, 10000, 1e-5),
       ("replace-one", 1.0, 0.001, 10000, 1e-6), ("add-remove", 1.0, 0.013, 10, 1e-5),
       ("replace-one", 1.0, 0.064, 1000, 1e-5), ("add-remove", 1.0, 0.1, 10000, 1e-5),
       ("replace-one", 2.0, 0.013, 100, 1e-5), ("add-remove", 2.0, 0.064, 10, 1e-6),
       ("replace-one", 2.0, 0.1, 10000, 1e-5), ("replace-one", 4.0, 0.001, 1000, 1e-6),
       ("add-remove", 4.0, 0.064, 10000, 1e-5), ("replace-one", 4.0, 0.1, 1, 1e-5),
       ("replace-one", 10.0, 0.013, 1000, 1e-5), ("add-remove", 10.0, 0.1, 100, 1e-6),
       ("replace-one", 40.0, 0.001, 10000, 1e-5), ("add-remove", 40.0, 0.064, 1000, 1e-5),
       ("replace-one", 0.5, 1.0, 100, 1e-5), ("add-remove", 10.0, 1.0, 1000, 1e-6)]
# The second entry is the target epsilon.
CALIBRATE = {
    "pld": [("replace-one", 1.0, 0.013, 1000, 1e-5), ("add-remove", 1.0, 0.013, 1000, 1e-5),
            ("replace-one", 0.5, 0.064, 100, 1e-5), ("replace-one", 8.0, 0.1, 1000, 1e-6),
            ("add-remove", 3.0, 0.1, 10000, 1e-6), ("replace-one", 2.0, 0.001, 10000, 1e-5),
            ("add-remove", 0.5, 1.0, 100, 1e-5)],
    "rdp": [("add-remove", 1.0, 0.013, 1000, 1e-5), ("add-remove", 0.5, 0.064, 100, 1e-5),
            ("add-remove", 8.0, 0.1, 1000, 1e-6), ("add-remove", 3.0, 0.1, 10000, 1e-6),
            ("add-remove", 2.0, 0.001, 10000, 1e-5)]}
TARGET = {"rdp epsilon": 10, "pld epsilon": 20, "calibration": 20}
NOISE = 1.001


def event(sigma, q, T):
    one = dp_accounting.GaussianDpEvent(sigma)
    if q < 1:
        one = dp_accounting.PoissonSampledDpEvent(q, one)
    return dp_accounting.SelfComposedDpEvent(one, T)


def accountant(backend, relation):
    if backend == "pld":
        return pld.PLDAccountant(RELATION[relation])
    return rdp.RdpAccountant(neighboring_relation=RELATION[relation])


def theirs(verb, backend, case):
    relation, scale, q, T, delta = case

    def once():
        if verb == "epsilon":
            return accountant(backend, relation).compose(event(scale, q, T)).get_epsilon(delta)
        # Their default bracket starts at noise 0, where the PLD grows without limit.
        return dp_accounting.calibrate_dp_mechanism(
            lambda: accountant(backend, relation), lambda sigma: event(sigma, q, T), scale, delta,
            dp_accounting.LowerEndpointAndGuess(0.3, 1.0))

    times = []
    while len(times) < 3 and sum(times) < 3.0:
        start = time.process_time()
        value = once()
        times.append(time.process_time() - start)
    return value, statistics.median(times)


def ours(program, verb, backend, cases):
    """Value and seconds of each case. The program reads one case per line."""
    lines = "".join(f"{verb} {backend} {c[0]} {c[1]!r} {c[2]!r} {c[3]} {c[4]!r}\n" for c in cases)
    out = subprocess.run([program], input=lines, capture_output=True, text=True)
    if out.returncode != 0:
        sys.exit(out.stderr)
    return [tuple(map(float, line.split())) for line in out.stdout.splitlines()]


def compare(program, verb, backend, cases):
    """Prints one table; returns the speed ratios and the result ratios."""
    name = "epsilon" if verb == "epsilon" else "sigma"
    given = "sigma" if verb == "epsilon" else "epsilon"
    print(f"\n{backend.upper()} {verb}")
    print(f"{'adjacency':12} {given:>7} {'rate':>6} {'steps':>6} {'delta':>6} | "
          f"{'ours ' + name:>13} {'theirs':>13} {'ratio':>8} | "
          f"{'ours ms':>9} {'theirs ms':>10} {'faster':>8}")
    speed, result = [], []
    for case, (value, seconds) in zip(cases, ours(program, verb, backend, cases), strict=True):
        other, other_seconds = theirs(verb, backend, case)
        speed.append(other_seconds / seconds)
        result.append(value / other)
        relation, scale, q, T, delta = case
        print(f"{relation:12} {scale:7g} {q:6g} {T:6d} {delta:6g} | {value:13.7g} {other:13.7g} "
              f"{value / other:8.5f} | {1e3 * seconds:9.3f} {1e3 * other_seconds:10.2f} "
              f"{speed[-1]:7.0f}x", flush=True)
    return speed, result


def main():
    program = sys.argv[1]
    logging.set_verbosity(logging.ERROR)  # else it logs a line for each order that does not converge
    print(f"dp-accounting 0.6.0 against {os.path.basename(program)}; "
          "CPU time of one call, one core")
    tables = {"rdp epsilon": [compare(program, "epsilon", "rdp", RDP)],
              "pld epsilon": [compare(program, "epsilon", "pld", PLD)],
              "calibration": [compare(program, "calibrate", b, c) for b, c in CALIBRATE.items()]}
    print("\nmedians")
    for name, parts in tables.items():
        speed = [x for part in parts for x in part[0]]
        median = statistics.median(speed)
        verdict(f"{name}, times faster (target {TARGET[name]})",
                f"median {median:.0f}, least {min(speed):.0f}", median >= TARGET[name])
    for name in ("rdp epsilon", "pld epsilon"):
        worst = max(tables[name][0][1])
        verdict(f"{name}, largest ours / theirs (target {NOISE})", f"{worst:.6f}", worst <= NOISE)
    worst = max(x for part in tables["calibration"] for x in part[1])
    verdict(f"calibrated noise, largest ours / theirs (target {NOISE})", f"{worst:.6f}",
            worst <= NOISE)


if __name__ == "__main__":
    main()
