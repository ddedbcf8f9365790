#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Formats the C++, CUDA and HIP sources that git knows with clang-format 14, by the rules in .clang-format.
#
# usage: dev_tools/format.sh [--check] [FILE...]
#   --check   change nothing; fail and name the places if a file is not formatted
#   FILE      only these (default: all)

source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

mode=(-i)
files=()
while [ $# -gt 0 ]; do
    case $1 in
    --check) mode=(--dry-run --Werror) ;;
    -h | --help) usage_of "${BASH_SOURCE[0]}" && exit 0 ;;
    -*) fail "unknown argument $1 (see --help)" ;;
    *) files+=("$(realpath -- "$1")") ;;
    esac
    shift
done

# Other versions format differently.
formatter=
for candidate in clang-format-14 clang-format; do
    if have "$candidate" && "$candidate" --version | grep 'version 14\.' >/dev/null; then
        formatter=$candidate
        break
    fi
done
[ -n "$formatter" ] || fail "clang-format 14 was not found (Debian: clang-format-14)"

cd -- "$spruce_root"
if [ ${#files[@]} -eq 0 ]; then
    # With files that git does not know yet, and without those that are gone.
    mapfile -d '' -t files < <(git ls-files -z --cached --others --exclude-standard -- '*.cpp' '*.hpp' '*.cu' '*.cuh' '*.h' |
        xargs -0 ls -d 2>/dev/null | tr '\n' '\0')
fi
printf '%s\0' "${files[@]}" | xargs -0 -n 16 -P "$(num_jobs)" "$formatter" --style=file "${mode[@]}"
