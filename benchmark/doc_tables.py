#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""Generates the tables of figures in documents from the JSON results of spruce-bench.

usage: benchmark/doc_tables.py [--write] [--root DIR] [FILE.md...]
   --write    replaces tables that differ from their results; without it they are errors
   --root     the checkout (default: the one of this program)
   FILE.md    default: README.md and all documents in doc

A table stands between two comments. The first names the kind of table, its result files relative to benchmark/results, and
options:

    <!-- figures: spmv 2026-11-27-nvidia-h100/spmv.json formats=csr,coo,cusparse-csr -->
    <!-- end of figures -->

Kinds and their options:
    spmv FILE [formats=A,B] [best=NAME:A,B] [of-copy=A,B] [ratio=NAME:A,B/C] [rows=formats|matrices] [unit=us|ms]
        The median time of a product. `best` adds the smallest of several formats, `of-copy` the bandwidth divided by that of a
        copy, and `ratio` the smallest time of A and B divided by that of C, with the geometric mean.
    solver FILE formats=A [solvers=A,B]
        The time of an iteration, its ratio to the model, and the number of kernels of an iteration.
    dense FILE
        The time of each operation, the bandwidth divided by that of a copy, and the time of the vendor's library.
    spgemm FILE
        The time of each way to multiply two sparse matrices.
    triangular FILE
        The times of the analysis and of a solve, and those of cuSPARSE divided by those of Spruce, with geometric means.
    conversions FILE
        The time of each operation in products of the matrix with a vector.
    zoo FILE worst=N [without=TEXT,TEXT]
        The operations that take the longest for the bytes that they must move, without those whose name contains a text.
    compare FILE FILE
        The times in the second file divided by those in the first: smallest, median and largest.

