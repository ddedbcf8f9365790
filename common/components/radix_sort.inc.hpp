// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// A stable radix sort, least significant digit first: each pass deals a stretch of keys for each block out by one digit.
// Counts of (digit, block) are scanned in that order, so equal digits keep their order: stable, and bitwise repeatable.

namespace radix {

constexpr int digit_bits = 4;
constexpr int num_digits = 1 << digit_bits;
constexpr int keys_per_thread = 4;
constexpr int keys_per_block = keys_per_thread * default_block_size;

namespace kernel {

template <typename Key>
__global__ __launch_bounds__(default_block_size) void count_digits(const Key* keys, size_type size, int shift,
                                                                   uint32* counts)
{
    __shared__ uint32 local_counts[num_digits];
    if (threadIdx.x < num_digits) {
        local_counts[threadIdx.x] = 0;
    }
    __syncthreads();
    const auto begin = static_cast<size_type>(blockIdx.x) * keys_per_block;
    for (int i = 0; i < keys_per_thread; ++i) {
        const auto index = begin + threadIdx.x + static_cast<size_type>(i) * default_block_size;
        if (index < size) {
            atomicAdd(&local_counts[keys[index] >> shift & (num_digits - 1)], 1u);
        }
    }
    __syncthreads();
    if (threadIdx.x < num_digits) {
        counts[threadIdx.x * gridDim.x + blockIdx.x] = local_counts[threadIdx.x];
    }
}

/// offsets: the scanned counts. Thread t of a block holds keys t * keys_per_thread, ..., in order; the rank of a key among
/// those of the same digit is a scan over the threads, two digits packed into one word.
template <typename Key, typename Payload>
__global__ __launch_bounds__(default_block_size) void scatter(const Key* keys, const Payload* payload, size_type size,
                                                              int shift, const uint32* offsets, Key* new_keys,
                                                              Payload* new_payload)
{
    constexpr int digits_per_word = 4;
    constexpr int bits_per_count = 64 / digits_per_word;
    static_assert(keys_per_block < 1 << bits_per_count, "a count of the whole block fits its bits");
    __shared__ uint64 scratch[default_block_size / warp_size];
    const auto begin = static_cast<size_type>(blockIdx.x) * keys_per_block + threadIdx.x * keys_per_thread;
    Key my_keys[keys_per_thread];
    int digits[keys_per_thread];
    for (int i = 0; i < keys_per_thread; ++i) {
        if (begin + i < size) {
            my_keys[i] = keys[begin + i];
            digits[i] = static_cast<int>(my_keys[i] >> shift & (num_digits - 1));
        } else {
            digits[i] = -1;
        }
    }
    for (int word = 0; word < num_digits / digits_per_word; ++word) {
        uint64 counts{};
        for (int i = 0; i < keys_per_thread; ++i) {
            if (digits[i] >= 0 && digits[i] / digits_per_word == word) {
                counts += uint64{1} << (digits[i] % digits_per_word * bits_per_count);
            }
        }
        uint64 total{};
        auto ranks = block_exclusive_scan<default_block_size>(counts, scratch, total);
        for (int i = 0; i < keys_per_thread; ++i) {
            if (digits[i] >= 0 && digits[i] / digits_per_word == word) {
                const auto place = digits[i] % digits_per_word * bits_per_count;
                const auto rank = ranks >> place & ((uint64{1} << bits_per_count) - 1);
                const auto target = offsets[digits[i] * gridDim.x + blockIdx.x] + rank;
                new_keys[target] = my_keys[i];
                new_payload[target] = payload[begin + i];
                ranks += uint64{1} << place;
            }
        }
    }
}

}  // namespace kernel

/// Sorts keys (none negative, all below bound) and the payload with them; stable.
template <typename Key, typename Payload>
void sort(const DeviceExecutor& exec, array<Key>& keys, array<Payload>& payload, uint64 bound)
{
    const auto shared_exec = exec.shared_from_this();
    const auto size = keys.get_size();
    if (size > std::numeric_limits<uint32>::max()) {
        throw OverflowError(__FILE__, __LINE__, "the 32-bit offsets of a sort");
    }
    const auto num_blocks = (size + keys_per_block - 1) / keys_per_block;
    array<Key> new_keys{shared_exec, size};
    array<Payload> new_payload{shared_exec, size};
    array<uint32> counts{shared_exec, num_blocks * num_digits + 1};
    for (int shift = 0; shift < 64 && (bound - 1) >> shift != 0 && size > 0; shift += digit_bits) {
        launch_blocks(exec, kernel::count_digits<Key>, num_blocks, default_block_size, keys.get_const_data(), size,
                      shift, counts.get_data());
        spruce::kernels::components::prefix_sum<int32>(exec, reinterpret_cast<int32*>(counts.get_data()),
                                                       counts.get_size());
        launch_blocks(exec, kernel::scatter<Key, Payload>, num_blocks, default_block_size, keys.get_const_data(),
                      payload.get_const_data(), size, shift, counts.get_const_data(), new_keys.get_data(),
                      new_payload.get_data());
        std::swap(keys, new_keys);
        std::swap(payload, new_payload);
    }
}

}  // namespace radix
