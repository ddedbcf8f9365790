#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the subjects of commits: `area: what`, at most 72 characters, without a full stop.

usage: dev_tools/commit_check.py [--root DIR] [--last N]
   --root   the checkout (default: the one of this program). Without a git repository nothing is checked
   --last   commits to check if there is no tag (default: 200); otherwise those since the last tag
"""

import argparse
import os
import re
import subprocess
import sys

MAX_LENGTH = 72
SUBJECT = re.compile(r"[^\s:][^:]*: \S.*[^\s.]")


def git(root, *arguments):
    """Returns the output of git, or None if it fails."""
    run = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=False)
    return run.stdout if run.returncode == 0 else None


def fault_of(subject):
    """Returns what is wrong with a subject, or None."""
    if len(subject) > MAX_LENGTH:
        return f"has {len(subject)} characters; at most {MAX_LENGTH} are expected"
    if not SUBJECT.fullmatch(subject):
        return "is not of the form 'area: what'"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser.add_argument("--last", type=int, default=200)
    arguments = parser.parse_args()
    if git(arguments.root, "rev-parse", "--verify", "HEAD") is None:
        print("no git repository: no commits are checked")
        return
    tag = git(arguments.root, "describe", "--tags", "--abbrev=0")
    which = [f"{tag.strip()}..HEAD"] if tag else [f"--max-count={arguments.last}"]
    lines = git(arguments.root, "log", "--no-merges", "--format=%h %s", *which).splitlines()
    num_faults = 0
    for line in lines:
        commit, _, subject = line.partition(" ")
        fault = fault_of(subject)
        if fault:
            print(f"error: the subject of commit {commit} {fault}: {subject}", file=sys.stderr)
            num_faults += 1
    print(f"{len(lines)} commits, {num_faults} faults")
    if num_faults:
        sys.exit(1)


if __name__ == "__main__":
    main()
