#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
#
# All that needs an NVIDIA GPU, in one command: the tests on cuda and on hip (through HIP's NVIDIA platform), the SpMV
# benchmark with the vendor's formats beside Spruce's own, and NVIDIA's compute-sanitizer. Fails if a test or a check fails.
#
# usage: dev_tools/gpu_check.sh [--bin DIR | --build-dir DIR] [--out DIR] [--only PART,...] [--programs REGEX] [--jobs N]
#                               [--shards N]
#   --build-dir   a build folder with the cuda backend and, if it is there, hip for platform nvidia
#                 (default: builds both into build/gpu; HIP only where its headers are installed)
#   --bin         a folder to which the programs were copied: DIR/bin/* (tests, spruce-bench), DIR/lib/libspruce*.so*, and
#                 DIR/lib-hip/libspruce_hip32.so. Needs neither cmake nor the sources
#   --out         where the results go (default: $OUT if set, else build/gpu-check). At the end it names the folder of
#                 benchmark/results for files that are to be kept, such as 2026-11-28-nvidia-h100
#   --only        of tests, bench, sanitizer (default: all)
#   --programs    only test programs whose names match this regular expression
#   --jobs        test programs at once (default: 4)
#   --shards      parts into which each test program is divided, which run as programs of their own (default: 1)
# Environment: SPRUCE_SANITIZER_FILTER, the tests that compute-sanitizer sees (default: two of the four value types);
# SPRUCE_GPU_TIMEOUT, seconds for one program (default: 300).

source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

programs= build_dir= out=${OUT:-}
only=tests,bench,sanitizer
wanted_programs=.
jobs=4
shards=1
while [ $# -gt 0 ]; do
    case $1 in
    --bin) programs=$(realpath -- "${2:?"--bin needs a folder"}") && shift ;;
    --build-dir) build_dir=$(realpath -- "${2:?"--build-dir needs a folder"}") && shift ;;
    --out) out=${2:?"--out needs a folder"} && shift ;;
    --only) only=${2:?"--only needs names"} && shift ;;
    --programs) wanted_programs=${2:?"--programs needs an expression"} && shift ;;
    --jobs) jobs=${2:?"--jobs needs a number"} && shift ;;
    --shards) shards=${2:?"--shards needs a number"} && shift ;;
    -h | --help) usage_of "${BASH_SOURCE[0]}" && exit 0 ;;
    *) fail "unknown argument $1 (see --help)" ;;
    esac
    shift
done
wants() { [[ ",$only," == *",$1,"* ]]; }

have_nvidia_gpu || fail "no NVIDIA GPU was found (nvidia-smi -L names none)"
device=$(nvidia-smi --query-gpu=name --format=csv,noheader -i 0)

# --- where the programs are --------------------------------------------------------------------------------------------

if [ -n "$programs" ]; then
    search=("$programs/bin")
    libraries=$programs/lib
    hip_libraries=$programs/lib-hip
else
    if [ -z "$build_dir" ]; then
        nvcc=$(find_nvcc) || fail "nvcc was not found; name a finished build with --build-dir or --bin"
        build_dir=$spruce_root/build/gpu
        options=(-DSPRUCE_BUILD_CUDA=ON "-DCMAKE_CUDA_COMPILER=$nvcc" -DSPRUCE_BUILD_TESTS=ON -DSPRUCE_BUILD_BENCHMARKS=ON
            -DSPRUCE_TEST_EVERY_COMBINATION=ON)
        if [ -e /usr/include/hip/hip_runtime_api.h ] || [ -n "${ROCM_PATH:-}" ]; then
            options+=(-DSPRUCE_BUILD_HIP=ON -DSPRUCE_HIP_PLATFORM=nvidia)
        else
            options+=(-DSPRUCE_BUILD_HIP=OFF)
        fi
        heading "Building into $build_dir"
        configure release "$build_dir" "${options[@]}"
        build "$build_dir"
    fi
    search=("$build_dir/bin" "$build_dir/test")
    libraries=$build_dir/lib
    hip_libraries=$build_dir/lib
fi
[ -e "$libraries/libspruce_cuda.so" ] || fail "libspruce_cuda.so is not in $libraries"
executors=(cuda)
[ -e "$hip_libraries/libspruce_hip32.so" ] && executors+=(hip) || echo "note: no libspruce_hip32.so in $hip_libraries: hip is left out"
export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
[ ! -d /usr/local/cuda/lib64 ] || export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:/usr/local/cuda/lib64

