#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the program spruce-bench: spruce_bench.py PROGRAM FOLDER_OF_MATRICES all|minimal (SPRUCE_TYPES of the build)"""

import contextlib
import functools
import gzip
import json
import os
import pty
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, MATRICES, TYPES = sys.argv[1:4]
IS_MINIMAL = TYPES == "minimal"

SUCCESS, SOMETHING_FAILED, WRONG_USAGE, SOME_CASE_IS_SLOW, INTERRUPTED = 0, 1, 2, 3, 130


def matrix(name):
    return os.path.join(MATRICES, name + ".mtx.gz")


FOLDER = tempfile.TemporaryDirectory()
NUMBER = (int, float)


def run_bench(*arguments, **more):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=600, check=False, **more)


def check_document(document):
    """Raises AssertionError if a document is not as doc/benchmark_schema.md says."""
    assert document["schema"] == 2 and document["program"] == "spruce-bench"
    assert document["command"] == document["arguments"][0]
    for key in ["version", "commit", "date", "compiler", "executor", "device", "processor", "threads", "repetitions", "options"]:
        assert document[key], key
    assert isinstance(document["warmup"], int) and isinstance(document["cold_cache"], bool)
    assert isinstance(document["interrupted"], bool)
    if "copy" in document:
        assert document["copy"]["gigabytes_per_second"] > 0 and document["copy"]["array_bytes"] > 0 and document["copy"]["method"]
    cases = [json.dumps(one["case"]) for one in document["results"]]
    assert len(set(cases)) == len(cases), "two results have the same case"
    for one in document["results"]:
        check_result(one)


def check_result(one):
    assert isinstance(one["case"]["operation"], str)
    assert all(isinstance(value, (str, int)) for value in one["case"].values()), one
    assert isinstance(one.get("problem", {}), dict) and isinstance(one.get("facts", {}), dict)
    keys = {"case", "problem", "failure", "skipped", "seconds", "calls", "seconds_median", "seconds_min", "seconds_max",
            "seconds_interval", "bytes", "flops", "gigabytes_per_second", "gflops", "fraction_of_copy", "launches", "host_waits",
            "error", "error_bound", "correct", "facts"}
    assert set(one) <= keys, set(one) - keys
    if "failure" in one or "skipped" in one:
        assert "seconds" not in one and (one.get("failure") or one.get("skipped")), one
        return
    assert one["seconds"] and one["calls"] >= 1, one
    assert one["seconds_min"] <= one["seconds_median"] <= one["seconds_max"], one
    assert one["seconds_min"] == min(one["seconds"]) and one["seconds_max"] == max(one["seconds"]), one
    assert ("seconds_interval" in one) == (len(one["seconds"]) >= 6), one
    if "seconds_interval" in one:
        low, high = one["seconds_interval"]
        assert one["seconds_min"] <= low <= one["seconds_median"] <= high <= one["seconds_max"], one
    for amount, rate in [("bytes", "gigabytes_per_second"), ("flops", "gflops")]:
        assert (amount in one) == (rate in one), one
        if amount in one:
            assert abs(one[rate] - 1e-9 * one[amount] / one["seconds_median"]) <= 1e-3 * one[rate], one
    assert isinstance(one["launches"], NUMBER) and isinstance(one["host_waits"], NUMBER), one
    if "correct" in one:
        assert one["correct"] == (one["error"] is not None and one["error"] <= one["error_bound"]), one


