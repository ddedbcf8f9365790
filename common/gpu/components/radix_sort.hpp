// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Contains a stable radix sort that begins with the least significant digit (Zagha and Blelloch
// 1991; Merrill and Grimshaw 2011). Each pass divides the records into tiles, one for each block.
// It counts the digits of each tile and scans the counts in the order (digit, tile). Then it sorts
// the records of each tile by the digit in shared memory and writes them in runs to their
// positions. No block waits for another one. The positions do not depend on the order in which
// threads run: results are bitwise repeatable.
//
// A pass reads the keys for the counts, then reads and writes the records. Wider digits would save
// passes but leave runs of one or two records, each of which is a separate memory transaction.

#include "common/gpu/base/prelude.hpp"
#include "common/gpu/components/prefix_sum.hpp"
#include "common/numeric/sort_records.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {

namespace radix_sort {

constexpr int max_digit_bits = 8;
constexpr int max_digit_values = 1 << max_digit_bits;
constexpr int num_warps = default_block_size / warp_size;
static_assert(max_digit_values <= default_block_size, "a thread for each value of a digit");

/// Number of records of a thread. It is so small that four blocks at once have enough registers,
/// and that a tile fits into the shared memory of a block (doc/tuning/sorting.md).
template <typename Records>
constexpr int records_per_thread = sizeof(typename Records::key_type) + sizeof(typename Records::index_type) <= 12 &&
                                           sizeof(typename Records::payload_type) <= 8
                                       ? 16
                                       : 8;
template <typename Records>
constexpr int records_per_tile = records_per_thread<Records>* default_block_size;

/// Holds separate counts for each warp of a block.
struct warp_counts {
    __device__ __forceinline__ void clear()
    {
        for (int i = threadIdx.x; i < num_warps * max_digit_values; i += default_block_size) {
            counts[i / max_digit_values][i % max_digit_values] = 0;
        }
    }
    __device__ __forceinline__ uint32* of_this_warp() { return counts[threadIdx.x / warp_size]; }

    uint32 counts[num_warps][max_digit_values];
};

/// Holds values of a digit, four in each register.
template <int size>
struct packed_values {
    __device__ __forceinline__ void set(int i, uint32 value) { words[i / 4] |= value << i % 4 * 8; }
    __device__ __forceinline__ uint32 get(int i) const { return words[i / 4] >> i % 4 * 8 & 255; }

    uint32 words[size / 4] = {};
};

/// Computes counts[value * num_tiles + tile], the number of the tile's records with this value of
/// the digit. All keys of a thread are loaded before one is counted (doc/tuning/conversions.md).
template <typename Source, typename I = typename Source::index_type>
__global__ __launch_bounds__(default_block_size) void count_digits(Source from, size_type size,
                                                                   typename Source::digit_type digit, I* counts)
{
    constexpr int per_thread = records_per_thread<Source>;
    __shared__ warp_counts local;
    local.clear();
    __syncthreads();
    const auto begin = static_cast<size_type>(grid_dependency_sync()) * records_per_tile<Source>;
    const auto counts_of_warp = local.of_this_warp();
    const auto index_of = [&](int i) { return begin + threadIdx.x + static_cast<size_type>(i) * default_block_size; };
    uint32 values[per_thread];
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
        values[i] = index_of(i) < size ? from.get_value(index_of(i), digit) : 0;
    }
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
        if (index_of(i) < size) {
            atomicAdd(&counts_of_warp[values[i]], 1u);
        }
    }
    __syncthreads();
    const int value = threadIdx.x;
    if (value < 1 << digit.num_bits) {
        uint32 sum{};
        for (int i = 0; i < num_warps; ++i) {
            sum += local.counts[i][value];
        }
        counts[static_cast<size_type>(value) * gridDim.x + blockIdx.x] = static_cast<I>(sum);
    }
}

