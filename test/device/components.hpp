// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Tests the components of kernels: groups, bit functions of lane masks, atomics, reductions,
// searches. Kernels call them on the device, and the host compares the results with plain
// definitions. This file is included after the configuration of a backend and after start(kernel,
// num_blocks, block_size, args...).

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "benchmark/groups/reduction_kernels.hpp"
#include "common/gpu/base/prelude.hpp"

namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE {
namespace {

// ---- running kernels

void check(error_type error)
{
    if (error != SPRUCE_GPU(Success)) {
        throw std::runtime_error(SPRUCE_GPU(GetErrorString)(error));
    }
}

/// Allocates device memory whose bits are all set at first: NaN or -1.
template <typename T>
class device_array {
public:
    explicit device_array(size_type size) : size_{size}
    {
        check(SPRUCE_GPU(Malloc)(reinterpret_cast<void**>(&data_), size_ * sizeof(T)));
        check(SPRUCE_GPU(Memset)(data_, 0xff, size_ * sizeof(T)));
    }
    explicit device_array(const std::vector<T>& host) : device_array(host.size())
    {
        check(SPRUCE_GPU(Memcpy)(data_, host.data(), size_ * sizeof(T), SPRUCE_GPU(MemcpyHostToDevice)));
    }
    device_array(const device_array&) = delete;
    device_array& operator=(const device_array&) = delete;
    ~device_array() { static_cast<void>(SPRUCE_GPU(Free)(data_)); }

    T* get() const { return data_; }

    std::vector<T> to_host() const
    {
        std::vector<T> host(size_);
        check(SPRUCE_GPU(Memcpy)(host.data(), data_, size_ * sizeof(T), SPRUCE_GPU(MemcpyDeviceToHost)));
        return host;
    }

private:
    T* data_{};
    size_type size_;
};

/// Launches the kernel and waits for it.
template <typename... Params>
void run(void (*kernel)(Params...), unsigned num_blocks, dim3 block_size, std::common_type_t<Params>... args)
{
    start(kernel, num_blocks, block_size, static_cast<Params>(args)...);
    check(SPRUCE_GPU(GetLastError)());
    check(SPRUCE_GPU(DeviceSynchronize)());
}

/// Returns result[0], ..., result[size - 1] after one block has run kernel(result, args...).
template <typename T, typename... Params>
std::vector<T> results_of(void (*kernel)(T*, Params...), size_type size, dim3 block_size,
                          std::common_type_t<Params>... args)
{
    const device_array<T> result(size);
    run(kernel, 1, block_size, result.get(), args...);
    return result.to_host();
}

/// Calls function(std::integral_constant<int, size>) for every size of a tile.
template <typename Function>
void for_each_tile_size(Function function)
{
    for (int size = 1; size <= warp_size; size *= 2) {
        SCOPED_TRACE("tiles of " + std::to_string(size));
        select_subwarp_size(size, function);
    }
}

constexpr int num_threads = default_block_size;

template <int size>
__device__ __forceinline__ auto my_tile()
{
    return group::tiled_partition<size>(group::this_thread_block());
}

/// Returns finite values without two equal words.
template <typename T>
std::vector<T> values_of_different_words(int num)
{
    std::vector<T> values(num);
    std::vector<uint32> words(num * sizeof(T) / sizeof(uint32));
    for (size_type i = 0; i < words.size(); ++i) {
        words[i] = static_cast<uint32>(0x3f800000 + i);
    }
    std::memcpy(static_cast<void*>(values.data()), words.data(), num * sizeof(T));
    return values;
}

/// Returns integers whose sums are exact in every type. The parts of complex numbers differ.
template <typename T>
std::vector<T> small_whole_numbers(int num)
{
    std::vector<T> values(num);
    for (int i = 0; i < num; ++i) {
        const auto number = i * i % 13 + i % 3;
        if constexpr (std::is_arithmetic_v<T>) {
            values[i] = static_cast<T>(number);
        } else {
            using real = typename T::value_type;
            values[i] = T{static_cast<real>(number), static_cast<real>(3 - i % 7)};
        }
    }
    return values;
}

using all_types = ::testing::Types<int32, int64, float, double, device_complex<float>, device_complex<double>>;
using all_types_of_groups = ::testing::Types<int32, float, double, device_complex<float>, device_complex<double>>;
using all_value_types = ::testing::Types<float, double, device_complex<float>, device_complex<double>>;

// ---- the block

__global__ void describe_block(int* result)
{
    const auto block = group::this_thread_block();
    const auto thread_result = result + 5 * block.thread_rank();
    thread_result[0] = static_cast<int>(threadIdx.x);
    thread_result[1] = static_cast<int>(threadIdx.y);
    thread_result[2] = static_cast<int>(threadIdx.z);
    thread_result[3] = block.size();
    thread_result[4] = warp::lane_id();
}

TEST(DeviceBlock, RanksGoAlongTheFirstDimensionFirst)
{
    for (const auto& shape : {dim3(num_threads, 1, 1), dim3(warp_size + 1, 3, 1), dim3(5, 4, 7)}) {
        const auto size = static_cast<int>(shape.x * shape.y * shape.z);

        const auto result = results_of(describe_block, 5 * size, shape);

        int rank = 0;
        for (int z = 0; z < static_cast<int>(shape.z); ++z) {
            for (int y = 0; y < static_cast<int>(shape.y); ++y) {
                for (int x = 0; x < static_cast<int>(shape.x); ++x, ++rank) {
                    ASSERT_EQ(result[5 * rank], x);
                    ASSERT_EQ(result[5 * rank + 1], y);
                    ASSERT_EQ(result[5 * rank + 2], z);
                    ASSERT_EQ(result[5 * rank + 3], size);
                    ASSERT_EQ(result[5 * rank + 4], rank % warp_size);
                }
            }
        }
    }
}

__global__ void reverse_block(int* result)
{
    __shared__ int values[num_threads];
    const auto block = group::this_thread_block();
    const auto rank = block.thread_rank();
    values[rank] = rank;
    block.sync();
    result[rank] = values[num_threads - 1 - rank];
}

TEST(DeviceBlock, SyncShowsWhatOthersWrote)
{
    const auto result = results_of(reverse_block, num_threads, num_threads);

    for (int i = 0; i < num_threads; ++i) {
        ASSERT_EQ(result[i], num_threads - 1 - i);
    }
}

// ---- tiles

template <int size>
__global__ void describe_tile(lane_mask_type* result)
{
    const auto tile = my_tile<size>();
    const auto thread_result = result + 3 * group::this_thread_block().thread_rank();
    thread_result[0] = static_cast<lane_mask_type>(tile.size());
    thread_result[1] = static_cast<lane_mask_type>(tile.thread_rank());
    thread_result[2] = tile.mask();
}

TEST(DeviceTile, IsMadeOfNeighbours)
{
    for_each_tile_size([](auto tile_size) {
        constexpr int size = decltype(tile_size)::value;
        for (const auto& shape : {dim3(num_threads, 1, 1), dim3(num_threads / 4, 2, 2)}) {
            const auto result = results_of(describe_tile<size>, 3 * num_threads, shape);

            for (int i = 0; i < num_threads; ++i) {
                lane_mask_type lanes{};
                for (int lane = 0; lane < warp_size; ++lane) {
                    const auto is_member = lane / size == i % warp_size / size;
                    lanes |= lane_mask_type{is_member} << lane;
                }
                ASSERT_EQ(result[3 * i], lane_mask_type{size});
                ASSERT_EQ(result[3 * i + 1], static_cast<lane_mask_type>(i % size));
                ASSERT_EQ(result[3 * i + 2], lanes);
            }
        }
    });
}

template <int size>
__global__ void reverse_tile(int* result)
{
    __shared__ int values[num_threads];
    const auto tile = my_tile<size>();
    const int thread = threadIdx.x;
    const auto begin = thread - tile.thread_rank();
    values[thread] = thread;
    for (int i = 0; i < 3; ++i) {
        tile.sync();
        const auto opposite = values[begin + size - 1 - tile.thread_rank()];
        tile.sync();
        values[thread] = opposite;
    }
    result[thread] = values[thread];
}

TEST(DeviceTile, SyncShowsWhatOthersWrote)
{
    for_each_tile_size([](auto tile_size) {
        constexpr int size = decltype(tile_size)::value;

        const auto result = results_of(reverse_tile<size>, num_threads, num_threads);

        for (int i = 0; i < num_threads; ++i) {
            ASSERT_EQ(result[i], i - i % size + size - 1 - i % size);
        }
    });
}

constexpr int num_shuffles = 5;

/// Stores for i = 0, ..., size, for each shuffle and for each thread the value that it receives.
template <int size, typename T>
__global__ void shuffle(T* result, const T* values)
{
    const auto tile = my_tile<size>();
    const auto rank = tile.thread_rank();
    const auto value = values[threadIdx.x];
    auto thread_result = result + threadIdx.x;
    const auto write = [&](const T& shuffled) {
        *thread_result = shuffled;
        thread_result += num_threads;
    };
    for (int i = 0; i <= size; ++i) {
        write(tile.shfl(value, i % size));
        write(tile.shfl(value, (3 * rank + i) % size));
        write(tile.shfl_xor(value, i % size));
        write(tile.shfl_up(value, i));
        write(tile.shfl_down(value, i));
    }
}

template <typename T>
class DeviceShuffle : public ::testing::Test {};
TYPED_TEST_SUITE(DeviceShuffle, all_types);

TYPED_TEST(DeviceShuffle, ReadsTheRankThatItNames)
{
    using T = TypeParam;
    const auto values = values_of_different_words<T>(num_threads);
    const device_array<T> device_values(values);
    for_each_tile_size([&](auto tile_size) {
        constexpr int size = decltype(tile_size)::value;

        const auto result =
            results_of(shuffle<size, T>, (size + 1) * num_shuffles * num_threads, num_threads, device_values.get());

        for (int i = 0; i <= size; ++i) {
            for (int thread = 0; thread < num_threads; ++thread) {
                const auto rank = thread % size;
                const int sources[] = {i % size, (3 * rank + i) % size, rank ^ (i % size),
                                       rank - i >= 0 ? rank - i : rank, rank + i < size ? rank + i : rank};
                for (int j = 0; j < num_shuffles; ++j) {
                    const auto found = result[(i * num_shuffles + j) * num_threads + thread];
                    ASSERT_EQ(found, values[thread - rank + sources[j]])
                        << "shuffle " << j << " with " << i << ", thread " << thread;
                }
            }
        }
    });
}

/// Stores for each pattern and for each thread ballot, any and all of the pattern's bit for its
/// lane.
template <int size>
__global__ void vote(lane_mask_type* result, const lane_mask_type* patterns, int num_patterns)
{
    const auto tile = my_tile<size>();
    const auto lane = threadIdx.x % warp_size;
    for (int i = 0; i < num_patterns; ++i) {
        const auto predicate = (patterns[i] >> lane & 1) != 0;
        const auto thread_result = result + 3 * (i * num_threads + threadIdx.x);
        thread_result[0] = tile.ballot(predicate);
        thread_result[1] = tile.any(predicate);
        thread_result[2] = tile.all(predicate);
    }
}

TEST(DeviceTile, VotesAreThoseOfItsThreads)
{
    std::vector<lane_mask_type> patterns{0, ~lane_mask_type{}, ~lane_mask_type{} / 7};
    for (int lane = 0; lane < warp_size; ++lane) {
        patterns.push_back(lane_mask_type{1} << lane);
        patterns.push_back(~(lane_mask_type{1} << lane));
    }
    const auto num_patterns = static_cast<int>(patterns.size());
    const device_array<lane_mask_type> device_patterns(patterns);
    for_each_tile_size([&](auto tile_size) {
        constexpr int size = decltype(tile_size)::value;

        const auto result =
            results_of(vote<size>, 3 * num_patterns * num_threads, num_threads, device_patterns.get(), num_patterns);

        for (int i = 0; i < num_patterns; ++i) {
            for (int thread = 0; thread < num_threads; ++thread) {
                lane_mask_type ballot{};
                auto any = false;
                auto all = true;
                for (int rank = 0; rank < size; ++rank) {
                    const auto lane = (thread - thread % size + rank) % warp_size;
                    const auto predicate = (patterns[i] >> lane & 1) != 0;
                    ballot |= lane_mask_type{predicate} << rank;
                    any = any || predicate;
                    all = all && predicate;
                }
                const auto thread_result = result.data() + 3 * (i * num_threads + thread);
                ASSERT_EQ(thread_result[0], ballot) << "pattern " << patterns[i] << ", thread " << thread;
                ASSERT_EQ(thread_result[1], lane_mask_type{any}) << "pattern " << patterns[i] << ", thread " << thread;
                ASSERT_EQ(thread_result[2], lane_mask_type{all}) << "pattern " << patterns[i] << ", thread " << thread;
            }
        }
    });
}

constexpr int max_matched_bits = 6;

template <int size>
__global__ void match(lane_mask_type* result, const uint32* values)
{
    const auto tile = my_tile<size>();
    for (int num_bits = 0; num_bits <= max_matched_bits; ++num_bits) {
        result[num_bits * num_threads + threadIdx.x] = tile.match(values[threadIdx.x], num_bits);
    }
}

TEST(DeviceTile, MatchComparesTheLowestBits)
{
    std::vector<uint32> values(num_threads);
    for (uint32 i = 0; i < num_threads; ++i) {
        values[i] = i * i / 3 % (1 << (max_matched_bits - 2)) + (i << max_matched_bits);
    }
    const device_array<uint32> device_values(values);
    for_each_tile_size([&](auto tile_size) {
        constexpr int size = decltype(tile_size)::value;

        const auto result =
            results_of(match<size>, (max_matched_bits + 1) * num_threads, num_threads, device_values.get());

        for (int num_bits = 0; num_bits <= max_matched_bits; ++num_bits) {
            for (int thread = 0; thread < num_threads; ++thread) {
                lane_mask_type peers{};
                for (int rank = 0; rank < size; ++rank) {
                    const auto other = thread - thread % size + rank;
                    const auto is_peer = values[thread] % (1u << num_bits) == values[other] % (1u << num_bits);
                    peers |= lane_mask_type{is_peer} << rank;
                }
                ASSERT_EQ(result[num_bits * num_threads + thread], peers) << num_bits << " bits, thread " << thread;
            }
        }
    });
}

/// Exchanges values by shuffles within tiles with even numbers, more often in tiles with larger
/// numbers. The other tiles vote meanwhile.
template <int size>
__global__ void go_separate_ways(lane_mask_type* result)
{
    const auto tile = my_tile<size>();
    const int number = threadIdx.x / size;
    auto value = static_cast<lane_mask_type>(threadIdx.x);
    if (number % 2 == 0) {
        for (int i = 0; i <= number; ++i) {
            value = tile.shfl(value, (tile.thread_rank() + 1) % size);
        }
    } else {
        value = tile.ballot(tile.thread_rank() % 3 == number / 2 % 3);
    }
    result[threadIdx.x] = value;
}

TEST(DeviceTile, TilesOfAWarpGoSeparateWays)
{
    for_each_tile_size([](auto tile_size) {
        constexpr int size = decltype(tile_size)::value;

        const auto result = results_of(go_separate_ways<size>, num_threads, num_threads);

        for (int thread = 0; thread < num_threads; ++thread) {
            const auto number = thread / size;
            lane_mask_type expected{};
            if (number % 2 == 0) {
                expected = static_cast<lane_mask_type>(number * size + (thread + number + 1) % size);
            } else {
                for (int rank = number / 2 % 3; rank < size; rank += 3) {
                    expected |= lane_mask_type{1} << rank;
                }
            }
            ASSERT_EQ(result[thread], expected) << "thread " << thread;
        }
    });
}

/// Returns true if a thread returns before the collective operations of its tile; rank 0 stays.
SPRUCE_HOST_DEVICE_INLINE bool leaves(int rank) { return rank % 3 == 1; }

template <int size>
__global__ void vote_after_some_left(lane_mask_type* result)
{
    const auto tile = my_tile<size>();
    if (leaves(tile.thread_rank())) {
        return;
    }
    tile.sync();
    const auto thread_result = result + 5 * threadIdx.x;
    thread_result[0] = tile.ballot(true);
    thread_result[1] = tile.any(leaves(tile.thread_rank()));
    thread_result[2] = tile.all(!leaves(tile.thread_rank()));
    thread_result[3] = tile.all(tile.thread_rank() != 0);
    thread_result[4] = tile.shfl(static_cast<lane_mask_type>(threadIdx.x), 0);
}

TEST(DeviceTile, ThreadsThatLeftOrNeverWereTakeNoPart)
{
    constexpr int block_size = num_threads - warp_size / 2 - 3;
    for_each_tile_size([](auto tile_size) {
        constexpr int size = decltype(tile_size)::value;

        const auto result = results_of(vote_after_some_left<size>, 5 * block_size, block_size);

        for (int thread = 0; thread < block_size; ++thread) {
            if (leaves(thread % size)) {
                continue;
            }
            const auto begin = thread - thread % size;
            lane_mask_type there{};
            for (int rank = 0; rank < size; ++rank) {
                const auto is_there = begin + rank < block_size && !leaves(rank);
                there |= lane_mask_type{is_there} << rank;
            }
            ASSERT_EQ(result[5 * thread], there) << "thread " << thread;
            ASSERT_EQ(result[5 * thread + 1], 0) << "thread " << thread;
            ASSERT_EQ(result[5 * thread + 2], 1) << "thread " << thread;
            ASSERT_EQ(result[5 * thread + 3], 0) << "thread " << thread;
            ASSERT_EQ(result[5 * thread + 4], static_cast<lane_mask_type>(begin)) << "thread " << thread;
        }
    });
}

// ---- masks of lanes

__global__ void describe_bits(int* result, const lane_mask_type* masks, int num_masks)
{
    for (int i = threadIdx.x; i < num_masks; i += num_threads) {
        result[3 * i] = warp::popcnt(masks[i]);
        result[3 * i + 1] = warp::ffs(masks[i]);
        result[3 * i + 2] = warp::clz(masks[i]);
    }
}

TEST(DeviceLaneMask, BitsAreCountedInTheMasksOwnWidth)
{
    constexpr int num_bits = 8 * sizeof(lane_mask_type);
    // Masks are each run of bits, which includes single bits and all bits, and its complement.
    std::vector<lane_mask_type> masks{0};
    for (int first = 0; first < num_bits; ++first) {
        lane_mask_type run{};
        for (int last = first; last < num_bits; ++last) {
            run |= lane_mask_type{1} << last;
            masks.push_back(run);
            masks.push_back(~run);
        }
    }
    const auto num_masks = static_cast<int>(masks.size());
    const device_array<lane_mask_type> device_masks(masks);

    const auto result = results_of(describe_bits, 3 * num_masks, num_threads, device_masks.get(), num_masks);

    for (int i = 0; i < num_masks; ++i) {
        int num_set = 0;
        int lowest = -1;
        int highest = -1;
        for (int bit = 0; bit < num_bits; ++bit) {
            if ((masks[i] >> bit & 1) != 0) {
                ++num_set;
                lowest = lowest == -1 ? bit : lowest;
                highest = bit;
            }
        }
        ASSERT_EQ(result[3 * i], num_set) << "mask " << masks[i];
        ASSERT_EQ(result[3 * i + 1], lowest + 1) << "mask " << masks[i];
        ASSERT_EQ(num_bits - 1 - result[3 * i + 2], highest) << "mask " << masks[i];
    }
}

// ---- memory

template <typename T>
__global__ void copy_streaming(T* result, const T* values)
{
    result[threadIdx.x] = warp::load_streaming(values + threadIdx.x);
}

template <typename T>
class DeviceLoad : public ::testing::Test {};
TYPED_TEST_SUITE(DeviceLoad, all_types);

TYPED_TEST(DeviceLoad, StreamingBringsAllWords)
{
    using T = TypeParam;
    const auto values = values_of_different_words<T>(num_threads);
    const device_array<T> device_values(values);

    const auto result = results_of(copy_streaming<T>, num_threads, num_threads, device_values.get());

    EXPECT_EQ(result, values);
}

// ---- atomics

template <typename T>
__global__ void add_to_targets(T* targets, int num_targets, const T* values)
{
    const auto thread = global_thread_id();
    atomic_add(targets + thread % num_targets, values[thread]);
}

template <typename T>
class DeviceAtomicAdd : public ::testing::Test {};
TYPED_TEST_SUITE(DeviceAtomicAdd, all_value_types);

TYPED_TEST(DeviceAtomicAdd, LosesNothing)
{
    using T = TypeParam;
    constexpr int num_blocks = 8;
    const auto values = small_whole_numbers<T>(num_blocks * num_threads);
    const device_array<T> device_values(values);
    for (int num_targets : {1, 2, 5, warp_size + 1}) {
        auto expected = small_whole_numbers<T>(num_targets);
        const device_array<T> targets(expected);
        for (size_type i = 0; i < values.size(); ++i) {
            expected[i % num_targets] += values[i];
        }

        run(add_to_targets<T>, num_blocks, num_threads, targets.get(), num_targets, device_values.get());

        EXPECT_EQ(targets.to_host(), expected) << num_targets << " targets";
    }
}

template <typename I>
__global__ void exchange(I* found, I* targets, const I* expected, I desired, int num)
{
    for (int i = threadIdx.x; i < num; i += num_threads) {
        found[i] = atomic_cas(targets + i, expected[i], desired);
    }
}

template <typename I>
class DeviceAtomicCas : public ::testing::Test {};
using cas_types = ::testing::Types<int32, int64>;
TYPED_TEST_SUITE(DeviceAtomicCas, cas_types);

TYPED_TEST(DeviceAtomicCas, ExchangesOnlyWhatIsExpected)
{
    using I = TypeParam;
    using limits = std::numeric_limits<I>;
    // Some values differ only in the lower or in the upper half.
    constexpr auto upper = I{1} << 4 * sizeof(I);
    const std::vector<I> samples{0, 1, -1, upper, upper + 1, limits::min(), limits::min() + 1, limits::max()};
    constexpr I desired = upper + 42;
    std::vector<I> values;
    std::vector<I> expected;
    for (const auto value : samples) {
        for (const auto other : samples) {
            values.push_back(value);
            expected.push_back(other);
        }
    }
    const auto num = static_cast<int>(values.size());
    const device_array<I> targets(values);
    const device_array<I> device_expected(expected);

    const auto found = results_of(exchange<I>, num, num_threads, targets.get(), device_expected.get(), desired, num);

    const auto left = targets.to_host();
    for (int i = 0; i < num; ++i) {
        EXPECT_EQ(found[i], values[i]) << "expecting " << expected[i];
        EXPECT_EQ(left[i], values[i] == expected[i] ? desired : values[i]) << "expecting " << expected[i];
    }
}

/// Adds one step per thread to the counter, concurrently with other threads.
template <typename I>
__global__ void count_up(I* before, I* counter, I step)
{
    I expected{};
    I found{};
    do {
        expected = found;
        found = atomic_cas(counter, expected, expected + step);
    } while (found != expected);
    before[global_thread_id()] = expected;
}

TYPED_TEST(DeviceAtomicCas, OneThreadAtATimeSucceeds)
{
    using I = TypeParam;
    constexpr int num_blocks = 4;
    constexpr auto step = (I{1} << 4 * sizeof(I)) + 3;
    const device_array<I> counter(std::vector<I>{0});
    const device_array<I> before(num_blocks * num_threads);

    run(count_up<I>, num_blocks, num_threads, before.get(), counter.get(), step);

    auto found = before.to_host();
    std::sort(found.begin(), found.end());
    for (int i = 0; i < num_blocks * num_threads; ++i) {
        ASSERT_EQ(found[i], i * step);
    }
    EXPECT_EQ(counter.to_host()[0], num_blocks * num_threads * step);
}

// ---- reductions and scans

/// Computes sum and scan of each tile, twice.
template <int size, typename T>
__global__ void sum_tiles(T* result, const T* values)
{
    const auto tile = my_tile<size>();
    for (int round = 0; round < 2; ++round) {
        const auto index = round * num_threads + threadIdx.x;
        result[2 * index] = reduce_add(tile, values[index]);
        result[2 * index + 1] = inclusive_scan(tile, values[index]);
    }
}

template <typename T>
class DeviceReduction : public ::testing::Test {};
TYPED_TEST_SUITE(DeviceReduction, all_types);

TYPED_TEST(DeviceReduction, OfTileIsThatOfItsThreads)
{
    using T = TypeParam;
    constexpr int num = 2 * num_threads;
    const auto values = small_whole_numbers<T>(num);
    const device_array<T> device_values(values);
    for_each_tile_size([&](auto tile_size) {
        constexpr int size = decltype(tile_size)::value;

        const auto result = results_of(sum_tiles<size, T>, 2 * num, num_threads, device_values.get());

        for (int begin = 0; begin < num; begin += size) {
            T sum{};
            for (int i = begin; i < begin + size; ++i) {
                sum += values[i];
                ASSERT_EQ(result[2 * i + 1], sum) << "scan, thread " << i;
            }
            for (int i = begin; i < begin + size; ++i) {
                ASSERT_EQ(result[2 * i], sum) << "sum, thread " << i;
            }
        }
    });
}

template <int size>
__global__ void find_maxima(int* result, const int* values)
{
    result[threadIdx.x] = reduce(my_tile<size>(), values[threadIdx.x], [](int a, int b) { return a < b ? b : a; });
}

TEST(DeviceReductionOperator, IsTheOneGiven)
{
    std::vector<int> values(num_threads);
    for (int i = 0; i < num_threads; ++i) {
        values[i] = i * 89 % 97 - 200;  // below zero, so that zeros of absent values would show
    }
    const device_array<int> device_values(values);
    for_each_tile_size([&](auto tile_size) {
        constexpr int size = decltype(tile_size)::value;

        const auto result = results_of(find_maxima<size>, num_threads, num_threads, device_values.get());

        for (int i = 0; i < num_threads; ++i) {
            const auto begin = values.begin() + (i - i % size);
            ASSERT_EQ(result[i], *std::max_element(begin, begin + size)) << "thread " << i;
        }
    });
}

/// Computes for each round the sum of a block's values, then scan and total of the values from the
/// other end. All calls use the same scratch memory, whose contents are wrong for the next call.
/// @tparam Number  the type that is summed up
template <int block_size, typename Number, typename T>
__global__ void sum_block(T* result, const T* values, int num_rounds)
{
    __shared__ Number scratch[block_size / warp_size];
    for (int round = 0; round < num_rounds; ++round) {
        const auto index = round * block_size + threadIdx.x;
        const Number number{values[index]};
        const Number number_from_other_end{values[num_rounds * block_size - 1 - index]};
        Number total;
        result[3 * index] = block_reduce_add<block_size>(number, scratch);
        result[3 * index + 1] = block_exclusive_scan<block_size>(number_from_other_end, scratch, total);
        result[3 * index + 2] = total;
    }
}

template <int block_size, typename T, typename Number = T>
void check_sums_of_block()
{
    SCOPED_TRACE("blocks of " + std::to_string(block_size));
    constexpr int num_rounds = 5;
    constexpr int num = num_rounds * block_size;
    const auto values = small_whole_numbers<T>(num);
    const device_array<T> device_values(values);

    const auto result =
        results_of(sum_block<block_size, Number, T>, 3 * num, block_size, device_values.get(), num_rounds);

    for (int begin = 0; begin < num; begin += block_size) {
        T sum{};
        T sum_from_other_end{};
        for (int i = begin; i < begin + block_size; ++i) {
            ASSERT_EQ(result[3 * i + 1], sum_from_other_end) << "scan, thread " << i;
            sum += values[i];
            sum_from_other_end += values[num - 1 - i];
        }
        for (int i = begin; i < begin + block_size; ++i) {
            ASSERT_EQ(result[3 * i], sum) << "sum, thread " << i;
            ASSERT_EQ(result[3 * i + 2], sum_from_other_end) << "total, thread " << i;
        }
    }
}

TYPED_TEST(DeviceReduction, OfBlockIsThatOfItsThreadsRoundAfterRound)
{
    check_sums_of_block<warp_size, TypeParam>();
    check_sums_of_block<2 * warp_size, TypeParam>();
    check_sums_of_block<default_block_size, TypeParam>();
}

/// Computes the sums of N numbers for each thread at once, in several rounds with the same scratch
/// memory.
template <int block_size, int N, typename T>
__global__ void sum_block_of_several(T* result, const T* values, int num_rounds)
{
    __shared__ sums<T, N> scratch[block_size / warp_size];
    for (int round = 0; round < num_rounds; ++round) {
        const auto index = round * block_size + threadIdx.x;
        sums<T, N> numbers;
        for (int i = 0; i < N; ++i) {
            numbers[i] = values[index * N + i];
        }
        const auto total = block_reduce_add<block_size>(numbers, scratch);
        for (int i = 0; i < N; ++i) {
            result[index * N + i] = total[i];
        }
    }
}

template <int block_size, int N, typename T>
void check_several_sums_of_block()
{
    SCOPED_TRACE(std::to_string(N) + " sums, blocks of " + std::to_string(block_size));
    constexpr int num_rounds = 3;
    constexpr int num = num_rounds * block_size * N;
    const auto values = small_whole_numbers<T>(num);
    const device_array<T> device_values(values);

    const auto result =
        results_of(sum_block_of_several<block_size, N, T>, num, block_size, device_values.get(), num_rounds);

    for (int begin = 0; begin < num; begin += block_size * N) {
        for (int number = 0; number < N; ++number) {
            T sum{};
            for (int i = begin + number; i < begin + block_size * N; i += N) {
                sum += values[i];
            }
            for (int i = begin + number; i < begin + block_size * N; i += N) {
                ASSERT_EQ(result[i], sum) << "sum " << number << " at " << i;
            }
        }
    }
}

TYPED_TEST(DeviceReduction, OfSeveralSumsIsThatOfEach)
{
    check_several_sums_of_block<default_block_size, 1, TypeParam>();
    check_several_sums_of_block<warp_size, 2, TypeParam>();
    check_several_sums_of_block<2 * warp_size, 3, TypeParam>();
    check_several_sums_of_block<default_block_size, 5, TypeParam>();
    check_several_sums_of_block<default_block_size, 8, TypeParam>();
    check_several_sums_of_block<default_block_size, 16, TypeParam>();
}

/// Waits in each sum of the first warp.
class slow_number {
public:
    slow_number() = default;
    __device__ __forceinline__ slow_number(int32 value) : value_{value} {}
    __device__ __forceinline__ operator int32() const { return value_; }

    __device__ __forceinline__ friend slow_number operator+(const slow_number& a, const slow_number& b)
    {
        if (threadIdx.x < warp_size) {
            for (int i = 0; i < 100; ++i) {
                __threadfence();
            }
        }
        return a.value_ + b.value_;
    }

private:
    int32 value_;
};

TEST(DeviceReductionOfBlock, WaitsForTheSlowestWarp) { check_sums_of_block<default_block_size, int32, slow_number>(); }

// ---- searches in row pointers

/// Returns row pointers of matrices with these row lengths.
template <typename I>
std::vector<std::vector<I>> sample_row_ptrs()
{
    std::vector<std::vector<int>> samples{{}, {0}, {7}, {0, 0, 0, 0}, {0, 3, 0, 0, 1, 2, 0}};
    std::vector<int> one_long_row(100, 0);
    one_long_row[40] = 3 * num_threads + 1;
    samples.push_back(one_long_row);
    samples.push_back({1000, 1, 1, 0, 1});
    std::vector<int> ragged(3 * warp_size + 1);
    for (size_type i = 0; i < ragged.size(); ++i) {
        ragged[i] = static_cast<int>(i * i % 11) * (i % 4 != 0);
    }
    samples.push_back(ragged);
    std::vector<std::vector<I>> result;
    for (const auto& lengths : samples) {
        std::vector<I> ptrs{0};
        for (const auto length : lengths) {
            ptrs.push_back(ptrs.back() + length);
        }
        result.push_back(ptrs);
    }
    return result;
}

template <typename I>
class DeviceSearch : public ::testing::Test {};
using index_types = ::testing::Types<int32, int64>;
TYPED_TEST_SUITE(DeviceSearch, index_types);

template <typename I>
__global__ void search_merge_path(size_type* result, const I* ptrs, size_type num_rows, size_type row_weight,
                                  size_type stride, size_type num_items)
{
    for (size_type item = threadIdx.x; item < num_items; item += num_threads) {
        result[item] = num_rows_ended(ptrs, num_rows, item, row_weight, stride);
    }
}

TYPED_TEST(DeviceSearch, FindsEachItemOfASequentialMerge)
{
    using I = TypeParam;
    for (const auto& ptrs : sample_row_ptrs<I>()) {
        const auto num_rows = ptrs.size() - 1;
        for (const auto& [row_weight, stride] : {std::pair<size_type, size_type>{0, 1}, {1, 1}, {2, 1}, {1, 3}}) {
            std::vector<I> strided_ptrs(num_rows * stride + 1, I{-1});
            for (size_type row = 0; row <= num_rows; ++row) {
                strided_ptrs[row * stride] = ptrs[row];
            }
            const device_array<I> device_ptrs(strided_ptrs);
            std::vector<size_type> expected;
            for (size_type row = 0; row < num_rows; ++row) {
                expected.insert(expected.end(), ptrs[row + 1] - ptrs[row], row);
                expected.insert(expected.end(), row_weight, row);
            }
            expected.insert(expected.end(), 3, num_rows);  // also the positions after the last item

            const auto result = results_of(search_merge_path<I>, expected.size(), num_threads, device_ptrs.get(),
                                           num_rows, row_weight, stride, expected.size());

            EXPECT_EQ(result, expected) << num_rows << " rows that count " << row_weight;
        }
    }
}

/// Finds the row of each entry by one thread and by a tile, while other tiles search for other
/// entries.
template <int size, typename I>
__global__ void find_rows(size_type* result, const I* ptrs, size_type num_rows)
{
    const auto tile = my_tile<size>();
    const auto num_entries = static_cast<size_type>(ptrs[num_rows]);
    for (auto nz = static_cast<size_type>(threadIdx.x / size); nz < num_entries; nz += num_threads / size) {
        const auto row = kernel::find_row(tile, ptrs, 0, num_rows - 1, nz);
        if (tile.thread_rank() == size - 1) {
            result[2 * nz] = kernel::find_row(ptrs, 0, num_rows - 1, nz);
            result[2 * nz + 1] = row;
        }
    }
}

TYPED_TEST(DeviceSearch, FindsTheRowOfEachEntry)
{
    using I = TypeParam;
    for (const auto& ptrs : sample_row_ptrs<I>()) {
        if (ptrs.back() == 0) {
            continue;
        }
        const device_array<I> device_ptrs(ptrs);
        std::vector<size_type> expected;
        for (size_type row = 0; row + 1 < ptrs.size(); ++row) {
            expected.insert(expected.end(), 2 * (ptrs[row + 1] - ptrs[row]), row);
        }
        for_each_tile_size([&](auto tile_size) {
            constexpr int size = decltype(tile_size)::value;

            const auto result =
                results_of(find_rows<size, I>, expected.size(), num_threads, device_ptrs.get(), ptrs.size() - 1);

            EXPECT_EQ(result, expected) << ptrs.size() - 1 << " rows";
        });
    }
}

// ---- the kernels of spruce-bench groups

template <typename T>
class DeviceSumOverTiles : public ::testing::Test {
protected:
    /// Checks the results of two sums over each tile, the second of equal terms.
    template <int size>
    static void check(void (*kernel)(T*, int))
    {
        const auto values = small_whole_numbers<T>(num_threads);
        const device_array<T> result(values);
        run(kernel, 1, num_threads, result.get(), 2);

        const auto sums = result.to_host();
        for (int thread = 0; thread < num_threads; ++thread) {
            T expected{};
            for (int i = 0; i < size * size; ++i) {
                expected = expected + values[thread - thread % size + i % size];
            }
            ASSERT_EQ(std::memcmp(&sums[thread], &expected, sizeof(T)), 0) << "thread " << thread;
        }
    }
};
TYPED_TEST_SUITE(DeviceSumOverTiles, all_types_of_groups);

TYPED_TEST(DeviceSumOverTiles, IsRight)
{
    using T = TypeParam;
    for_each_tile_size([](auto tile_size) {
        constexpr int size = decltype(tile_size)::value;
        TestFixture::template check<size>(sum_by_groups<size, T>);
        TestFixture::template check<size>(sum_by_vendor_shuffles<size, T>);
    });
}

#ifdef SPRUCE_HIP_PLATFORM_HOST
/// Returns the number of shuffles in which a thread takes part for a sum over its tile.
template <int size>
double shuffles_of_a_sum(void (*kernel)(double*, int))
{
    constexpr int num_sums = 10;
    const device_array<double> values{std::vector<double>(num_threads)};
    const auto before = hip_host::counters().shuffles;
    run(kernel, 1, num_threads, values.get(), num_sums);
    return static_cast<double>((hip_host::counters().shuffles - before) * size) / (num_threads * num_sums);
}

TEST(DeviceSumOverTilesOfDoubles, TakesAsManyShufflesAsTheVendorsAndFewerInSmallTiles)
{
    for_each_tile_size([](auto tile_size) {
        constexpr int size = decltype(tile_size)::value;
        double expected{};
        for (int rest = size; rest > 1; rest /= 2) {
            ++expected;
        }
        EXPECT_EQ(shuffles_of_a_sum<size>(sum_by_groups<size, double>), expected);
        EXPECT_EQ(shuffles_of_a_sum<size>(sum_by_vendor_shuffles<size, double>), expected);
    });
    const auto ratio =
        shuffles_of_a_sum<4>(sum_by_groups<4, double>) / shuffles_of_a_sum<warp_size>(sum_by_groups<warp_size, double>);
    EXPECT_DOUBLE_EQ(ratio, warp_size == 64 ? 1.0 / 3 : 0.4);
}
#endif

}  // namespace
}  // namespace spruce::kernels::SPRUCE_DEVICE_NAMESPACE
