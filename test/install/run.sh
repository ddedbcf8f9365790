#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Uses Spruce from outside in each of the ways that the README names, and solves a system each time.
#
# usage: test/install/run.sh [--from BUILD_DIR] [--subfolder [BUILD_DIR]]
#   --from        installs what is built in BUILD_DIR, moves the installed tree, and uses it through find_package and
#                 pkg-config; uses the build tree as well
#   --subfolder   builds Spruce as the subfolder of another project, static; then as --from with that. Also compiles every
#                 installed header by itself, does without OpenMP, and looks at the packages of a static build with tests.
#                 BUILD_DIR keeps the build for the next time.

source "$(dirname -- "${BASH_SOURCE[0]}")/../../dev_tools/lib.sh"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
matrix=$scratch/matrix.mtx

# A symmetric positive definite matrix, 3 x 3.
cat >"$matrix" <<'END'
%%MatrixMarket matrix coordinate real symmetric
3 3 5
1 1 4
2 1 1
2 2 3
3 2 -1
3 3 2
END

# quietly COMMAND...: prints the output of the command only if it fails.
quietly() {
    "$@" >"$scratch/output" 2>&1 || {
        local status=$?
        cat "$scratch/output" >&2
        fail "failed with status $status: $*"
    }
}

# copy_sources outside|parent FOLDER shared|static: of the programs of test/ginkgo some are linked with shared libraries, and only
# the largest with archives. The tests ginkgo_* link all of them with the libraries of the build tree.
copy_sources() {
    local program programs=(application)
    [ "$3" = static ] || programs+=(incomplete_factors own_format single_headers standard_headers)
    mkdir -p "$2/ginkgo"
    cp "$spruce_root/test/install/$1/CMakeLists.txt" "$spruce_root/examples/simple-solver/simple-solver.cpp" "$2"
    for program in "${programs[@]}"; do
        cp "$spruce_root/test/ginkgo/$program.cpp" "$2/ginkgo"
    done
    cp "$spruce_root"/test/ginkgo/*.hpp "$2/ginkgo"
}

# check_programs FOLDER: checks the results of the programs of the outside project.
check_programs() {
    quietly "$1/solve" reference "$matrix"
    local program expected
    for program in "$1"/ginkgo/*; do
        [ -f "$program" ] || continue
        expected=$spruce_root/test/ginkgo/expected/$(basename -- "$program").txt
        if [ -e "$expected" ]; then
            quietly cmake "-DPROGRAM=$program" "-DEXPECTED=$expected" -P "$spruce_root/test/ginkgo/compare_output.cmake"
        else
            quietly "$program"
        fi
    done
}

# Only Spruce's own package may be required, but not these packages that Spruce is built with.
forbid=()
for package in Boost GTest CLI11 nlohmann_json CUDAToolkit; do
    forbid+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON")
done

# check_tree BUILD_DIR shared|static
check_tree() {
    local build=$1 kind=$2 stage=$scratch/$2/stage prefix=$scratch/$2/moved/here
    echo "installing $kind libraries from $build"
    quietly cmake --install "$build" --prefix "$stage"
    mkdir -p "$(dirname "$prefix")"
    mv "$stage" "$prefix"

    echo "no installed file contains the folder of the sources or of the build"
    if grep -rlF -e "$spruce_root" -e "$build" "$prefix"; then
        fail "these installed files contain $spruce_root or $build"
    fi
    if [ "$kind" = shared ] && readelf -d "$prefix"/lib*/libspruce*.so | grep -E 'R(UN)?PATH' | grep -v '\[\$ORIGIN\]'; then
        fail "an installed library looks for others outside its own folder"
    fi

    echo "find_package, after the installed tree was moved"
    copy_sources outside "$scratch/$kind/outside" "$kind"
    quietly cmake -S "$scratch/$kind/outside" -B "$scratch/$kind/find_package" -G Ninja -DCMAKE_BUILD_TYPE=None \
        "-DCMAKE_PREFIX_PATH=$prefix" "${forbid[@]}"
    quietly cmake --build "$scratch/$kind/find_package"
    check_programs "$scratch/$kind/find_package"
    if compgen -G "$build/lib/libspruce_hip*.so" >/dev/null && grep -q '^SPRUCE_HIP_PLATFORM[^=]*=\(host\|auto\)' "$build/CMakeCache.txt"; then
        echo "the simulated device is installed when it is asked for, and the installed core opens it"
        ! compgen -G "$prefix/lib*/libspruce_hip*" || fail "the simulated device is installed without having been asked for"
        ! "$scratch/$kind/find_package/solve" hip "$matrix" >"$scratch/output" 2>&1 || fail "a backend that is not there solved a system"
        quietly cmake --install "$build" --prefix "$prefix" --component simulated_device
        quietly "$scratch/$kind/find_package/solve" hip "$matrix"
    fi

    if [ "$kind" = static ]; then
        check_missing_language "$prefix"
    fi

    echo "pkg-config"
    local pc flags static=
    pc=$(dirname "$(find "$prefix" -name spruce.pc)")
    [ "$kind" = shared ] || static=--static
    for package in spruce ginkgo; do
        flags=$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs $static "$package")
        local source=simple-solver
        [ "$package" = spruce ] || source=ginkgo/application
        # shellcheck disable=SC2086 # flags are words
        quietly g++ -std=c++17 "$scratch/$kind/outside/$source.cpp" $flags -o "$scratch/$kind/$package"
    done
    LD_LIBRARY_PATH=$(dirname "$pc") quietly "$scratch/$kind/spruce" reference "$matrix"
    LD_LIBRARY_PATH=$(dirname "$pc") quietly "$scratch/$kind/ginkgo"
}

