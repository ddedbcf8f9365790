#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Says how long Spruce takes to build from nothing, without a compiler cache, part by part, against the budget; which ten
# files take longest; and how long a client's file takes that includes <spruce/spruce.hpp>.
#
# usage: dev_tools/build_times.sh [--from BUILD_DIR]... [--jobs N]
#   --from   builds nothing, reads the times of a finished build from its .ninja_log instead (several: of the parts that
#            each has): the sum over the files of a part, divided by the number of jobs. Only as good as the build was from
#            nothing and without a cache
#   --jobs   compilers at once (default: SPRUCE_JOBS, or one for each core; the budget is for two)

source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

from=()
jobs=$(num_jobs)
while [ $# -gt 0 ]; do
    case $1 in
    --from) from+=("$(realpath -- "${2:?"--from needs a build folder"}")") && shift ;;
    --jobs) jobs=${2:?"--jobs needs a number"} && shift ;;
    -h | --help) usage_of "${BASH_SOURCE[0]}" && exit 0 ;;
    *) fail "unknown argument $1 (see --help)" ;;
    esac
    shift
done
export SPRUCE_JOBS=$jobs CCACHE_DISABLE=1

# name, budget in seconds, outputs in the build folder (a regular expression). Half of each was the budget of the first two
# formats and one solver; this is for all of them.
parts=(
    "library (core, reference, omp)|360|^(core|reference|omp)/|^lib/libspruce\."
    "hip, simulated device (one width)|120|^hip/|^lib/libspruce_hip"
    "tests and benchmark|720|^(test|benchmark|examples)/|^bin/"
    "cuda (one architecture)|480|^cuda/|^lib/libspruce_cuda"
)
file_budget=60
client_budget=1.5

report() {  # NAME BUDGET SECONDS
    awk -v name="$1" -v budget="$2" -v seconds="$3" 'BEGIN {
        printf "  %-38s %7.1f s   budget %5.1f s%s\n", name, seconds, budget, (seconds > budget ? "   OVER BUDGET" : "") }'
}

# Milliseconds and name of each output, from ninja's logs: the last time that it was made, in the first folder that has it.
log_lines() {
    local folder
    for folder in "$@"; do
        awk -F '\t' '!/^#/ { line[$4] = ($2 - $1) "\t" $4 } END { for (output in line) print line[output] }' "$folder/.ninja_log"
    done | awk -F '\t' '!seen[$2]++'
}

if [ ${#from[@]} -eq 0 ]; then
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    from=("$scratch")
    options=(-DSPRUCE_BUILD_TESTS=ON -DSPRUCE_BUILD_BENCHMARKS=ON)
    if nvcc=$(find_nvcc); then
        options+=(-DSPRUCE_BUILD_CUDA=ON "-DCMAKE_CUDA_COMPILER=$nvcc")
    fi
    configure release "$scratch" "${options[@]}" >"$scratch/configure.log" || { cat "$scratch/configure.log" >&2; exit 1; }
    heading "Build from nothing, $jobs jobs, wall time"
    mapfile -t outputs < <(ninja -C "$scratch" -t targets all | sed -n 's/: .*_LINKER.*//p')
    for part in "${parts[@]}"; do
        IFS='|' read -r name budget folders files <<<"$part"
        mapfile -t wanted < <(printf '%s\n' "${outputs[@]}" | grep -E "$folders|$files" || true)
        [ ${#wanted[@]} -gt 0 ] || { printf '  %-38s not built\n' "$name" && continue; }
        started=$(date +%s.%N)
        build "$scratch" "${wanted[@]}" >"$scratch/build.log" 2>&1 || { tail -n 40 "$scratch/build.log" >&2; exit 1; }
        report "$name" "$budget" "$(awk -v a="$started" -v b="$(date +%s.%N)" 'BEGIN { print b - a }')"
    done
else
    heading "Build from nothing, compile times of all files over $jobs jobs"
    for part in "${parts[@]}"; do
        IFS='|' read -r name budget folders files <<<"$part"
        seconds=$(log_lines "${from[@]}" | awk -F '\t' -v what="$folders|$files" -v jobs="$jobs" \
            '$2 ~ what { sum += $1 } END { print sum / jobs / 1000 }')
        if [ "$seconds" = 0 ]; then
            printf '  %-38s not built\n' "$name"
        else
            report "$name" "$budget" "$seconds"
        fi
    done
fi

heading "The ten slowest files"
log_lines "${from[@]}" | grep -E '\.o$|\.gch$|\.pch$' | sort -rn | sed -n 1,10p | while IFS=$'\t' read -r ms output; do
    report "$(sed -E 's#CMakeFiles/[^/]*\.dir/##; s#\.o$##' <<<"$output" | tail -c 39)" "$file_budget" "$(awk -v ms="$ms" 'BEGIN { print ms / 1000 }')"
done

heading "A client's file that includes <spruce/spruce.hpp>, median of 3"
client=$(mktemp -d)
echo '#include <spruce/spruce.hpp>' >"$client/client.cpp"
for _ in 1 2 3; do
    started=$(date +%s.%N)
    g++ -std=c++17 -c -I"$spruce_root/include" -I"${from[0]}/include" "$client/client.cpp" -o "$client/client.o"
    awk -v a="$started" -v b="$(date +%s.%N)" 'BEGIN { print b - a }'
done | sort -n | sed -n 2p >"$client/median"
report "g++ -std=c++17 -c" "$client_budget" "$(cat "$client/median")"
rm -rf "$client"
