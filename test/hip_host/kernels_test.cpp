// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: 2026 The Spruce authors

// Tests the SIMT model of the host platform: indices, collective operations, shared memory,
// atomics, diagnostics.

#include "device_buffer.hpp"

#include <cmath>
#include <complex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using HipHostIndices = HipHost;
using HipHostWarp = HipHost;
using HipHostBlock = HipHost;
using HipHostDivergence = HipHost;
using HipHostAtomics = HipHost;
using HipHostLaunch = HipHost;

__device__ unsigned global_id() { return blockIdx.x * blockDim.x + threadIdx.x; }

// ---- indices

__global__ void record_indices(unsigned* result)
{
    const auto block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const auto thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const auto id = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
    result[id] = id + 1000 * __lane_id();
}

TEST_F(HipHostIndices, AreCompleteForOneTwoAndThreeDimensions)
{
    for (const auto& shape :
         {std::pair<dim3, dim3>{7, 100}, {{3, 5}, {17, 6}}, {{2, 3, 4}, {5, 6, 7}}, {{1, 1, 2}, {1, 1, 1024}}}) {
        const auto grid = shape.first;
        const auto block = shape.second;
        const auto block_size = block.x * block.y * block.z;
        const auto size = grid.x * grid.y * grid.z * block_size;
        const Buffer<unsigned> result(size);

        hipLaunchKernelGGL(record_indices, grid, block, 0, nullptr, result.get());

        const auto host = result.host();
        for (unsigned i = 0; i < size; ++i) {
            ASSERT_EQ(host[i], i + 1000 * (i % block_size % warpSize));
        }
    }
}

// ---- warp operations

template <typename T>
__global__ void all_shuffles(int width, T* result)
{
    const auto self = static_cast<T>(threadIdx.x);
    auto* const thread_result = result + 4 * threadIdx.x;
    thread_result[0] = __shfl(self, 1, width);
    thread_result[1] = __shfl_xor(self, 1, width);
    thread_result[2] = __shfl_up(self, 1, width);
    thread_result[3] = __shfl_down(self, 1, width);
}

template <typename T>
class HipHostShuffle : public HipHost {};
using ShuffledTypes =
    ::testing::Types<int, unsigned, long, unsigned long, long long, unsigned long long, float, double>;
TYPED_TEST_SUITE(HipHostShuffle, ShuffledTypes);

TYPED_TEST(HipHostShuffle, ReadsTheDocumentedLaneForEveryWidth)
{
    for (int width = 2; width <= warpSize; width *= 2) {
        const int size = 2 * warpSize;
        const Buffer<TypeParam> result(4 * size);

        hipLaunchKernelGGL(all_shuffles<TypeParam>, 1, size, 0, nullptr, width, result.get());

        const auto host = result.host();
        for (int i = 0; i < size; ++i) {
            ASSERT_EQ(host[4 * i], i / width * width + 1);
            ASSERT_EQ(host[4 * i + 1], i ^ 1);
            ASSERT_EQ(host[4 * i + 2], i % width == 0 ? i : i - 1);
            ASSERT_EQ(host[4 * i + 3], i % width == width - 1 ? i : i + 1);
        }
    }
}

__global__ void votes(unsigned long long* result)
{
    const auto lane = threadIdx.x % warpSize;
    result[4 * threadIdx.x] = __ballot(lane % 3 == 0);
    result[4 * threadIdx.x + 1] = __any(lane == 5) + 2 * __any(0);
    result[4 * threadIdx.x + 2] = __all(lane < 100) + 2 * __all(lane != 5);
    result[4 * threadIdx.x + 3] = __activemask();
}

TEST_F(HipHostWarp, VotesOfFullAndPartialWarps)
{
    const unsigned size = warpSize + 10;
    const Buffer<unsigned long long> result(4 * size);

    hipLaunchKernelGGL(votes, 1, size, 0, nullptr, result.get());

    const auto host = result.host();
    unsigned long long every_third = 0;
    for (int lane = 0; lane < warpSize; lane += 3) {
        every_third |= 1ull << lane;
    }
    EXPECT_EQ(host[0], every_third);
    EXPECT_EQ(host[1], 1);
    EXPECT_EQ(host[2], 1);
    EXPECT_EQ(host[4 * warpSize], every_third & 0x3ff);
    EXPECT_EQ(host[4 * warpSize + 1], 1);
    EXPECT_EQ(host[4 * warpSize + 3] & ~0x3ffull, 0);
}