@functools.lru_cache(maxsize=None)
def measure(command, *arguments, executor="omp", repetitions=1):
    """Returns the run of a command and its document, which is checked. Equal runs are shared."""
    path = os.path.join(FOLDER.name, "result.json")
    on = [] if command == "files" else ["--executor", executor]
    run = run_bench(command, *on, "--warmup", "0", "--repetitions", str(repetitions), "--json", path, *arguments)
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    check_document(document)
    return run, document


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

    def link(self, name, target):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.symlink(os.path.abspath(target), path)
        return path

    def load(self, path):
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        check_document(document)
        return document

    def bench(self, *arguments):
        return run_bench(*arguments)

    def spmv(self, *arguments):
        return self.bench("spmv", "--executor", "reference", "--repetitions", "2", *arguments)

    def spmv_json(self, *arguments):
        return measure("spmv", *arguments, executor="reference", repetitions=2)

    def results_of(self, *arguments, executor="omp", repetitions=1):
        """Returns the results of a run that succeeds, without those of skipped cases."""
        run, document = measure(*arguments, executor=executor, repetitions=repetitions)
        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        return [one for one in document["results"] if "skipped" not in one]

    def two_matrices(self):
        return self.spmv_json("--gen", "poisson2d-5pt:9x4", matrix("1138_bus"))

    # --- what the commands measure

    def test_prints_table_with_winner_of_each_matrix(self):
        run, _ = self.two_matrices()

        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        for text in ["matrix", "GFLOP/s", "of copy", "1138_bus", "4054", "poisson2d-5pt:9x4", "csr", "coo", "double", "copy"]:
            self.assertIn(text, run.stdout)
        self.assertEqual(run.stdout.count("<- best"), 2, run.stdout)
        self.assertNotIn("WRONG", run.stdout)
        self.assertIn("1138_bus: spmv csr", run.stderr)

    def test_json_holds_all_facts(self):
        run, document = self.two_matrices()

        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        self.assertEqual(document["executor"], "reference")
        self.assertFalse(document["interrupted"])
        results = document["results"]
        formats = ["csr", "coo", "sellp", "hybrid"]
        self.assertEqual([(one["case"]["matrix"], one["case"]["format"]) for one in results],
                         [(name, format) for name in ["poisson2d-5pt:9x4", "1138_bus"] for format in formats])
        self.assertEqual(sum(one["facts"]["best"] for one in results), 2)
        csr = results[4]
        self.assertEqual(csr["case"], {"operation": "spmv", "matrix": "1138_bus", "value_type": "double", "index_type": "int32",
                                       "num_rhs": 1, "format": "csr"})
        self.assertEqual(csr["problem"], {"source": matrix("1138_bus"), "rows": 1138, "columns": 1138, "nonzeros": 4054,
                                          "longest_row": 18})
        self.assertEqual(len(csr["seconds"]), 2)
        self.assertEqual(csr["facts"]["storage_bytes"], 4054 * 12 + 1139 * 4)
        self.assertEqual(csr["bytes"], csr["facts"]["storage_bytes"] + 2 * 1138 * 8)
        self.assertEqual((csr["flops"], csr["launches"], csr["host_waits"]), (2 * 4054, 1, 0))
        self.assertTrue(csr["correct"])

    def test_json_names_what_reproduces_it(self):
        _, document = self.two_matrices()

        self.assertEqual(document["arguments"][0], "spmv")
        self.assertEqual(document["arguments"][-1], matrix("1138_bus"))
        self.assertRegex(document["commit"], "^[0-9A-Za-z._+-]+$")
        self.assertEqual(document["options"]["--repetitions"], "2")

    def test_measures_conversions_in_spmvs(self):
        results = self.results_of("conversion", matrix("1138_bus"))

        seconds = {one["case"]["operation"]: one["seconds_median"] for one in results}
        for name in ["csr -> coo", "coo -> csr", "csr -> hybrid", "hybrid -> csr", "csr -> sparsity_csr", "csr -> fbcsr",
                     "fbcsr -> csr", "csr -> dense", "dense -> csr", "transpose", "sort shuffled rows", "sum duplicates, 2 each"]:
            self.assertIn(name, seconds)
        for one in results:
            self.assertAlmostEqual(one["facts"]["spmvs"], one["seconds_median"] / seconds["spmv"])
            self.assertTrue(one.get("correct", True), one)
            self.assertEqual(one["problem"]["nonzeros"], 4054)
        num_bytes = {one["case"]["operation"]: one["bytes"] for one in results}
        csr, coo = 4054 * 12 + 1139 * 4, 4054 * 16
        self.assertEqual(num_bytes["csr -> coo"], csr + coo)
        self.assertEqual(num_bytes["coo -> csr"], csr + coo)
        self.assertEqual(num_bytes["dense -> csr"], 1138 * 1138 * 8 + csr)
        self.assertEqual(num_bytes["transpose"], 2 * csr)
        self.assertEqual(num_bytes["sort triples"], 2 * 2 * coo)

    def test_measures_operations_on_sparse_matrices(self):
        results = self.results_of("sparse-blas", "--gen", "tridiagonal:100")

        product, again, *others = results
        # A A has five diagonals. For each entry of A, a row of A is multiplied and added.
        self.assertEqual((product["facts"]["entries"], product["flops"]), (494, 2 * (98 * 9 + 2 * 4)))
        self.assertEqual((again["case"]["operation"], again["facts"]["entries"]), ("spgemm, known structure", 494))
        self.assertEqual(again["facts"]["workspace_bytes"], 0)
        self.assertEqual([one["case"]["operation"] for one in others], ["spgeam", "transpose", "sort", "permute"])
        self.assertEqual([one["correct"] for one in results], [True] * 6)

    def test_measures_dense_operations(self):
        tasks = ["apply:64x32x1", "gemm-own:8x9x10", "symv:64", "symm:16x3", "syrk:16x3", "syr2k:16x3", "trmm:16x3"]

        results = self.results_of("blas", *tasks)

        self.assertEqual([f"{one['case']['operation']}:{one['case']['size']}" for one in results], tasks)
        self.assertEqual(results[0]["flops"], 2 * 64 * 32)
        self.assertEqual([one["correct"] for one in results], [True] * len(tasks))

    def preconditioned(self, *arguments):
        """Returns the results by preconditioner and phase, and the preconditioners."""
        results = {}
        for one in self.results_of("preconditioner", *arguments):
            results.setdefault(one["case"]["preconditioner"], {})[one["case"]["phase"]] = one
        return results

    def test_measures_triangular_solves(self):
        results = self.preconditioned("--gen", "tridiagonal:100", "--operators", "lower-triangle,upper-triangle")

        self.assertEqual(list(results), ["lower-triangle", "upper-triangle"])
        for phases in results.values():
            self.assertEqual(list(phases), ["generate", "apply"])
            facts = phases["apply"]["facts"]
            self.assertEqual((facts["levels"], facts["entries"]), (100, 199))
            self.assertLess(facts["relative_residual"], 1e-15)
            self.assertTrue(phases["apply"]["correct"])

    def test_measures_factors(self):
        names = ["ilu-factors", "ilu-factors-by-3-sweeps", "ilu-factors-by-5-sweeps"]

        results = self.preconditioned("--gen", "tridiagonal:100", "--operators", ",".join(names))

        self.assertEqual(list(results), names)
        for phases in results.values():
            self.assertEqual(list(phases), ["generate", "refresh"])
        exact, three, five = [results[name]["refresh"]["facts"]["difference"] for name in names]
        self.assertEqual(exact, 0)
        self.assertLess(five, three)
        self.assertLess(three, 0.2)

    def test_reports_factors_that_cannot_be_computed(self):
        singular = self.path("singular.mtx",
                             "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 2 1\n2 1 1\n2 2 1\n")

        _, document = measure("preconditioner", "--operators", "ilu-factors", singular)

        self.assertEqual([one["case"]["phase"] for one in document["results"]], ["generate", "refresh"])
        for one in document["results"]:
            self.assertIn("row 1 has a zero pivot", one["failure"])

    def test_measures_gauss_seidel_and_sor(self):
        names = ["none", "sor", "gauss-seidel", "multicolor-gauss-seidel", "symmetric-sor", "symmetric-gauss-seidel",
                 "symmetric-multicolor-gauss-seidel"]

        results = self.preconditioned("--gen", "poisson3d-7pt:12", "--operators", ",".join(names))

        self.assertEqual(set(results), set(names))
        solves = [results[name]["solve"] for name in names]
        self.assertEqual([one["facts"]["solver"] for one in solves], ["Cg"] + 3 * ["Bicgstab"] + 3 * ["Cg"])
        none, _, _, _, _, natural, multicolor = [one["facts"]["iterations"] for one in solves]
        self.assertLessEqual(natural, multicolor)
        self.assertLess(multicolor, none)
        for one in solves:
            self.assertEqual(one["facts"]["outcome"], "converged")
            self.assertLess(one["facts"]["relative_residual"], 1.01e-8)

    def test_measures_preconditioners(self):
        operators = ["none", "jacobi-1", "ilu", "par-ilu", "par-ilut", "ic", "par-ic", "par-ict", "ilu-isai", "ic-isai", "spd-isai",
                     "lower-isai", "lower-isai-2", "general-isai", "multigrid", "multigrid-pgm"]
        symmetric = self.preconditioned("--gen", "poisson3d-7pt:12", "--operators", ",".join(operators))
        general = self.preconditioned(matrix("add20"), "--operators", "ic,ilu")

        self.assertEqual(list(symmetric), operators)
        none, jacobi, ilu, par_ilu, par_ilut, ic, par_ic, par_ict, *others = [
            symmetric[name]["solve"]["facts"]["iterations"] for name in operators]
        self.assertEqual((none, ilu), (jacobi, ic))  # the diagonal is constant, and L U = L L^T
        self.assertLess(ic, none)
        for by_sweeps in par_ilu, par_ic:
            self.assertLessEqual(by_sweeps, 1.1 * ic)
        for with_fill in par_ilut, par_ict:
            self.assertLess(with_fill, ic)
        for other in others:
            self.assertLessEqual(other, none)
        self.assertEqual(list(general), ["ilu"])  # ic needs a symmetric matrix
        nonsymmetric = ["lower-isai", "lower-isai-2", "general-isai"]
        for phases, solver in [*((symmetric[name], "Bicgstab" if name in nonsymmetric else "Cg") for name in operators),
                               (general["ilu"], "Bicgstab")]:
            facts = phases["solve"]["facts"]
            self.assertEqual((facts["solver"], facts["outcome"]), (solver, "converged"))
            self.assertLess(facts["relative_residual"], 1.01e-8)
        self.assertEqual(list(symmetric["ilu"]), ["generate", "refresh", "apply", "solve"])
        self.assertGreater(symmetric["ilu"]["generate"]["facts"]["storage_bytes"], 0)

    def iteration(self, *arguments):
        return measure("solver", "--gen", "poisson2d-5pt:30", *arguments, executor="reference", repetitions=2)

    def test_measures_an_iteration_of_a_solver(self):
        _, document = self.iteration("--iterations", "20", "--solvers", "cg,bicgstab,gmres,chebyshev,ir")

        results = document["results"]
        self.assertEqual([(one["case"]["format"], one["case"]["solver"], one["case"]["phase"]) for one in results],
                         [("csr", solver, "iteration") for solver in ["cg", "bicgstab", "gmres", "chebyshev", "ir"]])
        measured = [one for one in results if "seconds" in one]
        for one in results:
            if "failure" in one:
                self.assertIn("the noise hides the time of an iteration", one["failure"])
        self.assertGreater(len(measured), len(results) / 2)
        for one in measured:
            self.assertEqual(one["problem"]["nonzeros"], 4380)
            self.assertGreater(one["seconds_median"], 0)
            self.assertLess(one["facts"]["standard_error"], one["seconds_median"])
        # 15 iterations of such a small system take far less than ten milliseconds, if nothing disturbs them.
        self.assertGreater(max(one["calls"] for one in measured), 1)
        for one in measured:
            if one["case"]["solver"] == "cg":
                # The matrix and eleven vectors are read or written.
                self.assertEqual(one["bytes"], 4380 * (8 + 4) + 901 * 4 + 11 * 900 * 8)
                self.assertEqual(one["facts"]["products"], 1)

    def test_time_of_an_iteration_is_never_negative(self):
        # The iterations of a solve take less time than its start and end.
        for executor in ["reference", "omp"]:
            run, document = measure("solver", "--gen", "tridiagonal:10", "--iterations", "4", executor=executor)

            (result,) = document["results"]
            if run.returncode == SUCCESS:
                self.assertGreater(result["seconds_median"], 0)
            else:
                self.assertEqual(run.returncode, SOMETHING_FAILED)
                self.assertIn("the noise hides the time of an iteration", result["failure"])
                self.assertIn(result["failure"], run.stdout)

    def test_solve_that_ends_early_is_a_failure(self):
        run, document = measure("solver", "--gen", "poisson2d-5pt:3", "--iterations", "400", "--solvers", "cg")

        self.assertEqual(run.returncode, SOMETHING_FAILED)
        self.assertIn("the solve ended after", run.stdout)
        self.assertIn("the solve ended after", document["results"][0]["failure"])

    def test_solves_systems_from_practice_accurately(self):
        symmetric = "cg,fcg,pipe_cg,minres"
        general = "bicg,bicgstab,cgs,gmres,cb_gmres,gcr,idr"
        for executor in ["reference", "omp"]:
            results = []
            for solvers, name in [(symmetric, "1138_bus"), (general, "add20")]:
                results += self.results_of("solver", "--until", "convergence", "--diagonal", "--solvers", solvers,
                                           matrix(name), executor=executor)

            self.assertEqual(",".join(one["case"]["solver"] for one in results), symmetric + "," + general)
            for one in results:
                with self.subTest(executor=executor, solver=one["case"]["solver"]):
                    self.assertEqual(one["case"]["preconditioner"], "diagonal")
                    self.assertEqual(one["facts"]["outcome"], "converged")
                    self.assertLessEqual(one["facts"]["relative_residual"], 1.02e-10)

    def test_solves_with_stationary_iterations(self):
        results = self.results_of("solver", "--until", "convergence", "--solvers", "chebyshev,ir", "--gen",
                                  "poisson2d-5pt:9", "--diagonal")

        self.assertEqual([one["facts"]["outcome"] for one in results], ["converged"] * 2)

    def test_solves_in_each_format_with_the_default_solvers(self):
        results = self.results_of("solver", "--until", "convergence", "--formats", "coo,csr,ell,hybrid,sellp", "--gen",
                                  "poisson2d-5pt:9")

        self.assertEqual([(one["case"]["format"], one["case"]["solver"]) for one in results],
                         [(format, solver) for format in ["coo", "csr", "ell", "hybrid", "sellp"]
                          for solver in ["cg", "bicgstab", "gmres"]])
        for one in results:
            self.assertEqual(one["facts"]["outcome"], "converged")

    def test_says_why_a_solve_ended(self):
        arguments = ["solver", "--until", "convergence", "--solvers", "cg", "--gen", "poisson2d-5pt:30"]
        (short,) = self.results_of(*arguments, "--max-iterations", "3")
        run, _ = measure(*arguments, "--tolerance", "0")

        self.assertEqual((short["facts"]["outcome"], short["facts"]["iterations"]), ("iteration limit", 3))
        self.assertGreater(short["facts"]["relative_residual"], 1e-10)
        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        self.assertIn("stagnation", run.stdout)

    def test_measures_copies(self):
        results = self.results_of("copy", executor="reference")

        self.assertEqual([one["case"]["operation"] for one in results], ["copy", "copy", "read"])
        self.assertEqual([one.get("correct") for one in results], [True, True, None])
        self.assertEqual(results[0]["bytes"], 2 * results[0]["facts"]["array_bytes"])

    def test_measures_reading_and_writing_of_files(self):
        results = self.results_of("files", "--gen", "poisson2d-5pt:20", matrix("add20"))

        self.assertEqual([tuple(one["case"][key] for key in ("matrix", "format", "operation")) for one in results],
                         [(name, format, operation) for name in ["poisson2d-5pt:20", "add20"] for format in ["text", "binary"]
                          for operation in ["write", "read"]])
        self.assertEqual(results[0]["problem"]["nonzeros"], 1920)
        self.assertTrue(all(one.get("correct", True) for one in results))

    def all_zoo_results(self, *arguments):
        run, document = measure("zoo", "--entries", "400", *arguments, executor="reference")
        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        return document["results"]

    def zoo_results(self, *arguments):
        return [one for one in self.all_zoo_results(*arguments) if "skipped" not in one]

    def test_zoo_measures_all_structures_and_sorts_them(self):
        results = self.zoo_results("--operations", "apply, 1")

        structures = {one["case"].get("matrix") for one in results}
        self.assertLessEqual({"7-point", "dense-row", "1-row", "tall", "1-column", "hypersparse", "r-mat", "dense"}, structures)
        ratios = [one["facts"]["time_over_least"] for one in results if "matrix" in one["case"]]
        self.assertEqual(ratios, sorted(ratios, reverse=True))
        self.assertGreater(min(ratios), 0)

    def test_zoo_measures_all_operations(self):
        arguments = ["--structures", "7-point,dense-row,1-row,tall,hypersparse,dense"]
        results = self.zoo_results(*arguments)

        operations = {one["case"]["operation"] for one in results}
        self.assertLessEqual({"csr automatical apply, 64", "ell apply, 1", "csr scale_add", "csr multiply", "csr is_sorted",
                              "sellp -> csr", "csr sort, reversed", "triples sort_row_major", "dense tall apply, 4",
                              "dense norm2, 1 row"}, operations)
        for one in self.all_zoo_results(*arguments):
            if "skipped" in one:
                self.assertRegex(one["skipped"], "padding|too large|diagonal entries have to be stored", one)

    def test_zoo_measures_only_what_is_asked_for(self):
        results = self.zoo_results("--structures", "arrow,chain", "--operations", "csr scale")

        self.assertEqual({(one["case"]["matrix"], one["case"]["operation"]) for one in results if "matrix" in one["case"]},
                         {(structure, operation) for structure in ["arrow", "chain"]
                          for operation in ["csr scale", "csr scale_add", "csr scale_permute rows"]})
        for arguments, message in [(["--structures", "arow"], "arrow"), (["--entries", "5"], "Value 5 not in range"),
                                   (["--value-type", "cfloat"], "cfloat/int32")]:
            with self.subTest(arguments):
                run = self.bench("zoo", "--executor", "reference", *arguments)
                self.assertEqual(run.returncode, WRONG_USAGE)
                self.assertIn(message, run.stdout + run.stderr)

    def test_no_thread_gets_much_more_work_than_others(self):
        results = self.results_of("spmv", "--formats", "csr", "--gen", "rmat:14,16", "--gen", "arrow:100000")

        self.assertEqual(len(results), 2)
        for one in results:
            self.assertLess(one["facts"]["imbalance"], 1.2, one)
            self.assertGreaterEqual(one["facts"]["imbalance"], 1, one)

    def test_all_formats_of_the_host_agree_with_the_reference(self):
        # The matrix has blocks and needs little padding.
        run, document = self.spmv_json("--formats", "all", "--nrhs", "2", "--gen", "fem-block:6x5x4,3")

        self.assertEqual(run.returncode, SUCCESS, run.stdout)
        formats = {one["case"]["format"]: one for one in document["results"]}
        self.assertIn("eigen-csr", formats)
        for name, one in formats.items():
            self.assertTrue(one.get("correct") or "Eigen" in one.get("skipped", ""), name)

    def test_complex_matrix_is_measured_in_complex_type(self):
        if IS_MINIMAL:
            self.skipTest("built without complex types")

        results = self.results_of("spmv", matrix("mhd1280b"), executor="reference")

        self.assertEqual((results[0]["case"]["value_type"], results[0]["flops"]), ("cdouble", 8 * 22778))

    # --- options

    def test_json_on_standard_output_is_alone_there(self):
        run = self.spmv("--json", "-", "--nrhs", "3", matrix("1138_bus"))

        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        document = json.loads(run.stdout)
        check_document(document)
        self.assertEqual({one["case"]["num_rhs"] for one in document["results"]}, {3})
        self.assertIn("<- best", run.stderr)

    def test_repeats_until_the_interval_is_small(self):
        arguments = ["--formats", "csr", "--gen", "tridiagonal:100", "--max-repetitions", "7"]
        _, wide = self.spmv_json(*arguments, "--until-relative", "90%")
        _, narrow = self.spmv_json(*arguments, "--until-relative", "1e-9")
        refused = self.spmv(*arguments, "--until-relative", "150%")

        self.assertEqual(wide["until_relative"], 0.9)
        self.assertIn(len(wide["results"][0]["seconds"]), [6, 7])
        self.assertEqual(len(narrow["results"][0]["seconds"]), 7)
        self.assertEqual(refused.returncode, WRONG_USAGE)
        self.assertIn("expected a fraction like 0.5% or 0.005, found '150%'", refused.stderr)

    def test_measures_single_calls_with_cold_caches(self):
        _, document = self.spmv_json("--cold-cache", "--no-check", "--formats", "csr", "--gen", "tridiagonal:100")

        (one,) = document["results"]
        self.assertTrue(document["cold_cache"])
        self.assertEqual(one["calls"], 1)
        self.assertNotIn("correct", one)

    def test_stops_repeating_after_the_given_time(self):
        _, document = self.spmv_json("--formats", "csr", "--gen", "tridiagonal:100", "--max-seconds", "1e-6")

        self.assertEqual(len(document["results"][0]["seconds"]), 1)

    def test_resumes_a_run(self):
        path = self.path("resumed.json")
        options = ["--executor", "reference", "--repetitions", "2", "--json", path]
        self.bench("spmv", *options, "--formats", "csr", matrix("1138_bus"), self.path("absent.mtx"))
        (first, failed) = self.load(path)["results"]
        self.path("absent.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 3\n")

        run = self.bench("spmv", *options, "--resume", "--formats", "coo,csr", matrix("1138_bus"), self.path("absent.mtx"))
        again = self.bench("spmv", *options, "--resume", "--formats", "csr", matrix("1138_bus"))
        other = self.bench("spmv", *options, "--resume", "--nrhs", "2", matrix("1138_bus"))
        no_file = self.bench("spmv", "--resume", matrix("1138_bus"))

        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        self.assertIn("failure", failed)
        results = self.load(path)["results"]
        self.assertEqual({(one["case"]["matrix"], one["case"]["format"]) for one in results},
                         {(name, format) for name in ["1138_bus", "absent"] for format in ["coo", "csr"]})
        (csr,) = [one for one in results if one["case"] == first["case"]]
        self.assertEqual(csr["seconds"], first["seconds"])
        self.assertNotIn("reading", again.stderr)
        self.assertEqual(other.returncode, WRONG_USAGE)
        self.assertIn(path + ' cannot be resumed: its --nrhs is "1", but this run has "2"', other.stderr)
        self.assertEqual(no_file.returncode, WRONG_USAGE)

    def test_measures_a_suite(self):
        self.link("matrices/HB/1138_bus/1138_bus.mtx.gz", matrix("1138_bus"))
        self.link("matrices/Hamm/add20.mtx.gz", matrix("add20"))
        other = self.link("other/add20.mtx.gz", matrix("add20"))
        suite = self.path("suite.txt", f"# two groups\nHB/1138_bus\nHamm/add20  # found\nHB/missing\n\n{other}\nrmat:4,2,seed=3\n")

        run, document = self.spmv_json("--formats", "csr", "--suite", suite, "--suite-folder", self.path("matrices"))
        unreadable = self.spmv("--suite", self.path("none.txt"))

        self.assertEqual(run.returncode, SOMETHING_FAILED)
        self.assertEqual([one["case"]["matrix"] for one in document["results"]], ["HB/1138_bus", "Hamm/add20", "HB/missing", "add20", "rmat:4,2,seed=3"])
        self.assertIn("there is no file HB/missing, and no " + self.path("matrices/HB/missing.mtx"),
                      document["results"][2]["failure"])
        self.assertIn("Of 5 results, 1 failed", run.stdout)
        self.assertEqual(unreadable.returncode, WRONG_USAGE)
        folder = self.spmv("--suite", self.path("matrices"))
        self.assertEqual(folder.returncode, WRONG_USAGE)
        self.assertIn(f"the suite {self.path('matrices')} cannot be read", folder.stderr)
        empty = self.spmv("--suite", self.path("empty.txt", "# nothing\n"))
        self.assertIn("names no matrix", empty.stderr)

    def test_groups_need_a_gpu(self):
        run = self.bench("groups", "--executor", "reference")

        self.assertEqual(run.returncode, WRONG_USAGE)
        self.assertIn("expected --executor cuda or hip, found reference", run.stderr)

    def test_options_of_the_other_way_to_measure_solvers_are_refused(self):
        for until, options in [("iterations", [["--tolerance", "1e-3"], ["--max-iterations", "9"], ["--diagonal"]]),
                               ("convergence", [["--iterations", "9"]])]:
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
        for part in ["=cg; until convergence: cg, bicgstab, gmres", "--until convergence"]:
            self.assertIn(part, text)

    def test_help_has_examples(self):
        run = self.bench("spmv", "--help")

        self.assertEqual(run.returncode, SUCCESS)
        for text in ["Examples:", "--repetitions", "poisson3d-7pt", "eigen-csr"]:
            self.assertIn(text, run.stdout)

    def test_help_marks_the_formats_that_are_measured_by_default(self):
        help = self.bench("spmv", "--help").stdout
        _, document = self.two_matrices()

        marked = [line.split()[1] for line in help.splitlines() if line.startswith("* ")]
        self.assertEqual(marked, [one["case"]["format"] for one in document["results"][:4]])

    # --- wrong input

    def test_types_that_were_not_built_are_skipped_or_refused(self):
        if not IS_MINIMAL:
            self.skipTest("all types are built")

        run, document = self.spmv_json("--formats", "csr", matrix("mhd1280b"), matrix("1138_bus"))

        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        skipped, measured = document["results"]
        self.assertIn("cdouble/int32 is not in this build", skipped["skipped"])
        self.assertIn("seconds", measured)
        for text in [run.stdout, run.stderr]:
            self.assertIn("skipped: cdouble/int32 is not in this build", text)
        for option, name, types in [("--value-type", "cdouble", "cdouble/int32"), ("--index-type", "int64", "double/int64")]:
            with self.subTest(name):
                run = self.spmv(option, name, matrix("1138_bus"))

                self.assertEqual(run.returncode, WRONG_USAGE)
                self.assertIn(types + " is not in this build", run.stderr)
                self.assertEqual(run.stdout, "")

    def test_unknown_names_are_refused_with_the_nearest(self):
        for command, arguments, fault in [
                ("spmv", ["--formats", "csr,co"], "unknown format 'co': did you mean 'coo'?"),
                ("spmv", ["--executor", "omb"], "unknown executor 'omb': did you mean 'omp'?"),
                ("spmv", ["--value-type", "doubel"], "unknown value type 'doubel': did you mean 'double'?"),
                ("spmv", ["--gen", "rmatt:3,3"], "unknown family 'rmatt': did you mean 'rmat'?"),
                ("solver", ["--solvers", "cg,bicgstap"], "unknown solver 'bicgstap': did you mean 'bicgstab'?"),
                ("preconditioner", ["--operators", "ilo"], "unknown operator 'ilo': did you mean 'ilu'?"),
                ("sparse-blas", ["--operations", "spgem"], "unknown operation 'spgem': did you mean 'spgemm'?")]:
            with self.subTest(fault):
                run = self.bench(command, matrix("1138_bus"), *arguments)

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
        for command in ["spmv", "solver", "preconditioner", "conversion", "sparse-blas", "files"]:
            run = self.bench(command)

            self.assertEqual(run.returncode, WRONG_USAGE)
            self.assertIn("no matrix is given", run.stderr)

    def test_json_path_that_cannot_be_written_shows_at_once(self):
        run = self.spmv("--json", os.path.join(self.folder, "none", "x.json"), matrix("1138_bus"))

        self.assertEqual(run.returncode, SOMETHING_FAILED)
        self.assertIn("cannot be written", run.stderr)
        self.assertNotIn("1138_bus", run.stdout)

    def test_full_disk_leaves_the_earlier_file(self):
        def limit_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # the write fails instead
            resource.setrlimit(resource.RLIMIT_FSIZE, (2500, 2500))

        path = self.path("full.json")
        run = run_bench("spmv", "--executor", "reference", "--repetitions", "2", "--json", path, matrix("1138_bus"),
                        preexec_fn=limit_files)

        self.assertEqual(run.returncode, SOMETHING_FAILED, run.stderr)
        self.assertIn(path + " cannot be written: File too large", run.stderr)
        self.assertIn("<- best", run.stdout)
        self.assertEqual(self.load(path)["results"], [])
        self.assertEqual(os.listdir(self.folder), ["full.json"])

    def test_bad_matrices_are_reported_and_others_go_on(self):
        malformed = self.path("bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 3\n")

        run, document = self.spmv_json("--formats", "csr", "--gen", "rmat:x", malformed, self.path("absent.mtx"), matrix("1138_bus"))

        self.assertEqual(run.returncode, SOMETHING_FAILED)
        family, bad, absent, good = document["results"]
        self.assertIn("rmat", family["failure"])
        self.assertIn("bad.mtx:3: row index 0", bad["failure"])
        self.assertIn("absent.mtx", absent["failure"])
        self.assertIn("seconds", good)
        self.assertIn("bad.mtx:3: row index 0", run.stdout)
        self.assertIn("<- best", run.stdout)
        self.assertIn("Of 4 results, 3 failed, 0 were skipped, and 0 are wrong.", run.stdout)

    def test_matrices_of_a_wrong_shape_are_reported(self):
        wide = self.path("wide.mtx", "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 2 3\n")
        for command in ["solver", "preconditioner"]:
            run, document = measure(command, "--until" if command == "solver" else "--operators",
                                    "convergence" if command == "solver" else "jacobi-1", wide, "--gen", "tridiagonal:10")

            self.assertEqual(run.returncode, SOMETHING_FAILED)
            self.assertIn("expected a square matrix, found one of 1 x 2", run.stdout)
            self.assertGreater(len([one for one in document["results"] if "seconds" in one]), 2)

    def test_singular_matrix_is_reported(self):
        singular = self.path("singular.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 0\n1 2 1\n2 1 1\n")

        run, document = measure("preconditioner", "--operators", "ilu", singular, "--gen", "tridiagonal:10")

        self.assertEqual(run.returncode, SOMETHING_FAILED)
        failures = [one for one in document["results"] if "failure" in one]
        self.assertEqual({one["case"]["matrix"] for one in failures}, {"singular"})

    def test_faults_of_a_file_that_can_be_read_are_reported(self):
        banner = "%%MatrixMarket matrix coordinate real "
        both = self.path("both.mtx", banner + "symmetric\n2 2 4\n1 1 4\n2 1 1\n1 2 1\n2 2 4\n")
        mixed = self.path("mixed.mtx", banner + "symmetric\n3 3 5\n1 1 4\n2 1 1\n2 2 4\n2 3 1\n3 3 4\n")
        twice = self.path("twice.mtx", banner + "symmetric\n2 2 4\n1 1 4\n2 1 1\n2 1 1\n2 2 4\n")
        infinite = self.path("infinite.mtx", banner + "general\n2 2 2\n1 1 inf\n2 2 4\n")
        symmetry = "the header names a symmetry, but both triangles are stored"
        duplicates = "2 at the place of an earlier one (first: entry 2)"

        run, _ = measure("spmv", "--formats", "csr", both, mixed, twice, infinite)

        self.assertEqual(run.stderr.count("both.mtx: " + duplicates + "; " + symmetry), 1, run.stderr)
        self.assertEqual(run.stderr.count(symmetry), 1, run.stderr)
        self.assertEqual(run.stderr.count("twice.mtx: " + duplicates), 1, run.stderr)
        self.assertEqual(run.stderr.count("infinite.mtx: 1 infinite or not a number"), 1, run.stderr)
        self.assertNotIn("mixed.mtx: ", run.stderr.replace("mixed.mtx: reading", ""))

    def test_format_that_cannot_serve_says_why_and_others_go_on(self):
        run, document = self.spmv_json("--formats", "cusparse-csr,csr", matrix("1138_bus"))

        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        without, csr = document["results"]
        self.assertEqual(without["skipped"], "there is no cusparse-csr on reference")
        self.assertTrue(csr["facts"]["best"])
        self.assertIn("there is no cusparse-csr on reference", run.stdout)

    def test_matrices_without_entries_rows_or_columns_are_measured(self):
        empty = "%%MatrixMarket matrix coordinate real general\n{} {} 0\n"

        run, document = self.spmv_json("--gen", "empty:5", self.path("no_rows.mtx", empty.format(0, 3)),
                                       self.path("no_columns.mtx", empty.format(3, 0)))

        self.assertEqual(run.returncode, SUCCESS, run.stdout)
        for one in document["results"]:
            self.assertEqual(one["error"], 0)

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
                document = self.load(path)
                self.assertTrue(document["interrupted"])
                self.assertEqual({one["case"]["matrix"] for one in document["results"]}, {"1138_bus"})
                self.assertTrue(document["results"][0]["facts"]["interrupted"])
                self.assertEqual(os.listdir(self.folder), ["interrupted.json"])

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

    # compare, statistics and generate

    def document(self, name, cases, command="spmv", **head):
        """Writes a document with a result for each (case, samples), where the samples may also be other members."""
        results = []
        for case, samples in cases:
            members = samples if isinstance(samples, dict) else {"seconds": samples}
            results.append({"case": {"operation": "spmv", **case}, "problem": {"nonzeros": 50000}, **members})
        return self.path(name, json.dumps({"schema": 2, "program": "spruce-bench", "command": command, **head,
                                           "results": results}))

    @staticmethod
    def samples(center, spread=0.002, count=10):
        return [center * (1 + spread * (i / (count - 1) - 0.5)) for i in range(count)]

    def compared(self, *arguments):
        path = self.path("comparison.json")
        run = self.bench("compare", *arguments, "--json", path)
        with open(path, encoding="utf-8") as file:
            return run, json.load(file)

    def test_comparison_decides_each_case(self):
        first = self.document("a.json", [({"matrix": "fast"}, self.samples(1e-3)), ({"matrix": "slow"}, self.samples(1e-3)),
                                         ({"matrix": "same"}, self.samples(1e-3)),
                                         ({"matrix": "noisy"}, self.samples(1e-3, 0.3)),
                                         ({"matrix": "small effect"}, self.samples(1e-3, 0.001))], commit="abc", threads=1)
        second = self.document("b.json", [({"matrix": "slow"}, self.samples(1.1e-3)), ({"matrix": "fast"}, self.samples(0.9e-3)),
                                          ({"matrix": "same"}, self.samples(1.0001e-3)),
                                          ({"matrix": "noisy"}, self.samples(1.001e-3, 0.3)),
                                          ({"matrix": "small effect"}, self.samples(1.01e-3, 0.001))], commit="def", threads=1)

        run, result = self.compared(first, second)

        self.assertEqual(run.returncode, SOME_CASE_IS_SLOW, run.stderr)
        facts = {one["case"]["matrix"]: one["facts"] for one in result["results"]}
        self.assertEqual({name: one["verdict"] for name, one in facts.items()},
                         {"fast": "FAST", "slow": "SLOW", "same": "SAME", "noisy": "UNDECIDED", "small effect": "SAME"})
        self.assertEqual((result["schema"], result["command"]), (2, "compare"))
        self.assertEqual(result["counts"], {"FAST": 1, "SLOW": 1, "SAME": 2, "UNDECIDED": 1})
        self.assertAlmostEqual(facts["slow"]["ratio"], 1.1)
        self.assertAlmostEqual(facts["slow"]["shift_ratio"], 1.1, places=3)
        self.assertAlmostEqual(facts["slow"]["p"], 2 / 184756)  # no overlap of 10 and 10 samples
        self.assertAlmostEqual(facts["slow"]["p_adjusted"], 5 * 2 / 184756)
        self.assertEqual((result["a"]["commit"], result["b"]["commit"]), ("abc", "def"))
        for pattern in [r"commit +abc +def", "Equal in both: threads", r"slow +50000 .*1\.1.* SLOW", "5 cases: 1 FAST, 1 SLOW"]:
            self.assertRegex(run.stdout, pattern)

    def test_comparison_of_a_document_with_itself_finds_no_difference(self):
        path = self.document("a.json", [({"matrix": "m"}, self.samples(1e-3))])

        compressed = self.path("a.json.gz")
        with open(path, "rb") as plain, gzip.open(compressed, "wb") as file:
            file.write(plain.read())

        run, result = self.compared(path, compressed)

        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        self.assertEqual(result["results"][0]["facts"]["verdict"], "SAME")

    def test_comparison_describes_ratios(self):
        ratios = [0.5, 0.96, 1.02, 1.03, 1.2]
        nonzeros = [9999, 10000, 10**6, 10**7, 10**8]
        cases = [({"matrix": str(size)}, {"problem": {"nonzeros": size}}) for size in nonzeros]
        first = self.document("a.json", [(case, {**other, "seconds": [1.0]}) for case, other in cases])
        second = self.document("b.json", [(case, {**other, "seconds": [ratio]}) for (case, other), ratio in zip(cases, ratios)])

        run, result = self.compared(first, second, "--worst", "2")

        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        everything = result["ratios"]["all"]
        self.assertEqual((everything["count"], everything["median"], everything["quartile_1"]), (5, 1.02, 0.96))
        self.assertAlmostEqual(everything["percentile_5"], 0.5 + 0.2 * 0.46)
        self.assertAlmostEqual(everything["geometric_mean"], (0.5 * 0.96 * 1.02 * 1.03 * 1.2) ** 0.2)
        self.assertEqual([everything[f"share_within_{limit}_percent"] for limit in (3, 5, 10)], [0.4, 0.6, 0.6])
        self.assertEqual({name: one["count"] for name, one in result["ratios"].items()},
                         {"all": 5, "below 1e4": 1, "1e4 to 1e5": 1, "1e6 to 1e7": 1, "above 1e7": 2})
        outliers = run.stdout.split("furthest from 1")[1].split("5 cases")[0]
        self.assertRegex(outliers, r"(?s)9999 .*0\.500.*100000000 .*1\.200")
        self.assertNotIn("0.960", outliers)
        self.assertIn("too few samples", run.stdout)

    def test_comparison_lists_what_cannot_be_compared(self):
        times = self.samples(1e-3)
        first = self.document("a.json", [({"matrix": "both"}, times), ({"matrix": "old", "operation": "copy"}, times),
                                         ({"matrix": "broken"}, times), ({"matrix": "padded"}, {"skipped": "padding"})])
        second = self.document("b.json", [({"matrix": "both"}, times), ({"matrix": "new"}, times),
                                          ({"matrix": "broken"}, {"failure": "out of memory"}),
                                          ({"matrix": "padded"}, {"skipped": "padding"})])

        run, result = self.compared(first, second)

        self.assertEqual(run.returncode, SOMETHING_FAILED)
        self.assertEqual(result["only_in_a"], [{"operation": "copy", "matrix": "old"}])
        self.assertEqual([one["matrix"] for one in result["only_in_b"]], ["new"])
        self.assertEqual([(one["case"]["matrix"], one["document"], one["reason"]) for one in result["not_measured"]],
                         [("broken", "B", "out of memory"), ("padded", "A", "skipped: padding"),
                          ("padded", "B", "skipped: padding")])
        for text in ["copy old ", "1 only in A, 1 only in B, 3 not measured", "1 cases were measured in A and failed in B"]:
            self.assertIn(text, run.stdout)

    def test_comparison_selects_and_ignores_keys(self):
        path = self.document("a.json", [({"matrix": "m", "format": "csr"}, self.samples(1e-3)),
                                        ({"matrix": "m", "format": "sellp"}, self.samples(2e-3))])

        run, result = self.compared("--select", "A.format=csr", "--select", "B.format=sellp", path, path)
        ambiguous = self.bench("compare", path, path, "--ignore", "format")
        unknown = self.bench("compare", path, path, "--ignore", "fromat")
        absent = self.bench("compare", path, path, "--select", "format=coo")
        malformed = self.bench("compare", path, path, "--select", "format")

        self.assertEqual(run.returncode, SOME_CASE_IS_SLOW, run.stderr)
        self.assertEqual([(one["case"], one["facts"]["verdict"]) for one in result["results"]],
                         [({"operation": "spmv", "matrix": "m"}, "SLOW")])
        for refused, text in [(ambiguous, "several results of the case"), (unknown, "did you mean 'format'?"),
                              (absent, "has no result with format=coo"), (malformed, "--select needs KEY=VALUE")]:
            self.assertEqual(refused.returncode, WRONG_USAGE)
            self.assertIn(text, refused.stderr)

    def test_comparison_refuses_other_documents(self):
        good = self.document("good.json", [({"matrix": "m"}, [1.0])])
        head = '{"program": "spruce-bench", '
        for content, text in [(None, "cannot be opened: No such file"), ('{"schema": 2', "no valid JSON: parse error at line 1"),
                              ("[]", "not a document of spruce-bench"), (head + '"results": []}', "schema 2 is needed"),
                              (head + '"schema": 3}', "the document has schema 3"),
                              (head + '"schema": 2, "command": "spmv"}', 'the list "results" is missing'),
                              (head + '"schema": 2, "command": "spmv", "results": [{"case": {}}]}', 'results[0]: "case" is missing'),
                              (head + '"schema": 2, "command": "spmv", "results": [{"case": {"operation": "x"}, "seconds": ["1"]}]}',
                               'results[0]: "seconds" is no list of numbers'),
                              (head + '"schema": 2, "command": "solver", "results": []}', "is of the command spmv, but"),
                              (head + '"schema": 2, "command": "spmv", "results": []}', "no case was measured in both")]:
            with self.subTest(text):
                other = self.path("other.json", content) if content else self.path("absent.json")
                run = self.bench("compare", good, other)

                self.assertEqual(run.returncode, SOMETHING_FAILED, run.stdout)
                self.assertIn(text, run.stderr)
                self.assertIn(os.path.basename(other), run.stderr)
        for arguments in [[good], [good, good, "--threshold", "little"], [good, good, "--significance", "2"]]:
            self.assertEqual(self.bench("compare", *arguments).returncode, WRONG_USAGE)

    def test_statistics_describe_matrices(self):
        path = self.path("statistics.json")
        malformed = self.path("bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 3\n")
        run = self.bench("statistics", "--gen", "tridiagonal:6", "--gen", "full-row:4", malformed, "--json", path)
        with open(path, encoding="utf-8") as file:
            document = json.load(file)

        self.assertEqual(run.returncode, SOMETHING_FAILED)
        self.assertEqual((document["schema"], document["command"]), (2, "statistics"))
        square, row, bad = document["results"]
        self.assertEqual(square["case"], {"operation": "statistics", "matrix": "tridiagonal:6", "value_type": "double",
                                          "index_type": "int32"})
        self.assertEqual(square["problem"], {"rows": 6, "columns": 6, "nonzeros": 16, "longest_row": 3})
        facts = square["facts"]
        self.assertEqual((facts["lower_bandwidth"], facts["upper_bandwidth"], facts["profile"]), (1, 1, 5))
        self.assertEqual(facts["diagonal"], {"length": 6, "stored": 6, "positive": 6, "dominant": 6, "strictly_dominant": 2})
        self.assertEqual(facts["symmetry"], {"structural": 1, "numerical": 1, "conjugate": 1})
        self.assertAlmostEqual(facts["row_lengths"]["mean"], 16 / 6)
        self.assertEqual(facts["storage_bytes"]["csr"], 16 * 12 + 7 * 4)
        self.assertEqual(facts["entries_per_block"]["2"], 16 / 7)
        self.assertEqual(facts["storage_bytes"]["fbcsr-2"], 7 * 36 + 4 * 4)
        self.assertNotIn("symmetry", row["facts"])
        self.assertIsNone(row["facts"]["row_lengths"]["skewness"])
        self.assertIn("bad.mtx:3: row index 0", bad["failure"])
        for text in ["tridiagonal:6: 6 x 6, 16 entries, double/int32", "100.0 % in structure", "full-row:4: 1 x 4"]:
            self.assertIn(text, run.stdout)
        self.assertIn("1 of 3 matrices failed", run.stderr)
        self.assertEqual(self.bench("statistics").returncode, WRONG_USAGE)

    def test_generated_matrices_are_written(self):
        facts = []
        for name in ["a.mtx", "a.mtx.gz", "a.bin", "a.bin.gz"]:
            path = self.path(name)
            run = self.bench("generate", "rmat:6,4,seed=3", path)
            self.assertEqual(run.returncode, SUCCESS, run.stderr)
            self.assertIn(" entries", run.stdout)
            json_path = self.path("facts.json")
            self.assertEqual(self.bench("statistics", path, "--json", json_path).returncode, SUCCESS)
            with open(json_path, encoding="utf-8") as file:
                facts.append(json.load(file)["results"][0]["facts"])
        with open(self.path("a.mtx"), encoding="ascii") as file:
            self.assertEqual(file.readline(), "%%MatrixMarket matrix coordinate real general\n")
        for name, start in [("a.mtx.gz", b"\x1f\x8b"), ("a.bin", b"GINKGODI"), ("a.bin.gz", b"\x1f\x8b")]:
            with open(self.path(name), "rb") as file:
                self.assertEqual(file.read(len(start)), start)
        self.assertEqual(facts, [facts[0]] * 4)

    def test_complex_generated_matrices_are_written(self):
        run = self.bench("generate", "hermitian:3", self.path("h.mtx"))

        self.assertEqual(run.returncode, SUCCESS, run.stderr)
        with open(self.path("h.mtx"), encoding="ascii") as file:
            self.assertEqual(file.readline(), "%%MatrixMarket matrix coordinate complex general\n")

    def test_files_are_replaced_only_on_request(self):
        path = self.path("a.mtx", "kept")

        refused = self.bench("generate", "tridiagonal:3", path)
        with open(path, encoding="ascii") as file:
            self.assertEqual(file.read(), "kept")
        replaced = self.bench("generate", "tridiagonal:3", path, "--force")

        self.assertEqual(refused.returncode, WRONG_USAGE)
        self.assertIn("exists already (--force replaces it)", refused.stderr)
        self.assertEqual(replaced.returncode, SUCCESS, replaced.stderr)
        with open(path, encoding="ascii") as file:
            self.assertIn("3 3 7", file.read())
        for arguments, text in [(["tridiagonal:3", self.path("a.txt")], "should end in .mtx"),
                                (["tridiagnal:3", self.path("b.mtx")], "did you mean 'tridiagonal'?"),
                                (["tridiagonal:3"], "needs FAMILY:PARAMETERS and FILE")]:
            run = self.bench("generate", *arguments)
            self.assertEqual(run.returncode, WRONG_USAGE)
            self.assertIn(text, run.stderr)
        self.assertEqual(os.listdir(self.folder), ["a.mtx"])

    def test_full_disk_leaves_no_file(self):
        for name in ["a.mtx", "a.bin", "a.mtx.gz"]:
            # A limit of file sizes acts as a full disk. Python ignores its signal, and the program inherits that.
            run = subprocess.run([PROGRAM, "generate", "rmat:12,16", self.path(name)], capture_output=True, text=True, timeout=600,
                                 check=False, restore_signals=False,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)))

            self.assertEqual(run.returncode, SOMETHING_FAILED)
            self.assertIn("writing failed: File too large", run.stderr)
            self.assertEqual(os.listdir(self.folder), [])

    def test_families_are_listed(self):
        run = self.bench("generate", "--list")

        self.assertEqual(run.returncode, SUCCESS)
        for text in ["poisson3d-7pt:N or NxMxK", "rmat:SCALE,EDGEFACTOR", "power-law graph", "seed=S (default 42)"]:
            self.assertIn(text, run.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
