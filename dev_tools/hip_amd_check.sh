#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Compiles the HIP backend for AMD GPUs and shows that its code objects hold every kernel for every target. Compiles also the CUDA
# sources, with those of tests and examples, as dev_tools/cuda2hip translates them. Needs no GPU. Optimises less than a build that
# is to be used, to save time.
#
# usage: dev_tools/hip_amd_check.sh [--build-dir DIR] [-DOPTION=VALUE...]
#   --build-dir   where to build (default: build/hip-amd in the checkout)
#   -D...         goes to cmake, for instance -DSPRUCE_HIP_ARCHITECTURES=gfx906;gfx90a (the default) or
#                 -DSPRUCE_TYPES=minimal

source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

build_dir=$spruce_root/build/hip-amd
options=()
while [ $# -gt 0 ]; do
    case $1 in
    --build-dir) build_dir=$(realpath -m -- "${2:?"--build-dir needs a folder"}") && shift ;;
    -D?*) options+=("$1") ;;
    -h | --help) usage_of "${BASH_SOURCE[0]}" && exit 0 ;;
    *) fail "unknown argument $1 (see --help)" ;;
    esac
    shift
done

missing=()
have hipcc || missing+=(hipcc)
[ -e /usr/include/hipsparse.h ] || [ -e /usr/include/hipsparse/hipsparse.h ] || [ -n "${ROCM_PATH:-}" ] ||
    missing+=(libhipsparse-dev librocsparse-dev)
[ ${#missing[@]} -eq 0 ] || missing+=(libamdhip64-dev rocm-device-libs)
have_header gtest/gtest.h || missing+=(libgtest-dev)
ensure_packages required "HIP on AMD" "${missing[@]}"

translated=$build_dir/translated
rm -rf "$translated"
heading "Configuring for AMD"
rm -f "$build_dir"/lib/libspruce_hip*.so  # another platform's
configure release "$build_dir" "-DSPRUCE_HIP_TRANSLATED=$translated" -DSPRUCE_BUILD_CUDA=OFF -DSPRUCE_BUILD_HIP=ON -DSPRUCE_HIP_PLATFORM=amd \
    -DSPRUCE_HIPCC_FLAGS=-O1 \
    -DSPRUCE_BUILD_TESTS=OFF -DSPRUCE_BUILD_BENCHMARKS=OFF "${options[@]}"

heading "Translating the CUDA sources"
cd -- "$spruce_root"
generated=$(mktemp -d)
trap 'rm -rf "$generated"' EXIT
cp -r -- "$build_dir/hip/cuda" "$generated"
mapfile -t cuda_sources < <(find cuda test examples "$generated/cuda" -name '*.cu')
# Not headers that include what is NVIDIA's alone: its libraries, and launches and warp operations that other devices lack.
mapfile -t cuda_headers < <(grep -rLE --include='*.hpp' '#include "common/.*(nvidia|cublas|cusparse)' cuda)
dev_tools/cuda2hip --output-dir "$translated" "${cuda_sources[@]}" "${cuda_headers[@]}"
while IFS= read -r header; do
    printf '#include "%s"\n' "$(basename -- "$header")" >"${header%.hpp}.header.hip.cpp"
done < <(find "$translated" -name '*.hpp')
for source in examples/*/*.cu; do
    cp -- "$(dirname -- "$source")"/*.hpp "$translated/$(dirname -- "$source")"
done
num_same=0
while IFS= read -r file; do
    # What is a source of the backend, of the checkout or generated, is compiled already.
    if cmp -s -- "$translated/$file" "$file" || cmp -s -- "$translated/$file" "$build_dir/hip/kernels/${file#hip/}"; then
        rm -- "$translated/$file"
        num_same=$((num_same + 1))
    fi
done < <(cd -- "$translated" && find hip -type f)
echo "${#cuda_sources[@]} sources and ${#cuda_headers[@]} headers; $num_same are what hip has, the others are compiled as well"

heading "Building for AMD into $build_dir"
cmake "$build_dir" >/dev/null  # finds the translated sources
# Of the examples, those that have kernels or run below: on the host, the others do not depend on the backend.
mapfile -t backends < <(cmake --build "$build_dir" --target help | sed -nE 's/^(spruce_hip[0-9]+(_translated)?): .*/\1/p')
[[ " ${backends[*]}" == *_translated* ]] || fail "the build has no translated sources"
build "$build_dir" "${backends[@]}" custom-matrix-format simple-solver

heading "Kernels in the code objects"
targets=$(sed -n 's/^SPRUCE_HIP_ARCHITECTURES[^=]*=//p' "$build_dir/CMakeCache.txt")
shopt -s nullglob
libraries=("$build_dir"/lib/libspruce_hip*.so)
[ ${#libraries[@]} -gt 0 ] || fail "no libspruce_hip*.so in $build_dir/lib"
for library in "${libraries[@]}"; do
    # shellcheck disable=SC2086 # targets are words
    python3 "$spruce_root/dev_tools/hip_kernels.py" "$library" ${targets//;/ }
done

# Without a device the backend loads, and says that there is none.
if [ ! -e /dev/kfd ]; then
    heading "Without a device"
    if output=$("$(find_program "$build_dir" simple-solver)" hip 2>&1); then
        fail "simple-solver hip succeeded without a device"
    fi
    tail -n 1 <<<"$output"
    ! grep -q 'dlopen\|undefined symbol\|cannot open' <<<"$output" || fail "the backend could not be loaded"
fi
