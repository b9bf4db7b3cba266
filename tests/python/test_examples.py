"""Everything that is printed for users runs: doctests, docs/python.md, python/examples."""

import doctest
import glob
import importlib
import os
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

ROOT = os.environ.get("DP2DP_SOURCE_DIR", os.path.join(os.path.dirname(__file__), "..", ".."))
MODULES = ["accounting", "core", "estimators", "metrics"]


class Examples(unittest.TestCase):
    def test_doctests(self):
        for name in MODULES:
            module = importlib.import_module("dp2dp." + name)
            with self.subTest(module=name), warnings.catch_warnings():
                warnings.simplefilter("error")
                result = doctest.testmod(module)
                self.assertEqual(result.failed, 0)
                self.assertGreater(result.attempted, 0)

    def test_the_page_runs_from_top_to_bottom(self):
        with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as file:
            blocks = re.findall(r"^```python\n(.*?)^```$", file.read(), re.M | re.S)
        self.assertGreater(len(blocks), 4)
        with tempfile.TemporaryDirectory() as folder:
            self.run_script("-c", "\n".join(blocks), folder=folder)

    def run_script(self, *arguments, folder="."):
        command = [sys.executable, "-W", "error::UserWarning:dp2dp", *arguments]
        run = subprocess.run(command, capture_output=True, text=True, cwd=folder)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run.stdout

    def test_the_scripts_run(self):
        scripts = sorted(glob.glob(os.path.join(ROOT, "python", "examples", "*.py")))
        self.assertGreater(len(scripts), 3)
        for script in scripts:
            if os.path.basename(script) == "adult.py" and "DP2DP_DATA" not in os.environ:
                continue
            with self.subTest(script=script):
                self.assertNotEqual(self.run_script(os.path.abspath(script)), "")


if __name__ == "__main__":
    unittest.main()
