#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""Checks comments of the C++, CUDA and HIP sources: length, first words, and words that they do not use.

- A line that holds only a comment has at most 100 columns.
- The documentation (///) of a function, class, structure or enumeration begins with a verb of dev_tools/comment_verbs.txt. It may
  begin with @param or @throws in two cases: for a constructor, as the comment of the class says what objects are; and for a function
  that always throws: "@throws EXCEPTION  always".
- No comment begins with words that refer to another one ("The same", "As above", "Likewise", ...), and none speaks of persons
  ("nobody", "whoever", ...) or states a measured time ("3.5 ms").
"""

import argparse
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ENDINGS = (".hpp", ".h", ".cpp", ".cu", ".in")
MAX_COLUMNS = 100
OPENINGS = re.compile(r"(The same\b|As above|Likewise|Of the other|Ditto|See above|Whether\b|What\b|How\b|Where\b)")
PERSONS = re.compile(r"\b(nobody|somebody|everybody|anybody|whoever|someone|anyone|everyone)\b", re.IGNORECASE)
TIMES = re.compile(r"\b\d+(\.\d+)?\s?(us|µs|ms|ns|microseconds|milliseconds)\b")
COMMENT = re.compile(r"^\s*//(/?)(?!/)(<?)\s?(.*)$")
CONSTRUCTOR = re.compile(r"((explicit|constexpr|inline)\s+)*([A-Za-z_]\w*)\s*\(")
ALWAYS_THROWS = re.compile(r"[@\\]throws \w+\s+always\b")


def read_verbs(root):
    with open(os.path.join(root, "dev_tools", "comment_verbs.txt"), encoding="utf-8") as file:
        return {line.strip() for line in file if line.strip()}


def declaration_after(lines, number):
    """Returns the text of the declaration that begins at a line, up to its end or body."""
    text = ""
    depth = 0
    for line in lines[number:number + 40]:
        code = line.split("//")[0]
        if not text and not code.strip():
            return ""
        text += " " + code.strip()
        depth += code.count("(") - code.count(")") + code.count("<") - code.count(">")
        if (";" in code or code.rstrip().endswith("{") or code.strip() == "{") and "template" not in code:
            break
        if len(text) > 2000:
            break
    return text


def needs_verb(declaration):
    """Returns whether a declaration is that of a function, class, structure or enumeration."""
    text = re.sub(r"^\s*template\s*<[^{;]*?>\s*(?=(class|struct|enum|using|[A-Za-z_:]))", "", declaration.strip())
    head = re.split(r"[;{]", text)[0]
    if re.search(r"\b(class|struct|enum)\b\s+(class\s+)?(SPRUCE_\w+\s+)?\w+", head) and "(" not in head.split(":")[0]:
        return True
    if head.startswith(("using", "namespace", "#define", "typedef", "friend class")):
        return False
    if re.search(r"\bconstexpr\b[^(]*=|^static (inline )?const", head):
        return False
    return "(" in head


def needs_no_verb(words, declaration):
    """Returns whether a comment may begin with a command of Doxygen: see the head of this file."""
    if not words.startswith(("@", "\\")):
        return False
    text = re.sub(r"^\s*template\s*<[^{;]*?>\s*(?=[A-Za-z_])", "", declaration.strip())
    return bool(ALWAYS_THROWS.match(words) or (words[1:].startswith(("param", "throws")) and CONSTRUCTOR.match(text)))


def check_file(path, text, verbs):
    """Returns [(line, message)] for what is wrong, and how many entities are documented."""
    faults = []
    num_documented = 0
    lines = text.split("\n")
    in_block = False
    for index, line in enumerate(lines):
        match = COMMENT.match(line)
        if not match:
            in_block = False
            continue
        if len(line) > MAX_COLUMNS and "http" not in line:
            faults.append((index + 1, f"the comment has {len(line)} columns, more than {MAX_COLUMNS}"))
        words = match[3]
        if PERSONS.search(words):
            faults.append((index + 1, f"the comment speaks of a person: {PERSONS.search(words)[0]}"))
        if TIMES.search(words):
            faults.append((index + 1, f"the comment states a time, which belongs into doc/tuning: {TIMES.search(words)[0]}"))
        is_first = not in_block
        in_block = True
        if not is_first or match[2]:
            continue
        if OPENINGS.match(words):
            faults.append((index + 1, f"the comment begins with \"{OPENINGS.match(words)[0]}\""))
        if not match[1]:
            continue
        end = index
        while end < len(lines) and COMMENT.match(lines[end]):
            end += 1
        declaration = declaration_after(lines, end)
        if not needs_verb(declaration):
            continue
        num_documented += 1
        first = re.match(r"[A-Za-z-]+", words)
        if not needs_no_verb(words, declaration) and (not first or first[0] not in verbs):
            faults.append((index + 1, f"the documentation begins with \"{first[0] if first else words[:20]}\", which is no verb of dev_tools/comment_verbs.txt"))
    return faults, num_documented


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", metavar="PATH", help="only these files and folders (default: all that git knows)")
    parser.add_argument("--require", type=int, metavar="COUNT", help="fail if fewer entities are documented")
    parser.add_argument("--root", default=ROOT, help="the checkout (default: this one)")
    arguments = parser.parse_args()

    files = subprocess.run(["git", "ls-files", *arguments.paths], cwd=arguments.root, capture_output=True, text=True, check=True).stdout
    verbs = read_verbs(arguments.root)
    num_faults = num_documented = num_files = 0
    for path in files.splitlines():
        if not path.endswith(ENDINGS):
            continue
        num_files += 1
        with open(os.path.join(arguments.root, path), encoding="utf-8") as file:
            faults, documented = check_file(path, file.read(), verbs)
        num_documented += documented
        num_faults += len(faults)
        for line, message in faults:
            print(f"{path}:{line}: {message}")
    if num_files == 0:
        sys.exit("error: no sources were found")
    print(f"{num_files} files, {num_documented} documented functions and classes, {num_faults} faults")
    if num_faults:
        sys.exit(1)
    if arguments.require is not None and num_documented < arguments.require:
        sys.exit(f"error: {num_documented} functions and classes are documented, less than {arguments.require}")


if __name__ == "__main__":
    main()
