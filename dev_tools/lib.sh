# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause

# What the scripts beside this file share; to be sourced by bash. With pipefail no pipe may end in a program that stops reading
# early (head, grep -q): the writer would get SIGPIPE, now and then.

set -euo pipefail
spruce_root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

heading() { printf '\n== %s\n' "$*"; }
fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# Prints the comment at the head of a script: its usage.
usage_of() { awk 'NR > 1 && !/^#/ { exit } NR > 4 { sub(/^# ?/, ""); print }' "$1"; }

# Selects the tests that sanitizers see, for GoogleTest: one precision of two, as what sanitizers find depends on it rarely, and no
# solves that only stagnation ends, whose thousands of steps are alike.
sanitizer_filter='*-*/float_int32.*:*/complex_float_int32.*:*WithoutAnyLimit'

# How many compilers to run at once.
num_jobs() { echo "${SPRUCE_JOBS:-$(nproc)}"; }

have_header() { have g++ && echo "#include <$1>" | g++ -std=c++17 -E -x c++ - >/dev/null 2>&1; }

# At least cmake 3.22.
have_cmake() {
    have cmake || return 1
    local version
    version=$(cmake --version | sed -n 's/^cmake version \([0-9.]*\).*/\1/p')
    [ "$(printf '3.22\n%s\n' "$version" | sort -V | sed -n 1p)" = 3.22 ]
}

have_nvidia_gpu() { have nvidia-smi && nvidia-smi -L 2>/dev/null | grep '^GPU' >/dev/null; }

# nvcc on the path, or where CUDA usually is; prints its path.
find_nvcc() {
    local candidate
    for candidate in "${CUDACXX:-}" nvcc /usr/local/cuda/bin/nvcc; do
        if [ -n "$candidate" ] && have "$candidate"; then
            command -v "$candidate"
            return 0
        fi
    done
    return 1
}

# Prints a Python that has matplotlib: the first on the path, or that of Debian, whose packages another one does not see.
python_with_matplotlib() {
    local candidate
    for candidate in python3 /usr/bin/python3; do
        if have "$candidate" && "$candidate" -c 'import matplotlib' 2>/dev/null; then
            command -v "$candidate"
            return 0
        fi
    done
    return 1
}

# Installs Debian packages, if that is allowed; 1 if not.
install_packages() {
    local -a as_root=()
    have apt-get || return 1
    if [ "$(id -u)" != 0 ]; then
        have sudo && sudo -n true 2>/dev/null || return 1
        as_root=(sudo -n)
    fi
    echo "installing: $*"
    "${as_root[@]}" apt-get update -qq &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# Packages that are missing among those needed for the library, spruce-bench and the examples, and for the tests.
missing_for_build() {
    have g++ || echo g++
    have_cmake || echo cmake
    have ninja || echo ninja-build
    have_header zlib.h || echo zlib1g-dev
    have_header CLI/CLI.hpp || echo libcli11-dev
    have_header nlohmann/json.hpp || echo nlohmann-json3-dev
}
missing_for_tests() {
    have_header gtest/gtest.h || echo libgtest-dev
    have_header boost/context/fiber.hpp || echo libboost-context-dev
    have python3 || echo python3
    python_with_matplotlib >/dev/null || echo python3-matplotlib
    have pkg-config || echo pkg-config
}

# ensure_packages required|optional PURPOSE PACKAGE...: installs what is named, or says how to.
ensure_packages() {
    local kind=$1 purpose=$2
    shift 2
    [ $# -gt 0 ] || return 0
    install_packages "$@" && return 0
    local message="missing for $purpose: $*
  On Debian or Ubuntu: sudo apt-get install $*
  Elsewhere: the packages of the same projects."
    if [ "$kind" = required ]; then
        fail "$message"
    fi
    printf 'note: %s\n' "$message" >&2
}

# configure PRESET BUILD_DIR [cmake arguments...]: CUDA only in the presets release and debug and where a GPU can run it, HIP on the
# host platform, unless the arguments say otherwise.
configure() {
    local preset=$1 build=$2
    shift 2
    local -a options=(-DSPRUCE_HIP_PLATFORM=host)
    local nvcc
    if [[ $preset =~ ^(release|debug)$ ]] && nvcc=$(find_nvcc) && have_nvidia_gpu; then
        options+=("-DSPRUCE_BUILD_CUDA=ON" "-DCMAKE_CUDA_COMPILER=$nvcc")
    else
        options+=("-DSPRUCE_BUILD_CUDA=OFF")
    fi
    if have ccache; then
        # Without it ccache stores no file that uses precompiled headers.
        export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
        options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache)
    fi
    # One list, the arguments last: for each variable the last setting counts.
    (cd "$spruce_root" && cmake --preset "$preset" -B "$build" "${options[@]}" "$@")
}

# build BUILD_DIR [TARGET...]
build() {
    local folder=$1
    shift
    cmake --build "$folder" --parallel "$(num_jobs)" ${1:+--target "$@"}
}

# read_check_options [--build-dir DIR] [CTEST_ARGUMENT...]: into build_dir and ctest_options, for scripts that build and run some tests.
read_check_options() {
    ctest_options=()
    while [ $# -gt 0 ]; do
        case $1 in
        --build-dir) build_dir=$(realpath -m -- "${2:?"--build-dir needs a folder"}") && shift ;;
        -h | --help) usage_of "$0" && exit 0 ;;
        *) ctest_options+=("$1") ;;
        esac
        shift
    done
}

# programs_of_tests BUILD_DIR CTEST_ARGUMENT...: the programs of these tests (test NAME.EXECUTOR runs program test_NAME), so that
# no others are built, which is most of the time.
programs_of_tests() {
    local -r folder=$1
    shift
    ctest --test-dir "$folder" --show-only=json-v1 "$@" | python3 -c '
import json, sys
tests = json.load(sys.stdin)["tests"]
print("\n".join(sorted({"test_" + test["name"].split(".")[0] for test in tests})))'
}

# configure_thread_sanitizer DIR: configures a build with the thread sanitizer, and sets what its programs need to run. GCC's OpenMP
# run-time library synchronises in ways that the sanitizer does not see. LLVM's, with the Archer tool, reports it; so this takes clang.
configure_thread_sanitizer() {
    local missing=()
    local -r archer=/usr/lib/llvm-14/lib/libarcher.so
    have clang++-14 || missing+=(clang-14)
    [ -e "$archer" ] || missing+=(libomp-14-dev)
    ensure_packages required "the thread sanitizer" "${missing[@]}"
    mapfile -t missing < <(missing_for_build; missing_for_tests)
    ensure_packages required "the tests" "${missing[@]}"
    heading "Building with the thread sanitizer into $1"
    configure sanitize "$1" -DCMAKE_CXX_COMPILER=clang++-14 -DSPRUCE_SANITIZE=thread -DSPRUCE_WERROR=OFF \
        -DSPRUCE_HIP_HOST_WARP_SIZES=32 -DSPRUCE_BUILD_BENCHMARKS=OFF -DSPRUCE_BUILD_EXAMPLES=OFF
    export OMP_TOOL_LIBRARIES=$archer
    export TSAN_OPTIONS="ignore_noninstrumented_modules=1 halt_on_error=1 exitcode=66 allocator_may_return_null=1"
}

# The program of this name in a build folder.
find_program() {
    local found
    found=$(find "$1" -name "$2" -type f -perm -u+x 2>/dev/null | sed -n 1p)
    [ -n "$found" ] || fail "$2 is not in $1"
    echo "$found"
}
