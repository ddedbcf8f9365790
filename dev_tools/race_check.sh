#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs GPU kernels on the simulated device under the thread sanitizer: two threads of a block that access the same memory, one of
# them to write, with no barrier of the block or the warp between, fail the test. Needs no GPU. (As racecheck of
# NVIDIA's compute-sanitizer, but in all memory rather than in shared memory; what blocks do to each other is not seen.)
#
# usage: dev_tools/race_check.sh [--build-dir DIR] [ctest arguments...]
#   --build-dir   where to build (default: build/thread-sanitizer in the checkout, which dev_tools/thread_check.sh uses, too)
# By default the tests of kernels at warp width 32 run; those of whole solves and of ParIlut do not, nor padded_layouts, whose kernels
# padded_formats has.

source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

build_dir=$spruce_root/build/thread-sanitizer
read_check_options "$@"
[ ${#ctest_options[@]} -gt 0 ] || ctest_options=(-R '^(components_|factorization_(incomplete|sweeps|threshold)|graph_|multigrid_|preconditioner_(factor_solvers|isai|jacobi_kernels|sor)|stop_|solver_.*_kernels|matrix_(coo|csr|dense|fbcsr|padded_(formats|long_rows)|row_copies|sparsity|diagonal|permutation)).*\.hip32')

configure_thread_sanitizer "$build_dir"
mapfile -t programs < <(programs_of_tests "$build_dir" "${ctest_options[@]}")
build "$build_dir" spruce_hip32 hip_host_race "${programs[@]}"

heading "Whether races are found"
ctest --test-dir "$build_dir" --output-on-failure --no-tests=error -R '^hip_host_race_'

heading "Running the tests on the simulated device"
suppressions=$build_dir/race_suppressions.txt
{
    # A flag that all who write it set to the same, and that others may see late.
    echo "race:transpose_symmetric_pattern"
} >"$suppressions"
export TSAN_OPTIONS="$TSAN_OPTIONS history_size=4 suppressions=$suppressions"
GTEST_FILTER=$sanitizer_filter \
    ctest --test-dir "$build_dir" --output-on-failure --no-tests=error --parallel "$(num_jobs)" "${ctest_options[@]}"