__global__ void ballot_without_exited_lanes(unsigned long long* result)
{
    if (threadIdx.x % 2 == 1) {
        return;
    }
    result[threadIdx.x / 2] = __ballot(1);
}

TEST_F(HipHostWarp, ExitedLanesTakeNoPart)
{
    const Buffer<unsigned long long> result(warpSize / 2);

    hipLaunchKernelGGL(ballot_without_exited_lanes, 1, warpSize, 0, nullptr, result.get());

    for (const auto mask : result.host()) {
        EXPECT_EQ(mask, 0x5555555555555555ull & hip_host::full_warp);
    }
}

__global__ void read_exited_lane(int* result)
{
    if (threadIdx.x == 3) {
        return;
    }
    result[threadIdx.x] = __shfl_xor(static_cast<int>(threadIdx.x), 1, 8);
}

TEST_F(HipHostWarp, ReadingAnExitedLaneIsReported)
{
    const Buffer<int> result(8);

    hipLaunchKernelGGL(read_exited_lane, 1, 8, 0, nullptr, result.get());

    const auto message = failure();
    EXPECT_CONTAINS(message, "read_exited_lane");
    EXPECT_CONTAINS(message, "thread (2, 0, 0) reads lane 3, which has exited, by shfl_xor of width 8");
}

template <int size>
__global__ void subgroups_loop_differently(int* result)
{
    const auto group = static_cast<int>(threadIdx.x) / size;
    int sum = 0;
    for (int i = 0; i <= group; ++i) {
        int v = 1;
        for (int m = 1; m < size; m *= 2) {
            v += __shfl_xor(v, m, size);
        }
        sum += v;
    }
    if (group % 2 == 1) {
        return;
    }
    result[threadIdx.x] = sum + __shfl(static_cast<int>(threadIdx.x), 0, size);
}

TEST_F(HipHostWarp, SubgroupsMayDiverge)
{
    for (const auto* schedule : {"forward", "reverse", "random:1", "random:2"}) {
        ASSERT_TRUE(hip_host::set_schedule(schedule));
        const Buffer<int> result(256);

        hipLaunchKernelGGL(HIP_KERNEL_NAME(subgroups_loop_differently<8>), 1, 256, 0, nullptr, result.get());

        const auto host = result.host();
        for (int i = 0; i < 256; ++i) {
            const auto group = i / 8;
            EXPECT_EQ(host[i], group % 2 == 1 ? -1 : 8 * (group + 1) + group * 8);
        }
    }
}

struct Sixteen {
    double a;
    long long b;
};

/// Exchanges values within two interleaved subgroups, which no aligned width describes.
__global__ void explicit_members(Sixteen* result, unsigned long long* masks)
{
    const bool odd = threadIdx.x % 2 == 1;
    const auto members = hip_host::full_warp & (odd ? 0xaaaaaaaaaaaaaaaaull : 0x5555555555555555ull);
    Sixteen value{0.5 * threadIdx.x, threadIdx.x};
    for (int i = 0; i < (odd ? 3 : 1); ++i) {
        value = hip_host::shfl(members, value, (hip_host::lane_id() + 2) % warpSize);
    }
    hip_host::sync(members);
    result[threadIdx.x] = value;
    masks[threadIdx.x] = hip_host::ballot(members, threadIdx.x >= 4);
    if (!hip_host::any(members, threadIdx.x >= 4) || hip_host::all(members, threadIdx.x >= 4)) {
        masks[threadIdx.x] = 0;
    }
}

TEST_F(HipHostWarp, ExplicitMembersMeetAmongThemselves)
{
    const Buffer<Sixteen> result(warpSize);
    const Buffer<unsigned long long> masks(warpSize);

    hipLaunchKernelGGL(explicit_members, 1, warpSize, 0, nullptr, result.get(), masks.get());

    const auto host = result.host();
    const auto host_masks = masks.host();
    for (int i = 0; i < warpSize; ++i) {
        const auto source = (i + (i % 2 == 1 ? 6 : 2)) % warpSize;
        EXPECT_EQ(host[i].a, 0.5 * source);
        EXPECT_EQ(host[i].b, source);
        EXPECT_EQ(host_masks[i], hip_host::full_warp & (i % 2 == 1 ? 0xaaaaaaaaaaaaaaa0ull : 0x5555555555555550ull));
    }
}

