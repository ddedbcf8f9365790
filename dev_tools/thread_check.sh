#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs the tests of the OpenMP kernels under the thread sanitizer: a data race fails them.
#
# usage: dev_tools/thread_check.sh [--build-dir DIR] [ctest arguments...]
#   --build-dir   where to build (default: build/threads in the checkout)
#
# GCC's OpenMP run-time library synchronises in ways that the sanitizer does not see. LLVM's, with the Archer tool, tells it;
# so this builds with clang and libomp.

source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

build_dir=$spruce_root/build/threads
read_check_options "$@"

missing=()
have clang++-14 || missing+=(clang-14)
archer=/usr/lib/llvm-14/lib/libarcher.so
[ -e "$archer" ] || missing+=(libomp-14-dev)
ensure_packages required "the thread sanitizer" "${missing[@]}"
mapfile -t missing < <(missing_for_build; missing_for_tests)
ensure_packages required "the tests" "${missing[@]}"

heading "Building with the thread sanitizer into $build_dir"
configure sanitize "$build_dir" -DCMAKE_CXX_COMPILER=clang++-14 -DSPRUCE_SANITIZE=thread \
    -DSPRUCE_WERROR=OFF -DSPRUCE_BUILD_HIP=OFF -DSPRUCE_BUILD_BENCHMARKS=OFF -DSPRUCE_BUILD_EXAMPLES=OFF
[ ${#ctest_options[@]} -gt 0 ] || ctest_options=(-L '^omp$')
mapfile -t programs < <(programs_of_tests "$build_dir" "${ctest_options[@]}")
build "$build_dir" "${programs[@]}"

heading "Running the tests on omp"
# Without ignore_noninstrumented_modules, libomp's own memory accesses are reported.
export OMP_TOOL_LIBRARIES=$archer
export TSAN_OPTIONS="ignore_noninstrumented_modules=1 halt_on_error=1 exitcode=66 allocator_may_return_null=1"
GTEST_FILTER=$sanitizer_filter \
    ctest --test-dir "$build_dir" --output-on-failure --no-tests=error --parallel "$(num_jobs)" "${ctest_options[@]}"
