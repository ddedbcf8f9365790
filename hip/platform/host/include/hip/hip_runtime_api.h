// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: 2026 The Spruce authors
#pragma once

// Contains the host part of the HIP interface on the `host` platform: devices, memory, streams,
// events, errors. Names, argument orders and error codes are those of the HIP runtime, so that
// callers need no `#ifdef`. doc/hip_host_platform.md describes the behaviour of this platform.

#include <cstddef>
#include <cstdint>

#ifndef __HIP_PLATFORM_HOST__
#define __HIP_PLATFORM_HOST__ 1
#endif

enum hipError_t {
    hipSuccess = 0,
    hipErrorInvalidValue = 1,
    hipErrorOutOfMemory = 2,
    hipErrorMemoryAllocation = hipErrorOutOfMemory,
    hipErrorNotInitialized = 3,
    hipErrorInvalidConfiguration = 9,
    hipErrorInvalidDevicePointer = 17,
    hipErrorInvalidMemcpyDirection = 21,
    hipErrorInvalidDeviceFunction = 98,
    hipErrorNoDevice = 100,
    hipErrorInvalidDevice = 101,
    hipErrorNoBinaryForGpu = 209,
    hipErrorInvalidHandle = 400,
    hipErrorInvalidResourceHandle = hipErrorInvalidHandle,
    hipErrorNotReady = 600,
    hipErrorLaunchFailure = 719,
    hipErrorNotSupported = 801,
    hipErrorStreamCaptureUnsupported = 900,
    hipErrorUnknown = 999
};

enum hipMemcpyKind {
    hipMemcpyHostToHost = 0,
    hipMemcpyHostToDevice = 1,
    hipMemcpyDeviceToHost = 2,
    hipMemcpyDeviceToDevice = 3,
    hipMemcpyDefault = 4
};

enum hipMemoryType {
    hipMemoryTypeUnregistered = 0,
    hipMemoryTypeHost = 1,
    hipMemoryTypeDevice = 2,
    hipMemoryTypeManaged = 3
};

enum hipDeviceAttribute_t {
    hipDeviceAttributeClockRate,
    hipDeviceAttributeComputeCapabilityMajor,
    hipDeviceAttributeComputeCapabilityMinor,
    hipDeviceAttributeCooperativeLaunch,
    hipDeviceAttributeL2CacheSize,
    hipDeviceAttributeManagedMemory,
    hipDeviceAttributeMaxBlockDimX,
    hipDeviceAttributeMaxBlockDimY,
    hipDeviceAttributeMaxBlockDimZ,
    hipDeviceAttributeMaxGridDimX,
    hipDeviceAttributeMaxGridDimY,
    hipDeviceAttributeMaxGridDimZ,
    hipDeviceAttributeMaxRegistersPerBlock,
    hipDeviceAttributeMaxSharedMemoryPerBlock,
    hipDeviceAttributeMaxSharedMemoryPerMultiprocessor,
    hipDeviceAttributeMaxThreadsPerBlock,
    hipDeviceAttributeMaxThreadsPerMultiProcessor,
    hipDeviceAttributeMemoryPoolsSupported,
    hipDeviceAttributeMultiprocessorCount,
    hipDeviceAttributeWarpSize
};

enum hipFuncAttribute {
    hipFuncAttributeMaxDynamicSharedMemorySize = 8,
    hipFuncAttributePreferredSharedMemoryCarveout = 9
};

enum hipMemPoolAttr {
    hipMemPoolReuseFollowEventDependencies = 1,
    hipMemPoolReuseAllowOpportunistic = 2,
    hipMemPoolReuseAllowInternalDependencies = 3,
    hipMemPoolAttrReleaseThreshold = 4
};

struct dim3 {
    constexpr dim3(std::uint32_t x_ = 1, std::uint32_t y_ = 1, std::uint32_t z_ = 1) : x{x_}, y{y_}, z{z_} {}

    std::uint32_t x;
    std::uint32_t y;
    std::uint32_t z;
};

struct hipDeviceProp_t {
    char name[256];
    std::size_t totalGlobalMem;
    std::size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    int clockRate;        // kHz
    int memoryClockRate;  // kHz
    int memoryBusWidth;   // bits
    int major;
    int minor;
    int multiProcessorCount;
    int l2CacheSize;
    int maxThreadsPerMultiProcessor;
    int concurrentKernels;
    int pciDomainID;
    int pciBusID;
    int pciDeviceID;
    std::size_t maxSharedMemoryPerMultiProcessor;
    int canMapHostMemory;
    int integrated;
    int cooperativeLaunch;
    int managedMemory;
    char gcnArchName[256];
};

struct hipPointerAttribute_t {
    hipMemoryType type;
    int device;
    void* devicePointer;
    void* hostPointer;
    int isManaged;
    unsigned allocationFlags;
};

struct hipFuncAttributes {
    int maxThreadsPerBlock;
    int maxDynamicSharedSizeBytes;
    int numRegs;
    std::size_t sharedSizeBytes;
};

using hipStream_t = struct ihipStream_t*;
using hipGraph_t = struct ihipGraph_t*;
using hipGraphExec_t = struct ihipGraphExec_t*;
using hipEvent_t = struct ihipEvent_t*;
using hipMemPool_t = struct ihipMemPool_t*;

constexpr unsigned hipStreamDefault = 0;
constexpr unsigned hipStreamNonBlocking = 1;

