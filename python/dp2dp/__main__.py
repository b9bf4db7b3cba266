"""``python -m dp2dp`` runs the program ``dp2dp`` that was installed with this package."""

import os
import sys
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path


def _program() -> Path | None:
    """Finds the program dp2dp among the files that pip installed with this package."""
    # auditwheel moves the program into the folder dp2dp.scripts and leaves a Python script in bin.
    folders = ("dp2dp.scripts", "bin")
    try:
        installed = {file.parts[-2:]: Path(str(file.locate())) for file in files("dp2dp") or []}
        found = [installed[folder, "dp2dp"] for folder in folders if (folder, "dp2dp") in installed]
    except PackageNotFoundError:  # the package is not installed: use the build tree
        found = [Path(__file__).absolute().parents[2] / "dp2dp"]
    return next((path for path in found if path.is_file()), None)


def main() -> None:
    program = _program()
    if program is None:
        sys.exit("python -m dp2dp: the program dp2dp is missing; install the package again")
    os.execv(program, ["dp2dp", *sys.argv[1:]])


if __name__ == "__main__":
    main()
