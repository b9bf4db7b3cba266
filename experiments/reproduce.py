#!/usr/bin/env python3
"""Makes the figures of the paper, and ours beside them: tidy CSV tables and one HTML page.

Each figure is a file in figures/. It has
    NAME, TITLE
    run(context)         measures, and writes NAME.csv and others through the context;
    figure(context)      the figure for the page, as a dict, from the CSV tables alone;
    orderings(context)   a list of (claim, holds): which method is better than which;
and may have
    NEEDS_DATA = True    it is left out without the folder of data sets;
    NEEDS_RIVALS = True  it is measured with --rivals only, and shown if its table is there.
"""

import argparse
import importlib
import json
import math
import os
import pkgutil
import sys
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "page")]

import documents  # noqa: E402
import figures  # noqa: E402
from common import Context, Row, Stopwatch, write_csv  # noqa: E402
from make_page import make  # noqa: E402

# The order of the story. A figure that is not in the list comes after those that are.
STORY = (
    "synthetic_rho synthetic_p adult credit parkinsons bars "
    "rivals equalized_odds harder harder_rivals growth attacked"
).split()


def modules(wanted: list[str] | None = None) -> list[ModuleType]:
    """The files of figures/, in the order of the story."""
    found = sorted(module.name for module in pkgutil.iter_modules(figures.__path__))
    known = [name for name in STORY if name in found]
    known += [name for name in found if name not in STORY and not name.startswith("_")]
    unknown = set(wanted or ()) - set(known)
    if unknown:
        sys.exit(f"no figure {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    return [
        importlib.import_module(f"figures.{name}")
        for name in known
        if wanted is None or name in wanted
    ]


def left_out(module: ModuleType, context: Context, rivals: bool) -> str | None:
    """Why a figure is not measured; None if it is."""
    if getattr(module, "NEEDS_DATA", False) and context.data is None:
        return "no folder of data sets (--data or DP2DP_DATA)"
    if getattr(module, "NEEDS_RIVALS", False) and not rivals:
        return "rivals are measured with --rivals only"
    return None


def measure(module: ModuleType, context: Context) -> Row:
    with Stopwatch() as watch:
        module.run(context)
    return {
        "figure": module.NAME,
        "seconds": round(watch.seconds, 2),
        "cpu_seconds": round(watch.cpu_seconds, 2),
    }


def write_times(context: Context, measured: list[Row]) -> None:
    """times.csv alone holds times. Figures that were not measured now keep the times they had."""
    times = {row["figure"]: row for row in context.read("times")} if context.has("times") else {}
    write_csv(
        context.out / "times.csv", list((times | {r["figure"]: r for r in measured}).values())
    )


def finite(value: object) -> object:
    """JSON has no infinity and no NaN: a number that is not finite would break the page."""
    if isinstance(value, dict):
        return {key: finite(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [finite(member) for member in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a number of the page is not finite")
    return value.item() if hasattr(value, "item") else value


def page(context: Context, shown: list[ModuleType]) -> dict:
    """All figures whose tables are there, made now or before."""
    made = [module for module in shown if context.has(module.NAME)]
    tables = [context.read(module.NAME) for module in made]
    versions = {row["version"] for rows in tables for row in rows if row.get("version")}
    return finite(
        {
            "title": "Fairness Meets Privacy, reproduced",
            "made": {
                "version": ", ".join(sorted(map(str, versions))),
                "seed": context.seed,
                "runs": max((len({row.get("run") for row in rows}) for rows in tables), default=0),
                "fast": context.fast,
            },
            "figures": [module.figure(context) for module in made],
        }
    )


def make_page(context: Context, shown: list[ModuleType]) -> dict:
    data = page(context, shown)
    text = json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False)
    (context.out / "page.json").write_text(text + "\n", encoding="utf-8")
    make(data, context.out / "index.html")
    return data


def tell_orderings(context: Context, shown: list[ModuleType]) -> bool:
    """Prints every claim of the figures and whether it holds; True if all do."""
    all_hold = True
    for module in shown:
        if not context.has(module.NAME):
            continue
        for claim, holds in module.orderings(context):
            print(f"  {'holds' if holds else 'FAILS'}  {module.NAME}: {claim}")
            all_hold = all_hold and bool(holds)
    return all_hold


def same_settings(context: Context) -> None:
    """Tables of different settings do not get into one page."""
    settings = {"seed": context.seed, "fast": context.fast}
    path = context.out / "settings.json"
    if path.is_file() and json.loads(path.read_text(encoding="utf-8")) != settings:
        sys.exit(f"{context.out} holds tables of another seed or with another --fast; remove it")
    path.write_text(json.dumps(settings) + "\n", encoding="utf-8")


def folder(text: str | None) -> Path | None:
    if not text:
        return None
    if not Path(text).is_dir():
        sys.exit(f"{text} is not a folder")
    return Path(text).resolve()


def options(arguments: list[str] | None) -> argparse.Namespace:
    root = HERE.parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=root / "build" / "reproduce", metavar="DIR")
    parser.add_argument("--figures", metavar="A,B", help="only these; default: all")
    parser.add_argument("--fast", action="store_true", help="few runs and few points")
    parser.add_argument("--rivals", action="store_true", help="measure the rivals too: an hour")
    parser.add_argument(
        "--only-page",
        action="store_true",
        help="measure nothing: the page of tables that are there",
    )
    parser.add_argument("--docs", action="store_true", help="renew the page in docs/ too")
    parser.add_argument("--seed", type=int, default=1, help="of all splits and noise; default: 1")
    parser.add_argument("--dp2dp", default=os.environ.get("DP2DP", root / "build" / "dp2dp"))
    parser.add_argument("--data", default=os.environ.get("DP2DP_DATA"), metavar="DIR")
    parser.add_argument(
        "--reference",
        default=os.environ.get("DP2DP_REFERENCE"),
        metavar="DIR",
        help="folder with the published points of others (baselines_*.csv), measured on other data",
    )
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    given = options(arguments)
    context = Context(
        given.out.resolve(),
        Path(given.dp2dp).resolve(),
        folder(given.data),
        folder(given.reference),
        given.fast,
        given.seed,
    )
    same_settings(context)
    wanted = given.figures.split(",") if given.figures else None
    measured = []
    for module in modules(wanted) if not given.only_page else []:
        reason = left_out(module, context, given.rivals)
        if reason:
            print(f"{module.NAME}: left out: {reason}", flush=True)
            continue
        measured.append(measure(module, context))
        print(f"{module.NAME}: {measured[-1]['seconds']:.1f} s", flush=True)
        write_times(context, measured)
    data = make_page(context, modules())
    if given.docs:
        documents.write(context, data)
    return 0 if tell_orderings(context, modules(wanted)) else 1


if __name__ == "__main__":
    sys.exit(main())
