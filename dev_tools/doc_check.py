#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the documentation of the public headers.

usage: dev_tools/doc_check.py [--output DIR]

Runs Doxygen with doc/Doxyfile and fails on any of its warnings, and on a public class or a function outside classes that
has no comment (`///`). One comment serves all overloads of a function; operators and specialisations need none.
"""

import argparse
import collections
import os
import subprocess
import sys
import xml.etree.ElementTree as xml

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def run_doxygen(output):
    """Writes XML to the folder output/xml; returns the warnings."""
    os.makedirs(output, exist_ok=True)
    with open(os.path.join(ROOT, "doc", "Doxyfile"), encoding="utf-8") as file:
        configuration = file.read()
    configuration += f"\nOUTPUT_DIRECTORY = {output}\nGENERATE_XML = YES\nXML_PROGRAMLISTING = NO\n"
    try:
        run = subprocess.run(["doxygen", "-"], input=configuration, cwd=ROOT, stderr=subprocess.PIPE, text=True, check=False)
    except FileNotFoundError:
        sys.exit("error: doxygen was not found (Debian: doxygen)")
    warnings = [line for line in run.stderr.splitlines() if line.strip()]
    if run.returncode != 0:
        warnings.append(f"doxygen ended with status {run.returncode}")
    return warnings


def is_documented(element):
    return any("".join(element.find(kind).itertext()).strip() for kind in ("briefdescription", "detaileddescription"))


def place_of(element):
    location = element.find("location")
    path = location.get("file")
    if os.path.isabs(path):
        path = os.path.relpath(path, ROOT)
    elif not os.path.exists(os.path.join(ROOT, path)):
        path = os.path.join("include", path)  # as STRIP_FROM_PATH leaves it
    return f"{path}:{location.get('line')}"


def is_defined(element):
    """False for a class of which only a declaration was seen."""
    return element.find("location").get("bodyend", "-1") != "-1"


def is_internal(name):
    return "detail" in name.split("::")


def find_undocumented(folder):
    """Yields what lacks a comment, as file:line: message."""
    for entry in sorted(os.listdir(folder)):
        if not entry.endswith(".xml") or not entry.startswith(("class", "struct", "namespace")):
            continue
        compound = xml.parse(os.path.join(folder, entry)).getroot().find("compounddef")
        name = compound.findtext("compoundname")
        if is_internal(name):
            continue
        if compound.get("kind") in ("class", "struct"):
            is_public = compound.get("prot") == "public" and is_defined(compound) and "<" not in name
            if is_public and not is_documented(compound):
                yield f"{place_of(compound)}: class {name} is not documented"
        elif compound.get("kind") == "namespace":
            overloads = collections.defaultdict(list)
            for member in compound.iter("memberdef"):
                if member.get("kind") == "function":
                    overloads[member.findtext("name")].append(member)
            for function, members in overloads.items():
                if not function.startswith("operator") and not any(map(is_documented, members)):
                    yield f"{place_of(members[0])}: function {name}::{function} is not documented"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", default=os.path.join(ROOT, "build", "doc"), help="where the pages go (default: build/doc)")
    output = os.path.abspath(parser.parse_args().output)

    faults = run_doxygen(output)
    faults += find_undocumented(os.path.join(output, "xml"))
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        sys.exit(f"error: {len(faults)} faults in the documentation of the public headers")
    print(f"documentation: no warnings; the pages are in {os.path.join(output, 'html')}")


if __name__ == "__main__":
    main()