enum hipStreamCaptureMode {
    hipStreamCaptureModeGlobal = 0,
    hipStreamCaptureModeThreadLocal = 1,
    hipStreamCaptureModeRelaxed = 2
};
constexpr unsigned hipEventDefault = 0;
constexpr unsigned hipEventBlockingSync = 1;
constexpr unsigned hipEventDisableTiming = 2;
constexpr unsigned hipHostMallocDefault = 0;
constexpr unsigned hipHostMallocPortable = 1;
constexpr unsigned hipHostMallocMapped = 2;
constexpr unsigned hipMemAttachGlobal = 1;

extern "C" {

// Errors are kept per host thread. The text for hipErrorLaunchFailure describes the fault of the
// kernel.
const char* hipGetErrorName(hipError_t error);
const char* hipGetErrorString(hipError_t error);
hipError_t hipGetLastError();
hipError_t hipPeekAtLastError();

hipError_t hipInit(unsigned flags);
hipError_t hipDriverGetVersion(int* version);
hipError_t hipRuntimeGetVersion(int* version);
hipError_t hipGetDeviceCount(int* count);
hipError_t hipSetDevice(int device);
hipError_t hipGetDevice(int* device);
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device);
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device);
hipError_t hipDeviceGetPCIBusId(char* id, int length, int device);
hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer);
hipError_t hipDeviceSynchronize();
hipError_t hipDeviceReset();

hipError_t hipMalloc(void** pointer, std::size_t size);
hipError_t hipMallocAsync(void** pointer, std::size_t size, hipStream_t stream);
hipError_t hipMallocManaged(void** pointer, std::size_t size, unsigned flags = hipMemAttachGlobal);
hipError_t hipHostMalloc(void** pointer, std::size_t size, unsigned flags = hipHostMallocDefault);
hipError_t hipFree(void* pointer);
hipError_t hipFreeAsync(void* pointer, hipStream_t stream);
hipError_t hipHostFree(void* pointer);
hipError_t hipMemGetInfo(std::size_t* free, std::size_t* total);
hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* pointer);
hipError_t hipMemcpy(void* to, const void* from, std::size_t size, hipMemcpyKind kind);
hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t size, hipMemcpyKind kind,
                          hipStream_t stream = nullptr);
hipError_t hipMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t size);
hipError_t hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t size,
                              hipStream_t stream = nullptr);
hipError_t hipMemset(void* pointer, int value, std::size_t size);
hipError_t hipMemsetAsync(void* pointer, int value, std::size_t size, hipStream_t stream = nullptr);
hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device);
hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value);
hipError_t hipMemPoolTrimTo(hipMemPool_t pool, std::size_t min_bytes_to_hold);

hipError_t hipStreamCreate(hipStream_t* stream);
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags);
hipError_t hipStreamDestroy(hipStream_t stream);
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipStreamQuery(hipStream_t stream);
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags = 0);

hipError_t hipEventCreate(hipEvent_t* event);
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags);
hipError_t hipEventDestroy(hipEvent_t event);
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream = nullptr);
hipError_t hipEventSynchronize(hipEvent_t event);
hipError_t hipEventQuery(hipEvent_t event);
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop);

// Recording supports only kernels. Every other operation on a stream that records is an error.
hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode);
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph);
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* executable, hipGraph_t graph, unsigned long long flags);
hipError_t hipGraphLaunch(hipGraphExec_t executable, hipStream_t stream);
hipError_t hipGraphDestroy(hipGraph_t graph);
hipError_t hipGraphExecDestroy(hipGraphExec_t executable);

hipError_t hipFuncSetAttribute(const void* kernel, hipFuncAttribute attribute, int value);
hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, const void* kernel);

}  // extern "C"

template <typename T>
hipError_t hipMalloc(T** pointer, std::size_t size)
{
    return hipMalloc(reinterpret_cast<void**>(pointer), size);
}

template <typename T>
hipError_t hipMallocAsync(T** pointer, std::size_t size, hipStream_t stream)
{
    return hipMallocAsync(reinterpret_cast<void**>(pointer), size, stream);
}

template <typename T>
hipError_t hipMallocManaged(T** pointer, std::size_t size, unsigned flags = hipMemAttachGlobal)
{
    return hipMallocManaged(reinterpret_cast<void**>(pointer), size, flags);
}

template <typename T>
hipError_t hipHostMalloc(T** pointer, std::size_t size, unsigned flags = hipHostMallocDefault)
{
    return hipHostMalloc(reinterpret_cast<void**>(pointer), size, flags);
}

template <typename Kernel>
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* num_blocks, Kernel, int block_size, std::size_t)
{
    *num_blocks = 2;  // any number: blocks run one after another
    return block_size > 0 && block_size <= 1024 ? hipSuccess : hipErrorInvalidValue;
}

namespace hip_host {

// Settings and queries for tests of this platform and of its users.

/// Returns the reason for the failure of this host thread's last failed kernel, or an empty string.
const char* last_error_message();

/// Sets the order in which the threads of a block run: "forward", "reverse", "random" or
/// "random:<seed>". It replaces the setting of the environment variable SPRUCE_HIP_HOST_SCHEDULE.
/// @return false for any other text
bool set_schedule(const char* schedule);

struct Counters {
    std::size_t live_allocations;  // device, managed and pinned host memory
    std::size_t live_bytes;        // of device and managed memory
    std::size_t live_streams;
    std::size_t live_events;
    std::size_t launches;
    std::size_t copies;
    std::size_t shuffles;  // of kernels: each is one meeting of lanes
};

Counters counters();

}  // namespace hip_host