find_programs() { find "${search[@]}" -name "$1" -type f -perm -u+x 2>/dev/null | sort; }
bench=$(find_programs spruce-bench | sed -n 1p)
# kernel_tests run on the executor that SPRUCE_TEST_EXECUTOR names. other_tests go through all executors by themselves, or test the
# loading of backends.
mapfile -t kernel_tests < <(for area in components factorization graph matrix multigrid preconditioner solver stop; do find_programs "test_${area}_*"; done)
for name in base_allocation_failures base_array base_composite_operators base_coo_apply2 base_executor base_index_set base_operands \
    log_throwing_loggers; do  # as test/CMakeLists.txt says
    mapfile -t -O ${#kernel_tests[@]} kernel_tests < <(find_programs "test_$name")
done
mapfile -t other_tests < <(for area in base log; do find_programs "test_${area}_*"; done | grep -v mtx_io |
    grep -v -x -F -f <(printf '%s\n' "${kernel_tests[@]}"))
# programs_for EXECUTOR: kernel_tests and the tests of device code that are compiled for this executor.
programs_for() {
    { printf '%s\n' "${kernel_tests[@]}" && find_programs "test_device_*_$1*"; } | while IFS= read -r program; do
        if [[ $(basename "$program") =~ $wanted_programs ]]; then echo "$program"; fi
    done
}
[ ${#kernel_tests[@]} -gt 0 ] || fail "no test programs (test_matrix_...) in ${search[*]}"

[ -n "$out" ] || out=$spruce_root/build/gpu-check
mkdir -p "$out"
out=$(realpath -- "$out")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
summary=$out/summary.txt
{
    echo "date: $(date -u +%Y-%m-%dT%H:%M:%SZ)"
    nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm,clocks.max.mem --format=csv,noheader -i 0 | sed 's/^/device: /'
    if nvcc=$(find_nvcc); then "$nvcc" --version | sed -n 's/^Cuda compilation tools, /nvcc: /p'; fi
    sed -n 's/^model name.*: /host: /p' /proc/cpuinfo | sed -n 1p
    [ ! -e "$spruce_root/.git" ] || git -C "$spruce_root" log -1 --format='commit: %h' 2>/dev/null || true
} | tee "$summary"
failed=0
note() { echo "$*" | tee -a "$summary"; }

# The environment in which a program runs on an executor.
environment_of() {
    local -a settings=("SPRUCE_TEST_EXECUTOR=$1")
    if [ "$1" = hip ]; then
        settings+=(SPRUCE_HIP_WARP_SIZE=32 "SPRUCE_BACKEND_PATH=$hip_libraries")
    fi
    printf '%s\n' "${settings[@]}"
}
# Many programs run at once: spinning threads of one would hold up the others.
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-2} OMP_WAIT_POLICY=passive
export SPRUCE_GPU_TIMEOUT=${SPRUCE_GPU_TIMEOUT:-300}

# --- tests -------------------------------------------------------------------------------------------------------------

# add_jobs LABEL COMMAND: a test program, in as many parts as asked for, as jobs for run_all.
add_jobs() {
    local shard
    for ((shard = 0; shard < shards; shard++)); do
        if [ "$shards" -eq 1 ]; then
            printf '%s\t%s\n' "$1" "$2"
        else
            printf '%s\t%s\n' "$1#$shard" "env GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$shard $2"
        fi
    done
}

# Jobs to run at once: LABEL<tab>COMMAND, results in $scratch/<number>.{log,status}; says what has ended.
run_all() {
    local list=$1
    # shellcheck disable=SC2016 # expanded by the inner shells
    awk '{ print NR "\t" $0 }' "$list" | xargs -d '\n' -P "$2" -I{} bash -c '
        IFS=$'"'\t'"' read -r number label command <<<"$1"
        started=$(date +%s.%N)
        status=0
        timeout --kill-after=10 "$SPRUCE_GPU_TIMEOUT" bash -c "$command" >"$2/$number.log" 2>&1 || status=$?
        seconds=$(awk -v a="$started" -v b="$(date +%s.%N)" "BEGIN { printf \"%.1f\", b - a }")
        printf "%s\t%s\t%s\n" "$label" "$status" "$seconds" >"$2/$number.status"
        printf "%s: status %s, %s s\n" "$label" "$status" "$seconds" >&2
    ' - {} "$scratch"
}

# collect LOG: what run_all left, in order, into one log; counts failures.
collect() {
    local status_file label status seconds
    for status_file in $(find "$scratch" -maxdepth 1 -name '*.status' | sort -V); do
        IFS=$'\t' read -r label status seconds <"$status_file"
        local passed skipped
        passed=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "${status_file%.status}.log" | sed -n 1p)
        skipped=$(sed -n 's/^\[  SKIPPED \] \([0-9]*\) test.*/\1/p' "${status_file%.status}.log" | sed -n 1p)
        if [ "$status" = 0 ] && [ "${passed:-0}" -gt 0 ]; then
            note "$(printf '  good    %-44s %5s tests%s, %6s s' "$label" "$passed" "${skipped:+, $skipped skipped}" "$seconds")"
        elif [ "$status" = 0 ]; then
            note "$(printf '  none    %-44s no test ran' "$label")"
        else
            note "$(printf '  FAILED  %-44s status %s, %6s s' "$label" "$status" "$seconds")"
            grep -E '^\[  FAILED  \] [^ ]*\.|ERROR SUMMARY|RACECHECK SUMMARY' "${status_file%.status}.log" | sort -u | sed -n 1,10p |
                sed 's/^/            /' | tee -a "$summary" || true  # a program that was stopped names no test
            failed=1
        fi
        printf '\n======== %s: status %s, %s s\n' "$label" "$status" "$seconds" >>"$1"
        # Of a test program's output, what went well is of no interest.
        grep -v -E '^\[( RUN      |       OK |----------)\]|^$' "${status_file%.status}.log" >>"$1" || true
    done
    rm -f "$scratch"/*.status "$scratch"/*.log
}

if wants tests; then
    heading "Tests"
    rm -f "$out/tests.log"
    for executor in "${executors[@]}"; do
        settings=$(environment_of "$executor" | xargs -d '\n' printf '%q ')
        while IFS= read -r program; do
            add_jobs "$executor/$(basename "$program")" "env $settings $(printf %q "$program")"
        done < <(programs_for "$executor")
    done >"$scratch/list"
    for program in "${other_tests[@]}"; do
        if [[ $(basename "$program") =~ $wanted_programs ]]; then
            add_jobs "all/$(basename "$program")" "$(printf %q "$program")"
        fi
    done >>"$scratch/list"
    run_all "$scratch/list" "$jobs"
    collect "$out/tests.log"
fi

# --- benchmark ---------------------------------------------------------------------------------------------------------

families=(poisson2d-5pt:2048 poisson3d-7pt:160 poisson3d-27pt:128 fem-block:64x64x64,3 random-band:2000000,16 rmat:20,16)
if wants bench; then
    heading "Benchmark"
    [ -n "$bench" ] || fail "spruce-bench is not in ${search[*]}"
    rm -f "$out/spmv.log"
    for executor in "${executors[@]}"; do
        mapfile -t settings < <(environment_of "$executor")
        if env "${settings[@]}" "$bench" spmv --executor "$executor" --formats all --json "$out/spmv_$executor.json" \
            "${families[@]/#/--gen=}" >"$scratch/bench" 2>"$scratch/bench.err"; then
            note "  good    spmv on $executor: spmv_$executor.json"
        else
            note "  FAILED  spmv on $executor"
            tail -n 5 "$scratch/bench.err"
            failed=1
        fi
        { echo "======== $executor"; cat "$scratch/bench"; } | tee -a "$out/spmv.log"
    done
fi

# --- sanitizer ---------------------------------------------------------------------------------------------------------

if wants sanitizer; then
    heading "compute-sanitizer"
    rm -f "$out/sanitizer.log"
    sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
    have "$sanitizer" || fail "compute-sanitizer was not found"
    filter=${SPRUCE_SANITIZER_FILTER:-$sanitizer_filter}
    for tool in memcheck racecheck initcheck synccheck; do
        options=
        # Tests provoke failures of the runtime, such as too large allocations: those are no errors here.
        [ "$tool" != memcheck ] || options="--report-api-errors no"
        # Threads of cuSPARSE's csrmv_v3_kernel write to the same place; only Spruce's own kernels are of interest.
        [ "$tool" != racecheck ] || options="--kernel-name-exclude kns=cusparse"
        for executor in "${executors[@]}"; do
            settings=$(environment_of "$executor" | xargs -d '\n' printf '%q ')
            while IFS= read -r program; do
                add_jobs "$tool/$executor/$(basename "$program")" \
                    "env $settings $sanitizer --tool $tool $options --error-exitcode 99 --print-limit 20 $(printf %q "$program") --gtest_filter='$filter'"
            done < <(programs_for "$executor")
        done
    done >"$scratch/list"
    run_all "$scratch/list" "$jobs"
    collect "$out/sanitizer.log"
fi

# --- result ------------------------------------------------------------------------------------------------------------

if [ $failed -eq 0 ]; then
    note "all good; results in $out"
else
    note "FAILED; results in $out"
fi
if wants bench; then
    # Without memory and connector: NVIDIA H100 80GB HBM3 is nvidia-h100.
    name=$(tr 'A-Z ' 'a-z-' <<<"$device" | tr -cd 'a-z0-9-\n' | sed -E 's/-(sxm|pcie|nvl|hbm|[0-9]+gb).*//')
    echo "results that a page uses: copy them to benchmark/results/$(date +%Y-%m-%d)-$name"
fi
exit $failed
