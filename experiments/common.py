"""What all figures share: running dp2dp, tidy tables, means and intervals, times."""

import csv
import math
import os
import resource
import subprocess
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

Value = float | str | None
Row = dict[str, Value]

# The words for methods, the same in every figure.
UNFAIR = "unfair"
EXACT = "exact (Denis et al.)"
NO_NOISE = "Algorithm 1, no noise"
SOUND = "Algorithm 1, sound (sgd)"
AS_PUBLISHED = "Algorithm 1, as published"
AS_PUBLISHED_DPGD = "Algorithm 1, as published, after dpgd"
RULE_ALONE = "dp2dp (counts, classifier not private)"
OURS = "dp2dp (dpgd + counts)"
ONE_SET = "dp2dp, one set of people for both phases"

KINDS = {
    UNFAIR: "unfair",
    EXACT: "reference",
    NO_NOISE: "paper",
    SOUND: "paper",
    AS_PUBLISHED: "paper",
    AS_PUBLISHED_DPGD: "paper",
    RULE_ALONE: "ours",
    OURS: "ours",
    ONE_SET: "ours",
}

# Short words for the names of files.
WORDS = {
    EXACT: "exact",
    NO_NOISE: "no-noise",
    SOUND: "sound",
    AS_PUBLISHED: "as-published",
    AS_PUBLISHED_DPGD: "as-published-dpgd",
    RULE_ALONE: "rule-alone",
    OURS: "ours",
}

# The columns of a sweep that a figure's table keeps, as docs/sweep.md names them.
KEPT = (
    "data criterion method solver rho epsilon delta epsilon_holds epsilon_claimed run "
    "error unfairness error_before unfairness_before records_train records_pool records_test "
    "rows_per_person split pool train_share seed version"
).split()


class Context:
    """Where a run reads from and writes to. Figures see the machine through this class alone."""

    def __init__(
        self,
        out: Path,
        dp2dp: Path,
        data: Path | None = None,
        reference: Path | None = None,
        fast: bool = False,
        seed: int = 1,
    ):
        self.out = Path(out)
        self.dp2dp = Path(dp2dp)
        self.data = data
        self.reference = reference
        self.fast = fast
        self.seed = seed
        (self.out / "sweeps").mkdir(parents=True, exist_ok=True)

    def run(self, *args: object) -> str:
        """What `dp2dp ARGS` prints. A failure carries the program's own message."""
        command = [str(self.dp2dp), *map(str, args)]
        environment = os.environ | ({"DP2DP_DATA": str(self.data)} if self.data else {})
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
        return done.stdout

    def sweep(self, name: str, *args: object, seed: int | None = None) -> list[Row]:
        """The rows of `dp2dp sweep ARGS`, which stay in sweeps/NAME.csv too."""
        path = self.out / "sweeps" / f"{name}.csv"
        seed = self.seed if seed is None else seed
        self.run("sweep", *args, "--insecure-seed", seed, "--force", "--out", path)
        return read_csv(path)

    def synth(self, name: str, *args: object, seed: int) -> Path:
        """A table that `dp2dp synth ARGS` writes. The caller removes it when it is done with it."""
        path = self.out / "sweeps" / f"{name}.table.csv"
        self.run("synth", *args, "--insecure-seed", seed, "--force", "--out", path)
        return path

    def write(self, name: str, rows: Sequence[Row]) -> None:
        write_csv(self.out / f"{name}.csv", rows)

    def read(self, name: str) -> list[Row]:
        return read_csv(self.out / f"{name}.csv")

    def has(self, name: str) -> bool:
        return (self.out / f"{name}.csv").is_file()

    def summarize(self, name: str, by: Sequence[str], values: Sequence[str]) -> list[Row]:
        """Writes NAME.summary.csv: n, mean and standard deviation of each value in NAME.csv."""
        rows = summary(self.read(name), by, values)
        write_csv(self.out / f"{name}.summary.csv", rows)
        return rows


def read_csv(path: Path) -> list[Row]:
    with open(path, encoding="utf-8", newline="") as file:
        return [{key: parse(text) for key, text in row.items()} for row in csv.DictReader(file)]


