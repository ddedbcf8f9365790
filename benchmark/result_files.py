# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reads JSON results of spruce-bench: those of schema 2, and older ones, which become documents of schema 2.

    document = read_results("benchmark/results/2026-11-27-nvidia-h100/spmv.json")
    for result in document["results"]:
        print(result["case"], seconds_of(result))

Older files have one layout for each command and state no schema. ADAPTERS has a function for each layout. Where an
older file has only the median of its samples, the result has "seconds_median" without "seconds".
"""

import gzip
import json
import math
import os
import statistics
import zlib

SCHEMA = 2
ENDINGS = (".json", ".json.gz")
# The keys of a result that are numbers greater than 0, and those that may be 0.
POSITIVE_NUMBERS = ("seconds_median", "seconds_min", "seconds_max", "calls")
NUMBERS = ("bytes", "flops", "gigabytes_per_second", "gflops", "fraction_of_copy", "launches", "host_waits", "error",
           "error_bound")


class ResultFileError(Exception):
    """Says what is wrong with a result file."""


def read_results(path):
    """Returns the document of a result file in schema 2, with all quantities that follow from others.

    Raises ResultFileError if the file cannot be read, is not JSON, or is not a result of spruce-bench.
    """
    document = parse(path)
    if not isinstance(document, dict):
        raise ResultFileError(f"expected an object with results of spruce-bench, found {type(document).__name__}")
    if "schema" not in document:
        document = adapted(document)
    elif document["schema"] != SCHEMA:
        raise ResultFileError(f"expected schema {SCHEMA}, found {document['schema']!r}")
    check_document(document)
    for result in document["results"]:
        complete(result, document.get("copy"))
    return document


def parse(path):

    def refuse(constant):
        raise ValueError(f"{constant} is not a number of JSON")

    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.endswith(".gz") else open(path, encoding="utf-8") as file:
            document = json.load(file, parse_constant=refuse)
        json.dumps(document, ensure_ascii=False).encode("utf-8")  # fails for halves of letters, which JSON can contain
        return document
    except (OSError, EOFError, zlib.error) as error:
        raise ResultFileError(f"the file cannot be read: {getattr(error, 'strerror', None) or error}") from error
    except RecursionError as error:
        raise ResultFileError("the file is not JSON of spruce-bench: it is nested too deeply") from error
    except ValueError as error:
        raise ResultFileError(f"the file is not JSON: {error}") from error


# --- what callers ask about a result ----------------------------------------------------------------------------------


def seconds_of(result):
    """Returns the median time of one call, or None if the case was not measured."""
    return None if "failure" in result or "skipped" in result else result.get("seconds_median")


def status_of(result):
    """Returns "good", "skipped", "failed", "wrong" or how a solve ended that did not converge."""
    if "skipped" in result:
        return "skipped"
    if seconds_of(result) is None:
        return "failed"
    if result.get("correct") is False:
        return "wrong"
    outcome = result.get("facts", {}).get("outcome", "converged")
    return "good" if outcome == "converged" else str(outcome)


def reason_of(result):
    """Returns why a result is not good."""
    if "skipped" in result or "failure" in result:
        return str(result.get("skipped", result.get("failure")))
    if seconds_of(result) is None:
        return "the file has no time"
    if result.get("correct") is False:
        error, bound = (result.get(key, "(unknown)") for key in ("error", "error_bound"))
        return f"the error {error} exceeds its bound {bound}"
    return f"the solve ended otherwise: {status_of(result)}"


def case_key(case):
    """Returns a hashable form of a case, equal for equal cases."""
    return tuple(sorted(case.items()))


# --- quantities that follow from others -------------------------------------------------------------------------------


def median_interval(samples):
    """Returns the 95 % interval of the median by order statistics, or None for fewer than six samples.

    The k-th smallest and the k-th largest of n samples enclose the median unless fewer than k samples are on one side
    of it, which has twice the probability P(X < k) for X ~ B(n, 1/2); k is the largest for which that is at most 5 %.
    """
    ordered = sorted(samples)
    num_samples = len(ordered)
    below, rank = 0, 0
    while 40 * (below + math.comb(num_samples, rank)) <= 2**num_samples:
        below += math.comb(num_samples, rank)
        rank += 1
    return [ordered[rank - 1], ordered[num_samples - rank]] if rank else None


def complete(result, copy):
    """Adds the statistics of the samples and the rates that a result lacks."""
    samples = result.get("seconds")
    if samples:
        for key, statistic in (("median", statistics.median), ("min", min), ("max", max), ("interval",
                                                                                           median_interval)):
            if f"seconds_{key}" not in result and statistic(samples) is not None:
                result[f"seconds_{key}"] = statistic(samples)
    seconds = seconds_of(result)
    if not seconds:
        return
    if "bytes" in result:
        result.setdefault("gigabytes_per_second", 1e-9 * result["bytes"] / seconds)
    if "flops" in result:
        result.setdefault("gflops", 1e-9 * result["flops"] / seconds)
    if copy and "gigabytes_per_second" in result:
        result.setdefault("fraction_of_copy", result["gigabytes_per_second"] / copy["gigabytes_per_second"])


# --- whether a document has the form of schema 2 ----------------------------------------------------------------------


def is_number(value):
    """Returns whether a value is a number of which quotients with others are finite."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and (value == 0 or 1e-60 < abs(value) < 1e60)


