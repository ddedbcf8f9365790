#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the includes between the top-level folders, and fails if one of them goes where doc/architecture.md does not allow it.

Only includes in quotation marks of files of this tree count, and <spruce/...>, which is folder include.
"""

import argparse
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# What files of a folder may include, beside those of their own folder.
ALLOWED = {
    "include": [],
    "common/numeric": ["include"],
    "core": ["include", "common/numeric"],
    "reference": ["include", "core"],
    "common": [],
    "common/unified": ["include", "common/numeric", "core", "common"],
    "common/gpu": ["include", "common/numeric", "core", "common", "common/unified"],
    "omp": ["include", "common/numeric", "core", "common", "common/unified"],
    "cuda": ["include", "common/numeric", "core", "common", "common/unified", "common/gpu"],
    "hip": ["include", "common/numeric", "core", "common", "common/unified", "common/gpu"],
    "benchmark": ["include", "common/numeric", "core"],
    "examples": ["include"],
    "test": ["include", "common/numeric", "core", "benchmark"],
}
# Single files that need more: what is allowed to whom.
EXCEPTIONS = {
    "common/backend.hpp": ["hip"],  # tools read shared files as the simulated device compiles them
    "test/device": ["common/gpu", "cuda", "hip"],  # tests of what kernels for GPUs build on
}
ENDINGS = (".hpp", ".h", ".cpp", ".cu", ".in")
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<((?:spruce|ginkgo)/[^>]+)>)', re.MULTILINE)


def folder_of(path):
    """The folder of ALLOWED that a file belongs to; None for others."""
    parts = path.split("/")
    if parts[0] == "common":
        return "/".join(parts[:2]) if len(parts) > 2 else "common"
    return parts[0] if parts[0] in ALLOWED else None


def target_of(path, quoted, installed, root):
    """The folder that an include of a file leads to; None outside the tree."""
    if installed:
        return "include"
    beside = os.path.normpath(os.path.join(os.path.dirname(path), quoted))
    for candidate in (beside, quoted):
        if os.path.isfile(os.path.join(root, candidate)):
            return folder_of(candidate.replace(os.sep, "/"))
    return None


def collect(root):
    """{(from, to): [(file, line)]} for the includes between folders."""
    arrows = {}
    for top in sorted({folder.split("/")[0] for folder in ALLOWED}):
        for directory, _, files in os.walk(os.path.join(root, top)):
            for name in sorted(files):
                path = os.path.relpath(os.path.join(directory, name), root).replace(os.sep, "/")
                source = folder_of(path)
                if source is None or not name.endswith(ENDINGS):
                    continue
                with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
                    text = file.read()
                for match in INCLUDE.finditer(text):
                    target = target_of(path, match[1], match[2], root)
                    if target is not None and target != source:
                        line = text.count("\n", 0, match.start(0) + len(match[0])) + 1
                        arrows.setdefault((source, target), []).append((path, line))
    return arrows


def is_allowed(path, source, target):
    return target in ALLOWED[source] or any(
        path.startswith(prefix) and target in targets for prefix, targets in EXCEPTIONS.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=ROOT, help="the checkout (default: this one)")
    arguments = parser.parse_args()

    arrows = collect(arguments.root)
    if not arrows:
        sys.exit(f"error: no sources in {arguments.root}")
    for source in ALLOWED:
        targets = [f"{target} ({len(places)})" for (start, target), places in sorted(arrows.items()) if start == source]
        print(f"{source:15} -> {', '.join(targets) if targets else 'nothing'}")
    wrong = [(path, line, source, target) for (source, target), places in arrows.items() for path, line in places
             if not is_allowed(path, source, target)]
    for path, line, source, target in wrong:
        print(f"{path}:{line}: error: {source} must not include {target}", file=sys.stderr)
    if wrong:
        sys.exit(1)


if __name__ == "__main__":
    main()