# check_missing_language PREFIX: archives need the C++ compiler to be linked.
check_missing_language() {
    echo "find_package in a project that knows C only names the language that is missing"
    local project=$scratch/c_only
    for package in Spruce Ginkgo; do
        rm -rf "$project"
        mkdir -p "$project"
        printf 'cmake_minimum_required(VERSION 3.16)\nproject(c_only LANGUAGES C)\nfind_package(%s REQUIRED)\n' "$package" \
            >"$project/CMakeLists.txt"
        ! cmake -S "$project" -B "$project/build" "-DCMAKE_PREFIX_PATH=$1" >"$scratch/output" 2>&1 ||
            fail "$package was found although it cannot be linked"
        tr -s ' \n' ' ' <"$scratch/output" | grep -q 'the language CXX is not enabled' ||
            quietly sh -c 'cat "$1"; false' - "$scratch/output"
    done
}

check_build_tree() {
    echo "the build tree, without installing"
    copy_sources outside "$scratch/outside" static
    quietly cmake -S "$scratch/outside" -B "$scratch/build_tree" -G Ninja -DCMAKE_BUILD_TYPE=None \
        "-DSpruce_DIR=$1" "-DGinkgo_DIR=$1" "${forbid[@]}"
    quietly cmake --build "$scratch/build_tree" --target solve
    check_programs "$scratch/build_tree"
}

check_headers() {
    local include=$1
    echo "every installed header compiles by itself"
    # Headers below ginkgo/core have equal contents, and the application includes two of them.
    local compiler
    compiler=$(command -v clang++ || command -v clang++-14 || command -v g++)  # clang takes less time
    # shellcheck disable=SC2016 # expanded by the inner shell
    quietly sh -c 'cd "$1" && find spruce ginkgo -path ginkgo/core -prune -o -name "*.hpp" -print | xargs -P "$2" -I{} \
        sh -c "echo \"#include <{}>\" | $3 -std=c++17 -fsyntax-only -Wall -Wextra -Werror -I. -x c++ - || exit 255"' - \
        "$include" "$(num_jobs)" "$compiler"
    echo "the umbrella header compiles as C++20"
    echo '#include <spruce/spruce.hpp>' >"$scratch/umbrella.cpp"
    quietly g++ -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I"$include" "$scratch/umbrella.cpp"
}

# check_without_omp BUILD_DIR: builds without that backend in this directory. Its use must fail.
check_without_omp() {
    echo "without OpenMP, asked for as Ginkgo is asked"
    quietly cmake "$1" -USPRUCE_BUILD_OMP -DGINKGO_BUILD_OMP=OFF
    quietly cmake --build "$1" --target solve --parallel "$(num_jobs)"
    quietly "$1/solve" reference "$matrix"
    ! "$1/solve" omp "$matrix" >"$scratch/output" 2>&1 || fail "a backend that was not built solved a system"
    grep -q 'SPRUCE_BUILD_OMP' "$scratch/output" || quietly sh -c 'cat "$1"; false' - "$scratch/output"
}

# An archive must not contain the simulated device of the tests, nor may its packages require the
# dependencies of that device.
check_static_with_tests() {
    echo "static, with all that is found: the packages need nothing of the tests"
    local build=$scratch/static-with-tests
    quietly cmake -S "$spruce_root" -B "$build" -G Ninja -DBUILD_SHARED_LIBS=OFF -DSPRUCE_BUILD_CUDA=OFF \
        -DSPRUCE_HIP_PLATFORM=host
    if grep -i -e boost -e hip_host "$build/SpruceTargets.cmake" "$build/SpruceConfig.cmake" "$build/spruce.pc"; then
        fail "the packages of the archive need what only the simulated device does"
    fi
}

[ $# -gt 0 ] || { usage_of "${BASH_SOURCE[0]}" && exit 2; }
while [ $# -gt 0 ]; do
    case $1 in
    --from)
        built=$(realpath -- "${2:?"--from needs a build folder"}") && shift
        kind=static
        [ ! -e "$built/lib/libspruce.so" ] || kind=shared
        check_tree "$built" "$kind"
        check_build_tree "$built"
        ;;
    --subfolder)
        folder=$scratch/subfolder-build
        if [ -n "${2:-}" ] && [ "${2#--}" = "$2" ]; then
            folder=$(realpath -m -- "$2") && shift
        fi
        echo "add_subdirectory, static"
        copy_sources parent "$scratch/parent" static
        launcher=()
        ! have ccache || launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
        rm -f "$folder/CMakeCache.txt"
        quietly cmake -S "$scratch/parent" -B "$folder" -G Ninja "-DSPRUCE_FOLDER=$spruce_root" -DBUILD_SHARED_LIBS=OFF \
            -DCMAKE_BUILD_TYPE=None -DSPRUCE_TYPES=minimal -DSPRUCE_BUILD_CUDA=OFF -DSPRUCE_KERNEL_FILES_PER_SOURCE=4 "${launcher[@]}"
        quietly cmake --build "$folder" --parallel "$(num_jobs)"
        check_programs "$folder"
        check_tree "$folder" static
        check_headers "$scratch/static/moved/here/include"
        check_without_omp "$folder"
        check_static_with_tests
        ;;
    -h | --help) usage_of "${BASH_SOURCE[0]}" && exit 0 ;;
    *) fail "unknown argument $1 (see --help)" ;;
    esac
    shift
done
echo "all good"