def parse(text: str) -> Value:
    if text == "":
        return None
    try:
        return float(text)
    except ValueError:
        return text


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """Numbers are written so that they read back exactly; columns in order of appearance."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for row in rows:
            writer.writerow([format_value(row.get(column)) for column in columns])


def format_value(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    value = float(value)
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


def tidy(rows: Iterable[Row], series: str, **more: Value) -> list[Row]:
    """Rows of a sweep as rows of a figure's table. `more` adds columns, or replaces the sweep's."""
    return [{"series": series, **{key: row.get(key) for key in KEPT}, **more} for row in rows]


def before(rows: Iterable[Row]) -> list[Row]:
    """The classifier alone, once per run, from the columns "before" of tidy rows: no rho."""
    once = {row["run"]: row for row in rows}
    return [
        row
        | {
            "series": UNFAIR,
            "solver": None,
            "rho": None,
            "error": row["error_before"],
            "unfairness": row["unfairness_before"],
        }
        for row in once.values()
    ]


def where(rows: Iterable[Row], **wanted: Value) -> list[Row]:
    return [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]


def values(rows: Iterable[Row], column: str, **wanted: Value) -> np.ndarray:
    return np.array([row[column] for row in where(rows, **wanted)], dtype=float)


def groups(rows: Iterable[Row], by: Sequence[str]) -> dict[tuple[Value, ...], list[Row]]:
    found: dict[tuple[Value, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row.get(key) for key in by), []).append(row)
    return found


def summary(rows: Iterable[Row], by: Sequence[str], measured: Sequence[str]) -> list[Row]:
    found: list[Row] = []
    for key, members in groups(rows, by).items():
        line: Row = dict(zip(by, key, strict=True)) | {"n": len(members)}
        for column in measured:
            line[f"{column}_mean"], line[f"{column}_sd"] = mean_sd(values(members, column))
        found.append(line)
    return found


def mean_sd(x: np.ndarray) -> tuple[float, float | None]:
    """Mean, and the standard deviation between runs (none for a single run)."""
    return float(np.mean(x)), float(np.std(x, ddof=1)) if len(x) > 1 else None


def paired(a: np.ndarray, b: np.ndarray, level: float = 0.95) -> dict[str, float]:
    """Mean of a - b over runs that share their split, standard error, Student's interval."""
    difference = np.asarray(a, dtype=float) - np.asarray(b, dtype=float)
    n = len(difference)
    if n < 2:
        raise ValueError("a paired difference needs two runs or more")
    mean, error = float(np.mean(difference)), float(np.std(difference, ddof=1) / math.sqrt(n))
    reach = student_quantile(0.5 + level / 2, n - 1) * error
    return {"mean": mean, "se": error, "low": mean - reach, "high": mean + reach, "n": n}


def student_quantile(probability: float, degrees: int) -> float:
    """Quantile of Student's t for a probability in (0.5, 1), by bisection on Simpson's rule."""
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2))
    scale /= math.sqrt(degrees * math.pi)
    weights = np.array([1.0] + [4.0, 2.0] * 999 + [4.0, 1.0])

    def above_half(t: float) -> float:
        density = (1 + np.linspace(0, t, 2001) ** 2 / degrees) ** (-(degrees + 1) / 2)
        return scale * float(weights @ density) * t / 6000

    low, high = 0.0, 1000.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if above_half(middle) < probability - 0.5 else (low, middle)
    return high


