#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of benchmark/alternate.py: alternate.py BENCHMARK_FOLDER"""

import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest

BENCHMARK = sys.argv[1]
# Measures matrices that a suite names, one of which fails in the second run of hip.
PROGRAM = """#!{python}
import json, sys
executor, path = sys.argv[sys.argv.index("--executor") + 1], sys.argv[sys.argv.index("--json") + 1]
with open("{folder}/runs.txt", "a") as file:
    file.write(executor + "\\n")
with open("{folder}/runs.txt") as file:
    runs = file.read().split()
if "--wrong" in sys.argv:
    sys.exit("unknown option --wrong")
with open(sys.argv[sys.argv.index("--suite") + 1]) as file:
    matrices = file.read().split()
results = []
for number, matrix in enumerate(matrices, 1):
    seconds = number * (2.0 if executor == "hip" and matrix == "c" else 1.0) * len(runs)
    result = {{"case": {{"operation": "spmv", "matrix": matrix}}, "problem": {{"source": matrix}}, "seconds": [seconds], "calls": 1,
              "seconds_median": seconds, "bytes": 1e9, "gigabytes_per_second": 1 / seconds}}
    if executor == "hip" and matrix == "b" and runs.count("hip") == 2:
        result = {{"case": result["case"], "failure": "lost"}}
    results.append(result)
with open(path, "w") as file:
    json.dump({{"schema": 2, "program": "spruce-bench", "command": "spmv", "arguments": ["spmv"], "version": "1", "commit": "abc", "date": "d",
               "compiler": "c", "executor": executor, "device": "d", "processor": "p", "threads": 1, "warmup": 1, "repetitions": 1,
               "interrupted": False, "results": results}}, file)
sys.exit(any("failure" in result for result in results))
"""


class Alternate(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.program = self.write("bench", PROGRAM.format(python=sys.executable, folder=self.folder))
        os.chmod(self.program, stat.S_IRWXU)
        self.suite = self.write("suite.txt", "a\nb\nc\n")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run_it(self, prefix, *arguments):
        return subprocess.run([
            sys.executable, "-B", os.path.join(BENCHMARK, "alternate.py"), "--program", self.program, "--executors", "cuda,hip", "--output",
            os.path.join(self.folder, prefix), *arguments
        ], capture_output=True, text=True, check=False)

    def results(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            document = json.load(file)
        return document["rounds"], {result["case"]["matrix"]: result for result in document["results"]}

    def test_takes_turns_and_merges_the_samples(self):
        run = self.run_it("x", "--rounds", "2", "--", "spmv", "--suite", self.suite)

        self.assertEqual(run.returncode, 1)
        self.assertIn("error: 1 results failed or are wrong", run.stderr)
        with open(os.path.join(self.folder, "runs.txt"), encoding="utf-8") as file:
            self.assertEqual(file.read().split(), ["cuda", "hip", "cuda", "hip"])
        rounds, cuda = self.results("x_cuda.json")
        self.assertEqual(rounds, 2)
        self.assertEqual([cuda[name]["seconds"] for name in "abc"], [[1, 3], [2, 6], [3, 9]])
        self.assertEqual(cuda["a"]["seconds_median"], 2)
        self.assertEqual(cuda["a"]["gigabytes_per_second"], 0.5)
        _, hip = self.results("x_hip.json")
        self.assertEqual(hip["b"].get("failure"), "lost")
        self.assertEqual(hip["c"]["seconds"], [12, 24])

    def test_repeats_the_matrices_that_differ_most(self):
        self.run_it("x", "--rounds", "1", "--", "spmv", "--suite", self.suite)

        run = self.run_it("worst", "--rounds", "1", "--worst", "1", *(os.path.join(self.folder, f"x_{name}.json") for name in ("cuda", "hip")),
                          "--", "spmv")

        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(list(self.results("worst_cuda.json")[1]), ["c"])

    def test_keeps_wrong_results_and_cases_of_later_rounds(self):
        sys.path.insert(0, BENCHMARK)
        import alternate  # noqa: E402

        def document(*results):
            return {"results": [{"case": {"matrix": name}, "seconds": [1.0], "correct": correct} for name, correct in results]}

        merged = alternate.merge([document(("a", True)), document(("a", False), ("b", True))])

        self.assertEqual([(one["case"]["matrix"], one.get("correct"), one.get("failure")) for one in merged["results"]],
                         [("a", False, None), ("b", None, "not measured in one of the rounds")])

    def test_refuses_wrong_arguments_before_the_first_run(self):
        first = self.run_it("x", "--rounds", "0", "--", "spmv")
        folder = self.run_it("none/x", "--", "spmv")
        number = self.run_it("x", "--worst", "many", "a", "b", "--", "spmv")
        missing = self.run_it("x", "--worst", "1", "a", "b", "--", "spmv")

        self.assertIn("expected a number above 0, found 0", first.stderr)
        self.assertIn("a prefix in a folder that exists", folder.stderr)
        self.assertIn("expected a number above 0 first, found many", number.stderr)
        self.assertIn("error: ", missing.stderr)
        self.assertNotIn("Traceback", missing.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "runs.txt")))

    def test_stops_if_a_run_fails(self):
        run = self.run_it("x", "--", "spmv", "--wrong")

        self.assertEqual(run.returncode, 1)
        self.assertIn("unknown option --wrong", run.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "x_cuda.json")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
