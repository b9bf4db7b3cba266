"""All example code runs: doctests, README, pages of docs, examples and python/examples."""

import doctest
import glob
import importlib.util
import inspect
import os
import pkgutil
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np
from matplotlib.image import imread
from sklearn.naive_bayes import GaussianNB

import dp2dp
from people import forget, labelled

ROOT = os.environ.get("DP2DP_SOURCE_DIR", os.path.join(os.path.dirname(__file__), "..", ".."))


class Examples(unittest.TestCase):
    def test_doctests(self):
        attempted = set()
        for found in pkgutil.iter_modules(dp2dp.__path__, "dp2dp."):
            if "spark" in found.name and importlib.util.find_spec("pyspark") is None:
                continue  # tests/spark has its examples
            module = importlib.import_module(found.name)
            forget()  # the examples of two modules may have the same people
            with self.subTest(module=found.name), warnings.catch_warnings():
                warnings.simplefilter("error")
                # The examples make up their scores, which come from nowhere, and need no privacy.
                for word in ("scores-origin-not-stated", "not-private"):
                    warnings.filterwarnings("ignore", word, dp2dp.PrivacyWarning)
                result = doctest.testmod(module)
                self.assertEqual(result.failed, 0)
                attempted |= {found.name} if result.attempted else set()
        for thing in (
            *(dp2dp.Model, dp2dp.FairPostProcessor, dp2dp.DP2DPClassifier),
            *(dp2dp.PrivateLogisticRegression, dp2dp.Accountant, dp2dp.evaluate),
            *(dp2dp.metrics.unfairness, dp2dp.estimators),
        ):
            self.assertIn(getattr(thing, "__module__", "dp2dp.estimators"), attempted)

    def test_every_public_function_has_an_example(self):
        modules = ("", ".accounting", ".core", ".estimators", ".metrics", ".plot", ".sql")
        for module in (importlib.import_module("dp2dp" + name) for name in modules):
            for name in module.__all__:
                thing = getattr(module, name)
                if inspect.isfunction(thing):
                    with self.subTest(module=module.__name__, function=name):
                        self.assertIn(">>> ", inspect.getdoc(thing))

    def blocks_of(self, *path):
        with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
            text = file.read()
        blocks = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
        self.assertEqual(len(blocks), text.count("```python"), "a block is not run")
        return blocks

    def test_the_lines_of_the_readme_run(self):
        X, y, g = labelled(2000)
        sex = np.where(g == 1, "m", "f")
        given = dict(classifier=GaussianNB().fit(X, y), X_pool=X, sex_pool=sex)
        given.update(X_new=X[:100], sex_new=sex[:100])
        (block,) = self.blocks_of("README.md")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", "scores-origin-not-stated", dp2dp.PrivacyWarning)
            exec(block, given)
        self.assertEqual(len(given["decisions"]), 100)

    def test_the_pages_run_from_top_to_bottom(self):
        pages = glob.glob(os.path.join("python", "*.md"), root_dir=os.path.join(ROOT, "docs"))
        self.assertGreaterEqual(len(pages), 7)
        for page in ("python.md", "export.md", "sql.md", *sorted(pages)):
            with self.subTest(page), tempfile.TemporaryDirectory() as folder:
                blocks = self.blocks_of("docs", page)
                self.assertGreaterEqual(len(blocks), 1)
                self.run_script("-c", "\n".join(blocks), folder=folder)

    def test_the_pages_of_tasks_begin_with_code_and_say_what_can_go_wrong(self):
        with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as file:
            entry = file.read()
        for path in glob.glob(os.path.join(ROOT, "docs", "python", "*.md")):
            with self.subTest(path), open(path, encoding="utf-8") as file:
                text = file.read()
                self.assertLess(text[: text.index("```python")].count("\n"), 10)
                self.assertIn("\n## What can silently go wrong\n", text)
                self.assertIn("```text\n", text)  # what comes out
                self.assertIn(f"](python/{os.path.basename(path)})", entry)

    def run_script(self, *arguments, folder="."):
        command = [sys.executable, "-W", "error::UserWarning:dp2dp", *arguments]
        env = {**os.environ, "MPLBACKEND": "agg"}
        run = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=env)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run.stdout

    def test_the_scripts_run(self):
        scripts = sorted(glob.glob(os.path.join(ROOT, "python", "examples", "*.py")))
        self.assertGreater(len(scripts), 3)
        for script in scripts:
            with self.subTest(script=script):
                if os.path.basename(script) == "adult.py" and "DP2DP_DATA" not in os.environ:
                    self.assertNotEqual(os.environ.get("CI"), "true", "DP2DP_DATA is not set")
                    self.skipTest("DP2DP_DATA does not say where Adult is")
                self.assertNotEqual(self.run_script(os.path.abspath(script)), "")

    def test_the_notebooks_run_and_draw(self):
        wanted = {
            "fair_classifier": {"rates", "rule"},
            "private_table": {"rates", "promise"},
            "choose_rho": {"curve", "rates"},
            "equalized_odds": {"true_positive", "false_positive"},
        }
        for name, pictures in wanted.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                script = os.path.abspath(os.path.join(ROOT, "examples", name + ".py"))
                self.assertNotEqual(self.run_script(script, folder=folder), "")
                drawn = {f"{name}_{picture}.png" for picture in pictures}
                self.assertEqual(set(os.listdir(os.path.join(folder, "pictures"))), drawn)
                for picture in drawn:
                    pixels = imread(os.path.join(folder, "pictures", picture))
                    self.assertGreater(min(pixels.shape[:2]), 200)
                    self.assertGreater(pixels[..., :3].std(), 0.05)  # something is drawn

    def test_every_notebook_is_tested_and_says_what_its_cells_do(self):
        for script in glob.glob(os.path.join(ROOT, "examples", "*.py")):
            with open(script, encoding="utf-8") as file:
                text = file.read()
            if cells := re.findall(r"^# %%(.*)$", text, re.M):
                with self.subTest(script):
                    self.assertTrue(all(cell.strip() for cell in cells))
                    with open(__file__, encoding="utf-8") as file:
                        self.assertIn(f'"{os.path.basename(script)[:-3]}"', file.read())
