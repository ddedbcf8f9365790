#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of dev_tools/commit_check.py"""

import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "dev_tools", "commit_check.py")


class CommitCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name

    def git(self, *arguments):
        subprocess.run(["git", "-C", self.root, "-c", "user.name=a", "-c", "user.email=a@b", *arguments], check=True, capture_output=True)

    def commit(self, subject):
        self.git("commit", "-q", "--allow-empty", "-m", subject)

    def run_it(self, *arguments):
        environment = dict(os.environ, GIT_CEILING_DIRECTORIES=os.path.dirname(self.root))
        return subprocess.run([sys.executable, "-B", PROGRAM, "--root", self.root, *arguments], capture_output=True, text=True,
                              check=False, env=environment)

    def test_checks_nothing_without_a_repository(self):
        run = self.run_it()

        self.assertEqual((run.returncode, run.stdout), (0, "no git repository: no commits are checked\n"))

    def test_refuses_other_subjects(self):
        self.git("init", "-q")
        for subject in ("csr: " + "a" * 68, "csr:balance spmv", "balance spmv", "csr: balance spmv.", ": balance"):
            with self.subTest(subject):
                self.commit(subject)
                run = self.run_it("--last", "1")
                self.assertEqual(run.returncode, 1)
                self.assertIn(subject, run.stderr)
        self.commit("csr, ell: " + "a" * 62)
        self.assertEqual(self.run_it("--last", "1").stdout, "1 commits, 0 faults\n")

    def test_checks_commits_since_the_last_tag(self):
        self.git("init", "-q")
        self.commit("no area")
        self.git("tag", "v1")
        self.commit("csr: balance spmv")
        self.assertEqual(self.run_it().stdout, "1 commits, 0 faults\n")
        self.commit("no area, either")
        self.assertEqual(self.run_it().returncode, 1)


if __name__ == "__main__":
    unittest.main()
