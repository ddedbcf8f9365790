#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a command of spruce-bench on several executors in turn, again and again, and merges the samples of each executor.

A machine whose speed changes between two runs makes one executor look faster. Rounds spread the samples of all executors over
the same time.

usage: benchmark/alternate.py --executors cuda,hip [--rounds N] --output PREFIX [--program FILE] [--worst N A.json B.json] --
           COMMAND [ARGUMENT...]

For instance, from the folder of a build:
    benchmark/alternate.py --executors cuda,hip --rounds 5 --output results/spmv -- spmv --suite all.txt --formats coo,sellp
writes results/spmv_cuda.json and results/spmv_hip.json. The samples of a result are those of all rounds. A case that failed in
one round has failed. --worst N A.json B.json measures only the N matrices with the largest difference between the times of two
documents.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # no folder __pycache__ in the checkout
import result_files
import result_statistics

# What depends on the samples, and is computed again for those of all rounds.
OF_SAMPLES = ("seconds_median", "seconds_min", "seconds_max", "seconds_interval", "gigabytes_per_second", "gflops", "fraction_of_copy")


class RunError(Exception):
    """Says why the measurements cannot continue."""


def merge(documents):
    """Returns the first document with the samples of all of them. A case that is not good in a round keeps that round's result."""
    merged = dict(documents[0])
    by_case = [{result_files.case_key(result["case"]): result for result in document["results"]} for document in documents]
    results = []
    for key in dict.fromkeys(key for of_round in by_case for key in of_round):
        known = next(of_round[key] for of_round in by_case if key in of_round)
        rounds = [of_round.get(key, {"case": known["case"], "failure": "not measured in one of the rounds"}) for of_round in by_case]
        bad = next((result for result in rounds if "seconds" not in result or result.get("correct") is False), None)
        if bad is None:
            result = {name: value for name, value in known.items() if name not in OF_SAMPLES}
            result["seconds"] = [seconds for one in rounds for seconds in one["seconds"]]
            result_files.complete(result, merged.get("copy"))
        results.append(result if bad is None else bad)
    merged["results"] = results
    merged["rounds"] = len(documents)
    return merged


def worst_sources(number, before, after):
    """Returns the sources of the matrices whose times differ most between two documents, the worst first."""
    results = []
    for path in (before, after):
        try:
            results.append(result_files.read_results(path)["results"])
        except result_files.ResultFileError as error:
            raise RunError(f"{path}: {error}") from error
    ratios = result_statistics.common_ratios(*results)
    ordered = sorted(ratios, key=lambda one: abs(math.log(one[0])), reverse=True)
    return list(dict.fromkeys(result["problem"]["source"] for _, result in ordered if "source" in result.get("problem", {})))[:number]


def run(program, executor, command, path):
    """Runs the command once and returns its document."""
    done = subprocess.run([program, *command, "--executor", executor, "--json", path], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False)
    if not os.path.exists(path) or done.returncode not in (0, 1):  # 1: some cases failed
        raise RunError(f"{executor}: {' '.join([program, *command])} ended with status {done.returncode}:\n{done.stderr}")
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/bin/spruce-bench", help="spruce-bench (default: that of preset release)")
    parser.add_argument("--executors", required=True, help="names of executors, separated by commas")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each executor (default: 5)")
    parser.add_argument("--output", required=True, metavar="PREFIX", help="results are written to PREFIX_EXECUTOR.json after each round")
    parser.add_argument("--worst", nargs=3, metavar=("N", "A.json", "B.json"), help="measures only the N matrices that differ most")
    parser.add_argument("command", nargs="+", help="a command of spruce-bench with its arguments")
    arguments = parser.parse_args()
    executors = arguments.executors.split(",")
    if arguments.rounds < 1:
        parser.error(f"--rounds: expected a number above 0, found {arguments.rounds}")
    if len(set(executors)) < len(executors):
        parser.error(f"--executors: expected different names, found {arguments.executors}")
    if not os.path.isdir(os.path.dirname(os.path.abspath(arguments.output))):
        parser.error(f"--output: expected a prefix in a folder that exists, found {arguments.output}")
    if arguments.worst and not (arguments.worst[0].isdecimal() and int(arguments.worst[0]) > 0):
        parser.error(f"--worst: expected a number above 0 first, found {arguments.worst[0]}")

    with tempfile.TemporaryDirectory() as folder:
        command = arguments.command
        sources = None
        if arguments.worst:
            sources = worst_sources(int(arguments.worst[0]), *arguments.worst[1:])
            if not sources:
                raise RunError(f"{' and '.join(arguments.worst[1:])} have no matrix in common")
            suite = os.path.join(folder, "suite.txt")
            with open(suite, "w", encoding="utf-8") as file:
                file.write("\n".join(sources) + "\n")
            command = [*command, "--suite", suite]
        documents = {executor: [] for executor in executors}
        for number in range(arguments.rounds):
            for executor in executors:
                document = run(arguments.program, executor, command, os.path.join(folder, f"{executor}{number}.json"))
                if sources:
                    document["matrices"] = sources
                documents[executor].append(document)
                with open(f"{arguments.output}_{executor}.json", "w", encoding="utf-8") as file:
                    json.dump(merge(documents[executor]), file, indent=1)
                print(f"round {number + 1} of {arguments.rounds}: {executor}", flush=True)
    num_bad = sum(result_files.status_of(result) in ("failed", "wrong") for of_executor in documents.values()
                  for result in merge(of_executor)["results"])
    if num_bad > 0:
        raise RunError(f"{num_bad} results failed or are wrong")


if __name__ == "__main__":
    try:
        main()
    except (RunError, OSError) as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit("interrupted: the files have the rounds that ended before")