def is_positive(value):
    return is_number(value) and value > 0


def expect(condition, where, what, value):
    if not condition:
        raise ResultFileError(f"{where}: expected {what}, found {json.dumps(value)[:60]}")


def without_nulls(values):
    return {key: value for key, value in values.items() if value is not None}


def check_document(document):
    """Raises ResultFileError if a document does not have the form of schema 2. Keys whose value is null are removed."""
    for key in ("command", "executor", "device", "commit", "date"):
        expect(isinstance(document.get(key), str) and document[key], key, "a text", document.get(key))
    arguments = document.get("arguments")
    expect(
        isinstance(arguments, list) and all(isinstance(one, str) for one in arguments), "arguments", "a list of texts",
        arguments)
    if document.get("copy") is None:
        document.pop("copy", None)
    else:
        bandwidth = document["copy"].get("gigabytes_per_second") if isinstance(document["copy"], dict) else None
        # After an interrupt the copy was not measured, and its bandwidth is 0.
        expect(is_number(bandwidth) and bandwidth >= 0, "copy", "an object with gigabytes_per_second", document["copy"])
        if bandwidth == 0:
            del document["copy"]
    expect(isinstance(document.get("results"), list), "results", "a list", document.get("results"))
    for number, result in enumerate(document["results"]):
        where = f"results[{number}]"
        expect(isinstance(result, dict), where, "an object", result)
        document["results"][number] = without_nulls(result)
        check_result(document["results"][number], where)


def check_result(result, where):
    case = result.get("case")
    expect(
        isinstance(case, dict) and isinstance(case.get("operation"), str), f"{where}.case",
        "an object with an operation", case)
    for key, value in case.items():
        expect(isinstance(value, (str, int)), f"{where}.case.{key}", "a text, an integer or a boolean", value)
    for key in ("problem", "facts"):
        expect(isinstance(result.get(key, {}), dict), f"{where}.{key}", "an object", result.get(key))
        if key in result:
            result[key] = without_nulls(result[key])
    for key, value in result.get("problem", {}).items():
        expect(
            is_number(value) or isinstance(value, str) and key != "nonzeros", f"{where}.problem.{key}", "a number",
            value)
    check_facts(result.get("facts", {}), f"{where}.facts")
    for key in NUMBERS:
        is_right = key not in result or (is_number(result[key]) and result[key] >= 0)
        expect(is_right, f"{where}.{key}", "a number that is not negative", result.get(key))
    for key in POSITIVE_NUMBERS:
        expect(key not in result or is_positive(result[key]), f"{where}.{key}", "a positive number", result.get(key))
    for key in ("seconds", "seconds_interval"):
        samples = result.get(key, [])
        expect(
            isinstance(samples, list) and all(map(is_positive, samples)), f"{where}.{key}",
            "a list of positive numbers", samples)


def check_facts(facts, where):
    """Raises ResultFileError if one of the facts that programs use has another form."""
    expect(is_number(facts.get("iterations", 0)), f"{where}.iterations", "a number", facts.get("iterations"))
    for key in ("outcome", "solver"):
        expect(isinstance(facts.get(key, ""), str), f"{where}.{key}", "a text", facts.get(key))
    for key in ("residual_norms", "seconds_at_iteration"):
        values = facts.get(key, [])
        expect(
            isinstance(values, list) and all(is_number(value) and value >= 0 for value in values), f"{where}.{key}",
            "a list of numbers that are not negative", values)


# --- older layouts ----------------------------------------------------------------------------------------------------