__global__ void not_a_member() { hip_host::sync(0x2); }

TEST_F(HipHostWarp, CallingAnOperationOfOthersIsReported)
{
    hipLaunchKernelGGL(not_a_member, 1, 1, 0, nullptr);

    EXPECT_CONTAINS(failure(), "calling lane is no member");
}

__global__ void bad_width() { __shfl(1, 0, 12); }

TEST_F(HipHostWarp, WidthThatIsNoPowerOfTwoIsReported)
{
    hipLaunchKernelGGL(bad_width, 1, 64, 0, nullptr);

    EXPECT_CONTAINS(failure(), "width of a shuffle");
}

__global__ void bits(int* result)
{
    result[0] = __popc(0xf0u) == 4 && __popcll(~0ull) == 64 && __ffs(0) == 0 && __ffs(8) == 4 &&
                __ffsll(1ull << 40) == 41 && __clz(1) == 31 && __clz(0) == 32 && __clzll(1) == 63 && __clzll(0) == 64 &&
                __brev(1u) == 0x80000000u && __brevll(2ull) == 1ull << 62;
}

TEST_F(HipHostWarp, BitFunctionsFollowTheirDefinitions)
{
    const Buffer<int> result(1);

    hipLaunchKernelGGL(bits, 1, 1, 0, nullptr, result.get());

    EXPECT_EQ(result.host()[0], 1);
}

// ---- an intentional defect: a reduction that assumes warps of 32 lanes

__global__ void sum_of_warp_of_32(int* result)
{
    int v = 1;
    for (int m = 16; m > 0; m /= 2) {
        v += __shfl_xor(v, m);
    }
    if (__lane_id() == 0) {
        result[hip_host::warp_id()] = v;
    }
}

TEST_F(HipHostWarp, LiteralWidth32IsWrongExactlyOnWiderWarps)
{
    const Buffer<int> result(4);

    hipLaunchKernelGGL(sum_of_warp_of_32, 1, 4 * warpSize, 0, nullptr, result.get());

    EXPECT_EQ(result.host()[3] == warpSize, warpSize == 32);
}

// ---- blocks

template <typename T>
__global__ void sum_of_block(const T* values, T* sums)
{
    __shared__ T tile[256];
    tile[threadIdx.x] = values[global_id()];
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            tile[threadIdx.x] += tile[threadIdx.x + half];
        }
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = tile[0];
    }
}

TEST_F(HipHostBlock, ReducesThroughSharedMemory)
{
    std::vector<double> values(5 * 256);
    std::iota(values.begin(), values.end(), 1.0);
    const Buffer<double> in(values);
    for (const auto* schedule : {"forward", "reverse", "random:7"}) {
        hip_host::set_schedule(schedule);
        const Buffer<double> sums(5);

        hipLaunchKernelGGL(sum_of_block<double>, 5, 256, 0, nullptr, in.get(), sums.get());

        const auto host = sums.host();
        for (int b = 0; b < 5; ++b) {
            EXPECT_EQ(host[b], 256 * (256.0 * b + 128.5));
        }
    }
}

template <typename T, int size>
struct UninitializedArray {
    T values[size];
    T& operator[](unsigned i) { return values[i]; }
};

template <typename T>
__device__ T read_before_write(T value)
{
    __shared__ UninitializedArray<T, 64> array;
    __shared__ T scalar;
    const auto old = array[threadIdx.x];
    array[threadIdx.x] = value;
    scalar = value;
    return old;
}

template <typename T>
__global__ void shared_reads(T* result)
{
    __shared__ T tile[64];
    HIP_DYNAMIC_SHARED(T, dynamic);
    auto* const thread_result = result + 4 * global_id();
    thread_result[0] = tile[threadIdx.x];
    thread_result[1] = dynamic[threadIdx.x];
    thread_result[2] = read_before_write(T{1});
    thread_result[3] = read_before_write(T{2});
    tile[threadIdx.x] = dynamic[threadIdx.x] = T{3};
}

