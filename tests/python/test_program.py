"""``python -m dp2dp`` is the program: the same answers, exit codes, streams and signals."""

import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

PROGRAM = os.environ["DP2DP"]
MODULE = [sys.executable, "-m", "dp2dp"]
FIT = "fit - --scores p_no,p_yes --sensitive sex --groups f,m --solver exact --out -".split()


def answer(command, *arguments, **more):
    run = subprocess.run([*command, *arguments], capture_output=True, text=True, **more)
    return run.returncode, run.stdout, run.stderr


class Program(unittest.TestCase):
    def test_answers_and_exit_codes_are_those_of_the_program(self):
        for arguments in (
            ["--version"],
            ["account", "--mechanism", "gaussian", "--sigma", "4", "--delta", "1e-5"],
            ["account", "--sigma", "0"],
            ["show", "/nowhere/model.json"],
            [],
        ):
            with self.subTest(arguments=arguments):
                self.assertEqual(answer(MODULE, *arguments), answer([PROGRAM], *arguments))

    def test_standard_input_reaches_the_program(self):
        table = "p_no,p_yes,sex\n" + "0.25,0.75,f\n0.5,0.5,m\n" * 50
        found = answer(MODULE, *FIT, input=table)
        self.assertEqual(found[0], 0, found[2])
        self.assertEqual(found, answer([PROGRAM], *FIT, input=table))

    def test_a_signal_reaches_the_program_itself(self):
        pipes = {name: subprocess.PIPE for name in ("stdin", "stdout", "stderr")}
        with subprocess.Popen([*MODULE, *FIT], **pipes) as process:
            link = Path(f"/proc/{process.pid}")
            interrupts = 1 << (signal.SIGINT - 1)

            def listens():
                # In this order: Python catches interrupts too, until the program replaces it.
                if not (link / "exe").samefile(PROGRAM):
                    return False
                caught = (link / "status").read_text().split("SigCgt:")[1].split()[0]
                return bool(int(caught, 16) & interrupts)

            until = time.monotonic() + 60
            while process.poll() is None and time.monotonic() < until and not listens():
                time.sleep(0.01)
            self.assertTrue(listens(), "the program does not run in the process that was started")
            process.send_signal(signal.SIGINT)
            _, message = process.communicate()
        self.assertEqual(process.returncode, 130)
        self.assertIn(b"interrupted", message)


if __name__ == "__main__":
    unittest.main()
