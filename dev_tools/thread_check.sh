#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs the tests of the OpenMP kernels under the thread sanitizer: a data race fails them.
#
# usage: dev_tools/thread_check.sh [--build-dir DIR] [ctest arguments...]
#   --build-dir   where to build (default: build/thread-sanitizer in the checkout, which dev_tools/race_check.sh uses, too)

source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

build_dir=$spruce_root/build/thread-sanitizer
read_check_options "$@"
[ ${#ctest_options[@]} -gt 0 ] || ctest_options=(-L '^omp$')

configure_thread_sanitizer "$build_dir"
mapfile -t programs < <(programs_of_tests "$build_dir" "${ctest_options[@]}")
build "$build_dir" "${programs[@]}"

heading "Running the tests on omp"
GTEST_FILTER=$sanitizer_filter \
    ctest --test-dir "$build_dir" --output-on-failure --no-tests=error --parallel "$(num_jobs)" "${ctest_options[@]}"
