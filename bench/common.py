"""What the comparisons share: verdicts, clocks, memory and the Gaussian mechanism."""
import math
import pathlib
import time


def verdict(what, figure, good):
    print(f"{'PASS' if good else 'FAIL'}  {what}: {figure}", flush=True)


def fastest(call, rounds, at_most=math.inf):
    """Seconds of the fastest of several calls, and the last one's result. Stops after `at_most` seconds."""
    best, spent, result = math.inf, 0.0, None
    for _ in range(rounds):
        start = time.perf_counter()
        result = call()
        took = time.perf_counter() - start
        best, spent = min(best, took), spent + took
        if spent > at_most:
            break
    return best, result


def memory(field, process="self"):
    """Bytes of a process: VmRSS (now) or VmHWM (at most)."""
    for text in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
        if text.startswith(field + ":"):
            return 1024 * int(text.split()[1])
    return 0


def gaussian_mu(epsilon, delta):
    """The mu of Gaussian differential privacy at (epsilon, delta)."""
    def phi(x):
        return 0.5 * math.erfc(-x / math.sqrt(2.0))

    low, high = 1e-6, 50.0
    for _ in range(100):
        mu = 0.5 * (low + high)
        spent = phi(mu / 2 - epsilon / mu) - math.exp(epsilon) * phi(-mu / 2 - epsilon / mu)
        low, high = (low, mu) if spent > delta else (mu, high)
    return low