TEST_F(HipHostBlock, SharedMemoryIsUndefinedAtItsStart)
{
    const Buffer<double> result(3 * 64 * 4);

    hipLaunchKernelGGL(shared_reads<double>, 3, 64, 64 * sizeof(double), nullptr, result.get());

    const auto host = result.host();
    for (int i = 0; i < 3 * 64; ++i) {
        ASSERT_TRUE(std::isnan(host[4 * i])) << "static, thread " << i;
        ASSERT_TRUE(std::isnan(host[4 * i + 1])) << "dynamic, thread " << i;
        ASSERT_TRUE(std::isnan(host[4 * i + 2])) << "of a device function, thread " << i;
        ASSERT_EQ(host[4 * i + 3], 1.0) << "kept between calls, thread " << i;
    }
}

__global__ void two_arrays_of_int(int* result)
{
    __shared__ int a[4];
    a[threadIdx.x] = 7;
    __shared__ int b[4];
    result[2 * threadIdx.x] = a[threadIdx.x];
    result[2 * threadIdx.x + 1] = b[threadIdx.x];
    b[threadIdx.x] = 8;
}

TEST_F(HipHostBlock, LaterDeclarationLeavesEarlierVariableAlone)
{
    const Buffer<int> result(8);

    hipLaunchKernelGGL(two_arrays_of_int, 2, 4, 0, nullptr, result.get());

    EXPECT_EQ(result.host(), (std::vector<int>{7, -1, 7, -1, 7, -1, 7, -1}));
}

__global__ void large_shared(int* result)
{
    __shared__ int a[8 * 1024];
    a[0] = 1;
    *result = a[0];
}

TEST_F(HipHostBlock, StaticAndDynamicSharedMemoryHaveOneLimit)
{
    const Buffer<int> result(1);
    hipLaunchKernelGGL(large_shared, 1, 1, 32 * 1024, nullptr, result.get());
    ASSERT_EQ(hipGetLastError(), hipSuccess);
#if !defined(__SANITIZE_ADDRESS__)
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
    GTEST_SKIP() << "sizes of variables are not known";
#endif
#endif

    hipLaunchKernelGGL(large_shared, 1, 1, 32 * 1024 + 8, nullptr, result.get());

    EXPECT_CONTAINS(failure(), "65544 bytes of shared memory");
#endif
}

__global__ void shift_without_barrier(int* result)
{
    __shared__ int tile[128];
    tile[threadIdx.x] = threadIdx.x;
    result[threadIdx.x] = tile[(threadIdx.x + blockDim.x - 1) % blockDim.x];
}

TEST_F(HipHostBlock, MissingBarrierShowsUnderSomeSchedule)
{
    std::vector<int> right(128);
    std::iota(right.begin(), right.end(), -1);
    right[0] = 127;
    int num_wrong = 0;
    for (const auto* schedule : {"forward", "reverse", "random:3"}) {
        hip_host::set_schedule(schedule);
        const Buffer<int> result(128);

        hipLaunchKernelGGL(shift_without_barrier, 1, 128, 0, nullptr, result.get());

        int num_unwritten = 0;
        for (const auto i : result.host()) {
            num_unwritten += i == -1;
        }
        num_wrong += num_unwritten > 20;  // most, not just the one that wraps around
    }
    EXPECT_EQ(num_wrong, 2);  // reverse and random
}

__global__ void barrier_after_exits(int* result)
{
    if (threadIdx.x % 2 == 1) {
        return;
    }
    __shared__ int sum;
    if (threadIdx.x == 0) {
        sum = 0;
    }
    __syncthreads();
    atomicAdd(&sum, 1);
    __syncthreads();
    result[threadIdx.x / 2] = sum;
}

TEST_F(HipHostBlock, ExitedThreadsCountAsArrivedAtBarriers)
{
    const Buffer<int> result(50);

    hipLaunchKernelGGL(barrier_after_exits, 1, 100, 0, nullptr, result.get());

    EXPECT_EQ(result.host(), std::vector<int>(50, 50));
}

