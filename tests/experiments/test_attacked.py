"""The figure "Claimed, sound, attacked": planted faults show, and its words mean what they say.

test_fast.py checks its orderings. The seeds are fixed, so a test always passes or always fails.
"""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

import sampled_pair
from figures import attacked
from support import context

OURS = [method for method in attacked.METHODS if method != attacked.PUBLISHED]


def table(*arguments):
    with tempfile.TemporaryDirectory() as folder:
        program = context(Path(folder)).dp2dp.parent / "tests" / "attacked"
    command = [str(program), "--fast", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return attacked.rows_of(done.stdout)


def invented(method="counts", **changed):
    row = {"method": method, "pair": "group", "records": 1000, "group": 25, "batch": 32, "steps": 4}
    row |= {"claimed": 1, "sound": 3, "attacked": 0.9, "attacked_any": 0.4, "attacked_form": 0.9}
    row |= {"of_pair": 2.5, "sigma_counts": 30, "sigma_sums": 6}
    row |= {"delta": 1e-5, "confidence": 0.99, "runs": 10, "looks": 4, "seed": 1, "group_least": 25}
    return {"setting": "groups", **row, **changed}


class PlantedFault(unittest.TestCase):
    def test_halved_noise_is_reported_for_every_method_of_ours(self):
        for method in OURS:
            with self.subTest(method):
                row = table("--halve-noise", "--method", method)[-1]
                self.assertEqual(row["claimed"], 1)
                self.assertEqual(attacked.verdict(row), "fail")
                self.assertEqual(attacked.line_of(row)["claim"], "exceeded")

    def test_an_ordering_fails_if_a_row_of_ours_is_exceeded(self):
        published = invented(attacked.PUBLISHED, attacked=2)
        for row, holds in [(invented(), True), (invented(attacked=3.1), False)]:
            with tempfile.TemporaryDirectory() as folder:
                made = context(Path(folder))
                made.write(attacked.NAME, [published, published | {"claimed": 0.5}, row])
                self.assertEqual(all(ok for _, ok in attacked.orderings(made)), holds)


class Words(unittest.TestCase):
    def test_an_exceeded_claim_of_the_paper_is_not_a_failure_of_the_sound_bound(self):
        line = attacked.line_of(invented(attacked.PUBLISHED, attacked=2))
        self.assertEqual((line["claim"], line["verdict"]), ("exceeded", "pass"))
        line = attacked.line_of(invented(attacked.PUBLISHED))
        self.assertRegex(line["claim"], "not shown by the attack")
        line = attacked.line_of(invented(attacked.PUBLISHED, of_pair=0.95))
        self.assertEqual(line["claim"], "not exceeded")
        line = attacked.line_of(invented(attacked.PUBLISHED, attacked=4))
        self.assertEqual((line["claim"], line["verdict"]), ("exceeded", "fail"))

    def test_without_a_sound_bound_the_verdict_is_open(self):
        line = attacked.line_of(invented(attacked.PUBLISHED, sound=None))
        self.assertEqual((line["verdict"], line["share"]), ("open", None))
        self.assertRegex(attacked.sound_text([invented(sound=None)]), "^none")

    def test_a_lower_bound_is_rounded_down_and_an_upper_bound_up(self):
        line = attacked.line_of(invented(attacked=0.9999, attacked_any=0.4999, sound=3.0001))
        self.assertEqual(
            (line["attacked"], line["attacked_any"], line["sound"]), (0.999, 0.499, 3.001)
        )
        self.assertEqual(attacked.outwards(0.5, 3), 0.5)

    def test_the_larger_of_the_two_bounds_counts_and_a_missing_one_is_none(self):
        texts = {key: str(value) for key, value in invented().items()}
        del texts["setting"], texts["attacked"], texts["of_pair"]
        for form, best in [("0.9", 0.9), ("0.1", 0.4), ("", 0.4)]:
            row = attacked.row_of(texts | {"attacked_form": form})
            self.assertEqual(row["attacked"], best)
        self.assertIsNone(row["attacked_form"])
        json.dumps(row, allow_nan=False)


class Pair(unittest.TestCase):
    """sampled_pair.py against the accountant, where both know the answer."""

    def account(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            text = context(Path(folder)).run("account", *arguments, "--delta", 1e-5, "--json")
        return json.loads(text)["epsilon"]

    def test_a_person_drawn_at_most_once_is_a_poisson_sample(self):
        law, sigma = np.array([1 - 0.064, 0.064]), 22
        found = sampled_pair.epsilon_at(1e-5, sampled_pair.step_across(law, law, sigma) ** 100)
        poisson = ["--mechanism", "poisson", "--rate", 0.064, "--steps", 100]
        wanted = self.account(*poisson, "--sigma", sigma / sampled_pair.MOVE)
        self.assertAlmostEqual(found, wanted, delta=0.001 * wanted)

    def test_a_person_drawn_always_is_a_gaussian_release(self):
        once, sigma = np.array([1e-300, 1]), 12
        for step, distance in [
            (sampled_pair.step_within(once, sigma), 4),
            (sampled_pair.step_across(once, once, sigma), 4 * 2**0.5),
            (sampled_pair.counts(sigma), 2**0.5),
        ]:
            found = sampled_pair.epsilon_at(1e-5, step**3)
            gaussian = ["--mechanism", "gaussian", "--sensitivity", distance, "--steps", 3]
            wanted = self.account(*gaussian, "--sigma", sigma)
            self.assertAlmostEqual(found, wanted, delta=0.001 * wanted)


class Program(unittest.TestCase):
    def test_the_table_does_not_depend_on_the_number_of_processes(self):
        one, three = (table("--method", "dpgd", "--workers", n) for n in ("1", "3"))
        self.assertEqual(one, three)
        self.assertTrue(one)

    def test_other_seeds_give_other_numbers(self):
        one, two = (table("--method", "dpgd", "--seed", n) for n in ("1", "2"))
        self.assertNotEqual(one[0]["attacked"], two[0]["attacked"])


if __name__ == "__main__":
    unittest.main()
