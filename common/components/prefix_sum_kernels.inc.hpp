// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

namespace components {
namespace kernel {

constexpr int items_per_thread = 8;
constexpr int items_per_block = items_per_thread * default_block_size;

/// sums[block] = sum of the block's stretch of counts, in 64 bits so that an overflow shows.
template <typename I>
__global__ __launch_bounds__(default_block_size) void sum_blocks(const I* counts, size_type size, uint64* sums)
{
    __shared__ uint64 scratch[default_block_size / warp_size];
    const auto begin = static_cast<size_type>(blockIdx.x) * items_per_block;
    uint64 sum{};
    for (int i = 0; i < items_per_thread; ++i) {
        const auto index = begin + threadIdx.x + static_cast<size_type>(i) * default_block_size;
        if (index < size) {
            sum += static_cast<uint64>(counts[index]);
        }
    }
    sum = block_reduce_add<default_block_size>(sum, scratch);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
    }
}

/// One block: sums[i] becomes the sum of those before i, sums[num_sums] the total.
__global__ __launch_bounds__(default_block_size) void scan_sums(uint64* sums, size_type num_sums)
{
    __shared__ uint64 scratch[default_block_size / warp_size];
    uint64 before{};
    for (size_type begin = 0; begin < num_sums; begin += default_block_size) {
        const auto index = begin + threadIdx.x;
        const auto value = index < num_sums ? sums[index] : 0;
        uint64 total{};
        const auto scanned = block_exclusive_scan<default_block_size>(value, scratch, total);
        if (index < num_sums) {
            sums[index] = before + scanned;
        }
        before += total;
    }
    if (threadIdx.x == 0) {
        sums[num_sums] = before;
    }
}

template <typename I>
__global__ __launch_bounds__(default_block_size) void scan_blocks(I* counts, size_type size, const uint64* sums)
{
    __shared__ uint64 scratch[default_block_size / warp_size];
    auto before = sums[blockIdx.x];
    for (int i = 0; i < items_per_thread; ++i) {
        const auto index = static_cast<size_type>(blockIdx.x) * items_per_block + threadIdx.x +
                           static_cast<size_type>(i) * default_block_size;
        const auto value = index + 1 < size ? static_cast<uint64>(counts[index]) : 0;
        uint64 total{};
        const auto scanned = block_exclusive_scan<default_block_size>(value, scratch, total);
        if (index < size) {
            counts[index] = static_cast<I>(before + scanned);
        }
        before += total;
    }
}

}  // namespace kernel

template <typename I>
void prefix_sum(const DeviceExecutor& exec, I* counts, size_type size)
{
    if (size == 0) {
        return;
    }
    // The last element takes no part: it receives the total of the others.
    const auto num_blocks = (size + kernel::items_per_block - 1) / kernel::items_per_block;
    array<uint64> sums{exec.shared_from_this(), num_blocks + 1};
    launch_blocks(exec, kernel::sum_blocks<I>, num_blocks, default_block_size, counts, size - 1, sums.get_data());
    launch_blocks(exec, kernel::scan_sums, 1, default_block_size, sums.get_data(), num_blocks);
    const auto total = exec.copy_val_to_host(sums.get_const_data() + num_blocks);
    if (total > static_cast<uint64>(std::numeric_limits<I>::max())) {
        throw OverflowError(__FILE__, __LINE__, sizeof(I) == sizeof(int32) ? "int32" : "int64");
    }
    launch_blocks(exec, kernel::scan_blocks<I>, num_blocks, default_block_size, counts, size, sums.get_const_data());
}

template <typename T>
void reduce_add(const DeviceExecutor& exec, const T* data, size_type size, T* result, array<char>& tmp)
{
    run_sum_columns<device_type<T>>(
        exec, size, 1, tmp, [data = as_device(data)] SPRUCE_LAMBDA(size_type i, size_type) { return data[i]; },
        [result = as_device(result)] SPRUCE_LAMBDA(size_type, const device_type<T>& sum) { *result += sum; });
}

/// Each row looks for its first entry by bisection: however many rows are empty, no thread has more to do than another.
template <typename I>
void convert_idxs_to_ptrs(const DeviceExecutor& exec, const I* idxs, size_type size, I* ptrs, size_type num_rows)
{
    run_for_each(exec, num_rows + 1, [=] SPRUCE_LAMBDA(size_type row) {
        size_type low{};
        auto high = size;
        while (low < high) {
            const auto middle = (low + high) / 2;
            if (static_cast<size_type>(idxs[middle]) < row) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        ptrs[row] = static_cast<I>(low);
    });
}

template <typename I>
void convert_ptrs_to_idxs(const DeviceExecutor& exec, const I* ptrs, size_type num_rows, I* idxs)
{
    run_for_each(exec, num_rows, [=] SPRUCE_LAMBDA(size_type row) {
        for (auto i = ptrs[row]; i < ptrs[row + 1]; ++i) {
            idxs[i] = static_cast<I>(row);
        }
    });
}

}  // namespace components

void register_prefix_sum()
{
    const auto register_reduce = [](auto tag) {
        using T = typename decltype(tag)::type;
        kernels::components::reduce_add<T>.template set<DeviceExecutor>(&components::reduce_add<T>);
    };
    for_each_value_type(register_reduce);
    spruce::detail::for_each_type(spruce::detail::type_list<int32, int64, size_type>{}, register_reduce);
    spruce::detail::for_each_type(spruce::detail::type_list<int32, int64>{}, [](auto tag) {
        using I = typename decltype(tag)::type;
        kernels::components::prefix_sum<I>.template set<DeviceExecutor>(&components::prefix_sum<I>);
        kernels::components::convert_idxs_to_ptrs<I>.template set<DeviceExecutor>(&components::convert_idxs_to_ptrs<I>);
        kernels::components::convert_ptrs_to_idxs<I>.template set<DeviceExecutor>(&components::convert_ptrs_to_idxs<I>);
    });
}