__global__ void wait_for_last_thread(int* flag, int* result)
{
    if (threadIdx.x == blockDim.x - 1) {
        atomicExch(flag, 42);
    }
    while (*static_cast<volatile int*>(flag) != 42) {
        __threadfence();
    }
    result[threadIdx.x] = *flag;
}

TEST_F(HipHostBlock, SpinningWithFencesLetsOthersGoOn)
{
    for (const auto* schedule : {"forward", "reverse", "random"}) {
        hip_host::set_schedule(schedule);
        const Buffer<int> flag(1);
        const Buffer<int> result(512);

        hipLaunchKernelGGL(wait_for_last_thread, 1, 512, 0, nullptr, flag.get(), result.get());

        EXPECT_EQ(result.host(), std::vector<int>(512, 42));
    }
}

__global__ void with_lock(int* lock, int* counter)
{
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    const auto old = *counter;
    __threadfence();  // gives other threads the opportunity to enter
    *counter = old + 1;
    atomicExch(lock, 0);
}

TEST_F(HipHostBlock, LocksByCompareAndSwapDoNotHang)
{
    const Buffer<int> lock(std::vector<int>{0});
    const Buffer<int> counter(std::vector<int>{0});

    hipLaunchKernelGGL(with_lock, 2, 64, 0, nullptr, lock.get(), counter.get());

    EXPECT_EQ(counter.host()[0], 128);
}

__global__ void wait_for_ever(int* flag)
{
    while (*static_cast<volatile int*>(flag) != 42) {
        __threadfence();
    }
}

TEST_F(HipHostBlock, SpinningForEverIsReported)
{
    const Buffer<int> flag(1);

    hipLaunchKernelGGL(wait_for_ever, 1, 2, 0, nullptr, flag.get());

    EXPECT_CONTAINS(failure(), "spin without progress");
}

__global__ void poll_for_ever(const int* flag)
{
    while (*static_cast<const volatile int*>(flag) != 42) {
        hip_host::poll(flag);
    }
}

TEST_F(HipHostBlock, PollingForEverIsReported)
{
    const Buffer<int> flag(1);

    hipLaunchKernelGGL(poll_for_ever, 1, 2, 0, nullptr, flag.get());

    const auto message = failure();
    EXPECT_CONTAINS(message, "poll_for_ever");
    EXPECT_CONTAINS(message, " polls, and no thread of the block stores: kernels_test.cpp:");
}

__global__ void wait_for_ever_for_lock(int* lock)
{
    while (atomicExch(lock, 1) != 0) {
        __threadfence();
    }
}

TEST_F(HipHostBlock, AtomicOperationsThatChangeNothingAreNoProgress)
{
    const Buffer<int> lock(std::vector<int>{1});

    hipLaunchKernelGGL(wait_for_ever_for_lock, 1, 2, 0, nullptr, lock.get());

    EXPECT_CONTAINS(failure(), "spin without progress");
}

/// Waits for ever. The lanes of a warp meet between polls, which must not count as progress.
__global__ void poll_for_ever_together(const int* flag)
{
    while (!__any(*static_cast<const volatile int*>(flag) == 42)) {
        hip_host::poll(flag);
    }
}

TEST_F(HipHostBlock, PollingForEverTogetherIsReported)
{
    const Buffer<int> flag(1);

    hipLaunchKernelGGL(poll_for_ever_together, 1, warpSize, 0, nullptr, flag.get());

    EXPECT_CONTAINS(failure(), "polls, and no thread of the block stores");
}

/// Waits with each thread for the preceding one, round by round.
__global__ void chain(int* values, int num_rounds)
{
    const int thread = threadIdx.x;
    const auto predecessor = thread == 0 ? blockDim.x - 1 : thread - 1;
    auto done = 0;
    while (__any(done < num_rounds)) {
        const auto expected = thread == 0 ? done : done + 1;
        if (done == num_rounds) {
            continue;
        }
        if (static_cast<volatile int*>(values)[predecessor] >= expected) {
            ++done;
            static_cast<volatile int*>(values)[thread] = done;
            hip_host::stored(values + thread);
        } else {
            hip_host::poll(values + predecessor);
        }
    }
}

