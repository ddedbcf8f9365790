// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/base/types.hpp>

struct CUstream_st;
struct SPRUCE_HIP_STREAM_STRUCT;

namespace spruce {

/// Where an executor gets its memory from. An allocator of one's own derives from the base of its backend.
class SPRUCE_EXPORT Allocator {
public:
    virtual ~Allocator();
    /// @throws AllocationError  if the memory cannot be had
    virtual void* allocate(size_type num_bytes) = 0;
    virtual void deallocate(void* ptr) = 0;
};

/// Base of allocators of host memory.
class SPRUCE_EXPORT CpuAllocatorBase : public virtual Allocator {};

/// Base of allocators of memory that CUDA devices see.
class SPRUCE_EXPORT CudaAllocatorBase : public virtual Allocator {
public:
    /// Whether the allocator serves this device and stream.
    virtual bool check_environment(int device_id, CUstream_st* stream) const;
};

/// Base of allocators of memory that HIP devices see.
class SPRUCE_EXPORT HipAllocatorBase : public virtual Allocator {
public:
    virtual bool check_environment(int device_id, SPRUCE_HIP_STREAM_STRUCT* stream) const;
};

/// Host memory, aligned to cache lines. Blocks of 4 MiB and more are aligned to 2 MiB, and Linux is asked for huge pages for them; those
/// that were given back are kept for the next, up to an eighth of the machine's memory, and Linux may take them meanwhile (MADV_FREE).
class SPRUCE_EXPORT CpuAllocator : public CpuAllocatorBase {
public:
    void* allocate(size_type num_bytes) override;
    void deallocate(void* ptr) override;
};

/// Plain device memory: each allocation and release waits for the device.
class SPRUCE_EXPORT CudaAllocator : public CudaAllocatorBase {
public:
    void* allocate(size_type num_bytes) override;
    void deallocate(void* ptr) override;
};

/// Device memory from a pool, in the order of a stream: the default of CudaExecutor.
class SPRUCE_EXPORT CudaAsyncAllocator : public CudaAllocatorBase {
public:
    explicit CudaAsyncAllocator(CUstream_st* stream) : stream_{stream} {}
    void* allocate(size_type num_bytes) override;
    void deallocate(void* ptr) override;
    bool check_environment(int device_id, CUstream_st* stream) const override;

private:
    CUstream_st* stream_;
};

/// Memory that host and device both see, moved between them on access.
class SPRUCE_EXPORT CudaUnifiedAllocator : public CudaAllocatorBase, public CpuAllocatorBase {
public:
    explicit CudaUnifiedAllocator(int device_id) : device_id_{device_id} {}
    /// The flags, which restrict the streams that use the memory, are accepted for compatibility: all may use it.
    CudaUnifiedAllocator(int device_id, [[maybe_unused]] unsigned flags) : CudaUnifiedAllocator{device_id} {}
    void* allocate(size_type num_bytes) override;
    void deallocate(void* ptr) override;

private:
    int device_id_;
};

/// Page-locked host memory that the device sees too.
class SPRUCE_EXPORT CudaHostAllocator : public CudaAllocatorBase, public CpuAllocatorBase {
public:
    explicit CudaHostAllocator(int device_id) : device_id_{device_id} {}
    void* allocate(size_type num_bytes) override;
    void deallocate(void* ptr) override;

private:
    int device_id_;
};

/// Plain device memory: each allocation and release waits for the device.
class SPRUCE_EXPORT HipAllocator : public HipAllocatorBase {
public:
    void* allocate(size_type num_bytes) override;
    void deallocate(void* ptr) override;
};

/// Device memory from a pool, in the order of a stream: the default of HipExecutor.
class SPRUCE_EXPORT HipAsyncAllocator : public HipAllocatorBase {
public:
    explicit HipAsyncAllocator(SPRUCE_HIP_STREAM_STRUCT* stream) : stream_{stream} {}
    void* allocate(size_type num_bytes) override;
    void deallocate(void* ptr) override;
    bool check_environment(int device_id, SPRUCE_HIP_STREAM_STRUCT* stream) const override;

private:
    SPRUCE_HIP_STREAM_STRUCT* stream_;
};

/// Memory that host and device both see, moved between them on access.
class SPRUCE_EXPORT HipUnifiedAllocator : public HipAllocatorBase, public CpuAllocatorBase {
public:
    explicit HipUnifiedAllocator(int device_id) : device_id_{device_id} {}
    /// The flags, which restrict the streams that use the memory, are accepted for compatibility: all may use it.
    HipUnifiedAllocator(int device_id, [[maybe_unused]] unsigned flags) : HipUnifiedAllocator{device_id} {}
    void* allocate(size_type num_bytes) override;
    void deallocate(void* ptr) override;

private:
    int device_id_;
};

/// Page-locked host memory that the device sees too.
class SPRUCE_EXPORT HipHostAllocator : public HipAllocatorBase, public CpuAllocatorBase {
public:
    explicit HipHostAllocator(int device_id) : device_id_{device_id} {}
    void* allocate(size_type num_bytes) override;
    void deallocate(void* ptr) override;

private:
    int device_id_;
};

}  // namespace spruce
