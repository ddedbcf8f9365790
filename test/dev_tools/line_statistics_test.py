#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of dev_tools/line_statistics"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "dev_tools", "line_statistics")

FOUR_LINES = """// SPDX
#include <a>

/* a comment
   of two lines */ int a;  // code and comment
const char* b = R"(
)";
// end"""


class LineStatistics(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.write("common/gpu/matrix/a.hpp", "int a;\n" * 10)
        self.write("common/unified/solver/b.hpp", "int a;\n" * 5)
        self.write("common/backend.hpp", "int a;\n")
        self.write("cuda/matrix/a.cu", FOUR_LINES)
        self.write("hip/matrix/a.hip.cpp", "int a;\n\n\n")

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def run_with(self, *arguments):
        return subprocess.run([sys.executable, "-B", PROGRAM, "--root", self.root, *arguments], capture_output=True, text=True, check=False)

    def counts(self):
        rows = json.loads(self.run_with("--json").stdout)
        return {module: (row["common"], row["cuda"], row["hip"]) for module, row in rows.items() if row["total"] > 0}

    def test_counts_lines_with_code_by_module(self):
        self.assertEqual(self.counts(), {"base": (1, 0, 0), "matrix": (10, 4, 1), "solver": (5, 0, 0), "total": (16, 4, 1)})

    def test_simulated_device_and_other_files_do_not_count(self):
        before = self.counts()
        self.write("hip/platform/host/runtime.cpp", "int a;\n")
        self.write("hip/platform/host/include/hip/runtime.hpp", "int a;\n")
        self.write("hip/platform/host.cmake", "a\n")
        self.write("cuda/CMakeLists.txt", "a\n")

        self.assertEqual(self.counts(), before)

    def test_arithmetic_is_counted_apart(self):
        before = self.counts()
        self.write("common/numeric/a.hpp", "int a;\n" * 100)

        self.assertEqual(self.counts(), {**before, "numeric": (100, 0, 0)})
        self.assertEqual(self.run_with("--require", "77").returncode, 1)

    def test_templates_of_sources_count(self):
        self.write("cuda/kernel.cu.in", "int a;\n")
        self.write("hip/kernel.hip.cpp.in", "int a;\n")

        self.assertEqual(self.counts()["base"], (1, 1, 1))

    def test_header_between_hip_and_cuda_counts(self):
        self.write("hip/platform/nvidia/compatibility.hpp", "int a;\n")

        self.assertEqual(self.counts()["base"], (1, 0, 1))

    def test_share_that_is_required(self):
        good = self.run_with("--require", "76")
        bad = self.run_with("--require", "90")

        self.assertEqual((good.returncode, good.stderr), (0, ""))
        self.assertEqual(bad.returncode, 1)
        self.assertIn("common holds 76.2 % of the lines of GPU code, less than 90 %", bad.stderr)

    def test_modules_without_lines_are_shown(self):
        rows = json.loads(self.run_with("--json").stdout)

        self.assertEqual(list(rows)[:6], ["base", "components", "matrix", "factorization", "preconditioner", "solver"])
        self.assertEqual(rows["preconditioner"], {"common": 0, "cuda": 0, "hip": 0, "total": 0, "shared": None})
        self.assertRegex(self.run_with().stdout, r"factorization +0 +0 +0 +0 +-\n")

    def test_table(self):
        self.assertIn("matrix              10     4    1     15   66.7 %", self.run_with().stdout)
        self.assertIn("|---|---:|", self.run_with("--markdown").stdout)

    def test_nothing_there_is_an_error(self):
        with tempfile.TemporaryDirectory() as empty:
            run = subprocess.run([sys.executable, "-B", PROGRAM, "--root", empty], capture_output=True, text=True, check=False)

        self.assertEqual(run.returncode, 1)
        self.assertIn("no GPU code", run.stderr)


if __name__ == "__main__":
    unittest.main()