// The polls of all threads together are many, but there is a store in each round of polls.
TEST_F(HipHostBlock, LongChainsOfPollsAreNoError)
{
    for (const auto* schedule : {"forward", "reverse"}) {
        hip_host::set_schedule(schedule);
        const Buffer<int> values(std::vector<int>(512, 0));

        hipLaunchKernelGGL(chain, 1, 512, 0, nullptr, values.get(), 40);

        EXPECT_EQ(hipGetLastError(), hipSuccess);
        EXPECT_EQ(values.host(), std::vector<int>(512, 40));
    }
}

/// Waits in lane 0 for lane 1, in a branch, num_stores times.
__global__ void wait_in_branch(int* flag, int num_stores, int* result)
{
    for (int i = 1; i <= num_stores; ++i) {
        if (threadIdx.x == 0) {
            while (*static_cast<volatile int*>(flag) < i) {
                hip_host::poll(flag);
            }
            result[0] = i;
        } else if (threadIdx.x == 1) {
            atomicAdd(flag, 1);
        }
    }
}

TEST_F(HipHostWarp, WaitingInABranchForTheOwnWarpIsReported)
{
    hip_host::set_schedule("forward");
    const Buffer<int> flag(std::vector<int>{0});
    const Buffer<int> result(1);

    hipLaunchKernelGGL(wait_in_branch, 1, warpSize, 0, nullptr, flag.get(), 1, result.get());

    EXPECT_CONTAINS(failure(), "thread (0, 0, 0) polls in a branch for a value that thread (1, 0, 0) of its own warp");
}

// ---- disagreement

/// Counts its objects, which shows if the stacks of abandoned threads are unwound.
struct Guard {
    explicit Guard(int* count) : count_{count} { ++*count_; }
    ~Guard() { --*count_; }
    int* count_;
};

int num_guards = 0;

__global__ void barrier_in_one_branch(int* result)
{
    const Guard guard{&num_guards};
    const std::string on_the_heap(100, 'x');  // host code: LeakSanitizer must find that it is freed
    if (threadIdx.x < 40) {
        __syncthreads();
    } else {
        __ballot(1);
        __syncthreads();
    }
    result[threadIdx.x] = static_cast<int>(on_the_heap.size());
}

TEST_F(HipHostDivergence, DisagreeingBarrierIsReportedAndUnwound)
{
    const Buffer<int> result(100);

    hipLaunchKernelGGL(barrier_in_one_branch, dim3(2, 3), 100, 0, nullptr, result.get());

    const auto message = failure();
    EXPECT_CONTAINS(message, "kernel");
    EXPECT_CONTAINS(message, "barrier_in_one_branch");
    EXPECT_CONTAINS(message, "block (0, 0, 0)");
    EXPECT_CONTAINS(message, "threads (0, 0, 0) (1, 0, 0) (2, 0, 0) and 37 more at __syncthreads (kernels_test.cpp:");
    EXPECT_CONTAINS(message, "(40, 0, 0)");
    EXPECT_CONTAINS(message, "ballot");
    EXPECT_CONTAINS(std::string{hipGetErrorString(hipErrorLaunchFailure)}, message);
    EXPECT_EQ(num_guards, 0);
}

TEST_F(HipHostDivergence, NextLaunchWorks)
{
    for (int i = 0; i < 20; ++i) {
        const Buffer<int> result(1024);
        hipLaunchKernelGGL(barrier_in_one_branch, 1, 1024, 0, nullptr, result.get());
        ASSERT_EQ(hipGetLastError(), hipErrorLaunchFailure);
        const Buffer<double> values(std::vector<double>(256, 2.0));
        const Buffer<double> sums(1);

        hipLaunchKernelGGL(sum_of_block<double>, 1, 256, 0, nullptr, values.get(), sums.get());

        EXPECT_EQ(hipGetLastError(), hipSuccess);
        EXPECT_EQ(sums.host()[0], 512.0);
    }
}

__global__ void different_kinds(int* result)
{
    if (threadIdx.x % 16 == 5) {
        result[threadIdx.x] = __ballot(1) != 0;
    } else {
        result[threadIdx.x] = __shfl(1, 0, 16);
    }
}

