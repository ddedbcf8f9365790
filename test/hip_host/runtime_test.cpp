// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: 2026 The Spruce authors

// Tests the host interface of the host platform: memory, streams, events, devices, errors.

#include "device_buffer.hpp"

#include <cstdlib>
#include <string>
#include <vector>

#include "test/utils/sanitizers.hpp"

namespace {

using HipHostMemory = HipHost;
using HipHostStream = HipHost;
using HipHostDevice = HipHost;

__global__ void add(int* values, int n, int summand)
{
    const auto i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) {
        values[i] += summand;
    }
}

__global__ void write_shared(int n)
{
    HIP_DYNAMIC_SHARED(int, values);
    static_cast<volatile int*>(values)[n] = 1;
}

TEST_F(HipHostMemory, IsCopiedInAllDirections)
{
    const std::vector<int> host{1, 2, 3, 4};
    std::vector<int> back(4);
    const auto size = sizeof(int) * 4;
    const Buffer<int> a(4);
    const Buffer<int> b(4);

    EXPECT_EQ(hipMemcpy(a.get(), host.data(), size, hipMemcpyHostToDevice), hipSuccess);
    EXPECT_EQ(hipMemcpyAsync(b.get(), a.get(), size, hipMemcpyDeviceToDevice, nullptr), hipSuccess);
    EXPECT_EQ(hipMemcpy(back.data(), b.get(), size, hipMemcpyDefault), hipSuccess);
    EXPECT_EQ(back, host);
    EXPECT_EQ(hipMemset(b.get() + 1, 0, 2 * sizeof(int)), hipSuccess);
    EXPECT_EQ(b.host(), (std::vector<int>{1, 0, 0, 4}));
}

TEST_F(HipHostMemory, IsFilledWithNaN)
{
    const Buffer<double> buffer(33);

    for (const auto x : buffer.host()) {
        EXPECT_NE(x, x);
    }
}

TEST_F(HipHostMemory, WrongCopiesAreRefused)
{
    std::vector<int> host(8);
    const Buffer<int> device(4);
    const auto size = 4 * sizeof(int);
    const auto refused = [](hipError_t error) { return error == hipErrorInvalidValue && hipGetLastError() == error; };

    EXPECT_TRUE(refused(hipMemcpy(device.get(), host.data(), size + 1, hipMemcpyHostToDevice)));
    EXPECT_TRUE(refused(hipMemcpy(device.get() + 1, host.data(), size, hipMemcpyHostToDevice)));
    EXPECT_TRUE(refused(hipMemcpy(device.get() + 1, host.data(), size, hipMemcpyDefault)));
    EXPECT_TRUE(refused(hipMemcpy(host.data(), host.data() + 4, size, hipMemcpyHostToDevice)));
    EXPECT_TRUE(refused(hipMemcpy(host.data(), host.data() + 4, size, hipMemcpyDeviceToHost)));
    EXPECT_TRUE(refused(hipMemcpy(device.get(), host.data(), size, hipMemcpyDeviceToDevice)));
    EXPECT_TRUE(refused(hipMemcpy(device.get(), host.data(), size, hipMemcpyHostToHost)));
    EXPECT_TRUE(refused(hipMemcpy(host.data(), device.get(), size, hipMemcpyHostToHost)));
    EXPECT_TRUE(refused(hipMemset(device.get(), 0, size + 1)));
    EXPECT_TRUE(refused(hipMemset(host.data(), 0, size)));
    EXPECT_EQ(hipMemcpy(host.data(), device.get(), size, static_cast<hipMemcpyKind>(7)),
              hipErrorInvalidMemcpyDirection);
    EXPECT_EQ(hipGetLastError(), hipErrorInvalidMemcpyDirection);
}

TEST_F(HipHostMemory, FreeingForeignPointersIsRefused)
{
    int host{};
    void* device{};
    ASSERT_EQ(hipMalloc(&device, 64), hipSuccess);

    EXPECT_EQ(hipFree(&host), hipErrorInvalidDevicePointer);
    EXPECT_EQ(hipFree(static_cast<char*>(device) + 1), hipErrorInvalidDevicePointer);
    EXPECT_EQ(hipHostFree(device), hipErrorInvalidValue);
    EXPECT_EQ(hipFree(device), hipSuccess);
    EXPECT_EQ(hipFree(device), hipErrorInvalidDevicePointer);
    EXPECT_EQ(hipFree(nullptr), hipSuccess);
    EXPECT_EQ(hipGetLastError(), hipErrorInvalidDevicePointer);
}