Fails also on a time or a rate outside these tables (but not in doc/tuning, which records alternatives that no longer exist), on
a table of numbers outside them in README.md and doc/benchmarks.md, on a result file that does not exist or that no document
names, and on a JSON result that does not state its arguments, commit and device.
"""

import argparse
import json
import math
import os
import re
import statistics
import sys

BEGIN = re.compile(r"^<!-- figures: (.*) -->$")
END = "<!-- end of figures -->"
FIGURE = re.compile(r"(?<![\w.^-])\d+(?:\.\d+)?\s?(?:us|ms|GB/s|MB/s|GFLOP/s)(?![\w/])")
CELL_OF_FIGURE = re.compile(r"^\|.*\|\s*\d+(?:\.\d+)?\s*(?:\(.*\)\s*)?\|")
RESULT_FOLDER = re.compile(r"\d{4}-\d\d-\d\d-[a-z0-9-]+")
RESULT_FILE = re.compile(r"[a-z][a-z0-9_]*\.(?:json|txt)")
DOCUMENTS_OF_FIGURES = ("README.md", os.path.join("doc", "benchmarks.md"))
UNITS = {"us": (1e6, "Microseconds"), "ms": (1e3, "Milliseconds")}


class Checkout:
    """Names the folders of the checkout whose documents are checked."""

    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

    @classmethod
    def results(cls):
        return os.path.join(cls.root, "benchmark", "results")


class DocumentError(Exception):
    """Says what is wrong with a document or a result file."""


def load(name):
    path = os.path.join(Checkout.results(), name)
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError as error:
        raise DocumentError(f"there is no result file benchmark/results/{name}") from error
    except ValueError as error:
        raise DocumentError(f"benchmark/results/{name} is not JSON: {error}") from error


def device_of(result):
    """Returns the name of the device or processor, without the class of the executor."""
    if result["executor"] in ("cuda", "hip"):
        return re.sub(r".*\((.*?)(?:, [^,]*)?\)$", r"\1", result["device"])
    return f"{result['processor']}, {result['threads']} threads"


def origin_of(name, result):
    return f"`{name}`, commit {result['commit']}"


def significant(value, digits=3):
    """Formats with so many significant digits, without an exponent."""
    if value == 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{decimals}f}"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def named_list(option):
    """Splits NAME:A,B."""
    name, _, formats = option.partition(":")
    if not formats:
        raise DocumentError(f"expected NAME:FORMAT,FORMAT, found {option}")
    return name, formats.split(",")


# --- kinds of tables ---------------------------------------------------------------------------------------------------


def formats_of(matrix):
    return {entry["format"]: entry for entry in matrix["formats"] if entry.get("seconds_median")}


def smallest(entries, formats):
    times = [entries[name]["seconds_median"] for name in formats if name in entries]
    return min(times) if times else None


def spmv_columns(matrices, options, factor):
    """Returns the header and a function for each column, from the formats of a matrix to a text."""
    names = options.get("formats")
    names = names.split(",") if names else list(dict.fromkeys(name for matrix in matrices for name in formats_of(matrix)))
    columns = [(name, lambda entries, name=name: smallest(entries, [name])) for name in names]
    if "best" in options:
        name, formats = named_list(options["best"])
        columns.append((name, lambda entries: smallest(entries, formats)))
    texts = [(name, lambda entries, time=time: significant(time(entries) * factor) if time(entries) else "")
             for name, time in columns]
    for name in filter(None, options.get("of-copy", "").split(",")):
        texts.append((f"{name}, of copy", lambda entries, name=name: f"{entries[name]['fraction_of_copy'] * 100:.0f} %"
                      if name in entries else ""))
    return texts


def ratio_column(matrices, option):
    """Returns the name, the text for each matrix and the geometric mean of NAME:A,B/C."""
    name, rest = option.split(":", 1)
    numerator, _, denominator = rest.partition("/")
    ratios = []
    for matrix in matrices:
        entries = formats_of(matrix)
        above, below = smallest(entries, numerator.split(",")), smallest(entries, [denominator])
        ratios.append(above / below if above and below else None)
    known = [ratio for ratio in ratios if ratio]
    if not known:
        raise DocumentError(f"no matrix has both sides of {option}")
    return name, [f"{ratio:.2f}" if ratio else "" for ratio in ratios], math.exp(statistics.fmean(map(math.log, known)))


def spmv_table(files, options):
    [name] = files
    result = load(name)
    factor, unit = UNITS[options.get("unit", "us")]
    matrices = result["matrices"]
    columns = spmv_columns(matrices, options, factor)
    header = ["Matrix"] + [text for text, _ in columns]
    rows = [[matrix["name"]] + [text(formats_of(matrix)) for _, text in columns] for matrix in matrices]
    notes = []
    if "ratio" in options:
        ratio_name, texts, mean = ratio_column(matrices, options["ratio"])
        header.append(ratio_name)
        rows = [row + [text] for row, text in zip(rows, texts)]
        notes = ["", f"The geometric mean of the last column is {mean:.2f}."]
    if options.get("rows") == "formats":
        header, *rows = [list(row) for row in zip(header, *rows)]
        header[0] = ""
    rhs = "" if result["nrhs"] == 1 else f", {result['nrhs']} right-hand sides"
    copy = result["copy"]["gigabytes_per_second"]
    caption = (f"{unit} on {device_of(result)}, {result['value_type']} and {result['index_type']}{rhs}; "
               f"copy {copy:.0f} GB/s ({origin_of(name, result)}):")
    return [caption, ""] + table(header, rows) + notes


def solver_table(files, options):
    [name] = files
    result = load(name)
    entries = [entry for entry in result["results"] if entry["format"] in options["formats"].split(",")]
    solvers = options.get("solvers")
    solvers = solvers.split(",") if solvers else list(dict.fromkeys(entry["solver"] for entry in entries))
    matrices = list(dict.fromkeys(entry["matrix"] for entry in entries))
    formats = options["formats"].split(",")
    rows = []
    for solver in solvers:
        for storage in formats:
            found = {entry["matrix"]: entry for entry in entries if (entry["solver"], entry["format"]) == (solver, storage)}
            if not found:
                raise DocumentError(f"{name} has no result of {solver} with {storage}")
            row = [solver if len(formats) == 1 else f"{solver}, {storage}"]
            for matrix in matrices:
                entry = found.get(matrix)
                seconds = entry and entry["seconds_per_iteration"]
                row.append(f"{significant(seconds * 1e6)} ({entry['time_over_model']:.2f})" if seconds else "")
            launches = max(entry["kernels_per_iteration"] or 0 for entry in found.values())
            rows.append(row + ([f"{launches:.0f}"] if launches else [""]))
    of_format = f"; matrices in {formats[0]}" if len(formats) == 1 else ""
    caption = f"Microseconds on {device_of(result)}, and the ratio to the model{of_format} ({origin_of(name, result)}):"
    return [caption, ""] + table(["Solver"] + matrices + ["launches"], rows)


def dense_table(files, _):
    [name] = files
    result = load(name)
    rows = []
    for entry in result["results"]:
        size = "x".join(map(str, entry["size"]))
        vendor = entry.get("vendor_seconds")
        share = entry["bytes"] / entry["seconds"] / entry["copy_bytes_per_second"]
        rows.append([f"{entry['operation']} {size}", significant(entry["seconds"] * 1e6), f"{share * 100:.0f} %",
                     significant(vendor * 1e6) if vendor else "", f"{vendor / entry['seconds']:.2f}" if vendor else ""])
    caption = f"Microseconds on {device_of(result)} ({origin_of(name, result)}):"
    return [caption, ""] + table(["Operation", "Spruce", "of copy", "vendor", "vendor / Spruce"], rows)


def spgemm_table(files, _):
    [name] = files
    result = load(name)
    entries = [entry for entry in result["results"] if entry.get("seconds")]
    ways = list(dict.fromkeys(entry["by"].strip() for entry in entries))
    matrices = list(dict.fromkeys(entry["matrix"] for entry in entries))
    times = {(entry["matrix"], entry["by"].strip()): entry["seconds"] for entry in entries}
    rows = [[matrix] + [significant(times[matrix, way] * 1e3) if (matrix, way) in times else "" for way in ways]
            for matrix in matrices]
    caption = f"Milliseconds on {device_of(result)} ({origin_of(name, result)}):"
    return [caption, ""] + table(["Matrix"] + ways, rows)


def triangular_table(files, _):
    [name] = files
    result = load(name)
    entries = {(entry["matrix"], entry["operator"], entry["by"]): entry for entry in result["results"]}
    rows, solves, totals = [], [], []
    for (matrix, operator, by), own in entries.items():
        if by != "Spruce":
            continue
        vendor = entries[matrix, operator, "cuSPARSE"]
        with_20 = [one["generate_seconds"] + 20 * one["apply_seconds"] for one in (own, vendor)]
        solves.append(vendor["apply_seconds"] / own["apply_seconds"])
        totals.append(with_20[1] / with_20[0])
        times = [significant(one[part] * 1e3) for part in ("generate_seconds", "apply_seconds") for one in (own, vendor)]
        rows.append([matrix, re.split("[ -]", operator)[0], str(own["levels"]), *times, f"{solves[-1]:.2f}", f"{totals[-1]:.2f}"])
    caption = f"Milliseconds on {device_of(result)}, double and int32 ({origin_of(name, result)}):"
    note = (f"The geometric means of the last two columns are {statistics.geometric_mean(solves):.2f} and "
            f"{statistics.geometric_mean(totals):.2f}.")
    header = ["Matrix", "triangle", "levels", "analysis", "cuSPARSE", "solve", "cuSPARSE", "solve: cuSPARSE / Spruce",
              "analysis and 20 solves"]
    return [caption, ""] + table(header, rows) + ["", note]


def conversions_table(files, _):
    [name] = files
    result = load(name)
    times = {one["matrix"]: {entry["operation"]: entry["spmvs"] for entry in one["operations"]}
             for one in result["results"]}
    operations = list(dict.fromkeys(operation for one in times.values() for operation in one))
    rows = [[operation] + [significant(one[operation]) if operation in one else "" for one in times.values()]
            for operation in operations]
    caption = f"Products with a vector on {device_of(result)} ({origin_of(name, result)}):"
    return [caption, ""] + table(["Operation", *times], rows)


def zoo_table(files, options):
    [name] = files
    result = load(name)
    measured = [entry for entry in result["results"] if "seconds" in entry]
    without = list(filter(None, options.get("without", "").split(",")))
    for text in without:
        if not any(text in entry["operation"] for entry in measured):
            raise DocumentError(f"no operation of {name} contains {text}")
    entries = [entry for entry in measured if not any(text in entry["operation"] for text in without)]
    rows = [[entry["structure"], entry["operation"], significant(entry["seconds"] * 1e6),
             significant(entry["time_over_least"])] for entry in entries[:int(options["worst"])]]
    caption = (f"Microseconds on {device_of(result)}, {result['value_type']} and {result['index_type']}, about "
               f"{result['entries']:.0e} entries, and the ratio to the least time ({origin_of(name, result)}):")
    return [caption, ""] + table(["Structure", "Operation", "time", "time / least"], rows)


def compare_sentence(files, _):
    first, second = (load(name) for name in files)
    ratios = []
    for before, after in zip(first["matrices"], second["matrices"]):
        old, new = formats_of(before), formats_of(after)
        ratios += [new[name]["seconds_median"] / old[name]["seconds_median"] for name in old if name in new]
    return [f"{second['executor']} takes {min(ratios):.3f} to {max(ratios):.3f} times as long as {first['executor']} "
            f"({len(ratios)} products, median {statistics.median(ratios):.3f}) on {device_of(first)} "
            f"(`{files[0]}` and `{files[1]}`, commit {first['commit']})."]


KINDS = {
    "spmv": spmv_table,
    "solver": solver_table,
    "dense": dense_table,
    "spgemm": spgemm_table,
    "triangular": triangular_table,
    "conversions": conversions_table,
    "zoo": zoo_table,
    "compare": compare_sentence,
}


def generate(description):
    kind, *words = description.split()
    if kind not in KINDS:
        raise DocumentError(f"expected a table of {', '.join(KINDS)}, found {kind}")
    options = dict(word.split("=", 1) for word in words if "=" in word)
    try:
        return KINDS[kind]([word for word in words if "=" not in word], options)
    except (KeyError, ValueError) as error:
        raise DocumentError(f"the result of '{description}' lacks {error}") from error


# --- documents ---------------------------------------------------------------------------------------------------------


def regenerate(lines):
    """Returns the lines with all tables generated anew."""
    result = []
    rest = iter(lines)
    for line in rest:
        result.append(line)
        begin = BEGIN.match(line)
        if begin:
            for old in rest:
                if old == END:
                    break
            else:
                raise DocumentError(f"'{line}' has no '{END}'")
            result += [*generate(begin.group(1)), END]
    return result


def stray_figures(lines, with_cells):
    """Yields number and text of each line with a figure outside generated tables and code."""
    inside = False
    for number, line in enumerate(lines, 1):
        if BEGIN.match(line) or line == END:
            inside = line != END
        elif line.startswith("```"):
            inside = not inside
        elif not inside:
            text = re.sub(r"`[^`]*`", "", line)
            if FIGURE.search(text) or (with_cells and CELL_OF_FIGURE.search(text)):
                yield number, line.strip()


def check_document(path, write):
    """Returns the errors of a document and the result files that it names."""
    name = os.path.relpath(path, Checkout.root)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    lines = text.split("\n")
    errors = []
    try:
        new = regenerate(lines)
    except DocumentError as error:
        return [f"{name}: {error}"], set()
    if new != lines:
        if write:
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(new))
            print(f"{name}: tables replaced")
        else:
            errors.append(f"{name}: a table differs from its result file; benchmark/doc_tables.py --write replaces it")
    if not name.startswith(os.path.join("doc", "tuning")):
        errors += [f"{name}:{number}: a figure without a result file: {line}"
                   for number, line in stray_figures(new, name in DOCUMENTS_OF_FIGURES)]
    return errors, named_files(text)


def named_files(text):
    """Returns the result files that a text names. A file name follows the name of its folder in the same paragraph or row."""
    names = set()
    for paragraph in re.split(r"\n\s*\n|\n(?=\|)", text):
        folders = RESULT_FOLDER.finditer(paragraph)
        for folder in folders:
            rest = RESULT_FOLDER.split(paragraph[folder.end():], maxsplit=1)[0]
            names |= {f"{folder.group()}/{file}" for file in RESULT_FILE.findall(rest)}
    return names


def check_results(used):
    """Yields the errors of result files."""
    for folder in sorted(os.listdir(Checkout.results())):
        if not os.path.isdir(os.path.join(Checkout.results(), folder)):
            continue
        for file in sorted(os.listdir(os.path.join(Checkout.results(), folder))):
            name = f"{folder}/{file}"
            if name not in used:
                yield f"benchmark/results/{name}: no document names it"
            if file.endswith(".json"):
                missing = [key for key in ("arguments", "commit", "device") if not load(name).get(key)]
                if missing:
                    yield f"benchmark/results/{name}: does not state {', '.join(missing)}"
    for name in sorted(used):
        if not os.path.exists(os.path.join(Checkout.results(), name)):
            yield f"there is no result file benchmark/results/{name}"


def all_documents():
    paths = [os.path.join(Checkout.root, "README.md")]
    for folder, _, files in os.walk(os.path.join(Checkout.root, "doc")):
        paths += [os.path.join(folder, file) for file in files if file.endswith(".md")]
    return sorted(paths)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--root", default=Checkout.root)
    parser.add_argument("documents", nargs="*")
    arguments = parser.parse_args()
    Checkout.root = os.path.abspath(arguments.root)
    errors = []
    used = set()
    for path in arguments.documents or all_documents():
        found, names = check_document(os.path.abspath(path), arguments.write)
        errors += found
        used |= names
    if not arguments.documents:
        errors += check_results(used)
    for error in errors:
        print(f"error: {error}", file=sys.stderr)
    if errors:
        sys.exit(1)


if __name__ == "__main__":
    main()
