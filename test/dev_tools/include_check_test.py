#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of dev_tools/include_check.py"""

import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "dev_tools", "include_check.py")


class IncludeCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.write("include/spruce/a.hpp", "#include <vector>\n")
        self.write("common/numeric/a.hpp", "#include <spruce/a.hpp>\n")
        self.write("core/a.hpp", '#include "common/numeric/a.hpp"\n')
        self.write("omp/a.hpp", '#pragma once\n\n#include "core/a.hpp"\n')

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def run_it(self):
        return subprocess.run([sys.executable, "-B", PROGRAM, "--root", self.root], capture_output=True, text=True, check=False)

    def check_refused(self, message):
        run = self.run_it()
        self.assertEqual(run.returncode, 1)
        self.assertIn(message, run.stderr)

    def test_draws_what_is_allowed(self):
        run = self.run_it()

        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertRegex(run.stdout, r"core +-> common/numeric \(1\)\n")
        self.assertRegex(run.stdout, r"include +-> nothing\n")

    def test_includes_upwards_are_errors(self):
        self.write("common/numeric/b.hpp", '\n#include "core/a.hpp"\n')

        self.check_refused("common/numeric/b.hpp:2: error: common/numeric must not include core")

    def test_names_relative_to_the_file_count(self):
        self.write("core/b.cpp", '#include "../omp/a.hpp"\n')

        self.check_refused("core/b.cpp:1: error: core must not include omp")

    def test_reference_shares_no_arithmetic(self):
        self.write("reference/a.cpp", '#include "common/numeric/a.hpp"\n')

        self.check_refused("reference must not include common/numeric")

    def test_exceptions_are_for_single_files(self):
        self.write("hip/base/backend.hpp", "\n")
        self.write("common/backend.hpp", '#include "hip/base/backend.hpp"\n')
        self.assertEqual(self.run_it().returncode, 0)

        self.write("common/other.hpp", '#include "hip/base/backend.hpp"\n')
        self.check_refused("common/other.hpp:1: error: common must not include hip")

    def write_headers(self, *folders):
        for folder in folders:
            self.write(folder + "/base/binding.hpp", "\n")

    def test_macros_lead_to_each_folder_that_has_the_file(self):
        self.write_headers("common/gpu", "omp", "cuda", "hip")
        self.write("common/unified/a.hpp", "#include SPRUCE_DEVICE_FILE(base, binding)\n")
        self.write("common/gpu/a.hpp", "#include SPRUCE_BACKEND_FILE(base, absent)\n#include SPRUCE_BACKEND_FILE(base, prelude)\n")
        self.write("cuda/base/prelude.hpp", "\n")
        self.write("hip/base/prelude.hpp", "\n")

        run = self.run_it()

        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertRegex(run.stdout, r"common/unified +-> common/gpu \(1 by SPRUCE_DEVICE_FILE\), omp \(1 by SPRUCE_DEVICE_FILE\)\n")
        self.assertRegex(run.stdout, r"common/gpu +-> cuda \(1 by SPRUCE_BACKEND_FILE\), hip \(1 by SPRUCE_BACKEND_FILE\)\n")

    def test_macros_are_for_some_folders_only(self):
        self.write_headers("common/gpu", "omp", "cuda", "hip")
        self.write("core/b.hpp", "\n#include SPRUCE_DEVICE_FILE(base, binding)\n")

        self.check_refused("core/b.hpp:2: error: core must not include omp by SPRUCE_DEVICE_FILE")

    def test_macros_allow_no_includes_by_name(self):
        self.write_headers("common/gpu", "omp")
        self.write("common/unified/b.hpp", '#include SPRUCE_DEVICE_FILE(base, binding)\n#include "omp/base/binding.hpp"\n')

        self.check_refused("common/unified/b.hpp:2: error: common/unified must not include omp\n")

    def test_nothing_there_is_an_error(self):
        with tempfile.TemporaryDirectory() as empty:
            run = subprocess.run([sys.executable, "-B", PROGRAM, "--root", empty], capture_output=True, text=True, check=False)

        self.assertEqual(run.returncode, 1)
        self.assertIn("no sources", run.stderr)


if __name__ == "__main__":
    unittest.main()
