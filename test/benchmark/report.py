#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of benchmark/report.py and the modules that it uses: report.py BENCHMARK_FOLDER"""

import contextlib
import gzip
import html.parser
import io
import json
import os
import sys
import tempfile
import unittest
import unittest.mock

BENCHMARK = sys.argv[1]
sys.path.insert(0, BENCHMARK)
sys.dont_write_bytecode = True

import report  # noqa: E402
import result_files  # noqa: E402
import result_statistics  # noqa: E402

NAME = "<script>alert(1)</script> & $x_$"


def document(results, command="spmv", **head):
    return {
        "schema": 2, "program": "spruce-bench", "command": command, "arguments": [command, "--executor", "omp"],
        "version": "1", "commit": "abcdef1", "date": "2026-11-28T12:00:00Z", "compiler": "g++", "executor": "omp",
        "device": "OmpExecutor", "processor": "test processor", "threads": 2, "warmup": 2, "repetitions": 3,
        "copy": {"gigabytes_per_second": 100.0}, "interrupted": False, "results": results, **head
    }


def product(matrix, storage, seconds, nonzeros=1000, **more):
    return {
        "case": {"operation": "spmv", "matrix": matrix, "format": storage,
                 "num_rhs": 1}, "problem": {"nonzeros": nonzeros}, "seconds": [seconds] * 3, "calls": 1,
        "bytes": 1000 * nonzeros, "flops": 2 * nonzeros, **more
    }


def products(num_matrices, formats=("csr", "coo"), factor=1.0):
    return [
        product(f"m{i}", storage,
                factor * (place + 1) * (i + 1) * 1e-5, 1000 * (i + 1)) for i in range(num_matrices)
        for place, storage in enumerate(formats)
    ]


def solve(preconditioner, phase, seconds, **facts):
    return {
        "case": {
            "operation": "solve", "matrix": "poisson", "solver": "cg", "preconditioner": preconditioner, "phase": phase
        }, "seconds": [seconds], "facts": facts
    }


class Elements(html.parser.HTMLParser):
    """Collects the names of elements, the identifiers, what the page refers to, and the texts of table cells."""

    def __init__(self, page):
        super().__init__()
        self.names, self.ids, self.references, self.labels, self.cells = [], [], [], [], []
        self.is_in_cell = False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.names.append(tag)
        self.ids += [values["id"]] if "id" in values else []
        self.references += [values[key] for key in ("href", "src", "xlink:href") if key in values]
        self.labels += [values["aria-label"]] if tag == "svg" else []
        if tag in ("td", "th"):
            self.cells.append("")
            self.is_in_cell = True

    def handle_endtag(self, tag):
        self.is_in_cell = self.is_in_cell and tag not in ("td", "th")

    def handle_data(self, data):
        if self.is_in_cell:
            self.cells[-1] += data


class OfFolder(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "results")
        self.output = os.path.join(folder.name, "page.html")
        os.mkdir(self.folder)

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return path