def fit_line(x: np.ndarray, y: np.ndarray, level: float = 0.95) -> dict[str, float]:
    """Least squares y = intercept + slope x, with Student's interval for the slope."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    spread = float(np.sum((x - x.mean()) ** 2))
    slope = float(np.sum((x - x.mean()) * (y - y.mean())) / spread)
    intercept = float(y.mean() - slope * x.mean())
    rest = float(np.sum((y - intercept - slope * x) ** 2)) / (len(x) - 2)
    reach = student_quantile(0.5 + level / 2, len(x) - 2) * math.sqrt(rest / spread)
    return {"slope": slope, "intercept": intercept, "low": slope - reach, "high": slope + reach}


def privacy(rows: Sequence[Row]) -> str:
    """What a legend says about privacy: the epsilon that holds for each person, from the sweep."""
    if all(row["epsilon"] in (None, math.inf) for row in rows):
        return "none: no noise"
    held = [row["epsilon_holds"] for row in rows]
    claimed = [row["epsilon_claimed"] for row in rows if row["epsilon_claimed"] is not None]
    told = f"; claimed: ε = {max(claimed):g}" if claimed else ""
    if None in held:
        return f"none: {why_not(rows)}{told}"
    delta = max(row["delta"] for row in rows)
    small = f"{delta:g}".replace("e-0", "e-")
    same = ", of the same people" if {row.get("pool") for row in rows} == {"same"} else ""
    text = f"ε = {round_up(max(held)):g}, δ = {small}, replace-one, both phases{same}, per row"
    return text + told


def why_not(rows: Sequence[Row]) -> str:
    """Why no epsilon holds over both phases."""
    methods = {row["method"] for row in rows}
    if methods == {"none"}:
        return "the classifier has no noise"
    if "probabilities-as-published" in methods:
        return "the noise on probabilities is drawn anew for each answer"
    return "no bound is known"


def round_up(epsilon: float) -> float:
    """Three digits, never less than given, apart from the last bits of a binary fraction."""
    digits = 2 - math.floor(math.log10(epsilon))
    return math.ceil(epsilon * 10**digits - 1e-9) / 10**digits


def axis(label: str, scale: str = "linear", percent: bool = False) -> dict:
    return {"label": label, "scale": scale, "percent": percent}


ERROR = axis("error on the test part")
UNFAIRNESS = axis("unfairness U on the test part")


def point(rows: Sequence[Row], x: str, y: str, label: str | None = None) -> dict:
    """A point of the page: the mean of the runs at one setting."""
    x_mean, x_sd = mean_sd(values(rows, x))
    y_mean, y_sd = mean_sd(values(rows, y))
    found = {"x": x_mean, "y": y_mean, "x_sd": x_sd, "y_sd": y_sd}
    return found | {"runs": len(rows), "label": label}


def curve(
    rows: Sequence[Row],
    name: str,
    along: str = "rho",
    x: str = "unfairness",
    y: str = "error",
    kind: str | None = None,
) -> dict:
    """A series of the page: one point for each value of the setting `along`."""
    points = []
    for (setting,), members in groups(rows, [along]).items():
        here = point(members, x, y, None if setting is None else f"{along} = {setting:g}")
        if x == along:
            here |= {"x": setting, "x_sd": None}
        points.append(here)
    return {
        "name": name,
        "kind": kind or KINDS[name],
        "privacy": privacy(rows),
        "line": len(points) > 1,
        "points": points,
    }


def panel(title: str, x: dict, y: dict, series: Sequence[dict]) -> dict:
    return {"title": title, "x": x, "y": y, "series": list(series), "lines": [], "marks": []}


def mean_at(rows: Iterable[Row], column: str, **wanted: Value) -> float:
    chosen = values(rows, column, **wanted)
    if not len(chosen):
        raise LookupError(f"no row has {wanted}")
    return float(chosen.mean())


class Gap(NamedTuple):
    """How far two series are apart where they are furthest, with the standard errors there."""

    error: float
    unfairness: float
    error_se: float
    unfairness_se: float


def largest_gaps(
    rows: Sequence[Row], one: dict[str, Value], other: dict[str, Value], along: str = "rho"
) -> Gap:
    """The largest |difference of means| of error, and of U, over the settings that both have."""
    first, second = (groups(where(rows, **wanted), [along]) for wanted in (one, other))
    found = []
    for column in ("error", "unfairness"):
        differences = []
        for setting in first.keys() & second.keys():
            pair = [sorted(part[setting], key=lambda row: row["run"]) for part in (first, second)]
            differences.append(paired(*(values(part, column) for part in pair)))
        widest = max(differences, key=lambda difference: abs(difference["mean"]))
        found.append((abs(widest["mean"]), widest["se"]))
    return Gap(*(gap for gap, _ in found), *(se for _, se in found))


def within(gaps: Sequence[Gap], limit: float) -> bool | None:
    """Are all gaps within the limit? None if one is above it, but by no more than chance allows.

    Chance: two standard errors. With several settings the largest gap is a little too large by
    chance; that speaks against calling a gap too large when it is near the limit.
    """
    pairs = [pair for gap in gaps for pair in zip(gap[:2], gap[2:], strict=True)]
    if all(gap <= limit for gap, _ in pairs):
        return True
    return False if any(gap - 2 * se > limit for gap, se in pairs) else None


class Stopwatch:
    """Seconds by the clock and of processor time, of this process and its children."""

    def __enter__(self) -> "Stopwatch":
        self._start = (time.perf_counter(), self._cpu())
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.perf_counter() - self._start[0]
        self.cpu_seconds = self._cpu() - self._start[1]

    @staticmethod
    def _cpu() -> float:
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(usage.ru_utime + usage.ru_stime for usage in used)