def adapted(document):
    """Returns a document of an older layout as one of schema 2."""
    arguments = document.get("arguments")
    old_name = arguments[0] if isinstance(arguments, list) and arguments else None
    if not isinstance(old_name, str) or old_name not in ADAPTERS:
        raise ResultFileError(
            f"not a result of spruce-bench: it states no schema, and its arguments do not begin with one of "
            f"{', '.join(ADAPTERS)}")
    command, adapter = ADAPTERS[old_name]
    head = {key: value for key, value in document.items() if key not in ("matrices", "results", "nrhs", "copy")}
    try:
        copy = copy_of(document)
        return {
            "schema": SCHEMA, **head, "command": command,
            **({"copy": copy} if copy else {}), "results": list(adapter(document))
        }
    except KeyError as error:
        raise ResultFileError(f"the results of {old_name} lack {error}") from error
    except (AttributeError, IndexError, TypeError, ValueError, ZeroDivisionError) as error:
        raise ResultFileError(f"the results of {old_name} do not have their layout: {error}") from error


def copy_of(document):
    """Returns the measured copy. Where each entry states a bandwidth, it is the median of them."""
    if isinstance(document.get("copy"), dict):
        copy = dict(document["copy"])
        if "bytes_per_second" in copy:
            copy["gigabytes_per_second"] = 1e-9 * copy.pop("bytes_per_second")
        return copy
    if "copy_bytes_per_second" in document:
        return {"gigabytes_per_second": 1e-9 * document["copy_bytes_per_second"]}
    stated = [
        entry["copy_bytes_per_second"] for entry in document.get("results", []) if "copy_bytes_per_second" in entry
    ]
    return {"gigabytes_per_second": 1e-9 * statistics.median(stated)} if stated else None


def taken(entry, *keys, **renamed):
    """Returns the keys that an entry has with a value. A keyword names the old key: bytes="moved_bytes"."""
    names = {**{key: key for key in keys}, **renamed}
    return {new: entry[old] for new, old in names.items() if entry.get(old) is not None}


def not_measured(reason):
    """Returns the key for the reason why there is no time. A case skipped on purpose said so in its failure."""
    prefix = "skipped: "
    return {"skipped": reason[len(prefix):]} if reason.startswith(prefix) else {"failure": reason}


def problem_of(entry, **renamed):
    return taken(entry, "rows", "columns", "nonzeros", "longest_row", **renamed)


def case_of(operation, matrix):
    """Returns the case of a command that measured one pair of types only."""
    return {"operation": operation, "matrix": matrix, "value_type": "double", "index_type": "int32"}


def types_of(entry):
    return taken(entry, "value_type", "index_type")


def spmv_results(document):
    """Yields a result for each format of each matrix."""
    for matrix in document["matrices"]:
        case = {
            "operation": "spmv", "matrix": matrix["name"], **types_of(document),
            **taken(matrix, "value_type"), "num_rhs": document["nrhs"]
        }
        if "skipped" in matrix or "failure" in matrix:
            reason = {"skipped": matrix["skipped"]} if "skipped" in matrix else not_measured(matrix["failure"])
            yield {"case": case, "problem": problem_of(matrix), **reason}
        for entry in matrix["formats"]:
            result = {"case": {**case, "format": entry["format"]}, "problem": problem_of(matrix)}
            if "failure" in entry:
                yield {**result, **not_measured(entry["failure"])}
                continue
            yield {
                **result, **taken(entry,
                                  "seconds",
                                  "seconds_median",
                                  "seconds_min",
                                  "flops",
                                  "gflops",
                                  "gigabytes_per_second",
                                  "error",
                                  "error_bound",
                                  "correct",
                                  bytes="moved_bytes",
                                  calls="products_per_repetition"),
                **taken(entry if document["copy"]["gigabytes_per_second"] else {}, "fraction_of_copy"), "facts": taken(
                    entry, "strategy", "storage_bytes", "imbalance", best="winner")
            }


def solver_results(document):
    """Yields a result for each solve until convergence, or for an iteration of each solver."""
    preconditioner = {"preconditioner": "diagonal"} if "--diagonal" in document["arguments"] else {}
    for entry in document["results"]:
        case = {**case_of("solver", entry["matrix"]), **taken(entry, "format", "solver"), **preconditioner}
        result = {"problem": problem_of(entry), **(not_measured(entry["failure"]) if "failure" in entry else {})}
        if "outcome" in entry:
            facts = taken(entry, "outcome", "iterations", "relative_residual")
            result.update(taken(entry, seconds_median="seconds"))
            yield {"case": {**case, "phase": "solve"}, **result, "facts": facts}
            continue
        seconds, least = entry.get("seconds_per_iteration"), entry.get("bytes_per_iteration")
        if seconds and least:
            result["fraction_of_copy"] = least / seconds / entry["copy_bytes_per_second"]
        result.update(
            taken(entry,
                  seconds_median="seconds_per_iteration",
                  bytes="bytes_per_iteration",
                  launches="kernels_per_iteration"))
        facts = taken(entry, "standard_error", "measurements", bytes_moved="bytes_moved_per_iteration")
        yield {"case": {**case, "phase": "iteration"}, **result, "facts": facts}


