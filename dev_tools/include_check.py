#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the includes between the top-level folders, and fails if one of them goes where doc/architecture.md does not allow it.

Only includes in quotation marks of files of this tree count, and <spruce/...>, which is folder include. An include by
SPRUCE_DEVICE_FILE or SPRUCE_BACKEND_FILE (common/backend.hpp) is drawn to each folder that has such a file.
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
    "benchmark/groups": ["common/gpu", "cuda", "hip"],  # measures what kernels for GPUs build on
    "test/device": ["common/gpu", "cuda", "hip"],  # tests of what kernels for GPUs build on
}
# The folders in which macros look for a file, and the folders that may include by them.
MACROS = {
    "SPRUCE_DEVICE_FILE": (["common/gpu", "omp"], ["common/unified"]),
    "SPRUCE_BACKEND_FILE": (["cuda", "hip", "omp"], ["common/gpu"]),
}
ENDINGS = (".hpp", ".h", ".cpp", ".cu", ".in")
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<((?:spruce|ginkgo)/[^>]+)>|(' + "|".join(MACROS) + r')\((\w+),\s*(\w+)\))',
                     re.MULTILINE)


def folder_of(path):
    """The folder of ALLOWED that a file belongs to; None for others."""
    parts = path.split("/")
    if parts[0] == "common":
        return "/".join(parts[:2]) if len(parts) > 2 else "common"
    return parts[0] if parts[0] in ALLOWED else None


def targets_of(path, include, root):
    """The folders that an include of a file leads to; none outside the tree."""
    quoted, installed, macro, folder, name = include.groups()
    if installed:
        return ["include"]
    if macro:
        return [target for target in MACROS[macro][0] if os.path.isfile(os.path.join(root, target, folder, name + ".hpp"))]
    beside = os.path.normpath(os.path.join(os.path.dirname(path), quoted))
    for candidate in (beside, quoted):
        if os.path.isfile(os.path.join(root, candidate)):
            target = folder_of(candidate.replace(os.sep, "/"))
            return [target] if target else []
    return []


def collect(root):
    """{(from, to): [(file, line, macro or None)]} for the includes between folders."""
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
                    line = text.count("\n", 0, match.end(0)) + 1
                    for target in targets_of(path, match, root):
                        if target != source:
                            arrows.setdefault((source, target), []).append((path, line, match[3]))
    return arrows


def is_allowed(path, source, target, macro):
    if macro:
        return source in MACROS[macro][1]
    return target in ALLOWED[source] or any(
        path.startswith(prefix) and target in targets for prefix, targets in EXCEPTIONS.items())


def describe(target, places):
    """A folder and the number of its includes, those by each macro apart."""
    macros = [macro for _, _, macro in places]
    counts = [f"{macros.count(macro)}{' by ' + macro if macro else ''}" for macro in (None, *MACROS) if macro in macros]
    return f"{target} ({', '.join(counts)})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=ROOT, help="the checkout (default: this one)")
    arguments = parser.parse_args()

    arrows = collect(arguments.root)
    if not arrows:
        sys.exit(f"error: no sources in {arguments.root}")
    for source in ALLOWED:
        targets = [describe(target, places) for (start, target), places in sorted(arrows.items()) if start == source]
        print(f"{source:15} -> {', '.join(targets) if targets else 'nothing'}")
    wrong = [(path, line, source, target, macro) for (source, target), places in arrows.items() for path, line, macro in places
             if not is_allowed(path, source, target, macro)]
    for path, line, source, target, macro in wrong:
        print(f"{path}:{line}: error: {source} must not include {target}{' by ' + macro if macro else ''}", file=sys.stderr)
    if wrong:
        sys.exit(1)


if __name__ == "__main__":
    main()