/// Writes the records to their positions. Each warp processes a contiguous part of the tile; thread
/// t of it has the records t, t + warp_size, ... of this part. Lanes with equal digits find each
/// other by ballots. The first of them reserves positions for all of them in the warp's count of
/// the digit. The counts of the preceding warps and digits turn these positions into positions in
/// the tile. Keys and payloads use the same shared memory one after the other. Four blocks have to
/// fit a multiprocessor (doc/tuning/sorting.md).
/// @param offsets  the scanned counts
template <typename Source, typename Target, typename I = typename Source::index_type>
__global__ __launch_bounds__(default_block_size, 4) void scatter(Source from, size_type size,
                                                                 typename Source::digit_type digit, const I* offsets,
                                                                 Target to)
{
    using K = typename Source::key_type;
    using P = typename Source::payload_type;
    constexpr int per_thread = records_per_thread<Source>;
    constexpr int per_tile = records_per_tile<Source>;
    union in_turns {
        K keys[per_tile];
        P payloads[per_tile];
    };
    __shared__ warp_counts local;
    __shared__ I run_begins[max_digit_values];  // minus the position in the tile of the run's first record
    __shared__ in_turns sorted;
    __shared__ uint32 scratch[num_warps];
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto tile_begin = static_cast<size_type>(grid_dependency_sync()) * per_tile;
    const auto num_remaining = size - tile_begin;
    const int tile_size = num_remaining < size_type{per_tile} ? static_cast<int>(num_remaining) : per_tile;
    const int thread_begin = static_cast<int>(threadIdx.x) / warp_size * per_thread * warp_size + warp.thread_rank();
    const auto source_begin = tile_begin + thread_begin;
    const auto thread_size = tile_size - thread_begin;
    const auto last_value = (uint32{1} << digit.num_bits) - 1;
    const int thread_value = threadIdx.x;
    const auto value_offset = static_cast<uint32>(thread_value) <= last_value
                                  ? offsets[static_cast<size_type>(thread_value) * gridDim.x + blockIdx.x]
                                  : I{};
    local.clear();
    K thread_keys[per_thread];
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
        thread_keys[i] = i * warp_size < thread_size ? from.get_key(source_begin + i * warp_size) : K{};
    }
    __syncthreads();
    uint32 positions[per_thread];
    const auto counts_of_warp = local.of_this_warp();
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
        // Indices beyond the end have the last value of the digit and are placed after all records.
        const auto value = i * warp_size < thread_size ? Source::value_of(thread_keys[i], digit) : last_value;
        const auto peers = warp.match(value, digit.num_bits);
        const auto first = warp::ffs(peers) - 1;
        uint32 count{};
        if (first == warp.thread_rank()) {
            count = counts_of_warp[value];
            counts_of_warp[value] = count + warp::popcnt(peers);
        }
        const auto peers_below = peers & ((lane_mask_type{1} << warp.thread_rank()) - 1);
        positions[i] = warp.shfl(count, first) + warp::popcnt(peers_below);
        warp.sync();
    }
    __syncthreads();
    uint32 sum{};
    if (thread_value < max_digit_values) {
        for (int i = 0; i < num_warps; ++i) {
            const auto count = local.counts[i][thread_value];
            local.counts[i][thread_value] = sum;
            sum += count;
        }
    }
    uint32 total{};
    const auto run_begin = block_exclusive_scan<default_block_size>(sum, scratch, total);
    if (thread_value < max_digit_values) {
        for (int i = 0; i < num_warps; ++i) {
            local.counts[i][thread_value] += run_begin;
        }
        run_begins[thread_value] = value_offset - static_cast<I>(run_begin);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
        if (i * warp_size < thread_size) {
            positions[i] += counts_of_warp[Source::value_of(thread_keys[i], digit)];
            sorted.keys[positions[i]] = thread_keys[i];
        }
    }
    __syncthreads();
    packed_values<per_thread> thread_values;
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
        const int index = threadIdx.x + i * default_block_size;
        if (index < tile_size) {
            const auto key = sorted.keys[index];
            const auto value = Source::value_of(key, digit);
            thread_values.set(i, value);
            to.set_key(run_begins[value] + static_cast<I>(index), key);
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
        if (i * warp_size < thread_size) {
            sorted.payloads[positions[i]] = from.get_payload(source_begin + i * warp_size);
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
        const int index = threadIdx.x + i * default_block_size;
        if (index < tile_size) {
            to.set_payload(run_begins[thread_values.get(i)] + static_cast<I>(index), sorted.payloads[index]);
        }
    }
}

/// Sorts size records by the digits, the lowest first. The passes write alternately to result and
/// to other, the last one to result. The source may be the one of them to which the first pass does
/// not write.
/// @throws OverflowError  if an index cannot hold size; nothing is changed then, nor if an
///     allocation fails
template <typename Source, typename Target>
void sort(const DeviceExecutor& exec, const std::vector<typename Source::digit_type>& digits, Source source,
          size_type size, Target result, Target other)
{
    using I = typename Source::index_type;
    if (size == 0) {
        return;
    }
    if (size > static_cast<size_type>(std::numeric_limits<I>::max())) {
        throw OverflowError(__FILE__, __LINE__, sizeof(I) == sizeof(int32) ? "int32" : "int64");
    }
    const auto num_tiles = static_cast<size_type>(ceildiv(size, records_per_tile<Source>));
    array<I> counts{exec.shared_from_this(), (num_tiles << max_digit_bits) + 1};
    array<uint64> sums{exec.shared_from_this(), components::num_block_sums(counts.get_size())};
    for (size_type pass = 0; pass < digits.size(); ++pass) {
        const auto digit = digits[pass];
        const auto target = (digits.size() - pass) % 2 == 1 ? result : other;
        launch_dependent(exec, count_digits<Source>, num_tiles, source, size, digit, counts.get_data());
        const auto num_counts = (num_tiles << digit.num_bits) + 1;
        components::sum_blocks(exec, counts.get_const_data(), num_counts, sums.get_data());
        components::scan_blocks(exec, counts.get_data(), num_counts, sums.get_const_data());
        launch_dependent(exec, scatter<Source, Target>, num_tiles, source, size, digit, counts.get_const_data(),
                         target);
        source = target.as_source();
    }
}

}  // namespace radix_sort

}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
