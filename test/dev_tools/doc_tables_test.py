#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of benchmark/doc_tables.py"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "benchmark", "doc_tables.py")
FILE = "2026-01-02-nvidia-h100/spmv.json"
TABLE = f"""# Title

<!-- figures: spmv {FILE} formats=csr,coo of-copy=csr ratio=vendor/Csr:vendor-1,vendor-2/csr -->
<!-- end of figures -->
"""


def formats(**seconds):
    return [{"format": name.replace("_", "-"), "seconds_median": value, "fraction_of_copy": 0.5} for name, value in seconds.items()]


class DocTables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.write("doc/benchmarks.md", TABLE)
        self.write("README.md", "# Readme\n")
        self.result = {
            "arguments": ["spmv"], "commit": "abc", "date": "2026-01-02T03:04:05Z", "executor": "cuda", "device": "CudaExecutor on device 0 (NVIDIA H100, sm_90)",
            "value_type": "double", "index_type": "int32", "nrhs": 1, "copy": {"gigabytes_per_second": 3000.0},
            "matrices": [{"name": "a", "formats": formats(csr=1e-4, coo=2e-4, vendor_1=4e-4, vendor_2=3e-4)},
                         {"name": "b", "formats": formats(csr=1.5e-6, vendor_1=18e-6)}]}
        self.write_result()

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def write_result(self):
        self.write("benchmark/results/" + FILE, json.dumps(self.result))

    def read(self, name):
        with open(os.path.join(self.root, name), encoding="utf-8") as file:
            return file.read()

    def run_it(self, *arguments):
        return subprocess.run([sys.executable, "-B", PROGRAM, "--root", self.root, *arguments], capture_output=True, text=True,
                              check=False)

    def check_refused(self, message):
        run = self.run_it()
        self.assertEqual(run.returncode, 1)
        self.assertIn(message, run.stderr)

    def test_writes_a_table_that_it_then_accepts(self):
        self.check_refused("a table differs from its result file")

        self.assertEqual(self.run_it("--write").returncode, 0)

        text = self.read("doc/benchmarks.md")
        self.assertIn("Microseconds on NVIDIA H100, double and int32; copy 3000 GB/s (`2026-01-02-nvidia-h100/spmv.json`, commit abc):",
                      text)
        self.assertIn("| Matrix | csr | coo | csr, of copy | vendor/Csr |", text)
        self.assertIn("| a | 100 | 200 | 50 % | 3.00 |", text)
        self.assertIn("| b | 1.50 |  | 50 % | 12.00 |", text)
        self.assertIn("The geometric mean of the last column is 6.00.", text)
        self.assertEqual(self.run_it().stderr, "")

    def test_reads_results_of_schema_2(self):
        self.run_it("--write")
        before = self.read("doc/benchmarks.md")
        results = [{"case": {"operation": "spmv", "matrix": matrix["name"], "format": one["format"], "value_type": "double",
                             "index_type": "int32", "num_rhs": 1}, **one}
                   for matrix in self.result.pop("matrices") for one in matrix["formats"]]
        for one in results:
            del one["format"]
        self.result.update({"schema": 2, "command": "spmv", "results": results})
        self.write_result()

        self.assertEqual(self.run_it().stderr, "")
        self.assertEqual(self.read("doc/benchmarks.md"), before)

    def test_compares_executors_and_formats(self):
        def document(executor, factor):
            def result(matrix, storage, seconds, nonzeros):
                return {"case": {"operation": "spmv", "matrix": matrix, "format": storage}, "problem": {"nonzeros": nonzeros},
                        "seconds": [seconds * factor, 3 * seconds * factor, 4 * seconds * factor], "calls": 1, "flops": 2 * nonzeros}

            vendor = {"cuda": "cusparse-csr", "hip": "hipsparse-csr"}[executor]
            return {"schema": 2, "program": "spruce-bench", "command": "spmv", "arguments": ["spmv"], "version": "1", "commit": "abc",
                    "date": "2026-01-02T03:04:05Z", "compiler": "g++", "executor": executor, "device": "E on device 0 (NVIDIA H100, sm_90)",
                    "processor": "p", "threads": 1, "warmup": 1, "repetitions": 3, "interrupted": False,
                    "results": [result("a", "coo", 1e-6, 5000), result("b", "coo", 1e-5, 50000), result("a", vendor, 2e-6, 5000),
                                {"case": {"operation": "spmv", "matrix": "b", "format": vendor}, "failure": "out of memory"}]}

        names = [FILE.replace(".json", f"_{executor}.json") for executor in ("cuda", "hip")]
        for name, (executor, factor) in zip(names, (("cuda", 1), ("hip", 1.02))):
            self.write("benchmark/results/" + name, json.dumps(document(executor, factor)))
        both = " ".join(names)
        kinds = (f"executors {both}", f"executors {both} by=size of=min", f"executors {both} by=matrix worst=1", f"rates {names[0]}",
                 f"against {names[0]} to=vendor_csr")
        self.write("doc/experiments.md", "".join(f"<!-- figures: {kind} -->\n<!-- end of figures -->\n" for kind in kinds))
        self.assertEqual(self.run_it("--write").returncode, 0)

        text = self.read("doc/experiments.md")
        self.assertIn("| coo | 2 | 1.020 | 1.020 | 1.020 | 1.020 | 1.020 | 100 % | 100 % |", text)
        self.assertIn("| vendor csr | 1 |", text)
        self.assertIn("Time of hip divided by time of cuda, shortest of the samples, on NVIDIA H100", text)
        self.assertIn("| below 1e4 | 1.020 (100 % of 1) | 1.020 (100 % of 1) |", text)
        self.assertIn("| 1e4 to 1e5 | 1.020 (100 % of 1) |  |", text)
        self.assertIn("| 3.0 | 1.020 |", text)  # the median in us and the ratio
        self.assertIn("| below 1e4 | 3.33 / 3.33 / 3.33 | 1.67 / 1.67 / 1.67 |", text)
        self.assertIn("| coo | 1 | 0.50 | 0.50 | 0.50 | 0.50 | 0.50 |", text)

    def test_refuses_a_changed_figure(self):
        self.run_it("--write")
        self.write("doc/benchmarks.md", self.read("doc/benchmarks.md").replace("| a | 100 |", "| a | 90.0 |"))

        self.check_refused("doc/benchmarks.md: a table differs from its result file")

    def test_checks_the_tables_of_all_documents(self):
        for name in ("README.md", "doc/preconditioners.md", "doc/tuning/csr.md"):
            with self.subTest(name):
                self.write(name, TABLE)
                self.run_it("--write")
                self.write(name, self.read(name).replace("| a | 100 |", "| a | 90.0 |"))
                self.check_refused(f"{name}: a table differs from its result file")
                self.run_it("--write")
                self.assertEqual(self.run_it().stderr, "")

    def test_refuses_a_figure_outside_tables(self):
        self.run_it("--write")
        for text, name in [("It takes 12 us.\n", "doc/solvers.md"), ("| Csr | 12 |\n", "README.md")]:
            with self.subTest(text):
                self.write(name, text)
                self.check_refused(f"{name}:1: a figure without a result file")
                self.write(name, "")
        self.write("doc/tuning/csr.md", "It took 12 us without it.\n")
        self.check_refused("doc/tuning/csr.md:1: a figure without a result file")
        self.write("doc/tuning/csr.md", "Runs not kept: H100, January 2026.\n\nIt took 12 us without it.\n")
        self.write("doc/solvers.md", "The tolerance is 1e-8, or `12 us` in code.\n")
        self.assertEqual(self.run_it().stderr, "")

    def test_refuses_a_result_file_that_is_missing_or_unused(self):
        self.run_it("--write")
        self.write("benchmark/results/2026-01-02-nvidia-h100/spmv_2-columns.txt", "")
        self.check_refused("2026-01-02-nvidia-h100/spmv_2-columns.txt: no document names it")
        self.write("doc/tuning/csr.md", "`2026-01-02-nvidia-h100/spmv_2-columns.txt` and `missing.txt`\n")
        self.check_refused("there is no result file benchmark/results/2026-01-02-nvidia-h100/missing.txt")
        self.write("doc/tuning/csr.md", "`2026-01-02-nvidia-h100/spmv_2-columns.txt`\n")
        self.assertEqual(self.run_it().stderr, "")

    def test_refuses_a_result_file_that_is_not_named_by_its_command(self):
        self.run_it("--write")
        self.write("benchmark/results/2026-01-02-nvidia-h100/spmv_2_columns.txt", "")
        self.check_refused("2026-01-02-nvidia-h100/spmv_2_columns.txt: expected the name DATE-DEVICE/COMMAND[_WHAT-DIFFERS].json")
        self.result["arguments"] = ["solver"]
        self.result["results"] = []
        self.write_result()
        self.check_refused(f"benchmark/results/{FILE}: the command is solver, but the name begins with spmv")

    def test_refuses_a_result_that_cannot_be_reproduced(self):
        self.run_it("--write")
        for key, message in [("commit", "commit: expected a text, found null"), ("arguments", "its arguments do not begin with")]:
            with self.subTest(key):
                del self.result[key]
                self.write_result()

                self.check_refused(message)

    def test_says_what_is_wrong_with_a_description(self):
        for description, message in [(f"pie {FILE}", "expected a table of"), ("spmv nothing.json", "there is no result file"),
                                     (f"solver {FILE} formats=csr solvers=cg", "has no result of cg with csr"),
                                     (f"zoo {FILE}", "lacks 'worst'"),
                                     (f"spmv {FILE} best=csr", "expected NAME:FORMAT,FORMAT, found csr")]:
            with self.subTest(description):
                self.write("doc/benchmarks.md", f"<!-- figures: {description} -->\n<!-- end of figures -->\n")
                self.check_refused(message)
        self.write("doc/benchmarks.md", f"<!-- figures: spmv {FILE} -->\n")
        self.check_refused("has no '<!-- end of figures -->'")


if __name__ == "__main__":
    unittest.main()
