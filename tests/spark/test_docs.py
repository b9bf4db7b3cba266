"""docs/spark.md runs from top to bottom."""

import os
import re
import tempfile
import unittest
import warnings
from contextlib import chdir
from pathlib import Path

import dp2dp
from session import spark

ROOT = Path(os.environ.get("DP2DP_SOURCE_DIR", Path(__file__).parent.parent.parent))


class Docs(unittest.TestCase):
    def test_the_page_runs_from_top_to_bottom(self):
        text = (ROOT / "docs" / "spark.md").read_text(encoding="utf-8")
        blocks = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
        self.assertEqual(len(blocks), 3)
        given = {}
        spark()
        with tempfile.TemporaryDirectory() as folder, chdir(folder), warnings.catch_warnings():
            warnings.simplefilter("ignore", dp2dp.PrivacyWarning)
            code = "\n".join(blocks).replace('"fair-model"', repr(f"{folder}/fair-model"))
            exec(code, given)  # Spark's folder is not that of Python
        counts = given["decided"].groupBy("sex").agg({"fairPrediction": "avg"}).collect()
        self.assertLess(abs(counts[0][1] - counts[1][1]), 0.1)
        self.assertEqual(given["again"].model.to_json(), given["fair"].model.to_json())
        self.assertEqual(given["counted"].model.records, 4000)
