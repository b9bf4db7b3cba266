"""dp2dp works without pyspark, and dp2dp.spark says what to install. tests/spark has the rest."""

import subprocess
import sys
import unittest

CODE = """
import sys
sys.modules["pyspark"] = None
import inspect
import dp2dp
assert "spark" not in dir(dp2dp)
assert {"plot", "metrics"} <= dict(inspect.getmembers(dp2dp)).keys()
try:
    import dp2dp.spark
except ImportError as error:
    print(error)
"""


class WithoutPyspark(unittest.TestCase):
    def test_the_error_says_what_to_install(self):
        run = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("pip install 'dp2dp[spark]'", run.stdout)
