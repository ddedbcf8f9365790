# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""Computes the tables of doc/experiments.md: the same cases on two executors, rates by size, and sums over tiles.

Each function takes documents in schema 2 and returns the header and the rows of a table as texts.
"""

import math
import statistics

import result_statistics
from result_files import status_of

# Limits between classes of matrices by their numbers of entries.
SIZES = (1e4, 1e5, 1e6, 1e7)
# Products by the vendor's library have different names on the executors.
VENDOR_PRODUCTS = ("cusparse-csr", "hipsparse-csr")
VENDOR = "vendor csr"
# The formats among which advise_format() chooses, and Hybrid, which is sometimes faster than they are.
COMPARED_FORMATS = ("csr", "coo", "ell", "sellp", "hybrid")


def size_name(number):
    """Returns the name of the class of SIZES with this number."""
    if number == 0:
        return f"below {SIZES[0]:.0e}".replace("+0", "")
    if number == len(SIZES):
        return f"above {SIZES[-1]:.0e}".replace("+0", "")
    return f"{SIZES[number - 1]:.0e} to {SIZES[number]:.0e}".replace("+0", "")


def size_of(result):
    return sum(result["problem"]["nonzeros"] >= limit for limit in SIZES)


def method_of(case):
    """Returns the solver, or the format of a product."""
    name = case.get("solver") or case["format"]
    return VENDOR if name in VENDOR_PRODUCTS else name


def times_of(document, statistic):
    """Returns {(method, matrix): (time, result)} of the results that are not wrong. A solve may end by its limit of iterations."""
    return {(method_of(result["case"]), result["case"]["matrix"]): (statistic(result["seconds"]), result)
            for result in document["results"] if "seconds" in result and status_of(result) != "wrong"}


def ratios_of(before, after, statistic=statistics.median):
    """Returns {method: [(time after / time before, result before)]} for the cases that both documents measured."""
    old, new = times_of(before, statistic), times_of(after, statistic)
    ratios = {}
    for key, (seconds, result) in old.items():
        if key in new:
            ratios.setdefault(key[0], []).append((new[key][0] / seconds, result))
    return ratios


def ratio_table(before, after, statistic):
    """Returns quantiles of the ratios of each method, and how many of them are close to 1."""
    header = ["", "count", "5 %", "quartile 1", "median", "quartile 3", "95 %", "within 3 %", "within 10 %"]
    rows = []
    for method, pairs in ratios_of(before, after, statistic).items():
        known = result_statistics.ratio_statistics([ratio for ratio, _ in pairs])
        rows.append([method, str(known["count"])] + [f"{known[key]:.3f}" for key in header[2:7]] +
                    [f"{100 * known[key]:.0f} %" for key in header[7:]])
    return header, rows


def size_table(before, after, statistic):
    """Returns medians of the ratios by the number of entries, with the share within 3 % of 1."""
    ratios = ratios_of(before, after, statistic)
    header = ["entries"] + list(ratios)
    rows = []
    for number in range(len(SIZES) + 1):
        row = [size_name(number)]
        for pairs in ratios.values():
            of_size = [ratio for ratio, result in pairs if size_of(result) == number]
            share = result_statistics.share_within(of_size, 3) if of_size else 0
            row.append(f"{statistics.median(of_size):.3f} ({100 * share:.0f} % of {len(of_size)})" if of_size else "")
        if any(row[1:]):
            rows.append(row)
    return header, rows


def worst_table(before, after, statistic, number):
    """Returns the cases whose ratios differ most from 1."""
    pairs = [(method, ratio, result) for method, of_method in ratios_of(before, after, statistic).items()
             for ratio, result in of_method]
    pairs.sort(key=lambda one: abs(math.log(one[1])), reverse=True)
    rows = [[result["case"]["matrix"], method, str(result["problem"]["nonzeros"]),
             f"{1e6 * statistic(result['seconds']):.1f}", f"{ratio:.3f}"] for method, ratio, result in pairs[:number]]
    return ["matrix", "", "entries", "us before", "ratio"], rows


def rate_table(document):
    """Returns quartiles of GFLOP/s of each format by the number of entries."""
    rates = {}
    for result in document["results"]:
        if status_of(result) == "good":
            rates.setdefault(method_of(result["case"]), {}).setdefault(size_of(result), []).append(result["gflops"])
    rows = []
    for number in range(len(SIZES) + 1):
        row = [size_name(number)]
        for of_method in rates.values():
            values = of_method.get(number, [])
            row.append(" / ".join(f"{result_statistics.quantile(values, part):.3g}" for part in (0.25, 0.5, 0.75)) if values else "")
        rows.append(row)
    return ["entries"] + list(rates), rows


def against_table(document, baseline):
    """Returns quantiles of the time of each format divided by that of a baseline on the same matrix."""
    times = times_of(document, statistics.median)
    header = ["", "count", "quartile 1", "median", "quartile 3", "geometric mean", "largest"]
    rows = []
    for method in dict.fromkeys(method for method, _ in times):
        ratios = [seconds / times[baseline, matrix][0] for (name, matrix), (seconds, _) in times.items()
                  if name == method and (baseline, matrix) in times]
        if method != baseline and ratios:
            known = result_statistics.ratio_statistics(ratios)
            rows.append([method, str(known["count"])] + [f"{known[key]:.2f}" for key in header[2:6]] + [f"{max(ratios):.2f}"])
    return header, rows


def group_table(documents):
    """Returns the time of a sum over a tile in nanoseconds, and the ratio of tiles of 4 threads to those of 32, by executor."""
    sizes = sorted({result["case"]["tile_size"] for document in documents for result in document["results"]})
    rows = []
    for document in documents:
        rows_of = {}
        for result in document["results"]:
            case = result["case"]
            if status_of(result) == "good":
                rows_of.setdefault((case["value_type"], case["shuffles"]), {})[case["tile_size"]] = statistics.median(result["seconds"])
        for (value_type, shuffles), times in rows_of.items():
            rows.append([document["executor"], value_type, shuffles] + [f"{1e9 * times[size]:.0f}" if size in times else "" for size in sizes] +
                        [f"{times[4] / times[32]:.2f}" if {4, 32} <= times.keys() else ""])
    return ["", "type", "shuffles"] + [str(size) for size in sizes] + ["4 / 32"], rows


def advice_row(advice, products):
    """Returns how the advised formats compare with the fastest one and with Csr, for the matrices of both documents.

    Matrices whose advised format was not measured do not count.
    """
    times = {}
    for (method, matrix), (seconds, _) in times_of(products, statistics.median).items():
        if method in COMPARED_FORMATS:
            times.setdefault(matrix, {})[method] = seconds
    to_best, to_csr, csr_to_best = [], [], []
    for result in advice["results"]:
        of_matrix = times.get(result["case"]["matrix"], {})
        advised = of_matrix.get(result.get("facts", {}).get("format"))
        if advised and "csr" in of_matrix:
            to_best.append(min(of_matrix.values()) / advised)
            to_csr.append(of_matrix["csr"] / advised)
            csr_to_best.append(min(of_matrix.values()) / of_matrix["csr"])
    return [str(len(to_best)), f"{statistics.geometric_mean(to_best):.3f}", f"{min(to_best):.2f}", f"{min(to_csr):.2f}",
            f"{statistics.geometric_mean(csr_to_best):.3f}"]
