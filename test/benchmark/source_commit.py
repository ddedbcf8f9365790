#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of cmake/SpruceCommit.cmake: source_commit.py CMAKE GIT SCRIPT"""

import os
import subprocess
import sys
import tempfile
import unittest

CMAKE, GIT, SCRIPT = sys.argv[1:4]


class SourceCommit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.sources = os.path.join(folder.name, "sources")
        self.output = os.path.join(folder.name, "commit.hpp")
        os.mkdir(self.sources)
        self.write("file", "1")

    def write(self, name, text):
        with open(os.path.join(self.sources, name), "w", encoding="ascii") as file:
            file.write(text)

    def git(self, *arguments):
        settings = ["user.name=test", "user.email=test@localhost", "commit.gpgsign=false", "core.hooksPath=" + os.devnull]
        options = [text for setting in settings for text in ["-c", setting]]
        # If a hook of another repository runs this test, the environment names that repository.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        run = subprocess.run([GIT, *options, *arguments], cwd=self.sources, env=environment, capture_output=True, text=True,
                             check=True)
        return run.stdout.strip()

    def commit(self):
        self.git("init", "--quiet")
        self.git("add", "file")
        self.git("commit", "--quiet", "--message", "first")
        return self.git("rev-parse", "HEAD")[:10]

    def run_it(self, commit="", git=GIT, sources=None, **environment):
        return subprocess.run([CMAKE, "-D", "SOURCE_DIR=" + (sources or self.sources), "-D", "OUTPUT=" + self.output, "-D",
                               "GIT=" + git, "-D", "COMMIT=" + commit, "-P", SCRIPT], capture_output=True, text=True,
                              env={**os.environ, "SPRUCE_COMMIT": "", **environment}, check=False)

    def found(self, **arguments):
        run = self.run_it(**arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        with open(self.output, encoding="ascii") as file:
            return file.read()

    def expect(self, expected, **arguments):
        self.assertEqual(self.found(**arguments), f'#define SPRUCE_COMMIT "{expected}"\n')

    def test_names_the_commit_of_the_sources(self):
        commit = self.commit()

        self.expect(commit)
        self.expect(commit, commit="other", SPRUCE_COMMIT="another")

    def test_only_changes_of_tracked_files_are_dirty(self):
        commit = self.commit()
        self.write("new", "1")
        self.expect(commit)

        self.write("file", "2")

        self.expect(commit + "-dirty")

    def test_staged_changes_are_dirty(self):
        commit = self.commit()
        self.write("file", "2")
        self.git("add", "file")

        self.expect(commit + "-dirty")

    def test_sources_without_repository_take_the_variable_then_the_environment(self):
        self.expect("v1.0", commit="v1.0", SPRUCE_COMMIT="v2.0")
        self.expect("v2.0", SPRUCE_COMMIT="v2.0")
        self.expect("unknown")

    def test_repository_around_the_sources_does_not_count(self):
        self.commit()
        inner = os.path.join(self.sources, "spruce")
        os.mkdir(inner)

        self.expect("unknown", sources=inner)

    def test_repository_of_a_git_hook_does_not_count(self):
        commit = self.commit()

        self.expect(commit, GIT_DIR=os.path.join(self.sources, "absent"), GIT_INDEX_FILE="absent")

    def test_worktree_is_a_repository(self):
        commit = self.commit()
        worktree = os.path.join(os.path.dirname(self.sources), "worktree")
        self.git("worktree", "add", "--quiet", worktree)

        self.expect(commit, sources=worktree)

    def test_repository_without_commit_or_git_is_as_none(self):
        self.git("init", "--quiet")
        self.expect("v1.0", commit="v1.0")

        self.commit()

        self.expect("v1.0", commit="v1.0", git="GIT_EXECUTABLE-NOTFOUND")

    def test_header_is_written_only_if_it_changes(self):
        self.found(commit="v1.0")
        os.utime(self.output, (1, 1))

        self.found(commit="v1.0")
        self.assertEqual(os.stat(self.output).st_mtime, 1)

        self.found(commit="v1.1")
        self.assertGreater(os.stat(self.output).st_mtime, 1)

    def test_text_that_is_no_commit_is_refused(self):
        run = self.run_it(commit='a"b')

        self.assertNotEqual(run.returncode, 0)
        self.assertIn("SPRUCE_COMMIT is 'a\"b'; it can have letters, digits", " ".join(run.stderr.split()))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
