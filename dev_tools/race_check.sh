#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs GPU kernels on the simulated device under the thread sanitizer: two threads of a block that access the same memory, one of
# them to write, with no barrier of the block or the warp between, fail the test. Needs no GPU. (As racecheck of
# NVIDIA's compute-sanitizer, but in all memory rather than in shared memory; what blocks do to each other is not seen.)
#
# usage: dev_tools/race_check.sh [--build-dir DIR] [ctest arguments...]
#   --build-dir   where to build (default: build/races in the checkout)
# By default the tests of kernels at warp width 32 run; those of whole solves do not, nor padded_layouts, whose kernels padded_formats has.

source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

build_dir=$spruce_root/build/races
read_check_options "$@"
[ ${#ctest_options[@]} -gt 0 ] || ctest_options=(-R '^(components_|stop_|solver_.*_kernels|matrix_(coo|csr|dense|fbcsr|padded_formats|row_copies|sparsity|diagonal|permutation)).*\.hip32')

mapfile -t missing < <(missing_for_build; missing_for_tests)
ensure_packages required "the tests" "${missing[@]}"

heading "Building with the thread sanitizer into $build_dir"
configure sanitize "$build_dir" -DSPRUCE_SANITIZE=thread -DSPRUCE_BUILD_OMP=OFF -DSPRUCE_HIP_HOST_WARP_SIZES=32 \
    -DSPRUCE_BUILD_BENCHMARKS=OFF -DSPRUCE_BUILD_EXAMPLES=OFF
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
export TSAN_OPTIONS="halt_on_error=1 exitcode=66 history_size=4 allocator_may_return_null=1 suppressions=$suppressions"
GTEST_FILTER=$sanitizer_filter \
    ctest --test-dir "$build_dir" --output-on-failure --no-tests=error --parallel "$(num_jobs)" "${ctest_options[@]}"
