#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Shows that each shared file of kernels is complete: a compiler accepts it on its own, as the simulated device compiles it, and
# refuses it without the configuration of a backend.
#
# usage: dev_tools/shared_files_check.sh [--build-dir DIR] [FILE...]
#   --build-dir   a configured build folder, of which the generated headers are used (default: build/release in the checkout)
#   FILE          only these files of common (default: all)

source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

build_dir=$spruce_root/build/release
files=()
while [ $# -gt 0 ]; do
    case $1 in
    --build-dir) build_dir=$(realpath -- "${2:?"--build-dir needs a folder"}") && shift ;;
    -h | --help) usage_of "${BASH_SOURCE[0]}" && exit 0 ;;
    -*) fail "unknown argument $1 (see --help)" ;;
    *) files+=("$1") ;;
    esac
    shift
done
cd -- "$spruce_root"
[ -e "$build_dir/include/spruce/config.hpp" ] || fail "$build_dir holds no configured build"

# These belong to one vendor, whose headers they need.
vendor_files='^common/gpu/(base/(cublas|cusparse_types|sparselib)|components/(launch|relaxed_memory|warp)_nvidia)\.hpp$'
[ ${#files[@]} -gt 0 ] || mapfile -t files < <(find common -name '*.hpp' | sort)
mapfile -t checked < <(printf '%s\n' "${files[@]}" | grep -vE "$vendor_files")
[ ${#checked[@]} -gt 0 ] || fail "no file is left to check"

compiler=$(command -v clang++ || command -v clang++-14) || fail "clang was not found"
flags=(-std=c++17 -Wall -Wextra -Wno-unused-function -Wno-unused-const-variable -Wno-unknown-pragmas -Wno-pragma-once-outside-header -Werror -x c++
    -DSPRUCE_HIP_PLATFORM_HOST=1 -DSPRUCE_HIP_WARP_SIZE=64 '-DSPRUCE_GPU_ARCHITECTURES="host"'
    -I. -Iinclude "-I$build_dir/include" "-I$build_dir/private" -Ihip/platform/host/include)
printf '%s\0' "${checked[@]}" | xargs -0 -n 1 -P "$(num_jobs)" "$compiler" "${flags[@]}" -fsyntax-only -DSPRUCE_TOOLS_ONLY ||
    fail "a shared file is not complete"

# A kernel file says so if it has no backend.
num_refused=0
for file in "${checked[@]}"; do
    [[ $file == *_kernels.hpp ]] || continue
    message=$("$compiler" "${flags[@]}" -E -Wfatal-errors "$file" 2>&1 >/dev/null) || true
    grep -q "needs a backend's configuration" <<<"$message" || fail "$file is accepted without the configuration of a backend"
    num_refused=$((num_refused + 1))
done
echo "${#checked[@]} shared files are complete; $num_refused kernel files are refused without a backend"