__global__ void different_widths(int* result) { result[threadIdx.x] = __shfl_xor(1, 1, threadIdx.x == 0 ? 8 : 16); }

__global__ void different_places(int* result)
{
    if (threadIdx.x % 2 == 0) {
        result[threadIdx.x] = __shfl_xor(1, 1, 16);
    } else {
        result[threadIdx.x] = __shfl_xor(2, 1, 16);
    }
}

TEST_F(HipHostDivergence, DifferentOperationsOfOneSubgroupAreReported)
{
    const Buffer<int> result(32);

    hipLaunchKernelGGL(different_kinds, 1, 32, 0, nullptr, result.get());
    const auto kinds = failure();
    hipLaunchKernelGGL(different_widths, 1, 32, 0, nullptr, result.get());
    const auto widths = failure();
    hipLaunchKernelGGL(different_places, 1, 32, 0, nullptr, result.get());
    const auto places = failure();

    EXPECT_CONTAINS(kinds, "and 12 more at shfl of width 16");
    EXPECT_CONTAINS(kinds, "(5, 0, 0) (21, 0, 0) at ballot among lanes");
    EXPECT_CONTAINS(widths, "thread (0, 0, 0) at shfl_xor of width 8");
    EXPECT_CONTAINS(widths, "shfl_xor of width 16");
    EXPECT_CONTAINS(places, "(0, 0, 0) (2, 0, 0) (4, 0, 0) and 5 more");
    EXPECT_CONTAINS(places, "(1, 0, 0) (3, 0, 0) (5, 0, 0) and 5 more");
}

__global__ void throws(int* result)
{
    result[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x == 9) {
        throw std::runtime_error{"nine"};
    }
    __syncthreads();
    result[threadIdx.x] = 1;
}

TEST_F(HipHostDivergence, ExceptionsEndTheLaunch)
{
    const Buffer<int> result(64);

    hipLaunchKernelGGL(throws, 2, 64, 0, nullptr, result.get());

    EXPECT_CONTAINS(failure(), "thread (9, 0, 0) let an exception escape: nine");
    EXPECT_EQ(result.host(), std::vector<int>(64, 0));
}

__global__ void traps(int* result)
{
    if (threadIdx.x == 3) {
        hip_host::fail("does not like it");
    }
    result[threadIdx.x] = 0;
}

TEST_F(HipHostDivergence, KernelsCanFail)
{
    const Buffer<int> result(64);
    hip_host::set_schedule("random:12");

    hipLaunchKernelGGL(traps, 1, 64, 0, nullptr, result.get());

    EXPECT_CONTAINS(failure(), "thread (3, 0, 0) does not like it; schedule random:12");
}

// ---- atomics

template <typename T>
__global__ void add_up(T* sum)
{
    atomicAdd(sum, T{2});
}

template <typename T>
class HipHostAtomicAdd : public HipHost {};
using AddedTypes = ::testing::Types<int, unsigned, unsigned long long, float, double>;
TYPED_TEST_SUITE(HipHostAtomicAdd, AddedTypes);

TYPED_TEST(HipHostAtomicAdd, AddsUpOverAllThreads)
{
    const Buffer<TypeParam> sum(std::vector<TypeParam>{TypeParam{5}});

    hipLaunchKernelGGL(add_up<TypeParam>, 10, 100, 0, nullptr, sum.get());

    EXPECT_EQ(sum.host()[0], TypeParam{2005});
}

template <typename T>
__global__ void other_atomics(T* values)
{
    const auto id = static_cast<T>(global_id());
    atomicMax(values, id);
    atomicMin(values + 1, id);
    atomicExch(values + 2, T{17});
    atomicOr(values + 3, T{1} << (id % 8));
    atomicAnd(values + 4, ~(T{1} << (id % 8)));
    atomicXor(values + 5, T{1});
    atomicSub(values + 6, T{1});
    atomicCAS(values + 7, id, id + 1);
}

template <typename T>
class HipHostAtomic : public HipHost {};
using IntegerTypes = ::testing::Types<int, unsigned, unsigned long long>;
TYPED_TEST_SUITE(HipHostAtomic, IntegerTypes);

