#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Shows that each shared file is complete: a compiler accepts it on its own, as the simulated device compiles it, and refuses it
# without the configuration of a backend unless it is in common/numeric. What all kernel files (*_kernels.hpp) include is compiled
# once for them; the backends compile each of them without that.
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
mapfile -t kernel_files < <(printf '%s\n' "${checked[@]}" | grep '_kernels\.hpp$')
mapfile -t other_files < <(printf '%s\n' "${checked[@]}" | grep -v '_kernels\.hpp$')

compiler=$(command -v clang++ || command -v clang++-14) || fail "clang was not found"
flags=(-std=c++17 -Wall -Wextra -Wno-unused-function -Wno-unused-const-variable -Wno-unknown-pragmas -Wno-pragma-once-outside-header -Werror
    -DSPRUCE_HIP_PLATFORM_HOST=1 -DSPRUCE_HIP_WARP_SIZE=64 '-DSPRUCE_GPU_ARCHITECTURES="host"'
    -I. -Iinclude "-I$build_dir/include" "-I$build_dir/private" -Ihip/platform/host/include)

# check_files FLAG... < FILES: compiles the files, one after another on each core.
check_files() {
    xargs -r -d '\n' -n 1 -P "$(num_jobs)" "$compiler" "${flags[@]}" -DSPRUCE_TOOLS_ONLY "$@" -x c++ -fsyntax-only ||
        fail "a shared file is not complete"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$compiler" "${flags[@]}" -DSPRUCE_TOOLS_ONLY -x c++-header common/gpu/base/prelude.hpp -o "$scratch/prelude.pch" ||
    fail "the prelude of the kernel files is not complete"
[ ${#other_files[@]} -eq 0 ] || printf '%s\n' "${other_files[@]}" | check_files
[ ${#kernel_files[@]} -eq 0 ] || printf '%s\n' "${kernel_files[@]}" | check_files -include-pch "$scratch/prelude.pch"

# A file of common/gpu or common/unified says so if it has no backend.
# check_refusal COMPILER FLAG... FILE
check_refusal() {
    local file=${*: -1} message
    message=$("$@" -x c++ -E -Wfatal-errors 2>&1 >/dev/null) || true
    grep -q "needs a backend's configuration" <<<"$message" || {
        echo "$file is accepted without the configuration of a backend: it has to include common/backend.hpp" >&2
        return 1
    }
}
export -f check_refusal
mapfile -t refused < <(printf '%s\n' "${checked[@]}" | grep -E '^common/(gpu|unified)/')
[ ${#refused[@]} -eq 0 ] || printf '%s\n' "${refused[@]}" |
    xargs -d '\n' -n 1 -P "$(num_jobs)" bash -c 'check_refusal "$@"' bash "$compiler" "${flags[@]}" || fail "a shared file needs no backend"
echo "${#checked[@]} shared files are complete; ${#refused[@]} are refused without a backend"
