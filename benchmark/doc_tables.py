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
    convergence FILE
        The iterations of solvers until convergence, or how else the solve ended and the relative residual.
    blas FILE
        The time of each operation, the bandwidth divided by that of a copy, and the time of the vendor's library.
    sparse-blas FILE
        The time of each way to multiply two sparse matrices.
    triangular FILE
        The times of the analysis and of a solve, and those of cuSPARSE divided by those of Spruce, with geometric means.
    factors FILE
        The times of ILU(0) by elimination and by sweeps, with and without the analysis, and those of cuSPARSE.
    preconditioners FILE [matrices=A;B]
        The times of set-up, refresh and application of preconditioners, and the bandwidth of the application divided by that of
        a copy.
    solves FILE [without=A,B]
        The iterations and times of solves with preconditioners, without some of them.
    conversion FILE
        The time of each operation in products of the matrix with a vector.
    zoo FILE worst=N [without=TEXT,TEXT]
        The operations that take the longest for the bytes that they must move, without those whose name contains a text.
    executors FILE FILE [by=size|matrix] [of=median|min] [worst=N]
        The times of the second file divided by those of the first: quantiles for each format or solver, medians by the number of
        entries, or the N cases that differ most. `of` chooses the statistic of the samples.
    rates FILE
        Quartiles of the GFLOP/s of products by the number of entries.
    against FILE to=FORMAT
        Quantiles of the times of the formats divided by those of one format.
    advice FILE FILE... FILE FILE
        Pairs of results of `advise` and of products: the speed of the advised formats divided by that of the fastest one.
    groups FILE FILE
        The times of sums over tiles on two executors.
    compare FILE... FILE...
        The times of products or conversions in the second half of the files divided by those in the first half: smallest,
        median and largest.

