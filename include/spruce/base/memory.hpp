// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>

#include <spruce/base/types.hpp>

struct CUstream_st;
struct SPRUCE_HIP_STREAM_STRUCT;

namespace spruce {

/// Allocates the memory of an executor. An allocator of an application derives from the base class
/// of its backend.
class SPRUCE_EXPORT Allocator {
public:
    virtual ~Allocator();
    /// Allocates num_bytes bytes.
    /// @throws AllocationError  if the memory cannot be allocated
    virtual void* allocate(size_type num_bytes) = 0;
    virtual void deallocate(void* ptr) = 0;
};

/// Marks allocators of host memory.
class SPRUCE_EXPORT CpuAllocatorBase : public virtual Allocator {};

/// Marks allocators of memory that CUDA devices can access.
class SPRUCE_EXPORT CudaAllocatorBase : public virtual Allocator {
public:
    /// Returns true if the allocator can be used with this device and stream.
    virtual bool check_environment(int device_id, CUstream_st* stream) const;
};

/// Marks allocators of memory that HIP devices can access.
class SPRUCE_EXPORT HipAllocatorBase : public virtual Allocator {
public:
    virtual bool check_environment(int device_id, SPRUCE_HIP_STREAM_STRUCT* stream) const;
};

/// Allocates host memory that is aligned to cache lines. Blocks of 4 MiB or more are aligned to
/// 2 MiB, and Linux is advised to use huge pages for them. Released blocks of this size are kept
/// for later allocations, up to one eighth of the memory of the machine. Linux may reclaim them in
/// the meantime (MADV_FREE).
class SPRUCE_EXPORT CpuAllocator : public CpuAllocatorBase {
public:
    void* allocate(size_type num_bytes) override;
    void deallocate(void* ptr) override;
};

/// Allocates plain device memory. Each allocation and each release waits for the device.
class SPRUCE_EXPORT CudaAllocator : public CudaAllocatorBase {
public:
    void* allocate(size_type num_bytes) override;
    void deallocate(void* ptr) override;
};

/// Allocates device memory from a pool, in the order of a stream. This is the default of
/// CudaExecutor.
class SPRUCE_EXPORT CudaAsyncAllocator : public CudaAllocatorBase {
public:
    explicit CudaAsyncAllocator(CUstream_st* stream) : stream_{stream} {}
    void* allocate(size_type num_bytes) override;
    void deallocate(void* ptr) override;
    bool check_environment(int device_id, CUstream_st* stream) const override;

private:
    CUstream_st* stream_;
};

/// Allocates memory that host and device can access. It is moved between them on access.
class SPRUCE_EXPORT CudaUnifiedAllocator : public CudaAllocatorBase, public CpuAllocatorBase {
public:
    explicit CudaUnifiedAllocator(int device_id) : device_id_{device_id} {}
    /// Takes flags for compatibility. They restrict the streams that may use the memory, but are
    /// ignored: all streams may use it.
    CudaUnifiedAllocator(int device_id, [[maybe_unused]] unsigned flags) : CudaUnifiedAllocator{device_id} {}
    void* allocate(size_type num_bytes) override;
    void deallocate(void* ptr) override;

private:
    int device_id_;
};

/// Allocates page-locked host memory that the device can access.
class SPRUCE_EXPORT CudaHostAllocator : public CudaAllocatorBase, public CpuAllocatorBase {
public:
    explicit CudaHostAllocator(int device_id) : device_id_{device_id} {}
    void* allocate(size_type num_bytes) override;
    void deallocate(void* ptr) override;

private:
    int device_id_;
};

/// Allocates plain device memory. Each allocation and each release waits for the device.
class SPRUCE_EXPORT HipAllocator : public HipAllocatorBase {
public:
    void* allocate(size_type num_bytes) override;
    void deallocate(void* ptr) override;
};

/// Allocates device memory from a pool, in the order of a stream. This is the default of
/// HipExecutor.
class SPRUCE_EXPORT HipAsyncAllocator : public HipAllocatorBase {
public:
    explicit HipAsyncAllocator(SPRUCE_HIP_STREAM_STRUCT* stream) : stream_{stream} {}
    void* allocate(size_type num_bytes) override;
    void deallocate(void* ptr) override;
    bool check_environment(int device_id, SPRUCE_HIP_STREAM_STRUCT* stream) const override;

private:
    SPRUCE_HIP_STREAM_STRUCT* stream_;
};

/// Allocates memory that host and device can access. It is moved between them on access.
class SPRUCE_EXPORT HipUnifiedAllocator : public HipAllocatorBase, public CpuAllocatorBase {
public:
    explicit HipUnifiedAllocator(int device_id) : device_id_{device_id} {}
    /// Takes flags for compatibility. They restrict the streams that may use the memory, but are
    /// ignored: all streams may use it.
    HipUnifiedAllocator(int device_id, [[maybe_unused]] unsigned flags) : HipUnifiedAllocator{device_id} {}
    void* allocate(size_type num_bytes) override;
    void deallocate(void* ptr) override;

private:
    int device_id_;
};

/// Allocates page-locked host memory that the device can access.
class SPRUCE_EXPORT HipHostAllocator : public HipAllocatorBase, public CpuAllocatorBase {
public:
    explicit HipHostAllocator(int device_id) : device_id_{device_id} {}
    void* allocate(size_type num_bytes) override;
    void deallocate(void* ptr) override;

private:
    int device_id_;
};

}  // namespace spruce
