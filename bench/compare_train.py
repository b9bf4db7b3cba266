"""Compares Phase 1 with scikit-learn, plain numpy and Opacus on the same encoded rows, in one run.

Usage: compare_train.py BENCH_TRAIN DP2DP [PYTHON_WITH_OPACUS]. Needs scikit-learn (bench/run.sh
installs it). The rows are Adult if DP2DP_DATA is set, else random rows of the same shape. All tools
use two threads and get the rows in memory, scikit-learn as a dense or a sparse float64 matrix,
whichever is faster. Imports and reading are not counted. Ours and theirs run in turn. The least
wall-clock and the least processor seconds of several rounds count, and the smaller of the two ratios
decides. Memory is the most that a run holds beyond what was there before. Prints PASS or FAIL
against the targets, or SKIPPED with the reason; timings never fail the run.
"""
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

THREADS = "2"
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = THREADS

import numpy as np  # noqa: E402: after the number of threads

from common import gaussian_mu, memory, verdict  # noqa: E402

EPSILON, DELTA, CLIP, STEPS, MOMENTUM = 1.0, 1e-5, 1.0, 200, 0.9
TOLERANCES = "1e-4,1e-6,1e-8,1e-10,1e-12,1e-14"
HEADER = ("age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,"
          "sex,capital-gain,capital-loss,hours-per-week,native-country,income\n")


def adult(folder):
    """Joins the two files of Adult to one CSV file; None if there are none."""
    source = pathlib.Path(os.environ.get("DP2DP_DATA", "")) / "adult"
    if "DP2DP_DATA" not in os.environ or not (source / "adult.data").exists():
        return None
    lines = (source / "adult.data").read_text().splitlines()
    lines += (source / "adult.test").read_text().splitlines()[1:]
    path = pathlib.Path(folder) / "adult.csv"
    path.write_text(HEADER + "".join(line + "\n" for line in lines if line.strip()))
    return str(path)


def measured(once):
    """Wall-clock and processor seconds of a call, the memory it added at most, and its result."""
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    before, wall, processor = memory("VmRSS"), time.perf_counter(), time.process_time()
    result = once()
    took = time.perf_counter() - wall, time.process_time() - processor
    return *took, max(memory("VmHWM") - before, 0), result


def ours(program, method, rows, classes, folder="-", table="-"):
    """Wall-clock and processor seconds, bytes beyond the rows, bytes of the rows."""
    command = [program, method, str(rows), THREADS, str(classes), str(folder), table or "-"]
    out = subprocess.run(command, capture_output=True, text=True)
    if out.returncode != 0:
        sys.exit(out.stderr)
    wall, processor, size, beyond = (float(x) for x in out.stdout.splitlines()[-1].split())
    return wall, processor, beyond, size


def load(folder, classes):
    y = np.fromfile(folder / "y", np.int32)
    x = np.fromfile(folder / "x").reshape(len(y), -1)
    return x, y, np.fromfile(folder / "w").reshape(classes, -1)


def compare(what, mine, theirs, target):
    """`mine` and `theirs`: least wall-clock and processor seconds, and memory, which is only printed."""
    wall, processor = theirs[0] / mine[0], theirs[1] / mine[1]
    verdict(f"{what} (target {target})", f"{wall:.1f}x wall clock, {processor:.1f}x processor time; "
            f"memory {mine[2] / 1e6:.1f} against {theirs[2] / 1e6:.1f} MB", min(wall, processor) >= target)


def least(rounds):
    """The least seconds and the most memory of several rounds."""
    return min(r[0] for r in rounds), min(r[1] for r in rounds), max(r[2] for r in rounds)


def line(name, took, note=""):
    print(f"  {name:34} {took[0]:9.3f} s {took[1]:9.3f} s processor time {took[2] / 1e6:8.1f} MB   {note}",
          flush=True)


def probabilities(x, weights):
    logits = x @ weights[:, :-1].T + weights[:, -1]
    p = np.exp(logits - logits.max(1, keepdims=True))
    return p / p.sum(1, keepdims=True)


def gradient_norm(x, y, weights, free_bias=True):
    """The norm of the gradient of the summed losses plus half the squared weights; of the second class if there are two."""
    residual = probabilities(x, weights)
    residual[np.arange(len(y)), y] -= 1.0
    used = slice(1, 2) if len(weights) == 2 else slice(None)
    bias = residual.sum(0)[used] + (0.0 if free_bias else weights[used, -1])
    return math.sqrt(((residual.T @ x + weights[:, :-1])[used] ** 2).sum() + (bias ** 2).sum())