def preconditioner_results(document):
    """Yields a result for each measured phase: generate, refresh, apply and solve."""
    facts_of = {
        "generate": ("levels", "storage_bytes", "difference"),
        "refresh": ("difference",),
        "apply": ("levels", "residual"),
        "solve": ("solver", "outcome", "iterations", "relative_residual")
    }
    for entry in document["results"]:
        case = {
            **case_of("preconditioner", entry["matrix"]), "preconditioner": entry["operator"].replace(" ", "-"),
            "library": entry.get("by", "spruce").lower()
        }
        problem = problem_of(entry, nonzeros="entries")
        if "error" in entry:
            yield {"case": {**case, "phase": "solve"}, "problem": problem, "failure": entry["error"]}
            continue
        for phase, facts in facts_of.items():
            if f"{phase}_seconds" in entry:
                rates = taken(entry, bytes="apply_bytes", fraction_of_copy="copy_fraction") if phase == "apply" else {}
                yield {
                    "case": {**case, "phase": phase}, "problem": problem,
                    "seconds_median": entry[f"{phase}_seconds"], **rates, "facts": taken(entry, *facts)
                }


def conversions_results(document):
    """Yields a result for each operation on each matrix, and the time of a product with which it was compared."""
    for matrix in document["results"]:
        problem = problem_of(matrix)
        spmv = case_of("spmv", matrix["matrix"])
        yield {"case": spmv, "problem": problem, "seconds_median": matrix["spmv_seconds"]}
        for entry in matrix["operations"]:
            failure = not_measured(entry["failure"]) if "failure" in entry else {}
            yield {
                "case": case_of(entry["operation"], matrix["matrix"]), "problem": problem, **failure,
                **taken(entry, seconds_median="seconds"), "facts": taken(entry, "spmvs")
            }


def dense_results(document):
    """Yields a result for each operation, and one of the vendor's library where that was measured."""
    vendor = {"cuda": "cublas", "hip": "hipblas"}.get(document["executor"], "vendor")
    for entry in document["results"]:
        case = {"operation": entry["operation"], "size": "x".join(map(str, entry["size"])), **types_of(document)}
        for library, key in (("spruce", "seconds"), (vendor, "vendor_seconds")):
            if entry.get(key):
                fraction = entry["bytes"] / entry[key] / entry["copy_bytes_per_second"]
                yield {
                    "case": {**case, "library": library}, "seconds_median": entry[key],
                    **taken(entry, "bytes", flops="operations"), "fraction_of_copy": fraction
                }


def spgemm_results(document):
    """Yields a result for each way to multiply each matrix by itself."""
    ways = {
        "Csr::multiply": ("spgemm", "spruce"),
        "with its structure": ("spgemm, known structure", "spruce"),
        "cuSPARSE": ("spgemm", "cusparse")
    }
    for entry in document["results"]:
        operation, library = ways[entry["by"].strip()]
        failure = not_measured(entry["failure"]) if "failure" in entry else {}
        yield {
            "case": {**case_of(operation, entry["matrix"]), "library": library}, **failure,
            **taken(entry, seconds_median="seconds", flops="operations"),
            "facts": taken(entry, "entries", "result_bytes", "workspace_bytes")
        }


def zoo_results(document):
    """Yields a result for each operation on each structure, which has approximately the number of entries."""
    for entry in document["results"]:
        case = {
            "operation": entry["operation"], "matrix": entry["structure"], **types_of(document),
            "entries": int(document["entries"])
        }
        if "not_measured" in entry:
            yield {"case": case, "skipped": entry["not_measured"]}
        else:
            facts = taken(entry, "time_over_least")
            times = taken(entry, seconds_median="seconds", bytes="least_bytes")
            yield {"case": case, **times, "facts": facts}


# The first argument of older files: the command of today and the function for the layout.
ADAPTERS = {
    "spmv": ("spmv", spmv_results),
    "solver": ("solver", solver_results),
    "preconditioner": ("preconditioner", preconditioner_results),
    "conversions": ("conversion", conversions_results),
    "dense": ("blas", dense_results),
    "spgemm": ("sparse-blas", spgemm_results),
    "zoo": ("zoo", zoo_results),
}


def find_results(folder):
    """Returns the result files in a folder and the number of its other files, by their paths relative to it."""
    found, num_others = [], 0
    for parent, folders, files in os.walk(folder):
        folders.sort()
        for file in files:
            if file.endswith(ENDINGS):
                found.append(os.path.relpath(os.path.join(parent, file), folder))
            else:
                num_others += 1
    return sorted(found), num_others