TEST_F(HipHostMemory, AbsurdSizesAreOutOfMemory)
{
    void* pointer = &pointer;

    EXPECT_EQ(hipMalloc(&pointer, std::size_t{1} << 40), hipErrorOutOfMemory);
    EXPECT_EQ(pointer, nullptr);
    EXPECT_EQ(hipGetLastError(), hipErrorOutOfMemory);
    EXPECT_EQ(hipMalloc(&pointer, 0), hipSuccess);
    EXPECT_EQ(pointer, nullptr);
}

TEST_F(HipHostMemory, IsCounted)
{
    const auto before = hip_host::counters();
    std::size_t free_before{};
    std::size_t free_during{};
    std::size_t total{};
    hipMemGetInfo(&free_before, &total);
    {
        const Buffer<char> buffer(1000);
        EXPECT_EQ(hip_host::counters().live_allocations, before.live_allocations + 1);
        EXPECT_EQ(hip_host::counters().live_bytes, before.live_bytes + 1000);
        hipMemGetInfo(&free_during, &total);
    }
    EXPECT_EQ(hip_host::counters().live_allocations, before.live_allocations);
    EXPECT_EQ(hip_host::counters().live_bytes, before.live_bytes);
    EXPECT_EQ(free_before - free_during, 1000);
}

TEST_F(HipHostMemory, PointersKnowTheirKind)
{
    int unregistered{};
    int* pinned{};
    int* managed{};
    const Buffer<int> device(4);
    ASSERT_EQ(hipHostMalloc(&pinned, 16), hipSuccess);
    ASSERT_EQ(hipMallocManaged(&managed, 16), hipSuccess);
    hipPointerAttribute_t attributes;

    EXPECT_EQ(hipPointerGetAttributes(&attributes, device.get() + 3), hipSuccess);
    EXPECT_EQ(attributes.type, hipMemoryTypeDevice);
    EXPECT_EQ(hipPointerGetAttributes(&attributes, pinned), hipSuccess);
    EXPECT_EQ(attributes.type, hipMemoryTypeHost);
    EXPECT_EQ(hipPointerGetAttributes(&attributes, managed), hipSuccess);
    EXPECT_EQ(attributes.type, hipMemoryTypeManaged);
    EXPECT_EQ(hipPointerGetAttributes(&attributes, &unregistered), hipErrorInvalidValue);
    EXPECT_EQ(hipGetLastError(), hipErrorInvalidValue);

    managed[0] = pinned[0] = 1;  // the host may access both
    hipLaunchKernelGGL(add, 1, 1, 0, nullptr, managed, 1, 5);
    hipLaunchKernelGGL(add, 1, 1, 0, nullptr, pinned, 1, 6);
    EXPECT_EQ(managed[0], 6);
    EXPECT_EQ(pinned[0], 7);
    EXPECT_EQ(hipHostFree(pinned), hipSuccess);
    EXPECT_EQ(hipFree(managed), hipSuccess);
}

// AddressSanitizer reports host code that accesses device memory. Without it there is nothing to
// test.
TEST_F(HipHostMemory, HostAccessIsCaughtByAddressSanitizer)
{
    if (!has_address_sanitizer) {
        GTEST_SKIP();
    }
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    const Buffer<int> device(std::vector<int>(3, 1));
    hipLaunchKernelGGL(add, 1, 3, 0, nullptr, device.get(), 3, 1);
    const volatile int* const pointer = device.get();

    EXPECT_DEATH(static_cast<void>(*pointer), "use-after-poison");
    EXPECT_DEATH(static_cast<void>(pointer[2]), "use-after-poison");
}

TEST_F(HipHostMemory, KernelOverrunsAreCaughtByAddressSanitizer)
{
    if (!has_address_sanitizer) {
        GTEST_SKIP();
    }
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    const Buffer<int> device(std::vector<int>(3, 1));

    EXPECT_DEATH(hipLaunchKernelGGL(add, 1, 4, 0, nullptr, device.get(), 4, 1), "heap-buffer-overflow");
    EXPECT_DEATH(hipLaunchKernelGGL(write_shared, 1, 1, 12, nullptr, 3), "heap-buffer-overflow");
    hipLaunchKernelGGL(write_shared, 1, 1, 16, nullptr, 3);
}