class Page(OfFolder):

    def run_report(self, *options):
        """Runs the program in this process, which has matplotlib already, and returns its exit code and messages."""
        messages = io.StringIO()
        with unittest.mock.patch.object(sys, "argv", ["report.py", self.folder, "--output", self.output, *options]), \
                contextlib.redirect_stderr(messages), contextlib.redirect_stdout(messages), \
                self.assertRaises(SystemExit) as end:
            report.main()
        code = end.exception.code
        return (1, code) if isinstance(code, str) else (code, messages.getvalue())

    def make(self, exit_code=0):
        code, self.messages = self.run_report()
        self.assertEqual(code, exit_code, self.messages)
        with open(self.output, encoding="utf-8") as file:
            self.page = file.read()
        return Elements(self.page)

    def test_has_figures_and_tables_of_products_and_is_complete_in_itself(self):
        self.write("a/first.json", document(products(10)))
        self.write("a/second.json", document(products(10, factor=1.02), date="2026-11-29T12:00:00Z"))

        page = self.make()

        for title in ("Ratios of times: a/second.json / a/first.json", "Performance over nonzeros: spmv",
                      "Roofline: spmv", "Performance profile: spmv", "Ratios of times: spmv, by format"):
            self.assertIn(f">{title}", self.page)
        num_figures = page.names.count("figure")
        self.assertEqual(num_figures, 1 + 2 * 4)
        self.assertEqual(len(page.labels), num_figures)
        self.assertTrue(all(page.labels))
        self.assertEqual(page.names.count("figcaption"), num_figures)
        self.assertEqual(len(page.ids), len(set(page.ids)))
        for reference in page.references:
            self.assertTrue(reference.startswith(("#", "data:")), reference)
            if reference.startswith("#"):
                self.assertIn(reference[1:], page.ids)
        self.assertNotIn("script", page.names)
        # The first matrix: csr takes 10 us and moves 1 MB, which is all that a copy could.
        self.assertIn("10.0 100 %", page.cells)
        self.assertIn("20.0 50 %", page.cells)

    def test_has_convergence_and_time_to_solution(self):
        norms = {"residual_norms": [1.0, 0.1, 0.01], "seconds_at_iteration": [0.0, 0.1, 0.2]}
        self.write(
            "solver.json",
            document([
                solve("none", "solve", 0.4, iterations=40, outcome="converged", **norms),
                solve("ilu", "generate", 0.1),
                solve("ilu", "solve", 0.2, iterations=10, outcome="converged", **norms),
                solve("ic", "solve", 9.0, iterations=1000, outcome="iteration limit")
            ], "solver"))

        page = self.make()

        self.assertEqual(page.names.count("figure"), 2)
        self.assertRegex(self.page, "shortest time has ilu, 300 milliseconds")
        self.assertIn("norm of the residual over time", self.page)
        self.assertIn("9000 1000 it. iteration limit", page.cells)

    def test_shows_kernels_and_waits_of_a_call(self):
        self.write("few.json", document([product("only", "csr", 1e-3, launches=3.0, host_waits=0.5)]))

        page = self.make()

        self.assertIn("k.: kernels of a call; w.: waits of the host in a call", self.page)
        self.assertTrue(any("3 k. 0.5 w." in cell for cell in page.cells), page.cells)

    def test_says_which_figures_are_left_out(self):
        self.write("few.json", document([product("only", "csr", 1e-3)]))

        page = self.make()

        self.assertNotIn("figure", page.names)
        self.assertIn("There are not enough data for any figure.", self.page)
        for reason in ("performance over nonzeros, spmv: 1 number of nonzeros with GFLOP/s, 3 are needed",
                       "convergence: no result has facts.residual_norms"):
            self.assertIn(reason, self.page)

    def test_escapes_what_comes_from_files(self):
        results = [
            product(NAME, storage, 1e-3, nonzeros) for storage in ("_<b>", "</svg><i>") for nonzeros in (10, 100, 1000)
        ]
        for place, result in enumerate(results):
            result["case"]["matrix"] = f"{NAME}{place % 3}"
        results.append(
            {"case": {"operation": "spmv", "matrix": NAME, "format": "ell", "num_rhs": 1}, "failure": "<img src=x>"})
        self.write("<u>.json", document(results, device="<em>", arguments=["spmv", "<br>"]))

        page = self.make()

        for name in ("script", "img", "i", "b", "u", "em", "br"):
            self.assertNotIn(name, page.names)
        self.assertIn(f"{NAME}0", page.cells)
        self.assertEqual(page.names.count("svg"), 2)

    def test_reports_files_that_are_no_results_and_shows_the_others(self):
        self.write("good.json", document([product("m", "csr", 1e-3)]))
        self.write("broken.json", "{")
        self.write("foreign.json", {"name": "package"})
        self.write("notes.txt", "text")

        page = self.make(exit_code=1)

        self.assertIn("good.json", page.cells)
        for text in (self.page, self.messages):
            self.assertIn("broken.json: the file is not JSON", text)
        self.assertIn("foreign.json: not a result of spruce-bench", self.page)
        self.assertIn("1 other files in the folder are not JSON", self.page)

    def test_refuses_folder_without_results(self):
        code, message = self.run_report()

        self.assertEqual(code, 1)
        self.assertIn("has no result (and 0 other files); expected files of spruce-bench COMMAND --json FILE.json",
                      message)
        self.assertFalse(os.path.exists(self.output))


