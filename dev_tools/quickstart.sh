#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
#
# From a fresh checkout to a solved system: checks for what Spruce needs, builds it, solves a real linear system with
# conjugate gradients and measures the sparse matrix-vector product on the matrices in benchmark/matrices.
#
# usage: dev_tools/quickstart.sh [--cuda] [--preset NAME] [--build-dir DIR]
#   --cuda        build for CUDA although no GPU was found (by default: where nvcc and a GPU are)
#   --preset      CMake preset (default: release)
#   --build-dir   where to build (default: build/<preset> in the checkout)
# The environment variable SPRUCE_JOBS says how many compilers run at once (default: one for each core).

source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

preset=release
build_dir=
options=()
while [ $# -gt 0 ]; do
    case $1 in
    --cuda) options+=(-DSPRUCE_BUILD_CUDA=ON "-DCMAKE_CUDA_COMPILER=$(find_nvcc || fail "--cuda: nvcc was not found")") ;;
    --preset) preset=${2:?"--preset needs a name"} && shift ;;
    --build-dir) build_dir=$(realpath -m -- "${2:?"--build-dir needs a folder"}") && shift ;;
    -h | --help) usage_of "${BASH_SOURCE[0]}" && exit 0 ;;
    *) fail "unknown argument $1 (see --help)" ;;
    esac
    shift
done
build_dir=${build_dir:-$spruce_root/build/$preset}

heading "Checking for tools and libraries"
mapfile -t missing < <(missing_for_build)
ensure_packages required "the build" "${missing[@]}"
mapfile -t missing < <(missing_for_tests)
ensure_packages optional "the tests (dev_tools/run_tests.sh)" "${missing[@]}"
echo "all that the build needs is there"

heading "Building into $build_dir"
log=$build_dir/quickstart.log
mkdir -p "$build_dir"
configure "$preset" "$build_dir" "${options[@]}" >"$log" 2>&1 || {
    tail -n 30 "$log" >&2
    fail "cmake failed; all of its output is in $log"
}
sed -n '/^-- Spruce/,$p' "$log" | sed 's/^-- *//' | grep -v '^$' | grep -v -e '^Configuring' -e '^Generating' -e '^Build files' || true
targets=(spruce spruce-bench simple-solver)
if grep -q '^SPRUCE_BUILD_CUDA[^=]*=ON' "$build_dir/CMakeCache.txt"; then
    targets+=(spruce_cuda)
fi
build "$build_dir" "${targets[@]}"

executor=omp
if have_nvidia_gpu && [ -e "$build_dir/lib/libspruce_cuda.so" ]; then
    executor=cuda
elif ! "$(find_program "$build_dir" simple-solver)" omp >/dev/null 2>&1; then
    executor=reference  # a compiler without OpenMP
fi

shopt -s nullglob
matrices=("$spruce_root"/benchmark/matrices/*.mtx "$spruce_root"/benchmark/matrices/*.mtx.gz)
[ ${#matrices[@]} -gt 0 ] || fail "no matrices in $spruce_root/benchmark/matrices"
system=
for file in "${matrices[@]}"; do
    case $(basename -- "$file") in 1138_bus.mtx*) system=$file ;; esac  # symmetric positive definite
done
[ -n "$system" ] || fail "no symmetric positive definite matrix in $spruce_root/benchmark/matrices"

heading "Solving a real system with conjugate gradients: $(basename -- "$system")"
"$(find_program "$build_dir" simple-solver)" "$executor" "$system"

heading "Sparse matrix-vector product on real matrices"
"$(find_program "$build_dir" spruce-bench)" spmv --executor "$executor" "${matrices[@]}"

heading "Done"
echo "Next: dev_tools/run_tests.sh runs the tests; README.md shows how to use Spruce in a program of your own."
