#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the program spruce-bench: spruce_bench.py PROGRAM FOLDER_OF_MATRICES all|minimal (SPRUCE_TYPES of the build)"""

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, MATRICES, TYPES = sys.argv[1:4]
IS_MINIMAL = TYPES == "minimal"

SUCCESS, SOMETHING_FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130


def matrix(name):
    return os.path.join(MATRICES, name + ".mtx.gz")


class SpruceBench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name, content=None):
        path = os.path.join(self.folder, name)
        if content is not None:
            with open(path, "w", encoding="ascii") as file:
                file.write(content)
        return path

    def bench(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=600, check=False)

    def spmv(self, *arguments):
        return self.bench("spmv", "--executor", "reference", "--repetitions", "2", *arguments)

    def spmv_json(self, *arguments):
        path = self.path("result.json")
        run = self.spmv("--json", path, *arguments)
        with open(path, encoding="utf-8") as file:
            return run, json.load(file)

    def test_prints_table_with_winner_of_each_matrix(self):
        run = self.spmv(matrix("1138_bus"), matrix("add20"))

        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        for text in ["matrix", "GFLOP/s", "of copy", "1138_bus", "4054", "add20", "17319", "csr", "coo"]:
            self.assertIn(text, run.stdout)
        self.assertEqual(run.stdout.count("<- best"), 2, run.stdout)
        self.assertNotIn("WRONG", run.stdout)
        self.assertIn("1138_bus: csr", run.stderr)

    def test_measures_conversions_in_spmvs(self):
        path = self.path("conversions.json")
        run = self.bench("conversions", "--executor", "omp", "--repetitions", "2", "--json", path, matrix("1138_bus"))
        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        with open(path, encoding="utf-8") as file:
            (result,) = json.load(file)["results"]

        operations = {one["operation"]: one for one in result["operations"]}
        for name in ["csr -> coo", "coo -> csr", "csr -> hybrid", "hybrid -> csr", "csr -> sparsity_csr",
                     "csr -> fbcsr, blocks of 2", "fbcsr, blocks of 2 -> csr", "csr -> dense", "dense -> csr", "transpose",
                     "sort shuffled rows", "sum duplicates, 2 each"]:
            self.assertIn(name, run.stdout)
            one = operations[name]
            self.assertAlmostEqual(one["spmvs"], one["seconds"] / result["spmv_seconds"])
        self.assertEqual(result["nonzeros"], 4054)

    def results_of(self, *arguments, executor="omp", repetitions=2):
        path = self.path("results.json")
        run = self.bench(*arguments, "--executor", executor, "--repetitions", str(repetitions), "--json", path)
        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        with open(path, encoding="utf-8") as file:
            return json.load(file)["results"]

    def test_measures_products_of_sparse_matrices(self):
        product, again = self.results_of("spgemm", "--gen", "tridiagonal:100")

        # A A has five diagonals. For each entry of A, a row of A is multiplied and added.
        self.assertEqual((product["entries"], product["operations"]), (494, 2 * (98 * 9 + 2 * 4)))
        self.assertEqual((again["by"], again["entries"]), ("with its structure", 494))
        self.assertEqual(again["workspace_bytes"], 0)

    def test_measures_triangular_solves(self):
        lower, upper = self.results_of("preconditioner", "--gen", "tridiagonal:100", "--operators",
                                       "lower-triangle,upper-triangle")

        self.assertEqual((lower["operator"], upper["operator"]), ("lower-triangle", "upper-triangle"))
        for result in lower, upper:
            self.assertEqual((result["by"], result["levels"], result["entries"]), ("Spruce", 100, 199))
            self.assertLess(result["residual"], 1e-15)

    def test_measures_preconditioners(self):
        symmetric = self.results_of("preconditioner", "--gen", "poisson2d-5pt:8", "--operators", "none,jacobi-1,ic,ilu")
        general = self.results_of("preconditioner", matrix("add20"), "--operators", "ic,ilu")

        self.assertEqual([(one["operator"], one["solver"]) for one in symmetric],
                         [("none", "Cg"), ("jacobi-1", "Cg"), ("ilu", "Cg"), ("ic", "Cg")])
        none, jacobi, ilu, ic = [one["iterations"] for one in symmetric]
        self.assertEqual((none, ilu), (jacobi, ic))  # the diagonal is constant, and L U = L L^T
        self.assertLess(ic, none)
        self.assertEqual([(one["operator"], one["solver"]) for one in general], [("ilu", "Bicgstab")])
        for one in [*symmetric, *general]:
            self.assertEqual(one["outcome"], "converged")
            self.assertLess(one["relative_residual"], 1.01e-8)

    def test_measures_dense_operations(self):
        gemv, symv = self.results_of("dense", "64x32x1", "symv:64")

        self.assertEqual((gemv["size"], gemv["operations"]), ([64, 32, 1], 2 * 64 * 32))
        self.assertEqual((symv["operation"], symv["size"]), ("symv", [64]))

    def test_measures_an_iteration_of_a_solver(self):
        (result,) = self.results_of("solver", "--gen", "poisson2d-5pt:30", "--iterations", "20", executor="reference")

        self.assertEqual((result["format"], result["solver"], result["nonzeros"]), ("csr", "cg", 4380))
        # The matrix and eleven vectors are read or written.
        self.assertEqual(result["bytes_per_iteration"], 4380 * (8 + 4) + 901 * 4 + 11 * 900 * 8)
        self.assertGreater(result["seconds_per_iteration"], 0)
        self.assertGreaterEqual(result["standard_error"], 0)
        self.assertLess(result["standard_error"], result["seconds_per_iteration"])
        self.assertGreater(result["time_over_model"], 0)
        # 15 iterations of such a small system take far less than ten milliseconds.
        self.assertGreater(result["solves_per_measurement"], 1)

    def test_time_of_an_iteration_is_never_negative(self):
        # The iterations of a solve take less time than its start and end.
        path = self.path("small.json")
        for executor in ["reference", "omp"]:
            run = self.bench("solver", "--gen", "tridiagonal:10", "--iterations", "4", "--repetitions", "1", "--executor",
                             executor, "--json", path)

            with open(path, encoding="utf-8") as file:
                (result,) = json.load(file)["results"]
            if run.returncode == SUCCESS:
                self.assertGreater(result["seconds_per_iteration"], 0)
            else:
                self.assertEqual(run.returncode, SOMETHING_FAILED)
                self.assertIsNone(result["seconds_per_iteration"])
                self.assertIsNone(result["time_over_model"])
                self.assertIn("the noise hides the time of an iteration", result["failure"])
                self.assertIn(result["failure"], run.stdout)

    def test_measures_several_solvers(self):
        def measure(*arguments):
            # One thread, so that other programs on the machine disturb little.
            return self.results_of("solver", "--gen", "poisson2d-5pt:30", "--iterations", "8", *arguments, executor="reference")

        results = measure("--solvers", "bicgstab,gmres")
        run = self.bench("solver", "--gen", "poisson2d-5pt:30", "--iterations", "8", "--detailed")
        unknown = self.bench("solver", "--gen", "poisson2d-5pt:30", "--solvers", "cg,magic")
        stationary = measure("--solvers", "chebyshev,ir")
        formats = measure("--formats", "csr,sellp")
        path = self.path("ended.json")
        ended = self.bench("solver", "--gen", "poisson2d-5pt:3", "--iterations", "400", "--solvers", "cg,ir", "--json", path)

        self.assertEqual([result["solver"] for result in results], ["bicgstab", "gmres"])
        self.assertIn("MB moved", run.stdout)
        self.assertEqual([result["solver"] for result in stationary], ["chebyshev", "ir"])
        self.assertEqual(ended.returncode, SOMETHING_FAILED)
        self.assertIn("the solve ended after", ended.stdout)
        with open(path, encoding="utf-8") as file:
            self.assertIn("the solve ended after", json.load(file)["results"][0]["failure"])
        self.assertEqual([result["format"] for result in formats], ["csr", "sellp"])
        self.assertEqual(unknown.returncode, WRONG_USAGE)
        self.assertIn("magic", unknown.stderr)

    def test_solves_systems_from_practice_accurately(self):
        symmetric = "cg,fcg,pipe_cg,minres"
        general = "bicg,bicgstab,cgs,gmres,cb_gmres,gcr,idr"
        for executor in ["reference", "omp"]:
            results = []
            for solvers, name in [(symmetric, "1138_bus"), (general, "add20")]:
                results += self.results_of("solver", "--until", "convergence", "--diagonal", "--solvers", solvers,
                                           matrix(name), executor=executor, repetitions=1)

            self.assertEqual(",".join(result["solver"] for result in results), symmetric + "," + general)
            for result in results:
                with self.subTest(executor=executor, solver=result["solver"]):
                    self.assertEqual(result["outcome"], "converged")
                    self.assertLessEqual(result["relative_residual"], 1.02e-10)

    def test_solves_with_stationary_iterations(self):
        results = self.results_of("solver", "--until", "convergence", "--solvers", "chebyshev,ir", "--gen",
                                  "poisson2d-5pt:9", "--diagonal")

        self.assertEqual([result["outcome"] for result in results], ["converged"] * 2)

    def test_solves_in_each_format_with_the_default_solvers(self):
        results = self.results_of("solver", "--until", "convergence", "--formats", "coo,csr,ell,hybrid,sellp", "--gen",
                                  "poisson2d-5pt:9")

        self.assertEqual([(result["format"], result["solver"]) for result in results],
                         [(format, solver) for format in ["coo", "csr", "ell", "hybrid", "sellp"]
                          for solver in ["cg", "bicgstab", "gmres"]])
        for result in results:
            self.assertEqual(result["outcome"], "converged")
            self.assertGreater(result["seconds"], 0)

    def test_options_of_the_other_way_to_measure_solvers_are_refused(self):
        for until, options in [("iterations", [["--tolerance", "1e-3"], ["--max-iterations", "9"], ["--diagonal"]]),
                               ("convergence", [["--iterations", "9"], ["--detailed"]])]:
            other = "iterations" if until == "convergence" else "convergence"
            for option in options:
                with self.subTest(until=until, option=option[0]):
                    run = self.bench("solver", "--until", until, *option, "--gen", "poisson2d-5pt:9")

                    self.assertEqual(run.returncode, WRONG_USAGE)
                    self.assertIn(f"{option[0]} needs --until {other}, but it is --until {until}", run.stderr)
                    self.assertEqual(run.stdout, "")
        by_default = self.bench("solver", "--tolerance", "1e-3", "--gen", "poisson2d-5pt:9")
        unknown = self.bench("solver", "--until", "dawn", "--gen", "poisson2d-5pt:9")

        self.assertIn("--tolerance needs --until convergence, but it is --until iterations", by_default.stderr)
        self.assertEqual(unknown.returncode, WRONG_USAGE)
        for text in ["dawn", "iterations", "convergence"]:
            self.assertIn(text, unknown.stderr)

    def test_help_of_solvers_says_the_defaults(self):
        run = self.bench("solver", "--help")

        self.assertEqual(run.returncode, SUCCESS)
        text = " ".join(run.stdout.split())
        for part in ["=cg; until convergence: cg, bicgstab, gmres", "=5; until convergence: 1", "--until convergence"]:
            self.assertIn(part, text)

    def test_says_why_a_solve_ended(self):
        arguments = ["solver", "--until", "convergence", "--solvers", "cg", "--gen", "poisson2d-5pt:30"]
        (short,) = self.results_of(*arguments, "--max-iterations", "3")
        run = self.bench(*arguments, "--tolerance", "0")

        self.assertEqual((short["outcome"], short["iterations"]), ("iteration limit", 3))
        self.assertGreater(short["relative_residual"], 1e-10)
        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        self.assertIn("stagnation", run.stdout)

    def test_conversions_want_a_matrix(self):
        run = self.bench("conversions")

        self.assertEqual(run.returncode, WRONG_USAGE)
        self.assertIn("no matrix is given", run.stderr)

    def test_zoo_measures_all_structures_and_sorts_them(self):
        path = self.path("zoo.json")

        run = self.bench("zoo", "--executor", "reference", "--entries", "400", "--repetitions", "1", "--json", path)

        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        with open(path, encoding="utf-8") as file:
            results = json.load(file)["results"]
        structures = {result["structure"] for result in results}
        self.assertLessEqual({"7-point", "dense-row", "1-row", "tall", "1-column", "hypersparse", "r-mat", "dense"}, structures)
        measured = [result["time_over_least"] for result in results if "seconds" in result]
        self.assertEqual(measured, sorted(measured, reverse=True))
        self.assertGreater(min(measured), 0)
        operations = {result["operation"] for result in results if "seconds" in result}
        self.assertLessEqual({"csr automatical apply, 64", "ell apply, 1", "csr scale_add", "csr multiply", "csr is_sorted",
                              "sellp -> csr", "csr sort, reversed", "triples sort_row_major", "dense tall apply, 4",
                              "dense norm2, 1 row"}, operations)
        for result in results:
            if "not_measured" in result:
                self.assertRegex(result["not_measured"], "padding|too large|diagonal entries have to be stored", result)

    def test_zoo_measures_only_what_is_asked_for(self):
        path = self.path("zoo_part.json")

        run = self.bench("zoo", "--executor", "reference", "--entries", "400", "--repetitions", "1", "--structures", "arrow,chain",
                         "--operations", "csr scale", "--json", path)

        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        with open(path, encoding="utf-8") as file:
            results = json.load(file)["results"]
        self.assertEqual({(result["structure"], result["operation"]) for result in results},
                         {(structure, operation) for structure in ["arrow", "chain"]
                          for operation in ["csr scale", "csr scale_add", "csr scale_permute rows"]})
        for arguments, message in [(["--structures", "arow"], "arrow"), (["--entries", "5"], "Value 5 not in range"),
                                   (["--value-type", "cfloat"], "cfloat/int32")]:
            with self.subTest(arguments):
                run = self.bench("zoo", "--executor", "reference", *arguments)
                self.assertEqual(run.returncode, WRONG_USAGE)
                self.assertIn(message, run.stdout + run.stderr)

    def test_json_names_what_reproduces_it(self):
        for command in [["spmv", "--gen", "tridiagonal:10"], ["conversions", "--gen", "tridiagonal:10"],
                        ["solver", "--until", "convergence", "--gen=tridiagonal:10"], ["spgemm", matrix("1138_bus")],
                        ["dense", "8x8x8"], ["preconditioner", "--gen=tridiagonal:10"]]:
            with self.subTest(command[0]):
                path = self.path("arguments.json")
                arguments = [*command, "--executor", "reference", "--repetitions", "1", "--json", path]

                run = self.bench(*arguments)

                self.assertEqual(run.returncode, SUCCESS, run.stderr)
                with open(path, encoding="utf-8") as file:
                    result = json.load(file)
                self.assertEqual(result["program"], "spruce-bench")
                self.assertEqual(result["arguments"], arguments)
                self.assertRegex(result["commit"], "^[0-9A-Za-z._+-]+$")
                for key in ["version", "compiler", "device", "processor", "threads", "date"]:
                    self.assertTrue(result[key], key)

    def test_json_holds_all_facts(self):
        run, result = self.spmv_json(matrix("1138_bus"), "--gen", "poisson2d-5pt:9x4")

        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        self.assertEqual(result["executor"], "reference")
        self.assertEqual((result["value_type"], result["index_type"], result["nrhs"]), ("double", "int32", 1))
        self.assertFalse(result["interrupted"])
        self.assertGreater(result["copy"]["gigabytes_per_second"], 0)
        self.assertEqual([m["name"] for m in result["matrices"]], ["poisson2d-5pt:9x4", "1138_bus"])
        bus = result["matrices"][1]
        self.assertEqual((bus["rows"], bus["columns"], bus["nonzeros"], bus["longest_row"]), (1138, 1138, 4054, 18))
        self.assertEqual([f["format"] for f in bus["formats"]], ["csr", "coo", "sellp", "hybrid"])
        self.assertEqual(sum(f["winner"] for f in bus["formats"]), 1)
        csr = bus["formats"][0]
        self.assertEqual(len(csr["seconds"]), 2)
        self.assertEqual(csr["storage_bytes"], 4054 * 12 + 1139 * 4)
        self.assertEqual(csr["moved_bytes"], csr["storage_bytes"] + 2 * 1138 * 8)
        self.assertEqual(csr["flops"], 2 * 4054)
        self.assertAlmostEqual(csr["gflops"], 2e-9 * 4054 / csr["seconds_median"])
        self.assertLessEqual(csr["seconds_min"], csr["seconds_median"])
        self.assertLessEqual(csr["error"], csr["error_bound"])

    def test_json_on_standard_output_is_alone_there(self):
        run = self.spmv("--json", "-", "--nrhs", "3", matrix("1138_bus"))

        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        self.assertEqual(json.loads(run.stdout)["nrhs"], 3)
        self.assertIn("<- best", run.stderr)

    def test_complex_matrix_is_measured_in_complex_type(self):
        run, result = self.spmv_json(matrix("mhd1280b"))

        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        measured = result["matrices"][0]
        self.assertEqual(measured["value_type"], "cdouble")
        if IS_MINIMAL:
            self.skipTest("built without complex types")
        self.assertEqual(measured["formats"][0]["flops"], 8 * 22778)

    def test_matrix_of_a_type_that_was_not_built_is_skipped(self):
        if not IS_MINIMAL:
            self.skipTest("all types are built")

        run, result = self.spmv_json(matrix("mhd1280b"), matrix("1138_bus"))

        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        skipped, measured = result["matrices"]
        self.assertIn("cdouble/int32 is not in this build", skipped["skipped"])
        self.assertNotIn("failure", skipped)
        self.assertEqual(skipped["formats"], [])
        self.assertNotIn("skipped", measured)
        for text in [run.stdout, run.stderr]:
            self.assertIn("skipped: cdouble/int32 is not in this build", text)

    def test_types_that_were_not_built_cannot_be_asked_for(self):
        if not IS_MINIMAL:
            self.skipTest("all types are built")

        for option, name, types in [("--value-type", "cdouble", "cdouble/int32"), ("--index-type", "int64", "double/int64")]:
            with self.subTest(name):
                run = self.spmv(option, name, matrix("1138_bus"))

                self.assertEqual(run.returncode, WRONG_USAGE)
                self.assertIn(types + " is not in this build", run.stderr)
                self.assertEqual(run.stdout, "")

    def test_unknown_names_are_refused_with_the_nearest(self):
        for arguments, fault in [(["--formats", "csr,co"], "unknown format 'co': did you mean 'coo'?"),
                                 (["--executor", "omb"], "unknown executor 'omb': did you mean 'omp'?"),
                                 (["--value-type", "doubel"], "unknown value type 'doubel': did you mean 'double'?"),
                                 (["--gen", "rmatt:3,3"], "unknown family 'rmatt': did you mean 'rmat'?")]:
            with self.subTest(fault):
                run = self.bench("spmv", matrix("1138_bus"), *arguments)

                self.assertEqual(run.returncode, WRONG_USAGE)
                self.assertIn(fault, run.stderr)
                self.assertIn("Accepted are ", run.stderr)
                self.assertEqual(run.stdout, "")

    def test_unknown_command_is_refused(self):
        for name, nearest in [("spvm", "spmv"), ("solve", "solver")]:
            run = self.bench(name)

            self.assertEqual(run.returncode, WRONG_USAGE)
            self.assertIn(f"did you mean '{nearest}'?", run.stderr)

    def test_executor_that_is_not_there_is_refused(self):
        run = self.bench("spmv", "--executor", "cuda", "--device", "99", matrix("1138_bus"))

        self.assertEqual(run.returncode, WRONG_USAGE)
        self.assertIn("the executor cuda cannot be used here", run.stderr)

    def test_no_matrix_is_refused(self):
        run = self.spmv()

        self.assertEqual(run.returncode, WRONG_USAGE)
        self.assertIn("no matrix is given", run.stderr)

    def test_json_path_that_cannot_be_written_shows_at_once(self):
        run = self.spmv("--json", os.path.join(self.folder, "none", "x.json"), matrix("1138_bus"))

        self.assertEqual(run.returncode, SOMETHING_FAILED)
        self.assertIn("cannot be written", run.stderr)
        self.assertNotIn("1138_bus", run.stdout)

    def test_malformed_file_is_reported_and_others_go_on(self):
        malformed = self.path("bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 3\n")

        run, result = self.spmv_json(malformed, self.path("absent.mtx"), matrix("1138_bus"))

        self.assertEqual(run.returncode, SOMETHING_FAILED)
        self.assertIn("bad.mtx:3: row index 0", run.stdout)
        self.assertIn("bad.mtx:3: row index 0", result["matrices"][0]["failure"])
        self.assertIn("absent.mtx", result["matrices"][1]["failure"])
        self.assertNotIn("failure", result["matrices"][2])
        self.assertIn("<- best", run.stdout)

    def test_faults_of_a_file_that_can_be_read_are_reported(self):
        banner = "%%MatrixMarket matrix coordinate real "
        both = self.path("both.mtx", banner + "symmetric\n2 2 4\n1 1 4\n2 1 1\n1 2 1\n2 2 4\n")
        mixed = self.path("mixed.mtx", banner + "symmetric\n3 3 5\n1 1 4\n2 1 1\n2 2 4\n2 3 1\n3 3 4\n")
        twice = self.path("twice.mtx", banner + "symmetric\n2 2 4\n1 1 4\n2 1 1\n2 1 1\n2 2 4\n")
        infinite = self.path("infinite.mtx", banner + "general\n2 2 2\n1 1 inf\n2 2 4\n")
        symmetry = "the header names a symmetry, but both triangles are stored"
        duplicates = "2 at the place of an earlier one (first: entry 2)"

        for command in ["spmv", "conversions", "solver", "files"]:
            executor = [] if command == "files" else ["--executor", "reference"]
            run = self.bench(command, *executor, "--repetitions", "1", both, mixed, twice, infinite)

            self.assertEqual(run.stderr.count("both.mtx: " + duplicates + "; " + symmetry), 1, run.stderr)
            self.assertEqual(run.stderr.count(symmetry), 1, run.stderr)
            self.assertEqual(run.stderr.count("twice.mtx: " + duplicates), 1, run.stderr)
            self.assertEqual(run.stderr.count("infinite.mtx: 1 infinite or not a number"), 1, run.stderr)
            self.assertNotIn("mixed.mtx: ", run.stderr.replace("mixed.mtx: reading", ""))

    def test_malformed_parameters_are_reported_and_others_go_on(self):
        run, result = self.spmv_json("--gen", "rmat:x", matrix("1138_bus"))

        self.assertEqual(run.returncode, SOMETHING_FAILED)
        self.assertIn("rmat", result["matrices"][0]["failure"])
        self.assertNotIn("failure", result["matrices"][1])

    def test_format_that_cannot_serve_says_why_and_others_go_on(self):
        run, result = self.spmv_json("--formats", "cusparse-csr,csr", matrix("1138_bus"))

        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        formats = result["matrices"][0]["formats"]
        self.assertEqual(formats[0]["failure"], "there is no cusparse-csr on reference")
        self.assertTrue(formats[1]["winner"])
        self.assertIn("there is no cusparse-csr on reference", run.stdout)

    def test_matrices_without_entries_rows_or_columns_are_measured(self):
        empty = "%%MatrixMarket matrix coordinate real general\n{} {} 0\n"

        run, result = self.spmv_json("--gen", "empty:5", self.path("no_rows.mtx", empty.format(0, 3)),
                                     self.path("no_columns.mtx", empty.format(3, 0)))

        self.assertEqual(run.returncode, SUCCESS, run.stdout)
        for measured in result["matrices"]:
            for format in measured["formats"]:
                self.assertEqual(format["error"], 0)

    def test_all_formats_of_the_host_agree_with_the_reference(self):
        # The matrix has blocks and needs little padding.
        run, result = self.spmv_json("--formats", "all", "--nrhs", "2", "--gen", "fem-block:6x5x4,3")

        self.assertEqual(run.returncode, SUCCESS, run.stdout)
        formats = {f["format"]: f for f in result["matrices"][0]["formats"]}
        self.assertIn("eigen-csr", formats)
        for name, format in formats.items():
            self.assertTrue(format.get("correct") or "Eigen" in format.get("failure", ""), name)

    def test_interrupt_leaves_valid_json_of_what_was_done(self):
        for number in [signal.SIGINT, signal.SIGTERM]:
            with self.subTest(number):
                path = self.path("interrupted.json")
                run = subprocess.Popen([PROGRAM, "spmv", "--executor", "reference", "--repetitions", "10000000",
                                        "--json", path, matrix("1138_bus"), matrix("add20")],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                while "1138_bus: measuring" not in run.stderr.readline():
                    self.assertIsNone(run.poll(), "ended before it could be interrupted")
                time.sleep(0.3)
                run.send_signal(number)
                output, _ = run.communicate(timeout=60)

                self.assertEqual(run.returncode, INTERRUPTED)
                self.assertIn("interrupted", output)
                with open(path, encoding="utf-8") as file:
                    result = json.load(file)
                self.assertTrue(result["interrupted"])
                self.assertEqual([m["name"] for m in result["matrices"]], ["1138_bus"])
                self.assertGreater(len(result["matrices"][0]["formats"][0]["seconds"]), 0)
                self.assertEqual(os.listdir(self.folder), ["interrupted.json"])

    def test_measures_reading_and_writing_of_files(self):
        run = self.bench("files", "--repetitions", "1", "--gen", "poisson2d-5pt:20", matrix("add20"))

        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        rows = [line.split() for line in run.stdout.splitlines() if " text " in line or " binary " in line]
        self.assertEqual([(row[0], row[1], row[2]) for row in rows],
                         [("poisson2d-5pt:20", "1920", "text"), ("poisson2d-5pt:20", "1920", "binary"),
                          ("add20", "17319", "text"), ("add20", "17319", "binary")])
        for row in rows:
            self.assertGreater(min(float(row[-2]), float(row[-1])), 0)

    def test_no_thread_gets_much_more_work_than_others(self):
        path = self.path("balance.json")
        run = self.bench("spmv", "--executor", "omp", "--formats", "csr", "--repetitions", "1", "--json", path,
                         "--gen", "rmat:14,16", "--gen", "arrow:100000")

        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        with open(path, encoding="utf-8") as file:
            matrices = json.load(file)["matrices"]
        self.assertEqual(len(matrices), 2)
        for one in matrices:
            self.assertLess(one["formats"][0]["imbalance"], 1.2, one)
            self.assertGreaterEqual(one["formats"][0]["imbalance"], 1, one)

    def test_help_has_examples(self):
        run = self.bench("spmv", "--help")

        self.assertEqual(run.returncode, SUCCESS)
        for text in ["Examples:", "--repetitions", "poisson3d-7pt", "eigen-csr"]:
            self.assertIn(text, run.stdout)

    def test_help_marks_the_formats_that_are_measured_by_default(self):
        help = self.bench("spmv", "--help").stdout
        _, result = self.spmv_json("--gen", "tridiagonal:100")

        marked = [line.split()[1] for line in help.splitlines() if line.startswith("* ")]
        measured = [format["format"] for format in result["matrices"][0]["formats"]]
        self.assertEqual(marked, measured)

    def test_bar_is_drawn_on_terminals_only(self):
        arguments = [PROGRAM, "spmv", "--executor", "reference", "--repetitions", "2", matrix("1138_bus")]
        terminal, end = pty.openpty()
        with os.fdopen(terminal, "rb", buffering=0) as drawn, subprocess.Popen(
                arguments, stdout=subprocess.PIPE, stderr=end) as run:
            os.close(end)
            bar = b""
            with contextlib.suppress(OSError):  # the end of a terminal
                while block := drawn.read(4096):
                    bar += block
            table, _ = run.communicate(timeout=60)
        plain = self.spmv(matrix("1138_bus"))

        self.assertEqual(run.returncode, SUCCESS, bar)
        self.assertIn(b"\r\033[K[...", bar)
        self.assertIn(b"#####", bar)
        self.assertTrue(bar.endswith(b"\r\033[K"), "the bar stays behind")
        self.assertNotIn(b"\033", table)
        for text in [plain.stdout, plain.stderr]:
            self.assertNotIn("\r", text)
            self.assertNotIn("\033", text)

    def test_copy_prints_a_bandwidth(self):
        run = self.bench("copy", "--executor", "reference", "--repetitions", "1")

        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        self.assertIn("GB/s", run.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
