# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""Compares results of spruce-bench (see result_files.py): alternatives, ratios of times, performance profiles."""

import dataclasses
import math
import statistics

from result_files import case_key, seconds_of, status_of

# Keys of a case whose values are alternatives for the same work, the one to compare first.
ALTERNATIVES = ("format", "library", "preconditioner", "solver")
# Their times compare only for whole solves: an iteration or an application of one does other work than that of another.
COMPARABLE_SOLVES = ("preconditioner", "solver")
# Limits of the difference of a ratio to 1, in per cent, of which the share of ratios is given.
WITHIN = (3, 5, 10)


@dataclasses.dataclass
class Group:
    """Contains results of one document whose cases have the same keys, as a table."""

    fixed: dict  # the keys of all cases with equal values
    alternative: str  # the key whose values are compared, or "" if there is none
    is_comparable: bool  # whether a shorter time of an alternative is a better one
    columns: list  # the values of `alternative`, or of the remaining keys if there is none
    rows: list  # tuples of (key, value)
    cells: dict  # {(row, column): result}

    def get_best(self, row):
        """Returns the column of the shortest good time in a row, or None without at least two."""
        times = {
            column: seconds_of(self.cells[row, column])
            for column in self.columns if (row, column) in self.cells and status_of(self.cells[row, column]) == "good"
        }
        return min(times, key=times.get) if self.is_comparable and len(times) > 1 else None

    def get_conditions(self):
        """Returns a sentence with the values that all cases share, for a caption."""
        fixed = [
            f"{key.replace('_', ' ')} {value}" for key, value in self.fixed.items()
            if key not in ("operation", "phase")
        ]
        return f" All cases: {', '.join(fixed)}." if fixed else ""

    def get_results(self):
        return list(self.cells.values())

    def get_name(self):
        """Returns what was measured: the operation and the phase."""
        words = dict.fromkeys(str(self.fixed[key]) for key in ("operation", "phase") if key in self.fixed)
        return ", ".join(words) or "all operations"


def groups_of(document):
    """Returns the results of a document as tables of one phase, and one operation where alternatives are compared."""
    # Where only some operations were measured with several libraries, those are a table of their own.
    libraries = {}
    for result in document["results"]:
        libraries.setdefault(key_without_library(result), set()).add(result["case"].get("library"))
    by_keys = {}
    for result in document["results"]:
        case = result["case"]
        has_rivals = len(libraries[key_without_library(result)]) > 1
        has_alternatives = has_rivals or any(key in case for key in ALTERNATIVES if key != "library")
        operation = case["operation"] if has_alternatives else None
        by_keys.setdefault((operation, case.get("phase"), frozenset(case), has_rivals), []).append(result)
    return [make_group(results) for results in by_keys.values()]


def key_without_library(result):
    return case_key({key: value for key, value in result["case"].items() if key != "library"})


def make_group(results):
    keys = list(dict.fromkeys(key for result in results for key in result["case"]))
    values = {key: list(dict.fromkeys(result["case"].get(key) for result in results)) for key in keys}
    fixed = {key: values[key][0] for key in keys if len(values[key]) == 1}
    varying = [key for key in keys if key not in fixed]
    alternative = next((key for key in ALTERNATIVES if key in varying), "")
    column_key = alternative or ("matrix" if "operation" in varying and "matrix" in varying else "")
    row_keys = sorted((key for key in varying if key != column_key), key=lambda key: (key != "matrix", keys.index(key)))
    cells = {}
    for result in results:
        case = result["case"]
        cells[tuple((key, case.get(key)) for key in row_keys), case.get(column_key, "time")] = result
    rows, columns = (list(dict.fromkeys(key[part] for key in cells)) for part in (0, 1))
    is_comparable = bool(alternative) and (alternative not in COMPARABLE_SOLVES or fixed.get("phase") == "solve")
    return Group(fixed, alternative, is_comparable, columns, rows, cells)


# --- ratios of times --------------------------------------------------------------------------------------------------


def quantile(values, fraction):
    """Returns the quantile of a list, interpolated linearly between neighbours in its order."""
    ordered = sorted(values)
    place = fraction * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def ratio_statistics(ratios):
    """Returns the number, quantiles and geometric mean of ratios, and the shares of them within some per cent of 1."""
    return {
        "count": len(ratios), "5 %": quantile(ratios, 0.05), "quartile 1": quantile(ratios, 0.25),
        "median": quantile(ratios, 0.5), "quartile 3": quantile(ratios, 0.75), "95 %": quantile(ratios, 0.95),
        "geometric mean": statistics.geometric_mean(ratios),
        **{f"within {limit} %": share_within(ratios, limit)
           for limit in WITHIN}
    }


def share_within(ratios, percent):
    # The ratio 1.05 is within 5 % though its floating-point difference to 1 is larger than 0.05.
    return sum(abs(ratio - 1) <= percent / 100 + 1e-12 for ratio in ratios) / len(ratios)


def common_ratios(before, after):
    """Returns (time after / time before, result of before) for each case that is good in both lists of results."""
    old = {case_key(result["case"]): result for result in before if status_of(result) == "good"}
    return [(seconds_of(result) / seconds_of(old[case_key(result["case"])]), old[case_key(result["case"])])
            for result in after if status_of(result) == "good" and case_key(result["case"]) in old]


def size_class(result):
    """Returns the power of ten below the number of nonzeros, or None if it is not known."""
    nonzeros = result.get("problem", {}).get("nonzeros")
    return math.floor(math.log10(nonzeros)) if isinstance(nonzeros, (int, float)) and nonzeros >= 1 else None


# --- performance profiles ---------------------------------------------------------------------------------------------


def performance_profile(times):
    """Returns for each solver the increasing ratios of its times to the shortest of the problem; and how many problems.

    times: {problem: {solver: seconds}}, where a solver that failed is missing. A problem that no solver solved does not
    count. The share of problems that a solver solves within tau times the shortest time is the number of its ratios up
    to tau, divided by the number of problems. Source: Dolan and More, Benchmarking optimization software with
    performance profiles, Mathematical Programming 91, 2002.
    """
    solved = [of_problem for of_problem in times.values() if of_problem]
    solvers = dict.fromkeys(solver for of_problem in solved for solver in of_problem)
    ratios = {
        solver: sorted(of_problem[solver] / min(of_problem.values()) for of_problem in solved if solver in of_problem)
        for solver in solvers
    }
    return ratios, len(solved)


def profile_of(group):
    """Returns the performance profile of the alternatives of a group."""
    return performance_profile({
        row: {
            column: seconds_of(group.cells[row, column])
            for column in group.columns
            if (row, column) in group.cells and status_of(group.cells[row, column]) == "good"
        }
        for row in group.rows
    })
