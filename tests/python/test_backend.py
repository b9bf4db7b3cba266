"""pip says in one line what a machine lacks, before it fetches or builds anything."""

import importlib.util
import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(os.environ["DP2DP_SOURCE_DIR"])
BACKEND = ROOT / "python/backend"
HOOKS = ("get_requires_for_build_wheel", "get_requires_for_build_editable")


@unittest.skipUnless(importlib.util.find_spec("scikit_build_core"), "needs scikit-build-core")
class Backend(unittest.TestCase):
    def ask(self, hook, **variables):
        return subprocess.run(
            [sys.executable, "-c", f"import dp2dp_build; dp2dp_build.{hook}()"],
            env={**os.environ, "PYTHONPATH": str(BACKEND), **variables},
            cwd=ROOT,
            capture_output=True,
            text=True,
        )

    def test_a_machine_without_libraries_gets_the_line_to_run_and_no_traceback(self):
        for hook in HOOKS:
            asked = self.ask(hook, PKG_CONFIG_LIBDIR="/nonexistent", PKG_CONFIG_PATH="")
            lines = (asked.stdout + asked.stderr).splitlines()
            self.assertEqual((asked.returncode, len(lines)), (1, 2), lines)
            self.assertRegex(lines[1], "^ +(sudo )?apt-get update && .* install .*libsodium-dev")

    def test_a_machine_that_has_everything_gets_no_message(self):
        for hook in HOOKS:
            asked = self.ask(hook)
            self.assertEqual((asked.returncode, asked.stdout, asked.stderr), (0, "", ""))


if __name__ == "__main__":
    unittest.main()
