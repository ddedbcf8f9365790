#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Builds Spruce with its tests and runs all of them: reference, omp, and the GPU kernels on the simulated device at warp
# width 32 and 64. Tests that need a GPU run where there is one.
#
# usage: dev_tools/run_tests.sh [--preset NAME] [--build-dir DIR] [-DOPTION=VALUE...] [ctest arguments...]
#   --preset      CMake preset (default: release)
#   --build-dir   where to build (default: build/<preset> in the checkout)
#   -D...         goes to cmake, everything else to ctest: for instance -R csr, or -L hip
# The environment variable SPRUCE_JOBS says how many compilers and tests run at once (default: one for each core).

source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

preset=release
build_dir=
cmake_options=()
ctest_options=()
excluded_labels=
while [ $# -gt 0 ]; do
    case $1 in
    --preset) preset=${2:?"--preset needs a name"} && shift ;;
    --build-dir) build_dir=$(realpath -m -- "${2:?"--build-dir needs a folder"}") && shift ;;
    -D?*) cmake_options+=("$1") ;;
    -LE | --label-exclude) excluded_labels=${2:?"$1 needs a regular expression"} && shift ;;
    -h | --help) usage_of "${BASH_SOURCE[0]}" && exit 0 ;;
    *) ctest_options+=("$1") ;;
    esac
    shift
done
build_dir=${build_dir:-$spruce_root/build/$preset}

mapfile -t missing < <(missing_for_build; missing_for_tests)
ensure_packages required "the tests" "${missing[@]}"

heading "Building the tests into $build_dir"
configure "$preset" "$build_dir" -DSPRUCE_BUILD_TESTS=ON "${cmake_options[@]}"
build "$build_dir"

heading "Running the tests"
if ! have_nvidia_gpu; then
    # In one expression: of several, ctest leaves out what matches all.
    excluded_labels="^gpu\$${excluded_labels:+|$excluded_labels}"
fi
# Several tests run at once: threads that wait must not occupy a core.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
[ -z "$excluded_labels" ] || ctest_options+=(-LE "$excluded_labels")
ctest --test-dir "$build_dir" --output-on-failure --no-tests=error --parallel "$(num_jobs)" "${ctest_options[@]}"