Fails also on a time or a rate outside these tables (but not on pages of doc/tuning that say "Runs not kept": they record
alternatives that no longer exist), on a table of numbers outside them in README.md and doc/benchmarks.md, on a result file that
does not exist or that no document names, and on one that is not named DATE-DEVICE/COMMAND[_WHAT-DIFFERS].json (.json.gz with many
samples, .txt for printed tables) or, if it is JSON, does not
state its arguments, commit and device.
"""

import argparse
import math
import os
import re
import statistics
import sys

sys.dont_write_bytecode = True  # no folder __pycache__ in the checkout
import experiment_tables
import result_files

BEGIN = re.compile(r"^<!-- figures: (.*) -->$")
END = "<!-- end of figures -->"
FIGURE = re.compile(r"(?<![\w.^-])\d+(?:\.\d+)?\s?(?:us|ms|GB/s|MB/s|GFLOP/s)(?![\w/])")
CELL_OF_FIGURE = re.compile(r"^\|.*\|\s*\d+(?:\.\d+)?\s*(?:\(.*\)\s*)?\|")
RESULT_FOLDER = re.compile(r"\d{4}-\d\d-\d\d-[a-z0-9-]+")
RESULT_FILE = re.compile(r"([a-z-]+)(?:_[a-z0-9-]+)?\.(?:json\.gz|json|txt)")
DOCUMENTS_OF_FIGURES = ("README.md", os.path.join("doc", "benchmarks.md"))
RUNS_NOT_KEPT = "Runs not kept"
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
    """Returns the results of a file in the form of schema 2."""
    path = os.path.join(Checkout.results(), name)
    if not os.path.exists(path):
        raise DocumentError(f"there is no result file benchmark/results/{name}")
    try:
        return result_files.read_results(path)
    except result_files.ResultFileError as error:
        raise DocumentError(f"benchmark/results/{name}: {error}") from error


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


def select(document, **values):
    """Returns the results whose cases have these values."""
    return [one for one in document["results"] if all(one["case"].get(key) == value for key, value in values.items())]


def values_of(document, key, **values):
    """Returns the different values of a key of the cases, in order."""
    return list(dict.fromkeys(one["case"][key] for one in select(document, **values) if key in one["case"]))


def formats_of(document, matrix):
    return {one["case"]["format"]: one for one in select(document, matrix=matrix) if one.get("seconds_median")}


def smallest(entries, formats):
    times = [entries[name]["seconds_median"] for name in formats if name in entries]
    return min(times) if times else None


def spmv_columns(entries_of, options, factor):
    """Returns the header and a function for each column, from the formats of a matrix to a text."""
    names = options.get("formats")
    names = names.split(",") if names else list(dict.fromkeys(name for entries in entries_of.values() for name in entries))
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


def ratio_column(entries_of, option):
    """Returns the name, the text for each matrix and the geometric mean of NAME:A,B/C."""
    name, rest = option.split(":", 1)
    numerator, _, denominator = rest.partition("/")
    ratios = []
    for entries in entries_of.values():
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
    entries_of = {matrix: formats_of(result, matrix) for matrix in values_of(result, "matrix")}
    columns = spmv_columns(entries_of, options, factor)
    header = ["Matrix"] + [text for text, _ in columns]
    rows = [[matrix] + [text(entries) for _, text in columns] for matrix, entries in entries_of.items()]
    notes = []
    if "ratio" in options:
        ratio_name, texts, mean = ratio_column(entries_of, options["ratio"])
        header.append(ratio_name)
        rows = [row + [text] for row, text in zip(rows, texts)]
        notes = ["", f"The geometric mean of the last column is {mean:.2f}."]
    if options.get("rows") == "formats":
        header, *rows = [list(row) for row in zip(header, *rows)]
        header[0] = ""
    case = result["results"][0]["case"]
    rhs = "" if case["num_rhs"] == 1 else f", {case['num_rhs']} right-hand sides"
    copy = result["copy"]["gigabytes_per_second"]
    caption = (f"{unit} on {device_of(result)}, {case['value_type']} and {case['index_type']}{rhs}; "
               f"copy {copy:.0f} GB/s ({origin_of(name, result)}):")
    return [caption, ""] + table(header, rows) + notes


def solver_table(files, options):
    [name] = files
    result = load(name)
    formats = options["formats"].split(",")
    found = [one for storage in formats for one in select(result, format=storage, phase="iteration")]
    solvers = options.get("solvers")
    solvers = solvers.split(",") if solvers else list(dict.fromkeys(one["case"]["solver"] for one in found))
    matrices = [matrix for matrix in values_of(result, "matrix") if any(one["case"]["matrix"] == matrix for one in found)]
    rows = []
    for solver in solvers:
        for storage in formats:
            entries = {one["case"]["matrix"]: one for one in select(result, solver=solver, format=storage)}
            if not entries:
                raise DocumentError(f"{name} has no result of {solver} with {storage}")
            row = [solver if len(formats) == 1 else f"{solver}, {storage}"]
            for matrix in matrices:
                one = entries.get(matrix, {})
                seconds = one.get("seconds_median")
                row.append(f"{significant(seconds * 1e6)} ({1 / one['fraction_of_copy']:.2f})" if seconds else "")
            launches = max(one.get("launches", 0) for one in entries.values())
            rows.append(row + ([f"{launches:.0f}"] if launches else [""]))
    of_format = f"; matrices in {formats[0]}" if len(formats) == 1 else ""
    caption = f"Microseconds on {device_of(result)}, and the ratio to the model{of_format} ({origin_of(name, result)}):"
    return [caption, ""] + table(["Solver"] + matrices + ["launches"], rows)


def convergence_table(files, _):
    [name] = files
    result = load(name)
    solvers = values_of(result, "solver", phase="solve")
    rows = []
    for matrix in values_of(result, "matrix", phase="solve"):
        ends = [select(result, matrix=matrix, solver=solver, phase="solve")[0] for solver in solvers]
        facts = [one["facts"] for one in ends]
        rows.append([matrix, str(ends[0]["problem"]["rows"]),
                     *(str(one["iterations"]) if one["outcome"] == "converged" else
                       f"{one['outcome']}, {one['relative_residual']:.1e}" for one in facts)])
    caption = f"Iterations on {device_of(result)}, double and int32 ({origin_of(name, result)}):"
    return [caption, ""] + table(["Matrix", "rows", *solvers], rows)


def blas_table(files, _):
    [name] = files
    result = load(name)
    rows = []
    for one in select(result, library="spruce"):
        case = one["case"]
        others = select(result, **{**case, "library": "cublas"})
        vendor = others[0].get("seconds_median") if others else None
        rows.append([f"{case['operation']} {case['size']}", significant(one["seconds_median"] * 1e6),
                     f"{one['fraction_of_copy'] * 100:.0f} %", significant(vendor * 1e6) if vendor else "",
                     f"{vendor / one['seconds_median']:.2f}" if vendor else ""])
    caption = f"Microseconds on {device_of(result)} ({origin_of(name, result)}):"
    return [caption, ""] + table(["Operation", "Spruce", "of copy", "vendor", "vendor / Spruce"], rows)


def sparse_blas_table(files, _):
    [name] = files
    result = load(name)
    ways = {"Csr::multiply": {"operation": "spgemm", "library": "spruce"},
            "with its structure": {"operation": "spgemm, known structure", "library": "spruce"},
            "cuSPARSE": {"operation": "spgemm", "library": "cusparse"}}
    shown = [way for way, case in ways.items() if select(result, **case)]
    rows = []
    for matrix in values_of(result, "matrix"):
        times = [[one["seconds_median"] for one in select(result, matrix=matrix, **ways[way]) if one.get("seconds_median")]
                 for way in shown]
        if any(times):
            rows.append([matrix] + [significant(time[0] * 1e3) if time else "" for time in times])
    caption = f"Milliseconds on {device_of(result)} ({origin_of(name, result)}):"
    return [caption, ""] + table(["Matrix"] + shown, rows)


def phases_of(document, **values):
    """Returns the results of one preconditioner and matrix by phase."""
    return {one["case"]["phase"]: one for one in select(document, **values)}


def preconditioned(document):
    """Returns the pairs of a matrix and a preconditioner, in order."""
    return list(dict.fromkeys((one["case"]["matrix"], one["case"]["preconditioner"]) for one in document["results"]
                              if "preconditioner" in one["case"]))


def triangular_table(files, _):
    [name] = files
    result = load(name)
    rows, solves, totals = [], [], []
    for matrix, operator in preconditioned(result):
        if not operator.endswith("-triangle"):
            continue
        both = [phases_of(result, matrix=matrix, preconditioner=operator, library=library) for library in ("spruce", "cusparse")]
        times = [[one[phase]["seconds_median"] for one in both] for phase in ("generate", "apply")]
        with_20 = [generate + 20 * apply for generate, apply in zip(*times)]
        solves.append(times[1][1] / times[1][0])
        totals.append(with_20[1] / with_20[0])
        rows.append([matrix, operator.split("-")[0], str(both[0]["apply"]["facts"]["levels"]),
                     *(significant(time * 1e3) for pair in times for time in pair), f"{solves[-1]:.2f}", f"{totals[-1]:.2f}"])
    caption = f"Milliseconds on {device_of(result)}, double and int32 ({origin_of(name, result)}):"
    note = (f"The geometric means of the last two columns are {statistics.geometric_mean(solves):.2f} and "
            f"{statistics.geometric_mean(totals):.2f}.")
    header = ["Matrix", "triangle", "levels", "analysis", "cuSPARSE", "solve", "cuSPARSE", "solve: cuSPARSE / Spruce",
              "analysis and 20 solves: cuSPARSE / Spruce"]
    return [caption, ""] + table(header, rows) + ["", note]


def factors_table(files, _):
    [name] = files
    result = load(name)
    names = {"ilu-factors": "elimination", "ilu-factors-by-3-sweeps": "3 sweeps", "ilu-factors-by-5-sweeps": "5 sweeps"}
    rows = []
    for matrix, operator in preconditioned(result):
        if operator in names:
            both = [phases_of(result, matrix=matrix, preconditioner=operator, library="spruce"),
                    phases_of(result, matrix=matrix, preconditioner="ilu-factors", library="cusparse")]
            times = [one[phase]["seconds_median"] for phase in ("generate", "refresh") for one in both]
            rows.append([matrix, names[operator], *(significant(time * 1e3) for time in times), f"{times[1] / times[0]:.2f}"])
    caption = f"Milliseconds on {device_of(result)}, double and int32 ({origin_of(name, result)}):"
    header = ["Matrix", "factors by", "analysis and factors", "cuSPARSE", "factors", "cuSPARSE",
              "analysis and factors: cuSPARSE / Spruce"]
    return [caption, ""] + table(header, rows)


def preconditioners_table(files, options):
    [name] = files
    result = load(name)
    matrices = list(filter(None, options.get("matrices", "").split(";")))
    rows = []
    for matrix, operator in preconditioned(result):
        phases = phases_of(result, matrix=matrix, preconditioner=operator, library="spruce")
        storage = phases.get("generate", {}).get("facts", {}).get("storage_bytes")
        if storage and (not matrices or matrix in matrices):
            rows.append([matrix, operator,
                         *(significant(phases[phase]["seconds_median"] * 1e3) for phase in ("generate", "refresh", "apply")),
                         f"{phases['apply']['fraction_of_copy'] * 100:.0f} %", significant(storage / 1e6)])
    caption = f"Milliseconds and megabytes on {device_of(result)}, double and int32 ({origin_of(name, result)}):"
    return [caption, ""] + table(["Matrix", "Preconditioner", "generate", "refresh", "apply", "of copy", "storage"], rows)


def solves_table(files, options):
    [name] = files
    result = load(name)
    without = options.get("without", "").split(",")
    rows = []
    for matrix, operator in preconditioned(result):
        phases = phases_of(result, matrix=matrix, preconditioner=operator, library="spruce")
        solve = phases.get("solve", {})
        if operator in without:
            continue
        if "failure" in solve:
            rows.append([matrix, operator, "", "fails", "", "", ""])
        elif "seconds_median" in solve:
            set_up = phases.get("generate", {}).get("seconds_median", 0)
            facts = solve["facts"]
            has_converged = facts["outcome"] == "converged"
            rows.append([matrix, operator, facts["solver"], str(facts["iterations"]) if has_converged else facts["outcome"],
                         significant(set_up * 1e3) if set_up else "",
                         *(significant(time * 1e3) if has_converged else ""
                           for time in (solve["seconds_median"], set_up + solve["seconds_median"]))])
    caption = f"Milliseconds on {device_of(result)}, double and int32 ({origin_of(name, result)}):"
    return [caption, ""] + table(["Matrix", "Preconditioner", "Solver", "iterations", "set-up", "solve", "total"], rows)


def is_baseline(document, one):
    """Returns true for the product with a vector in which the times of conversions are expressed."""
    return document["command"].startswith("conversion") and one["case"]["operation"] == "spmv"


def conversions_table(files, _):
    [name] = files
    result = load(name)
    times = {(one["case"]["matrix"], one["case"]["operation"]): one["facts"]["spmvs"]
             for one in result["results"] if one.get("seconds_median") and not is_baseline(result, one)}
    matrices = list(dict.fromkeys(matrix for matrix, _ in times))
    rows = [[operation] + [significant(times[matrix, operation]) if (matrix, operation) in times else "" for matrix in matrices]
            for operation in dict.fromkeys(operation for _, operation in times)]
    caption = f"Products with a vector on {device_of(result)} ({origin_of(name, result)}):"
    return [caption, ""] + table(["Operation", *matrices], rows)


def zoo_table(files, options):
    [name] = files
    result = load(name)
    measured = [one for one in result["results"] if "time_over_least" in one.get("facts", {})]
    without = list(filter(None, options.get("without", "").split(",")))
    for text in without:
        if not any(text in one["case"]["operation"] for one in measured):
            raise DocumentError(f"no operation of {name} contains {text}")
    entries = [one for one in measured if not any(text in one["case"]["operation"] for text in without)]
    rows = [[one["case"]["matrix"], one["case"]["operation"], significant(one["seconds_median"] * 1e6),
             significant(one["facts"]["time_over_least"])] for one in entries[:int(options["worst"])]]
    case = measured[0]["case"]
    caption = (f"Microseconds on {device_of(result)}, {case['value_type']} and {case['index_type']}, about "
               f"{case['entries']:.0e} entries, and the ratio to the least time ({origin_of(name, result)}):")
    return [caption, ""] + table(["Structure", "Operation", "time", "time / least"], rows)


def measured_times(document):
    return {tuple(sorted(one["case"].items())): one["seconds_median"]
            for one in document["results"] if one.get("seconds_median") and not is_baseline(document, one)}


def compare_sentence(files, _):
    """Compares the first half of the files with the second half. Each half has results of the same command."""
    halves = [[load(name) for name in half] for half in (files[:len(files) // 2], files[len(files) // 2:])]
    runs = [[measured_times(result) for result in half] for half in halves]
    old, new = ({key: min(run[key] for run in half) for key in half[0] if all(key in run for run in half)} for half in runs)
    ratios = [new[key] / old[key] for key in old if key in new]
    first, second = (half[0] for half in halves)
    what = "commit" if first["commit"] != second["commit"] else "executor"
    both = "" if what == "commit" else f", commit {first['commit']}"
    best_of = f", the shortest of {len(halves[0])} runs each" if len(halves[0]) > 1 else ""
    names = " and ".join(f"`{name}`" for name in files)
    return [f"{second[what]} takes {min(ratios):.3f} to {max(ratios):.3f} times as long as {first[what]} "
            f"({len(ratios)} times, median {statistics.median(ratios):.3f}{best_of}) on {device_of(first)} ({names}{both})."]


def executors_table(files, options):
    before, after = (load(name) for name in files)
    statistic = {"median": statistics.median, "min": min}[options.get("of", "median")]
    kind = options.get("by")
    if kind == "matrix":
        header, rows = experiment_tables.worst_table(before, after, statistic, int(options["worst"]))
    else:
        make = {None: experiment_tables.ratio_table, "size": experiment_tables.size_table}[kind]
        header, rows = make(before, after, statistic)
    names = " and ".join(f"`{name}`" for name in files)
    of_samples = "shortest" if statistic is min else "median"
    return [f"Time of {after['executor']} divided by time of {before['executor']}, {of_samples} of the samples, on {device_of(before)} "
            f"({names}, commit {before['commit']}):", ""] + table(header, rows)


def rates_table(files, _):
    [name] = files
    result = load(name)
    return [f"GFLOP/s on {device_of(result)}, quartile 1 / median / quartile 3 ({origin_of(name, result)}):",
            ""] + table(*experiment_tables.rate_table(result))


def against_table(files, options):
    [name] = files
    result = load(name)
    baseline = options["to"].replace("_", " ")
    return [f"Time divided by that of {baseline} on {device_of(result)} ({origin_of(name, result)}):",
            ""] + table(*experiment_tables.against_table(result, baseline))


def advice_table(files, _):
    header = ["Products", "matrices", "of the fastest, geometric mean", "smallest", "of Csr, smallest", "always Csr: of the fastest"]
    rows = []
    for advice, products in zip(files[::2], files[1::2]):
        result = load(products)
        where = f"{result['executor']}, {device_of(result)}"
        rows.append([f"{where} (`{products}`, commit {result['commit']}; `{advice}`)"] + experiment_tables.advice_row(load(advice), result))
    return table(header, rows)


def groups_table(files, _):
    documents = [load(name) for name in files]
    names = " and ".join(f"`{name}`" for name in files)
    return [f"Nanoseconds of a sum on {device_of(documents[0])}, by the number of threads of a tile ({names}, commit "
            f"{documents[0]['commit']}):", ""] + table(*experiment_tables.group_table(documents))


KINDS = {
    "spmv": spmv_table,
    "solver": solver_table,
    "convergence": convergence_table,
    "blas": blas_table,
    "sparse-blas": sparse_blas_table,
    "triangular": triangular_table,
    "factors": factors_table,
    "preconditioners": preconditioners_table,
    "solves": solves_table,
    "conversion": conversions_table,
    "zoo": zoo_table,
    "executors": executors_table,
    "rates": rates_table,
    "against": against_table,
    "advice": advice_table,
    "groups": groups_table,
    "compare": compare_sentence,
}


def generate(description):
    kind, *words = description.split()
    if kind not in KINDS:
        raise DocumentError(f"expected a table of {', '.join(KINDS)}, found {kind}")
    options = dict(word.split("=", 1) for word in words if "=" in word)
    try:
        return KINDS[kind]([word for word in words if "=" not in word], options)
    except (KeyError, ValueError, IndexError) as error:
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
    stray = [f"{name}:{number}: a figure without a result file: {line}"
             for number, line in stray_figures(new, name in DOCUMENTS_OF_FIGURES)]
    if not name.startswith(os.path.join("doc", "tuning")):
        errors += stray
    elif stray and RUNS_NOT_KEPT not in text:
        errors.append(f"{stray[0]} (and no line '{RUNS_NOT_KEPT}' with card, month and command)")
    return errors, named_files(text)


def named_files(text):
    """Returns the result files that a text names. A file name follows the name of its folder in the same paragraph or row."""
    names = set()
    for paragraph in re.split(r"\n\s*\n|\n(?=\|)", text):
        folders = RESULT_FOLDER.finditer(paragraph)
        for folder in folders:
            rest = RESULT_FOLDER.split(paragraph[folder.end():], maxsplit=1)[0]
            names |= {f"{folder.group()}/{file.group()}" for file in RESULT_FILE.finditer(rest)}
    return names


def check_results(used):
    """Yields the errors of result files."""
    for folder in sorted(os.listdir(Checkout.results())):
        if not os.path.isdir(os.path.join(Checkout.results(), folder)):
            continue
        for file in sorted(os.listdir(os.path.join(Checkout.results(), folder))):
            name = f"{folder}/{file}"
            named = RESULT_FILE.fullmatch(file)
            if not named or not RESULT_FOLDER.fullmatch(folder):
                yield f"benchmark/results/{name}: expected the name DATE-DEVICE/COMMAND[_WHAT-DIFFERS].json or .txt"
            elif name not in used:
                yield f"benchmark/results/{name}: no document names it"
            if file.endswith((".json", ".json.gz")):
                try:
                    result = load(name)
                except DocumentError as error:
                    yield str(error)
                    continue
                if named and named.group(1) != result["arguments"][0]:
                    yield f"benchmark/results/{name}: the command is {result['arguments'][0]}, but the name begins with {named.group(1)}"
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