def log_loss(x, y, weights):
    return -np.log(np.maximum(probabilities(x, weights)[np.arange(len(y)), y], 1e-300)).mean()


def fit_in_sklearn(name, classes, solver, form, level, tolerances):
    """Runs in its own process and prints the fit of the largest tolerance that reaches the level."""
    from sklearn.linear_model import LogisticRegression
    from scipy.sparse import csr_matrix

    x, y, _ = load(pathlib.Path(name), int(classes))
    given = csr_matrix(x) if form == "sparse" else x
    LogisticRegression(solver=solver).fit(given[:500], y[:500])  # the first call loads libraries; it is not timed
    most = 0  # the first fit counts: later ones reuse freed memory
    for tolerance in tolerances.split(","):
        model = LogisticRegression(C=1.0, solver=solver, tol=float(tolerance), max_iter=100_000)
        wall, processor, bytes_held, _ = measured(lambda: model.fit(given, y))
        most = max(most, bytes_held)
        weights = np.column_stack([model.coef_, model.intercept_])
        weights = weights if len(weights) > 1 else np.vstack([0.0 * weights, weights])
        norm = gradient_norm(x, y, weights, free_bias=solver != "liblinear")
        if norm <= float(level):
            break
    print(wall, processor, most, norm, tolerance)


def sklearn_child(folder, classes, solver, form, level, tolerances, limit):
    """Seconds, memory, gradient and tolerance, or the reason why there are none."""
    command = [sys.executable, "-W", "ignore", __file__, "--sklearn", str(folder), str(classes), solver,
               form, str(level), tolerances]
    try:
        out = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, f"not finished after {limit:.0f} s"
    if out.returncode != 0:
        return None, (out.stderr.strip().splitlines() or ["no message"])[-1][:90]
    *figures, tolerance = out.stdout.split()
    return (*map(float, figures), tolerance), None