TEST_F(HipHostStream, RunsInOrderAndMeasuresTime)
{
    hipStream_t stream{};
    hipEvent_t start{};
    hipEvent_t stop{};
    ASSERT_EQ(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), hipSuccess);
    ASSERT_EQ(hipEventCreate(&start), hipSuccess);
    ASSERT_EQ(hipEventCreateWithFlags(&stop, hipEventDefault), hipSuccess);
    std::vector<int> host(100, 1);
    const Buffer<int> device(100);
    float milliseconds = -1;

    EXPECT_EQ(hipEventElapsedTime(&milliseconds, start, stop), hipErrorInvalidHandle);  // not recorded yet
    EXPECT_EQ(hipGetLastError(), hipErrorInvalidHandle);
    EXPECT_EQ(hipEventRecord(start, stream), hipSuccess);
    EXPECT_EQ(hipMemcpyAsync(device.get(), host.data(), 400, hipMemcpyHostToDevice, stream), hipSuccess);
    hipLaunchKernelGGL(add, 2, 50, 0, stream, device.get(), 100, 4);
    EXPECT_EQ(hipMemcpyAsync(host.data(), device.get(), 400, hipMemcpyDeviceToHost, stream), hipSuccess);
    EXPECT_EQ(hipEventRecord(stop, stream), hipSuccess);
    EXPECT_EQ(hipStreamWaitEvent(stream, stop, 0), hipSuccess);
    EXPECT_EQ(hipEventSynchronize(stop), hipSuccess);
    EXPECT_EQ(hipEventQuery(stop), hipSuccess);
    EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
    EXPECT_EQ(hipStreamQuery(stream), hipSuccess);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_EQ(hipEventElapsedTime(&milliseconds, start, stop), hipSuccess);

    EXPECT_EQ(host, std::vector<int>(100, 5));
    EXPECT_GE(milliseconds, 0.0f);
    EXPECT_EQ(hipEventDestroy(start), hipSuccess);
    EXPECT_EQ(hipEventDestroy(stop), hipSuccess);
    EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
    EXPECT_EQ(hip_host::counters().live_streams, 0);
    EXPECT_EQ(hip_host::counters().live_events, 0);
}