class Reading(OfFolder):

    def read(self, content):
        return result_files.read_results(self.write("one.json", content))

    def test_adds_what_follows_from_samples(self):
        result = {"case": {"operation": "spmv"}, "seconds": [0.4, 0.1, 0.2], "bytes": 5e9, "flops": 1e9}

        [found] = self.read(document([result]))["results"]

        self.assertEqual([found[f"seconds_{key}"] for key in ("min", "median", "max")], [0.1, 0.2, 0.4])
        self.assertEqual((found["gigabytes_per_second"], found["gflops"], found["fraction_of_copy"]), (25.0, 5.0, 0.25))
        self.assertNotIn("seconds_interval", found)

    def test_interval_of_the_median_has_two_ranks(self):
        # P(X < 2) = 11 / 1024 for X ~ B(10, 1/2), and P(X < 3) = 56 / 1024.
        self.assertEqual(result_files.median_interval(range(10, 0, -1)), [2, 9])
        self.assertEqual(result_files.median_interval(range(6)), [0, 5])
        self.assertIsNone(result_files.median_interval(range(5)))
        self.assertEqual(result_files.median_interval(range(2000)), [955, 1044])

    def test_reads_compressed_files(self):
        path = os.path.join(self.folder, "one.json.gz")
        with gzip.open(path, "wt", encoding="utf-8") as file:
            json.dump(document([product("m", "csr", 1.0)]), file)

        self.assertEqual(len(result_files.read_results(path)["results"]), 1)
        self.assertEqual(result_files.find_results(self.folder), (["one.json.gz"], 0))

    def test_refuses_what_is_not_schema_2(self):
        good = product("m", "csr", 1.0)
        for content, message in (("[1]", "expected an object"), ('{"a": NaN}', "NaN"), ("", "not JSON"),
                                 ('"\\ud800"', "not JSON"), ("[" * 100000, "nested too deeply"),
                                 (document([], schema=3), "expected schema 2, found 3"), (document([], commit=None),
                                                                                          "commit: expected a text"),
                                 (document({}), "results: expected a list"), (document([1]),
                                                                              r"results\[0\]: expected an object"),
                                 (document([{"seconds": [1]}]), r"results\[0\].case: expected"), (document([
                                     good, {**good, "seconds": [-1.0]}
                                 ]), r"results\[1\].seconds: expected a list of positive numbers"),
                                 (document([{**good, "case": {"operation": "spmv",
                                                              "matrix": []}}]), r"case.matrix: expected a text"),
                                 (document([{**good, "facts": {"iterations": "many"}}]),
                                  r"facts.iterations: expected a number"),
                                 ({"arguments": ["spmv"],
                                   "matrices": [{}]}, "the results of spmv lack 'copy'|lack 'name'"),
                                 ({"arguments": ["zoo"], "results": 5}, "the results of zoo do not have their layout")):
            with self.subTest(str(content)[:60]), self.assertRaisesRegex(result_files.ResultFileError, message):
                self.read(content)

    def test_adapts_every_older_layout(self):
        root = os.path.join(BENCHMARK, "results")
        commands = set()
        for name in result_files.find_results(root)[0]:
            found = result_files.read_results(os.path.join(root, name))
            commands.add(found["arguments"][0])
            self.assertEqual(len({result_files.case_key(result["case"])
                                  for result in found["results"]}), len(found["results"]), name)
            for result in found["results"]:
                self.assertTrue(result_files.seconds_of(result) or "failure" in result or "skipped" in result, name)
        self.assertLessEqual(set(result_files.ADAPTERS), commands)

    def test_adapts_products(self):
        entry = {
            "format": "csr", "strategy": "classical", "moved_bytes": 100, "flops": 20, "correct": True,
            "seconds": [1.0, 3.0], "products_per_repetition": 7, "winner": True
        }
        skipped = {"format": "ell", "failure": "skipped: padding"}
        matrix = {"name": "m", "rows": 4, "columns": 5, "nonzeros": 10, "formats": [entry, skipped]}
        head = {key: value for key, value in document([]).items() if key not in ("schema", "results")}

        csr, ell = self.read({**head, "value_type": "float", "index_type": "int64", "nrhs": 2,
                              "matrices": [matrix]})["results"]

        case = {"operation": "spmv", "matrix": "m", "value_type": "float", "index_type": "int64", "num_rhs": 2}
        self.assertEqual(csr["case"], {**case, "format": "csr"})
        self.assertEqual(csr["problem"], {"rows": 4, "columns": 5, "nonzeros": 10})
        self.assertEqual((csr["calls"], csr["bytes"], csr["seconds_median"], csr["facts"]),
                         (7, 100, 2.0, {"strategy": "classical", "best": True}))
        self.assertEqual((ell["skipped"], result_files.status_of(ell)), ("padding", "skipped"))

    def adapt(self, command, *results, **head):
        old = {key: value for key, value in document([], command).items() if key not in ("schema", "copy")}
        return self.read({**old, **head, "results": results})

    def test_adapts_preconditioners_by_phase(self):
        entry = {"matrix": "m", "operator": "lower triangle", "by": "cuSPARSE", "rows": 4, "entries": 9,
                 "generate_seconds": 2.0, "apply_seconds": 0.5, "apply_bytes": 5e9, "copy_fraction": 0.1}
        failed = {"matrix": "m", "operator": "ilu", "error": "no memory"}

        found = self.adapt("preconditioner", entry, failed, copy={"bytes_per_second": 1e11})

        case = {"operation": "preconditioner", "matrix": "m", "value_type": "double", "index_type": "int32"}
        triangle = {**case, "preconditioner": "lower-triangle", "library": "cusparse"}
        self.assertEqual([result["case"] for result in found["results"]],
                         [{**triangle, "phase": "generate"}, {**triangle, "phase": "apply"},
                          {**case, "preconditioner": "ilu", "library": "spruce", "phase": "solve"}])
        self.assertEqual(found["copy"], {"gigabytes_per_second": 100.0})
        self.assertEqual(found["results"][1]["gigabytes_per_second"], 10.0)
        self.assertEqual(found["results"][2]["failure"], "no memory")

    def test_adapts_iterations_of_solvers(self):
        entry = {"matrix": "m", "rows": 4, "nonzeros": 9, "format": "csr", "solver": "cg", "kernels_per_iteration": 3.5,
                 "seconds_per_iteration": 0.5, "bytes_per_iteration": 25e9, "copy_bytes_per_second": 1e11}
        hidden = {**entry, "solver": "fcg", "seconds_per_iteration": None, "failure": "the noise hides it"}

        good, failed = self.adapt("solver", entry, hidden, arguments=["solver", "--diagonal"])["results"]

        self.assertEqual((good["case"]["phase"], good["case"]["preconditioner"]), ("iteration", "diagonal"))
        self.assertEqual((good["fraction_of_copy"], good["launches"], good["problem"]["nonzeros"]), (0.5, 3.5, 9))
        self.assertEqual(result_files.status_of(failed), "failed")

    def test_adapts_other_commands(self):
        symv = {"operation": "symv", "size": [8], "seconds": 2.0, "vendor_seconds": 1.0, "bytes": 1e9,
                "operations": 4e9, "copy_bytes_per_second": 1e9}
        reuse = {"matrix": "m", "by": "  with its structure", "seconds": 2.0, "operations": 4e9}
        for command, new_name, entry, case, more in (
                ("dense", "blas", symv,
                 {"operation": "symv", "size": "8", "library": "spruce"}, {"gflops": 2.0, "fraction_of_copy": 0.5}),
                ("spgemm", "sparse-blas", reuse,
                 {"operation": "spgemm, known structure", "library": "spruce"}, {"gflops": 2.0}),
                ("conversions", "conversion", {"matrix": "m", "spmv_seconds": 2.0, "operations": []},
                 {"operation": "spmv", "matrix": "m"}, {"seconds_median": 2.0}),
                ("zoo", "zoo", {"structure": "fem", "operation": "csr transpose", "not_measured": "no memory"},
                 {"operation": "csr transpose", "matrix": "fem", "entries": 100}, {"skipped": "no memory"})):
            with self.subTest(command):
                found = self.adapt(command, entry, entries=100.0)
                self.assertEqual(found["command"], new_name)
                first = found["results"][0]
                self.assertEqual({key: first["case"][key] for key in case}, case)
                self.assertEqual({key: first[key] for key in more}, more)

    def test_status_tells_wrong_results_and_ends_of_solves(self):
        for more, status in (({}, "good"), ({"correct": False}, "wrong"), ({"failure": "x"}, "failed"),
                             ({"facts": {"outcome": "breakdown"}}, "breakdown")):
            self.assertEqual(result_files.status_of({"seconds_median": 1.0, **more}), status)