TYPED_TEST(HipHostAtomic, MatchesDefinition)
{
    using T = TypeParam;
    const Buffer<T> values(std::vector<T>{10, 10, 0, 0, 0x3ff, 0, 100, 0});

    hipLaunchKernelGGL(other_atomics<T>, 1, 96, 0, nullptr, values.get());

    EXPECT_EQ(values.host(), (std::vector<T>{95, 0, 17, 0xff, 0x300, 0, 4, 96}));
}

// ---- launches

__global__ void empty(int) {}

TEST_F(HipHostLaunch, BadConfigurationsAreRefused)
{
    for (const auto& shape : {std::pair<dim3, dim3>{0, 1},
                              {{1, 0}, 1},
                              {{1, 1, 0}, 1},
                              {1, 0},
                              {1, 1025},
                              {1, {33, 32}},
                              {{1, 65536}, 1}}) {
        hipLaunchKernelGGL(empty, shape.first, shape.second, 0, nullptr, 1);
        EXPECT_EQ(hipPeekAtLastError(), hipErrorInvalidConfiguration);
        EXPECT_EQ(hipGetLastError(), hipErrorInvalidConfiguration);
        EXPECT_EQ(hipGetLastError(), hipSuccess);
    }
    hipLaunchKernelGGL(empty, 1, 1, 64 * 1024 + 1, nullptr, 1);
    EXPECT_EQ(hipGetLastError(), hipErrorInvalidValue);
    hipLaunchKernelGGL(empty, 1, 1, 64 * 1024, nullptr, 1);
    EXPECT_EQ(hipGetLastError(), hipSuccess);
}

__global__ void launches_again() { hipLaunchKernelGGL(empty, 1, 1, 0, nullptr, 1); }

TEST_F(HipHostLaunch, KernelCannotLaunch)
{
    hipLaunchKernelGGL(launches_again, 1, 1, 0, nullptr);

    EXPECT_EQ(hipGetLastError(), hipErrorNotSupported);
}

template <typename T, int factor>
__global__ void takes_values(std::complex<T> a, long long b, const T* c, T* result)
{
    *result = factor * (a.real() + a.imag() + static_cast<T>(b) + *c);
}

TEST_F(HipHostLaunch, ArgumentsAreConvertedToTheKernelsParameters)
{
    const Buffer<double> c(std::vector<double>{0.5});
    const Buffer<double> result(1);

    hipLaunchKernelGGL(HIP_KERNEL_NAME(takes_values<double, 2>), 1, 1, 0, nullptr, std::complex<double>(1, 2), 3,
                       c.get(), result.get());
    const auto first = result.host()[0];
    hipLaunchKernelGGL((takes_values<double, 3>), 1, 1, 0, nullptr, std::complex<double>(1, 2), 3, c.get(),
                       result.get());

    EXPECT_EQ(first, 13.0);
    EXPECT_EQ(result.host()[0], 19.5);
}

TEST_F(HipHostLaunch, SeveralHostThreadsMayLaunch)
{
    constexpr int num_threads = 4;
    constexpr int num_launches = 30;
    std::vector<std::thread> threads;
    std::vector<int> num_right(num_threads);
    for (int t = 0; t < num_threads; ++t) {
        threads.emplace_back([&num_right, t] {
            for (int i = 0; i < num_launches; ++i) {
                const Buffer<double> values(std::vector<double>(512, t + 1.0));
                const Buffer<double> sums(2);
                hipLaunchKernelGGL(sum_of_block<double>, 2, 256, 0, nullptr, values.get(), sums.get());
                if (i % 5 == t) {  // errors belong to the thread that caused them
                    const Buffer<int> result(100);
                    hipLaunchKernelGGL(barrier_in_one_branch, 1, 100, 0, nullptr, result.get());
                    EXPECT_EQ(hipGetLastError(), hipErrorLaunchFailure);
                }
                num_right[t] +=
                    sums.host() == std::vector<double>(2, 256.0 * (t + 1)) && hipGetLastError() == hipSuccess;
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(num_right, std::vector<int>(num_threads, num_launches));
}

TEST_F(HipHostLaunch, UnknownSchedulesAreRefused)
{
    EXPECT_FALSE(hip_host::set_schedule("sideways"));
    EXPECT_TRUE(hip_host::set_schedule("random"));
}

}  // namespace