TEST_F(HipHostStream, RecordsLaunchesAndReplaysThem)
{
    hipStream_t stream{};
    hipGraph_t graph{};
    hipGraphExec_t recorded{};
    std::vector<int> host(100, 1);
    const Buffer<int> device(100);
    ASSERT_EQ(hipMemcpy(device.get(), host.data(), 400, hipMemcpyHostToDevice), hipSuccess);
    ASSERT_EQ(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), hipSuccess);

    EXPECT_EQ(hipStreamBeginCapture(nullptr, hipStreamCaptureModeThreadLocal), hipErrorStreamCaptureUnsupported);
    EXPECT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal), hipSuccess);
    hipLaunchKernelGGL(add, 2, 50, 0, stream, device.get(), 100, 4);
    hipLaunchKernelGGL(add, 2, 50, 0, stream, device.get(), 100, 10);
    EXPECT_EQ(hipStreamSynchronize(stream), hipErrorStreamCaptureUnsupported);
    EXPECT_EQ(hipMemsetAsync(device.get(), 0, 400, stream), hipErrorStreamCaptureUnsupported);
    EXPECT_EQ(hipMemcpyAsync(device.get(), device.get() + 50, 200, hipMemcpyDeviceToDevice, stream),
              hipErrorStreamCaptureUnsupported);
    EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
    EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorInvalidValue);
    hipGetLastError();
    EXPECT_EQ(hipGraphInstantiateWithFlags(&recorded, graph, 0), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
    EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
    EXPECT_EQ(hipMemcpy(host.data(), device.get(), 400, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_EQ(host, std::vector<int>(100, 1));

    EXPECT_EQ(hipGraphLaunch(recorded, nullptr), hipSuccess);
    EXPECT_EQ(hipGraphLaunch(recorded, nullptr), hipSuccess);

    EXPECT_EQ(hipMemcpy(host.data(), device.get(), 400, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_EQ(host, std::vector<int>(100, 29));
    EXPECT_EQ(hipGraphExecDestroy(recorded), hipSuccess);
    EXPECT_EQ(hipGraphLaunch(recorded, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphDestroy(graph), hipErrorInvalidValue);
    hipGetLastError();
}

TEST_F(HipHostStream, DestroyedStreamsAreRefused)
{
    hipStream_t stream{};
    ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
    ASSERT_EQ(hipStreamDestroy(stream), hipSuccess);

    EXPECT_EQ(hipStreamDestroy(stream), hipErrorInvalidHandle);
    EXPECT_EQ(hipStreamSynchronize(stream), hipErrorInvalidHandle);
    hipGetLastError();
    hipLaunchKernelGGL(add, 1, 1, 0, stream, nullptr, 0, 0);
    EXPECT_EQ(hipGetLastError(), hipErrorInvalidHandle);
}

TEST_F(HipHostStream, AllocatesAsynchronously)
{
    hipStream_t stream{};
    hipMemPool_t pool{};
    std::uint64_t threshold{~0ull};
    int* pointer{};
    ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);

    EXPECT_EQ(hipDeviceGetDefaultMemPool(&pool, 0), hipSuccess);
    EXPECT_EQ(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold), hipSuccess);
    EXPECT_EQ(hipMallocAsync(&pointer, 64, stream), hipSuccess);
    EXPECT_EQ(hipMemsetAsync(pointer, 0, 64, stream), hipSuccess);
    EXPECT_EQ(hipFreeAsync(pointer, stream), hipSuccess);
    EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
}

TEST_F(HipHostDevice, DescribesItself)
{
    int count{};
    int device{-1};
    int value{};
    hipDeviceProp_t properties;
    char bus_id[16];

    EXPECT_EQ(hipGetDeviceCount(&count), hipSuccess);
    EXPECT_EQ(count, 1);
    EXPECT_EQ(hipSetDevice(0), hipSuccess);
    EXPECT_EQ(hipGetDevice(&device), hipSuccess);
    EXPECT_EQ(device, 0);
    EXPECT_EQ(hipGetDeviceProperties(&properties, 0), hipSuccess);
    EXPECT_EQ(std::string{properties.name}, "Spruce host platform");
    EXPECT_EQ(properties.warpSize, SPRUCE_HIP_WARP_SIZE);
    EXPECT_EQ(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0), hipSuccess);
    EXPECT_EQ(value, warpSize);
    EXPECT_EQ(hipDeviceGetPCIBusId(bus_id, sizeof(bus_id), 0), hipSuccess);
    EXPECT_EQ(std::string{bus_id}, "0000:00:00.0");
    EXPECT_EQ(hipOccupancyMaxActiveBlocksPerMultiprocessor(&value, add, 256, 0), hipSuccess);
    EXPECT_EQ(
        hipFuncSetAttribute(reinterpret_cast<const void*>(&add), hipFuncAttributeMaxDynamicSharedMemorySize, 48 * 1024),
        hipSuccess);
    EXPECT_EQ(hipSetDevice(1), hipErrorInvalidDevice);
    EXPECT_EQ(std::string{hipGetErrorName(hipGetLastError())}, "hipErrorInvalidDevice");
}

// The environment is read at the first use, so each of these tests runs in its own process.

[[noreturn]] void exit_with(bool right) { std::exit(right ? 0 : 1); }

TEST_F(HipHostDevice, EnvironmentSetsTheirNumber)
{
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    const auto none = [] {
        setenv("SPRUCE_HIP_HOST_DEVICES", "0", 1);
        int count{-1};
        void* pointer{};
        exit_with(hipGetDeviceCount(&count) == hipErrorNoDevice && count == 0 &&
                  hipMalloc(&pointer, 8) == hipErrorNoDevice);
    };
    const auto two = [] {
        setenv("SPRUCE_HIP_HOST_DEVICES", "2", 1);
        int count{};
        exit_with(hipGetDeviceCount(&count) == hipSuccess && count == 2 && hipSetDevice(1) == hipSuccess &&
                  hipSetDevice(2) == hipErrorInvalidDevice && hipGetDevice(&count) == hipSuccess && count == 1);
    };

    EXPECT_EXIT(none(), ::testing::ExitedWithCode(0), "");
    EXPECT_EXIT(two(), ::testing::ExitedWithCode(0), "");
}

__global__ void who_is_first(int* result) { atomicCAS(result, -1, static_cast<int>(threadIdx.x)); }

TEST_F(HipHostDevice, EnvironmentSetsTheSchedule)
{
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    const auto reverse = [] {
        setenv("SPRUCE_HIP_HOST_SCHEDULE", "reverse", 1);
        const Buffer<int> first(1);
        hipLaunchKernelGGL(who_is_first, 1, 100, 0, nullptr, first.get());
        return first.host()[0] == 99;
    };

    EXPECT_EXIT(exit_with(reverse()), ::testing::ExitedWithCode(0), "");
}

}  // namespace
