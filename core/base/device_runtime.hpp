// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

#include <spruce/base/executor.hpp>

namespace spruce::detail {

enum class memory_kind { pooled, device, unified, pinned_host };

/// The memory door: what a GPU backend's runtime library does for the core. Implemented once for cuda and hip in
/// common/gpu/base/device_runtime.hpp. Streams and events are the vendor's handles. Functions throw the backend's error.
class DeviceRuntime {
public:
    /// The number of virtual functions below, by which core detects backends of other versions.
    static constexpr unsigned num_functions = 25;

    virtual int get_num_devices() noexcept = 0;
    virtual device_facts get_facts(int device) = 0;
    /// The width that the backend's kernels were built for.
    virtual int get_built_warp_size() const noexcept = 0;
    /// Makes the device current; returns the one before.
    virtual int exchange_device(int device) noexcept = 0;

    virtual void* allocate(memory_kind kind, size_type num_bytes, void* stream) = 0;
    /// Never throws: at the end of the program the driver may be gone already.
    virtual void deallocate(memory_kind kind, void* ptr, void* stream) noexcept = 0;
    /// In the order of the stream; either side may be the host.
    virtual void copy(void* to, const void* from, size_type num_bytes, void* stream) = 0;
    virtual void synchronize(void* stream) = 0;

    virtual void* create_stream(int device) = 0;
    virtual void destroy_stream(int device, void* stream) noexcept = 0;
    virtual void* create_event() = 0;
    virtual void destroy_event(void* event) noexcept = 0;
    virtual void record_event(void* event, void* stream) = 0;
    virtual void wait_event(void* event) = 0;
    virtual double elapsed_milliseconds(void* start, void* stop) = 0;

    /// Null where the vendor's sparse library is absent.
    virtual void* create_sparselib_handle(void* stream) = 0;
    virtual void destroy_sparselib_handle(void* handle) noexcept = 0;
    /// Likewise for dense matrices.
    virtual void* create_blas_handle(void* stream) = 0;
    virtual void destroy_blas_handle(void* handle) noexcept = 0;
    /// An unsigned in the device's memory, which is zero.
    virtual void* create_ticket(void* stream) = 0;
    virtual void destroy_ticket(void* ticket) noexcept = 0;

    /// A stream whose kernels are recorded and do not run, until the recording ends.
    virtual void* begin_recording(int device) = 0;
    /// What was recorded, ready to be replayed; null where it is not wanted. The stream is gone.
    virtual void* end_recording(void* stream, bool is_wanted) = 0;
    virtual void replay(void* recorded, void* stream) = 0;
    virtual void destroy_recording(void* recorded) noexcept = 0;

protected:
    ~DeviceRuntime() = default;
};

/// Makes the backend's kernels known (once) and returns its runtime (null for reference and omp).
/// @throws NotCompiled  if the backend was not built or its library cannot be opened: what was tried and why it failed
DeviceRuntime* load_backend(backend which);

/// As load_backend(), but null instead of an exception.
DeviceRuntime* try_load_backend(backend which) noexcept;

/// Whether the backend was part of this build.
bool is_compiled(backend which) noexcept;

}  // namespace spruce::detail
