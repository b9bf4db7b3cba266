"""Builds the wheel with scikit-build-core, after a check of what the machine has.

If a compiler or a library is missing, CMake stops after pages of text. The check stops earlier,
before anything is fetched, and says in one line which packages to install.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from scikit_build_core import build as _build
from scikit_build_core.build import (
    build_editable,
    build_sdist,
    build_wheel,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

_SETUP = Path(__file__).parents[2] / "tools" / "setup"


def _check_machine() -> None:
    shell = shutil.which("bash")
    environment = {**os.environ, "DP2DP_SETUP_PYTHON": sys.executable}
    if shell and subprocess.run([shell, _SETUP, "wheel"], env=environment).returncode != 0:
        sys.exit(1)


def get_requires_for_build_wheel(config_settings=None):
    _check_machine()
    return _build.get_requires_for_build_wheel(config_settings)


def get_requires_for_build_editable(config_settings=None):
    _check_machine()
    return _build.get_requires_for_build_editable(config_settings)
