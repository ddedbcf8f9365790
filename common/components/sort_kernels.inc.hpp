// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// A stable radix sort, least significant digit first (Zagha and Blelloch 1991; Merrill and Grimshaw 2011). Each pass takes
// the keys in tiles, one for each block: it counts the digits of each tile, scans the counts in the order (digit, tile), and
// writes the keys of each tile, put in order of their digit in shared memory first, in runs to where they belong. No block
// waits for another, and places do not depend on the order in which threads run: bitwise repeatable.
//
// A pass reads the keys for the counts, then reads and writes keys and positions: 5 words for each key. With 8-bit digits 21
// bits (two million columns) take three passes, that is 15 words, of which the positions that the first pass makes itself
// are saved. Wider digits would save a pass, but leave runs of one or two keys, each a memory transaction of its own.

namespace components {
namespace sort_kernel {

constexpr int max_digit_bits = 8;
constexpr int max_digit_values = 1 << max_digit_bits;
constexpr int num_warps = default_block_size / warp_size;
/// For any type the keys and positions of a tile take the same shared memory, two thirds of what a block may have.
template <typename I>
constexpr int keys_per_thread = 16 * static_cast<int>(sizeof(int32)) / static_cast<int>(sizeof(I));
template <typename I>
constexpr int keys_per_tile = keys_per_thread<I>* default_block_size;
static_assert(max_digit_values <= default_block_size, "a thread for each value of a digit");

template <typename I>
__device__ __forceinline__ uint32 value_of(I key, radix_digit digit)
{
    return static_cast<uint32>(static_cast<size_type>(key) >> digit.shift) & ((uint32{1} << digit.num_bits) - 1);
}

/// Each warp of a block has counts of its own.
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

/// counts[value * num_tiles + tile] = number of the tile's keys with this value of the digit
template <typename I>
__global__ __launch_bounds__(default_block_size) void count_digits(const I* __restrict__ keys, size_type size,
                                                                   radix_digit digit, I* counts)
{
    __shared__ warp_counts local;
    local.clear();
    __syncthreads();
    const auto begin = static_cast<size_type>(blockIdx.x) * keys_per_tile<I>;
    const auto my_counts = local.of_this_warp();
    I my_keys[keys_per_thread<I>];
    const auto index_of = [&](int i) { return begin + threadIdx.x + static_cast<size_type>(i) * default_block_size; };
#pragma unroll
    for (int i = 0; i < keys_per_thread<I>; ++i) {
        my_keys[i] = index_of(i) < size ? keys[index_of(i)] : I{};
    }
#pragma unroll
    for (int i = 0; i < keys_per_thread<I>; ++i) {
        if (index_of(i) < size) {
            atomicAdd(&my_counts[value_of(my_keys[i], digit)], 1u);
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

/// Each warp has a stretch of the tile; thread t of it has the keys t, t + warp_size, ... of the stretch. Lanes with the same
/// digit find each other by ballots, and the first of them draws places for all from the warp's count of that digit. The
/// counts of the warps and digits before then make of these the places in the tile.
/// @param offsets  the scanned counts
/// @param positions  or nullptr for 0, 1, ...
template <typename I>
__global__ __launch_bounds__(default_block_size) void scatter_keys(const I* __restrict__ keys,
                                                                   const I* __restrict__ positions, size_type size,
                                                                   radix_digit digit, const I* offsets, I* new_keys,
                                                                   I* new_positions)
{
    __shared__ warp_counts local;
    __shared__ I run_begins[max_digit_values];  // less the place in the tile of the run's first key
    __shared__ I sorted_keys[keys_per_tile<I>];
    __shared__ I sorted_positions[keys_per_tile<I>];
    __shared__ uint32 scratch[num_warps];
    const auto warp = group::tiled_partition<warp_size>(group::this_thread_block());
    const auto tile_begin = static_cast<size_type>(blockIdx.x) * keys_per_tile<I>;
    const auto left = size - tile_begin;
    const int tile_size = left < size_type{keys_per_tile<I>} ? static_cast<int>(left) : keys_per_tile<I>;
    const int my_begin =
        static_cast<int>(threadIdx.x) / warp_size * keys_per_thread<I> * warp_size + warp.thread_rank();
    const auto last_value = (uint32{1} << digit.num_bits) - 1;
    local.clear();
    I my_keys[keys_per_thread<I>];
#pragma unroll
    for (int i = 0; i < keys_per_thread<I>; ++i) {
        const auto index = my_begin + i * warp_size;
        my_keys[i] = index < tile_size ? keys[tile_begin + index] : I{};
    }
    __syncthreads();
    uint32 places[keys_per_thread<I>];
    const auto my_counts = local.of_this_warp();
#pragma unroll
    for (int i = 0; i < keys_per_thread<I>; ++i) {
        // What is beyond the end counts as last, behind all keys.
        const auto value = my_begin + i * warp_size < tile_size ? value_of(my_keys[i], digit) : last_value;
        const auto peers = warp.match(value, digit.num_bits);
        const auto first = warp::ffs(peers) - 1;
        uint32 count{};
        if (first == warp.thread_rank()) {
            count = my_counts[value];
            my_counts[value] = count + warp::popcnt(peers);
        }
        const auto peers_below = peers & ((lane_mask_type{1} << warp.thread_rank()) - 1);
        places[i] = warp.shfl(count, first) + warp::popcnt(peers_below);
        warp.sync();
    }
    __syncthreads();
    const int my_value = threadIdx.x;
    uint32 sum{};
    if (my_value < max_digit_values) {
        for (int i = 0; i < num_warps; ++i) {
            const auto count = local.counts[i][my_value];
            local.counts[i][my_value] = sum;
            sum += count;
        }
    }
    uint32 total{};
    const auto run_begin = block_exclusive_scan<default_block_size>(sum, scratch, total);
    if (my_value < max_digit_values) {
        for (int i = 0; i < num_warps; ++i) {
            local.counts[i][my_value] += run_begin;
        }
        if (my_value < 1 << digit.num_bits) {
            run_begins[my_value] =
                offsets[static_cast<size_type>(my_value) * gridDim.x + blockIdx.x] - static_cast<I>(run_begin);
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < keys_per_thread<I>; ++i) {
        const auto index = my_begin + i * warp_size;
        if (index < tile_size) {
            const auto place = my_counts[value_of(my_keys[i], digit)] + places[i];
            sorted_keys[place] = my_keys[i];
            sorted_positions[place] = positions ? positions[tile_begin + index] : static_cast<I>(tile_begin + index);
        }
    }
    __syncthreads();
    for (int index = threadIdx.x; index < tile_size; index += default_block_size) {
        const auto key = sorted_keys[index];
        const auto target = run_begins[value_of(key, digit)] + static_cast<I>(index);
        new_keys[target] = key;
        new_positions[target] = sorted_positions[index];
    }
}

}  // namespace sort_kernel

template <typename I>
void sort_keys(const DeviceExecutor& exec, const I* keys, const I* positions, size_type size, size_type bound,
               I* new_keys, I* new_positions)
{
    const auto digits = split_into_digits(bound, sort_kernel::max_digit_bits);
    if (digits.empty() || size == 0) {
        run_for_each(exec, size, [=] SPRUCE_LAMBDA(size_type i) {
            new_keys[i] = keys[i];
            new_positions[i] = positions ? positions[i] : static_cast<I>(i);
        });
        return;
    }
    const auto shared_exec = exec.shared_from_this();
    const auto num_tiles = static_cast<size_type>(ceildiv(size, sort_kernel::keys_per_tile<I>));
    const auto buffer_size = digits.size() > 1 ? size : 0;
    array<I> other_keys{shared_exec, buffer_size};
    array<I> other_positions{shared_exec, buffer_size};
    array<I> counts{shared_exec, (num_tiles << sort_kernel::max_digit_bits) + 1};
    for (size_type pass = 0; pass < digits.size(); ++pass) {
        const auto digit = digits[pass];
        const auto is_to_result = (digits.size() - pass) % 2 == 1;  // so that the last one is
        const auto to_keys = is_to_result ? new_keys : other_keys.get_data();
        const auto to_positions = is_to_result ? new_positions : other_positions.get_data();
        launch_blocks(exec, sort_kernel::count_digits<I>, num_tiles, default_block_size, keys, size, digit,
                      counts.get_data());
        const auto num_counts = (num_tiles << digit.num_bits) + 1;
        scan(exec, counts.get_data(), num_counts, sum_blocks(exec, counts.get_const_data(), num_counts));
        launch_blocks(exec, sort_kernel::scatter_keys<I>, num_tiles, default_block_size, keys, positions, size, digit,
                      counts.get_const_data(), to_keys, to_positions);
        keys = to_keys;
        positions = to_positions;
    }
}

}  // namespace components

void register_sort()
{
    spruce::detail::for_each_type(spruce::detail::type_list<int32, int64>{}, [](auto tag) {
        using I = typename decltype(tag)::type;
        kernels::components::sort_keys<I>.template set<DeviceExecutor>(&components::sort_keys<I>);
    });
}
