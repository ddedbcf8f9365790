// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

#include <spruce/base/executor.hpp>

namespace spruce::detail {

enum class memory_kind { pooled, device, unified, pinned_host };

/// Declares the functions that the runtime library of a GPU backend provides to the core. cuda and
/// hip share the implementation in common/gpu/base/device_runtime.hpp. Streams and events are
/// handles of the vendor. Functions throw the error class of the backend.
class DeviceRuntime {
public:
    /// Number of virtual functions below, by which the core detects backends of other versions.
    static constexpr unsigned num_functions = 25;

    virtual int get_num_devices() noexcept = 0;
    virtual gpu_properties get_properties(int device) = 0;
    /// Returns the warp size for which the kernels of the backend were compiled.
    virtual int get_built_warp_size() const noexcept = 0;
    /// Makes the device current and returns the previous one.
    virtual int exchange_device(int device) noexcept = 0;

    virtual void* allocate(memory_kind kind, size_type num_bytes, void* stream) = 0;
    /// Frees memory. It never throws: at the end of the program the driver may be shut down
    /// already.
    virtual void deallocate(memory_kind kind, void* ptr, void* stream) noexcept = 0;
    /// Copies in the order of the stream. Source and target may be on the host.
    virtual void copy(void* to, const void* from, size_type num_bytes, void* stream) = 0;
    virtual void synchronize(void* stream) = 0;

    virtual void* create_stream(int device) = 0;
    virtual void destroy_stream(int device, void* stream) noexcept = 0;
    virtual void* create_event() = 0;
    virtual void destroy_event(void* event) noexcept = 0;
    virtual void record_event(void* event, void* stream) = 0;
    virtual void wait_event(void* event) = 0;
    virtual double elapsed_milliseconds(void* start, void* stop) = 0;

    /// Creates a handle of the vendor's sparse library; returns null if the library is not
    /// available.
    virtual void* create_sparselib_handle(void* stream) = 0;
    virtual void destroy_sparselib_handle(void* handle) noexcept = 0;
    /// Creates a handle of the vendor's dense library; returns null if the library is not
    /// available.
    virtual void* create_blas_handle(void* stream) = 0;
    virtual void destroy_blas_handle(void* handle) noexcept = 0;
    /// Allocates an unsigned integer with value zero in the memory of the device.
    virtual void* create_block_counter(void* stream) = 0;
    virtual void destroy_block_counter(void* block_counter) noexcept = 0;

    /// Returns a stream that records kernels instead of running them, until end_capture().
    virtual void* begin_capture(int device) = 0;
    /// Ends the recording and destroys the stream. Returns the recorded kernels, ready for replay,
    /// or null if is_requested is false.
    virtual void* end_capture(void* stream, bool is_requested) = 0;
    virtual void replay(void* recorded, void* stream) = 0;
    virtual void destroy_graph(void* recorded) noexcept = 0;

protected:
    ~DeviceRuntime() = default;
};

/// Registers the kernels of the backend (once) and returns its runtime, which is null for reference
/// and omp.
/// @throws NotCompiled  if the backend was not built or its library cannot be opened; the message
///   lists the attempts and the reasons of their failure
DeviceRuntime* load_backend(backend which);

/// Loads the backend like load_backend(), but returns null instead of throwing an exception.
DeviceRuntime* try_load_backend(backend which) noexcept;

/// Returns true if the backend is part of this build.
bool is_compiled(backend which) noexcept;

}  // namespace spruce::detail
