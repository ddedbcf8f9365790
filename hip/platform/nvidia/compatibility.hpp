// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Lets HIP 5.2's headers compile with CUDA 13. It is included before everything else on the nvidia
// platform. The runtime of CUDA 13 lacks some fields of cudaDeviceProp and texture references, and
// has new signatures of a few functions. This file can go once HIP's headers support CUDA 13.

#include <cuda.h>
#include <cuda_runtime_api.h>

#if CUDART_VERSION >= 13000

/// Adds to cudaDeviceProp the fields that HIP's headers still copy.
struct spruce_device_prop : cudaDeviceProp {
    int clockRate, computeMode, memoryClockRate, cooperativeMultiDeviceLaunch, kernelExecTimeoutEnabled, deviceOverlap,
        singleToDoublePrecisionPerfRatio;
};
inline cudaError_t cudaGetDeviceProperties(spruce_device_prop* properties, int device)
{
    const auto error = cudaGetDeviceProperties(static_cast<cudaDeviceProp*>(properties), device);
    if (error == cudaSuccess) {
        cudaDeviceGetAttribute(&properties->clockRate, cudaDevAttrClockRate, device);
        cudaDeviceGetAttribute(&properties->memoryClockRate, cudaDevAttrMemoryClockRate, device);
        cudaDeviceGetAttribute(&properties->computeMode, cudaDevAttrComputeMode, device);
        cudaDeviceGetAttribute(&properties->kernelExecTimeoutEnabled, cudaDevAttrKernelExecTimeout, device);
        properties->cooperativeMultiDeviceLaunch = 0;
        properties->deviceOverlap = 1;
        properties->singleToDoublePrecisionPerfRatio = 0;
    }
    return error;
}

// Functions whose parameters changed, under their old signatures.
inline cudaError_t cudaMemAdvise(const void* ptr, size_t size, cudaMemoryAdvise advice, int device)
{
    return cudaMemAdvise(ptr, size, advice, cudaMemLocation{cudaMemLocationTypeDevice, device});
}
inline cudaError_t cudaMemPrefetchAsync(const void* ptr, size_t size, int device, cudaStream_t stream)
{
    return cudaMemPrefetchAsync(ptr, size, cudaMemLocation{cudaMemLocationTypeDevice, device}, 0, stream);
}
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                            size_t size)
{
    return cudaGraphAddDependencies(graph, from, to, nullptr, size);
}
inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                               const cudaGraphNode_t* to, size_t size)
{
    return cudaGraphRemoveDependencies(graph, from, to, nullptr, size);
}
inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, size_t* size)
{
    return cudaGraphGetEdges(graph, from, to, nullptr, size);
}
inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, size_t* size)
{
    return cudaGraphNodeGetDependencies(node, nodes, nullptr, size);
}
inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, size_t* size)
{
    return cudaGraphNodeGetDependentNodes(node, nodes, nullptr, size);
}
inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes, size_t size,
                                                       unsigned flags)
{
    return cudaStreamUpdateCaptureDependencies(stream, nodes, nullptr, size, flags);
}

// Texture references and multi-device launches are gone; HIP's headers only have to parse.
template <class T, int dimension = 1, cudaTextureReadMode mode = cudaReadModeElementType>
struct texture {};
struct textureReference;
template <class... Args>
cudaError_t cudaBindTexture(Args&&...);
template <class... Args>
cudaError_t cudaBindTexture2D(Args&&...);
template <class... Args>
cudaError_t cudaBindTextureToArray(Args&&...);
template <class... Args>
cudaError_t cudaUnbindTexture(Args&&...);
template <class... Args>
cudaError_t cudaGetTextureAlignmentOffset(Args&&...);
template <class... Args>
cudaError_t cudaLaunchCooperativeKernelMultiDevice(Args&&...);
template <class... Args>
cudaError_t cudaStreamGetCaptureInfo_v2(Args&&...);

#define cudaDeviceProp spruce_device_prop
#define cudaDevAttrCooperativeMultiDeviceLaunch cudaDevAttrCooperativeLaunch
#undef cuCtxCreate
inline CUresult spruce_create_context(CUcontext* context, unsigned flags, CUdevice device)
{
    return cuCtxCreate_v4(context, nullptr, flags, device);
}
#define cuCtxCreate spruce_create_context

#endif