class Statistics(unittest.TestCase):
    def test_operations_of_several_libraries_are_a_table_of_their_own(self):
        pairs = (("ilu", "spruce"), ("ilu", "cusparse"), ("ic", "spruce"))
        results = [{"case": {"operation": "generate", "preconditioner": name, "library": library}, "seconds_median": 1}
                   for name, library in pairs]

        groups = result_statistics.groups_of({"results": results})

        found = [(group.alternative, len(group.cells)) for group in groups]
        self.assertEqual(found, [("library", 2), ("", 1)])


    def test_ratio_statistics(self):
        found = result_statistics.ratio_statistics([0.5, 1.0, 1.05, 1.1, 2.0])

        self.assertEqual(found["count"], 5)
        self.assertEqual([found[key] for key in ("quartile 1", "median", "quartile 3")], [1.0, 1.05, 1.1])
        # The place of the quantile 5 % is 0.2 of the way from the first to the second of five values.
        self.assertAlmostEqual(found["5 %"], 0.6)
        self.assertAlmostEqual(found["95 %"], 1.1 + 0.8 * 0.9)
        self.assertEqual([found[f"within {limit} %"] for limit in (3, 5, 10)], [0.2, 0.4, 0.6])
        self.assertAlmostEqual(result_statistics.ratio_statistics([0.5, 2.0])["geometric mean"], 1.0)

    def test_ratios_are_those_of_equal_cases_that_are_good(self):
        before, after = ([{"case": {"matrix": name}, "seconds_median": seconds, **more}
                          for name, seconds, more in results]
                         for results in ([("a", 1.0, {}), ("b", 2.0, {}), ("c", 1.0, {"correct": False})],
                                         [("b", 3.0, {}), ("c", 1.0, {}), ("d", 1.0, {})]))

        self.assertEqual(result_statistics.common_ratios(before, after), [(1.5, before[1])])

    def test_performance_profile(self):
        times = {"p1": {"a": 1.0, "b": 2.0}, "p2": {"a": 3.0, "b": 1.0}, "p3": {"a": 5.0}, "p4": {}}

        self.assertEqual(result_statistics.performance_profile(times), ({"a": [1.0, 1.0, 3.0], "b": [1.0, 2.0]}, 3))

    def test_shortest_time_of_good_results_is_best(self):
        results = [product("m", "csr", 2.0), product("m", "coo", 1.0, correct=False), product("m", "ell", 3.0)]
        for result in results:
            result_files.complete(result, None)

        [group] = result_statistics.groups_of({"results": results})

        self.assertEqual((group.columns, group.get_best(group.rows[0])), (["csr", "coo", "ell"], "csr"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