def against_sklearn(program, rows, classes, table, rounds=5):
    import sklearn

    solvers = ["newton-cholesky", "liblinear", "lbfgs", "newton-cg", "sag", "saga"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        ours(program, "none", rows, classes, folder, table)
        x, y, weights = load(folder, classes)
        mine = gradient_norm(x, y, weights)
        level = max(mine, 1e-9 * gradient_norm(x, y, 0.0 * weights))
        print(f"\nnone, {'Adult' if table else 'random rows'}, n {len(y)}, width {x.shape[1]}, K {classes}: "
              f"scikit-learn {sklearn.__version__}, until the gradient is below {level:.1e} "
              f"(ours {mine:.1e})")
        fastest, limit = None, 120.0
        for solver, form in ((s, f) for s in solvers for f in ("dense", "sparse")):
            if solver == "liblinear" and classes > 2:
                continue
            what = f"{solver}, {form}"
            found, reason = sklearn_child(folder, classes, solver, form, level, TOLERANCES, limit)
            if found is None:
                print(f"  {what:34} {reason}", flush=True)
                continue
            reached = found[3] <= level
            line(what, found, f"tol {found[4]}, gradient {found[3]:.1e}{'' if reached else '  does not reach the level'}")
            if reached and (fastest is None or found[1] < fastest[1]):
                fastest = (what, found[1], solver, form, found[4])
                limit = min(limit, 15.0 + 5.0 * found[0])
        if fastest is None:
            print("SKIPPED  no solver of scikit-learn reaches the level")
            return
        mine, theirs = [], []
        for _ in range(rounds):
            mine.append(ours(program, "none", rows, classes, table=table))
            found, reason = sklearn_child(folder, classes, *fastest[2:4], level, fastest[4], 120.0)
            if found is None:
                sys.exit(f"{fastest[0]}: {reason}")
            theirs.append(found)
    line("ours", least(mine))
    line(f"{fastest[0]}, by turns", least(theirs))
    compare(f"none, n {len(y)}, K {classes}: times faster", least(mine), least(theirs), 3)


def settings(n, norm=3.0):
    """Step size of dpgd, and its noise on the sum under replace-one."""
    mu = gaussian_mu(EPSILON, DELTA)
    step = min(2.0, 32.0 / (norm ** 2 + 1.0), 0.4 * mu * n * (1.0 - MOMENTUM) / (CLIP * STEPS))
    return step, 2.0 * CLIP * math.sqrt(STEPS) / mu


def dpgd_in_numpy(rows, y, cut):
    """dpgd for two classes in plain numpy. The last column of the rows is 1. Returns weights."""
    n, width = rows.shape
    step, noise = settings(n)
    rng = np.random.default_rng()
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    now, velocity, mean = np.zeros(width), np.zeros(width), np.zeros(width)
    for t in range(STEPS):
        residual = 1.0 / (1.0 + np.exp(-(rows @ now))) - y
        total = cut(rows, residual, lengths)
        velocity = MOMENTUM * velocity + (total + rng.normal(0.0, noise, width)) / n
        now = now - step * velocity
        if t >= STEPS // 2:
            mean += now / (STEPS - STEPS // 2)
    return np.vstack([0.0 * mean, mean])


def cut_by_lengths(rows, residual, lengths):
    """A record's gradient is its residual times its row, so its norm needs no table of gradients."""
    return (residual * np.minimum(1.0, CLIP / np.maximum(np.abs(residual) * lengths, 1e-300))) @ rows


def cut_one_by_one(rows, residual, _):
    """Makes the table of all gradients, as for any model."""
    gradients = residual[:, None] * rows
    norms = np.linalg.norm(gradients, axis=1, keepdims=True)
    return (gradients * np.minimum(1.0, CLIP / np.maximum(norms, 1e-300))).sum(0)


def dpgd_in_opacus(name):
    """Runs in the Python that has Opacus. There is no data loader: every step uses all rows."""
    import torch
    import opacus
    from opacus.grad_sample import GradSampleModule
    from opacus.optimizers import DPOptimizer

    torch.set_num_threads(int(THREADS))
    folder = pathlib.Path(name)
    x, y, _ = load(folder, 2)
    rows, labels = torch.from_numpy(x).float(), torch.from_numpy(y).float()
    step, noise = settings(len(y))
    model = torch.nn.Linear(x.shape[1], 1)
    torch.nn.init.zeros_(model.weight)
    torch.nn.init.zeros_(model.bias)
    wrapped = GradSampleModule(model, loss_reduction="sum")
    optimizer = DPOptimizer(torch.optim.SGD(wrapped.parameters(), lr=step / len(y), momentum=MOMENTUM),
                            noise_multiplier=noise / CLIP, max_grad_norm=CLIP,
                            expected_batch_size=len(y), loss_reduction="sum")
    loss = torch.nn.BCEWithLogitsLoss(reduction="sum")

    def descend():
        for _ in range(STEPS):
            optimizer.zero_grad()
            loss(wrapped(rows)[:, 0], labels).backward()
            optimizer.step()

    *took, _ = measured(descend)
    last = np.append(model.weight.detach().numpy().ravel(), model.bias.item()).astype(float)
    print(f"{torch.__version__} {opacus.__version__} {took[0]} {took[1]} {took[2]} "
          f"{log_loss(x, y, np.vstack([0.0 * last, last]))}")


def against_dpgd(program, python, rows, table, rounds=3):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        ours(program, "dpgd", rows, 2, folder, table)
        x, y, weights = load(folder, 2)
        wide = np.column_stack([x, np.ones(len(y))])
        print(f"\ndpgd, {'Adult' if table else 'random rows'}, n {len(y)}, width {x.shape[1]}, "
              f"{STEPS} steps: numpy {np.__version__}")
        mine, theirs = [], []
        for _ in range(rounds):
            mine.append(ours(program, "dpgd", rows, 2, table=table))
            *took, other = measured(lambda: dpgd_in_numpy(wide, y, cut_by_lengths))
            theirs.append(took)
        line("ours", least(mine), f"log loss {log_loss(x, y, weights):.4f}")
        line("numpy, norms in closed form", least(theirs), f"log loss {log_loss(x, y, other):.4f}")
        compare(f"dpgd, n {len(y)}: times faster than numpy", least(mine), least(theirs), 5)
        *slow, other = measured(lambda: dpgd_in_numpy(wide, y, cut_one_by_one))
        line("numpy, a table of gradients", slow, f"log loss {log_loss(x, y, other):.4f}")
        what = f"dpgd, n {len(y)}: times faster than Opacus"
        if python is None:
            print(f"SKIPPED  {what}: torch and opacus could not be installed here", flush=True)
            return
        theirs = []
        for _ in range(rounds):
            out = subprocess.run([python, "-W", "ignore", __file__, "--opacus", name],
                                 capture_output=True, text=True)
            if out.returncode != 0:
                reason = (out.stderr.strip().splitlines() or ["no message"])[-1]
                print(f"SKIPPED  {what}: {reason}", flush=True)
                return
            torch, version, *figures, loss = out.stdout.split()
            theirs.append([float(f) for f in figures])
            mine.append(ours(program, "dpgd", rows, 2, table=table))
        line(f"Opacus {version}, torch {torch}", least(theirs), f"log loss {float(loss):.4f}")
        compare(what, least(mine), least(theirs), 20)


def watched(command):
    """Wall-clock and processor seconds of a command, and the most memory it held."""
    before = os.times()
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    peak = 0
    while child.poll() is None:
        try:
            peak = max(peak, memory("VmHWM", child.pid))
        except OSError:
            pass
        time.sleep(0.001)
    wall, after = time.perf_counter() - start, os.times()
    if child.returncode != 0:
        sys.exit(child.stderr.read().decode())
    return wall, sum(after[2:4]) - sum(before[2:4]), peak


def whole_run(dp2dp, table, rounds=5):
    what = "dp2dp run on Adult, one split, reading included (target 1 s)"
    if table is None:
        print(f"\nSKIPPED  {what}: DP2DP_DATA is not set")
        return
    command = [dp2dp, "run", "--schema", "adult", "--epsilon", "1", "--delta", "1e-5", "--rho", "0.02",
               "--split", "0.55,0.20,0.25", "--runs", "1", "--insecure-seed", "1", "--json"]
    figures = [watched(command) for _ in range(rounds)]
    seconds = least(figures)
    print()
    verdict(what, f"{seconds[0]:.2f} s wall clock, {seconds[1]:.2f} s processor time",
            seconds[0] < 1.0)


def whole_sweep(dp2dp, table, folder, rounds=3):
    what = "dp2dp sweep on Adult, 11 rho, 3 epsilon, 15 runs (target 10 s)"
    if table is None:
        print(f"SKIPPED  {what}: DP2DP_DATA is not set")
        return
    command = [dp2dp, "sweep", "--schema", "adult", "--rho", "0,0.01,0.02,0.03,0.04,0.05,0.06,0.08,0.1,0.15,0.2",
               "--epsilon", "0.5,1,inf", "--delta", "1e-5", "--runs", "15", "--insecure-seed", "1",
               "--out", os.path.join(folder, "sweep.csv"), "--force", "--json"]
    figures = [watched(command) for _ in range(rounds)]
    seconds = least(figures)
    verdict(what, f"{seconds[0]:.2f} s wall clock, {seconds[1]:.2f} s processor time",
            seconds[0] < 10.0)


def memory_of_training(program, dp2dp, table, folder):
    print("\nmemory of training, relative to the rows and labels (4 bytes for each number)")
    for rows in (45_222, 1_000_000):
        for method in ("none", "dpgd", "dpsgd"):
            _, _, beyond, size = ours(program, method, rows, 2)
            verdict(f"{method}, n {rows}, rows included (target 1.5)", f"{1.0 + beyond / size:.2f}",
                    1.0 + beyond / size <= 1.5)
    if table is None:
        print("SKIPPED  memory of dp2dp train: DP2DP_DATA is not set")
        return
    lines = pathlib.Path(table).read_text().splitlines(keepends=True)
    times = 23
    wide = pathlib.Path(folder) / "many.csv"
    wide.write_text(lines[0] + "".join(lines[1:]) * times)
    rows = 45_222 * times
    base = watched([dp2dp, "--version"])[2]
    peak = watched([dp2dp, "train", str(wide), "--schema", "adult", "--method", "none", "--force",
                    "--out", str(pathlib.Path(folder) / "model.json")])[2]
    ratio = (peak - base) / (rows * 60.0)
    verdict(f"dp2dp train, {rows} rows of Adult, all it holds (target 1.5)", f"{ratio:.2f}", ratio <= 1.5)


def main():
    warnings.filterwarnings("ignore")
    children = {"--opacus": dpgd_in_opacus, "--sklearn": fit_in_sklearn}
    if sys.argv[1] in children:
        children[sys.argv[1]](*sys.argv[2:])
        return
    program, dp2dp = sys.argv[1:3]
    python = sys.argv[3] if len(sys.argv) > 3 else None
    print(f"Phase 1, {THREADS} threads; the least of several rounds; load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        table = adult(folder)
        for rows in (24_872, 45_222):
            against_sklearn(program, rows, 2, table)
        for classes in (3, 6):
            against_sklearn(program, 24_872, classes, None, rounds=2)
        against_dpgd(program, python, 45_222, table)
        whole_run(dp2dp, table)
        whole_sweep(dp2dp, table, folder)
        memory_of_training(program, dp2dp, table, folder)


if __name__ == "__main__":
    main()
